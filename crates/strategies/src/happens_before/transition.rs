//! Transitions: steps that were made or are planned, with what they touch.

use super::footprint::{FootprintId, Footprints};
use gordian_base::ThreadId;
use gordian_trace::Choice;
use serde::{Deserialize, Serialize};

/// A step that was made or is to be made: whose, in which variant, and what it touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "TransitionParts", from = "TransitionParts")]
pub struct Transition {
    pub thread: ThreadId,
    /// `None` where the step may turn out otherwise than when it was seen: each of its variants is wanted.
    pub variant: Option<u32>,
    /// Its thread could go several ways, of which this is one, or the execution ends with it: what it leads to says nothing
    /// of what others do without it.
    pub is_one_variant_of_several: bool,
    pub footprint: FootprintId,
}

/// A [`Transition`] as it is written: there may be many.
type TransitionParts = (ThreadId, Option<u32>, bool, FootprintId);

impl From<TransitionParts> for Transition {
    fn from((thread, variant, is_one_variant_of_several, footprint): TransitionParts) -> Self {
        Transition { thread, variant, is_one_variant_of_several, footprint }
    }
}

impl From<Transition> for TransitionParts {
    fn from(label: Transition) -> Self {
        (label.thread, label.variant, label.is_one_variant_of_several, label.footprint)
    }
}

impl Transition {
    /// Added to the variant of a step that covers nothing: it could not be made, or what it leads to is not explored.
    const COVERS_NOTHING: u32 = 1 << 31;

    /// In place of a step where there is none.
    pub const NOTHING: Transition = Transition {
        thread: ThreadId::MAIN,
        variant: None,
        is_one_variant_of_several: false,
        footprint: Footprints::UNKNOWN,
    };

    /// A step that its thread can make in one way only.
    pub fn simple(thread: ThreadId, footprint: FootprintId) -> Transition {
        Transition { thread, variant: Some(0), is_one_variant_of_several: false, footprint }
    }

    /// A step that is about to be made, out of these choices.
    pub fn new(choice: Choice, choices: &[Choice]) -> Transition {
        let Choice { thread, variant } = choice;
        let is_one_variant_of_several = has_variants(thread, choices);
        Transition { thread, variant: Some(variant), is_one_variant_of_several, footprint: Footprints::UNKNOWN }
    }

    /// What it leads to is not explored: it stands for no step of any sequence.
    pub fn cover_nothing(&mut self) {
        (self.is_one_variant_of_several, self.variant) =
            (true, Some(self.variant.unwrap_or_default() | Transition::COVERS_NOTHING));
    }

    #[inline]
    pub fn matches(&self, choice: Choice) -> bool {
        self.thread == choice.thread && self.variant.is_none_or(|variant| variant == choice.variant)
    }

    #[inline]
    pub fn covers_nothing(&self) -> bool {
        self.variant.is_some_and(|variant| variant & Transition::COVERS_NOTHING != 0)
    }

    /// Whether the choice was made or is to be, even if it covers nothing: there is no use in making it again.
    pub fn tries(&self, choice: Choice) -> bool {
        self.matches(choice)
            || self.thread == choice.thread && self.variant == Some(choice.variant | Transition::COVERS_NOTHING)
    }

    pub fn is(&self, other: &Transition) -> bool {
        self.thread == other.thread
            && (self.variant == other.variant || self.variant.is_none() || other.variant.is_none())
    }

    /// Whether another that is the same step is wanted in more ways.
    #[inline]
    pub fn is_less_than(&self, other: &Transition) -> bool {
        self.is_one_variant_of_several && other.variant.is_none() && self.variant.is_some()
    }
}

/// Whether a thread could go several ways.
#[inline]
pub fn has_variants(thread: ThreadId, choices: &[Choice]) -> bool {
    // They are sorted by thread.
    let first = choices.partition_point(|choice| choice.thread < thread);
    choices.get(first + 1).is_some_and(|choice| choice.thread == thread)
}
