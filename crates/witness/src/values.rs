//! Values: inputs for which facts hold, and sets of facts that cannot hold together.

use gordian_base::FxHashMap;
use gordian_expr::{ExprId, Pool};
use gordian_solve::{Answer, Budget, Model, Query, Solver, Standard, standard};
use std::hash::Hash;

/// Why there are no values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unsatisfied<F> {
    /// These facts cannot hold together. In order.
    Core(Vec<F>),
    /// The solver's budget was used up.
    Unknown,
}

/// A solver for facts. Its answers depend on what it was asked before and on nothing else.
pub struct Values {
    solver: Standard,
}

impl Default for Values {
    fn default() -> Self {
        Values { solver: standard(None) }
    }
}

impl Values {
    /// Values for which all facts hold. Where several facts of a core have the same term, the core has only one of them: the first
    /// that is not `open`, if there is one, since nobody can do anything about such a fact.
    pub fn find<F: Copy + Ord>(
        &mut self,
        pool: &Pool,
        facts: &[(ExprId, F)],
        open: impl Fn(F) -> bool,
        budget: &Budget,
    ) -> Result<Model, Unsatisfied<F>> {
        let constraints: Vec<ExprId> = facts.iter().map(|&(term, _)| term).collect();
        match self.solver.check(pool, &Query::new(&constraints).within(budget)) {
            Answer::Sat(model) => Ok(model),
            Answer::Unknown(_) => Err(Unsatisfied::Unknown),
            Answer::Unsat(core) => {
                let is_blamed = |term: ExprId| core.ids().binary_search(&term).is_ok();
                let mut blamed: Vec<(ExprId, F)> = facts.iter().copied().filter(|&(term, _)| is_blamed(term)).collect();
                blamed.sort_by_key(|&(term, fact)| (term, open(fact), fact));
                blamed.dedup_by_key(|&mut (term, _)| term);
                let mut core: Vec<F> = blamed.into_iter().map(|(_, fact)| fact).collect();
                core.sort_unstable();
                Err(Unsatisfied::Core(core))
            }
        }
    }
}

/// Sets of facts that cannot hold together, each in order.
pub struct Cores<F> {
    sets: Vec<Vec<F>>,
    /// By fact: the sets that it comes last in.
    by_last: FxHashMap<F, Vec<usize>>,
}

impl<F> Default for Cores<F> {
    fn default() -> Self {
        Cores { sets: Vec::new(), by_last: FxHashMap::default() }
    }
}

impl<F: Copy + Ord + Hash> Cores<F> {
    /// A set that these facts contain. They are in order.
    pub fn within(&self, facts: &[F]) -> Option<&[F]> {
        let holds = |fact: &F| facts.binary_search(fact).is_ok();
        let sets = facts.iter().filter_map(|last| self.by_last.get(last)).flatten();
        let mut sets = sets.map(|&set| self.sets[set].as_slice());
        sets.find(|set| set.iter().all(holds))
    }

    pub fn add(&mut self, core: Vec<F>) {
        let Some(&last) = core.last() else { return };
        self.by_last.entry(last).or_default().push(self.sets.len());
        self.sets.push(core);
    }

    /// Takes over the sets of another that this one does not know.
    pub fn absorb(&mut self, other: &mut Cores<F>) {
        other.by_last.clear();
        for core in other.sets.drain(..) {
            if self.within(&core).is_none() {
                self.add(core);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_core_prefers_facts_that_are_not_open() {
        let mut pool = Pool::default();
        let symbol = pool.fresh_symbol("x", 8);
        let x = pool.symbol_term(symbol);
        let [one, two] = [1, 2].map(|value| pool.constant(value, 8));
        let (is_one, is_two) = (pool.eq(x, one), pool.eq(x, two));
        let facts = [(is_one, 0), (is_one, 5), (is_two, 3)];
        let found = Values::default().find(&pool, &facts, |fact| fact == 0, &Budget::UNLIMITED);
        assert_eq!(found.map(|_| ()), Err(Unsatisfied::Core(vec![3, 5])));
    }

    #[test]
    fn cores_are_found_within_more_facts() {
        let mut cores = Cores::default();
        cores.add(vec![2, 7]);
        assert_eq!(cores.within(&[1, 2, 3, 7, 9]), Some(&[2, 7][..]));
        assert_eq!(cores.within(&[1, 2, 3, 9]), None);
    }
}
