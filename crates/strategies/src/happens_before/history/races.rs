//! The races of a step: those it depends on directly, and which of them it could have come before.

use super::levels::{Level, Possible};
use super::{History, NONE, Record};
use crate::happens_before::about_to::{may_be_cancelled_at, may_fail};
use crate::happens_before::footprint::FootprintId;
use crate::happens_before::location::{Access, Class, Mode};
use crate::happens_before::tie::Tie;
use crate::happens_before::touch::{AccessEffect, EnabledBy, EnabledIf, Touch, Touches, plain_access};
use crate::happens_before::transition::{Coverage, Transition};
use gordian_base::ThreadId;
use gordian_engine::Ended;
use gordian_trace::{Hidden, Wants};

/// A reversible race of the papers: two dependent steps with none between them in the happens-before order, of which the second could have come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub first: u32,
    /// The thread of the second.
    pub thread: ThreadId,
    pub second: Second,
    /// The second waits for a lock, and overtakes all who took it for reading from the first on.
    pub overtakes_readers: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    Step(u32),
    /// The thread is blocked at the end, for want of a lock or a unit.
    Blocked,
    /// The thread waits at the end for a change of what it has read.
    Watching,
}

/// A step that a new one depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Conflict {
    step: u32,
    /// Whether the new one could have come first.
    reversible: bool,
    /// See [`Race::overtakes_readers`].
    overtakes_readers: bool,
    /// Whether that is a guess: what the new one needs may have come about by this step, so that it could have come first only before an older one.
    is_guess: bool,
}

/// A step whose races are looked for.
#[derive(Clone, Copy)]
pub(crate) struct RaceQuery<'a> {
    pub thread: ThreadId,
    pub touches: &'a [Touch],
    pub footprint: FootprintId,
    /// What let it happen, if it would have had to wait otherwise.
    pub enabled_by: &'a [EnabledBy],
    /// It awaits a value: the last step before which that would have been there, or [`NONE`].
    pub could_precede: u32,
}

impl RaceQuery<'_> {
    /// Whether it had to wait for a lock or a unit.
    fn waits(&self) -> bool {
        self.touches.iter().any(|touch| touch.needs != EnabledIf::Nothing)
    }
}

impl History {
    /// Notes the races of a thread that is blocked at the end, with those who block it, and gives the step that it would
    /// make.
    pub fn find_races_of_blocked(&mut self, thread: ThreadId, ended: &Ended<'_>) -> Transition {
        self.find_races_of_tied(thread, ended, Tie::default())
    }

    /// As [`History::find_races_of_blocked`], for a step that may be tied to others.
    pub fn find_races_of_tied(&mut self, thread: ThreadId, ended: &Ended<'_>, tie: Tie) -> Transition {
        let mut second = self.find_races_of_pending(thread, tie, |touches| touches.of_blocked(thread, ended));
        if self.visibility.cancellation && ended.wants(thread).is_some_and(may_be_cancelled_at) {
            second.footprint = self.with_look_for_cancellation(second);
        }
        if self.pending_may_turn_out_otherwise(thread, ended) {
            second.footprint = self.footprints.guess(second.footprint);
        }
        second
    }

    /// What a pending step touches at a cancellation point: what its thread looks at first belongs to a guess (see Lemma 5 in `dpor/planning.rs`).
    fn with_look_for_cancellation(&mut self, step: Transition) -> FootprintId {
        let mut footprint = self.footprints.get(step.footprint).clone();
        let look = Hidden::Cancellation(step.thread).address();
        footprint.accesses.push(plain_access(look, Class::Hidden, Mode::Read));
        let footprint = self.footprints.intern(&footprint);
        self.make_room_for_slots();
        footprint
    }

    /// Whether a pending step may touch something else than the lock or unit that it is taken to wait for: it is told that it cannot have it, or finds another
    /// state; or it may be the last of its thread, which others see.
    fn pending_may_turn_out_otherwise(&self, thread: ThreadId, ended: &Ended<'_>) -> bool {
        let varies = |wants: Wants| wants.varies || may_fail(thread, wants, ended.events);
        self.visibility.ends || ended.wants(thread).is_some_and(varies)
    }

    /// As for a blocked thread, for one that could go on.
    pub fn find_races_of_waiting(&mut self, thread: ThreadId, ended: &Ended<'_>) -> Transition {
        self.find_races_of_pending(thread, Tie::default(), |touches| touches.of_waiting(thread, ended))
    }

