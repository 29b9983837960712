//! Which ways inputs decided, over all executions.

use gordian_base::{FxHashMap, FxHasher, Id};
use gordian_trace::{Event, OpKind};
use std::hash::{Hash, Hasher};

/// Counts executions by their path: what inputs decided in each thread, whatever the order of the threads' steps. Paths are known
/// by a hash of 64 bits.
#[derive(Default)]
pub(crate) struct Paths {
    /// Never iterated.
    executions: FxHashMap<u64, u64>,
    most: u64,
    /// Of the execution at hand, by thread.
    threads: Vec<FxHasher>,
}

impl Paths {
    /// Takes in an execution that has ended.
    pub fn count(&mut self, events: &[Event]) {
        self.threads.clear();
        for event in events.iter().filter(|event| event.kind == OpKind::Branch) {
            let thread = event.thread.index();
            if self.threads.len() <= thread {
                self.threads.resize_with(thread + 1, FxHasher::default);
            }
            (event.at, event.value).hash(&mut self.threads[thread]);
        }
        let mut path = FxHasher::default();
        self.threads.iter().for_each(|thread| thread.finish().hash(&mut path));
        let executions = self.executions.entry(path.finish()).or_default();
        *executions += 1;
        self.most = self.most.max(*executions);
    }

    pub fn n(&self) -> u64 {
        self.executions.len() as u64
    }

    pub fn most(&self) -> u64 {
        self.most
    }
}
