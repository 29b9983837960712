//! The search that workers share: the wake-up trees on the ways to the parts that are being explored or still are to be.
//!
//! The parts are put together in the order in which a single worker would explore them. What a part says about states on
//! the way to it is kept until all parts before it have ended, so that every plan meets the tree that it would have met
//! then. A part can be explored before its turn because it does not depend on what is planned beside it: only on the steps
//! that lead to it, and on those that are explored before it from each state on the way.

use super::super::PrefixUpdate;
use super::super::trimming::{Place, SleepContext};
use super::super::wakeup::{Initial, weak_initial};
use crate::happens_before::footprint::{FootprintId, Footprints, Transition};
use gordian_base::{FxHashSet, ThreadId};
use gordian_engine::Results;
use gordian_trace::{Choice, CodePoint};
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Names a branch of the [`Tree`], and with it the state behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartId(pub u32);

pub const ROOT: PartId = PartId(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Kind {
    /// Everything behind it is to be explored.
    Leaf,
    /// The sequences behind it are to be explored, and more may be planned.
    Inner,
    /// Everything behind it is to be explored, and some of that was.
    Open,
}

/// Steps that follow each other, up to a state from which several lead on, or behind which everything is to be explored. There
/// may be many, so its names are short where it is written.
#[derive(Serialize, Deserialize)]
pub struct Branch {
    #[serde(rename = "p")]
    pub parent: PartId,
    /// Steps up to the state behind it.
    #[serde(rename = "d")]
    pub depth: usize,
    /// At least one, but for the root. Only of the first it may be uncertain what it touches.
    #[serde(rename = "l")]
    pub steps: Vec<Step>,
    /// So many of them were made.
    #[serde(rename = "m", default)]
    pub n_made: usize,
    #[serde(rename = "k")]
    pub kind: Kind,
    /// Nobody has it when it is read again.
    #[serde(skip)]
    pub is_taken: bool,
    #[serde(rename = "e", default, skip_serializing_if = "std::ops::Not::not")]
    pub has_ended: bool,
    /// Leaves behind it that nobody has taken, itself included.
    #[serde(skip)]
    pub n_free: u32,
    /// Nothing is planned beside it because of what is behind it, see [`PrefixUpdate::Next`].
    #[serde(rename = "o", default, skip_serializing_if = "std::ops::Not::not")]
    pub is_open: bool,
    /// What waits beside it was planned anew after its first step was made.
    #[serde(rename = "r", default, skip_serializing_if = "std::ops::Not::not")]
    is_renewed: bool,
    /// Steps that were explored from the state behind it.
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    pub explored: Vec<Transition>,
    #[serde(rename = "c", default, skip_serializing_if = "VecDeque::is_empty")]
    pub children: VecDeque<PartId>,
    /// What was said in the parts behind it about states before it.
    #[serde(rename = "n", default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<PrefixUpdate>,
    /// Sequences from the state before it that were left to it although it is not certain what it touches.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub deferred: Vec<Vec<Transition>>,
    /// What its first step decides, if inputs do.
    #[serde(skip)]
    pub decides: Option<Decision>,
    /// Of what has ended behind it; most have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    results: Option<Box<Results>>,
}

#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "(Transition, FootprintId)", from = "(Transition, FootprintId)")]
pub struct Step {
    /// As it was made, or is planned to be.
    pub label: Transition,
    /// What it was planned to touch.
    pub planned: FootprintId,
}

impl From<(Transition, FootprintId)> for Step {
    fn from((label, planned): (Transition, FootprintId)) -> Self {
        Step { label, planned }
    }
}

impl From<Step> for (Transition, FootprintId) {
    fn from(step: Step) -> Self {
        (step.label, step.planned)
    }
}

impl From<Transition> for Step {
    fn from(label: Transition) -> Self {
        Step { label, planned: label.footprint }
    }
}

/// Where inputs decide how a thread goes on, and the way that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    pub at: CodePoint,
    pub variant: u32,
}

/// What is left of a part when it is given back: for each state behind the way, what was explored and what is planned.
pub struct Left {
    pub explored: Vec<Transition>,
    /// None for the last state, whose first branch has not been begun.
    pub under_way: Option<UnderWay>,
    /// Where inputs decide about the next step of a thread.
    pub decides: Option<(ThreadId, CodePoint)>,
    /// The wake-up trees, one after the other.
    pub waiting: Vec<Waiting>,
}

