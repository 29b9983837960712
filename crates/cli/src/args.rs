//! The command line. Help texts are part of the product: they teach.

mod derived;
mod predict;
mod search;

pub use derived::*;
pub use predict::*;
pub use search::*;

use crate::inputs::InputArgs;
use crate::values::variable;
use clap::{Args, Parser, Subcommand, ValueEnum};
use gordian_trace::RaceMode;
use std::path::PathBuf;

pub const DEFAULT_STRATEGY: &str = "dpor";

/// Steps of an execution when the user names no bound.
pub const DEFAULT_MAX_STEPS: u64 = 100_000;

/// Runs of a sampling strategy when the user names no budget.
pub const DEFAULT_RUNS: u64 = 1000;

/// Finds the inputs and the thread schedule that break a multithreaded C program, and hands you a file that replays them
#[derive(Debug, Parser)]
#[command(
    name = "gordian",
    version,
    subcommand_required = true,
    arg_required_else_help = true,
    max_term_width = 100,
    after_help = "\
Examples:
  gordian check bank.c                        every behaviour: find all bugs or prove there is none
  gordian check bank.c --strategy random      sample 1000 schedules, stop at the first failure
  gordian replay bank-deadlock-1.gordian      show that failure again, step by step

Exit codes: 0 safe, 1 bug, 2 bad usage or input, 3 bounded or inconclusive, 70 internal error"
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Debug, Subcommand)]
pub enum Command {
    Check(Box<CheckArgs>),
    Run(RunArgs),
    Replay(ReplayArgs),
    Shrink(ShrinkArgs),
    Pairs(PairsArgs),
    Sequentialize(SequentializeArgs),
    Record(RecordArgs),
    Predict(PredictArgs),
    Trace(TraceArgs),
    Ir(IrArgs),
}

/// Explore the schedules and the inputs of a program and report what goes wrong in them
///
/// Inputs are what the program asks gordian for (`#include <gordian.h>`: `int x = gordian_int("x");`, and likewise the
/// functions of KLEE, CREST and SV-COMP), and what the options under "Inputs" name. Every value of an input that leads
/// elsewhere is explored, and a finding tells the values that lead to it.
///
/// Every finding is confirmed by replaying it, and saved as a test that `gordian replay` shows again.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian check queue.c                                  every behaviour, each once
  gordian check queue.c --estimate                       how many executions would that be?
  gordian check queue.c --time 1m --stop-at-first        at most a minute, until something fails
  gordian check queue.c --strategy random --runs 5000    a quick look at a large program
  gordian check queue.c --strategy pct --depth 3 --time 5m --keep-going
  gordian check queue.c --strategy interference          fewest reads of other threads' values first
  gordian check parser.c --sym-stdin 4                   any four bytes of standard input
  gordian check server.c --sym-arg 1 8 --sym-env PORT 5  any first argument, any variable PORT
  gordian check main.c queue.c --cflag=-DSIZE=4 -- 10 20  two files, a macro, program arguments
  gordian check queue.c --json | jq .verdict             for other programs")]
pub struct CheckArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Folder for the tests of what is found
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = "Output")]
    pub out: PathBuf,
    /// Report which branch directions were taken and which never were
    #[arg(long, help_heading = "Output")]
    pub coverage: bool,
    /// Count paths, and say which part of the solver answered how many queries; one worker searches. Of a search by
    /// interferences, say how long each number of them took
    #[arg(long, help_heading = "Output")]
    pub solver_summary: bool,
    /// Folder for tests that together take every branch direction that the search covered, and a list of them
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub emit_tests: Option<PathBuf>,
}

/// Run a program once, under the schedule in which each thread runs until it blocks
///
/// Its output passes through, its files are written when it ends, and its exit status becomes gordian's. A failure is
/// reported on stderr.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian run sort.c -- 3 1 2
  gordian run filter.c --stdin input.txt
  echo hello | gordian run filter.c")]
pub struct RunArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
}

/// Replay a saved test exactly, and show its trace
///
/// Exit code 1 when the finding shows again, 0 when it does not.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian replay bank-deadlock-1.gordian
  gordian replay bank-deadlock-1.gordian --trace full
  gordian replay bank-deadlock-1.gordian --force      after a change of the program: is it gone?")]
