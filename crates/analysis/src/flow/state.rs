//! What is known at one point of an instance, and how it changes.

use super::barriers::Waits;
use crate::objects::LocId;
use crate::paths::Path;
use crate::sets::Set;
use std::rc::Rc;

/// A name of a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Lock {
    Exact(LocId),
    /// By its path in the function.
    Symbolic(Path),
    /// The lock that all atomic sections share.
    Section,
}

/// Stands for the lock of atomic sections among places of locks.
pub const SECTION: u32 = u32::MAX;

/// A lock that is held.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    pub lock: Lock,
    pub count: u32,
    pub exclusive: bool,
    /// All that the name may stand for.
    pub locs: Rc<Set>,
}

/// Keeps what both hold, and says whether that is less.
pub fn meet_held(mine: &mut Vec<Held>, other: &[Held]) -> bool {
    let mut changed = false;
    mine.retain_mut(|held| match other.iter().find(|of| of.lock == held.lock) {
        Some(of) => {
            changed |= held.count > of.count || held.exclusive && !of.exclusive;
            held.count = held.count.min(of.count);
            held.exclusive &= of.exclusive;
            true
        }
        None => {
            changed = true;
            false
        }
    });
    changed
}

/// What changed since the entry of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    pub held: Vec<Held>,
    /// Locks that may have been released without having been taken here.
    pub released: Set,
    /// Threads that may have been created and not been joined.
    pub created: Set,
    /// Threads that surely are joined.
    pub joined: Set,
    /// At barriers.
    pub waits: Waits,
}

impl State {
    /// What holds in both. Says whether that is less than held here.
    pub fn meet(&mut self, other: &State) -> bool {
        let mut changed = meet_held(&mut self.held, &other.held);
        changed |= self.released.union_noting(&other.released, &mut Set::default());
        changed |= self.created.union_noting(&other.created, &mut Set::default());
        changed |= self.waits.meet(&other.waits);
        let n_joined = self.joined.len();
        self.joined.intersect(&other.joined);
        changed || self.joined.len() < n_joined
    }

    /// Whether a lock is known by its path.
    pub fn has_symbols(&self) -> bool {
        self.held.iter().any(|held| matches!(held.lock, Lock::Symbolic(_)))
    }

    pub fn acquire(&mut self, lock: Lock, exclusive: bool, locs: Rc<Set>, counts: bool) {
        match self.held.iter_mut().find(|held| held.lock == lock) {
            Some(held) => held.count += u32::from(counts && held.exclusive == exclusive),
            None => {
                self.held.push(Held { lock, count: 1, exclusive, locs });
                self.held.sort_by_key(|held| held.lock);
            }
        }
    }

    /// Releases what has that name, or whatever the places may be. A lock that is not `counted` is free after one release, however often and under
    /// whatever names it was taken: taking it again failed.
    pub fn release(&mut self, lock: Option<Lock>, locs: &Set, counted: bool) {
        if counted && let Some(at) = self.held.iter().position(|held| Some(held.lock) == lock) {
            self.held[at].count -= 1;
            if self.held[at].count == 0 {
                self.held.remove(at);
            }
            return;
        }
        self.held.retain(|held| !held.locs.meets(locs));
        self.released.union(locs);
    }
}

/// What holds when a function is entered, whoever calls it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    pub held: Vec<Held>,
    pub live: Set,
    /// At barriers, since the begin of the thread.
    pub waits: Waits,
}

/// What holds at a point.
#[derive(Clone, Debug, Default)]
pub struct Here {
    pub held: Vec<Held>,
    pub live: Set,
    pub waits: Waits,
}

/// What holds in a state of an instance that was entered like that.
pub fn since(entry: &Entry, state: &State) -> Here {
    let mut held = state.held.clone();
    for of in entry.held.iter().filter(|of| !of.locs.meets(&state.released)) {
        match held.iter_mut().find(|held| held.lock == of.lock) {
            Some(held) => held.exclusive |= of.exclusive,
            None => held.push(of.clone()),
        }
    }
    held.sort_by_key(|held| held.lock);
    let mut live = entry.live.clone();
    live.subtract(&state.joined);
    live.union(&state.created);
    let mut waits = entry.waits.clone();
    waits.then(&state.waits);
    Here { held, live, waits }
}
