//! The only wall clock of gordian.

use crate::Settings;
use gordian_solve::Interrupt;
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// Time between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// The clock aims to be read about this often, whether a step takes a microsecond or a second.
const READ_EVERY: Duration = Duration::from_micros(500);
const MOST_TICKS: u32 = 256;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tick {
    /// The clock was not read.
    Quiet,
    /// A good moment to look whether the user wants to stop.
    Read,
    /// Time to report progress.
    Report,
    /// The time budget is used up.
    Up,
}

/// When the time of a budget began to run: by default with each search.
#[derive(Clone, Copy, Debug, Default)]
pub struct Begin(Option<Instant>);

impl Begin {
    /// It runs from now on.
    pub fn now() -> Begin {
        Begin(Some(now()))
    }

    pub(crate) fn or_now(self) -> Begin {
        Begin(self.0.or_else(|| Some(now())))
    }
}

/// Measures the time budget and paces progress reports. It is ticked once for each step and reads the
/// time only every so many ticks, the fewer the longer they take.
pub(crate) struct BudgetClock {
    start: Instant,
    /// Time that searches before it have used up.
    before: Duration,
    limit: Option<Duration>,
    last_read: Duration,
    next_report: Duration,
    ticks_per_read: u32,
    ticks_left: u32,
}

impl BudgetClock {
    pub fn start(settings: &Settings) -> Self {
        let start = now();
        BudgetClock {
            start,
            before: settings.begin.0.map_or(Duration::ZERO, |begin| start - begin),
            limit: settings.budget.time,
            last_read: Duration::ZERO,
            next_report: REPORT_EVERY,
            ticks_per_read: 1,
            ticks_left: 1,
        }
    }

    #[inline]
    pub fn tick(&mut self) -> Tick {
        self.ticks_left -= 1;
        if self.ticks_left > 0 { Tick::Quiet } else { self.read() }
    }

    /// Raised when the time budget is used up or the search is told to stop.
    pub fn interrupt(&self, settings: &Settings) -> Interrupt {
        let (start, before, limit) = (self.start, self.before, self.limit);
        let signal = Arc::clone(&settings.signal);
        let is_up = move || limit.is_some_and(|limit| before + (now() - start) >= limit);
        Interrupt::new(move || signal.stop().is_some() || is_up())
    }

    /// The next tick reads the clock.
    pub fn read_next(&mut self) {
        self.ticks_left = 1;
    }

    pub fn elapsed(&self) -> Duration {
        now() - self.start
    }

    #[cold]
    fn read(&mut self) -> Tick {
        let elapsed = self.elapsed();
        let interval = elapsed.saturating_sub(self.last_read);
        if interval > READ_EVERY {
            self.ticks_per_read = (self.ticks_per_read / 2).max(1);
        } else if interval < READ_EVERY / 4 {
            self.ticks_per_read = (self.ticks_per_read * 2).min(MOST_TICKS);
        }
        self.last_read = elapsed;
        self.ticks_left = self.ticks_per_read;
        if self.limit.is_some_and(|limit| self.before + elapsed >= limit) {
            Tick::Up
        } else if elapsed >= self.next_report {
            self.next_report = elapsed + REPORT_EVERY;
            Tick::Report
        } else {
            Tick::Read
        }
    }
}

impl Settings {
    /// What is left of the time; none if there is no limit.
    pub(crate) fn time_left(&self) -> Option<Duration> {
        let used = self.begin.0.map_or(Duration::ZERO, |begin| now() - begin);
        self.budget.time.map(|limit| limit.saturating_sub(used))
    }

    /// Whether what was found need not be looked at any longer: the time is up, and some more that is there to confirm it.
    pub(crate) fn is_overdue(&self) -> bool {
        let Some(limit) = self.budget.time else { return false };
        let used = self.begin.0.map_or(Duration::ZERO, |begin| now() - begin);
        used >= limit + (limit / 10).max(LEAST_GRACE)
    }

    /// Whether the time is up or the search was told to stop.
    pub(crate) fn is_late(&self) -> bool {
        self.time_left() == Some(Duration::ZERO) || self.signal.stop().is_some()
    }
}

/// Time to confirm findings beyond that of the search.
const LEAST_GRACE: Duration = Duration::from_secs(1);

/// The time since it was first asked for: for times in reports, which decide nothing.
pub(crate) fn for_reports() -> Duration {
    static FIRST: OnceLock<Instant> = OnceLock::new();
    FIRST.get_or_init(now).elapsed()
}

#[expect(clippy::disallowed_methods, reason = "this is the one budget clock")]
fn now() -> Instant {
    Instant::now()
}

#[cfg(test)]
mod tests {
    use super::{BudgetClock, Settings};
    use std::time::Duration;

    #[test]
    fn a_search_that_begins_anew_has_less_time() {
        let settings = Settings::default();
        assert_eq!(BudgetClock::start(&settings).before, Duration::ZERO);
        let begun = settings.begun();
        let first = BudgetClock::start(&begun);
        let second = BudgetClock::start(&begun.begun());
        assert_eq!(second.before, first.before + (second.start - first.start));
    }
}
