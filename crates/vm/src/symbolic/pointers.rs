//! Inputs of pointer type: null, or an address of which nothing is known.
//!
//! Such an input is a number like any other for what compares it or passes it on. What it points to is another matter: where an instruction or
//! a function of the library looks there, null is told from the rest. Null fails as ever. The rest ends the execution, and the search is told
//! that something was left out, unless the path has fixed the address.

use super::fork::Alternatives;
use crate::fault::Fault;
use crate::machine::Machine;
use crate::models::{Decided, decided};
use gordian_base::{Id, ThreadId};
use gordian_expr::ExprId;
use gordian_ir::{Callee, Inst, Slot};
use smallvec::SmallVec;

impl Machine<'_> {
    /// The newest input is of pointer type.
    pub(crate) fn note_pointer_input(&mut self) {
        let Some(input) = self.inputs.last() else { return };
        let symbol = self.symbolic.symbols[&(input.thread, input.nth)];
        if !self.symbolic.pointers.contains(&symbol) {
            self.symbolic.pointers.push(symbol);
        }
    }

    /// If the instruction looks at what an input of pointer type points to: whether that is null is decided first.
    pub(super) fn behind_pointer_input(&mut self, thread: ThreadId, inst: Inst) -> Result<Option<Alternatives>, Fault> {
        if self.symbolic.pointers.is_empty() {
            return Ok(None);
        }
        for slot in self.pointers_of(thread, inst)? {
            let Some(term) = self.term(thread, slot) else { continue };
            let Some(input) = self.pointer_input_in(term) else { continue };
            let pool = &mut self.symbolic.pool;
            let zero = pool.constant(0, pool.width(input));
            let is_null = pool.eq(input, zero);
            let is_other = pool.not(is_null);
            if self.symbolic.is_fresh() {
                self.record_decision(thread, &Alternatives::new([is_null, is_other]));
                if self.symbolic.value(is_other) != 0 {
                    return Err(Fault::NothingKnown);
                }
                continue;
            }
            let may_be_other = self.is_feasible_for(thread, is_other);
            if may_be_other && self.is_feasible_for(thread, is_null) {
                return Ok(Some(Alternatives { again: true, ..Alternatives::new([is_null, is_other]) }));
            }
            if may_be_other && !self.has_few_values(thread, term) {
                return Err(Fault::NothingKnown);
            }
        }
        Ok(None)
    }

    fn pointer_input_in(&self, term: ExprId) -> Option<ExprId> {
        let symbols = self.symbolic.pool.symbols(term);
        let found = self.symbolic.pointers.iter().find(|&&symbol| symbols.contains(symbol))?;
        Some(self.symbolic.pool.symbol_term(*found))
    }

    /// The registers whose targets the instruction looks at.
    fn pointers_of(&self, thread: ThreadId, inst: Inst) -> Result<SmallVec<[Slot; 4]>, Fault> {
        let mut slots = SmallVec::new();
        match inst {
            Inst::MemCopy { dst, src, .. } | Inst::VaCopy { dst, src } => slots.extend([dst, src]),
            Inst::MemSet { dst, .. } => slots.push(dst),
            Inst::JumpIndirect { address } => slots.push(address),
            Inst::VaStart { list } => slots.push(list),
            Inst::Call { site } => {
                let program = self.program;
                let site = &program.functions[self.threads[thread.index()].top().function].calls[site as usize];
                if let Callee::Indirect(slot) = site.callee
                    && self.term(thread, slot).is_some()
                {
                    slots.push(slot);
                } else {
                    match self.callee(thread, site)? {
                        Callee::External(external) => {
                            if let Decided::All = decided(&program.externals[external].name) {
                                slots.extend(site.args.iter().copied());
                            }
                        }
                        Callee::Function(function) => {
                            slots.extend(self.struct_slots(site, function).map(|(slot, _)| slot));
                        }
                        Callee::Indirect(_) => unreachable!("the callee was looked up"),
                    }
                }
            }
            _ => slots.extend(super::step::address_slot(inst)),
        }
        Ok(slots)
    }
}
