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

use crate::chain_clocks::ChainClocks;
use crate::run::{Op, Run};
use gordian_base::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

/// What events need, and the critical sections that they belong to.
pub struct Clocks {
    /// By event: what it needs; chains are threads.
    needs: ChainClocks,
    /// By thread: its critical sections.
    sections: Vec<SectionsOf>,
    /// Locks are numbered from 0 on.
    locks: FxHashMap<u64, u32>,
}

/// The critical sections of a thread.
#[derive(Clone, Default)]
struct SectionsOf {
    /// In its order: where each begins, and the lock.
    all: Vec<(Begins, u32)>,
    /// By lock that it takes, in the order of their numbers.
    by_lock: Vec<(u32, Vec<Begins>)>,
}

/// Where a critical section begins.
#[derive(Clone, Copy)]
struct Begins {
    /// The number of its acquisition in the thread, from 1 on.
    nth: u32,
    section: u32,
}

/// Those of some sections that are begun among the first so many events of their thread.
fn begun(of: &[Begins], n_events: u32) -> &[Begins] {
    &of[..of.partition_point(|begins| begins.nth <= n_events)]
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
        let mut clocks = ChainClocks::new(n_threads);
        let mut last: Vec<Option<u32>> = vec![None; n_threads];
        let mut created_by: FxHashMap<u32, u32> = FxHashMap::default();
        for (number, event) in run.events.iter().enumerate() {
            let mut needs = [None; 3];
            // Program order is the order of chains.
            let is_first = last[event.thread as usize].is_none();
            needs[0] = created_by.get(&event.thread).copied().filter(|_| is_first);
            needs[1] = run.sources.as_ref().and_then(|sources| sources[number]);
            match event.op {
                Op::Fork(child) => {
                    created_by.insert(child, number as u32);
                }
                Op::Join(child) => {
                    let last = last.get(child as usize).copied().flatten();
                    needs[2] = last.or_else(|| created_by.get(&child).copied());
                }
                _ => {}
            }
            last[event.thread as usize] = Some(number as u32);
            let others = others.get(number).into_iter().flatten().copied();
            clocks.push(event.thread, needs.into_iter().flatten().chain(others));
        }
        let (sections, locks) = sections_by_thread(run, &clocks);
        Clocks { needs: clocks, sections, locks }
    }

    fn n_threads(&self) -> usize {
        self.needs.n_chains()
    }
}

/// Critical sections by thread, and the numbers of locks.
fn sections_by_thread(run: &Run, clocks: &ChainClocks) -> (Vec<SectionsOf>, FxHashMap<u64, u32>) {
    let mut sections = vec![SectionsOf::default(); run.n_threads as usize];
    let mut by_lock: Vec<BTreeMap<u32, Vec<Begins>>> = vec![BTreeMap::new(); run.n_threads as usize];
    let mut locks: FxHashMap<u64, u32> = FxHashMap::default();
    for (number, section) in (0u32..).zip(&run.sections) {
        let next = locks.len() as u32;
        let lock = *locks.entry(section.lock).or_insert(next);
        let begins = Begins { nth: clocks.nth(section.acquire), section: number };
        sections[section.thread as usize].all.push((begins, lock));
        by_lock[section.thread as usize].entry(lock).or_default().push(begins);
    }
    for (of, by_lock) in sections.iter_mut().zip(by_lock) {
        of.by_lock = by_lock.into_iter().collect();
    }
    (sections, locks)
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

/// What a look at a critical section costs, in threads looked at; and a search for the last one of a thread and a lock.
const SECTION_WORK: u64 = 40;
const SEARCH_WORK: u64 = 20;

/// What critical sections add to an ideal.
enum Rule {
    /// They keep their order.
    InOrder {
        /// By number of a lock: the last section of the run that is begun in the ideal.
        latest: Vec<Option<u32>>,
    },
    /// These locks are held at the end: their numbers, whether only read-locked, and by whom.
    Held(Vec<(u32, bool, u32)>),
}

/// An ideal that grows and is closed again and again.
pub struct Closure<'a> {
    run: &'a Run,
    clocks: &'a Clocks,
    pub ideal: Vec<u32>,
    /// By thread: the events whose sections were looked at, and how many sections these are.
    seen: Vec<(u32, usize)>,
    rule: Rule,
    /// It would need a release that the run does not have.
    pub is_impossible: bool,
    /// Threads that were looked at, and critical sections.
    pub work: u64,
}

