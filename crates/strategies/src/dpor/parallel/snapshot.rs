//! A worker's own copy of some of the shared tree: the parts that it took, the ways to them, and what waits beside those.

use super::super::trimming::Waits;
use super::super::wakeup::{BranchId, Forest, Initial, weak_initial};
use super::branch::Step;
use crate::happens_before::footprint::Footprints;
use crate::happens_before::transition::Transition;
use gordian_trace::Choice;
use std::ops::Range;

/// Names a branch of a [`TreeSnapshot`], and with it the state behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyId(u32);

impl CopyId {
    pub const ROOT: CopyId = CopyId(0);
    const NONE: CopyId = CopyId(u32::MAX);
}

/// A copy of a branch of the tree.
struct Copied {
    parent: CopyId,
    /// Steps up to the state behind it.
    depth: usize,
    /// So many of them were made before.
    known: usize,
    /// Where its steps are.
    steps: Range<usize>,
    /// Only the sequences behind it are to be explored; otherwise everything is.
    is_inner: bool,
    /// Where the steps are that were explored from the state behind it, apart from its branches.
    explored: Range<usize>,
    /// Of those behind it; the last ones may be missing.
    first: CopyId,
    last: CopyId,
    /// Beside it.
    next: CopyId,
    /// What waits beside it, whether that is copied or not.
    waits: Waits,
    /// Nothing is planned beside it because of what is behind it, and others know.
    is_open: bool,
    /// Its first step was made and turned out otherwise than planned, and what waits beside it was not planned anew yet.
    is_unsettled: bool,
}

pub struct TreeSnapshot {
    branches: Vec<Copied>,
    steps: Vec<Step>,
    explored: Vec<Transition>,
}

impl Default for TreeSnapshot {
    fn default() -> Self {
        let root = Copied {
            parent: CopyId::NONE,
            depth: 0,
            known: 0,
            steps: 0..0,
            is_inner: false,
            explored: 0..0,
            first: CopyId::NONE,
            last: CopyId::NONE,
            next: CopyId::NONE,
            waits: Waits::Nothing,
            is_open: false,
            is_unsettled: false,
        };
        TreeSnapshot { branches: vec![root], steps: Vec::new(), explored: Vec::new() }
    }
}

impl TreeSnapshot {
    fn at(&self, id: CopyId) -> &Copied {
        &self.branches[id.0 as usize]
    }

    fn at_mut(&mut self, id: CopyId) -> &mut Copied {
        &mut self.branches[id.0 as usize]
    }

    /// Branches but for the root.
    pub fn len(&self) -> usize {
        self.branches.len() - 1
    }

    /// So many of the steps up to the state behind a branch were made before.
    pub fn known(&self, id: CopyId) -> usize {
        self.at(id).known
    }

    /// Adds a branch as the last of those behind its parent.
    pub fn add(
        &mut self,
        parent: CopyId,
        steps: impl Iterator<Item = Step>,
        n_made: usize,
        is_inner: bool,
        waits: Waits,
    ) -> CopyId {
        let id = CopyId(u32::try_from(self.branches.len()).expect("fewer than 2^32 branches"));
        let begin = self.steps.len();
        self.steps.extend(steps);
        let steps = begin..self.steps.len();
        let Copied { depth, known, ref mut first, ref mut last, .. } = self.branches[parent.0 as usize];
        let before = std::mem::replace(last, id);
        if before == CopyId::NONE {
            *first = id;
        } else {
            self.at_mut(before).next = id;
        }
        self.branches.push(Copied {
            parent,
            depth: depth + steps.len(),
            known: known + n_made,
            steps,
            is_inner,
            explored: 0..0,
            first: CopyId::NONE,
            last: CopyId::NONE,
            next: CopyId::NONE,
            waits,
            is_open: false,
            is_unsettled: false,
        });
        id
    }

    /// Others know that nothing is planned beside a branch because of what is behind it.
    pub fn set_open(&mut self, id: CopyId) {
        self.at_mut(id).is_open = true;
    }

    /// Whether they know that of the step of a branch from the state of this depth.
    pub fn is_open(&self, id: CopyId, depth: usize) -> bool {
        self.begins(id, depth) && self.at(id).is_open
    }

    /// What waits beside a branch is still to be planned anew.
    pub fn set_unsettled(&mut self, id: CopyId) {
        self.at_mut(id).is_unsettled = true;
    }

    /// Whether that is so of the step of a branch from the state of this depth.
    pub fn is_unsettled(&self, id: CopyId, depth: usize) -> bool {
        self.begins(id, depth) && self.at(id).is_unsettled
    }

    /// What was explored from the state behind a branch, apart from the branches that are copied.
    pub fn set_explored(&mut self, id: CopyId, explored: impl Iterator<Item = Transition>) {
        let begin = self.explored.len();
        self.explored.extend(explored);
        self.at_mut(id).explored = begin..self.explored.len();
    }

    /// The first step of a branch was made like this.
    pub fn made(&mut self, id: CopyId, label: Transition) {
        let first = self.at(id).steps.start;
        self.steps[first].label = label;
    }

