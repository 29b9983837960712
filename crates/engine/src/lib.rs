//! The run loop: it drives executions the way a [`Strategy`] asks, keeps to the budgets, collects
//! findings, confirms each by replay on a fresh machine, and concludes with a verdict.
//!
//! The engine never prints: an [`Observer`] hears of progress. It never learns which strategy runs, and
//! strategies never see the machine, only [`Point`]s and [`Ended`] executions. Nothing that it returns
//! depends on the time of day or the speed of the machine, unless a time budget ends the search.

mod burst;
mod clock;
mod collect;
mod covering;
mod default_schedule;
mod executor;
mod gathering;
mod guard;
mod inputs_first;
mod machine;
mod observer;
mod paths;
mod preemptions;
mod replay;
mod report;
mod results;
mod run;
mod search;
mod settings;
mod shrink;
mod strategy;
mod team;
#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "toy"))]
pub mod toy;

pub use burst::Burst;
pub use clock::Begin;
pub use collect::Cost;
pub use default_schedule::default_choice;
pub use executor::{Evidence, Executor, Inputs, Limits, Modes, Stepping, Subject, Visibility};
pub use gathering::Gathering;
pub use gordian_vm::{End, RawFinding};
pub use observer::{Checkpoint, Observer, Progress, ShrinkProgress, Silent};
pub use replay::{Divergence, Replay, finish, replay};
pub use report::{CoveringTest, Found, Outcome};
pub use results::Results;
pub use run::{Course, RunOutcome, run, run_along};
pub use search::{Probe, check, probe};
pub use settings::{Budget, Settings, StopSignal};
pub use shrink::{Effort, shrink, shrink_within};
pub use strategy::{Capabilities, Ended, FastForward, Next, OrderConstraint, Point, SkippedState, Strategy, Worker};
pub use team::{Division, Few, Jobs, Team, check_together};

/// What keeps the engine from starting. A bug in the program under test is a value, never one of these.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error(transparent)]
    Setup(#[from] gordian_vm::SetupError),
    #[error("the test does not replay on this program: {0}")]
    Diverged(Divergence),
    #[error("the test shows {0}, so there is nothing to shrink")]
    NothingToShrink(&'static str),
}
