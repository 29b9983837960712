//! What the events of a machine or of a trace mean for the model of a run.

use crate::run::{Op, Span};
use gordian_base::{FxHashMap, FxHashSet, Id, ThreadId};
use gordian_trace::{Event, OpKind};
use gordian_vm::{Action, Annotation, AnnotationKind, Machine};

/// Something that a thread did, in the order in which it shows.
pub enum Seen<'a> {
    Action(usize, &'a Action),
    Event(usize, Event, Op),
}

/// Follows a machine and counts what each thread did. The same thread with the same decisions has the same counts in every execution.
#[derive(Default)]
pub struct Follower {
    n_actions: usize,
    n_events: usize,
    n_annotations: usize,
    counts: Vec<u32>,
    /// By thread: locks that it holds, each as often as it took it.
    holds: Vec<Vec<u64>>,
    barriers: FxHashMap<u64, u64>,
    read_locks: FxHashSet<u64>,
    /// By thread: the stream that its next event is about, and whether that closes it.
    stream: Vec<Option<(u64, bool)>>,
    /// Kinds of operations that keep the order of the run, and the objects that they are about.
    pub kept: Vec<&'static str>,
    pub pinned: FxHashSet<u64>,
}

/// Keys of what has no address of its own.
const CANCELLATION: u64 = 0;
const RANDOM: u64 = 2;

impl Follower {
    /// How much of a thread was seen.
    pub fn count(&self, thread: ThreadId) -> u32 {
        self.counts.get(thread.index()).copied().unwrap_or(0)
    }

    pub fn entry(&mut self, thread: ThreadId) {
        if self.counts.len() <= thread.index() {
            self.counts.resize(thread.index() + 1, 0);
            self.holds.resize_with(thread.index() + 1, Vec::new);
            self.stream.resize(thread.index() + 1, None);
        }
    }

