//! Equality and unsigned order. Signed order stands in `signed`.

use super::linear::Linear;
use crate::ops::{mask, sign_extend};
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term, Unary};

/// How many choices in a row an equality with a constant is pushed into.
const CHOICE_DEPTH: u32 = 4;

impl Pool {
    pub fn eq(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if a == b {
            return self.bool(true);
        }
        if self.facts(a).disjoint(self.facts(b)) {
            return self.bool(false);
        }
        if width == 1 {
            let differ = self.xor(a, b);
            return self.not(differ);
        }
        let (a, b) = if self.as_constant(a).is_some() { (b, a) } else { (a, b) };
        if let Some(value) = self.as_constant(b) {
            return self.eq_constant(a, value, CHOICE_DEPTH);
        }
        if self.are_complements(a, b) {
            return self.bool(false);
        }
        match (self.term(a), self.term(b)) {
            (Term::Zext(x, _), Term::Zext(y, _)) => {
                let common = self.width(x).max(self.width(y));
                let (x, y) = (self.zext(x, common), self.zext(y, common));
                self.eq(x, y)
            }
            (Term::Sext(x, _), Term::Sext(y, _)) if self.width(x) == self.width(y) => self.eq(x, y),
            (Term::Unary(Unary::Not, x), Term::Unary(Unary::Not, y)) => self.eq(x, y),
            (Term::Binary(Binary::Concat, x1, x0), Term::Binary(Binary::Concat, y1, y0))
                if self.width(x0) == self.width(y0) =>
            {
                let (high, low) = (self.eq(x1, y1), self.eq(x0, y0));
                self.and(high, low)
            }
            (Term::Binary(Binary::Add | Binary::Mul, ..), _) | (_, Term::Binary(Binary::Add | Binary::Mul, ..)) => {
                self.eq_of_sums(a, b)
            }
            _ => self.make(Term::Binary(Binary::Eq, a.min(b), a.max(b))),
        }
    }

    pub fn ne(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let equal = self.eq(a, b);
        self.not(equal)
    }

