//! How far a search may go.

use crate::burst::Burst;
use crate::clock::Begin;
use gordian_trace::Stop;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
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
    /// Raised from outside to end the search with what it has.
    pub signal: Arc<StopSignal>,
}

/// Tells a search from outside to end before its time, and why. What was said first counts.
#[derive(Debug, Default)]
pub struct StopSignal(AtomicU8);

impl StopSignal {
    const INTERRUPTED: u8 = 1;
    const OUT_OF_MEMORY: u8 = 2;

    /// The user wants to stop. False if it was to stop already.
    pub fn interrupt(&self) -> bool {
        self.raise(Self::INTERRUPTED)
    }

    /// The memory that the search may use is used up.
    pub fn end_for_memory(&self) -> bool {
        self.raise(Self::OUT_OF_MEMORY)
    }

    pub fn stop(&self) -> Option<Stop> {
        match self.0.load(Ordering::Relaxed) {
            Self::INTERRUPTED => Some(Stop::Interrupted),
            Self::OUT_OF_MEMORY => Some(Stop::Memory),
            _ => None,
        }
    }

    fn raise(&self, why: u8) -> bool {
        self.0.compare_exchange(0, why, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

impl Settings {
    /// The same for a search that may have to begin anew: its time runs from now on, if it does not yet.
    pub fn begun(&self) -> Settings {
        Settings { begin: self.begin.or_now(), ..self.clone() }
    }
}
