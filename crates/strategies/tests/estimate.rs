//! The estimate against what is counted. Its expectation must be the number of traces, so over many seeds the mean must come
//! within a few standard errors of it. The seeds are fixed: a test that passes once passes always.

mod common;

use common::{programs, random_program};
use gordian_base::Rng;
use gordian_engine::toy::{Op, Toy, template};
use gordian_engine::{Budget, Settings, Subject, probe};
use gordian_frontend::Options;
use gordian_strategies::Classes;
use gordian_strategies::estimate::{DEFAULT_STEPS, Estimate, estimate, sample};
use gordian_trace::{RaceMode, Stop, Test};
use std::path::{Path, PathBuf};

/// Programs with more schedules than this are left out.
const SCHEDULES: u64 = 2_000;

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
fn mean<S: Subject>(subject: &S, test: &Test, seeds: u64, steps: u64) -> (f64, f64) {
    let (mut sum, mut squares) = (0.0, 0.0);
    for seed in 0..seeds {
        let Estimate { executions, .. } = sample(subject, test, seed, steps, &Settings::default()).unwrap();
        sum += executions.mean;
        squares += executions.standard_error.powi(2);
    }
    (sum / seeds as f64, squares.sqrt() / seeds as f64)
}

/// How many standard errors the mean is off.
fn deviation(truth: usize, (mean, error): (f64, f64)) -> f64 {
    let off = (mean - truth as f64).abs();
    if off < 1e-6 * truth as f64 { 0.0 } else { off / error }
}

#[test]
fn toys() {
    let joins = |_: &Toy| false;
    for toy in programs().into_iter().filter(|toy| !joins(toy)) {
        let Some(t) = traces(&toy, &template()) else { continue };
        let m = mean(&toy, &template(), 10, 5_000);
        eprintln!("{t} {m:?} {}", deviation(t, m));
    }
    let mut rng = Rng::new(1);
    let mut n = 0;
    let mut sum = 0.0;
    for nth in 0..300 {
        let toy = random_program(&mut rng);
        let Some(t) = traces(&toy, &template()) else { continue };
        let mut m = mean(&toy, &template(), 4, 2_000);
        if deviation(t, m) > 2.5 { eprintln!("{m:?}"); m = mean(&toy, &template(), 30, 20_000); }
        n += 1;
        let d = deviation(t, m);
        sum += d * d;
        if d > 2.0 {
            eprintln!("{nth} {t} {m:?} {d}");
        }
    }
    eprintln!("{n} {}", sum / n as f64);
}

fn program_files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut found = Vec::new();
    for directory in std::fs::read_dir(&root).expect("the programs are there") {
        let directory = directory.expect("a directory entry").path();
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !directory.is_dir() || ["native", "multi", "usage", "unsupported"].contains(&name.as_str()) {
            continue;
        }
        let files = std::fs::read_dir(&directory).expect("a directory").map(|file| file.expect("a file").path());
        found.extend(files.filter(|file| file.extension().is_some_and(|extension| extension == "c")));
    }
    found.sort();
    found
}

#[test]
fn c_programs() {
    let mut n = 0;
    let mut sum = 0.0;
    for file in program_files() {
        let text = std::fs::read_to_string(&file).expect("the program can be read");
        let cflags = text.lines().filter_map(|line| line.strip_prefix("//@ cflag: ")).map(str::to_owned).collect();
        let program = gordian_frontend::load(std::slice::from_ref(&file), &Options { cflags, ..Options::default() })
            .unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let mut test = template();
        test.machine.weak_cas_fails = text.contains("--weak-cas-fails: ");
        test.machine.spurious_wakeups = text.contains("--spurious: ");
        test.machine.leaks = text.contains("--leaks");
        test.machine.max_steps = 2_000;
        let Some(t) = traces(&program, &test) else { continue };
        if t == 0 {
            continue;
        }
        let mut m = mean(&program, &test, 3, 5_000);
        if deviation(t, m) > 2.5 { eprintln!("{m:?}"); m = mean(&program, &test, 30, 50_000); }
        n += 1;
        let d = deviation(t, m);
        if d < 100.0 {
            sum += d * d;
        }
        if d > 2.0 {
            eprintln!("{} {t} {m:?} {d}", file.display());
        }
    }
    eprintln!("{n} {}", sum / n as f64);
}

#[test]
fn counts() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/counts");
    for (name, flag, truth) in [
        ("readers.c", "-DN=15", 32768.0),
        ("lock_increment.c", "-DN=8", 40320.0),
        ("fibonacci.c", "-DROUNDS=5", 218243.0),
        ("last_zero.c", "-DN=12", 15360.0),
        ("indexer.c", "-DN=15", 4096.0),
        ("philosophers.c", "-DN=14", 16382.0),
        ("file_system.c", "-DN=26", 8192.0),
        ("writers.c", "-DN=7", 5040.0),
        ("classic_vs_optimal.c", "-DN=8", 256.0),
    ] {
        let file = root.join(name);
        let options = Options { cflags: vec![flag.to_owned()], ..Options::default() };
        let program = gordian_frontend::load(std::slice::from_ref(&file), &options).unwrap();
        let mut test = template();
        test.machine.races = RaceMode::Ignore;
        let mut inside = 0;
        for seed in 0..5 {
            let e = estimate(&program, &test, seed, DEFAULT_STEPS, &Settings::default()).unwrap();
            let i = e.executions;
            if i.low <= truth + 0.5 && truth <= i.high + 0.5 {
                inside += 1;
            }
            eprintln!("{name:20} truth {truth:8} mean {:9.0} {:8.0}..{:8.0} from {} in {:?}", i.mean, i.low, i.high, e.sampled, e.elapsed);
        }
        eprintln!("{inside} of 5");
    }
}
