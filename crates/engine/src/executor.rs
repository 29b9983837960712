//! What the engine needs of a machine. Traits, so that the engine and the strategies are also tested
//! against brute force on toy programs, without LLVM and without the machine; static dispatch, no cost.

use crate::{EngineError, FastForward, SkippedState};
use gordian_base::ThreadId;
use gordian_solve::Supervision;
use gordian_trace::{
    Bound, BranchPlace, Choice, Event, InputValue, Objection, OpKind, SolverSummary, Step, Test, ThreadOrigin, Wants,
};
use gordian_vm::{End, RawFinding};
use std::borrow::Cow;

/// Something that can be executed again and again from its beginning.
pub trait Subject {
    type Executor<'a>: Executor
    where
        Self: 'a;

    /// A fresh execution, at its first visible operation. The test's schedule is not looked at. With
    /// `passthrough` the program's output goes to the real stdout and stderr as it happens and is not kept.
    fn start(&self, test: &Test, passthrough: bool) -> Result<Self::Executor<'_>, EngineError>;

    /// As [`Subject::start`], with a solver that is timed and can be stopped: executions run to their first visible operation when they
    /// are started, and that may take many queries.
    fn start_supervised(&self, test: &Test, _: &Supervision) -> Result<Self::Executor<'_>, EngineError> {
        self.start(test, false)
    }
}

/// What threads may see of each other beside memory, in some execution of the program. Known before the first execution: who learned it from events
/// would change his mind in the middle of a search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Visibility {
    /// Whether a thread is to be cancelled.
    pub cancellation: bool,
    /// Whether a thread has ended, which it does in the step of its last operation.
    pub ends: bool,
}

/// One execution that can step and go back. [`gordian_vm::Machine`] documents each method; the engine
/// relies on these facts:
/// - `choices()` is sorted by thread, then variant, without repetition, and empty exactly when `end()` is some;
/// - the same choices from the same [`Subject::start`] give the same state;
/// - `undo_to` restores everything that the methods show.
pub trait Stepping {
    type Mark: Copy;

    fn end(&self) -> Option<&End>;

    /// Whether the execution ended because no thread could step.
    fn is_stuck(&self) -> bool;

    fn choices(&self) -> &[Choice];

    fn wants(&self, thread: ThreadId) -> Option<Wants>;

    /// The places that a thread watches while it waits in a loop: address, size, kind of place.
    fn watched(&self, thread: ThreadId) -> Vec<(u64, u32, u64)>;

    fn visibility(&self) -> Visibility;

    fn step(&mut self, choice: Choice);

    /// Makes steps as they are wanted while all of them can be replayed from the memo, and says of each state that it
    /// passes how to come back to it. It has no findings on the way.
    fn fast_forward(&mut self, _how: &mut FastForward<'_>, _pass: &mut impl FnMut(Self::Mark, SkippedState))
    where
        Self: Sized,
    {
    }

    fn schedule(&self) -> &[Choice];

    fn events(&self) -> &[Event];

    fn n_threads(&self) -> usize;

    /// One more than the highest number of a thread; numbers may have gaps.
    fn thread_numbers(&self) -> usize {
        self.n_threads()
    }

    /// The choices as a set of threads, a bit for each, if it has them at hand like that: only where each thread has its first
    /// variant alone, and a number below 64. Otherwise nothing.
    fn free(&self) -> u64 {
        0
    }

    /// Whether no thread wants anything any more. If it says no, there may still be none.
    fn nobody_waits(&self) -> bool {
        false
    }

    fn mark(&mut self) -> Self::Mark;

    fn undo_to(&mut self, mark: Self::Mark);

    /// Tells the parts of the present state, for searches that compare states in full. Says no if it cannot.
    fn tell_state(&self, _part: &mut dyn FnMut(&[u8])) -> bool {
        false
    }

    /// The last operation of the thread that made the last step. The last *event* may be another's, who was
    /// let go on by that step.
    #[inline]
    fn last_operation(&self) -> Option<(ThreadId, OpKind)> {
        let thread = self.schedule().last()?.thread;
        let event = self.events().iter().rev().find(|event| event.thread == thread)?;
        Some((thread, event.kind))
    }
}

/// The inputs of an execution, and the solver that decides which branch directions they can take.
pub trait Inputs: Stepping {
    fn inputs(&self) -> Vec<InputValue>;

