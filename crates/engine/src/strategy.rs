//! Where the engine and the strategies meet.

use crate::{End, Results, Stepping, Visibility};
use gordian_base::ThreadId;
use gordian_trace::{Choice, Event, Exploration, OpKind, Wants};
use std::cell::RefCell;

/// Decides which executions are made. The engine asks only where there is a choice: steps that can go
/// one way only are made without asking, unless the strategy wants to see every step.
pub trait Strategy {
    /// Its name and the guarantee that it gives. Asked for at the end, so that the guarantee may speak of
    /// what the search saw.
    fn exploration(&self) -> Exploration;

    /// Which of `point.choices` to make, by its index. There are at least two, or one for strategies that see
    /// every step. `None` abandons the execution: whatever comes of it has been or will be executed elsewhere.
    fn choose(&mut self, point: &Point<'_>) -> Option<usize>;

    /// Asked after every choice: how to go on from it without being asked, if that is all the same to it.
    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        None
    }

    /// An execution ended; where does the next begin?
    fn next(&mut self, ended: &Ended<'_>) -> Next;

    /// Facts about the search that users should know. Asked for at the end.
    fn notes(&self) -> Vec<String> {
        Vec::new()
    }

    /// What it does of that which concerns the engine. The same all the time.
    fn capabilities(&self) -> Capabilities {
        Capabilities::default()
    }

    /// This strategy as one of several workers that share a search; none if it searches alone.
    fn as_worker(&mut self) -> Option<&mut dyn Worker> {
        None
    }

    /// The estimated fraction of the search that is done, where the strategy has an estimate.
    fn done(&self) -> Option<f64> {
        None
    }
}

/// One of several strategies that share a search. Each explores one part of it after the other, and hands over the results of a
/// part with [`Ended::take_results`] when it has come to its end or is given to others.
pub trait Worker {
    /// Where it begins; waits until there is something to do.
    fn begin(&mut self) -> Next;

    /// Its part ends with the execution that just ended, whatever is left of it. Where does the next begin?
    fn cut(&mut self, results: Results) -> Next;

    /// Whether the execution that it abandoned is another worker's: then it does not count.
    fn leaves_to_others(&self) -> bool;

    /// The search is left before its end: the other workers need not wait any more.
    fn leave(&mut self);
}

/// To go on with the thread that made the last step, or else the first of those that can go on, while the executor has them as a
/// set and can replay steps without making them.
pub struct FastForward<'a> {
    /// Orders to keep.
    pub constraints: &'a mut [OrderConstraint],
}

/// One thread waits, before a certain step, for a step of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderConstraint {
    pub first: ThreadId,
    /// Steps of the first thread up to the one that is waited for.
    pub until: u32,
    pub second: ThreadId,
    /// Steps of the second thread before it has to wait.
    pub before: u32,
}

impl FastForward<'_> {
    /// Who may go on, out of those that can. Threads are bits.
    #[inline]
    pub fn allowed(&self, free: u64) -> u64 {
        let held = self.constraints.iter().filter(|order| order.until > 0 && order.before == 0);
        held.fold(free, |free, order| free & !1u64.checked_shl(order.second.0).unwrap_or(0))
    }

    /// Who goes on, out of those that may.
    #[inline]
    pub fn pick(allowed: u64, last: ThreadId) -> Option<ThreadId> {
        let goes_on = last.0 < u64::BITS && allowed >> last.0 & 1 != 0;
        if goes_on { Some(last) } else { (allowed != 0).then(|| ThreadId(allowed.trailing_zeros())) }
    }

    /// A step of this thread was made.
    #[inline]
    pub fn made(&mut self, thread: ThreadId) {
        for order in &mut *self.constraints {
            order.until -= u32::from(order.first == thread && order.until > 0);
            order.before -= u32::from(order.second == thread && order.before > 0);
        }
    }
}

/// A state that was passed without asking.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkippedState {
    /// Those that could go on and were allowed to. See [`Stepping::free`].
    pub free: u64,
    /// Events before it.
    pub n_events: u32,
}

/// How a strategy works. The default is one that samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Capabilities {
    /// [`Next::Done`] means that every behaviour within the bounds was executed. The others sample.
    pub exhaustive: bool,
    /// It leaves out executions that are equivalent to others. Of executions that are cut off it does not know.
    pub reduces: bool,
    /// [`Next::Backtrack`] may be asked for. The engine then keeps the way back to every choice point of the present
    /// execution; otherwise only to the first, so that the prefix before it never runs again.
    pub backtracks: bool,
    /// `choose` is asked before every step but those of [`Strategy::fast_forward`], even where there is nothing to choose.
    pub sees_every_step: bool,
    /// It compares states ([`Point::tell_state`]), so no step may be replayed from the memo.
    pub compares_states: bool,
}

