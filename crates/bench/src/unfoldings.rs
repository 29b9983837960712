//! Tests and CPU time of the strategies by unfoldings, on programs of the kinds that LCT was measured on.

use crate::measure::timed;
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_engine::{Budget, Outcome, Settings, Silent, check};
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{RaceMode, Stop};
use std::time::Duration;

/// A program of the table.
struct Row {
    name: &'static str,
    program: &'static str,
    cflags: &'static [&'static str],
    /// Tests that some columns must take.
    expected: &'static [(&'static str, u64)],
}

const fn row(
    name: &'static str,
    program: &'static str,
    cflags: &'static [&'static str],
    expected: &'static [(&'static str, u64)],
) -> Row {
    Row { name, program, cflags, expected }
}

/// The programs tell why there are so many.
const ROWS: &[Row] = &[
    row("Szymanski", "counts/szymanski", &[], &[]),
    row("Filesystem 1", "counts/file_system", &["-DN=20"], &[]),
    row("Filesystem 2", "counts/file_system", &["-DN=24"], &[]),
    row("Fib 1", "counts/fibonacci", &["-DROUNDS=4"], &[("dpor", 19_605), ("unfold", 19_605)]),
    row("Fib 2", "counts/fibonacci", &["-DROUNDS=5"], &[("dpor", 218_243), ("unfold", 218_243)]),
    row("Dining 1", "unfolding/dining", &["-DN=3", "-DROUNDS=2"], &[]),
    row("Dining 2", "unfolding/dining", &["-DN=4", "-DROUNDS=2"], &[]),
    row("Dining 3", "unfolding/dining", &["-DN=5", "-DROUNDS=2"], &[]),
    row("Locking 1", "unfolding/locking", &["-DN=4", "-DROUNDS=2"], &[("dpor", 2_520), ("unfold", 2_520)]),
    row("Locking 2", "unfolding/locking", &["-DN=4", "-DROUNDS=2", "-DONCE"], &[("dpor", 22_680), ("unfold", 22_680)]),
    row("Locking 3", "unfolding/locking", &["-DN=4", "-DROUNDS=3"], &[]),
    row("Updater", "unfolding/updater", &[], &[]),
    row("Writes", "unfolding/writes", &[], &[("stateful-naive", 1), ("stateful", 1)]),
    row("Synthetic 1", "unfolding/synthetic", &["-DROUNDS=1"], &[]),
    row("Synthetic 2", "unfolding/synthetic", &["-DROUNDS=2"], &[]),
];

const COLUMNS: [&str; 6] = ["dpor-classic", "dpor", "unfold", "contextual", "stateful-naive", "stateful"];

/// A cell that takes longer is left out.
const MOST_SECONDS: u64 = 60;

pub fn run(options: &Options) -> anyhow::Result<()> {
    if !options.wants("unfoldings") {
        return Ok(());
    }
    let limit = Duration::from_secs(if options.quick { MOST_SECONDS / 6 } else { MOST_SECONDS });
    println!("## Unfoldings: tests, and CPU seconds on one core; –: over {} s\n", limit.as_secs());
    println!("| program | {} |", COLUMNS.join(" | "));
    println!("|---|{}", "---:|".repeat(COLUMNS.len()));
    for row in ROWS {
        let program = programs::read(&programs::tested(row.program), row.cflags)?;
        let cells: Vec<String> =
            COLUMNS.iter().map(|column| cell(row, &program, column, limit)).collect::<Result<_, _>>()?;
        println!("| {} | {} |", row.name, cells.join(" | "));
    }
    Ok(())
}

fn cell(row: &Row, program: &Program, strategy: &str, limit: Duration) -> anyhow::Result<String> {
    let (seconds, outcome) = timed(|| go(program, strategy, limit))?;
    let summary = outcome.summary;
    if summary.stop == Stop::Time {
        return Ok("–".to_owned());
    }
    ensure!(summary.stop == Stop::Exhausted, "{strategy} on {}: {}", row.name, summary.stop);
    ensure!(outcome.findings.is_empty(), "{strategy} on {} found something", row.name);
    if let Some((_, tests)) = row.expected.iter().find(|expected| expected.0 == strategy) {
        let made = summary.executions;
        ensure!(made == *tests, "{strategy} on {} made {made} tests instead of {tests}", row.name);
    }
    Ok(format!("{} {seconds:.2} s", summary.executions))
}

fn go(program: &Program, strategy: &str, limit: Duration) -> anyhow::Result<Outcome> {
    let test = programs::test(RaceMode::Ignore);
    let settings = Settings { budget: Budget { runs: None, time: Some(limit) }, ..Settings::default() };
    if let Some(kind) = gordian_unfolding::by_name(strategy) {
        let options = gordian_unfolding::Options { kind, ..gordian_unfolding::Options::default() };
        return Ok(gordian_unfolding::check(program, &test, options, &settings, &mut Silent)?);
    }
    let mut strategy = by_name(strategy, &Parameters::default()).context("there is no such strategy")?;
    Ok(check(program, &test, strategy.as_mut(), &settings, &mut Silent)?)
}
