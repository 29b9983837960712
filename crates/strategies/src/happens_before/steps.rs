//! What single steps touch, for searches that plan configurations instead of steps.
//!
//! The relation is that of `dpor`: two steps of different threads are dependent if they touch one location in conflicting modes,
//! or if one makes the other possible.

use super::{AccessEffect, Touches};
pub use super::{Effect, Location, Mode};
use gordian_base::ThreadId;
use gordian_trace::{Choice, Event, OpKind, Wants};

/// One access of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub location: Location,
    pub bytes: u8,
    pub mode: Mode,
    /// Takes a lock, which others then have to wait for.
    pub takes_lock: bool,
}

/// What a step touched, or is about to touch.
#[derive(Clone, Debug, Default)]
pub struct Touched {
    pub touches: Vec<Touch>,
    /// What followed the operation without being a step, in order.
    pub effects: Vec<Effect>,
    /// It may depend on anything: it ended the process, or failed within an atomic section.
    pub depends_on_all: bool,
    /// Its thread stands within an atomic section after it.
    pub stays_within: bool,
}

/// Reads off events what steps touch.
#[derive(Default)]
pub struct StepReader {
    touches: Touches,
}

impl StepReader {
    /// The step that made `choice` and these events. `wants` is what it was about to do, `is_within` whether its thread stood
    /// within an atomic section before, `fails` whether it ended the execution with a failure.
    pub fn of_step(
        &mut self,
        choice: Choice,
        events: &[Event],
        wants: Option<Wants>,
        is_within: bool,
        fails: bool,
    ) -> Touched {
        self.touches.of_step(choice, events, wants, is_within);
        if fails && self.touches.stays_within {
            self.touches.depend_on_all();
        }
        let taken: Vec<u64> = events.iter().filter_map(taken_lock).collect();
        Touched {
            touches: self.list(&taken),
            effects: self.touches.effects.clone(),
            depends_on_all: self.touches.depends_on_all(),
            stays_within: self.touches.stays_within,
        }
    }

    /// What a thread is about to touch, in the worst way, with the places that it watches while it waits in a loop. The mutex of
    /// a condition wait and what an atomic section touches are not known here.
    pub fn about_to(&mut self, thread: ThreadId, wants: Wants, watched: &[(u64, u32, u64)]) -> Touched {
        let kind = match wants.kind {
            OpKind::Wait => OpKind::WaitEnd,
            OpKind::Woken => OpKind::Lock,
            kind => kind,
        };
        self.touches.of_wants(thread, Wants { kind, ..wants }, watched);
        Touched { touches: self.list(&[]), ..Touched::default() }
    }

    /// The accesses; `taken` are the locks that the step took.
    fn list(&self, taken: &[u64]) -> Vec<Touch> {
        let words = |touch: &super::Touch| {
            let (access, acquires) =
                (touch.access, matches!(touch.about, AccessEffect::Level { change, .. } if change > 0));
            access.each_word().map(move |word| {
                let is_taken = taken.iter().any(|lock| lock & !7 == word.location.address);
                let takes_lock = acquires && is_taken;
                Touch { location: word.location, bytes: word.bytes, mode: word.mode, takes_lock }
            })
        };
        self.touches.list.iter().flat_map(words).collect()
    }
}

/// The lock that an operation took.
fn taken_lock(event: &Event) -> Option<u64> {
    match event.kind {
        OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock => Some(event.address),
        OpKind::Woken => Some(event.other),
        _ => None,
    }
}
