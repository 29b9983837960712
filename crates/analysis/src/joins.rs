//! Which calls surely join the thread that their handle names.
//!
//! Points-to sets say which threads a handle may name, not that it names one: `pthread_join` of a number that is no handle returns at once.
//!
//! **Lemma (join).** Let a call join by a value that is read from one variable, into which nothing is ever written but the handle of one thread by its creation. Let that
//! thread be created once, by the thread that joins. Then after the call the thread has ended or was not created yet: the variable has the handle from the
//! creation on.

use crate::accesses::{Access, AccessKind, Bytes};
use crate::callgraph::{CallGraph, Target};
use crate::facts::Facts;
use crate::objects::{AbstractThread, InstanceId, LocId, ObjectKind};
use crate::sets::Set;
use crate::template::Val;
use gordian_base::{FxHashMap, FxHashSet, Id};
use gordian_externals::{Effect, Sync};
use gordian_ir::Inst;

/// Copies, parameters and results that are followed to where a handle is read.
const DEEPEST: u32 = 6;

/// The one thread that the handle of a join may name.
pub fn named(graph: &CallGraph<'_>, id: InstanceId, pc: u32, handle: u8) -> Option<AbstractThread> {
    let locs = graph.argument(id, pc, handle).and_then(|val| graph.pointees(id, val))?;
    match graph.solver.objects.kind(graph.solver.objects.at(LocId(locs.only()?)).0) {
        ObjectKind::Handle(thread) => Some(thread),
        _ => None,
    }
}

/// The calls that surely join.
pub fn certain(graph: &CallGraph<'_>, facts: &Facts, accesses: &[Access]) -> FxHashSet<(InstanceId, u32)> {
    let mut found = FxHashSet::default();
    for (id, instance) in graph.instances.iter().enumerate() {
        let id = InstanceId(id as u32);
        for &(pc, target) in &instance.calls {
            let Some(handle) = handle_of(graph, target) else { continue };
            let Some(thread) = named(graph, id, pc, handle) else { continue };
            let search = Search { graph, facts, accesses, thread };
            let is_certain = search.is_created_by(id)
                && graph.argument(id, pc, handle).is_some_and(|val| search.is_handle(id, pc, val, 0));
            if is_certain {
                found.insert((id, pc));
            }
        }
    }
    found
}

fn handle_of(graph: &CallGraph<'_>, target: Target) -> Option<u8> {
    let Target::External(external) = target else { return None };
    let effects = gordian_externals::effects_of(&graph.program.externals[external].name)?;
    effects.iter().find_map(|effect| match effect {
        Effect::Synchronises(Sync::Join { handle, .. }) => Some(*handle),
        _ => None,
    })
}

struct Search<'a, 'p> {
    graph: &'a CallGraph<'p>,
    facts: &'a Facts,
    accesses: &'a [Access],
    thread: AbstractThread,
}

impl Search<'_, '_> {
    /// Whether the thread is one, and created by the one thread that runs the instance.
    fn is_created_by(&self, id: InstanceId) -> bool {
        let mine = &self.facts.threads_of[id.index()];
        let is_mine = |creator: &InstanceId| self.facts.threads_of[creator.index()] == *mine;
        self.facts.is_single[self.thread.index()]
            && mine.only().is_some_and(|me| self.facts.is_single[me as usize])
            && self.graph.threads[self.thread.index()].created_at.iter().all(|(creator, _)| is_mine(creator))
    }

    /// Whether the operand is what the creation of the thread has written, if it has.
    fn is_handle(&self, id: InstanceId, pc: u32, val: Val, depth: u32) -> bool {
        let Val::Web(web) = val else { return false };
        if depth > DEEPEST {
            return false;
        }
        let (graph, instance) = (self.graph, &self.graph.instances[id.index()]);
        let template = graph.template_of(id);
        if let Some(nth) = template.webs.parameters.iter().position(|of| *of == web) {
            let argument = |caller: InstanceId, at: u32| graph.argument(caller, at, u8::try_from(nth).ok()?);
            let is_passed = |&(caller, at): &(InstanceId, u32)| {
                argument(caller, at).is_some_and(|val| self.is_handle(caller, at, val, depth + 1))
            };
            let is_root = graph.threads.iter().any(|thread| thread.roots.iter().any(|root| root.0 == id));
            return template.webs.n_definitions[web as usize] == 1
                && !is_root
                && instance.callers.iter().all(is_passed);
        }
        let Some(at) = template.definition.get(web as usize).copied().flatten() else { return false };
        let function = &graph.program.functions[instance.function];
        match function.code[at as usize] {
            Inst::Move { src, .. } => self.is_handle(id, at, template.val(function, at, src), depth + 1),
            Inst::Load { size: 8, address, .. } => {
                let locs = graph.pointees(id, template.val(function, at, address));
                locs.is_some_and(|locs| self.is_variable(locs))
            }
            Inst::Call { .. } => {
                let mut targets = instance.calls.iter().filter(|(of, _)| *of == at);
                let (Some((_, Target::Instance(callee))), None) = (targets.next(), targets.next()) else {
                    return false;
                };
                let of = &graph.program.functions[graph.instances[callee.index()].function];
                let returns = of.code.iter().enumerate().filter_map(|(pc, inst)| match *inst {
                    Inst::Return { src } => Some((pc as u32, src)),
                    _ => None,
                });
                let template = graph.template_of(*callee);
                of.n_returns == 1 && pc >= at && { returns }
                    .all(|(pc, src)| self.is_handle(*callee, pc, template.val(of, pc, src), depth + 1))
            }
            _ => false,
        }
    }

    /// Whether nothing but the handle is written there.
    fn is_variable(&self, locs: &Set) -> bool {
        let Some(loc) = self.facts.exact(self.graph, locs) else { return false };
        let (object, offset) = self.graph.solver.objects.at(loc);
        // Many accesses share their bytes.
        let mut known: FxHashMap<u32, bool> = FxHashMap::default();
        let mut meets = |access: &&Access| {
            let touches = |of: &Bytes| of.object == object && of.offset.overlaps(of.size, offset, 8);
            access.kind.writes()
                && access.kind != AccessKind::Free
                && *known.entry(access.bytes_id).or_insert_with(|| access.bytes.iter().any(touches))
        };
        self.accesses.iter().filter(&mut meets).all(|access| self.is_creation(access, loc))
    }

    /// Whether the access is the creation of the thread, which writes its handle right there.
    fn is_creation(&self, access: &Access, loc: LocId) -> bool {
        let created = &self.graph.threads[self.thread.index()].created_at;
        let is_here =
            access.address.and_then(|val| self.graph.pointees(access.instance, val)).and_then(|locs| locs.only());
        created.contains(&(access.instance, access.pc)) && is_here == Some(loc.0)
    }
}
