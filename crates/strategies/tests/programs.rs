//! `dpor` against brute force on the C programs of `tests/programs`: the same findings, and one execution for each
//! trace. A program that fails in some schedule may fail in several traces of which one is enough, so there only the
//! findings are compared.

use gordian_engine::{Budget, Outcome, Settings, Silent, Strategy, check};
use gordian_frontend::Options;
use gordian_ir::Program;
use gordian_strategies::{Dpor, Parameters, by_name};
use gordian_trace::{FORMAT_VERSION, FindingKind, ProgramSource, Schedule, Stop, Test};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// Programs with more schedules than this are left out.
const SCHEDULES: u64 = 3_000;
/// Orders in which `dpor` is made to go on besides its own.
const SHUFFLES: u64 = 3;

fn programs() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs");
    let mut found = Vec::new();
    for directory in std::fs::read_dir(&root).expect("the programs are there") {
        let directory = directory.expect("a directory entry").path();
        let name = directory.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !directory.is_dir() || ["native", "multi", "usage", "unsupported", "counts"].contains(&name.as_str()) {
            continue;
        }
        let files = std::fs::read_dir(&directory).expect("a directory").map(|file| file.expect("a file").path());
        found.extend(files.filter(|file| file.extension().is_some_and(|extension| extension == "c")));
    }
    found.sort();
    found
}

fn template(file: &Path, text: &str) -> Test {
    let mut test = Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: vec![file.to_owned()], cflags: Vec::new(), identity: String::new() },
        arguments: Vec::new(),
        environment: Vec::new(),
        stdin: String::new(),
        sources: Vec::new(),
        machine: Default::default(),
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    };
    test.machine.weak_cas_fails = text.contains("--weak-cas-fails: ");
    test.machine.spurious_wakeups = text.contains("--spurious: ");
    test.machine.leaks = text.contains("--leaks");
    test.machine.max_steps = 2_000;
    test
}

fn explore(program: &Program, test: &Test, strategy: &str) -> Outcome {
    explore_by(program, test, by_name(strategy, &Parameters::default()).expect("there is such a strategy"))
}

fn explore_by(program: &Program, test: &Test, mut strategy: Box<dyn Strategy>) -> Outcome {
    let budget = Budget { runs: Some(SCHEDULES), time: None };
    let settings = Settings { budget, ..Settings::default() };
    check(program, test, strategy.as_mut(), &settings, &mut Silent).expect("the program can be set up")
}

/// What a finding is known by: its kind and its places.
type Key = (FindingKind, Vec<(String, u32, u32)>);

fn keys(outcome: &Outcome) -> BTreeSet<Key> {
    outcome.findings.iter().map(|found| found.finding.key()).collect()
}

/// The number of traces that the oracle counted.
fn traces(outcome: &Outcome) -> Option<u64> {
    let (_, rest) = outcome.summary.exploration.guarantee.split_once("fall into ")?;
    rest.split(' ').next()?.parse().ok()
}

fn compare(name: &str, reduced: &Outcome, oracle: &Outcome, traces: u64, in_own_order: bool) {
    assert_eq!(reduced.summary.stop, Stop::Exhausted, "{name}");
    assert_eq!(keys(reduced), keys(oracle), "{name}: dpor and brute force find different things");
    let runs_to_its_end = oracle.findings.iter().all(|found| {
        matches!(
            found.finding.kind,
            FindingKind::DataRace
                | FindingKind::Leak
                | FindingKind::Deadlock
                | FindingKind::LostSignal
                | FindingKind::Livelock
        )
    });
    if runs_to_its_end && oracle.summary.blocked == 0 {
        assert_eq!(reduced.summary.executions, traces, "{name}: executions and traces");
        // Where several steps could each let a waiting thread go on, some plans turn out to be redundant.
        // Each of several operations on a pipe lets one go on that waits halfway.
        let has_pipe = std::fs::read_to_string(name).is_ok_and(|text| text.contains("pipe("));
        let waits = has_pipe || keys(oracle).iter().any(|key| key.0 == FindingKind::Livelock);
        assert!(
            !in_own_order || waits || reduced.summary.blocked == 0,
            "{name}: {} redundant executions",
            reduced.summary.blocked
        );
    }
}

#[test]
fn dpor_finds_what_brute_force_finds_and_executes_each_trace_once() {
    let mut compared = 0;
    for file in programs() {
        let text = std::fs::read_to_string(&file).expect("the program can be read");
        let cflags = text.lines().filter_map(|line| line.strip_prefix("//@ cflag: ")).map(str::to_owned).collect();
        let Ok(program) =
            gordian_frontend::load(std::slice::from_ref(&file), &Options { cflags, ..Options::default() })
        else {
            panic!("{} does not compile", file.display());
        };
        let test = template(&file, &text);
        let oracle = explore(&program, &test, "classes");
        let Some(traces) = traces(&oracle).filter(|_| oracle.summary.stop == Stop::Exhausted) else { continue };
        if traces == 0 || !oracle.summary.bounds.hit.is_empty() {
            continue;
        }
        let name = file.display();
        compare(&name.to_string(), &explore(&program, &test, "dpor"), &oracle, traces, true);
        for seed in 0..SHUFFLES {
            let reduced = explore_by(&program, &test, Box::new(Dpor::shuffled(seed)));
            compare(&format!("{name}, shuffled by {seed}"), &reduced, &oracle, traces, false);
        }
        compared += 1;
    }
    assert!(compared > 150, "only {compared} programs were small enough to compare");
}
