//! Deadlocks, asked of the finished unfolding.
//!
//! Every event was in some execution, but two threads that block each other need not have met in one. So a SAT solver is asked for a
//! configuration after which nobody can go on. Causes are clauses from the beginning. That two events exclude each other, and that a thread
//! could go on after all, is told to the solver only where one of its answers gets it wrong. What remains is executed.
//!
//! *Lemma.* Once the unfolding is finished, a thread that stands at a point of a configuration can make its step exactly if there is an event of
//! that point whose history is the point's base and the partners in the configuration, with their pasts: all else in
//! the configuration is independent of the step.

use crate::events::{Cut, EventId, NONE, PointId, ROOT, Unfolding};
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_solve::{Batsat, Budget, Literal, SatAnswer, SatCore};
use gordian_trace::{CodePoint, OpKind};

/// Where each thread stands.
pub type Places = Vec<(ThreadId, CodePoint)>;

/// What the solver came to.
pub enum Answer {
    /// A configuration after which nobody can go on.
    Stuck(Cut),
    /// There is none but those that were excluded.
    None,
    /// The solver was stopped.
    Unknown,
}

pub struct Deadlocks {
    sat: Batsat,
    events: Vec<Literal>,
    /// By point: its thread stands there.
    stands: Vec<Literal>,
    /// A thread stands before this instruction.
    places: FxHashMap<(ThreadId, CodePoint), Literal>,
    can_exist: bool,
}

/// Groups of events of which one at most can happen are written as pairs up to this size.
const PAIRS: usize = 6;

impl Deadlocks {
    /// `is_left_out` tells joins that lead to nothing, and of which not all were seen.
    pub fn new(unfolding: &Unfolding, is_left_out: impl Fn(EventId) -> bool) -> Deadlocks {
        let mut sat = Batsat::new();
        let events: Vec<Literal> = unfolding.events.ids().map(|_| sat.new_variable()).collect();
        let stands: Vec<Literal> = unfolding.points.ids().map(|_| sat.new_variable()).collect();
        let mut question = Deadlocks { sat, events, stands, places: FxHashMap::default(), can_exist: false };
        question.sat.add_clause(&[question.events[ROOT.index()]]);
        for (id, event) in unfolding.events.enumerate().skip(1) {
            let made = question.events[id.index()];
            if is_left_out(id) {
                question.sat.add_clause(&[!made]);
            }
            let others = event.past.iter().copied().filter(|&last| last != id).chain([event.pred]);
            for cause in others.filter(|&cause| cause != NONE) {
                question.sat.add_clause(&[!made, question.events[cause.index()]]);
            }
        }
        question.state_positions(unfolding);
        question
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
        let mut blockable = Vec::new();
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
            let place = *self.places.entry((point.thread, point.place())).or_insert_with(|| sat.new_variable());
            self.sat.add_clause(&[!stands, place]);
            if point.can_block && point.wants.is_some_and(|wants| wants.kind != OpKind::Join) {
                blockable.push(stands);
            }
        }
        self.can_exist = !blockable.is_empty();
        self.sat.add_clause(&blockable);
    }

    fn at_most_one(&mut self, literals: &[Literal]) {
        if literals.len() <= PAIRS {
            for (index, &a) in literals.iter().enumerate() {
                for &b in &literals[index + 1..] {
                    self.sat.add_clause(&[!a, !b]);
                }
            }
            return;
        }
        // One of the first, one of the rest, and not both.
        let (first, rest) = literals.split_at(PAIRS - 1);
        let among_rest = self.sat.new_variable();
        for &literal in rest {
            self.sat.add_clause(&[!literal, among_rest]);
        }
        let few: Vec<Literal> = first.iter().copied().chain([among_rest]).collect();
        self.at_most_one(&few);
        self.at_most_one(rest);
    }

    /// The next configuration after which nobody can go on.
    pub fn next(&mut self, unfolding: &mut Unfolding, budget: &Budget) -> Answer {
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
            let cut =
                made.iter().fold(Cut::from([ROOT]), |cut, &event| unfolding.union(&cut, &unfolding.events[event].past));
            if !self.refuse_if_anybody_goes_on(unfolding, &made) {
                return Answer::Stuck(cut);
            }
        }
    }

    /// Tells the solver of events that exclude each other. Whether there were any.
    fn refuse_conflicts(&mut self, unfolding: &mut Unfolding, made: &[EventId]) -> bool {
        let mut cut = Cut::from([ROOT]);
        for (index, &event) in made.iter().enumerate() {
            let past = unfolding.events[event].past.clone();
            if unfolding.are_compatible(&cut, &past) {
                cut = unfolding.union(&cut, &past);
                continue;
            }
            let excludes = |&&other: &&EventId| {
                let theirs = unfolding.events[other].past.clone();
                !unfolding.are_compatible(&theirs, &past)
            };
            let clause: Vec<Literal> = match made[..index].iter().find(excludes) {
                Some(other) => vec![!self.events[event.index()], !self.events[other.index()]],
                // With read arcs, several together can leave no order.
                None => made[..=index].iter().map(|event| !self.events[event.index()]).collect(),
            };
            self.sat.add_clause(&clause);
            return true;
        }
        false
    }

    /// Tells the solver of threads that can make their step. Whether there are any.
    fn refuse_if_anybody_goes_on(&mut self, unfolding: &Unfolding, made: &[EventId]) -> bool {
        let mut any = false;
        for (id, point) in unfolding.points.enumerate() {
            if !self.sat.value(self.stands[id.index()]) || point.wants.is_none() || point.is_parked {
                continue;
            }
            let known: Vec<EventId> = made.iter().copied().filter(|&event| unfolding.is_known_to(id, event)).collect();
            let base = point.base.clone();
            let history =
                known.iter().fold(base, |history, &event| unfolding.union(&history, &unfolding.events[event].past));
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
        let others = unfolding.points[id].partners.iter().filter(|other| !known.contains(other));
        clause.extend(others.map(|event| self.events[event.index()]));
        self.sat.add_clause(&clause);
    }

    /// Where threads stand in the last answer.
    pub fn places(&self, unfolding: &Unfolding) -> Places {
        let standing = unfolding.points.enumerate().filter(|(id, _)| self.sat.value(self.stands[id.index()]));
        standing.map(|(_, point)| (point.thread, point.place())).collect()
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
        let mut clause: Vec<Literal> = places.iter().map(|place| !self.places[place]).collect();
        for (number, beginnings) in unfolding.beginnings.iter().enumerate() {
            if !places.iter().any(|(thread, _)| thread.index() == number) {
                clause.extend(beginnings.iter().map(|&point| self.events[unfolding.points[point].release.index()]));
            }
        }
        self.sat.add_clause(&clause);
    }
}
