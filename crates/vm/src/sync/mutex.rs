//! Mutexes and spin locks.

use super::{
    EBUSY, EDEADLK, EINVAL, ENOTRECOVERABLE, EOWNERDEAD, EPERM, ETIMEDOUT, THRD_BUSY, THRD_ERROR, THRD_TIMEDOUT,
};
use crate::fault::Fault;
use crate::hidden::Robust;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::memory::Object;
use crate::models::{Call, Model};
use crate::sched::{thread_key, variant};
use gordian_base::{Id, ThreadId};
use gordian_trace::{CodePoint, OpKind, Wants};

pub const MUTEX_SIZE: u32 = 40;
pub const SPIN_SIZE: u32 = 4;

/// The holder's number plus one, 0 when free. A spin lock has nothing else.
const OWNER: u64 = 0;
const COUNT: u64 = 4;
const STATE: u64 = 8;
/// Where glibc's static initialisers put the kind.
const KIND: u64 = 16;
const TAKEN_IN: u64 = 20;
const TAKEN_AT: u64 = 24;

/// Where that stands in a mutex on which it depends whether it can be locked.
pub const MUTEX_FIELDS: [u64; 2] = [OWNER, KIND];

const INITIALISED: u32 = 1;
const DESTROYED: u32 = 2;
/// A robust mutex that was taken over from a thread that had ended, until `pthread_mutex_consistent`.
const INCONSISTENT: u32 = 3;
/// An inconsistent one that was unlocked as it was: nobody can lock it any more.
const NOT_RECOVERABLE: u32 = 4;
const RECURSIVE: u32 = 1;
const ERROR_CHECKING: u32 = 2;
const KIND_MASK: u32 = 3;
const ROBUST: u32 = 16;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_mutex_init" => Model::visible(init, |call| wants(call, OpKind::MutexInit)),
        "mtx_init" => Model::visible(init_c11, |call| wants(call, OpKind::MutexInit)),
        "pthread_mutex_destroy" | "mtx_destroy" => Model::visible(destroy, |call| wants(call, OpKind::MutexDestroy)),
        "pthread_mutex_lock" | "mtx_lock" | "__pthread_mutex_lock" | "flockfile" => {
            Model::visible(lock, |call| wants(call, OpKind::Lock))
        }
        "pthread_mutex_timedlock" | "pthread_mutex_clocklock" | "mtx_timedlock" => {
            Model::visible(lock, |call| wants(call, OpKind::Lock)).timed()
        }
        "pthread_mutex_trylock" | "mtx_trylock" | "__pthread_mutex_trylock" | "ftrylockfile" => {
            Model::visible(try_lock, |call| wants(call, OpKind::TryLock))
        }
        "pthread_mutex_unlock" | "mtx_unlock" | "__pthread_mutex_unlock" | "funlockfile" => {
            Model::visible(unlock, |call| wants(call, OpKind::Unlock))
        }
        "pthread_mutex_consistent" => Model::visible(make_consistent, |call| wants(call, OpKind::Consistent)),
        "pthread_spin_init" => Model::visible(spin_init, |call| wants_spin(call, OpKind::MutexInit)),
        "pthread_spin_destroy" => Model::visible(spin_destroy, |call| wants_spin(call, OpKind::MutexDestroy)),
        "pthread_spin_lock" => Model::visible(spin_lock, |call| wants_spin(call, OpKind::Lock)),
        "pthread_spin_trylock" => Model::visible(spin_try_lock, |call| wants_spin(call, OpKind::TryLock)),
        "pthread_spin_unlock" => Model::visible(spin_unlock, |call| wants_spin(call, OpKind::Unlock)),
        _ => return None,
    })
}

fn wants(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    let mutex = call.arg(0);
    let wants = call.wants_object(kind, mutex, MUTEX_SIZE)?;
    // A robust mutex may be lost for good, so that nobody can take it any more.
    let varies = kind == OpKind::Lock && call.machine.uses.robust;
    Ok(wants.map(|wants| Wants { varies, ..wants }))
}

