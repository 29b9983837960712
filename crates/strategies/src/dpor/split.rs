//! A search split into several that have nothing to do with each other, for workers who need not speak to each other then.
//!
//! **The split.** Take two steps that every execution has, each the n-th step of its thread for some n, and which depend on each other in every
//! execution. In one half of the search the second waits for the first, in the other the first for the second. A step that has to
//! wait for another is nothing new (see `symmetry.rs`), so each half is explored as any program is: one execution for each of
//! its traces. With several such pairs there are so many halves of halves.
//!
//! **Why nothing is lost and nothing comes twice.** A trace that has both steps of a pair, dependent, has them in one of the two orders, so it
//! belongs to one half. A trace that lacks a step, or in which they do not depend on each other, is a trace of at least one half as well
//! (what it lacks is taken to come last), and there it is seen: the split was none, and what came of it is dropped. So every execution is
//! looked at.
//!
//! An execution in which all who could go on wait for each other by such orders belongs to another half, and does not count.

use super::Dpor;
use crate::happens_before::footprint::{Footprint, FootprintId, Footprints};
use crate::happens_before::history::{History, Second, Step};
use crate::happens_before::tie::Tie;
use gordian_base::{Id, ThreadId};
use gordian_engine::{Division, End, Ended, OrderConstraint};
use serde::{Deserialize, Serialize};

/// A step: the n-th of its thread, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Nth {
    thread: ThreadId,
    time: u32,
}

impl Nth {
    fn of(step: &Step) -> Nth {
        Nth { thread: step.choice.thread, time: step.time }
    }

    /// Its place in an execution.
    fn find(self, history: &History) -> Option<u32> {
        let is_it = |step: &Step| step.choice.thread == self.thread && step.time == self.time;
        history.steps.iter().position(is_it).map(|index| index as u32)
    }
}

/// The second step waits for the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Edge {
    first: Nth,
    second: Nth,
}

impl Edge {
    fn turned(self) -> Edge {
        Edge { first: self.second, second: self.first }
    }
}

/// A part of a search that was split: executions that keep these orders.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Split {
    edges: Vec<Edge>,
    /// By these it could be split further, as far as its executions show.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    watched: Vec<Edge>,
}

impl Split {
    fn of(edges: Vec<Edge>) -> Split {
        Split { edges, watched: Vec::new() }
    }

    /// The parts that it has if it is split by these pairs, too.
    pub fn further(&self, pairs: &[Edge]) -> Vec<Split> {
        let part = |turns: usize| Split::of([&self.edges[..], &turned(pairs, turns)].concat());
        (0..1 << pairs.len()).map(part).filter(|split| !split.is_circular()).collect()
    }

    /// Whether the orders go in a circle with those of the threads' own steps.
    fn is_circular(&self) -> bool {
        // By order: those that come behind it, since its second step is on the way to their first.
        let reaches = |from: Nth, to: Nth| from.thread == to.thread && from.time <= to.time;
        let n = self.edges.len();
        let mut later: Vec<Vec<bool>> = vec![vec![false; n]; n];
        for (a, row) in later.iter_mut().enumerate() {
            for (b, is_later) in row.iter_mut().enumerate() {
                *is_later = reaches(self.edges[a].second, self.edges[b].first);
            }
        }
        for via in 0..n {
            for a in 0..n {
                for b in 0..n {
                    later[a][b] |= later[a][via] && later[via][b];
                }
            }
        }
        (0..n).any(|edge| later[edge][edge])
    }
}

/// Keeps an execution to the orders of a split.
pub struct OrderConstraints {
    edges: Vec<Kept>,
    /// Pairs that are only looked at, for so many executions yet.
    watched: Vec<Kept>,
    n_to_watch: u32,
    /// Those with steps of a pair, a bit each. Threads without a bit may all have some.
    threads: u64,
}

struct Kept {
    edge: Edge,
    /// What the steps touched when they were last made.
    touched: [FootprintId; 2],
    /// Footprints like these were found to depend on each other.
    dependent: Option<[FootprintId; 2]>,
}

impl Kept {
    fn new(edge: Edge) -> Kept {
        Kept { edge, touched: [Footprints::UNKNOWN; 2], dependent: None }
    }

    fn observe(&mut self, step: &Step) {
        let nth = Nth::of(step);
        if self.edge.first == nth {
            self.touched[0] = step.label.footprint;
        } else if self.edge.second == nth {
            self.touched[1] = step.label.footprint;
        }
    }

