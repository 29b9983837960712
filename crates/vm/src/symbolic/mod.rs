//! Symbolic values beside the concrete ones: which terms registers and bytes of memory stand for, and what the inputs must
//! satisfy for the execution to go this way.
//!
//! The machine stays concrete: a register or byte that depends on inputs has a term besides, and its concrete value is that
//! of the term under the present *model*, a choice of inputs that satisfies the path so far. Where inputs decide how to go
//! on, the ways that some inputs lead to are the variants of a step of their own (see `fork`); if the one that is chosen is not that of the model, the
//! solver gives another model and every value with a term gets its new value. A program without inputs pays nothing: threads
//! whose registers have no terms run in the ordinary dispatch loop, which is left at memory as soon as there is an input.
//!
//! # Inputs and coverage
//!
//! **Inputs are symbols** in a search (`vm/src/symbolic`). The machine stays concrete: a register or byte that depends on inputs has a term besides, and
//! its value is that of the term under the present model, inputs that satisfy the path so far. Where inputs decide how a thread goes on (a branch, a
//! division, an address, a size), it parks before a step of its own, `OpKind::Branch`, whose variants are the ways that some inputs lead to. The step
//! touches nothing, so partial order reduction orders it with nobody, and a strategy explores it like any step with variants: one execution for each pair
//! of a path and a trace. If the way that is chosen is not that of the model, the solver gives another model and every value with a term gets its new
//! value; going back puts terms back from the journal and values by evaluating. Which ways there are must not depend on the model, so that a variant
//! means the same in every execution. Within an atomic section, and where inputs decide whether an exchange happens, there is no state for such a step:
//! the ways are the variants of the step that contains them, found out by making it for a try and going back (`within.rs`). A thread without terms runs
//! in the ordinary dispatch loop. A test fixes its inputs (the least that lead to the finding, so that they do not depend on the search) and has no such
//! steps. What cannot be said in terms is pinned to its value, and the verdict says so (`Bound::Values`).
//!
//! **Coverage** (`vm/src/coverage.rs`) is noted by a second copy of the dispatch loop, and by one worker alone, so that who covered what first does not
//! depend on time.

mod arguments;
mod calls;
mod fork;
mod fresh;
mod inputs;
mod memory;
mod operations;
mod path;
mod place;
mod pointers;
mod statistics;
mod step;
mod within;

pub use calls::{CallFrame, Calls};
pub use fresh::{Action, Annotation, AnnotationKind, Does, Terms};
pub use memory::ByteTerms;

use crate::machine::Machine;
use crate::models::CallNotes;
use fork::Fork;
use fresh::Fresh;
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_expr::{Evaluator, ExprId, Pool, Symbol};
use gordian_ir::Slot;
use gordian_solve::{Budget, Model, Solver, Standard, Supervision, standard};
use gordian_trace::Choice;
use path::Path;
use std::rc::Rc;
use within::Script;

/// What is known of symbolic values. Terms and symbols last for the life of the machine; the rest goes back with it.
pub struct Symbolic {
    /// Inputs are symbols.
    pub on: bool,
    pub pool: Pool,
    pub solver: Standard,
    /// What one query may take.
    pub(crate) budget: Budget,
    evaluator: Evaluator,
    /// By thread and count.
    symbols: FxHashMap<(u32, u32), Symbol>,
    /// Those of pointer type.
    pointers: Vec<Symbol>,
    /// By thread: the terms of its registers, of 64 bits each, and how many there are.
    registers: Vec<Vec<Option<ExprId>>>,
    n_terms: Vec<u32>,
    /// Of all threads: what is asked first, so that programs without inputs ask no more.
    n_terms_in_all: u32,
    /// What the inputs satisfy.
    pub path: Path,
    /// Where inputs decided or do now, the newest last.
    forks: Vec<Fork>,
    /// Who stands where inputs decide, at the newest fork. Everybody else waits: with fixed inputs it would not stop there.
    pub undecided: Option<ThreadId>,
    /// What can be chosen where inputs decide; empty if they do nowhere.
    pub choices: Vec<Choice>,
    /// A term of few values, the thread that asked, and the path that this is true of.
    counted: Option<(ThreadId, ExprId, u64)>,
    /// The term that last was given its present value for good, with its thread and the path from then on.
    pinned: Option<(ThreadId, ExprId, u64)>,
    /// Inputs that satisfy the path; the last one counts.
    models: Vec<Rc<Model>>,
    /// Events that read symbolic values, and what those stood for.
    reads: Vec<(u32, u64)>,
    /// The instruction that the thread stands at was decided by its last step.
    decided: Option<ThreadId>,
    /// By thread, for those whose next step inputs decide about within: its variants, in order.
    ways: Vec<(ThreadId, Vec<u32>)>,
    /// How inputs decide within the step under way.
    script: Option<Script>,
    /// Steps whose variant says how inputs decided within.
    scripted: Vec<u32>,
    /// Why some inputs were not considered.
    pub losses: Vec<String>,
    pub call: CallNotes,
    /// Feasibility queries: whether some inputs lead to a branch direction. Which of these reach the solver depends on the
    /// model at hand; that they are asked does not.
    pub solver_queries: u64,
    /// What is kept where reads are symbols, too.
    pub(crate) fresh: Option<Box<Fresh>>,
}