fn make_consistent(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let mutex = usable(call, "makes consistent")?;
    let may = call.field(mutex, STATE) == INCONSISTENT && call.field(mutex, OWNER) == me(call);
    call.event(OpKind::Consistent, mutex, MUTEX_SIZE, u64::from(may), 0);
    if !may {
        return call.result_int(EINVAL);
    }
    call.set_field(mutex, STATE, INITIALISED);
    call.result_int(0)
}

fn wants_spin(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    let spin = call.arg(0);
    call.wants_object(kind, spin, SPIN_SIZE)
}

/// The mutex, which must exist and not be destroyed.
fn usable(call: &mut Call<'_, '_>, what: &str) -> Result<u64, Fault> {
    let mutex = call.arg(0);
    let object = call.machine.memory.check(mutex, u64::from(MUTEX_SIZE), true)?;
    let field = |field| call.machine.memory.field_at(object, mutex, field);
    let (state, kind, owner) = (field(STATE), field(KIND), field(OWNER));
    if state == DESTROYED {
        let name = call.machine.name_of(mutex);
        return call.misuse(format!("{what} the destroyed mutex {name}"));
    }
    if kind & !(KIND_MASK | ROBUST) != 0 || owner as usize > call.machine.threads.len() {
        let name = call.machine.name_of(mutex);
        return call.misuse(format!("{what} {name}, which is no initialised mutex"));
    }
    if call.machine.mutex_was_moved(mutex) {
        let why = "a robust mutex that was copied or moved while it was held";
        return Err(Fault::Unsupported(why.to_owned()));
    }
    Ok(mutex)
}

fn me(call: &Call<'_, '_>) -> u32 {
    call.thread.0 + 1
}

fn reset(call: &mut Call<'_, '_>, mutex: u64, kind: u32) -> Result<(), Fault> {
    call.machine.memory.check(mutex, u64::from(MUTEX_SIZE), true)?;
    call.machine.memory.fill(mutex, u64::from(MUTEX_SIZE), 0);
    call.set_field(mutex, STATE, INITIALISED);
    call.set_field(mutex, KIND, kind);
    call.event(OpKind::MutexInit, mutex, MUTEX_SIZE, 0, 0);
    Ok(())
}

fn init(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (mutex, attributes) = (call.arg(0), call.arg(1));
    let kind = call.mutex_flags(attributes)?;
    reset(call, mutex, kind)?;
    call.result_int(0)
}

fn init_c11(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    // `mtx_recursive` is 1 and may be combined with `mtx_timed`, 2.
    let (mutex, kind) = (call.arg(0), call.arg(1) as u32 & RECURSIVE);
    reset(call, mutex, kind)?;
    call.result_int(0)
}

fn destroy(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let mutex = usable(call, "destroys")?;
    if call.field(mutex, OWNER) != 0 {
        let name = call.machine.name_of(mutex);
        let holder = call.machine.holder_text(mutex);
        return call.misuse(format!("destroys the mutex {name} while {holder}"));
    }
    call.set_field(mutex, STATE, DESTROYED);
    call.event(OpKind::MutexDestroy, mutex, MUTEX_SIZE, 0, 0);
    call.result_int(0)
}

