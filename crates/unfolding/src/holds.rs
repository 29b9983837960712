//! Whether locks alone can block threads: told by the order in which threads take them, without a solver.
//!
//! *Lemma.* Let threads wait for nothing but locks, main's joins aside; let nobody end or join while holding a lock; and let there be an order of locks such that who waits for a lock
//! holds lower ones only. Then there is no deadlock.
//! 1. Who waits for a lock waits for somebody who holds it. That thread has neither ended nor joins, so if it cannot go on it waits for a higher lock. There is no highest one that
//!    is waited for.
//! 2. So nobody waits for a lock, and main is the only one who waits for anything: for a thread that can go on.
//!
//! What a thread holds is read off its own steps, from above: an attempt counts as if it had succeeded, and what is taken twice has to be given back twice. Where that may not be all, nothing is
//! said: a lock that is touched by something else, or that was taken in no step.

use crate::deadlocks::is_blockable;
use crate::events::{NONE, Unfolding};
use gordian_base::{FxBuildHasher, FxHashSet, Id};
use gordian_trace::{OpKind, Wants};
use indexmap::{IndexMap, IndexSet};
use smallvec::SmallVec;

/// The locks that a thread may hold, each with how often it took it.
type Held = SmallVec<[(u64, u32); 2]>;

/// By lock: those that are waited for by who holds it.
type Order = IndexMap<u64, IndexSet<u64, FxBuildHasher>, FxBuildHasher>;

/// Whether nobody can be blocked forever. If not, that is to be asked.
pub fn is_free_of_deadlocks(unfolding: &Unfolding) -> bool {
    if unfolding.takes_locks_unseen {
        return false;
    }
    let mut locks: FxHashSet<u32> = FxHashSet::default();
    for point in unfolding.points.ids() {
        let Some(wants) = unfolding.wants(point) else { continue };
        if wants.kind == OpKind::AtomicBegin {
            return false;
        }
        if is_blockable(unfolding, point) {
            if !matches!(wants.kind, OpKind::Lock | OpKind::ReadLock) {
                return false;
            }
            locks.extend(unfolding.expected(point).iter().map(|used| used.slot));
        }
    }
    is_locked_by_operations_alone(unfolding, &locks) && order_of_locks(unfolding).is_some_and(is_acyclic)
}

/// Whether locks are touched by nothing but what takes them and gives them back.
fn is_locked_by_operations_alone(unfolding: &Unfolding, locks: &FxHashSet<u32>) -> bool {
    use OpKind::{Lock, ReadLock, TryLock, TryReadLock, Unlock};
    unfolding.events.enumerate().skip(1).all(|(id, event)| {
        let kind = unfolding.wants(event.point).map(|wants| wants.kind);
        matches!(kind, Some(Lock | ReadLock | TryLock | TryReadLock | Unlock))
            || !unfolding.uses_of(id).iter().any(|used| locks.contains(&used.slot))
    })
}

/// Which locks are waited for by holders of which; nothing if a holder may wait for something else, or end.
fn order_of_locks(unfolding: &Unfolding) -> Option<Order> {
    let mut held: Vec<Held> = vec![Held::new()];
    for event in unfolding.events.iter().skip(1) {
        let mut now = if event.pred == NONE { Held::new() } else { held[event.pred.index()].clone() };
        if let Some(wants) = unfolding.wants(event.point) {
            change(&mut now, wants);
        }
        held.push(now);
    }
    let mut order = Order::default();
    for (id, point) in unfolding.points.enumerate().filter(|(_, point)| point.pred != NONE) {
        for &(lock, _) in held[point.pred.index()].iter().filter(|lock| lock.1 > 0) {
            match unfolding.wants(id) {
                None => return None,
                Some(wants) if wants.joins_by_itself() => return None,
                Some(wants) if is_blockable(unfolding, id) => {
                    order.entry(lock).or_default().insert(wants.address);
                }
                Some(_) => {}
            }
        }
    }
    Some(order)
}

/// What a thread may hold after an operation.
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

/// Whether locks can be removed one after the other, each when no holder of it waits for one that is left.
fn is_acyclic(mut order: Order) -> bool {
    loop {
        let n_left = order.len();
        let left: FxHashSet<u64> = order.keys().copied().collect();
        order.retain(|_, higher| higher.iter().any(|lock| left.contains(lock)));
        match order.len() {
            0 => return true,
            len if len == n_left => return false,
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(pairs: &[(u64, u64)]) -> Order {
        let mut order = Order::default();
        for &(lock, higher) in pairs {
            order.entry(lock).or_default().insert(higher);
        }
        order
    }

    #[test]
    fn only_cycles_of_locks_are_refused() {
        assert!(is_acyclic(order(&[])));
        assert!(is_acyclic(order(&[(1, 2), (2, 3), (1, 3), (4, 3)])));
        assert!(!is_acyclic(order(&[(1, 1)])));
        assert!(!is_acyclic(order(&[(1, 2), (2, 3), (3, 1), (4, 1)])));
    }

    #[test]
    fn what_was_taken_twice_is_given_back_twice() {
        let wants = |kind, address| Wants { kind, address, size: 0, at: gordian_trace::NO_CODE, varies: false };
        let mut held = Held::new();
        for kind in [OpKind::Lock, OpKind::TryLock, OpKind::Unlock] {
            change(&mut held, wants(kind, 8));
        }
        assert_eq!(held[..], [(8, 1)]);
        change(&mut held, wants(OpKind::Unlock, 16));
        change(&mut held, wants(OpKind::Unlock, 8));
        change(&mut held, wants(OpKind::Unlock, 8));
        assert_eq!(held[..], [(8, 0)]);
    }
}
