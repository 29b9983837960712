//! Every search against brute force without help (`brute.rs`): the same findings and the same forms of executions.

use crate::brute::{Behaviours, Obstacle, brute_force};
use crate::compare::{Comparison, shuffles, template};
use crate::features::Feature;
use crate::form::{Form, Key};
use crate::generator::Case;
use crate::observe::{search, within};
use crate::remembered::reach;
use gordian_engine::{Settings, Strategy};
use gordian_ir::Program;
use gordian_strategies::{Bounded, Classes, Dpor, DporClassic, Exhaustive, Random, Shortcuts};
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

/// A strategy that explores all there is.
struct Searching {
    name: String,
    make: Box<dyn Fn() -> Box<dyn Strategy>>,
    /// It executes every schedule.
    is_plain: bool,
    /// It is tried with a machine that makes every step, too.
    makes_every_step: bool,
}

impl Searching {
    fn new(name: impl Into<String>, is_plain: bool, make: impl Fn() -> Box<dyn Strategy> + 'static) -> Searching {
        Searching { name: name.into(), make: Box::new(make), is_plain, makes_every_step: true }
    }
}

fn searches() -> Vec<Searching> {
    let mut all = vec![
        Searching::new("exhaustive", true, || Box::new(Exhaustive::default())),
        Searching::new("dpor", false, || Box::new(Dpor::default())),
        Searching::new("dpor-classic", false, || Box::new(DporClassic::default())),
        Searching::new("bounded", false, || Box::new(Bounded::default())),
        Searching::new("classes", true, || Box::new(Classes::default())),
    ];
    for seed in 1..=shuffles() {
        all.push(Searching::new(format!("dpor shuffled by {seed}"), false, move || Box::new(Dpor::shuffled(seed))));
    }
    all.extend(without_shortcuts());
    all
}

/// `dpor` without each of its shortcuts, and without any.
fn without_shortcuts() -> impl Iterator<Item = Searching> {
    Shortcuts::OFF.into_iter().map(|(name, shortcuts)| {
        let make = move || -> Box<dyn Strategy> { Box::new(Dpor::default().with_shortcuts(shortcuts)) };
        Searching { makes_every_step: false, ..Searching::new(format!("dpor without {name}"), false, make) }
    })
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
    match all.obstacle {
        None => {}
        Some(Obstacle::TooManySchedules) => return compare_shortcuts(program, &test, most),
        Some(obstacle) => return Comparison::LeftOut(obstacle.name()),
    }
    test.threads.clone_from(&all.threads);
    for Searching { name, make, is_plain, makes_every_step } in searches() {
        if makes_every_step && let Err(what) = agrees(&made(program, &test, make(), most), &all, is_plain) {
            return Comparison::Different(format!("{name}: {what}"));
        }
        if let Err(what) = agrees(&search_memoised(program, &test, make(), most), &all, is_plain) {
            return Comparison::Different(format!("{name} with memory: {what}"));
        }
    }
    match samples_exist(program, &test, &all) {
        Ok(()) => Comparison::Equal,
        Err(what) => Comparison::Different(what),
    }
}

/// Where there are too many schedules for brute force: `dpor` with and without shortcuts.
fn compare_shortcuts(program: &Program, test: &Test, most: u64) -> Comparison {
    let usual = search_memoised(program, test, Box::new(Dpor::default()), most);
    if usual.stop != Stop::Exhausted {
        return Comparison::LeftOut(Obstacle::TooManySchedules.name());
    }
    for Searching { name, make, .. } in without_shortcuts() {
        let other = search_memoised(program, test, make(), most);
        let is_same = (&other.findings, &other.forms, &other.stop) == (&usual.findings, &usual.forms, &usual.stop);
        if !is_same {
            let numbers = |reach: &Reach| (reach.executions, reach.forms.len(), reach.findings.len());
            let (other, usual) = (numbers(&other), numbers(&usual));
            return Comparison::Different(format!(
                "{name}: executions, behaviours, findings {other:?}, with it {usual:?}"
            ));
        }
    }
    Comparison::LeftOut("too many schedules, but the same with and without shortcuts")
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

fn search_memoised(program: &Program, test: &Test, strategy: Box<dyn Strategy>, most: u64) -> Reach {
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
    let has_ended = match reach.stop {
        // The machine that is watched keeps its doubts to itself, too.
        Stop::Exhausted => !all.is_in_doubt || reach.tells_rest,
        Stop::Unsupported(_) => all.is_in_doubt,
        _ => false,
    };
    if !has_ended {
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
