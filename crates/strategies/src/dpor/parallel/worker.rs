//! One of those who share a search: explores parts of it with [`Dpor`].

use super::super::split::Edge;
use super::super::{Dpor, NAME, PrefixUpdate};
use super::branch::PartId;
use super::export::{Numbers, translate};
use super::parts::Part;
use super::team::{Searches, Shared};
use super::tree::Tree;
use crate::happens_before::footprint::Footprints;
use crate::happens_before::transition::Transition;
use gordian_engine::{Capabilities, Ended, FastForward, Next, Point, Results, Strategy};
use gordian_trace::Exploration;
use std::collections::VecDeque;
use std::sync::Arc;

/// Executions between two times at which what is left is shared, which has its price.
const LEAST_EXECUTIONS: u32 = 100;

/// Executions after which a scout shares the search.
const SCOUTED_WHOLE: u32 = 25;

/// Executions that are worth going to the others for.
const ENOUGH_EXECUTIONS: u32 = 1_000;

/// Parts that are taken at once at most.
const MOST_PARTS: usize = 4_096;

/// Notes are handed over when there are so many.
const MANY_NOTES: usize = 10_000;

pub struct Worker {
    dpor: Dpor,
    searches: Arc<Searches>,
    /// The search that it works at.
    shared: Arc<Shared>,
    numbers: Numbers,
    part: Option<PartId>,
    /// Parts that were taken and not begun.
    ahead: VecDeque<Part>,
    /// Parts that were explored, and not told of.
    explored: Vec<Explored>,
    /// The way was told of up to the state of this depth.
    told: usize,
    /// Since it last took or shared something.
    executions: u32,
    /// Parts to take at once.
    batch_size: usize,
    /// When what is known was last shared.
    refreshed: u64,
    /// Of the cuts that were seen.
    cuts: u64,
    /// It is alone, and finds out how several could divide the search.
    scouts: bool,
    executed: Executed,
}

/// Executions of a worker in all searches.
#[derive(Clone, Copy, Default)]
struct Executed {
    n: u32,
    /// Of them, those before the search that it works at.
    before: u32,
    /// Of them, those that a split left to others.
    n_split_off: u32,
}

impl Executed {
    /// Whether the split costs more than it gives.
    fn costs_too_much(self) -> bool {
        self.n_split_off > 1_000 && self.n_split_off > self.n / 4
    }

    /// Whether so little was lost that another split may be tried.
    fn is_worth_another(self) -> bool {
        self.n < 5_000
    }
}

/// A part that was explored to its end.
struct Explored {
    id: PartId,
    /// The steps on the way to it from the state of this depth on.
    from: usize,
    made: Vec<Transition>,
    /// The state of this depth was the last: that of the part, unless the way to it came to an end before.
    depth: usize,
    notes: Vec<PrefixUpdate>,
    results: Results,
}

impl Worker {
    pub fn new(searches: Arc<Searches>) -> Worker {
        let shared = searches.next().unwrap_or_else(|| searches.first());
        Worker::at(searches, shared)
    }

    /// The first of several, as long as it is alone.
    pub fn scout(searches: Arc<Searches>) -> Worker {
        let worker = Worker::new(searches);
        Worker { scouts: !worker.dpor.is_split(), ..worker }
    }

    fn at(searches: Arc<Searches>, shared: Arc<Shared>) -> Worker {
        Worker {
            dpor: Dpor::of_split(&shared.split),
            refreshed: shared.refreshes(),
            cuts: shared.cuts(),
            searches,
            shared,
            numbers: Numbers::default(),
            part: None,
            ahead: VecDeque::new(),
            explored: Vec::new(),
            told: 0,
            executions: 0,
            batch_size: 1,
            scouts: false,
            executed: Executed::default(),
        }
    }

    /// Goes on to a part of the search; waits until there is one.
    fn take(&mut self) -> Next {
        if let Some(part) = self.ahead.pop_front() {
            return self.set_out(part);
        }
        self.tell(|_, _| ());
        let few = self.executions < ENOUGH_EXECUTIONS && !self.shared.has_order();
        self.batch_size = if few { (self.batch_size * 2).min(MOST_PARTS) } else { (self.batch_size / 2).max(1) };
        let Worker { dpor, numbers, shared, .. } = self;
        let own = &mut dpor.history.footprints;
        let mut import = |label: &Transition, tree: &Footprints| translate(label, tree, own, &mut numbers.from_tree);
        let Some(batch) = shared.take(self.batch_size, &mut import) else { return self.go_on() };
        self.ahead = batch.parts;
        self.dpor.set_snapshot(batch.snapshot);
        self.executions = 0;
        let first = self.ahead.pop_front().expect("somebody takes at least one part");
        self.set_out(first)
    }

