//! Static analysis of programs with threads: what two of them may touch at the same time, without running them.
//!
//! From the bottom up: [`cfg`] and [`webs`] make each function readable, [`template`] says what its instructions do with
//! pointers, [`solver`] computes where pointers may point and [`callgraph`] who calls whom in which thread. On that stand
//! [`facts`] (what is there once, what escapes its thread), [`accesses`], [`flow`] (locks that are held, threads that are
//! live), [`parallel`] and at last [`pairs`].
//!
//! Everything errs on one side: an access that may happen is there, a lock counts as held only if it surely is. What merely
//! looks like a pointer is one. The work is counted; a program that is too large for the budget is looked at in less detail,
//! and [`Analysis::detail`] says so.
//!
//! # How it works
//!
//! `analysis` knows `ir` and the table of `externals`, and nothing of machines. It errs on one side: what may happen is in its answers. A test of `vm`
//! compares the names of the table with those that models know, and `analysis/tests/soundness` compares static pairs with neighbouring steps of
//! executions, for each filter alone.
//! - *Readable functions*: `cfg.rs` (blocks), `webs.rs` (slots are reused; a web is one value), `template.rs` (what instructions do with pointers; any
//!   number may be one).
//! - *Points-to* (`solver.rs`, `callgraph.rs`): inclusion-based, with places (object, offset, stride). A store adds to the cell of its own place, a load
//!   takes from all cells that it may overlap. Contexts are the place of the call and the thread; a program that is too large for the budget, which
//!   counts work, is looked at with fewer contexts, and reports say so.
//! - *Facts* (`facts.rs`): what runs once, which objects are one object, what escapes its thread. `ownership.rs`: accesses to objects that nobody else
//!   knows yet.
//! - *Flow* (`flow.rs`): locks that are surely held and threads that may be live, relative to the entry of each function. A lock has a name if its
//!   address is one address in every execution, or as a path that is the same value within the call (`paths.rs`).
//! - *Parallel* (`parallel.rs`): two points are compared by looking at two sets of threads.
//! - *Pairs* (`pairs.rs`): `kind_of` is the one table from two operations to the kind of their pair. Accesses that no filter tells apart are a class, and
//!   filters are asked for classes.
//! - *Phases* (`flow/barriers.rs`): how often a thread has come through a barrier that as many threads wait at as it is for.
//! - Not there yet: joins of threads that one place creates in a loop.

mod accesses;
mod callgraph;
mod cfg;
mod describe;
mod facts;
mod flow;
mod invisible;
mod joins;
mod names;
mod objects;
mod overlaps;
mod ownership;
mod pairs;
mod parallel;
mod paths;
mod reach;
mod sets;
mod solver;
mod template;
mod webs;

pub use accesses::{Access, AccessKind, Bytes};
pub use callgraph::{Detail, Point};
pub use cfg::components;
pub use describe::{LockCycle, LockOrder};
pub use names::Place;
pub use objects::{AbstractThread, InstanceId, ObjectId, ObjectKind, Offset};
pub use pairs::{Counts, Filter, Filters, Pair, PairKind, Pairs, Side, kind_of};
pub use reach::Reachable;

use callgraph::CallGraph;
use facts::Facts;
use flow::{Flow, Here, Known, Lock};
use gordian_base::{FxHashSet, Id};
use gordian_ir::{Callee, FuncId, HiddenAddress, Inst, Program};
use parallel::Parallel;
use std::rc::Rc;

/// Why there is nothing to analyse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the program has no function `main`")]
    NoMain,
}

/// How much work may be done before the next coarser view is taken.
#[derive(Clone, Copy, Debug)]
pub struct Budget(pub u64);

impl Default for Budget {
    fn default() -> Self {
        Budget(20_000_000)
    }
}

/// What is known of a program.
pub struct Analysis<'p> {
    graph: CallGraph<'p>,
    facts: Facts,
    parallel: Parallel,
    accesses: Vec<Access>,
    /// Whether each access is to an object that nobody else knows yet.
    owned: Vec<bool>,
    here: Vec<Option<Here>>,
    shifts: Vec<Vec<pairs::Shift>>,
    /// What reports call each thread.
    numbers: Vec<u32>,
}

/// An object that several threads may access.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SharedObject {
    pub object: ObjectId,
    pub kind: ObjectKind,
    pub name: String,
    pub threads: Vec<AbstractThread>,
    pub is_written: bool,
}

