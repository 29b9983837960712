//! Terms of bytes in memory.

use crate::interp::Flow;
use crate::journal::Undo;
use crate::machine::Machine;
use crate::memory::Memory;
use gordian_base::{FxHashMap, FxHasher, ThreadId};
use gordian_expr::ExprId;
use gordian_ir::address;
use std::hash::{Hash, Hasher};

/// By place in physical memory: the terms of bytes, of 8 bits each.
#[derive(Debug, Default)]
pub struct ByteTerms {
    terms: FxHashMap<usize, ExprId>,
}

impl ByteTerms {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    pub fn get(&self, at: usize) -> Option<ExprId> {
        self.terms.get(&at).copied()
    }

    fn replace(&mut self, at: usize, term: Option<ExprId>) -> Option<ExprId> {
        match term {
            Some(term) => self.terms.insert(at, term),
            None => self.terms.remove(&at),
        }
    }
}

impl Memory {
    /// Where the byte at an address stands, which an access was allowed to.
    pub fn place_of(&self, address: u64) -> usize {
        self.object(address).expect("the access was checked").at() + address::offset(address) as usize
    }

    pub fn set_byte_term(&mut self, at: usize, term: Option<ExprId>) {
        let old = self.terms.replace(at, term);
        self.changes += u64::from(old != term);
        if old != term && self.journal.on {
            // Its value changes with the inputs from here on, and nobody else keeps the one to go back to.
            if old.is_none() {
                self.journal.bytes(at, &self.bytes[at..=at]);
            }
            self.journal.terms.push(old);
            self.journal.log.push(Undo::ByteTerm { at: at as u64 });
        }
    }

    /// The byte stands for `term` from now on, which has its value: nothing that anybody could see has changed.
    pub fn rename_byte(&mut self, at: usize, term: ExprId) {
        let changes = self.changes;
        self.set_byte_term(at, Some(term));
        self.changes = changes;
    }

    pub fn put_back_byte_term(&mut self, at: usize) {
        let old = self.journal.terms.pop().expect("a term was saved");
        self.terms.replace(at, old);
    }

    /// These bytes get values that no input decides.
    #[inline]
    pub fn forget_terms(&mut self, at: usize, len: usize) {
        if !self.terms.is_empty() {
            self.forget_terms_at(at, len);
        }
    }

    #[inline(never)]
    fn forget_terms_at(&mut self, at: usize, len: usize) {
        (at..at + len).for_each(|at| self.set_byte_term(at, None));
    }

    pub fn copy_terms(&mut self, from: usize, to: usize, len: usize) {
        if self.terms.is_empty() {
            return;
        }
        let terms: Vec<Option<ExprId>> = (from..from + len).map(|at| self.terms.get(at)).collect();
        for (at, term) in (to..).zip(terms) {
            self.set_byte_term(at, term);
        }
    }

    pub fn has_terms(&self, address: u64, len: u64) -> bool {
        if self.terms.is_empty() || len == 0 {
            return false;
        }
        let at = self.place_of(address);
        (at..at + len as usize).any(|at| self.terms.get(at).is_some())
    }

    /// A hash of what bytes stand for; 0 if no input decides any of them.
    pub fn terms_at(&self, address: u64, len: u64) -> u64 {
        if !self.has_terms(address, len) {
            return 0;
        }
        let at = self.place_of(address);
        let mut hasher = FxHasher::default();
        for at in at..at + len as usize {
            match self.terms.get(at) {
                Some(term) => (true, term).hash(&mut hasher),
                None => (false, self.byte_at(at)).hash(&mut hasher),
            }
        }
        hasher.finish() | 1
    }

    /// Gives every byte that has a term its new value.
    pub fn refresh(&mut self, mut value: impl FnMut(ExprId) -> u8) {
        let Memory { terms, bytes, .. } = self;
        let mut places: Vec<(usize, ExprId)> = terms.terms.iter().map(|(&at, &term)| (at, term)).collect();
        places.sort_unstable();
        for (at, term) in places {
            bytes[at] = value(term);
        }
    }
}

impl Machine<'_> {
    /// What `len` bytes, at most eight, stand for as a little-endian number of 64 bits; none if no input decides any of them.
    pub(crate) fn load_term(&mut self, address: u64, len: u64) -> Option<ExprId> {
        if !self.memory.has_terms(address, len) {
            return None;
        }
        let at = self.memory.place_of(address);
        let mut whole: Option<ExprId> = None;
        for n in 0..len as usize {
            let byte = self.byte_term(at + n);
            whole = Some(match whole {
                None => byte,
                Some(low) => self.symbolic.pool.concat(byte, low),
            });
        }
        whole.map(|whole| self.symbolic.pool.zext(whole, 64))
    }

    /// A function of gordian's own looks at bytes: only inputs that give them the same values count from here on.
    pub(crate) fn make_bytes_concrete(&mut self, thread: ThreadId, address: u64, len: u64, function: &str) {
        let at = self.memory.place_of(address);
        for at in at..at + len as usize {
            if let Some(term) = self.memory.terms.get(at) {
                self.pin(thread, term);
            }
        }
        self.lose(format!("what `{function}` reads was given one value of many"));
    }

    /// Bytes were filled, if they were, with what `term` stands for.
    pub(crate) fn filled(&mut self, flow: Flow, address: u64, len: u64, term: Option<ExprId>) -> Flow {
        if let (Some(term), Flow::Next) = (term, flow) {
            (0..len).for_each(|n| self.store_term(address + n, 1, Some(term)));
        }
        flow
    }

    /// What a byte stands for, of 8 bits.
    pub(crate) fn byte_term(&mut self, at: usize) -> ExprId {
        match self.memory.terms.get(at) {
            Some(term) => term,
            None => self.symbolic.pool.constant(u128::from(self.memory.byte_at(at)), 8),
        }
    }

    /// The bytes were written; they stand for the low bytes of `term` now.
    pub(crate) fn store_term(&mut self, address: u64, len: u64, term: Option<ExprId>) {
        let Some(term) = term else { return };
        let at = self.memory.place_of(address);
        for n in 0..len as usize {
            let byte = self.symbolic.pool.extract(term, 8 * n as u32, 8);
            let byte = Some(byte).filter(|&byte| self.symbolic.pool.as_constant(byte).is_none());
            self.memory.set_byte_term(at + n, byte);
        }
    }
}
