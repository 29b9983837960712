//! Symbols for what other threads decide: every read of memory that others can write becomes a symbol of its own, beside the
//! inputs, and what the thread does from there on is recorded in terms of both.
//!
//! Such a machine makes exactly the steps of one with fixed inputs. Where values decide how a thread goes on, it goes the way of
//! the values at hand, and the conditions of all ways are recorded ([`Does::Decide`], [`Does::Pick`]). So what a thread does depends on
//! nothing but its own decisions: whoever has the actions of two executions can put threads of one and of the other together.

use super::calls::Calls;
use super::fork::Alternatives;
use crate::access::Access;
use crate::coverage::Coverage;
use crate::machine::Machine;
use crate::memory::Object;
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_expr::{ExprId, Pool, Symbol};
use gordian_ir::address;
use gordian_solve::{Model, Supervision};
use gordian_trace::{Choice, CodePoint};
use smallvec::SmallVec;
use std::rc::Rc;
use std::sync::Arc;

/// Terms and the names of symbols. They outlive a machine, so that the same read of the same thread has the same symbol in every
/// execution.
#[derive(Default)]
pub struct Terms {
    pub pool: Pool,
    /// By thread and count.
    pub(super) inputs: FxHashMap<(u32, u32), Symbol>,
    /// By thread, count and width.
    reads: FxHashMap<(u32, u32, u32), Symbol>,
    /// By term and size of an address: the object that was found there first, if it was the thread's own.
    first_objects: FxHashMap<(ExprId, u64), Option<u64>>,
    /// Of all machines that had these terms.
    coverage: Option<Coverage>,
}

impl Terms {
    pub(crate) fn take_coverage(&mut self) -> Option<Coverage> {
        self.coverage.take()
    }
}

/// Something that a thread did, as others could tell or as values decided. Synchronisation is among the machine's events.
#[derive(Clone, Debug)]
pub struct Action {
    pub thread: ThreadId,
    /// Events before it.
    pub event: u32,
    pub at: CodePoint,
    /// It happens together with the thread's last access before it: nobody can come in between.
    pub joined: bool,
    /// An atomic access.
    pub atomic: bool,
    pub does: Does,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Does {
    Read {
        address: u64,
        size: u32,
        /// The thread has read so often before.
        nth: u32,
        symbol: Symbol,
        /// What stood there when this was first reached, before anybody's recorded write.
        initial: ExprId,
    },
    Write {
        address: u64,
        size: u32,
        /// Of as many bits as were written.
        term: ExprId,
    },
    /// The object becomes known to others, with these bytes.
    Publish { address: u64, bytes: Arc<[ExprId]> },
    /// One of these conditions always holds, and no two of them do.
    Decide { conditions: SmallVec<[ExprId; 2]>, taken: u32 },
    /// The thread goes on in another way for each value of the term.
    Pick { term: ExprId, value: u128 },
    /// What does not satisfy this was not looked at.
    Assume(ExprId),
}

/// A place that a thread came to, which is neither an event nor an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Annotation {
    pub thread: ThreadId,
    pub kind: AnnotationKind,
    pub at: CodePoint,
    /// Actions and events before it.
    pub actions: u32,
    pub events: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnnotationKind {
    /// From here on the program means to be atomic.
    RegionBegins,
    RegionEnds,
    /// The next event closes this stream.
    Closes(u64),
    /// The next event uses this stream.
    Uses(u64),
}

/// What the machine keeps of an execution whose reads are symbols.
#[derive(Default)]
pub struct Fresh {
    reads: FxHashMap<(u32, u32, u32), Symbol>,
    /// See [`Terms`].
    first_objects: FxHashMap<(ExprId, u64), Option<u64>>,
    /// By thread.
    n_reads: Vec<u32>,
    pub(crate) actions: Vec<Action>,
    /// A second thread was made: from here on accesses are recorded.
    pub(crate) has_begun: bool,
    /// By address: what bytes stood for when they were first reached.
    initial: FxHashMap<u64, ExprId>,
    /// The access under way is atomic.
    is_atomic: bool,
    /// By thread: it parked where it would not have if nothing were recorded, because nobody else is left.
    lone: Vec<bool>,
    /// The steps that threads made from there.
    lone_steps: Vec<u32>,
    pub(crate) calls: Calls,
    annotations: Vec<Annotation>,
}

/// Where the result of a thread stands for those who join it. No object has this address.
fn result_of(thread: ThreadId) -> u64 {
    address::make(address::LABEL_SPACE, address::MAX_INDEX, 8 * u64::from(thread.0))
}

impl super::Symbolic {
    /// Reads are symbols, too.
    pub(crate) fn fresh(terms: Terms, inputs: &Model, supervision: &Supervision) -> Self {
        let mut symbolic = Self::supervised(true, supervision);
        let Terms { pool, inputs: symbols, reads, first_objects, .. } = terms;
        (symbolic.pool, symbolic.symbols) = (pool, symbols);
        symbolic.models = vec![Rc::new(inputs.clone())];
        symbolic.fresh = Some(Box::new(Fresh { reads, first_objects, ..Fresh::default() }));
        symbolic
    }

