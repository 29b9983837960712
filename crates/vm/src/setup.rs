//! What exists before the first instruction: globals, arguments, environment, streams, and the
//! machine's own data, which lives in memory like the program's so that going back covers it.

use crate::awaits::Awaits;
use crate::census::Census;
use crate::choices::Choices;
use crate::coverage::Coverage;
use crate::fault::Fault;
use crate::files::Files;
use crate::files::{Buffering, Stream};
use crate::hidden::Uses;
use crate::interp;
use crate::machine::Machine;
use crate::memo::StepRecorder;
use crate::memory::{Kind, MOST_MEMORY};
use crate::memory::{Memory, Mode};
use crate::models::Static;
use crate::models::{self, Foreign};
use crate::order::Released;
use crate::private_globals::PrivateGlobals;
use crate::private_reads::PrivateReads;
use crate::races::Races;
use crate::sources;
use crate::state::{Log, Roster, Waiting, WayBack};
use crate::symbolic::{Symbolic, Terms};
use crate::sync::MUTEX_SIZE;
use crate::thread::Entry;
use gordian_base::{ClockId, Clocks, FxHashMap, FxHashSet, Id, ThreadId};
use gordian_ir::{FuncId, Inst, Program};
use gordian_ir::{GlobalId, address};
use gordian_solve::Supervision;
use gordian_trace::{CodePoint, Test};

/// Offsets in the hidden process object.
pub mod process {
    pub const EXIT_STATUS: u64 = 0;
    pub const EXITING: u64 = 8;
    pub const N_EXIT_HANDLERS: u64 = 16;
    pub const N_DESTRUCTORS_RUN: u64 = 24;
    pub const N_KEYS: u64 = 32;
    /// Virtual time in nanoseconds.
    pub const TIME: u64 = 40;
    /// The array of environment strings.
    pub const ENVIRON: u64 = 48;
    /// The state of `rand` and `drand48`.
    pub const RANDOM: u64 = 64;
    pub const KEY_DESTRUCTORS: u64 = 512;
    /// As in glibc.
    pub const MAX_KEYS: u64 = 1024;
    pub const EXIT_HANDLERS: u64 = KEY_DESTRUCTORS + 8 * MAX_KEYS;
    pub const MAX_EXIT_HANDLERS: u64 = 256;
    /// By signal: its handler, its flags and its mask.
    pub const SIGNALS: u64 = EXIT_HANDLERS + 8 * MAX_EXIT_HANDLERS;
    pub const N_SIGNALS: u64 = 65;
    pub const SIGNAL_SIZE: u64 = 24;
    pub const SIZE: u64 = SIGNALS + SIGNAL_SIZE * N_SIGNALS;

    /// Offset in the hidden object of a thread, behind its values of keys: the signals that it has blocked.
    pub const BLOCKED_SIGNALS: u64 = 8 * MAX_KEYS;
}

/// Virtual time starts here: the first second of 2024, in nanoseconds since 1970.
pub const START_OF_TIME: u64 = 1_704_067_200 * 1_000_000_000;

