//! Several candidates checked at once.
//!
//! Answers must not depend on who is quicker, nor on how many cores there are. So there is a fixed number of lanes, which candidates a lane
//! gets depends on their places among those checked together, and what one lane finds out the others get to know only afterwards.
//! Threads take lanes, not candidates.

use crate::facts::Cores;
use crate::realize::{Check, Checker, Counts, Known};
use crate::scenario::Candidate;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// More cores than this are of no use.
const LANES: usize = 16;

/// Fewer candidates for a lane are not worth another thread.
const FEWEST: usize = 4;

pub struct Lanes {
    lanes: Vec<Checker>,
    n_threads: usize,
}

/// What became of a candidate: none if not all that it says was put into terms.
type Checked = Option<Check>;

impl Lanes {
    pub fn new(n_threads: usize) -> Self {
        Lanes { lanes: (0..LANES).map(|_| Checker::new()).collect(), n_threads }
    }

    /// None if `must_stop` says so. It is asked now and then.
    pub fn check(
        &mut self,
        known: Known<'_>,
        candidates: &[&Candidate],
        must_stop: &mut dyn FnMut() -> bool,
    ) -> Option<Vec<Checked>> {
        let mut checked: Vec<Checked> = Vec::new();
        checked.resize_with(candidates.len(), || None);
        let for_each = candidates.len().div_ceil(LANES).max(FEWEST);
        let n_threads = self.n_threads.min(candidates.len().div_ceil(for_each));
        let is_over = AtomicBool::new(false);
        let parts = candidates.chunks(for_each).zip(checked.chunks_mut(for_each));
        let left = Mutex::new(self.lanes.iter_mut().zip(parts));
        let take = || left.lock().expect("nobody panics with it").next();
        let work = |must_stop: &mut dyn FnMut() -> bool| {
            while let Some((lane, (candidates, checked))) = take() {
                for (candidate, checked) in candidates.iter().zip(checked) {
                    if is_over.load(Ordering::Relaxed) || must_stop() {
                        is_over.store(true, Ordering::Relaxed);
                        return;
                    }
                    *checked = lane.check(known, candidate);
                }
            }
        };
        thread::scope(|scope| {
            for _ in 1..n_threads {
                scope.spawn(|| work(&mut || false));
            }
            work(must_stop);
        });
        (!is_over.into_inner()).then_some(checked)
    }

    /// What lanes found out since this was last asked becomes known to all.
    pub fn tell(&mut self, cores: &mut Cores) {
        for lane in &mut self.lanes {
            cores.absorb(&mut lane.cores);
        }
    }

    pub fn counts(&self) -> Counts {
        let sum = |sum: Counts, lane: &Checker| Counts {
            data: sum.data + lane.counts.data,
            order: sum.order + lane.counts.order,
            known: sum.known + lane.counts.known,
        };
        self.lanes.iter().fold(Counts::default(), sum)
    }
}
