//! Values that were never set: what a variable has before the first store to it (see `ffi/promote.rs`), and `undef`.
//!
//! The machine gives such a value some number. That is no harm until it decides where control goes or what is
//! accessed, so beside every value that may be made from `undef` (and no other) a second one is computed, with a bit
//! for each bit that was never set. Before such a value decides something, its second one is looked at
//! ([`Inst::CheckSet`]).
//!
//! Calls hand these on as further arguments and results behind the ordinary ones. A caller that does not know of them
//! (it calls through a pointer) gives none, which reads as zero: all bits are set.

use super::casts::pieces;
use super::function::FunctionLowering;
use super::{Lowering, Result};
use crate::ffi::{Module, Opcode, Value, ValueKind};
use gordian_base::FxHashSet;
use gordian_ir::{Decides, Inst, Slot};

/// Which values may be made from `undef`, in the whole module.
#[derive(Default)]
pub struct Unset<'m> {
    values: FxHashSet<Value<'m>>,
    /// Functions whose result may be.
    functions: FxHashSet<Value<'m>>,
    open: Vec<Value<'m>>,
}

impl<'m> Unset<'m> {
    pub fn find(module: &'m Module<'_>) -> Unset<'m> {
        let mut unset = Unset::default();
        for function in module.functions().filter(|function| !function.is_declaration() && !function.is_libc()) {
            // Where jumps to labels bring the values of phis is not followed.
            if function.blocks().any(|block| block.terminator().opcode() == Opcode::IndirectBr) {
                continue;
            }
            for instruction in function.blocks().flat_map(|block| block.instructions()) {
                unset.look_for_undef(instruction);
            }
        }
        while let Some(value) = unset.open.pop() {
            for user in value.users().filter(|user| user.is_instruction()) {
                unset.spread(value, user);
            }
        }
        unset
    }

    /// Aggregates are built up from `undef` or poison, of which nothing is left in the end.
    fn look_for_undef(&mut self, instruction: Value<'m>) {
        use Opcode::*;
        if instruction.is_unset() {
            return self.add(instruction);
        }
        let first = match instruction.opcode() {
            InsertValue | InsertElement => 1,
            ShuffleVector => return,
            _ => 0,
        };
        for index in first..instruction.n_operands() {
            let operand = instruction.operand(index);
            if operand.kind() == ValueKind::Undef {
                self.spread(operand, instruction);
            }
        }
    }

    fn spread(&mut self, value: Value<'m>, user: Value<'m>) {
        use Opcode::*;
        match user.opcode() {
            Load | Store | Br | Switch | IndirectBr | CmpXchg | AtomicRmw | Alloca | VAArg | Fence => {}
            Ret => {
                let function = user.parent().function();
                if is_known(function) && self.functions.insert(function) {
                    for call in function.users().filter(|call| called_function(*call) == Some(function)) {
                        self.add(call);
                    }
                }
            }
            Call | Invoke => match called_function(user) {
                Some(function) => {
                    for (argument, param) in user.arguments().into_iter().zip(function.params()) {
                        if argument == value {
                            self.add(param);
                        }
                    }
                }
                None if user.called().is_intrinsic() => self.add(user),
                None => {}
            },
            _ => self.add(user),
        }
    }

    fn add(&mut self, value: Value<'m>) {
        if self.values.insert(value) {
            self.open.push(value);
        }
    }
}

/// Whether all that calls a function by its name is lowered here, and in no way but by calls.
fn is_known(function: Value<'_>) -> bool {
    function.is_function() && !function.is_declaration() && !function.is_libc() && function.name() != "main"
}

/// The function that a call enters by its name and with its own type.
fn called_function<'m>(call: Value<'m>) -> Option<Value<'m>> {
    if !matches!(call.opcode(), Opcode::Call | Opcode::Invoke) {
        return None;
    }
    let called = call.called();
    (is_known(called) && called.value_type() == call.called_type()).then_some(called)
}

impl<'m> Lowering<'m> {
    /// The slots of further parameters that a function has, behind those of its own.
    pub fn unset_params(&mut self, function: Value<'m>) -> Vec<(Value<'m>, u32)> {
        if !is_known(function) {
            return Vec::new();
        }
        let params = function.params().into_iter().filter(|param| self.unset.values.contains(param));
        params.map(|param| (param, self.shapes.of(param.ty()).n_slots)).collect()
    }

