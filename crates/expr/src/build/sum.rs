//! Sums and products.

use super::linear::Linear;
use crate::ops::mask;
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term};

/// Products of more factors are not flattened.
const MAX_FACTORS: usize = 8;

impl Pool {
    pub fn add(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.combine(a, b, 1)
    }

    pub fn sub(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.combine(a, b, u128::MAX)
    }

    pub fn neg(&mut self, a: ExprId) -> ExprId {
        self.scale(a, u128::MAX)
    }

    pub fn mul(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        if width == 1 {
            return self.and(a, b);
        }
        if let Some(factor) = self.as_constant(a) {
            return self.scale(b, factor);
        }
        if let Some(factor) = self.as_constant(b) {
            return self.scale(a, factor);
        }
        for (bit, other) in [(a, b), (b, a)] {
            if let Term::Zext(condition, _) = self.term(bit)
                && self.width(condition) == 1
            {
                let zero = self.constant(0, width);
                return self.ite(condition, other, zero);
            }
        }
        let (a, a_coefficient) = self.coefficient(a);
        let (b, b_coefficient) = self.coefficient(b);
        let product = self.product(a, b);
        self.scale(product, a_coefficient.wrapping_mul(b_coefficient))
    }

    /// `a` plus `coefficient` times `b`.
    fn combine(&mut self, a: ExprId, b: ExprId, coefficient: u128) -> ExprId {
        let width = self.same_width(a, b);
        if width == 1 {
            return self.xor(a, b);
        }
        let mut linear = Linear::new(width);
        if self.accumulate(&mut linear, a, 1) && self.accumulate(&mut linear, b, coefficient) {
            return self.linear_term(&linear);
        }
        let b = self.scale(b, coefficient);
        self.make(Term::Binary(Binary::Add, a.min(b), a.max(b)))
    }

    fn scale(&mut self, a: ExprId, factor: u128) -> ExprId {
        let width = self.width(a);
        match factor & mask(width) {
            0 => return self.constant(0, width),
            1 => return a,
            _ => {}
        }
        let mut linear = Linear::new(width);
        if self.accumulate(&mut linear, a, factor) {
            return self.linear_term(&linear);
        }
        let factor = self.constant(factor, width);
        self.make(Term::Binary(Binary::Mul, a, factor))
    }

    /// A term as coefficient and rest.
    fn coefficient(&mut self, a: ExprId) -> (ExprId, u128) {
        let mut linear = Linear::new(self.width(a));
        if !matches!(self.term(a), Term::Binary(Binary::Add, ..))
            && self.accumulate(&mut linear, a, 1)
            && let (&[(rest, coefficient)], 0) = (linear.parts(), linear.constant)
        {
            return (rest, coefficient);
        }
        (a, 1)
    }

    /// The product of terms without coefficients: its factors in order.
    fn product(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let mut factors = [ExprId(0); MAX_FACTORS];
        let mut n = 0;
        for operand in [a, b] {
            let mut rest = operand;
            loop {
                let (more, factor) = match self.term(rest) {
                    Term::Binary(Binary::Mul, more, factor) if self.as_constant(factor).is_none() => {
                        (Some(more), factor)
                    }
                    _ => (None, rest),
                };
                if n == MAX_FACTORS {
                    return self.make(Term::Binary(Binary::Mul, a.min(b), a.max(b)));
                }
                factors[n] = factor;
                n += 1;
                match more {
                    Some(more) => rest = more,
                    None => break,
                }
            }
        }
        factors[..n].sort_unstable();
        let mut product = factors[0];
        for &factor in &factors[1..n] {
            product = self.make(Term::Binary(Binary::Mul, product, factor));
        }
        product
    }
}
