//! What threads did before is remembered and not done again.
//!
//! What a thread does from one place where it parks to the next depends on nothing but how it got there and what its
//! operation finds: what others can change is looked at in visible operations only. Executions of one search differ in
//! the order of steps, and the same few stretches of threads come back in nearly all of them. So a search lets the
//! machine fall behind: a step whose outcome is known is replayed from the memo, with the same events and the same choices
//! after it, and nothing is run. When something comes that was not seen before, the machine catches up by making the
//! steps that it left out, makes the new one, and what it did is remembered.
//!
//! Remembered are
//! - *spots*: where a thread parks, with all that its future depends on besides what others can change;
//! - *passages* from one spot to the next, by what the operation finds;
//! - *endings*: what the last thread does when it is alone, by what stands in the cells that it looks at;
//! - *cells*: the words of memory that visible operations are about, with what stands in them now.
//!
//! Steps that do anything beyond this (that create threads, publish objects, free, wait for conditions…) are made by
//! the machine, and so is all that follows them, until the search goes back to before them. Every new passage is
//! tried at once: if remembering does not give the very events and choices that the machine gave, it is not used.
//! Debug builds make every third of the replayed steps as well, and compare.
//!
//! Data races are looked for in every step: passages know what the step does to the order that synchronisation gives
//! (`orders.rs`). One that was not reported yet is left to the machine.

mod learn;
mod orders;
mod recorder;
mod replay;
mod spots;
mod tables;

use crate::backtrack::Mark;
use crate::machine::{End, Machine};
use gordian_base::{FxHashSet, Id, ThreadId};
use gordian_trace::{Choice, Event, OpKind, Wants};
use learn::ExecutedStep;
use orders::OrderMark;
pub use orders::{Knowledge, OrderStep};
pub use recorder::StepRecorder;
use tables::{Events, LocalStateId, Needs, Orders, Sets, Sort, Tables};

/// Threads are kept in sets of 64 bits.
const MOST_THREADS: usize = 64;
/// Steps after which it is looked whether remembering is worth it.
const TRIAL: u64 = 1 << 15;
/// Of debug builds: one of so many steps is checked.
const CHECKED: usize = 3;

/// A state of the execution, before the step of the same index.
#[derive(Clone, Copy)]
struct Moment {
    n_changes: u32,
    crowd: ThreadSets,
    orders: OrderMark,
}

/// Sets of threads, a bit each.
#[derive(Clone, Copy, Default)]
struct ThreadSets {
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
    Stand { thread: u32, old: LocalStateId },
}

/// What a passage does to the order that synchronisation gives.
#[derive(Clone, Copy)]
struct Ordering {
    thread: ThreadId,
    orders: Orders,
    /// Where the events of the passage begin.
    first_event: u32,
}

pub struct Memo {
    tables: Tables,
    /// By thread: where it stands.
    stands: Vec<LocalStateId>,
    /// By number: what stands in the cell.
    cells: Vec<u64>,
    crowd: ThreadSets,
    /// By point of a loop ([`tables::LocalState::round`]): how often a thread came to stand there in this execution.
    n_rounds: Vec<u32>,
    /// A thread that comes to a point of a loop in the same state a second time is left to the machine, which counts its rounds.
    counts_rounds: bool,
    changes: Vec<Change>,
    /// By depth. If there are fewer than steps, the rest was made by the machine alone.
    moments: Vec<Moment>,
    choices: Vec<Choice>,
    /// The set that `choices` lists.
    listed: u64,
    /// Of the present step.
    orderings: Vec<Ordering>,
    end: Option<End>,
    /// Where in physical memory the objects lie that several threads can reach, sorted. While anything is remembered
    /// they neither come nor go.
    shared: Vec<(u64, u64)>,
    /// Physical words that have a cell, and those that change beside what is remembered and can have none.
    with_cell: FxHashSet<u64>,
    without_cell: FxHashSet<u64>,
    /// Steps that were replayed before it was last looked whether remembering is worth it.
    n_replayed_before: u64,
    /// Steps since it was last looked whether remembering is worth it.
    n_replayed: u64,
    n_made: u64,
}

/// Says how to go on where steps are replayed from the memo, see [`Machine::replay_steps`].
pub trait Guide {
    /// Who goes on, out of a set of those that can, a bit each, after whom; nobody if that is to be asked otherwise.
    fn next(&mut self, free: u64, last: ThreadId) -> Option<ThreadId>;

