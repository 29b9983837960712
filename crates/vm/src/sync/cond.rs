//! Condition variables.

use super::{ENOTRECOVERABLE, ETIMEDOUT, MUTEX_SIZE, THRD_ERROR, THRD_TIMEDOUT};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::thread::Park;
use gordian_base::{ClockId, Id, ThreadId};
use gordian_trace::{OpKind, Wants};

pub const COND_SIZE: u32 = 48;
const STATE: u64 = 0;
const DESTROYED: u32 = 2;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_cond_init" | "cnd_init" => Model::visible(init, |call| wants(call, OpKind::CondInit)),
        "pthread_cond_destroy" | "cnd_destroy" => Model::visible(destroy, |call| wants(call, OpKind::CondDestroy)),
        "pthread_cond_wait" | "cnd_wait" => Model::visible(wait, |call| wants(call, OpKind::Wait)).cancels(),
        "pthread_cond_timedwait" | "pthread_cond_clockwait" | "cnd_timedwait" => {
            Model::visible(timed_wait, wants_timed).timed().cancels()
        }
        "pthread_cond_signal" | "cnd_signal" => Model::visible(signal, |call| wants(call, OpKind::Signal)),
        "pthread_cond_broadcast" | "cnd_broadcast" => Model::visible(broadcast, |call| wants(call, OpKind::Broadcast)),
        _ => return None,
    })
}

fn wants(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    let cond = call.arg(0);
    call.wants_object(kind, cond, COND_SIZE)
}

fn wants_timed(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    call.wants_after_time(OpKind::Wait, call.arg(0), COND_SIZE)
}

/// A bad time is refused before the mutex is given up.
fn timed_wait(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let wants = call.wants(OpKind::Wait, call.arg(0), COND_SIZE);
    call.after_time(wants, wait)
}

fn usable(call: &mut Call<'_, '_>, what: &str) -> Result<u64, Fault> {
    let cond = call.arg(0);
    call.machine.memory.check(cond, u64::from(COND_SIZE), true)?;
    if call.field(cond, STATE) == DESTROYED {
        let name = call.machine.name_of(cond);
        return call.misuse(format!("{what} the destroyed condition variable {name}"));
    }
    Ok(cond)
}

fn init(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (cond, attributes) = (call.arg(0), call.arg(1));
    call.machine.memory.check(cond, u64::from(COND_SIZE), true)?;
    // `cnd_init` has none.
    call.look_at_attributes(attributes)?;
    call.machine.memory.fill(cond, u64::from(COND_SIZE), 0);
    call.event(OpKind::CondInit, cond, COND_SIZE, 0, 0);
    call.result_int(0)
}

fn destroy(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let cond = usable(call, "destroys")?;
    let waiter = call.machine.waiters(cond).next();
    if let Some(waiter) = waiter {
        let name = call.machine.name_of(cond);
        let waiter = call.machine.thread_name(waiter);
        return call.misuse(format!("destroys the condition variable {name} while {waiter} waits on it"));
    }
    call.set_field(cond, STATE, DESTROYED);
    call.event(OpKind::CondDestroy, cond, COND_SIZE, 0, 0);
    call.result_int(0)
}

fn wait(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let cond = usable(call, "waits on")?;
    let mutex = call.arg(1);
    if !call.machine.holds_mutex(call.thread, mutex)? {
        let (cond, name) = (call.machine.name_of(cond), call.machine.name_of(mutex));
        return call.misuse(format!("waits on {cond} with the mutex {name} that it does not hold"));
    }
    let depth = call.machine.mutex_depth(mutex);
    if depth > 1 {
        let (cond, name) = (call.machine.name_of(cond), call.machine.name_of(mutex));
        return call.misuse(format!(
            "waits on {cond} with the recursive mutex {name} locked {depth} times: it stays locked while it waits"
        ));
    }
    let other = call.machine.threads.iter().find_map(|thread| match thread.core.park {
        Park::Waiting { cond: on, mutex: with, .. } if on == cond && with != mutex => Some(with),
        _ => None,
    });
    if let Some(other) = other {
        let machine = &call.machine;
        let (cond, one, other) = (machine.name_of(cond), machine.name_of(mutex), machine.name_of(other));
        return call
            .misuse(format!("waits on {cond} with the mutex {one} while another thread waits on it with {other}"));
    }
    let model = call.name();
    let timed = matches!(model, "pthread_cond_timedwait" | "pthread_cond_clockwait" | "cnd_timedwait");
    if call.machine.settings.spurious_wakeups {
        call.machine.note_state(call.thread);
    }
    call.event(OpKind::Wait, cond, COND_SIZE, 0, mutex);
    call.machine.unlock_mutex(call.thread, mutex);
    call.machine.threads[call.thread.index()].core.park = Park::Waiting { cond, mutex, timed };
    Ok(Flow::Stop)
}

