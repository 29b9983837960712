//! Whether locks alone can block threads.
//!
//! *Lemma.* Where threads wait for nothing but locks, joins aside, and nobody who holds a lock stands where it may have to wait, or has ended, there is no deadlock: whoever waits for a lock waits for its
//! holder, who can go on. That answers the question for most programs without nested locks in one pass, where a solver takes longer than all executions.

use crate::deadlocks::is_blockable;
use crate::events::{EventId, NONE, Point, Unfolding};
use gordian_base::{FxHashSet, Id};
use gordian_trace::{OpKind, Wants};
use smallvec::SmallVec;

/// The locks that a thread may hold, each with how often it took it.
type Held = SmallVec<[(u64, u32); 2]>;

/// Whether nobody can be blocked forever. If not, that is to be asked.
pub fn is_free_of_deadlocks(unfolding: &Unfolding) -> bool {
    if unfolding.takes_locks_unseen {
        return false;
    }
    let mut locks: FxHashSet<u32> = FxHashSet::default();
    for point in unfolding.points.iter() {
        let Some(wants) = point.wants else { continue };
        if wants.kind == OpKind::AtomicBegin {
            return false;
        }
        if is_blockable(point) {
            if !matches!(wants.kind, OpKind::Lock | OpKind::ReadLock) {
                return false;
            }
            locks.extend(point.uses.iter().map(|used| used.slot));
        }
    }
    is_locked_by_operations_alone(unfolding, &locks) && !does_a_holder_wait(unfolding)
}

fn wants_of(unfolding: &Unfolding, event: EventId) -> Option<Wants> {
    unfolding.points[unfolding.events[event].point].wants
}

/// Whether locks are touched by nothing but what takes them and gives them back.
fn is_locked_by_operations_alone(unfolding: &Unfolding, locks: &FxHashSet<u32>) -> bool {
    unfolding.events.enumerate().skip(1).all(|(id, event)| {
        use OpKind::{Lock, ReadLock, TryLock, TryReadLock, Unlock};
        let is_operation = || {
            let kind = wants_of(unfolding, id).map(|wants| wants.kind);
            matches!(kind, Some(Lock | ReadLock | TryLock | TryReadLock | Unlock))
        };
        !event.uses.iter().any(|used| locks.contains(&used.slot)) || is_operation()
    })
}

/// Whether a thread may stand somewhere with a lock and not go on.
fn does_a_holder_wait(unfolding: &Unfolding) -> bool {
    let mut held: Vec<Held> = vec![Held::new()];
    for (id, event) in unfolding.events.enumerate().skip(1) {
        let mut now = if event.pred == NONE { Held::new() } else { held[event.pred.index()].clone() };
        if let Some(wants) = wants_of(unfolding, id) {
            change(&mut now, wants);
        }
        held.push(now);
    }
    let may_stay = |point: &Point| point.wants.is_none_or(|wants| wants.joins_by_itself()) || is_blockable(point);
    let holds = |point: &Point| point.pred != NONE && held[point.pred.index()].iter().any(|lock| lock.1 > 0);
    unfolding.points.iter().any(|point| may_stay(point) && holds(point))
}

/// What a thread may hold after an operation. An attempt counts as if it had succeeded, and no lock is given back more often than it was taken.
fn change(held: &mut Held, Wants { kind, address, .. }: Wants) {
    let position = held.iter().position(|lock| lock.0 == address);
    match (kind, position) {
        (OpKind::Lock | OpKind::ReadLock | OpKind::TryLock | OpKind::TryReadLock, Some(position)) => {
            held[position].1 += 1;
        }
        (OpKind::Lock | OpKind::ReadLock | OpKind::TryLock | OpKind::TryReadLock, None) => held.push((address, 1)),
        (OpKind::Unlock, Some(position)) => held[position].1 = held[position].1.saturating_sub(1),
        _ => {}
    }
}
