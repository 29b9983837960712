//! Predictions from traces without values are those of brute force over all reorderings.
//!
//! The brute force knows nothing of closures, lines or solvers: it makes one event after the other, from the text of the trace.

use gordian_base::{FxHashSet, Rng};
use gordian_predict::{By, ForeignOptions, Prediction, predict_foreign};
use gordian_trace::{FindingKind, OpKind};
use gordian_tracefile::{Kind, Trace};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Read(usize),
    Write(usize),
    Acquire(usize),
    Release(usize),
    Fork(usize),
    Join(usize),
    /// A semaphore is made with zero, posted and taken.
    Make,
    Post,
    Take,
}

#[derive(Clone, Copy, Debug)]
struct Event {
    thread: usize,
    op: Op,
    place: usize,
}

/// A random run: threads that lock, access and unlock, forked by the first and sometimes joined.
fn random_run(rng: &mut Rng, n_places: usize, n_more: usize) -> Vec<Event> {
    let n_threads = 2 + rng.below(3);
    let (n_locks, n_variables) = (1 + rng.below(3), 1 + rng.below(2));
    let locky = rng.below(2) == 0;
    let n_locks = if locky { 2 } else { n_locks };
    let len = n_more + if locky { 12 } else { 6 } + rng.below(14);
    let mut events: Vec<Event> = Vec::new();
    let posts = rng.below(3) == 0;
    let mut semaphore = 0;
    if posts {
        events.push(Event { thread: 0, op: Op::Make, place: 0 });
    }
    let mut held: Vec<Vec<usize>> = vec![Vec::new(); n_threads];
    let mut begun = vec![false; n_threads];
    begun[0] = true;
    let forks = rng.below(2) == 0;
    if !forks {
        begun.fill(true);
    }
    let mut ended = vec![false; n_threads];
    while events.len() < len {
        let thread = rng.below(n_threads);
        if !begun[thread] || ended[thread] {
            if !begun[thread] && !ended[0] && rng.below(2) == 0 {
                begun[thread] = true;
                events.push(Event { thread: 0, op: Op::Fork(thread), place: 0 });
            }
            continue;
        }
        // Deadlocks need nested sections: half of the runs do little else.
        let dice = if locky { [5, 5, 5, 8, 8, 8, 8, 3, 0, 5][rng.below(10)] } else { rng.below(10) };
        let op = match dice {
            _ if posts && semaphore > 0 && rng.below(4) == 0 => {
                semaphore -= 1;
                Op::Take
            }
            _ if posts && rng.below(5) == 0 => {
                semaphore += 1;
                Op::Post
            }
            0..=2 => Op::Read(rng.below(n_variables)),
            3 | 4 => Op::Write(rng.below(n_variables)),
            5..=7 => {
                let lock = rng.below(n_locks);
                if held.iter().any(|held| held.contains(&lock)) {
                    continue;
                }
                held[thread].push(lock);
                Op::Acquire(lock)
            }
            8 => {
                // Not always the last one: sections need not be nested.
                if held[thread].is_empty() {
                    continue;
                }
                let at = rng.below(held[thread].len());
                if locky && held[thread].len() < n_locks && rng.below(3) > 0 {
                    continue;
                }
                Op::Release(held[thread].remove(at))
            }
            _ => {
                let other = rng.below(n_threads);
                if other == thread || other == 0 || !begun[other] || ended[other] || rng.below(3) > 0 {
                    continue;
                }
                ended[other] = true;
                Op::Join(other)
            }
        };
        events.push(Event { thread, op, place: 0 });
    }
    for (nth, event) in events.iter_mut().enumerate() {
        event.place = if n_places == 0 { nth } else { rng.below(n_places) };
    }
    events
}

fn text(events: &[Event]) -> String {
    let line = |event: &Event| {
        let op = match event.op {
            Op::Read(x) => format!("r(x{x})"),
            Op::Write(x) => format!("w(x{x})"),
            Op::Acquire(l) => format!("acq(l{l})"),
            Op::Release(l) => format!("rel(l{l})"),
            Op::Fork(t) => format!("fork(t{t})"),
            Op::Join(t) => format!("join(t{t})"),
            Op::Make => "w(make)".to_owned(),
            Op::Post => "w(post)".to_owned(),
            Op::Take => "w(take)".to_owned(),
        };
        format!("t{}|{op}|{}\n", event.thread, event.place)
    };
    events.iter().map(line).collect()
}

