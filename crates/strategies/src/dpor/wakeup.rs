//! Wake-up trees: what must still be explored from a state, so that no exploration is redundant.
//!
//! A tree is ordered. Its branches from a state are explored one after the other, and the steps of those before are in the sleep set of those behind.
//!
//! **Invariant A.** No branch is a weak initial of what stands behind a later branch of the same list: that would be explored behind the first.
//! **Invariant B.** A leaf stands for everything that can follow it, an inner branch for its leaves alone.
//!
//! **Lemma (insertion).** [`Forest::insert`] is `insert[E](w, tree)` of the paper. It goes down the first branch of each list that is a weak initial of
//! what is left of `w`, and takes that step out of `w`. It ends in one of three ways:
//! 1. at a leaf: what is left of `w` is among what follows the leaf (B), so `w` is covered;
//! 2. with nothing left of `w` at an inner branch: every leaf behind it begins with a sequence equivalent to `w`, so `w` is covered;
//! 3. at a list without such a branch: the rest of `w` is added there, behind all others, which keeps A since none of them is a weak initial of it.
//!
//! A branch of which it is not certain what it touches may turn out not to cover what was left to it in 1. and 2.: such sequences are kept
//! (`deferred`) and inserted again when the step was made.
//!
//! The tree that workers share (`parallel/tree.rs`) and their copies of it (`parallel/snapshot.rs`) are other types on purpose. This one is
//! made for speed: a branch is one step of 32 bytes in a linked list, and lives as long as one state of one execution. The shared one is made for order and for
//! the disk: a branch is a run of steps, knows who explores it, its results and the notes that wait for their turn. A copy only answers questions. What they
//! have in common, [`weak_initial`] and [`Place`], is shared; one type with what each needs would be larger than the three.

use super::trimming::{Place, SleepContext, Waits, is_certain};
use crate::explain::explain;
use crate::happens_before::dependence::{Dependents, Glance, Threads};
use crate::happens_before::footprint::{FootprintId, Footprints};
use crate::happens_before::transition::Transition;
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
    label: Transition,
    /// The first of those behind it.
    children: BranchId,
    /// The next beside it; for free ones, the next free one.
    next: BranchId,
}

/// All wake-up trees of a search: ordered branches, linked, in one store that is used again.
pub struct Forest {
    branches: Vec<Branch>,
    free: BranchId,
    /// By branch of which it is not certain what it touches: sequences that it would cover, to be looked at again when that
    /// is seen.
    deferred: FxHashMap<u32, Vec<Vec<Transition>>>,
    /// The branches that a sequence was last followed into.
    descended: Vec<BranchId>,
    /// Where it is added.
    place: Place,
    /// What matters of it.
    reduced: Vec<Transition>,
}

