//! Tables 6.2 to 6.5: what `value-schedule` and the baseline take until the first failure.

use super::{Group, ROWS, Row, geometric_mean, thesis};
use crate::measure::timed_well;
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_analysis::{Analysis, Budget as Work, Filters};
use gordian_engine::{
    Budget, Capabilities, Ended, FastForward, Next, Outcome, Point, Settings, Silent, Strategy, check,
};
use gordian_ir::Program;
use gordian_strategies::Explicit;
use gordian_trace::{Choice, Exploration, FindingKind, RaceMode, Stop};
use gordian_value_schedule::{Guide, ValueSchedule};
use std::time::Duration;

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

/// A row that was measured.
struct Measured {
    row: &'static Row,
    size: u32,
    own: Taken,
    baseline: Taken,
}

/// One of the four tables.
struct Table {
    title: &'static str,
    value: fn(&Taken) -> f64,
    /// Of a value schedule and of the baseline.
    thesis: fn(&thesis::Figures) -> (f64, Option<f64>),
    decimals: usize,
}

const TABLES: [Table; 4] = [
    Table {
        title: "States (table 6.2)",
        value: |taken| taken.states.max(1) as f64,
        thesis: |thesis| thesis.states,
        decimals: 0,
    },
    Table {
        title: "Steps (table 6.3: instructions)",
        value: |taken| taken.steps.max(1) as f64,
        thesis: |thesis| thesis.instructions,
        decimals: 0,
    },
    Table { title: "Seconds (table 6.4)", value: |taken| taken.seconds, thesis: |thesis| thesis.overall, decimals: 3 },
    Table {
        title: "Seconds of the search alone (table 6.5)",
        value: |taken| taken.search,
        thesis: |thesis| thesis.search,
        decimals: 3,
    },
];

pub fn run(options: &Options) -> anyhow::Result<()> {
    let limit = Duration::from_secs(if options.quick { 10 } else { 60 });
    let (mut measured, mut failed) = (Vec::new(), Vec::new());
    for row in ROWS {
        eprintln!("{} …", row.name());
        // A row that fails is told at the end, and the others are measured all the same.
        match measure(row, limit) {
            Ok(row) => measured.push(row),
            Err(error) => failed.push(format!("{error:#}")),
        }
    }
    println!("\n## Until the first failure: value-schedule beside explicit (tables 6.2 to 6.5)\n");
    println!("A baseline that was stopped after {} s without a failure is marked with >.", limit.as_secs());
    TABLES.iter().for_each(|table| print(table, &measured));
    ensure!(failed.is_empty(), "rows that could not be measured: {}", failed.join("; "));
    let slower = |of: &&Measured| of.baseline.seconds >= 1.0 && of.own.seconds > of.baseline.seconds;
    let slower: Vec<String> = measured.iter().filter(slower).map(|of| of.row.name()).collect();
    ensure!(slower.is_empty(), "the baseline is ahead although it takes a second: {}", slower.join(", "));
    Ok(())
}

fn measure(row: &'static Row, limit: Duration) -> anyhow::Result<Measured> {
    let (size, program, baseline) = hard_enough(row, limit)?;
    let own = guided(row, &program, limit)?;
    Ok(Measured { row, size, own, baseline })
}

fn print(table: &Table, measured: &[Measured]) {
    println!("\n### {}\n", table.title);
    println!("| | program | N | value-schedule | explicit | ratio | thesis: value-schedule | JPF 4.1 | ratio |");
    println!("|---|---|--:|--:|--:|--:|--:|--:|--:|");
    let digits = table.decimals;
    for Measured { row, size, own, baseline } in measured {
        let [mine, theirs] = [own, baseline].map(table.value);
        let more = if baseline.has_found { "" } else { "> " };
        let (thesis, jpf) = (table.thesis)(row.thesis());
        let [jpf, ratio] = match jpf {
            Some(jpf) => [format!("{jpf}"), format!("{:.1}", jpf / thesis)],
            None => ["> 1 h", "–"].map(str::to_owned),
        };
        println!(
            "| {} | {} | {size} | {mine:.digits$} | {more}{theirs:.digits$} | {more}{:.1} | {thesis} | {jpf} | {ratio} |",
            row.group.letter(),
            row.name(),
            theirs / mine,
        );
    }
    for group in Group::ALL {
        let of_group = |of: &&Measured| of.row.group == group;
        print_mean(group.name(), table, measured.iter().filter(of_group));
    }
    print_mean("all", table, measured.iter());
}

