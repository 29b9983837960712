//! Violated regions: another thread comes between two accesses of a region, in causal order.
//!
//! *Causal atomicity* (CA, Farzan and Madhusudan 2006): accesses e1 and e2 of a region, and e and f of another thread with f not before e, e in
//! conflict with e1 and f with e2, and e1 before e, f before e2. Lemma: no equivalent order has the region in one piece, because
//! equivalent orders keep conflicting accesses and each thread in order. *Causal mutual atomicity* (CMA): regions A and B of two threads, and
//! conflicting pairs (a1, b1) and (a2, b2) with a1 before b1 and b2 before a2: then A comes neither before B nor after it.

use crate::line::Atom;
use crate::observe::Observed;
use crate::regions::{Instance, Region};
use crate::reorder::Reorderer;
use crate::run::Run;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_trace::{Event, Finding, Place};
use gordian_vm::Machine;
use std::collections::BTreeMap;

/// A way in which a region can be violated: `first` before `enters`, `leaves` before `last`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pattern {
    pub first: u32,
    pub enters: u32,
    pub leaves: u32,
    pub last: u32,
}

/// Patterns of one region with the same interrupting places.
pub struct Violation {
    pub region: usize,
    /// Found by mutual atomicity alone.
    pub is_mutual: bool,
    pub patterns: Vec<Pattern>,
}

/// Patterns of one violation that are asked about.
const MOST_PATTERNS: usize = 2_000;

fn conflicts(run: &Run, a: u32, b: u32) -> bool {
    let (a, b) = (&run.events[a as usize], &run.events[b as usize]);
    match (a.op.access(), b.op.access()) {
        (Some((first, writes)), Some((second, also))) => {
            a.thread != b.thread && (writes || also) && first.overlaps(second)
        }
        _ => false,
    }
}

/// Accesses by aligned word, to find those in conflict quickly.
pub struct Accesses {
    by_word: FxHashMap<u64, Vec<u32>>,
}

impl Accesses {
    pub fn new(run: &Run) -> Self {
        let mut by_word: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for (number, event) in (0u32..).zip(&run.events) {
            if let Some((span, _)) = event.op.access() {
                for word in span.address >> 3..(span.end() + 7) >> 3 {
                    by_word.entry(word).or_default().push(number);
                }
            }
        }
        Accesses { by_word }
    }

    fn in_conflict_with(&self, run: &Run, access: u32) -> Vec<u32> {
        let Some((span, _)) = run.events[access as usize].op.access() else { return Vec::new() };
        let words = span.address >> 3..(span.end() + 7) >> 3;
        let mut all: Vec<u32> = words.filter_map(|word| self.by_word.get(&word)).flatten().copied().collect();
        all.retain(|&other| conflicts(run, access, other));
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// All ways to violate regions, those of CA first.
pub fn violations(run: &Run, regions: &[Region], accesses: &Accesses) -> Vec<Violation> {
    let mut found: BTreeMap<(usize, bool, u32, u32), Vec<Pattern>> = BTreeMap::new();
    let mut region_of: FxHashMap<u32, (usize, usize)> = FxHashMap::default();
    for (number, region) in regions.iter().enumerate() {
        for (nth, instance) in region.instances.iter().enumerate() {
            region_of.extend(instance.accesses.iter().map(|&access| (access, (number, nth))));
        }
    }
    for (number, region) in regions.iter().enumerate() {
        for instance in &region.instances {
            let others: Vec<Vec<u32>> =
                instance.accesses.iter().map(|&access| accesses.in_conflict_with(run, access)).collect();
            for_pairs(run, instance, &others, |pattern| {
                let Pattern { enters, leaves, .. } = pattern;
                let place = |event: u32| run.events[event as usize].place;
                let is_mutual = leaves < enters;
                // Mutual atomicity speaks of one region of the other thread.
                if is_mutual && region_of.get(&enters).is_none_or(|region| region_of.get(&leaves) != Some(region)) {
                    return;
                }
                let patterns = found.entry((number, is_mutual, place(enters), place(leaves))).or_default();
                if patterns.len() < MOST_PATTERNS {
                    patterns.push(pattern);
                }
            });
        }
    }
    let mut all: Vec<Violation> = found
        .into_iter()
        .map(|((region, is_mutual, ..), patterns)| Violation { region, is_mutual, patterns })
        .collect();
    all.sort_by_key(|violation| (violation.is_mutual, violation.region));
    all
}

/// Every pattern of an instance. Both interrupting accesses are of one thread.
fn for_pairs(run: &Run, instance: &Instance, others: &[Vec<u32>], mut tell: impl FnMut(Pattern)) {
    for (nth, &first) in instance.accesses.iter().enumerate() {
        for (later, &last) in instance.accesses.iter().enumerate().skip(nth) {
            for &enters in &others[nth] {
                for &leaves in &others[later] {
                    let same = run.events[enters as usize].thread == run.events[leaves as usize].thread;
                    // One and the same access of the region is interrupted by nobody; two of one instant neither.
                    if !same || first == last || run.instant(first) == run.instant(last) {
                        continue;
                    }
                    tell(Pattern { first, enters, leaves, last });
                }
            }
        }
    }
}

/// Whether the run itself has the pattern.
pub fn is_in_run(run: &Run, pattern: &Pattern) -> bool {
    let Pattern { first, enters, leaves, last } = *pattern;
    run.instant(first) < run.instant(enters) && run.instant(leaves) < run.instant(last)
}

/// The atom that a reordering has the pattern.
pub fn atom(reorderer: &mut Reorderer<'_>, pattern: &Pattern) -> Atom {
    let run = reorderer.run;
    let Pattern { first, enters, leaves, last } = *pattern;
    let [first, enters, leaves, last] = [first, enters, leaves, last].map(|event| run.instant(event));
    let atoms = [
        reorderer.line.before(first, enters),
        reorderer.line.before(leaves, last),
        reorderer.line.within(last),
        reorderer.line.within(enters),
    ];
    reorderer.line.all(&atoms)
}

/// The first pattern that a line has.
pub fn shown_by<'a>(run: &Run, instants: &[u32], patterns: &'a [Pattern]) -> Option<&'a Pattern> {
    let position: FxHashMap<u32, usize> = instants.iter().copied().zip(0..).collect();
    let at = |event: u32| position.get(&run.instant(event)).copied();
    patterns.iter().find(|pattern| {
        let [first, enters, leaves, last] = [pattern.first, pattern.enters, pattern.leaves, pattern.last].map(at);
        first.is_some() && last.is_some() && enters.is_some() && first < enters && leaves.is_some() && leaves < last
    })
}

