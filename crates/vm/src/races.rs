//! Data races by happens-before: two accesses to the same bytes, one of them a write, not both atomic,
//! with no synchronisation between them.
//!
//! FastTrack's epochs (Flanagan and Freund, PLDI 2009) with a list of the last accesses that are not yet
//! ordered before a write, kept for each aligned word with a mask of its bytes.

use crate::journal::{Journal, Undo};
use gordian_base::{ClockId, Clocks, FxBuildHasher, FxHashMap, ThreadId};
use gordian_trace::CodePoint;
use smallvec::SmallVec;
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
}

/// What is remembered of one aligned word of eight bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cell {
    accesses: SmallVec<[Access; 3]>,
}

#[derive(Debug, Default)]
pub struct Races {
    cells: FxHashMap<u64, Cell>,
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
        let cell = self.cell_mut(journal, word);
        let ordered =
            |earlier: &Access| earlier.thread == access.thread || earlier.time <= clocks.time(clock, earlier.thread);
        let race = cell.accesses.iter().find(|earlier| {
            earlier.bytes & access.bytes != 0
                && (earlier.write || access.write)
                && !(earlier.atomic && access.atomic)
                && !ordered(earlier)
        });
        let race = race.copied();
        // Whoever races with a forgotten access also races with the one that covers it.
        cell.accesses.retain(|earlier| {
            let covered = earlier.bytes & !access.bytes == 0
                && ordered(earlier)
                && (access.write || !earlier.write)
                && (earlier.atomic || !access.atomic);
            !covered
        });
        cell.accesses.push(access);
        race
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
        let of_word = |word: &u64| self.cells.get(word);
        let cells: &mut dyn Iterator<Item = &Cell> = if (size / 8) as usize <= self.cells.len() {
            &mut words.filter_map(|word| of_word(&word))
        } else {
            &mut self.cells.iter().filter(|(word, _)| (start & !7..start + size).contains(*word)).map(|(_, cell)| cell)
        };
        cells.flat_map(|cell| &cell.accesses).filter(missed).min_by_key(|access| access.event).copied()
    }

    fn cell_mut(&mut self, journal: &mut Journal, word: u64) -> &mut Cell {
        if journal.on {
            let old = self.cells.get(&word);
            journal.log.push(Undo::Cell { key: word, present: old.is_some() });
            if let Some(old) = old {
                journal.cells.push(old.clone());
            }
        }
        self.cells.entry(word).or_default()
    }

    /// For fingerprints: a sum, because the order of a map's entries depends on its history.
    pub fn hash_with(&self, hasher: &mut impl Hasher) {
        let hashes = self.cells.iter().map(|entry| FxBuildHasher.hash_one(entry));
        hasher.write_u64(hashes.fold(0, u64::wrapping_add));
    }

    pub fn put_back(&mut self, word: u64, old: Option<Cell>) {
        match old {
            Some(cell) => {
                self.cells.insert(word, cell);
            }
            None => {
                self.cells.remove(&word);
            }
        }
    }
}
