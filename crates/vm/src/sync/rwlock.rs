//! Read-write locks. A writer waits for all readers; nobody is preferred, as in glibc's locks of the kinds 0 and 1: there readers pass waiting writers.
//! Kind 2 makes new readers wait for writers that wait, and when a writer begins to wait is no step here. So reading with such a lock is refused while
//! there are other threads. Its writers exclude each other like those of any lock.

use super::{EBUSY, EDEADLK, ETIMEDOUT};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::order::slot;
use crate::sched::variant;
use gordian_base::ThreadId;
use gordian_trace::{KNOWN_READERS, OpKind, Wants};

pub const RWLOCK_SIZE: u32 = 56;
/// The writer's number plus one.
const WRITER: u64 = 0;
const N_READERS: u64 = 4;
const STATE: u64 = 8;
/// How often each of the first [`KNOWN_READERS`] threads reads, four bits each, up to [`MOST_READS`].
const READERS: u64 = 16;
/// How often one thread may read at the same time.
const MOST_READS: u8 = 15;
const DESTROYED: u32 = 2;
/// Where glibc's static initialisers put the kind.
const KIND: u64 = 48;
/// PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP
const PREFERS_WRITERS: u32 = 2;
const _: () = assert!(READERS + KNOWN_READERS as u64 / 2 <= KIND);

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_rwlock_init" => Model::visible(init, |call| wants(call, OpKind::MutexInit)),
        "pthread_rwlock_destroy" => Model::visible(destroy, |call| wants(call, OpKind::MutexDestroy)),
        "pthread_rwlock_rdlock" => Model::visible(read_lock, |call| wants(call, OpKind::ReadLock)),
        "pthread_rwlock_timedrdlock" | "pthread_rwlock_clockrdlock" => {
            Model::visible(timed_read_lock, |call| wants_timed(call, OpKind::ReadLock)).timed()
        }
        "pthread_rwlock_tryrdlock" => Model::visible(try_read_lock, |call| wants(call, OpKind::TryReadLock)),
        "pthread_rwlock_wrlock" => Model::visible(write_lock, |call| wants(call, OpKind::Lock)),
        "pthread_rwlock_timedwrlock" | "pthread_rwlock_clockwrlock" => {
            Model::visible(timed_write_lock, |call| wants_timed(call, OpKind::Lock)).timed()
        }
        "pthread_rwlock_trywrlock" => Model::visible(try_write_lock, |call| wants(call, OpKind::TryLock)),
        "pthread_rwlock_unlock" => Model::visible(unlock, |call| wants(call, OpKind::Unlock)),
        _ => return None,
    })
}

fn wants(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    let lock = call.arg(0);
    call.wants_object(kind, lock, RWLOCK_SIZE)
}

fn wants_timed(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    call.wants_after_time(kind, call.arg(0), RWLOCK_SIZE)
}

/// A bad time is refused even if the lock is free.
fn timed_read_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let wants = call.wants(OpKind::ReadLock, call.arg(0), RWLOCK_SIZE);
    call.after_time(wants, read_lock)
}

fn timed_write_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let wants = call.wants(OpKind::Lock, call.arg(0), RWLOCK_SIZE);
    call.after_time(wants, write_lock)
}

fn usable(call: &mut Call<'_, '_>, what: &str) -> Result<u64, Fault> {
    let lock = call.arg(0);
    call.machine.memory.check(lock, u64::from(RWLOCK_SIZE), true)?;
    if call.field(lock, STATE) == DESTROYED {
        let name = call.machine.name_of(lock);
        return call.misuse(format!("{what} the destroyed read-write lock {name}"));
    }
    Ok(lock)
}

/// Where a thread's count of reads is kept: the byte, and which half of it. None for threads that are not told apart.
fn count_place(lock: u64, thread: ThreadId) -> Option<(u64, u32)> {
    (thread.0 < KNOWN_READERS).then(|| (lock + READERS + u64::from(thread.0 / 2), thread.0 % 2 * 4))
}

