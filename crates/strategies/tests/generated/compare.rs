//! What must hold between brute force and a reduction.

use crate::generator::Case;
use crate::observe::{Search, search, search_observing, within};
use crate::{memory, workers};
use gordian_engine::{Settings, Strategy};
use gordian_ir::Program;
use gordian_strategies::{Bounded, Dpor, DporClassic, DporObserving, DporTeam, Exhaustive, Observers, Random};
use gordian_trace::{Bound, FORMAT_VERSION, ProgramSource, RaceMode, Schedule, Stop, Test};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Cases with more schedules are left out.
const SCHEDULES: u64 = 3_000;

fn schedules() -> u64 {
    crate::number("GORDIAN_SCHEDULES", SCHEDULES)
}
/// Orders in which `dpor` is made to go on besides its own.
pub fn shuffles() -> u64 {
    crate::number("GORDIAN_SHUFFLES", 3)
}

pub enum Comparison {
    Equal,
    /// Cannot be compared, and why.
    LeftOut(&'static str),
    /// Agrees, but without what was to be tried.
    Refused(String),
    Different(String),
}

pub type Compare = fn(&Program, &Case, usize) -> Comparison;

pub fn template(case: &Case, nth: usize) -> Test {
    let mut test = Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: vec![nth.to_string()],
        environment: Vec::new(),
        stdin: String::new(),
        sources: Vec::new(),
        machine: Default::default(),
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    };
    test.machine.max_steps = 200;
    test.machine.separate_failures = true;
    test.machine.weak_cas_fails = case.weak_cas_fails;
    test.machine.spurious_wakeups = case.spurious_wakeups;
    test.machine.races = if case.races { RaceMode::Report } else { RaceMode::Ignore };
    test
}

/// `nth` is where the case stands in the program.
pub fn compare(program: &Program, case: &Case, nth: usize) -> Comparison {
    compare_traces(program, &template(case, nth), SCHEDULES)
}

/// As [`compare`], of programs with up to so many schedules.
pub fn compare_small(program: &Program, test: &Test, most: u64) -> Comparison {
    let all = search(program, test, Box::new(Exhaustive::default()), most, false);
    match all.outcome.summary.stop {
        // To count the schedules of a trace may take long where there are many.
        Stop::Runs => Comparison::LeftOut("too many schedules"),
        _ => compare_traces(program, test, most),
    }
}

fn compare_traces(program: &Program, test: &Test, most: u64) -> Comparison {
    let mut test = test.clone();
    let oracle = search(program, &test, Box::new(Exhaustive::default()), most, true);
    match &oracle.outcome.summary.stop {
        Stop::Exhausted => {}
        Stop::Runs => return Comparison::LeftOut("too many schedules"),
        Stop::Unsupported(_) => return Comparison::LeftOut("unsupported"),
        _ => return Comparison::LeftOut("stopped otherwise"),
    }
    if !oracle.outcome.summary.bounds.hit.is_empty() {
        return Comparison::LeftOut("bounds hit");
    }
    if oracle.only.is_some() || oracle.traces.is_empty() {
        return Comparison::LeftOut("no choice");
    }
    if let Err(what) = valid(&oracle) {
        return Comparison::Different(format!("brute force: {what}"));
    }
    // The numbers of threads whose creators were created themselves come from the first execution.
    test.threads.clone_from(&oracle.threads);
    let limit = 4 * most;
    let optimal = search(program, &test, Box::new(Dpor::default()), limit, false);
    if let Err(what) = covers(&optimal, &oracle).and_then(|()| once(&optimal, &oracle)) {
        return Comparison::Different(format!("dpor: {what}"));
    }
    count_redundant(&optimal, &oracle);
    // In whichever order it goes on, it must reach the same.
    for seed in 0..shuffles() {
        let shuffled = search(program, &test, Box::new(Dpor::shuffled(seed)), limit, false);
        if let Err(what) = covers(&shuffled, &oracle).and_then(|()| once(&shuffled, &oracle)) {
            return Comparison::Different(format!("dpor, shuffled by {seed}: {what}"));
        }
    }
    let classic = search(program, &test, Box::new(DporClassic::default()), limit, false);
    if let Err(what) = covers(&classic, &oracle) {
        return Comparison::Different(format!("dpor-classic: {what}"));
    }
    Comparison::Equal
}

