//! The unfolding: events with their causal pasts, each kept once, and the points at which threads stand between them.
//!
//! No net is built. An event is a step of a thread together with its causal past under the dependence of steps; a point is where a
//! thread stands after an event of its own, before its next step. The events of one thread form a tree, since each has one
//! local predecessor, and whether two pasts fit together is decided on these trees (`configurations.rs`).
//!
//! There are millions of events, so what they have in common is kept once: accesses and operations by number, pasts in one pool, lists as chains.

mod of_points;

use crate::lists::{List, Lists};
use crate::partners::{Groups, Partners};
use crate::uses::{Arcs, NO_USES, Summary, Use, UseSets, Uses, UsesId};
use gordian_base::{FxBuildHasher, FxHashMap, FxHasher, Id, IndexVec, ThreadId, define_id};
use gordian_strategies::happens_before::steps::{Mode, Touch};
use gordian_trace::{CodePoint, NO_CODE, Wants};
use indexmap::IndexSet;
use std::hash::{Hash, Hasher};

define_id! {
    /// An event of the unfolding.
    EventId, "e"
}

define_id! {
    /// Where a thread stands after an event.
    PointId, "p"
}

/// In place of an event where there is none.
pub const NONE: EventId = EventId(u32::MAX);

/// In place of a point where there is none.
pub const NO_POINT: PointId = PointId(u32::MAX);

/// The beginning of the execution, up to main's first step.
pub const ROOT: EventId = EventId(0);

/// A configuration by the last event of each thread; [`NONE`] for threads without one.
pub type Cut = Box<[EventId]>;

/// A configuration in the pool.
#[derive(Clone, Copy)]
struct Span {
    start: u32,
    len: u32,
}

pub struct Event {
    pub thread: ThreadId,
    pub point: PointId,
    /// The event of its thread before it.
    pub pred: EventId,
    /// An ancestor further up, so that any is found in a logarithmic number of steps.
    pub(crate) jump: EventId,
    /// Its number among the events of its thread.
    pub depth: u32,
    /// How many steps its thread has made with it.
    pub n_steps: u32,
    pub variant: u32,
    /// How many events are in its past: greater than that of each of them.
    pub size: u32,
    pub uses: UsesId,
    /// Where the events begin in the pool that its writes replace.
    replaced: u32,
    past: Span,
    /// Where its thread stands after it, unless others let it go on; and the last of the points after it.
    points: (PointId, PointId),
    /// The event of its point before it.
    sibling: EventId,
    /// The next event with the same hash of point and history.
    alike: EventId,
    pub depends_on_all: bool,
    /// A join, which happens by itself as soon as both threads have come so far.
    pub is_join: bool,
    /// Inputs decided how its thread went on.
    pub is_branch: bool,
    /// What follows it follows another event that leads to the same marking.
    pub is_cut_off: bool,
}

/// Where a thread stands: after an event of its own, or after one that created it or let it go on.
pub struct Point {
    pub thread: ThreadId,
    pub pred: EventId,
    /// The event that brought it here: its own, or another's.
    pub release: EventId,
    base: Span,
    wants: u32,
    /// All that its step was expected to touch, or was seen to touch in one of its histories.
    pub uses: UsesId,
    pub(crate) groups: Groups,
    /// The next point after the same event.
    sibling: PointId,
    /// The last of its events.
    last: EventId,
    n_events: u32,
    /// What all of its events touch, or [`NO_USES`] if that differs.
    pub common: UsesId,
    /// What steps of this point and of those below it are expected to touch.
    below: Summary,
    /// One of its steps may depend on anything.
    pub depends_on_all: bool,
    /// No step of its own leads on: it waits to be released.
    pub is_parked: bool,
    /// There may be configurations in which its thread stands here and cannot make its step.
    pub can_block: bool,
}

/// In place of what a write replaces, where that is not one write of the same bytes.
pub const SEVERAL: EventId = EventId(u32::MAX - 1);

/// All events so far.
pub struct Unfolding {
    pub arcs: Arcs,
    pub events: IndexVec<EventId, Event>,
    pub points: IndexVec<PointId, Point>,
    pub sets: UseSets,
    /// What threads are about to do, by number.
    wants: IndexSet<Option<Wants>, FxBuildHasher>,
    /// The pasts of events, one after the other.
    cuts: Vec<EventId>,
    replaced: Vec<EventId>,
    pub(crate) partners: Partners,
    /// Events by the hash of their point and history: the first of those that share it.
    by_history: FxHashMap<u64, EventId>,
    /// Of points with many events: those events by the last event of another thread in their past.
    by_last: FxHashMap<(PointId, ThreadId, EventId), List>,
    lists: Lists,
    /// Points that others let go on, or created.
    by_release: FxHashMap<(ThreadId, EventId, EventId), PointId>,
    /// By thread: where it stands when it is created.
    pub beginnings: Vec<Vec<PointId>>,
    /// By thread: where it has ended.
    pub ends: Vec<Vec<PointId>>,
    /// Locks were taken in no step, by a thread that was alone, or it is not known.
    pub takes_locks_unseen: bool,
}

