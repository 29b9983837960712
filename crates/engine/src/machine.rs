//! The machine as what the engine drives.

use crate::{EngineError, Evidence, FastForward, Inputs, Limits, Modes, SkippedState, Stepping, Subject, Visibility};
use gordian_base::ThreadId;
use gordian_ir::Program;
use gordian_solve::Supervision;
use gordian_trace::{
    Bound, BranchPlace, Choice, Event, InputValue, Objection, OpKind, SolverSummary, Step, Test, ThreadOrigin, Wants,
};
use gordian_vm::{End, Guide, Machine, Mark, RawFinding};
use std::borrow::Cow;

impl Subject for Program {
    type Executor<'a> = Machine<'a>;

    fn start(&self, test: &Test, passthrough: bool) -> Result<Machine<'_>, EngineError> {
        Ok(Machine::with_passthrough(self, test, passthrough)?)
    }

    fn start_supervised(&self, test: &Test, supervision: &Supervision) -> Result<Machine<'_>, EngineError> {
        Ok(Machine::supervised(self, test, supervision)?)
    }
}

/// Steps after which the engine looks at the clock, however long a fast_forward is.
const MOST_COASTED: u32 = 1_000;

/// Tells the machine how to fast_forward.
struct Coasting<'a, 'h, P> {
    fast_forward: &'a mut FastForward<'h>,
    /// In the present state.
    allowed: u64,
    n_left: u32,
    pass: &'a mut P,
}

impl<P: FnMut(Mark, SkippedState)> Guide for Coasting<'_, '_, P> {
    #[inline]
    fn next(&mut self, free: u64, last: ThreadId) -> Option<ThreadId> {
        self.n_left = self.n_left.checked_sub(1)?;
        self.allowed = self.fast_forward.allowed(free);
        FastForward::pick(self.allowed, last)
    }

    #[inline]
    fn passed(&mut self, mark: Mark, n_events: usize, thread: ThreadId) {
        (self.pass)(mark, SkippedState { free: self.allowed, n_events: n_events as u32 });
        self.fast_forward.made(thread);
    }
}

impl Stepping for Machine<'_> {
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

    fn visibility(&self) -> Visibility {
        Visibility { cancellation: self.may_cancel(), ends: self.shares_threads() }
    }

    #[inline]
    fn step(&mut self, choice: Choice) {
        self.step(choice);
    }

    #[inline]
    fn fast_forward(&mut self, fast_forward: &mut FastForward<'_>, pass: &mut impl FnMut(Mark, SkippedState)) {
        self.replay_steps(&mut Coasting { fast_forward, allowed: 0, n_left: MOST_COASTED, pass });
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

    #[inline]
    fn mark(&mut self) -> Mark {
        self.mark()
    }

    #[inline]
    fn undo_to(&mut self, mark: Mark) {
        self.undo_to(mark);
    }

    fn tell_state(&self, part: &mut dyn FnMut(&[u8])) -> bool {
        self.tell_state(part)
    }

    /// Before the first step it is main that runs.
    #[inline]
    fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        let thread = self.schedule().last().map_or(ThreadId::MAIN, |last| last.thread);
        let event = self.events().iter().rev().find(|event| event.thread == thread);
        Some((thread, event.map_or(OpKind::Create, |event| event.kind)))
    }
}

impl Inputs for Machine<'_> {
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
    fn solver_queries(&self) -> u64 {
        self.solver_queries()
    }

    fn solver_summary(&self) -> SolverSummary {
        self.solver_summary()
    }

    fn losses(&self) -> &[String] {
        self.losses()
    }

    fn fixed_schedule(&self, steps: usize) -> Cow<'_, [Choice]> {
        self.fixed_schedule(steps)
    }
}

impl Evidence for Machine<'_> {
    #[inline]
    fn findings(&self) -> &[RawFinding] {
        self.findings()
    }

    fn notes(&self) -> &[String] {
        self.notes()
    }

    fn thread_origins(&self) -> Vec<ThreadOrigin> {
        self.thread_origins()
    }

    fn doubts(&self) -> &[String] {
        self.doubts()
    }

    fn take_new_branches(&mut self) -> Vec<u32> {
        self.take_new_branches()
    }

    fn branches(&self) -> Vec<BranchPlace> {
        self.branches()
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
}

impl Limits for Machine<'_> {
    fn loop_bound(&self) -> Bound {
        self.loop_bound()
    }

    fn unended(&self) -> Option<String> {
        self.unended()
    }

    fn objection(&self) -> Option<Objection> {
        self.objection()
    }

    fn left_a_loop_unfinished(&self) -> bool {
        self.left_a_loop_unfinished()
    }
}

impl Modes for Machine<'_> {
    fn remember_steps(&mut self) {
        self.remember_steps();
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

    fn has_robust_mutexes(&self) -> bool {
        self.has_robust_mutexes()
    }

    fn report_races_once(&mut self) {
        self.report_races_once();
    }
}
