//! The state that a line has come to: locks, waits, semaphores, and what was written.

use crate::run::Run;
use gordian_base::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

#[derive(Default)]
pub struct Semaphore {
    pub initial: u64,
    pub posts: Vec<u32>,
    pub waits: Vec<u32>,
}

pub struct Waiter {
    pub thread: u32,
    pub wait: u32,
    pub is_woken: bool,
    /// Where in the line it wakes, if it does.
    pub wakes_at: usize,
    /// It ends without a signal.
    pub gives_up: bool,
}

/// The state that a line has come to.
pub struct Played {
    pub instants: Vec<u32>,
    pub position: FxHashMap<u32, usize>,
    /// Sections that are open, by lock.
    pub open: FxHashMap<u64, Vec<u32>>,
    pub conds: BTreeMap<u64, Vec<Waiter>>,
    pub semaphores: FxHashMap<u64, Semaphore>,
    pub written: FxHashMap<u64, u32>,
    /// Objects that were made and that were ended.
    pub begun: FxHashSet<u64>,
    pub ended: FxHashSet<u64>,
    pub wakes: Vec<(u32, u32)>,
    pub is_violated: bool,
}

impl Played {
    /// Where instants stand matters to waits alone.
    pub fn new(has_waits: bool, instants: &[u32]) -> Self {
        let position = if has_waits { instants.iter().copied().zip(0..).collect() } else { FxHashMap::default() };
        Played {
            instants: instants.to_vec(),
            position,
            open: FxHashMap::default(),
            conds: BTreeMap::new(),
            semaphores: FxHashMap::default(),
            written: FxHashMap::default(),
            begun: FxHashSet::default(),
            ended: FxHashSet::default(),
            wakes: Vec::new(),
            is_violated: false,
        }
    }

    pub fn release(&mut self, run: &Run, event: u32, lock: u64) {
        let thread = run.events[event as usize].thread;
        if let Some(open) = self.open.get_mut(&lock) {
            open.retain(|&section| run.sections[section as usize].thread != thread);
        }
    }

    pub fn begin_wait(&mut self, run: &Run, cond: u64, wait: u32, ends: Option<(u32, bool)>) {
        let thread = run.events[wait as usize].thread;
        let position = ends.and_then(|(end, _)| self.position.get(&run.instant(end))).copied();
        let gives_up = ends.is_some_and(|(_, gives_up)| gives_up && position.is_some());
        let wakes_at = position.filter(|_| !gives_up).unwrap_or(usize::MAX);
        self.conds.entry(cond).or_default().push(Waiter { thread, wait, is_woken: false, wakes_at, gives_up });
    }

    /// Wakes whoever has to go on first. Lemma: if any choice of waiters serves all of them, this one does, since exchanging a waiter with
    /// one that goes on later leaves both served.
    pub fn signal(&mut self, cond: u64, event: u32) {
        self.signal_one_of(cond, event, |_| true);
    }

    /// Wakes whoever of these has to go on first, if one of them waits.
    pub fn signal_one_of(&mut self, cond: u64, event: u32, is_meant: impl Fn(&Waiter) -> bool) {
        let waiting = self.conds.entry(cond).or_default();
        let first = waiting
            .iter_mut()
            .filter(|waiter| !waiter.is_woken && is_meant(waiter))
            .min_by_key(|waiter| (waiter.gives_up, waiter.wakes_at, waiter.thread));
        if let Some(first) = first {
            first.is_woken = true;
            self.wakes.push((event, first.thread));
        }
    }

    pub fn broadcast(&mut self, cond: u64, event: u32) {
        for waiter in self.conds.entry(cond).or_default().iter_mut().filter(|waiter| !waiter.is_woken) {
            waiter.is_woken = true;
            self.wakes.push((event, waiter.thread));
        }
    }

    /// Who waits and was woken.
    pub fn woken(&self) -> Vec<u32> {
        let woken = self.conds.values().flatten().filter(|waiter| waiter.is_woken).map(|waiter| waiter.thread);
        let mut woken: Vec<u32> = woken.collect();
        woken.sort_unstable();
        woken
    }
}
