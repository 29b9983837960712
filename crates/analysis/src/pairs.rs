//! Pairs of accesses whose order matters (Huang 2009, chapter 4, rules 1 to 4).
//!
//! A pair stays unless a filter proves that its accesses never touch the same bytes (*alias*), that the bytes belong to one
//! thread (*escape*), that the accesses never are about to happen at the same time (*mhp*, which takes in common locks), or
//! that they are under the lock of the object that they access (*disjoint*).

use crate::accesses::{Access, AccessKind, Bytes};
use crate::callgraph::CallGraph;
use crate::facts::Facts;
use crate::flow::{Flow, Held, Here, Lock};
use crate::objects::{AbstractThread, ObjectId};
use crate::parallel::Parallel;
use gordian_base::{FxHashSet, Id};

/// The kinds of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PairKind {
    /// Two accesses to the same bytes, one of which writes.
    ReadWrite,
    /// A wait and a signal.
    WaitNotify,
    /// A waiter that was woken, and a thread that takes the lock.
    WaitMonitor,
    /// Two that take the same lock.
    MonitorMonitor,
}

impl PairKind {
    pub const ALL: [PairKind; 4] =
        [PairKind::ReadWrite, PairKind::MonitorMonitor, PairKind::WaitMonitor, PairKind::WaitNotify];

    pub fn short(self) -> &'static str {
        match self {
            PairKind::ReadWrite => "RW",
            PairKind::WaitNotify => "WN",
            PairKind::WaitMonitor => "WM",
            PairKind::MonitorMonitor => "MM",
        }
    }
}

/// The kind of pair that two operations on the same bytes are; none if they commute, or if one can only happen after the
/// other. Each kind of dependence between operations has its line here.
pub fn kind_of(a: AccessKind, b: AccessKind) -> Option<PairKind> {
    use AccessKind::*;
    use PairKind::{MonitorMonitor, ReadWrite, WaitMonitor, WaitNotify};
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    match (a, b) {
        (Section, Section) => Some(MonitorMonitor),
        (Section, _) | (_, Section) => None,
        (Library, Library) => Some(ReadWrite),
        // Reads of what a function of the library has handed out.
        (_, Library) if a.is_memory() => Some(ReadWrite),
        (Library, _) | (_, Library) => None,
        // Two that leave the bytes as they are.
        (Read | AtomicRead, Read | AtomicRead) => None,
        (a, b) if a.is_memory() || b.is_memory() || a == Set || b == Set => Some(ReadWrite),
        (Lock { exclusive: false, .. }, Lock { exclusive: false, .. }) => None,
        (Lock { .. }, Lock { .. }) => Some(MonitorMonitor),
        // Whether a try succeeds depends on whether the lock was released before.
        (Lock { gives_up: true, .. }, Unlock) => Some(MonitorMonitor),
        (Lock { .. }, Reacquire) => Some(WaitMonitor),
        // Who waits releases the lock when it begins to, and who gives up takes it.
        (Lock { gives_up: false, .. }, Unlock) | (Unlock, Unlock | Reacquire) => None,
        // The order of those who were woken is a matter of the execution.
        (Reacquire, Reacquire) => None,
        (Wait { .. }, Signal) => Some(WaitNotify),
        (Wait { .. }, Wait { .. }) | (Signal, Signal) => None,
        (SemWait { .. }, SemWait { .. }) => Some(MonitorMonitor),
        (SemWait { gives_up: true }, SemPost) => Some(MonitorMonitor),
        (SemWait { gives_up: false }, SemPost) | (SemPost, SemPost) | (SemGet, SemGet) => None,
        (SemWait { .. } | SemPost, SemGet) => Some(MonitorMonitor),
        (Barrier, Barrier) | (Once, Once) => Some(MonitorMonitor),
        // An object that is used as two things.
        _ => Some(ReadWrite),
    }
}

/// The filters, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Filter {
    Alias,
    Escape,
    Mhp,
    Disjoint,
}

impl Filter {
    pub const ALL: [Filter; 4] = [Filter::Alias, Filter::Escape, Filter::Mhp, Filter::Disjoint];