impl<'a> Closure<'a> {
    /// A closure whose events are a reordering.
    pub fn sync_preserving(run: &'a Run, clocks: &'a Clocks) -> Self {
        Self::new(run, clocks, Rule::InOrder { latest: vec![None; clocks.locks.len()] })
    }

    /// A closure that every reordering has at the end of which these locks are held: whether only read-locked, and by whom.
    pub fn necessary(run: &'a Run, clocks: &'a Clocks, held: impl IntoIterator<Item = (u64, bool, u32)>) -> Self {
        let held = held.into_iter().filter_map(|(lock, shared, by)| Some((*clocks.locks.get(&lock)?, shared, by)));
        Self::new(run, clocks, Rule::Held(held.collect()))
    }

    fn new(run: &'a Run, clocks: &'a Clocks, rule: Rule) -> Self {
        let n = clocks.n_threads();
        Closure { run, clocks, ideal: vec![0; n], seen: vec![(0, 0); n], rule, is_impossible: false, work: 0 }
    }

    pub fn contains(&self, event: u32) -> bool {
        let thread = self.run.events[event as usize].thread as usize;
        self.is_impossible || self.ideal[thread] >= self.clocks.needs.nth(event)
    }

    /// Adds an event and what it needs.
    pub fn add(&mut self, event: u32) {
        let needs = &self.clocks.needs;
        self.work += needs.n_chains() as u64;
        self.ideal.iter_mut().zip(needs.of(event)).for_each(|(have, &need)| *have = (*have).max(need));
        let own = &mut self.ideal[needs.chain(event) as usize];
        *own = (*own).max(needs.nth(event));
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
            self.work += self.clocks.n_threads() as u64;
            for thread in 0..self.clocks.n_threads() {
                if self.seen[thread].0 < self.ideal[thread] && !self.is_impossible {
                    is_closed = false;
                    self.look_at(thread);
                }
            }
        }
    }

    /// Looks at the sections that a thread has begun since it was looked at last.
    fn look_at(&mut self, thread: usize) {
        let (clocks, to) = (self.clocks, self.ideal[thread]);
        let of = &clocks.sections[thread];
        let (seen, n_seen) = &mut self.seen[thread];
        *seen = to;
        let n_seen = *n_seen;
        if let Rule::Held(held) = &self.rule {
            for (lock, shared, by) in held.clone() {
                if by as usize != thread {
                    self.let_go(of, to, lock, shared);
                }
            }
            return;
        }
        // Of a lock the last section is enough: those of the thread before it are over. To search for it is quicker than to go through many.
        let is_far = of.all.get(n_seen + 2 * of.by_lock.len()).is_some_and(|(begins, _)| begins.nth <= to);
        if is_far {
            self.seen[thread].1 = of.all.partition_point(|(begins, _)| begins.nth <= to);
            for (lock, sections) in &of.by_lock {
                self.work += SEARCH_WORK;
                if let Some(last) = begun(sections, to).last() {
                    self.begin(last.section, *lock);
                }
            }
            return;
        }
        while let Some(&(begins, lock)) = of.all.get(self.seen[thread].1)
            && begins.nth <= to
        {
            self.seen[thread].1 += 1;
            self.work += SECTION_WORK;
            self.begin(begins.section, lock);
        }
    }

    /// Rule of locks that another thread holds at the end: whatever the thread took of this one is over.
    fn let_go(&mut self, of: &SectionsOf, to: u32, lock: u32, shared: bool) {
        self.work += SEARCH_WORK;
        let Ok(at) = of.by_lock.binary_search_by_key(&lock, |(lock, _)| *lock) else { return };
        let excludes = |begins: &&Begins| !(shared && self.run.sections[begins.section as usize].shared);
        // Those before the last are over because it comes after them.
        let last = begun(&of.by_lock[at].1, to).iter().rev().find(excludes);
        self.end(last.map(|begins| begins.section));
    }

    /// Rule of sections in order: of two of a lock the earlier must be over.
    fn begin(&mut self, section: u32, lock: u32) {
        let Rule::InOrder { latest } = &mut self.rule else { return };
        let latest = &mut latest[lock as usize];
        let before = latest.unwrap_or(section);
        *latest = Some(before.max(section));
        self.end((before != section).then(|| before.min(section)));
    }

    /// This section must be over.
    fn end(&mut self, section: Option<u32>) {
        match section.map(|section| self.run.sections[section as usize].release) {
            Some(Some(release)) if !self.contains(release) => self.add(release),
            Some(None) => self.is_impossible = true,
            _ => {}
        }
    }
}