fn lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let mutex = usable(call, "locks")?;
    let owner = call.field(mutex, OWNER);
    if owner == me(call) && call.machine.variant != variant::TIMEOUT {
        return match call.field(mutex, KIND) & KIND_MASK {
            RECURSIVE => {
                let count = call.field(mutex, COUNT) + 1;
                call.set_field(mutex, COUNT, count);
                call.event(OpKind::Lock, mutex, MUTEX_SIZE, u64::from(count), 0);
                call.result_int(0)
            }
            ERROR_CHECKING => {
                let status = call.status(EDEADLK, THRD_ERROR);
                call.event(OpKind::TryLockFail, mutex, MUTEX_SIZE, 0, 0);
                call.result_int(status)
            }
            _ => {
                let name = call.machine.name_of(mutex);
                call.misuse(format!("locks the mutex {name} that it already holds, and waits for itself"))
            }
        };
    }
    if call.machine.variant == variant::TIMEOUT {
        call.event(OpKind::LockTimeout, mutex, MUTEX_SIZE, 0, 0);
        let status = match call.has_bad_time()? {
            true => call.status(EINVAL, THRD_ERROR),
            false => {
                call.wait_until_time();
                call.status(ETIMEDOUT, THRD_TIMEDOUT)
            }
        };
        return call.result_int(status);
    }
    if owner == 0 && call.field(mutex, STATE) == NOT_RECOVERABLE {
        call.event(OpKind::TryLockFail, mutex, MUTEX_SIZE, 0, 0);
        return call.result_int(ENOTRECOVERABLE);
    }
    let orphaned = owner != 0;
    if orphaned {
        inherit(call.machine, call.thread, mutex);
    }
    take(call.machine, call.thread, mutex);
    let timed = u64::from(call.machine.is_timed(call.thread));
    let event = call.machine.log.events.len();
    call.event(OpKind::Lock, mutex, MUTEX_SIZE, 1, timed);
    call.machine.log.events[event].varies = call.machine.uses.robust;
    call.result_int(if orphaned { EOWNERDEAD } else { 0 })
}

/// The holder has ended: what it knew is released to who takes over.
fn inherit(machine: &mut Machine<'_>, thread: ThreadId, mutex: u64) {
    let dead = ThreadId(machine.memory.load(mutex + OWNER, 4) as u32 - 1);
    machine.acquire(thread, thread_key(dead));
    machine.memory.store(mutex + STATE, 4, u64::from(INCONSISTENT));
}

/// Makes the thread the holder and teaches it what the last one released.
fn take(machine: &mut Machine<'_>, thread: ThreadId, mutex: u64) {
    let at = machine.user_point(thread);
    machine.memory.store(mutex + OWNER, 8, u64::from(thread.0 + 1) | 1 << 32);
    machine.memory.store(mutex + TAKEN_IN, 8, u64::from(at.function) | u64::from(at.pc) << 32);
    debug_assert_eq!(TAKEN_AT, TAKEN_IN + 4);
    if machine.uses.robust && machine.mutex_is_robust(mutex) {
        machine.robust.push(Robust { thread, mutex, is_taken: true });
    }
    machine.acquire(thread, mutex);
}

fn try_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let mutex = usable(call, "locks")?;
    let owner = call.field(mutex, OWNER);
    let orphaned = call.machine.mutex_is_orphaned(mutex);
    if owner == 0 && call.field(mutex, STATE) == NOT_RECOVERABLE {
        call.event(OpKind::TryLockFail, mutex, MUTEX_SIZE, 0, 0);
        return call.result_int(ENOTRECOVERABLE);
    }
    if owner == 0 || orphaned {
        if orphaned {
            inherit(call.machine, call.thread, mutex);
        }
        take(call.machine, call.thread, mutex);
        call.event(OpKind::TryLock, mutex, MUTEX_SIZE, 1, 0);
        return call.result_int(if orphaned { EOWNERDEAD } else { 0 });
    }
    if owner == me(call) && call.field(mutex, KIND) & KIND_MASK == RECURSIVE {
        let count = call.field(mutex, COUNT) + 1;
        call.set_field(mutex, COUNT, count);
        call.event(OpKind::TryLock, mutex, MUTEX_SIZE, u64::from(count), 0);
        return call.result_int(0);
    }
    call.event(OpKind::TryLockFail, mutex, MUTEX_SIZE, 0, 0);
    let status = call.status(EBUSY, THRD_BUSY);
    call.result_int(status)
}

