//! Models of earlier queries.

use crate::model::{Completed, Model};
use crate::query::{Answer, Query, Solver};
use crate::statistics::{Clock, Meter, Statistics};
use gordian_expr::{Evaluator, Pool};
use std::collections::VecDeque;

const MAX_MODELS: usize = 24;

/// Tries the hint and the latest models before it asks.
pub struct ModelReuse<S> {
    inner: S,
    meter: Meter,
    evaluator: Evaluator,
    /// The one that was useful last comes first.
    models: VecDeque<Model>,
}

impl<S: Solver> ModelReuse<S> {
    pub fn new(inner: S, clock: Option<Clock>) -> Self {
        ModelReuse { inner, meter: Meter::new("models", clock), evaluator: Evaluator::new(), models: VecDeque::new() }
    }

    fn remembered(&mut self, pool: &Pool, query: &Query<'_>) -> Option<Model> {
        if let Some(hint) = query.hint
            && satisfies(&mut self.evaluator, pool, query, hint)
        {
            return Some(complete(hint, pool, query));
        }
        let found =
            (0..self.models.len()).find(|&index| satisfies(&mut self.evaluator, pool, query, &self.models[index]))?;
        let model = self.models.remove(found).expect("it was just found");
        let completed = complete(&model, pool, query);
        self.models.push_front(model);
        Some(completed)
    }
}

/// Whether everything holds under a model, completed by the hint. Assumptions first: they are new and most likely to fail.
pub(super) fn satisfies(evaluator: &mut Evaluator, pool: &Pool, query: &Query<'_>, model: &Model) -> bool {
    let completed = Completed { model, hint: query.hint };
    let mut session = evaluator.session(pool, &completed);
    query.assumptions.iter().rev().chain(query.constraints.iter().rev()).all(|&id| session.holds(id))
}

/// Values for the symbols of the query: the model's, or else the hint's.
pub(super) fn complete(model: &Model, pool: &Pool, query: &Query<'_>) -> Model {
    let mut result = Model::new();
    let completed = Completed { model, hint: query.hint };
    for id in query.all() {
        for symbol in pool.symbols(id).iter() {
            result.set(symbol, gordian_expr::Valuation::value_of(&completed, symbol));
        }
    }
    result
}

impl<S: Solver> Solver for ModelReuse<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let start = self.meter.start();
        if let Some(model) = self.remembered(pool, query) {
            self.meter.stop(start, true);
            return Answer::Sat(model);
        }
        let answer = self.inner.check(pool, query);
        if let Answer::Sat(model) = &answer {
            self.models.truncate(MAX_MODELS - 1);
            self.models.push_front(model.clone());
        }
        self.meter.stop(start, false);
        answer
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics().below(self.meter.entry(Vec::new()))
    }

    fn set_clock(&mut self, clock: Clock) {
        self.meter.set_clock(clock);
        self.inner.set_clock(clock);
    }
}
