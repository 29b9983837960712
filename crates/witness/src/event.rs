//! Events of recorded executions, whose values are terms.

use gordian_base::ThreadId;
use gordian_expr::ExprId;
use gordian_trace::CodePoint;
use smallvec::{SmallVec, smallvec};
use std::sync::Arc;

/// The event number `index` of a thread, from 1 on; 0 is the thread's beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventRef {
    pub thread: ThreadId,
    pub index: u32,
}

/// Bytes from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub address: u64,
    pub size: u32,
}

impl Place {
    fn end(self) -> u64 {
        self.address + u64::from(self.size)
    }

    pub fn overlaps(self, other: Place) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    pub fn covers(self, other: Place) -> bool {
        self.address <= other.address && other.end() <= self.end()
    }

    /// The aligned words that it touches, by number.
    pub fn words(self) -> impl Iterator<Item = u64> {
        self.address >> 3..self.end().div_ceil(8)
    }
}

/// Something that a thread did, as others could tell or as values decided.
#[derive(Clone, Debug)]
pub struct Event {
    pub kind: EventKind,
    pub at: CodePoint,
    /// It happens at the same instant as the thread's last visible event before it.
    pub joined: bool,
    /// Of accesses: it cannot be part of a race with another such.
    pub atomic: bool,
    /// Of publications: the thread has published what lay in the same place before.
    pub again: bool,
    /// Of reads: the value before anybody's recorded write.
    pub initial: Option<ExprId>,
}

impl Event {
    pub fn new(kind: EventKind, at: CodePoint) -> Self {
        Event { kind, at, joined: false, atomic: false, again: false, initial: None }
    }

    pub fn read(&self) -> Option<Place> {
        match self.kind {
            EventKind::Read { place, .. } | EventKind::Pending(PendingOperation::Read(place)) => Some(place),
            _ => None,
        }
    }

    /// The bytes that it writes, if other threads can read them from this event. Before an object is published for the first time, nobody else
    /// reads it.
    pub fn write(&self) -> Option<Place> {
        match self.kind {
            EventKind::Write { place, .. } => Some(place),
            EventKind::Publish { place, .. } if self.again => Some(place),
            _ => None,
        }
    }

    /// What it uses that somebody may free or destroy. Who publishes an object has it to itself.
    pub fn uses(&self) -> SmallVec<[Used; 2]> {
        let synchronisation = |address: u64| smallvec![Used::Synchronisation(address)];
        match self.kind {
            EventKind::Read { place, .. }
            | EventKind::Write { place, .. }
            | EventKind::Free(place)
            | EventKind::Pending(PendingOperation::Read(place)) => smallvec![Used::Memory(place.address)],
            // Initialising an object makes it new.
            EventKind::Claim(address)
            | EventKind::SemInit { semaphore: address, .. }
            | EventKind::BarrierInit { barrier: address, .. } => smallvec![Used::Memory(address)],
            EventKind::Lock { lock, .. }
            | EventKind::Unlock(lock)
            | EventKind::LockFails { lock, .. }
            | EventKind::Pending(PendingOperation::Lock { lock, .. }) => synchronisation(lock),
            EventKind::Wait { cond, mutex } => {
                smallvec![Used::Synchronisation(cond), Used::Synchronisation(mutex)]
            }
            // The condition variable may be gone once it has been signalled.
            EventKind::Woken { mutex, .. } | EventKind::Pending(PendingOperation::Woken { mutex, .. }) => {
                synchronisation(mutex)
            }
            EventKind::Signal(address)
            | EventKind::Broadcast(address)
            | EventKind::SemWait(address)
            | EventKind::SemPost(address)
            | EventKind::BarrierArrive(address)
            | EventKind::BarrierFill(address)
            | EventKind::Destroy(address)
            | EventKind::Pending(PendingOperation::SemWait(address) | PendingOperation::Destroy(address)) => {
                synchronisation(address)
            }
            EventKind::Pending(PendingOperation::Free(used)) => used.into_iter().collect(),
            EventKind::Begin
            | EventKind::Publish { .. }
            | EventKind::Decide { .. }
            | EventKind::Pick { .. }
            | EventKind::PickOther { .. }
            | EventKind::Assume(_)
            | EventKind::Create(_)
            | EventKind::Join(_)
            | EventKind::End
            | EventKind::BarrierLeave(_)
            | EventKind::Exit
            | EventKind::Pending(PendingOperation::Join(_) | PendingOperation::BarrierLeave(_)) => SmallVec::new(),
        }
    }

