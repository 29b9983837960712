//! The least lines of all classes, as the paths of an automaton.
//!
//! A line is the least of its class iff it has no factor b…a, where a is of a smaller thread than b and depends on nothing in the factor (Anisimov and Knuth). So
//! a thread is *barred* once something of a greater thread has come that its next transition does not depend on, until something comes that it does depend
//! on. A state is how far each thread is, who is barred, and who was last. Paths from the start to states in which nobody can go on are the least lines,
//! one for each class, so classes are counted without making them.
//!
//! Lemma (minimal, two threads). A line of two threads all of whose switches to the smaller thread go to a transition that depends on the one before is the
//! least of its class: a factor that contradicts it ends in such a pair. So each class has exactly one line with the switches of least lines, and none
//! of them can be spared.

use super::Switches;
use gordian_base::{FxHashMap, FxHashSet};
use std::collections::hash_map::Entry;

/// States beyond which the automaton is not built.
const MOST_STATES: usize = 300_000;

/// Threads by whose bits a state says who is barred.
const MOST_THREADS: usize = 64;

/// Where a least line can be.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct State {
    /// How far each thread is, as a number.
    cut: u64,
    barred: u64,
    /// Who was last, of threads with transitions.
    last: u8,
}

/// All least lines.
pub(super) struct NormalForm {
    /// By state, in an order in which steps go forward: those that the next step leads to, with its transition.
    steps: Vec<Vec<(u32, u32)>>,
    /// By state: how many lines go on from it.
    n_lines: Vec<u64>,
    n_threads: usize,
    /// The switches that least lines use, in order.
    pub(super) switches: Vec<(u32, u32)>,
}

impl NormalForm {
    /// The number of classes.
    pub(super) fn n_classes(&self) -> u64 {
        self.n_lines[0]
    }

    /// Whether two threads at most have transitions.
    pub(super) fn is_of_two(&self) -> bool {
        self.n_threads <= 2
    }

    /// All least lines.
    pub(super) fn lines(&self) -> Vec<Vec<u32>> {
        let mut lines = Vec::new();
        let mut line: Vec<u32> = Vec::new();
        let mut open: Vec<(u32, usize)> = vec![(0, 0)];
        while let Some((state, nth)) = open.last_mut() {
            let steps = &self.steps[*state as usize];
            if steps.is_empty() && self.n_lines[*state as usize] > 0 {
                lines.push(line.clone());
            }
            match steps.get(*nth) {
                Some(&(to, transition)) => {
                    *nth += 1;
                    if self.n_lines[to as usize] > 0 {
                        line.push(transition);
                        open.push((to, 0));
                    }
                }
                None => {
                    open.pop();
                    line.pop();
                }
            }
        }
        lines
    }
}

/// Follows least lines through their states.
struct Walker<'a> {
    model: &'a Switches,
    /// Threads that have transitions, and of what one step of each adds to a cut.
    threads: Vec<usize>,
    strides: Vec<u64>,
    /// By how two transitions use locks: whether the second is impossible behind the first.
    excluded: Vec<bool>,
}

/// Walks through all least lines, unless there are too many states.
pub(super) fn walk(model: &Switches) -> Option<NormalForm> {
    let walker = Walker::new(model)?;
    let mut numbers: FxHashMap<State, u32> = FxHashMap::default();
    let start = State { cut: 0, barred: 0, last: u8::MAX };
    numbers.insert(start, 0);
    let mut states = vec![start];
    let mut steps: Vec<Vec<(u32, u32)>> = Vec::new();
    let mut is_end = Vec::new();
    while let Some(&state) = states.get(steps.len()) {
        let made = walker.made(state.cut);
        let able: Vec<usize> = (0..walker.threads.len()).filter(|&side| walker.can_go_on(&made, side)).collect();
        is_end.push(able.is_empty());
        let mut next = Vec::new();
        for side in able.into_iter().filter(|side| state.barred >> side & 1 == 0) {
            let (to, transition) = walker.step(state, &made, side);
            let number = states.len() as u32;
            let number = match numbers.entry(to) {
                Entry::Occupied(known) => *known.get(),
                Entry::Vacant(new) => {
                    states.push(to);
                    *new.insert(number)
                }
            };
            next.push((number, transition));
        }
        steps.push(next);
        if states.len() > MOST_STATES {
            return None;
        }
    }
    let mut n_lines = vec![0u64; states.len()];
    for state in (0..states.len()).rev() {
        let on = steps[state].iter().fold(0u64, |sum, &(to, _)| sum.saturating_add(n_lines[to as usize]));
        n_lines[state] = if is_end[state] { 1 } else { on };
    }
    let mut used: FxHashSet<(u32, u32)> = FxHashSet::default();
    for (state, next) in states.iter().zip(&steps) {
        let made = walker.made(state.cut);
        for &(_, transition) in next.iter().filter(|(to, _)| n_lines[*to as usize] > 0) {
            let before = walker.last(*state, &made);
            let thread = |at: u32| model.transitions[at as usize].thread;
            used.extend(
                before.filter(|&before| thread(before) != thread(transition)).map(|before| (before, transition)),
            );
        }
    }
    let mut switches: Vec<(u32, u32)> = used.into_iter().collect();
    switches.sort_unstable();
    Some(NormalForm { steps, n_lines, n_threads: walker.threads.len(), switches })
}

