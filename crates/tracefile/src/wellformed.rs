//! What no run can do: release a lock that one does not hold, act before one's creation or after one's join.
//!
//! Foreign traces are looser: a thread without a fork is there from the start, and a lock that is acquired while another thread holds it is
//! noted and excludes nobody from then on.

use crate::event::{Event, Origin, Trace};
use crate::kind::Kind;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_trace::OpKind;

/// Who holds a lock, each as often as it was acquired.
#[derive(Default)]
struct Holders {
    by_thread: Vec<(u32, u32)>,
}

impl Holders {
    fn others(&self, thread: u32) -> bool {
        self.by_thread.iter().any(|&(holder, _)| holder != thread)
    }

    fn acquire(&mut self, thread: u32) {
        match self.by_thread.iter_mut().find(|(holder, _)| *holder == thread) {
            Some((_, depth)) => *depth += 1,
            None => self.by_thread.push((thread, 1)),
        }
    }

    fn release(&mut self, thread: u32) -> bool {
        let Some(at) = self.by_thread.iter().position(|&(holder, _)| holder == thread) else { return false };
        self.by_thread[at].1 -= 1;
        if self.by_thread[at].1 == 0 {
            self.by_thread.swap_remove(at);
        }
        true
    }
}

/// Bytes of one access.
const LARGEST_ACCESS: u32 = 1 << 20;

/// Follows a trace and refuses the first event that cannot be.
pub struct WellFormed {
    origin: Origin,
    locks: FxHashMap<u64, Holders>,
    broken: FxHashSet<u64>,
    acted: FxHashSet<u32>,
    joined: FxHashSet<u32>,
}

impl WellFormed {
    pub fn new(origin: Origin) -> Self {
        WellFormed {
            origin,
            locks: FxHashMap::default(),
            broken: FxHashSet::default(),
            acted: FxHashSet::default(),
            joined: FxHashSet::default(),
        }
    }

    /// Takes an event in; a sentence if it cannot be.
    pub fn admit(&mut self, event: &Event) -> Result<(), String> {
        let Event { thread, address, .. } = *event;
        let is_marker = matches!(event.kind, Kind::Op(OpKind::AtomicBegin | OpKind::AtomicEnd));
        // Some recorders mark the begin of a thread before its fork.
        if is_marker && self.origin == Origin::Foreign {
            return Ok(());
        }
        if self.joined.contains(&thread) {
            return Err(format!("thread {thread} acts after it was joined"));
        }
        self.acted.insert(thread);
        let Kind::Op(kind) = event.kind else { return Ok(()) };
        match kind {
            OpKind::Create => {
                let other = named_thread(address)?;
                if self.acted.contains(&other) {
                    return Err(format!("thread {thread} creates thread {other}, which has acted before"));
                }
            }
            OpKind::Join => {
                let other = named_thread(address)?;
                if other == thread {
                    return Err(format!("thread {thread} joins itself"));
                }
                self.joined.insert(other);
            }
            OpKind::Lock | OpKind::TryLock => self.acquire(thread, address, true)?,
            OpKind::ReadLock | OpKind::TryReadLock => self.acquire(thread, address, false)?,
            OpKind::Unlock => self.release(thread, address)?,
            OpKind::Wait => self.release(thread, mutex(event)?)?,
            OpKind::Woken => self.acquire(thread, mutex(event)?, true)?,
            OpKind::MutexInit | OpKind::MutexDestroy => {
                self.locks.remove(&address);
            }
            kind if kind.is_access() && event.size > LARGEST_ACCESS && self.origin == Origin::Foreign => {
                let size = event.size;
                return Err(format!("an access of {size} bytes is larger than gordian takes ({LARGEST_ACCESS})"));
            }
            kind if kind.is_access() && address.checked_add(u64::from(event.size) + 8).is_none() => {
                return Err("an access reaches beyond the end of memory".to_owned());
            }
            _ => {}
        }
        Ok(())
    }

    fn acquire(&mut self, thread: u32, lock: u64, alone: bool) -> Result<(), String> {
        if self.broken.contains(&lock) {
            return Ok(());
        }
        let holders = self.locks.entry(lock).or_default();
        if alone && holders.others(thread) {
            if self.origin == Origin::Machine {
                return Err(format!("thread {thread} acquires a lock that another thread holds"));
            }
            self.broken.insert(lock);
            return Ok(());
        }
        holders.acquire(thread);
        Ok(())
    }

    fn release(&mut self, thread: u32, lock: u64) -> Result<(), String> {
        let is_broken = self.broken.contains(&lock);
        if is_broken || self.locks.entry(lock).or_default().release(thread) {
            return Ok(());
        }
        Err(format!("thread {thread} releases a lock that it does not hold"))
    }

    /// Tells the trace what is loose in it.
    pub fn conclude(self, trace: &mut Trace) {
        let mut broken: Vec<u64> = trace.events.iter().map(|event| event.address).collect();
        broken.retain(|lock| self.broken.contains(lock));
        broken.sort_unstable();
        broken.dedup();
        for &lock in &broken {
            let name = trace.lock_name(lock);
            trace.notes.push(format!("two threads hold lock {name} at the same time, so it excludes no thread"));
        }
        trace.broken_locks = broken;
    }
}

fn named_thread(address: u64) -> Result<u32, String> {
    u32::try_from(address).map_err(|_| format!("{address} is no number of a thread"))
}

fn mutex(event: &Event) -> Result<u64, String> {
    event.other.ok_or_else(|| "a wait does not name its mutex".to_owned())
}
