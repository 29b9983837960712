//! A write that races with many reads is brought before each of them, and many of these reversals would plan what is planned
//! already. After Abdulla, Atig, Das, Jonsson and Sagonas, "Parsimonious Optimal Dynamic Partial Order Reduction", CAV 2024,
//! which reverses no race between two steps of the same reversal, those are left out here without looking.
//!
//! Let `e` be the step that was made first from a state, and `w` one that raced with it in an execution: `w` was planned from
//! that state, behind the steps `v` that do not happen after `e`. Now `v` and then `w` were made, and `w` races with a step `b` of
//! `v`, too. To reverse that race is to plan `w` behind those of `v` that do not happen after `b`. But `b` and `w` raced behind
//! `e` as well, and all behind `e` was explored: so was an execution with `e`, those of `v` that do not happen after `b`, and `w`. Its
//! race of `e` and `w` has been reversed, from the same state. What that planned beside or behind `v`'s steps up to `b`, or what
//! made it needless there, does as much for `b` and `w` now, if
//! - each of these steps is one access, which is the same at any time;
//! - nothing else was made on the way to `w` and after `e`'s state, or it might not go with what follows;
//! - all that follows `w` happens after `b`, for otherwise that belongs to what is to be planned.

use super::history::NONE;
use super::{Dpor, Node, Race};

impl Dpor {
    /// Whether nothing has to be planned for a race because another reversal has seen to it.
    #[inline]
    pub(super) fn is_reversed_elsewhere(&mut self, race: Race, second: u32) -> bool {
        let Node { since, planned, .. } = self.nodes[second as usize];
        let is_reversed = since <= race.first
            && !self.is_on_the_way(race.first as usize)
            && self.is_between_accesses(race, second)
            && planned == self.history.steps[second as usize].label.footprint
            && (self.leads(second) || self.history.unordered(race.first, second as usize + 1).next().is_none());
        if cfg!(debug_assertions) && is_reversed {
            self.assert_needs_no_plan(race, second);
        }
        is_reversed
    }

    /// Whether both steps are one access each, and turn out the same at any time.
    #[inline]
    pub(super) fn is_between_accesses(&self, race: Race, second: u32) -> bool {
        let is_plain = |step: u32| self.history.steps[step as usize].is_plain;
        !race.overtakes_readers && is_plain(race.first) && is_plain(second)
    }

    /// Whether all steps after this one happen after it.
    fn leads(&mut self, step: u32) -> bool {
        if let Some((known, leads)) = self.settled.leads
            && known == step
        {
            return leads;
        }
        let leads = self.history.unordered(step, step as usize + 1).next().is_none();
        self.settled.leads = Some((step, leads));
        leads
    }

    fn assert_needs_no_plan(&mut self, race: Race, second: u32) {
        let label = self.history.second_if_reversed(race, second);
        self.history.without(race, label, &mut self.sequence);
        let n_branches = self.forest.len();
        self.plan(race.first as usize, NONE);
        assert_eq!(n_branches, self.forest.len(), "a reversal was left out that was needed");
    }
}