impl Unfolding {
    pub fn new(arcs: Arcs) -> Unfolding {
        let mut unfolding = Unfolding {
            arcs,
            events: IndexVec::new(),
            points: IndexVec::new(),
            sets: UseSets::new(),
            wants: IndexSet::default(),
            cuts: vec![ROOT],
            replaced: Vec::new(),
            partners: Partners::default(),
            by_history: FxHashMap::default(),
            by_last: FxHashMap::default(),
            lists: Lists::default(),
            by_release: FxHashMap::default(),
            beginnings: Vec::new(),
            ends: Vec::new(),
            takes_locks_unseen: false,
        };
        unfolding.events.push(Event {
            thread: ThreadId::MAIN,
            point: NO_POINT,
            pred: NONE,
            jump: ROOT,
            depth: 0,
            n_steps: 0,
            variant: 0,
            size: 1,
            uses: NO_USES,
            replaced: 0,
            past: Span { start: 0, len: 1 },
            points: (NO_POINT, NO_POINT),
            sibling: NONE,
            alike: NONE,
            depends_on_all: false,
            is_join: false,
            is_branch: false,
            is_cut_off: false,
        });
        unfolding
    }

    /// Events that are steps.
    pub fn n_steps(&self) -> usize {
        self.events.iter().skip(1).filter(|event| !event.is_join).count()
    }

    /// Numbers the locations of a step, in the order of first sight.
    pub fn uses(&mut self, touches: &[Touch]) -> Uses {
        self.sets.number(touches)
    }

    /// What an event touches.
    pub fn uses_of(&self, event: EventId) -> &[Use] {
        self.sets.get(self.events[event].uses)
    }

    /// Of what an event writes: the write of the same bytes that it replaces, [`NONE`] if it is the first one. Locations of which bytes are written apart, or
    /// which several threads hold at once, are left out.
    pub fn replaces(&self, event: EventId) -> impl Iterator<Item = (Use, EventId)> + Clone {
        let writes = self.uses_of(event).iter().copied().filter(|used| used.mode == Mode::Write);
        let replaced = &self.replaced[self.events[event].replaced as usize..];
        writes.zip(replaced.iter().copied()).filter(|(_, replaced)| *replaced != SEVERAL)
    }

    fn cut(&self, span: Span) -> &[EventId] {
        &self.cuts[span.start as usize..][..span.len as usize]
    }

    /// All that must happen before an event, and itself.
    pub fn past(&self, event: EventId) -> &[EventId] {
        self.cut(self.events[event].past)
    }

    /// What must have happened for a thread to stand at a point.
    pub fn base(&self, point: PointId) -> &[EventId] {
        self.cut(self.points[point].base)
    }

    /// What a thread is about to do at a point; nothing if it has ended.
    pub fn wants(&self, point: PointId) -> Option<Wants> {
        self.wants[self.points[point].wants as usize]
    }

    /// The instruction before which the thread of a point stands; none if it has ended.
    pub fn place(&self, point: PointId) -> CodePoint {
        self.wants(point).map_or(NO_CODE, |wants| wants.at)
    }

    /// Sets what the step of a point is expected to touch.
    pub fn expect(&mut self, point: PointId, uses: &[Use]) {
        self.points[point].uses = self.sets.keep(uses);
        self.summarize(point, Summary::of(uses, false));
    }

    /// The step of a point may depend on anything.
    pub fn expect_anything(&mut self, point: PointId) {
        self.points[point].depends_on_all = true;
        self.summarize(point, Summary::of(&[], true));
    }

    /// What the step of a point is expected to touch.
    pub fn expected(&self, point: PointId) -> &[Use] {
        self.sets.get(self.points[point].uses)
    }

    fn same_history(&self, point: PointId, history: &[EventId], hash: u64) -> impl Iterator<Item = &Event> {
        let mut at = self.by_history.get(&hash).copied().unwrap_or(NONE);
        let alike = std::iter::from_fn(move || {
            let event = (at != NONE).then(|| &self.events[at])?;
            at = event.alike;
            Some(event)
        });
        alike.filter(move |event| event.point == point && self.has_history(event, history))
    }

