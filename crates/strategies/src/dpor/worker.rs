//! One of those who share a search: explores parts of it with [`Dpor`].

use super::footprint::{Footprints, Label};
use super::team::Shared;
use super::tree::{Left, Part, PartId, Waiting};
use super::wakeup::BranchId;
use super::{Dpor, NAME, Note};
use gordian_engine::{Ended, Next, Point, Results, Strategy};
use gordian_trace::Exploration;
use std::sync::Arc;
use std::time::Duration;

/// Executions between two times at which what is left is shared, which has its price.
const LEAST_EXECUTIONS: u32 = 100;

/// A part with fewer was not worth the way to it.
const FEW_EXECUTIONS: u32 = 10;

pub struct Worker {
    dpor: Dpor,
    shared: Arc<Shared>,
    part: Option<PartId>,
    /// The steps on the way were told.
    has_told: bool,
    executions: u32,
    /// When what is known was last shared.
    refreshed: u64,
    /// Of the cuts that were seen.
    cuts: u64,
    n_parts: u64,
    /// How long it rested last.
    patience: Duration,
}

const SHORTEST_REST: Duration = Duration::from_micros(200);
const LONGEST_REST: Duration = Duration::from_millis(200);

impl Worker {
    pub fn new(shared: Arc<Shared>) -> Worker {
        let (refreshed, cuts) = (shared.refreshes(), 0);
        Worker {
            dpor: Dpor::default(),
            shared,
            part: None,
            has_told: true,
            executions: 0,
            refreshed,
            cuts,
            n_parts: 0,
            patience: SHORTEST_REST,
        }
    }

    fn take(&mut self) -> Next {
        // Setting out has its price: who got little for it lately leaves the rest to others for a while.
        if self.n_parts > 0 && self.executions < FEW_EXECUTIONS && self.shared.sharing().is_none() {
            self.patience = (self.patience * 2).min(LONGEST_REST);
            self.shared.rest(self.patience);
        } else {
            self.patience = SHORTEST_REST;
        }
        let Some(part) = self.shared.take(|part, footprints| self.dpor.import(part, footprints)) else {
            return Next::Done;
        };
        self.n_parts += 1;
        self.shared.begin();
        (self.part, self.has_told, self.executions) = (Some(part.id), part.steps.is_empty(), 0);
        let known = part.known;
        self.dpor.set_out(part);
        Next::Elsewhere { known }
    }

    /// Tells how the steps on the way have turned out.
    fn tell_way(&mut self) {
        self.has_told = true;
        let Some(part) = self.part else { return };
        let made = self.dpor.made_on_the_way();
        self.shared.with(|tree| {
            let made: Vec<Label> = made
                .iter()
                .map(|label| translate(label, &self.dpor.history.footprints, &mut tree.footprints))
                .collect();
            tree.made(part, &made);
        });
    }

    fn end_part(&mut self, results: Results) {
        if !self.has_told {
            self.tell_way();
        }
        let Some(part) = self.part.take() else { return };
        let notes = std::mem::take(&mut self.dpor.way.notes);
        let is_final = results.is_final();
        self.shared.with(|tree| {
            let notes = translate_notes(notes, &self.dpor.history.footprints, &mut tree.footprints);
            tree.end(part, notes, results);
        });
        if is_final {
            self.shared.cut();
        }
        self.shared.end();
    }

    /// Whether nobody waits for the part any more.
    fn is_abandoned(&mut self) -> bool {
        let cuts = self.shared.cuts();
        if std::mem::replace(&mut self.cuts, cuts) != cuts {
            return self.part.is_some_and(|part| !self.shared.is_wanted(part));
        }
        self.shared.is_left()
    }

    /// Tells what is left of the part, and goes on without what others can have of it if they are hungry.
    fn share(&mut self, results: Results) {
        let Some(part) = self.part else { return };
        let shares = self.shared.sharing().is_some() || self.shared.is_somebody_hungry();
        let notes = std::mem::take(&mut self.dpor.way.notes);
        let dpor = &self.dpor;
        let (own, depth) = self.shared.with(|tree| {
            let left = dpor.export(&mut tree.footprints);
            let notes = translate_notes(notes, &dpor.history.footprints, &mut tree.footprints);
            tree.publish(part, left, notes, results, shares)
        });
        if own != part {
            self.part = Some(own);
            self.dpor.way.len = depth;
            self.has_told = false;
        }
        self.executions = 0;
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
        self.executions >= LEAST_EXECUTIONS && self.shared.is_somebody_hungry() && self.dpor.has_more()
    }
}