pub struct ReplayArgs {
    /// The saved test
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// Replay although the program has changed since, as far as the schedule still fits
    #[arg(long)]
    pub force: bool,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Remove context switches and choices from a test while the same finding remains
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian shrink queue-assertion-1.gordian                  writes queue-assertion-1-shrunk.gordian
  gordian shrink queue-assertion-1.gordian -o small.gordian")]
pub struct ShrinkArgs {
    /// The saved test
    #[arg(value_name = "TEST")]
    pub test: PathBuf,
    /// Where to write the smaller test
    #[arg(short, long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Print the instructions that a program is lowered to
#[derive(Debug, Args)]
pub struct IrArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    /// Check signed arithmetic, as `check --overflow` does
    #[arg(long)]
    pub overflow: bool,
    /// Print gordian's own libc too
    #[arg(long)]
    pub all: bool,
}

#[derive(Debug, Args)]
pub struct ProgramArgs {
    /// C sources (.c), LLVM bitcode (.bc) or assembly (.ll), linked together
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A flag for the compiler; repeat for more
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true, help_heading = "Program")]
    pub cflags: Vec<String>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Program")]
pub struct MachineArgs {
    /// What the program reads on its standard input; `-` for gordian's own
    #[arg(long, value_name = "FILE")]
    pub stdin: Option<PathBuf>,
    /// A variable of the program's environment, which is empty otherwise; repeat for more
    #[arg(long = "env", value_name = "NAME=VALUE", value_parser = variable)]
    pub environment: Vec<(String, String)>,
    /// Allow native calls of an external function that gordian has no model of; repeat for more
    #[arg(long, value_name = "NAME")]
    pub native: Vec<String>,
    /// Seed of everything random: sampled schedules, `rand`, unknown inputs
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub seed: u64,
    /// Most steps of one execution [default: 100000; of `record`: no limit]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub max_steps: Option<u64>,
    /// Most iterations of a loop: how often a thread may go back in a loop that it entered
    ///
    /// A thread that would go back once more stops there for good, and the others go on. Waiting loops that the machine
    /// blocks until something changes do not count, nor do the loops of the library.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub unroll: Option<u32>,

    /// What to do about data races
    #[arg(long, value_enum, value_name = "MODE", default_value_t = Races::Report, help_heading = "What to look for")]
    pub races: Races,
    /// Let condition variables wake up for no reason
    #[arg(long, help_heading = "What to look for")]
    pub spurious: bool,
    /// Let weak compare-and-swap fail for no reason
    #[arg(long, help_heading = "What to look for")]
    pub weak_cas_fails: bool,
    /// Report the use of uninitialised memory
    #[arg(long, help_heading = "What to look for")]
    pub uninit: bool,
    /// Report memory that is never freed
    #[arg(long, help_heading = "What to look for")]
    pub leaks: bool,
    /// Report signed integer overflow
    #[arg(long, help_heading = "What to look for")]
    pub overflow: bool,
    /// Report what else C leaves undefined: numbers that do not fit where they are converted, misaligned accesses,
    /// indices beyond a part of an object, and the like
    #[arg(long, help_heading = "What to look for")]
    pub undefined: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Races {
    /// Collect distinct pairs of places and go on
    Report,
    /// Say nothing about them
    Ignore,
    /// A race ends the execution, like a crash
    Stop,
}

impl From<Races> for RaceMode {
    fn from(races: Races) -> Self {
        match races {
            Races::Report => RaceMode::Report,
            Races::Ignore => RaceMode::Ignore,
            Races::Stop => RaceMode::Stop,
        }
    }
}

#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// Print one JSON document on stdout
    #[arg(long)]
    pub json: bool,
    /// Print a line for each finding and one for the verdict, and no progress
    #[arg(long, short)]
    pub quiet: bool,
    /// How much of each trace to show
    #[arg(long, value_enum, value_name = "HOW", default_value_t = Trace::Short)]
    pub trace: Trace,
    /// Report progress on stderr even if it is no terminal
    #[arg(long, conflicts_with = "quiet")]
    pub progress: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Trace {
    /// None of it
    None,
    /// Leave out long stretches that have no part in the finding
    Short,
    /// Every step
    Full,
}

impl From<Trace> for gordian_report::Detail {
    fn from(trace: Trace) -> Self {
        match trace {
            Trace::None => gordian_report::Detail::None,
            Trace::Short => gordian_report::Detail::Short,
            Trace::Full => gordian_report::Detail::Full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn the_later_of_two_opposites_wins() {
        let cli = Cli::parse_from(["gordian", "check", "a.c", "--stop-at-first", "--keep-going", "--", "-x"]);
        let Command::Check(check) = cli.command else { panic!("not a check") };
        assert!(check.search.keep_going && !check.search.stop_at_first);
        assert_eq!(check.program.arguments, ["-x"]);
    }
}
