//! What a worker gives to the shared tree: the steps of its prefix, and the wake-up trees that are left of its part, with footprints by their numbers there.

use super::super::outlook::Outlook;
use super::super::trimming::SleepContext;
use super::super::wakeup::BranchId;
use super::super::{Dpor, PrefixUpdate};
use super::branch::{Left, UnderWay, Waiting};
use crate::happens_before::footprint::{FootprintId, Footprints};
use crate::happens_before::transition::Transition;
use gordian_trace::OpKind;

/// The numbers that footprints have here, and those that they have in the tree.
#[derive(Default)]
pub(crate) struct Numbers {
    to_tree: Vec<Option<FootprintId>>,
    pub(crate) from_tree: Vec<Option<FootprintId>>,
}

impl Numbers {
    pub(crate) fn in_tree(&mut self, label: &Transition, own: &Footprints, tree: &mut Footprints) -> Transition {
        translate(label, own, tree, &mut self.to_tree)
    }

    pub(crate) fn all_in_tree(
        &mut self,
        labels: &[Transition],
        own: &Footprints,
        tree: &mut Footprints,
    ) -> Vec<Transition> {
        labels.iter().map(|label| self.in_tree(label, own, tree)).collect()
    }

    pub(crate) fn notes_in_tree(
        &mut self,
        notes: Vec<PrefixUpdate>,
        own: &Footprints,
        tree: &mut Footprints,
    ) -> Vec<PrefixUpdate> {
        let mut translated = |note| match note {
            PrefixUpdate::Insert(depth, mut sequence, mut sleep_context) => {
                let labels = sleep_context.iter_mut().flat_map(SleepContext::labels_mut);
                sequence.iter_mut().chain(labels).for_each(|label| *label = self.in_tree(label, own, tree));
                PrefixUpdate::Insert(depth, sequence, sleep_context)
            }
            PrefixUpdate::AddSibling(depth, label) => PrefixUpdate::AddSibling(depth, self.in_tree(&label, own, tree)),
            PrefixUpdate::NextSibling(depth, label) => {
                PrefixUpdate::NextSibling(depth, label.map(|label| self.in_tree(&label, own, tree)))
            }
        };
        notes.into_iter().map(&mut translated).collect()
    }
}

/// The label with the number that its footprint has elsewhere.
pub(crate) fn translate(
    label: &Transition,
    from: &Footprints,
    to: &mut Footprints,
    known: &mut Vec<Option<FootprintId>>,
) -> Transition {
    let index = label.footprint.index();
    if known.len() <= index {
        known.resize(index + 1, None);
    }
    let footprint = *known[index].get_or_insert_with(|| to.intern(from.get(label.footprint)));
    Transition { footprint, ..*label }
}

impl Dpor {
    /// The steps on the way from the state of this depth on, as far as they were made.
    pub(crate) fn made_in_prefix(&self, from: usize) -> Vec<Transition> {
        self.begun_in_prefix(from, self.prefix.len.min(self.history.len()))
    }

    /// The steps from the state of one depth to that of another, whether or not the last of them could be made.
    pub(crate) fn begun_in_prefix(&self, from: usize, to: usize) -> Vec<Transition> {
        (from.min(to)..to).map(|depth| self.label(depth)).collect()
    }

    /// Whether the steps on the way that were made for the first time touch what was planned.
    pub(crate) fn is_as_planned(&self) -> bool {
        let len = self.prefix.len.min(self.history.len());
        let is_as_planned = |depth: usize| {
            self.history.footprints.is_as_planned(self.nodes[depth].planned, self.label(depth).footprint)
        };
        (self.prefix.known.min(len)..len).all(is_as_planned)
    }

    /// Whether more than the next branch is planned.
    pub(crate) fn has_more(&self) -> bool {
        let nodes = self.nodes.iter().skip(self.prefix.len);
        nodes.map(|node| self.forest.from(node.todo).skip(1).count()).sum::<usize>() > 0
    }

    /// Leaves what waits beside the way to the state of this depth to others.
    pub(crate) fn share_from(&mut self, depth: usize) {
        for reached in self.prefix.len..depth.min(self.nodes.len()) {
            let under_way = self.under_way(reached);
            self.add_to_prefix(under_way);
        }
        self.prefix.len = depth;
    }

    /// What is left to be explored, with labels as they are elsewhere.
    pub(crate) fn export(&self, there: &mut dyn FnMut(&Transition) -> Transition) -> Vec<Left> {
        let first = self.prefix.len;
        let mut left = Vec::new();
        for depth in first..self.nodes.len() {
            let node = &self.nodes[depth];
            let sleep = self.sleep(depth);
            let explored = &sleep[sleep.len() - node.n_done as usize..];
            let explored = explored.iter().map(&mut *there).collect();
            let is_last = depth + 1 == self.nodes.len();
            let under_way = (!is_last).then(|| {
                let made = self.label(depth);
                let planned = there(&Transition { footprint: node.planned, ..made }).footprint;
                let (deferred, is_open) = (self.export_deferred(node.todo, there), node.outlook == Outlook::Open);
                UnderWay { planned, made: there(&made), is_open, deferred }
            });
            let waiting = self.forest.from(node.todo).skip(usize::from(!is_last)).collect();
            let waiting = self.export_branches(waiting, there);
            let wants = node.wants.filter(|wants| wants.kind == OpKind::Branch);
            // From the last state the step that was last made has been explored.
            let last = if is_last { sleep.last().copied() } else { Some(self.label(depth)) };
            let decides = wants.zip(last).map(|(wants, last)| (last.thread, wants.at));
            left.push(Left { explored, under_way, decides, waiting });
        }
        left
    }

    /// These branches of a wake-up tree, each with all behind it.
    fn export_branches(
        &self,
        mut pending: Vec<BranchId>,
        there: &mut dyn FnMut(&Transition) -> Transition,
    ) -> Vec<Waiting> {
        let mut all = Vec::new();
        pending.reverse();
        while let Some(branch) = pending.pop() {
            let mut steps = vec![there(self.forest.label(branch))];
            let mut children = self.forest.children(branch);
            while let Some(label) = self.only(children) {
                steps.push(there(label));
                children = self.forest.children(children);
            }
            let n_pending = pending.len();
            pending.extend(self.forest.from(children));
            pending[n_pending..].reverse();
            let n_children = pending.len() - n_pending;
            all.push(Waiting { steps, deferred: self.export_deferred(branch, there), n_children });
        }
        all
    }

    /// The step of a branch, if nothing waits beside it and it is certain what it touches.
    fn only(&self, branch: BranchId) -> Option<&Transition> {
        let mut branches = self.forest.from(branch);
        let label = self.forest.label(branches.next()?);
        let is_certain = !self.history.footprints.is_uncertain(label.footprint);
        (is_certain && branches.next().is_none()).then_some(label)
    }

    fn export_deferred(
        &self,
        branch: BranchId,
        there: &mut dyn FnMut(&Transition) -> Transition,
    ) -> Vec<Vec<Transition>> {
        let deferred = self.forest.deferred(branch).iter();
        deferred.map(|sequence| sequence.iter().map(&mut *there).collect()).collect()
    }
}
