//! Which threads may run at the same time, and where in them control may then be.
//!
//! **Lemma (may happen in parallel).** Two threads run at the same time only if one of them may be live where the other, or
//! an ancestor of the other, is created; or one is a descendant of the other. In the latter case the ancestor is at a
//! point where the descendant may be live. Live sets grow at creations by all descendants and shrink only at joins of a
//! thread that is one thread in every execution. So the cost is that of one data flow analysis, and a question for a pair of
//! points takes a look at two sets.

use crate::accesses::Access;
use crate::callgraph::{CallGraph, Point};
use crate::facts::Facts;
use crate::flow::{Flow, Here};
use crate::objects::AbstractThread;
use crate::sets::Set;
use gordian_base::{FxHashSet, Id};

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
    let mut writes: Vec<Vec<usize>> = vec![Vec::new(); graph.solver.objects.len()];
    for (nth, access) in
        accesses.iter().enumerate().filter(|(nth, access)| access.kind.writes() && here[*nth].is_some())
    {
        access.bytes.iter().for_each(|bytes| writes[bytes.object.index()].push(nth));
    }
    writes.iter_mut().for_each(|of| of.dedup());
    let mut stable = FxHashSet::default();
    let mut unstable = FxHashSet::default();
    for (nth, access) in
        accesses.iter().enumerate().filter(|(_, access)| access.kind == crate::accesses::AccessKind::Read)
    {
        let function = graph.instances[access.instance.index()].function;
        let point = Point { function, pc: access.pc };
        let Some(at) = &here[nth] else { continue };
        let threads = &facts.threads_of[access.instance.index()];
        let is_disturbed = access.bytes.iter().any(|bytes| {
            let mut disturbing = writes[bytes.object.index()].iter().filter(|write| {
                let overlaps = |of: &&crate::accesses::Bytes| {
                    of.object == bytes.object && of.offset.overlaps(of.size, bytes.offset, bytes.size)
                };
                accesses[**write].bytes.iter().any(|of| overlaps(&of))
            });
            disturbing.any(|&write| {
                let there = here[write].as_ref().map_or(&at.live, |there| &there.live);
                let others = &facts.threads_of[accesses[write].instance.index()];
                threads.iter().any(|mine| {
                    others.iter().any(|other| {
                        let (mine, other) = (AbstractThread(mine), AbstractThread(other));
                        mine == other || parallel.may(facts, (mine, &at.live), (other, there))
                    })
                })
            })
        });
        if is_disturbed {
            unstable.insert(point)
        } else {
            stable.insert(point)
        };
    }
    stable.retain(|point| !unstable.contains(point));
    stable
}