    /// Whether the past of an event, without itself, is this configuration.
    fn has_history(&self, event: &Event, history: &[EventId]) -> bool {
        let past = self.cut(event.past);
        let own = event.thread.index();
        let last = |thread: usize| if thread == own { event.pred } else { past[thread] };
        history.len() <= past.len()
            && (0..past.len()).all(|thread| last(thread) == history.get(thread).copied().unwrap_or(NONE))
    }

    /// The event of this point with this history and variant.
    pub fn known(&self, point: PointId, history: &[EventId], variant: u32) -> Option<EventId> {
        let mut events = self.same_history(point, history, hash(point, history));
        events.find(|event| event.variant == variant).map(|event| self.past_of_own(event))
    }

    /// The event itself is the last of its thread in its past.
    fn past_of_own(&self, event: &Event) -> EventId {
        self.cut(event.past)[event.thread.index()]
    }

    /// Whether there is an event of this point with this history, in any variant.
    pub fn is_explored(&self, point: PointId, history: &[EventId]) -> bool {
        self.same_history(point, history, hash(point, history)).next().is_some()
    }

    /// Adds an event that is not known yet. `history` is its past without itself.
    pub fn add_event(&mut self, new: NewEvent, history: &[EventId]) -> EventId {
        let NewEvent { point, variant, uses, replaced, depends_on_all, is_join, is_branch } = new;
        let Point { thread, pred, .. } = self.points[point];
        let id = EventId::from_index(self.events.len());
        let past = self.keep_past(history, thread, id);
        let (depth, jump) = match pred {
            NONE => (0, id),
            pred => {
                let up = self.events[pred].jump;
                let (d0, d1, d2) =
                    (self.events[pred].depth, self.events[up].depth, self.events[self.events[up].jump].depth);
                (d0 + 1, if d0 - d1 == d1 - d2 && d0 > d1 { self.events[up].jump } else { pred })
            }
        };
        let first = self.by_history.entry(hash(point, history)).or_insert(NONE);
        let alike = std::mem::replace(first, id);
        let replaced_at = u32::try_from(self.replaced.len()).expect("fewer than 2^32 writes");
        self.replaced.extend_from_slice(replaced);
        let event = Event {
            thread,
            point,
            pred,
            jump,
            depth,
            n_steps: self.n_steps_before(point) + u32::from(!is_join),
            variant,
            size: 1 + self.size_of(history),
            uses: self.sets.keep(uses),
            replaced: replaced_at,
            past,
            points: (NO_POINT, NO_POINT),
            sibling: NONE,
            alike,
            depends_on_all,
            is_join,
            is_branch,
            is_cut_off: false,
        };
        self.events.push(event);
        self.add_to_point(point, id);
        id
    }

    /// Puts the past of an event into the pool.
    fn keep_past(&mut self, history: &[EventId], thread: ThreadId, id: EventId) -> Span {
        let start = u32::try_from(self.cuts.len()).expect("fewer than 2^32 last events of pasts");
        let len = history.len().max(thread.index() + 1);
        self.cuts.extend_from_slice(history);
        self.cuts.resize(start as usize + len, NONE);
        self.cuts[start as usize + thread.index()] = id;
        Span { start, len: len as u32 }
    }

    pub fn known_point(&self, thread: ThreadId, pred: EventId, release: EventId) -> Option<PointId> {
        if pred == release && pred != NONE {
            return Some(self.events[pred].points.0).filter(|&point| self.is_own(point));
        }
        self.by_release.get(&(thread, pred, release)).copied()
    }

    /// Whether it is a point to which its thread came by itself.
    fn is_own(&self, point: PointId) -> bool {
        self.points.get(point).is_some_and(|point| point.pred == point.release)
    }

    /// Adds a point that is not known yet.
    pub fn add_point(&mut self, thread: ThreadId, pred: EventId, release: EventId, wants: Option<Wants>) -> PointId {
        let id = PointId::from_index(self.points.len());
        let base = self.keep_base(pred, release);
        let wants = self.wants.insert_full(wants).0 as u32;
        self.points.push(Point {
            thread,
            pred,
            release,
            base,
            wants,
            uses: NO_USES,
            groups: Groups::NONE,
            sibling: NO_POINT,
            last: NONE,
            n_events: 0,
            common: NO_USES,
            below: Summary::default(),
            depends_on_all: false,
            is_parked: false,
            can_block: false,
        });
        if pred == NONE {
            let index = thread.index();
            self.beginnings.resize_with(self.beginnings.len().max(index + 1), Vec::new);
            self.beginnings[index].push(id);
        } else {
            self.chain_point(pred, id);
        }
        if pred != release || pred == NONE {
            self.by_release.insert((thread, pred, release), id);
        }
        id
    }

