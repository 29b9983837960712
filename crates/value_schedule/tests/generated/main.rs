//! Value schedules and the explicit-state baseline against brute force on generated C programs: the same findings and the same forms of executions, and for value
//! schedules as many executions as there are traces. The oracle executes every schedule on a fresh machine and knows nothing of dependence; traces are
//! counted by `classes`.
//!
//! `GORDIAN_CASES=500 GORDIAN_SEED=7 cargo test --release -p gordian-value-schedule --test generated` tries other programs and more of them,
//! `GORDIAN_ONLY=12` one of them.

#[path = "../../../strategies/tests/generated/brute.rs"]
#[allow(dead_code, reason = "for other searches")]
mod brute;
#[path = "../../../strategies/tests/generated/features.rs"]
#[allow(dead_code, reason = "only the generator asks for them")]
mod features;
#[path = "../../../strategies/tests/generated/form.rs"]
#[allow(dead_code, reason = "for other searches")]
mod form;
#[path = "../../../strategies/tests/generated/generator.rs"]
#[allow(dead_code, reason = "only some of its cases are used")]
mod generator;
#[path = "../../../strategies/tests/generated/remembered.rs"]
mod remembered;
#[path = "../../../strategies/tests/generated/statements.rs"]
#[allow(dead_code, reason = "only the generator writes them")]
mod statements;

use brute::{Behaviours, brute_force};
use form::{Form, Key};
use generator::{Case, source};
use gordian_analysis::{Analysis, Budget, Filters};
use gordian_base::Rng;
use gordian_engine::{Budget as Runs, Settings, Silent, Strategy};
use gordian_frontend::{Options as Load, load};
use gordian_ir::{FuncId, Program};
use gordian_strategies::{Classes, Dpor, DporClassic, Explicit};
use gordian_trace::{FindingKind, NO_CODE, OpKind, RaceMode, Stop, Summary, Test};
use gordian_value_schedule::{Guide, Options, ValueSchedule};
use remembered::reach;
use std::collections::BTreeSet;
use std::path::Path;

/// Programs with more schedules are left out.
const SCHEDULES: u64 = 1_500;

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).ok().map_or(otherwise, |text| text.parse().expect("a number"))
}

fn settings() -> Settings {
    Settings { budget: Runs { runs: Some(20 * SCHEDULES), time: None }, ..Settings::default() }
}

/// With all techniques, and without one of them; which one depends on the program.
fn variants(nth: u64) -> [(&'static str, Options); 2] {
    let all = Options::default();
    let without = [
        ("without accessibility", Options { accessibility: false, ..all }),
        ("without refinement", Options { refinement: false, ..all }),
        ("without priorities", Options { priorities: false, ..all }),
    ];
    [("all", all), without[nth as usize % without.len()]]
}

/// How many traces there are, counted without reduction.
fn n_traces(program: &Program, test: &Test) -> usize {
    let mut classes = Classes::default();
    gordian_engine::check(program, test, &mut classes, &settings(), &mut Silent).expect("it can be set up");
    classes.complete().len()
}

fn differs(name: &str, findings: &BTreeSet<Key>, all: &BTreeSet<Key>) -> Result<(), String> {
    let missed: Vec<&Key> = all.difference(findings).collect();
    let invented: Vec<&Key> = findings.difference(all).collect();
    if missed.is_empty() && invented.is_empty() {
        return Ok(());
    }
    Err(format!("{name}: misses the findings {missed:?}, has others {invented:?}"))
}

/// What is compared with: a program, every behaviour of it, and what `dpor` makes of it.
struct Known<'a> {
    nth: u64,
    program: &'a Program,
    test: &'a Test,
    all: &'a Behaviours,
    usual: Summary,
}

fn compare_value_schedules(known: &Known<'_>) -> Result<u64, String> {
    let &Known { nth, program, test, all, .. } = known;
    // A strategy that borrows nothing is wanted, and programs are small.
    let program: &'static Program = Box::leak(Box::new(program.clone()));
    let analysis: &'static Analysis<'static> =
        Box::leak(Box::new(Analysis::of(program, Budget::default()).expect("it has a main function")));
    let forms: BTreeSet<Form> = all.forms.iter().map(Form::without_rest).collect();
    let usual = known.usual.executions;
    for (name, options) in variants(nth) {
        let guide = Guide::new(analysis, Filters::default(), None).expect("there is no focus");
        let strategy: Box<dyn Strategy> = Box::new(ValueSchedule::new(guide, options));
        let reached = reach(program, test, strategy, &settings());
        let summary = &reached.outcome.summary;
        if summary.stop != Stop::Exhausted {
            return Err(format!("{name}: stopped: {:?}", summary.stop));
        }
        differs(name, &reached.findings, &all.findings)?;
        if reached.forms != forms {
            let (n, of) = (reached.forms.len(), forms.len());
            return Err(format!("{name}: {n} forms of executions, and there are {of}"));
        }
        if summary.executions != usual {
            return Err(format!("{name}: {} executions, and dpor makes {usual}", summary.executions));
        }
    }
    let traces = n_traces(program, test) as u64;
    if !all.is_cut_short && traces != usual {
        return Err(format!("{usual} executions of {traces} traces"));
    }
    Ok(usual)
}

/// What an execution did besides what needs no scheduling point, which is no event of a machine that uses facts.
fn without_invisible(program: &Program, form: &Form) -> Form {
    let kinds = [OpKind::Read, OpKind::Write, OpKind::Lock, OpKind::Unlock].map(|kind| kind as u8);
    let is_access = |kind: u8| kinds.contains(&kind);
    let is_invisible = |seen: &form::Seen| {
        let at = seen.1;
        is_access(seen.0) && at != NO_CODE && program.invisible.at(FuncId(at.function), at.pc).is_some()
    };
    let keep = |seen: &Vec<form::Seen>| seen.iter().filter(|seen| !is_invisible(seen)).copied().collect();
    let mut threads: Vec<Vec<form::Seen>> = form.threads.iter().map(keep).collect();
    // A thread of which nothing is left is not known to the other machine, if it is the last.
    while threads.last().is_some_and(Vec::is_empty) {
        threads.pop();
    }
    Form { threads, ..form.without_rest() }
}

