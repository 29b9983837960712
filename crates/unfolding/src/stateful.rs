//! The unfolding of the model, cut off at markings that were reached before. Events are added in an adequate order (see `order`).
//!
//! After Kähkönen and Heljanko, *Lightweight state capturing for automated testing of multithreaded programs* (TAP 2014).
//!
//! What a step touches is a guess until it was made once. When it turns out to touch more, histories can show up that are smaller than what was added
//! already. Then the unfolding is built anew from the model, which takes no execution.

use crate::deadlocks::{Answer, Deadlocks, Goal};
use crate::events::{Cut, EventId, NONE, NewEvent, PointId, ROOT, Unfolding};
use crate::extensions::{Extension, Extensions, What};
use crate::model::{Follows, Moves};
use crate::order::{Key, Queued};
use crate::places::{LocalId, LocalName, Marking, TransitionId};
use crate::questions::{Reached, Way, answer, are_at};
use crate::tester::Tester;
use crate::uses::Arcs;
use crate::workers::Jobs;
use gordian_base::{FxHashMap, FxHashSet, Id, IndexVec, ThreadId};
use gordian_engine::Executor;
use gordian_solve::Budget;
use gordian_trace::{Choice, CodePoint, Stop, Test};
use std::collections::BinaryHeap;

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
    last: Option<Key>,
    /// The markings that configurations of events lead to, each with the key of the first one.
    reached: FxHashMap<Marking, Key>,
}

/// The variants of events that are no steps.
const NO_STEP: u32 = u32::MAX;

impl Prefix {
    fn new(jobs: Jobs) -> Prefix {
        let mut fired = IndexVec::new();
        fired.push(None);
        let mut levels = IndexVec::new();
        levels.push(0);
        let mut unfolding = Unfolding::new(Arcs::Replicated);
        // The model does not tell what a thread does when it is alone.
        unfolding.takes_locks_unseen = true;
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
        let events = self.unfolding.sorted(history);
        let level = 1 + events.iter().map(|&event| self.levels[event]).max().unwrap_or(0);
        let others = events.iter().map(|&event| (self.label(event), self.levels[event]));
        Key::new(others.chain([(new, level)]))
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
        prefix.reached.insert(initial.clone(), Key::new([]));
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
            if prefix.last.as_ref().is_some_and(|last| key < *last) {
                return Err(Break::Again);
            }
            prefix.last = Some(key.clone());
            self.add(prefix, item, key)?;
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
        let uses = prefix.unfolding.uses(&local.touches);
        prefix.unfolding.expect(id, &uses);
        let point = &mut prefix.unfolding.points[id];
        point.depends_on_all = local.depends_on_all;
        point.can_block = local.can_block;
        point.is_parked = local.is_parked || local.wants.is_none() && local.ended.is_none();
        prefix.places.push(place);
        id
    }

    /// The marking that a configuration leads to, in which threads have not learnt of the ends of others yet.
    fn marking_of(&mut self, prefix: &Prefix, cut: &[EventId]) -> Marking {
        let mut marking = self.prober.initial().clone();
        for event in prefix.unfolding.sorted(cut) {
            match prefix.fired[event] {
                Some(Fired::Step(transition)) => self.model.apply(&mut marking, transition),
                Some(Fired::Join(place, target)) => {
                    marking.set_thread(prefix.unfolding.events[event].thread, place);
                    self.model.bury(&mut marking, target);
                }
                Some(Fired::Ending) | None => {}
            }
        }
        marking
    }

    /// As [`Tester::marking_of`], with all that follows by itself.
    fn settled(&mut self, prefix: &Prefix, cut: &[EventId]) -> Result<Marking, Break> {
        let marking = self.marking_of(prefix, cut);
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
        let uses = prefix.unfolding.uses(&made.touches);
        let unfolding = &prefix.unfolding;
        let base = Cut::from(unfolding.base(point));
        let is_cause = |event: &&EventId| {
            let causes = |earlier| uses.iter().any(|later| unfolding.arcs.is_cause(earlier, later));
            unfolding.events[**event].depends_on_all || unfolding.uses_of(**event).iter().any(causes)
        };
        let sorted = unfolding.sorted(history);
        let causes = sorted.iter().filter(is_cause);
        causes.fold(base, |history, &cause| unfolding.union(&history, unfolding.past(cause)))
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

    fn add(&mut self, prefix: &mut Prefix, candidate: Candidate, key: Key) -> Result<(), Break> {
        let Candidate { point, history, fired } = candidate;
        let (variant, uses, depends_on_all, is_branch, ends) = match fired {
            Fired::Step(transition) => {
                let made = &self.model.transitions[transition];
                let uses = prefix.unfolding.uses(&made.touches);
                (made.choice.variant, uses, made.depends_on_all, made.is_branch, made.ends)
            }
            Fired::Join(..) => (0, [].into_iter().collect(), false, false, false),
            Fired::Ending => (NO_STEP, [].into_iter().collect(), true, false, true),
        };
        let is_join = matches!(fired, Fired::Join(..));
        let level = 1 + prefix.unfolding.sorted(&history).iter().map(|&event| prefix.levels[event]).max().unwrap_or(0);
        let new = NewEvent { point, variant, uses: &uses, replaced: &[], depends_on_all, is_join, is_branch };
        let event = prefix.unfolding.add_event(new, &history);
        prefix.fired.push(Some(fired));
        prefix.levels.push(level);
        if ends {
            prefix.unfolding.events[event].is_cut_off = true;
            return Ok(());
        }
        let past = Cut::from(prefix.unfolding.past(event));
        let marking = self.marking_of(prefix, &past);
        // Of configurations with equal keys neither is less than the other, so neither cuts the other off.
        let first = prefix.reached.entry(marking.clone()).or_insert_with(|| key.clone());
        if *first < key {
            prefix.unfolding.events[event].is_cut_off = true;
            self.n_cut_off += 1;
            return Ok(());
        }
        let settled = self.settled(prefix, &past)?;
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
