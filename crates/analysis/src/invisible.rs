//! Loads, stores and operations on locks that need no scheduling point: a table for the machine.
//!
//! **Lemma (ordered).** An access that is in no pair never is about to happen while a conflicting one of another thread is. So between the two there always is an operation
//! of each thread that orders them: a lock, a creation, a join. These stay visible, and whichever way they go decides the order of the accesses. An
//! access may therefore be made a part of the step before it.
//!
//! **Lemma (constant).** What is only written before the first thread is created has the same value in all executions with the same inputs, and no order matters.
//!
//! **Lemma (alone).** Let one thread, which is one in every execution, make all operations on a lock, and let these be acquisitions that wait and releases. Then no step of another thread
//! reads or writes the lock, nor what happened before by it. Let one of these operations be possible, and simply take or free the lock. It commutes with all steps of
//! others between the step before it in its thread and itself, and neither enables nor disables any. So it may be made a part of that step: the traces are the
//! same but for it. The machine looks whether the operation is of that sort, and makes a step of any other: who takes a lock twice waits for itself.
//!
//! The first lemma is about accesses that happen before or after each other, whatever publishes the object. An object may be published by a race, and then an access
//! before it races with those behind. So accesses before the publication count as parts of pairs here.
//!
//! Nothing is claimed of loads that may come twice in a thread unless they are constant, nor of operations on locks that may: a loop that waits for a value must be seen
//! to look at it, and one without end must be seen to go on.

use crate::Analysis;
use crate::accesses::{Access, AccessKind};
use crate::callgraph::{Point, RootKind, Target};
use crate::objects::{InstanceId, ObjectId, ObjectKind};
use crate::overlaps::Overlaps;
use crate::pairs::{Filters, Pairs};
use crate::reach;
use gordian_base::{FxHashMap, FxHashSet, Id};
use gordian_externals::{Effect, Pointer};
use gordian_ir::{Inst, Invisible, InvisibleKind};

