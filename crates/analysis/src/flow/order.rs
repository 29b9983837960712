//! The order in which instances are looked at: what a result depends on comes first, so that few are looked at twice.

use crate::callgraph::{CallGraph, Target};
use crate::cfg::for_each_component;
use crate::objects::InstanceId;
use gordian_base::Id;
use std::collections::BTreeSet;

/// A number for each instance: those that it calls have smaller ones, except for recursion.
pub fn callees_first(graph: &CallGraph<'_>) -> Vec<u32> {
    let callee = |target: &Target| match target {
        Target::Instance(to) | Target::Inside(to) => Some(to.0),
        Target::External(_) | Target::Thread(_) => None,
    };
    let calls = |instance: &crate::callgraph::Instance| {
        instance.calls.iter().filter_map(|(_, target)| callee(target)).collect::<Vec<u32>>()
    };
    let edges: Vec<Vec<u32>> = graph.instances.iter().map(calls).collect();
    let (mut numbers, mut next) = (vec![0; edges.len()], 0);
    for_each_component(&edges, |component| {
        // The last member was found last, and so is called by the others.
        for &member in component.iter().rev() {
            numbers[member as usize] = next;
            next += 1;
        }
    });
    numbers
}

/// Instances that are still to be looked at, the one with the smallest number first.
pub struct Worklist {
    numbers: Vec<u32>,
    waiting: BTreeSet<(u32, InstanceId)>,
}

impl Worklist {
    pub fn new(numbers: Vec<u32>) -> Self {
        Worklist { numbers, waiting: BTreeSet::new() }
    }

    pub fn add(&mut self, instance: InstanceId) {
        self.waiting.insert((self.numbers[instance.index()], instance));
    }

    pub fn next(&mut self) -> Option<InstanceId> {
        self.waiting.pop_first().map(|(_, instance)| instance)
    }
}
