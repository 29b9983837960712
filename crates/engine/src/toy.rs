//! Toy programs: a few abstract operations for each thread, run without LLVM and without the machine. Small
//! enough to enumerate by hand, so that the engine and the strategies can be compared with brute force.

use crate::{End, EngineError, Evidence, Inputs, Limits, Modes, RawFinding, Stepping, Subject, Visibility};
use gordian_base::{Id, ThreadId};
use gordian_trace::{
    Bound, Choice, CodePoint, Event, Finding, FindingKind, InputValue, OpKind, Place, ProgramSource, Schedule, Step,
    StepForm, Test, ThreadName, ThreadOrigin, Wants,
};
use std::cell::Cell;

/// What a thread does. Each is one visible step. Every thread has one register; cells and register begin at 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// The register takes the cell's value.
    Read(usize),
    /// The cell takes the register's value plus `.1`.
    Store(usize, i64),
    /// The cell takes `.1`.
    Write(usize, i64),
    Lock(usize),
    Unlock(usize),
    /// Lets a thread begin that is the target of such an operation; the others begin at once.
    Create(usize),
    Join(usize),
    Yield,
    /// Has this many variants; the register takes the number of the one chosen.
    Pick(u32),
    /// Can only be made in variant 1, like a time-out.
    Timeout,
    /// Goes back to this operation if the cell is `.1`.
    LoopWhile(usize, i64, usize),
    /// The execution fails if the cell is `.1`.
    FailIf(usize, i64),
    /// Reports a finding if the cell is `.1`, and goes on.
    ReportIf(usize, i64),
    /// The execution is dropped unless the cell is `.1`.
    Assume(usize, i64),
    /// Panics if the cell has this value, as a fault of gordian's would.
    PanicIf(usize, i64),
    Unsupported,
    /// Fails, but only in the first execution that [`Subject::start`] made: a machine that is not deterministic.
    FailOnce,
}

/// A program: the operations of each thread. Cells and locks are numbered below [`Toy::CELLS`].
pub struct Toy {
    threads: Vec<Vec<Op>>,
    started: Cell<u32>,
    made: Cell<u32>,
}

impl Toy {
    pub const CELLS: usize = 8;

    pub fn new(threads: &[&[Op]]) -> Toy {
        Toy { threads: threads.iter().map(|ops| ops.to_vec()).collect(), started: Cell::new(0), made: Cell::new(0) }
    }

    /// How often an execution was set up.
    pub fn started(&self) -> u32 {
        self.started.get()
    }

    /// How many steps were made in all executions: what is gone back to is not made again.
    pub fn steps_made(&self) -> u32 {
        self.made.get()
    }

    fn begins_later(&self, thread: usize) -> bool {
        self.threads.iter().flatten().any(|&op| op == Op::Create(thread))
    }
}

/// A test without a schedule.
pub fn template() -> Test {
    Test {
        gordian: gordian_trace::FORMAT_VERSION,
        program: ProgramSource { files: vec!["toy".into()], cflags: Vec::new(), identity: String::new() },
        arguments: Vec::new(),
        environment: Vec::new(),
        stdin: String::new(),
        sources: Vec::new(),
        machine: gordian_trace::Machine::default(),
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    }
}

#[derive(Clone, Copy)]
struct Thread {
    pc: usize,
    register: i64,
    begun: bool,
}

/// What a step changed: the thread that made it as it was, and at most one cell, lock and other thread.
struct Undo {
    thread: Thread,
    cell: Option<(usize, i64)>,
    lock: Option<(usize, Option<ThreadId>)>,
    created: Option<usize>,
    findings: usize,
}

pub struct ToyMachine<'t> {
    toy: &'t Toy,
    threads: Vec<Thread>,
    cells: [i64; Toy::CELLS],
    locks: [Option<ThreadId>; Toy::CELLS],
    max_steps: u64,
    first: bool,
    end: Option<End>,
    choices: Vec<Choice>,
    schedule: Vec<Choice>,
    events: Vec<Event>,
    findings: Vec<RawFinding>,
    journal: Vec<Undo>,
}

impl Subject for Toy {
    type Executor<'a> = ToyMachine<'a>;

    fn start(&self, test: &Test, _passthrough: bool) -> Result<ToyMachine<'_>, EngineError> {
        self.started.set(self.started.get() + 1);
        let begin = |number| Thread { pc: 0, register: 0, begun: !self.begins_later(number) };
        let mut machine = ToyMachine {
            toy: self,
            threads: (0..self.threads.len()).map(begin).collect(),
            cells: [0; Toy::CELLS],
            locks: [None; Toy::CELLS],
            max_steps: test.machine.max_steps,
            first: self.started.get() == 1,
            end: None,
            choices: Vec::new(),
            schedule: Vec::new(),
            events: Vec::new(),
            findings: Vec::new(),
            journal: Vec::new(),
        };
        machine.offer();
        Ok(machine)
    }
}

