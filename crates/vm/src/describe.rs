//! Faults, stuck threads and events put into words.

use crate::arith;
use crate::fault::Fault;
use crate::machine::{End, Machine};
use crate::memory::Kind;
use crate::sync::{MUTEX_SIZE, RWLOCK_SIZE};
use crate::thread::Park;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Decides, FuncId, Inst, address};
use gordian_trace::{Event, Finding, FindingKind, Hidden, OpKind, Place, Step, StepForm};

impl Machine<'_> {
    pub(crate) fn finding_of(&mut self, thread: ThreadId, fault: Fault) -> Finding {
        let at = self.user_point(thread);
        let mut places = vec![self.place(thread, at, String::new())];
        let mut notes = Vec::new();
        let (kind, message) = match fault {
            Fault::Null { address: 0 } => (FindingKind::NullDereference, "the null pointer is dereferenced".to_owned()),
            Fault::Null { address } => {
                (FindingKind::NullDereference, format!("the null pointer is dereferenced (at offset {address})"))
            }
            Fault::Wild { address } => {
                (FindingKind::OutOfBounds, format!("the pointer {address:#x} points to no object"))
            }
            Fault::ReadOnly { address } => {
                (FindingKind::OutOfBounds, format!("a write to {}, which is read-only", self.name_of(address)))
            }
            Fault::OutOfBounds { address, size } => (FindingKind::OutOfBounds, self.bounds_text(address, size)),
            Fault::Freed { address } if self.memory.object(address).is_some_and(|it| it.kind == Kind::Hidden) => {
                places.extend(self.freed_place(thread, address));
                (FindingKind::UseAfterClose, "use of a stream after it was closed".to_owned())
            }
            Fault::Freed { address } => {
                let what = match self.memory.object(address).map(|object| object.kind) {
                    Some(Kind::Stack) if self.ended_with_block(address) => "its scope has ended",
                    Some(Kind::Stack) => "its function has returned",
                    Some(Kind::Global) => "its thread has ended",
                    _ => "it was freed",
                };
                let message = format!("use of {} after {what}", self.name_of(address));
                places.extend(self.freed_place(thread, address));
                (FindingKind::UseAfterFree, message)
            }
            Fault::OutOfScope { address } => {
                places.extend(self.freed_place(thread, address));
                (FindingKind::UseAfterFree, format!("use of {} after its scope has ended", self.name_of(address)))
            }
            Fault::Uninitialised { address, size } => (
                FindingKind::Uninitialised,
                format!("{size} bytes of {} are read before they were written", self.name_of(address)),
            ),
            Fault::Unset(Decides::Result) => {
                (FindingKind::Uninitialised, "the result of a function that returned none is used".to_owned())
            }
            Fault::Unset(_) => (FindingKind::Uninitialised, "a value is used that was never set".to_owned()),
            Fault::Waits(_) => unreachable!("the call waits until it can go on"),
            Fault::Undecided(_) => unreachable!("the call that asks gives way to a step that decides"),
            Fault::DivisionByZero => (FindingKind::DivisionByZero, "division by zero".to_owned()),
            Fault::Overflow(what) => (FindingKind::Overflow, what),
            Fault::Shift { by, w } => {
                (FindingKind::BadShift, format!("shift of a value of {w} bits by {}", arith::wide_sext(w, by)))
            }
            Fault::Index(what) => (FindingKind::OutOfBounds, what),
            Fault::Undefined(what) => (FindingKind::UndefinedBehaviour, what),
            Fault::DoubleFree { address } => {
                places.extend(self.freed_place(thread, address));
                (FindingKind::DoubleFree, format!("{} is freed again", self.name_of(address)))
            }
            Fault::BadFree { address, why } => {
                (FindingKind::BadFree, format!("{} cannot be freed: {why}", self.name_of(address)))
            }
            Fault::Overlap { dst, src, len } => (
                FindingKind::OutOfBounds,
                format!(
                    "`memcpy` of {len} bytes between overlapping places, {} and {}",
                    self.name_of(dst),
                    self.name_of(src)
                ),
            ),
            Fault::LockMisuse(what) => {
                notes.extend(self.held_locks_note(thread));
                (FindingKind::LockMisuse, what)
            }
            Fault::Assertion(what) => (FindingKind::Assertion, what),
            Fault::Abort(what) => (FindingKind::Abort, what),
            Fault::Unsupported(_) | Fault::NothingKnown => {
                unreachable!("what is not the program's fault is no finding")
            }
        };
        places[0].what = message.clone();
        Finding { kind, message, places, notes }
    }

    fn bounds_text(&self, address: u64, size: u64) -> String {
        let object = self.memory.object(address).map_or(0, |object| object.size);
        let offset = address::offset(address) as i64;
        let whole = self.object_name(address);
        let plural = if object == 1 { "" } else { "s" };
        format!("an access of {size} bytes at offset {offset} of {whole}, which has {object} byte{plural}")
    }

    /// Whether a local ended with its block, and not only with its function.
    fn ended_with_block(&self, address: u64) -> bool {
        let ended = self.memory.origin(address).freed;
        let function = self.program.functions.get(FuncId(ended.function));
        let inst = function.and_then(|function| function.code.get(ended.pc as usize));
        matches!(inst, Some(Inst::LifetimeEnd { .. } | Inst::StackRestore { .. }))
    }

    /// Where the object ended. That of a thread's own variable goes without saying if it is the thread that fails.
    fn freed_place(&self, thread: ThreadId, address: u64) -> Option<Place> {
        let origin = self.memory.origin(address);
        let by = ThreadId(origin.freed_by);
        let name = self.name_of(address::object_start(address));
        let on_heap = self.memory.object(address).is_some_and(|object| object.kind == Kind::Heap);
        let what = if on_heap { format!("frees {name}") } else { format!("{name} ends") };
        (on_heap || by != thread).then(|| self.place(by, origin.freed, what))
    }

    /// The last event races with the event `first`.
    pub(crate) fn race_finding(&self, address: u64, first: Event, atomic: bool) -> Finding {
        let name = self.name_of(address);
        let second = *self.log.events.last().expect("the access was logged");
        let overlaps = (first.kind.is_access() || first.kind.is_on_object())
            && first.address < second.address + u64::from(second.size)
            && second.address < first.address + u64::from(first.size);
        let what = if overlaps {
            self.event_text(&first)
        } else {
            format!("{}, which lets other threads reach {name} written before", self.event_text(&first))
        };
        let places = vec![
            self.place(second.thread, second.at, self.event_text(&second)),
            self.place(first.thread, first.at, what),
        ];
        let (one, other) = (self.thread_name(first.thread), self.thread_name(second.thread));
        let missing = match (overlaps, atomic && second.kind.is_access()) {
            (true, true) => "one of the accesses is atomic and the other is not",
            (true, false) => "no lock, join or release/acquire pair orders them",
            (false, _) => "the pointer was handed over without release and acquire",
        };
        Finding {
            kind: FindingKind::DataRace,
            message: format!("{other} and {one} access {name} without synchronisation"),
            places,
            notes: vec![format!("missing synchronisation: {missing}")],
        }
    }

    fn access_text(&self, event: &Event) -> String {
        let name = self.name_of(event.address);
        let value = || self.value_text(event.address, event.size, event.value);
        let old = || self.value_text(event.address, event.size, event.other);
        match event.kind {
            OpKind::Read | OpKind::Write if event.size > 16 => {
                let verb = if event.kind == OpKind::Read { "reads" } else { "writes" };
                format!("{verb} {} bytes of {name}", event.size)
            }
            OpKind::Read => format!("reads {name} = {}", value()),
            OpKind::Write => format!("writes {name} = {} (was {})", value(), old()),
            OpKind::AtomicRead => format!("atomically reads {name} = {}", value()),
            OpKind::AtomicWrite => format!("atomically writes {name} = {} (was {})", value(), old()),
            OpKind::Rmw => format!("atomically changes {name} from {} to {}", old(), value()),
            OpKind::RmwSame => format!("atomically leaves {name} at {}", value()),
            OpKind::CasOk => format!("swaps {name} from {} to {}", old(), value()),
            OpKind::CasFail => format!("fails to swap {name}, which is {}", value()),
            OpKind::Free if event.value == OpKind::LIFE_ENDS => format!("{name} ends"),
            OpKind::Free => format!("frees {name}"),
            _ => String::new(),
        }
    }

    /// One line for an event.
    fn event_text(&self, event: &Event) -> String {
        let name = || self.name_of(event.address);
        let other_thread = || self.thread_name(ThreadId(event.address as u32));
        match event.kind {
            kind if kind.is_access() || kind == OpKind::Free => self.access_text(event),
            OpKind::Fence => "fence".to_owned(),
            OpKind::MutexInit => format!("initialises {}", name()),
            OpKind::MutexDestroy | OpKind::CondDestroy | OpKind::SemDestroy | OpKind::BarrierDestroy => {
                format!("destroys {}", name())
            }
            OpKind::Lock if event.value > 1 => format!("locks {} again (depth {})", name(), event.value),
            OpKind::Lock => format!("locks {}", name()),
            OpKind::LockTimeout => format!("gives up locking {} (time-out)", name()),
            OpKind::TryLock => format!("tries to lock {}: succeeds", name()),
            OpKind::TryLockFail => format!("tries to lock {}: fails", name()),
            OpKind::Unlock => format!("unlocks {}", name()),
            OpKind::ReadLock => format!("locks {} for reading", name()),
            OpKind::TryReadLock => format!("tries to lock {} for reading: succeeds", name()),
            OpKind::TryReadLockFail => format!("tries to lock {} for reading: fails", name()),
            OpKind::Wait => format!("unlocks {} and waits on {}", self.name_of(event.other), name()),
            OpKind::WaitEnd | OpKind::Woken => {
                let why = match event.value {
                    OpKind::WOKEN_BY_TIMEOUT => " (time-out)",
                    OpKind::WOKEN_SPURIOUSLY => " (spurious wake-up)",
                    OpKind::WOKEN_BY_CANCEL => " (cancelled)",
                    _ => "",
                };
                if event.kind == OpKind::WaitEnd {
                    format!("stops waiting on {}{why}", name())
                } else {
                    format!("wakes from {}{why} and locks {}", name(), self.name_of(event.other))
                }
            }
            OpKind::Signal if event.value == 0 => format!("signals {}: no thread is waiting", name()),
            OpKind::Signal => {
                format!("signals {}: wakes {}", name(), self.thread_name(ThreadId(event.value as u32 - 1)))
            }
            OpKind::Broadcast => format!("broadcasts {}: wakes {}", name(), event.value),
            OpKind::CondInit | OpKind::SemInit | OpKind::BarrierInit => format!("initialises {}", name()),
            OpKind::SemWait | OpKind::SemTryWait => format!("takes {} (now {})", name(), event.value),
            OpKind::SemTimeout => format!("gives up waiting for {} (time-out)", name()),
            OpKind::SemTryWaitFail => format!("tries to take {}: fails", name()),
            OpKind::SemPost => format!("posts {} (now {})", name(), event.value),
            OpKind::SemGet if event.other == 1 => format!("cannot post {}, which is {}", name(), event.value),
            OpKind::SemGet => format!("reads {} = {}", name(), event.value),
            OpKind::BarrierArrive => format!("arrives at {} as number {}", name(), event.value),
            OpKind::BarrierLeave => format!("leaves {}", name()),
            OpKind::OnceEnter if event.value == 1 => format!("runs the routine of {}", name()),
            OpKind::OnceEnter => format!("finds {} done", name()),
            OpKind::OnceDone => format!("completes {}", name()),
            OpKind::Create => format!("creates {}", other_thread()),
            OpKind::Join => format!("joins {}", other_thread()),
            OpKind::Detach => format!("detaches {}", other_thread()),
            OpKind::Exit => "ends".to_owned(),
            OpKind::Cancel => format!("cancels {}", other_thread()),
            OpKind::Cancelled => "is cancelled".to_owned(),
            OpKind::Yield => "yields".to_owned(),
            OpKind::Branch => "branches on inputs".to_owned(),
            OpKind::Sleep => "sleeps".to_owned(),
            OpKind::AtomicBegin => "begins an atomic section".to_owned(),
            OpKind::AtomicEnd => "ends the atomic section".to_owned(),
            OpKind::File => format!("uses {}", self.file_name(event.address)),
            OpKind::Random => "takes a random number".to_owned(),
            OpKind::ProcessExit => format!("exits the process with status {}", event.value as u32 as i32),
            OpKind::Abandon => format!("ends while it holds {}", name()),
            OpKind::Consistent if event.value == 0 => format!("may not make {} consistent", name()),
            OpKind::Consistent => format!("makes {} consistent", name()),
            OpKind::Change => match Hidden::of(event.address) {
                Some(Hidden::Keys) => "creates a key".to_owned(),
                Some(Hidden::ExitHandlers) => "changes the list of exit handlers".to_owned(),
                _ => format!("{:?}", event.kind),
            },
            _ => format!("{:?}", event.kind),
        }
    }

    /// The execution so far as people read it.
    pub fn describe(&self) -> Vec<Step> {
        self.assert_not_ahead();
        let mut steps: Vec<Step> = Vec::new();
        let mut next_step = 0;
        for (index, event) in self.log.events.iter().enumerate() {
            while next_step < self.log.step_starts.len() && self.log.step_starts[next_step] as usize <= index {
                next_step += 1;
            }
            let form = match event.kind {
                // The signal says it.
                OpKind::Wake | OpKind::Watch => continue,
                // Nobody else sees it, or the operation says it.
                OpKind::Look | OpKind::Unlogged => continue,
                // That it is cancelled comes next.
                OpKind::SemTimeout | OpKind::File if event.is_given_up() => continue,
                OpKind::Change if !matches!(Hidden::of(event.address), Some(Hidden::Keys | Hidden::ExitHandlers)) => {
                    continue;
                }
                kind if kind.is_access() || kind == OpKind::Free => StepForm::Access,
                OpKind::Create | OpKind::Join | OpKind::Exit | OpKind::Detach | OpKind::ProcessExit => StepForm::Life,
                _ => StepForm::Synchronisation,
            };
            let place = self.place(event.thread, event.at, self.event_text(event));
            steps.push(Step {
                index: next_step.saturating_sub(1),
                thread: self.thread_name(event.thread),
                form,
                place,
            });
        }
        if self.end == Some(End::Failed)
            && let Some(last) = self.log.findings.last()
        {
            let stuck =
                matches!(last.finding.kind, FindingKind::Deadlock | FindingKind::LostSignal | FindingKind::Livelock);
            let form = if stuck { StepForm::Stuck } else { StepForm::Failure };
            let shown = if stuck { &last.finding.places[..] } else { &last.finding.places[..1] };
            let index = self.schedule().len();
            steps.extend(shown.iter().map(|place| Step {
                index,
                thread: place.thread.clone(),
                form,
                place: place.clone(),
            }));
        }
        steps
    }

    /// Nobody can go on: who waits for what, and who has it.
    pub(crate) fn stuck_finding(&self) -> Finding {
        let mut places = Vec::new();
        let mut notes = Vec::new();
        let mut lost = None;
        let mut spinning = None;
        for (index, thread) in self.threads.iter().enumerate() {
            let id = ThreadId(index as u32);
            let what = match thread.core.park {
                Park::Unborn | Park::Ended => continue,
                Park::Waiting { cond, .. } => {
                    if self.lost_its_signal(id, cond) {
                        lost = Some((id, cond));
                    }
                    format!("waits on {} for a signal", self.name_of(cond))
                }
                Park::Woken { mutex, .. } => self.wanted_lock(mutex, MUTEX_SIZE),
                Park::AtBarrier { barrier, .. } => {
                    let (arrived, count) = self.barrier_filling(barrier).unwrap_or_default();
                    format!("waits at {}: {arrived} of {count} have arrived", self.name_of(barrier))
                }
                Park::Joining { target, .. } => format!("waits for the end of {}", self.thread_name(target)),
                Park::Before(_) if self.is_spinning(id) || self.is_awaiting(id) => {
                    spinning = Some(id);
                    match thread.core.park {
                        Park::Before(wants) if thread.core.awaits => self.await_text(wants),
                        _ => self.spin_text(id),
                    }
                }
                Park::WentRound | Park::TookBack => {
                    spinning = Some(id);
                    self.spin_text(id)
                }
                Park::Idles => {
                    spinning = Some(id);
                    "does nothing but let others run, forever".to_owned()
                }
                Park::Before(wants) => match wants.kind {
                    OpKind::Lock | OpKind::ReadLock => self.wanted_lock(wants.address, wants.size),
                    OpKind::SemWait => format!("waits for {}, which is 0", self.name_of(wants.address)),
                    OpKind::OnceEnter => format!("waits for the routine of {}", self.name_of(wants.address)),
                    OpKind::Join => {
                        format!("waits for the end of {}", self.thread_name(ThreadId(wants.address as u32)))
                    }
                    OpKind::File => self.awaited_of_file(wants),
                    kind => format!("is stuck before {kind:?}"),
                },
                Park::Running | Park::Unrolled | Park::FalseAssumption => "is running".to_owned(),
            };
            notes.extend(self.held_locks_note(id));
            places.push(self.place(id, self.user_point(id), what));
        }
        // Who can say why comes first: locks before joins.
        places.sort_by_key(|place| place.what.starts_with("waits for the end"));
        let (kind, message) = match (lost, spinning) {
            (_, Some(thread)) => (
                FindingKind::Livelock,
                format!("{} loops forever: no remaining thread can change what it waits for", self.thread_name(thread)),
            ),
            (Some((thread, cond)), None) => (
                FindingKind::LostSignal,
                format!(
                    "{} waits forever on {}: the signal was sent before it waited",
                    self.thread_name(thread),
                    self.name_of(cond)
                ),
            ),
            (None, None) => {
                let n = places.len();
                let all = if n == 1 {
                    "the only remaining thread is blocked forever".to_owned()
                } else {
                    format!("all {n} remaining threads are blocked forever")
                };
                (FindingKind::Deadlock, all)
            }
        };
        Finding { kind, message, places, notes }
    }

    fn wanted_lock(&self, lock: u64, size: u32) -> String {
        let name = self.name_of(lock);
        match self.lock_holder(lock, size) {
            Some((holder, _)) if self.threads[holder.index()].ended() => {
                format!("wants {name}, which {} held when it ended", self.thread_name(holder))
            }
            Some((holder, Some(at))) => {
                format!("wants {name}, which {} holds since {}", self.thread_name(holder), self.line_of(at))
            }
            Some((holder, None)) => format!("wants {name}, which {} holds", self.thread_name(holder)),
            None if size == RWLOCK_SIZE => {
                let readers: Vec<String> =
                    self.rwlock_readers(lock).iter().map(|&reader| self.thread_name(reader).to_string()).collect();
                format!("wants {name}, which is held for reading by {}", readers.join(", "))
            }
            None => format!("wants {name}"),
        }
    }

    /// The mutexes that the thread holds, by what it locked and has not unlocked.
    fn held_locks_note(&self, thread: ThreadId) -> Option<String> {
        let mut held: Vec<u64> = Vec::new();
        for event in self.log.events.iter().filter(|event| event.thread == thread && event.size == MUTEX_SIZE) {
            match event.kind {
                OpKind::Lock | OpKind::TryLock if event.value == 1 => held.push(event.address),
                OpKind::Unlock if event.value == 0 => held.retain(|&lock| lock != event.address),
                _ => {}
            }
        }
        let mine = |lock: &&u64| self.lock_holder(**lock, MUTEX_SIZE).is_some_and(|(holder, _)| holder == thread);
        let names: Vec<String> = held.iter().filter(mine).map(|&lock| self.name_of(lock)).collect();
        (!names.is_empty()).then(|| format!("{} holds {}", self.thread_name(thread), names.join(", ")))
    }

    pub(crate) fn holder_text(&self, mutex: u64) -> String {
        match self.lock_holder(mutex, MUTEX_SIZE) {
            Some((holder, Some(at))) => format!("{} holds it since {}", self.thread_name(holder), self.line_of(at)),
            Some((holder, None)) => format!("{} holds it", self.thread_name(holder)),
            None => "no thread holds it".to_owned(),
        }
    }

    pub(crate) fn leak_finding(&self) -> Option<Finding> {
        let leaked = self.leaked();
        let places: Vec<Place> = leaked
            .iter()
            .map(|&object| {
                let size = self.memory.object(object).map_or(0, |object| object.size);
                let thread = address::owner(address::space(object)).unwrap_or(ThreadId::MAIN);
                self.place(
                    thread,
                    self.memory.origin(object).allocated,
                    format!("allocates {size} bytes that nothing points to at exit"),
                )
            })
            .collect();
        let n = places.len();
        let (objects, them) =
            if n == 1 { ("1 heap object is".to_owned(), "it") } else { (format!("{n} heap objects are"), "them") };
        (n > 0).then(|| Finding {
            kind: FindingKind::Leak,
            message: format!("{objects} lost: nothing points to {them} at exit"),
            places,
            notes: Vec::new(),
        })
    }
}
