//! Linear combinations: the shape in which sums are brought into normal form.

use crate::ops::mask;
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term, Unary};

/// Sums with more monomials are not flattened: normal forms have to stay cheap.
const MAX_PARTS: usize = 12;

/// `constant` plus coefficient times term for each part, modulo two to the width. Parts are sorted, coefficients not zero.
pub(super) struct Linear {
    pub width: u32,
    pub constant: u128,
    parts: [(ExprId, u128); MAX_PARTS],
    len: usize,
}

impl Linear {
    pub fn new(width: u32) -> Self {
        Linear { width, constant: 0, parts: [(ExprId(0), 0); MAX_PARTS], len: 0 }
    }

    pub fn parts(&self) -> &[(ExprId, u128)] {
        &self.parts[..self.len]
    }

    pub fn add_constant(&mut self, value: u128) {
        self.constant = self.constant.wrapping_add(value) & mask(self.width);
    }

    /// False if there is no room left.
    #[must_use]
    fn add_part(&mut self, term: ExprId, coefficient: u128) -> bool {
        let coefficient = coefficient & mask(self.width);
        let at = self.parts().partition_point(|&(other, _)| other < term);
        if at < self.len && self.parts[at].0 == term {
            let sum = self.parts[at].1.wrapping_add(coefficient) & mask(self.width);
            self.parts[at].1 = sum;
            if sum == 0 {
                self.parts.copy_within(at + 1..self.len, at);
                self.len -= 1;
            }
        } else if coefficient != 0 {
            if self.len == MAX_PARTS {
                return false;
            }
            self.parts.copy_within(at..self.len, at + 1);
            self.parts[at] = (term, coefficient);
            self.len += 1;
        }
        true
    }
}

impl Pool {
    /// Adds `coefficient` times the term to the combination. False if it does not fit.
    #[must_use]
    pub(super) fn accumulate(&mut self, into: &mut Linear, id: ExprId, coefficient: u128) -> bool {
        let mut rest = id;
        // More addends than fit, of which some may cancel each other, are not worth a longer look.
        for _ in 0..=2 * MAX_PARTS {
            match self.term(rest) {
                Term::Binary(Binary::Add, a, b) => {
                    if !self.accumulate_monomial(into, b, coefficient) {
                        return false;
                    }
                    rest = a;
                }
                _ => return self.accumulate_monomial(into, rest, coefficient),
            }
        }
        false
    }

    fn accumulate_monomial(&mut self, into: &mut Linear, id: ExprId, coefficient: u128) -> bool {
        if let Some(value) = self.as_constant(id) {
            into.add_constant(value.wrapping_mul(coefficient));
            return true;
        }
        let width = into.width;
        let (term, factor, constant) = match self.term(id) {
            Term::Unary(Unary::Not, a) => (a, u128::MAX, u128::MAX),
            Term::Binary(Binary::Mul, a, c) if self.as_constant(c).is_some() => (a, self.facts(c).lo, 0),
            Term::Binary(Binary::Concat, high, low) if self.as_constant(low).is_some() => {
                (self.widened(high, width), 1 << self.width(low), self.facts(low).lo)
            }
            Term::Zext(inner, _) => match self.term(inner) {
                Term::Binary(Binary::Concat, high, low) if self.as_constant(low).is_some() => {
                    (self.zext(high, width), 1 << self.width(low), self.facts(low).lo)
                }
                _ => return into.add_part(id, coefficient),
            },
            _ => match self.as_choice(id).filter(|_| width > 1) {
                Some((condition, then, otherwise)) => {
                    (self.zext(condition, width), then.wrapping_sub(otherwise), otherwise)
                }
                None => return into.add_part(id, coefficient),
            },
        };
        into.add_constant(constant.wrapping_mul(coefficient));
        into.add_part(term, factor.wrapping_mul(coefficient))
    }

    /// A term of `width` bits whose low part is `part`: the one that `part` was cut from, if there is one.
    fn widened(&mut self, part: ExprId, width: u32) -> ExprId {
        match self.term(part) {
            Term::Extract { of, low: 0, .. } if self.width(of) == width => of,
            Term::Sext(inner, _) => self.sext(inner, width),
            _ => self.zext(part, width),
        }
    }

    /// The term that a combination stands for.
    pub(super) fn linear_term(&mut self, linear: &Linear) -> ExprId {
        let (width, constant) = (linear.width, linear.constant);
        match *linear.parts() {
            [] => return self.constant(constant, width),
            [(term, 1)] if constant == 0 => return term,
            [(term, coefficient)] if coefficient == mask(width) && constant == mask(width) => {
                return self.not_of_plain(term);
            }
            [(term, coefficient)] if self.is_extended_bool(term) => {
                let Term::Zext(condition, _) = self.term(term) else { unreachable!("it is an extended boolean") };
                return self.ite_constants(condition, coefficient.wrapping_add(constant), constant, width);
            }
            _ => {}
        }
        let n_addends = linear.parts().len() + usize::from(constant != 0);
        let mut sum = None;
        for index in 0..n_addends {
            let addend = match linear.parts().get(index) {
                Some(&(term, coefficient)) => self.monomial(term, coefficient),
                None => self.constant(constant, width),
            };
            sum = Some(match sum {
                None => addend,
                // Two terms that share no bits are put side by side. In longer sums that would hide one from the other addends.
                Some(sum) if n_addends == 2 => match self.side_by_side(sum, addend) {
                    Some(joined) => joined,
                    None => self.make(Term::Binary(Binary::Add, sum, addend)),
                },
                Some(sum) => self.make(Term::Binary(Binary::Add, sum, addend)),
            });
        }
        sum.expect("a combination without parts is a constant")
    }

    fn monomial(&mut self, term: ExprId, coefficient: u128) -> ExprId {
        let width = self.width(term);
        if coefficient == 1 {
            return term;
        }
        if self.is_extended_bool(term) {
            let Term::Zext(condition, _) = self.term(term) else { unreachable!("it is an extended boolean") };
            return self.ite_constants(condition, coefficient, 0, width);
        }
        if coefficient.is_power_of_two() {
            return self.shifted_left(term, coefficient.trailing_zeros());
        }
        let coefficient = self.constant(coefficient, width);
        self.make(Term::Binary(Binary::Mul, term, coefficient))
    }

    fn is_extended_bool(&self, id: ExprId) -> bool {
        matches!(self.term(id), Term::Zext(inner, _) if self.width(inner) == 1)
    }
}
