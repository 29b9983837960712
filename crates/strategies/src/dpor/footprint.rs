//! What a step touches, and when two steps depend on each other.
//!
//! A step touches *locations*: aligned words of memory with a mask of their bytes, locks, condition
//! variables, semaphores and so on. Two steps of different threads are dependent if they touch the same
//! location in conflicting modes, or if one makes the other possible (creation, join, wake-up).

use gordian_base::{FxHashMap, ThreadId};
use gordian_engine::Ended;
use gordian_trace::{Choice, Event, OpKind, Wants};
use smallvec::SmallVec;
use std::rc::Rc;

/// A location, numbered in the order of first sight; the numbers last for the whole search.
pub type LocationId = u32;

/// How a step touches a location. Reads commute with reads; nothing else commutes. Uses of a synchronisation object
/// that would commute (read locks, posts) are ordered all the same: which of them makes a blocked operation possible
/// depends on their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Mode {
    Read,
    Write,
}

impl Mode {
    pub fn conflicts(self, other: Mode) -> bool {
        self != other || self == Mode::Write
    }
}

/// What an operation needs before it can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Needs {
    Nothing,
    /// The lock free, or the semaphore above zero.
    Free,
    /// No writer.
    NoWriter,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub location: LocationId,
    pub bytes: u8,
    pub mode: Mode,
    pub needs: Needs,
    /// Whether it might have written, had it come at another time: a failing exchange or try-lock.
    fickle: bool,
    /// Which needs were met before this access: bit 0 for `Free`, bit 1 for `NoWriter`. An access before
    /// which a need was not met cannot be overtaken by one that has it.
    met: u8,
}

const MET_ALL: u8 = 3;

impl Access {
    pub fn met(&self, needs: Needs) -> bool {
        match needs {
            Needs::Nothing => true,
            Needs::Free => self.met & 1 != 0,
            Needs::NoWriter => self.met & 2 != 0,
        }
    }

    pub fn conflicts(&self, other: &Access) -> bool {
        self.location == other.location && self.bytes & other.bytes != 0 && self.mode.conflicts(other.mode)
    }
}

/// The classes of locations; the address tells which of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
enum Class {
    Memory,
    Lock,
    Condition,
    Semaphore,
    Barrier,
    Once,
    File,
    Random,
    Cancellation,
}

/// What happens behind the operation of a step, to its own thread or to one that it let go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    Join {
        joiner: ThreadId,
        target: ThreadId,
    },
    Create {
        creator: ThreadId,
        child: ThreadId,
    },
    /// The thread was woken or let through a barrier.
    Release(ThreadId),
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Footprint {
    pub accesses: SmallVec<[Access; 3]>,
    /// What follows it without being a step, in order.
    pub effects: SmallVec<[Effect; 1]>,
    /// Threads whose end its thread, or who created it, had waited for since its step before.
    pub joins: SmallVec<[ThreadId; 1]>,
    /// The process ends with this step: it depends on everything.
    pub ends_process: bool,
    /// The step was not executed yet, so it may depend on anything.
    pub unknown: bool,
    /// The step has the same variants whatever others do.
    pub keeps_variants: bool,
    /// A bit for each location by its number modulo 63, and the last bit for anything else that orders steps: no bit
    /// in common, no dependence.
    summary: u64,
}

/// Depends on more than locations.
const ORDERS_OTHERWISE: u64 = 1 << 63;

impl Footprint {
    pub fn unknown() -> Footprint {
        Footprint { unknown: true, summary: ORDERS_OTHERWISE, ..Footprint::default() }
    }

    /// Threads that this step woke or let through a barrier.
    pub fn released(&self) -> impl Iterator<Item = ThreadId> {
        self.effects.iter().filter_map(|effect| match *effect {
            Effect::Release(thread) => Some(thread),
            Effect::Join { .. } | Effect::Create { .. } => None,
        })
    }

    /// To be called when all else is in place.
    pub fn summarise(&mut self) {
        let otherwise = self.ends_process || self.unknown || !self.effects.is_empty() || !self.joins.is_empty();
        let bits = self.accesses.iter().map(|access| 1 << (access.location % 63)).fold(0, |bits, bit| bits | bit);
        self.summary = bits | if otherwise { ORDERS_OTHERWISE } else { 0 };
    }