/// `dpor` with static facts: the same executions, with fewer steps. Gives how many steps there are fewer.
fn compare_facts(known: &Known<'_>) -> Result<u64, String> {
    let Known { nth, program, test, all, usual } = known;
    let analysis = Analysis::of(program, Budget::default()).expect("it has a main function");
    let proved = Program { invisible: analysis.invisible(), ..(*program).clone() };
    if proved.invisible.is_empty() {
        return Ok(0);
    }
    let mut with: Test = (*test).clone();
    with.machine.facts = true;
    let forms: BTreeSet<Form> = all.forms.iter().map(|form| without_invisible(&proved, form)).collect();
    let mut strategies: Vec<Box<dyn Strategy>> = vec![Box::new(Dpor::default())];
    if nth.is_multiple_of(3) {
        strategies.push(Box::new(DporClassic::default()));
    }
    let mut steps = usual.steps;
    for strategy in strategies {
        let is_optimal = strategy.exploration().strategy == "dpor";
        let reached = reach(&proved, &with, strategy, &settings());
        let summary = &reached.outcome.summary;
        if summary.stop != Stop::Exhausted {
            return Err(format!("facts: stopped: {:?}", summary.stop));
        }
        differs("facts", &reached.findings, &all.findings)?;
        let reached: BTreeSet<Form> = reached.forms.iter().map(|form| without_invisible(&proved, form)).collect();
        if reached != forms {
            return Err(format!("facts: {} forms of executions, and there are {}", reached.len(), forms.len()));
        }
        // A failure ends an execution wherever the others are by then.
        if is_optimal && !all.is_cut_short && summary.executions != usual.executions {
            return Err(format!("facts: {} executions, and without {}", summary.executions, usual.executions));
        }
        if is_optimal {
            steps = summary.steps;
        }
    }
    if !all.is_cut_short && steps > usual.steps {
        return Err(format!("facts: {steps} steps, and without {}", usual.steps));
    }
    Ok(usual.steps.saturating_sub(steps))
}

/// Failures that are a matter of the state alone.
fn compare_explicit(program: &Program, test: &Test, all: &Behaviours) -> Result<(), String> {
    let mut test = test.clone();
    test.machine.races = RaceMode::Ignore;
    let outcome = gordian_engine::check(program, &test, &mut Explicit::default(), &settings(), &mut Silent);
    let outcome = outcome.expect("it can be set up");
    if outcome.summary.stop != Stop::Exhausted {
        return Err(format!("explicit: stopped: {:?}", outcome.summary.stop));
    }
    let key = |found: &gordian_engine::Found| found.finding.key();
    let is_of_state = |key: &Key| key.0 != FindingKind::DataRace;
    let found: BTreeSet<Key> = outcome.findings.iter().map(key).collect();
    differs("explicit", &found, &all.findings.iter().filter(|key| is_of_state(key)).cloned().collect())
}

#[test]
fn generated_programs_are_explored_as_by_brute_force() {
    let (cases, seed) = (number("GORDIAN_CASES", 40), number("GORDIAN_SEED", 1));
    let only = number("GORDIAN_ONLY", u64::MAX);
    let (mut compared, mut n_executions, mut n_saved, mut wrong) = (0, 0, 0, Vec::new());
    for nth in (0..cases).filter(|nth| only == u64::MAX || only == *nth) {
        let mut rng = Rng::stream(seed, nth);
        let kinds = [Case::random, Case::deciding, Case::waiting, Case::locking, Case::writing];
        let case = kinds[rng.below(kinds.len())](&mut rng);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("value_schedule_{nth}.c"));
        std::fs::write(&path, source(std::slice::from_ref(&case))).expect("cargo's folder for tests can be written to");
        let program = load(std::slice::from_ref(&path), &Load::default()).expect("generated programs compile");
        let mut test = gordian_engine::toy::template();
        test.program.files.clear();
        test.arguments = vec!["0".to_owned()];
        test.machine.max_steps = 300;
        test.machine.weak_cas_fails = case.weak_cas_fails;
        test.machine.spurious_wakeups = case.spurious_wakeups;
        test.machine.races = if case.races { RaceMode::Report } else { RaceMode::Ignore };
        let all = brute_force(&program, &test, SCHEDULES);
        if all.obstacle.is_some() {
            continue;
        }
        test.threads.clone_from(&all.threads);
        let usual = reach(&program, &test, Box::new(Dpor::default()), &settings()).outcome.summary;
        let known = Known { nth, program: &program, test: &test, all: &all, usual };
        let result = compare_value_schedules(&known);
        let result = result.and_then(|n| compare_explicit(&program, &test, &all).map(|()| n));
        match result.and_then(|n| Ok((n, compare_facts(&known)?))) {
            Ok((executions, saved)) => {
                compared += 1;
                n_executions += executions;
                n_saved += saved;
            }
            Err(what) => wrong.push(format!("case {nth}: {what}\n{}", source(std::slice::from_ref(&case)))),
        }
    }
    println!("{compared} of {cases} programs compared, {n_executions} executions; facts save {n_saved} steps");
    assert!(wrong.is_empty(), "{} differ, seed {seed}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(only != u64::MAX || compared * 3 > cases, "most programs are too large to compare");
    assert!(only != u64::MAX || n_saved > 0, "static facts are of no use");
}
