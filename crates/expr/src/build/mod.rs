//! Building terms in normal form.
//!
//! What holds of every term in the pool (the rules that establish it stand in the files named):
//! - Operands of commutative operations are in order of their ids; chains lean to the left and are sorted (`bits`, `sum`).
//! - A sum is monomials in order and then the constant; a monomial is a product and then its coefficient. There is no
//!   subtraction, no negation and no shift by a constant: those are coefficients (`sum`). A coefficient that is a power of two is a
//!   concatenation with zeros.
//! - Whatever merely moves bits is written with `concat`, `zext`, `sext` and `extract`: shifts by constants, masks and set bits in
//!   few runs, sums and disjunctions of terms that share no bits (`slice`, `bits`, `sum`).
//! - Concatenations lean to the right; neighbours that came from one term are that term again (`slice`). To keep this so, a rule that
//!   pushes `extract` into an operation must come with one that finds the operation again from its pieces.
//! - A choice between constants is `ite` of constants, unless `zext` or `sext` of the condition says it (`choose`).
//! - `not` stands on no constant, `not`, concatenation, extension, sum or comparison (`bits`).
//! - Comparisons with constants are strict; `ule` and `sle` have no constant operand (`compare`).

mod bits;
mod choose;
mod compare;
mod count;
mod derived;
mod divide;
mod linear;
mod polynomial;
mod shift;
mod signed;
mod slice;
mod sum;

use crate::pool::Pool;
use crate::term::{Binary, ExprId, Unary};

impl Pool {
    /// The operation by name, for whoever has one in hand.
    pub fn unary(&mut self, op: Unary, a: ExprId) -> ExprId {
        match op {
            Unary::Not => self.not(a),
            Unary::Ctpop => self.ctpop(a),
            Unary::Ctlz => self.ctlz(a),
            Unary::Cttz => self.cttz(a),
        }
    }

    /// The operation by name, for whoever has one in hand.
    pub fn binary(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        match op {
            Binary::Add => self.add(a, b),
            Binary::Mul => self.mul(a, b),
            Binary::Udiv => self.udiv(a, b),
            Binary::Sdiv => self.sdiv(a, b),
            Binary::Urem => self.urem(a, b),
            Binary::Srem => self.srem(a, b),
            Binary::And => self.and(a, b),
            Binary::Or => self.or(a, b),
            Binary::Xor => self.xor(a, b),
            Binary::Shl => self.shl(a, b),
            Binary::Lshr => self.lshr(a, b),
            Binary::Ashr => self.ashr(a, b),
            Binary::Concat => self.concat(a, b),
            Binary::Eq => self.eq(a, b),
            Binary::Ult => self.ult(a, b),
            Binary::Ule => self.ule(a, b),
            Binary::Slt => self.slt(a, b),
            Binary::Sle => self.sle(a, b),
            Binary::UmulOverflow => self.umul_overflow(a, b),
            Binary::SmulOverflow => self.smul_overflow(a, b),
        }
    }

    /// The common width of two operands.
    pub(crate) fn same_width(&self, a: ExprId, b: ExprId) -> u32 {
        let width = self.width(a);
        assert_eq!(width, self.width(b), "operands of one operation have one width");
        width
    }
}