    fn find_races_of_pending(&mut self, thread: ThreadId, tie: Tie, fill: impl FnOnce(&mut Touches)) -> Transition {
        let mut touches = self.touches.take().expect("it was put back");
        fill(&mut touches);
        let last = self.state(thread).last;
        touches.add_joins(self.joined_since(thread, last));
        let mut footprint = self.intern(&mut touches);
        if self.has_been_run(&touches, footprint) {
            touches.list[0].access.mode = Mode::Read;
            footprint = self.intern(&mut touches);
        }
        if !touches.list.is_empty() {
            let clock = self.state(thread).clock;
            self.begin_clock(clock);
            self.add_joined(thread);
            let n_touches = touches.list.len();
            footprint = self.tie(&mut touches, tie);
            let could_precede = self.step_of_awaited(touches.awaits);
            let of =
                RaceQuery { thread, touches: &touches.list[..n_touches], footprint, enabled_by: &[], could_precede };
            let second = if of.waits() { Second::Blocked } else { Second::Watching };
            self.find_races(of, None, second);
            self.clocks.drop_draft();
        }
        self.touches = Some(touches);
        if self.is_within_section(thread) {
            footprint = self.footprints.guess(footprint);
        }
        Transition { thread, variant: None, coverage: Coverage::Independent, footprint }
    }

    /// Whether what is touched is the control of a routine that has run already, so that nobody runs it any more.
    fn has_been_run(&self, touches: &Touches, footprint: FootprintId) -> bool {
        if touches.list.len() != 1 || !touches.is_once {
            return false;
        }
        let slot = self.footprints.slots(footprint)[0];
        if self.is_written_behind(slot) {
            return false;
        }
        let newest = self.newest[slot as usize];
        let newest = self.records.get(newest as usize).map(|record| record.about);
        matches!(newest, Some(AccessEffect::Level { before, change, .. }) if before + change == 0)
    }

    /// Notes the races of a step, and adds everything that happens before it to the draft of its clock. If it depends on all others, `ends` says
    /// whether it could have come before them.
    ///
    /// *Lemma.* Conflicting steps are gone through from the newest to the oldest. If the draft knows of one already, it happens before a newer one that the step
    /// races with, so it is no race: a step stands between. Steps that could not have come after (the unlock that let a lock happen) join the draft
    /// only at the end: before that, they would hide the race with what they made up for (the lock before that unlock). The same goes for a guess.
    pub(crate) fn find_races(&mut self, of: RaceQuery<'_>, ends: Option<bool>, second: Second) {
        let mut conflicts = std::mem::take(&mut self.conflicts);
        conflicts.clear();
        let waits = of.waits();
        for nth in 0..of.touches.len() {
            self.conflicts_of(of, nth, waits, second, &mut conflicts);
        }
        if let Some(reversible) = ends {
            let lasts = self.threads.iter().map(|state| state.last).filter(|&last| last != NONE);
            let foreign = lasts.filter(|&last| self.steps[last as usize].choice.thread != of.thread);
            let conflict = |step| Conflict { step, reversible, overtakes_readers: false, is_guess: false };
            conflicts.extend(foreign.map(conflict));
        }
        if conflicts.len() > 1 {
            // Those of one touch come newest first, unless they are of several locations.
            if of.touches.len() > 1 || ends.is_some() || !conflicts.is_sorted_by(|a, b| a.step >= b.step) {
                conflicts.sort_unstable_by(|a, b| b.cmp(a));
            }
            conflicts.dedup_by_key(|conflict| conflict.step);
            if !waits && of.enabled_by.is_empty() {
                self.reconsider_wakings(&mut conflicts);
            }
        }
        for &Conflict { step: first, reversible, overtakes_readers, is_guess } in &conflicts {
            let step = &self.steps[first as usize];
            if reversible && self.clocks.draft_time(step.choice.thread) < step.time {
                self.races.push(Race { first, second, thread: of.thread, overtakes_readers });
                if !is_guess {
                    self.add_clock_of(first);
                }
            }
        }
        for &Conflict { step, reversible, is_guess, .. } in &conflicts {
            if !reversible || is_guess {
                self.add_clock_of(step);
            }
        }
        self.conflicts = conflicts;
    }

    /// Whether what the step needs is there once `first` and all that happens after it are taken away.
    fn would_be_met(&self, of: RaceQuery<'_>, first: u32, second: Second) -> Possible {
        let met = |(touch, &slot): (&Touch, &u32)| match touch.needs {
            EnabledIf::Nothing | EnabledIf::Value => Possible::Yes,
            needs => match self.level_without(slot, touch.access.bytes, first) {
                Level::Is(level) => needs.met_by(level).into(),
                Level::Untouched => matches!(second, Second::Step(_)).into(),
                Level::Overwritten => Possible::Unknown,
            },
        };
        of.touches.iter().zip(self.footprints.slots(of.footprint)).map(met).min().unwrap_or(Possible::Yes)
    }

