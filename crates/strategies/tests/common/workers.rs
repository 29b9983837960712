//! Searches that several workers share, against the same search by one.

use gordian_engine::{Budget, Jobs, Outcome, Settings, Silent, check, check_together};
use gordian_ir::Program;
use gordian_strategies::{Dpor, DporTeam};
use gordian_trace::Test;

/// What a report is made of.
pub fn text(outcome: &Outcome) -> String {
    let tests = outcome.findings.iter().map(|found| format!("{:?} {:?}\n", found.finding, found.test.schedule));
    format!("{:?}\n{}", outcome.summary, tests.collect::<String>())
}

/// The report of one worker; none if it makes more executions than `limit`.
pub fn one(program: &Program, test: &Test, settings: &Settings, limit: u64) -> Option<String> {
    let settings = Settings { budget: Budget { runs: Some(limit), time: None }, ..settings.clone() };
    let outcome = check(program, test, &mut Dpor::default(), &settings, &mut Silent).expect("it can be set up");
    let text = text(&outcome);
    (!text.contains("stop: Runs")).then_some(text)
}

/// The report of `n` workers; none if the search is for one.
pub fn several(program: &Program, test: &Test, settings: &Settings, team: &DporTeam, n: usize) -> Option<String> {
    let jobs = Jobs { n, alone: 1 };
    let outcome = check_together(program, test, team, jobs, settings, &mut Silent).expect("it can be set up");
    outcome.as_ref().map(text)
}
