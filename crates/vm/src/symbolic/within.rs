//! Decisions in the middle of a step. Nobody else may step within an atomic section, and whether an exchange happens is seen
//! by the step that makes it: there is no state between in which a step of its own could decide, or a reduction would have
//! to know that others cannot come there. So the ways that inputs lead to are the variants of the step as a whole, like the
//! waiters of a signal. Which there are is found out by making the step for a try, one way after the other, and going back.

use super::fork::{Alternatives, Feasible, Fork};
use crate::access::Access;
use crate::fault::Fault;
use crate::machine::{End, Machine};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_expr::ExprId;
use gordian_ir::{Inst, Slot};
use gordian_trace::{Choice, OpKind};

/// Ways that one step may go. Beyond them one is taken, and the rest is said to be lost.
const MOST_WAYS: usize = 256;

/// Variants are below this.
const MOST_CODES: u32 = 1 << 30;

/// How the decisions of a step go.
pub struct Script {
    from: From,
    made: Vec<Decision>,
    /// In how many ways the decisions so far could go, all alternatives counted.
    n_codes: u32,
    /// Decisions by functions that took what was at hand count as well: a try must not take other ones than the step.
    is_full: bool,
}

enum From {
    /// The number of a variant: see [`Script::code`].
    Code(u32),
    /// The first decisions of a try; those behind them go the first way there is.
    Try(Vec<u32>),
}

struct Decision {
    taken: u32,
    n_alternatives: u32,
    /// Other ways that some inputs lead to, behind the one taken.
    others: Vec<u32>,
}

impl Script {
    fn new(from: From) -> Script {
        Script { from, made: Vec::new(), n_codes: 1, is_full: false }
    }

    fn is_try(&self) -> bool {
        matches!(self.from, From::Try(_))
    }

    /// The decision among so many alternatives, of which there are these; none if there have been too many.
    fn next(&mut self, n_alternatives: u32, variants: &[u32]) -> Option<u32> {
        let n_codes = self.n_codes.checked_mul(n_alternatives).filter(|&n| n < MOST_CODES && !self.is_full);
        self.is_full = n_codes.is_none();
        self.n_codes = n_codes?;
        let taken = match &mut self.from {
            From::Code(code) => {
                let taken = *code % n_alternatives;
                *code /= n_alternatives;
                taken
            }
            From::Try(first) => first.get(self.made.len()).copied().unwrap_or(variants[0]),
        };
        let others = variants.iter().copied().filter(|&variant| variant > taken).collect();
        self.made.push(Decision { taken, n_alternatives, others });
        Some(taken)
    }

    /// A number that says which way each decision went, the same whatever is possible besides.
    fn code(&self) -> u32 {
        self.made.iter().rev().fold(0, |code, decision| code * decision.n_alternatives + decision.taken)
    }

    /// What the next try begins with; none if all ways were tried.
    fn next_try(mut self) -> Option<Vec<u32>> {
        while let Some(last) = self.made.pop() {
            if let Some(&other) = last.others.first() {
                return Some(self.made.iter().map(|decision| decision.taken).chain([other]).collect());
            }
        }
        None
    }
}

impl super::Symbolic {
    /// The step was made.
    pub(crate) fn forget_script(&mut self) {
        self.script = None;
    }
}

