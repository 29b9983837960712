//! The present execution as a partial order: its steps with their footprints and vector clocks, and the
//! races between them.

use super::about_to::simple_operation;
use super::footprint::{Access, Class, FootprintId, Footprints, Location, Mode, Transition};
use super::states::States;
use super::tie::Tie;
use super::touch::{AccessEffect, EnabledBy, EnabledIf, Touch, Touches};
use crate::Observers;
use gordian_base::{ClockId, Clocks, Id, ThreadId};
use gordian_engine::Ended;
use gordian_trace::{Choice, Event, Hidden, OpKind, Wants};

pub(crate) const NONE: u32 = u32::MAX;

pub struct Step {
    pub choice: Choice,
    /// Inputs decide how its thread goes on, and nothing else happens.
    pub decides: bool,
    /// It is an atomic section, or a part of one that blocks: what it touches further on may depend on what it finds.
    pub is_section: bool,
    /// Its thread stands within an atomic section after it.
    pub(crate) stays_within: bool,
    /// It is one access, and turns out the same at any time.
    pub(crate) is_plain: bool,
    /// If its thread was about to make a simple operation, one access or the taking or giving up of a lock or a unit, whatever came behind that:
    /// what that touches. It would have made it at any time, unless one who takes the lock or the unit before keeps it from it.
    pub(crate) about_to: FootprintId,
    /// It knows of no steps of other threads.
    pub(crate) is_solo: bool,
    /// Its position among the steps of its thread, from 1.
    pub time: u32,
    /// What happens before it, itself included.
    pub clock: ClockId,
    /// Its thread, its variant and what it touches.
    pub label: Transition,
    /// Its thread before it.
    pub(crate) before: ThreadState,
    /// Lengths to go back to.
    pub(crate) n_records: u32,
    pub(crate) n_clocks: u32,
    pub(crate) n_saved: u32,
}

/// A step that is being added.
#[derive(Clone, Copy)]
pub(crate) struct Begun {
    choice: Choice,
    /// Its thread before it.
    pub before: ThreadState,
    n_records: u32,
    n_clocks: u32,
    pub n_saved: u32,
}

/// What sort of step it is: see [`Step`].
#[derive(Clone, Copy)]
pub(crate) struct Sort {
    pub decides: bool,
    pub is_section: bool,
    pub stays_within: bool,
    pub is_plain: bool,
    pub about_to: FootprintId,
    pub is_solo: bool,
}

impl Default for Sort {
    fn default() -> Self {
        Sort {
            decides: false,
            is_section: false,
            stays_within: false,
            is_plain: false,
            about_to: FootprintId::NONE,
            is_solo: false,
        }
    }
}

/// An access of a step, linked to the one before it at the same location.
pub(crate) struct Record {
    pub access: Access,
    pub slot: u32,
    pub step: u32,
    /// Of the step.
    pub thread: ThreadId,
    pub previous: u32,
    /// The newest up to this one that does more than read, for those who only read themselves.
    pub effective: u32,
    pub about: AccessEffect,
}

#[derive(Clone, Copy)]
pub(crate) struct ThreadState {
    /// What it knew when it stood up from its last step, or was created or let go on. What it has joined since is not
    /// part of it (see `joins`).
    pub clock: ClockId,
    pub time: u32,
    /// Its last step.
    pub last: u32,
    /// The step since which it stands where it stands: its own, or one that created it or let it go on.
    pub moved: u32,
    /// How many threads it, or who created it, has joined since its last step.
    pub n_joined: u32,
}

/// Two steps that could have happened in the other order.
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

/// The level of a lock or semaphore at some time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Level {
    Is(i32),
    /// No step has touched it.
    Untouched,
    /// Its bytes were written as memory.
    Overwritten,
}

fn is_about_cancellation(access: &Access) -> bool {
    let Location { address, class } = access.location;
    class == Class::Hidden && matches!(Hidden::of(address), Some(Hidden::Cancellation(_)))
}

/// A step that a new one depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Conflict {
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
pub(crate) struct Of<'a> {
    pub thread: ThreadId,
    pub touches: &'a [Touch],
    pub footprint: FootprintId,
    /// What let it happen, if it would have had to wait otherwise.
    pub enabled_by: &'a [EnabledBy],
    /// It awaits a value: the last step before which that would have been there, or [`NONE`].
    pub could_precede: u32,
}

