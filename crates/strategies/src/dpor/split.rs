//! A search split into several that have nothing to do with each other, for workers who need not speak to each other then.
//!
//! **The split.** Take two steps that every execution has, each the so-manieth of its thread, and which depend on each other in every
//! execution. In one half of the search the second waits for the first, in the other the first for the second. A step that has to
//! wait for another is nothing new (see `symmetry.rs`), so each half is explored as any program is: one execution for each of
//! its traces. With several such pairs there are so many halves of halves.
//!
//! **Why nothing is lost and nothing comes twice.** A trace that has both steps of a pair, dependent, has them in one of the two orders, so it
//! belongs to one half. A trace that lacks a step, or in which they do not depend on each other, is a trace of at least one half as well,
//! and there it is seen: the split was none, and the search is made in one piece. So it is looked for in every execution.
//!
//! An execution in which all who could go on wait for each other by such orders belongs to another half, and does not count.

use super::Dpor;
use super::footprint::{Class, Footprint};
use super::history::{History, Second, Step};
use super::symmetry::{Tie, name};
use gordian_base::{Id, ThreadId};
use gordian_engine::{End, Ended};
use serde::{Deserialize, Serialize};

/// A step: the so-manieth of its thread, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Nth {
    thread: ThreadId,
    time: u32,
}

impl Nth {
    fn of(step: &Step) -> Nth {
        Nth { thread: step.choice.thread, time: step.time }
    }

    fn name(self) -> u64 {
        name(self.thread, self.time as usize)
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
    pub edges: Vec<Edge>,
}

impl Split {
    /// Whether the thread has to wait with its next step.
    fn holds_back(&self, history: &History, thread: ThreadId) -> bool {
        let next = Nth { thread, time: history.n_made(thread) + 1 };
        let waits = |edge: &&Edge| edge.second == next && history.n_made(edge.first.thread) < edge.first.time;
        self.edges.iter().any(|edge| waits(&edge))
    }

    /// What orders the next step of a thread.
    fn tie(&self, history: &History, thread: ThreadId) -> Tie {
        let next = Nth { thread, time: history.n_made(thread) + 1 };
        let is_awaited = self.edges.iter().any(|edge| edge.first == next);
        let waited_for = self.edges.iter().filter(|edge| edge.second == next).map(|edge| edge.first);
        let after = waited_for.filter_map(|first| Some((first.name(), first.find(history)?))).collect();
        Tie { name: is_awaited.then(|| next.name()), after }
    }

    /// Whether the execution has both steps of every pair, and they depend on each other.
    fn is_kept(&self, history: &History) -> bool {
        self.edges.iter().all(|edge| are_dependent(history, *edge))
    }

