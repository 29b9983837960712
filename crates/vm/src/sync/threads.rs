//! Creating, joining, ending and cancelling threads.

use super::{EDEADLK, EINVAL, ERANGE, ESRCH, THRD_ERROR};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::journal::Undo;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::sched::thread_key;
use crate::thread::{Entry, Park};
use gordian_base::{Id, ThreadId};
use gordian_expr::ExprId;
use gordian_ir::{Callee, FuncId, Slot, address};
use gordian_trace::{Hidden, Objection, OpKind, ThreadOrigin, Wants};

/// A `pthread_t` is the thread's number plus this, so that 0 is never one.
const HANDLE_BASE: u64 = 0x7f00_0000_0000;
const HANDLE_SIZE: u64 = 8;
const CANCELED: u64 = u64::MAX;
const DETACH_STATE: u64 = 0;
/// What Linux has room for in the name of a thread.
const LONGEST_NAME: usize = 15;
/// In a cleanup buffer: the one before it (see `pthread_cleanup_push` in glibc's header).
const CLEANUP_PREVIOUS: u64 = 72;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_create" => Model::visible(create, |call| {
            let (target, attributes) = (call.arg(0), call.arg(1));
            wants_create(call, target, attributes)
        }),
        "thrd_create" => Model::visible(create_c11, |call| wants_create(call, call.arg(0), 0)),
        "pthread_join" | "thrd_join" => Model::visible(join, wants_join).cancels(),
        "pthread_detach" | "thrd_detach" => Model::visible(detach, |call| wants_thread(call, OpKind::Detach)),
        "pthread_exit" => Model::visible(
            |call| {
                let value = call.arg(0);
                call.machine.exit_thread(call.thread, value)
            },
            wants_exit,
        ),
        "thrd_exit" => Model::visible(
            |call| {
                let value = u64::from(call.arg(0) as u32);
                call.machine.exit_thread(call.thread, value)
            },
            wants_exit,
        ),
        "pthread_self" | "thrd_current" => Model::plain(|call| {
            let me = handle(call.thread);
            call.result(me)
        }),
        "pthread_equal" | "thrd_equal" => Model::plain(|call| {
            let equal = call.arg(0) == call.arg(1);
            call.result_int(i32::from(equal))
        }),
        "sched_yield" | "pthread_yield" | "thrd_yield" => Model::visible(
            |call| {
                call.event(OpKind::Yield, 0, 0, 0, 0);
                call.result_int(0)
            },
            wants_yield,
        ),
        "pthread_cancel" => Model::visible(cancel, |call| {
            let target = target(call).map_or(0, |target| target.0);
            Ok(Some(call.wants(OpKind::Cancel, u64::from(target), 0)))
        }),
        "pthread_testcancel" => Model::visible(
            |call| {
                call.event(OpKind::Yield, 0, 0, 0, 0);
                Ok(Flow::Next)
            },
            wants_yield,
        )
        .cancels(),
        "pthread_setcancelstate" => Model::touching(|call| {
            let (state, old) = (call.int(0), call.arg(1));
            if !matches!(state, 0 | 1) {
                return call.result_int(EINVAL);
            }
            let core = &mut call.machine.threads[call.thread.index()].core;
            let before = u64::from(!core.cancel_enabled);
            core.cancel_enabled = state == 0;
            if old != 0 {
                call.write_word(old, 4, before)?;
            }
            call.result_int(0)
        }),
        "pthread_setcanceltype" => Model::touching(|call| {
            if !matches!(call.int(0), 0 | 1) {
                return call.result_int(EINVAL);
            }
            if call.int(0) == 1 {
                return Err(Fault::Unsupported("asynchronous cancellation (`pthread_setcanceltype`)".to_owned()));
            }
            let old = call.arg(1);
            if old != 0 {
                call.write_word(old, 4, 0)?;
            }
            call.result_int(0)
        }),
        "__pthread_register_cancel" => Model::plain(|call| {
            let buffer = call.arg(0);
            let core = &mut call.machine.threads[call.thread.index()].core;
            let previous = std::mem::replace(&mut core.cleanup, buffer);
            call.write_word(buffer + CLEANUP_PREVIOUS, 8, previous)?;
            Ok(Flow::Next)
        }),
        "__pthread_unregister_cancel" => Model::plain(|call| {
            let buffer = call.arg(0);
            let previous = call.read_word(buffer + CLEANUP_PREVIOUS, 8)?;
            call.machine.threads[call.thread.index()].core.cleanup = previous;
            Ok(Flow::Next)
        }),
        "__pthread_unwind_next" => Model::visible(
            |call| call.machine.unwind(call.thread),
            |call| {
                let current = call.machine.threads[call.thread.index()].core.cleanup;
                call.machine.memory.check(current, CLEANUP_PREVIOUS + 8, false)?;
                let previous = call.machine.memory.load(current + CLEANUP_PREVIOUS, 8);
                Ok(call.machine.wants_to_leave(call.thread, call.machine.depth_of_cleanup(previous)))
            },
        ),
        "pthread_setname_np" => Model::touching(|call| {
            let name = call.arg(1);
            let fits = call.string(name)?.len() <= LONGEST_NAME;
            call.result_int(if fits { 0 } else { ERANGE })
        }),
        "pthread_setschedparam" => Model::touching(|call| {
            let parameters = call.arg(2);
            call.read_word(parameters, 4)?;
            call.result_int(0)
        }),
        "pthread_setconcurrency" | "pthread_atfork" => Model::plain(|call| call.result_int(0)),
        _ => return None,
    })
}