impl Symbolic {
    pub fn new(on: bool) -> Self {
        Symbolic {
            on,
            pool: Pool::new(),
            solver: standard(None),
            budget: fork::budget(None),
            evaluator: Evaluator::new(),
            symbols: FxHashMap::default(),
            pointers: Vec::new(),
            registers: Vec::new(),
            n_terms: Vec::new(),
            n_terms_in_all: 0,
            path: Path::default(),
            forks: Vec::new(),
            undecided: None,
            choices: Vec::new(),
            counted: None,
            pinned: None,
            models: vec![Rc::new(Model::new())],
            reads: Vec::new(),
            decided: None,
            ways: Vec::new(),
            script: None,
            scripted: Vec::new(),
            losses: Vec::new(),
            call: CallNotes::default(),
            solver_queries: 0,
            fresh: None,
        }
    }

    /// As [`Symbolic::new`], with a solver that is timed or stopped.
    pub fn supervised(on: bool, supervision: &Supervision) -> Self {
        let mut symbolic = Symbolic::new(on);
        symbolic.budget = fork::budget(supervision.stop.clone());
        if let Some(clock) = supervision.clock {
            symbolic.solver.set_clock(clock);
        }
        symbolic
    }

    /// Whether any register of the thread has a term.
    #[inline]
    pub fn has_terms(&self, thread: ThreadId) -> bool {
        self.n_terms_in_all > 0 && self.n_terms.get(thread.index()).is_some_and(|&n| n > 0)
    }

    pub fn term_at(&self, thread: ThreadId, index: usize) -> Option<ExprId> {
        *self.registers.get(thread.index())?.get(index)?
    }

    /// What an event read stood for, as [`crate::memory::Memory::terms_at`] has it.
    pub fn terms_read(&self, event: usize) -> u64 {
        let found = self.reads.binary_search_by_key(&(event as u32), |&(event, _)| event);
        found.map_or(0, |at| self.reads[at].1)
    }

    /// Forgets what events read that come behind the first so many.
    pub(crate) fn forget_reads(&mut self, n_events: usize) {
        let n_reads = self.reads.partition_point(|&(event, _)| (event as usize) < n_events);
        self.reads.truncate(n_reads);
    }

    fn model(&self) -> &Rc<Model> {
        self.models.last().expect("there always is a model")
    }

    fn value(&mut self, term: ExprId) -> u128 {
        let model = Rc::clone(self.model());
        self.evaluator.value(&self.pool, term, &*model)
    }

    /// Sets a term and gives the old one.
    fn replace(&mut self, thread: ThreadId, index: usize, term: Option<ExprId>) -> Option<ExprId> {
        if self.registers.len() <= thread.index() {
            self.registers.resize_with(thread.index() + 1, Vec::new);
            self.n_terms.resize(thread.index() + 1, 0);
        }
        let registers = &mut self.registers[thread.index()];
        if registers.len() <= index {
            registers.resize(index + 1, None);
        }
        let old = std::mem::replace(&mut registers[index], term);
        let n = &mut self.n_terms[thread.index()];
        *n = *n + u32::from(term.is_some()) - u32::from(old.is_some());
        self.n_terms_in_all = self.n_terms_in_all + u32::from(term.is_some()) - u32::from(old.is_some());
        old
    }
}

/// Lengths to go back to.
#[derive(Clone, Copy, Debug, Default)]
pub struct SymbolicMark {
    path: u32,
    models: u32,
    losses: u32,
    forks: u32,
}

