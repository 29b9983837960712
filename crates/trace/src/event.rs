//! What a visible operation did, as strategies and analyses see it.

use gordian_base::ThreadId;
use serde::{Deserialize, Serialize};

/// An instruction of the program: function and position in its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodePoint {
    pub function: u32,
    pub pc: u32,
}

/// Threads below this number are told apart as readers of a read-write lock. What others may do with it depends on how many read.
pub const KNOWN_READERS: u32 = 64;

pub const NO_CODE: CodePoint = CodePoint { function: u32::MAX, pc: 0 };

/// One executed visible operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Event {
    pub thread: ThreadId,
    pub kind: OpKind,
    /// No other thread was left to see it: it is ordered with everything and no scheduling point.
    pub alone: bool,
    /// Of accesses: what stood at the address before, or what that was compared with, is a matter of inputs or was not kept.
    pub unsure: bool,
    /// At another time it may be another operation or touch other bytes: it is a part of a library function or copies a block of memory, or takes a
    /// mutex in a program with robust ones. See [`Wants::varies`].
    pub varies: bool,
    /// Bytes accessed at `address`; 0 for operations that are not accesses.
    pub size: u32,
    pub at: CodePoint,
    /// The location, lock, condition variable or file; for thread operations the other thread's number.
    pub address: u64,
    /// The value read or written, or the operation's result.
    pub value: u64,
    /// What a write replaced, or a failed compare-and-swap expected; for condition waits the mutex; 1 for timed attempts to
    /// lock or take.
    pub other: u64,
}

impl Event {
    /// Whether its thread was cancelled and did not touch what it was about to wait for.
    pub fn is_given_up(&self) -> bool {
        matches!(self.kind, OpKind::SemTimeout | OpKind::File)
            && matches!(self.other, OpKind::GIVEN_UP_BY_CANCEL | OpKind::GIVEN_UP_BEFORE_TIMEOUT)
    }
}

/// The kinds of visible operations. Closed: strategies decide dependence by matching on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OpKind {
    Read,
    Write,
    AtomicRead,
    AtomicWrite,
    Rmw,
    /// A read-modify-write that left the value as it was.
    RmwSame,
    CasOk,
    CasFail,
    Fence,
    /// Goes before the step of a thread that waited in a loop: this place was among those it watched for a change.
    /// `value` is the kind of place: see [`OpKind::WATCHES_LOCK`]. At the end of a step: an atomic section is blocked by it; then
    /// `other` is one more than the number of readers that hold the lock, otherwise 0 or what was seen.
    Watch,
    /// Frees the object at `address`, `size` bytes; `value` tells whether somebody did or its life just ended.
    Free,
    MutexInit,
    MutexDestroy,
    Lock,
    LockTimeout,
    TryLock,
    TryLockFail,
    Unlock,
    ReadLock,
    TryReadLock,
    TryReadLockFail,
    /// Releases the mutex `other` and starts to wait on `address`.
    Wait,
    /// Gives up waiting on `address` without a signal; `value` tells why.
    WaitEnd,
    /// Wakes from a wait on `address` with the mutex `other` held again; `value` tells why (see [`OpKind::WOKEN`]).
    Woken,
    /// `value` is the number of the thread woken plus one, 0 when nobody waited.
    Signal,
    /// `value` is the number of threads woken.
    Broadcast,
    /// Follows a signal or broadcast: it woke the thread with the number `address`.
    Wake,
    CondInit,
    CondDestroy,
    SemInit,
    SemWait,
    SemTimeout,
    SemTryWait,
    SemTryWaitFail,
    SemPost,
    /// Looks at the number of units, `value`; `other` is 1 if it is a post that found no room for another.
    SemGet,
    SemDestroy,
    BarrierInit,
    BarrierArrive,
    BarrierLeave,
    BarrierDestroy,
    OnceEnter,
    OnceDone,
    /// `value` is the argument; `other` is the start function, its highest bit turned over if the thread is detached.
    Create,
    /// `value` is the result of the thread, and `other` tells whether it was asked for. `size` is 1 if the join is a scheduling point: others could
    /// join or detach the thread, or cancel who joins. Otherwise it happens as soon as the thread has ended.
    Join,
    Detach,
    /// The thread ends; `value` is what a join gets. `other` is 1 where joins are scheduling points, which this one enables.
    Exit,
    Cancel,
    /// Acts on its cancellation: it will end.
    Cancelled,
    Yield,
    Sleep,
    AtomicBegin,
    AtomicEnd,
    /// An operation on the open file `address`.
    File,
    /// The generator behind `rand`.
    Random,
    /// `exit`, `_exit` or the return of `main`: all other threads end. `other` tells whether it waited until none of them could step.
    ProcessExit,
    /// The thread ends while it holds the robust mutex `address`, which others may take over from now on; `value` is 1 if it has it no more, since
    /// others freed or overwrote it.
    Abandon,
    /// Makes the robust mutex `address`, whose owner ended, usable again; `value` is 0 if the thread may not.
    Consistent,
    /// Looks at hidden state, which `address` names: see [`Hidden`]. Of [`Hidden::End`], `value` tells whether the thread has ended.
    Look,
    /// Changes hidden state, which `address` names: see [`Hidden`].
    Change,
    /// The operation that the thread was about to make came to nothing, and is not logged otherwise. `other` is [`OpKind::FAILED_AT`] if it failed, because of
    /// what stands at `address` or because that was freed. It is [`OpKind::PUBLISHED_AGAIN`] if the step made known a local variable that others knew in an
    /// earlier life.
    Unlogged,
    /// Inputs decide how the thread goes on; `value` is the way that was taken. Nobody else sees it, and a test with fixed inputs has
    /// no such step.
    Branch,
}

