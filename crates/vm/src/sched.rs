//! Who can step, what a step does, and how threads and the process end.

use crate::fault::Fault;
use crate::files::Lent;
use crate::interp::Flow;
use crate::machine::{End, Machine};
use crate::models::{Call, Cancels, Model};
use crate::slow::{PAUSE, VA_LIST_SIZE};
use crate::sync::{COND_SIZE, MUTEX_SIZE, RWLOCK_SIZE};
use crate::thread::{Ending, Entry, Park};
use gordian_base::{Id, ThreadId};
use gordian_ir::{Callee, Inst, address};
use gordian_trace::{Choice, Event, Hidden, OpKind, Wants};

/// `Wants::address` of [`OpKind::ProcessExit`]: by `exit` or the return of `main`, at once by `_exit`, or after a function that was to run at exit.
pub const EXITS: u64 = 0;
pub const EXITS_AT_ONCE: u64 = 1;
pub const GOES_ON_EXITING: u64 = 2;

/// Variants of a step beyond the ordinary one (see [`Choice::variant`]).
pub mod variant {
    /// A timed operation times out.
    pub const TIMEOUT: u32 = 1;
    /// A weak compare-and-swap fails although it need not.
    pub const WEAK_FAILURE: u32 = 1;
    /// A condition wait ends for no reason.
    pub const SPURIOUS: u32 = 2;
    /// A condition wait ends because the thread was cancelled.
    pub const CANCELLED: u32 = 3;
}

impl<'p> Machine<'p> {
    /// Adds the choices that `thread` has now.
    pub(crate) fn options(&self, thread: ThreadId, choices: &mut Vec<Choice>) {
        let core = &self.threads[thread.index()].core;
        let mut add = |variant| choices.push(Choice { thread, variant });
        let cancelled = core.cancel_pending && core.cancel_enabled;
        match core.park {
            Park::Before(_) if self.is_spinning(thread) || self.is_awaiting(thread) => {}
            Park::Before(_) if self.waits_to_exit(&self.threads[thread.index()]) => {}
            Park::Before(wants) => self.options_before(thread, wants, &mut add),
            Park::Waiting { timed, .. } => {
                if timed {
                    add(variant::TIMEOUT);
                }
                if self.settings.spurious_wakeups && core.may_err_in != core.erred_in {
                    add(variant::SPURIOUS);
                }
                if cancelled {
                    add(variant::CANCELLED);
                }
            }
            Park::Woken { mutex, .. } => {
                if self.mutex_is_free(mutex) {
                    add(0);
                }
            }
            Park::Joining { .. } => {
                if cancelled {
                    add(variant::CANCELLED);
                }
            }
            Park::AtBarrier { .. } | Park::Unrolled | Park::FalseAssumption => {}
            Park::WentRound | Park::TookBack | Park::Idles => {}
            Park::Unborn | Park::Running | Park::Ended => {}
        }
    }

    fn options_before(&self, thread: ThreadId, wants: Wants, add: &mut impl FnMut(u32)) {
        if let Some(ways) = self.ways(thread) {
            ways.iter().copied().for_each(add);
            return;
        }
        match wants.kind {
            OpKind::Signal => {
                let waiters = self.waiters(wants.address).count() as u32;
                for n in 0..waiters.max(1) {
                    add(n);
                }
            }
            // Comes before all others; see `Machine::update_forks`.
            OpKind::Branch => {}
            OpKind::CasOk => {
                add(0);
                let core = &self.threads[thread.index()].core;
                if self.may_fail_weakly(*self.instruction(thread)) && core.may_err_in != core.erred_in {
                    add(variant::WEAK_FAILURE);
                }
            }
            // Who is cancelled while it waits does not look at the semaphore, the pipe or the thread any more.
            _ if self.can_do(thread, wants) || self.is_cancelled_at(thread, wants) => add(0),
            // An expired wait is the only way on: time passes when nothing else does.
            _ if self.is_timed(thread) => add(variant::TIMEOUT),
            _ => {}
        }
    }

    fn is_cancelled_at(&self, thread: ThreadId, wants: Wants) -> bool {
        let core = &self.threads[thread.index()].core;
        let waits = matches!(wants.kind, OpKind::SemWait | OpKind::File | OpKind::Join);
        let acts = |model: Model| match model.cancels {
            Cancels::Never => false,
            Cancels::Always => true,
            // Whether it acts where it need not wait is not known.
            Cancels::Perhaps => wants.kind == OpKind::File && self.file_would_block(thread, wants),
        };
        waits && core.cancel_pending && core.cancel_enabled && self.model_at(thread).is_some_and(acts)
    }

