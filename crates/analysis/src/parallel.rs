//! Which threads may run at the same time, and where in them control may then be.
//!
//! **Lemma (may happen in parallel).** Two threads run at the same time only if one of them may be live where the other, or
//! an ancestor of the other, is created; or one is a descendant of the other. In the latter case the ancestor is at a
//! point where the descendant may be live. Live sets grow at creations by all descendants and shrink only at joins of a
//! thread that is one thread in every execution. So the cost is that of one data flow analysis, and a question for a pair of
//! points takes a look at two sets.

use crate::accesses::{Access, AccessKind};
use crate::callgraph::{CallGraph, Point};
use crate::facts::Facts;
use crate::flow::{Flow, Here};
use crate::objects::AbstractThread;
use crate::overlaps::Overlaps;
use crate::sets::Set;
use gordian_base::{FxHashMap, FxHashSet, Id};

/// Which threads may run at the same time.
pub struct Parallel {
    coexist: Vec<Set>,
}

impl Parallel {
    pub fn of(graph: &CallGraph<'_>, facts: &Facts, flow: &mut Flow<'_, '_>) -> Parallel {
        let mut coexist = vec![Set::default(); graph.threads.len()];
        for (thread, of) in graph.threads.iter().enumerate() {
            let mut new = facts.descendants[thread].clone();
            new.insert(thread as u32);
            for &(creator, pc) in &of.created_at {
                let Some(here) = flow.at(creator, &[pc]).pop().flatten() else { continue };
                for one in new.iter() {
                    coexist[one as usize].union(&here.live);
                }
                for other in here.live.iter() {
                    coexist[other as usize].union(&new);
                }
            }
        }
        // A thread that may create threads of its own kind runs beside them, and so do all that they create.
        for (_, below) in facts.descendants.iter().enumerate().filter(|(thread, below)| below.contains(*thread as u32))
        {
            below.iter().for_each(|one| coexist[one as usize].union(below));
        }
        Parallel { coexist }
    }

    /// Whether a thread may be at a point, given who may be live there, at some time between begin and end of the other.
    pub fn may_during(&self, facts: &Facts, (one, live): (AbstractThread, &Set), other: AbstractThread) -> bool {
        self.coexist[one.index()].contains(other.0)
            || facts.descendants[other.index()].contains(one.0)
            || facts.descendants[one.index()].contains(other.0) && live.contains(other.0)
    }

    /// Whether the two threads may be at two points at the same time, given who may be live there.
    pub fn may(&self, facts: &Facts, (a, live_a): (AbstractThread, &Set), (b, live_b): (AbstractThread, &Set)) -> bool {
        self.coexist[a.index()].contains(b.0)
            || a != b && facts.descendants[a.index()].contains(b.0) && live_a.contains(b.0)
            || a != b && facts.descendants[b.index()].contains(a.0) && live_b.contains(a.0)
    }
}

/// The places of locks that one thread may initialise while another holds them, which sets them free. Nothing between the two excludes that: a common
/// lock may be released before the lock is.
pub fn reset_locks(
    graph: &CallGraph<'_>,
    facts: &Facts,
    parallel: &Parallel,
    accesses: &[Access],
    here: &[Option<Here>],
) -> Set {
    let mut overlaps = Overlaps::of(facts, accesses);
    let resets = |nth: &usize| accesses[*nth].kind == AccessKind::Set && here[*nth].is_some();
    let by_list = by_list(&overlaps, accesses, (0..accesses.len()).filter(resets));
    if by_list.iter().all(Vec::is_empty) {
        return Set::default();
    }
    let mut found = Set::default();
    for lock in accesses.iter().filter(|access| access.kind.is_lock()) {
        let holders = &facts.threads_of[lock.instance.index()];
        let near = near(&overlaps, &by_list, lock.bytes_id);
        let mut is_reset = |nth: usize| {
            let resets = &facts.threads_of[accesses[nth].instance.index()];
            let live = &here[nth].as_ref().expect("it was asked").live;
            let may = |one: u32, other: u32| {
                let apart = one != other || !facts.is_single[one as usize];
                apart && parallel.may_during(facts, (AbstractThread(one), live), AbstractThread(other))
            };
            overlaps.work > MOST_WORK
                || overlaps.of_lists(accesses[nth].bytes_id, lock.bytes_id).escaping.is_some()
                    && resets.iter().any(|one| holders.iter().any(|other| may(one, other)))
        };
        if near.into_iter().any(&mut is_reset) {
            found.union(lock.address.and_then(|val| graph.pointees(lock.instance, val)).unwrap_or(&Set::default()));
        }
    }
    found
}

