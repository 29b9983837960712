//! What a term is made of.

use gordian_base::define_id;
use serde::{Deserialize, Serialize};

/// The widest vector, so that constants fit a `u128`.
pub const MAX_WIDTH: u32 = 128;

define_id! {
    /// A term of a [`Pool`](crate::Pool). An operand's id is smaller than that of the term it stands in.
    ExprId, "e"
}

define_id! {
    /// An unknown of the program: an input byte or word. Its name and width stand in the pool.
    Symbol, "s"
}

define_id! {
    /// A list of terms of one width that is read at an index which is a term itself.
    ArrayId, "a"
}

define_id! {
    /// A constant's place in the pool's table of constants.
    ConstId, "c"
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Unary {
    Not,
    /// The number of bits set.
    Ctpop,
    /// The number of zeros above the highest bit set; the width for zero.
    Ctlz,
    /// The number of zeros below the lowest bit set; the width for zero.
    Cttz,
}

/// Subtraction, negation and the mirrored comparisons are written with these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Binary {
    Add,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    /// The first operand is the high part.
    Concat,
    Eq,
    Ult,
    Ule,
    Slt,
    Sle,
    UmulOverflow,
    SmulOverflow,
}

impl Binary {
    /// Whether the result is a boolean.
    pub fn is_predicate(self) -> bool {
        use Binary::{Eq, Sle, Slt, SmulOverflow, Ule, Ult, UmulOverflow};
        matches!(self, Eq | Ult | Ule | Slt | Sle | UmulOverflow | SmulOverflow)
    }

    pub fn is_commutative(self) -> bool {
        use Binary::{Add, And, Eq, Mul, Or, SmulOverflow, UmulOverflow, Xor};
        matches!(self, Add | Mul | And | Or | Xor | Eq | UmulOverflow | SmulOverflow)
    }
}

/// One node. It is also the key under which the node is found again, so it says everything that tells two terms apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Term {
    Const(ConstId),
    Symbol(Symbol),
    Unary(Unary, ExprId),
    Binary(Binary, ExprId, ExprId),
    /// To a width that is greater than the operand's.
    Zext(ExprId, u8),
    Sext(ExprId, u8),
    /// `width` bits of `of` from bit `low` on.
    Extract {
        of: ExprId,
        low: u8,
        width: u8,
    },
    Ite(ExprId, ExprId, ExprId),
    /// The element at an index; zero if the index is outside.
    Select(ArrayId, ExprId),
}

impl Term {
    /// The operands of every term but [`Term::Select`], whose elements stand in the pool: for that one the index alone.
    pub fn operands(self) -> impl Iterator<Item = ExprId> {
        let operands = match self {
            Term::Const(_) | Term::Symbol(_) => [None; 3],
            Term::Unary(_, a) | Term::Zext(a, _) | Term::Sext(a, _) | Term::Extract { of: a, .. } => {
                [Some(a), None, None]
            }
            Term::Binary(_, a, b) => [Some(a), Some(b), None],
            Term::Ite(c, a, b) => [Some(c), Some(a), Some(b)],
            Term::Select(_, index) => [Some(index), None, None],
        };
        operands.into_iter().flatten()
    }
}
