//! Prediction from a run of gordian's machine: reorderings are exact, and every finding is replayed.

use crate::atomicity;
use crate::line::Atom;
use crate::observe::{Observed, observe};
use crate::regions::DeclaredRegion;
use crate::reorder::{Answer, Deviation, Reorderer, Reordering};
use crate::replay::{Replayed, replay};
use crate::simplify::{Steps, Switches};
use gordian_base::{FxHashSet, Id};
use gordian_engine::{End, EngineError, Found, Gathering, Observer, Outcome, Settings};
use gordian_ir::Program;
use gordian_trace::{
    Bound, CheckSummary, Exploration, Finding, FindingKind, PredictionSummary, Schedule, SimplificationSummary, Stop,
    Test, Verdict,
};
use gordian_vm::Machine;

/// What to look for.
#[derive(Clone, Debug)]
pub struct Options {
    pub races: bool,
    pub deadlocks: bool,
    pub orders: bool,
    pub decisions: bool,
    pub atomicity: bool,
    /// Neighbours in a region are nearer than so many lines.
    pub lines: u32,
    /// Regions that are meant to be atomic, whatever they look like.
    pub declared: Vec<DeclaredRegion>,
    /// Which steps simplify the model before anybody asks.
    pub steps: Steps,
    /// Predict again from replays that went elsewhere, so often.
    pub rounds: u32,
    /// Keep the tests of what does not replay.
    pub keep_spurious: bool,
}

impl Default for Options {
    fn default() -> Self {
        let (races, deadlocks, orders, decisions, atomicity) = (true, true, true, true, true);
        Options {
            races,
            deadlocks,
            orders,
            decisions,
            atomicity,
            lines: 5,
            declared: Vec::new(),
            steps: Steps::default(),
            rounds: 0,
            keep_spurious: false,
        }
    }
}

/// As users know it.
pub const NAME: &str = "predict";

/// Runs that went elsewhere and are predicted from in one round.
const MOST_RUNS: usize = 16;

/// Work for one question, as [`Reorderer::work`] counts it; for all of them; and for each that comes after that. What is given up is undecided.
const QUESTION_WORK: u64 = 200_000_000;
const ALL_WORK: u64 = 1_000_000_000;
const LATE_WORK: u64 = 2_000_000;

/// What a prediction came to.
pub struct PredictedOutcome {
    pub outcome: Outcome,
    /// Tests of reorderings that the machine did not make as they were predicted.
    pub spurious: Vec<Test>,
}

