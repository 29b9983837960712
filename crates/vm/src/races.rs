//! Data races by happens-before: two accesses to the same bytes, one of them a write, not both atomic,
//! with no synchronisation between them.
//!
//! FastTrack's epochs (Flanagan and Freund, PLDI 2009) with a list of the last accesses that are not yet
//! ordered before a write, kept for each aligned word with a mask of its bytes.
//!
//! **Lemma.** An access `a` leaves the list of its word when an access `b` comes that is ordered after `a` and *covers* it ([`Access::covers`]): it has all
//! bytes of `a`, writes if `a` does, and is plain if `a` is. Then no race is lost. Let `c` come later, conflict with `a` and not be ordered after it. `c` is not
//! ordered after `b`, or else it would be ordered after `a`, too; and it conflicts with `b`, since `b` covers `a`. So `c` races with `b`. Every word with
//! a race is found, though not every pair of places that race there.

use crate::journal::{Journal, Undo};
use gordian_base::{ClockId, Clocks, FxBuildHasher, FxHashMap, Id, ThreadId};
use gordian_trace::CodePoint;
use std::hash::{BuildHasher, Hasher};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Access {
    pub thread: ThreadId,
    /// The thread's own time when it happened.
    pub time: u32,
    pub at: CodePoint,
    /// Index of its event.
    pub event: u32,
    /// Which bytes of the word.
    pub bytes: u8,
    pub write: bool,
    pub atomic: bool,
    /// The number of its step if it is a part of an atomic section, otherwise 0.
    pub section: u32,
}

/// The event of a write to an object that nobody else could reach.
pub const NO_EVENT: u32 = u32::MAX;

impl Access {
    /// Whether the two race if nothing orders them.
    #[inline]
    fn conflicts_with(&self, other: &Access) -> bool {
        self.bytes & other.bytes != 0 && (self.write || other.write) && !(self.atomic && other.atomic)
    }

    /// Whether it is ordered after an earlier one, if its thread knows so much of the others.
    #[inline]
    fn comes_after(&self, earlier: &Access, known: &[u32]) -> bool {
        earlier.thread == self.thread || known.get(earlier.thread.index()).is_some_and(|&time| earlier.time <= time)
    }

    /// Whether whoever races with `earlier`, which is ordered before this one, also races with this one; and whose section
    /// would come after the section of `earlier`, after this one.
    #[inline]
    fn covers(&self, earlier: &Access) -> bool {
        earlier.bytes & !self.bytes == 0
            && (self.write || !earlier.write)
            && (earlier.atomic || !self.atomic)
            && (earlier.section == 0 || self.section != 0 || !self.atomic)
    }
}

/// An access to a word, and the one to the same word before it: its index in `Races::nodes` plus one, 0 for none.
#[derive(Clone, Copy, Debug)]
struct Node {
    access: Access,
    previous: u32,
}

/// What is remembered of each aligned word of eight bytes is a list from the newest access to the oldest. Nodes
/// never change while there is a way back, so that going back is cutting `nodes` and putting old heads back.
#[derive(Debug, Default)]
pub struct Races {
    /// Words keep their numbers when the search goes back.
    numbers: FxHashMap<u64, u32>,
    /// By number: the newest access, as in [`Node::previous`].
    newest: Vec<u32>,
    nodes: Vec<Node>,
    /// Nodes to use again. None while there is a way back.
    free: Vec<u32>,
    /// Accesses that a list keeps, while it is made anew.
    kept: Vec<Access>,
}

impl Races {
    /// Notes an access to the bytes `bytes` of the word `word` and gives the earlier access that it races
    /// with, if any. `clock` is what the accessing thread knows.
    pub fn access(
        &mut self,
        journal: &mut Journal,
        clocks: &Clocks,
        word: u64,
        access: Access,
        clock: ClockId,
    ) -> Option<Access> {
        let number = self.number_of(word);
        let newest = self.newest[number as usize];
        let known = clocks.times(clock);
        // As in [`Node::previous`].
        let mut race = 0;
        // Behind the oldest access that the new one covers, the list stays as it is.
        let mut tail = newest;
        // Those that it does not cover: so far, and up to the tail.
        let (mut n_uncovered, mut n_kept) = (0, 0);
        let mut next = newest;
        while next != 0 {
            let Node { access: earlier, previous } = &self.nodes[next as usize - 1];
            let ordered = access.comes_after(earlier, known);
            if !ordered && earlier.conflicts_with(&access) {
                race = next;
            }
            if ordered && access.covers(earlier) {
                (tail, n_kept) = (*previous, n_uncovered);
            } else {
                n_uncovered += 1;
            }
            next = *previous;
        }
        let race = race.checked_sub(1).map(|index| self.nodes[index as usize].access);
        let stays = journal.on && n_kept == 0;
        let rest = if stays { tail } else { self.keep_uncovered(journal.on, newest, tail, access, known) };
        self.newest[number as usize] = self.push(journal.on, Node { access, previous: rest });
        if journal.on {
            journal.log.push(Undo::Cell { number, newest });
        }
        race
    }

