//! Bitwise operations, which for booleans are the logical ones.

use crate::ops::mask;
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term, Unary};

/// Chains of more operands are not flattened.
const MAX_LEAVES: usize = 8;
/// A mask of more runs of ones and zeros stays a mask.
const MAX_RUNS: u32 = 7;

impl Pool {
    pub fn not(&mut self, a: ExprId) -> ExprId {
        let width = self.width(a);
        if let Some(value) = self.as_constant(a) {
            return self.constant(!value, width);
        }
        match self.term(a) {
            Term::Unary(Unary::Not, inner) => inner,
            Term::Binary(Binary::Ult, x, y) => self.ule(y, x),
            Term::Binary(Binary::Ule, x, y) => self.ult(y, x),
            Term::Binary(Binary::Slt, x, y) => self.sle(y, x),
            Term::Binary(Binary::Sle, x, y) => self.slt(y, x),
            Term::Binary(Binary::Concat, high, low) => {
                let (high, low) = (self.not(high), self.not(low));
                self.concat(high, low)
            }
            Term::Binary(Binary::Xor, x, y) if self.as_constant(y).is_some() => {
                let flipped = self.not(y);
                self.xor(x, flipped)
            }
            Term::Sext(inner, _) => {
                let inner = self.not(inner);
                self.sext(inner, width)
            }
            _ if width > 1 => self.not_of_word(a, width),
            _ => self.make(Term::Unary(Unary::Not, a)),
        }
    }

