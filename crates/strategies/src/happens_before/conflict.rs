//! Which operations race: those whose order can make a difference.

use gordian_trace::{Event, OpKind, Wants};
use std::ops::Range;

/// What an operation's address means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Space {
    /// Memory: locations, and the locks and other objects that lie in it.
    Memory,
    File,
    Random,
    Hidden,
    /// Orders nothing by itself, or only what creation and join order anyway.
    Nothing,
}

#[deny(clippy::wildcard_enum_match_arm)]
fn space(kind: OpKind) -> Space {
    use OpKind::*;
    match kind {
        File => Space::File,
        Random => Space::Random,
        Look | Change => Space::Hidden,
        Fence | Create | Join | Detach | Exit | Cancel | Unlogged | Yield | Branch | Sleep | AtomicBegin
        | AtomicEnd | ProcessExit => Space::Nothing,
        Read | Write | AtomicRead | AtomicWrite | Rmw | RmwSame | CasOk | CasFail | Free | Watch | Cancelled => {
            Space::Memory
        }
        MutexInit | MutexDestroy | Lock | LockTimeout | TryLock | TryLockFail | Unlock | ReadLock | TryReadLock
        | TryReadLockFail | Abandon | Consistent | OnceEnter | OnceDone => Space::Memory,
        Wait | WaitEnd | Woken | Wake | Signal | Broadcast | CondInit | CondDestroy => Space::Memory,
        SemInit | SemWait | SemTimeout | SemTryWait | SemTryWaitFail | SemPost | SemGet | SemDestroy => Space::Memory,
        BarrierInit | BarrierArrive | BarrierLeave | BarrierDestroy => Space::Memory,
    }
}

/// Whether the order of such operations at the same address can matter.
pub(crate) fn has_place(kind: OpKind) -> bool {
    space(kind) != Space::Nothing
}

/// Whether an executed event and what another thread wants to do touch the same thing, and one of them changes it.
/// Errs on the side of saying no for what a single address cannot tell, such as exit against everything: good enough
/// for sampling, not for a reduction.
pub fn races(event: &Event, wants: &Wants) -> bool {
    let space_of_event = space(event.kind);
    if space_of_event == Space::Nothing
        || space_of_event != space(wants.kind)
        || event.kind.reads_only() && wants.kind.reads_only()
    {
        return false;
    }
    match space_of_event {
        Space::Memory => {
            let wanted = bytes(wants.kind, wants.address, wants.size);
            let overlaps = |other: Range<u64>| other.start < wanted.end && wanted.start < other.end;
            // A wait also releases its mutex, and who wakes takes it again.
            overlaps(bytes(event.kind, event.address, event.size))
                || matches!(event.kind, OpKind::Wait | OpKind::Woken) && overlaps(bytes(event.kind, event.other, 1))
        }
        Space::File | Space::Hidden => event.address == wants.address,
        Space::Random => true,
        Space::Nothing => false,
    }
}

/// What an operation touches. Synchronisation objects are known by their first byte.
fn bytes(kind: OpKind, address: u64, size: u32) -> Range<u64> {
    let size = if kind.is_access() || kind == OpKind::Free { size.max(1) } else { 1 };
    // Saturating: a stray pointer may lie at the very end.
    address..address.saturating_add(u64::from(size))
}
