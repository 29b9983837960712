//! The present execution as a partial order: its steps with their footprints and vector clocks, and the
//! races between them.

use super::footprint::{Access, Effect, Locations, Mode, Needs};
use super::wakeup::{Label, Sequence};
use gordian_base::{ClockId, Clocks, Id, ThreadId};
use gordian_trace::{Choice, Event, Wants};
use smallvec::SmallVec;
use std::rc::Rc;

const NONE: u32 = u32::MAX;

pub struct Step {
    pub choice: Choice,
    /// Its position among the steps of its thread, from 1.
    pub time: u32,
    /// What happens before it, itself included.
    pub clock: ClockId,
    /// Its thread, its variant and what it touches.
    pub label: Label,
    /// What could have been chosen instead.
    pub choices: SmallVec<[Choice; 8]>,
    /// Lengths to go back to.
    n_records: u32,
    n_clocks: u32,
    n_saved: u32,
}

/// An access of a step, linked to the one before it at the same location.
struct Record {
    access: Access,
    step: u32,
    previous: u32,
}

#[derive(Clone, Copy)]
struct ThreadState {
    clock: ClockId,
    time: u32,
    /// Its last step.
    last: u32,
    /// The step since which it stands where it stands: its own, or one that created it or let it go on.
    moved: u32,
}

/// Two steps that could have happened in the other order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    pub first: u32,
    /// The thread of the second.
    pub thread: ThreadId,
    pub second: Second,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Second {
    Step(u32),
    /// The thread is blocked at the end.
    Blocked,
}

pub struct History {
    pub steps: Vec<Step>,
    pub clocks: Clocks,
    pub locations: Locations,
    threads: Vec<ThreadState>,
    /// By location: its newest record.
    newest: Vec<u32>,
    records: Vec<Record>,
    /// Thread states to put back.
    saved: Vec<(ThreadId, ThreadState)>,
    /// Joins that happened in another thread's step: the step, who joined, whom.
    joined: Vec<(u32, ThreadId, ThreadId)>,
    /// Races of the steps added, not yet taken.
    pub races: Vec<Race>,
    conflicts: Vec<(u32, bool)>,
}

impl Default for History {
    fn default() -> Self {
        History {
            steps: Vec::new(),
            clocks: Clocks::new(),
            locations: Locations::default(),
            threads: Vec::new(),
            newest: Vec::new(),
            records: Vec::new(),
            saved: Vec::new(),
            joined: Vec::new(),
            races: Vec::new(),
            conflicts: Vec::new(),
        }
    }
}

impl History {
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    fn state(&mut self, thread: ThreadId) -> &mut ThreadState {
        if self.threads.len() <= thread.index() {
            let unborn = ThreadState { clock: ClockId::default(), time: 0, last: NONE, moved: NONE };
            self.threads.resize(thread.index() + 1, unborn);
        }
        &mut self.threads[thread.index()]
    }

    fn save(&mut self, thread: ThreadId) {
        let state = *self.state(thread);
        self.saved.push((thread, state));
    }

    pub fn happens_before(&self, first: u32, clock: ClockId) -> bool {
        let step = &self.steps[first as usize];
        self.clocks.time(clock, step.choice.thread) >= step.time
    }

    /// What was made between the steps of the race and does not happen after the first, then `second`. What blocks a blocked
    /// thread must not come before it: only what it has seen does.
    pub fn without<'a>(&'a self, race: Race, second: &'a Label) -> Sequence<'a> {
        let first = &self.steps[race.first as usize];
        let (thread, time) = (first.choice.thread, first.time);
        // What was made after the second step is still to be made otherwise, and the race not to be looked at again.
        let (end, seen) = match race.second {
            Second::Step(second) => (second as usize, None),
            Second::Blocked => (self.steps.len(), Some(self.threads[race.thread.index()].clock)),
        };
        let later = self.steps[race.first as usize + 1..end].iter();
        let apart = later.filter(|step| {
            self.clocks.time(step.clock, thread) < time
                && seen.is_none_or(|seen| self.clocks.time(seen, step.choice.thread) >= step.time)
        });
        apart.map(|step| &step.label).chain([second]).collect()
    }

