//! The model of a run: what each thread did, and what of its order is certain.

use gordian_base::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};

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
    /// An attempt that failed, because the semaphore was zero.
    SemFails(u64),
    SemPost(u64),
    /// At a barrier for `count` threads.
    BarrierArrive {
        barrier: u64,
        count: u64,
    },
    BarrierLeave(u64),
    /// A wait ends without a signal.
    GiveUp {
        cond: u64,
    },
    /// A synchronisation object begins to be one.
    Init(u64),
    /// It is one no more.
    Destroy(u64),
    /// A stream is closed.
    Close(u64),
    /// A file is used, by a stream if one is known. Who appends to it sees nothing of what others append.
    UseFile {
        file: u64,
        stream: Option<u64>,
        appends: bool,
    },
    /// The directory tree or the table of descriptors is used.
    UseFiles,
    /// A routine that runs once: entered by who runs it, done, or found done.
    OnceEnter(u64),
    OnceDone(u64),
    OnceFound(u64),
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
            Op::Wait { cond, .. } | Op::Woken { cond, .. } | Op::GiveUp { cond } => Some(cond),
            Op::Signal(cond) | Op::Broadcast(cond) => Some(cond),
            Op::SemInit { semaphore, .. } | Op::SemWait(semaphore) | Op::SemPost(semaphore) => Some(semaphore),
            Op::SemFails(semaphore) => Some(semaphore),
            _ => None,
        }
    }

    /// The synchronisation objects or streams that it needs to be alive.
    pub fn uses(self) -> [Option<u64>; 2] {
        match self {
            Op::Acquire { lock, .. } | Op::Release { lock } | Op::AcquireFails { lock, .. } => [Some(lock), None],
            Op::Wait { cond, mutex } | Op::Woken { cond, mutex } => [Some(cond), Some(mutex)],
            Op::BarrierArrive { barrier, .. } => [Some(barrier), None],
            Op::UseFile { stream, .. } => [stream, None],
            Op::Signal(_) | Op::Broadcast(_) | Op::SemWait(_) | Op::SemPost(_) | Op::SemFails(_) => {
                [self.object(), None]
            }
            _ => [None, None],
        }
    }

    /// The object that it makes, if any.
    pub fn makes(self) -> Option<u64> {
        match self {
            Op::Init(object) | Op::SemInit { semaphore: object, .. } => Some(object),
            _ => None,
        }
    }

    /// The object that it ends, if any.
    pub fn ends(self) -> Option<u64> {
        match self {
            Op::Destroy(object) | Op::Close(object) => Some(object),
            _ => None,
        }
    }

    /// The objects whose operations all keep their order if one of them has to.
    fn kept_with(self) -> impl Iterator<Item = u64> {
        let own = match self {
            Op::Pinned(key) => Some(key),
            _ => self.makes().or(self.ends()),
        };
        self.uses().into_iter().chain([own]).flatten()
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
    /// By instant: the next of its thread.
    next: Vec<Option<u32>>,
    pub n_threads: u32,
    /// Pairs of instants that are in this order in every reordering, besides program order.
    pub certain: Vec<(u32, u32)>,
    /// By event, if reads must take their write of the run: that write.
    pub sources: Option<Vec<Option<u32>>>,
    /// By address of an access that overlaps with others: see [`Run::variable`].
    pub variables: FxHashMap<u64, u64>,
    pub sections: Vec<Section>,
    /// Events of operations that come back without success rather than wait for ever.
    pub can_fail: FxHashSet<u32>,
    /// Signals and broadcasts, by event, and the threads that they woke, as far as that is known.
    pub wakes: BTreeSet<(u32, u32)>,
    /// By event: the section that it begins.
    pub begins: FxHashMap<u32, u32>,
    /// Uses of files by different threads keep the order of the run.
    pub keeps_files: bool,
}

/// Uses of one file, by instant.
#[derive(Default)]
struct FileUses {
    /// The last one that sees what others did.
    seeing: Option<u32>,
    /// Those behind it that only append.
    appending: Vec<u32>,
}

