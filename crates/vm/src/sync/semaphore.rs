//! POSIX semaphores without a name.

use super::{EAGAIN, EINVAL, EOVERFLOW, ETIMEDOUT};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::sched::variant;
use gordian_trace::{OpKind, Wants};

const SEM_SIZE: u32 = 32;
const VALUE: u64 = 0;
const MAGIC: u64 = 4;
const INITIALISED: u32 = 0x5345_4d31;
const DESTROYED: u32 = 0x5345_4d30;
const SEM_VALUE_MAX: u32 = i32::MAX as u32;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "sem_init" => Model::visible(init, |call| wants(call, OpKind::SemInit)),
        "sem_destroy" => Model::visible(destroy, |call| wants(call, OpKind::SemDestroy)),
        "sem_wait" => Model::visible(wait, |call| wants(call, OpKind::SemWait)).cancels(),
        "sem_timedwait" | "sem_clockwait" => Model::visible(timed_wait, wants_timed).timed().cancels(),
        "sem_trywait" => Model::visible(try_wait, |call| wants(call, OpKind::SemTryWait)),
        "sem_post" => Model::visible(post, |call| wants(call, OpKind::SemPost)),
        "sem_getvalue" => Model::visible(get, |call| wants(call, OpKind::SemGet)),
        _ => return None,
    })
}

fn wants(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    let sem = call.arg(0);
    call.wants_object(kind, sem, SEM_SIZE)
}

fn wants_timed(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    call.wants_after_time(OpKind::SemWait, call.arg(0), SEM_SIZE)
}

/// A bad time is refused even if the semaphore could be taken.
fn timed_wait(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let wants = call.wants(OpKind::SemWait, call.arg(0), SEM_SIZE);
    call.after_time(wants, wait)
}

fn usable(call: &mut Call<'_, '_>, what: &str) -> Result<u64, Fault> {
    let sem = call.arg(0);
    call.machine.memory.check(sem, u64::from(SEM_SIZE), true)?;
    let name = call.machine.name_of(sem);
    match call.field(sem, MAGIC) {
        INITIALISED => Ok(sem),
        DESTROYED => call.misuse(format!("{what} the destroyed semaphore {name}")),
        _ => call.misuse(format!("{what} the semaphore {name} that was not initialised")),
    }
}

fn init(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (sem, value) = (call.arg(0), call.arg(2) as u32);
    call.machine.memory.check(sem, u64::from(SEM_SIZE), true)?;
    if value > SEM_VALUE_MAX {
        return call.error(EINVAL, u64::from(u32::MAX));
    }
    call.set_field(sem, VALUE, value);
    call.set_field(sem, MAGIC, INITIALISED);
    call.event(OpKind::SemInit, sem, SEM_SIZE, u64::from(value), 0);
    call.result_int(0)
}

fn destroy(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let sem = usable(call, "destroys")?;
    call.set_field(sem, MAGIC, DESTROYED);
    call.event(OpKind::SemDestroy, sem, SEM_SIZE, 0, 0);
    call.result_int(0)
}

fn take(call: &mut Call<'_, '_>, sem: u64, kind: OpKind) -> Result<Flow, Fault> {
    let value = call.field(sem, VALUE) - 1;
    call.set_field(sem, VALUE, value);
    call.machine.acquire(call.thread, sem);
    let timed = u64::from(call.machine.is_timed(call.thread));
    call.event(kind, sem, SEM_SIZE, u64::from(value), timed);
    call.result_int(0)
}

fn wait(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let sem = usable(call, "waits on")?;
    if call.machine.variant == variant::TIMEOUT {
        call.wait_until_time();
        call.event(OpKind::SemTimeout, sem, SEM_SIZE, 0, 0);
        return call.error(ETIMEDOUT, u64::from(u32::MAX));
    }
    take(call, sem, OpKind::SemWait)
}

fn try_wait(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let sem = usable(call, "waits on")?;
    if call.field(sem, VALUE) > 0 {
        return take(call, sem, OpKind::SemTryWait);
    }
    call.event(OpKind::SemTryWaitFail, sem, SEM_SIZE, 0, 0);
    call.error(EAGAIN, u64::from(u32::MAX))
}

fn post(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let sem = usable(call, "posts")?;
    let value = call.field(sem, VALUE);
    if value == SEM_VALUE_MAX {
        // As if it looked at the value and did nothing; `other` tells that it would have changed it.
        call.event(OpKind::SemGet, sem, SEM_SIZE, u64::from(value), 1);
        return call.error(EOVERFLOW, u64::from(u32::MAX));
    }
    let value = value + 1;
    call.set_field(sem, VALUE, value);
    call.event(OpKind::SemPost, sem, SEM_SIZE, u64::from(value), 0);
    call.machine.release(call.thread, sem);
    call.result_int(0)
}

fn get(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let sem = usable(call, "reads")?;
    let (target, value) = (call.arg(1), call.field(sem, VALUE));
    call.event(OpKind::SemGet, sem, SEM_SIZE, u64::from(value), 0);
    call.write_word(target, 4, u64::from(value))?;
    call.result_int(0)
}

impl Machine<'_> {
    /// `None` for what is no semaphore: using it is the finding.
    pub(crate) fn sem_value(&self, sem: u64) -> Option<u32> {
        self.memory.check(sem, u64::from(SEM_SIZE), true).ok()?;
        let known = self.memory.load(sem + MAGIC, 4) as u32 == INITIALISED;
        known.then(|| self.memory.load(sem + VALUE, 4) as u32)
    }
}
