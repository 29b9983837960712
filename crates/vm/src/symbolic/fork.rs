//! Where inputs decide how to go on.
//!
//! The ways are *alternatives*, each with the condition under which it is taken. Those that some inputs lead to are the
//! variants of a step of its own, [`OpKind::Branch`]: it touches nothing that others could see, so no reduction orders it
//! with anybody's steps, and every strategy explores it like any other step with variants. Which alternatives there are must
//! not depend on the present model, so that the variant of a step means the same in every execution.

use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::{End, Machine};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_expr::ExprId;
use gordian_solve::{Answer, Budget, Model, Query, Solver, values};
use gordian_trace::{OpKind, Wants};
use smallvec::SmallVec;

/// Queries that take more than this are given up, and what they asked for is lost.
pub(super) static BUDGET: Budget = Budget { conflicts: Some(200_000), decisions: None, stop: None };

/// Values that an address or a size is given one after the other; of more than these only the one at hand is taken.
const MOST_VALUES: usize = 256;

#[derive(Clone, Copy, Debug)]
pub struct Alternative {
    /// Of width 1.
    pub condition: ExprId,
    /// It ends in a failure.
    pub fails: bool,
}

pub struct Alternatives {
    /// They exclude each other, and one of them always holds.
    pub list: SmallVec<[Alternative; 2]>,
    /// There may be more to decide at the same instruction afterwards.
    pub again: bool,
}

impl Alternatives {
    pub fn new(conditions: impl IntoIterator<Item = ExprId>) -> Self {
        let list = conditions.into_iter().map(|condition| Alternative { condition, fails: false }).collect();
        Alternatives { list, again: false }
    }

    /// All goes well under the first condition, and fails under the others.
    pub fn check(conditions: impl IntoIterator<Item = ExprId>) -> Self {
        let mut alternatives = Alternatives::new(conditions);
        alternatives.list.iter_mut().skip(1).for_each(|alternative| alternative.fails = true);
        alternatives
    }
}

/// Whether inputs that went this way so far can satisfy a condition.
pub enum Feasible {
    /// The present ones do.
    Now,
    /// These do.
    With(Model),
    No,
    Unknown,
}

