//! What a thread waits for that has completed a redundant round: a change of something that it read in the round.

use crate::machine::Machine;
use crate::spin::Round;
use crate::sync::{MUTEX_SIZE, RWLOCK_SIZE};
use gordian_base::{Id, ThreadId};
use gordian_trace::{Event, Hidden, OpKind};

/// `Watch::seen` of a mutex that can perhaps be taken from a holder that has ended.
const MAY_BE_ORPHANED: u64 = 1;

/// Reads of one round of a loop that are watched.
pub(crate) const WATCHES: usize = 32;

/// Something that a waiting thread has read, and what it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    pub address: u64,
    pub size: u8,
    pub seen: u64,
    /// What was read stood for this (see [`crate::memory::Memory::terms_at`]). Then it has changed when it stands for something else,
    /// whatever its value is for the inputs at hand.
    pub(crate) terms: u64,
    /// One of `OpKind::WATCHES_MEMORY` and its like.
    pub place: u64,
}

impl Watch {
    /// What stood at a place that no inputs decide about.
    pub(crate) fn of(address: u64, size: u8, seen: u64, place: u64) -> Watch {
        Watch { address, size, seen, terms: 0, place }
    }
}

impl Machine<'_> {
    /// What the thread read since there were so many events.
    pub(crate) fn reads_since(&self, thread: ThreadId, n_events: usize) -> impl Iterator<Item = &Event> {
        self.log.events[n_events..].iter().filter(move |event| event.thread == thread && event.kind.reads_only())
    }

    /// Blocks the thread while all the places that it has read since `event` look as they did then. Nothing here may
    /// depend on how they look now: others may be about to change them.
    pub(crate) fn wait_for_change(&mut self, thread: ThreadId, event: u32) -> Round {
        let first = self.waiting.watches.len();
        for index in event as usize..self.log.events.len() {
            let event = self.log.events[index];
            if event.thread != thread || !event.kind.reads_only() {
                continue;
            }
            let (size, seen, place) = match event.kind {
                // All of a read-write lock's readers and its writer, or only the writer.
                OpKind::TryLockFail if event.size == RWLOCK_SIZE => (8, 0, OpKind::WATCHES_LOCK),
                OpKind::TryLockFail if self.uses.robust && event.size == MUTEX_SIZE => {
                    (4, MAY_BE_ORPHANED, OpKind::WATCHES_LOCK)
                }
                OpKind::TryLockFail | OpKind::TryReadLockFail => (4, 0, OpKind::WATCHES_LOCK),
                OpKind::SemTryWaitFail | OpKind::SemGet => (4, event.value, OpKind::WATCHES_SEMAPHORE),
                OpKind::Look => (0, 0, OpKind::WATCHES_HIDDEN),
                _ => (event.size.min(8) as u8, event.value, OpKind::WATCHES_MEMORY),
            };
            let terms = self.symbolic.terms_read(index);
            let seen = if terms == 0 { seen } else { 0 };
            let watch = Watch { address: event.address, size, seen, terms, place };
            let at_odds =
                self.waiting.watches[first..].iter().any(|known| known.address == watch.address && *known != watch);
            let is_known = |what| matches!(what, Some(Hidden::Cancellation(of)) if of == thread);
            let too_large = place == OpKind::WATCHES_MEMORY && event.size > 8
                || place == OpKind::WATCHES_HIDDEN && !is_known(Hidden::of(event.address));
            if at_odds || too_large || self.waiting.watches.len() - first >= WATCHES {
                self.waiting.watches.truncate(first);
                return if at_odds { Round::Overtaken } else { Round::Unwatchable };
            }
            if !self.waiting.watches[first..].contains(&watch) {
                self.waiting.watches.push(watch);
            }
        }
        if self.waiting.watches.len() > first {
            let core = &mut self.threads[thread.index()].core;
            core.watching = first as u32;
            core.n_watching = (self.waiting.watches.len() - first) as u8;
        }
        Round::Waiting
    }

    pub(crate) fn has_changed(&self, watch: &Watch) -> bool {
        if watch.place == OpKind::WATCHES_HIDDEN {
            let Some(Hidden::Cancellation(thread)) = Hidden::of(watch.address) else { return true };
            let core = &self.threads[thread.index()].core;
            return core.cancel_pending && core.cancel_enabled;
        }
        if self.memory.check(watch.address, u64::from(watch.size), false).is_err() {
            return true;
        }
        let terms = self.memory.terms_at(watch.address, u64::from(watch.size));
        if (terms != 0 || watch.terms != 0) && !self.symbolic.is_fresh() {
            return terms != watch.terms;
        }
        let now = self.memory.load(watch.address, watch.size);
        // Whoever waits for a lock waits for nobody to hold it.
        match watch.place {
            OpKind::WATCHES_LOCK if watch.seen == MAY_BE_ORPHANED => now == 0 || self.mutex_is_orphaned(watch.address),
            OpKind::WATCHES_LOCK => now == 0,
            _ => now != watch.seen,
        }
    }

    pub(crate) fn watches_of(&self, thread: ThreadId) -> &[Watch] {
        let core = &self.threads[thread.index()].core;
        let first = core.watching as usize;
        &self.waiting.watches[first..first + usize::from(core.n_watching)]
    }

    /// Whether the thread waits in a loop and nothing that it watches has changed.
    pub(crate) fn is_spinning(&self, thread: ThreadId) -> bool {
        let watches = self.watches_of(thread);
        !watches.is_empty() && !watches.iter().any(|watch| self.has_changed(watch))
    }

    /// Logs what the thread watched, now that it goes on: its step depends on those places.
    pub(crate) fn stop_watching(&mut self, thread: ThreadId) {
        let core = &mut self.threads[thread.index()].core;
        let (first, n) = (core.watching as usize, std::mem::take(&mut core.n_watching));
        core.watching = 0;
        for index in first..first + usize::from(n) {
            let Watch { address, size, place, .. } = self.waiting.watches[index];
            self.push_event(thread, OpKind::Watch, address, u32::from(size), place, 0);
        }
    }

    /// The places that a thread watches while it waits in a loop, as [`OpKind::Watch`] events would show them: address,
    /// size and kind of place.
    pub fn watched(&self, thread: ThreadId) -> impl Iterator<Item = (u64, u32, u64)> {
        let memo = self.ahead();
        let is_known = memo.is_none() && thread.index() < self.threads.len();
        let watches = if is_known { self.watches_of(thread) } else { &[] };
        let watches = watches.iter().map(|watch| (watch.address, u32::from(watch.size), watch.place));
        let awaited = self.awaited(thread).filter(|_| is_known);
        watches.chain(awaited).chain(memo.into_iter().flat_map(move |memo| memo.watched(thread)))
    }

    /// What a spinning thread waits for, in words.
    pub(crate) fn spin_text(&self, thread: ThreadId) -> String {
        let mut names: Vec<String> = Vec::new();
        for watch in self.watches_of(thread) {
            if matches!(watch.place, OpKind::WATCHES_HIDDEN | OpKind::WATCHES_WRITTEN | OpKind::WATCHES_TAKEN) {
                continue;
            }
            let mut name = self.name_of(watch.address);
            if watch.place == OpKind::WATCHES_MEMORY {
                let value = self.value_text(watch.address, u32::from(watch.size), watch.seen);
                name = format!("{name} = {value}");
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        format!("loops until another thread changes {}", names.join(" or "))
    }
}
