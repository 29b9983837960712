//! The process: its end, its environment, jumps out of functions, sleeping.

use super::call::shared_argument;
use super::time::{THREAD_TIME, is_clock};
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::MAX_DESCRIPTORS;
use crate::files::errno::EINVAL;
use crate::interp::Flow;
use crate::machine::{End, Machine};
use crate::memory::{Kind, Mode};
use crate::sched::{EXITS, EXITS_AT_ONCE, GOES_ON_EXITING};
use crate::setup::process;
use crate::thread::{Entry, Park};
use gordian_base::{Id, ThreadId};
use gordian_ir::{Callee, FuncId, address};
use gordian_trace::{Hidden, OpKind, Wants};

/// Marks a jump buffer that `setjmp` filled.
const JUMP_MAGIC: u64 = 0x4a55_4d50;
/// Bytes of a jump buffer that are used.
const JUMP_SIZE: u64 = 24;
/// What `thrd_sleep` gives for a time that is none.
const THRD_SLEEP_FAILED: i32 = -2;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "exit" => Model::plain(|call| {
            let status = call.int(0);
            call.machine.begin_exit(call.thread, status)
        }),
        "_exit" | "_Exit" | "quick_exit" => Model::visible(
            |call| {
                let status = call.int(0);
                let has_waited = u64::from(call.machine.has_waited_to_exit(call.thread));
                call.event(OpKind::ProcessExit, 0, 0, u64::from(status as u32), has_waited);
                call.machine.finish_exit(status);
                Ok(Flow::Stop)
            },
            |call| Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::ProcessExit, EXITS_AT_ONCE, 0))),
        ),
        "atexit" => Model::visible(at_exit, |call| {
            Ok(call
                .machine
                .accesses_are_visible()
                .then(|| call.wants(OpKind::Change, Hidden::ExitHandlers.address(), 0)))
        }),
        "__assert_fail" => Model::plain(|call| {
            let expression = call.arg(0);
            let expression = call.text(expression)?;
            Err(Fault::Assertion(format!("the assertion `{expression}` failed")))
        }),
        "__assert" => Model::plain(|call| {
            let expression = call.arg(0);
            let expression = call.text(expression)?;
            Err(Fault::Assertion(format!("the assertion `{expression}` failed")))
        }),
        "__assert_perror_fail" => {
            Model::plain(|call| Err(Fault::Assertion(format!("an operation failed with error {}", call.int(0)))))
        }
        "__stack_chk_fail" => Model::plain(|_| Err(Fault::Abort("the stack was smashed".to_owned()))),
        "__errno_location" => Model::plain(|call| {
            let place = call.machine.errno_address(call.thread);
            call.result(place)
        }),
        "setjmp" | "_setjmp" | "__sigsetjmp" | "sigsetjmp" | "__sigsetjmp_cancel" => Model::touching(set_jump),
        "longjmp" | "_longjmp" | "siglongjmp" | "__longjmp_chk" => Model::visible(
            |call| {
                let (buffer, value) = (call.arg(0), call.int(1));
                call.read(buffer, JUMP_SIZE)?;
                call.machine.long_jump(call.thread, buffer, if value == 0 { 1 } else { value as u32 as u64 })
            },
            wants_jump,
        ),
        "sleep" => Model::visible(|call| sleep(call, call.arg(0) as u32 as u64 * 1_000_000_000), wants_sleep).cancels(),
        "usleep" => Model::visible(|call| sleep(call, (call.arg(0) as u32 as u64) * 1000), wants_sleep).cancels(),
        "nanosleep" => Model::visible(
            |call| match duration(call, call.arg(0))? {
                Some(time) => sleep(call, time),
                None => call.error(EINVAL, u64::from(u32::MAX)),
            },
            wants_sleep,
        )
        .cancels(),
        "thrd_sleep" => Model::visible(
            |call| match duration(call, call.arg(0))? {
                Some(time) => sleep(call, time),
                None => call.result_int(THRD_SLEEP_FAILED),
            },
            wants_sleep,
        )
        .cancels(),
        "clock_nanosleep" => Model::visible(
            |call| {
                let (clock, flags, request) = (call.int(0), call.int(1), call.arg(2));
                // The kernel looks for the clock before it reads the time; a thread's own time cannot be slept for.
                if !is_clock(clock) || clock == THREAD_TIME {
                    return call.result_int(EINVAL);
                }
                let Some(time) = duration(call, request)? else { return call.result_int(EINVAL) };
                let now = call.machine.get_process(process::TIME);
                if flags == 1 && call.machine.accesses_are_visible() {
                    call.machine.change_hidden(call.thread, Hidden::Clock);
                }
                sleep(call, if flags == 1 { time.saturating_sub(now) } else { time })
            },
            wants_sleep,
        )
        .cancels(),
        "getpid" => Model::plain(|call| call.result_int(PROCESS)),
        "getppid" => Model::plain(|call| call.result_int(PROCESS - 1)),
        // The first thread's number is that of the process.
        "gettid" => Model::plain(|call| {
            let number = PROCESS + call.thread.0 as i32;
            call.result_int(number)
        }),
        "getuid" | "geteuid" | "getgid" | "getegid" => Model::plain(|call| call.result_int(1000)),
        "alarm" | "tzset" => Model::plain(|call| call.result_int(0)),
        "setrlimit" => Model::touching(|call| {
            let limit = call.arg(1);
            call.read(limit, 16)?;
            call.result_int(0)
        }),
        "getrlimit" => Model::touching(get_limit),
        "sysconf" => Model::plain(|call| {
            let value = match call.int(0) {
                2 => 100,                    // _SC_CLK_TCK
                4 => MAX_DESCRIPTORS as u64, // _SC_OPEN_MAX
                30 => 4096,                  // _SC_PAGESIZE
                43 => 2048,                  // _SC_LINE_MAX
                60 => 1024,                  // _SC_IOV_MAX
                73 => 4,                     // _SC_THREAD_DESTRUCTOR_ITERATIONS
                74 => 1024,                  // _SC_THREAD_KEYS_MAX
                75 => 16384,                 // _SC_THREAD_STACK_MIN
                83 | 84 => 2,                // _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN
                180 => 64,                   // _SC_HOST_NAME_MAX
                185..=199 => 0,              // sizes of caches, which are not told
                name => return Err(Fault::Unsupported(format!("`sysconf` of {name}"))),
            };
            call.result(value)
        }),
        "get_nprocs" | "get_nprocs_conf" => Model::plain(|call| call.result_int(2)),
        "getpagesize" => Model::plain(|call| call.result_int(4096)),
        "sched_getcpu" => Model::plain(|call| call.result_int(0)),
        _ => return None,
    })
}

