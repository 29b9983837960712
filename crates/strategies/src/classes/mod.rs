//! Every schedule, depth first, without reduction, as `exhaustive`; and each execution is sorted into its Mazurkiewicz
//! trace, so that the number of traces is known without any reduction. The oracle for `dpor`.
//!
//! **Guarantee:** as `exhaustive`.
//!
//! **Misses** nothing, and takes even longer.

mod classifier;

use crate::exhaustive::Exhaustive;
pub use classifier::Classifier;
use gordian_base::FxHashSet;
use gordian_engine::{Capabilities, End, Ended, Next, Point, Strategy};
use gordian_trace::Exploration;

pub const NAME: &str = "classes";

#[derive(Default)]
pub struct Classes {
    schedules: Exhaustive,
    classifier: Classifier,
    complete: FxHashSet<u64>,
    dropped: FxHashSet<u64>,
}

impl Classes {
    /// Traces of executions that came to an end of their own.
    pub fn complete(&self) -> &FxHashSet<u64> {
        &self.complete
    }
}

impl Strategy for Classes {
    fn exploration(&self) -> Exploration {
        let guarantee = format!(
            "executes every schedule within the bounds; they fall into {} traces, and {} that were blocked",
            self.complete.len(),
            self.dropped.len()
        );
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        let chosen = self.schedules.choose(point)?;
        self.classifier.chosen(point, point.choices[chosen]);
        Some(chosen)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let class = self.classifier.class(ended);
        match ended.end {
            Some(End::Exit(_) | End::Failed) => self.complete.insert(class),
            _ => self.dropped.insert(class),
        };
        let next = self.schedules.next(ended);
        if let Next::Backtrack(depth) = next {
            self.classifier.back(depth);
        }
        next
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { exhaustive: true, backtracks: true, sees_every_step: true, ..Capabilities::default() }
    }

    fn done(&self) -> Option<f64> {
        self.schedules.done()
    }
}