    /// This search is at its end: goes on with another, if there is one.
    fn go_on(&mut self) -> Next {
        if self.shared.is_left() {
            return Next::Done;
        }
        self.searches.ended(self.executed.n - self.executed.before);
        let Some(next) = self.searches.next() else { return Next::Done };
        self.executed.before = self.executed.n;
        *self = Worker { executed: self.executed, ..Worker::at(Arc::clone(&self.searches), next) };
        self.take()
    }

    fn set_out(&mut self, part: Part) -> Next {
        let depth = self.dpor.set_out(part.copy);
        (self.part, self.told) = (Some(part.id), depth);
        Next::Elsewhere { depth, known: self.dpor.prefix.known }
    }

    /// Tells of the parts that were explored, then of what else there is to tell.
    fn tell<R>(&mut self, more: impl FnOnce(&mut Worker, &mut Tree) -> R) -> R {
        let shared = Arc::clone(&self.shared);
        shared.with(|tree| {
            for explored in std::mem::take(&mut self.explored) {
                let own = &self.dpor.history.footprints;
                let made = self.numbers.all_in_tree(&explored.made, own, &mut tree.footprints);
                let notes = self.numbers.notes_in_tree(explored.notes, own, &mut tree.footprints);
                tree.made(explored.id, explored.from, &made);
                tree.end(explored.id, explored.depth, notes, explored.results);
            }
            more(self, tree)
        })
    }

    /// Tells how the steps on the way have turned out.
    fn tell_way(&mut self, tree: &mut Tree) {
        let Some(part) = self.part else { return };
        let from = self.told.min(self.dpor.prefix.changed);
        let made = self.dpor.made_in_prefix(from);
        let made = self.numbers.all_in_tree(&made, &self.dpor.history.footprints, &mut tree.footprints);
        tree.made(part, from, &made);
        (self.told, self.dpor.prefix.changed) = (self.dpor.prefix.len, self.dpor.prefix.len);
    }

    /// The way to the part has been gone. Others may wait to hear of it; and if it turned out otherwise than planned, what
    /// follows is to be planned anew before it is explored.
    fn see_way(&mut self) {
        let is_as_planned = self.dpor.is_as_planned();
        if self.ahead.is_empty() || !is_as_planned || self.shared.has_idle_worker() {
            self.tell(|worker, tree| {
                worker.tell_way(tree);
                if !is_as_planned {
                    worker.give_back(tree);
                }
            });
        }
    }

    /// Leaves the parts that were taken and not begun to others.
    fn give_back(&mut self, tree: &mut Tree) {
        tree.give_back(self.ahead.drain(..).map(|part| part.id));
    }

    fn end_part(&mut self, results: Results) {
        let Some(id) = self.part.take() else { return };
        let is_final = results.is_final();
        let (from, depth) = (self.told.min(self.dpor.prefix.changed), self.dpor.nodes.len().min(self.dpor.prefix.len));
        let made = self.dpor.begun_in_prefix(from, depth);
        // The execution may have ended with a step of the way, before it was looked at.
        let is_as_planned = from >= self.dpor.prefix.len || depth == self.dpor.prefix.len && self.dpor.is_as_planned();
        let notes = std::mem::take(&mut self.dpor.prefix.notes);
        self.explored.push(Explored { id, from, made, depth, notes, results });
        if !is_as_planned || is_final {
            self.tell(Worker::give_back);
        }
        if is_final {
            self.shared.cut();
        }
    }

    /// See [`Dpor::objection_to_split`].
    fn objection_to_split(&mut self, ended: &Ended<'_>) -> Option<Vec<Edge>> {
        self.executed.n += 1;
        self.executed.n_split_off += u32::from(self.dpor.is_split_off);
        if self.executed.costs_too_much() {
            return Some(Vec::new());
        }
        let objection = self.dpor.objection_to_split(ended);
        let broken = self.dpor.objection_to_further_split();
        if !broken.is_empty() {
            self.searches.strike_further(&broken);
        }
        let broken = objection?;
        Some(if self.executed.is_worth_another() { broken } else { Vec::new() })
    }

    /// Whether nobody waits for the part any more.
    fn is_abandoned(&mut self) -> bool {
        let cuts = self.shared.cuts();
        if std::mem::replace(&mut self.cuts, cuts) != cuts {
            return self.part.is_some_and(|part| !self.shared.is_wanted(part));
        }
        self.shared.is_left()
    }

