//! Vector clocks of the synchronisation order: an arena of immutable clocks that grows along the
//! execution and is cut when going back, so that taking a clock is copying a number.

use crate::ThreadId;

/// Names a clock in the arena. 0 is the clock that knows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ClockId(pub u32);

#[derive(Debug, Default, Hash)]
pub struct Clocks {
    /// Start and length of each clock in `times`.
    spans: Vec<(u32, u32)>,
    times: Vec<u32>,
    /// Where the clock under way begins.
    draft: usize,
}

impl Clocks {
    pub fn new() -> Self {
        Clocks { spans: vec![(0, 0)], times: Vec::new(), draft: 0 }
    }

    #[inline]
    pub fn get(&self, clock: ClockId) -> &[u32] {
        let (start, len) = self.spans[clock.0 as usize];
        &self.times[start as usize..start as usize + len as usize]
    }

    /// Up to which of `thread`'s times the clock knows.
    #[inline]
    pub fn time(&self, clock: ClockId, thread: ThreadId) -> u32 {
        self.get(clock).get(thread.0 as usize).copied().unwrap_or(0)
    }

    #[inline]
    fn push(&mut self, start: usize) -> ClockId {
        let id = ClockId(u32::try_from(self.spans.len()).expect("fewer than 2^32 clocks"));
        self.spans.push((u32::try_from(start).expect("fewer than 2^32 times"), (self.times.len() - start) as u32));
        id
    }

    pub fn knows(&self, clock: ClockId, of: ClockId) -> bool {
        let (mine, other) = (self.get(clock), self.get(of));
        // Without leaving early: clocks are short, and this way several times are compared at once.
        let later = other.iter().zip(mine).fold(false, |later, (other, mine)| later | (other > mine));
        !later && other.iter().skip(mine.len()).all(|&time| time == 0)
    }

    pub fn join(&mut self, a: ClockId, b: ClockId) -> ClockId {
        if a == b || b == ClockId::default() || self.knows(a, b) {
            return a;
        }
        if a == ClockId::default() || self.knows(b, a) {
            return b;
        }
        let (longer, shorter) = if self.get(a).len() >= self.get(b).len() { (a, b) } else { (b, a) };
        let start = self.copy(longer);
        let (from, len) = self.spans[shorter.0 as usize];
        let (known, new) = self.times.split_at_mut(start);
        for (time, other) in new.iter_mut().zip(&known[from as usize..(from + len) as usize]) {
            *time = (*time).max(*other);
        }
        self.push(start)
    }

    /// Adds the times of a clock once more; gives their start.
    #[inline]
    fn copy(&mut self, clock: ClockId) -> usize {
        let (from, len) = self.spans[clock.0 as usize];
        let start = self.times.len();
        self.times.extend_from_within(from as usize..(from + len) as usize);
        start
    }

    /// `clock` with `thread` at `time`.
    pub fn with(&mut self, clock: ClockId, thread: ThreadId, time: u32) -> ClockId {
        let start = self.copy(clock);
        let index = thread.0 as usize;
        if self.times.len() < start + index + 1 {
            self.times.resize(start + index + 1, 0);
        }
        self.times[start + index] = time;
        self.push(start)
    }

    /// Begins a new clock with what `clock` knows. Until it is finished or dropped, no other clock may be made.
    #[inline]
    pub fn begin(&mut self, clock: ClockId) {
        self.draft = self.copy(clock);
    }

    /// What the clock under way knows of `thread`.
    #[inline]
    pub fn draft_time(&self, thread: ThreadId) -> u32 {
        self.times.get(self.draft + thread.0 as usize).copied().unwrap_or(0)
    }

    /// The clock under way learns what `clock` knows.
    #[inline]
    pub fn add(&mut self, clock: ClockId) {
        let (from, len) = self.spans[clock.0 as usize];
        if self.times.len() - self.draft < len as usize {
            self.times.resize(self.draft + len as usize, 0);
        }
        let (known, draft) = self.times.split_at_mut(self.draft);
        for (time, other) in draft.iter_mut().zip(&known[from as usize..(from + len) as usize]) {
            *time = (*time).max(*other);
        }
    }

    /// The clock under way, with `thread` at `time`.
    #[inline]
    pub fn finish_at(&mut self, thread: ThreadId, time: u32) -> ClockId {
        let index = self.draft + thread.0 as usize;
        if self.times.len() <= index {
            self.times.resize(index + 1, 0);
        }
        self.times[index] = time;
        self.push(self.draft)
    }

    #[inline]
    pub fn finish(&mut self) -> ClockId {
        self.push(self.draft)
    }

    #[inline]
    pub fn drop_draft(&mut self) {
        self.times.truncate(self.draft);
    }

    #[inline]
    pub fn n_clocks(&self) -> usize {
        self.spans.len()
    }

    pub fn truncate(&mut self, len: usize) {
        if let Some(&(start, _)) = self.spans.get(len) {
            self.times.truncate(start as usize);
            self.spans.truncate(len);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn joining_takes_the_later_of_each() {
        let mut clocks = Clocks::new();
        let a = clocks.with(ClockId(0), ThreadId(0), 3);
        let b = clocks.with(ClockId(0), ThreadId(2), 5);
        let both = clocks.join(a, b);
        assert_eq!(clocks.get(both), [3, 0, 5]);
        assert!(clocks.knows(both, a) && clocks.knows(both, b) && !clocks.knows(a, both));
        assert_eq!(clocks.join(both, a), both);
    }

    #[test]
    fn a_clock_made_piece_by_piece_knows_all_pieces() {
        let mut clocks = Clocks::new();
        let a = clocks.with(ClockId(0), ThreadId(0), 3);
        let b = clocks.with(ClockId(0), ThreadId(2), 5);
        clocks.begin(a);
        clocks.add(b);
        assert_eq!((clocks.draft_time(ThreadId(2)), clocks.draft_time(ThreadId(9))), (5, 0));
        let new = clocks.finish_at(ThreadId(3), 1);
        assert_eq!(clocks.get(new), [3, 0, 5, 1]);
        clocks.begin(a);
        clocks.drop_draft();
        let next = clocks.with(a, ThreadId(1), 1);
        assert_eq!(clocks.get(next), [3, 1]);
    }

    #[test]
    fn cutting_forgets_what_came_later() {
        let mut clocks = Clocks::new();
        let a = clocks.with(ClockId(0), ThreadId(0), 1);
        let len = clocks.n_clocks();
        clocks.with(a, ThreadId(1), 1);
        clocks.truncate(len);
        let again = clocks.with(a, ThreadId(1), 9);
        assert_eq!(clocks.get(again), [1, 9]);
    }
}
