//! What certainly comes before what, by vector clocks.
//!
//! Points belong to chains, of which each is in order. The clock of a point has for every other chain how many points of it come before. Most points
//! know nothing that the one before them in their chain does not know, and then both have one clock.

/// Clocks of points that are numbered in an order that respects what comes before what.
pub struct ChainClocks {
    n_chains: usize,
    /// By point: its chain, and its number there from 1 on.
    places: Vec<(u32, u32)>,
    /// By point: its clock.
    clock_of: Vec<u32>,
    /// By clock and chain. What a clock says of the chain of its own point does not count.
    clocks: Vec<u32>,
    /// By chain: its last point.
    last: Vec<Option<u32>>,
}

impl ChainClocks {
    pub fn new(n_chains: usize) -> Self {
        ChainClocks {
            n_chains,
            places: Vec::new(),
            clock_of: Vec::new(),
            clocks: vec![0; n_chains],
            last: vec![None; n_chains],
        }
    }

    /// Adds the next point: it comes after those of its chain and after these.
    pub fn push(&mut self, chain: u32, after: impl IntoIterator<Item = u32>) {
        let before = self.last[chain as usize];
        let mut clock = before.map_or(0, |before| self.clock_of[before as usize]);
        let mut is_own = false;
        for earlier in after {
            let (other, nth) = self.places[earlier as usize];
            if other == chain || self.clocks[self.at(clock, other)] >= nth {
                continue;
            }
            if !is_own {
                let (from, next) = (self.at(clock, 0), self.clocks.len() / self.n_chains);
                self.clocks.extend_from_within(from..from + self.n_chains);
                (clock, is_own) = (next as u32, true);
            }
            let (from, to) = (self.at(self.clock_of[earlier as usize], 0), self.at(clock, 0));
            let (known, mine) = self.clocks.split_at_mut(to);
            mine.iter_mut().zip(&known[from..]).for_each(|(mine, &known)| *mine = (*mine).max(known));
            mine[other as usize] = mine[other as usize].max(nth);
        }
        self.last[chain as usize] = Some(self.places.len() as u32);
        self.places.push((chain, before.map_or(0, |before| self.places[before as usize].1) + 1));
        self.clock_of.push(clock);
    }

    fn at(&self, clock: u32, chain: u32) -> usize {
        clock as usize * self.n_chains + chain as usize
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn n_chains(&self) -> usize {
        self.n_chains
    }

    pub fn chain(&self, point: u32) -> u32 {
        self.places[point as usize].0
    }

    /// The number of a point in its chain, from 1 on.
    pub fn nth(&self, point: u32) -> u32 {
        self.places[point as usize].1
    }

    /// By chain: how many of its points come before this one. What it says of the chain of the point itself does not count.
    pub fn of(&self, point: u32) -> &[u32] {
        let from = self.at(self.clock_of[point as usize], 0);
        &self.clocks[from..from + self.n_chains]
    }

    /// Whether `a` comes before `b`, or is it.
    pub fn is_before(&self, a: u32, b: u32) -> bool {
        let (chain, nth) = self.places[a as usize];
        let (other, at) = self.places[b as usize];
        if chain == other { nth <= at } else { self.clocks[self.at(self.clock_of[b as usize], chain)] >= nth }
    }
}

#[cfg(test)]
mod tests {
    use super::ChainClocks;
    use gordian_base::Rng;

    #[test]
    fn clocks_know_what_can_be_reached() {
        let mut rng = Rng::new(7);
        for _ in 0..300 {
            let (n_chains, n) = (1 + rng.below(4), rng.below(30));
            let mut clocks = ChainClocks::new(n_chains);
            let mut reaches = vec![vec![false; n]; n];
            let mut last = vec![None; n_chains];
            for point in 0..n {
                let chain = rng.below(n_chains);
                let mut after: Vec<usize> = Vec::new();
                if point > 0 && rng.below(3) == 0 {
                    after = (0..1 + rng.below(2)).map(|_| rng.below(point)).collect();
                }
                clocks.push(chain as u32, after.iter().map(|&earlier| earlier as u32));
                after.extend(last[chain].replace(point));
                reaches[point][point] = true;
                for earlier in after {
                    for from in reaches.iter_mut() {
                        from[point] |= from[earlier];
                    }
                }
            }
            for (a, from) in (0u32..).zip(&reaches) {
                for (b, &is_before) in (0u32..).zip(from) {
                    assert_eq!(clocks.is_before(a, b), is_before, "{a} {b}");
                }
            }
        }
    }
}
