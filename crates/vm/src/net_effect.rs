//! Rounds of a loop without net effect: lock, look, unlock; or raise a flag, look, lower it again (Kokologiannakis, Ren and Vafeiadis, "Dynamic
//! Partial Order Reductions for Spinloops", FMCAD 2021).
//!
//! *Lemma.* A thread is back in the state that it was in at an earlier visit to a loop. Every place that it wrote to since then holds what it held before the
//! first of these writes, every lock that it took is given up, and from the first to the last of its operations on each of them no other
//! thread used that place. Then the execution without the round is possible and reaches the same state: whoever else did something meanwhile could not
//! see the difference. So the thread may stop for good, as after a round that only read (see `spin`): whatever it does next it does without the round, too, in a
//! shorter execution. An operation of another thread between the two depends on both, so it is ordered with them. Hence all executions of one trace
//! agree on whether the round counts, and reversing the race with such an operation leads to the executions in which it does.
//!
//! If nobody can step any more, the thread goes round for ever, provided that what it found is still there and nobody waits for a value that is there
//! only in the middle of a round. Where somebody does, the search is made again without this ([`Objection::NetEffect`]).

use crate::machine::Machine;
use crate::spin::Visit;
use crate::sync::{MUTEX_SIZE, SPIN_SIZE};
use crate::thread::{Park, Thread};
use crate::watch::{WATCHES, Watch};
use gordian_base::{Id, ThreadId};
use gordian_trace::{Event, Objection, OpKind};

/// Places that one round may write to.
const MOST_PLACES: usize = 8;
/// Earlier visits that are compared with.
const VISITS: usize = 8;
/// Events of a round, of all threads.
const MOST_EVENTS: usize = 4_096;

/// A place that a round has written to, or a lock that it took.
struct Place {
    address: u64,
    size: u32,
    /// Events: the first and the last of the thread's writes.
    first: usize,
    last: usize,
    before: u64,
    now: u64,
    is_lock: bool,
}

fn overlaps(event: &Event, place: &Place) -> bool {
    event.address < place.address + u64::from(place.size)
        && place.address < event.address + u64::from(event.size.max(1))
}

/// What stood at the place of a write or lock operation before it, and what it left there; nothing if it does more than that.
fn effect(event: &Event) -> Option<(u64, u64)> {
    match event.kind {
        OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::CasOk if !event.unsure && event.size <= 8 => {
            Some((event.other, event.value))
        }
        // Taken once, and neither by a timed operation nor from somebody who has ended.
        OpKind::Lock | OpKind::TryLock if event.value == 1 && event.other == 0 => Some((0, 1)),
        OpKind::Unlock if event.value == 0 && event.other == 0 => Some((1, 0)),
        _ => None,
    }
}

/// Whether the operation changes this place, and no other memory.
pub(crate) fn is_plain_change(event: &Event) -> bool {
    effect(event).is_some()
}

fn is_lock(kind: OpKind) -> bool {
    matches!(kind, OpKind::Lock | OpKind::TryLock | OpKind::Unlock)
}

