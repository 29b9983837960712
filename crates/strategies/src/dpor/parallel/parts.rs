//! The parts of a search that workers take.

use super::super::trimming::{Waits, is_certain};
use super::branch::{Branch, Kind, PartId, ROOT, Step};
use super::snapshot::{CopyId, TreeSnapshot};
use super::tree::Tree;
use crate::happens_before::footprint::Footprints;
use crate::happens_before::transition::Transition;
use gordian_base::Rng;
use std::collections::VecDeque;

/// Which part of a search comes next.
#[derive(Clone, Debug, Default)]
pub enum Order {
    /// As a single worker goes: to the end, then back to the last choice.
    #[default]
    Depth,
    /// Near the begin first.
    Breadth,
    /// Where inputs decide in a way that they did nowhere before; else near the begin.
    Coverage,
    /// Down from the beginning, each choice with the same probability.
    Random(Rng),
}

impl Order {
    pub fn random(seed: u64) -> Order {
        Order::Random(Rng::stream(seed, 0))
    }
}

/// Parts of the search that one worker explores one after the other.
#[derive(Default)]
pub struct Batch {
    pub parts: VecDeque<Part>,
    pub snapshot: TreeSnapshot,
}

#[derive(Clone, Copy)]
pub struct Part {
    pub id: PartId,
    /// Where it is in the snapshot.
    pub copy: CopyId,
}

/// So many branches are copied beside each that leads to a part, at most: whoever knows what is planned has less to tell.
const MOST_BESIDE: usize = 2;

impl Tree {
    /// Parts to explore one after the other, at most so many: the one that promises most, near the root, and those that
    /// follow it. None if there is none.
    pub fn take(
        &mut self,
        most: usize,
        order: &mut Order,
        import: &mut dyn FnMut(&Transition, &Footprints) -> Transition,
    ) -> Option<Batch> {
        let first = match order {
            Order::Depth | Order::Breadth => self.shallowest(),
            Order::Coverage => self.undecided().or_else(|| self.shallowest()),
            Order::Random(rng) => self.any(rng),
        };
        let mut copier = Copier { tree: self, import, batch: Batch::default(), most, n_beside: 0 };
        copier.take_from(first?);
        let batch = copier.batch;
        for part in &batch.parts {
            self.set_taken(part.id, true);
        }
        Some(batch)
    }

    /// These will not be explored by who took them.
    pub fn give_back(&mut self, parts: impl Iterator<Item = PartId>) {
        for id in parts {
            if self.at(id).has_ended {
                self.free.push(id);
            }
            self.set_taken(id, false);
        }
    }

    /// The first part in the order of the search that decides as nobody did.
    fn undecided(&self) -> Option<PartId> {
        let mut next = vec![ROOT];
        while let Some(id) = next.pop() {
            let branch = self.at(id);
            if branch.is_taken || branch.n_free == 0 {
                continue;
            }
            let is_decision = branch.kind == Kind::Leaf && branch.steps.len() == 1;
            if is_decision && branch.decides.is_some_and(|decision| !self.decided.contains(&decision)) {
                return Some(id);
            }
            let behind: Vec<PartId> = self.open(branch.children.iter().copied()).collect();
            next.extend(behind.into_iter().rev());
        }
        None
    }

    fn any(&self, rng: &mut Rng) -> Option<PartId> {
        let mut next = Some(ROOT);
        // Those that are left to be tried, by their distance from the root.
        let mut left: Vec<Vec<PartId>> = Vec::new();
        loop {
            if let Some(id) = next.take() {
                let branch = self.at(id);
                let is_free = !branch.is_taken && branch.n_free > 0;
                if is_free && branch.kind == Kind::Leaf {
                    return Some(id);
                }
                if is_free {
                    left.push(self.open(branch.children.iter().copied()).collect());
                }
            }
            let beside = left.last_mut()?;
            if beside.is_empty() {
                left.pop();
            } else {
                let nth = rng.below(beside.len());
                next = Some(beside.swap_remove(nth));
            }
        }
    }

    /// The position of a branch among those from the same state.
    fn position(&self, id: PartId) -> usize {
        let children = &self.at(self.at(id).parent).children;
        children.iter().position(|&child| child == id).expect("a child of its parent")
    }

    /// Whether a branch is one step, with all that it leads to, and it was certain from the beginning what that touches.
    fn is_step(&self, id: PartId) -> bool {
        let Branch { steps, kind, .. } = self.at(id);
        let [step] = &steps[..] else { return false };
        *kind != Kind::Inner && is_certain(&self.footprints, &Transition { footprint: step.planned, ..step.label })
    }

    fn shallowest(&self) -> Option<PartId> {
        let mut level = vec![ROOT];
        while !level.is_empty() {
            let mut next = Vec::new();
            for id in level {
                let branch = self.at(id);
                if branch.is_taken || branch.n_free == 0 {
                    continue;
                }
                if branch.kind == Kind::Leaf {
                    return Some(id);
                }
                next.extend(self.open(branch.children.iter().copied()));
            }
            level = next;
        }
        None
    }

    /// Those of the branches beside each other that can be explored: what comes after one whose step was not made yet
    /// depends on how that turns out.
    fn open(&self, branches: impl Iterator<Item = PartId>) -> impl Iterator<Item = PartId> {
        let mut is_settled = true;
        branches.take_while(move |&id| std::mem::replace(&mut is_settled, self.is_settled(id)))
    }
}