    /// Whether a function gives further results behind its own.
    pub fn has_unset_result(&self, function: Value<'m>) -> bool {
        self.unset.functions.contains(&function)
    }
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The slots with the bits of a value that were never set, unless all are known to be.
    fn unset_of(&mut self, value: Value<'m>) -> Option<Slot> {
        if value.kind() == ValueKind::Undef {
            let masks = self.masks(value);
            return Some(self.slots.constants(&masks));
        }
        if !self.module.unset.values.contains(&value) {
            return None;
        }
        let n_slots = self.module.shapes.of(value.ty()).n_slots;
        let slots = &mut self.slots;
        Some(*self.unset.entry(value).or_insert_with(|| slots.permanent(n_slots)))
    }

    /// The value that something has which was never set.
    pub fn zero(&mut self, instruction: Value<'m>) -> Result<()> {
        let n_slots = self.module.shapes.of(instruction.ty()).n_slots;
        let src = self.slots.constants(&vec![0; n_slots as usize]);
        let dst = self.define(instruction);
        self.move_slots(dst, src, n_slots);
        Ok(())
    }

    /// All bits of a value.
    fn masks(&mut self, value: Value<'m>) -> Vec<u64> {
        let bits = pieces(&self.module.shapes.of(value.ty()));
        bits.into_iter().map(|bits| u64::MAX >> (64 - bits.clamp(1, 64))).collect()
    }

    /// The same, with zeros for what is known to be set.
    fn unset_or_zero(&mut self, value: Value<'m>) -> Slot {
        match self.unset_of(value) {
            Some(slot) => slot,
            None => {
                let n_slots = self.module.shapes.of(value.ty()).n_slots;
                self.slots.constants(&vec![0; n_slots as usize])
            }
        }
    }

    pub fn bind_unset_params(&mut self, function: Value<'m>) {
        for (param, n_slots) in self.module.unset_params(function) {
            let slot = self.slots.permanent(n_slots);
            self.unset.insert(param, slot);
        }
    }

    /// What a call passes behind its arguments.
    pub fn unset_arguments(&mut self, call: Value<'m>, args: &mut Vec<Slot>) {
        let Some(function) = called_function(call) else { return };
        let arguments = call.arguments();
        for (param, n_slots) in self.module.unset_params(function) {
            let number = function.params().iter().position(|known| *known == param);
            let argument = number.and_then(|number| arguments.get(number)).expect("a call has all arguments");
            let first = self.unset_or_zero(*argument);
            args.extend((0..n_slots).map(|index| Slot(first.0 + index)));
        }
    }

    /// Slots for the result of a call and, behind it, for its bits that were never set.
    pub fn unset_result(&mut self, call: Value<'m>) -> Option<Slot> {
        let function = called_function(call).filter(|function| self.module.has_unset_result(*function))?;
        let n_slots = self.module.shapes.of(function.value_type().return_type()).n_slots;
        Some(self.slots.permanent(2 * n_slots))
    }

    /// Moves both parts of such a result to where they belong.
    pub fn take_unset_result(&mut self, call: Value<'m>, result: Slot) {
        let n_slots = self.module.shapes.of(call.ty()).n_slots;
        let dst = self.define(call);
        self.move_slots(dst, result, n_slots);
        let Some(unset) = self.unset_of(call) else { return };
        self.move_slots(unset, Slot(result.0 + n_slots), n_slots);
        // Only what a function left without its result is in a register there.
        if self.module.options.keep_memory && call.users().next().is_some() {
            self.emit(Inst::CheckSet { decides: Decides::Result, unset });
        }
    }

    /// What `ret` returns: the value alone, or with its bits that were never set.
    pub fn unset_returned(&mut self, ret: Value<'m>, src: Slot) -> Slot {
        if ret.n_operands() == 0 || !self.module.has_unset_result(ret.parent().function()) {
            return src;
        }
        let value = ret.operand(0);
        let n_slots = self.module.shapes.of(value.ty()).n_slots;
        let unset = self.unset_or_zero(value);
        let both = self.slots.temporary(2 * n_slots);
        self.move_slots(both, src, n_slots);
        self.move_slots(Slot(both.0 + n_slots), unset, n_slots);
        both
    }

    /// What an edge moves besides the value of a phi.
    pub fn unset_copies(&mut self, phi: Value<'m>, value: Value<'m>, copies: &mut Vec<(Slot, Slot)>) {
        if let Some(dst) = self.unset_of(phi) {
            let src = self.unset_or_zero(value);
            let n_slots = self.module.shapes.of(phi.ty()).n_slots;
            let pairs = (0..n_slots).map(|index| (Slot(dst.0 + index), Slot(src.0 + index)));
            copies.extend(pairs.filter(|(dst, src)| dst != src));
        }
    }