impl Machine<'_> {
    pub(crate) fn mark_symbolic(&self) -> SymbolicMark {
        let Symbolic { path, models, losses, forks, .. } = &self.symbolic;
        let [path, models, losses, forks] = [path.len(), models.len(), losses.len(), forks.len()].map(|len| len as u32);
        SymbolicMark { path, models, losses, forks }
    }

    /// Puts back what the journal does not.
    #[inline]
    pub(crate) fn undo_symbolic(&mut self, mark: SymbolicMark) {
        // Symbols are for ever, so without any there never was an input.
        if !self.symbolic.symbols.is_empty() {
            self.undo_inputs(mark);
        }
    }

    fn undo_inputs(&mut self, mark: SymbolicMark) {
        let symbolic = &mut self.symbolic;
        symbolic.path.truncate(&symbolic.pool, mark.path as usize);
        symbolic.forks.truncate(mark.forks as usize);
        symbolic.forget_reads(self.log.events.len());
        symbolic.losses.truncate(mark.losses as usize);
        symbolic.decided = None;
        let n_scripted = symbolic.scripted.partition_point(|&step| (step as usize) < self.log.schedule.len());
        symbolic.scripted.truncate(n_scripted);
        // Where there are inputs still, they are found again.
        symbolic.choices.clear();
        if symbolic.models.len() > mark.models as usize {
            symbolic.models.truncate(mark.models as usize);
            self.refresh();
        }
        self.find_undecided();
    }

    pub(crate) fn change_inputs(&mut self, changes: &Model) {
        let mut model = (**self.symbolic.model()).clone();
        model.update(changes);
        self.set_model(Rc::new(model));
    }

    /// Other inputs from now on: everything that depends on them gets its new value.
    pub(crate) fn set_model(&mut self, model: Rc<Model>) {
        self.symbolic.models.push(model);
        self.refresh();
    }

    fn refresh(&mut self) {
        let Symbolic { pool, evaluator, registers, models, symbols, .. } = &mut self.symbolic;
        let model = Rc::clone(models.last().expect("there always is a model"));
        let mut session = evaluator.session(pool, &*model);
        for (thread, terms) in self.threads.iter_mut().zip(registers.iter()) {
            for (register, term) in thread.registers.iter_mut().zip(terms) {
                if let Some(term) = *term {
                    *register = session.value(term) as u64;
                }
            }
        }
        self.memory.refresh(|term| session.value(term) as u8);
        for input in &mut self.inputs {
            let symbol = symbols[&(input.thread, input.nth)];
            input.value = model.get(symbol).unwrap_or(0) as u64;
        }
    }

    /// The last event read memory: notes what that stood for.
    pub(crate) fn note_read(&mut self, address: u64, size: u64) {
        let terms = self.memory.terms_at(address, size);
        if terms != 0 {
            self.symbolic.reads.push((self.log.events.len() as u32 - 1, terms));
        }
    }

    /// The term of a register, if it has one.
    #[inline]
    pub(crate) fn term(&self, thread: ThreadId, slot: Slot) -> Option<ExprId> {
        if !self.symbolic.has_terms(thread) {
            return None;
        }
        let base = self.threads[thread.index()].top().base as usize;
        self.symbolic.term_at(thread, base + slot.index())
    }

    /// The term of a register, or its value as one, of 64 bits.
    pub(crate) fn term_or_value(&mut self, thread: ThreadId, slot: Slot) -> ExprId {
        match self.term(thread, slot) {
            Some(term) => term,
            None => {
                let value = self.register(thread, slot);
                self.symbolic.pool.constant(u128::from(value), 64)
            }
        }
    }

    /// The term of a register by its place among all of the thread's.
    pub(crate) fn term_at(&self, thread: ThreadId, index: usize) -> Option<ExprId> {
        self.symbolic.term_at(thread, index)
    }

    /// The register of the top frame stands for `term` from now on; its value was set already.
    #[inline]
    pub(crate) fn set_term(&mut self, thread: ThreadId, slot: Slot, term: Option<ExprId>) {
        if term.is_some() || self.symbolic.n_terms_in_all > 0 {
            self.replace_term(thread, slot, term);
        }
    }

    #[inline(never)]
    fn replace_term(&mut self, thread: ThreadId, slot: Slot, term: Option<ExprId>) {
        if term.is_none() && !self.symbolic.has_terms(thread) {
            return;
        }
        let index = self.threads[thread.index()].top().base as usize + slot.index();
        self.set_term_at(thread, index, term);
    }

    fn set_term_at(&mut self, thread: ThreadId, index: usize, term: Option<ExprId>) {
        let term = term.filter(|&term| self.symbolic.pool.as_constant(term).is_none());
        let old = self.symbolic.replace(thread, index, term);
        if old != term {
            self.memory.journal.term(thread, index, old);
        }
    }

    pub(crate) fn put_back_term(&mut self, thread: ThreadId, index: usize, old: Option<ExprId>) {
        self.symbolic.replace(thread, index, old);
    }

    /// The registers from `base` on are no more.
    #[inline]
    pub(crate) fn forget_terms(&mut self, thread: ThreadId, base: usize) {
        if self.symbolic.n_terms_in_all > 0 {
            self.forget_terms_from(thread, base);
        }
    }

    #[inline(never)]
    fn forget_terms_from(&mut self, thread: ThreadId, base: usize) {
        if !self.symbolic.has_terms(thread) {
            return;
        }
        for index in base..self.symbolic.registers[thread.index()].len() {
            self.set_term_at(thread, index, None);
        }
        self.symbolic.registers[thread.index()].truncate(base);
    }

    /// As [`Machine::lose`], for what no record shows either.
    pub(crate) fn lose_always(&mut self, why: &str) {
        if !self.symbolic.losses.iter().any(|known| known == why) {
            self.symbolic.losses.push(why.to_owned());
        }
    }

    /// Something made inputs that would have gone another way disappear from the search.
    pub(crate) fn lose(&mut self, why: impl Into<String>) {
        let why = why.into();
        // There, what one value was taken of is recorded, and the others are left to whoever reads the record.
        if !self.symbolic.is_fresh() && !self.symbolic.losses.contains(&why) {
            self.symbolic.losses.push(why);
        }
    }
}