impl Machine<'_> {
    pub(crate) fn lay_out_globals(&mut self) -> Result<(), SetupError> {
        let program = self.program;
        let n_globals = program.globals.len() as u32;
        self.process = address::make(address::GLOBAL_SPACE, n_globals + 1, 0);
        self.memory.allocate(self.process, process::SIZE, Kind::Hidden, Mode::Constant, 0);
        self.set_process(process::TIME, START_OF_TIME);
        for number in 0..3 {
            let place = self.stream_address(number);
            let buffering = if number == 2 { Buffering::Unbuffered } else { Buffering::default() };
            let (readable, writable) = (number == 0, number > 0);
            let stream = Stream { fd: number as i32, readable, writable, buffering, ..Stream::default() };
            self.files.add_stream(place, stream);
        }
        self.roster.n_thread_locals = program.globals.iter().filter(|global| global.thread_local).count() as u32;
        for (id, global) in program.globals.enumerate() {
            if global.size > address::MAX_OBJECT_SIZE || !self.memory.has_room(global.size) {
                return Err(SetupError::TooLarge { name: global.name.clone(), size: global.size });
            }
            if global.thread_local {
                continue;
            }
            let place = address::of_global(id);
            let mode = if global.constant { Mode::Constant } else { Mode::Shared };
            self.memory.allocate(place, global.size, Kind::Global, mode, 0);
            self.memory.store_bytes(place, &global.init);
            if global.external {
                self.lay_out_external(&global.name, place)?;
            }
        }
        Ok(())
    }

    fn lay_out_external(&mut self, name: &str, place: u64) -> Result<(), SetupError> {
        let stream = match name {
            "stdin" => 0,
            "stdout" => 1,
            "stderr" => 2,
            // Filled when arguments and environment are known.
            "environ" | "__environ" | "_environ" => return Ok(()),
            "program_invocation_name" | "program_invocation_short_name" | "__progname" => return Ok(()),
            // Zero in UTC, and where `lgamma` was not called.
            "timezone" | "__timezone" | "daylight" | "__daylight" | "signgam" => return Ok(()),
            "tzname" | "__tzname" => {
                let utc = self.static_text(Static::Utc, "UTC");
                self.memory.store(place, 8, utc);
                self.memory.store(place + 8, 8, utc);
                return Ok(());
            }
            // Undefined functions and weak symbols that nobody defines have size 0.
            _ => return Err(SetupError::ExternalVariable(name.to_owned())),
        };
        let stream = self.stream_address(stream);
        self.memory.store(place, 8, stream);
        Ok(())
    }

    /// The `FILE` behind an open stream: an object of the machine's that the program can only point to.
    pub(crate) fn stream_address(&mut self, number: u32) -> u64 {
        let place = address::make(address::GLOBAL_SPACE, self.program.globals.len() as u32 + 8 + number, 0);
        if self.memory.object(place).is_none_or(|object| object.mode == Mode::Absent) {
            self.memory.allocate(place, u64::from(MUTEX_SIZE), Kind::Hidden, Mode::Private, 0);
            self.make_stream_lock(place);
        }
        place
    }

    pub(crate) fn stream_number(&self, place: u64) -> Option<u32> {
        let first = self.program.globals.len() as u32 + 8;
        let hidden = self.memory.object(place).is_some_and(|object| object.kind == Kind::Hidden);
        let index = address::index(place);
        (hidden && address::space(place) == address::GLOBAL_SPACE && index >= first && index < first + MAX_STREAMS)
            .then(|| index - first)
    }

    /// Arguments and environment, as objects of their own that every thread can reach.
    pub(crate) fn lay_out_arguments(&mut self, test: &Test) {
        let name = test.program.files.first().and_then(|file| file.file_stem());
        let name = name.map_or("program".to_owned(), |stem| stem.to_string_lossy().into_owned());
        let mut next = self.program.globals.len() as u32 + 8 + MAX_STREAMS;
        let arguments = std::iter::once(name.into_bytes()).chain(sources::arguments(test));
        self.argv = self.lay_out_strings(arguments, &mut next);
        let environ = self.lay_out_strings(sources::environment(test), &mut next);
        let name = self.memory.load(self.argv, 8);
        for (id, global) in self.program.globals.enumerate().filter(|(_, global)| global.external) {
            let value = match global.name.as_str() {
                "environ" | "__environ" | "_environ" => environ,
                "program_invocation_name" | "program_invocation_short_name" | "__progname" => name,
                _ => continue,
            };
            self.memory.store(address::of_global(id), 8, value);
        }
        self.set_process(process::ENVIRON, environ);
    }

    /// A null-terminated array of strings; gives its address.
    fn lay_out_strings(&mut self, strings: impl Iterator<Item = Vec<u8>>, next: &mut u32) -> u64 {
        let mut new = |machine: &mut Self, bytes: &[u8]| {
            let place = address::make(address::GLOBAL_SPACE, *next, 0);
            *next += 1;
            machine.memory.allocate(place, bytes.len() as u64, Kind::Global, Mode::Shared, 0);
            machine.memory.store_bytes(place, bytes);
            place
        };
        let mut pointers: Vec<u64> = Vec::new();
        for mut bytes in strings {
            bytes.push(0);
            pointers.push(new(self, &bytes));
        }
        pointers.push(0);
        let bytes: Vec<u8> = pointers.iter().flat_map(|pointer| pointer.to_le_bytes()).collect();
        new(self, &bytes)
    }

    /// Puts `main` on the stack, and the constructors over it so that they run first.
    pub(crate) fn push_main(&mut self, main: FuncId, test: &Test) {
        let environ = self.get_process(process::ENVIRON);
        let argc = 1 + test.arguments.len() as u64;
        self.enter(ThreadId::MAIN, main, Entry::Main, 0).expect("the stack is empty");
        self.pass(ThreadId::MAIN, &[argc, self.argv, environ]);
        for &constructor in self.program.constructors.iter().rev() {
            self.enter(ThreadId::MAIN, constructor, Entry::Callback, 0).expect("the stack is nearly empty");
            self.pass(ThreadId::MAIN, &[argc, self.argv, environ]);
        }
    }

    pub(crate) fn make_thread_locals(&mut self, thread: ThreadId) {
        let space = address::heap_space(thread);
        let program = self.program;
        let mut index = 0;
        for global in program.globals.iter().filter(|global| global.thread_local) {
            let place = address::make(space, index, 0);
            self.memory.allocate(place, global.size, Kind::Global, Mode::Private, 0);
            self.memory.store_bytes(place, &global.init);
            index += 1;
        }
        let errno = address::make(space, index, 0);
        self.memory.allocate(errno, 4, Kind::Global, Mode::Private, 0);
    }

    /// Whether others know thread-locals of the thread.
    pub(crate) fn has_shared_thread_locals(&self, thread: ThreadId) -> bool {
        let place = |index| address::make(address::heap_space(thread), index, 0);
        let is_shared = |index| self.memory.object(place(index)).is_some_and(|object| object.mode == Mode::Shared);
        thread != ThreadId::MAIN && (0..self.roster.n_thread_locals).any(is_shared)
    }

    /// The thread-locals and specific data of an ended thread are no more.
    pub(crate) fn end_thread_locals(&mut self, thread: ThreadId, at: CodePoint) {
        if thread == ThreadId::MAIN {
            return;
        }
        for index in 0..self.roster.n_thread_locals + 2 {
            let place = address::make(address::heap_space(thread), index, 0);
            if let Some(object) = self.memory.object(place).copied().filter(|object| object.mode < Mode::OutOfScope) {
                self.note_end_of_life(thread, place, object);
                self.end_life(thread, place, at);
            }
        }
    }

    pub(crate) fn thread_local_address(&self, thread: ThreadId, global: GlobalId) -> u64 {
        let before = self.program.globals.iter().take(global.index()).filter(|global| global.thread_local).count();
        address::make(address::heap_space(thread), before as u32, 0)
    }

    pub(crate) fn errno_address(&self, thread: ThreadId) -> u64 {
        address::make(address::heap_space(thread), self.roster.n_thread_locals, 0)
    }

    /// The thread-specific data of the thread, and the signals that it has blocked, if it has any.
    pub(crate) fn specific_values(&self, thread: ThreadId) -> Option<u64> {
        let place = address::make(address::heap_space(thread), self.roster.n_thread_locals + 1, 0);
        self.memory.object(place).filter(|object| object.mode != Mode::Absent).map(|_| place)
    }

    /// The thread's values of `pthread_getspecific`, made when first written.
    pub(crate) fn specific_address(&mut self, thread: ThreadId) -> u64 {
        let place = address::make(address::heap_space(thread), self.roster.n_thread_locals + 1, 0);
        if self.memory.object(place).is_none_or(|object| object.mode == Mode::Absent) {
            self.memory.allocate(place, process::BLOCKED_SIGNALS + 8, Kind::Hidden, Mode::Private, 0);
        }
        place
    }

    pub(crate) fn get_process(&self, offset: u64) -> u64 {
        self.memory.load(self.process + offset, 8)
    }

    pub(crate) fn set_process(&mut self, offset: u64, value: u64) {
        self.memory.store(self.process + offset, 8, value);
    }

    /// A heap object of the thread.
    pub(crate) fn new_heap(&mut self, thread: ThreadId, size: u64, kind: Kind) -> Result<u64, Fault> {
        let core = &mut self.threads[thread.index()].core;
        let index = core.next_heap;
        if index > address::MAX_INDEX {
            return Err(Fault::Unsupported(format!("more than {} allocations of one thread", address::MAX_INDEX)));
        }
        if !self.memory.has_room(size) {
            return Err(Fault::Unsupported(format!("more than {MOST_MEMORY} bytes of memory")));
        }
        core.next_heap += 1;
        let place = address::make(address::heap_space(thread), index, 0);
        self.memory.allocate(place, size, kind, Mode::Private, 0);
        let at = self.user_point(thread);
        self.memory.set_origin(place, at, u32::MAX);
        Ok(place)
    }

    /// The `FILE` of a stream that the program opens: all that it holds is the lock of `flockfile`.
    pub(crate) fn new_stream(&mut self, thread: ThreadId) -> Result<u64, Fault> {
        let place = self.new_hidden(thread, MUTEX_SIZE.into())?;
        self.make_stream_lock(place);
        Ok(place)
    }

    /// Memory of the C library that every thread can get a pointer to.
    pub(crate) fn new_shared(&mut self, thread: ThreadId, size: u64) -> Result<u64, Fault> {
        let place = self.new_hidden(thread, size)?;
        self.memory.set_mode(place, Mode::Shared);
        Ok(place)
    }

    /// A buffer of the machine's own.
    pub(crate) fn new_hidden(&mut self, thread: ThreadId, size: u64) -> Result<u64, Fault> {
        self.new_heap(thread, size, Kind::Hidden)
    }
}

