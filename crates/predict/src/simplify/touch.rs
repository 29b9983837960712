//! What events touch: two of them depend on each other if they touch the same thing, and not both only read it.

use crate::run::{Op, Run, Span};
use gordian_base::{FxHashMap, FxHashSet};

/// Something that threads share: dependence is about one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum Thing {
    Word(u64),
    Object(u64),
    Thread(u32),
    Files,
}

/// A thing that an event touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    pub(super) thing: Thing,
    /// Which bytes of a word.
    pub(super) bytes: u8,
    /// It commutes with its like: reads, and shared locks.
    pub(super) reads: bool,
}

impl Touch {
    pub(super) fn depends_on(self, other: Touch) -> bool {
        self.thing == other.thing && self.bytes & other.bytes != 0 && !(self.reads && other.reads)
    }
}

/// What an event touches.
pub(super) fn touched(op: Op) -> Vec<Touch> {
    let words = |span: Span, reads: bool| -> Vec<Touch> {
        let words = gordian_trace::words(span.address, u64::from(span.size));
        words.map(|(word, bytes)| Touch { thing: Thing::Word(word), bytes, reads }).collect()
    };
    let things: Vec<(Thing, bool)> = match op {
        Op::Read(span) => return words(span, true),
        Op::Write(span) | Op::Publish(span) | Op::Free(span) => return words(span, false),
        Op::Acquire { lock, shared } | Op::AcquireFails { lock, shared } => vec![(Thing::Object(lock), shared)],
        Op::Release { lock } => vec![(Thing::Object(lock), false)],
        Op::Wait { cond, mutex } | Op::Woken { cond, mutex } => {
            vec![(Thing::Object(cond), false), (Thing::Object(mutex), false)]
        }
        Op::GiveUp { cond: object } | Op::Signal(object) | Op::Broadcast(object) => {
            vec![(Thing::Object(object), false)]
        }
        Op::SemInit { semaphore: object, .. } | Op::SemWait(object) | Op::SemPost(object) | Op::SemFails(object) => {
            vec![(Thing::Object(object), false)]
        }
        Op::BarrierArrive { barrier: object, .. } | Op::BarrierLeave(object) => vec![(Thing::Object(object), false)],
        Op::Init(object) | Op::Destroy(object) | Op::Pinned(object) => vec![(Thing::Object(object), false)],
        Op::OnceEnter(object) | Op::OnceDone(object) | Op::OnceFound(object) => vec![(Thing::Object(object), false)],
        Op::UseFile { .. } | Op::UseFiles | Op::Close(_) => vec![(Thing::Files, false)],
        Op::Fork(child) | Op::Join(child) => vec![(Thing::Thread(child), false)],
        Op::ProcessExit => vec![(Thing::Files, false)],
        Op::End | Op::Decide(_) | Op::Nothing => Vec::new(),
    };
    things.into_iter().map(|(thing, reads)| Touch { thing, bytes: u8::MAX, reads }).collect()
}

/// Things that more than one thread uses.
fn shared_things(run: &Run) -> FxHashSet<Thing> {
    let mut owner: FxHashMap<Thing, u32> = FxHashMap::default();
    let mut shared: FxHashSet<Thing> = FxHashSet::default();
    for event in &run.events {
        for Touch { thing, .. } in touched(event.op) {
            if *owner.entry(thing).or_insert(event.thread) != event.thread {
                shared.insert(thing);
            }
        }
    }
    shared
}

/// By event: whether nobody else has to do with it. Creation, join and ends are never local.
pub fn local_events(run: &Run) -> Vec<bool> {
    let shared = shared_things(run);
    // Waits and attempts that fail are steps of a kind of their own; what is freed or becomes known concerns others.
    let is_special = |op: Op| {
        use Op::*;
        matches!(
            op,
            Fork(_) | Join(_) | End | ProcessExit | Free(_) | Publish(_) | Wait { .. } | Woken { .. } | GiveUp { .. }
        ) || matches!(op, SemFails(_) | AcquireFails { .. } | BarrierArrive { .. } | BarrierLeave(_))
    };
    let is_local = |op: Op| !is_special(op) && touched(op).iter().all(|touch| !shared.contains(&touch.thing));
    run.events.iter().map(|event| is_local(event.op)).collect()
}
