//! A bound on the iterations of loops. The counters are registers of the frames that the loops run in (see
//! [`gordian_ir::count_loops`]), so that going back and recursion need nothing special.
//!
//! A thread that would go beyond the bound stops there for good and the others go on: what they do is possible, and a
//! strategy that looks for races must see it.

use crate::interp::Flow;
use crate::machine::Machine;
use crate::thread::{Park, Thread};
use gordian_base::{Id, ThreadId};
use gordian_ir::Slot;
use gordian_trace::Bound;
use std::ops::Range;

impl Machine<'_> {
    /// Whether a thread stopped for good where it would have gone back in a loop once too often.
    pub fn left_a_loop_unfinished(&self) -> bool {
        (self.settings.unroll.is_some() || self.settings.rounds.is_some())
            && self.threads.iter().any(|thread| thread.core.park == Park::Unrolled)
    }

    /// The bound that it ran into.
    pub fn loop_bound(&self) -> Bound {
        if self.settings.unroll.is_some() { Bound::Unroll } else { Bound::Rounds }
    }

    /// Who was cut off by a bound, and where: a thread in a loop that it may not go back in any more, or the last that stepped.
    pub fn unended(&self) -> Option<String> {
        let is_stopped = |thread: &Thread| thread.core.park == Park::Unrolled;
        let (thread, at) = match self.threads.iter().position(is_stopped) {
            Some(index) => (ThreadId(index as u32), self.user_point(ThreadId(index as u32))),
            None => {
                let thread = self.log.schedule.last()?.thread;
                (thread, self.wants(thread).map_or_else(|| self.user_point(thread), |wants| wants.at))
            }
        };
        let place = self.place(thread, at, String::new());
        let name = self.thread_name(thread);
        Some(format!("{name} goes round a loop at {}:{} in {}", place.file, place.line, place.function))
    }

    pub(crate) fn loop_back(&mut self, thread: ThreadId, counter: Slot) -> Flow {
        let count = self.register(thread, counter) + 1;
        if self.settings.unroll.is_some_and(|most| count > u64::from(most)) {
            self.threads[thread.index()].core.park = Park::Unrolled;
            return Flow::Stop;
        }
        self.set_register(thread, counter, count);
        Flow::Next
    }

    /// Where the counters of a frame stand among the thread's registers.
    fn counters(&self, thread: ThreadId, frame: usize) -> Range<usize> {
        let frame = &self.threads[thread.index()].frames[frame];
        let function = &self.program.functions[frame.function];
        let end = (frame.base + function.n_registers) as usize;
        end - function.n_loops as usize..end
    }

    /// Notes the counts of all frames beside a visit to a loop.
    pub(crate) fn remember_iterations(&mut self, thread: ThreadId) {
        if self.settings.unroll.is_none() {
            return;
        }
        for frame in 0..self.threads[thread.index()].frames.len() {
            let counters = self.counters(thread, frame);
            self.waiting.loop_counts.extend_from_slice(&self.threads[thread.index()].registers[counters]);
        }
    }

    /// The thread waits, in the state of an earlier visit: what it did since were no iterations, however often it looks
    /// again. `counts` is where those of that visit begin.
    pub(crate) fn forget_iterations(&mut self, thread: ThreadId, mut counts: usize) {
        if self.settings.unroll.is_none() {
            return;
        }
        for frame in 0..self.threads[thread.index()].frames.len() {
            let counters = self.counters(thread, frame);
            let then = counts..counts + counters.len();
            counts = then.end;
            if self.waiting.loop_counts[then.clone()] != self.threads[thread.index()].registers[counters.clone()] {
                self.save_frames_from(thread, frame);
                self.threads[thread.index()].registers[counters].copy_from_slice(&self.waiting.loop_counts[then]);
            }
        }
    }
}
