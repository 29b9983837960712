//! Wake-up trees: what must still be explored from a state, so that no exploration is in vain.

use super::brevity::{Place, Surroundings, Waits, is_certain};
use super::dependence::{Dependents, Glance, Threads};
use super::footprint::{FootprintId, Footprints, Label};
use super::history::NONE;
use gordian_base::FxHashMap;

/// Names a branch of the [`Forest`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BranchId(u32);

impl Default for BranchId {
    fn default() -> Self {
        BranchId::NONE
    }
}

impl BranchId {
    pub const NONE: BranchId = BranchId(u32::MAX);

    pub fn is_none(self) -> bool {
        self == BranchId::NONE
    }
}

/// Of a size that makes it easy to find.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Branch {
    label: Label,
    /// The first of those behind it.
    children: BranchId,
    /// The next beside it; for free ones, the next free one.
    next: BranchId,
    /// Of a leaf: since which depth the steps up to it are those of one reversal, if that is known. See `parsimony`.
    since: u32,
}

/// All wake-up trees of a search: ordered branches, linked, in one store that is used again.
pub struct Forest {
    branches: Vec<Branch>,
    free: BranchId,
    /// By branch of which it is not certain what it touches: sequences that it would cover, to be looked at again when that
    /// is seen.
    reserved: FxHashMap<u32, Vec<Vec<Label>>>,
    /// The branches that a sequence was last followed into.
    descended: Vec<BranchId>,
    /// Where it is added.
    place: Place,
    /// What matters of it.
    reduced: Vec<Label>,
}

impl Default for Forest {
    fn default() -> Self {
        Forest {
            branches: Vec::new(),
            free: BranchId::NONE,
            reserved: FxHashMap::default(),
            descended: Vec::new(),
            place: Place::default(),
            reduced: Vec::new(),
        }
    }
}

/// Where a step that could come first stands in a sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Initial {
    /// It is the step at this position, and nothing before it must come first.
    At(usize),
    /// The sequence does not contain it and does not depend on it.
    Apart,
}

/// Whether `label` is a weak initial of `sequence`: whether the sequence could begin with it.
#[inline(always)]
pub fn weak_initial(footprints: &Footprints, label: &Label, sequence: &[Label]) -> Option<Initial> {
    weak_initial_of(footprints, label, sequence, Threads::ANY)
}

/// The same where the threads of the sequence are known.
#[inline(always)]
pub fn weak_initial_of(
    footprints: &Footprints,
    label: &Label,
    sequence: &[Label],
    threads: Threads,
) -> Option<Initial> {
    let dependents = Dependents::of(footprints, label);
    if !threads.may_have(label.thread) {
        let covers = !label.is_apart || label.variant.is_none();
        return (covers && !dependents.are_among(sequence)).then_some(Initial::Apart);
    }
    // Whether the label stands in the sequence further on or not, it would have to come before one that depends on it.
    match dependents.first_of(sequence) {
        Some(position) if sequence[position].thread == label.thread => {
            label.is(&sequence[position]).then_some(Initial::At(position))
        }
        Some(_) => None,
        // Otherwise the sequence may be followed by what the label does not lead to.
        None => (!label.is_apart || label.variant.is_none()).then_some(Initial::Apart),
    }
}

/// The same where the sequence does not begin with it, which is seldom.
#[inline(never)]
fn weak_initial_further_on(
    footprints: &Footprints,
    label: &Label,
    sequence: &[Label],
    threads: Threads,
) -> Option<Initial> {
    weak_initial_of(footprints, label, sequence, threads)
}

/// The branch of a step that was made.
pub struct Made {
    /// What it was expected to touch.
    pub planned: FootprintId,
    /// See [`Branch::since`].
    pub since: u32,
    /// Nothing waits beside it or was left to it.
    pub is_alone: bool,
}

/// A list of branches, by what points at its first.
#[derive(Clone, Copy)]
enum List {
    Behind(BranchId),
    Beside(BranchId),
}

/// Where what is left of a sequence belongs.
struct End<'s> {
    list: List,
    rest: &'s mut [Label],
    /// The way there has steps of the sequence alone, and not its last.
    is_own: bool,
}

impl Forest {
    pub fn add(&mut self, label: Label) -> BranchId {
        let branch = Branch { label, children: BranchId::NONE, next: BranchId::NONE, since: NONE };
        if self.free.is_none() {
            self.branches.push(branch);
            return BranchId(u32::try_from(self.branches.len() - 1).expect("fewer than 2^32 branches"));
        }
        let id = self.free;
        self.free = self.branches[id.0 as usize].next;
        self.branches[id.0 as usize] = branch;
        id
    }

