//! The present execution as a partial order: its steps with their footprints and vector clocks, and the
//! races between them.

use super::about_to::simple_operation;
use super::footprint::{FootprintId, Footprints};
use super::location::{Access, Mode};
use super::states::States;
use super::tie::Tie;
use super::touch::{AccessEffect, Touch, Touches};
use super::transition::{Coverage, Transition};
use crate::Observers;
use gordian_base::{ClockId, Clocks, Id, ThreadId};
use gordian_engine::Visibility;
use gordian_trace::{Choice, Event, Hidden, OpKind, Wants};

mod levels;
mod races;

pub(crate) use levels::Level;
use races::Conflict;
pub(crate) use races::RaceQuery;
pub use races::{Race, Second};

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
    /// What it touches depends on what it finds: a library call that reads a string, or writes one.
    pub(crate) varies: bool,
    /// What it finds may decide where its thread goes on.
    pub(crate) finds: bool,
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
    pub varies: bool,
    pub finds: bool,
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
            varies: false,
            finds: false,
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

/// Whether an operation may come to several ends, so that what its thread does next depends on when it comes. Who takes or gives up a lock or a unit finds nothing, unless the mutex
/// is robust, or is taken again, or there may be no room.
#[deny(clippy::wildcard_enum_match_arm)]
fn finds_something(event: &Event) -> bool {
    use OpKind::*;
    match event.kind {
        Lock => event.varies || event.value > 1,
        ReadLock | SemWait => event.varies,
        Unlock => event.varies || event.value == OpKind::NOT_HELD,
        SemPost => event.varies || event.value > OpKind::MANY_UNITS,
        // Who creates a key is told its number, and who moves the clock on is told the time.
        Change => gets_key(event) || Hidden::of(event.address) == Some(Hidden::Clock),
        Exit | Create | Free | Cancelled => false,
        Read | AtomicRead | Write | AtomicWrite | Rmw | RmwSame | CasOk | CasFail | Fence | Watch => true,
        LockTimeout | TryLock | TryLockFail | TryReadLock | TryReadLockFail | MutexInit | MutexDestroy | Abandon
        | Consistent | OnceEnter | OnceDone => true,
        Wait | WaitEnd | Woken | Wake | Signal | Broadcast | CondInit | CondDestroy => true,
        SemInit | SemTimeout | SemTryWait | SemTryWaitFail | SemGet | SemDestroy => true,
        BarrierInit | BarrierArrive | BarrierLeave | BarrierDestroy => true,
        Join | Detach | Cancel | Yield | Sleep | AtomicBegin | AtomicEnd | File | Random | ProcessExit | Look
        | Unlogged | Branch => true,
    }
}

/// Whether what an operation touches depends on what it finds.
fn touches_as_it_finds(event: &Event) -> bool {
    match event.kind {
        // Without the failure it would have touched something else, and an exchange that fails publishes nothing.
        OpKind::Unlogged => event.other != 0,
        // Which key or descriptor it gets depends on who came before.
        OpKind::Change => gets_key(event),
        OpKind::File => event.address == 0 || event.varies,
        kind => event.varies && kind.is_access(),
    }
}

fn gets_key(event: &Event) -> bool {
    Hidden::of(event.address) == Some(Hidden::Keys)
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
    /// The step that cut the execution short by a failure, with what inputs decided about it. It is no part of [`History::without`]: nothing comes after it.
    pub cut_short_at: Option<usize>,
    pub visibility: Visibility,
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
            cut_short_at: None,
            visibility: Visibility::default(),
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

    /// The paper's `notdep(e, E)`: what was made after the first step of the race and does not happen after it, to the very end of the execution; then
    /// `second`. What comes after the second step belongs to it: without that, a step of the sleep set could seem to cover
    /// the sequence although what follows depends on it. All but `second` are among the first so many steps that it gives.
    #[inline]
    pub fn without(&self, race: Race, second: Transition, sequence: &mut Vec<Transition>) -> usize {
        sequence.clear();
        if race.overtakes_readers || race.second == Second::Watching {
            return self.without_more(race, second, sequence);
        }
        let mut end = 0;
        for (index, step) in self.lasting(race.first) {
            sequence.push(step.label);
            end = index + 1;
        }
        sequence.push(second);
        end
    }

    /// What was made after a step and does not happen after it, nor ended the execution.
    #[inline]
    fn lasting(&self, first: u32) -> impl Iterator<Item = (usize, &Step)> {
        let end = self.cut_short_at.unwrap_or(usize::MAX);
        self.unordered(first, first as usize + 1).take_while(move |(index, _)| *index < end)
    }

    /// The same where the second step must not come after others, either.
    #[cold]
    fn without_more(&self, race: Race, second: Transition, sequence: &mut Vec<Transition>) -> usize {
        let mut end = 0;
        let readers = if race.overtakes_readers { self.all_readers_since(race, second) } else { Vec::new() };
        for (index, step) in self.lasting(race.first) {
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
        let n_before = self.n_events(self.steps.len()).expect("the state was arrived at");
        if tie.is_some() || self.footprints.is_relaxed || !self.push_plain(choice, &events[n_before..]) {
            self.push_any(choice, events, n_before, wants, tie);
        }
    }

    /// The same for a step of any sort; `n_before` of the events came before it.
    #[inline(never)]
    fn push_any(&mut self, choice: Choice, events: &[Event], n_before: usize, wants: Option<Wants>, tie: Tie) {
        let (before_it, events) = events.split_at(n_before);
        let index = self.steps.len() as u32;
        let mut touches = self.touches.take().expect("it was put back");
        touches.of_step(choice, events, wants, self.is_within_section(choice.thread));
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
        let of = RaceQuery { thread, touches: &touches.list[..n_touches], footprint, enabled_by, could_precede };
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
        let simple = if is_section { None } else { simple_operation(choice, events, before_it, wants) };
        let about_to = simple.map_or(FootprintId::NONE, |access| self.intern_access(access));
        let decides = wants.is_some_and(|wants| wants.kind == OpKind::Branch);
        let mut own = events.iter().filter(|event| event.thread == thread);
        let varies = own.clone().any(touches_as_it_finds)
            || own.clone().next().is_none() && wants.is_some_and(|wants| wants.varies);
        let finds = own.any(finds_something);
        let sort = Sort { decides, is_section, stays_within, varies, finds, about_to, ..Sort::default() };
        self.end_step(begun, clock, footprint, sort);
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
        let Sort { decides, is_section, stays_within, is_plain, varies, finds, about_to, is_solo } = sort;
        let Choice { thread, variant } = choice;
        let coverage = Coverage::of_variants(self.has_variants(thread, self.steps.len() as u32));
        let label = Transition { thread, variant: Some(variant), coverage, footprint };
        self.steps.push(Step {
            choice,
            decides,
            is_section,
            stays_within,
            is_plain,
            varies,
            finds,
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

    /// Forgets all steps and states.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.states.truncate(0);
        self.races.clear();
    }

    /// Whether a thread stands within an atomic section, the rest of which comes with its next step.
    fn is_within_section(&self, thread: ThreadId) -> bool {
        let last = self.threads.get(thread.index()).map_or(NONE, |state| state.last);
        self.steps.get(last as usize).is_some_and(|step| step.stays_within)
    }
}
