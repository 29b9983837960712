//! Deadlocks, asked of the finished unfolding.
//!
//! Every event was in some execution, but two threads that block each other need not have met in one. So a SAT solver is asked for a
//! configuration after which nobody can go on. Causes are clauses from the beginning. So is what concerns locations that are only written, such as
//! locks: the writes of one form a tree, in which each replaces another, and a configuration has a path of it. That other events exclude each other, and that a thread
//! could go on after all, is told to the solver only where one of its answers gets it wrong. What remains is executed.
//!
//! *Lemma.* Once the unfolding is finished, a thread that stands at a point of a configuration can make its step exactly if there is an event of
//! that point whose history is the point's base and the partners in the configuration, with their pasts: all else in
//! the configuration is independent of the step.

use crate::events::{Cut, EventId, NONE, PointId, ROOT, Unfolding};
use crate::holds::is_free_of_deadlocks;
use crate::run::is_always_possible;
use crate::uses::Use;
use gordian_base::{FxBuildHasher, FxHashMap, FxHashSet, Id, ThreadId};
use gordian_solve::{Batsat, Budget, Literal, SatAnswer, SatCore};
use gordian_strategies::happens_before::steps::Mode;
use gordian_trace::{CodePoint, OpKind, Wants};
use indexmap::IndexMap;

/// Where each thread stands.
pub type Places = Vec<(ThreadId, Spot)>;

/// A thread's part in a deadlock, as far as two of them are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// Before this instruction.
    At(CodePoint),
    /// It waits on a condition variable after signals, which it may have lost or not: that is told by its point.
    Waits(PointId),
}

/// What the solver came to.
pub enum Answer {
    /// A configuration that is such.
    Found(Cut),
    /// There is none but those that were excluded.
    None,
    /// The solver was stopped.
    Unknown,
}

/// What a configuration is to be like.
#[derive(Clone, Copy)]
pub enum Goal<'g> {
    /// Nobody can go on after it.
    Stuck,
    /// Different threads stand before instructions of all these sets.
    At(&'g [Vec<CodePoint>]),
}

pub struct Deadlocks {
    sat: Batsat,
    events: Vec<Literal>,
    /// By point: its thread stands there.
    stands: Vec<Literal>,
    /// A thread stands before this instruction.
    places: FxHashMap<(ThreadId, CodePoint), Literal>,
    can_exist: bool,
    wants_stuck: bool,
}

/// By location and write: that it was replaced.
#[derive(Default)]
struct Trees {
    replaced: FxHashMap<(u32, EventId), Literal>,
    /// Locations that events write.
    written: FxHashSet<u32>,
}

/// Groups of events of which one at most can happen are written as pairs up to this size.
const PAIRS: usize = 6;

impl Deadlocks {
    /// `is_left_out` tells joins that lead to nothing, and of which not all were seen.
    pub fn new(unfolding: &Unfolding, is_left_out: impl Fn(EventId) -> bool, goal: Goal<'_>) -> Deadlocks {
        let wants_stuck = matches!(goal, Goal::Stuck);
        let is_blocked_somewhere = || unfolding.points.ids().any(|point| is_blockable(unfolding, point));
        let can_exist = !wants_stuck || is_blocked_somewhere() && !is_free_of_deadlocks(unfolding);
        let (sat, events, stands, places) = (Batsat::new(), Vec::new(), Vec::new(), FxHashMap::default());
        let mut question = Deadlocks { sat, events, stands, places, can_exist, wants_stuck };
        if !can_exist {
            return question;
        }
        question.events = unfolding.events.ids().map(|_| question.sat.new_variable()).collect();
        question.stands = unfolding.points.ids().map(|_| question.sat.new_variable()).collect();
        question.sat.add_clause(&[question.events[ROOT.index()]]);
        for (id, event) in unfolding.events.enumerate().skip(1) {
            let made = question.events[id.index()];
            if is_left_out(id) {
                question.sat.add_clause(&[!made]);
            }
            let others = unfolding.past(id).iter().copied().filter(|&last| last != id).chain([event.pred]);
            for cause in others.filter(|&cause| cause != NONE) {
                question.sat.add_clause(&[!made, question.events[cause.index()]]);
            }
        }
        question.state_positions(unfolding);
        let trees = question.state_trees(unfolding);
        match goal {
            Goal::Stuck => {
                question.want_stuck(unfolding);
                question.let_go_on(unfolding, &trees);
            }
            Goal::At(sets) => question.want_at(unfolding, sets),
        }
        question
    }

