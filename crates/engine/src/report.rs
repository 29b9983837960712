//! From what a search saw to what it may claim.

use crate::collect::{Candidate, same_key};
use crate::replay::{follow, shown};
use crate::results::Results;
use crate::settings::Settings;
use crate::shrink::{Effort, shrink_within};
use crate::{EngineError, Evidence, Inputs, Observer, Stepping, Subject};
use gordian_trace::{
    Bound, Bounds, BranchPlace, Exploration, Finding, InputValue, Machine, Objection, Schedule, SolverSummary, Step,
    Stop, Summary, Test, Verdict,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What a search came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub summary: Summary,
    /// Confirmed findings, one for each key, in the order of first sight.
    pub findings: Vec<Found>,
    /// Executions that together cover what the search covered, if coverage was asked for.
    pub covering: Vec<CoveringTest>,
    /// A false assumption within an atomic section ended executions, although others could have gone on.
    pub has_blocked_sections: bool,
    /// Nothing that the search came to counts: it must be made again with other settings.
    pub objection: Option<Objection>,
}

/// An execution that went where none before it did.
#[derive(Clone, Debug)]
pub struct CoveringTest {
    pub test: Test,
    /// Its number among all of the search, from 1 on.
    pub execution: u64,
    pub branches: Vec<BranchPlace>,
}

/// A finding that showed again on a fresh machine.
#[derive(Clone, Debug)]
pub struct Found {
    pub finding: Finding,
    /// Replays it; its schedule ends with the step in which the finding shows.
    pub test: Test,
    pub trace: Vec<Step>,
    /// The input values that the execution asked for.
    pub inputs: Vec<InputValue>,
}

/// What a search counted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    pub executions: u64,
    pub blocked: u64,
    pub steps: u64,
    /// The first thing that could not be run, if the search went on after it.
    pub unsupported: Option<String>,
    /// Inputs were symbols in some execution.
    #[serde(default)]
    pub symbolic_inputs: bool,
    /// As [`gordian_trace::Summary::solver_queries`].
    #[serde(default)]
    pub solver_queries: u64,
    /// See [`Outcome::has_blocked_sections`].
    #[serde(default)]
    pub blocked_sections: bool,
    /// Who was cut off by a bound, and where, in the first execution that was.
    #[serde(default)]
    pub unended: Option<String>,
    /// See [`Outcome::objection`].
    #[serde(default)]
    pub objection: Option<Objection>,
    /// Of one worker, if that was asked for.
    #[serde(skip)]
    pub solver: Option<SolverSummary>,
    hit: Vec<Bound>,
    notes: Vec<String>,
    /// Where values that were never set decided something: what follows is one behaviour of many.
    #[serde(default)]
    doubts: BTreeSet<String>,
}

/// Notes beyond this many are dropped: they are for people.
const MOST_NOTES: usize = 20;
/// So many are kept until the end: those dropped are not to depend on which came first.
const MOST_KEPT_NOTES: usize = 500;

impl Tally {
    /// Adds what was counted later.
    pub fn append(&mut self, later: Tally) {
        self.executions += later.executions;
        self.blocked += later.blocked;
        self.steps += later.steps;
        self.solver_queries += later.solver_queries;
        self.solver = self.solver.take().or(later.solver);
        self.unsupported = self.unsupported.take().or(later.unsupported);
        self.symbolic_inputs |= later.symbolic_inputs;
        self.blocked_sections |= later.blocked_sections;
        self.objection = self.objection.or(later.objection);
        self.unended = self.unended.take().or(later.unended);
        later.hit.into_iter().for_each(|bound| self.hit(bound));
        self.take_notes(&later.notes);
        self.doubts.extend(later.doubts);
    }

    /// What an execution did with inputs: whether they were symbols, and what of them took one value of many.
    pub fn take_inputs(&mut self, machine: &impl Inputs) {
        self.symbolic_inputs |= machine.has_symbolic_inputs();
        if machine.has_inputs() {
            self.hit(Bound::Inputs);
        }
        if !machine.losses().is_empty() {
            self.hit(Bound::Values);
            self.take_notes(machine.losses());
        }
    }

    pub fn take_doubts(&mut self, doubts: &[String]) {
        if doubts.len() > self.doubts.len() || doubts.iter().any(|doubt| !self.doubts.contains(doubt)) {
            self.doubts.extend(doubts.iter().cloned());
        }
    }

    pub fn hit(&mut self, bound: Bound) {
        if !self.hit.contains(&bound) {
            self.hit.push(bound);
        }
    }

    /// Why the search stopped: one that was `reduced` is not exhausted where executions were cut off.
    pub fn stop_of(&self, stop: Stop, reduced: bool) -> Stop {
        let cut_off = self.hit.iter().any(|bound| matches!(bound, Bound::Steps | Bound::Instructions));
        if stop == Stop::Exhausted && reduced && cut_off { Stop::CutOff } else { stop }
    }