    /// Takes in what happened since it last did.
    pub fn follow(&mut self, machine: &Machine<'_>, mut see: impl FnMut(ThreadId, Seen<'_>)) {
        let (actions, events) = (machine.actions(), machine.events());
        while self.n_actions < actions.len() || self.n_events < events.len() {
            self.take_annotations(machine.annotations());
            let action = actions.get(self.n_actions);
            match action.filter(|action| action.event as usize <= self.n_events) {
                Some(action) => {
                    self.entry(action.thread);
                    self.counts[action.thread.index()] += 1;
                    see(action.thread, Seen::Action(self.n_actions, action));
                    self.n_actions += 1;
                }
                None => {
                    let (number, event) = (self.n_events, events[self.n_events]);
                    self.n_events += 1;
                    self.entry(event.thread);
                    if let Some(op) = self.op(event) {
                        self.counts[event.thread.index()] += 1;
                        see(event.thread, Seen::Event(number, event, op));
                        // Who fills a barrier leaves it at once, which is no event of its own.
                        if let Op::BarrierArrive { barrier, count } = op
                            && event.value == count
                        {
                            self.counts[event.thread.index()] += 1;
                            see(event.thread, Seen::Event(number, event, Op::BarrierLeave(barrier)));
                        }
                    }
                }
            }
        }
    }

    fn take_annotations(&mut self, annotations: &[Annotation]) {
        while let Some(annotation) = annotations.get(self.n_annotations)
            && annotation.events as usize <= self.n_events
        {
            self.n_annotations += 1;
            self.entry(annotation.thread);
            self.stream[annotation.thread.index()] = match annotation.kind {
                AnnotationKind::Closes(stream) => Some((stream, true)),
                AnnotationKind::Uses(stream) => Some((stream, false)),
                AnnotationKind::RegionBegins | AnnotationKind::RegionEnds => continue,
            };
        }
    }

    pub fn keep(&mut self, what: &'static str, object: u64) -> Option<Op> {
        if !self.kept.contains(&what) {
            self.kept.push(what);
        }
        self.pinned.insert(object);
        Some(Op::Pinned(object))
    }

    fn file(&mut self, event: Event) -> Op {
        match self.stream[event.thread.index()].take() {
            Some((stream, true)) => Op::Close(stream),
            _ if event.address == 0 => Op::UseFiles,
            // A descriptor with no file behind it is only looked at: whether it is open.
            stream => {
                let appends = event.address >= OpKind::DESCRIPTORS;
                Op::UseFile { file: event.address, stream: stream.map(|(stream, _)| stream), appends }
            }
        }
    }

    /// What an event means for the run; nothing for those that actions or other events tell of.
    pub fn op(&mut self, event: Event) -> Option<Op> {
        let Event { thread, kind, address, other, value, size, .. } = event;
        let holds = &mut self.holds[thread.index()];
        let n_held = holds.iter().filter(|&&lock| lock == address).count();
        Some(match kind {
            OpKind::Create => Op::Fork(address as u32),
            OpKind::Join => Op::Join(address as u32),
            OpKind::Exit => Op::End,
            OpKind::ProcessExit => Op::ProcessExit,
            OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock => {
                holds.push(address);
                let shared = matches!(kind, OpKind::ReadLock | OpKind::TryReadLock);
                if shared {
                    self.read_locks.insert(address);
                }
                if n_held > 0 {
                    return None;
                }
                Op::Acquire { lock: address, shared }
            }
            OpKind::LockTimeout if self.read_locks.contains(&address) => {
                return self.keep("read-write locks that time out", address);
            }
            OpKind::TryLockFail | OpKind::TryReadLockFail | OpKind::LockTimeout => {
                if n_held > 0 {
                    return None;
                }
                Op::AcquireFails { lock: address, shared: kind == OpKind::TryReadLockFail }
            }
            OpKind::Unlock => {
                if let Some(last) = holds.iter().rposition(|&lock| lock == address) {
                    holds.remove(last);
                }
                if n_held > 1 {
                    return None;
                }
                Op::Release { lock: address }
            }
            OpKind::Wait => {
                holds.retain(|&lock| lock != other);
                Op::Wait { cond: address, mutex: other }
            }
            OpKind::WaitEnd => Op::GiveUp { cond: address },
            OpKind::Woken => {
                holds.push(other);
                if value != OpKind::WOKEN_BY_SIGNAL {
                    return Some(Op::Acquire { lock: other, shared: false });
                }
                Op::Woken { cond: address, mutex: other }
            }
            OpKind::Signal => Op::Signal(address),
            OpKind::Broadcast => Op::Broadcast(address),
            OpKind::SemInit => Op::SemInit { semaphore: address, value },
            OpKind::SemWait | OpKind::SemTryWait => Op::SemWait(address),
            OpKind::SemTryWaitFail | OpKind::SemTimeout => Op::SemFails(address),
            OpKind::SemPost => Op::SemPost(address),
            OpKind::BarrierInit => {
                self.barriers.insert(address, value);
                Op::Init(address)
            }
            OpKind::BarrierArrive => {
                let count = self.barriers.get(&address).copied().unwrap_or(1);
                Op::BarrierArrive { barrier: address, count }
            }
            OpKind::BarrierLeave => Op::BarrierLeave(address),
            OpKind::Free => Op::Free(Span { address, size }),
            OpKind::SemGet => return self.keep("values of semaphores that the program asks for", address),
            OpKind::OnceEnter if value != 0 => Op::OnceEnter(address),
            OpKind::OnceEnter => Op::OnceFound(address),
            OpKind::OnceDone if value == 0 => Op::OnceDone(address),
            OpKind::OnceDone => return self.keep("`pthread_once` that was cancelled", address),
            OpKind::Cancel | OpKind::Cancelled => return self.keep("cancellation", CANCELLATION),
            OpKind::File => self.file(event),
            OpKind::Random => return self.keep("random numbers", RANDOM),
            OpKind::Abandon | OpKind::Consistent => return self.keep("robust mutexes whose owner ended", address),
            OpKind::Look | OpKind::Change => return self.keep("state of the library that is no memory", address),
            OpKind::MutexInit | OpKind::CondInit => Op::Init(address),
            OpKind::MutexDestroy | OpKind::CondDestroy | OpKind::SemDestroy | OpKind::BarrierDestroy => {
                Op::Destroy(address)
            }
            OpKind::Unlogged | OpKind::Detach => Op::Nothing,
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
            | OpKind::Yield
            | OpKind::Sleep
            | OpKind::AtomicBegin
            | OpKind::AtomicEnd
            | OpKind::Branch => return None,
        })
    }
}
