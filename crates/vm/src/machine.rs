//! The machine: a program, its memory and its threads, and the steps they make.

use crate::awaits::Awaits;
use crate::census::Census;
use crate::choices::Choices;
use crate::coverage::Coverage;
use crate::fault::Fault;
use crate::files::Files;
use crate::hidden::{Robust, Uses};
use crate::interp;
use crate::journal::NEVER;
use crate::memo::{Memo, StepRecorder};
use crate::memory::{Memory, Mode};
use crate::models::{self, Foreign, Model};
use crate::order::Released;
use crate::own::OwnOfMain;
use crate::private_reads::PrivateReads;
use crate::races::Races;
use crate::spin::{self};
use crate::state::{Log, Roster, Waiting, WayBack};
use crate::symbolic::{Symbolic, Terms};
use crate::sync::{COND_SIZE, MUTEX_SIZE};
use crate::thread::{Core, Park, Thread};
use gordian_base::{ClockId, Clocks, FxHashMap, FxHashSet, Id, IndexVec, ThreadId};
use gordian_ir::{Decides, ExternId, FuncId, Inst, Program};
use gordian_solve::Supervision;
use gordian_trace::{
    Bound, BranchPlace, Choice, CodePoint, Event, Finding, FindingKind, InputValue, Machine as Settings, Objection,
    OpKind, Test, ThreadOrigin, Wants,
};
use std::borrow::Cow;

/// How an execution ended.
#[derive(Clone, Debug, PartialEq)]
pub enum End {
    /// The process exited with this status.
    Exit(i32),
    /// The last finding is the reason.
    Failed,
    /// No result: blocked by a false assumption (nobody could step any more and a thread stood at one, or one was in an atomic section) or by a round in
    /// vain, or cut off where the search looks elsewhere.
    Dropped,
    Bound(Bound),
    /// The sentence names what cannot be run and its place.
    Unsupported(String),
}

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

#[derive(Clone, Debug)]
pub struct RawFinding {
    pub finding: Finding,
    /// Length of the schedule when it showed.
    pub steps: usize,
}

/// How private objects became shared.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Publication {
    pub thread: ThreadId,
    /// The thread's time then.
    pub time: u32,
    /// The event that did it.
    pub event: u32,
}