    /// Somebody stands where it can be blocked.
    fn want_stuck(&mut self, unfolding: &Unfolding) {
        let blockable = unfolding.points.ids().filter(|&point| is_blockable(unfolding, point));
        let blockable: Vec<Literal> = blockable.map(|point| self.stands[point.index()]).collect();
        self.sat.add_clause(&blockable);
    }

    /// Of the events that replace the same write, one at most has happened. For each write of a location that all events write as a whole: that it was replaced.
    ///
    /// *Lemma.* Two events that write the same bytes of a location are dependent, so in a configuration one of them knows of the other, and what it
    /// replaces is that one or a later write.
    fn state_trees(&mut self, unfolding: &Unfolding) -> Trees {
        let mut children: IndexMap<(u32, u8, EventId), Vec<EventId>, FxBuildHasher> = IndexMap::default();
        // By location: the bytes that all events write; none if some do not.
        let mut whole: FxHashMap<u32, Option<u8>> = FxHashMap::default();
        for id in unfolding.events.ids().skip(1) {
            for (used, replaced) in unfolding.replaces(id) {
                children.entry((used.slot, used.bytes, replaced)).or_default().push(id);
            }
            let uses = unfolding.uses_of(id);
            for (nth, used) in uses.iter().enumerate() {
                let is_only = uses.iter().enumerate().all(|(other, use_)| other == nth || use_.slot != used.slot);
                let is_in_tree = unfolding.replaces(id).any(|(written, _)| written.slot == used.slot);
                let bytes = Some(used.bytes).filter(|_| is_only && is_in_tree);
                let known = *whole.entry(used.slot).or_insert(bytes);
                whole.insert(used.slot, known.filter(|_| known == bytes));
            }
        }
        let mut trees = Trees::default();
        let all = unfolding.events.ids().flat_map(|event| unfolding.uses_of(event));
        for used in all.filter(|used| used.mode != Mode::Read) {
            trees.written.insert(used.slot);
        }
        // Locations that are always written together, such as the words of a lock, have the same tree.
        let mut stated: FxHashMap<(EventId, Vec<EventId>), Literal> = FxHashMap::default();
        for ((slot, _, replaced), events) in children {
            let group = (replaced, events);
            let any = stated.get(&group).copied().unwrap_or_else(|| {
                let events: Vec<Literal> = group.1.iter().map(|event| self.events[event.index()]).collect();
                self.at_most_one(&events);
                let any = self.sat.new_variable();
                let clause: Vec<Literal> = events.into_iter().chain([!any]).collect();
                self.sat.add_clause(&clause);
                any
            });
            stated.insert(group, any);
            if whole.get(&slot).copied().flatten().is_some() {
                trees.replaced.insert((slot, replaced), any);
            }
        }
        trees
    }

