//! What threads were seen to do: the machine's record of an execution, thread by thread, in the nouns of the forest.

use crate::counts;
use crate::forest::{Kind, Operation, Place, Seen};
use gordian_base::{FxHashMap, Id, ThreadId};
use gordian_expr::ExprId;
use gordian_trace::{CodePoint, Event, OpKind};
use gordian_vm::{Action, Does, Machine};
use smallvec::SmallVec;

/// Who wrote a byte last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Writer {
    pub thread: ThreadId,
    /// Its depth in the thread's path.
    pub depth: u32,
}

/// Follows an execution while it is made.
#[derive(Default)]
pub struct Follower {
    n_actions: usize,
    n_events: usize,
    threads: Vec<Thread>,
    /// By address of a byte.
    writers: FxHashMap<u64, Writer>,
    /// How many each barrier waits for.
    barriers: FxHashMap<u64, u64>,
    /// Why some of what threads could do was not looked at.
    pub losses: Vec<&'static str>,
}

#[derive(Default)]
pub struct Thread {
    pub seen: Vec<Seen>,
    /// Beside those that read: who wrote what they read; none if nobody did.
    read_from: FxHashMap<u32, Option<Writer>>,
    /// Who made it, and the depth of that node.
    pub made_by: Option<(ThreadId, u32)>,
    /// Locks that it holds, each as often as it took it.
    holds: Vec<u64>,
}

impl Follower {
    pub fn thread(&self, thread: ThreadId) -> Option<&Thread> {
        self.threads.get(thread.index())
    }

    pub fn n_threads(&self) -> u32 {
        self.threads.len() as u32
    }

    /// How much of a thread was seen: the depth of its last node.
    pub fn depth(&self, thread: ThreadId) -> u32 {
        self.thread(thread).map_or(0, |thread| thread.seen.len() as u32)
    }

    fn entry(&mut self, thread: ThreadId) -> &mut Thread {
        if self.threads.len() <= thread.index() {
            self.threads.resize_with(thread.index() + 1, Thread::default);
        }
        &mut self.threads[thread.index()]
    }

