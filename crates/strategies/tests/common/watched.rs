//! A machine that is watched: an oracle looks at every state, and the engine sees no findings, so that it does not spend its time on confirming
//! them, and the same race shows in every execution.

use gordian_base::ThreadId;
use gordian_engine::{End, RawFinding};
use gordian_engine::{EngineError, Evidence, Inputs, Limits, Modes, Stepping, Subject, Visibility};
use gordian_ir::Program;
use gordian_trace::{Choice, Event, InputValue, OpKind, Step, Test, ThreadOrigin, Wants};
use gordian_vm::{Machine, Mark};
use std::borrow::Cow;

/// Who looks at the machine.
pub trait Look {
    /// Is called in the first state, and after each step.
    fn look(&self, machine: &mut Machine<'_>);
}

/// A program whose executions are looked at.
pub struct Watched<'a, L> {
    pub program: &'a Program,
    pub observer: L,
}

impl<'a, L: Look> Subject for Watched<'a, L> {
    type Executor<'b>
        = Watcher<'b, L>
    where
        'a: 'b,
        L: 'b;

    fn start(&self, test: &Test, _: bool) -> Result<Watcher<'_, L>, EngineError> {
        let mut machine = Machine::new(self.program, test)?;
        self.observer.look(&mut machine);
        Ok(Watcher { machine, observer: &self.observer })
    }
}

pub struct Watcher<'a, L> {
    machine: Machine<'a>,
    observer: &'a L,
}

impl<L: Look> Stepping for Watcher<'_, L> {
    type Mark = Mark;

    fn end(&self) -> Option<&End> {
        self.machine.end()
    }

    fn is_stuck(&self) -> bool {
        self.machine.is_stuck()
    }

    fn choices(&self) -> &[Choice] {
        self.machine.choices()
    }

    fn wants(&self, thread: ThreadId) -> Option<Wants> {
        self.machine.wants(thread)
    }

    fn visibility(&self) -> Visibility {
        Stepping::visibility(&self.machine)
    }

    fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)> {
        self.machine.watched(thread).collect()
    }

    fn step(&mut self, choice: Choice) {
        self.machine.step(choice);
        self.observer.look(&mut self.machine);
    }

    fn schedule(&self) -> &[Choice] {
        self.machine.schedule()
    }

    fn events(&self) -> &[Event] {
        self.machine.events()
    }

    fn n_threads(&self) -> usize {
        self.machine.n_threads()
    }

    fn thread_numbers(&self) -> usize {
        self.machine.thread_numbers()
    }

    fn mark(&mut self) -> Mark {
        self.machine.mark()
    }

    fn undo_to(&mut self, mark: Mark) {
        self.machine.undo_to(mark);
    }

    fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        Stepping::last_operation(&self.machine)
    }
}

impl<L: Look> Inputs for Watcher<'_, L> {
    fn inputs(&self) -> Vec<InputValue> {
        self.machine.inputs()
    }

    fn has_inputs(&self) -> bool {
        self.machine.has_inputs()
    }

    fn losses(&self) -> &[String] {
        self.machine.losses()
    }

    fn fixed_schedule(&self, steps: usize) -> Cow<'_, [Choice]> {
        self.machine.fixed_schedule(steps)
    }
}

impl<L: Look> Evidence for Watcher<'_, L> {
    fn findings(&self) -> &[RawFinding] {
        &[]
    }

    fn notes(&self) -> &[String] {
        self.machine.notes()
    }

    fn thread_origins(&self) -> Vec<ThreadOrigin> {
        self.machine.thread_origins()
    }

    fn describe(&self) -> Vec<Step> {
        self.machine.describe()
    }

    fn stdout(&self) -> &[u8] {
        self.machine.stdout()
    }

    fn stderr(&self) -> &[u8] {
        self.machine.stderr()
    }
}

impl<L: Look> Limits for Watcher<'_, L> {}

impl<L: Look> Modes for Watcher<'_, L> {}
