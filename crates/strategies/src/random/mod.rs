//! Random walk: at every choice point each choice is equally likely.
//!
//! **Guarantee:** none beyond that every schedule has a positive probability. Run `i` depends on the seed and `i`
//! alone.
//!
//! **Misses** what needs one thread to be much slower or much faster than another: such schedules are exponentially
//! unlikely. That is what `pct` and `pos` are for.

use gordian_base::Rng;
use gordian_engine::{Ended, Next, Point, Strategy};
use gordian_trace::Exploration;

pub const NAME: &str = "random";

pub struct Random {
    seed: u64,
    run: u64,
    rng: Rng,
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Random { seed, run: 0, rng: Rng::stream(seed, 0) }
    }
}

impl Strategy for Random {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: NAME.to_owned(), guarantee: String::new() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        Some(self.rng.below(point.choices.len()))
    }

    fn next(&mut self, _ended: &Ended<'_>) -> Next {
        self.run += 1;
        self.rng = Rng::stream(self.seed, self.run);
        Next::Restart
    }
}
