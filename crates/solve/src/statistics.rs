//! Counters of a chain of solvers.

use std::time::Duration;

/// One entry for each layer, outermost first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    pub layers: Vec<LayerStatistics>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayerStatistics {
    pub name: &'static str,
    pub queries: u64,
    /// Queries that went no further.
    pub answered: u64,
    /// Time in this layer and those below it. Zero unless a clock was given: see [`Clock`].
    pub time: Duration,
    /// Counters of this layer alone.
    pub details: Vec<(&'static str, u64)>,
}

impl Statistics {
    /// A layer's own entry before those of the layers below.
    pub(crate) fn below(mut self, entry: LayerStatistics) -> Statistics {
        self.layers.insert(0, entry);
        self
    }

    pub fn layer(&self, name: &str) -> Option<&LayerStatistics> {
        self.layers.iter().find(|layer| layer.name == name)
    }
}

/// Tells the time since some moment. Solvers read no clock of their own; times are for reports and decide nothing.
pub type Clock = fn() -> Duration;

/// Counts and times the queries of one layer.
pub(crate) struct Meter {
    name: &'static str,
    clock: Option<Clock>,
    queries: u64,
    answered: u64,
    time: Duration,
}

impl Meter {
    pub fn new(name: &'static str, clock: Option<Clock>) -> Self {
        Meter { name, clock, queries: 0, answered: 0, time: Duration::ZERO }
    }

    pub fn set_clock(&mut self, clock: Clock) {
        self.clock = Some(clock);
    }

    pub fn start(&mut self) -> Duration {
        self.queries += 1;
        self.now()
    }

    /// Ends what [`Meter::start`] began.
    pub fn stop(&mut self, start: Duration, answered: bool) {
        self.answered += u64::from(answered);
        self.time += self.now().saturating_sub(start);
    }

    fn now(&self) -> Duration {
        self.clock.map_or(Duration::ZERO, |clock| clock())
    }

    pub fn entry(&self, details: Vec<(&'static str, u64)>) -> LayerStatistics {
        LayerStatistics { name: self.name, queries: self.queries, answered: self.answered, time: self.time, details }
    }
}
