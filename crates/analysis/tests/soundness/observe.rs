//! Pairs of operations as executions show them: two steps of two threads that could both have come next, one after the
//! other. What makes a pair of two operations is said here once more, in terms of events.

use gordian_analysis::{PairKind, Point as Place};
use gordian_base::{Rng, ThreadId};
use gordian_engine::{Capabilities, Ended, Next, Point, Strategy};
use gordian_externals::Effect;
use gordian_ir::{Callee, FuncId, Inst, Program};
use gordian_trace::{CodePoint, Event, Exploration, NO_CODE, OpKind, Wants};
use std::collections::BTreeSet;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SeenSide {
    /// Where its thread was created; none for main.
    pub creator: Option<Place>,
    pub at: Place,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    pub kind: PairKind,
    /// In order.
    pub sides: [SeenSide; 2],
}

impl Seen {
    pub fn new(kind: PairKind, a: SeenSide, b: SeenSide) -> Self {
        Seen { kind, sides: if a <= b { [a, b] } else { [b, a] } }
    }
}

fn place(at: CodePoint) -> Place {
    Place { function: FuncId(at.function), pc: at.pc }
}

/// Executes a program in all orders, or in some and then at random, and notes the pairs.
pub struct Observer<'a> {
    most: u64,
    made: u64,
    rng: Option<Rng>,
    /// Of each point so far: which choice, out of how many.
    chosen: Vec<(usize, usize)>,
    /// Of each step of this execution: who could step and to do what, and events before it.
    steps: Vec<(Vec<Event>, usize)>,
    program: &'a Program,
    pub seen: BTreeSet<Seen>,
}

