//! A hash of everything that the program's future depends on, to compare states in tests.

use crate::machine::Machine;
use crate::memory::Mode;
use crate::thread::Park;
use gordian_base::{FxBuildHasher, FxHasher};
use std::hash::{BuildHasher, Hash, Hasher};

pub fn hash_of(text: &str) -> u64 {
    FxBuildHasher.hash_one(text)
}

impl Machine<'_> {
    /// Equal for equal states: what was restored by going back and what was reached afresh by the same
    /// choices. Where the bytes of objects lie, and what the journal holds, do not count.
    pub fn fingerprint(&self) -> u64 {
        self.assert_not_ahead();
        let mut hasher = FxHasher::default();
        for space in 0..self.memory.n_spaces() {
            for (address, object) in self.memory.objects_in(space) {
                (address, object.size, object.mode, object.kind, object.previous, object.published).hash(&mut hasher);
                self.memory.view(address, u64::from(object.size)).hash(&mut hasher);
                self.memory.written_view(address, u64::from(object.size)).hash(&mut hasher);
                debug_assert!(object.mode < Mode::OutOfScope);
            }
        }
        // Threads that only another execution created are no part of this one.
        for thread in self.threads.iter().filter(|thread| thread.core.park != Park::Unborn) {
            format!("{:?} {:?}", thread.core, thread.frames).hash(&mut hasher);
            thread.registers.hash(&mut hasher);
        }
        for event in &self.events {
            (event.thread, event.kind, event.at, event.address, event.value, event.other).hash(&mut hasher);
        }
        for choice in self.choices().iter().chain(self.schedule()) {
            choice.hash(&mut hasher);
        }
        for raw in &self.findings {
            (&raw.finding.message, raw.steps).hash(&mut hasher);
        }
        (&self.stdout, &self.stderr, &self.notes).hash(&mut hasher);
        format!("{:?} {:?} {:?}", self.end, self.publications, self.inputs).hash(&mut hasher);
        format!("{:?} {:?} {:?}", self.visits, self.watches, self.files.state()).hash(&mut hasher);
        self.clocks.hash(&mut hasher);
        self.races.hash_with(&mut hasher);
        self.released.hash_with(&mut hasher);
        hasher.finish()
    }

    /// Equal where memory and the places of all threads are equal, whichever way led there. Different schedules of one
    /// Mazurkiewicz trace must agree on it.
    pub fn state_fingerprint(&self) -> u64 {
        self.assert_not_ahead();
        let mut hasher = FxHasher::default();
        for space in 0..self.memory.n_spaces() {
            for (address, object) in self.memory.objects_in(space) {
                (address, object.size, object.kind).hash(&mut hasher);
                self.memory.view(address, u64::from(object.size)).hash(&mut hasher);
            }
        }
        for (number, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.core.park != Park::Unborn) {
            (number, format!("{:?} {:?}", thread.core.park, thread.frames)).hash(&mut hasher);
            thread.registers.hash(&mut hasher);
        }
        hasher.finish()
    }
}
