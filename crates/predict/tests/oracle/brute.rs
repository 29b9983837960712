//! All reorderings of a run, one schedule after the other.
//!
//! A thread is *within the run* while its events are a prefix of those that it made in the run, each of the same kind at the same instruction with the
//! same address. Its last event may differ in address or outcome, and what decides about its next event may: then it makes no
//! further step. Findings of states in which a thread has done more than that do not count.

use crate::{Key, Keys};
use gordian_base::{Id, ThreadId};
use gordian_ir::Program;
use gordian_trace::{CodePoint, Event, FindingKind, OpKind, Test};
use gordian_vm::Machine;
use std::collections::BTreeSet;

/// Schedules that are tried before the case is left alone.
const MOST_STATES: usize = 150_000;

type Done = (OpKind, CodePoint, u64);

/// Events by thread; without those that say nothing of what the thread itself does.
fn by_thread(events: &[Event]) -> Vec<Vec<Done>> {
    let mut threads: Vec<Vec<Done>> = Vec::new();
    for event in events {
        let kind = match event.kind {
            OpKind::Wake | OpKind::Watch | OpKind::BarrierLeave | OpKind::Look | OpKind::Change => continue,
            OpKind::RmwSame => OpKind::Rmw,
            kind => kind,
        };
        if threads.len() <= event.thread.index() {
            threads.resize_with(event.thread.index() + 1, Vec::new);
        }
        threads[event.thread.index()].push((kind, event.at, event.address));
    }
    threads
}

struct Search<'p, 'a> {
    machine: &'a mut Machine<'p>,
    run: Vec<Vec<Done>>,
    found: Keys,
    n_states: usize,
    regions: &'a [Lines],
    violated: Vec<bool>,
}

/// A region: a function that one thread runs once, and lines in it.
pub struct Lines {
    pub function: String,
    pub first: u32,
    pub last: u32,
}

/// Which regions some reordering violates, in causal order; nothing if there are too many.
pub fn violated(program: &Program, test: &Test, regions: &[Lines]) -> Option<Vec<bool>> {
    search(program, test, regions).map(|(_, violated)| violated)
}

/// How a thread stands to the run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Within,
    /// It has made its last step.
    Last,
    /// It did more than a reordering has.
    Outside,
}

/// What reorderings of the run show; nothing if there are too many.
pub fn findings(program: &Program, test: &Test) -> Option<Keys> {
    search(program, test, &[]).map(|(found, _)| found)
}

fn search(program: &Program, test: &Test, regions: &[Lines]) -> Option<(Keys, Vec<bool>)> {
    let fixed = Test { schedule: Default::default(), ..test.clone() };
    let mut machine = Machine::new(program, &fixed).expect("it starts");
    for &choice in &test.schedule.0 {
        machine.step(choice);
    }
    gordian_engine::finish(&mut machine);
    let run = by_thread(machine.events());
    let mut machine = Machine::new(program, &fixed).expect("it starts");
    let violated = vec![false; regions.len()];
    let mut search = Search { machine: &mut machine, run, found: BTreeSet::new(), n_states: 0, regions, violated };
    search.visit();
    (search.n_states < MOST_STATES).then_some((search.found, search.violated))
}

impl Search<'_, '_> {
    fn standings(&self) -> Vec<Standing> {
        let done = by_thread(self.machine.events());
        let n = self.machine.thread_numbers();
        (0..n).map(|thread| self.standing(thread, done.get(thread).map_or(&[], |done| &done[..]))).collect()
    }

    fn standing(&self, thread: usize, done: &[Done]) -> Standing {
        let run = self.run.get(thread).map_or(&[][..], |run| &run[..]);
        if let Some(at) = (0..done.len()).find(|&at| run.get(at) != Some(&done[at])) {
            // The same instruction with another address or outcome, and nothing after it.
            let is_same = run.get(at).is_some_and(|other| other.1 == done[at].1);
            return if is_same && at + 1 == done.len() { Standing::Last } else { Standing::Outside };
        }
        let wants = self.machine.wants(ThreadId(thread as u32));
        match (wants, run.get(done.len())) {
            (Some(wants), Some(next)) if wants.kind == OpKind::Join || wants.at == next.1 => Standing::Within,
            // It is over, or waits for what happens of itself.
            (None, _) => Standing::Within,
            _ => Standing::Last,
        }
    }

