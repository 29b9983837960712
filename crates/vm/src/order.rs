//! The order that synchronisation gives: what threads tell and learn, as vector clocks.

use crate::journal::Undo;
use crate::machine::Machine;
use gordian_base::{ClockId, Id, ThreadId};
use gordian_trace::RaceMode;

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
        self.released.get(&key).copied().unwrap_or_default()
    }

    pub(crate) fn set_released(&mut self, key: u64, clock: ClockId) {
        let old = self.released.insert(key, clock).unwrap_or_default();
        if self.memory.journal.on {
            self.memory.journal.log.push(Undo::Released { key, old });
        }
    }
}