    /// Whether the instruction is a weak compare-and-swap whose failure is a choice.
    pub(crate) fn may_fail_weakly(&self, inst: Inst) -> bool {
        self.settings.weak_cas_fails && matches!(inst, Inst::CmpXchg { weak: true, .. })
    }

    #[inline]
    pub(crate) fn instruction(&self, thread: ThreadId) -> &'p Inst {
        let top = self.threads[thread.index()].top();
        &self.program.functions[top.function].code[top.pc as usize]
    }

    /// Whether the operation would not block.
    pub(crate) fn can_do(&self, thread: ThreadId, wants: Wants) -> bool {
        match wants.kind {
            OpKind::Lock => self.mutex_can_lock(thread, wants.address, wants.size),
            OpKind::ReadLock => self.rwlock_can_read(thread, wants.address),
            OpKind::SemWait => self.sem_value(wants.address) != Some(0),
            OpKind::OnceEnter => self.once_can_enter(wants.address),
            OpKind::File => !self.file_would_block(thread, wants),
            OpKind::Join => self.can_join(thread, ThreadId(wants.address as u32)),
            _ => true,
        }
    }

    /// Does the operation that the thread is parked before, then runs on.
    pub(crate) fn perform(&mut self, thread: ThreadId) {
        let park = self.threads[thread.index()].core.park;
        if self.threads[thread.index()].core.awaits {
            self.stop_awaiting(thread);
        }
        match park {
            Park::Before(wants) if self.perform_plain(thread, wants) => self.run_thread(thread),
            _ => self.perform_any(thread, park),
        }
        if self.threads[thread.index()].core.atomic > 0 {
            self.tell_section(thread);
        }
    }

    fn perform_any(&mut self, thread: ThreadId, park: Park) {
        match park {
            Park::AtBarrier { .. } | Park::Joining { .. } => {
                self.change_sort(thread, |core| core.park = Park::Running);
            }
            _ => self.threads[thread.index()].core.park = Park::Running,
        }
        self.changes_before = self.memory.changes;
        self.stop_watching(thread);
        let n_events = self.log.events.len();
        let flow = match park {
            Park::Before(wants) => {
                let is_timed = self.uses.looks_at_clock && self.is_timed(thread);
                let flow = self.perform_before(thread, wants);
                if is_timed && matches!(flow, Ok(Flow::Next)) {
                    self.note_end_of_timed(thread, n_events);
                }
                let mut own = self.log.events[n_events..].iter().filter(|event| event.thread == thread);
                let is_logged = own.clone().next().is_some();
                // A call that fails before it has logged anything, or returns, may have looked at what it wanted without saying so.
                let is_named = own.any(|event| names(event, wants, flow.is_err()));
                if !is_named && (is_logged || flow.is_ok()) && !self.is_resumed {
                    self.push_event(thread, OpKind::Unlogged, wants.address, wants.size, 0, 0);
                }
                if let Err(fault) = &flow {
                    self.note_failure(thread, wants, fault, is_logged);
                }
                flow
            }
            Park::Waiting { cond, mutex, .. } => {
                let reason = match self.variant {
                    variant::TIMEOUT => OpKind::WOKEN_BY_TIMEOUT,
                    variant::SPURIOUS => {
                        let core = &mut self.threads[thread.index()].core;
                        core.erred_in = core.may_err_in;
                        OpKind::WOKEN_SPURIOUSLY
                    }
                    _ => OpKind::WOKEN_BY_CANCEL,
                };
                self.push_event(thread, OpKind::WaitEnd, cond, COND_SIZE, reason, mutex);
                if reason == OpKind::WOKEN_BY_TIMEOUT && self.uses.looks_at_clock {
                    self.calling(thread).wait_until_time();
                    self.change_hidden(thread, Hidden::Clock);
                }
                // A thread that was cancelled meanwhile could have ended its wait by that instead.
                self.look_for_cancellation(thread);
                self.threads[thread.index()].core.park = Park::Woken { cond, mutex, reason: reason as u8 };
                Ok(Flow::Stop)
            }
            Park::Woken { cond, mutex, reason } => self.finish_wait(thread, cond, mutex, u64::from(reason)),
            Park::AtBarrier { barrier, .. } => self.leave_barrier(thread, barrier),
            Park::Joining { target, result } => {
                if self.variant == variant::CANCELLED {
                    self.cancel_now(thread)
                } else {
                    self.wake_joiner(thread, target, result)
                }
            }
            Park::Unrolled | Park::WentRound | Park::TookBack | Park::Idles | Park::FalseAssumption => {
                unreachable!("{thread} cannot step from {park:?}")
            }
            Park::Unborn | Park::Running | Park::Ended => {
                unreachable!("{thread} cannot step from {park:?}")
            }
        };
        // What the operation itself changed counts like what the code behind it changes, unless it changed a shared place and nothing else.
        let mut own = self.log.events[n_events..].iter().filter(|event| event.thread == thread);
        if !own.any(crate::net_effect::is_plain_change) {
            self.threads[thread.index()].core.changes += self.memory.changes - self.changes_before;
        }
        self.changes_before = self.memory.changes;
        match flow {
            Ok(Flow::Next) => {
                self.threads[thread.index()].top_mut().pc += 1;
                self.run_thread(thread);
            }
            Ok(Flow::Jumped) => self.run_thread(thread),
            Ok(Flow::Stop) => {}
            Err(fault) => self.fail(thread, fault),
        }
    }

    fn perform_before(&mut self, thread: ThreadId, wants: Wants) -> Result<Flow, Fault> {
        self.is_resumed = wants.address == PAUSE && wants.kind == OpKind::Yield;
        if self.is_resumed {
            return Ok(Flow::Jumped);
        }
        match (wants.kind, wants.address) {
            (OpKind::ProcessExit, EXITS) => return self.exit_process(thread),
            (OpKind::ProcessExit, GOES_ON_EXITING) => return self.next_exit_handler(thread),
            (OpKind::Exit, _) => return self.go_on_ending(thread),
            _ => {}
        }
        if wants.kind == OpKind::Branch {
            return self.take_fork(thread);
        }
        let gives_up = self.uses.cancels && self.is_cancelled_at(thread, wants);
        if gives_up {
            self.look_at_awaited(thread, wants);
        }
        let inst = *self.instruction(thread);
        if let Some(access) = self.access_of(thread, inst) {
            return self.access_shared(thread, inst, access);
        }
        match inst {
            Inst::MemCopy { overlap, dst, src, len } => {
                let (dst, src, len) =
                    (self.register(thread, dst), self.register(thread, src), self.register(thread, len));
                self.step_copy(thread, dst, src, len, overlap)
            }
            Inst::VaStart { list } => self.start_list(thread, self.register(thread, list)),
            Inst::Return { src } => self.return_now(thread, src),
            Inst::LifetimeEnd { for_good, address } => {
                self.leave_block(thread, address, for_good);
                Ok(Flow::Next)
            }
            Inst::StackRestore { src } => {
                let newest = self.register(thread, src) as u32;
                self.end_locals(thread, newest);
                Ok(Flow::Next)
            }
            Inst::VaCopy { dst, src } => {
                let (dst, src) = (self.register(thread, dst), self.register(thread, src));
                self.step_copy(thread, dst, src, VA_LIST_SIZE, true)
            }
            Inst::MemSet { dst, value, len } => {
                let term = self.term(thread, value);
                let (dst, value, len) =
                    (self.register(thread, dst), self.register(thread, value), self.register(thread, len));
                let flow = self.step_set(thread, dst, value as u8, len, true)?;
                Ok(self.filled(flow, dst, len, term))
            }
            Inst::Call { site } => {
                let program = self.program;
                let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
                match self.callee(thread, site)? {
                    Callee::Function(function) => {
                        if self.atomic_functions[function.index()] {
                            self.enter_atomic(thread);
                        }
                        self.enter_from(thread, site, function)
                    }
                    _ => Call::new(self, thread, site).perform(gives_up),
                }
            }
            _ => unreachable!("{thread} is parked before {inst:?}"),
        }
    }

    pub(crate) fn enter_atomic(&mut self, thread: ThreadId) {
        self.push_event(thread, OpKind::AtomicBegin, 0, 0, 0, 0);
    }

    pub(crate) fn leave_atomic(&mut self, thread: ThreadId) {
        self.threads[thread.index()].core.atomic -= 1;
        if self.threads[thread.index()].core.atomic == 0 && self.accesses_are_visible() {
            self.tell_section(thread);
            self.push_event(thread, OpKind::AtomicEnd, 0, 0, 0, 0);
            self.end_try();
        }
    }

    /// An atomic section is about to block, and others go on meanwhile: that it could not go on was seen by this step.
    pub(crate) fn note_blocked_section(&mut self, thread: ThreadId, wants: Wants) {
        if self.threads[thread.index()].core.atomic == 0 || !self.accesses_are_visible() {
            return;
        }
        let place = match wants.kind {
            OpKind::Lock | OpKind::ReadLock => OpKind::WATCHES_LOCK,
            OpKind::SemWait => OpKind::WATCHES_SEMAPHORE,
            OpKind::OnceEnter => OpKind::WATCHES_ONCE,
            _ => return,
        };
        let is_rwlock = place == OpKind::WATCHES_LOCK && wants.size == RWLOCK_SIZE;
        let readers = if is_rwlock { self.readers_of(wants.address) } else { 0 };
        self.push_event(thread, OpKind::Watch, wants.address, wants.size, place, 1 + readers);
    }

    /// No choice is left: all is done, or everybody waits.
    pub(crate) fn nobody_can_step(&mut self) {
        if self.threads.iter().all(|thread| matches!(thread.core.park, Park::Ended | Park::Unborn)) {
            let is_dead = |(_, lent): &(u64, Lent)| self.memory.check(lent.address, lent.len, true).is_err();
            if self.files.buffers_with_output().iter().any(is_dead) {
                let why = "the end of the last thread while a stream has output in a buffer that the program has freed";
                self.finish(End::Unsupported(why.to_owned()));
                return;
            }
            self.flush_streams();
            self.finish_exit(0);
            return;
        }
        // Without the bound a thread in a loop might have let the others go on.
        if self.left_a_loop_unfinished() {
            self.finish(End::Bound(self.loop_bound()));
            return;
        }
        // It may hold what the others wait for.
        if self.is_at_false_assumption() || self.went_round_too_early() {
            self.finish(End::Dropped);
            return;
        }
        if self.rounds_may_let_go() {
            return self.object_to_net_effect();
        }
        let finding = self.stuck_finding();
        self.report(finding);
        self.finish(End::Failed);
    }

    /// The start function returned or `pthread_exit` was called: the thread's own destructors come first.
    pub(crate) fn begin_thread_end(&mut self, thread: ThreadId, result: u64) -> Result<Flow, Fault> {
        let me = &mut self.threads[thread.index()];
        me.core.result = result;
        me.core.ending = Some(Ending::new(0, 0));
        me.core.cleanup = 0;
        // The frame stays for the destructors to return to; nothing of it runs any more.
        self.after_callback(thread)
    }

    /// A function that the machine called has returned: goes on with what it was called for.
    pub(crate) fn after_callback(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        if self.threads[thread.index()].core.ending.is_some() {
            if self.must_park(thread) && self.end_is_seen(thread) {
                let wants =
                    Wants { kind: OpKind::Exit, size: 0, address: 0, at: self.user_point(thread), varies: false };
                return Ok(self.park(thread, wants));
            }
            return self.go_on_ending(thread);
        }
        self.go_on_exiting(thread)
    }

    /// Whether others can change how the thread ends, or wait for more than its end: it runs a destructor of thread-specific data, holds a robust
    /// mutex, or has variables that others know.
    fn end_is_seen(&self, thread: ThreadId) -> bool {
        self.may_run_destructors(thread)
            || self.uses.robust && !self.robust_mutexes_of(thread).is_empty()
            || self.shared_local(thread, 0).is_some()
            || self.has_shared_thread_locals(thread)
    }

    /// The next destructor of thread-specific data, or the end of the thread.
    fn go_on_ending(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        if let Some((function, value)) = self.next_destructor(thread) {
            return self.call_back(thread, function, &[value]);
        }
        self.end_thread(thread)
    }

    /// Enters `pointer`'s function with these arguments; its return comes to [`Machine::after_callback`].
    pub(crate) fn call_back(&mut self, thread: ThreadId, pointer: u64, args: &[u64]) -> Result<Flow, Fault> {
        let callee = address::function_of(pointer).and_then(|code| self.program.callee(code));
        if let Some(Callee::External(external)) = callee {
            return self.call_back_external(thread, &self.program.externals[external].name, args);
        }
        let Some(Callee::Function(function)) = callee else {
            return Err(if pointer == 0 { Fault::Null { address: 0 } } else { Fault::Wild { address: pointer } });
        };
        self.enter(thread, function, Entry::Callback, 0)?;
        self.pass(thread, args);
        Ok(Flow::Jumped)
    }

    /// A destructor or exit handler that is itself a libc function: `free` is the one that programs use.
    fn call_back_external(&mut self, thread: ThreadId, name: &str, args: &[u64]) -> Result<Flow, Fault> {
        if name != "free" {
            return Err(Fault::Unsupported(format!("the external function `{name}` as a destructor or exit handler")));
        }
        crate::models::free_object(self, thread, args[0])?;
        self.after_callback(thread)
    }

    pub(crate) fn pass(&mut self, thread: ThreadId, args: &[u64]) {
        let me = &mut self.threads[thread.index()];
        let top = *me.top();
        let n = args.len().min(self.program.functions[top.function].n_params as usize);
        me.registers[top.base as usize..top.base as usize + n].copy_from_slice(&args[..n]);
    }

    fn end_thread(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        if self.has_exit_handlers() && self.is_last(thread) {
            let why =
                "exit handlers of a process that ends with its last thread, after main has left by `pthread_exit`";
            return Err(Fault::Unsupported(why.to_owned()));
        }
        let result = self.threads[thread.index()].core.result;
        self.publish(thread, result);
        self.record_result(thread, result);
        // While the thread still stands somewhere: that is where it and its variables end.
        let at = self.user_point(thread);
        if self.uses.robust {
            for (mutex, is_held) in self.robust_mutexes_of(thread) {
                self.push_event_at(thread, at, OpKind::Abandon, mutex, MUTEX_SIZE, u64::from(!is_held), 0);
                if is_held {
                    self.release(thread, mutex);
                }
            }
        }
        self.push_event_at(thread, at, OpKind::Exit, 0, 0, result, self.uses.shares_threads.into());
        self.end_thread_locals(thread, at);
        while !self.threads[thread.index()].frames.is_empty() {
            self.pop_frame(thread);
        }
        self.release(thread, thread_key(thread));
        if self.threads[thread.index()].core.atomic > 0 {
            self.tell_section(thread);
        }
        self.change_sort(thread, |core| {
            core.park = Park::Ended;
            core.atomic = 0;
        });
        self.roster.somebody_ended = true;
        self.update_visibility();
        Ok(Flow::Stop)
    }
}