    /// How many branches there are.
    pub fn len(&self) -> usize {
        self.branches.len() - self.from(self.free).count()
    }

    /// The first of those behind a branch.
    pub fn children(&self, id: BranchId) -> BranchId {
        self.branches[id.0 as usize].children
    }

    /// Frees a branch and all behind it, and gives the one beside it.
    pub fn remove(&mut self, id: BranchId) -> BranchId {
        let Branch { mut children, next, .. } = self.branches[id.0 as usize];
        while !children.is_none() {
            children = self.remove(children);
        }
        self.free(id);
        if !self.reserved.is_empty() {
            self.reserved.remove(&id.0);
        }
        next
    }

    /// Whether nothing is behind or beside a branch, and nothing will be.
    #[inline]
    pub fn is_last(&self, id: BranchId) -> bool {
        let branch = self.branches.get(id.0 as usize);
        branch.is_some_and(|branch| branch.children.is_none() && branch.next.is_none()) && self.reserved.is_empty()
    }

    #[inline]
    pub fn free(&mut self, id: BranchId) {
        self.branches[id.0 as usize].next = self.free;
        self.free = id;
    }

    pub fn label(&self, id: BranchId) -> &Label {
        &self.branches[id.0 as usize].label
    }

    pub fn label_mut(&mut self, id: BranchId) -> &mut Label {
        &mut self.branches[id.0 as usize].label
    }

    pub fn take_children(&mut self, id: BranchId) -> BranchId {
        std::mem::replace(&mut self.branches[id.0 as usize].children, BranchId::NONE)
    }

    /// The branch and those beside it, in order.
    pub fn from(&self, first: BranchId) -> impl Iterator<Item = BranchId> {
        let some = |id: BranchId| (!id.is_none()).then_some(id);
        std::iter::successors(some(first), move |id| some(self.branches[id.0 as usize].next))
    }

    /// What waits beside a branch, after it.
    pub fn waits_beside(&self, footprints: &Footprints, id: BranchId) -> Waits {
        let is_step = |id: BranchId| self.children(id).is_none() && is_certain(footprints, self.label(id));
        Waits::of(self.from(id).skip(1).map(is_step))
    }

    fn first(&self, list: List) -> BranchId {
        match list {
            List::Behind(id) => self.branches[id.0 as usize].children,
            List::Beside(id) => self.branches[id.0 as usize].next,
        }
    }

    fn set_first(&mut self, list: List, first: BranchId) {
        match list {
            List::Behind(id) => self.branches[id.0 as usize].children = first,
            List::Beside(id) => self.branches[id.0 as usize].next = first,
        }
    }

    /// Adds a leaf as the last beside `id`.
    pub fn add_beside(&mut self, id: BranchId, label: Label) {
        let new = self.add(label);
        let last = self.from(id).last().expect("the branch itself");
        self.branches[last.0 as usize].next = new;
    }

    /// Adds `sequence` to the branches after `under_way`, unless what they lead to covers it already. Gives the leaf that
    /// covers it, if there are but leaves before it: should one of them come to cover the sequence, too, nothing changes.
    /// `since` is for the leaf that is added, see [`Branch::since`]. How much is added of the sequence depends on its
    /// surroundings, see `brevity`, if a look at them can be had.
    #[expect(clippy::too_many_arguments, reason = "all that a plan is made of")]
    pub fn insert(
        &mut self,
        footprints: &Footprints,
        under_way: BranchId,
        sequence: &mut [Label],
        threads: Threads,
        since: u32,
        surroundings: &mut Surroundings,
        look: impl FnOnce(&mut Surroundings) -> bool,
    ) -> Option<(Label, Initial)> {
        let mut list = List::Beside(under_way);
        let glance = Glance::of(footprints, sequence, threads);
        let mut id = self.first(list);
        while let Some(&Branch { ref label, children, next, .. }) = self.branches.get(id.0 as usize) {
            if !children.is_none() || footprints.is_uncertain(label.footprint) {
                break;
            }
            if !glance.rules_out(label)
                && let Some(initial) = weak_initial_of(footprints, label, sequence, threads)
            {
                let label = self.widen(id, initial, sequence);
                return Some((label, initial));
            }
            (list, id) = (List::Beside(id), next);
        }
        let mut reduced = std::mem::take(&mut self.reduced);
        reduced.clear();
        reduced.extend_from_slice(sequence);
        let mut end = self.follow(footprints, list, sequence, threads);
        if end.is_some() && look(surroundings) {
            self.place.begin(surroundings);
            let len = self.place.reduce(footprints, &surroundings.wakers, &mut reduced);
            // Branches may cover it now that it is shorter.
            end = len.and_then(|len| self.follow(footprints, List::Beside(under_way), &mut reduced[..len], threads));
            self.add_abridged(footprints, end, under_way, since, Some(surroundings));
        } else {
            self.add_abridged(footprints, end, under_way, since, None);
        }
        self.reduced = reduced;
        None
    }

