//! The order of Esparza, Römer and Vogler (2002), in which events must be added to an unfolding that is cut off at markings seen before.
//!
//! It compares configurations by their size, then by their labels (the Parikh vector), then by their Foata normal forms. It is *adequate*: it refines inclusion, and it
//! is preserved by extension: if `C1 < C2` lead to the same marking, then `C1 + E < C2 + E` for every suffix `E`. That it is well-founded follows from that and does not suffice:
//! events in any order that is not preserved by extension can cut each other off, and markings get lost.

use std::cmp::Ordering;

/// A configuration, as far as the order looks at it. The derived order is the adequate one.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    size: usize,
    labels: Box<[u64]>,
    /// The labels level by level, each level after how many events it has: an event is one level above the highest of its causes. Of levels with different numbers of events
    /// the smaller one comes first. (Lexicographic order alone is not preserved: `[1]` before `[1, 2]`, but `[1, 2, 4]` before `[1, 4]`.)
    foata: Box<[u64]>,
}

impl Key {
    /// Of events, each with its label and its level.
    pub fn new(events: impl IntoIterator<Item = (u64, usize)>) -> Key {
        let mut events: Vec<(usize, u64)> = events.into_iter().map(|(label, level)| (level, label)).collect();
        events.sort_unstable();
        let mut labels: Box<[u64]> = events.iter().map(|&(_, label)| label).collect();
        labels.sort_unstable();
        let n_levels = events.last().map_or(0, |last| last.0 + 1);
        let mut foata = Vec::with_capacity(events.len() + n_levels);
        let mut left = &events[..];
        for level in 0..n_levels {
            let n = left.iter().take_while(|event| event.0 == level).count();
            foata.push(n as u64);
            foata.extend(left[..n].iter().map(|&(_, label)| label));
            left = &left[n..];
        }
        Key { size: events.len(), labels, foata: foata.into() }
    }
}

/// An entry of a queue from which the least comes first.
pub struct Queued<T> {
    pub key: Key,
    /// Of entries with equal keys, the first one comes first.
    pub number: u64,
    pub item: T,
}

impl<T> PartialEq for Queued<T> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl<T> Eq for Queued<T> {}

impl<T> PartialOrd for Queued<T> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<T> Ord for Queued<T> {
    fn cmp(&self, other: &Self) -> Ordering {
        (&other.key, other.number).cmp(&(&self.key, self.number))
    }
}
