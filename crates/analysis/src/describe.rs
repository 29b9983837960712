//! Pairs in words: the most suspicious first, lock orders that form a cycle, waits that nobody ends.

use crate::accesses::{Access, AccessKind};
use crate::callgraph::{CallGraph, Point};
use crate::facts::Facts;
use crate::flow::{Held, Lock};
use crate::names::{self, Place};
use crate::objects::{AbstractThread, InstanceId, LocId, ObjectId, Offset};
use crate::pairs::{Pair, PairKind, Pairs, Side};
use crate::{Analysis, Described, DescribedSide};
use gordian_base::{FxHashMap, Id};
use std::collections::BTreeMap;

/// A lock that is taken while another is held.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct LockOrder {
    pub held: String,
    pub taken: String,
    pub place: Place,
    pub thread: String,
}

/// A lock by its place, or all that it may be.
type LockAt = (ObjectId, Offset);

/// Locks that are taken in a circle, with one place for each step.
pub type LockCycle = Vec<LockOrder>;

/// Numbers for the threads: those that a thread creates follow each other in the order of the code.
pub fn numbers(graph: &CallGraph<'_>, facts: &Facts) -> Vec<u32> {
    let mut order: Vec<usize> = vec![0];
    let mut next = 0;
    while next < order.len() {
        let creator = order[next] as u32;
        let mut created = Vec::new();
        for (thread, of) in graph.threads.iter().enumerate().filter(|(thread, _)| !order.contains(thread)) {
            let within = |(instance, _): &&(InstanceId, u32)| facts.threads_of[instance.index()].contains(creator);
            if let Some(&(instance, pc)) = of.created_at.iter().find(within) {
                let instance = &graph.instances[instance.index()];
                created.push((instance.site, instance.function, pc, of.start, thread));
            }
        }
        created.sort_unstable();
        order.extend(created.into_iter().map(|(.., thread)| thread));
        next += 1;
    }
    let mut numbers = vec![0; graph.threads.len()];
    order.into_iter().enumerate().for_each(|(nth, thread)| numbers[thread] = nth as u32);
    numbers
}

