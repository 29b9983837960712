//! Which accesses a thread may still come to: reachability over the control flow graphs of its functions in their contexts. A call is entered, and
//! passed; a return goes on behind every call of the function in its context.

use crate::Analysis;
use crate::accesses::Access;
use crate::callgraph::{CallGraph, Point, RootKind, Target};
use crate::facts::Facts;
use crate::objects::{AbstractThread, InstanceId};
use crate::sets::Set;
use gordian_base::{FxHashSet, Id};
use gordian_ir::Inst;

/// The accesses that are reachable from somewhere, by number.
#[derive(Clone, Debug, Default)]
pub struct Reachable(Set);

impl Reachable {
    pub fn has(&self, access: usize) -> bool {
        self.0.contains(access as u32)
    }
}

impl Analysis<'_> {
    /// The accesses that a thread which stands before an instruction may still make, that instruction included. Functions that run at its
    /// end count as well.
    pub fn reachable(&self, thread: AbstractThread, from: Point) -> Reachable {
        Reachable(reachable(&self.graph, &self.facts, &self.accesses, thread, from))
    }
}

fn reachable(graph: &CallGraph<'_>, facts: &Facts, accesses: &[Access], thread: AbstractThread, from: Point) -> Set {
    let runs = |&(id, _): &(usize, &crate::callgraph::Instance)| facts.threads_of[id].contains(thread.0);
    let here = graph.instances.iter().enumerate().filter(runs).filter(|(_, of)| of.function == from.function);
    let (todo, seen) = (here.map(|(id, _)| (InstanceId(id as u32), from.pc)).collect(), FxHashSet::default());
    let mut search = Search { graph, facts, accesses, thread, todo, seen, found: Set::default() };
    let ends = graph.threads[thread.index()].roots.iter().filter(|(_, kind)| *kind == RootKind::End);
    search.todo.extend(ends.map(|&(root, _)| (root, 0)));
    while let Some((instance, pc)) = search.todo.pop() {
        search.visit(instance, pc);
    }
    search.found
}

/// The accesses that may be made when there are several threads, or have been.
pub(crate) fn late(graph: &CallGraph<'_>, facts: &Facts, accesses: &[Access]) -> Set {
    let mut late = Set::default();
    for (creator, pc) in graph.threads.iter().flat_map(|thread| &thread.created_at) {
        let at = Point { function: graph.instances[creator.index()].function, pc: *pc };
        // Others than main make all their accesses late.
        if facts.threads_of[creator.index()].contains(0) {
            late.union(&reachable(graph, facts, accesses, AbstractThread(0), at));
        }
    }
    for (nth, access) in accesses.iter().enumerate() {
        if facts.threads_of[access.instance.index()].iter().any(|thread| thread != 0) {
            late.insert(nth as u32);
        }
    }
    late
}

struct Search<'a, 'p> {
    graph: &'a CallGraph<'p>,
    facts: &'a Facts,
    accesses: &'a [Access],
    thread: AbstractThread,
    /// Instructions to go on from.
    todo: Vec<(InstanceId, u32)>,
    /// Those that were gone on from.
    seen: FxHashSet<(InstanceId, u32)>,
    found: Set,
}

impl Search<'_, '_> {
    /// Goes from an instruction to the end of its block.
    fn visit(&mut self, id: InstanceId, pc: u32) {
        let graph = self.graph;
        let instance = &graph.instances[id.index()];
        let function = &graph.program.functions[instance.function];
        let template = graph.template_of(id);
        let block = &template.cfg.blocks[template.cfg.block_of(pc) as usize];
        if !self.seen.insert((id, pc)) {
            return;
        }
        let code = pc..block.code.end;
        let accesses = self.accesses;
        let first = accesses.partition_point(|access| access.instance < id);
        let of_instance = accesses[first..].iter().enumerate().take_while(|(_, access)| access.instance == id);
        for (nth, _) in of_instance.filter(|(_, access)| code.contains(&access.pc)) {
            self.found.insert((first + nth) as u32);
        }
        for (_, target) in instance.calls.iter().filter(|(at, _)| code.contains(at)) {
            if let Target::Instance(callee) | Target::Inside(callee) = *target {
                self.todo.push((callee, 0));
            }
        }
        let blocks = &template.cfg.blocks;
        self.todo.extend(block.successors.iter().map(|&next| (id, blocks[next as usize].code.start)));
        if matches!(function.code[block.code.end as usize - 1], Inst::Return { .. }) {
            let runs = |caller: &InstanceId| self.facts.threads_of[caller.index()].contains(self.thread.0);
            let callers = instance.callers.iter().filter(|(caller, _)| runs(caller));
            // Behind the call, which is not the last instruction of its function.
            self.todo.extend(callers.map(|&(caller, at)| (caller, at + 1)));
            // What runs before `main` is followed by `main`.
            let roots = &graph.threads[self.thread.index()].roots;
            if roots.contains(&(id, RootKind::Before)) {
                self.todo.extend(roots.iter().map(|&(root, _)| (root, 0)));
            }
        }
    }
}
