//! How passages and endings are learnt from the machine.

use super::spots::{physical, word_at};
use super::tables::{Ending, LocalState, LocalStateId, Needs, Passage, Sort};
use super::{MOST_THREADS, Memo, bit, is_remembered};
use crate::backtrack::Snapshot;
use crate::journal::Undo;
use crate::machine::{End, Machine};
use crate::memory::{MOST_MEMORY, Mode};
use crate::setup::process;
use crate::sync::SPIN_SIZE;
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_trace::{Choice, Event, OpKind, Wants};
use smallvec::SmallVec;

/// A step that the machine has made.
pub struct ExecutedStep<'m, 'p> {
    machine: &'m Machine<'p>,
    events: &'m [Event],
    first_event: usize,
    /// The step left all private memory as it was.
    is_pristine: bool,
    /// What the futures of threads that moved depend on, if that is known.
    states: SmallVec<[(ThreadId, Option<Vec<u64>>); 4]>,
}

impl ExecutedStep<'_, '_> {
    /// What the thread does in this step behind the event of this index, if it does anything.
    fn next_of(&self, thread: ThreadId, from: usize) -> Option<&Event> {
        self.events[from..].iter().find(|event| event.thread == thread)
    }

    fn state(&self, thread: ThreadId) -> Option<&[u64]> {
        self.states.iter().find(|state| state.0 == thread).and_then(|state| state.1.as_deref())
    }
}

impl Memo {
    /// Where the thread gets to by what it does up to the event of this index.
    fn spot_after(
        &mut self,
        executed: &ExecutedStep<'_, '_>,
        thread: ThreadId,
        from: usize,
        is_pristine: bool,
    ) -> Option<LocalStateId> {
        match executed.next_of(thread, from) {
            // It goes on at once because the other has ended, and would wait otherwise.
            Some(&Event { kind: OpKind::Join, address, other, at, .. }) => {
                let sort = Sort::Joining { target: ThreadId(address as u32), takes: other != 0 };
                let wants = Wants { kind: OpKind::Join, size: 0, address, at, varies: false };
                let spot = LocalState::new(sort, Needs::Never, wants).with_pristine(is_pristine);
                Some(self.tables.add_spot(spot, &[], None))
            }
            Some(_) => None,
            None => self.spot_of(executed.machine, thread, executed.state(thread).filter(|_| is_pristine)),
        }
    }

    /// The passage of the thread at this spot that the executed's events show from the one of this index on.
    pub(super) fn learn_passage(
        &mut self,
        executed: &ExecutedStep<'_, '_>,
        thread: ThreadId,
        at: LocalStateId,
        key: u64,
        from: usize,
    ) -> Option<Passage> {
        let spot = *self.tables.spot(at);
        let rest = executed.events.get(from..)?;
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
        let first = executed.first_event + from;
        let orders = self.add_orders(&executed.machine.back.recorder.orders, thread, first + skipped, first + n);
        let mut passage = Passage::new(key, at, self.tables.add_events(events), orders);
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
        passage.to = self.spot_after(executed, thread, from + n, spot.is_pristine && executed.is_pristine)?;
        Some(self.tables.add_passage(at, passage))
    }

    /// The ending of the thread at this spot that the executed's events show from the one of this index on.
    pub(super) fn learn_ending(
        &mut self,
        executed: &ExecutedStep<'_, '_>,
        thread: ThreadId,
        at: LocalStateId,
        key: u64,
        from: usize,
    ) -> Option<Ending> {
        let Some(End::Exit(status)) = executed.machine.end else { return None };
        let rest = executed.events.get(from..)?;
        let is_unknown = |kind| matches!(kind, OpKind::Create | OpKind::Detach | OpKind::Look | OpKind::Change);
        if rest.iter().any(|event| event.thread != thread || is_unknown(event.kind)) {
            return None;
        }
        let heard = &executed.machine.back.recorder;
        let is_silent = |event: &Event| matches!(event.kind, OpKind::Join | OpKind::ProcessExit);
        let words: Option<Vec<u32>> = if heard.is_all.get() || !rest.iter().all(is_silent) {
            None
        } else {
            let cell = |&(word, before)| self.cell_with(executed.machine, word, before);
            Some(heard.words.iter().map(cell).collect::<Option<_>>()?)
        };
        let is_all = words.is_none();
        let looked_at = words.unwrap_or_else(|| (0..self.cells.len() as u32).collect());
        let events = self.tables.add_events(rest);
        Some(self.tables.add_ending(at, key, (looked_at, is_all), &self.cells, events, status))
    }

