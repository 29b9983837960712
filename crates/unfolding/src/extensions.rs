//! Possible extensions: steps that could happen after histories in which they have not been seen.
//!
//! A step of a point may follow every configuration that contains the point's base and in which each maximal event that is not
//! in the base is a *partner*: one that the step knows of. To find them in general is NP-complete. Two facts keep it cheap.
//! 1. An event outside of a configuration and compatible with it is a descendant, in the tree of its thread, of that thread's last
//!    event in the configuration. So the search for partners walks down these trees and turns back at the first event that is not compatible,
//!    since its descendants are not either (`walks.rs`).
//! 2. Partners that write exclude each other, so several of them make up one history only if they read, or touch different locations.

mod joins;

use self::joins::{Ending, Joiners};
use crate::events::{Cut, EventId, PointId, Unfolding};
use crate::partners::Reason;
use crate::run::{Made, Run};
use crate::uses::Arcs;
use crate::workers::{Found, Jobs, Query, Workers};
use gordian_base::{FxBuildHasher, FxHashMap, FxHashSet, Rng};
use indexmap::IndexMap;

/// A step to be made after exactly this history.
#[derive(Clone, Debug)]
pub struct Extension {
    pub point: PointId,
    pub history: Cut,
    pub what: What,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The step, if it has not been made there yet.
    Step,
    /// This variant of it.
    Variant(u32),
    /// Whether it has variants there that were hidden by what else had happened when it was made.
    Look,
    /// The thread learns of the end of another by itself.
    Join,
}

impl Extension {
    /// Whether it was made meanwhile.
    pub fn is_done(&self, unfolding: &Unfolding) -> bool {
        match self.what {
            What::Step | What::Join => unfolding.is_explored(self.point, &self.history),
            What::Variant(variant) => unfolding.known(self.point, &self.history, variant).is_some(),
            What::Look => false,
        }
    }
}

/// Extensions whose histories are compared before one is chosen.
const MOST_COMPARED: usize = 8;

/// Extensions that are tried to be made in one execution with another.
const MOST_TRIED: usize = 32;

#[derive(Default)]
pub struct Extensions {
    waiting: Vec<Extension>,
    workers: Workers,
    known: FxHashSet<(PointId, Cut)>,
    known_variants: FxHashSet<(PointId, Cut, u32)>,
    looked: FxHashSet<(PointId, Cut)>,
    /// By main's last step before it joins others to its end: whether what it does then depends on who it joined.
    endings: FxHashMap<EventId, Ending>,
    /// By thread: where others wait for its end, and what follows may depend on how it ended.
    joiners: Vec<Joiners>,
    /// By main's last step before it joins others: joins that need not be looked for, as far as is known.
    deferred: IndexMap<EventId, Vec<PointId>, FxBuildHasher>,
    /// Whether all that follows main's joins has to be seen.
    pub sees_endings: bool,
    /// All that there were.
    pub n_found: u64,
    /// Most steps of each thread.
    pub max_thread_steps: Option<u32>,
    /// There were extensions beyond that.
    pub has_hit_bound: bool,
}

impl Extensions {
    /// Those of an unfolding in which no thread makes more steps, found by so many workers.
    pub fn within(max_thread_steps: Option<u32>, jobs: Jobs) -> Extensions {
        Extensions { max_thread_steps, workers: Workers::new(jobs), ..Extensions::default() }
    }

    /// Those of an unfolding in which all that follows main's joins is seen.
    pub fn of_all(jobs: Jobs) -> Extensions {
        Extensions { sees_endings: true, workers: Workers::new(jobs), ..Extensions::default() }
    }

