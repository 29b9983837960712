//! The unfolding of the model, cut off at markings that were reached before. Events are added in an adequate order (see `order`).
//!
//! After Kähkönen and Heljanko, *Lightweight state capturing for automated testing of multithreaded programs* (TAP 2014).
//!
//! What a step touches is a guess until it was made once. When it turns out to touch more, histories can show up that are smaller than what was added
//! already. Then the unfolding is built anew from the model, which takes no execution.

use crate::deadlocks::{Answer, Deadlocks, Goal};
use crate::events::{Cut, EventId, NONE, NewEvent, PointId, ROOT, SEVERAL, Unfolding};
use crate::extensions::{Extension, Extensions, What};
use crate::model::{Follows, Moves};
use crate::order::{Key, Queued};
use crate::places::{LocalId, LocalName, Marking, TransitionId};
use crate::questions::{Reached, Way, answer, are_at};
use crate::tester::Tester;
use crate::uses::{Arcs, Use, Uses};
use crate::workers::Jobs;
use gordian_base::{FxHashMap, FxHashSet, Id, IndexVec, ThreadId};
use gordian_engine::Executor;
use gordian_solve::Budget;
use gordian_strategies::happens_before::steps::{Mode, Touch};
use gordian_trace::{Choice, CodePoint, Stop, Test};
use smallvec::SmallVec;
use std::collections::BinaryHeap;
use std::rc::Rc;

/// What an event is in the model.
#[derive(Clone, Copy, Debug)]
enum Fired {
    Step(TransitionId),
    /// A join of this thread, after which its own stands here.
    Join(LocalId, ThreadId),
    /// What the one thread does that is left.
    Ending,
}

/// An event that is to be added.
struct Candidate {
    point: PointId,
    history: Cut,
    fired: Fired,
}

pub struct Prefix {
    unfolding: Unfolding,
    extensions: Extensions,
    fired: IndexVec<EventId, Option<Fired>>,
    levels: IndexVec<EventId, usize>,
    places: IndexVec<PointId, LocalId>,
    queue: BinaryHeap<Queued<Candidate>>,
    queued: FxHashSet<(PointId, Cut, u32)>,
    n_queued: u64,
    last: Option<Rc<Key>>,
    /// By event: the marking that its past leads to with it, in which threads have not learnt of the ends of others yet. None if nothing follows it.
    markings: IndexVec<EventId, Option<Rc<Marking>>>,
    /// These markings, each with the key of the first configuration that leads to it.
    reached: FxHashMap<Rc<Marking>, Rc<Key>>,
}

/// The variants of events that are no steps.
const NO_STEP: u32 = u32::MAX;

impl Prefix {
    fn new(jobs: Jobs) -> Prefix {
        let mut fired = IndexVec::new();
        fired.push(None);
        let mut levels = IndexVec::new();
        levels.push(0);
        let unfolding = Unfolding::new(Arcs::Replicated);
        Prefix {
            unfolding,
            extensions: Extensions::of_all(jobs),
            fired,
            levels,
            places: IndexVec::new(),
            queue: BinaryHeap::new(),
            queued: FxHashSet::default(),
            n_queued: 0,
            last: None,
            markings: IndexVec::new(),
            reached: FxHashMap::default(),
        }
    }

    pub fn unfolding(&self) -> &Unfolding {
        &self.unfolding
    }

    pub fn n_events(&self) -> usize {
        self.unfolding.n_steps()
    }

    pub fn n_left(&self) -> usize {
        self.queue.len()
    }

    fn label(&self, event: EventId) -> u64 {
        match self.fired[event] {
            Some(fired) => label(fired, self.unfolding.events[event].point),
            None => 0,
        }
    }

    /// The key of a configuration with one more event.
    fn key(&self, history: &[EventId], new: u64) -> Key {
        let events = self.unfolding.events_of(history, &[]);
        let others = events.iter().map(|&event| (self.label(event), self.levels[event]));
        Key::new(others.chain([(new, self.level_after(history))]))
    }

    /// The level of an event with this history. Levels grow along causes, so the last events of threads tell.
    fn level_after(&self, history: &[EventId]) -> usize {
        let lasts = history.iter().filter(|&&last| last != NONE);
        1 + lasts.map(|&last| self.levels[last]).max().unwrap_or(0)
    }

