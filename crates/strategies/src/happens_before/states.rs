//! The states of the present execution, and who could go on in each.

use super::history::{History, NONE};
use super::transition::{Transition, has_variants};
use gordian_base::{Id, ThreadId};
use gordian_engine::Point;
use gordian_trace::Choice;
use smallvec::SmallVec;

/// One for each step, before it, and the last.
#[derive(Default)]
pub(crate) struct States {
    all: Vec<State>,
    /// One after the other, of those where the threads do not say it all.
    choices: Vec<Choice>,
}

struct State {
    /// Where its choices begin.
    choices: u32,
    n_events: u32,
    free: Free,
}

/// The threads that could go on, a bit for each. None where that does not say it all: if one of them could go several ways, or
/// only by another variant than the first, or has a number without a bit.
#[derive(Clone, Copy)]
pub(crate) struct Free(u64);

impl Free {
    #[inline]
    pub fn at(point: &Point<'_>) -> Free {
        debug_assert!(
            point.free == 0 || point.free == Free::of(point.choices).0,
            "the choices are those of the threads"
        );
        if point.free != 0 { Free(point.free) } else { Free::of(point.choices) }
    }

    /// Of threads that can each go one way only.
    #[inline]
    pub fn of_threads(threads: u64) -> Free {
        Free(threads)
    }

    /// Of choices that are sorted, no two of them the same.
    #[inline]
    fn of(choices: &[Choice]) -> Free {
        let mut threads = 0;
        for &Choice { thread, variant } in choices {
            if u64::from(variant) << 32 | u64::from(thread.0) >= u64::from(u64::BITS) {
                return Free(0);
            }
            threads |= 1 << thread.0;
        }
        Free(threads)
    }

    /// Whether the threads with bits are all that there is to choose from.
    #[inline]
    pub fn says_all(self) -> bool {
        self.0 != 0
    }

    #[inline]
    pub fn has(self, thread: ThreadId) -> bool {
        thread.0 < u64::BITS && self.0 >> thread.0 & 1 != 0
    }

    /// Those but for one.
    #[inline]
    pub fn without(self, thread: ThreadId) -> Free {
        if thread.0 < u64::BITS { Free(self.0 & !(1 << thread.0)) } else { self }
    }

    /// Those but for the ones in the sleep set.
    #[inline]
    pub fn awake(self, sleep: &[Transition]) -> Free {
        let is_first = |label: &&Transition| label.thread.0 < u64::BITS && label.matches(Choice::of(label.thread));
        Free(sleep.iter().filter(is_first).fold(self.0, |free, label| free & !(1 << label.thread.0)))
    }

    fn choices(self) -> impl Iterator<Item = Choice> {
        (0..u64::BITS).map(ThreadId).filter(move |&thread| self.has(thread)).map(Choice::of)
    }

    #[inline]
    pub fn first(self) -> Option<ThreadId> {
        (self.0 != 0).then(|| ThreadId(self.0.trailing_zeros()))
    }
}

impl States {
    /// Forgets those behind the first so many.
    #[inline]
    pub fn truncate(&mut self, len: usize) {
        if let Some(next) = self.all.get(len) {
            self.choices.truncate(next.choices as usize);
            self.all.truncate(len);
        }
    }
}

impl History {
    /// The execution has reached a state with these choices and so many events behind it.
    #[inline]
    pub fn push_state(&mut self, choices: &[Choice], n_events: usize) {
        self.push_state_with(Free::of(choices), choices, n_events);
    }

    /// The same where it is known who could go on.
    #[inline]
    pub(crate) fn push_state_with(&mut self, free: Free, choices: &[Choice], n_events: usize) {
        let states = &mut self.states;
        states.truncate(self.steps.len());
        states.all.push(State { choices: states.choices.len() as u32, n_events: n_events as u32, free });
        if !free.says_all() {
            states.choices.extend_from_slice(choices);
        }
    }

    /// What could be chosen in the state before the step of this index.
    pub fn choices(&self, depth: usize) -> SmallVec<[Choice; 8]> {
        let States { all, choices } = &self.states;
        let State { choices: first, free, .. } = all[depth];
        if free.says_all() {
            return free.choices().collect();
        }
        let end = all.get(depth + 1).map_or(choices.len(), |next| next.choices as usize);
        SmallVec::from_slice(&choices[first as usize..end])
    }

    /// See [`Free`].
    #[inline]
    pub(crate) fn free(&self, depth: usize) -> Free {
        self.states.all[depth].free
    }

    /// Whether the thread could go on in the state of this depth.
    #[inline]
    pub(crate) fn could_go_on(&self, thread: ThreadId, depth: usize) -> bool {
        let free = self.free(depth);
        if free.says_all() {
            return free.has(thread);
        }
        self.choices(depth).iter().any(|choice| choice.thread == thread)
    }

    /// The events behind the execution when it reached the state of this depth.
    #[inline]
    pub(crate) fn n_events(&self, depth: usize) -> Option<usize> {
        self.states.all.get(depth).map(|state| state.n_events as usize)
    }

    /// The step of the event that an await could have come before, as [`gordian_trace::OpKind::WATCHES_AWAIT`] tells it.
    pub(crate) fn step_of_awaited(&self, could_precede: Option<u64>) -> u32 {
        let Some(event) = could_precede.and_then(|number| number.checked_sub(1)) else { return NONE };
        let n_steps = self.states.all.partition_point(|state| u64::from(state.n_events) <= event);
        (n_steps as u32).checked_sub(1).unwrap_or(NONE)
    }

    /// Whether the thread was not blocked right before `first`, as far as that shows: if it has not moved since, it stood
    /// there already.
    #[inline]
    pub(crate) fn could_overtake(&self, thread: ThreadId, first: u32) -> bool {
        let moved = self.threads[thread.index()].moved;
        let stood_there = moved == NONE || moved < first;
        !stood_there || self.could_go_on(thread, first as usize)
    }

    /// Whether the thread could go several ways before the step of this index.
    #[inline]
    pub(crate) fn has_variants(&self, thread: ThreadId, index: u32) -> bool {
        !self.free(index as usize).says_all() && has_variants(thread, &self.choices(index as usize))
    }
}