    /// It did: from the state with this mark and so many events behind it.
    fn passed(&mut self, mark: Mark, n_events: usize, thread: ThreadId);
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

impl Memo {
    fn new() -> Memo {
        Memo {
            tables: Tables::default(),
            stands: Vec::new(),
            cells: Vec::new(),
            crowd: ThreadSets::default(),
            n_rounds: Vec::new(),
            counts_rounds: false,
            changes: Vec::new(),
            moments: Vec::new(),
            choices: Vec::new(),
            listed: 0,
            orderings: Vec::new(),
            end: None,
            shared: Vec::new(),
            with_cell: FxHashSet::default(),
            without_cell: FxHashSet::default(),
            n_replayed_before: 0,
            n_replayed: 0,
            n_made: 0,
        }
    }

    /// Whether what stands in the cells and where threads stand is unknown after so many steps.
    fn is_lost(&self, depth: usize) -> bool {
        self.moments.len() < depth
    }

    #[inline]
    pub fn choices(&self) -> &[Choice] {
        debug_assert_eq!(self.listed, self.crowd.ready, "the choices are those of the threads");
        &self.choices
    }

    #[inline]
    pub fn free(&self) -> u64 {
        self.crowd.ready
    }

    #[inline]
    pub fn wants(&self, thread: ThreadId) -> Option<Wants> {
        let spot = self.tables.spot(*self.stands.get(thread.index())?);
        matches!(spot.sort, Sort::Operation | Sort::Joining { .. }).then_some(spot.wants)
    }

    #[inline]
    pub fn nobody_waits(&self) -> bool {
        self.crowd.ready | self.crowd.dependent | self.crowd.joining == 0
    }

    /// The places that a thread watches, as [`Machine::watched`] has it.
    pub fn watched(&self, thread: ThreadId) -> impl Iterator<Item = (u64, u32, u64)> {
        let watches = self.stands.get(thread.index()).map_or(&[][..], |&spot| self.tables.watches(spot));
        watches.iter().map(|watch| (watch.address, watch.size, watch.place))
    }

    fn begin(&mut self, orders: OrderMark) {
        self.moments.push(Moment { n_changes: self.changes.len() as u32, crowd: self.crowd, orders });
    }

