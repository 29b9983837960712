//! Every exhaustive strategy against brute force on generated C programs: the same findings, the same final states, the
//! same Mazurkiewicz traces, and for `dpor` each trace in one execution. Brute force itself is checked
//! as well: the schedules of one trace must all exist and end alike, or the dependence between steps is wrong.
//!
//! All strategies, brute force of the engine included, are compared with `brute.rs`, which shares nothing with them but the steps of the machine.
//!
//! `GORDIAN_CASES=5000 GORDIAN_SEED=7 cargo test --release -p gordian-strategies --test generated` tries other programs
//! and more of them, `GORDIAN_ONLY=787` one of them, `GORDIAN_SHUFFLES=50` more orders of each,
//! `GORDIAN_SCHEDULES=20000` larger ones, `GORDIAN_FEATURES=keys,once` such with these features (see `features.rs`).
//! `cargo xtask soak` goes on with new seeds until it is stopped. What fails is shrunk and printed as a C program; it then becomes one
//! under `tests/programs`.

mod agreement;
mod brute;
#[path = "../common/c_programs.rs"]
mod c_programs;
mod compare;
mod features;
mod form;
mod generator;
mod memory;
mod observe;
mod parking;
mod programs;
mod races;
mod remembered;
mod short;
mod shrink;
mod statements;
mod tally;
mod uses;
#[path = "../common/watched.rs"]
mod watched;
#[path = "../common/workers.rs"]
mod workers;

use compare::{
    Compare, compare, compare_bounded, compare_deciding, compare_memory, compare_observers, compare_split,
    compare_symmetric, compare_workers,
};
use features::Feature;
use generator::{Case, source};
use gordian_base::Rng;
use gordian_frontend::{Options, load};
use gordian_ir::Program;
use std::collections::BTreeMap;
use std::path::Path;
use tally::Tally;
use uses::Uses;

/// Cases that stand in one C file.
const BATCH: usize = 150;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