    /// Whether the program has asked for an input and got one value of many.
    fn has_inputs(&self) -> bool;

    /// Whether inputs are symbols, and there are some.
    fn has_symbolic_inputs(&self) -> bool {
        false
    }

    /// Takes the inputs that a test of this execution is to have, out of all that lead here.
    fn choose_inputs(&mut self) {}

    /// Feasibility queries so far: whether some inputs lead to a branch direction. Only grows.
    #[inline]
    fn solver_queries(&self) -> u64 {
        0
    }

    /// What the solver did so far; nothing of paths.
    fn solver_summary(&self) -> SolverSummary {
        SolverSummary::default()
    }

    /// Why some inputs were not considered.
    fn losses(&self) -> &[String] {
        &[]
    }

    /// The first so many steps as a test with fixed inputs makes them.
    fn fixed_schedule(&self, steps: usize) -> Cow<'_, [Choice]> {
        Cow::Borrowed(&self.schedule()[..steps])
    }
}

/// What an execution shows: findings, output, coverage, and what its threads did.
pub trait Evidence {
    fn findings(&self) -> &[RawFinding];

    fn notes(&self) -> &[String];

    fn thread_origins(&self) -> Vec<ThreadOrigin>;

    /// Where values that were never set decided something, in any execution so far.
    fn doubts(&self) -> &[String] {
        &[]
    }

    /// Branch directions that were taken for the first time since this was last asked, by number.
    fn take_new_branches(&mut self) -> Vec<u32> {
        Vec::new()
    }

    /// The directions of all branches, by number.
    fn branches(&self) -> Vec<BranchPlace> {
        Vec::new()
    }

    fn describe(&self) -> Vec<Step>;

    fn stdout(&self) -> &[u8];

    fn stderr(&self) -> &[u8];

    /// What the program has been given on standard input.
    fn stdin(&self) -> &[u8] {
        &[]
    }
}

/// What kept an execution from its end.
pub trait Limits {
    /// Whether a thread stopped for good where it would have gone back in a loop once too often.
    fn left_a_loop_unfinished(&self) -> bool {
        false
    }

    /// The bound that it ran into.
    fn loop_bound(&self) -> Bound {
        Bound::Unroll
    }

    /// Who was cut off by a bound, and where.
    fn unended(&self) -> Option<String> {
        None
    }

    /// Why the search must be made again with other settings.
    fn objection(&self) -> Option<Objection> {
        None
    }
}

/// Ways of working that an executor may have; each changes what is told, never what happens.
pub trait Modes {
    /// Allows steps that were made before to be replayed from the memo.
    fn remember_steps(&mut self) {}

    /// Lets a plain run (`passthrough`) do to the disk what the program did.
    fn commit_files(&mut self) {}

    /// Notes whether a thread that is left alone in the next step looks at anything that others have touched.
    fn watch_ending(&mut self) {}

    /// Whether a thread that was left alone in the last step may have looked at something that others have touched.
    fn has_looked_alone(&self) -> bool {
        true
    }

    /// Whether mutexes may be robust, and so hold more than who has them and how often.
    fn has_robust_mutexes(&self) -> bool {
        false
    }

    /// Allows findings that do not end the execution to show once only, however often `undo_to` goes back.
    fn report_races_once(&mut self) {}
}

/// What the engine drives: all of the above.
pub trait Executor: Stepping + Inputs + Evidence + Limits + Modes {}

impl<E: Stepping + Inputs + Evidence + Limits + Modes> Executor for E {}
