//! Waiting loops: a thread that comes back to the same point in the same state, having only read, will
//! do the same again until something that it read changes. It is blocked until then, so that waiting
//! costs no steps, and a loop that nobody can end is seen to be one.
//!
//! The state is the thread's frames and registers; changes of its private memory are counted, and any
//! operation that others could notice starts the search for a repetition anew.

use crate::machine::Machine;
use crate::sync::RWLOCK_SIZE;
use gordian_base::{FxHasher, Id, ThreadId};
use gordian_ir::{CallSite, Function, Inst, Liveness};
use gordian_trace::{Event, OpKind, Wants};
use std::hash::Hasher;

/// A visit to a point in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// Index of the thread's visit before plus one, 0 for none since its last effect.
    previous: u32,
    state: u64,
    /// Changes of private memory so far.
    changes: u64,
    /// Length of the event log.
    event: u32,
    /// Where in `Machine::loop_counts` its loops' counts begin.
    loop_counts: u32,
}

/// Something that a waiting thread has read, and what it saw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Watch {
    pub address: u64,
    pub size: u8,
    pub seen: u64,
    /// What was read stood for this (see [`crate::memory::Memory::terms_at`]). Then it has changed when it stands for something else,
    /// whatever its value is for the inputs at hand.
    terms: u64,
    /// One of `OpKind::WATCHES_MEMORY` and its like.
    pub place: u64,
}

/// Visits that are compared with; a loop with more points than this is not recognized.
const VISITS: usize = 8;
/// Reads of one round of a loop that are watched.
const WATCHES: usize = 32;

/// What a thread did that came back to the same state without an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Round {
    /// It would do the same again: it is blocked now.
    Waiting,
    /// It waits, but something that it read has changed on the way.
    Overtaken,
    /// What it read cannot be watched.
    Unwatchable,
}

/// Operations that leave no trace for others.
#[inline]
pub fn is_quiet(kind: OpKind) -> bool {
    kind.reads_only()
        || matches!(
            kind,
            OpKind::Watch | OpKind::Yield | OpKind::Sleep | OpKind::Fence | OpKind::AtomicBegin | OpKind::AtomicEnd
        )
}

/// What is known of a function whose code lies in loops.
pub struct Loops {
    /// For each instruction whether it lies between a jump backwards and its target.
    inside: Box<[bool]>,
    liveness: Liveness,
}

impl Loops {
    fn of(function: &Function) -> Loops {
        Loops { inside: in_loops(function), liveness: Liveness::of(function) }
    }
}

fn in_loops(function: &Function) -> Box<[bool]> {
    let mut inside = vec![false; function.code.len()];
    let mut mark = |from: usize, to: u32| {
        if to as usize <= from {
            inside[to as usize..=from].fill(true);
        }
    };
    for (pc, inst) in function.code.iter().enumerate() {
        match inst {
            Inst::Jump { target } => mark(pc, *target),
            Inst::Branch { then, otherwise, .. } | Inst::BranchCmp { then, otherwise, .. } => {
                mark(pc, *then);
                mark(pc, *otherwise);
            }
            Inst::Switch { table, .. } => {
                let table = &function.switches[*table];
                mark(pc, table.default);
                table.cases.iter().for_each(|case| mark(pc, case.1));
            }
            Inst::JumpIndirect { .. } => function.labels.iter().for_each(|&label| mark(pc, label)),
            _ => {}
        }
    }
    inside.into()
}

