//! What steps do to the order that synchronisation gives, and the data races that it shows.
//!
//! The clocks of threads are kept up to date in steps that are replayed from the memo as well: they depend on all that came
//! before, not on the thread alone. So a passage has the list of what its thread tells and learns.

use super::Memo;
use super::tables::Orders;
use crate::access::Access;
use crate::journal::Undo;
use crate::machine::Machine;
use gordian_base::{ClockId, Id, ThreadId};
use gordian_ir::Order;
use gordian_trace::OpKind;

/// Something that a thread tells or learns.
#[derive(Clone, Copy, Debug)]
pub enum OrderStep {
    Acquire(u64),
    Release(u64),
    Fence(Order),
    /// An operation on a synchronisation object, as an access to it, and the index of its event in its passage.
    Object {
        access: Access,
        kind: OpKind,
        event: u32,
    },
    /// An access, and the index of its event in its passage.
    Access {
        access: Access,
        kind: OpKind,
        event: u32,
    },
}

/// An order as it was given: by which thread, and how many events there were then.
#[derive(Clone, Copy, Debug)]
pub struct Given {
    pub thread: ThreadId,
    pub n_events: usize,
    pub order: OrderStep,
}

/// What a thread knows of the others, as its core has it.
#[derive(Clone, Copy, Debug)]
pub struct Knowledge {
    pub clock: ClockId,
    pub time: u32,
    pub fence_release: ClockId,
    pub fence_acquire: ClockId,
}

/// A state of the order to go back to.
#[derive(Clone, Copy, Default)]
pub struct OrderMark {
    log: usize,
    clocks: usize,
    races: usize,
}

impl Memo {
    /// Remembers the orders of the thread from the event of this index on up to the other, which is the last of its passage. What
    /// comes with an event or before it belongs to it, and behind an event comes nothing that belongs to the next join.
    pub(super) fn add_orders(&mut self, given: &[Given], thread: ThreadId, from: usize, to: usize) -> Orders {
        let is_here = |given: &&Given| given.thread == thread && (from..=to).contains(&given.n_events);
        let orders = given.iter().filter(is_here).map(|given| match given.order {
            OrderStep::Access { access, kind, event } => OrderStep::Access { access, kind, event: event - from as u32 },
            OrderStep::Object { access, kind, event } => OrderStep::Object { access, kind, event: event - from as u32 },
            order => order,
        });
        self.tables.add_orders(orders)
    }
}

impl Machine<'_> {
    pub(super) fn order_mark(&self) -> OrderMark {
        let (log, clocks, races) = (self.memory.journal.log.len(), self.clocks.extent(), self.races.n_nodes());
        OrderMark { log, clocks, races }
    }

    /// Takes orders back that were followed since the mark, when no step was made.
    pub(super) fn take_orders_back(&mut self, mark: OrderMark) {
        if !self.tracks_races() {
            return;
        }
        while self.memory.journal.log.len() > mark.log {
            let undo = self.memory.journal.log.pop().expect("the log is longer than the mark");
            self.undo(undo);
        }
        self.clocks.truncate(mark.clocks);
        self.races.truncate(mark.races);
    }

    /// Does what a passage of the thread did to the order, whose events begin at this index. Says no if that shows a race
    /// that is to be reported.
    pub(super) fn follow_orders(&mut self, thread: ThreadId, orders: &[OrderStep], first_event: usize) -> bool {
        if orders.is_empty() {
            return true;
        }
        self.save_knowledge(thread);
        for &order in orders {
            match order {
                OrderStep::Acquire(key) => self.acquire(thread, key),
                OrderStep::Release(key) => self.release(thread, key),
                OrderStep::Fence(order) => self.fence(thread, order),
                OrderStep::Object { access, kind, event } => {
                    let event = first_event as u32 + event;
                    if let Some((earlier, _)) = self.find_race(thread, access, kind, event)
                        && !self.is_known_race(self.log.events[earlier as usize].at, self.log.events[event as usize].at)
                    {
                        return false;
                    }
                }
                OrderStep::Access { access, kind, event } => {
                    let event = first_event as u32 + event;
                    self.acquire_by(thread, access, kind);
                    if let Some((earlier, _)) = self.find_race(thread, access, kind, event)
                        && !self.is_known_race(self.log.events[earlier as usize].at, self.log.events[event as usize].at)
                    {
                        return false;
                    }
                    self.release_by(thread, access, kind);
                }
            }
        }
        true
    }

    fn save_knowledge(&mut self, thread: ThreadId) {
        let core = &self.threads[thread.index()].core;
        let (clock, time, fence_release, fence_acquire) =
            (core.clock, core.time, core.fence_release, core.fence_acquire);
        let journal = &mut self.memory.journal;
        journal.on = true;
        journal.knowledge.push(Knowledge { clock, time, fence_release, fence_acquire });
        journal.log.push(Undo::Knowledge { thread });
    }

    pub(crate) fn put_knowledge_back(&mut self, thread: ThreadId) {
        let known = self.memory.journal.knowledge.pop().expect("knowledge was saved");
        let Knowledge { clock, time, fence_release, fence_acquire } = known;
        let core = &mut self.threads[thread.index()].core;
        (core.clock, core.time) = (clock, time);
        (core.fence_release, core.fence_acquire) = (fence_release, fence_acquire);
    }
}
