//! One cell of the table, measured in a process of its own.

use super::find;
use crate::measure::{memory, timed};
use crate::programs;
use anyhow::{Context, bail, ensure};
use gordian_engine::{Outcome, Settings, Silent, Subject, check};
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{Choice, RaceMode, Stop};
use std::os::unix::process::ExitStatusExt;
use std::process::Command;

/// A program under a strategy.
pub struct Cell {
    pub program: &'static str,
    pub cflags: &'static [&'static str],
    pub strategy: &'static str,
    /// Tests that it must take.
    pub expected: Option<u64>,
}

#[derive(Clone, Copy)]
pub struct Limits {
    pub seconds: u64,
    pub megabytes: u64,
}

/// What came of a cell.
pub enum Measured {
    Done {
        tests: u64,
        seconds: f64,
        /// What the same executions take without a search, where they were kept.
        alone: Option<f64>,
        megabytes: u64,
    },
    TooLong,
    TooLarge,
}

impl Measured {
    pub fn tests(&self) -> String {
        match self {
            Measured::Done { tests, .. } => grouped(*tests),
            Measured::TooLong | Measured::TooLarge => "–".to_owned(),
        }
    }

    pub fn cost(&self) -> String {
        match self {
            Measured::Done { seconds, alone: Some(alone), megabytes, .. } => {
                format!("{seconds:.2} s ({alone:.2} s), {megabytes} MB")
            }
            Measured::Done { seconds, alone: None, megabytes, .. } => format!("{seconds:.2} s, {megabytes} MB"),
            Measured::TooLong => "– (time)".to_owned(),
            Measured::TooLarge => "– (memory)".to_owned(),
        }
    }

    /// Of the line that a child writes.
    fn parse(line: &str) -> Option<Measured> {
        let mut words = line.split(' ');
        let tests = words.next()?.parse().ok()?;
        let seconds = words.next()?.parse().ok()?;
        let alone = match words.next()? {
            "-" => None,
            alone => Some(alone.parse().ok()?),
        };
        Some(Measured::Done { tests, seconds, alone, megabytes: words.next()?.parse().ok()? })
    }
}

/// With commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The argument before the names of a row and a column.
pub const ALONE: &str = "--unfoldings-cell";

/// Measures a cell in a child that the kernel holds to the limits: to CPU time, since machines are loaded.
pub fn in_child(row: &str, column: &str, limits: Limits) -> anyhow::Result<Measured> {
    let own = std::env::current_exe().context("the benchmarks do not know their own file")?;
    let limited =
        format!("ulimit -v {} && ulimit -t {} && exec \"$0\" \"$@\"", limits.megabytes * 1000, limits.seconds);
    let mut child = Command::new("sh");
    child.args(["-c", &limited]).arg(own).args([ALONE, row, column]);
    let output = child.output().context("cannot start `sh`")?;
    let errors = String::from_utf8_lossy(&output.stderr);
    if output.status.success() {
        let line = String::from_utf8_lossy(&output.stdout);
        return Measured::parse(line.trim()).with_context(|| format!("{column} on {row} wrote `{}`", line.trim()));
    }
    match output.status.signal() {
        // Of the allocator, which has no more.
        Some(SIGABRT) if errors.contains("memory allocation of") => Ok(Measured::TooLarge),
        Some(SIGKILL | SIGXCPU) => Ok(Measured::TooLong),
        _ => bail!("{column} on {row}: {} {}", output.status, errors.trim()),
    }
}

const SIGABRT: i32 = 6;
const SIGKILL: i32 = 9;
const SIGXCPU: i32 = 24;

/// The child: measures one cell and writes one line.
pub fn measure_alone(arguments: &[&str]) -> anyhow::Result<()> {
    let [row, column] = arguments else { bail!("`{ALONE}` wants a row and a column") };
    println!("{}", find(row, column)?.measure()?);
    Ok(())
}

impl Cell {
    /// A line of figures.
    fn measure(&self) -> anyhow::Result<String> {
        let Cell { strategy, .. } = *self;
        let program = programs::read(&programs::tested(self.program), self.cflags)?;
        let mut schedules = Schedules::default();
        let (seconds, outcome) = timed(|| self.search(&program, &mut schedules))?;
        let megabytes = memory()?.1 / 1000;
        let summary = outcome.summary;
        ensure!(summary.stop == Stop::Exhausted, "{strategy}: {}", summary.stop);
        ensure!(outcome.findings.is_empty(), "{strategy} found something");
        let tests = summary.executions;
        if let Some(expected) = self.expected {
            ensure!(tests == expected, "{strategy} made {tests} tests instead of {expected}");
        }
        let alone = match schedules.ends.is_empty() {
            true => "-".to_owned(),
            false => timed(|| schedules.execute(&program))?.0.to_string(),
        };
        Ok(format!("{tests} {seconds} {alone} {megabytes}"))
    }

    fn search(&self, program: &Program, schedules: &mut Schedules) -> anyhow::Result<Outcome> {
        let test = programs::test(RaceMode::Ignore);
        let settings = Settings::default();
        if let Some(kind) = gordian_unfolding::by_name(self.strategy) {
            let options = gordian_unfolding::Options { kind, ..gordian_unfolding::Options::default() };
            let mut each = |machine: &<Program as Subject>::Executor<'_>| schedules.add(machine.schedule());
            return Ok(gordian_unfolding::check_watching(program, &test, options, &settings, &mut Silent, &mut each)?);
        }
        let mut strategy = by_name(self.strategy, &Parameters::default()).context("there is no such strategy")?;
        Ok(check(program, &test, strategy.as_mut(), &settings, &mut Silent)?)
    }
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
