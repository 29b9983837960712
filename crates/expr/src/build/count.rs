//! Counting bits.

use crate::ops::apply_unary;
use crate::pool::Pool;
use crate::term::{ExprId, Term, Unary};

impl Pool {
    /// The number of ones.
    pub fn ctpop(&mut self, a: ExprId) -> ExprId {
        self.count(Unary::Ctpop, a)
    }

    /// The number of zeros above the highest one; the width for zero.
    pub fn ctlz(&mut self, a: ExprId) -> ExprId {
        self.count(Unary::Ctlz, a)
    }

    /// The number of zeros below the lowest one; the width for zero.
    pub fn cttz(&mut self, a: ExprId) -> ExprId {
        self.count(Unary::Cttz, a)
    }

    fn count(&mut self, op: Unary, a: ExprId) -> ExprId {
        let width = self.width(a);
        if let Some(value) = self.as_constant(a) {
            return self.constant(apply_unary(op, width, value), width);
        }
        if width == 1 {
            return if op == Unary::Ctpop { a } else { self.not(a) };
        }
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            let (then, otherwise) = (apply_unary(op, width, then), apply_unary(op, width, otherwise));
            return self.ite_constants(condition, then, otherwise, width);
        }
        match (op, self.term(a)) {
            (Unary::Ctpop, Term::Zext(inner, _)) => {
                let narrow = self.ctpop(inner);
                self.zext(narrow, width)
            }
            _ => self.make(Term::Unary(op, a)),
        }
    }
}
