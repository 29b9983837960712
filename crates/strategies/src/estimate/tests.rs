//! That every trace counts once is checked exactly: over all schedules of a trace, the chances that putting it into an order at
//! random gives this one must sum up to 1.

#[path = "../../tests/common/c_programs.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod programs;

use super::focus::Threads;
use super::freedom::{Freedom, Offer};
use crate::exhaustive::Exhaustive;
use gordian_engine::{Budget, Capabilities, End, Ended, Next, Point, Settings, Strategy, probe};
use gordian_trace::{Choice, Event, Exploration, Stop};
use programs::{CProgram, c_programs};
use std::collections::BTreeMap;

/// Programs with more schedules than this are left out.
const SCHEDULES: u64 = 1_000;

/// Every schedule, with its share of its trace.
#[derive(Default)]
struct Audit {
    schedules: Exhaustive,
    freedom: Freedom,
    offer: Option<Offer>,
    /// By depth: the logarithm of the chance of the choice.
    log_chances: Vec<f64>,
    shares: BTreeMap<u64, f64>,
    /// Some execution was cut short, so that not every order of its trace is possible.
    cut_short: bool,
}

impl Audit {
    fn record_steps(&mut self, schedule: &[Choice], events: &[Event]) {
        if let Some(offer) = self.offer.take() {
            self.freedom.push(schedule[self.freedom.len()], offer, events);
        }
    }
}

impl Strategy for Audit {
    fn exploration(&self) -> Exploration {
        Exploration::default()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.record_steps(point.schedule, point.events);
        self.log_chances.truncate(point.depth);
        self.log_chances.push(-(point.choices.len() as f64).ln());
        self.offer = Some(Offer::new(point, Threads::MAX));
        self.schedules.choose(point)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.record_steps(ended.schedule, ended.events);
        self.cut_short |= !matches!(ended.end, Some(End::Exit(_))) && !ended.stuck;
        let log_share = self.freedom.final_log_weight(false) + self.log_chances.iter().sum::<f64>();
        *self.shares.entry(self.freedom.order.class()).or_default() += log_share.exp();
        let next = self.schedules.next(ended);
        if let Next::Backtrack(depth) = next {
            self.freedom.truncate(depth);
        }
        next
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { exhaustive: true, backtracks: true, sees_every_step: true, ..Capabilities::default() }
    }
}

#[test]
fn the_schedules_of_a_trace_share_it() {
    let mut compared = 0;
    for CProgram { name, program, test } in c_programs() {
        let mut audit = Audit::default();
        let settings = Settings { budget: Budget { runs: Some(SCHEDULES), time: None }, ..Settings::default() };
        let probe = probe(&program, &test, &mut audit, &settings).unwrap();
        if probe.stop != Stop::Exhausted || audit.cut_short {
            continue;
        }
        for share in audit.shares.values() {
            assert!((share - 1.0).abs() < 1e-9, "{name}: a trace counts {share} times");
        }
        compared += usize::from(audit.shares.len() > 1);
    }
    assert!(compared > 50, "only {compared} programs were small enough to compare");
}
