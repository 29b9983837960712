//! What the engine needs of a machine. One trait, so that the engine and the strategies are also tested
//! against brute force on toy programs, without LLVM and without the machine; static dispatch, no cost.

use crate::{Coast, EngineError, Passed};
use gordian_base::ThreadId;
use gordian_ir::Program;
use gordian_trace::{BranchPlace, Choice, Event, InputValue, OpKind, SolverSummary, Step, Test, ThreadOrigin, Wants};
use gordian_vm::{End, Guide, Machine, Mark, RawFinding};
use std::borrow::Cow;
use std::time::Duration;

/// Something that can be executed again and again from its beginning.
pub trait Subject {
    type Executor<'a>: Executor
    where
        Self: 'a;

    /// A fresh execution, at its first visible operation. The test's schedule is not looked at. With
    /// `passthrough` the program's output goes to the real stdout and stderr as it happens and is not kept.
    fn start(&self, test: &Test, passthrough: bool) -> Result<Self::Executor<'_>, EngineError>;
}

/// One execution that can step and go back. [`gordian_vm::Machine`] documents each method; the engine
/// relies on these facts:
/// - `choices()` is sorted by thread, then variant, without repetition, and empty exactly when `end()` is some;
/// - the same choices from the same [`Subject::start`] give the same state;
/// - `undo_to` restores everything that the methods show.
pub trait Executor {
    type Mark: Copy;

    fn end(&self) -> Option<&End>;
    /// Whether the execution ended because no thread could step.
    fn is_stuck(&self) -> bool;
    fn choices(&self) -> &[Choice];
    fn wants(&self, thread: ThreadId) -> Option<Wants>;
    /// The places that a thread watches while it waits in a loop: address, size, kind of place.
    fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)>;
    fn step(&mut self, choice: Choice);
    /// Makes steps as they are wanted while that takes no more than telling them from memory, and says of each state that it
    /// passes how to come back to it. It has no findings on the way.
    fn coast(&mut self, _coast: &mut Coast<'_>, _pass: &mut impl FnMut(Self::Mark, Passed))
    where
        Self: Sized,
    {
    }
    fn schedule(&self) -> &[Choice];
    fn events(&self) -> &[Event];
    fn findings(&self) -> &[RawFinding];
    fn notes(&self) -> &[String];
    fn n_threads(&self) -> usize;
    /// One more than the highest number of a thread; numbers may have gaps.
    fn thread_numbers(&self) -> usize {
        self.n_threads()
    }
    /// The choices as a set of threads, a bit for each, if it has them at hand like that: only where each thread has its first
    /// variant alone, and a number below 64. Otherwise nothing.
    fn free(&self) -> u64 {
        0
    }
    /// Whether no thread wants anything any more. If it says no, there may still be none.
    fn nobody_waits(&self) -> bool {
        false
    }
    fn thread_origins(&self) -> Vec<ThreadOrigin>;
    fn inputs(&self) -> Vec<InputValue>;
    /// Whether the program has asked for an input and got one value of many.
    fn has_inputs(&self) -> bool;
    /// Whether inputs are symbols, and there are some.
    fn has_symbolic_inputs(&self) -> bool {
        false
    }
    /// Takes the inputs that a test of this execution is to have, out of all that lead here.
    fn choose_inputs(&mut self) {}
    /// How often it was asked whether some inputs lead a way. Only grows.
    #[inline]
    fn questions(&self) -> u64 {
        0
    }
    /// Lets the solver take the time, for reports.
    fn time_solver(&mut self, _clock: fn() -> Duration) {}
    /// What the solver did so far; nothing of paths.
    fn solver_summary(&self) -> SolverSummary {
        SolverSummary::default()
    }
    /// Why some inputs were not considered.
    fn losses(&self) -> &[String] {
        &[]
    }
    /// The ways of branches that were gone for the first time since this was last asked, by number.
    fn take_new_branches(&mut self) -> Vec<u32> {
        Vec::new()
    }
    /// The ways of all branches, by number.
    fn branches(&self) -> Vec<BranchPlace> {
        Vec::new()
    }
    /// The first so many steps as a test with fixed inputs makes them.
    fn fixed_schedule(&self, steps: usize) -> Cow<'_, [Choice]> {
        Cow::Borrowed(&self.schedule()[..steps])
    }
    /// Whether a thread stopped for good where it would have gone back in a loop once too often.
    fn left_a_loop_unfinished(&self) -> bool {
        false
    }
    /// Allows steps that were made before to be told from memory.
    fn remember_steps(&mut self) {}
    fn mark(&mut self) -> Self::Mark;
    fn undo_to(&mut self, mark: Self::Mark);
    fn describe(&self) -> Vec<Step>;
    fn stdout(&self) -> &[u8];
    fn stderr(&self) -> &[u8];

    /// What the program has been given on standard input.
    fn stdin(&self) -> &[u8] {
        &[]
    }

    /// Lets a plain run (`passthrough`) do to the disk what the program did.
    fn commit_files(&mut self) {}

    /// Notes whether a thread that is left alone in the next step looks at anything that others have touched.
    fn watch_ending(&mut self) {}

    /// Whether a thread that was left alone in the last step may have looked at something that others have touched.
    fn has_looked_alone(&self) -> bool {
        true
    }

    /// Allows findings that do not end the execution to show once only, however often `undo_to` goes back.
    fn report_races_once(&mut self) {}

    /// The last operation of the thread that made the last step. The last *event* may be another's, who was
    /// let go on by that step.
    #[inline]
    fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        let thread = self.schedule().last()?.thread;
        let event = self.events().iter().rev().find(|event| event.thread == thread)?;
        Some((thread, event.kind))
    }
}

