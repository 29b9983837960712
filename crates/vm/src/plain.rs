//! Reads and writes of a shared word, atomic or not: nearly all steps are one of these and end before the next, so both ends
//! of such a step are short ways through the machine. Whatever is out of the ordinary is left to the long way.

use crate::interp::Flow;
use crate::machine::Machine;
use crate::memory::{Mode, mask};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Inst, Slot, address};
use gordian_trace::{OpKind, Wants};

/// What the instruction reads or writes: the operation, its size, where its address and its value stand.
#[inline]
fn plain(inst: &Inst) -> Option<(OpKind, u8, Slot, Slot)> {
    match *inst {
        Inst::Load { size, dst, address } => Some((OpKind::Read, size, address, dst)),
        Inst::Store { size, address, src } => Some((OpKind::Write, size, address, src)),
        Inst::AtomicLoad { size, address, dst, .. } => Some((OpKind::AtomicRead, size, address, dst)),
        Inst::AtomicStore { size, address, src, .. } => Some((OpKind::AtomicWrite, size, address, src)),
        _ => None,
    }
}

fn writes(kind: OpKind) -> bool {
    matches!(kind, OpKind::Write | OpKind::AtomicWrite)
}

impl Machine<'_> {
    /// Does the access that the thread is parked before, up to the next instruction. Does nothing and says no if it is not
    /// an ordinary one.
    #[inline]
    pub(crate) fn perform_plain(&mut self, thread: ThreadId, wants: Wants) -> bool {
        let Wants { kind, size, address, at, varies: _ } = wants;
        let program = self.program;
        let me = &mut self.threads[thread.index()];
        let Some(top) = me.frames.last() else { return false };
        let inst = &program.functions[top.function].code[top.pc as usize];
        let Some((_, _, _, slot)) = plain(inst) else { return false };
        let Ok(object) = self.memory.check(address, u64::from(size), writes(kind)) else { return false };
        if size > 8 || object.mode != Mode::Shared || me.core.n_watching > 0 || self.memory.is_all_looked_at() {
            return false;
        }
        me.core.park = Park::Running;
        self.note_place(address, u64::from(size), matches!(kind, OpKind::AtomicRead | OpKind::AtomicWrite), false);
        let tracks_races = self.settings.races != gordian_trace::RaceMode::Ignore;
        let access = if tracks_races { self.access_of(thread, *inst) } else { None };
        let me = &mut self.threads[thread.index()];
        let register = me.top().base as usize + slot.index();
        let size = size as u8;
        let place = object.at() + address::offset(address) as usize;
        let old = self.memory.load_at(place, size);
        let (value, replaced) = if writes(kind) {
            let value = me.registers[register] & mask(size);
            self.memory.store_at(place, size, value);
            if size == 8 {
                self.publish(thread, value);
            }
            (value, old)
        } else {
            me.registers[register] = old;
            (old, 0)
        };
        self.push_event_at(thread, at, kind, address, u32::from(size), value, replaced);
        if let Some(access) = access {
            self.order_access(thread, access, kind);
        }
        self.threads[thread.index()].top_mut().pc += 1;
        true
    }

    /// Parks the thread before the access at its program counter if that is an ordinary one that others can see.
    #[inline]
    pub(crate) fn park_plain(&mut self, thread: ThreadId, inst: &Inst) -> Option<Flow> {
        let (kind, size, address, _) = plain(inst)?;
        if !self.must_park(thread) || self.memory.is_all_looked_at() {
            return None;
        }
        let address = self.register(thread, address);
        let object = self.memory.check(address, u64::from(size), writes(kind)).ok()?;
        if object.mode != Mode::Shared {
            return None;
        }
        self.variant = 0;
        let at = self.user_point(thread);
        if let Some(flow) = self.read_privately(thread, inst, at) {
            return Some(flow);
        }
        let wants = Wants { kind, size: u32::from(size), address, at, varies: false };
        self.threads[thread.index()].core.park = Park::Before(wants);
        // Nobody waits at a store (see `Machine::look_for_spin`).
        if !writes(kind) {
            self.look_for_repetition(thread);
            self.look_for_await(thread, wants);
        } else {
            self.count_if_all_count(thread);
        }
        Some(Flow::Stop)
    }
}
