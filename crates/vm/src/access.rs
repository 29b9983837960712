//! Accesses to memory outside the dispatch loop: which operation, whether others can see it, what it
//! does, and whether it races.

use crate::arith;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::{End, Machine};
use crate::memo::OrderStep;
use crate::memory::{Kind, Mode, Object};
use crate::order::looks_only;
use crate::races;
use crate::sched::variant;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Inst, Order, Slot, address};
use gordian_trace::{CodePoint, OpKind, RaceMode, Wants, words};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Read,
    Write,
    AtomicRead(Order),
    AtomicWrite(Order),
    Rmw(Order),
    Cas(Order, Order),
}

/// What an atomic access may order: it acquires if it reads and releases if it writes.
struct Ordering {
    order: Order,
    reads: bool,
    writes: bool,
}

impl Ordering {
    /// `kind` tells whether an exchange succeeded.
    fn of(access: AccessKind, kind: OpKind) -> Option<Ordering> {
        let (order, reads, writes) = match (access, kind) {
            (AccessKind::AtomicRead(order), _) => (order, true, false),
            (AccessKind::AtomicWrite(order), _) => (order, false, true),
            (AccessKind::Rmw(order), _) => (order, true, true),
            (AccessKind::Cas(_, failure), OpKind::CasFail) => (failure, true, false),
            (AccessKind::Cas(order, _), _) => (order, true, true),
            (AccessKind::Read | AccessKind::Write, _) => return None,
        };
        Some(Ordering { order, reads, writes })
    }
}

impl AccessKind {
    pub fn is_write(self) -> bool {
        !matches!(self, AccessKind::Read | AccessKind::AtomicRead(_))
    }

    pub fn reads(self) -> bool {
        !matches!(self, AccessKind::Write | AccessKind::AtomicWrite(_))
    }

    pub fn is_atomic(self) -> bool {
        !matches!(self, AccessKind::Read | AccessKind::Write)
    }

