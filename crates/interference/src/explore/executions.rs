//! Executions: made as planned, and put into the forest.

use super::Search;
use crate::execute::{Execution, execute};
use crate::forest::NodeId;
use crate::scenario::{Candidate, Repair, Scenario};
use crate::temporal::Manner;
use gordian_base::{FxHashMap, ThreadId};
use gordian_engine::EngineError;
use gordian_solve::Supervision;
use gordian_trace::FindingKind;
use gordian_vm::{End, Machine, Terms};
use gordian_witness::{EventKind, PendingOperation, Plan, RecordedThread, thread_claim};

const NOT_AS_PLANNED: &str = "an execution did not go as planned";

impl<'a> Search<'a> {
    pub(super) fn machine(&self, terms: Terms, plan: &Plan) -> Result<Machine<'a>, EngineError> {
        let supervision = Supervision { stop: self.budget.stop.clone(), ..Supervision::default() };
        let inputs = &plan.inputs;
        Ok(Machine::with_fresh_reads_supervised(self.program, &self.template, terms, inputs, &supervision)?)
    }

    /// Makes the execution of a plan and takes in what the threads did.
    pub(super) fn realize(
        &mut self,
        candidate: &Candidate,
        plan: &Plan,
        source: Option<NodeId>,
        manner: Manner,
    ) -> Result<(), EngineError> {
        let terms = self.terms.take().expect("no machine has them");
        let mut machine = self.machine(terms, plan)?;
        let thread = self.forest[candidate.sink].thread;
        let source = source.map(|write| (self.forest[candidate.sink].depth, self.forest.event_ref(write)));
        let execution = execute(&mut machine, plan, thread, source);
        self.add(candidate.degree, &mut machine);
        let paths = self.merge(&machine, &execution, thread);
        for what in &execution.recorder.losses {
            self.lose(what);
        }
        if !self.forest[candidate.sink].reached && !machine.must_stop() {
            match machine.end() {
                Some(End::Failed | End::Dropped) if !is_last(&machine, FindingKind::DataRace) => {
                    if manner == Manner::Well {
                        self.note_failure(candidate, &machine, &execution);
                    }
                    self.go_round(candidate, plan, &paths);
                }
                _ => self.lose(NOT_AS_PLANNED),
            }
        }
        self.terms = Some(machine.into_terms());
        Ok(())
    }

    /// An execution ended before it came to the sink. What another order or another source may do better must not be lost.
    fn note_failure(&mut self, candidate: &Candidate, machine: &Machine<'_>, execution: &Execution) {
        let is = |kind| is_last(machine, kind);
        let is_misused = || is(FindingKind::LockMisuse) && (!execution.went || self.is_made_by_others(candidate.sink));
        if is(FindingKind::UseAfterFree) || is(FindingKind::DoubleFree) || is_misused() {
            return self.lose(NOT_AS_PLANNED);
        }
        // A read of what nobody wrote. It may take another thread's write.
        if is(FindingKind::Uninitialised)
            && let Some(thread) = execution.recorder.failed()
            && let Some(scenario) = Scenario::of(&self.forest, candidate)
        {
            let n_events = execution.recorder.n_events(thread) as usize;
            let read = scenario.path(thread).and_then(|path| path.nodes.get(n_events + 1).copied());
            match read.filter(|&read| self.forest[read].event.read().is_some() && candidate.is_open(read)) {
                Some(read) => self.give(candidate.clone(), &[Repair::Source(read)]),
                None => self.lose(NOT_AS_PLANNED),
            }
        }
    }

    /// Whether what a pending operation synchronises with depends on when other threads initialise or destroy it, wait for it or join it.
    fn is_made_by_others(&self, sink: NodeId) -> bool {
        let event = &self.forest[sink].event;
        let used: Vec<u64> = match event.kind {
            EventKind::Pending(PendingOperation::Join(thread)) => vec![thread_claim(thread)],
            _ => event.uses().into_iter().map(|used| used.address()).collect(),
        };
        let makes = |node: NodeId| match self.forest[node].event.kind {
            EventKind::Claim(address)
            | EventKind::Destroy(address)
            | EventKind::SemInit { semaphore: address, .. }
            | EventKind::BarrierInit { barrier: address, .. }
            | EventKind::Wait { cond: address, .. } => used.contains(&address),
            EventKind::Join(thread) => used.contains(&thread_claim(thread)),
            _ => false,
        };
        // What its creators did before they created it is done in any case.
        let creator = |node: NodeId| self.forest[self.forest[node].root].created_by;
        let creations: Vec<NodeId> = std::iter::successors(creator(sink), |&node| creator(node)).collect();
        let is_done = |node: NodeId| creations.iter().any(|&creation| self.forest.is_on_the_way(node, creation));
        let is_others = |node: NodeId| self.forest[node].thread != self.forest[sink].thread;
        self.forest.ids().any(|node| is_others(node) && makes(node) && !is_done(node))
    }

    /// Puts what threads did into the forest, creators first.
    fn merge(
        &mut self,
        machine: &Machine<'_>,
        execution: &Execution,
        alone: ThreadId,
    ) -> FxHashMap<ThreadId, Vec<NodeId>> {
        let recorder = &execution.recorder;
        let mut paths: FxHashMap<ThreadId, Vec<NodeId>> = FxHashMap::default();
        let mut left: Vec<ThreadId> = (0..recorder.n_threads()).map(ThreadId).collect();
        while !left.is_empty() {
            let before = left.len();
            left.retain(|&thread| {
                let me = recorder.thread(thread).expect("it was seen");
                let created_by = match me.created_by {
                    Some(at) => match paths.get(&at.thread).map(|path| path.get(at.index as usize)) {
                        Some(Some(&node)) => Some(node),
                        // Its creator was not followed so far.
                        Some(None) => return false,
                        None => return true,
                    },
                    None if thread == ThreadId::MAIN => None,
                    None => return false,
                };
                let path = self.merge_thread(machine, execution, thread, created_by, alone);
                paths.insert(thread, path);
                false
            });
            if left.len() == before {
                break;
            }
        }
        paths
    }

    /// A thread went on from where it was wanted, up to its next visible operation, and ended the execution there. The candidate is
    /// tried again with every other way that the thread can go on.
    fn go_round(&mut self, candidate: &Candidate, plan: &Plan, paths: &FxHashMap<ThreadId, Vec<NodeId>>) {
        for thread in (0..paths.len() as u32).map(ThreadId) {
            let wanted =
                plan.turns.iter().filter(|turn| turn.thread == thread).map(|turn| turn.index).max().unwrap_or(0);
            let Some(path) = paths.get(&thread) else { continue };
            for pair in path.windows(2).skip(wanted as usize) {
                for other in self.forest[pair[0]].children.clone() {
                    let decides = matches!(
                        self.forest[other].event.kind,
                        EventKind::Decide { .. } | EventKind::Pick { .. } | EventKind::PickOther { .. }
                    );
                    if other != pair[1] && decides && thread != self.forest[candidate.sink].thread {
                        candidate.with_further(other).into_iter().for_each(|next| self.queue(next));
                    }
                }
            }
        }
    }

    fn merge_thread(
        &mut self,
        machine: &Machine<'_>,
        execution: &Execution,
        thread: ThreadId,
        created_by: Option<NodeId>,
        alone: ThreadId,
    ) -> Vec<NodeId> {
        let recorder = &execution.recorder;
        let RecordedThread { events: seen, .. } = recorder.thread(thread).expect("it was seen");
        let foreseen = if thread == alone { execution.foreseen as usize } else { seen.len() };
        let mut path = vec![self.forest.root(thread, created_by)];
        for seen in &seen[..foreseen] {
            let from = *path.last().expect("it has a root");
            match self.forest.go(from, seen) {
                Ok(node) => path.push(node),
                Err(_) => {
                    self.lose("a thread went another way than what it read explains");
                    return path;
                }
            }
        }
        let end = *path.last().expect("it has a root");
        self.has_waiting_loops |= machine.watched(thread).next().is_some();
        match seen.get(foreseen) {
            Some(read) => {
                if let EventKind::Read { place, .. } = read.event.kind {
                    self.forest.wait_at(end, PendingOperation::Read(place), read.event.at);
                }
            }
            None => {
                if let Some((operation, at)) = recorder.next(machine, thread) {
                    self.forest.wait_at(end, operation, at);
                }
            }
        }
        path
    }
}

/// Whether the last finding is of this kind. A data race that ends an execution may not be there in another order of the same scenario.
fn is_last(machine: &Machine<'_>, kind: FindingKind) -> bool {
    machine.findings().last().is_some_and(|raw| raw.finding.kind == kind)
}
