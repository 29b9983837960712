//! The model of a run: what each thread did, and what of its order is certain.

use gordian_base::{FxHashMap, FxHashSet};

/// Bytes from an address on. In foreign traces a variable is one byte at its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    pub address: u64,
    pub size: u32,
}

impl Span {
    pub fn end(self) -> u64 {
        self.address.saturating_add(u64::from(self.size))
    }

    pub fn overlaps(self, other: Span) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    pub fn bytes(self) -> impl Iterator<Item = u64> {
        self.address..self.end()
    }
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Read(Span),
    Write(Span),
    /// An object becomes known to others, with what is in it.
    Publish(Span),
    Free(Span),
    Acquire {
        lock: u64,
        shared: bool,
    },
    Release {
        lock: u64,
    },
    /// An attempt that failed, because somebody else held the lock.
    AcquireFails {
        lock: u64,
        shared: bool,
    },
    Fork(u32),
    Join(u32),
    End,
    ProcessExit,
    Wait {
        cond: u64,
        mutex: u64,
    },
    Woken {
        cond: u64,
        mutex: u64,
    },
    Signal(u64),
    Broadcast(u64),
    SemInit {
        semaphore: u64,
        value: u64,
    },
    SemWait(u64),
    SemPost(u64),
    BarrierArrive(u64),
    BarrierLeave(u64),
    /// A decision, by its number among [`crate::values::Values`].
    Decide(u32),
    /// Something whose order among its like is kept as the run has it.
    Pinned(u64),
    Nothing,
}

impl Op {
    /// The condition variable or semaphore that it is about.
    pub fn object(self) -> Option<u64> {
        match self {
            Op::Wait { cond, .. } | Op::Woken { cond, .. } | Op::Signal(cond) | Op::Broadcast(cond) => Some(cond),
            Op::SemInit { semaphore, .. } | Op::SemWait(semaphore) | Op::SemPost(semaphore) => Some(semaphore),
            _ => None,
        }
    }

    /// The object whose operations all keep their order if one of them has to.
    fn kept_with(self) -> Option<u64> {
        match self {
            Op::Pinned(key) => Some(key),
            Op::Acquire { lock, .. } | Op::Release { lock } | Op::AcquireFails { lock, .. } => Some(lock),
            _ => self.object(),
        }
    }

