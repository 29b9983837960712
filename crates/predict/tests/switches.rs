//! The context switches that simplification leaves, compared with all interleavings of small traces: they are adequate (every class of
//! equivalent interleavings has one with these switches alone) and minimal (without any one of them a class is lost). Interleavings go on until nobody
//! can, so those that end in a deadlock have classes, too.
//!
//! The enumeration has its own notion of what can be executed and of which events depend on each other. `GORDIAN_SEED` and `GORDIAN_CASES` choose other traces.

use gordian_base::Rng;
use gordian_predict::{LeftSwitches, Steps, context_switches};
use gordian_trace::SwitchSet;
use std::collections::{BTreeMap, BTreeSet};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Read(usize),
    Write(usize),
    Acquire(usize),
    Release(usize),
    Fork(usize),
    Join(usize),
}

type Event = (usize, Op);

fn number(name: &str, otherwise: u64) -> u64 {
    std::env::var(name).ok().and_then(|number| number.parse().ok()).unwrap_or(otherwise)
}

/// A random trace that can be executed in its order.
fn random_trace(rng: &mut Rng, n_threads: usize) -> Vec<Event> {
    let len = if n_threads == 2 { 5 + rng.below(6) } else { 5 + rng.below(5) };
    let mut held: Vec<Vec<usize>> = vec![Vec::new(); n_threads];
    let forks = rng.below(3) == 0;
    let mut begun = vec![!forks; n_threads];
    begun[0] = true;
    let mut ended = vec![false; n_threads];
    let mut events = Vec::new();
    for _ in 0..1_000 {
        if events.len() >= len {
            break;
        }
        let thread = rng.below(n_threads);
        if ended[thread] {
            continue;
        }
        if !begun[thread] {
            begun[thread] = true;
            events.push((0, Op::Fork(thread)));
            continue;
        }
        let op = match rng.below(10) {
            0..=2 => Op::Read(rng.below(3)),
            3..=5 => Op::Write(rng.below(3)),
            6 | 7 => {
                let lock = rng.below(2);
                if held.iter().any(|held| held.contains(&lock)) {
                    continue;
                }
                held[thread].push(lock);
                Op::Acquire(lock)
            }
            8 => match held[thread].pop() {
                Some(lock) => Op::Release(lock),
                None => continue,
            },
            _ => {
                let other = rng.below(n_threads);
                if other == thread || !forks || other == 0 || !begun[other] || !held[other].is_empty() {
                    continue;
                }
                if std::mem::replace(&mut ended[other], true) {
                    continue;
                }
                Op::Join(other)
            }
        };
        events.push((thread, op));
    }
    // What is held at the end is released.
    for (thread, held) in held.iter().enumerate() {
        events.extend(held.iter().rev().map(|&lock| (thread, Op::Release(lock))));
    }
    events
}

/// Two threads that take two locks in opposite orders, and others that read and write.
fn nested_trace(rng: &mut Rng, n_threads: usize) -> Vec<Event> {
    let mut events = Vec::new();
    for (thread, [first, second]) in [[0, 1], [1, 0]].into_iter().enumerate() {
        events.extend([(thread, Op::Acquire(first)), (thread, Op::Acquire(second))]);
        if rng.below(2) == 0 {
            events.push((thread, Op::Write(rng.below(2))));
        }
        events.extend([(thread, Op::Release(second)), (thread, Op::Release(first))]);
    }
    for thread in 2..n_threads {
        let variable = rng.below(2);
        let op = if rng.below(2) == 0 { Op::Read(variable) } else { Op::Write(variable) };
        events.insert(rng.below(events.len() + 1), (thread, op));
    }
    events
}

fn text(events: &[Event]) -> String {
    let line = |(nth, &(thread, op)): (usize, &Event)| {
        let op = match op {
            Op::Read(x) => format!("r(x{x})"),
            Op::Write(x) => format!("w(x{x})"),
            Op::Acquire(l) => format!("acq(l{l})"),
            Op::Release(l) => format!("rel(l{l})"),
            Op::Fork(t) => format!("fork(t{t})"),
            Op::Join(t) => format!("join(t{t})"),
        };
        format!("t{thread}|{op}|{nth}\n")
    };
    events.iter().enumerate().map(line).collect()
}

fn depend(a: &Event, b: &Event) -> bool {
    match (a.1, b.1) {
        _ if a.0 == b.0 => true,
        (Op::Read(x), Op::Write(y)) | (Op::Write(x), Op::Read(y) | Op::Write(y)) => x == y,
        (Op::Acquire(l) | Op::Release(l), Op::Acquire(m) | Op::Release(m)) => l == m,
        (Op::Fork(t) | Op::Join(t), _) if t == b.0 => true,
        (_, Op::Fork(t) | Op::Join(t)) if t == a.0 => true,
        _ => false,
    }
}

/// By class, named by the order of its dependent pairs: the switches of its lines.
type Classes = BTreeMap<Vec<bool>, Vec<BTreeSet<(u32, u32)>>>;

struct Enumeration<'a> {
    events: &'a [Event],
    threads: Vec<Vec<usize>>,
    classes: Classes,
    n_lines: usize,
    n_deadlocks: usize,
}

/// Interleavings of a trace that are looked at.
const MOST_LINES: usize = 100_000;