    pub fn into_hit(self) -> Vec<Bound> {
        self.hit
    }

    /// The search begins anew.
    pub fn forget_counts(&mut self) {
        (self.executions, self.blocked, self.steps, self.solver_queries) = (0, 0, 0, 0);
    }

    /// Executions repeat each other's notes; each is kept once.
    pub fn take_notes(&mut self, notes: &[String]) {
        for note in notes {
            if self.notes.len() < MOST_KEPT_NOTES && !self.notes.contains(note) {
                self.notes.push(note.clone());
            }
        }
    }
}

/// Shrinks and confirms what was found, and draws the verdict.
pub(crate) fn conclude<S: Subject>(
    subject: &S,
    template: &Test,
    settings: &Settings,
    stop: Stop,
    exploration: Exploration,
    results: Results,
    observer: &mut dyn Observer,
) -> Result<Outcome, EngineError> {
    let Results { tally, collector, covering, .. } = results;
    let (has_blocked_sections, objection) = (tally.blocked_sections, tally.objection);
    let Tally {
        executions,
        blocked,
        steps,
        unsupported,
        symbolic_inputs,
        solver_queries,
        solver,
        mut hit,
        mut notes,
        doubts,
        unended,
        ..
    } = tally;
    // Which came first may depend on who was quicker.
    hit.sort_unstable();
    notes.sort_unstable();
    notes.truncate(MOST_NOTES);
    let effort = Effort::shared_by(collector.len());
    let (mut findings, mut unconfirmed) = (Vec::new(), None);
    // A search that is to be made again finds them again.
    let candidates = if objection.is_some() { Vec::new() } else { collector.into_candidates() };
    let mut candidates = candidates.into_iter();
    for candidate in candidates.by_ref() {
        let effort = if settings.is_late() { Effort::NONE } else { effort };
        match settle(subject, template, candidate, effort, observer, &mut notes)? {
            Confirmation::Confirmed(found) => findings.push(*found),
            Confirmation::Unconfirmed(sentence) => {
                unconfirmed.get_or_insert(sentence);
            }
        }
        if settings.is_overdue() {
            break;
        }
    }
    let n_left = candidates.len();
    if n_left > 0 {
        notes.push(format!(
            "{n_left} more findings were seen, but the time limit was reached before they could be confirmed"
        ));
    }
    // Whatever else is explored, not all behaviours are.
    let stop = match doubts.first() {
        Some(doubt) if matches!(stop, Stop::Exhausted | Stop::CutOff | Stop::Runs | Stop::Time | Stop::Memory) => {
            Stop::Unsupported(doubt.clone())
        }
        _ => stop,
    };
    notes.extend(doubts.into_iter().skip(1).take(MOST_NOTES));
    let stop = match (unconfirmed, unsupported) {
        _ if matches!(stop, Stop::Panicked(_)) => stop,
        (Some(sentence), _) => Stop::Unconfirmed(sentence),
        (None, Some(what)) if stop == Stop::Exhausted => Stop::Unsupported(what),
        (None, Some(what)) => {
            notes.push(format!("some executions could not be run to their end: {what}"));
            stop
        }
        (None, None) => stop,
    };
    if executions == 0 && blocked > 0 && hit.is_empty() && stop == Stop::Exhausted {
        notes.push("no execution ran to completion: each was blocked by an assumption".to_owned());
    }
    let is_bounded =
        hit.iter().any(|bound| matches!(bound, Bound::Steps | Bound::Rounds | Bound::Unroll | Bound::Instructions));
    let stop = match stop {
        Stop::Exhausted | Stop::CutOff if executions == 0 && is_bounded && findings.is_empty() => {
            let place = unended.unwrap_or_else(|| "all were cut off by a bound".to_owned());
            let advice = "try a larger `--max-steps` or `--unroll`, or `--strategy random`";
            Stop::NoEnd(format!("{place}; {advice}"))
        }
        stop => stop,
    };
    let verdict = verdict(&stop, !findings.is_empty(), &hit);
    let Machine { max_steps, unroll, rounds, .. } = template.machine;
    let rounds = rounds.filter(|&rounds| rounds > 0);
    let bounds = Bounds { max_steps, preemptions: settings.preemptions, unroll, rounds, interferences: None, hit };
    let unreachable = stop == Stop::Exhausted && bounds.hit.is_empty();
    let (coverage, covering) = covering.conclude(subject, template, unreachable)?.unzip();
    let summary = Summary {
        verdict,
        stop,
        bounds,
        exploration,
        executions,
        blocked,
        steps,
        symbolic_inputs,
        solver_queries,
        notes,
        coverage,
        solver: solver.filter(|_| symbolic_inputs),
        interference: None,
        prediction: None,
    };
    Ok(Outcome { summary, findings, covering: covering.unwrap_or_default(), has_blocked_sections, objection })
}

