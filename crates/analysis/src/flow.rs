//! What holds where control is: which locks are surely held, and which threads may be running.
//!
//! Each instance is analysed relative to its entry: what it took and gave back since, whom it created and joined. The
//! effect of a call is that of the callee at its returns. What holds on entry is the least that holds at all calls.
//!
//! **Lemma (must-locksets).** If a lock is in the set of a point, the thread holds it whenever it is there. A lock enters
//! the set only where one certain lock was taken: by its address if that is one address in all executions, else by a path
//! that is the same value in this call (see [`crate::paths`]). It leaves the set wherever a lock that may be the same is
//! released under another name, wherever its path loses its meaning, and where sets meet that do not both have it.

mod barriers;
mod entry;
mod kinds;
mod order;
mod state;
mod writes;

pub use barriers::Waits;
pub use state::{Held, Here, Lock};

use crate::accesses::{Access, AccessKind};
use crate::callgraph::{CallGraph, Point, Target};
use crate::cfg::Block;
use crate::facts::Facts;
use crate::joins;
use crate::objects::{AbstractThread, InstanceId};
use crate::paths::{Path, Paths};
use crate::sets::Set;
use barriers::Barriers;
use gordian_base::{FxHashMap, FxHashSet, Id};
use gordian_externals::{Effect, Mode, Patience, Sync};
use gordian_ir::{FuncId, Function, Inst};
use kinds::{MutexKinds, Overwrites};
use order::Worklist;
use state::{Entry, SECTION, State, since};
use std::collections::VecDeque;
use std::ops::Range;
use std::rc::Rc;

/// Sizes by which the table of external functions tells locks apart.
const MUTEX: u8 = 40;
const RWLOCK: u8 = 56;

/// What accesses say of joins and locks.
#[derive(Clone)]
pub struct Known {
    /// Calls that surely join the thread of their handle.
    joins: FxHashSet<(InstanceId, u32)>,
    /// Places of locks that protect nothing.
    overwritten: Set,
    overwrites: Rc<Overwrites>,
    kinds: MutexKinds,
    /// Barriers that threads come through all together.
    barriers: Barriers,
    /// Calls that initialise what nobody else knows yet.
    first_sets: FxHashSet<(InstanceId, u32)>,
}

impl Known {
    pub fn of(graph: &CallGraph<'_>, facts: &Facts, accesses: &[Access], owned: &[bool]) -> Self {
        let joins = joins::certain(graph, facts, accesses);
        let first_sets = accesses.iter().zip(owned).filter(|(access, owned)| **owned && access.kind == AccessKind::Set);
        let overwrites = Rc::new(Overwrites::of(graph, facts, accesses, owned));
        Known {
            joins,
            overwritten: overwrites.late.clone(),
            overwrites,
            kinds: MutexKinds::of(graph, accesses),
            barriers: barriers::with_phases(graph, facts, accesses),
            first_sets: first_sets.map(|(access, _)| (access.instance, access.pc)).collect(),
        }
    }

    /// These locks may be set free while they are held, too. None if that is known of all.
    pub fn with_reset(&self, locks: &Set) -> Option<Known> {
        let mut overwritten = self.overwritten.clone();
        let is_new = overwritten.union_noting(locks, &mut Set::default());
        is_new.then(|| Known { overwritten, ..self.clone() })
    }
}

/// The solution for all instances.
pub struct Flow<'a, 'p> {
    graph: &'a CallGraph<'p>,
    facts: &'a Facts,
    /// Of the functions that are reached.
    paths: FxHashMap<FuncId, Paths<'p>>,
    /// What each instance did when it returns; none if it never does.
    summaries: Vec<Option<Rc<State>>>,
    /// Equal summaries are one.
    shared: FxHashMap<State, Rc<State>>,
    /// At the begin of each block.
    inputs: Vec<Vec<Option<State>>>,
    entries: Vec<Option<Entry>>,
    known: Rc<Known>,
    /// Functions whose threads end elsewhere than at the return of the start function.
    ends_elsewhere: bool,
}

