//! Phases between waits at barriers.
//!
//! **Lemma (phases).** Let a barrier be initialised once, for `n` threads, and let at most `n` threads ever wait at it, each of which is one thread in every execution. Then each
//! thread that has come through its k-th wait knows that all have come to theirs: nobody waits twice in one round, so each round takes a wait of each thread.
//! So two of them that have come through different numbers of waits are never at two points at the same time, unless one of these is a wait. Nothing is said of other
//! threads: they count as having come through any number.

use crate::accesses::{Access, AccessKind, Bytes};
use crate::callgraph::{CallGraph, Target};
use crate::facts::Facts;
use crate::objects::{InstanceId, LocId, ObjectId};
use crate::sets::Set;
use crate::template::Val;
use gordian_base::{FxHashMap, FxHashSet, Id};
use gordian_externals::Effect;
use std::collections::BTreeMap;

/// Bytes of a barrier.
const SIZE: u32 = 32;
/// Waits that are counted; there may be any number more.
const MOST: u32 = 16;
const ANY: u32 = u32::MAX;

/// How often a thread has come through each barrier, at least and at most. Sorted; those that are missing not at all.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Waits(Vec<(LocId, u32, u32)>);

impl Waits {
    /// Any number of waits at these, in order.
    pub fn any(barriers: impl Iterator<Item = LocId>) -> Self {
        Waits(barriers.map(|barrier| (barrier, 0, ANY)).collect())
    }

    pub fn one(barrier: LocId) -> Self {
        Waits(vec![(barrier, 1, 1)])
    }

    fn of(&self, barrier: LocId) -> (u32, u32) {
        let known = self.0.iter().find(|(of, ..)| *of == barrier);
        known.map_or((0, 0), |&(_, least, most)| (least, most))
    }

    fn combine(&mut self, other: &Waits, with: impl Fn((u32, u32), (u32, u32)) -> (u32, u32)) {
        let mut barriers: Vec<LocId> = self.0.iter().chain(&other.0).map(|(barrier, ..)| *barrier).collect();
        barriers.sort_unstable();
        barriers.dedup();
        let combined = barriers.into_iter().map(|barrier| {
            let (least, most) = with(self.of(barrier), other.of(barrier));
            (barrier, least.min(MOST), if most > MOST { ANY } else { most })
        });
        self.0 = combined.collect();
    }

    /// These, and then the others.
    pub fn then(&mut self, others: &Waits) {
        if !others.0.is_empty() {
            self.combine(others, |a, b| (a.0.saturating_add(b.0), a.1.saturating_add(b.1)));
        }
    }

    /// What holds of both. Says whether that is less than held here.
    pub fn meet(&mut self, other: &Waits) -> bool {
        if self == other {
            return false;
        }
        let before = self.clone();
        self.combine(other, |a, b| (a.0.min(b.0), a.1.max(b.1)));
        *self != before
    }

    /// Whether the numbers differ for some barrier.
    pub fn differ(&self, other: &Waits) -> bool {
        let apart = |&(barrier, least, most): &(LocId, u32, u32)| {
            let (other_least, other_most) = other.of(barrier);
            most < other_least || other_most < least
        };
        self.0.iter().any(apart)
            || other.0.iter().any(|&(barrier, ..)| self.of(barrier) == (0, 0) && other.of(barrier).0 > 0)
    }
}

/// The barriers that the lemma is about, with the threads that wait at each.
pub type Barriers = BTreeMap<LocId, Set>;

pub fn with_phases(graph: &CallGraph<'_>, facts: &Facts, accesses: &[Access]) -> Barriers {
    let mut found = Barriers::default();
    if !accesses.iter().any(|access| access.kind == AccessKind::Barrier) || graph.cancels || returns_twice(graph) {
        return found;
    }
    let (counts, mut unsure) = counts(graph, facts);
    let mut users: FxHashMap<LocId, Set> = FxHashMap::default();
    for access in accesses.iter().filter(|access| access.kind == AccessKind::Barrier) {
        let locs = access.address.and_then(|val| graph.pointees(access.instance, val));
        match locs.and_then(|locs| facts.exact(graph, locs)) {
            Some(loc) => users.entry(loc).or_default().union(&facts.threads_of[access.instance.index()]),
            None => unsure.extend(access.bytes.iter().map(|bytes| bytes.object)),
        }
    }
    for (loc, threads) in users {
        let (object, offset) = graph.solver.objects.at(loc);
        let touches = |of: &Bytes| of.object == object && of.offset.overlaps(of.size, offset, SIZE);
        let overwrites = |access: &Access| {
            access.kind.is_memory()
                && access.kind.writes()
                && access.kind != AccessKind::Free
                && access.bytes.iter().any(touches)
        };
        let are_single = threads.iter().all(|thread| facts.is_single[thread as usize]);
        let are_few = counts.get(&loc).is_some_and(|n| threads.len() as u64 <= *n);
        if are_single && are_few && !unsure.contains(&object) && !accesses.iter().any(overwrites) {
            found.insert(loc, threads);
        }
    }
    found
}

/// For how many threads each barrier is initialised that is initialised once, and the objects of which that is not known.
fn counts(graph: &CallGraph<'_>, facts: &Facts) -> (FxHashMap<LocId, u64>, FxHashSet<ObjectId>) {
    let (mut counts, mut unsure) = (FxHashMap::default(), FxHashSet::default());
    for (id, instance) in graph.instances.iter().enumerate() {
        let id = InstanceId(id as u32);
        for &(pc, target) in &instance.calls {
            let Target::External(external) = target else { continue };
            if graph.program.externals[external].name != "pthread_barrier_init" {
                continue;
            }
            let Some(locs) = graph.argument(id, pc, 0).and_then(|val| graph.pointees(id, val)) else { continue };
            let count = graph.argument(id, pc, 2);
            match (facts.exact(graph, locs), count) {
                (Some(loc), Some(Val::Const(n))) if facts.happens_once(graph, id, pc) && !counts.contains_key(&loc) => {
                    counts.insert(loc, n);
                }
                _ => unsure.extend(locs.iter().map(|loc| graph.solver.objects.at(LocId(loc)).0)),
            }
        }
    }
    (counts, unsure)
}

fn returns_twice(graph: &CallGraph<'_>) -> bool {
    graph.program.externals.iter().any(|external| {
        let effects = gordian_externals::effects_of(&external.name).unwrap_or_default();
        effects.contains(&Effect::ReturnsTwice)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_waits_are_intervals() {
        let barrier = LocId(7);
        let mut waits = Waits::default();
        assert!(waits.differ(&Waits::one(barrier)) && Waits::one(barrier).differ(&waits));
        waits.then(&Waits::one(barrier));
        assert!(!waits.differ(&Waits::one(barrier)));
        assert!(
            waits.meet(&Waits::default()) && !waits.differ(&Waits::one(barrier)) && !waits.differ(&Waits::default())
        );
        let mut twice = Waits::one(barrier);
        twice.then(&Waits::one(barrier));
        assert!(waits.differ(&twice));
        // A loop ends.
        let mut round = Waits::default();
        let mut n_rounds = 0;
        loop {
            let mut next = round.clone();
            next.then(&Waits::one(barrier));
            n_rounds += 1;
            if !round.meet(&next) {
                break;
            }
        }
        assert!(n_rounds < 20 && !round.differ(&twice));
    }
}
