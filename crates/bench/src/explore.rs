//! Executions per second on one core, and the memory that they take.

use crate::measure::{memory, timed_well};
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_engine::{Budget, Outcome, Settings, Silent, Strategy, check};
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::RaceMode;

/// A search with the number of executions that it must make.
pub struct Search {
    pub program: &'static str,
    pub cflags: &'static [&'static str],
    races: RaceMode,
    strategy: &'static str,
    runs: Option<u64>,
    pub executions: u64,
}

const fn exhaustive(program: &'static str, races: RaceMode, executions: u64) -> Search {
    Search { program, cflags: &[], races, strategy: "exhaustive", runs: None, executions }
}

const fn sampling(program: &'static str, strategy: &'static str, runs: u64) -> Search {
    Search { program, cflags: &[], races: RaceMode::Report, strategy, runs: Some(runs), executions: runs }
}

/// A program of `tests/programs/counts`.
const fn reduced(program: &'static str, cflags: &'static [&'static str], executions: u64) -> Search {
    Search { program, cflags, races: RaceMode::Ignore, strategy: "dpor", runs: None, executions }
}

/// The same with the race detector, as `gordian check` has it, of a program without races.
const fn reduced_with_races(program: &'static str, cflags: &'static [&'static str], executions: u64) -> Search {
    Search { races: RaceMode::Report, ..reduced(program, cflags, executions) }
}

/// The programs tell why there are so many.
const SEARCHES: &[Search] = &[
    exhaustive("locked_increments", RaceMode::Report, 184_756),
    exhaustive("locked_increments", RaceMode::Ignore, 184_756),
    exhaustive("racy_increments", RaceMode::Report, 184_756),
    exhaustive("racy_increments", RaceMode::Ignore, 184_756),
    exhaustive("readers", RaceMode::Report, 369_600),
    sampling("locked_increments", "random", 20_000),
    sampling("locked_increments", "pct", 20_000),
    sampling("locked_increments", "pos", 20_000),
    reduced_with_races("lock_increment", &["-DN=8"], 40_320),
    reduced_with_races("peterson", &["-DROUNDS=3"], 22_620),
    reduced_with_races("indexer", &["-DN=15"], 4_096),
    reduced_with_races("philosophers", &["-DN=14"], 16_382),
    sampling("bounded_buffer", "random", 20_000),
    sampling("bounded_buffer", "pct", 20_000),
    sampling("bounded_buffer", "pos", 20_000),
];

/// Those on which strategy and machine are also measured apart.
pub const REDUCED: &[Search] = &[
    reduced("fibonacci", &["-DROUNDS=5"], 218_243),
    reduced("lock_increment", &["-DN=8"], 40_320),
    reduced("lock_increment", &["-DN=5", "-DR=2"], 113_400),
    reduced("readers", &["-DN=15"], 32_768),
    reduced("reads_per_thread", &["-DN=5", "-DR=6"], 16_807),
    reduced("peterson", &["-DROUNDS=3"], 22_620),
    reduced("last_zero", &["-DN=12"], 15_360),
    reduced("indexer", &["-DN=15"], 4_096),
    reduced("file_system", &["-DN=26"], 8_192),
    reduced("philosophers", &["-DN=14"], 16_382),
];

/// Executions after which memory is looked at for the first time.
const FEW: u64 = 2_000;

pub fn run(options: &Options) -> anyhow::Result<()> {
    let searches: Vec<_> = SEARCHES.iter().chain(REDUCED).filter(|search| options.wants(search.program)).collect();
    if searches.is_empty() {
        return Ok(());
    }
    println!("## Exploring: one core, CPU seconds, best of {}\n", options.repetitions());
    println!("Memory is resident KiB after {FEW} executions and after all of them.\n");
    println!(
        "| program | races | strategy | executions | steps | seconds | executions/s | steps/s | KiB few | KiB all |"
    );
    println!("|---|---|---|---:|---:|---:|---:|---:|---:|---:|");
    for search in searches {
        measure(search, options)?;
    }
    println!("\nPeak resident memory of this process: {} KiB.", memory()?.1);
    Ok(())
}

fn measure(search: &Search, options: &Options) -> anyhow::Result<()> {
    let source = match search.strategy {
        "dpor" => programs::counted(search.program),
        _ => programs::source(search.program),
    };
    let program = programs::read(&source, search.cflags)?;
    go(search, &program, Some(FEW))?;
    let few = memory()?.0;
    let mut best = f64::INFINITY;
    let mut steps = 0;
    for _ in 0..options.repetitions() {
        let (seconds, outcome) = timed_well(|| go(search, &program, search.runs))?;
        let summary = outcome.summary;
        ensure!(
            (summary.executions, summary.blocked) == (search.executions, 0),
            "{} on {} made {} executions and {} blocked ones instead of {}",
            search.strategy,
            search.program,
            summary.executions,
            summary.blocked,
            search.executions
        );
        best = best.min(seconds);
        steps = summary.steps;
    }
    let Search { program, races, strategy, executions, .. } = search;
    let rate = |n: u64| (n as f64 / best).round();
    let all = memory()?.0;
    println!(
        "| {program} | {races:?} | {strategy} | {executions} | {steps} | {best:.2} | {} | {} | {few} | {all} |",
        rate(*executions),
        rate(steps)
    );
    Ok(())
}

fn go(search: &Search, program: &Program, runs: Option<u64>) -> anyhow::Result<Outcome> {
    let mut strategy = strategy_of(search)?;
    let settings = Settings { budget: Budget { runs, time: None }, ..Settings::default() };
    Ok(check(program, &programs::test(search.races), strategy.as_mut(), &settings, &mut Silent)?)
}

pub fn strategy_of(search: &Search) -> anyhow::Result<Box<dyn Strategy>> {
    let parameters = Parameters { seed: 1, ..Parameters::default() };
    by_name(search.strategy, &parameters).context("no such strategy")
}
