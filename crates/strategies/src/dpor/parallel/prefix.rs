//! The prefix of a part: the steps that lead to it, and what its exploration says about their states.

use super::super::Dpor;
use super::super::trimming::SleepContext;
use super::super::wakeup::BranchId;
use super::snapshot::{CopyId, TreeSnapshot};
use crate::happens_before::transition::Transition;
use gordian_base::FxHashSet;
use serde::{Deserialize, Serialize};

/// Leads to a part of a search.
#[derive(Default)]
pub(in crate::dpor) struct Prefix {
    /// The state behind so many steps is the first of the part.
    pub len: usize,
    /// So many of its steps were made before, and what follows from them was seen to.
    pub known: usize,
    pub snapshot: TreeSnapshot,
    /// Where its steps are in the snapshot, as far as they are known.
    pub path: Vec<CopyId>,
    /// What is to be explored from states on the way, which is for others to plan.
    pub notes: Vec<PrefixUpdate>,
    /// All that there ever were.
    pub n_noted: u64,
    /// From this depth on, steps on the way may have been looked at anew since they were made.
    pub changed: usize,
    /// What is left of the sequence that is being planned.
    pub rest: Vec<Transition>,
    /// By depth: what was noted lately, so that it is not said over and over.
    pub noted: Vec<FxHashSet<Vec<Transition>>>,
}

impl Prefix {
    pub(in crate::dpor) fn note(
        &mut self,
        depth: usize,
        sequence: &[Transition],
        sleep_context: Option<&SleepContext>,
    ) {
        if self.noted.len() <= depth {
            self.noted.resize_with(depth + 1, FxHashSet::default);
        }
        let noted = &mut self.noted[depth];
        if noted.len() >= MOST_NOTED {
            noted.clear();
        }
        if noted.insert(sequence.to_vec()) {
            self.add_note(PrefixUpdate::Insert(depth, sequence.to_vec(), sleep_context.cloned()));
        }
    }

    pub(in crate::dpor) fn add_note(&mut self, note: PrefixUpdate) {
        self.notes.push(note);
        self.n_noted += 1;
    }

    /// The notes that others should hear of soon, since they can go on with what those name.
    pub(in crate::dpor) fn take_urgent(&mut self) -> Vec<PrefixUpdate> {
        self.notes.extract_if(.., |note| matches!(note, PrefixUpdate::NextSibling(..))).collect()
    }

    pub(in crate::dpor) fn has_urgent(&self) -> bool {
        self.notes.iter().any(|note| matches!(note, PrefixUpdate::NextSibling(..)))
    }
}

/// Of each state.
const MOST_NOTED: usize = 1_000;

/// What follows, from an execution, for a state on the way to its part of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::dpor) enum PrefixUpdate {
    /// This sequence must be explored from the state of this depth.
    #[serde(rename = "Plan")]
    Insert(usize, Vec<Transition>, Option<SleepContext>),
    /// This step must be, unless it is planned or explored.
    #[serde(rename = "Step")]
    AddSibling(usize, Transition),
    /// Nothing is ever planned from the state of this depth because of what begins with the step that was made there, but this step is to be explored,
    /// if one is named: see `trimming`.
    #[serde(rename = "Next")]
    NextSibling(usize, Option<Transition>),
}

impl Dpor {
    /// Explores a part of a search, from the state on that the way to it shares with the way to the part before, whose depth
    /// it gives.
    pub(in crate::dpor) fn set_out(&mut self, to: CopyId) -> usize {
        let before = std::mem::take(&mut self.prefix.path);
        let Prefix { snapshot, path, .. } = &mut self.prefix;
        snapshot.way_to(to, path);
        let shared = before.iter().zip(&*path).take_while(|(before, now)| before == now).count();
        if let Some(&made) = before.get(shared) {
            let label = self.label(shared);
            self.prefix.snapshot.made(made, label);
        }
        self.prefix.noted.truncate(if before.is_empty() { 0 } else { shared + 1 });
        for node in self.nodes.drain(shared..) {
            let mut branch = node.todo;
            while !branch.is_none() {
                branch = self.forest.remove(branch);
            }
            self.sleep_set.truncate(node.sleep as usize);
        }
        if shared == 0 {
            self.history.clear();
        } else {
            self.history.truncate(shared);
        }
        self.race_cache.keep(shared);
        self.prefix.len = self.prefix.path.len();
        self.prefix.changed = self.prefix.len;
        self.prefix.known = self.prefix.snapshot.known(to).max(shared);
        shared
    }

    /// Goes on with parts of another snapshot of the search.
    pub(in crate::dpor) fn set_snapshot(&mut self, snapshot: TreeSnapshot) {
        self.prefix.snapshot = snapshot;
        self.prefix.path.clear();
    }

    /// Notes that the branch under way, and what waits beside it, are on the way.
    pub(in crate::dpor) fn add_to_prefix(&mut self, under_way: BranchId) {
        let Prefix { snapshot, path, .. } = &mut self.prefix;
        let parent = path.last().copied().unwrap_or(CopyId::ROOT);
        path.push(snapshot.add_from(&self.history.footprints, &self.forest, parent, under_way));
    }

    /// Whether what waits beside the way at this depth, and stays, covers the sequence that is being planned.
    pub(in crate::dpor) fn is_covered_beside(&mut self, depth: usize) -> bool {
        let planned = self.nodes[depth].planned;
        let is_as_planned = self.history.footprints.is_as_planned(planned, self.label(depth).footprint);
        let Prefix { snapshot, path, rest, known, .. } = &mut self.prefix;
        // Otherwise what waits there may be planned anew.
        let stays = if depth < *known { !snapshot.is_unsettled(path[depth], depth) } else { is_as_planned };
        rest.clone_from(&self.sequence);
        stays && snapshot.covers(&self.history.footprints, path[depth], depth, rest)
    }

    /// Whether the state of this depth only leads to the part that is explored.
    pub(in crate::dpor) fn is_in_prefix(&self, depth: usize) -> bool {
        depth < self.prefix.len
    }
}