    fn not_of_word(&mut self, a: ExprId, width: u32) -> ExprId {
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            return self.ite_constants(condition, !then, !otherwise, width);
        }
        match self.term(a) {
            Term::Zext(inner, _) => {
                let ones = self.constant(u128::MAX, width - self.width(inner));
                let inner = self.not(inner);
                self.concat(ones, inner)
            }
            Term::Binary(Binary::Add, ..) => self.minus_one_minus(a, width),
            Term::Binary(Binary::Mul, _, factor) if self.as_constant(factor).is_some() => {
                self.minus_one_minus(a, width)
            }
            _ => self.not_of_plain(a),
        }
    }

    fn minus_one_minus(&mut self, a: ExprId, width: u32) -> ExprId {
        let ones = self.constant(u128::MAX, width);
        self.sub(ones, a)
    }

    /// The node itself, for sums that turn out to be a complement. Operands that `not` would take apart go there.
    pub(super) fn not_of_plain(&mut self, a: ExprId) -> ExprId {
        match self.term(a) {
            Term::Zext(..) | Term::Sext(..) | Term::Binary(Binary::Concat, ..) => self.not(a),
            Term::Binary(Binary::Xor, _, y) if self.as_constant(y).is_some() => self.not(a),
            _ => self.make(Term::Unary(Unary::Not, a)),
        }
    }

    pub fn and(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.bitwise(Binary::And, a, b)
    }

    pub fn or(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.bitwise(Binary::Or, a, b)
    }

    pub fn xor(&mut self, a: ExprId, b: ExprId) -> ExprId {
        self.bitwise(Binary::Xor, a, b)
    }

    fn bitwise(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        let width = self.same_width(a, b);
        let (a, b) = if self.as_constant(a).is_some() { (b, a) } else { (a, b) };
        if let Some(value) = self.as_constant(b) {
            return self.bitwise_constant(op, a, value, width);
        }
        if a == b {
            return if op == Binary::Xor { self.constant(0, width) } else { a };
        }
        if self.are_complements(a, b) {
            return self.constant(if op == Binary::And { 0 } else { u128::MAX }, width);
        }
        if let Some(narrow) = self.bitwise_of_parts(op, a, b) {
            return narrow;
        }
        if op != Binary::And
            && width > 1
            && let Some(joined) = self.side_by_side(a, b)
        {
            return joined;
        }
        self.chain(op, a, b)
    }

    fn bitwise_constant(&mut self, op: Binary, a: ExprId, value: u128, width: u32) -> ExprId {
        let all = mask(width);
        if let Some(known) = self.as_constant(a) {
            return self.constant(crate::ops::apply_binary(op, width, 0, known, value), width);
        }
        let facts = *self.facts(a);
        match op {
            Binary::And if facts.possible(width) & !value == 0 => return a,
            Binary::Or if value & !facts.ones == 0 => return a,
            Binary::Or if value == all => return self.constant(all, width),
            Binary::Xor if value == 0 => return a,
            Binary::Xor if value == all => return self.not(a),
            _ => {}
        }
        if let Some((condition, then, otherwise)) = self.as_choice(a) {
            let apply = |known| crate::ops::apply_binary(op, width, 0, known, value);
            return self.ite_constants(condition, apply(then), apply(otherwise), width);
        }
        if let Term::Binary(inner, x, y) = self.term(a)
            && inner == op
            && self.as_constant(y).is_some()
        {
            let other = self.facts(y).lo;
            return self.bitwise_constant(op, x, crate::ops::apply_binary(op, width, 0, other, value), width);
        }
        if op == Binary::Xor { self.xor_constant(a, value, width) } else { self.masked(op, a, value, width) }
    }

    /// Flips bits: part by part where the term has parts.
    fn xor_constant(&mut self, a: ExprId, value: u128, width: u32) -> ExprId {
        let (high, low) = match self.term(a) {
            Term::Binary(Binary::Concat, high, low) => (high, low),
            Term::Zext(low, _) => (self.constant(0, width - self.width(low)), low),
            Term::Unary(Unary::Not, inner) => {
                return self.bitwise_constant(Binary::Xor, inner, !value & mask(width), width);
            }
            _ => {
                let value = self.constant(value, width);
                return self.make(Term::Binary(Binary::Xor, a, value));
            }
        };
        let split = self.width(low);
        let high_value = self.constant(value >> split, width - split);
        let low_value = self.constant(value, split);
        let (high, low) = (self.xor(high, high_value), self.xor(low, low_value));
        self.concat(high, low)
    }

    /// Clears (`and`) or sets (`or`) bits. Few runs are written as a concatenation of what stays and what does not.
    fn masked(&mut self, op: Binary, a: ExprId, value: u128, width: u32) -> ExprId {
        let runs = ((value ^ (value >> 1)) & mask(width - 1)).count_ones() + 1;
        if runs > MAX_RUNS {
            let value = self.constant(value, width);
            return self.make(Term::Binary(op, a, value));
        }
        let mut result = None;
        let mut low = 0;
        while low < width {
            let rest = value >> low;
            let ones = rest & 1 == 1;
            let len = if ones { rest.trailing_ones() } else { rest.trailing_zeros() }.min(width - low);
            let part = match (op, ones) {
                (Binary::And, false) => self.constant(0, len),
                (Binary::Or, true) => self.constant(u128::MAX, len),
                _ => self.extract(a, low, len),
            };
            result = Some(match result {
                None => part,
                Some(result) => self.concat(part, result),
            });
            low += len;
        }
        result.expect("a mask has a run")
    }

    /// Operands that are cut or extended at the same place are combined part by part.
    fn bitwise_of_parts(&mut self, op: Binary, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        match (self.term(a), self.term(b)) {
            (Term::Zext(x, _), Term::Zext(y, _)) => {
                let (x_width, y_width) = (self.width(x), self.width(y));
                let common = if op == Binary::And { x_width.min(y_width) } else { x_width.max(y_width) };
                let (x, y) = (self.resized(x, common), self.resized(y, common));
                let result = self.bitwise(op, x, y);
                Some(self.zext(result, width))
            }
            (Term::Zext(x, _), _) | (_, Term::Zext(x, _)) if op == Binary::And => {
                let other = if matches!(self.term(a), Term::Zext(..)) { b } else { a };
                let other = self.extract(other, 0, self.width(x));
                let result = self.and(x, other);
                Some(self.zext(result, width))
            }
            (Term::Sext(x, _), Term::Sext(y, _)) if self.width(x) == self.width(y) => {
                let result = self.bitwise(op, x, y);
                Some(self.sext(result, width))
            }
            (Term::Binary(Binary::Concat, x1, x0), Term::Binary(Binary::Concat, y1, y0))
                if self.width(x0) == self.width(y0) =>
            {
                let (high, low) = (self.bitwise(op, x1, y1), self.bitwise(op, x0, y0));
                Some(self.concat(high, low))
            }
            _ => None,
        }
    }

    fn resized(&mut self, a: ExprId, width: u32) -> ExprId {
        if self.width(a) < width { self.zext(a, width) } else { self.extract(a, 0, width) }
    }

    /// Whether one operand is the other's complement.
    pub(super) fn are_complements(&mut self, a: ExprId, b: ExprId) -> bool {
        match (self.term(a), self.term(b)) {
            (Term::Unary(Unary::Not, x), _) => x == b,
            (_, Term::Unary(Unary::Not, y)) => y == a,
            (
                Term::Binary(Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle, ..),
                Term::Binary(Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle, ..),
            ) => self.not(a) == b,
            _ => false,
        }
    }

    /// The operands of a chain, sorted and without those that cancel.
    fn chain(&mut self, op: Binary, a: ExprId, b: ExprId) -> ExprId {
        let mut leaves = [ExprId(0); MAX_LEAVES];
        let mut n = 0;
        for operand in [a, b] {
            let mut rest = operand;
            loop {
                let (more, leaf) = match self.term(rest) {
                    Term::Binary(inner, more, leaf) if inner == op => (Some(more), leaf),
                    _ => (None, rest),
                };
                if n == MAX_LEAVES {
                    return self.make(Term::Binary(op, a.min(b), a.max(b)));
                }
                leaves[n] = leaf;
                n += 1;
                match more {
                    Some(more) => rest = more,
                    None => break,
                }
            }
        }
        leaves[..n].sort_unstable();
        self.rebuild_chain(op, &leaves[..n])
    }

    fn rebuild_chain(&mut self, op: Binary, sorted: &[ExprId]) -> ExprId {
        let width = self.width(sorted[0]);
        let mut kept: [ExprId; MAX_LEAVES] = [ExprId(0); MAX_LEAVES];
        let mut n = 0;
        let mut constant = None;
        for &leaf in sorted {
            if let Some(value) = self.as_constant(leaf) {
                let so_far = constant.unwrap_or(if op == Binary::And { mask(width) } else { 0 });
                constant = Some(crate::ops::apply_binary(op, width, 0, so_far, value));
            } else if n > 0 && kept[n - 1] == leaf {
                // The same operand once more: it cancels itself in `xor` and says nothing new otherwise.
                n -= usize::from(op == Binary::Xor);
            } else {
                if op != Binary::Xor && (0..n).any(|other| self.are_complements(kept[other], leaf)) {
                    return self.constant(if op == Binary::And { 0 } else { u128::MAX }, width);
                }
                if op != Binary::Xor && self.absorbed(op, leaf, sorted) {
                    continue;
                }
                kept[n] = leaf;
                n += 1;
            }
        }
        let Some((&first, others)) = kept[..n].split_first() else {
            return self.constant(constant.unwrap_or(0), width);
        };
        let mut result = first;
        for &leaf in others {
            result = self.make(Term::Binary(op, result, leaf));
        }
        match constant {
            Some(value) if n > 1 => {
                let value = self.constant(value, width);
                self.make(Term::Binary(op, result, value))
            }
            Some(value) => self.bitwise_constant(op, result, value, width),
            None => result,
        }
    }

    /// `a & (a | b)` is `a`, and the other way round.
    fn absorbed(&self, op: Binary, leaf: ExprId, all: &[ExprId]) -> bool {
        let dual = if op == Binary::And { Binary::Or } else { Binary::And };
        match self.term(leaf) {
            Term::Binary(inner, x, y) if inner == dual => all.contains(&x) || all.contains(&y),
            _ => false,
        }
    }
}
