//! The programs of Huang's thesis (2009) in C. `cargo xtask bench pairs` prints the pairs of each (tables 4.2 to 4.5), `cargo xtask bench value-schedules` how
//! soon `value-schedule` finds the failure, beside the explicit-state baseline (tables 6.2 to 6.5).

use crate::measure::timed_well;
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_analysis::{Analysis, Budget as Work, Filter, Filters, PairKind};
use gordian_engine::{Budget, Outcome, Settings, Silent, Strategy, check};
use gordian_ir::Program;
use gordian_strategies::Explicit;
use gordian_trace::{FindingKind, RaceMode, Stop};
use gordian_value_schedule::{Guide, ValueSchedule};
use std::time::Duration;

/// Where a program comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Group {
    Kernel,
    Real,
    Benchmark,
}

impl Group {
    const ALL: [Group; 3] = [Group::Kernel, Group::Real, Group::Benchmark];

    fn letter(self) -> &'static str {
        match self {
            Group::Kernel => "K",
            Group::Real => "R",
            Group::Benchmark => "B",
        }
    }
}

/// A row of the tables.
struct Row {
    group: Group,
    program: &'static str,
    cflag: Option<&'static str>,
    kind: FindingKind,
    /// The size parameter for as many threads as in the thesis, or rounds.
    size: u32,
    /// Sizes that are tried for the baseline.
    sizes: &'static [u32],
}

const ROUNDS: &[u32] = &[1, 2, 4, 8, 16, 32, 64, 128];
const THREADS: &[u32] = &[2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16];

const fn row(group: Group, program: &'static str, kind: FindingKind, size: u32, sizes: &'static [u32]) -> Row {
    Row { group, program, cflag: None, kind, size, sizes }
}

const ROWS: &[Row] = &[
    row(Group::Kernel, "twostage", FindingKind::Assertion, 1, THREADS),
    row(Group::Kernel, "wronglock", FindingKind::Assertion, 1, THREADS),
    row(Group::Kernel, "producerconsumer", FindingKind::Assertion, 1, ROUNDS),
    row(Group::Kernel, "blockbarrier", FindingKind::Assertion, 4, THREADS),
    row(Group::Kernel, "reorder", FindingKind::Assertion, 1, THREADS),
    row(Group::Kernel, "deadlock_d1", FindingKind::Deadlock, 1, ROUNDS),
    row(Group::Kernel, "deadlock_d2", FindingKind::Deadlock, 1, ROUNDS),
    row(Group::Kernel, "diningphilosopher", FindingKind::Deadlock, 5, THREADS),
    row(Group::Kernel, "losenotify", FindingKind::LostSignal, 1, ROUNDS),
    row(Group::Kernel, "clean", FindingKind::LostSignal, 2, ROUNDS),
    row(Group::Kernel, "nestedmonitor", FindingKind::Deadlock, 1, ROUNDS),
    row(Group::Real, "alarmclock", FindingKind::NullDereference, 2, ROUNDS),
    row(Group::Real, "raxextend", FindingKind::Assertion, 9, THREADS),
    row(Group::Real, "daisy", FindingKind::Assertion, 1, ROUNDS),
    row(Group::Real, "rw", FindingKind::LostSignal, 1, ROUNDS),
    Row { cflag: Some("-DCHECK"), ..row(Group::Real, "rw", FindingKind::Assertion, 1, ROUNDS) },
    row(Group::Real, "replicatedworker", FindingKind::Deadlock, 5, THREADS),
    row(Group::Real, "boundedbuffer", FindingKind::Deadlock, 4, THREADS),
    row(Group::Benchmark, "linkedlist", FindingKind::Assertion, 2, ROUNDS),
    row(Group::Benchmark, "piper", FindingKind::LostSignal, 16, THREADS),
    row(Group::Benchmark, "account_race", FindingKind::Assertion, 5, THREADS),
    row(Group::Benchmark, "account_deadlock", FindingKind::Deadlock, 5, THREADS),
    row(Group::Benchmark, "account_subtype", FindingKind::Assertion, 5, THREADS),
];

/// Whether the filter must remove something there, as the thesis says.
const BITES: [(&str, Filter); 6] = [
    ("producerconsumer", Filter::Escape),
    ("daisy", Filter::Escape),
    ("account_race", Filter::Disjoint),
    ("account_subtype", Filter::Disjoint),
    ("piper", Filter::Disjoint),
    ("replicatedworker", Filter::Disjoint),
];