impl Machine<'_> {
    /// Whether all other threads have ended.
    fn is_last(&self, thread: ThreadId) -> bool {
        let others = self.threads.iter().enumerate().filter(|(number, _)| *number != thread.index());
        others.map(|(_, other)| other.core.park).all(|park| matches!(park, Park::Ended | Park::Unborn))
    }
}

/// Whether an event of a step, which may have failed, tells what its thread wanted. If none does, another thread may have changed that, and the step would seem
/// to have nothing to do with it: a call that reads its arguments and then sees that a stream is closed has logged the arguments alone.
fn names(event: &Event, wants: Wants, has_failed: bool) -> bool {
    // Where inputs decide how the call goes on, or that the thread was cancelled, it has not happened.
    if matches!(event.kind, OpKind::Branch | OpKind::Cancelled | OpKind::AtomicBegin | OpKind::Unlogged) {
        return true;
    }
    match wants.kind {
        // Every operation on a file looks at the table of descriptors, or at the entry of its own.
        OpKind::File => event.kind == OpKind::File,
        OpKind::Random => event.kind == OpKind::Random,
        OpKind::Read | OpKind::Write => {
            let end = |address: u64, size: u32| address.saturating_add(u64::from(size.max(1)));
            let meets =
                event.address < end(wants.address, wants.size) && wants.address < end(event.address, event.size);
            meets || !(event.kind.is_access() && event.varies)
        }
        // An operation that is refused for its other arguments has not looked at its object. One that fails may have.
        kind if kind.is_on_object() && has_failed => {
            event.kind.is_on_object() && [event.address, event.other].contains(&wants.address)
        }
        _ => true,
    }
}

/// Where the end of a thread is released to who joins it. No object has this address.
pub fn thread_key(thread: ThreadId) -> u64 {
    address::make(address::LABEL_SPACE, address::MAX_INDEX, u64::from(thread.0))
}
