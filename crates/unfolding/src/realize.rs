//! Makes histories happen on the machine.
//!
//! A thread whose way inputs decide makes that step before anybody else makes one. Such a step concerns nobody else, but which way it goes
//! restricts the inputs, and so the ways of others. So where a history does not say which way another thread goes, all of them are tried until
//! the history can be had.

use crate::events::{Cut, EventId, PointId};
use crate::explore::Search;
use crate::extensions::{Extension, What};
use gordian_base::ThreadId;
use gordian_engine::Executor;
use gordian_trace::{Choice, OpKind};

/// A step that had to be made besides, and its variants that were not tried.
struct Forced {
    n_steps: usize,
    left: Vec<Choice>,
}

/// How an attempt came out.
enum Attempt {
    /// Whether something new was seen.
    Made(bool),
    Impossible,
}

impl<E: Executor> Search<'_, E> {
    /// Goes back to the last state from which a configuration can be reached.
    pub(crate) fn go_back_towards(&mut self, cut: &Cut) {
        self.go_back_to(self.unfolding.common_prefix(cut, &self.run.events));
    }

    fn go_back_to(&mut self, n_steps: usize) {
        if n_steps < self.run.len() {
            self.machine.undo_to(self.marks[n_steps]);
            self.marks.truncate(n_steps);
            self.run.truncate(n_steps);
        }
    }

    /// Makes what is left of the history of an extension, and its step. Whether that came to something new.
    pub(crate) fn make(&mut self, extension: &Extension) -> bool {
        let mut forced: Vec<Forced> = Vec::new();
        let mut looked = false;
        loop {
            if self.reach(&extension.history, &mut forced) {
                match self.attempt(extension, &mut forced) {
                    Attempt::Made(is_new) if extension.what != What::Look => return is_new,
                    Attempt::Made(_) => looked = true,
                    Attempt::Impossible => {}
                }
            }
            let Some((n_steps, next)) = next_forced(&mut forced) else {
                self.n_disabled += u64::from(!looked);
                return false;
            };
            self.go_back_to(n_steps);
            self.step(next);
        }
    }

    /// Makes what is left of a configuration, whatever other threads have to decide on the way, until it is as it is to be. Whether it came to that.
    pub(crate) fn reach_until(&mut self, cut: &Cut, is_there: impl Fn(&E) -> bool) -> bool {
        let mut forced: Vec<Forced> = Vec::new();
        loop {
            if self.reach(cut, &mut forced) && is_there(&self.machine) {
                return true;
            }
            let Some((n_steps, next)) = next_forced(&mut forced) else { return false };
            self.go_back_to(n_steps);
            self.step(next);
        }
    }

    /// Makes what is left of a configuration. Whether that was possible.
    fn reach(&mut self, cut: &Cut, forced: &mut Vec<Forced>) -> bool {
        let Some(order) = self.unfolding.order_after(cut, &self.run.cut()) else { return false };
        let mut left = order;
        while !left.is_empty() {
            let Some(position) = left.iter().position(|&event| self.can_make(event)) else {
                if self.force(forced) {
                    continue;
                }
                return false;
            };
            // Steps that inputs decide may come before others that are next in the order; all else keeps to it.
            let is_urgent = self.unfolding.events[left[position]].is_branch;
            if position > 0 && !is_urgent {
                if self.force(forced) {
                    continue;
                }
                return false;
            }
            let event = &self.unfolding.events[left.remove(position)];
            self.step(Choice { thread: event.thread, variant: event.variant });
        }
        true
    }

    fn can_make(&self, event: EventId) -> bool {
        let event = &self.unfolding.events[event];
        let choice = Choice { thread: event.thread, variant: event.variant };
        let stands = self.run.point(event.thread) == Some(event.point);
        stands && self.machine.end().is_none() && self.machine.choices().contains(&choice)
    }

    /// Makes a step that comes before all others, if there is one.
    fn force(&mut self, forced: &mut Vec<Forced>) -> bool {
        if self.machine.end().is_some() {
            return false;
        }
        let choices = self.machine.choices();
        let first = choices[0];
        let decides = |thread: ThreadId| self.machine.wants(thread).is_some_and(|wants| wants.kind == OpKind::Branch);
        if !choices.iter().all(|choice| decides(choice.thread)) {
            return false;
        }
        let mut left: Vec<Choice> = choices.iter().copied().filter(|choice| choice.thread == first.thread).collect();
        let news = left.iter().position(|&choice| self.run.is_news(&self.unfolding, choice));
        let next = left.remove(news.unwrap_or(0));
        left.reverse();
        forced.push(Forced { n_steps: self.run.len(), left });
        self.step(next);
        true
    }

    /// The history has happened: makes the step.
    fn attempt(&mut self, extension: &Extension, forced: &mut Vec<Forced>) -> Attempt {
        let Extension { point, history, what } = extension;
        let thread = self.unfolding.points[*point].thread;
        if *what == What::Join {
            return Attempt::Made(true);
        }
        while self.variants(thread).is_empty() {
            if !self.force(forced) {
                return Attempt::Impossible;
            }
        }
        let variants = self.variants(thread);
        let wanted = match *what {
            What::Look => {
                self.add_unknown(*point, history, &variants);
                return Attempt::Made(false);
            }
            What::Variant(variant) => variants.iter().find(|choice| choice.variant == variant),
            What::Step | What::Join => variants.first(),
        };
        let Some(&choice) = wanted else { return Attempt::Impossible };
        let made = self.step(choice);
        self.n_redundant += u64::from(!made.is_new);
        Attempt::Made(made.is_new)
    }

    fn add_unknown(&mut self, point: PointId, history: &Cut, variants: &[Choice]) {
        for choice in variants {
            if self.unfolding.known(point, history, choice.variant).is_none() {
                self.extensions.add_variant(point, history, choice.variant);
            }
        }
    }

    fn variants(&self, thread: ThreadId) -> Vec<Choice> {
        if self.machine.end().is_some() {
            return Vec::new();
        }
        self.machine.choices().iter().copied().filter(|choice| choice.thread == thread).collect()
    }
}

/// The next variant of the last forced step that has one left, and where it is made.
fn next_forced(forced: &mut Vec<Forced>) -> Option<(usize, Choice)> {
    while let Some(last) = forced.last_mut() {
        match last.left.pop() {
            Some(next) => return Some((last.n_steps, next)),
            None => {
                forced.pop();
            }
        }
    }
    None
}
