//! Returning to an earlier state of the execution.

use crate::census::Census;
use crate::journal::{NEVER, Undo};
use crate::machine::Machine;
use crate::symbolic::SymbolicMark;
use crate::thread::Frame;
use gordian_base::{Id, ThreadId};

/// A state of the present execution to go back to: the one behind so many steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark(pub(crate) u32);

/// How to go back to a state. Lengths that stay small are short, and more than 128 bytes would be copied by a call.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot {
    pub(crate) log: usize,
    pub(crate) events: usize,
    schedule: usize,
    pub(crate) findings: u32,
    pub(crate) notes: u32,
    clocks: usize,
    races: usize,
    pub(crate) publications: u32,
    robust: u32,
    visits: usize,
    watches: usize,
    loop_counts: usize,
    stdout: usize,
    stderr: usize,
    inputs: u32,
    symbolic: SymbolicMark,
    census: Census,
}

impl Machine<'_> {
    /// Saves a thread before its first change in this step.
    pub(crate) fn save(&mut self, thread: ThreadId) {
        let me = &mut self.threads[thread.index()];
        if me.saved_in == self.back.serial {
            return;
        }
        self.choices.doubt(thread);
        if !self.memory.journal.on {
            return;
        }
        me.saved_in = self.back.serial;
        let journal = &mut self.memory.journal;
        // As slices, because what is pushed as a value is copied twice.
        journal.cores.extend_from_slice(std::slice::from_ref(&me.core));
        let depth = me.frames.len() as u32;
        if let Some(top) = me.frames.last() {
            let n_registers = self.program.functions[top.function].n_registers;
            journal.frames.extend_from_slice(std::slice::from_ref(top));
            journal.registers.extend_from_slice(&me.registers[top.base as usize..(top.base + n_registers) as usize]);
        }
        me.saved_from = depth.saturating_sub(1);
        let at = u32::try_from(journal.log.len()).expect("fewer than 2^32 changes");
        let before = std::mem::replace(&mut me.saved_at, at);
        journal.log.push(Undo::Thread { thread, depth, before });
    }

    /// Saves the frame that a return or jump is about to expose.
    pub(crate) fn expose(&mut self, thread: ThreadId) {
        let Some(index) = self.threads[thread.index()].frames.len().checked_sub(1) else { return };
        self.save_frames_from(thread, index);
    }

    /// Saves the frames from `index` on that were not saved in this step yet. The uppermost goes first, because a frame
    /// that is put back takes those above it away.
    pub(crate) fn save_frames_from(&mut self, thread: ThreadId, index: usize) {
        let me = &mut self.threads[thread.index()];
        if !self.memory.journal.on || index as u32 >= me.saved_from {
            return;
        }
        let journal = &mut self.memory.journal;
        let top = me.frames.len().min(me.saved_from as usize);
        for index in (index..top).rev() {
            let frame = me.frames[index];
            let n_registers = self.program.functions[frame.function].n_registers;
            journal.frames.push(frame);
            let registers = frame.base as usize..(frame.base + n_registers) as usize;
            journal.registers.extend_from_slice(&me.registers[registers]);
            journal.log.push(Undo::Frame { thread, index: index as u32 });
        }
        me.saved_from = index as u32;
    }

    /// The present state. From the first mark on the machine keeps a journal.
    #[inline]
    pub fn mark(&mut self) -> Mark {
        let steps = self.log.schedule.len();
        // Who remembers steps has a snapshot for each that was made.
        if self.back.memo.is_none() && self.back.snapshots.last().is_none_or(|last| last.schedule < steps) {
            let snapshot = self.snapshot();
            self.back.snapshots.push(snapshot);
        }
        Mark(steps as u32)
    }

    /// The way back to the present state.
    pub(crate) fn snapshot(&mut self) -> Snapshot {
        if !self.memory.journal.on {
            self.memory.journal.on = true;
            self.back.serial += 1;
        }
        Snapshot {
            log: self.memory.journal.log.len(),
            events: self.log.events.len(),
            schedule: self.log.schedule.len(),
            findings: self.log.findings.len() as u32,
            notes: self.log.notes.len() as u32,
            clocks: self.clocks.extent(),
            races: self.races.n_nodes(),
            publications: self.publications.len() as u32,
            robust: self.robust.len() as u32,
            visits: self.waiting.visits.len(),
            watches: self.waiting.watches.len(),
            loop_counts: self.waiting.loop_counts.len(),
            stdout: self.log.stdout.len(),
            stderr: self.log.stderr.len(),
            inputs: self.inputs.len() as u32,
            symbolic: self.mark_symbolic(),
            census: self.roster.census,
        }
    }

    /// Goes back to a state that this one came from. Marks of states behind it are of no use any more.
    #[inline]
    pub fn undo_to(&mut self, Mark(steps): Mark) {
        assert!(!self.symbolic.is_fresh(), "what was recorded of reads is not put back");
        if self.back.memo.is_some() {
            self.undo_replayed(steps as usize);
            return;
        }
        let is_behind = |snapshot: &Snapshot| snapshot.schedule > steps as usize;
        while self.back.snapshots.pop_if(|last| is_behind(last)).is_some() {}
        let snapshot = *self.back.snapshots.last().expect("the state was marked");
        assert_eq!(snapshot.schedule, steps as usize, "the state was marked");
        self.return_to(snapshot);
    }

    pub(crate) fn return_to(&mut self, snapshot: Snapshot) {
        self.go_back(snapshot);
        self.find_ways();
        self.update_choices();
    }

    /// The same without a look at what can be chosen there.
    pub(crate) fn go_back(&mut self, mark: Snapshot) {
        while self.memory.journal.log.len() > mark.log {
            let undo = self.memory.journal.log.pop().expect("the log is longer than the mark");
            self.choices.touch(undo);
            match undo {
                // An older save of this thread follows and overwrites this one.
                Undo::Thread { thread, depth, before } if before != NEVER && before as usize >= mark.log => {
                    self.skip_thread(thread, depth, before);
                }
                _ => self.undo(undo),
            }
        }
        self.roster.census = mark.census;
        self.log.events.truncate(mark.events);
        self.log.schedule.truncate(mark.schedule);
        self.log.step_starts.truncate(mark.schedule);
        self.log.findings.truncate(mark.findings as usize);
        self.log.notes.truncate(mark.notes as usize);
        self.clocks.truncate(mark.clocks);
        self.races.truncate(mark.races);
        self.publications.truncate(mark.publications as usize);
        self.robust.truncate(mark.robust as usize);
        self.forget_visits(mark.visits);
        self.waiting.watches.truncate(mark.watches);
        self.waiting.loop_counts.truncate(mark.loop_counts);
        self.log.stdout.truncate(mark.stdout);
        self.log.stderr.truncate(mark.stderr);
        self.inputs.truncate(mark.inputs as usize);
        self.end = None;
        self.roster.newborn.clear();
        self.roster.somebody_ended = false;
        self.back.serial += 1;
        self.undo_symbolic(mark.symbolic);
        self.update_visibility();
    }

    /// Puts one thing back; the census is put back as a whole.
    pub(crate) fn undo(&mut self, undo: Undo) {
        match undo {
            Undo::Word { at, old } => self.memory.put_back_word(at as usize, old),
            Undo::Bytes { at, len } => self.memory.put_back_bytes(at as usize, len as usize),
            Undo::Object { address } => {
                let old = self.memory.journal.objects.pop().expect("an object was saved");
                self.memory.put_back_object(address, old);
            }
            Undo::Untake { class, start } => self.memory.untake(class, start),
            Undo::Grown { start } => self.memory.shrink(start),
            Undo::Mode { address, mode } => self.memory.put_back_mode(address, mode),
            Undo::Freed { address, mode, class } => self.memory.unrelease(address, mode, class),
            Undo::Origin { address, freed, by } => self.memory.put_back_freed(address, freed, by),
            Undo::Thread { thread, depth, before } => {
                let me = &mut self.threads[thread.index()];
                me.saved_at = before;
                let cores = &mut self.memory.journal.cores;
                me.core = *cores.last().expect("a core was saved");
                cores.pop();
                self.choices.doubt(thread);
                if depth == 0 {
                    me.frames.clear();
                    me.registers.clear();
                } else {
                    self.put_back_frame(thread, depth as usize - 1);
                }
            }
            Undo::Joined { thread } => self.threads[thread.index()].core.joined = false,
            Undo::Frame { thread, index } => self.put_back_frame(thread, index as usize),
            Undo::Cell { number, newest } => self.races.put_back(number, newest),
            Undo::Released { number, old } => self.released.put_back(number, old),
            Undo::Knowledge { thread } => self.put_knowledge_back(thread),
            Undo::ByteTerm { at } => self.memory.put_back_byte_term(at as usize),
            Undo::Term { thread, index } => {
                let old = self.memory.journal.terms.pop().expect("a term was saved");
                self.put_back_term(thread, index as usize, old);
            }
            Undo::Files => self.files = self.memory.journal.files.pop().expect("the files were saved"),
        }
    }

    /// Drops how a thread was before a step: it will be put back as it was before an earlier one. What that one exposed of
    /// its stack has been saved, so the top frame that is dropped here is not missed.
    fn skip_thread(&mut self, thread: ThreadId, depth: u32, before: u32) {
        self.threads[thread.index()].saved_at = before;
        let journal = &mut self.memory.journal;
        journal.cores.pop();
        if depth > 0 {
            let function = journal.frames.last().expect("a frame was saved").function;
            journal.frames.pop();
            let n_registers = self.program.functions[function].n_registers as usize;
            journal.registers.truncate(journal.registers.len() - n_registers);
        }
    }

    fn put_back_frame(&mut self, thread: ThreadId, index: usize) {
        let journal = &mut self.memory.journal;
        let frame: Frame = *journal.frames.last().expect("a frame was saved");
        journal.frames.pop();
        let function = &self.program.functions[frame.function];
        let n = function.n_registers as usize;
        let saved = journal.registers.len() - n;
        let me = &mut self.threads[thread.index()];
        let base = frame.base as usize;
        // Constants never change, and most steps begin and end in the same function.
        let same = |top: &Frame| (top.function, top.base) == (frame.function, frame.base);
        if me.frames.len() == index + 1 && same(&me.frames[index]) {
            me.frames[index] = frame;
            me.registers[base..base + n].copy_from_slice(&journal.registers[saved..]);
            journal.registers.truncate(saved);
            return;
        }
        me.frames.truncate(index);
        me.frames.push(frame);
        me.registers.resize(base + n + function.consts.len(), 0);
        me.registers[base..base + n].copy_from_slice(&journal.registers[saved..]);
        me.registers[base + n..].copy_from_slice(&function.consts);
        journal.registers.truncate(saved);
    }
}
