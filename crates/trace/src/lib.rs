//! The words that all parts share: events, choices, tests, findings, verdicts, and the one format on
//! disk. No part of this crate knows the machine, LLVM or a strategy.

mod coverage;
mod event;
mod event_name;
mod finding;
mod schedule;
mod solver;
mod step;
mod test;
mod verdict;

pub use coverage::{BranchPlace, Coverage, FirstCovered};
pub use event::{CodePoint, Event, Hidden, KNOWN_READERS, NO_CODE, OpKind, Wants, words};
pub use event_name::{EventName, EventNameError, ThreadPath, event_names};
pub use finding::{Finding, FindingKind, Place, ThreadName};
pub use schedule::{Choice, Schedule, ScheduleError};
pub use solver::{SolverLayer, SolverSummary};
pub use step::{Step, StepForm};
pub use test::{
    FORMAT_VERSION, InputSource, InputValue, Machine, Objection, ProgramSource, RaceMode, Test, TestError, ThreadOrigin,
};
pub use verdict::{
    Bound, Bounds, CheckSummary, CheckTiming, DegreeSummary, Exploration, InterferenceEnd, InterferenceSummary,
    PredictionSummary, RegionFate, RegionSummary, SimplificationSummary, Stop, Summary, SwitchSet, Verdict, exit_code,
};
