//! Writes whose order nobody sees are not ordered: the equivalence of Aronis, Jonsson, Lång and Sagonas, "Optimal Dynamic Partial
//! Order Reduction with Observers", TACAS 2018. The search is another one.
//!
//! **Guarantee:** an execution for each way in which dependent steps can be ordered, where two *blind* writes (which store
//! without looking) of the same byte are ordered only if somebody reads what the later one has left there; when it is
//! done and no bound was hit, every behaviour of the program was executed. The end of an execution reads everything, since whoever is
//! left alone reads without a step.
//!
//! **How.** To the order of steps, blind writes commute. Besides that order a trace says, of each step that reads, which
//! write it sees. So a trace is a set of events: steps that know what came before them and what they see. From each
//! trace others are planned: for each race, all that does not happen after its first step, then the second; and for each
//! look at one of several writes that are not ordered, all that does not happen after the reader in an order in which another of them is
//! the last, then the reader. What another reader has seen may stand in the way of that: such a reader is left out, each in
//! turn. A plan is dropped if a trace that was executed begins as it does, which is looked up among the events.
//!
//! Why nothing is missed: take any trace, and of those executed the one that has most events in common with it. If they
//! differ, a next event of the former is not in the latter, either since something else comes before its step, which is a
//! race, or since it sees another write. Both lead to an execution that keeps what is in common and comes nearer.
//!
//! **Deviations.** There are no sleep sets or wake-up trees: whether a step that is asleep covers a plan depends on who reads later. Its memory
//! grows with the number of traces, by about a number for each step of each.
//!
//! **What it does not do.** Writes of atomic sections are not blind, nor are plain
//! writes where data races are reported: which accesses are found to race depends on which came last. Programs that
//! create threads after their first choice, have inputs that decide something, or wait in loops are searched by `dpor`: threads that
//! come after one was alone may see what that one has read, and whether who waits can go on depends on more than what came before it.

mod explored;
mod looks;
mod plans;

use crate::Observers;
use crate::dpor::{self, Dpor, has_failed, is_cut_short};
use crate::happens_before::{Effect, History};
use explored::{EventId, Explored};
use gordian_base::{FxHashSet, Rng, ThreadId};
use gordian_engine::{Capabilities, Ended, Next, Point, Strategy};
use gordian_trace::{Choice, Event, Exploration, OpKind, Wants};
use looks::Look;
use plans::{Plan, Planned};

/// A state on the way of the present execution.
#[derive(Default)]
struct Node {
    /// What is to be explored from here.
    todo: Vec<Plan>,
    n_done: u32,
    /// What the step under way was about to do.
    wants: Option<Wants>,
    /// The step under way is made so that its thread does not starve.
    feeds: bool,
}

/// The search of `dpor` for executions in which writes that nobody reads are not ordered.
pub struct DporObserving {
    observers: Observers,
    nodes: Vec<Node>,
    history: History,
    explored: Explored,
    /// What was planned, so that it is not planned again.
    planned: FxHashSet<[u64; 2]>,
    /// What is left to be made of the plan under way, the next step last.
    ahead: Vec<Planned>,
    /// Of the present execution, by step.
    events: Vec<EventId>,
    looks: Vec<Look>,
    /// Where nothing is planned, go on with any thread instead of the cheapest.
    shuffle: Option<Rng>,
    /// Searches instead, and why.
    instead: Option<(Box<Dpor>, &'static str)>,
    seed: Option<u64>,
}

impl DporObserving {
    pub fn new(observers: Observers) -> DporObserving {
        DporObserving::with(observers, None)
    }

    /// Goes on with a random thread where any will do.
    pub fn shuffled(observers: Observers, seed: u64) -> DporObserving {
        DporObserving::with(observers, Some(seed))
    }

    fn with(observers: Observers, seed: Option<u64>) -> DporObserving {
        let mut history = History::default();
        history.be_relaxed(observers);
        DporObserving {
            observers,
            nodes: Vec::new(),
            history,
            explored: Explored::default(),
            planned: FxHashSet::default(),
            ahead: Vec::new(),
            events: Vec::new(),
            looks: Vec::new(),
            shuffle: seed.map(|seed| Rng::stream(seed, 0)),
            instead: None,
            seed,
        }
    }