impl<'a> Observer<'a> {
    pub fn new(program: &'a Program, most: u64) -> Self {
        let (chosen, steps, seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        Observer { most, made: 0, rng: None, chosen, steps, program, seen }
    }

    /// What a thread is about to do, as if it had been done.
    fn wanted(point: &Point<'_>, thread: ThreadId) -> Option<Event> {
        let Wants { kind, size, address, at, varies: _ } = point.wants(thread)?;
        // Whoever takes a lock once more, or fails to, does so whatever the others do.
        if matches!(kind, OpKind::Lock | OpKind::ReadLock) && holds(point.events, thread, address) {
            return None;
        }
        // Who was woken takes the lock of its wait.
        let wait = point.events.iter().rev().find(|event| event.thread == thread && event.kind == OpKind::Wait);
        let other = wait.map_or(0, |wait| wait.other);
        Some(Event { thread, kind, alone: false, unsure: false, varies: false, size, at, address, value: 0, other })
    }

    /// What a call is about to do to memory is only known when it has done it.
    fn is_known(&self, event: &Event) -> bool {
        let inst = |at: CodePoint| self.program.functions[FuncId(at.function)].code[at.pc as usize];
        !is_memory(event.kind) || !matches!(inst(event.at), Inst::Call { .. })
    }

    /// Whether a call takes the lock of its stream for itself. Two such calls are claimed to touch the files, which is a pair of another kind.
    fn locks_by_itself(&self, event: &Event) -> bool {
        let function = &self.program.functions[FuncId(event.at.function)];
        let Inst::Call { site } = function.code[event.at.pc as usize] else { return false };
        let Callee::External(external) = function.calls[site as usize].callee else { return false };
        let effects = gordian_externals::effects_of(&self.program.externals[external].name).unwrap_or_default();
        event.kind == OpKind::Lock && !effects.iter().any(|effect| matches!(effect, Effect::Synchronises(_)))
    }

    fn pair(&self, a: &Event, b: &Event) -> Option<PairKind> {
        pair(a, b).filter(|_| !(self.locks_by_itself(a) && self.locks_by_itself(b)))
    }

    fn note(&mut self, ended: &Ended<'_>) {
        let creators = creators(ended.events);
        let side = |event: &Event| {
            let creator = creators.iter().find(|(thread, _)| *thread == event.thread).map(|(_, at)| place(*at));
            SeenSide { creator, at: place(event.at) }
        };
        let end = |step: usize| self.steps.get(step + 1).map_or(ended.events.len(), |next| next.1);
        let mut found = Vec::new();
        let is_somewhere = |event: &&Event| event.at != NO_CODE;
        for (wanted, _) in &self.steps {
            let known: Vec<&Event> = wanted.iter().filter(is_somewhere).filter(|event| self.is_known(event)).collect();
            for (nth, a) in known.iter().enumerate() {
                for b in known[nth..].iter().filter(|b| a.thread != b.thread) {
                    found.extend(self.pair(a, b).map(|kind| Seen::new(kind, side(a), side(b))));
                }
            }
        }
        for step in 1..self.steps.len() {
            let [before, here] =
                [step - 1, step].map(|step| (ended.schedule[step].thread, self.steps[step].1..end(step)));
            // Both could have come first.
            if before.0 == here.0 || !self.steps[step - 1].0.iter().any(|event| event.thread == here.0) {
                continue;
            }
            // Two atomic sections come one after the other as a whole.
            let is_section = |events: &[Event]| events.iter().any(|event| event.kind == OpKind::AtomicBegin);
            if is_section(&ended.events[before.1.clone()]) && is_section(&ended.events[here.1.clone()]) {
                continue;
            }
            let (earlier, until) = (before.1.start, here.1.start);
            // Whoever is refused a lock that it holds is refused whatever the others do.
            let is_refused = |event: &Event| {
                let fails = matches!(event.kind, OpKind::TryLockFail | OpKind::TryReadLockFail);
                let from = if event.thread == before.0 { earlier } else { until };
                fails && holds(&ended.events[..from], event.thread, event.address)
            };
            let seen_by_others = |event: &&Event| !event.alone && !is_refused(event);
            for a in ended.events[before.1.clone()].iter().filter(seen_by_others) {
                for b in ended.events[here.1.clone()].iter().filter(seen_by_others).filter(|b| a.thread != b.thread) {
                    if ![a.at, b.at].contains(&NO_CODE) {
                        found.extend(self.pair(a, b).map(|kind| Seen::new(kind, side(a), side(b))));
                    }
                }
            }
        }
        self.note_wakes(ended.events, side);
        self.seen.extend(found);
    }

    /// Whoever was woken waited, and a signal woke it.
    fn note_wakes(&mut self, events: &[Event], side: impl Fn(&Event) -> SeenSide) {
        for (nth, wake) in events.iter().enumerate().filter(|(_, event)| event.kind == OpKind::Wake) {
            let signal =
                events[..nth].iter().rev().find(|event| matches!(event.kind, OpKind::Signal | OpKind::Broadcast));
            let waits = |event: &&Event| u64::from(event.thread.0) == wake.address && event.kind == OpKind::Wait;
            let wait = events[..nth].iter().rev().find(waits);
            if let (Some(signal), Some(wait)) = (signal, wait) {
                self.seen.insert(Seen::new(PairKind::WaitNotify, side(signal), side(wait)));
            }
        }
    }
}

/// Whether the thread holds the lock.
fn holds(events: &[Event], thread: ThreadId, lock: u64) -> bool {
    let mut count = 0;
    for event in events.iter().filter(|event| event.thread == thread) {
        match event.kind {
            OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock if event.address == lock => {
                count += 1
            }
            // One that fails since the thread does not hold it has another value.
            OpKind::Unlock if event.address == lock && event.value != u64::MAX => count -= 1,
            OpKind::Woken if event.other == lock => count += 1,
            OpKind::Wait if event.other == lock => count -= 1,
            _ => {}
        }
    }
    count > 0
}

/// Where each thread was created.
fn creators(events: &[Event]) -> Vec<(ThreadId, CodePoint)> {
    let created = events.iter().filter(|event| event.kind == OpKind::Create);
    created.map(|event| (ThreadId(event.address as u32), event.at)).collect()
}

/// Bytes of the object that an operation is about.
fn size(event: &Event) -> u64 {
    use OpKind::*;
    match event.kind {
        Lock | LockTimeout | TryLock | TryLockFail | Unlock | MutexInit | MutexDestroy => 4,
        ReadLock | TryReadLock | TryReadLockFail => 4,
        Wait | WaitEnd | Woken | Signal | Broadcast | CondInit | CondDestroy => 4,
        SemInit | SemWait | SemTimeout | SemTryWait | SemTryWaitFail | SemPost | SemGet | SemDestroy => 4,
        BarrierInit | BarrierArrive | BarrierLeave | BarrierDestroy | OnceEnter | OnceDone => 4,
        _ => u64::from(event.size.max(1)),
    }
}

fn overlap(a: &Event, b: &Event) -> bool {
    a.address < b.address.saturating_add(size(b)) && b.address < a.address.saturating_add(size(a))
}

fn is_memory(kind: OpKind) -> bool {
    kind.is_access() || kind == OpKind::Free
}

fn is_synchronisation(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Lock | TryLock | Unlock | ReadLock | TryReadLock | Wait | Signal | Broadcast | SemWait | SemTryWait)
        || matches!(kind, SemPost | BarrierArrive | TryLockFail | TryReadLockFail | SemTryWaitFail | SemGet)
        || sets(kind)
}