    /// Whether the execution does not have both steps, or they do not depend on each other.
    fn is_broken(&mut self, history: &History) -> bool {
        let touched = self.touched;
        if self.dependent != Some(touched) && touch_the_same(history, touched[0], touched[1]) {
            self.dependent = Some(touched);
        }
        !self.is_made(history) || self.dependent != Some(touched)
    }

    fn is_made(&self, history: &History) -> bool {
        [self.edge.first, self.edge.second].iter().all(|nth| history.n_made(nth.thread) >= nth.time)
    }
}

impl OrderConstraints {
    fn of(split: &Split) -> OrderConstraints {
        let kept = |edges: &[Edge]| edges.iter().copied().map(Kept::new).collect();
        let (edges, watched) = (kept(&split.edges), kept(&split.watched));
        let mut constraints = OrderConstraints { edges, watched, n_to_watch: WATCHED, threads: 0 };
        constraints.threads = constraints.threads();
        constraints
    }

    fn threads(&self) -> u64 {
        let pairs = self.edges.iter().chain(&self.watched).map(|kept| kept.edge);
        let ends = pairs.flat_map(|edge| [edge.first.thread, edge.second.thread]);
        ends.fold(0, |threads, thread| threads | 1u64.checked_shl(thread.0).unwrap_or(0))
    }

    /// Orders because of which a thread has to wait with its next step.
    fn waiting(&self, history: &History) -> impl Iterator<Item = Edge> {
        let waits = |&Edge { first, second }: &Edge| {
            history.n_made(first.thread) < first.time && history.n_made(second.thread) + 1 == second.time
        };
        self.edges.iter().map(|kept| kept.edge).filter(waits)
    }

    /// Whether a step of the thread may be one of a pair.
    #[inline]
    pub(super) fn concerns(&self, thread: ThreadId) -> bool {
        thread.0 >= u64::BITS || self.threads >> thread.0 & 1 != 0
    }

    /// The orders that are to be kept from now on.
    pub(super) fn pending(&self, history: &History) -> impl Iterator<Item = OrderConstraint> {
        self.edges.iter().filter_map(|kept| {
            let Edge { first, second } = kept.edge;
            let until = first.time.checked_sub(history.n_made(first.thread))?;
            let before = second.time.checked_sub(history.n_made(second.thread) + 1)?;
            Some(OrderConstraint { first: first.thread, until, second: second.thread, before })
        })
    }

    /// Tells which steps the next one of a thread has waited for.
    #[inline]
    pub(super) fn say_awaited(&self, history: &mut History, thread: ThreadId) {
        history.awaited.clear();
        let next = Nth { thread, time: history.n_made(thread) + 1 };
        for kept in self.edges.iter().filter(|kept| kept.edge.second == next) {
            let first = kept.edge.first.find(history);
            history.awaited.extend(first);
        }
    }

    /// A step was made.
    #[inline]
    pub(super) fn observe(&mut self, step: &Step) {
        self.edges.iter_mut().chain(&mut self.watched).for_each(|kept| kept.observe(step));
    }

    /// The pairs of which the execution does not have both steps, or in which they do not depend on each other.
    fn broken(&mut self, history: &History) -> Vec<Edge> {
        self.edges.iter_mut().filter_map(|kept| kept.is_broken(history).then_some(kept.edge)).collect()
    }

    /// Such pairs among those that are only looked at; they are not looked at any more.
    fn broken_watched(&mut self, history: &History) -> Vec<Edge> {
        let broken: Vec<Kept> = self.watched.extract_if(.., |kept| kept.is_broken(history)).collect();
        self.n_to_watch -= 1;
        if self.n_to_watch == 0 {
            self.watched.clear();
            self.threads = self.threads();
        }
        broken.into_iter().map(|kept| kept.edge).collect()
    }
}

/// Whether an execution has both steps, and they touch the same in conflicting modes.
fn are_dependent(history: &History, edge: Edge) -> bool {
    let footprint = |nth: Nth| Some(history.steps[nth.find(history)? as usize].label.footprint);
    let (Some(a), Some(b)) = (footprint(edge.first), footprint(edge.second)) else { return false };
    touch_the_same(history, a, b)
}

fn touch_the_same(history: &History, a: FootprintId, b: FootprintId) -> bool {
    let accesses = |footprint| history.footprints.get(footprint).accesses.iter();
    accesses(a).any(|access| accesses(b).any(|other| access.conflicts(other)))
}

