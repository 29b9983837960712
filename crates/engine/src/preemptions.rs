//! The preemption bound (Musuvathi and Qadeer, PLDI 2007): switching away from a thread that could have gone
//! on costs one preemption; switches at blocking operations and yields are free.

use crate::Executor;
use gordian_base::ThreadId;
use gordian_trace::{Choice, OpKind};
use std::ops::Range;

/// The preemptions of the present execution, and whether the bound ever cut something off.
pub(crate) struct Preemptions {
    bound: Option<u32>,
    pub used: u32,
    /// A choice was withheld from the strategy.
    pub cut: bool,
}

/// What may be chosen at a point, as a range of the machine's choices.
pub(crate) struct Allowed {
    pub range: Range<usize>,
    /// The thread whose preemption costs.
    costs: Option<ThreadId>,
}

impl Preemptions {
    pub fn new(bound: Option<u32>) -> Self {
        Preemptions { bound, used: 0, cut: false }
    }

    #[inline]
    pub fn are_bounded(&self) -> bool {
        self.bound.is_some()
    }

    #[inline]
    pub fn allowed<E: Executor>(&mut self, machine: &E) -> Allowed {
        let all = 0..machine.choices().len();
        let Some(bound) = self.bound else { return Allowed { range: all, costs: None } };
        let Some(own) = continuation(machine) else { return Allowed { range: all, costs: None } };
        let costs = Some(machine.choices()[own.start].thread);
        let full = self.used >= bound;
        self.cut |= full && own.len() < all.len();
        Allowed { range: if full { own } else { all }, costs }
    }

    #[inline]
    pub fn pay(&mut self, allowed: &Allowed, chosen: Choice) {
        if allowed.costs.is_some_and(|thread| thread != chosen.thread) {
            self.used += 1;
        }
    }
}

/// The choices by which the thread that made the last step goes on, if turning away from it is a preemption: it can go on in the ordinary
/// way (a thread that could only time out or wake spuriously is blocked), and it has not just given way.
fn continuation<E: Executor>(machine: &E) -> Option<Range<usize>> {
    continuation_of(machine.last_operation(), machine.choices())
}

/// The same out of these choices, after this operation.
pub(crate) fn continuation_of(last: Option<(ThreadId, OpKind)>, choices: &[Choice]) -> Option<Range<usize>> {
    let (thread, kind) = last?;
    if gives_way(kind) {
        return None;
    }
    let start = choices.iter().position(|choice| choice.thread == thread)?;
    if choices[start].variant != 0 {
        return None;
    }
    let len = choices[start..].iter().take_while(|choice| choice.thread == thread).count();
    Some(start..start + len)
}

/// Operations after which another thread is expected to run.
fn gives_way(kind: OpKind) -> bool {
    matches!(kind, OpKind::Yield | OpKind::Sleep | OpKind::Wait | OpKind::BarrierArrive)
}