    #[inline]
    pub fn is_fresh(&self) -> bool {
        self.fresh.is_some()
    }
}

impl Machine<'_> {
    /// What was done so far; empty unless reads are symbols.
    pub fn actions(&self) -> &[Action] {
        self.symbolic.fresh.as_ref().map_or(&[], |fresh| &fresh.actions)
    }

    /// The calls in which things were done.
    ///
    /// # Panics
    /// If its reads are no symbols.
    pub fn calls(&self) -> &Calls {
        &self.symbolic.fresh.as_ref().expect("reads are symbols").calls
    }

    /// What threads said of themselves, in order.
    pub fn annotations(&self) -> &[Annotation] {
        self.symbolic.fresh.as_ref().map_or(&[], |fresh| &fresh.annotations)
    }

    /// Keeps that the thread has come to such a place, if anything is recorded.
    pub(crate) fn annotate(&mut self, thread: ThreadId, kind: AnnotationKind) {
        let (at, events) = (self.user_point(thread), self.log.events.len() as u32);
        if let Some(fresh) = &mut self.symbolic.fresh {
            let actions = fresh.actions.len() as u32;
            fresh.annotations.push(Annotation { thread, kind, at, actions, events });
        }
    }

    /// Ends the machine and keeps its terms.
    ///
    /// # Panics
    /// If its reads are no symbols.
    pub fn into_terms(self) -> Terms {
        let symbolic = self.symbolic;
        let fresh = symbolic.fresh.expect("reads are symbols");
        let coverage = Some(self.coverage).filter(|_| self.settings.coverage);
        let Fresh { reads, first_objects, .. } = *fresh;
        Terms { pool: symbolic.pool, inputs: symbolic.symbols, reads, first_objects, coverage }
    }

    /// Whether branches count as covered from here on. Only for a machine that notes them at all.
    pub fn note_branches(&mut self, noted: bool) {
        self.settings.coverage = noted;
    }

    /// The values that symbols have in this execution.
    pub fn values(&self) -> &Model {
        self.symbolic.models.last().expect("there always is a model")
    }

    pub fn pool(&mut self) -> &mut Pool {
        &mut self.symbolic.pool
    }

    /// The thread has parked.
    #[inline]
    pub(crate) fn note_park(&mut self, thread: ThreadId) {
        let is_lone = !self.has_other_threads();
        if let Some(fresh) = &mut self.symbolic.fresh {
            if fresh.lone.len() <= thread.index() {
                fresh.lone.resize(thread.index() + 1, false);
            }
            fresh.lone[thread.index()] = is_lone;
        }
    }

    /// Whether the thread stands where one that is not recorded would not, because nobody else is left.
    pub fn is_lone(&self, thread: ThreadId) -> bool {
        let fresh = self.symbolic.fresh.as_ref();
        fresh.is_some_and(|fresh| fresh.lone.get(thread.index()).is_some_and(|&is_lone| is_lone))
    }

    /// The thread is about to step.
    #[inline]
    pub(crate) fn note_step(&mut self, thread: ThreadId) {
        if !self.is_lone(thread) {
            return;
        }
        if let Some(fresh) = &mut self.symbolic.fresh {
            fresh.lone_steps.push(self.log.schedule.len() as u32);
            fresh.lone[thread.index()] = false;
        }
    }

    /// The first so many steps as a machine makes them that records nothing.
    pub(crate) fn unrecorded_schedule(&self, steps: usize) -> Option<Vec<Choice>> {
        let fresh = self.symbolic.fresh.as_ref()?;
        let is_lone = |step: usize| fresh.lone_steps.binary_search(&(step as u32)).is_ok();
        Some((0..steps).filter(|&step| !is_lone(step)).map(|step| self.log.schedule[step]).collect())
    }

    fn record(&mut self, thread: ThreadId, joined: bool, does: Does) {
        let (at, event) = (self.user_point(thread), self.log.events.len() as u32);
        let in_section = self.threads[thread.index()].core.atomic > 0;
        let fresh = self.symbolic.fresh.as_mut().expect("reads are symbols");
        let joined = joined || in_section;
        fresh.calls.note_action(&self.threads[thread.index()].frames, thread, self.program);
        fresh.actions.push(Action { thread, event, at, joined, atomic: fresh.is_atomic, does });
    }

