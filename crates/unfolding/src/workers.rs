//! Workers that walk the trees of threads side by side.
//!
//! One coordinator drives the machine, chooses extensions and adds events, so all decisions come one after the other. Between two of them the unfolding stays as it is,
//! and walks only read it: those for several new events and points, and into the trees of several threads, are made by whoever is free. What they found is put together in
//! the order in which one worker would have found it.

use crate::events::{EventId, PointId, Unfolding};
use crate::walks::Walker;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What is looked for.
#[derive(Clone, Copy, Debug)]
pub enum Query {
    /// Events that the step of this point could follow.
    Partners(PointId),
    /// Points whose steps could follow this event.
    Followers(EventId),
}

/// What was found for one query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    Partners(Vec<EventId>),
    Followers(Vec<PointId>),
}

/// How many look for extensions. What they find does not depend on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Jobs {
    pub n: usize,
    /// Configurations that must have been compared for the last queries before others are called for the next ones.
    pub many: u64,
}

impl Jobs {
    /// For few comparisons others are not worth their while.
    pub fn new(n: usize) -> Jobs {
        Jobs { n, many: 2_000 }
    }
}

impl Default for Jobs {
    fn default() -> Jobs {
        Jobs::new(1)
    }
}

#[derive(Default)]
pub struct Workers {
    first: Walker,
    others: Vec<Walker>,
    /// Configurations that were compared for the last queries.
    n_last: u64,
    many: u64,
}

impl Workers {
    pub fn new(Jobs { n, many }: Jobs) -> Workers {
        Workers { others: (1..n).map(|_| Walker::default()).collect(), many, ..Workers::default() }
    }

    /// Answers queries, each in its place.
    pub fn answer(&mut self, unfolding: &Unfolding, queries: &[Query]) -> Vec<Found> {
        let n_before = self.n_compared();
        let found = if !self.others.is_empty() && self.n_last >= self.many {
            self.answer_together(unfolding, queries)
        } else {
            let walker = &mut self.first;
            queries.iter().map(|&query| walk(walker, unfolding, query, 0..n_threads(unfolding))).collect()
        };
        self.n_last = self.n_compared() - n_before;
        found
    }

    fn n_compared(&self) -> u64 {
        self.others.iter().chain([&self.first]).map(Walker::n_compared).sum()
    }

    fn answer_together(&mut self, unfolding: &Unfolding, queries: &[Query]) -> Vec<Found> {
        let n_threads = n_threads(unfolding);
        let (next, all) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let work = |walker: &mut Walker| {
            let mut mine = Vec::new();
            loop {
                let task = next.fetch_add(1, Ordering::Relaxed);
                let Some(&query) = queries.get(task / n_threads) else { break };
                let thread = task % n_threads;
                mine.push((task, walk(walker, unfolding, query, thread..thread + 1)));
            }
            all.lock().expect("no worker panics with the lock").append(&mut mine);
        };
        std::thread::scope(|scope| {
            for walker in &mut self.others {
                scope.spawn(|| work(walker));
            }
            work(&mut self.first);
        });
        let mut parts = all.into_inner().expect("no worker panics with the lock");
        parts.sort_unstable_by_key(|part| part.0);
        let mut parts = parts.into_iter().map(|part| part.1);
        let together =
            |_: &Query| parts.by_ref().take(n_threads).reduce(Found::and).expect("there is a thread at least");
        queries.iter().map(together).collect()
    }
}

impl Found {
    /// With what was found in the tree of the next thread.
    fn and(mut self, more: Found) -> Found {
        match (&mut self, more) {
            (Found::Partners(found), Found::Partners(mut more)) => found.append(&mut more),
            (Found::Followers(found), Found::Followers(mut more)) => found.append(&mut more),
            (Found::Partners(_), Found::Followers(_)) | (Found::Followers(_), Found::Partners(_)) => {
                unreachable!("answers to one query are of one kind")
            }
        }
        self
    }
}

fn n_threads(unfolding: &Unfolding) -> usize {
    unfolding.beginnings.len().max(1)
}

fn walk(walker: &mut Walker, unfolding: &Unfolding, query: Query, threads: Range<usize>) -> Found {
    match query {
        Query::Partners(point) => Found::Partners(walker.partners(unfolding, point, threads)),
        Query::Followers(event) => Found::Followers(walker.followers(unfolding, event, threads)),
    }
}