fn init(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (lock, attributes) = (call.arg(0), call.arg(1));
    call.machine.memory.check(lock, u64::from(RWLOCK_SIZE), true)?;
    let kind = call.rwlock_kind(attributes)?;
    call.machine.memory.fill(lock, u64::from(RWLOCK_SIZE), 0);
    call.set_field(lock, KIND, kind);
    call.event(OpKind::MutexInit, lock, RWLOCK_SIZE, 0, 0);
    call.result_int(0)
}

fn destroy(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let lock = usable(call, "destroys")?;
    if call.field(lock, WRITER) != 0 || call.field(lock, N_READERS) != 0 {
        let name = call.machine.name_of(lock);
        return call.misuse(format!("destroys the read-write lock {name} while it is held"));
    }
    call.set_field(lock, STATE, DESTROYED);
    call.event(OpKind::MutexDestroy, lock, RWLOCK_SIZE, 0, 0);
    call.result_int(0)
}

fn begin_reading(call: &mut Call<'_, '_>, lock: u64, kind: OpKind) -> Result<Flow, Fault> {
    let mine = call.machine.reads_of(lock, call.thread).unwrap_or(0);
    if mine == MOST_READS {
        let why = format!("a read-write lock that one thread takes for reading more than {MOST_READS} times");
        return Err(Fault::Unsupported(why));
    }
    let readers = call.field(lock, N_READERS) + 1;
    call.set_field(lock, N_READERS, readers);
    call.machine.set_reads_of(lock, call.thread, mine + 1);
    call.machine.acquire(call.thread, lock);
    let timed = u64::from(call.machine.is_timed(call.thread));
    call.event(kind, lock, RWLOCK_SIZE, u64::from(readers), timed);
    call.result_int(0)
}

fn begin_writing(call: &mut Call<'_, '_>, lock: u64, kind: OpKind) -> Result<Flow, Fault> {
    let writer = call.thread.0 + 1;
    call.set_field(lock, WRITER, writer);
    call.machine.acquire(call.thread, lock);
    call.machine.acquire(call.thread, lock + slot::READERS);
    let timed = u64::from(call.machine.is_timed(call.thread));
    call.event(kind, lock, RWLOCK_SIZE, 1, timed);
    call.result_int(0)
}

/// Whether a reader would have to wait for writers that wait depends on nothing that is a step.
fn refuse_preference(call: &Call<'_, '_>, lock: u64) -> Result<(), Fault> {
    if call.field(lock, KIND) == PREFERS_WRITERS && call.machine.accesses_are_visible() {
        let why = "reading with a read-write lock that prefers writers (`PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP`) while other threads run";
        return Err(Fault::Unsupported(why.to_owned()));
    }
    Ok(())
}

fn read_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let lock = usable(call, "locks")?;
    refuse_preference(call, lock)?;
    if call.machine.variant == variant::TIMEOUT {
        call.wait_until_time();
        call.event(OpKind::LockTimeout, lock, RWLOCK_SIZE, 0, 0);
        return call.result_int(ETIMEDOUT);
    }
    if call.field(lock, WRITER) == call.thread.0 + 1 {
        call.event(OpKind::TryReadLockFail, lock, RWLOCK_SIZE, 0, 0);
        return call.result_int(EDEADLK);
    }
    begin_reading(call, lock, OpKind::ReadLock)
}

fn try_read_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let lock = usable(call, "locks")?;
    refuse_preference(call, lock)?;
    if call.field(lock, WRITER) != 0 {
        call.event(OpKind::TryReadLockFail, lock, RWLOCK_SIZE, 0, 0);
        return call.result_int(EBUSY);
    }
    begin_reading(call, lock, OpKind::TryReadLock)
}

/// How many readers keep others from writing, unless a writer does: more readers could still come.
fn held_by_readers(call: &Call<'_, '_>, lock: u64) -> u64 {
    u64::from(call.field(lock, N_READERS))
}

fn write_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let lock = usable(call, "locks")?;
    let by_readers = held_by_readers(call, lock);
    if call.machine.variant == variant::TIMEOUT {
        call.wait_until_time();
        call.event(OpKind::LockTimeout, lock, RWLOCK_SIZE, by_readers, 0);
        return call.result_int(ETIMEDOUT);
    }
    if call.field(lock, WRITER) == call.thread.0 + 1 {
        call.event(OpKind::TryLockFail, lock, RWLOCK_SIZE, by_readers, 0);
        return call.result_int(EDEADLK);
    }
    if call.field(lock, N_READERS) > 0 {
        let name = call.machine.name_of(lock);
        return call.misuse(format!("locks {name} for writing while it holds it for reading, and waits for itself"));
    }
    begin_writing(call, lock, OpKind::Lock)
}