    /// Adds the step that made `choice` and `events`, and notes its races with earlier steps.
    /// `wants` tells what it was about to do, in case it failed before it did.
    pub fn push(&mut self, choice: Choice, events: &[Event], choices: &[Choice], wants: Option<Wants>) {
        let mut footprint = self.locations.footprint(choice, events, wants);
        let (n_records, n_clocks, n_saved) =
            (self.records.len() as u32, self.clocks.n_clocks() as u32, self.saved.len() as u32);
        self.newest.resize(self.locations.len(), NONE);
        let index = self.steps.len() as u32;
        let thread = choice.thread;
        let ThreadState { clock: before, time, last, .. } = *self.state(thread);
        let mut clock = before;
        footprint.joins.extend(self.joined_since(thread, last));
        for &joined in &footprint.joins {
            let theirs = self.state(joined).clock;
            clock = self.clocks.join(clock, theirs);
        }
        clock = self.find_races(thread, &footprint.accesses, footprint.ends_process, Second::Step(index), clock);
        clock = self.clocks.with(clock, thread, time + 1);
        self.save(thread);
        *self.state(thread) = ThreadState { clock, time: time + 1, last: index, moved: index };
        for &effect in &footprint.effects {
            self.take_effect(effect, index, clock);
        }
        footprint.summarise();
        for &access in &footprint.accesses {
            let newest = &mut self.newest[access.location as usize];
            let previous = std::mem::replace(newest, self.records.len() as u32);
            self.records.push(Record { access, step: index, previous });
        }
        self.steps.push(Step {
            choice,
            time: time + 1,
            clock,
            label: Label { thread, variant: Some(choice.variant), footprint: Rc::new(footprint) },
            choices: choices.into(),
            n_records,
            n_clocks,
            n_saved,
        });
    }

    /// The threads whose end `thread` has waited for since its step `last`.
    fn joined_since(&self, thread: ThreadId, last: u32) -> impl Iterator<Item = ThreadId> {
        let recent = self.joined.iter().rev().take_while(move |joined| last == NONE || joined.0 >= last);
        recent.filter(move |joined| joined.1 == thread).map(|joined| joined.2)
    }

    fn take_effect(&mut self, effect: Effect, index: u32, clock: ClockId) {
        let (thread, learns) = match effect {
            Effect::Release(thread) => (thread, clock),
            Effect::Join { joiner, target } => {
                self.joined.push((index, joiner, target));
                (joiner, self.state(target).clock)
            }
            Effect::Create { creator, child } => {
                let ThreadState { clock, last, .. } = *self.state(creator);
                let inherited: SmallVec<[ThreadId; 4]> = self.joined_since(creator, last).collect();
                self.joined.extend(inherited.into_iter().map(|target| (index, child, target)));
                (child, clock)
            }
        };
        self.save(thread);
        let known = self.state(thread).clock;
        let both = self.clocks.join(known, learns);
        let state = self.state(thread);
        (state.clock, state.moved) = (both, index);
    }

    /// Takes the newest steps back until `len` are left.
    pub fn truncate(&mut self, len: usize) {
        while self.steps.len() > len {
            let step = self.steps.pop().expect("there is a step");
            while self.records.len() > step.n_records as usize {
                let record = self.records.pop().expect("there is a record");
                self.newest[record.access.location as usize] = record.previous;
            }
            while self.saved.len() > step.n_saved as usize {
                let (thread, state) = self.saved.pop().expect("there is a saved state");
                self.threads[thread.index()] = state;
            }
            while self.joined.last().is_some_and(|joined| joined.0 as usize >= self.steps.len()) {
                self.joined.pop();
            }
            self.clocks.truncate(step.n_clocks as usize);
        }
    }