/// The step that was made from a state.
pub struct UnderWay {
    pub planned: FootprintId,
    pub made: Transition,
    /// See [`Branch::is_open`].
    pub is_open: bool,
    /// See [`Branch::deferred`].
    pub deferred: Vec<Vec<Transition>>,
}

/// A branch of a wake-up tree. Those behind it follow it in a list, each with all behind it.
pub struct Waiting {
    /// Those that follow each other without a branch, as in [`Branch::steps`].
    pub steps: Vec<Transition>,
    /// See [`Branch::deferred`].
    pub deferred: Vec<Vec<Transition>>,
    pub n_children: usize,
}

pub struct Tree {
    pub footprints: Footprints,
    pub branches: Vec<Branch>,
    pub free: Vec<PartId>,
    /// Decisions that were made.
    pub decided: FxHashSet<Decision>,
}

impl Tree {
    pub fn new() -> Tree {
        let root = Branch::new(ROOT, 0, Vec::new(), Kind::Leaf);
        Tree {
            footprints: Footprints::default(),
            branches: vec![root],
            free: Vec::new(),
            decided: FxHashSet::default(),
        }
    }

    pub fn at(&self, id: PartId) -> &Branch {
        &self.branches[id.0 as usize]
    }

    pub fn at_mut(&mut self, id: PartId) -> &mut Branch {
        &mut self.branches[id.0 as usize]
    }

    /// Adds a branch as the last of those behind its parent.
    fn add(&mut self, parent: PartId, steps: Vec<Step>, kind: Kind) -> PartId {
        let branch = Branch::new(parent, self.at(parent).depth + steps.len(), steps, kind);
        if kind == Kind::Leaf {
            self.count_free(parent, 1);
        }
        let id = self.store(branch);
        self.at_mut(parent).children.push_back(id);
        id
    }

    fn store(&mut self, branch: Branch) -> PartId {
        if let Some(id) = self.free.pop() {
            *self.at_mut(id) = branch;
            return id;
        }
        self.branches.push(branch);
        PartId(u32::try_from(self.branches.len() - 1).expect("fewer than 2^32 branches"))
    }

    /// Adds a sequence, with a leaf at its end.
    fn add_sequence(&mut self, mut parent: PartId, sequence: &[Transition]) {
        let is_uncertain = |label: &Transition| self.footprints.is_uncertain(label.footprint);
        let chunks = sequence.chunk_by(|_, next| !is_uncertain(next));
        let chunks: Vec<Vec<Step>> = chunks.map(|chunk| chunk.iter().copied().map(Step::from).collect()).collect();
        let last = chunks.len() - 1;
        for (nth, steps) in chunks.into_iter().enumerate() {
            parent = self.add(parent, steps, if nth == last { Kind::Leaf } else { Kind::Inner });
        }
    }

    /// Gives a state between the steps of a branch a branch of its own, which leads to it.
    fn split(&mut self, id: PartId, depth: usize) -> PartId {
        let parent = self.at(id).parent;
        let n_steps = depth - self.at(parent).depth;
        let branch = self.at_mut(id);
        let behind = branch.steps.split_off(n_steps);
        let steps = std::mem::replace(&mut branch.steps, behind);
        let mut above = Branch::new(parent, depth, steps, Kind::Inner);
        above.n_made = branch.n_made.min(n_steps);
        branch.n_made -= above.n_made;
        // When a step between others was made, nothing waited beside it.
        above.is_renewed = std::mem::replace(&mut branch.is_renewed, branch.n_made > 0);
        above.is_open = std::mem::take(&mut branch.is_open);
        above.deferred = std::mem::take(&mut branch.deferred);
        above.decides = branch.decides.take();
        above.n_free = if branch.is_taken { 0 } else { branch.n_free };
        above.children.push_back(id);
        let above = self.store(above);
        self.at_mut(id).parent = above;
        let children = &mut self.at_mut(parent).children;
        let place = children.iter_mut().find(|child| **child == id).expect("a child of its parent");
        *place = above;
        above
    }

    /// So many more leaves can be taken behind a branch.
    fn count_free(&mut self, mut id: PartId, more: i32) {
        loop {
            let branch = self.at_mut(id);
            branch.n_free = branch.n_free.wrapping_add_signed(more);
            // Nobody else takes what is behind one that is taken.
            if id == ROOT || branch.is_taken {
                return;
            }
            id = branch.parent;
        }
    }