    /// What a step touches. A marking tells who holds a lock to read and how many units a semaphore has, and each step is known by what it found. So such steps
    /// do not commute here, although they do in an execution. Nor do accesses to different bytes of one cell (see [`crate::model::Model::cells`]): what it holds has the
    /// name of its last write.
    fn uses(&mut self, touches: &[Touch]) -> Uses {
        let mut uses = self.unfolding.uses(touches);
        for used in &mut uses {
            if used.mode == Mode::Share {
                used.mode = Mode::Write;
            }
            used.bytes = whole_halves(used.bytes);
        }
        let mut known = Uses::new();
        uses.retain(|used| {
            let is_new = !known.contains(used);
            known.push(*used);
            is_new
        });
        uses
    }

    /// Of each write of a step with this history: what it replaces.
    fn replaced(&self, history: &[EventId], uses: &[Use]) -> SmallVec<[EventId; 8]> {
        let replaced = |written: &Use| {
            let (mut last, mut is_one) = (NONE, true);
            self.unfolding.visit_after(history, &[], |event| {
                let mut earlier = self.unfolding.uses_of(event).iter();
                if let Some(old) = earlier.find(|old| old.slot == written.slot && old.mode != Mode::Read) {
                    is_one &= old.mode == Mode::Write && old.bytes == written.bytes;
                    // Writes of the same bytes know of each other.
                    if last == NONE || self.unfolding.events[event].size > self.unfolding.events[last].size {
                        last = event;
                    }
                }
                is_one
            });
            if is_one { last } else { SEVERAL }
        };
        uses.iter().filter(|used| used.mode == Mode::Write).map(replaced).collect()
    }

    /// Takes in a marking: where it is kept, and whether a configuration with a lesser key leads to it.
    fn reach(&mut self, marking: Marking, key: &Rc<Key>) -> (Rc<Marking>, bool) {
        if let Some((known, first)) = self.reached.get_key_value(&marking) {
            return (Rc::clone(known), first < key);
        }
        let marking = Rc::new(marking);
        self.reached.insert(Rc::clone(&marking), Rc::clone(key));
        (marking, false)
    }

    /// Of the last events of a configuration, one with the largest past whose marking is known.
    fn largest(&self, cut: &[EventId]) -> EventId {
        let lasts = cut.iter().copied().filter(|&last| last != NONE && self.markings[last].is_some());
        lasts.max_by_key(|&last| (self.unfolding.events[last].size, last)).unwrap_or(ROOT)
    }

    /// The choices that lead to a configuration.
    fn path(&self, cut: &[EventId]) -> Vec<Choice> {
        let choice = |&event: &EventId| match self.fired[event] {
            Some(Fired::Step(_)) => {
                let event = &self.unfolding.events[event];
                Some(Choice { thread: event.thread, variant: event.variant })
            }
            _ => None,
        };
        self.unfolding.sorted(cut).iter().filter_map(choice).collect()
    }
}

/// All bytes of the halves of a word that some of these bytes are in.
fn whole_halves(bytes: u8) -> u8 {
    [0x0f, 0xf0].into_iter().filter(|half| bytes & half != 0).fold(0, |all, half| all | half)
}

fn label(fired: Fired, point: PointId) -> u64 {
    match fired {
        Fired::Step(transition) => u64::from(transition.0) << 2,
        Fired::Join(place, _) => u64::from(place.0) << 2 | 1,
        Fired::Ending => u64::from(point.0) << 2 | 2,
    }
}

/// Why the unfolding under way is given up.
enum Break {
    Stop(Stop),
    /// Steps touch more than was known.
    Again,
}