fn try_write_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let lock = usable(call, "locks")?;
    let by_readers = held_by_readers(call, lock);
    if call.field(lock, WRITER) != 0 || call.field(lock, N_READERS) != 0 {
        call.event(OpKind::TryLockFail, lock, RWLOCK_SIZE, by_readers, 0);
        return call.result_int(EBUSY);
    }
    begin_writing(call, lock, OpKind::TryLock)
}

fn unlock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let lock = usable(call, "unlocks")?;
    if call.field(lock, WRITER) == call.thread.0 + 1 {
        call.set_field(lock, WRITER, 0);
        call.event(OpKind::Unlock, lock, RWLOCK_SIZE, 0, 0);
        call.machine.release(call.thread, lock);
        return call.result_int(0);
    }
    let readers = call.field(lock, N_READERS);
    let mine = call.machine.reads_of(lock, call.thread);
    if readers == 0 || mine == Some(0) {
        let name = call.machine.name_of(lock);
        return call.misuse(format!("unlocks the read-write lock {name} that it does not hold"));
    }
    call.set_field(lock, N_READERS, readers - 1);
    if readers == 1 {
        call.machine.memory.fill(lock + READERS, u64::from(KNOWN_READERS / 2), 0);
    } else if let Some(mine) = mine {
        call.machine.set_reads_of(lock, call.thread, mine - 1);
    }
    call.event(OpKind::Unlock, lock, RWLOCK_SIZE, u64::from(readers - 1), 1);
    call.machine.release(call.thread, lock + slot::READERS);
    call.result_int(0)
}

impl Machine<'_> {
    /// The writer itself need not wait: it is told that it would deadlock.
    pub(crate) fn rwlock_can_read(&self, thread: ThreadId, lock: u64) -> bool {
        if self.memory.check(lock, u64::from(RWLOCK_SIZE), true).is_err() {
            return true;
        }
        let writer = self.memory.load(lock + WRITER, 4);
        writer == 0 || writer == u64::from(thread.0 + 1)
    }

    pub(crate) fn readers_of(&self, lock: u64) -> u64 {
        self.memory.load(lock + N_READERS, 4)
    }

    pub(crate) fn rwlock_can_write(&self, thread: ThreadId, lock: u64) -> bool {
        let writer = self.memory.load(lock + WRITER, 4);
        if writer != 0 {
            return writer == u64::from(thread.0 + 1);
        }
        // Who also reads would wait for itself, which is reported when it tries.
        let reads = self.reads_of(lock, thread).is_some_and(|reads| reads > 0) && !self.is_timed(thread);
        reads || self.memory.load(lock + N_READERS, 4) == 0
    }

    /// How often the thread holds the lock for reading; none where that is not known.
    fn reads_of(&self, lock: u64, thread: ThreadId) -> Option<u8> {
        let (place, shift) = count_place(lock, thread)?;
        Some((self.memory.load(place, 1) >> shift) as u8 & MOST_READS)
    }

    fn set_reads_of(&mut self, lock: u64, thread: ThreadId, reads: u8) {
        let Some((place, shift)) = count_place(lock, thread) else { return };
        let others = self.memory.load(place, 1) & !(u64::from(MOST_READS) << shift);
        self.memory.store(place, 1, others | u64::from(reads) << shift);
    }

    /// Threads that hold the lock for reading, as far as they are told apart.
    pub(crate) fn rwlock_readers(&self, lock: u64) -> Vec<ThreadId> {
        if self.memory.check(lock, u64::from(RWLOCK_SIZE), false).is_err() || self.memory.load(lock + N_READERS, 4) == 0
        {
            return Vec::new();
        }
        let reads = |thread: &ThreadId| self.reads_of(lock, *thread).is_some_and(|reads| reads > 0);
        (0..KNOWN_READERS).map(ThreadId).filter(reads).collect()
    }
}
