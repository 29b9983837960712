//! The terms of what instructions compute.

use crate::machine::Machine;
use gordian_base::ThreadId;
use gordian_expr::{ExprId, Pool};
use gordian_ir::{BitsOp, CheckedOp, DivOp, Inst, MinMaxOp, Pred, RmwOp, Slot, WideOp};
use smallvec::{SmallVec, smallvec};

/// Registers that an instruction sets, and what they stand for then.
pub type Terms = SmallVec<[(Slot, Option<ExprId>); 2]>;

/// Why an operation has no term.
pub enum Operation {
    /// What it computes.
    Terms(Terms),
    /// It cannot be said in terms: its operands must take a value first.
    Concrete(SmallVec<[Slot; 3]>),
}

fn low(pool: &mut Pool, term: ExprId, w: u8) -> ExprId {
    pool.trunc(term, u32::from(w))
}

pub fn compare(pool: &mut Pool, pred: Pred, a: ExprId, b: ExprId) -> ExprId {
    match pred {
        Pred::Eq => pool.eq(a, b),
        Pred::Ne => pool.ne(a, b),
        Pred::Ult => pool.ult(a, b),
        Pred::Ule => pool.ule(a, b),
        Pred::Slt => pool.slt(a, b),
        Pred::Sle => pool.sle(a, b),
    }
}

/// The result of a division that is defined.
fn divide(pool: &mut Pool, op: DivOp, a: ExprId, b: ExprId) -> ExprId {
    match op {
        DivOp::Udiv => pool.udiv(a, b),
        DivOp::Sdiv => pool.sdiv(a, b),
        DivOp::Urem => pool.urem(a, b),
        DivOp::Srem => pool.srem(a, b),
    }
}

fn checked(pool: &mut Pool, op: CheckedOp, a: ExprId, b: ExprId) -> ExprId {
    match op {
        CheckedOp::Add => pool.add(a, b),
        CheckedOp::Sub => pool.sub(a, b),
        CheckedOp::Mul => pool.mul(a, b),
        CheckedOp::Shl => pool.shl(a, b),
    }
}

/// Whether an operation overflows.
pub fn overflows(pool: &mut Pool, op: CheckedOp, signed: bool, a: ExprId, b: ExprId) -> ExprId {
    match (op, signed) {
        (CheckedOp::Add, false) => pool.uadd_overflow(a, b),
        (CheckedOp::Add, true) => pool.sadd_overflow(a, b),
        (CheckedOp::Sub, false) => pool.usub_overflow(a, b),
        (CheckedOp::Sub, true) => pool.ssub_overflow(a, b),
        (CheckedOp::Mul, false) => pool.umul_overflow(a, b),
        (CheckedOp::Mul, true) => pool.smul_overflow(a, b),
        (CheckedOp::Shl, signed) => {
            let shifted = pool.shl(a, b);
            let back = if signed { pool.ashr(shifted, b) } else { pool.lshr(shifted, b) };
            pool.ne(back, a)
        }
    }
}

fn min_max(pool: &mut Pool, op: MinMaxOp, a: ExprId, b: ExprId) -> ExprId {
    match op {
        MinMaxOp::Smax => pool.smax(a, b),
        MinMaxOp::Smin => pool.smin(a, b),
        MinMaxOp::Umax => pool.umax(a, b),
        MinMaxOp::Umin => pool.umin(a, b),
    }
}

fn saturating(pool: &mut Pool, op: CheckedOp, signed: bool, a: ExprId, b: ExprId) -> ExprId {
    let width = pool.width(a);
    let overflow = overflows(pool, op, signed, a, b);
    let plain = checked(pool, op, a, b);
    let all = pool.constant(u128::MAX, width);
    let zero = pool.constant(0, width);
    let limit = if signed {
        // Towards the sign of the left operand, which the exact result has.
        let most = pool.constant(u128::MAX >> (129 - width), width);
        let least = pool.not(most);
        let negative = pool.slt(a, zero);
        pool.ite(negative, least, most)
    } else if op == CheckedOp::Sub {
        zero
    } else {
        all
    };
    pool.ite(overflow, limit, plain)
}

fn bits(pool: &mut Pool, op: BitsOp, a: ExprId) -> ExprId {
    match op {
        BitsOp::PopCount => pool.ctpop(a),
        BitsOp::LeadingZeros => pool.ctlz(a),
        BitsOp::TrailingZeros => pool.cttz(a),
        BitsOp::ByteSwap => pool.bswap(a),
        BitsOp::Abs => pool.abs(a),
        BitsOp::BitReverse => {
            let width = pool.width(a);
            let mut reversed = pool.bit(a, 0);
            for n in 1..width {
                let bit = pool.bit(a, n);
                reversed = pool.concat(reversed, bit);
            }
            reversed
        }
    }
}

