//! Generated programs: with so many interferences the search goes the branches and finds the failures that brute force does in
//! executions with as many at most, and calls nothing safe that fails. `GORDIAN_SEED`, `GORDIAN_CASES` and `GORDIAN_ONLY` choose others.

mod brute;
mod generator;

use brute::{Brute, brute_force};
use gordian_engine::{Outcome, Settings, Silent};
use gordian_interference::{Options, check};
use gordian_ir::Program;
use gordian_trace::{Bound, BranchPlace, FindingKind, RaceMode, Test, Verdict};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Programs that were called safe.
static SAFE: AtomicUsize = AtomicUsize::new(0);

/// Cases with more executions are left out.
const EXECUTIONS: usize = 3_000;
const MOST_INTERFERENCES: u32 = 3;

fn number(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name} is no number: {text}")))
}

fn template(nth: usize) -> Test {
    let mut test = Test { arguments: vec![nth.to_string()], ..gordian_engine::toy::template() };
    test.machine.max_steps = 300;
    // Races between plain accesses are everywhere; a part of the programs is looked at with them.
    test.machine.races = if nth.is_multiple_of(2) { RaceMode::Ignore } else { RaceMode::Report };
    test.machine.symbolic = true;
    test.machine.coverage = true;
    test
}

fn covered(outcome: &Outcome) -> BTreeSet<BranchPlace> {
    outcome.covering.iter().flat_map(|test| test.branches.iter().cloned()).collect()
}

enum Comparison {
    Equal,
    LeftOut,
    /// Agrees as far as it looked.
    Lossy(Vec<String>),
    Different(String),
}

fn compare(program: &Program, nth: usize) -> Comparison {
    let test = template(nth);
    let Some(brute) = brute_force(program, &test, EXECUTIONS) else { return Comparison::LeftOut };
    let mut lossy = None;
    for most in 0..=MOST_INTERFERENCES {
        let options =
            Options { max_interferences: Some(most), beyond_full_coverage: true, jobs: 2, ..Options::default() };
        let outcome = check(program, &test, options, &Settings::default(), &mut Silent).expect("it can be set up");
        let is_lossy = outcome.summary.bounds.hit.contains(&Bound::Values);
        if let Some(difference) = difference(&brute, &outcome, most, is_lossy) {
            return Comparison::Different(format!("with {most} interferences: {difference}"));
        }
        if is_lossy {
            lossy = Some(outcome.summary.notes.clone());
        }
    }
    let outcome =
        check(program, &test, Options::default(), &Settings::default(), &mut Silent).expect("it can be set up");
    if outcome.summary.verdict == Verdict::Safe {
        SAFE.fetch_add(1, Ordering::Relaxed);
    }
    if outcome.summary.verdict == Verdict::Safe && !(brute.assertions.is_empty() && brute.others.is_empty()) {
        return Comparison::Different(format!("said to be safe, but {:?} {:?}", brute.assertions, brute.others));
    }
    lossy.map_or(Comparison::Equal, Comparison::Lossy)
}

fn difference(brute: &Brute, outcome: &Outcome, most: u32, is_lossy: bool) -> Option<String> {
    let within = |degree: u32| degree <= most;
    let wanted: BTreeSet<_> =
        brute.branches.iter().filter(|&(_, &degree)| within(degree)).map(|(place, _)| place.clone()).collect();
    let got = covered(outcome);
    let show = |places: Vec<&BranchPlace>| {
        let show = |place: &&BranchPlace| format!("{}:{} {}", place.line, place.column, place.outcome);
        places.iter().map(show).collect::<Vec<_>>().join(", ")
    };
    let too_much: Vec<_> = got.difference(&wanted).collect();
    if !too_much.is_empty() {
        return Some(format!("went {}", show(too_much)));
    }
    let missed: Vec<_> = wanted.difference(&got).collect();
    if !missed.is_empty() && !is_lossy {
        return Some(format!("missed {}; {:?}", show(missed), outcome.summary.notes));
    }
    let wanted: BTreeSet<u32> =
        brute.assertions.iter().filter(|&(_, &degree)| within(degree)).map(|(&line, _)| line).collect();
    let failed = outcome.findings.iter().filter(|found| found.finding.kind == FindingKind::Assertion);
    let got: BTreeSet<u32> = failed.map(|found| found.finding.places[0].line).collect();
    if let Some(difference) = other_difference(brute, outcome, most, is_lossy) {
        return Some(difference);
    }
    let is_wrong = if is_lossy { !got.is_subset(&wanted) } else { got != wanted };
    is_wrong.then(|| format!("assertions fail in lines {got:?}, and should in {wanted:?}; {:?}", outcome.summary.notes))
}

