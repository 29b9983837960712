//! Unfoldings against brute force on generated C programs and on those of `tests/programs`: every thread sees the same, and the
//! findings are the same. Several workers report what one does, to the letter.
//!
//! `GORDIAN_CASES=5000 GORDIAN_SEED=7 cargo test --release -p gordian-unfolding --test generated` tries other programs and
//! more of them, `GORDIAN_ONLY=787` one of them. `GORDIAN_PROGRAM=deadlock/` chooses among those of `tests/programs`.

mod brute;
#[allow(dead_code, reason = "for other searches")]
#[path = "../../../strategies/tests/common/c_programs.rs"]
mod c_programs;
#[allow(dead_code, reason = "for other searches")]
#[path = "../../../strategies/tests/generated/features.rs"]
mod features;
#[allow(dead_code, reason = "the cases for other searches")]
#[path = "../../../strategies/tests/generated/generator.rs"]
mod generator;
#[path = "../../../strategies/tests/generated/statements.rs"]
mod statements;
#[path = "../../../strategies/tests/generated/uses.rs"]
mod uses;

use brute::{Key, Limit, Paths, Shown, key};
use features::Feature;
use generator::{Case, source};
use gordian_base::Rng;
use gordian_engine::{Budget, Settings, Silent, toy};
use gordian_frontend::{Options as Load, load};
use gordian_ir::Program;
use gordian_trace::{RaceMode, Stop, Test};
use gordian_unfolding::{Arcs, Jobs, Kind, Options, check, check_watching};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use uses::Uses;

/// Generated programs with more schedules are left out.
const GENERATED: Limit = Limit { schedules: 3_000, steps: 1_000_000 };
/// The same for those of `tests/programs`, whose executions are longer.
const PROGRAMS: Limit = Limit { schedules: 500, steps: 50_000 };
const EVENTS: [Kind; 2] = [Kind::Events(Arcs::Replicated), Kind::Events(Arcs::Contextual)];
const STATEFUL: [Kind; 2] = [Kind::Markings, Kind::Prefix];
const ALL: [Kind; 4] = [EVENTS[0], EVENTS[1], STATEFUL[0], STATEFUL[1]];
/// Programs with more schedules are not searched by several workers.
const FEW: u64 = 200;
/// Cases that stand in one C file.
const BATCH: usize = 100;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

/// What came of comparing a program.
enum Comparison {
    Equal,
    Different(String),
    /// There are too many schedules, or a bound was hit.
    TooLarge,
    /// A strategy does not go with it.
    Refused,
}

fn compare(program: &Program, test: &Test, limit: Limit, kinds: &[Kind]) -> Comparison {
    let mut paths = Paths::default();
    match brute::all(program, test, limit, &mut paths) {
        Some(all) => compare_with(&all, program, test, kinds, &mut paths),
        None => Comparison::TooLarge,
    }
}

fn compare_with(all: &Shown, program: &Program, test: &Test, kinds: &[Kind], paths: &mut Paths) -> Comparison {
    for &kind in kinds {
        let mut shown = Shown::default();
        // No more tests than there are schedules, but for those that a step makes which turns out otherwise than expected.
        let runs = 2 * all.executions + 10;
        let settings = Settings { budget: Budget { runs: Some(runs), time: None }, ..Settings::default() };
        let mut watch = |machine: &gordian_vm::Machine<'_>| shown.take(machine, paths);
        let options = Options { kind, ..Options::default() };
        let outcome = check_watching(program, test, options, &settings, &mut Silent, &mut watch);
        let outcome = outcome.expect("the program starts");
        match outcome.summary.stop {
            Stop::Exhausted => {}
            Stop::Unsupported(_) => return Comparison::Refused,
            stop => return Comparison::Different(format!("{kind:?}: {stop}")),
        }
        // They are called for every step, which takes a while.
        if all.executions <= FEW {
            let options = Options { jobs: Jobs { n: 3, many: 0 }, ..options };
            let together = check(program, test, options, &settings, &mut Silent).expect("the program starts");
            if format!("{together:?}") != format!("{outcome:?}") {
                return Comparison::Different(format!("{kind:?}: three workers report {together:?}, one {outcome:?}"));
            }
        }
        if shown.paths != all.paths {
            let missed = all.paths.difference(&shown.paths).next().map(|&path| paths.path(path));
            let invented = shown.paths.difference(&all.paths).next().map(|&path| paths.path(path));
            return Comparison::Different(format!(
                "{kind:?}: a thread was not seen to do {missed:?}, or only {invented:?}"
            ));
        }
        let found: BTreeSet<Key> = outcome.findings.iter().map(|found| key(&found.finding)).collect();
        if found != all.findings {
            let missed: Vec<&Key> = all.findings.difference(&found).collect();
            let invented: Vec<&Key> = found.difference(&all.findings).collect();
            return Comparison::Different(format!("{kind:?}: did not find {missed:?}, only it found {invented:?}"));
        }
    }
    Comparison::Equal
}