    /// The races of a blocked thread, which would touch `accesses` if it could, with those who block it.
    pub fn find_races_of_blocked(&mut self, thread: ThreadId, accesses: &[Access]) {
        self.newest.resize(self.locations.len(), NONE);
        let clock = self.state(thread).clock;
        let n_clocks = self.clocks.n_clocks();
        self.find_races(thread, accesses, false, Second::Blocked, clock);
        self.clocks.truncate(n_clocks);
    }

    /// Notes the races of a step of `thread` with these accesses, and gives `clock` with everything added that
    /// happens before them.
    fn find_races(
        &mut self,
        thread: ThreadId,
        accesses: &[Access],
        ends: bool,
        second: Second,
        clock: ClockId,
    ) -> ClockId {
        let mut conflicts = std::mem::take(&mut self.conflicts);
        conflicts.clear();
        for access in accesses {
            self.conflicts_of(thread, access, &mut conflicts);
        }
        if ends {
            let lasts = self.threads.iter().map(|state| state.last).filter(|&last| last != NONE);
            conflicts.extend(
                lasts.filter(|&last| self.steps[last as usize].choice.thread != thread).map(|last| (last, true)),
            );
        }
        conflicts.sort_unstable_by(|a, b| b.cmp(a));
        conflicts.dedup_by_key(|conflict| conflict.0);
        if accesses.iter().all(|access| access.needs == Needs::Nothing) {
            self.reconsider_wakings(&mut conflicts);
        }
        let mut seen = clock;
        for &(first, reversible) in &conflicts {
            if !reversible || self.happens_before(first, seen) {
                continue;
            }
            self.races.push(Race { first, second, thread });
            seen = self.clocks.join(seen, self.steps[first as usize].clock);
        }
        for &(first, reversible) in &conflicts {
            if !reversible {
                seen = self.clocks.join(seen, self.steps[first as usize].clock);
            }
        }
        self.conflicts = conflicts;
        seen
    }

    /// Whether the thread was not blocked right before `first`, as far as that shows: if it has not moved since, it stood
    /// there already.
    fn could_overtake(&self, thread: ThreadId, first: u32) -> bool {
        let moved = self.threads[thread.index()].moved;
        let stood_there = moved == NONE || moved < first;
        !stood_there || self.steps[first as usize].choices.iter().any(|choice| choice.thread == thread)
    }

    /// What made a waiting thread go on could have been either of two steps that are not ordered: each can be overtaken
    /// if the other comes first.
    fn reconsider_wakings(&self, conflicts: &mut [(u32, bool)]) {
        for index in 0..conflicts.len() {
            let (first, reversible) = conflicts[index];
            let step = &self.steps[first as usize];
            let unordered = |&(other, _): &(u32, bool)| {
                !self.happens_before(first, self.steps[other as usize].clock) && !self.happens_before(other, step.clock)
            };
            conflicts[index].1 = reversible || conflicts.iter().any(unordered);
        }
    }

    /// The steps that an access depends on directly, newest first, and whether their order could be reversed.
    fn conflicts_of(&self, thread: ThreadId, access: &Access, found: &mut Vec<(u32, bool)>) {
        let mut next = self.newest[access.location as usize];
        while next != NONE {
            let record = &self.records[next as usize];
            let foreign = self.steps[record.step as usize].choice.thread != thread;
            let overlaps = record.access.bytes & access.bytes != 0;
            let mut passable = true;
            if overlaps && foreign && record.access.mode.conflicts(access.mode) {
                // One that made the access possible, such as an unlock, is followed back to what had made it
                // impossible.
                passable = record.access.met(access.needs) && self.could_overtake(thread, record.step);
                found.push((record.step, passable));
            }
            let covers = access.bytes & !record.access.bytes == 0;
            if record.access.mode == Mode::Write && covers && passable {
                break;
            }
            next = record.previous;
        }
    }
}