    /// Goes the way of the values at hand.
    pub(super) fn record_decision(&mut self, thread: ThreadId, alternatives: &Alternatives) {
        let conditions = &alternatives.conditions;
        let taken = (0..).zip(conditions).find(|&(_, &condition)| self.symbolic.value(condition) != 0);
        let (taken, &condition) = taken.expect("one of them always holds");
        if self.symbolic.pool.as_constant(condition).is_none() {
            self.record(thread, true, Does::Decide { conditions: conditions.clone(), taken });
        }
    }

    /// Keeps the value that the term has.
    pub(super) fn record_pick(&mut self, thread: ThreadId, term: ExprId) {
        let value = self.symbolic.value(term);
        self.record(thread, true, Does::Pick { term, value });
    }

    /// The object that an address with this term was first found to lie in, in any execution: `at_hand` if there was none. None if
    /// that was not the thread's own.
    pub(super) fn first_object(&mut self, term: ExprId, size: u64, at_hand: Option<u64>) -> Option<u64> {
        let fresh = self.symbolic.fresh.as_mut().expect("reads are symbols");
        *fresh.first_objects.entry((term, size)).or_insert(at_hand)
    }

    pub(super) fn record_assumption(&mut self, thread: ThreadId, condition: ExprId) {
        if self.symbolic.pool.as_constant(condition).is_none() {
            self.record(thread, true, Does::Assume(condition));
        }
    }

    /// An input that the model says nothing of. Where reads are symbols, the test may.
    pub(super) fn unplanned_input(&mut self, symbol: Symbol, name: (u32, u32)) -> u64 {
        let given = self.fixed_inputs.get(&name).copied().filter(|_| self.symbolic.is_fresh());
        if let Some(value) = given {
            let model = self.symbolic.models.last_mut().expect("there always is a model");
            Rc::make_mut(model).set(symbol, u128::from(value));
        }
        given.unwrap_or(0)
    }

    /// Another value for an input that has not been looked at yet.
    pub(crate) fn set_newest_input(&mut self, value: u64) {
        let Some(input) = self.inputs.last_mut() else { return };
        input.value = value;
        let symbol = self.symbolic.symbols[&(input.thread, input.nth)];
        let model = self.symbolic.models.last_mut().expect("there always is a model");
        Rc::make_mut(model).set(symbol, u128::from(value));
    }

    /// A thread other than main comes into being.
    pub(crate) fn begin_recording(&mut self) {
        if let Some(fresh) = &mut self.symbolic.fresh {
            fresh.has_begun = true;
        }
    }

    /// Whether accesses to objects that others know are recorded.
    #[inline]
    pub(crate) fn records_accesses(&self) -> bool {
        self.symbolic.fresh.as_ref().is_some_and(|fresh| fresh.has_begun)
    }

    /// What the bytes stand for when they are reached for the first time, whoever does.
    fn meet(&mut self, address: u64, size: u64) {
        let first = self.memory.place_of(address);
        for n in 0..size {
            let term = self.byte_term(first + n as usize);
            let fresh = self.symbolic.fresh.as_mut().expect("reads are symbols");
            fresh.initial.entry(address + n).or_insert(term);
        }
    }

    /// Bytes, the lowest first, as one number.
    fn joined_bytes(&mut self, bytes: impl IntoIterator<Item = ExprId>) -> ExprId {
        let pool = &mut self.symbolic.pool;
        let bytes = bytes.into_iter();
        bytes.reduce(|low, high| pool.concat(high, low)).expect("an access has a size")
    }

    /// Makes what stands at a place a symbol, or several if it is long, and records that the thread reads it.
    pub(crate) fn record_read(&mut self, thread: ThreadId, address: u64, size: u64) {
        // Of many bytes, each number is read for itself as far as can be known.
        let step = if size <= 8 { 8 } else { 4 };
        for (nth, at) in (0..size).step_by(step as usize).enumerate() {
            self.record_short_read(thread, nth > 0, address + at, (size - at).min(step));
        }
    }

    /// The symbol of the thread's next read, which gets this value.
    fn next_symbol(&mut self, thread: ThreadId, value: u64, bits: u32) -> (u32, Symbol) {
        let symbolic = &mut self.symbolic;
        let fresh = symbolic.fresh.as_mut().expect("reads are symbols");
        if fresh.n_reads.len() <= thread.index() {
            fresh.n_reads.resize(thread.index() + 1, 0);
        }
        let nth = fresh.n_reads[thread.index()];
        fresh.n_reads[thread.index()] += 1;
        let pool = &mut symbolic.pool;
        let symbol = *fresh.reads.entry((thread.0, nth, bits)).or_insert_with(|| pool.fresh_symbol("read", bits));
        Rc::make_mut(symbolic.models.last_mut().expect("there always is a model")).set(symbol, u128::from(value));
        (nth, symbol)
    }

