//! The solver at the end of the chain: bits, clauses and a SAT solver.

use crate::blast::{Bit, Blaster};
use crate::clauses::Instance;
use crate::model::Model;
use crate::query::{Answer, Budget, Core, Query, Reason, Solver};
use crate::sat::{Batsat, Literal, SatAnswer, SatCore};
use crate::statistics::{Clock, Meter, Statistics};
use gordian_base::FxHashMap;
use gordian_expr::{Evaluator, ExprId, Pool, Symbol};

/// A SAT solver that has become this much bigger than a query needs is left for a fresh one: it would have to find values for
/// everything that was ever asked.
const OUTGROWN: usize = 2;
/// Smaller ones are kept in any case.
const SMALL: usize = 500;
/// Queries whose sizes are within a factor of two to this power have a SAT solver in common, so that small ones do not drive out
/// what was learnt from big ones.
const SIZE_CLASS_BITS: u32 = 2;

/// How cores are made smaller: in how many tries, leaving out which part of what is open, and with how much work each.
const MINIMISE_TRIES: usize = 4;
const MINIMISE_PARTS: usize = 3;
const MINIMISE_CONFLICTS: u64 = 20;
const MINIMISE_DECISIONS: u64 = 20;

/// Bit-blasting onto a SAT solver. Circuits are kept for ever, and constraints are assumptions, so that every query profits from
/// what was learnt in those before.
pub struct BitBlaster<S: SatCore = Batsat> {
    blaster: Blaster,
    /// By size class of the queries that they are for.
    instances: Vec<Instance<S>>,
    evaluator: Evaluator,
    meter: Meter,
    conflicts: u64,
    n_fresh: u64,
}

impl BitBlaster {
    pub fn new() -> Self {
        BitBlaster::with_core(Batsat::new(), None)
    }
}

impl Default for BitBlaster {
    fn default() -> Self {
        BitBlaster::new()
    }
}

/// What a query has become.
struct Prepared {
    assumptions: Vec<Literal>,
    constraint_of: FxHashMap<Literal, ExprId>,
}

impl<S: SatCore> BitBlaster<S> {
    pub fn with_core(core: S, clock: Option<Clock>) -> Self {
        BitBlaster {
            blaster: Blaster::new(),
            instances: vec![Instance::new(core)],
            evaluator: Evaluator::new(),
            meter: Meter::new("bits", clock),
            conflicts: 0,
            n_fresh: 0,
        }
    }

    fn answer(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let mut bits = Vec::with_capacity(query.constraints.len() + query.assumptions.len());
        for id in query.all() {
            match self.blaster.condition(pool, id) {
                Bit::TRUE => {}
                Bit::FALSE => return Answer::Unsat(Core::new(vec![id])),
                bit => bits.push((id, bit)),
            }
        }
        let class = self.class_for(&bits);
        let prepared = self.prepare(class, &bits);
        match self.solve(class, &prepared.assumptions, query.budget) {
            SatAnswer::Sat => Answer::Sat(self.model(class, pool, query)),
            SatAnswer::Unsat => Answer::Unsat(self.core(class, &prepared, query.budget)),
            SatAnswer::Unknown => {
                Answer::Unknown(if query.budget.is_stopped() { Reason::Stopped } else { Reason::Budget })
            }
        }
    }

    fn prepare(&mut self, class: usize, bits: &[(ExprId, Bit)]) -> Prepared {
        let mut prepared =
            Prepared { assumptions: Vec::with_capacity(bits.len()), constraint_of: FxHashMap::default() };
        for &(id, bit) in bits {
            let literal = self.instances[class].literal(&self.blaster.gates, bit);
            if prepared.constraint_of.insert(literal, id).is_none() {
                prepared.assumptions.push(literal);
            }
        }
        prepared
    }

