//! Values for symbols.

use gordian_expr::{Symbol, Valuation};

/// Values of some symbols, in order. Symbols that are not in it are zero.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    values: Vec<(Symbol, u128)>,
}

impl Model {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn get(&self, symbol: Symbol) -> Option<u128> {
        self.values.binary_search_by_key(&symbol, |&(symbol, _)| symbol).ok().map(|at| self.values[at].1)
    }

    pub fn set(&mut self, symbol: Symbol, value: u128) {
        // Models are mostly made in order.
        if self.values.last().is_none_or(|&(last, _)| last < symbol) {
            self.values.push((symbol, value));
            return;
        }
        match self.values.binary_search_by_key(&symbol, |&(symbol, _)| symbol) {
            Ok(at) => self.values[at].1 = value,
            Err(at) => self.values.insert(at, (symbol, value)),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = (Symbol, u128)> + '_ {
        self.values.iter().copied()
    }

    /// Takes over all values of another model: the inputs of a test from those of its predecessor and what a query changed.
    pub fn update(&mut self, other: &Model) {
        for (symbol, value) in other.iter() {
            self.set(symbol, value);
        }
    }
}

impl FromIterator<(Symbol, u128)> for Model {
    fn from_iter<I: IntoIterator<Item = (Symbol, u128)>>(values: I) -> Self {
        let mut model = Model::new();
        for (symbol, value) in values {
            model.set(symbol, value);
        }
        model
    }
}

impl Valuation for Model {
    fn value_of(&self, symbol: Symbol) -> u128 {
        self.get(symbol).unwrap_or(0)
    }
}

/// A model, and another one for what it leaves open.
pub(crate) struct Completed<'a> {
    pub model: &'a Model,
    pub hint: Option<&'a Model>,
}

impl Valuation for Completed<'_> {
    fn value_of(&self, symbol: Symbol) -> u128 {
        self.model.get(symbol).or_else(|| self.hint?.get(symbol)).unwrap_or(0)
    }
}
