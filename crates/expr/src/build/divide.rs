//! Division and remainder.

use crate::ops::{apply_binary, mask};
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term};

impl Pool {
    /// All ones if `b` is zero.
    pub fn udiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if let Some(divisor) = self.as_constant(b).filter(|divisor| divisor.is_power_of_two()) {
            let shift = self.constant(divisor.trailing_zeros().into(), width);
            return self.lshr(a, shift);
        }
        if self.facts(a).hi < self.facts(b).lo {
            return self.constant(0, width);
        }
        if a == b && self.facts(b).lo > 0 {
            return self.constant(1, width);
        }
        if let Term::Zext(x, _) = self.term(a) {
            // A divisor that does not fit is greater than the dividend and was dealt with if it is a constant.
            if let Some(divisor) = self.as_constant(b).filter(|&divisor| divisor != 0) {
                let divisor = self.constant(divisor, self.width(x));
                let quotient = self.udiv(x, divisor);
                return self.zext(quotient, width);
            }
        }
        self.divide(Binary::Udiv, a, b)
    }

    /// `a` if `b` is zero.
    pub fn urem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        match self.as_constant(b) {
            Some(0) => return a,
            Some(divisor) if divisor.is_power_of_two() => {
                let low = self.constant(divisor - 1, width);
                return self.and(a, low);
            }
            _ => {}
        }
        if self.facts(a).hi < self.facts(b).lo {
            return a;
        }
        if a == b || self.as_constant(a) == Some(0) {
            return self.constant(0, width);
        }
        let narrow = match (self.term(a), self.term(b)) {
            (Term::Zext(x, _), Term::Zext(y, _)) => Some((x, y)),
            (Term::Zext(x, _), Term::Const(_)) => Some((x, self.constant(self.facts(b).lo, self.width(x)))),
            _ => None,
        };
        if let Some((x, y)) = narrow {
            let common = self.width(x).max(self.width(y));
            let (x, y) = (self.zext(x, common), self.zext(y, common));
            let remainder = self.urem(x, y);
            return self.zext(remainder, width);
        }
        self.divide(Binary::Urem, a, b)
    }

    /// Rounds toward zero. By zero it gives -1, or 1 for a negative dividend. The least number by -1 gives itself.
    pub fn sdiv(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if self.as_constant(b) == Some(1) {
            return a;
        }
        if self.as_constant(b) == Some(mask(width)) {
            return self.neg(a);
        }
        if self.is_natural(a) && self.is_natural(b) {
            return self.udiv(a, b);
        }
        self.divide(Binary::Sdiv, a, b)
    }

    /// Has the sign of the dividend; the dividend itself if `b` is zero.
    pub fn srem(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        let divisor = self.as_constant(b);
        if a == b || self.as_constant(a) == Some(0) || divisor == Some(1) || divisor == Some(mask(width)) {
            return self.constant(0, width);
        }
        if self.is_natural(a) && self.is_natural(b) {
            return self.urem(a, b);
        }
        if let (Term::Sext(x, _), Term::Sext(y, _)) = (self.term(a), self.term(b))
            && self.width(x) == self.width(y)
        {
            let remainder = self.srem(x, y);
            return self.sext(remainder, width);
        }
        self.divide(Binary::Srem, a, b)
    }

    fn divide(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        if let (Some(dividend), Some(divisor)) = (self.as_constant(a), self.as_constant(b)) {
            let width = self.width(a);
            return self.constant(apply_binary(op, width, 0, dividend, divisor), width);
        }
        self.make(Term::Binary(op, a, b))
    }

    /// Whether the value is not negative.
    fn is_natural(&self, id: ExprId) -> bool {
        self.facts(id).zeros >> (self.width(id) - 1) == 1
    }
}