impl Enumeration<'_> {
    fn can(&self, line: &[usize], event: usize) -> bool {
        let (thread, op) = self.events[event];
        let is_made = |other: usize| line.contains(&other);
        let created = self.events.iter().position(|&(_, op)| op == Op::Fork(thread));
        let is_free = |lock: usize| {
            let last = line.iter().rev().map(|&at| self.events[at].1);
            let last = last.into_iter().find(|&op| op == Op::Acquire(lock) || op == Op::Release(lock));
            last != Some(Op::Acquire(lock))
        };
        created.is_none_or(is_made)
            && match op {
                Op::Acquire(lock) => is_free(lock),
                Op::Join(other) => self.threads[other].iter().all(|&event| is_made(event)),
                _ => true,
            }
    }

    /// Gives up if there are too many.
    fn visit(&mut self, line: &mut Vec<usize>, counts: &mut [usize]) -> bool {
        let mut can_go_on = false;
        for thread in 0..self.threads.len() {
            let Some(&event) = self.threads[thread].get(counts[thread]) else { continue };
            if self.can(line, event) {
                can_go_on = true;
                line.push(event);
                counts[thread] += 1;
                let is_done = self.visit(line, counts);
                counts[thread] -= 1;
                line.pop();
                if !is_done {
                    return false;
                }
            }
        }
        if !can_go_on {
            self.n_lines += 1;
            self.n_deadlocks += usize::from(line.len() < self.events.len());
            self.add(line);
        }
        self.n_lines < MOST_LINES
    }

    fn add(&mut self, line: &[usize]) {
        let n = self.events.len();
        let mut position = vec![n; n];
        line.iter().enumerate().for_each(|(at, &event)| position[event] = at);
        // What is not made comes last, whatever it depends on.
        let mut class: Vec<bool> = position.iter().map(|&at| at < n).collect();
        for a in 0..n {
            for b in a + 1..n {
                if depend(&self.events[a], &self.events[b]) {
                    class.push(position[a] < position[b]);
                }
            }
        }
        let pairs = line.windows(2).filter(|pair| self.events[pair[0]].0 != self.events[pair[1]].0);
        let switches = pairs.map(|pair| (pair[0] as u32, pair[1] as u32)).collect();
        self.classes.entry(class).or_default().push(switches);
    }
}

/// Classes without a line that has these switches alone.
fn n_lost(classes: &Classes, allowed: &BTreeSet<(u32, u32)>) -> usize {
    classes.values().filter(|lines| !lines.iter().any(|line| line.is_subset(allowed))).count()
}

#[test]
fn switches_are_adequate_and_minimal() {
    let (seed, cases) = (number("GORDIAN_SEED", 41), number("GORDIAN_CASES", 300));
    let (mut n_all, mut n_left, mut n_deadlocked, mut n_skipped) = (0, 0, 0, 0);
    for case in 0..cases {
        let mut rng = Rng::new(seed.wrapping_mul(1_000_003).wrapping_add(case));
        let n_threads = 2 + case as usize % 3;
        let events = if case % 5 == 0 { nested_trace(&mut rng, n_threads) } else { random_trace(&mut rng, n_threads) };
        let text = text(&events);
        let trace =
            gordian_tracefile::read(text.as_bytes(), Some(gordian_tracefile::Format::Std)).expect("well formed");
        let mut threads = vec![Vec::new(); n_threads];
        events.iter().enumerate().for_each(|(nth, event)| threads[event.0].push(nth));
        let mut all = Enumeration { events: &events, threads, classes: BTreeMap::new(), n_lines: 0, n_deadlocks: 0 };
        if !all.visit(&mut Vec::new(), &mut vec![0; n_threads]) {
            n_skipped += 1;
            continue;
        }
        n_deadlocked += usize::from(all.n_deadlocks > 0);
        // Local transitions are merged, so both are compared without that.
        let steps = Steps { merging: false, ..Steps::default() };
        let LeftSwitches { by_pairs, by_lines, left, set } = context_switches(&trace, steps);
        assert_eq!(set, SwitchSet::Minimal, "case {case}\n{text}");
        let not_transacted = Steps { transactions: false, ..steps };
        let every = context_switches(&trace, Steps { locks: false, ..not_transacted }).left;
        let possible = context_switches(&trace, not_transacted).left;
        let by_lines = by_lines.expect("the trace is short");
        let n_possible = possible.len();
        let sets = [every, possible, by_pairs, by_lines, left].map(|set| set.into_iter().collect::<BTreeSet<_>>());
        assert!(sets.is_sorted_by(|larger, smaller| smaller.is_subset(larger)), "case {case}\n{text}");
        for set in &sets {
            assert_eq!(n_lost(&all.classes, set), 0, "case {case} is not adequate: {set:?}\n{text}");
        }
        let left = &sets[4];
        (n_all, n_left) = (n_all + n_possible, n_left + left.len());
        for switch in left {
            let mut fewer = left.clone();
            fewer.remove(switch);
            assert!(n_lost(&all.classes, &fewer) > 0, "case {case}: {switch:?} can be spared of {left:?}\n{text}");
        }
    }
    println!(
        "{n_left} of {n_all} possible switches are left; {n_deadlocked} traces with deadlocks, {n_skipped} too long"
    );
    assert!(n_left * 2 < n_all && n_skipped * 10 <= cases, "{n_left} of {n_all}, {n_skipped} skipped");
    assert!(n_deadlocked as u64 >= cases / 5, "{n_deadlocked} traces with deadlocks");
}
