//! The state of the machine part by part, for tests that compare states which different schedules led to.
//!
//! A fingerprint would not do: it holds the schedule and the events. Left out is what depends on the way and on nothing else: where bytes lie, numbers of
//! events and steps, what the journal holds.

use crate::machine::Machine;
use crate::thread::{Park, Thread};
use gordian_base::{ClockId, FxBuildHasher};
use std::hash::BuildHasher;

/// Objects up to this size are shown with their bytes.
const SHOWN: usize = 16;

impl Machine<'_> {
    /// Whether nobody else is left, so that what follows is no scheduling point any more.
    pub fn is_alone(&self) -> bool {
        !self.accesses_are_visible()
    }

    /// The parts of the state by name, each with a line for each thing in it. Wishes are not among them: see [`Machine::wants`].
    pub fn state_parts(&self) -> Vec<(&'static str, String)> {
        self.assert_not_ahead();
        let mut parts = self.parts_of_memory();
        parts.extend(self.parts_of_threads());
        let inputs = self.inputs.iter().map(|input| format!("{input:?}"));
        parts.extend([
            ("inputs", sorted(inputs)),
            ("notes", sorted(self.log.notes.iter().cloned())),
            ("stdout", String::from_utf8_lossy(&self.log.stdout).into_owned()),
            ("stderr", String::from_utf8_lossy(&self.log.stderr).into_owned()),
            ("files", format!("{:?}", self.files.state())),
            ("released", sorted(self.released.parts(&self.clocks))),
            ("races", sorted(self.races.parts())),
        ]);
        parts
    }

    fn parts_of_memory(&self) -> Vec<(&'static str, String)> {
        let (mut memory, mut written, mut modes) = (Vec::new(), Vec::new(), Vec::new());
        for (address, object) in (0..self.memory.n_spaces()).flat_map(|space| self.memory.objects_in(space)) {
            let size = u64::from(object.size);
            let view = self.memory.view(address, size);
            let bytes = if view.len() <= SHOWN { format!("{view:?}") } else { hash(view) };
            memory.push(format!("{address:#x} {size} {:?} {bytes}", object.kind));
            written.push(format!("{address:#x} {}", hash(&self.memory.written_view(address, size))));
            let published = (object.published as usize).checked_sub(1).map(|index| &self.publications[index]);
            let published = published.map(|publication| (publication.thread, publication.time));
            modes.push(format!("{address:#x} {:?} {} {published:?}", object.mode, object.previous));
        }
        vec![("memory", memory.join("\n")), ("written", written.join("\n")), ("modes", modes.join("\n"))]
    }

    fn parts_of_threads(&self) -> Vec<(&'static str, String)> {
        let clock = |id: ClockId| format!("{:?}", self.clocks.get(id));
        let threads = || {
            let born = |(_, thread): &(usize, &Thread)| thread.core.park != Park::Unborn;
            self.threads.iter().enumerate().filter(born)
        };
        let place = |(number, thread): (usize, &Thread)| {
            let park = match thread.core.park {
                Park::Before(_) => "before an operation".to_owned(),
                park => format!("{park:?}"),
            };
            format!("{number} {park} {:?} {}", thread.frames, hash(&thread.registers))
        };
        let core = |(number, thread): (usize, &Thread)| {
            let core = &thread.core;
            let counts = (core.next_heap, core.next_stack, core.newest_local, core.n_created, core.n_inputs);
            let flags = (core.detached, core.joined, core.cancel_enabled, core.cancel_pending, core.halfway);
            let rest =
                (core.ending, core.atomic, core.copying, core.result, core.may_err_in, core.erred_in, core.cleanup);
            format!("{number} counts {counts:?} flags {flags:?} rest {rest:?}")
        };
        let known = |(number, thread): (usize, &Thread)| {
            let core = &thread.core;
            let fences = (clock(core.fence_release), clock(core.fence_acquire));
            format!("{number} at {} {} {fences:?}", core.time, clock(core.clock))
        };
        let watches = |(number, thread): (usize, &Thread)| {
            let (from, n) = (thread.core.watching as usize, usize::from(thread.core.n_watching));
            let watched = if n == 0 { &[][..] } else { &self.waiting.watches[from..from + n] };
            format!("{number} {watched:?}")
        };
        let lines = |lines: Vec<String>| lines.join("\n");
        vec![
            ("places", lines(threads().map(place).collect())),
            ("cores", lines(threads().map(core).collect())),
            ("clocks", lines(threads().map(known).collect())),
            ("watches", lines(threads().map(watches).collect())),
        ]
    }
}

fn hash(of: &(impl std::hash::Hash + ?Sized)) -> String {
    format!("{:#x}", FxBuildHasher.hash_one(of))
}

fn sorted(lines: impl Iterator<Item = String>) -> String {
    let mut lines: Vec<String> = lines.collect();
    lines.sort_unstable();
    lines.join("\n")
}
