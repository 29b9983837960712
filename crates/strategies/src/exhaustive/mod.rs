//! Every schedule, depth first, without any reduction.
//!
//! **Guarantee:** when it is done and no bound was hit, every behaviour of the program was executed.
//!
//! **Misses** nothing, and takes for ever: n threads of k operations have (nk)!/(k!)^n schedules. It is the oracle
//! that reductions are compared with, and the strategy for very small programs.

use gordian_engine::{Capabilities, Ended, Next, Point, Strategy};
use gordian_trace::Exploration;

pub const NAME: &str = "exhaustive";

/// A choice point of the present execution.
#[derive(Clone, Copy)]
struct Branch {
    /// The choice being explored; those before it are done.
    taken: u32,
    n_choices: u32,
}

#[derive(Default)]
pub struct Exhaustive {
    path: Vec<Branch>,
}

impl Strategy for Exhaustive {
    fn exploration(&self) -> Exploration {
        let guarantee = "executes every schedule within the bounds".to_owned();
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == self.path.len() {
            self.path.push(Branch { taken: 0, n_choices: point.choices.len() as u32 });
        }
        let branch = self.path[point.depth];
        assert!(branch.n_choices as usize == point.choices.len(), "the same prefix led to another state");
        Some(branch.taken as usize)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        assert!(ended.depth == self.path.len(), "an execution passed choice points that were not chosen at");
        while let Some(branch) = self.path.last_mut() {
            branch.taken += 1;
            if branch.taken < branch.n_choices {
                return Next::Backtrack(self.path.len() - 1);
            }
            self.path.pop();
        }
        Next::Done
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { exhaustive: true, backtracks: true, ..Capabilities::default() }
    }

    /// Knuth's estimate (Math. Comp. 1975): every subtree of a choice point counts the same, so the path, read as
    /// digits of mixed radix, is the fraction done. Exact if the tree is even.
    fn done(&self) -> Option<f64> {
        let mut weight = 1.0;
        let mut done = 0.0;
        for branch in &self.path {
            weight /= f64::from(branch.n_choices);
            done += weight * f64::from(branch.taken);
        }
        Some(done)
    }
}
