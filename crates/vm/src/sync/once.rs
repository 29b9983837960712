//! `pthread_once` and `call_once`.

use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::thread::Entry;
use gordian_base::{Id, ThreadId};
use gordian_trace::OpKind;

const NEW: u64 = 0;
const RUNNING: u64 = 1;
const DONE: u64 = 2;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_once" | "call_once" => Model::visible(enter, |call| {
            let control = call.arg(0);
            call.wants_object(OpKind::OnceEnter, control, 4)
        }),
        _ => return None,
    })
}

fn enter(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (control, routine) = (call.arg(0), call.arg(1));
    call.machine.memory.check(control, 4, true)?;
    let first = call.machine.memory.load(control, 4) == NEW;
    if !first {
        call.machine.acquire(call.thread, control);
    }
    call.event(OpKind::OnceEnter, control, 4, u64::from(first), 0);
    call.result_int(0)?;
    // From who has run the routine, or was cancelled in it.
    call.machine.acquire(call.thread, control);
    if !first {
        return Ok(Flow::Next);
    }
    let function = call.machine.program_function(routine, "the routine of `pthread_once`")?;
    call.machine.memory.store(control, 4, RUNNING);
    let (machine, thread) = (&mut *call.machine, call.thread);
    machine.threads[thread.index()].top_mut().pc += 1;
    machine.enter(thread, function, Entry::Once { control }, 0)?;
    Ok(Flow::Jumped)
}

impl Machine<'_> {
    pub(crate) fn once_can_enter(&self, control: u64) -> bool {
        self.memory.check(control, 4, true).is_err() || self.memory.load(control, 4) != RUNNING
    }

    /// The thread leaves the routine without having finished it, since it was cancelled or ends: somebody else may begin anew.
    pub(crate) fn reset_once(&mut self, thread: ThreadId, control: u64) {
        if self.memory.check(control, 4, true).is_ok() {
            self.memory.store(control, 4, NEW);
        }
        self.push_event(thread, OpKind::OnceDone, control, 4, 1, 0);
        self.order_object(thread, OpKind::OnceDone, control, 4);
        self.release(thread, control);
    }

    pub(crate) fn finish_once(&mut self, thread: ThreadId, control: u64) {
        if self.memory.check(control, 4, true).is_ok() {
            self.memory.store(control, 4, DONE);
        }
        self.push_event(thread, OpKind::OnceDone, control, 4, 0, 0);
        self.order_object(thread, OpKind::OnceDone, control, 4);
        self.release(thread, control);
    }
}