/// Nobody sees when a thread is created, unless others can reach where its handle goes or where its attributes stand.
fn wants_create(call: &Call<'_, '_>, target: u64, attributes: u64) -> Result<Option<Wants>, Fault> {
    if !call.machine.accesses_are_visible() {
        return Ok(None);
    }
    if attributes != 0 && call.machine.memory.check(attributes + DETACH_STATE, 4, false)?.is_shared() {
        return Ok(Some(call.wants(OpKind::Read, attributes + DETACH_STATE, 4)));
    }
    let is_shared = call.machine.memory.check(target, HANDLE_SIZE, true)?.is_shared();
    let is_seen = is_shared && !call.machine.is_own_of(call.thread, target);
    Ok(is_seen.then(|| call.wants(OpKind::Write, target, HANDLE_SIZE as u32)))
}

/// What is wanted of the thread that the first argument names.
fn wants_thread(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    let target = target(call).filter(|_| call.machine.accesses_are_visible());
    let size = u32::from(kind == OpKind::Join);
    Ok(target.map(|target| call.wants(kind, u64::from(target.0), size)))
}

/// Cleanup handlers run where they were set up, in frames further down.
fn wants_exit(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let cleanup = call.machine.threads[call.thread.index()].core.cleanup;
    Ok(call.machine.wants_to_leave(call.thread, call.machine.depth_of_cleanup(cleanup)))
}

/// Where no other thread could join or detach the same one, nobody sees when it is joined.
fn wants_join(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    if call.machine.uses.shares_threads { wants_thread(call, OpKind::Join) } else { Ok(None) }
}

pub fn wants_yield(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::Yield, 0, 0)))
}

fn handle(thread: ThreadId) -> u64 {
    HANDLE_BASE + u64::from(thread.0) * 16
}

/// The thread that the first argument names.
fn target(call: &Call<'_, '_>) -> Option<ThreadId> {
    let number = call.arg(0).checked_sub(HANDLE_BASE)? / 16;
    let thread = call.machine.threads.get(number as usize)?;
    (thread.core.park != Park::Unborn).then_some(ThreadId(number as u32))
}