    pub fn name(self) -> &'static str {
        match self {
            Filter::Alias => "alias",
            Filter::Escape => "escape",
            Filter::Mhp => "mhp",
            Filter::Disjoint => "disjoint",
        }
    }
}

/// Which filters are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filters {
    pub alias: bool,
    pub escape: bool,
    pub mhp: bool,
    pub disjoint: bool,
}

impl Default for Filters {
    fn default() -> Self {
        Filters { alias: true, escape: true, mhp: true, disjoint: true }
    }
}

impl Filters {
    pub fn without(mut self, filter: Filter) -> Self {
        *self.switch(filter) = false;
        self
    }

    /// That filter and no other.
    pub fn only(filter: Filter) -> Self {
        let mut filters = Filters { alias: false, escape: false, mhp: false, disjoint: false };
        *filters.switch(filter) = true;
        filters
    }

    fn switch(&mut self, filter: Filter) -> &mut bool {
        match filter {
            Filter::Alias => &mut self.alias,
            Filter::Escape => &mut self.escape,
            Filter::Mhp => &mut self.mhp,
            Filter::Disjoint => &mut self.disjoint,
        }
    }
}

/// An access in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side {
    pub access: usize,
    pub thread: AbstractThread,
}

/// A pair that no filter removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub kind: PairKind,
    pub sides: [Side; 2],
    /// Bytes that both may touch, as the first side sees them; none of atomic sections.
    pub bytes: Option<Bytes>,
    /// Both surely touch the same bytes.
    pub must: bool,
}

/// How many pairs each filter removed, out of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of operations of two threads that would make a pair if they touched the same bytes.
    pub candidates: u64,
    /// By each filter of [`Filter::ALL`].
    pub removed: [u64; 4],
}

/// The pairs of a program.
#[derive(Debug, Default)]
pub struct Pairs {
    pub pairs: Vec<Pair>,
    pub counts: Counts,
    /// There were more than are listed.
    pub is_cut: bool,
}

/// Everything that filters look at.
pub struct Context<'a, 'p> {
    pub graph: &'a CallGraph<'p>,
    pub facts: &'a Facts,
    pub parallel: &'a Parallel,
    pub accesses: &'a [Access],
    pub here: &'a [Option<Here>],
    /// Where each access stands to locks that it is under.
    pub shifts: &'a [Vec<Shift>],
}

/// A lock that is held at a fixed distance from the accessed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shift {
    by: i64,
    exclusive: bool,
}

/// The locks of each access, relative to its address.
pub fn shifts(
    graph: &CallGraph<'_>,
    flow: &mut Flow<'_, '_>,
    accesses: &[Access],
    here: &[Option<Here>],
) -> Vec<Vec<Shift>> {
    let of = |(access, here): (&Access, &Option<Here>)| {
        let (Some(here), Some(address)) = (here, access.address) else { return Vec::new() };
        if here.held.is_empty() || !access.kind.is_memory() {
            return Vec::new();
        }
        let path = flow.path(access.instance, access.pc, address);
        let relative = |held: &Held| {
            let by = match (held.lock, &access.bytes[..]) {
                (Lock::Symbolic(lock), _) if lock.root == path.root => lock.offset.wrapping_sub(path.offset),
                (Lock::Exact(loc), [bytes]) if bytes.offset.is_exact() => {
                    let (object, offset) = graph.solver.objects.at(loc);
                    (object == bytes.object).then(|| offset.base.wrapping_sub(bytes.offset.base))?
                }
                _ => return None,
            };
            Some(Shift { by, exclusive: held.exclusive })
        };
        here.held.iter().filter_map(relative).collect()
    };
    accesses.iter().zip(here).map(of).collect()
}

/// Pairs that are listed at most.
const MOST_PAIRS: usize = 200_000;

impl Context<'_, '_> {
    /// The accesses that control may come to, each with its threads.
    fn sides(&self) -> Vec<Side> {
        let mut sides = Vec::new();
        for (access, _) in self.here.iter().enumerate().filter(|(_, here)| here.is_some()) {
            let instance = self.accesses[access].instance;
            let threads = self.facts.threads_of[instance.index()].iter();
            sides.extend(threads.map(|thread| Side { access, thread: AbstractThread(thread) }));
        }
        sides
    }

