//! How many threads there are of which sort, counted so that nobody has to look at all of them after every step.

use crate::machine::Machine;
use crate::thread::{Core, Park};
use gordian_base::{Id, ThreadId};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Census {
    /// Created in this execution.
    pub born: u32,
    /// Not gone. A thread that ended but was not joined may still race with what comes.
    pub present: u32,
    pub at_barriers: u32,
    pub joining: u32,
}

impl Census {
    fn count(&mut self, core: &Core, n: i32) {
        let add = |count: &mut u32, counts: bool| *count = count.wrapping_add_signed(if counts { n } else { 0 });
        let gone = core.park == Park::Unborn || core.park == Park::Ended && core.joined;
        add(&mut self.born, core.park != Park::Unborn);
        add(&mut self.present, !gone);
        add(&mut self.at_barriers, matches!(core.park, Park::AtBarrier { .. }));
        add(&mut self.joining, matches!(core.park, Park::Joining { .. }));
    }
}

impl Machine<'_> {
    /// Changes a thread's core in a way that changes its sort. The thread must have been saved.
    pub(crate) fn change_sort(&mut self, thread: ThreadId, change: impl FnOnce(&mut Core)) {
        let core = &mut self.threads[thread.index()].core;
        self.census.count(core, -1);
        change(core);
        self.census.count(core, 1);
    }
}
