//! The search that workers share: the wake-up trees on the ways to the parts that are being explored or still are to be.
//!
//! The parts are put together in the order in which a single worker would explore them. What a part says about states on
//! the way to it is kept until all parts before it have ended, so that every plan meets the tree that it would have met
//! then. A part can be explored before its turn because it does not depend on what is planned beside it: only on the steps
//! that lead to it, and on those that are explored before it from each state on the way.

use super::Note;
use super::footprint::{Footprints, Label};
use super::wakeup::{Initial, weak_initial};
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

/// There may be many, so its names are short where it is written.
#[derive(Serialize, Deserialize)]
pub struct Branch {
    #[serde(rename = "p")]
    pub parent: PartId,
    /// Steps up to the state behind it.
    #[serde(rename = "d")]
    pub depth: usize,
    #[serde(rename = "l")]
    pub planned: Label,
    /// As it turned out.
    #[serde(rename = "m", default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Label>,
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
    /// What waits beside it was planned anew after it was made.
    #[serde(rename = "r", default, skip_serializing_if = "std::ops::Not::not")]
    is_renewed: bool,
    /// Steps that were explored from the state behind it.
    #[serde(rename = "x", default, skip_serializing_if = "Vec::is_empty")]
    pub explored: Vec<Label>,
    #[serde(rename = "c", default, skip_serializing_if = "VecDeque::is_empty")]
    pub children: VecDeque<PartId>,
    /// What was said in the parts behind it about states before it.
    #[serde(rename = "n", default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
    /// Sequences from the state before it that were left to it although it is not certain what it touches.
    #[serde(rename = "g", default, skip_serializing_if = "Vec::is_empty")]
    pub reserved: Vec<Vec<Label>>,
    /// What its step decides, if inputs do.
    #[serde(skip)]
    pub decides: Option<Decision>,
    /// Of what has ended behind it; most have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    results: Option<Box<Results>>,
}

/// Where inputs decide how a thread goes on, and the way that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decision {
    pub at: CodePoint,
    pub variant: u32,
}

/// What is left of a part when it is given back: for each state behind the way, what was explored and what is planned.
pub struct Left {
    pub explored: Vec<Label>,
    /// None for the last state, whose first branch has not been begun.
    pub under_way: Option<UnderWay>,
    /// Where inputs decide about the next step of a thread.
    pub decides: Option<(ThreadId, CodePoint)>,
    pub waiting: Vec<Waiting>,
}

/// The step that was made from a state.
pub struct UnderWay {
    pub planned: Label,
    pub made: Label,
    /// See [`Branch::reserved`].
    pub reserved: Vec<Vec<Label>>,
}

/// A branch of a wake-up tree.
pub struct Waiting {
    pub label: Label,
    /// See [`Branch::reserved`].
    pub reserved: Vec<Vec<Label>>,
    pub children: Vec<Waiting>,
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
        let nothing = Label { thread: ThreadId::MAIN, variant: None, is_apart: false, footprint: Footprints::UNKNOWN };
        let root = Branch::new(ROOT, 0, nothing, Kind::Leaf);
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