/// A pair as a report shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    pub kind: PairKind,
    pub object: String,
    pub sides: [DescribedSide; 2],
    pub must: bool,
    pub why: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DescribedSide {
    pub place: Place,
    pub kind: AccessKind,
    /// `main`, `t1`, …
    pub thread: String,
    /// The start function of the thread.
    pub start: String,
    /// Where the function of the access is called, if that is told apart.
    pub called_from: Option<Place>,
    /// The locks that are held.
    pub locks: Vec<String>,
}

impl<'p> Analysis<'p> {
    pub fn of(program: &'p Program, budget: Budget) -> Result<Self, Error> {
        let main = program.main.ok_or(Error::NoMain)?;
        let details = [Detail::CallSites, Detail::Threads, Detail::Functions, Detail::Objects];
        let graph = details.into_iter().find_map(|detail| CallGraph::of(program, main, detail, budget.0).ok());
        // The coarsest view is small, and there is nothing after it.
        match graph {
            Some(graph) => Ok(Self::of_graph(graph)),
            None => Self::in_detail(program, Detail::Memory),
        }
    }

    /// In no more than that detail, whatever it takes.
    pub fn in_detail(program: &'p Program, detail: Detail) -> Result<Self, Error> {
        let main = program.main.ok_or(Error::NoMain)?;
        Ok(Self::of_graph(CallGraph::of(program, main, detail, u64::MAX).expect("no budget to exceed")))
    }

    fn of_graph(graph: CallGraph<'p>) -> Self {
        let facts = Facts::of(&graph);
        let accesses = accesses::collect(&graph, &facts);
        let owned = ownership::owned(&graph, &accesses);
        let known = Rc::new(Known::of(&graph, &facts, &accesses, &owned));
        let Settled { known, mut flow, mut here, parallel } = settle(&graph, &facts, &accesses, &owned, known);
        let has_symbols =
            here.iter().flatten().any(|here| here.held.iter().any(|held| matches!(held.lock, Lock::Symbolic(_))));
        if has_symbols {
            let stable = parallel::stable_loads(&graph, &facts, &parallel, &accesses, &here);
            flow = Flow::of(&graph, &facts, &known, stable);
            here = self::here(&mut flow, &accesses);
        }
        let shifts = pairs::shifts(&graph, &mut flow, &accesses, &here);
        drop(flow);
        let numbers = describe::numbers(&graph, &facts);
        Analysis { graph, facts, parallel, accesses, owned, here, shifts, numbers }
    }

    /// How much was told apart.
    pub fn detail(&self) -> Detail {
        self.graph.detail
    }

    /// External functions that are called and not known, with a place of a call; what they do is left out.
    pub fn unknown_functions(&self) -> Vec<(String, Place)> {
        let program = self.graph.program;
        let mut unknown: Vec<(String, Place)> = Vec::new();
        for &(point, external) in &self.graph.unknown {
            let name = &program.externals[external].name;
            if !unknown.iter().any(|(of, _)| of == name) {
                unknown.push((name.clone(), names::place(program, point)));
            }
        }
        unknown.sort();
        unknown
    }

    /// Instructions of all functions in their contexts: the nodes of the graph that is looked at.
    pub fn n_nodes(&self) -> usize {
        let code = |instance: &callgraph::Instance| self.graph.program.functions[instance.function].code.len();
        self.graph.instances.iter().map(code).sum()
    }

    /// The abstract threads, main first.
    pub fn threads(&self) -> Vec<AbstractThread> {
        let mut threads: Vec<AbstractThread> = (0..self.graph.threads.len() as u32).map(AbstractThread).collect();
        threads.sort_by_key(|thread| self.numbers[thread.index()]);
        threads
    }

    /// Whether the abstract thread may be several threads of an execution.
    pub fn is_several(&self, thread: AbstractThread) -> bool {
        !self.facts.is_single[thread.index()]
    }

