//! What could go wrong: pairs of conflicting accesses and circles of locks, before anybody asks whether a reordering has them.

use crate::run::{Held, Op, Run, Span};
use gordian_base::FxHashMap;
use std::collections::BTreeMap;

/// Conflicting accesses of two threads at two places in the source to the same bytes.
#[derive(Clone, Debug)]
pub struct RacePair {
    /// Events, each in the order of the run.
    pub first: Vec<u32>,
    pub second: Vec<u32>,
}

/// What accesses at one place have in common: address, size, thread, whether they write, whether they are atomic.
type Class = (u64, u32, u32, bool, bool);

/// Pairs of events that are compared one by one. Beyond that whoever decides about the candidate finds out.
const MOST_COMPARED: usize = 10_000;

/// Pairs of classes that are looked at, before the rest is given up.
const MOST_LOOKED_AT: u64 = 100_000_000;

/// Makes the pair of two classes; none if a common lock or what is certain excludes it.
pub type MakePair<'a> = &'a dyn Fn() -> Option<RacePair>;

/// Whether more candidates at the same two places are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    More,
    /// These places are known to race, or nobody has time for them.
    NoMore,
}

/// A class and its accesses.
type OfClass<'a> = (&'a Class, &'a Vec<u32>);

/// Classes of accesses to a word, by place.
type ByPlace = BTreeMap<u32, BTreeMap<Class, Vec<u32>>>;

/// Tells `visit` of all candidates for races, in a fixed order, by their places. Most are made for nothing if their places are known to race, so
/// they are made only when asked for, at the cost of so many comparisons. Without `filter` locks and what is certain exclude none. Whether there were more
/// than are looked at.
pub fn race_pairs(
    run: &Run,
    filter: bool,
    is_ordered: impl Fn(u32, u32) -> bool,
    mut visit: impl FnMut((u32, u32), u64, MakePair<'_>) -> Wanted,
) -> bool {
    let held = run.held();
    // Of foreign traces a variable usually is one byte.
    let is_foreign = run.sources.is_some()
        && run.events.iter().filter_map(|event| event.op.access()).all(|(span, _)| span.size == 1);
    let mut n_looked_at = 0;
    for (word, by_place) in &accesses_by_word(run, is_foreign) {
        let places: Vec<(u32, &BTreeMap<Class, Vec<u32>>)> = by_place.iter().map(|(&at, of)| (at, of)).collect();
        for (nth, &(a, first)) in places.iter().enumerate() {
            for &(b, second) in &places[nth..] {
                n_looked_at += 1;
                for (x, y) in pairs_of_classes(first, second, a == b) {
                    n_looked_at += 1;
                    if n_looked_at > MOST_LOOKED_AT {
                        return true;
                    }
                    // Accesses that share two words are met at the first.
                    let is_first_word = is_foreign || x.0.0.max(y.0.0) >> 3 == *word;
                    if !is_first_word || !conflict(x.0, y.0) {
                        continue;
                    }
                    let all = || RacePair { first: x.1.clone(), second: y.1.clone() };
                    let make = || if filter { pair(run, &held, &is_ordered, x.1, y.1) } else { Some(all()) };
                    let n_compared = (x.1.len() * y.1.len()).min(MOST_COMPARED) as u64;
                    if visit((a, b), n_compared, &make) == Wanted::NoMore {
                        break;
                    }
                }
            }
        }
    }
    false
}

/// Accesses by word, or by variable where each is one byte, and by place.
fn accesses_by_word(run: &Run, is_foreign: bool) -> BTreeMap<u64, ByPlace> {
    let mut by_word: BTreeMap<u64, ByPlace> = BTreeMap::new();
    for (number, event) in (0u32..).zip(&run.events) {
        let Some((span, writes)) = event.op.access() else { continue };
        let words = if is_foreign { span.address..span.address + 1 } else { span.address >> 3..(span.end() + 7) >> 3 };
        for word in words {
            let class = (span.address, span.size, event.thread, writes, event.atomic);
            let of_place = by_word.entry(word).or_default().entry(event.place).or_default();
            of_place.entry(class).or_default().push(number);
        }
    }
    by_word
}

/// Pairs of a class at one place and one at another, each once if it is the same place.
fn pairs_of_classes<'a>(
    first: &'a BTreeMap<Class, Vec<u32>>,
    second: &'a BTreeMap<Class, Vec<u32>>,
    is_same: bool,
) -> impl Iterator<Item = (OfClass<'a>, OfClass<'a>)> {
    first.iter().flat_map(move |x| second.iter().filter(move |y| !is_same || *x.0 < *y.0).map(move |y| (x, y)))
}

/// Whether two threads access the same bytes, and one of them writes, and one of them plainly.
fn conflict(a: &Class, b: &Class) -> bool {
    let spans = [a, b].map(|class| Span { address: class.0, size: class.1 });
    a.2 != b.2 && (a.3 || b.3) && !(a.4 && b.4) && spans[0].overlaps(spans[1])
}

