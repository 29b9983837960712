//! Transitions: steps that were made or are planned, with what they touch.

use super::footprint::{FootprintId, Footprints};
use gordian_base::ThreadId;
use gordian_trace::Choice;
use serde::{Deserialize, Serialize};

/// Which of the sequences that could begin with a step are explored behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Coverage {
    /// Those that contain it and those that are independent of it, as in the papers.
    Independent,
    /// Only those that contain it. Its thread could go several ways, of which this is one, or it ends the process: what it
    /// leads to says nothing of what others do without it.
    Containing,
    /// Only those that contain it, since the execution ends with it by a failure. What was left to it before that showed is explored nowhere behind it.
    Ending,
    /// None: it could not be made, or what it leads to is not explored.
    Nothing,
}

/// A step that was made or is to be made: whose, in which variant, and what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "TransitionParts", from = "TransitionParts")]
pub struct Transition {
    pub thread: ThreadId,
    /// `None` where the step may turn out otherwise than when it was seen: each of its variants is wanted.
    pub variant: Option<u32>,
    /// What it covers if it is made in this variant alone.
    pub coverage: Coverage,
    pub footprint: FootprintId,
}

/// A [`Transition`] as it is written: there may be many.
type TransitionParts = (ThreadId, Option<u32>, Coverage, FootprintId);

impl From<TransitionParts> for Transition {
    fn from((thread, variant, coverage, footprint): TransitionParts) -> Self {
        Transition { thread, variant, coverage, footprint }
    }
}

impl From<Transition> for TransitionParts {
    fn from(label: Transition) -> Self {
        (label.thread, label.variant, label.coverage, label.footprint)
    }
}

impl Coverage {
    /// That of a step whose thread has several variants, or one.
    #[inline]
    pub fn of_variants(has_several: bool) -> Coverage {
        if has_several { Coverage::Containing } else { Coverage::Independent }
    }
}

impl Transition {
    /// In place of a step where there is none.
    pub const NOTHING: Transition = Transition {
        thread: ThreadId::MAIN,
        variant: None,
        coverage: Coverage::Independent,
        footprint: Footprints::UNKNOWN,
    };

    /// A step that its thread can make in one way only.
    pub fn simple(thread: ThreadId, footprint: FootprintId) -> Transition {
        Transition { thread, variant: Some(0), coverage: Coverage::Independent, footprint }
    }

    /// A step that is about to be made, out of these choices.
    pub fn new(choice: Choice, choices: &[Choice]) -> Transition {
        let Choice { thread, variant } = choice;
        let coverage = Coverage::of_variants(has_variants(thread, choices));
        Transition { thread, variant: Some(variant), coverage, footprint: Footprints::UNKNOWN }
    }

    /// What it leads to is not explored: it stands for no step of any sequence.
    pub fn cover_nothing(&mut self) {
        (self.coverage, self.variant) = (Coverage::Nothing, Some(self.variant.unwrap_or_default()));
    }

    /// Whether the execution ended with it by a failure.
    #[inline]
    pub fn is_ending(&self) -> bool {
        self.coverage == Coverage::Ending
    }

    #[inline]
    pub fn covers_nothing(&self) -> bool {
        self.coverage == Coverage::Nothing
    }

    /// Whether sequences that are independent of it are explored behind it. All of its variants together cover them.
    #[inline]
    pub fn covers_independent(&self) -> bool {
        self.coverage == Coverage::Independent || self.variant.is_none()
    }

    /// Whether it stands for the choice.
    #[inline]
    pub fn matches(&self, choice: Choice) -> bool {
        self.tries(choice) && !self.covers_nothing()
    }

    /// Whether the choice was made or is to be, even if it covers nothing: there is no use in making it again.
    #[inline]
    pub fn tries(&self, choice: Choice) -> bool {
        self.thread == choice.thread && self.variant.is_none_or(|variant| variant == choice.variant)
    }

    pub fn is(&self, other: &Transition) -> bool {
        let is_same = self.variant == other.variant && self.covers_nothing() == other.covers_nothing();
        self.thread == other.thread && (is_same || self.variant.is_none() || other.variant.is_none())
    }

    /// Whether another that is the same step is wanted in more ways.
    #[inline]
    pub fn is_less_than(&self, other: &Transition) -> bool {
        self.coverage != Coverage::Independent && other.variant.is_none() && self.variant.is_some()
    }
}

/// Whether a thread could go several ways.
#[inline]
pub fn has_variants(thread: ThreadId, choices: &[Choice]) -> bool {
    // They are sorted by thread.
    let first = choices.partition_point(|choice| choice.thread < thread);
    choices.get(first + 1).is_some_and(|choice| choice.thread == thread)
}
