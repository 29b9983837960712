//! A thread of the program under test.

use crate::setup::process;
use gordian_base::{ClockId, ThreadId};
use gordian_ir::FuncId;
use gordian_trace::{CodePoint, NO_CODE, Wants};
use std::num::NonZeroU16;

/// What a thread stands at between steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Park {
    /// Not created in this execution.
    Unborn,
    /// Just made, or running.
    Running,
    /// Before the visible operation at its program counter.
    Before(Wants),
    /// In a condition wait, not yet woken. `cond` and `mutex` are addresses.
    Waiting {
        cond: u64,
        mutex: u64,
        timed: bool,
    },
    /// Woken for a reason (see `OpKind::WOKEN_BY_SIGNAL`), wants its mutex back.
    Woken {
        cond: u64,
        mutex: u64,
        reason: u8,
    },
    /// At a barrier that is not yet full; `round` is the barrier's round it waits in.
    AtBarrier {
        barrier: u64,
        round: u32,
    },
    /// Wants the end of that thread.
    Joining {
        target: ThreadId,
        result: u64,
    },
    /// In a loop that it may not go back in any more: it never steps again.
    Unrolled,
    /// It went round a loop and nothing came of it: it never steps again, since it does what follows without that round as well.
    WentRound,
    /// The same, and it took back what it did in that round (see `net_effect`).
    TookBack,
    /// In a loop in which it does nothing but let others go on: it never steps again.
    Idles,
    /// At an assumption that does not hold: it never steps again.
    FalseAssumption,
    Ended,
}

/// How far a thread has come with its thread-specific destructors: the round, and the next key. Small, since it is part of a [`Core`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Ending(NonZeroU16);

impl Ending {
    /// A key, or the number behind the last one.
    const KEYS: u64 = process::MAX_KEYS + 1;

    pub fn new(round: u8, key: u32) -> Self {
        let place = u64::from(round) * Self::KEYS + u64::from(key) + 1;
        Ending(NonZeroU16::new(place as u16).expect("there are few rounds and keys"))
    }

    pub fn round(self) -> u8 {
        (u64::from(self.0.get() - 1) / Self::KEYS) as u8
    }

    pub fn key(self) -> u32 {
        (u64::from(self.0.get() - 1) % Self::KEYS) as u32
    }
}

/// The part of a thread that is saved whole before each of its steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Core {
    pub park: Park,
    /// What it knows of the others; its own time stands in `time`.
    pub clock: ClockId,
    pub time: u32,
    /// What it knew at its last release fence, and what relaxed reads since could acquire.
    pub fence_release: ClockId,
    pub fence_acquire: ClockId,
    pub next_heap: u32,
    pub next_stack: u16,
    /// Index of its newest stack object, 0 for none.
    pub newest_local: u32,
    pub n_created: u16,
    pub n_inputs: u32,
    pub detached: bool,
    pub joined: bool,
    pub cancel_enabled: bool,
    pub cancel_pending: bool,
    /// Runs its thread-specific destructors: the round, and the next key.
    pub ending: Option<Ending>,
    /// Nesting of `__VERIFIER_atomic_*`: nobody else steps while it is not zero.
    pub atomic: u16,
    /// A copy between two shared objects that has read but not yet written: the index of the hidden buffer among the
    /// thread's heap objects, 0 for none.
    pub copying: u32,
    /// The call at the program counter has made the first of its two visible operations: a timed one has read a valid time that others can
    /// write, a join has seen the other's end and is yet to write its result to memory that others can reach.
    pub halfway: bool,
    /// What a join gets.
    pub result: u64,
    /// Its newest visit to a loop since its last effect, and what it watches while it waits: the first and how many
    /// (see `spin`).
    pub visits: u32,
    pub watching: u32,
    pub n_watching: u8,
    /// What it is parked before is an await (see `awaits`).
    pub awaits: bool,
    /// Changes that it made to private memory.
    pub changes: u64,
    /// Its state before the operation that it is parked at, if that can go wrong for no reason, and the state in
    /// which one last did. The same thing does not go wrong again in the same state: a loop that tries again would
    /// otherwise never end.
    pub may_err_in: u64,
    pub erred_in: u64,
    /// Head of the list of `pthread_cleanup_push` entries (hidden memory), 0 for none.
    pub cleanup: u64,
}

