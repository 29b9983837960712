//! Order constraints: in which lines prefixes of several threads can come.

mod lives;

use crate::event::{Event, EventKind, EventRef, PendingOperation, Place};
use crate::follow::Turns;
use gordian_base::{FxHashMap, ThreadId};
use gordian_solve::{Budget, Demand, Timeline};
use smallvec::SmallVec;
use std::hash::Hash;

/// What a thread does, from its beginning on.
pub struct Prefix<'a> {
    pub thread: ThreadId,
    /// The event that created it; none created main.
    pub created_by: Option<EventRef>,
    /// By index: the first is the thread's beginning.
    pub events: Vec<&'a Event>,
}

impl Prefix<'_> {
    /// With the thread's beginning.
    fn refs(&self) -> impl Iterator<Item = (EventRef, &Event)> {
        let thread = self.thread;
        (0..).zip(&self.events).map(move |(index, event)| (EventRef { thread, index }, *event))
    }

    fn last_visible(&self) -> Option<EventRef> {
        let index = self.events.iter().rposition(|event| event.is_visible())?;
        Some(EventRef { thread: self.thread, index: index as u32 })
    }
}

/// All instants, one after the other. An instant is one or several events of a thread.
pub struct Line(Vec<u32>);

/// The events of a lock's critical section. One that is open has no release.
#[derive(Clone, Copy)]
struct CriticalSection {
    lock: u64,
    shared: bool,
    acquired: EventRef,
    released: Option<EventRef>,
}

/// The order constraints of prefixes. `B` names what is to blame if they cannot be satisfied: constraints with an empty blame are
/// certain, and a core tells the blames of the others.
pub struct Order<'a, B> {
    /// In the order of their threads.
    prefixes: &'a [Prefix<'a>],
    timeline: Timeline,
    /// By instant: the last event that happens then.
    instants: Vec<EventRef>,
    /// By prefix and index.
    instant_of: Vec<Vec<u32>>,
    writes: Vec<(EventRef, Place)>,
    /// By demand.
    blames: Vec<Blames<B>>,
    demands: FxHashMap<Blames<B>, Demand>,
    budget: &'a Budget,
    /// The budget's interrupt was raised before everything was said.
    is_stopped: bool,
}

type Blames<B> = SmallVec<[B; 2]>;

/// Of events that have no instant.
const NEVER: u32 = u32::MAX;

