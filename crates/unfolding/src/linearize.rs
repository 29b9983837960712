//! Orders in which the events of a configuration can happen.
//!
//! With replicated places causes come first, and that is all. With read arcs a reader also comes before the next writer of what it read
//! (asymmetric conflict), and a set of events is a configuration only if that leaves no cycle.
//!
//! *Lemma.* It suffices to put a reader before the first writes that it does not know of and that together cover what it read. Each later write of
//! these bytes conflicts with one of them, so in a configuration it knows of it.

use crate::events::{EventId, NONE, ROOT, Unfolding};
use crate::uses::{Arcs, Use};
use gordian_base::Id;
use gordian_strategies::happens_before::steps::Mode;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What comes before what, among events that are given causes first. Events are known by their positions.
struct Precedence {
    successors: Vec<SmallVec<[u32; 4]>>,
    n_before: Vec<u32>,
}

/// The writes of each location, by location, causes first.
struct Writes {
    all: Vec<(u32, usize, Use)>,
}

impl Writes {
    fn new(unfolding: &Unfolding, events: &[EventId]) -> Writes {
        let mut all = Vec::new();
        for (position, &event) in events.iter().enumerate() {
            let writes = unfolding.uses_of(event).iter().filter(|used| used.mode != Mode::Read);
            all.extend(writes.map(|&used| (used.slot, position, used)));
        }
        all.sort_by_key(|&(slot, position, _)| (slot, position));
        Writes { all }
    }

    fn of(&self, slot: u32) -> &[(u32, usize, Use)] {
        let from = self.all.partition_point(|write| write.0 < slot);
        let to = from + self.all[from..].partition_point(|write| write.0 == slot);
        &self.all[from..to]
    }

    /// Those that a reader comes before.
    fn after(
        &self,
        unfolding: &Unfolding,
        events: &[EventId],
        reader: EventId,
        read: &Use,
        mut visit: impl FnMut(usize),
    ) {
        let past = unfolding.past(reader);
        let is_known = |write: &(u32, usize, Use)| unfolding.contains(past, events[write.1]);
        let mut writes = self.of(read.slot);
        // Writes of a common byte come one after the other, so what the reader knows of are the first ones.
        let common = writes.iter().fold(u8::MAX, |bytes, write| bytes & write.2.bytes);
        if common != 0 && writes.iter().all(|write| write.2.mode == Mode::Write) {
            writes = &writes[writes.partition_point(is_known)..];
        }
        let mut open = read.bytes;
        for write in writes.iter().filter(|write| write.2.bytes & read.bytes != 0 && !is_known(write)) {
            visit(write.1);
            if write.2.mode == Mode::Write {
                open &= !write.2.bytes;
            }
            if open == 0 {
                break;
            }
        }
    }
}

impl Precedence {
    /// Of events that come causes first, and with each event all of its thread that come after it up to the last.
    fn new(unfolding: &Unfolding, events: &[EventId]) -> Precedence {
        let n_threads = events.iter().map(|&event| unfolding.events[event].thread.index() + 1).max().unwrap_or(0);
        // By thread: the depth of its first event, and the positions of its events.
        let mut chains: Vec<(u32, Vec<u32>)> = vec![(0, Vec::new()); n_threads];
        for (position, &event) in events.iter().enumerate() {
            let event = &unfolding.events[event];
            let chain = &mut chains[event.thread.index()];
            if chain.1.is_empty() {
                chain.0 = event.depth;
            }
            chain.1.push(position as u32);
        }
        let position_of = |event: EventId| {
            let event = &unfolding.events[event];
            let (first, positions) = chains.get(event.thread.index())?;
            positions.get(event.depth.checked_sub(*first)? as usize).copied()
        };
        let mut precedence =
            Precedence { successors: vec![SmallVec::new(); events.len()], n_before: vec![0; events.len()] };
        let writes = Writes::new(unfolding, events);
        for (position, &id) in events.iter().enumerate() {
            let event = &unfolding.events[id];
            let lasts = unfolding.past(id).iter().copied().filter(|&last| last != id).chain([event.pred]);
            for cause in lasts.filter(|&cause| cause != NONE).filter_map(position_of) {
                precedence.put(cause, position);
            }
            for read in unfolding.uses_of(id).iter().filter(|used| used.mode == Mode::Read) {
                writes.after(unfolding, events, id, read, |write| precedence.put(position as u32, write));
            }
        }
        precedence
    }

    fn put(&mut self, first: u32, second: usize) {
        self.successors[first as usize].push(second as u32);
        self.n_before[second] += 1;
    }

    /// The event is made: calls `ready` with those that nothing comes before any more.
    fn remove(&mut self, position: u32, mut ready: impl FnMut(u32)) {
        for next in std::mem::take(&mut self.successors[position as usize]) {
            self.n_before[next as usize] -= 1;
            if self.n_before[next as usize] == 0 {
                ready(next);
            }
        }
    }

    /// Positions each of which comes before the next one, and the last before the first. There must be a cycle.
    fn cycle(mut self) -> Vec<u32> {
        let n = self.n_before.len();
        let mut ready: Vec<u32> = (0..n as u32).filter(|&position| self.n_before[position as usize] == 0).collect();
        let all = self.successors.clone();
        while let Some(next) = ready.pop() {
            self.remove(next, |free| ready.push(free));
        }
        // Something comes before each that is left, and that is left, too.
        let is_left = |position: usize| self.n_before[position] > 0;
        let mut before = vec![u32::MAX; n];
        for position in (0..n).filter(|&position| is_left(position)) {
            for &next in &all[position] {
                before[next as usize] = position as u32;
            }
        }
        let mut at = (0..n).find(|&position| is_left(position)).expect("there is a cycle") as u32;
        let mut seen = vec![false; n];
        while !std::mem::replace(&mut seen[at as usize], true) {
            at = before[at as usize];
        }
        let (first, mut cycle) = (at, vec![at]);
        while before[cycle[cycle.len() - 1] as usize] != first {
            cycle.push(before[cycle[cycle.len() - 1] as usize]);
        }
        cycle
    }