/// Rows without a ratio have no part in the mean: the baseline was stopped, or the thesis leaves them out of its averages.
fn print_mean<'a>(name: &str, table: &Table, rows: impl Iterator<Item = &'a Measured> + Clone) {
    let finished = rows.clone().filter(|of| of.baseline.has_found);
    let mine = geometric_mean(finished.map(|of| (table.value)(&of.baseline) / (table.value)(&of.own)));
    let regular = rows.map(|of| of.row.thesis()).filter(|thesis| !thesis.is_exceptional);
    let theirs = geometric_mean(regular.filter_map(|thesis| {
        let (own, baseline) = (table.thesis)(thesis);
        baseline.map(|baseline| baseline / own)
    }));
    let [mine, theirs] = [mine, theirs].map(|mean| mean.map_or_else(|| "–".to_owned(), |mean| format!("{mean:.1}")));
    println!("| | *geometric mean, {name}* | | | | {mine} | | | {theirs} |");
}

/// Counts the steps that a search makes: those of each execution that it does not share with the one before, given up or not.
struct Counted<'a> {
    strategy: &'a mut dyn Strategy,
    last: Vec<Choice>,
    steps: u64,
}

impl Strategy for Counted<'_> {
    fn exploration(&self) -> Exploration {
        self.strategy.exploration()
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.strategy.choose(point)
    }

    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        self.strategy.fast_forward()
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let shared = self.last.iter().zip(ended.schedule).take_while(|(a, b)| a == b).count();
        self.steps += (ended.schedule.len() - shared) as u64;
        self.last.truncate(shared);
        self.last.extend_from_slice(&ended.schedule[shared..]);
        self.strategy.next(ended)
    }

    fn notes(&self) -> Vec<String> {
        self.strategy.notes()
    }

    fn capabilities(&self) -> Capabilities {
        self.strategy.capabilities()
    }

    fn done(&self) -> Option<f64> {
        self.strategy.done()
    }
}

fn settings(limit: Duration) -> Settings {
    Settings { budget: Budget { runs: None, time: Some(limit) }, stop_at_first: true, ..Settings::default() }
}

/// What came of the search, and the steps that it made.
fn search(program: &Program, strategy: &mut dyn Strategy, limit: Duration) -> anyhow::Result<(Outcome, u64)> {
    let mut counted = Counted { strategy, last: Vec::new(), steps: 0 };
    let outcome = check(program, &programs::test(RaceMode::Ignore), &mut counted, &settings(limit), &mut Silent)?;
    // The execution that fails is the last, and nobody asks where the next begins.
    let (steps, last) = (counted.steps, outcome.findings.last().map_or(0, |found| found.test.schedule.0.len()));
    Ok((outcome, steps.max(last as u64)))
}

fn has_found(row: &Row, outcome: &Outcome) -> anyhow::Result<bool> {
    let kinds: Vec<FindingKind> = outcome.findings.iter().map(|found| found.finding.kind).collect();
    ensure!(kinds.is_empty() || kinds == [row.kind], "{}: found {kinds:?}", row.name());
    Ok(!kinds.is_empty())
}

fn explicitly(row: &Row, program: &Program, limit: Duration) -> anyhow::Result<Taken> {
    let (seconds, (states, (outcome, steps))) = timed_well(|| {
        let mut strategy = Explicit::default();
        let searched = search(program, &mut strategy, limit)?;
        Ok((strategy.n_states() as u64, searched))
    })?;
    let (has_found, is_stopped) = (has_found(row, &outcome)?, outcome.summary.stop == Stop::Time);
    Ok(Taken { states, steps, seconds, search: seconds, has_found, is_stopped })
}

fn guided(row: &Row, program: &Program, limit: Duration) -> anyhow::Result<Taken> {
    let (looking, _) = timed_well(|| {
        let analysis = Analysis::of(program, Work::default())?;
        Ok(Guide::new(&analysis, Filters::default(), None).map(|_| ())?)
    })?;
    let analysis = Analysis::of(program, Work::default())?;
    let (seconds, (states, (outcome, steps))) = timed_well(|| {
        let guide = Guide::new(&analysis, Filters::default(), None)?;
        let mut strategy = ValueSchedule::new(guide, Default::default());
        let searched = search(program, &mut strategy, limit)?;
        Ok((strategy.counts().points, searched))
    })?;
    ensure!(has_found(row, &outcome)?, "{}: value-schedule finds nothing", row.name());
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
