//! What an execution shows: its schedule, events, findings, notes and output. The machine writes them here, and whoever runs it reads them.

use crate::fault::Fault;
use crate::machine::{End, Machine};
use crate::spin;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Decides, Inst};
use gordian_trace::{Choice, CodePoint, Event, Finding, OpKind};
use std::borrow::Cow;

#[derive(Clone, Debug)]
pub struct RawFinding {
    pub finding: Finding,
    /// Length of the schedule when it showed.
    pub steps: usize,
}

/// How to learn more of reads of what was never set.
const HINT: &str = " (`--uninit` reports such reads)";

impl Machine<'_> {
    pub fn schedule(&self) -> &[Choice] {
        &self.log.schedule
    }

    pub fn events(&self) -> &[Event] {
        &self.log.events
    }

    pub fn findings(&self) -> &[RawFinding] {
        &self.log.findings
    }

    /// Facts worth knowing that are no findings.
    pub fn notes(&self) -> &[String] {
        &self.log.notes
    }

    /// Where values that were never set decided something, or something happened that is not modelled, in any execution of this machine so far.
    pub fn doubts(&self) -> &[String] {
        &self.log.doubts
    }

    /// A value that was never set decides something where the thread stands.
    #[cold]
    pub(crate) fn doubt(&mut self, thread: ThreadId, decides: Decides) {
        let what = match decides {
            Decides::Branch => "decides a branch",
            Decides::Address => "decides what is accessed",
            Decides::Division => "is a divisor",
            Decides::Result => "is the result of a function that is used",
            Decides::Call => "is an argument of a library function or of one called through a pointer",
        };
        self.note_doubt(thread, &format!("a value that was never set {what}"), HINT);
    }

    /// Bytes are read that were never set.
    #[cold]
    pub(crate) fn doubt_read(&mut self, thread: ThreadId, address: u64) {
        let top = self.threads[thread.index()].top();
        let (function, pc) = (&self.program.functions[top.function], top.pc);
        let is_call = matches!(function.code[pc as usize], Inst::Call { .. });
        if is_call || gordian_ir::may_decide(function, pc) {
            let name = self.name_of(address);
            self.note_doubt(thread, &format!("{name} is read before it was set"), HINT);
        }
    }

    /// Something happens where the thread stands after which the verdict must not be `safe`.
    pub(crate) fn note_doubt(&mut self, thread: ThreadId, what: &str, hint: &str) {
        let place = self.place(thread, self.user_point(thread), String::new());
        let gordian_trace::Place { file, line, column, function, .. } = place;
        let why = format!("{what} at {file}:{line}:{column} in {function}{hint}");
        if let Err(index) = self.log.doubts.binary_search(&why) {
            self.log.doubts.insert(index, why);
        }
    }

    pub fn stdout(&self) -> &[u8] {
        self.assert_not_ahead();
        &self.log.stdout
    }

    pub fn stderr(&self) -> &[u8] {
        self.assert_not_ahead();
        &self.log.stderr
    }

    /// Each pair of racing places is reported once in the life of this machine, however often the
    /// search goes back: for searches that keep findings elsewhere.
    pub fn report_races_once(&mut self) {
        self.log.races_once = true;
        self.log.seen_races.clear();
    }

    pub(crate) fn is_new_race(&mut self, a: CodePoint, b: CodePoint) -> bool {
        let places = (a.min(b), a.max(b));
        if self.is_trying() {
            return !self.log.races_once || !self.log.seen_races.contains(&places);
        }
        !self.log.races_once || self.log.seen_races.insert(places)
    }

    /// Whether these places are known to race, so that nothing is to be reported.
    pub(crate) fn is_known_race(&self, a: CodePoint, b: CodePoint) -> bool {
        self.log.races_once && self.log.seen_races.contains(&(a.min(b), a.max(b)))
    }

    /// The first so many steps as a machine with fixed inputs makes them: where inputs decide, it does not stop.
    pub fn fixed_schedule(&self, steps: usize) -> Cow<'_, [Choice]> {
        if let Some(schedule) = self.unrecorded_schedule(steps) {
            return Cow::Owned(schedule);
        }
        if self.symbolic.path.is_empty() {
            return Cow::Borrowed(&self.log.schedule[..steps]);
        }
        let decides = |step: usize| {
            let first = self.log.events.get(self.log.step_starts[step] as usize);
            first.is_some_and(|event| event.kind == OpKind::Branch && event.thread == self.log.schedule[step].thread)
        };
        let made = |step: usize| {
            let Choice { thread, variant } = self.log.schedule[step];
            Choice { thread, variant: if self.is_scripted(step) { 0 } else { variant } }
        };
        Cow::Owned((0..steps).filter(|&step| !decides(step)).map(made).collect())
    }

    /// The innermost instruction of the user's own code: gordian's libc is shown as its caller.
    #[inline]
    pub(crate) fn user_point(&self, thread: ThreadId) -> CodePoint {
        match self.threads[thread.index()].frames.last() {
            Some(top) if !self.program.functions[top.function].internal => {
                CodePoint { function: top.function.0, pc: top.pc }
            }
            _ => self.calling_point(thread),
        }
    }

    #[cold]
    fn calling_point(&self, thread: ThreadId) -> CodePoint {
        let me = &self.threads[thread.index()];
        let n = me.frames.len();
        let is_own = |index: &usize| !self.program.functions[me.frames[*index].function].internal;
        let Some(index) = (0..n).rev().find(is_own).or(n.checked_sub(1)) else { return gordian_trace::NO_CODE };
        let frame = &me.frames[index];
        // A frame that has called another stands behind the call already.
        let pc = if index + 1 < n { frame.pc.saturating_sub(1) } else { frame.pc };
        CodePoint { function: frame.function.0, pc }
    }

    pub(crate) fn push_event(
        &mut self,
        thread: ThreadId,
        kind: OpKind,
        address: u64,
        size: u32,
        value: u64,
        other: u64,
    ) {
        let at = self.user_point(thread);
        if let Some(fresh) = &mut self.symbolic.fresh {
            let frames = &self.threads[thread.index()].frames;
            fresh.calls.note_event(self.log.events.len(), frames, thread, self.program);
        }
        self.push_event_at(thread, at, kind, address, size, value, other);
    }

    /// As [`Machine::push_event`], where the user's own instruction is known.
    #[inline(always)]
    #[expect(clippy::too_many_arguments, reason = "the fields of an event")]
    pub(crate) fn push_event_at(
        &mut self,
        thread: ThreadId,
        at: CodePoint,
        kind: OpKind,
        address: u64,
        size: u32,
        value: u64,
        other: u64,
    ) {
        if !spin::is_quiet(kind) {
            self.threads[thread.index()].core.visits = 0;
        }
        self.note_for_private_reads(thread, kind, address, size);
        let alone = !self.accesses_are_visible();
        self.log.events.push(Event {
            thread,
            kind,
            alone,
            unsure: false,
            varies: false,
            size,
            at,
            address,
            value,
            other,
        });
    }

    pub(crate) fn fail(&mut self, thread: ThreadId, fault: Fault) {
        let fault = match fault {
            Fault::NothingKnown => {
                self.lose_always("what an input of pointer type points to is not known");
                return self.finish(End::Dropped);
            }
            Fault::Wild { address } | Fault::BadFree { address, .. } if crate::models::is_foreign(address) => {
                Fault::Unsupported("memory of a native library, or that an input points to,".to_owned())
            }
            fault => fault,
        };
        if let Fault::Unsupported(what) = fault {
            let place = self.place(thread, self.user_point(thread), String::new());
            self.finish(End::Unsupported(format!(
                "{what} at {}:{}:{} in {}",
                place.file, place.line, place.column, place.function
            )));
            return;
        }
        if self.is_trying() {
            self.finish(End::Failed);
            return;
        }
        self.take_least_inputs();
        let finding = self.finding_of(thread, fault);
        self.report(finding);
        self.finish(End::Failed);
    }

    /// Tells whoever reads the report something about this execution, once.
    pub(crate) fn note(&mut self, note: String) {
        if !self.log.notes.contains(&note) {
            self.log.notes.push(note);
        }
    }

    pub(crate) fn report(&mut self, finding: Finding) {
        self.log.findings.push(RawFinding { finding, steps: self.log.schedule.len() });
    }
}
