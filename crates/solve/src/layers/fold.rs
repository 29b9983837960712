//! Questions that answer themselves.

use crate::model::Model;
use crate::query::{Answer, Core, Query, Solver};
use crate::statistics::{Clock, Meter, Statistics};
use gordian_base::FxHashMap;
use gordian_expr::{Binary, ExprId, Pool, Term, Unary, mask};

/// Constants, a condition beside its negation, and bounds of one term that exclude each other. What is left is passed on without
/// constants and repetitions.
pub struct Fold<S> {
    inner: S,
    meter: Meter,
    /// For each term of the query at hand what its bounds are.
    bounds: FxHashMap<ExprId, Bounds>,
}

/// Values that a term may have, and who says so.
#[derive(Clone, Copy)]
struct Bounds {
    lo: u128,
    hi: u128,
    lo_by: Option<ExprId>,
    hi_by: Option<ExprId>,
}

impl<S: Solver> Fold<S> {
    pub fn new(inner: S, clock: Option<Clock>) -> Self {
        Fold { inner, meter: Meter::new("fold", clock), bounds: FxHashMap::default() }
    }

    /// Narrows a term's bounds. If nothing is left, those to blame.
    fn narrow(&mut self, pool: &Pool, by: ExprId, term: ExprId, lo: u128, hi: u128) -> Option<Core> {
        let facts = pool.facts(term);
        let initial = Bounds { lo: facts.lo, hi: facts.hi, lo_by: None, hi_by: None };
        let bounds = self.bounds.entry(term).or_insert(initial);
        if lo > bounds.lo {
            (bounds.lo, bounds.lo_by) = (lo, Some(by));
        }
        if hi < bounds.hi {
            (bounds.hi, bounds.hi_by) = (hi, Some(by));
        }
        (bounds.lo > bounds.hi).then(|| Core::new([bounds.lo_by, bounds.hi_by].into_iter().flatten().collect()))
    }

    /// What a condition says about one term.
    fn learn(&mut self, pool: &Pool, id: ExprId) -> Option<Core> {
        if let Some(core) = self.narrow(pool, id, id, 1, 1) {
            return Some(core);
        }
        match pool.term(id) {
            Term::Unary(Unary::Not, inner) => self.narrow(pool, id, inner, 0, 0),
            Term::Binary(Binary::Eq, a, b) => match (pool.as_constant(a), pool.as_constant(b)) {
                (Some(value), _) => self.narrow(pool, id, b, value, value),
                (_, Some(value)) => self.narrow(pool, id, a, value, value),
                _ => None,
            },
            Term::Binary(Binary::Ult, a, b) => match (pool.as_constant(a), pool.as_constant(b)) {
                (Some(bound), _) => self.narrow(pool, id, b, bound + 1, mask(pool.width(b))),
                (_, Some(bound)) => self.narrow(pool, id, a, 0, bound - 1),
                _ => None,
            },
            _ => None,
        }
    }
}

impl<S: Solver> Solver for Fold<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let start = self.meter.start();
        self.bounds.clear();
        let mut seen = gordian_base::FxHashSet::default();
        let (mut constraints, mut assumptions) = (Vec::new(), Vec::new());
        for (ids, kept) in [(query.constraints, &mut constraints), (query.assumptions, &mut assumptions)] {
            for &id in ids {
                assert_eq!(pool.width(id), 1, "a condition is a boolean");
                let contradiction = match pool.as_constant(id) {
                    Some(0) => Some(Core::new(vec![id])),
                    Some(_) => continue,
                    None if !seen.insert(id) => continue,
                    None => self.learn(pool, id),
                };
                if let Some(core) = contradiction {
                    self.meter.stop(start, true);
                    return Answer::Unsat(core);
                }
                kept.push(id);
            }
        }
        if constraints.is_empty() && assumptions.is_empty() {
            self.meter.stop(start, true);
            return Answer::Sat(Model::new());
        }
        let answer = self.inner.check(pool, &Query { constraints: &constraints, assumptions: &assumptions, ..*query });
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
