//! Searches against native enumeration: generated programs with one or two inputs of eight bits are compiled natively and run for all values, and
//! those with two threads for all interleavings. Verdict, failing lines, failing inputs, covered branches and unreachable ones must agree,
//! whatever the strategy. `GORDIAN_SEED`, `GORDIAN_CASES` and `GORDIAN_ONLY` choose other programs.

mod generator;

use generator::{Case, File};
use gordian_base::Rng;
use gordian_engine::{Budget, Outcome, Settings, Silent};
use gordian_frontend::Options;
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{BranchPlace, FORMAT_VERSION, ProgramSource, RaceMode, Schedule, Stop, Test, Verdict};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// Cases that stand in one file.
const BATCH: usize = 50;
/// Searches that take more are not complete, and compared as far as they came.
const EXECUTIONS: u64 = 3_000;
const SECONDS: Duration = Duration::from_secs(2);
const STRATEGIES: [&str; 3] = ["dpor", "bounded", "interference"];

fn number(variable: &str, otherwise: u64) -> u64 {
    std::env::var(variable).map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{variable} is no number")))
}

/// What all inputs and interleavings lead to.
#[derive(Default)]
struct Native {
    /// Lines of branches, and ways that they went.
    covered: BTreeSet<(u32, String)>,
    /// By line, a bit for each combination of inputs that fails there.
    fails: BTreeMap<u32, Vec<u8>>,
}

fn native(path: &Path) -> Native {
    let binary = path.with_extension("native");
    let mut gcc = Command::new("gcc");
    gcc.args(["-O1", "-w", "-DNATIVE", "-fwrapv", "-o"]).arg(&binary).arg(path);
    let output = gcc.output().expect("gcc can be run");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().expect("the program can be run");
    assert!(output.status.success(), "{} fails natively", path.display());
    std::fs::remove_file(&binary).expect("it was built just now");
    let text = String::from_utf8(output.stdout).expect("it prints numbers");
    let mut native = Native::default();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = words[0].parse().expect("a line number");
        match words[1..] {
            ["fails", bits] => {
                let byte = |at: usize| u8::from_str_radix(&bits[at..at + 2], 16).expect("two digits");
                native.fails.insert(number, (0..bits.len()).step_by(2).map(byte).collect());
            }
            [way] => {
                native.covered.insert((number, way.to_owned()));
            }
            _ => panic!("{line}"),
        }
    }
    native
}

fn template(nth: usize) -> Test {
    let mut test = Test {
        gordian: FORMAT_VERSION,
        program: ProgramSource { files: Vec::new(), cflags: Vec::new(), identity: String::new() },
        arguments: vec![nth.to_string()],
        environment: Vec::new(),
        stdin: String::new(),
        machine: Default::default(),
        sources: Vec::new(),
        inputs: Vec::new(),
        threads: Vec::new(),
        schedule: Schedule::default(),
        finding: None,
    };
    test.machine.symbolic = true;
    test.machine.coverage = true;
    test.machine.races = RaceMode::Ignore;
    test.machine.separate_failures = true;
    test
}

fn search(program: &Program, nth: usize, strategy: &str) -> Outcome {
    let budget = Budget { runs: Some(EXECUTIONS), time: Some(SECONDS) };
    let (test, settings) = (template(nth), Settings { budget, ..Settings::default() });
    if strategy == "interference" {
        let options = gordian_interference::Options { jobs: 1, ..Default::default() };
        return gordian_interference::check(program, &test, options, &settings, &mut Silent).expect("it can be set up");
    }
    let mut strategy = by_name(strategy, &Parameters::default()).expect("there is such a strategy");
    gordian_engine::check(program, &test, &mut *strategy, &settings, &mut Silent).expect("it can be set up")
}