    fn record_short_read(&mut self, thread: ThreadId, joined: bool, address: u64, size: u64) {
        self.meet(address, size);
        let value = self.memory.load(address, size as u8);
        let (nth, symbol) = self.next_symbol(thread, value, 8 * size as u32);
        let fresh = self.symbolic.fresh.as_ref().expect("reads are symbols");
        let initial: SmallVec<[ExprId; 8]> = (address..address + size).map(|byte| fresh.initial[&byte]).collect();
        let initial = self.joined_bytes(initial);
        let term = self.symbolic.pool.symbol_term(symbol);
        let first = self.memory.place_of(address);
        for n in 0..size as u32 {
            let byte = self.symbolic.pool.extract(term, 8 * n, 8);
            self.memory.rename_byte(first + n as usize, byte);
        }
        self.record(thread, joined, Does::Read { address, size: size as u32, nth, symbol, initial });
    }

    /// An access is about to be made that others can see: records what it reads, and keeps what stands where it writes.
    pub(crate) fn record_before(&mut self, thread: ThreadId, access: Access) {
        self.symbolic.fresh.as_mut().expect("reads are symbols").is_atomic = access.kind.is_atomic();
        if access.kind.reads() {
            self.record_read(thread, access.address, access.size);
        } else {
            self.meet(access.address, access.size);
        }
    }

    /// The access was made.
    pub(crate) fn record_after(&mut self, thread: ThreadId, access: Access, written: bool) {
        if written {
            self.record_write(thread, access.kind.reads(), access.address, access.size);
        }
        self.symbolic.fresh.as_mut().expect("reads are symbols").is_atomic = false;
    }

    /// Records that the thread wrote what stands at a place now. `joined` if that is the other half of an exchange or the like.
    pub(crate) fn record_write(&mut self, thread: ThreadId, joined: bool, address: u64, size: u64) {
        for at in (0..size).step_by(8) {
            let (address, size) = (address + at, (size - at).min(8));
            let first = self.memory.place_of(address);
            let bytes: SmallVec<[ExprId; 8]> = (first..first + size as usize).map(|at| self.byte_term(at)).collect();
            let term = self.joined_bytes(bytes);
            self.record(thread, joined || at > 0, Does::Write { address, size: size as u32, term });
        }
    }

    /// To be called before many bytes are written at once.
    #[inline]
    pub(crate) fn before_bulk_write(&mut self, address: u64, len: u64) {
        if self.records_accesses() && self.memory.object(address).is_some_and(Object::is_shared) {
            self.meet(address, len);
        }
    }

    /// Bytes are about to be copied that others may have written.
    pub(crate) fn record_copied(&mut self, thread: ThreadId, address: u64, len: u64) {
        if self.records_accesses() && len > 0 && self.memory.object(address).is_some_and(Object::is_shared) {
            self.record_read(thread, address, len);
        }
    }

    /// Many bytes are about to be read at once, or were written.
    #[inline]
    pub(crate) fn record_bulk(&mut self, thread: ThreadId, access: Access) {
        if !self.records_accesses() {
            return;
        }
        if access.kind.is_write() {
            self.record_write(thread, false, access.address, access.size);
        } else {
            self.record_read(thread, access.address, access.size);
        }
    }

    /// A thread's result is what a join of it reads.
    pub(crate) fn record_result(&mut self, thread: ThreadId, result: u64) {
        if self.symbolic.is_fresh() {
            let term = self.symbolic.pool.constant(u128::from(result), 64);
            self.record(thread, false, Does::Write { address: result_of(thread), size: 8, term });
        }
    }

    /// The result of a thread that was joined, as a symbol.
    pub(crate) fn record_joined(&mut self, thread: ThreadId, target: ThreadId, result: u64) -> Option<ExprId> {
        if !self.symbolic.is_fresh() {
            return None;
        }
        let (nth, symbol) = self.next_symbol(thread, result, 64);
        let initial = self.symbolic.pool.constant(0, 64);
        let address = result_of(target);
        self.record(thread, true, Does::Read { address, size: 8, nth, symbol, initial });
        Some(self.symbolic.pool.symbol_term(symbol))
    }

    /// What was written there is not recorded as what it stands for.
    pub(crate) fn lose_if_seen(&mut self, address: u64, why: &str) {
        if self.memory.object(address).is_some_and(Object::is_shared) {
            self.lose_always(why);
        }
    }

    /// An object of the thread's own becomes known to others.
    pub(crate) fn record_publication(&mut self, thread: ThreadId, address: u64, size: u64) {
        let first = self.memory.place_of(address);
        let bytes = (first..first + size as usize).map(|at| self.byte_term(at)).collect();
        self.record(thread, false, Does::Publish { address, bytes });
    }
}