    /// Whether somebody explores what is behind a branch.
    pub fn set_taken(&mut self, id: PartId, is_taken: bool) {
        let branch = self.at_mut(id);
        if std::mem::replace(&mut branch.is_taken, is_taken) == is_taken {
            return;
        }
        let (n_free, parent) = (branch.n_free as i32, branch.parent);
        if id != ROOT && n_free != 0 {
            self.count_free(parent, if is_taken { -n_free } else { n_free });
        }
    }

    /// Forgets a branch and all behind it. Whoever explores one of them will find that nobody waits for it.
    fn remove(&mut self, id: PartId) {
        let branch = self.at(id);
        if !branch.is_taken {
            self.count_free(branch.parent, -(branch.n_free as i32));
        }
        self.forget(id);
    }

    fn forget(&mut self, id: PartId) {
        let mut pending = vec![id];
        while let Some(id) = pending.pop() {
            let branch = self.at_mut(id);
            pending.extend(std::mem::take(&mut branch.children));
            branch.n_free = 0;
            // Its place is not used again while somebody explores it.
            if branch.is_taken && !branch.has_ended {
                branch.has_ended = true;
            } else {
                self.free.push(id);
            }
        }
    }

    fn clear(&mut self, id: PartId) {
        let children = std::mem::take(&mut self.at_mut(id).children);
        children.into_iter().for_each(|child| self.remove(child));
    }

    pub fn has_ended(&self) -> bool {
        self.at(ROOT).has_ended
    }

    /// Whether somebody waits for the part.
    pub fn is_wanted(&self, id: PartId) -> bool {
        !self.at(id).has_ended
    }

    /// The steps on the way to a part were made, those from the state of this depth on as these.
    pub fn made(&mut self, id: PartId, depth: usize, steps: &[Transition]) {
        // The way to what nobody waits for may be another by now.
        if !self.is_wanted(id) {
            return;
        }
        let mut next = id;
        while next != ROOT && self.at(next).depth > depth {
            let begin = self.before(next);
            let branch = self.at_mut(next);
            // Some of them may have been told of before.
            let first = depth.saturating_sub(begin);
            let made = steps.get(begin.saturating_sub(depth)..).unwrap_or_default();
            for (step, &label) in branch.steps[first..].iter_mut().zip(made) {
                step.label = label;
            }
            branch.n_made = branch.n_made.max((first + made.len()).min(branch.steps.len()));
            next = branch.parent;
        }
        let mut next = id;
        while next != ROOT && self.at(next).depth > depth {
            next = self.at(next).parent;
            self.reinsert_siblings(next);
        }
    }

    /// A part has been explored to its end. If the execution ended on the way to it, at the state of this depth, then there is
    /// nothing behind that.
    pub fn end(&mut self, mut id: PartId, depth: usize, notes: Vec<PrefixUpdate>, results: Results) {
        if !self.is_wanted(id) {
            self.at_mut(id).is_taken = false;
            self.free.push(id);
            return;
        }
        if self.at(id).depth > depth {
            self.set_taken(id, false);
        }
        while self.before(id) >= depth && self.at(id).depth > depth {
            id = self.at(id).parent;
        }
        if self.at(id).depth > depth {
            id = self.split(id, depth);
        }
        self.clear(id);
        let branch = self.at_mut(id);
        branch.kind = Kind::Open;
        branch.n_free = 0;
        branch.is_taken = false;
        branch.add_results(results);
        branch.has_ended = true;
        let parent = branch.parent;
        for note in notes {
            match note {
                PrefixUpdate::Next(..) => self.apply_in_order(id, note),
                _ => self.at_mut(id).notes.push(note),
            }
        }
        if id != ROOT {
            self.settle(parent);
        }
    }

