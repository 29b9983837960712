//! The axiom that all reductions rest on, checked on the machine itself: two steps that can be made in one state and that the dependence relation
//! calls independent lead to the same state in both orders, with the same findings, wishes and choices, and neither enables or disables the other.
//!
//! Nothing here uses memoised steps or a reduction. `GORDIAN_SEED`, `GORDIAN_WALKS` (through each program) and `GORDIAN_CASES` (generated programs) try
//! others, `GORDIAN_ONLY` programs with that in their name.

#[path = "../common/c_programs.rs"]
#[allow(dead_code, reason = "it is shared with other tests")]
mod c_programs;
mod check;
#[path = "../generated/features.rs"]
#[allow(dead_code, reason = "not all of it is used here")]
mod features;
#[path = "../generated/generator.rs"]
#[allow(dead_code, reason = "not all of what it can generate is used here")]
mod generator;
#[path = "../generated/short.rs"]
#[allow(dead_code, reason = "not all of it is used here")]
mod short;
#[path = "../generated/statements.rs"]
#[allow(dead_code, reason = "not all of it is used here")]
mod statements;
#[path = "../waits/generator.rs"]
#[allow(dead_code, reason = "not all of it is used here")]
mod waiting;

use c_programs::{CProgram, files_without, load, read};
use check::{Plan, Totals, findings_of, search, walk};
use features::Feature;
use generator::{Case, source};
use gordian_base::Rng;
use gordian_engine::toy::template;
use gordian_engine::{Budget, Settings, Silent, Strategy, check as run};
use gordian_ir::Program;
use gordian_strategies::{Dpor, DporClassic, Exhaustive};
use gordian_trace::Test;
use gordian_vm::Machine;
use std::collections::BTreeSet;
use std::hash::BuildHasher;
use std::path::Path;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

fn seed() -> u64 {
    number("GORDIAN_SEED", 1)
}

fn is_wanted(name: &str) -> bool {
    std::env::var("GORDIAN_ONLY").map_or(true, |only| name.contains(&only))
}

#[test]
fn steps_of_programs_commute() {
    let mut totals = Totals::default();
    let plan = Plan { n_walks: number("GORDIAN_WALKS", 4), n_steps: 300, every: 3, most_pairs: 20_000 };
    let mut files = files_without(&["native", "multi", "usage", "unsupported"]);
    files.retain(|file| is_wanted(&file.to_string_lossy()));
    for CProgram { name, program, test } in files.iter().map(|file| read(file)) {
        let mut rng = Rng::stream(seed(), gordian_base::FxBuildHasher.hash_one(&name));
        walk(&name, &program, &test, &mut rng, plan, &mut totals);
    }
    totals.assert_none("programs");
}

/// Makes a random program.
type Generator = fn(&mut Rng) -> Case;

#[test]
fn steps_of_generated_programs_commute() {
    let mut totals = Totals::default();
    let n_cases = number("GORDIAN_CASES", 100);
    let kinds: [(&str, Generator); 6] = [
        ("featured", |rng| Case::featured(rng, &Feature::ALL)),
        ("random", Case::random),
        ("deciding", Case::deciding),
        ("locking", Case::locking),
        ("waiting", Case::waiting),
        ("short", Case::short),
    ];
    for (kind, random) in kinds {
        for first in (0..n_cases).step_by(100) {
            let cases: Vec<Case> =
                (first..n_cases.min(first + 100)).map(|n| random(&mut Rng::stream(seed(), n))).collect();
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commute-{kind}-{}-{first}.c", seed()));
            std::fs::write(&path, source(&cases)).expect("cargo's folder for tests can be written to");
            let program = load(&path, Vec::new());
            for nth in 0..cases.len() {
                let test = Test { arguments: vec![nth.to_string()], ..template() };
                let mut rng = Rng::stream(seed() ^ 0x5eed, first + nth as u64);
                let plan = Plan { n_walks: 3, n_steps: 60, every: 1, most_pairs: 5_000 };
                walk(&format!("{kind} {nth}"), &program, &test, &mut rng, plan, &mut totals);
            }
        }
    }
    totals.assert_none("generated programs");
}

/// Walks through a program with the settings of `gordian check`: failed looks are no steps, rounds that come to nothing stop their thread, exits wait for
/// others. What the machine says of a program with settings that it objects to does not count.
fn walk_waiting(name: &str, program: &Program, test: &Test, stream: u64, plan: Plan, totals: &mut Totals) {
    let mut test = test.clone();
    let machine = &mut test.machine;
    (machine.awaits, machine.net_effect, machine.private_reads) = (true, true, true);
    (machine.delayed_exits, machine.rounds) = (true, Some(4));
    // Each objection switches off something that is not switched on again.
    for _ in 0..8 {
        let mut own = Totals::default();
        let mut rng = Rng::stream(seed() ^ 0x5eed, stream);
        let Some(objection) = walk(name, program, &test, &mut rng, plan, &mut own) else {
            return totals.add(own);
        };
        test.machine = test.machine.after(objection);
    }
}

