//! One execution out of order: the partner is made to happen before the trigger.

use crate::guide::{Guide, Order, meet};
use crate::rank::{Kind, Rank};
use crate::search::Options;
use crate::threads::Threads;
use gordian_base::{FxHashSet, ThreadId};
use gordian_engine::Point;
use gordian_trace::{Choice, CodePoint, OpKind, Wants};
use std::rc::Rc;

/// What is to happen before the trigger.
#[derive(Clone, Copy, Debug)]
pub enum Target {
    /// The partner of a static pair, by this thread.
    Partner { order: Order, thread: ThreadId },
    /// Another thread that was woken takes the lock first.
    Woken { thread: ThreadId },
    /// Nothing: the trigger goes another way, so that a signal wakes another waiter.
    Variant { variant: u32 },
}

/// A pair of a backtracking point that is left to be tried.
#[derive(Clone)]
pub struct Candidate {
    pub rank: Rank,
    /// The execution that the point lies on.
    pub run: Rc<[Choice]>,
    /// The steps of it before the trigger.
    pub depth: usize,
    pub trigger: ThreadId,
    pub wants: Wants,
    pub target: Target,
    /// Instances of the partner to pass by.
    pub skip: u32,
}

/// What became of a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Fulfilled,
    /// The partner cannot be reached any more.
    Inaccessible,
    /// Nobody could go on but the trigger.
    Blocked,
}

enum Stage {
    /// The prefix is made again.
    Replay,
    /// The partner is looked for.
    Seek { skip: u32 },
    /// It has happened, and its thread goes on until it has released these.
    Release { locks: Vec<u64> },
    /// Rule 1: the trigger's thread first.
    Complete { is_first: bool },
}

/// The execution under way.
pub struct Directed {
    pub candidate: Candidate,
    stage: Stage,
    pub outcome: Option<Outcome>,
    /// An instance of the partner that was passed by, since its address is another.
    pub differs: Option<CodePoint>,
    /// A lock of the trigger's thread that the partner's waits for.
    pub own_lock: Option<u64>,
}

/// What to do in a state.
pub enum Step {
    Choose(usize),
    Abandon,
}

/// Everything that a step may depend on.
pub struct Surroundings<'a, 'g, 'p> {
    pub guide: &'a Guide<'g, 'p>,
    pub options: Options,
    pub threads: &'a Threads,
}

/// Rule 1: the thread that made the last step goes on if it can, else the first.
pub fn default_choice(point: &Point<'_>) -> usize {
    let own = point.last().and_then(|last| position(point, last));
    own.unwrap_or(0)
}

pub fn position(point: &Point<'_>, thread: ThreadId) -> Option<usize> {
    point.choices.iter().position(|choice| choice.thread == thread)
}

impl Directed {
    pub fn new(candidate: Candidate) -> Self {
        Directed { candidate, stage: Stage::Replay, outcome: None, differs: None, own_lock: None }
    }

    /// Whether the execution goes its own way by now.
    pub fn is_completing(&self) -> bool {
        matches!(self.stage, Stage::Complete { .. })
    }

    pub fn step(&mut self, point: &Point<'_>, around: &Surroundings<'_, '_, '_>) -> Step {
        if matches!(self.stage, Stage::Replay) {
            if point.depth < self.candidate.depth {
                let wanted = self.candidate.run[point.depth];
                let index = point.choices.iter().position(|choice| *choice == wanted);
                return Step::Choose(index.expect("the same prefix, the same choices"));
            }
            self.stage = Stage::Seek { skip: self.candidate.skip };
        }
        let partner = match self.candidate.target {
            Target::Variant { variant } => return self.other_variant(point, variant),
            Target::Partner { thread, .. } | Target::Woken { thread } => thread,
        };
        if let Stage::Seek { .. } = self.stage
            && let Some(step) = self.seek(point, around, partner)
        {
            return step;
        }
        if let Stage::Release { locks } = &self.stage {
            if locks.iter().any(|&lock| around.threads.holds(partner, lock)) {
                return self.go_on(point, around, partner);
            }
            self.complete(Outcome::Fulfilled);
        }
        Step::Choose(self.completing(point))
    }

    fn complete(&mut self, outcome: Outcome) {
        self.outcome = Some(outcome);
        self.stage = Stage::Complete { is_first: true };
    }

