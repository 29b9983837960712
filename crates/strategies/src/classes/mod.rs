//! Every schedule, depth first, without reduction, as `exhaustive`; and each execution is sorted into its Mazurkiewicz
//! trace, so that the number of traces is known without any reduction. The oracle for `dpor`.
//!
//! **Guarantee:** as `exhaustive`.
//!
//! **Misses** nothing, and takes even longer.

use crate::dpor::History;
use gordian_base::{FxHashSet, FxHasher};
use gordian_engine::{End, Ended, Next, Point, Strategy};
use gordian_trace::{Choice, Event, Exploration};
use std::hash::{Hash, Hasher};

pub const NAME: &str = "classes";

struct Node {
    taken: usize,
    choices: Vec<Choice>,
    n_events: usize,
}

#[derive(Default)]
pub struct Classes {
    path: Vec<Node>,
    history: History,
    complete: FxHashSet<u64>,
    dropped: FxHashSet<u64>,
}

impl Classes {
    /// Traces of executions that came to an end of their own.
    pub fn complete(&self) -> &FxHashSet<u64> {
        &self.complete
    }

    fn absorb(&mut self, schedule: &[Choice], events: &[Event]) {
        let made = self.history.len();
        if made < schedule.len() {
            let node = &self.path[made];
            self.history.push(schedule[made], &events[node.n_events..], &node.choices, None);
        }
    }
}

impl Strategy for Classes {
    fn exploration(&self) -> Exploration {
        let guarantee = format!(
            "executes every schedule within the bounds; they fall into {} traces, and {} that were dropped",
            self.complete.len(),
            self.dropped.len()
        );
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == self.path.len() {
            self.absorb(point.schedule, point.events);
            let (choices, n_events) = (point.choices.to_vec(), point.events.len());
            self.path.push(Node { taken: 0, choices, n_events });
        }
        Some(self.path[point.depth].taken)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.absorb(ended.schedule, ended.events);
        let class = self.history.class();
        match ended.end {
            Some(End::Exit(_) | End::Failed) => self.complete.insert(class),
            _ => self.dropped.insert(class),
        };
        while let Some(node) = self.path.last_mut() {
            node.taken += 1;
            if node.taken < node.choices.len() {
                let depth = self.path.len() - 1;
                self.history.truncate(depth);
                return Next::Backtrack(depth);
            }
            self.path.pop();
        }
        Next::Done
    }

    fn exhaustive(&self) -> bool {
        true
    }

    fn backtracks(&self) -> bool {
        true
    }

    fn sees_every_step(&self) -> bool {
        true
    }
}

impl History {
    /// A hash that two executions share exactly if they are the same partial order of the same steps.
    pub fn class(&mut self) -> u64 {
        self.races.clear();
        let mut order: Vec<usize> = (0..self.steps.len()).collect();
        order.sort_by_key(|&index| (self.steps[index].choice.thread, self.steps[index].time));
        let mut hasher = FxHasher::default();
        for index in order {
            let step = &self.steps[index];
            (step.choice, self.clocks.get(step.clock)).hash(&mut hasher);
        }
        hasher.finish()
    }
}
