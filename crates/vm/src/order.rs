//! The order that synchronisation gives, as vector clocks: what threads *tell* by a release, and *learn* by an acquire.

use crate::journal::Undo;
use crate::machine::Machine;
use crate::memo::OrderStep;
use gordian_base::{ClockId, FxBuildHasher, FxHashMap, Id, ThreadId};
use gordian_ir::{Order, address};
use gordian_trace::{Event, OpKind, RaceMode, words};
use std::hash::{BuildHasher, Hasher};

/// What who acquires a lock, semaphore, atomic location or ended thread learns.
#[derive(Debug, Default)]
pub struct Released {
    /// Keys keep their numbers when the search goes back.
    numbers: FxHashMap<u64, u32>,
    clocks: Vec<ClockId>,
}

impl Released {
    pub fn at(&self, key: u64) -> ClockId {
        self.numbers.get(&key).map_or_else(ClockId::default, |&number| self.clocks[number as usize])
    }

    /// Gives the key's number and what stood there.
    fn set(&mut self, key: u64, clock: ClockId) -> (u32, ClockId) {
        let clocks = &mut self.clocks;
        let number = *self.numbers.entry(key).or_insert_with(|| {
            clocks.push(ClockId::default());
            clocks.len() as u32 - 1
        });
        (number, std::mem::replace(&mut self.clocks[number as usize], clock))
    }

    pub fn put_back(&mut self, number: u32, old: ClockId) {
        self.clocks[number as usize] = old;
    }

    /// What was released where, a line each; see `parts`. Atomic sections are known by number, which tells when they came.
    pub fn parts(&self, clocks: &gordian_base::Clocks) -> impl Iterator<Item = String> {
        let told = self.numbers.iter().filter(|(_, number)| self.clocks[**number as usize] != ClockId::default());
        told.map(|(&key, &number)| {
            let key = if address::space(key) == address::NO_SPACE { u64::MAX } else { key };
            format!("{key:#x} {:?}", clocks.get(self.clocks[number as usize]))
        })
    }

    /// For fingerprints: a sum, because the order of a map's entries depends on its history. Going back leaves
    /// entries that say nothing.
    pub fn hash_with(&self, hasher: &mut impl Hasher) {
        let entries = self.numbers.iter().map(|(key, &number)| (key, self.clocks[number as usize]));
        let told = entries.filter(|(_, clock)| *clock != ClockId::default());
        hasher.write_u64(told.map(|entry| FxBuildHasher.hash_one(entry)).fold(0, u64::wrapping_add));
    }
}

/// Where an atomic section is released to others. No object has this address.
fn section_key(section: u32) -> u64 {
    address::make(address::NO_SPACE, section >> 8, u64::from(section & 0xff))
}

/// Whether an operation is ordered with others on the same synchronisation object by [`slots`], which knows those that commute. The beginning and the end of
/// an object's life are not: they conflict with everything there, as writes to its bytes do.
fn is_ordered_by_slots(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        Lock | LockTimeout
            | TryLock
            | TryLockFail
            | Unlock
            | ReadLock
            | TryReadLock
            | TryReadLockFail
            | Wait
            | Signal
            | Broadcast
            | SemWait
            | SemTryWait
            | SemTryWaitFail
            | SemPost
            | SemGet
            | SemTimeout
            | BarrierArrive
            | OnceEnter
            | OnceDone
            | Consistent
    )
}

/// What operations on an object release to each other when sections make them, kept apart by those that commute. No atomic variable lies within a
/// synchronisation object, so these offsets are free there.
pub(crate) mod slot {
    /// Of operations that depend on all others.
    pub const CHANGES: u64 = 1;
    /// Of those that leave the object as it was.
    pub const LOOKS: u64 = 2;
    /// Of those that take or give a share, in whatever order.
    pub const SHARES: u64 = 3;
    /// Of those who give up a read lock, whether or not in a section: only writers learn it.
    pub const READERS: u64 = 4;
}

/// Where an operation on an object releases to others, and where it acquires. It is ordered after what it depends on and nothing else: if the clocks of two
/// operations that commute told their order, which races are found would depend on it.
fn slots(event: &Event) -> (u64, &'static [u64]) {
    match event.kind {
        OpKind::OnceEnter | OpKind::Consistent if event.value == 0 => (slot::LOOKS, &[slot::CHANGES, slot::SHARES]),
        OpKind::Unlock if event.value == OpKind::NOT_HELD => (slot::LOOKS, &[slot::CHANGES, slot::SHARES]),
        OpKind::LockTimeout | OpKind::SemTimeout => (slot::LOOKS, &[slot::CHANGES, slot::SHARES]),
        OpKind::SemGet if event.other == 1 => (slot::CHANGES, &[slot::CHANGES, slot::LOOKS, slot::SHARES]),
        kind if kind.reads_only() => (slot::LOOKS, &[slot::CHANGES, slot::SHARES]),
        OpKind::ReadLock | OpKind::TryReadLock => (slot::SHARES, &[slot::CHANGES, slot::LOOKS]),
        OpKind::Unlock if event.other == 1 => (slot::SHARES, &[slot::CHANGES, slot::LOOKS]),
        OpKind::SemPost if event.value <= OpKind::MANY_UNITS => (slot::SHARES, &[slot::CHANGES, slot::LOOKS]),
        _ => (slot::CHANGES, &[slot::CHANGES, slot::LOOKS, slot::SHARES]),
    }
}

