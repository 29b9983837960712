//! The way to a part of a search that is explored by several.

use super::Dpor;
use super::brevity::Surroundings;
use super::footprint::Label;
use super::piece::{CopyId, Piece};
use super::wakeup::BranchId;
use gordian_base::FxHashSet;
use serde::{Deserialize, Serialize};

/// Leads to a part of a search.
#[derive(Default)]
pub(super) struct Way {
    /// The state behind so many steps is the first of the part.
    pub len: usize,
    /// So many of its steps were made before, and what follows from them was seen to.
    pub known: usize,
    pub piece: Piece,
    /// Where its steps are in the piece, as far as they are known.
    pub path: Vec<CopyId>,
    /// What is to be explored from states on the way, which is for others to plan.
    pub notes: Vec<Note>,
    /// All that there ever were.
    pub n_noted: u64,
    /// From this depth on, steps on the way may have been looked at anew since they were made.
    pub changed: usize,
    /// What is left of the sequence that is being planned.
    pub rest: Vec<Label>,
    /// By depth: what was noted lately, so that it is not said over and over.
    pub noted: Vec<FxHashSet<Vec<Label>>>,
}

impl Way {
    pub(super) fn note(&mut self, depth: usize, sequence: &[Label], surroundings: Option<&Surroundings>) {
        if self.noted.len() <= depth {
            self.noted.resize_with(depth + 1, FxHashSet::default);
        }
        let noted = &mut self.noted[depth];
        if noted.len() >= MOST_NOTED {
            noted.clear();
        }
        if noted.insert(sequence.to_vec()) {
            self.add_note(Note::Plan(depth, sequence.to_vec(), surroundings.cloned()));
        }
    }

    pub(super) fn add_note(&mut self, note: Note) {
        self.notes.push(note);
        self.n_noted += 1;
    }

    /// The notes that others should hear of soon, since they can go on with what those name.
    pub(super) fn take_urgent(&mut self) -> Vec<Note> {
        self.notes.extract_if(.., |note| matches!(note, Note::Next(..))).collect()
    }

    pub(super) fn has_urgent(&self) -> bool {
        self.notes.iter().any(|note| matches!(note, Note::Next(..)))
    }
}

/// Of each state.
const MOST_NOTED: usize = 1_000;

/// What follows, from an execution, for a state on the way to its part of the search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Note {
    /// This sequence must be explored from the state of this depth.
    Plan(usize, Vec<Label>, Option<Surroundings>),
    /// This step must be, unless it is planned or explored.
    Step(usize, Label),
    /// Nothing is ever planned from the state of this depth because of what begins with the step that was made there, but this step is to be explored,
    /// if one is named: see `brevity`.
    Next(usize, Option<Label>),
}

impl Dpor {
    /// Explores a part of a search, from the state on that the way to it shares with the way to the part before, whose depth
    /// it gives.
    pub(super) fn set_out(&mut self, to: CopyId) -> usize {
        let before = std::mem::take(&mut self.way.path);
        let Way { piece, path, .. } = &mut self.way;
        piece.way_to(to, path);
        let shared = before.iter().zip(&*path).take_while(|(before, now)| before == now).count();
        if let Some(&made) = before.get(shared) {
            let label = self.label(shared);
            self.way.piece.made(made, label);
        }
        self.way.noted.truncate(if before.is_empty() { 0 } else { shared + 1 });
        for node in self.nodes.drain(shared..) {
            let mut branch = node.todo;
            while !branch.is_none() {
                branch = self.forest.remove(branch);
            }
            self.sleepers.truncate(node.sleep as usize);
        }
        if shared == 0 {
            self.history.clear();
        } else {
            self.history.truncate(shared);
        }
        self.settled.keep(shared);
        self.way.len = self.way.path.len();
        self.way.changed = self.way.len;
        self.way.known = self.way.piece.known(to).max(shared);
        shared
    }

    /// Goes on with parts of another piece of the search.
    pub(super) fn set_piece(&mut self, piece: Piece) {
        self.way.piece = piece;
        self.way.path.clear();
    }

    /// Notes that the branch under way, and what waits beside it, are on the way.
    pub(super) fn add_to_way(&mut self, under_way: BranchId) {
        let Way { piece, path, .. } = &mut self.way;
        let parent = path.last().copied().unwrap_or(CopyId::ROOT);
        path.push(piece.add_from(&self.history.footprints, &self.forest, parent, under_way));
    }

    /// Whether what waits beside the way at this depth, and stays, covers the sequence that is being planned.
    pub(super) fn is_covered_beside(&mut self, depth: usize) -> bool {
        let planned = self.nodes[depth].planned;
        let is_as_planned = self.history.footprints.is_as_planned(planned, self.label(depth).footprint);
        let Way { piece, path, rest, known, .. } = &mut self.way;
        // Otherwise what waits there may be planned anew.
        let stays = if depth < *known { !piece.is_unsettled(path[depth], depth) } else { is_as_planned };
        rest.clone_from(&self.sequence);
        stays && piece.covers(&self.history.footprints, path[depth], depth, rest)
    }

    /// Whether the state of this depth only leads to the part that is explored.
    pub(super) fn is_on_the_way(&self, depth: usize) -> bool {
        depth < self.way.len
    }
}
