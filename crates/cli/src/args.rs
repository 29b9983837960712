//! The command line. Help texts are part of the product: they teach.

use crate::inputs::InputArgs;
use crate::values::{duration, variable};
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use gordian_strategies::pct::DEFAULT_DEPTH;
use gordian_trace::RaceMode;
use std::path::PathBuf;
use std::time::Duration;

pub const DEFAULT_STRATEGY: &str = "dpor";
/// What takes its place under a bound that it cannot keep.
/// For a bound on preemptions, which other reductions do not go with.
const BOUNDED_STRATEGY: &str = gordian_strategies::bounded::NAME;
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
    Record(RecordArgs),
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
    /// Say which ways branches went and which never did
    #[arg(long, help_heading = "Output")]
    pub coverage: bool,
    /// Count paths, and say which part of the solver answered how many queries; one worker searches. Of a search by
    /// interferences, say how long each number of them took
    #[arg(long, help_heading = "Output")]
    pub solver_summary: bool,
    /// Folder for tests that together go all ways of branches that the search found, and a list of them
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

/// Run a program once and write what it did to a trace
///
/// The trace is written while the program runs. It holds the test that was run, so `gordian predict` can run the same
/// again, reorder it, and find what could have happened. A run that fails is reported, with exit code 1.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian record queue.c -o run.trace                       the schedule of `gordian run`
  gordian record queue.c -o run.trace --schedule random --seed 7
  gordian record --test queue-assertion-1.gordian -o run.trace")]
pub struct RecordArgs {
    #[command(flatten)]
    pub program: RecordedProgramArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Where to write the trace
    #[arg(short, long, value_name = "FILE", default_value = "run.trace")]
    pub out: PathBuf,
    /// Which schedule to run
    #[arg(long, value_enum, value_name = "HOW", default_value_t, conflicts_with = "test")]
    pub schedule: RunSchedule,
    /// Run a saved test, and then the default schedule
    #[arg(long, value_name = "TEST", conflicts_with = "files")]
    pub test: Option<PathBuf>,
    /// Run the test although the program has changed since
    #[arg(long, requires = "test")]
    pub force: bool,
}

