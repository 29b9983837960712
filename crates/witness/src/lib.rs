//! Witnesses of executions: an order of events, values for them, and a machine that follows both.
//!
//! A *recorded execution* is a sequence of events for each thread ([`Recorder`]): reads are symbols, writes are terms over them, decisions are
//! conditions. Whoever puts prefixes of such sequences together, of one execution or of several, asks two questions. [`Order`]: is there a line of
//! all events that program order, creation and join, locks, condition variables, semaphores and barriers allow, and in which reads take the writes
//! that they are said to take? [`Values`]: are there inputs for which all decisions go as recorded? Line and inputs make a [`Plan`], which
//! [`follow`] executes on a machine.
//!
//! This crate knows no search: what is to blame when there is no order or there are no values is a type of its caller.

mod event;
mod follow;
mod order;
mod record;
mod values;

pub use event::{Event, EventKind, EventRef, PendingOperation, Place, Used};
pub use follow::{Plan, Turns, Wake, choice, follow, run};
pub use order::{Line, Order, Prefix, arrivals};
pub use record::{Recorded, RecordedThread, Recorder};
pub use values::{Cores, Unsatisfied, Values};

use gordian_base::ThreadId;
use gordian_ir::address;

/// The address that stands for a thread where those of synchronisation objects do. No object has it.
pub fn thread_claim(thread: ThreadId) -> u64 {
    address::make(address::LABEL_SPACE, address::MAX_INDEX - 1, u64::from(thread.0))
}