impl Of<'_> {
    /// Whether it had to wait for a lock or a unit.
    fn waits(&self) -> bool {
        self.touches.iter().any(|touch| touch.needs != EnabledIf::Nothing)
    }
}

pub struct History {
    pub steps: Vec<Step>,
    pub clocks: Clocks,
    pub footprints: Footprints,
    pub(crate) states: States,
    pub(crate) threads: Vec<ThreadState>,
    /// By slot: its newest record.
    pub(crate) newest: Vec<u32>,
    pub(crate) records: Vec<Record>,
    /// States of other threads than a step's own to put back.
    pub(crate) saved: Vec<(ThreadId, ThreadState)>,
    /// Joins that happened in another thread's step: the step, who joined, whom.
    pub(crate) joined: Vec<(u32, ThreadId, ThreadId)>,
    /// Races of the steps, by the second, unless they were taken.
    pub races: Vec<Race>,
    /// Taken out while a step is added.
    touches: Option<Box<Touches>>,
    conflicts: Vec<Conflict>,
    /// The next step ends the execution with a failure.
    pub fails: bool,
    /// A step looked whether its thread is cancelled, or cancelled one.
    pub cancels: bool,
    /// At the end of an execution: simple steps that threads are still about to make.
    pub(crate) pending: Option<Vec<Transition>>,
    /// Steps that the next one was made to wait for: they happen before it, and cannot come after.
    pub(crate) awaited: Vec<u32>,
    /// By record of a blind write: the bytes in which somebody reads it. See the strategy `observers`.
    pub(crate) observed: Vec<u8>,
}

impl Default for History {
    fn default() -> Self {
        History {
            steps: Vec::new(),
            clocks: Clocks::new(),
            footprints: Footprints::default(),
            states: States::default(),
            threads: Vec::new(),
            newest: Vec::new(),
            records: Vec::new(),
            saved: Vec::new(),
            joined: Vec::new(),
            races: Vec::new(),
            touches: Some(Box::default()),
            conflicts: Vec::new(),
            fails: false,
            cancels: false,
            pending: None,
            awaited: Vec::new(),
            observed: Vec::new(),
        }
    }
}

impl History {
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    #[inline]
    pub(crate) fn state(&mut self, thread: ThreadId) -> &mut ThreadState {
        if self.threads.len() <= thread.index() {
            self.admit(thread);
        }
        &mut self.threads[thread.index()]
    }

    /// Steps that the thread has made.
    pub(crate) fn n_made(&self, thread: ThreadId) -> u32 {
        self.threads.get(thread.index()).map_or(0, |state| state.time)
    }

    #[cold]
    fn admit(&mut self, thread: ThreadId) {
        let unborn = ThreadState { clock: ClockId::default(), time: 0, last: NONE, moved: NONE, n_joined: 0 };
        self.threads.resize(thread.index() + 1, unborn);
    }

    #[inline]
    pub(crate) fn happens_before(&self, first: u32, clock: ClockId) -> bool {
        let step = &self.steps[first as usize];
        self.clocks.time(clock, step.choice.thread) >= step.time
    }

    /// Whether a step is `first` or happens after it.
    pub fn comes_after(&self, first: u32, step: u32) -> bool {
        self.happens_before(first, self.steps[step as usize].clock)
    }

    /// Steps from this index on that do not happen after `first`, an earlier one.
    #[inline]
    pub fn unordered(&self, first: u32, from: usize) -> impl Iterator<Item = (usize, &Step)> {
        let (thread, time) = (self.steps[first as usize].choice.thread, self.steps[first as usize].time);
        let steps = (from..).zip(&self.steps[from..]);
        steps.filter(move |(_, step)| self.clocks.time(step.clock, thread) < time)
    }

    /// What was made after the first step of the race and does not happen after it, to the very end of the execution, then
    /// `second`. What comes after the second step belongs to it: without that, a step that is asleep could seem to cover
    /// the sequence although what follows depends on it. All but `second` are among the first so many steps that it gives.
    #[inline]
    pub fn without(&self, race: Race, second: Transition, sequence: &mut Vec<Transition>) -> usize {
        sequence.clear();
        if race.overtakes_readers || race.second == Second::Watching {
            return self.without_more(race, second, sequence);
        }
        let mut end = 0;
        for (index, step) in self.unordered(race.first, race.first as usize + 1) {
            sequence.push(step.label);
            end = index + 1;
        }
        sequence.push(second);
        end
    }

