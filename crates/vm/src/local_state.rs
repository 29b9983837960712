//! The local state of a thread as words: its frames, live registers and visits to loops. A thread that comes back to the same words, with its private
//! memory unchanged, does the same again if its operations find the same.

use crate::machine::Machine;
use crate::memory::Mode;
use crate::spin::{MOST_PASSES, VISITS};
use crate::watch::Watch;
use gordian_base::{FxHasher, Id, ThreadId};
use gordian_ir::{CallSite, Function, Inst, Liveness, address};
use std::hash::Hasher;

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

impl Machine<'_> {
    pub(crate) fn is_in_loop(&mut self, thread: ThreadId) -> bool {
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
}
