//! Waiting loops: a thread that comes back to the same point in the same state, having only read, will
//! do the same again until something that it read changes. It is blocked until then, so that waiting
//! costs no steps, and a loop that nobody can end is seen to be one.
//!
//! The state is the thread's frames and registers; changes of its private memory are counted, and any
//! operation that others could notice starts the search for a repetition anew.

use crate::machine::Machine;
use crate::memory::Mode;
use crate::sync::{MUTEX_SIZE, RWLOCK_SIZE};
use crate::thread::Park;
use gordian_base::{FxHasher, Id, ThreadId};
use gordian_ir::{CallSite, Function, Inst, Liveness, address};
use gordian_trace::{Event, Hidden, Objection, OpKind, Wants};
use std::hash::Hasher;

/// A visit to a point in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// Index of the thread's visit before plus one, 0 for none since its last effect.
    previous: u32,
    /// The same whatever effects it had since.
    pub(crate) earlier: u32,
    /// Where its state begins in `Machine::visit_words`, how long that is, and a hash of it to tell most states apart.
    words: u32,
    n_words: u32,
    pub(crate) hash: u64,
    /// Visits of the thread in the same state before.
    passes: u32,
    /// Changes of private memory so far.
    pub(crate) changes: u64,
    /// Length of the event log.
    pub(crate) event: u32,
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

impl Watch {
    /// What stood at a place that no inputs decide about.
    pub(crate) fn of(address: u64, size: u8, seen: u64, place: u64) -> Watch {
        Watch { address, size, seen, terms: 0, place }
    }
}

