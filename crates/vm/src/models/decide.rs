//! Bytes that inputs decide, in the hands of models: they go to memory with their terms, and what a model must know of one
//! is asked as a question that the search answers both ways.

use super::Call;
use super::inputs::is_output;
use crate::fault::Fault;
use crate::files::{Byte, Bytes};
use crate::interp::Flow;
use gordian_expr::{ExprId, Pool};
use gordian_ir::{Slot, address};

impl Call<'_, '_> {
    /// Whether a byte is of a class.
    pub fn is(&mut self, byte: Byte, class: impl Fn(u8) -> bool) -> Result<bool, Fault> {
        let Some(term) = byte.term else { return Ok(class(byte.value)) };
        let condition = within(&mut self.machine.symbolic.pool, term, class);
        self.decide(condition)
    }

    /// The same of the next byte, if there is one.
    pub fn is_some(&mut self, byte: Option<Byte>, class: impl Fn(u8) -> bool) -> Result<bool, Fault> {
        byte.map_or(Ok(false), |byte| self.is(byte, class))
    }

    pub fn decide(&mut self, condition: ExprId) -> Result<bool, Fault> {
        let function = self.name();
        match self.machine.decide(self.thread, condition, function) {
            Err(Fault::Undecided(condition)) if self.machine.symbolic.call.once => {
                self.pin(condition);
                Ok(self.machine.value_of(condition) != 0)
            }
            decided => decided,
        }
    }

    /// The byte's present value; inputs that give it another one do not count from here on.
    pub fn plain(&mut self, byte: Byte) -> u8 {
        if let Some(term) = byte.term {
            self.pin(term);
        }
        byte.value
    }

    /// Only inputs that give the term its present value count from here on.
    pub fn pin(&mut self, term: ExprId) {
        self.machine.pin(self.thread, term);
        let function = self.name();
        self.machine.lose(format!("what `{function}` reads was given one value of many"));
    }

    /// Gives bytes from a file their present values.
    pub fn renewed(&mut self, mut bytes: Bytes) -> Bytes {
        bytes.renew(|term| self.machine.value_of(term) as u8);
        bytes
    }

    pub fn write_bytes(&mut self, address: u64, bytes: &Bytes) -> Result<(), Fault> {
        self.write(address, bytes.values())?;
        for &(at, term) in bytes.terms() {
            self.machine.store_term(address + at as u64, 1, Some(term));
        }
        Ok(())
    }

    /// Gives a result that stands for a term of 64 bits.
    pub fn result_with(&mut self, value: u64, term: Option<ExprId>) -> Result<Flow, Fault> {
        self.result(value)?;
        if self.site.n_returns > 0 {
            self.machine.set_term(self.thread, self.site.dst, term);
        }
        Ok(Flow::Next)
    }

    /// Gives a result in several registers, each with what it stands for.
    pub fn results_with(&mut self, results: &[(u64, Option<ExprId>)]) -> Result<Flow, Fault> {
        for (slot, &(value, term)) in (self.site.dst.0..).map(Slot).zip(results).take(self.site.n_returns as usize) {
            self.machine.set_register(self.thread, slot, value);
            self.machine.set_term(self.thread, slot, term);
        }
        Ok(Flow::Next)
    }

    /// Whether a string ends within its object whatever the inputs.
    pub fn has_sure_end(&self, address: u64, len: u64) -> bool {
        let memory = &self.machine.memory;
        let at = memory.place_of(address);
        (at..at + len as usize).any(|at| memory.byte_at(at) == 0 && memory.terms.get(at).is_none())
    }

    /// What is printed decides nothing, unless it comes back: see [`Call::fix_printed`].
    pub fn note_printed(&mut self, address: u64, len: u64) {
        let memory = &self.machine.memory;
        let at = memory.place_of(address);
        let terms = (at..at + len as usize).filter_map(|at| memory.terms.get(at));
        self.machine.symbolic.call.printed.extend(terms);
    }

    /// The arguments are printed as well. Asked before the call, whose result may take the place of one.
    pub fn note_arguments(&mut self) {
        if self.machine.symbolic.has_terms(self.thread) && is_output(self.name()) {
            let slots = self.site.args.iter().copied().chain(self.site.variadic.iter().map(|arg| arg.slot));
            self.machine.symbolic.call.printed =
                slots.filter_map(|slot| self.machine.term(self.thread, slot)).collect();
        }
    }

    /// Whether the program gets to know of inputs that were printed by the result of the call.
    pub fn result_tells_of_inputs(&mut self) -> bool {
        let counts = matches!(self.name(), "fputs" | "fwrite" | "write");
        !self.notes().printed.is_empty() && !counts && self.machine.uses_result(self.thread, self.site)
    }

    /// The program can see what was printed: in a file, or by its length.
    pub fn fix_printed(&mut self) {
        for term in std::mem::take(&mut self.notes().printed) {
            self.machine.pin(self.thread, term);
            let function = self.name();
            self.machine.lose(format!("what `{function}` writes was given one value of many"));
        }
    }

