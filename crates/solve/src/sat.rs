//! What the bit-vector solver wants of a SAT solver, and batsat as one that does it.

use crate::query::Budget;
use batsat::{Callbacks, ClauseKind, Lit, Solver, SolverInterface, SolverOpts, Var, lbool};
use std::cell::Cell;

/// A variable or its negation: twice the variable, plus one if negated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(pub u32);

impl Literal {
    pub fn negated_if(self, negate: bool) -> Literal {
        Literal(self.0 ^ u32::from(negate))
    }
}

impl std::ops::Not for Literal {
    type Output = Literal;
    fn not(self) -> Literal {
        Literal(self.0 ^ 1)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SatAnswer {
    Sat,
    /// [`SatCore::core`] tells which assumptions were to blame.
    Unsat,
    /// A limit was reached.
    Unknown,
}

/// An incremental SAT solver with assumptions. It has to be deterministic.
pub trait SatCore {
    /// A fresh solver of the same kind.
    fn fresh(&self) -> Self
    where
        Self: Sized;

    fn new_variable(&mut self) -> Literal;

    fn add_clause(&mut self, clause: &[Literal]);

    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer;

    /// The value of a literal in the model of the last answer, which was `Sat`. Variables that do not matter may be either.
    fn value(&self, literal: Literal) -> bool;

    /// Assumptions that cannot hold together, if the last answer was `Unsat`.
    fn core(&self) -> Vec<Literal>;

    fn n_conflicts(&self) -> u64;

    /// Literals that were assigned so far, decided or propagated: what solving cost.
    fn n_propagations(&self) -> u64;
}

/// batsat: MiniSat in Rust, quick at many small questions.
pub struct Batsat {
    solver: Solver<Watch>,
    keeps_phases: bool,
    clause: Vec<Lit>,
    assumptions: Vec<Lit>,
}

/// Decisions between two looks at the interrupt of a budget, which may have to read a clock.
const DECISIONS_PER_LOOK: u64 = 16;

/// Counts what the solver does and stops it, since batsat's own budgets cannot be set.
#[derive(Default)]
struct Watch {
    budget: Budget,
    conflicts: u64,
    decisions: Cell<u64>,
    /// Stays set: batsat asks again before it gives up.
    interrupted: Cell<bool>,
}

impl Watch {
    fn is_interrupted(&self) -> bool {
        if !self.interrupted.get() && self.decisions.get() % DECISIONS_PER_LOOK == 1 {
            self.interrupted.set(self.budget.is_stopped());
        }
        self.interrupted.get()
    }
}

impl Callbacks for Watch {
    fn on_start(&mut self) {
        self.conflicts = 0;
        self.decisions.set(0);
        self.interrupted.set(false);
    }

    fn on_new_clause(&mut self, _: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    /// Asked once before each decision.
    fn stop(&self) -> bool {
        self.decisions.set(self.decisions.get() + 1);
        self.budget.conflicts.is_some_and(|most| self.conflicts > most)
            || self.budget.decisions.is_some_and(|most| self.decisions.get() > most)
            || self.is_interrupted()
    }
}

impl Batsat {
    pub fn new() -> Self {
        Batsat::with_phases(true)
    }

    /// A solver that tries false first for every variable it chooses, whatever the variable was before.
    pub fn false_first() -> Self {
        Batsat::with_phases(false)
    }

    fn with_phases(keeps_phases: bool) -> Self {
        let mut options = SolverOpts::default();
        if !keeps_phases {
            options.phase_saving = 0;
        }
        Batsat {
            solver: Solver::new(options, Watch::default()),
            keeps_phases,
            clause: Vec::new(),
            assumptions: Vec::new(),
        }
    }
}

impl Default for Batsat {
    fn default() -> Self {
        Batsat::new()
    }
}

fn lit(literal: Literal) -> Lit {
    Lit::new(Var::unsafe_from_idx(literal.0 / 2), literal.0 & 1 == 0)
}

fn literal(lit: Lit) -> Literal {
    Literal(lit.var().idx() * 2).negated_if(!lit.sign())
}

impl SatCore for Batsat {
    fn fresh(&self) -> Self {
        Batsat::with_phases(self.keeps_phases)
    }

    fn new_variable(&mut self) -> Literal {
        Literal(self.solver.new_var_default().idx() * 2)
    }

    fn add_clause(&mut self, clause: &[Literal]) {
        self.clause.clear();
        self.clause.extend(clause.iter().copied().map(lit));
        self.solver.add_clause_reuse(&mut self.clause);
    }

    fn solve(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer {
        self.assumptions.clear();
        self.assumptions.extend(assumptions.iter().copied().map(lit));
        self.solver.cb_mut().budget = budget.clone();
        let answer = self.solver.solve_limited(&self.assumptions);
        if answer == lbool::TRUE {
            SatAnswer::Sat
        } else if answer == lbool::FALSE {
            SatAnswer::Unsat
        } else {
            SatAnswer::Unknown
        }
    }

    fn value(&self, literal: Literal) -> bool {
        self.solver.value_lit(lit(literal)) == lbool::TRUE
    }

    fn core(&self) -> Vec<Literal> {
        // batsat gives the clause that follows: the negations of the assumptions.
        self.solver.unsat_core().iter().map(|&lit| !literal(lit)).collect()
    }

    fn n_conflicts(&self) -> u64 {
        self.solver.num_conflicts()
    }

    fn n_propagations(&self) -> u64 {
        self.solver.num_propagations()
    }
}
