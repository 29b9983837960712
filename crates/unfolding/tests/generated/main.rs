//! Unfoldings against brute force on generated C programs and on those of `tests/programs`: every thread sees the same, and the
//! findings are the same.
//!
//! `GORDIAN_CASES=5000 GORDIAN_SEED=7 cargo test --release -p gordian-unfolding --test generated` tries other programs and
//! more of them, `GORDIAN_ONLY=787` one of them.

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

use brute::{Key, Shown, key};
use generator::{Case, source};
use gordian_base::Rng;
use gordian_engine::{Budget, Settings, Silent, toy};
use gordian_frontend::{Options as Load, load};
use gordian_ir::Program;
use gordian_trace::{RaceMode, Stop, Test};
use gordian_unfolding::{Arcs, Options, check_watching};
use std::collections::BTreeSet;
use std::path::Path;

/// Generated programs with more schedules are left out.
const SCHEDULES: u64 = 3_000;
/// The same for those of `tests/programs`, whose executions are longer.
const FEW_SCHEDULES: u64 = 500;
/// Cases that stand in one C file.
const BATCH: usize = 100;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

/// What differs, or nothing; none if the program cannot be compared.
fn compare(program: &Program, test: &Test, most: u64) -> Option<Result<(), String>> {
    let all = brute::all(program, test, most)?;
    for arcs in [Arcs::Replicated, Arcs::Contextual] {
        let mut shown = Shown::default();
        let settings = Settings { budget: Budget { runs: Some(4 * most), time: None }, ..Settings::default() };
        let mut watch = |machine: &gordian_vm::Machine<'_>| shown.take(machine);
        let outcome = check_watching(program, test, Options { arcs }, &settings, &mut Silent, &mut watch);
        let outcome = outcome.expect("the program starts");
        match outcome.summary.stop {
            Stop::Exhausted => {}
            Stop::Unsupported(_) => return None,
            stop => return Some(Err(format!("{arcs:?}: {stop}"))),
        }
        if shown.paths != all.paths {
            let missed = all.paths.difference(&shown.paths).next();
            let invented = shown.paths.difference(&all.paths).next();
            return Some(Err(format!("{arcs:?}: a thread was not seen to do {missed:?}, or only {invented:?}")));
        }
        let found: BTreeSet<Key> = outcome.findings.iter().map(|found| key(&found.finding)).collect();
        if found != all.findings {
            let missed: Vec<&Key> = all.findings.difference(&found).collect();
            let invented: Vec<&Key> = found.difference(&all.findings).collect();
            return Some(Err(format!("{arcs:?}: did not find {missed:?}, only it found {invented:?}")));
        }
    }
    Some(Ok(()))
}

#[test]
fn programs_show_what_brute_force_shows() {
    let (mut compared, mut wrong) = (0, Vec::new());
    for c_programs::CProgram { name, program, test } in
        c_programs::programs_without(&["native", "multi", "usage", "unsupported"])
    {
        match compare(&program, &test, FEW_SCHEDULES) {
            Some(Ok(())) => compared += 1,
            Some(Err(what)) => wrong.push(format!("{name}: {what}")),
            None => {}
        }
    }
    println!("{compared} programs compared");
    assert!(wrong.is_empty(), "{} differ:\n{}", wrong.len(), wrong.join("\n"));
    assert!(compared > 100, "only {compared} programs were small enough to compare");
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
            let mut test = toy::template();
            test.program.files.clear();
            test.arguments = vec![nth.to_string()];
            test.machine.max_steps = 200;
            test.machine.weak_cas_fails = case.weak_cas_fails;
            test.machine.spurious_wakeups = case.spurious_wakeups;
            test.machine.races = if case.races { RaceMode::Report } else { RaceMode::Ignore };
            match compare(&program, &test, SCHEDULES) {
                Some(Ok(())) => compared += 1,
                Some(Err(what)) => wrong.push(format!("case {number}: {what}\n{}", source(std::slice::from_ref(case)))),
                None => {}
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
