//! The parts of a machine: what it shows, the way back, who waits, and what is known of all threads together.

use crate::awaits::Awaits;
use crate::backtrack::Snapshot;
use crate::census::Census;
use crate::local_state::Loops;
use crate::log::RawFinding;
use crate::memo::{Memo, StepRecorder};
use crate::private_reads::PrivateReads;
use crate::spin::Visit;
use crate::watch::Watch;
use gordian_base::{FxHashSet, ThreadId};
use gordian_trace::{Choice, CodePoint, Event, ThreadOrigin};

/// What an execution shows: its steps, events, findings and output.
pub(crate) struct Log {
    pub(crate) events: Vec<Event>,
    /// Beside `schedule`: how many events there were before each step.
    pub(crate) step_starts: Vec<u32>,
    pub(crate) schedule: Vec<Choice>,
    pub(crate) findings: Vec<RawFinding>,
    pub(crate) notes: Vec<String>,
    /// Where values that were never set decided something, in any execution so far, sorted. Never put back: the verdict
    /// is about all executions, and a step that is replayed from the memo says this no second time.
    pub(crate) doubts: Vec<String>,
    pub(crate) seen_races: FxHashSet<(CodePoint, CodePoint)>,
    pub(crate) races_once: bool,
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
}

/// The way back to earlier states, and the steps that need not be made again.
pub(crate) struct WayBack {
    /// States to go back to, of the present execution. If steps are remembered: one before each that was made.
    pub(crate) snapshots: Vec<Snapshot>,
    /// Changes with every step and every return to an earlier state.
    pub(crate) serial: u64,
    /// Steps that were made before, if they are remembered.
    pub(crate) memo: Option<Box<Memo>>,
    pub(crate) recorder: StepRecorder,
    /// The last steps were replayed from the memo: threads and memory are as they were before.
    pub(crate) is_replayed: bool,
}

/// Who goes round in loops, and what they look at there.
pub(crate) struct Waiting {
    pub(crate) visits: Vec<Visit>,
    /// States of threads at their visits, one behind the other.
    pub(crate) visit_words: Vec<u64>,
    pub(crate) watches: Vec<Watch>,
    pub(crate) awaits: Awaits,
    pub(crate) private_reads: PrivateReads,
    /// How often loops had gone back at each visit (see `unroll`).
    pub(crate) loop_counts: Vec<u64>,
    /// By function, once asked for.
    pub(crate) loops: Vec<Option<Loops>>,
}

/// What is known of all threads together.
pub(crate) struct Roster {
    /// Who created which thread: `origins[n]` is thread `n + 1`. Grows over executions, never shrinks.
    pub(crate) origins: Vec<ThreadOrigin>,
    pub(crate) census: Census,
    /// A thread has ended since it was last looked who waits for that.
    pub(crate) somebody_ended: bool,
    /// Threads made in this step that have not run yet.
    pub(crate) newborn: Vec<ThreadId>,
    pub(crate) n_thread_locals: u32,
}
