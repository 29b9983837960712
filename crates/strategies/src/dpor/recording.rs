//! Recording an execution: the steps that were made, and the states that they led to.

use super::wakeup::{BranchId, Made};
use super::{Dpor, Node, has_failed};
use crate::happens_before::dependence::Dependents;
use crate::happens_before::states::Free;
use crate::happens_before::transition::Transition;
use gordian_base::ThreadId;
use gordian_engine::{Ended, Point, SkippedState};
use gordian_trace::{Choice, Event, Wants};

impl Dpor {
    /// Records the steps that were made since it was last asked: the one that was chosen, and those that followed it.
    #[inline(always)]
    pub(super) fn record_steps(&mut self, schedule: &[Choice], events: &[Event], passed: &[SkippedState]) {
        if self.history.len() == schedule.len() {
            return;
        }
        let Some(first) = passed.first() else { return self.record_chosen(schedule, events) };
        self.record_chosen(schedule, &events[..first.n_events as usize]);
        self.record_skipped(schedule, events, passed);
    }

    /// The same at the end of the execution.
    pub(super) fn record_end(&mut self, ended: &Ended<'_>) {
        self.history.visibility = ended.visibility;
        self.history.fails = has_failed(ended);
        self.record_steps(ended.schedule, ended.events, ended.passed);
        self.history.fails = false;
    }

    #[inline(always)]
    fn record_chosen(&mut self, schedule: &[Choice], events: &[Event]) {
        let made = self.history.len();
        if self.symmetry.is_some() {
            self.push_tied(schedule[made], events);
        } else {
            self.push(schedule[made], events, self.nodes[made].wants);
        }
        let (label, node) = (self.history.steps[made].label, &mut self.nodes[made]);
        let Made { planned, is_alone } = self.forest.make(node.todo, label);
        node.planned = planned;
        if made < self.prefix.known {
            return;
        }
        let footprints = &self.history.footprints;
        if !is_alone && !footprints.is_as_planned(planned, label.footprint) {
            self.forest.reinsert_siblings(footprints, self.nodes[made].todo, &mut self.sequence);
        }
        if footprints.has_effects(label.footprint) {
            self.plan_other_wakings(made, label);
        }
    }

    #[inline(always)]
    fn push(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>) {
        match &mut self.constraints {
            Some(constraints) if constraints.concerns(choice.thread) => {
                constraints.say_awaited(&mut self.history, choice.thread);
                self.history.push(choice, events, wants);
                constraints.observe(self.history.steps.last().expect("it was added"));
                self.history.awaited.clear();
            }
            _ => self.history.push(choice, events, wants),
        }
    }

    /// Records steps that were made without asking: the sleep set is empty, and nothing is planned.
    #[inline(never)]
    fn record_skipped(&mut self, schedule: &[Choice], events: &[Event], passed: &[SkippedState]) {
        let sleep = self.sleep_set.len() as u32;
        debug_assert_eq!(sleep, self.nodes.last().map_or(0, |node| node.sleep), "the sleep set is empty");
        for (nth, state) in passed.iter().enumerate() {
            let depth = self.nodes.len();
            let until = passed.get(nth + 1).map_or(events.len(), |next| next.n_events as usize);
            self.nodes.push(Node { sleep, ..Node::default() });
            self.history.push_state_with(Free::of_threads(state.free), &[], state.n_events as usize);
            self.push(schedule[depth], &events[..until], None);
            let label = self.history.steps[depth].label;
            if self.history.footprints.has_effects(label.footprint) {
                self.plan_other_wakings(depth, label);
            }
        }
    }

    /// Adds the newest step to the history where steps are tied to those of threads like theirs.
    #[inline(never)]
    fn push_tied(&mut self, choice: Choice, events: &[Event]) {
        let wants = self.nodes[self.history.len()].wants;
        let tie = self.tie(choice.thread);
        self.history.push_tied(choice, events, wants, tie);
        if let Some(symmetry) = &mut self.symmetry {
            symmetry.push(&self.history, events, wants);
        }
    }

    /// A step woke a thread that could also have stopped waiting by itself: by time-out, or for no reason. That it does so
    /// before is a behaviour of its own, which no race will show because the thread does something else now.
    fn plan_other_wakings(&mut self, depth: usize, label: Transition) {
        let footprint = self.history.footprints.get(label.footprint);
        let released: Vec<ThreadId> = footprint.released().collect();
        let choices = self.history.choices(depth);
        for &choice in choices.iter().filter(|choice| released.contains(&choice.thread)) {
            self.sequence.clear();
            self.sequence.push(Transition::new(choice, &choices));
            self.plan_in_any_case(depth);
        }
    }

    /// The node for the state that the execution has just reached.
    #[inline]
    pub(super) fn push_state(&mut self, point: &Point<'_>) {
        let sleep = self.sleep_set.len();
        let mut todo = BranchId::NONE;
        if let Some(parent) = self.nodes.last() {
            let label = self.label(self.nodes.len() - 1);
            let dependents = Dependents::of(&self.history.footprints, &label);
            for index in parent.sleep as usize..sleep {
                let asleep = self.sleep_set[index];
                if !dependents.have(&asleep) && !asleep.covers_nothing() {
                    self.sleep_set.push(asleep);
                }
            }
            if !parent.todo.is_none() {
                todo = self.forest.take_children(parent.todo);
            }
        }
        if let Some(&on_the_way) = self.prefix.path.get(self.nodes.len()) {
            let depth = self.nodes.len();
            self.sleep_set.extend(self.prefix.snapshot.before(on_the_way, depth));
            let step = self.prefix.snapshot.step(on_the_way, depth);
            todo = self.forest.add(Transition { footprint: step.planned, ..step.label });
        } else if self.is_in_prefix(self.nodes.len()) {
            self.add_to_prefix(todo);
        }
        // Somebody else may have given a plan up here, or come to a failure.
        let asleep = &self.sleep_set[sleep..];
        let is_loose = asleep.iter().any(|asleep| asleep.covers_nothing() || asleep.is_ending())
            || !asleep.is_empty()
                && self.nodes.last().is_some_and(|parent| parent.is_loose || self.was_uncertain(self.nodes.len() - 1));
        self.nodes.push(Node { sleep: sleep as u32, todo, is_loose, ..Node::default() });
        let free = self.held_back().fold(Free::at(point), Free::without);
        if self.symmetry.is_none() && free.says_all() {
            self.history.push_state_with(free, &[], point.events.len());
        } else if self.symmetry.is_none() && self.constraints.is_none() {
            self.history.push_state(point.choices, point.events.len());
        } else {
            self.history.push_state(&self.free(point), point.events.len());
        }
    }
}
