//! Stage II: what of a run has to be ordered at all, and where context switches are needed.
//!
//! A *context switch* is an ordered pair: a transition, and one of another thread that comes next in a line. Each step leaves fewer:
//!
//! 1. *Local variables*: bytes and locks that one thread alone uses. Transitions that touch nothing else are local.
//! 2. *Merging*: a local transition belongs to the one before it in its thread.
//! 3. *Locks and must-happen-before*: a switch is impossible if the second transition needs a lock that the first thread holds, or if one of them
//!    certainly comes at another time.
//! 4. *Mutually atomic transactions* (Ganai and Kundu, SPIN 2009). Two sequences of two threads with one conflicting pair, at their ends, need a switch
//!    only there. Here they come from a normal form: of all equivalent lines take the first in the order of words whose letters
//!    are compared by thread.
//!
//! Lines are maximal: they go on until nobody can, at the end of all threads or in a deadlock. A set of switches is *adequate* if every class of equivalent lines has
//! one with these switches alone, and *minimal* if without any one of them it is not. Locks, creation and join say which lines there are; other
//! synchronisation counts as dependence.
//!
//! - [`ends`] gives an adequate set from pairs of transitions alone, for runs of any length.
//! - [`normal_form`] walks through all least lines, as far as they have few states: the switches that they use are adequate, too, and of two threads minimal.
//! - [`minimal`] drops one switch after the other while every class, of which there must be few, still has a line.
//!
//! An *independent transaction* is a sequence of a thread's transitions with no switch inside. Every class has a line in which it is in one piece, so a region within one
//! is proved.

mod count;
mod ends;
mod minimal;
mod normal_form;
mod touch;

use crate::chain_clocks::ChainClocks;
use crate::run::{Held, Op, Run};
use gordian_base::FxHashMap;
use gordian_trace::{SimplificationSummary, SwitchSet};
pub use touch::local_events;
use touch::{Thing, Touch, touched};

/// Which steps are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub local_variables: bool,
    pub merging: bool,
    pub locks: bool,
    pub transactions: bool,
}

impl Default for Steps {
    fn default() -> Self {
        Steps { local_variables: true, merging: true, locks: true, transactions: true }
    }
}

/// A sequence of a thread's events that nobody comes between.
#[derive(Clone, Debug)]
struct Transition {
    thread: u32,
    /// By number of event.
    events: Vec<u32>,
    things: Vec<Touch>,
    /// Locks that are held after it, as a set of [`Held`], and before its last event.
    held_after: u32,
    held_in: Vec<u32>,
    /// Locks that it takes.
    takes: Vec<(u64, bool)>,
}

/// Transitions that use locks alike and touch the same.
struct AlikeLocked {
    /// The number of how they use locks.
    locking: u32,
    /// The smallest number of their threads.
    least_thread: u32,
    /// Each with its touch.
    touches: Vec<(u32, Touch)>,
}

/// How a transition uses locks: held after it, held within it, and taken by it.
type LockUse<'a> = (u32, &'a [u32], &'a [(u64, bool)]);

/// The model of a run in terms of transitions and switches.
pub struct Switches {
    transitions: Vec<Transition>,
    of_thread: Vec<Vec<u32>>,
    held: Held,
    /// By thing: the transitions that touch it, those that use locks alike together.
    touching: FxHashMap<Thing, Vec<AlikeLocked>>,
    /// By transition: the number of how it uses locks, and by such number one transition.
    locking: Vec<u32>,
    examples: Vec<u32>,
    /// Which transitions certainly come before which; chains are threads.
    clocks: ChainClocks,
    /// By transition: whether its thread may be left behind it, if it goes on at all or even if not, and whether it may be begun with.
    stops: Vec<bool>,
    leaves: Vec<bool>,
    starts: Vec<bool>,
    steps: Steps,
    pub summary: Vec<SimplificationSummary>,
}

/// The context switches that are left of a run, as pairs of events. All of these sets are adequate, each within the one before.
pub struct LeftSwitches {
    /// What pairs of transitions tell.
    pub by_pairs: Vec<(u32, u32)>,
    /// Those of the least lines, if they were walked through.
    pub by_lines: Option<Vec<(u32, u32)>>,
    /// What is left in the end, and what is known of it.
    pub left: Vec<(u32, u32)>,
    pub set: SwitchSet,
}

/// Transitions by pairs of which everything is looked at exactly.
const MOST_EXACT: usize = 3_000;

