//! Questions and answers.

use crate::model::Model;
use crate::statistics::{Clock, Statistics};
use gordian_expr::{ExprId, Pool};
use std::sync::Arc;

/// How much work an answer may take. Work is counted, not timed, so that the same questions get the same answers on every machine;
/// only `stop` can come from a clock.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    pub conflicts: Option<u64>,
    pub decisions: Option<u64>,
    /// Asked now and then whether there is still an interest in the answer.
    pub stop: Option<Interrupt>,
}

/// Tells whether work is to be given up, such as when the time of a search is up. It must stay true once it is.
#[derive(Clone)]
pub struct Interrupt(Arc<dyn Fn() -> bool + Send + Sync>);

impl Interrupt {
    pub fn new(is_raised: impl Fn() -> bool + Send + Sync + 'static) -> Interrupt {
        Interrupt(Arc::new(is_raised))
    }

    pub fn is_raised(&self) -> bool {
        (self.0)()
    }
}

impl std::fmt::Debug for Interrupt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Interrupt")
    }
}

impl Budget {
    pub const UNLIMITED: Budget = Budget { conflicts: None, decisions: None, stop: None };

    pub fn conflicts(most: u64) -> Budget {
        Budget { conflicts: Some(most), ..Budget::UNLIMITED }
    }

    pub fn is_stopped(&self) -> bool {
        self.stop.as_ref().is_some_and(Interrupt::is_raised)
    }
}

/// How a solver is watched from outside: neither changes an answer, except that there may be none.
#[derive(Clone, Debug, Default)]
pub struct Supervision {
    /// Takes the times of the statistics.
    pub clock: Option<Clock>,
    /// Ends queries that are under way, and answers no others.
    pub stop: Option<Interrupt>,
}

/// Can all of these hold together?
#[derive(Clone, Copy)]
pub struct Query<'a> {
    /// The path, in the order in which it came about. Queries that begin alike are answered faster.
    pub constraints: &'a [ExprId],
    /// What is asked in addition, such as the other side of a branch.
    pub assumptions: &'a [ExprId],
    /// Values to prefer: often those of the execution that the path was taken from. Parts of the query that they satisfy are left
    /// alone.
    pub hint: Option<&'a Model>,
    pub budget: &'a Budget,
}

impl<'a> Query<'a> {
    pub fn new(constraints: &'a [ExprId]) -> Self {
        Query { constraints, assumptions: &[], hint: None, budget: &Budget::UNLIMITED }
    }

    pub fn assuming(self, assumptions: &'a [ExprId]) -> Self {
        Query { assumptions, ..self }
    }

    pub fn with_hint(self, hint: &'a Model) -> Self {
        Query { hint: Some(hint), ..self }
    }

    pub fn within(self, budget: &'a Budget) -> Self {
        Query { budget, ..self }
    }

    /// Constraints and assumptions.
    pub fn all(&self) -> impl Iterator<Item = ExprId> + use<'a> {
        self.constraints.iter().chain(self.assumptions).copied()
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Values for the symbols of the query under which everything holds: checked by evaluation.
    Sat(Model),
    Unsat(Core),
    Unknown(Reason),
}

impl Answer {
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// Constraints and assumptions of the query that cannot hold together, in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Core(Box<[ExprId]>);

impl Core {
    pub fn new(mut ids: Vec<ExprId>) -> Core {
        ids.sort_unstable();
        ids.dedup();
        Core(ids.into())
    }

    pub fn ids(&self) -> &[ExprId] {
        &self.0
    }
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The budget's conflicts or decisions were used up.
    Budget,
    /// [`Budget::stop`] was raised.
    Stopped,
}

/// A solver of bit-vector constraints, or a layer around one.
///
/// Terms are conditions: vectors of width 1. A solver is used with one pool for all its life.
pub trait Solver {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer;

    /// What was done so far, outermost layer first.
    fn statistics(&self) -> Statistics;

    /// Takes the times of the statistics from here on.
    fn set_clock(&mut self, clock: Clock);
}

impl<S: Solver + ?Sized> Solver for Box<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        (**self).check(pool, query)
    }

    fn statistics(&self) -> Statistics {
        (**self).statistics()
    }

    fn set_clock(&mut self, clock: Clock) {
        (**self).set_clock(clock);
    }
}
