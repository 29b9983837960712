//! What threads did in an execution: the machine's record of it, thread by thread.

use crate::event::{Event, EventKind, EventRef, PendingOperation, Place, Used};
use gordian_base::{FxHashMap, FxHashSet, Id, ThreadId};
use gordian_expr::ExprId;
use gordian_trace::{Choice, CodePoint, Hidden, OpKind};
use gordian_vm::{Action, Does, End, Machine};
use smallvec::SmallVec;

/// An event, and the other ways that the same decision could have gone.
#[derive(Clone, Debug)]
pub struct Recorded {
    pub event: Event,
    pub others: SmallVec<[EventKind; 2]>,
}

/// Records an execution of a machine whose reads are symbols, while it is made.
#[derive(Default)]
pub struct Recorder {
    n_actions: usize,
    n_events: usize,
    threads: Vec<RecordedThread>,
    /// By address of a byte: who wrote it last.
    writers: FxHashMap<u64, EventRef>,
    /// How many threads each barrier waits for.
    barriers: FxHashMap<u64, u64>,
    /// The operation with which a thread ended the execution, instead of what it should have done.
    failed: Option<(ThreadId, PendingOperation, CodePoint)>,
    /// Why some of what threads could do was not recorded.
    pub losses: Vec<&'static str>,
}

/// What one thread did.
#[derive(Default)]
pub struct RecordedThread {
    /// The first is the event number 1.
    pub events: Vec<Recorded>,
    /// By index of a read: the last write of any of its bytes, if there was one.
    read_from: FxHashMap<u32, Option<EventRef>>,
    /// The event that created it.
    pub created_by: Option<EventRef>,
    /// Locks that it holds, each as often as it took it.
    holds: Vec<u64>,
    /// First bytes of the objects that it published.
    published: FxHashSet<u64>,
}

impl Recorder {
    pub fn thread(&self, thread: ThreadId) -> Option<&RecordedThread> {
        self.threads.get(thread.index())
    }

    pub fn n_threads(&self) -> u32 {
        self.threads.len() as u32
    }

    /// How many events of a thread were recorded: the index of its last one.
    pub fn n_events(&self, thread: ThreadId) -> u32 {
        self.thread(thread).map_or(0, |thread| thread.events.len() as u32)
    }