impl FileUses {
    fn latest(&self) -> impl Iterator<Item = u32> {
        self.appending.iter().copied().chain(self.seeing)
    }

    /// Takes in one more use; those that come before it.
    fn take(&mut self, at: u32, appends: bool) -> Vec<u32> {
        if appends {
            self.appending.push(at);
            return self.seeing.into_iter().collect();
        }
        let before = self.latest().collect();
        *self = FileUses { seeing: Some(at), appending: Vec::new() };
        before
    }
}

impl Run {
    /// Where values are not known: the name of all bytes that are accessed together with this one.
    pub fn variable(&self, address: u64) -> u64 {
        self.variables.get(&address).copied().unwrap_or(address)
    }

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

    /// Finds critical sections and what is certain, once all events are there. Objects of `pinned` keep the order of their operations.
    pub fn complete(&mut self, pinned: &FxHashSet<u64>) {
        self.find_sections();
        let mut first: Vec<Option<u32>> = vec![None; self.n_threads as usize];
        let mut last = first.clone();
        for (number, instant) in (0u32..).zip(&self.instants) {
            first[instant.thread as usize].get_or_insert(number);
            last[instant.thread as usize] = Some(number);
        }
        self.next = vec![None; self.instants.len()];
        let mut before: Vec<Option<u32>> = vec![None; self.n_threads as usize];
        for (number, instant) in (0u32..).zip(&self.instants) {
            if let Some(before) = before[instant.thread as usize].replace(number) {
                self.next[before as usize] = Some(number);
            }
        }
        self.order_threads(&first, &last);
        self.order_pinned(pinned);
        self.order_barriers();
        self.order_files();
        if let Some(sources) = &self.sources {
            for (read, source) in self.events.iter().zip(sources) {
                let from = source.map(|source| self.events[source as usize].instant);
                self.certain.extend(from.filter(|&from| from != read.instant).map(|from| (from, read.instant)));
            }
        }
        self.certain.sort_unstable();
        self.certain.dedup();
    }

