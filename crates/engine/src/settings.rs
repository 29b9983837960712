//! How far a search may go.

use crate::burst::Burst;
use crate::clock::Begin;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What a search may use up. Nothing set means no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Executions, blocked ones included.
    pub runs: Option<u64>,
    pub time: Option<Duration>,
}

#[derive(Clone, Debug, Default)]
pub struct Settings {
    pub budget: Budget,
    /// Since when the time of the budget runs.
    pub begin: Begin,
    /// Most preemptions of one execution: switches away from a thread that could have gone on.
    pub preemptions: Option<u32>,
    /// End the search with the first execution that shows a finding.
    pub stop_at_first: bool,
    /// Look for failures that inputs alone lead to before anything else.
    pub inputs_first: bool,
    /// Sampled executions within a long search.
    pub burst: Option<Burst>,
    /// Count paths, and tell what the solver did and how long it took. For searches of one worker.
    pub solver_summary: bool,
    /// Make every step, also those that could be replayed from the memo. For comparisons.
    pub makes_every_step: bool,
    /// Set from outside (Ctrl-C) to end the search with what it has.
    pub interrupt: Arc<AtomicBool>,
}

impl Settings {
    /// The same for a search that may have to begin anew: its time runs from now on, if it does not yet.
    pub fn begun(&self) -> Settings {
        Settings { begin: self.begin.or_now(), ..self.clone() }
    }
}