impl<'a, 'p> Flow<'a, 'p> {
    /// `stable` are the loads of things that never change while it matters.
    pub fn of(graph: &'a CallGraph<'p>, facts: &'a Facts, known: &Rc<Known>, stable: FxHashSet<Point>) -> Self {
        let n = graph.instances.len();
        let stable = Rc::new(stable);
        let mut paths = FxHashMap::default();
        for instance in &graph.instances {
            let template = graph.template_for(instance.function);
            let make = || Paths::of(graph.program, instance.function, template, Rc::clone(&stable));
            paths.entry(instance.function).or_insert_with(make);
        }
        let mut flow = Flow {
            graph,
            facts,
            paths,
            summaries: vec![None; n],
            shared: FxHashMap::default(),
            inputs: vec![Vec::new(); n],
            entries: vec![None; n],
            known: Rc::clone(known),
            ends_elsewhere: ends_elsewhere(graph),
        };
        flow.summarise();
        flow.enter();
        flow
    }

    fn paths(&mut self, id: InstanceId) -> &mut Paths<'p> {
        let function = self.graph.instances[id.index()].function;
        self.paths.get_mut(&function).expect("every function that is reached has paths")
    }

    fn function(&self, id: InstanceId) -> &'p Function {
        &self.graph.program.functions[self.graph.instances[id.index()].function]
    }

    /// Bottom up, until no summary changes.
    fn summarise(&mut self) {
        let n = self.graph.instances.len();
        let mut is_root = vec![false; n];
        let roots = self.graph.threads.iter().skip(1).flat_map(|thread| &thread.roots);
        roots.for_each(|(root, _)| is_root[root.index()] = true);
        let mut joining: Vec<InstanceId> = self.known.joins.iter().map(|(id, _)| *id).collect();
        joining.sort_unstable();
        joining.dedup();
        let mut queue = Worklist::new(order::callees_first(self.graph));
        (0..n as u32).for_each(|id| queue.add(InstanceId(id)));
        while let Some(id) = queue.next() {
            let summary = self.analyse(id).map(|summary| self.share(summary));
            if summary != self.summaries[id.index()] {
                self.summaries[id.index()] = summary;
                self.graph.instances[id.index()].callers.iter().for_each(|(caller, _)| queue.add(*caller));
                // Joins of a thread look at what its start function has left.
                if is_root[id.index()] {
                    joining.iter().for_each(|&id| queue.add(id));
                }
            }
        }
    }

    fn share(&mut self, state: State) -> Rc<State> {
        if let Some(known) = self.shared.get(&state) {
            return Rc::clone(known);
        }
        let shared = Rc::new(state.clone());
        self.shared.insert(state, Rc::clone(&shared));
        shared
    }

    fn analyse(&mut self, id: InstanceId) -> Option<State> {
        let template = self.graph.template_of(id);
        let blocks = &template.cfg.blocks;
        let mut inputs: Vec<Option<State>> = vec![None; blocks.len()];
        let mut summary: Option<State> = None;
        if let Some(first) = inputs.first_mut() {
            *first = Some(State::default());
        }
        let mut queue: VecDeque<u32> = (!blocks.is_empty()).then_some(0).into_iter().collect();
        let mut queued = vec![false; blocks.len()];
        while let Some(nth) = queue.pop_front() {
            queued[nth as usize] = false;
            let Some(mut state) = inputs[nth as usize].clone() else { continue };
            let block = &blocks[nth as usize];
            if !self.steps(id, block, block.code.clone(), &mut state) {
                continue;
            }
            if matches!(self.function(id).code[block.code.end as usize - 1], Inst::Return { .. }) {
                match &mut summary {
                    Some(summary) => _ = summary.meet(&state),
                    None => summary = Some(state.clone()),
                }
            }
            for &next in &block.successors {
                let changed = match &mut inputs[next as usize] {
                    Some(input) => input.meet(&state),
                    input => {
                        *input = Some(state.clone());
                        true
                    }
                };
                if changed && !std::mem::replace(&mut queued[next as usize], true) {
                    queue.push_back(next);
                }
            }
        }
        self.inputs[id.index()] = inputs;
        summary
    }

    /// Makes the state that after these instructions of the block. Says whether control goes on.
    fn steps(&mut self, id: InstanceId, block: &Block, code: Range<u32>, state: &mut State) -> bool {
        let mut next = code.start;
        while next < code.end {
            // Calls and writes over locks alone change a state, as long as no lock is known by a path that others may define anew.
            if !state.has_symbols() {
                let call = block.calls[block.calls.partition_point(|pc| *pc < next)..].first();
                let write = self.known.overwrites.early_from(id, next).first().map(|(pc, _)| pc);
                match call.into_iter().chain(write).min() {
                    Some(&pc) if pc < code.end => next = pc,
                    _ => return true,
                }
            }
            if !self.step(id, next, state) {
                return false;
            }
            next += 1;
        }
        true
    }

    /// Makes the state that after the instruction. Says whether control goes on.
    fn step(&mut self, id: InstanceId, pc: u32, state: &mut State) -> bool {
        let mut goes_on = true;
        for (_, locks) in self.known.overwrites.early_from(id, pc).iter().take_while(|(at, _)| *at == pc) {
            state.release(None, locks, true);
        }
        if matches!(self.function(id).code[pc as usize], Inst::Call { .. }) {
            goes_on = self.call(id, pc, state);
        }
        if state.has_symbols() {
            let template = self.graph.template_of(id);
            let paths = self.paths(id);
            for web in template.webs.defined_at(pc) {
                state.held.retain(|held| match held.lock {
                    Lock::Symbolic(path) => !paths.depends_on(path.root, web),
                    Lock::Exact(_) | Lock::Section => true,
                });
            }
        }
        goes_on
    }

    fn call(&mut self, id: InstanceId, pc: u32, state: &mut State) -> bool {
        let graph = self.graph;
        let calls = &graph.instances[id.index()].calls;
        let from = calls.partition_point(|(of, _)| *of < pc);
        let targets: Vec<Target> = calls[from..].iter().take_while(|(of, _)| *of == pc).map(|(_, to)| *to).collect();
        let is_inside = targets.iter().any(|target| matches!(target, Target::Inside(_)));
        let mut after: Option<State> = None;
        let mut add = |other: State| match &mut after {
            Some(after) => _ = after.meet(&other),
            None => after = Some(other),
        };
        if targets.is_empty() {
            return true;
        }
        // A call through a pointer may go to hundreds of functions, most of which do the same to locks and threads: nothing.
        let mut seen: Vec<*const State> = Vec::new();
        for target in targets {
            match target {
                Target::Instance(to) | Target::Inside(to) => {
                    if let Some(summary) = self.summaries[to.index()].clone()
                        && !seen.contains(&Rc::as_ptr(&summary))
                    {
                        let mut state = state.clone();
                        self.compose(id, pc, &mut state, &summary);
                        add(state);
                        seen.push(Rc::as_ptr(&summary));
                    }
                }
                Target::External(external) => {
                    let effects = gordian_externals::effects_of(&graph.program.externals[external].name);
                    let effects = effects.unwrap_or_default();
                    let mut state = state.clone();
                    effects.iter().for_each(|&effect| self.effect(id, pc, effect, &mut state));
                    if !effects.contains(&Effect::NeverReturns) || is_inside {
                        add(state);
                    }
                }
                // Part of the external call that creates it.
                Target::Thread(_) => {}
            }
        }
        match after {
            Some(after) => {
                *state = after;
                true
            }
            None => false,
        }
    }

    fn compose(&mut self, id: InstanceId, pc: u32, state: &mut State, callee: &State) {
        state.held.retain(|held| !held.locs.meets(&callee.released));
        state.released.union(&callee.released);
        for held in &callee.held {
            let lock = match held.lock {
                Lock::Symbolic(path) => self.in_caller(id, pc, path),
                exact => Some(exact),
            };
            if let Some(lock) = lock {
                state.acquire(lock, held.exclusive, Rc::clone(&held.locs), true);
            }
        }
        state.created.subtract(&callee.joined);
        state.joined.subtract(&callee.created);
        state.created.union(&callee.created);
        state.joined.union(&callee.joined);
        state.waits.then(&callee.waits);
    }

    /// The caller's name of a lock that a callee took through a parameter. Names of a callee mean nothing outside of it
    /// otherwise; which callee it was is not known here, so there must be one.
    fn in_caller(&mut self, id: InstanceId, pc: u32, path: Path) -> Option<Lock> {
        let graph = self.graph;
        let calls = &graph.instances[id.index()].calls;
        let mut targets = calls.iter().filter(|(of, _)| *of == pc);
        let (Some((_, Target::Instance(callee))), None) = (targets.next(), targets.next()) else { return None };
        let nth = self.paths(*callee).as_parameter(path.root)?;
        let val = graph.argument(id, pc, u8::try_from(nth).ok()?)?;
        let base = self.paths(id).path(val, pc);
        Some(Lock::Symbolic(Path { root: base.root, offset: base.offset.wrapping_add(path.offset) }))
    }

    /// The name of the lock that an argument points to, and all that it may be.
    fn lock_at(&mut self, id: InstanceId, pc: u32, nth: u8) -> Option<(Lock, Rc<Set>)> {
        let graph = self.graph;
        let val = graph.argument(id, pc, nth)?;
        let locs = graph.pointees(id, val)?;
        let lock = match self.facts.exact(graph, locs) {
            Some(loc) => Lock::Exact(loc),
            None => Lock::Symbolic(self.paths(id).path(val, pc)),
        };
        Some((lock, Rc::new(locs.clone())))
    }

    fn effect(&mut self, id: InstanceId, pc: u32, effect: Effect, state: &mut State) {
        let Effect::Synchronises(sync) = effect else {
            if effect == Effect::ReturnsTwice {
                // Whatever happened since may have happened when it returns again.
                let all: Set = (0..self.graph.threads.len() as u32).collect();
                state.held.clear();
                state.created = all;
                state.joined = Set::default();
                let n_locs = self.graph.solver.objects.n_locs();
                state.released = (0..n_locs).collect();
            }
            return;
        };
        if may_block(sync) {
            // While it waits, others may begin sections of their own.
            state.release(None, &Set::one(SECTION), true);
        }
        match sync {
            // The lock of a dead thread may be refused for good, and the call returns without it.
            Sync::Lock { size: MUTEX, .. } if self.known.kinds.robust => {}
            Sync::Lock { lock, mode, patience: Patience::Waits, size } => {
                if let Some((lock, locs)) = self.lock_at(id, pc, lock)
                    && !locs.meets(&self.known.overwritten)
                {
                    let exclusive = mode == Mode::Exclusive;
                    state.acquire(lock, exclusive, locs, self.is_counted(size));
                }
            }
            Sync::Unlock { lock, size } => {
                if let Some((lock, locs)) = self.lock_at(id, pc, lock) {
                    state.release(Some(lock), &locs, self.is_counted(size));
                }
            }
            Sync::Sets { .. } if self.known.first_sets.contains(&(id, pc)) => {}
            // A lock that is initialised is free.
            Sync::Sets { object, .. } => {
                if let Some((_, locs)) = self.lock_at(id, pc, object) {
                    state.release(None, &locs, true);
                }
            }
            Sync::Barrier { barrier } => {
                if let Some((Lock::Exact(loc), _)) = self.lock_at(id, pc, barrier)
                    && self.known.barriers.contains_key(&loc)
                {
                    state.waits.then(&Waits::one(loc));
                }
            }
            Sync::AtomicBegin => state.acquire(Lock::Section, true, Rc::new(Set::one(SECTION)), true),
            Sync::AtomicEnd => state.release(Some(Lock::Section), &Set::one(SECTION), true),
            Sync::Create { .. } => {
                let all = self.all_created_here(id, pc);
                state.created.union(&all);
                state.joined.subtract(&all);
            }
            Sync::Join { handle, .. } => {
                let joined = self.joined_by(id, pc, handle);
                state.created.subtract(&joined);
                state.joined.union(&joined);
            }
            _ => {}
        }
    }

    /// Whether locks of that size that are taken twice must be released twice. Read-write locks and error-checking mutexes refuse instead.
    fn is_counted(&self, size: u8) -> bool {
        size != RWLOCK && !self.known.kinds.error_checking
    }

    fn created_here(&self, id: InstanceId, pc: u32) -> impl Iterator<Item = AbstractThread> {
        let calls = self.graph.instances[id.index()].calls.iter().filter(move |(of, _)| *of == pc);
        calls.filter_map(|(_, target)| match target {
            Target::Thread(thread) => Some(*thread),
            _ => None,
        })
    }

    /// The threads that an instruction creates, and all that these create.
    fn all_created_here(&self, id: InstanceId, pc: u32) -> Set {
        let mut all = Set::default();
        for thread in self.created_here(id, pc) {
            all.insert(thread.0);
            all.union(&self.facts.descendants[thread.index()]);
        }
        all
    }

    /// The threads that have surely ended after a join: the one, if it is one, and those that it leaves none of.
    fn joined_by(&self, id: InstanceId, pc: u32, handle: u8) -> Set {
        let graph = self.graph;
        let mut joined = Set::default();
        if self.known.joins.contains(&(id, pc))
            && let Some(thread) = joins::named(graph, id, pc, handle)
        {
            joined.insert(thread.0);
            let root = graph.threads[thread.index()].roots[0].0;
            if let (Some(summary), false) = (&self.summaries[root.index()], self.ends_elsewhere) {
                let mut left = self.facts.descendants[thread.index()].clone();
                left.subtract(&summary.created);
                // Those that others create too may be running all the same.
                for other in left.iter() {
                    let creators = &graph.threads[other as usize].created_at;
                    let mut of_this = self.facts.descendants[thread.index()].clone();
                    of_this.insert(thread.0);
                    let is_below = |creator: &InstanceId| {
                        let mut others = self.facts.threads_of[creator.index()].clone();
                        others.subtract(&of_this);
                        others.is_empty()
                    };
                    if creators.iter().all(|(creator, _)| is_below(creator)) {
                        joined.insert(other);
                    }
                }
            }
        }
        joined
    }

    /// What holds before each of the instructions, which are in order; none where control never comes. Threads that one of them creates count as live: they may
    /// run before their creator has written their handle.
    pub fn at(&mut self, id: InstanceId, pcs: &[u32]) -> Vec<Option<Here>> {
        let Some(entry) = self.entries[id.index()].clone() else { return vec![None; pcs.len()] };
        let template = self.graph.template_of(id);
        let mut found = Vec::with_capacity(pcs.len());
        let (mut block, mut next, mut state) = (u32::MAX, 0, None);
        for &pc in pcs {
            if template.cfg.block_of(pc) != block {
                block = template.cfg.block_of(pc);
                next = template.cfg.blocks[block as usize].code.start;
                state = self.inputs[id.index()].get(block as usize).cloned().flatten();
            }
            let of_block = &template.cfg.blocks[block as usize];
            state = state.and_then(|mut state| self.steps(id, of_block, next..pc, &mut state).then_some(state));
            next = pc;
            found.push(state.as_ref().map(|state| {
                let mut here = since(&entry, state);
                here.live.union(&self.all_created_here(id, pc));
                here
            }));
        }
        found
    }

    /// The path of an operand, in the names of its function.
    pub fn path(&mut self, id: InstanceId, pc: u32, val: crate::template::Val) -> Path {
        self.paths(id).path(val, pc)
    }
}

/// Whether the operation may have to wait for another thread.
fn may_block(sync: Sync) -> bool {
    match sync {
        Sync::Lock { .. } | Sync::Wait { .. } | Sync::SemWait { .. } | Sync::Barrier { .. } => true,
        Sync::Once { .. } | Sync::Join { .. } => true,
        Sync::Unlock { .. } | Sync::Sets { .. } | Sync::Signal { .. } | Sync::SemPost { .. } | Sync::SemGet { .. } => {
            false
        }
        Sync::Create { .. } | Sync::Detach { .. } | Sync::EndThread { .. } | Sync::Cancel { .. } => false,
        Sync::AtomicBegin | Sync::AtomicEnd | Sync::EndProcess => false,
    }
}

fn ends_elsewhere(graph: &CallGraph<'_>) -> bool {
    let ends = |name: &str| {
        let effects = gordian_externals::effects_of(name).unwrap_or_default();
        let is_end = |effect: &Effect| {
            matches!(effect, Effect::Synchronises(Sync::EndThread { .. } | Sync::Cancel { .. }) | Effect::ReturnsTwice)
        };
        effects.iter().any(is_end)
    };
    graph.program.externals.iter().any(|external| ends(&external.name))
}
