//! When updates of a prefix are applied: each where a single worker would have made it, after all that such a worker would have explored before.

use super::super::PrefixUpdate;
use super::branch::PartId;
use super::tree::Tree;
use crate::happens_before::footprint::Footprints;

impl Tree {
    /// Brings a note from behind a branch to the state that it is about, or as near as it may come by now: it must not
    /// overtake what is explored before.
    pub(in crate::dpor) fn apply_in_order(&mut self, from: PartId, note: PrefixUpdate) {
        // Each may let others through that were held at the branch after it.
        let mut pending = vec![(from, note)];
        while let Some((from, note)) = pending.pop() {
            let n_pending = pending.len();
            self.apply_one(from, note, &mut pending);
            pending[n_pending..].reverse();
        }
    }

    fn apply_one(&mut self, mut from: PartId, note: PrefixUpdate, held: &mut Vec<(PartId, PrefixUpdate)>) {
        let (PrefixUpdate::Insert(depth, ..)
        | PrefixUpdate::AddSibling(depth, _)
        | PrefixUpdate::NextSibling(depth, _)) = note;
        while self.before(from) >= depth && self.at(from).depth > depth {
            let parent = self.at(from).parent;
            let is_there = self.at(parent).depth == depth;
            let is_next = matches!(note, PrefixUpdate::NextSibling(..));
            // What is next is the same for all parts behind the step, and comes behind all that is there unless something can still come between.
            let mut before = self.at(parent).children.iter().take_while(|child| **child != from);
            let may_pass = before.all(|&child| is_next && (!is_there || self.at(child).is_open));
            let must_wait = is_there && (!self.is_its_turn(parent) || is_next && !self.has_no_plans_to_revise(from));
            if !may_pass || must_wait {
                self.at_mut(from).notes.push(note);
                return;
            }
            if is_next && is_there {
                return self.go_on_from(from, note, held);
            }
            from = parent;
        }
        let parent = self.at(from).parent;
        let is_between = self.at(from).depth > depth;
        if is_between && (self.at(parent).children.front() != Some(&from) || !self.is_its_turn(parent)) {
            self.at_mut(from).notes.push(note);
            return;
        }
        match note {
            PrefixUpdate::Insert(_, sequence, sleep_context) => {
                self.insert(from, depth, sequence, sleep_context.as_ref())
            }
            PrefixUpdate::AddSibling(_, label) => self.add_unless_known(from, depth, label),
            PrefixUpdate::NextSibling(_, label) => {
                if let Some(label) = label {
                    self.add_unless_known(from, depth, label);
                }
                if self.before(from) == depth {
                    self.at_mut(from).is_open = true;
                }
            }
        }
    }

    /// Whether nothing that waits beside a branch is planned anew when its turn comes. What [`PrefixUpdate::NextSibling`] adds must not be: it is explored whether
    /// or not the branch covers it.
    fn has_no_plans_to_revise(&self, id: PartId) -> bool {
        let is_last = self.at(self.at(id).parent).children.back() == Some(&id);
        self.is_settled(id) || is_last && self.at(id).deferred.is_empty()
    }

    /// Takes in what a branch says about the state before it with [`PrefixUpdate::NextSibling`], and gives what the one after it has said.
    fn go_on_from(&mut self, id: PartId, note: PrefixUpdate, held: &mut Vec<(PartId, PrefixUpdate)>) {
        let parent = self.at(id).parent;
        let depth = self.at(parent).depth;
        if let PrefixUpdate::NextSibling(_, Some(mut label)) = note {
            // Who said it knew of nothing that waits there. What came in between sleeps behind the step, and nothing is sure to wake it.
            if self.at(parent).children.back() != Some(&id) {
                label.footprint = Footprints::UNTRIED;
            }
            self.add_unless_known(parent, depth, label);
        }
        let branch = self.at_mut(id);
        (branch.is_open, branch.siblings_reinserted) = (true, true);
        let after = self.at(parent).children.iter().copied().skip_while(|&child| child != id).nth(1);
        let Some(after) = after else { return };
        let is_about_it =
            |note: &mut PrefixUpdate| matches!(note, PrefixUpdate::NextSibling(about, _) if *about == depth);
        held.extend(self.at_mut(after).notes.extract_if(.., is_about_it).map(|note| (after, note)));
    }

    /// Takes in notes from a part that is being explored.
    pub fn note(&mut self, id: PartId, notes: Vec<PrefixUpdate>) {
        if self.is_wanted(id) {
            notes.into_iter().for_each(|note| self.apply_in_order(id, note));
        }
    }
}
