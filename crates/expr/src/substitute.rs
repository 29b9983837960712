//! Terms in place of others.

use crate::pool::Pool;
use crate::term::{ExprId, Term};
use gordian_base::{FxHashMap, FxHashSet};

/// Replaces terms by terms of the same width. What was rebuilt once is remembered.
#[derive(Default)]
pub struct Substitution {
    replaced: FxHashMap<ExprId, ExprId>,
}

impl Substitution {
    pub fn new() -> Self {
        Self::default()
    }

    /// All replacements have to be given before the first [`Substitution::apply`].
    pub fn replace(&mut self, pool: &Pool, term: ExprId, by: ExprId) {
        assert_eq!(pool.width(term), pool.width(by), "a term is replaced by one of its width");
        self.replaced.insert(term, by);
    }

    pub fn apply(&mut self, pool: &mut Pool, id: ExprId) -> ExprId {
        for term in pool.reachable_unless(&[id], |term| self.replaced.contains_key(&term)) {
            let result = self.rebuild(pool, term);
            self.replaced.insert(term, result);
        }
        self.replaced[&id]
    }

    fn rebuild(&self, pool: &mut Pool, id: ExprId) -> ExprId {
        let new = |id: ExprId| self.replaced[&id];
        let term = pool.term(id);
        match term {
            Term::Const(_) | Term::Symbol(_) => id,
            Term::Select(array, index) => {
                let elements: Vec<ExprId> = pool.elements(array).iter().map(|&element| new(element)).collect();
                pool.select(&elements, new(index))
            }
            _ if term.operands().all(|operand| new(operand) == operand) => id,
            Term::Unary(op, a) => pool.unary(op, new(a)),
            Term::Binary(op, a, b) => pool.binary(op, new(a), new(b)),
            Term::Zext(a, width) => pool.zext(new(a), width.into()),
            Term::Sext(a, width) => pool.sext(new(a), width.into()),
            Term::Extract { of, low, width } => pool.extract(new(of), low.into(), width.into()),
            Term::Ite(condition, then, otherwise) => pool.ite(new(condition), new(then), new(otherwise)),
        }
    }
}

impl Pool {
    /// The terms that others are made of, those included, operands before the terms they stand in.
    pub fn reachable(&self, roots: &[ExprId]) -> Vec<ExprId> {
        self.reachable_unless(roots, |_| false)
    }

    /// As [`Pool::reachable`], but some terms are left out, with everything that is reached through them alone.
    pub fn reachable_unless(&self, roots: &[ExprId], leave_out: impl Fn(ExprId) -> bool) -> Vec<ExprId> {
        let mut seen = FxHashSet::default();
        let mut found = Vec::new();
        let mut visit = |id: ExprId, found: &mut Vec<ExprId>| {
            if !leave_out(id) && seen.insert(id) {
                found.push(id);
            }
        };
        for &root in roots {
            visit(root, &mut found);
        }
        let mut next = 0;
        while next < found.len() {
            let term = self.term(found[next]);
            next += 1;
            for operand in term.operands() {
                visit(operand, &mut found);
            }
            if let Term::Select(array, _) = term {
                for &element in self.elements(array).iter() {
                    visit(element, &mut found);
                }
            }
        }
        // Operands are older than the terms they stand in.
        found.sort_unstable();
        found
    }
}