#[test]
fn programs_show_what_brute_force_shows() {
    let only = std::env::var("GORDIAN_PROGRAM").unwrap_or_default();
    let mut files = c_programs::files_without(&["native", "multi", "usage", "unsupported"]);
    files.retain(|file| file.to_string_lossy().contains(&only));
    let next = AtomicUsize::new(0);
    let (compared, wrong) = ([AtomicUsize::new(0), AtomicUsize::new(0)], Mutex::new(Vec::new()));
    let work = || {
        while let Some(file) = files.get(next.fetch_add(1, Relaxed)) {
            let c_programs::CProgram { name, program, test } = c_programs::read(file);
            let mut without_races = test.clone();
            without_races.machine.races = RaceMode::Ignore;
            for (test, kinds) in [(test, EVENTS), (without_races, STATEFUL)] {
                match compare(&program, &test, PROGRAMS, &kinds) {
                    Comparison::Equal => _ = compared[usize::from(kinds == STATEFUL)].fetch_add(1, Relaxed),
                    Comparison::Different(what) => {
                        wrong.lock().expect("nobody panicked").push(format!("{name}: {what}"));
                    }
                    Comparison::TooLarge | Comparison::Refused => {}
                }
            }
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let [by_events, by_model] = compared.map(AtomicUsize::into_inner);
    let mut wrong = wrong.into_inner().expect("nobody panicked");
    wrong.sort();
    println!("{by_events} programs compared, {by_model} with the stateful strategies");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    let are_enough = by_events > 500 && by_model > 400;
    assert!(are_enough || !only.is_empty(), "only {by_events} and {by_model} programs could be compared");
}

#[test]
fn generated_programs_show_what_brute_force_shows() {
    let (cases, seed) = (number("GORDIAN_CASES", 150), number("GORDIAN_SEED", 1));
    let only = number("GORDIAN_ONLY", u64::MAX);
    let mut rng = Rng::new(seed);
    let all: Vec<Case> = (0..cases).map(|_| Case::random(&mut rng)).collect();
    let (mut compared, mut wrong) = (0, Vec::new());
    for (batch, cases) in all.chunks(BATCH).enumerate() {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("unfolded{batch}.c"));
        std::fs::write(&path, source(cases)).expect("cargo's folder for tests can be written to");
        let program = load(std::slice::from_ref(&path), &Load::default()).expect("generated programs compile");
        for (nth, case) in cases.iter().enumerate() {
            let number = batch * BATCH + nth;
            if only != u64::MAX && only != number as u64 {
                continue;
            }
            let test = test_of(case, nth);
            // Markings say nothing of the clocks that data races are told by.
            let kinds = if case.races { &EVENTS[..] } else { &ALL[..] };
            match compare(&program, &test, GENERATED, kinds) {
                Comparison::Equal => compared += 1,
                Comparison::Different(what) => {
                    wrong.push(format!("case {number}: {what}\n{}", source(std::slice::from_ref(case))));
                }
                Comparison::TooLarge | Comparison::Refused => {}
            }
        }
    }
    println!("{compared} of {cases} cases compared");
    for wrong in &wrong {
        println!("{wrong}");
    }
    assert!(wrong.is_empty(), "{} of {compared} differ, seed {seed}", wrong.len());
    assert!(compared * 3 > cases, "most cases are too large to compare");
}

/// How the case that is the `nth` of a program is run.
fn test_of(case: &Case, nth: usize) -> Test {
    let mut test = toy::template();
    test.program.files.clear();
    test.arguments = vec![nth.to_string()];
    test.machine.max_steps = 200;
    test.machine.weak_cas_fails = case.weak_cas_fails;
    test.machine.spurious_wakeups = case.spurious_wakeups;
    test.machine.races = if case.races { RaceMode::Report } else { RaceMode::Ignore };
    test
}

/// Cases that make the machine take care of the same stand in one file (see `uses.rs`). Robust mutexes, keys, exits and the like are here only.
#[test]
fn programs_with_features_show_what_brute_force_shows() {
    let (n_cases, seed) = (number("GORDIAN_CASES", 150) as usize, number("GORDIAN_SEED", 1));
    let (only, features) = (number("GORDIAN_ONLY", u64::MAX) as usize, Feature::chosen());
    let mut groups: BTreeMap<(usize, Uses), Vec<(usize, Case)>> = BTreeMap::new();
    for number in (0..n_cases).filter(|number| only == usize::MAX || only == *number) {
        let case = Case::featured(&mut Rng::stream(seed, number as u64), &features);
        groups.entry((number / BATCH, Uses::of(&case))).or_default().push((number, case));
    }
    // By whether the stateful strategies were asked: cases that agree, that are too large, and that are refused.
    let mut tally = [[0; 3]; 2];
    let mut n_wrong = 0;
    for (group, numbered) in groups.into_values().enumerate() {
        let (numbers, cases): (Vec<usize>, Vec<Case>) = numbered.into_iter().unzip();
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("unfolded-features-{seed}-{group}.c"));
        std::fs::write(&path, source(&cases)).expect("cargo's folder for tests can be written to");
        let program = load(std::slice::from_ref(&path), &Load::default()).expect("generated programs compile");
        for (nth, case) in cases.iter().enumerate() {
            let test = test_of(case, nth);
            let mut without_races = test.clone();
            without_races.machine.races = RaceMode::Ignore;
            for (test, kinds) in [(test, EVENTS), (without_races, STATEFUL)] {
                let tally = &mut tally[usize::from(kinds == STATEFUL)];
                match compare(&program, &test, GENERATED, &kinds) {
                    Comparison::Equal => tally[0] += 1,
                    Comparison::TooLarge => tally[1] += 1,
                    Comparison::Refused => tally[2] += 1,
                    Comparison::Different(what) => {
                        n_wrong += 1;
                        println!("different case={}: {what}\n{}", numbers[nth], source(std::slice::from_ref(case)));
                    }
                }
            }
        }
    }
    for (name, [equal, large, refused]) in ["events", "stateful"].into_iter().zip(tally) {
        println!("{name}: {equal} of {n_cases} cases compared, {large} too large, {refused} refused");
    }
    assert_eq!(n_wrong, 0, "cases that differ are printed above, seed {seed}");
    let is_usual = std::env::var_os("GORDIAN_SEED").is_none() && only == usize::MAX;
    assert!(!is_usual || tally.iter().all(|[equal, ..]| equal * 4 > n_cases), "too few cases can be compared");
}