fn unlock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let mutex = usable(call, "unlocks")?;
    let owner = call.field(mutex, OWNER);
    if owner != me(call) {
        // Recursive, robust and error-checking ones tell by their result.
        let kind = call.field(mutex, KIND);
        if kind & KIND_MASK == ERROR_CHECKING || kind & KIND_MASK == RECURSIVE || kind & ROBUST != 0 {
            call.event(OpKind::Unlock, mutex, MUTEX_SIZE, OpKind::NOT_HELD, 0);
            let status = call.status(EPERM, THRD_ERROR);
            return call.result_int(status);
        }
        let name = call.machine.name_of(mutex);
        let holder = call.machine.holder_text(mutex);
        return call.misuse(format!("unlocks the mutex {name} that it does not hold: {holder}"));
    }
    let count = call.field(mutex, COUNT);
    if count > 1 {
        call.set_field(mutex, COUNT, count - 1);
        call.event(OpKind::Unlock, mutex, MUTEX_SIZE, u64::from(count - 1), 0);
        return call.result_int(0);
    }
    if call.field(mutex, STATE) == INCONSISTENT {
        call.set_field(mutex, STATE, NOT_RECOVERABLE);
    }
    // Who takes it next comes after this operation, which is told with the rest.
    call.event(OpKind::Unlock, mutex, MUTEX_SIZE, 0, 0);
    call.machine.unlock_mutex(call.thread, mutex);
    call.result_int(0)
}

fn spin_init(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let spin = call.arg(0);
    call.machine.memory.check(spin, 4, true)?;
    call.set_field(spin, OWNER, 0);
    call.event(OpKind::MutexInit, spin, SPIN_SIZE, 0, 0);
    call.result_int(0)
}

fn spin_destroy(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let spin = call.arg(0);
    call.machine.memory.check(spin, 4, true)?;
    if call.field(spin, OWNER) != 0 {
        let name = call.machine.name_of(spin);
        return call.misuse(format!("destroys the spin lock {name} while it is held"));
    }
    call.set_field(spin, OWNER, u32::MAX);
    call.event(OpKind::MutexDestroy, spin, SPIN_SIZE, 0, 0);
    call.result_int(0)
}

fn usable_spin(call: &mut Call<'_, '_>, what: &str) -> Result<u64, Fault> {
    let spin = call.arg(0);
    call.machine.memory.check(spin, 4, true)?;
    if call.field(spin, OWNER) as usize > call.machine.threads.len() {
        let name = call.machine.name_of(spin);
        return call.misuse(format!("{what} {name}, which is no initialised spin lock"));
    }
    Ok(spin)
}

fn spin_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let spin = usable_spin(call, "locks")?;
    if call.field(spin, OWNER) == me(call) {
        let name = call.machine.name_of(spin);
        return call.misuse(format!("locks the spin lock {name} that it already holds, and waits for itself"));
    }
    take_spin(call, spin, OpKind::Lock)
}

fn take_spin(call: &mut Call<'_, '_>, spin: u64, kind: OpKind) -> Result<Flow, Fault> {
    let owner = me(call);
    call.set_field(spin, OWNER, owner);
    call.machine.acquire(call.thread, spin);
    call.event(kind, spin, SPIN_SIZE, 1, 0);
    call.result_int(0)
}

fn spin_try_lock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let spin = usable_spin(call, "locks")?;
    if call.field(spin, OWNER) != 0 {
        call.event(OpKind::TryLockFail, spin, SPIN_SIZE, 0, 0);
        return call.result_int(EBUSY);
    }
    take_spin(call, spin, OpKind::TryLock)
}

fn spin_unlock(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let spin = usable_spin(call, "unlocks")?;
    if call.field(spin, OWNER) != me(call) {
        let name = call.machine.name_of(spin);
        return call.misuse(format!("unlocks the spin lock {name} that it does not hold"));
    }
    call.set_field(spin, OWNER, 0);
    call.event(OpKind::Unlock, spin, SPIN_SIZE, 0, 0);
    call.machine.release(call.thread, spin);
    call.result_int(0)
}