/// The program of a recording: files, unless a test names them.
#[derive(Debug, Args)]
pub struct RecordedProgramArgs {
    /// C sources (.c), LLVM bitcode (.bc) or assembly (.ll), linked together
    #[arg(required_unless_present = "test", value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// A flag for the compiler; repeat for more
    #[arg(long = "cflag", value_name = "FLAG", allow_hyphen_values = true, help_heading = "Program")]
    pub cflags: Vec<String>,
    /// Arguments of the program
    #[arg(last = true, value_name = "ARGS")]
    pub arguments: Vec<String>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum RunSchedule {
    /// Each thread runs until it blocks
    #[default]
    Default,
    /// At each step every thread that can go on is equally likely, by `--seed`
    Random,
}

/// Convert a trace of a run from one format to another
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian trace run.trace -o run.std --to std               RAPID's text, one event a line
  gordian trace jigsaw.data -o jigsaw.trace --to gordian
  gordian trace log.txt -o log.data --from std --to rapidbin")]
pub struct TraceArgs {
    /// The trace
    #[arg(value_name = "IN")]
    pub trace: PathBuf,
    /// Where to write it
    #[arg(short, long, value_name = "OUT")]
    pub out: PathBuf,
    /// The format to read; by default the one that the file looks like
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub from: Option<TraceFormat>,
    /// The format to write
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub to: TraceFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TraceFormat {
    /// gordian's own: compressed blocks with checksums
    Gordian,
    /// RAPID's text: `T1|acq(L3)|27`
    Std,
    /// RapidBin: eight bytes for each event
    Rapidbin,
}

impl From<TraceFormat> for gordian_tracefile::Format {
    fn from(format: TraceFormat) -> Self {
        match format {
            TraceFormat::Gordian => gordian_tracefile::Format::Gordian,
            TraceFormat::Std => gordian_tracefile::Format::Std,
            TraceFormat::Rapidbin => gordian_tracefile::Format::RapidBin,
        }
    }
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
#[command(next_help_heading = "Search")]
pub struct SearchArgs {
    /// How schedules are chosen [default: dpor, or bounded with --preemptions]
    #[arg(long, value_name = "NAME", value_parser = strategy_names())]
    pub strategy: Option<String>,
    /// Explore threads with the same start function and argument, which one thread created in a row, in one order only
    ///
    /// For `dpor`, by one worker whatever `--jobs` says, and without `--resume`. The program must not see the difference:
    /// if it asks which thread is which, what time it is or for random bytes, or if it acts between joining two of
    /// them, gordian notices, says so and searches without. That it looks at the order of addresses of their
    /// variables, or prints them, is not noticed.
    #[arg(long)]
    pub symmetry: bool,
    /// Do not order writes that nobody reads
    ///
    /// For `dpor`, by one worker whatever `--jobs` says, and without `--resume`. Two writes of a variable are explored in
    /// both orders only if somebody reads what the later one has left, or if that is left at the end. Atomic writes
    /// only, unless data races are ignored: which accesses are found to race depends on which came last. Findings are the
    /// same. If threads are created while others run, wait in loops, or if inputs decide something, gordian says so and
    /// searches without.
    /// Memory grows with the number of executions.
    #[arg(long, conflicts_with = "symmetry")]
    pub observers: bool,
    /// Do not search: estimate how many executions `dpor` would make, with a 95% interval
    #[arg(long)]
    pub estimate: bool,
    /// Most executions [default: 1000 when sampling, else unlimited]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub runs: Option<u64>,
    /// Most time, as `90`, `90s`, `5m` or `2h`
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub time: Option<Duration>,
    /// Workers that share the search, for `dpor` and `interference`; the report does not depend on their number [default: one for each core]
    #[arg(long, short, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Go on with a `dpor` search that was interrupted: by Ctrl-C, by `--time`, or by the end of the machine
    ///
    /// A search that takes longer than a few seconds saves what it knows in the folder of `--out` every few seconds. Give
    /// the same files and options again.
    #[arg(long, conflicts_with = "estimate")]
    pub resume: bool,
    /// Most preemptions of one execution: switches away from a thread that could go on (not for the dpor strategies)
    #[arg(long, value_name = "N")]
    pub preemptions: Option<u32>,
    /// Which executions come first, for `dpor`; it ends with the same report, so this is for searches that do not end
    #[arg(long, value_enum, value_name = "ORDER", default_value_t, conflicts_with = "resume")]
    pub order: SearchOrder,
    /// For `pct`: the depth of the bugs that its guarantee speaks of
    #[arg(long, value_name = "D", default_value_t = DEFAULT_DEPTH, value_parser = clap::value_parser!(u32).range(1..))]
    pub depth: u32,
    /// End the search with the first failure (the default when sampling)
    #[arg(long, overrides_with = "keep_going")]
    pub stop_at_first: bool,
    /// Go on after a failure and collect all of them (the default when not sampling)
    #[arg(long, overrides_with = "stop_at_first")]
    pub keep_going: bool,
    #[command(flatten)]
    pub interference: InterferenceArgs,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum SearchOrder {
    /// To the end, then back to the last choice: the quickest
    #[default]
    Depth,
    /// Choices near the begin first
    Breadth,
    /// Ways that inputs did not take before first
    Coverage,
    /// Down from the begin, each way with the same chance
    Random,
}

impl SearchArgs {
    /// The strategy asked for. A reduction assumes that it may choose any thread, so it cannot be combined with a bound
    /// on preemptions without missing schedules within the bound.
    pub fn strategy(&self) -> anyhow::Result<&str> {
        let name = match (&self.strategy, self.preemptions) {
            (Some(name), _) => name,
            (None, Some(_)) => BOUNDED_STRATEGY,
            (None, None) => DEFAULT_STRATEGY,
        };
        if self.preemptions.is_some() && name.starts_with("dpor") {
            anyhow::bail!("`--preemptions` does not go with `--strategy {name}`; use `--strategy {BOUNDED_STRATEGY}`");
        }
        if name == gordian_interference::NAME && self.preemptions.is_some() {
            anyhow::bail!("`--preemptions` does not go with `--strategy {name}`; `--max-interferences` is its bound");
        }
        if gordian_unfolding::by_name(name).is_some() && self.preemptions.is_some() {
            anyhow::bail!("`--preemptions` does not go with `--strategy {name}`; use `--strategy {BOUNDED_STRATEGY}`");
        }
        if let Some(option) = self.interference.given().filter(|_| name != gordian_interference::NAME) {
            anyhow::bail!("`{option}` is an option of `--strategy {}`", gordian_interference::NAME);
        }
        let alone = [(self.symmetry, "--symmetry"), (self.observers, "--observers")];
        if let Some((_, option)) = alone.into_iter().find(|(given, _)| *given) {
            if name != DEFAULT_STRATEGY || self.estimate {
                let reason = if self.estimate { "with `--estimate`".to_owned() } else { format!("with `{name}`") };
                anyhow::bail!("`{option}` is an option of `--strategy {DEFAULT_STRATEGY}`; it does not go {reason}");
            }
            if self.resume {
                anyhow::bail!("`--resume` does not go with `{option}`: such a search is not saved, begin it anew");
            }
        }
        if self.resume && name != DEFAULT_STRATEGY {
            anyhow::bail!("`--resume` goes with `--strategy {DEFAULT_STRATEGY}` only, not with `{name}`");
        }
        let shares = self.jobs.is_some_and(|jobs| jobs > 1);
        if shares && ![DEFAULT_STRATEGY, gordian_interference::NAME].contains(&name) {
            anyhow::bail!(
                "`--jobs` goes with `--strategy {DEFAULT_STRATEGY}` or `{}`, not with `{name}`",
                gordian_interference::NAME
            );
        }
        if self.order != SearchOrder::Depth && name != DEFAULT_STRATEGY {
            anyhow::bail!("`--order` goes with `--strategy {DEFAULT_STRATEGY}` only, not with `{name}`");
        }
        if self.estimate && name != DEFAULT_STRATEGY {
            let reason = if self.preemptions.is_some() {
                "with `--preemptions`".to_owned()
            } else {
                format!("with `--strategy {name}`")
            };
            anyhow::bail!(
                "`--estimate` tells how many executions `--strategy {DEFAULT_STRATEGY}` makes; it does not go {reason}"
            );
        }
        Ok(name)
    }

