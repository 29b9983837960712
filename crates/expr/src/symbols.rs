//! The symbols of every term, kept once for each different set.

use crate::term::Symbol;
use gordian_base::{FxHashMap, define_id};

define_id! {
    /// A set of symbols. Equal sets have equal ids.
    SetId, "set"
}

impl SetId {
    pub(crate) const EMPTY: SetId = SetId(0);
}

/// A set of symbols: a bit set without the empty words at its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolSet<'a> {
    first_word: u32,
    words: &'a [u64],
}

impl<'a> SymbolSet<'a> {
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    pub fn len(self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub fn contains(self, symbol: Symbol) -> bool {
        let word = (symbol.0 / 64).wrapping_sub(self.first_word) as usize;
        self.words.get(word).is_some_and(|word| word >> (symbol.0 % 64) & 1 == 1)
    }

    pub fn intersects(self, other: SymbolSet<'_>) -> bool {
        let (low, high) = if self.first_word <= other.first_word { (self, other) } else { (other, self) };
        let skip = (high.first_word - low.first_word) as usize;
        low.words.iter().skip(skip).zip(high.words).any(|(a, b)| a & b != 0)
    }

    /// The symbols in ascending order.
    pub fn iter(self) -> impl Iterator<Item = Symbol> + use<'a> {
        self.words.iter().zip(self.first_word..).flat_map(|(&word, position)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                let bit = rest.trailing_zeros();
                rest &= rest.wrapping_sub(1);
                (bit < 64).then_some(Symbol(position * 64 + bit))
            })
        })
    }
}

struct Stored {
    first_word: u32,
    start: u32,
    len: u32,
}

pub(crate) struct SymbolSets {
    sets: Vec<Stored>,
    words: Vec<u64>,
    by_content: FxHashMap<(u32, Box<[u64]>), SetId>,
    unions: FxHashMap<(SetId, SetId), SetId>,
}

impl SymbolSets {
    pub fn new() -> Self {
        let mut sets = SymbolSets {
            sets: Vec::new(),
            words: Vec::new(),
            by_content: FxHashMap::default(),
            unions: FxHashMap::default(),
        };
        sets.intern(0, &[]);
        sets
    }

    pub fn get(&self, id: SetId) -> SymbolSet<'_> {
        let Stored { first_word, start, len } = self.sets[id.0 as usize];
        SymbolSet { first_word, words: &self.words[start as usize..(start + len) as usize] }
    }

    pub fn single(&mut self, symbol: Symbol) -> SetId {
        self.intern(symbol.0 / 64, &[1 << (symbol.0 % 64)])
    }

    #[inline]
    pub fn union(&mut self, a: SetId, b: SetId) -> SetId {
        if a == b || b == SetId::EMPTY {
            return a;
        }
        if a == SetId::EMPTY {
            return b;
        }
        let key = (a.min(b), a.max(b));
        if let Some(&known) = self.unions.get(&key) {
            return known;
        }
        let id = self.compute_union(key.0, key.1);
        self.unions.insert(key, id);
        id
    }

    fn compute_union(&mut self, a: SetId, b: SetId) -> SetId {
        let (a, b) = (self.get(a), self.get(b));
        let first = a.first_word.min(b.first_word);
        let end = (a.first_word as usize + a.words.len()).max(b.first_word as usize + b.words.len());
        let mut words = vec![0; end - first as usize];
        for set in [a, b] {
            for (target, word) in words[(set.first_word - first) as usize..].iter_mut().zip(set.words) {
                *target |= word;
            }
        }
        self.intern(first, &words)
    }

    fn intern(&mut self, first_word: u32, words: &[u64]) -> SetId {
        let key = (first_word, Box::from(words));
        if let Some(&known) = self.by_content.get(&key) {
            return known;
        }
        let id = SetId(u32::try_from(self.sets.len()).expect("fewer than 2^32 sets of symbols"));
        let start = u32::try_from(self.words.len()).expect("sets of symbols fit 2^32 words");
        self.sets.push(Stored { first_word, start, len: words.len() as u32 });
        self.words.extend_from_slice(words);
        self.by_content.insert(key, id);
        id
    }
}
