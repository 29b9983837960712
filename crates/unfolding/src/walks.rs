//! Walks down the trees of threads, in search of what is compatible with one configuration.
//!
//! *Lemma.* Let `P` be the configuration, and `A` one that is compatible with it. A configuration `B` that contains `A` is compatible with `P` as well if no event
//! of `B` outside of `A` and `P` excludes one of `P` outside of `B`: the events of `A` exclude nothing in `P` outside of `A`. So going down a tree costs as much as the events
//! that are new at each node, whatever else has happened. Of the accesses of `P` to one location, the last ones of each thread suffice: if these are in `B`, so are
//! those before them.
//!
//! Two more things keep walks short. A walk does not go where nothing below touches what it is looking for ([`Unfolding::may_touch`]). And an event that excludes one
//! of `P`, but is not in `P`, has to know of that one, so it was added later: at a point all of whose events touch the same, only the newest ones come into question.

use crate::events::{Event, EventId, NO_POINT, NONE, Point, PointId, ROOT, Unfolding};
use crate::uses::{Arcs, Summary, Use};
use gordian_base::Id;
use gordian_strategies::happens_before::steps::Mode;
use std::ops::Range;

/// An access of the configuration.
struct Access {
    event: EventId,
    used: Use,
    /// The next one of the same location.
    next: u32,
}

const END: u32 = u32::MAX;

/// The last accesses of one configuration after the other.
#[derive(Default)]
pub struct Walker {
    accesses: Vec<Access>,
    /// By location: the round in which it was met last, and the first of its accesses.
    by_slot: Vec<(u64, u32)>,
    /// By set of accesses: the round in which it was met last. A thread that makes one again has made it last.
    met: Vec<u64>,
    /// What is noted of other rounds is void. There is one for each thread of each configuration.
    round: u64,
    first_round: u64,
    /// Events of the configuration that depend on everything.
    on_all: Vec<EventId>,
    /// The configuration whose accesses are noted.
    noted: Vec<EventId>,
    points: Vec<PointId>,
    beside: Vec<EventId>,
    /// Configurations that were compared so far: how much work there was.
    n_compared: u64,
}

impl Walker {
    pub fn n_compared(&self) -> u64 {
        self.n_compared
    }

    /// Events of these threads that the step of a point could follow and knows of then.
    pub fn partners(&mut self, unfolding: &Unfolding, id: PointId, threads: Range<usize>) -> Vec<EventId> {
        let base = unfolding.base(id);
        let Point { thread, uses, depends_on_all, .. } = unfolding.points[id];
        let wanted = Summary::related(unfolding.arcs, unfolding.sets.get(uses), depends_on_all, true);
        let mut found = Vec::new();
        self.begin(unfolding, base);
        let (mut points, mut beside) = (std::mem::take(&mut self.points), std::mem::take(&mut self.beside));
        for other in threads.filter(|&other| other != thread.index()) {
            let leads_on = |point: &PointId| unfolding.may_touch(*point, wanted);
            points.extend(unfolding.points_after(other, base).into_iter().filter(leads_on));
            while let Some(point) = points.pop() {
                // What others did to let it go on may not fit.
                let parent = match unfolding.points[point].pred {
                    NONE => &[],
                    pred => unfolding.past(pred),
                };
                let earliest = self.earliest(unfolding, point);
                unfolding.events_beside(point, base, thread, earliest, &mut beside);
                for event in beside.drain(..).rev() {
                    let is_known = unfolding.is_known_to(id, event);
                    let n_points = points.len();
                    points.extend(unfolding.next(event).filter(leads_on));
                    if !is_known && points.len() == n_points {
                        continue;
                    }
                    if !self.fits(unfolding, base, parent, unfolding.past(event)) {
                        points.truncate(n_points);
                    } else if is_known {
                        found.push(event);
                    }
                }
            }
        }
        (self.points, self.beside) = (points, beside);
        found
    }

    /// Points of these threads whose steps could follow an event and know of it then.
    pub fn followers(&mut self, unfolding: &Unfolding, event: EventId, threads: Range<usize>) -> Vec<PointId> {
        let past = unfolding.past(event);
        let Event { thread, uses, depends_on_all, .. } = unfolding.events[event];
        let wanted = Summary::related(unfolding.arcs, unfolding.sets.get(uses), depends_on_all, false);
        let mut found = Vec::new();
        self.begin(unfolding, past);
        let (mut points, mut beside) = (std::mem::take(&mut self.points), std::mem::take(&mut self.beside));
        for other in threads.filter(|&other| other != thread.index()) {
            let leads_on = |point: &PointId| unfolding.may_touch(*point, wanted);
            points.extend(unfolding.points_after(other, past).into_iter().filter(leads_on));
            while let Some(id) = points.pop() {
                if !self.fits(unfolding, past, before(unfolding, id), unfolding.base(id)) {
                    continue;
                }
                if !unfolding.points[id].is_parked
                    && unfolding.wants(id).is_some_and(|wants| !wants.joins_by_itself())
                    && unfolding.is_known_to(id, event)
                {
                    found.push(id);
                }
                let earliest = self.earliest(unfolding, id);
                unfolding.events_beside(id, past, thread, earliest, &mut beside);
                points.extend(beside.drain(..).rev().flat_map(|next| unfolding.next(next)).filter(leads_on));
            }
        }
        (self.points, self.beside) = (points, beside);
        found
    }