    fn eq_constant(&mut self, a: ExprId, value: u128, depth: u32) -> ExprId {
        let width = self.width(a);
        if width == 1 {
            return if value == 1 { a } else { self.not(a) };
        }
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            return self.ite_constants(condition, (then == value).into(), (otherwise == value).into(), 1);
        }
        match self.term(a) {
            Term::Zext(x, _) | Term::Sext(x, _) => {
                // Values that no extension has were sorted out for `zext` alone.
                let extended = sign_extend(value & mask(self.width(x)), self.width(x)) as u128 & mask(width);
                if matches!(self.term(a), Term::Sext(..)) && extended != value {
                    return self.bool(false);
                }
                let value = self.constant(value, self.width(x));
                self.eq(x, value)
            }
            Term::Unary(Unary::Not, x) => self.eq_constant(x, !value & mask(width), depth),
            Term::Binary(Binary::Concat, high, low) => {
                let split = self.width(low);
                let high_value = self.constant(value >> split, width - split);
                let low_value = self.constant(value, split);
                let (high, low) = (self.eq(high, high_value), self.eq(low, low_value));
                self.and(high, low)
            }
            Term::Binary(Binary::Xor, x, y) if value == 0 => self.eq(x, y),
            Term::Binary(Binary::Xor, x, y) if self.as_constant(y).is_some() => {
                let value = self.constant(value ^ self.facts(y).lo, width);
                self.eq(x, value)
            }
            Term::Ite(condition, then, otherwise)
                if depth > 0 && (self.as_constant(then).is_some() || self.as_constant(otherwise).is_some()) =>
            {
                let then = self.arm_equals(then, value, depth - 1);
                let otherwise = self.arm_equals(otherwise, value, depth - 1);
                self.ite(condition, then, otherwise)
            }
            Term::Binary(Binary::Add | Binary::Mul, ..) => {
                let value = self.constant(value, width);
                self.eq_of_sums(a, value)
            }
            _ => {
                let value = self.constant(value, width);
                self.make(Term::Binary(Binary::Eq, a.min(value), a.max(value)))
            }
        }
    }

    fn arm_equals(&mut self, arm: ExprId, value: u128, depth: u32) -> ExprId {
        let facts = self.facts(arm);
        if let Some(known) = facts.as_constant() {
            self.bool(known == value)
        } else if value < facts.lo || facts.hi < value {
            self.bool(false)
        } else {
            self.eq_constant(arm, value, depth)
        }
    }

    /// Everything on one side, what cancels taken away, and what is negative back on the other side.
    fn eq_of_sums(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a);
        let mut difference = Linear::new(width);
        if !(self.accumulate(&mut difference, a, 1) && self.accumulate(&mut difference, b, u128::MAX)) {
            return self.make(Term::Binary(Binary::Eq, a.min(b), a.max(b)));
        }
        match *difference.parts() {
            [] => return self.bool(difference.constant == 0),
            [(term, coefficient)] => return self.solve_monomial(term, coefficient, difference.constant),
            _ => {}
        }
        if let Some(constant) = self.constant_when_expanded(&difference) {
            return self.bool(constant == 0);
        }
        let is_negative = |coefficient: u128| coefficient >> (width - 1) == 1;
        let flip = difference.parts().last().is_some_and(|&(_, coefficient)| is_negative(coefficient));
        let (mut left, mut right) = (Linear::new(width), Linear::new(width));
        for &(term, coefficient) in difference.parts() {
            let (side, coefficient) = if is_negative(coefficient) {
                (&mut right, coefficient.wrapping_neg())
            } else {
                (&mut left, coefficient)
            };
            // A part may be a sum itself, one that was too long to be flattened while it had a factor.
            if !self.accumulate(side, term, coefficient) {
                return self.make(Term::Binary(Binary::Eq, a.min(b), a.max(b)));
            }
        }
        if flip {
            std::mem::swap(&mut left, &mut right);
            right.add_constant(difference.constant);
        } else {
            right.add_constant(difference.constant.wrapping_neg());
        }
        let (left, right) = (self.linear_term(&left), self.linear_term(&right));
        self.eq_normal(left, right)
    }

    /// Equality of two sides that have nothing in common any more.
    fn eq_normal(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let is_sum = |pool: &Pool, id| matches!(pool.term(id), Term::Binary(Binary::Add | Binary::Mul, ..));
        if self.facts(a).disjoint(self.facts(b)) {
            return self.bool(false);
        }
        if is_sum(self, a) || is_sum(self, b) {
            return self.make(Term::Binary(Binary::Eq, a.min(b), a.max(b)));
        }
        self.eq(a, b)
    }

    /// `coefficient * term + constant == 0`: an odd coefficient has an inverse, an even one looks at the low bits alone.
    fn solve_monomial(&mut self, term: ExprId, coefficient: u128, constant: u128) -> ExprId {
        let width = self.width(term);
        let target = constant.wrapping_neg() & mask(width);
        let even = coefficient.trailing_zeros();
        if target & mask(even) != 0 {
            return self.bool(false);
        }
        let value = (target >> even).wrapping_mul(inverse(coefficient >> even));
        let term = self.extract(term, 0, width - even);
        let value = self.constant(value, width - even);
        self.eq_normal(term, value)
    }

    /// Unsigned less than.
    pub fn ult(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if a == b || self.facts(a).lo >= self.facts(b).hi {
            return self.bool(false);
        }
        if self.facts(a).hi < self.facts(b).lo {
            return self.bool(true);
        }
        if width == 1 {
            let negated = self.not(a);
            return self.and(negated, b);
        }
        if let Some(bound) = self.as_constant(b) {
            return self.below_constant(a, bound);
        }
        if let Some(bound) = self.as_constant(a) {
            return self.above_constant(b, bound);
        }
        match (self.term(a), self.term(b)) {
            (Term::Zext(x, _), Term::Zext(y, _)) => {
                let common = self.width(x).max(self.width(y));
                let (x, y) = (self.zext(x, common), self.zext(y, common));
                self.ult(x, y)
            }
            // Sign extension keeps the unsigned order.
            (Term::Sext(x, _), Term::Sext(y, _)) if self.width(x) == self.width(y) => self.ult(x, y),
            (Term::Unary(Unary::Not, x), Term::Unary(Unary::Not, y)) => self.ult(y, x),
            (Term::Binary(Binary::Concat, x1, x0), Term::Binary(Binary::Concat, y1, y0)) if x1 == y1 => {
                self.ult(x0, y0)
            }
            (Term::Binary(Binary::Concat, x1, x0), Term::Binary(Binary::Concat, y1, y0)) if x0 == y0 => {
                self.ult(x1, y1)
            }
            _ => self.make(Term::Binary(Binary::Ult, a, b)),
        }
    }

    /// Unsigned less than or equal.
    pub fn ule(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        match (self.as_constant(a), self.as_constant(b)) {
            (Some(0), _) => return self.bool(true),
            (_, Some(bound)) if bound == mask(width) => return self.bool(true),
            (_, Some(bound)) => {
                let next = self.constant(bound + 1, width);
                return self.ult(a, next);
            }
            (Some(bound), _) => {
                let previous = self.constant(bound - 1, width);
                return self.ult(previous, b);
            }
            _ => {}
        }
        let converse = self.ult(b, a);
        match self.term(converse) {
            Term::Binary(Binary::Ult, x, y) if (x, y) == (b, a) => self.make(Term::Binary(Binary::Ule, a, b)),
            _ => self.not(converse),
        }
    }

    pub fn ugt(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.ult(b, a)
    }

    pub fn uge(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.ule(b, a)
    }

    /// `a < bound`, which the facts of `a` do not decide.
    fn below_constant(&mut self, a: ExprId, bound: u128) -> ExprId {
        let (width, facts) = (self.width(a), *self.facts(a));
        if bound == facts.lo + 1 {
            return self.eq_constant(a, facts.lo, CHOICE_DEPTH);
        }
        if bound == facts.hi {
            let equal = self.eq_constant(a, bound, CHOICE_DEPTH);
            return self.not(equal);
        }
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            return self.ite_constants(condition, (then < bound).into(), (otherwise < bound).into(), 1);
        }
        match self.term(a) {
            Term::Zext(x, _) => {
                let bound = self.constant(bound, self.width(x));
                return self.ult(x, bound);
            }
            Term::Sext(x, _) => {
                return match self.within_sext(x, bound, width) {
                    Some(bound) => self.ult(x, bound),
                    None => {
                        let sign = self.bit(x, self.width(x) - 1);
                        self.not(sign)
                    }
                };
            }
            Term::Unary(Unary::Not, x) => {
                let bound = self.constant(!bound, width);
                return self.ult(bound, x);
            }
            Term::Binary(Binary::Concat, high, low) => {
                let split = self.width(low);
                let (high_bound, low_bound) = (self.constant(bound >> split, width - split), bound & mask(split));
                match self.as_constant(low) {
                    Some(low) if low < low_bound => return self.ule(high, high_bound),
                    Some(_) => return self.ult(high, high_bound),
                    None if low_bound == 0 => return self.ult(high, high_bound),
                    None => {}
                }
            }
            Term::Binary(Binary::Add, x, offset) if self.moves_evenly(x, offset) => {
                let bound = self.constant(bound.wrapping_sub(self.facts(offset).lo), width);
                return self.ult(x, bound);
            }
            _ => {}
        }
        let bound = self.constant(bound, width);
        self.make(Term::Binary(Binary::Ult, a, bound))
    }

    /// `bound < a`, which the facts of `a` do not decide.
    fn above_constant(&mut self, a: ExprId, bound: u128) -> ExprId {
        let (width, facts) = (self.width(a), *self.facts(a));
        if bound + 1 == facts.hi {
            return self.eq_constant(a, facts.hi, CHOICE_DEPTH);
        }
        if bound == facts.lo {
            let equal = self.eq_constant(a, bound, CHOICE_DEPTH);
            return self.not(equal);
        }
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            return self.ite_constants(condition, (then > bound).into(), (otherwise > bound).into(), 1);
        }
        match self.term(a) {
            Term::Zext(x, _) => {
                let bound = self.constant(bound, self.width(x));
                return self.ult(bound, x);
            }
            Term::Sext(x, _) => {
                return match self.within_sext(x, bound, width) {
                    Some(bound) => self.ult(bound, x),
                    None => self.bit(x, self.width(x) - 1),
                };
            }
            Term::Unary(Unary::Not, x) => {
                let bound = self.constant(!bound, width);
                return self.ult(x, bound);
            }
            Term::Binary(Binary::Concat, high, low) => {
                let split = self.width(low);
                let (high_bound, low_bound) = (self.constant(bound >> split, width - split), bound & mask(split));
                match self.as_constant(low) {
                    Some(low) if low > low_bound => return self.ule(high_bound, high),
                    Some(_) => return self.ult(high_bound, high),
                    None if low_bound == mask(split) => return self.ult(high_bound, high),
                    None => {}
                }
            }
            Term::Binary(Binary::Add, x, offset) if self.moves_evenly(x, offset) => {
                let bound = self.constant(bound.wrapping_sub(self.facts(offset).lo), width);
                return self.ult(bound, x);
            }
            _ => {}
        }
        let bound = self.constant(bound, width);
        self.make(Term::Binary(Binary::Ult, bound, a))
    }

    /// Whether adding the constant `offset` wraps around for all values of `x` or for none.
    fn moves_evenly(&self, x: ExprId, offset: ExprId) -> bool {
        let Some(offset) = self.as_constant(offset) else { return false };
        let limit = mask(self.width(x)) - offset;
        self.facts(x).hi <= limit || self.facts(x).lo > limit
    }

    /// The bound cut to the width of `x`, unless it lies between the values that `sext(x)` can have.
    fn within_sext(&mut self, x: ExprId, bound: u128, width: u32) -> Option<ExprId> {
        let inner = self.width(x);
        let half = 1 << (inner - 1);
        (bound < half || bound > mask(width) - half).then(|| self.constant(bound, inner))
    }
}

/// The inverse of an odd number modulo two to the 128th power, by Newton's iteration.
fn inverse(odd: u128) -> u128 {
    let mut inverse = odd;
    // Right in 3 bits at first, and in twice as many after each step.
    for _ in 0..6 {
        inverse = inverse.wrapping_mul(2u128.wrapping_sub(odd.wrapping_mul(inverse)));
    }
    inverse
}
