//! Vector clocks of the synchronisation order: an arena of immutable clocks that grows along the
//! execution and is cut when going back, so that taking a clock is copying a number.

use crate::ThreadId;
use std::hash::{Hash, Hasher};

/// Names a clock in the arena: its place. 0 is the clock that knows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ClockId(pub u32);

#[derive(Debug)]
pub struct Clocks {
    /// One clock behind the other, each with its length first.
    times: Vec<u32>,
    /// Where the clock under way begins.
    draft: usize,
}

/// By the clocks that there are, not by what was last begun.
impl Hash for Clocks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.times.hash(state);
    }
}

impl Default for Clocks {
    fn default() -> Self {
        Clocks { times: vec![0], draft: 0 }
    }
}

impl Clocks {
    pub fn new() -> Self {
        Clocks::default()
    }

    #[inline]
    pub fn get(&self, clock: ClockId) -> &[u32] {
        let (len, times) = self.times[clock.0 as usize..].split_first().expect("a clock has a length");
        &times[..*len as usize]
    }

    /// Up to which of `thread`'s times the clock knows.
    #[inline]
    pub fn time(&self, clock: ClockId, thread: ThreadId) -> u32 {
        let at = clock.0 as usize;
        if thread.0 < self.times[at] { self.times[at + 1 + thread.0 as usize] } else { 0 }
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
        self.begin(a);
        self.add(b);
        self.finish()
    }

    /// `clock` with `thread` at `time`.
    pub fn with(&mut self, clock: ClockId, thread: ThreadId, time: u32) -> ClockId {
        self.begin(clock);
        self.finish_at(thread, time)
    }

    /// Begins a new clock with what `clock` knows. Until it is finished or dropped, no other clock may be made.
    #[inline]
    pub fn begin(&mut self, clock: ClockId) {
        self.draft = self.times.len();
        let at = clock.0 as usize;
        self.times.extend_from_within(at..=at + self.times[at] as usize);
    }

    /// What the clock under way knows of `thread`.
    #[inline]
    pub fn draft_time(&self, thread: ThreadId) -> u32 {
        self.times.get(self.draft + 1 + thread.0 as usize).copied().unwrap_or(0)
    }

    /// The clock under way learns what `clock` knows.
    #[inline]
    pub fn add(&mut self, clock: ClockId) {
        let at = clock.0 as usize;
        let len = self.times[at] as usize;
        if self.times.len() <= self.draft + len {
            self.times.resize(self.draft + 1 + len, 0);
        }
        let (known, draft) = self.times.split_at_mut(self.draft);
        // In fours: clocks are short, and what a compiler makes of any number of them is best for long ones.
        let (others, last_others) = known[at + 1..=at + len].as_chunks::<4>();
        let (times, last_times) = draft[1..=len].as_chunks_mut::<4>();
        for (times, others) in times.iter_mut().zip(others) {
            *times = std::array::from_fn(|nth| later(times[nth], others[nth]));
        }
        for (time, other) in last_times.iter_mut().zip(last_others) {
            *time = later(*time, *other);
        }
    }

    #[inline]
    fn draft_time_mut(&mut self, thread: ThreadId) -> &mut u32 {
        let index = self.draft + 1 + thread.0 as usize;
        if self.times.len() <= index {
            self.times.resize(index + 1, 0);
        }
        &mut self.times[index]
    }

    /// The clock under way learns of this time of `thread`.
    #[inline]
    pub fn add_time(&mut self, thread: ThreadId, time: u32) {
        let known = self.draft_time_mut(thread);
        *known = later(*known, time);
    }

    /// The clock under way, with `thread` at `time`.
    #[inline]
    pub fn finish_at(&mut self, thread: ThreadId, time: u32) -> ClockId {
        *self.draft_time_mut(thread) = time;
        self.finish()
    }

    #[inline]
    pub fn finish(&mut self) -> ClockId {
        self.times[self.draft] = (self.times.len() - self.draft - 1) as u32;
        ClockId(u32::try_from(self.draft).expect("fewer than 2^32 times"))
    }

    #[inline]
    pub fn drop_draft(&mut self) {
        self.times.truncate(self.draft);
    }

    /// How much room all clocks take, to go back to with [`Clocks::truncate`].
    #[inline]
    pub fn extent(&self) -> usize {
        self.times.len()
    }

    #[inline]
    pub fn truncate(&mut self, extent: usize) {
        self.times.truncate(extent);
    }
}

/// Times stay below 2^31, so signed numbers do: those are compared four at once on every machine.
#[inline]
fn later(a: u32, b: u32) -> u32 {
    (a as i32).max(b as i32) as u32
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
        let len = clocks.extent();
        clocks.with(a, ThreadId(1), 1);
        clocks.truncate(len);
        let again = clocks.with(a, ThreadId(1), 9);
        assert_eq!(clocks.get(again), [1, 9]);
    }
}
