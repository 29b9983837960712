//! Shifts.

use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term};

impl Pool {
    /// Zero if the amount reaches the width.
    pub fn shl(&mut self, a: ExprId, amount: ExprId) -> ExprId {
        let width = self.same_width(a, amount);
        if self.facts(amount).lo >= width.into() {
            return self.constant(0, width);
        }
        match self.as_constant(amount) {
            // As a coefficient, so that it takes part in sums.
            Some(shift) => {
                let factor = self.constant(1 << shift, width);
                self.mul(a, factor)
            }
            None => self.shift_by_term(Binary::Shl, a, amount),
        }
    }

    /// Zero if the amount reaches the width.
    pub fn lshr(&mut self, a: ExprId, amount: ExprId) -> ExprId {
        let width = self.same_width(a, amount);
        if self.facts(amount).lo >= width.into() {
            return self.constant(0, width);
        }
        match self.as_constant(amount) {
            Some(shift) => {
                let kept = self.extract(a, shift as u32, width - shift as u32);
                self.zext(kept, width)
            }
            None => self.shift_by_term(Binary::Lshr, a, amount),
        }
    }

    /// Copies of the sign if the amount reaches the width.
    pub fn ashr(&mut self, a: ExprId, amount: ExprId) -> ExprId {
        let width = self.same_width(a, amount);
        if self.facts(a).hi >> (width - 1) == 0 {
            return self.lshr(a, amount);
        }
        let certain = self.facts(amount).lo;
        if certain >= u128::from(width - 1) || self.as_constant(amount).is_some() {
            let shift = certain.min(u128::from(width - 1)) as u32;
            let kept = self.extract(a, shift, width - shift);
            return self.sext(kept, width);
        }
        self.shift_by_term(Binary::Ashr, a, amount)
    }

    fn shift_by_term(&mut self, op: Binary, a: ExprId, amount: ExprId) -> ExprId {
        if let (Some(0), _) | (Some(u128::MAX), Binary::Ashr) = (self.as_constant(a), op) {
            return a;
        }
        if let Some((condition, then, otherwise)) = self.as_choice(amount) {
            let width = self.width(a);
            let (then, otherwise) = (self.constant(then, width), self.constant(otherwise, width));
            let (then, otherwise) = (self.binary(op, a, then), self.binary(op, a, otherwise));
            return self.ite(condition, then, otherwise);
        }
        self.make(Term::Binary(op, a, amount))
    }

    /// Zeros below what is left of `a`.
    pub(super) fn shifted_left(&mut self, a: ExprId, shift: u32) -> ExprId {
        let width = self.width(a);
        let kept = self.extract(a, 0, width - shift);
        let zeros = self.constant(0, shift);
        self.concat(kept, zeros)
    }
}
