//! The order that synchronisation gives: what threads tell and learn, as vector clocks.

use crate::journal::Undo;
use crate::machine::Machine;
use gordian_base::{ClockId, FxBuildHasher, FxHashMap, Id, ThreadId};
use gordian_trace::RaceMode;
use std::hash::{BuildHasher, Hasher};

/// What who acquires a lock, semaphore, atomic location or ended thread learns.
#[derive(Debug, Default)]
pub struct Released {
    /// Keys keep their numbers when the search goes back.
    numbers: FxHashMap<u64, u32>,
    clocks: Vec<ClockId>,
}

impl Released {
    pub fn at(&self, key: u64) -> ClockId {
        self.numbers.get(&key).map_or_else(ClockId::default, |&number| self.clocks[number as usize])
    }

    /// Gives the key's number and what stood there.
    fn set(&mut self, key: u64, clock: ClockId) -> (u32, ClockId) {
        let clocks = &mut self.clocks;
        let number = *self.numbers.entry(key).or_insert_with(|| {
            clocks.push(ClockId::default());
            clocks.len() as u32 - 1
        });
        (number, std::mem::replace(&mut self.clocks[number as usize], clock))
    }

    pub fn put_back(&mut self, number: u32, old: ClockId) {
        self.clocks[number as usize] = old;
    }

    /// For fingerprints: a sum, because the order of a map's entries depends on its history. Going back leaves
    /// entries that say nothing.
    pub fn hash_with(&self, hasher: &mut impl Hasher) {
        let entries = self.numbers.iter().map(|(key, &number)| (key, self.clocks[number as usize]));
        let told = entries.filter(|(_, clock)| *clock != ClockId::default());
        hasher.write_u64(told.map(|entry| FxBuildHasher.hash_one(entry)).fold(0, u64::wrapping_add));
    }
}

impl Machine<'_> {
    pub(crate) fn tracks_races(&self) -> bool {
        self.settings.races != RaceMode::Ignore
    }

    /// The thread learns what was released at `key`.
    pub(crate) fn acquire(&mut self, thread: ThreadId, key: u64) {
        if self.tracks_races() {
            let released = self.released_at(key);
            self.learn(thread, released);
        }
    }

    pub(crate) fn learn(&mut self, thread: ThreadId, clock: ClockId) {
        let core = &mut self.threads[thread.index()].core;
        core.clock = self.clocks.join(core.clock, clock);
    }

    /// What the thread knows, itself included; its time goes on.
    pub(crate) fn tell(&mut self, thread: ThreadId) -> ClockId {
        let core = &mut self.threads[thread.index()].core;
        let clock = self.clocks.with(core.clock, thread, core.time);
        core.time += 1;
        clock
    }

    /// Who acquires `key` learns what the thread knows now, besides what was released there before.
    pub(crate) fn release(&mut self, thread: ThreadId, key: u64) {
        if self.tracks_races() {
            let mine = self.tell(thread);
            let clock = self.clocks.join(mine, self.released_at(key));
            self.set_released(key, clock);
        }
    }

    pub(crate) fn released_at(&self, key: u64) -> ClockId {
        self.released.at(key)
    }

    pub(crate) fn set_released(&mut self, key: u64, clock: ClockId) {
        let (number, old) = self.released.set(key, clock);
        if self.memory.journal.on {
            self.memory.journal.log.push(Undo::Released { number, old });
        }
    }
}