    fn visit(&mut self) {
        self.n_states += 1;
        let standings = self.standings();
        if self.n_states >= MOST_STATES || standings.contains(&Standing::Outside) {
            return;
        }
        let is_plain = !standings.contains(&Standing::Last);
        for raw in self.machine.findings() {
            let key = raw.finding.key();
            let blocked = [FindingKind::Deadlock, FindingKind::LostSignal, FindingKind::Livelock].contains(&key.0);
            // Accesses that race without being neighbours are looked for by nobody, and a thread elsewhere may block there.
            if key.0 != FindingKind::DataRace && (is_plain || !blocked) {
                self.found.insert(key);
            }
        }
        if self.machine.end().is_some() {
            self.look_at_regions();
            return;
        }
        self.look_for_races(&standings);
        let mut is_last = true;
        for choice in self.machine.choices().to_vec() {
            if standings[choice.thread.index()] == Standing::Within {
                is_last = false;
                let mark = self.machine.mark();
                self.machine.step(choice);
                self.visit();
                self.machine.undo_to(mark);
            }
        }
        if is_last {
            self.look_at_regions();
        }
    }

    /// Events that the run has, too, in their order.
    fn common_events(&self) -> Vec<Event> {
        let mut counts = vec![0; self.run.len()];
        let mut common = Vec::new();
        for event in self.machine.events() {
            let done = by_thread(std::slice::from_ref(event)).pop().and_then(|mut done| done.pop());
            let thread = event.thread.index();
            let is_common =
                done.is_none_or(|done| self.run.get(thread).and_then(|run| run.get(counts[thread])) == Some(&done));
            if is_common {
                counts[thread] += usize::from(done.is_some());
                common.push(*event);
            } else {
                // Nothing of the thread after it is common either.
                counts[thread] = usize::MAX / 2;
            }
        }
        common
    }

    /// Causal order pair by pair, closed under transitivity, and whether anything of another thread lies within a region.
    fn look_at_regions(&mut self) {
        if self.violated.iter().all(|&violated| violated) {
            return;
        }
        let events = self.common_events();
        let n = events.len();
        let overlap = |a: &Event, b: &Event| {
            a.address < b.address + u64::from(b.size) && b.address < a.address + u64::from(a.size)
        };
        let mut before = vec![vec![false; n]; n];
        for b in 0..n {
            for a in (0..b).rev() {
                let (first, second) = (&events[a], &events[b]);
                let conflict = first.kind.is_access() && second.kind.is_access() && overlap(first, second);
                let writes = !first.kind.reads_only() || !second.kind.reads_only();
                let creates = first.kind == OpKind::Create && first.address == u64::from(second.thread.0);
                let joins = second.kind == OpKind::Join && second.address == u64::from(first.thread.0);
                let wakes = first.kind == OpKind::Wake && first.address == u64::from(second.thread.0);
                if first.thread == second.thread || conflict && writes || creates || joins || wakes {
                    let through: Vec<usize> = (0..a).filter(|&at| before[at][a]).collect();
                    before[a][b] = true;
                    through.into_iter().for_each(|at| before[at][b] = true);
                }
            }
        }
        for (nth, region) in self.regions.iter().enumerate() {
            let is_within = |event: &Event| {
                let place = self.machine.place(event.thread, event.at, String::new());
                event.kind.is_access()
                    && place.function == region.function
                    && (region.first..=region.last).contains(&place.line)
            };
            let within: Vec<usize> = (0..n).filter(|&at| is_within(&events[at])).collect();
            let (Some(&first), Some(&last)) = (within.first(), within.last()) else { continue };
            let thread = events[first].thread;
            let between = |at: usize| events[at].thread != thread && before[first][at] && before[at][last];
            self.violated[nth] |= (first..last).any(between);
        }
    }

    /// Two threads that are about to make conflicting accesses.
    fn look_for_races(&mut self, standings: &[Standing]) {
        let can = |&thread: &ThreadId| standings[thread.index()] == Standing::Within;
        let next: Vec<ThreadId> = self.machine.choices().iter().map(|choice| choice.thread).filter(can).collect();
        for (nth, &a) in next.iter().enumerate() {
            for &b in &next[nth + 1..] {
                let (Some(first), Some(second)) = (self.machine.wants(a), self.machine.wants(b)) else { continue };
                let is_atomic = |kind: OpKind| kind.is_access() && !matches!(kind, OpKind::Read | OpKind::Write);
                let accesses = first.kind.is_access() && second.kind.is_access();
                let overlap = first.address < second.address + u64::from(second.size)
                    && second.address < first.address + u64::from(first.size);
                let both_atomic = is_atomic(first.kind) && is_atomic(second.kind);
                let writes = !first.kind.reads_only() || !second.kind.reads_only();
                if a != b && accesses && overlap && writes && !both_atomic {
                    let place = |thread, at| self.machine.place(thread, at, String::new());
                    let places = [place(a, first.at), place(b, second.at)];
                    let mut places = places.map(|place| (place.file, place.line, place.column)).to_vec();
                    places.sort();
                    places.dedup();
                    let key: Key = (FindingKind::DataRace, places);
                    self.found.insert(key);
                }
            }
        }
    }
}
