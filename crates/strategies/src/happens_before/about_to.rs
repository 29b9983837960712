//! What threads are about to do, and whether that is inevitable: see [`InevitableSteps`] and `trimming`.

use super::footprint::FootprintId;
use super::history::History;
use super::location::{Access, Mode};
use super::operation::reading_mode;
use super::plain::{plain_access, word_access};
use super::touch::object_access;
use super::transition::Transition;
use gordian_base::ThreadId;
use gordian_engine::Ended;
use gordian_trace::{Choice, Event, Hidden, OpKind, Wants};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// What a step touches that begins with a simple operation, or would have if others had left it a lock or a unit; see
/// [`super::history::Step::about_to`].
///
/// `events` are those of the step, `before` those of the steps before it.
pub(crate) fn simple_operation(
    choice: Choice,
    events: &[Event],
    before: &[Event],
    wants: Option<Wants>,
) -> Option<Access> {
    let wants = || wants.filter(|&wants| !may_fail(choice.thread, wants, before));
    if !events.iter().any(|event| event.thread == choice.thread) {
        // It failed before it could be logged.
        return wants().and_then(simple_access);
    }
    let event = events.first().filter(|event| event.thread == choice.thread && !event.alone)?;
    if may_be_cancelled(choice.thread, events) {
        return None;
    }
    match event.kind {
        OpKind::LockTimeout | OpKind::SemTimeout => {
            wants().filter(|wants| sync_access(wants.kind, wants.address, wants.size).is_some()).and_then(simple_access)
        }
        _ if choice.variant > 0 || event.kind == OpKind::Watch => None,
        _ => inevitable_access(event),
    }
}

/// What the operation touches, if its thread would have made it at any time.
#[inline]
pub(crate) fn inevitable_access(event: &Event) -> Option<Access> {
    let varies = event.varies
        || match event.kind {
            // Its holder takes it again.
            OpKind::Lock => event.value > 1,
            OpKind::Unlock => event.value == OpKind::NOT_HELD,
            OpKind::SemPost => event.value > OpKind::MANY_UNITS,
            OpKind::ReadLock => reading_mode(event.thread) != Mode::Share,
            _ => false,
        };
    if varies {
        return None;
    }
    let sync = sync_access(event.kind, event.address, event.size);
    sync.or_else(|| plain_access(event).map(|touch| touch.access))
}

/// Whether the thread acts on its cancellation, or would have if that had been asked for.
fn may_be_cancelled(thread: ThreadId, events: &[Event]) -> bool {
    let looks = |event: &Event| match event.kind {
        OpKind::Cancelled => true,
        OpKind::Look => Hidden::of(event.address) == Some(Hidden::Cancellation(thread)),
        _ => false,
    };
    events.iter().any(|event| event.thread == thread && looks(event))
}

/// Whether a thread that stands before this operation looks there whether it is cancelled, where any thread is.
pub(crate) fn may_be_cancelled_at(wants: Wants) -> bool {
    wants.varies || wants.kind == OpKind::Woken
}

/// What a thread that is about to make such a step would touch.
fn simple_access(Wants { kind, size, address, varies, .. }: Wants) -> Option<Access> {
    let mode = match kind {
        _ if varies => return None,
        OpKind::Read | OpKind::AtomicRead => Mode::Read,
        OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::RmwSame => Mode::Write,
        _ => return sync_access(kind, address, size),
    };
    word_access(address, size, mode)
}

/// Whether a thread that is about to make an operation on a lock or a semaphore may be told that it cannot be made, as far as these events show: it holds the
/// lock already, or does not hold what it gives up, or there may be no room for another unit.
pub(crate) fn may_fail(thread: ThreadId, wants: Wants, events: &[Event]) -> bool {
    let holds = |to_read: bool| {
        let own = events.iter().filter(|event| event.thread == thread);
        own.filter(|event| is_for_reading(event) == to_read).map(|event| takes(event, wants.address)).sum::<i32>() > 0
    };
    match wants.kind {
        OpKind::Lock => holds(false) || holds(true),
        // Who reads already is kept from it by nobody.
        OpKind::ReadLock => holds(false) || reading_mode(thread) != Mode::Share,
        OpKind::Unlock => !holds(false) && !holds(true),
        OpKind::SemPost => {
            let here = |event: &Event| event.kind == OpKind::SemInit && event.address == wants.address;
            events.iter().any(|event| here(event) && event.value > OpKind::MANY_UNITS)
        }
        _ => false,
    }
}

