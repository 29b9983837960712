//! Sets of small numbers, as sorted blocks of 64.

/// A set of numbers that are mostly close to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Set {
    /// Sorted by their first half; no block is empty.
    blocks: Vec<(u32, u64)>,
}

impl Set {
    pub fn one(item: u32) -> Self {
        Set { blocks: vec![(item / 64, 1 << (item % 64))] }
    }

    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    pub fn len(&self) -> usize {
        self.blocks.iter().map(|(_, bits)| bits.count_ones() as usize).sum()
    }

    /// How long it takes to go through it.
    pub fn n_blocks(&self) -> usize {
        self.blocks.len()
    }

    pub fn contains(&self, item: u32) -> bool {
        let found = self.blocks.binary_search_by_key(&(item / 64), |block| block.0);
        found.is_ok_and(|at| self.blocks[at].1 >> (item % 64) & 1 != 0)
    }

    /// Whether it was not there before.
    pub fn insert(&mut self, item: u32) -> bool {
        let (block, bit) = (item / 64, 1 << (item % 64));
        match self.blocks.binary_search_by_key(&block, |block| block.0) {
            Ok(at) => {
                let is_new = self.blocks[at].1 & bit == 0;
                self.blocks[at].1 |= bit;
                is_new
            }
            Err(at) => {
                self.blocks.insert(at, (block, bit));
                true
            }
        }
    }

    /// Adds the items of `other`, and those that are new here also to `fresh`. Says whether there were any.
    pub fn union_noting(&mut self, other: &Set, fresh: &mut Set) -> bool {
        let mut added: Vec<(u32, u64)> = Vec::new();
        let mut at = 0;
        for &(block, bits) in &other.blocks {
            while at < self.blocks.len() && self.blocks[at].0 < block {
                at += 1;
            }
            let known = if at < self.blocks.len() && self.blocks[at].0 == block { self.blocks[at].1 } else { 0 };
            if bits & !known != 0 {
                added.push((block, bits & !known));
            }
        }
        if added.is_empty() {
            return false;
        }
        let added = Set { blocks: added };
        self.union(&added);
        fresh.union(&added);
        true
    }

    pub fn union(&mut self, other: &Set) {
        if self.blocks.is_empty() {
            self.blocks.clone_from(&other.blocks);
            return;
        }
        let mut merged = Vec::with_capacity(self.blocks.len() + other.blocks.len());
        let (mut left, mut right) = (self.blocks.iter().peekable(), other.blocks.iter().peekable());
        while let (Some(&&(a, x)), Some(&&(b, y))) = (left.peek(), right.peek()) {
            if a <= b {
                left.next();
            }
            if b <= a {
                right.next();
            }
            merged.push(match a.cmp(&b) {
                std::cmp::Ordering::Less => (a, x),
                std::cmp::Ordering::Equal => (a, x | y),
                std::cmp::Ordering::Greater => (b, y),
            });
        }
        merged.extend(left);
        merged.extend(right);
        self.blocks = merged;
    }

    pub fn subtract(&mut self, other: &Set) {
        for block in &mut self.blocks {
            if let Ok(at) = other.blocks.binary_search_by_key(&block.0, |block| block.0) {
                block.1 &= !other.blocks[at].1;
            }
        }
        self.blocks.retain(|block| block.1 != 0);
    }

    pub fn intersect(&mut self, other: &Set) {
        for block in &mut self.blocks {
            let found = other.blocks.binary_search_by_key(&block.0, |block| block.0);
            block.1 &= found.map_or(0, |at| other.blocks[at].1);
        }
        self.blocks.retain(|block| block.1 != 0);
    }

    pub fn meets(&self, other: &Set) -> bool {
        self.blocks.iter().any(|block| {
            let found = other.blocks.binary_search_by_key(&block.0, |block| block.0);
            found.is_ok_and(|at| other.blocks[at].1 & block.1 != 0)
        })
    }

    /// In rising order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.blocks.iter().flat_map(|&(block, bits)| {
            let rest = |bits: u64| Some(bits & bits.wrapping_sub(1)).filter(|&bits| bits != 0);
            std::iter::successors(Some(bits), move |&bits| rest(bits))
                .map(move |bits| 64 * block + bits.trailing_zeros())
        })
    }

    /// The only item of a set that has one.
    pub fn only(&self) -> Option<u32> {
        match &self.blocks[..] {
            [(block, bits)] if bits.is_power_of_two() => Some(64 * block + bits.trailing_zeros()),
            _ => None,
        }
    }
}

impl FromIterator<u32> for Set {
    fn from_iter<I: IntoIterator<Item = u32>>(items: I) -> Self {
        let mut set = Set::default();
        for item in items {
            set.insert(item);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn sets_do_what_ordered_sets_do() {
        let items = |seed: u32| (0..40).map(move |n| (n * n * seed + 7 * n) % 300).collect::<Vec<u32>>();
        for seed in 1..20 {
            let (a, b) = (items(seed), items(seed + 3));
            let (x, y): (BTreeSet<u32>, BTreeSet<u32>) = (a.iter().copied().collect(), b.iter().copied().collect());
            let (s, t): (Set, Set) = (a.iter().copied().collect(), b.iter().copied().collect());
            let list = |set: &Set| set.iter().collect::<Vec<_>>();
            assert_eq!(list(&s), x.iter().copied().collect::<Vec<_>>());
            assert_eq!(s.len(), x.len());
            let (mut union, mut fresh) = (s.clone(), Set::default());
            assert_eq!(union.union_noting(&t, &mut fresh), !y.is_subset(&x));
            assert_eq!(list(&union), x.union(&y).copied().collect::<Vec<_>>());
            assert_eq!(list(&fresh), y.difference(&x).copied().collect::<Vec<_>>());
            let (mut less, mut common) = (s.clone(), s.clone());
            less.subtract(&t);
            common.intersect(&t);
            assert_eq!(list(&less), x.difference(&y).copied().collect::<Vec<_>>());
            assert_eq!(list(&common), x.intersection(&y).copied().collect::<Vec<_>>());
            assert_eq!(s.meets(&t), !common.is_empty());
            assert!(!less.contains(301) && s.contains(a[0]));
        }
        assert_eq!(Set::one(70).only(), Some(70));
    }
}
