//! The search that workers share: the wake-up trees on the ways to the parts that are being explored or still are to be.
//!
//! The parts are put together in the order in which a single worker would explore them. What a part says about states on
//! the way to it is kept until all parts before it have ended, so that every plan meets the tree that it would have met
//! then. A part can be explored before its turn because it does not depend on what is planned beside it: only on the steps
//! that lead to it, and on those that are explored before it from each state on the way.

use super::Note;
use super::footprint::{Footprint, Footprints, Label};
use super::wakeup::{Initial, weak_initial};
use gordian_base::ThreadId;
use gordian_engine::Results;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// Names a branch of the [`Tree`], and with it the state behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartId(u32);

const ROOT: PartId = PartId(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Kind {
    /// Everything behind it is to be explored.
    Leaf,
    /// The sequences behind it are to be explored, and more may be planned.
    Inner,
    /// Everything behind it is to be explored, and some of that was.
    Open,
}

#[derive(Serialize, Deserialize)]
pub struct Branch {
    parent: PartId,
    /// Steps up to the state behind it.
    depth: usize,
    planned: Label,
    /// As it turned out.
    made: Option<Label>,
    kind: Kind,
    /// Nobody has it when it is read again.
    #[serde(skip)]
    is_taken: bool,
    has_ended: bool,
    /// What waits beside it was planned anew after it was made.
    is_renewed: bool,
    /// Steps that were explored from the state behind it.
    explored: Vec<Label>,
    children: VecDeque<PartId>,
    /// What was said in the parts behind it about states before it.
    notes: Vec<Note>,
    results: Results,
}

/// A part of the search, and the way to it.
pub struct Part {
    pub id: PartId,
    pub steps: Vec<Label>,
    /// For each state on the way: the steps that are explored before, and what waits beside.
    pub explored: Vec<Vec<Label>>,
    pub waiting: Vec<Vec<Waiting>>,
    /// So many of the steps were made before.
    pub known: usize,
}

/// What is left of a part when it is given back: for each state behind the way, what was explored and what is planned.
pub struct Left {
    pub explored: Vec<Label>,
    /// As planned and as made; none for the last state, whose first branch has not been begun.
    pub under_way: Option<(Label, Label)>,
    pub waiting: Vec<Waiting>,
}

/// A branch of a wake-up tree.
pub struct Waiting {
    pub label: Label,
    pub children: Vec<Waiting>,
}

pub struct Tree {
    pub footprints: Footprints,
    branches: Vec<Branch>,
    free: Vec<PartId>,
}

/// A [`Tree`] as it is written.
#[derive(Serialize, Deserialize)]
struct Saved<B> {
    footprints: Vec<Footprint>,
    branches: B,
    free: Vec<PartId>,
}

impl Tree {
    pub fn save(&self) -> String {
        let saved = Saved { footprints: self.footprints.all(), branches: &self.branches, free: self.free.clone() };
        serde_json::to_string(&saved).expect("nothing in it cannot be written")
    }

    /// None if the text is not what [`Tree::save`] writes.
    pub fn read(text: &str) -> Option<Tree> {
        let saved: Saved<Vec<Branch>> = serde_json::from_str(text).ok()?;
        let tree = Tree { footprints: saved.footprints.into(), branches: saved.branches, free: saved.free };
        tree.is_sound().then_some(tree)
    }

    /// Whether everything that is named is there.
    fn is_sound(&self) -> bool {
        let is_part = |id: &PartId| (id.0 as usize) < self.branches.len();
        let sound = |label: &Label| self.footprints.has(label.footprint);
        let of_note = |note: &Note| match note {
            Note::Plan(_, sequence) => sequence.iter().all(sound),
            Note::Step(_, label) => sound(label),
        };
        !self.branches.is_empty()
            && self.free.iter().all(is_part)
            && self.branches.iter().enumerate().all(|(index, branch)| {
                is_part(&branch.parent)
                    && branch.children.iter().all(|child| {
                        is_part(child) && child.0 as usize != index && self.at(*child).depth == branch.depth + 1
                    })
                    && sound(&branch.planned)
                    && branch.made.iter().chain(&branch.explored).all(sound)
                    && branch.notes.iter().all(of_note)
            })
    }

    pub fn new() -> Tree {
        let nothing = Label { thread: ThreadId::MAIN, variant: None, is_apart: false, footprint: Footprints::UNKNOWN };
        let root = Branch::new(ROOT, 0, nothing, Kind::Leaf);
        Tree { footprints: Footprints::default(), branches: vec![root], free: Vec::new() }
    }

    fn at(&self, id: PartId) -> &Branch {
        &self.branches[id.0 as usize]
    }

    fn at_mut(&mut self, id: PartId) -> &mut Branch {
        &mut self.branches[id.0 as usize]
    }

    fn add(&mut self, parent: PartId, label: Label, kind: Kind) -> PartId {
        let branch = Branch::new(parent, self.at(parent).depth + 1, label, kind);
        if let Some(id) = self.free.pop() {
            *self.at_mut(id) = branch;
            return id;
        }
        self.branches.push(branch);
        PartId(u32::try_from(self.branches.len() - 1).expect("fewer than 2^32 branches"))
    }

    /// Forgets a branch and all behind it. Whoever explores one of them will find that nobody waits for it.
    fn remove(&mut self, id: PartId) {
        self.clear(id);
        let branch = self.at_mut(id);
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

    /// A part to explore: the one that promises most, near the root.
    pub fn take(&mut self) -> Option<Part> {
        let mut found = Vec::new();
        self.find(ROOT, &mut found);
        let id = found.into_iter().min_by_key(|&id| self.at(id).depth)?;
        self.at_mut(id).is_taken = true;
        Some(self.part(id))
    }

    /// The parts behind a branch that can be explored now, in their order.
    fn find(&self, id: PartId, found: &mut Vec<PartId>) {
        let branch = self.at(id);
        if branch.has_ended || branch.is_taken {
            return;
        }
        if branch.kind == Kind::Leaf {
            found.push(id);
            return;
        }
        for &child in &branch.children {
            self.find(child, found);
            // What comes after depends on how this one turns out.
            if !self.at(child).is_settled() {
                break;
            }
        }
    }

    fn part(&self, id: PartId) -> Part {
        let mut part = Part { id, steps: Vec::new(), explored: Vec::new(), waiting: Vec::new(), known: 0 };
        let mut next = id;
        while next != ROOT {
            let branch = self.at(next);
            let parent = self.at(branch.parent);
            let before = parent.children.iter().take_while(|&&child| child != next);
            let mut explored = parent.explored.clone();
            explored.extend(before.map(|&child| self.at(child).made.expect("those before it were made")));
            part.steps.push(Label { footprint: branch.planned.footprint, ..branch.begun() });
            let beside = parent.children.iter().skip_while(|&&child| child != next).skip(1);
            part.waiting.push(beside.map(|&child| self.waiting(child)).collect());
            part.explored.push(explored);
            part.known += usize::from(branch.made.is_some());
            next = branch.parent;
        }
        part.steps.reverse();
        part.explored.reverse();
        part.waiting.reverse();
        part
    }

    fn waiting(&self, id: PartId) -> Waiting {
        let branch = self.at(id);
        // Behind the others everything is explored.
        let children = branch.children.iter().filter(|_| branch.kind == Kind::Inner);
        Waiting { label: branch.begun(), children: children.map(|&child| self.waiting(child)).collect() }
    }

    /// The steps on the way to a part were made, as these.
    pub fn made(&mut self, id: PartId, steps: &[Label]) {
        let mut next = id;
        while next != ROOT {
            let branch = self.at_mut(next);
            if let Some(&label) = steps.get(branch.depth - 1) {
                branch.made = Some(label);
            }
            next = self.at(next).parent;
        }
        let mut next = id;
        while next != ROOT {
            next = self.at(next).parent;
            self.renew(next);
        }
    }

    /// A part has been explored to its end.
    pub fn end(&mut self, id: PartId, notes: Vec<Note>, results: Results) {
        self.clear(id);
        let branch = self.at_mut(id);
        branch.is_taken = false;
        branch.notes.extend(notes);
        branch.results.append(results);
        if branch.has_ended {
            self.free.push(id);
            return;
        }
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
        branch.notes.extend(notes);
        branch.results.append(results);
        if branch.has_ended {
            return (id, branch.depth);
        }
        self.clear(id);
        let mut at = id;
        for left in left {
            let branch = self.at_mut(at);
            branch.kind = Kind::Open;
            branch.explored = left.explored;
            let mut next = at;
            if let Some((planned, made)) = left.under_way {
                next = self.add(at, planned, Kind::Open);
                self.at_mut(next).made = Some(made);
                self.at_mut(next).is_renewed = true;
                self.at_mut(at).children.push_back(next);
            }
            for waiting in left.waiting {
                self.add_waiting(at, waiting);
            }
            at = next;
        }
        let mut own = id;
        while shares && let Some(&first) = self.at(own).children.front() {
            let is_shared = self.at(own).children.len() > 1;
            own = first;
            if is_shared {
                self.at_mut(id).is_taken = false;
                self.at_mut(own).is_taken = true;
                return (own, self.at(own).depth);
            }
        }
        (id, self.at(id).depth)
    }

    fn add_waiting(&mut self, parent: PartId, waiting: Waiting) {
        let kind = if waiting.children.is_empty() { Kind::Leaf } else { Kind::Inner };
        let id = self.add(parent, waiting.label, kind);
        self.at_mut(parent).children.push_back(id);
        for child in waiting.children {
            self.add_waiting(id, child);
        }
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
        while self.is_its_turn(id) {
            self.renew(id);
            match self.at(id).children.front().copied() {
                Some(first) if self.at(first).has_ended => self.merge(id, first),
                // Now that it is the first, what is behind it may have ended already.
                Some(first) if self.at(first).kind == Kind::Inner => id = first,
                Some(_) => return,
                None => {
                    self.at_mut(id).has_ended = true;
                    if id == ROOT {
                        return;
                    }
                    id = self.at(id).parent;
                }
            }
        }
    }

    /// Takes in the first of the branches behind `id`, which has ended.
    fn merge(&mut self, id: PartId, first: PartId) {
        self.at_mut(id).children.pop_front();
        let notes = std::mem::take(&mut self.at_mut(first).notes);
        let results = std::mem::take(&mut self.at_mut(first).results);
        let made = self.at(first).begun();
        self.free.push(first);
        let is_final = results.is_final();
        let branch = self.at_mut(id);
        branch.results.append(results);
        branch.explored.push(made);
        if is_final {
            self.clear(id);
            return;
        }
        let depth = branch.depth;
        for note in notes {
            match note {
                Note::Plan(at, sequence) if at == depth => self.insert(id, sequence),
                Note::Step(at, label) if at == depth => self.add_unless_known(id, label),
                note => self.at_mut(id).notes.push(note),
            }
        }
    }

    fn add_unless_known(&mut self, id: PartId, label: Label) {
        let same = |other: &Label| other.is(&label);
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
        if branch.is_settled() || branch.made.is_none() || !self.is_its_turn(id) {
            return;
        }
        self.at_mut(first).is_renewed = true;
        let waiting: Vec<PartId> = self.at_mut(id).children.drain(1..).collect();
        for child in waiting {
            let mut path = Vec::new();
            self.insert_all(id, child, &mut path);
            self.remove(child);
        }
    }

    fn insert_all(&mut self, id: PartId, child: PartId, path: &mut Vec<Label>) {
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
        results.append(self.at(id).results.clone());
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
            is_renewed: false,
            explored: Vec::new(),
            children: VecDeque::new(),
            notes: Vec::new(),
            results: Results::default(),
        }
    }

    /// As it was made, or is planned to be.
    fn begun(&self) -> Label {
        self.made.unwrap_or(self.planned)
    }

    /// Whether it is known what its step touches, and what waits beside it was planned with that.
    fn is_settled(&self) -> bool {
        self.made.is_some_and(|made| self.is_renewed || made.footprint == self.planned.footprint)
    }
}
