//! Flags of `record`, `predict` and `trace`.

use super::{MachineArgs, OutputArgs, ProgramArgs};
use clap::{Args, ValueEnum};
use std::path::PathBuf;

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

/// Find what could have happened in other orders of one run, without exploring
///
/// Given a trace that `gordian record` wrote, gordian reorders the run: the same steps of each thread, in any order that
/// locks, waits and values allow. Races, deadlocks, lost signals, uses after free and failed assertions of such orders are
/// replayed before they are reported. Given C files, the program is run once first. A trace of another recorder
/// (RAPID's text, RapidBin) is searched for races and deadlocks, which cannot be replayed.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian predict run.trace                       what could have happened in that run?
  gordian predict queue.c                         run it once, and predict
  gordian predict queue.c --schedule random --seed 7
  gordian predict jigsaw.data --only deadlocks    a trace of another recorder

Exit codes: 1 something was predicted and replayed, 3 nothing was, or what was cannot be replayed")]
pub struct PredictArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Which schedule to run, of C files
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    pub schedule: RunSchedule,
    /// The format of the trace; by default the one that the file looks like
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub from: Option<TraceFormat>,
    /// Predict although the program has changed since it was recorded
    #[arg(long)]
    pub force: bool,
    /// Look for these alone; repeat for more
    #[arg(long, value_enum, value_name = "WHAT")]
    pub only: Vec<PredictKind>,
    /// Accesses nearer than so many lines look as if they were meant to be one
    #[arg(long, value_name = "N", default_value_t = 5)]
    pub lines: u32,
    /// A file with regions that are meant to be atomic, one in each line, as `file.c:12-18`; or `begin-end`, for those that a trace of another
    /// recorder marks
    #[arg(long, value_name = "FILE")]
    pub regions: Option<PathBuf>,
    /// Leave out a step that simplifies the model; repeat for more
    #[arg(long, value_enum, value_name = "STEP")]
    pub without: Vec<PredictStep>,
    /// Predict again, so often, from replays that went another way than the run
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub rounds: u32,
    /// Folder for the tests of reorderings that do not replay
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub keep_spurious: Option<PathBuf>,
    #[command(flatten)]
    pub output: OutputArgs,
    /// Folder for the tests of what is found
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = "Output")]
    pub out: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredictKind {
    /// Conflicting accesses without synchronisation
    Races,
    /// Threads that wait for each other, and lost signals
    Deadlocks,
    /// Uses after free
    Orders,
    /// Assertions and other failures that a value read elsewhere leads to
    Decisions,
    /// Steps that look like one and that another thread can interrupt
    Atomicity,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PredictStep {
    /// Memory and locks that one thread alone uses
    LocalVariables,
    /// Local transitions belong to the one before
    Merging,
    /// Locks, creation and join rule out orders
    Locks,
    /// Mutually atomic transactions rule out context switches
    Transactions,
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
