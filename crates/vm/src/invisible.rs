//! Accesses of which a static analysis has proved that they need no scheduling point (see [`gordian_ir::Invisible`]).
//!
//! They are a part of the step before them, and no events: what orders them with others does so by operations that are visible. A step that reads what other threads
//! write under the same lock depends on more than its operation found, so such steps are not remembered.
//!
//! The same holds for taking and releasing a lock that no other thread ever touches, as long as nothing is wrong with it: what would fail, or return an error, is a step as
//! ever.
//!
//! Debug builds assert each fact whenever it is used.

use crate::access::Access;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::memory::Mode;
use crate::sync::MUTEX_SIZE;
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Inst, InvisibleKind};
use gordian_trace::{OpKind, Wants};

impl Machine<'_> {
    /// What was proved of the load or store that the thread is at.
    fn fact_at(&self, thread: ThreadId) -> Option<InvisibleKind> {
        let top = self.threads[thread.index()].frames.last()?;
        self.program.invisible.at(top.function, top.pc)
    }

    /// Makes the access at the program counter if it is one that needs no scheduling point.
    #[inline]
    pub(crate) fn access_if_invisible(&mut self, thread: ThreadId, inst: Inst) -> Result<Option<Flow>, Fault> {
        if !self.settings.facts || !matches!(inst, Inst::Load { .. } | Inst::Store { .. }) {
            return Ok(None);
        }
        self.access_as_proved(thread, inst)
    }

    fn access_as_proved(&mut self, thread: ThreadId, inst: Inst) -> Result<Option<Flow>, Fault> {
        let Some(kind) = self.fact_at(thread).filter(|_| self.must_park(thread)) else { return Ok(None) };
        let Some(access) = self.access_of(thread, inst) else { return Ok(None) };
        let Ok(object) = self.memory.check(access.address, access.size, access.kind.is_write()) else {
            return Ok(None);
        };
        // The address of an object may become known by a store of eight bytes.
        if object.mode != Mode::Shared || access.kind.is_write() && access.size >= 8 || self.memory.is_all_looked_at() {
            return Ok(None);
        }
        if cfg!(debug_assertions) {
            self.assert_fact(thread, kind, access);
        }
        self.back.recorder.is_spoiled |= kind == InvisibleKind::Ordered;
        self.access_private(thread, inst, access).map(Some)
    }

    /// # Panics
    /// If another thread is about to make a conflicting access, or if what nobody writes has changed.
    fn assert_fact(&mut self, thread: ThreadId, kind: InvisibleKind, access: Access) {
        let end = access.address.saturating_add(access.size);
        for (number, other) in self.threads.iter().enumerate().filter(|(number, _)| *number != thread.index()) {
            let Park::Before(wants) = other.core.park else { continue };
            let conflicts = wants.kind.is_access() && (access.kind.is_write() || !wants.kind.reads_only());
            let meets = wants.address < end && access.address < wants.address.saturating_add(u64::from(wants.size));
            assert!(
                !(conflicts && meets),
                "a wrong static fact: thread {} is at an access to {:#x} that thread {number} may make now, too",
                thread.0,
                access.address,
            );
        }
        if kind == InvisibleKind::Constant {
            let value = self.memory.load(access.address, access.size as u8);
            let known = *self.constants.entry((access.address, access.size as u8)).or_insert(value);
            assert!(known == value, "a wrong static fact: what stands at {:#x} has changed", access.address);
        }
    }

    /// Whether the call that the thread is at takes or releases a lock that nobody else touches, and nothing is wrong with that.
    fn is_invisible_operation(&self, thread: ThreadId, wants: Wants) -> bool {
        let is_proved = || self.fact_at(thread) == Some(InvisibleKind::Alone) && !self.uses.robust && !wants.varies;
        match wants.kind {
            OpKind::Lock => wants.size == MUTEX_SIZE && is_proved() && self.mutex_can_be_taken(wants.address),
            OpKind::Unlock => wants.size == MUTEX_SIZE && is_proved() && self.mutex_is_held_once(thread, wants.address),
            _ => false,
        }
    }

    /// Whether the operation at the call is to be made at once, and leaves no event.
    pub(crate) fn operates_invisibly(&mut self, thread: ThreadId, wants: Wants) -> bool {
        if !self.settings.facts || !self.must_park(thread) || !self.is_invisible_operation(thread, wants) {
            return false;
        }
        if cfg!(debug_assertions) {
            self.assert_alone(thread, wants);
        }
        self.back.recorder.is_spoiled = true;
        true
    }

    /// # Panics
    /// If another thread is about to do something with the lock.
    fn assert_alone(&self, thread: ThreadId, lock: Wants) {
        let end = lock.address + u64::from(lock.size);
        for (number, other) in self.threads.iter().enumerate().filter(|(number, _)| *number != thread.index()) {
            let Park::Before(wants) = other.core.park else { continue };
            let meets = wants.address < end && lock.address < wants.address.saturating_add(u64::from(wants.size));
            assert!(!meets, "a wrong static fact: thread {number} is at the lock at {:#x}, too", lock.address);
        }
    }

    /// Whether a thread is parked before an access or an operation that needs no scheduling point.
    pub fn is_at_invisible_access(&self, thread: ThreadId) -> bool {
        let Some(me) = self.threads.get(thread.index()) else { return false };
        let (Park::Before(wants), Some(top)) = (me.core.park, me.frames.last()) else { return false };
        let inst = self.program.functions[top.function].code[top.pc as usize];
        if matches!(inst, Inst::Call { .. }) {
            return self.is_invisible_operation(thread, wants);
        }
        matches!(inst, Inst::Load { .. } | Inst::Store { .. })
            && wants.kind.is_access()
            && (wants.size < 8 || wants.kind.reads_only())
            && self.fact_at(thread).is_some()
    }
}
