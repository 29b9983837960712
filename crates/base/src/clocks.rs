//! Vector clocks of the synchronisation order: an arena of immutable clocks that grows along the
//! execution and is cut when going back, so that taking a clock is copying a number.

use crate::ThreadId;
use std::hash::{Hash, Hasher};

/// Names a clock in the arena: its number. 0 is the clock that knows nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct ClockId(pub u32);

/// Times of threads that follow each other, which are looked at together.
type Piece = [u32; PIECE];

const PIECE: usize = 4;

#[derive(Debug)]
pub struct Clocks {
    /// One clock behind the other, of `width` pieces each, and perhaps one under way.
    pieces: Vec<Piece>,
    /// Pieces of a clock: enough for the threads that were heard of.
    width: usize,
    n_clocks: usize,
}

/// By the clocks that there are, not by what was last begun.
impl Hash for Clocks {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (0..self.n_clocks as u32).for_each(|clock| self.get(ClockId(clock)).hash(state));
    }
}

impl Default for Clocks {
    fn default() -> Self {
        Clocks { pieces: vec![Piece::default()], width: 1, n_clocks: 1 }
    }
}

impl Clocks {
    pub fn new() -> Self {
        Clocks::default()
    }

    /// The times of all threads up to the last that it knows of.
    pub fn get(&self, clock: ClockId) -> &[u32] {
        let times = self.times(clock);
        &times[..times.iter().rposition(|&time| time > 0).map_or(0, |last| last + 1)]
    }

    /// The times of as many threads as any clock could know of.
    #[inline]
    pub fn times(&self, clock: ClockId) -> &[u32] {
        let at = clock.0 as usize * self.width;
        self.pieces[at..at + self.width].as_flattened()
    }

    /// Up to which of `thread`'s times the clock knows.
    #[inline]
    pub fn time(&self, clock: ClockId, thread: ThreadId) -> u32 {
        self.times(clock).get(thread.0 as usize).copied().unwrap_or(0)
    }

    pub fn knows(&self, clock: ClockId, of: ClockId) -> bool {
        // Without leaving early: clocks are short, and this way several times are compared at once.
        let times = self.times(of).iter().zip(self.times(clock));
        !times.fold(false, |later, (other, mine)| later | (other > mine))
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
        let at = clock.0 as usize * self.width;
        if self.width == 1 {
            // Most programs have few threads, and need no call.
            self.pieces.push(self.pieces[at]);
        } else {
            self.pieces.extend_from_within(at..at + self.width);
        }
    }

    #[inline]
    fn draft(&self) -> usize {
        self.n_clocks * self.width
    }

    /// What the clock under way knows of `thread`.
    #[inline]
    pub fn draft_time(&self, thread: ThreadId) -> u32 {
        self.pieces[self.draft()..].as_flattened().get(thread.0 as usize).copied().unwrap_or(0)
    }

    /// The clock under way learns what `clock` knows.
    #[inline]
    pub fn add(&mut self, clock: ClockId) {
        let at = clock.0 as usize * self.width;
        let draft = self.draft();
        let (known, draft) = self.pieces.split_at_mut(draft);
        for (times, others) in draft.iter_mut().zip(&known[at..at + self.width]) {
            *times = std::array::from_fn(|nth| later(times[nth], others[nth]));
        }
    }

    #[inline]
    fn draft_time_mut(&mut self, thread: ThreadId) -> &mut u32 {
        let index = thread.0 as usize;
        if index >= self.width * PIECE {
            self.widen(index / PIECE + 1);
        }
        let draft = self.draft();
        &mut self.pieces[draft..].as_flattened_mut()[index]
    }

    /// Makes room for more threads, in every clock.
    #[cold]
    fn widen(&mut self, width: usize) {
        let old = std::mem::take(&mut self.pieces);
        for clock in old.chunks_exact(self.width) {
            self.pieces.extend_from_slice(clock);
            self.pieces.resize(self.pieces.len() + width - self.width, Piece::default());
        }
        self.width = width;
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
        self.n_clocks += 1;
        ClockId(u32::try_from(self.n_clocks - 1).expect("fewer than 2^32 clocks"))
    }

    #[inline]
    pub fn drop_draft(&mut self) {
        self.pieces.truncate(self.draft());
    }

    /// How many clocks there are, to go back to with [`Clocks::truncate`].
    #[inline]
    pub fn extent(&self) -> usize {
        self.n_clocks
    }

    #[inline]
    pub fn truncate(&mut self, extent: usize) {
        self.n_clocks = extent.min(self.n_clocks);
        self.drop_draft();
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

    #[test]
    fn clocks_stay_as_they_are_when_more_threads_come() {
        let mut clocks = Clocks::new();
        let a = clocks.with(ClockId(0), ThreadId(1), 3);
        clocks.begin(a);
        let b = clocks.finish_at(ThreadId(9), 2);
        assert_eq!((clocks.get(a), clocks.get(b)), (&[0, 3][..], &[0, 3, 0, 0, 0, 0, 0, 0, 0, 2][..]));
        assert_eq!((clocks.get(ClockId(0)).len(), clocks.time(a, ThreadId(9))), (0, 0));
        let mut narrow = Clocks::new();
        narrow.with(ClockId(0), ThreadId(1), 3);
        clocks.truncate(2);
        let hash = |clocks: &Clocks| std::hash::BuildHasher::hash_one(&crate::FxBuildHasher, clocks);
        assert_eq!(hash(&clocks), hash(&narrow), "it does not show how many threads there were once");
    }
}
