//! Indices that are pointers.
//!
//! Where a base is a number, the index may be the pointer. Where an index is the distance of two objects, the base is in the one and the sum in the other: of a pointer
//! that is kept relative to the place where it stands. In all other cases the sum is in the object of the base. An index that may be computed from pointers is common,
//! such as the length of a string, so this is looked at when all else is known.

use super::CallGraph;
use crate::objects::{InstanceId, LocId, ObjectId};
use crate::solver::{Node, Rule};
use crate::template::Val;
use crate::webs::Web;
use gordian_base::{FxHashSet, Id};

/// A sum of a base and an index that has the base's objects only, so far.
#[derive(Clone, Copy, Debug)]
pub(super) struct Displaced {
    instance: InstanceId,
    /// None if it is a number.
    base: Option<Node>,
    index: Node,
    dst: Node,
}

impl CallGraph<'_> {
    pub(super) fn add_displaced(&mut self, id: InstanceId, dst: Web, base: Val, index: Val) {
        if let Some(index) = self.node(id, index) {
            let (base, dst) = (self.node(id, base), self.web(id, dst));
            self.displaced.push(Displaced { instance: id, base, index, dst });
        }
    }

    /// Gives sums the objects of their indices where these may be what leads there. Says whether there were any.
    pub(super) fn displace(&mut self) -> bool {
        let all = std::mem::take(&mut self.displaced);
        let (found, left): (Vec<Displaced>, Vec<Displaced>) = all.into_iter().partition(|of| self.leads_away(of));
        self.displaced = left;
        for Displaced { instance, index, dst, .. } in &found {
            self.solver.add_rule(*index, Rule::Blur { dst: *dst });
            self.displaces.insert(self.instances[instance.index()].function);
        }
        !found.is_empty()
    }

    fn leads_away(&self, of: &Displaced) -> bool {
        let index = self.solver.points_to(of.index);
        if index.is_empty() {
            return false;
        }
        let Some(base) = of.base.map(|base| self.solver.points_to(base)).filter(|base| !base.is_empty()) else {
            return true;
        };
        let object = |loc: u32| self.solver.objects.at(LocId(loc)).0;
        let of_index: FxHashSet<ObjectId> = index.iter().map(object).collect();
        // Within one object the sum is where the base is.
        let is_same = |of_base: ObjectId| of_index.contains(&of_base) && of_index.len() > 1;
        base.iter().map(object).any(is_same)
    }
}
