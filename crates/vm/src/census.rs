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

/// What counts of a thread.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Unborn,
    Gone,
    AtBarrier,
    Joining,
    Other,
}

impl Sort {
    #[inline]
    fn of(core: &Core) -> Sort {
        match core.park {
            Park::Unborn => Sort::Unborn,
            Park::Ended if core.joined => Sort::Gone,
            Park::AtBarrier { .. } => Sort::AtBarrier,
            Park::Joining { .. } => Sort::Joining,
            _ => Sort::Other,
        }
    }
}

impl Census {
    #[inline]
    fn count(&mut self, sort: Sort, n: i32) {
        let add = |count: &mut u32| *count = count.wrapping_add_signed(n);
        if sort == Sort::Unborn {
            return;
        }
        add(&mut self.born);
        match sort {
            Sort::Unborn | Sort::Gone => return,
            Sort::AtBarrier => add(&mut self.at_barriers),
            Sort::Joining => add(&mut self.joining),
            Sort::Other => {}
        }
        add(&mut self.present);
    }
}

impl Machine<'_> {
    /// Changes a thread's core in a way that changes its sort. The thread must have been saved.
    pub(crate) fn change_sort(&mut self, thread: ThreadId, change: impl FnOnce(&mut Core)) {
        let core = &mut self.threads[thread.index()].core;
        let before = Sort::of(core);
        change(core);
        let after = Sort::of(core);
        if before != after {
            self.roster.census.count(before, -1);
            self.roster.census.count(after, 1);
        }
    }
}
