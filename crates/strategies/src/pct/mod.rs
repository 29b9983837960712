//! Probabilistic concurrency testing: Burckhardt, Kothari, Musuvathi and Nagarakatte, "A Randomized Scheduler with
//! Probabilistic Guarantees of Finding Bugs", ASPLOS 2010.
//!
//! Every thread gets a random priority, and the highest one that can go, goes. At `d - 1` random positions the thread
//! that would go falls below all others.
//!
//! **Guarantee:** a bug of depth `d` (one that shows whenever `d` pairs of operations are ordered in the right way)
//! shows in each run with a probability of at least `1/(n·k^(d-1))`, for `n` threads and executions of at most `k`
//! positions.
//!
//! **Deviations**
//! - A position is a choice between threads, not a step. Where only one thread can go, no priority makes a
//!   difference, and a change there can as well happen at that thread's next choice; so `k` is smaller, and the
//!   guarantee better.
//! - `k` is not known beforehand: it is the longest execution so far that came to an end of its own. The first run
//!   measures and has no changes.
//! - A thread that yields or sleeps falls below all others, and far beyond position `k`, where the guarantee has
//!   nothing more to say, the run becomes a random walk. Otherwise a loop that waits for another thread would
//!   starve it.
//! - Among the variants of the thread that goes, each is equally likely. The guarantee is for bugs that show in the
//!   ordinary ones.
//!
//! **Misses** bugs of greater depth, most of the time. A preemption bound voids the guarantee: it forbids some of the
//! changes.

use gordian_base::{Id, Rng, ThreadId};
use gordian_engine::{End, Ended, Next, Point, Strategy};
use gordian_trace::{Choice, Exploration, OpKind};

pub const NAME: &str = "pct";
pub const DEFAULT_DEPTH: u32 = 3;

/// Below this position no run becomes a random walk, whatever `k` is.
const PATIENCE: usize = 1_000;

pub struct Pct {
    seed: u64,
    depth: u32,
    /// Runs begun.
    runs: u64,
    rng: Rng,
    /// The `k` of the paper, and its `n`.
    longest: usize,
    n_threads: usize,
    /// Initial priorities are positive; the i-th change gives `-i`, and yields go ever lower from there.
    priorities: Vec<Option<i64>>,
    lowest: i64,
    /// Where the i-th change happens. Not sorted: which change comes first is random too.
    changes: Vec<usize>,
    /// Choices between threads in this run.
    position: usize,
    /// Events of this run that were looked at for yields.
    seen: usize,
}

impl Pct {
    /// `depth` is taken to be at least 1.
    pub fn new(seed: u64, depth: u32) -> Self {
        Pct {
            seed,
            depth: depth.max(1),
            runs: 0,
            rng: Rng::new(0),
            longest: 0,
            n_threads: 0,
            priorities: Vec::new(),
            lowest: 0,
            changes: Vec::new(),
            position: 0,
            seen: 0,
        }
    }

    fn begin(&mut self, point: &Point<'_>) {
        self.rng = Rng::stream(self.seed, self.runs);
        self.runs += 1;
        self.priorities.clear();
        self.changes.clear();
        if self.longest > 0 {
            for _ in 1..self.depth {
                self.changes.push(self.rng.below(self.longest));
            }
        }
        self.lowest = -i64::from(self.depth);
        self.position = 0;
        self.seen = point.events.len();
    }

    fn lower_those_that_gave_way(&mut self, point: &Point<'_>) {
        for event in &point.events[self.seen..] {
            if matches!(event.kind, OpKind::Yield | OpKind::Sleep) {
                self.lowest -= 1;
                self.set(event.thread, self.lowest);
            }
        }
        self.seen = point.events.len();
    }

    fn set(&mut self, thread: ThreadId, priority: i64) {
        if self.priorities.len() <= thread.index() {
            self.priorities.resize(thread.index() + 1, None);
        }
        self.priorities[thread.index()] = Some(priority);
    }

    /// A thread's first priority is a random number, which orders the threads as a random permutation would.
    fn priority(&mut self, thread: ThreadId) -> i64 {
        if let Some(Some(priority)) = self.priorities.get(thread.index()) {
            return *priority;
        }
        let priority = (self.rng.next_u64() >> 2) as i64 + 1;
        self.set(thread, priority);
        priority
    }

    fn highest(&mut self, choices: &[Choice]) -> ThreadId {
        let mut best = (choices[0].thread, self.priority(choices[0].thread));
        for pair in choices.windows(2) {
            if pair[0].thread != pair[1].thread {
                let priority = self.priority(pair[1].thread);
                if priority > best.1 {
                    best = (pair[1].thread, priority);
                }
            }
        }
        best.0
    }

    fn choose_thread(&mut self, choices: &[Choice]) -> ThreadId {
        if choices[0].thread == choices[choices.len() - 1].thread {
            return choices[0].thread;
        }
        let position = self.position;
        self.position += 1;
        if position >= PATIENCE.max(2 * self.longest) {
            return choices[self.rng.below(choices.len())].thread;
        }
        for change in 0..self.changes.len() {
            if self.changes[change] == position {
                let thread = self.highest(choices);
                self.set(thread, -(change as i64) - 1);
            }
        }
        self.highest(choices)
    }
}

impl Strategy for Pct {
    fn exploration(&self) -> Exploration {
        let (n, k, d) = (self.n_threads, self.longest, self.depth);
        let strategy = NAME.to_owned();
        if k == 0 {
            return Exploration { strategy, guarantee: String::new() };
        }
        let probability = 1.0 / (n as f64 * (k as f64).powi(d as i32 - 1));
        // The first run only measured.
        let overall = -f64::exp_m1(self.runs.saturating_sub(1) as f64 * f64::ln_1p(-probability));
        let guarantee = format!(
            "a bug of depth {d} shows in each run with a probability of at least 1/(n*k^(d-1)) = {}, \
             and in {} runs with at least {} (n = {n} threads, k = {k} choices)",
            floored(probability),
            self.runs,
            floored(overall),
        );
        Exploration { strategy, guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == 0 {
            self.begin(point);
        }
        self.lower_those_that_gave_way(point);
        let thread = self.choose_thread(point.choices);
        let start = point.choices.partition_point(|choice| choice.thread < thread);
        let variants = point.choices[start..].iter().take_while(|choice| choice.thread == thread).count();
        Some(start + if variants > 1 { self.rng.below(variants) } else { 0 })
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.n_threads = self.n_threads.max(ended.n_threads);
        if matches!(ended.end, Some(End::Exit(_) | End::Failed)) {
            self.longest = self.longest.max(self.position);
        }
        Next::Restart
    }
}

/// A probability in few digits, never above the true one: it stands after "at least".
fn floored(probability: f64) -> String {
    if probability >= 0.001 {
        return format!("{:.3}", (probability * 1e3).floor() / 1e3);
    }
    let exponent = probability.log10().floor();
    format!("{:.1}e{exponent}", (probability / 10f64.powf(exponent) * 10.0).floor() / 10.0)
}

#[cfg(test)]
mod tests {
    use super::floored;

    #[test]
    fn a_bound_is_never_rounded_up() {
        for (probability, text) in [(1.0, "1.000"), (0.99999, "0.999"), (0.0375, "0.037"), (0.000_019_9, "1.9e-5")] {
            assert_eq!(floored(probability), text);
        }
    }
}
