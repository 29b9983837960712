//! The sampling strategies: reproducible, and as likely to find things as they claim.

mod common;

use common::{Recording, brute_force, programs, runs, search};
use gordian_engine::toy::{Op, Toy};
use gordian_engine::{Settings, Strategy};
use gordian_strategies::{Parameters, Pct, Pos, Random, STRATEGIES, by_name};
use gordian_trace::{Bound, Stop, Verdict};
use std::collections::BTreeSet;

fn sampling(seed: u64) -> [(&'static str, Box<dyn Strategy>); 3] {
    let parameters = Parameters { seed, ..Parameters::default() };
    ["random", "pct", "pos"].map(|name| (name, by_name(name, &parameters).expect("it is in the table")))
}

/// `Recording` around a boxed strategy.
struct Boxed(Box<dyn Strategy>);

impl Strategy for Boxed {
    fn exploration(&self) -> gordian_trace::Exploration {
        self.0.exploration()
    }
    fn choose(&mut self, point: &gordian_engine::Point<'_>) -> Option<usize> {
        self.0.choose(point)
    }
    fn next(&mut self, ended: &gordian_engine::Ended<'_>) -> gordian_engine::Next {
        self.0.next(ended)
    }
}

fn schedules(toy: &Toy, strategy: Box<dyn Strategy>, n: u64) -> Vec<Vec<gordian_trace::Choice>> {
    let mut recording = Recording::new(Boxed(strategy));
    search(toy, &mut recording, &runs(n));
    recording.schedules
}

#[test]
fn the_table_names_every_strategy_once() {
    let names: BTreeSet<_> = STRATEGIES.iter().map(|entry| entry.name).collect();
    assert_eq!(names.len(), STRATEGIES.len());
    for entry in STRATEGIES {
        let strategy = by_name(entry.name, &Parameters::default()).unwrap();
        assert_eq!(strategy.exploration().strategy, entry.name);
        assert_eq!(strategy.capabilities().exhaustive, !entry.samples);
    }
    assert!(by_name("no such", &Parameters::default()).is_none());
}

#[test]
fn the_seed_decides_every_run() {
    for toy in programs() {
        for ((name, first), (_, again)) in sampling(7).into_iter().zip(sampling(7)) {
            assert_eq!(schedules(&toy, first, 50), schedules(&toy, again, 50), "{name}");
        }
    }
    let ops = [Op::Read(0); 8];
    let toy = Toy::new(&[&ops, &ops]);
    for ((name, first), (_, other)) in sampling(7).into_iter().zip(sampling(8)) {
        assert_ne!(schedules(&toy, first, 50), schedules(&toy, other, 50), "{name}");
    }
}

#[test]
fn they_make_only_schedules_that_exist_and_random_and_pos_make_all() {
    for toy in programs() {
        let all = brute_force(&toy, None);
        for (name, strategy) in sampling(1) {
            let seen: BTreeSet<_> = schedules(&toy, strategy, 20_000).into_iter().collect();
            assert!(seen.is_subset(&all), "{name}");
            if all.len() < 100 && name != "pct" {
                assert_eq!(seen, all, "{name}");
            }
        }
    }
}

#[test]
fn sampling_is_a_bound_unless_there_is_nothing_to_choose() {
    let choice = Toy::new(&[&[Op::Read(0)], &[Op::Read(0)]]);
    let none = Toy::new(&[&[Op::Read(0), Op::Create(1), Op::Join(1)], &[Op::Read(0)]]);
    for (name, mut strategy) in sampling(1) {
        let summary = search(&choice, &mut *strategy, &runs(10)).summary;
        assert_eq!((summary.verdict, summary.stop, summary.executions), (Verdict::Bounded, Stop::Runs, 10), "{name}");
        assert_eq!(summary.bounds.hit, [Bound::Sampling]);
    }
    for (name, mut strategy) in sampling(1) {
        let summary = search(&none, &mut *strategy, &runs(10)).summary;
        assert_eq!((summary.verdict, summary.stop, summary.executions), (Verdict::Safe, Stop::Exhausted, 1), "{name}");
        assert_eq!(summary.bounds.hit, []);
    }
}

/// How often in `n` runs the execution fails.
fn failures(toy: &Toy, strategy: impl Strategy, n: u64) -> f64 {
    let mut recording = Recording::new(strategy);
    search(toy, &mut recording, &runs(n));
    recording.failed as f64
}

#[test]
fn pct_keeps_its_guarantee() {
    // The second thread must come between two neighbouring steps of the first: an atomicity violation, depth 2.
    let mut left = vec![Op::Read(1); 20];
    left.splice(9..11, [Op::Write(0, 1), Op::Write(0, 0)]);
    let mut right = vec![Op::Read(1); 20];
    right[10] = Op::FailIf(0, 1);
    let toy = Toy::new(&[&left, &right]);
    let n = 20_000;
    // Positions are choices between two threads: all steps until one thread has ended, so at most 39.
    let expected = n as f64 / (2.0 * 39.0);
    let failed = failures(&toy, Pct::new(3, 2), n);
    // The number is about normal, with a standard deviation of about 16.
    assert!(failed > expected - 50.0, "{failed} of {n}, at least {expected} are promised");

    let mut pct = Pct::new(3, 2);
    search(&toy, &mut pct, &runs(100));
    let guarantee = pct.exploration().guarantee;
    assert!(guarantee.contains("in 100 runs") && guarantee.contains("n = 2 threads"), "{guarantee}");
}

#[test]
fn pct_of_depth_1_finds_an_order_violation_in_every_other_run() {
    let mut left = vec![Op::Read(1); 10];
    left.push(Op::Write(0, 1));
    let mut right = vec![Op::Read(1); 30];
    right.push(Op::FailIf(0, 0));
    let toy = Toy::new(&[&left, &right]);
    let failed = failures(&toy, Pct::new(5, 1), 1_000);
    assert!((400.0..600.0).contains(&failed), "{failed}");
    // A random walk has to make 31 steps of one thread before 11 of the other.
    assert!(failures(&toy, Random::new(5), 1_000) < 20.0);
}

#[test]
fn pos_counts_races_and_not_operations() {
    // The one write of the second thread must come after all 20 steps of the first, with only one of which it races.
    let mut left = vec![Op::Read(1); 20];
    left[19] = Op::Read(0);
    let toy = Toy::new(&[&left, &[Op::Write(0, 1)], &[Op::Read(2)]]);
    let last = |schedule: &Vec<gordian_trace::Choice>| {
        let writer = schedule.iter().position(|choice| choice.thread.0 == 1).unwrap();
        schedule[writer..].iter().all(|choice| choice.thread.0 != 0)
    };
    let count = |strategy: Box<dyn Strategy>| schedules(&toy, strategy, 5_000).iter().filter(|s| last(s)).count();
    // Its priority is the least of 20 numbers in one run of 20, and after the race it is drawn again.
    let found = count(Box::new(Pos::new(2)));
    assert!((190..320).contains(&found), "{found}");
    assert!(count(Box::new(Random::new(2))) < 5, "a random walk makes it about once in a million runs");
}

#[test]
fn loops_that_wait_do_not_starve_the_others() {
    // The first waits for the second with yields, the third for the second without.
    let toy = Toy::new(&[&[Op::Yield, Op::LoopWhile(0, 0, 0)], &[Op::Write(0, 1)], &[Op::LoopWhile(0, 0, 0)]]);
    for (name, mut strategy) in sampling(4) {
        let summary = search(&toy, &mut *strategy, &runs(500)).summary;
        assert_eq!((summary.executions, summary.blocked), (500, 0), "{name}");
        assert!(summary.steps < 500 * 1_500, "{name} took {} steps", summary.steps);
    }
}

#[test]
fn a_preemption_bound_holds_for_sampling() {
    let ops = [Op::Read(0); 4];
    let toy = Toy::new(&[&ops, &ops]);
    let bounded = brute_force(&toy, Some(1));
    for (name, strategy) in sampling(1) {
        let mut recording = Recording::new(Boxed(strategy));
        let settings = Settings { preemptions: Some(1), ..runs(200) };
        let outcome = search(&toy, &mut recording, &settings);
        assert!(recording.schedules.iter().all(|schedule| bounded.contains(schedule)), "{name}");
        assert!(outcome.summary.bounds.hit.contains(&Bound::Preemptions), "{name}");
    }
}
