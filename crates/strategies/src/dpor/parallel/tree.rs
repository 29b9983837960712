//! The search that workers share: the wake-up trees on the ways to the parts that are being explored or still are to be.
//!
//! The parts are put together in the order in which a single worker would explore them. What a part says about states on
//! the way to it is kept until all parts before it have ended, so that every plan meets the tree that it would have met
//! then. A part can be explored before its turn because it does not depend on what is planned beside it: only on the steps
//! that lead to it, and on those that are explored before it from each state on the way.

use super::super::PrefixUpdate;
use super::super::wakeup::weak_initial;
use super::branch::{Branch, Decision, Kind, Left, PartId, ROOT, Step, UnderWay, Waiting};
use crate::happens_before::footprint::Footprints;
use crate::happens_before::transition::Transition;
use gordian_base::{FxHashSet, ThreadId};
use gordian_engine::Results;
use gordian_trace::CodePoint;

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
    pub(crate) fn add(&mut self, parent: PartId, steps: Vec<Step>, kind: Kind) -> PartId {
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
    pub(crate) fn add_sequence(&mut self, mut parent: PartId, sequence: &[Transition]) {
        let is_uncertain = |label: &Transition| self.footprints.is_uncertain(label.footprint);
        let chunks = sequence.chunk_by(|_, next| !is_uncertain(next));
        let chunks: Vec<Vec<Step>> = chunks.map(|chunk| chunk.iter().copied().map(Step::from).collect()).collect();
        let last = chunks.len() - 1;
        for (nth, steps) in chunks.into_iter().enumerate() {
            parent = self.add(parent, steps, if nth == last { Kind::Leaf } else { Kind::Inner });
        }
    }

    /// Gives a state between the steps of a branch a branch of its own, which leads to it.
    pub(crate) fn split(&mut self, id: PartId, depth: usize) -> PartId {
        let parent = self.at(id).parent;
        let n_steps = depth - self.at(parent).depth;
        let branch = self.at_mut(id);
        let behind = branch.steps.split_off(n_steps);
        let steps = std::mem::replace(&mut branch.steps, behind);
        let mut above = Branch::new(parent, depth, steps, Kind::Inner);
        above.n_made = branch.n_made.min(n_steps);
        branch.n_made -= above.n_made;
        // When a step between others was made, nothing waited beside it.
        above.siblings_reinserted = std::mem::replace(&mut branch.siblings_reinserted, branch.n_made > 0);
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
    pub(crate) fn remove(&mut self, id: PartId) {
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
                PrefixUpdate::NextSibling(..) => self.apply_in_order(id, note),
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
                (branch.n_made, branch.siblings_reinserted, branch.deferred) = (1, true, deferred);
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
