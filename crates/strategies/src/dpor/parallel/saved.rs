//! A shared search as it is saved and read again.

use super::super::PrefixUpdate;
use super::super::trimming::SleepContext;
use super::branch::{Branch, Kind, PartId, ROOT};
use super::tree::Tree;
use crate::happens_before::footprint::{Effect, Footprint};
use crate::happens_before::transition::Transition;
use gordian_base::{FxHashSet, ThreadId};
use serde::{Deserialize, Serialize};

/// No machine numbers threads beyond this.
const MOST_THREADS: u32 = 1 << 20;

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
            footprints: saved.footprints.clone().into(),
            branches: saved.branches,
            free: saved.free,
            decided: FxHashSet::default(),
        };
        let root = tree.branches.first()?;
        if root.depth > 0 || !root.steps.is_empty() || !root.notes.is_empty() {
            return None;
        }
        let order = tree.in_order()?;
        let names_threads =
            saved.footprints.iter().all(|footprint| threads_of(footprint).all(|thread| thread.0 < MOST_THREADS));
        if !names_threads || !order.iter().all(|&id| tree.is_sound(tree.at(id))) {
            return None;
        }
        // Nobody has taken any of it now.
        tree.count_all_free(&order);
        Some(tree)
    }

    /// The branches that lead to what is to be explored, each behind its parent. None if they are no tree.
    fn in_order(&self) -> Option<Vec<PartId>> {
        let mut is_known = vec![false; self.branches.len()];
        let mut order = Vec::new();
        let mut pending = vec![ROOT];
        while let Some(id) = pending.pop() {
            if std::mem::replace(is_known.get_mut(id.0 as usize)?, true) {
                return None;
            }
            let branch = self.at(id);
            for &child in &branch.children {
                let Branch { parent, depth, steps, .. } = self.branches.get(child.0 as usize)?;
                let is_behind =
                    *parent == id && !steps.is_empty() && Some(*depth) == branch.depth.checked_add(steps.len());
                if !is_behind || child == ROOT {
                    return None;
                }
            }
            order.push(id);
            pending.extend(&branch.children);
        }
        // Whatever is stored in a free place must not be a part of it.
        let is_new = |id: &PartId| is_known.get_mut(id.0 as usize).is_some_and(|known| !std::mem::replace(known, true));
        self.free.iter().all(is_new).then_some(order)
    }

    /// Whether all that a branch names is there, and its notes are about states on the way to it.
    fn is_sound(&self, branch: &Branch) -> bool {
        let sound = |label: &Transition| self.footprints.has(label.footprint) && label.thread.0 < MOST_THREADS;
        let of_note = |note: &PrefixUpdate| match note {
            PrefixUpdate::Insert(depth, sequence, sleep_context) => {
                let labels = sleep_context.iter().flat_map(SleepContext::labels);
                *depth < branch.depth && !sequence.is_empty() && sequence.iter().chain(labels).all(sound)
            }
            PrefixUpdate::AddSibling(depth, label) => *depth < branch.depth && sound(label),
            PrefixUpdate::NextSibling(depth, label) => *depth < branch.depth && label.iter().all(sound),
        };
        branch.n_made <= branch.steps.len()
            && branch.steps.iter().all(|step| sound(&step.label) && self.footprints.has(step.planned))
            && branch.explored.iter().all(sound)
            && branch.notes.iter().all(of_note)
            && branch.deferred.iter().all(|sequence| !sequence.is_empty() && sequence.iter().all(sound))
    }

    /// Counts the parts that can be taken, `order` having each branch behind its parent.
    fn count_all_free(&mut self, order: &[PartId]) {
        for &id in order {
            let branch = self.at_mut(id);
            branch.n_free = u32::from(branch.kind == Kind::Leaf && !branch.has_ended);
        }
        for &id in order.iter().rev().filter(|id| **id != ROOT) {
            let Branch { n_free, parent, .. } = *self.at(id);
            self.at_mut(parent).n_free += n_free;
        }
    }
}

/// The threads that a footprint names.
fn threads_of(footprint: &Footprint) -> impl Iterator<Item = ThreadId> {
    let of_effect = |effect: &Effect| match *effect {
        Effect::Join { joiner: a, target: b } | Effect::Create { creator: a, child: b } => [a, b],
        Effect::Release(thread) => [thread; 2],
    };
    footprint.effects.iter().flat_map(of_effect).chain(footprint.joins.iter().copied())
}