impl OpKind {
    /// `Event::value` of [`OpKind::Woken`]: by a signal or broadcast, by time-out, or for no reason.
    pub const WOKEN_BY_SIGNAL: u64 = 0;
    pub const WOKEN_BY_TIMEOUT: u64 = 1;
    pub const WOKEN_SPURIOUSLY: u64 = 2;
    pub const WOKEN_BY_CANCEL: u64 = 3;

    /// `Event::other` of [`OpKind::SemTimeout`] and [`OpKind::File`]: the thread was cancelled, and did not touch what it was about to wait for.
    pub const GIVEN_UP_BY_CANCEL: u64 = 2;
    /// The same for a timed wait, which would have ended without the cancellation, too.
    pub const GIVEN_UP_BEFORE_TIMEOUT: u64 = 3;

    /// `Event::address` of [`OpKind::File`] from here on: the descriptor of that number, and no file behind it. Who prints looks whether it is open.
    pub const DESCRIPTORS: u64 = u64::MAX - 1024;
    /// `Event::other` of [`OpKind::Unlogged`].
    pub const FAILED_AT: u64 = 1;
    pub const PUBLISHED_AGAIN: u64 = 2;

    /// `Event::value` of an [`OpKind::Unlock`] by a thread that does not hold the mutex, and is told so.
    pub const NOT_HELD: u64 = u64::MAX;

    /// Above so many units a post to a semaphore may find no room for another. No execution makes as many posts: the semaphore began with nearly as many.
    pub const MANY_UNITS: u64 = i32::MAX as u64 / 2;

    /// `Event::value` of [`OpKind::Free`]: a local variable's scope or function, or a thread-local's thread, has ended.
    pub const LIFE_ENDS: u64 = 1;

    /// `Event::value` of [`OpKind::Watch`].
    pub const WATCHES_MEMORY: u64 = 0;
    pub const WATCHES_LOCK: u64 = 1;
    pub const WATCHES_SEMAPHORE: u64 = 2;
    pub const WATCHES_ONCE: u64 = 3;
    /// Hidden state: see [`Hidden`].
    pub const WATCHES_HIDDEN: u64 = 4;
    /// Memory that the thread wrote to itself and put back, or a lock that it tried to take; never in an event.
    pub const WATCHES_WRITTEN: u64 = 6;
    /// A lock that it took and gave up; never in an event.
    pub const WATCHES_TAKEN: u64 = 7;
    /// What the step's operation awaited: `other` is one more than the number of the last event before which it could have happened, 0 if there
    /// is none.
    pub const WATCHES_AWAIT: u64 = 5;

    /// Whether the operation leaves its location as it was.
    pub fn reads_only(self) -> bool {
        matches!(
            self,
            OpKind::Read
                | OpKind::AtomicRead
                | OpKind::RmwSame
                | OpKind::CasFail
                | OpKind::TryLockFail
                | OpKind::TryReadLockFail
                | OpKind::SemTryWaitFail
                | OpKind::SemGet
                | OpKind::Look
        )
    }