    /// The one that was found last: most of its history has just happened. With read arcs, out of the last few the one with the shortest
    /// history, since reads that come before a write leave more to be made after it in the same execution.
    pub fn pop(&mut self, unfolding: &Unfolding) -> Option<Extension> {
        if unfolding.arcs == Arcs::Replicated {
            return self.waiting.pop();
        }
        self.waiting.pop_if(|last| last.is_done(unfolding));
        let from = self.waiting.len().saturating_sub(MOST_COMPARED);
        let size = |index: &usize| {
            let extension = &self.waiting[*index];
            (extension.is_done(unfolding), unfolding.size_of(&extension.history), std::cmp::Reverse(*index))
        };
        let shortest = (from..self.waiting.len()).min_by_key(size)?;
        Some(self.waiting.remove(shortest))
    }

    /// Puts any of them last, which is the next to be taken.
    pub fn shuffle(&mut self, rng: &mut Rng) {
        if let Some(last) = self.waiting.len().checked_sub(1) {
            self.waiting.swap(rng.below(last + 1), last);
        }
    }

    /// One that can still be made in the present execution, out of the last few: its history is compatible with what has happened, and
    /// its step would know of nothing else.
    pub fn find_compatible(&self, unfolding: &Unfolding, run: &Run) -> Option<Extension> {
        let cut = run.cut();
        let from = self.waiting.len().saturating_sub(MOST_TRIED);
        let fits = |extension: &Extension| {
            extension.what != What::Look
                && !extension.is_done(unfolding)
                && unfolding.stands_before(&cut, extension.point)
                && unfolding.are_compatible(&cut, &extension.history)
                && unfolding.can_follow(&cut, &extension.history)
                && unfolding.is_blind_to_rest(extension.point, &cut, &extension.history)
        };
        let found = (from..self.waiting.len()).rev().find(|&index| fits(&self.waiting[index]))?;
        Some(self.waiting[found].clone())
    }

    /// Whether an extension that was taken is known is told by the unfolding from now on, if it was made.
    pub fn forget_if_done(&mut self, unfolding: &Unfolding, extension: Extension) {
        if !extension.is_done(unfolding) {
            return;
        }
        let Extension { point, history, what } = extension;
        match what {
            What::Step | What::Join => {
                self.known.remove(&(point, history));
            }
            What::Variant(variant) => {
                self.known_variants.remove(&(point, history, variant));
            }
            What::Look => {}
        }
    }

    /// Those that were not made.
    pub fn n_left(&self, unfolding: &Unfolding) -> usize {
        self.waiting.iter().filter(|extension| !extension.is_done(unfolding)).count()
    }

    fn push(&mut self, extension: Extension) {
        self.n_found += 1;
        self.waiting.push(extension);
    }

    /// The step of this point has another variant after this history.
    pub fn add_variant(&mut self, point: PointId, history: &Cut, variant: u32) {
        if self.known_variants.insert((point, history.clone(), variant)) {
            self.push(Extension { point, history: history.clone(), what: What::Variant(variant) });
        }
    }

    /// It is to be seen which variants the step has after exactly this history.
    pub fn add_look(&mut self, point: PointId, history: &Cut) {
        if self.looked.insert((point, history.clone())) {
            self.push(Extension { point, history: history.clone(), what: What::Look });
        }
    }

    /// Whether the thread of a point has made as many steps as it may.
    pub fn is_beyond_bound(&self, unfolding: &Unfolding, point: PointId) -> bool {
        self.max_thread_steps.is_some_and(|most| unfolding.n_steps_before(point) >= most)
    }

    fn add_step(&mut self, unfolding: &Unfolding, point: PointId, history: Cut, what: What) {
        if what == What::Step && self.is_beyond_bound(unfolding, point) {
            self.has_hit_bound = true;
            return;
        }
        if !unfolding.is_explored(point, &history) && self.known.insert((point, history.clone())) {
            self.push(Extension { point, history, what });
        }
    }

