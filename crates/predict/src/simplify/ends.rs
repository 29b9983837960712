//! Which switches are needed, as far as pairs of transitions tell.
//!
//! Lemma (adequate). Let threads be numbered, and let a line be the least of its class. Then (a) a switch from a thread to one with a smaller number
//! goes from a transition b to a transition a that depends on b: otherwise a could be moved before b, and the line would be less. (b) A switch from a to a
//! thread with a greater number needs that the next transition a' of the first thread depends on something that comes before it: otherwise a' could be
//! moved to right behind a. If a' is not in the line, the line ends in a deadlock in which a' waits for a lock. (c) A thread that goes on at b had stopped before: by
//! (a) because the one before b depends on something of a smaller thread, by (b) because b depends on something of another thread, or b is its
//! first. So switches that satisfy (a), (b) and (c) leave one line of each class.

use super::{Switches, Transition};
use gordian_base::FxHashMap;

impl Switches {
    /// Transitions of other threads with smaller numbers than `below` whose order with this one matters, and which can come while its thread holds these locks.
    fn partners(&self, a: u32, held: Option<u32>, below: u32) -> impl Iterator<Item = u32> + '_ {
        let mine = &self.transitions[a as usize];
        let can = move |locking: u32| held.is_none_or(|held| !self.is_excluded(held, self.examples[locking as usize]));
        let touching = mine.things.iter().flat_map(move |&touch| {
            let groups = self.touching.get(&touch.thing).into_iter().flatten();
            let groups = groups.filter(move |group| group.least_thread < below && can(group.locking));
            groups
                .flat_map(|group| &group.touches)
                .filter(move |&&(_, other)| touch.depends_on(other))
                .map(|&(other, _)| other)
        });
        touching.filter(move |&other| {
            let thread = self.transitions[other as usize].thread;
            thread != mine.thread && thread < below
        })
    }

    /// Whether something of another thread that `next` depends on can come while its thread stands before it.
    fn waits_for_others(&self, next: u32) -> bool {
        let Some(before) = self.previous(next) else { return true };
        let held = self.steps.locks.then_some(self.transitions[before as usize].held_after);
        let can_come = |other: u32| held.is_none() || !self.is_certain(next, other) && !self.is_certain(other, before);
        let mine = self.transitions[next as usize].thread as usize;
        // Something of another thread certainly comes before `next` and not before what is before it.
        let n = self.n_threads();
        let (here, there) = (self.clocks.of(next), self.clocks.of(before));
        let is_joined = (0..n).any(|thread| thread != mine && here[thread] > there[thread]);
        is_joined || self.partners(next, held, u32::MAX).any(can_come)
    }

    /// Finds where threads may be left and begun with: (b) and (c).
    pub(super) fn find_ends(&mut self) {
        let n = self.transitions.len() as u32;
        let waits: Vec<bool> = (0..n).map(|at| self.waits_for_others(at)).collect();
        let takers = self.takers();
        let can_block = |at: u32| self.transitions[at as usize].takes.iter().any(|(lock, _)| takers[lock].is_none());
        let blocks: Vec<bool> = (0..n).map(can_block).collect();
        // By two threads: the first of the second that certainly comes after what the first is at.
        let mut firsts = vec![vec![0; self.n_threads()]; self.n_threads()];
        for at in 0..n {
            self.stops[at as usize] = self.next(at).is_none_or(|next| waits[next as usize]);
            self.leaves[at as usize] =
                self.stops[at as usize] || self.next(at).is_some_and(|next| blocks[next as usize]);
            let gives_way = |before: u32| {
                let Transition { thread, held_after, .. } = self.transitions[before as usize];
                self.partners(before, self.steps.locks.then_some(held_after), thread)
                    .any(|other| self.is_possible(before, other))
                    || self.creates_smaller(before, &mut firsts[thread as usize])
            };
            self.starts[at as usize] = waits[at as usize] || self.previous(at).is_none_or(gives_way);
        }
    }

    /// Whether something of a smaller thread certainly comes after this and depends on nothing else of the thread.
    fn creates_smaller(&self, at: u32, firsts: &mut [usize]) -> bool {
        let thread = self.transitions[at as usize].thread as usize;
        (0..thread).zip(firsts).any(|(smaller, first)| {
            self.advance(first, at, smaller);
            self.of_thread[smaller].get(*first).is_some_and(|&other| self.is_possible(at, other))
        })
    }

    /// Whether a line may go from `a` to `b`.
    pub(super) fn is_needed(&self, a: u32, b: u32) -> bool {
        let is_down = self.transitions[b as usize].thread < self.transitions[a as usize].thread;
        self.is_possible(a, b)
            && if !self.steps.transactions {
                true
            } else if is_down {
                self.depend(a, b)
            } else {
                self.leaves[a as usize] && self.starts[b as usize]
            }
    }

    /// By lock that transitions take: the thread, if there is one alone.
    fn takers(&self) -> FxHashMap<u64, Option<u32>> {
        let mut takers: FxHashMap<u64, Option<u32>> = FxHashMap::default();
        for transition in &self.transitions {
            for (lock, _) in &transition.takes {
                let taker = takers.entry(*lock).or_insert(Some(transition.thread));
                *taker = taker.filter(|&thread| thread == transition.thread);
            }
        }
        takers
    }

    /// Whether an independent transaction ends between two transitions. Only those that a line has in common with the run count, so deadlocks do not.
    pub(super) fn is_boundary(&self, before: u32, at: u32) -> bool {
        !self.steps.transactions || !self.steps.locks || self.stops[before as usize] || self.starts[at as usize]
    }
}
