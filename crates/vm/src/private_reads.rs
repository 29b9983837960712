//! Private reads: what a thread reads before its first visible operation, such as `int id = *(int *)arg`.
//!
//! Such a read is made together with the creation of the thread and is no step, provided that no write, free or end of scope touches its bytes but those that happen
//! before the creation or after a join with the thread. That is checked in every execution; if it does not hold, the search is made again with these reads
//! visible ([`Objection::PrivateReads`]).
//!
//! *Lemma.* Let `w` touch the bytes that the thread `t` reads in `r`, and let no step of `t` come before `r`. What happens before `r` happens before the
//! creation of `t`. So `w` happens before the creation, or after `r`, or is not ordered with `r`. In the first case the read finds the same wherever it is made. If they
//! are not ordered, then in the execution that is made either `w` comes first, and the race detector sees a race when `r` is made, or it comes later and is
//! caught there. If `w` happens after `r`, it is caught as well, unless the thread was joined: then it cannot come earlier in any execution.
//!
//! The race detector knows of these reads as of all others. Where races are ignored, all reads are visible.

use crate::access::Access;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::memory::Mode;
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_ir::Inst;
use gordian_trace::{CodePoint, Objection, OpKind, RaceMode};

/// A read of a thread that was no step, in any execution so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PrivateRead {
    address: u64,
    size: u64,
    thread: ThreadId,
}

#[derive(Debug, Default)]
pub struct PrivateReads {
    is_on: bool,
    /// The thread that runs for the first time, up to its first visible operation.
    beginner: Option<ThreadId>,
    list: Vec<PrivateRead>,
}

impl PrivateReads {
    pub fn new(settings: &gordian_trace::Machine) -> PrivateReads {
        let is_on = settings.private_reads
            && settings.races != RaceMode::Ignore
            && !settings.uninitialised
            && !settings.parks_everywhere;
        PrivateReads { is_on, beginner: None, list: Vec::new() }
    }
}

impl Machine<'_> {
    /// Runs a thread for the first time.
    pub(crate) fn run_beginner(&mut self, thread: ThreadId) {
        self.waiting.private_reads.beginner = self.waiting.private_reads.is_on.then_some(thread);
        self.run_thread(thread);
        self.waiting.private_reads.beginner = None;
    }

    /// Makes the read at the thread's program counter at once if it is a private one.
    #[inline]
    pub(crate) fn read_privately(&mut self, thread: ThreadId, inst: &Inst, at: CodePoint) -> Option<Flow> {
        if self.waiting.private_reads.beginner != Some(thread) {
            return None;
        }
        let Inst::Load { size, dst, address } = *inst else { return None };
        self.read_of_beginner(thread, at, (self.register(thread, address), u64::from(size)), dst)
    }

    #[cold]
    fn read_of_beginner(
        &mut self,
        thread: ThreadId,
        at: CodePoint,
        (address, size): (u64, u64),
        dst: gordian_ir::Slot,
    ) -> Option<Flow> {
        let core = &self.threads[thread.index()].core;
        if core.atomic > 0 || self.records_accesses() || self.memory.is_all_looked_at() {
            return None;
        }
        self.memory.check(address, size, false).ok().filter(|object| object.mode == Mode::Shared)?;
        let value = self.memory.load(address, size as u8);
        let inst = *self.instruction(thread);
        let access: Access = self.access_of(thread, inst)?;
        self.push_event_at(thread, at, OpKind::Read, address, size as u32, value, 0);
        let event = self.log.events.len() - 1;
        self.log.events[event].alone = true;
        if self.find_race(thread, access, OpKind::Read, event as u32).is_some() {
            self.object_to_private_reads();
            return Some(Flow::Stop);
        }
        self.set_register(thread, dst, value);
        let read = PrivateRead { address, size, thread };
        if !self.waiting.private_reads.list.contains(&read) {
            self.waiting.private_reads.list.push(read);
        }
        Some(Flow::Next)
    }

    /// An operation other than a read is logged: whether it touches what was read privately.
    #[inline]
    pub(crate) fn note_for_private_reads(&mut self, thread: ThreadId, kind: OpKind, address: u64, size: u32) {
        let is_read = kind.reads_only() || kind == OpKind::Unlogged;
        if !self.waiting.private_reads.list.is_empty() && size > 0 && !is_read {
            self.check_private_reads(thread, address, u64::from(size));
        }
    }

    #[inline(never)]
    fn check_private_reads(&mut self, thread: ThreadId, address: u64, size: u64) {
        let is_touched = |read: &PrivateRead| {
            read.thread != thread
                && read.address < address.saturating_add(size)
                && address < read.address + read.size
                && !self.is_apart_from(read.thread, thread)
        };
        if self.waiting.private_reads.list.iter().any(is_touched) {
            self.object_to_private_reads();
        }
    }

    /// Whether what `thread` does now comes before the creation of the reader, or after a join with it.
    fn is_apart_from(&self, reader: ThreadId, thread: ThreadId) -> bool {
        let creator = reader
            .index()
            .checked_sub(1)
            .and_then(|nth| self.roster.origins.get(nth))
            .map(|origin| ThreadId(origin.creator));
        let Some(core) = self.threads.get(reader.index()).map(|reader| &reader.core) else {
            return creator == Some(thread);
        };
        match core.park {
            Park::Unborn => creator == Some(thread),
            // Only `main` joins then.
            _ => core.joined && thread == ThreadId::MAIN && !self.uses.shares_threads,
        }
    }

    #[cold]
    fn object_to_private_reads(&mut self) {
        self.object(Objection::PrivateReads, "what a new thread reads first is written by others");
    }
}