impl ToyMachine<'_> {
    fn op(&self, thread: usize) -> Option<Op> {
        self.toy.threads[thread].get(self.threads[thread].pc).copied()
    }

    fn ended(&self, thread: usize) -> bool {
        self.threads[thread].begun && self.op(thread).is_none()
    }

    fn variants(&self, thread: usize) -> std::ops::Range<u32> {
        match self.op(thread) {
            _ if !self.threads[thread].begun => 0..0,
            None => 0..0,
            Some(Op::Lock(lock)) if self.locks[lock].is_some() => 0..0,
            Some(Op::Join(other)) if !self.ended(other) => 0..0,
            Some(Op::Pick(n)) => 0..n,
            Some(Op::Timeout) => 1..2,
            Some(_) => 0..1,
        }
    }

    /// Works out the choices, and whether there is an end.
    fn offer(&mut self) {
        self.choices.clear();
        if self.end.is_some() {
            return;
        }
        if self.schedule.len() as u64 >= self.max_steps {
            self.end = Some(End::Bound(Bound::Steps));
            return;
        }
        for thread in 0..self.threads.len() {
            for variant in self.variants(thread) {
                self.choices.push(Choice { thread: ThreadId::from_index(thread), variant });
            }
        }
        if self.choices.is_empty() {
            let stuck = (0..self.threads.len()).find(|&thread| self.op(thread).is_some());
            match stuck {
                Some(thread) => self.fail(FindingKind::Deadlock, thread),
                None => self.end = Some(End::Exit(0)),
            }
        }
    }

    fn fail(&mut self, kind: FindingKind, thread: usize) {
        self.find(kind, thread);
        self.end = Some(End::Failed);
        self.choices.clear();
    }

    fn find(&mut self, kind: FindingKind, thread: usize) {
        let places = vec![self.place(thread)];
        let finding = Finding { kind, message: "the toy is broken".to_owned(), places, notes: Vec::new() };
        self.findings.push(RawFinding { finding, steps: self.schedule.len() });
    }

    fn place(&self, thread: usize) -> Place {
        let name = ThreadName { number: thread as u32, function: "toy".to_owned() };
        let (line, column) = (thread as u32, self.threads[thread].pc as u32);
        let what = format!("{:?}", self.op(thread));
        Place { file: "toy".to_owned(), line, column, function: "toy".to_owned(), thread: name, what }
    }

    fn do_op(&mut self, op: Op, number: usize, variant: u32, undo: &mut Undo) {
        let mut put = |cells: &mut [i64; Toy::CELLS], cell: usize, value: i64| {
            undo.cell = Some((cell, cells[cell]));
            cells[cell] = value;
        };
        let register = self.threads[number].register;
        match op {
            Op::Read(cell) => self.threads[number].register = self.cells[cell],
            Op::Store(cell, plus) => put(&mut self.cells, cell, register + plus),
            Op::Write(cell, value) => put(&mut self.cells, cell, value),
            Op::Lock(lock) | Op::Unlock(lock) => {
                undo.lock = Some((lock, self.locks[lock]));
                self.locks[lock] = matches!(op, Op::Lock(_)).then(|| ThreadId::from_index(number));
            }
            Op::Create(other) => {
                undo.created = Some(other);
                self.threads[other].begun = true;
            }
            Op::Pick(_) => self.threads[number].register = i64::from(variant),
            Op::LoopWhile(cell, value, target) if self.cells[cell] == value => {
                self.threads[number].pc = target;
                return;
            }
            Op::FailIf(cell, value) if self.cells[cell] == value => self.fail(FindingKind::Assertion, number),
            Op::ReportIf(cell, value) if self.cells[cell] == value => self.find(FindingKind::DataRace, number),
            Op::Assume(cell, value) if self.cells[cell] != value => self.end = Some(End::Dropped),
            Op::Unsupported => self.end = Some(End::Unsupported("no toy does this".to_owned())),
            Op::PanicIf(cell, value) if self.cells[cell] == value => panic!("the toy is told to panic"),
            Op::FailOnce if self.first => self.fail(FindingKind::Abort, number),
            _ => {}
        }
        self.threads[number].pc += 1;
    }
}

