//! What deciding for all inputs took.

use serde::Serialize;
use std::time::Duration;

/// How the questions of a search with symbolic inputs were answered. It is the same every time for one worker; several have each
/// their own memory of answers.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SolverSummary {
    /// Ways to decide everything that inputs decide.
    pub paths: u64,
    /// Most executions that had one path in common: its orders of dependent steps.
    pub most_orders: u64,
    /// Queries that came to the solver. Some questions need none, others several.
    pub queries: u64,
    /// Outermost first. A query of one layer can become several of the next, or none.
    pub layers: Vec<SolverLayer>,
    /// In the solver; zero unless somebody asked for times. Never a part of what must be the same twice.
    #[serde(skip)]
    pub time: Duration,
}

/// One of the layers that a query goes through.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SolverLayer {
    pub name: &'static str,
    pub queries: u64,
    /// Those that went no further.
    pub answered: u64,
}
