//! Calls that are no steps of their own, and fail after they have changed something: `sscanf` writes a number and then meets a null pointer.
//!
//! A failure may have to wait until others have seen what its thread did before (see `Machine::fails_apart`), and is then met a second time. So what such a
//! call has changed is taken back: nobody has seen it, and the second time it begins from the same state.

use crate::journal::{Extent, Undo};
use crate::machine::Machine;
use crate::thread::Core;
use gordian_base::{Id, ThreadId};

/// The state before such a call.
pub struct Attempt {
    core: Core,
    journal: Extent,
    /// Whether there was a journal before.
    was_on: bool,
    changes: u64,
    n_events: usize,
    n_notes: usize,
    n_inputs: usize,
}

impl Machine<'_> {
    /// Before a call that others do not see. Nothing where a failure does not wait.
    #[inline]
    pub(crate) fn begin_attempt(&mut self, thread: ThreadId) -> Option<Attempt> {
        if !self.settings.separate_failures || !self.must_park(thread) {
            return None;
        }
        Some(Attempt {
            core: self.threads[thread.index()].core,
            journal: self.memory.journal.extent(),
            // The same execution must go the same way whether or not somebody will go back in it.
            was_on: std::mem::replace(&mut self.memory.journal.on, true),
            changes: self.memory.changes,
            n_events: self.log.events.len(),
            n_notes: self.log.notes.len(),
            n_inputs: self.inputs.len(),
        })
    }

    /// Behind such a call.
    #[inline]
    pub(crate) fn end_attempt(&mut self, thread: ThreadId, attempt: Option<Attempt>, has_failed: bool) {
        let Some(attempt) = attempt else { return };
        if has_failed {
            self.take_back(thread, &attempt);
        }
        if !attempt.was_on {
            self.forget_attempt(attempt.journal);
        }
    }

    /// Switches the journal off again. What was saved of threads meanwhile is saved no more.
    fn forget_attempt(&mut self, extent: Extent) {
        let serial = self.back.serial;
        for undo in self.memory.journal.log[extent.log..].iter().rev() {
            if let Undo::Thread { thread, before, .. } = *undo {
                let saved = &mut self.threads[thread.index()];
                (saved.saved_at, saved.saved_in) = (before, serial.wrapping_sub(1));
            }
        }
        self.memory.journal.on = false;
        self.memory.journal.truncate(extent);
    }

    #[cold]
    fn take_back(&mut self, thread: ThreadId, attempt: &Attempt) {
        let is_own = |undo: &Undo| match undo {
            Undo::Word { .. } | Undo::Bytes { .. } | Undo::Object { .. } | Undo::Untake { .. } | Undo::Grown { .. } => {
                true
            }
            Undo::Mode { .. } | Undo::Freed { .. } | Undo::Origin { .. } => true,
            Undo::Cell { .. } | Undo::ByteTerm { .. } | Undo::Term { .. } => true,
            // Such calls change no other threads and no files.
            Undo::Thread { .. } | Undo::Joined { .. } | Undo::Frame { .. } => false,
            Undo::Released { .. } | Undo::Knowledge { .. } | Undo::Files => false,
        };
        let is_seen = self.log.events.len() > attempt.n_events || self.inputs.len() > attempt.n_inputs;
        if is_seen || !self.memory.journal.log[attempt.journal.log..].iter().all(is_own) {
            return;
        }
        while self.memory.journal.log.len() > attempt.journal.log {
            let undo = self.memory.journal.log.pop().expect("the log is longer");
            self.undo(undo);
        }
        self.memory.changes = attempt.changes;
        self.log.notes.truncate(attempt.n_notes);
        self.threads[thread.index()].core = attempt.core;
    }
}
