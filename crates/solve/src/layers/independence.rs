//! Constraints that share no symbols are separate questions.

use crate::model::Model;
use crate::query::{Answer, Query, Solver};
use crate::statistics::{Clock, Meter, Statistics};
use gordian_base::{FxHashMap, Id};
use gordian_expr::{Evaluator, ExprId, Pool};

/// Splits a query into parts that share no symbols, directly or through other constraints, and asks about each part alone. Parts
/// without an assumption that the hint satisfies are not asked about at all.
pub struct Independence<S> {
    inner: S,
    meter: Meter,
    evaluator: Evaluator,
    parts: Parts,
    n_parts: u64,
}

impl<S: Solver> Independence<S> {
    pub fn new(inner: S, clock: Option<Clock>) -> Self {
        Independence {
            inner,
            meter: Meter::new("independence", clock),
            evaluator: Evaluator::new(),
            parts: Parts::default(),
            n_parts: 0,
        }
    }

    fn split_and_ask(&mut self, pool: &Pool, query: &Query<'_>) -> (Answer, bool) {
        let parts = self.parts.split(pool, query);
        self.n_parts += parts.len() as u64;
        let mut model = Model::new();
        let mut unknown = None;
        let mut asked = false;
        for part in &parts {
            if let Some(hint) = query.hint
                && part.assumptions.is_empty()
                && self.satisfies(pool, hint, part)
            {
                adopt(&mut model, pool, part, hint);
                continue;
            }
            asked = true;
            let query = Query { constraints: &part.constraints, assumptions: &part.assumptions, ..*query };
            match self.inner.check(pool, &query) {
                Answer::Sat(values) => model.update(&values),
                Answer::Unsat(core) => return (Answer::Unsat(core), false),
                // Another part may still be impossible.
                Answer::Unknown(reason) => unknown = Some(reason),
            }
        }
        (unknown.map_or(Answer::Sat(model), Answer::Unknown), !asked)
    }

    fn satisfies(&mut self, pool: &Pool, hint: &Model, part: &Part) -> bool {
        let mut session = self.evaluator.session(pool, hint);
        part.constraints.iter().all(|&id| session.holds(id))
    }
}

/// Takes over the values of a part's symbols.
fn adopt(model: &mut Model, pool: &Pool, part: &Part, values: &Model) {
    for &id in &part.constraints {
        for symbol in pool.symbols(id).iter() {
            model.set(symbol, values.get(symbol).unwrap_or(0));
        }
    }
}

impl<S: Solver> Solver for Independence<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let start = self.meter.start();
        let (answer, answered) = self.split_and_ask(pool, query);
        self.meter.stop(start, answered);
        answer
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics().below(self.meter.entry(vec![("parts", self.n_parts)]))
    }

    fn set_clock(&mut self, clock: Clock) {
        self.meter.set_clock(clock);
        self.inner.set_clock(clock);
    }
}

/// Constraints that have to do with each other.
#[derive(Default)]
struct Part {
    constraints: Vec<ExprId>,
    assumptions: Vec<ExprId>,
}

/// Union-find over symbols.
#[derive(Default)]
struct Parts {
    parents: Vec<u32>,
}

impl Parts {
    /// The parts, those with assumptions first: they are more likely to be impossible.
    fn split(&mut self, pool: &Pool, query: &Query<'_>) -> Vec<Part> {
        self.parents.clear();
        self.parents.extend(0..pool.n_symbols() as u32);
        for id in query.all() {
            let mut symbols = pool.symbols(id).iter();
            if let Some(first) = symbols.next() {
                let root = self.find(first.0);
                for symbol in symbols {
                    let other = self.find(symbol.0);
                    self.parents[other as usize] = root;
                }
            }
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut part_of = FxHashMap::default();
        for (ids, is_assumption) in [(query.assumptions, true), (query.constraints, false)] {
            for &id in ids {
                let root = pool.symbols(id).iter().next().map(|symbol| self.find(symbol.index() as u32));
                let index = *part_of.entry(root).or_insert_with(|| {
                    parts.push(Part::default());
                    parts.len() - 1
                });
                let part = &mut parts[index];
                if is_assumption { &mut part.assumptions } else { &mut part.constraints }.push(id);
            }
        }
        parts
    }

    fn find(&mut self, mut symbol: u32) -> u32 {
        while self.parents[symbol as usize] != symbol {
            let grandparent = self.parents[self.parents[symbol as usize] as usize];
            self.parents[symbol as usize] = grandparent;
            symbol = grandparent;
        }
        symbol
    }
}