impl<'a> Walker<'a> {
    fn new(model: &'a Switches) -> Option<Self> {
        let threads: Vec<usize> = (0..model.n_threads()).filter(|&it| !model.of_thread[it].is_empty()).collect();
        if threads.len() > MOST_THREADS {
            return None;
        }
        let mut strides = Vec::new();
        let mut stride = 1u64;
        for &thread in &threads {
            strides.push(stride);
            stride = stride.checked_mul(model.of_thread[thread].len() as u64 + 1)?;
        }
        let held_after = |at: u32| model.transitions[at as usize].held_after;
        let pairs = model.examples.iter().flat_map(|&a| model.examples.iter().map(move |&b| (a, b)));
        let excluded = pairs.map(|(a, b)| model.is_excluded(held_after(a), b)).collect();
        Some(Walker { model, threads, strides, excluded })
    }

    /// How far each thread is.
    fn made(&self, cut: u64) -> Vec<usize> {
        let far = |(&thread, &stride): (&usize, &u64)| {
            (cut / stride % (self.model.of_thread[thread].len() as u64 + 1)) as usize
        };
        self.threads.iter().zip(&self.strides).map(far).collect()
    }

    fn next(&self, made: &[usize], side: usize) -> Option<u32> {
        self.model.of_thread[self.threads[side]].get(made[side]).copied()
    }

    /// What a thread made last.
    fn latest(&self, made: &[usize], side: usize) -> Option<u32> {
        made[side].checked_sub(1).map(|nth| self.model.of_thread[self.threads[side]][nth])
    }

    /// What was made last.
    fn last(&self, state: State, made: &[usize]) -> Option<u32> {
        if state.last == u8::MAX { None } else { self.latest(made, usize::from(state.last)) }
    }

    /// Whether the next transition of a thread can be made.
    fn can_go_on(&self, made: &[usize], side: usize) -> bool {
        let Some(next) = self.next(made, side) else { return false };
        let needs = self.model.clocks.of(next);
        (0..self.threads.len()).filter(|&other| other != side).all(|other| {
            let is_free = self.latest(made, other).is_none_or(|latest| !self.is_excluded(latest, next));
            needs[self.threads[other]] as usize <= made[other] && is_free
        })
    }

    fn is_excluded(&self, a: u32, b: u32) -> bool {
        let locking = |at: u32| self.model.locking[at as usize] as usize;
        self.excluded[locking(a) * self.model.examples.len() + locking(b)]
    }

    /// Makes the next transition of a thread.
    fn step(&self, state: State, made: &[usize], side: usize) -> (State, u32) {
        let transition = self.model.of_thread[self.threads[side]][made[side]];
        let mut barred = 0;
        for other in (0..self.threads.len()).filter(|&other| other != side) {
            let may_be = other < side || state.barred >> other & 1 == 1;
            let is_barred = may_be && self.next(made, other).is_some_and(|next| !self.model.depend(next, transition));
            barred |= u64::from(is_barred) << other;
        }
        (State { cut: state.cut + self.strides[side], barred, last: side as u8 }, transition)
    }
}
