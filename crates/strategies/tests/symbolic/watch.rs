//! A symbolic search, and for each of its executions which inputs lead there.

use gordian_base::ThreadId;
use gordian_engine::{
    Budget, EngineError, Evidence, Inputs, Limits, Modes, Outcome, Settings, Silent, Stepping, Strategy, Subject,
    Visibility, check,
};
use gordian_engine::{End, RawFinding};
use gordian_ir::Program;
use gordian_trace::{Choice, Event, InputValue, OpKind, Step, Test, ThreadOrigin, Wants};
use gordian_vm::{Machine, Mark};
use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeSet;

use crate::observe::Key;

/// One execution of a symbolic search.
pub struct Execution {
    pub end: End,
    /// As a machine with fixed inputs makes it.
    pub schedule: Vec<Choice>,
    pub findings: BTreeSet<Key>,
    /// Which inputs lead here, by their number, and the states that they end in.
    pub states: Vec<(usize, u64)>,
}

pub struct Symbolic {
    pub outcome: Outcome,
    pub executions: Vec<Execution>,
    pub losses: BTreeSet<String>,
}

type Shared = RefCell<(Vec<Execution>, BTreeSet<String>)>;

pub fn search(
    program: &Program,
    test: &Test,
    inputs: &[Vec<InputValue>],
    strategy: &mut dyn Strategy,
    runs: u64,
) -> Symbolic {
    let shared = Shared::default();
    let subject = Watched { program, inputs, shared: &shared };
    let settings = Settings { budget: Budget { runs: Some(runs), time: None }, ..Settings::default() };
    let outcome = check(&subject, test, strategy, &settings, &mut Silent).expect("the program can be set up");
    let (executions, losses) = shared.into_inner();
    Symbolic { outcome, executions, losses }
}

struct Watched<'a> {
    program: &'a Program,
    inputs: &'a [Vec<InputValue>],
    shared: &'a Shared,
}

impl<'a> Subject for Watched<'a> {
    type Executor<'b>
        = Watcher<'b>
    where
        'a: 'b;

    fn start(&self, test: &Test, _: bool) -> Result<Watcher<'_>, EngineError> {
        let machine = Machine::new(self.program, test)?;
        let mut watcher = Watcher { machine, inputs: self.inputs, shared: self.shared };
        watcher.look();
        Ok(watcher)
    }
}

/// The machine. It keeps its findings to itself, so that the engine does not spend its time on confirming them.
struct Watcher<'a> {
    machine: Machine<'a>,
    inputs: &'a [Vec<InputValue>],
    shared: &'a Shared,
}

impl Watcher<'_> {
    fn look(&mut self) {
        let Some(end) = self.machine.end().cloned() else { return };
        let mut shared = self.shared.borrow_mut();
        shared.1.extend(self.machine.losses().iter().cloned());
        let machine = &mut self.machine;
        let schedule = machine.fixed_schedule(machine.schedule().len()).into_owned();
        let findings = machine.findings().iter().map(|raw| raw.finding.key()).collect();
        let mut states = Vec::new();
        for (nth, inputs) in self.inputs.iter().enumerate() {
            if machine.try_inputs(inputs) {
                states.push((nth, machine.state_fingerprint()));
            }
        }
        shared.0.push(Execution { end, schedule, findings, states });
    }
}

impl Stepping for Watcher<'_> {
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
        self.look();
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

impl Inputs for Watcher<'_> {
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

impl Evidence for Watcher<'_> {
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

impl Limits for Watcher<'_> {}

impl Modes for Watcher<'_> {}