    /// The same where the second step must not come after others, either.
    #[cold]
    fn without_more(&self, race: Race, second: Transition, sequence: &mut Vec<Transition>) -> usize {
        let mut end = 0;
        let readers = if race.overtakes_readers { self.all_readers_since(race, second) } else { Vec::new() };
        for (index, step) in self.unordered(race.first, race.first as usize + 1) {
            if readers.iter().any(|&reader| self.happens_before(reader, step.clock)) {
                continue;
            }
            // What keeps a watching thread waiting must not come before it: only what it has seen does.
            if race.second == Second::Watching && !self.has_seen(race.thread, index as u32) {
                continue;
            }
            sequence.push(step.label);
            end = index + 1;
        }
        sequence.push(second);
        end
    }

    /// Adds the step that made `choice` in the state last arrived at, and notes its races with earlier steps. `events` are
    /// all of the execution; `wants` tells what the step was about to do, in case it failed before it did.
    #[inline(always)]
    pub fn push(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>) {
        self.push_tied(choice, events, wants, Tie::default());
    }

    /// As [`History::push`], for a step that may be tied to others.
    #[inline(always)]
    pub fn push_tied(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>, tie: Tie) {
        let events = &events[self.n_events(self.steps.len()).expect("the state was arrived at")..];
        if tie.is_some() || self.footprints.is_relaxed || !self.push_plain(choice, events) {
            self.push_any(choice, events, wants, tie);
        }
    }

    #[inline(never)]
    fn push_any(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>, tie: Tie) {
        let index = self.steps.len() as u32;
        let mut touches = self.touches.take().expect("it was put back");
        touches.of_step(choice, events, wants, self.is_within_section(choice.thread));
        self.cancels |= touches.list.iter().any(|touch| is_about_cancellation(&touch.access));
        if self.fails && touches.stays_within {
            touches.depend_on_all();
        }
        let begun = self.begin_step(choice);
        let (thread, before) = (choice.thread, begun.before);
        self.begin_clock(before.clock);
        if before.n_joined > 0 {
            touches.add_joins(self.joined_since(thread, before.last));
            self.add_joined(thread);
        }
        let n_touches = touches.list.len();
        let footprint = self.tie(&mut touches, tie);
        let could_precede = self.step_of_awaited(touches.awaits);
        let enabled_by = &touches.enabled_by;
        let of = Of { thread, touches: &touches.list[..n_touches], footprint, enabled_by, could_precede };
        let ends = match touches.has_waited_to_exit {
            true => Some(false),
            false => touches.depends_on_all().then_some(true),
        };
        self.find_races(of, ends, Second::Step(index));
        let clock = self.finish_clock(begun);
        for &effect in &touches.effects {
            self.take_effect(effect, index, clock, begun.n_saved);
        }
        for (nth, &Touch { access, about, .. }) in touches.list[..n_touches].iter().enumerate() {
            self.add_record(access, about, self.footprints.slots(footprint)[nth], index, thread);
        }
        let (is_section, stays_within) = (touches.is_section, touches.stays_within);
        self.touches = Some(touches);
        let simple = if is_section { None } else { simple_operation(choice, events, wants) };
        let about_to = simple.map_or(FootprintId::NONE, |access| self.intern_access(access));
        let decides = wants.is_some_and(|wants| wants.kind == OpKind::Branch);
        self.end_step(begun, clock, footprint, Sort { decides, is_section, stays_within, about_to, ..Sort::default() });
    }

    #[inline(always)]
    pub(crate) fn begin_step(&mut self, choice: Choice) -> Begun {
        Begun {
            choice,
            before: *self.state(choice.thread),
            n_records: self.records.len() as u32,
            n_clocks: self.clocks.extent() as u32,
            n_saved: self.saved.len() as u32,
        }
    }

