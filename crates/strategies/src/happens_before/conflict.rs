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

fn space(kind: OpKind) -> Space {
    match kind {
        OpKind::File => Space::File,
        OpKind::Random => Space::Random,
        OpKind::Look | OpKind::Change => Space::Hidden,
        OpKind::Fence
        | OpKind::Create
        | OpKind::Join
        | OpKind::Detach
        | OpKind::Exit
        | OpKind::Cancel
        | OpKind::Unlogged
        | OpKind::Yield
        | OpKind::Branch
        | OpKind::Sleep
        | OpKind::AtomicBegin
        | OpKind::AtomicEnd
        | OpKind::ProcessExit => Space::Nothing,
        _ => Space::Memory,
    }
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