impl<E: Executor> Tester<'_, E> {
    pub fn explore_prefix(&mut self) -> (Stop, Prefix) {
        if let Some(stop) = self.test(&[], None) {
            return (stop, Prefix::new(self.jobs));
        }
        loop {
            let mut prefix = Prefix::new(self.jobs);
            (self.n_cut_off, self.n_blocked) = (0, 0);
            match self.unfold(&mut prefix) {
                Err(Break::Stop(stop)) => return (stop, prefix),
                Err(Break::Again) => {}
                Ok(()) => match self.find_stuck(&mut prefix) {
                    Err(Break::Stop(stop)) => return (stop, prefix),
                    Err(Break::Again) => {}
                    Ok(()) => return (Stop::Exhausted, prefix),
                },
            }
        }
    }

    fn unfold(&mut self, prefix: &mut Prefix) -> Result<(), Break> {
        let initial = self.prober.initial().clone();
        let first = Rc::new(initial.clone());
        prefix.markings.push(Some(Rc::clone(&first)));
        prefix.reached.insert(first, Rc::new(Key::new([])));
        let threads = initial.threads.iter().enumerate();
        let born = threads.filter(|(_, place)| **place != crate::places::UNBORN);
        let points: Vec<PointId> = born
            .map(|(thread, &place)| {
                let thread = ThreadId(thread as u32);
                let pred = if thread == ThreadId::MAIN { ROOT } else { NONE };
                self.add_point(prefix, thread, pred, ROOT, place)
            })
            .collect();
        prefix.extensions.take_known(&mut prefix.unfolding, &points, &[]);
        loop {
            while let Some(extension) = prefix.extensions.pop(&prefix.unfolding) {
                self.consider(prefix, &extension)?;
            }
            let Some(Queued { key, item, .. }) = prefix.queue.pop() else { return Ok(()) };
            if prefix.last.as_ref().is_some_and(|last| key < **last) {
                return Err(Break::Again);
            }
            let key = Rc::new(key);
            prefix.last = Some(Rc::clone(&key));
            self.add(prefix, item, &key)?;
            if let Some(stop) = self.gathering.must_stop() {
                return Err(Break::Stop(stop));
            }
        }
    }

    fn add_point(
        &mut self,
        prefix: &mut Prefix,
        thread: ThreadId,
        pred: EventId,
        release: EventId,
        place: LocalId,
    ) -> PointId {
        let local = &self.model.locals[place];
        let id = prefix.unfolding.add_point(thread, pred, release, local.wants);
        let uses = prefix.uses(&local.touches);
        prefix.unfolding.expect(id, &uses);
        if local.depends_on_all {
            prefix.unfolding.expect_anything(id);
        }
        let point = &mut prefix.unfolding.points[id];
        point.can_block = local.can_block;
        point.is_parked = local.is_parked || local.wants.is_none() && local.ended.is_none();
        prefix.places.push(place);
        id
    }

    /// The marking that a configuration leads to, in which threads have not learnt of the ends of others yet. All but the past of one event is done again.
    fn marking_of(&mut self, prefix: &Prefix, cut: &[EventId]) -> Marking {
        let largest = prefix.largest(cut);
        let known = prefix.markings[largest].as_deref().expect("it is known");
        let mut marking = known.clone();
        for event in prefix.unfolding.sorted_after(cut, prefix.unfolding.past(largest)) {
            let fired = prefix.fired[event].expect("only the root is nothing in the model");
            self.fire(&mut marking, fired, prefix.unfolding.events[event].thread);
        }
        marking
    }

    /// What an event of this thread does to a marking.
    fn fire(&mut self, marking: &mut Marking, fired: Fired, thread: ThreadId) {
        match fired {
            Fired::Step(transition) => self.model.apply(marking, transition),
            Fired::Join(place, target) => {
                marking.set_thread(thread, place);
                self.model.bury(marking, target);
            }
            Fired::Ending => {}
        }
    }

    /// As [`Tester::marking_of`], with all that follows by itself.
    fn settled(&mut self, prefix: &Prefix, cut: &[EventId]) -> Result<Marking, Break> {
        let marking = self.marking_of(prefix, cut);
        self.settle(prefix, cut, &marking)
    }

    /// What follows by itself at the marking of a configuration.
    fn settle(&mut self, prefix: &Prefix, cut: &[EventId], marking: &Marking) -> Result<Marking, Break> {
        loop {
            let mut settled = marking.clone();
            if self.model.settle(&mut settled) {
                return Ok(settled);
            }
            if let Some(stop) = self.learn(&prefix.path(cut), None) {
                return Err(Break::Stop(stop));
            }
        }
    }

    /// What the step of an extension is after its history.
    fn consider(&mut self, prefix: &mut Prefix, extension: &Extension) -> Result<(), Break> {
        let Extension { point, history, what } = extension;
        let n_surprises = self.model.n_surprises;
        match what {
            What::Join => self.consider_join(prefix, *point, history)?,
            What::Step | What::Variant(_) | What::Look => self.consider_step(prefix, *point, history)?,
        }
        if self.model.n_surprises != n_surprises {
            return Err(Break::Again);
        }
        Ok(())
    }

    fn consider_join(&mut self, prefix: &mut Prefix, point: PointId, history: &Cut) -> Result<(), Break> {
        let place = prefix.places[point];
        let target = self.model.locals[place].awaits.expect("who joins waits for somebody");
        while self.model.locals[place].asks.is_none() {
            if let Some(stop) = self.learn(&prefix.path(history), None) {
                return Err(Break::Stop(stop));
            }
        }
        let end = self.marking_of(prefix, history).thread(target);
        let result = self.model.locals[end].ended.filter(|_| self.model.locals[place].asks == Some(true));
        let joined = self.model.local(LocalName::Joined(place, target, result));
        enqueue(prefix, point, history.clone(), NO_STEP, Fired::Join(joined, target));
        Ok(())
    }

    fn consider_step(&mut self, prefix: &mut Prefix, point: PointId, history: &Cut) -> Result<(), Break> {
        let thread = prefix.unfolding.points[point].thread;
        let settled = self.settled(prefix, history)?;
        if self.model.present(&settled).len() <= 1 {
            self.show_ending(prefix, history, &settled)?;
            enqueue(prefix, point, history.clone(), NO_STEP, Fired::Ending);
            return Ok(());
        }
        let moves = loop {
            match self.model.moves_of(thread, &settled) {
                Moves::Known(moves) => break moves,
                Moves::Ended => break Vec::new(),
                Moves::Unknown(step) => {
                    if let Some(stop) = self.learn(&prefix.path(history), step) {
                        return Err(Break::Stop(stop));
                    }
                }
            }
        };
        self.n_blocked += u64::from(moves.is_empty());
        for (choice, transition) in moves {
            if self.is_beyond_bound(choice, &settled) {
                continue;
            }
            let known = self.known_history(prefix, point, history, transition);
            enqueue(prefix, point, known, choice.variant, Fired::Step(transition));
        }
        Ok(())
    }

    /// The part of a history that a step knows of.
    fn known_history(&mut self, prefix: &mut Prefix, point: PointId, history: &Cut, transition: TransitionId) -> Cut {
        let made = &self.model.transitions[transition];
        if made.depends_on_all {
            return history.clone();
        }
        let uses = prefix.uses(&made.touches);
        let unfolding = &prefix.unfolding;
        let base = Cut::from(unfolding.base(point));
        let is_cause = |event: &&EventId| {
            let causes = |earlier| uses.iter().any(|later| unfolding.arcs.is_cause(earlier, later));
            unfolding.events[**event].depends_on_all || unfolding.uses_of(**event).iter().any(causes)
        };
        let others = unfolding.events_of(history, &base);
        let causes = others.iter().filter(is_cause);
        let mut known = base.to_vec();
        causes.for_each(|&cause| unfolding.add_to(&mut known, unfolding.past(cause)));
        unfolding.union(&known, &[])
    }

    /// One thread at most is left: what it does is known, or shown by an execution.
    fn show_ending(&mut self, prefix: &Prefix, cut: &[EventId], settled: &Marking) -> Result<(), Break> {
        if let Moves::Unknown(_) = self.model.moves(settled) {
            if let Some(stop) = self.test(&prefix.path(cut), None) {
                return Err(Break::Stop(stop));
            }
            self.model.endings.insert(settled.clone());
        }
        Ok(())
    }

    fn add(&mut self, prefix: &mut Prefix, candidate: Candidate, key: &Rc<Key>) -> Result<(), Break> {
        let Candidate { point, history, fired } = candidate;
        let (variant, uses, depends_on_all, is_branch, ends) = match fired {
            Fired::Step(transition) => {
                let made = &self.model.transitions[transition];
                let uses = prefix.uses(&made.touches);
                (made.choice.variant, uses, made.depends_on_all, made.is_branch, made.ends)
            }
            Fired::Join(..) => (0, [].into_iter().collect(), false, false, false),
            Fired::Ending => (NO_STEP, [].into_iter().collect(), true, false, true),
        };
        let is_join = matches!(fired, Fired::Join(..));
        let level = prefix.level_after(&history);
        let mut marking = self.marking_of(prefix, &history);
        let replaced = &prefix.replaced(&history, &uses);
        let new = NewEvent { point, variant, uses: &uses, replaced, depends_on_all, is_join, is_branch };
        let event = prefix.unfolding.add_event(new, &history);
        prefix.fired.push(Some(fired));
        prefix.levels.push(level);
        if ends {
            prefix.unfolding.events[event].is_cut_off = true;
            prefix.markings.push(None);
            return Ok(());
        }
        self.fire(&mut marking, fired, prefix.unfolding.points[point].thread);
        // Of configurations with equal keys neither is less than the other, so neither cuts the other off.
        let (marking, is_cut_off) = prefix.reach(marking, key);
        if is_cut_off {
            prefix.unfolding.events[event].is_cut_off = true;
            prefix.markings.push(None);
            self.n_cut_off += 1;
            return Ok(());
        }
        prefix.markings.push(Some(Rc::clone(&marking)));
        let past = Cut::from(prefix.unfolding.past(event));
        let settled = self.settle(prefix, &past, &marking)?;
        if self.model.present(&settled).len() <= 1 {
            return self.show_ending(prefix, &past, &settled);
        }
        let mut moved = vec![prefix.unfolding.events[event].thread];
        if let Fired::Step(transition) = fired {
            moved.extend(self.model.transitions[transition].follows.iter().filter_map(|follows| match *follows {
                Follows::Begins(thread, _) | Follows::IsReleased(thread) | Follows::GoesOn(thread, _) => Some(thread),
                Follows::IsJoined(_) => None,
            }));
        }
        let mut points = Vec::new();
        for thread in moved {
            let pred = past.get(thread.index()).copied().unwrap_or(NONE);
            points.push(self.add_point(prefix, thread, pred, event, marking.thread(thread)));
        }
        prefix.extensions.take_known(&mut prefix.unfolding, &points, &[event]);
        Ok(())
    }

    /// Whether threads can be at these places at once.
    pub fn find_places(
        &mut self,
        prefix: &mut Prefix,
        sets: &[Vec<CodePoint>],
        template: &Test,
    ) -> Result<Reached, Stop> {
        let cut_off = |event: EventId| prefix.unfolding.events[event].is_cut_off;
        let mut question = Deadlocks::new(&prefix.unfolding, cut_off, Goal::At(sets));
        let budget = Budget { stop: Some(self.gathering.interrupt()), ..Budget::UNLIMITED };
        let way = loop {
            match question.next(&prefix.unfolding, &budget) {
                Answer::None => break Ok(None),
                Answer::Unknown => break Err(()),
                Answer::Found(cut) => {
                    let positions = question.positions();
                    let is_there = self.prober.go_to(&mut self.model, &prefix.path(&cut));
                    if is_there && are_at(&self.prober.machine, sets) {
                        break Ok(Some(Way::to_present(&mut self.prober.machine)));
                    }
                    question.exclude_positions(&positions);
                }
            }
        };
        answer(way, &mut self.gathering, template)
    }

    /// Asks the prefix for configurations after which nobody can go on. Each marking is that of some configuration without events
    /// that are cut off.
    fn find_stuck(&mut self, prefix: &mut Prefix) -> Result<(), Break> {
        // Every local state of a thread is in the prefix with all steps that lead to it. What threads do when they are alone is not, but was executed.
        prefix.unfolding.takes_locks_unseen = self.prober.takes_locks_unseen;
        let cut_off = |event: EventId| prefix.unfolding.events[event].is_cut_off;
        let mut question = Deadlocks::new(&prefix.unfolding, cut_off, Goal::Stuck);
        let budget = Budget { stop: Some(self.gathering.interrupt()), ..Budget::UNLIMITED };
        loop {
            match question.next(&prefix.unfolding, &budget) {
                Answer::None => return Ok(()),
                Answer::Unknown => {
                    return Err(Break::Stop(self.gathering.must_stop_now().unwrap_or(Stop::Interrupted)));
                }
                Answer::Found(cut) => {
                    let (places, positions) = (question.places(&prefix.unfolding), question.positions());
                    let settled = self.settled(prefix, &cut)?;
                    let moves = self.moves_at(&settled, &prefix.path(&cut)).map_err(Break::Stop)?;
                    if moves.is_empty()
                        && self.model.is_anybody_left(&settled)
                        && self.model.present(&settled).len() > 1
                    {
                        question.exclude(&prefix.unfolding, &places);
                    } else {
                        question.exclude_positions(&positions);
                    }
                }
            }
        }
    }
}

/// Adds an event to those that wait to be added, once.
fn enqueue(prefix: &mut Prefix, point: PointId, history: Cut, variant: u32, fired: Fired) {
    if prefix.unfolding.known(point, &history, variant).is_some()
        || !prefix.queued.insert((point, history.clone(), variant))
    {
        return;
    }
    let key = prefix.key(&history, label(fired, point));
    let number = prefix.n_queued;
    prefix.n_queued += 1;
    prefix.queue.push(Queued { key, number, item: Candidate { point, history, fired } });
}
