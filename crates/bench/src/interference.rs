//! Programs of two papers on interferences: what each degree covers, what the optimisations are worth, and how the search compares with
//! `dpor`. `cargo xtask bench interference` prints these tables alone.

use crate::measure::timed;
use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_engine::{Budget, Outcome, Settings, Silent, check};
use gordian_interference::Options as Ways;
use gordian_ir::Program;
use gordian_strategies::{Parameters, by_name};
use gordian_trace::{InterferenceEnd, InterferenceSummary, RaceMode, Test};
use gordian_vm::Machine;
use std::time::Duration;

/// A program of `tests/programs/interference`.
struct Tested {
    program: &'static str,
    cflags: &'static [&'static str],
    /// Interferences of its failure, as the papers have it or its comment says; none if it has none.
    degree: Option<usize>,
}

const fn tested(program: &'static str, cflags: &'static [&'static str], degree: Option<usize>) -> Tested {
    Tested { program, cflags, degree }
}

const PROGRAMS: &[Tested] = &[
    tested("account", &[], Some(1)),
    tested("addall", &[], Some(1)),
    tested("aget", &[], Some(1)),
    tested("art", &["-DTHREADS=2"], Some(1)),
    tested("art", &["-DTHREADS=3"], Some(1)),
    tested("art", &["-DTHREADS=4"], Some(1)),
    tested("art", &["-DTHREADS=5"], Some(1)),
    tested("art", &["-DTHREADS=8"], Some(1)),
    tested("bluetooth", &[], Some(2)),
    tested("ftp_quit", &[], Some(1)),
    tested("ftp_users", &[], Some(1)),
    tested("hash_set", &[], Some(1)),
    tested("meeting", &[], Some(1)),
    tested("mutual", &[], Some(1)),
    tested("pfscan", &["-DWORKERS=1"], Some(4)),
    tested("ray_tracer", &[], Some(1)),
    tested("red_black", &["-DM=2"], None),
    tested("sor", &[], Some(2)),
    tested("splay", &["-DM=2"], None),
    tested("stack", &[], Some(2)),
    tested("string_buffer", &[], Some(1)),
    tested("tracing", &[], Some(1)),
    tested("vector", &[], Some(2)),
];

/// Searches that take longer are left.
const LIMIT: Duration = Duration::from_secs(30);

pub fn run(options: &Options) -> anyhow::Result<()> {
    let wanted = |tested: &&Tested| options.wants("interference") || options.wants(tested.program);
    let wanted: Vec<&Tested> = PROGRAMS.iter().filter(wanted).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    degrees(&wanted)?;
    if wanted.iter().any(|tested| tested.program == "pfscan") {
        optimisations()?;
    }
    beside_dpor(&wanted)
}

impl Tested {
    fn name(&self) -> String {
        let flags = self.cflags.iter().map(|flag| flag.trim_start_matches("-D"));
        [self.program].into_iter().chain(flags).collect::<Vec<_>>().join(" ")
    }

    fn load(&self) -> anyhow::Result<Program> {
        programs::read(&programs::interference(self.program), self.cflags)
    }
}

fn template() -> Test {
    let mut test = programs::test(RaceMode::Ignore);
    test.machine.symbolic = true;
    test
}

fn settings(stop_at_first: bool) -> Settings {
    Settings { budget: Budget { runs: None, time: Some(LIMIT) }, stop_at_first, ..Settings::default() }
}

fn search(program: &Program, ways: Ways, stop_at_first: bool) -> anyhow::Result<(f64, Outcome)> {
    let settings = settings(stop_at_first);
    timed(|| Ok(gordian_interference::check(program, &template(), ways, &settings, &mut Silent)?))
}

fn summary(outcome: &Outcome) -> anyhow::Result<&InterferenceSummary> {
    outcome.summary.interference.as_ref().context("a search by interferences tells of them")
}

/// Threads besides main and inputs, in the execution in which each thread runs as long as it can.
fn size(program: &Program) -> anyhow::Result<(usize, usize)> {
    let mut machine = Machine::new(program, &programs::test(RaceMode::Ignore))?;
    while let Some(&choice) = machine.choices().first() {
        machine.step(choice);
    }
    Ok((machine.n_threads() - 1, machine.inputs().len()))
}

/// Degrees that brought something, as `k: n`.
fn by_degree(summary: &InterferenceSummary) -> String {
    let told = |&(k, n): &(usize, usize)| if k == 0 { n.to_string() } else { format!("+{n} at {k}") };
    let degrees = summary.degrees.iter().enumerate().map(|(k, degree)| (k, degree.branches));
    let degrees: Vec<(usize, usize)> = degrees.filter(|&(k, n)| k == 0 || n > 0).collect();
    degrees.iter().map(told).collect::<Vec<_>>().join(", ")
}

fn end(end: InterferenceEnd) -> &'static str {
    match end {
        InterferenceEnd::FullCoverage => "full coverage",
        InterferenceEnd::MaximalCoverage => "maximal coverage",
        InterferenceEnd::Interferences => "interferences",
        InterferenceEnd::Stopped => "time",
    }
}