    /// Calls through pointers that no function was found for, constants that hide addresses, and code that the machine cannot run, with places.
    pub fn gaps(&self) -> Vec<(String, Place)> {
        let mut gaps = Vec::new();
        for (id, instance) in self.graph.instances.iter().enumerate() {
            let function = &self.graph.program.functions[instance.function];
            for (pc, inst) in function.code.iter().enumerate() {
                let what = match *inst {
                    Inst::Unsupported { reason } => function.unsupported[reason as usize].clone(),
                    Inst::Call { site } => {
                        let is_indirect = matches!(function.calls[site as usize].callee, Callee::Indirect(_));
                        let has_target = instance.calls.iter().any(|(of, _)| *of == pc as u32);
                        if !is_indirect || has_target || !self.is_reached(InstanceId(id as u32)) {
                            continue;
                        }
                        "a call through a pointer that could go anywhere".to_owned()
                    }
                    _ => continue,
                };
                gaps.push((
                    what,
                    names::place(self.graph.program, Point { function: instance.function, pc: pc as u32 }),
                ));
            }
        }
        for HiddenAddress { loc, within } in &self.graph.program.hidden_addresses {
            let what = "a constant made from an address, of which the compiler has left a mere number";
            gaps.push((what.to_owned(), names::place_at(self.graph.program, *loc, within)));
        }
        gaps.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
        gaps.dedup();
        gaps
    }

    fn is_reached(&self, instance: InstanceId) -> bool {
        !self.facts.threads_of[instance.index()].is_empty()
    }

    /// The objects that more than one thread may access while more than one is there, in the order of their names.
    pub fn shared_objects(&self) -> Vec<SharedObject> {
        let mut of_object: Vec<(sets::Set, bool)> = vec![Default::default(); self.graph.solver.objects.len()];
        for (nth, access) in self.accesses.iter().enumerate().filter(|(nth, _)| self.here[*nth].is_some()) {
            for bytes in access.bytes.iter() {
                let (threads, written) = &mut of_object[bytes.object.index()];
                threads.union(&self.facts.threads_of[access.instance.index()]);
                *written |= self.accesses[nth].kind.writes();
            }
        }
        let mut shared = Vec::new();
        for object in self.graph.solver.objects.ids().filter(|object| self.facts.escapes[object.index()]) {
            let (threads, written) = &of_object[object.index()];
            let several = threads.iter().any(|thread| !self.facts.is_single[thread as usize]);
            if threads.len() > 1 || several {
                let kind = self.graph.solver.objects.kind(object);
                let name = names::name(&self.graph, object, Offset::exact(0));
                let threads = threads.iter().map(AbstractThread).collect();
                shared.push(SharedObject { object, kind, name, threads, is_written: *written });
            }
        }
        shared.sort_by(|a, b| (&a.name, a.object).cmp(&(&b.name, b.object)));
        shared
    }

    /// Whether an access of the instruction may touch a shared object.
    pub fn touches_shared(&self, shared: &[SharedObject], point: Point) -> bool {
        self.accesses.iter().any(|access| {
            let function = self.graph.instances[access.instance.index()].function;
            let is_shared = |bytes: &Bytes| shared.iter().any(|of| of.object == bytes.object);
            Point { function, pc: access.pc } == point && access.bytes.iter().any(is_shared)
        })
    }

    /// The instructions that may access an object which more than one thread accesses at some time, main before it creates
    /// others included.
    pub fn accessed_by_several(&self) -> FxHashSet<Point> {
        let mut of_object: Vec<sets::Set> = vec![Default::default(); self.graph.solver.objects.len()];
        for access in &self.accesses {
            for bytes in access.bytes.iter() {
                of_object[bytes.object.index()].union(&self.facts.threads_of[access.instance.index()]);
            }
        }
        let by_several = |threads: &sets::Set| {
            threads.len() > 1 || threads.iter().any(|thread| !self.facts.is_single[thread as usize])
        };
        let shared: Vec<bool> = of_object.iter().map(by_several).collect();
        let accesses = self.accesses.iter().filter(|access| access.bytes.iter().any(|of| shared[of.object.index()]));
        accesses
            .map(|access| Point { function: self.graph.instances[access.instance.index()].function, pc: access.pc })
            .collect()
    }