pub fn compile(cases: &[Case], name: &str) -> Program {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}.c"));
    std::fs::write(&path, source(cases)).expect("cargo's folder for tests can be written to");
    load(std::slice::from_ref(&path), &Options::default()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn reductions_do_what_brute_force_does() {
    let compared = compare_all("generated", Case::random, compare);
    assert_enough(compared, 1, 3);
    assert_few_are_redundant();
}

#[test]
fn all_strategies_do_what_brute_force_does() {
    let kinds = [Case::random, Case::deciding, Case::reading, Case::waiting, Case::locking, Case::writing];
    let random = |rng: &mut Rng| kinds[rng.below(kinds.len())](rng);
    let compared = compare_some(120, "strategies", random, agreement::compare_all_strategies);
    assert_enough(compared, 1, 3);
}

#[test]
fn all_strategies_do_with_features_what_brute_force_does() {
    let features = Feature::chosen();
    compare_some(150, "features", |rng| Case::featured(rng, &features), agreement::compare_all_strategies);
}

#[test]
fn what_threads_were_about_to_do_is_taken_for_no_more_than_it_is() {
    let compared = compare_some(200, "short", Case::short, agreement::compare_all_strategies);
    assert_enough(compared, 1, 3);
}

#[test]
fn threads_that_park_everywhere_do_the_same() {
    let features = Feature::chosen();
    let compared = compare_some(100, "parking", |rng| Case::tiny(rng, &features), parking::compare_parking);
    assert_enough(compared, 1, 3);
}

#[test]
fn races_are_those_that_the_log_shows() {
    let random = |rng: &mut Rng| match rng.below(5) {
        0 => Case::deciding(rng),
        1 => Case::reading(rng),
        2 => Case::locking(rng),
        3 => Case::writing(rng),
        _ => Case::featured(rng, &[Feature::Widths, Feature::Once, Feature::NestedCreation]),
    };
    let compared = compare_some(200, "races", random, races::compare_races);
    assert_enough(compared, 1, 3);
}

#[test]
fn what_was_read_decides_and_no_order_is_lost() {
    let compared = compare_all("deciding", Case::deciding, compare_deciding);
    assert_enough(compared, 1, 2);
}

#[test]
fn a_write_that_races_with_many_reads_takes_any_place_among_them() {
    let compared = compare_all("reading", Case::reading, compare_deciding);
    assert_enough(compared, 2, 3);
}

#[test]
fn locks_and_units_of_all_kinds_lose_nothing() {
    let compared = compare_all("locking", Case::locking, compare_deciding);
    assert_enough(compared, 1, 2);
}

#[test]
fn waits_that_end_by_themselves_lose_nothing() {
    let compared = compare_all("waiting", Case::waiting, compare);
    assert_enough(compared, 1, 2);
}

#[test]
fn workers_do_what_one_does() {
    let compared = compare_all("shared", Case::random, compare_workers);
    assert_enough(compared, 1, 2);
}

#[test]
fn few_preemptions_reach_what_brute_force_reaches_with_as_few() {
    let compared = compare_all("bounded", Case::random, compare_bounded);
    assert_enough(compared, 1, 3);
}

#[test]
fn memoised_steps_are_those_that_are_made() {
    let compared = compare_all("memoised", Case::random, compare_memory);
    assert_eq!(compared.0, compared.1, "every case can be compared");
    let compared = compare_all("memoised-deciding", Case::deciding, compare_memory);
    assert_eq!(compared.0, compared.1, "every case can be compared");
}

#[test]
fn a_search_that_is_split_does_what_one_does() {
    let compared = compare_all("split", Case::random, compare_split);
    assert_enough(compared, 1, 6);
}

#[test]
fn writes_that_nobody_reads_need_no_order() {
    let compared = compare_all("observers", Case::random, compare_observers);
    assert_enough(compared, 1, 4);
    assert_few_come_again();
}

#[test]
fn many_writes_that_few_read_need_no_order() {
    let compared = compare_all("writing", Case::writing, compare_observers);
    assert_enough(compared, 1, 2);
    assert_few_come_again();
}

/// Where a thread that waits in a loop could be let go on by several steps, where a process ends while threads run, and behind guesses (see `Dpor::is_firm`), some
/// executions are.
fn assert_few_are_redundant() {
    let [traces, executions] = compare::redundant();
    println!("{executions} redundant executions for {traces} traces");
    assert!(!is_usual_seed() || executions * 100 <= traces, "too many executions are redundant");
}

fn assert_few_come_again() {
    let [executions, traces] = compare::observed();
    println!("{executions} executions for {traces} traces with observers");
    assert!(!is_usual_seed() || executions * 100 <= traces * 103, "too many executions come more than once");
}

#[test]
fn symmetric_threads_in_one_order_stand_for_all_orders() {
    let compared = compare_all("symmetric", Case::symmetric, compare_symmetric);
    assert_enough(compared, 1, 2);
    let [executions, traces] = compare::ordered();
    println!("{executions} executions for {traces} traces in order");
    assert!(
        !is_usual_seed() || executions * 100 <= traces * 101,
        "too many executions are made with symmetric threads"
    );
}

/// More than so many of so many cases were small enough to compare. How many are is a matter of luck, so only the usual seed is held to it.
fn assert_enough((compared, cases): (usize, usize), part: usize, of: usize) {
    assert!(
        !is_usual_seed() || compared * of > cases * part,
        "most cases are too large to compare: {compared} of {cases} were"
    );
}

fn is_usual_seed() -> bool {
    std::env::var_os("GORDIAN_SEED").is_none()
}

/// How many cases were compared, out of how many.
fn compare_all(name: &str, random: impl Fn(&mut Rng) -> Case, compare: Compare) -> (usize, usize) {
    compare_some(300, name, random, compare)
}

/// The same, of so many cases unless told otherwise.
fn compare_some(n_cases: u64, name: &str, random: impl Fn(&mut Rng) -> Case, compare: Compare) -> (usize, usize) {
    let (n_cases, seed) = (number("GORDIAN_CASES", n_cases) as usize, number("GORDIAN_SEED", 1));
    let mut tally = Tally::default();
    let only = number("GORDIAN_ONLY", u64::MAX) as usize;
    let first = if only < n_cases { only } else { 0 };
    let n_cases = n_cases.min(only.saturating_add(1));
    for first in (first..n_cases).step_by(BATCH) {
        let range = first..n_cases.min(first + BATCH);
        let cases = range.map(|n| (n, random(&mut Rng::stream(seed, n as u64))));
        let mut groups: BTreeMap<Uses, Vec<(usize, Case)>> = BTreeMap::new();
        cases.for_each(|case| groups.entry(Uses::of(&case.1)).or_default().push(case));
        for (group, numbered) in groups.into_values().enumerate() {
            let (numbers, cases): (Vec<usize>, Vec<Case>) = numbered.into_iter().unzip();
            let program = compile(&cases, &format!("{name}-{seed}-{first}-{group}"));
            for (nth, case) in cases.iter().enumerate() {
                tally.take_in(compare, &program, case, nth, numbers[nth]);
            }
        }
    }
    tally.print();
    assert_eq!(tally.different, 0, "cases in which a strategy and brute force disagree are printed above");
    (tally.compared, n_cases - first)
}