/// Streams and file descriptors that can be open at a time.
pub const MAX_STREAMS: u32 = 1024;

#[derive(Debug, thiserror::Error)]
pub enum SetupError {
    #[error("the program has no function `main`")]
    NoMain,
    #[error("the program uses the external variable `{0}`, which gordian does not know")]
    ExternalVariable(String),
    #[error("the program's global variables do not fit: `{name}` has {size} bytes")]
    TooLarge { name: String, size: u64 },
    #[error("the test names thread {0}, and a program can have {max} threads at most", max = gordian_ir::address::MAX_THREADS)]
    TooManyThreads(usize),
    #[error("the test makes argument {0} an input, and the program is not given so many")]
    NoArgument(u32),
    #[error("the file {0} cannot be made an input: {1}")]
    File(String, std::io::Error),
    #[error("`{0}` cannot be called natively: no loaded library has it")]
    NoNative(String),
}

/// Whether an atomic access of the program neither acquires nor releases where it could.
fn has_relaxed_atomics(program: &Program) -> bool {
    let is_relaxed = |inst: &Inst| match *inst {
        Inst::AtomicLoad { order, .. } => !order.acquires(),
        Inst::AtomicStore { order, .. } => !order.releases(),
        Inst::AtomicRmw { order, .. } => !order.acquires() || !order.releases(),
        Inst::CmpXchg { order, failure, .. } => !order.acquires() || !order.releases() || !failure.acquires(),
        _ => false,
    };
    program.functions.iter().any(|function| function.code.iter().any(is_relaxed))
}