/// The trace of a text. RAPID's format has no semaphores, so they are put in place of accesses.
fn trace(events: &[Event], text: &str) -> Trace {
    let format = Some(gordian_tracefile::Format::Std);
    let mut trace = gordian_tracefile::read(text.as_bytes(), format).expect("it is well formed");
    for (event, made) in trace.events.iter_mut().zip(events) {
        let kind = match made.op {
            Op::Make => OpKind::SemInit,
            Op::Post => OpKind::SemPost,
            Op::Take => OpKind::SemWait,
            _ => continue,
        };
        (event.kind, event.address, event.size, event.value) = (Kind::Op(kind), 1_000, 0, Some(0));
    }
    trace
}

type Findings = BTreeSet<(bool, Vec<usize>)>;

struct BruteForce<'a> {
    events: &'a [Event],
    threads: Vec<Vec<usize>>,
    sources: Vec<Option<usize>>,
    seen: FxHashSet<(Vec<usize>, Vec<Option<usize>>)>,
    found: Findings,
}

impl<'a> BruteForce<'a> {
    fn run(events: &'a [Event]) -> Findings {
        let n_threads = events.iter().map(|event| match event.op {
            Op::Fork(other) | Op::Join(other) => event.thread.max(other),
            _ => event.thread,
        });
        let n_threads = n_threads.max().unwrap_or(0) + 1;
        let mut threads = vec![Vec::new(); n_threads];
        let mut last = [None; 4];
        let mut sources = Vec::new();
        for (nth, event) in events.iter().enumerate() {
            threads[event.thread].push(nth);
            sources.push(if let Op::Read(x) = event.op { last[x] } else { None });
            if let Op::Write(x) = event.op {
                last[x] = Some(nth);
            }
        }
        let mut search = BruteForce { events, threads, sources, seen: FxHashSet::default(), found: BTreeSet::new() };
        search.visit(vec![0; n_threads], vec![None; 4]);
        search.found
    }

    fn next(&self, counts: &[usize], thread: usize) -> Option<usize> {
        self.threads[thread].get(counts[thread]).copied()
    }

    fn has_begun(&self, counts: &[usize], thread: usize) -> bool {
        let fork = self.events.iter().position(|event| event.op == Op::Fork(thread));
        fork.is_none_or(|fork| self.is_made(counts, fork))
    }

    fn is_made(&self, counts: &[usize], event: usize) -> bool {
        let thread = self.events[event].thread;
        let nth = self.threads[thread].iter().position(|&other| other == event).expect("it is there");
        nth < counts[thread]
    }

    fn n_made(&self, counts: &[usize], op: Op) -> usize {
        let made = self.threads.iter().zip(counts).flat_map(|(events, &count)| &events[..count]);
        made.filter(|&&event| self.events[event].op == op).count()
    }

    fn holder(&self, counts: &[usize], lock: usize) -> Option<usize> {
        (0..self.threads.len()).find(|&thread| {
            let made = &self.threads[thread][..counts[thread]];
            let last = made
                .iter()
                .rev()
                .find(|&&event| matches!(self.events[event].op, Op::Acquire(l) | Op::Release(l) if l == lock));
            last.is_some_and(|&event| matches!(self.events[event].op, Op::Acquire(_)))
        })
    }

    fn visit(&mut self, counts: Vec<usize>, last: Vec<Option<usize>>) {
        if !self.seen.insert((counts.clone(), last.clone())) {
            return;
        }
        self.look(&counts);
        for thread in 0..self.threads.len() {
            let Some(event) = self.next(&counts, thread).filter(|_| self.has_begun(&counts, thread)) else { continue };
            let mut last = last.clone();
            let can = match self.events[event].op {
                Op::Read(x) => last[x] == self.sources[event],
                Op::Write(x) => {
                    last[x] = Some(event);
                    true
                }
                Op::Acquire(lock) => self.holder(&counts, lock).is_none(),
                Op::Join(other) => counts[other] == self.threads[other].len() && self.has_begun(&counts, other),
                Op::Post => self.n_made(&counts, Op::Make) > 0,
                Op::Take => self.n_made(&counts, Op::Post) > self.n_made(&counts, Op::Take),
                Op::Release(_) | Op::Fork(_) | Op::Make => true,
            };
            if can {
                let mut counts = counts.clone();
                counts[thread] += 1;
                self.visit(counts, last);
            }
        }
    }

