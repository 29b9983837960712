//! What a search, or a part of one, came to so far.

use crate::collect::Collector;
use crate::covering::Covering;
use crate::report::Tally;
use gordian_trace::Stop;
use serde::{Deserialize, Serialize};

/// Counts and unconfirmed findings of some executions. Those of consecutive parts of a search, put together in their
/// order, are those of the whole.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Results {
    pub(crate) tally: Tally,
    pub(crate) collector: Collector,
    pub(crate) covering: Covering,
    /// Why nothing after them counts any more.
    pub(crate) stop: Option<Stop>,
}

impl Results {
    /// Adds those of the executions that come next.
    pub fn append(&mut self, later: Results) {
        let n_before = self.tally.executions + self.tally.blocked;
        self.tally.append(later.tally);
        self.collector.append(later.collector);
        self.covering.append(later.covering, n_before);
        self.stop = self.stop.take().or(later.stop);
    }

    /// These were found before all others.
    pub(crate) fn found_before(&mut self, found: Collector) {
        let later = std::mem::replace(&mut self.collector, found);
        self.collector.append(later);
    }

    /// Whether the search ends with them.
    pub fn is_final(&self) -> bool {
        self.stop.is_some()
    }

    pub fn executions(&self) -> u64 {
        self.tally.executions
    }
}
