//! Joins: they happen by themselves as soon as both threads have come so far, so each pair of a point that waits and an end that fits it is an extension.
//!
//! Where there are many of both, the pairs that fit are found as partners are: by going down the tree of one thread as far as it is compatible with the other's
//! past.

use super::{Extensions, What};
use crate::events::{Event, EventId, NONE, Point, PointId, Unfolding};
use crate::run::Run;
use gordian_base::{FxBuildHasher, Id, ThreadId};
use indexmap::IndexSet;

/// What follows main's joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The end of the process, whatever others did.
    Blind,
    Seen,
}

/// Where others wait for the end of a thread.
#[derive(Default)]
pub(super) struct Joiners {
    points: IndexSet<PointId, FxBuildHasher>,
    threads: Vec<ThreadId>,
}

impl Joiners {
    fn add(&mut self, point: PointId, thread: ThreadId) {
        self.points.insert(point);
        if !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
    }
}

/// Fewer are tried one by one.
const FEW: usize = 12;

impl Extensions {
    /// Main made a step of its own after joins, so what follows them is to be seen.
    pub(super) fn see_main_go_on(&mut self, unfolding: &mut Unfolding, event: EventId) {
        let Event { thread, pred, .. } = unfolding.events[event];
        if thread == ThreadId::MAIN && pred != NONE && unfolding.events[pred].is_join {
            let step = own_step(unfolding, pred);
            if self.endings.insert(step, Ending::Seen) != Some(Ending::Seen) {
                self.take_deferred(unfolding, step);
            }
        }
    }

    /// The thread of this point has ended.
    pub(super) fn take_end(&mut self, unfolding: &mut Unfolding, end: PointId) {
        unfolding.add_end(end);
        let thread = unfolding.points[end].thread;
        let joiners = match self.joiners.get(thread.index()) {
            None => Vec::new(),
            Some(joiners) if joiners.points.len() < FEW => joiners.points.iter().copied().collect(),
            Some(joiners) => {
                let base = unfolding.base(end);
                let beside = joiners.threads.iter().flat_map(|&other| unfolding.points_beside(other, base, thread));
                beside.filter(|point| joiners.points.contains(point)).collect()
            }
        };
        for joiner in joiners {
            self.add_join(unfolding, joiner, end);
        }
    }

    /// An execution has come to its end. `is_blind` if main, who was left alone, looked at nothing that others had touched.
    ///
    /// *Lemma.* What main does after joins up to the end of the process, if it asked for no results, looked at nothing that others had
    /// touched and made no step, is determined by its last step before them. So it is the same whoever ended how.
    pub fn end(&mut self, unfolding: &mut Unfolding, run: &Run, is_blind: bool) {
        let Some(last) = run.point(ThreadId::MAIN).map(|point| unfolding.points[point].pred) else { return };
        let step = own_step(unfolding, last);
        if !unfolding.events[last].is_join || self.endings.contains_key(&step) {
            return;
        }
        self.endings.insert(step, if is_blind { Ending::Blind } else { Ending::Seen });
        if !is_blind {
            self.take_deferred(unfolding, step);
        }
    }

    /// Looks for joins that were left out because nothing was known of what follows them. Whether there are any.
    pub fn take_unknown_endings(&mut self, unfolding: &mut Unfolding) -> bool {
        let n_before = self.n_found;
        self.sees_endings = true;
        let unknown = self.deferred.keys().copied().filter(|step| !self.endings.contains_key(step));
        for step in unknown.collect::<Vec<_>>() {
            self.take_deferred(unfolding, step);
        }
        self.n_found > n_before
    }

    /// Whether it is a join that leads to nothing, so that not all of its kind were looked for.
    pub fn is_left_out(&self, unfolding: &Unfolding, event: EventId) -> bool {
        let event = &unfolding.events[event];
        event.is_join && !self.matters(unfolding, event.point)
    }

    /// Whether a join at this point may lead to something that depends on who ended how.
    fn matters(&self, unfolding: &Unfolding, joiner: PointId) -> bool {
        let Point { thread, pred, .. } = unfolding.points[joiner];
        if thread != ThreadId::MAIN {
            return true;
        }
        match self.endings.get(&own_step(unfolding, pred)) {
            None => self.sees_endings,
            Some(Ending::Blind) => false,
            Some(Ending::Seen) => true,
        }
    }

    /// A thread waits at this point for the end of another.
    pub(super) fn take_joiner(&mut self, unfolding: &mut Unfolding, joiner: PointId) {
        if self.matters(unfolding, joiner) {
            self.find_ends(unfolding, joiner);
        } else {
            let step = own_step(unfolding, unfolding.points[joiner].pred);
            self.deferred.entry(step).or_default().push(joiner);
        }
    }

    /// Joins of main after this step of its own are to be seen.
    fn take_deferred(&mut self, unfolding: &mut Unfolding, step: EventId) {
        for joiner in self.deferred.swap_remove(&step).unwrap_or_default() {
            self.find_ends(unfolding, joiner);
        }
    }

    fn find_ends(&mut self, unfolding: &mut Unfolding, joiner: PointId) {
        let thread = unfolding.points[joiner].thread;
        let target = unfolding.wants(joiner).map_or(0, |wants| wants.address as usize);
        self.joiners.resize_with(self.joiners.len().max(target + 1), Joiners::default);
        self.joiners[target].add(joiner, thread);
        let ends = match unfolding.ends.get(target) {
            None => Vec::new(),
            Some(ends) if ends.len() < FEW => ends.clone(),
            Some(_) => {
                let base = unfolding.base(joiner);
                let mut beside = unfolding.points_beside(ThreadId(target as u32), base, thread);
                beside.retain(|&point| unfolding.has_ended(point));
                beside
            }
        };
        for end in ends {
            self.add_join(unfolding, joiner, end);
        }
    }

    fn add_join(&mut self, unfolding: &mut Unfolding, joiner: PointId, end: PointId) {
        let (base, after) = (unfolding.base(joiner), unfolding.base(end));
        if unfolding.are_compatible(base, after) {
            self.add_step(unfolding, joiner, unfolding.union(base, after), What::Join);
        }
    }
}

/// The last event of its thread up to this one that is no join.
fn own_step(unfolding: &Unfolding, mut event: EventId) -> EventId {
    while unfolding.events[event].is_join {
        event = unfolding.events[event].pred;
    }
    event
}
