//! The search for pairs. Accesses that no filter tells apart form a class, and filters are asked for classes.

use super::{Context, Counts, Filters, Pair, PairKind, Pairs, Shift, Side, kind_of};
use crate::accesses::{Access, AccessKind, Bytes};
use crate::flow::{Held, Lock, Waits};
use crate::objects::AbstractThread;
use crate::overlaps::Overlaps;
use crate::sets::Set;
use gordian_base::{FxHashMap, Id};

/// Pairs that are listed at most.
const MOST_PAIRS: u64 = 200_000;
/// Pairs of classes that are looked at, at most.
const MOST_WORK: u64 = 50_000_000;

/// All that filters look at.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Key {
    thread: AbstractThread,
    kind: AccessKind,
    bytes: u32,
    /// Locks with a certain name, and whether they are held exclusively.
    held: Vec<(Lock, bool)>,
    live: Set,
    waits: Waits,
    shifts: Vec<Shift>,
    takes_again: bool,
    owned: bool,
}

struct Class {
    key: Key,
    members: Vec<Side>,
}

impl Context<'_, '_> {
    /// The accesses that control may come to, by class.
    fn classes(&self) -> Vec<Class> {
        let mut classes: Vec<Class> = Vec::new();
        let mut numbers: FxHashMap<Key, usize> = FxHashMap::default();
        for (access, here) in self.here.iter().enumerate() {
            let Some(here) = here else { continue };
            let Access { instance, kind, bytes_id, .. } = self.accesses[access];
            let certain = self.held(access).into_iter().filter(|held| !matches!(held.lock, Lock::Symbolic(_)));
            let mut key = Key {
                thread: AbstractThread(0),
                kind,
                bytes: bytes_id,
                held: certain.map(|held| (held.lock, held.exclusive)).collect(),
                live: here.live.clone(),
                waits: here.waits.clone(),
                shifts: self.shifts[access].clone(),
                takes_again: self.takes_again(access),
                owned: self.owned[access],
            };
            for thread in self.facts.threads_of[instance.index()].iter().map(AbstractThread) {
                key.thread = thread;
                let class = *numbers.entry(key.clone()).or_insert_with(|| {
                    classes.push(Class { key: key.clone(), members: Vec::new() });
                    classes.len() - 1
                });
                classes[class].members.push(Side { access, thread });
            }
        }
        classes
    }

    /// The pairs that the filters leave.
    pub fn find(&self, filters: Filters) -> Pairs {
        let classes = self.classes();
        let mut overlaps = Overlaps::of(self.facts, self.accesses);
        let mut by_list: Vec<Vec<usize>> = vec![Vec::new(); overlaps.n_lists() as usize];
        classes.iter().enumerate().for_each(|(nth, class)| by_list[class.key.bytes as usize].push(nth));
        let mut search =
            Search { context: self, classes: &classes, filters, pairs: Pairs::default(), kept: Vec::new(), work: 0 };
        search.pairs.counts = search.count_candidates();
        let escapes: Vec<bool> = (0..overlaps.n_lists()).map(|list| overlaps.escapes(list)).collect();
        let used: Vec<usize> = (0..by_list.len()).filter(|&list| !by_list[list].is_empty()).collect();
        for (nth, &a) in used.iter().enumerate() {
            let is_section = classes[by_list[a][0]].key.kind == AccessKind::Section;
            let others: Vec<usize> = match filters.alias {
                true if is_section => vec![a],
                true => {
                    let lists = overlaps.neighbours(a as u32).into_iter().map(|list| list as usize);
                    lists.filter(|b| *b >= a).collect()
                }
                false => used[nth..].to_vec(),
            };
            for b in others.into_iter().filter(|&b| !by_list[b].is_empty()) {
                if search.work.max(overlaps.work / 8) > MOST_WORK {
                    search.work = MOST_WORK + 1;
                    break;
                }
                search.work += 1;
                let mut overlap = overlaps.of_lists(a as u32, b as u32);
                if !filters.alias {
                    let bytes = self.accesses[classes[by_list[a][0]].members[0].access].bytes.first().copied();
                    overlap.any = overlap.any.or(bytes);
                    overlap.escaping = overlap.escaping.or(bytes.filter(|_| escapes[a] && escapes[b]));
                }
                // Atomic sections are about no bytes.
                let are_sections = is_section && a == b;
                if overlap.any.is_none() && !are_sections {
                    continue;
                }
                for (nth, &x) in by_list[a].iter().enumerate() {
                    let others = if a == b { &by_list[b][nth..] } else { &by_list[b][..] };
                    others.iter().for_each(|&y| search.consider(x, y, overlap.any, overlap.escaping, are_sections));
                }
            }
        }
        search.finish()
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

    /// Whether the access takes a lock that its thread holds already: nobody else can come between.
    fn takes_again(&self, access: usize) -> bool {
        let AccessKind::Lock { gives_up: false, .. } = self.accesses[access].kind else { return false };
        let Access { instance, address: Some(val), .. } = self.accesses[access] else { return false };
        let locs = self.graph.pointees(instance, val);
        let lock = locs.and_then(|locs| self.facts.exact(self.graph, locs));
        lock.is_some_and(|loc| self.held(access).iter().any(|held| held.lock == Lock::Exact(loc) && held.exclusive))
    }

    fn surely_meet(&self, x: &Access, y: &Access) -> bool {
        match (&x.bytes[..], &y.bytes[..]) {
            ([a], [b]) => {
                let same = a.object == b.object && a.offset == b.offset && a.offset.is_exact();
                same && self.facts.is_one_object(self.graph, a.object)
            }
            ([], []) => true,
            _ => false,
        }
    }
}

struct Search<'a, 'b, 'p> {
    context: &'a Context<'b, 'p>,
    classes: &'a [Class],
    filters: Filters,
    pairs: Pairs,
    kept: Vec<(PairKind, usize, usize, Option<Bytes>)>,
    work: u64,
}