    /// After an event of its own a thread knows what that knows.
    fn keep_base(&mut self, pred: EventId, release: EventId) -> Span {
        let past = |event: EventId| if event == NONE { &[][..] } else { self.past(event) };
        if pred == release && pred != NONE {
            return self.events[pred].past;
        }
        let base = self.union(past(pred), past(release));
        let start = u32::try_from(self.cuts.len()).expect("fewer than 2^32 last events of pasts");
        self.cuts.extend_from_slice(&base);
        Span { start, len: base.len() as u32 }
    }

    /// Adds a point to those after an event; that to which the thread comes by itself is the first.
    fn chain_point(&mut self, pred: EventId, id: PointId) {
        let points = self.events[pred].points;
        self.events[pred].points = match points {
            (NO_POINT, _) => (id, id),
            (first, last) if self.is_own(id) => {
                self.points[id].sibling = first;
                (id, last)
            }
            (first, last) => {
                self.points[last].sibling = id;
                (first, id)
            }
        };
    }

    /// The points after an event.
    pub fn next(&self, event: EventId) -> impl Iterator<Item = PointId> {
        self.chain(self.events[event].points.0)
    }

    fn chain(&self, first: PointId) -> impl Iterator<Item = PointId> {
        let mut at = first;
        std::iter::from_fn(move || {
            let point = Some(at).filter(|&point| point != NO_POINT)?;
            at = self.points[point].sibling;
            Some(point)
        })
    }

    /// The thread of this point has ended there.
    pub fn add_end(&mut self, end: PointId) {
        let index = self.points[end].thread.index();
        self.ends.resize_with(self.ends.len().max(index + 1), Vec::new);
        self.ends[index].push(end);
    }

    /// How many steps a thread has made when it stands at a point.
    pub fn n_steps_before(&self, point: PointId) -> u32 {
        match self.points[point].pred {
            NONE => 0,
            pred => self.events[pred].n_steps,
        }
    }

    /// Points of `thread` next after the last event that it has in a configuration.
    pub fn points_after(&self, thread: usize, cut: &[EventId]) -> Vec<PointId> {
        match cut.get(thread).copied().unwrap_or(NONE) {
            NONE => self.beginnings.get(thread).cloned().unwrap_or_default(),
            last => self.next(last).collect(),
        }
    }

    /// Where a thread can stand, after what it did in a configuration, as long as this other one does nothing more than what it did there.
    pub fn points_beside(&self, of: ThreadId, cut: &[EventId], other: ThreadId) -> Vec<PointId> {
        let mut found = Vec::new();
        let (mut points, mut beside) = (self.points_after(of.index(), cut), Vec::new());
        while let Some(point) = points.pop() {
            // What follows does not fit either.
            if !self.are_compatible(self.base(point), cut) {
                continue;
            }
            found.push(point);
            self.events_beside(point, cut, other, ROOT, &mut beside);
            points.extend(beside.drain(..).rev().flat_map(|event| self.next(event)));
        }
        found
    }

    /// Whether a thread has ended at a point.
    pub fn has_ended(&self, point: PointId) -> bool {
        self.wants(point).is_none() && !self.points[point].is_parked
    }

    /// Whether the thread of a point has not gone beyond it in a configuration.
    pub fn stands_before(&self, cut: &[EventId], point: PointId) -> bool {
        let Point { thread, pred, .. } = self.points[point];
        match cut.get(thread.index()).copied().unwrap_or(NONE) {
            NONE => true,
            last => pred != NONE && self.in_chain(last, pred),
        }
    }

    /// Whether the step of a point depends on nothing in a configuration but what is in its history.
    pub fn is_blind_to_rest(&self, point: PointId, cut: &[EventId], history: &[EventId]) -> bool {
        self.events_of(cut, &[]).iter().all(|&event| self.contains(history, event) || !self.is_known_to(point, event))
    }
}

fn hash(point: PointId, history: &[EventId]) -> u64 {
    let mut hasher = FxHasher::default();
    (point, history).hash(&mut hasher);
    hasher.finish()
}

/// What is known of an event that is to be added.
pub struct NewEvent<'n> {
    pub point: PointId,
    pub variant: u32,
    pub uses: &'n [Use],
    /// What each of its writes replaces: see [`Unfolding::replaces`].
    pub replaced: &'n [EventId],
    pub depends_on_all: bool,
    pub is_join: bool,
    pub is_branch: bool,
}
