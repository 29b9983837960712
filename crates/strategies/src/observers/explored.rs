//! The traces that were executed, as sets of events that know their past: whether one of them begins as is planned is known
//! without executing it.

use gordian_base::{FxHashMap, ThreadId};

/// A step together with all that comes before it, and with what it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EventId(u32);

/// Of one word: these bytes are as this write has left them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Sight {
    pub word: u64,
    pub bytes: u8,
    pub write: EventId,
}

/// What makes an event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Key {
    pub thread: ThreadId,
    pub variant: u32,
    /// By thread: the last event before it.
    pub past: Configuration,
    pub sights: Vec<Sight>,
}

struct Event {
    /// Its position among those of its thread, from 1.
    time: u32,
    /// The next events of its thread.
    next: Vec<EventId>,
    /// The traces that contain it, in order.
    traces: Vec<u32>,
}

/// A beginning of a trace: by thread, its last event.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Configuration(pub Vec<Option<EventId>>);

impl Configuration {
    pub fn last(&self, thread: ThreadId) -> Option<EventId> {
        self.0.get(thread.0 as usize).copied().flatten()
    }

    pub fn set(&mut self, thread: ThreadId, event: EventId) {
        let thread = thread.0 as usize;
        if self.0.len() <= thread {
            self.0.resize(thread + 1, None);
        }
        self.0[thread] = Some(event);
    }
}

/// What a plan is to lead to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// After these events comes a step of this thread, in this variant if one is given, which reads this.
    Step { after: Configuration, thread: ThreadId, variant: Option<u32>, sights: Vec<Sight> },
    /// These events are all, and this is left.
    End { events: Configuration, sights: Vec<Sight> },
}

#[derive(Default)]
pub struct Explored {
    events: indexmap::IndexMap<Key, Event, gordian_base::FxBuildHasher>,
    /// By thread.
    first: FxHashMap<ThreadId, Vec<EventId>>,
    /// By all events of a trace: what was left at its ends.
    ends: FxHashMap<Configuration, Vec<Vec<Sight>>>,
    n_traces: u32,
}

impl Explored {
    pub fn event(&mut self, key: Key) -> EventId {
        let next = EventId(u32::try_from(self.events.len()).expect("fewer than 2^32 events"));
        if let Some(known) = self.events.get_index_of(&key) {
            return EventId(known as u32);
        }
        let previous = key.past.last(key.thread);
        let time = 1 + previous.map_or(0, |event| self.at(event).time);
        match previous {
            Some(previous) => self.events[previous.0 as usize].next.push(next),
            None => self.first.entry(key.thread).or_default().push(next),
        }
        self.events.insert(key, Event { time, next: Vec::new(), traces: Vec::new() });
        next
    }

    /// Adds a trace, unless it is known.
    pub fn add(&mut self, events: &[EventId], all: Configuration, left: Vec<Sight>) {
        let ends = self.ends.entry(all).or_default();
        if ends.contains(&left) {
            return;
        }
        ends.push(left);
        for event in events {
            self.events[event.0 as usize].traces.push(self.n_traces);
        }
        self.n_traces += 1;
    }

    fn at(&self, event: EventId) -> &Event {
        &self.events[event.0 as usize]
    }

    fn key(&self, event: EventId) -> &Key {
        self.events.get_index(event.0 as usize).expect("events are not forgotten").0
    }

    fn time(&self, event: Option<EventId>) -> u32 {
        event.map_or(0, |event| self.at(event).time)
    }

    /// Whether a trace that was executed leads there.
    pub fn reaches(&self, goal: &Goal) -> bool {
        match goal {
            Goal::End { events, sights } => {
                let ends = self.ends.get(events).map_or(&[][..], Vec::as_slice);
                ends.iter().any(|left| is_seen(sights, left))
            }
            Goal::Step { after, thread, variant, sights } => {
                let next = match after.last(*thread) {
                    Some(last) => &self.at(last).next[..],
                    None => self.first.get(thread).map_or(&[][..], Vec::as_slice),
                };
                next.iter().any(|&event| {
                    let key = self.key(event);
                    variant.is_none_or(|variant| variant == key.variant)
                        && is_seen(sights, &key.sights)
                        && self.comes_after(key, after)
                        && self.occur_together(event, after)
                })
            }
        }
    }

    /// Whether nothing must come before an event but what is in `after`, as far as both are parts of one trace.
    fn comes_after(&self, key: &Key, after: &Configuration) -> bool {
        let mut past = key.past.0.iter().enumerate();
        past.all(|(thread, &event)| self.time(event) <= self.time(after.last(ThreadId(thread as u32))))
    }

    fn occur_together(&self, event: EventId, with: &Configuration) -> bool {
        let mut lists: Vec<&[u32]> = with.0.iter().flatten().map(|&other| &self.at(other).traces[..]).collect();
        lists.push(&self.at(event).traces);
        lists.sort_by_key(|list| list.len());
        let (rarest, others) = lists.split_first().expect("at least that of the event");
        rarest.iter().any(|trace| others.iter().all(|list| list.binary_search(trace).is_ok()))
    }
}

/// Whether all that is wanted was seen.
fn is_seen(wanted: &[Sight], seen: &[Sight]) -> bool {
    wanted.iter().all(|wanted| {
        let there = |sight: &&Sight| sight.word == wanted.word && sight.bytes & wanted.bytes != 0;
        seen.iter().filter(there).all(|sight| sight.write == wanted.write)
            && seen.iter().filter(there).fold(0, |bytes, sight| bytes | sight.bytes) & wanted.bytes == wanted.bytes
    })
}