/// Larger cases, for `dpor` alone.
pub fn compare_deciding(program: &Program, case: &Case, nth: usize) -> Comparison {
    let mut test = template(case, nth);
    let oracle = search(program, &test, Box::new(Exhaustive::default()), 4 * SCHEDULES, false);
    if oracle.outcome.summary.stop != Stop::Exhausted || oracle.traces.is_empty() {
        return Comparison::LeftOut("too many schedules, or no choice");
    }
    test.threads.clone_from(&oracle.threads);
    for seed in 0..=shuffles() {
        let dpor = if seed == 0 { Dpor::default() } else { Dpor::shuffled(seed) };
        let reduced = search(program, &test, Box::new(dpor), 4 * SCHEDULES, false);
        let result = covers(&reduced, &oracle).and_then(|()| once(&reduced, &oracle));
        if let Err(what) = result.and_then(|()| none_redundant(&reduced, &oracle)) {
            return Comparison::Different(format!("dpor: {what}, shuffled by {seed}"));
        }
    }
    Comparison::Equal
}

/// Several workers, for whom nothing goes in order, against one.
pub fn compare_workers(program: &Program, case: &Case, nth: usize) -> Comparison {
    let (mut test, settings) = (template(case, nth), Settings::default());
    test.machine.symbolic = true;
    let Some(alone) = workers::one(program, &test, &settings, SCHEDULES) else {
        return Comparison::LeftOut("too many executions");
    };
    if alone.hits_bounds() {
        return Comparison::LeftOut("bounds hit");
    }
    for (n, every) in [(1, 1), (2, 1), (3, 2), (4, 7)] {
        match workers::several(program, &test, &settings, &DporTeam::sharing_every(every), n) {
            None => return Comparison::LeftOut("for one worker"),
            Some(together) if !together.is_as(&alone) => {
                return Comparison::Different(format!(
                    "{n} workers that share every {every}: {together:?} and one: {alone:?}"
                ));
            }
            Some(_) => {}
        }
    }
    Comparison::Equal
}

/// Memoised steps against steps that are made.
pub fn compare_memory(program: &Program, case: &Case, nth: usize) -> Comparison {
    compare_memoised(program, &template(case, nth), SCHEDULES)
}

/// The same for up to so many executions.
pub fn compare_memoised(program: &Program, test: &Test, runs: u64) -> Comparison {
    type Make = fn() -> Box<dyn Strategy>;
    let strategies: [(&str, Make); 4] = [
        ("dpor", || Box::new(Dpor::default())),
        ("dpor, shuffled", || Box::new(Dpor::shuffled(1))),
        ("exhaustive", || Box::new(Exhaustive::default())),
        ("random", || Box::new(Random::new(1))),
    ];
    for (name, strategy) in strategies {
        let [memoised, made] = [false, true].map(|makes| memory::search(program, test, strategy(), runs, makes));
        if !memoised.is_as(&made) {
            let (memoised, made) = (memoised.outcome.summary, made.outcome.summary);
            return Comparison::Different(format!("{name}: memoised {memoised:?} and made {made:?}"));
        }
    }
    Comparison::Equal
}

/// Few preemptions, each state once, against every schedule with so few.
pub fn compare_bounded(program: &Program, case: &Case, nth: usize) -> Comparison {
    let mut test = template(case, nth);
    let mut all = None;
    for preemptions in [None, Some(0), Some(1), Some(2)] {
        let settings = Settings { budget: within(SCHEDULES), preemptions, ..Settings::default() };
        let go = |test: &Test, strategy: Box<dyn Strategy>| {
            search_observing(program, test, strategy, &settings, false, Observers::Unused)
        };
        let oracle = go(&test, Box::<Exhaustive>::default());
        if oracle.outcome.summary.stop != Stop::Exhausted || oracle.traces.is_empty() {
            return Comparison::LeftOut("too many schedules, or no choice");
        }
        test.threads.clone_from(&oracle.threads);
        let reduced = go(&test, Box::<Bounded>::default());
        let is_cut = |search: &Search| search.outcome.summary.bounds.hit.contains(&Bound::Preemptions);
        // Where each state can be reached with few preemptions, nothing is cut off that was not reached otherwise.
        let expected = all.as_ref().filter(|_| !is_cut(&reduced)).unwrap_or(&oracle);
        if reduced.findings != expected.findings
            || reduced.states() != expected.states()
            || reduced.outputs != expected.outputs
            || is_cut(&reduced) && !is_cut(&oracle)
            || reduced.outcome.summary.executions > oracle.outcome.summary.executions
        {
            let (reduced, oracle) = (reduced.outcome.summary, oracle.outcome.summary);
            return Comparison::Different(format!("{preemptions:?} preemptions: {reduced:?} and not {oracle:?}"));
        }
        all.get_or_insert(oracle);
    }
    Comparison::Equal
}

