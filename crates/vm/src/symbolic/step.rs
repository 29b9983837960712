//! One instruction of a thread that has symbolic registers: what inputs decide about it, its concrete effect as ever, and the
//! terms of what it computed.

use super::fork::Alternatives;
use super::operations::{self, Operation};
use crate::access::Access;
use crate::fault::Fault;
use crate::interp::Leave;
use crate::machine::Machine;
use gordian_base::{Id, ThreadId};
use gordian_expr::{ExprId, Pool};
use gordian_ir::{CallSite, Callee, CheckedOp, DivOp, Inst, RmwOp, Slot, SwitchId, address};
use smallvec::SmallVec;

/// Objects up to this size are read and written at symbolic places; larger ones at each possible place one after the other.
pub(crate) const MOST_BYTES: u64 = 4096;

/// Ways that one instruction may go.
const MOST_ALTERNATIVES: usize = 32;

/// The slot with the address of a single access.
pub(super) fn address_slot(inst: Inst) -> Option<Slot> {
    match inst {
        Inst::Load { address, .. }
        | Inst::WideLoad { address, .. }
        | Inst::Store { address, .. }
        | Inst::WideStore { address, .. }
        | Inst::AtomicLoad { address, .. }
        | Inst::AtomicStore { address, .. }
        | Inst::AtomicRmw { address, .. }
        | Inst::CmpXchg { address, .. } => Some(address),
        _ => None,
    }
}

/// What there was before an access.
#[derive(Default)]
pub struct Before {
    /// The term of the address.
    at: Option<ExprId>,
    /// Of the whole object, for a write somewhere in it.
    bytes: Vec<ExprId>,
    /// What stood at the address, for those that read and write: as many bits as the access has.
    old: Option<ExprId>,
    value: u128,
}

fn bool_of(pool: &mut Pool, term: ExprId) -> ExprId {
    pool.trunc(term, 1)
}

