//! Terms of bytes in memory.

use crate::access::Access;
use crate::interp::Flow;
use crate::journal::Undo;
use crate::machine::Machine;
use crate::memory::Memory;
use gordian_base::{FxHashMap, FxHasher, ThreadId};
use gordian_expr::{ExprId, Pool, Substitution, Term};
use gordian_ir::{Slot, address};
use smallvec::SmallVec;
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

    /// What an access of up to 16 bytes would read, of as many bits; none if no input decides any of it.
    pub(super) fn wide_load_term(&mut self, access: Access) -> Option<ExprId> {
        if !self.memory.has_terms(access.address, access.size) {
            return None;
        }
        let at = self.memory.place_of(access.address);
        let bytes: SmallVec<[ExprId; 16]> = (at..at + access.size as usize).map(|at| self.byte_term(at)).collect();
        bytes.into_iter().reduce(|low, byte| self.symbolic.pool.concat(byte, low))
    }

    /// An access of up to 16 bytes wrote what `term` stands for, of as many bits.
    pub(super) fn store_wide_term(&mut self, access: Access, term: ExprId) {
        for at in (0..access.size).step_by(8) {
            let len = (access.size - at).min(8);
            let part = self.symbolic.pool.extract(term, 8 * at as u32, 8 * len as u32);
            self.store_term(access.address + at, len, Some(part));
        }
    }

    /// The one or two slots of a value of `size` bytes stand for `term`, of as many bits.
    pub(super) fn set_wide_term(&mut self, thread: ThreadId, dst: Slot, size: u64, term: Option<ExprId>) {
        for at in (0..size).step_by(8) {
            let width = 8 * (size - at).min(8) as u32;
            let part = term.map(|term| self.symbolic.pool.extract(term, 8 * at as u32, width));
            let part = part.map(|part| self.symbolic.pool.zext(part, 64));
            self.set_term(thread, Slot(dst.0 + at as u32 / 8), part);
        }
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

    /// A read of at most eight bytes within one object, somewhere.
    pub(super) fn load_at_term(&mut self, address: u64, size: u64, at: ExprId) -> ExprId {
        let start = address::object_start(address);
        let len = u64::from(self.memory.object(start).expect("the access was checked").size);
        let first = self.memory.place_of(start);
        let bytes: Vec<ExprId> = (0..len as usize).map(|n| self.byte_term(first + n)).collect();
        let pool = &mut self.symbolic.pool;
        let start = pool.constant(u128::from(start), 64);
        let offset = pool.sub(at, start);
        let mut whole: Option<ExprId> = None;
        for n in 0..size {
            let n = pool.constant(u128::from(n), 64);
            let index = pool.add(offset, n);
            let byte = pool.select(&bytes, index);
            whole = Some(match whole {
                None => byte,
                Some(low) => pool.concat(byte, low),
            });
        }
        let whole = whole.expect("an access has a size");
        self.symbolic.pool.zext(whole, 64)
    }

    /// A write within one object, somewhere.
    pub(super) fn store_at_term(&mut self, address: u64, size: u64, at: ExprId, value: ExprId, before: Vec<ExprId>) {
        let start = address::object_start(address);
        let first = self.memory.place_of(start);
        let pool = &mut self.symbolic.pool;
        let start = pool.constant(u128::from(start), 64);
        let offset = pool.sub(at, start);
        let bytes = match updated(pool, &before, size, offset, value) {
            Some(bytes) => bytes,
            None => {
                let mut bytes = before;
                for n in 0..size {
                    let byte = pool.extract(value, 8 * n as u32, 8);
                    let n = pool.constant(u128::from(n), 64);
                    let index = pool.add(offset, n);
                    pool.store(&mut bytes, index, byte);
                }
                bytes
            }
        };
        for (at, term) in (first..).zip(bytes) {
            let term = Some(term).filter(|&term| self.symbolic.pool.as_constant(term).is_none());
            self.memory.set_byte_term(at, term);
        }
    }
}

/// Parts of a value that are looked at for what was read at the same place.
const MOST_PARTS: usize = 64;

/// The bytes of an object after a write at `offset` of a value that was computed from what stood there, such as a counter's: none if it was not.
///
/// As written, the value is a choice among all elements, and so is each element from then on: after N such writes each depends on all that was ever
/// written anywhere, and the solver has to find out that it does not. Where the write is at one place, what was read stood at that place.
fn updated(pool: &mut Pool, before: &[ExprId], size: u64, offset: ExprId, value: ExprId) -> Option<Vec<ExprId>> {
    let read: Vec<ExprId> = (0..size)
        .map(|n| {
            let n = pool.constant(u128::from(n), 64);
            let index = pool.add(offset, n);
            pool.select(before, index)
        })
        .collect();
    let is_read = |id: ExprId| matches!(pool.term(id), Term::Select(..)) && read.contains(&id);
    let mut parts = vec![value];
    let mut next = 0;
    let mut found = false;
    while next < parts.len() && parts.len() < MOST_PARTS {
        let part = parts[next];
        next += 1;
        if is_read(part) {
            found = true;
        } else {
            parts.extend(pool.term(part).operands().filter(|operand| pool.as_constant(*operand).is_none()));
        }
    }
    if !found {
        return None;
    }
    let range = *pool.facts(offset);
    let last = before.len() as u64 - size;
    let mut bytes = before.to_vec();
    for place in range.lo as u64..=(range.hi.min(u128::from(last)) as u64) {
        let here = pool.constant(u128::from(place), 64);
        let here = pool.eq(offset, here);
        if pool.as_constant(here) == Some(0) {
            continue;
        }
        let mut at_place = Substitution::new();
        for (&read, &stood) in read.iter().zip(&before[place as usize..]) {
            at_place.replace(pool, read, stood);
        }
        let value = at_place.apply(pool, value);
        for n in 0..size {
            let byte = pool.extract(value, 8 * n as u32, 8);
            let at = (place + n) as usize;
            bytes[at] = pool.ite(here, byte, bytes[at]);
        }
    }
    Some(bytes)
}