impl<'a, B: Copy + Ord + Hash> Order<'a, B> {
    /// Program order and creation, and nothing else yet. The prefixes are in the order of their threads. The budget is that of each question;
    /// its interrupt is also asked while constraints are said.
    pub fn new(prefixes: &'a [Prefix<'a>], budget: &'a Budget) -> Self {
        let mut instants: Vec<EventRef> = Vec::new();
        let mut instant_of = Vec::with_capacity(prefixes.len());
        for prefix in prefixes {
            instant_of.push(split_into_instants(prefix, &mut instants));
        }
        let timeline = Timeline::new(instants.iter().map(|event| event.thread.0).collect());
        let (blames, demands) = (Vec::new(), FxHashMap::default());
        let refs = prefixes.iter().flat_map(Prefix::refs);
        let writes = refs.filter_map(|(event, does)| Some((event, does.write()?))).collect();
        let mut order =
            Order { prefixes, timeline, instants, instant_of, writes, blames, demands, budget, is_stopped: false };
        order.say_threads();
        order
    }

    fn say_threads(&mut self) {
        for instant in 1..self.instants.len() {
            if self.instants[instant].thread == self.instants[instant - 1].thread {
                self.timeline.certainly(instant as u32 - 1, instant as u32);
            }
        }
        for prefix in self.prefixes {
            let Some(creation) = prefix.created_by else { continue };
            if let Some((first, _)) = prefix.refs().find(|(_, event)| event.is_visible()) {
                self.say_before(creation, first);
            }
        }
    }

    fn must_stop(&mut self) -> bool {
        self.is_stopped = self.is_stopped || self.budget.is_stopped();
        self.is_stopped
    }

    fn prefix(&self, thread: ThreadId) -> Option<(usize, &'a Prefix<'a>)> {
        let at = self.prefixes.binary_search_by_key(&thread, |prefix| prefix.thread).ok()?;
        Some((at, &self.prefixes[at]))
    }

    fn instant(&self, event: EventRef) -> Option<u32> {
        let (at, _) = self.prefix(event.thread)?;
        self.instant_of[at].get(event.index as usize).copied().filter(|&instant| instant != NEVER)
    }

    fn does(&self, event: EventRef) -> &'a EventKind {
        let (_, prefix) = self.prefix(event.thread).expect("its thread is there");
        &prefix.events[event.index as usize].kind
    }

    /// `a` comes before `b`. Says nothing if one of them is not there.
    pub fn say_before(&mut self, a: EventRef, b: EventRef) {
        if let (Some(a), Some(b)) = (self.instant(a), self.instant(b)) {
            self.timeline.certainly(a, b);
        }
    }

    /// These events, each the last visible one of its thread, come after all others.
    pub fn say_last(&mut self, events: &[EventRef]) {
        for prefix in self.prefixes {
            let own = events.iter().find(|event| event.thread == prefix.thread);
            let before = match own {
                // The instant before it, if it is the thread's as well.
                Some(&event) => {
                    let instant = self.instant(event).and_then(|instant| instant.checked_sub(1));
                    instant.map(|instant| self.instants[instant as usize])
                }
                None => prefix.last_visible(),
            };
            let Some(before) = before.filter(|before| before.thread == prefix.thread) else { continue };
            events.iter().for_each(|&event| self.say_before(before, event));
        }
    }

    fn demand(&mut self, to_blame: &[B], one_of: &[(u32, u32)]) {
        let to_blame: Blames<B> = to_blame.iter().copied().collect();
        let next = Demand(self.blames.len() as u32);
        let demand = *self.demands.entry(to_blame.clone()).or_insert(next);
        if demand == next {
            self.blames.push(to_blame);
        }
        self.timeline.demand(demand, one_of);
    }

    /// One of these pairs is in this order. What is certain should be said before.
    ///
    /// # Panics
    /// If an event is not there or has no place in the order.
    pub fn say_one_of(&mut self, to_blame: &[B], pairs: &[(EventRef, EventRef)]) {
        let mut one_of = Vec::new();
        for &(a, b) in pairs {
            if a.thread == b.thread {
                if a.index < b.index {
                    return;
                }
                continue;
            }
            let instant = |event: EventRef| self.instant(event).expect("it has an instant");
            one_of.push((instant(a), instant(b)));
        }
        self.demand(to_blame, &one_of);
    }

    /// Joins, barriers, waits and the end of the process. `waker` says which signal or broadcast ends a wait.
    pub fn say_synchronisation(&mut self, waker: impl Fn(EventRef) -> EventRef) {
        let prefixes = self.prefixes;
        for (at, does) in prefixes.iter().flat_map(Prefix::refs) {
            match does.kind {
                EventKind::Join(thread) | EventKind::Pending(PendingOperation::Join(thread)) => {
                    if let Some((_, joined)) = self.prefix(thread) {
                        let end = EventRef { thread, index: joined.events.len() as u32 - 1 };
                        self.say_before(end, at);
                    }
                }
                EventKind::Exit => {
                    let others = prefixes.iter().filter(|prefix| prefix.thread != at.thread);
                    others.filter_map(Prefix::last_visible).for_each(|last| self.say_before(last, at));
                }
                EventKind::Woken { .. } | EventKind::Pending(PendingOperation::Woken { .. }) => {
                    let signal = waker(at);
                    self.say_before(signal, at);
                    let (_, prefix) = self.prefix(at.thread).expect("it is there");
                    let before = &prefix.events[..at.index as usize];
                    let wait = before.iter().rposition(|event| matches!(event.kind, EventKind::Wait { .. }));
                    if let Some(index) = wait {
                        self.say_before(EventRef { thread: at.thread, index: index as u32 }, signal);
                    }
                }
                EventKind::BarrierFill(barrier)
                | EventKind::BarrierLeave(barrier)
                | EventKind::Pending(PendingOperation::BarrierLeave(barrier)) => {
                    let (_, prefix) = self.prefix(at.thread).expect("it is there");
                    let round = n_arrivals(&prefix.events[..=at.index as usize], barrier);
                    for arrival in arrivals(prefixes, barrier, round) {
                        if arrival.thread != at.thread {
                            self.say_before(arrival, at);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// The read takes byte number n from `source(n)`, or the initial value where that is none: nobody writes in between.
    pub fn say_read(
        &mut self,
        read: EventRef,
        place: Place,
        source: impl Fn(usize) -> Option<EventRef>,
        to_blame: &[B],
    ) {
        if self.must_stop() {
            return;
        }
        for n in 0..self.writes.len() {
            let (write, at) = self.writes[n];
            // Its own later writes do not matter.
            if !at.overlaps(place) || write.thread == read.thread && write.index > read.index {
                continue;
            }
            // Only the bytes that this write would change.
            let bytes = (place.address..).zip(0..place.size as usize);
            let touched = bytes.filter(|&(address, _)| at.covers(Place { address, size: 1 }));
            let mut sources: SmallVec<[Option<EventRef>; 8]> = touched.map(|(_, n)| source(n)).collect();
            sources.sort_unstable();
            sources.dedup();
            for source in sources {
                match source {
                    Some(source) if source == write => {}
                    Some(source) => self.say_one_of(to_blame, &[(write, source), (read, write)]),
                    None => self.say_one_of(to_blame, &[(read, write)]),
                }
            }
        }
    }

    fn critical_sections(&self) -> Vec<CriticalSection> {
        let mut sections: Vec<CriticalSection> = Vec::new();
        for prefix in self.prefixes {
            let first = sections.len();
            for (at, event) in prefix.refs() {
                let (lock, shared) = match event.kind {
                    EventKind::Lock { lock, shared } | EventKind::Pending(PendingOperation::Lock { lock, shared }) => {
                        (lock, shared)
                    }
                    EventKind::Woken { mutex, .. } | EventKind::Pending(PendingOperation::Woken { mutex, .. }) => {
                        (mutex, false)
                    }
                    EventKind::Unlock(lock) | EventKind::Wait { mutex: lock, .. } => {
                        let open = sections[first..].iter_mut().rfind(|section| section.lock == lock);
                        if let Some(section) = open.filter(|section| section.released.is_none()) {
                            section.released = Some(at);
                        }
                        continue;
                    }
                    _ => continue,
                };
                sections.push(CriticalSection { lock, shared, acquired: at, released: None });
            }
        }
        sections
    }

    /// Critical sections of the same lock come one after the other. `open` is to blame for one that is not released, by its acquisition;
    /// `holders` has the attempts to lock that fail, each with the acquisition of the section in which it does.
    pub fn say_locks(&mut self, open: impl Fn(EventRef) -> B, holders: &[(EventRef, EventRef)]) {
        let sections = self.critical_sections();
        for (n, a) in sections.iter().enumerate() {
            if self.must_stop() {
                return;
            }
            for b in &sections[n + 1..] {
                if a.lock != b.lock || a.acquired.thread == b.acquired.thread || a.shared && b.shared {
                    continue;
                }
                let mut to_blame: Blames<B> = Blames::new();
                let mut pairs: SmallVec<[(EventRef, EventRef); 2]> = SmallVec::new();
                for (first, second) in [(a, b), (b, a)] {
                    match first.released {
                        Some(released) => pairs.push((released, second.acquired)),
                        None => to_blame.push(open(first.acquired)),
                    }
                }
                self.say_one_of(&to_blame, &pairs);
            }
        }
        for &(fails, acquired) in holders {
            self.say_before(acquired, fails);
            let section = sections.iter().find(|section| section.acquired == acquired);
            if let Some(released) = section.and_then(|section| section.released) {
                self.say_before(fails, released);
            }
        }
    }

    /// Whether there is no line even without what has somebody to blame. None if the budget was used up.
    pub fn is_hopeless(&mut self) -> Option<bool> {
        if self.must_stop() {
            return None;
        }
        let is_certain = |demand: Demand| self.blames[demand.0 as usize].is_empty();
        Some(self.timeline.solve_some(is_certain, self.budget)?.is_err())
    }

    /// A line that satisfies everything; or what is to blame. None if the budget was used up. `overdrawn` is to blame for a semaphore that is
    /// taken before it was posted: such constraints are added only when a line violates them.
    pub fn solve(&mut self, overdrawn: impl Fn(u64) -> B) -> Option<Result<Line, Vec<B>>> {
        loop {
            if self.must_stop() {
                return None;
            }
            match self.timeline.solve(self.budget)? {
                Ok(line) => {
                    if !self.refuse_overdrawn(&line, &overdrawn) {
                        return Some(Ok(Line(line)));
                    }
                }
                Err(core) => {
                    let mut blames: Vec<B> =
                        core.iter().flat_map(|demand| self.blames[demand.0 as usize].iter().copied()).collect();
                    blames.sort_unstable();
                    blames.dedup();
                    return Some(Err(blames));
                }
            }
        }
    }

    /// The whole line as turns.
    pub fn turns(&self, line: &Line) -> Turns {
        line.0.iter().map(|&instant| self.instants[instant as usize]).collect()
    }

    /// The turns of a line up to the last visible event of a thread, with it or without. The whole line if the thread has none.
    pub fn turns_to_end_of(&self, line: &Line, thread: ThreadId, inclusive: bool) -> Turns {
        let last = self.prefix(thread).and_then(|(_, prefix)| prefix.last_visible());
        let Some(last) = last.and_then(|last| self.instant(last)) else { return self.turns(line) };
        let end = line.0.iter().position(|&instant| instant == last).expect("all instants are in the line");
        let end = if inclusive { end + 1 } else { end };
        line.0[..end].iter().map(|&instant| self.instants[instant as usize]).collect()
    }

    /// A semaphore is taken only when it is there to be taken. Refuses the first place of a line where it is not.
    fn refuse_overdrawn(&mut self, line: &[u32], overdrawn: &impl Fn(u64) -> B) -> bool {
        let mut at: Vec<(u32, EventRef)> = Vec::new();
        let mut values: FxHashMap<u64, i64> = FxHashMap::default();
        for (event, does) in self.prefixes.iter().flat_map(Prefix::refs) {
            match does.kind {
                EventKind::SemInit { semaphore, value } => {
                    values.insert(semaphore, value as i64);
                }
                EventKind::SemWait(_) | EventKind::SemPost(_) | EventKind::Pending(PendingOperation::SemWait(_)) => {
                    at.push((self.instant(event).expect("it is visible"), event));
                }
                _ => {}
            }
        }
        if at.is_empty() {
            return false;
        }
        let place: FxHashMap<u32, usize> = line.iter().enumerate().map(|(place, &instant)| (instant, place)).collect();
        at.sort_by_key(|(instant, _)| place[instant]);
        for n in 0..at.len() {
            let (instant, event) = at[n];
            let (semaphore, change) = match *self.does(event) {
                EventKind::SemPost(semaphore) => (semaphore, 1),
                EventKind::SemWait(semaphore) | EventKind::Pending(PendingOperation::SemWait(semaphore)) => {
                    (semaphore, -1)
                }
                _ => unreachable!("only these were kept"),
            };
            let value = values.entry(semaphore).or_default();
            *value += change;
            if *value >= 0 {
                continue;
            }
            let mut one_of = Vec::new();
            for &(other, of) in &at[..n] {
                if *self.does(of) == EventKind::SemWait(semaphore) {
                    one_of.push((instant, other));
                }
            }
            for &(other, of) in &at[n + 1..] {
                if *self.does(of) == EventKind::SemPost(semaphore) {
                    one_of.push((other, instant));
                }
            }
            self.demand(&[overdrawn(semaphore)], &one_of);
            return true;
        }
        false
    }
}

/// Adds the instants of a prefix. Gives the instant of each of its events.
fn split_into_instants(prefix: &Prefix<'_>, instants: &mut Vec<EventRef>) -> Vec<u32> {
    let mut instant_of = vec![NEVER; prefix.events.len()];
    let mut publishes = None;
    let visible: Vec<usize> = (0..prefix.events.len()).filter(|&index| prefix.events[index].is_visible()).collect();
    for (nth, &index) in visible.iter().enumerate() {
        let is_publication = |index: usize| matches!(prefix.events[index].kind, EventKind::Publish { .. });
        // What publishes an object does so in the same instant.
        let does = visible[nth..].iter().copied().find(|&index| !is_publication(index)).unwrap_or(index);
        let is_joined = prefix.events[does].joined || publishes == Some(does);
        let last = EventRef { thread: prefix.thread, index: index as u32 };
        if !is_joined || nth == 0 {
            instants.push(last);
        }
        publishes = Some(does);
        *instants.last_mut().expect("there is one") = last;
        instant_of[index] = instants.len() as u32 - 1;
    }
    instant_of
}

fn arrives(event: &Event, barrier: u64) -> bool {
    matches!(event.kind, EventKind::BarrierArrive(at) | EventKind::BarrierFill(at) if at == barrier)
}

fn n_arrivals(events: &[&Event], barrier: u64) -> u32 {
    events.iter().filter(|event| arrives(event, barrier)).count() as u32
}

/// The `nth` arrival of each thread at a barrier, from 1 on.
pub fn arrivals(prefixes: &[Prefix<'_>], barrier: u64, nth: u32) -> Vec<EventRef> {
    let of = |prefix: &Prefix<'_>| {
        let mut arrivals = prefix.refs().filter(|(_, event)| arrives(event, barrier)).map(|(at, _)| at);
        arrivals.nth((nth as usize).checked_sub(1)?)
    };
    prefixes.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests;