    /// The positions in an order of precedence, of several the first one first. None if there is a cycle.
    fn order(mut self) -> Option<Vec<u32>> {
        let n = self.n_before.len();
        let free = (0..n as u32).filter(|&position| self.n_before[position as usize] == 0);
        let mut ready: BinaryHeap<Reverse<u32>> = free.map(Reverse).collect();
        let mut order = Vec::with_capacity(n);
        while let Some(Reverse(next)) = ready.pop() {
            order.push(next);
            self.remove(next, |free| ready.push(Reverse(free)));
        }
        (order.len() == n).then_some(order)
    }
}

impl Unfolding {
    /// The events of a configuration that are no joins and not in `done`, in an order in which they can happen after it. With read arcs
    /// there may be none, where a reader must come before a writer of what it read, and that one before it.
    pub fn order_after(&self, cut: &[EventId], done: &[EventId]) -> Option<Vec<EventId>> {
        let mut events = self.sorted_after(cut, done);
        if self.arcs == Arcs::Contextual {
            let order = Precedence::new(self, &events).order()?;
            events = order.into_iter().map(|position| events[position as usize]).collect();
        }
        events.retain(|&event| !self.events[event].is_join);
        Some(events)
    }

    /// Whether a set of events that is closed under causes has an order.
    pub fn has_order(&self, cut: &[EventId]) -> bool {
        Precedence::new(self, &self.sorted(cut)).order().is_some()
    }

    /// Events of two configurations that cannot all happen, as each would have to come before the next one and the last before the first. The union
    /// must have no order.
    pub fn cycle(&self, a: &[EventId], b: &[EventId]) -> Vec<EventId> {
        let events = self.sorted(&self.union(a, b));
        Precedence::new(self, &events).cycle().into_iter().map(|position| events[position as usize]).collect()
    }

    /// The events of a configuration, causes first.
    pub fn sorted(&self, cut: &[EventId]) -> Vec<EventId> {
        self.sorted_after(cut, &[])
    }

    pub fn sorted_after(&self, cut: &[EventId], done: &[EventId]) -> Vec<EventId> {
        let mut events = self.events_of(cut, done);
        events.sort_unstable_by_key(|&event| (self.events[event].size, event));
        events
    }

    /// How many steps of an execution can be the first ones of another that leads to this configuration.
    pub fn common_prefix(&self, cut: &[EventId], steps: &[EventId]) -> usize {
        let n_in = steps.iter().take_while(|&&event| self.contains(cut, event)).count();
        if self.arcs == Arcs::Replicated {
            return n_in;
        }
        let events = self.sorted(cut);
        let position_of = |event: EventId| {
            let key = |other: &EventId| (self.events[*other].size, *other);
            events.binary_search_by_key(&key(&event), key).expect("it is in the configuration") as u32
        };
        let mut precedence = Precedence::new(self, &events);
        // Joins happen by themselves.
        let is_join = |position: u32| self.events[events[position as usize]].is_join;
        let free = |position: &u32| is_join(*position) && precedence.n_before[*position as usize] == 0;
        let mut made: Vec<u32> = (0..events.len() as u32).filter(free).collect();
        for (nth, &step) in steps[..n_in].iter().enumerate() {
            while let Some(position) = made.pop() {
                precedence.remove(position, |next| made.extend(is_join(next).then_some(next)));
            }
            let position = position_of(step);
            if precedence.n_before[position as usize] > 0 {
                return nth;
            }
            made.push(position);
        }
        n_in
    }

    /// The events of a configuration that are not in `done`, which it is compatible with.
    pub fn events_of(&self, cut: &[EventId], done: &[EventId]) -> Vec<EventId> {
        let mut events = Vec::new();
        self.visit_after(cut, done, |event| {
            events.push(event);
            true
        });
        events
    }

    /// Visits the events of a configuration that are not in `done`, which it is compatible with, thread by thread and the last ones first. Whether that went to the end: `visit` tells whether to go on.
    pub fn visit_after(&self, cut: &[EventId], done: &[EventId], mut visit: impl FnMut(EventId) -> bool) -> bool {
        for (thread, &last) in cut.iter().enumerate() {
            let known = done.get(thread).copied().unwrap_or(NONE);
            let mut event = last;
            let is_done = |event| known != NONE && self.events[event].depth <= self.events[known].depth;
            while event != NONE && event != ROOT && !is_done(event) {
                if !visit(event) {
                    return false;
                }
                event = self.events[event].pred;
            }
        }
        true
    }

    /// Whether what is left of a compatible configuration can happen after `done`. With read arcs, who reads may have to come before.
    pub fn can_follow(&self, done: &[EventId], cut: &[EventId]) -> bool {
        if self.arcs == Arcs::Replicated {
            return true;
        }
        let left = self.events_of(cut, done);
        let reads = |event: &&EventId| self.uses_of(**event).iter().any(|used| used.mode == Mode::Read);
        let readers: Vec<EventId> = left.iter().filter(reads).copied().collect();
        if readers.is_empty() {
            return true;
        }
        let made = self.sorted(done);
        let writes = Writes::new(self, &made);
        readers.iter().all(|&reader| {
            let mut must_come_before = false;
            for read in self.uses_of(reader).iter().filter(|used| used.mode == Mode::Read) {
                writes.after(self, &made, reader, read, |_| must_come_before = true);
            }
            !must_come_before
        })
    }
}