impl Machine<'_> {
    /// Makes one instruction. As the dispatch loop, it leaves what is none of its business.
    pub(crate) fn step_symbolic(&mut self, thread: ThreadId, fuel: &mut u64) -> Leave {
        match self.look_for_fork(thread) {
            Ok(true) => return Leave::Parked,
            Ok(false) => {}
            Err(fault) => return Leave::Fault(fault),
        }
        let inst = *self.instruction(thread);
        if let Some(slot) = address_slot(inst)
            && self.term(thread, slot).is_some()
        {
            return Leave::Slow(inst);
        }
        let terms = match self.operation(thread, inst) {
            Operation::Terms(terms) => terms,
            Operation::Concrete(operands) => {
                for slot in operands {
                    self.make_concrete(thread, slot, "an operand of floating-point arithmetic");
                }
                match self.operation(thread, inst) {
                    Operation::Terms(terms) => terms,
                    Operation::Concrete(_) => unreachable!("the operands were made concrete"),
                }
            }
        };
        if self.moves_away(thread, inst) && terms.iter().all(|(_, term)| term.is_none()) {
            return Leave::Slow(inst);
        }
        let leave = self.dispatch::<true>(thread, fuel);
        if let Leave::Stepped = leave {
            for (slot, term) in terms {
                self.set_term(thread, slot, term);
            }
        }
        leave
    }

    /// Keeps the value of a register and forgets what it stands for; the inputs that gave it another value are lost.
    fn make_concrete(&mut self, thread: ThreadId, slot: Slot, what: &str) {
        let Some(term) = self.term(thread, slot) else { return };
        self.pin(thread, term);
        self.set_term(thread, slot, None);
        self.lose(format!("{what} was given one value of many"));
    }

    /// What inputs decide about the instruction that the thread stands at.
    pub(super) fn alternatives(&mut self, thread: ThreadId) -> Result<Option<Alternatives>, Fault> {
        let inst = *self.instruction(thread);
        let at_pointer = self.behind_pointer_input(thread, inst)?;
        if at_pointer.is_some() {
            return Ok(at_pointer);
        }
        Ok(match inst {
            Inst::Branch { cond, .. } => self.term(thread, cond).map(|term| {
                let pool = &mut self.symbolic.pool;
                let taken = bool_of(pool, term);
                let not = pool.not(taken);
                Alternatives::new([taken, not])
            }),
            Inst::BranchCmp { pred, w, a, b, .. } => {
                if self.term(thread, a).is_none() && self.term(thread, b).is_none() {
                    return Ok(None);
                }
                let (a, b) = (self.term_or_value(thread, a), self.term_or_value(thread, b));
                let pool = &mut self.symbolic.pool;
                let (a, b) = (pool.trunc(a, u32::from(w)), pool.trunc(b, u32::from(w)));
                let taken = operations::compare(pool, pred, a, b);
                let not = pool.not(taken);
                Some(Alternatives::new([taken, not]))
            }
            Inst::Switch { value, table } => match self.term(thread, value) {
                Some(value) => self.cases(thread, value, table),
                None => None,
            },
            Inst::CheckSet { unset, .. } => self.term(thread, unset).map(|term| {
                let pool = &mut self.symbolic.pool;
                let none = pool.constant(0, 64);
                let is_set = pool.eq(term, none);
                let is_unset = pool.not(is_set);
                Alternatives::new([is_unset, is_set])
            }),
            Inst::CheckShift { w, by } => self.shift(thread, w, by),
            Inst::Div { op, w, a, b, .. } => self.division(thread, op, w, a, b),
            Inst::WideBin { op, w, a, b, .. } => match operations::division_of(op) {
                Some(op) => self.division(thread, op, w, a, b),
                None => None,
            },
            Inst::Checked { op, w, a, b, .. } => self.overflow(thread, op, w, a, b),
            Inst::MemCopy { dst, src, len, .. } => {
                self.first_value(thread, &[len, dst, src], "the size or place of a copy")
            }
            Inst::MemSet { dst, len, .. } => self.first_value(thread, &[len, dst], "the size or place of `memset`"),
            Inst::Alloca { size, .. } => self.first_value(thread, &[size], "the size of a local variable"),
            Inst::JumpIndirect { address } => self.first_value(thread, &[address], "the target of a jump"),
            Inst::VaStart { list } => self.first_value(thread, &[list], "the place of an argument list"),
            Inst::VaCopy { dst, src } => self.first_value(thread, &[dst, src], "the place of an argument list"),
            Inst::Call { site } => self.arguments(thread, site)?,
            Inst::Return { src } => self.result_of_thread(thread, src),
            _ => match address_slot(inst) {
                Some(slot) => self.symbolic_place(thread, inst, slot),
                None => None,
            },
        })
    }

    /// Lets registers take each of their values, one register after the other.
    pub(super) fn first_value(&mut self, thread: ThreadId, slots: &[Slot], what: &str) -> Option<Alternatives> {
        for &slot in slots {
            let Some(term) = self.term(thread, slot) else { continue };
            let alternatives = self.each_value(thread, term, what);
            if alternatives.is_some() {
                return alternatives;
            }
            self.set_term(thread, slot, None);
        }
        None
    }

    fn cases(&mut self, thread: ThreadId, value: ExprId, table: SwitchId) -> Option<Alternatives> {
        let program = self.program;
        let table = &program.functions[self.threads[thread.index()].top().function].switches[table];
        let mut targets: Vec<(u32, Option<ExprId>)> = Vec::new();
        let mut none = self.symbolic.pool.bool(true);
        for &(case, target) in &table.cases {
            let pool = &mut self.symbolic.pool;
            let case = pool.constant(u128::from(case), 64);
            let equal = pool.eq(value, case);
            let other = pool.not(equal);
            none = pool.and(none, other);
            match targets.iter_mut().find(|known| known.0 == target) {
                Some((_, condition)) => *condition = condition.map(|condition| pool.or(condition, equal)),
                None => targets.push((target, Some(equal))),
            }
        }
        match targets.iter_mut().find(|known| known.0 == table.default) {
            Some((_, condition)) => *condition = condition.map(|condition| self.symbolic.pool.or(condition, none)),
            None => targets.push((table.default, Some(none))),
        }
        if targets.len() > MOST_ALTERNATIVES {
            return self.each_value(thread, value, "the value of a `switch` with many cases");
        }
        Some(Alternatives::new(targets.into_iter().filter_map(|(_, condition)| condition)))
    }

    /// Divisors of zero and quotients that do not fit are findings, for any width.
    fn division(&mut self, thread: ThreadId, op: DivOp, w: u8, a: Slot, b: Slot) -> Option<Alternatives> {
        if !self.has_wide_term(thread, a, w) && !self.has_wide_term(thread, b, w) {
            return None;
        }
        let (a, b) = (self.wide_term(thread, a, w), self.wide_term(thread, b, w));
        let pool = &mut self.symbolic.pool;
        let zero = pool.constant(0, u32::from(w));
        let by_zero = pool.eq(b, zero);
        let defined = pool.not(by_zero);
        if matches!(op, DivOp::Udiv | DivOp::Urem) {
            return Some(Alternatives::new([defined, by_zero]));
        }
        let least = pool.constant(1 << (w - 1), u32::from(w));
        let minus_one = pool.constant(u128::MAX, u32::from(w));
        let (is_least, by_minus_one) = (pool.eq(a, least), pool.eq(b, minus_one));
        let too_large = pool.and(is_least, by_minus_one);
        let fits = pool.not(too_large);
        let fine = pool.and(defined, fits);
        Some(Alternatives::new([fine, by_zero, too_large]))
    }

    fn shift(&mut self, thread: ThreadId, w: u8, by: Slot) -> Option<Alternatives> {
        if !self.has_wide_term(thread, by, w) {
            return None;
        }
        let by = self.wide_term(thread, by, w);
        let pool = &mut self.symbolic.pool;
        let width = pool.constant(u128::from(w), u32::from(w));
        let fits = pool.ult(by, width);
        let too_far = pool.not(fits);
        Some(Alternatives::new([fits, too_far]))
    }

    fn overflow(&mut self, thread: ThreadId, op: CheckedOp, w: u8, a: Slot, b: Slot) -> Option<Alternatives> {
        if self.term(thread, a).is_none() && self.term(thread, b).is_none() {
            return None;
        }
        let (a, b) = (self.term_or_value(thread, a), self.term_or_value(thread, b));
        let pool = &mut self.symbolic.pool;
        let (a, b) = (pool.trunc(a, u32::from(w)), pool.trunc(b, u32::from(w)));
        let overflows = operations::overflows(pool, op, true, a, b);
        let fits = pool.not(overflows);
        Some(Alternatives::new([fits, overflows]))
    }

    /// What a thread's start function returns is kept as a plain value.
    fn result_of_thread(&mut self, thread: ThreadId, src: Slot) -> Option<Alternatives> {
        let top = self.threads[thread.index()].top();
        let is_kept = top.entry == crate::thread::Entry::Start && self.program.functions[top.function].n_returns > 0;
        if is_kept { self.first_value(thread, &[src], "the result of a thread") } else { None }
    }

    /// Whom a call calls, and what that function must know of its arguments.
    fn arguments(&mut self, thread: ThreadId, site: u32) -> Result<Option<Alternatives>, Fault> {
        let program = self.program;
        let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
        if let Callee::Indirect(slot) = site.callee {
            let alternatives = self.first_value(thread, &[slot], "the function to be called");
            if alternatives.is_some() {
                return Ok(alternatives);
            }
        }
        let external = match self.callee(thread, site)? {
            Callee::External(external) => external,
            Callee::Function(function) => return Ok(self.passed_structs(thread, site, function)),
            Callee::Indirect(_) => unreachable!("the callee was looked up"),
        };
        let name = &program.externals[external].name;
        if name == "__VERIFIER_assert" {
            return Ok(self.assertion(thread, site));
        }
        if crate::models::assumes(name).is_some() && (self.has_other_threads() || self.symbolic.is_fresh()) {
            return Ok(self.assumption(thread, site, name));
        }
        Ok(self.arguments_of_model(thread, site, name))
    }

    /// Inputs that are not to be considered from here on may have led somewhere before: what others do until then is to be
    /// explored with them too.
    fn assumption(&mut self, thread: ThreadId, site: &CallSite, name: &str) -> Option<Alternatives> {
        let bits = crate::models::assumes(name)?;
        let term = self.term(thread, *site.args.first()?)?;
        let pool = &mut self.symbolic.pool;
        let value = pool.trunc(term, bits);
        let zero = pool.constant(0, bits);
        let fails = pool.eq(value, zero);
        let holds = pool.not(fails);
        Some(Alternatives::new([holds, fails]))
    }

    fn assertion(&mut self, thread: ThreadId, site: &CallSite) -> Option<Alternatives> {
        let term = self.term(thread, *site.args.first()?)?;
        let pool = &mut self.symbolic.pool;
        let value = pool.trunc(term, 32);
        let zero = pool.constant(0, 32);
        let fails = pool.eq(value, zero);
        let holds = pool.not(fails);
        Some(Alternatives::new([holds, fails]))
    }

    /// Records whether a condition holds, and tells it.
    pub(crate) fn is_decided(&mut self, thread: ThreadId, condition: ExprId) -> bool {
        let not = self.symbolic.pool.not(condition);
        self.record_decision(thread, &Alternatives::new([condition, not]));
        self.symbolic.value(condition) != 0
    }

    /// What an access is about to overwrite, as far as terms need it.
    pub(crate) fn before_access(&mut self, thread: ThreadId, inst: Inst, access: Access) -> Before {
        let at = address_slot(inst).and_then(|slot| self.term(thread, slot));
        let mut before = Before { at, ..Before::default() };
        match inst {
            Inst::Store { .. } if at.is_some() => {
                let start = address::object_start(access.address);
                let len = self.memory.object(start).map_or(0, |object| object.size as usize);
                let first = self.memory.place_of(start);
                before.bytes = (0..len).map(|n| self.byte_term(first + n)).collect();
            }
            Inst::AtomicRmw { .. } | Inst::CmpXchg { .. } => {
                before.old = self.wide_load_term(access);
                before.value = self.read_value(access);
            }
            _ => {}
        }
        before
    }

    /// The concrete access happened; registers and bytes get their terms.
    pub(crate) fn after_access(&mut self, thread: ThreadId, inst: Inst, access: Access, before: Before) {
        let Access { address, size, .. } = access;
        match inst {
            Inst::Load { dst, .. } | Inst::WideLoad { dst, .. } | Inst::AtomicLoad { dst, .. } => {
                if let Some(at) = before.at {
                    let term = self.load_at_term(address, size, at);
                    self.set_term(thread, dst, Some(term));
                    return;
                }
                let first = self.load_term(address, size.min(8));
                self.set_term(thread, dst, first);
                if size > 8 {
                    let second = self.load_term(address + 8, size - 8);
                    self.set_term(thread, Slot(dst.0 + 1), second);
                }
            }
            Inst::Store { src, .. } | Inst::WideStore { src, .. } | Inst::AtomicStore { src, .. } => {
                if let Some(at) = before.at {
                    let value = self.term_or_value(thread, src);
                    self.store_at_term(address, size, at, value, before.bytes);
                    return;
                }
                let first = self.term(thread, src);
                self.store_term(address, size.min(8), first);
                if size > 8 {
                    let second = self.term(thread, Slot(src.0 + 1));
                    self.store_term(address + 8, size - 8, second);
                }
            }
            Inst::AtomicRmw { op, dst, src, .. } => self.after_rmw(thread, op, (dst, src), access, &before),
            Inst::CmpXchg { dst, expected_new, .. } => {
                self.after_exchange(thread, (dst, expected_new), access, &before);
            }
            _ => {}
        }
    }

    fn after_rmw(&mut self, thread: ThreadId, op: RmwOp, (dst, src): (Slot, Slot), access: Access, before: &Before) {
        let width = 8 * access.size as u8;
        if before.old.is_none() && !self.has_wide_term(thread, src, width) {
            return;
        }
        let old = match before.old {
            Some(old) => old,
            None => self.symbolic.pool.constant(before.value, width.into()),
        };
        let operand = self.wide_term(thread, src, width);
        match operations::rmw(&mut self.symbolic.pool, op, old, operand) {
            Some(new) => self.store_wide_term(access, new),
            None => {
                self.pin(thread, old);
                self.pin(thread, operand);
                self.lose("an operand of an atomic operation was given one value of many");
            }
        }
        self.set_wide_term(thread, dst, access.size, before.old);
    }

    /// Whether the exchange happens was decided before.
    fn after_exchange(&mut self, thread: ThreadId, (dst, expected_new): (Slot, Slot), access: Access, before: &Before) {
        let n_slots = if access.size > 8 { 2 } else { 1 };
        let new = Slot(expected_new.0 + n_slots);
        let width = 8 * access.size as u8;
        if self.register(thread, Slot(dst.0 + n_slots)) != 0 && self.has_wide_term(thread, new, width) {
            let term = self.wide_term(thread, new, width);
            self.store_wide_term(access, term);
        }
        self.set_wide_term(thread, dst, access.size, before.old);
    }

    /// What arguments of a call stand for, for the callee's parameters.
    #[inline]
    pub(crate) fn terms_of_arguments(&self, thread: ThreadId, site: &CallSite) -> SmallVec<[Option<ExprId>; 4]> {
        if !self.symbolic.has_terms(thread) {
            return SmallVec::new();
        }
        site.args.iter().map(|&slot| self.term(thread, slot)).collect()
    }

    pub(crate) fn set_terms_from(&mut self, thread: ThreadId, first: u32, terms: &[Option<ExprId>]) {
        for (slot, &term) in (first..).zip(terms) {
            self.set_term(thread, Slot(slot), term);
        }
    }

    /// What registers of the top frame stand for, from `first` on.
    #[inline]
    pub(crate) fn terms_from(&self, thread: ThreadId, first: Slot, n: usize) -> SmallVec<[Option<ExprId>; 4]> {
        if !self.symbolic.has_terms(thread) {
            return SmallVec::new();
        }
        (first.0..).take(n).map(|slot| self.term(thread, Slot(slot))).collect()
    }
}