impl Machine<'_> {
    /// Whether the thread was in the same state before, and what it did since has no net effect.
    pub(crate) fn went_round_and_back(&mut self, thread: ThreadId, visit: &Visit) -> bool {
        let mut next = visit.earlier;
        for _ in 0..VISITS {
            let Some(known) = next.checked_sub(1).map(|index| self.waiting.visits[index as usize]) else {
                return false;
            };
            if known.changes != visit.changes {
                return false;
            }
            if self.is_same_visit(&known, visit) {
                // It depends on what others did meanwhile, so it is not to be replayed from the memo.
                self.back.recorder.is_spoiled = true;
                return self.took_back_all(thread, known.event as usize);
            }
            next = known.earlier;
        }
        false
    }

    /// Whether all that the thread did since there were so many events has no net effect. If so, what it found is watched.
    fn took_back_all(&mut self, thread: ThreadId, first_event: usize) -> bool {
        if self.log.events.len() - first_event > MOST_EVENTS {
            return false;
        }
        let Some(places) = self.places_written(thread, first_event) else { return false };
        // A thread that stops while it holds a lock would keep others from it.
        let is_put_back = |place: &Place| place.before == place.now && !(place.is_lock && place.now != 0);
        let is_alone = |place: &Place| {
            let between = self.log.events[place.first..place.last].iter();
            between.filter(|event| event.thread != thread).all(|event| !overlaps(event, place))
        };
        let is_published = || self.publications.last().is_some_and(|last| last.event as usize >= first_event);
        if places.is_empty() || !places.iter().all(|place| is_put_back(place) && is_alone(place)) || is_published() {
            return false;
        }
        self.watch_round(thread, first_event)
    }

    /// The places that the thread wrote to since there were so many events; none if it did anything else that others could see.
    fn places_written(&self, thread: ThreadId, first_event: usize) -> Option<Vec<Place>> {
        let mut places: Vec<Place> = Vec::new();
        for index in first_event..self.log.events.len() {
            let event = &self.log.events[index];
            if event.thread != thread || crate::spin::is_quiet(event.kind) {
                continue;
            }
            let is_lock = is_lock(event.kind);
            if is_lock && (self.uses.robust || !matches!(event.size, MUTEX_SIZE | SPIN_SIZE)) {
                return None;
            }
            let (before, now) = effect(event)?;
            let n_places = places.len();
            match places.iter_mut().find(|place| overlaps(event, place)) {
                Some(place) if (place.address, place.size, place.is_lock) == (event.address, event.size, is_lock) => {
                    (place.last, place.now) = (index, now);
                }
                Some(_) => return None,
                None if n_places == MOST_PLACES => return None,
                None => {
                    let (address, size) = (event.address, event.size);
                    places.push(Place { address, size, first: index, last: index, before, now, is_lock });
                }
            }
        }
        Some(places)
    }

    /// Watches what the thread found in this round at each place. While that is there it would do the same again. No if something cannot be watched.
    fn watch_round(&mut self, thread: ThreadId, first_event: usize) -> bool {
        let first = self.waiting.watches.len();
        // What the thread would find now if nobody else had written.
        let mut expected: Vec<u64> = Vec::new();
        for index in first_event..self.log.events.len() {
            let event = self.log.events[index];
            if event.thread != thread {
                continue;
            }
            let (size, found, left, place) = match event.kind {
                OpKind::Unlock | OpKind::Watch | OpKind::Fence | OpKind::Yield => continue,
                OpKind::AtomicBegin | OpKind::AtomicEnd => continue,
                OpKind::Sleep if !self.waiting.awaits.tells_time => continue,
                OpKind::Lock => (4, 0, 0, OpKind::WATCHES_TAKEN),
                // Whether others hold the lock in the middle of their rounds makes a difference.
                OpKind::TryLock => (4, 0, 0, OpKind::WATCHES_WRITTEN),
                OpKind::Read | OpKind::AtomicRead | OpKind::RmwSame | OpKind::CasFail if event.size <= 8 => {
                    (event.size as u8, event.value, event.value, OpKind::WATCHES_MEMORY)
                }
                OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::CasOk if event.size <= 8 => {
                    (event.size as u8, event.other, event.value, OpKind::WATCHES_WRITTEN)
                }
                _ => return self.cannot_watch(first),
            };
            let known = self.waiting.watches[first..].iter().position(|watch| watch.address == event.address);
            let Some(nth) = known else {
                if self.waiting.watches.len() - first >= WATCHES {
                    return self.cannot_watch(first);
                }
                self.waiting.watches.push(Watch::of(event.address, size, found, place));
                expected.push(left);
                continue;
            };
            let watch = &mut self.waiting.watches[first + nth];
            if watch.size != size {
                return self.cannot_watch(first);
            }
            if expected[nth] != found {
                // Others have changed it on the way. So the round is not what it would do from here.
                self.waiting.watches.truncate(first);
                return true;
            }
            expected[nth] = left;
            if place == OpKind::WATCHES_WRITTEN {
                watch.place = place;
            }
        }
        let core = &mut self.threads[thread.index()].core;
        (core.watching, core.n_watching) = (first as u32, (self.waiting.watches.len() - first) as u8);
        true
    }

    fn cannot_watch(&mut self, first: usize) -> bool {
        self.waiting.watches.truncate(first);
        false
    }

    /// Nobody can step. Whether somebody waits for something that a thread which has stopped after such a round changes in the middle of it: then it cannot
    /// be told whether they wait for ever.
    pub(crate) fn rounds_may_let_go(&self) -> bool {
        let took_back = |thread: &Thread| thread.core.park == Park::TookBack;
        (0..self.threads.len()).filter(|&index| took_back(&self.threads[index])).any(|index| {
            let round = self.watches_of(ThreadId(index as u32));
            (0..self.threads.len()).filter(|&other| other != index).any(|other| self.may_see(other, round))
        })
    }

    /// Whether what a thread does next may depend on where another is in its round.
    fn may_see(&self, other: usize, round: &[Watch]) -> bool {
        let other = ThreadId(other as u32);
        let overlaps = |address: u64, size: u64, watch: &Watch| {
            address < watch.address + u64::from(watch.size) && watch.address < address.saturating_add(size)
        };
        let is_written = |address: u64, size: u64| {
            round.iter().any(|watch| watch.place == OpKind::WATCHES_WRITTEN && overlaps(address, size, watch))
        };
        let is_taken = |address: u64| round.iter().any(|watch| overlaps(address, 1, watch));
        match self.threads[other.index()].core.park {
            Park::Before(wants) if is_written(wants.address, u64::from(wants.size)) => true,
            Park::Before(wants) if wants.kind == OpKind::TryLock && is_taken(wants.address) => true,
            Park::Before(_) | Park::WentRound | Park::TookBack => self.watches_of(other).iter().any(|watch| {
                let tries = matches!(watch.place, OpKind::WATCHES_LOCK | OpKind::WATCHES_WRITTEN);
                is_written(watch.address, u64::from(watch.size)) || tries && is_taken(watch.address)
            }),
            _ => false,
        }
    }

    /// Makes the search anew without this.
    pub(crate) fn object_to_net_effect(&mut self) {
        self.object(Objection::NetEffect, "a thread waits for a value that another writes and takes back");
    }
}
