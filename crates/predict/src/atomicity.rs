//! Violated regions: another thread comes between two accesses of a region, in causal order.
//!
//! *Causal atomicity* (CA, Farzan and Madhusudan 2006): accesses e1 and e2 of a region and an event e of another thread, e1 before e before e2 in
//! causal order. Usually e is in conflict with both, or two accesses of one other thread are, each with one of them; but the way from e1 to
//! e2 may lead through several threads, and by creation, join and signals (see [`crate::chains`]). Lemma: no equivalent order has the region in one piece, because equivalent orders keep causal
//! order. *Causal mutual atomicity* (CMA): regions A and B of two threads, and
//! conflicting pairs (a1, b1) and (a2, b2) with a1 before b1 and b2 before a2: then A comes neither before B nor after it.

use crate::causal;
use crate::line::Atom;
use crate::observe::Observed;
use crate::regions::Region;
use crate::reorder::{Reorderer, Reordering};
use crate::run::{Op, Run};
use gordian_base::FxHashMap;
use gordian_trace::{Event, Finding, Place};
use gordian_vm::Machine;

/// A way in which a region can be violated: `first` before `enters`, `leaves` before `last`, and from the one to the other by `links`, pairs of
/// events of two other threads, each in its order: conflicting accesses, creation, join, or a signal and the end of the wait that it ends.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    pub first: u32,
    pub enters: u32,
    pub links: Vec<(u32, u32)>,
    pub leaves: u32,
    pub last: u32,
    /// Signals on the way, and whom they wake.
    pub wakes: Vec<Wake>,
}

/// A signal or broadcast that ends a wait: events of the run, which need not have it so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Wake {
    pub wait: u32,
    pub signal: u32,
    pub woken: u32,
}

/// Patterns of one region with the same interrupting places.
pub struct Violation {
    pub region: usize,
    /// Found by mutual atomicity alone.
    pub is_mutual: bool,
    /// Of mutual atomicity: the other region.
    pub other: Option<usize>,
    pub patterns: Vec<Pattern>,
    /// There are more patterns than are asked about.
    pub is_cut: bool,
}

pub fn conflicts(run: &Run, a: u32, b: u32) -> bool {
    let (a, b) = (&run.events[a as usize], &run.events[b as usize]);
    match (a.op.access(), b.op.access()) {
        (Some((first, writes)), Some((second, also))) => {
            a.thread != b.thread && (writes || also) && first.overlaps(second)
        }
        _ => false,
    }
}

/// Whether the run itself has the pattern of mutual atomicity.
pub fn is_in_run(run: &Run, pattern: &Pattern) -> bool {
    let Pattern { first, enters, leaves, last, .. } = *pattern;
    run.instant(first) < run.instant(enters) && run.instant(leaves) < run.instant(last)
}

impl Pattern {
    /// Events that come one before the other.
    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let ends = [(self.first, self.enters), (self.leaves, self.last)];
        let wakes = self.wakes.iter().flat_map(|wake| [(wake.wait, wake.signal), (wake.signal, wake.woken)]);
        ends.into_iter().chain(self.links.iter().copied()).chain(wakes)
    }
}

/// The atom that a reordering has the pattern. Its signals come while those wait whom they are to wake; whether they can wake them is for
/// [`crate::wakes`] to say.
pub fn atom(reorderer: &mut Reorderer<'_>, pattern: &Pattern) -> Atom {
    let run = reorderer.run;
    if run.sources.is_some() {
        return atom_without_values(reorderer, pattern);
    }
    let mut atoms =
        vec![reorderer.line.within(run.instant(pattern.last)), reorderer.line.within(run.instant(pattern.enters))];
    for (before, after) in pattern.pairs() {
        atoms.push(reorderer.line.before(run.instant(before), run.instant(after)));
    }
    reorderer.line.all(&atoms)
}

/// As [`atom`], where reads take their write of the run except the last event of a thread. Nothing of the region's thread has to come after `last`, so it is
/// the next of its thread; and `leaves` was made with its write of the run, or is the next of its thread, too, and is made right before `last`.
fn atom_without_values(reorderer: &mut Reorderer<'_>, pattern: &Pattern) -> Atom {
    let run = reorderer.run;
    let [first, enters, leaves, last] =
        [pattern.first, pattern.enters, pattern.leaves, pattern.last].map(|event| run.instant(event));
    let mut common = vec![reorderer.is_next(last), reorderer.line.within(first)];
    if enters != leaves {
        common.extend([reorderer.line.within(enters), reorderer.line.before(first, enters)]);
    }
    let made = [reorderer.line.within(leaves), reorderer.line.before(first, enters)];
    let (made, is_next) = (reorderer.line.all(&made), reorderer.is_next(leaves));
    let either = reorderer.line.fresh();
    reorderer.line.add_when(either, &[made, is_next]);
    common.push(either);
    reorderer.line.all(&common)
}

/// The first pattern that a reordering has.
pub fn shown_by<'a>(run: &Run, reordering: &Reordering, patterns: &'a [Pattern]) -> Option<&'a Pattern> {
    let thread = |event: u32| run.events[event as usize].thread;
    let is_made = |wake: &Wake| reordering.wakes.contains(&(wake.signal, thread(wake.woken)));
    ordered_as_in(run, &reordering.instants, patterns).find(|pattern| pattern.wakes.iter().all(is_made))
}

