//! Operations that only move bits: extract, concat, zero and sign extension.

use crate::ops::{mask, sign_extend};
use crate::pool::Pool;
use crate::term::{Binary, ExprId, MAX_WIDTH, Term, Unary};

/// How deep the low part of a term is looked for below arithmetic.
const NARROWING_DEPTH: u32 = 6;

impl Pool {
    /// `width` bits from bit `low` on.
    pub fn extract(&mut self, a: ExprId, low: u32, width: u32) -> ExprId {
        let full = self.width(a);
        assert!(width > 0 && low + width <= full, "bits {low} to {} of {full} cannot be extracted", low + width);
        if width == full {
            return a;
        }
        if let Some(value) = self.facts(a).extract(low, width).as_constant() {
            return self.constant(value, width);
        }
        if let (Term::Ite(condition, ..), Some((_, then, otherwise))) = (self.term(a), self.as_choice(a)) {
            return self.ite_constants(condition, then >> low, otherwise >> low, width);
        }
        match self.term(a) {
            Term::Extract { of, low: inner, .. } => self.extract(of, low + u32::from(inner), width),
            Term::Binary(Binary::Concat, high, tail) => self.extract_of_concat(high, tail, low, width),
            Term::Zext(inner, _) => self.extract_of_extension(inner, low, width, false),
            Term::Sext(inner, _) => self.extract_of_extension(inner, low, width, true),
            Term::Unary(Unary::Not, inner) => {
                let part = self.extract(inner, low, width);
                self.not(part)
            }
            // Where only known bits are cut off nothing is narrowed, so that the term is found again.
            Term::Binary(op, x, y)
                if low == 0
                    && (self.facts(a).zeros | self.facts(a).ones) >> width != mask(full - width)
                    && self.narrows(a, NARROWING_DEPTH) =>
            {
                let (x, y) = (self.extract(x, 0, width), self.extract(y, 0, width));
                self.binary(op, x, y)
            }
            _ => self.make(Term::Extract { of: a, low: low as u8, width: width as u8 }),
        }
    }

    /// The low `width` bits.
    pub fn trunc(&mut self, a: ExprId, width: u32) -> ExprId {
        self.extract(a, 0, width)
    }

    /// Bit `index` as a boolean.
    pub fn bit(&mut self, a: ExprId, index: u32) -> ExprId {
        self.extract(a, index, 1)
    }

    /// Whether the low part of the term is an operation on low parts that are known for themselves, so that cutting the operands
    /// instead of the result costs nothing. (C computes with `int` what is stored as `char`.)
    fn narrows(&self, id: ExprId, depth: u32) -> bool {
        match self.term(id) {
            Term::Const(_) | Term::Zext(..) | Term::Sext(..) | Term::Extract { .. } => true,
            Term::Binary(Binary::Concat, ..) => true,
            Term::Unary(Unary::Not, a) => depth > 0 && self.narrows(a, depth - 1),
            Term::Binary(Binary::Add | Binary::Mul | Binary::And | Binary::Or | Binary::Xor, a, b) => {
                depth > 0 && self.narrows(a, depth - 1) && self.narrows(b, depth - 1)
            }
            _ => self.as_choice(id).is_some(),
        }
    }

    fn extract_of_concat(&mut self, high: ExprId, tail: ExprId, low: u32, width: u32) -> ExprId {
        let split = self.width(tail);
        if low >= split {
            return self.extract(high, low - split, width);
        }
        if low + width <= split {
            return self.extract(tail, low, width);
        }
        let high = self.extract(high, 0, low + width - split);
        let tail = self.extract(tail, low, split - low);
        self.concat(high, tail)
    }

    fn extract_of_extension(&mut self, inner: ExprId, low: u32, width: u32, signed: bool) -> ExprId {
        let inner_width = self.width(inner);
        if low + width <= inner_width {
            return self.extract(inner, low, width);
        }
        // A zero extension that lies above its operand altogether is constant and was decided before.
        let start = low.min(inner_width - 1);
        let kept = self.extract(inner, start, inner_width - start);
        if signed { self.sext(kept, width) } else { self.zext(kept, width) }
    }