    /// Whether the operation is one on a synchronisation object at its address.
    pub fn is_on_object(self) -> bool {
        use OpKind::*;
        match self {
            MutexInit | MutexDestroy | Lock | LockTimeout | TryLock | TryLockFail | Unlock | ReadLock | TryReadLock
            | TryReadLockFail | Wait | WaitEnd | Woken | Signal | Broadcast | CondInit | CondDestroy | SemInit
            | SemWait | SemTimeout | SemTryWait | SemTryWaitFail | SemPost | SemGet | SemDestroy | BarrierInit
            | BarrierArrive | BarrierLeave | BarrierDestroy | OnceEnter | OnceDone | Abandon | Consistent => true,
            Read | Write | AtomicRead | AtomicWrite | Rmw | RmwSame | CasOk | CasFail | Fence | Watch | Free | Wake
            | Create | Join | Detach | Exit | Cancel | Cancelled | Yield | Sleep | AtomicBegin | AtomicEnd | File
            | Random | ProcessExit | Look | Change | Unlogged | Branch => false,
        }
    }

    /// Whether the operation looks at what stands at its location.
    pub fn reads_memory(self) -> bool {
        self.is_access() && !matches!(self, OpKind::Write | OpKind::AtomicWrite)
    }

    pub fn is_access(self) -> bool {
        matches!(
            self,
            OpKind::Read
                | OpKind::Write
                | OpKind::AtomicRead
                | OpKind::AtomicWrite
                | OpKind::Rmw
                | OpKind::RmwSame
                | OpKind::CasOk
                | OpKind::CasFail
        )
    }
}

/// A piece of the state that threads share and that lies in no memory of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    /// How many keys of thread-specific data there are.
    Keys,
    /// One of them: whether it exists, and its destructor.
    Key(u32),
    /// The list of functions to run when the process exits.
    ExitHandlers,
    /// The clock of the process.
    Clock,
    /// Whether a thread was joined or detached.
    Thread(ThreadId),
    /// Whether a thread is to be cancelled.
    Cancellation(ThreadId),
    /// Whether a thread has ended.
    End(ThreadId),
}

impl Hidden {
    /// The name of the state, as `Event::address` has it.
    pub fn address(self) -> u64 {
        let (kind, number) = match self {
            Hidden::Keys => (1, 0),
            Hidden::Key(key) => (2, key),
            Hidden::ExitHandlers => (3, 0),
            Hidden::Clock => (4, 0),
            Hidden::Thread(thread) => (5, thread.0),
            Hidden::Cancellation(thread) => (6, thread.0),
            Hidden::End(thread) => (7, thread.0),
        };
        kind << 32 | u64::from(number)
    }

    /// The state of this name.
    pub fn of(address: u64) -> Option<Hidden> {
        let number = address as u32;
        Some(match address >> 32 {
            1 => Hidden::Keys,
            2 => Hidden::Key(number),
            3 => Hidden::ExitHandlers,
            4 => Hidden::Clock,
            5 => Hidden::Thread(ThreadId(number)),
            6 => Hidden::Cancellation(ThreadId(number)),
            7 => Hidden::End(ThreadId(number)),
            _ => return None,
        })
    }
}

/// What a thread will do when it is next scheduled: the operation before it has happened, so that only
/// kind and place are known. A compare-and-swap shows as [`OpKind::CasOk`], a try-lock as [`OpKind::TryLock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wants {
    pub kind: OpKind,
    pub size: u32,
    pub address: u64,
    pub at: CodePoint,
    /// It may turn out to be another operation, or to touch less than it says. That depends on its place in the program alone.
    pub varies: bool,
}

impl Wants {
    /// Whether it is a join that happens by itself, as soon as the thread has ended: no scheduling point.
    pub fn joins_by_itself(&self) -> bool {
        self.kind == OpKind::Join && self.size == 0
    }
}

/// The aligned words that an access touches, each with a mask of its bytes.
pub fn words(address: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    // A stray pointer may lie at the very end.
    let end = address.saturating_add(size);
    (address >> 3..end.div_ceil(8)).map(move |number| {
        let word = number << 3;
        let from = address.max(word) - word;
        let to = end - word;
        let to = to.min(8);
        (word, ((0xffu16 << from) & !(0xffffu32 << to) as u16) as u8)
    })
}
