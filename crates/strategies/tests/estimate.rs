//! The estimate against what is counted. Its expectation is the number of traces, so the mean over several seeds must come
//! within a few standard errors of it. The seeds are fixed: what passes once passes always. `GORDIAN_PROGRAM=once` looks at those C programs
//! alone that have `once` in their names.

mod common;
#[path = "common/c_programs.rs"]
mod on_disk;

use common::{programs, random_program};
use gordian_base::Rng;
use gordian_engine::toy::{Op, Toy, template};
use gordian_engine::{Budget, Settings, Subject, probe};
use gordian_strategies::estimate::{DEFAULT_STEPS, EXACT_RUNS, Estimate, estimate, sample};
use gordian_strategies::{Classes, Dpor};
use gordian_trace::{Bound, RaceMode, Stop, Test};
use on_disk::{CProgram, LEFT_OUT, c_programs, files_without, folder, load, read};
use std::ops::Range;

/// Programs with more schedules than this are left out.
const SCHEDULES: u64 = 2_000;

/// A small sample that is so many standard errors off is looked at again.
const SUSPECT: f64 = 3.0;
/// A large sample must not be so many standard errors off.
const FAR: f64 = 4.5;

/// The traces of complete executions, by brute force; none if there are too many schedules or a bound was hit.
fn traces<S: Subject>(subject: &S, test: &Test) -> Option<usize> {
    let mut classes = Classes::default();
    let settings = Settings { budget: Budget { runs: Some(SCHEDULES), time: None }, ..Settings::default() };
    let probe = probe(subject, test, &mut classes, &settings).unwrap();
    // Without a choice point the strategy is never asked.
    let traces = classes.complete().len().max(usize::from(probe.executions == 1));
    (probe.stop == Stop::Exhausted && probe.bounds_hit.is_empty()).then_some(traces)
}

/// The mean over several seeds, and its standard error.
fn mean<S: Subject>(subject: &S, test: &Test, seeds: Range<u64>, steps: u64) -> (f64, f64) {
    let n = (seeds.end - seeds.start) as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for seed in seeds {
        let Estimate { executions, .. } = sample(subject, test, seed, steps, &Settings::default()).unwrap();
        sum += executions.mean;
        squares += executions.standard_error.powi(2);
    }
    (sum / n, squares.sqrt() / n)
}

fn is_near(truth: usize, (mean, error): (f64, f64), within: f64) -> bool {
    (mean - truth as f64).abs() <= within * error + 1e-6 * truth as f64
}

/// The weights have a long tail, and a small sample that misses it believes itself too precise. So a small one only raises
/// suspicion, and a large one decides: with seeds of its own, or the same chance would be heard twice.
fn bias<S: Subject>(name: &str, subject: &S, test: &Test, truth: usize) -> Option<String> {
    if is_near(truth, mean(subject, test, 0..2, 4_000), SUSPECT) {
        return None;
    }
    let large = mean(subject, test, 1000..1040, 40_000);
    (!is_near(truth, large, FAR)).then(|| format!("{name}: {} ± {} instead of {truth}", large.0, large.1))
}

fn assert_unbiased<S: Subject>(name: &str, subject: &S, test: &Test, truth: usize) {
    assert_eq!(bias(name, subject, test, truth), None);
}

#[test]
fn toys_on_average() {
    for (nth, toy) in programs().into_iter().enumerate() {
        let truth = traces(&toy, &template()).expect("brute force is enough");
        // A join is a step of toys and none of the machine, so that dependence does not know it.
        if nth != 3 {
            assert_unbiased(&format!("program {nth}"), &toy, &template(), truth);
        }
    }
    let mut rng = Rng::new(1);
    for nth in 0..100 {
        let toy = random_program(&mut rng);
        if let Some(truth) = traces(&toy, &template()) {
            assert_unbiased(&format!("random program {nth}"), &toy, &template(), truth);
        }
    }
}

