//! Brute force without help: every schedule, each on a fresh machine from its beginning. It never goes back, makes every step, has no reduction, asks
//! nobody which steps depend on each other, and identifies nothing by a hash. It is the oracle of all searches.

use crate::form::{Form, Key, Rest};
use gordian_engine::End;
use gordian_ir::Program;
use gordian_trace::{Choice, FindingKind, Test, ThreadOrigin};
use gordian_vm::Machine;
use std::collections::BTreeSet;

/// All that a program does.
#[derive(Default)]
pub struct Behaviours {
    pub executions: u64,
    pub forms: BTreeSet<Form>,
    /// Of all executions, those that were cut short included.
    pub findings: BTreeSet<Key>,
    /// Who created each thread of any execution, so that threads have the same numbers in all.
    pub threads: Vec<ThreadOrigin>,
    /// Some execution failed, or was dropped, where others could have gone on.
    pub is_cut_short: bool,
    /// A value that was never set decides something, so that no search may conclude.
    pub is_in_doubt: bool,
    pub obstacle: Option<Obstacle>,
}

/// Why there is nothing to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Obstacle {
    TooManySchedules,
    Bound,
    Unsupported,
    /// There is nothing to choose.
    NoChoice,
}

impl Obstacle {
    pub fn name(self) -> &'static str {
        match self {
            Obstacle::TooManySchedules => "too many schedules",
            Obstacle::Bound => "bounds hit",
            Obstacle::Unsupported => "unsupported",
            Obstacle::NoChoice => "no choice",
        }
    }
}

/// A step on the way, and what else could have been chosen.
struct Fork {
    choices: Vec<Choice>,
    chosen: usize,
}

/// Executes every schedule, up to so many.
pub fn brute_force(program: &Program, test: &Test, most: u64) -> Behaviours {
    brute_force_watching(program, test, most, |_| {})
}

/// The same, and shows the machine after every execution.
pub fn brute_force_watching(
    program: &Program,
    test: &Test,
    most: u64,
    mut watch: impl FnMut(&Machine<'_>),
) -> Behaviours {
    let mut found = Behaviours { threads: test.threads.clone(), ..Behaviours::default() };
    let mut way: Vec<Fork> = Vec::new();
    let mut has_choice = false;
    loop {
        if found.executions == most {
            found.obstacle = Some(Obstacle::TooManySchedules);
            return found;
        }
        let test = Test { threads: found.threads.clone(), ..test.clone() };
        let mut machine = Machine::new(program, &test).expect("the program can be set up");
        let mut depth = 0;
        while machine.end().is_none() {
            let choices = machine.choices();
            match way.get(depth) {
                Some(fork) => assert_eq!(fork.choices, choices, "the same steps lead to different choices"),
                None => way.push(Fork { choices: choices.to_vec(), chosen: 0 }),
            }
            let fork = &way[depth];
            has_choice |= fork.choices.len() > 1;
            machine.step(fork.choices[fork.chosen]);
            depth += 1;
        }
        assert_eq!(depth, way.len(), "an execution ended before its time");
        found.executions += 1;
        found.take(&machine);
        watch(&machine);
        if found.obstacle.is_some() {
            return found;
        }
        while let Some(fork) = way.last_mut() {
            fork.chosen += 1;
            if fork.chosen < fork.choices.len() {
                break;
            }
            way.pop();
        }
        if way.is_empty() {
            found.obstacle = (!has_choice).then_some(Obstacle::NoChoice);
            return found;
        }
    }
}

impl Behaviours {
    fn take(&mut self, machine: &Machine<'_>) {
        let findings: BTreeSet<Key> = machine.findings().iter().map(|raw| raw.finding.key()).collect();
        self.findings.extend(findings.iter().cloned());
        self.threads = origins(machine);
        self.is_in_doubt |= !machine.doubts().is_empty();
        match machine.end() {
            Some(End::Bound(_)) => self.obstacle = Some(Obstacle::Bound),
            Some(End::Unsupported(_)) => self.obstacle = Some(Obstacle::Unsupported),
            _ => {}
        }
        match form(machine) {
            Some(form) => {
                self.forms.insert(form);
            }
            None => self.is_cut_short = true,
        }
    }
}

/// The form of the execution that a machine has made.
pub fn form(machine: &Machine<'_>) -> Option<Form> {
    let findings = machine.findings().iter().map(|raw| raw.finding.key());
    let findings = findings.filter(|(kind, _)| *kind != FindingKind::DataRace).collect();
    let text = String::from_utf8_lossy(machine.stdout()).into_owned();
    let mut printed: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    printed.sort_unstable();
    let rest = Rest { findings, state: machine.state_fingerprint(), printed };
    Form::of(machine.end(), machine.is_stuck(), machine.events(), Some(rest))
}

/// Who created each thread, also where main created all in the order of their numbers.
fn origins(machine: &Machine<'_>) -> Vec<ThreadOrigin> {
    let origins = machine.thread_origins();
    if !origins.is_empty() {
        return origins;
    }
    (1..machine.thread_numbers() as u32).map(|number| ThreadOrigin { creator: 0, nth: number - 1 }).collect()
}