    fn add(&mut self, parent: PartId, label: Label, kind: Kind) -> PartId {
        let branch = Branch::new(parent, self.at(parent).depth + 1, label, kind);
        if kind == Kind::Leaf {
            self.count_free(parent, 1);
        }
        if let Some(id) = self.free.pop() {
            *self.at_mut(id) = branch;
            return id;
        }
        self.branches.push(branch);
        PartId(u32::try_from(self.branches.len() - 1).expect("fewer than 2^32 branches"))
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
        let children = std::mem::take(&mut self.at_mut(id).children);
        children.into_iter().for_each(|child| self.forget(child));
        let branch = self.at_mut(id);
        branch.n_free = 0;
        // Its place is not used again while somebody explores it.
        if branch.is_taken && !branch.has_ended {
            branch.has_ended = true;
        } else {
            self.free.push(id);
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
    pub fn made(&mut self, id: PartId, depth: usize, steps: &[Label]) {
        // The way to what nobody waits for may be another by now.
        if !self.is_wanted(id) {
            return;
        }
        let mut next = id;
        while next != ROOT && self.at(next).depth > depth {
            let branch = self.at_mut(next);
            if let Some(&label) = steps.get(branch.depth - 1 - depth) {
                branch.made = Some(label);
            }
            next = branch.parent;
        }
        let mut next = id;
        while next != ROOT && self.at(next).depth > depth {
            next = self.at(next).parent;
            self.renew(next);
        }
    }

    /// A part has been explored to its end. If the execution ended on the way to it, at the state of this depth, then there is
    /// nothing behind that.
    pub fn end(&mut self, mut id: PartId, depth: usize, notes: Vec<Note>, results: Results) {
        if !self.is_wanted(id) {
            self.at_mut(id).is_taken = false;
            self.free.push(id);
            return;
        }
        if self.at(id).depth > depth {
            self.set_taken(id, false);
        }
        while self.at(id).depth > depth {
            id = self.at(id).parent;
        }
        self.clear(id);
        let branch = self.at_mut(id);
        branch.kind = Kind::Open;
        branch.n_free = 0;
        branch.is_taken = false;
        branch.notes.extend(notes);
        branch.add_results(results);
        branch.has_ended = true;
        let parent = branch.parent;
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
        notes: Vec<Note>,
        results: Results,
        shares: bool,
    ) -> (PartId, usize) {
        let branch = self.at_mut(id);
        if branch.has_ended {
            return (id, branch.depth);
        }
        branch.add_results(results);
        for note in notes {
            self.deliver(id, note);
        }
        self.clear(id);
        self.at_mut(id).n_free = 0;
        let mut at = id;
        for left in left {
            let branch = self.at_mut(at);
            branch.kind = Kind::Open;
            branch.explored = left.explored;
            let mut next = at;
            if let Some(UnderWay { planned, made, reserved }) = left.under_way {
                if let Some((_, at)) = left.decides.filter(|decides| decides.0 == made.thread) {
                    self.decided.extend(made.variant.map(|variant| Decision { at, variant }));
                }
                next = self.add(at, planned, Kind::Open);
                self.at_mut(next).made = Some(made);
                self.at_mut(next).is_renewed = true;
                self.at_mut(next).reserved = reserved;
                self.at_mut(at).children.push_back(next);
            }
            for waiting in left.waiting {
                let Label { thread, variant, .. } = waiting.label;
                let id = self.add_waiting(at, waiting);
                let decides = left.decides.filter(|decides| decides.0 == thread).zip(variant);
                self.at_mut(id).decides = decides.map(|((_, at), variant)| Decision { at, variant });
            }
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

    fn add_waiting(&mut self, parent: PartId, waiting: Waiting) -> PartId {
        let kind = if waiting.children.is_empty() { Kind::Leaf } else { Kind::Inner };
        let id = self.add(parent, waiting.label, kind);
        self.at_mut(id).reserved = waiting.reserved;
        self.at_mut(parent).children.push_back(id);
        for child in waiting.children {
            self.add_waiting(id, child);
        }
        id
    }

    /// Whether all that comes before the state behind a branch and could still plan something for it has ended.
    fn is_its_turn(&self, mut id: PartId) -> bool {
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
            self.renew(id);
            let first = self.at(id).children.front().copied();
            // What was said behind it may have waited for this turn.
            if let Some(first) = first {
                for note in std::mem::take(&mut self.at_mut(first).notes) {
                    self.deliver(first, note);
                }
            }
            match first {
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
        let Branch { notes, results, reserved, .. } = self.at_mut(first);
        let (notes, results, reserved) = (std::mem::take(notes), results.take(), std::mem::take(reserved));
        let made = self.at(first).begun();
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
            self.deliver(id, note);
        }
        // As `Forest::make_up` does.
        for sequence in reserved {
            if weak_initial(&self.footprints, &made, &sequence).is_none() {
                self.insert(id, sequence);
            }
        }
    }

    /// Brings a note from behind a branch to the state that it is about, or as near as it may come by now: it must not
    /// overtake what is explored before.
    fn deliver(&mut self, mut from: PartId, note: Note) {
        let (Note::Plan(depth, _) | Note::Step(depth, _)) = note;
        while self.at(from).depth > depth {
            let parent = self.at(from).parent;
            let is_first = self.at(parent).children.front() == Some(&from);
            if !is_first || self.at(parent).depth == depth && !self.is_its_turn(parent) {
                self.at_mut(from).notes.push(note);
                return;
            }
            from = parent;
        }
        match note {
            Note::Plan(_, sequence) => self.insert(from, sequence),
            Note::Step(_, label) => self.add_unless_known(from, label),
        }
    }

    fn add_unless_known(&mut self, id: PartId, label: Label) {
        let same = |other: &Label| match label.variant {
            Some(variant) => other.tries(Choice { thread: label.thread, variant }),
            None => other.is(&label),
        };
        let branch = self.at(id);
        let known =
            branch.explored.iter().any(same) || branch.children.iter().any(|&child| same(&self.at(child).begun()));
        if !known {
            let child = self.add(id, label, Kind::Leaf);
            self.at_mut(id).children.push_back(child);
        }
    }

    /// Adds a sequence to the branches behind `at`, unless what they lead to covers it.
    fn insert(&mut self, mut at: PartId, mut sequence: Vec<Label>) {
        loop {
            let mut children = self.at(at).children.iter().copied();
            let found = children.find_map(|child| {
                let initial = weak_initial(&self.footprints, &self.at(child).begun(), &sequence)?;
                Some((child, initial))
            });
            let Some((child, initial)) = found else { break };
            let branch = &mut self.branches[child.0 as usize];
            let is_left_to_it = initial != Initial::At(0) || sequence.len() > 1 && branch.kind == Kind::Leaf;
            if is_left_to_it
                && branch.made.is_none()
                && self.footprints.is_uncertain(branch.planned.footprint)
                && !branch.reserved.contains(&sequence)
            {
                branch.reserved.push(sequence.clone());
            }
            if let Initial::At(position) = initial {
                sequence.remove(position);
            }
            if sequence.is_empty() || self.at(child).kind != Kind::Inner {
                return;
            }
            at = child;
        }
        let last = sequence.len() - 1;
        for (position, label) in sequence.into_iter().enumerate() {
            let kind = if position == last { Kind::Leaf } else { Kind::Inner };
            let child = self.add(at, label, kind);
            self.at_mut(at).children.push_back(child);
            at = child;
        }
    }

    /// If it is the turn of the first branch behind `id`, and its step was made and turned out otherwise than planned:
    /// plans anew what waits beside it.
    fn renew(&mut self, id: PartId) {
        let Some(&first) = self.at(id).children.front() else { return };
        let branch = self.at(first);
        if self.is_settled(first) || branch.made.is_none() || !self.is_its_turn(id) {
            return;
        }
        self.at_mut(first).is_renewed = true;
        let waiting: Vec<PartId> = self.at_mut(id).children.drain(1..).collect();
        for child in waiting {
            debug_assert!(self.at(child).made.is_none(), "nobody goes beyond a step that is not settled");
            let mut path = Vec::new();
            self.insert_all(id, child, &mut path);
            self.remove(child);
        }
        for reserved in std::mem::take(&mut self.at_mut(first).reserved) {
            self.insert(id, reserved);
        }
    }

    /// Whether it is known what the step of a branch touches, and what waits beside it was planned with that.
    pub fn is_settled(&self, id: PartId) -> bool {
        let Branch { planned, made, is_renewed, .. } = self.at(id);
        let as_planned = |made: &Label| self.footprints.is_as_planned(planned.footprint, made.footprint);
        made.as_ref().is_some_and(|made| *is_renewed || as_planned(made))
    }

    fn insert_all(&mut self, id: PartId, child: PartId, path: &mut Vec<Label>) {
        for reserved in std::mem::take(&mut self.at_mut(child).reserved) {
            self.insert(id, path.iter().copied().chain(reserved).collect());
        }
        path.push(self.at(child).planned);
        let children: Vec<PartId> = self.at(child).children.iter().copied().collect();
        if children.is_empty() {
            self.insert(id, path.clone());
        }
        for child in children {
            self.insert_all(id, child, path);
        }
        path.pop();
    }

    /// What the search has come to, in its order.
    pub fn results(&self) -> Results {
        let mut results = Results::default();
        self.collect(ROOT, &mut results);
        results
    }

    fn collect(&self, id: PartId, results: &mut Results) {
        if let Some(found) = &self.at(id).results {
            results.append((**found).clone());
        }
        for &child in &self.at(id).children {
            self.collect(child, results);
        }
    }
}

impl Branch {
    fn new(parent: PartId, depth: usize, planned: Label, kind: Kind) -> Branch {
        Branch {
            parent,
            depth,
            planned,
            made: None,
            kind,
            is_taken: false,
            has_ended: false,
            n_free: u32::from(kind == Kind::Leaf),
            is_renewed: false,
            explored: Vec::new(),
            children: VecDeque::new(),
            notes: Vec::new(),
            reserved: Vec::new(),
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

    /// As it was made, or is planned to be.
    pub fn begun(&self) -> Label {
        self.made.unwrap_or(self.planned)
    }
}
