//! Sorts executions into Mazurkiewicz traces, whatever strategy makes them.

use crate::Observers;
use crate::happens_before::partial_order::PartialOrder;
use gordian_engine::{Ended, Point};
use gordian_trace::{Choice, Event, Wants};

/// Follows a search that sees every step: to be told of each choice, each end and each way back.
#[derive(Default)]
pub struct Classifier {
    /// What each step was about to do.
    wants: Vec<Option<Wants>>,
    order: PartialOrder,
}

impl Classifier {
    /// One to which writes that nobody reads are not ordered.
    pub fn observing(observers: Observers) -> Classifier {
        Classifier { wants: Vec::new(), order: PartialOrder::observing(observers) }
    }

    fn record_steps(&mut self, schedule: &[Choice], events: &[Event]) {
        let made = self.order.len();
        if made < schedule.len() {
            self.order.push(schedule[made], events, self.wants[made]);
        }
    }

    /// The strategy makes this choice here.
    pub fn chosen(&mut self, point: &Point<'_>, choice: Choice) {
        if point.depth == self.wants.len() {
            self.record_steps(point.schedule, point.events);
            self.order.push_state(point.choices, point.events.len());
            self.wants.push(None);
        }
        self.wants[point.depth] = point.wants(choice.thread);
    }

    /// The trace of the execution that ended: a hash that two executions share exactly if they are the same partial
    /// order of the same steps.
    pub fn class(&mut self, ended: &Ended<'_>) -> u64 {
        self.record_steps(ended.schedule, ended.events);
        self.order.end(ended.events, &self.wants);
        self.order.class()
    }

    /// As [`Classifier::class`], with other names for the threads; to be asked after it.
    pub fn class_renamed(&self, names: &[u32]) -> u64 {
        self.order.class_renamed(names)
    }

    /// The steps of the present execution, each with the number of steps of every thread that must come before it or
    /// are it.
    pub fn order(&self) -> impl Iterator<Item = (Choice, &[u32])> {
        self.order.steps()
    }

    /// The search goes back to this choice point.
    pub fn back(&mut self, depth: usize) {
        self.wants.truncate(depth + 1);
        self.order.truncate(depth);
    }
}