    /// Adds what is left of a sequence where it belongs, no more of it than its surroundings ask for if there is something to say of them.
    fn add_abridged(
        &mut self,
        footprints: &Footprints,
        end: Option<End<'_>>,
        under_way: BranchId,
        since: u32,
        surroundings: Option<&Surroundings>,
    ) {
        let Some(End { list, rest, is_own }) = end else { return };
        let Some(&last) = rest.last() else { return };
        let mut len = Some(rest.len());
        if let Some(surroundings) = surroundings {
            self.find_place(surroundings, under_way);
            len = self.place.abridge(footprints, &surroundings.wakers, rest);
        }
        let Some(len) = len else { return };
        let leaf = self.add_sequence(list, &rest[..len]);
        if is_own && rest[len - 1] == last {
            self.branches[leaf.0 as usize].since = since;
        }
    }

    /// Where the sequence that was last followed is to be added.
    fn find_place(&mut self, surroundings: &Surroundings, under_way: BranchId) {
        let mut place = std::mem::take(&mut self.place);
        place.begin(surroundings);
        let mut first = self.branches[under_way.0 as usize].next;
        for &down in &self.descended {
            self.from(first).take_while(|&id| id != down).for_each(|id| place.pass(*self.label(id)));
            place.go_on(*self.label(down));
            first = self.children(down);
        }
        self.from(first).for_each(|id| place.pass(*self.label(id)));
        self.place = place;
    }

    /// Adds a branch at the end of a list, and gives its leaf.
    fn add_sequence(&mut self, mut list: List, sequence: &[Label]) -> BranchId {
        let mut leaf = BranchId::NONE;
        for &label in sequence {
            leaf = self.add(label);
            self.set_first(list, leaf);
            list = List::Behind(leaf);
        }
        leaf
    }

    /// The step of a branch was made.
    #[inline]
    pub fn make(&mut self, under_way: BranchId, label: Label) -> Made {
        let branch = &mut self.branches[under_way.0 as usize];
        let planned = std::mem::replace(&mut branch.label, label).footprint;
        let is_alone = branch.next.is_none() && self.reserved.is_empty();
        Made { planned, since: if branch.children.is_none() { branch.since } else { NONE }, is_alone }
    }

    /// The step of `under_way` turned out to depend on less than was planned for: what waits beside it may be covered by
    /// what it leads to, and must then not be explored beside it.
    pub fn renew(&mut self, footprints: &Footprints, under_way: BranchId, sequence: &mut Vec<Label>) {
        let mut waiting = std::mem::replace(&mut self.branches[under_way.0 as usize].next, BranchId::NONE);
        let mut path = Vec::new();
        while !waiting.is_none() {
            self.insert_all(footprints, under_way, waiting, &mut path, sequence);
            waiting = self.remove(waiting);
        }
        for mut reserved in self.take_reserved(under_way) {
            self.insert_from(footprints, under_way, &mut reserved);
        }
    }

    /// Sequences that were left to a branch of which it is not certain what it touches, each from the state before it.
    pub fn reserved(&self, id: BranchId) -> &[Vec<Label>] {
        self.reserved.get(&id.0).map_or(&[], Vec::as_slice)
    }

    /// All behind a branch was explored: plans what was left to it and what it did not lead to, as it went one way of several.
    #[inline]
    pub fn make_up(&mut self, footprints: &Footprints, id: BranchId) {
        if self.reserved.is_empty() {
            return;
        }
        for mut reserved in self.take_reserved(id) {
            if weak_initial(footprints, self.label(id), &reserved).is_none() {
                self.insert_into(footprints, List::Beside(id), &mut reserved, Threads::ANY);
            }
        }
    }

    fn take_reserved(&mut self, id: BranchId) -> Vec<Vec<Label>> {
        self.reserved.remove(&id.0).unwrap_or_default()
    }

