//! Programs with symbolic inputs: paths per second, what the solver did for them, and what inputs and orders explored together save.

use crate::measure::{memory, timed};
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_engine::{Budget, Outcome, Settings, Silent, check};
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{RaceMode, SolverSummary, Test};

/// A program of `tests/programs/symbolic`, with what its comment says of the number of executions.
struct Explored {
    program: &'static str,
    cflags: &'static [&'static str],
    executions: u64,
}

const fn explored(program: &'static str, cflags: &'static [&'static str], executions: u64) -> Explored {
    Explored { program, cflags, executions }
}

/// Of one thread: executions are paths.
const PATHS: &[Explored] = &[
    explored("sorting", &["-DN=5"], 120),
    explored("sorting", &["-DN=6"], 720),
    explored("sorting", &["-DN=7"], 5_040),
    explored("sorting", &["-DN=6", "-DTIES"], 4_683),
    explored("tree_insert", &["-DN=5"], 541),
    explored("tree_insert", &["-DN=6"], 4_683),
    explored("tree_insert", &["-DN=7", "-DTWICE"], 5_040),
    explored("maze", &["-DSTEPS=18"], 235_769),
    explored("regexp", &["-DPATTERN=7"], 23_298),
    explored("regexp", &["-DTEXT=12"], 189),
    explored("tokenizer", &["-DLENGTH=5"], 36_025),
];

/// Of several threads: executions are pairs of a path and an order of dependent steps.
const PAIRS: &[Explored] = &[
    explored("who_locks", &["-DN=2"], 5),
    explored("who_locks", &["-DN=3"], 16),
    explored("who_locks", &["-DN=7"], 13_700),
    explored("which_account", &["-DN=2", "-DM=3"], 12),
    explored("which_account", &["-DN=3", "-DM=3"], 60),
    explored("which_account", &["-DN=5", "-DM=5"], 15_120),
    explored("which_reads", &["-DR=1"], 6),
    explored("which_reads", &["-DR=2"], 18),
    explored("which_reads", &["-DR=8"], 13_122),
];

/// Schedules that are enumerated without reduction, for comparison; what takes more is not counted.
const MOST_SCHEDULES: u64 = 200_000;

/// Shorter searches are made several times, since CPU time is told in milliseconds.
const FEW_EXECUTIONS: u64 = 1_000;

pub fn run(options: &Options) -> anyhow::Result<()> {
    let wanted = |all: &'static [Explored]| all.iter().filter(|search| options.wants(search.program)).collect();
    let (paths, pairs): (Vec<_>, Vec<_>) = (wanted(PATHS), wanted(PAIRS));
    if !paths.is_empty() {
        println!("## Paths of one thread: one core, CPU seconds, best of {}\n", options.repetitions());
        println!(
            "Of the queries it says how many each layer answered; one query can be split into several. Memory is resident KiB.\n"
        );
        println!(
            "| program | paths | seconds | paths/s | feasibility queries | queries | in the solver | fold | independence | cache | order | models | bits | KiB |"
        );
        println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|");
        for search in paths {
            paths_of(search, options)?;
        }
        println!();
    }
    if !pairs.is_empty() {
        println!("## Inputs and orders together: one core, CPU seconds, best of {}\n", options.repetitions());
        println!(
            "`product` is what exploring each path in as many orders as the path with the most would take; `schedules` is without any reduction.\n"
        );
        println!("| program | paths | most orders | product | executions | schedules | seconds | executions/s |");
        println!("|---|---:|---:|---:|---:|---:|---:|---:|");
        for search in pairs {
            pairs_of(search, options)?;
        }
        println!();
    }
    Ok(())
}

/// The best time, with what it was for.
fn best(search: &Explored, program: &Program, options: &Options) -> anyhow::Result<(f64, Outcome, SolverSummary)> {
    let mut best: Option<(f64, Outcome)> = None;
    let times = (FEW_EXECUTIONS / search.executions).max(1);
    for _ in 0..options.repetitions() {
        let (seconds, outcome) = timed(|| {
            for _ in 1..times {
                go(program, "dpor", None)?;
            }
            go(program, "dpor", None)
        })?;
        let seconds = seconds / times as f64;
        let counted = (outcome.summary.executions, outcome.summary.blocked);
        ensure!(
            counted == (search.executions, 0),
            "{} {:?} made {counted:?} executions and blocked ones instead of {}",
            search.program,
            search.cflags,
            search.executions
        );
        if best.as_ref().is_none_or(|best| seconds < best.0) {
            best = Some((seconds, outcome));
        }
    }
    let (seconds, outcome) = best.context("there is at least one repetition")?;
    let solver = outcome.summary.solver.clone().context("the program has no symbolic inputs")?;
    Ok((seconds, outcome, solver))
}

fn name(search: &Explored) -> String {
    let flags: Vec<&str> = search.cflags.iter().map(|flag| flag.trim_start_matches("-D")).collect();
    format!("{} {}", search.program, flags.join(" "))
}

fn paths_of(search: &Explored, options: &Options) -> anyhow::Result<()> {
    let program = programs::read(&programs::symbolic(search.program), search.cflags)?;
    let (seconds, outcome, solver) = best(search, &program, options)?;
    ensure!(solver.paths == search.executions, "{} has {} different paths", search.program, solver.paths);
    let answered: Vec<String> = solver.layers.iter().map(|layer| layer.answered.to_string()).collect();
    println!(
        "| {} | {} | {seconds:.3} | {} | {} | {} | {:.0}% | {} | {} |",
        name(search),
        solver.paths,
        (solver.paths as f64 / seconds).round(),
        outcome.summary.solver_queries,
        solver.queries,
        100.0 * solver.time.as_secs_f64() / seconds,
        answered.join(" | "),
        memory()?.0
    );
    Ok(())
}

fn pairs_of(search: &Explored, options: &Options) -> anyhow::Result<()> {
    let program = programs::read(&programs::symbolic(search.program), search.cflags)?;
    let (seconds, _, solver) = best(search, &program, options)?;
    let every = go(&program, "exhaustive", Some(MOST_SCHEDULES))?.summary.executions;
    let schedules = if every < MOST_SCHEDULES { every.to_string() } else { format!("over {MOST_SCHEDULES}") };
    let SolverSummary { paths, most_orders, .. } = solver;
    println!(
        "| {} | {paths} | {most_orders} | {} | {} | {schedules} | {seconds:.3} | {} |",
        name(search),
        paths * most_orders,
        search.executions,
        (search.executions as f64 / seconds).round()
    );
    Ok(())
}

fn go(program: &Program, strategy: &str, runs: Option<u64>) -> anyhow::Result<Outcome> {
    let mut strategy =
        by_name(strategy, &Parameters { seed: 1, ..Parameters::default() }).context("no such strategy")?;
    let settings = Settings { budget: Budget { runs, time: None }, solver_summary: true, ..Settings::default() };
    let plain = programs::test(RaceMode::Ignore);
    let test = Test { machine: gordian_trace::Machine { symbolic: true, ..plain.machine.clone() }, ..plain };
    Ok(check(program, &test, strategy.as_mut(), &settings, &mut Silent)?)
}