impl<'p> Machine<'p> {
    /// Sets the program up with the test's arguments, inputs and settings, and runs it to its first
    /// visible operation. The test's schedule is not used.
    pub fn new(program: &'p Program, test: &Test) -> Result<Self, SetupError> {
        Self::with_passthrough(program, test, false)
    }

    /// With `passthrough`, output goes to the real streams and input comes from them as it happens.
    pub fn with_passthrough(program: &'p Program, test: &Test, passthrough: bool) -> Result<Self, SetupError> {
        Self::set_up(program, test, passthrough, Symbolic::new(test.machine.symbolic), None)
    }

    /// With a solver that is timed and can be stopped from the first instruction on.
    pub fn supervised(program: &'p Program, test: &Test, supervision: &Supervision) -> Result<Self, SetupError> {
        Self::set_up(program, test, false, Symbolic::supervised(test.machine.symbolic, supervision), None)
    }

    /// With these inputs, whose reads are symbols (see [`Machine::actions`]).
    pub fn with_fresh_reads(
        program: &'p Program,
        test: &Test,
        terms: Terms,
        inputs: &gordian_solve::Model,
    ) -> Result<Self, SetupError> {
        Self::with_fresh_reads_supervised(program, test, terms, inputs, &Supervision::default())
    }

    /// As [`Machine::with_fresh_reads`], and it can be stopped from the first instruction on.
    pub fn with_fresh_reads_supervised(
        program: &'p Program,
        test: &Test,
        terms: Terms,
        inputs: &gordian_solve::Model,
        supervision: &Supervision,
    ) -> Result<Self, SetupError> {
        let mut terms = terms;
        let coverage = terms.take_coverage();
        Self::set_up(program, test, false, Symbolic::fresh(terms, inputs, supervision), coverage)
    }

