//! Memoised steps against steps that are made: a strategy must not see a difference.

use gordian_base::{FxHasher, ThreadId};
use gordian_engine::{Budget, Capabilities, Ended, Next, Outcome, Point, Settings, Silent, Strategy, check};
use gordian_ir::Program;
use gordian_trace::{Event, Exploration, Stop, Test};
use std::hash::{Hash, Hasher};

/// What a search came to.
pub struct Seen {
    pub outcome: Outcome,
    /// Of all that the strategy was shown, in the order of the search.
    pub shown: u64,
}

impl Seen {
    pub fn is_as(&self, other: &Seen) -> bool {
        let counts = |seen: &Seen| {
            let summary = &seen.outcome.summary;
            (summary.executions, summary.blocked, summary.steps, summary.stop == Stop::Exhausted)
        };
        let findings = |seen: &Seen| -> Vec<String> {
            let found = seen.outcome.findings.iter();
            found.map(|found| format!("{:?} {:?}", found.finding, found.test.schedule)).collect()
        };
        (counts(self), self.shown) == (counts(other), other.shown) && findings(self) == findings(other)
    }
}

/// Searches with a strategy that goes back, with or without memory.
pub fn search(program: &Program, test: &Test, strategy: Box<dyn Strategy>, runs: u64, makes_every_step: bool) -> Seen {
    let mut witness = Witness { strategy, shown: FxHasher::default() };
    let budget = Budget { runs: Some(runs), time: None };
    let settings = Settings { budget, makes_every_step, ..Settings::default() };
    let outcome = check(program, test, &mut witness, &settings, &mut Silent).expect("the program can be set up");
    Seen { outcome, shown: witness.shown.finish() }
}

struct Witness {
    strategy: Box<dyn Strategy>,
    shown: FxHasher,
}

impl Strategy for Witness {
    fn exploration(&self) -> Exploration {
        self.strategy.exploration()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        (point.depth, point.step, point.choices, point.schedule.last()).hash(&mut self.shown);
        for thread in (0..8).map(ThreadId) {
            point
                .wants(thread)
                .map(|wants| (wants.kind, wants.size, wants.address, wants.at, wants.varies))
                .hash(&mut self.shown);
        }
        self.strategy.choose(point)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let Ended { end, stuck, depth, schedule, events, n_threads, thread_numbers, .. } = ended;
        (format!("{end:?}"), stuck, depth, n_threads, thread_numbers, schedule).hash(&mut self.shown);
        for event in *events {
            let Event { thread, kind, alone, unsure, varies, size, at, address, value, other } = *event;
            ((thread, kind, alone, unsure, varies), (size, at, address, value, other)).hash(&mut self.shown);
        }
        for thread in (0..8).map(ThreadId) {
            let wants =
                ended.wants(thread).map(|wants| (wants.kind, wants.size, wants.address, wants.at, wants.varies));
            (wants, ended.watched(thread)).hash(&mut self.shown);
        }
        self.strategy.next(ended)
    }

    fn notes(&self) -> Vec<String> {
        self.strategy.notes()
    }

    fn capabilities(&self) -> Capabilities {
        self.strategy.capabilities()
    }
}