#[test]
fn steps_of_programs_that_wait_commute() {
    let mut totals = Totals::default();
    let plan = Plan { n_walks: number("GORDIAN_WALKS", 4), n_steps: 100, every: 2, most_pairs: 2_000 };
    let mut files = files_without(&["native", "multi", "usage", "unsupported"]);
    files.retain(|file| {
        let waits = |folder: &&str| file.parent().is_some_and(|of| of.ends_with(folder));
        ["awaits", "livelock", "polling"].iter().any(waits) && is_wanted(&file.to_string_lossy())
    });
    for CProgram { name, program, test } in files.iter().map(|file| read(file)) {
        let stream = gordian_base::FxBuildHasher.hash_one(&name);
        walk_waiting(&name, &program, &test, stream, plan, &mut totals);
    }
    for case in 0..number("GORDIAN_CASES", 60) {
        let name = format!("waiting {case}");
        if is_wanted(&name) {
            let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("commute-waits-{}-{case}.c", seed()));
            let text = waiting::program(&mut Rng::stream(seed(), case));
            std::fs::write(&path, text).expect("cargo's folder for tests can be written to");
            let plan = Plan { n_walks: 6, n_steps: 60, every: 1, most_pairs: 2_000 };
            walk_waiting(&name, &load(&path, Vec::new()), &template(), case, plan, &mut totals);
        }
    }
    println!("{} pairs of independent steps while somebody awaits something", totals.awaiting);
    assert!(4 * totals.awaiting > totals.independent || totals.pairs == 0, "many of these programs have awaits");
    totals.assert_none("programs that wait");
}

/// The operations of `pairs.c` that touch memory alone, and all of them.
const N_PLAIN: usize = 62;
const N_ALL: usize = 92;

/// All pairs of operations, with what else goes on as the third argument says.
fn pairs(n: usize, more: u64) -> impl Iterator<Item = [String; 3]> {
    (0..n).flat_map(move |a| (a..n).map(move |b| [a.to_string(), b.to_string(), more.to_string()]))
}

fn load_pairs(cflags: &[&str]) -> Program {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/commute/pairs.c");
    load(&file, cflags.iter().map(|&flag| flag.to_owned()).collect())
}

/// Calls `act` with every pair of operations.
fn each_pair(mut act: impl FnMut(&str, &Program, &Test)) {
    let plain = load_pairs(&[]);
    let all = load_pairs(&["-DHIDDEN"]);
    // Alone; with a thread that they can join, detach and cancel; with an exit handler, while main returns without waiting for them.
    for (program, n, more) in [(&plain, N_PLAIN, 0), (&all, N_ALL, 1), (&all, N_ALL, 6), (&all, N_ALL, 5)] {
        for arguments in pairs(n, more) {
            let name = format!("pair {}", arguments.join(" "));
            if is_wanted(&name) {
                let test = Test { arguments: arguments.to_vec(), ..template() };
                act(&name, program, &test);
            }
        }
    }
}

#[test]
fn pairs_of_operations_commute() {
    let mut totals = Totals::default();
    let n_executions = number("GORDIAN_WALKS", 6);
    each_pair(|name, program, test| search(name, program, test, n_executions, &mut totals));
    totals.assert_none("pairs of operations");
}

/// What executions find, by plain recursion: no memoised steps, no reduction. None if there are too many.
fn brute_force(program: &Program, test: &Test, limit: u64) -> Option<BTreeSet<String>> {
    let mut machine = Machine::new(program, test).expect("it can be set up");
    let (mut found, mut left) = (BTreeSet::new(), limit);
    let mut open = Vec::new();
    loop {
        if machine.end().is_none() {
            open.push((machine.mark(), machine.choices().to_vec()));
        } else {
            found.extend(findings_of(&machine));
            left = left.checked_sub(1)?;
        }
        while open.pop_if(|(_, choices)| choices.is_empty()).is_some() {}
        let Some((mark, choices)) = open.last_mut() else { return Some(found) };
        machine.undo_to(*mark);
        machine.step(choices.pop().expect("a choice is left"));
    }
}

#[test]
fn searches_find_what_brute_force_finds_in_pairs_of_operations() {
    let limit = number("GORDIAN_SCHEDULES", 1000);
    let (mut n_compared, mut n_too_large, mut wrong) = (0, 0, Vec::new());
    each_pair(|name, program, test| {
        let Some(expected) = brute_force(program, test, limit) else {
            n_too_large += 1;
            return;
        };
        n_compared += 1;
        let settings = Settings { budget: Budget { runs: Some(2 * limit), time: None }, ..Settings::default() };
        let strategies: [(&str, Box<dyn Strategy>); 3] = [
            ("exhaustive", Box::new(Exhaustive::default())),
            ("dpor", Box::new(Dpor::default())),
            ("dpor-classic", Box::new(DporClassic::default())),
        ];
        for (strategy, mut search) in strategies {
            let outcome = run(program, test, &mut *search, &settings, &mut Silent).expect("it can be set up");
            let found: BTreeSet<String> =
                outcome.findings.iter().map(|found| format!("{:?}", found.finding.key())).collect();
            if found != expected {
                let lost: Vec<_> = expected.difference(&found).collect();
                let more: Vec<_> = found.difference(&expected).collect();
                wrong.push(format!("{strategy}, {name}: lost {lost:?}, more {more:?}"));
            }
        }
    });
    println!("{n_compared} pairs compared, {n_too_large} too large");
    assert!(wrong.is_empty(), "{}\n{} wrong", wrong.join("\n"), wrong.len());
    assert!(n_compared > 3 * n_too_large, "most pairs are small enough to compare");
}
