//! Searches as users run them, with memoised steps and with every shortcut, seen through the eyes of the strategy.

use crate::form::{Form, Key};
use gordian_engine::{
    Capabilities, Ended, FastForward, Next, Outcome, Point, Settings, Silent, Strategy, Worker, check,
};
use gordian_ir::Program;
use gordian_trace::{Exploration, Test};
use std::collections::BTreeSet;

/// What a search came to.
pub struct Reached {
    pub outcome: Outcome,
    /// Without what the machine alone could tell.
    pub forms: BTreeSet<Form>,
    pub findings: BTreeSet<Key>,
}

pub fn reach(program: &Program, test: &Test, strategy: Box<dyn Strategy>, settings: &Settings) -> Reached {
    let mut listener = Listener { strategy, forms: BTreeSet::new() };
    let outcome = check(program, test, &mut listener, settings, &mut Silent).expect("the program can be set up");
    let findings = outcome.findings.iter().map(|found| found.finding.key()).collect();
    Reached { outcome, forms: listener.forms, findings }
}

/// Hands everything on.
struct Listener {
    strategy: Box<dyn Strategy>,
    forms: BTreeSet<Form>,
}

impl Strategy for Listener {
    fn exploration(&self) -> Exploration {
        self.strategy.exploration()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.strategy.choose(point)
    }

    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        self.strategy.fast_forward()
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.forms.extend(Form::of(ended.end, ended.stuck, ended.events, None));
        let next = self.strategy.next(ended);
        if next == Next::Anew {
            self.forms.clear();
        }
        next
    }

    fn notes(&self) -> Vec<String> {
        self.strategy.notes()
    }

    fn capabilities(&self) -> Capabilities {
        self.strategy.capabilities()
    }

    fn as_worker(&mut self) -> Option<&mut dyn Worker> {
        self.strategy.as_worker()
    }

    fn done(&self) -> Option<f64> {
        self.strategy.done()
    }
}
