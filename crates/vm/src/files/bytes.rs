//! Bytes of files, with what they stand for where inputs decide them.

use gordian_expr::ExprId;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Byte {
    pub value: u8,
    /// Of 8 bits. The value may be that of earlier inputs until the machine has renewed it.
    pub term: Option<ExprId>,
}

impl From<u8> for Byte {
    fn from(value: u8) -> Self {
        Byte { value, term: None }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Bytes {
    values: Vec<u8>,
    /// By place, in their order: nearly all files have none.
    terms: Vec<(usize, ExprId)>,
}

impl From<Vec<u8>> for Bytes {
    fn from(values: Vec<u8>) -> Self {
        Bytes { values, terms: Vec::new() }
    }
}

impl Bytes {
    /// The terms in the order of their places, which lie within the values.
    pub fn with_terms(values: Vec<u8>, terms: Vec<(usize, ExprId)>) -> Self {
        debug_assert!(terms.is_sorted() && terms.last().is_none_or(|last| last.0 < values.len()));
        Bytes { values, terms }
    }

    pub fn len(&self) -> usize {
        self.values.len()
    }

    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    pub fn values(&self) -> &[u8] {
        &self.values
    }

    pub fn terms(&self) -> &[(usize, ExprId)] {
        &self.terms
    }

    pub fn get(&self, at: usize) -> Option<Byte> {
        let term = self.terms.binary_search_by_key(&at, |term| term.0).ok().map(|found| self.terms[found].1);
        self.values.get(at).map(|&value| Byte { value, term })
    }

    pub fn push(&mut self, byte: impl Into<Byte>) {
        let byte = byte.into();
        self.terms.extend(byte.term.map(|term| (self.values.len(), term)));
        self.values.push(byte.value);
    }

    pub fn pop(&mut self) {
        self.values.pop();
        self.terms.pop_if(|term| term.0 >= self.values.len());
    }

    pub fn extend(&mut self, more: &Bytes) {
        let behind = self.values.len();
        self.values.extend_from_slice(&more.values);
        self.terms.extend(more.terms.iter().map(|&(at, term)| (behind + at, term)));
    }

    /// Those from `at` on, at most `len`.
    pub fn part(&self, at: usize, len: usize) -> Bytes {
        let end = at.saturating_add(len).min(self.values.len());
        let within = self.terms.iter().filter(|term| (at..end).contains(&term.0));
        Bytes {
            values: self.values[at.min(end)..end].to_vec(),
            terms: within.map(|&(place, term)| (place - at, term)).collect(),
        }
    }

    /// Gives every byte that has a term its present value.
    pub fn renew(&mut self, mut value: impl FnMut(ExprId) -> u8) {
        for &(at, term) in &self.terms {
            self.values[at] = value(term);
        }
    }
}