/// Whether an operation takes a lock for reading, or gives one up that was taken for that.
fn is_for_reading(event: &Event) -> bool {
    match event.kind {
        OpKind::ReadLock | OpKind::TryReadLock => true,
        OpKind::Unlock => event.other == 1,
        _ => false,
    }
}

/// How often more its thread holds this lock after an operation.
fn takes(event: &Event, lock: u64) -> i32 {
    let address = if matches!(event.kind, OpKind::Wait | OpKind::Woken) { event.other } else { event.address };
    match event.kind {
        _ if address != lock => 0,
        OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock | OpKind::Woken => 1,
        OpKind::Unlock if event.value == OpKind::NOT_HELD => 0,
        OpKind::Unlock | OpKind::Wait => -1,
        _ => 0,
    }
}

/// What an operation touches that takes or gives up a lock or a unit.
fn sync_access(kind: OpKind, address: u64, size: u32) -> Option<Access> {
    let mode = match kind {
        OpKind::Lock | OpKind::Unlock | OpKind::SemWait => Mode::Write,
        OpKind::ReadLock | OpKind::SemPost => Mode::Share,
        _ => return None,
    };
    Some(object_access(address, size, mode))
}

/// Inevitable steps that are pending in a state, one of each thread at the most.
///
/// *A pending step is inevitable if its thread makes exactly these accesses whatever other threads do, unless one of them takes the same lock or unit
/// first.* These are accesses of single instructions to memory, and operations that take or give up a lock or a unit that can be had. Not
/// among them is what may turn out otherwise ([`Event::varies`], [`Wants::varies`]) or be given up because its thread is cancelled. Whether a pending step
/// is inevitable must depend on the state alone, and not on whether an execution came to make it: the sleep set is trusted to it (see
/// `Dpor::is_firm`).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct InevitableSteps {
    pub steps: Vec<Transition>,
    /// All such steps are among them: the execution has ended, so it was seen what every thread would do that could go on.
    pub are_all: bool,
}

impl History {
    /// Finds out what threads are about to do in the state of this depth and will do, as far as that was seen.
    pub(crate) fn find_inevitable(&self, depth: usize, inevitable: &mut InevitableSteps) {
        let free = self.free(depth);
        if !free.says_all() {
            return self.find_inevitable_of_any(depth, inevitable);
        }
        inevitable.steps.clear();
        let mut left = free;
        for step in &self.steps[depth..] {
            if !left.says_all() {
                break;
            }
            if left.has(step.choice.thread) {
                left = left.without(step.choice.thread);
                inevitable.add(step);
            }
        }
        inevitable.are_all = true;
        if left.says_all() {
            self.add_pending(inevitable, |thread| left.has(thread));
        }
    }

    /// The same where threads could go several ways.
    #[cold]
    fn find_inevitable_of_any(&self, depth: usize, inevitable: &mut InevitableSteps) {
        inevitable.steps.clear();
        inevitable.are_all = true;
        let mut left: SmallVec<[ThreadId; 8]> = SmallVec::new();
        for &Choice { thread, .. } in self.choices(depth).iter().filter(|choice| choice.variant == 0) {
            match self.steps[depth..].iter().find(|step| step.choice.thread == thread) {
                Some(step) => inevitable.add(step),
                None => left.push(thread),
            }
        }
        if !left.is_empty() {
            self.add_pending(inevitable, |thread| left.contains(&thread));
        }
    }

    /// Adds what some threads are still about to do at the end of the execution.
    #[cold]
    fn add_pending(&self, inevitable: &mut InevitableSteps, of: impl Fn(ThreadId) -> bool) {
        match &self.pending {
            Some(pending) => inevitable.steps.extend(pending.iter().filter(|label| of(label.thread))),
            None => inevitable.are_all = false,
        }
    }

    /// The execution has ended: takes in what threads are still about to do, of which the simple steps count.
    pub(crate) fn find_pending(&mut self, ended: &Ended<'_>) {
        let waiting = ended.waiting().filter(|(thread, _)| ended.watched(*thread).is_empty());
        let inevitable = waiting.filter(|&(thread, wants)| !may_fail(thread, wants, ended.events));
        let simple = inevitable.filter_map(|(thread, wants)| Some((thread, simple_access(wants)?)));
        self.pending =
            Some(simple.map(|(thread, access)| Transition::simple(thread, self.intern_access(access))).collect());
    }

    pub(crate) fn intern_access(&mut self, access: Access) -> FootprintId {
        let (footprint, _) = self.footprints.intern_single(access, false);
        self.make_room_for_slots();
        footprint
    }
}
