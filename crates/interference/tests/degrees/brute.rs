//! Every schedule, and the fewest interferences with which each branch and each failure shows.

use gordian_base::ThreadId;
use gordian_ir::{Program, address};
use gordian_solve::Model;
use gordian_trace::{BranchPlace, Choice, FindingKind, InputValue, OpKind, Test};
use gordian_vm::{Does, End, Machine, Terms};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Brute {
    pub branches: BTreeMap<BranchPlace, u32>,
    /// By line.
    pub assertions: BTreeMap<u32, u32>,
    /// By kind of other failures.
    pub others: BTreeMap<FindingKind, u32>,
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
    let mut n_findings = 0;
    while machine.end().is_none() {
        if stack.len() == step {
            stack.push((machine.choices().to_vec(), 0));
        }
        let (choices, nth) = &stack[step];
        machine.step(choices[*nth]);
        step += 1;
        let degree = degree(&machine);
        note(&mut machine, degree);
        for raw in &machine.findings()[n_findings..] {
            if raw.finding.kind == FindingKind::DataRace {
                let least = brute.others.entry(FindingKind::DataRace).or_insert(degree);
                *least = degree.min(*least);
            }
        }
        n_findings = machine.findings().len();
    }
    let degree = degree(&machine);
    match machine.end() {
        Some(End::Bound(_) | End::Unsupported(_)) => return None,
        Some(End::Failed) => {
            let finding = &machine.findings().last()?.finding;
            if finding.kind == FindingKind::Assertion {
                let least = brute.assertions.entry(finding.places[0].line).or_insert(degree);
                *least = degree.min(*least);
            } else {
                let least = brute.others.entry(finding.kind).or_insert(degree);
                *least = degree.min(*least);
            }
        }
        _ => {}
    }
    Some(machine.has_symbolic_inputs())
}

/// How many reads took what another thread wrote, by the address of each byte and who wrote it last. What an object holds when it becomes
/// known was written by who made it known. What was written before a thread was created, by who created it or created that one, is what the
/// thread finds, and no interference; neither is the result of a thread.
fn degree(machine: &Machine<'_>) -> u32 {
    let mut created: BTreeMap<ThreadId, (ThreadId, usize)> = BTreeMap::new();
    for (nth, event) in machine.events().iter().enumerate() {
        if event.kind == OpKind::Create {
            created.insert(ThreadId(event.address as u32), (event.thread, nth));
        }
    }
    // When, in events.
    let mut last: BTreeMap<u64, (ThreadId, usize)> = BTreeMap::new();
    let mut n = 0;
    for action in machine.actions() {
        let (address, size) = match &action.does {
            Does::Write { address, size, .. } => (*address, u64::from(*size)),
            Does::Publish { address, bytes } => (*address, bytes.len() as u64),
            Does::Read { address, size, .. } => {
                let writers = (*address..*address + u64::from(*size)).filter_map(|byte| last.get(&byte));
                let is_found = |writer: ThreadId, when: usize| {
                    let mut child = action.thread;
                    while let Some(&(creator, at)) = created.get(&child) {
                        if creator == writer {
                            return when <= at;
                        }
                        child = creator;
                    }
                    false
                };
                let is_result = address::space(*address) == address::LABEL_SPACE;
                let mut others = writers.filter(|&&(by, when)| by != action.thread && !is_found(by, when));
                n += u32::from(others.next().is_some() && !is_result);
                continue;
            }
            _ => continue,
        };
        for byte in address..address + size {
            last.insert(byte, (action.thread, action.event as usize));
        }
    }
    n
}
