//! How passages are learnt from the machine.

use super::tables::{Ending, Needs, Passage, Sort, Spot, SpotId, Tables, Watch};
use super::{Crowd, MOST_THREADS, Recall, TRIAL, bit, is_remembered};
use crate::going_back::Mark;
use crate::journal::Undo;
use crate::machine::{End, Machine};
use crate::memory::{MOST_MEMORY, Mode};
use crate::sync::{MUTEX_SIZE, SPIN_SIZE};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_ir::address;
use gordian_trace::{Choice, Event, NO_CODE, OpKind, RaceMode, Wants};

/// A step that the machine has made.
pub struct Lesson<'m, 'p> {
    machine: &'m Machine<'p>,
    events: &'m [Event],
}

impl Lesson<'_, '_> {
    /// What the thread does in this step behind the event of this index, if it does anything.
    fn next_of(&self, thread: ThreadId, from: usize) -> Option<&Event> {
        self.events[from..].iter().find(|event| event.thread == thread)
    }
}

/// The part of a word that `size` bytes at `address` are: the word's address, the lowest bit and the mask.
fn part(address: u64, size: u32) -> Option<(u64, u8, u64)> {
    let from = address % 8;
    let is_within = (1..=8).contains(&size) && from + u64::from(size) <= 8;
    is_within.then(|| (address - from, 8 * from as u8, u64::MAX >> (64 - 8 * size)))
}

/// The bytes of a lock that tell who holds it, and how often.
fn lock_state(size: u32) -> Option<u32> {
    match size {
        MUTEX_SIZE => Some(8),
        SPIN_SIZE => Some(4),
        _ => None,
    }
}

impl Recall {
    fn new() -> Recall {
        Recall {
            tables: Tables::default(),
            stands: Vec::new(),
            cells: Vec::new(),
            crowd: Crowd::default(),
            changes: Vec::new(),
            moments: Vec::new(),
            choices: Vec::new(),
            listed: 0,
            marks: Vec::new(),
            end: None,
            n_recalled: 0,
            n_made: 0,
            is_given_up: false,
        }
    }

    /// The cell for the word at this address. What stands in one that is new has stood there all the time: otherwise it
    /// would have been written to, and have a cell.
    fn cell(&mut self, machine: &Machine<'_>, word: u64) -> Option<u32> {
        if let Some(known) = self.tables.cell(word) {
            return Some(known);
        }
        word_at(machine, word).map(|value| self.cell_with(word, value))
    }

    /// The same for a word of which it is known what stood there all the time.
    fn cell_with(&mut self, word: u64, value: u64) -> u32 {
        self.tables.cell(word).unwrap_or_else(|| {
            self.cells.push(value);
            self.tables.add_cell(word)
        })
    }

    /// The spot at which the thread stands now, if it is one that steps can be remembered from.
    fn spot_of(&mut self, machine: &Machine<'_>, thread: ThreadId) -> Option<SpotId> {
        let core = &machine.threads[thread.index()].core;
        if core.atomic > 0 || core.cancel_pending || core.copying != 0 {
            return None;
        }
        let nothing = Wants { kind: OpKind::Yield, size: 0, address: 0, at: NO_CODE };
        match core.park {
            Park::Unborn => Some(self.tables.add_spot(Spot::new(Sort::Unborn, Needs::Never, nothing), &[])),
            Park::Ended => {
                let sort = Sort::Ended { result: core.result };
                Some(self.tables.add_spot(Spot::new(sort, Needs::Never, nothing), &[]))
            }
            Park::Joining { target, result } => {
                let sort = Sort::Joining { target, takes: result != 0 };
                Some(self.tables.add_spot(Spot::new(sort, Needs::Never, machine.wants(thread)?), &[]))
            }
            Park::Before(wants) if is_remembered(wants.kind) => self.spot_before(machine, thread, wants),
            _ => None,
        }
    }