impl Subject for Program {
    type Executor<'a> = Machine<'a>;

    fn start(&self, test: &Test, passthrough: bool) -> Result<Machine<'_>, EngineError> {
        Ok(Machine::with_passthrough(self, test, passthrough)?)
    }
}

/// Steps after which the engine looks at the clock, however long a coast is.
const MOST_COASTED: u32 = 1_000;

/// Tells the machine how to coast.
struct Coasting<'a, 'h, P> {
    coast: &'a mut Coast<'h>,
    /// In the present state.
    allowed: u64,
    n_left: u32,
    pass: &'a mut P,
}

impl<P: FnMut(Mark, Passed)> Guide for Coasting<'_, '_, P> {
    #[inline]
    fn next(&mut self, free: u64, last: ThreadId) -> Option<ThreadId> {
        self.n_left = self.n_left.checked_sub(1)?;
        self.allowed = self.coast.allowed(free);
        Coast::pick(self.allowed, last)
    }

    #[inline]
    fn passed(&mut self, mark: Mark, n_events: usize, thread: ThreadId) {
        (self.pass)(mark, Passed { free: self.allowed, n_events: n_events as u32 });
        self.coast.made(thread);
    }
}

impl Executor for Machine<'_> {
    type Mark = Mark;

    #[inline]
    fn end(&self) -> Option<&End> {
        self.end()
    }
    fn is_stuck(&self) -> bool {
        self.is_stuck()
    }
    #[inline]
    fn choices(&self) -> &[Choice] {
        self.choices()
    }
    #[inline]
    fn wants(&self, thread: ThreadId) -> Option<Wants> {
        self.wants(thread)
    }
    fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)> {
        self.watched(thread).collect()
    }
    #[inline]
    fn step(&mut self, choice: Choice) {
        self.step(choice);
    }
    #[inline]
    fn coast(&mut self, coast: &mut Coast<'_>, pass: &mut impl FnMut(Mark, Passed)) {
        self.tell_steps(&mut Coasting { coast, allowed: 0, n_left: MOST_COASTED, pass });
    }
    #[inline]
    fn schedule(&self) -> &[Choice] {
        self.schedule()
    }
    #[inline]
    fn events(&self) -> &[Event] {
        self.events()
    }
    #[inline]
    fn findings(&self) -> &[RawFinding] {
        self.findings()
    }
    fn notes(&self) -> &[String] {
        self.notes()
    }
    #[inline]
    fn n_threads(&self) -> usize {
        self.n_threads()
    }
    fn thread_numbers(&self) -> usize {
        self.thread_numbers()
    }
    #[inline]
    fn free(&self) -> u64 {
        self.free()
    }
    #[inline]
    fn nobody_waits(&self) -> bool {
        self.nobody_waits()
    }
    fn thread_origins(&self) -> Vec<ThreadOrigin> {
        self.thread_origins()
    }
    fn inputs(&self) -> Vec<InputValue> {
        self.inputs()
    }
    fn has_inputs(&self) -> bool {
        self.has_inputs()
    }
    fn has_symbolic_inputs(&self) -> bool {
        self.has_symbolic_inputs()
    }
    fn choose_inputs(&mut self) {
        self.choose_inputs();
    }
    #[inline]
    fn questions(&self) -> u64 {
        self.questions()
    }
    fn time_solver(&mut self, clock: fn() -> Duration) {
        self.time_solver(clock);
    }
    fn solver_summary(&self) -> SolverSummary {
        self.solver_summary()
    }
    fn losses(&self) -> &[String] {
        self.losses()
    }
    fn take_new_branches(&mut self) -> Vec<u32> {
        self.take_new_branches()
    }
    fn branches(&self) -> Vec<BranchPlace> {
        self.branches()
    }
    fn fixed_schedule(&self, steps: usize) -> Cow<'_, [Choice]> {
        self.fixed_schedule(steps)
    }
    fn left_a_loop_unfinished(&self) -> bool {
        self.left_a_loop_unfinished()
    }
    fn remember_steps(&mut self) {
        self.remember_steps();
    }
    #[inline]
    fn mark(&mut self) -> Mark {
        self.mark()
    }
    #[inline]
    fn undo_to(&mut self, mark: Mark) {
        self.undo_to(mark);
    }
    fn describe(&self) -> Vec<Step> {
        self.describe()
    }
    fn stdout(&self) -> &[u8] {
        self.stdout()
    }
    fn stderr(&self) -> &[u8] {
        self.stderr()
    }
    fn stdin(&self) -> &[u8] {
        self.stdin()
    }
    fn commit_files(&mut self) {
        self.commit_files();
    }
    fn watch_ending(&mut self) {
        self.watch_ending();
    }
    fn has_looked_alone(&self) -> bool {
        self.has_looked_alone()
    }
    fn report_races_once(&mut self) {
        self.report_races_once();
    }
    /// Before the first step it is main that runs.
    #[inline]
    fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        let thread = self.schedule().last().map_or(ThreadId::MAIN, |last| last.thread);
        let event = self.events().iter().rev().find(|event| event.thread == thread);
        Some((thread, event.map_or(OpKind::Create, |event| event.kind)))
    }
}