    /// Tells what is left of a part that is being explored. Whoever explores it goes on with all of it, or, if it `shares`,
    /// with the first branch of the first state that has several; gives that part and its depth.
    pub fn publish(
        &mut self,
        id: PartId,
        left: Vec<Left>,
        notes: Vec<PrefixUpdate>,
        results: Results,
        shares: bool,
    ) -> (PartId, usize) {
        let branch = self.at_mut(id);
        if branch.has_ended {
            return (id, branch.depth);
        }
        branch.add_results(results);
        for note in notes {
            self.apply_in_order(id, note);
        }
        self.clear(id);
        self.at_mut(id).n_free = 0;
        let mut at = id;
        for left in left {
            let branch = self.at_mut(at);
            branch.kind = Kind::Open;
            branch.explored = left.explored;
            let mut next = at;
            if let Some(UnderWay { planned, made, is_open, deferred }) = left.under_way {
                if let Some((_, at)) = left.decides.filter(|decides| decides.0 == made.thread) {
                    self.decided.extend(made.variant.map(|variant| Decision { at, variant }));
                }
                next = self.add(at, vec![Step { label: made, planned }], Kind::Open);
                let branch = self.at_mut(next);
                (branch.n_made, branch.is_renewed, branch.deferred) = (1, true, deferred);
                branch.is_open = is_open;
            }
            self.add_waiting(at, left.waiting, left.decides);
            at = next;
        }
        let mut own = id;
        while shares && let Some(&first) = self.at(own).children.front() {
            let is_shared = self.at(own).children.len() > 1;
            own = first;
            if is_shared {
                self.set_taken(id, false);
                self.set_taken(own, true);
                return (own, self.at(own).depth);
            }
        }
        (id, self.at(id).depth)
    }

    /// Adds wake-up trees behind a branch. The first steps of those that begin there may be for inputs to decide.
    fn add_waiting(&mut self, behind: PartId, waiting: Vec<Waiting>, decides: Option<(ThreadId, CodePoint)>) {
        // Branches on the way to the next one, each with how many are still to come behind it.
        let mut way: Vec<(PartId, usize)> = Vec::new();
        for Waiting { steps, deferred, n_children } in waiting {
            while way.pop_if(|(_, n_left)| *n_left == 0).is_some() {}
            let parent = way.last_mut().map(|(parent, n_left)| {
                *n_left -= 1;
                *parent
            });
            let Transition { thread, variant, .. } = steps[0];
            let kind = if n_children == 0 { Kind::Leaf } else { Kind::Inner };
            let steps = steps.into_iter().map(Step::from).collect();
            let id = self.add(parent.unwrap_or(behind), steps, kind);
            let branch = self.at_mut(id);
            branch.deferred = deferred;
            if parent.is_none() {
                let decides = decides.filter(|decides| decides.0 == thread).zip(variant);
                branch.decides = decides.map(|((_, at), variant)| Decision { at, variant });
            }
            way.push((id, n_children));
        }
    }

    /// The depth of the state before a branch.
    pub(in crate::dpor) fn before(&self, id: PartId) -> usize {
        self.at(id).depth - self.at(id).steps.len()
    }

    /// Whether all that comes before the state behind a branch and could still plan something for it has ended.
    pub(in crate::dpor) fn is_its_turn(&self, mut id: PartId) -> bool {
        while self.at(id).kind == Kind::Inner {
            let parent = self.at(id).parent;
            if self.at(parent).children.front() != Some(&id) {
                return false;
            }
            id = parent;
        }
        true
    }

    /// Puts together what has ended, as far as its turn has come.
    fn settle(&mut self, mut id: PartId) {
        if !self.is_its_turn(id) {
            return;
        }
        loop {
            self.reinsert_siblings(id);
            // What was said behind it may have waited for this turn.
            if let Some(&first) = self.at(id).children.front() {
                for note in std::mem::take(&mut self.at_mut(first).notes) {
                    self.apply_in_order(first, note);
                }
            }
            match self.at(id).children.front().copied() {
                Some(first) if self.at(first).has_ended => self.merge(id, first),
                // Now that it is the first, what is behind it may have ended already.
                Some(first) if self.at(first).kind == Kind::Inner => id = first,
                Some(_) => return,
                None => {
                    self.at_mut(id).has_ended = true;
                    let Branch { kind, parent, .. } = *self.at(id);
                    // It was the turn of an inner one because it was that of the one before it.
                    if id == ROOT || kind != Kind::Inner && !self.is_its_turn(parent) {
                        return;
                    }
                    id = parent;
                }
            }
        }
    }