fn degrees(wanted: &[&Tested]) -> anyhow::Result<()> {
    println!("## Interferences: one core, CPU seconds\n");
    println!(
        "Branches are the ways that all of them can go; those covered are told for each k that brought new ones.\n"
    );
    println!(
        "| program | threads | inputs | branches | covered | highest k | failure at k | candidates | realizable | solver calls | executions | seconds | end |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for tested in wanted {
        let program = tested.load()?;
        let (threads, inputs) = size(&program)?;
        let (seconds, outcome) = search(&program, Ways::default(), false)?;
        let summary = summary(&outcome)?;
        let found = summary.degrees.iter().position(|degree| degree.findings > 0);
        ensure!(
            found == tested.degree,
            "{} fails with {found:?} interferences, and should with {:?}",
            tested.name(),
            tested.degree
        );
        println!(
            "| {} | {threads} | {inputs} | {} | {} | {} | {} | {} | {} | {} | {} | {seconds:.2} | {} |",
            tested.name(),
            summary.branches,
            by_degree(summary),
            summary.degrees.len() - 1,
            found.map_or("–".to_owned(), |k| k.to_string()),
            summary.degrees.iter().map(|degree| degree.candidates).sum::<u64>(),
            summary.degrees.iter().map(|degree| degree.realizable).sum::<u64>(),
            summary.data_queries + summary.order_queries,
            outcome.summary.executions,
            end(summary.end),
        );
    }
    println!();
    Ok(())
}

/// Each of the optimisations on and off, as in the paper, for the file scanner.
fn optimisations() -> anyhow::Result<()> {
    println!("## What the optimisations are worth, for `pfscan` with one worker\n");
    println!(
        "U: unsat-core guidance, P: prioritized exploration, D: duplication freedom. {} s at most for each search.\n",
        LIMIT.as_secs()
    );
    println!("| U | P | D | candidates to the failure | seconds | highest k | candidates in all | seconds | end |");
    println!("|---|---|---|---|---|---|---|---|---|");
    let program = programs::read(&programs::interference("pfscan"), &["-DWORKERS=1"])?;
    let flag = |on: bool| if on { "+" } else { "–" };
    for bits in (0..8).rev() {
        let (core_guidance, priorities, duplication_freedom) = (bits & 4 != 0, bits & 2 != 0, bits & 1 != 0);
        let ways = Ways { core_guidance, duplication_freedom, priorities, ..Ways::default() };
        let (to_failure, first) = search(&program, ways, true)?;
        let (in_all, all) = search(&program, ways, false)?;
        let candidates = |outcome: &Outcome| {
            Ok::<u64, anyhow::Error>(summary(outcome)?.degrees.iter().map(|of| of.candidates).sum())
        };
        let found = if first.findings.is_empty() { "not found: ".to_owned() } else { String::new() };
        println!(
            "| {} | {} | {} | {found}{} | {to_failure:.2} | {} | {} | {in_all:.2} | {} |",
            flag(core_guidance),
            flag(priorities),
            flag(duplication_freedom),
            candidates(&first)?,
            summary(&all)?.degrees.len() - 1,
            candidates(&all)?,
            end(summary(&all)?.end),
        );
    }
    println!();
    Ok(())
}

fn beside_dpor(wanted: &[&Tested]) -> anyhow::Result<()> {
    println!("## Beside `dpor` with symbolic inputs: one core, CPU seconds\n");
    println!(
        "| program | to the failure: interference | seconds | dpor | seconds | to the end: interference | seconds | dpor | seconds |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for tested in wanted {
        let program = tested.load()?;
        let (_, inputs) = size(&program)?;
        let mut cells = Vec::new();
        for stop_at_first in [true, false] {
            let (seconds, outcome) = search(&program, Ways::default(), stop_at_first)?;
            let (of_dpor, dpor) = timed(|| {
                let settings = Settings { inputs_first: inputs > 0, ..settings(stop_at_first) };
                let mut strategy = by_name("dpor", &Parameters::default()).context("there is dpor")?;
                Ok(check(&program, &template(), strategy.as_mut(), &settings, &mut Silent)?)
            })?;
            ensure!(
                outcome.findings.is_empty() == dpor.findings.is_empty(),
                "{}: one of two searches finds a failure",
                tested.name()
            );
            for (seconds, outcome) in [(seconds, &outcome), (of_dpor, &dpor)] {
                let executions = outcome.summary.executions + outcome.summary.blocked;
                let is_told = !stop_at_first || tested.degree.is_some();
                cells.push(if is_told { format!("{executions} | {seconds:.3}") } else { "– | –".to_owned() });
            }
        }
        println!("| {} | {} |", tested.name(), cells.join(" | "));
    }
    println!();
    Ok(())
}