    /// States where threads can go on.
    ///
    /// *Lemma.* If all that the step of a point depends on are locations which all events write as a whole, its history is the point's base and the pasts of their last
    /// writes. So an event of the point that replaces some writes can happen if its thread stands there and nobody replaced these yet, unless something has
    /// happened that everything depends on.
    fn let_go_on(&mut self, unfolding: &Unfolding, trees: &Trees) {
        // Whoever is within an atomic section holds up all others.
        let begins_section = |wants: Wants| wants.kind == OpKind::AtomicBegin;
        if unfolding.points.ids().any(|point| unfolding.wants(point).is_some_and(begins_section)) {
            return;
        }
        // Something has happened that everything depends on.
        let everything = self.sat.new_variable();
        let all = unfolding.events.enumerate().filter(|(_, event)| event.depends_on_all);
        let any: Vec<Literal> = all.map(|(id, _)| self.events[id.index()]).chain([!everything]).collect();
        self.sat.add_clause(&any);
        for (id, point) in unfolding.points.enumerate().filter(|(_, point)| !point.is_parked) {
            let stands = self.stands[id.index()];
            let is_possible = |wants: Wants| is_always_possible(wants.kind) && wants.kind != OpKind::Yield;
            if !point.can_block && unfolding.wants(id).is_some_and(is_possible) {
                self.sat.add_clause(&[!stands]);
                continue;
            }
            // Whoever waits for the end of a thread depends on no location.
            let uses = unfolding.expected(id);
            if point.depends_on_all || !uses.iter().any(|used| trees.written.contains(&used.slot)) {
                continue;
            }
            let is_such = |id: EventId| {
                let event = &unfolding.events[id];
                !event.depends_on_all && !event.is_join && is_same(unfolding.uses_of(id), uses)
            };
            for event in unfolding.events_of_point(id).filter(|&event| is_such(event)) {
                let replaces = |wanted: &Use| unfolding.replaces(event).find(|(used, _)| used.slot == wanted.slot);
                let mut clause = vec![!stands, everything];
                let is_stated = uses.iter().filter(|used| trees.written.contains(&used.slot)).all(|wanted| {
                    let Some((used, replaced)) = replaces(wanted) else { return false };
                    let Some(&any) = trees.replaced.get(&(used.slot, replaced)) else { return false };
                    let made = (replaced != NONE).then(|| !self.events[replaced.index()]);
                    clause.extend(
                        [any].into_iter().chain(made).filter(|literal| !clause.contains(literal)).collect::<Vec<_>>(),
                    );
                    true
                });
                if is_stated {
                    self.sat.add_clause(&clause);
                }
            }
        }
    }

    /// A thread for each set, no thread for two.
    fn want_at(&mut self, unfolding: &Unfolding, sets: &[Vec<CodePoint>]) {
        let mut of_threads: FxHashMap<(usize, ThreadId), Literal> = FxHashMap::default();
        for (nth, set) in sets.iter().enumerate() {
            let mut any = Vec::new();
            for (id, point) in unfolding.points.enumerate().filter(|(id, _)| set.contains(&unfolding.place(*id))) {
                let chosen = self.sat.new_variable();
                self.sat.add_clause(&[!chosen, self.stands[id.index()]]);
                let sat = &mut self.sat;
                let of_thread = *of_threads.entry((nth, point.thread)).or_insert_with(|| sat.new_variable());
                self.sat.add_clause(&[!chosen, of_thread]);
                for other in (0..nth).filter_map(|other| of_threads.get(&(other, point.thread)).copied()) {
                    self.sat.add_clause(&[!of_thread, !other]);
                }
                any.push(chosen);
            }
            self.can_exist &= !any.is_empty();
            self.sat.add_clause(&any);
        }
    }

    /// Where each thread stands follows from the events that have happened.
    fn state_positions(&mut self, unfolding: &Unfolding) {
        let mut after: FxHashMap<(ThreadId, EventId), Vec<Literal>> = FxHashMap::default();
        let mut groups = Vec::new();
        for (id, event) in unfolding.events.enumerate().skip(1) {
            let children = after.entry((event.thread, event.pred)).or_default();
            if children.is_empty() {
                groups.push((event.thread, event.pred));
            }
            children.push(self.events[id.index()]);
        }
        for group in groups {
            let children = after[&group].clone();
            self.at_most_one(&children);
        }
        for (id, point) in unfolding.points.enumerate() {
            let stands = self.stands[id.index()];
            let children = after.get(&(point.thread, point.pred)).map_or(&[][..], Vec::as_slice);
            let mut otherwise = vec![stands];
            for needed in [point.pred, point.release].into_iter().filter(|&needed| needed != NONE) {
                let needed = self.events[needed.index()];
                self.sat.add_clause(&[!stands, needed]);
                otherwise.push(!needed);
            }
            for &child in children {
                self.sat.add_clause(&[!stands, !child]);
                otherwise.push(child);
            }
            self.sat.add_clause(&otherwise);
            let sat = &mut self.sat;
            let place = *self.places.entry((point.thread, unfolding.place(id))).or_insert_with(|| sat.new_variable());
            self.sat.add_clause(&[!stands, place]);
        }
    }