fn sets(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(
        kind,
        MutexInit | MutexDestroy | CondInit | CondDestroy | SemInit | SemDestroy | BarrierInit | BarrierDestroy
    )
}

/// What kind of pair two neighbouring operations are, if they are one.
fn pair(a: &Event, b: &Event) -> Option<PairKind> {
    use OpKind::*;
    // A post that finds no room looks at the semaphore only. The order of two posts matters there alone, and is no pair (see docs/pairs.md).
    let kind = |event: &Event| if event.kind == SemGet && event.other == 1 { SemPost } else { event.kind };
    let (x, y) = (kind(a), kind(b));
    let either = |p: fn(OpKind) -> bool, q: fn(OpKind) -> bool| p(x) && q(y) || q(x) && p(y);
    let takes = |kind| matches!(kind, Lock | TryLock | TryLockFail | ReadLock | TryReadLock | TryReadLockFail);
    let reads = |kind| matches!(kind, ReadLock | TryReadLock | TryReadLockFail);
    if is_memory(x) && is_memory(y) {
        return (overlap(a, b) && !(x.reads_only() && y.reads_only())).then_some(PairKind::ReadWrite);
    }
    if either(is_memory, is_synchronisation) || either(sets, is_synchronisation) {
        let quiet = |kind: OpKind| kind.reads_only();
        return (overlap(a, b) && !(quiet(x) && quiet(y))).then_some(PairKind::ReadWrite);
    }
    if takes(x) && takes(y) {
        return (a.address == b.address && !(reads(x) && reads(y))).then_some(PairKind::MonitorMonitor);
    }
    if either(|kind| matches!(kind, TryLockFail | TryReadLockFail), |kind| kind == Unlock) {
        return (a.address == b.address).then_some(PairKind::MonitorMonitor);
    }
    let woken = |one: &Event, other: &Event| one.kind == Woken && takes(other.kind) && one.other == other.address;
    if woken(a, b) || woken(b, a) {
        return Some(PairKind::WaitMonitor);
    }
    if either(|kind| kind == Wait, |kind| matches!(kind, Signal | Broadcast)) {
        return (a.address == b.address).then_some(PairKind::WaitNotify);
    }
    if either(
        |kind| matches!(kind, SemWait | SemTryWait | SemTryWaitFail),
        |kind| matches!(kind, SemWait | SemTryWait | SemTryWaitFail),
    ) || either(|kind| kind == SemTryWaitFail, |kind| kind == SemPost)
        || either(|kind| kind == SemGet, |kind| matches!(kind, SemWait | SemPost | SemTryWait))
        || x == BarrierArrive && y == BarrierArrive
        || x == OnceEnter && y == OnceEnter
    {
        let quiet = x.reads_only() && y.reads_only();
        return (a.address == b.address && !quiet).then_some(PairKind::MonitorMonitor);
    }
    match (x, y) {
        (AtomicBegin, AtomicBegin) => Some(PairKind::MonitorMonitor),
        (File, File) if a.address == b.address => Some(PairKind::ReadWrite),
        (Random, Random) => Some(PairKind::ReadWrite),
        _ => None,
    }
}

impl Strategy for Observer<'_> {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: "observer".to_owned(), guarantee: String::new() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.step < self.steps.len() {
            self.steps.clear();
        }
        let depth = self.steps.len();
        let mut threads: Vec<ThreadId> = point.choices.iter().map(|choice| choice.thread).collect();
        threads.dedup();
        let wanted = threads.into_iter().filter_map(|thread| Self::wanted(point, thread)).collect();
        self.steps.push((wanted, point.events.len()));
        let n = point.choices.len();
        if let Some(rng) = &mut self.rng {
            return Some(rng.below(n));
        }
        if depth == self.chosen.len() {
            self.chosen.push((0, n));
        }
        Some(self.chosen[depth].0)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.note(ended);
        self.steps.clear();
        self.made += 1;
        if self.rng.is_some() {
            return if self.made >= 2 * self.most { Next::Done } else { Next::Restart };
        }
        while let Some((choice, n)) = self.chosen.pop() {
            if choice + 1 < n {
                self.chosen.push((choice + 1, n));
                break;
            }
        }
        if self.chosen.is_empty() {
            return Next::Done;
        }
        if self.made >= self.most {
            self.rng = Some(Rng::new(1));
        }
        Next::Restart
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { exhaustive: true, sees_every_step: true, ..Capabilities::default() }
    }
}