    pub fn find(&self, filters: Filters) -> Pairs {
        let sides = self.sides();
        let mut pairs = Pairs { counts: self.count_candidates(&sides), ..Pairs::default() };
        if filters.alias {
            self.find_by_object(&sides, filters, &mut pairs);
        } else {
            for (nth, &a) in sides.iter().enumerate() {
                for &b in &sides[nth..] {
                    self.consider(a, b, filters, &mut pairs);
                }
            }
        }
        let kept = pairs.pairs.len() as u64;
        if filters.alias {
            pairs.counts.removed[0] = pairs.counts.candidates - kept - pairs.counts.removed.iter().sum::<u64>();
        }
        pairs
    }

    fn find_by_object(&self, sides: &[Side], filters: Filters, pairs: &mut Pairs) {
        let mut by_object: Vec<Vec<Side>> = vec![Vec::new(); self.graph.solver.objects.len()];
        let mut sections = Vec::new();
        for &side in sides {
            let access = &self.accesses[side.access];
            if access.kind == AccessKind::Section {
                sections.push(side);
            }
            let mut objects: Vec<ObjectId> = access.bytes.iter().map(|bytes| bytes.object).collect();
            objects.sort_unstable();
            objects.dedup();
            objects.into_iter().for_each(|object| by_object[object.index()].push(side));
        }
        by_object.push(sections);
        let mut seen = FxHashSet::default();
        for of in by_object {
            // Nobody writes it: no order of accesses to it matters.
            if !of.iter().any(|side| self.accesses[side.access].kind.writes()) {
                continue;
            }
            for (nth, &a) in of.iter().enumerate() {
                for &b in &of[nth..] {
                    if pairs.is_cut {
                        return;
                    }
                    if self.is_candidate(a, b) && seen.insert((a, b)) {
                        self.consider(a, b, filters, pairs);
                    }
                }
            }
        }
    }

    fn is_candidate(&self, a: Side, b: Side) -> bool {
        let apart = a.thread != b.thread || !self.facts.is_single[a.thread.index()];
        apart && kind_of(self.accesses[a.access].kind, self.accesses[b.access].kind).is_some()
    }

    fn count_candidates(&self, sides: &[Side]) -> Counts {
        let mut groups: std::collections::BTreeMap<(AbstractThread, AccessKind), u64> = Default::default();
        for side in sides {
            *groups.entry((side.thread, self.accesses[side.access].kind)).or_default() += 1;
        }
        let groups: Vec<_> = groups.into_iter().collect();
        let mut candidates = 0;
        for (nth, ((thread, kind), n)) in groups.iter().enumerate() {
            for ((other, of), m) in &groups[nth..] {
                let apart = thread != other || !self.facts.is_single[thread.index()];
                if apart && kind_of(*kind, *of).is_some() {
                    let is_same = thread == other && kind == of;
                    candidates += if is_same { n * (n + 1) / 2 } else { n * m };
                }
            }
        }
        Counts { candidates, removed: [0; 4] }
    }

    fn consider(&self, a: Side, b: Side, filters: Filters, pairs: &mut Pairs) {
        if !self.is_candidate(a, b) {
            return;
        }
        let [x, y] = [a, b].map(|side| &self.accesses[side.access]);
        let is_section = x.kind == AccessKind::Section;
        if filters.alias && !is_section && self.common(x, y, |_| true).is_none() {
            return;
        }
        let escapes = |object: ObjectId| self.facts.escapes[object.index()];
        let is_shared = match filters.alias {
            true => self.common(x, y, escapes).is_some(),
            false => [x, y].iter().all(|access| access.bytes.iter().any(|bytes| escapes(bytes.object))),
        };
        if filters.escape && !is_section && !is_shared {
            pairs.counts.removed[1] += 1;
            return;
        }
        if filters.mhp && !self.may_meet(a, b) {
            pairs.counts.removed[2] += 1;
            return;
        }
        if filters.disjoint && self.are_disjoint(a.access, b.access) {
            pairs.counts.removed[3] += 1;
            return;
        }
        if pairs.pairs.len() >= MOST_PAIRS {
            pairs.is_cut = true;
            return;
        }
        let bytes = self.common(x, y, escapes).or_else(|| self.common(x, y, |_| true)).or(x.bytes.first().copied());
        let kind = kind_of(x.kind, y.kind).expect("a candidate has a kind");
        pairs.pairs.push(Pair { kind, sides: [a, b], bytes, must: self.surely_meet(x, y) });
    }

