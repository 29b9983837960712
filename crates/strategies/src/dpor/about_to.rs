//! What threads are about to do: simple operations, which they will make whatever others do, unless one who takes the lock or the unit keeps
//! them from it. See `brevity`.

use super::brevity::Wakers;
use super::footprint::{Access, Class, FootprintId, Label, Location, Mode};
use super::history::History;
use super::plain::{plain_access, word_access};
use gordian_base::ThreadId;
use gordian_engine::Ended;
use gordian_trace::{Choice, Event, OpKind, Wants};
use smallvec::SmallVec;

/// What a step touches that begins with a simple operation, or would have if others had left it a lock or a unit; see
/// [`super::history::Step::about_to`].
pub(super) fn simple_operation(choice: Choice, events: &[Event], wants: Option<Wants>) -> Option<Access> {
    if !events.iter().any(|event| event.thread == choice.thread) {
        // It failed before it could be logged.
        return wants.and_then(simple_access);
    }
    let event = events.first().filter(|event| event.thread == choice.thread && !event.alone)?;
    match event.kind {
        OpKind::LockTimeout | OpKind::SemTimeout => {
            wants.filter(|wants| sync_access(wants.kind, wants.address).is_some()).and_then(simple_access)
        }
        _ if choice.variant > 0 || event.kind == OpKind::Watch => None,
        kind => sync_access(kind, event.address).or_else(|| plain_access(event).map(|touch| touch.access)),
    }
}

/// What a thread that is about to make such a step would touch.
fn simple_access(Wants { kind, size, address, .. }: Wants) -> Option<Access> {
    let mode = match kind {
        OpKind::Read | OpKind::AtomicRead => Mode::Read,
        OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::RmwSame => Mode::Write,
        _ => return sync_access(kind, address),
    };
    word_access(address, size, mode)
}

/// What an operation touches that takes or gives up a lock or a unit.
fn sync_access(kind: OpKind, address: u64) -> Option<Access> {
    let (class, mode) = match kind {
        OpKind::Lock | OpKind::Unlock => (Class::Lock, Mode::Write),
        OpKind::ReadLock => (Class::Lock, Mode::Share),
        OpKind::SemWait => (Class::Semaphore, Mode::Write),
        OpKind::SemPost => (Class::Semaphore, Mode::Share),
        _ => return None,
    };
    Some(Access { location: Location { address, class }, bytes: 1, mode })
}

impl History {
    /// Finds out what threads are about to do in the state of this depth and will do, as far as that was seen.
    pub(super) fn find_wakers(&self, depth: usize, wakers: &mut Wakers) {
        let free = self.free(depth);
        if !free.says_all() {
            return self.find_wakers_of_any(depth, wakers);
        }
        wakers.steps.clear();
        let mut left = free;
        for step in &self.steps[depth..] {
            if !left.says_all() {
                break;
            }
            if left.has(step.choice.thread) {
                left = left.without(step.choice.thread);
                wakers.add(step);
            }
        }
        wakers.are_all = true;
        if left.says_all() {
            self.add_pending(wakers, |thread| left.has(thread));
        }
    }

    /// The same where threads could go several ways.
    #[cold]
    fn find_wakers_of_any(&self, depth: usize, wakers: &mut Wakers) {
        wakers.steps.clear();
        wakers.are_all = true;
        let mut left: SmallVec<[ThreadId; 8]> = SmallVec::new();
        for &Choice { thread, .. } in self.choices(depth).iter().filter(|choice| choice.variant == 0) {
            match self.steps[depth..].iter().find(|step| step.choice.thread == thread) {
                Some(step) => wakers.add(step),
                None => left.push(thread),
            }
        }
        if !left.is_empty() {
            self.add_pending(wakers, |thread| left.contains(&thread));
        }
    }

    /// Adds what some threads are still about to do at the end of the execution.
    #[cold]
    fn add_pending(&self, wakers: &mut Wakers, of: impl Fn(ThreadId) -> bool) {
        match &self.pending {
            Some(pending) => wakers.steps.extend(pending.iter().filter(|label| of(label.thread))),
            None => wakers.are_all = false,
        }
    }

    /// The execution has ended: takes in what threads are still about to do, of which the simple steps count.
    pub(super) fn find_pending(&mut self, ended: &Ended<'_>) {
        let waiting = ended.waiting().filter(|(thread, _)| ended.watched(*thread).is_empty());
        let simple = waiting.filter_map(|(thread, wants)| Some((thread, simple_access(wants)?)));
        self.pending = Some(simple.map(|(thread, access)| Label::simple(thread, self.intern_access(access))).collect());
    }

    pub(super) fn intern_access(&mut self, access: Access) -> FootprintId {
        let (footprint, _) = self.footprints.intern_single(access, false);
        self.make_room_for_slots();
        footprint
    }
}
