//! Tests and CPU time of the strategies by unfoldings, on programs of the kinds that LCT was measured on.

use crate::measure::timed;
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_engine::{Budget, Outcome, Settings, Silent, Subject, check};
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{Choice, RaceMode, Stop};
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

/// Orders of twelve sections of three threads: 12! / 4!^3.
const UPDATES: &[(&str, u64)] = &[("dpor", 34_650), ("unfold", 34_650), ("contextual", 34_650)];

/// The programs tell why there are so many.
const ROWS: &[Row] = &[
    row("Szymanski", "unfolding/szymanski", &[], &[("dpor", 34_551), ("unfold", 34_551)]),
    row("Filesystem 1", "counts/file_system", &["-DN=20"], &[("dpor", 128)]),
    row("Filesystem 2", "counts/file_system", &["-DN=24"], &[("dpor", 2_048)]),
    row("Fib 1", "counts/fibonacci", &["-DROUNDS=4"], &[("dpor", 19_605), ("unfold", 19_605)]),
    row("Fib 2", "counts/fibonacci", &["-DROUNDS=5"], &[("dpor", 218_243), ("unfold", 218_243)]),
    row("Dining 1", "unfolding/dining", &["-DN=4", "-DROUNDS=2"], &[("dpor", 786), ("unfold", 786)]),
    row("Dining 2", "unfolding/dining", &["-DN=5", "-DROUNDS=2"], &[("dpor", 5_730), ("unfold", 5_730)]),
    row("Dining 3", "unfolding/dining", &["-DN=6", "-DROUNDS=2"], &[]),
    row("Dining 4", "unfolding/dining", &["-DN=7", "-DROUNDS=2"], &[]),
    row("Locking 1", "unfolding/locking", &["-DN=4", "-DROUNDS=2"], &[("dpor", 2_520), ("unfold", 2_520)]),
    row("Locking 2", "unfolding/locking", &["-DN=4", "-DROUNDS=2", "-DONCE"], &[("dpor", 22_680), ("unfold", 22_680)]),
    row("Locking 3", "unfolding/locking", &["-DN=4", "-DROUNDS=3"], &[("dpor", 369_600)]),
    row("Updater 1", "unfolding/updater", &["-DROUNDS=4", "-DSETS=1"], UPDATES),
    row("Updater 2", "unfolding/updater", &["-DROUNDS=4", "-DSETS=2"], UPDATES),
    row("Writes", "unfolding/writes", &[], &[("stateful-naive", 1), ("stateful", 1)]),
    row("Synthetic 1", "unfolding/synthetic", &["-DN=5", "-DOPERATIONS=5", "-DSEED=10"], &[]),
    row("Synthetic 2", "unfolding/synthetic", &["-DN=5", "-DOPERATIONS=5", "-DSEED=5"], &[]),
    row("Synthetic 3", "unfolding/synthetic", &["-DN=5", "-DOPERATIONS=6", "-DSEED=1"], &[]),
];

const COLUMNS: [&str; 6] = ["dpor-classic", "dpor", "unfold", "contextual", "stateful-naive", "stateful"];

/// A cell that takes longer is left out.
const MOST_SECONDS: u64 = 60;

pub fn run(options: &Options) -> anyhow::Result<()> {
    if !options.wants("unfoldings") {
        return Ok(());
    }
    let limit = Duration::from_secs(if options.quick { MOST_SECONDS / 6 } else { MOST_SECONDS });
    println!("## Unfoldings: tests, and CPU seconds on one core; –: not in {} s", limit.as_secs());
    println!("\nIn parentheses: seconds that the same executions take without a search.\n");
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
    let mut schedules = Schedules::default();
    let (seconds, outcome) = timed(|| go(program, strategy, limit, &mut schedules))?;
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
    let alone = match schedules.ends.is_empty() {
        true => String::new(),
        false => format!(" ({:.2})", timed(|| schedules.execute(program))?.0),
    };
    Ok(format!("{} {seconds:.2}{alone}", summary.executions))
}

fn go(program: &Program, strategy: &str, limit: Duration, schedules: &mut Schedules) -> anyhow::Result<Outcome> {
    let test = programs::test(RaceMode::Ignore);
    let settings = Settings { budget: Budget { runs: None, time: Some(limit) }, ..Settings::default() };
    if let Some(kind) = gordian_unfolding::by_name(strategy) {
        let options = gordian_unfolding::Options { kind, ..gordian_unfolding::Options::default() };
        let mut each = |machine: &<Program as Subject>::Executor<'_>| schedules.add(machine.schedule());
        let outcome = gordian_unfolding::check_watching(program, &test, options, &settings, &mut Silent, &mut each)?;
        return Ok(outcome);
    }
    let mut strategy = by_name(strategy, &Parameters::default()).context("there is no such strategy")?;
    Ok(check(program, &test, strategy.as_mut(), &settings, &mut Silent)?)
}

/// The schedules of a search, one after the other.
#[derive(Default)]
struct Schedules {
    choices: Vec<Choice>,
    /// Where each ends.
    ends: Vec<usize>,
}

impl Schedules {
    fn add(&mut self, schedule: &[Choice]) {
        self.choices.extend_from_slice(schedule);
        self.ends.push(self.choices.len());
    }

    /// Executes them again in the same order, each from as far as the one before made the same choices.
    fn execute(&self, program: &Program) -> anyhow::Result<()> {
        let mut machine = program.start(&programs::test(RaceMode::Ignore), false)?;
        let (mut marks, mut made, mut start) = (Vec::new(), &self.choices[..0], 0);
        for &end in &self.ends {
            let schedule = &self.choices[start..end];
            let common = schedule.iter().zip(made).take_while(|(a, b)| a == b).count();
            if common < made.len() {
                machine.undo_to(marks[common]);
                marks.truncate(common);
            }
            for &choice in &schedule[common..] {
                marks.push(machine.mark());
                machine.step(choice);
            }
            (made, start) = (schedule, end);
        }
        Ok(())
    }
}