pub fn run(options: &Options) -> anyhow::Result<()> {
    if options.wants("pairs") {
        pairs()?;
    }
    if options.wants("value-schedules") {
        value_schedules(options)?;
    }
    Ok(())
}

impl Row {
    fn name(&self) -> String {
        self.cflag.map_or_else(|| self.program.to_owned(), |flag| format!("{} {flag}", self.program))
    }

    fn load(&self, size: u32) -> anyhow::Result<Program> {
        let size = format!("-DN={size}");
        let cflags: Vec<&str> = [size.as_str()].into_iter().chain(self.cflag).collect();
        programs::read(&programs::access_pairs(self.program), &cflags)
    }
}

/// Tables 4.2 to 4.5.
fn pairs() -> anyhow::Result<()> {
    println!("\n## Access pairs\n");
    println!("| | program | nodes | MHP pairs | RW | MM | WM | WN | RW, escape off | RW, disjoint off | seconds |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    for row in ROWS.iter().filter(|row| row.cflag.is_none()) {
        let program = row.load(row.size)?;
        let (seconds, (analysis, found)) = timed_well(|| {
            let analysis = Analysis::of(&program, Work::default())?;
            let found = analysis.pairs(Filters::default());
            Ok((analysis, found))
        })?;
        let rw = |filters: Filters| analysis.pairs(filters).n_kept[0];
        let [reads, locks, barging, waits] = found.n_kept;
        ensure!(PairKind::ALL[0] == PairKind::ReadWrite, "the first kind is the first column");
        let parallel: u64 = analysis.pairs(Filters::only(Filter::Mhp)).n_kept.iter().sum();
        let off = [Filter::Escape, Filter::Disjoint].map(|filter| rw(Filters::default().without(filter)));
        for (_, filter) in BITES.iter().filter(|(program, _)| *program == row.program) {
            let without = if *filter == Filter::Escape { off[0] } else { off[1] };
            ensure!(without > reads, "{}: the filter {} removes nothing", row.program, filter.name());
        }
        println!(
            "| {} | {} | {} | {parallel} | {reads} | {locks} | {barging} | {waits} | {} | {} | {seconds:.4} |",
            row.group.letter(),
            row.program,
            analysis.n_nodes(),
            off[0],
            off[1],
        );
    }
    Ok(())
}

/// What a search took until the first failure.
struct Taken {
    states: u64,
    steps: u64,
    /// The analysis included.
    seconds: f64,
    /// The search alone.
    search: f64,
    has_found: bool,
    /// It was stopped after the limit.
    is_stopped: bool,
}

fn settings(limit: Duration) -> Settings {
    Settings { budget: Budget { runs: None, time: Some(limit) }, stop_at_first: true, ..Settings::default() }
}

fn search(program: &Program, strategy: &mut dyn Strategy, limit: Duration) -> anyhow::Result<Outcome> {
    Ok(check(program, &programs::test(RaceMode::Ignore), strategy, &settings(limit), &mut Silent)?)
}

fn has_found(row: &Row, outcome: &Outcome) -> anyhow::Result<bool> {
    let kinds: Vec<FindingKind> = outcome.findings.iter().map(|found| found.finding.kind).collect();
    ensure!(kinds.is_empty() || kinds == [row.kind], "{}: found {kinds:?}", row.name());
    Ok(!kinds.is_empty())
}

fn explicitly(row: &Row, program: &Program, limit: Duration) -> anyhow::Result<Taken> {
    let (seconds, (states, outcome)) = timed_well(|| {
        let mut strategy = Explicit::default();
        let outcome = search(program, &mut strategy, limit)?;
        Ok((strategy.n_states() as u64, outcome))
    })?;
    let (has_found, is_stopped) = (has_found(row, &outcome)?, outcome.summary.stop == Stop::Time);
    Ok(Taken { states, steps: outcome.summary.steps, seconds, search: seconds, has_found, is_stopped })
}

