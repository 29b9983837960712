//! Where inputs decide how to go on.
//!
//! The ways are *alternatives*, each with the condition under which it is taken. Those that some inputs lead to are the
//! variants of a step of its own, [`OpKind::Branch`]. It touches nothing that others could see, so no reduction orders it
//! with anybody's steps, and nobody else steps before it is made: with fixed inputs a thread does not stop there either.
//!
//! Whether there is such a step, and what its variants mean, must not depend on steps that did not have to come before: a
//! reduction makes them in another order and expects the same. So a step is left out only if what the thread *knows*
//! decides (conditions that it or what happened before it came about by), and alternatives depend neither on the present model nor
//! on conditions that others came about by.

use super::path::CameAbout;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::{End, Machine};
use crate::thread::{Core, Park};
use gordian_base::{Id, ThreadId};
use gordian_expr::ExprId;
use gordian_solve::{Answer, Budget, Interrupt, Model, Query, Reason, Solver, values};
use gordian_trace::{Choice, OpKind, Wants};
use smallvec::SmallVec;
use std::rc::Rc;

/// Queries that take more than this are given up, and what they asked for is lost.
const MOST_CONFLICTS: u64 = 20_000;

/// Values that an address or a size is given one after the other; of more than these only the one at hand is taken.
const MOST_VALUES: usize = 256;

pub(super) const GAVE_UP: &str = "the solver gave up on some inputs";

pub(super) const TIME_IS_UP: &str = "the time was up before the solver had decided about some inputs";

/// What an answer may take that the machine asks for.
pub(super) fn budget(stop: Option<Interrupt>) -> Budget {
    Budget { stop, ..Budget::conflicts(MOST_CONFLICTS) }
}

pub struct Alternatives {
    /// Of width 1. They exclude each other, and one of them always holds.
    pub conditions: SmallVec<[ExprId; 2]>,
    /// There may be more to decide at the same instruction afterwards.
    pub again: bool,
    /// What is asked bit by bit is the value of this term.
    pub value_of: Option<ExprId>,
}

impl Alternatives {
    pub fn new(conditions: impl IntoIterator<Item = ExprId>) -> Self {
        Alternatives { conditions: conditions.into_iter().collect(), again: false, value_of: None }
    }
}

/// A place where inputs decide, and what is known of it.
pub struct Fork {
    pub(super) alternatives: Alternatives,
    /// By alternative.
    pub(super) found: SmallVec<[Feasible; 2]>,
}

impl Fork {
    /// Whether the solver gave up on one of them.
    fn is_given_up(&self) -> bool {
        self.found.iter().any(|answer| matches!(answer, Feasible::Unknown(_)))
    }

    /// Those alternatives that some inputs lead to.
    pub(super) fn variants(&self) -> impl Iterator<Item = u32> {
        let there_are = |answer: &Feasible| matches!(answer, Feasible::Now | Feasible::With(_));
        (0..).zip(&self.found).filter(move |(_, answer)| there_are(answer)).map(|(nth, _)| nth)
    }
}

/// Whether inputs that went this way so far can satisfy a condition.
pub enum Feasible {
    /// The present ones do.
    Now,
    /// The present ones do with these changes.
    With(Model),
    No,
    Unknown(Reason),
}

