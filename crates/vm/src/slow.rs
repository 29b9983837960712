//! Instructions that the dispatch loop leaves to us: memory that must be looked at, atomics, locals.

use crate::access::Access;
use crate::arith;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::memory::{Mode, Object};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Inst, Slot, address};
use gordian_trace::{OpKind, Wants};

/// Of a `va_list` as the x86-64 ABI has it.
pub const VA_LIST_SIZE: u64 = 24;

/// Where a thread is parked that is about to do something which nobody else can see: no address of an object.
pub const PAUSE: u64 = u64::MAX;

impl Machine<'_> {
    /// Does the instruction at the program counter if it is invisible, else parks the thread before it.
    pub(crate) fn slow(&mut self, thread: ThreadId, inst: Inst) -> Result<Flow, Fault> {
        if let Some(flow) = self.access_if_invisible(thread, inst)? {
            return Ok(flow);
        }
        if let Some(flow) = self.park_plain(thread, &inst) {
            return Ok(flow);
        }
        if let Some(access) = self.access_of(thread, inst) {
            let object = match self.memory.check(access.address, access.size, access.kind.is_write()) {
                Err(fault) if self.fails_by_schedule(thread, &fault) => {
                    return Ok(self.park(thread, access.wants(self.user_point(thread))));
                }
                checked => checked?,
            };
            if self.memory.listens && object.is_shared() {
                self.hear(access);
                return self.access_private(thread, inst, access);
            }
            if self.may_fail_weakly(inst) && self.threads[thread.index()].core.atomic == 0 {
                self.note_state(thread);
                return Ok(self.park(thread, access.wants(self.user_point(thread))));
            }
            self.variant = 0;
            let visible = match self.is_visible(thread, access.address, object) {
                Err(fault) if self.fails_by_schedule(thread, &fault) => true,
                visible => visible?,
            };
            if visible && self.must_park(thread) {
                return Ok(self.park(thread, access.wants(self.user_point(thread))));
            }
            if visible {
                return self.access_shared(thread, inst, access);
            }
            if self.memory.has_inputs && self.look_for_exchange(thread, inst, access)? {
                return Ok(Flow::Stop);
            }
            if self.pauses(thread) {
                return Ok(Flow::Stop);
            }
            return self.access_private(thread, inst, access);
        }
        if self.pauses(thread) {
            return Ok(Flow::Stop);
        }
        match inst {
            Inst::Fence { order } => {
                self.fence(thread, order);
                if self.accesses_are_visible() {
                    self.push_event(thread, OpKind::Fence, 0, 0, 0, 0);
                }
                Ok(Flow::Next)
            }
            Inst::Alloca { variable, dst, size, .. } => {
                let size = self.register(thread, size);
                let local = self.new_local(thread, size, variable)?;
                self.set_register(thread, dst, local);
                Ok(Flow::Next)
            }
            Inst::LifetimeStart { address } => {
                self.enter_block(thread, address);
                Ok(Flow::Next)
            }
            Inst::LifetimeEnd { for_good, address } => {
                if let Some((place, object)) = self.shared_in_scope(thread, address)
                    && self.must_park(thread)
                {
                    return Ok(self.park_before_end_of(thread, place, object));
                }
                self.leave_block(thread, address, for_good);
                Ok(Flow::Next)
            }
            Inst::Index { scale, dst, base, index } => {
                let (from, to) = self.moved(thread, scale, base, index);
                self.check_moved(thread, dst, from, to)?;
                self.set_register(thread, dst, to);
                Ok(Flow::Next)
            }
            Inst::StackSave { dst } => {
                let newest = self.threads[thread.index()].core.newest_local;
                self.set_register(thread, dst, u64::from(newest));
                Ok(Flow::Next)
            }
            Inst::StackRestore { src } => {
                let newest = self.register(thread, src) as u32;
                if let Some(flow) = self.park_before_end(thread, newest) {
                    return Ok(flow);
                }
                self.end_locals(thread, newest);
                Ok(Flow::Next)
            }
            Inst::MemCopy { overlap, dst, src, len } => {
                let (dst, src, len) =
                    (self.register(thread, dst), self.register(thread, src), self.register(thread, len));
                self.copy_memory(thread, dst, src, len, overlap)
            }
            Inst::MemSet { dst, value, len } => {
                let term = self.term(thread, value);
                let (dst, value, len) =
                    (self.register(thread, dst), self.register(thread, value), self.register(thread, len));
                let flow = self.set_memory(thread, dst, value as u8, len)?;
                Ok(self.filled(flow, dst, len, term))
            }
            Inst::ThreadLocal { global, dst } => {
                let place = self.thread_local_address(thread, global);
                self.set_register(thread, dst, place);
                Ok(Flow::Next)
            }
            Inst::VaStart { list } => {
                let list = self.register(thread, list);
                match self.memory.check(list, VA_LIST_SIZE, true) {
                    Err(fault) if !self.fails_by_schedule(thread, &fault) => Err(fault),
                    Ok(object) if !self.is_visible(thread, list, object)? || !self.must_park(thread) => {
                        self.start_list(thread, list)
                    }
                    _ => Ok(self.park(thread, self.bulk_wants(thread, OpKind::Write, list, VA_LIST_SIZE))),
                }
            }
            Inst::VaCopy { dst, src } => {
                let (dst, src) = (self.register(thread, dst), self.register(thread, src));
                self.copy_memory(thread, dst, src, VA_LIST_SIZE, true)
            }
            Inst::LoopEnter { counter } => {
                self.set_register(thread, counter, 0);
                Ok(Flow::Next)
            }
            Inst::CheckSet { decides, .. } => {
                if self.settings.uninitialised {
                    return Err(Fault::Unset(decides));
                }
                self.doubt(thread, decides);
                Ok(Flow::Next)
            }
            Inst::LoopBack { counter } => Ok(self.loop_back(thread, counter)),
            _ => unreachable!("the dispatch loop handles {inst:?}"),
        }
    }

    /// `va_start`: the list begins with the first variadic argument of the top frame.
    pub(crate) fn start_list(&mut self, thread: ThreadId, list: u64) -> Result<Flow, Fault> {
        let object = self.memory.check(list, VA_LIST_SIZE, true)?;
        let area = self.threads[thread.index()].top().variadic;
        self.before_bulk_write(list, VA_LIST_SIZE);
        self.memory.store(list, 8, 48 | 176 << 32);
        self.memory.store(list + 8, 8, area);
        self.memory.store(list + 16, 8, 0);
        let write = Access::bulk(OpKind::Write, list, VA_LIST_SIZE);
        self.note_private_write(thread, write);
        if self.is_visible(thread, list, object)? {
            self.publish(thread, area);
            self.note_access(thread, write, 0, 0)?;
        }
        Ok(Flow::Next)
    }

    /// The variable that is to leave its scope, if others know it.
    fn shared_in_scope(&self, thread: ThreadId, slot: Slot) -> Option<(u64, Object)> {
        let place = self.register(thread, slot);
        let object = *self.memory.object(place)?;
        let is_shared = object.mode == Mode::Shared && address::is_stack_space(address::space(place));
        is_shared.then(|| (address::object_start(place), object))
    }

    /// Where a pointer comes from and where it is moved to.
    fn moved(&self, thread: ThreadId, scale: i32, base: Slot, index: Slot) -> (u64, u64) {
        let from = self.register(thread, base);
        let by = self.register(thread, index).wrapping_mul(i64::from(scale) as u64);
        (from, from.wrapping_add(by))
    }

    /// Whether the instruction moves a pointer so far that it names another object.
    pub(crate) fn moves_away(&self, thread: ThreadId, inst: Inst) -> bool {
        let Inst::Index { scale, base, index, .. } = inst else { return false };
        let (from, to) = self.moved(thread, scale, base, index);
        !address::is_near(from, to)
    }

    /// A pointer to an object must not be moved to another one. What is accessed right away is out of bounds; what else becomes of the pointer is not
    /// followed. Numbers that are no addresses of objects may be moved anywhere.
    #[cold]
    fn check_moved(&self, thread: ThreadId, dst: Slot, from: u64, to: u64) -> Result<(), Fault> {
        let Some(object) = self.memory.object(from).filter(|object| object.mode != Mode::Absent) else { return Ok(()) };
        let name = self.object_name(from);
        let by = to.wrapping_sub(from) as i64;
        let me = &self.threads[thread.index()];
        let next = self.program.functions[me.top().function].code.get(me.top().pc as usize + 1);
        let address = match next {
            Some(Inst::Load { address, .. } | Inst::Store { address, .. }) => Some(*address),
            Some(Inst::AtomicLoad { address, .. } | Inst::AtomicStore { address, .. }) => Some(*address),
            _ => None,
        };
        if address == Some(dst) {
            let offset = (address::offset(from) as i64).wrapping_add(by);
            let size = object.size;
            return Err(Fault::Index(format!("an access at offset {offset} of {name}, which has {size} bytes")));
        }
        Err(Fault::Unsupported(format!("a pointer to {name} that is moved by {by} bytes")))
    }

    /// A local variable comes into scope: its block is entered.
    fn enter_block(&mut self, thread: ThreadId, slot: Slot) {
        let Some((place, object)) = self.local_at(thread, slot) else { return };
        if object.mode == Mode::OutOfScope {
            self.memory.set_mode(place, Mode::Private);
        }
        self.memory.set_written(place, u64::from(object.size), false);
        let origin = self.memory.origin(place);
        self.look_for_unset_in(place, origin.allocated, origin.variable);
    }

    /// A local variable leaves its scope.
    pub(crate) fn leave_block(&mut self, thread: ThreadId, slot: Slot, for_good: bool) {
        let Some((place, object)) = self.local_at(thread, slot) else { return };
        if object.mode == Mode::OutOfScope {
            return;
        }
        self.note_end_of_life(thread, place, object);
        let at = self.threads[thread.index()].at();
        if for_good {
            self.unlink_local(thread, place, object);
            self.end_life(thread, place, at);
        } else {
            self.memory.set_mode(place, Mode::OutOfScope);
            self.memory.set_freed(place, at, thread.0);
        }
    }

    /// The start of the local variable that a register points into, unless its function has returned.
    fn local_at(&self, thread: ThreadId, slot: Slot) -> Option<(u64, Object)> {
        let place = address::object_start(self.register(thread, slot));
        let object = *self.memory.object(place)?;
        let is_local = address::is_stack_space(address::space(place)) && object.mode <= Mode::OutOfScope;
        is_local.then_some((place, object))
    }

    /// Parks the thread before a visible operation.
    pub(crate) fn park(&mut self, thread: ThreadId, wants: Wants) -> Flow {
        self.threads[thread.index()].core.park = Park::Before(wants);
        self.note_park(thread);
        self.look_for_spin(thread, wants);
        self.look_for_await(thread, wants);
        Flow::Stop
    }

    /// Whether a visible operation of this thread is a scheduling point now.
    #[inline]
    pub(crate) fn must_park(&self, thread: ThreadId) -> bool {
        self.accesses_are_visible() && self.threads[thread.index()].core.atomic == 0
    }

    /// Parks before something that nobody else can see, if threads are to park everywhere. It is reached again when the thread goes on.
    pub(crate) fn pauses(&mut self, thread: ThreadId) -> bool {
        if !self.settings.parks_everywhere || !self.must_park(thread) {
            return false;
        }
        if std::mem::take(&mut self.is_resumed) {
            return false;
        }
        let wants = Wants { kind: OpKind::Yield, size: 0, address: PAUSE, at: self.user_point(thread), varies: false };
        self.threads[thread.index()].core.park = Park::Before(wants);
        true
    }

    /// `memcpy` and `memmove`: a read, then a write, each a visible operation of its own if shared.
    pub(crate) fn copy_memory(
        &mut self,
        thread: ThreadId,
        dst: u64,
        src: u64,
        len: u64,
        overlap: bool,
    ) -> Result<Flow, Fault> {
        let checked = match self.check_copy(dst, src, len, overlap) {
            Err(fault) if self.fails_by_schedule(thread, &fault) => {
                // The same operation is pending whether somebody else has ended one of the objects yet or not.
                let reads = match self.memory.check(src, len, false) {
                    Ok(source) => self.is_visible(thread, src, source)?,
                    Err(_) => true,
                };
                let (kind, place) = if reads { (OpKind::Read, src) } else { (OpKind::Write, dst) };
                return Ok(self.park(thread, self.bulk_wants(thread, kind, place, len)));
            }
            checked => checked?,
        };
        let Some((source, target)) = checked else { return Ok(Flow::Next) };
        if self.threads[thread.index()].core.copying != 0 {
            // The source was read in the step before; what is left is the write.
            return Ok(self.park(thread, self.bulk_wants(thread, OpKind::Write, dst, len)));
        }
        let reads = self.is_visible(thread, src, source)?;
        let writes = self.is_visible(thread, dst, target)?;
        if (reads || writes) && self.must_park(thread) {
            let (kind, place) = if reads { (OpKind::Read, src) } else { (OpKind::Write, dst) };
            return Ok(self.park(thread, self.bulk_wants(thread, kind, place, len)));
        }
        if reads {
            self.note_access(thread, Access::bulk(OpKind::Read, src, len), 0, 0)?;
        }
        self.before_bulk_write(dst, len);
        self.memory.copy(dst, src, len);
        self.note_private_write(thread, Access::bulk(OpKind::Write, dst, len));
        if writes {
            self.publish_range(thread, dst, len);
            self.note_access(thread, Access::bulk(OpKind::Write, dst, len), 0, 0)?;
        }
        Ok(Flow::Next)
    }

    /// The step of a copy that was parked: the read, or the write.
    pub(crate) fn step_copy(
        &mut self,
        thread: ThreadId,
        dst: u64,
        src: u64,
        len: u64,
        overlap: bool,
    ) -> Result<Flow, Fault> {
        let copying = self.threads[thread.index()].core.copying;
        if copying != 0 {
            let buffer = address::make(address::heap_space(thread), copying, 0);
            self.memory.check(dst, len, true)?;
            self.before_bulk_write(dst, len);
            self.memory.copy(dst, buffer, len);
            self.memory.release(buffer);
            self.threads[thread.index()].core.copying = 0;
            self.publish_range(thread, dst, len);
            self.note_access(thread, Access::bulk(OpKind::Write, dst, len), 0, 0)?;
            return Ok(Flow::Next);
        }
        if len == 0 {
            return Ok(Flow::Next);
        }
        let source = self.memory.check(src, len, false)?;
        if !self.is_visible(thread, src, source)? {
            self.check_copy(dst, src, len, overlap)?;
            self.before_bulk_write(dst, len);
            self.memory.copy(dst, src, len);
            self.publish_range(thread, dst, len);
            self.note_access(thread, Access::bulk(OpKind::Write, dst, len), 0, 0)?;
            return Ok(Flow::Next);
        }
        self.note_access(thread, Access::bulk(OpKind::Read, src, len), 0, 0)?;
        // Whether the target is there is for the write to see: others may end it before or after the read, which makes no difference to the read.
        let is_own = match self.memory.check(dst, len, true) {
            Ok(target) => !self.is_visible(thread, dst, target)?,
            Err(_) => false,
        };
        if is_own {
            self.memory.copy(dst, src, len);
            self.note_private_write(thread, Access::bulk(OpKind::Write, dst, len));
            return Ok(Flow::Next);
        }
        let buffer = self.new_hidden(thread, len)?;
        self.memory.copy(buffer, src, len);
        self.threads[thread.index()].core.copying = address::index(buffer);
        Ok(self.park(thread, self.bulk_wants(thread, OpKind::Write, dst, len)))
    }

    fn check_copy(
        &self,
        dst: u64,
        src: u64,
        len: u64,
        overlap: bool,
    ) -> Result<Option<(crate::memory::Object, crate::memory::Object)>, Fault> {
        if len == 0 {
            return Ok(None);
        }
        let source = self.memory.check(src, len, false)?;
        let target = self.memory.check(dst, len, true)?;
        if !overlap && dst != src && dst < src.wrapping_add(len) && src < dst.wrapping_add(len) {
            return Err(Fault::Overlap { dst, src, len });
        }
        Ok(Some((source, target)))
    }

    pub(crate) fn set_memory(&mut self, thread: ThreadId, dst: u64, value: u8, len: u64) -> Result<Flow, Fault> {
        if len == 0 {
            return Ok(Flow::Next);
        }
        let target = match self.memory.check(dst, len, true) {
            Err(fault) if self.fails_by_schedule(thread, &fault) => {
                return Ok(self.park(thread, self.bulk_wants(thread, OpKind::Write, dst, len)));
            }
            checked => checked?,
        };
        let visible = self.is_visible(thread, dst, target)?;
        if visible && self.must_park(thread) {
            return Ok(self.park(thread, self.bulk_wants(thread, OpKind::Write, dst, len)));
        }
        self.step_set(thread, dst, value, len, visible)
    }

    pub(crate) fn step_set(
        &mut self,
        thread: ThreadId,
        dst: u64,
        value: u8,
        len: u64,
        visible: bool,
    ) -> Result<Flow, Fault> {
        self.memory.check(dst, len, true)?;
        self.before_bulk_write(dst, len);
        self.memory.fill(dst, len, value);
        self.note_private_write(thread, Access::bulk(OpKind::Write, dst, len));
        if visible {
            self.note_access(thread, Access::bulk(OpKind::Write, dst, len), u64::from(value), 0)?;
        }
        Ok(Flow::Next)
    }

    fn bulk_wants(&self, thread: ThreadId, kind: OpKind, address: u64, len: u64) -> Wants {
        Wants { kind, size: len as u32, address, at: self.user_point(thread), varies: true }
    }

    /// Writes a value of up to 128 bits to the registers from `dst` on.
    pub(crate) fn set_value(&mut self, thread: ThreadId, dst: Slot, size: u64, value: u128) {
        self.set_register(thread, dst, value as u64);
        if size > 8 {
            self.set_register(thread, Slot(dst.0 + 1), (value >> 64) as u64);
        }
    }

    pub(crate) fn value_at(&self, thread: ThreadId, slot: Slot, size: u64) -> u128 {
        let low = u128::from(self.register(thread, slot));
        let value = if size > 8 { low | u128::from(self.register(thread, Slot(slot.0 + 1))) << 64 } else { low };
        value & arith::wide_mask(8 * size as u8)
    }
}