    /// Takes in what a step of the present execution brought.
    pub fn take(&mut self, unfolding: &mut Unfolding, run: &Run, made: &Made) {
        self.take_all(unfolding, &made.new_points, &made.new_events, |unfolding, id| !run.is_locked_out(unfolding, id));
        self.see_main_go_on(unfolding, made.event);
        if made.surprises {
            let point = unfolding.events[made.event].point;
            unfolding.forget_partners(point);
            self.find_partners(unfolding, point);
        }
    }

    /// Takes in points and events of which all is known.
    pub fn take_known(&mut self, unfolding: &mut Unfolding, points: &[PointId], events: &[EventId]) {
        self.take_all(unfolding, points, events, |_, _| true);
    }

    /// `is_free` tells whether the step of a point is possible right there.
    fn take_all(
        &mut self,
        unfolding: &mut Unfolding,
        points: &[PointId],
        events: &[EventId],
        is_free: impl Fn(&Unfolding, PointId) -> bool,
    ) {
        let makes_step = |point: &&PointId| {
            !unfolding.points[**point].is_parked
                && unfolding.wants(**point).is_some_and(|wants| !wants.joins_by_itself())
        };
        let partners = points.iter().filter(makes_step).map(|&point| Query::Partners(point));
        let queries: Vec<Query> = partners.chain(events.iter().map(|&event| Query::Followers(event))).collect();
        let mut found = self.workers.answer(unfolding, &queries).into_iter();
        for &id in points.iter().filter(|&&point| !unfolding.points[point].is_parked).collect::<Vec<_>>() {
            match unfolding.wants(id) {
                None => self.take_end(unfolding, id),
                Some(wants) if wants.joins_by_itself() => self.take_joiner(unfolding, id),
                Some(_) => {
                    if is_free(unfolding, id) {
                        let base = Cut::from(unfolding.base(id));
                        self.add_step(unfolding, id, base, What::Step);
                    }
                    self.add_partners(unfolding, id, found.next());
                }
            }
        }
        for (&event, found) in events.iter().zip(found) {
            // New points have looked for it themselves.
            let Found::Followers(followers) = found else { unreachable!("followers were asked for") };
            for id in followers.into_iter().filter(|id| !points.contains(id)) {
                self.add_partner(unfolding, id, event);
            }
        }
    }

    /// Looks through all events for those that the step of a point could follow.
    fn find_partners(&mut self, unfolding: &mut Unfolding, id: PointId) {
        let found = self.workers.answer(unfolding, &[Query::Partners(id)]).pop();
        self.add_partners(unfolding, id, found);
    }

    fn add_partners(&mut self, unfolding: &mut Unfolding, id: PointId, found: Option<Found>) {
        let Some(Found::Partners(partners)) = found else { unreachable!("partners were asked for") };
        for event in partners {
            self.add_partner(unfolding, id, event);
        }
    }

    /// All histories of a point's step that end with this event, alone or with partners found before.
    fn add_partner(&mut self, unfolding: &mut Unfolding, id: PointId, event: EventId) {
        let reason = unfolding.reason(id, event);
        if reason == Reason::Locked {
            return unfolding.add_partner(id, reason, event);
        }
        let is_beside = |other| other != Reason::Locked && !unfolding.are_exclusive(reason, other);
        let others: Vec<EventId> = unfolding.partners(id, is_beside).collect();
        unfolding.add_partner(id, reason, event);
        let history = unfolding.union(unfolding.base(id), unfolding.past(event));
        let mut stack = vec![(history, 0, vec![event])];
        while let Some((history, from, chosen)) = stack.pop() {
            for (index, &other) in others.iter().enumerate().skip(from) {
                let past = unfolding.past(other);
                let is_maximal = !unfolding.contains(&history, other)
                    && !chosen.iter().any(|&chosen| unfolding.contains(past, chosen));
                if is_maximal && unfolding.are_compatible(&history, past) {
                    let mut more = chosen.clone();
                    more.push(other);
                    stack.push((unfolding.union(&history, past), index + 1, more));
                }
            }
            self.add_step(unfolding, id, history, What::Step);
        }
    }
}
