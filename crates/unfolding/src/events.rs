//! The unfolding: events with their causal pasts, each kept once, and the points at which threads stand between them.
//!
//! No net is built. An event is a step of a thread together with its causal past under the dependence of steps; a point is where a
//! thread stands after an event of its own, before its next step. The events of one thread form a tree, since each has one
//! local predecessor, and whether two pasts fit together is decided on these trees.

use gordian_base::{FxBuildHasher, FxHashMap, Id, IndexVec, ThreadId, define_id};
use gordian_strategies::happens_before::steps::{Location, Mode, Touch};
use gordian_trace::{CodePoint, NO_CODE, Wants};
use indexmap::{Equivalent, IndexMap};
use smallvec::SmallVec;
use std::cell::RefCell;

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

/// The beginning of the execution, up to main's first step.
pub const ROOT: EventId = EventId(0);

/// A configuration by the last event of each thread; [`NONE`] for threads without one.
pub type Cut = Box<[EventId]>;

/// A location by its number, with the bytes and the mode of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Use {
    pub slot: u32,
    pub bytes: u8,
    pub mode: Mode,
    pub takes_lock: bool,
}

impl Use {
    fn conflicts(&self, other: &Use) -> bool {
        self.slot == other.slot && self.bytes & other.bytes != 0 && self.mode.conflicts(other.mode)
    }
}

/// How reads take part in causality.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Arcs {
    /// Every thread has its own copy of each place, and a write consumes all copies: it knows of the reads before it.
    #[default]
    Replicated,
    /// Reads are read arcs: a write knows of the write before it, not of who has read that.
    Contextual,
}

impl Arcs {
    /// Whether a step that makes `later` knows of one before it that made `earlier`.
    pub fn is_cause(self, earlier: &Use, later: &Use) -> bool {
        earlier.conflicts(later) && (self == Arcs::Replicated || earlier.mode != Mode::Read)
    }

    /// Whether neither of two steps can be in one configuration with the other, unless one knows of the other.
    fn excludes(self, a: &Use, b: &Use) -> bool {
        self.is_cause(a, b) && self.is_cause(b, a)
    }
}

pub struct Event {
    pub thread: ThreadId,
    pub point: PointId,
    /// The event of its thread before it.
    pub pred: EventId,
    /// An ancestor further up, so that any is found in a logarithmic number of steps.
    jump: EventId,
    /// Its number among the events of its thread.
    pub depth: u32,
    /// How many steps its thread has made with it.
    pub n_steps: u32,
    pub variant: u32,
    pub uses: SmallVec<[Use; 2]>,
    /// Of what it writes: the write of the same bytes that it replaces, [`NONE`] if it is the first one. Locations of which bytes are written apart, or
    /// which several threads hold at once, are left out.
    pub replaces: SmallVec<[(Use, EventId); 1]>,
    pub depends_on_all: bool,
    /// A join, which happens by itself as soon as both threads have come so far.
    pub is_join: bool,
    /// Inputs decided how its thread went on.
    pub is_branch: bool,
    /// What follows it follows another event that leads to the same marking.
    pub is_cut_off: bool,
    /// All that must happen before it, and itself.
    pub past: Cut,
    /// How many events are in its past: greater than that of each of them.
    pub size: u32,
    /// Where its thread stands after it.
    pub next: SmallVec<[PointId; 1]>,
}

/// Where a thread stands: after an event of its own, or after one that created it or let it go on.
pub struct Point {
    pub thread: ThreadId,
    pub pred: EventId,
    /// The event that brought it here: its own, or another's.
    pub release: EventId,
    /// What must have happened for the thread to be here.
    pub base: Cut,
    /// What it is about to do; nothing if it has ended.
    pub wants: Option<Wants>,
    /// All that its step was expected to touch, or was seen to touch in one of its histories.
    pub uses: SmallVec<[Use; 2]>,
    /// One of its steps may depend on anything.
    pub depends_on_all: bool,
    /// No step of its own leads on: it waits to be released.
    pub is_parked: bool,
    /// There may be configurations in which its thread stands here and cannot make its step.
    pub can_block: bool,
    /// Events that its step depends on and that can happen before it.
    pub partners: Vec<EventId>,
    /// The partners that can be the last before its step, by what makes them partners.
    pub groups: Vec<(Option<Use>, Vec<EventId>)>,
    pub events: Vec<EventId>,
}

