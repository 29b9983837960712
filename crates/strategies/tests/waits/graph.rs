//! The graph of all states of a program, without any help: no awaits, no thread that is blocked because it repeats itself, exits everywhere. States are compared in
//! full. It shares with what it checks the machine's steps, and nothing of schedules, dependence or waiting loops.

use gordian_engine::End;
use gordian_ir::Program;
use gordian_trace::{FindingKind, Machine as Settings, Test};
use gordian_vm::Machine;
use std::collections::{BTreeMap, BTreeSet};

/// What a program can come to.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    pub statuses: BTreeSet<i32>,
    /// Assertions and deadlocks, with their messages where these do not depend on the schedule.
    pub findings: BTreeSet<String>,
    /// There is a state from which no end can be reached.
    pub livelock: bool,
}

/// A finding by name. Who else waits in a deadlock depends on when it is noticed.
pub fn name(kind: FindingKind, message: &str) -> String {
    match kind {
        FindingKind::Deadlock | FindingKind::LostSignal => "deadlock".to_owned(),
        kind => format!("{kind}: {message}"),
    }
}

#[derive(Default)]
struct Node {
    successors: Vec<usize>,
    ends: bool,
}

struct Graph<'p> {
    machine: Machine<'p>,
    numbers: BTreeMap<Vec<u64>, usize>,
    nodes: Vec<Node>,
    outcomes: Outcomes,
    is_complete: bool,
}

/// All outcomes, if there are no more states than `most`.
pub fn outcomes(program: &Program, test: &Test, most: usize) -> Option<Outcomes> {
    let settings = Settings {
        awaits: false,
        net_effect: false,
        private_reads: false,
        delayed_exits: false,
        separate_failures: false,
        rounds: None,
        repeats: true,
        max_steps: u64::MAX,
        ..test.machine.clone()
    };
    let machine =
        Machine::new(program, &Test { machine: settings, ..test.clone() }).expect("the program can be set up");
    let mut graph = Graph {
        machine,
        numbers: BTreeMap::new(),
        nodes: Vec::new(),
        outcomes: Outcomes::default(),
        is_complete: true,
    };
    graph.explore(most);
    if !graph.is_complete {
        return None;
    }
    graph.outcomes.livelock = graph.has_doomed();
    Some(graph.outcomes)
}

impl Graph<'_> {
    /// Depth first, with the choices that are left in each state on the way.
    fn explore(&mut self, most: usize) {
        let Some(first) = self.push_state() else { return };
        let mut way = vec![(first, self.machine.mark(), self.machine.choices().to_vec())];
        while let Some((from, mark, choices)) = way.last_mut() {
            let (from, mark) = (*from, *mark);
            let Some(choice) = choices.pop() else {
                way.pop();
                continue;
            };
            if self.nodes.len() > most {
                self.is_complete = false;
                return;
            }
            self.machine.undo_to(mark);
            self.machine.step(choice);
            let known = self.nodes.len();
            let Some(to) = self.push_state() else {
                self.nodes[from].ends = true;
                continue;
            };
            self.nodes[from].successors.push(to);
            if to == known {
                way.push((to, self.machine.mark(), self.machine.choices().to_vec()));
            }
        }
    }

    /// The number of the present state, none if it is an end.
    fn push_state(&mut self) -> Option<usize> {
        let findings = self.machine.findings();
        let named: Vec<String> = findings.iter().map(|raw| name(raw.finding.kind, &raw.finding.message)).collect();
        self.outcomes.findings.extend(named);
        match self.machine.end() {
            Some(End::Exit(status)) => {
                self.outcomes.statuses.insert(*status);
                return None;
            }
            Some(End::Failed) => return None,
            Some(_) => {
                self.is_complete = false;
                return None;
            }
            None => {}
        }
        let n = self.nodes.len();
        let number = *self.numbers.entry(self.machine.full_state()).or_insert(n);
        if number == n {
            self.nodes.push(Node::default());
        }
        Some(number)
    }

    /// Whether no end can be reached from some state.
    fn has_doomed(&self) -> bool {
        let mut predecessors = vec![Vec::new(); self.nodes.len()];
        for (from, node) in self.nodes.iter().enumerate() {
            node.successors.iter().for_each(|&to| predecessors[to].push(from));
        }
        let mut ends: Vec<bool> = self.nodes.iter().map(|node| node.ends).collect();
        let mut work: Vec<usize> = (0..ends.len()).filter(|&node| ends[node]).collect();
        while let Some(node) = work.pop() {
            for &before in &predecessors[node] {
                if !std::mem::replace(&mut ends[before], true) {
                    work.push(before);
                }
            }
        }
        ends.iter().any(|ends| !ends)
    }
}
