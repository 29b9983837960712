//! Insertion into the shared wake-up tree: the same algorithm as in `wakeup.rs`, where the argument stands, over branches that are runs of steps. What is
//! inserted is where a single worker would have put it, since notes are applied in that worker's order (`delivery.rs`).

use super::super::trimming::{Place, SleepContext};
use super::super::wakeup::{Initial, weak_initial};
use super::branch::{Branch, Kind, PartId, Step};
use super::tree::Tree;
use crate::happens_before::transition::Transition;
use gordian_trace::Choice;

impl Tree {
    /// Adds a step to the branches from the state of this depth, which is that behind a branch or between its steps.
    pub(in crate::dpor) fn add_unless_known(&mut self, mut id: PartId, depth: usize, label: Transition) {
        let same = |other: &Transition| match label.variant {
            Some(variant) => other.tries(Choice { thread: label.thread, variant }),
            None => other.is(&label),
        };
        if self.at(id).depth > depth {
            if same(&self.at(id).steps[depth - self.before(id)].label) {
                return;
            }
            id = self.split(id, depth);
        }
        let branch = self.at(id);
        let known =
            branch.explored.iter().any(same) || branch.children.iter().any(|&child| same(self.at(child).first_step()));
        if !known {
            self.add(id, vec![Step::from(label)], Kind::Leaf);
        }
    }

    /// Adds a sequence to the branches from the state of this depth, which is that behind a branch or between its steps,
    /// unless what they lead to covers it. As [`Forest::insert`](crate::dpor::wakeup::Forest::insert), it adds no more than it has to.
    pub(in crate::dpor) fn insert(
        &mut self,
        mut at: PartId,
        mut depth: usize,
        mut sequence: Vec<Transition>,
        sleep_context: Option<&SleepContext>,
    ) {
        let mut place = sleep_context.map(|sleep_context| (Place::at(sleep_context), &sleep_context.inevitable));
        if let Some((place, inevitable)) = &mut place {
            let Some(len) = place.reduce(&self.footprints, inevitable, &mut sequence) else { return };
            sequence.truncate(len);
        }
        loop {
            let position = depth - self.before(at);
            let is_between = position < self.at(at).steps.len();
            let found = if is_between {
                let label = &self.at(at).steps[position].label;
                weak_initial(&self.footprints, label, &sequence).map(|initial| (at, position, initial))
            } else {
                self.at(at).children.iter().find_map(|&child| {
                    let initial = weak_initial(&self.footprints, self.at(child).first_step(), &sequence)?;
                    Some((child, 0, initial))
                })
            };
            if let Some((place, _)) = &mut place {
                let passed = self.at(at).children.iter().filter(|_| !is_between).copied();
                let passed = passed.take_while(|&child| found.is_none_or(|(found, ..)| child != found));
                passed.for_each(|child| place.pass(*self.at(child).first_step()));
            }
            let Some((found, position, initial)) = found else {
                if let Some((place, _)) = &mut place
                    && is_between
                {
                    place.pass(self.at(at).steps[position].label);
                }
                let len = match place {
                    Some((mut place, inevitable)) => place.truncate_plan(&self.footprints, inevitable, &mut sequence),
                    None => Some(sequence.len()),
                };
                let Some(len) = len else { return };
                sequence.truncate(len);
                if is_between {
                    at = self.split(at, depth);
                }
                break;
            };
            if let Some((place, _)) = &mut place {
                place.go_on(self.at(found).steps[position].label);
            }
            (at, depth) = (found, depth + 1);
            let branch = &mut self.branches[at.0 as usize];
            let planned = branch.steps[position].planned;
            let is_end = branch.depth == depth;
            let is_left_to_it = initial != Initial::At(0) || sequence.len() > 1 && is_end && branch.kind == Kind::Leaf;
            if is_left_to_it
                && position >= branch.n_made
                && self.footprints.is_uncertain(planned)
                && !branch.deferred.contains(&sequence)
            {
                branch.deferred.push(sequence.clone());
            }
            if let Initial::At(nth) = initial {
                let wanted = sequence.remove(nth);
                if branch.steps[position].label.is_less_than(&wanted) {
                    self.widen(at, position, wanted);
                }
            }
            let branch = &self.branches[at.0 as usize];
            if sequence.is_empty() || is_end && branch.kind != Kind::Inner {
                return;
            }
        }
        self.add_sequence(at, &sequence);
    }

    /// A step of a branch is wanted in all its variants. If it was made already, somebody has to look what else there is.
    #[cold]
    fn widen(&mut self, id: PartId, position: usize, wanted: Transition) {
        let Branch { steps, n_made, .. } = self.at_mut(id);
        if position >= *n_made {
            steps[position].label.variant = None;
            return;
        }
        let at = if position == 0 { self.at(id).parent } else { self.split(id, self.before(id) + position) };
        let Branch { explored, children, .. } = self.at(at);
        let firsts = explored.iter().chain(children.iter().map(|&child| self.at(child).first_step()));
        // Whoever made it in one variant because all were wanted has planned the others.
        if firsts.filter(|label| label.thread == wanted.thread).count() == 1 {
            self.add(at, vec![Step::from(wanted)], Kind::Leaf);
        }
    }

    /// If it is the turn of the first branch behind `id`, and its step was made and turned out otherwise than planned:
    /// plans anew what waits beside it.
    pub(crate) fn reinsert_siblings(&mut self, id: PartId) {
        let Some(&first) = self.at(id).children.front() else { return };
        if self.is_settled(first) || self.at(first).n_made == 0 || !self.is_its_turn(id) {
            return;
        }
        let depth = self.at(id).depth;
        self.at_mut(first).siblings_reinserted = true;
        let waiting: Vec<PartId> = self.at_mut(id).children.drain(1..).collect();
        for child in waiting {
            debug_assert!(self.at(child).n_made == 0, "nobody goes beyond a step that is not settled");
            self.insert_all(id, child);
            self.remove(child);
        }
        for deferred in std::mem::take(&mut self.at_mut(first).deferred) {
            self.insert(id, depth, deferred, None);
        }
    }

    /// Whether it is known what the first step of a branch touches, and what waits beside it was planned with that.
    pub fn is_settled(&self, id: PartId) -> bool {
        let Branch { steps, n_made, siblings_reinserted, .. } = self.at(id);
        let as_planned = |step: &Step| self.footprints.is_as_planned(step.planned, step.label.footprint);
        *n_made > 0 && (*siblings_reinserted || as_planned(&steps[0]))
    }

    /// Inserts what leads through `child` to each of its leaves into what is planned from the state behind `id`.
    fn insert_all(&mut self, id: PartId, child: PartId) {
        let depth = self.at(id).depth;
        let mut path: Vec<Transition> = Vec::new();
        let mut pending = vec![(child, 0)];
        while let Some((child, n_before)) = pending.pop() {
            path.truncate(n_before);
            for deferred in std::mem::take(&mut self.at_mut(child).deferred) {
                self.insert(id, depth, path.iter().copied().chain(deferred).collect(), None);
            }
            let Branch { steps, children, .. } = self.at(child);
            path.extend(steps.iter().map(|step| Transition { footprint: step.planned, ..step.label }));
            pending.extend(children.iter().rev().map(|&child| (child, path.len())));
            if children.is_empty() {
                self.insert(id, depth, path.clone(), None);
            }
        }
    }
}