    /// The instructions that may read what another thread writes while both run; none if there are more pairs than can be listed.
    pub fn reads_of_others(&self) -> Option<FxHashSet<Point>> {
        let found = self.pairs(Filters::default());
        let reads = |kind| matches!(kind, AccessKind::Read | AccessKind::AtomicRead | AccessKind::AtomicUpdate);
        let of_data = found.pairs.iter().filter(|pair| pair.kind == PairKind::ReadWrite);
        let accesses = of_data.flat_map(|pair| pair.sides).map(|side| &self.accesses[side.access]);
        let points = accesses
            .filter(|access| reads(access.kind))
            .map(|access| Point { function: self.graph.instances[access.instance.index()].function, pc: access.pc });
        (!found.is_cut).then(|| points.collect())
    }

    pub fn accesses(&self) -> &[Access] {
        &self.accesses
    }

    fn context(&self) -> pairs::Context<'_, 'p> {
        pairs::Context {
            graph: &self.graph,
            facts: &self.facts,
            parallel: &self.parallel,
            accesses: &self.accesses,
            owned: &self.owned,
            here: &self.here,
            shifts: &self.shifts,
        }
    }

    pub fn pairs(&self, filters: Filters) -> Pairs {
        self.context().find(filters)
    }

    /// The instructions of the user's program that an access stands for: those of the C library count as their callers.
    pub fn points(&self, access: usize) -> Vec<Point> {
        let Access { instance, pc, .. } = self.accesses[access];
        let (mut found, mut seen) = (Vec::new(), FxHashSet::default());
        let mut queue = vec![(instance, pc)];
        while let Some((instance, pc)) = queue.pop() {
            let of = &self.graph.instances[instance.index()];
            if !self.graph.program.functions[of.function].internal {
                found.push(Point { function: of.function, pc });
            } else if seen.insert(instance) {
                queue.extend(&of.callers);
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Where in the source these instructions are.
    pub fn places(&self, access: usize) -> Vec<Place> {
        self.points(access).into_iter().map(|point| names::place(self.graph.program, point)).collect()
    }

    /// The places that create the threads of an abstract thread.
    pub fn created_at(&self, thread: AbstractThread) -> Vec<Point> {
        let point = |&(instance, pc): &(InstanceId, u32)| Point {
            function: self.graph.instances[instance.index()].function,
            pc,
        };
        self.graph.threads[thread.index()].created_at.iter().map(point).collect()
    }

    pub fn start_name(&self, thread: AbstractThread) -> &str {
        &self.graph.program.functions[self.start_of(thread)].name
    }

    pub fn start_of(&self, thread: AbstractThread) -> FuncId {
        self.graph.threads[thread.index()].start
    }
}

/// What flow says once it is known which locks protect nothing.
struct Settled<'a, 'p> {
    known: Rc<Known>,
    flow: Flow<'a, 'p>,
    here: Vec<Option<Here>>,
    parallel: Parallel,
}

/// Takes the names from locks that one thread may initialise while another holds them, and says what is parallel.
fn settle<'a, 'p>(
    graph: &'a CallGraph<'p>,
    facts: &'a Facts,
    accesses: &[Access],
    owned: &[bool],
    mut known: Rc<Known>,
) -> Settled<'a, 'p> {
    loop {
        let mut flow = Flow::of(graph, facts, &known, FxHashSet::default());
        let here = here(&mut flow, accesses);
        let parallel = Parallel::of(graph, facts, &mut flow);
        let reset = parallel::reset_locks(graph, facts, &parallel, accesses, &without_owned(&here, owned));
        match known.with_reset(&reset) {
            Some(more) => known = Rc::new(more),
            None => return Settled { known, flow, here, parallel },
        }
    }
}

/// What holds at the accesses to objects that others may know.
fn without_owned(here: &[Option<Here>], owned: &[bool]) -> Vec<Option<Here>> {
    here.iter().zip(owned).map(|(here, owned)| here.clone().filter(|_| !owned)).collect()
}

/// What holds at each access.
fn here(flow: &mut Flow<'_, '_>, accesses: &[Access]) -> Vec<Option<Here>> {
    let mut here = vec![None; accesses.len()];
    let mut order: Vec<usize> = (0..accesses.len()).collect();
    order.sort_by_key(|&nth| (accesses[nth].instance, accesses[nth].pc));
    for of in order.chunk_by(|&a, &b| accesses[a].instance == accesses[b].instance) {
        let pcs: Vec<u32> = of.iter().map(|&nth| accesses[nth].pc).collect();
        for (&nth, found) in of.iter().zip(flow.at(accesses[of[0]].instance, &pcs)) {
            here[nth] = found;
        }
    }
    here
}
