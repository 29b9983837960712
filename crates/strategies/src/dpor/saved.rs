//! A shared search as it is saved and read again.

use super::Note;
use super::brevity::Surroundings;
use super::footprint::{Footprint, Label};
use super::tree::{Branch, Kind, PartId, ROOT, Tree};
use gordian_base::FxHashSet;
use serde::{Deserialize, Serialize};

/// A [`Tree`] as it is written.
#[derive(Serialize, Deserialize)]
struct Saved<B> {
    footprints: Vec<Footprint>,
    branches: B,
    free: Vec<PartId>,
}

impl Tree {
    pub fn save(&self) -> String {
        let saved = Saved { footprints: self.footprints.all(), branches: &self.branches, free: self.free.clone() };
        serde_json::to_string(&saved).expect("nothing in it cannot be written")
    }

    /// None if the text is not what [`Tree::save`] writes.
    pub fn read(text: &str) -> Option<Tree> {
        let saved: Saved<Vec<Branch>> = serde_json::from_str(text).ok()?;
        let mut tree = Tree {
            footprints: saved.footprints.into(),
            branches: saved.branches,
            free: saved.free,
            decided: FxHashSet::default(),
        };
        if !tree.is_sound() {
            return None;
        }
        // Nobody has taken any of it now.
        tree.count_all_free(ROOT);
        Some(tree)
    }

    /// Whether everything that is named is there.
    fn is_sound(&self) -> bool {
        let is_part = |id: &PartId| (id.0 as usize) < self.branches.len();
        let sound = |label: &Label| self.footprints.has(label.footprint);
        let of_note = |note: &Note| match note {
            Note::Plan(_, sequence, surroundings) => {
                sequence.iter().all(sound) && surroundings.iter().flat_map(Surroundings::labels).all(sound)
            }
            Note::Step(_, label) => sound(label),
            Note::Next(_, label) => label.iter().all(sound),
        };
        !self.branches.is_empty()
            && self.free.iter().all(is_part)
            && self.branches.iter().enumerate().all(|(index, branch)| {
                is_part(&branch.parent)
                    && branch
                        .children
                        .iter()
                        .all(|child| is_part(child) && child.0 as usize != index && self.follows(*child, branch))
                    && branch.n_made <= branch.steps.len()
                    && branch.steps.iter().all(|step| sound(&step.label) && self.footprints.has(step.planned))
                    && branch.explored.iter().all(sound)
                    && branch.notes.iter().all(of_note)
                    && branch.reserved.iter().flatten().all(sound)
            })
    }

    fn follows(&self, child: PartId, parent: &Branch) -> bool {
        let Branch { depth, steps, .. } = self.at(child);
        !steps.is_empty() && *depth == parent.depth + steps.len()
    }

    fn count_all_free(&mut self, id: PartId) -> u32 {
        let children: Vec<PartId> = self.at(id).children.iter().copied().collect();
        let behind = children.into_iter().map(|child| self.count_all_free(child)).sum::<u32>();
        let branch = self.at_mut(id);
        branch.n_free = behind + u32::from(branch.kind == Kind::Leaf && !branch.has_ended);
        branch.n_free
    }
}
