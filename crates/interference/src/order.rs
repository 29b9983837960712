//! What locks alone exclude. Branches do not lead to every failure: a race or a deadlock is a matter of order. But when all that threads
//! can do is known, and whatever conflicts is ordered by a lock, by creation or by a join, and locks are always taken in the same order,
//! there is neither.

use crate::forest::{Forest, NodeId};
use gordian_base::{FxHashMap, ThreadId};
use gordian_witness::{EventKind, PendingOperation, Place};
use std::rc::Rc;

/// What orders a node of a thread with those of others.
#[derive(Clone, Default)]
struct Guards {
    /// Locks held, and whether only with others who read.
    locks: Rc<Vec<(u64, bool)>>,
    /// Threads that were joined before.
    joined: Rc<Vec<ThreadId>>,
}

struct Access {
    node: NodeId,
    place: Place,
    writes: bool,
    atomic: bool,
}

/// Whether what is in the forest can neither race nor deadlock, nor use what was freed, whatever the schedule. If not, that means nothing.
pub fn excludes_races_and_deadlocks(forest: &Forest) -> bool {
    let Some(guards) = guards(forest) else { return false };
    takes_locks_in_order(forest, &guards) && !may_race(forest, &guards)
}

/// None if threads wait for each other in other ways than by locks and joins.
fn guards(forest: &Forest) -> Option<Vec<Guards>> {
    let mut all: Vec<Guards> = Vec::with_capacity(forest.len());
    for node in forest.ids() {
        let entry = &forest[node];
        let mut guards = entry.parent.map_or_else(Guards::default, |parent| all[parent.0 as usize].clone());
        match entry.event.kind {
            EventKind::Lock { lock, shared } => Rc::make_mut(&mut guards.locks).push((lock, shared)),
            EventKind::Unlock(lock) => {
                let held = Rc::make_mut(&mut guards.locks);
                let last = held.iter().rposition(|&(held, _)| held == lock)?;
                held.remove(last);
            }
            // Threads with higher numbers were made later, so nobody waits for somebody who waits for it.
            EventKind::Join(thread) | EventKind::Pending(PendingOperation::Join(thread)) => {
                if !guards.locks.is_empty() || thread <= entry.thread {
                    return None;
                }
                Rc::make_mut(&mut guards.joined).push(thread);
            }
            EventKind::End if !guards.locks.is_empty() => return None,
            // Nobody ever lets it go on.
            EventKind::Pending(_) if !entry.reached => return None,
            EventKind::Wait { .. }
            | EventKind::SemWait(_)
            | EventKind::BarrierArrive(_)
            | EventKind::BarrierFill(_) => return None,
            _ => {}
        }
        all.push(guards);
    }
    Some(all)
}

/// Whether there is an order of all locks that every thread keeps to.
fn takes_locks_in_order(forest: &Forest, guards: &[Guards]) -> bool {
    let mut later: FxHashMap<u64, Vec<u64>> = FxHashMap::default();
    let mut locks: Vec<u64> = Vec::new();
    for node in forest.ids() {
        let (EventKind::Lock { lock, .. } | EventKind::Pending(PendingOperation::Lock { lock, .. })) =
            forest[node].event.kind
        else {
            continue;
        };
        if !locks.contains(&lock) {
            locks.push(lock);
        }
        let held = forest[node].parent.map(|parent| &guards[parent.0 as usize].locks);
        for &(held, _) in held.into_iter().flat_map(|held| held.iter()) {
            let known = later.entry(held).or_default();
            if !known.contains(&lock) {
                known.push(lock);
            }
        }
    }
    let comes_back = |from: u64| {
        let (mut met, mut next) = (vec![from], 0);
        while next < met.len() {
            for &lock in later.get(&met[next]).into_iter().flatten() {
                if lock == from {
                    return true;
                }
                if !met.contains(&lock) {
                    met.push(lock);
                }
            }
            next += 1;
        }
        false
    };
    !locks.iter().any(|&lock| comes_back(lock))
}

/// The lock or the like that is used, or the thread.
fn used(kind: &EventKind) -> Option<u64> {
    match *kind {
        EventKind::Lock { lock, .. } | EventKind::Unlock(lock) | EventKind::LockFails { lock, .. } => Some(lock),
        EventKind::Signal(cond) | EventKind::Broadcast(cond) => Some(cond),
        EventKind::SemPost(semaphore) => Some(semaphore),
        EventKind::Join(thread) => Some(gordian_witness::thread_claim(thread)),
        _ => None,
    }
}

fn may_race(forest: &Forest, guards: &[Guards]) -> bool {
    let mut by_word: FxHashMap<u64, Vec<Access>> = FxHashMap::default();
    for node in forest.ids().filter(|&node| forest[node].reached) {
        let (place, writes) = match forest[node].event.kind {
            EventKind::Read { place, .. } if crate::degree::counts(place) => (place, false),
            EventKind::Write { place, .. } if crate::degree::counts(place) => (place, true),
            EventKind::Publish { place, .. } | EventKind::Free(place) => (place, true),
            EventKind::Claim(address) => (Place { address, size: 1 }, true),
            ref kind => match used(kind) {
                Some(address) => (Place { address, size: 1 }, false),
                None => continue,
            },
        };
        let atomic = forest[node].event.atomic;
        for word in place.words() {
            let known = by_word.entry(word).or_default();
            if known.iter().any(|other| conflicts(forest, guards, other, node, place, writes, atomic)) {
                return true;
            }
            known.push(Access { node, place, writes, atomic });
        }
    }
    false
}

fn conflicts(
    forest: &Forest,
    guards: &[Guards],
    a: &Access,
    b: NodeId,
    place: Place,
    writes: bool,
    atomic: bool,
) -> bool {
    if forest[a.node].thread == forest[b].thread || !(a.writes || writes) || a.atomic && atomic {
        return false;
    }
    let (of_a, of_b) = (&guards[a.node.0 as usize].locks, &guards[b.0 as usize].locks);
    let excludes = |&(lock, shared): &(u64, bool)| of_b.iter().any(|&(other, also)| other == lock && !(shared && also));
    a.place.overlaps(place)
        && !of_a.iter().any(excludes)
        && !comes_first(forest, guards, a.node, b)
        && !comes_first(forest, guards, b, a.node)
}

/// Whether `a` comes before `b` because its thread made that of `b` later, or was joined before.
fn comes_first(forest: &Forest, guards: &[Guards], a: NodeId, b: NodeId) -> bool {
    let mut at = Some(b);
    while let Some(node) = at {
        if forest[node].thread == forest[a].thread {
            return forest.is_on_the_way(a, node);
        }
        if guards[node.0 as usize].joined.contains(&forest[a].thread) {
            return true;
        }
        at = forest[forest[node].root].created_by;
    }
    false
}