    /// To `width` bits or the same.
    pub fn zext(&mut self, a: ExprId, width: u32) -> ExprId {
        let from = self.width(a);
        assert!(from <= width && width <= MAX_WIDTH, "{from} bits cannot be extended to {width}");
        if from == width {
            return a;
        }
        if let Some(value) = self.as_constant(a) {
            return self.constant(value, width);
        }
        match self.term(a) {
            Term::Zext(inner, _) => self.make(Term::Zext(inner, width as u8)),
            Term::Ite(..) | Term::Sext(..) if self.as_choice(a).is_some() => {
                let (condition, then, otherwise) = self.as_choice(a).expect("it is a choice");
                self.ite_constants(condition, then, otherwise, width)
            }
            Term::Binary(Binary::Concat, high, tail)
                if self.choice_or_constant(high).is_some() || self.zeros_above(high, width - from) > 0 =>
            {
                let high = self.zext(high, width - self.width(tail));
                self.concat(high, tail)
            }
            Term::Extract { of, low, .. } if self.zeros_above(a, width - from) > 0 => {
                let more = self.zeros_above(a, width - from);
                let part = self.extract(of, low.into(), from + more);
                self.zext(part, width)
            }
            _ => self.make(Term::Zext(a, width as u8)),
        }
    }

    /// To `width` bits or the same.
    pub fn sext(&mut self, a: ExprId, width: u32) -> ExprId {
        let from = self.width(a);
        assert!(from <= width && width <= MAX_WIDTH, "{from} bits cannot be extended to {width}");
        if from == width {
            return a;
        }
        if self.facts(a).hi >> (from - 1) == 0 {
            return self.zext(a, width);
        }
        if let Some(value) = self.as_constant(a) {
            return self.constant(sign_extend(value, from) as u128, width);
        }
        match self.term(a) {
            Term::Sext(inner, _) => self.make(Term::Sext(inner, width as u8)),
            Term::Ite(..) if self.as_choice(a).is_some() => {
                let (condition, then, otherwise) = self.as_choice(a).expect("it is a choice");
                let [then, otherwise] = [then, otherwise].map(|value| sign_extend(value, from) as u128);
                self.ite_constants(condition, then, otherwise, width)
            }
            Term::Binary(Binary::Concat, high, tail) if self.choice_or_constant(high).is_some() => {
                let high = self.sext(high, width - self.width(tail));
                self.concat(high, tail)
            }
            _ => self.make(Term::Sext(a, width as u8)),
        }
    }

    /// `a` above `b`.
    pub fn concat(&mut self, a: ExprId, b: ExprId) -> ExprId {
        let width = self.width(a) + self.width(b);
        assert!(width <= MAX_WIDTH, "vectors have at most {MAX_WIDTH} bits, not {width}");
        if self.as_constant(a) == Some(0) {
            return self.zext(b, width);
        }
        if let Term::Binary(Binary::Concat, high, middle) = self.term(a) {
            let tail = self.concat(middle, b);
            return self.concat(high, tail);
        }
        if let Some(fused) = self.fuse(a, b) {
            return fused;
        }
        if let Term::Binary(Binary::Concat, middle, tail) = self.term(b)
            && let Some(fused) = self.fuse(a, middle)
        {
            return self.concat(fused, tail);
        }
        if let Term::Zext(inner, _) = self.term(a) {
            let tail = self.concat(inner, b);
            return self.zext(tail, width);
        }
        if let Term::Sext(inner, _) = self.term(a) {
            let tail = self.concat(inner, b);
            return self.sext(tail, width);
        }
        if self.choice_or_constant(a).is_some()
            && let Some((lead, rest)) = self.constant_lead(b, self.as_constant(a).is_some())
        {
            let wider = self.concat(a, lead);
            return self.concat(wider, rest);
        }
        self.make(Term::Binary(Binary::Concat, a, b))
    }