    /// The clock of the step, which its thread has from now on.
    #[inline(always)]
    pub(crate) fn finish_clock(&mut self, Begun { choice: Choice { thread, .. }, before, .. }: Begun) -> ClockId {
        let (index, time) = (self.steps.len() as u32, before.time + 1);
        let clock = self.clocks.finish_at(thread, time);
        self.threads[thread.index()] = ThreadState { clock, time, last: index, moved: index, n_joined: 0 };
        clock
    }

    #[inline(always)]
    pub(crate) fn end_step(&mut self, begun: Begun, clock: ClockId, footprint: FootprintId, sort: Sort) {
        let Begun { choice, before, n_records, n_clocks, n_saved } = begun;
        let Sort { decides, is_section, stays_within, is_plain, about_to, is_solo } = sort;
        let Choice { thread, variant } = choice;
        let is_one_variant_of_several = self.is_one_variant_of_several(thread, self.steps.len() as u32);
        let label = Transition { thread, variant: Some(variant), is_one_variant_of_several, footprint };
        self.steps.push(Step {
            choice,
            decides,
            is_section,
            stays_within,
            is_plain,
            about_to,
            is_solo,
            time: before.time + 1,
            clock,
            label,
            before,
            n_records,
            n_clocks,
            n_saved,
        });
    }

    /// The draft of the clock of a step whose thread has this one.
    #[inline]
    pub(crate) fn begin_clock(&mut self, clock: ClockId) {
        self.clocks.begin(clock);
        for &step in &self.awaited {
            self.clocks.add(self.steps[step as usize].clock);
        }
    }

    /// The clock under way learns what a step knows.
    #[inline]
    pub(crate) fn add_clock_of(&mut self, step: u32) {
        let Step { choice, is_solo, time, clock, .. } = self.steps[step as usize];
        if is_solo {
            self.clocks.add_time(choice.thread, time);
        } else {
            self.clocks.add(clock);
        }
    }

    /// Whether a thread knows of no steps of others.
    #[inline]
    pub(crate) fn is_solo(&self, state: &ThreadState) -> bool {
        let is_as_left =
            || self.steps.get(state.last as usize).is_some_and(|step| step.is_solo && step.clock == state.clock);
        state.n_joined == 0 && (state.clock == ClockId::default() || is_as_left())
    }

    /// Gives the footprint with what ties the step to others, behind what races are looked for. The step that it had to wait
    /// for happens before it, and cannot come after.
    #[inline]
    fn tie(&mut self, touches: &mut Touches, tie: Tie) -> FootprintId {
        touches.add_tie(tie);
        if let Some((_, step)) = tie.after {
            self.clocks.add(self.steps[step as usize].clock);
        }
        self.intern(touches)
    }

    #[inline(always)]
    pub(crate) fn add_record(&mut self, access: Access, about: AccessEffect, slot: u32, step: u32, thread: ThreadId) {
        let new = self.records.len() as u32;
        let previous = std::mem::replace(&mut self.newest[slot as usize], new);
        let effective = match self.records.get(previous as usize) {
            Some(previous) if access.mode == Mode::Read => previous.effective,
            None if access.mode == Mode::Read => NONE,
            _ => new,
        };
        self.records.push(Record { access, slot, step, thread, previous, effective, about });
    }

    #[inline]
    fn intern(&mut self, touches: &mut Touches) -> FootprintId {
        let footprint = touches.intern(&mut self.footprints);
        self.make_room_for_slots();
        footprint
    }

    #[inline]
    pub(crate) fn make_room_for_slots(&mut self) {
        if self.newest.len() < self.footprints.n_slots() {
            self.newest.resize(self.footprints.n_slots(), NONE);
        }
    }

    /// The footprint of a step that did not fail.
    pub(crate) fn footprint_of(&mut self, choice: Choice, events: &[Event]) -> FootprintId {
        let mut touches = self.touches.take().expect("it was put back");
        touches.of_step(choice, events, None, false);
        let footprint = self.intern(&mut touches);
        self.touches = Some(touches);
        footprint
    }

    /// Takes the newest steps back until `len` are left; the state behind them stays.
    pub fn truncate(&mut self, len: usize) {
        self.take_back(len);
        self.states.truncate(len + 1);
    }

