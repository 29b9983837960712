//! Circuits as clauses, in a SAT solver that gets only those gates that were asked for.

use crate::blast::{Bit, Gate, Gates};
use crate::sat::{Literal, SatCore};
use gordian_base::FxHashMap;

/// A SAT solver and which of its variables stand for which gates.
pub(crate) struct Instance<S> {
    pub sat: S,
    /// The variables of the gates that the solver knows.
    literals: FxHashMap<usize, Literal>,
    stack: Vec<usize>,
}

impl<S: SatCore> Instance<S> {
    pub fn new(sat: S) -> Self {
        Instance { sat, literals: FxHashMap::default(), stack: Vec::new() }
    }

    pub fn n_variables(&self) -> usize {
        self.literals.len()
    }

    /// The literal of a bit, which is no constant. Everything that it depends on is given to the solver.
    pub fn literal(&mut self, gates: &Gates, bit: Bit) -> Literal {
        self.stack.push(bit.gate());
        while let Some(&top) = self.stack.last() {
            if self.literals.contains_key(&top) {
                self.stack.pop();
                continue;
            }
            let before = self.stack.len();
            let gate = gates.gate(top);
            for input in Gates::inputs(gate) {
                if !self.literals.contains_key(&input.gate()) {
                    self.stack.push(input.gate());
                }
            }
            if self.stack.len() == before {
                self.define(top, gate);
                self.stack.pop();
            }
        }
        self.existing(bit).expect("it was just made")
    }

    /// The literal of a bit, if the solver knows it.
    pub fn existing(&self, bit: Bit) -> Option<Literal> {
        Some(self.literals.get(&bit.gate())?.negated_if(bit.is_negated()))
    }

    /// Says by clauses that the gate's variable is its output.
    fn define(&mut self, index: usize, gate: Gate) {
        let out = self.sat.new_variable();
        self.literals.insert(index, out);
        let of = |bit: Bit| self.existing(bit).expect("inputs are defined before the gate");
        match gate {
            Gate::False => unreachable!("constants have no variable"),
            Gate::Input => {}
            Gate::And(a, b) => {
                let (a, b) = (of(a), of(b));
                self.add(&[&[!out, a], &[!out, b], &[out, !a, !b]]);
            }
            Gate::Xor(a, b) => {
                let (a, b) = (of(a), of(b));
                self.add(&[&[!out, a, b], &[!out, !a, !b], &[out, !a, b], &[out, a, !b]]);
            }
            Gate::Xor3(a, b, c) => {
                let (a, b, c) = (of(a), of(b), of(c));
                for (x, y) in [(a, b), (!a, !b)] {
                    // Both are equal, so the output is the third input.
                    self.add(&[&[!out, !x, !y, c], &[out, !x, !y, !c]]);
                }
                for (x, y) in [(a, !b), (!a, b)] {
                    self.add(&[&[!out, !x, !y, !c], &[out, !x, !y, c]]);
                }
            }
            Gate::Majority(a, b, c) => {
                let (a, b, c) = (of(a), of(b), of(c));
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    self.add(&[&[out, !x, !y], &[!out, x, y]]);
                }
            }
            Gate::Mux(select, then, otherwise) => {
                let (select, then, otherwise) = (of(select), of(then), of(otherwise));
                self.add(&[&[!out, !select, then], &[out, !select, !then]]);
                self.add(&[&[!out, select, otherwise], &[out, select, !otherwise]]);
                // Redundant, but then the output is known before the selection is.
                self.add(&[&[!out, then, otherwise], &[out, !then, !otherwise]]);
            }
        }
    }

    fn add(&mut self, clauses: &[&[Literal]]) {
        for clause in clauses {
            self.sat.add_clause(clause);
        }
    }
}
