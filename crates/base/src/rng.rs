//! Seeded random numbers: the same seed gives the same numbers on every machine and in every version.

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). A stream of its own for each purpose comes from
/// [`Rng::stream`], so that drawing more numbers for one purpose does not shift another's.
#[derive(Clone, Debug)]
pub struct Rng {
    state: u64,
}

impl Rng {
    pub fn new(seed: u64) -> Self {
        Rng { state: seed }
    }

    /// The generator that `seed` and `purpose` name together.
    pub fn stream(seed: u64, purpose: u64) -> Self {
        let mut rng = Rng::new(seed ^ purpose.wrapping_mul(0xD6E8_FEB8_6659_FD93));
        rng.state = rng.next_u64();
        rng
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`, each equally likely up to a bias of `bound / 2^64`.
    #[inline]
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "no number is below zero");
        ((u128::from(self.next_u64()) * bound as u128) >> 64) as usize
    }

    /// A number in `[0, 1)`.
    pub fn unit(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}