    /// Whether the orders go in a circle with those of the threads' own steps.
    fn is_circular(&self) -> bool {
        // Behind which steps each waited-for step comes at the latest, until nothing changes.
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

/// Whether an execution has both steps, and they touch the same in conflicting modes.
fn are_dependent(history: &History, edge: Edge) -> bool {
    let footprint = |nth: Nth| Some(history.footprints.get(history.steps[nth.find(history)? as usize].label.footprint));
    let (Some(a), Some(b)) = (footprint(edge.first), footprint(edge.second)) else { return false };
    touch_the_same(a, b)
}

fn touch_the_same(a: &Footprint, b: &Footprint) -> bool {
    let real = |footprint: &Footprint| {
        let accesses = footprint.accesses.clone();
        accesses.into_iter().filter(|access| access.location.class != Class::Tie)
    };
    real(a).any(|access| real(b).any(|other| access.conflicts(&other)))
}

/// Whether a step does no more than touch something.
fn is_plain(history: &History, step: &Step) -> bool {
    let Footprint { effects, ends_process, unknown, is_guess, .. } = history.footprints.get(step.label.footprint);
    effects.is_empty() && !ends_process && !unknown && !is_guess && !step.is_section && !step.decides
}

/// Pairs to split by: at most 2 to this power parts.
const MOST_PAIRS: usize = 6;

/// Pairs that are looked at.
const MOST_SURVEYED: usize = 200;

/// Executions that are looked at: all of the first, then every so-manieth.
const SURVEYED_FIRST: u32 = 50;
const SURVEYED_THEN: u32 = 20;
const LAST_SURVEYED: u32 = 1_000;

/// What a search shows in its first executions of how it could be split.
#[derive(Default)]
pub struct Survey {
    /// Pairs that raced, and that were there and dependent in all executions.
    pairs: Vec<Edge>,
    /// Steps of each thread in the longest execution.
    n_steps: Vec<u32>,
    is_refused: bool,
    n_executions: u32,
}

impl Survey {
    /// Takes in an execution, before it is gone back. Whether to look at more.
    fn look(&mut self, history: &History, ended: &Ended<'_>) -> bool {
        self.n_executions += 1;
        if self.n_executions <= SURVEYED_FIRST || self.n_executions.is_multiple_of(SURVEYED_THEN) {
            self.look_closely(history, ended);
        }
        !self.is_refused && self.n_executions < LAST_SURVEYED
    }

    fn look_closely(&mut self, history: &History, ended: &Ended<'_>) {
        let is_harmless = |step: &Step| !step.is_section && !step.decides;
        let is_ordinary = matches!(ended.end, Some(End::Exit(_))) && !ended.has_findings();
        self.is_refused |= !is_ordinary || !history.steps.iter().all(is_harmless);
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

    /// The parts of a split; none if it cannot be split.
    pub fn split(&self) -> Vec<Split> {
        let mut chosen: Vec<Edge> = Vec::new();
        let mut left: Vec<Edge> = if self.is_refused { Vec::new() } else { self.pairs.clone() };
        while chosen.len() < MOST_PAIRS {
            // Steps that come as far into their threads part a search most evenly.
            let cost = |pair: &Edge| {
                let apart = (self.place(pair.first) - self.place(pair.second)).abs();
                apart + chosen.iter().map(|&other| self.likeness(*pair, other)).sum::<f64>()
            };
            let best = (0..left.len()).min_by(|&a, &b| cost(&left[a]).total_cmp(&cost(&left[b])));
            let Some(best) = best else { break };
            chosen.push(left.remove(best));
        }
        if chosen.is_empty() {
            return Vec::new();
        }
        let turned = |parts: usize| {
            let edges = chosen.iter().enumerate();
            edges.map(move |(n, edge)| if parts >> n & 1 == 0 { *edge } else { edge.turned() }).collect()
        };
        let all = (0..1 << chosen.len()).map(|parts| Split { edges: turned(parts) });
        all.filter(|split| !split.is_circular()).collect()
    }
}

impl Dpor {
    /// Explores a part of a search that was split.
    pub(super) fn of_split(split: &Split) -> Dpor {
        Dpor { split: (!split.edges.is_empty()).then(|| Box::new(split.clone())), ..Dpor::default() }
    }

    pub(super) fn is_split(&self) -> bool {
        self.split.is_some()
    }

    /// Whether the execution that ended shows that the search was not split by what it was to be.
    pub(super) fn breaks_split(&mut self, ended: &Ended<'_>) -> bool {
        if ended.end.is_none() {
            return false;
        }
        self.absorb(ended.schedule, ended.events);
        let is_kept = self.split.as_ref().is_some_and(|split| split.is_kept(&self.history));
        !is_kept || !matches!(ended.end, Some(End::Exit(_))) || ended.has_findings()
    }

    /// What orders the next step of a thread with others.
    pub(super) fn tie(&self, thread: ThreadId) -> Tie {
        match (&self.symmetry, &self.split) {
            (Some(symmetry), _) => symmetry.tie(thread),
            (None, Some(split)) => split.tie(&self.history, thread),
            (None, None) => Tie::default(),
        }
    }

    /// Whether a thread has to wait because of the split.
    pub(super) fn is_split_off(&self, thread: ThreadId) -> bool {
        self.split.as_ref().is_some_and(|split| split.holds_back(&self.history, thread))
    }

    /// Looks at the execution that ended for how the search could be split. Whether to look at more.
    pub(super) fn survey(&mut self, survey: &mut Survey, ended: &Ended<'_>) -> bool {
        self.absorb(ended.schedule, ended.events);
        survey.look(&self.history, ended)
    }
}
