//! Where it pays to choose: a set of threads that, as far as was ever seen, the others leave alone.

use crate::happens_before::conflict::has_place;
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_engine::Point;
use gordian_trace::{Event, Hidden, OpKind, Wants};
use smallvec::SmallVec;

/// A set of threads with numbers below 64.
pub type Threads = u64;
const MOST_THREADS: usize = 64;

pub fn bit(thread: ThreadId) -> Threads {
    if thread.index() < MOST_THREADS { 1 << thread.index() } else { 0 }
}

/// A thread at a place: how many steps it had made when it last read or wrote there, in any execution.
#[derive(Clone, Copy)]
struct Visits {
    thread: ThreadId,
    last_read: u32,
    last_write: u32,
}

/// A visit that shows something new.
struct News {
    word: u64,
    thread: ThreadId,
    time: u32,
    reads: bool,
}

/// Which thread was seen to touch what, and how late in its life.
#[derive(Default)]
pub struct Memory {
    places: FxHashMap<u64, SmallVec<[Visits; 4]>>,
    /// Not yet known: while a tour goes on, a point that it comes back to must look the same.
    news: Vec<News>,
}

impl Memory {
    /// Sees the events of a step. `time` tells how many steps a thread has made, this one included.
    pub fn see(&mut self, events: &[Event], time: impl Fn(ThreadId) -> u32) {
        for event in events.iter().filter(|event| !event.alone && touches(event.kind)) {
            let (thread, time, reads) = (event.thread, time(event.thread), event.kind.reads_only());
            let size = if event.kind.is_access() { event.size } else { 1 };
            for word in words(event.address, size) {
                self.visit(News { word, thread, time, reads });
            }
            if event.kind == OpKind::Cancel {
                self.visit(News { word: cancellation(target_of(event.address)), thread, time, reads: false });
            }
            // A wait lets go of its mutex, and who wakes takes it again.
            if matches!(event.kind, OpKind::Wait | OpKind::Woken) {
                self.visit(News { word: event.other & !7, thread, time, reads: false });
            }
        }
    }

    /// Sees what a thread would do as its step number `time`.
    pub fn see_wanted(&mut self, thread: ThreadId, wants: &Wants, time: u32) {
        if touches(wants.kind) {
            let size = if wants.kind.is_access() { wants.size } else { 1 };
            for word in words(wants.address, size) {
                self.visit(News { word, thread, time, reads: wants.kind.reads_only() });
            }
            if wants.kind == OpKind::Cancel {
                self.visit(News { word: cancellation(target_of(wants.address)), thread, time, reads: false });
            }
        }
    }

    fn visit(&mut self, news: News) {
        let mut place = self.places.get(&news.word).into_iter().flatten();
        let known = place.find(|visits| visits.thread == news.thread);
        let last = known.map_or(0, |visits| if news.reads { visits.last_read } else { visits.last_write });
        if news.time > last {
            self.news.push(news);
        }
    }

    /// From now on what was seen is known.
    pub fn learn(&mut self) {
        for News { word, thread, time, reads } in self.news.drain(..) {
            let place = self.places.entry(word).or_default();
            let known = place.iter().position(|visits| visits.thread == thread);
            let index = known.unwrap_or_else(|| {
                place.push(Visits { thread, last_read: 0, last_write: 0 });
                place.len() - 1
            });
            let visits = &mut place[index];
            let last = if reads { &mut visits.last_read } else { &mut visits.last_write };
            *last = time.max(*last);
        }
    }

    /// The threads that may still do something that the order with this operation of a thread matters to.
    fn rivals(&self, thread: ThreadId, wants: &Wants, time: impl Fn(ThreadId) -> u32) -> Threads {
        if wants.kind == OpKind::ProcessExit {
            return Threads::MAX;
        }
        let cancellers = self.places.get(&cancellation(thread)).into_iter().flatten();
        let cancellers = cancellers.filter(|visits| visits.last_write > time(visits.thread));
        let cancellers = cancellers.fold(0, |set, visits| set | bit(visits.thread));
        if !touches(wants.kind) {
            return cancellers;
        }
        if wants.kind == OpKind::Cancel {
            return cancellers | bit(target_of(wants.address));
        }
        let size = if wants.kind.is_access() { wants.size } else { 1 };
        let reads = wants.kind.reads_only();
        let mut rivals = cancellers;
        for word in words(wants.address, size) {
            for visits in self.places.get(&word).into_iter().flatten() {
                let last = if reads { visits.last_write } else { visits.last_write.max(visits.last_read) };
                if last > time(visits.thread) {
                    rivals |= bit(visits.thread);
                }
            }
        }
        rivals
    }

    /// The smallest set of threads that contains, with each of its threads, the rivals of what that thread is about to do,
    /// and in which some thread can go on. All threads if nothing better is known.
    pub fn focus(&self, point: &Point<'_>, time: impl Fn(ThreadId) -> u32) -> Threads {
        if point.choices.iter().any(|choice| choice.thread.index() >= MOST_THREADS) {
            return Threads::MAX;
        }
        let enabled = point.choices.iter().fold(0, |set, choice| set | bit(choice.thread));
        let mut rivals = [None; MOST_THREADS];
        let mut best = Threads::MAX;
        for seed in point.choices.iter().map(|choice| choice.thread) {
            let mut set = bit(seed);
            let mut todo = set;
            while todo != 0 && (set & enabled).count_ones() < (best & enabled).count_ones() {
                let index = todo.trailing_zeros() as usize;
                todo &= todo - 1;
                let thread = ThreadId::from_index(index);
                let known = rivals[index].get_or_insert_with(|| match point.wants(thread) {
                    Some(wants) => self.rivals(thread, &wants, &time),
                    None => 0,
                });
                todo |= *known & !set;
                set |= *known;
            }
            if todo == 0 && (set & enabled).count_ones() < (best & enabled).count_ones() {
                best = set;
            }
        }
        best
    }
}

fn target_of(address: u64) -> ThreadId {
    ThreadId(address as u32)
}

/// Where it stands whether a thread is cancelled.
fn cancellation(thread: ThreadId) -> u64 {
    Hidden::Cancellation(thread).address()
}

fn words(address: u64, size: u32) -> impl Iterator<Item = u64> {
    let last = address.saturating_add(u64::from(size.max(1)) - 1);
    (address >> 3..=last >> 3).map(|word| word << 3)
}

/// Whether the order of such operations at the same address can matter. Of a cancellation, the address is the thread's.
fn touches(kind: OpKind) -> bool {
    kind == OpKind::Cancel || has_place(kind)
}
