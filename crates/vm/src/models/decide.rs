//! Bytes that inputs decide, in the hands of models: they go to memory with their terms, and what a model must know of one
//! is asked as a question that the search answers both ways.

use super::Call;
use super::inputs::is_output;
use crate::fault::Fault;
use crate::files::{Byte, Bytes};
use crate::interp::Flow;
use gordian_expr::{ExprId, Pool};
use gordian_ir::address;

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

    /// The bytes of a C string with their terms, without its end; where that is, is decided.
    pub fn string_with_terms(&mut self, address: u64) -> Result<Bytes, Fault> {
        let object = self.machine.memory.check(address, 1, false)?;
        let rest = u64::from(object.size) - address::offset(address);
        if !self.machine.memory.has_terms(address, rest) {
            return Ok(self.string(address)?.into());
        }
        let mut bytes = Bytes::default();
        for at in address..address + rest {
            let byte = self.read_bytes(at, 1)?.get(0).expect("it was read");
            if self.is(byte, |byte| byte == 0)? {
                return Ok(bytes);
            }
            bytes.push(byte);
        }
        Err(Fault::OutOfBounds { address: address + rest, size: 1 })
    }
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