    /// Whether `thread` could not have made its next step before this one.
    fn enables(&self, thread: ThreadId) -> bool {
        self.effects.iter().any(|effect| match *effect {
            Effect::Create { child, .. } => child == thread,
            Effect::Release(released) => released == thread,
            Effect::Join { .. } => false,
        })
    }

    /// Whether a step of `thread` with this footprint and one of `other_thread` with `other` depend on each other.
    pub fn depends(&self, thread: ThreadId, other: &Footprint, other_thread: ThreadId) -> bool {
        if thread == other_thread {
            return true;
        }
        if self.summary & other.summary == 0 && (self.summary | other.summary) & ORDERS_OTHERWISE == 0 {
            return false;
        }
        self.ends_process
            || other.ends_process
            || self.unknown
            || other.unknown
            || self.enables(other_thread)
            || other.enables(thread)
            || self.joins.contains(&other_thread)
            || other.joins.contains(&thread)
            || self.accesses.iter().any(|a| other.accesses.iter().any(|b| a.conflicts(b)))
    }

    /// The footprint that this step has if its operation turns out otherwise, as far as that is known:
    /// failing exchanges and try-locks may succeed.
    pub fn pessimistic(self: &Rc<Footprint>) -> Rc<Footprint> {
        if !self.accesses.iter().any(|access| access.fickle && access.mode != Mode::Write) {
            return Rc::clone(self);
        }
        let mut other = Footprint::clone(self);
        for access in &mut other.accesses {
            if access.fickle {
                access.mode = Mode::Write;
            }
        }
        Rc::new(other)
    }
}

/// Numbers locations and reads footprints off events.
#[derive(Default)]
pub struct Locations {
    ids: FxHashMap<(u64, Class), LocationId>,
}

impl Locations {
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    fn id(&mut self, address: u64, class: Class) -> LocationId {
        let next = self.ids.len() as u32;
        *self.ids.entry((address, class)).or_insert(next)
    }

    /// The footprint of the step that made `choice` and these events, its own and those of threads that it
    /// let go on.
    pub fn footprint(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>) -> Footprint {
        let mut footprint = Footprint::default();
        if let Some(wants) = wants
            && !events.iter().any(|event| event.thread == choice.thread)
        {
            self.add_failed(choice.thread, wants, &mut footprint);
        }
        footprint.keeps_variants = events
            .iter()
            .find(|event| event.kind != OpKind::Watch)
            .is_some_and(|event| matches!(event.kind, OpKind::CasOk | OpKind::CasFail));
        let mut cancellable = false;
        // How many accesses the operation itself made; what follows it in an atomic section was not waited for.
        let mut n_awaited = None;
        for (position, event) in events.iter().enumerate() {
            if n_awaited.is_none() && events[..position].last().is_some_and(|event| event.kind != OpKind::Watch) {
                n_awaited = Some(footprint.accesses.len());
            }
            let other = ThreadId(event.address as u32);
            match event.kind {
                // A join comes behind the operation of its step and orders what follows, not that operation.
                OpKind::Join => footprint.effects.push(Effect::Join { joiner: event.thread, target: other }),
                OpKind::Create => footprint.effects.push(Effect::Create { creator: event.thread, child: other }),
                OpKind::Wake => footprint.effects.push(Effect::Release(other)),
                OpKind::BarrierLeave => footprint.effects.push(Effect::Release(event.thread)),
                OpKind::ProcessExit => footprint.ends_process = position == 0,
                _ if event.alone => {}
                OpKind::Yield
                | OpKind::Sleep
                | OpKind::Wait
                | OpKind::WaitEnd
                | OpKind::SemWait
                | OpKind::Cancelled => {
                    cancellable = true;
                    self.add(event, &mut footprint);
                }
                _ => self.add(event, &mut footprint),
            }
        }
        for access in footprint.accesses.iter_mut().skip(n_awaited.unwrap_or(usize::MAX)) {
            access.needs = Needs::Nothing;
        }
        if cancellable || choice.variant > 0 {
            let flag = self.id(u64::from(choice.thread.0), Class::Cancellation);
            let (mode, needs) = (Mode::Read, Needs::Nothing);
            push(&mut footprint, Access { location: flag, bytes: 1, mode, needs, fickle: false, met: MET_ALL });
        }
        footprint
    }