    /// Tells what is left of the part, and goes on without what others can have of it if some of them are idle.
    fn share(&mut self, results: Results) {
        let Some(part) = self.part else { return };
        let shares = self.shared.sharing().is_some() || self.shared.has_idle_worker() || self.is_first_share();
        let notes = std::mem::take(&mut self.dpor.prefix.notes);
        let (own, depth) = self.tell(|worker, tree| {
            worker.give_back(tree);
            worker.tell_way(tree);
            let Worker { dpor, numbers, .. } = worker;
            let left = dpor.export(&mut |label| numbers.in_tree(label, &dpor.history.footprints, &mut tree.footprints));
            let notes = numbers.notes_in_tree(notes, &dpor.history.footprints, &mut tree.footprints);
            tree.publish(part, left, notes, results, shares)
        });
        if own != part {
            self.part = Some(own);
            self.dpor.share_from(depth);
            // The step from the last state is still to be made.
            self.told = depth.min(self.dpor.nodes.len() - 1);
        }
        self.executions = 0;
    }

    /// Tells at once what others can go on with.
    fn tell_urgent(&mut self) {
        let Some(part) = self.part else { return };
        if !self.dpor.prefix.has_urgent() || !self.ahead.is_empty() && !self.shared.has_idle_worker() {
            return;
        }
        let notes = self.dpor.prefix.take_urgent();
        self.tell(|worker, tree| {
            worker.tell_way(tree);
            let notes = worker.numbers.notes_in_tree(notes, &worker.dpor.history.footprints, &mut tree.footprints);
            tree.note(part, notes);
        });
    }

    /// Leaves what is left of the part, to go on where the order of the search wants to.
    fn leave_part(&mut self, results: Results) {
        self.share(results);
        if let Some(part) = self.part.take() {
            self.tell(|_, tree| tree.give_back(std::iter::once(part)));
        }
    }

    /// A scout shares the search once as if there were others, to see what it would have to tell them.
    fn is_first_share(&self) -> bool {
        self.scouts && self.dpor.prefix.len == 0
    }

    fn should_share(&mut self) -> bool {
        let refreshes = self.shared.refreshes();
        if refreshes != self.refreshed {
            self.refreshed = refreshes;
            return true;
        }
        if let Some(executions) = self.shared.sharing() {
            return self.executions >= executions;
        }
        if self.dpor.prefix.notes.len() >= MANY_NOTES {
            return true;
        }
        // What is left of a search that was split is mostly less than sharing it would take, unless it is a large one.
        let enough = if self.dpor.is_split() { self.searches.usual_executions() } else { 0 };
        let is_time = if self.is_first_share() {
            self.executions >= SCOUTED_WHOLE
        } else {
            self.executions >= LEAST_EXECUTIONS.max(enough) && self.shared.has_idle_worker()
        };
        is_time && (!self.ahead.is_empty() || self.dpor.has_more())
    }
}

impl Strategy for Worker {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: NAME.to_owned(), ..self.dpor.exploration() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        let chosen = self.dpor.choose(point);
        if self.told < self.dpor.prefix.len && point.depth >= self.dpor.prefix.len {
            self.see_way();
        }
        chosen
    }

    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        self.dpor.fast_forward()
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.executions += 1;
        if self.scouts {
            self.scouts = self.searches.survey(|survey| self.dpor.survey(survey, ended));
        }
        if self.dpor.is_split()
            && let Some(broken) = self.objection_to_split(ended)
        {
            self.searches.fail(&broken);
            return Next::Done;
        }
        match self.dpor.next(ended) {
            Next::Done => {
                self.end_part(ended.take_results());
                self.take()
            }
            _ if self.is_abandoned() => {
                self.end_part(ended.take_results());
                self.tell(Worker::give_back);
                self.take()
            }
            _ if self.shared.has_order() => {
                self.leave_part(ended.take_results());
                self.take()
            }
            next => {
                self.tell_urgent();
                if self.should_share() {
                    self.share(ended.take_results());
                }
                next
            }
        }
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::REDUCTION
    }

    fn as_worker(&mut self) -> Option<&mut dyn gordian_engine::Worker> {
        Some(self)
    }
}

impl gordian_engine::Worker for Worker {
    fn begin(&mut self) -> Next {
        self.take()
    }

    fn cut(&mut self, results: Results) -> Next {
        if self.dpor.is_split() {
            self.searches.fail(&[]);
            return Next::Done;
        }
        self.end_part(results);
        if self.shared.has_order() {
            // What comes first in another order does not matter.
            self.tell(Worker::give_back);
            return Next::Done;
        }
        self.take()
    }

    fn leave(&mut self) {
        self.searches.leave();
    }

    fn leaves_to_others(&self) -> bool {
        self.dpor.is_split_off
    }
}
