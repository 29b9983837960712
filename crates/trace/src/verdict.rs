//! What a search came to.

use crate::{Coverage, SolverSummary};
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
    /// The number of runs asked for was made.
    Runs,
    Time,
    Interrupted,
    /// Something in the program that gordian cannot run; the sentence names it and its place.
    Unsupported(String),
    /// A finding did not show again on replay: gordian's fault, never reported as a bug.
    Unconfirmed(String),
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Stop::Exhausted => f.write_str("every behaviour within the bounds was explored"),
            Stop::CutOff => {
                f.write_str("executions were cut off, and not all was tried that other threads could have done in them")
            }
            Stop::FirstFinding => f.write_str("stopped at the first finding"),
            Stop::Runs => f.write_str("the number of runs asked for was made"),
            Stop::Time => f.write_str("the time was up"),
            Stop::Interrupted => f.write_str("interrupted"),
            Stop::Unsupported(what) => write!(f, "unsupported: {what}"),
            Stop::Unconfirmed(what) => write!(f, "a finding did not show again on replay: {what}"),
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
}

/// The bounds of a search, and which of them were hit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Bounds {
    pub max_steps: u64,
    pub preemptions: Option<u32>,
    pub unroll: Option<u32>,
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
    /// How often it was asked whether some inputs lead a way.
    pub questions: u64,
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
    /// Every branch was gone in every way, and there is no candidate left.
    FullCoverage,
    /// There is no candidate left.
    MaximalCoverage,
    /// There are candidates with more interferences than were allowed.
    Interferences,
    /// The search was stopped.
    #[default]
    Stopped,
}