    fn entry(&mut self, thread: ThreadId) -> &mut RecordedThread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, RecordedThread::default);
        }
        &mut self.threads[thread.index()]
    }

    /// Records what happened since it last did.
    pub fn take_in(&mut self, machine: &mut Machine<'_>) {
        self.entry(ThreadId::MAIN);
        while self.n_actions < machine.actions().len() || self.n_events < machine.events().len() {
            let action = machine.actions().get(self.n_actions);
            match action.filter(|action| action.event as usize <= self.n_events) {
                Some(action) => {
                    let action = action.clone();
                    self.n_actions += 1;
                    self.take_action(machine, &action);
                }
                None => {
                    let event = machine.events()[self.n_events];
                    self.n_events += 1;
                    self.take_event(event);
                }
            }
        }
    }

    /// Makes a step and records it.
    pub fn step(&mut self, machine: &mut Machine<'_>, choice: Choice) {
        let thread = choice.thread;
        let (next, n_events) = (self.next(machine, thread), self.n_events(thread));
        machine.step(choice);
        self.take_in(machine);
        if machine.end() == Some(&End::Failed) && self.n_events(thread) == n_events {
            self.failed = next.map(|(operation, at)| (thread, operation, at));
        }
    }

    /// The thread whose operation came to nothing because it is a failure, if there is one.
    pub fn failed(&self) -> Option<ThreadId> {
        self.failed.map(|(thread, ..)| thread)
    }

    fn take_action(&mut self, machine: &mut Machine<'_>, action: &Action) {
        let Action { thread, at, joined, atomic, .. } = *action;
        let mut others = SmallVec::new();
        let (mut starts_at, mut again) = (None, false);
        let kind = match &action.does {
            &Does::Read { address, size, symbol, initial, .. } => {
                starts_at = Some(initial);
                let place = Place { address, size };
                self.note_read(thread, place);
                EventKind::Read { place, symbol: machine.pool().symbol_term(symbol) }
            }
            &Does::Write { address, size, term } => {
                let index = self.n_events(thread) + 1;
                for byte in address..address + u64::from(size) {
                    self.writers.insert(byte, EventRef { thread, index });
                }
                EventKind::Write { place: Place { address, size }, term }
            }
            Does::Publish { address, bytes } => {
                let place = Place { address: *address, size: bytes.len() as u32 };
                again = !self.entry(thread).published.insert(*address);
                // Whoever made the object known wrote what it holds.
                let index = self.n_events(thread) + 1;
                for byte in *address..*address + bytes.len() as u64 {
                    self.writers.insert(byte, EventRef { thread, index });
                }
                EventKind::Publish { place, bytes: bytes.clone() }
            }
            Does::Decide { conditions, taken } => {
                let way = |(way, &condition): (u32, &ExprId)| EventKind::Decide { condition, way };
                let ways = (0..).zip(conditions).filter(|(_, condition)| machine_can_be(machine, **condition));
                others = ways.filter(|(way, _)| way != taken).map(way).collect();
                EventKind::Decide { condition: conditions[*taken as usize], way: *taken }
            }
            &Does::Pick { term, value } => EventKind::Pick { term, value },
            &Does::Assume(condition) => EventKind::Assume(condition),
        };
        let event = Event { kind, at, joined, atomic, again, initial: starts_at };
        self.entry(thread).events.push(Recorded { event, others });
    }

    fn note_read(&mut self, thread: ThreadId, place: Place) {
        let index = self.n_events(thread) + 1;
        let from = self.writer(place);
        self.entry(thread).read_from.insert(index, from);
    }

    /// The last write of the first of these bytes that was written.
    pub fn writer(&self, place: Place) -> Option<EventRef> {
        let bytes = place.address..place.address + u64::from(place.size);
        let mut writers = bytes.filter_map(|byte| self.writers.get(&byte));
        writers.next().copied()
    }

    /// The last write before the read number `index` of the thread.
    pub fn source(&self, thread: ThreadId, index: u32) -> Option<EventRef> {
        *self.thread(thread)?.read_from.get(&index)?
    }

    fn lose(&mut self, what: &'static str) {
        if !self.losses.contains(&what) {
            self.losses.push(what);
        }
    }

    fn take_event(&mut self, event: gordian_trace::Event) {
        let gordian_trace::Event { thread, kind, address, other, at, value, .. } = event;
        let mut others = SmallVec::new();
        let holds = self.entry(thread).holds.iter().filter(|&&lock| lock == address).count();
        let kind = match kind {
            OpKind::Create => {
                let index = self.n_events(thread) + 1;
                self.entry(ThreadId(address as u32)).created_by = Some(EventRef { thread, index });
                EventKind::Create(ThreadId(address as u32))
            }
            OpKind::Join => EventKind::Join(ThreadId(address as u32)),
            OpKind::Exit => EventKind::End,
            OpKind::ProcessExit => EventKind::Exit,
            OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock => {
                self.entry(thread).holds.push(address);
                if holds > 0 {
                    return;
                }
                let shared = matches!(kind, OpKind::ReadLock | OpKind::TryReadLock);
                if matches!(kind, OpKind::TryLock | OpKind::TryReadLock) {
                    others.push(EventKind::LockFails { lock: address, shared });
                }
                if other == 1 {
                    self.lose("timed attempts to lock");
                }
                EventKind::Lock { lock: address, shared }
            }
            OpKind::TryLockFail | OpKind::TryReadLockFail => {
                if holds > 0 {
                    return;
                }
                let shared = kind == OpKind::TryReadLockFail;
                others.push(EventKind::Lock { lock: address, shared });
                EventKind::LockFails { lock: address, shared }
            }
            OpKind::Unlock => {
                let held = &mut self.entry(thread).holds;
                if let Some(last) = held.iter().rposition(|&lock| lock == address) {
                    held.remove(last);
                }
                if holds > 1 {
                    return;
                }
                EventKind::Unlock(address)
            }
            OpKind::Wait => {
                self.entry(thread).holds.retain(|&lock| lock != other);
                EventKind::Wait { cond: address, mutex: other }
            }
            OpKind::Woken => {
                if value != OpKind::WOKEN_BY_SIGNAL {
                    self.lose("waits that end without a signal");
                }
                self.entry(thread).holds.push(other);
                EventKind::Woken { cond: address, mutex: other }
            }
            OpKind::Signal => EventKind::Signal(address),
            OpKind::Broadcast => EventKind::Broadcast(address),
            OpKind::SemInit => EventKind::SemInit { semaphore: address, value },
            OpKind::SemWait => {
                if other == 1 {
                    self.lose("timed attempts to take a semaphore");
                }
                EventKind::SemWait(address)
            }
            OpKind::SemPost => EventKind::SemPost(address),
            OpKind::BarrierInit => {
                self.barriers.insert(address, value);
                EventKind::BarrierInit { barrier: address, count: value }
            }
            OpKind::BarrierArrive => {
                let (arrives, fills) = (EventKind::BarrierArrive(address), EventKind::BarrierFill(address));
                let is_last = self.barriers.get(&address) == Some(&value);
                let (kind, other) = if is_last { (fills, arrives) } else { (arrives, fills) };
                others.push(other);
                kind
            }
            OpKind::BarrierLeave => EventKind::BarrierLeave(address),
            OpKind::Free => EventKind::Free(Place { address, size: event.size }),
            OpKind::MutexInit | OpKind::CondInit => EventKind::Claim(address),
            OpKind::MutexDestroy | OpKind::CondDestroy | OpKind::SemDestroy | OpKind::BarrierDestroy => {
                EventKind::Destroy(address)
            }
            OpKind::Detach => EventKind::Claim(crate::thread_claim(ThreadId(address as u32))),
            // Whoever closes the descriptor uses a file.
            OpKind::File if address >= OpKind::DESCRIPTORS && address != u64::MAX => return,
            OpKind::File => return self.lose("files that threads share"),
            OpKind::LockTimeout | OpKind::SemTimeout | OpKind::WaitEnd => return self.lose("waits that time out"),
            OpKind::SemTryWait | OpKind::SemTryWaitFail | OpKind::SemGet => {
                return self.lose("semaphores that are looked at");
            }
            OpKind::OnceEnter | OpKind::OnceDone => return self.lose("`pthread_once`"),
            OpKind::Cancel | OpKind::Cancelled => return self.lose("cancellation"),
            OpKind::Random => return self.lose("random numbers that threads share"),
            OpKind::Abandon | OpKind::Consistent => return self.lose("robust mutexes whose owner ends"),
            // Joins and detachments say it themselves.
            OpKind::Look | OpKind::Change
                if event.alone || matches!(Hidden::of(address), Some(Hidden::Thread(_) | Hidden::End(_))) =>
            {
                return;
            }
            OpKind::Look | OpKind::Change => return self.lose("state of the process that threads share"),
            // Accesses are among the actions; the others say nothing that an order of events would have to keep.
            OpKind::Read
            | OpKind::Write
            | OpKind::AtomicRead
            | OpKind::AtomicWrite
            | OpKind::Rmw
            | OpKind::RmwSame
            | OpKind::CasOk
            | OpKind::CasFail
            | OpKind::Fence
            | OpKind::Watch
            | OpKind::Wake
            | OpKind::Unlogged
            | OpKind::Yield
            | OpKind::Sleep
            | OpKind::AtomicBegin
            | OpKind::AtomicEnd
            | OpKind::Branch => return,
        };
        // A thread ends with its result, and a variable with the step that leaves its scope.
        let joined = kind == EventKind::End || matches!(kind, EventKind::Free(_)) && value == OpKind::LIFE_ENDS;
        let event = Event { joined, ..Event::new(kind, at) };
        self.entry(thread).events.push(Recorded { event, others });
    }

    /// What the thread would do next, or could do next in another execution; none if that is to wait for ever or nothing.
    pub fn next(&self, machine: &Machine<'_>, thread: ThreadId) -> Option<(PendingOperation, CodePoint)> {
        if let Some((failed, operation, at)) = self.failed
            && failed == thread
        {
            return Some((operation, at));
        }
        if machine.watched(thread).next().is_some() {
            return None;
        }
        let wants = machine.wants(thread)?;
        let me = self.thread(thread)?;
        let place = Place { address: wants.address, size: wants.size.min(8) };
        let operation = match wants.kind {
            kind if kind.reads_memory() => PendingOperation::Read(place),
            OpKind::Lock | OpKind::ReadLock if !me.holds.contains(&wants.address) => {
                PendingOperation::Lock { lock: wants.address, shared: wants.kind == OpKind::ReadLock }
            }
            OpKind::Join => PendingOperation::Join(ThreadId(wants.address as u32)),
            OpKind::WaitEnd | OpKind::Woken => {
                let waits = me.events.iter().rev().find_map(|seen| match seen.event.kind {
                    EventKind::Wait { cond, mutex } => Some(PendingOperation::Woken { cond, mutex }),
                    _ => None,
                });
                waits.unwrap_or(PendingOperation::Free(None))
            }
            OpKind::SemWait => PendingOperation::SemWait(wants.address),
            OpKind::BarrierLeave => PendingOperation::BarrierLeave(wants.address),
            OpKind::MutexDestroy | OpKind::CondDestroy | OpKind::SemDestroy | OpKind::BarrierDestroy => {
                PendingOperation::Destroy(wants.address)
            }
            kind if kind.is_access() => PendingOperation::Free(Some(Used::Memory(wants.address))),
            OpKind::Free | OpKind::MutexInit | OpKind::CondInit | OpKind::SemInit | OpKind::BarrierInit => {
                PendingOperation::Free(Some(Used::Memory(wants.address)))
            }
            kind if kind.is_on_object() => PendingOperation::Free(Some(Used::Synchronisation(wants.address))),
            _ => PendingOperation::Free(None),
        };
        Some((operation, wants.at))
    }
}

/// Whether a condition is more than the word `false`.
fn machine_can_be(machine: &mut Machine<'_>, condition: ExprId) -> bool {
    machine.pool().as_constant(condition) != Some(0)
}