impl Machine<'_> {
    /// Whether the machine makes a step for a try.
    pub(crate) fn is_trying(&self) -> bool {
        self.symbolic.script.as_ref().is_some_and(Script::is_try)
    }

    /// Whether inputs may decide something in the middle of the thread's next step.
    fn may_decide_within(&self, thread: ThreadId) -> bool {
        let core = &self.threads[thread.index()].core;
        let Park::Before(wants) = core.park else { return false };
        if self.is_spinning(thread) || !self.has_other_threads() {
            return false;
        }
        match wants.kind {
            OpKind::AtomicBegin => true,
            OpKind::CasOk => {
                let inst = *self.instruction(thread);
                let Inst::CmpXchg { size, expected_new, .. } = inst else { return false };
                let is_there = self.memory.check(wants.address, u64::from(size), true).is_ok();
                let has_terms = || self.memory.has_terms(wants.address, u64::from(size));
                // Its variants say whether it fails for no reason.
                let has_variants = self.may_fail_weakly(inst);
                let expected = || self.has_wide_term(thread, expected_new, 8 * size);
                !has_variants && is_there && (has_terms() || expected())
            }
            // A section that had to wait goes on.
            OpKind::Lock | OpKind::ReadLock | OpKind::SemWait if core.atomic > 0 => {
                self.can_do(thread, wants) && !self.is_timed(thread) && !core.cancel_pending
            }
            _ => false,
        }
    }

    /// Finds out in which ways the next steps of threads can go within.
    #[inline]
    pub(crate) fn find_ways(&mut self) {
        if (self.memory.has_inputs && !self.symbolic.is_fresh()) || !self.symbolic.ways.is_empty() {
            self.find_ways_of_inputs();
        }
    }

    #[inline(never)]
    fn find_ways_of_inputs(&mut self) {
        let before = std::mem::take(&mut self.symbolic.ways);
        if self.memory.has_inputs && self.end.is_none() && self.symbolic.undecided.is_none() {
            for thread in (0..self.threads.len() as u32).map(ThreadId) {
                if self.may_decide_within(thread) {
                    let codes = self.try_ways(thread);
                    self.symbolic.ways.push((thread, codes));
                }
            }
        }
        for thread in before.iter().chain(&self.symbolic.ways).map(|(thread, _)| *thread) {
            self.choices.doubt(thread);
        }
    }

    /// The variants of a step that inputs decide about within.
    pub(crate) fn ways(&self, thread: ThreadId) -> Option<&[u32]> {
        self.symbolic.ways.iter().find(|(of, _)| *of == thread).map(|(_, codes)| &codes[..])
    }

    /// Tries each way of the thread's next step; gives their numbers in order.
    fn try_ways(&mut self, thread: ThreadId) -> Vec<u32> {
        let (mut codes, mut first) = (Vec::new(), Some(Vec::new()));
        // What is only tried covers nothing.
        let coverage = std::mem::take(&mut self.settings.coverage);
        while let Some(begin) = first.take().filter(|_| codes.len() < MOST_WAYS) {
            let mark = self.snapshot();
            self.begin_step(Choice { thread, variant: 0 });
            self.symbolic.script = Some(Script::new(From::Try(begin)));
            self.perform(thread);
            let script = self.symbolic.script.take().expect("it was put there");
            self.go_back(mark);
            codes.push(script.code());
            first = script.next_try();
        }
        self.settings.coverage = coverage;
        codes.sort_unstable();
        codes
    }

    /// The step that is about to be made is decided within by its variant, which then says nothing else.
    pub(crate) fn follow_variant(&mut self, choice: Choice) {
        let Some(codes) = self.ways(choice.thread) else { return };
        let is_cut = codes.len() == MOST_WAYS;
        if is_cut {
            self.lose(TOO_MANY);
        }
        self.symbolic.script = Some(Script::new(From::Code(choice.variant)));
        self.variant = 0;
        if choice.variant > 0 {
            self.symbolic.scripted.push(self.log.schedule.len() as u32 - 1);
        }
    }

    /// Whether the variant of a step says how inputs decided within.
    pub(crate) fn is_scripted(&self, step: usize) -> bool {
        self.symbolic.scripted.binary_search(&(step as u32)).is_ok()
    }

    /// Makes a decision in the middle of a step.
    pub(super) fn decide_within(&mut self, thread: ThreadId, fork: &Fork, otherwise: &str) {
        let variants: Vec<u32> = fork.variants().collect();
        let n_alternatives = fork.alternatives.conditions.len() as u32;
        let script = self.symbolic.script.as_mut();
        let Some(taken) = script.and_then(|script| script.next(n_alternatives, &variants)) else {
            self.take_present(thread, fork);
            self.lose(otherwise);
            return;
        };
        let changes = match &fork.found[taken as usize] {
            Feasible::Now => None,
            Feasible::With(changes) => Some(changes.clone()),
            Feasible::No | Feasible::Unknown(_) => unreachable!("a step is made in ways that were tried"),
        };
        self.constrain(thread, fork.alternatives.conditions[taken as usize]);
        if let Some(changes) = changes {
            self.change_inputs(&changes);
        }
        if self.threads[thread.index()].core.atomic > 0 {
            self.push_event(thread, OpKind::Branch, 0, 0, u64::from(taken), 0);
        }
    }

    /// The end of a section: what follows it is not to be tried.
    pub(crate) fn end_try(&mut self) {
        if self.is_trying() {
            self.finish(End::Dropped);
        }
    }

    /// Whether an exchange happens, as a condition; none if no inputs decide.
    fn exchange(&mut self, thread: ThreadId, expected: Slot, access: Access) -> Option<ExprId> {
        let width = 8 * access.size as u8;
        let old = self.wide_load_term(access);
        if old.is_none() && !self.has_wide_term(thread, expected, width) {
            return None;
        }
        let value = self.read_value(access);
        let old = old.unwrap_or_else(|| self.symbolic.pool.constant(value, width.into()));
        let expected = self.wide_term(thread, expected, width);
        let equal = self.symbolic.pool.eq(old, expected);
        self.symbolic.pool.as_constant(equal).is_none().then_some(equal)
    }

    /// Decides whether an exchange happens that others see. Tells whether it would be for inputs to decide, whatever stood
    /// there.
    pub(crate) fn decide_exchange(&mut self, thread: ThreadId, inst: Inst, access: Access) -> bool {
        let Inst::CmpXchg { expected_new, .. } = inst else { return false };
        let Some(equal) = self.exchange(thread, expected_new, access) else {
            return self.has_wide_term(thread, expected_new, 8 * access.size as u8);
        };
        let not = self.symbolic.pool.not(equal);
        let alternatives = Alternatives::new([equal, not]);
        if self.symbolic.is_fresh() {
            self.record_decision(thread, &alternatives);
            return false;
        }
        let fork = self.look_at(alternatives);
        if self.is_open(thread, &fork) {
            self.decide_within(thread, &fork, "inputs decide whether an exchange happens; only one way was taken");
        }
        if self.threads[thread.index()].core.atomic == 0 {
            self.end_try();
        }
        true
    }

    /// If inputs decide whether an exchange happens that nobody else sees: parks the thread before that decision, and tells
    /// that it did.
    pub(crate) fn look_for_exchange(&mut self, thread: ThreadId, inst: Inst, access: Access) -> Result<bool, Fault> {
        let Inst::CmpXchg { expected_new, .. } = inst else { return Ok(false) };
        let Some(equal) = self.exchange(thread, expected_new, access) else { return Ok(false) };
        let not = self.symbolic.pool.not(equal);
        let alternatives = Alternatives { again: true, ..Alternatives::new([equal, not]) };
        if self.symbolic.is_fresh() {
            self.record_decision(thread, &alternatives);
            return Ok(false);
        }
        let fork = self.look_at(alternatives);
        Ok(self.is_open(thread, &fork) && self.park_or_decide(thread, fork))
    }
}

pub(super) const TOO_MANY: &str = "inputs decide how an atomic section goes on; only some of very many ways were taken";