    fn completing(&mut self, point: &Point<'_>) -> usize {
        let Stage::Complete { is_first } = &mut self.stage else { unreachable!("the partner has happened") };
        let trigger = self.candidate.trigger;
        let first = std::mem::take(is_first).then(|| position(point, trigger)).flatten();
        first.unwrap_or_else(|| default_choice(point))
    }

    fn other_variant(&mut self, point: &Point<'_>, variant: u32) -> Step {
        if self.outcome.is_none() {
            self.complete(Outcome::Fulfilled);
            self.stage = Stage::Complete { is_first: false };
            let wanted = Choice { thread: self.candidate.trigger, variant };
            if let Some(index) = point.choices.iter().position(|choice| *choice == wanted) {
                return Step::Choose(index);
            }
        }
        Step::Choose(self.completing(point))
    }

    /// The next step on the way to the partner. None once it has happened.
    fn seek(&mut self, point: &Point<'_>, around: &Surroundings<'_, '_, '_>, partner: ThreadId) -> Option<Step> {
        let Some(wants) = point.wants(partner) else {
            self.outcome = Some(Outcome::Inaccessible);
            return Some(Step::Abandon);
        };
        let (is_partner, is_here) = match &self.candidate.target {
            Target::Partner { order, .. } => (around.guide.is_partner(order, &wants), self.is_here(around, &wants)),
            _ => (wants.kind == OpKind::Woken, true),
        };
        let can_go_on = position(point, partner).is_some();
        if is_partner && can_go_on {
            let Stage::Seek { skip } = &mut self.stage else { unreachable!("it is looked for") };
            if !is_here {
                self.differs = Some(wants.at);
            } else if *skip > 0 {
                *skip -= 1;
            } else {
                self.stage = self.after_partner(around, partner, &wants);
                return position(point, partner).map(Step::Choose);
            }
        } else if !is_partner && self.is_out_of_reach(around, &wants) {
            self.outcome = Some(Outcome::Inaccessible);
            return Some(Step::Abandon);
        }
        Some(self.go_on(point, around, partner))
    }

    /// Whether the partner is about the same bytes as the trigger.
    fn is_here(&self, around: &Surroundings<'_, '_, '_>, wants: &Wants) -> bool {
        !around.options.refinement || meet(&self.candidate.wants, wants)
    }

    fn is_out_of_reach(&self, around: &Surroundings<'_, '_, '_>, wants: &Wants) -> bool {
        let Target::Partner { order, .. } = &self.candidate.target else { return false };
        around.options.accessibility && !around.guide.may_reach(order.thread, wants.at, order.partner)
    }

    /// What is left to do when the partner has happened.
    fn after_partner(&self, around: &Surroundings<'_, '_, '_>, partner: ThreadId, wants: &Wants) -> Stage {
        let locks = match &self.candidate.target {
            Target::Partner { order, .. } if around.guide.signals(order) => around.threads.locks_of(partner),
            Target::Partner { order, .. } if order.kind >= Kind::WaitMonitor => vec![wants.address],
            Target::Woken { .. } => vec![wants.address],
            _ => Vec::new(),
        };
        Stage::Release { locks }
    }

    /// The partner's thread goes on, or whoever it waits for.
    fn go_on(&mut self, point: &Point<'_>, around: &Surroundings<'_, '_, '_>, partner: ThreadId) -> Step {
        let trigger = self.candidate.trigger;
        let mut next = partner;
        let mut asked = FxHashSet::default();
        // Up the fulfilling stack: who holds what the thread below waits for.
        while asked.insert(next) {
            if let Some(index) = position(point, next) {
                return Step::Choose(index);
            }
            let lock = point.wants(next).map_or(0, |wants| wants.address);
            let Some(holder) = around.threads.holders(lock).next() else { break };
            if holder == trigger {
                self.own_lock = Some(lock);
                return self.give_up(point);
            }
            next = holder;
        }
        match point.choices.iter().position(|choice| choice.thread != trigger) {
            Some(index) => Step::Choose(index),
            None => self.give_up(point),
        }
    }

    /// Nobody can go on but the trigger. If nothing has happened yet, that is the execution that the point lies on.
    fn give_up(&mut self, point: &Point<'_>) -> Step {
        self.complete(Outcome::Blocked);
        match point.depth == self.candidate.depth {
            true => Step::Abandon,
            false => Step::Choose(self.completing(point)),
        }
    }
}