impl Default for Forest {
    fn default() -> Self {
        Forest {
            branches: Vec::new(),
            free: BranchId::NONE,
            deferred: FxHashMap::default(),
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
    Independent,
}

/// Whether `label` is a weak initial of `sequence`: whether the sequence could begin with it.
#[inline(always)]
pub fn weak_initial(footprints: &Footprints, label: &Transition, sequence: &[Transition]) -> Option<Initial> {
    weak_initial_of(footprints, label, sequence, Threads::ANY)
}

/// The same where the threads of the sequence are known.
#[inline(always)]
pub fn weak_initial_of(
    footprints: &Footprints,
    label: &Transition,
    sequence: &[Transition],
    threads: Threads,
) -> Option<Initial> {
    let dependents = Dependents::of(footprints, label);
    if !threads.may_have(label.thread) {
        return (label.covers_independent() && !dependents.are_among(sequence)).then_some(Initial::Independent);
    }
    // Whether the label stands in the sequence further on or not, it would have to come before one that depends on it.
    match dependents.first_of(sequence) {
        Some(position) if sequence[position].thread == label.thread => {
            label.is(&sequence[position]).then_some(Initial::At(position))
        }
        Some(_) => None,
        // Otherwise the sequence may be followed by what the label does not lead to.
        None => label.covers_independent().then_some(Initial::Independent),
    }
}

/// The same where the sequence does not begin with it, which is seldom.
#[inline(never)]
fn weak_initial_further_on(
    footprints: &Footprints,
    label: &Transition,
    sequence: &[Transition],
    threads: Threads,
) -> Option<Initial> {
    weak_initial_of(footprints, label, sequence, threads)
}

/// The branch of a step that was made.
pub struct Made {
    /// What it was expected to touch.
    pub planned: FootprintId,
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
    rest: &'s mut [Transition],
}

impl Forest {
    pub fn add(&mut self, label: Transition) -> BranchId {
        let branch = Branch { label, children: BranchId::NONE, next: BranchId::NONE };
        if self.free.is_none() {
            self.branches.push(branch);
            return BranchId(u32::try_from(self.branches.len() - 1).expect("fewer than 2^32 branches"));
        }
        let id = self.free;
        self.free = self.branches[id.0 as usize].next;
        self.branches[id.0 as usize] = branch;
        id
    }

    /// The first of those behind a branch.
    pub fn children(&self, id: BranchId) -> BranchId {
        self.branches[id.0 as usize].children
    }

    /// Frees a branch and all behind it, and gives the one beside it.
    pub fn remove(&mut self, id: BranchId) -> BranchId {
        let beside = std::mem::replace(&mut self.branches[id.0 as usize].next, BranchId::NONE);
        let mut pending = id;
        // Those behind a branch are put in front of what is pending, so that deep trees need no stack.
        while !pending.is_none() {
            let Branch { children, next, .. } = self.branches[pending.0 as usize];
            self.free(pending);
            if !self.deferred.is_empty() {
                self.deferred.remove(&pending.0);
            }
            pending = next;
            if let Some(last) = self.from(children).last() {
                self.branches[last.0 as usize].next = next;
                pending = children;
            }
        }
        beside
    }

    /// Whether nothing is behind or beside a branch, and nothing will be.
    #[inline]
    pub fn is_last(&self, id: BranchId) -> bool {
        let branch = self.branches.get(id.0 as usize);
        branch.is_some_and(|branch| branch.children.is_none() && branch.next.is_none()) && self.deferred.is_empty()
    }

    #[inline]
    pub fn free(&mut self, id: BranchId) {
        self.branches[id.0 as usize].next = self.free;
        self.free = id;
    }

    pub fn label(&self, id: BranchId) -> &Transition {
        &self.branches[id.0 as usize].label
    }

    pub fn label_mut(&mut self, id: BranchId) -> &mut Transition {
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
    pub fn add_beside(&mut self, id: BranchId, label: Transition) {
        let new = self.add(label);
        let last = self.from(id).last().expect("the branch itself");
        self.branches[last.0 as usize].next = new;
    }

    /// Adds `sequence` to the branches after `under_way`, unless what they lead to covers it already. Gives the leaf that
    /// covers it, if there are but leaves before it: should one of them come to cover the sequence, too, nothing changes.
    /// `look` brings the sleep context of the state up to date, and says whether plans are trimmed by it (see `trimming`).
    pub fn insert(
        &mut self,
        footprints: &Footprints,
        under_way: BranchId,
        sequence: &mut [Transition],
        threads: Threads,
        sleep_context: &mut SleepContext,
        look: impl FnOnce(&mut SleepContext) -> bool,
    ) -> Option<(Transition, Initial)> {
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
                explain!("  covered by a leaf: {}", crate::explain::Steps(footprints, &[label]));
                return Some((label, initial));
            }
            (list, id) = (List::Beside(id), next);
        }
        let mut reduced = std::mem::take(&mut self.reduced);
        reduced.clear();
        reduced.extend_from_slice(sequence);
        let mut end = self.follow(footprints, list, sequence, threads);
        if end.is_some() && look(sleep_context) {
            self.place.begin(sleep_context);
            let len = self.place.reduce(footprints, &sleep_context.inevitable, &mut reduced);
            // Branches may cover it now that it is shorter.
            end = len.and_then(|len| self.follow(footprints, List::Beside(under_way), &mut reduced[..len], threads));
            self.add_trimmed(footprints, end, under_way, Some(sleep_context));
        } else {
            self.add_trimmed(footprints, end, under_way, None);
        }
        self.reduced = reduced;
        None
    }

    /// Adds what is left of a sequence where it belongs, trimmed by the sleep context if there is one.
    fn add_trimmed(
        &mut self,
        footprints: &Footprints,
        end: Option<End<'_>>,
        under_way: BranchId,
        sleep_context: Option<&SleepContext>,
    ) {
        let Some(End { list, rest }) = end.filter(|end| !end.rest.is_empty()) else {
            explain!("  covered by the wake-up tree");
            return;
        };
        let mut len = Some(rest.len());
        if let Some(sleep_context) = sleep_context {
            self.find_place(sleep_context, under_way);
            len = self.place.truncate_plan(footprints, &sleep_context.inevitable, rest);
        }
        if let Some(len) = len {
            explain!(
                "  inserted behind {} branches: {}",
                self.descended.len(),
                crate::explain::Steps(footprints, &rest[..len])
            );
            self.add_sequence(list, &rest[..len]);
        }
    }

    /// Where the sequence that was last followed is to be added.
    fn find_place(&mut self, sleep_context: &SleepContext, under_way: BranchId) {
        let mut place = std::mem::take(&mut self.place);
        place.begin(sleep_context);
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
    fn add_sequence(&mut self, mut list: List, sequence: &[Transition]) -> BranchId {
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
    pub fn make(&mut self, under_way: BranchId, label: Transition) -> Made {
        let branch = &mut self.branches[under_way.0 as usize];
        let planned = std::mem::replace(&mut branch.label, label).footprint;
        let is_alone = branch.next.is_none() && self.deferred.is_empty();
        Made { planned, is_alone }
    }

    /// The step of `under_way` turned out to depend on less than was planned for: what waits beside it may be covered by
    /// what it leads to, and must then not be explored beside it.
    pub fn reinsert_siblings(&mut self, footprints: &Footprints, under_way: BranchId, sequence: &mut Vec<Transition>) {
        let mut waiting = std::mem::replace(&mut self.branches[under_way.0 as usize].next, BranchId::NONE);
        while !waiting.is_none() {
            self.insert_all(footprints, under_way, waiting, sequence);
            waiting = self.remove(waiting);
        }
        for mut deferred in self.take_deferred(under_way) {
            self.insert_from(footprints, under_way, &mut deferred);
        }
    }

    /// Sequences that were left to a branch of which it is not certain what it touches, each from the state before it.
    pub fn deferred(&self, id: BranchId) -> &[Vec<Transition>] {
        self.deferred.get(&id.0).map_or(&[], Vec::as_slice)
    }

    /// All behind a branch was explored: plans what was left to it and what it did not lead to, as it went one way of several.
    #[inline]
    pub fn insert_deferred(&mut self, footprints: &Footprints, id: BranchId) {
        if self.deferred.is_empty() {
            return;
        }
        for mut deferred in self.take_deferred(id) {
            if weak_initial(footprints, self.label(id), &deferred).is_none() {
                self.insert_into(footprints, List::Beside(id), &mut deferred, Threads::ANY);
            }
        }
    }

    fn take_deferred(&mut self, id: BranchId) -> Vec<Vec<Transition>> {
        self.deferred.remove(&id.0).unwrap_or_default()
    }

    /// Inserts what leads through `branch` to each of its leaves into the list that begins with `first`.
    fn insert_all(
        &mut self,
        footprints: &Footprints,
        first: BranchId,
        branch: BranchId,
        sequence: &mut Vec<Transition>,
    ) {
        let mut path: Vec<Transition> = Vec::new();
        let mut pending = vec![(branch, 0)];
        while let Some((branch, depth)) = pending.pop() {
            path.truncate(depth);
            let Branch { label, children, .. } = self.branches[branch.0 as usize];
            for deferred in self.take_deferred(branch) {
                sequence.clone_from(&path);
                sequence.extend(deferred);
                self.insert_from(footprints, first, sequence);
            }
            path.push(label);
            if children.is_none() {
                sequence.clone_from(&path);
                self.insert_from(footprints, first, sequence);
            }
            let n_pending = pending.len();
            pending.extend(self.from(children).map(|child| (child, depth + 1)));
            pending[n_pending..].reverse();
        }
    }

    fn insert_from(&mut self, footprints: &Footprints, first: BranchId, sequence: &mut [Transition]) {
        match weak_initial(footprints, self.label(first), sequence) {
            None => self.insert_into(footprints, List::Beside(first), sequence, Threads::ANY),
            Some(initial) => {
                let sequence = without_initial(initial, sequence);
                self.insert_into(footprints, List::Behind(first), sequence, Threads::ANY)
            }
        };
    }

    /// Adds what is not covered of the sequence.
    fn insert_into(&mut self, footprints: &Footprints, list: List, sequence: &mut [Transition], threads: Threads) {
        if let Some(End { list, rest }) = self.follow(footprints, list, sequence, threads) {
            self.add_sequence(list, rest);
        }
    }

    /// Whether a branch covers a sequence only if it touches what is expected, or if it is not redundant itself.
    #[inline]
    fn is_deferred(&self, footprints: &Footprints, id: BranchId, initial: Initial, len: usize) -> bool {
        (initial != Initial::At(0) || len > 1 && self.children(id).is_none())
            && footprints.is_uncertain(self.label(id).footprint)
    }

    #[cold]
    fn defer(&mut self, id: BranchId, sequence: &[Transition]) {
        let deferred = self.deferred.entry(id.0).or_default();
        if !deferred.iter().any(|known| known == sequence) {
            deferred.push(sequence.to_vec());
        }
    }

    /// A branch is to stand for a step of a sequence: it is wanted in all its variants if that is.
    #[inline]
    fn widen(&mut self, id: BranchId, initial: Initial, sequence: &[Transition]) -> Transition {
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
        mut sequence: &'s mut [Transition],
        threads: Threads,
    ) -> Option<End<'s>> {
        let mut id = self.first(list);
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
            if self.is_deferred(footprints, id, initial, sequence.len()) {
                self.defer(id, sequence);
            }
            if initial == Initial::At(0) && sequence.len() > 1 {
                sequence = &mut sequence[1..];
            } else {
                sequence = without_initial(initial, sequence);
                glance = Glance::of(footprints, sequence, threads);
            }
            self.descended.push(id);
            (list, id) = (List::Behind(id), children);
        }
        let is_covered = sequence.is_empty() || matches!(list, List::Behind(_));
        (!is_covered).then_some(End { list, rest: sequence })
    }
}

/// The sequence without the step that came first. What stood before that step moves up, which is little: plans mostly agree
/// in how they begin.
#[inline]
fn without_initial(initial: Initial, sequence: &mut [Transition]) -> &mut [Transition] {
    let Initial::At(position) = initial else { return sequence };
    if position > 0 {
        sequence.copy_within(..position, 1);
    }
    &mut sequence[1..]
}