/// What of two classes can race at all.
fn pair(
    run: &Run,
    held: &Held,
    is_ordered: &impl Fn(u32, u32) -> bool,
    first: &[u32],
    second: &[u32],
) -> Option<RacePair> {
    let (sets, others) = (held.sets_of(first), held.sets_of(second));
    if sets.iter().all(|&set| others.iter().all(|&other| held.exclude(set, other))) {
        return None;
    }
    let is_large = first.len() * second.len() > MOST_COMPARED;
    let possible = |&x: &u32, others: &[u32]| {
        is_large
            || others.iter().any(|&y| {
                let (i, j) = (run.instant(x), run.instant(y));
                !held.exclude(held.set_of(x), held.set_of(y)) && !is_ordered(i, j) && !is_ordered(j, i)
            })
    };
    let keep = |of: &[u32], others: &[u32]| of.iter().copied().filter(|x| possible(x, others)).collect::<Vec<u32>>();
    let (first, second) = (keep(first, second), keep(second, first));
    (!first.is_empty()).then_some(RacePair { first, second })
}

/// Acquisitions of one thread that take the same lock, holding the same.
#[derive(Clone, Debug)]
pub struct AbstractAcquire {
    pub thread: u32,
    pub lock: u64,
    pub shared: bool,
    pub held: Vec<(u64, bool)>,
    pub place: u32,
    pub events: Vec<u32>,
}

/// The nested acquisitions of a run.
pub fn acquisitions(run: &Run) -> Vec<AbstractAcquire> {
    let held = run.held();
    type Key = (u32, u64, bool, Vec<(u64, bool)>, u32);
    let mut numbers: FxHashMap<Key, usize> = FxHashMap::default();
    let mut all: Vec<AbstractAcquire> = Vec::new();
    for (number, event) in (0u32..).zip(&run.events) {
        let (lock, shared) = match event.op {
            // Whoever gives up does not wait in a circle.
            _ if run.can_fail.contains(&number) => continue,
            Op::Acquire { lock, shared } => (lock, shared),
            Op::Woken { mutex, .. } => (mutex, false),
            _ => continue,
        };
        let mut held = held.of(number).to_vec();
        held.retain(|&(other, _)| other != lock);
        held.sort_unstable();
        held.dedup();
        if held.is_empty() {
            continue;
        }
        let key = (event.thread, lock, shared, held.clone(), event.place);
        let next = all.len();
        let known = *numbers.entry(key).or_insert(next);
        if known == next {
            let (thread, place) = (event.thread, event.place);
            all.push(AbstractAcquire { thread, lock, shared, held, place, events: Vec::new() });
        }
        all[known].events.push(number);
    }
    all
}

/// So many circles are looked at, before the rest is given up.
const MOST_CIRCLES: usize = 10_000;

/// Threads of a circle.
const MOST_THREADS: usize = 64;

/// Acquisitions that are tried on the way to circles, before the rest is given up.
const MOST_TRIED: u64 = 5_000_000;

/// Circles of acquisitions in which each wants what the next one holds. Whether there were more than are looked at.
pub fn circles(acquires: &[AbstractAcquire]) -> (Vec<Vec<usize>>, bool) {
    let mut holders: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
    for (number, acquire) in acquires.iter().enumerate() {
        for &(lock, _) in &acquire.held {
            holders.entry(lock).or_default().push(number);
        }
    }
    let mut found = Vec::new();
    let mut n_tried = 0;
    let mut path = Vec::new();
    for start in 0..acquires.len() {
        path.push(start);
        extend(acquires, &holders, &mut path, &mut found, &mut n_tried);
        path.pop();
    }
    let is_cut = found.len() >= MOST_CIRCLES || n_tried >= MOST_TRIED || found.iter().any(|circle| circle.is_empty());
    found.retain(|circle| !circle.is_empty());
    (found, is_cut)
}

fn excludes(want: &AbstractAcquire, holder: &AbstractAcquire) -> bool {
    holder.held.iter().any(|&(lock, shared)| lock == want.lock && !(shared && want.shared))
}

/// Threads that hold the same lock at the same time, unless both only read.
fn hold_together(a: &AbstractAcquire, b: &AbstractAcquire) -> bool {
    a.held.iter().all(|&(lock, shared)| b.held.iter().all(|&(other, also)| lock != other || shared && also))
}

fn extend(
    acquires: &[AbstractAcquire],
    holders: &FxHashMap<u64, Vec<usize>>,
    path: &mut Vec<usize>,
    found: &mut Vec<Vec<usize>>,
    n_tried: &mut u64,
) {
    let (start, last) = (path[0], path[path.len() - 1]);
    let Some(next) = holders.get(&acquires[last].lock) else { return };
    for &next in next {
        if found.len() >= MOST_CIRCLES || *n_tried >= MOST_TRIED {
            return;
        }
        *n_tried += 1;
        if !excludes(&acquires[last], &acquires[next]) {
            continue;
        }
        if next == start && path.len() > 1 {
            found.push(path.clone());
            continue;
        }
        // Each circle is found from its first acquisition on.
        let fits = |&on: &usize| {
            let (on, next) = (&acquires[on], &acquires[next]);
            on.thread != next.thread && on.lock != next.lock && hold_together(on, next)
        };
        if next > start && path.len() >= MOST_THREADS {
            // Longer ones are not looked at.
            if found.last().is_none_or(|last| !last.is_empty()) {
                found.push(Vec::new());
            }
            continue;
        }
        if next > start && path.iter().all(fits) {
            path.push(next);
            extend(acquires, holders, path, found, n_tried);
            path.pop();
        }
    }
}
