//! Partial order sampling: Yuan, Yang and Gu, "Partial Order Aware Concurrency Sampling", CAV 2018.
//!
//! The next operation of every thread has a random priority, and the highest that can happen, happens. Then the
//! operations that race with it get new priorities, so that earlier draws say nothing about how later races go.
//!
//! **Guarantee:** every schedule has a positive probability, and executions with few races have a high one: what
//! counts is the number of races and not, as for a random walk, the number of operations.
//!
//! **Deviations:** among the variants of the chosen thread each is equally likely. At points where only one thread can
//! go no priority is drawn; the priorities that remain are distributed in the same way.
//!
//! **Misses** what needs many races to go one particular way.

use crate::happens_before::conflict::races;
use gordian_base::{Id, Rng, ThreadId};
use gordian_engine::{Ended, Next, Point, Strategy};
use gordian_trace::{Event, Exploration};

pub const NAME: &str = "pos";

pub struct Pos {
    seed: u64,
    run: u64,
    rng: Rng,
    /// Of the next operation of each thread; drawn when first compared.
    priorities: Vec<Option<u64>>,
    /// Events of this run after which priorities were redrawn.
    seen: usize,
}

impl Pos {
    pub fn new(seed: u64) -> Self {
        Pos { seed, run: 0, rng: Rng::new(0), priorities: Vec::new(), seen: 0 }
    }

    /// The thread's operation was executed: the next one is another. The operations that race with it draw again.
    /// A thread that has moved on since draws again anyway, so that looking at what threads want *now* is enough.
    fn forget_after(&mut self, event: &Event, point: &Point<'_>) {
        for (index, priority) in self.priorities.iter_mut().enumerate() {
            let thread = ThreadId::from_index(index);
            let races = || point.wants(thread).is_some_and(|wants| races(event, &wants));
            if priority.is_some() && (thread == event.thread || races()) {
                *priority = None;
            }
        }
    }
}

impl Strategy for Pos {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: NAME.to_owned(), guarantee: String::new() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == 0 {
            self.rng = Rng::stream(self.seed, self.run);
            self.priorities.clear();
            self.seen = point.events.len();
        }
        for event in &point.events[self.seen..] {
            self.forget_after(event, point);
        }
        self.seen = point.events.len();
        // Choices are sorted, and the numbers of threads may have gaps.
        let highest = point.choices[point.choices.len() - 1].thread.index();
        if self.priorities.len() <= highest {
            self.priorities.resize(highest + 1, None);
        }

        // The first choice of the best thread, and how many choices it has.
        let (mut best, mut start, mut variants) = (None, 0, 0);
        for (index, choice) in point.choices.iter().enumerate() {
            if index > 0 && point.choices[index - 1].thread == choice.thread {
                variants += usize::from(point.choices[start].thread == choice.thread);
                continue;
            }
            let priority = *self.priorities[choice.thread.index()].get_or_insert_with(|| self.rng.next_u64());
            if best < Some(priority) {
                (best, start, variants) = (Some(priority), index, 1);
            }
        }
        Some(start + if variants > 1 { self.rng.below(variants) } else { 0 })
    }

    fn next(&mut self, _ended: &Ended<'_>) -> Next {
        self.run += 1;
        Next::Restart
    }
}