impl Core {
    pub fn new(clock: ClockId, first_heap: u32) -> Self {
        Core {
            park: Park::Running,
            clock,
            time: 1,
            fence_release: ClockId::default(),
            fence_acquire: ClockId::default(),
            next_heap: first_heap,
            next_stack: 1,
            newest_local: 0,
            n_created: 0,
            n_inputs: 0,
            detached: false,
            joined: false,
            cancel_enabled: true,
            cancel_pending: false,
            ending: None,
            atomic: 0,
            copying: 0,
            halfway: false,
            result: 0,
            visits: 0,
            watching: 0,
            n_watching: 0,
            awaits: false,
            changes: 0,
            may_err_in: 0,
            erred_in: 0,
            cleanup: 0,
        }
    }
}

// A core is copied for every step and for every step that is taken back. Up to this size that needs no call.
const _: () = assert!(size_of::<Core>() <= 128);

/// Why a frame was entered, which decides what its return does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Entry {
    /// By a call of the program.
    Call,
    /// The thread's start function: its return ends the thread.
    Start,
    /// `main`: its return ends the process.
    Main,
    /// The machine called it (a constructor, an exit handler, a destructor); the value is dropped and
    /// the machine goes on with what it was doing.
    Callback,
    /// The routine of `pthread_once`: its return finishes the once object.
    Once { control: u64 },
    /// A function named `__VERIFIER_atomic_*`: its return ends the atomic section.
    Atomic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub function: FuncId,
    pub pc: u32,
    /// First register.
    pub base: u32,
    /// Where in the caller's frame the result goes, and how many slots of it the caller wants.
    pub result: u32,
    pub n_results: u32,
    pub entry: Entry,
    /// The thread's newest stack object when the frame was entered.
    pub locals_before: u32,
    /// The area with the variadic arguments, 0 for none.
    pub variadic: u64,
}

#[derive(Debug)]
pub struct Thread {
    pub core: Core,
    pub frames: Vec<Frame>,
    pub registers: Vec<u64>,
    /// Frames from here on were saved or made in this step and may change freely.
    pub saved_from: u32,
    /// Number of the step it was last saved in, so that it is saved once.
    pub saved_in: u64,
    /// Where in the journal's log it was last saved.
    pub saved_at: u32,
    pub start: FuncId,
    /// Of one that awaits something, as far as it was asked: whether it could go on, and at the end of an execution what
    /// `Machine::could_precede` says.
    pub is_let_go: bool,
    pub could_precede: u64,
    /// Its newest visit to a loop, whatever effects it had since.
    pub newest_visit: u32,
}

impl Thread {
    pub fn top(&self) -> &Frame {
        self.frames.last().expect("a running thread has a frame")
    }

    pub fn top_mut(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a running thread has a frame")
    }

    pub fn at(&self) -> CodePoint {
        self.frames.last().map_or(NO_CODE, |frame| CodePoint { function: frame.function.0, pc: frame.pc })
    }

    /// A copy to try something on.
    pub fn copy_of(other: &Thread) -> Thread {
        let Thread { core, start, .. } = *other;
        Thread {
            core,
            frames: Vec::new(),
            registers: Vec::new(),
            saved_from: 0,
            saved_in: 0,
            saved_at: 0,
            start,
            is_let_go: true,
            could_precede: 0,
            newest_visit: 0,
        }
    }

    /// Becomes a copy, without what it takes to go back.
    pub fn copy_from(&mut self, other: &Thread) {
        (self.core, self.start, self.saved_from) = (other.core, other.start, 0);
        self.frames.clone_from(&other.frames);
        self.registers.clone_from(&other.registers);
    }

    pub fn ended(&self) -> bool {
        self.core.park == Park::Ended
    }
}
