//! Symbolic inputs against brute force on generated C programs: for every value of the inputs, every schedule. The
//! executions of a symbolic search that are possible with some inputs must be exactly the Mazurkiewicz traces that the program
//! has with these inputs, each once, with the same final states and findings; and there must be no more executions than
//! there are ways through the program times traces.
//!
//! `GORDIAN_CASES=5000 GORDIAN_SEED=7 cargo test --release -p gordian-strategies --test symbolic` tries other programs
//! and more of them. What fails is shrunk and printed as a C program; it then becomes one under `tests/programs`.

#[allow(dead_code, reason = "shared with another test, which needs all of it")]
#[path = "../generated/brute.rs"]
mod brute;
mod compare;
#[allow(dead_code, reason = "shared with another test, which needs all of it")]
#[path = "../generated/form.rs"]
mod form;
mod generator;
#[allow(dead_code, reason = "shared with another test, which needs all of it")]
#[path = "../generated/observe.rs"]
mod observe;
#[path = "../generated/shrink.rs"]
mod shrink;
mod watch;
#[path = "../common/watched.rs"]
mod watched;
#[allow(dead_code, reason = "shared with another test, which needs all of it")]
#[path = "../common/workers.rs"]
mod workers;

use compare::{Comparison, compare};
use generator::{Case, source};
use gordian_base::Rng;
use gordian_frontend::{Options, load};
use gordian_ir::Program;
use std::path::Path;

/// Cases that stand in one C file.
const BATCH: usize = 150;
/// So many cases are shrunk: there are few causes, and compiling takes its time.
const SHRUNK: usize = 12;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

pub fn compile(cases: &[Case], name: &str) -> Program {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("symbolic-{name}.c"));
    std::fs::write(&path, source(cases)).expect("cargo's folder for tests can be written to");
    let options = Options { check_overflow: cases.iter().all(|case| case.overflow), ..Options::default() };
    load(std::slice::from_ref(&path), &options).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn symbolic_inputs_lead_where_all_inputs_lead() {
    let (n_cases, seed) = (number("GORDIAN_CASES", 200) as usize, number("GORDIAN_SEED", 1));
    let only = std::env::var("GORDIAN_ONLY").ok().map(|text| text.parse::<usize>().expect("a number"));
    let mut left_out = std::collections::BTreeMap::<&str, usize>::new();
    let (mut compared, mut mismatches, mut bounded) = (0, 0, 0);
    for first in (0..n_cases).step_by(BATCH) {
        let range = first..n_cases.min(first + BATCH);
        let mut cases: Vec<Case> = range.map(|n| Case::random(&mut Rng::stream(seed, n as u64))).collect();
        // Arithmetic is checked in all cases of a file or in none.
        cases.sort_by_key(|case| case.overflow);
        let n_plain = cases.iter().filter(|case| !case.overflow).count();
        let (plain, checked) = cases.split_at(n_plain);
        for (cases, before) in [(plain, first), (checked, first + n_plain)] {
            if cases.is_empty() {
                continue;
            }
            let program = compile(cases, &format!("{seed}-{before}"));
            for (nth, case) in cases.iter().enumerate() {
                if only.is_some_and(|only| only != before + nth) {
                    continue;
                }
                match shrink::caught(compare, &program, case, nth) {
                    Comparison::Equal { losses } => {
                        compared += 1;
                        bounded += usize::from(losses);
                    }
                    Comparison::LeftOut(why) => *left_out.entry(why).or_default() += 1,
                    Comparison::Different(what) => {
                        mismatches += 1;
                        let (small, what) = if mismatches <= SHRUNK {
                            shrink::shrink(compare, case, what)
                        } else {
                            (case.clone(), what)
                        };
                        let text = source(&[small]);
                        let own = text.find("// overflow").unwrap_or(0);
                        println!("different case={}: {what}\n{}", before + nth, &text[own..]);
                    }
                }
            }
        }
    }
    println!("total cases={compared}");
    println!("compared feature=inputs cases={compared}");
    println!("compared feature=inputs-with-losses cases={bounded}");
    for (why, number) in &left_out {
        println!("left-out feature=inputs cases={number} why={why}");
    }
    assert_eq!(mismatches, 0, "cases in which symbolic inputs and brute force disagree are printed above");
    assert!(only.is_some() || compared * 3 > n_cases, "most cases are too large to compare: {left_out:?}");
}