    /// The list without what `access` covers, all of which lies between its head and `tail`.
    #[inline(never)]
    fn keep_uncovered(&mut self, way_back: bool, newest: u32, tail: u32, access: Access, known: &[u32]) -> u32 {
        let mut next = newest;
        while next != tail {
            let Node { access: earlier, previous } = self.nodes[next as usize - 1];
            if !(access.comes_after(&earlier, known) && access.covers(&earlier)) {
                self.kept.push(earlier);
            }
            if !way_back {
                self.free.push(next);
            }
            next = previous;
        }
        let mut rest = tail;
        while let Some(access) = self.kept.pop() {
            rest = self.push(way_back, Node { access, previous: rest });
        }
        rest
    }

    fn push(&mut self, way_back: bool, node: Node) -> u32 {
        if way_back {
            // What is cut off by going back must lie at the end.
            self.free.clear();
        } else if let Some(place) = self.free.pop() {
            self.nodes[place as usize - 1] = node;
            return place;
        }
        self.nodes.push(node);
        self.nodes.len() as u32
    }

    fn number_of(&mut self, word: u64) -> u32 {
        if let Some(&number) = self.numbers.get(&word) {
            return number;
        }
        let number = self.newest.len() as u32;
        self.newest.push(0);
        self.numbers.insert(word, number);
        number
    }

    /// From the newest to the oldest.
    fn list(&self, number: u32) -> impl Iterator<Item = &Access> {
        let node = |place: u32| place.checked_sub(1).map(|index| &self.nodes[index as usize]);
        let first = node(self.newest[number as usize]);
        std::iter::successors(first, move |at| node(at.previous)).map(|node| &node.access)
    }

    /// The earliest access to these bytes that a thread with this clock has not learnt of: one that freeing them
    /// races with. Nothing is noted, because any later access fails.
    pub fn unordered(
        &self,
        clocks: &Clocks,
        start: u64,
        size: u64,
        thread: ThreadId,
        clock: ClockId,
    ) -> Option<Access> {
        let missed = |earlier: &&Access| earlier.thread != thread && earlier.time > clocks.time(clock, earlier.thread);
        let words = (start & !7..start + size).step_by(8);
        let of_word = |word: u64| self.numbers.get(&word).copied();
        let numbers: &mut dyn Iterator<Item = u32> = if (size / 8) as usize <= self.numbers.len() {
            &mut words.filter_map(of_word)
        } else {
            let within = |entry: &(&u64, &u32)| (start & !7..start + size).contains(entry.0);
            &mut self.numbers.iter().filter(within).map(|(_, number)| *number)
        };
        numbers.flat_map(|number| self.list(number)).filter(missed).min_by_key(|access| access.event).copied()
    }

    /// What atomic sections did to these bytes of a word before, if this or they wrote them. Sections are ordered by
    /// what they touch, as dependence has it: a reduction need not try them in all orders.
    pub fn in_sections(&self, word: u64, bytes: u8, write: bool) -> impl Iterator<Item = &Access> {
        let number = self.numbers.get(&word).copied();
        let conflicts =
            move |earlier: &&Access| earlier.section != 0 && earlier.bytes & bytes != 0 && (write || earlier.write);
        let earlier = number.into_iter().flat_map(|number| self.list(number));
        earlier.filter(conflicts)
    }

    /// The accesses that are kept of each word, a line each; see `parts`.
    pub fn parts(&self) -> impl Iterator<Item = String> {
        let words = self.numbers.iter().filter(|(_, number)| self.newest[**number as usize] != 0);
        words.map(|(word, &number)| {
            let show = |access: &Access| {
                let Access { thread, time, at, event: _, bytes, write, atomic, section } = *access;
                format!("{thread:?} {time} {at:?} {bytes:#x} {write} {atomic} {}", section != 0)
            };
            let mut accesses: Vec<String> = self.list(number).map(show).collect();
            accesses.sort_unstable();
            format!("{word:#x} {accesses:?}")
        })
    }

    /// For fingerprints: a sum, because the order of a map's entries depends on its history. Going back leaves
    /// words without accesses.
    pub fn hash_with(&self, hasher: &mut impl Hasher) {
        let words = self.numbers.iter().filter(|(_, number)| self.newest[**number as usize] != 0);
        let hashes = words.map(|(word, number)| FxBuildHasher.hash_one((word, self.list(*number).collect::<Vec<_>>())));
        hasher.write_u64(hashes.fold(0, u64::wrapping_add));
    }

    /// For marks.
    pub fn n_nodes(&self) -> usize {
        self.nodes.len()
    }

    pub fn truncate(&mut self, n_nodes: usize) {
        self.nodes.truncate(n_nodes);
    }

    pub fn put_back(&mut self, number: u32, newest: u32) {
        self.newest[number as usize] = newest;
    }
}