fn wants_jump(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let shared = shared_argument(call)?;
    let buffer = call.arg(0);
    if shared.is_some() || call.machine.memory.check(buffer, JUMP_SIZE, false).is_err() {
        return Ok(shared);
    }
    let depth = (call.machine.memory.load(buffer, 8) >> 32) as usize;
    Ok(call.machine.wants_to_leave(call.thread, depth))
}

/// The number of the process.
const PROCESS: i32 = 4242;
/// Open files are limited; of other limits nothing is known.
fn get_limit(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    const NOFILE: i32 = 7;
    let (resource, target) = (call.int(0), call.arg(1));
    if !(0..16).contains(&resource) {
        return call.error(EINVAL, u64::from(u32::MAX));
    }
    let limit = if resource == NOFILE { MAX_DESCRIPTORS as u64 } else { u64::MAX };
    call.write_word(target, 8, limit)?;
    call.write_word(target + 8, 8, limit)?;
    call.result_int(0)
}

fn at_exit(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let handler = call.arg(0);
    let n = call.machine.get_process(process::N_EXIT_HANDLERS);
    if call.machine.accesses_are_visible() {
        call.machine.change_hidden(call.thread, Hidden::ExitHandlers);
    }
    if n >= process::MAX_EXIT_HANDLERS {
        return Err(Fault::Unsupported(format!("more than {} exit handlers", process::MAX_EXIT_HANDLERS)));
    }
    call.machine.set_process(process::EXIT_HANDLERS + 8 * n, handler);
    call.machine.set_process(process::N_EXIT_HANDLERS, n + 1);
    call.result_int(0)
}

fn set_jump(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let buffer = call.arg(0);
    let me = &call.machine.threads[call.thread.index()];
    let (depth, top) = (me.frames.len() as u64, *me.top());
    call.write_word(buffer, 8, JUMP_MAGIC | depth << 32)?;
    call.write_word(buffer + 8, 8, u64::from(top.pc) | u64::from(top.base) << 32)?;
    call.write_word(buffer + 16, 8, u64::from(top.function.0) | u64::from(call.thread.0) << 32)?;
    call.result_int(0)
}

