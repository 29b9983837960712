//! Threads and their synchronisation: pthreads, C11 threads and semaphores.
//!
//! The state of a lock, condition variable, semaphore, barrier or once control lives in the bytes that
//! the program declared for it. So static initialisers, copies and frees mean what they mean natively,
//! and going back to an earlier state needs nothing special.

mod attributes;
mod barrier;
mod cond;
mod mutex;
mod once;
mod rwlock;
mod semaphore;
mod specific;
mod threads;

use crate::fault::Fault;
use crate::interp::Flow;
use crate::models::{Call, Model};
use crate::setup::process;
use gordian_base::Id;
use gordian_trace::{OpKind, Wants};

pub use cond::COND_SIZE;
pub use mutex::{MUTEX_FIELDS, MUTEX_SIZE, SPIN_SIZE};
pub use rwlock::RWLOCK_SIZE;

pub fn lookup(name: &str) -> Option<Model> {
    mutex::lookup(name)
        .or_else(|| cond::lookup(name))
        .or_else(|| rwlock::lookup(name))
        .or_else(|| semaphore::lookup(name))
        .or_else(|| barrier::lookup(name))
        .or_else(|| once::lookup(name))
        .or_else(|| specific::lookup(name))
        .or_else(|| threads::lookup(name))
        .or_else(|| attributes::lookup(name))
}

pub const EPERM: i32 = 1;
pub const ESRCH: i32 = 3;
pub const EAGAIN: i32 = 11;
pub const EBUSY: i32 = 16;
pub const EINVAL: i32 = 22;
pub const ERANGE: i32 = 34;
pub const EDEADLK: i32 = 35;
pub const ENOTSUP: i32 = 95;
pub const ETIMEDOUT: i32 = 110;
pub const EOVERFLOW: i32 = 75;
pub const EOWNERDEAD: i32 = 130;
pub const ENOTRECOVERABLE: i32 = 131;

/// Of a `struct timespec`.
const TIME_SIZE: u64 = 16;

/// C11's results.
pub const THRD_BUSY: i32 = 1;
pub const THRD_ERROR: i32 = 2;
pub const THRD_TIMEDOUT: i32 = 4;

fn is_bad_time(time: &[u8]) -> bool {
    let nanoseconds = i64::from_le_bytes(time[8..].try_into().expect("eight bytes"));
    !(0..1_000_000_000).contains(&nanoseconds)
}

impl Call<'_, '_> {
    /// A field of a synchronisation object that was checked to be there.
    pub(crate) fn field(&self, object: u64, offset: u64) -> u32 {
        self.machine.memory.load(object + offset, 4) as u32
    }

    pub(crate) fn set_field(&mut self, object: u64, offset: u64, value: u32) {
        self.machine.memory.store(object + offset, 4, u64::from(value));
    }

    /// What is wanted of a synchronisation object. That another thread has freed it shows when the operation is made: until then nobody has looked
    /// at it.
    pub(crate) fn wants_object(&self, kind: OpKind, object: u64, size: u32) -> Result<Option<Wants>, Fault> {
        match self.machine.memory.check(object, u64::from(size), true) {
            Err(fault) if !self.machine.fails_by_schedule(self.thread, &fault) => Err(fault),
            _ => Ok(Some(self.wants(kind, object, size))),
        }
    }

    /// Where the time stands that a timed operation is to wait until: its last argument.
    fn time(&self) -> u64 {
        self.arg(self.n_args().saturating_sub(1))
    }

    /// Whether the time that a timed operation is to wait until is none. Looking at it is a read.
    pub(crate) fn has_bad_time(&mut self) -> Result<bool, Fault> {
        let time = self.read(self.time(), TIME_SIZE)?;
        Ok(is_bad_time(&time))
    }

    /// The wait has lasted until its time, and the clock shows that from now on. That the clock changes is logged by who makes the step.
    pub(crate) fn wait_until_time(&mut self) {
        let Ok(object) = self.machine.memory.check(self.time(), TIME_SIZE, false) else { return };
        if !self.machine.uses.looks_at_clock {
            return;
        }
        let time = if self.machine.accesses_are_visible() && object.is_shared() {
            // It was read when the wait began.
            self.machine.lose("the clock after a wait until a time that other threads can change");
            self.machine.memory.view(self.time(), TIME_SIZE).to_vec()
        } else {
            let Ok(time) = self.read(self.time(), TIME_SIZE) else { return };
            time
        };
        let word = |at: usize| i64::from_le_bytes(time[at..at + 8].try_into().expect("eight bytes"));
        let (seconds, nanoseconds) = (u64::try_from(word(0)).unwrap_or(0), u64::try_from(word(8)).unwrap_or(0));
        let until = seconds.saturating_mul(1_000_000_000).saturating_add(nanoseconds);
        let now = self.machine.get_process(process::TIME);
        self.machine.set_process(process::TIME, now.max(until));
    }

    /// The pending operation of a timed operation that looks at the time before anything else. A time that others can write is read in a step of its own:
    /// what it is decides what the operation is.
    pub(crate) fn wants_after_time(&self, kind: OpKind, object: u64, size: u32) -> Result<Option<Wants>, Fault> {
        let Some(wants) = self.wants_object(kind, object, size)? else { return Ok(None) };
        let time = self.time();
        let object = match self.machine.memory.check(time, TIME_SIZE, false) {
            Err(fault) if !self.machine.fails_by_schedule(self.thread, &fault) => return Err(fault),
            object => object.ok(),
        };
        let is_read_first = self.machine.must_park(self.thread) && object.is_none_or(|object| object.is_shared());
        Ok(Some(match is_read_first {
            true => self.wants(OpKind::Read, time, TIME_SIZE as u32),
            false if is_bad_time(self.machine.memory.view(time, TIME_SIZE)) => self.wants(OpKind::Yield, 0, 0),
            false => wants,
        }))
    }

    /// Makes a timed operation that looks at the time before anything else and refuses a bad one. `wants` is what it wants with a valid one.
    pub(crate) fn after_time(
        &mut self,
        wants: Wants,
        act: fn(&mut Self) -> Result<Flow, Fault>,
    ) -> Result<Flow, Fault> {
        let core = &mut self.machine.threads[self.thread.index()].core;
        if std::mem::take(&mut core.halfway) {
            return act(self);
        }
        let n_events = self.machine.log.events.len();
        let is_bad = self.has_bad_time()?;
        let is_seen = self.machine.log.events.len() > n_events;
        if is_bad {
            if !is_seen {
                self.event(OpKind::Yield, 0, 0, 0, 0);
            }
            if self.name().starts_with("sem_") {
                return self.error(EINVAL, u64::from(u32::MAX));
            }
            let status = self.status(EINVAL, THRD_ERROR);
            return self.result_int(status);
        }
        let must_wait = self.machine.variant == 0 && !self.machine.can_do(self.thread, wants);
        if must_wait || is_seen && self.machine.must_park(self.thread) {
            self.machine.threads[self.thread.index()].core.halfway = true;
            return Ok(self.machine.park(self.thread, wants));
        }
        act(self)
    }

    pub(crate) fn misuse<T>(&self, what: String) -> Result<T, Fault> {
        Err(Fault::LockMisuse(what))
    }

    /// Gives `posix` to pthread functions and `c11` to C11 ones.
    pub(crate) fn status(&self, posix: i32, c11: i32) -> i32 {
        if self.name().starts_with("pthread_") || self.name().starts_with("sem_") { posix } else { c11 }
    }
}