/// Takes parts in the order of the search, and copies what is about them.
struct Copier<'a> {
    tree: &'a Tree,
    import: &'a mut dyn FnMut(&Transition, &Footprints) -> Transition,
    batch: Batch,
    /// Parts to take.
    most: usize,
    /// Branches that were copied and lead to none of them.
    n_beside: usize,
}

impl Copier<'_> {
    fn take_from(&mut self, first: PartId) {
        let mut way = vec![first];
        while let Some(&last) = way.last().filter(|last| **last != ROOT) {
            way.push(self.tree.at(last).parent);
        }
        let mut copies = vec![CopyId::ROOT];
        for states in way.windows(2).rev() {
            copies.push(self.copy_first(states[0], copies[copies.len() - 1]));
        }
        self.take(first, copies[copies.len() - 1]);
        copies.pop();
        for (&from, &parent) in way.iter().zip(copies.iter().rev()) {
            self.stop_behind(from);
            self.visit_all(self.tree.at(from).parent, self.tree.position(from) + 1, parent, true);
        }
    }

    /// Copies a branch as the first from the state before it.
    fn copy_first(&mut self, id: PartId, parent: CopyId) -> CopyId {
        let (tree, import) = (self.tree, &mut *self.import);
        let forked = tree.at(tree.at(id).parent);
        let before =
            forked.children.iter().take_while(|child| **child != id).map(|&child| *tree.at(child).first_step());
        let explored = forked.explored.iter().copied().chain(before);
        self.batch.snapshot.set_explored(parent, explored.map(|label| import(&label, &tree.footprints)));
        self.copy(id, tree.position(id), parent)
    }

    /// Copies a branch that has this position among those from the same state.
    fn copy(&mut self, id: PartId, position: usize, parent: CopyId) -> CopyId {
        let (branch, import) = (self.tree.at(id), &mut *self.import);
        let steps = branch.steps.iter().map(|step| {
            let label = import(&step.label, &self.tree.footprints);
            if step.planned == step.label.footprint {
                return Step::from(label);
            }
            let planned = Transition { footprint: step.planned, ..step.label };
            Step { label, planned: import(&planned, &self.tree.footprints).footprint }
        });
        let after = self.tree.at(branch.parent).children.range(position + 1..);
        let waits = Waits::of(after.map(|&other| self.tree.is_step(other)));
        let copy = self.batch.snapshot.add(parent, steps, branch.n_made, branch.kind == Kind::Inner, waits);
        if branch.is_open {
            self.batch.snapshot.set_open(copy);
        }
        if branch.n_made > 0 && !self.tree.is_settled(id) {
            self.batch.snapshot.set_unsettled(copy);
        }
        copy
    }

    fn take(&mut self, id: PartId, copy: CopyId) {
        self.batch.parts.push_back(Part { id, copy });
    }

    /// What comes after a step that was made, and turned out otherwise, is to be planned anew.
    fn stop_behind(&mut self, id: PartId) {
        if self.tree.at(id).n_made > 0 && !self.tree.is_settled(id) {
            self.most = self.batch.parts.len();
        }
    }

    /// Goes through the branches behind another from this position on, and all behind them. What comes after one whose step was
    /// not made yet, and will not be here, depends on how that turns out.
    fn visit_all(&mut self, behind: PartId, from: usize, parent: CopyId, may_take: bool) {
        let tree = self.tree;
        let mut visits = vec![Visit { behind, position: from, parent, may_take, last: None }];
        while let Some(visit) = visits.last_mut() {
            if let Some((id, n_before)) = visit.last.take() {
                visit.may_take &= self.may_go_on_after(id, n_before);
            }
            let has_room = self.n_beside < MOST_BESIDE * (self.batch.snapshot.len() - self.n_beside);
            let is_worth_it = visit.may_take && self.batch.parts.len() < self.most;
            let next = tree.at(visit.behind).children.get(visit.position).filter(|_| has_room || is_worth_it);
            let Some(&id) = next else {
                visits.pop();
                continue;
            };
            let branch = tree.at(id);
            let n_before = self.batch.parts.len();
            let may_take = visit.may_take && n_before < self.most && !branch.is_taken && branch.n_free > 0;
            let (position, parent) = (visit.position, visit.parent);
            (visit.position, visit.last) = (position + 1, Some((id, n_before)));
            let copy = self.copy(id, position, parent);
            if may_take && branch.kind == Kind::Leaf {
                self.take(id, copy);
            } else if may_take || has_room && branch.kind == Kind::Inner {
                let import = &mut *self.import;
                let explored = branch.explored.iter().map(|label| import(label, &tree.footprints));
                self.batch.snapshot.set_explored(copy, explored);
                visits.push(Visit { behind: id, position: 0, parent: copy, may_take, last: None });
            }
        }
    }

    /// Whether to take what comes after a branch, when all behind it was gone through and so many parts had been taken before.
    fn may_go_on_after(&mut self, id: PartId, n_before: usize) -> bool {
        if self.batch.parts.len() == n_before {
            self.n_beside += 1;
            return self.tree.is_settled(id);
        }
        self.stop_behind(id);
        true
    }
}

/// The branches behind one, as far as they were gone through.
struct Visit {
    behind: PartId,
    /// Of the next.
    position: usize,
    parent: CopyId,
    may_take: bool,
    /// The one before that, and the number of parts that had been taken before it.
    last: Option<(PartId, usize)>,
}
