//! Every search against brute force without help (`brute.rs`): the same findings and the same forms of executions.

use crate::brute::{Behaviours, brute_force};
use crate::compare::{Comparison, shuffles, template};
use crate::features::Feature;
use crate::form::{Form, Key};
use crate::generator::Case;
use crate::observe::{search, within};
use crate::remembered::reach;
use gordian_engine::{Settings, Strategy};
use gordian_ir::Program;
use gordian_strategies::{Bounded, Classes, Dpor, DporClassic, Exhaustive, Random};
use gordian_trace::{Stop, Test, Verdict};
use std::collections::BTreeSet;

/// Cases with more schedules are left out.
const SCHEDULES: u64 = 1_000;

/// Steps of one execution, which a loop of hundreds of steps or a crowd of threads must not exceed.
const STEPS: u64 = 3_000;

pub fn schedules() -> u64 {
    crate::number("GORDIAN_SCHEDULES", SCHEDULES)
}

/// A search by name: what it reached, and whether it saw all that a machine tells which makes every step.
struct Reach {
    findings: BTreeSet<Key>,
    forms: BTreeSet<Form>,
    executions: u64,
    stop: Stop,
    verdict: Verdict,
    tells_rest: bool,
}

/// How a strategy is made.
type Make = Box<dyn Fn() -> Box<dyn Strategy>>;

/// Every strategy that explores all there is, by name, and whether it executes every schedule.
fn searches() -> Vec<(String, Make, bool)> {
    let mut all: Vec<(String, Make, bool)> = vec![
        ("exhaustive".to_owned(), Box::new(|| Box::new(Exhaustive::default())), true),
        ("dpor".to_owned(), Box::new(|| Box::new(Dpor::default())), false),
        ("dpor-classic".to_owned(), Box::new(|| Box::new(DporClassic::default())), false),
        ("bounded".to_owned(), Box::new(|| Box::new(Bounded::default())), false),
        ("classes".to_owned(), Box::new(|| Box::new(Classes::default())), true),
    ];
    for seed in 1..=shuffles() {
        all.push((format!("dpor, shuffled by {seed}"), Box::new(move || Box::new(Dpor::shuffled(seed))), false));
    }
    all
}

/// Compares all strategies; `nth` is where the case stands in the program.
pub fn compare_all_strategies(program: &Program, case: &Case, nth: usize) -> Comparison {
    let mut test = template(case, nth);
    test.machine.max_steps = STEPS;
    // A crowd of threads makes every execution long.
    let most = if case.features.contains(&Feature::ManyThreads) { schedules() / 5 } else { schedules() };
    compare_program(program, &test, most)
}

/// Of programs with up to so many schedules.
pub fn compare_program(program: &Program, test: &Test, most: u64) -> Comparison {
    let mut test = test.clone();
    let all = brute_force(program, &test, most);
    if let Some(obstacle) = all.obstacle {
        return Comparison::LeftOut(obstacle.name());
    }
    test.threads.clone_from(&all.threads);
    for (name, make, is_plain) in searches() {
        for makes_every_step in [true, false] {
            let how = if makes_every_step { "" } else { ", with memory" };
            let reach =
                if makes_every_step { made(program, &test, make(), most) } else { told(program, &test, make(), most) };
            if let Err(what) = agrees(&reach, &all, is_plain) {
                return Comparison::Different(format!("{name}{how}: {what}"));
            }
        }
    }
    match samples_exist(program, &test, &all) {
        Ok(()) => Comparison::Equal,
        Err(what) => Comparison::Different(what),
    }
}

fn made(program: &Program, test: &Test, strategy: Box<dyn Strategy>, most: u64) -> Reach {
    let search = search(program, test, strategy, 8 * most, false);
    let summary = search.outcome.summary;
    Reach {
        findings: search.findings,
        forms: search.forms,
        executions: summary.executions + summary.blocked,
        stop: summary.stop,
        verdict: summary.verdict,
        tells_rest: true,
    }
}

fn told(program: &Program, test: &Test, strategy: Box<dyn Strategy>, most: u64) -> Reach {
    let reached = reach(program, test, strategy, &Settings { budget: within(8 * most), ..Settings::default() });
    let summary = reached.outcome.summary;
    Reach {
        findings: reached.findings,
        forms: reached.forms,
        executions: summary.executions + summary.blocked,
        stop: summary.stop,
        verdict: summary.verdict,
        tells_rest: false,
    }
}

fn agrees(reach: &Reach, all: &Behaviours, is_plain: bool) -> Result<(), String> {
    if reach.stop != Stop::Exhausted {
        return Err(format!("stopped: {:?}", reach.stop));
    }
    if reach.findings != all.findings {
        let missed: Vec<_> = all.findings.difference(&reach.findings).collect();
        let invented: Vec<_> = reach.findings.difference(&all.findings).collect();
        return Err(format!("misses the findings {missed:?}, has others {invented:?}"));
    }
    // The machine that is watched keeps its findings to itself, so its verdict says nothing.
    if !reach.tells_rest && (reach.verdict == Verdict::Bug) == all.findings.is_empty() {
        return Err(format!("concludes {:?}", reach.verdict));
    }
    let forms: BTreeSet<Form> =
        if reach.tells_rest { all.forms.clone() } else { all.forms.iter().map(Form::without_rest).collect() };
    if reach.forms != forms {
        let missed: Vec<&Form> = forms.difference(&reach.forms).collect();
        let invented: Vec<&Form> = reach.forms.difference(&forms).collect();
        let example = missed.first().or(invented.first());
        let (n_missed, n_invented) = (missed.len(), invented.len());
        return Err(format!("misses {n_missed} of {} behaviours, has {n_invented} others: {example:?}", forms.len()));
    }
    if is_plain && reach.executions != all.executions {
        return Err(format!("{} executions of {} schedules", reach.executions, all.executions));
    }
    if reach.executions < forms.len() as u64 {
        return Err(format!("{} executions cannot show {} behaviours", reach.executions, forms.len()));
    }
    Ok(())
}

/// What a random walk does is among what brute force does.
fn samples_exist(program: &Program, test: &Test, all: &Behaviours) -> Result<(), String> {
    let forms: BTreeSet<Form> = all.forms.iter().map(Form::without_rest).collect();
    let settings = Settings { budget: within(40), ..Settings::default() };
    let walks = reach(program, test, Box::new(Random::new(1)), &settings);
    if let Some(form) = walks.forms.difference(&forms).next() {
        return Err(format!("random: does what no schedule does: {form:?}"));
    }
    if let Some(finding) = walks.findings.difference(&all.findings).next() {
        return Err(format!("random: finds what no schedule shows: {finding:?}"));
    }
    Ok(())
}
