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
        Parallel { coexist }
    }

    /// Whether the two threads may be at two points at the same time, given who may be live there.
    pub fn may(&self, facts: &Facts, (a, live_a): (AbstractThread, &Set), (b, live_b): (AbstractThread, &Set)) -> bool {
        self.coexist[a.index()].contains(b.0)
            || a != b && facts.descendants[a.index()].contains(b.0) && live_a.contains(b.0)
            || a != b && facts.descendants[b.index()].contains(a.0) && live_b.contains(a.0)
    }
}

/// The loads of bytes that nobody writes in the thread of the load, nor in parallel with it.
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
    let writing: Vec<usize> = groups.iter().filter(|(_, writes)| *writes).map(|(nth, _)| *nth).collect();
    let mut is_disturbed = |&(read, _): &(usize, bool)| {
        writing.iter().any(|&write| {
            overlaps.of_lists(accesses[read].bytes_id, accesses[write].bytes_id).any.is_some()
                && may_follow(facts, parallel, accesses, here, [read, write])
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

/// Whether two accesses are of one thread, or of two at the same time.
fn may_follow(facts: &Facts, parallel: &Parallel, accesses: &[Access], here: &[Option<Here>], of: [usize; 2]) -> bool {
    let [Some(mine), Some(theirs)] = of.map(|nth| here[nth].as_ref()) else { return false };
    let [threads, others] = of.map(|nth| &facts.threads_of[accesses[nth].instance.index()]);
    threads.iter().any(|thread| {
        others.iter().any(|other| {
            let (thread, other) = (AbstractThread(thread), AbstractThread(other));
            thread == other || parallel.may(facts, (thread, &mine.live), (other, &theirs.live))
        })
    })
}