/// Whether an operation on an object leaves it as it was.
pub(crate) fn looks_only(event: &Event) -> bool {
    slots(event).0 == slot::LOOKS
}

impl Machine<'_> {
    pub(crate) fn tracks_races(&self) -> bool {
        self.settings.races != RaceMode::Ignore
    }

    /// The thread learns what was released at `key`.
    pub(crate) fn acquire(&mut self, thread: ThreadId, key: u64) {
        if self.tracks_races() {
            self.hear_order(thread, OrderStep::Acquire(key));
            let released = self.released_at(key);
            self.learn(thread, released);
        }
    }

    pub(crate) fn learn(&mut self, thread: ThreadId, clock: ClockId) {
        let core = &mut self.threads[thread.index()].core;
        core.clock = self.clocks.join(core.clock, clock);
    }

    /// What the thread knows, itself included; its time goes on.
    pub(crate) fn tell(&mut self, thread: ThreadId) -> ClockId {
        let core = &mut self.threads[thread.index()].core;
        let clock = self.clocks.with(core.clock, thread, core.time);
        core.time += 1;
        clock
    }

    /// Who acquires `key` learns what the thread knows now, besides what was released there before.
    pub(crate) fn release(&mut self, thread: ThreadId, key: u64) {
        if self.tracks_races() {
            self.hear_order(thread, OrderStep::Release(key));
            let mine = self.tell(thread);
            let clock = self.clocks.join(mine, self.released_at(key));
            self.set_released(key, clock);
        }
    }

    /// A fence stands in for the atomic accesses around it.
    pub(crate) fn fence(&mut self, thread: ThreadId, order: Order) {
        if !self.tracks_races() {
            return;
        }
        self.hear_order(thread, OrderStep::Fence(order));
        if order.acquires() {
            let clock = self.threads[thread.index()].core.fence_acquire;
            self.learn(thread, clock);
        }
        if order.releases() {
            let clock = self.tell(thread);
            self.threads[thread.index()].core.fence_release = clock;
        }
    }

    /// An access within an atomic section comes after the sections before that touched the same, as if a lock had guarded
    /// these bytes. `kind` is that of its event.
    #[inline]
    pub(crate) fn order_section(&mut self, thread: ThreadId, kind: OpKind, address: u64, size: u64, write: bool) {
        if self.threads[thread.index()].core.atomic > 0 {
            self.learn_of_sections(thread, kind, address, size, write);
        }
    }

    #[cold]
    fn learn_of_sections(&mut self, thread: ThreadId, kind: OpKind, address: u64, size: u64, write: bool) {
        // Operations on one object are ordered by `order_section_by`, which knows those that commute.
        let is_by_object = |event: u32| {
            is_ordered_by_slots(kind)
                && self.log.events.get(event as usize).is_some_and(|event| is_ordered_by_slots(event.kind))
        };
        let of_word = |(word, bytes)| self.races.in_sections(word, bytes, write);
        let earlier: Vec<u32> = words(address, size)
            .flat_map(of_word)
            .filter(|earlier| !is_by_object(earlier.event))
            .map(|earlier| earlier.section)
            .collect();
        for section in earlier {
            self.acquire(thread, section_key(section));
        }
    }

    /// The number of the atomic section under way, or of the part of it that this step is.
    pub(crate) fn section(&self) -> u32 {
        self.log.step_starts.len() as u32 + 1
    }

    /// What the call that was just made in an atomic section did to synchronisation objects orders it as well, also where
    /// the objects themselves say nothing: after a failed attempt, or from a wait to a post.
    #[cold]
    pub(crate) fn order_section_by(&mut self, thread: ThreadId, n_events: usize) {
        if !self.tracks_races() {
            return;
        }
        for index in n_events..self.log.events.len() {
            let event = self.log.events[index];
            if event.thread != thread || !is_ordered_by_slots(event.kind) {
                continue;
            }
            let (own, others) = slots(&event);
            for slot in others {
                self.acquire(thread, event.address | slot);
            }
            let core = self.threads[thread.index()].core;
            let known = self.clocks.with(core.clock, thread, core.time);
            let key = event.address | own;
            let clock = self.clocks.join(known, self.released_at(key));
            self.set_released(key, clock);
        }
    }

    /// An atomic section ends, or blocks: what it did is told to those that come after it.
    pub(crate) fn tell_section(&mut self, thread: ThreadId) {
        if self.tracks_races() {
            let clock = self.tell(thread);
            self.set_released(section_key(self.section()), clock);
        }
    }

    pub(crate) fn released_at(&self, key: u64) -> ClockId {
        self.released.at(key)
    }

    pub(crate) fn set_released(&mut self, key: u64, clock: ClockId) {
        let (number, old) = self.released.set(key, clock);
        if self.memory.journal.on {
            self.memory.journal.log.push(Undo::Released { number, old });
        }
    }
}
