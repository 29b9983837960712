//! A hash of everything that the program's future depends on, to compare states in tests.

use crate::machine::Machine;
use crate::memory::Mode;
use crate::thread::{Core, Park};
use gordian_base::{ClockId, FxHasher, ThreadId};
use std::hash::{Hash, Hasher};

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
        for event in &self.log.events {
            (event.thread, event.kind, event.at, event.address, event.value, event.other).hash(&mut hasher);
        }
        for choice in self.choices().iter().chain(self.schedule()) {
            choice.hash(&mut hasher);
        }
        for raw in &self.log.findings {
            (&raw.finding.message, raw.steps).hash(&mut hasher);
        }
        (&self.log.stdout, &self.log.stderr, &self.log.notes).hash(&mut hasher);
        format!("{:?} {:?} {:?}", self.end, self.publications, self.inputs).hash(&mut hasher);
        format!("{:?} {:?} {:?}", self.waiting.visits, self.waiting.watches, self.files.state()).hash(&mut hasher);
        self.clocks.hash(&mut hasher);
        self.races.hash_with(&mut hasher);
        self.released.hash_with(&mut hasher);
        hasher.finish()
    }

    /// Memory and the places of all threads in full, for who must not take two states for one. What has a different name in every round of a
    /// loop (variables of functions that it calls) makes states differ.
    pub fn full_state(&self) -> Vec<u64> {
        self.assert_not_ahead();
        let mut state = Vec::new();
        for space in 0..self.memory.n_spaces() {
            for (address, object) in self.memory.objects_in(space) {
                state.extend([address, u64::from(object.size), object.mode as u64, object.kind as u64]);
                state.extend(self.memory.view(address, u64::from(object.size)).iter().map(|&byte| u64::from(byte)));
            }
        }
        for (number, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.core.park != Park::Unborn) {
            let Core { park, result, detached, joined, ending, atomic, copying, cleanup, .. } = thread.core;
            let cancel = (thread.core.cancel_enabled, thread.core.cancel_pending);
            // A thread that has ended leaves its result to who joins it.
            let more = (result, detached, joined, ending, atomic, copying, cleanup, cancel);
            let text = format!("{number} {park:?} {more:?} {:?}", thread.frames);
            state.push(text.len() as u64);
            state.extend(text.bytes().map(u64::from));
            state.extend(&thread.registers);
        }
        state
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

    /// The state as a list of parts, for searches that compare states in full: objects, threads, files. What a thread in a loop has seen since its last
    /// effect is a part, since it decides whether the thread waits. None where that is not all: where rounds of waiting loops are left out. The order of
    /// events, clocks and output do not count.
    pub fn tell_state(&self, part: &mut dyn FnMut(&[u8])) -> bool {
        self.assert_not_ahead();
        let alive = || self.threads.iter().enumerate().filter(|(_, thread)| thread.core.park != Park::Unborn);
        let leaves_rounds_out = self.settings.awaits || self.settings.net_effect;
        if leaves_rounds_out && alive().any(|(_, thread)| thread.core.visits != 0 || thread.core.n_watching != 0) {
            return false;
        }
        let mut bytes = Bytes::default();
        for space in 0..self.memory.n_spaces() {
            for (address, object) in self.memory.objects_in(space) {
                (address, object.size, object.mode, object.kind).hash(&mut bytes);
                bytes.write(self.memory.view(address, u64::from(object.size)));
                part(&bytes.0);
                bytes.0.clear();
            }
        }
        for (number, thread) in alive() {
            let core = Core { clock: ClockId::default(), time: 0, ..thread.core };
            let core = Core { fence_release: core.clock, fence_acquire: core.clock, changes: 0, ..core };
            let core = Core { may_err_in: 0, erred_in: 0, visits: 0, watching: 0, ..core };
            (number, core, &thread.frames, &thread.registers).hash(&mut bytes);
            self.each_word_of_visits(ThreadId(number as u32), |word| word.hash(&mut bytes));
            part(&bytes.0);
            bytes.0.clear();
        }
        part(format!("{:?}", self.files.state()).as_bytes());
        true
    }
}

/// Keeps what is written to it.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn finish(&self) -> u64 {
        unreachable!("the bytes themselves are wanted")
    }
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}