    fn spot_before(&mut self, machine: &Machine<'_>, thread: ThreadId, wants: Wants) -> Option<SpotId> {
        let mut spot = Spot::new(Sort::Operation, Needs::Nothing, wants);
        let size = match wants.kind {
            OpKind::Yield => 0,
            OpKind::Lock | OpKind::TryLock | OpKind::Unlock => {
                if machine.is_timed(thread) || machine.is_unusual_lock(wants.address, wants.size) {
                    return None;
                }
                lock_state(wants.size)?
            }
            _ => wants.size,
        };
        if size > 0 {
            let word;
            (word, spot.shift, spot.mask) = part(wants.address, size)?;
            spot.cell = self.cell(machine, word)?;
            let is_blind = matches!(wants.kind, OpKind::Write | OpKind::AtomicWrite);
            spot.looks_at = if is_blind { 0 } else { spot.mask };
        }
        if wants.kind == OpKind::Lock {
            spot.needs = Needs::Lock;
        }
        let mut watches = Vec::new();
        for watch in machine.watches_of(thread) {
            let (word, shift, mask) = part(watch.address, u32::from(watch.size))?;
            let cell = self.cell(machine, word)?;
            let (address, size, place, seen) = (watch.address, u32::from(watch.size), watch.place, watch.seen);
            watches.push(Watch { address, size, place, seen, cell, shift, mask });
        }
        if !watches.is_empty() {
            spot.needs = Needs::Change;
        }
        Some(self.tables.add_spot(spot, &watches))
    }

    /// Where the thread gets to by what it does up to the event of this index.
    fn spot_after(&mut self, lesson: &Lesson<'_, '_>, thread: ThreadId, from: usize) -> Option<SpotId> {
        match lesson.next_of(thread, from) {
            // It goes on at once because the other has ended, and would wait otherwise.
            Some(&Event { kind: OpKind::Join, address, other, at, .. }) => {
                let sort = Sort::Joining { target: ThreadId(address as u32), takes: other != 0 };
                let wants = Wants { kind: OpKind::Join, size: 0, address, at };
                Some(self.tables.add_spot(Spot::new(sort, Needs::Never, wants), &[]))
            }
            Some(_) => None,
            None => self.spot_of(lesson.machine, thread),
        }
    }

    /// The passage that the events of the lesson from this index on show.
    pub(super) fn learn_passage(
        &mut self,
        lesson: &Lesson<'_, '_>,
        thread: ThreadId,
        key: u64,
        from: usize,
    ) -> Option<Passage> {
        let at = self.stands[thread.index()];
        let spot = *self.tables.spot(at);
        let rest = &lesson.events[from..];
        let begins_with_join = matches!(spot.sort, Sort::Joining { .. });
        let is_here = |event: &&Event| event.thread == thread && event.kind != OpKind::Join;
        let skipped = usize::from(begins_with_join);
        let n = skipped + rest.get(skipped..)?.iter().take_while(is_here).count();
        let events = &rest[..n];
        if events.iter().any(|event| event.alone || event.unsure) {
            return None;
        }
        let mut operation = None;
        for (index, event) in events[skipped..].iter().enumerate() {
            match event.kind {
                OpKind::Watch | OpKind::Fence | OpKind::Exit => {}
                kind if is_remembered(kind) && operation.is_none() && !begins_with_join => {
                    operation = Some(skipped + index);
                }
                _ => return None,
            }
        }
        let mut passage = Passage {
            key,
            to: at,
            events: self.tables.add_events(events),
            written: 0,
            writes: false,
            replaces: false,
            operation: 0,
        };
        if begins_with_join {
            let Event { thread: joiner, kind, .. } = *events.first()?;
            if joiner != thread || kind != OpKind::Join {
                return None;
            }
        } else {
            let index = operation?;
            let event = &events[index];
            passage.operation = index as u16;
            passage.replaces = matches!(event.kind, OpKind::Write | OpKind::AtomicWrite);
            passage.writes = spot.has_cell();
            passage.written = left_by(event, thread, key);
        }
        passage.to = self.spot_after(lesson, thread, from + n)?;
        Some(self.tables.add_passage(at, passage))
    }

    /// The ending that the events of the lesson from this index on show.
    pub(super) fn learn_ending(
        &mut self,
        lesson: &Lesson<'_, '_>,
        thread: ThreadId,
        key: u64,
        from: usize,
    ) -> Option<Ending> {
        let Some(End::Exit(status)) = lesson.machine.end else { return None };
        let rest = &lesson.events[from..];
        if rest.iter().any(|event| event.thread != thread || matches!(event.kind, OpKind::Create | OpKind::File)) {
            return None;
        }
        let heard = &lesson.machine.heard;
        let is_silent = |event: &Event| matches!(event.kind, OpKind::Join | OpKind::ProcessExit);
        let cells: Vec<u32> = if heard.is_all.get() || !rest.iter().all(is_silent) {
            (0..self.cells.len() as u32).collect()
        } else {
            heard.words.iter().map(|&(word, before)| self.cell_with(word, before)).collect()
        };
        let is_all = cells.len() == self.cells.len();
        let events = self.tables.add_events(rest);
        Some(self.tables.add_ending(self.stands[thread.index()], key, (cells, is_all), &self.cells, events, status))
    }

