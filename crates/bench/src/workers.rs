//! What a second worker is worth.

use crate::{Options, programs};
use anyhow::{Context, ensure};
use gordian_engine::{Jobs, Settings, Silent, check_together};
use gordian_ir::Program;
use gordian_strategies::DporTeam;
use gordian_trace::RaceMode;
use std::time::Instant;

/// Programs of `tests/programs/counts`, and their executions.
const SEARCHES: &[(&str, &str, u64)] = &[
    ("lock_increment", "-DN=9", 362_880),
    ("writers", "-DN=9", 362_880),
    ("readers", "-DN=17", 131_072),
    ("reads_per_thread", "-DN=6 -DR=6", 117_649),
    ("seqlock", "-DN=5", 759_375),
    ("last_zero", "-DN=15", 147_456),
    ("indexer", "-DN=16", 32_768),
    ("file_system", "-DN=26", 8_192),
    ("philosophers", "-DN=17", 131_070),
    ("ticket_lock", "-DN=5", 122_880),
    ("fibonacci", "-DROUNDS=5", 218_243),
    ("peterson", "-DROUNDS=4", 1_007_220),
];

pub fn run(options: &Options) -> anyhow::Result<()> {
    if !options.wants("workers") {
        return Ok(());
    }
    // The other core is seldom quiet for long.
    let repetitions = options.repetitions() * 4;
    println!("\n## Two workers: seconds of a clock on the wall, best of {repetitions}\n");
    println!("| program | executions | one worker | two workers | ratio |");
    println!("|---|---:|---:|---:|---:|");
    for &(name, cflag, executions) in SEARCHES {
        let cflags: Vec<&str> = cflag.split(' ').collect();
        let program = programs::read(&programs::counted(name), &cflags)?;
        let mut best = [f64::INFINITY; 2];
        for _ in 0..repetitions {
            for (best, n) in best.iter_mut().zip(1..) {
                *best = best.min(seconds(&program, n, executions)?);
            }
        }
        let [one, two] = best;
        println!("| {name} {cflag} | {executions} | {one:.2} | {two:.2} | {:.2} |", one / two);
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "this is about the time that a user waits")]
fn seconds(program: &Program, n: usize, executions: u64) -> anyhow::Result<f64> {
    let begin = Instant::now();
    let test = programs::test(RaceMode::Ignore);
    let team = DporTeam::default();
    let outcome = check_together(program, &test, &team, Jobs::new(n), &Settings::default(), &mut Silent)?;
    let seconds = begin.elapsed().as_secs_f64();
    let made = outcome.context("these searches can be shared")?.summary.executions;
    ensure!(made == executions, "{n} workers made {made} executions instead of {executions}");
    Ok(seconds)
}
