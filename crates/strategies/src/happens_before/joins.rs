//! What follows a step without being one: joins, creations, wake-ups.
//!
//! Who has joined others knows what they knew. That is worked out when it is needed, which for most is never: a program
//! often joins all its threads at its end and does nothing of interest any more.

use super::footprint::Effect;
use super::history::{History, NONE, ThreadState};
use gordian_base::{ClockId, Id, ThreadId};
use smallvec::SmallVec;

impl History {
    /// Remembers a thread that is changed by another's step, the first time that this happens in the step.
    #[inline]
    fn save(&mut self, thread: ThreadId, n_saved: u32) {
        if self.saved[n_saved as usize..].last().is_none_or(|saved| saved.0 != thread) {
            let state = *self.state(thread);
            self.saved.push((thread, state));
        }
    }

    /// The threads whose end `thread` has waited for since its step `last`.
    pub(crate) fn joined_since(&self, thread: ThreadId, last: u32) -> impl Iterator<Item = ThreadId> {
        let recent = self.joined.iter().rev().take_while(move |joined| last == NONE || joined.0 >= last);
        recent.filter(move |joined| joined.1 == thread).map(|joined| joined.2)
    }

    /// The clock under way learns what `thread` has learnt by joining others since its last step.
    pub(crate) fn add_joined(&mut self, thread: ThreadId) {
        let ThreadState { last, n_joined, .. } = *self.state(thread);
        if n_joined > 0 {
            let joined: SmallVec<[ThreadId; 8]> = self.joined_since(thread, last).collect();
            for joined in joined {
                let theirs = self.state(joined).clock;
                self.clocks.add(theirs);
            }
        }
    }

    /// Whether `thread` knows of a step.
    #[cold]
    pub fn has_seen(&self, thread: ThreadId, step: u32) -> bool {
        let ThreadState { clock, last, n_joined, .. } = self.threads[thread.index()];
        let clock_of = |thread: ThreadId| self.threads[thread.index()].clock;
        self.happens_before(step, clock)
            || n_joined > 0 && self.joined_since(thread, last).any(|joined| self.happens_before(step, clock_of(joined)))
    }

    /// Takes in what follows the step of this index and clock, before which `n_saved` states were saved.
    pub(crate) fn take_effect(&mut self, effect: Effect, index: u32, clock: ClockId, n_saved: u32) {
        match effect {
            Effect::Release(thread) => self.learn(thread, clock, index, n_saved),
            Effect::Join { joiner, target } => self.take_join(joiner, target, index, n_saved),
            Effect::Create { creator, child } => {
                let ThreadState { clock, last, .. } = *self.state(creator);
                let inherited: SmallVec<[ThreadId; 4]> = self.joined_since(creator, last).collect();
                self.learn(child, clock, index, n_saved);
                self.state(child).n_joined += inherited.len() as u32;
                self.joined.extend(inherited.into_iter().map(|target| (index, child, target)));
            }
        }
    }

    #[inline]
    pub(crate) fn take_join(&mut self, joiner: ThreadId, target: ThreadId, index: u32, n_saved: u32) {
        self.joined.push((index, joiner, target));
        if self.state(target).n_joined > 0 {
            self.learn_from_joined(joiner, target, index, n_saved);
        }
        self.save(joiner, n_saved);
        let state = self.state(joiner);
        (state.moved, state.n_joined) = (index, state.n_joined + 1);
    }

    /// What the target has joined itself would be forgotten with it.
    #[cold]
    fn learn_from_joined(&mut self, joiner: ThreadId, target: ThreadId, index: u32, n_saved: u32) {
        let known = self.state(target).clock;
        self.clocks.begin(known);
        self.add_joined(target);
        let all = self.clocks.finish();
        self.learn(joiner, all, index, n_saved);
    }

    fn learn(&mut self, thread: ThreadId, clock: ClockId, index: u32, n_saved: u32) {
        self.save(thread, n_saved);
        let known = self.state(thread).clock;
        self.clocks.begin(known);
        self.clocks.add(clock);
        let both = self.clocks.finish();
        let state = self.state(thread);
        (state.clock, state.moved) = (both, index);
    }
}
