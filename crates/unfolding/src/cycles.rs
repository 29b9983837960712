//! Cycles of asymmetric conflict: whether two configurations with read arcs leave an order for both.
//!
//! A read comes before a write that it does not know of and that replaces what it read: a *read edge*. All else that orders events is causality.
//!
//! *Lemma 1.* Of two configurations `A` and `B`, no event of which excludes one of the other, either has an order, so a cycle has events of both outside of the other. It comes back into `B` by an edge
//! from outside of `B`. A cause of an event of `B` is in `B`, so that is a read edge, and likewise for `A`. Unless there is a read edge into each of them from outside of it, there is no cycle.
//!
//! *Lemma 2.* A cycle is one of read edges, from each write of which there is a chain of causes to the next read, which may be none (a step that reads and writes). Pasts tell that at once.
//! Of the writes of one thread, the first that a reader does not know of suffices, as that is a cause of the others.

use crate::events::{EventId, Unfolding};
use crate::uses::Use;
use gordian_base::ThreadId;
use gordian_strategies::happens_before::steps::Mode;
use std::cell::RefCell;

/// A read that comes before a write.
struct Edge {
    reader: EventId,
    writer: EventId,
    state: State,
}

/// How far the search has come with an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    OnPath,
    Done,
}

/// Accesses by location.
#[derive(Default)]
struct BySlot {
    /// Each with the round that it is of. Those of other rounds are void.
    lists: Vec<(u64, Vec<(EventId, Use)>)>,
    round: u64,
}

impl BySlot {
    fn begin(&mut self, n_slots: usize) {
        self.round += 1;
        self.lists.resize_with(n_slots.max(self.lists.len()), Default::default);
    }

    fn push(&mut self, event: EventId, used: Use) {
        let (round, list) = &mut self.lists[used.slot as usize];
        if *round != self.round {
            *round = self.round;
            list.clear();
        }
        list.push((event, used));
    }

    fn get(&self, slot: u32) -> &[(EventId, Use)] {
        match &self.lists[slot as usize] {
            (round, list) if *round == self.round => list,
            _ => &[],
        }
    }
}

#[derive(Default)]
struct Scratch {
    by_slot: BySlot,
    edges: Vec<Edge>,
    /// Edges on the way, each with the next one to be tried after it.
    path: Vec<(usize, usize)>,
}

thread_local! {
    /// One for each worker, for all of its comparisons.
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Unfolding {
    /// Whether the union of two configurations, no event of which excludes one of the other, leaves an order.
    pub fn have_common_order(&self, a: &[EventId], b: &[EventId]) -> bool {
        let have_order = SCRATCH.with_borrow_mut(|scratch| {
            !self.has_edge_into(a, b, &mut scratch.by_slot)
                || !self.has_edge_into(b, a, &mut scratch.by_slot)
                || !self.has_cycle(a, b, scratch)
        });
        debug_assert_eq!(have_order, self.has_order(&self.union(a, b)), "read edges tell what all edges tell");
        have_order
    }

    /// Whether an event of the first configuration that is not in the second reads what one of the second replaces.
    fn has_edge_into(&self, a: &[EventId], b: &[EventId], readers: &mut BySlot) -> bool {
        readers.begin(self.sets.n_slots());
        let mut has_readers = false;
        self.visit_after(a, b, |reader| {
            for &read in self.uses_of(reader).iter().filter(|used| used.mode == Mode::Read) {
                readers.push(reader, read);
                has_readers = true;
            }
            true
        });
        let is_no_edge_to = |writer| {
            let writes = self.uses_of(writer).iter().filter(|used| used.mode != Mode::Read);
            let mut edges = writes.flat_map(|write| {
                let replaced = readers.get(write.slot).iter().filter(|(_, read)| read.bytes & write.bytes != 0);
                replaced.filter(|(reader, _)| !self.contains(self.past(*reader), writer))
            });
            edges.next().is_none()
        };
        has_readers && !self.visit_after(b, &[], is_no_edge_to)
    }

    /// Whether the union has a cycle, given that either of the two has none.
    fn has_cycle(&self, a: &[EventId], b: &[EventId], scratch: &mut Scratch) -> bool {
        self.find_edges(&self.union(a, b), scratch);
        let Scratch { edges, path, .. } = scratch;
        for start in 0..edges.len() {
            let Edge { reader, writer, state } = edges[start];
            if state != State::New || self.contains(b, reader) || !self.contains(b, writer) {
                continue;
            }
            edges[start].state = State::OnPath;
            path.clear();
            path.push((start, 0));
            while let Some((last, next)) = path.last_mut() {
                let writer = edges[*last].writer;
                let is_after = |edge: &Edge| edge.state != State::Done && self.contains(self.past(edge.reader), writer);
                let Some(found) = (*next..edges.len()).find(|&index| is_after(&edges[index])) else {
                    edges[*last].state = State::Done;
                    path.pop();
                    continue;
                };
                *next = found + 1;
                if edges[found].state == State::OnPath {
                    return true;
                }
                edges[found].state = State::OnPath;
                path.push((found, 0));
            }
        }
        false
    }

    /// Finds the read edges of a configuration.
    fn find_edges(&self, cut: &[EventId], Scratch { by_slot: writers, edges, .. }: &mut Scratch) {
        writers.begin(self.sets.n_slots());
        edges.clear();
        self.visit_after(cut, &[], |writer| {
            let writes = self.uses_of(writer).iter().filter(|used| used.mode != Mode::Read);
            writes.for_each(|&write| writers.push(writer, write));
            true
        });
        self.visit_after(cut, &[], |reader| {
            let (past, own) = (self.past(reader), self.events[reader].thread);
            for read in self.uses_of(reader).iter().filter(|used| used.mode == Mode::Read) {
                // The writes of a thread stand together, the last one first.
                let mut of: Option<ThreadId> = None;
                for &(writer, write) in writers.get(read.slot) {
                    let thread = self.events[writer].thread;
                    if thread == own || write.bytes & read.bytes == 0 || self.contains(past, writer) {
                        continue;
                    }
                    if of == Some(thread) {
                        edges.pop();
                    }
                    of = Some(thread);
                    edges.push(Edge { reader, writer, state: State::New });
                }
            }
            true
        });
    }
}