/// Comparisons of accesses before the worst is taken for granted.
const MOST_WORK: u64 = 100_000_000;

/// These accesses by the lists of their bytes.
fn by_list(overlaps: &Overlaps<'_>, accesses: &[Access], of: impl Iterator<Item = usize>) -> Vec<Vec<usize>> {
    let mut by_list = vec![Vec::new(); overlaps.n_lists() as usize];
    of.for_each(|nth| by_list[accesses[nth].bytes_id as usize].push(nth));
    by_list
}

/// Those that may touch an object of the list.
fn near(overlaps: &Overlaps<'_>, by_list: &[Vec<usize>], list: u32) -> Vec<usize> {
    overlaps.neighbours(list).into_iter().flat_map(|list| &by_list[list as usize]).copied().collect()
}

/// The loads of bytes that nobody writes in the thread of the load, nor while it runs.
pub fn stable_loads(
    graph: &CallGraph<'_>,
    facts: &Facts,
    parallel: &Parallel,
    accesses: &[Access],
    here: &[Option<Here>],
) -> FxHashSet<Point> {
    let mut overlaps = Overlaps::of(facts, accesses);
    // Accesses that differ in nothing that matters here are looked at once.
    let mut numbers: FxHashMap<(u32, &Set, &Set), usize> = FxHashMap::default();
    let mut groups: Vec<(usize, bool)> = Vec::new();
    let mut group_of = vec![None; accesses.len()];
    for (nth, access) in accesses.iter().enumerate() {
        let Some(at) = &here[nth] else { continue };
        let key = (access.bytes_id, &facts.threads_of[access.instance.index()], &at.live);
        let group = *numbers.entry(key).or_insert_with(|| {
            groups.push((nth, false));
            groups.len() - 1
        });
        groups[group].1 |= access.kind.writes();
        group_of[nth] = Some(group);
    }
    let writing = groups.iter().filter(|(_, writes)| *writes).map(|(nth, _)| *nth);
    let writing = by_list(&overlaps, accesses, writing);
    let mut is_disturbed = |&(read, _): &(usize, bool)| {
        near(&overlaps, &writing, accesses[read].bytes_id).into_iter().any(|write| {
            overlaps.work > MOST_WORK
                || overlaps.of_lists(accesses[read].bytes_id, accesses[write].bytes_id).any.is_some()
                    && may_come_between(facts, parallel, accesses, here, [read, write])
        })
    };
    let disturbed: Vec<bool> = groups.iter().map(&mut is_disturbed).collect();
    let (mut stable, mut unstable) = (FxHashSet::default(), FxHashSet::default());
    for (nth, access) in accesses.iter().enumerate().filter(|(_, access)| access.kind == AccessKind::Read) {
        let function = graph.instances[access.instance.index()].function;
        if let Some(group) = group_of[nth] {
            let point = Point { function, pc: access.pc };
            if disturbed[group] {
                unstable.insert(point)
            } else {
                stable.insert(point)
            };
        }
    }
    stable.retain(|point| !unstable.contains(point));
    stable
}

/// Whether a thread that reads twice may find what the write left the second time. Who writes need not be there at either read: it may be created and
/// joined in between.
fn may_come_between(
    facts: &Facts,
    parallel: &Parallel,
    accesses: &[Access],
    here: &[Option<Here>],
    [read, write]: [usize; 2],
) -> bool {
    let Some(at) = &here[write] else { return false };
    let [readers, writers] = [read, write].map(|nth| &facts.threads_of[accesses[nth].instance.index()]);
    readers.iter().any(|reader| {
        writers.iter().any(|writer| {
            let (reader, writer) = (AbstractThread(reader), AbstractThread(writer));
            reader == writer || parallel.may_during(facts, (writer, &at.live), reader)
        })
    })
}