    /// Creation, join, `pthread_once`, and the end of the process.
    fn order_threads(&mut self, first: &[Option<u32>], last: &[Option<u32>]) {
        let mut created_by: FxHashMap<u32, u32> = FxHashMap::default();
        let mut done: FxHashMap<u64, u32> = FxHashMap::default();
        for event in 0..self.events.len() {
            let Event { instant, thread, op, .. } = self.events[event];
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
                    let others = (0..).zip(last).filter(|&(other, _)| other != thread);
                    let before = others.filter_map(|(_, &last)| last.filter(|&last| last < instant));
                    self.certain.extend(before.map(|last| (last, instant)));
                }
                Op::OnceDone(control) => {
                    done.insert(control, instant);
                }
                Op::OnceFound(control) => {
                    let done = done.get(&control).copied().filter(|&done| done != instant);
                    self.certain.extend(done.map(|done| (done, instant)));
                }
                _ => {}
            }
        }
    }

    fn order_pinned(&mut self, pinned: &FxHashSet<u64>) {
        let mut latest: FxHashMap<u64, u32> = FxHashMap::default();
        for event in &self.events {
            for key in event.op.kept_with().filter(|key| pinned.contains(key)) {
                if let Some(before) = latest.insert(key, event.instant)
                    && before != event.instant
                {
                    self.certain.push((before, event.instant));
                }
            }
        }
    }

    /// All who fill a barrier together arrive before any of them leaves. Who they are is as in the run.
    fn order_barriers(&mut self) {
        let mut arrivals: FxHashMap<u64, Vec<u32>> = FxHashMap::default();
        // By thread and barrier: the round that it arrived for.
        let mut rounds: FxHashMap<(u32, u64), (usize, usize)> = FxHashMap::default();
        let mut leaves: Vec<(u64, (usize, usize), u32)> = Vec::new();
        for event in &self.events {
            match event.op {
                Op::BarrierArrive { barrier, count } => {
                    let arrived = arrivals.entry(barrier).or_default();
                    let (count, nth) = (count.max(1) as usize, arrived.len());
                    rounds.insert((event.thread, barrier), (nth / count * count, nth / count * count + count));
                    arrived.push(event.instant);
                }
                Op::BarrierLeave(barrier) => {
                    let round = rounds.get(&(event.thread, barrier));
                    leaves.extend(round.map(|&round| (barrier, round, event.instant)));
                }
                _ => {}
            }
        }
        for (barrier, (from, to), leaves) in leaves {
            let together = arrivals[&barrier].get(from..to).unwrap_or(&[]);
            self.certain.extend(together.iter().filter(|&&arrival| arrival < leaves).map(|&arrival| (arrival, leaves)));
        }
    }

    /// What was written to a file is read from it, and opening changes which descriptors there are. Closing a stream needs none of its uses.
    fn order_files(&mut self) {
        // The last change of the tree or the table, and the last that was no close.
        let (mut tree, mut opened): (Option<u32>, Option<u32>) = (None, None);
        let mut files: BTreeMap<u64, FileUses> = BTreeMap::new();
        for event in &self.events {
            let at = event.instant;
            let mut before: Vec<u32> = Vec::new();
            match event.op {
                Op::UseFile { file, appends, .. } => {
                    before.extend(opened);
                    before.extend(files.entry(file).or_default().take(at, appends));
                }
                Op::UseFiles => {
                    before.extend(tree);
                    before.extend(files.values().flat_map(FileUses::latest));
                    (tree, opened) = (Some(at), Some(at));
                }
                Op::Close(_) => {
                    before.extend(tree);
                    tree = Some(at);
                }
                _ => continue,
            }
            let thread = |instant: u32| self.instants[instant as usize].thread;
            self.keeps_files |= before.iter().any(|&before| thread(before) != event.thread);
            self.certain.extend(before.into_iter().filter(|&before| before != at).map(|before| (before, at)));
        }
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

    /// The instant of the same thread behind this one.
    pub fn next_of_thread(&self, instant: u32) -> Option<u32> {
        self.next.get(instant as usize).copied().flatten()
    }

    pub fn instant(&self, event: u32) -> u32 {
        self.events[event as usize].instant
    }

    /// The locks that threads hold before each event.
    pub fn held(&self) -> Held {
        let mut now: Vec<u32> = vec![0; self.n_threads as usize];
        let n = self.events.len();
        let mut held = Held { of_event: Vec::with_capacity(n), at_end: Vec::new(), sets: vec![Vec::new()] };
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
        held.at_end = now;
        held
    }
}

/// Locks that threads hold, each set once: lock, and whether it is only read-locked.
pub struct Held {
    of_event: Vec<u32>,
    /// By thread: at the end of the run.
    at_end: Vec<u32>,
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

    /// The set that a thread holds at the end of the run.
    pub fn at_end(&self, thread: u32) -> u32 {
        self.at_end[thread as usize]
    }

    pub fn set_of(&self, event: u32) -> u32 {
        self.of_event[event as usize]
    }

    /// Whether a set has a lock, locked in this way.
    pub fn has(&self, set: u32, lock: (u64, bool)) -> bool {
        self.sets[set as usize].contains(&lock)
    }

    /// Whether one of these locks cannot be taken while another thread holds this set.
    pub fn takes_any(&self, held: u32, taken: &[(u64, bool)]) -> bool {
        let held = &self.sets[held as usize];
        taken.iter().any(|&(lock, shared)| held.iter().any(|&(other, also)| lock == other && !(shared && also)))
    }

    /// Whether two threads cannot hold these sets at the same time.
    pub fn exclude(&self, a: u32, b: u32) -> bool {
        let (first, second) = (&self.sets[a as usize], &self.sets[b as usize]);
        first.iter().any(|&(lock, shared)| second.iter().any(|&(other, also)| lock == other && !(shared && also)))
    }
}