    /// Whether choices, pending operations and cells are as the machine has them.
    pub(super) fn agrees_with(&mut self, machine: &Machine<'_>) -> bool {
        self.list_choices();
        let is_same = |(word, cell): (u64, u32)| word_at(machine, word) == Some(self.cells[cell as usize]);
        let mut threads = (0..machine.threads.len() as u32).map(ThreadId);
        self.choices == machine.choices()
            && self.tables.cells().all(is_same)
            && threads.all(|thread| self.wants(thread) == machine.wants(thread))
    }

    fn is_shared(&self, at: u64, len: u64) -> bool {
        let next = self.shared.partition_point(|range| range.1 <= at);
        self.shared.get(next).is_some_and(|range| range.0 < at + len)
    }

    /// Whether the step left private memory as it was; none if it changed something else than the place of its operation.
    fn look_at_changes(&mut self, changes: &[Undo], own: Option<(u64, u64)>) -> Option<bool> {
        let mut is_pristine = true;
        for undo in changes {
            match *undo {
                Undo::Word { at, .. } if self.is_shared(at, 1) => {
                    let (start, size) = own?;
                    if at != start && !(start..start + size).contains(&at) {
                        return None;
                    }
                    // A mutex also notes who took it where, which is for reports alone.
                    if at != start {
                        for word in (at / 8..=at.div_ceil(8)).filter(|&word| word != start / 8) {
                            if self.with_cell.contains(&word) {
                                return None;
                            }
                            self.without_cell.insert(word);
                        }
                    }
                }
                Undo::Word { .. } | Undo::Untake { .. } | Undo::Grown { .. } => is_pristine = false,
                Undo::Bytes { at, len } if self.is_shared(at, len) => return None,
                Undo::Bytes { .. } | Undo::Object { .. } => is_pristine = false,
                Undo::Mode { mode, .. } | Undo::Freed { mode, .. } if mode == Mode::Shared => return None,
                Undo::Mode { .. } | Undo::Freed { .. } => is_pristine = false,
                Undo::Thread { .. } | Undo::Frame { .. } | Undo::Joined { .. } | Undo::Origin { .. } => {}
                Undo::Cell { .. } | Undo::Released { .. } | Undo::Knowledge { .. } => {}
                Undo::Files | Undo::ByteTerm { .. } | Undo::Term { .. } => return None,
            }
        }
        Some(is_pristine)
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

impl Machine<'_> {
    /// Whether what threads do depends on nothing but what visible operations find.
    pub(super) fn may_remember(&self) -> bool {
        let settings = &self.settings;
        let is_plain = !settings.spurious_wakeups
            && !settings.weak_cas_fails
            && !settings.uninitialised
            && !settings.leaks
            && settings.unroll.is_none()
            && settings.rounds.is_none_or(|rounds| rounds == 0)
            && settings.native.is_empty();
        is_plain && self.end.is_none() && !self.symbolic.is_fresh() && self.threads.len() <= MOST_THREADS
    }

    pub(super) fn begin_memo(&mut self) -> Option<Memo> {
        let mut memo = Memo::new();
        memo.shared = self.shared_places();
        memo.counts_rounds = self.settings.rounds.is_some() || self.settings.net_effect;
        for thread in (0..self.threads.len() as u32).map(ThreadId) {
            let state = self.local_state(thread);
            let spot = memo.spot_of(self, thread, state.as_deref())?;
            memo.stands.push(spot);
            memo.count_round(spot);
            let LocalState { sort, sets, .. } = *memo.tables.spot(spot);
            memo.crowd.note(thread, sets);
            let core = &self.threads[thread.index()].core;
            if sort != Sort::Running && !(core.park == Park::Ended && core.joined) {
                memo.crowd.present |= bit(thread);
            }
        }
        memo.look_at_dependents();
        (self.inputs.is_empty() && memo.agrees_with(self)).then_some(memo)
    }

    /// Where in physical memory the objects lie that several threads can reach, and what the process has as a whole.
    fn shared_places(&self) -> Vec<(u64, u64)> {
        let all = (0..self.memory.n_spaces()).flat_map(|space| self.memory.objects_in(space));
        let shared = all.filter(|(_, object)| object.mode == Mode::Shared);
        let place = |at: usize, size: u64| (at as u64, at as u64 + size);
        let mut places: Vec<_> = shared.map(|(_, object)| place(object.at(), u64::from(object.size))).collect();
        places.extend(self.memory.object(self.process).map(|object| place(object.at(), process::SIZE)));
        places.sort_unstable();
        places
    }

    /// Remembers the step that was made since the mark was taken.
    pub(super) fn remember(&mut self, memo: &mut Memo, choice: Choice, before: Snapshot) {
        let depth = self.log.schedule.len() - 1;
        memo.begin(self.order_mark());
        let is_learnt = choice.variant == 0
            && !memo.tables.is_full()
            && self.is_plain_since(&before)
            && self.learn_step(memo, choice, before).is_some();
        if !is_learnt {
            memo.take_back(depth);
        }
    }

    fn learn_step(&mut self, memo: &mut Memo, choice: Choice, before: Snapshot) -> Option<()> {
        // What the process left behind when it ended is of no concern to anybody.
        let is_pristine = match self.end {
            Some(_) => false,
            None => {
                let Wants { address, size, .. } = memo.wants(choice.thread)?;
                let own = physical(self, address).map(|at| (at as u64, u64::from(size.max(1))));
                let is_pristine = memo.look_at_changes(&self.memory.journal.log[before.log..], own)?;
                // The race detector knows of what the thread wrote to memory of its own, and would have to be told again.
                if !is_pristine && self.memory.watches_private {
                    return None;
                }
                is_pristine
            }
        };
        let mut states: SmallVec<[(ThreadId, Option<Vec<u64>>); 4]> = SmallVec::new();
        if is_pristine {
            for index in before.events..self.log.events.len() {
                let thread = self.log.events[index].thread;
                if !states.iter().any(|state| state.0 == thread) {
                    let state = self.local_state(thread);
                    states.push((thread, state));
                }
            }
        }
        let events = &self.log.events[before.events..];
        let executed = ExecutedStep { machine: self, events, first_event: before.events, is_pristine, states };
        let mut output = Vec::with_capacity(events.len());
        memo.replay(choice.thread, &mut output, Some(&executed))?;
        let is_same = output == events && memo.end == self.end && (self.end.is_some() || memo.agrees_with(self));
        is_same.then_some(())
    }

    /// Whether nothing happened since the mark was taken that is not remembered.
    fn is_plain_since(&self, before: &Snapshot) -> bool {
        matches!(self.end, None | Some(End::Exit(_)))
            && self.inputs.is_empty()
            && !self.back.recorder.is_spoiled
            && self.log.findings.len() == before.findings as usize
            && self.log.notes.len() == before.notes as usize
            && self.publications.len() == before.publications as usize
            && self.threads.len() <= MOST_THREADS
            && self.memory.used() < MOST_MEMORY / 2
    }
}
