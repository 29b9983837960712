//! The set of events against an oracle: all schedules of generated programs, with causal pasts that are computed here, from addresses.
//!
//! `GORDIAN_CASES=500 GORDIAN_SEED=7 cargo test -p gordian-unfolding --test events` tries other programs and more of them.

mod oracle;

use gordian_base::Rng;
use gordian_engine::{Settings, Silent, toy};
use gordian_frontend::{Options as Load, load};
use gordian_ir::Program;
use gordian_trace::{RaceMode, Stop, Test};
use gordian_unfolding::{Arcs, Kind, Options, Questions, check_asking};
use oracle::{Names, Oracle};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

/// Programs with more schedules are left out.
const SCHEDULES: u64 = 6_000;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

fn statement(rng: &mut Rng) -> &'static str {
    const STATEMENTS: [&str; 16] = [
        "r += x;",
        "r += y;",
        "x = 1;",
        "y = r;",
        "if (r > 0) y = 2;",
        "if (x == 1) r += y; else x = 3;",
        "r += atomic_fetch_add(&a, 1);",
        "pthread_mutex_lock(&m); y = x; pthread_mutex_unlock(&m);",
        "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
        "u.whole = r;",
        "u.half[0] = 1;",
        "u.byte[5] = 2;",
        "r += u.half[1];",
        "r += u.byte[1];",
        "if (u.whole > 0) y = 4;",
        "{ int q = 0; r += atomic_compare_exchange_strong(&a, &q, 2); }",
    ];
    STATEMENTS[rng.below(STATEMENTS.len())]
}

/// The functions of one program.
fn case(rng: &mut Rng, nth: usize) -> String {
    let n_threads = 2 + rng.below(2);
    let mut text = String::new();
    let body = |rng: &mut Rng, most: usize| -> String {
        (0..1 + rng.below(most)).map(|_| statement(rng)).collect::<Vec<_>>().join(" ")
    };
    for thread in 0..n_threads {
        let body = body(rng, if n_threads == 2 { 3 } else { 2 });
        let _ = writeln!(text, "static void *t{nth}_{thread}(void *p) {{ int r = 0; {body} (void)r; return p; }}");
    }
    let own = if rng.below(2) == 0 { body(rng, 1) } else { String::new() };
    let _ = writeln!(text, "static void run{nth}(void) {{ pthread_t t[3]; int r = 0;");
    for thread in 0..n_threads {
        let _ = writeln!(text, "    pthread_create(&t[{thread}], 0, t{nth}_{thread}, 0);");
    }
    let _ = writeln!(text, "    {own} (void)r;");
    for thread in 0..n_threads {
        let _ = writeln!(text, "    pthread_join(t[{thread}], 0);");
    }
    text.push_str("}\n");
    text
}

fn source(cases: &[String]) -> String {
    let mut text = String::from("#include <pthread.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n");
    text.push_str("static int x, y;\nstatic union { long whole; int half[2]; char byte[8]; } u;\nstatic atomic_int a;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\n");
    for case in cases {
        text.push_str(case);
    }
    text.push_str("int main(int argc, char **argv) {\n    switch (atoi(argv[1])) {\n");
    for nth in 0..cases.len() {
        let _ = writeln!(text, "    case {nth}: run{nth}(); break;");
    }
    text.push_str("    }\n    return 0;\n}\n");
    text
}

/// The events of the unfolding, by name, and how many tests brought none.
fn unfolded(
    program: &Program,
    test: &Test,
    arcs: Arcs,
    shuffle: Option<u64>,
    names: &mut Names,
) -> (BTreeSet<u32>, u64) {
    let options = Options { kind: Kind::Events(arcs), shuffle, ..Options::default() };
    let questions = Questions { events: true, ..Questions::default() };
    let settings = Settings::default();
    let result = check_asking(program, test, options, questions, &settings, &mut Silent, &mut |_| {});
    let (outcome, answers) = result.expect("the program starts");
    assert_eq!(outcome.summary.stop, Stop::Exhausted);
    let mut known: Vec<u32> = Vec::new();
    for shape in &answers.events {
        let past = shape.past.iter().map(|&position| known[position]).collect();
        known.push(names.of(shape.thread.0, shape.variant, past));
    }
    (known.into_iter().collect(), answers.n_redundant_tests)
}

#[test]
fn events_are_those_of_all_traces_in_any_order_of_exploration() {
    let (cases, seed) = (number("GORDIAN_CASES", 40) as usize, number("GORDIAN_SEED", 1));
    let mut rng = Rng::new(seed);
    let cases: Vec<String> = (0..cases).map(|nth| case(&mut rng, nth)).collect();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("events.c");
    std::fs::write(&path, source(&cases)).expect("cargo's folder for tests can be written to");
    let program = load(std::slice::from_ref(&path), &Load::default()).expect("generated programs compile");
    let (mut compared, mut redundant, mut tests) = (0, 0, 0);
    for (nth, text) in cases.iter().enumerate() {
        let mut test = toy::template();
        test.program.files.clear();
        test.arguments = vec![nth.to_string()];
        test.machine.races = RaceMode::Ignore;
        for arcs in [Arcs::Replicated, Arcs::Contextual] {
            let mut names = Names::default();
            let Some(expected) = Oracle::new(arcs, &mut names).events(&program, &test, SCHEDULES) else { continue };
            for shuffle in [None, Some(1), Some(2)] {
                let (found, useless) = unfolded(&program, &test, arcs, shuffle, &mut names);
                let missed: Vec<&u32> = expected.difference(&found).collect();
                let invented: Vec<&u32> = found.difference(&expected).collect();
                assert!(
                    missed.is_empty() && invented.is_empty(),
                    "{arcs:?}, {shuffle:?}, seed {seed}: {} events missed, {} invented of {} in\n{text}",
                    missed.len(),
                    invented.len(),
                    expected.len()
                );
                // An exchange that fails writes nothing, which is not known before.
                if !text.contains("exchange") {
                    redundant += useless;
                }
                tests += 1;
            }
            compared += 1;
        }
    }
    println!(
        "{compared} sets of events compared in {tests} searches; {redundant} tests without exchanges brought no event"
    );
    assert_eq!(redundant, 0, "what the others touch is known before, so every test makes an event for the first time");
    assert!(compared > cases.len(), "only {compared} sets could be compared");
}