/// Visits that are compared with; a loop with more points than this is not recognized.
const VISITS: usize = 8;
/// The same where rounds are counted.
const COUNTED_VISITS: usize = 64;
/// Events of others among which the last one of a thread is looked for.
const MOST_EVENTS_BETWEEN: usize = 256;
/// Passes through the same state after which a loop is said to have no end.
const MOST_PASSES: u32 = 16;
/// Passes after which the execution is given up.
const PASSES_WITHOUT_END: u32 = 1_000;
/// `Watch::seen` of a mutex that can perhaps be taken from a holder that has ended.
const MAY_BE_ORPHANED: u64 = 1;
/// Reads of one round of a loop that are watched.
pub(crate) const WATCHES: usize = 32;

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
    pub(crate) fn liveness(&self) -> &Liveness {
        &self.liveness
    }

    pub(crate) fn of(function: &Function) -> Loops {
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

/// Where all frames of a thread stand, of the words of its state.
fn places(words: &[u64]) -> Option<&[u64]> {
    words.get(..=*words.first()? as usize)
}

impl Machine<'_> {
    /// The thread is about to park before `wants`: finds out whether it only repeats itself.
    pub(crate) fn look_for_spin(&mut self, thread: ThreadId, wants: Wants) {
        // A yield is no place to wait at: what it waits for is read behind it.
        let may_wait = wants.kind.is_access()
            || wants.kind == OpKind::Lock && self.settings.net_effect
            || matches!(wants.kind, OpKind::TryLock | OpKind::TryReadLock | OpKind::SemTryWait | OpKind::SemGet);
        if may_wait && !self.is_at_store(thread) {
            self.look_for_repetition(thread);
        } else if matches!(wants.kind, OpKind::Yield | OpKind::Sleep) {
            self.look_for_idling(thread, wants);
        } else {
            self.count_if_all_count(thread);
        }
    }

    /// The thread is about to let others go on, in a loop: whether it has done nothing else since it last did so. If that is so for ever, it stops.
    fn look_for_idling(&mut self, thread: ThreadId, wants: Wants) {
        let changes_time = wants.kind == OpKind::Sleep && self.waiting.awaits.tells_time;
        let last = self.log.events.iter().rev().take(MOST_EVENTS_BETWEEN).find(|event| event.thread == thread);
        let only_waits = |event: &Event| matches!(event.kind, OpKind::Yield | OpKind::Sleep | OpKind::Look);
        if !last.is_some_and(only_waits) {
            self.count_if_all_count(thread);
        } else if changes_time || !self.settings.awaits {
            self.count_round(thread);
        } else {
            self.look_for_repetition(thread);
        }
    }

    /// As [`Machine::look_for_spin`], where the thread could wait if it is in a loop.
    pub(crate) fn look_for_repetition(&mut self, thread: ThreadId) {
        if self.settings.repeats || !self.is_in_loop(thread) {
            return;
        }
        let visit = self.visit(thread);
        let (mut next, mut tries) = (visit.previous, 0);
        let (mut went_round, mut idles) = (false, false);
        while next != 0 && tries < VISITS {
            let known = self.waiting.visits[next as usize - 1];
            if known.changes != visit.changes {
                break;
            }
            if self.is_same_visit(&known, &visit) {
                let round = self.wait_for_change(thread, known.event);
                if round != Round::Unwatchable {
                    self.forget_iterations(thread, known.loop_counts as usize);
                }
                let is_watched = self.threads[thread.index()].core.n_watching > 0;
                went_round = round == Round::Overtaken || round == Round::Waiting && is_watched;
                idles = round == Round::Waiting && !is_watched && !self.let_time_pass(thread, known.event);
                // What it reads when it goes on is compared with what it reads in that round, not with what it waited for.
                break;
            }
            next = known.previous;
            tries += 1;
        }
        let may_take_back = !went_round && !idles && self.settings.net_effect;
        let took_back = may_take_back && self.went_round_and_back(thread, &visit);
        self.remember_iterations(thread);
        self.push_visit(thread, visit);
        if went_round && self.settings.awaits {
            self.threads[thread.index()].core.park = Park::WentRound;
        } else if took_back {
            self.threads[thread.index()].core.park = Park::TookBack;
        } else if idles && self.settings.awaits {
            self.threads[thread.index()].core.park = Park::Idles;
        } else {
            self.bound_rounds(thread, visit.passes);
        }
    }

    /// Whether the thread has slept since there were so many events, and somebody may look at the clock.
    fn let_time_pass(&self, thread: ThreadId, n_events: u32) -> bool {
        let is_sleep = |event: &Event| event.thread == thread && event.kind == OpKind::Sleep;
        self.waiting.awaits.tells_time && self.log.events[n_events as usize..].iter().any(is_sleep)
    }

    /// Counts a round of the loop that the thread is in, if there is one.
    fn count_round(&mut self, thread: ThreadId) {
        if !self.settings.repeats {
            self.stops_in_loop(thread);
        }
    }

    /// The same at operations that nobody waits at, which count only if all rounds do.
    #[inline]
    pub(crate) fn count_if_all_count(&mut self, thread: ThreadId) {
        if self.settings.counts_all_rounds {
            self.count_round(thread);
        }
    }

    fn push_visit(&mut self, thread: ThreadId, visit: Visit) {
        self.waiting.visits.push(visit);
        let newest = self.waiting.visits.len() as u32;
        let me = &mut self.threads[thread.index()];
        (me.core.visits, me.newest_visit) = (newest, newest);
    }

    /// A visit of the thread, whose state is put behind those of the others.
    fn visit(&mut self, thread: ThreadId) -> Visit {
        let mut words = std::mem::take(&mut self.waiting.visit_words);
        let first = words.len();
        self.each_word_of_state(thread, |word| words.push(word));
        let mut hasher = FxHasher::default();
        words[first..].iter().for_each(|&word| hasher.write_u64(word));
        let n_words = (words.len() - first) as u32;
        self.waiting.visit_words = words;
        let me = &self.threads[thread.index()];
        let mut visit = Visit {
            previous: me.core.visits,
            earlier: me.newest_visit,
            words: first as u32,
            n_words,
            hash: hasher.finish(),
            passes: 0,
            changes: me.core.changes + self.memory.changes - self.changes_before,
            event: self.log.events.len() as u32,
            loop_counts: self.waiting.loop_counts.len() as u32,
        };
        if self.settings.rounds.is_some() {
            visit.passes = self.passes(&visit);
        }
        visit
    }

    /// The state of a thread at a visit.
    fn words_of(&self, visit: &Visit) -> &[u64] {
        &self.waiting.visit_words[visit.words as usize..(visit.words + visit.n_words) as usize]
    }

    pub(crate) fn is_same_visit(&self, one: &Visit, other: &Visit) -> bool {
        one.hash == other.hash && self.words_of(one) == self.words_of(other)
    }

    /// How often its thread was in the same state before, or at the same place if that counts.
    fn passes(&self, visit: &Visit) -> u32 {
        let counts_all = self.settings.counts_all_rounds;
        let mut next = visit.earlier;
        for _ in 0..COUNTED_VISITS {
            let Some(known) = next.checked_sub(1).map(|index| &self.waiting.visits[index as usize]) else { break };
            let is_same_place = || places(self.words_of(known)) == places(self.words_of(visit));
            if counts_all && is_same_place() || self.is_same_visit(known, visit) {
                return known.passes + 1;
            }
            next = known.earlier;
        }
        0
    }

    /// Stops a thread that has come to the same place in the same state too often, if that is bounded.
    fn bound_rounds(&mut self, thread: ThreadId, passes: u32) {
        match self.settings.rounds {
            Some(0) if passes > MOST_PASSES => {
                let waits = self.somebody_waits_to_exit();
                let objection = if waits { Objection::DelayedExits } else { Objection::Rounds };
                if passes > PASSES_WITHOUT_END {
                    return self.object(objection, "an execution does not end");
                }
                // The execution goes on, so that nothing depends on where it was noticed.
                self.objection = Some(objection);
            }
            Some(most) if most > 0 && passes > most => self.threads[thread.index()].core.park = Park::Unrolled,
            _ => {}
        }
    }

    /// The thread is about to do something in a loop that is no operation of its own: whether it stops there for good.
    pub(crate) fn stops_in_loop(&mut self, thread: ThreadId) -> bool {
        if self.settings.rounds.is_none() || !self.is_in_loop(thread) {
            return false;
        }
        let visit = self.visit(thread);
        self.remember_iterations(thread);
        self.push_visit(thread, visit);
        self.bound_rounds(thread, visit.passes);
        self.end.is_some() || self.threads[thread.index()].core.park == Park::Unrolled
    }

    /// Forgets all visits but the first so many.
    pub(crate) fn forget_visits(&mut self, len: usize) {
        let Some(&Visit { words, .. }) = self.waiting.visits.get(len) else { return };
        for thread in &mut self.threads {
            while thread.newest_visit as usize > len {
                thread.newest_visit = self.waiting.visits[thread.newest_visit as usize - 1].earlier;
            }
        }
        self.waiting.visit_words.truncate(words as usize);
        self.waiting.visits.truncate(len);
    }

    /// Whether a thread stands where it went round a loop in vain, and what it has read in that round is not what stands there now. It goes on
    /// from there in other executions, without that round.
    pub(crate) fn went_round_too_early(&self) -> bool {
        self.threads.iter().enumerate().any(|(index, thread)| {
            let watches = self.watches_of(ThreadId(index as u32));
            let has_changed = || watches.is_empty() || watches.iter().any(|watch| self.has_changed(watch));
            matches!(thread.core.park, Park::WentRound | Park::TookBack) && has_changed()
        })
    }

    /// Whether the thread's next operation has an effect for certain. Nobody waits at such a place: to come back to it,
    /// the thread must have done it, and its visits begin anew.
    fn is_at_store(&self, thread: ThreadId) -> bool {
        matches!(*self.instruction(thread), Inst::Store { .. } | Inst::WideStore { .. } | Inst::AtomicStore { .. })
    }

    fn is_in_loop(&mut self, thread: ThreadId) -> bool {
        let frames = &self.threads[thread.index()].frames;
        let (loops, program) = (&mut self.waiting.loops, self.program);
        frames.iter().any(|frame| {
            let of = &mut loops[frame.function.index()];
            of.get_or_insert_with(|| Loops::of(&program.functions[frame.function])).inside[frame.pc as usize]
        })
    }

    /// Whether the program looks at what the call that the thread stands at gives.
    pub(crate) fn uses_result(&mut self, thread: ThreadId, site: &CallSite) -> bool {
        let frame = *self.threads[thread.index()].top();
        let function = &self.program.functions[frame.function];
        let of = self.waiting.loops[frame.function.index()].get_or_insert_with(|| Loops::of(function));
        let mut results = (site.dst.index()..).take(site.n_returns as usize);
        results.any(|register| of.liveness.is_live(frame.pc as usize + 1, register))
    }

    /// Remembers the state in which the thread's next operation may go wrong for no reason: its frames and registers, and what is in its
    /// private memory.
    pub(crate) fn note_state(&mut self, thread: ThreadId) {
        let mut hasher = FxHasher::default();
        hasher.write_u64(self.state_of(thread));
        for space in [address::heap_space(thread), address::stack_space(thread)] {
            // Without their names: variables of a function that a loop calls get new ones in every round.
            let private = self.memory.objects_in(space).filter(|(_, object)| object.mode == Mode::Private);
            for (place, object) in private {
                hasher.write_u32(object.size);
                hasher.write(self.memory.view(place, u64::from(object.size)));
            }
        }
        // Not zero, which stands for no state at all.
        let state = hasher.finish() | 1;
        self.threads[thread.index()].core.may_err_in = state;
    }

    /// A hash of the frames and of those registers that may still be read.
    pub(crate) fn state_of(&mut self, thread: ThreadId) -> u64 {
        let mut hasher = FxHasher::default();
        self.each_word_of_state(thread, |word| hasher.write_u64(word));
        hasher.finish()
    }

    /// The frames and those registers that may still be read.
    pub(crate) fn words_of_state(&mut self, thread: ThreadId) -> Vec<u64> {
        let mut words = Vec::new();
        self.each_word_of_state(thread, |word| words.push(word));
        words
    }

    /// Whether they are these.
    pub(crate) fn is_in_state(&mut self, thread: ThreadId, words: &[u64]) -> bool {
        let (mut nth, mut is_same) = (0, true);
        self.each_word_of_state(thread, |word| {
            is_same &= words.get(nth) == Some(&word);
            nth += 1;
        });
        is_same && nth == words.len()
    }

    /// Where the frames stand, and those registers that may still be read.
    pub(crate) fn each_word_of_state(&mut self, thread: ThreadId, mut add: impl FnMut(u64)) {
        let me = &self.threads[thread.index()];
        let (loops, program) = (&mut self.waiting.loops, self.program);
        add(me.frames.len() as u64);
        me.frames.iter().for_each(|frame| add(u64::from(frame.function.0) << 32 | u64::from(frame.pc)));
        for (index, frame) in me.frames.iter().enumerate() {
            let function = &program.functions[frame.function];
            let of = loops[frame.function.index()].get_or_insert_with(|| Loops::of(function));
            // A frame that has called another stands behind the call already, whose result is yet to come.
            let pc = frame.pc as usize - usize::from(index + 1 < me.frames.len());
            let registers = &me.registers[frame.base as usize..];
            if !self.symbolic.has_terms(thread) || self.symbolic.is_fresh() {
                of.liveness.live(pc).for_each(|register| add(registers[register]));
                continue;
            }
            // Which registers have terms is told by a bit each, since a value may look like the number of a term.
            let (mut n_bits, mut bits) = (0, 0u64);
            of.liveness.live(pc).for_each(|register| {
                // What it stands for: for other inputs the value at hand may be another one.
                let term = self.symbolic.term_at(thread, frame.base as usize + register);
                add(term.map_or(registers[register], |term| u64::from(term.0)));
                bits |= u64::from(term.is_some()) << n_bits;
                n_bits += 1;
                if n_bits == u64::BITS {
                    add(std::mem::take(&mut bits));
                    n_bits = 0;
                }
            });
            add(bits);
        }
    }

    /// What decides whether the thread is seen to repeat itself: its visits since its last effect, what it read since then, and
    /// what it watches.
    pub(crate) fn each_word_of_visits(&self, thread: ThreadId, mut add: impl FnMut(u64)) {
        let core = &self.threads[thread.index()].core;
        let (mut next, mut first_event) = (core.visits, self.log.events.len());
        for _ in 0..VISITS {
            let Some(visit) = next.checked_sub(1).map(|index| self.waiting.visits[index as usize]) else { break };
            self.words_of(&visit).iter().copied().for_each(&mut add);
            add(u64::from(visit.passes.min(MOST_PASSES + 1)));
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
        self.log.events[n_events..].iter().filter(move |event| event.thread == thread && event.kind.reads_only())
    }

    /// Blocks the thread while all the places that it has read since `event` look as they did then. Nothing here may
    /// depend on how they look now: others may be about to change them.
    fn wait_for_change(&mut self, thread: ThreadId, event: u32) -> Round {
        let first = self.waiting.watches.len();
        for index in event as usize..self.log.events.len() {
            let event = self.log.events[index];
            if event.thread != thread || !event.kind.reads_only() {
                continue;
            }
            let (size, seen, place) = match event.kind {
                // All of a read-write lock's readers and its writer, or only the writer.
                OpKind::TryLockFail if event.size == RWLOCK_SIZE => (8, 0, OpKind::WATCHES_LOCK),
                OpKind::TryLockFail if self.uses.robust && event.size == MUTEX_SIZE => {
                    (4, MAY_BE_ORPHANED, OpKind::WATCHES_LOCK)
                }
                OpKind::TryLockFail | OpKind::TryReadLockFail => (4, 0, OpKind::WATCHES_LOCK),
                OpKind::SemTryWaitFail | OpKind::SemGet => (4, event.value, OpKind::WATCHES_SEMAPHORE),
                OpKind::Look => (0, 0, OpKind::WATCHES_HIDDEN),
                _ => (event.size.min(8) as u8, event.value, OpKind::WATCHES_MEMORY),
            };
            let terms = self.symbolic.terms_read(index);
            let seen = if terms == 0 { seen } else { 0 };
            let watch = Watch { address: event.address, size, seen, terms, place };
            let at_odds =
                self.waiting.watches[first..].iter().any(|known| known.address == watch.address && *known != watch);
            let is_known = |what| matches!(what, Some(Hidden::Cancellation(of)) if of == thread);
            let too_large = place == OpKind::WATCHES_MEMORY && event.size > 8
                || place == OpKind::WATCHES_HIDDEN && !is_known(Hidden::of(event.address));
            if at_odds || too_large || self.waiting.watches.len() - first >= WATCHES {
                self.waiting.watches.truncate(first);
                return if at_odds { Round::Overtaken } else { Round::Unwatchable };
            }
            if !self.waiting.watches[first..].contains(&watch) {
                self.waiting.watches.push(watch);
            }
        }
        if self.waiting.watches.len() > first {
            let core = &mut self.threads[thread.index()].core;
            core.watching = first as u32;
            core.n_watching = (self.waiting.watches.len() - first) as u8;
        }
        Round::Waiting
    }

    fn has_changed(&self, watch: &Watch) -> bool {
        if watch.place == OpKind::WATCHES_HIDDEN {
            let Some(Hidden::Cancellation(thread)) = Hidden::of(watch.address) else { return true };
            let core = &self.threads[thread.index()].core;
            return core.cancel_pending && core.cancel_enabled;
        }
        if self.memory.check(watch.address, u64::from(watch.size), false).is_err() {
            return true;
        }
        let terms = self.memory.terms_at(watch.address, u64::from(watch.size));
        if (terms != 0 || watch.terms != 0) && !self.symbolic.is_fresh() {
            return terms != watch.terms;
        }
        let now = self.memory.load(watch.address, watch.size);
        // Whoever waits for a lock waits for nobody to hold it.
        match watch.place {
            OpKind::WATCHES_LOCK if watch.seen == MAY_BE_ORPHANED => now == 0 || self.mutex_is_orphaned(watch.address),
            OpKind::WATCHES_LOCK => now == 0,
            _ => now != watch.seen,
        }
    }

    pub(crate) fn watches_of(&self, thread: ThreadId) -> &[Watch] {
        let core = &self.threads[thread.index()].core;
        let first = core.watching as usize;
        &self.waiting.watches[first..first + usize::from(core.n_watching)]
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
            let Watch { address, size, place, .. } = self.waiting.watches[index];
            self.push_event(thread, OpKind::Watch, address, u32::from(size), place, 0);
        }
    }

    /// The places that a thread watches while it waits in a loop, as [`OpKind::Watch`] events would show them: address,
    /// size and kind of place.
    pub fn watched(&self, thread: ThreadId) -> impl Iterator<Item = (u64, u32, u64)> {
        let memo = self.ahead();
        let is_known = memo.is_none() && thread.index() < self.threads.len();
        let watches = if is_known { self.watches_of(thread) } else { &[] };
        let watches = watches.iter().map(|watch| (watch.address, u32::from(watch.size), watch.place));
        let awaited = self.awaited(thread).filter(|_| is_known);
        watches.chain(awaited).chain(memo.into_iter().flat_map(move |memo| memo.watched(thread)))
    }

    /// What a spinning thread waits for, in words.
    pub(crate) fn spin_text(&self, thread: ThreadId) -> String {
        let mut names: Vec<String> = Vec::new();
        for watch in self.watches_of(thread) {
            if matches!(watch.place, OpKind::WATCHES_HIDDEN | OpKind::WATCHES_WRITTEN | OpKind::WATCHES_TAKEN) {
                continue;
            }
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
