//! Many short lists of events in one piece of memory, each of which grows at its ends.

use crate::events::EventId;

const END: u32 = u32::MAX;

/// A list, empty to begin with.
#[derive(Clone, Copy, Debug)]
pub struct List {
    first: u32,
    last: u32,
}

impl List {
    pub const EMPTY: List = List { first: END, last: END };
}

/// The elements of all lists.
#[derive(Default)]
pub struct Lists {
    /// Each with the position of the next one.
    nodes: Vec<(EventId, u32)>,
}

impl Lists {
    pub fn push(&mut self, list: &mut List, event: EventId) {
        let position = u32::try_from(self.nodes.len()).ok().filter(|&position| position != END);
        let position = position.expect("fewer than 2^32 elements in all lists");
        self.nodes.push((event, END));
        match list.first {
            END => list.first = position,
            _ => self.nodes[list.last as usize].1 = position,
        }
        list.last = position;
    }

    /// Adds an event as the first of a list.
    pub fn push_front(&mut self, list: &mut List, event: EventId) {
        let mut alone = List::EMPTY;
        self.push(&mut alone, event);
        match list.first {
            END => *list = alone,
            first => {
                self.nodes[alone.first as usize].1 = first;
                list.first = alone.first;
            }
        }
    }

    pub fn iter(&self, list: List) -> impl Iterator<Item = EventId> {
        let mut at = list.first;
        std::iter::from_fn(move || {
            let &(event, next) = self.nodes.get(at as usize)?;
            at = next;
            Some(event)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_grow_side_by_side() {
        let mut lists = Lists::default();
        let (mut even, mut odd) = (List::EMPTY, List::EMPTY);
        for n in 0..7 {
            lists.push(if n % 2 == 0 { &mut even } else { &mut odd }, EventId(n));
        }
        let of = |list| lists.iter(list).map(|event| event.0).collect::<Vec<_>>();
        assert_eq!((of(even), of(odd), of(List::EMPTY)), (vec![0, 2, 4, 6], vec![1, 3, 5], vec![]));
        lists.push_front(&mut odd, EventId(7));
        lists.push(&mut odd, EventId(8));
        assert_eq!(lists.iter(odd).map(|event| event.0).collect::<Vec<_>>(), [7, 1, 3, 5, 8]);
    }
}