    /// The operation failed before it could be logged: it touches what it was about to touch, in the worst way.
    fn add_failed(&mut self, thread: ThreadId, wants: Wants, footprint: &mut Footprint) {
        let Wants { kind, size, address, at } = wants;
        let event = Event { thread, kind, alone: false, size, at, address, value: 1, other: 1 };
        match kind {
            OpKind::Join | OpKind::Create | OpKind::Wake | OpKind::BarrierLeave | OpKind::ProcessExit => {}
            // The mutex behind a wait is not known here.
            OpKind::Wait | OpKind::Woken => footprint.unknown = true,
            OpKind::Unlock => self.add_sync(address, Class::Lock, Mode::Write, Needs::Nothing, MET_ALL, footprint),
            _ => self.add(&event, footprint),
        }
    }

    fn add(&mut self, event: &Event, footprint: &mut Footprint) {
        use OpKind::*;
        let met = |free: bool, no_writer: bool| u8::from(free) | u8::from(no_writer) << 1;
        let (class, mode, needs, met) = match event.kind {
            Read | AtomicRead | CasFail | RmwSame => return self.add_memory(event, Mode::Read, footprint),
            // `other` tells an atomic section that blocked from a loop that waited.
            Watch if event.value == OpKind::WATCHES_LOCK && event.other == 1 => {
                (Class::Lock, Mode::Read, Needs::Nothing, 0)
            }
            Watch if event.value == OpKind::WATCHES_LOCK => (Class::Lock, Mode::Read, Needs::Nothing, MET_ALL),
            Watch if event.value == OpKind::WATCHES_SEMAPHORE => {
                (Class::Semaphore, Mode::Read, Needs::Nothing, MET_ALL)
            }
            Watch => return self.add_memory(event, Mode::Read, footprint),
            Write | AtomicWrite | Rmw | CasOk | Free => return self.add_memory(event, Mode::Write, footprint),
            // A lock taken again by its holder was not free; `other` tells a timed attempt, which never blocks.
            Lock => (Class::Lock, Mode::Write, waits_for(event, Needs::Free), met(event.value <= 1, event.value <= 1)),
            TryLock => (Class::Lock, Mode::Write, Needs::Nothing, met(event.value <= 1, event.value <= 1)),
            MutexInit | MutexDestroy => (Class::Lock, Mode::Write, Needs::Nothing, MET_ALL),
            ReadLock => (Class::Lock, Mode::Write, waits_for(event, Needs::NoWriter), met(event.value == 1, true)),
            TryReadLock => (Class::Lock, Mode::Write, Needs::Nothing, met(event.value == 1, true)),
            // `other` tells a reader's unlock from a writer's.
            Unlock if event.other == 1 => (Class::Lock, Mode::Write, Needs::Nothing, met(false, true)),
            Unlock => (Class::Lock, Mode::Write, Needs::Nothing, 0),
            // `value` tells that only readers were in the way.
            TryLockFail | TryReadLockFail | LockTimeout => {
                (Class::Lock, Mode::Read, Needs::Nothing, met(false, event.value == 1))
            }
            Wait => {
                self.add_sync(event.other, Class::Lock, Mode::Write, Needs::Nothing, 0, footprint);
                (Class::Condition, Mode::Write, Needs::Nothing, MET_ALL)
            }
            WaitEnd => (Class::Condition, Mode::Write, Needs::Nothing, MET_ALL),
            Woken => return self.add_sync(event.other, Class::Lock, Mode::Write, Needs::Free, MET_ALL, footprint),
            Signal | Broadcast | CondInit | CondDestroy => (Class::Condition, Mode::Write, Needs::Nothing, MET_ALL),
            SemWait => (Class::Semaphore, Mode::Write, waits_for(event, Needs::Free), MET_ALL),
            SemTryWait | SemInit | SemDestroy => (Class::Semaphore, Mode::Write, Needs::Nothing, MET_ALL),
            SemPost => (Class::Semaphore, Mode::Write, Needs::Nothing, met(event.value > 1, true)),
            SemTryWaitFail | SemGet | SemTimeout => {
                (Class::Semaphore, Mode::Read, Needs::Nothing, met(event.value > 0, true))
            }
            BarrierInit | BarrierArrive | BarrierDestroy => (Class::Barrier, Mode::Write, Needs::Nothing, MET_ALL),
            // Who comes second waits until the routine has run.
            OnceEnter if event.value == 0 => (Class::Once, Mode::Read, Needs::Free, MET_ALL),
            OnceEnter => (Class::Once, Mode::Write, Needs::Free, MET_ALL),
            OnceDone => (Class::Once, Mode::Write, Needs::Nothing, 0),
            // Key 0 is the table of all open files, which every operation on one of them looks at.
            File if event.address == 0 => (Class::File, Mode::Write, Needs::Nothing, MET_ALL),
            File => {
                self.add_sync(0, Class::File, Mode::Read, Needs::Nothing, MET_ALL, footprint);
                (Class::File, Mode::Write, Needs::Nothing, MET_ALL)
            }
            Random => (Class::Random, Mode::Write, Needs::Nothing, MET_ALL),
            Cancel => (Class::Cancellation, Mode::Write, Needs::Nothing, MET_ALL),
            Join | Create | Wake | BarrierLeave | ProcessExit => unreachable!("handled before"),
            Exit | Cancelled | Detach | Fence | Yield | Sleep | AtomicBegin | AtomicEnd => return,
        };
        self.add_sync(event.address, class, mode, needs, met, footprint);
    }