impl Switches {
    /// Simplifies a run, as far as `steps` say.
    pub fn new(run: &Run, steps: Steps) -> Self {
        let is_local = if steps.local_variables { local_events(run) } else { vec![false; run.events.len()] };
        let mut summary = Vec::new();
        let mut note = |step: &str, is_off: bool, transitions: u64, switches: u64, set: SwitchSet| {
            summary.push(SimplificationSummary { step: step.to_owned(), is_off, transitions, switches, set });
        };
        let count = |counts: &[u64]| {
            let all: u64 = counts.iter().sum();
            (all, all * all - counts.iter().map(|count| count * count).sum::<u64>())
        };
        let mut counts = vec![0u64; run.n_threads as usize];
        run.events.iter().for_each(|event| counts[event.thread as usize] += 1);
        let (all, switches) = count(&counts);
        note("as recorded", false, all, switches, SwitchSet::Adequate);
        let mut shared = vec![0u64; run.n_threads as usize];
        run.events.iter().zip(&is_local).filter(|(_, local)| !**local).for_each(|(event, _)| {
            shared[event.thread as usize] += 1;
        });
        note("local variables", !steps.local_variables, all, count(&shared).1, SwitchSet::Adequate);
        let mut model = Self::build(run, steps, &is_local);
        let merged: Vec<u64> = model.of_thread.iter().map(|of| of.len() as u64).collect();
        let (n_merged, n_switches) = count(&merged);
        note("merging", !steps.merging, n_merged, n_switches, SwitchSet::Adequate);
        let (n_possible, set) = if steps.locks { model.n_possible() } else { (n_switches, SwitchSet::Adequate) };
        note("locks and must-happen-before", !steps.locks, n_merged, n_possible, set);
        model.find_ends();
        let (n_left, set) = if steps.transactions { model.n_needed() } else { (n_possible, set) };
        note("mutually atomic transactions", !steps.transactions, n_merged, n_left.min(n_possible), set);
        model.summary = summary;
        model
    }

    fn build(run: &Run, steps: Steps, is_local: &[bool]) -> Self {
        let held = run.held();
        let mut transitions: Vec<Transition> = Vec::new();
        let mut of_thread: Vec<Vec<u32>> = vec![Vec::new(); run.n_threads as usize];
        let mut open: Vec<Option<(u32, u32)>> = vec![None; run.n_threads as usize];
        let mut number_of = vec![0u32; run.events.len()];
        for (number, event) in (0u32..).zip(&run.events) {
            let thread = event.thread as usize;
            // Events of one instant belong together anyway; local ones belong to what is before them.
            let joins = open[thread]
                .filter(|&(_, instant)| steps.merging && (instant == event.instant || is_local[number as usize]));
            let at = joins.map_or(transitions.len() as u32, |(at, _)| at);
            if joins.is_none() {
                of_thread[thread].push(at);
                transitions.push(Transition {
                    thread: event.thread,
                    events: Vec::new(),
                    things: Vec::new(),
                    held_after: 0,
                    held_in: Vec::new(),
                    takes: Vec::new(),
                });
            }
            open[thread] = Some((at, event.instant));
            number_of[number as usize] = at;
            let transition = &mut transitions[at as usize];
            transition.events.push(number);
            transition.held_in.push(held.set_of(number));
            if !is_local[number as usize] {
                transition.things.extend(touched(event.op));
            }
            match event.op {
                Op::Acquire { lock, shared } => transition.takes.push((lock, shared)),
                Op::Woken { mutex, .. } => transition.takes.push((mutex, false)),
                _ => {}
            }
        }
        let mut model = Switches {
            clocks: ChainClocks::new(of_thread.len()),
            stops: vec![true; transitions.len()],
            leaves: vec![true; transitions.len()],
            starts: vec![true; transitions.len()],
            transitions,
            of_thread,
            held,
            touching: FxHashMap::default(),
            locking: Vec::new(),
            examples: Vec::new(),
            steps,
            summary: Vec::new(),
        };
        model.complete(run, &number_of);
        model
    }

