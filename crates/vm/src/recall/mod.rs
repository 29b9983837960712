//! What threads did before is remembered and not done again.
//!
//! What a thread does from one place where it parks to the next depends on nothing but how it got there and what its
//! operation finds: what others can change is looked at in visible operations only. Executions of one search differ in
//! the order of steps, and the same few stretches of threads come back in nearly all of them. So a search lets the
//! machine fall behind: a step whose outcome is known is told from memory, with the same events and the same choices
//! after it, and nothing is run. When something comes that was not seen before, the machine catches up by making the
//! steps that it left out, makes the new one, and what it did is remembered.
//!
//! Remembered are
//! - *spots*: where a thread parks, together with all that it has seen on its way there;
//! - *passages* from one spot to the next, by what the operation finds;
//! - *endings*: what the last thread does when it is alone, by all that stands in the cells then;
//! - *cells*: the words of memory that visible operations are about, with what stands in them now.
//!
//! Steps that do anything beyond this (that create threads, publish objects, free, wait for conditions…) are made by
//! the machine, and so is all that follows them, until the search goes back to before them. Every new passage is
//! tried at once: if remembering does not give the very events and choices that the machine gave, it is not used.

mod heard;
mod learn;
mod tables;

use crate::going_back::Mark;
use crate::machine::{End, Machine};
use gordian_base::{Id, ThreadId};
use gordian_trace::{Choice, Event, OpKind, Wants};
pub use heard::Heard;
use learn::Lesson;
use tables::{Needs, Sort, SpotId, Tables};

/// Threads are kept in sets of 64 bits.
const MOST_THREADS: usize = 64;
/// Steps after which it is looked whether remembering is worth it.
const TRIAL: u64 = 1 << 40;

/// A state of the execution, before the step of the same index.
#[derive(Clone, Copy)]
struct Moment {
    n_changes: u32,
    crowd: Crowd,
}

/// Sets of threads, a bit each.
#[derive(Clone, Copy, Default)]
struct Crowd {
    /// They can step.
    ready: u64,
    /// Whether they can depends on what stands in a cell.
    dependent: u64,
    joining: u64,
    ended: u64,
    /// Those that have ended and were joined are gone.
    present: u64,
}

/// Something to put back.
#[derive(Clone, Copy)]
enum Change {
    Cell { cell: u32, old: u64 },
    Stand { thread: u32, old: SpotId },
}

pub struct Recall {
    tables: Tables,
    /// By thread: where it stands.
    stands: Vec<SpotId>,
    /// By number: what stands in the cell.
    cells: Vec<u64>,
    crowd: Crowd,
    changes: Vec<Change>,
    /// By depth. If there are fewer than steps, the rest was made by the machine alone.
    moments: Vec<Moment>,
    choices: Vec<Choice>,
    /// The set that `choices` lists.
    listed: u64,
    /// By depth: the way back for the machine, which has made so many steps.
    marks: Vec<Mark>,
    end: Option<End>,
    /// Steps since it was last looked whether remembering is worth it.
    n_recalled: u64,
    n_made: u64,
    is_given_up: bool,
}

#[inline]
fn bit(thread: ThreadId) -> u64 {
    1 << thread.index()
}

/// The lowest thread of a set.
#[inline]
fn lowest(set: u64) -> Option<ThreadId> {
    (set != 0).then(|| ThreadId(set.trailing_zeros()))
}

impl Recall {
    fn n_made(&self) -> usize {
        self.marks.len()
    }

    /// Whether what stands in the cells and where threads stand is known after so many steps.
    fn is_lost(&self, depth: usize) -> bool {
        self.moments.len() < depth || self.is_given_up
    }

    pub fn choices(&self) -> &[Choice] {
        &self.choices
    }

    pub fn wants(&self, thread: ThreadId) -> Option<Wants> {
        let spot = self.tables.spot(*self.stands.get(thread.index())?);
        matches!(spot.sort, Sort::Operation | Sort::Joining { .. }).then_some(spot.wants)
    }

    /// The places that a thread watches, as [`Machine::watched`] has it.
    pub fn watched(&self, thread: ThreadId) -> impl Iterator<Item = (u64, u32, u64)> {
        let watches = self.stands.get(thread.index()).map_or(&[][..], |&spot| self.tables.watches(spot));
        watches.iter().map(|watch| (watch.address, watch.size, watch.place))
    }

    fn begin(&mut self) {
        self.moments.push(Moment { n_changes: self.changes.len() as u32, crowd: self.crowd });
    }

    /// Goes back to the state after so many steps, if it is further.
    fn take_back(&mut self, depth: usize) {
        let Some(&Moment { n_changes, crowd }) = self.moments.get(depth) else { return };
        while self.changes.len() > n_changes as usize {
            match self.changes.pop().expect("there are more changes") {
                Change::Cell { cell, old } => self.cells[cell as usize] = old,
                Change::Stand { thread, old } => self.stands[thread as usize] = old,
            }
        }
        self.crowd = crowd;
        self.moments.truncate(depth);
        self.list_choices();
    }

