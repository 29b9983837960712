//! Which values a term can have, for making symbolic sizes and addresses concrete.

use crate::model::Model;
use crate::query::{Answer, Query, Reason, Solver};
use gordian_expr::{Evaluator, ExprId, Pool};

/// One value of a term and a model in which it has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Witness {
    pub value: u128,
    pub model: Model,
}

/// The end of a range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extreme {
    Found(Witness),
    /// The constraints cannot hold at all.
    Infeasible,
    /// The best value that was found before the budget ran out, if any.
    Unknown(Option<Witness>, Reason),
}

/// Values of a term.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// All different.
    pub found: Vec<Witness>,
    /// Whether there are no others.
    pub complete: bool,
}

/// The least value, as an unsigned number, that a term has in a model of the query.
pub fn minimum(solver: &mut dyn Solver, pool: &mut Pool, query: &Query<'_>, term: ExprId) -> Extreme {
    extreme(solver, pool, query, term, true)
}

/// The greatest value, as an unsigned number, that a term has in a model of the query.
pub fn maximum(solver: &mut dyn Solver, pool: &mut Pool, query: &Query<'_>, term: ExprId) -> Extreme {
    extreme(solver, pool, query, term, false)
}

/// Up to `most` different values that a term has in models of the query. The first one is the hint's if it can be.
pub fn values(solver: &mut dyn Solver, pool: &mut Pool, query: &Query<'_>, term: ExprId, most: usize) -> Values {
    let mut evaluator = Evaluator::new();
    let mut assumptions = query.assumptions.to_vec();
    let mut found = Vec::new();
    while found.len() < most {
        match solver.check(pool, &Query { assumptions: &assumptions, ..*query }) {
            Answer::Sat(model) => {
                let value = evaluator.value(pool, term, &model);
                found.push(Witness { value, model });
                let value = pool.constant(value, pool.width(term));
                assumptions.push(pool.ne(term, value));
            }
            Answer::Unsat(_) => return Values { found, complete: true },
            Answer::Unknown(_) => return Values { found, complete: false },
        }
    }
    let complete = solver.check(pool, &Query { assumptions: &assumptions, ..*query }).is_unsat();
    Values { found, complete }
}

/// Halves the range between what is known to be possible and what is known not to be.
fn extreme(solver: &mut dyn Solver, pool: &mut Pool, query: &Query<'_>, term: ExprId, least: bool) -> Extreme {
    let mut evaluator = Evaluator::new();
    let width = pool.width(term);
    let mut assumptions = query.assumptions.to_vec();
    let mut best = match solver.check(pool, query) {
        Answer::Sat(model) => Witness { value: evaluator.value(pool, term, &model), model },
        Answer::Unsat(_) => return Extreme::Infeasible,
        Answer::Unknown(reason) => return Extreme::Unknown(None, reason),
    };
    // Everything beyond it is impossible.
    let mut limit = if least { pool.facts(term).lo } else { pool.facts(term).hi };
    while best.value != limit {
        let (half, bound) = if least {
            let middle = limit + (best.value - limit) / 2;
            let constant = pool.constant(middle, width);
            (middle, pool.ule(term, constant))
        } else {
            let middle = limit - (limit - best.value) / 2;
            let constant = pool.constant(middle, width);
            (middle, pool.ule(constant, term))
        };
        assumptions.push(bound);
        match solver.check(pool, &Query { assumptions: &assumptions, ..*query }) {
            Answer::Sat(model) => best = Witness { value: evaluator.value(pool, term, &model), model },
            Answer::Unsat(_) => limit = if least { half + 1 } else { half - 1 },
            Answer::Unknown(reason) => return Extreme::Unknown(Some(best), reason),
        }
        assumptions.pop();
    }
    Extreme::Found(best)
}
