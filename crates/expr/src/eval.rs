//! Values of terms under a model.

use crate::ops::{apply_binary, apply_unary, mask, sign_extend};
use crate::pool::Pool;
use crate::term::{ExprId, Symbol, Term};
use gordian_base::Id;

/// What the symbols stand for. Bits beyond a symbol's width are ignored.
pub trait Valuation {
    fn value_of(&self, symbol: Symbol) -> u128;
}

impl<F: Fn(Symbol) -> u128> Valuation for F {
    fn value_of(&self, symbol: Symbol) -> u128 {
        self(symbol)
    }
}

/// Values by symbol; symbols beyond the end are zero.
impl Valuation for [u128] {
    fn value_of(&self, symbol: Symbol) -> u128 {
        self.get(symbol.index()).copied().unwrap_or(0)
    }
}

/// Memory for evaluating, which is used again by the next evaluation.
#[derive(Default)]
pub struct Evaluator {
    values: Vec<u128>,
    /// The session in which a value was computed.
    stamps: Vec<u32>,
    session: u32,
    stack: Vec<ExprId>,
}

impl Evaluator {
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts to evaluate under one valuation. Terms that are asked for together share what they have in common.
    pub fn session<'a, V: Valuation + ?Sized>(&'a mut self, pool: &'a Pool, valuation: &'a V) -> Session<'a, V> {
        if self.session == u32::MAX {
            self.stamps.fill(0);
            self.session = 0;
        }
        self.session += 1;
        if self.values.len() < pool.len() {
            let len = pool.len().next_power_of_two();
            self.values.resize(len, 0);
            self.stamps.resize(len, 0);
        }
        Session { evaluator: self, pool, valuation }
    }

    /// The value of one term.
    pub fn value<V: Valuation + ?Sized>(&mut self, pool: &Pool, id: ExprId, valuation: &V) -> u128 {
        self.session(pool, valuation).value(id)
    }
}

/// Evaluation under one valuation.
pub struct Session<'a, V: Valuation + ?Sized> {
    evaluator: &'a mut Evaluator,
    pool: &'a Pool,
    valuation: &'a V,
}

impl<V: Valuation + ?Sized> Session<'_, V> {
    pub fn holds(&mut self, condition: ExprId) -> bool {
        assert_eq!(self.pool.width(condition), 1, "a condition is a boolean");
        self.value(condition) == 1
    }

    /// Only what the value depends on is looked at: one arm of a choice, one element of an array.
    pub fn value(&mut self, id: ExprId) -> u128 {
        if let Ok(known) = self.known(id) {
            return known;
        }
        self.evaluator.stack.clear();
        self.evaluator.stack.push(id);
        while let Some(&top) = self.evaluator.stack.last() {
            match self.compute(top) {
                Ok(value) => {
                    self.evaluator.values[top.index()] = value;
                    self.evaluator.stamps[top.index()] = self.evaluator.session;
                    self.evaluator.stack.pop();
                }
                Err(needed) => self.evaluator.stack.push(needed),
            }
        }
        self.evaluator.values[id.index()]
    }

    #[inline]
    fn known(&self, id: ExprId) -> Result<u128, ExprId> {
        if self.evaluator.stamps[id.index()] == self.evaluator.session {
            return Ok(self.evaluator.values[id.index()]);
        }
        self.pool.as_constant(id).ok_or(id)
    }

    /// The value, or an operand that has to be known first.
    fn compute(&self, id: ExprId) -> Result<u128, ExprId> {
        let pool = self.pool;
        Ok(match pool.term(id) {
            Term::Const(_) => pool.facts(id).lo,
            Term::Symbol(symbol) => self.valuation.value_of(symbol) & mask(pool.width(id)),
            Term::Unary(op, a) => apply_unary(op, pool.width(a), self.known(a)?),
            Term::Binary(op, a, b) => apply_binary(op, pool.width(a), pool.width(b), self.known(a)?, self.known(b)?),
            Term::Zext(a, _) => self.known(a)?,
            Term::Sext(a, width) => sign_extend(self.known(a)?, pool.width(a)) as u128 & mask(width.into()),
            Term::Extract { of, low, width } => self.known(of)? >> low & mask(width.into()),
            Term::Ite(condition, then, otherwise) => {
                self.known(if self.known(condition)? == 1 { then } else { otherwise })?
            }
            Term::Select(array, index) => {
                let position = usize::try_from(self.known(index)?).unwrap_or(usize::MAX);
                match pool.elements(array).get(position) {
                    Some(&element) => self.known(element)?,
                    None => 0,
                }
            }
        })
    }
}
