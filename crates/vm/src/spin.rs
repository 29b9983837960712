//! Waiting loops: a thread that comes back to the same point in the same state, having only read, will
//! do the same again until something that it read changes. It is blocked until then, so that waiting
//! costs no steps, and a loop that nobody can end is seen to be one.
//!
//! The state is the thread's frames and registers; changes of its private memory are counted, and any
//! operation that others could notice starts the search for a repetition anew.

use crate::machine::Machine;
use crate::thread::Park;
use gordian_base::{FxHasher, Id, ThreadId};
use gordian_ir::Inst;
use gordian_trace::{Event, Objection, OpKind, Wants};
use std::hash::Hasher;

/// A visit to a point in a loop.
#[derive(Clone, Copy, Debug)]
pub struct Visit {
    /// Index of the thread's visit before plus one, 0 for none since its last effect.
    pub(crate) previous: u32,
    /// The same whatever effects it had since.
    pub(crate) earlier: u32,
    /// Where its state begins in `Machine::visit_words`, how long that is, and a hash of it to tell most states apart.
    words: u32,
    n_words: u32,
    pub(crate) hash: u64,
    /// Visits of the thread in the same state before.
    pub(crate) passes: u32,
    /// Changes of private memory so far.
    pub(crate) changes: u64,
    /// Length of the event log.
    pub(crate) event: u32,
    /// Where in `Machine::loop_counts` its loops' counts begin.
    loop_counts: u32,
}

/// Visits that are compared with; a loop with more points than this is not recognized.
pub(crate) const VISITS: usize = 8;
/// The same where rounds are counted.
const COUNTED_VISITS: usize = 64;
/// Events of others among which the last one of a thread is looked for.
const MOST_EVENTS_BETWEEN: usize = 256;
/// Passes through the same state after which a loop is said to have no end.
pub(crate) const MOST_PASSES: u32 = 16;
/// Passes after which the execution is given up.
const PASSES_WITHOUT_END: u32 = 1_000;

/// What a thread did that came back to the same state without an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
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
    pub(crate) fn words_of(&self, visit: &Visit) -> &[u64] {
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

    /// Whether a thread stands where it completed a redundant round of a loop, and what it has read in that round is not what stands there now. It goes on
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
}