impl Machine<'_> {
    /// The thread is about to park before `wants`: finds out whether it only repeats itself.
    pub(crate) fn look_for_spin(&mut self, thread: ThreadId, wants: Wants) {
        // A yield is no place to wait at: what it waits for is read behind it.
        let may_wait = wants.kind.is_access()
            || matches!(wants.kind, OpKind::TryLock | OpKind::TryReadLock | OpKind::SemTryWait | OpKind::SemGet);
        if may_wait && !self.is_at_store(thread) {
            self.look_for_repetition(thread);
        }
    }

    /// As [`Machine::look_for_spin`], where the thread could wait if it is in a loop.
    pub(crate) fn look_for_repetition(&mut self, thread: ThreadId) {
        if !self.is_in_loop(thread) {
            return;
        }
        let state = self.state_of(thread);
        let changes = self.threads[thread.index()].core.changes + self.memory.changes - self.changes_before;
        let head = self.threads[thread.index()].core.visits;
        let (mut next, mut tries) = (head, 0);
        while next != 0 && tries < VISITS {
            let visit = self.visits[next as usize - 1];
            if visit.changes != changes {
                break;
            }
            if visit.state == state {
                let round = self.wait_for_change(thread, visit.event);
                if round != Round::Unwatchable {
                    self.forget_iterations(thread, visit.loop_counts as usize);
                }
                // What it reads when it goes on is compared with what it reads in that round, not with what it waited for.
                break;
            }
            next = visit.previous;
            tries += 1;
        }
        let (event, loop_counts) = (self.events.len() as u32, self.loop_counts.len() as u32);
        self.remember_iterations(thread);
        self.visits.push(Visit { previous: head, state, changes, event, loop_counts });
        self.threads[thread.index()].core.visits = self.visits.len() as u32;
    }

    /// Whether the thread's next operation has an effect for certain. Nobody waits at such a place: to come back to it,
    /// the thread must have done it, and its visits begin anew.
    fn is_at_store(&self, thread: ThreadId) -> bool {
        matches!(*self.instruction(thread), Inst::Store { .. } | Inst::WideStore { .. } | Inst::AtomicStore { .. })
    }

    fn is_in_loop(&mut self, thread: ThreadId) -> bool {
        let frames = &self.threads[thread.index()].frames;
        let (loops, program) = (&mut self.loops, self.program);
        frames.iter().any(|frame| {
            let of = &mut loops[frame.function.index()];
            of.get_or_insert_with(|| Loops::of(&program.functions[frame.function])).inside[frame.pc as usize]
        })
    }

    /// Whether the program looks at what the call that the thread stands at gives.
    pub(crate) fn uses_result(&mut self, thread: ThreadId, site: &CallSite) -> bool {
        let frame = *self.threads[thread.index()].top();
        let function = &self.program.functions[frame.function];
        let of = self.loops[frame.function.index()].get_or_insert_with(|| Loops::of(function));
        let mut results = (site.dst.index()..).take(site.n_returns as usize);
        results.any(|register| of.liveness.is_live(frame.pc as usize + 1, register))
    }

    /// Remembers the state in which the thread's next operation may go wrong for no reason.
    pub(crate) fn note_state(&mut self, thread: ThreadId) {
        // Not zero, which stands for no state at all.
        let state = self.state_of(thread) | 1;
        self.threads[thread.index()].core.may_err_in = state;
    }

    /// A hash of the frames and of those registers that may still be read.
    pub(crate) fn state_of(&mut self, thread: ThreadId) -> u64 {
        let mut hasher = FxHasher::default();
        self.each_word_of_state(thread, |word| hasher.write_u64(word));
        hasher.finish()
    }

    /// Where the frames stand, and those registers that may still be read.
    pub(crate) fn each_word_of_state(&mut self, thread: ThreadId, mut add: impl FnMut(u64)) {
        let me = &self.threads[thread.index()];
        let (loops, program) = (&mut self.loops, self.program);
        for (index, frame) in me.frames.iter().enumerate() {
            add(u64::from(frame.function.0) << 32 | u64::from(frame.pc));
            let function = &program.functions[frame.function];
            let of = loops[frame.function.index()].get_or_insert_with(|| Loops::of(function));
            // A frame that has called another stands behind the call already, whose result is yet to come.
            let pc = frame.pc as usize - usize::from(index + 1 < me.frames.len());
            let registers = &me.registers[frame.base as usize..];
            if !self.symbolic.has_terms(thread) || self.symbolic.is_fresh() {
                of.liveness.live(pc).for_each(|register| add(registers[register]));
                continue;
            }
            of.liveness.live(pc).for_each(|register| {
                // What it stands for: for other inputs the value at hand may be another one.
                match self.symbolic.term_at(thread, frame.base as usize + register) {
                    Some(term) => add(!u64::from(term.0)),
                    None => add(registers[register]),
                }
            });
        }
    }

    /// What decides whether the thread is seen to repeat itself: its visits since its last effect, what it read since then, and
    /// what it watches.
    pub(crate) fn each_word_of_visits(&self, thread: ThreadId, mut add: impl FnMut(u64)) {
        let core = &self.threads[thread.index()].core;
        let (mut next, mut first_event) = (core.visits, self.events.len());
        for _ in 0..VISITS {
            let Some(visit) = next.checked_sub(1).map(|index| self.visits[index as usize]) else { break };
            add(visit.state);
            add(core.changes - visit.changes);
            add(self.reads_since(thread, visit.event as usize).count() as u64);
            (next, first_event) = (visit.previous, visit.event as usize);
        }
        for event in self.reads_since(thread, first_event) {
            [event.kind as u64, event.address, u64::from(event.size), event.value].into_iter().for_each(&mut add);
        }
        for Watch { address, size, seen, terms, place } in self.watches_of(thread) {
            [*address, u64::from(*size), *seen, *terms, *place].into_iter().for_each(&mut add);
        }
    }

    /// What the thread read since there were so many events.
    fn reads_since(&self, thread: ThreadId, n_events: usize) -> impl Iterator<Item = &Event> {
        self.events[n_events..].iter().filter(move |event| event.thread == thread && event.kind.reads_only())
    }

    /// Blocks the thread while all the places that it has read since `event` look as they did then. Nothing here may
    /// depend on how they look now: others may be about to change them.
    fn wait_for_change(&mut self, thread: ThreadId, event: u32) -> Round {
        let first = self.watches.len();
        for index in event as usize..self.events.len() {
            let event = self.events[index];
            if event.thread != thread || !event.kind.reads_only() {
                continue;
            }
            let (size, seen, place) = match event.kind {
                // All of a read-write lock's readers and its writer, or only the writer.
                OpKind::TryLockFail if event.size == RWLOCK_SIZE => (8, 0, OpKind::WATCHES_LOCK),
                OpKind::TryLockFail | OpKind::TryReadLockFail => (4, 0, OpKind::WATCHES_LOCK),
                OpKind::SemTryWaitFail | OpKind::SemGet => (4, event.value, OpKind::WATCHES_SEMAPHORE),
                _ => (event.size.min(8) as u8, event.value, OpKind::WATCHES_MEMORY),
            };
            let terms = self.symbolic.terms_read(index);
            let seen = if terms == 0 { seen } else { 0 };
            let watch = Watch { address: event.address, size, seen, terms, place };
            let at_odds = self.watches[first..].iter().any(|known| known.address == watch.address && *known != watch);
            let too_large = place == OpKind::WATCHES_MEMORY && event.size > 8;
            if at_odds || too_large || self.watches.len() - first >= WATCHES {
                self.watches.truncate(first);
                return if at_odds { Round::Overtaken } else { Round::Unwatchable };
            }
            if !self.watches[first..].contains(&watch) {
                self.watches.push(watch);
            }
        }
        if self.watches.len() > first {
            let core = &mut self.threads[thread.index()].core;
            core.watching = first as u32;
            core.n_watching = (self.watches.len() - first) as u8;
        }
        Round::Waiting
    }

    fn has_changed(&self, watch: &Watch) -> bool {
        if self.memory.check(watch.address, u64::from(watch.size), false).is_err() {
            return true;
        }
        let terms = self.memory.terms_at(watch.address, u64::from(watch.size));
        if (terms != 0 || watch.terms != 0) && !self.symbolic.is_fresh() {
            return terms != watch.terms;
        }
        let now = self.memory.load(watch.address, watch.size);
        // Whoever waits for a lock waits for nobody to hold it.
        if watch.place == OpKind::WATCHES_LOCK { now == 0 } else { now != watch.seen }
    }

    pub(crate) fn watches_of(&self, thread: ThreadId) -> &[Watch] {
        let core = &self.threads[thread.index()].core;
        let first = core.watching as usize;
        &self.watches[first..first + usize::from(core.n_watching)]
    }

    /// Whether the thread waits in a loop and nothing that it watches has changed.
    pub(crate) fn is_spinning(&self, thread: ThreadId) -> bool {
        let watches = self.watches_of(thread);
        !watches.is_empty() && !watches.iter().any(|watch| self.has_changed(watch))
    }

    /// Logs what the thread watched, now that it goes on: its step depends on those places.
    pub(crate) fn stop_watching(&mut self, thread: ThreadId) {
        let core = &mut self.threads[thread.index()].core;
        let (first, n) = (core.watching as usize, std::mem::take(&mut core.n_watching));
        core.watching = 0;
        for index in first..first + usize::from(n) {
            let Watch { address, size, place, .. } = self.watches[index];
            self.push_event(thread, OpKind::Watch, address, u32::from(size), place, 0);
        }
    }

    /// The places that a thread watches while it waits in a loop, as [`OpKind::Watch`] events would show them: address,
    /// size and kind of place.
    pub fn watched(&self, thread: ThreadId) -> impl Iterator<Item = (u64, u32, u64)> {
        let recall = self.ahead();
        let is_known = recall.is_none() && thread.index() < self.threads.len();
        let watches = if is_known { self.watches_of(thread) } else { &[] };
        let watches = watches.iter().map(|watch| (watch.address, u32::from(watch.size), watch.place));
        watches.chain(recall.into_iter().flat_map(move |recall| recall.watched(thread)))
    }

    /// What a spinning thread waits for, in words.
    pub(crate) fn spin_text(&self, thread: ThreadId) -> String {
        let mut names: Vec<String> = Vec::new();
        for watch in self.watches_of(thread) {
            let mut name = self.name_of(watch.address);
            if watch.place == OpKind::WATCHES_MEMORY {
                let value = self.value_text(watch.address, u32::from(watch.size), watch.seen);
                name = format!("{name} = {value}");
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        format!("loops until another thread changes {}", names.join(" or "))
    }
}
