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

/// For the spike `commute`: what two orders of independent steps must agree on, by part.
impl Machine<'_> {
    /// Whether what follows is no scheduling point any more.
    pub fn is_alone(&self) -> bool {
        !self.many()
    }

    pub fn state_parts(&self) -> Vec<(&'static str, String)> {
        use std::fmt::Write;
        self.assert_not_ahead();
        let clock = |id| format!("{:?}", self.clocks.get(id));
        let (mut memory, mut written, mut modes) = (String::new(), String::new(), String::new());
        for space in 0..self.memory.n_spaces() {
            for (address, object) in self.memory.objects_in(space) {
                let view = self.memory.view(address, u64::from(object.size));
                let mut hasher = FxHasher::default();
                view.hash(&mut hasher);
                if view.len() <= 16 {
                    writeln!(memory, "{address:#x} {} {:?} {view:?}", object.size, object.kind).unwrap();
                } else {
                    writeln!(memory, "{address:#x} {} {:?} {:#x}", object.size, object.kind, hasher.finish()).unwrap();
                }
                let mut hasher = FxHasher::default();
                self.memory.written_view(address, u64::from(object.size)).hash(&mut hasher);
                writeln!(written, "{address:#x} {:#x}", hasher.finish()).unwrap();
                let published = (object.published as usize).checked_sub(1).map(|n| self.publications[n]);
                let published = published.map(|p| (p.thread, p.time));
                writeln!(modes, "{address:#x} {:?} {} {published:?}", object.mode, object.previous).unwrap();
            }
        }
        let (mut places, mut cores, mut clocks, mut watches) =
            (String::new(), String::new(), String::new(), String::new());
        for (number, thread) in self.threads.iter().enumerate().filter(|(_, thread)| thread.core.park != Park::Unborn) {
            let core = &thread.core;
            let mut hasher = FxHasher::default();
            thread.registers.hash(&mut hasher);
            writeln!(places, "{number} {:?} {:?} {:#x}", core.park, thread.frames, hasher.finish()).unwrap();
            writeln!(
                cores,
                "{number} heap{} stack{} local{} created{} inputs{} detached{} joined{} cancel{}{} ending{:?} atomic{} copying{} result{} err{:#x},{:#x} cleanup{:#x}",
                core.next_heap, core.next_stack, core.newest_local, core.n_created, core.n_inputs, core.detached,
                core.joined, core.cancel_enabled, core.cancel_pending, core.ending, core.atomic, core.copying,
                core.result, core.may_err_in, core.erred_in, core.cleanup
            )
            .unwrap();
            writeln!(
                clocks,
                "{number} t{} {} {} {}",
                core.time,
                clock(core.clock),
                clock(core.fence_release),
                clock(core.fence_acquire)
            )
            .unwrap();
            let from = core.watching as usize;
            let watched =
                if core.n_watching == 0 { &[][..] } else { &self.watches[from..from + core.n_watching as usize] };
            writeln!(watches, "{number} {watched:?}").unwrap();
        }
        let mut inputs: Vec<String> = self.inputs.iter().map(|input| format!("{input:?}")).collect();
        inputs.sort();
        let mut notes = self.notes.clone();
        notes.sort();
        vec![
            ("memory", memory),
            ("written", written),
            ("modes", modes),
            ("places", places),
            ("cores", cores),
            ("clocks", clocks),
            ("watches", watches),
            ("inputs", inputs.join("\n")),
            ("notes", notes.join("\n")),
            ("stdout", String::from_utf8_lossy(&self.stdout).into_owned()),
            ("stderr", String::from_utf8_lossy(&self.stderr).into_owned()),
            ("files", format!("{:?}", self.files.state())),
            ("released", self.released.parts(&self.clocks)),
            ("races", self.races.parts()),
        ]
    }
}