/// Predicts from the run of a test what its reorderings show.
pub fn predict(
    program: &Program,
    test: &Test,
    options: Options,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome, EngineError> {
    predict_and_keep(program, test, options, settings, observer).map(|predicted| predicted.outcome)
}

/// The same, and keeps what did not replay.
pub fn predict_and_keep(
    program: &Program,
    test: &Test,
    options: Options,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<PredictedOutcome, EngineError> {
    let mut totals = Totals::default();
    let mut gathering = Gathering::start(settings, observer);
    let mut stop = Stop::Exhausted;
    let mut runs = vec![test.clone()];
    for round in 0..=options.rounds {
        for run in std::mem::take(&mut runs).into_iter().take(MOST_RUNS) {
            totals.summary.rounds += usize::from(round > 0);
            stop = predict_from(program, &run, &options, &mut gathering, &mut totals)?;
            if stop != Stop::Exhausted {
                break;
            }
        }
        if stop != Stop::Exhausted {
            break;
        }
        runs = std::mem::take(&mut totals.elsewhere);
    }
    let spurious = std::mem::take(&mut totals.spurious);
    let outcome = conclude(program, test, gathering, totals, stop)?;
    Ok(PredictedOutcome { outcome, spurious })
}

/// What all rounds came to so far.
#[derive(Default)]
struct Totals {
    summary: PredictionSummary,
    /// Violated regions, each with what came of it.
    violated: Vec<(Harm, Found)>,
    spurious: Vec<Test>,
    /// Runs of replays that went another way, and how all runs went.
    elsewhere: Vec<Test>,
    ways: FxHashSet<u64>,
    losses: Vec<String>,
}

/// Predicts from one run.
fn predict_from(
    program: &Program,
    test: &Test,
    options: &Options,
    gathering: &mut Gathering<'_>,
    totals: &mut Totals,
) -> Result<Stop, EngineError> {
    let (observed, values) = observe(program, test, options.steps)?;
    let (simplification, transactions) = simplified(&observed, options.steps);
    let mut summary = PredictionSummary {
        simplification,
        events: observed.run.events.len(),
        threads: observed.run.n_threads as usize,
        transitions: observed.run.instants.len(),
        kept_in_order: observed.kept.iter().map(ToString::to_string).collect(),
        ..PredictionSummary::default()
    };
    let rounds = Rounds { ways: std::mem::take(&mut totals.ways), ..Rounds::default() };
    let mut predictor = Predictor {
        program,
        test,
        options: options.clone(),
        observed: &observed,
        gathering,
        summary: PredictionSummary::default(),
        violated: std::mem::take(&mut totals.violated),
        n_not_replayed: 0,
        transactions,
        rounds,
    };
    predictor.replay(&Reordering::of_run(&observed.run), &[])?;
    let mut reorderer = Reorderer::new(&observed.run, Some(values));
    reorderer.stop_by(predictor.gathering.interrupt());
    let stop = predictor.look(&mut reorderer)?;
    let Predictor { violated, n_not_replayed, rounds, summary: found, .. } = predictor;
    (summary.checks, summary.regions) = (found.checks, found.regions);
    for check in &mut summary.checks {
        check.slice_transitions /= check.predicted.max(1);
        check.slice_switches /= check.predicted.max(1) as u64;
    }
    summary.order_queries = reorderer.n_questions;
    summary.lines = reorderer.n_lines;
    summary.data_queries = reorderer.values.as_ref().map_or(0, |values| values.n_queries);
    summary.not_replayed = n_not_replayed;
    totals.violated = violated;
    totals.spurious.extend(rounds.spurious);
    totals.elsewhere.extend(rounds.elsewhere);
    totals.ways = rounds.ways;
    totals.losses.extend(observed.losses.iter().cloned());
    totals.summary = add(std::mem::take(&mut totals.summary), summary);
    Ok(stop)
}

/// What simplification came to, and the independent transactions by event. The model itself is as large as the run and is not kept.
fn simplified(observed: &Observed, steps: Steps) -> (Vec<SimplificationSummary>, Vec<u32>) {
    let switches = Switches::new(&observed.run, steps);
    let transactions = switches.transactions();
    (switches.summary, transactions)
}

/// The first run is described; of all of them it is counted what was looked for.
fn add(mut all: PredictionSummary, of: PredictionSummary) -> PredictionSummary {
    if all.events == 0 {
        return PredictionSummary { rounds: all.rounds, ..of };
    }
    for check in of.checks {
        match all.checks.iter_mut().find(|known| known.what == check.what) {
            Some(known) => {
                known.candidates += check.candidates;
                known.predicted += check.predicted;
                known.replayed += check.replayed;
                known.undecided += check.undecided;
                known.time_us += check.time_us;
                known.worst_us = known.worst_us.max(check.worst_us);
            }
            None => all.checks.push(check),
        }
    }
    all.order_queries += of.order_queries;
    all.lines += of.lines;
    all.data_queries += of.data_queries;
    all.not_replayed += of.not_replayed;
    let kept = of.kept_in_order.into_iter();
    let new: Vec<String> = kept.filter(|what| !all.kept_in_order.contains(what)).collect();
    all.kept_in_order.extend(new);
    all
}

fn conclude(
    program: &Program,
    test: &Test,
    mut gathering: Gathering<'_>,
    mut totals: Totals,
    stop: Stop,
) -> Result<Outcome, EngineError> {
    gathering.hit(Bound::Reorderings);
    totals.losses.dedup();
    for loss in &totals.losses {
        gathering.note(format!("not everything was modelled: {loss}"));
    }
    if totals.summary.not_replayed > 0 {
        gathering.note(format!("{} reorderings did not replay", totals.summary.not_replayed));
    }
    let guarantee = "what another order of the same steps of this run can show".to_owned();
    let exploration = Exploration { strategy: NAME.to_owned(), guarantee };
    let template = crate::observe::symbolic(test);
    let mut outcome = gathering.conclude(program, &template, stop, exploration)?;
    totals.violated.sort_by_key(|(harm, _)| *harm);
    let is_harmful = totals.violated.first().is_some_and(|(harm, _)| *harm != Harm::NothingSeen);
    if is_harmful && outcome.summary.verdict == Verdict::Bounded {
        outcome.summary.verdict = Verdict::Bug;
    }
    outcome.findings.extend(totals.violated.into_iter().map(|(_, found)| found));
    totals.summary.sum_up(outcome.findings.iter().map(|found| &found.finding));
    outcome.summary.prediction = Some(totals.summary);
    Ok(outcome)
}

/// What a prediction leaves for later rounds.
#[derive(Default)]
pub(crate) struct Rounds {
    spurious: Vec<Test>,
    elsewhere: Vec<Test>,
    ways: FxHashSet<u64>,
}

pub(crate) struct Predictor<'a, 'g> {
    pub(crate) program: &'a Program,
    pub(crate) test: &'a Test,
    pub(crate) observed: &'a Observed,
    pub(crate) gathering: &'a mut Gathering<'g>,
    pub(crate) summary: PredictionSummary,
    pub(crate) options: Options,
    /// Violated regions, each with what came of it.
    pub(crate) violated: Vec<(Harm, Found)>,
    pub(crate) n_not_replayed: usize,
    /// By event: the independent transaction that it belongs to.
    pub(crate) transactions: Vec<u32>,
    pub(crate) rounds: Rounds,
}

/// What came of a violated region, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Harm {
    Failure,
    OtherOutput,
    /// Nothing was seen, but somebody said that it must not be.
    Declared,
    NothingSeen,
}

impl Harm {
    pub(crate) fn text(self) -> &'static str {
        match self {
            Harm::Failure => "the execution fails",
            Harm::OtherOutput => "the program prints something else than in the run",
            Harm::Declared => "the region was declared to be atomic",
            Harm::NothingSeen => "nothing was seen to come of it",
        }
    }
}