    fn list_choices(&mut self) {
        if self.listed == self.crowd.ready {
            return;
        }
        self.listed = self.crowd.ready;
        self.choices.clear();
        let mut left = self.listed;
        while let Some(thread) = lowest(left) {
            self.choices.push(Choice { thread, variant: 0 });
            left &= left - 1;
        }
    }

    #[inline]
    fn set_cell(&mut self, cell: u32, value: u64) {
        let old = std::mem::replace(&mut self.cells[cell as usize], value);
        if old != value {
            self.changes.push(Change::Cell { cell, old });
        }
    }

    #[inline]
    fn move_to(&mut self, thread: ThreadId, to: SpotId) {
        let old = std::mem::replace(&mut self.stands[thread.index()], to);
        self.changes.push(Change::Stand { thread: thread.0, old });
        self.crowd.note(thread, self.tables.spot(to).sort, self.tables.spot(to).needs);
    }

    /// Makes a step from memory: adds its events, and says whether all of it was known. What was not is learnt from the
    /// lesson, if there is one.
    fn go(&mut self, thread: ThreadId, events: &mut Vec<Event>, lesson: Option<&Lesson<'_, '_>>) -> Option<()> {
        self.end = None;
        let at = self.stands[thread.index()];
        let spot = *self.tables.spot(at);
        let found = if spot.has_cell() { self.cells[spot.cell as usize] } else { 0 };
        let key = found >> spot.shift & spot.looks_at;
        let passage = match self.tables.passage(at, key) {
            Some(passage) => passage,
            None => self.learn_passage(lesson?, thread, key, events.len())?,
        };
        let first = events.len();
        events.extend_from_slice(self.tables.events(passage.events));
        if passage.replaces {
            events[first + usize::from(passage.operation)].other = found >> spot.shift & spot.mask;
        }
        if passage.writes {
            let rest = found & !(spot.mask << spot.shift);
            self.set_cell(spot.cell, rest | passage.written << spot.shift);
        }
        self.move_to(thread, passage.to);
        self.join(thread, events, lesson)?;
        while self.end.is_none() {
            let Some(next) = self.next_to_join() else { break };
            self.join(next, events, lesson)?;
        }
        self.look_at_dependents();
        (self.crowd.ready != 0 || self.end.is_some()).then_some(())
    }

    /// Lets the thread go on while it waits for the end of threads that have ended.
    #[inline]
    fn join(&mut self, thread: ThreadId, events: &mut Vec<Event>, lesson: Option<&Lesson<'_, '_>>) -> Option<()> {
        while self.crowd.joining & bit(thread) != 0 && self.end.is_none() {
            let at = self.stands[thread.index()];
            let Sort::Joining { target, takes } = self.tables.spot(at).sort else { unreachable!("it waits to join") };
            if self.crowd.ended & bit(target) == 0 {
                return Some(());
            }
            if self.crowd.present & bit(target) == 0 {
                // It was joined already, which is a mistake.
                return None;
            }
            self.crowd.present &= !bit(target);
            let key = if takes { self.tables.result(self.stands[target.index()]) } else { 0 };
            if self.crowd.present.count_ones() == 1 {
                return self.end_alone(thread, key, events, lesson);
            }
            let passage = match self.tables.passage(at, key) {
                Some(passage) => passage,
                None => self.learn_passage(lesson?, thread, key, events.len())?,
            };
            events.extend_from_slice(self.tables.events(passage.events));
            self.move_to(thread, passage.to);
        }
        Some(())
    }

    /// The thread is the last one: tells what it does to the end.
    fn end_alone(
        &mut self,
        thread: ThreadId,
        key: u64,
        events: &mut Vec<Event>,
        lesson: Option<&Lesson<'_, '_>>,
    ) -> Option<()> {
        let at = self.stands[thread.index()];
        let ending = match self.tables.ending(at, key, &self.cells) {
            Some(ending) => ending,
            None => self.learn_ending(lesson?, thread, key, events.len())?,
        };
        events.extend_from_slice(self.tables.events(ending.events));
        self.end = Some(End::Exit(ending.status));
        Some(())
    }

    /// The first thread whose waiting for another's end is over.
    #[inline]
    fn next_to_join(&self) -> Option<ThreadId> {
        let mut left = self.crowd.joining;
        while let Some(thread) = lowest(left) {
            if let Sort::Joining { target, .. } = self.tables.spot(self.stands[thread.index()]).sort
                && self.crowd.ended & bit(target) != 0
            {
                return Some(thread);
            }
            left &= left - 1;
        }
        None
    }

