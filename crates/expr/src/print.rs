//! Terms as text for people: C, with `u` and `s` where C has the sign in the type.

use crate::ops::mask;
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term, Unary};
use std::cell::Cell;
use std::fmt;

/// Terms are cut off where they become unreadable: at this depth, and after this many operations.
const MAX_DEPTH: u32 = 40;
const MAX_NODES: u32 = 400;

/// How tight operators bind; operands that bind less get parentheses.
const CHOICE: u8 = 0;
const OR: u8 = 1;
const XOR: u8 = 2;
const AND: u8 = 3;
const COMPARE: u8 = 4;
const SHIFT: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const PREFIX: u8 = 8;

/// A term that prints itself.
pub struct Display<'a> {
    pool: &'a Pool,
    id: ExprId,
    nodes_left: Cell<u32>,
}

impl Pool {
    /// The term as readable text, such as `x + 3 <u 10`.
    pub fn display(&self, id: ExprId) -> Display<'_> {
        Display { pool: self, id, nodes_left: Cell::new(MAX_NODES) }
    }
}

impl fmt::Display for Display<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.nodes_left.set(MAX_NODES);
        self.write(f, self.id, CHOICE, MAX_DEPTH)
    }
}

impl Display<'_> {
    fn write(&self, f: &mut fmt::Formatter<'_>, id: ExprId, outer: u8, depth: u32) -> fmt::Result {
        let pool = self.pool;
        if depth == 0 || self.nodes_left.get() == 0 {
            return f.write_str("…");
        }
        self.nodes_left.set(self.nodes_left.get() - 1);
        let depth = depth - 1;
        match pool.term(id) {
            Term::Const(_) => write_constant(f, pool.facts(id).lo, pool.width(id)),
            Term::Symbol(symbol) => f.write_str(pool.symbol_name(symbol)),
            Term::Unary(Unary::Not, a) => self.write_not(f, a, outer, depth),
            Term::Unary(op, a) => {
                let name = match op {
                    Unary::Ctpop => "popcount",
                    Unary::Ctlz => "clz",
                    Unary::Cttz | Unary::Not => "ctz",
                };
                self.write_call(f, format_args!("{name}"), &[a], depth)
            }
            Term::Binary(Binary::Add, a, b) => self.write_sum(f, a, b, outer, depth),
            Term::Binary(Binary::Concat, ..) => self.write_concat(f, id, depth),
            Term::Binary(op, a, b) => match operator(op) {
                Some((symbol, level)) => self.write_infix(f, (a, symbol, b), level, outer, depth),
                None => {
                    let name = if op == Binary::UmulOverflow { "umul_overflows" } else { "smul_overflows" };
                    self.write_call(f, format_args!("{name}"), &[a, b], depth)
                }
            },
            Term::Zext(a, width) => self.write_call(f, format_args!("u{width}"), &[a], depth),
            Term::Sext(a, width) => self.write_call(f, format_args!("s{width}"), &[a], depth),
            Term::Extract { of, low, width } => {
                self.write(f, of, PREFIX + 1, depth)?;
                if width == 1 { write!(f, "[{low}]") } else { write!(f, "[{}:{low}]", low + width - 1) }
            }
            Term::Ite(condition, then, otherwise) => parenthesised(f, outer > CHOICE, |f| {
                self.write(f, condition, CHOICE + 1, depth)?;
                f.write_str(" ? ")?;
                self.write(f, then, CHOICE + 1, depth)?;
                f.write_str(" : ")?;
                self.write(f, otherwise, CHOICE, depth)
            }),
            Term::Select(array, index) => {
                write!(f, "{array}[")?;
                self.write(f, index, CHOICE, depth)?;
                f.write_str("]")
            }
        }
    }

    fn write_not(&self, f: &mut fmt::Formatter<'_>, a: ExprId, outer: u8, depth: u32) -> fmt::Result {
        if let Term::Binary(Binary::Eq, x, y) = self.pool.term(a) {
            return self.write_infix(f, (x, "!=", y), COMPARE, outer, depth);
        }
        f.write_str(if self.pool.width(a) == 1 { "!" } else { "~" })?;
        self.write(f, a, PREFIX, depth)
    }

    /// Negative addends are subtracted.
    fn write_sum(&self, f: &mut fmt::Formatter<'_>, a: ExprId, b: ExprId, outer: u8, depth: u32) -> fmt::Result {
        let pool = self.pool;
        let all = mask(pool.width(a));
        parenthesised(f, outer > SUM, |f| {
            self.write(f, a, SUM, depth)?;
            if let Some(value) = pool.as_constant(b).filter(|&value| value > all / 2) {
                f.write_str(" - ")?;
                return write_constant(f, value.wrapping_neg() & all, pool.width(b));
            }
            if let Term::Binary(Binary::Mul, x, factor) = pool.term(b)
                && pool.as_constant(factor) == Some(all)
            {
                f.write_str(" - ")?;
                return self.write(f, x, SUM + 1, depth);
            }
            f.write_str(" + ")?;
            self.write(f, b, SUM + 1, depth)
        })
    }

    fn write_concat(&self, f: &mut fmt::Formatter<'_>, id: ExprId, depth: u32) -> fmt::Result {
        f.write_str("{")?;
        let mut rest = id;
        while let Term::Binary(Binary::Concat, high, low) = self.pool.term(rest) {
            self.write(f, high, CHOICE, depth)?;
            f.write_str(", ")?;
            rest = low;
        }
        self.write(f, rest, CHOICE, depth)?;
        f.write_str("}")
    }

    fn write_infix(
        &self,
        f: &mut fmt::Formatter<'_>,
        (a, symbol, b): (ExprId, &str, ExprId),
        level: u8,
        outer: u8,
        depth: u32,
    ) -> fmt::Result {
        // A constant reads better on the right, wherever the order of ids put it.
        let swaps = symbol.ends_with('=') && !symbol.contains('<') && self.pool.as_constant(a).is_some();
        let (a, b) = if swaps { (b, a) } else { (a, b) };
        parenthesised(f, outer > level, |f| {
            self.write(f, a, level, depth)?;
            write!(f, " {symbol} ")?;
            self.write(f, b, level + 1, depth)
        })
    }

    fn write_call(
        &self,
        f: &mut fmt::Formatter<'_>,
        name: fmt::Arguments<'_>,
        operands: &[ExprId],
        depth: u32,
    ) -> fmt::Result {
        write!(f, "{name}(")?;
        for (index, &operand) in operands.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { ", " })?;
            self.write(f, operand, CHOICE, depth)?;
        }
        f.write_str(")")
    }
}