fn wide_binary(pool: &mut Pool, op: WideOp, a: ExprId, b: ExprId) -> ExprId {
    match op {
        WideOp::Add => pool.add(a, b),
        WideOp::Sub => pool.sub(a, b),
        WideOp::Mul => pool.mul(a, b),
        WideOp::Udiv => pool.udiv(a, b),
        WideOp::Sdiv => pool.sdiv(a, b),
        WideOp::Urem => pool.urem(a, b),
        WideOp::Srem => pool.srem(a, b),
        WideOp::And => pool.and(a, b),
        WideOp::Or => pool.or(a, b),
        WideOp::Xor => pool.xor(a, b),
        WideOp::Shl => pool.shl(a, b),
        WideOp::LShr => pool.lshr(a, b),
        WideOp::AShr => pool.ashr(a, b),
        WideOp::Smax => pool.smax(a, b),
        WideOp::Smin => pool.smin(a, b),
        WideOp::Umax => pool.umax(a, b),
        WideOp::Umin => pool.umin(a, b),
    }
}

/// The division that a wide operation is, if it is one.
pub fn division_of(op: WideOp) -> Option<DivOp> {
    match op {
        WideOp::Udiv => Some(DivOp::Udiv),
        WideOp::Sdiv => Some(DivOp::Sdiv),
        WideOp::Urem => Some(DivOp::Urem),
        WideOp::Srem => Some(DivOp::Srem),
        WideOp::Add | WideOp::Sub | WideOp::Mul | WideOp::And | WideOp::Or | WideOp::Xor => None,
        WideOp::Shl | WideOp::LShr | WideOp::AShr => None,
        WideOp::Smax | WideOp::Smin | WideOp::Umax | WideOp::Umin => None,
    }
}

/// What a read-modify-write leaves; none for those that terms cannot say.
pub fn rmw(pool: &mut Pool, op: RmwOp, old: ExprId, operand: ExprId) -> Option<ExprId> {
    Some(match op {
        RmwOp::Xchg => operand,
        RmwOp::Add => pool.add(old, operand),
        RmwOp::Sub => pool.sub(old, operand),
        RmwOp::And => pool.and(old, operand),
        RmwOp::Nand => {
            let both = pool.and(old, operand);
            pool.not(both)
        }
        RmwOp::Or => pool.or(old, operand),
        RmwOp::Xor => pool.xor(old, operand),
        RmwOp::Max => pool.smax(old, operand),
        RmwOp::Min => pool.smin(old, operand),
        RmwOp::Umax => pool.umax(old, operand),
        RmwOp::Umin => pool.umin(old, operand),
        _ => return None,
    })
}

