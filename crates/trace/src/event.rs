//! What a visible operation did, as strategies and analyses see it.

use gordian_base::ThreadId;
use serde::{Deserialize, Serialize};

/// An instruction of the program: function and position in its code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CodePoint {
    pub function: u32,
    pub pc: u32,
}

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
    /// `value` is the result of the thread, and `other` tells whether it was asked for.
    Join,
    Detach,
    /// The thread ends; `value` is what a join gets.
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
    /// `exit`, `_exit` or the return of `main`: all other threads end.
    ProcessExit,
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

    /// `Event::value` of [`OpKind::Free`]: a local variable's scope or function, or a thread-local's thread, has ended.
    pub const LIFE_ENDS: u64 = 1;

    /// `Event::value` of [`OpKind::Watch`].
    pub const WATCHES_MEMORY: u64 = 0;
    pub const WATCHES_LOCK: u64 = 1;
    pub const WATCHES_SEMAPHORE: u64 = 2;
    pub const WATCHES_ONCE: u64 = 3;

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
        )
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

/// What a thread will do when it is next scheduled: the operation before it has happened, so that only
/// kind and place are known. A compare-and-swap shows as [`OpKind::CasOk`], a try-lock as [`OpKind::TryLock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wants {
    pub kind: OpKind,
    pub size: u32,
    pub address: u64,
    pub at: CodePoint,
}

/// The aligned words that an access touches, each with a mask of its bytes.
pub fn words(address: u64, size: u64) -> impl Iterator<Item = (u64, u8)> {
    (address >> 3..(address + size).div_ceil(8)).map(move |number| {
        let word = number << 3;
        let from = address.max(word) - word;
        let to = (address + size).min(word + 8) - word;
        (word, ((0xffu16 << from) & !(0xffffu32 << to) as u16) as u8)
    })
}