    #[inline]
    fn op(self) -> OpKind {
        match self {
            AccessKind::Read => OpKind::Read,
            AccessKind::Write => OpKind::Write,
            AccessKind::AtomicRead(_) => OpKind::AtomicRead,
            AccessKind::AtomicWrite(_) => OpKind::AtomicWrite,
            AccessKind::Rmw(_) => OpKind::Rmw,
            AccessKind::Cas(..) => OpKind::CasOk,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Access {
    pub kind: AccessKind,
    pub address: u64,
    pub size: u64,
}

impl Access {
    pub fn bulk(kind: OpKind, address: u64, size: u64) -> Self {
        let kind = if kind == OpKind::Write { AccessKind::Write } else { AccessKind::Read };
        Access { kind, address, size }
    }

    pub fn wants(&self, at: CodePoint) -> Wants {
        Wants { kind: self.kind.op(), size: self.size as u32, address: self.address, at, varies: false }
    }
}

impl Machine<'_> {
    /// The access that the instruction makes, if it is one of a single value.
    #[inline]
    pub(crate) fn access_of(&self, thread: ThreadId, inst: Inst) -> Option<Access> {
        let (kind, size, address) = match inst {
            Inst::Load { size, address, .. } | Inst::WideLoad { size, address, .. } => {
                (AccessKind::Read, size, address)
            }
            Inst::Store { size, address, .. } | Inst::WideStore { size, address, .. } => {
                (AccessKind::Write, size, address)
            }
            Inst::AtomicLoad { size, order, address, .. } => (AccessKind::AtomicRead(order), size, address),
            Inst::AtomicStore { size, order, address, .. } => (AccessKind::AtomicWrite(order), size, address),
            Inst::AtomicRmw { size, order, address, .. } => (AccessKind::Rmw(order), size, address),
            Inst::CmpXchg { size, order, failure, address, .. } => (AccessKind::Cas(order, failure), size, address),
            _ => return None,
        };
        Some(Access { kind, address: self.register(thread, address), size: u64::from(size) })
    }

    /// Whether another thread could see or change the object. One that belongs to another thread alone and
    /// was reached all the same (its address was hidden from us in arithmetic or in a file) must end the
    /// search: its owner's accesses were no scheduling points.
    pub(crate) fn is_visible(&self, thread: ThreadId, address: u64, object: Object) -> Result<bool, Fault> {
        match object.mode {
            Mode::Shared => {
                if self.is_ending_heard() {
                    self.back.recorder.is_all.set(true);
                }
                Ok(self.accesses_are_visible())
            }
            Mode::Private
                if object.kind != Kind::Hidden && (address::space(address) ^ address::stack_space(thread)) > 1 =>
            {
                // It was handed out in an earlier life, which has ended.
                if object.published != 0 {
                    return Err(Fault::OutOfScope { address });
                }
                Err(Fault::Unsupported("a pointer that reached another thread disguised as something else".to_owned()))
            }
            _ => Ok(false),
        }
    }

    /// Whether others can reach the object at an address, or could before it ended.
    pub(crate) fn is_known(&self, thread: ThreadId, address: u64, object: &Object) -> bool {
        match object.mode {
            Mode::Shared => true,
            Mode::Freed | Mode::OutOfScope => object.published != 0,
            // It was handed out in an earlier life, which has ended.
            Mode::Private => object.published != 0 && (address::space(address) ^ address::stack_space(thread)) > 1,
            Mode::Constant | Mode::Absent => false,
        }
    }

    /// Whether the fault lies in an object that another thread has ended, or may end: how the access fails is then a matter of the schedule, and it is a
    /// visible operation although it fails.
    pub(crate) fn fails_by_schedule(&self, thread: ThreadId, fault: &Fault) -> bool {
        let is_ended = |address| self.memory.object(address).is_some_and(was_known);
        let may_end = |address| {
            let ends = |object: &Object| matches!(object.kind, Kind::Heap | Kind::Stack);
            self.memory.object(address).is_some_and(|object| ends(object) && self.is_known(thread, address, object))
        };
        let is_theirs = match *fault {
            Fault::Freed { address } | Fault::OutOfScope { address } | Fault::DoubleFree { address } => {
                is_ended(address)
            }
            Fault::OutOfBounds { address, .. } | Fault::BadFree { address, .. } => may_end(address),
            Fault::Overlap { dst, src, .. } => may_end(dst) || may_end(src),
            _ => false,
        };
        is_theirs && self.must_park(thread)
    }

    /// Logs what a step failed at, if that is not what it was about to touch: a call looks at several objects, of which it names one before. Whether it fails
    /// is a matter of the schedule, so others must see what it depends on. `is_logged` if something that it did before was logged, which then stands in place of
    /// what it wanted.
    pub(crate) fn note_failure(&mut self, thread: ThreadId, wants: Wants, fault: &Fault, is_logged: bool) {
        let whole = |address| {
            let size = self.memory.object(address).map_or(0, |object| u64::from(object.size));
            (address::object_start(address), size)
        };
        let places = match *fault {
            Fault::Freed { address } | Fault::OutOfScope { address } | Fault::DoubleFree { address } => {
                let whole = whole(address);
                // The access may have been outside of it.
                [if address < whole.0 + whole.1 { (address, 1) } else { whole }, (0, 0)]
            }
            Fault::Uninitialised { address, size } => [(address, size), (0, 0)],
            // A string without an end was read to the end of its object.
            Fault::OutOfBounds { address, .. } | Fault::BadFree { address, .. } => [whole(address), (0, 0)],
            Fault::Overlap { dst, src, .. } => [whole(dst), whole(src)],
            _ => return,
        };
        for (address, size) in places {
            self.note_failure_at(thread, wants, (address, size), is_logged);
        }
    }

    fn note_failure_at(&mut self, thread: ThreadId, wants: Wants, (address, size): (u64, u64), is_logged: bool) {
        let is_wanted = wants.address <= address && address + size <= wants.address + u64::from(wants.size);
        let is_known = self.memory.object(address).is_some_and(|object| object.is_shared() || was_known(object));
        if size > 0 && is_known && (is_logged || !is_wanted) && self.accesses_are_visible() {
            self.push_event(thread, OpKind::Unlogged, address, size as u32, 0, OpKind::FAILED_AT);
        }
    }

    pub(crate) fn read_value(&self, access: Access) -> u128 {
        if access.size <= 8 {
            return u128::from(self.memory.load(access.address, access.size as u8));
        }
        let mut bytes = [0; 16];
        bytes[..access.size as usize].copy_from_slice(self.memory.view(access.address, access.size));
        u128::from_le_bytes(bytes)
    }

    pub(crate) fn write_value(&mut self, access: Access, value: u128) {
        if access.size <= 8 {
            self.memory.store(access.address, access.size as u8, value as u64);
        } else {
            self.memory.store_bytes(access.address, &value.to_le_bytes()[..access.size as usize]);
        }
    }

    /// Looks for a read of bytes that were never set: a finding if that is asked for, and else a doubt about the verdict if the value decides
    /// something.
    pub(crate) fn look_for_unset(&mut self, thread: ThreadId, address: u64, size: u64) -> Result<(), Fault> {
        if self.memory.initialised(address, size) {
            return Ok(());
        }
        if self.settings.uninitialised {
            return Err(Fault::Uninitialised { address, size });
        }
        self.doubt_read(thread, address);
        Ok(())
    }

    /// An access that nobody else can see.
    pub(crate) fn access_private(&mut self, thread: ThreadId, inst: Inst, access: Access) -> Result<Flow, Fault> {
        let reads = access.kind.reads();
        if reads {
            self.look_for_unset(thread, access.address, access.size)?;
        }
        let (_, written) = self.do_access(thread, inst, access);
        if written && self.memory.watches_private {
            self.note_private_write(thread, access);
        }
        Ok(Flow::Next)
    }

    /// Tells the race detector of a write to an object that nobody else can reach yet. Once the object is published, who reads it without
    /// having learnt of the write races with it.
    pub(crate) fn note_private_write(&mut self, thread: ThreadId, access: Access) {
        let is_private = |object: &Object| object.mode == Mode::Private && object.kind != Kind::Hidden;
        if !self.memory.watches_private || !self.memory.object(access.address).is_some_and(is_private) {
            return;
        }
        let core = &self.threads[thread.index()].core;
        let (time, clock, at, atomic) = (core.time, core.clock, self.user_point(thread), access.kind.is_atomic());
        for (word, bytes) in words(access.address, access.size) {
            let entry =
                races::Access { thread, time, at, event: races::NO_EVENT, bytes, write: true, atomic, section: 0 };
            // Nobody else can have accessed it in this life.
            self.races.access(&mut self.memory.journal, &self.clocks, word, entry, clock);
        }
    }

    /// The event that a race with an earlier access is a race with: for a write that was none, the publication of its object.
    fn event_of(&self, earlier: &races::Access, address: u64) -> Option<u32> {
        if earlier.event != races::NO_EVENT {
            return Some(earlier.event);
        }
        let published = self.memory.object(address)?.published.checked_sub(1)?;
        Some(self.publications[published as usize].event)
    }

    /// A visible access, now: its effect, its event, and the races it is part of.
    pub(crate) fn access_shared(&mut self, thread: ThreadId, inst: Inst, access: Access) -> Result<Flow, Fault> {
        let object = self.memory.check(access.address, access.size, access.kind.is_write())?;
        if object.mode == Mode::Private {
            self.is_visible(thread, access.address, object)?;
        }
        let reads = access.kind.reads();
        if reads {
            self.look_for_unset(thread, access.address, access.size)?;
        }
        let records = self.records_accesses();
        if records {
            self.record_before(thread, access);
        }
        let has_terms = self.memory.has_inputs && self.memory.has_terms(access.address, access.size);
        // Events hold the low eight bytes of a value, which say nothing of the others.
        let is_wide = access.size > 8;
        let unsure = self.memory.has_inputs && self.decide_exchange(thread, inst, access) || has_terms || is_wide;
        self.note_place(access.address, access.size, access.kind.is_atomic(), unsure);
        let old = if access.kind.is_write() { self.read_value(access) as u64 } else { 0 };
        let expected = match inst {
            Inst::CmpXchg { expected_new, .. } => self.value_at(thread, expected_new, access.size) as u64,
            _ => 0,
        };
        let (value, written) = self.do_access(thread, inst, access);
        let kind = match access.kind {
            AccessKind::Cas(..) if !written => OpKind::CasFail,
            // With other inputs it may be another value.
            AccessKind::Rmw(_) if !records && self.memory.has_terms(access.address, access.size) => OpKind::Rmw,
            AccessKind::Rmw(_) if value as u64 == old && access.size <= 8 => OpKind::RmwSame,
            kind => kind.op(),
        };
        if kind == OpKind::CasFail && self.variant == variant::WEAK_FAILURE {
            // It may succeed the next time: trying again is no waiting.
            let core = &mut self.threads[thread.index()].core;
            core.visits = 0;
            core.erred_in = core.may_err_in;
        }
        if written && access.size == 8 && object.mode == Mode::Shared {
            self.publish(thread, value as u64);
        } else if written && access.size > 8 {
            self.publish_range(thread, access.address, access.size);
        }
        if records {
            self.record_after(thread, access, written);
        }
        let other = if kind == OpKind::CasFail { expected } else { old };
        let event = self.log.events.len();
        self.note_access_as(thread, access, kind, value as u64, other)?;
        self.log.events[event].unsure = unsure;
        if self.memory.has_inputs && kind.reads_only() && !records {
            self.note_read(access.address, access.size);
        }
        Ok(Flow::Next)
    }

    /// The effect alone: the value read or written, and whether something was written.
    fn do_access(&mut self, thread: ThreadId, inst: Inst, access: Access) -> (u128, bool) {
        if !self.memory.has_inputs {
            return self.do_plain_access(thread, inst, access);
        }
        let before = self.before_access(thread, inst, access);
        let done = self.do_plain_access(thread, inst, access);
        self.after_access(thread, inst, access, before);
        done
    }

    fn do_plain_access(&mut self, thread: ThreadId, inst: Inst, access: Access) -> (u128, bool) {
        let size = access.size;
        match inst {
            Inst::Load { dst, .. } | Inst::WideLoad { dst, .. } | Inst::AtomicLoad { dst, .. } => {
                let value = self.read_value(access);
                self.set_value(thread, dst, size, value);
                (value, false)
            }
            Inst::Store { src, .. } | Inst::WideStore { src, .. } | Inst::AtomicStore { src, .. } => {
                let value = self.value_at(thread, src, size);
                self.write_value(access, value);
                (value, true)
            }
            Inst::AtomicRmw { op, dst, src, .. } => {
                let old = self.read_value(access);
                let operand = self.value_at(thread, src, size);
                let value = arith::rmw(op, 8 * size as u8, old, operand);
                self.write_value(access, value);
                self.set_value(thread, dst, size, old);
                (value, true)
            }
            Inst::CmpXchg { weak, dst, expected_new, .. } => {
                let words = if size > 8 { 2 } else { 1 };
                let old = self.read_value(access);
                let expected = self.value_at(thread, expected_new, size);
                let new = self.value_at(thread, Slot(expected_new.0 + words), size);
                let succeeds = old == expected && !(weak && self.variant == variant::WEAK_FAILURE);
                if succeeds {
                    self.write_value(access, new);
                }
                self.set_value(thread, dst, size, old);
                self.set_register(thread, Slot(dst.0 + words), u64::from(succeeds));
                (if succeeds { new } else { old }, succeeds)
            }
            _ => unreachable!("{inst:?} is no access"),
        }
    }

    /// Logs an access to many bytes at once. What stood there before is not kept. Of a read of up to eight bytes it is logged what it reads,
    /// so that who waits for a change of them can be told.
    pub(crate) fn note_access(&mut self, thread: ThreadId, access: Access, value: u64, old: u64) -> Result<(), Fault> {
        self.record_bulk(thread, access);
        self.note_place(access.address, access.size, false, true);
        let is_short_read = access.kind == AccessKind::Read && (1..=8).contains(&access.size);
        let value = if is_short_read { self.memory.load(access.address, access.size as u8) } else { value };
        let event = self.log.events.len();
        self.note_access_as(thread, access, access.kind.op(), value, old)?;
        (self.log.events[event].unsure, self.log.events[event].varies) = (true, true);
        if is_short_read && self.memory.has_inputs && !self.records_accesses() {
            self.note_read(access.address, access.size);
        }
        Ok(())
    }

    /// Logs a visible access and looks for races with those before it.
    fn note_access_as(
        &mut self,
        thread: ThreadId,
        access: Access,
        kind: OpKind,
        value: u64,
        old: u64,
    ) -> Result<(), Fault> {
        self.push_event(thread, kind, access.address, access.size as u32, value, old);
        if self.tracks_races() {
            self.order_access(thread, access, kind);
        }
        Ok(())
    }

    /// Frees count as writes to every byte of the object.
    pub(crate) fn note_free(&mut self, thread: ThreadId, place: u64, size: u64) {
        self.push_event(thread, OpKind::Free, place, size as u32, 0, 0);
        if self.tracks_races() {
            self.order_section(thread, OpKind::Free, place, size, true);
            let clock = self.threads[thread.index()].core.clock;
            if let Some(earlier) = self.races.unordered(&self.clocks, place, size, thread, clock)
                && let Some(event) = self.event_of(&earlier, place)
            {
                self.report_race(self.log.events[event as usize].address, event, earlier.atomic);
            }
        }
    }

    /// An object of the thread's own ends with its scope, its function or its thread. Who else could reach it must
    /// not come later.
    pub(crate) fn note_end_of_life(&mut self, thread: ThreadId, place: u64, object: Object) {
        if object.mode == Mode::Shared && self.accesses_are_visible() {
            let first = || self.log.events.get(*self.log.step_starts.last()? as usize);
            if self.memory.has_inputs && first().is_some_and(|event| event.kind == OpKind::Branch) {
                // It belongs to the step before, which no reduction knows.
                self.lose("behind a branch that inputs decide a variable ended that other threads know");
            }
            self.push_event(thread, OpKind::Free, place, object.size, OpKind::LIFE_ENDS, 0);
        }
    }

    /// Looks for races of the access that was just logged, and takes in what it orders.
    pub(crate) fn order_access(&mut self, thread: ThreadId, access: Access, kind: OpKind) {
        let event = self.log.events.len() as u32 - 1;
        self.hear_order(thread, OrderStep::Access { access, kind, event });
        self.acquire_by(thread, access, kind);
        if let Some((earlier, atomic)) = self.find_race(thread, access, kind, event) {
            self.report_race(access.address, earlier, atomic);
        }
        self.release_by(thread, access, kind);
    }

    /// Looks for races of the operation on a synchronisation object that was just logged. Operations on it are atomic with regard to each other, but
    /// not to initialising or destroying it, nor to accesses to its bytes.
    pub(crate) fn order_object(&mut self, thread: ThreadId, kind: OpKind, address: u64, size: u32) {
        if !self.tracks_races() || !self.accesses_are_visible() {
            return;
        }
        let access = match kind {
            OpKind::MutexInit
            | OpKind::MutexDestroy
            | OpKind::CondInit
            | OpKind::CondDestroy
            | OpKind::SemInit
            | OpKind::SemDestroy
            | OpKind::BarrierInit
            | OpKind::BarrierDestroy => AccessKind::Write,
            _ if self.log.events.last().is_some_and(looks_only) => AccessKind::AtomicRead(Order::Relaxed),
            _ => AccessKind::Rmw(Order::Relaxed),
        };
        let access = Access { kind: access, address, size: u64::from(size) };
        let event = self.log.events.len() as u32 - 1;
        self.hear_order(thread, OrderStep::Object { access, kind, event });
        if let Some((earlier, atomic)) = self.find_race(thread, access, kind, event) {
            self.report_race(address, earlier, atomic);
        }
    }

    /// The event that the access of this event races with, and whether one of them is atomic. The access is known from then on.
    pub(crate) fn find_race(
        &mut self,
        thread: ThreadId,
        access: Access,
        kind: OpKind,
        event: u32,
    ) -> Option<(u32, bool)> {
        let write = access.kind.is_write() && kind != OpKind::CasFail;
        self.order_section(thread, kind, access.address, access.size, write);
        let core = &self.threads[thread.index()].core;
        let section = if core.atomic > 0 { self.section() } else { 0 };
        let (time, clock) = (core.time, core.clock);
        let (at, atomic) = (self.log.events[event as usize].at, access.kind.is_atomic());
        let mut found = None;
        for (word, bytes) in words(access.address, access.size) {
            let entry = races::Access { thread, time, at, event, bytes, write, atomic, section };
            let race = self.races.access(&mut self.memory.journal, &self.clocks, word, entry, clock);
            found = found.or(race);
        }
        let found = found.and_then(|earlier: races::Access| {
            let event = self.event_of(&earlier, access.address)?;
            Some((event, earlier.atomic || atomic))
        });
        found.or_else(|| self.unordered_publication(thread, access).map(|event| (event, false)))
    }

    /// The last event races with the event `earlier`.
    fn report_race(&mut self, address: u64, earlier: u32, atomic: bool) {
        let at = self.log.events.last().expect("the access was logged").at;
        let earlier = self.log.events[earlier as usize];
        if !self.is_new_race(earlier.at, at) {
            return;
        }
        let finding = self.race_finding(address, earlier, atomic);
        self.report(finding);
        if self.settings.races == RaceMode::Stop {
            self.finish(End::Failed);
        }
    }

    /// What an atomic access learns (C11): what was released at the same location. It comes after all that, so it races with none of it.
    pub(crate) fn acquire_by(&mut self, thread: ThreadId, access: Access, kind: OpKind) {
        let Some(Ordering { order, reads: true, .. }) = Ordering::of(access.kind, kind) else { return };
        let released = self.released_at(access.address);
        if order.acquires() {
            self.learn(thread, released);
        } else {
            let core = &mut self.threads[thread.index()].core;
            core.fence_acquire = self.clocks.join(core.fence_acquire, released);
        }
    }

    /// What an atomic access releases (C11): read-modify-writes carry on what was released before, fences stand in for the accesses around them.
    ///
    /// A relaxed store ends the release sequence, also one of the thread that released. C11 let that thread's later stores carry the
    /// release on; C++20 (P0982) took that back, and compilers follow C++20. Who relies on it is told of a race.
    pub(crate) fn release_by(&mut self, thread: ThreadId, access: Access, kind: OpKind) {
        let Some(Ordering { order, reads, writes: true }) = Ordering::of(access.kind, kind) else { return };
        let told = if order.releases() { self.tell(thread) } else { self.threads[thread.index()].core.fence_release };
        let clock = if reads { self.clocks.join(told, self.released_at(access.address)) } else { told };
        self.set_released(access.address, clock);
    }
}

/// Whether others may know an object that has ended. Streams and directories of the library are known to whoever has the pointer, without being published.
fn was_known(object: &Object) -> bool {
    object.published != 0 || object.kind == Kind::Hidden
}