impl Machine<'_> {
    /// Makes a stream's object the recursive mutex that `flockfile` takes.
    pub(crate) fn make_stream_lock(&mut self, stream: u64) {
        self.memory.store(stream + KIND, 4, u64::from(RECURSIVE));
    }

    /// Whether who waits to take it again after a condition wait need not wait any more.
    pub(crate) fn mutex_is_free(&self, mutex: u64) -> bool {
        match self.memory.check(mutex, u64::from(MUTEX_SIZE), true) {
            Ok(_) => self.memory.load(mutex + OWNER, 4) == 0 || self.mutex_is_orphaned(mutex),
            // Whoever wakes will find out.
            Err(_) => true,
        }
    }

    /// Whether locking would not block. What is wrong with the lock shows when it is tried.
    pub(crate) fn mutex_can_lock(&self, thread: ThreadId, lock: u64, size: u32) -> bool {
        if self.memory.check(lock, u64::from(size), true).is_err() {
            return true;
        }
        if size == super::rwlock::RWLOCK_SIZE {
            return self.rwlock_can_write(thread, lock);
        }
        let owner = self.memory.load(lock + OWNER, 4) as u32;
        if owner == 0 || owner as usize > self.threads.len() {
            return true;
        }
        if owner == thread.0 + 1 {
            // Only a plain mutex makes its holder wait for itself.
            let kind = self.memory.load(lock + KIND, 4) as u32 & KIND_MASK;
            return !self.is_timed(thread) || size == MUTEX_SIZE && matches!(kind, RECURSIVE | ERROR_CHECKING);
        }
        size == MUTEX_SIZE && (self.mutex_is_orphaned(lock) || self.mutex_was_moved(lock))
    }

    /// Whether somebody may take over what its holder did not give up, or it cannot be used at all.
    pub(crate) fn is_unusual_lock(&self, lock: u64, size: u32) -> bool {
        let Ok(object) = self.memory.check(lock, u64::from(size), true) else { return true };
        size == MUTEX_SIZE && self.mutex_state(object, lock).1
    }

    /// Who holds the mutex, and whether it is a robust one.
    pub(crate) fn mutex_state(&self, object: Object, mutex: u64) -> (Option<ThreadId>, bool) {
        let owner = self.memory.field_at(object, mutex, OWNER);
        let holder = (owner != 0 && owner as usize <= self.threads.len()).then(|| ThreadId(owner - 1));
        (holder, self.memory.field_at(object, mutex, KIND) & ROBUST != 0)
    }

    /// Whether it is a robust mutex whose holder has ended.
    pub(crate) fn mutex_is_orphaned(&self, mutex: u64) -> bool {
        let owner = self.memory.load(mutex + OWNER, 4) as usize;
        self.mutex_is_robust(mutex) && owner > 0 && self.threads.get(owner - 1).is_some_and(|holder| holder.ended())
    }

    /// Whether it is the copy of a robust mutex that was held. When its holder ends, nobody is told: that is logged by the address of the mutex that it took.
    fn mutex_was_moved(&self, mutex: u64) -> bool {
        if !self.uses.robust || !self.mutex_is_robust(mutex) {
            return false;
        }
        let owner = self.memory.load(mutex + OWNER, 4) as u32;
        let is_taken = |holder| self.robust_mutexes_of(holder).iter().any(|(taken, _)| *taken == mutex);
        owner != 0 && owner as usize <= self.threads.len() && !is_taken(ThreadId(owner - 1))
    }

    fn mutex_is_robust(&self, mutex: u64) -> bool {
        self.memory.load(mutex + KIND, 4) as u32 & ROBUST != 0
    }

    /// Lets the mutex go, whatever the count.
    pub(crate) fn unlock_mutex(&mut self, thread: ThreadId, mutex: u64) {
        self.memory.store(mutex + OWNER, 8, 0);
        if self.uses.robust && self.mutex_is_robust(mutex) {
            self.robust.push(Robust { thread, mutex, is_taken: false });
        }
        self.release(thread, mutex);
    }

    pub(crate) fn lock_mutex(&mut self, thread: ThreadId, mutex: u64) {
        take(self, thread, mutex);
    }

    /// Takes the mutex again after a condition wait, and gives what that tells its thread. A robust one may have lost its holder, or be lost for good.
    pub(crate) fn take_again(&mut self, thread: ThreadId, mutex: u64) -> Result<i32, Fault> {
        self.memory.check(mutex, u64::from(MUTEX_SIZE), true)?;
        if self.memory.load(mutex + OWNER, 4) == 0 && self.memory.load(mutex + STATE, 4) as u32 == NOT_RECOVERABLE {
            return Ok(ENOTRECOVERABLE);
        }
        let orphaned = self.mutex_is_orphaned(mutex);
        if orphaned {
            inherit(self, thread, mutex);
        }
        take(self, thread, mutex);
        Ok(if orphaned { EOWNERDEAD } else { 0 })
    }

    /// Whether the thread may wait with this mutex; an error for who does not check, a result for who does.
    pub(crate) fn holds_mutex(&self, thread: ThreadId, mutex: u64) -> Result<bool, Fault> {
        self.memory.check(mutex, u64::from(MUTEX_SIZE), true)?;
        Ok(self.memory.load(mutex + OWNER, 4) == u64::from(thread.0 + 1))
    }

    /// Whether taking the mutex would simply take it.
    pub(crate) fn mutex_can_be_taken(&self, mutex: u64) -> bool {
        self.mutex_is_sound(mutex) && self.memory.load(mutex + OWNER, 4) == 0
    }

    /// Whether releasing the mutex would simply set it free.
    pub(crate) fn mutex_is_held_once(&self, thread: ThreadId, mutex: u64) -> bool {
        self.mutex_is_sound(mutex)
            && self.memory.load(mutex + OWNER, 4) == u64::from(thread.0 + 1)
            && self.mutex_depth(mutex) <= 1
    }

    fn mutex_is_sound(&self, mutex: u64) -> bool {
        let field = |field: u64| self.memory.load(mutex + field, 4) as u32;
        self.memory.check(mutex, u64::from(MUTEX_SIZE), true).is_ok()
            && field(STATE) <= INITIALISED
            && field(KIND) <= KIND_MASK
    }

    /// How often its holder has locked the mutex, which was checked to be there.
    pub(crate) fn mutex_depth(&self, mutex: u64) -> u32 {
        self.memory.load(mutex + COUNT, 4) as u32
    }

    /// Who holds a lock of that size, and where it was taken if that is known.
    pub(crate) fn lock_holder(&self, lock: u64, size: u32) -> Option<(ThreadId, Option<CodePoint>)> {
        self.memory.check(lock, u64::from(size), false).ok()?;
        let owner = self.memory.load(lock + OWNER, 4) as u32;
        if owner == 0 || owner as usize > self.threads.len() {
            return None;
        }
        let at = (size == MUTEX_SIZE).then(|| CodePoint {
            function: self.memory.load(lock + TAKEN_IN, 4) as u32,
            pc: self.memory.load(lock + TAKEN_AT, 4) as u32,
        });
        // The program may have overwritten that.
        let is_code = |at: &CodePoint| {
            let function = self.program.functions.iter().nth(at.function as usize);
            function.is_some_and(|function| (at.pc as usize) < function.code.len())
        };
        Some((ThreadId(owner - 1), at.filter(is_code)))
    }

    pub(crate) fn is_timed(&self, thread: ThreadId) -> bool {
        self.model_at(thread).is_some_and(|model| model.timed)
    }

    /// The model of the function that the thread is about to call, if it is about to call one.
    pub(crate) fn model_at(&self, thread: ThreadId) -> Option<Model> {
        let me = &self.threads[thread.index()];
        let top = me.frames.last()?;
        let function = &self.program.functions[top.function];
        let gordian_ir::Inst::Call { site } = function.code.get(top.pc as usize)? else { return None };
        match self.callee(thread, &function.calls[*site as usize]) {
            Ok(gordian_ir::Callee::External(external)) => self.models[external],
            _ => None,
        }
    }
}
