//! Signed order.

use crate::ops::{mask, sign_extend};
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term, Unary};

impl Pool {
    /// Signed less than.
    pub fn slt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if a == b {
            return self.bool(false);
        }
        if width == 1 {
            let negated = self.not(b);
            return self.and(a, negated);
        }
        let (a_range, b_range) = (self.signed_range(a), self.signed_range(b));
        if a_range.1 < b_range.0 {
            return self.bool(true);
        }
        if a_range.0 >= b_range.1 {
            return self.bool(false);
        }
        if self.sign_known(a).is_some() && self.sign_known(a) == self.sign_known(b) {
            return self.ult(a, b);
        }
        if self.as_constant(b).is_some() {
            return self.slt_constant(a, b, a_range);
        }
        if self.as_constant(a).is_some() {
            return self.constant_slt(a, b, b_range);
        }
        match (self.term(a), self.term(b)) {
            (Term::Sext(x, _), Term::Sext(y, _)) => {
                let common = self.width(x).max(self.width(y));
                let (x, y) = (self.sext(x, common), self.sext(y, common));
                self.slt(x, y)
            }
            (Term::Unary(Unary::Not, x), Term::Unary(Unary::Not, y)) => self.slt(y, x),
            (Term::Binary(Binary::Concat, x1, x0), Term::Binary(Binary::Concat, y1, y0)) if x1 == y1 => {
                self.ult(x0, y0)
            }
            (Term::Binary(Binary::Concat, x1, x0), Term::Binary(Binary::Concat, y1, y0)) if x0 == y0 => {
                self.slt(x1, y1)
            }
            _ => self.make(Term::Binary(Binary::Slt, a, b)),
        }
    }

    /// Signed less than or equal.
    pub fn sle(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        let least = 1 << (width - 1);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(bound), _) if bound == least => return self.bool(true),
            (_, Some(bound)) if bound == least - 1 => return self.bool(true),
            (_, Some(bound)) => {
                let next = self.constant(bound.wrapping_add(1), width);
                return self.slt(a, next);
            }
            (Some(bound), _) => {
                let previous = self.constant(bound.wrapping_sub(1), width);
                return self.slt(previous, b);
            }
            _ => {}
        }
        let converse = self.slt(b, a);
        match self.term(converse) {
            Term::Binary(Binary::Slt, x, y) if (x, y) == (b, a) => self.make(Term::Binary(Binary::Sle, a, b)),
            _ => self.not(converse),
        }
    }

    pub fn sgt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.slt(b, a)
    }

    pub fn sge(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.sle(b, a)
    }

    /// `a < bound` for a constant, which the ranges do not decide.
    fn slt_constant(&mut self, a: ExprId, bound: ExprId, range: (i128, i128)) -> ExprId {
        let width = self.width(a);
        let value = sign_extend(self.facts(bound).lo, width);
        if value == 0 {
            return self.bit(a, width - 1);
        }
        if value == range.0 + 1 {
            let least = self.constant(range.0 as u128, width);
            return self.eq(a, least);
        }
        if value == range.1 {
            return self.ne(a, bound);
        }
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            let [then, otherwise] = [then, otherwise].map(|known| u128::from(sign_extend(known, width) < value));
            return self.ite_constants(condition, then, otherwise, 1);
        }
        match self.term(a) {
            Term::Sext(x, _) => {
                let bound = self.constant(value as u128, self.width(x));
                self.slt(x, bound)
            }
            Term::Unary(Unary::Not, x) => {
                let bound = self.not(bound);
                self.slt(bound, x)
            }
            Term::Binary(Binary::Add, x, offset) if self.moves_evenly_signed(x, offset, range) => {
                let bound = self.sub(bound, offset);
                self.slt(x, bound)
            }
            Term::Binary(Binary::Concat, high, low) if value as u128 & mask(self.width(low)) == 0 => {
                let bound = self.constant((value >> self.width(low)) as u128, self.width(high));
                self.slt(high, bound)
            }
            _ => self.make(Term::Binary(Binary::Slt, a, bound)),
        }
    }

    /// `bound < a` for a constant, which the ranges do not decide.
    fn constant_slt(&mut self, bound: ExprId, a: ExprId, range: (i128, i128)) -> ExprId {
        let width = self.width(a);
        let value = sign_extend(self.facts(bound).lo, width);
        if value == -1 {
            let sign = self.bit(a, width - 1);
            return self.not(sign);
        }
        if value == range.1 - 1 {
            let greatest = self.constant(range.1 as u128, width);
            return self.eq(a, greatest);
        }
        if value == range.0 {
            return self.ne(a, bound);
        }
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            let [then, otherwise] = [then, otherwise].map(|known| u128::from(value < sign_extend(known, width)));
            return self.ite_constants(condition, then, otherwise, 1);
        }
        match self.term(a) {
            Term::Sext(x, _) => {
                let bound = self.constant(value as u128, self.width(x));
                self.slt(bound, x)
            }
            Term::Unary(Unary::Not, x) => {
                let bound = self.not(bound);
                self.slt(x, bound)
            }
            Term::Binary(Binary::Add, x, offset) if self.moves_evenly_signed(x, offset, range) => {
                let bound = self.sub(bound, offset);
                self.slt(bound, x)
            }
            Term::Binary(Binary::Concat, high, low) if !value as u128 & mask(self.width(low)) == 0 => {
                let bound = self.constant((value >> self.width(low)) as u128, self.width(high));
                self.slt(bound, high)
            }
            _ => self.make(Term::Binary(Binary::Slt, bound, a)),
        }
    }

    /// Whether the sum of `x` and a constant has the range of `x`, moved. `signed_range` finds nothing for sums that may overflow.
    fn moves_evenly_signed(&self, x: ExprId, offset: ExprId, range: (i128, i128)) -> bool {
        let Some(offset) = self.as_constant(offset) else { return false };
        let (lo, hi) = self.signed_range_of_leaf(x);
        let offset = sign_extend(offset, self.width(x));
        lo.checked_add(offset) == Some(range.0) && hi.checked_add(offset) == Some(range.1)
    }

    /// Bounds of the value as a signed number.
    fn signed_range(&self, id: ExprId) -> (i128, i128) {
        if let Term::Binary(Binary::Add, x, offset) = self.term(id)
            && let Some(offset) = self.as_constant(offset)
        {
            let width = self.width(id);
            let offset = sign_extend(offset, width);
            let (lo, hi) = self.signed_range_of_leaf(x);
            let fits = |value: &i128| sign_extend(*value as u128, width) == *value;
            if let (Some(lo), Some(hi)) = (lo.checked_add(offset).filter(fits), hi.checked_add(offset).filter(fits)) {
                return (lo, hi);
            }
        }
        self.signed_range_of_leaf(id)
    }

    fn signed_range_of_leaf(&self, id: ExprId) -> (i128, i128) {
        if let Term::Sext(inner, _) = self.term(id) {
            return self.signed_range_by_facts(inner);
        }
        self.signed_range_by_facts(id)
    }

    fn signed_range_by_facts(&self, id: ExprId) -> (i128, i128) {
        let (width, facts) = (self.width(id), self.facts(id));
        if self.sign_known(id).is_some() {
            return (sign_extend(facts.lo, width), sign_extend(facts.hi, width));
        }
        let least = 1u128 << (width - 1);
        (sign_extend(least, width), sign_extend(least - 1, width))
    }

    fn sign_known(&self, id: ExprId) -> Option<bool> {
        let (top, facts) = (self.width(id) - 1, self.facts(id));
        if facts.zeros >> top == 1 { Some(false) } else { (facts.ones >> top == 1).then_some(true) }
    }
}