    /// As [`History::truncate`], and the states that came then stay as well.
    pub(crate) fn take_back(&mut self, len: usize) {
        self.pending = None;
        if let Some(&Step { n_records, n_clocks, .. }) = self.steps.get(len) {
            for record in self.records[n_records as usize..].iter().rev() {
                self.newest[record.slot as usize] = record.previous;
            }
            self.records.truncate(n_records as usize);
            self.clocks.truncate(n_clocks as usize);
        }
        for step in self.steps.iter().skip(len).rev() {
            while self.saved.len() > step.n_saved as usize {
                let (thread, state) = self.saved.pop().expect("there is a saved state");
                self.threads[thread.index()] = state;
            }
            self.threads[step.choice.thread.index()] = step.before;
        }
        self.steps.truncate(len);
        while self.joined.last().is_some_and(|joined| joined.0 as usize >= len) {
            self.joined.pop();
        }
        let is_left = |race: &Race| matches!(race.second, Second::Step(second) if (second as usize) < len);
        while self.races.last().is_some_and(|race| !is_left(race)) {
            self.races.pop();
        }
    }

    /// Writes that nobody reads are not ordered.
    pub(crate) fn be_relaxed(&mut self, observers: Observers) {
        self.footprints.is_relaxed = true;
        self.touches.as_mut().expect("it was put back").observers = observers;
    }

    /// Whether the access, the `nth` of a new step, overwrites what was written before and is read itself.
    #[cold]
    fn is_read_over(&self, record: &Record, access: &Access, nth: usize) -> bool {
        let observed = self.observed.get(self.records.len() + nth).copied().unwrap_or(0);
        let is_write = access.is_blind();
        is_write && record.access.bytes & access.bytes & observed != 0
    }