impl Search<'_, '_, '_> {
    fn is_candidate(&self, x: &Key, y: &Key) -> bool {
        let apart = x.thread != y.thread || !self.context.facts.is_single[x.thread.index()];
        apart && kind_of(x.kind, y.kind).is_some()
    }

    /// How many pairs two classes make.
    fn n_pairs(&self, x: usize, y: usize) -> u64 {
        let [n, m] = [x, y].map(|class| self.classes[class].members.len() as u64);
        if x == y { n * (n + 1) / 2 } else { n * m }
    }

    fn count_candidates(&self) -> Counts {
        let mut groups: std::collections::BTreeMap<(AbstractThread, AccessKind), u64> = Default::default();
        for class in self.classes {
            *groups.entry((class.key.thread, class.key.kind)).or_default() += class.members.len() as u64;
        }
        let groups: Vec<_> = groups.into_iter().collect();
        let mut candidates = 0;
        for (nth, ((thread, kind), n)) in groups.iter().enumerate() {
            for ((other, of), m) in &groups[nth..] {
                let apart = thread != other || !self.context.facts.is_single[thread.index()];
                if apart && kind_of(*kind, *of).is_some() {
                    let is_same = thread == other && kind == of;
                    candidates += if is_same { n * (n + 1) / 2 } else { n * m };
                }
            }
        }
        Counts { candidates, removed: [0; 4] }
    }

    fn consider(&mut self, a: usize, b: usize, any: Option<Bytes>, escaping: Option<Bytes>, are_sections: bool) {
        self.work += 1;
        let [x, y] = [a, b].map(|class| &self.classes[class].key);
        if self.work > MOST_WORK || !self.is_candidate(x, y) {
            return;
        }
        let n = self.n_pairs(a, b);
        let filters = self.filters;
        let removed = &mut self.pairs.counts.removed;
        let is_owned = filters.ownership && (x.owned || y.owned);
        if is_owned || filters.escape && escaping.is_none() && !are_sections {
            removed[1] += n;
        } else if filters.mhp && !may_meet(self.context, x, y) {
            removed[2] += n;
        } else if filters.disjoint && are_disjoint(self.context, &self.classes[a], &self.classes[b]) {
            removed[3] += n;
        } else {
            let kind = kind_of(x.kind, y.kind).expect("a candidate has a kind");
            self.kept.push((kind, a, b, escaping.or(any)));
            let nth = PairKind::ALL.iter().position(|of| *of == kind).expect("one of all kinds");
            self.pairs.n_kept[nth] += n;
        }
    }

    /// Lists the pairs of the classes that are left.
    fn finish(mut self) -> Pairs {
        let n_kept: u64 = self.pairs.n_kept.iter().sum();
        self.pairs.is_cut = n_kept > MOST_PAIRS || self.work > MOST_WORK;
        if self.filters.alias {
            let counts = &mut self.pairs.counts;
            counts.removed[0] = counts.candidates - n_kept - counts.removed.iter().sum::<u64>();
        }
        self.kept.sort_by_key(|(kind, a, b, _)| (*kind, *a, *b));
        for &(kind, a, b, bytes) in &self.kept {
            for (nth, &one) in self.classes[a].members.iter().enumerate() {
                let others = if a == b { &self.classes[b].members[nth..] } else { &self.classes[b].members[..] };
                for &other in others {
                    if self.pairs.pairs.len() as u64 >= MOST_PAIRS {
                        return self.pairs;
                    }
                    let sides = [one.min(other), one.max(other)];
                    let [x, y] = sides.map(|side| &self.context.accesses[side.access]);
                    let must = self.context.surely_meet(x, y);
                    self.pairs.pairs.push(Pair { kind, sides, bytes, must });
                }
            }
        }
        self.pairs
    }
}

fn may_meet(context: &Context<'_, '_>, x: &Key, y: &Key) -> bool {
    let excludes = |(lock, exclusive): &(Lock, bool)| {
        y.held.iter().any(|(other, is_exclusive)| other == lock && (*exclusive || *is_exclusive))
    };
    let is_shut_out = |one: &Key, other: &Key| one.takes_again && other.kind.is_lock();
    let is_wait = [x, y].iter().any(|key| key.kind == AccessKind::Barrier);
    !is_shut_out(x, y)
        && !is_shut_out(y, x)
        && (is_wait || !x.waits.differ(&y.waits))
        && context.parallel.may(context.facts, (x.thread, &x.live), (y.thread, &y.live))
        && !x.held.iter().any(excludes)
}

/// **Lemma (disjoint).** Let both accesses be under a lock at the same distance from where they begin. If they begin at
/// the same byte, it is the same lock, and they exclude each other. If they overlap, they begin at the same byte: that is
/// required of all places that they share.
fn are_disjoint(context: &Context<'_, '_>, a: &Class, b: &Class) -> bool {
    let common =
        |shift: &Shift| b.key.shifts.iter().any(|other| other.by == shift.by && (other.exclusive || shift.exclusive));
    let [x, y] = [a, b].map(|class| &context.accesses[class.members[0].access]);
    a.key.shifts.iter().any(common)
        && x.bytes.iter().all(|bytes| {
            let from = y.bytes.partition_point(|other| other.object < bytes.object);
            let others = y.bytes[from..].iter().take_while(|other| other.object == bytes.object);
            others
                .filter(|other| bytes.offset.overlaps(bytes.size, other.offset, other.size))
                .all(|other| bytes.offset.overlaps_only_as_a_whole(other.offset, bytes.size.max(other.size)))
        })
}
