//! Inputs as symbols.

use super::fork::Feasible;
use crate::arith;
use crate::machine::Machine;
use gordian_base::{Id, Rng, ThreadId};
use gordian_expr::ExprId;
use gordian_solve::{Extreme, Query, minimum};
use gordian_trace::InputValue;
use std::rc::Rc;

impl Machine<'_> {
    /// The thread's next input: its value, and its term of 64 bits in a search that takes inputs for symbols.
    pub(crate) fn draw_input(
        &mut self,
        thread: ThreadId,
        name: &str,
        function: &str,
        bits: u8,
    ) -> (u64, Option<ExprId>) {
        if self.symbolic.on {
            let term = self.symbolic_input(thread, name, function, bits);
            return (self.value_of(term), Some(term));
        }
        let core = &mut self.threads[thread.index()].core;
        let nth = core.n_inputs;
        core.n_inputs += 1;
        // The next one may be another: who takes one in every round of a loop does not repeat itself.
        self.memory.changes += 1;
        let thread = thread.0;
        let random = || Rng::stream(self.settings.seed, u64::from(thread) << 32 | u64::from(nth)).next_u64();
        let value = self.fixed_inputs.get(&(thread, nth)).copied().unwrap_or_else(random) & arith::mask(bits);
        let (name, function) = (name.to_owned(), function.to_owned());
        self.inputs.push(InputValue { thread, nth, value, name, bits, function });
        (value, None)
    }

    /// Whether the test says what the thread's next input is.
    pub(crate) fn is_next_input_given(&self, thread: ThreadId) -> bool {
        let nth = self.threads[thread.index()].core.n_inputs;
        self.fixed_inputs.contains_key(&(thread.0, nth))
    }

    /// The thread's next input, of so many bits, as a symbol: named by thread and count, so that the interleaving does not
    /// matter.
    fn symbolic_input(&mut self, thread: ThreadId, name: &str, function: &str, bits: u8) -> ExprId {
        let core = &mut self.threads[thread.index()].core;
        let nth = core.n_inputs;
        core.n_inputs += 1;
        self.memory.changes += 1;
        let symbolic = &mut self.symbolic;
        let pool = &mut symbolic.pool;
        let symbol =
            *symbolic.symbols.entry((thread.0, nth)).or_insert_with(|| pool.fresh_symbol(name, u32::from(bits)));
        let term = pool.symbol_term(symbol);
        let value = match symbolic.model().get(symbol) {
            Some(value) => value as u64,
            None => self.unplanned_input(symbol, (thread.0, nth)),
        };
        let (name, function) = (name.to_owned(), function.to_owned());
        self.inputs.push(InputValue { thread: thread.0, nth, value, name, bits, function });
        self.update_visibility();
        self.symbolic.pool.zext(term, 64)
    }

    /// The values that the present model gives to a term.
    pub(crate) fn value_of(&mut self, term: ExprId) -> u64 {
        self.symbolic.value(term) as u64
    }

    /// Takes the least inputs that go this way, in the order in which they were asked for: the same ones whatever the search
    /// did before.
    pub(crate) fn take_least_inputs(&mut self) {
        if !self.symbolic.on || self.symbolic.is_fresh() {
            return;
        }
        let mut constraints = self.symbolic.path.conditions().to_vec();
        let mut model = (**self.symbolic.model()).clone();
        let names: Vec<(u32, u32)> = self.inputs.iter().map(|input| (input.thread, input.nth)).collect();
        for name in names.into_iter().take(MOST_MINIMISED) {
            let symbolic = &mut self.symbolic;
            let symbol = symbolic.symbols[&name];
            let term = symbolic.pool.symbol_term(symbol);
            let query = Query::new(&constraints).with_hint(&model).within(&symbolic.budget);
            match minimum(&mut symbolic.solver, &mut symbolic.pool, &query, term) {
                Extreme::Found(least) => {
                    model.update(&least.model);
                    let value = symbolic.pool.constant(least.value, symbolic.pool.width(term));
                    let fixed = symbolic.pool.eq(term, value);
                    constraints.push(fixed);
                }
                Extreme::Infeasible | Extreme::Unknown(..) => break,
            }
        }
        if model != **self.symbolic.model() {
            self.set_model(Rc::new(model));
        }
    }

    /// Inputs for which this does not hold do not count. False if there are none left.
    pub(crate) fn assume(&mut self, thread: ThreadId, condition: ExprId) -> bool {
        let changes = match self.feasible(condition) {
            Feasible::No => return false,
            Feasible::Unknown(reason) => {
                self.give_up(reason);
                return false;
            }
            Feasible::Now => None,
            Feasible::With(changes) => Some(changes),
        };
        self.constrain(thread, condition);
        if let Some(changes) = changes {
            self.change_inputs(&changes);
        }
        true
    }

    /// Whether these inputs, and zero for all others, go the way that the execution went. If so, it is theirs from here on.
    pub fn try_inputs(&mut self, inputs: &[InputValue]) -> bool {
        let mut model = gordian_solve::Model::new();
        for input in inputs {
            if let Some(&symbol) = self.symbolic.symbols.get(&(input.thread, input.nth)) {
                model.set(symbol, u128::from(input.value));
            }
        }
        let symbolic = &mut self.symbolic;
        let mut session = symbolic.evaluator.session(&symbolic.pool, &model);
        if !symbolic.path.conditions().iter().all(|&condition| session.value(condition) != 0) {
            return false;
        }
        self.set_model(Rc::new(model));
        true
    }

    pub(crate) fn present_model(&self) -> Rc<gordian_solve::Model> {
        Rc::clone(self.symbolic.model())
    }
}

/// Inputs whose least values are looked for.
const MOST_MINIMISED: usize = 256;
