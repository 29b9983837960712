//! Barriers.

use super::EINVAL;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_trace::{OpKind, Wants};

const BARRIER_SIZE: u32 = 32;
const COUNT: u64 = 0;
const ARRIVED: u64 = 4;
const ROUND: u64 = 8;
const MAGIC: u64 = 12;
const INITIALISED: u32 = 0x4241_5231;
/// What glibc has room for.
const MOST_THREADS: u32 = i32::MAX as u32;
const SERIAL_THREAD: i32 = -1;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_barrier_init" => Model::visible(init, |call| wants(call, OpKind::BarrierInit)),
        "pthread_barrier_destroy" => Model::visible(destroy, |call| wants(call, OpKind::BarrierDestroy)),
        "pthread_barrier_wait" => Model::visible(wait, |call| wants(call, OpKind::BarrierArrive)),
        _ => return None,
    })
}

fn wants(call: &mut Call<'_, '_>, kind: OpKind) -> Result<Option<Wants>, Fault> {
    let barrier = call.arg(0);
    call.wants_object(kind, barrier, BARRIER_SIZE)
}

fn usable(call: &mut Call<'_, '_>, what: &str) -> Result<u64, Fault> {
    let barrier = call.arg(0);
    call.machine.memory.check(barrier, u64::from(BARRIER_SIZE), true)?;
    if call.field(barrier, MAGIC) != INITIALISED {
        let name = call.machine.name_of(barrier);
        return call.misuse(format!("{what} {name}, which is no initialised barrier"));
    }
    Ok(barrier)
}

fn init(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (barrier, attributes, count) = (call.arg(0), call.arg(1), call.arg(2) as u32);
    call.machine.memory.check(barrier, u64::from(BARRIER_SIZE), true)?;
    if count == 0 || count > MOST_THREADS {
        return call.result_int(EINVAL);
    }
    call.look_at_attributes(attributes)?;
    call.machine.memory.fill(barrier, u64::from(BARRIER_SIZE), 0);
    call.set_field(barrier, COUNT, count);
    call.set_field(barrier, MAGIC, INITIALISED);
    call.event(OpKind::BarrierInit, barrier, BARRIER_SIZE, u64::from(count), 0);
    call.result_int(0)
}

fn destroy(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let barrier = usable(call, "destroys")?;
    if call.field(barrier, ARRIVED) != 0 {
        let name = call.machine.name_of(barrier);
        return call.misuse(format!("destroys the barrier {name} while threads wait at it"));
    }
    call.set_field(barrier, MAGIC, 0);
    call.event(OpKind::BarrierDestroy, barrier, BARRIER_SIZE, 0, 0);
    call.result_int(0)
}

fn wait(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let barrier = usable(call, "waits at")?;
    let arrived = call.field(barrier, ARRIVED) + 1;
    let round = call.field(barrier, ROUND);
    call.event(OpKind::BarrierArrive, barrier, BARRIER_SIZE, u64::from(arrived), 0);
    call.machine.release(call.thread, barrier);
    if arrived < call.field(barrier, COUNT) {
        call.set_field(barrier, ARRIVED, arrived);
        call.machine.change_sort(call.thread, |core| core.park = Park::AtBarrier { barrier, round });
        return Ok(Flow::Stop);
    }
    call.set_field(barrier, ARRIVED, 0);
    call.set_field(barrier, ROUND, round.wrapping_add(1));
    call.machine.acquire(call.thread, barrier);
    call.result_int(SERIAL_THREAD)
}

impl Machine<'_> {
    pub(crate) fn barrier_round(&self, barrier: u64) -> u32 {
        match self.memory.check(barrier, u64::from(BARRIER_SIZE), false) {
            Ok(_) => self.memory.load(barrier + ROUND, 4) as u32,
            Err(_) => u32::MAX,
        }
    }

    /// How many have arrived of how many, for reports.
    pub(crate) fn barrier_filling(&self, barrier: u64) -> Option<(u32, u32)> {
        self.memory.check(barrier, u64::from(BARRIER_SIZE), false).ok()?;
        Some((self.memory.load(barrier + ARRIVED, 4) as u32, self.memory.load(barrier + COUNT, 4) as u32))
    }

    /// Who waits at a barrier that somebody frees is let go on by that, and finds it gone.
    pub(crate) fn leave_barrier(&mut self, thread: ThreadId, barrier: u64) -> Result<Flow, Fault> {
        self.memory.check(barrier, u64::from(BARRIER_SIZE), true)?;
        self.acquire(thread, barrier);
        self.push_event(thread, OpKind::BarrierLeave, barrier, BARRIER_SIZE, 0, 0);
        let program = self.program;
        let gordian_ir::Inst::Call { site } = *self.instruction(thread) else { unreachable!("a wait is a call") };
        let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
        if site.n_returns > 0 {
            self.set_register(thread, site.dst, 0);
        }
        Ok(Flow::Next)
    }
}