fn verdict(stop: &Stop, found: bool, hit: &[Bound]) -> Verdict {
    if found {
        return Verdict::Bug;
    }
    match stop {
        Stop::Exhausted if hit.is_empty() => Verdict::Safe,
        Stop::Exhausted | Stop::CutOff | Stop::Covered | Stop::Runs | Stop::Time | Stop::Memory => Verdict::Bounded,
        Stop::FirstFinding => unreachable!("a first finding is either confirmed or unconfirmed"),
        Stop::Interrupted | Stop::NoEnd(_) | Stop::Unsupported(_) | Stop::Unconfirmed(_) | Stop::Panicked(_) => {
            Verdict::Inconclusive
        }
    }
}

pub(crate) enum Confirmation {
    Confirmed(Box<Found>),
    /// Which finding did not show again, and why.
    Unconfirmed(String),
}

/// Shrinks a candidate a little and confirms what comes out.
fn settle<S: Subject>(
    subject: &S,
    template: &Test,
    candidate: Candidate,
    effort: Effort,
    observer: &mut dyn Observer,
    notes: &mut Vec<String>,
) -> Result<Confirmation, EngineError> {
    let Candidate { finding, schedule, threads, inputs, .. } = candidate;
    let machine = Machine { symbolic: false, ..template.machine.clone() };
    let (schedule, shows) = (Schedule(schedule), Some(finding.clone()));
    let mut test = Test { schedule, threads, inputs, machine, finding: shows, ..template.clone() };
    if template.machine.symbolic {
        test.schedule = with_fixed_inputs(subject, &test, &finding)?;
    }
    if effort == Effort::NONE {
        return confirm(subject, test, &finding);
    }
    match shrink_within(subject, &test, effort, observer) {
        Ok(shrunk) if shrunk.schedule != test.schedule => {
            let confirmation = confirm(subject, shrunk, &finding)?;
            if let Confirmation::Unconfirmed(sentence) = confirmation {
                notes.push(format!("a shrunk schedule did not replay, please report this: {sentence}"));
            } else {
                return Ok(confirmation);
            }
        }
        // Nothing shorter, or not even a replay: confirmation tells which.
        Ok(_) | Err(EngineError::Diverged(_) | EngineError::NothingToShrink(_)) => {}
        Err(error @ EngineError::Setup(_)) => return Err(error),
    }
    confirm(subject, test, &finding)
}

/// Whether inputs lead to the finding without the help of a second thread.
fn is_sequential(test: &Test) -> bool {
    let schedule = &test.schedule.0;
    !test.inputs.is_empty() && schedule.iter().all(|choice| choice.thread == schedule[0].thread)
}

/// The schedule of a symbolic search as these inputs make it. Who waits for a value that inputs decide looks again whatever
/// is written; with fixed inputs it goes on waiting if that is what it has seen already, and has fewer steps.
fn with_fixed_inputs<S: Subject>(subject: &S, test: &Test, finding: &Finding) -> Result<Schedule, EngineError> {
    let mut machine = subject.start(test, false)?;
    for &choice in &test.schedule.0 {
        if shown(&machine, finding) {
            break;
        }
        if machine.choices().contains(&choice) {
            machine.step(choice);
        }
    }
    Ok(Schedule(machine.schedule().to_vec()))
}

/// Replays `test` on a fresh machine and looks for a finding with the key of `finding`. What is reported is what
/// this replay showed.
pub(crate) fn confirm<S: Subject>(subject: &S, mut test: Test, finding: &Finding) -> Result<Confirmation, EngineError> {
    let mut machine = subject.start(&test, false)?;
    let divergence = follow(&mut machine, &test.schedule.0);
    let shown = machine.findings().iter().find(|raw| same_key(&raw.finding, finding));
    let reason = match (divergence, shown) {
        (None, Some(raw)) => {
            let mut finding = raw.finding.clone();
            if is_sequential(&test) {
                finding.notes.push("these inputs alone lead to it: no other thread needs to run".to_owned());
            }
            test.finding = Some(finding.clone());
            let (trace, inputs) = (machine.describe(), machine.inputs());
            return Ok(Confirmation::Confirmed(Box::new(Found { finding, test, trace, inputs })));
        }
        (Some(divergence), _) => divergence.to_string(),
        (None, None) => "its schedule ran to the end without it".to_owned(),
    };
    let place = match finding.places.first() {
        Some(place) => format!(" at {}:{}", place.file, place.line),
        None => String::new(),
    };
    Ok(Confirmation::Unconfirmed(format!("{}{place}, {}: {reason}", finding.kind, finding.message)))
}
