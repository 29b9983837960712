//! Answers to earlier queries.

use super::reuse::{complete, satisfies};
use crate::model::Model;
use crate::query::{Answer, Core, Query, Solver};
use crate::statistics::{Clock, Meter, Statistics};
use gordian_base::{FxHashMap, Id};
use gordian_expr::{Evaluator, ExprId, Pool};
use std::sync::Arc;

/// How many of the latest satisfiable sets that a constraint belongs to are looked at.
const MAX_SETS: usize = 6;

/// Whoever asks more different questions than this starts with an empty memory again.
const MAX_ENTRIES: usize = 200_000;

/// A sorted set of constraints and a model of it.
type Possible = (Arc<[ExprId]>, Arc<Model>);

/// Knows sets of constraints that were asked about: the same set again, a set that contains one that is impossible, and a set that is part
/// of one that is possible.
pub struct Cache<S> {
    inner: S,
    meter: Meter,
    evaluator: Evaluator,
    /// Models by the sorted set that they belong to.
    models: FxHashMap<Box<[ExprId]>, Arc<Model>>,
    /// Impossible sets under their youngest member, which is the least likely to be in other sets.
    cores: FxHashMap<ExprId, Vec<Core>>,
    /// The latest possible sets that a constraint belongs to.
    possible: FxHashMap<ExprId, Vec<Possible>>,
    /// For each term the query in which it was seen last.
    marks: Vec<u32>,
    query: u32,
    n_entries: usize,
    exact: u64,
    by_core: u64,
    by_superset: u64,
}

impl<S: Solver> Cache<S> {
    pub fn new(inner: S, clock: Option<Clock>) -> Self {
        Cache {
            inner,
            meter: Meter::new("cache", clock),
            evaluator: Evaluator::new(),
            models: FxHashMap::default(),
            cores: FxHashMap::default(),
            possible: FxHashMap::default(),
            marks: Vec::new(),
            query: 0,
            n_entries: 0,
            exact: 0,
            by_core: 0,
            by_superset: 0,
        }
    }

    fn remembered(&mut self, pool: &Pool, query: &Query<'_>, key: &[ExprId]) -> Option<Answer> {
        if let Some(core) = self.impossible_part(pool, key) {
            self.by_core += 1;
            return Some(Answer::Unsat(core));
        }
        if let Some(model) = self.models.get(key) {
            self.exact += 1;
            return Some(Answer::Sat(Model::clone(model)));
        }
        let oldest_first = key.iter().rev().find_map(|id| self.possible.get(id))?;
        let (_, model) = oldest_first.iter().rev().find(|(set, _)| is_subset(key, set))?;
        let model = Arc::clone(model);
        // It satisfies more than this; but its symbols may have been completed by another hint.
        if satisfies(&mut self.evaluator, pool, query, &model) {
            self.by_superset += 1;
            return Some(Answer::Sat(complete(&model, pool, query)));
        }
        None
    }

    fn impossible_part(&mut self, pool: &Pool, key: &[ExprId]) -> Option<Core> {
        if self.query == u32::MAX {
            self.marks.fill(0);
            self.query = 0;
        }
        self.query += 1;
        self.marks.resize(pool.len(), 0);
        for id in key {
            self.marks[id.index()] = self.query;
        }
        let is_part = |core: &&Core| core.ids().iter().all(|id| self.marks[id.index()] == self.query);
        key.iter().filter_map(|id| self.cores.get(id)).flatten().find(is_part).cloned()
    }

    fn remember(&mut self, key: Box<[ExprId]>, answer: &Answer) {
        if self.n_entries == MAX_ENTRIES {
            self.models.clear();
            self.cores.clear();
            self.possible.clear();
            self.n_entries = 0;
        }
        self.n_entries += 1;
        match answer {
            Answer::Sat(model) => {
                let (set, model): (Arc<[ExprId]>, _) = (key.as_ref().into(), Arc::new(model.clone()));
                for &id in &key {
                    let sets = self.possible.entry(id).or_default();
                    if sets.len() == MAX_SETS {
                        sets.remove(0);
                    }
                    sets.push((Arc::clone(&set), Arc::clone(&model)));
                }
                self.models.insert(key, model);
            }
            Answer::Unsat(core) => {
                if let Some(&youngest) = core.ids().last() {
                    self.cores.entry(youngest).or_default().push(core.clone());
                }
            }
            Answer::Unknown(_) => {}
        }
    }
}

/// Whether all of one sorted list is in the other.
fn is_subset(part: &[ExprId], whole: &[ExprId]) -> bool {
    let mut rest = whole.iter();
    part.len() <= whole.len() && part.iter().all(|id| rest.any(|other| other == id))
}

impl<S: Solver> Solver for Cache<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let start = self.meter.start();
        let mut key: Vec<ExprId> = query.all().collect();
        key.sort_unstable();
        key.dedup();
        if let Some(answer) = self.remembered(pool, query, &key) {
            self.meter.stop(start, true);
            return answer;
        }
        let answer = self.inner.check(pool, query);
        self.remember(key.into(), &answer);
        self.meter.stop(start, false);
        answer
    }

    fn statistics(&self) -> Statistics {
        let details = vec![("exact", self.exact), ("by core", self.by_core), ("by superset", self.by_superset)];
        self.inner.statistics().below(self.meter.entry(details))
    }

    fn set_clock(&mut self, clock: Clock) {
        self.meter.set_clock(clock);
        self.inner.set_clock(clock);
    }
}