    /// Whether others could tell which of these bytes are read. For functions that take the values of what they read it
    /// does not matter: those say how far they read.
    pub fn is_seen_by_others(&mut self, address: u64) -> Result<bool, Fault> {
        let object = self.machine.memory.check(address, 1, false)?;
        Ok(is_output(self.name()) && self.machine.is_visible(self.thread, address, object)?)
    }

    /// The bytes of a C string with their terms, without its end; where that is, is decided.
    pub fn string_with_terms(&mut self, address: u64) -> Result<Bytes, Fault> {
        let object = self.machine.memory.check(address, 1, false)?;
        let rest = u64::from(object.size) - address::offset(address);
        if !self.machine.memory.has_terms(address, rest) {
            return Ok(self.string(address)?.into());
        }
        self.decide_end(address, rest)?.ok_or(Fault::OutOfBounds { address: address + rest, size: 1 })
    }

    /// Where a string ends: what stands before, or nothing if it does not end within `len` bytes.
    pub fn decide_end(&mut self, address: u64, len: u64) -> Result<Option<Bytes>, Fault> {
        let mut bytes = Bytes::default();
        for at in address..address + len {
            let byte = self.read_bytes(at, 1)?.get(0).expect("it was read");
            if self.is(byte, |byte| byte == 0)? {
                return Ok(Some(bytes));
            }
            bytes.push(byte);
        }
        Ok(None)
    }

    /// The string that says how arguments are printed. Its bytes decide what is done with them.
    pub fn format_text(&mut self, address: u64) -> Result<Vec<u8>, Fault> {
        let text = self.string(address)?;
        if !self.machine.memory.has_terms(address, text.len() as u64 + 1) {
            return Ok(text);
        }
        let text = self.string_with_terms(address)?;
        let mut in_conversion = false;
        for at in 0..text.len() {
            let byte = text.get(at).expect("it is one of its bytes");
            if in_conversion {
                // Conversions that look at memory are tried; of all others one stands for many.
                let tried = *b"sn%";
                let is_known = tried
                    .into_iter()
                    .try_fold(false, |is_known, letter| Ok(is_known || self.is(byte, |byte| byte == letter)?))?;
                let value = if is_known { byte.value } else { self.plain(byte) };
                in_conversion = !value.is_ascii_alphabetic() && value != b'%' || b"hlqjzZtLI".contains(&value);
            } else {
                in_conversion = self.is(byte, |byte| byte == b'%')?;
            }
        }
        Ok(text.values().to_vec())
    }

    /// Reads a word that must be known.
    pub fn read_decided(&mut self, address: u64, size: u64) -> Result<u64, Fault> {
        let bytes = self.read_bytes(address, size)?;
        match self.machine.load_term(address, size) {
            Some(term) => self.decide_value(term),
            None => Ok(word(bytes.values())),
        }
    }

    /// Reads a word, for whose present value others do not count from here on.
    pub fn read_plain(&mut self, address: u64, size: u64) -> Result<u64, Fault> {
        let bytes = self.read_bytes(address, size)?;
        if let Some(term) = self.machine.load_term(address, size) {
            self.pin(term);
        }
        Ok(word(bytes.values()))
    }

    /// The value of a term that must be known. If it is an address, whether it lies in the object that it is meant for is
    /// decided before all else.
    pub fn decide_value(&mut self, term: ExprId) -> Result<u64, Fault> {
        for _ in 0..MOST_OBJECTS {
            let Some((_, inside)) = self.machine.object_of(self.thread, term, 1) else { break };
            if self.decide(inside)? {
                break;
            }
        }
        if self.machine.has_few_values(self.thread, term) {
            for bit in (0..self.machine.symbolic.pool.width(term)).rev() {
                let set = self.machine.symbolic.pool.bit(term, bit);
                self.decide(set)?;
            }
        } else {
            self.pin(term);
        }
        Ok(self.machine.value_of(term))
    }
}

/// Objects that an address may lie in, which are told apart.
const MOST_OBJECTS: usize = 8;

/// A little-endian number of at most eight bytes.
fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}

/// The condition that a term of 8 bits has a value of a class.
fn within(pool: &mut Pool, term: ExprId, class: impl Fn(u8) -> bool) -> ExprId {
    let mut condition = pool.bool(false);
    let mut from = None;
    for value in 0..=256u16 {
        match (from, u8::try_from(value).is_ok_and(&class)) {
            (None, true) => from = Some(value),
            (Some(first), false) => {
                let (first, last) = (pool.constant(first.into(), 8), pool.constant((value - 1).into(), 8));
                let (above, below) = (pool.ule(first, term), pool.ule(term, last));
                let here = pool.and(above, below);
                condition = pool.or(condition, here);
                from = None;
            }
            _ => {}
        }
    }
    condition
}
