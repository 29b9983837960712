//! Operations as dependence sees them: what an event says, decoded once.
//!
//! A synchronisation object is the bytes of memory that the program declared for it, and an operation on it touches all of them. So whatever else touches
//! some of them (a write, a copy, the end of its life) depends on the operation .

use super::footprint::Effect;
use super::location::Mode;
use super::touch::{AccessEffect, EnabledIf, Try};
use gordian_base::ThreadId;
use gordian_trace::{Event, Hidden, KNOWN_READERS, OpKind};

/// The level of a lock while a writer, or the owner of a mutex, holds it. Readers count one each, so do the units of a
/// semaphore.
pub(crate) const WRITER: i32 = 1 << 24;

/// Bytes of a mutex that its condition variable's operations name by its address alone.
const MUTEX_SIZE: u32 = 40;

/// An operation, and what it touches.
#[derive(Clone, Copy, Debug)]
pub enum Operation {
    /// Touches the bytes at the event's address; `expects` of a compare-and-swap.
    Memory { mode: Mode, expects: Option<u64> },
    /// Touches a synchronisation object.
    Object { address: u64, size: u32, mode: Mode, needs: EnabledIf, about: AccessEffect },
    /// Gives a mutex up and waits on a condition variable.
    Wait { condition: u64, size: u32, mutex: Object },
    /// Touches hidden state.
    Hidden { what: Hidden, mode: Mode },
    /// Acts on its cancellation.
    Cancelled,
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
    #[deny(clippy::wildcard_enum_match_arm)]
    pub fn of(event: &Event, wants_to_read: bool) -> Operation {
        use OpKind::*;
        let &Event { thread, address, value, other, .. } = event;
        match event.kind {
            Read | AtomicRead => Operation::Memory { mode: Mode::Read, expects: None },
            CasFail => Operation::Memory { mode: Mode::Read, expects: Some(other) },
            CasOk => Operation::Memory { mode: Mode::Write, expects: Some(other) },
            // Whether a read-modify-write changes anything depends on when it comes.
            Write | AtomicWrite | Rmw | RmwSame | Free => Operation::Memory { mode: Mode::Write, expects: None },
            // The operation that follows says it all, see `Touches::of_step`.
            Watch if event.value == OpKind::WATCHES_AWAIT => Operation::Nothing,
            Watch => watch(event),
            Lock | TryLock | Woken | Unlock | ReadLock | TryReadLock | TryLockFail | TryReadLockFail | LockTimeout
            | Abandon => lock(event, wants_to_read),
            SemWait | SemTryWait | SemPost | SemTryWaitFail | SemGet | SemTimeout => semaphore(event),
            // It may have been held, and units may have been taken: what the level was before is not known.
            MutexInit | MutexDestroy | SemInit | SemDestroy => {
                object(event, Mode::Write, EnabledIf::Nothing, AccessEffect::nothing(address))
            }
            WaitEnd | Signal | Broadcast | CondInit | CondDestroy | BarrierInit | BarrierArrive | BarrierDestroy => {
                object(event, Mode::Write, EnabledIf::Nothing, level(0, 0))
            }
            Wait => {
                let mutex = Object { address: other, size: MUTEX_SIZE };
                Operation::Wait { condition: address, size: event.size, mutex }
            }
            // Who comes second waits until the routine has run.
            OnceEnter if value == 0 => {
                let tries = Some(Try { needs: EnabledIf::Free, mode: Mode::Write });
                object(event, Mode::Read, EnabledIf::Free, AccessEffect::Level { before: 0, change: 0, tries })
            }
            // Who may not make it consistent changes nothing, and need not hold it.
            Consistent if value == 0 => object(event, Mode::Read, EnabledIf::Nothing, AccessEffect::nothing(address)),
            Consistent => object(event, Mode::Write, EnabledIf::Nothing, level(WRITER, 0)),
            OnceEnter => object(event, Mode::Write, EnabledIf::Free, level(0, WRITER)),
            OnceDone => object(event, Mode::Write, EnabledIf::Nothing, level(WRITER, -WRITER)),
            File => Operation::File(address),
            Random => Operation::Random(address),
            Cancel => hidden(Hidden::Cancellation(ThreadId(address as u32)), Mode::Write),
            Cancelled => Operation::Cancelled,
            Detach => hidden(Hidden::Thread(ThreadId(address as u32)), Mode::Write),
            // Time passes by as much, whoever sleeps first.
            Sleep => hidden(Hidden::Clock, Mode::Share),
            Look => Hidden::of(address).map_or(Operation::Nothing, |what| hidden(what, Mode::Read)),
            Change => Hidden::of(address).map_or(Operation::Nothing, |what| hidden(what, Mode::Write)),
            Exit if other == 1 => hidden(Hidden::End(thread), Mode::Write),
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

fn level(before: i32, change: i32) -> AccessEffect {
    AccessEffect::Level { before, change, tries: None }
}

fn object(event: &Event, mode: Mode, needs: EnabledIf, about: AccessEffect) -> Operation {
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
    object(event, Mode::Read, EnabledIf::Nothing, level(before, 0))
}

/// Whether a [`OpKind::Watch`] says what an atomic section is blocked by.
pub(crate) fn is_blocked_section(event: &Event) -> bool {
    event.other > 0 && !matches!(event.value, OpKind::WATCHES_MEMORY | OpKind::WATCHES_AWAIT)
}

/// How a thread touches a read-write lock that it takes for reading or gives up. Whether one who is not told apart may give it up depends on how many others
/// read.
pub fn reading_mode(thread: ThreadId) -> Mode {
    if thread.0 < KNOWN_READERS { Mode::Share } else { Mode::Write }
}

fn lock(event: &Event, wants_to_read: bool) -> Operation {
    use OpKind::*;
    let is_not_held = match event.kind {
        Unlock => event.value == OpKind::NOT_HELD,
        Abandon => event.value != 0,
        _ => false,
    };
    if is_not_held {
        // It changes nothing and does not tell whether the mutex is free.
        return object(event, Mode::Read, EnabledIf::Nothing, AccessEffect::nothing(event.address));
    }
    let share = reading_mode(event.thread);
    let n = event.value as i32;
    // `other` tells a timed attempt, which gives up instead of waiting.
    let waits_for = |needs| if event.other == 1 { EnabledIf::Nothing } else { needs };
    // Of a failed attempt, `value` tells how many readers were in the way, if no writer was.
    let held = if n > 0 { n } else { WRITER };
    let (mode, needs, before, change) = match event.kind {
        Woken => (Mode::Write, EnabledIf::Free, 0, WRITER),
        // Its holder takes it again.
        Lock | TryLock if n > 1 => (Mode::Write, EnabledIf::Nothing, WRITER, 0),
        Lock => (Mode::Write, waits_for(EnabledIf::Free), 0, WRITER),
        TryLock => (Mode::Write, EnabledIf::Nothing, 0, WRITER),
        ReadLock => (share, waits_for(EnabledIf::NoWriter), n - 1, 1),
        TryReadLock => (share, EnabledIf::Nothing, n - 1, 1),
        // `other` tells a reader's unlock from a writer's.
        Unlock if event.other == 1 => (share, EnabledIf::Nothing, n + 1, -1),
        Unlock if n == 0 => (Mode::Write, EnabledIf::Nothing, WRITER, -WRITER),
        Unlock => (Mode::Write, EnabledIf::Nothing, WRITER, 0),
        Abandon => (Mode::Write, EnabledIf::Nothing, WRITER, -WRITER),
        TryLockFail | TryReadLockFail | LockTimeout => (Mode::Read, EnabledIf::Nothing, held, 0),
        _ => unreachable!("{:?} is no operation on a lock", event.kind),
    };
    let to_write = Some(Try { needs: EnabledIf::Free, mode: Mode::Write });
    let to_read = Some(Try { needs: EnabledIf::NoWriter, mode: share });
    let tries = match event.kind {
        // Whoever holds it is not kept from it by others.
        Lock | TryLock if n > 1 => None,
        Lock if event.other == 1 => to_write,
        ReadLock if event.other == 1 => to_read,
        LockTimeout if wants_to_read => to_read,
        LockTimeout | TryLock | TryLockFail => to_write,
        TryReadLock | TryReadLockFail => to_read,
        _ => None,
    };
    let (address, size) = if event.kind == Woken { (event.other, MUTEX_SIZE) } else { (event.address, event.size) };
    Operation::Object { address, size, mode, needs, about: AccessEffect::Level { before, change, tries } }
}

fn semaphore(event: &Event) -> Operation {
    use OpKind::*;
    let n = event.value as i32;
    let (mode, needs, before, change) = match event.kind {
        SemWait if event.other == 0 => (Mode::Write, EnabledIf::Unit, n + 1, -1),
        SemWait | SemTryWait => (Mode::Write, EnabledIf::Nothing, n + 1, -1),
        // Which of several posts finds no room depends on their order.
        SemPost if event.value > OpKind::MANY_UNITS => (Mode::Write, EnabledIf::Nothing, n - 1, 1),
        SemPost => (Mode::Share, EnabledIf::Nothing, n - 1, 1),
        SemGet if event.other == 1 => (Mode::Write, EnabledIf::Nothing, n, 0),
        SemGet | SemTryWaitFail | SemTimeout => (Mode::Read, EnabledIf::Nothing, n, 0),
        _ => unreachable!("{:?} is no operation on a semaphore", event.kind),
    };
    let tries =
        matches!(event.kind, SemTryWait | SemTryWaitFail | SemTimeout) || (event.kind, event.other) == (SemWait, 1);
    let tries = tries.then_some(Try { needs: EnabledIf::Unit, mode: Mode::Write });
    object(event, mode, needs, AccessEffect::Level { before, change, tries })
}