    /// Whether it has a place in the order of events; decisions belong to the event before them.
    pub fn is_visible(&self) -> bool {
        !matches!(
            self.kind,
            EventKind::Begin
                | EventKind::Decide { .. }
                | EventKind::Pick { .. }
                | EventKind::PickOther { .. }
                | EventKind::Assume(_)
        )
    }
}

/// What a thread does. After the same decisions a thread does the same.
#[derive(Clone, Debug, PartialEq)]
pub enum EventKind {
    /// The thread begins: its event number 0.
    Begin,
    Read {
        place: Place,
        /// A term of the place's width.
        symbol: ExprId,
    },
    Write {
        place: Place,
        term: ExprId,
    },
    /// An object of the thread's own becomes known to others, as it is.
    Publish {
        place: Place,
        bytes: Arc<[ExprId]>,
    },
    /// A condition holds, one of several.
    Decide {
        condition: ExprId,
        way: u32,
    },
    /// A term has a value on which the thread's further path depends: an address, a size.
    Pick {
        term: ExprId,
        value: u128,
    },
    /// Not made yet: the term has another value than those that it was seen to have here.
    PickOther {
        term: ExprId,
        not: Arc<[u128]>,
    },
    Assume(ExprId),
    Create(ThreadId),
    Join(ThreadId),
    End,
    Lock {
        lock: u64,
        shared: bool,
    },
    Unlock(u64),
    /// An attempt to lock failed: somebody else held it.
    LockFails {
        lock: u64,
        shared: bool,
    },
    /// Releases the mutex and waits.
    Wait {
        cond: u64,
        mutex: u64,
    },
    Woken {
        cond: u64,
        mutex: u64,
    },
    Signal(u64),
    Broadcast(u64),
    SemInit {
        semaphore: u64,
        value: u64,
    },
    SemWait(u64),
    SemPost(u64),
    BarrierInit {
        barrier: u64,
        count: u64,
    },
    /// Arrives at a barrier, not as the last one, and waits.
    BarrierArrive(u64),
    /// Arrives as the last one and lets the others go on.
    BarrierFill(u64),
    BarrierLeave(u64),
    /// The process ends, and all threads with it.
    Exit,
    Free(Place),
    /// A synchronisation object is initialised, or a thread detached: nobody else may be about to use it.
    Claim(u64),
    /// A synchronisation object is destroyed. If it is a lock, nobody holds it.
    Destroy(u64),
    /// Not made yet: the thread's next operation.
    Pending(PendingOperation),
}

/// Something that is there when an event happens, since it would end the execution otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Used {
    /// An object with this address in it.
    Memory(u64),
    /// A synchronisation object, and the memory in which it lies.
    Synchronisation(u64),
}

impl Used {
    pub fn address(self) -> u64 {
        match self {
            Used::Memory(address) | Used::Synchronisation(address) => address,
        }
    }
}

/// What is known of an operation before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PendingOperation {
    Read(Place),
    Lock {
        lock: u64,
        shared: bool,
    },
    Join(ThreadId),
    Woken {
        cond: u64,
        mutex: u64,
    },
    SemWait(u64),
    BarrierLeave(u64),
    /// Destroys a synchronisation object.
    Destroy(u64),
    /// One that waits for nobody. If it needs memory or a synchronisation object: its address.
    Free(Option<Used>),
}
