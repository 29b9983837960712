//! Terms on disk.

use crate::pool::Pool;
use crate::term::{Binary, ExprId, MAX_WIDTH, Symbol, Term, Unary};
use gordian_base::FxHashMap;
use serde::{Deserialize, Serialize};

/// Some terms of a pool and what they are made of. Numbers name places in `terms`, always earlier ones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Saved {
    pub terms: Vec<SavedTerm>,
    pub roots: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SavedTerm {
    /// Value in hexadecimal, and width.
    Const(String, u32),
    Symbol(String, u32),
    Unary(Unary, u32),
    Binary(Binary, u32, u32),
    Zext(u32, u32),
    Sext(u32, u32),
    /// Of, low, width.
    Extract(u32, u32, u32),
    Ite(u32, u32, u32),
    /// Elements and index.
    Select(Vec<u32>, u32),
}

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum LoadError {
    #[error("term {0} refers to a term that does not stand before it")]
    Order(usize),
    #[error("term {0} has operands whose widths do not fit together")]
    Width(usize),
    #[error("term {0} has a constant that is not a hexadecimal number")]
    Constant(usize),
    #[error("root {0} is not in the list of terms")]
    Root(u32),
}

impl Saved {
    pub fn new(pool: &Pool, roots: &[ExprId]) -> Saved {
        let mut places = FxHashMap::default();
        let mut terms = Vec::new();
        for id in pool.reachable(roots) {
            let at = |id: ExprId| places[&id];
            terms.push(match pool.term(id) {
                Term::Const(_) => SavedTerm::Const(format!("{:x}", pool.facts(id).lo), pool.width(id)),
                Term::Symbol(symbol) => SavedTerm::Symbol(pool.symbol_name(symbol).to_owned(), pool.width(id)),
                Term::Unary(op, a) => SavedTerm::Unary(op, at(a)),
                Term::Binary(op, a, b) => SavedTerm::Binary(op, at(a), at(b)),
                Term::Zext(a, width) => SavedTerm::Zext(at(a), width.into()),
                Term::Sext(a, width) => SavedTerm::Sext(at(a), width.into()),
                Term::Extract { of, low, width } => SavedTerm::Extract(at(of), low.into(), width.into()),
                Term::Ite(condition, then, otherwise) => SavedTerm::Ite(at(condition), at(then), at(otherwise)),
                Term::Select(array, index) => {
                    SavedTerm::Select(pool.elements(array).iter().map(|&element| at(element)).collect(), at(index))
                }
            });
            places.insert(id, terms.len() as u32 - 1);
        }
        Saved { terms, roots: roots.iter().map(|root| places[root]).collect() }
    }

    /// Builds the terms in a pool. `symbol` says which symbol stands for one of a name and width there; symbols are asked for in
    /// order of their first appearance when the terms were built.
    pub fn load(
        &self,
        pool: &mut Pool,
        mut symbol: impl FnMut(&mut Pool, &str, u32) -> Symbol,
    ) -> Result<Vec<ExprId>, LoadError> {
        let mut built: Vec<ExprId> = Vec::with_capacity(self.terms.len());
        for (place, term) in self.terms.iter().enumerate() {
            let id = match term {
                SavedTerm::Symbol(name, width) => {
                    ensure((1..=MAX_WIDTH).contains(width), LoadError::Width(place))?;
                    let symbol = symbol(pool, name, *width);
                    ensure(pool.symbol_width(symbol) == *width, LoadError::Width(place))?;
                    pool.symbol_term(symbol)
                }
                _ => load_term(pool, term, &built, place)?,
            };
            built.push(id);
        }
        self.roots.iter().map(|&root| built.get(root as usize).copied().ok_or(LoadError::Root(root))).collect()
    }
}

fn ensure(condition: bool, error: LoadError) -> Result<(), LoadError> {
    if condition { Ok(()) } else { Err(error) }
}

fn load_term(pool: &mut Pool, term: &SavedTerm, built: &[ExprId], place: usize) -> Result<ExprId, LoadError> {
    let at = |index: u32| built.get(index as usize).copied().ok_or(LoadError::Order(place));
    let fits = |condition: bool| ensure(condition, LoadError::Width(place));
    Ok(match *term {
        SavedTerm::Symbol(..) => unreachable!("symbols are loaded by the caller"),
        SavedTerm::Const(ref value, width) => {
            fits((1..=MAX_WIDTH).contains(&width))?;
            let value = u128::from_str_radix(value, 16).map_err(|_| LoadError::Constant(place))?;
            pool.constant(value, width)
        }
        SavedTerm::Unary(op, a) => {
            let a = at(a)?;
            pool.unary(op, a)
        }
        SavedTerm::Binary(op, a, b) => {
            let (a, b) = (at(a)?, at(b)?);
            let (a_width, b_width) = (pool.width(a), pool.width(b));
            fits(if op == Binary::Concat { a_width + b_width <= MAX_WIDTH } else { a_width == b_width })?;
            pool.binary(op, a, b)
        }
        SavedTerm::Zext(a, width) | SavedTerm::Sext(a, width) => {
            let a = at(a)?;
            fits(pool.width(a) <= width && width <= MAX_WIDTH)?;
            if matches!(term, SavedTerm::Zext(..)) { pool.zext(a, width) } else { pool.sext(a, width) }
        }
        SavedTerm::Extract(of, low, width) => {
            let of = at(of)?;
            fits(width > 0 && low.checked_add(width).is_some_and(|end| end <= pool.width(of)))?;
            pool.extract(of, low, width)
        }
        SavedTerm::Ite(condition, then, otherwise) => {
            let (condition, then, otherwise) = (at(condition)?, at(then)?, at(otherwise)?);
            fits(pool.width(condition) == 1 && pool.width(then) == pool.width(otherwise))?;
            pool.ite(condition, then, otherwise)
        }
        SavedTerm::Select(ref elements, index) => {
            let elements = elements.iter().map(|&element| at(element)).collect::<Result<Vec<_>, _>>()?;
            fits(!elements.is_empty() && elements.iter().all(|&id| pool.width(id) == pool.width(elements[0])))?;
            let index = at(index)?;
            pool.select(&elements, index)
        }
    })
}
