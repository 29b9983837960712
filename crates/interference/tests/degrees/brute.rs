//! Every schedule, and the fewest interferences with which each branch and each failed assertion shows.

use gordian_base::ThreadId;
use gordian_interference::n_interferences;
use gordian_ir::Program;
use gordian_solve::Model;
use gordian_trace::{BranchPlace, Choice, FindingKind, InputValue, Test};
use gordian_vm::{End, Machine, Terms};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Brute {
    pub branches: BTreeMap<BranchPlace, u32>,
    /// By line.
    pub assertions: BTreeMap<u32, u32>,
    /// Kinds of other failures.
    pub others: Vec<FindingKind>,
    pub n_executions: usize,
}

/// None if there are more executions than this, or something cannot be compared.
pub fn brute_force(program: &Program, test: &Test, most: usize) -> Option<Brute> {
    let mut brute = Brute::default();
    let mut has_inputs = false;
    for value in 0..4 {
        let inputs = vec![InputValue {
            thread: ThreadId::MAIN.0,
            nth: 0,
            value,
            name: String::new(),
            bits: 32,
            function: String::new(),
        }];
        let test = Test { inputs, ..test.clone() };
        let mut stack: Vec<(Vec<Choice>, usize)> = Vec::new();
        loop {
            has_inputs |= one(program, &test, &mut stack, &mut brute)?;
            brute.n_executions += 1;
            if brute.n_executions > most {
                return None;
            }
            while stack.last().is_some_and(|(choices, nth)| nth + 1 == choices.len()) {
                stack.pop();
            }
            let Some((_, nth)) = stack.last_mut() else { break };
            *nth += 1;
        }
        if !has_inputs {
            break;
        }
    }
    Some(brute)
}

/// One execution, as the stack says and by first choices from there on. Whether it asked for inputs.
fn one(program: &Program, test: &Test, stack: &mut Vec<(Vec<Choice>, usize)>, brute: &mut Brute) -> Option<bool> {
    let mut machine = Machine::with_fresh_reads(program, test, Terms::default(), &Model::new()).ok()?;
    let places = machine.branches();
    let mut note = |machine: &mut Machine<'_>, degree: u32| {
        for way in machine.take_new_branches() {
            let least = brute.branches.entry(places[way as usize].clone()).or_insert(degree);
            *least = degree.min(*least);
        }
    };
    note(&mut machine, 0);
    let mut step = 0;
    while machine.end().is_none() {
        if stack.len() == step {
            stack.push((machine.choices().to_vec(), 0));
        }
        let (choices, nth) = &stack[step];
        machine.step(choices[*nth]);
        step += 1;
        let degree = n_interferences(&mut machine);
        note(&mut machine, degree);
    }
    let degree = n_interferences(&mut machine);
    match machine.end() {
        Some(End::Bound(_) | End::Unsupported(_)) => return None,
        Some(End::Failed) => {
            let finding = &machine.findings().last()?.finding;
            if finding.kind == FindingKind::Assertion {
                let least = brute.assertions.entry(finding.places[0].line).or_insert(degree);
                *least = degree.min(*least);
            } else if !brute.others.contains(&finding.kind) {
                brute.others.push(finding.kind);
            }
        }
        _ => {}
    }
    Some(machine.has_symbolic_inputs())
}
