//! Prediction from one run: what simplification leaves, what is checked and found, and how long it takes. `cargo xtask bench predict` prints
//! these tables alone; `GORDIAN_TRACES` names a folder with traces of other recorders.

use crate::measure::{memory, timed};
use crate::{Options, programs, z3};
use anyhow::{Context, ensure};
use gordian_engine::{Course, Outcome, Settings, Silent, run_along};
use gordian_ir::Program;
use gordian_predict::{ForeignOptions, Options as Predict, predict, predict_foreign};
use gordian_trace::{CheckSummary, FindingKind, PredictionSummary, RaceMode, Test};
use gordian_tracefile::{Format, Trace};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

/// Programs of `tests/programs/predict`, after those of the paper, and a large one.
const PROGRAMS: &[&str] = &[
    "best_example",
    "accelerator",
    "port_scanner",
    "game_server",
    "compressor",
    "audio_queue",
    "salesman",
    "write_skew",
    "accessors",
    "chain",
];

pub fn run(options: &Options) -> anyhow::Result<()> {
    if !options.wants("predict") {
        return Ok(());
    }
    let mut rows = Vec::new();
    for name in PROGRAMS {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/programs/predict").join(format!("{name}.c"));
        rows.push(row(name, &programs::read(&path, &[])?)?);
    }
    if !options.quick {
        let large = programs::read(&programs::source("predict_workers"), &[])?;
        rows.push(row("predict_workers", &large)?);
    }
    tell(&rows);
    public_traces()?;
    generated(options)
}

struct Row {
    name: String,
    seconds: f64,
    outcome: Outcome,
}

impl Row {
    fn summary(&self) -> anyhow::Result<&PredictionSummary> {
        self.outcome.summary.prediction.as_ref().context("a prediction tells of itself")
    }
}

/// Predicts from the default run of a program.
fn row(name: &str, program: &Program) -> anyhow::Result<Row> {
    let template = programs::test(RaceMode::Report);
    let test: Test = run_along(program, &template, false, Course::Default, |_| {})?.test;
    let work = || Ok(predict(program, &test, Predict::default(), &Settings::default(), &mut Silent)?);
    let (seconds, outcome) = timed(work)?;
    let row = Row { name: name.to_owned(), seconds, outcome };
    let summary = row.summary()?;
    ensure!(summary.not_replayed == 0, "{name}: {} reorderings did not replay", summary.not_replayed);
    Ok(row)
}

fn tell(rows: &[Row]) {
    println!("## Prediction: what simplification leaves\n");
    println!("Transitions / context switches after each step.\n");
    println!(
        "| program | events | threads | as recorded | local variables | merging | locks, must-happen-before | transactions |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for row in rows {
        let Ok(summary) = row.summary() else { continue };
        let steps: Vec<String> =
            (summary.simplification.iter()).map(|step| format!("{} / {}", step.transitions, step.switches)).collect();
        println!("| {} | {} | {} | {} |", row.name, summary.events, summary.threads, steps.join(" | "));
    }
    println!("\n## Prediction: regions, checks, findings\n");
    println!(
        "CA and CMA: checks, violations, transitions and switches of the slices (means), mean and worst time of a check. Time is CPU time of everything.\n"
    );
    println!(
        "| program | regions inferred / dropped / proved | CA | CMA | violated | other findings | predicted / replayed | CPU s |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for row in rows {
        let Ok(summary) = row.summary() else { continue };
        let regions = &summary.regions;
        let check = |what: &str| summary.checks.iter().find(|check| check.what == what).map_or(String::new(), checked);
        let PredictionSummary { predicted, replayed, other_findings: others, .. } = summary;
        println!(
            "| {} | {} / {} / {} | {} | {} | {} | {others} | {predicted} / {replayed} | {:.2} |",
            row.name,
            regions.inferred,
            regions.dropped,
            regions.proved,
            check("causal atomicity"),
            check("causal mutual atomicity"),
            regions.violated,
            row.seconds,
        );
    }
    println!();
}