    /// Events of a point that fit the configuration were added after this one.
    fn earliest(&self, unfolding: &Unfolding, point: PointId) -> EventId {
        let uses = unfolding.sets.get(unfolding.points[point].common);
        let excluded = uses.iter().flat_map(|used| {
            let excludes = move |access: &&Access| unfolding.arcs.excludes(used, &access.used);
            self.of_slot(used.slot).filter(excludes).map(|access| access.event)
        });
        excluded.max().unwrap_or(ROOT)
    }

    /// Notes the last accesses of a configuration.
    fn begin(&mut self, unfolding: &Unfolding, cut: &[EventId]) {
        self.by_slot.resize(unfolding.sets.n_slots(), (0, END));
        self.met.resize(unfolding.sets.len(), 0);
        // The point after an event asks for the same as the event.
        if self.noted == cut {
            return;
        }
        self.noted.clear();
        self.noted.extend_from_slice(cut);
        self.accesses.clear();
        self.on_all.clear();
        self.first_round = self.round + 1;
        for &last in cut {
            self.round += 1;
            let mut at = last;
            while at != NONE {
                let event = &unfolding.events[at];
                if event.depends_on_all {
                    self.on_all.push(at);
                }
                if self.met[event.uses.index()] != self.round {
                    self.met[event.uses.index()] = self.round;
                    for &used in unfolding.sets.get(event.uses) {
                        self.note(unfolding, at, used);
                    }
                }
                at = event.pred;
            }
        }
    }

    fn note(&mut self, unfolding: &Unfolding, event: EventId, used: Use) {
        // With read arcs nobody knows of reads.
        if unfolding.arcs == Arcs::Contextual && used.mode == Mode::Read {
            return;
        }
        let thread = unfolding.events[event].thread;
        let covers = |later: &Access| {
            unfolding.events[later.event].thread == thread
                && used.bytes & !later.used.bytes == 0
                && (later.used.mode == Mode::Write || later.used.mode == used.mode)
        };
        if self.of_slot(used.slot).any(covers) {
            return;
        }
        let (round, first) = self.by_slot[used.slot as usize];
        let next = if round >= self.first_round { first } else { END };
        self.by_slot[used.slot as usize] = (self.round, self.accesses.len() as u32);
        self.accesses.push(Access { event, used, next });
    }

    fn of_slot(&self, slot: u32) -> impl Iterator<Item = &Access> {
        let (round, first) = self.by_slot[slot as usize];
        let mut at = if round >= self.first_round { first } else { END };
        std::iter::from_fn(move || {
            let access = self.accesses.get(at as usize)?;
            at = access.next;
            Some(access)
        })
    }

    /// Whether a configuration is compatible with the one that the walk is about, given one within it that is.
    fn fits(&mut self, unfolding: &Unfolding, cut: &[EventId], parent: &[EventId], child: &[EventId]) -> bool {
        self.n_compared += 1;
        let fits = self.does_fit(unfolding, cut, parent, child);
        debug_assert_eq!(fits, unfolding.are_compatible(child, cut), "what the walk found is what the lemma says");
        fits
    }

    fn does_fit(&self, unfolding: &Unfolding, cut: &[EventId], parent: &[EventId], child: &[EventId]) -> bool {
        let mut is_beyond = false;
        for (thread, &last) in child.iter().enumerate() {
            let of = |cut: &[EventId]| cut.get(thread).copied().unwrap_or(NONE);
            let (seen, known) = (of(parent), of(cut));
            if last == seen || last == NONE {
                continue;
            }
            // By how many events of the thread the parent goes, and the configuration.
            let extent = |event: EventId| if event == NONE { 0 } else { unfolding.events[event].depth + 1 };
            let (to, n_seen, n_known) = (extent(last), extent(seen), extent(known));
            if to <= n_known {
                if !unfolding.in_chain(last, known) {
                    return false;
                }
                continue;
            }
            if n_seen < n_known && !unfolding.in_chain(known, last) {
                return false;
            }
            is_beyond = true;
            let mut at = last;
            for _ in n_seen.max(n_known)..to {
                if !self.is_fitting_event(unfolding, cut, at, child) {
                    return false;
                }
                at = unfolding.events[at].pred;
            }
        }
        !is_beyond
            || self.on_all.iter().all(|&event| unfolding.contains(child, event))
                && (unfolding.arcs == Arcs::Replicated || unfolding.have_common_order(child, cut))
    }

    /// Whether an event that is not in the configuration excludes nothing in it but what is in `child`.
    fn is_fitting_event(&self, unfolding: &Unfolding, cut: &[EventId], event: EventId, child: &[EventId]) -> bool {
        let event = &unfolding.events[event];
        if event.depends_on_all {
            return cut.iter().all(|&last| last == NONE || unfolding.contains(child, last));
        }
        let mut contained = NONE;
        unfolding.sets.get(event.uses).iter().all(|used| {
            self.of_slot(used.slot).all(|access| {
                if access.event == contained || !unfolding.arcs.excludes(used, &access.used) {
                    return true;
                }
                contained = access.event;
                unfolding.contains(child, access.event)
            })
        })
    }
}

/// What is known to be compatible wherever a walk comes to a point: all but what brought its thread there.
fn before(unfolding: &Unfolding, point: PointId) -> &[EventId] {
    let own = &unfolding.points[point];
    match own.pred {
        NONE => &[],
        // It stood before the event.
        pred if unfolding.events[pred].point != NO_POINT => unfolding.base(unfolding.events[pred].point),
        pred => unfolding.past(pred),
    }
}