    /// Before an instruction is lowered: looks at what decides something, and computes which bits of its result
    /// were never set.
    pub fn note_unset(&mut self, instruction: Value<'m>) -> Result<()> {
        use Opcode::*;
        match instruction.opcode() {
            Br => self.check_operands(instruction.condition(), Decides::Branch),
            Switch | IndirectBr => self.check_operands([instruction.operand(0)], Decides::Branch),
            Load | CmpXchg | AtomicRmw => self.check_operands([instruction.operand(0)], Decides::Address),
            Store => self.check_operands([instruction.operand(1)], Decides::Address),
            UDiv | SDiv | URem | SRem => self.check_operands([instruction.operand(1)], Decides::Division),
            Call if instruction.is_unset() => {
                let (masks, n_slots) = (self.masks(instruction), self.module.shapes.of(instruction.ty()).n_slots);
                let src = self.slots.constants(&masks);
                let dst = self.unset_of(instruction).expect("it is the first of those that may not be set");
                self.move_slots(dst, src, n_slots);
                return Ok(());
            }
            Call | Invoke if called_function(instruction).is_some() => return Ok(()),
            Call | Invoke => self.check_call(instruction),
            // Its bits come with the edges.
            Phi => return Ok(()),
            _ => {}
        }
        match self.module.unset.values.contains(&instruction) {
            true => self.compute_unset(instruction),
            false => Ok(()),
        }
    }

    fn check_call(&mut self, call: Value<'m>) {
        let called = call.called();
        let arguments = call.arguments();
        if !called.is_intrinsic() {
            if called.is_instruction() {
                self.check_operands([called], Decides::Address);
            }
            return self.check_operands(arguments, Decides::Call);
        }
        let name = called.name();
        let is = |prefix: &str| name.strip_prefix("llvm.").is_some_and(|name| name.starts_with(prefix));
        if is("memcpy.") || is("memmove.") {
            self.check_operands(arguments, Decides::Address);
        } else if is("memset.") {
            self.check_operands([arguments[0], arguments[2]], Decides::Address);
        }
    }

    fn check_operands(&mut self, values: impl IntoIterator<Item = Value<'m>>, decides: Decides) {
        for value in values {
            if let Some(unset) = self.unset_of(value) {
                for index in 0..self.module.shapes.of(value.ty()).n_slots {
                    self.emit(Inst::CheckSet { decides, unset: Slot(unset.0 + index) });
                }
            }
        }
    }

