//! How private objects become shared: a pointer to them becomes known to other threads.

use crate::access::Access;
use crate::machine::Machine;
use crate::memory::{Kind, Mode, Object};
use gordian_base::{Id, ThreadId};
use gordian_ir::address;
use gordian_trace::{CodePoint, OpKind};

/// How private objects became shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Publication {
    pub thread: ThreadId,
    /// The thread's time then.
    pub time: u32,
    /// The event that did it.
    pub event: u32,
}

impl Machine<'_> {
    /// Ends the life of an object. That others who know it can see this must have been logged in the same step.
    pub(crate) fn end_life(&mut self, thread: ThreadId, place: u64, at: CodePoint) {
        debug_assert!(self.end_is_told(place), "the end of an object that others know is not logged");
        self.memory.release(place);
        self.memory.set_freed(place, at, thread.0);
    }

    fn end_is_told(&self, place: u64) -> bool {
        let Some(object) = self.memory.object(place) else { return false };
        // Whoever has a stream can reach its lock.
        let is_lock = self.locks_streams && self.files.stream(place).is_some();
        if !self.accesses_are_visible() || !(object.is_shared() || is_lock) {
            return true;
        }
        let start = self.log.step_starts.last().map_or(0, |&start| start as usize);
        self.log.events[start..].iter().any(|event| event.kind == OpKind::Free && event.address == place)
    }

    /// The event that published the object, if the accessing thread has not learnt of it: what was written
    /// to the object while it was private then races with this access.
    pub(crate) fn unordered_publication(&self, thread: ThreadId, access: Access) -> Option<u32> {
        // Where each write is known, none need be supposed.
        if self.publications.is_empty() || self.notes_private_writes {
            return None;
        }
        let published = self.memory.object(access.address)?.published.checked_sub(1)?;
        let Publication { thread: publisher, time, event } = self.publications[published as usize];
        let clock = self.threads[thread.index()].core.clock;
        (publisher != thread && time > self.clocks.time(clock, publisher)).then_some(event)
    }

    /// A pointer became known to all: what it points to is shared, and what can be reached from there.
    /// To be called before the event that publishes it.
    pub(crate) fn publish(&mut self, thread: ThreadId, pointer: u64) {
        // Numbers may look like a pointer to what another thread has to itself. Only its owner can hand that out, unless the owner is
        // gone or everybody else waits.
        let alone = !self.accesses_are_visible();
        let can_hand_out =
            |machine: &Self, owner: ThreadId| owner == thread || alone || machine.threads[owner.index()].ended();
        let is_private = |machine: &Self, pointer: u64| {
            let object = machine.memory.object(pointer).copied()?;
            let owner = address::owner(address::space(pointer))?;
            let is_own = object.mode == Mode::Private && object.kind != Kind::Hidden && can_hand_out(machine, owner);
            is_own.then_some(object)
        };
        if is_private(self, pointer).is_none() {
            return;
        }
        let time = self.threads[thread.index()].core.time;
        self.publications.push(Publication { thread, time, event: self.log.events.len() as u32 });
        let published = self.publications.len() as u32;
        let mut work = vec![pointer];
        while let Some(pointer) = work.pop() {
            let Some(object) = is_private(self, pointer) else { continue };
            let start = address::object_start(pointer);
            if object.published != 0 {
                self.republished.push((thread, start, object.size));
            }
            self.memory.set_object(start, Object { mode: Mode::Shared, published, unset: 0, ..object });
            if self.records_accesses() {
                self.record_publication(thread, start, u64::from(object.size));
            }
            self.pointers_in(start, u64::from(object.size), &mut work);
        }
    }

    /// Logs that variables were published again in the step that was just made. Who has a pointer from an earlier life and uses it fails before that, and does not
    /// after it.
    pub(crate) fn note_republished(&mut self) {
        if self.republished.is_empty() {
            return;
        }
        for (thread, place, size) in std::mem::take(&mut self.republished) {
            if self.accesses_are_visible() {
                self.push_event(thread, OpKind::Unlogged, place, size, 0, OpKind::PUBLISHED_AGAIN);
            }
        }
    }

    pub(crate) fn publish_range(&mut self, thread: ThreadId, start: u64, len: u64) {
        let mut found = Vec::new();
        self.pointers_in(start, len, &mut found);
        for pointer in found {
            self.publish(thread, pointer);
        }
    }

    /// Everything in these bytes that could be a pointer to a private object.
    fn pointers_in(&self, start: u64, len: u64, found: &mut Vec<u64>) {
        if len < 8 {
            return;
        }
        let bytes = self.memory.view(start, len);
        let step = if len <= 4096 { 1 } else { 8 };
        for at in (0..=bytes.len() - 8).step_by(step) {
            let word = u64::from_le_bytes(bytes[at..at + 8].try_into().expect("eight bytes"));
            if address::owner(address::space(word)).is_some()
                && self.memory.object(word).is_some_and(|object| object.mode == Mode::Private)
            {
                found.push(word);
            }
        }
    }

    /// Before a second thread comes: all that globals point to can now be reached by others.
    pub(crate) fn publish_globals(&mut self, thread: ThreadId) {
        let globals: Vec<(u64, u64)> = self
            .memory
            .objects_in(address::GLOBAL_SPACE)
            .filter(|(_, object)| object.mode == Mode::Shared)
            .map(|(place, object)| (place, u64::from(object.size)))
            .collect();
        for (place, size) in globals {
            self.publish_range(thread, place, size);
        }
        // Objects that were published while there were several threads may have got new contents since.
        let shared: Vec<(u64, u64)> = (0..self.memory.n_spaces())
            .filter(|&space| address::owner(space).is_some())
            .flat_map(|space| self.memory.objects_in(space))
            .filter(|(_, object)| object.mode == Mode::Shared)
            .map(|(place, object)| (place, u64::from(object.size)))
            .collect();
        for (place, size) in shared {
            self.publish_range(thread, place, size);
        }
    }
}
