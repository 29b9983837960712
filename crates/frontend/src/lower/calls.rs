//! Calls.

use super::casts::pieces;
use super::function::FunctionLowering;
use super::{Result, Unsupported};
use crate::ffi::{Type, TypeKind, Value, ValueKind};
use gordian_ir::{ByVal, CallSite, Callee, Inst, PassedAs, Slot, VarArg, VarArgKind};

/// Structs in the area of variadic arguments are aligned to words at least.
const WORD: u32 = 8;

impl<'m> FunctionLowering<'_, 'm> {
    pub fn call(&mut self, instruction: Value<'m>) -> Result<()> {
        let called = instruction.called();
        if let Some((text, constraints)) = called.inline_asm() {
            return self.inline_asm(instruction, &text, &constraints);
        }
        if called.is_intrinsic() {
            return self.intrinsic(instruction, &called.name());
        }
        if instruction.is_unset() {
            return self.zero(instruction);
        }
        if self.handler(instruction, called)? {
            return Ok(());
        }
        self.plain_call(instruction, called)
    }

    /// Nothing is ever thrown, so control goes on where it does without an exception.
    pub fn invoke(&mut self, instruction: Value<'m>) -> Result<()> {
        self.call(instruction)?;
        let successors = instruction.successors();
        self.go_to(instruction.parent(), successors[0])
    }

    fn plain_call(&mut self, instruction: Value<'m>, called: Value<'m>) -> Result<()> {
        let ty = instruction.called_type();
        let result = self.module.shapes.of(ty.return_type());
        result.check()?;
        let callee = self.callee(instruction, called)?;
        let n_fixed = ty.params().len();
        let (mut args, mut byval, mut variadic) = (Vec::new(), Vec::new(), Vec::new());
        let mut passed_as = Vec::new();
        for (number, argument) in instruction.arguments().into_iter().enumerate() {
            let shape = self.module.shapes.of(argument.ty());
            shape.check()?;
            let slot = self.operand(argument)?;
            let by_value = instruction.byval(number as u32).map(|(ty, align)| {
                let align = if align == 0 { self.module.layout.align_of(ty) } else { align };
                (self.module.layout.size_of(ty), align)
            });
            passed_as.extend(std::iter::repeat_n(as_passed(argument.ty(), shape.n_slots), shape.n_slots as usize));
            if number >= n_fixed {
                self.variadic_argument(argument, slot, by_value, &mut variadic)?;
                continue;
            }
            if let Some((size, align)) = by_value {
                byval.push(ByVal { arg: args.len() as u32, size, align });
            }
            args.extend((0..shape.n_slots).map(|index| Slot(slot.0 + index)));
        }
        self.unset_arguments(instruction, &mut args);
        let both = self.unset_result(instruction);
        let dst = match both {
            Some(both) => both,
            None if result.n_slots == 0 => Slot(0),
            None => self.define(instruction),
        };
        let site = self.out.calls.len() as u32;
        self.out.calls.push(CallSite {
            callee,
            args: args.into(),
            byval: byval.into(),
            variadic: variadic.into(),
            dst,
            n_returns: if both.is_some() { 2 * result.n_slots } else { result.n_slots },
            passed_as: if matches!(callee, Callee::Function(_)) { Box::default() } else { passed_as.into() },
            returned_as: as_passed(ty.return_type(), result.n_slots),
        });
        self.emit(Inst::Call { site });
        if let Some(both) = both {
            self.take_unset_result(instruction, both);
        }
        Ok(())
    }

    /// A direct call to a function of another type than the caller thinks goes by its address: the
    /// machine checks such calls anyway.
    fn callee(&mut self, instruction: Value<'m>, called: Value<'m>) -> Result<Callee> {
        if let Some(function) = self.module.resolve_function(called) {
            match self.module.callees.get(&function) {
                Some(&Callee::Function(_)) if function.value_type() != instruction.called_type() => {
                    let address = self.module.function_address(function)?;
                    return Ok(Callee::Indirect(self.slots.constant(address)));
                }
                Some(&callee) => return Ok(callee),
                None => return Err(Unsupported(format!("call of {}", function.name()))),
            }
        }
        if called.kind() == ValueKind::IFunc {
            return Err(Unsupported("function chosen at load time (ifunc)".into()));
        }
        Ok(Callee::Indirect(self.operand(called)?))
    }

    fn variadic_argument(
        &mut self,
        argument: Value<'m>,
        slot: Slot,
        by_value: Option<(u64, u32)>,
        variadic: &mut Vec<VarArg>,
    ) -> Result<()> {
        if let Some((size, align)) = by_value {
            let kind = VarArgKind::Memory { size, align: align.max(WORD) };
            variadic.push(VarArg { slot, kind });
            return Ok(());
        }
        let shape = self.module.shapes.of(argument.ty());
        if argument.ty().kind() == TypeKind::Vector {
            // Pairs of floats of a small struct travel together in one word.
            let from = pieces(&shape);
            let bits: u32 = from.iter().sum();
            let to: Vec<u32> = (0..bits.div_ceil(64)).map(|word| (bits - word * 64).min(64)).collect();
            let words = self.slots.temporary(to.len() as u32);
            self.repack(&from, slot, &to, words);
            variadic
                .extend((0..to.len() as u32).map(|word| VarArg { slot: Slot(words.0 + word), kind: VarArgKind::Word }));
            return Ok(());
        }
        for part in shape.check()? {
            let kind = if part.scalar.is_wide() { VarArgKind::Wide } else { VarArgKind::Word };
            variadic.push(VarArg { slot: Slot(slot.0 + part.slot), kind });
        }
        Ok(())
    }
}

/// How a native function would get a value of this type.
fn as_passed(ty: Type<'_>, n_slots: u32) -> PassedAs {
    match ty.kind() {
        TypeKind::Void => PassedAs::Integer,
        TypeKind::Integer if n_slots == 1 => PassedAs::Integer,
        TypeKind::Pointer => PassedAs::Pointer,
        TypeKind::Float => PassedAs::Single,
        TypeKind::Double => PassedAs::Double,
        _ => PassedAs::Other,
    }
}