/// Whether a step does no more than touch something.
fn is_plain(history: &History, step: &Step) -> bool {
    let Footprint { effects, ends_process, unknown, is_guess, .. } = history.footprints.get(step.label.footprint);
    effects.is_empty() && !ends_process && !unknown && !is_guess && !step.is_section && !step.decides
}

/// Parts for each worker, as a power of 2.
const PARTS: u32 = 1;

/// Where parts are not all of one size the last quarter of them is split further, into so many as a power of 2: with small ones at the
/// end nobody waits for long. Every pair has its price, so most parts are large.
const SMALLER_PARTS: usize = 2;

/// Executions in which pairs are looked at by which parts may be split further.
const WATCHED: u32 = 1_000;

/// Pairs that are looked at.
const MOST_SURVEYED: usize = 200;

/// Executions that are looked at: all of the first, then every n-th.
const SURVEYED_FIRST: u32 = 50;
const SURVEYED_THEN: u32 = 20;
const LAST_SURVEYED: u32 = 500;

/// What a search shows in its first executions of how it could be divided.
#[derive(Default)]
pub struct Survey {
    /// Pairs that raced, and that were there and dependent in all executions.
    pairs: Vec<Edge>,
    /// Steps of each thread in the longest execution.
    n_steps: Vec<u32>,
    is_refused: bool,
    n_executions: u32,
    /// Of them, those of a part of the search, and what was noted in them about states on the way to it.
    n_in_parts: u64,
    n_notes: u64,
}

impl Survey {
    /// Takes in an execution, before it is gone back. Whether to look at more.
    fn look(&mut self, history: &History, ended: &Ended<'_>) -> bool {
        self.n_executions += 1;
        if self.n_executions <= SURVEYED_FIRST || self.n_executions.is_multiple_of(SURVEYED_THEN) {
            self.look_closely(history, ended);
        }
        self.n_executions < LAST_SURVEYED
    }

    fn look_closely(&mut self, history: &History, ended: &Ended<'_>) {
        let is_harmless = |step: &Step| !step.is_section && !step.decides;
        let is_ordinary = matches!(ended.end, Some(End::Exit(_))) && !ended.has_findings();
        self.is_refused = self.is_refused || !is_ordinary || !history.steps.iter().all(is_harmless);
        if self.is_refused {
            return;
        }
        for step in &history.steps {
            let thread = step.choice.thread.index();
            if self.n_steps.len() <= thread {
                self.n_steps.resize(thread + 1, 0);
            }
            self.n_steps[thread] = self.n_steps[thread].max(step.time);
        }
        self.pairs.retain(|&pair| are_dependent(history, pair));
        // Those that come up later were not looked for before: whoever splits by them will see.
        for race in &history.races {
            let Second::Step(second) = race.second else { continue };
            let (a, b) = (&history.steps[race.first as usize], &history.steps[second as usize]);
            let (first, second) = (Nth::of(a), Nth::of(b));
            let pair = Edge { first: first.min(second), second: first.max(second) };
            let has_room = self.pairs.len() < MOST_SURVEYED && !self.pairs.contains(&pair);
            if has_room && is_plain(history, a) && is_plain(history, b) && are_dependent(history, pair) {
                self.pairs.push(pair);
            }
        }
    }

    /// Sharing takes the more the more is said about what others explore.
    pub fn division(&self) -> Division {
        let Survey { n_in_parts, n_notes, .. } = *self;
        // Of the programs that were tried most had a note in a hundred executions at the most, and gained by sharing; the others had one in
        // every execution, and most of them lost.
        if n_notes * 10 <= n_in_parts {
            Division::Shared
        } else if n_notes * 2 <= n_in_parts {
            Division::Split
        } else {
            Division::SplitOrAlone
        }
    }

    /// These pairs are not what they seemed.
    pub fn strike(&mut self, broken: &[Edge]) {
        self.pairs.retain(|pair| !broken.contains(pair) && !broken.contains(&pair.turned()));
        self.is_refused |= broken.is_empty();
    }

    /// How far into its thread a step comes.
    fn place(&self, nth: Nth) -> f64 {
        f64::from(nth.time) / f64::from(self.n_steps[nth.thread.index()].max(1) + 1)
    }

    /// How alike two pairs are: the halves of one are hardly divided by the other then.
    fn likeness(&self, a: Edge, b: Edge) -> f64 {
        let steps = [(a.first, b.first), (a.first, b.second), (a.second, b.first), (a.second, b.second)];
        let alike = |(a, b): (Nth, Nth)| {
            if a.thread == b.thread { 1.0 - (self.place(a) - self.place(b)).abs() } else { 0.0 }
        };
        steps.into_iter().map(alike).sum()
    }

