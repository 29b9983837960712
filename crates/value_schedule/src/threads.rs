//! Which threads of an execution are which threads of the analysis, and what they hold.

use gordian_analysis::{AbstractThread, Analysis, Point};
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_ir::FuncId;
use gordian_trace::{CodePoint, Event, OpKind};

pub fn point(at: CodePoint) -> Point {
    Point { function: FuncId(at.function), pc: at.pc }
}

/// The abstract threads that are created at each instruction.
pub type Creators = FxHashMap<Point, Vec<AbstractThread>>;

pub fn creators(analysis: &Analysis<'_>) -> Creators {
    let mut creators = Creators::default();
    for thread in analysis.threads() {
        for at in analysis.created_at(thread) {
            creators.entry(at).or_default().push(thread);
        }
    }
    creators
}

/// The threads of the present execution.
#[derive(Default)]
pub struct Threads {
    /// The events that were looked at.
    n_events: usize,
    /// By number of the thread: what it may be.
    pub kinds: Vec<Vec<AbstractThread>>,
    /// Locks, and who has acquired them how often.
    held: FxHashMap<u64, Vec<(ThreadId, u32)>>,
}

impl Threads {
    /// Looks at the events that were made since the last time; at all of them if the execution has gone back.
    pub fn update(&mut self, creators: &Creators, events: &[Event]) {
        if events.len() < self.n_events || self.kinds.is_empty() {
            *self = Threads { kinds: vec![vec![AbstractThread(0)]], ..Threads::default() };
        }
        for event in &events[self.n_events..] {
            self.look_at(creators, event);
        }
        self.n_events = events.len();
    }

    /// The execution goes back.
    pub fn forget(&mut self) {
        *self = Threads::default();
    }

    fn look_at(&mut self, creators: &Creators, event: &Event) {
        use OpKind::*;
        match event.kind {
            Create => {
                let number = event.address as usize;
                self.kinds.resize(self.kinds.len().max(number + 1), Vec::new());
                self.kinds[number] = creators.get(&point(event.at)).cloned().unwrap_or_default();
            }
            Lock | TryLock | ReadLock | TryReadLock => self.acquire(event.thread, event.address),
            Unlock => self.release(event.thread, event.address, 1),
            Wait => self.release(event.thread, event.other, u32::MAX),
            Woken => self.acquire(event.thread, event.other),
            _ => {}
        }
    }

    fn acquire(&mut self, thread: ThreadId, lock: u64) {
        let holders = self.held.entry(lock).or_default();
        match holders.iter_mut().find(|(holder, _)| *holder == thread) {
            Some((_, times)) => *times += 1,
            None => holders.push((thread, 1)),
        }
    }

    fn release(&mut self, thread: ThreadId, lock: u64, times: u32) {
        let Some(holders) = self.held.get_mut(&lock) else { return };
        holders.iter_mut().filter(|(holder, _)| *holder == thread).for_each(|(_, n)| *n = n.saturating_sub(times));
        holders.retain(|(_, n)| *n > 0);
    }

    pub fn holds(&self, thread: ThreadId, lock: u64) -> bool {
        self.holders(lock).any(|holder| holder == thread)
    }

    pub fn holders(&self, lock: u64) -> impl Iterator<Item = ThreadId> {
        self.held.get(&lock).into_iter().flatten().map(|(holder, _)| *holder)
    }

    /// The locks that a thread holds, in order.
    pub fn locks_of(&self, thread: ThreadId) -> Vec<u64> {
        let holds = |(_, holders): &(&u64, &Vec<(ThreadId, u32)>)| holders.iter().any(|(holder, _)| *holder == thread);
        let mut locks: Vec<u64> = self.held.iter().filter(holds).map(|(lock, _)| *lock).collect();
        locks.sort_unstable();
        locks
    }

    pub fn is(&self, thread: ThreadId, kind: AbstractThread) -> bool {
        self.kinds.get(thread.index()).is_some_and(|kinds| kinds.contains(&kind))
    }
}