fn create(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    if call.machine.stops_in_loop(call.thread) {
        return Ok(Flow::Stop);
    }
    let (target, attributes, start, argument) = (call.arg(0), call.arg(1), call.arg(2), call.arg(3));
    let detached = call.is_detached_by(attributes)?;
    let term = term_of(call, 3);
    let thread = new_thread(call, start, (argument, term), detached)?;
    call.write_word(target, 8, handle(thread))?;
    call.result_int(0)
}

fn create_c11(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    if call.machine.stops_in_loop(call.thread) {
        return Ok(Flow::Stop);
    }
    let (target, start, argument) = (call.arg(0), call.arg(1), call.arg(2));
    let term = term_of(call, 2);
    let thread = new_thread(call, start, (argument, term), false)?;
    call.write_word(target, 8, handle(thread))?;
    call.result_int(0)
}

/// What an argument stands for.
fn term_of(call: &Call<'_, '_>, nth: usize) -> Option<ExprId> {
    call.machine.term(call.thread, *call.site.args.get(nth)?)
}

fn new_thread(
    call: &mut Call<'_, '_>,
    start: u64,
    (argument, term): (u64, Option<ExprId>),
    detached: bool,
) -> Result<ThreadId, Fault> {
    let function = call.machine.program_function(start, "the start routine of a thread")?;
    let creator = call.thread;
    let machine = &mut *call.machine;
    if !machine.accesses_are_visible() {
        machine.publish_globals(creator);
    }
    machine.publish(creator, argument);
    let nth = machine.threads[creator.index()].core.n_created.into();
    let thread = machine.number_of(ThreadOrigin { creator: creator.0, nth })?;
    machine.threads[creator.index()].core.n_created += 1;
    let clock = machine.tell(creator);
    machine.make_thread(thread, function, clock);
    machine.inherit_signals(creator, thread);
    machine.enter(thread, function, Entry::Start, 0)?;
    machine.pass(thread, &[argument]);
    machine.set_term(thread, Slot(0), term);
    machine.threads[thread.index()].core.detached = detached;
    machine.roster.newborn.push(thread);
    machine.begin_recording();
    machine.push_event(creator, OpKind::Create, u64::from(thread.0), 0, argument, start ^ u64::from(detached) << 63);
    Ok(thread)
}

fn join(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let Some(target) = target(call) else {
        let status = call.status(ESRCH, THRD_ERROR);
        return call.result_int(status);
    };
    if std::mem::take(&mut call.machine.threads[call.thread.index()].core.halfway) {
        return take_result(call, target);
    }
    let core = &call.machine.threads[target.index()].core;
    if target == call.thread {
        let status = call.status(EDEADLK, THRD_ERROR);
        return call.result_int(status);
    }
    if core.joined {
        call.look_at_joined(target);
        let name = call.machine.thread_name(target);
        return call.misuse(format!("joins thread {name}, which was joined before"));
    }
    if core.detached {
        call.look_at_joined(target);
        let name = call.machine.thread_name(target);
        return call.misuse(format!("joins thread {name}, which is detached"));
    }
    let has_ended = core.park == Park::Ended;
    let result = call.arg(1);
    if !has_ended {
        call.machine.change_sort(call.thread, |core| core.park = Park::Joining { target, result });
        return Ok(Flow::Stop);
    }
    finish_join(call, target, result)
}

