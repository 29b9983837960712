//! Temporal consistency: in which order the nodes of a scenario can come.

use crate::facts::OwnSources;
use crate::forest::{Forest, NodeId};
use crate::scenario::{Candidate, Goal, Repair, Scenario};
use gordian_solve::Budget;
use gordian_witness::{EventKind, EventRef, Order, Prefix, Turns};

/// How a candidate's sink is to be made, if it is a pending operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Manner {
    /// So that it happens.
    Well,
    /// It may be the use of something that was freed or destroyed.
    Anyhow,
}

/// The temporal consistency constraints of a scenario.
pub struct Temporal<'a> {
    forest: &'a Forest,
    candidate: &'a Candidate,
    scenario: &'a Scenario,
    order: Order<'a, Repair>,
}

impl<'a> Temporal<'a> {
    /// `prefixes` are those of the scenario.
    pub fn new(
        forest: &'a Forest,
        candidate: &'a Candidate,
        scenario: &'a Scenario,
        prefixes: &'a [Prefix<'a>],
        own: &OwnSources<'_>,
        manner: Manner,
        budget: &'a Budget,
    ) -> Self {
        let mut temporal = Temporal { forest, candidate, scenario, order: Order::new(prefixes, budget) };
        temporal.say_what_is_certain(own);
        temporal.say_lives(manner);
        temporal.say_reads(own);
        temporal.say_locks();
        temporal
    }

    fn say_what_is_certain(&mut self, own: &OwnSources<'_>) {
        let Temporal { forest, candidate, scenario, .. } = *self;
        for &(read, write) in &candidate.sources {
            self.order.say_before(forest.event_ref(write), forest.event_ref(read));
        }
        for node in scenario.nodes() {
            for source in own.get(&node).into_iter().flat_map(|own| &own.bytes).filter_map(|&(source, _)| source) {
                if forest[source].thread != forest[node].thread {
                    self.order.say_before(forest.event_ref(source), forest.event_ref(node));
                }
            }
        }
        let waker = |woken: EventRef| candidate.giver(scenario.node(woken)).expect("nothing is missing");
        self.order.say_synchronisation(|woken| forest.event_ref(waker(woken)));
        let sink = forest.event_ref(candidate.sink);
        match candidate.goal {
            Goal::Race(other) => self.order.say_last(&[sink, forest.event_ref(other)]),
            Goal::After(before) => self.order.say_before(forest.event_ref(before), sink),
            Goal::Reach | Goal::Within(_) | Goal::Deadlock(_) => {}
        }
    }

    /// Nothing but the sink uses what was freed or destroyed, and that only if it is to.
    fn say_lives(&mut self, manner: Manner) {
        let Temporal { forest, candidate, scenario, .. } = *self;
        let sink = forest.event_ref(candidate.sink);
        let wanted = |used: EventRef, end: EventRef| match candidate.goal {
            Goal::Reach => manner == Manner::Anyhow && (used == sink || end == sink),
            Goal::Race(other) | Goal::After(other) => {
                let other = forest.event_ref(other);
                (used, end) == (sink, other) || (used, end) == (other, sink)
            }
            Goal::Within(acquired) => {
                let acquired = forest.event_ref(acquired);
                end == sink && used.thread == acquired.thread && used.index >= acquired.index
            }
            Goal::Deadlock(_) => false,
        };
        self.order.say_lives(wanted, |acquired| Repair::Release(scenario.node(acquired)));
    }

    fn say_reads(&mut self, own: &OwnSources<'_>) {
        let Temporal { forest, candidate, scenario, .. } = *self;
        for read in scenario.nodes() {
            let Some(place) = forest[read].event.read() else { continue };
            let to_blame: &[Repair] = if candidate.is_open(read) { &[Repair::Source(read)] } else { &[] };
            let at = forest.event_ref(read);
            match own.get(&read) {
                Some(own) => {
                    let source = |n: usize| own.bytes[n].0.map(|source| forest.event_ref(source));
                    self.order.say_read(at, place, source, to_blame);
                }
                None => {
                    let source = candidate.source(read).map(|write| forest.event_ref(write));
                    self.order.say_read(at, place, |_| source, to_blame);
                }
            }
        }
    }

    fn say_locks(&mut self) {
        let Temporal { forest, candidate, scenario, .. } = *self;
        let fails = |&&(node, _): &&(NodeId, NodeId)| matches!(forest[node].event.kind, EventKind::LockFails { .. });
        let holders = candidate.given.iter().filter(fails);
        let mut holders: Vec<_> =
            holders.map(|&(node, holder)| (forest.event_ref(node), forest.event_ref(holder))).collect();
        if let Goal::Within(acquired) = candidate.goal {
            holders.push((forest.event_ref(candidate.sink), forest.event_ref(acquired)));
        }
        self.order.say_locks(|acquired| Repair::Release(scenario.node(acquired)), &holders);
    }

    /// Whether there is no order whatever the reads take that have no source yet. None if the solver gave up.
    pub fn is_hopeless(&mut self) -> Option<bool> {
        self.order.is_hopeless()
    }

    /// Whose turn it is, one after the other, until the sink is reached; or what is to blame. None if the solver gave up.
    pub fn solve(&mut self) -> Option<Result<Turns, Vec<Repair>>> {
        let line = match self.order.solve(Repair::Post)? {
            Ok(line) => line,
            Err(repairs) => return Some(Err(repairs)),
        };
        if matches!(self.candidate.goal, Goal::Race(_) | Goal::Deadlock(_)) {
            return Some(Ok(self.order.turns(&line)));
        }
        let sink = &self.forest[self.candidate.sink];
        // A pending sink is made when everything before it has been.
        let inclusive = !matches!(sink.event.kind, EventKind::Pending(_));
        Some(Ok(self.order.turns_to_end_of(&line, sink.thread, inclusive)))
    }
}