    fn complete(&mut self, run: &Run, number_of: &[u32]) {
        for of in &self.of_thread {
            for (nth, &at) in of.iter().enumerate() {
                let next = of.get(nth + 1).and_then(|&next| self.transitions[next as usize].held_in.first().copied());
                let own = &mut self.transitions[at as usize];
                own.held_after = next.unwrap_or_else(|| self.held.at_end(own.thread));
                own.held_in.sort_unstable();
                own.held_in.dedup();
            }
        }
        let mut numbers: FxHashMap<LockUse<'_>, u32> = FxHashMap::default();
        for (at, transition) in (0u32..).zip(&self.transitions) {
            let key = (transition.held_after, &transition.held_in[..], &transition.takes[..]);
            let next = self.examples.len() as u32;
            let locking = *numbers.entry(key).or_insert(next);
            if locking == next {
                self.examples.push(at);
            }
            self.locking.push(locking);
            for &touch in &transition.things {
                let groups = self.touching.entry(touch.thing).or_default();
                let group = groups.iter().position(|group| group.locking == locking).unwrap_or_else(|| {
                    groups.push(AlikeLocked { locking, least_thread: u32::MAX, touches: Vec::new() });
                    groups.len() - 1
                });
                let group = &mut groups[group];
                group.least_thread = group.least_thread.min(transition.thread);
                if group.touches.last() != Some(&(at, touch)) {
                    group.touches.push((at, touch));
                }
            }
        }
        // Clocks over what is certain, by the first event of each instant.
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); self.transitions.len()];
        for &(a, b) in &run.certain {
            let last = number_of[run.instants[a as usize].events.1 as usize - 1];
            let first = number_of[run.instants[b as usize].events.0 as usize];
            if last != first {
                edges[first as usize].push(last);
            }
        }
        for (at, (transition, edges)) in (0u32..).zip(self.transitions.iter().zip(edges)) {
            self.clocks.push(transition.thread, edges.into_iter().filter(|&from| from < at));
        }
    }

    fn n_threads(&self) -> usize {
        self.of_thread.len()
    }

    /// Whether `a` certainly comes before `b`, or is it.
    fn is_certain(&self, a: u32, b: u32) -> bool {
        self.clocks.is_before(a, b)
    }

    /// Moves on to the first transition of a thread, by its number there, that certainly comes after `a` or is it. Whoever asks begins with 0 and goes on with
    /// what comes after `a` in its thread, of which all certain successors are successors of `a`.
    fn advance(&self, first: &mut usize, a: u32, thread: usize) {
        while self.of_thread[thread].get(*first).is_some_and(|&b| !self.is_certain(a, b)) {
            *first += 1;
        }
    }

    fn next(&self, at: u32) -> Option<u32> {
        let of = &self.of_thread[self.transitions[at as usize].thread as usize];
        of.get(self.clocks.nth(at) as usize).copied()
    }

    fn previous(&self, at: u32) -> Option<u32> {
        let of = &self.of_thread[self.transitions[at as usize].thread as usize];
        (self.clocks.nth(at) as usize).checked_sub(2).map(|nth| of[nth])
    }

    /// Whether `b` cannot be made while another thread holds this set of locks.
    fn is_excluded(&self, held: u32, b: u32) -> bool {
        let b = &self.transitions[b as usize];
        b.held_in.iter().any(|&set| self.held.exclude(held, set)) || self.held.takes_any(held, &b.takes)
    }

    /// Whether `b` can come right after `a`.
    fn is_possible(&self, a: u32, b: u32) -> bool {
        if !self.steps.locks {
            return true;
        }
        // The thread of `a` stands behind it: `b` does not come before `a`, nor after what follows `a`; nor does `a` come before what `b` follows.
        let is_late = self.next(a).is_some_and(|next| self.is_certain(next, b))
            || self.previous(b).is_some_and(|before| self.is_certain(a, before));
        !self.is_certain(b, a) && !is_late && !self.is_excluded(self.transitions[a as usize].held_after, b)
    }

    /// Whether the order of two transitions matters.
    fn depend(&self, a: u32, b: u32) -> bool {
        let (first, second) = (&self.transitions[a as usize], &self.transitions[b as usize]);
        first.things.iter().any(|touch| second.things.iter().any(|other| touch.depends_on(*other)))
            || self.is_certain(a, b)
            || self.is_certain(b, a)
    }

    /// The switches that are left, and what is known of them.
    fn needed(&self) -> (Vec<(u32, u32)>, SwitchSet) {
        let walked = if self.steps.transactions { normal_form::walk(self) } else { None };
        match walked {
            Some(form) => minimal::reduce(self, &form),
            None => (self.needed_by_pairs(), SwitchSet::Adequate),
        }
    }

    fn needed_by_pairs(&self) -> Vec<(u32, u32)> {
        self.pairs().filter(|&(a, b)| self.is_needed(a, b)).collect()
    }

    /// The switches that are left, as pairs of events: the last of a transition, and the first of another.
    pub fn switches(&self) -> LeftSwitches {
        let event = |(a, b): (u32, u32)| {
            let (a, b) = (&self.transitions[a as usize].events, &self.transitions[b as usize].events);
            (a[a.len() - 1], b[0])
        };
        let events = |pairs: Vec<(u32, u32)>| pairs.into_iter().map(event).collect();
        let (needed, set) = self.needed();
        LeftSwitches {
            by_pairs: events(self.needed_by_pairs()),
            by_lines: normal_form::walk(self).map(|form| events(form.switches)),
            left: events(needed),
            set,
        }
    }

    /// By event: the independent transaction that it belongs to.
    pub fn transactions(&self) -> Vec<u32> {
        let n = self.transitions.iter().map(|transition| transition.events.len()).sum();
        let mut of = vec![0; n];
        let mut number = 0;
        for transitions in &self.of_thread {
            for &at in transitions {
                // A thread is left behind the one before, or begun with here.
                let is_begun = self.previous(at).is_none_or(|before| self.is_boundary(before, at));
                number += u32::from(is_begun);
                for &event in &self.transitions[at as usize].events {
                    of[event as usize] = number;
                }
            }
        }
        of
    }
}
