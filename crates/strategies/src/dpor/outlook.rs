//! Whether plans are needed from a state: see `trimming`.

use super::trimming::Waits;
use super::{Dpor, PrefixUpdate, sleep_at};
use crate::happens_before::transition::Coverage;

/// What becomes of races with the step under way from a state.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Outlook {
    /// It was not asked yet.
    Unknown,
    /// They are reversed by plans.
    Planned,
    /// No plans are needed: what does not begin with the step is explored without them (see [`super::trimming::SleepContext::next`]), or nothing else can begin.
    Open,
}

impl Dpor {
    /// Whether what does not begin with the step made from the state of this depth is explored without plans.
    #[inline]
    pub(super) fn is_open(&mut self, depth: usize) -> bool {
        match self.nodes[depth].outlook {
            Outlook::Open => true,
            Outlook::Planned => false,
            Outlook::Unknown => self.needs_no_wakeup_tree(depth),
        }
    }

    /// Finds out what becomes of races with the step that was made from the state of this depth.
    #[inline(never)]
    fn needs_no_wakeup_tree(&mut self, depth: usize) -> bool {
        let is_open = self.may_leave_open() && (self.is_closed(depth) || self.goes_on_without_plans(depth));
        self.nodes[depth].outlook = if is_open { Outlook::Open } else { Outlook::Planned };
        is_open
    }

    /// Whether all who could go on in the state of this depth are in the sleep set or did: nothing else can begin there.
    fn is_closed(&self, depth: usize) -> bool {
        let (free, made) = (self.history.free(depth), self.label(depth));
        free.says_all()
            && made.coverage == Coverage::Independent
            && !free.awake(self.sleep(depth)).without(made.thread).says_all()
    }

    /// Whether no plans are needed from the state of this depth, see [`super::trimming::SleepContext::next`]. The next step waits there then.
    fn goes_on_without_plans(&mut self, depth: usize) -> bool {
        let (made, waits) = (self.label(depth), self.waits(depth));
        let Dpor { nodes, sleep_set, history, sleep_context, unsure, .. } = self;
        history.find_inevitable(depth, &mut sleep_context.inevitable);
        // Nobody else is about to touch what most steps touch.
        if waits == Waits::Sequences || !sleep_context.inevitable.may_wake(&history.footprints, &made) {
            return false;
        }
        sleep_context.set_asleep(sleep_at(nodes, sleep_set, depth), made);
        let Some(label) = sleep_context.next(&history.footprints, unsure) else { return false };
        if self.is_in_prefix(depth) {
            if !self.prefix.snapshot.is_open(self.prefix.path[depth], depth) {
                self.prefix.add_note(PrefixUpdate::NextSibling(depth, Some(label).filter(|_| waits == Waits::Nothing)));
            }
        } else if waits == Waits::Nothing {
            let under_way = self.under_way(depth);
            self.forest.add_beside(under_way, label);
        }
        true
    }

    /// What waits in the state of this depth.
    fn waits(&self, depth: usize) -> Waits {
        if self.is_in_prefix(depth) {
            self.prefix.snapshot.waits_beside(self.prefix.path[depth], depth)
        } else {
            self.forest.waits_beside(&self.history.footprints, self.nodes[depth].todo)
        }
    }
}