    /// Whether all cells are as the machine has them.
    fn agrees_with(&self, machine: &Machine<'_>) -> bool {
        let is_same = |(word, cell): (u64, u32)| word_at(machine, word) == Some(self.cells[cell as usize]);
        let stands = (0..machine.threads.len() as u32).map(ThreadId);
        self.choices == machine.choices()
            && self.tables.cells().all(is_same)
            && stands.into_iter().all(|thread| self.wants(thread) == machine.wants(thread))
    }
}

/// What the operation leaves in its part of the cell, in which it found `key`.
fn left_by(event: &Event, thread: ThreadId, key: u64) -> u64 {
    let held = |count: u64| match (count, event.size) {
        (0, _) => 0,
        (_, SPIN_SIZE) => u64::from(thread.0 + 1),
        _ => u64::from(thread.0 + 1) | count << 32,
    };
    match event.kind {
        OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::CasOk => event.value,
        OpKind::Lock | OpKind::TryLock => held(event.value),
        OpKind::Unlock if event.value != u64::MAX => held(event.value),
        _ => key,
    }
}

/// What stands in the word of memory that others can see.
fn word_at(machine: &Machine<'_>, word: u64) -> Option<u64> {
    let object = machine.memory.object(word).filter(|object| object.mode == Mode::Shared)?;
    let offset = address::offset(word);
    (offset < u64::from(object.size)).then(|| machine.memory.load_at(object.at() + offset as usize, 8))
}

impl Machine<'_> {
    /// Whether what threads do depends on nothing but what visible operations find.
    pub(super) fn may_remember(&self) -> bool {
        let settings = &self.settings;
        let is_plain = settings.races == RaceMode::Ignore
            && !settings.spurious_wakeups
            && !settings.weak_cas_fails
            && !settings.uninitialised
            && !settings.leaks
            && settings.native.is_empty();
        is_plain && self.end.is_none() && !self.symbolic.is_fresh() && self.threads.len() <= MOST_THREADS
    }

    pub(super) fn begin_recall(&mut self) -> Option<Recall> {
        let mut recall = Recall::new();
        for thread in (0..self.threads.len() as u32).map(ThreadId) {
            let spot = recall.spot_of(self, thread)?;
            recall.stands.push(spot);
            let Spot { sort, needs, .. } = *recall.tables.spot(spot);
            recall.crowd.note(thread, sort, needs);
            let core = &self.threads[thread.index()].core;
            if sort != Sort::Unborn && !(core.park == Park::Ended && core.joined) {
                recall.crowd.present |= bit(thread);
            }
        }
        recall.look_at_dependents();
        (self.inputs.is_empty() && recall.agrees_with(self)).then_some(recall)
    }

    /// Remembers the step that was made since the mark was taken.
    pub(super) fn remember(&mut self, choice: Choice, before: Mark) {
        let Some(mut recall) = self.recall.take() else { return };
        let depth = self.schedule.len() - 1;
        recall.n_made += 1;
        if recall.n_made >= TRIAL {
            recall.is_given_up = recall.n_recalled < recall.n_made;
            (recall.n_recalled, recall.n_made) = (0, 0);
        }
        recall.begin();
        let lesson = Lesson { machine: self, events: &self.events[before.events..] };
        let mut events = Vec::with_capacity(lesson.events.len());
        let is_learnt = choice.variant == 0
            && !recall.tables.is_full()
            && self.is_plain_since(&before)
            && recall.go(choice.thread, &mut events, Some(&lesson)).is_some()
            && events == lesson.events
            && recall.end == self.end
            && (self.end.is_some() || recall.agrees_with(self));
        if !is_learnt {
            recall.take_back(depth);
        }
        self.recall = Some(recall);
    }

    /// Whether nothing happened since the mark was taken that is not remembered.
    fn is_plain_since(&self, before: &Mark) -> bool {
        matches!(self.end, None | Some(End::Exit(_)))
            && self.inputs.is_empty()
            && self.findings.len() == before.findings as usize
            && self.notes.len() == before.notes as usize
            && self.publications.len() == before.publications as usize
            && self.hidden_changes == before.hidden_changes
            && self.threads.len() <= MOST_THREADS
            && self.memory.used() < MOST_MEMORY / 2
            && !self.memory.journal.log[before.log..].iter().any(|undo| matches!(undo, Undo::Files))
    }
}
