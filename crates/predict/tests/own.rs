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
fn thread_body(rng: &mut Rng, budget: usize, held: &mut Vec<usize>, text: &mut String) {
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
            5 if held.is_empty() && rng.below(2) == 0 => {
                text.push_str("    sem_post(&s);\n");
            }
            _ if held.len() < 2 => {
                let lock = rng.below(2);
                // The same lock twice in one thread would be an error of its own.
                let lock = if held.contains(&lock) { 1 - lock } else { lock };
                let _ = writeln!(text, "    pthread_mutex_lock(&m[{lock}]);");
                held.push(lock);
                let inner = 1 + rng.below(2);
                thread_body(rng, inner, held, text);
                held.pop();
                let _ = writeln!(text, "    pthread_mutex_unlock(&m[{lock}]);");
            }
            _ => continue,
        }
        left -= 1;
    }
}

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
            thread_body(&mut rng, budget, &mut Vec::new(), &mut body);
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

/// The threads of a case, with the numbers of their lines.
fn excerpt(text: &str, case: u64) -> String {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let is_first = |(_, line): &(usize, &str)| line.starts_with(&format!("static void *t{case}_"));
    let is_next = |(_, line): &(usize, &str)| line.starts_with(&format!("static void *t{}_", case + 1));
    let from = lines.iter().position(is_first).unwrap_or(0);
    let to = lines.iter().position(is_next).unwrap_or(from + 40);
    lines[from..to].iter().map(|(number, line)| format!("{number} {line}\n")).collect()
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
    let text = source(seed, cases);
    std::fs::write(&file, &text).expect("there is room");
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
        let outcome = predict(
            &program,
            &run.test,
            Options { atomicity: false, ..Options::default() },
            &Settings::default(),
            &mut Silent,
        )
        .expect("it runs");
        let predicted = keys(&outcome);
        n_compared += 1;
        n_findings += expected.len();
        kinds.extend(expected.iter().map(|(kind, _)| *kind));
        let missing: Vec<_> = expected.difference(&predicted).collect();
        let extra: Vec<_> = predicted.difference(&expected).collect();
        assert!(
            missing.is_empty() && extra.is_empty(),
            "seed {seed}, case {case}: missing {missing:?}, extra {extra:?}, {:?}\n{}",
            outcome.summary.prediction,
            excerpt(&text, case)
        );
    }
    if number("GORDIAN_ONLY").is_none() {
        assert!(n_compared > cases / 3 && n_findings > 20, "{n_compared} compared, {n_findings} findings");
        let expected = [FindingKind::Assertion, FindingKind::Deadlock, FindingKind::DataRace];
        assert!(expected.iter().all(|kind| kinds.contains(kind)), "{kinds:?}");
    }
}
