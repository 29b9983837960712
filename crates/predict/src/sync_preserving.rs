//! Races and deadlocks by closures (see [`crate::closure`]): what a sync-preserving one has is there, and what the necessary one does not have is not.

use crate::candidates::{AbstractAcquire, RacePair};
use crate::closure::{Clocks, Closure};
use crate::run::{Held, Run};

/// What closures say.
pub enum Closed {
    /// These events can all be next.
    Found(Vec<u32>),
    Impossible,
    Open,
}

/// Decides by closures, and counts their work.
pub struct Closures<'a> {
    run: &'a Run,
    certain: Clocks,
    as_in_run: Option<Clocks>,
    held: Held,
    pub work: u64,
}

impl<'a> Closures<'a> {
    pub fn new(run: &'a Run) -> Self {
        Closures { run, certain: Clocks::new(run), as_in_run: Clocks::as_in_run(run), held: run.held(), work: 0 }
    }

    fn sync_preserving(&self) -> Closure<'_> {
        Closure::sync_preserving(self.run, self.as_in_run.as_ref().unwrap_or(&self.certain))
    }

    /// Whether two events of a pair can be next to each other.
    ///
    /// Both lists are in the order of the run. A closure that swallows an event of one list does so for all later events of the other, so
    /// each list is gone through once.
    pub fn race(&mut self, pair: &RacePair) -> Closed {
        let mut closure = self.sync_preserving();
        let found = race_within(&mut closure, pair);
        let mut work = closure.work;
        let closed = match found {
            Some((a, b)) => Closed::Found(vec![a, b]),
            None => {
                let held = [&pair.first, &pair.second].into_iter().flat_map(|events| self.always_held(events));
                let mut closure = Closure::necessary(self.run, &self.certain, held);
                let is_open = race_within(&mut closure, pair).is_some();
                work += closure.work;
                if is_open { Closed::Open } else { Closed::Impossible }
            }
        };
        self.work += work;
        closed
    }

    /// Locks that are held at each of these events of one thread.
    fn always_held(&self, events: &[u32]) -> Vec<(u64, bool, u32)> {
        let sets = self.held.sets_of(events);
        let thread = self.run.events[events[0] as usize].thread;
        let is_in_all = |lock: &&(u64, bool)| sets.iter().all(|&set| self.held.has(set, **lock));
        self.held.of(events[0]).iter().filter(is_in_all).map(|&(lock, shared)| (lock, shared, thread)).collect()
    }

    /// Whether acquisitions of a circle can all be next.
    pub fn deadlock(&mut self, acquires: &[AbstractAcquire], circle: &[usize]) -> Closed {
        let mut closure = self.sync_preserving();
        let found = deadlock_within(&mut closure, acquires, circle);
        let mut work = closure.work;
        let closed = match found {
            Some(events) => Closed::Found(events),
            None => {
                let held = circle
                    .iter()
                    .map(|&acquire| &acquires[acquire])
                    .flat_map(|acquire| acquire.held.iter().map(|&(lock, shared)| (lock, shared, acquire.thread)));
                let mut closure = Closure::necessary(self.run, &self.certain, held);
                let is_open = deadlock_within(&mut closure, acquires, circle).is_some();
                work += closure.work;
                if is_open { Closed::Open } else { Closed::Impossible }
            }
        };
        self.work += work;
        closed
    }
}

fn race_within(closure: &mut Closure<'_>, pair: &RacePair) -> Option<(u32, u32)> {
    let (mut first, mut second) = (pair.first.iter().peekable(), pair.second.iter().peekable());
    loop {
        let (&&a, &&b) = (first.peek()?, second.peek()?);
        closure.add_before(a);
        closure.add_before(b);
        closure.close();
        match (closure.contains(a), closure.contains(b)) {
            (false, false) => return Some((a, b)),
            (has_first, has_second) => {
                if has_first {
                    while first.next_if(|&&event| closure.contains(event)).is_some() {}
                }
                if has_second {
                    while second.next_if(|&&event| closure.contains(event)).is_some() {}
                }
            }
        }
    }
}

fn deadlock_within(closure: &mut Closure<'_>, acquires: &[AbstractAcquire], circle: &[usize]) -> Option<Vec<u32>> {
    let mut next = vec![0; circle.len()];
    loop {
        let mut chosen = Vec::with_capacity(circle.len());
        for (&acquire, next) in circle.iter().zip(&mut next) {
            let events = &acquires[acquire].events;
            while *next < events.len() && closure.contains(events[*next]) {
                *next += 1;
            }
            chosen.push(*events.get(*next)?);
        }
        chosen.iter().for_each(|&event| closure.add_before(event));
        closure.close();
        if chosen.iter().all(|&event| !closure.contains(event)) {
            return Some(chosen);
        }
    }
}