    /// Takes in the first of the branches behind `id`, which has ended.
    fn merge(&mut self, id: PartId, first: PartId) {
        self.at_mut(id).children.pop_front();
        let Branch { notes, results, deferred, .. } = self.at_mut(first);
        let (notes, results, deferred) = (std::mem::take(notes), results.take(), std::mem::take(deferred));
        let made = *self.at(first).first_step();
        self.free.push(first);
        let is_final = results.as_ref().is_some_and(|results| results.is_final());
        let branch = self.at_mut(id);
        if let Some(results) = results {
            branch.add_results(*results);
        }
        branch.explored.push(made);
        if is_final {
            self.clear(id);
            return;
        }
        for note in notes {
            self.apply_in_order(id, note);
        }
        // As `Forest::insert_deferred` does.
        let depth = self.at(id).depth;
        for sequence in deferred {
            if weak_initial(&self.footprints, &made, &sequence).is_none() {
                self.insert(id, depth, sequence, None);
            }
        }
    }

    /// Adds a step to the branches from the state of this depth, which is that behind a branch or between its steps.
    pub(in crate::dpor) fn add_unless_known(&mut self, mut id: PartId, depth: usize, label: Transition) {
        let same = |other: &Transition| match label.variant {
            Some(variant) => other.tries(Choice { thread: label.thread, variant }),
            None => other.is(&label),
        };
        if self.at(id).depth > depth {
            if same(&self.at(id).steps[depth - self.before(id)].label) {
                return;
            }
            id = self.split(id, depth);
        }
        let branch = self.at(id);
        let known =
            branch.explored.iter().any(same) || branch.children.iter().any(|&child| same(self.at(child).first_step()));
        if !known {
            self.add(id, vec![Step::from(label)], Kind::Leaf);
        }
    }

    /// Adds a sequence to the branches from the state of this depth, which is that behind a branch or between its steps,
    /// unless what they lead to covers it. As [`Forest::insert`](super::wakeup::Forest::insert), it adds no more than it has to.
    pub(in crate::dpor) fn insert(
        &mut self,
        mut at: PartId,
        mut depth: usize,
        mut sequence: Vec<Transition>,
        sleep_context: Option<&SleepContext>,
    ) {
        let mut place = sleep_context.map(|sleep_context| (Place::at(sleep_context), &sleep_context.inevitable));
        if let Some((place, inevitable)) = &mut place {
            let Some(len) = place.reduce(&self.footprints, inevitable, &mut sequence) else { return };
            sequence.truncate(len);
        }
        loop {
            let position = depth - self.before(at);
            let is_between = position < self.at(at).steps.len();
            let found = if is_between {
                let label = &self.at(at).steps[position].label;
                weak_initial(&self.footprints, label, &sequence).map(|initial| (at, position, initial))
            } else {
                self.at(at).children.iter().find_map(|&child| {
                    let initial = weak_initial(&self.footprints, self.at(child).first_step(), &sequence)?;
                    Some((child, 0, initial))
                })
            };
            if let Some((place, _)) = &mut place {
                let passed = self.at(at).children.iter().filter(|_| !is_between).copied();
                let passed = passed.take_while(|&child| found.is_none_or(|(found, ..)| child != found));
                passed.for_each(|child| place.pass(*self.at(child).first_step()));
            }
            let Some((found, position, initial)) = found else {
                if let Some((place, _)) = &mut place
                    && is_between
                {
                    place.pass(self.at(at).steps[position].label);
                }
                let len = match place {
                    Some((mut place, inevitable)) => place.truncate_plan(&self.footprints, inevitable, &mut sequence),
                    None => Some(sequence.len()),
                };
                let Some(len) = len else { return };
                sequence.truncate(len);
                if is_between {
                    at = self.split(at, depth);
                }
                break;
            };
            if let Some((place, _)) = &mut place {
                place.go_on(self.at(found).steps[position].label);
            }
            (at, depth) = (found, depth + 1);
            let branch = &mut self.branches[at.0 as usize];
            let planned = branch.steps[position].planned;
            let is_end = branch.depth == depth;
            let is_left_to_it = initial != Initial::At(0) || sequence.len() > 1 && is_end && branch.kind == Kind::Leaf;
            if is_left_to_it
                && position >= branch.n_made
                && self.footprints.is_uncertain(planned)
                && !branch.deferred.contains(&sequence)
            {
                branch.deferred.push(sequence.clone());
            }
            if let Initial::At(nth) = initial {
                let wanted = sequence.remove(nth);
                if branch.steps[position].label.is_less_than(&wanted) {
                    self.widen(at, position, wanted);
                }
            }
            let branch = &self.branches[at.0 as usize];
            if sequence.is_empty() || is_end && branch.kind != Kind::Inner {
                return;
            }
        }
        self.add_sequence(at, &sequence);
    }