/// A deterministic machine that runs one program: same test, same execution, bit for bit.
pub struct Machine<'p> {
    pub(crate) program: &'p Program,
    pub(crate) settings: Settings,
    pub(crate) memory: Memory,
    /// By number; those not (yet) created in this execution are `Unborn`.
    pub(crate) threads: Vec<Thread>,
    pub(crate) end: Option<End>,
    pub(crate) clocks: Clocks,
    pub(crate) races: Races,
    pub(crate) publications: Vec<Publication>,
    /// Local variables that the step under way has published, and that others knew in an earlier life: by whom, where and of what size. Empty between steps.
    pub(crate) republished: Vec<(ThreadId, u64, u32)>,
    pub(crate) released: Released,
    pub(crate) choices: Choices,
    pub(crate) models: IndexVec<ExternId, Option<Model>>,
    pub(crate) uses: Uses,
    pub(crate) own_of_main: OwnOfMain,
    /// What was done with robust mutexes, in order.
    pub(crate) robust: Vec<Robust>,
    pub(crate) atomic_functions: Vec<bool>,
    /// Whether what threads write to objects of their own is noted for the race detector: the program has relaxed atomics, so an object can
    /// become known to others without what was written to it before.
    pub(crate) notes_private_writes: bool,
    /// Whether streams can be locked: the program calls `flockfile` or the like.
    pub(crate) locks_streams: bool,
    pub(crate) foreign: Foreign,
    /// Jumps that a thread may make between two visible operations.
    pub(crate) fuel: u64,
    pub(crate) files: Files,
    /// Inputs that the test fixes, and those asked for so far.
    pub(crate) fixed_inputs: FxHashMap<(u32, u32), u64>,
    pub(crate) inputs: Vec<InputValue>,
    /// Hidden objects (see `setup`).
    pub(crate) process: u64,
    /// How the operation under way was chosen.
    pub(crate) variant: u32,
    /// `memory.changes` when the running thread began to run.
    pub(crate) changes_before: u64,
    pub(crate) objection: Option<Objection>,
    /// The end of the process waits for other threads (see `exits`).
    pub(crate) delays_exits: bool,
    pub(crate) argv: u64,
    pub(crate) symbolic: Symbolic,
    pub(crate) coverage: Coverage,
    /// What was read at places that nobody writes, in any execution. For assertions.
    pub(crate) constants: FxHashMap<(u64, u8), u64>,
    /// The running thread has parked before what it does now (see [`Machine::pauses`]).
    pub(crate) is_resumed: bool,
    pub(crate) log: Log,
    pub(crate) back: WayBack,
    pub(crate) waiting: Waiting,
    pub(crate) roster: Roster,
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
            own_of_main: OwnOfMain::of(program),
            robust: Vec::new(),
            atomic_functions: program.functions.iter().map(|f| f.name.starts_with("__VERIFIER_atomic_")).collect(),
            notes_private_writes: settings.races != gordian_trace::RaceMode::Ignore && has_relaxed_atomics(program),
            locks_streams: program.externals.iter().any(|it| matches!(&*it.name, "flockfile" | "ftrylockfile")),
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

    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Whether the execution ended because no thread can step any more, and not because one of them ended it.
    pub fn is_stuck(&self) -> bool {
        if self.end == Some(End::Dropped) {
            return !self.is_blocked_in_section();
        }
        let kind = self.log.findings.last().map(|raw| raw.finding.kind);
        let waits = matches!(kind, Some(FindingKind::Deadlock | FindingKind::LostSignal | FindingKind::Livelock));
        // Who loops in an atomic section keeps others waiting that could go on.
        let is_kept_up =
            self.has_other_threads() && self.threads.iter().any(|thread| thread.core.park == Park::Running);
        self.end == Some(End::Failed) && waits && !is_kept_up
    }

    /// What can be chosen now, by thread and variant; empty iff the execution has ended.
    #[inline]
    pub fn choices(&self) -> &[Choice] {
        if self.end.is_some() {
            return &[];
        }
        if let Some(memo) = self.ahead() {
            return memo.choices();
        }
        // Where inputs decide nobody else goes on.
        if self.symbolic.choices.is_empty() { &self.choices.list } else { &self.symbolic.choices }
    }

    /// The choices as a set of threads, if they are at hand like that: each thread has one, its first.
    #[inline]
    pub fn free(&self) -> u64 {
        self.ahead().filter(|_| self.end.is_none()).map_or(0, Memo::free)
    }

    /// What has told the last steps, if they were not made.
    #[inline]
    pub(crate) fn ahead(&self) -> Option<&Memo> {
        self.back.memo.as_deref().filter(|_| self.back.is_replayed)
    }

    pub fn schedule(&self) -> &[Choice] {
        &self.log.schedule
    }

    pub fn events(&self) -> &[Event] {
        &self.log.events
    }

    pub fn findings(&self) -> &[RawFinding] {
        &self.log.findings
    }

    /// Facts worth knowing that are no findings.
    pub fn notes(&self) -> &[String] {
        &self.log.notes
    }

    /// Where values that were never set decided something, in any execution of this machine so far.
    pub fn doubts(&self) -> &[String] {
        &self.log.doubts
    }

    /// A value that was never set decides something where the thread stands.
    #[cold]
    pub(crate) fn doubt(&mut self, thread: ThreadId, decides: Decides) {
        let place = self.place(thread, self.user_point(thread), String::new());
        let what = match decides {
            Decides::Branch => "decides a branch",
            Decides::Address => "decides what is accessed",
            Decides::Division => "is a divisor",
            Decides::Result => "is the result of a function that is used",
            Decides::Call => "is an argument of a library function or of one called through a pointer",
        };
        let gordian_trace::Place { file, line, column, function, .. } = place;
        let why = format!(
            "a value that was never set {what} at {file}:{line}:{column} in {function} (`--uninit` reports such reads)"
        );
        if let Err(index) = self.log.doubts.binary_search(&why) {
            self.log.doubts.insert(index, why);
        }
    }

    /// Memory, threads and output must be those of the last step.
    #[track_caller]
    pub(crate) fn assert_not_ahead(&self) {
        assert!(!self.back.is_replayed, "the last steps were replayed from the memo and not made");
    }

    pub fn stdout(&self) -> &[u8] {
        self.assert_not_ahead();
        &self.log.stdout
    }

    pub fn stderr(&self) -> &[u8] {
        self.assert_not_ahead();
        &self.log.stderr
    }

    /// Threads created so far, main included.
    pub fn n_threads(&self) -> usize {
        self.roster.census.born as usize
    }

    /// One more than the highest number of a thread; numbers may have gaps.
    pub fn thread_numbers(&self) -> usize {
        self.threads.len()
    }

    /// Each pair of racing places is reported once in the life of this machine, however often the
    /// search goes back: for searches that keep findings elsewhere.
    pub fn report_races_once(&mut self) {
        self.log.races_once = true;
        self.log.seen_races.clear();
    }

    pub(crate) fn is_new_race(&mut self, a: CodePoint, b: CodePoint) -> bool {
        let places = (a.min(b), a.max(b));
        if self.is_trying() {
            return !self.log.races_once || !self.log.seen_races.contains(&places);
        }
        !self.log.races_once || self.log.seen_races.insert(places)
    }

    /// Whether these places are known to race, so that nothing is to be reported.
    pub(crate) fn is_known_race(&self, a: CodePoint, b: CodePoint) -> bool {
        self.log.races_once && self.log.seen_races.contains(&(a.min(b), a.max(b)))
    }

    /// Who created each thread, for a test; empty where main created all, in the order of their numbers.
    pub fn thread_origins(&self) -> Vec<ThreadOrigin> {
        let plain =
            self.roster.origins.iter().enumerate().all(|(n, origin)| origin.creator == 0 && origin.nth == n as u32);
        if plain { Vec::new() } else { self.roster.origins.clone() }
    }

    /// Whether inputs took one value each of many.
    #[inline]
    pub fn has_inputs(&self) -> bool {
        !self.symbolic.on && !self.inputs.is_empty()
    }

    /// Whether inputs are symbols, and there are some.
    #[inline]
    pub fn has_symbolic_inputs(&self) -> bool {
        self.symbolic.on && !self.inputs.is_empty()
    }

    /// Takes the least inputs that lead here.
    pub fn choose_inputs(&mut self) {
        self.take_least_inputs();
    }

    /// Why some inputs were not considered.
    #[inline]
    pub fn losses(&self) -> &[String] {
        &self.symbolic.losses
    }

    /// The ways of branches that were gone for the first time since this was last asked, by their number in
    /// [`Machine::branches`].
    #[inline]
    pub fn take_new_branches(&mut self) -> Vec<u32> {
        self.coverage.take_new()
    }

    /// The ways of all branches; none if nobody asked for coverage.
    pub fn branches(&self) -> Vec<BranchPlace> {
        self.coverage.places(self.program)
    }

    /// The first so many steps as a machine with fixed inputs makes them: where inputs decide, it does not stop.
    pub fn fixed_schedule(&self, steps: usize) -> Cow<'_, [Choice]> {
        if let Some(schedule) = self.unrecorded_schedule(steps) {
            return Cow::Owned(schedule);
        }
        if self.symbolic.path.is_empty() {
            return Cow::Borrowed(&self.log.schedule[..steps]);
        }
        let decides = |step: usize| {
            let first = self.log.events.get(self.log.step_starts[step] as usize);
            first.is_some_and(|event| event.kind == OpKind::Branch && event.thread == self.log.schedule[step].thread)
        };
        let made = |step: usize| {
            let Choice { thread, variant } = self.log.schedule[step];
            Choice { thread, variant: if self.is_scripted(step) { 0 } else { variant } }
        };
        Cow::Owned((0..steps).filter(|&step| !decides(step)).map(made).collect())
    }

    /// The inputs that the program asked for.
    pub fn inputs(&self) -> Vec<InputValue> {
        self.inputs.clone()
    }

    /// What `thread` does when it is next scheduled.
    #[inline]
    pub fn wants(&self, thread: ThreadId) -> Option<Wants> {
        if let Some(memo) = self.ahead() {
            return memo.wants(thread);
        }
        let me = self.threads.get(thread.index())?;
        let at = me.at();
        let of = |kind, address, size| Some(Wants { kind, size, address, at, varies: false });
        match me.core.park {
            Park::Before(wants) => Some(self.resolved(wants)),
            Park::Waiting { cond, .. } => of(OpKind::WaitEnd, cond, COND_SIZE),
            Park::Woken { mutex, .. } => of(OpKind::Woken, mutex, MUTEX_SIZE),
            Park::AtBarrier { barrier, .. } => of(OpKind::BarrierLeave, barrier, 0),
            Park::Joining { target, .. } => of(OpKind::Join, u64::from(target.0), 0),
            Park::Running | Park::Unrolled | Park::WentRound | Park::TookBack | Park::Idles => None,
            Park::FalseAssumption | Park::Unborn | Park::Ended => None,
        }
    }

    /// Whether it is known at once that no thread wants anything any more.
    #[inline]
    pub fn nobody_waits(&self) -> bool {
        self.ahead().is_some_and(Memo::nobody_waits)
    }

    /// Makes a choice: the thread's visible operation, then its invisible code up to its next one.
    ///
    /// # Panics
    /// If it is not one of [`Machine::choices`].
    pub fn step(&mut self, choice: Choice) {
        assert!(self.is_possible(choice), "{choice:?} is not possible here");
        match self.back.memo.take() {
            Some(memo) => self.step_or_recall(choice, memo),
            None => self.make_step(choice),
        }
    }

    #[inline]
    fn is_possible(&self, choice: Choice) -> bool {
        let Choice { thread, variant } = choice;
        match self.free() {
            0 => self.choices().contains(&choice),
            free => variant == 0 && thread.0 < u64::BITS && free >> thread.0 & 1 != 0,
        }
    }

    pub(crate) fn make_step(&mut self, choice: Choice) {
        let changes = self.memory.journal.log.len();
        self.begin_step(choice);
        self.follow_variant(choice);
        self.perform(choice.thread);
        self.symbolic.forget_script();
        if self.somebody_may_go_on() {
            self.let_go_on();
        }
        self.touch_since(changes);
        self.settle();
        if self.end.is_some() && self.waiting.awaits.is_on {
            self.find_predecessors();
        }
    }

    pub(crate) fn begin_step(&mut self, choice: Choice) {
        self.back.serial += 1;
        self.log.step_starts.push(self.log.events.len() as u32);
        self.note_step(choice.thread);
        self.log.schedule.push(choice);
        self.save(choice.thread);
        self.variant = choice.variant;
    }

    pub(crate) fn finish(&mut self, end: End) {
        self.end = Some(end);
    }

    /// Whether nobody is interested in the execution any more. What it came to then says nothing about the program.
    pub fn must_stop(&self) -> bool {
        self.symbolic.budget.is_stopped()
    }

    /// The execution has as many steps as it may have.
    #[cold]
    fn steps_exhausted(&mut self) {
        if self.somebody_waits_to_exit() {
            return self.object(Objection::DelayedExits, "an execution does not end");
        }
        if self.settings.rounds.is_some() && !self.settings.counts_all_rounds {
            return self.object(Objection::CountedRounds, "an execution does not end");
        }
        self.finish(End::Bound(Bound::Steps));
    }

    /// Why the search must be made again with other settings, in any execution so far.
    pub fn objection(&self) -> Option<Objection> {
        self.objection
    }

    /// The search must be made again with other settings.
    #[cold]
    pub(crate) fn object(&mut self, objection: Objection, why: &str) {
        self.objection = Some(objection);
        self.finish(End::Unsupported(why.to_owned()));
    }

    pub(crate) fn instructions_exhausted(&mut self) {
        self.finish(End::Bound(Bound::Instructions));
    }

    /// After a step: lets threads go on that wait for nothing but what has already happened.
    ///
    /// Beginning, joining an ended thread and leaving a full barrier are no choices: once possible they
    /// stay possible and concern nobody else, so doing them at once loses no behaviour.
    fn let_go_on(&mut self) {
        loop {
            while self.symbolic.undecided.is_none()
                && let Some(thread) = self.roster.newborn.pop()
            {
                // It may have been made in a step before.
                if self.memory.has_inputs {
                    self.save(thread);
                }
                self.run_beginner(thread);
            }
            if self.symbolic.undecided.is_some() {
                return;
            }
            if self.end.is_some() {
                self.roster.newborn.clear();
                return;
            }
            let Some(thread) = self.next_to_go_on() else { return };
            self.save(thread);
            self.variant = 0;
            self.perform(thread);
        }
    }

    #[inline]
    fn somebody_may_go_on(&self) -> bool {
        let Census { at_barriers, joining, .. } = self.roster.census;
        !self.roster.newborn.is_empty() || at_barriers > 0 || joining > 0 && self.roster.somebody_ended
    }

    fn next_to_go_on(&mut self) -> Option<ThreadId> {
        if !self.somebody_may_go_on() {
            return None;
        }
        let Census { at_barriers, joining, .. } = self.roster.census;
        // Often it is main alone who waits, and nobody behind it need be looked at.
        let mut waiting = at_barriers + joining;
        for (index, thread) in self.threads.iter().enumerate() {
            let goes_on = match thread.core.park {
                Park::Joining { target, .. } => self.threads[target.index()].ended(),
                Park::AtBarrier { barrier, round } => self.barrier_round(barrier) != round,
                _ => continue,
            };
            if goes_on {
                return Some(ThreadId(index as u32));
            }
            waiting -= 1;
            if waiting == 0 {
                break;
            }
        }
        self.roster.somebody_ended = false;
        None
    }

    /// Works out who can step next.
    #[inline(always)]
    fn settle(&mut self) {
        self.note_republished();
        if self.end.is_some() {
            return;
        }
        self.find_ways();
        self.update_choices();
        if self.choices.list.is_empty() && self.symbolic.choices.is_empty() {
            self.nobody_can_step();
        } else if self.log.schedule.len() as u64 >= self.settings.max_steps {
            self.steps_exhausted();
        }
    }

    /// Whether accesses to shared objects are scheduling points now.
    #[inline]
    pub(crate) fn accesses_are_visible(&self) -> bool {
        let is_seen = || !self.memory.is_all_looked_at() || self.has_other_threads() || self.records_accesses();
        self.memory.quiet < Mode::Shared && !self.memory.listens && is_seen()
    }

    #[inline]
    pub(crate) fn has_other_threads(&self) -> bool {
        self.roster.census.present > 1
    }

    /// To be called when a thread comes or goes.
    pub(crate) fn update_visibility(&mut self) {
        self.memory.has_inputs = self.symbolic.on && (!self.inputs.is_empty() || self.symbolic.is_fresh());
        let is_heard = self.back.recorder.is_wanted && !self.back.recorder.is_all.get();
        self.memory.listens = is_heard && !self.has_other_threads() && !self.memory.is_all_looked_at();
        self.memory.watches_private = self.notes_private_writes && self.has_other_threads();
        self.memory.quiet = if self.memory.is_all_looked_at() {
            Mode::Constant
        } else if self.has_other_threads() || self.memory.listens {
            Mode::Private
        } else {
            Mode::Shared
        };
    }

    /// Makes thread `number` exist, with no frame yet.
    pub(crate) fn make_thread(&mut self, number: ThreadId, start: FuncId, clock: ClockId) {
        while self.threads.len() <= number.index() {
            let mut core = Core::new(ClockId::default(), 0);
            core.park = Park::Unborn;
            self.threads.push(Thread {
                core,
                frames: Vec::new(),
                registers: Vec::new(),
                saved_from: 0,
                saved_in: 0,
                saved_at: NEVER,
                start,
                is_let_go: true,
                could_precede: 0,
                newest_visit: 0,
            });
            self.choices.admit();
        }
        self.save(number);
        let core = Core::new(clock, self.roster.n_thread_locals + 2);
        self.change_sort(number, |unborn| *unborn = core);
        self.threads[number.index()].start = start;
        self.make_thread_locals(number);
        self.update_visibility();
    }

    /// The innermost instruction of the user's own code: gordian's libc is shown as its caller.
    #[inline]
    pub(crate) fn user_point(&self, thread: ThreadId) -> CodePoint {
        match self.threads[thread.index()].frames.last() {
            Some(top) if !self.program.functions[top.function].internal => {
                CodePoint { function: top.function.0, pc: top.pc }
            }
            _ => self.calling_point(thread),
        }
    }

    #[cold]
    fn calling_point(&self, thread: ThreadId) -> CodePoint {
        let me = &self.threads[thread.index()];
        let n = me.frames.len();
        let is_own = |index: &usize| !self.program.functions[me.frames[*index].function].internal;
        let Some(index) = (0..n).rev().find(is_own).or(n.checked_sub(1)) else { return gordian_trace::NO_CODE };
        let frame = &me.frames[index];
        // A frame that has called another stands behind the call already.
        let pc = if index + 1 < n { frame.pc.saturating_sub(1) } else { frame.pc };
        CodePoint { function: frame.function.0, pc }
    }

    pub(crate) fn push_event(
        &mut self,
        thread: ThreadId,
        kind: OpKind,
        address: u64,
        size: u32,
        value: u64,
        other: u64,
    ) {
        let at = self.user_point(thread);
        if let Some(fresh) = &mut self.symbolic.fresh {
            let frames = &self.threads[thread.index()].frames;
            fresh.calls.note_event(self.log.events.len(), frames, thread, self.program);
        }
        self.push_event_at(thread, at, kind, address, size, value, other);
    }

    /// As [`Machine::push_event`], where the user's own instruction is known.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the fields of an event")]
    pub(crate) fn push_event_at(
        &mut self,
        thread: ThreadId,
        at: CodePoint,
        kind: OpKind,
        address: u64,
        size: u32,
        value: u64,
        other: u64,
    ) {
        if !spin::is_quiet(kind) {
            self.threads[thread.index()].core.visits = 0;
        }
        self.note_for_private_reads(thread, kind, address, size);
        let alone = !self.accesses_are_visible();
        self.log.events.push(Event {
            thread,
            kind,
            alone,
            unsure: false,
            varies: false,
            size,
            at,
            address,
            value,
            other,
        });
    }

    pub(crate) fn fail(&mut self, thread: ThreadId, fault: Fault) {
        let fault = match fault {
            Fault::NothingKnown => {
                self.lose_always("what an input of pointer type points to is not known");
                return self.finish(End::Dropped);
            }
            Fault::Wild { address } | Fault::BadFree { address, .. } if crate::models::is_foreign(address) => {
                Fault::Unsupported("memory of a native library, or that an input points to,".to_owned())
            }
            fault => fault,
        };
        if let Fault::Unsupported(what) = fault {
            let place = self.place(thread, self.user_point(thread), String::new());
            self.finish(End::Unsupported(format!(
                "{what} at {}:{}:{} in {}",
                place.file, place.line, place.column, place.function
            )));
            return;
        }
        if self.is_trying() {
            self.finish(End::Failed);
            return;
        }
        self.take_least_inputs();
        let finding = self.finding_of(thread, fault);
        self.report(finding);
        self.finish(End::Failed);
    }

    /// Tells whoever reads the report something about this execution, once.
    pub(crate) fn note(&mut self, note: String) {
        if !self.log.notes.contains(&note) {
            self.log.notes.push(note);
        }
    }

    pub(crate) fn report(&mut self, finding: Finding) {
        self.log.findings.push(RawFinding { finding, steps: self.log.schedule.len() });
    }
}