    /// The parts of a split for so many workers, at least two of them, and the pairs by which these can be split further.
    pub fn split(&self, n_workers: usize) -> Option<(Vec<Split>, Vec<Edge>)> {
        let n_large = (n_workers.next_power_of_two().ilog2() + PARTS) as usize;
        let mut chosen: Vec<Edge> = Vec::new();
        let mut left: Vec<Edge> = if self.is_refused { Vec::new() } else { self.pairs.clone() };
        while chosen.len() < n_large + SMALLER_PARTS {
            // Steps that come as far into their threads part a search most evenly. Those of later threads do so at the least cost: what
            // is turned early on moves everything behind it.
            let cost = |pair: &Edge| {
                let Edge { first, second } = *pair;
                let apart = (self.place(first) - self.place(second)).abs();
                let late = f64::from(first.thread.0.min(second.thread.0)) / self.n_steps.len() as f64;
                apart - late + chosen.iter().map(|&other| self.likeness(*pair, other)).sum::<f64>()
            };
            let best = (0..left.len()).min_by(|&a, &b| cost(&left[a]).total_cmp(&cost(&left[b])));
            let Some(best) = best else { break };
            chosen.push(left.remove(best));
        }
        let (large, smaller) = chosen.split_at(n_large.min(chosen.len()));
        let mut parts = Split::default().further(large);
        if parts.len() < 2 {
            return None;
        }
        // If some are not what they seemed, that shows soon.
        parts[0].watched = smaller.to_vec();
        Some((parts, smaller.to_vec()))
    }
}

/// The pairs, each turned if its bit says so.
fn turned(pairs: &[Edge], turns: usize) -> Vec<Edge> {
    let nth = |(n, pair): (usize, &Edge)| if turns >> n & 1 == 0 { *pair } else { pair.turned() };
    pairs.iter().enumerate().map(nth).collect()
}

impl Dpor {
    /// Explores a part of a search that was split.
    pub(super) fn of_split(split: &Split) -> Dpor {
        Dpor {
            constraints: (!split.edges.is_empty()).then(|| Box::new(OrderConstraints::of(split))),
            ..Dpor::default()
        }
    }

    pub(super) fn is_split(&self) -> bool {
        self.constraints.is_some()
    }

    /// Pairs by which the search cannot be split further, as the execution that ended shows.
    #[inline]
    pub(super) fn objection_to_further_split(&mut self) -> Vec<Edge> {
        match &mut self.constraints {
            Some(constraints) if !self.is_split_off && !constraints.watched.is_empty() => {
                constraints.broken_watched(&self.history)
            }
            _ => Vec::new(),
        }
    }

    /// If the execution that ended shows that the search cannot be split as it was: by which pairs it cannot, or none if it cannot be
    /// split at all.
    pub(super) fn objection_to_split(&mut self, ended: &Ended<'_>) -> Option<Vec<Edge>> {
        match ended.end {
            None if self.is_split_off => return None,
            Some(End::Exit(_)) if !ended.has_findings() => {}
            // Redundant, which one worker might not have begun, or a finding, of which one worker might have shown another execution.
            _ => return Some(Vec::new()),
        }
        self.record_steps(ended.schedule, ended.events, ended.passed);
        let broken = self.constraints.as_mut()?.broken(&self.history);
        (!broken.is_empty()).then_some(broken)
    }

    /// Gets the history ready for the next step of a thread, and tells what ties that to others.
    #[inline]
    pub(super) fn tie_next(&mut self, thread: ThreadId) -> Tie {
        if let Some(constraints) = &self.constraints {
            constraints.say_awaited(&mut self.history, thread);
        }
        self.tie(thread)
    }

    /// Threads that have to wait because of the split.
    pub(super) fn held_back(&self) -> impl Iterator<Item = ThreadId> {
        self.constraints
            .iter()
            .flat_map(|constraints| constraints.waiting(&self.history))
            .map(|edge| edge.second.thread)
    }

    /// Looks at the execution that ended for how the search could be divided. Whether to look at more.
    pub(super) fn survey(&mut self, survey: &mut Survey, ended: &Ended<'_>) -> bool {
        self.record_end(ended);
        survey.n_in_parts += u64::from(self.prefix.len > 0);
        survey.n_notes = self.prefix.n_noted;
        survey.look(&self.history, ended)
    }
}