/// A search that was split, against one in one piece.
pub fn compare_split(program: &Program, case: &Case, nth: usize) -> Comparison {
    let (mut test, settings) = (template(case, nth), Settings::default());
    test.machine.races = RaceMode::Ignore;
    compare_halves(program, &test, &settings, SCHEDULES)
}

/// Of programs with up to so many executions.
pub fn compare_halves(program: &Program, test: &Test, settings: &Settings, most: u64) -> Comparison {
    let Some(alone) = workers::one(program, test, settings, most) else {
        return Comparison::LeftOut("too many executions");
    };
    let mut compared = false;
    for (n, after) in [(1, most), (2, most), (1, 1), (2, 3)] {
        let Some(split) = workers::split(program, test, settings, after, n) else { continue };
        compared = true;
        if !split.is_as(&alone) || split.has_more_redundant(&alone) {
            return Comparison::Different(format!("split after {after}, {n} workers: {split:?} and one: {alone:?}"));
        }
    }
    if compared { Comparison::Equal } else { Comparison::Refused("not to be split".to_owned()) }
}

/// Writes that nobody reads are not ordered: the same findings, the same values read, the same ends.
pub fn compare_observers(program: &Program, case: &Case, nth: usize) -> Comparison {
    compare_observed(program, &template(case, nth), schedules())
}

/// Of programs with up to so many schedules.
pub fn compare_observed(program: &Program, test: &Test, most: u64) -> Comparison {
    let mut test = test.clone();
    let observers = if test.machine.races == RaceMode::Ignore { Observers::All } else { Observers::Atomic };
    let up_to = |runs| Settings { budget: within(runs), ..Settings::default() };
    let oracle = search_observing(program, &test, Box::new(Exhaustive::default()), &up_to(most), false, observers);
    match &oracle.outcome.summary.stop {
        Stop::Exhausted => {}
        Stop::Runs => return Comparison::LeftOut("too many schedules"),
        _ => return Comparison::LeftOut("stopped otherwise"),
    }
    if !oracle.outcome.summary.bounds.hit.is_empty() || oracle.only.is_some() || oracle.traces.is_empty() {
        return Comparison::LeftOut("bounds hit, or no choice");
    }
    test.threads.clone_from(&oracle.threads);
    let mut why = None;
    for seed in 0..=shuffles() {
        let observing =
            if seed == 0 { DporObserving::new(observers) } else { DporObserving::shuffled(observers, seed) };
        let reduced = search_observing(program, &test, Box::new(observing), &up_to(4 * most), false, observers);
        let notes = &reduced.outcome.summary.notes;
        why = notes.iter().find_map(|note| note.strip_prefix("observers not used: ")).map(str::to_owned);
        if let Err(what) = covers_observed(&reduced, &oracle) {
            return Comparison::Different(format!("observers: {what}, shuffled by {seed}"));
        }
        if why.is_none() {
            count_observed(&reduced, &oracle);
        }
    }
    why.map_or(Comparison::Equal, Comparison::Refused)
}

fn covers_observed(reduced: &Search, oracle: &Search) -> Result<(), String> {
    if reduced.outcome.summary.stop != Stop::Exhausted {
        return Err(format!("stopped: {:?}", reduced.outcome.summary.stop));
    }
    if let Some(class) = oracle.observed.values().find(|behaviours| behaviours.len() > 1) {
        return Err(format!("brute force: one trace, {} behaviours", class.len()));
    }
    if reduced.findings != oracle.findings {
        let missed: Vec<_> = oracle.findings.difference(&reduced.findings).collect();
        let invented: Vec<_> = reduced.findings.difference(&oracle.findings).collect();
        return Err(format!("misses the findings {missed:?}, has others {invented:?}"));
    }
    if reduced.outputs != oracle.outputs || reduced.states() != oracle.states() {
        return Err(format!("ends with {:?} and not with {:?}", reduced.outputs, oracle.outputs));
    }
    let missed = oracle.behaviours.difference(&reduced.behaviours).count();
    if missed > 0 || reduced.behaviours.len() != oracle.behaviours.len() {
        return Err(format!("misses {missed} of {} behaviours", oracle.behaviours.len()));
    }
    let missed = oracle.observed.keys().filter(|class| !reduced.observed.contains_key(class)).count();
    if missed > 0 {
        return Err(format!("misses {missed} of {} traces with observers", oracle.observed.len()));
    }
    Ok(())
}

