//! A symbolic search, and for each of its executions which inputs lead there.

use crate::observe::Key;
use crate::watched::{Look, Watched};
use gordian_engine::{Budget, End, Outcome, Settings, Silent, Strategy, check};
use gordian_ir::Program;
use gordian_trace::{Choice, InputValue, Test};
use gordian_vm::Machine;
use std::cell::RefCell;
use std::collections::BTreeSet;

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
    let subject = Watched { program, observer: Watch { inputs, shared: &shared } };
    let settings = Settings { budget: Budget { runs: Some(runs), time: None }, ..Settings::default() };
    let outcome = check(&subject, test, strategy, &settings, &mut Silent).expect("the program can be set up");
    let (executions, losses) = shared.into_inner();
    Symbolic { outcome, executions, losses }
}

struct Watch<'a> {
    inputs: &'a [Vec<InputValue>],
    shared: &'a Shared,
}

impl Look for Watch<'_> {
    fn look(&self, machine: &mut Machine<'_>) {
        let Some(end) = machine.end().cloned() else { return };
        let mut shared = self.shared.borrow_mut();
        shared.1.extend(machine.losses().iter().cloned());
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
