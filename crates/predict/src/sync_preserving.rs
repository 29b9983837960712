//! Races and deadlocks by sync-preserving closures (see [`crate::closure`]): quick, and never wrong.

use crate::candidates::{AbstractAcquire, RacePair};
use crate::closure::{Clocks, Closure};
use crate::run::Run;

/// Two events of a pair that can be next to each other, if critical sections keep their order.
///
/// Both lists are in the order of the run. A closure that swallows an event of one list does so for all later events of the other, so
/// each list is gone through once.
pub fn race(run: &Run, clocks: &Clocks, pair: &RacePair, work: &mut u64) -> Option<(u32, u32)> {
    let mut closure = Closure::new(run, clocks);
    let found = race_within(&mut closure, pair);
    *work += closure.work;
    found
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

/// Acquisitions of a circle that can all be next, if critical sections keep their order.
pub fn deadlock(
    run: &Run,
    clocks: &Clocks,
    acquires: &[AbstractAcquire],
    circle: &[usize],
    work: &mut u64,
) -> Option<Vec<u32>> {
    let mut closure = Closure::new(run, clocks);
    let found = deadlock_within(&mut closure, acquires, circle);
    *work += closure.work;
    found
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
