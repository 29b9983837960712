//! Generated programs with branches, locks, conditions, semaphores and barriers: what one run predicts, compared with brute force over all of its
//! reorderings.
//!
//! The brute force knows nothing of lines, terms or solvers. It tries every schedule on the machine and keeps to those in which each thread
//! does what it did in the run, save its last step (see [`brute`]). What shows there must be predicted; what is predicted must be among the
//! findings of a complete search. `GORDIAN_SEED`, `GORDIAN_CASES` and `GORDIAN_ONLY` choose other programs.

mod brute;
mod generate;

use gordian_engine::{Course, End, Outcome, Settings, Silent, run_along};
use gordian_frontend::Options as Frontend;
use gordian_ir::Program;
use gordian_predict::{Options, Steps, predict};
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{FindingKind, Test, Verdict};
use std::collections::{BTreeMap, BTreeSet};

type Key = (FindingKind, Vec<(String, u32, u32)>);
type Keys = BTreeSet<Key>;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

fn keys(outcome: &Outcome) -> Keys {
    outcome.findings.iter().map(|found| found.finding.key()).collect()
}

fn compile(text: &str, name: &str) -> Program {
    let folder = std::env::temp_dir().join(format!("gordian-oracle-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("there is room");
    let file = folder.join("cases.c");
    std::fs::write(&file, text).expect("there is room");
    let program = gordian_frontend::load(std::slice::from_ref(&file), &Frontend::default()).expect("it compiles");
    std::fs::remove_dir_all(&folder).expect("it is ours");
    program
}

fn template(case: u64) -> Test {
    Test { arguments: vec![case.to_string()], ..gordian_engine::toy::template() }
}

/// What a complete search finds, and whether it calls the program safe; nothing if there is too much of it.
fn found_by_dpor(program: &Program, test: &Test) -> Option<(Keys, bool)> {
    let mut strategy = by_name("dpor", &Parameters::default()).expect("it is there");
    let mut settings = Settings::default();
    settings.budget.runs = Some(20_000);
    let outcome = gordian_engine::check(program, test, strategy.as_mut(), &settings, &mut Silent).expect("it runs");
    let is_done = outcome.summary.stop == gordian_trace::Stop::Exhausted;
    is_done.then(|| (keys(&outcome), outcome.summary.verdict == Verdict::Safe))
}

/// Runs that pass: the default schedule and a few random ones.
fn runs(program: &Program, case: u64) -> Vec<Test> {
    let courses = [Course::Default, Course::Random(case + 1), Course::Random(case + 1001)];
    let runs = courses.into_iter().map(|course| {
        let run = run_along(program, &template(case), false, course, |_| {}).expect("it runs");
        // A run that fails does not make all events.
        (matches!(run.end, End::Exit(_))).then_some(run.test)
    });
    let mut tests: Vec<Test> = runs.flatten().collect();
    tests.dedup_by(|a, b| a.schedule == b.schedule);
    tests
}

fn predicted(program: &Program, test: &Test, options: Options) -> Outcome {
    predict(program, test, options, &Settings::default(), &mut Silent).expect("it runs")
}

#[test]
fn predictions_are_those_of_brute_force() {
    let (seed, cases) = (number("GORDIAN_SEED").unwrap_or(12), number("GORDIAN_CASES").unwrap_or(120));
    let text = generate::source(seed, cases);
    let program = compile(&text, "brute");
    let mut kinds: BTreeMap<FindingKind, usize> = BTreeMap::new();
    let (mut n_compared, mut n_failed, mut n_safe) = (0, 0, 0);
    for case in (0..cases).filter(|&case| number("GORDIAN_ONLY").is_none_or(|only| only == case)) {
        let all = found_by_dpor(&program, &template(case));
        for (nth, test) in runs(&program, case).into_iter().enumerate() {
            let Some(expected) = brute::findings(&program, &test) else { continue };
            let outcome = predicted(&program, &test, Options::default());
            let found = keys(&outcome);
            n_compared += 1;
            expected.iter().for_each(|(kind, _)| *kinds.entry(*kind).or_default() += 1);
            let missing: Vec<_> = expected.difference(&found).collect();
            let is_atomicity = |key: &&Key| key.0 == FindingKind::Atomicity;
            let extra: Vec<_> = match &all {
                Some((all, _)) => found.difference(all).filter(|key| !is_atomicity(key)).collect(),
                None => Vec::new(),
            };
            n_safe += usize::from(all.as_ref().is_some_and(|(_, is_safe)| *is_safe));
            let undecided: usize =
                outcome.summary.prediction.iter().flat_map(|it| &it.checks).map(|c| c.undecided).sum();
            let not_replayed = outcome.summary.prediction.as_ref().map_or(0, |it| it.not_replayed);
            if !missing.is_empty() || !extra.is_empty() || undecided > 0 || not_replayed > 0 {
                n_failed += 1;
                println!(
                    "seed {seed}, case {case}, run {nth}: missing {missing:?}, extra {extra:?}, undecided {undecided}, not replayed {not_replayed}, notes {:?}\n{:?}\n{}",
                    outcome.summary.notes,
                    outcome.summary.prediction.as_ref().map(|it| &it.checks),
                    generate::excerpt(&text, case)
                );
            }
        }
    }
    println!("{n_compared} compared, {n_safe} of safe programs, {kinds:?}");
    assert_eq!(n_failed, 0, "of {n_compared}");
    if number("GORDIAN_ONLY").is_none() {
        let wanted = [FindingKind::Assertion, FindingKind::Deadlock, FindingKind::DataRace, FindingKind::LostSignal];
        assert!(wanted.iter().all(|kind| kinds.contains_key(kind)), "{kinds:?}");
        assert!(n_compared as u64 > cases / 2, "{n_compared} compared");
    }
}

#[test]
fn without_any_simplification_the_findings_are_the_same() {
    let (seed, cases) = (number("GORDIAN_SEED").unwrap_or(3), number("GORDIAN_CASES").unwrap_or(40));
    let text = generate::source(seed, cases);
    let program = compile(&text, "steps");
    let all = Steps::default();
    let fewer = [
        Steps { local_variables: false, ..all },
        Steps { merging: false, ..all },
        Steps { locks: false, ..all },
        Steps { transactions: false, ..all },
        Steps { local_variables: false, merging: false, locks: false, transactions: false },
    ];
    let (mut n_found, mut n_proved) = (0, 0);
    for case in (0..cases).filter(|&case| number("GORDIAN_ONLY").is_none_or(|only| only == case)) {
        for test in runs(&program, case) {
            let Some(expected) = brute::findings(&program, &test) else { continue };
            let whole = predicted(&program, &test, Options::default());
            n_found += whole.findings.len();
            n_proved += whole.summary.prediction.as_ref().map_or(0, |it| it.regions.proved);
            for steps in fewer {
                let other = predicted(&program, &test, Options { steps, ..Options::default() });
                // What replays show beyond that depends on how they go on. Which of several accesses a violated region is shown with may
                // differ, too; which regions are violated may not.
                let excerpt = generate::excerpt(&text, case);
                let found = keys(&other);
                let missing: Vec<_> = expected.difference(&found).collect();
                assert!(missing.is_empty(), "seed {seed}, case {case}, {steps:?}: {missing:?}\n{excerpt}");
                let violated = |outcome: &Outcome| -> Vec<(u32, u32, bool)> {
                    let regions = outcome.summary.prediction.iter().flat_map(|it| &it.regions.list);
                    regions.map(|it| (it.first_line, it.last_line, it.fate == "violated")).collect()
                };
                assert_eq!(violated(&whole), violated(&other), "seed {seed}, case {case}, {steps:?}\n{excerpt}");
            }
        }
    }
    assert!(n_found > 20 && n_proved > 5 || number("GORDIAN_ONLY").is_some(), "{n_found} findings, {n_proved} proved");
}

#[test]
fn regions_are_violated_where_brute_force_violates_them() {
    let (seed, cases) = (number("GORDIAN_SEED").unwrap_or(5), number("GORDIAN_CASES").unwrap_or(60));
    let text = generate::source(seed, cases);
    let program = compile(&text, "regions");
    let (mut n_violated, mut n_proved, mut n_unviolated) = (0, 0, 0);
    for case in (0..cases).filter(|&case| number("GORDIAN_ONLY").is_none_or(|only| only == case)) {
        for test in runs(&program, case) {
            let options =
                Options { races: false, deadlocks: false, orders: false, decisions: false, ..Options::default() };
            let outcome = predicted(&program, &test, options);
            let Some(prediction) = &outcome.summary.prediction else { continue };
            let lines = prediction.regions.list.iter().map(|region| brute::Lines {
                function: region.function.clone(),
                first: region.first_line,
                last: region.last_line,
            });
            let lines: Vec<brute::Lines> = lines.collect();
            let Some(violated) = brute::violated(&program, &test, &lines) else { continue };
            for (region, is_violated) in prediction.regions.list.iter().zip(violated) {
                let fits = match region.fate.as_str() {
                    // By mutual atomicity alone, perhaps.
                    "violated" | "dropped" => true,
                    _ => !is_violated,
                };
                n_violated += usize::from(is_violated && region.fate == "violated");
                n_proved += usize::from(region.fate == "proved");
                n_unviolated += usize::from(region.fate == "unviolated");
                let excerpt = generate::excerpt(&text, case);
                assert!(fits, "seed {seed}, case {case}: {region:?} is violated: {is_violated}\n{excerpt}");
            }
            let is_shown = prediction.checks.iter().all(|check| check.predicted == check.replayed);
            assert!(is_shown, "seed {seed}, case {case}: {:?}", prediction.checks);
        }
    }
    println!("{n_violated} violated, {n_proved} proved, {n_unviolated} not violated");
    let is_one = number("GORDIAN_ONLY").is_some();
    assert!(is_one || n_violated > 5 && n_proved > 5 && n_unviolated > 5, "{n_violated} {n_proved} {n_unviolated}");
}