fn operator(op: Binary) -> Option<(&'static str, u8)> {
    Some(match op {
        Binary::Add => ("+", SUM),
        Binary::Mul => ("*", PRODUCT),
        Binary::Udiv => ("/u", PRODUCT),
        Binary::Sdiv => ("/s", PRODUCT),
        Binary::Urem => ("%u", PRODUCT),
        Binary::Srem => ("%s", PRODUCT),
        Binary::And => ("&", AND),
        Binary::Or => ("|", OR),
        Binary::Xor => ("^", XOR),
        Binary::Shl => ("<<", SHIFT),
        Binary::Lshr => (">>u", SHIFT),
        Binary::Ashr => (">>s", SHIFT),
        Binary::Eq => ("==", COMPARE),
        Binary::Ult => ("<u", COMPARE),
        Binary::Ule => ("<=u", COMPARE),
        Binary::Slt => ("<s", COMPARE),
        Binary::Sle => ("<=s", COMPARE),
        Binary::Concat | Binary::UmulOverflow | Binary::SmulOverflow => return None,
    })
}

fn parenthesised(
    f: &mut fmt::Formatter<'_>,
    needed: bool,
    inner: impl FnOnce(&mut fmt::Formatter<'_>) -> fmt::Result,
) -> fmt::Result {
    if !needed {
        return inner(f);
    }
    f.write_str("(")?;
    inner(f)?;
    f.write_str(")")
}

/// Small numbers in decimal, also below zero; others in hexadecimal.
fn write_constant(f: &mut fmt::Formatter<'_>, value: u128, width: u32) -> fmt::Result {
    let negated = value.wrapping_neg() & mask(width);
    if width == 1 {
        f.write_str(if value == 1 { "true" } else { "false" })
    } else if value <= 0xffff {
        write!(f, "{value}")
    } else if negated <= 0xffff && width > 16 {
        write!(f, "-{negated}")
    } else {
        write!(f, "{value:#x}")
    }
}
