//! Prediction from a run of gordian's machine: reorderings are exact, and every finding is replayed.

use crate::atomicity::{self, Accesses, Violation};
use crate::candidates::{acquisitions, circles, race_pairs};
use crate::line::Atom;
use crate::observe::{Observed, observe};
use crate::regions::{DeclaredRegion, declared, regions as inferred};
use crate::reorder::{Answer, Reorderer, Reordering};
use crate::replay::replay;
use crate::run::Op;
use crate::stuck::stuck_states;
use gordian_base::FxHashSet;
use gordian_engine::{EngineError, Found, Gathering, Observer, Outcome, Settings};
use gordian_ir::Program;
use gordian_trace::{
    Bound, CheckSummary, Exploration, Finding, FindingKind, Place, PredictionSummary, Schedule, Stop, Test, Verdict,
};
use gordian_vm::Machine;
use std::collections::BTreeMap;

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
}

impl Default for Options {
    fn default() -> Self {
        let (races, deadlocks, orders, decisions, atomicity) = (true, true, true, true, true);
        Options { races, deadlocks, orders, decisions, atomicity, lines: 5, declared: Vec::new() }
    }
}

/// As users know it.
pub const NAME: &str = "predict";

/// Deviating replays of one decision in the source that show nothing, before other instances of it are left alone.
const MOST_QUIET: usize = 4;

/// Instances of one decision in the source that are asked about.
const MOST_INSTANCES: usize = 64;

/// Predicts from the run of a test what its reorderings show.
pub fn predict(
    program: &Program,
    test: &Test,
    options: Options,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome, EngineError> {
    let (observed, values) = observe(program, test)?;
    let summary = PredictionSummary {
        events: observed.run.events.len(),
        threads: observed.run.n_threads as usize,
        transitions: observed.run.instants.len(),
        kept_in_order: observed.kept.iter().map(ToString::to_string).collect(),
        ..PredictionSummary::default()
    };
    let gathering = Gathering::start(settings, observer);
    let mut predictor = Predictor {
        program,
        test,
        options,
        observed: &observed,
        gathering,
        summary,
        violated: Vec::new(),
        n_not_replayed: 0,
    };
    predictor.replay(&Reordering::of_run(&observed.run), &[])?;
    let mut reorderer = Reorderer::new(&observed.run, Some(values));
    let stop = predictor.look(&mut reorderer)?;
    predictor.conclude(&reorderer, stop)
}

struct Predictor<'a> {
    program: &'a Program,
    test: &'a Test,
    observed: &'a Observed,
    gathering: Gathering<'a>,
    summary: PredictionSummary,
    options: Options,
    /// Violated regions, each with what came of it.
    violated: Vec<(Harm, Found)>,
    n_not_replayed: usize,
}

/// What came of a violated region, the worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Harm {
    Failure,
    OtherOutput,
    /// Nothing was seen, but somebody said that it must not be.
    Declared,
    NothingSeen,
}

impl Harm {
    fn text(self) -> &'static str {
        match self {
            Harm::Failure => "the execution fails",
            Harm::OtherOutput => "the program prints something else than in the run",
            Harm::Declared => "the region was declared to be atomic",
            Harm::NothingSeen => "nothing was seen to come of it",
        }
    }
}