impl Point {
    /// The instruction before which its thread stands; none if it has ended.
    pub fn place(&self) -> CodePoint {
        self.wants.map_or(NO_CODE, |wants| wants.at)
    }
}

#[derive(Clone, Copy, Default)]
struct Stamp {
    round: u32,
    uses: [u8; 3],
}

/// What one of two configurations touches, while they are compared.
#[derive(Default)]
struct Scratch {
    stamps: Vec<Stamp>,
    /// Stamps of other rounds are void.
    round: u32,
}

/// A point with a history, to look it up without a copy.
#[derive(Hash)]
pub struct After<'h>(pub PointId, pub &'h [EventId]);

impl Equivalent<(PointId, Cut)> for After<'_> {
    fn equivalent(&self, key: &(PointId, Cut)) -> bool {
        self.0 == key.0 && *self.1 == *key.1
    }
}

/// The events of a point with one history, by variant.
type Variants = SmallVec<[(u32, EventId); 1]>;

/// Points with fewer events are looked through.
const FEW_EVENTS: usize = 12;

/// All events so far.
pub struct Unfolding {
    pub arcs: Arcs,
    pub events: IndexVec<EventId, Event>,
    pub points: IndexVec<PointId, Point>,
    by_history: IndexMap<(PointId, Cut), Variants, FxBuildHasher>,
    /// Of points with many events: those events by the last event of another thread in their past.
    by_last: FxHashMap<(PointId, ThreadId, EventId), Vec<EventId>>,
    by_release: FxHashMap<(ThreadId, EventId, EventId), PointId>,
    /// By thread: where it stands when it is created.
    pub beginnings: Vec<Vec<PointId>>,
    /// By thread: where it has ended.
    pub ends: Vec<Vec<PointId>>,
    slots: FxHashMap<Location, u32>,
    scratch: RefCell<Scratch>,
}

impl Unfolding {
    pub fn new(arcs: Arcs) -> Unfolding {
        let mut unfolding = Unfolding {
            arcs,
            events: IndexVec::new(),
            points: IndexVec::new(),
            by_history: IndexMap::default(),
            by_last: FxHashMap::default(),
            by_release: FxHashMap::default(),
            beginnings: Vec::new(),
            ends: Vec::new(),
            slots: FxHashMap::default(),
            scratch: RefCell::default(),
        };
        unfolding.events.push(Event {
            thread: ThreadId::MAIN,
            point: PointId(u32::MAX),
            pred: NONE,
            jump: ROOT,
            depth: 0,
            n_steps: 0,
            variant: 0,
            uses: SmallVec::new(),
            replaces: SmallVec::new(),
            depends_on_all: false,
            is_join: false,
            is_branch: false,
            is_cut_off: false,
            past: [ROOT].into(),
            size: 1,
            next: SmallVec::new(),
        });
        unfolding
    }

    /// Events that are steps.
    pub fn n_steps(&self) -> usize {
        self.events.iter().skip(1).filter(|event| !event.is_join).count()
    }

    pub fn n_slots(&self) -> usize {
        self.slots.len()
    }

    /// Numbers the locations of a step, in the order of first sight.
    pub fn uses(&mut self, touches: &[Touch]) -> SmallVec<[Use; 2]> {
        let mut number = |touch: &Touch| {
            let next = self.slots.len() as u32;
            let slot = *self.slots.entry(touch.location).or_insert(next);
            Use { slot, bytes: touch.bytes, mode: touch.mode, takes_lock: touch.takes_lock }
        };
        touches.iter().map(&mut number).collect()
    }

    /// The ancestor of an event at this depth, which is not below it.
    fn ancestor(&self, mut event: EventId, depth: u32) -> EventId {
        while self.events[event].depth > depth {
            let Event { pred, jump, .. } = self.events[event];
            event = if self.events[jump].depth >= depth { jump } else { pred };
        }
        event
    }

    fn in_chain(&self, first: EventId, last: EventId) -> bool {
        let depth = self.events[first].depth;
        self.events[last].depth >= depth && self.ancestor(last, depth) == first
    }

    /// How many events a configuration has.
    pub fn size_of(&self, cut: &[EventId]) -> u32 {
        cut.iter().filter(|&&last| last != NONE).map(|&last| self.events[last].depth + 1).sum()
    }