/// The patterns that a line has, whomever signals wake.
pub fn ordered_as_in<'a>(run: &Run, instants: &[u32], patterns: &'a [Pattern]) -> impl Iterator<Item = &'a Pattern> {
    let position: FxHashMap<u32, usize> = instants.iter().copied().zip(0..).collect();
    let end = instants.len();
    patterns.iter().filter(move |pattern| {
        let is_next = |instant: u32| {
            let enabled_by = run.instants[instant as usize].enabled_by;
            run.sources.is_some() && enabled_by.is_none_or(|before| position.contains_key(&before))
        };
        let at = |event: u32| {
            let instant = run.instant(event);
            let at_end = || is_next(instant).then_some(end + usize::from(event == pattern.last));
            position.get(&instant).copied().or_else(at_end)
        };
        let is_before = |(a, b): (u32, u32)| at(a).zip(at(b)).is_some_and(|(a, b)| a < b);
        pattern.pairs().all(is_before)
    })
}

/// Events of a pattern, each once, in the order in which a finding names them: the region's, then those that interrupt.
pub fn events(pattern: &Pattern) -> Vec<u32> {
    let mut events = vec![pattern.first, pattern.last, pattern.enters];
    let signals = pattern.wakes.iter().map(|wake| wake.signal);
    for event in signals.chain(pattern.links.iter().flat_map(|&(from, to)| [from, to])).chain([pattern.leaves]) {
        if !events.contains(&event) {
            events.push(event);
        }
    }
    events
}

/// Whether an execution shows a violated region, by the causal order of its own events. The places of the finding are those of
/// [`events`].
pub fn shows(machine: &Machine<'_>, finding: &Finding) -> bool {
    let [first, last, enters, rest @ ..] = &finding.places[..] else { return false };
    let leaves = rest.last().unwrap_or(enters);
    let at = |event: &Event, place: &Place| {
        let here = machine.place(event.thread, event.at, String::new());
        let reads = event.kind.reads_memory() && place.what.starts_with("reads");
        let writes = !event.kind.reads_only() && place.what.starts_with("writes");
        event.kind.is_access()
            && (reads || writes)
            && event.thread.0 == place.thread.number
            && (here.line, here.column) == (place.line, place.column)
            && here.function == place.function
    };
    let of = |place: &Place| -> Vec<usize> {
        let events = machine.events().iter().enumerate();
        events.filter(|(_, event)| at(event, place)).map(|(nth, _)| nth).collect()
    };
    let in_conflict = |a: usize, b: usize| {
        let (a, b) = (&machine.events()[a], &machine.events()[b]);
        let overlap = a.address < b.address.saturating_add(u64::from(b.size))
            && b.address < a.address.saturating_add(u64::from(a.size));
        overlap && a.thread != b.thread && !(a.kind.reads_only() && b.kind.reads_only())
    };
    let (firsts, lasts, entering, leaving) = (of(first), of(last), of(enters), of(leaves));
    lasts.iter().any(|&last| {
        // The same turn of a loop: the nearest begin before the end.
        let Some(&first) = firsts.iter().rev().find(|&&first| first < last) else { return false };
        let is_interrupted = causal::is_interrupted(machine.events()[first..=last].iter().map(causal::of_machine));
        let enters = entering.iter().any(|&enters| first < enters && in_conflict(first, enters));
        let is_mutual = enters && leaving.iter().any(|&leaves| leaves < last && in_conflict(leaves, last));
        is_interrupted || is_mutual
    })
}

/// Whether the run itself violates the region.
pub fn is_violated_by_run(run: &Run, region: &Region) -> bool {
    region.instances.iter().any(|instance| match (instance.accesses.first(), instance.accesses.last()) {
        (Some(&first), Some(&last)) => causal::run_interrupts(run, first, last),
        _ => false,
    })
}

/// Whether the run itself has neither of two regions first.
pub fn is_mutual_in_run(run: &Run, violation: &Violation) -> bool {
    violation.is_mutual && violation.patterns.iter().any(|pattern| is_in_run(run, pattern))
}

/// Where an event of the run stands, and what it does there.
pub fn place(machine: &Machine<'_>, observed: &Observed, event: u32) -> Place {
    let event = &observed.run.events[event as usize];
    let what = match event.op {
        Op::Read(span) => format!("reads {}", machine.name_of(span.address)),
        Op::Write(span) => format!("writes {}", machine.name_of(span.address)),
        Op::Signal(cond) | Op::Broadcast(cond) => format!("signals {}", machine.name_of(cond)),
        Op::Woken { cond, .. } => format!("is woken from {}", machine.name_of(cond)),
        Op::Fork(_) => "creates a thread".to_owned(),
        Op::Join(_) => "joins a thread".to_owned(),
        // Else it is there as the last of a thread that is joined, or the first of one that is created.
        Op::End => "ends".to_owned(),
        _ => "begins".to_owned(),
    };
    machine.place(gordian_base::ThreadId(event.thread), observed.places[event.place as usize], what)
}