    /// A step of a branch is wanted in all its variants. If it was made already, somebody has to look what else there is.
    #[cold]
    fn widen(&mut self, id: PartId, position: usize, wanted: Transition) {
        let Branch { steps, n_made, .. } = self.at_mut(id);
        if position >= *n_made {
            steps[position].label.variant = None;
            return;
        }
        let at = if position == 0 { self.at(id).parent } else { self.split(id, self.before(id) + position) };
        let Branch { explored, children, .. } = self.at(at);
        let firsts = explored.iter().chain(children.iter().map(|&child| self.at(child).first_step()));
        // Whoever made it in one variant because all were wanted has planned the others.
        if firsts.filter(|label| label.thread == wanted.thread).count() == 1 {
            self.add(at, vec![Step::from(wanted)], Kind::Leaf);
        }
    }

    /// If it is the turn of the first branch behind `id`, and its step was made and turned out otherwise than planned:
    /// plans anew what waits beside it.
    fn reinsert_siblings(&mut self, id: PartId) {
        let Some(&first) = self.at(id).children.front() else { return };
        if self.is_settled(first) || self.at(first).n_made == 0 || !self.is_its_turn(id) {
            return;
        }
        let depth = self.at(id).depth;
        self.at_mut(first).is_renewed = true;
        let waiting: Vec<PartId> = self.at_mut(id).children.drain(1..).collect();
        for child in waiting {
            debug_assert!(self.at(child).n_made == 0, "nobody goes beyond a step that is not settled");
            self.insert_all(id, child);
            self.remove(child);
        }
        for deferred in std::mem::take(&mut self.at_mut(first).deferred) {
            self.insert(id, depth, deferred, None);
        }
    }

    /// Whether it is known what the first step of a branch touches, and what waits beside it was planned with that.
    pub fn is_settled(&self, id: PartId) -> bool {
        let Branch { steps, n_made, is_renewed, .. } = self.at(id);
        let as_planned = |step: &Step| self.footprints.is_as_planned(step.planned, step.label.footprint);
        *n_made > 0 && (*is_renewed || as_planned(&steps[0]))
    }

    /// Inserts what leads through `child` to each of its leaves into what is planned from the state behind `id`.
    fn insert_all(&mut self, id: PartId, child: PartId) {
        let depth = self.at(id).depth;
        let mut path: Vec<Transition> = Vec::new();
        let mut pending = vec![(child, 0)];
        while let Some((child, n_before)) = pending.pop() {
            path.truncate(n_before);
            for deferred in std::mem::take(&mut self.at_mut(child).deferred) {
                self.insert(id, depth, path.iter().copied().chain(deferred).collect(), None);
            }
            let Branch { steps, children, .. } = self.at(child);
            path.extend(steps.iter().map(|step| Transition { footprint: step.planned, ..step.label }));
            pending.extend(children.iter().rev().map(|&child| (child, path.len())));
            if children.is_empty() {
                self.insert(id, depth, path.clone(), None);
            }
        }
    }

    /// What the search has come to, in its order.
    pub fn results(&self) -> Results {
        let mut results = Results::default();
        let mut pending = vec![ROOT];
        // Whoever panicked may have left something that is no tree.
        for _ in 0..self.branches.len() {
            let Some(id) = pending.pop() else { break };
            let Branch { results: found, children, .. } = self.at(id);
            if let Some(found) = found {
                results.append((**found).clone());
            }
            pending.extend(children.iter().rev());
        }
        results
    }
}

impl Branch {
    fn new(parent: PartId, depth: usize, steps: Vec<Step>, kind: Kind) -> Branch {
        Branch {
            parent,
            depth,
            steps,
            n_made: 0,
            kind,
            is_taken: false,
            has_ended: false,
            n_free: u32::from(kind == Kind::Leaf),
            is_open: false,
            is_renewed: false,
            explored: Vec::new(),
            children: VecDeque::new(),
            notes: Vec::new(),
            deferred: Vec::new(),
            decides: None,
            results: None,
        }
    }

    fn add_results(&mut self, results: Results) {
        match &mut self.results {
            Some(before) => before.append(results),
            none => *none = Some(Box::new(results)),
        }
    }

    pub fn first_step(&self) -> &Transition {
        &self.steps[0].label
    }
}
