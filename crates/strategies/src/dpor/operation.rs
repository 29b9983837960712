//! Operations as dependence sees them: what an event says, decoded once.
//!
//! A synchronisation object is known by its first eight bytes, or by all of them if it has fewer. They hold what its operations change, and the whole
//! object is used together: it is initialised, copied, overwritten and freed as one. So an operation on it touches these bytes of memory, and whatever
//! else touches them (a write, a copy, the end of its life) depends on the operation without further ado.

use super::footprint::{Effect, Mode};
use super::touch::{About, Needs, Try};
use gordian_base::ThreadId;
use gordian_trace::{Event, Hidden, OpKind};

/// The level of a lock while a writer, or the owner of a mutex, holds it. Readers count one each, so do the units of a
/// semaphore.
pub(super) const WRITER: i32 = 1 << 24;

/// The bytes of a synchronisation object that stand for it.
pub(super) const OBJECT_BYTES: u32 = 8;

/// Bytes of a mutex that its condition variable's operations name by its address alone.
const MUTEX_SIZE: u32 = 40;

/// An operation, and what it touches.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    /// Touches the bytes at the event's address; `expects` of a compare-and-swap.
    Memory { mode: Mode, expects: Option<u64> },
    /// Touches a synchronisation object.
    Object { address: u64, size: u32, mode: Mode, needs: Needs, about: About },
    /// Gives a mutex up and waits on a condition variable.
    Wait { condition: u64, size: u32, mutex: Object },
    /// Touches hidden state.
    Hidden { what: Hidden, mode: Mode },
    /// Uses an open file.
    File(u64),
    /// Draws a random number.
    Random(u64),
    /// Lets its own thread or another go on.
    Effect(Effect),
    /// Ends the process.
    ProcessExit,
    /// Begins or ends an atomic section.
    Section,
    /// Came to nothing, and is not logged otherwise.
    Unlogged,
    /// Concerns nobody else.
    Nothing,
}

/// A synchronisation object.
#[derive(Clone, Copy, Debug)]
pub struct Object {
    pub address: u64,
    pub size: u32,
}

impl Operation {
    /// What the event says; `wants_to_read` if its step began as an attempt to take a lock for reading.
    pub fn of(event: &Event, wants_to_read: bool) -> Operation {
        use OpKind::*;
        let &Event { thread, address, value, other, .. } = event;
        match event.kind {
            Read | AtomicRead => Operation::Memory { mode: Mode::Read, expects: None },
            CasFail => Operation::Memory { mode: Mode::Read, expects: Some(other) },
            CasOk => Operation::Memory { mode: Mode::Write, expects: Some(other) },
            // Whether a read-modify-write changes anything depends on when it comes.
            Write | AtomicWrite | Rmw | RmwSame | Free => Operation::Memory { mode: Mode::Write, expects: None },
            Watch => watch(event),
            Lock | TryLock | Woken | Unlock | ReadLock | TryReadLock | TryLockFail | TryReadLockFail | LockTimeout
            | Abandon => lock(event, wants_to_read),
            SemWait | SemTryWait | SemPost | SemTryWaitFail | SemGet | SemTimeout | SemInit | SemDestroy => {
                semaphore(event)
            }
            MutexInit | MutexDestroy | WaitEnd | Signal | Broadcast | CondInit | CondDestroy | BarrierInit
            | BarrierArrive | BarrierDestroy => object(event, Mode::Write, Needs::Nothing, level(0, 0)),
            Wait => {
                let mutex = Object { address: other, size: MUTEX_SIZE };
                Operation::Wait { condition: address, size: event.size, mutex }
            }
            // Who comes second waits until the routine has run.
            OnceEnter if value == 0 => {
                let tries = Some(Try { needs: Needs::Free, mode: Mode::Write });
                object(event, Mode::Read, Needs::Free, About::Level { before: 0, change: 0, tries })
            }
            OnceEnter => object(event, Mode::Write, Needs::Free, level(0, WRITER)),
            OnceDone => object(event, Mode::Write, Needs::Nothing, level(WRITER, -WRITER)),
            File => Operation::File(address),
            Random => Operation::Random(address),
            Cancel => hidden(Hidden::Cancellation(ThreadId(address as u32)), Mode::Write),
            Cancelled => hidden(Hidden::Cancellation(thread), Mode::Read),
            Detach => hidden(Hidden::Thread(ThreadId(address as u32)), Mode::Write),
            // Time passes by as much, whoever sleeps first.
            Sleep => hidden(Hidden::Clock, Mode::Share),
            Look => Hidden::of(address).map_or(Operation::Nothing, |what| hidden(what, Mode::Read)),
            Change => Hidden::of(address).map_or(Operation::Nothing, |what| hidden(what, Mode::Write)),
            Create => Operation::Effect(Effect::Create { creator: thread, child: ThreadId(address as u32) }),
            Join => Operation::Effect(Effect::Join { joiner: thread, target: ThreadId(address as u32) }),
            Wake => Operation::Effect(Effect::Release(ThreadId(address as u32))),
            BarrierLeave => Operation::Effect(Effect::Release(thread)),
            ProcessExit => Operation::ProcessExit,
            AtomicBegin | AtomicEnd => Operation::Section,
            Unlogged => Operation::Unlogged,
            Exit | Fence | Yield | Branch => Operation::Nothing,
        }
    }
}

