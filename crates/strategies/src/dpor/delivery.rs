//! What workers note about states on the way to their parts, and when that is taken in.

use super::Note;
use super::tree::{PartId, Tree};

impl Tree {
    /// Brings a note from behind a branch to the state that it is about, or as near as it may come by now: it must not
    /// overtake what is explored before.
    pub(super) fn deliver(&mut self, mut from: PartId, note: Note) {
        let (Note::Plan(depth, ..) | Note::Step(depth, _) | Note::Next(depth, _)) = note;
        while self.before(from) >= depth && self.at(from).depth > depth {
            let parent = self.at(from).parent;
            let is_there = self.at(parent).depth == depth;
            let is_next = matches!(note, Note::Next(..));
            // What is next is the same for all parts behind the step, and comes behind all that is there unless something can still come between.
            let mut before = self.at(parent).children.iter().take_while(|child| **child != from);
            let may_pass = before.all(|&child| is_next && (!is_there || self.at(child).is_open));
            if !may_pass || is_there && !self.is_its_turn(parent) {
                self.at_mut(from).notes.push(note);
                return;
            }
            if is_next && is_there {
                return self.go_on_from(from, note);
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
            Note::Plan(_, sequence, surroundings) => self.insert(from, depth, sequence, surroundings.as_ref()),
            Note::Step(_, label) => self.add_unless_known(from, depth, label),
            Note::Next(_, label) => {
                if let Some(label) = label {
                    self.add_unless_known(from, depth, label);
                }
                if self.before(from) == depth {
                    self.at_mut(from).is_open = true;
                }
            }
        }
    }

    /// Takes in what a branch says about the state before it with [`Note::Next`], and what those after it have said.
    fn go_on_from(&mut self, id: PartId, note: Note) {
        let parent = self.at(id).parent;
        let depth = self.at(parent).depth;
        if let Note::Next(_, Some(label)) = note {
            self.add_unless_known(parent, depth, label);
        }
        self.at_mut(id).is_open = true;
        let after = self.at(parent).children.iter().copied().skip_while(|&child| child != id).nth(1);
        let Some(after) = after else { return };
        let is_about_it = |note: &mut Note| matches!(note, Note::Next(about, _) if *about == depth);
        let held: Vec<Note> = self.at_mut(after).notes.extract_if(.., is_about_it).collect();
        held.into_iter().for_each(|note| self.deliver(after, note));
    }

    /// Takes in notes from a part that is being explored.
    pub fn note(&mut self, id: PartId, notes: Vec<Note>) {
        if self.is_wanted(id) {
            notes.into_iter().for_each(|note| self.deliver(id, note));
        }
    }
}