fn checked(check: &CheckSummary) -> String {
    let mean = check.time_us as f64 / check.candidates.max(1) as f64 / 1e3;
    let worst = check.worst_us as f64 / 1e3;
    let CheckSummary { candidates, predicted, slice_transitions, slice_switches, .. } = check;
    format!("{candidates}, {predicted}; {slice_transitions} / {slice_switches}; {mean:.1} ms, {worst:.1} ms")
}

/// Traces of other recorders, if there are any.
fn public_traces() -> anyhow::Result<()> {
    let Some(folder) = std::env::var_os("GORDIAN_TRACES") else {
        println!("Traces of other recorders are left out: `GORDIAN_TRACES` names no folder.\n");
        return Ok(());
    };
    let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
        .with_context(|| format!("cannot read {}", Path::new(&folder).display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "data"))
        .collect();
    paths.sort();
    println!("## Prediction: traces of other recorders\n");
    header();
    for path in paths {
        let bytes = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let trace = gordian_tracefile::read(&bytes, None).map_err(|error| anyhow::anyhow!("{error}"))?;
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        foreign(&name, &trace)?;
    }
    println!();
    Ok(())
}

fn header() {
    println!("| trace | events | threads | circles of locks | deadlocks | races | undecided | CPU s | peak MB |");
    println!("|---|---|---|---|---|---|---|---|---|");
}

fn foreign(name: &str, trace: &Trace) -> anyhow::Result<()> {
    let (seconds, prediction) = timed(|| Ok(predict_foreign(trace, ForeignOptions::default())))?;
    let count = |kind: FindingKind| prediction.found.iter().filter(|found| found.kind == kind).count();
    println!(
        "| {name} | {} | {} | {} | {} | {} | {} | {seconds:.2} | {} |",
        prediction.n_events,
        prediction.n_threads,
        prediction.n_circles,
        count(FindingKind::Deadlock),
        count(FindingKind::DataRace),
        prediction.n_open + prediction.n_open_circles,
        memory()?.1 / 1024,
    );
    Ok(())
}

/// Random traces: threads that lock, read and write.
fn generated(options: &Options) -> anyhow::Result<()> {
    println!("## Prediction: random traces\n");
    header();
    foreign("34,000 events of 67 threads", &random(34_000, 67, 400)?)?;
    if !options.quick {
        foreign("a million events of 10 threads", &random(1_000_000, 10, 400)?)?;
    }
    println!();
    z3::header();
    z3::beside("500 events of 5 threads", &random(500, 5, 0)?)?;
    if !options.quick {
        z3::beside("1,000 events of 8 threads", &random(1_000, 8, 0)?)?;
    }
    println!();
    Ok(())
}

/// Events at so many places, each at its own if there are none.
fn random(n_events: usize, n_threads: usize, n_places: usize) -> anyhow::Result<Trace> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut below = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % n as u64) as usize
    };
    let mut held: Vec<Vec<usize>> = vec![Vec::new(); n_threads];
    let mut owner = [usize::MAX; 16];
    let mut text = String::new();
    let mut n = 0;
    while n < n_events {
        let thread = below(n_threads);
        let place = if n_places > 0 { below(n_places) } else { n };
        let (variable, lock) = (below(200), below(16));
        let op = match below(10) {
            0..=3 => format!("r(x{variable})"),
            4 | 5 => format!("w(x{variable})"),
            6 | 7 if owner[lock] == usize::MAX && held[thread].len() < 3 => {
                owner[lock] = thread;
                held[thread].push(lock);
                format!("acq(l{lock})")
            }
            _ => match held[thread].pop() {
                Some(lock) => {
                    owner[lock] = usize::MAX;
                    format!("rel(l{lock})")
                }
                None => continue,
            },
        };
        writeln!(text, "t{thread}|{op}|{place}")?;
        n += 1;
    }
    gordian_tracefile::read(text.as_bytes(), Some(Format::Std)).map_err(|error| anyhow::anyhow!("{error}"))
}