fn hidden(what: Hidden, mode: Mode) -> Operation {
    Operation::Hidden { what, mode }
}

fn level(before: i32, change: i32) -> About {
    About::Level { before, change, tries: None }
}

fn object(event: &Event, mode: Mode, needs: Needs, about: About) -> Operation {
    Operation::Object { address: event.address, size: event.size, mode, needs, about }
}

/// The place that a waiting thread has watched, or that an atomic section is blocked by.
fn watch(event: &Event) -> Operation {
    // `other` tells an atomic section that blocked, and how many readers were in its way, from a loop that waited.
    let is_section = is_blocked_section(event);
    let before = match event.value {
        OpKind::WATCHES_LOCK if event.other > 1 => event.other as i32 - 1,
        OpKind::WATCHES_LOCK if is_section => WRITER,
        OpKind::WATCHES_LOCK => 0,
        OpKind::WATCHES_SEMAPHORE if is_section => 0,
        OpKind::WATCHES_SEMAPHORE => 1,
        OpKind::WATCHES_ONCE => WRITER,
        OpKind::WATCHES_HIDDEN => {
            return Hidden::of(event.address).map_or(Operation::Nothing, |what| hidden(what, Mode::Read));
        }
        _ => return Operation::Memory { mode: Mode::Read, expects: None },
    };
    object(event, Mode::Read, Needs::Nothing, level(before, 0))
}

/// Whether a [`OpKind::Watch`] says what an atomic section is blocked by.
pub(super) fn is_blocked_section(event: &Event) -> bool {
    event.other > 0 && event.value != OpKind::WATCHES_MEMORY
}

fn lock(event: &Event, wants_to_read: bool) -> Operation {
    use OpKind::*;
    let n = event.value as i32;
    // `other` tells a timed attempt, which gives up instead of waiting.
    let waits_for = |needs| if event.other == 1 { Needs::Nothing } else { needs };
    // Of a failed attempt, `value` tells how many readers were in the way, if no writer was.
    let held = if n > 0 { n } else { WRITER };
    let (mode, needs, before, change) = match event.kind {
        Woken => (Mode::Write, Needs::Free, 0, WRITER),
        // Its holder takes it again.
        Lock | TryLock if n > 1 => (Mode::Write, Needs::Nothing, WRITER, 0),
        Lock => (Mode::Write, waits_for(Needs::Free), 0, WRITER),
        TryLock => (Mode::Write, Needs::Nothing, 0, WRITER),
        ReadLock => (Mode::Share, waits_for(Needs::NoWriter), n - 1, 1),
        TryReadLock => (Mode::Share, Needs::Nothing, n - 1, 1),
        // `other` tells a reader's unlock from a writer's.
        Unlock if event.other == 1 => (Mode::Share, Needs::Nothing, n + 1, -1),
        Unlock if n == 0 => (Mode::Write, Needs::Nothing, WRITER, -WRITER),
        Unlock => (Mode::Write, Needs::Nothing, WRITER, 0),
        Abandon if n == 0 => (Mode::Write, Needs::Nothing, WRITER, -WRITER),
        _ => (Mode::Read, Needs::Nothing, held, 0),
    };
    let to_write = Some(Try { needs: Needs::Free, mode: Mode::Write });
    let to_read = Some(Try { needs: Needs::NoWriter, mode: Mode::Share });
    let tries = match event.kind {
        Lock if event.other == 1 => to_write,
        ReadLock if event.other == 1 => to_read,
        LockTimeout if wants_to_read => to_read,
        LockTimeout | TryLock | TryLockFail => to_write,
        TryReadLock | TryReadLockFail => to_read,
        _ => None,
    };
    let (address, size) = if event.kind == Woken { (event.other, MUTEX_SIZE) } else { (event.address, event.size) };
    Operation::Object { address, size, mode, needs, about: About::Level { before, change, tries } }
}

fn semaphore(event: &Event) -> Operation {
    use OpKind::*;
    let n = event.value as i32;
    let (mode, needs, before, change) = match event.kind {
        SemWait if event.other == 0 => (Mode::Write, Needs::Unit, n + 1, -1),
        SemWait | SemTryWait => (Mode::Write, Needs::Nothing, n + 1, -1),
        SemPost => (Mode::Share, Needs::Nothing, n - 1, 1),
        SemInit | SemDestroy => (Mode::Write, Needs::Nothing, n, 0),
        _ => (Mode::Read, Needs::Nothing, n, 0),
    };
    let tries =
        matches!(event.kind, SemTryWait | SemTryWaitFail | SemTimeout) || (event.kind, event.other) == (SemWait, 1);
    let tries = tries.then_some(Try { needs: Needs::Unit, mode: Mode::Write });
    object(event, mode, needs, About::Level { before, change, tries })
}