impl Predictor<'_, '_> {
    /// Makes a reordering, then these instants, and goes on to the end. Gives what it showed.
    pub(crate) fn replay(&mut self, reordering: &Reordering, last: &[u32]) -> Result<Vec<Finding>, EngineError> {
        let mut replayed = replay(self.program, self.test, self.observed, reordering, last)?;
        let findings = replayed.machine.findings().iter().map(|raw| raw.finding.clone()).collect();
        self.gathering.add(&mut replayed.machine);
        self.keep(&replayed, !reordering.deviates.is_empty());
        Ok(findings)
    }

    /// As [`Predictor::replay`], for an order that nobody predicted: it is no matter if the machine does not make it.
    pub(crate) fn try_order(&mut self, reordering: &Reordering, last: &[u32]) -> Result<Vec<Finding>, EngineError> {
        let mut replayed = replay(self.program, self.test, self.observed, reordering, last)?;
        let findings = replayed.machine.findings().iter().map(|raw| raw.finding.clone()).collect();
        self.gathering.add(&mut replayed.machine);
        Ok(findings)
    }

    /// Keeps replays that went elsewhere, as runs for the next round, and those that failed.
    fn keep(&mut self, replayed: &Replayed<'_>, deviates: bool) {
        let machine = &replayed.machine;
        let is_spurious = !replayed.went && machine.findings().is_empty();
        self.n_not_replayed += usize::from(is_spurious);
        if is_spurious && self.options.keep_spurious {
            let test = self.test_of(machine, replayed.n_steps);
            self.rounds.spurious.push(test);
        }
        if self.options.rounds == 0 || !matches!(machine.end(), Some(End::Exit(_))) {
            return;
        }
        let is_new = self.rounds.ways.insert(way(machine));
        if deviates && is_new && self.rounds.elsewhere.len() < MOST_RUNS {
            let test = self.test_of(machine, machine.schedule().len());
            self.rounds.elsewhere.push(test);
        }
    }

    /// The test that makes the first so many steps of an execution.
    pub(crate) fn test_of(&self, machine: &Machine<'_>, steps: usize) -> Test {
        let settings = gordian_trace::Machine { symbolic: false, ..self.test.machine.clone() };
        Test {
            schedule: Schedule(machine.fixed_schedule(steps).to_vec()),
            threads: machine.thread_origins(),
            inputs: machine.inputs(),
            machine: settings,
            finding: None,
            ..self.test.clone()
        }
    }

