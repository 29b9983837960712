//! Names of threads and events that do not depend on the interleaving.

use crate::{Event, OpKind, ThreadOrigin};
use gordian_base::{FxHashMap, ThreadId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A thread by how it was created: for each of its ancestors from main on, how many threads that one had created before. Main is the
/// empty path. Written as `main`, `main.0`, `main.2.1`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadPath(pub Vec<u32>);

impl ThreadPath {
    /// The path of a thread by its number. `origins` are those of a test: who created each thread but main, or nothing where main created
    /// all. None for a thread that they do not know, or if they are no tree.
    pub fn of(thread: ThreadId, origins: &[ThreadOrigin]) -> Option<ThreadPath> {
        let mut path = Vec::new();
        let mut thread = thread.0;
        while thread != 0 {
            let origin = match origins {
                [] => ThreadOrigin { creator: 0, nth: thread - 1 },
                known => *known.get(thread as usize - 1)?,
            };
            path.push(origin.nth);
            if path.len() > origins.len().max(1) {
                return None;
            }
            thread = origin.creator;
        }
        path.reverse();
        Some(ThreadPath(path))
    }
}

impl fmt::Display for ThreadPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("main")?;
        self.0.iter().try_for_each(|nth| write!(f, ".{nth}"))
    }
}

/// An event by its thread and its number in that thread, from 0 on.
///
/// Executions in which a thread has read the same values so far, and the same results of its operations, give the same name to the same
/// event of that thread.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EventName {
    pub thread: ThreadPath,
    pub index: u32,
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}#{}", self.thread, self.index)
    }
}

#[derive(Debug, thiserror::Error)]
#[error("`{0}` is no name of a thread or an event")]
pub struct EventNameError(String);

impl FromStr for ThreadPath {
    type Err = EventNameError;

    fn from_str(text: &str) -> Result<Self, EventNameError> {
        let bad = || EventNameError(text.to_owned());
        let mut parts = text.split('.');
        if parts.next() != Some("main") {
            return Err(bad());
        }
        parts.map(|nth| nth.parse().map_err(|_| bad())).collect::<Result<_, _>>().map(ThreadPath)
    }
}

impl FromStr for EventName {
    type Err = EventNameError;

    fn from_str(text: &str) -> Result<Self, EventNameError> {
        let bad = || EventNameError(text.to_owned());
        let (thread, index) = text.rsplit_once('#').ok_or_else(bad)?;
        Ok(EventName { thread: thread.parse()?, index: index.parse().map_err(|_| bad())? })
    }
}

macro_rules! serde_as_text {
    ($name:ty) => {
        impl Serialize for $name {
            fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let text = String::deserialize(deserializer)?;
                text.parse().map_err(serde::de::Error::custom)
            }
        }
    };
}

serde_as_text!(ThreadPath);
serde_as_text!(EventName);

/// The names of events, in their order; none for events that are no operation of their thread but say how others or inputs led to one.
/// `origins` are those of the execution's test; events of threads that they do not know have no name either.
pub fn event_names(events: &[Event], origins: &[ThreadOrigin]) -> Vec<Option<EventName>> {
    let mut next: FxHashMap<ThreadId, u32> = FxHashMap::default();
    let name = |event: &Event| {
        if matches!(event.kind, OpKind::Watch | OpKind::Wake | OpKind::Branch) {
            return None;
        }
        let index = next.entry(event.thread).or_default();
        *index += 1;
        Some(EventName { thread: ThreadPath::of(event.thread, origins)?, index: *index - 1 })
    };
    events.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NO_CODE;

    fn event(thread: u32, kind: OpKind) -> Event {
        Event {
            thread: ThreadId(thread),
            kind,
            alone: false,
            unsure: false,
            varies: false,
            size: 4,
            at: NO_CODE,
            address: u64::MAX,
            value: 1,
            other: 2,
        }
    }

    #[test]
    fn names_do_not_depend_on_the_numbers_of_threads() {
        // Threads 1 and 2 create one each; who is seen first gets the lower number.
        let origin = |creator, nth| ThreadOrigin { creator, nth };
        let one = [origin(0, 0), origin(0, 1), origin(1, 0), origin(2, 0)];
        let other = [origin(0, 0), origin(0, 1), origin(2, 0), origin(1, 0)];
        assert_eq!(ThreadPath::of(ThreadId(3), &one), ThreadPath::of(ThreadId(4), &other));
        assert_eq!(ThreadPath::of(ThreadId(3), &one), Some(ThreadPath(vec![0, 0])));
        assert_eq!(ThreadPath::of(ThreadId(9), &one), None);
        assert_eq!(ThreadPath::of(ThreadId(2), &[]), Some(ThreadPath(vec![1])));
        // No tree at all.
        assert_eq!(ThreadPath::of(ThreadId(1), &[origin(2, 0), origin(1, 0)]), None);
    }

    #[test]
    fn names_and_events_come_back_from_disk() {
        let events = [event(0, OpKind::Create), event(1, OpKind::Watch), event(1, OpKind::Rmw), event(0, OpKind::Join)];
        let names = event_names(&events, &[]);
        let texts: Vec<_> = names.iter().map(|name| name.as_ref().map(ToString::to_string)).collect();
        assert_eq!(texts, [Some("main#0"), None, Some("main.0#0"), Some("main#1")].map(|text| text.map(str::to_owned)));
        let written = serde_json::to_string(&(&events[..], &names)).unwrap();
        let read: (Vec<Event>, Vec<Option<EventName>>) = serde_json::from_str(&written).unwrap();
        assert_eq!(read, (events.to_vec(), names));
        assert!(serde_json::from_str::<EventName>("\"main.x#1\"").is_err());
        assert!("T1#2".parse::<EventName>().is_err());
    }
}
