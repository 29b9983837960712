//! What each shortcut of `dpor` is worth: executions per second with all of them, and the ratio to a search without it.

use crate::explore::{REDUCED, Search};
use crate::measure::timed_well;
use crate::{Options, programs};
use gordian_engine::{Budget, Settings, Silent, check};
use gordian_ir::Program;
use gordian_strategies::{Dpor, Shortcuts};
use gordian_trace::RaceMode;
use std::time::Duration;

/// Executions of a measurement at the most.
const RUNS: u64 = 20_000;
/// Its time at the most: without some of them searches take very long.
const TIME: Duration = Duration::from_secs(10);

pub fn run(options: &Options) -> anyhow::Result<()> {
    let is_wanted = |search: &&Search| options.wants(search.program) || options.wants("shortcuts");
    let searches: Vec<&Search> = REDUCED.iter().filter(is_wanted).collect();
    if searches.is_empty() {
        return Ok(());
    }
    println!("\n## Shortcuts of `dpor`: how many times faster a search is with each than without it\n");
    println!("CPU time of the first {RUNS} executions, or of those within {} seconds.\n", TIME.as_secs());
    let names: Vec<&str> = Shortcuts::OFF.iter().map(|(name, _)| *name).collect();
    println!("| program | executions/s | {} | memo |", names.join(" | "));
    println!("|---|---:|{}---:|", "---:|".repeat(names.len()));
    for search in searches {
        let program = programs::read(&programs::counted(search.program), search.cflags)?;
        let usual = rate(&program, Shortcuts::ALL, false, options)?;
        print!("| {} {} | {usual:.0} |", search.program, search.cflags.join(" "));
        for (_, shortcuts) in Shortcuts::OFF {
            print!(" {:.2} |", usual / rate(&program, shortcuts, false, options)?);
        }
        println!(" {:.2} |", usual / rate(&program, Shortcuts::ALL, true, options)?);
    }
    Ok(())
}

/// Executions per second of CPU time, the best of several measurements.
fn rate(program: &Program, shortcuts: Shortcuts, makes_every_step: bool, options: &Options) -> anyhow::Result<f64> {
    let budget = Budget { runs: Some(RUNS), time: Some(TIME) };
    let settings = Settings { budget, makes_every_step, ..Settings::default() };
    let mut best: f64 = 0.0;
    for _ in 0..options.repetitions() {
        let (seconds, outcome) = timed_well(|| {
            let mut strategy = Dpor::default().with_shortcuts(shortcuts);
            Ok(check(program, &programs::test(RaceMode::Ignore), &mut strategy, &settings, &mut Silent)?)
        })?;
        best = best.max(outcome.summary.executions as f64 / seconds);
    }
    Ok(best)
}