    /// Takes in the step that was made since it was last asked.
    fn record_steps(&mut self, schedule: &[Choice], events: &[Event]) {
        let made = self.history.len();
        if made < schedule.len() {
            self.history.push(schedule[made], events, self.nodes[made].wants);
        }
    }

    /// The index of the choice that the plan wants. A plan that cannot be followed is left.
    fn follow(&mut self, point: &Point<'_>) -> Option<usize> {
        let wanted = self.ahead.pop()?;
        let of_thread = |choice: &Choice| choice.thread == wanted.thread;
        let exact =
            |choice: &Choice| of_thread(choice) && wanted.variant.is_none_or(|variant| variant == choice.variant);
        let found = point.choices.iter().position(exact).or_else(|| point.choices.iter().position(of_thread));
        if found.is_none() {
            self.ahead.clear();
        }
        self.nodes[point.depth].feeds = wanted.feeds && found.is_some();
        found
    }

    fn pick(&mut self, point: &Point<'_>) -> usize {
        if let Some(rng) = &mut self.shuffle {
            return rng.below(point.choices.len());
        }
        let last = point.last();
        point.choices.iter().position(|choice| Some(choice.thread) == last).unwrap_or(0)
    }

    /// Why the program cannot be searched like this.
    fn objection(&self, ended: &Ended<'_>) -> Option<&'static str> {
        let waits = |thread: u32| !ended.watched(ThreadId(thread)).is_empty();
        let has_waited = ended.events.iter().any(|event| event.kind == OpKind::Watch);
        if has_waited || (0..ended.thread_numbers as u32).any(waits) {
            return Some("a thread waits in a loop");
        }
        let creates = |effect: &Effect| matches!(effect, Effect::Create { .. });
        let footprint = |step: &crate::happens_before::Step| self.history.footprints.get(step.label.footprint);
        if self.history.steps.iter().any(|step| footprint(step).effects.iter().any(creates)) {
            return Some("threads are created while others run");
        }
        self.history.steps.iter().any(|step| step.decides).then_some("inputs decide how threads go on")
    }
}

impl Strategy for DporObserving {
    fn exploration(&self) -> Exploration {
        if let Some((dpor, _)) = &self.instead {
            return dpor.exploration();
        }
        let guarantee = "executes every order of dependent steps within the bounds; writes that nobody reads are not ordered, and some \
                         executions may come more than once";
        Exploration { strategy: dpor::NAME.to_owned(), guarantee: guarantee.to_owned() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if let Some((dpor, _)) = &mut self.instead {
            return dpor.choose(point);
        }
        if point.depth == self.nodes.len() {
            self.record_steps(point.schedule, point.events);
            self.history.push_state(point.choices, point.events.len());
            self.nodes.push(Node::default());
        }
        let index = self.follow(point).unwrap_or_else(|| self.pick(point));
        self.nodes[point.depth].wants = point.wants(point.choices[index].thread);
        Some(index)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        if let Some((dpor, _)) = &mut self.instead {
            return dpor.next(ended);
        }
        self.history.fails = has_failed(ended);
        self.record_steps(ended.schedule, ended.events);
        self.history.fails = false;
        self.ahead.clear();
        if let Some(why) = self.objection(ended) {
            let dpor = self.seed.map_or_else(Dpor::default, Dpor::shuffled);
            *self = DporObserving::new(self.observers);
            self.instead = Some((Box::new(dpor), why));
            return Next::Anew;
        }
        self.analyse(ended);
        while let Some(node) = self.nodes.last_mut() {
            let Some(plan) = node.todo.pop() else {
                self.nodes.pop();
                continue;
            };
            node.n_done += 1;
            if !self.explored.reaches(&plan.goal) {
                let depth = self.nodes.len() - 1;
                self.ahead = plan.steps;
                self.ahead.reverse();
                self.history.truncate(depth);
                return Next::Backtrack(depth);
            }
        }
        Next::Done
    }

    fn notes(&self) -> Vec<String> {
        self.instead.iter().map(|(_, why)| format!("observers not used: {why}")).collect()
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::REDUCTION
    }

    /// As `dpor` estimates it.
    fn done(&self) -> Option<f64> {
        if let Some((dpor, _)) = &self.instead {
            return dpor.done();
        }
        let (mut weight, mut done) = (1.0, 0.0);
        for node in &self.nodes {
            weight /= f64::from(node.n_done) + node.todo.len() as f64 + 1.0;
            done += weight * f64::from(node.n_done);
        }
        Some(done)
    }
}
