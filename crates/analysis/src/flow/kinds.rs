//! Which kinds of mutexes there may be: some refuse to be taken, and then a call of `pthread_mutex_lock` says little.

use super::writes::{Initially, may_become};
use crate::accesses::{Access, AccessKind};
use crate::callgraph::{CallGraph, Target};
use crate::facts::Facts;
use crate::objects::{InstanceId, LocId, ObjectId, Offset};
use crate::sets::Set;
use crate::template::Val;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_externals::{Effect, Sync};

/// Where the kind stands in a mutex.
const KIND: i64 = 16;
/// The bytes of a lock that say who holds it. Spin locks have fewer, and structures that begin with them may lose precision.
const HOLDER: u32 = 20;

#[derive(Clone, Copy, Debug)]
pub struct MutexKinds {
    /// Some mutex may refuse to be locked twice by one thread.
    pub error_checking: bool,
    /// Some mutex may refuse to be locked after the thread that held it has ended.
    pub robust: bool,
}

impl MutexKinds {
    pub fn of(graph: &CallGraph<'_>, accesses: &[Access]) -> Self {
        let program = graph.program;
        let is_static = program.globals.iter().any(|global| has_error_check_bytes(&global.init));
        let robust = program.externals.iter().any(|external| external.name.contains("setrobust"));
        let is_kind = |byte: u8| byte & 3 == 2;
        let is_written = || may_become(graph, accesses, places_of_kinds(graph), Initially::Unseen, is_kind);
        let is_attribute = || may_become(graph, accesses, places_of_attributes(graph), Initially::Seen, is_kind);
        MutexKinds { error_checking: is_static || sets_kind(graph) || is_written() || is_attribute(), robust }
    }
}

/// Where the attributes stand that mutexes are initialised with. Programs may write there without the functions for it.
fn places_of_attributes(graph: &CallGraph<'_>) -> FxHashMap<ObjectId, Vec<Offset>> {
    let mut places: FxHashMap<ObjectId, Vec<Offset>> = FxHashMap::default();
    for (id, instance) in graph.instances.iter().enumerate() {
        let id = InstanceId(id as u32);
        for &(pc, target) in &instance.calls {
            let Target::External(external) = target else { continue };
            if graph.program.externals[external].name != "pthread_mutex_init" {
                continue;
            }
            let attributes = graph.argument(id, pc, 1).and_then(|val| graph.pointees(id, val));
            for (object, offset) in
                attributes.into_iter().flat_map(Set::iter).map(|loc| graph.solver.objects.at(LocId(loc)))
            {
                places.entry(object).or_default().push(offset);
            }
        }
    }
    places
}

/// Whether an attribute is set to something else than a normal or a recursive mutex.
fn sets_kind(graph: &CallGraph<'_>) -> bool {
    let sets = |name: &str| name == "pthread_mutexattr_settype" || name == "pthread_mutexattr_setkind_np";
    graph.instances.iter().enumerate().any(|(id, instance)| {
        instance.calls.iter().any(|&(pc, target)| match target {
            Target::External(external) if sets(&graph.program.externals[external].name) => {
                let kind = graph.argument(InstanceId(id as u32), pc, 1);
                !matches!(kind, Some(Val::Const(0 | 1)))
            }
            _ => false,
        })
    })
}

/// Plain writes that may overwrite the bytes of locks, which sets these free.
#[derive(Clone, Debug, Default)]
pub struct Overwrites {
    /// The places of locks that are overwritten when there are threads. They protect nothing.
    pub late: Set,
    /// The writes before that, with the locks that the thread does not hold any more: sorted by place in the code of the instance.
    early: FxHashMap<InstanceId, Vec<(u32, Set)>>,
}