/// Wakes a waiter, who knows what the thread knew when it told it.
fn wake(call: &mut Call<'_, '_>, waiter: ThreadId, told: ClockId) {
    call.machine.save(waiter);
    call.machine.learn(waiter, told);
    call.machine.look_for_cancellation(waiter);
    let core = &mut call.machine.threads[waiter.index()].core;
    let Park::Waiting { cond, mutex, .. } = core.park else { unreachable!("{waiter} waits") };
    core.park = Park::Woken { cond, mutex, reason: OpKind::WOKEN_BY_SIGNAL as u8 };
    call.event(OpKind::Wake, u64::from(waiter.0), 0, 0, 0);
}

impl Call<'_, '_> {
    /// What the thread knows now, if anybody asks.
    fn tell(&mut self) -> ClockId {
        if self.machine.tracks_races() { self.machine.tell(self.thread) } else { ClockId::default() }
    }
}

fn signal(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let cond = usable(call, "signals")?;
    let chosen = call.machine.variant as usize;
    let waiter = call.machine.waiters(cond).nth(chosen);
    call.event(OpKind::Signal, cond, COND_SIZE, waiter.map_or(0, |waiter| u64::from(waiter.0) + 1), 0);
    let told = call.tell();
    if let Some(waiter) = waiter {
        wake(call, waiter, told);
    }
    call.result_int(0)
}

fn broadcast(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let cond = usable(call, "broadcasts to")?;
    let waiters: Vec<ThreadId> = call.machine.waiters(cond).collect();
    call.event(OpKind::Broadcast, cond, COND_SIZE, waiters.len() as u64, 0);
    let told = call.tell();
    for &waiter in &waiters {
        wake(call, waiter, told);
    }
    call.result_int(0)
}

impl<'p> Machine<'p> {
    /// Threads that wait on the condition variable, by number.
    pub(crate) fn waiters(&self, cond: u64) -> impl Iterator<Item = ThreadId> {
        self.threads.iter().enumerate().filter_map(move |(index, thread)| match thread.core.park {
            Park::Waiting { cond: on, .. } if on == cond => Some(ThreadId(index as u32)),
            _ => None,
        })
    }

    /// Whether the last signal to it came before the thread waited and found nobody waiting.
    pub(crate) fn lost_its_signal(&self, thread: ThreadId, cond: u64) -> bool {
        let events = &self.log.events;
        let is_signal = |kind| matches!(kind, OpKind::Signal | OpKind::Broadcast);
        let signal = events.iter().rposition(|event| is_signal(event.kind) && event.address == cond);
        let wait = events.iter().rposition(|event| event.kind == OpKind::Wait && event.thread == thread);
        signal.zip(wait).is_some_and(|(signal, wait)| signal < wait && events[signal].value == 0)
    }

    /// The call that the thread waits in.
    pub(crate) fn calling(&mut self, thread: ThreadId) -> Call<'_, 'p> {
        let program = self.program;
        let gordian_ir::Inst::Call { site } = *self.instruction(thread) else { unreachable!("a wait is a call") };
        let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
        Call::new(self, thread, site)
    }

    /// The waiter takes its mutex again and goes on.
    pub(crate) fn finish_wait(&mut self, thread: ThreadId, cond: u64, mutex: u64, reason: u64) -> Result<Flow, Fault> {
        let status = self.take_again(thread, mutex)?;
        let event = self.log.events.len();
        if status == ENOTRECOVERABLE {
            self.push_event(thread, OpKind::TryLockFail, mutex, MUTEX_SIZE, 0, 0);
            self.order_object(thread, OpKind::TryLockFail, mutex, MUTEX_SIZE);
        } else {
            self.push_event(thread, OpKind::Woken, cond, COND_SIZE, reason, mutex);
            self.order_object(thread, OpKind::Woken, mutex, MUTEX_SIZE);
        }
        self.log.events[event].varies = self.uses.robust;
        if reason == OpKind::WOKEN_BY_CANCEL {
            return self.cancel_now(thread);
        }
        let mut call = self.calling(thread);
        let timed_out = call.status(ETIMEDOUT, THRD_TIMEDOUT);
        // That the mutex was left behind is told first, as in glibc.
        let told = match status {
            0 if reason == OpKind::WOKEN_BY_TIMEOUT => timed_out,
            status => call.status(status, if status == 0 { 0 } else { THRD_ERROR }),
        };
        call.result_int(told)
    }
}