    fn at_most_one(&mut self, literals: &[Literal]) {
        let mut left = literals.to_vec();
        while left.len() > PAIRS {
            // One of the first, one of the rest, and not both.
            let rest = left.split_off(PAIRS - 1);
            let among_rest = self.sat.new_variable();
            for &literal in &rest {
                self.sat.add_clause(&[!literal, among_rest]);
            }
            left.push(among_rest);
            self.no_pair(&left);
            left = rest;
        }
        self.no_pair(&left);
    }

    fn no_pair(&mut self, literals: &[Literal]) {
        for (index, &a) in literals.iter().enumerate() {
            for &b in &literals[index + 1..] {
                self.sat.add_clause(&[!a, !b]);
            }
        }
    }

    /// The next configuration after which nobody can go on.
    pub fn next(&mut self, unfolding: &Unfolding, budget: &Budget) -> Answer {
        if !self.can_exist {
            return Answer::None;
        }
        loop {
            match self.sat.solve(&[], budget) {
                SatAnswer::Unsat => return Answer::None,
                SatAnswer::Unknown => return Answer::Unknown,
                SatAnswer::Sat => {}
            }
            let mut made: Vec<EventId> =
                unfolding.events.ids().filter(|id| self.sat.value(self.events[id.index()])).collect();
            made.sort_unstable_by_key(|&event| (unfolding.events[event].size, event));
            if self.refuse_conflicts(unfolding, &made) {
                continue;
            }
            let cut = made.iter().fold(Cut::from([ROOT]), |cut, &event| unfolding.union(&cut, unfolding.past(event)));
            if !self.wants_stuck || !self.refuse_if_anybody_goes_on(unfolding, &made) {
                return Answer::Found(cut);
            }
        }
    }

    /// Tells the solver of events that exclude each other. Whether there were any.
    fn refuse_conflicts(&mut self, unfolding: &Unfolding, made: &[EventId]) -> bool {
        let mut cut = Cut::from([ROOT]);
        let mut refused: Vec<EventId> = Vec::new();
        for (index, &event) in made.iter().enumerate() {
            let past = unfolding.past(event);
            // What follows a refused event is refused with it.
            if refused.iter().any(|&other| unfolding.contains(past, other)) {
                continue;
            }
            if unfolding.are_compatible(&cut, past) {
                cut = unfolding.union(&cut, past);
                continue;
            }
            refused.push(event);
            let excludes = |&&other: &&EventId| !unfolding.are_compatible(unfolding.past(other), past);
            let clause: Vec<Literal> = match made[..index].iter().find(excludes) {
                Some(other) => vec![!self.events[event.index()], !self.events[other.index()]],
                // With read arcs, several together can leave no order.
                None => unfolding.cycle(&cut, past).iter().map(|event| !self.events[event.index()]).collect(),
            };
            self.sat.add_clause(&clause);
        }
        !refused.is_empty()
    }

    /// Tells the solver of threads that can make their step. Whether there are any.
    fn refuse_if_anybody_goes_on(&mut self, unfolding: &Unfolding, made: &[EventId]) -> bool {
        let mut any = false;
        for (id, point) in unfolding.points.enumerate() {
            if !self.sat.value(self.stands[id.index()]) || unfolding.wants(id).is_none() || point.is_parked {
                continue;
            }
            let known: Vec<EventId> = made.iter().copied().filter(|&event| unfolding.is_known_to(id, event)).collect();
            let base = Cut::from(unfolding.base(id));
            let history = known.iter().fold(base, |history, &event| unfolding.union(&history, unfolding.past(event)));
            if unfolding.is_explored(id, &history) {
                self.refuse_step(unfolding, id, &known);
                any = true;
            }
        }
        any
    }

