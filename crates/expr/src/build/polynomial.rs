//! Identities of polynomials, which no SAT solver finds: `(a + b) * c - a * c - b * c` is zero.

use super::linear::Linear;
use crate::ops::mask;
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Term};

/// Polynomials of more monomials, or higher degree, are not expanded.
const MAX_MONOMIALS: usize = 48;
const MAX_DEGREE: usize = 4;
/// How many products and sums are looked into.
const MAX_STEPS: usize = 64;

type Factors = Vec<ExprId>;

/// Coefficients by their sorted factors; the constant has no factor. In order of factors.
struct Polynomial {
    width: u32,
    monomials: std::collections::BTreeMap<Factors, u128>,
    steps: usize,
}

impl Pool {
    /// The constant that a combination turns out to be when products of sums are multiplied out. Products are kept as they are
    /// otherwise: one multiplication is cheaper to solve than two.
    pub(super) fn constant_when_expanded(&self, linear: &Linear) -> Option<u128> {
        let is_product = |&(id, _): &(ExprId, u128)| matches!(self.term(id), Term::Binary(Binary::Mul, ..));
        if linear.parts().iter().filter(|part| is_product(part)).count() < 2 {
            return None;
        }
        let mut sum = Polynomial { width: linear.width, monomials: Default::default(), steps: 0 };
        sum.add(Vec::new(), linear.constant)?;
        for &(term, coefficient) in linear.parts() {
            sum.add_term(self, term, coefficient, &[])?;
        }
        match sum.monomials.len() {
            0 => Some(0),
            1 => sum.monomials.get(&Vec::new()).copied(),
            _ => None,
        }
    }
}

impl Polynomial {
    fn add(&mut self, mut factors: Factors, coefficient: u128) -> Option<()> {
        factors.sort_unstable();
        let known = self.monomials.get(&factors).copied().unwrap_or(0);
        let sum = known.wrapping_add(coefficient) & mask(self.width);
        if sum == 0 {
            self.monomials.remove(&factors);
        } else {
            self.monomials.insert(factors, sum);
        }
        (self.monomials.len() <= MAX_MONOMIALS).then_some(())
    }

    /// Adds `coefficient` times the term times the others. Nothing if it grows too much.
    fn add_term(&mut self, pool: &Pool, term: ExprId, coefficient: u128, others: &[ExprId]) -> Option<()> {
        // Terms that are still to be multiplied out, with what they are multiplied by.
        let mut work = vec![(vec![term], others.to_vec(), coefficient)];
        while let Some((mut open, done, coefficient)) = work.pop() {
            self.steps += 1;
            if self.steps > MAX_STEPS || open.len() + done.len() > MAX_DEGREE {
                return None;
            }
            let Some(term) = open.pop() else {
                self.add(done, coefficient)?;
                continue;
            };
            if let Some(value) = pool.as_constant(term) {
                work.push((open, done, coefficient.wrapping_mul(value)));
                continue;
            }
            match pool.term(term) {
                Term::Binary(Binary::Add, a, b) => {
                    let mut other = open.clone();
                    other.push(b);
                    work.push((other, done.clone(), coefficient));
                    open.push(a);
                    work.push((open, done, coefficient));
                }
                Term::Binary(Binary::Mul, a, b) => {
                    open.extend([a, b]);
                    work.push((open, done, coefficient));
                }
                Term::Binary(Binary::Concat, high, low) if pool.as_constant(low) == Some(0) => {
                    let Term::Extract { of, low: 0, .. } = pool.term(high) else { return None };
                    if pool.width(of) != self.width {
                        return None;
                    }
                    open.push(of);
                    work.push((open, done, coefficient.wrapping_shl(pool.width(low))));
                }
                _ => {
                    let mut done = done;
                    done.push(term);
                    work.push((open, done, coefficient));
                }
            }
        }
        Some(())
    }
}