impl Predictor<'_> {
    /// Makes a reordering, then these instants, and goes on to the end. Gives what it showed.
    fn replay(&mut self, reordering: &Reordering, last: &[u32]) -> Result<Vec<Finding>, EngineError> {
        let mut replayed = replay(self.program, self.test, self.observed, reordering, last)?;
        let findings = replayed.machine.findings().iter().map(|raw| raw.finding.clone()).collect();
        self.gathering.add(&mut replayed.machine);
        self.n_not_replayed += usize::from(!replayed.went && replayed.machine.findings().is_empty());
        Ok(findings)
    }

    fn look(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Stop, EngineError> {
        let options = self.options.clone();
        type Check<'a> = fn(&mut Predictor<'a>, &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError>;
        let checks: [(bool, Check<'_>); 6] = [
            (options.deadlocks, Predictor::deadlocks),
            (options.deadlocks, Predictor::stuck),
            (options.races, Predictor::races),
            (options.orders, Predictor::uses_after_free),
            (options.decisions, Predictor::decisions),
            (options.atomicity, Predictor::atomicity),
        ];
        for (_, check) in checks.into_iter().filter(|(wanted, _)| *wanted) {
            if let Some(stop) = check(self, reorderer)? {
                return Ok(stop);
            }
        }
        Ok(Stop::Exhausted)
    }

    /// Asks one question and replays the answer; `last` chooses what is made after the reordering, in several orders if the first does not
    /// show it. Whether it showed.
    fn ask(
        &mut self,
        reorderer: &mut Reorderer<'_>,
        check: &mut CheckSummary,
        assumed: &[Atom],
        deviation: Option<u32>,
        is_it: impl Fn(&Finding) -> bool,
        last: impl Fn(&Reordering) -> Vec<Vec<u32>>,
    ) -> Result<Option<bool>, EngineError> {
        match reorderer.find(assumed, deviation) {
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

    /// Circles of locks.
    fn deadlocks(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let acquires = acquisitions(run);
        let (circles, is_cut) = circles(&acquires);
        let mut check = CheckSummary { what: "circles of locks".to_owned(), ..CheckSummary::default() };
        check.undecided += usize::from(is_cut);
        let mut known: FxHashSet<Vec<u32>> = FxHashSet::default();
        for circle in circles {
            if let Some(stop) = self.gathering.must_stop() {
                return Ok(Some(stop));
            }
            let mut places: Vec<u32> = circle.iter().map(|&acquire| acquires[acquire].place).collect();
            places.sort_unstable();
            if known.contains(&places) {
                continue;
            }
            check.candidates += 1;
            let mut assumed = Vec::new();
            for &acquire in &circle {
                let instants: Vec<u32> = acquires[acquire].events.iter().map(|&event| run.instant(event)).collect();
                assumed.push(reorderer.one_is_next(&instants));
            }
            if self.ask(reorderer, &mut check, &assumed, None, is_stuck, |_| vec![Vec::new()])? == Some(true) {
                known.insert(places);
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// States in which nobody can go on.
    fn stuck(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let mut check = CheckSummary { what: "blocked states".to_owned(), ..CheckSummary::default() };
        let mut failed = None;
        let mut replayed = 0;
        let (found, undecided) = stuck_states(reorderer, |reordering| match self.replay(reordering, &[]) {
            Ok(shown) => replayed += usize::from(shown.iter().any(is_stuck)),
            Err(error) => failed = Some(error),
        });
        if let Some(error) = failed {
            return Err(error);
        }
        (check.candidates, check.predicted, check.replayed, check.undecided) = (found, found, replayed, undecided);
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Line and column of a place of the run.
    fn position(&self, place: u32) -> (u32, u32) {
        let at = self.observed.places[place as usize];
        if at == gordian_trace::NO_CODE {
            return (0, 0);
        }
        let function = &self.program.functions[gordian_ir::FuncId(at.function)];
        let loc = function.locs.get(at.pc as usize).copied().filter(|loc| loc.line > 0).unwrap_or(function.loc);
        (loc.line, loc.column)
    }

    /// Conflicting accesses that can be next to each other.
    fn races(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let pairs = race_pairs(run, |a, b| reorderer.is_ordered(a, b));
        let mut check = CheckSummary { what: "races".to_owned(), ..CheckSummary::default() };
        let mut known: FxHashSet<(u32, u32)> = FxHashSet::default();
        for pair in pairs {
            if let Some(stop) = self.gathering.must_stop() {
                return Ok(Some(stop));
            }
            let place = |event: u32| run.events[event as usize].place;
            let (a, b) = (place(pair.first[0]), place(pair.second[0]));
            let places = (a.min(b), a.max(b));
            if known.contains(&places) {
                continue;
            }
            check.candidates += 1;
            let instants = |events: &[u32]| events.iter().map(|&event| run.instant(event)).collect::<Vec<u32>>();
            let (first, second) = (instants(&pair.first), instants(&pair.second));
            let assumed = [reorderer.one_is_next(&first), reorderer.one_is_next(&second)];
            let last = |reordering: &Reordering| {
                let next = |of: &[u32]| of.iter().copied().find(|instant| !reordering.instants.contains(instant));
                let both: Vec<u32> = next(&first).into_iter().chain(next(&second)).collect();
                // The detector keeps the last accesses alone, so it may tell of another race in one of the orders.
                vec![both.clone(), both.into_iter().rev().collect()]
            };
            let positions = [a, b].map(|place| self.position(place));
            let is_it = |finding: &Finding| {
                let at =
                    |position: (u32, u32)| finding.places.iter().any(|place| (place.line, place.column) == position);
                finding.kind == FindingKind::DataRace && positions.into_iter().all(at)
            };
            if self.ask(reorderer, &mut check, &assumed, None, is_it, last)? == Some(true) {
                known.insert(places);
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Accesses that can come after the object was freed.
    fn uses_after_free(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut check = CheckSummary { what: "uses after free".to_owned(), ..CheckSummary::default() };
        let mut candidates: BTreeMap<(u32, u32), Vec<(u32, u32)>> = BTreeMap::new();
        for (free, freed) in (0u32..).zip(&run.events) {
            let Op::Free(span) = freed.op else { continue };
            for (access, event) in (0u32..).zip(&run.events[..free as usize]) {
                let touches = event.op.access().is_some_and(|(at, _)| at.overlaps(span));
                if touches && event.thread != freed.thread && !reorderer.is_ordered(event.instant, freed.instant) {
                    candidates.entry((event.place, freed.place)).or_default().push((access, free));
                }
            }
        }
        for pairs in candidates.values() {
            if let Some(stop) = self.gathering.must_stop() {
                return Ok(Some(stop));
            }
            check.candidates += 1;
            for &(access, free) in pairs {
                let (access, free) = (run.instant(access), run.instant(free));
                let assumed = [reorderer.line.within(free), reorderer.is_next(access)];
                let is_it =
                    |finding: &Finding| matches!(finding.kind, FindingKind::UseAfterFree | FindingKind::DoubleFree);
                if self.ask(reorderer, &mut check, &assumed, None, is_it, |_| vec![vec![access]])? == Some(true) {
                    break;
                }
            }
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Decisions that can go another way: what the machine does there is for it to show.
    fn decisions(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut check = CheckSummary { what: "other decisions".to_owned(), ..CheckSummary::default() };
        let mut by_place: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        let decisions = reorderer.values.as_ref().map(|values| values.decisions.clone()).unwrap_or_default();
        for (number, decision) in (0u32..).zip(&decisions) {
            if !decision.is_assumption {
                by_place.entry(run.events[decision.event as usize].place).or_default().push(number);
            }
        }
        for numbers in by_place.values() {
            let mut n_quiet = 0;
            for &number in numbers.iter().take(MOST_INSTANCES) {
                if let Some(stop) = self.gathering.must_stop() {
                    return Ok(Some(stop));
                }
                check.candidates += 1;
                let instant = run.instant(decisions[number as usize].event);
                let guard = reorderer.line.fresh();
                let mut assumed = vec![guard, reorderer.line.within(instant)];
                let next = (instant + 1..run.instants.len() as u32)
                    .find(|&next| run.instants[next as usize].thread == run.instants[instant as usize].thread);
                if let Some(next) = next {
                    assumed.push(reorderer.line.within(next).not());
                }
                match self.ask(reorderer, &mut check, &assumed, Some(number), |_| true, |_| vec![Vec::new()])? {
                    Some(true) => break,
                    Some(false) => n_quiet += 1,
                    None => {}
                }
                if n_quiet == MOST_QUIET {
                    break;
                }
            }
            check.undecided += usize::from(numbers.len() > MOST_INSTANCES);
        }
        self.summary.checks.push(check);
        Ok(None)
    }

    /// Regions that another thread can interrupt.
    fn atomicity(&mut self, reorderer: &mut Reorderer<'_>) -> Result<Option<Stop>, EngineError> {
        let run = reorderer.run;
        let mut regions = declared(self.program, self.observed, &self.options.declared);
        let n_declared = regions.len();
        regions.extend(inferred(self.program, self.observed, self.options.lines));
        let violations = atomicity::violations(run, &regions, &Accesses::new(run));
        // What the run itself violates was hardly meant to be atomic, unless somebody says so.
        let mut dropped = atomicity::dropped(run, &violations);
        dropped.retain(|&region| !regions[region].is_declared);
        let mut checks = ["causal atomicity", "causal mutual atomicity"]
            .map(|what| CheckSummary { what: what.to_owned(), ..CheckSummary::default() });
        let (mut violated, mut undecided) = (FxHashSet::default(), FxHashSet::default());
        let mut known = FxHashSet::default();
        for violation in violations.iter().filter(|violation| !dropped.contains(&violation.region)) {
            if let Some(stop) = self.gathering.must_stop() {
                return Ok(Some(stop));
            }
            // What causal atomicity shows need not be shown again.
            if violation.is_mutual && violated.contains(&violation.region) {
                continue;
            }
            let check = &mut checks[usize::from(violation.is_mutual)];
            check.candidates += 1;
            let atoms: Vec<Atom> =
                violation.patterns.iter().map(|pattern| atomicity::atom(reorderer, pattern)).collect();
            let one = reorderer.line.fresh();
            reorderer.line.add_when(one, &atoms);
            match reorderer.find(&[one], None) {
                Answer::Found(reordering) => {
                    check.predicted += 1;
                    violated.insert(violation.region);
                    if let Some(found) =
                        self.replay_violation(&reordering, violation, regions[violation.region].is_declared)?
                    {
                        check.replayed += 1;
                        if known.insert(found.1.finding.key()) {
                            self.violated.push(found);
                        }
                    } else {
                        self.n_not_replayed += 1;
                    }
                }
                Answer::Impossible => {}
                Answer::GivenUp => {
                    check.undecided += 1;
                    undecided.insert(violation.region);
                }
            }
        }
        self.summary.checks.extend(checks);
        let open: FxHashSet<usize> = violated.union(&undecided).chain(&dropped).copied().collect();
        let summary = &mut self.summary.regions;
        (summary.inferred, summary.declared) = (regions.len() - n_declared, n_declared);
        (summary.dropped, summary.violated) = (dropped.len(), violated.len());
        summary.proved = regions.len() - open.len();
        Ok(None)
    }

    /// Makes a violation on a machine, and again from its test; what came of it.
    fn replay_violation(
        &mut self,
        reordering: &Reordering,
        violation: &Violation,
        is_declared: bool,
    ) -> Result<Option<(Harm, Found)>, EngineError> {
        let run = &self.observed.run;
        let Some(pattern) = atomicity::shown_by(run, &reordering.instants, &violation.patterns) else {
            return Ok(None);
        };
        let mut replayed = replay(self.program, self.test, self.observed, reordering, &[])?;
        if !replayed.went {
            return Ok(None);
        }
        let machine = &mut replayed.machine;
        let fails = machine.findings().iter().any(|raw| raw.finding.kind != FindingKind::DataRace);
        let harm = match () {
            () if fails => Harm::Failure,
            () if machine.stdout() != self.observed.stdout => Harm::OtherOutput,
            () if is_declared => Harm::Declared,
            () => Harm::NothingSeen,
        };
        let places = atomicity::events(pattern).into_iter();
        let places: Vec<Place> = places.map(|event| atomicity::place(machine, self.observed, event)).collect();
        let message = format!("{} comes between steps of {} that look like one", places[2].thread, places[0].thread);
        let by = if violation.is_mutual { "neither of two regions comes first" } else { "the region is interrupted" };
        let notes = vec![format!("{by}: lines {} to {}", places[0].line, places[1].line), harm.text().to_owned()];
        let finding = Finding { kind: FindingKind::Atomicity, message, places, notes };
        let settings = gordian_trace::Machine { symbolic: false, ..self.test.machine.clone() };
        let test = Test {
            schedule: Schedule(machine.fixed_schedule(replayed.n_steps).to_vec()),
            threads: machine.thread_origins(),
            inputs: machine.inputs(),
            machine: settings,
            finding: Some(finding.clone()),
            ..self.test.clone()
        };
        self.gathering.add(machine);
        Ok(self.confirm(test, finding)?.map(|found| (harm, found)))
    }

    /// Runs the test of a violated region anew.
    fn confirm(&self, test: Test, finding: Finding) -> Result<Option<Found>, EngineError> {
        let Some(machine) = shown(self.program, &test, &finding)? else { return Ok(None) };
        let (trace, inputs) = (machine.describe(), machine.inputs());
        Ok(Some(Found { finding, test, trace, inputs }))
    }

    fn conclude(mut self, reorderer: &Reorderer<'_>, stop: Stop) -> Result<Outcome, EngineError> {
        self.summary.order_queries = reorderer.n_questions;
        self.summary.lines = reorderer.n_lines;
        self.summary.data_queries = reorderer.values.as_ref().map_or(0, |values| values.n_queries);
        self.gathering.hit(Bound::Reorderings);
        for loss in &self.observed.losses {
            self.gathering.note(format!("not all was followed: {loss}"));
        }
        if self.n_not_replayed > 0 {
            self.gathering.note(format!("{} reorderings did not replay", self.n_not_replayed));
        }
        let guarantee = "what another order of the same steps of this run can show".to_owned();
        let exploration = Exploration { strategy: NAME.to_owned(), guarantee };
        let template = crate::observe::symbolic(self.test);
        let mut outcome = self.gathering.conclude(self.program, &template, stop, exploration)?;
        self.violated.sort_by_key(|(harm, _)| *harm);
        let is_harmful = self.violated.first().is_some_and(|(harm, _)| *harm != Harm::NothingSeen);
        if is_harmful && outcome.summary.verdict == Verdict::Bounded {
            outcome.summary.verdict = Verdict::Bug;
        }
        outcome.findings.extend(self.violated.into_iter().map(|(_, found)| found));
        outcome.summary.prediction = Some(self.summary);
        Ok(outcome)
    }
}

/// Follows the test of a violated region; the machine, if it shows.
fn shown<'p>(program: &'p Program, test: &Test, finding: &Finding) -> Result<Option<Machine<'p>>, EngineError> {
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

fn is_stuck(finding: &Finding) -> bool {
    matches!(finding.kind, FindingKind::Deadlock | FindingKind::LostSignal)
}