impl Machine<'_> {
    fn is_symbolic(&self, thread: ThreadId, slots: &[Slot]) -> bool {
        slots.iter().any(|&slot| self.term(thread, slot).is_some())
    }

    /// Whether inputs decide a value of up to 128 bits in one slot or two.
    pub(super) fn has_wide_term(&self, thread: ThreadId, slot: Slot, w: u8) -> bool {
        self.is_symbolic(thread, &[slot]) || w > 64 && self.is_symbolic(thread, &[Slot(slot.0 + 1)])
    }

    /// A value of up to 128 bits in one slot or two.
    pub(super) fn wide_term(&mut self, thread: ThreadId, slot: Slot, w: u8) -> ExprId {
        let first = self.term_or_value(thread, slot);
        if w <= 64 {
            return low(&mut self.symbolic.pool, first, w);
        }
        let second = self.term_or_value(thread, Slot(slot.0 + 1));
        let both = self.symbolic.pool.concat(second, first);
        low(&mut self.symbolic.pool, both, w)
    }

    /// The slots of a result of up to 128 bits.
    fn wide_result(&mut self, dst: Slot, value: ExprId) -> Terms {
        let pool = &mut self.symbolic.pool;
        if pool.width(value) <= 64 {
            let value = pool.zext(value, 64);
            return smallvec![(dst, Some(value))];
        }
        let value = pool.zext(value, 128);
        let first = pool.extract(value, 0, 64);
        let second = pool.extract(value, 64, 64);
        smallvec![(dst, Some(first)), (Slot(dst.0 + 1), Some(second))]
    }

    /// One result of two operands of `w` bits each.
    fn of_two(
        &mut self,
        thread: ThreadId,
        w: u8,
        dst: Slot,
        (a, b): (Slot, Slot),
        make: impl FnOnce(&mut Pool, ExprId, ExprId) -> ExprId,
    ) -> Operation {
        if !self.is_symbolic(thread, &[a, b]) {
            return Operation::Terms(smallvec![(dst, None)]);
        }
        let (a, b) = (self.wide_term(thread, a, w), self.wide_term(thread, b, w));
        let value = make(&mut self.symbolic.pool, a, b);
        let value = self.symbolic.pool.zext(value, 64);
        Operation::Terms(smallvec![(dst, Some(value))])
    }

    fn of_one(
        &mut self,
        thread: ThreadId,
        w: u8,
        dst: Slot,
        a: Slot,
        make: impl FnOnce(&mut Pool, ExprId) -> ExprId,
    ) -> Operation {
        self.of_two(thread, w, dst, (a, a), |pool, a, _| make(pool, a))
    }

    fn of_wide(
        &mut self,
        thread: ThreadId,
        w: u8,
        dst: Slot,
        operands: &[Slot],
        make: impl FnOnce(&mut Pool, &[ExprId]) -> ExprId,
    ) -> Operation {
        let next = |slot: Slot| Slot(slot.0 + 1);
        let slots: SmallVec<[Slot; 4]> = operands.iter().flat_map(|&slot| [slot, next(slot)]).collect();
        if !self.is_symbolic(thread, &slots) {
            return Operation::Terms(smallvec![(dst, None), (next(dst), None)]);
        }
        let terms: SmallVec<[ExprId; 2]> = operands.iter().map(|&slot| self.wide_term(thread, slot, w)).collect();
        let value = make(&mut self.symbolic.pool, &terms);
        Operation::Terms(self.wide_result(dst, value))
    }

    fn concrete(&self, thread: ThreadId, dst: &[Slot], operands: &[Slot]) -> Operation {
        let symbolic: SmallVec<[Slot; 3]> =
            operands.iter().copied().filter(|&slot| self.term(thread, slot).is_some()).collect();
        if symbolic.is_empty() {
            return Operation::Terms(dst.iter().map(|&slot| (slot, None)).collect());
        }
        Operation::Concrete(symbolic)
    }

    /// What an instruction of the dispatch loop computes, before it does.
    pub(super) fn operation(&mut self, thread: ThreadId, inst: Inst) -> Operation {
        let next = |slot: Slot| Slot(slot.0 + 1);
        match inst {
            Inst::Move { dst, src } => Operation::Terms(smallvec![(dst, self.term(thread, src))]),
            Inst::Add { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::add),
            Inst::Sub { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::sub),
            Inst::Mul { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::mul),
            Inst::And { dst, a, b } => self.of_two(thread, 64, dst, (a, b), Pool::and),
            Inst::Or { dst, a, b } => self.of_two(thread, 64, dst, (a, b), Pool::or),
            Inst::Xor { dst, a, b } => self.of_two(thread, 64, dst, (a, b), Pool::xor),
            Inst::Shl { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::shl),
            Inst::LShr { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::lshr),
            Inst::AShr { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::ashr),
            Inst::Div { op, w, dst, a, b } => self.of_two(thread, w, dst, (a, b), |pool, a, b| divide(pool, op, a, b)),
            Inst::Checked { op, w, dst, a, b } => {
                self.of_two(thread, w, dst, (a, b), |pool, a, b| checked(pool, op, a, b))
            }
            Inst::MinMax { op, w, dst, a, b } => {
                self.of_two(thread, w, dst, (a, b), |pool, a, b| min_max(pool, op, a, b))
            }
            Inst::Overflowing { op, signed, w, dst, a, b } => {
                if !self.is_symbolic(thread, &[a, b]) {
                    return Operation::Terms(smallvec![(dst, None), (next(dst), None)]);
                }
                let (a, b) = (self.wide_term(thread, a, w), self.wide_term(thread, b, w));
                let pool = &mut self.symbolic.pool;
                let value = checked(pool, op, a, b);
                let value = pool.zext(value, 64);
                let overflow = overflows(pool, op, signed, a, b);
                let overflow = pool.zext(overflow, 64);
                Operation::Terms(smallvec![(dst, Some(value)), (next(dst), Some(overflow))])
            }
            Inst::Saturating { op, signed, w, dst, a, b } => {
                self.of_two(thread, w, dst, (a, b), |pool, a, b| saturating(pool, op, signed, a, b))
            }
            Inst::Bits { op, w, dst, a } => self.of_one(thread, w, dst, a, |pool, a| bits(pool, op, a)),
            Inst::FunnelShift { left, w, dst, abc } => {
                let slots = [abc, next(abc), next(next(abc))];
                if !self.is_symbolic(thread, &slots) {
                    return Operation::Terms(smallvec![(dst, None)]);
                }
                let [a, b, c] = slots.map(|slot| self.wide_term(thread, slot, w));
                let pool = &mut self.symbolic.pool;
                let value = if left { pool.funnel_shl(a, b, c) } else { pool.funnel_shr(a, b, c) };
                let value = pool.zext(value, 64);
                Operation::Terms(smallvec![(dst, Some(value))])
            }
            Inst::CmpEq { dst, a, b } => self.of_two(thread, 64, dst, (a, b), Pool::eq),
            Inst::CmpNe { dst, a, b } => self.of_two(thread, 64, dst, (a, b), Pool::ne),
            Inst::CmpUlt { dst, a, b } => self.of_two(thread, 64, dst, (a, b), Pool::ult),
            Inst::CmpUle { dst, a, b } => self.of_two(thread, 64, dst, (a, b), Pool::ule),
            Inst::CmpSlt { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::slt),
            Inst::CmpSle { w, dst, a, b } => self.of_two(thread, w, dst, (a, b), Pool::sle),
            Inst::Select { dst, cond, a, b } => {
                if !self.is_symbolic(thread, &[cond, a, b]) {
                    return Operation::Terms(smallvec![(dst, None)]);
                }
                let condition = self.wide_term(thread, cond, 1);
                let (a, b) = (self.term_or_value(thread, a), self.term_or_value(thread, b));
                let value = self.symbolic.pool.ite(condition, a, b);
                Operation::Terms(smallvec![(dst, Some(value))])
            }
            Inst::Trunc { w, dst, a } => self.of_one(thread, w, dst, a, |_, a| a),
            Inst::SExt { from, to, dst, a } => self.of_one(thread, from, dst, a, |pool, a| pool.sext(a, u32::from(to))),
            Inst::WideBin { op, w, dst, a, b } => {
                self.of_wide(thread, w, dst, &[a, b], |pool, terms| wide_binary(pool, op, terms[0], terms[1]))
            }
            Inst::WideBits { op, w, dst, a } => {
                self.of_wide(thread, w, dst, &[a], |pool, terms| bits(pool, op, terms[0]))
            }
            Inst::WideCmp { pred, w, dst, a, b } => {
                if !self.is_symbolic(thread, &[a, next(a), b, next(b)]) {
                    return Operation::Terms(smallvec![(dst, None)]);
                }
                let (a, b) = (self.wide_term(thread, a, w), self.wide_term(thread, b, w));
                let value = compare(&mut self.symbolic.pool, pred, a, b);
                Operation::Terms(self.wide_result(dst, value))
            }
            Inst::WideSExt { from, to, dst, a } => {
                let slots = if from <= 64 { vec![a] } else { vec![a, next(a)] };
                if !self.is_symbolic(thread, &slots) {
                    return Operation::Terms(smallvec![(dst, None), (next(dst), None)]);
                }
                let value = self.wide_term(thread, a, from);
                let value = self.symbolic.pool.sext(value, u32::from(to));
                Operation::Terms(self.wide_result(dst, value))
            }
            Inst::WideOverflowing { op, signed, w, dst, a, b } => {
                if !self.has_wide_term(thread, a, w) && !self.has_wide_term(thread, b, w) {
                    return Operation::Terms(smallvec![(dst, None), (next(dst), None), (next(next(dst)), None)]);
                }
                let (a, b) = (self.wide_term(thread, a, w), self.wide_term(thread, b, w));
                let pool = &mut self.symbolic.pool;
                let overflow = overflows(pool, op, signed, a, b);
                let overflow = pool.zext(overflow, 64);
                let value = checked(pool, op, a, b);
                let mut terms = self.wide_result(dst, value);
                terms.push((next(next(dst)), Some(overflow)));
                Operation::Terms(terms)
            }
            Inst::FBin { dst, a, b, .. } | Inst::FCmp { dst, a, b, .. } => self.concrete(thread, &[dst], &[a, b]),
            Inst::FUn { dst, a, .. } | Inst::FClass { dst, a, .. } | Inst::FCast { dst, a, .. } => {
                self.concrete(thread, &[dst], &[a])
            }
            Inst::Fma { dst, abc, .. } => self.concrete(thread, &[dst], &[abc, next(abc), next(next(abc))]),
            Inst::FloatToInt { w, dst, a, .. } => {
                let results = [dst, next(dst)];
                self.concrete(thread, if w > 64 { &results } else { &results[..1] }, &[a])
            }
            Inst::IntToFloat { w, dst, a, .. } => {
                let operands = [a, next(a)];
                self.concrete(thread, &[dst], if w > 64 { &operands } else { &operands[..1] })
            }
            Inst::Load { dst, .. } => Operation::Terms(smallvec![(dst, None)]),
            Inst::Index { scale, dst, base, index } => {
                self.of_two(thread, 64, dst, (base, index), |pool, base, index| {
                    let scale = pool.constant(i64::from(scale) as u64 as u128, 64);
                    let offset = pool.mul(index, scale);
                    pool.add(base, offset)
                })
            }
            _ => Operation::Terms(Terms::new()),
        }
    }
}
