//! The same comparisons for the programs of `tests/programs`.

use crate::agreement::compare_program;
use crate::assert_few_are_redundant;
use crate::c_programs::{CProgram, c_programs, programs_without};
use crate::compare::{Comparison, compare_halves, compare_memoised, compare_observed, compare_orbits, compare_small};
use gordian_engine::Settings;
use gordian_ir::Program;
use gordian_trace::{RaceMode, Test};

/// Directories whose programs do not run by themselves. Those with many behaviours are among the others: the small ones of them are compared.
const DO_NOT_RUN: &[&str] = &["native", "multi", "usage", "unsupported"];

/// Compares programs, once for each way of reporting races, or as their directives say if there is none.
/// More than so many must have been small enough.
fn compare_programs(
    programs: impl Iterator<Item = CProgram>,
    races: &[RaceMode],
    at_least: usize,
    compare: impl Fn(&Program, &Test) -> Comparison,
) {
    let (mut compared, mut refused) = (0, 0);
    let mut wrong = Vec::new();
    for CProgram { name, program, test } in programs {
        let own = [test.machine.races];
        for &races in if races.is_empty() { &own } else { races } {
            let mut test = test.clone();
            test.machine.races = races;
            match compare(&program, &test) {
                Comparison::Equal => compared += 1,
                Comparison::LeftOut(_) => {}
                Comparison::Refused(_) => refused += 1,
                Comparison::Different(what) => wrong.push(format!("{name}: {what}")),
            }
        }
    }
    println!("{compared} programs compared, {refused} refused");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > at_least, "only {compared} programs were small enough to compare");
}

const BOTH: &[RaceMode] = &[RaceMode::Report, RaceMode::Ignore];

#[test]
fn all_strategies_do_with_programs_what_brute_force_does() {
    compare_programs(programs_without(DO_NOT_RUN), &[], 150, |program, test| compare_program(program, test, 1_000));
}

#[test]
fn reductions_do_with_programs_what_brute_force_does() {
    compare_programs(programs_without(DO_NOT_RUN), &[], 150, |program, test| compare_small(program, test, 500));
    assert_few_are_redundant();
}

#[test]
fn memoised_steps_of_programs_are_those_that_are_made() {
    compare_programs(c_programs(), BOTH, 300, |program, test| compare_memoised(program, test, 200));
}

#[test]
fn searches_of_programs_that_are_split_do_what_one_does() {
    let settings = Settings::default();
    compare_programs(c_programs(), &[RaceMode::Ignore], 50, |program, test| {
        compare_halves(program, test, &settings, 1_000)
    });
}

#[test]
fn writes_of_programs_that_nobody_reads_need_no_order() {
    compare_programs(c_programs(), BOTH, 100, |program, test| compare_observed(program, test, 300));
}

#[test]
fn symmetric_threads_of_programs_in_one_order_stand_for_all_orders() {
    compare_programs(c_programs(), &[], 100, |program, test| {
        let mut names = program.externals.iter().map(|external| external.name.as_str());
        match names.any(gordian_strategies::dpor::tells_threads_apart) {
            true => Comparison::LeftOut("threads that can be told apart"),
            false => compare_orbits(program, test),
        }
    });
}
