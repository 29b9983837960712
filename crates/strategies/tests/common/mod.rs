//! Brute force, and a strategy that remembers what the one inside it did.
#![allow(dead_code, reason = "no test uses all of it")]

use gordian_base::Rng;
use gordian_engine::toy::{Op, Toy, template};
use gordian_engine::{Capabilities, Ended, Executor, Next, Outcome, Point, Settings, Silent, Strategy, Subject, check};
use gordian_trace::{Choice, Event, Exploration, OpKind};
use std::collections::BTreeSet;

pub type Schedules = BTreeSet<Vec<Choice>>;

/// Every schedule of the program with at most `bound` preemptions, by plain recursion.
pub fn brute_force(toy: &Toy, bound: Option<u32>) -> Schedules {
    let mut machine = toy.start(&template(), false).unwrap();
    let mut schedules = Schedules::new();
    enumerate(&mut machine, bound, 0, &mut schedules);
    schedules
}

fn enumerate<E: Executor>(machine: &mut E, bound: Option<u32>, used: u32, schedules: &mut Schedules) {
    if machine.end().is_some() {
        assert!(schedules.insert(machine.schedule().to_vec()), "one schedule twice");
        return;
    }
    for choice in machine.choices().to_vec() {
        let used = used + u32::from(preempts(machine, choice));
        if bound.is_none_or(|bound| used <= bound) {
            let mark = machine.mark();
            machine.step(choice);
            enumerate(machine, bound, used, schedules);
            machine.undo_to(mark);
        }
    }
}

fn preempts<E: Executor>(machine: &E, choice: Choice) -> bool {
    let Some(last) = machine.schedule().last() else { return false };
    let yielded = matches!(machine.events().last(), Some(Event { kind: OpKind::Yield, .. }));
    last.thread != choice.thread && !yielded && machine.choices().contains(&Choice::of(last.thread))
}

/// Remembers the schedules that were executed, in order.
pub struct Recording<S> {
    pub inner: S,
    pub schedules: Vec<Vec<Choice>>,
    pub failed: usize,
}

impl<S> Recording<S> {
    pub fn new(inner: S) -> Self {
        Recording { inner, schedules: Vec::new(), failed: 0 }
    }

    /// As a set; each must have been executed once.
    pub fn set(&self) -> Schedules {
        let set: Schedules = self.schedules.iter().cloned().collect();
        assert_eq!(set.len(), self.schedules.len(), "a schedule was executed twice");
        set
    }
}

impl<S: Strategy> Strategy for Recording<S> {
    fn exploration(&self) -> Exploration {
        self.inner.exploration()
    }
    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.inner.choose(point)
    }
    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.schedules.push(ended.schedule.to_vec());
        self.failed += usize::from(ended.end == Some(&gordian_engine::End::Failed));
        self.inner.next(ended)
    }
    fn capabilities(&self) -> Capabilities {
        self.inner.capabilities()
    }

    fn done(&self) -> Option<f64> {
        self.inner.done()
    }
}

pub fn search(toy: &Toy, strategy: &mut dyn Strategy, settings: &Settings) -> Outcome {
    check(toy, &template(), strategy, settings, &mut Silent).unwrap()
}

pub fn runs(n: u64) -> Settings {
    let mut settings = Settings::default();
    settings.budget.runs = Some(n);
    settings
}

/// Programs with every kind of choice, small enough for brute force.
pub fn programs() -> Vec<Toy> {
    use Op::*;
    vec![
        Toy::new(&[&[Write(0, 1)], &[Write(1, 1)]]),
        Toy::new(&[&[Read(0), Store(0, 1), Read(1)], &[Read(0), Store(0, 1)], &[Read(2)]]),
        Toy::new(&[&[Lock(0), Lock(1), Unlock(1), Unlock(0)], &[Lock(1), Lock(0), Unlock(0), Unlock(1)]]),
        Toy::new(&[
            &[Read(0), Create(1), Create(2), Join(1), Join(2), FailIf(0, 1)],
            &[Read(0), Store(0, 1)],
            &[Read(0), Store(0, 1)],
        ]),
        Toy::new(&[&[Pick(3), Store(0, 0), Yield, Read(0)], &[Read(0), Pick(2)]]),
        Toy::new(&[&[Timeout, Write(0, 1)], &[Yield, Yield, Timeout], &[FailIf(0, 1)]]),
        Toy::new(&[&[Write(0, 1), ReportIf(1, 0)], &[Assume(0, 1), Write(1, 1)], &[FailIf(1, 1)]]),
    ]
}

/// A program of two or three threads and up to four operations each, on two cells and two locks.
pub fn random_program(rng: &mut Rng) -> Toy {
    let n_threads = 2 + rng.below(2);
    let longest = if n_threads == 2 { 4 } else { 3 };
    let threads: Vec<Vec<Op>> =
        (0..n_threads).map(|_| (0..1 + rng.below(longest)).map(|_| random_op(rng)).collect()).collect();
    Toy::new(&threads.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

fn random_op(rng: &mut Rng) -> Op {
    let cell = rng.below(2);
    let value = rng.below(2) as i64;
    match rng.below(12) {
        0 | 1 => Op::Read(cell),
        2 => Op::Store(cell, 1),
        3 | 4 => Op::Write(cell, value),
        5 => Op::Lock(cell),
        6 => Op::Unlock(cell),
        7 => Op::Yield,
        8 => Op::Pick(2),
        9 => Op::FailIf(cell, value),
        10 => Op::ReportIf(cell, value),
        _ => Op::Assume(cell, value),
    }
}