/// The thread that was joined has ended.
fn finish_join(call: &mut Call<'_, '_>, target: ThreadId, result: u64) -> Result<Flow, Fault> {
    let Call { machine, thread, .. } = call;
    let core = &machine.threads[target.index()].core;
    let value = core.result;
    if core.joined {
        let name = machine.thread_name(target);
        return Err(Fault::LockMisuse(format!("joins thread {name}, which another thread joined")));
    }
    let is_shared = machine.uses.shares_threads;
    machine.push_event(*thread, OpKind::Join, u64::from(target.0), is_shared.into(), value, u64::from(result != 0));
    if is_shared {
        machine.change_hidden(*thread, Hidden::Thread(target));
    }
    machine.acquire(*thread, thread_key(target));
    machine.change_sort(target, |core| core.joined = true);
    if machine.memory.journal.on {
        machine.memory.journal.log.push(Undo::Joined { thread: target });
    }
    // Who is alone now also writes the result unseen.
    machine.update_visibility();
    // The end of a thread lets others go on without a step of their own. What they do in memory is one.
    let is_seen = |call: &Call<'_, '_>| {
        let object = call.machine.memory.object(result).filter(|_| result != 0);
        let is_shared = object.is_some_and(|object| object.is_shared() || object.published != 0);
        is_shared && !call.machine.is_own_of(call.thread, result)
    };
    if call.machine.must_park(call.thread) && call.machine.has_other_threads() && is_seen(call) {
        call.machine.threads[call.thread.index()].core.halfway = true;
        let wants = call.wants(OpKind::Write, result, result_size(call).into());
        return Ok(call.machine.park(call.thread, wants));
    }
    take_result(call, target)
}

fn result_size(call: &Call<'_, '_>) -> u8 {
    if call.name() == "thrd_join" { 4 } else { 8 }
}

/// A join writes the result of the thread, if anybody wants it, and is done.
fn take_result(call: &mut Call<'_, '_>, target: ThreadId) -> Result<Flow, Fault> {
    let (result, size) = (call.arg(1), result_size(call));
    let value = call.machine.threads[target.index()].core.result;
    if result != 0 {
        call.write_word(result, size, value)?;
        if let Some(term) = call.machine.record_joined(call.thread, target, value) {
            call.machine.store_term(result, u64::from(size), Some(term));
            call.machine.lose_if_seen(result, "the result of a thread that is joined into memory others can see");
        }
    }
    call.result_int(0)
}

fn detach(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let Some(target) = target(call) else {
        let status = call.status(ESRCH, THRD_ERROR);
        return call.result_int(status);
    };
    call.machine.save(target);
    let core = &mut call.machine.threads[target.index()].core;
    if core.detached || core.joined {
        call.machine.look_at_hidden(call.thread, Hidden::Thread(target));
        let status = call.status(EINVAL, THRD_ERROR);
        return call.result_int(status);
    }
    core.detached = true;
    call.event(OpKind::Detach, u64::from(target.0), 0, 0, 0);
    call.result_int(0)
}

fn cancel(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let Some(target) = target(call) else { return call.result_int(ESRCH) };
    call.event(OpKind::Cancel, u64::from(target.0), 0, 0, 0);
    call.machine.save(target);
    call.machine.threads[target.index()].core.cancel_pending = true;
    call.result_int(0)
}

impl Call<'_, '_> {
    /// A join finds that the thread was joined or detached, and would have waited for its end otherwise.
    fn look_at_joined(&mut self, target: ThreadId) {
        self.machine.look_for_end(self.thread, target);
        self.machine.look_at_hidden(self.thread, Hidden::Thread(target));
    }
}

