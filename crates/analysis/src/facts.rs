//! What follows from points-to sets and call graph alone: who runs what, what is there once, what escapes its thread.

use crate::callgraph::{CallGraph, RootKind, Target};
use crate::objects::{AbstractThread, InstanceId, LocId, ObjectId, ObjectKind};
use crate::sets::Set;
use gordian_base::Id;
use gordian_externals::{Effect, Sync};

/// Facts that no order of execution changes.
pub struct Facts {
    /// The threads that run each instance.
    pub threads_of: Vec<Set>,
    /// Whether the instance is called at most once in an execution.
    pub is_once: Vec<bool>,
    /// Whether the abstract thread is one thread at most.
    pub is_single: Vec<bool>,
    /// The threads that a thread, or one that it creates, may create.
    pub descendants: Vec<Set>,
    /// Whether a second thread may hold a pointer to the object.
    pub escapes: Vec<bool>,
}

impl Facts {
    pub fn of(graph: &CallGraph<'_>) -> Facts {
        let mut facts = Facts {
            threads_of: threads_of(graph),
            is_once: vec![false; graph.instances.len()],
            is_single: vec![false; graph.threads.len()],
            descendants: Vec::new(),
            escapes: escapes(graph),
        };
        facts.find_once(graph);
        facts.descendants = descendants(graph, &facts.threads_of);
        facts
    }

    /// The least solution: nothing is there once unless that follows.
    fn find_once(&mut self, graph: &CallGraph<'_>) {
        self.is_single[0] = true;
        let mut n_roots = vec![0; graph.instances.len()];
        let mut root_of = vec![None; graph.instances.len()];
        for (thread, of) in graph.threads.iter().enumerate() {
            for &(root, kind) in &of.roots {
                n_roots[root.index()] += 1;
                // What runs at the end of a thread may run several times.
                root_of[root.index()] = (kind == RootKind::Start).then_some(thread);
            }
        }
        let mut changed = true;
        while changed {
            changed = false;
            for (id, instance) in graph.instances.iter().enumerate() {
                let is_once = match (&instance.callers[..], n_roots[id]) {
                    ([], 1) => root_of[id].is_some_and(|thread| self.is_single[thread]),
                    ([(caller, pc)], 0) => self.happens_once(graph, *caller, *pc),
                    _ => false,
                };
                changed |= is_once && !self.is_once[id];
                self.is_once[id] = is_once;
            }
            for (id, thread) in graph.threads.iter().enumerate().skip(1) {
                let is_single = match thread.created_at[..] {
                    [(creator, pc)] => self.happens_once(graph, creator, pc),
                    _ => false,
                };
                changed |= is_single && !self.is_single[id];
                self.is_single[id] = is_single;
            }
        }
    }

    /// Whether the instruction is executed at most once.
    pub fn happens_once(&self, graph: &CallGraph<'_>, instance: InstanceId, pc: u32) -> bool {
        let template = graph.template_of(instance);
        self.is_once[instance.index()] && !template.webs.returns_twice && !template.cfg.is_on_cycle(pc)
    }

    /// Whether the abstract object is one object at most.
    pub fn is_one_object(&self, graph: &CallGraph<'_>, object: ObjectId) -> bool {
        let of_thread = |thread: Option<AbstractThread>| thread.is_some_and(|thread| self.is_single[thread.index()]);
        match graph.solver.objects.kind(object) {
            ObjectKind::Global(_) => true,
            ObjectKind::ThreadLocal(_, thread) | ObjectKind::OfThread(thread) => of_thread(thread),
            ObjectKind::Local { instance, pc, .. } | ObjectKind::Heap { instance, pc } => {
                self.happens_once(graph, instance, pc)
            }
            ObjectKind::ByValue { instance, .. } => self.is_once[instance.index()],
            _ => false,
        }
    }

    /// The one address that the places stand for, if they stand for one.
    pub fn exact(&self, graph: &CallGraph<'_>, locs: &Set) -> Option<LocId> {
        let loc = LocId(locs.only()?);
        let (object, offset) = graph.solver.objects.at(loc);
        (offset.is_exact() && self.is_one_object(graph, object)).then_some(loc)
    }
}

fn threads_of(graph: &CallGraph<'_>) -> Vec<Set> {
    let mut threads_of = vec![Set::default(); graph.instances.len()];
    for (thread, of) in graph.threads.iter().enumerate() {
        let mut queue: Vec<InstanceId> = of.roots.iter().map(|root| root.0).collect();
        while let Some(instance) = queue.pop() {
            if threads_of[instance.index()].insert(thread as u32) {
                let calls = graph.instances[instance.index()].calls.iter();
                queue.extend(calls.filter_map(|(_, target)| match target {
                    Target::Instance(to) | Target::Inside(to) => Some(*to),
                    Target::External(_) | Target::Thread(_) => None,
                }));
            }
        }
    }
    threads_of
}

fn descendants(graph: &CallGraph<'_>, threads_of: &[Set]) -> Vec<Set> {
    let mut descendants = vec![Set::default(); graph.threads.len()];
    let mut changed = true;
    while changed {
        changed = false;
        for (id, thread) in graph.threads.iter().enumerate() {
            let mut below = descendants[id].clone();
            below.insert(id as u32);
            for &(creator, _) in &thread.created_at {
                for parent in threads_of[creator.index()].iter() {
                    let mut fresh = Set::default();
                    changed |= descendants[parent as usize].union_noting(&below, &mut fresh);
                }
            }
        }
    }
    descendants
}

/// Everything that can be reached from globals, from the library, and from what threads are given and leave behind.
fn escapes(graph: &CallGraph<'_>) -> Vec<bool> {
    let objects = &graph.solver.objects;
    let mut escapes = vec![false; objects.len()];
    let is_root = |object: &ObjectId| {
        use ObjectKind::*;
        matches!(objects.kind(*object), Global(_) | Library(_) | Arguments | Results | Memory)
    };
    let mut queue: Vec<ObjectId> = objects.ids().filter(is_root).collect();
    for (id, instance) in graph.instances.iter().enumerate() {
        for &(pc, target) in &instance.calls {
            let Target::External(external) = target else { continue };
            let effects = gordian_externals::effects_of(&graph.program.externals[external].name);
            for effect in effects.unwrap_or_default() {
                if let Effect::Synchronises(Sync::Create { argument, .. }) = effect
                    && let Some(val) = graph.argument(InstanceId(id as u32), pc, *argument)
                    && let Some(locs) = graph.pointees(InstanceId(id as u32), val)
                {
                    queue.extend(locs.iter().map(|loc| objects.at(LocId(loc)).0));
                }
            }
        }
    }
    while let Some(object) = queue.pop() {
        if !std::mem::replace(&mut escapes[object.index()], true) {
            for locs in graph.solver.contents_of(object) {
                queue.extend(locs.iter().map(|loc| objects.at(LocId(loc)).0));
            }
        }
    }
    escapes
}
