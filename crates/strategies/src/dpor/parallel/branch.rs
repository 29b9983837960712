//! Branches of the tree that workers share, and what a worker gives back of a part that it does not finish.

use super::super::PrefixUpdate;
use crate::happens_before::footprint::FootprintId;
use crate::happens_before::transition::Transition;
use gordian_base::ThreadId;
use gordian_engine::Results;
use gordian_trace::CodePoint;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Names a branch of the [`Tree`], and with it the state behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartId(pub u32);

pub const ROOT: PartId = PartId(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Everything behind it is to be explored.
    Leaf,
    /// The sequences behind it are to be explored, and more may be planned.
    Inner,
    /// Everything behind it is to be explored, and some of that was.
    Open,
}

/// Steps that follow each other, up to a state from which several lead on, or behind which everything is to be explored. There
/// may be many, so its names are short where it is written.
#[derive(Serialize, Deserialize)]
pub struct Branch {
    #[serde(rename = "p")]
    pub parent: PartId,
    /// Steps up to the state behind it.
    #[serde(rename = "d")]
    pub depth: usize,
    /// At least one, but for the root. Only of the first it may be uncertain what it touches.
    #[serde(rename = "l")]
    pub steps: Vec<Step>,
    /// So many of them were made.
    #[serde(rename = "m", default)]
    pub n_made: usize,
    #[serde(rename = "k")]
    pub kind: Kind,
    /// Nobody has it when it is read again.
    #[serde(skip)]
    pub is_taken: bool,
    #[serde(rename = "e", default, skip_serializing_if = "std::ops::Not::not")]
    pub has_ended: bool,
    /// Leaves behind it that nobody has taken, itself included.
    #[serde(skip)]
    pub n_free: u32,
    /// Nothing is planned beside it because of what is behind it, see [`PrefixUpdate::NextSibling`].
    #[serde(rename = "o", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
    /// What waits beside it was planned anew after its first step was made.
    #[serde(rename = "r", default, skip_serializing_if = "std::ops::Not::not")]
    pub siblings_reinserted: bool,
    /// Steps that were explored from the state behind it.
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    pub explored: Vec<Transition>,
    #[serde(rename = "c", default, skip_serializing_if = "VecDeque::is_empty")]
    pub children: VecDeque<PartId>,
    /// What was said in the parts behind it about states before it.
    #[serde(rename = "n", default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<PrefixUpdate>,
    /// Sequences from the state before it that were left to it although it is not certain what it touches.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<Vec<Transition>>,
    /// What its first step decides, if inputs do.
    #[serde(skip)]
    pub decides: Option<Decision>,
    /// Of what has ended behind it; most have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub results: Option<Box<Results>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "(Transition, FootprintId)", from = "(Transition, FootprintId)")]
pub struct Step {
    /// As it was made, or is planned to be.
    pub label: Transition,
    /// What it was planned to touch.
    pub planned: FootprintId,
}

impl From<(Transition, FootprintId)> for Step {
    fn from((label, planned): (Transition, FootprintId)) -> Self {
        Step { label, planned }
    }
}

impl From<Step> for (Transition, FootprintId) {
    fn from(step: Step) -> Self {
        (step.label, step.planned)
    }
}

impl From<Transition> for Step {
    fn from(label: Transition) -> Self {
        Step { label, planned: label.footprint }
    }
}

/// Where inputs decide how a thread goes on, and the way that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    pub at: CodePoint,
    pub variant: u32,
}

/// What is left of a part when it is given back: for each state behind the way, what was explored and what is planned.
pub struct Left {
    pub explored: Vec<Transition>,
    /// None for the last state, whose first branch has not been begun.
    pub under_way: Option<UnderWay>,
    /// Where inputs decide about the next step of a thread.
    pub decides: Option<(ThreadId, CodePoint)>,
    /// The wake-up trees, one after the other.
    pub waiting: Vec<Waiting>,
}

/// The step that was made from a state.
pub struct UnderWay {
    pub planned: FootprintId,
    pub made: Transition,
    /// See [`Branch::is_open`].
    pub is_open: bool,
    /// See [`Branch::deferred`].
    pub deferred: Vec<Vec<Transition>>,
}

/// A branch of a wake-up tree. Those behind it follow it in a list, each with all behind it.
pub struct Waiting {
    /// Those that follow each other without a branch, as in [`Branch::steps`].
    pub steps: Vec<Transition>,
    /// See [`Branch::deferred`].
    pub deferred: Vec<Vec<Transition>>,
    pub n_children: usize,
}

impl Branch {
    pub(crate) fn new(parent: PartId, depth: usize, steps: Vec<Step>, kind: Kind) -> Branch {
        Branch {
            parent,
            depth,
            steps,
            n_made: 0,
            kind,
            is_taken: false,
            has_ended: false,
            n_free: u32::from(kind == Kind::Leaf),
            is_open: false,
            siblings_reinserted: false,
            explored: Vec::new(),
            children: VecDeque::new(),
            notes: Vec::new(),
            deferred: Vec::new(),
            decides: None,
            results: None,
        }
    }

    pub(crate) fn add_results(&mut self, results: Results) {
        match &mut self.results {
            Some(before) => before.append(results),
            none => *none = Some(Box::new(results)),
        }
    }

    pub fn first_step(&self) -> &Transition {
        &self.steps[0].label
    }
}