    /// What made a waiting thread go on could have been either of two steps that are not ordered: each can be overtaken
    /// if the other comes first. This asks only whether they are unordered, not whether the other one would have done: a plan that cannot be made is given up
    /// where it fails, which costs the steps up to there and loses nothing.
    fn reconsider_wakings(&self, conflicts: &mut [Conflict]) {
        if conflicts.iter().all(|conflict| conflict.reversible) {
            return;
        }
        for index in 0..conflicts.len() {
            let Conflict { step: first, reversible, .. } = conflicts[index];
            let step = &self.steps[first as usize];
            let unordered = |other: &Conflict| {
                !self.happens_before(first, self.steps[other.step as usize].clock)
                    && !self.happens_before(other.step, step.clock)
            };
            conflicts[index].reversible = reversible || conflicts.iter().any(unordered);
        }
    }

    /// Whether the step could have been made before `first`. One that would have to wait could if something lets it happen that does not come
    /// after `first`, whether or not that had come by then.
    #[inline]
    fn could_come_before(&self, of: RaceQuery<'_>, first: u32) -> Possible {
        if of.enabled_by.is_empty() {
            self.could_overtake(of.thread, first).into()
        } else {
            self.is_enabled_without(of, first)
        }
    }

    /// Whether the access, the `nth` of a new step, overwrites what was written before and is read itself.
    #[cold]
    fn is_read_over(&self, record: &Record, access: &Access, nth: usize) -> bool {
        let observed = self.observed.get(self.records.len() + nth).copied().unwrap_or(0);
        let is_write = access.is_blind();
        is_write && record.access.bytes & access.bytes & observed != 0
    }

    /// The steps that a touch depends on directly, newest first, and whether their order could be reversed; `waits` if its
    /// step had to wait for a lock or a unit.
    #[inline]
    fn conflicts_of(&self, of: RaceQuery<'_>, nth: usize, waits: bool, second: Second, found: &mut Vec<Conflict>) {
        let slot = self.footprints.slots(of.footprint)[nth];
        self.conflicts_in(slot, of, nth, waits, second, found);
        for &other in self.footprints.overlapping(slot) {
            self.conflicts_in(other, of, nth, waits, second, found);
        }
    }

    /// The same for the accesses of one slot.
    #[inline]
    fn conflicts_in(
        &self,
        slot: u32,
        of: RaceQuery<'_>,
        nth: usize,
        waits: bool,
        second: Second,
        found: &mut Vec<Conflict>,
    ) {
        let access = &of.touches[nth].access;
        // Who reads need not look at others who do.
        let from = |number: u32| match self.records.get(number as usize) {
            Some(record) if access.mode == Mode::Read => record.effective,
            _ => number,
        };
        let mut next = from(self.newest[slot as usize]);
        let (mut found_readers, mut found_writer) = (false, false);
        while next != NONE {
            let record = &self.records[next as usize];
            let foreign = record.thread != of.thread;
            let overlaps = record.access.overlaps(access);
            let mut passable = true;
            let conflicts = record.access.mode.conflicts(access.mode)
                || self.footprints.is_relaxed && overlaps && self.is_read_over(record, access, nth);
            if overlaps && foreign && conflicts {
                // One that made the access possible, such as an unlock, is followed back to what had made it
                // impossible.
                let possible = if of.touches[nth].needs == EnabledIf::Value {
                    // What it found stands there since the last write. Before others it found what they overwrote.
                    found_writer |= record.access.mode != Mode::Read;
                    let is_possible =
                        if found_writer { record.step == of.could_precede } else { matches!(second, Second::Step(_)) };
                    is_possible.into()
                } else if waits {
                    self.would_be_met(of, record.step, second)
                } else {
                    self.could_come_before(of, record.step)
                };
                let is_level = matches!(record.about, AccessEffect::Level { .. });
                // Its holder takes a mutex again without waiting, whoever overwrites it in between.
                let is_own = possible == Possible::No
                    && waits
                    && !is_level
                    && self.is_held_by(slot, access.bytes, record.step, of.thread);
                let possible = if is_own { Possible::Unknown } else { possible };
                passable = possible != Possible::No;
                let overtakes_readers =
                    waits && !passable && !found_readers && self.could_overtake_readers(of, nth, record);
                found_readers |= overtakes_readers || passable;
                let reversible = passable || overtakes_readers;
                // It may have been a plain write that made it possible.
                let is_guess = passable && (possible == Possible::Unknown || waits && !is_level);
                found.push(Conflict { step: record.step, reversible, overtakes_readers, is_guess });
                passable &= !is_guess;
            }
            let covers = record.access.location == access.location
                && access.bytes & !record.access.bytes == 0
                && access.words <= record.access.words;
            if record.access.mode == Mode::Write && covers && passable {
                break;
            }
            next = from(record.previous);
        }
    }
}
