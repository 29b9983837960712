//! Searches that several workers share, against the same search by one.

use gordian_engine::{Budget, Few, Jobs, Outcome, Settings, Silent, Team, check, check_together};
use gordian_ir::Program;
use gordian_strategies::{Dpor, DporTeam};
use gordian_trace::Test;

/// What a report is made of.
#[derive(Debug)]
pub struct Report {
    /// All but the numbers.
    text: String,
    pub executions: u64,
    blocked: u64,
    steps: u64,
    solver_queries: u64,
}

impl Report {
    fn of(outcome: &Outcome) -> Report {
        let mut summary = outcome.summary.clone();
        let take = std::mem::take::<u64>;
        let (executions, blocked) = (take(&mut summary.executions), take(&mut summary.blocked));
        let (steps, solver_queries) = (take(&mut summary.steps), take(&mut summary.solver_queries));
        let tests = outcome.findings.iter().map(|found| format!("{:?} {:?}\n", found.finding, found.test.schedule));
        let text = format!("{summary:?}\n{}", tests.collect::<String>());
        Report { text, executions, blocked, steps, solver_queries }
    }

    /// Whether it is the same as another. If some executions were redundant, workers may plan more of those, or less, and make other steps and queries for them.
    pub fn is_as(&self, other: &Report) -> bool {
        let redundant = self.blocked > 0 || other.blocked > 0;
        let costs = |report: &Report| (report.steps, report.solver_queries);
        self.concludes_as(other) && (redundant || costs(self) == costs(other))
    }

    /// Whether findings and verdict are the same, and as many executions came to their end. In another order of exploration steps may cost more or less.
    pub fn concludes_as(&self, other: &Report) -> bool {
        self.text == other.text && self.executions == other.executions
    }

    /// Whether it has more redundant executions than the other.
    pub fn has_more_redundant(&self, other: &Report) -> bool {
        self.blocked > other.blocked
    }

    pub fn is_partial(&self) -> bool {
        self.text.contains("stop: Runs")
    }

    pub fn hits_bounds(&self) -> bool {
        !self.text.contains("hit: []")
    }
}

/// The report of one worker; none if it makes more executions than `limit`.
pub fn one(program: &Program, test: &Test, settings: &Settings, limit: u64) -> Option<Report> {
    let settings = Settings { budget: Budget { runs: Some(limit), time: None }, ..settings.clone() };
    let outcome = check(program, test, &mut Dpor::default(), &settings, &mut Silent).expect("it can be set up");
    Some(Report::of(&outcome)).filter(|report| !report.is_partial())
}

/// The report of `n` workers; none if the search is for one.
pub fn several(program: &Program, test: &Test, settings: &Settings, team: &dyn Team, n: usize) -> Option<Report> {
    let jobs = Jobs { n, alone: Few::ONE };
    let outcome = check_together(program, test, team, jobs, settings, &mut Silent).expect("it can be set up");
    outcome.as_ref().map(Report::of)
}

/// The report of a search that was split after so many executions; none if it cannot be, or was not split by what it was to be.
pub fn split(program: &Program, test: &Test, settings: &Settings, after: u64, n: usize) -> Option<Report> {
    let split = scouted(program, test, settings, after).split(4)?;
    several(program, test, settings, &*split, n)
}

/// A search after so many executions of a scout.
pub fn scouted(program: &Program, test: &Test, settings: &Settings, after: u64) -> DporTeam {
    let survey = Settings { budget: Budget { runs: Some(after), time: None }, ..settings.clone() };
    let team = DporTeam::default();
    check(program, test, &mut *team.scout(), &survey, &mut Silent).expect("it can be set up");
    team
}
