//! Wake-up trees: what must still be explored from a state, so that no exploration is in vain.

use super::footprint::Footprint;
use gordian_base::ThreadId;
use gordian_trace::Choice;
use smallvec::SmallVec;
use std::rc::Rc;

/// A step that was made or is to be made: whose, in which variant, and what it touches.
#[derive(Clone, Debug)]
pub struct Label {
    pub thread: ThreadId,
    /// `None` where the step may turn out otherwise than when it was seen: each of its variants is wanted.
    pub variant: Option<u32>,
    pub footprint: Rc<Footprint>,
}

impl Label {
    pub fn depends(&self, other: &Label) -> bool {
        self.footprint.depends(self.thread, &other.footprint, other.thread)
    }

    fn is(&self, other: &Label) -> bool {
        self.thread == other.thread
            && (self.variant == other.variant || self.variant.is_none() || other.variant.is_none())
    }
}

/// Steps in the order in which they are to be made.
pub type Sequence<'a> = SmallVec<[&'a Label; 32]>;

#[derive(Clone, Debug)]
pub struct Branch {
    pub label: Label,
    pub children: Vec<Branch>,
}

/// Where a step that could come first stands in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// It is the step at this position, and nothing before it must come first.
    At(usize),
    /// The sequence does not contain it and does not depend on it.
    Apart,
}

/// Whether `label` is a weak initial of `sequence`: whether the sequence could begin with it.
pub fn weak_initial(label: &Label, sequence: &[&Label]) -> Option<Initial> {
    for (position, step) in sequence.iter().enumerate() {
        if step.thread == label.thread {
            return label.is(step).then_some(Initial::At(position));
        }
        // Whether the label stands in the sequence further on or not, it would have to come before this one.
        if label.depends(step) {
            return None;
        }
    }
    Some(Initial::Apart)
}

/// Adds `sequence` to the ordered branches unless what they lead to covers it already.
pub fn insert(branches: &mut Vec<Branch>, mut sequence: Sequence<'_>) {
    let mut branches = branches;
    loop {
        let found = branches.iter().enumerate().find_map(|(index, branch)| {
            let initial = weak_initial(&branch.label, &sequence)?;
            Some((index, initial))
        });
        let Some((index, initial)) = found else { break };
        if let Initial::At(position) = initial {
            sequence.remove(position);
        }
        // Below a leaf everything is explored.
        if sequence.is_empty() || branches[index].children.is_empty() {
            return;
        }
        branches = &mut branches[index].children;
    }
    let mut chain: Option<Branch> = None;
    for label in sequence.into_iter().rev() {
        chain = Some(Branch { label: label.clone(), children: chain.into_iter().collect() });
    }
    branches.extend(chain);
}

impl Label {
    pub fn matches(&self, choice: Choice) -> bool {
        self.thread == choice.thread && self.variant.is_none_or(|variant| variant == choice.variant)
    }
}