    fn look(&mut self, counts: &[usize]) {
        let next: Vec<Option<usize>> = (0..self.threads.len())
            .map(|thread| self.next(counts, thread).filter(|_| self.has_begun(counts, thread)))
            .collect();
        for (thread, &a) in next.iter().enumerate() {
            for &b in &next[thread + 1..] {
                let (Some(a), Some(b)) = (a, b) else { continue };
                let races = match (self.events[a].op, self.events[b].op) {
                    (Op::Write(x), Op::Write(y) | Op::Read(y)) | (Op::Read(x), Op::Write(y)) => x == y,
                    _ => false,
                };
                if races {
                    self.report(false, &[a, b]);
                }
            }
        }
        // Who waits for whom is a function, so a circle is found by following it.
        let waits_for = |thread: usize| match next[thread].map(|event| self.events[event].op) {
            Some(Op::Acquire(lock)) => self.holder(counts, lock),
            _ => None,
        };
        let mut circles = Vec::new();
        for start in 0..self.threads.len() {
            let mut circle = vec![start];
            while let Some(on) = waits_for(*circle.last().expect("it has begun")) {
                if on == start {
                    circles.push(circle.clone());
                    break;
                }
                if circle.contains(&on) {
                    break;
                }
                circle.push(on);
            }
        }
        for circle in circles {
            let events: Vec<usize> = circle.into_iter().filter_map(|thread| next[thread]).collect();
            self.report(true, &events);
        }
    }

    fn report(&mut self, is_deadlock: bool, events: &[usize]) {
        let mut places: Vec<usize> = events.iter().map(|&event| self.events[event].place).collect();
        places.sort_unstable();
        self.found.insert((is_deadlock, places));
    }
}

fn predicted(trace: &Trace, fast: bool) -> Findings {
    let prediction = predict_foreign(trace, ForeignOptions { fast, ..ForeignOptions::default() });
    assert_eq!((prediction.n_open, prediction.n_open_circles), (0, 0));
    findings(trace, &prediction)
}

fn findings(trace: &Trace, prediction: &Prediction) -> Findings {
    let places = |events: &[u32]| {
        let place = |&event: &u32| trace.places[trace.events[event as usize].place as usize].line as usize;
        let mut places: Vec<usize> = events.iter().map(place).collect();
        places.sort_unstable();
        places
    };
    prediction.found.iter().map(|found| (found.kind == FindingKind::Deadlock, places(&found.events))).collect()
}

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

#[test]
fn predictions_are_those_of_brute_force() {
    let (seed, cases) = (number("GORDIAN_SEED", 2025), number("GORDIAN_CASES", 400));
    let (mut n_races, mut n_deadlocks, mut n_semaphores) = (0, 0, 0);
    for case in 0..cases {
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let events = random_run(&mut rng, if case % 2 == 0 { 0 } else { 5 }, 0);
        let text = text(&events);
        let trace = trace(&events, &text);
        n_semaphores += usize::from(events.iter().any(|event| event.op == Op::Take));
        let expected = BruteForce::run(&events);
        n_races += expected.iter().filter(|(is_deadlock, _)| !is_deadlock).count();
        n_deadlocks += expected.iter().filter(|(is_deadlock, _)| *is_deadlock).count();
        for fast in [true, false] {
            assert_eq!(predicted(&trace, fast), expected, "case {case}, fast {fast}\n{text}");
        }
    }
    assert!(n_races > cases as usize / 4 && n_deadlocks > cases as usize / 100, "{n_races} {n_deadlocks}");
    assert!(n_semaphores > cases as usize / 20, "{n_semaphores}");
}

/// Traces that are too long for brute force: what closures decide is what the solver alone decides.
#[test]
fn closures_agree_with_the_solver() {
    let (seed, cases) = (number("GORDIAN_SEED", 2026), number("GORDIAN_CASES", 60));
    let (mut n_compared, mut n_by_closures) = (0, 0);
    for case in 0..cases {
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let events = random_run(&mut rng, 12, 60 + 60 * (case as usize % 3));
        let text = text(&events);
        let trace = trace(&events, &text);
        let [fast, slow] = [true, false].map(|fast| {
            let prediction = predict_foreign(&trace, ForeignOptions { fast, ..ForeignOptions::default() });
            let is_decided = (prediction.n_open, prediction.n_open_circles) == (0, 0);
            n_by_closures += prediction.found.iter().filter(|found| found.by == By::SyncPreserving).count();
            is_decided.then(|| findings(&trace, &prediction))
        });
        if let (Some(fast), Some(slow)) = (fast, slow) {
            n_compared += 1;
            assert_eq!(fast, slow, "case {case}\n{text}");
        }
    }
    assert!(n_compared > cases / 2 && n_by_closures > cases as usize, "{n_compared} {n_by_closures}");
}
