//! What a search came to.

use crate::{Coverage, Finding, FindingKind, SolverSummary};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::time::Duration;

/// Exit codes of every command.
pub mod exit_code {
    /// Nothing found, search exhausted, no bound hit.
    pub const SAFE: u8 = 0;
    /// A bug was found and replayed.
    pub const BUG: u8 = 1;
    /// Bad usage or bad input.
    pub const USAGE: u8 = 2;
    /// A bound, a budget, or something unsupported: no verdict.
    pub const INCONCLUSIVE: u8 = 3;
    /// gordian itself failed.
    pub const INTERNAL: u8 = 70;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    Bug,
    /// Exhausted, no bound hit, nothing unsupported.
    Safe,
    /// Nothing found within the stated bounds.
    Bounded,
    /// Something could not be decided; `stop` says what.
    Inconclusive,
}

impl Verdict {
    pub fn exit_code(self) -> u8 {
        match self {
            Verdict::Safe => exit_code::SAFE,
            Verdict::Bug => exit_code::BUG,
            Verdict::Bounded | Verdict::Inconclusive => exit_code::INCONCLUSIVE,
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Verdict::Bug => "bug",
            Verdict::Safe => "safe",
            Verdict::Bounded => "bounded",
            Verdict::Inconclusive => "inconclusive",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a search ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", tag = "reason", content = "detail")]
pub enum Stop {
    /// Every behaviour within the bounds was executed.
    Exhausted,
    /// As far as executions were not cut off: a reduction does not know what would have followed, and tries only some of what
    /// others could have done before.
    CutOff,
    /// `--stop-at-first`, or a finding that every schedule reaches.
    FirstFinding,
    /// Every branch was taken both ways and a failure was found, so the search did not go on to more interferences.
    Covered,
    /// The number of runs asked for was made.
    Runs,
    Time,
    /// The memory that the search may use was used up.
    Memory,
    Interrupted,
    /// No execution came to an end of its own; the sentence names the loop.
    NoEnd(String),
    /// Something in the program that gordian cannot run; the sentence names it and its place.
    Unsupported(String),
    /// A finding did not show again on replay: gordian's fault, never reported as a bug.
    Unconfirmed(String),
    /// A worker of the search has panicked: gordian's fault. What was found until then is reported all the same.
    Panicked(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Exhausted => f.write_str("every behaviour within the bounds was explored"),
            Stop::CutOff => {
                f.write_str("some executions were cut off by a bound; schedules beyond it were not explored")
            }
            Stop::FirstFinding => f.write_str("stopped at the first finding"),
            Stop::Covered => f.write_str("every branch was taken in both directions, and a failure was found"),
            Stop::Runs => f.write_str("the requested number of runs was made"),
            Stop::Time => f.write_str("the time limit was reached"),
            Stop::Memory => f.write_str("the memory limit was reached"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::NoEnd(what) => write!(f, "no execution came to its end: {what}"),
            Stop::Unsupported(what) => write!(f, "unsupported: {what}"),
            Stop::Unconfirmed(what) => write!(f, "a finding did not show again on replay: {what}"),
            Stop::Panicked(what) => write!(f, "internal error: {what}"),
        }
    }
}

/// A bound that may have cut something off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Bound {
    /// Steps of one execution.
    Steps,
    Preemptions,
    /// Iterations of a loop.
    Unroll,
    /// Rounds of a loop that did not end by itself.
    Rounds,
    /// Executions sampled rather than enumerated.
    Sampling,
    /// Instructions of one thread between two visible operations.
    Instructions,
    /// Inputs that took one value each of many.
    Inputs,
    /// Something that depends on symbolic inputs took one value of many.
    Values,
    /// Interferences of one execution.
    Interferences,
    /// Failures that no branch leads to: races and deadlocks were seen only where an execution happened to have them.
    Branches,
    /// Only reorderings of one run were looked at.
    Reorderings,
}

/// The bounds of a search, and which of them were hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bounds {
    pub max_steps: u64,
    pub preemptions: Option<u32>,
    pub unroll: Option<u32>,
    /// Rounds of loops that do not end by themselves; only where there are such.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interferences: Option<u32>,
    pub hit: Vec<Bound>,
}

/// What the strategy says of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Exploration {
    pub strategy: String,
    /// The guarantee that it gives, in a sentence; empty where there is none.
    pub guarantee: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Summary {
    pub verdict: Verdict,
    pub stop: Stop,
    pub bounds: Bounds,
    pub exploration: Exploration,
    /// Executions that ran to an end of their own.
    pub executions: u64,
    /// Executions dropped before their end: a false assumption, a bound.
    pub blocked: u64,
    /// Steps made over all executions.
    pub steps: u64,
    /// Inputs were symbols: what was explored is what all of their values lead to.
    pub symbolic_inputs: bool,
    /// Feasibility queries: whether some inputs lead to a branch direction, or whatever else a strategy asks a solver.
    pub solver_queries: u64,
    /// Facts worth knowing that are no findings.
    pub notes: Vec<String>,
    /// If it was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub coverage: Option<Coverage>,
    /// If it was asked for and there were symbolic inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub solver: Option<SolverSummary>,
    /// Of a search by interferences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interference: Option<InterferenceSummary>,
    /// Of a prediction from one run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prediction: Option<PredictionSummary>,
}

/// What a prediction from one run came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PredictionSummary {
    pub events: usize,
    pub threads: usize,
    /// Sequences of events between which no other thread can come.
    pub transitions: usize,
    /// How much is left of the model after each simplification step.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub simplification: Vec<SimplificationSummary>,
    /// By what was looked for, in a fixed order.
    pub checks: Vec<CheckSummary>,
    pub regions: RegionSummary,
    /// What all checks predicted, and what of it replays showed.
    pub predicted: usize,
    pub replayed: usize,
    /// Findings that are reported, other than violated regions.
    pub other_findings: usize,
    /// Questions for a reordering, and lines that were tried for them.
    pub order_queries: u64,
    pub lines: u64,
    pub data_queries: u64,
    /// Operations that keep the order of the run, because reordering them is not modelled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub kept_in_order: Vec<String>,
    /// Replays that went elsewhere and were predicted from in turn, the recorded run not counted.
    pub rounds: usize,
    /// Reorderings whose replay did not make all of their steps.
    pub not_replayed: usize,
    /// By check. Alone in this summary it is not the same every time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub timings: Vec<CheckTiming>,
}

