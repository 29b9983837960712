//! In which calls a thread does things, for those who ask what belongs together in the source.

use crate::thread::Frame;
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_ir::Program;
use gordian_trace::CodePoint;

/// Frames that are told of one stack, from the innermost one on.
const MOST_FRAMES: usize = 64;

/// One frame of a stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallFrame {
    /// Every call of the execution has its own number.
    pub call: u32,
    /// Where it stands: of all but the innermost, at a call.
    pub at: CodePoint,
}

/// Stacks of actions and events, each kept once.
#[derive(Debug, Default)]
pub struct Calls {
    n_calls: u32,
    /// By thread and depth: the number of the call. What is deeper than the thread's frames is over.
    serials: Vec<Vec<u32>>,
    stacks: Vec<Box<[CallFrame]>>,
    numbers: FxHashMap<Box<[CallFrame]>, u32>,
    of_action: Vec<u32>,
    of_event: FxHashMap<u32, u32>,
}

impl Calls {
    /// A thread enters a function; it has so many frames now.
    pub(crate) fn enter(&mut self, thread: ThreadId, depth: usize) {
        if self.serials.len() <= thread.index() {
            self.serials.resize_with(thread.index() + 1, Vec::new);
        }
        self.n_calls += 1;
        let serials = &mut self.serials[thread.index()];
        serials.resize(depth.saturating_sub(1), 0);
        serials.push(self.n_calls);
    }

    pub(super) fn note_action(&mut self, frames: &[Frame], thread: ThreadId, program: &Program) {
        let stack = self.stack(frames, thread, program);
        self.of_action.push(stack);
    }

    pub(crate) fn note_event(&mut self, event: usize, frames: &[Frame], thread: ThreadId, program: &Program) {
        let stack = self.stack(frames, thread, program);
        self.of_event.insert(event as u32, stack);
    }

    fn stack(&mut self, frames: &[Frame], thread: ThreadId, program: &Program) -> u32 {
        let serials = self.serials.get(thread.index());
        let serial = |depth: usize| serials.and_then(|serials| serials.get(depth)).copied().unwrap_or(0);
        let n = frames.len();
        // The machine's own library counts as its caller's line.
        let is_own = |frame: &Frame| program.functions[frame.function].internal;
        let n_own = frames.iter().rev().take_while(|frame| is_own(frame)).count();
        let end = if n_own == n { n } else { n - n_own };
        let from = end.saturating_sub(MOST_FRAMES);
        let frame = |depth: usize| {
            let Frame { function, pc, .. } = frames[depth];
            // A frame that has called another stands behind the call already.
            let pc = if depth + 1 < n { pc.saturating_sub(1) } else { pc };
            CallFrame { call: serial(depth), at: CodePoint { function: function.0, pc } }
        };
        let stack: Box<[CallFrame]> = (from..end).map(frame).collect();
        if let Some(&known) = self.numbers.get(&stack) {
            return known;
        }
        let number = self.stacks.len() as u32;
        self.stacks.push(stack.clone());
        self.numbers.insert(stack, number);
        number
    }

    /// The frames of the thread that did the action, the innermost last.
    pub fn of_action(&self, action: usize) -> &[CallFrame] {
        self.of_action.get(action).map_or(&[], |&stack| &self.stacks[stack as usize])
    }

    /// The same for an event. Accesses are actions.
    pub fn of_event(&self, event: usize) -> &[CallFrame] {
        self.of_event.get(&(event as u32)).map_or(&[], |&stack| &self.stacks[stack as usize])
    }
}
