//! The present execution as a partial order of its steps: the one place through which those who only look at
//! executions see what `dpor` knows of dependence.

use super::History;
use crate::Observers;
use gordian_base::{FxHasher, Id};
use gordian_trace::{Choice, Event, Wants};
use std::hash::{Hash, Hasher};

#[derive(Default)]
pub(crate) struct PartialOrder {
    history: History,
    /// Writes that nobody reads are not ordered.
    is_relaxed: bool,
}

impl PartialOrder {
    /// Does not order writes that nobody reads.
    pub fn observing(observers: Observers) -> PartialOrder {
        let mut order = PartialOrder { is_relaxed: true, ..PartialOrder::default() };
        order.history.be_relaxed(observers);
        order
    }

    /// The execution has ended with these events. Who reads what is known now.
    pub fn end(&mut self, events: &[Event], wants: &[Option<Wants>]) {
        if self.is_relaxed {
            self.history.look_back(events, |step| wants[step]);
            self.history.races.clear();
        }
    }

    pub fn len(&self) -> usize {
        self.history.len()
    }

    /// The execution has reached a state that has not been seen yet, with these choices and so many events behind it.
    pub fn push_state(&mut self, choices: &[Choice], n_events: usize) {
        self.history.push_state(choices, n_events);
    }

    /// Adds the step that made `choice` in the state last arrived at; `events` are all of the execution, `wants` is what it
    /// was about to do.
    pub fn push(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>) {
        self.history.push(choice, events, wants);
        self.history.races.clear();
    }

    /// Takes the newest steps back until `len` are left; the state behind them stays.
    pub fn truncate(&mut self, len: usize) {
        self.history.truncate(len);
    }

    /// By thread, how many of its steps happen before this step or are it.
    pub fn clock(&self, step: usize) -> &[u32] {
        self.history.clocks.get(self.history.steps[step].clock)
    }

    /// The steps with their clocks.
    pub fn steps(&self) -> impl Iterator<Item = (Choice, &[u32])> {
        self.history.steps.iter().map(|step| (step.choice, self.history.clocks.get(step.clock)))
    }

    /// A hash that two executions share exactly if they are the same partial order of the same steps.
    pub fn class(&self) -> u64 {
        let steps = &self.history.steps;
        let mut order: Vec<usize> = (0..steps.len()).collect();
        order.sort_by_key(|&index| (steps[index].choice.thread, steps[index].time));
        let mut hasher = FxHasher::default();
        for index in order {
            (steps[index].choice, self.clock(index)).hash(&mut hasher);
        }
        hasher.finish()
    }

    /// A hash that two executions share exactly if they are the same partial order of the same steps once the threads of this one
    /// have got the names in `names`, one for each of its threads. Of a step that woke threads its variant says which, by
    /// their numbers: those are looked at instead.
    pub fn class_renamed(&self, names: &[u32]) -> u64 {
        let name = |thread: u32| names.get(thread as usize).copied().unwrap_or(thread);
        let history = &self.history;
        let mut order = Vec::new();
        for (index, step) in history.steps.iter().enumerate() {
            let mut woken: Vec<u32> =
                history.footprints.get(step.label.footprint).released().map(|thread| name(thread.0)).collect();
            woken.sort_unstable();
            let variant = if woken.is_empty() { step.choice.variant } else { 0 };
            let known = self.clock(index).iter().enumerate().filter(|(_, time)| **time > 0);
            let mut clock: Vec<(u32, u32)> = known.map(|(thread, &time)| (name(thread as u32), time)).collect();
            clock.sort_unstable();
            order.push((name(step.choice.thread.0), step.time, variant, woken, clock));
        }
        order.sort_unstable();
        let mut hasher = FxHasher::default();
        order.hash(&mut hasher);
        hasher.finish()
    }

    /// The positions of steps that no other step depends on.
    pub fn maximal(&self) -> Vec<usize> {
        let steps = &self.history.steps;
        let mut lasts: Vec<Option<usize>> = Vec::new();
        for (position, step) in steps.iter().enumerate() {
            let thread = step.choice.thread.index();
            lasts.resize(lasts.len().max(thread + 1), None);
            lasts[thread] = Some(position);
        }
        let lasts: Vec<usize> = lasts.into_iter().flatten().collect();
        let known = |step: usize, by: usize| {
            let time = self.clock(by).get(steps[step].choice.thread.index()).copied().unwrap_or(0);
            time >= steps[step].time
        };
        let free = |&step: &usize| lasts.iter().all(|&other| other == step || !known(step, other));
        lasts.iter().copied().filter(free).collect()
    }
}
