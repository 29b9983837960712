//! What the engine tells while it works. Every method may be left out.

use crate::Cost;
use gordian_trace::{Finding, ThreadOrigin};
use std::time::Duration;

pub trait Observer {
    /// About ten times a second during a search.
    fn progress(&mut self, _progress: &Progress) {}

    /// A finding showed for the first time. It has not been confirmed yet, so it is no bug yet.
    fn sighted(&mut self, _finding: &Finding) {}

    /// Whether what the search knows should be saved by now.
    fn wants_checkpoint(&mut self, _elapsed: Duration) -> bool {
        false
    }

    fn checkpoint(&mut self, _checkpoint: &Checkpoint) {}

    /// Shrinking found a cheaper schedule.
    fn shrunk(&mut self, _progress: &ShrinkProgress) {}
}

/// What a search needs to go on from here another time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// As [`crate::Team::save`] gives it.
    pub search: String,
    /// The numbers of threads, for the template of the search that goes on.
    pub threads: Vec<ThreadOrigin>,
}

/// Hears and says nothing.
pub struct Silent;

impl Observer for Silent {}

#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    pub executions: u64,
    pub blocked: u64,
    pub steps: u64,
    /// Executions for each second, blocked ones included.
    pub rate: f64,
    /// Distinct findings so far, not yet confirmed.
    pub findings: usize,
    /// Fraction of the search that is done: an estimate for exhaustive strategies, runs made of runs asked
    /// for when sampling.
    pub done: Option<f64>,
    pub elapsed: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShrinkProgress {
    /// Schedules tried.
    pub attempts: u64,
    pub cost: Cost,
}