    /// Bits that a term is known to start with, and the rest of it. They belong to the constant or choice above, if there is one: it
    /// has to be settled to which side they go. Below a constant only extensions are taken apart; see `fuse_known_bits`.
    fn constant_lead(&mut self, id: ExprId, below_constant: bool) -> Option<(ExprId, ExprId)> {
        let (first, tail) = match self.term(id) {
            Term::Binary(Binary::Concat, first, tail) => (first, Some(tail)),
            _ => (id, None),
        };
        if below_constant && !matches!(self.term(first), Term::Zext(..)) {
            return None;
        }
        let (width, facts) = (self.width(first), *self.facts(first));
        let known = ((facts.zeros | facts.ones) << (128 - width)).leading_ones();
        if known == 0 || known == width {
            return None;
        }
        let (lead, rest) = (self.extract(first, width - known, known), self.extract(first, 0, width - known));
        let rest = match tail {
            Some(tail) => self.concat(rest, tail),
            None => rest,
        };
        Some((lead, rest))
    }

    /// The one term that two neighbours are parts of, if there is one.
    fn fuse(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (high_width, low_width) = (self.width(a), self.width(b));
        let width = high_width + low_width;
        if let Some(fused) = self.fuse_choices(a, b) {
            return Some(fused);
        }
        if let Term::Extract { of, low, .. } = self.term(a) {
            let low = u32::from(low);
            if low >= low_width && self.extract_is(of, low - low_width, b) {
                return Some(self.extract(of, low - low_width, width));
            }
        }
        if let Term::Extract { of, low, .. } = self.term(b) {
            let low = u32::from(low);
            if low + width <= self.width(of) && self.extract_is(of, low + low_width, a) {
                return Some(self.extract(of, low, width));
            }
        }
        let negated = match (self.term(a), self.term(b)) {
            (Term::Unary(Unary::Not, x), Term::Unary(Unary::Not, y)) => Some((x, y)),
            (Term::Const(_), Term::Unary(Unary::Not, y)) => Some((self.not(a), y)),
            (Term::Unary(Unary::Not, x), Term::Const(_)) => Some((x, self.not(b))),
            _ => None,
        };
        if let Some((x, y)) = negated {
            let fused = self.fuse(x, y)?;
            return Some(self.not(fused));
        }
        self.fuse_known_bits(a, b).or_else(|| self.fuse_sign(a, b, width))
    }

    /// Choices by one condition, or by it and its opposite; constants belong to any. The condition itself is a choice as well if it stands
    /// beside one.
    fn fuse_choices(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let low_width = self.width(b);
        let width = self.width(a) + low_width;
        let is_bit = |pool: &Pool, id: ExprId| (pool.width(id) == 1).then_some((Some(id), 1, 0));
        let (high, low) = match (self.choice_or_constant(a), self.choice_or_constant(b)) {
            (Some(high), Some(low)) => (high, low),
            (Some(high), None) if high.0.is_some() => (high, is_bit(self, b)?),
            (None, Some(low)) if low.0.is_some() => (is_bit(self, a)?, low),
            _ => return None,
        };
        let (condition, low) = match (high.0, low.0) {
            (Some(above), Some(below)) if above != below => {
                if !self.are_complements(above, below) {
                    return None;
                }
                (Some(above), (low.0, low.2, low.1))
            }
            (above, below) => (above.or(below), low),
        };
        let (then, otherwise) = (high.1 << low_width | low.1, high.2 << low_width | low.2);
        Some(match condition {
            Some(condition) => self.ite_constants(condition, then, otherwise, width),
            None => self.constant(then, width),
        })
    }