    pub fn access(self) -> Option<(Span, bool)> {
        match self {
            Op::Read(span) => Some((span, false)),
            Op::Write(span) => Some((span, true)),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Event {
    pub thread: u32,
    pub instant: u32,
    /// Equal for events of the same place in the source.
    pub place: u32,
    pub atomic: bool,
    pub op: Op,
}

/// Events of one thread between which nobody else comes.
#[derive(Clone, Copy, Debug)]
pub struct Instant {
    pub thread: u32,
    /// Its events, from the first to before the last.
    pub events: (u32, u32),
    /// The instant of the thread before it; for the first of a thread, the one that created it.
    pub enabled_by: Option<u32>,
}

/// From a lock's acquisition to its release, by number of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Section {
    pub lock: u64,
    pub thread: u32,
    pub shared: bool,
    pub acquire: u32,
    pub release: Option<u32>,
}

/// A run, in its order.
#[derive(Default)]
pub struct Run {
    pub events: Vec<Event>,
    pub instants: Vec<Instant>,
    pub n_threads: u32,
    /// Pairs of instants that are in this order in every reordering, besides program order.
    pub certain: Vec<(u32, u32)>,
    /// By event, if reads must take their write of the run: that write.
    pub sources: Option<Vec<Option<u32>>>,
    pub sections: Vec<Section>,
    /// By event: the section that it begins.
    pub begins: FxHashMap<u32, u32>,
}

impl Run {
    /// Adds an event. It belongs to the last instant of its thread unless `begins` says that others can come before it.
    pub fn push(
        &mut self,
        thread: u32,
        place: u32,
        atomic: bool,
        op: Op,
        begins: bool,
        last_instant: &mut Vec<Option<u32>>,
    ) {
        if last_instant.len() <= thread as usize {
            last_instant.resize(thread as usize + 1, None);
        }
        let event = self.events.len() as u32;
        let before = last_instant[thread as usize];
        let joins = before.filter(|&instant| !begins && self.instants[instant as usize].events.1 == event);
        let instant = joins.unwrap_or(self.instants.len() as u32);
        match joins {
            Some(instant) => self.instants[instant as usize].events.1 += 1,
            None => {
                self.instants.push(Instant { thread, events: (event, event + 1), enabled_by: before });
                last_instant[thread as usize] = Some(instant);
            }
        }
        self.n_threads = self.n_threads.max(thread + 1);
        self.events.push(Event { thread, instant, place, atomic, op });
    }

    /// Finds critical sections and what is certain, once all events are there.
    pub fn complete(&mut self) {
        self.find_sections();
        let mut first: Vec<Option<u32>> = vec![None; self.n_threads as usize];
        let mut last = first.clone();
        for (number, instant) in (0u32..).zip(&self.instants) {
            first[instant.thread as usize].get_or_insert(number);
            last[instant.thread as usize] = Some(number);
        }
        let mut created_by: FxHashMap<u32, u32> = FxHashMap::default();
        let mut pinned: FxHashMap<u64, u32> = FxHashMap::default();
        let keys = self.events.iter().filter_map(|event| if let Op::Pinned(key) = event.op { Some(key) } else { None });
        let keys: FxHashSet<u64> = keys.collect();
        let mut arrivals: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        for event in 0..self.events.len() as u32 {
            let Event { instant, thread, op, .. } = self.events[event as usize];
            if let Some(key) = op.kept_with().filter(|key| keys.contains(key))
                && let Some(before) = pinned.insert(key, instant)
                && before != instant
            {
                self.certain.push((before, instant));
            }
            match op {
                Op::Fork(child) => {
                    created_by.insert(child, instant);
                    if let Some(&Some(first)) = first.get(child as usize)
                        && first > instant
                    {
                        self.certain.push((instant, first));
                        self.instants[first as usize].enabled_by = Some(instant);
                    }
                }
                Op::Join(child) => {
                    // A thread may have done nothing.
                    let last = last.get(child as usize).copied().flatten().or(created_by.get(&child).copied());
                    self.certain.extend(last.filter(|&last| last < instant).map(|last| (last, instant)));
                }
                Op::ProcessExit => {
                    let others = (0..).zip(&last).filter(|&(other, _)| other != thread);
                    let before = others.filter_map(|(_, &last)| last.filter(|&last| last < instant));
                    self.certain.extend(before.map(|last| (last, instant)));
                }
                Op::BarrierArrive(barrier) => arrivals.entry(barrier).or_default().push(instant),
                Op::BarrierLeave(barrier) => {
                    let before = arrivals.get(&barrier).into_iter().flatten();
                    self.certain.extend(before.filter(|&&before| before < instant).map(|&before| (before, instant)));
                }
                _ => {}
            }
        }
        if let Some(sources) = &self.sources {
            for (read, source) in self.events.iter().zip(sources) {
                let from = source.map(|source| self.events[source as usize].instant);
                self.certain.extend(from.filter(|&from| from != read.instant).map(|from| (from, read.instant)));
            }
        }
        self.certain.sort_unstable();
        self.certain.dedup();
    }

    fn find_sections(&mut self) {
        let mut open: FxHashMap<(u32, u64), u32> = FxHashMap::default();
        for (number, event) in (0u32..).zip(&self.events) {
            let (begins, ends) = match event.op {
                Op::Acquire { lock, shared } => (Some((lock, shared)), None),
                Op::Woken { mutex, .. } => (Some((mutex, false)), None),
                Op::Release { lock } | Op::Wait { mutex: lock, .. } => (None, Some(lock)),
                _ => continue,
            };
            if let Some((lock, shared)) = begins {
                open.insert((event.thread, lock), self.sections.len() as u32);
                self.begins.insert(number, self.sections.len() as u32);
                let section = Section { lock, thread: event.thread, shared, acquire: number, release: None };
                self.sections.push(section);
            }
            if let Some(section) = ends.and_then(|lock| open.remove(&(event.thread, lock))) {
                self.sections[section as usize].release = Some(number);
            }
        }
    }

    pub fn events_of(&self, instant: u32) -> impl DoubleEndedIterator<Item = (u32, &Event)> {
        let (from, to) = self.instants[instant as usize].events;
        (from..to).zip(&self.events[from as usize..to as usize])
    }

    pub fn instant(&self, event: u32) -> u32 {
        self.events[event as usize].instant
    }

    /// The locks that threads hold before each event.
    pub fn held(&self) -> Held {
        let mut now: Vec<u32> = vec![0; self.n_threads as usize];
        let mut held = Held { of_event: Vec::with_capacity(self.events.len()), sets: vec![Vec::new()] };
        let mut numbers: FxHashMap<Vec<(u64, bool)>, u32> = FxHashMap::default();
        numbers.insert(Vec::new(), 0);
        for event in &self.events {
            let mine = &mut now[event.thread as usize];
            held.of_event.push(*mine);
            let mut set = match event.op {
                Op::Acquire { .. } | Op::Woken { .. } | Op::Release { .. } | Op::Wait { .. } => {
                    held.sets[*mine as usize].clone()
                }
                _ => continue,
            };
            match event.op {
                Op::Acquire { lock, shared } => set.push((lock, shared)),
                Op::Woken { mutex, .. } => set.push((mutex, false)),
                Op::Release { lock } | Op::Wait { mutex: lock, .. } => set.retain(|&(held, _)| held != lock),
                _ => {}
            }
            set.sort_unstable();
            let next = held.sets.len() as u32;
            *mine = *numbers.entry(set.clone()).or_insert(next);
            if *mine == next {
                held.sets.push(set);
            }
        }
        held
    }
}

/// Locks that threads hold, each set once: lock, and whether it is only read-locked.
pub struct Held {
    of_event: Vec<u32>,
    sets: Vec<Vec<(u64, bool)>>,
}

impl Held {
    pub fn of(&self, event: u32) -> &[(u64, bool)] {
        &self.sets[self.of_event[event as usize] as usize]
    }

    /// The different sets of some events.
    pub fn sets_of(&self, events: &[u32]) -> Vec<u32> {
        let mut sets: Vec<u32> = events.iter().map(|&event| self.of_event[event as usize]).collect();
        sets.sort_unstable();
        sets.dedup();
        sets
    }

    pub fn set_of(&self, event: u32) -> u32 {
        self.of_event[event as usize]
    }

    /// Whether two threads cannot hold these sets at the same time.
    pub fn exclude(&self, a: u32, b: u32) -> bool {
        let (first, second) = (&self.sets[a as usize], &self.sets[b as usize]);
        first.iter().any(|&(lock, shared)| second.iter().any(|&(other, also)| lock == other && !(shared && also)))
    }
}