impl Analysis<'_> {
    /// `main`, `t1`, …: first those that main creates, in the order of the code.
    pub fn thread_name(&self, thread: AbstractThread) -> String {
        match self.numbers[thread.index()] {
            0 => "main".to_owned(),
            number => format!("t{number}"),
        }
    }

    /// The most suspicious pairs in words, at most so many of them.
    pub fn describe(&self, pairs: &Pairs, most: usize) -> Vec<Described> {
        let mut known = FxHashMap::default();
        let mut order: Vec<&Pair> = pairs.pairs.iter().collect();
        order.sort_by_key(|pair| self.rank(pair));
        order.truncate(most);
        let mut described: Vec<(u32, Described)> =
            order.into_iter().map(|pair| (self.rank(pair), self.describe_one(pair, &mut known))).collect();
        let side = |side: &DescribedSide| (side.place.clone(), side.thread.clone(), side.kind);
        described.sort_by(|(rank, a), (other, b)| {
            let sides = || a.sides.each_ref().map(side).cmp(&b.sides.each_ref().map(side));
            rank.cmp(other).then_with(|| a.object.cmp(&b.object)).then_with(sides)
        });
        described.into_iter().map(|(_, pair)| pair).collect()
    }

    /// One pair in words.
    pub fn describe_pair(&self, pair: &Pair) -> Described {
        self.describe_one(pair, &mut FxHashMap::default())
    }

    fn describe_one(&self, pair: &Pair, known: &mut FxHashMap<Side, DescribedSide>) -> Described {
        let mut sides = pair.sides;
        // A write comes before a read, a woken waiter before a thread that enters, else the first thread.
        let kinds = sides.map(|side| self.accesses[side.access].kind);
        let place = |side: Side| (self.numbers[side.thread.index()], side.access);
        let swaps = match kinds.map(AccessKind::writes) {
            [false, true] => true,
            [true, false] => false,
            _ if kinds[0] == AccessKind::Reacquire => false,
            _ => kinds[1] == AccessKind::Reacquire || place(sides[1]) < place(sides[0]),
        };
        if swaps {
            sides.swap(0, 1);
        }
        let described = sides.map(|side| known.entry(side).or_insert_with(|| self.side(side)).clone());
        let object = match pair.bytes {
            Some(bytes) => names::name(&self.graph, bytes.object, bytes.offset),
            None => "atomic sections".to_owned(),
        };
        let kinds = sides.map(|side| self.accesses[side.access].kind);
        let why = why(pair, kinds, &described);
        Described { kind: pair.kind, object, sides: described, must: pair.must, why }
    }

    fn side(&self, Side { access, thread }: Side) -> DescribedSide {
        let Access { instance, kind, .. } = self.accesses[access];
        let program = self.graph.program;
        let point = self.points(access).first().copied();
        let place = |point: Point| names::place(program, point);
        let own = Point { function: self.graph.instances[instance.index()].function, pc: self.accesses[access].pc };
        let locks = self.context().held(access).into_iter().map(|held| self.lock_name(held)).collect();
        DescribedSide {
            place: place(point.unwrap_or(own)),
            kind,
            thread: self.thread_name(thread),
            start: program.functions[self.graph.threads[thread.index()].start].name.clone(),
            called_from: self.graph.instances[instance.index()].site.filter(|_| point == Some(own)).map(place),
            locks,
        }
    }

    /// A lock by its name, or by what it may be.
    fn lock_name(&self, held: &Held) -> String {
        match held.lock {
            Lock::Section => "the atomic section".to_owned(),
            Lock::Exact(loc) => self.loc_name(loc),
            Lock::Symbolic(_) => {
                let mut names: Vec<String> = held.locs.iter().map(|loc| self.loc_name(LocId(loc))).collect();
                names.sort();
                names.dedup();
                match &names[..] {
                    [] => "a lock".to_owned(),
                    [one] => format!("one of {one}"),
                    [first, .., last] => format!("one of {first} … {last}"),
                }
            }
        }
    }

    fn loc_name(&self, loc: LocId) -> String {
        let (object, offset) = self.graph.solver.objects.at(loc);
        names::name(&self.graph, object, offset)
    }

    /// How far behind the most suspicious the pair comes: data before waits before locks, what is sure before what may be.
    fn rank(&self, pair: &Pair) -> u32 {
        let kinds = pair.sides.map(|side| self.accesses[side.access].kind);
        let base = match pair.kind {
            PairKind::ReadWrite if kinds.contains(&AccessKind::Library) => 60,
            PairKind::ReadWrite if kinds.iter().all(|kind| kind.is_atomic()) => 20,
            PairKind::ReadWrite => 0,
            PairKind::WaitNotify => 30,
            PairKind::WaitMonitor => 40,
            PairKind::MonitorMonitor => 50,
        };
        base + u32::from(!pair.must)
    }

    /// Locks that are taken in a circle by threads that may run at the same time.
    pub fn lock_cycles(&self) -> Vec<LockCycle> {
        let edges = self.lock_orders();
        let mut numbers: BTreeMap<LockAt, u32> = BTreeMap::new();
        for (held, taken) in edges.keys() {
            for lock in [held, taken] {
                let next = numbers.len() as u32;
                numbers.entry(*lock).or_insert(next);
            }
        }
        let mut graph = vec![Vec::new(); numbers.len()];
        edges.keys().for_each(|(held, taken)| graph[numbers[held] as usize].push(numbers[taken]));
        let mut cycles = Vec::new();
        for component in crate::cfg::components(&graph) {
            let within: Vec<_> = edges
                .iter()
                .filter(|((held, taken), _)| component.contains(&numbers[held]) && component.contains(&numbers[taken]))
                .collect();
            let sides: Vec<Side> = within.iter().flat_map(|(_, sides)| sides.iter().copied()).collect();
            let may_meet = |a: &Side, b: &Side| {
                let live =
                    |side: &Side| self.here[side.access].as_ref().map(|here| here.live.clone()).unwrap_or_default();
                self.parallel.may(&self.facts, (a.thread, &live(a)), (b.thread, &live(b)))
            };
            let by_two = sides.iter().enumerate().any(|(nth, a)| sides[nth..].iter().any(|b| may_meet(a, b)));
            if within.is_empty() || !by_two {
                continue;
            }
            let mut cycle: LockCycle = Vec::new();
            for ((held, taken), sides) in within {
                for &side in sides {
                    let described = self.side(side);
                    cycle.push(LockOrder {
                        held: names::name(&self.graph, held.0, held.1),
                        taken: names::name(&self.graph, taken.0, taken.1),
                        place: described.place,
                        thread: described.thread,
                    });
                }
            }
            cycle.sort();
            cycle.dedup();
            cycles.push(cycle);
        }
        cycles.sort();
        cycles
    }

    /// Which locks are taken while others are held, and by whom. A lock that has no certain name stands for all that it may
    /// be.
    fn lock_orders(&self) -> BTreeMap<(LockAt, LockAt), Vec<Side>> {
        let mut orders: BTreeMap<_, Vec<Side>> = BTreeMap::new();
        for (access, of) in self.accesses.iter().enumerate() {
            let (AccessKind::Lock { gives_up: false, .. }, Some(_)) = (of.kind, &self.here[access]) else { continue };
            for held in self.context().held(access) {
                for loc in held.locs.iter() {
                    let held_at = self.graph.solver.objects.at(LocId(loc));
                    for bytes in of.bytes.iter() {
                        let taken = (bytes.object, bytes.offset);
                        // The same certain lock once more is a recursive lock, or blocks at once.
                        if taken == held_at && matches!(held.lock, Lock::Exact(_)) {
                            continue;
                        }
                        for thread in self.facts.threads_of[of.instance.index()].iter() {
                            let side = Side { access, thread: AbstractThread(thread) };
                            orders.entry((held_at, taken)).or_default().push(side);
                        }
                    }
                }
            }
        }
        orders
    }

    /// Waits that no signal of another thread can end.
    pub fn waits_without_signal(&self, pairs: &Pairs) -> Vec<DescribedSide> {
        let has_signal = |access: usize| {
            pairs
                .pairs
                .iter()
                .any(|pair| pair.kind == PairKind::WaitNotify && pair.sides.iter().any(|side| side.access == access))
        };
        let mut waits = Vec::new();
        for (access, of) in self.accesses.iter().enumerate() {
            let reached = self.here[access].is_some();
            if reached && of.kind == (AccessKind::Wait { gives_up: false }) && !has_signal(access) {
                let threads = self.facts.threads_of[InstanceId::index(of.instance)].iter();
                waits.extend(threads.map(|thread| self.side(Side { access, thread: AbstractThread(thread) })));
            }
        }
        waits.sort_by(|a, b| (&a.place, &a.thread).cmp(&(&b.place, &b.thread)));
        waits.dedup();
        waits
    }
}

/// Why the pair stays.
fn why(pair: &Pair, kinds: [AccessKind; 2], sides: &[DescribedSide; 2]) -> String {
    let locks = |side: &DescribedSide| if side.locks.is_empty() { "none".to_owned() } else { side.locks.join(", ") };
    match pair.kind {
        PairKind::ReadWrite if kinds.contains(&AccessKind::Library) => {
            "state of the C library, each call one step".to_owned()
        }
        PairKind::ReadWrite if kinds.iter().all(|kind| kind.is_atomic()) => "atomic, in either order".to_owned(),
        PairKind::ReadWrite if sides.iter().all(|side| side.locks.is_empty()) => "no lock".to_owned(),
        PairKind::ReadWrite => format!("no common lock ({} | {})", locks(&sides[0]), locks(&sides[1])),
        PairKind::WaitNotify => "the signal may come before the wait".to_owned(),
        PairKind::WaitMonitor => "another may come before the waiter that was woken".to_owned(),
        PairKind::MonitorMonitor => "either may come first".to_owned(),
    }
}