fn guided(row: &Row, program: &Program, limit: Duration) -> anyhow::Result<Taken> {
    let (looking, _) = timed_well(|| {
        let analysis = Analysis::of(program, Work::default())?;
        Ok(Guide::new(&analysis, Filters::default(), None).map(|_| ())?)
    })?;
    let analysis = Analysis::of(program, Work::default())?;
    let (seconds, (counts, outcome)) = timed_well(|| {
        let guide = Guide::new(&analysis, Filters::default(), None)?;
        let mut strategy = ValueSchedule::new(guide, Default::default());
        let outcome = search(program, &mut strategy, limit)?;
        Ok((strategy.counts(), outcome))
    })?;
    ensure!(has_found(row, &outcome)?, "{}: value-schedule finds nothing", row.name());
    let (states, steps) = (counts.points, outcome.summary.steps + counts.forgotten_steps);
    Ok(Taken { states, steps, seconds: looking + seconds, search: seconds, has_found: true, is_stopped: false })
}

/// The smallest size for which the baseline needs a second, or the largest.
fn hard_enough(row: &Row, limit: Duration) -> anyhow::Result<(u32, Program, Taken)> {
    let mut last = None;
    for &size in row.sizes {
        let program = row.load(size)?;
        let taken = explicitly(row, &program, limit)?;
        let is_enough = taken.has_found && taken.seconds >= 1.0 || taken.is_stopped;
        // A size may be too small for the failure to exist.
        if taken.has_found || is_enough {
            last = Some((size, program, taken));
        }
        if is_enough {
            break;
        }
    }
    last.with_context(|| format!("{}: the baseline finds nothing at any size", row.name()))
}

/// Tables 6.2 to 6.5, each as the number for value schedules, that of the baseline, and their ratio.
fn value_schedules(options: &Options) -> anyhow::Result<()> {
    let limit = Duration::from_secs(if options.quick { 10 } else { 600 });
    println!("\n## Until the first failure: value-schedule beside explicit\n");
    println!("A baseline that was stopped after {} s without a failure is marked with >.\n", limit.as_secs());
    println!("| | program | N | states | baseline | steps | baseline | seconds | of these search | baseline | ratio |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|");
    let mut ratios: Vec<(Group, [f64; 4])> = Vec::new();
    let mut failed = Vec::new();
    for row in ROWS {
        // A row that fails is told at the end, and the others are measured all the same.
        let measured = hard_enough(row, limit).and_then(|(size, program, baseline)| {
            let own = guided(row, &program, limit)?;
            Ok((size, own, baseline))
        });
        let (size, own, baseline) = match measured {
            Ok(measured) => measured,
            Err(error) => {
                failed.push(format!("{error:#}"));
                continue;
            }
        };
        let ratio = |own: f64, other: f64| other.max(1e-6) / own.max(1e-6);
        let of_row = [
            ratio(own.states.max(1) as f64, baseline.states.max(1) as f64),
            ratio(own.steps as f64, baseline.steps as f64),
            ratio(own.seconds, baseline.seconds),
            ratio(own.search, baseline.search),
        ];
        let more = if baseline.has_found { "" } else { "> " };
        println!(
            "| {} | {} | {size} | {} | {more}{} | {} | {more}{} | {:.3} | {:.3} | {more}{:.3} | {more}{:.1} |",
            row.group.letter(),
            row.name(),
            own.states,
            baseline.states,
            own.steps,
            baseline.steps,
            own.seconds,
            own.search,
            baseline.seconds,
            of_row[2],
        );
        ratios.push((row.group, of_row));
    }
    println!("\nGeometric means of the ratios baseline to value-schedule:\n");
    println!("| | states | steps | seconds | seconds of the search |");
    println!("|---|--:|--:|--:|--:|");
    let mean = |name: &str, rows: Vec<[f64; 4]>| {
        let of =
            |column: usize| (rows.iter().map(|row| row[column].ln()).sum::<f64>() / rows.len().max(1) as f64).exp();
        println!("| {name} | {:.1} | {:.1} | {:.1} | {:.1} |", of(0), of(1), of(2), of(3));
    };
    for group in Group::ALL {
        let rows = ratios.iter().filter(|(of, _)| *of == group).map(|(_, row)| *row).collect();
        mean(group.letter(), rows);
    }
    mean("all", ratios.iter().map(|(_, row)| *row).collect());
    ensure!(failed.is_empty(), "rows that could not be measured: {}", failed.join("; "));
    Ok(())
}
