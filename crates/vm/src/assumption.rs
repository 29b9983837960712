//! False assumptions. A thread whose assumption does not hold stops there for good and the others go on, as if it were
//! never scheduled again: what they do is possible, since they might as well have done it before. Within an atomic
//! section nobody else can step, so there the whole execution is blocked.

use crate::interp::Flow;
use crate::machine::{End, Machine};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};

impl Machine<'_> {
    /// The thread's assumption does not hold.
    pub(crate) fn stop_at_false_assumption(&mut self, thread: ThreadId) -> Flow {
        let core = &mut self.threads[thread.index()].core;
        core.park = Park::FalseAssumption;
        if core.atomic > 0 {
            self.finish(End::Dropped);
        }
        Flow::Stop
    }

    /// Whether a thread stands at a false assumption.
    pub(crate) fn is_at_false_assumption(&self) -> bool {
        self.threads.iter().any(|thread| thread.core.park == Park::FalseAssumption)
    }

    /// Whether a thread stands at a false assumption within an atomic section, so that others could not go on.
    pub(crate) fn is_blocked_in_section(&self) -> bool {
        let is_within = |park, atomic| park == Park::FalseAssumption && atomic > 0;
        self.threads.iter().any(|thread| is_within(thread.core.park, thread.core.atomic))
    }
}