fn wants_sleep(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::Sleep, 0, 0)))
}

/// How long a `struct timespec` says, in nanoseconds; none if it is no valid time.
fn duration(call: &mut Call<'_, '_>, request: u64) -> Result<Option<u64>, Fault> {
    let seconds = call.read_word(request, 8)?;
    let nanoseconds = call.read_word(request + 8, 8)?;
    Ok(duration_of(seconds, nanoseconds))
}

pub fn duration_of(seconds: u64, nanoseconds: u64) -> Option<u64> {
    let is_valid = (seconds as i64) >= 0 && nanoseconds < 1_000_000_000;
    is_valid.then(|| seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds))
}

/// Sleeping is yielding on virtual time.
fn sleep(call: &mut Call<'_, '_>, nanoseconds: u64) -> Result<Flow, Fault> {
    let now = call.machine.get_process(process::TIME);
    let changes = call.machine.memory.changes;
    call.machine.set_process(process::TIME, now.saturating_add(nanoseconds));
    // Who only sleeps and never looks at the clock repeats itself.
    call.machine.memory.changes = changes;
    if call.machine.accesses_are_visible() {
        call.event(OpKind::Sleep, 0, 0, nanoseconds, 0);
    }
    call.result_int(0)
}

impl Machine<'_> {
    /// Back to where `setjmp` filled the buffer, with `value` as its result.
    pub(crate) fn long_jump(&mut self, thread: ThreadId, buffer: u64, value: u64) -> Result<Flow, Fault> {
        self.memory.check(buffer, JUMP_SIZE, false)?;
        let word = |n: u64| self.memory.load(buffer + 8 * n, 8);
        let (first, second, third) = (word(0), word(1), word(2));
        let depth = (first >> 32) as usize;
        let frames = &self.threads[thread.index()].frames;
        let known = first as u32 as u64 == JUMP_MAGIC
            && depth >= 1
            && depth <= frames.len()
            && frames[depth - 1].function.0 == third as u32
            && frames[depth - 1].base == (second >> 32) as u32
            && (third >> 32) as u32 == thread.0
            && self.is_set_jump(frames[depth - 1].function, second as u32);
        if !known {
            return Err(Fault::Abort(
                "`longjmp` to a function that has returned, or with a buffer that `setjmp` did not fill".to_owned(),
            ));
        }
        while self.threads[thread.index()].frames.len() > depth {
            if self.pop_frame(thread).entry == Entry::Atomic {
                self.leave_atomic(thread);
            }
        }
        self.threads[thread.index()].top_mut().pc = second as u32;
        let program = self.program;
        let gordian_ir::Inst::Call { site } = *self.instruction(thread) else { unreachable!("`setjmp` is a call") };
        let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
        if site.n_returns > 0 {
            self.set_register(thread, site.dst, value);
        }
        Ok(Flow::Next)
    }

    /// Whether a call of `setjmp` stands there, as what is in a buffer says that the program may have overwritten.
    fn is_set_jump(&self, function: FuncId, pc: u32) -> bool {
        let function = &self.program.functions[function];
        let Some(&gordian_ir::Inst::Call { site }) = function.code.get(pc as usize) else { return false };
        match function.calls[site as usize].callee {
            Callee::External(external) => self.program.externals[external].name.contains("setjmp"),
            Callee::Function(_) | Callee::Indirect(_) => false,
        }
    }

    /// `main` returned or `exit` was called. While others live, when that happens is a choice.
    pub(crate) fn begin_exit(&mut self, thread: ThreadId, status: i32) -> Result<Flow, Fault> {
        // Several threads may be about to exit: the first to do so gives the status.
        self.threads[thread.index()].core.result = u64::from(status as u32);
        if self.must_park(thread) {
            let wants = Wants {
                kind: OpKind::ProcessExit,
                size: 0,
                address: EXITS,
                at: self.user_point(thread),
                varies: false,
            };
            return Ok(self.park(thread, wants));
        }
        self.exit_process(thread)
    }

    pub(crate) fn exit_process(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        let status = self.threads[thread.index()].core.result;
        self.set_process(process::EXIT_STATUS, status);
        self.set_process(process::EXITING, 1);
        self.next_exit_handler(thread)
    }

    /// A function that the machine called has returned. What is next depends on what others have registered meanwhile, and until the process has ended
    /// they go on: each is a step of its own.
    pub(crate) fn go_on_exiting(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        if self.get_process(process::EXITING) == 0 {
            return Ok(Flow::Jumped);
        }
        if self.must_park(thread) {
            let at = self.user_point(thread);
            return Ok(self.park(
                thread,
                Wants { kind: OpKind::ProcessExit, size: 0, address: GOES_ON_EXITING, at, varies: false },
            ));
        }
        self.next_exit_handler(thread)
    }

    /// Whether something is to be run before the process ends.
    pub(crate) fn has_exit_handlers(&self) -> bool {
        let n_run = self.get_process(process::N_DESTRUCTORS_RUN) as usize;
        self.get_process(process::N_EXIT_HANDLERS) > 0 || n_run < self.program.destructors.len()
    }

    /// The next exit handler, last registered first, then the destructors, then the end.
    pub(crate) fn next_exit_handler(&mut self, thread: ThreadId) -> Result<Flow, Fault> {
        let n = self.get_process(process::N_EXIT_HANDLERS);
        let run = self.get_process(process::N_DESTRUCTORS_RUN);
        let handler = if n > 0 {
            self.set_process(process::N_EXIT_HANDLERS, n - 1);
            Some(self.get_process(process::EXIT_HANDLERS + 8 * (n - 1)))
        } else if let Some(&destructor) = self.program.destructors.get(run as usize) {
            self.set_process(process::N_DESTRUCTORS_RUN, run + 1);
            Some(address::of_function(destructor.0))
        } else {
            None
        };
        if let Some(handler) = handler {
            if self.accesses_are_visible() {
                self.change_hidden(thread, Hidden::ExitHandlers);
            }
            return self.call_back(thread, handler, &[]);
        }
        if self.flush_would_show(thread) {
            let why = "the end of a process that has a stream with data for a pipe, while other threads run";
            return Err(Fault::Unsupported(why.to_owned()));
        }
        for (stream, lent) in self.files.buffers_with_output() {
            self.use_lent_buffer(thread, stream, lent)?;
        }
        let status = self.get_process(process::EXIT_STATUS);
        let has_waited = u64::from(self.has_waited_to_exit(thread));
        self.push_event(thread, OpKind::ProcessExit, 0, 0, status, has_waited);
        self.flush_streams();
        self.finish_exit(status as u32 as i32);
        Ok(Flow::Stop)
    }

    /// The process is over.
    pub(crate) fn finish_exit(&mut self, status: i32) {
        self.close_all_files();
        let running = self.threads.iter().filter(|t| !matches!(t.core.park, Park::Unborn | Park::Ended)).count();
        // The thread that exits is one of them.
        if running > 1 {
            let many = if running == 2 { "1 thread was".to_owned() } else { format!("{} threads were", running - 1) };
            self.log.notes.push(format!("{many} still running when the process exited"));
        }
        if self.settings.leaks
            && let Some(finding) = self.leak_finding()
        {
            self.report(finding);
        }
        self.finish(End::Exit(status));
    }

    /// Heap objects that nothing can reach any more, by allocation.
    pub(crate) fn leaked(&self) -> Vec<u64> {
        let mut reached: gordian_base::FxHashSet<u64> = gordian_base::FxHashSet::default();
        let mut work: Vec<u64> = Vec::new();
        let scan = |start: u64, size: u64, work: &mut Vec<u64>| {
            for word in self.memory.view(start, size).chunks_exact(8) {
                work.push(u64::from_le_bytes(word.try_into().expect("eight bytes")));
            }
        };
        for space in 0..self.memory.n_spaces() {
            for (start, object) in self.memory.objects_in(space) {
                if object.kind != Kind::Heap {
                    scan(start, u64::from(object.size), &mut work);
                }
            }
        }
        for thread in &self.threads {
            work.extend_from_slice(&thread.registers);
        }
        work.extend(self.files.lent_buffers().map(|lent| lent.address));
        while let Some(pointer) = work.pop() {
            let start = address::object_start(pointer);
            let live =
                self.memory.object(start).filter(|object| object.kind == Kind::Heap && object.mode < Mode::OutOfScope);
            if let Some(object) = live
                && reached.insert(start)
            {
                scan(start, u64::from(object.size), &mut work);
            }
        }
        let spaces = 0..self.memory.n_spaces();
        let heap =
            spaces.flat_map(|space| self.memory.objects_in(space)).filter(|(_, object)| object.kind == Kind::Heap);
        heap.map(|(start, _)| start).filter(|start| !reached.contains(start)).collect()
    }
}