/// Traces so far, and executions of `dpor` that were redundant, where no failure ended one.
static REDUNDANT: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

pub fn redundant() -> [usize; 2] {
    REDUNDANT.each_ref().map(|number| number.load(Ordering::Relaxed))
}

fn count_redundant(reduced: &Search, oracle: &Search) {
    if !oracle.is_cut_short() {
        REDUNDANT[0].fetch_add(oracle.traces.len(), Ordering::Relaxed);
        REDUNDANT[1].fetch_add(reduced.outcome.summary.blocked as usize, Ordering::Relaxed);
    }
}

/// Executions with observers so far, and the traces that they had to reach, where no failure ended one.
static OBSERVED: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

pub fn observed() -> [usize; 2] {
    OBSERVED.each_ref().map(|number| number.load(Ordering::Relaxed))
}

fn count_observed(reduced: &Search, oracle: &Search) {
    if !oracle.is_cut_short() {
        OBSERVED[0].fetch_add(reduced.outcome.summary.executions as usize, Ordering::Relaxed);
        OBSERVED[1].fetch_add(oracle.observed.len(), Ordering::Relaxed);
    }
}

/// Executions with symmetric threads in one order so far, and the traces in that order.
static ORDERED: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];

pub fn ordered() -> [usize; 2] {
    ORDERED.each_ref().map(|number| number.load(Ordering::Relaxed))
}

pub fn compare_symmetric(program: &Program, case: &Case, nth: usize) -> Comparison {
    compare_orbits(program, &template(case, nth))
}

/// Symmetric threads in one order: other names for the threads of what was executed give all that brute force executed.
pub fn compare_orbits(program: &Program, test: &Test) -> Comparison {
    let mut test = test.clone();
    let oracle = search(program, &test, Box::new(Exhaustive::default()), 2 * SCHEDULES, false);
    match &oracle.outcome.summary.stop {
        Stop::Exhausted => {}
        Stop::Runs => return Comparison::LeftOut("too many schedules"),
        _ => return Comparison::LeftOut("stopped otherwise"),
    }
    if !oracle.outcome.summary.bounds.hit.is_empty() || oracle.traces.is_empty() {
        return Comparison::LeftOut("bounds hit, or no choice");
    }
    test.threads.clone_from(&oracle.threads);
    let unreduced = search(program, &test, Box::new(Dpor::default()), 8 * SCHEDULES, false);
    if let Err(what) = covers(&unreduced, &oracle) {
        return Comparison::Different(format!("dpor: {what}"));
    }
    let mut why = None;
    for seed in 0..=shuffles() {
        let dpor = if seed == 0 { Dpor::default() } else { Dpor::shuffled(seed) };
        let reduced = search(program, &test, Box::new(dpor.with_symmetry(None)), 8 * SCHEDULES, false);
        let notes = &reduced.outcome.summary.notes;
        why = notes.iter().find_map(|note| note.strip_prefix("symmetry not used: ")).map(str::to_owned);
        let result = covers_orbits(&reduced, &oracle, why.is_some()).and_then(|()| {
            if why.is_some() || oracle.is_cut_short() { Ok(()) } else { in_order(&reduced, &unreduced, &oracle) }
        });
        if let Err(what) = result {
            return Comparison::Different(format!("symmetry: {what}, shuffled by {seed}"));
        }
    }
    why.map_or(Comparison::Equal, Comparison::Refused)
}