    fn set_up(
        program: &'p Program,
        test: &Test,
        passthrough: bool,
        symbolic: Symbolic,
        coverage: Option<Coverage>,
    ) -> Result<Self, SetupError> {
        let main = program.main.ok_or(SetupError::NoMain)?;
        if test.threads.len() >= gordian_ir::address::MAX_THREADS {
            return Err(SetupError::TooManyThreads(test.threads.len()));
        }
        let settings = test.machine.clone();
        let mut machine = Machine {
            program,
            memory: Memory::new(settings.uninitialised),
            threads: Vec::new(),
            end: None,
            clocks: Clocks::new(),
            races: Races::default(),
            publications: Vec::new(),
            republished: Vec::new(),
            released: Released::default(),
            choices: Choices::default(),
            models: models::resolve(program, &settings)?,
            uses: Uses::of(program),
            own_of_main: PrivateGlobals::of(program),
            robust: Vec::new(),
            atomic_functions: program.functions.iter().map(|f| f.name.starts_with("__VERIFIER_atomic_")).collect(),
            notes_private_writes: settings.races != gordian_trace::RaceMode::Ignore && has_relaxed_atomics(program),
            locks_streams: program
                .externals
                .iter()
                .any(|it| matches!(&*it.name, "flockfile" | "ftrylockfile" | "funlockfile")),
            foreign: Foreign::default(),
            fuel: if passthrough { interp::JUMPS_OF_A_RUN } else { interp::JUMPS_PER_STEP },
            files: Files::new(test.stdin.clone().into_bytes(), passthrough),
            fixed_inputs: test.inputs.iter().map(|input| ((input.thread, input.nth), input.value)).collect(),
            inputs: Vec::new(),
            process: 0,
            variant: 0,
            changes_before: 0,
            objection: None,
            delays_exits: crate::exits::can_wait(program, &settings),
            argv: 0,
            constants: FxHashMap::default(),
            is_resumed: false,
            symbolic,
            coverage: coverage
                .unwrap_or_else(|| if settings.coverage { Coverage::new(program) } else { Coverage::default() }),
            log: Log {
                events: Vec::new(),
                step_starts: Vec::new(),
                schedule: Vec::new(),
                findings: Vec::new(),
                notes: Vec::new(),
                doubts: Vec::new(),
                seen_races: FxHashSet::default(),
                races_once: false,
                stdout: Vec::new(),
                stderr: Vec::new(),
            },
            back: WayBack {
                snapshots: Vec::new(),
                serial: 1,
                memo: None,
                recorder: StepRecorder::default(),
                is_replayed: false,
            },
            waiting: Waiting {
                visits: Vec::new(),
                visit_words: Vec::new(),
                watches: Vec::new(),
                awaits: Awaits::new(program, &settings, Uses::of(program).cancels),
                private_reads: PrivateReads::new(&settings),
                loop_counts: Vec::new(),
                loops: (0..program.functions.len()).map(|_| None).collect(),
            },
            roster: Roster {
                origins: test.threads.clone(),
                census: Census::default(),
                somebody_ended: false,
                newborn: Vec::new(),
                n_thread_locals: 0,
            },
            settings,
        };
        machine.memory.looks_at_all = machine.settings.parks_everywhere;
        machine.files.descriptors_change = machine.uses.changes_descriptors;
        machine.lay_out_globals()?;
        machine.lay_out_arguments(test);
        machine.make_thread(ThreadId::MAIN, main, ClockId::default());
        machine.update_visibility();
        machine.draw_sources(test)?;
        machine.push_main(main, test);
        machine.run_thread(ThreadId::MAIN);
        machine.let_go_on();
        machine.settle();
        Ok(machine)
    }
}
