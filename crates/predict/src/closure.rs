//! Sync-preserving closures: the least part of a run that a reordering with all critical sections in their order must have.
//!
//! After Mathur, Pavlogiannis and Viswanathan, *Optimal Prediction of Synchronization-Preserving Races* (POPL 2021), and Tunç, Mathur,
//! Pavlogiannis and Viswanathan, *Sound Dynamic Deadlock Prediction in Linear Time* (PLDI 2023). An *ideal* is a number of events for each
//! thread. It is closed if it has, with every event, what the event needs (program order, creation, join, the source of a read), and with two
//! critical sections of a lock the release of the earlier. Lemma: the events of a closed ideal in the order of the run are a reordering.
//! Program order, creation, join and sources hold because the ideal has what they need; a lock is free when it is acquired because every
//! earlier section of it in the ideal is over, and no other write comes between a read and its source that did not in the run.

use crate::run::{Op, Run};
use gordian_base::FxHashMap;

/// By event: how many events of each thread it needs, itself included.
pub struct Clocks {
    n_threads: usize,
    clocks: Vec<u32>,
    /// By event: its number in its thread, from 1 on.
    pub nth: Vec<u32>,
    /// By thread: its critical sections, each with the number of its acquisition in the thread.
    sections: Vec<Vec<(u32, u32)>>,
}

impl Clocks {
    pub fn new(run: &Run) -> Self {
        let n_threads = run.n_threads as usize;
        let mut clocks = vec![0u32; run.events.len() * n_threads];
        let mut of_thread: Vec<Vec<u32>> = vec![Vec::new(); n_threads];
        let mut nth = Vec::with_capacity(run.events.len());
        let mut created_by: FxHashMap<u32, u32> = FxHashMap::default();
        for (number, event) in run.events.iter().enumerate() {
            let thread = event.thread as usize;
            let mut needs = [None; 3];
            needs[0] = of_thread[thread].last().copied().or_else(|| created_by.get(&event.thread).copied());
            needs[1] = run.sources.as_ref().and_then(|sources| sources[number]);
            match event.op {
                Op::Fork(child) => {
                    created_by.insert(child, number as u32);
                }
                Op::Join(child) => {
                    let last = of_thread.get(child as usize).and_then(|events| events.last().copied());
                    needs[2] = last.or_else(|| created_by.get(&child).copied());
                }
                _ => {}
            }
            of_thread[thread].push(number as u32);
            nth.push(of_thread[thread].len() as u32);
            let (before, here) = clocks.split_at_mut(number * n_threads);
            for need in needs.into_iter().flatten() {
                let from = &before[need as usize * n_threads..][..n_threads];
                here[..n_threads].iter_mut().zip(from).for_each(|(to, &from)| *to = (*to).max(from));
            }
            here[thread] = of_thread[thread].len() as u32;
        }
        let mut sections: Vec<Vec<(u32, u32)>> = vec![Vec::new(); n_threads];
        for (number, section) in (0u32..).zip(&run.sections) {
            sections[section.thread as usize].push((nth[section.acquire as usize], number));
        }
        Clocks { n_threads, clocks, nth, sections }
    }

    pub fn of(&self, event: u32) -> &[u32] {
        &self.clocks[event as usize * self.n_threads..][..self.n_threads]
    }
}

/// An ideal that grows and is closed again and again.
pub struct Closure<'a> {
    run: &'a Run,
    clocks: &'a Clocks,
    pub ideal: Vec<u32>,
    /// By thread: the sections that were looked at.
    seen: Vec<u32>,
    /// By lock: the last section of the run that is begun in the ideal.
    latest: FxHashMap<u64, u32>,
    /// It would need a release that the run does not have.
    pub is_impossible: bool,
    /// Threads that were looked at.
    pub work: u64,
}

impl<'a> Closure<'a> {
    pub fn new(run: &'a Run, clocks: &'a Clocks) -> Self {
        let none = vec![0; clocks.n_threads];
        Closure {
            run,
            clocks,
            ideal: none.clone(),
            seen: none,
            latest: FxHashMap::default(),
            is_impossible: false,
            work: 0,
        }
    }

    pub fn contains(&self, event: u32) -> bool {
        let thread = self.run.events[event as usize].thread as usize;
        self.is_impossible || self.ideal[thread] >= self.clocks.nth[event as usize]
    }

    /// Adds an event and what it needs.
    pub fn add(&mut self, event: u32) {
        let needs = self.clocks.of(event);
        self.ideal.iter_mut().zip(needs).for_each(|(have, &need)| *have = (*have).max(need));
    }

    /// Adds what must come before the event so that it can be next in its thread.
    pub fn add_before(&mut self, event: u32) {
        let instant = &self.run.instants[self.run.instant(event) as usize];
        if let Some(before) = instant.enabled_by {
            self.add(self.run.instants[before as usize].events.1 - 1);
        }
    }

    pub fn close(&mut self) {
        let mut is_closed = false;
        while !is_closed && !self.is_impossible {
            is_closed = true;
            self.work += self.clocks.n_threads as u64;
            for thread in 0..self.clocks.n_threads {
                while let Some(&(nth, section)) = self.clocks.sections[thread].get(self.seen[thread] as usize)
                    && nth <= self.ideal[thread]
                    && !self.is_impossible
                {
                    self.seen[thread] += 1;
                    self.work += self.clocks.n_threads as u64;
                    self.begin(section);
                    is_closed = false;
                }
            }
        }
    }

    /// The earlier of two sections of a lock must be over.
    fn begin(&mut self, section: u32) {
        let lock = self.run.sections[section as usize].lock;
        let latest = *self.latest.entry(lock).or_insert(section);
        let (earlier, later) = (latest.min(section), latest.max(section));
        self.latest.insert(lock, later);
        if earlier != later {
            match self.run.sections[earlier as usize].release {
                Some(release) => self.add(release),
                None => self.is_impossible = true,
            }
        }
    }
}
