//! A search that is given up after so many executions or steps.

use gordian_engine::{Capabilities, Ended, FastForward, Next, Point, Strategy};
use gordian_trace::Exploration;

pub struct Limited<S> {
    inner: S,
    runs: u64,
    steps: u64,
    /// Whether it was given up.
    pub given_up: bool,
}

impl<S: Strategy> Limited<S> {
    pub fn new(inner: S, runs: u64, steps: u64) -> Self {
        Limited { inner, runs, steps, given_up: false }
    }
}

impl<S: Strategy> Strategy for Limited<S> {
    fn exploration(&self) -> Exploration {
        self.inner.exploration()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.inner.choose(point)
    }

    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        self.inner.fast_forward()
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let next = self.inner.next(ended);
        self.runs = self.runs.saturating_sub(1);
        self.steps = self.steps.saturating_sub(ended.schedule.len() as u64);
        self.given_up = next != Next::Done && (self.runs == 0 || self.steps == 0);
        if self.given_up { Next::Done } else { next }
    }

    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }
}
