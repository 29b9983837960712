//! Levels of locks and semaphores: what they would be without a step and all that happens after it.

use super::races::{Race, RaceQuery};
use super::{History, NONE, Record};
use crate::happens_before::location::Mode;
use crate::happens_before::operation::WRITER;
use crate::happens_before::touch::{AccessEffect, EnabledBy, EnabledIf, Touch};
use crate::happens_before::transition::Transition;
use gordian_base::ThreadId;

/// The level of a lock or semaphore at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Is(i32),
    /// No step has touched it.
    Untouched,
    /// Its bytes were written as memory.
    Overwritten,
}

/// Whether a step could have come before another one, by what it needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Possible {
    No,
    /// Bytes of the lock or semaphore were written as memory, so its level is not known.
    Unknown,
    Yes,
}

impl From<bool> for Possible {
    fn from(is_possible: bool) -> Self {
        if is_possible { Possible::Yes } else { Possible::No }
    }
}

impl History {
    /// The level of a lock or semaphore in these bytes once `first` and all that happens after it are taken away.
    pub(crate) fn level_without(&self, slot: u32, bytes: u8, first: u32) -> Level {
        if self.is_written_behind(slot) {
            return Level::Overwritten;
        }
        let mut next = self.newest[slot as usize];
        let (mut changes, mut level, mut is_known) = (0i32, None, true);
        while next != NONE {
            let record = &self.records[next as usize];
            next = record.previous;
            if record.access.bytes & bytes == 0 {
                continue;
            }
            let AccessEffect::Level { before, change, .. } = record.about else {
                let is_taken_away = record.step >= first
                    && (record.step == first || self.happens_before(first, self.steps[record.step as usize].clock));
                if record.access.mode == Mode::Read {
                    continue;
                }
                if !is_taken_away {
                    return Level::Overwritten;
                }
                // What it was before that, only an older operation tells.
                (level, is_known) = (None, false);
                continue;
            };
            level = Some(before);
            if record.step < first {
                level = Some(before + change);
                break;
            }
            if record.step == first {
                // Who gives up a lock is taken to have held it, which does not hold if others have overwritten it since.
                if before >= WRITER && self.is_overwritten_at(next) {
                    return Level::Overwritten;
                }
                break;
            }
            if !self.happens_before(first, self.steps[record.step as usize].clock) {
                changes = changes.saturating_add(change);
            }
        }
        match level {
            Some(level) => Level::Is(level.saturating_add(changes)),
            None if is_known => Level::Untouched,
            None => Level::Overwritten,
        }
    }

    /// Whether the newest operation on a lock in these bytes before the step of this index was made by a thread, which holds it since.
    pub(super) fn is_held_by(&self, slot: u32, bytes: u8, before: u32, thread: ThreadId) -> bool {
        let record = |at: u32| self.records.get(at as usize);
        let mut all = std::iter::successors(record(self.newest[slot as usize]), move |newer| record(newer.previous));
        let is_change = |record: &&Record| record.access.mode != Mode::Read && record.access.bytes & bytes != 0;
        let newest = all.find(|record| record.step < before && is_change(record));
        newest.is_some_and(|newest| {
            newest.thread == thread
                && matches!(newest.about, AccessEffect::Level { before, change, .. } if before + change > 0)
        })
    }

    /// Whether the newest change up to this record was a write to memory.
    fn is_overwritten_at(&self, record: u32) -> bool {
        let change = self.records.get(record as usize).and_then(|record| self.records.get(record.effective as usize));
        change.is_some_and(|change| !matches!(change.about, AccessEffect::Level { .. }))
    }

    /// Whether a step wrote to a part of the object in this slot that has a slot of its own.
    #[inline]
    pub(super) fn is_written_behind(&self, slot: u32) -> bool {
        self.footprints.overlapping(slot).iter().any(|&other| {
            let newest = self.records.get(self.newest[other as usize] as usize);
            newest.is_some_and(|newest| newest.effective != NONE)
        })
    }