    /// Whether the event is in the configuration.
    pub fn contains(&self, cut: &[EventId], event: EventId) -> bool {
        let last = cut.get(self.events[event].thread.index()).copied().unwrap_or(NONE);
        last != NONE && self.in_chain(event, last)
    }

    /// Adds a configuration to one that it is compatible with.
    pub fn add_to(&self, cut: &mut Vec<EventId>, more: &[EventId]) {
        cut.resize(cut.len().max(more.len()), NONE);
        for (mine, &theirs) in cut.iter_mut().zip(more) {
            if *mine == NONE || theirs != NONE && self.events[theirs].depth > self.events[*mine].depth {
                *mine = theirs;
            }
        }
    }

    pub fn union(&self, a: &[EventId], b: &[EventId]) -> Cut {
        let mut cut = a.to_vec();
        self.add_to(&mut cut, b);
        // Equal configurations are equal cuts.
        while cut.last() == Some(&NONE) {
            cut.pop();
        }
        cut.into()
    }

    /// Events of the first configuration that are not in the second, which it is compatible with as far as single threads go.
    pub fn difference(&self, a: &[EventId], b: &[EventId], mut visit: impl FnMut(&Event) -> bool) -> bool {
        for (thread, &last) in a.iter().enumerate() {
            let known = b.get(thread).copied().unwrap_or(NONE);
            let mut event = last;
            while event != NONE
                && event != known
                && (known == NONE || self.events[event].depth > self.events[known].depth)
            {
                let this = &self.events[event];
                if !visit(this) {
                    return false;
                }
                event = this.pred;
            }
        }
        true
    }

    /// Whether two configurations are parts of one: no event of one excludes an event of the other.
    ///
    /// *Lemma.* Both are closed under causes. If an event of the first that is not in the second and one of the second that is not in
    /// the first are dependent, neither knows of the other, so no configuration has both. Conversely, if no such pair is dependent,
    /// the union is closed under causes and any two dependent events in it are ordered, so it is a configuration.
    /// (With read arcs a read and a write that are dependent may be put in order yet; see [`Unfolding::have_common_order`].)
    pub fn are_compatible(&self, a: &[EventId], b: &[EventId]) -> bool {
        for (&x, &y) in a.iter().zip(b) {
            if x == y || x == NONE || y == NONE {
                continue;
            }
            let (first, last) = if self.events[x].depth <= self.events[y].depth { (x, y) } else { (y, x) };
            if !self.in_chain(first, last) {
                return false;
            }
        }
        let compatible = self.differ_without_conflict(a, b, &mut self.scratch.borrow_mut());
        compatible && (self.arcs == Arcs::Replicated || self.have_common_order(a, b))
    }

    fn differ_without_conflict(&self, a: &[EventId], b: &[EventId], scratch: &mut Scratch) -> bool {
        scratch.round += 1;
        let Scratch { ref mut stamps, round } = *scratch;
        stamps.resize(self.slots.len(), Stamp::default());
        let (mut n_first, mut all) = (0, false);
        self.difference(a, b, |event| {
            n_first += 1;
            all |= event.depends_on_all;
            for used in &event.uses {
                let stamp = &mut stamps[used.slot as usize];
                if stamp.round != round {
                    *stamp = Stamp { round, uses: [0; 3] };
                }
                stamp.uses[used.mode as usize] |= used.bytes;
            }
            true
        });
        if n_first == 0 {
            return true;
        }
        self.difference(b, a, |event| {
            let conflicts = |used: &Use| {
                let stamp = stamps[used.slot as usize];
                let clashes = |mode: Mode| {
                    let theirs = Use { mode, bytes: stamp.uses[mode as usize], ..*used };
                    self.arcs.excludes(used, &theirs)
                };
                stamp.round == round && [Mode::Read, Mode::Share, Mode::Write].into_iter().any(clashes)
            };
            !(all || event.depends_on_all || event.uses.iter().any(conflicts))
        })
    }

    /// The causes of an event that are in the past of no other cause.
    pub fn direct_causes(&self, id: EventId) -> Vec<EventId> {
        let event = &self.events[id];
        let lasts: Vec<EventId> = event.past.iter().copied().filter(|&last| last != id && last != NONE).collect();
        let mut causes: Vec<EventId> =
            lasts.into_iter().chain([event.pred].into_iter().filter(|&pred| pred != NONE)).collect();
        causes.dedup();
        let all = causes.clone();
        causes.retain(|&cause| {
            !all.iter().any(|&other| other != cause && self.contains(&self.events[other].past, cause))
        });
        causes
    }