    /// The SAT solver for a query of this size, a fresh one if the last one is outgrown.
    fn class_for(&mut self, bits: &[(ExprId, Bit)]) -> usize {
        let needed = self.blaster.gates.cone(bits.iter().map(|&(_, bit)| bit)).max(SMALL);
        let class = ((needed / SMALL).ilog2() / SIZE_CLASS_BITS) as usize;
        while self.instances.len() <= class {
            let fresh = self.instances[0].sat.fresh();
            self.instances.push(Instance::new(fresh));
        }
        if self.instances[class].n_variables() > needed * OUTGROWN {
            let fresh = self.instances[class].sat.fresh();
            self.instances[class] = Instance::new(fresh);
            self.n_fresh += 1;
        }
        class
    }

    fn solve(&mut self, class: usize, assumptions: &[Literal], budget: &Budget) -> SatAnswer {
        let sat = &mut self.instances[class].sat;
        let before = sat.n_conflicts();
        let answer = sat.solve(assumptions, budget);
        self.conflicts += sat.n_conflicts() - before;
        answer
    }

    /// The values of all symbols of the query. What the SAT solver did not need to know is as the hint has it.
    fn model(&mut self, class: usize, pool: &Pool, query: &Query<'_>) -> Model {
        let instance = &self.instances[class];
        let mut model = Model::new();
        let mut symbols: Vec<Symbol> = query.all().flat_map(|id| pool.symbols(id).iter()).collect();
        symbols.sort_unstable();
        symbols.dedup();
        for symbol in symbols {
            let mut value = query.hint.and_then(|hint| hint.get(symbol)).unwrap_or(0);
            if let Some(bits) = self.blaster.known(pool, pool.symbol_term(symbol)) {
                for (at, &bit) in bits.iter().enumerate() {
                    if let Some(literal) = instance.existing(bit) {
                        let one = u128::from(instance.sat.value(literal));
                        value = (value & !(1 << at)) | (one << at);
                    }
                }
            }
            model.set(symbol, value);
        }
        let mut session = self.evaluator.session(pool, &model);
        for id in query.all() {
            assert!(session.holds(id), "the model {model:?} does not satisfy {}", pool.display(id));
        }
        model
    }

    /// The constraints to blame, some superfluous ones removed: parts of the core are left out for a try, with little effort.
    fn core(&mut self, class: usize, prepared: &Prepared, budget: &Budget) -> Core {
        let mut core = self.instances[class].sat.core();
        // What stands behind is still to be looked at.
        let mut n_kept = 0;
        for _ in 0..MINIMISE_TRIES {
            let n_open = core.len() - n_kept;
            if n_open == 0 || core.len() == 1 {
                break;
            }
            let n_tried = n_open.div_ceil(MINIMISE_PARTS);
            let tried = core.split_off(core.len() - n_tried);
            let little = Budget {
                conflicts: Some(MINIMISE_CONFLICTS),
                decisions: Some(MINIMISE_DECISIONS + core.len() as u64),
                ..budget.clone()
            };
            if self.solve(class, &core, &little) == SatAnswer::Unsat {
                let smaller = self.instances[class].sat.core();
                n_kept = core[..n_kept].iter().filter(|literal| smaller.contains(literal)).count();
                core.retain(|literal| smaller.contains(literal));
            } else {
                core.splice(0..0, tried);
                n_kept += n_tried;
            }
        }
        Core::new(core.iter().map(|literal| prepared.constraint_of[literal]).collect())
    }
}

impl<S: SatCore> Solver for BitBlaster<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let start = self.meter.start();
        let answer = self.answer(pool, query);
        self.meter.stop(start, !matches!(answer, Answer::Unknown(_)));
        answer
    }

    fn statistics(&self) -> Statistics {
        let details = vec![
            ("gates", self.blaster.gates.len() as u64),
            ("variables", self.instances.iter().map(|instance| instance.n_variables() as u64).sum()),
            ("conflicts", self.conflicts),
            ("fresh solvers", self.n_fresh),
        ];
        Statistics::default().below(self.meter.entry(details))
    }

    fn set_clock(&mut self, clock: Clock) {
        self.meter.set_clock(clock);
    }
}