    /// The bits of a result that were never set: exactly where bits stay apart, and else all or none.
    fn compute_unset(&mut self, instruction: Value<'m>) -> Result<()> {
        use Opcode::*;
        let Some(dst) = self.unset_of(instruction) else { return Ok(()) };
        let shape = self.module.shapes.of(instruction.ty());
        let is_narrow = |me: &mut Self, value: Value<'m>| {
            me.module.shapes.of(value.ty()).scalar().is_ok_and(|scalar| !scalar.is_wide())
        };
        let n_slots = shape.n_slots;
        match instruction.opcode() {
            Freeze | BitCast | PtrToInt | IntToPtr | PtrToAddr | AddrSpaceCast
                if self.module.shapes.of(instruction.operand(0).ty()).n_slots == n_slots =>
            {
                let src = self.unset_or_zero(instruction.operand(0));
                self.move_slots(dst, src, n_slots);
            }
            Xor | And | Or => self.unset_of_bits(instruction, dst, n_slots)?,
            Shl | LShr | AShr if is_narrow(self, instruction) && instruction.operand(1).const_integer().is_some() => {
                let (a, b) = (self.unset_or_zero(instruction.operand(0)), self.operand(instruction.operand(1))?);
                let w = shape.scalar()?.width();
                self.emit(super::arithmetic::narrow(instruction.opcode(), w, dst, a, b)?);
            }
            Trunc | ZExt | SExt if is_narrow(self, instruction) && is_narrow(self, instruction.operand(0)) => {
                let a = self.unset_or_zero(instruction.operand(0));
                let (from, to) =
                    (self.module.shapes.of(instruction.operand(0).ty()).scalar()?.width(), shape.scalar()?.width());
                self.emit(match instruction.opcode() {
                    SExt => Inst::SExt { from, to, dst, a },
                    // Of the whole mask of `undef` no more than the value has.
                    _ => Inst::Trunc { w: from.min(to), dst, a },
                });
            }
            ExtractValue => {
                let skip = self.slot_at_path(instruction.operand(0).ty(), &instruction.indices())?;
                let src = self.unset_or_zero(instruction.operand(0));
                self.move_slots(dst, Slot(src.0 + skip), n_slots);
            }
            InsertValue => {
                let skip = self.slot_at_path(instruction.ty(), &instruction.indices())?;
                let part = instruction.operand(1);
                let n_part = self.module.shapes.of(part.ty()).n_slots;
                // What is not there yet is not there to be read.
                let whole = match instruction.operand(0).kind() {
                    ValueKind::Undef => self.slots.constants(&vec![0; n_slots as usize]),
                    _ => self.unset_or_zero(instruction.operand(0)),
                };
                let part = self.unset_or_zero(part);
                self.move_slots(dst, whole, n_slots);
                self.move_slots(Slot(dst.0 + skip), part, n_part);
            }
            Select
                if self.unset_of(instruction.operand(0)).is_none()
                    && self.module.shapes.of(instruction.operand(0).ty()).n_slots == 1 =>
            {
                let cond = self.operand(instruction.operand(0))?;
                let (a, b) = (self.unset_or_zero(instruction.operand(1)), self.unset_or_zero(instruction.operand(2)));
                for index in 0..n_slots {
                    let at = |first: Slot| Slot(first.0 + index);
                    self.emit(Inst::Select { dst: at(dst), cond, a: at(a), b: at(b) });
                }
            }
            _ => self.unset_of_any(instruction, dst, n_slots),
        }
        Ok(())
    }

    /// A bit of `and` is set if both are, or one is and is zero; of `or`, if one is and is one.
    fn unset_of_bits(&mut self, instruction: Value<'m>, dst: Slot, n_slots: u32) -> Result<()> {
        let (a, b) = (instruction.operand(0), instruction.operand(1));
        let (sa, sb) = (self.unset_or_zero(a), self.unset_or_zero(b));
        let (a, b) = (self.operand(a)?, self.operand(b)?);
        let [first, second] = [self.slots.temporary(1), self.slots.temporary(1)];
        let masks = self.masks(instruction);
        for index in 0..n_slots {
            let at = |slot: Slot| Slot(slot.0 + index);
            let (dst, sa, sb) = (at(dst), at(sa), at(sb));
            if instruction.opcode() == Opcode::Xor {
                self.emit(Inst::Or { dst, a: sa, b: sb });
                continue;
            }
            // `first` is `a`, and `second` is `b`, where it leaves the result to the other.
            let flip = if instruction.opcode() == Opcode::Or { masks[index as usize] } else { 0 };
            let flip = self.slots.constant(flip);
            self.emit(Inst::Xor { dst: first, a: at(a), b: flip });
            self.emit(Inst::Xor { dst: second, a: at(b), b: flip });
            self.emit(Inst::Or { dst: first, a: first, b: sa });
            self.emit(Inst::Or { dst: second, a: second, b: sb });
            self.emit(Inst::And { dst: first, a: first, b: sb });
            self.emit(Inst::And { dst: second, a: second, b: sa });
            self.emit(Inst::Or { dst, a: first, b: second });
        }
        Ok(())
    }

    fn unset_of_any(&mut self, instruction: Value<'m>, dst: Slot, n_slots: u32) {
        let sum = self.slots.temporary(1);
        let mut is_first = true;
        for index in 0..instruction.n_operands() {
            let operand = instruction.operand(index);
            let Some(unset) = self.unset_of(operand) else { continue };
            for part in 0..self.module.shapes.of(operand.ty()).n_slots {
                let src = Slot(unset.0 + part);
                self.emit(match is_first {
                    true => Inst::Move { dst: sum, src },
                    false => Inst::Or { dst: sum, a: sum, b: src },
                });
                is_first = false;
            }
        }
        let zero = self.slots.constant(0);
        if is_first {
            self.emit(Inst::Move { dst: sum, src: zero });
        }
        self.emit(Inst::CmpNe { dst: sum, a: sum, b: zero });
        for (index, mask) in self.masks(instruction).into_iter().enumerate().take(n_slots as usize) {
            let a = self.slots.constant(mask);
            self.emit(Inst::Select { dst: Slot(dst.0 + index as u32), cond: sum, a, b: zero });
        }
    }
}
