//! Operations that are written with others.

use crate::ops::{apply_binary, mask};
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term};

impl Pool {
    pub fn umin(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let less = self.ult(a, b);
        self.ite(less, a, b)
    }

    pub fn umax(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let less = self.ult(a, b);
        self.ite(less, b, a)
    }

    pub fn smin(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let less = self.slt(a, b);
        self.ite(less, a, b)
    }

    pub fn smax(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let less = self.slt(a, b);
        self.ite(less, b, a)
    }

    /// The least number is its own absolute value.
    pub fn abs(&mut self, a: ExprId) -> ExprId {
        let negative = self.bit(a, self.width(a) - 1);
        let negated = self.neg(a);
        self.ite(negative, negated, a)
    }

    pub fn uadd_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let sum = self.add(a, b);
        self.ult(sum, a)
    }

    pub fn usub_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.ult(a, b)
    }

    /// The operands have one sign and the sum has the other.
    pub fn sadd_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let sum = self.add(a, b);
        self.signs_differ_from(sum, a, b, false)
    }

    /// The operands' signs differ and so do those of difference and minuend.
    pub fn ssub_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let difference = self.sub(a, b);
        self.signs_differ_from(difference, a, b, true)
    }

    fn signs_differ_from(&mut self, result: ExprId, a: ExprId, b: ExprId, subtrahend: bool) -> ExprId {
        let top = self.width(a) - 1;
        let [result, a, b] = [result, a, b].map(|id| self.bit(id, top));
        let b = if subtrahend { self.not(b) } else { b };
        let (from_a, from_b) = (self.xor(a, result), self.xor(b, result));
        self.and(from_a, from_b)
    }

    pub fn umul_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if self.facts(a).hi.checked_mul(self.facts(b).hi).is_some_and(|product| product <= mask(width)) {
            return self.bool(false);
        }
        let (a, b) = if self.as_constant(a).is_some() { (b, a) } else { (a, b) };
        match self.as_constant(b) {
            Some(factor) if factor != 0 => {
                let most = self.constant(mask(width) / factor, width);
                self.ugt(a, most)
            }
            _ => self.make(Term::Binary(Binary::UmulOverflow, a.min(b), a.max(b))),
        }
    }

    pub fn smul_overflow(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        let (a, b) = if self.as_constant(a).is_some() { (b, a) } else { (a, b) };
        if let (Some(x), Some(y)) = (self.as_constant(a), self.as_constant(b)) {
            return self.bool(apply_binary(Binary::SmulOverflow, width, 0, x, y) == 1);
        }
        match self.as_constant(b) {
            Some(0) => self.bool(false),
            Some(1) if width > 1 => self.bool(false),
            _ => self.make(Term::Binary(Binary::SmulOverflow, a.min(b), a.max(b))),
        }
    }

    /// The high half of `a` above `b`, shifted left by the amount modulo the width.
    pub fn funnel_shl(&mut self, a: ExprId, b: ExprId, amount: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if width == 1 {
            return a;
        }
        let modulus = self.constant(width.into(), width);
        let amount = self.urem(amount, modulus);
        let back = self.sub(modulus, amount);
        let (high, low) = (self.shl(a, amount), self.lshr(b, back));
        self.or(high, low)
    }

    /// The low half of `a` above `b`, shifted right by the amount modulo the width.
    pub fn funnel_shr(&mut self, a: ExprId, b: ExprId, amount: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if width == 1 {
            return b;
        }
        let modulus = self.constant(width.into(), width);
        let amount = self.urem(amount, modulus);
        let back = self.sub(modulus, amount);
        let (high, low) = (self.shl(a, back), self.lshr(b, amount));
        self.or(high, low)
    }

    pub fn rotate_left(&mut self, a: ExprId, amount: ExprId) -> ExprId {
        self.funnel_shl(a, a, amount)
    }

    pub fn rotate_right(&mut self, a: ExprId, amount: ExprId) -> ExprId {
        self.funnel_shr(a, a, amount)
    }

    /// The bytes in reverse order.
    pub fn bswap(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        assert_eq!(width % 8, 0, "only whole bytes can be swapped");
        let mut result = self.extract(a, 0, 8);
        for low in (8..width).step_by(8) {
            let byte = self.extract(a, low, 8);
            result = self.concat(result, byte);
        }
        result
    }

    /// Whether `a` implies `b`.
    pub fn implies(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let negated = self.not(a);
        self.or(negated, b)
    }

    /// Whether the value is not zero: a C condition.
    pub fn is_true(&mut self, a: ExprId) -> ExprId {
        let zero = self.constant(0, self.width(a));
        self.ne(a, zero)
    }
}