    fn add_sync(&mut self, address: u64, class: Class, mode: Mode, needs: Needs, met: u8, footprint: &mut Footprint) {
        let location = self.id(address, class);
        push(footprint, Access { location, bytes: 1, mode, needs, fickle: mode != Mode::Write, met });
    }

    fn add_memory(&mut self, event: &Event, mode: Mode, footprint: &mut Footprint) {
        let end = event.address + u64::from(event.size);
        let mut word = event.address & !7;
        while word < end {
            let from = event.address.max(word) - word;
            let to = end.min(word + 8) - word;
            let bytes = ((0xffu16 << from) & !(0xffffu32 << to) as u16) as u8;
            let location = self.id(word, Class::Memory);
            let fickle = matches!(event.kind, OpKind::CasFail | OpKind::RmwSame);
            push(footprint, Access { location, bytes, mode, needs: Needs::Nothing, fickle, met: MET_ALL });
            word += 8;
        }
    }

    /// What a blocked thread would touch if it could: orders with those who block it that could be reversed. Nothing
    /// for operations that block in other ways.
    pub fn pending(&mut self, thread: ThreadId, ended: &Ended<'_>) -> Footprint {
        let mut footprint = Footprint::default();
        let Some(Wants { kind, address, at, .. }) = ended.wants(thread) else { return footprint };
        for (address, size, value) in ended.watched(thread) {
            let event = Event { thread, kind: OpKind::Watch, alone: false, size, at, address, value, other: 0 };
            self.add(&event, &mut footprint);
        }
        footprint.accesses.extend(self.blocked(kind, address));
        footprint.summarise();
        footprint
    }

    /// What a thread that can go on would touch, in the worst way.
    pub fn wanted(&mut self, thread: ThreadId, ended: &Ended<'_>) -> Footprint {
        let mut footprint = Footprint::default();
        if let Some(wants) = ended.wants(thread) {
            self.add_failed(thread, wants, &mut footprint);
        }
        footprint
    }

    fn blocked(&mut self, kind: OpKind, address: u64) -> Option<Access> {
        let (class, mode, needs) = match kind {
            OpKind::Lock | OpKind::Woken => (Class::Lock, Mode::Write, Needs::Free),
            OpKind::ReadLock => (Class::Lock, Mode::Write, Needs::NoWriter),
            OpKind::SemWait => (Class::Semaphore, Mode::Write, Needs::Free),
            OpKind::OnceEnter => (Class::Once, Mode::Write, Needs::Free),
            _ => return None,
        };
        Some(Access { location: self.id(address, class), bytes: 1, mode, needs, fickle: false, met: MET_ALL })
    }
}

/// Timed attempts give up instead of waiting.
fn waits_for(event: &Event, needs: Needs) -> Needs {
    if event.other == 1 { Needs::Nothing } else { needs }
}

/// Adds an access; a location touched twice is touched in the stronger mode, as it was the first time.
fn push(footprint: &mut Footprint, access: Access) {
    for known in &mut footprint.accesses {
        if known.location == access.location && known.bytes == access.bytes {
            if known.mode != access.mode {
                known.mode = Mode::Write;
            }
            return;
        }
    }
    footprint.accesses.push(access);
}
