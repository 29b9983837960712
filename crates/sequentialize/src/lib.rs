//! Bounded-interference sequentialization (Razavi, Farzan and Holzer, ISoLA 2012).
//!
//! A program with two threads T and T' becomes a sequential C program. Its inputs are those of the program, and which k reads of
//! T take which writes of T'; every execution of it is one of the program in which T reads from exactly k writes of T' and T'
//! from none of T. So a tester for sequential programs finds bugs that take few interferences, and each is real. If there are
//! more threads, T' is all but T, and each of them reads only what it wrote itself or main before.
//!
//! Deviations from the paper, all of which a test shows to matter (`docs/sequentialization.md` has the arguments):
//! - T' runs first and to its end. Nothing that T does can change it, since all its reads are local, and T may take the values of
//!   any of its writes. Whether T' is that far is a question of the order alone: it may stop anywhere after its last paired write.
//! - Feasibility is decided by a walk through a grid of both logs (`runtime/grid.c`; for more than two `runtime/order.c`), not by a solver. Injected writes are
//!   no writes for T', and T's own writes come before the write of T' that it takes instead.
//! - Events are numbered as they happen; only reads of what T' writes are numbered. k counts sources: a second read of the same
//!   write is local.

mod check;
mod emit;
mod externals;
mod home;
mod lazy;
mod names;
mod order;
mod plan;
mod reach;

pub use check::{CheckError, Checked, Compile, HELP, NAME, Options as CheckOptions, Row, check};
pub use emit::sequentialize;
pub use home::{Home, bring_home};
pub use order::{ConcurrentOrder, Input, OrderError, OrderedEvent, Verb, inputs_of_trace};
pub use plan::{MOST_THREADS, Plan, Role};

/// Which tester the program is written for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// Inputs are arguments of the program.
    Plain,
    Klee,
    /// The functions of the software verification competition.
    Svcomp,
    Cbmc,
    /// Our own engine; `print` if it is to tell the concurrent order, for inputs that are fixed.
    Gordian {
        print: bool,
    },
}

/// How a sequential program decides which orders of events are executions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runtime {
    /// A walk through a grid, for testers that follow one path at a time.
    Eager,
    /// Guessed positions, for model checkers.
    Lazy,
}

impl Target {
    /// The runtime that suits the tester.
    pub fn runtime(self) -> Runtime {
        match self {
            Target::Plain | Target::Klee | Target::Gordian { .. } => Runtime::Eager,
            Target::Svcomp | Target::Cbmc => Runtime::Lazy,
        }
    }
}

/// A line of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    pub file: String,
    pub line: u32,
}

/// What to write.
#[derive(Clone, Debug)]
pub struct Options {
    /// So many writes of T' are taken by T.
    pub k: u32,
    /// So many writes of T are taken by T'.
    pub k2: u32,
    pub role: Role,
    pub target: Target,
    pub runtime: Runtime,
    /// Most iterations of a loop; the program must have been loaded to count them.
    pub unroll: Option<u32>,
    /// Reads of T that may be non-local; all if there are none.
    pub reads: Vec<Line>,
    /// Writes of T' that may be taken; all if there are none.
    pub writes: Vec<Line>,
    /// Of the program, without its name.
    pub arguments: Vec<String>,
}

/// Why a program is not sequentialized.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Error {
    #[error("the program has no function `main`")]
    NoMain,
    #[error("the program creates no thread, so there is nothing to sequentialize")]
    NoThread,
    #[error("the program creates {0} threads; up to {MOST_THREADS} can be sequentialized")]
    ManyThreads(usize),
    #[error(
        "the program creates {0} threads; reads of T' from T are supported with two, main counted if it creates only one"
    )]
    ManyThreadsReadFromT(u32),
    #[error("no thread is called `{name}`; there are {known}")]
    NoSuchThread { name: String, known: String },
    #[error("{place}: {what}, which a sequentialized program cannot do")]
    Unsupported { place: String, what: String },
    #[error("{place}: a loop may go round more than {most} times; say how often at most with `--unroll N`")]
    Unbounded { place: String, most: u32 },
    #[error("no access that threads may share is at {0}")]
    NoSuchLine(String),
}