    /// A constant whose end is known to be the continuation of a term that the other part was cut from.
    fn fuse_known_bits(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let (high_width, low_width) = (self.width(a), self.width(b));
        match (self.term(a), self.term(b)) {
            (Term::Const(_), Term::Extract { of, low, .. }) => {
                let end = u32::from(low) + low_width;
                let n = high_width.min(self.width(of) - end);
                let value = self.facts(a).lo;
                if n == 0 || n == high_width || self.facts(of).extract(end, n).as_constant() != Some(value & mask(n)) {
                    return None;
                }
                let (above, part) =
                    (self.constant(value >> n, high_width - n), self.extract(of, low.into(), low_width + n));
                Some(self.concat(above, part))
            }
            (Term::Extract { of, low, .. }, Term::Const(_)) => {
                let n = low_width.min(low.into());
                let start = u32::from(low) - n;
                let value = self.facts(b).lo;
                let wanted = Some(value >> (low_width - n));
                if n == 0 || n == low_width || self.facts(of).extract(start, n).as_constant() != wanted {
                    return None;
                }
                let (part, below) = (self.extract(of, start, high_width + n), self.constant(value, low_width - n));
                Some(self.concat(part, below))
            }
            _ => None,
        }
    }

    /// Whether cutting `of` at `low` gives `part`. What cannot is sorted out before anything is built.
    fn extract_is(&mut self, of: ExprId, low: u32, part: ExprId) -> bool {
        let width = self.width(part);
        let known = self.facts(of).extract(low, width).as_constant();
        if known.is_some() {
            return known == self.as_constant(part);
        }
        match (self.term(part), self.term(of)) {
            (Term::Extract { of: other, low: at, .. }, _) if other == of => u32::from(at) == low,
            (_, Term::Binary(..) | Term::Unary(..)) if low == 0 => self.extract(of, low, width) == part,
            _ => false,
        }
    }

    /// How many bits lie above a part in the term that it was cut from, but at most `n`, if all of them are zero.
    fn zeros_above(&self, part: ExprId, n: u32) -> u32 {
        let Term::Extract { of, low, width } = self.term(part) else { return 0 };
        let end = u32::from(low) + u32::from(width);
        let n = n.min(self.width(of) - end);
        if n > 0 && self.facts(of).zeros >> end & mask(n) == mask(n) { n } else { 0 }
    }

    /// Copies of the sign of `b` above it, which may be the low end of a choice.
    fn fuse_sign(&mut self, a: ExprId, b: ExprId, width: u32) -> Option<ExprId> {
        let (sign, copies, above) = match self.as_choice(a) {
            Some((condition, then, otherwise)) => {
                let (then, otherwise, sign) =
                    if then & 1 == 1 { (then, otherwise, condition) } else { (otherwise, then, self.not(condition)) };
                let copies = then.trailing_ones().min(otherwise.trailing_zeros()).min(self.width(a));
                (sign, copies, self.width(a) - copies)
            }
            None if self.width(a) == 1 && self.as_constant(a).is_none() => (a, 1, 0),
            None => return None,
        };
        if copies == 0 || self.extract(b, self.width(b) - 1, 1) != sign {
            return None;
        }
        let extended = self.sext(b, width - above);
        if above == 0 {
            return Some(extended);
        }
        let above = self.extract(a, copies, above);
        Some(self.concat(above, extended))
    }

    /// A choice's condition and two values; a constant is a choice without condition.
    fn choice_or_constant(&self, id: ExprId) -> Option<(Option<ExprId>, u128, u128)> {
        match self.as_constant(id) {
            Some(value) => Some((None, value, value)),
            None => self.as_choice(id).map(|(condition, then, otherwise)| (Some(condition), then, otherwise)),
        }
    }

    /// Two terms of one width of which one has its bits above the other's, put side by side.
    pub(super) fn side_by_side(&mut self, a: ExprId, b: ExprId) -> Option<ExprId> {
        let width = self.width(a);
        let (low, high) = if self.facts(a).hi < self.facts(b).hi { (a, b) } else { (b, a) };
        let split = 128 - self.facts(low).hi.leading_zeros();
        if split == 0 || split >= width || self.facts(high).zeros & mask(split) != mask(split) {
            return None;
        }
        let (high, low) = (self.extract(high, split, width - split), self.extract(low, 0, split));
        Some(self.concat(high, low))
    }
}