    /// Bytes of the first access that the second may touch too.
    fn common(&self, x: &Access, y: &Access, admits: impl Fn(ObjectId) -> bool) -> Option<Bytes> {
        let touches = |bytes: &&Bytes| {
            admits(bytes.object)
                && y.bytes.iter().any(|other| {
                    other.object == bytes.object && bytes.offset.overlaps(bytes.size, other.offset, other.size)
                })
        };
        x.bytes.iter().find(touches).copied()
    }

    fn surely_meet(&self, x: &Access, y: &Access) -> bool {
        match (&x.bytes[..], &y.bytes[..]) {
            ([a], [b]) => {
                a.object == b.object
                    && a.offset == b.offset
                    && a.offset.is_exact()
                    && self.facts.is_one_object(self.graph, a.object)
            }
            ([], []) => true,
            _ => false,
        }
    }

    /// The locks that are held when the access is about to happen.
    pub fn held(&self, access: usize) -> Vec<&Held> {
        let Some(here) = &self.here[access] else { return Vec::new() };
        let Access { instance, without, kind, .. } = self.accesses[access];
        let released = without.and_then(|val| self.graph.pointees(instance, val));
        let is_released = |held: &Held| {
            released.is_some_and(|locs| held.locs.meets(locs)) || kind.may_block() && held.lock == Lock::Section
        };
        here.held.iter().filter(|held| !is_released(held)).collect()
    }

    fn may_meet(&self, a: Side, b: Side) -> bool {
        let (Some(here), Some(there)) = (&self.here[a.access], &self.here[b.access]) else { return false };
        if !self.parallel.may(self.facts, (a.thread, &here.live), (b.thread, &there.live)) {
            return false;
        }
        let (held, others) = (self.held(a.access), self.held(b.access));
        let excludes = |one: &&Held| {
            !matches!(one.lock, Lock::Symbolic(_))
                && others.iter().any(|other| other.lock == one.lock && (one.exclusive || other.exclusive))
        };
        !held.iter().any(excludes) && !self.takes_again(a.access) && !self.takes_again(b.access)
    }

    /// Whether the access takes a lock that its thread holds already: nobody else can come between.
    fn takes_again(&self, access: usize) -> bool {
        let AccessKind::Lock { gives_up: false, .. } = self.accesses[access].kind else { return false };
        let Access { instance, address: Some(val), .. } = self.accesses[access] else { return false };
        let locs = self.graph.pointees(instance, val);
        let lock = locs.and_then(|locs| self.facts.exact(self.graph, locs));
        lock.is_some_and(|loc| self.held(access).iter().any(|held| held.lock == Lock::Exact(loc) && held.exclusive))
    }

    /// **Lemma (disjoint).** Let both accesses be under a lock at the same distance from where they begin. If they begin at
    /// the same byte, it is the same lock, and they exclude each other. If they overlap, they begin at the same byte: that is
    /// required of all places that they share.
    fn are_disjoint(&self, a: usize, b: usize) -> bool {
        let common = |shift: &Shift| {
            self.shifts[b].iter().any(|other| other.by == shift.by && (other.exclusive || shift.exclusive))
        };
        let [x, y] = [a, b].map(|nth| &self.accesses[nth]);
        self.shifts[a].iter().any(common)
            && x.bytes.iter().all(|bytes| {
                let others = y.bytes.iter().filter(|other| other.object == bytes.object);
                let overlapping = |other: &&Bytes| bytes.offset.overlaps(bytes.size, other.offset, other.size);
                others
                    .filter(overlapping)
                    .all(|other| bytes.offset.overlaps_only_as_a_whole(other.offset, bytes.size.max(other.size)))
            })
    }
}