    /// Inserts what leads through `branch` to each of its leaves into the list that begins with `first`.
    fn insert_all(
        &mut self,
        footprints: &Footprints,
        first: BranchId,
        branch: BranchId,
        path: &mut Vec<Label>,
        sequence: &mut Vec<Label>,
    ) {
        let Branch { label, mut children, .. } = self.branches[branch.0 as usize];
        for reserved in self.take_reserved(branch) {
            sequence.clone_from(path);
            sequence.extend(reserved);
            self.insert_from(footprints, first, sequence);
        }
        path.push(label);
        if children.is_none() {
            sequence.clone_from(path);
            self.insert_from(footprints, first, sequence);
        }
        while !children.is_none() {
            self.insert_all(footprints, first, children, path, sequence);
            children = self.branches[children.0 as usize].next;
        }
        path.pop();
    }

    fn insert_from(&mut self, footprints: &Footprints, first: BranchId, sequence: &mut [Label]) {
        match weak_initial(footprints, self.label(first), sequence) {
            None => self.insert_into(footprints, List::Beside(first), sequence, Threads::ANY),
            Some(initial) => {
                let sequence = without_initial(initial, sequence);
                self.insert_into(footprints, List::Behind(first), sequence, Threads::ANY)
            }
        };
    }

    /// Adds what is not covered of the sequence.
    fn insert_into(&mut self, footprints: &Footprints, list: List, sequence: &mut [Label], threads: Threads) {
        if let Some(End { list, rest, .. }) = self.follow(footprints, list, sequence, threads) {
            self.add_sequence(list, rest);
        }
    }

    /// Whether a branch covers a sequence only if it touches what is expected, or if it is not in vain itself.
    #[inline]
    fn is_reserved(&self, footprints: &Footprints, id: BranchId, initial: Initial, len: usize) -> bool {
        (initial != Initial::At(0) || len > 1 && self.children(id).is_none())
            && footprints.is_uncertain(self.label(id).footprint)
    }

    #[cold]
    fn reserve(&mut self, id: BranchId, sequence: &[Label]) {
        let reserved = self.reserved.entry(id.0).or_default();
        if !reserved.iter().any(|known| known == sequence) {
            reserved.push(sequence.to_vec());
        }
    }

    /// A branch is to stand for a step of a sequence: it is wanted in all its variants if that is.
    #[inline]
    fn widen(&mut self, id: BranchId, initial: Initial, sequence: &[Label]) -> Label {
        let label = &mut self.branches[id.0 as usize].label;
        if let Initial::At(position) = initial
            && label.is_less_than(&sequence[position])
        {
            label.variant = None;
        }
        *label
    }

    /// Goes down the branches that the sequence could begin with, to where there is none for what is left of it; nowhere
    /// if it is covered: below a leaf everything is explored.
    fn follow<'s>(
        &mut self,
        footprints: &Footprints,
        mut list: List,
        mut sequence: &'s mut [Label],
        threads: Threads,
    ) -> Option<End<'s>> {
        let mut id = self.first(list);
        let mut is_own = true;
        self.descended.clear();
        let mut glance = Glance::of(footprints, sequence, threads);
        while let Some(&Branch { ref label, children, next, .. }) = self.branches.get(id.0 as usize) {
            if glance.rules_out(label) {
                (list, id) = (List::Beside(id), next);
                continue;
            }
            let Some(first) = sequence.first() else { break };
            let initial = if label.thread == first.thread {
                label.is(first).then_some(Initial::At(0))
            } else if footprints.early().are_in_conflict(label.footprint, first.footprint) {
                None
            } else {
                weak_initial_further_on(footprints, label, sequence, threads)
            };
            let Some(initial) = initial else {
                (list, id) = (List::Beside(id), next);
                continue;
            };
            self.widen(id, initial, sequence);
            if self.is_reserved(footprints, id, initial, sequence.len()) {
                self.reserve(id, sequence);
            }
            if initial == Initial::At(0) && sequence.len() > 1 {
                sequence = &mut sequence[1..];
            } else {
                is_own &= matches!(initial, Initial::At(position) if position + 1 < sequence.len());
                sequence = without_initial(initial, sequence);
                glance = Glance::of(footprints, sequence, threads);
            }
            self.descended.push(id);
            (list, id) = (List::Behind(id), children);
        }
        let is_covered = sequence.is_empty() || matches!(list, List::Behind(_));
        (!is_covered).then_some(End { list, rest: sequence, is_own })
    }
}

/// The sequence without the step that came first. What stood before that step moves up, which is little: plans mostly agree
/// in how they begin.
#[inline]
fn without_initial(initial: Initial, sequence: &mut [Label]) -> &mut [Label] {
    let Initial::At(position) = initial else { return sequence };
    if position > 0 {
        sequence.copy_within(..position, 1);
    }
    &mut sequence[1..]
}