impl Overwrites {
    /// A lock in an object that nobody else knows yet was never taken, so writes there set none free.
    pub fn of(graph: &CallGraph<'_>, facts: &Facts, accesses: &[Access], owned: &[bool]) -> Self {
        let mut of_object: FxHashMap<ObjectId, Vec<LocId>> = FxHashMap::default();
        for loc in places_of_locks(graph).iter().map(LocId) {
            of_object.entry(graph.solver.objects.at(loc).0).or_default().push(loc);
        }
        let mut found = Overwrites::default();
        if of_object.is_empty() {
            return found;
        }
        let writes = |kind: AccessKind| kind.is_memory() && kind.writes() && kind != AccessKind::Free;
        let late = crate::reach::late(graph, facts, accesses);
        let mut locks_of: FxHashMap<u32, Set> = FxHashMap::default();
        let mut seen = FxHashSet::default();
        for (nth, access) in accesses.iter().enumerate().filter(|(_, access)| writes(access.kind)) {
            let is_late = late.contains(nth as u32);
            if owned[nth] || is_late && !seen.insert(access.bytes_id) {
                continue;
            }
            let locks = locks_of.entry(access.bytes_id).or_insert_with(|| locks_in(graph, &of_object, access));
            if is_late {
                found.late.union(locks);
            } else if !locks.is_empty() {
                found.early.entry(access.instance).or_default().push((access.pc, locks.clone()));
            }
        }
        found.early.values_mut().for_each(|writes| writes.sort_by_key(|(pc, _)| *pc));
        found
    }

    /// The early writes of the instance from that place on.
    pub fn early_from(&self, id: InstanceId, pc: u32) -> &[(u32, Set)] {
        let writes = self.early.get(&id).map_or(&[][..], Vec::as_slice);
        &writes[writes.partition_point(|(at, _)| *at < pc)..]
    }
}

/// The places of locks whose bytes the access may touch.
fn locks_in(graph: &CallGraph<'_>, of_object: &FxHashMap<ObjectId, Vec<LocId>>, access: &Access) -> Set {
    let mut found = Set::default();
    for bytes in access.bytes.iter() {
        for &loc in of_object.get(&bytes.object).map_or(&[][..], Vec::as_slice) {
            if graph.solver.objects.at(loc).1.overlaps(HOLDER, bytes.offset, bytes.size) {
                found.insert(loc.0);
            }
        }
    }
    found
}

/// Where the kinds of all locks stand that are taken.
fn places_of_kinds(graph: &CallGraph<'_>) -> FxHashMap<ObjectId, Vec<Offset>> {
    let mut kinds: FxHashMap<ObjectId, Vec<Offset>> = FxHashMap::default();
    for (object, offset) in places_of_locks(graph).iter().map(|loc| graph.solver.objects.at(LocId(loc))) {
        kinds.entry(object).or_default().push(offset.plus(KIND));
    }
    kinds
}

fn places_of_locks(graph: &CallGraph<'_>) -> Set {
    let mut places = Set::default();
    for (id, instance) in graph.instances.iter().enumerate() {
        for &(pc, target) in &instance.calls {
            let Target::External(external) = target else { continue };
            let effects = gordian_externals::effects_of(&graph.program.externals[external].name);
            for effect in effects.unwrap_or_default() {
                let Effect::Synchronises(Sync::Lock { lock, .. } | Sync::Once { control: lock, .. }) = effect else {
                    continue;
                };
                let id = InstanceId(id as u32);
                let Some(locs) = graph.argument(id, pc, *lock).and_then(|val| graph.pointees(id, val)) else {
                    continue;
                };
                places.union(locs);
            }
        }
    }
    places
}

/// Whether there could be a mutex of that kind among the bytes: 16 zeros, then the kind.
fn has_error_check_bytes(bytes: &[u8]) -> bool {
    let kinds = (16..bytes.len()).step_by(4).filter(|&at| bytes[at] & 3 == 2);
    kinds.into_iter().any(|at| bytes[at - 16..at].iter().all(|&byte| byte == 0))
}
