//! When the process ends while others could go on.
//!
//! `exit` and the return of `main` end all other threads, at any point of theirs. What is cut off there shows again where all of them run on, since
//! whoever is about to exit may take its time. So the end waits until no other thread can step ([`gordian_trace::Machine::delayed_exits`]), unless somebody
//! could see the difference: exit handlers and destructors that run meanwhile, or what is not freed by then. Of several threads that
//! exit each may be the first. If the others do not come to an end, the search is made again with exits everywhere.

use crate::machine::Machine;
use crate::sched::{EXITS, EXITS_AT_ONCE};
use crate::thread::{Park, Thread};
use gordian_base::ThreadId;
use gordian_ir::Program;
use gordian_trace::{Choice, OpKind};

/// Functions that have something run when the process ends.
const HANDLERS: [&str; 4] = ["atexit", "on_exit", "at_quick_exit", "__cxa_atexit"];

/// Whether exits can be delayed in this program.
pub fn can_wait(program: &Program, settings: &gordian_trace::Machine) -> bool {
    let has_handlers = program.externals.iter().any(|external| HANDLERS.contains(&external.name.as_str()));
    settings.delayed_exits && !settings.leaks && program.destructors.is_empty() && !has_handlers
}

fn is_at_exit(thread: &Thread) -> bool {
    let Park::Before(wants) = thread.core.park else { return false };
    wants.kind == OpKind::ProcessExit && matches!(wants.address, EXITS | EXITS_AT_ONCE)
}

impl Machine<'_> {
    /// Whether the thread is about to end the process, and has to wait for the others.
    #[inline]
    pub(crate) fn waits_to_exit(&self, thread: &Thread) -> bool {
        self.delays_exits && is_at_exit(thread)
    }

    pub(crate) fn somebody_waits_to_exit(&self) -> bool {
        self.threads.iter().any(|thread| self.waits_to_exit(thread))
    }

    /// Whether the thread, which ends the process now, has waited for the others.
    pub(crate) fn has_waited_to_exit(&self, thread: ThreadId) -> bool {
        self.delays_exits && self.must_park(thread)
    }

    /// Those who wait to exit can do so if nobody else can step.
    pub(crate) fn add_exits(&mut self) {
        if !self.delays_exits || !self.choices.list.is_empty() || !self.symbolic.choices.is_empty() {
            return;
        }
        for index in 0..self.threads.len() {
            if self.waits_to_exit(&self.threads[index]) {
                self.choices.list.push(Choice::of(ThreadId(index as u32)));
                self.choices.has_exits = true;
            }
        }
    }
}