impl PredictionSummary {
    /// Sums up what the checks came to, and these findings.
    pub fn sum_up<'a>(&mut self, findings: impl Iterator<Item = &'a Finding>) {
        self.predicted = self.checks.iter().map(|check| check.predicted).sum();
        self.replayed = self.checks.iter().map(|check| check.replayed).sum();
        self.other_findings = findings.filter(|finding| finding.kind != FindingKind::Atomicity).count();
        let timing = |check: &CheckSummary| CheckTiming {
            what: check.what.clone(),
            mean_us: check.time_us / check.candidates.max(1) as u64,
            worst_us: check.worst_us,
        };
        self.timings = self.checks.iter().filter(|check| check.time_us > 0).map(timing).collect();
    }
}

/// The model of a run after a simplification step.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct SimplificationSummary {
    pub step: String,
    /// The step was switched off, so it left everything as it was.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_off: bool,
    pub transitions: u64,
    /// Context switches: ordered pairs of a transition and one of another thread that may come next.
    pub switches: u64,
    /// What is known of these switches.
    pub set: SwitchSet,
}

/// What is known of a set of context switches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SwitchSet {
    /// Every class of equivalent orders has one with these switches alone.
    #[default]
    Adequate,
    /// Adequate, and without any one of them it is not.
    Minimal,
    /// Adequate, but too long to be listed: so many at most.
    AtMost,
}

/// One kind of thing that was looked for in reorderings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckSummary {
    pub what: String,
    pub candidates: usize,
    /// Those that a reordering has.
    pub predicted: usize,
    /// Those whose replay showed it.
    pub replayed: usize,
    /// Nobody could decide about them.
    pub undecided: usize,
    /// Transitions and context switches of the slices that reorderings were made of, as means.
    pub slice_transitions: usize,
    pub slice_switches: u64,
    /// Time of all questions, and of the longest, in microseconds. Reports have it in [`PredictionSummary::timings`], apart from what is the same every time.
    #[serde(skip)]
    pub time_us: u64,
    #[serde(skip)]
    pub worst_us: u64,
}

/// How long the candidates of a check took.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CheckTiming {
    pub what: String,
    pub mean_us: u64,
    pub worst_us: u64,
}

/// Regions that are meant to be atomic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RegionSummary {
    pub inferred: usize,
    pub declared: usize,
    /// Violated by the run itself.
    pub dropped: usize,
    /// Within an independent transaction, so nobody has to be asked.
    pub proved: usize,
    /// No reordering violates them, as the solver says.
    pub unviolated: usize,
    pub violated: usize,
    /// Not all questions about them were answered.
    pub undecided: usize,
    /// Each of them, with what became of it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub list: Vec<RegionFate>,
}

/// What became of a region.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct RegionFate {
    pub file: String,
    pub function: String,
    pub first_line: u32,
    pub last_line: u32,
    pub instances: usize,
    pub declared: bool,
    /// One of `dropped`, `proved`, `unviolated`, `violated`, `undecided`.
    pub fate: String,
    pub reason: String,
}

/// What a search by interferences came to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct InterferenceSummary {
    /// By number of interferences.
    pub degrees: Vec<DegreeSummary>,
    /// Ways of all branches.
    pub branches: usize,
    /// Nodes of the interference forest.
    pub nodes: usize,
    pub data_queries: u64,
    pub order_queries: u64,
    /// Candidates that needed no query, because of what a core had shown before.
    pub known: u64,
    pub end: InterferenceEnd,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct DegreeSummary {
    /// Ways of branches that were gone for the first time.
    pub branches: usize,
    /// Interference scenario candidates.
    pub candidates: u64,
    pub realizable: u64,
    pub findings: usize,
    /// By the wall clock: never a part of what must be the same twice.
    #[serde(skip)]
    pub time: Duration,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum InterferenceEnd {
    /// Every branch was taken both ways.
    FullCoverage,
    /// There is no candidate left.
    MaximalCoverage,
    /// There are candidates with more interferences than were allowed.
    Interferences,
    /// The search was stopped.
    #[default]
    Stopped,
}