    /// Takes in what happened since it last did.
    pub fn follow(&mut self, machine: &mut Machine<'_>) {
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

    fn take_action(&mut self, machine: &mut Machine<'_>, action: &Action) {
        let Action { thread, at, joined, atomic, .. } = *action;
        let mut others = SmallVec::new();
        let mut starts_at = None;
        let kind = match &action.does {
            &Does::Read { address, size, symbol, initial, .. } => {
                starts_at = Some(initial);
                let place = Place { address, size };
                self.note_read(thread, place);
                Kind::Read { place, symbol: machine.pool().symbol_term(symbol) }
            }
            &Does::Write { address, size, term } => {
                let depth = self.depth(thread) + 1;
                for byte in address..address + u64::from(size) {
                    self.writers.insert(byte, Writer { thread, depth });
                }
                Kind::Write { place: Place { address, size }, term }
            }
            Does::Publish { address, bytes } => {
                let place = Place { address: *address, size: bytes.len() as u32 };
                Kind::Publish { place, bytes: bytes.clone() }
            }
            Does::Decide { conditions, taken } => {
                let way = |(way, &condition): (u32, &ExprId)| Kind::Decide { condition, way };
                let ways = (0..).zip(conditions).filter(|(_, condition)| machine_can_be(machine, **condition));
                others = ways.filter(|(way, _)| way != taken).map(way).collect();
                Kind::Decide { condition: conditions[*taken as usize], way: *taken }
            }
            &Does::Pick { term, value } => Kind::Pick { term, value },
            &Does::Assume(condition) => Kind::Assume(condition),
        };
        self.entry(thread).seen.push(Seen { kind, at, joined, atomic, initial: starts_at, others });
    }

    fn note_read(&mut self, thread: ThreadId, place: Place) {
        let depth = self.depth(thread) + 1;
        let from = self.writer(place);
        self.entry(thread).read_from.insert(depth, from);
    }

    /// Who wrote any of these bytes last.
    pub fn writer(&self, place: Place) -> Option<Writer> {
        let bytes = place.address..place.address + u64::from(place.size);
        let mut writers = bytes.filter_map(|byte| self.writers.get(&byte));
        writers.next().copied()
    }

    /// Whether it is an interference if the thread reads this write.
    pub fn interferes(&self, thread: ThreadId, place: Place, writer: Writer) -> bool {
        writer.thread != thread && counts(place) && !self.is_inherited(thread, writer)
    }

    /// Whose write the thread took at this depth, if that was an interference.
    pub fn interference(&self, thread: ThreadId, depth: u32) -> Option<Writer> {
        let me = self.thread(thread)?;
        let writer = (*me.read_from.get(&depth)?)?;
        let Kind::Read { place, .. } = me.seen[depth as usize - 1].kind else { return None };
        self.interferes(thread, place, writer).then_some(writer)
    }

    /// Whether a write comes before the thread was made, so that it finds it as it finds what was there from the beginning.
    fn is_inherited(&self, thread: ThreadId, writer: Writer) -> bool {
        let mut before = self.thread(thread).and_then(|thread| thread.made_by);
        while let Some((maker, depth)) = before {
            if maker == writer.thread {
                return writer.depth < depth;
            }
            before = self.thread(maker).and_then(|thread| thread.made_by);
        }
        false
    }

    fn lose(&mut self, what: &'static str) {
        if !self.losses.contains(&what) {
            self.losses.push(what);
        }
    }

    fn take_event(&mut self, event: Event) {
        let Event { thread, kind, address, other, at, value, .. } = event;
        let mut others = SmallVec::new();
        let holds = self.entry(thread).holds.iter().filter(|&&lock| lock == address).count();
        let kind = match kind {
            OpKind::Create => {
                let depth = self.depth(thread) + 1;
                self.entry(ThreadId(address as u32)).made_by = Some((thread, depth));
                Kind::Create(ThreadId(address as u32))
            }
            OpKind::Join => Kind::Join(ThreadId(address as u32)),
            OpKind::Exit => Kind::End,
            OpKind::ProcessExit => Kind::Exit,
            OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock => {
                self.entry(thread).holds.push(address);
                if holds > 0 {
                    return;
                }
                let shared = matches!(kind, OpKind::ReadLock | OpKind::TryReadLock);
                if matches!(kind, OpKind::TryLock | OpKind::TryReadLock) {
                    others.push(Kind::LockFails { lock: address, shared });
                }
                if other == 1 {
                    self.lose("timed attempts to lock");
                }
                Kind::Lock { lock: address, shared }
            }
            OpKind::TryLockFail | OpKind::TryReadLockFail => {
                if holds > 0 {
                    return;
                }
                let shared = kind == OpKind::TryReadLockFail;
                others.push(Kind::Lock { lock: address, shared });
                Kind::LockFails { lock: address, shared }
            }
            OpKind::Unlock => {
                let held = &mut self.entry(thread).holds;
                if let Some(last) = held.iter().rposition(|&lock| lock == address) {
                    held.remove(last);
                }
                if holds > 1 {
                    return;
                }
                Kind::Unlock(address)
            }
            OpKind::Wait => {
                self.entry(thread).holds.retain(|&lock| lock != other);
                Kind::Wait { cond: address, mutex: other }
            }
            OpKind::Woken => {
                if value != OpKind::WOKEN_BY_SIGNAL {
                    self.lose("waits that end without a signal");
                }
                self.entry(thread).holds.push(other);
                Kind::Woken { cond: address, mutex: other }
            }
            OpKind::Signal => Kind::Signal(address),
            OpKind::Broadcast => Kind::Broadcast(address),
            OpKind::SemInit => Kind::SemInit { semaphore: address, value },
            OpKind::SemWait => {
                if other == 1 {
                    self.lose("timed attempts to take a semaphore");
                }
                Kind::SemWait(address)
            }
            OpKind::SemPost => Kind::SemPost(address),
            OpKind::BarrierInit => {
                self.barriers.insert(address, value);
                Kind::BarrierInit { barrier: address, count: value }
            }
            OpKind::BarrierArrive => {
                let (arrives, fills) = (Kind::BarrierArrive(address), Kind::BarrierFill(address));
                let is_last = self.barriers.get(&address) == Some(&value);
                let (kind, other) = if is_last { (fills, arrives) } else { (arrives, fills) };
                others.push(other);
                kind
            }
            OpKind::BarrierLeave => Kind::BarrierLeave(address),
            OpKind::Free => Kind::Free(Place { address, size: event.size }),
            OpKind::MutexInit
            | OpKind::MutexDestroy
            | OpKind::CondInit
            | OpKind::CondDestroy
            | OpKind::SemDestroy
            | OpKind::BarrierDestroy => Kind::Claim(address),
            OpKind::Detach => Kind::Claim(crate::thread_claim(ThreadId(address as u32))),
            OpKind::File => return self.lose("files that threads share"),
            OpKind::LockTimeout | OpKind::SemTimeout | OpKind::WaitEnd => return self.lose("waits that time out"),
            OpKind::SemTryWait | OpKind::SemTryWaitFail | OpKind::SemGet => {
                return self.lose("semaphores that are looked at");
            }
            OpKind::OnceEnter | OpKind::OnceDone => return self.lose("`pthread_once`"),
            OpKind::Cancel | OpKind::Cancelled => return self.lose("cancellation"),
            OpKind::Random => return self.lose("random numbers that threads share"),
            _ => return,
        };
        // A thread ends with its result, and a variable with the step that leaves its scope.
        let joined = kind == Kind::End || matches!(kind, Kind::Free(_)) && value == OpKind::LIFE_ENDS;
        self.entry(thread).seen.push(Seen { kind, at, joined, atomic: false, initial: None, others });
    }

    /// What the thread would do next; none if that is to wait for ever or nothing.
    pub fn next(&self, machine: &Machine<'_>, thread: ThreadId) -> Option<(Operation, CodePoint)> {
        if machine.watched(thread).next().is_some() {
            return None;
        }
        let wants = machine.wants(thread)?;
        let me = self.thread(thread)?;
        let place = Place { address: wants.address, size: wants.size.min(8) };
        let operation = match wants.kind {
            kind if kind.reads_memory() => Operation::Read(place),
            OpKind::Lock | OpKind::ReadLock if !me.holds.contains(&wants.address) => {
                Operation::Lock { lock: wants.address, shared: wants.kind == OpKind::ReadLock }
            }
            OpKind::Join => Operation::Join(ThreadId(wants.address as u32)),
            OpKind::WaitEnd | OpKind::Woken => {
                let waits = me.seen.iter().rev().find_map(|seen| match seen.kind {
                    Kind::Wait { cond, mutex } => Some(Operation::Woken { cond, mutex }),
                    _ => None,
                });
                waits.unwrap_or(Operation::Free)
            }
            OpKind::SemWait => Operation::SemWait(wants.address),
            OpKind::BarrierLeave => Operation::BarrierLeave(wants.address),
            _ => Operation::Free,
        };
        Some((operation, wants.at))
    }
}

/// Whether a condition is more than the word `false`.
fn machine_can_be(machine: &mut Machine<'_>, condition: ExprId) -> bool {
    machine.pool().as_constant(condition) != Some(0)
}