impl Capabilities {
    /// Of a partial order reduction.
    pub const REDUCTION: Capabilities = Capabilities {
        exhaustive: true,
        reduces: true,
        backtracks: true,
        sees_every_step: true,
        compares_states: false,
    };
}

/// A state of the execution in which there is a choice.
pub struct Point<'a> {
    /// Choice points before this one. 0 means that a new execution begins.
    pub depth: usize,
    /// Steps before this one; equals `schedule.len()`.
    pub step: usize,
    /// What can be chosen, sorted by thread, then variant. What a bound forbids is not among them.
    pub choices: &'a [Choice],
    /// See [`Stepping::free`].
    pub free: u64,
    /// The choices made so far, one for each step.
    pub schedule: &'a [Choice],
    /// The events so far, at least one for each step.
    pub events: &'a [Event],
    /// The states that were passed since it was last asked.
    pub passed: &'a [SkippedState],
    /// Preemptions so far, if they are bounded.
    pub preemptions: u32,
    pub(crate) pending: &'a dyn Pending,
}

impl Point<'_> {
    /// What `thread` does when it is next scheduled, blocked threads included; none for threads that ended.
    pub fn wants(&self, thread: ThreadId) -> Option<Wants> {
        self.pending.wants(thread)
    }

    /// The thread that made the last step.
    pub fn last(&self) -> Option<ThreadId> {
        self.schedule.last().map(|choice| choice.thread)
    }

    /// See [`Stepping::tell_state`] and [`Capabilities::compares_states`].
    pub fn tell_state(&self, part: &mut dyn FnMut(&[u8])) -> bool {
        self.pending.tell_state(part)
    }

    /// See [`Stepping::last_operation`].
    pub fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        self.pending.last_operation()
    }
}

/// The questions that a point passes on to the machine; keeps [`Point`] free of its type.
pub(crate) trait Pending {
    fn wants(&self, thread: ThreadId) -> Option<Wants>;
    fn nobody_waits(&self) -> bool;
    fn last_operation(&self) -> Option<(ThreadId, OpKind)>;
    fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)>;
    fn tell_state(&self, part: &mut dyn FnMut(&[u8])) -> bool;
}

impl<E: Stepping> Pending for E {
    fn wants(&self, thread: ThreadId) -> Option<Wants> {
        Stepping::wants(self, thread)
    }
    fn nobody_waits(&self) -> bool {
        Stepping::nobody_waits(self)
    }
    fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        Stepping::last_operation(self)
    }
    fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)> {
        Stepping::watched(self, thread)
    }
    fn tell_state(&self, part: &mut dyn FnMut(&[u8])) -> bool {
        Stepping::tell_state(self, part)
    }
}

/// An execution that has come to its end.
pub struct Ended<'a> {
    /// None if the strategy abandoned it.
    pub end: Option<&'a End>,
    /// It ended because no thread could step.
    pub stuck: bool,
    /// Choice points that it passed.
    pub depth: usize,
    pub schedule: &'a [Choice],
    pub events: &'a [Event],
    /// The states that were passed since the strategy was last asked.
    pub passed: &'a [SkippedState],
    pub n_threads: usize,
    /// One more than the highest number of a thread; numbers may have gaps.
    pub thread_numbers: usize,
    pub visibility: Visibility,
    pub(crate) pending: &'a dyn Pending,
    pub(crate) results: &'a RefCell<Results>,
}

impl Ended<'_> {
    /// What the executions came to since this was last taken, the one that just ended included.
    pub fn take_results(&self) -> Results {
        self.results.take()
    }

    /// Whether there are findings among them.
    pub fn has_findings(&self) -> bool {
        !self.results.borrow().collector.is_empty()
    }

    /// The places that `thread` watches if it waits in a loop: address, size and kind of place, as
    /// [`gordian_trace::OpKind::Watch`] has them.
    pub fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)> {
        self.pending.watched(thread)
    }

    /// The threads that would have done something next, and what.
    pub fn waiting(&self) -> impl Iterator<Item = (ThreadId, Wants)> {
        let numbers = if self.pending.nobody_waits() { 0 } else { self.thread_numbers as u32 };
        (0..numbers).map(ThreadId).filter_map(|thread| Some((thread, self.wants(thread)?)))
    }

    /// What `thread` would have done next; none for threads that ended.
    pub fn wants(&self, thread: ThreadId) -> Option<Wants> {
        self.pending.wants(thread)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// From the first choice point.
    Restart,
    /// From the first choice point, as if nothing had been executed: what was found stays, what was counted goes.
    Anew,
    /// From choice point `depth` of the execution that just ended: `choose` is asked again there.
    Backtrack(usize),
    /// From choice point `depth` of the execution that just ended, to another part of the search.
    Elsewhere {
        depth: usize,
        /// The first so many steps on the way have been made and counted before.
        known: usize,
    },
    Done,
}
