//! The executions of a search that covered something new.

use crate::report::CoveringTest;
use crate::{EngineError, Evidence, Executor, Subject};
use gordian_base::FxHashSet;
use gordian_solve::{Interrupt, Supervision};
use gordian_trace::{Choice, Coverage, FirstCovered, InputValue, Machine, Schedule, Test, ThreadOrigin};
use serde::{Deserialize, Serialize};

/// An execution, and the branch directions that it was the first to take, by number.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Covers {
    pub branches: Vec<u32>,
    /// Its number among all, from 1 on.
    #[serde(default)]
    pub execution: u64,
    pub schedule: Vec<Choice>,
    pub inputs: Vec<InputValue>,
    pub threads: Vec<ThreadOrigin>,
}

impl Covers {
    /// What the machine's execution so far, of this number, was the first to go.
    pub fn of<E: Executor>(machine: &E, branches: Vec<u32>, execution: u64) -> Covers {
        Covers {
            branches,
            execution,
            schedule: machine.fixed_schedule(machine.schedule().len()).into_owned(),
            inputs: machine.inputs(),
            threads: machine.thread_origins(),
        }
    }
}

/// In the order of the search.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Covering {
    executions: Vec<Covers>,
}

impl Covering {
    pub fn add(&mut self, covers: Covers) {
        self.executions.push(covers);
    }

    /// Takes in what was covered later, behind so many executions, as far as it is new.
    pub fn append(&mut self, later: Covering, n_before: u64) {
        if later.executions.is_empty() {
            return;
        }
        let mut covered: FxHashSet<u32> =
            self.executions.iter().flat_map(|covers| covers.branches.iter().copied()).collect();
        for mut covers in later.executions {
            covers.execution += n_before;
            covers.branches.retain(|branch| covered.insert(*branch));
            if !covers.branches.is_empty() {
                self.executions.push(covers);
            }
        }
    }

    /// What was covered, and the tests that do it. None if nobody asked.
    pub fn conclude<S: Subject>(
        self,
        subject: &S,
        template: &Test,
        unreachable: bool,
    ) -> Result<Option<(Coverage, Vec<CoveringTest>)>, EngineError> {
        if !template.machine.coverage {
            return Ok(None);
        }
        // Its branches are those of the program, whatever it does before its first visible operation.
        let unasked = Supervision { stop: Some(Interrupt::new(|| true)), ..Supervision::default() };
        let places = subject.start_supervised(template, &unasked)?.branches();
        let covered: FxHashSet<u32> =
            self.executions.iter().flat_map(|covers| covers.branches.iter().copied()).collect();
        let missed = places.iter().enumerate().filter(|(number, _)| !covered.contains(&(*number as u32)));
        let mut missed: Vec<_> = missed.map(|(_, place)| place.clone()).collect();
        missed.sort();
        let machine = Machine { symbolic: false, coverage: false, ..template.machine.clone() };
        let (mut tests, mut first) = (Vec::new(), Vec::new());
        for covers in self.executions {
            let Covers { branches, execution, schedule, inputs, threads } = covers;
            let mut branches: Vec<_> = branches.iter().map(|&number| places[number as usize].clone()).collect();
            branches.sort();
            let (schedule, machine) = (Schedule(schedule), machine.clone());
            let (values, steps) = (inputs.clone(), schedule.to_string());
            first.push(FirstCovered { execution, inputs: values, schedule: steps, branches: branches.clone() });
            let test = Test { schedule, inputs, threads, machine, ..template.clone() };
            tests.push(CoveringTest { test, execution, branches });
        }
        let coverage = Coverage { branches: places.len(), covered: covered.len(), first, missed, unreachable };
        Ok(Some((coverage, tests)))
    }
}
