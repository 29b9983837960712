//! Flags of `pairs` and `sequentialize`.

use super::{MachineArgs, OutputArgs, ProgramArgs};
use crate::inputs::InputArgs;
use crate::sequentialize::Sources;
use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// List the pairs of accesses whose order may matter, without running the program
///
/// A pair is two operations of two threads: a write and another access to the same bytes (RW), two acquisitions of one
/// lock (MM), a waiter that was woken and a thread that takes the lock (WM), a wait and a signal (WN). What is not listed
/// cannot happen; what is listed may. Besides: locks that are taken in a circle, and waits that no signal can end.
///
/// Exit code 0, or 3 if something had to be looked at less closely than it should.
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  gordian pairs bank.c                          the most suspicious first
  gordian pairs bank.c --without disjoint       how much does that filter remove?
  gordian pairs bank.c --json | jq '.pairs[].object'")]
pub struct PairsArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub inputs: InputArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// Switch a filter off; repeat for more
    #[arg(long, value_enum, value_name = "FILTER", help_heading = "Filters")]
    pub without: Vec<PairFilter>,
    /// Print one JSON document on stdout
    #[arg(long, help_heading = "Output")]
    pub json: bool,
}

/// Write a sequential program in which one thread reads a bounded number of writes of another
///
/// The program has two threads, T and T'; main counts if it creates only one. The inputs of what is written are those of the program, and
/// which K reads of T take which writes of T'. Every failure of it is one of the program: it prints inputs and a concurrent order,
/// which `--inputs` makes a test of. Any tester for sequential programs can look for failures.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  gordian sequentialize bank.c -k 1 -o seq.c              one file for each choice of T: seq.1.c, seq.2.c
  gordian sequentialize bank.c -k 1 -o seq.c --thread deposit
  cc seq.c -o seq && ./seq rds=1 wrts=2 > order.txt       a failure, and its order
  gordian sequentialize bank.c --inputs order.txt         a test of the program itself
  gordian check bank.c --strategy sequentialize           all of that at once")]
pub struct SequentializeArgs {
    #[command(flatten)]
    pub program: ProgramArgs,
    #[command(flatten)]
    pub machine: MachineArgs,
    /// So many writes of T' are read by T; with `K,K'`, so many of T by T' too [default: 1]
    #[arg(short, value_name = "K", default_value = "1", hide_default_value = true, value_parser = crate::sequentialize::sources, help_heading = "Sequentialization")]
    pub k: Sources,
    /// Where to write the C program
    #[arg(short = 'o', value_name = "OUT.c", help_heading = "Sequentialization")]
    pub output_file: Option<PathBuf>,
    /// T: `main`, a start function, or the thread's number [default: each in turn]
    #[arg(long, value_name = "NAME", help_heading = "Sequentialization")]
    pub thread: Option<String>,
    /// How inputs and assumptions are spelled
    #[arg(long = "for", value_enum, value_name = "TESTER", default_value_t = Tester::Plain, help_heading = "Sequentialization")]
    pub tester: Tester,
    /// Only reads of this line may be non-local; repeat for more
    #[arg(long, value_name = "FILE:LINE", value_parser = crate::sequentialize::line, help_heading = "Sequentialization")]
    pub reads: Vec<gordian_sequentialize::Line>,
    /// Only writes of this line may be taken; repeat for more
    #[arg(long, value_name = "FILE:LINE", value_parser = crate::sequentialize::line, help_heading = "Sequentialization")]
    pub writes: Vec<gordian_sequentialize::Line>,
    /// Make a test of what the sequential program printed or of a trace of CBMC (a file, `-` for standard input), or of inputs (`rds=1,3 wrts=2,2`)
    #[arg(long, value_name = "ORDER", help_heading = "Sequentialization")]
    pub inputs: Option<String>,
    /// Folder for tests that fail
    #[arg(long, value_name = "DIR", default_value = ".", help_heading = "Output")]
    pub out: PathBuf,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Tester {
    /// Inputs are arguments of the program
    Plain,
    /// KLEE
    Klee,
    /// Verifiers of the software verification competition: loops unrolled, events numbered in advance
    Svcomp,
    /// CBMC, likewise
    Cbmc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PairFilter {
    /// Accesses to different bytes
    Alias,
    /// Objects that one thread alone can reach
    Escape,
    /// What cannot happen at the same time: creation, joins, common locks
    Mhp,
    /// A field of an object under the lock of the same object
    Disjoint,
}