fn covers_orbits(reduced: &Search, oracle: &Search, refused: bool) -> Result<(), String> {
    if reduced.outcome.summary.stop != Stop::Exhausted {
        return Err(format!("stopped: {:?}", reduced.outcome.summary.stop));
    }
    if reduced.findings != oracle.findings {
        let missed: Vec<_> = oracle.findings.difference(&reduced.findings).collect();
        let invented: Vec<_> = reduced.findings.difference(&oracle.findings).collect();
        return Err(format!("misses the findings {missed:?}, has others {invented:?}"));
    }
    // What threads print may tell their names, but these programs do not print any.
    if reduced.outputs != oracle.outputs {
        return Err(format!("ends with {:?} and not with {:?}", reduced.outputs, oracle.outputs));
    }
    let ours = if refused { &reduced.named } else { &reduced.orbits };
    if ours != &oracle.named {
        let (missed, invented) = (oracle.named.difference(ours).count(), ours.difference(&oracle.named).count());
        return Err(format!("misses {missed} of {} traces, invents {invented}", oracle.named.len()));
    }
    Ok(())
}

/// An execution for each trace in which threads that could change names go on in their order, and no more than `dpor` makes. Nearly always there is one for
/// each: where a step goes several ways, a thread may overtake another that goes one of the others later.
fn in_order(reduced: &Search, unreduced: &Search, oracle: &Search) -> Result<(), String> {
    let [executions, all] = [reduced, unreduced].map(|search| search.outcome.summary.executions as usize);
    let (wanted, least) = (oracle.in_order.len(), oracle.representatives.len());
    ORDERED[0].fetch_add(executions, Ordering::Relaxed);
    ORDERED[1].fetch_add(wanted, Ordering::Relaxed);
    if !(wanted..=all).contains(&executions) || wanted < least {
        let different = reduced.named.len();
        return Err(format!(
            "{executions} executions, {different} different, for {wanted} traces in order, {least} up to names, {all} in all"
        ));
    }
    Ok(())
}

/// Steps that do not depend on each other commute: every order of them is possible and leads to the same end.
fn valid(oracle: &Search) -> Result<(), String> {
    for (_, trace) in oracle.complete() {
        if let Some(other) = &trace.contradiction {
            return Err(format!("one trace, two endings: {:?} and {other:?}", trace.ending));
        }
        if trace.executions != trace.schedules {
            let (executed, all) = (trace.executions, trace.schedules);
            return Err(format!("{executed} of {all} schedules of a trace exist, which ends in {:?}", trace.ending));
        }
    }
    Ok(())
}

/// Nothing that brute force does is missing.
fn covers(reduced: &Search, oracle: &Search) -> Result<(), String> {
    if reduced.outcome.summary.stop != Stop::Exhausted {
        return Err(format!("stopped: {:?}", reduced.outcome.summary.stop));
    }
    if reduced.findings != oracle.findings {
        let missed: Vec<_> = oracle.findings.difference(&reduced.findings).collect();
        let invented: Vec<_> = reduced.findings.difference(&oracle.findings).collect();
        return Err(format!("misses the findings {missed:?}, has others {invented:?}"));
    }
    let traces = |search: &Search| search.complete().map(|(&class, _)| class).collect::<BTreeSet<_>>();
    let (ours, all) = (traces(reduced), traces(oracle));
    if reduced.states() != oracle.states() {
        let missed: Vec<_> = all.difference(&ours).map(|class| &oracle.traces[class].ending).collect();
        return Err(format!(
            "other states: {} and not {}; missed {missed:?}",
            reduced.states().len(),
            oracle.states().len()
        ));
    }
    if ours != all {
        let missed = all.difference(&ours).next().map(|class| &oracle.traces[class].steps);
        return Err(format!("other traces: {} and not {}; misses {missed:?}", ours.len(), all.len()));
    }
    Ok(())
}

/// No execution is redundant, for programs without waiting loops.
fn none_redundant(reduced: &Search, oracle: &Search) -> Result<(), String> {
    match reduced.outcome.summary.blocked {
        blocked if blocked > 0 && !oracle.is_cut_short() => Err(format!("{blocked} redundant executions")),
        _ => Ok(()),
    }
}

/// Nothing is done twice. Failures that end an execution excuse that: how much of the others came before does not matter.
/// Redundant executions, which the strategy itself gives up, cost time and no truth; here there may be some, where several
/// steps could each have let a waiting thread go on. The ordinary programs of `programs.rs` have none.
fn once(reduced: &Search, oracle: &Search) -> Result<(), String> {
    if oracle.is_cut_short() {
        return Ok(());
    }
    let executions = reduced.outcome.summary.executions;
    let traces = oracle.traces.len() as u64;
    if executions != traces {
        return Err(format!("{executions} executions for {traces} traces"));
    }
    Ok(())
}
