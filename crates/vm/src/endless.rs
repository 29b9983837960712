//! A thread alone in a loop that nothing can end, or in an atomic section. While one thread is alone nothing is visible, so
//! it never parks and [`crate::spin`] never sees it; a livelock it is all the same. Having run for long, it is watched jump by jump for a
//! while: if everything that its future depends on is as it was at a jump before, it goes on like that for ever.

use crate::machine::{End, Machine};
use gordian_base::{Id, ThreadId};
use gordian_trace::{CodePoint, Finding, FindingKind};

/// Jumps before the first look; each later look comes after twice as many.
pub const JUMPS_BEFORE_LOOK: u64 = 1 << 20;
/// In an atomic section each round leaves its events.
pub const JUMPS_IN_SECTION_BEFORE_LOOK: u64 = 1 << 12;
/// Events of one step, which only an atomic section can make so many of: they are kept.
pub const MOST_EVENTS: usize = 1 << 21;
/// Jumps of one look; a loop with more in a round is not recognized.
const JUMPS_OF_A_LOOK: usize = 10_000;
/// States of the thread that are compared with all of memory, which takes long.
const MOST_CLOSE_LOOKS: usize = 4;
/// A look is too slow with more frames than this.
const MOST_FRAMES: usize = 64;

/// Whether a stretch of a thread's run ended because it used up its jumps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stretch {
    Stopped,
    UsedUp,
}

/// A state at a jump, in full.
struct Moment {
    thread: Vec<u64>,
    /// Changes of memory so far.
    changes: u64,
    memory: Vec<u64>,
    outside: String,
}

impl Machine<'_> {
    /// Watches the thread for some jumps. If it is found to repeat itself that is reported and the execution ended.
    pub(crate) fn look_for_endless_loop(&mut self, thread: ThreadId) -> Stretch {
        let is_undisturbed = !self.has_other_threads() || self.threads[thread.index()].core.atomic > 0;
        if !is_undisturbed || self.threads[thread.index()].frames.len() > MOST_FRAMES {
            return Stretch::UsedUp;
        }
        let start = Moment {
            thread: self.words_of_state(thread),
            changes: self.memory.changes,
            memory: self.full_state(),
            outside: self.outside(thread),
        };
        let (mut outermost, mut close_looks) = (self.depth_and_place(thread), 0);
        for _ in 0..JUMPS_OF_A_LOOK {
            if self.run_on(thread, 1) == Stretch::Stopped {
                return Stretch::Stopped;
            }
            outermost = outermost.min(self.depth_and_place(thread));
            if self.is_in_state(thread, &start.thread) {
                close_looks += 1;
                if self.is_again(thread, &start) {
                    self.report_endless_loop(thread, outermost.1);
                    return Stretch::Stopped;
                }
                if close_looks == MOST_CLOSE_LOOKS {
                    break;
                }
            }
        }
        Stretch::UsedUp
    }

    /// Sleeping changes nothing but the clock, which counts as no change until somebody looks at it.
    fn is_again(&self, thread: ThreadId, start: &Moment) -> bool {
        (self.memory.changes == start.changes || self.full_state() == start.memory)
            && self.outside(thread) == start.outside
    }

    /// What the thread's future depends on besides memory and frames.
    fn outside(&self, thread: ThreadId) -> String {
        let core = &self.threads[thread.index()].core;
        let of_thread = (core.next_heap, core.n_created, core.n_inputs, core.atomic, core.copying, core.cleanup);
        let cancel = (core.cancel_enabled, core.cancel_pending, core.ending);
        let output = (self.log.stdout.len(), self.log.stderr.len());
        format!("{of_thread:?} {cancel:?} {output:?} {:?}", self.files)
    }

    fn depth_and_place(&self, thread: ThreadId) -> (usize, CodePoint) {
        (self.threads[thread.index()].frames.len(), self.user_point(thread))
    }

    fn report_endless_loop(&mut self, thread: ThreadId, at: CodePoint) {
        let place = self.place(thread, at, "loops without changing any state".to_owned());
        let why = if self.has_other_threads() {
            "no other thread can run before its atomic section ends"
        } else {
            "no remaining thread can end it"
        };
        let message = format!("{} loops forever: {why}", self.thread_name(thread));
        self.report(Finding { kind: FindingKind::Livelock, message, places: vec![place], notes: Vec::new() });
        self.finish(End::Failed);
    }
}
