//! Sets of threads.

use crate::{Id, ThreadId};

/// An exact set of threads. The first 64 need no memory of their own.
#[derive(Clone, Debug, Default)]
pub struct ThreadSet {
    first: u64,
    /// The others, 64 to a word, up to the last that was ever added.
    rest: Vec<u64>,
}

const WORD: usize = u64::BITS as usize;

impl ThreadSet {
    #[inline]
    pub fn insert(&mut self, thread: ThreadId) {
        match thread.index().checked_sub(WORD) {
            None => self.first |= 1 << thread.index(),
            Some(beyond) => self.insert_beyond(beyond),
        }
    }

    #[cold]
    fn insert_beyond(&mut self, beyond: usize) {
        if self.rest.len() <= beyond / WORD {
            self.rest.resize(beyond / WORD + 1, 0);
        }
        self.rest[beyond / WORD] |= 1 << (beyond % WORD);
    }

    #[inline]
    pub fn contains(&self, thread: ThreadId) -> bool {
        match thread.index().checked_sub(WORD) {
            None => self.first >> thread.index() & 1 != 0,
            Some(beyond) => self.rest.get(beyond / WORD).is_some_and(|word| word >> (beyond % WORD) & 1 != 0),
        }
    }
}

impl Extend<ThreadId> for ThreadSet {
    #[inline]
    fn extend<T: IntoIterator<Item = ThreadId>>(&mut self, threads: T) {
        threads.into_iter().for_each(|thread| self.insert(thread));
    }
}

impl FromIterator<ThreadId> for ThreadSet {
    #[inline]
    fn from_iter<T: IntoIterator<Item = ThreadId>>(threads: T) -> Self {
        let mut set = ThreadSet::default();
        set.extend(threads);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_with_large_numbers_are_told_apart() {
        let numbers = [0, 1, 63, 64, 65, 127, 128, 1_000, 5_000];
        for &inside in &numbers {
            let set: ThreadSet = [ThreadId(inside)].into_iter().collect();
            for &asked in &numbers {
                assert_eq!(set.contains(ThreadId(asked)), asked == inside, "{asked} in {{{inside}}}");
            }
        }
        let all: ThreadSet = numbers.into_iter().map(ThreadId).collect();
        assert!((0..6_000).all(|n| all.contains(ThreadId(n)) == numbers.contains(&n)));
    }
}