/// How a search differs from enumeration, if it does. `Ok(false)` if the search says that it did not look at everything.
fn difference(native: &Native, case: &Case, outcome: &Outcome) -> Result<bool, String> {
    let lines = case.first_line..=case.last_line;
    let fails: BTreeMap<u32, &Vec<u8>> =
        native.fails.iter().filter(|(line, _)| lines.contains(line)).map(|(&line, bits)| (line, bits)).collect();
    let mut found = BTreeSet::new();
    for finding in &outcome.findings {
        let line = finding.finding.places.first().map_or(0, |place| place.line);
        let Some(bits) = fails.get(&line) else { return Err(format!("fails at line {line}")) };
        let inputs = finding.inputs.iter().enumerate();
        let inputs = inputs.fold(0, |all, (nth, input)| all | (input.value as usize & 255) << (8 * nth));
        if bits[inputs / 8] >> (inputs % 8) & 1 == 0 {
            return Err(format!("fails at line {line} with the inputs {inputs:#x}, which do not"));
        }
        found.insert(line);
    }
    let summary = &outcome.summary;
    let covered: BTreeSet<(u32, String)> = outcome
        .covering
        .iter()
        .flat_map(|test| &test.branches)
        .map(way)
        .filter(|(line, _)| lines.contains(line))
        .collect();
    let expected: BTreeSet<(u32, String)> =
        native.covered.iter().filter(|(line, _)| lines.contains(line)).cloned().collect();
    let of_branches: BTreeSet<u32> = native.covered.iter().map(|(line, _)| *line).collect();
    let covered: BTreeSet<_> = covered.into_iter().filter(|(line, _)| of_branches.contains(line)).collect();
    if let Some(wrong) = covered.difference(&expected).next() {
        return Err(format!("went {wrong:?}, which nothing does"));
    }
    let is_whole = summary.stop == Stop::Exhausted && summary.bounds.hit.is_empty();
    if summary.verdict == Verdict::Safe && !fails.is_empty() {
        return Err(format!("safe, but lines {:?} fail", fails.keys()));
    }
    if !is_whole {
        return Ok(false);
    }
    if let Some(missed) = fails.keys().find(|line| !found.contains(line)) {
        return Err(format!("line {missed} fails unnoticed"));
    }
    // Branches that the report does not list are neither covered nor said to be unreachable: the condition was known to the compiler, both ways
    // lead to the same instructions, or one way is undefined from its beginning.
    let missed = summary.coverage.iter().flat_map(|coverage| &coverage.missed).map(way);
    let listed: BTreeSet<u32> = covered.iter().cloned().chain(missed).map(|(line, _)| line).collect();
    if let Some(missed) = expected.difference(&covered).find(|(line, _)| listed.contains(line)) {
        return Err(format!("never went {missed:?}"));
    }
    let unreachable = summary.coverage.iter().filter(|coverage| coverage.unreachable);
    let unreachable: Vec<_> = unreachable.flat_map(|coverage| &coverage.missed).map(way).collect();
    match unreachable.iter().find(|way| expected.contains(way)) {
        Some(wrong) => Err(format!("{wrong:?} is said to be unreachable")),
        None => Ok(true),
    }
}

fn way(place: &BranchPlace) -> (u32, String) {
    (place.line, place.outcome.clone())
}

fn write(seed: u64, batch: u64, n_cases: usize) -> (PathBuf, File) {
    let file = generator::file(&mut Rng::stream(seed, batch), n_cases);
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("enumeration-{seed}-{batch}.c"));
    std::fs::write(&path, &file.text).expect("cargo's folder for tests can be written to");
    (path, file)
}

#[test]
fn searches_find_what_enumeration_does() {
    let (n_cases, seed) = (number("GORDIAN_CASES", 150) as usize, number("GORDIAN_SEED", 1));
    let seconds = std::env::var("GORDIAN_SECONDS").ok().map(|_| Duration::from_secs(number("GORDIAN_SECONDS", 0)));
    #[expect(clippy::disallowed_methods, reason = "how long to go on is for the user to say")]
    let (begin, now) = (Instant::now(), Instant::now);
    let n_cases = if seconds.is_some() { usize::MAX } else { n_cases };
    let only = std::env::var("GORDIAN_ONLY").ok();
    let mut different = Vec::new();
    let (mut whole, mut in_part, mut failing, mut n_programs) = (0, BTreeMap::<String, usize>::new(), 0, 0);
    for (batch, first) in (0..).zip((0..n_cases).step_by(BATCH)) {
        if seconds.is_some_and(|seconds| now() - begin >= seconds) {
            break;
        }
        let (path, file) = write(seed, batch, BATCH.min(n_cases - first));
        let native = native(&path);
        let program = gordian_frontend::load(std::slice::from_ref(&path), &Options::default())
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        for (nth, case) in file.cases.iter().enumerate() {
            if only.as_ref().is_some_and(|only| *only != (first + nth).to_string()) {
                continue;
            }
            n_programs += 1;
            failing += usize::from(native.fails.keys().any(|line| (case.first_line..=case.last_line).contains(line)));
            for strategy in STRATEGIES {
                let outcome = search(&program, nth, strategy);
                match difference(&native, case, &outcome) {
                    Ok(true) => whole += 1,
                    Ok(false) => {
                        let notes = outcome.summary.notes.first().cloned();
                        let why = format!("{strategy}: {:?} {:?}", outcome.summary.stop, notes.unwrap_or_default());
                        *in_part.entry(why).or_default() += 1;
                    }
                    Err(what) => different.push(format!("{}, case {nth}, {strategy}: {what}", path.display())),
                }
            }
        }
        if different.is_empty() {
            std::fs::remove_file(&path).expect("it was written just now");
        }
    }
    println!(
        "{n_programs} programs, {failing} of them fail; {whole} searches agree; not everything was looked at: {in_part:#?}"
    );
    assert!(different.is_empty(), "{} searches differ from enumeration:\n{}", different.len(), different.join("\n"));
    assert!(only.is_some() || whole > n_programs, "most programs are too large to be compared");
}