impl Stepping for ToyMachine<'_> {
    /// Steps made.
    type Mark = usize;

    fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    fn watched(&self, _thread: ThreadId) -> Vec<(u64, u32, u64)> {
        Vec::new()
    }

    fn visibility(&self) -> Visibility {
        Visibility::default()
    }

    fn is_stuck(&self) -> bool {
        let kind = self.findings.last().map(|raw| raw.finding.kind);
        self.end == Some(End::Failed) && kind == Some(FindingKind::Deadlock)
    }

    fn choices(&self) -> &[Choice] {
        &self.choices
    }

    fn wants(&self, thread: ThreadId) -> Option<Wants> {
        let (kind, address) = match self.op(thread.index())? {
            Op::Read(cell)
            | Op::FailIf(cell, _)
            | Op::ReportIf(cell, _)
            | Op::Assume(cell, _)
            | Op::PanicIf(cell, _)
            | Op::LoopWhile(cell, ..) => (OpKind::Read, cell),
            Op::Store(cell, _) | Op::Write(cell, _) => (OpKind::Write, cell),
            Op::Lock(lock) => (OpKind::Lock, Toy::CELLS + lock),
            Op::Unlock(lock) => (OpKind::Unlock, Toy::CELLS + lock),
            Op::Create(other) => (OpKind::Create, other),
            Op::Join(other) => (OpKind::Join, other),
            Op::Yield => (OpKind::Yield, 0),
            Op::Pick(_) | Op::Timeout | Op::Unsupported | Op::FailOnce => (OpKind::Fence, 0),
        };
        // Cells lie eight bytes apart.
        let size = if kind.is_access() { 8 } else { 0 };
        let at = CodePoint { function: thread.0, pc: self.threads[thread.index()].pc as u32 };
        Some(Wants { kind, size, address: 8 * address as u64, at, varies: false })
    }

    fn step(&mut self, choice: Choice) {
        assert!(self.choices.contains(&choice), "{choice:?} cannot be made");
        self.toy.made.set(self.toy.made.get() + 1);
        let number = choice.thread.index();
        let op = self.op(number).expect("only threads with an operation are offered");
        let Wants { kind, size, address, at, varies: _ } = self.wants(choice.thread).expect("likewise");
        let thread = self.threads[number];
        let mut undo = Undo { thread, cell: None, lock: None, created: None, findings: self.findings.len() };
        self.schedule.push(choice);
        self.do_op(op, number, choice.variant, &mut undo);
        self.journal.push(undo);
        self.events.push(Event {
            thread: choice.thread,
            kind,
            alone: false,
            unsure: false,
            varies: false,
            size,
            at,
            address,
            value: 0,
            other: 0,
        });
        self.offer();
    }

    fn schedule(&self) -> &[Choice] {
        &self.schedule
    }

    fn events(&self) -> &[Event] {
        &self.events
    }

    fn n_threads(&self) -> usize {
        self.threads.len()
    }

    fn mark(&mut self) -> usize {
        self.schedule.len()
    }

    fn undo_to(&mut self, mark: usize) {
        while self.schedule.len() > mark {
            let choice = self.schedule.pop().expect("longer than the mark");
            let undo = self.journal.pop().expect("one for each step");
            self.events.pop();
            self.threads[choice.thread.index()] = undo.thread;
            if let Some((cell, value)) = undo.cell {
                self.cells[cell] = value;
            }
            if let Some((lock, holder)) = undo.lock {
                self.locks[lock] = holder;
            }
            if let Some(created) = undo.created {
                self.threads[created].begun = false;
            }
            self.findings.truncate(undo.findings);
            self.end = None;
        }
        self.offer();
    }
}

impl Inputs for ToyMachine<'_> {
    fn inputs(&self) -> Vec<InputValue> {
        Vec::new()
    }

    fn has_inputs(&self) -> bool {
        false
    }
}

impl Evidence for ToyMachine<'_> {
    fn findings(&self) -> &[RawFinding] {
        &self.findings
    }

    fn notes(&self) -> &[String] {
        &[]
    }

    fn thread_origins(&self) -> Vec<ThreadOrigin> {
        Vec::new()
    }

    fn describe(&self) -> Vec<Step> {
        let step = |(index, choice): (usize, &Choice)| {
            let place = self.place(choice.thread.index());
            Step { index, thread: place.thread.clone(), form: StepForm::Access, place }
        };
        self.schedule.iter().enumerate().map(step).collect()
    }

    fn stdout(&self) -> &[u8] {
        &[]
    }

    fn stderr(&self) -> &[u8] {
        &[]
    }
}

impl Limits for ToyMachine<'_> {}

impl Modes for ToyMachine<'_> {}
