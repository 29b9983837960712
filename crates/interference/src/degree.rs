//! Which reads are interferences.
//!
//! The paper: a read whose last write before it, in the whole execution, is another thread's. What an object holds when a pointer to it becomes known to others
//! was written by who published it, whether it is static or on the heap. Two things are no writes of another thread. What a thread's creators wrote
//! before they created it is what the thread finds when it begins: the paper's programs begin with their threads, and what was set up before is their
//! initial state. And the result of a thread comes with the join, as what a lock protects does not come with the lock.

use gordian_base::ThreadId;
use gordian_ir::address;
use gordian_witness::{EventKind, EventRef, Place, Recorder};

/// Whether a read at this place is an interference if it takes another thread's write. The result of a thread is not: it comes with
/// the join.
pub fn counts(place: Place) -> bool {
    address::space(place.address) != address::LABEL_SPACE
}

/// Whether it is an interference if the thread reads this write.
pub fn interferes(recorder: &Recorder, thread: ThreadId, place: Place, write: EventRef) -> bool {
    write.thread != thread && counts(place) && !is_inherited(recorder, thread, write)
}

/// The write that the thread took at this event, if that was an interference.
pub fn interference(recorder: &Recorder, thread: ThreadId, index: u32) -> Option<EventRef> {
    let write = recorder.source(thread, index)?;
    let read = &recorder.thread(thread)?.events[index as usize - 1];
    let EventKind::Read { place, .. } = read.event.kind else { return None };
    interferes(recorder, thread, place, write).then_some(write)
}

/// Whether a write comes before the thread was created, so that it finds it as it finds what was there from the beginning.
fn is_inherited(recorder: &Recorder, thread: ThreadId, write: EventRef) -> bool {
    let creation = |thread: ThreadId| recorder.thread(thread).and_then(|thread| thread.created_by);
    let mut before = creation(thread);
    while let Some(created) = before {
        if created.thread == write.thread {
            return write.index < created.index;
        }
        before = creation(created.thread);
    }
    false
}
