//! Generated programs without branches: what one run predicts is what `dpor` finds in all executions.
//!
//! All executions of such a program make the same events, so every execution is a reordering of every other. `GORDIAN_SEED`,
//! `GORDIAN_CASES` and `GORDIAN_ONLY` choose other programs.

use gordian_base::Rng;
use gordian_engine::{Course, End, Outcome, Settings, Silent, run_along};
use gordian_frontend::Options as Frontend;
use gordian_ir::Program;
use gordian_predict::{Options, predict};
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{FindingKind, Test};
use std::collections::BTreeSet;
use std::fmt::Write as _;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

/// Statements of one thread: critical sections that nest, accesses, signals and semaphores.
fn thread_body(rng: &mut Rng, budget: usize, depth: usize, text: &mut String) {
    let variables = ["x", "y", "z"];
    let mut left = budget;
    while left > 0 {
        let variable = variables[rng.below(3)];
        let other = variables[rng.below(3)];
        match rng.below(8) {
            0..=2 => {
                let _ = writeln!(text, "    {variable} = {other} + {};", 1 + rng.below(3));
            }
            3 => {
                let _ = writeln!(text, "    {variable} = {};", rng.below(4));
            }
            4 => {
                let _ = writeln!(text, "    atomic_fetch_add(&c, {});", 1 + rng.below(2));
            }
            5 if depth == 0 && rng.below(2) == 0 => {
                text.push_str("    sem_post(&s);\n");
            }
            _ if depth < 2 => {
                let lock = ["a", "b"][(rng.below(2) + depth) % 2];
                let _ = writeln!(text, "    pthread_mutex_lock(&m{depth}{lock});");
                let inner = 1 + rng.below(2);
                thread_body(rng, inner, depth + 1, text);
                let _ = writeln!(text, "    pthread_mutex_unlock(&m{depth}{lock});");
            }
            _ => continue,
        }
        left -= 1;
    }
}

/// Locks of both depths are the same two, so that they can be taken in either order.
const HEAD: &str = "\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
int x, y, z;
atomic_int c;
sem_t s;
pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
#define m0a m[0]
#define m0b m[1]
#define m1a m[0]
#define m1b m[1]
";

/// One program for all cases, chosen by its argument: compiling takes longer than anything else.
fn source(seed: u64, cases: u64) -> String {
    let mut text = HEAD.to_owned();
    let mut mains = String::new();
    for case in 0..cases {
        let mut rng = Rng::new(seed.wrapping_mul(999_983).wrapping_add(case));
        let n_threads = 2 + rng.below(2);
        for thread in 0..n_threads {
            let _ = writeln!(text, "static void *t{case}_{thread}(void *p) {{");
            let takes = rng.below(4) == 0;
            let mut body = String::new();
            let budget = if n_threads == 2 { 2 + rng.below(3) } else { 1 + rng.below(2) };
            thread_body(&mut rng, budget, 0, &mut body);
            // The same lock twice in one thread would be an error of its own.
            let body = without_relocking(&body);
            if takes {
                text.push_str("    sem_wait(&s);\n");
            }
            text.push_str(&body);
            text.push_str("    return p;\n}\n");
        }
        let _ = writeln!(mains, "    case {case}: {{");
        let _ = writeln!(mains, "        pthread_t t[{n_threads}];\n        sem_init(&s, 0, {});", rng.below(2));
        for thread in 0..n_threads {
            let _ = writeln!(mains, "        pthread_create(&t[{thread}], 0, t{case}_{thread}, 0);");
        }
        for thread in 0..n_threads {
            let _ = writeln!(mains, "        pthread_join(t[{thread}], 0);");
        }
        let _ = writeln!(mains, "        assert(x + 2 * y != {});\n        break;\n    }}", rng.below(12));
    }
    let _ = writeln!(
        text,
        "int main(int argc, char **argv) {{\n    switch (atoi(argv[1])) {{\n{mains}    }}\n    return 0;\n}}"
    );
    text
}

fn without_relocking(body: &str) -> String {
    let mut held: Vec<char> = Vec::new();
    let mut skipped = 0;
    let mut out = String::new();
    for line in body.lines() {
        let lock = line.rsplit(['a', 'b']).next().map(|rest| line.len() - rest.len() - 1);
        let name = lock.and_then(|at| line[at..].chars().next()).unwrap_or(' ');
        if line.contains("mutex_lock") {
            if held.contains(&name) {
                skipped += 1;
                held.push('-');
                continue;
            }
            held.push(name);
        } else if line.contains("mutex_unlock") && held.pop() == Some('-') {
            skipped -= 1;
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    assert_eq!(skipped, 0);
    out
}

type Keys = BTreeSet<(FindingKind, Vec<(String, u32, u32)>)>;

fn keys(outcome: &Outcome) -> Keys {
    outcome.findings.iter().map(|found| found.finding.key()).collect()
}

fn template(case: u64) -> Test {
    Test { arguments: vec![case.to_string()], ..gordian_engine::toy::template() }
}

/// What `dpor` finds; nothing if there is too much of it.
fn found_by_dpor(program: &Program, test: &Test) -> Option<Keys> {
    let mut strategy = by_name("dpor", &Parameters::default()).expect("it is there");
    let mut settings = Settings::default();
    settings.budget.runs = Some(20_000);
    let outcome = gordian_engine::check(program, test, strategy.as_mut(), &settings, &mut Silent).expect("it runs");
    (outcome.summary.stop == gordian_trace::Stop::Exhausted).then(|| keys(&outcome))
}

#[test]
fn without_branches_predictions_are_what_dpor_finds() {
    let (seed, cases) = (number("GORDIAN_SEED").unwrap_or(25), number("GORDIAN_CASES").unwrap_or(60));
    let folder = std::env::temp_dir().join(format!("gordian-predict-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let file = folder.join("cases.c");
    std::fs::write(&file, source(seed, cases)).expect("there is room");
    let program = gordian_frontend::load(std::slice::from_ref(&file), &Frontend::default()).expect("it compiles");
    std::fs::remove_dir_all(&folder).expect("it is ours");
    let (mut n_compared, mut n_findings) = (0, 0);
    let mut kinds: BTreeSet<FindingKind> = BTreeSet::new();
    for case in (0..cases).filter(|&case| number("GORDIAN_ONLY").is_none_or(|only| only == case)) {
        let run = run_along(&program, &template(case), false, Course::Default, |_| {}).expect("it runs");
        // A run that fails does not make all events.
        if !matches!(run.end, End::Exit(_)) {
            continue;
        }
        let Some(expected) = found_by_dpor(&program, &template(case)) else { continue };
        let outcome =
            predict(&program, &run.test, Options::default(), &Settings::default(), &mut Silent).expect("it runs");
        let predicted = keys(&outcome);
        n_compared += 1;
        n_findings += expected.len();
        kinds.extend(expected.iter().map(|(kind, _)| *kind));
        let missing: Vec<_> = expected.difference(&predicted).collect();
        let extra: Vec<_> = predicted.difference(&expected).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "seed {seed}, case {case}: missing {missing:#?}, extra {extra:#?}, {:?}",
            outcome.summary
        );
    }
    if number("GORDIAN_ONLY").is_none() {
        assert!(n_compared > cases / 3 && n_findings > 20, "{n_compared} compared, {n_findings} findings");
        let expected = [FindingKind::Assertion, FindingKind::Deadlock, FindingKind::DataRace];
        assert!(expected.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    }
}