    /// The event of this point with this history and variant.
    pub fn known(&self, point: PointId, history: &[EventId], variant: u32) -> Option<EventId> {
        let events = self.by_history.get(&After(point, history))?;
        events.iter().find(|event| event.0 == variant).map(|event| event.1)
    }

    /// Whether there is an event of this point with this history, in any variant.
    pub fn is_explored(&self, point: PointId, history: &[EventId]) -> bool {
        self.by_history.contains_key(&After(point, history))
    }

    /// Adds an event that is not known yet. `history` is its past without itself.
    pub fn add_event(&mut self, new: NewEvent, history: Cut) -> EventId {
        let NewEvent { point, variant, uses, replaces, depends_on_all, is_join, is_branch } = new;
        let Point { thread, pred, .. } = self.points[point];
        let id = EventId(self.events.len() as u32);
        let mut past = history.to_vec();
        past.resize(past.len().max(thread.index() + 1), NONE);
        past[thread.index()] = id;
        let (depth, jump) = match pred {
            NONE => (0, id),
            pred => {
                let up = self.events[pred].jump;
                let (d0, d1, d2) =
                    (self.events[pred].depth, self.events[up].depth, self.events[self.events[up].jump].depth);
                (d0 + 1, if d0 - d1 == d1 - d2 && d0 > d1 { self.events[up].jump } else { pred })
            }
        };
        let size =
            1 + history.iter().filter(|&&last| last != NONE).map(|&last| self.events[last].depth + 1).sum::<u32>();
        let n_steps = self.n_steps_before(point) + u32::from(!is_join);
        self.by_history.entry((point, history)).or_default().push((variant, id));
        self.points[point].events.push(id);
        let past: Cut = past.into();
        self.events.push(Event {
            thread,
            point,
            pred,
            jump,
            depth,
            n_steps,
            variant,
            uses,
            replaces,
            depends_on_all,
            is_join,
            is_branch,
            is_cut_off: false,
            past,
            size,
            next: SmallVec::new(),
        });
        match self.points[point].events.len() {
            0..FEW_EVENTS => {}
            FEW_EVENTS => (0..FEW_EVENTS).for_each(|nth| self.index(self.points[point].events[nth])),
            _ => self.index(id),
        }
        id
    }

    fn index(&mut self, id: EventId) {
        let Event { point, thread, .. } = self.events[id];
        for (other, &last) in self.events[id].past.iter().enumerate() {
            if other != thread.index() {
                self.by_last.entry((point, ThreadId(other as u32), last)).or_default().push(id);
            }
        }
        let n_threads = self.events[id].past.len();
        self.by_last.entry((point, beyond(n_threads), NONE)).or_default().push(id);
    }

    /// The events of a point whose pasts fit a configuration as far as this thread goes, which goes on after the configuration in none of them.
    ///
    /// *Lemma.* In an event that is compatible with the configuration and does not know of more of the thread, the thread's last event is one
    /// in the configuration. So it is looked up for each of these, which are few where the events of the point are many.
    pub fn events_beside(&self, point: PointId, cut: &[EventId], thread: ThreadId) -> Vec<EventId> {
        let events = &self.points[point].events;
        if events.len() < FEW_EVENTS || self.points[point].thread == thread {
            return events.clone();
        }
        let mut found = Vec::new();
        let mut last = cut.get(thread.index()).copied().unwrap_or(NONE);
        loop {
            found.extend(self.by_last.get(&(point, thread, last)).into_iter().flatten());
            if last == NONE {
                break;
            }
            last = self.events[last].pred;
        }
        for n_threads in 0..=thread.index() {
            found.extend(self.by_last.get(&(point, beyond(n_threads), NONE)).into_iter().flatten());
        }
        found
    }

    pub fn known_point(&self, thread: ThreadId, pred: EventId, release: EventId) -> Option<PointId> {
        self.by_release.get(&(thread, pred, release)).copied()
    }