impl Strategy for Worker {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: NAME.to_owned(), ..self.dpor.exploration() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        let chosen = self.dpor.choose(point);
        if !self.has_told && point.depth >= self.dpor.way.len {
            self.tell_way();
        }
        chosen
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.executions += 1;
        match self.dpor.next(ended) {
            Next::Done => {
                self.end_part(ended.take_results());
                self.take()
            }
            _ if self.is_abandoned() => {
                self.end_part(ended.take_results());
                self.take()
            }
            next if self.should_share() => {
                if !self.has_told {
                    self.tell_way();
                }
                self.share(ended.take_results());
                next
            }
            next => next,
        }
    }

    fn exhaustive(&self) -> bool {
        true
    }

    fn backtracks(&self) -> bool {
        true
    }

    fn sees_every_step(&self) -> bool {
        true
    }

    fn is_worker(&self) -> bool {
        true
    }

    fn begin(&mut self) -> Next {
        self.take()
    }

    fn cut(&mut self, results: Results) -> Next {
        self.end_part(results);
        self.take()
    }

    fn leave(&mut self) {
        self.shared.leave();
    }
}

/// The label with the number that its footprint has elsewhere.
fn translate(label: &Label, from: &Footprints, to: &mut Footprints) -> Label {
    Label { footprint: to.intern(from.get(label.footprint)), ..*label }
}

fn translate_notes(notes: Vec<Note>, from: &Footprints, to: &mut Footprints) -> Vec<Note> {
    let mut translated = |note| match note {
        Note::Plan(depth, sequence) => {
            Note::Plan(depth, sequence.iter().map(|label| translate(label, from, to)).collect())
        }
        Note::Step(depth, label) => Note::Step(depth, translate(&label, from, to)),
    };
    notes.into_iter().map(&mut translated).collect()
}

impl Dpor {
    /// The part with the numbers that footprints have here.
    fn import(&mut self, part: Part, footprints: &Footprints) -> Part {
        let mut here = |labels: Vec<Label>| -> Vec<Label> {
            labels.iter().map(|label| translate(label, footprints, &mut self.history.footprints)).collect()
        };
        let steps = here(part.steps);
        let explored = part.explored.into_iter().map(&mut here).collect();
        let mut waiting = part.waiting;
        waiting.iter_mut().flatten().for_each(|waiting| self.import_waiting(waiting, footprints));
        Part { steps, explored, waiting, ..part }
    }

    fn import_waiting(&mut self, waiting: &mut Waiting, footprints: &Footprints) {
        waiting.label = translate(&waiting.label, footprints, &mut self.history.footprints);
        waiting.children.iter_mut().for_each(|child| self.import_waiting(child, footprints));
    }

    /// The steps on the way, as far as they were made.
    fn made_on_the_way(&self) -> Vec<Label> {
        let nodes = self.nodes.iter().take(self.way.len.min(self.history.len()));
        nodes.map(|node| *self.forest.label(node.todo)).collect()
    }

    /// Whether more than the next branch is planned.
    fn has_more(&self) -> bool {
        let nodes = self.nodes.iter().skip(self.way.len);
        nodes.map(|node| self.forest.from(node.todo).skip(1).count()).sum::<usize>() > 0
    }

    /// What is left to be explored.
    fn export(&self, footprints: &mut Footprints) -> Vec<Left> {
        let first = self.way.len;
        let mut left = Vec::new();
        for depth in first..self.nodes.len() {
            let node = &self.nodes[depth];
            let sleep = self.sleep(depth);
            let explored = &sleep[sleep.len() - node.n_done as usize..];
            let mut there = |label: &Label| translate(label, &self.history.footprints, footprints);
            let explored = explored.iter().map(&mut there).collect();
            let is_last = depth + 1 == self.nodes.len();
            let under_way = (!is_last).then(|| {
                let made = self.forest.label(node.todo);
                (there(&Label { footprint: node.planned, ..*made }), there(made))
            });
            let waiting = self.forest.from(node.todo).skip(usize::from(!is_last));
            let waiting = waiting.map(|branch| self.export_branch(branch, &mut there)).collect();
            left.push(Left { explored, under_way, waiting });
        }
        left
    }

    fn export_branch(&self, branch: BranchId, there: &mut dyn FnMut(&Label) -> Label) -> Waiting {
        let label = there(self.forest.label(branch));
        let children = self.forest.from(self.forest.children(branch));
        let children = children.map(|child| self.export_branch(child, there)).collect();
        Waiting { label, children }
    }
}