    /// Forgets all steps and states.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.states.truncate(0);
        self.races.clear();
    }

    /// Notes the races of a thread that is blocked at the end, with those who block it, and gives the step that it would
    /// make.
    pub fn find_races_of_blocked(&mut self, thread: ThreadId, ended: &Ended<'_>) -> Transition {
        self.find_races_of_tied(thread, ended, Tie::default())
    }

    /// As [`History::find_races_of_blocked`], for a step that may be tied to others.
    pub fn find_races_of_tied(&mut self, thread: ThreadId, ended: &Ended<'_>, tie: Tie) -> Transition {
        self.find_races_of_pending(thread, tie, |touches| touches.of_blocked(thread, ended))
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
            let of = Of { thread, touches: &touches.list[..n_touches], footprint, enabled_by: &[], could_precede };
            let second = if of.waits() { Second::Blocked } else { Second::Watching };
            self.find_races(of, None, second);
            self.clocks.drop_draft();
        }
        self.touches = Some(touches);
        if self.is_within_section(thread) {
            footprint = self.footprints.guess(footprint);
        }
        Transition { thread, variant: None, is_one_variant_of_several: false, footprint }
    }

    /// Whether a thread stands within an atomic section, the rest of which comes with its next step.
    fn is_within_section(&self, thread: ThreadId) -> bool {
        let last = self.threads.get(thread.index()).map_or(NONE, |state| state.last);
        self.steps.get(last as usize).is_some_and(|step| step.stays_within)
    }

    /// Whether what is touched is the control of a routine that has run already, so that nobody runs it any more.
    fn has_been_run(&self, touches: &Touches, footprint: FootprintId) -> bool {
        if touches.list.len() != 1 || !touches.is_once {
            return false;
        }
        let newest = self.newest[self.footprints.slots(footprint)[0] as usize];
        let newest = self.records.get(newest as usize).map(|record| record.about);
        matches!(newest, Some(AccessEffect::Level { before, change, .. }) if before + change == 0)
    }

    /// Notes the races of a step, and adds everything that happens before it to the draft of its clock. If it depends on all others, `ends` says
    /// whether it could have come before them.
    pub(crate) fn find_races(&mut self, of: Of<'_>, ends: Option<bool>, second: Second) {
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
    fn would_be_met(&self, of: Of<'_>, first: u32, second: Second) -> bool {
        of.touches.iter().zip(self.footprints.slots(of.footprint)).all(|(touch, &slot)| match touch.needs {
            EnabledIf::Nothing | EnabledIf::Value => true,
            needs => match self.level_without(slot, touch.access.bytes, first) {
                Level::Is(level) => needs.met_by(level),
                Level::Untouched => matches!(second, Second::Step(_)),
                Level::Overwritten => true,
            },
        })
    }

    /// The level of a lock or semaphore in these bytes once `first` and all that happens after it are taken away.
    pub(crate) fn level_without(&self, slot: u32, bytes: u8, first: u32) -> Level {
        if self.is_written_behind(slot) {
            return Level::Overwritten;
        }
        let mut next = self.newest[slot as usize];
        let (mut changes, mut level) = (0i32, None);
        while next != NONE {
            let record = &self.records[next as usize];
            next = record.previous;
            if record.access.bytes & bytes == 0 {
                continue;
            }
            let AccessEffect::Level { before, change, .. } = record.about else {
                let is_taken_away = record.step >= first
                    && (record.step == first || self.happens_before(first, self.steps[record.step as usize].clock));
                if record.access.mode == Mode::Read || is_taken_away {
                    continue;
                }
                return Level::Overwritten;
            };
            level = Some(before);
            if record.step < first {
                level = Some(before + change);
                break;
            }
            if record.step == first {
                break;
            }
            if !self.happens_before(first, self.steps[record.step as usize].clock) {
                changes = changes.saturating_add(change);
            }
        }
        level.map_or(Level::Untouched, |level| Level::Is(level.saturating_add(changes)))
    }

    /// Whether a step wrote to a part of the object in this slot that has a slot of its own.
    #[inline]
    fn is_written_behind(&self, slot: u32) -> bool {
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
    fn could_overtake_readers(&self, of: Of<'_>, nth: usize, first: &Record) -> bool {
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

    /// What made a waiting thread go on could have been either of two steps that are not ordered: each can be overtaken
    /// if the other comes first.
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
    fn could_come_before(&self, of: Of<'_>, first: u32) -> bool {
        if of.enabled_by.is_empty() {
            self.could_overtake(of.thread, first)
        } else {
            self.is_enabled_without(of, first)
        }
    }

    #[cold]
    fn is_enabled_without(&self, of: Of<'_>, first: u32) -> bool {
        let slot = |nth: usize| self.footprints.slots(of.footprint)[nth];
        of.enabled_by.iter().any(|&by| match by {
            EnabledBy::Unit { nth, already } => {
                match self.level_without(slot(nth), of.touches[nth].access.bytes, first) {
                    Level::Is(level) => EnabledIf::Unit.met_by(level),
                    Level::Untouched => already,
                    Level::Overwritten => true,
                }
            }
            EnabledBy::Change { nth, already } => {
                let mut changes = self.changes_of(slot(nth)).peekable();
                if changes.peek().is_none() {
                    return already;
                }
                changes.any(|change| !self.happens_before(first, self.steps[change as usize].clock))
            }
        })
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

    /// The steps that a touch depends on directly, newest first, and whether their order could be reversed; `waits` if its
    /// step had to wait for a lock or a unit.
    #[inline]
    fn conflicts_of(&self, of: Of<'_>, nth: usize, waits: bool, second: Second, found: &mut Vec<Conflict>) {
        let slot = self.footprints.slots(of.footprint)[nth];
        self.conflicts_in(slot, of, nth, waits, second, found);
        for &other in self.footprints.overlapping(slot) {
            self.conflicts_in(other, of, nth, waits, second, found);
        }
    }

    /// The same for the accesses of one slot.
    #[inline]
    fn conflicts_in(&self, slot: u32, of: Of<'_>, nth: usize, waits: bool, second: Second, found: &mut Vec<Conflict>) {
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
                passable = if of.touches[nth].needs == EnabledIf::Value {
                    // What it found stands there since the last write. Before others it found what they overwrote.
                    found_writer |= record.access.mode != Mode::Read;
                    if found_writer { record.step == of.could_precede } else { matches!(second, Second::Step(_)) }
                } else if waits {
                    self.would_be_met(of, record.step, second)
                } else {
                    self.could_come_before(of, record.step)
                };
                let overtakes_readers =
                    waits && !passable && !found_readers && self.could_overtake_readers(of, nth, record);
                found_readers |= overtakes_readers || passable;
                let reversible = passable || overtakes_readers;
                // It may have been a plain write that made it possible.
                let is_guess = waits && passable && !matches!(record.about, AccessEffect::Level { .. });
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