/// Kinds of failures that no branch leads to.
fn other_difference(brute: &Brute, outcome: &Outcome, most: u32, is_lossy: bool) -> Option<String> {
    let wanted: BTreeSet<FindingKind> =
        brute.others.iter().filter(|&(_, &degree)| degree <= most).map(|(&kind, _)| kind).collect();
    let kinds = outcome.findings.iter().map(|found| found.finding.kind);
    let got: BTreeSet<FindingKind> = kinds.filter(|&kind| kind != FindingKind::Assertion).collect();
    let too_much: Vec<_> = got.iter().filter(|kind| !brute.others.contains_key(kind)).collect();
    // Where something else is left to be looked for, that is said.
    let is_told = |kind: &FindingKind| match kind {
        FindingKind::DataRace | FindingKind::UseAfterFree | FindingKind::DoubleFree => is_lossy,
        FindingKind::Deadlock => is_lossy || outcome.summary.bounds.hit.contains(&Bound::Branches),
        _ => true,
    };
    let missed: Vec<_> = wanted.difference(&got).filter(|kind| !is_told(kind)).collect();
    let is_wrong = !too_much.is_empty() || !missed.is_empty();
    is_wrong.then(|| format!("found {got:?} and should {wanted:?}; {:?}", outcome.summary.notes))
}

#[test]
fn interferences_lead_where_brute_force_comes() {
    let (seed, cases) = (number("GORDIAN_SEED", 1), number("GORDIAN_CASES", 60) as usize);
    let source = generator::source(seed, cases);
    let folder = std::env::temp_dir().join(format!("gordian-interference-{}-{seed}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the program");
    let file = folder.join("generated.c");
    std::fs::write(&file, &source).expect("the program is written");
    let program = gordian_frontend::load(std::slice::from_ref(&file), &Default::default()).expect("it compiles");
    let only: Option<usize> = std::env::var("GORDIAN_ONLY").ok().and_then(|text| text.parse().ok());
    let (mut n_equal, mut n_left_out) = (0, 0);
    let mut lossy: Vec<(usize, Vec<String>)> = Vec::new();
    let mut different = Vec::new();
    for nth in (0..cases).filter(|nth| only.is_none_or(|only| only == *nth)) {
        match compare(&program, nth) {
            Comparison::Equal => n_equal += 1,
            Comparison::LeftOut => n_left_out += 1,
            Comparison::Lossy(notes) => lossy.push((nth, notes)),
            Comparison::Different(how) => different.push(format!("case {nth}: {how}")),
        }
    }
    let n_safe = SAFE.load(Ordering::Relaxed);
    println!("{}: {n_equal} equal, {n_left_out} left out, {} lossy, {n_safe} safe", file.display(), lossy.len());
    for (nth, notes) in &lossy {
        println!("case {nth}: {notes:?}");
    }
    assert!(different.is_empty(), "of seed {seed}, see {}:\n{}", file.display(), different.join("\n"));
    assert!(only.is_some() || n_equal * 2 > cases, "{n_equal} of {cases} were compared");
    assert!(only.is_some() || n_safe > 0, "nothing was called safe");
    if only.is_none() {
        let _ = std::fs::remove_dir_all(&folder);
    }
}
