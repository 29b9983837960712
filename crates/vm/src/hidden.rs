//! State that threads share and that lies in no memory of the program: what it is, and who looks at it or changes it.
//!
//! Every look and every change is logged where it happens ([`OpKind::Look`], [`OpKind::Change`]), so that whoever orders steps sees it. An operation
//! that touches such state is a scheduling point of its own. Where a program has no operation that could change a piece of state while several threads
//! run, nobody needs to know who looks at it: that is found out once, from the functions that the program calls ([`Uses`]).

use crate::machine::Machine;
use crate::sync::MUTEX_SIZE;
use gordian_base::ThreadId;
use gordian_ir::{Callee, Program};
use gordian_trace::{Hidden, OpKind};

/// Which functions the program calls, as far as that decides what must be logged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// Threads may be cancelled.
    pub cancels: bool,
    /// Who joins or detaches a thread may depend on the schedule: threads are detached, or joined elsewhere than in `main`.
    pub shares_threads: bool,
    /// Mutexes may be robust.
    pub robust: bool,
}

/// A robust mutex was taken or given up.
#[derive(Clone, Copy, Debug)]
pub struct Robust {
    pub thread: ThreadId,
    pub mutex: u64,
    pub is_taken: bool,
}

impl Uses {
    pub fn of(program: &Program) -> Uses {
        let calls = |names: &[&str]| program.externals.iter().any(|external| names.contains(&external.name.as_str()));
        let cancels = calls(&["pthread_cancel"]);
        let is_join = |callee: Callee| match callee {
            Callee::External(external) => {
                matches!(program.externals[external].name.as_str(), "pthread_join" | "thrd_join")
            }
            Callee::Function(_) | Callee::Indirect(_) => false,
        };
        let joins_elsewhere = program
            .functions
            .enumerate()
            .any(|(id, function)| Some(id) != program.main && function.calls.iter().any(|call| is_join(call.callee)));
        Uses {
            cancels,
            shares_threads: cancels || joins_elsewhere || calls(&["pthread_detach", "thrd_detach"]),
            robust: calls(&["pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np"]),
        }
    }
}

impl Machine<'_> {
    /// The thread looks at hidden state.
    pub(crate) fn look_at_hidden(&mut self, thread: ThreadId, what: Hidden) {
        self.push_event(thread, OpKind::Look, what.address(), 0, 0, 0);
    }

    /// The thread changes hidden state.
    pub(crate) fn change_hidden(&mut self, thread: ThreadId, what: Hidden) {
        self.push_event(thread, OpKind::Change, what.address(), 0, 0, 0);
    }

    /// The thread, or who lets it go on, looks whether it is to be cancelled.
    pub(crate) fn look_for_cancellation(&mut self, thread: ThreadId) {
        if self.uses.cancels && self.many() {
            self.look_at_hidden(thread, Hidden::Cancellation(thread));
        }
    }

    /// The robust mutexes that the thread has taken and not given up, and whether it still holds them: others may have freed or overwritten them.
    pub(crate) fn robust_mutexes_of(&self, thread: ThreadId) -> Vec<(u64, bool)> {
        let mut taken: Vec<u64> = Vec::new();
        for robust in self.robust.iter().filter(|robust| robust.thread == thread) {
            taken.retain(|&mutex| mutex != robust.mutex);
            if robust.is_taken {
                taken.push(robust.mutex);
            }
        }
        let is_held = |mutex| {
            let holder = self.lock_holder(mutex, MUTEX_SIZE).map(|(holder, _)| holder);
            holder == Some(thread) && self.is_unusual_lock(mutex, MUTEX_SIZE)
        };
        taken.into_iter().map(|mutex| (mutex, is_held(mutex))).collect()
    }
}
