//! Which kinds of mutexes there may be: some refuse to be taken, and then a call of `pthread_mutex_lock` says little.

use crate::accesses::{Access, AccessKind};
use crate::callgraph::{CallGraph, Target};
use crate::facts::Facts;
use crate::objects::{InstanceId, LocId, ObjectId, Offset};
use crate::sets::Set;
use crate::template::Val;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_externals::{Effect, Sync};
use gordian_ir::Inst;

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
    pub fn of(graph: &CallGraph<'_>) -> Self {
        let program = graph.program;
        let is_static = program.globals.iter().any(|global| has_error_check_bytes(&global.init));
        let robust = program.externals.iter().any(|external| external.name.contains("setrobust"));
        MutexKinds { error_checking: is_static || sets_kind(graph) || stores_kind(graph), robust }
    }
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

/// Whether some store may give a lock that kind: a local variable is initialised by stores.
fn stores_kind(graph: &CallGraph<'_>) -> bool {
    let kinds = places_of_kinds(graph);
    if kinds.is_empty() {
        return false;
    }
    graph.instances.iter().enumerate().any(|(id, instance)| {
        let function = &graph.program.functions[instance.function];
        let template = graph.template_of(InstanceId(id as u32));
        function.code.iter().enumerate().any(|(pc, inst)| {
            let Inst::Store { size, address, src } = *inst else { return false };
            let val = |slot| template.val(function, pc as u32, slot);
            let Val::Const(value) = val(src) else { return false };
            if !value.to_le_bytes().iter().any(|byte| byte & 3 == 2) {
                return false;
            }
            let Some(locs) = graph.pointees(InstanceId(id as u32), val(address)) else { return false };
            locs.iter().any(|loc| {
                let (object, offset) = graph.solver.objects.at(LocId(loc));
                let places = kinds.get(&object).map_or(&[][..], Vec::as_slice);
                places.iter().any(|kind| kind.overlaps(4, offset, u32::from(size)))
            })
        })
    })
}

/// The places of locks whose bytes a plain write may overwrite when there are threads, which would set them free. They protect nothing.
/// A lock in an object that nobody else knows yet was never taken, so writes there set none free.
pub fn overwritten(graph: &CallGraph<'_>, facts: &Facts, accesses: &[Access], owned: &[bool]) -> Set {
    let mut of_object: FxHashMap<ObjectId, Vec<LocId>> = FxHashMap::default();
    for loc in places_of_locks(graph).iter().map(LocId) {
        of_object.entry(graph.solver.objects.at(loc).0).or_default().push(loc);
    }
    let mut found = Set::default();
    if of_object.is_empty() {
        return found;
    }
    let writes = |kind: AccessKind| kind.is_memory() && kind.writes() && kind != AccessKind::Free;
    let late = crate::reach::late(graph, facts, accesses);
    let mut seen = FxHashSet::default();
    for (nth, access) in accesses.iter().enumerate().filter(|(_, access)| writes(access.kind)) {
        if owned[nth] || !late.contains(nth as u32) || !seen.insert(access.bytes_id) {
            continue;
        }
        for bytes in access.bytes.iter() {
            for &loc in of_object.get(&bytes.object).map_or(&[][..], Vec::as_slice) {
                if graph.solver.objects.at(loc).1.overlaps(HOLDER, bytes.offset, bytes.size) {
                    found.insert(loc.0);
                }
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
