//! State that threads share and that lies in no memory of the program: what it is, and who looks at it or changes it.
//!
//! Every look and every change is logged where it happens ([`OpKind::Look`], [`OpKind::Change`]), so that whoever orders steps sees it. An operation
//! that touches such state is a scheduling point of its own. Where a program has no operation that could change a piece of state while several threads
//! run, nobody needs to know who looks at it: that is found out once, from the functions that the program calls ([`Uses`]).

use crate::machine::Machine;
use crate::sync::MUTEX_SIZE;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Callee, FuncId, Function, Program, Slot, address};
use gordian_trace::{Hidden, OpKind, Wants};

/// Which functions the program calls, as far as that decides what must be logged.
#[derive(Clone, Copy, Debug, Default)]
pub struct Uses {
    /// Threads may be cancelled.
    pub cancels: bool,
    /// Who joins or detaches a thread may depend on the schedule: threads are detached, or joined by others than the main thread.
    pub shares_threads: bool,
    /// Mutexes may be robust.
    pub robust: bool,
    /// Descriptors may be closed or come to stand for something else, or calls on their streams otherwise touch what others see.
    pub changes_descriptors: bool,
    /// Streams may use memory of the program's as their buffers, which others may free.
    pub lends_buffers: bool,
    /// The clock is looked at: waits that end with their time move it on, and whether one does is seen by others.
    pub looks_at_clock: bool,
}

/// A robust mutex was taken or given up.
#[derive(Clone, Copy, Debug)]
pub struct Robust {
    pub thread: ThreadId,
    pub mutex: u64,
    pub is_taken: bool,
}

impl Machine<'_> {
    /// Whether threads of the program may be cancelled.
    pub fn may_cancel(&self) -> bool {
        self.uses.cancels
    }

    /// Whether the program may make mutexes robust.
    pub fn has_robust_mutexes(&self) -> bool {
        self.uses.robust
    }

    /// Whether threads see of others that they have ended.
    pub fn shares_threads(&self) -> bool {
        self.uses.shares_threads
    }
}

impl Uses {
    pub fn of(program: &Program) -> Uses {
        let calls = |names: &[&str]| program.externals.iter().any(|external| names.contains(&external.name.as_str()));
        let cancels = calls(&["pthread_cancel"]);
        let lends_buffers = calls(&SETS_BUFFER) && lends_buffers(program);
        Uses {
            cancels,
            shares_threads: cancels || calls(&["pthread_detach", "thrd_detach"]) || joins_elsewhere(program),
            robust: calls(&["pthread_mutexattr_setrobust", "pthread_mutexattr_setrobust_np"]),
            // What was pushed back into an output stream is lost with the next output.
            changes_descriptors: calls(&["close", "dup2", "dup3", "fclose", "freopen", "freopen64", "ungetc"])
                || lends_buffers,
            lends_buffers,
            looks_at_clock: calls(&LOOKS_AT_CLOCK),
        }
    }
}

const LOOKS_AT_CLOCK: [&str; 6] = ["time", "clock", "times", "gettimeofday", "clock_gettime", "timespec_get"];

/// Functions that give a stream its buffer, the second argument.
const SETS_BUFFER: [&str; 3] = ["setbuf", "setbuffer", "setvbuf"];

/// Whether a stream may get a buffer: one of the functions for it is called with an address that is not plainly null, or through a pointer.
fn lends_buffers(program: &Program) -> bool {
    let sets = |callee: Callee| match callee {
        Callee::External(external) => SETS_BUFFER.contains(&program.externals[external].name.as_str()),
        Callee::Function(_) | Callee::Indirect(_) => false,
    };
    let lends = |function: &Function| {
        let is_null = |slot: &Slot| {
            let nth = slot.index().checked_sub(function.n_registers as usize);
            nth.is_some_and(|nth| function.consts[nth] == 0)
        };
        function.calls.iter().any(|call| sets(call.callee) && !call.args.get(1).is_some_and(is_null))
    };
    program.functions.iter().any(lends) || addresses_taken(program).into_iter().any(sets)
}

/// Whether others than the main thread may join a thread: a function that they may run does, or `pthread_join` is called by its address.
fn joins_elsewhere(program: &Program) -> bool {
    let is_join = |callee: Callee| match callee {
        Callee::External(external) => {
            matches!(program.externals[external].name.as_str(), "pthread_join" | "thrd_join")
        }
        Callee::Function(_) | Callee::Indirect(_) => false,
    };
    let joins = |id: FuncId| program.functions[id].calls.iter().any(|call| is_join(call.callee));
    if !program.functions.enumerate().any(|(id, _)| Some(id) != program.main && joins(id)) {
        return false;
    }
    let mut pending: Vec<Callee> = addresses_taken(program);
    pending.extend(program.destructors.iter().map(|&function| Callee::Function(function)));
    let mut is_known = vec![false; program.functions.len()];
    while let Some(callee) = pending.pop() {
        match callee {
            Callee::Function(function) if !std::mem::replace(&mut is_known[function.index()], true) => {
                if joins(function) {
                    return true;
                }
                pending.extend(program.functions[function].calls.iter().map(|call| call.callee));
            }
            callee if is_join(callee) => return true,
            _ => {}
        }
    }
    false
}

/// Functions whose addresses stand in the code or in initial values. Other threads begin with such a function.
fn addresses_taken(program: &Program) -> Vec<Callee> {
    let in_code = program.functions.iter().flat_map(|function| function.consts.iter().copied());
    let in_values = program.globals.iter().flat_map(|global| global.init.windows(8));
    let in_values = in_values.map(|bytes| u64::from_le_bytes(bytes.try_into().expect("eight bytes")));
    let functions = in_code.chain(in_values).filter_map(address::function_of);
    functions.filter_map(|index| program.callee(index)).collect()
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
        if self.uses.cancels && self.accesses_are_visible() {
            self.look_at_hidden(thread, Hidden::Cancellation(thread));
        }
    }

    /// A timed operation was made, whose events begin here. Had it been given up at its time, it would have moved the clock on, so it always counts as a
    /// change of that.
    pub(crate) fn note_end_of_timed(&mut self, thread: ThreadId, first: usize) {
        if self.accesses_are_visible() {
            self.change_hidden(thread, Hidden::Clock);
            self.log.events[first].varies = true;
        }
    }

    /// The thread looks whether another has ended.
    pub(crate) fn look_for_end(&mut self, thread: ThreadId, target: ThreadId) {
        let has_ended = self.threads[target.index()].ended();
        self.push_event(thread, OpKind::Look, Hidden::End(target).address(), 0, u64::from(has_ended), 0);
    }

    /// The thread acts on its cancellation where it could have waited. Without that it would have gone on as soon as it had what it waits for, so this is
    /// logged as looked at.
    pub(crate) fn look_at_awaited(&mut self, thread: ThreadId, wants: Wants) {
        let Wants { kind, address, size, .. } = self.resolved(wants);
        match kind {
            OpKind::SemWait => {
                let units = u64::from(self.sem_value(address).unwrap_or(0));
                let why = match self.is_timed(thread) {
                    true => OpKind::GIVEN_UP_BEFORE_TIMEOUT,
                    false => OpKind::GIVEN_UP_BY_CANCEL,
                };
                self.push_event(thread, OpKind::SemTimeout, address, size, units, why);
            }
            OpKind::File => {
                let has_data = u64::from(!self.file_would_block(thread, wants));
                self.push_event(thread, OpKind::File, address, size, has_data, OpKind::GIVEN_UP_BY_CANCEL);
            }
            OpKind::Join => self.look_for_end(thread, ThreadId(address as u32)),
            _ => {}
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