impl Analysis<'_> {
    /// The loads and stores that need no scheduling point. None of a program that is not known in full.
    pub fn invisible(&self) -> Invisible {
        let mut invisible = Invisible::default();
        let pairs = self.pairs(Filters::default());
        if self.graph.cancels || self.returns_twice() || self.resets_locks(&pairs) {
            return invisible;
        }
        if pairs.is_cut || !self.unknown_functions().is_empty() || !self.gaps().is_empty() {
            return invisible;
        }
        let published = self.pairs(Filters { ownership: false, ..Filters::default() });
        if published.is_cut {
            return invisible;
        }
        let in_pair: FxHashSet<usize> =
            published.pairs.iter().flat_map(|pair| pair.sides).map(|side| side.access).collect();
        let (changed, alone) = (self.changed_lists(), self.locks_of_one());
        let entered_once = self.entered_once();
        let comes_once =
            |access: &Access| entered_once[access.instance.index()] && !self.is_on_cycle(access.instance, access.pc);
        let mut kinds: FxHashMap<Point, Option<InvisibleKind>> = FxHashMap::default();
        for (nth, access) in self.accesses.iter().enumerate().filter(|(nth, _)| self.here[*nth].is_some()) {
            let point = Point { function: self.graph.instances[access.instance.index()].function, pc: access.pc };
            let kind = match self.graph.program.functions[point.function].code[point.pc as usize] {
                Inst::Load { .. } if !changed.contains(&access.bytes_id) => Some(InvisibleKind::Constant),
                Inst::Load { .. } if !in_pair.contains(&nth) && comes_once(access) => Some(InvisibleKind::Ordered),
                Inst::Store { size, .. } if size < 8 && !in_pair.contains(&nth) => Some(InvisibleKind::Ordered),
                Inst::Call { .. } if comes_once(access) && alone.contains(&access.bytes_id) => {
                    Some(InvisibleKind::Alone)
                }
                _ => None,
            };
            let known = kinds.entry(point).or_insert(kind);
            *known = match (*known, kind) {
                (Some(one), Some(other)) if one == other => Some(one),
                (Some(InvisibleKind::Constant), Some(InvisibleKind::Ordered)) => Some(InvisibleKind::Ordered),
                (Some(InvisibleKind::Ordered), Some(InvisibleKind::Constant)) => Some(InvisibleKind::Ordered),
                _ => None,
            };
        }
        let mut found: Vec<(Point, InvisibleKind)> =
            kinds.into_iter().filter_map(|(at, kind)| Some((at, kind?))).collect();
        found.sort_unstable_by_key(|(at, _)| *at);
        found.into_iter().for_each(|(at, kind)| invisible.set(at.function, at.pc, kind));
        invisible
    }

    /// Whether control may come back to a call of `setjmp`, in an order that control flow graphs do not have.
    fn returns_twice(&self) -> bool {
        self.graph.program.externals.iter().any(|external| {
            let effects = gordian_externals::effects_of(&external.name).unwrap_or_default();
            effects.contains(&Effect::ReturnsTwice)
        })
    }

    /// Whether a lock may be initialised by one thread while another holds it, which sets it free.
    fn resets_locks(&self, pairs: &Pairs) -> bool {
        pairs.pairs.iter().any(|pair| {
            let [a, b] = pair.sides.map(|side| self.accesses[side.access].kind);
            a == AccessKind::Set && b.is_lock() || a.is_lock() && b == AccessKind::Set
        })
    }

    /// Whether each instance is entered at most once by a thread. The least solution: nothing is unless that follows.
    fn entered_once(&self) -> Vec<bool> {
        let graph = &self.graph;
        let mut is_root = vec![false; graph.instances.len()];
        for (root, kind) in graph.threads.iter().flat_map(|thread| &thread.roots) {
            is_root[root.index()] = *kind == RootKind::Start;
        }
        let mut once = vec![false; graph.instances.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for (id, instance) in graph.instances.iter().enumerate().filter(|(id, _)| !once[*id]).collect::<Vec<_>>() {
                once[id] = match (&instance.callers[..], is_root[id]) {
                    ([], is_root) => is_root,
                    ([(caller, pc)], false) => once[caller.index()] && !self.is_on_cycle(*caller, *pc),
                    _ => false,
                };
                changed |= once[id];
            }
        }
        once
    }

    fn is_on_cycle(&self, instance: InstanceId, pc: u32) -> bool {
        self.graph.template_of(instance).cfg.is_on_cycle(pc)
    }

    /// The lists of bytes that are one lock on which one thread operates, by number.
    fn locks_of_one(&self) -> FxHashSet<u32> {
        let mut overlaps = Overlaps::of(&self.facts, &self.accesses);
        let mut by_list: Vec<Vec<usize>> = vec![Vec::new(); overlaps.n_lists() as usize];
        let reached = (0..self.accesses.len()).filter(|&nth| self.here[nth].is_some());
        reached.for_each(|nth| by_list[self.accesses[nth].bytes_id as usize].push(nth));
        let is_operation = |nth: usize| {
            matches!(
                self.accesses[nth].kind,
                AccessKind::Lock { exclusive: true, gives_up: false } | AccessKind::Unlock
            )
        };
        let thread_of = |nth: usize| {
            let thread = self.facts.threads_of[self.accesses[nth].instance.index()].only()?;
            self.facts.is_single[thread as usize].then_some(thread)
        };
        let mut found = FxHashSet::default();
        for list in (0..overlaps.n_lists()).filter(|&list| by_list[list as usize].iter().any(|&nth| is_operation(nth)))
        {
            let first = by_list[list as usize][0];
            let [bytes] = self.accesses[first].bytes[..] else { continue };
            let Some(thread) = thread_of(first) else { continue };
            if !bytes.offset.is_exact() || !self.facts.is_one_object(&self.graph, bytes.object) {
                continue;
            }
            let near: Vec<u32> = overlaps.neighbours(list);
            let touching = near.into_iter().filter(|&other| overlaps.of_lists(list, other).any.is_some());
            let mut all = touching.flat_map(|other| by_list[other as usize].iter().copied());
            if all.all(|nth| is_operation(nth) && thread_of(nth) == Some(thread)) {
                found.insert(list);
            }
        }
        found
    }

    /// The lists of bytes that may be written when there are threads, by number.
    fn changed_lists(&self) -> FxHashSet<u32> {
        let late = reach::late(&self.graph, &self.facts, &self.accesses);
        let is_late = |nth: usize| late.contains(nth as u32);
        let here = |nth: &usize| self.here[*nth].is_some() && self.accesses[*nth].kind.writes() && is_late(*nth);
        let mut overlaps = Overlaps::of(&self.facts, &self.accesses);
        let mut written = vec![false; overlaps.n_lists() as usize];
        (0..self.accesses.len()).filter(here).for_each(|nth| written[self.accesses[nth].bytes_id as usize] = true);
        let reads = self.accesses.iter().filter(|access| access.kind == AccessKind::Read).map(|access| access.bytes_id);
        let read: FxHashSet<u32> = reads.collect();
        let mut read: Vec<u32> = read.into_iter().collect();
        read.sort_unstable();
        read.retain(|&list| {
            let mut others = overlaps.neighbours(list).into_iter().filter(|other| written[*other as usize]);
            others.any(|other| overlaps.of_lists(list, other).any.is_some())
        });
        let is_filled = |access: &&Access| access.bytes.iter().any(|bytes| self.is_made_with_contents(bytes.object));
        let filled = self.accesses.iter().filter(|access| access.kind == AccessKind::Read).filter(is_filled);
        read.into_iter().chain(filled.map(|access| access.bytes_id)).collect()
    }

    /// Whether the call that makes the object also fills it, with what it finds elsewhere: no write says so.
    fn is_made_with_contents(&self, object: ObjectId) -> bool {
        let ObjectKind::Heap { instance, pc } = self.graph.solver.objects.kind(object) else { return false };
        let calls = self.graph.instances[instance.index()].calls.iter().filter(|(at, _)| *at == pc);
        let fills = |target: &Target| match target {
            Target::External(external) => {
                let effects = gordian_externals::effects_of(&self.graph.program.externals[*external].name);
                !matches!(effects, Some([Effect::Returns(Pointer::New) | Effect::Stores { what: Pointer::New, .. }]))
            }
            _ => false,
        };
        calls.into_iter().any(|(_, target)| fills(target))
    }
}