    /// Goes back to the state after so many steps, if it is further.
    fn take_back(&mut self, depth: usize) {
        let Some(&Moment { n_changes, crowd, .. }) = self.moments.get(depth) else { return };
        while self.changes.len() > n_changes as usize {
            match self.changes.pop().expect("there are more changes") {
                Change::Cell { cell, old } => self.cells[cell as usize] = old,
                Change::Stand { thread, old } => {
                    let now = std::mem::replace(&mut self.stands[thread as usize], old);
                    self.n_rounds[self.tables.spot(now).round as usize] -= 1;
                }
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

    #[inline(always)]
    fn move_to(&mut self, thread: ThreadId, to: LocalStateId) {
        let old = std::mem::replace(&mut self.stands[thread.index()], to);
        self.changes.push(Change::Stand { thread: thread.0, old });
        self.count_round(to);
        let (before, now) = (self.tables.spot(old).sets, self.tables.spot(to).sets);
        if before != now {
            self.crowd.note(thread, now);
        }
    }

    #[inline]
    fn count_round(&mut self, at: LocalStateId) {
        let round = self.tables.spot(at).round as usize;
        if self.n_rounds.len() <= round {
            self.n_rounds.resize(round + 1, 0);
        }
        self.n_rounds[round] += 1;
    }

    /// Tells these events, and gives them so that they can be completed: with what passages are not known by.
    #[inline(always)]
    fn emit<'e>(
        &mut self,
        thread: ThreadId,
        events: Events,
        orders: Orders,
        output: &'e mut Vec<Event>,
    ) -> &'e mut [Event] {
        let first = output.len();
        match self.tables.events(events) {
            // Nearly always, and without a call.
            &[event] => output.push(event),
            events => output.extend_from_slice(events),
        }
        if !orders.is_empty() {
            self.orderings.push(Ordering { thread, orders, first_event: first as u32 });
        }
        &mut output[first..]
    }

    /// Replays a step from the memo, and says whether all of it was known. What was not is learnt from the executed, if
    /// there is one. The events are added to `output`.
    fn replay(
        &mut self,
        thread: ThreadId,
        output: &mut Vec<Event>,
        executed: Option<&ExecutedStep<'_, '_>>,
    ) -> Option<()> {
        self.end = None;
        self.orderings.clear();
        let at = self.stands[thread.index()];
        let spot = self.tables.spot(at);
        let (cell, shift, mask) = (spot.cell, spot.shift, spot.mask);
        let found = if spot.has_cell() { self.cells[cell as usize] } else { 0 };
        let key = found >> shift & spot.looks_at;
        let passage = match self.tables.passage(at, key) {
            Some(passage) => passage,
            None => self.learn_passage(executed?, thread, at, key, output.len())?,
        };
        let events = self.emit(thread, passage.events, passage.orders, output);
        if passage.replaces {
            events[usize::from(passage.operation)].other = found >> shift & mask;
        }
        if passage.writes {
            let rest = found & !(mask << shift);
            self.set_cell(cell, rest | passage.written << shift);
        }
        let ended = self.crowd.ended;
        self.move_to(thread, passage.to);
        if self.counts_rounds && self.stands_again(passage.to) {
            return None;
        }
        if self.crowd.joining & bit(thread) != 0 {
            self.join(thread, output, executed)?;
        }
        // Whoever could join before has done so.
        if self.crowd.ended != ended {
            while self.end.is_none() {
                let Some(next) = self.next_to_join() else { break };
                self.join(next, output, executed)?;
            }
        }
        self.look_at_dependents();
        (self.crowd.ready != 0 || self.end.is_some()).then_some(())
    }

    /// Whether a thread is at a point of a loop in the same state for the second time.
    fn stands_again(&self, at: LocalStateId) -> bool {
        let round = self.tables.spot(at).round;
        round != 0 && self.n_rounds[round as usize] > 1
    }

    /// Lets the thread go on while it waits for the end of threads that have ended.
    #[inline]
    fn join(
        &mut self,
        thread: ThreadId,
        output: &mut Vec<Event>,
        executed: Option<&ExecutedStep<'_, '_>>,
    ) -> Option<()> {
        let from = self.stands[thread.index()];
        let mut at = from;
        while let Sort::Joining { target, takes } = self.tables.spot(at).sort
            && self.crowd.ended & bit(target) != 0
        {
            if self.crowd.present & bit(target) == 0 {
                // It was joined already, which is a mistake.
                return None;
            }
            self.crowd.present &= !bit(target);
            let result = self.tables.result(self.stands[target.index()]);
            let key = if takes { result } else { 0 };
            if self.crowd.present.count_ones() == 1 {
                self.end_alone(thread, at, key, output, executed)?[0].value = result;
                at = Tables::NOWHERE;
                break;
            }
            let passage = match self.tables.passage(at, key) {
                Some(passage) => passage,
                None => self.learn_passage(executed?, thread, at, key, output.len())?,
            };
            self.emit(thread, passage.events, passage.orders, output)[0].value = result;
            at = passage.to;
        }
        if at != from {
            self.move_to(thread, at);
        }
        Some(())
    }

    /// The thread is the last one: tells what it does to the end, from the join on. Nobody is left to race with.
    fn end_alone<'e>(
        &mut self,
        thread: ThreadId,
        at: LocalStateId,
        key: u64,
        output: &'e mut Vec<Event>,
        executed: Option<&ExecutedStep<'_, '_>>,
    ) -> Option<&'e mut [Event]> {
        let ending = match self.tables.ending(at, key, &self.cells) {
            Some(ending) => ending,
            None => self.learn_ending(executed?, thread, at, key, output.len())?,
        };
        self.end = Some(End::Exit(ending.status));
        Some(self.emit(thread, ending.events, Orders::default(), output))
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

    /// Whether remembering was worth it lately.
    fn is_worth_it(&mut self) -> bool {
        if self.n_replayed + self.n_made < TRIAL {
            return true;
        }
        let is_worth_it = self.n_replayed >= self.n_made;
        self.n_replayed_before += self.n_replayed;
        (self.n_replayed, self.n_made) = (0, 0);
        is_worth_it
    }
}

impl ThreadSets {
    #[inline]
    fn note(&mut self, thread: ThreadId, sets: Sets) {
        let put = |set: &mut u64, is_in: bool| *set = *set & !bit(thread) | u64::from(is_in) << thread.index();
        put(&mut self.ready, sets.ready);
        put(&mut self.dependent, sets.dependent);
        put(&mut self.joining, sets.joining);
        put(&mut self.ended, sets.ended);
    }
}

impl Machine<'_> {}

/// Operations that a passage may begin with.
fn is_remembered(kind: OpKind) -> bool {
    let is_lock = matches!(kind, OpKind::Lock | OpKind::TryLock | OpKind::TryLockFail | OpKind::Unlock);
    kind.is_access() || is_lock || kind == OpKind::Yield
}