    fn look(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Stop, EngineError> {
        let options = self.options.clone();
        type Check<'a, 'g> = fn(&mut Predictor<'a, 'g>, &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError>;
        let checks: [(bool, Check<'_, '_>); 7] = [
            (options.deadlocks, Predictor::deadlocks),
            (options.deadlocks, Predictor::stuck),
            (options.races, Predictor::races),
            (options.orders, Predictor::orders),
            (options.decisions, Predictor::decisions),
            (options.decisions, Predictor::outcomes),
            (options.atomicity, Predictor::atomicity),
        ];
        for (_, check) in checks.into_iter().filter(|(wanted, _)| *wanted) {
            if let Some(stop) = check(self, reorderer)? {
                return Ok(stop);
            }
        }
        // The last question may have been given up for it.
        let stop = if self.gathering.interrupt().is_raised() { self.gathering.must_stop_now() } else { None };
        Ok(stop.unwrap_or(Stop::Exhausted))
    }

    /// Asks one question, and keeps how long it took.
    pub(crate) fn find(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        assumed: &[Atom],
        deviation: Deviation,
    ) -> Answer {
        let begin = self.gathering.elapsed();
        reorderer.limit_work(if reorderer.work() > ALL_WORK { LATE_WORK } else { QUESTION_WORK });
        let answer = self.find_and_try(reorderer, assumed, deviation);
        let time = self.gathering.elapsed().saturating_sub(begin).as_micros() as u64;
        check.time_us += time;
        check.worst_us = check.worst_us.max(time);
        if let Answer::Found(found) = &answer {
            let thread = |instant: u32| reorderer.run.instants[instant as usize].thread;
            check.slice_transitions += found.instants.len();
            let switches = found.instants.windows(2).filter(|pair| thread(pair[0]) != thread(pair[1]));
            check.slice_switches += switches.count() as u64;
        }
        answer
    }

    /// Asks one question. A thread whose last decision goes another way may end the process there; if it does, that decision has to be kept.
    fn find_and_try(&self, reorderer: &mut Reorderer<'_>, assumed: &[Atom], deviation: Deviation) -> Answer {
        let mut assumed = assumed.to_vec();
        loop {
            let reordering = match reorderer.find(&assumed, deviation) {
                Answer::Found(reordering) => reordering,
                other => return other,
            };
            let mut early = reordering.early_deviations(reorderer.run);
            early.retain(|&event| Some(event) != reorderer.event_of(deviation));
            let goes = || replay(self.program, self.test, self.observed, &reordering, &[]).is_ok_and(|it| it.went);
            if early.is_empty() || goes() {
                return Answer::Found(reordering);
            }
            for event in early {
                let keeps = reorderer.values.as_ref().map(|it| it.keeps(reorderer.run, &mut reorderer.line, event));
                assumed.extend(keeps);
            }
        }
    }

    /// Asks one question and replays the answer; `last` chooses what is made after the reordering, in several orders if the first does not
    /// show it. Whether it showed.
    pub(crate) fn ask(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        assumed: &[Atom],
        deviation: Deviation,
        is_it: impl Fn(&Finding) -> bool,
        last: impl Fn(&Reordering) -> Vec<Vec<u32>>,
    ) -> Result<Option<bool>, EngineError> {
        match self.find(reorderer, check, assumed, deviation) {
            Answer::Found(reordering) => {
                check.predicted += 1;
                let mut has_shown = false;
                for last in last(&reordering) {
                    has_shown = self.replay(&reordering, &last)?.iter().any(&is_it);
                    if has_shown {
                        break;
                    }
                }
                check.replayed += usize::from(has_shown);
                Ok(Some(has_shown))
            }
            Answer::Impossible => Ok(None),
            Answer::GivenUp => {
                check.undecided += 1;
                Ok(None)
            }
        }
    }
}

/// What threads did and where, each for itself, as a number.
fn way(machine: &Machine<'_>) -> u64 {
    let mut threads: Vec<u64> = Vec::new();
    for event in machine.events() {
        let thread = event.thread.index();
        if threads.len() <= thread {
            threads.resize(thread + 1, 0xcbf2_9ce4_8422_2325);
        }
        for part in [u64::from(event.at.function), u64::from(event.at.pc), event.address] {
            threads[thread] = (threads[thread] ^ part).wrapping_mul(0x0100_0000_01b3);
        }
    }
    threads.iter().fold(0, |all: u64, thread| (all ^ thread).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}

/// Follows the test of a violated region; the machine, if it shows.
pub(crate) fn shown<'p>(
    program: &'p Program,
    test: &Test,
    finding: &Finding,
) -> Result<Option<Machine<'p>>, EngineError> {
    let mut machine = Machine::new(program, test)?;
    for &choice in &test.schedule.0 {
        if machine.choices().binary_search(&choice).is_err() {
            return Ok(None);
        }
        machine.step(choice);
    }
    Ok(atomicity::shows(&machine, finding).then_some(machine))
}

/// Whether the test of a violated region shows it, by the causal order of its events.
pub fn shows_violation(program: &Program, test: &Test) -> Result<bool, EngineError> {
    match &test.finding {
        Some(finding) if finding.kind == FindingKind::Atomicity => Ok(shown(program, test, finding)?.is_some()),
        _ => Ok(false),
    }
}

pub(crate) fn is_stuck(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Deadlock | FindingKind::LostSignal)
}