    /// Those who took a lock for reading or gave it up, other than `thread`, from the step of this index on; newest first.
    fn readers_since(&self, slot: u32, bytes: u8, first: u32, thread: ThreadId) -> impl Iterator<Item = u32> {
        let record = |at: u32| self.records.get(at as usize);
        let all = std::iter::successors(record(self.newest[slot as usize]), move |newer| record(newer.previous));
        let since = all.take_while(move |record| record.step >= first);
        let shares = move |record: &&Record| {
            record.access.mode == Mode::Share && record.access.bytes & bytes != 0 && record.thread != thread
        };
        since.filter(shares).map(|record| record.step)
    }

    #[cold]
    pub(crate) fn all_readers_since(&self, race: Race, second: Transition) -> Vec<u32> {
        let accesses =
            self.footprints.get(second.footprint).accesses.iter().zip(self.footprints.slots(second.footprint));
        let locks = accesses.filter(|(access, _)| access.mode == Mode::Write);
        locks.flat_map(|(access, &slot)| self.readers_since(slot, access.bytes, race.first, race.thread)).collect()
    }

    /// Whether several readers keep a waiting thread from a lock, each of whom would do, and it could have come before all of
    /// them: whether the lock is free once those from `first` on, and all that happens after one of them, are taken away.
    #[cold]
    pub(super) fn could_overtake_readers(&self, of: RaceQuery<'_>, nth: usize, first: &Record) -> bool {
        let Touch { access, needs, .. } = of.touches[nth];
        if needs != EnabledIf::Free || first.access.mode != Mode::Share {
            return false;
        }
        let readers: Vec<u32> = self.readers_since(first.slot, access.bytes, first.step, of.thread).collect();
        let is_free = |&reader: &u32| {
            let step = &self.steps[reader as usize];
            self.clocks.draft_time(step.choice.thread) < step.time
        };
        let AccessEffect::Level { before: mut level, .. } = first.about else { return false };
        let mut next = self.newest[first.slot as usize];
        while next != NONE && self.records[next as usize].step > first.step {
            let record = &self.records[next as usize];
            next = record.previous;
            if record.access.bytes & access.bytes == 0 {
                continue;
            }
            let AccessEffect::Level { change, .. } = record.about else {
                if record.access.mode == Mode::Read {
                    continue;
                }
                return false;
            };
            let clock = self.steps[record.step as usize].clock;
            if !readers.iter().any(|&reader| self.happens_before(reader, clock)) {
                level += change;
            }
        }
        needs.met_by(level) && readers.iter().all(is_free)
    }

    #[cold]
    pub(super) fn is_enabled_without(&self, of: RaceQuery<'_>, first: u32) -> Possible {
        let slot = |nth: usize| self.footprints.slots(of.footprint)[nth];
        let by = |by: EnabledBy| match by {
            EnabledBy::Unit { nth, already } => {
                match self.level_without(slot(nth), of.touches[nth].access.bytes, first) {
                    Level::Is(level) => EnabledIf::Unit.met_by(level).into(),
                    Level::Untouched => already.into(),
                    Level::Overwritten => Possible::Unknown,
                }
            }
            EnabledBy::Change { nth, already } => {
                let mut changes = self.changes_of(slot(nth)).peekable();
                if changes.peek().is_none() {
                    return already.into();
                }
                changes.any(|change| !self.happens_before(first, self.steps[change as usize].clock)).into()
            }
        };
        of.enabled_by.iter().map(|&one| by(one)).max().unwrap_or(Possible::No)
    }

    /// The steps that have changed what is in a slot.
    fn changes_of(&self, slot: u32) -> impl Iterator<Item = u32> {
        let record = |at: u32| self.records.get(at as usize);
        let newest = record(self.newest[slot as usize]).and_then(|newest| record(newest.effective));
        let all = std::iter::successors(newest, move |newer| {
            record(newer.previous).and_then(|previous| record(previous.effective))
        });
        all.map(|record| record.step)
    }
}