#[test]
fn c_programs_on_average() {
    let only = std::env::var("GORDIAN_PROGRAM").ok();
    let mut compared = 0;
    let mut wrong = Vec::new();
    let mut files = files_without(&LEFT_OUT);
    match &only {
        Some(only) => files.retain(|file| file.to_string_lossy().contains(only)),
        // Every second one, for the sake of time.
        None => files = files.into_iter().step_by(2).collect(),
    }
    for CProgram { name, program, test } in files.iter().map(|file| read(file)) {
        if let Some(truth) = traces(&program, &test).filter(|&traces| traces > 0) {
            wrong.extend(bias(&name, &program, &test, truth));
            compared += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(only.is_some() || compared > 75, "only {compared} programs were small enough to compare");
}

#[test]
fn small_numbers_are_exact() {
    for CProgram { name, program, test } in c_programs().step_by(5) {
        let estimate = estimate(&program, &test, 0, DEFAULT_STEPS, &Settings::default()).unwrap();
        let search = probe(&program, &test, &mut Dpor::default(), &budget(2 * EXACT_RUNS)).unwrap();
        if estimate.exact && search.bounds_hit.is_empty() {
            assert_eq!(estimate.executions.mean, search.executions as f64, "{name}");
            assert_eq!(
                (estimate.executions.low, estimate.executions.high),
                (estimate.executions.mean, estimate.executions.mean)
            );
        }
    }
}

fn budget(runs: u64) -> Settings {
    Settings { budget: Budget { runs: Some(runs), time: None }, ..Settings::default() }
}

/// The counts that the comments in these programs justify.
#[test]
fn known_counts_lie_near_their_interval() {
    for (name, flag, truth) in [
        ("readers.c", "-DN=15", 32_768.0),
        ("lock_increment.c", "-DN=8", 40_320.0),
        ("fibonacci.c", "-DROUNDS=5", 218_243.0),
        ("last_zero.c", "-DN=12", 15_360.0),
        ("indexer.c", "-DN=15", 4_096.0),
        ("philosophers.c", "-DN=14", 16_382.0),
        ("file_system.c", "-DN=26", 8_192.0),
        ("writers.c", "-DN=7", 5_040.0),
    ] {
        let program = load(&folder().join("counts").join(name), vec![flag.to_owned()]);
        let mut test = template();
        test.machine.races = RaceMode::Ignore;
        for seed in 0..2 {
            let estimate = sample(&program, &test, seed, DEFAULT_STEPS, &Settings::default()).unwrap();
            let interval = estimate.executions;
            assert!(!estimate.exact);
            assert!(interval.low / 1.1 <= truth && truth <= interval.high * 1.1, "{name}: {interval:?}");
            assert!(interval.high / interval.low < 3.0, "{name}: {interval:?}");
        }
    }
}

#[test]
fn the_same_seed_gives_the_same_estimate() {
    let program = load(&folder().join("counts/fibonacci.c"), vec!["-DROUNDS=5".to_owned()]);
    let once = || sample(&program, &template(), 7, 20_000, &Settings::default()).unwrap();
    let (first, second) = (once(), once());
    assert_eq!((first.executions, first.sampled), (second.executions, second.sampled));
    let other = sample(&program, &template(), 8, 20_000, &Settings::default()).unwrap();
    assert_ne!(first.executions, other.executions);
}

#[test]
fn what_a_bound_cuts_off_is_counted_and_said() {
    let ops = [Op::Store(0, 1); 12];
    let toy = Toy::new(&[&ops, &ops]);
    let mut test = template();
    test.machine.max_steps = 14;
    let estimate = sample(&toy, &test, 0, 20_000, &Settings::default()).unwrap();
    // Every order of the writes is a trace: 2^14 prefixes, but for those with more than twelve of one thread.
    let truth = f64::from((1 << 14) - 2 * (1 + 14));
    assert!((estimate.executions.mean / truth - 1.0).abs() < 0.1, "{:?}", estimate.executions);
    assert_eq!(estimate.cut_off, estimate.executions.mean);
    assert!(estimate.bounds_hit.contains(&Bound::Steps));
}
