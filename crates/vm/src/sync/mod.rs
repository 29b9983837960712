//! Threads and their synchronisation: pthreads, C11 threads and semaphores.
//!
//! The state of a lock, condition variable, semaphore, barrier or once control lives in the bytes that
//! the program declared for it. So static initialisers, copies and frees mean what they mean natively,
//! and going back to an earlier state needs nothing special.

mod barrier;
mod cond;
mod mutex;
mod once;
mod rwlock;
mod semaphore;
mod specific;
mod threads;

use crate::fault::Fault;
use crate::models::{Call, Model};

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
}

pub const EPERM: i32 = 1;
pub const ESRCH: i32 = 3;
pub const EAGAIN: i32 = 11;
pub const EBUSY: i32 = 16;
pub const EINVAL: i32 = 22;
pub const EDEADLK: i32 = 35;
pub const ETIMEDOUT: i32 = 110;
pub const EOWNERDEAD: i32 = 130;

/// C11's results.
pub const THRD_BUSY: i32 = 1;
pub const THRD_ERROR: i32 = 2;
pub const THRD_TIMEDOUT: i32 = 4;

impl Call<'_, '_> {
    /// A field of a synchronisation object that was checked to be there.
    pub(crate) fn field(&self, object: u64, offset: u64) -> u32 {
        self.machine.memory.load(object + offset, 4) as u32
    }

    pub(crate) fn set_field(&mut self, object: u64, offset: u64, value: u32) {
        self.machine.memory.store(object + offset, 4, u64::from(value));
    }

    pub(crate) fn misuse<T>(&self, what: String) -> Result<T, Fault> {
        Err(Fault::LockMisuse(what))
    }

    /// Gives `posix` to pthread functions and `c11` to C11 ones.
    pub(crate) fn status(&self, posix: i32, c11: i32) -> i32 {
        if self.name().starts_with("pthread_") || self.name().starts_with("sem_") { posix } else { c11 }
    }
}