    #[inline]
    fn look_at_dependents(&mut self) {
        let mut left = self.crowd.dependent;
        while let Some(thread) = lowest(left) {
            left &= left - 1;
            if self.is_ready(thread) {
                self.crowd.ready |= bit(thread);
            } else {
                self.crowd.ready &= !bit(thread);
            }
        }
        self.list_choices();
    }

    fn is_ready(&self, thread: ThreadId) -> bool {
        let at = self.stands[thread.index()];
        let spot = self.tables.spot(at);
        match spot.needs {
            Needs::Nothing => true,
            Needs::Never => false,
            Needs::Lock => {
                let owner = (self.cells[spot.cell as usize] >> spot.shift) as u32;
                owner == 0 || owner == thread.0 + 1
            }
            Needs::Change => self.tables.watches(at).iter().any(|watch| watch.has_changed(&self.cells)),
        }
    }
}

impl Crowd {
    #[inline]
    fn note(&mut self, thread: ThreadId, sort: Sort, needs: Needs) {
        let me = bit(thread);
        let set = |set: &mut u64, is_in: bool| *set = if is_in { *set | me } else { *set & !me };
        set(&mut self.ready, needs == Needs::Nothing);
        set(&mut self.dependent, matches!(needs, Needs::Lock | Needs::Change));
        set(&mut self.joining, matches!(sort, Sort::Joining { .. }));
        set(&mut self.ended, matches!(sort, Sort::Ended { .. }));
    }
}

impl Machine<'_> {
    /// From here on steps that were made before are told from memory. Searches want that, which go back again and again.
    pub fn remember_steps(&mut self) {
        if self.may_remember() {
            self.recall = self.begin_recall().map(Box::new);
        }
    }

    /// As [`Machine::step`], if steps are remembered.
    pub(crate) fn step_or_recall(&mut self, choice: Choice) {
        let depth = self.schedule.len();
        let is_lost = self.recall().is_lost(depth);
        if !is_lost && choice.variant == 0 && self.recall_step(choice) {
            return;
        }
        self.catch_up();
        let mark = self.full_mark();
        self.recall_mut().marks.push(mark);
        if is_lost {
            self.make_step(choice);
            return;
        }
        self.listen();
        self.make_step(choice);
        self.stop_listening();
        self.remember(choice, mark);
    }

    fn recall(&self) -> &Recall {
        self.recall.as_ref().expect("steps are remembered")
    }

    fn recall_mut(&mut self) -> &mut Recall {
        self.recall.as_mut().expect("steps are remembered")
    }

    /// Tells the step from memory if all of it is known.
    fn recall_step(&mut self, choice: Choice) -> bool {
        let depth = self.schedule.len();
        if depth as u64 + 1 >= self.settings.max_steps {
            return false;
        }
        let Machine { recall: Some(recall), events, .. } = self else { unreachable!("steps are remembered") };
        let n_events = events.len();
        recall.begin();
        if recall.go(choice.thread, events, None).is_none() {
            recall.take_back(depth);
            events.truncate(n_events);
            return false;
        }
        recall.n_recalled += 1;
        self.end = recall.end.take();
        self.step_starts.push(n_events as u32);
        self.schedule.push(choice);
        self.is_ahead = true;
        true
    }

    /// Makes the steps that were told from memory.
    fn catch_up(&mut self) {
        if !std::mem::take(&mut self.is_ahead) {
            return;
        }
        let made = self.recall().n_made();
        let steps = self.schedule.split_off(made);
        let events = self.events.split_off(self.step_starts[made] as usize);
        self.step_starts.truncate(made);
        self.end = None;
        let first = self.events.len();
        for choice in steps {
            let mark = self.full_mark();
            self.recall_mut().marks.push(mark);
            self.make_step(choice);
        }
        assert!(self.events[first..] == events, "steps that were told from memory went otherwise");
    }

    /// As [`Machine::undo_to`], to the state after so many steps, if steps are remembered.
    pub(crate) fn undo_recalled(&mut self, depth: usize) {
        let recall = self.recall.as_mut().expect("steps are remembered");
        recall.take_back(depth);
        if let Some(&mark) = recall.marks.get(depth) {
            recall.marks.truncate(depth);
            self.is_ahead = false;
            self.undo_to_mark(mark);
            return;
        }
        self.is_ahead = recall.n_made() < depth;
        if let Some(&n_events) = self.step_starts.get(depth) {
            self.events.truncate(n_events as usize);
        }
        self.step_starts.truncate(depth);
        self.schedule.truncate(depth);
        self.end = None;
    }
}

/// Operations that a passage may begin with.
fn is_remembered(kind: OpKind) -> bool {
    kind.is_access() || matches!(kind, OpKind::Lock | OpKind::TryLock | OpKind::TryLockFail | OpKind::Unlock | OpKind::Yield)
}

impl Drop for Recall {
    fn drop(&mut self) {
        eprintln!("recalled {} made {} given up {} {}", self.n_recalled, self.n_made, self.is_given_up, self.tables.stats());
    }
}
