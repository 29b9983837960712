//! Closures: the least part of a run that a reordering must have.
//!
//! An *ideal* is a number of events for each thread. It is closed if it has, with every event, what the event needs (program order, creation, join, the source of a
//! read), and what a rule for critical sections adds:
//! - [`Rule::InOrder`], *sync-preserving* (Mathur, Pavlogiannis and Viswanathan, *Optimal Prediction of Synchronization-Preserving Races*, POPL 2021, and Tunç,
//!   Mathur, Pavlogiannis and Viswanathan, *Sound Dynamic Deadlock Prediction in Linear Time*, PLDI 2023): with two critical sections of a lock the release of the
//!   earlier. Lemma: the events of a closed ideal in the order of the run are a reordering. Program order, creation, join and sources hold because the
//!   ideal has what they need; a lock is free when it is acquired because every earlier section of it in the ideal is over, and no other write comes
//!   between a read and its source that did not in the run. Of other synchronisation an ideal has what comes before in the run ([`Clocks::as_in_run`]).
//! - [`Rule::Held`], *necessary*: what others hold when the reordering ends is released by everybody else. Lemma: every reordering that ends so has the closed ideal. So
//!   where that is impossible there is no such reordering, whatever the order of critical sections.

use crate::run::{Op, Run};
use gordian_base::{FxHashMap, FxHashSet};

/// By event: how many events of each thread it needs, itself included.
pub struct Clocks {
    n_threads: usize,
    clocks: Vec<u32>,
    /// By event: its number in its thread, from 1 on.
    pub nth: Vec<u32>,
    /// By thread: its critical sections.
    sections: Vec<Vec<Begins>>,
    n_locks: usize,
}

/// Where a critical section begins.
#[derive(Clone, Copy)]
struct Begins {
    /// The number of its acquisition in the thread, from 1 on.
    nth: u32,
    section: u32,
    /// Locks are numbered from 0 on.
    lock: u32,
}

impl Clocks {
    /// What every reordering keeps of the run: program order, creation, join and the sources of reads.
    pub fn new(run: &Run) -> Self {
        Self::with(run, &[])
    }

    /// The same, and everything else that synchronises as it was in the run. None if nothing else does.
    pub fn as_in_run(run: &Run) -> Option<Self> {
        let needs = needs_as_in_run(run);
        needs.iter().any(|needs| !needs.is_empty()).then(|| Self::with(run, &needs))
    }

    fn with(run: &Run, others: &[Vec<u32>]) -> Self {
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
            for need in needs.into_iter().flatten().chain(others.get(number).into_iter().flatten().copied()) {
                let from = &before[need as usize * n_threads..][..n_threads];
                here[..n_threads].iter_mut().zip(from).for_each(|(to, &from)| *to = (*to).max(from));
            }
            here[thread] = of_thread[thread].len() as u32;
        }
        let mut sections: Vec<Vec<Begins>> = vec![Vec::new(); n_threads];
        let mut locks: FxHashMap<u64, u32> = FxHashMap::default();
        for (number, section) in (0u32..).zip(&run.sections) {
            let next = locks.len() as u32;
            let lock = *locks.entry(section.lock).or_insert(next);
            let begins = Begins { nth: nth[section.acquire as usize], section: number, lock };
            sections[section.thread as usize].push(begins);
        }
        Clocks { n_threads, clocks, nth, sections, n_locks: locks.len() }
    }

    pub fn of(&self, event: u32) -> &[u32] {
        &self.clocks[event as usize * self.n_threads..][..self.n_threads]
    }
}

/// By event that synchronises by more than locks, creation and join: events before it that let it go as it did in the run.
///
/// Operations of a semaphore, a condition variable, a barrier or the like keep their order, so that what an ideal has of them is a prefix of the run's. An
/// attempt that failed needs those who hold the lock, a use needs what makes the object, and what ends an object needs its uses.
fn needs_as_in_run(run: &Run) -> Vec<Vec<u32>> {
    let mut needs: Vec<Vec<u32>> = vec![Vec::new(); run.events.len()];
    let mut latest: FxHashMap<u64, u32> = FxHashMap::default();
    let mut made: FxHashMap<u64, u32> = FxHashMap::default();
    let mut uses: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    let mut open: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
    let ended: FxHashSet<u64> = run.events.iter().filter_map(|event| event.op.ends()).collect();
    for (number, event) in (0u32..).zip(&run.events) {
        let mine = &mut needs[number as usize];
        if let Some(object) = kept_in_order(event.op) {
            mine.extend(latest.insert(object, number));
        }
        match event.op {
            Op::AcquireFails { lock, .. } => mine.extend(open.get(&lock).into_iter().flatten()),
            Op::Acquire { lock, .. } | Op::Woken { mutex: lock, .. } => open.entry(lock).or_default().push(number),
            Op::Release { lock } | Op::Wait { mutex: lock, .. } => {
                let of_others = |&at: &u32| run.events[at as usize].thread != event.thread;
                open.entry(lock).or_default().retain(of_others);
            }
            _ => {}
        }
        for object in event.op.uses().into_iter().flatten() {
            mine.extend(made.get(&object));
            if ended.contains(&object) {
                uses.entry(object).or_default().push(number);
            }
        }
        if let Some(object) = event.op.makes() {
            made.insert(object, number);
        }
        if let Some(object) = event.op.ends() {
            mine.extend(uses.get(&object).into_iter().flatten());
        }
    }
    // What is certain for other reasons, such as barriers that fill.
    for &(a, b) in &run.certain {
        let (from, to) = (run.instants[a as usize].events.1 - 1, run.instants[b as usize].events.0);
        if !is_plain(run.events[to as usize].op) {
            needs[to as usize].push(from);
        }
    }
    needs
}