impl Machine<'_> {
    pub(crate) fn feasible(&mut self, condition: ExprId) -> Feasible {
        match self.symbolic.pool.as_constant(condition) {
            Some(0) => return Feasible::No,
            Some(_) => return Feasible::Now,
            None => self.symbolic.solver_queries += 1,
        }
        if self.symbolic.is_fresh() {
            return if self.symbolic.value(condition) != 0 { Feasible::Now } else { Feasible::No };
        }
        if self.symbolic.value(condition) != 0 {
            return Feasible::Now;
        }
        // Programs often ask again what was decided before.
        let not = self.symbolic.pool.not(condition);
        if self.symbolic.path.contains(not) {
            return Feasible::No;
        }
        let model = self.present_model();
        let symbolic = &mut self.symbolic;
        // What has nothing to do with it stays satisfied by the present inputs.
        let related = symbolic.path.related_to(&symbolic.pool, condition);
        let assumptions = [condition];
        let query = Query::new(&related).assuming(&assumptions).with_hint(&model).within(&symbolic.budget);
        match symbolic.solver.check(&symbolic.pool, &query) {
            Answer::Sat(found) => Feasible::With(found),
            Answer::Unsat(_) => Feasible::No,
            Answer::Unknown(reason) => Feasible::Unknown(reason),
        }
    }

    /// The solver has no answer: some inputs are not looked at any further.
    pub(super) fn give_up(&mut self, reason: Reason) {
        self.lose(match reason {
            Reason::Budget => GAVE_UP,
            Reason::Stopped => TIME_IS_UP,
        });
    }

    /// As [`Machine::feasible`], for all that the thread knows.
    pub(super) fn is_feasible_for(&mut self, thread: ThreadId, condition: ExprId) -> bool {
        if self.symbolic.pool.as_constant(condition) == Some(0) {
            return false;
        }
        if self.symbolic.is_fresh() {
            return self.symbolic.value(condition) != 0;
        }
        match self.known(thread) {
            None => !matches!(self.feasible(condition), Feasible::No),
            Some(known) => {
                let symbolic = &mut self.symbolic;
                symbolic.solver_queries += 1;
                let query = Query::new(&known).assuming(std::slice::from_ref(&condition)).within(&symbolic.budget);
                !symbolic.solver.check(&symbolic.pool, &query).is_unsat()
            }
        }
    }

    /// The conditions of the path that the thread knows of; none if these are all.
    pub(super) fn known(&self, thread: ThreadId) -> Option<Vec<ExprId>> {
        if !self.has_other_threads() {
            return None;
        }
        let core = &self.threads[thread.index()].core;
        let is_known = |by: &CameAbout| by.thread == thread || self.clocks.time(core.clock, by.thread) >= by.time;
        let path = &self.symbolic.path;
        if path.came_about().iter().all(is_known) {
            return None;
        }
        let known = path.conditions().iter().zip(path.came_about()).filter(|(_, by)| is_known(by));
        Some(known.map(|(&condition, _)| condition).collect())
    }

    /// Only inputs that satisfy the condition count from here on.
    pub(super) fn constrain(&mut self, thread: ThreadId, condition: ExprId) {
        if self.symbolic.is_fresh() {
            return self.record_assumption(thread, condition);
        }
        let time = self.threads[thread.index()].core.time;
        let symbolic = &mut self.symbolic;
        symbolic.path.push(&symbolic.pool, condition, thread, time);
    }

    /// If inputs decide how the instruction goes on: parks the thread before that decision, and tells that it did. Otherwise no register that the instruction needs
    /// as a number has a term any more.
    pub(super) fn look_for_fork(&mut self, thread: ThreadId) -> Result<bool, Fault> {
        let decided = self.symbolic.decided.take() == Some(thread);
        let mut given_up = None;
        while let Some(alternatives) = self.alternatives(thread)? {
            if decided && !alternatives.again {
                return Ok(false);
            }
            let again = alternatives.again;
            if self.symbolic.is_fresh() {
                self.record_decision(thread, &alternatives);
                if again {
                    continue;
                }
                return Ok(false);
            }
            let fork = self.look_at(alternatives);
            if !self.is_open(thread, &fork) {
                if !again || !fork.is_given_up() {
                    return Ok(false);
                }
                // The rest must still be decided: what has no term any more is taken to have one value.
                if let Some(term) = fork.alternatives.value_of {
                    self.pin(thread, term);
                } else if given_up.replace(fork.alternatives.conditions.clone()) == Some(fork.alternatives.conditions) {
                    self.lose_always("the solver gave up where inputs decide which memory is accessed");
                    self.finish(End::Dropped);
                    return Ok(true);
                }
                continue;
            }
            if self.park_or_decide(thread, fork) {
                return Ok(true);
            }
            if !again {
                return Ok(false);
            }
        }
        Ok(false)
    }

    /// Parks the thread before a decision and tells that it did, unless others would then have to wait in the middle of a
    /// step: there it is decided at once.
    pub(super) fn park_or_decide(&mut self, thread: ThreadId, fork: Fork) -> bool {
        if self.is_within_section(thread) {
            self.decide_within(thread, &fork, "inputs decide how an atomic section goes on; only one way was taken");
            return false;
        }
        self.park_at(thread, fork);
        true
    }

    fn is_within_section(&self, thread: ThreadId) -> bool {
        self.threads[thread.index()].core.atomic > 0 && self.has_other_threads()
    }

    /// Finds out which alternatives there are inputs for.
    pub(super) fn look_at(&mut self, alternatives: Alternatives) -> Fork {
        let mut found = SmallVec::new();
        for &condition in &alternatives.conditions {
            let answer = self.feasible(condition);
            if let Feasible::Unknown(reason) = answer {
                self.give_up(reason);
            }
            found.push(answer);
        }
        Fork { alternatives, found }
    }

    /// Whether there is anything to decide. If the solver gave up, what it did not give up on is taken.
    pub(super) fn is_open(&mut self, thread: ThreadId, fork: &Fork) -> bool {
        if fork.variants().nth(1).is_some() {
            return true;
        }
        let given_up = fork.is_given_up();
        let answers = fork.alternatives.conditions.iter().zip(&fork.found);
        let mut closed = answers.filter(|(_, answer)| matches!(answer, Feasible::No)).map(|(&condition, _)| condition);
        if given_up {
            self.take_present(thread, fork);
            return false;
        }
        self.has_other_threads() && closed.any(|condition| self.is_feasible_for(thread, condition))
    }

    /// Goes on as the present inputs do, without those that would not.
    pub(super) fn take_present(&mut self, thread: ThreadId, fork: &Fork) {
        let taken = fork.alternatives.conditions.iter().find(|&&condition| self.symbolic.value(condition) != 0);
        self.constrain(thread, *taken.expect("one of them always holds"));
    }

    /// What can be chosen by the thread that stands where inputs decide. Nobody else steps meanwhile.
    pub(crate) fn update_forks(&mut self) {
        let symbolic = &mut self.symbolic;
        symbolic.choices.clear();
        if let Some(thread) = symbolic.undecided {
            let fork = symbolic.forks.last().expect("the thread is parked at a fork");
            symbolic.choices.extend(fork.variants().map(|variant| Choice { thread, variant }));
        }
    }

    /// Finds the thread that stands where inputs decide, and those that have not begun because of it.
    pub(crate) fn find_undecided(&mut self) {
        let threads = || (0..).map(ThreadId).zip(&self.threads);
        let undecided =
            threads().find(|(_, thread)| matches!(thread.core.park, Park::Before(Wants { kind: OpKind::Branch, .. })));
        self.symbolic.undecided = undecided.map(|(number, _)| number);
        if self.symbolic.undecided.is_some() {
            let newborn =
                threads().filter(|(_, thread)| thread.core.park == Park::Running && !thread.frames.is_empty());
            self.roster.newborn = newborn.map(|(number, _)| number).collect();
            self.roster.somebody_ended = true;
        }
    }

    /// The step that decides: takes the alternative that was chosen.
    pub(crate) fn take_fork(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        let nth = self.variant as usize;
        let fork = self.symbolic.forks.last().expect("the thread is parked at a fork");
        let (taken, again) = (fork.alternatives.conditions[nth], fork.alternatives.again);
        let changes = match &fork.found[nth] {
            Feasible::Now => None,
            Feasible::With(changes) => Some(changes.clone()),
            Feasible::No | Feasible::Unknown(_) => unreachable!("such an alternative is no variant"),
        };
        self.symbolic.undecided = None;
        self.constrain(thread, taken);
        if let Some(changes) = changes {
            self.change_inputs(&changes);
        }
        self.push_event(thread, OpKind::Branch, 0, 0, u64::from(self.variant), 0);
        self.symbolic.decided = (!again).then_some(thread);
        Ok(Flow::Jumped)
    }

    /// Whether a condition holds, for a function of gordian's own that must know. If inputs lead both ways, the call is given
    /// up and made again behind a step that decides. Where others could come in between and change what the call would
    /// ask, only the way at hand is taken.
    pub(crate) fn decide(&mut self, thread: ThreadId, condition: ExprId, function: &str) -> Result<bool, Fault> {
        if self.symbolic.is_fresh() {
            let not = self.symbolic.pool.not(condition);
            self.record_decision(thread, &Alternatives::new([condition, not]));
            return Ok(self.symbolic.value(condition) != 0);
        }
        if self.is_within_section(thread) {
            let not = self.symbolic.pool.not(condition);
            let fork = self.look_at(Alternatives::new([condition, not]));
            if self.is_open(thread, &fork) {
                let what = format!("what `{function}` reads in an atomic section was given one value of many");
                self.decide_within(thread, &fork, &what);
            }
            return Ok(self.symbolic.value(condition) != 0);
        }
        let holds = self.symbolic.value(condition) != 0;
        let (here, there) = match (self.symbolic.pool.not(condition), holds) {
            (not, true) => (condition, not),
            (not, false) => (not, condition),
        };
        match self.feasible(there) {
            Feasible::No => return Ok(holds),
            Feasible::Unknown(reason) => self.give_up(reason),
            Feasible::Now | Feasible::With(_) if self.is_undisturbed(thread) => {
                return Err(Fault::Undecided(condition));
            }
            Feasible::Now | Feasible::With(_) => {
                self.lose(format!("what `{function}` reads while other threads run was given one value of many"));
            }
        }
        self.constrain(thread, here);
        Ok(holds)
    }

    /// Whether nobody else can step before this thread does.
    fn is_undisturbed(&self, thread: ThreadId) -> bool {
        let waits = |core: &Core| match core.park {
            Park::Unborn | Park::Ended | Park::Unrolled | Park::FalseAssumption => true,
            Park::WentRound | Park::TookBack | Park::Idles => true,
            Park::Joining { .. } => !core.cancel_pending,
            _ => false,
        };
        let mut others = self.threads.iter().enumerate().filter(|(number, _)| *number != thread.index());
        others.all(|(_, other)| waits(&other.core))
    }

    /// Parks the thread before the step that decides a condition, at the call that asked for it.
    pub(crate) fn park_undecided(&mut self, thread: ThreadId, condition: ExprId) -> Flow {
        let not = self.symbolic.pool.not(condition);
        let fork = self.look_at(Alternatives { again: true, ..Alternatives::new([condition, not]) });
        self.park_at(thread, fork);
        Flow::Stop
    }

    fn park_at(&mut self, thread: ThreadId, fork: Fork) {
        let wants = Wants { kind: OpKind::Branch, size: 0, address: 0, at: self.user_point(thread), varies: false };
        self.symbolic.forks.push(fork);
        self.symbolic.undecided = Some(thread);
        self.threads[thread.index()].core.park = Park::Before(wants);
    }

    /// Lets a term take each of its values one after the other, bit by bit. None once it has one value only.
    pub(super) fn each_value(&mut self, thread: ThreadId, term: ExprId, what: &str) -> Option<Alternatives> {
        self.symbolic.pool.as_constant(term).is_none().then_some(())?;
        if let Some((of, pinned, path)) = self.symbolic.pinned
            && (of, pinned) == (thread, term)
            && self.symbolic.path.goes_on_from(path)
        {
            return None;
        }
        if self.symbolic.is_fresh() {
            self.record_pick(thread, term);
            return None;
        }
        if !self.has_few_values(thread, term) {
            self.pin(thread, term);
            self.lose(format!("{what} was given one value of many"));
            return None;
        }
        for bit in (0..self.symbolic.pool.width(term)).rev() {
            let set = self.symbolic.pool.bit(term, bit);
            if self.symbolic.pool.as_constant(set).is_some() {
                continue;
            }
            let clear = self.symbolic.pool.not(set);
            if self.is_feasible_for(thread, set) && self.is_feasible_for(thread, clear) {
                return Some(Alternatives { again: true, value_of: Some(term), ..Alternatives::new([clear, set]) });
            }
        }
        None
    }

    /// Whether the term has so few values, for all that the thread knows, that each of them is taken.
    pub(crate) fn has_few_values(&mut self, thread: ThreadId, term: ExprId) -> bool {
        let symbolic = &mut self.symbolic;
        if symbolic.is_fresh() {
            return false;
        }
        if symbolic.pool.facts(term).possible(symbolic.pool.width(term)).count_ones() <= MOST_VALUES.ilog2() {
            return true;
        }
        // The values have not become more since they were counted.
        if let Some((of, counted, path)) = symbolic.counted
            && (of, counted) == (thread, term)
            && symbolic.path.goes_on_from(path)
        {
            return true;
        }
        let known = self.known(thread);
        let symbolic = &mut self.symbolic;
        let stamp = symbolic.path.stamp();
        let model = Rc::clone(symbolic.model());
        let related = known.unwrap_or_else(|| symbolic.path.related_to(&symbolic.pool, term));
        let query = Query::new(&related).with_hint(&model).within(&symbolic.budget);
        let few = values(&mut symbolic.solver, &mut symbolic.pool, &query, term, MOST_VALUES).complete;
        if few {
            symbolic.counted = Some((thread, term, stamp));
        }
        few
    }

    /// Only inputs for which the term has its present value count from here on.
    pub(crate) fn pin(&mut self, thread: ThreadId, term: ExprId) {
        if self.symbolic.is_fresh() {
            if self.symbolic.pool.as_constant(term).is_none() {
                self.record_pick(thread, term);
            }
            return;
        }
        let value = self.symbolic.value(term);
        let pool = &mut self.symbolic.pool;
        let value = pool.constant(value, pool.width(term));
        let equal = pool.eq(term, value);
        if pool.as_constant(equal).is_none() {
            self.constrain(thread, equal);
        }
        self.symbolic.pinned = Some((thread, term, self.symbolic.path.stamp()));
    }
}