    fn labels(&self, id: CopyId) -> impl Iterator<Item = &Transition> {
        self.steps[self.at(id).steps.clone()].iter().map(|step| &step.label)
    }

    fn first_step(&self, id: CopyId) -> &Transition {
        &self.steps[self.at(id).steps.start].label
    }

    /// The step of a branch from the state of this depth.
    pub fn step(&self, id: CopyId, depth: usize) -> Step {
        let Copied { steps, depth: end, .. } = self.at(id);
        self.steps[steps.end + depth - end]
    }

    /// Whether the first step of a branch is the one from the state of this depth.
    fn begins(&self, id: CopyId, depth: usize) -> bool {
        let Copied { steps, depth: end, .. } = self.at(id);
        depth + steps.len() == *end
    }

    /// The branches that begin at this depth beside this one, if it does, after it.
    fn beside(&self, id: CopyId, depth: usize) -> CopyId {
        if self.begins(id, depth) { self.at(id).next } else { CopyId::NONE }
    }

    fn from(&self, first: CopyId) -> impl Iterator<Item = CopyId> {
        let some = |id: CopyId| (id != CopyId::NONE).then_some(id);
        std::iter::successors(some(first), move |&id| some(self.at(id).next))
    }

    /// The steps from the state of this depth that are explored before the one that the branch makes there.
    pub fn before(&self, id: CopyId, depth: usize) -> impl Iterator<Item = Transition> {
        let parent = self.at(self.at(id).parent);
        let (explored, first) =
            if self.begins(id, depth) { (parent.explored.clone(), parent.first) } else { (0..0, CopyId::NONE) };
        let beside = self.from(first).take_while(move |&other| other != id);
        self.explored[explored].iter().copied().chain(beside.map(|other| *self.first_step(other)))
    }

    /// For each step up to the state behind a branch, the branch that it belongs to.
    pub fn way_to(&self, id: CopyId, way: &mut Vec<CopyId>) {
        way.clear();
        way.resize(self.at(id).depth, CopyId::ROOT);
        let mut next = id;
        while next != CopyId::ROOT {
            let Copied { parent, depth, steps, .. } = self.at(next);
            way[depth - steps.len()..*depth].fill(next);
            next = *parent;
        }
    }

    /// Adds a branch of a wake-up tree, and those that wait beside it, each with all behind it.
    pub fn add_from(&mut self, footprints: &Footprints, forest: &Forest, parent: CopyId, first: BranchId) -> CopyId {
        let under_way = CopyId(u32::try_from(self.branches.len()).expect("fewer than 2^32 branches"));
        let mut pending: Vec<(CopyId, BranchId)> = forest.from(first).map(|branch| (parent, branch)).collect();
        pending.reverse();
        while let Some((parent, branch)) = pending.pop() {
            let (children, waits) = (forest.children(branch), forest.waits_beside(footprints, branch));
            let step = Step::from(*forest.label(branch));
            let id = self.add(parent, std::iter::once(step), 0, !children.is_none(), waits);
            let n_pending = pending.len();
            pending.extend(forest.from(children).map(|child| (id, child)));
            pending[n_pending..].reverse();
        }
        assert!(self.branches.len() > under_way.0 as usize, "there is a branch under way");
        under_way
    }

    /// What waits beside the step of a branch from the state of this depth.
    pub fn waits_beside(&self, id: CopyId, depth: usize) -> Waits {
        if self.begins(id, depth) { self.at(id).waits } else { Waits::Nothing }
    }

    /// Whether the choice waits beside the step of a branch from the state of this depth.
    pub fn waits(&self, id: CopyId, depth: usize, choice: Choice) -> bool {
        self.from(self.beside(id, depth)).any(|other| self.first_step(other).tries(choice))
    }

    /// Whether what waits beside the step of a branch from the state of this depth, and stays, covers the sequence. If so, it
    /// will be covered when its turn comes: branches are added behind others only.
    pub fn covers(&self, footprints: &Footprints, id: CopyId, depth: usize, sequence: &mut Vec<Transition>) -> bool {
        let mut first = self.beside(id, depth);
        loop {
            let leads = |other: &CopyId| weak_initial(footprints, self.first_step(*other), sequence).is_some();
            let Some(branch) = self.from(first).find(leads) else { return false };
            for label in self.labels(branch) {
                match weak_initial(footprints, label, sequence) {
                    Some(Initial::At(position)) if label.is_less_than(&sequence[position]) => return false,
                    Some(Initial::At(0)) if sequence.len() == 1 => return true,
                    None => return false,
                    Some(_) if footprints.is_uncertain(label.footprint) => return false,
                    Some(Initial::At(position)) => _ = sequence.remove(position),
                    Some(Initial::Independent) => {}
                }
                if sequence.is_empty() {
                    return true;
                }
            }
            if !self.at(branch).is_inner {
                return true;
            }
            first = self.at(branch).first;
        }
    }
}