/// Accesses and operations of locks and threads, which clocks and rules know.
fn is_plain(op: Op) -> bool {
    matches!(op, Op::Read(_) | Op::Write(_) | Op::Acquire { .. } | Op::Release { .. } | Op::Fork(_) | Op::Join(_))
        || matches!(op, Op::Nothing | Op::End | Op::Decide(_))
}

/// The object whose operations keep the order of the run, save those of locks.
fn kept_in_order(op: Op) -> Option<u64> {
    match op {
        Op::BarrierArrive { barrier, .. } | Op::BarrierLeave(barrier) => Some(barrier),
        Op::OnceEnter(control) | Op::OnceDone(control) | Op::OnceFound(control) => Some(control),
        Op::Pinned(object) => Some(object),
        _ => op.object(),
    }
}

/// What a look at a critical section costs, in threads looked at.
const SECTION_WORK: u64 = 40;

/// What critical sections add to an ideal.
enum Rule {
    /// They keep their order.
    InOrder {
        /// By number of a lock: the last section of the run that is begun in the ideal.
        latest: Vec<Option<u32>>,
    },
    /// These locks are held at the end: whether only read-locked, and by whom.
    Held(FxHashMap<u64, (bool, u32)>),
}

/// An ideal that grows and is closed again and again.
pub struct Closure<'a> {
    run: &'a Run,
    clocks: &'a Clocks,
    pub ideal: Vec<u32>,
    /// By thread: the sections that were looked at.
    seen: Vec<u32>,
    rule: Rule,
    /// It would need a release that the run does not have.
    pub is_impossible: bool,
    /// Threads that were looked at, and critical sections.
    pub work: u64,
}

impl<'a> Closure<'a> {
    /// A closure whose events are a reordering.
    pub fn sync_preserving(run: &'a Run, clocks: &'a Clocks) -> Self {
        Self::new(run, clocks, Rule::InOrder { latest: vec![None; clocks.n_locks] })
    }

    /// A closure that every reordering has at the end of which these locks are held: whether only read-locked, and by whom.
    pub fn necessary(run: &'a Run, clocks: &'a Clocks, held: impl IntoIterator<Item = (u64, bool, u32)>) -> Self {
        let held = held.into_iter().map(|(lock, shared, thread)| (lock, (shared, thread)));
        Self::new(run, clocks, Rule::Held(held.collect()))
    }

    fn new(run: &'a Run, clocks: &'a Clocks, rule: Rule) -> Self {
        let none = vec![0; clocks.n_threads];
        Closure { run, clocks, ideal: none.clone(), seen: none, rule, is_impossible: false, work: 0 }
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
                while let Some(&begins) = self.clocks.sections[thread].get(self.seen[thread] as usize)
                    && begins.nth <= self.ideal[thread]
                    && !self.is_impossible
                {
                    self.seen[thread] += 1;
                    self.work += self.clocks.n_threads as u64 + SECTION_WORK;
                    self.begin(begins);
                    is_closed = false;
                }
            }
        }
    }

    /// A section is begun: which release does that need?
    fn begin(&mut self, Begins { section: number, lock, .. }: Begins) {
        let over = match &mut self.rule {
            Rule::InOrder { latest } => {
                let latest = &mut latest[lock as usize];
                let before = latest.unwrap_or(number);
                *latest = Some(before.max(number));
                // The earlier of two sections of a lock must be over.
                (before != number).then(|| before.min(number))
            }
            Rule::Held(held) => {
                let section = self.run.sections[number as usize];
                let holder = held.get(&section.lock);
                let is_held =
                    holder.is_some_and(|&(shared, thread)| thread != section.thread && !(shared && section.shared));
                is_held.then_some(number)
            }
        };
        match over.map(|over| self.run.sections[over as usize].release) {
            Some(Some(release)) => self.add(release),
            Some(None) => self.is_impossible = true,
            None => {}
        }
    }
}