    fn refuse_step(&mut self, unfolding: &Unfolding, id: PointId, known: &[EventId]) {
        let mut clause = vec![!self.stands[id.index()]];
        clause.extend(known.iter().map(|event| !self.events[event.index()]));
        let others = unfolding.partners(id, |_| true).filter(|other| !known.contains(other));
        clause.extend(others.map(|event| self.events[event.index()]));
        self.sat.add_clause(&clause);
    }

    /// Where threads stand in the last answer.
    pub fn places(&self, unfolding: &Unfolding) -> Places {
        let standing = unfolding.points.enumerate().filter(|(id, _)| self.sat.value(self.stands[id.index()]));
        let spot = |id| match may_have_lost_signal(unfolding, id) {
            true => Spot::Waits(id),
            false => Spot::At(unfolding.place(id)),
        };
        standing.map(|(id, point)| (point.thread, spot(id))).collect()
    }

    /// The points at which threads stand in the last answer.
    pub fn positions(&self) -> Vec<Literal> {
        self.stands.iter().copied().filter(|&stands| self.sat.value(stands)).collect()
    }

    /// Nothing more is asked of the configuration in which threads stand at these points.
    pub fn exclude_positions(&mut self, positions: &[Literal]) {
        let clause: Vec<Literal> = positions.iter().map(|&stands| !stands).collect();
        self.sat.add_clause(&clause);
    }

    /// Nothing more is asked of configurations in which these threads, and no others, stand at these places.
    pub fn exclude(&mut self, unfolding: &Unfolding, places: &Places) {
        let literal = |&(thread, spot): &(ThreadId, Spot)| match spot {
            Spot::At(place) => self.places[&(thread, place)],
            Spot::Waits(point) => self.stands[point.index()],
        };
        let mut clause: Vec<Literal> = places.iter().map(|place| !literal(place)).collect();
        for (number, beginnings) in unfolding.beginnings.iter().enumerate() {
            if !places.iter().any(|(thread, _)| thread.index() == number) {
                clause.extend(beginnings.iter().map(|&point| self.events[unfolding.points[point].release.index()]));
            }
        }
        self.sat.add_clause(&clause);
    }
}

/// Whether its thread can be blocked there. Main alone is never blocked by joins only.
pub fn is_blockable(unfolding: &Unfolding, id: PointId) -> bool {
    let point = &unfolding.points[id];
    let waits = |wants: Wants| !wants.joins_by_itself() || point.thread != ThreadId::MAIN;
    unfolding.wants(id).is_some_and(|wants| waits(wants) && (point.can_block || wants.joins_by_itself()))
}

/// Whether both touch the same locations.
fn is_same(a: &[Use], b: &[Use]) -> bool {
    let is_in = |used: &Use, others: &[Use]| others.iter().any(|other| other.slot == used.slot);
    a.iter().all(|used| is_in(used, b)) && b.iter().all(|used| is_in(used, a))
}

/// Whether a point is a wait for a signal, with signals in its past.
fn may_have_lost_signal(unfolding: &Unfolding, point: PointId) -> bool {
    let is_wait = unfolding.wants(point).is_some_and(|wants| wants.kind == OpKind::WaitEnd);
    let waits = unfolding.points[point].is_parked && is_wait;
    let signals = |event: &EventId| {
        let wants = unfolding.wants(unfolding.events[*event].point);
        wants.is_some_and(|wants| matches!(wants.kind, OpKind::Signal | OpKind::Broadcast))
    };
    waits && unfolding.sorted(unfolding.base(point)).iter().any(signals)
}