/// Events of a pattern, each once, in the order in which a finding names them: the region's, then those that interrupt.
pub fn events(pattern: &Pattern) -> Vec<u32> {
    let mut events = vec![pattern.first, pattern.last, pattern.enters];
    if pattern.leaves != pattern.enters {
        events.push(pattern.leaves);
    }
    events
}

/// Whether an execution shows a violated region, by the causal order of its own events. The places of the finding are those of
/// [`events`].
pub fn shows(machine: &Machine<'_>, finding: &Finding) -> bool {
    let [first, last, enters, rest @ ..] = &finding.places[..] else { return false };
    let leaves = rest.first().unwrap_or(enters);
    let at = |event: &Event, place: &Place| {
        let here = machine.place(event.thread, event.at, String::new());
        event.kind.is_access()
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
        let overlap = a.address < b.address + u64::from(b.size) && b.address < a.address + u64::from(a.size);
        overlap && a.thread != b.thread && !(a.kind.reads_only() && b.kind.reads_only())
    };
    let (firsts, lasts, entering, leaving) = (of(first), of(last), of(enters), of(leaves));
    lasts.iter().any(|&last| {
        // The same turn of a loop: the nearest begin before the end.
        let Some(&first) = firsts.iter().rev().find(|&&first| first < last) else { return false };
        let enters = entering.iter().any(|&enters| first < enters && in_conflict(first, enters));
        enters && leaving.iter().any(|&leaves| leaves < last && in_conflict(leaves, last))
    })
}

/// Regions that the run itself violates.
pub fn dropped(run: &Run, violations: &[Violation]) -> FxHashSet<usize> {
    let is_dropped = |violation: &&Violation| violation.patterns.iter().any(|pattern| is_in_run(run, pattern));
    violations.iter().filter(is_dropped).map(|violation| violation.region).collect()
}

/// Where an event of the run stands, and what it does there.
pub fn place(machine: &Machine<'_>, observed: &Observed, event: u32) -> Place {
    let Some((span, writes)) = observed.run.events[event as usize].op.access() else { unreachable!("it is an access") };
    let event = &observed.run.events[event as usize];
    let verb = if writes { "writes" } else { "reads" };
    let what = format!("{verb} {}", machine.name_of(span.address));
    machine.place(gordian_base::ThreadId(event.thread), observed.places[event.place as usize], what)
}