impl Machine<'_> {
    pub(crate) fn feasible(&mut self, condition: ExprId) -> Feasible {
        match self.symbolic.pool.as_constant(condition) {
            Some(0) => return Feasible::No,
            Some(_) => return Feasible::Now,
            None => {}
        }
        if self.symbolic.value(condition) != 0 {
            return Feasible::Now;
        }
        let model = self.present_model();
        let symbolic = &mut self.symbolic;
        let assumptions = [condition];
        let query = Query::new(&symbolic.path).assuming(&assumptions).with_hint(&model).within(&BUDGET);
        match symbolic.solver.check(&symbolic.pool, &query) {
            Answer::Sat(found) => {
                let mut model = (*model).clone();
                model.update(&found);
                Feasible::With(model)
            }
            Answer::Unsat(_) => Feasible::No,
            Answer::Unknown(_) => Feasible::Unknown,
        }
    }

    /// If inputs decide how the instruction goes on: parks the thread before that decision, and tells that it did.
    pub(super) fn look_for_fork(&mut self, thread: ThreadId) -> Result<bool, Fault> {
        let decided = self.symbolic.decided.take() == Some(thread);
        let Some(alternatives) = self.alternatives(thread)? else { return Ok(false) };
        if decided && !alternatives.again {
            return Ok(false);
        }
        let mut feasible = 0u32;
        for (nth, alternative) in alternatives.list.iter().enumerate() {
            match self.feasible(alternative.condition) {
                Feasible::Now | Feasible::With(_) => feasible |= 1 << nth,
                Feasible::No => {}
                Feasible::Unknown => self.lose("the solver gave up on some inputs"),
            }
        }
        if feasible.count_ones() < 2 {
            return Ok(false);
        }
        if self.threads[thread.index()].core.atomic > 0 {
            // Others must not come in between, and a step of its own would let them.
            let mut present = alternatives.list.iter().map(|alternative| alternative.condition);
            let taken = present.find(|&condition| self.symbolic.value(condition) != 0);
            self.symbolic.path.extend(taken);
            self.lose("inputs decide how an atomic section goes on; only one way was taken");
            return Ok(false);
        }
        let wants = Wants { kind: OpKind::Branch, size: feasible, address: 0, at: self.user_point(thread) };
        self.threads[thread.index()].core.park = Park::Before(wants);
        Ok(true)
    }

    /// The step that decides: takes the alternative that was chosen.
    pub(crate) fn take_fork(&mut self, thread: ThreadId, wants: Wants) -> Result<Flow, Fault> {
        let alternatives = match wants.address.checked_sub(1) {
            Some(condition) => self.either_way(ExprId::from_index(condition as usize)),
            None => self.alternatives(thread)?.expect("the thread is parked where inputs decide"),
        };
        let taken = alternatives.list[self.variant as usize];
        match self.feasible(taken.condition) {
            Feasible::Now => self.symbolic.path.push(taken.condition),
            Feasible::With(model) => {
                self.symbolic.path.push(taken.condition);
                self.set_model(model);
            }
            Feasible::No | Feasible::Unknown => {
                self.lose("the solver gave up on some inputs");
                self.finish(End::Dropped);
                return Ok(Flow::Stop);
            }
        }
        self.push_event(thread, OpKind::Branch, 0, 0, u64::from(self.variant), 0);
        if taken.fails {
            self.take_least_inputs();
        }
        self.symbolic.decided = (!alternatives.again).then_some(thread);
        Ok(Flow::Jumped)
    }

    /// Whether a condition holds, for a function of gordian's own that must know. If inputs lead both ways, the call is given
    /// up and made again behind a step that decides. Where others could come in between and change what the call would
    /// ask, only the way at hand is taken.
    pub(crate) fn decide(&mut self, thread: ThreadId, condition: ExprId, function: &str) -> Result<bool, Fault> {
        let holds = self.symbolic.value(condition) != 0;
        let (here, there) = match (self.symbolic.pool.not(condition), holds) {
            (not, true) => (condition, not),
            (not, false) => (not, condition),
        };
        match self.feasible(there) {
            Feasible::No => return Ok(holds),
            Feasible::Unknown => self.lose("the solver gave up on some inputs"),
            Feasible::Now | Feasible::With(_) if self.is_undisturbed(thread) => {
                return Err(Fault::Undecided(condition));
            }
            Feasible::Now | Feasible::With(_) => {
                self.lose(format!("what `{function}` reads while other threads run was given one value of many"));
            }
        }
        self.symbolic.path.push(here);
        Ok(holds)
    }

    /// Whether nobody else can step before this thread does.
    fn is_undisturbed(&self, thread: ThreadId) -> bool {
        let waits = |park: Park| matches!(park, Park::Unborn | Park::Ended | Park::Joining { .. });
        let mut others = self.threads.iter().enumerate().filter(|(number, _)| *number != thread.index());
        self.threads[thread.index()].core.atomic == 0 && others.all(|(_, other)| waits(other.core.park))
    }

    /// Parks the thread before the step that decides a condition, at the call that asked for it.
    pub(crate) fn park_undecided(&mut self, thread: ThreadId, condition: ExprId) -> Flow {
        let address = condition.index() as u64 + 1;
        let wants = Wants { kind: OpKind::Branch, size: 0b11, address, at: self.user_point(thread) };
        self.threads[thread.index()].core.park = Park::Before(wants);
        Flow::Stop
    }

    fn either_way(&mut self, condition: ExprId) -> Alternatives {
        let not = self.symbolic.pool.not(condition);
        Alternatives { again: true, ..Alternatives::new([condition, not]) }
    }

    /// Lets a term take each of its values one after the other. None once it has one value only.
    pub(super) fn each_value(&mut self, term: ExprId, what: &str) -> Option<Alternatives> {
        self.symbolic.pool.as_constant(term).is_none().then_some(())?;
        let model = self.present_model();
        let symbolic = &mut self.symbolic;
        let path = symbolic.path.clone();
        let query = Query::new(&path).with_hint(&model).within(&BUDGET);
        let found = values(&mut symbolic.solver, &mut symbolic.pool, &query, term, MOST_VALUES);
        if !found.complete {
            self.pin(term);
            self.lose(format!("{what} was given one value of many"));
            return None;
        }
        let mut found: Vec<u128> = found.found.iter().map(|witness| witness.value).collect();
        found.sort_unstable();
        if found.len() < 2 {
            return None;
        }
        let symbolic = &mut self.symbolic;
        let middle = symbolic.pool.constant(found[found.len() / 2], symbolic.pool.width(term));
        let below = symbolic.pool.ult(term, middle);
        let above = symbolic.pool.not(below);
        Some(Alternatives { again: true, ..Alternatives::new([below, above]) })
    }

    /// Only inputs for which the term has its present value count from here on.
    pub(crate) fn pin(&mut self, term: ExprId) {
        let value = self.symbolic.value(term);
        let pool = &mut self.symbolic.pool;
        let value = pool.constant(value, pool.width(term));
        let equal = pool.eq(term, value);
        if pool.as_constant(equal).is_none() {
            self.symbolic.path.push(equal);
        }
    }
}