    /// One for each core unless the user says otherwise.
    pub fn workers(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }
}

fn strategy_names() -> PossibleValuesParser {
    let value = |entry: &gordian_strategies::Entry| PossibleValue::new(entry.name).help(entry.help);
    let interference = PossibleValue::new(gordian_interference::NAME).help(gordian_interference::HELP);
    let unfoldings = gordian_unfolding::STRATEGIES.iter().map(|(name, help, _)| PossibleValue::new(*name).help(*help));
    let strategies = gordian_strategies::STRATEGIES.iter().map(value);
    PossibleValuesParser::new(strategies.chain([interference]).chain(unfoldings))
}

/// For a search by interferences.
#[derive(Debug, Args)]
#[command(next_help_heading = "Search by interferences")]
pub struct InterferenceArgs {
    /// Most interferences: reads that take what another thread wrote (of `--strategy interference`)
    ///
    /// What was written before a thread was made counts as nobody's, and locks count nothing.
    #[arg(long, value_name = "K")]
    pub max_interferences: Option<u32>,
    /// Give unrealizable scenarios any interference, not only those that the solvers' cores ask for
    #[arg(long)]
    pub no_core_guidance: bool,
    /// Look at scenarios again that were looked at before
    #[arg(long)]
    pub no_duplication_freedom: bool,
    /// Do not look first at scenarios that lead to code which was not reached
    #[arg(long)]
    pub no_priorities: bool,
}

impl InterferenceArgs {
    /// With so many workers.
    pub fn options(&self, jobs: usize) -> gordian_interference::Options {
        gordian_interference::Options {
            max_interferences: self.max_interferences,
            core_guidance: !self.no_core_guidance,
            duplication_freedom: !self.no_duplication_freedom,
            priorities: !self.no_priorities,
            jobs,
        }
    }

    /// The first that was given.
    fn given(&self) -> Option<&'static str> {
        let given = [
            (self.max_interferences.is_some(), "--max-interferences"),
            (self.no_core_guidance, "--no-core-guidance"),
            (self.no_duplication_freedom, "--no-duplication-freedom"),
            (self.no_priorities, "--no-priorities"),
        ];
        given.into_iter().find(|(given, _)| *given).map(|(_, option)| option)
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
