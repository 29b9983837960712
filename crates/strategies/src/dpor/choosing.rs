//! The next step: the one that is planned, or any that is not in the sleep set.

use super::{Dpor, PrefixUpdate};
use crate::explain::explain;
use crate::happens_before::footprint::{FootprintId, Footprints};
use crate::happens_before::transition::Transition;
use gordian_engine::Point;
use gordian_trace::Choice;

impl Dpor {
    /// A thread that is not in the sleep set, the one that made the last step if possible: going on is cheapest.
    #[inline(always)]
    pub(super) fn pick(&mut self, point: &Point<'_>) -> Option<Choice> {
        let sleep = self.nodes[self.nodes.len() - 1].sleep as usize;
        let sleep = &self.sleep_set[sleep..];
        let free = self.history.free(point.depth);
        if free.says_all() && self.shuffle.is_none() {
            let awake = free.awake(sleep);
            let own = point.last().filter(|last| awake.has(*last));
            return own.or_else(|| awake.first()).map(Choice::of);
        }
        let choices = &self.history.choices(point.depth);
        let awake = |choice: &&Choice| !sleep.iter().any(|asleep| asleep.matches(**choice));
        if let Some(rng) = &mut self.shuffle {
            let awake: Vec<&Choice> = choices.iter().filter(awake).collect();
            let nth = rng.below(awake.len().max(1));
            return awake.get(nth).map(|choice| **choice);
        }
        let last = point.last();
        let own = choices.iter().filter(|choice| Some(choice.thread) == last).find(awake);
        own.or_else(|| choices.iter().find(awake)).copied()
    }

    /// The index of the choice that the branch under way wants. Its thread's other variants are put behind it, unless
    /// just this one is wanted: where that was seen first, they were put behind it as well.
    #[inline]
    pub(super) fn follow(&mut self, point: &Point<'_>) -> Option<usize> {
        let wanted = *self.forest.label(self.nodes[self.nodes.len() - 1].todo);
        if !self.history.could_go_on(wanted.thread, point.depth) {
            self.give_up(point);
            return None;
        }
        let only = Choice::of(wanted.thread);
        let is_only = self.history.free(point.depth).says_all() && wanted.matches(only);
        let found = if is_only {
            self.index_of(point, only)
        } else {
            point.choices.iter().position(|choice| wanted.matches(*choice))
        };
        // The variant that was seen may not exist in this order of things.
        let index = found.or_else(|| point.choices.iter().position(|choice| choice.thread == wanted.thread))?;
        let Some(index) = self.awake(point, wanted, index) else {
            explain!("redundant: {} is in the sleep set at depth {}", wanted.thread, point.depth);
            self.is_redundant = true;
            return None;
        };
        let node = self.nodes.last_mut().expect("the node was made");
        self.forest.label_mut(node.todo).variant = Some(point.choices[index].variant);
        node.wants = point.wants(wanted.thread);
        if !is_only && (wanted.variant.is_none() || found.is_none()) {
            self.add_variants(point, wanted);
        }
        Some(index)
    }

    #[inline]
    pub(super) fn index_of(&self, point: &Point<'_>, choice: Choice) -> Option<usize> {
        if point.free != 0 && choice.variant == 0 && choice.thread.0 < u64::BITS {
            let before = point.free & ((1 << choice.thread.0) - 1);
            return (point.free >> choice.thread.0 & 1 != 0).then_some(before.count_ones() as usize);
        }
        point.choices.iter().position(|other| *other == choice)
    }

    /// The choice, or another that is as good, if it is not in the sleep set: the steps before it may have turned out to depend on less
    /// than was planned for.
    #[inline]
    fn awake(&self, point: &Point<'_>, wanted: Transition, index: usize) -> Option<usize> {
        let sleep = self.sleep(self.nodes.len() - 1);
        let is_awake = |choice: &Choice| !sleep.iter().any(|asleep| asleep.matches(*choice));
        if is_awake(&point.choices[index]) {
            return Some(index);
        }
        let is_exact = wanted.matches(point.choices[index]) && wanted.variant.is_some();
        let other = |choice: &Choice| choice.thread == wanted.thread && is_awake(choice);
        if is_exact { None } else { point.choices.iter().position(other) }
    }

    /// What was planned cannot be made in this order of things. It covers nothing then, and as other plans may have been left to
    /// it, somebody else goes on from here. Whoever that is will do, in all variants: what was left to the plan is a matter of races, and these show in any
    /// execution from here that goes the same way, unless a step of the sleep set is taken to cover them. So the state is loose.
    #[cold]
    fn give_up(&mut self, point: &Point<'_>) {
        self.forest.label_mut(self.nodes[point.depth].todo).cover_nothing();
        self.nodes[point.depth].is_loose = true;
        let Some(Choice { thread, .. }) = self.pick(point) else { return };
        for &choice in point.choices.iter().filter(|choice| choice.thread == thread) {
            self.add_unless_known(point.depth, choice, Footprints::UNKNOWN);
        }
    }

    /// What `thread` can do besides what is planned or done already.
    pub(super) fn add_variants(&mut self, point: &Point<'_>, wanted: Transition) {
        for choice in point.choices.iter().filter(|choice| choice.thread == wanted.thread) {
            self.add_unless_known(self.nodes.len() - 1, *choice, wanted.footprint);
        }
    }

    pub(super) fn add_unless_known(&mut self, depth: usize, choice: Choice, footprint: FootprintId) {
        let todo = self.under_way(depth);
        let known = self.forest.from(todo).any(|branch| self.forest.label(branch).tries(choice))
            || self.sleep(depth).iter().any(|asleep| asleep.tries(choice));
        if known {
            return;
        }
        let label = Transition { footprint, ..Transition::new(choice, &self.history.choices(depth)) };
        if !self.is_in_prefix(depth) {
            self.forest.add_beside(todo, label);
        } else if !self.prefix.snapshot.waits(self.prefix.path[depth], depth, choice) {
            self.prefix.add_note(PrefixUpdate::AddSibling(depth, label));
        }
    }
}