impl Machine<'_> {
    /// The function of the program behind a pointer. Those of the library have no code that a frame could be entered with.
    pub(super) fn program_function(&self, pointer: u64, role: &str) -> Result<FuncId, Fault> {
        match address::function_of(pointer).and_then(|code| self.program.callee(code)) {
            Some(Callee::Function(function)) => Ok(function),
            Some(Callee::External(external)) => {
                let name = &self.program.externals[external].name;
                Err(Fault::Unsupported(format!("the external function `{name}` as {role}")))
            }
            Some(Callee::Indirect(_)) | None if pointer == 0 => Err(Fault::Null { address: 0 }),
            Some(Callee::Indirect(_)) | None => Err(Fault::Wild { address: pointer }),
        }
    }

    /// Whether the address is in a variable that nobody but this thread ever uses.
    fn is_own_of(&self, thread: ThreadId, address: u64) -> bool {
        thread == ThreadId::MAIN && self.is_used_by_main_alone(address)
    }

    /// Whether the address is in a variable that nobody but the main thread ever uses.
    pub fn is_used_by_main_alone(&self, address: u64) -> bool {
        self.own_of_main.has(address)
    }

    /// Whether joining the thread would not block. What is wrong with it shows when it is tried.
    pub(crate) fn can_join(&self, thread: ThreadId, target: ThreadId) -> bool {
        let core = &self.threads[target.index()].core;
        core.park == Park::Ended || core.joined || core.detached || target == thread
    }

    /// The number of a thread by who created it: the same in every execution of a search.
    fn number_of(&mut self, origin: ThreadOrigin) -> Result<ThreadId, Fault> {
        let known = self.roster.origins.iter().position(|known| *known == origin);
        let index = known.unwrap_or_else(|| {
            self.roster.origins.push(origin);
            self.roster.origins.len() - 1
        });
        if index + 1 >= address::MAX_THREADS {
            if self.settings.rounds == Some(0) {
                self.objection = Some(Objection::CountedRounds);
            }
            return Err(Fault::Unsupported(format!("more than {} threads", address::MAX_THREADS - 1)));
        }
        Ok(ThreadId(index as u32 + 1))
    }

    /// The thread waited at a join.
    pub(crate) fn wake_joiner(&mut self, thread: ThreadId, target: ThreadId, result: u64) -> Result<Flow, Fault> {
        let program = self.program;
        let gordian_ir::Inst::Call { site } = *self.instruction(thread) else { unreachable!("a join is a call") };
        let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
        finish_join(&mut Call::new(self, thread, site), target, result)
    }

    /// `pthread_exit`: cleanup handlers first, then the thread's destructors.
    fn exit_thread(&mut self, thread: ThreadId, value: u64) -> Result<Flow, Fault> {
        self.threads[thread.index()].core.result = value;
        self.unwind_to(thread, self.threads[thread.index()].core.cleanup)
    }

    pub(crate) fn cancel_now(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        let core = &mut self.threads[thread.index()].core;
        core.cancel_pending = false;
        core.cancel_enabled = false;
        self.push_event(thread, OpKind::Cancelled, 0, 0, 0, 0);
        self.exit_thread(thread, CANCELED)
    }

    /// The thread leaves all frames above the first `depth`.
    fn leave_onces(&mut self, thread: ThreadId, depth: usize) {
        let frames = &self.threads[thread.index()].frames;
        let left = frames.iter().skip(depth).rev().filter_map(|frame| match frame.entry {
            Entry::Once { control } => Some(control),
            _ => None,
        });
        for control in left.collect::<Vec<u64>>() {
            self.reset_once(thread, control);
        }
    }

    /// A cleanup handler has run: on to the one before it.
    fn unwind(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        let current = self.threads[thread.index()].core.cleanup;
        self.memory.check(current, CLEANUP_PREVIOUS + 8, false)?;
        let previous = self.memory.load(current + CLEANUP_PREVIOUS, 8);
        self.threads[thread.index()].core.cleanup = previous;
        self.unwind_to(thread, previous)
    }

    /// How many frames are left when the cleanup handler of this buffer runs; none without a handler.
    fn depth_of_cleanup(&self, buffer: u64) -> usize {
        if buffer == 0 { 0 } else { (self.memory.load(buffer, 8) >> 32) as usize }
    }

    fn unwind_to(&mut self, thread: ThreadId, buffer: u64) -> Result<Flow, Fault> {
        self.leave_onces(thread, self.depth_of_cleanup(buffer));
        if buffer != 0 {
            return self.long_jump(thread, buffer, 1);
        }
        let result = self.threads[thread.index()].core.result;
        self.begin_thread_end(thread, result)
    }
}
