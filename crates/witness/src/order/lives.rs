//! Lives: nobody uses what was freed or destroyed.

use super::{CriticalSection, Order, Prefix};
use crate::event::{Event, EventKind, EventRef, PendingOperation, Used};
use gordian_base::{FxHashMap, ThreadId};
use gordian_ir::address;
use std::hash::Hash;

/// What begins and ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Thing {
    /// In memory, by the address of its first byte.
    Object(u64),
    Synchronisation(u64),
}

/// The end of something.
struct Ending {
    of: Thing,
    at: EventRef,
    /// Where the same thread makes it anew.
    next: Option<EventRef>,
}

impl Ending {
    /// Whether nothing else ever gets the name of what ended.
    fn is_final(&self) -> bool {
        matches!(self.of, Thing::Object(start) if !address::is_stack_space(address::space(start)))
    }
}

type Pair = (EventRef, EventRef);

impl<B: Copy + Ord + Hash> Order<'_, B> {
    /// Whoever uses an object does so before it is freed or destroyed, or when its place has become that of another; and no lock is destroyed while
    /// it is held. Says nothing of a use and an end that are `wanted` in any order. `open` is to blame for a lock that is not released, by its
    /// acquisition. What else is certain should be said before.
    pub fn say_lives(&mut self, wanted: impl Fn(EventRef, EventRef) -> bool, open: impl Fn(EventRef) -> B) {
        let endings = self.endings();
        if endings.is_empty() || self.must_stop() {
            return;
        }
        let mut uses: FxHashMap<Thing, Vec<EventRef>> = endings.iter().map(|ending| (ending.of, Vec::new())).collect();
        for (at, event) in self.prefixes.iter().flat_map(Prefix::refs) {
            for thing in things(event) {
                if let Some(uses) = uses.get_mut(&thing) {
                    uses.push(at);
                }
            }
        }
        let mut either: Vec<[Pair; 2]> = Vec::new();
        let mut is_late = false;
        for ending in &endings {
            let uses = uses[&ending.of].iter().copied();
            for at in uses.filter(|&at| at != ending.at && !wanted(at, ending.at)) {
                match ending.next {
                    _ if at.thread == ending.at.thread => {
                        is_late |= at.index > ending.at.index && ending.is_final();
                    }
                    Some(next) => either.push([(at, ending.at), (next, at)]),
                    None => self.say_before(at, ending.at),
                }
            }
        }
        if is_late {
            self.say_one_of(&[], &[]);
        }
        for pairs in &either {
            self.say_one_of(&[], pairs);
        }
        self.say_released(&endings, wanted, open);
    }

    fn say_released(
        &mut self,
        endings: &[Ending],
        wanted: impl Fn(EventRef, EventRef) -> bool,
        open: impl Fn(EventRef) -> B,
    ) {
        let is_open = |section: &CriticalSection| section.released.is_none();
        let sections: Vec<CriticalSection> = self.critical_sections().into_iter().filter(is_open).collect();
        for &Ending { of, at, next } in endings {
            for &CriticalSection { lock, acquired, .. } in &sections {
                if of != Thing::Synchronisation(lock) || acquired.thread == at.thread || wanted(acquired, at) {
                    continue;
                }
                let later = next.map(|next| (next, acquired));
                self.say_one_of(&[open(acquired)], later.as_slice());
            }
        }
    }

    /// Synchronisation objects that another thread may have made anew are left out.
    fn endings(&self) -> Vec<Ending> {
        let mut endings: Vec<Ending> = Vec::new();
        for prefix in self.prefixes {
            let first = endings.len();
            for (at, event) in prefix.refs() {
                if let Some(begun) = begun(event) {
                    let ended = endings[first..].iter_mut().rfind(|ending| ending.of == begun);
                    if let Some(ending) = ended.filter(|ending| ending.next.is_none()) {
                        ending.next = Some(at);
                    }
                }
                if let Some(of) = ended(event) {
                    endings.push(Ending { of, at, next: None });
                }
            }
        }
        if endings.iter().any(|ending| matches!(ending.of, Thing::Synchronisation(_))) {
            let refs = self.prefixes.iter().flat_map(Prefix::refs);
            let made: Vec<(Thing, EventRef)> = refs.filter_map(|(at, event)| Some((begun(event)?, at))).collect();
            endings.retain(|ending| {
                let makes = |&(of, at): &(Thing, EventRef)| of == ending.of && at.thread != ending.at.thread;
                let is_object = matches!(ending.of, Thing::Object(_));
                is_object || made.iter().filter(|made| makes(made)).all(|&(_, at)| self.is_found(ending.at.thread, at))
            });
        }
        endings
    }

    /// Whether the event comes before the thread was created, since its creator or that one's creator made it.
    fn is_found(&self, thread: ThreadId, event: EventRef) -> bool {
        let created_by = |thread| self.prefix(thread).and_then(|(_, prefix)| prefix.created_by);
        let mut creations = std::iter::successors(created_by(thread), |creation| created_by(creation.thread));
        creations.any(|creation| creation.thread == event.thread && event.index < creation.index)
    }
}

fn things(event: &Event) -> impl Iterator<Item = Thing> {
    event.uses().into_iter().flat_map(|used| {
        let (address, synchronisation) = match used {
            Used::Memory(address) => (address, None),
            Used::Synchronisation(address) => (address, Some(Thing::Synchronisation(address))),
        };
        [Some(Thing::Object(address::object_start(address))), synchronisation].into_iter().flatten()
    })
}

fn ended(event: &Event) -> Option<Thing> {
    match event.kind {
        EventKind::Free(place) => Some(Thing::Object(address::object_start(place.address))),
        EventKind::Destroy(address) | EventKind::Pending(PendingOperation::Destroy(address)) => {
            Some(Thing::Synchronisation(address))
        }
        _ => None,
    }
}

fn begun(event: &Event) -> Option<Thing> {
    match event.kind {
        EventKind::Publish { place, .. } => Some(Thing::Object(address::object_start(place.address))),
        EventKind::Claim(address)
        | EventKind::SemInit { semaphore: address, .. }
        | EventKind::BarrierInit { barrier: address, .. } => Some(Thing::Synchronisation(address)),
        _ => None,
    }
}