    /// Adds a point that is not known yet.
    pub fn add_point(&mut self, thread: ThreadId, pred: EventId, release: EventId, wants: Option<Wants>) -> PointId {
        let past = |event: EventId| if event == NONE { &[][..] } else { &self.events[event].past };
        let base = self.union(past(pred), past(release));
        let id = PointId(self.points.len() as u32);
        self.points.push(Point {
            thread,
            pred,
            release,
            base,
            wants,
            uses: SmallVec::new(),
            depends_on_all: false,
            is_parked: false,
            can_block: false,
            partners: Vec::new(),
            groups: Vec::new(),
            events: Vec::new(),
        });
        if pred == NONE {
            let index = thread.index();
            self.beginnings.resize_with(self.beginnings.len().max(index + 1), Vec::new);
            self.beginnings[index].push(id);
        } else {
            self.events[pred].next.push(id);
        }
        self.by_release.insert((thread, pred, release), id);
        id
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
    pub fn points_after(&self, thread: usize, cut: &[EventId]) -> &[PointId] {
        match cut.get(thread).copied().unwrap_or(NONE) {
            NONE => self.beginnings.get(thread).map_or(&[], Vec::as_slice),
            last => &self.events[last].next,
        }
    }

    /// Where a thread can stand, after what it did in a configuration, as long as this other one does nothing more than what it did there.
    pub fn points_beside(&self, of: ThreadId, cut: &Cut, other: ThreadId) -> Vec<PointId> {
        let mut found = Vec::new();
        let mut points: Vec<PointId> = self.points_after(of.index(), cut).to_vec();
        while let Some(point) = points.pop() {
            // What follows does not fit either.
            if !self.are_compatible(&self.points[point].base, cut) {
                continue;
            }
            found.push(point);
            for event in self.events_beside(point, cut, other) {
                points.extend(self.events[event].next.iter().copied());
            }
        }
        found
    }

    /// Whether a thread has ended at a point.
    pub fn has_ended(&self, point: PointId) -> bool {
        let Point { wants, is_parked, .. } = self.points[point];
        wants.is_none() && !is_parked
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

    /// Whether a step of this point that happens after the event knows of it.
    pub fn is_known_to(&self, point: PointId, event: EventId) -> bool {
        let (point, event) = (&self.points[point], &self.events[event]);
        if event.is_join || event.is_cut_off || point.thread == event.thread {
            return false;
        }
        let causes = |earlier: &Use| point.uses.iter().any(|later| self.arcs.is_cause(earlier, later));
        point.depends_on_all || event.depends_on_all || event.uses.iter().any(causes)
    }

    /// The one use that makes an event known to the step of a point; none if there are several, or if it is no use.
    pub fn reason(&self, point: PointId, event: EventId) -> Option<Use> {
        let (point, event) = (&self.points[point], &self.events[event]);
        if point.depends_on_all || event.depends_on_all {
            return None;
        }
        let is_cause = |earlier: &&Use| point.uses.iter().any(|later| self.arcs.is_cause(earlier, later));
        let mut causes = event.uses.iter().filter(is_cause);
        causes.next().copied().filter(|_| causes.next().is_none())
    }

    /// Whether two events with these reasons are in one configuration only if one of them knows of the other.
    pub fn are_exclusive(&self, a: Option<Use>, b: Option<Use>) -> bool {
        a.zip(b).is_some_and(|(a, b)| self.arcs.excludes(&a, &b))
    }

    /// Whether a step of this point cannot be the next after the event: that took a lock which the step waits for.
    pub fn is_locked_by(&self, point: PointId, event: EventId) -> bool {
        let (point, event) = (&self.points[point], &self.events[event]);
        let locks = |earlier: &Use| {
            earlier.takes_lock && point.uses.iter().any(|later| later.takes_lock && self.arcs.is_cause(earlier, later))
        };
        event.uses.iter().any(locks)
    }
}

/// In place of all threads from this number on, of which an event knows nothing.
fn beyond(n_threads: usize) -> ThreadId {
    ThreadId(u32::MAX - n_threads as u32)
}

/// What is known of an event that is to be added.
pub struct NewEvent {
    pub point: PointId,
    pub variant: u32,
    pub uses: SmallVec<[Use; 2]>,
    pub replaces: SmallVec<[(Use, EventId); 1]>,
    pub depends_on_all: bool,
    pub is_join: bool,
    pub is_branch: bool,
}
