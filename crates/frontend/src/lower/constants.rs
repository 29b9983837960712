//! Constants, down to numbers: every address is known beforehand.

use super::types::Scalar;
use super::{Lowering, Result, Unsupported};
use crate::ffi::{Opcode, Type, TypeKind, Value, ValueKind};
use gordian_ir::{GlobalId, address};

/// What a constant comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Constant {
    /// The values of its slots.
    Slots(Vec<u64>),
    /// An address that differs from thread to thread: a thread-local global and an offset in it.
    ThreadLocal(GlobalId, u64),
}

/// Constant expressions nest by the compiler's whim only; corrupt ones must not overflow our stack.
const MAX_DEPTH: u32 = 200;

impl<'m> Lowering<'m> {
    pub fn constant(&mut self, value: Value<'m>) -> Result<Constant> {
        self.constant_at(value, 0)
    }

    /// A constant that is the same for all threads.
    pub fn constant_slots(&mut self, value: Value<'m>) -> Result<Vec<u64>> {
        self.slots_at(value, 0)
    }

    fn slots_at(&mut self, value: Value<'m>, depth: u32) -> Result<Vec<u64>> {
        match self.constant_at(value, depth)? {
            Constant::Slots(slots) => Ok(slots),
            Constant::ThreadLocal(..) => Err(Unsupported("address of a thread-local variable in a constant".into())),
        }
    }

    fn constant_at(&mut self, value: Value<'m>, depth: u32) -> Result<Constant> {
        if depth > MAX_DEPTH {
            return Err(Unsupported("constant that is nested too deeply".into()));
        }
        let shape = self.shapes.of(value.ty());
        shape.check()?;
        let slots = match value.kind() {
            ValueKind::Undef | ValueKind::Zero | ValueKind::Null => vec![0; shape.n_slots as usize],
            ValueKind::Integer => integer_slots(value, shape.scalar()?)?,
            ValueKind::Float => vec![value.const_float_bits().ok_or_else(|| odd("float"))?],
            ValueKind::ConstantAggregate | ValueKind::ConstantData => {
                let mut slots = Vec::with_capacity(shape.n_slots as usize);
                for index in 0..value.ty().n_elements() {
                    let element = value.const_element(index).ok_or_else(|| odd("aggregate"))?;
                    slots.extend(self.slots_at(element, depth + 1)?);
                }
                slots
            }
            ValueKind::GlobalVariable => {
                let global = self.globals[&value];
                if value.is_thread_local() {
                    return Ok(Constant::ThreadLocal(global, 0));
                }
                vec![if value.is_extern_weak() { 0 } else { address::of_global(global) }]
            }
            ValueKind::Function => vec![self.function_address(value)?],
            ValueKind::Alias => {
                let aliasee = value.aliasee().ok_or_else(|| odd("alias"))?;
                return self.constant_at(aliasee, depth + 1);
            }
            ValueKind::BlockAddress => vec![self.label_address(value)?],
            ValueKind::ConstantExpr => return self.expression(value, depth),
            ValueKind::IFunc => return Err(Unsupported("function chosen at load time (ifunc)".into())),
            kind => return Err(Unsupported(format!("constant of kind {kind:?}"))),
        };
        Ok(Constant::Slots(slots))
    }

    pub fn function_address(&self, function: Value<'m>) -> Result<u64> {
        if function.is_extern_weak() {
            return Ok(0);
        }
        let code_index = self.callees.get(&function).and_then(|callee| self.code_index(*callee));
        code_index.map(address::of_function).ok_or_else(|| odd("function"))
    }

    fn label_address(&self, value: Value<'m>) -> Result<u64> {
        let (function, block) = value.block_address().ok_or_else(|| odd("label"))?;
        let function = self.function_id(function).ok_or_else(|| odd("label"))?;
        let label = self.labels.get(&block).ok_or_else(|| odd("label"))?;
        Ok(address::of_label(function, *label))
    }

    fn expression(&mut self, value: Value<'m>, depth: u32) -> Result<Constant> {
        let opcode = value.opcode();
        if matches!(opcode, Opcode::GetElementPtr) {
            self.has_folded |= (1..value.n_operands()).any(|number| holds_address(value.operand(number), depth));
            let (base, offset) = (self.constant_at(value.operand(0), depth + 1)?, self.gep_offset(value, depth)?);
            return Ok(match base {
                Constant::ThreadLocal(global, start) => Constant::ThreadLocal(global, start.wrapping_add(offset)),
                Constant::Slots(slots) => Constant::Slots(vec![moved(slots[0], offset)?]),
            });
        }
        if matches!(opcode, Opcode::BitCast | Opcode::AddrSpaceCast) && value.operand(0).ty() == value.ty() {
            return self.constant_at(value.operand(0), depth + 1);
        }
        let scalar = self.shapes.of(value.ty()).scalar()?;
        let first = self.slots_at(value.operand(0), depth + 1)?;
        let from = self.shapes.of(value.operand(0).ty()).scalar()?;
        let a = join(&first);
        let second = if value.n_operands() > 1 { join(&self.slots_at(value.operand(1), depth + 1)?) } else { 0 };
        let result = match opcode {
            Opcode::Add => a.wrapping_add(second),
            Opcode::Sub => a.wrapping_sub(second),
            Opcode::Mul => a.wrapping_mul(second),
            Opcode::Xor => a ^ second,
            Opcode::And => a & second,
            Opcode::Or => a | second,
            Opcode::Trunc | Opcode::ZExt | Opcode::PtrToInt | Opcode::PtrToAddr | Opcode::IntToPtr => a,
            Opcode::BitCast if from.width() == scalar.width() => a,
            Opcode::SExt => sign_extend(a, from.width()),
            other => return Err(Unsupported(format!("constant expression {other:?}"))),
        };
        let slots = split(result, scalar);
        self.has_folded |= !is_same_object(value, [a, second], &slots, depth);
        Ok(Constant::Slots(slots))
    }

    /// The offset of a GEP whose indices are all constants.
    fn gep_offset(&mut self, gep: Value<'m>, depth: u32) -> Result<u64> {
        let mut offset = 0u64;
        let mut ty = gep.gep_source_type();
        for number in 1..gep.n_operands() {
            let operand = gep.operand(number);
            let scalar = self.shapes.of(operand.ty()).scalar()?;
            let index = sign_extend(join(&self.slots_at(operand, depth + 1)?), scalar.width()) as u64;
            offset = offset.wrapping_add(match number {
                1 => index.wrapping_mul(self.layout.size_of(ty)),
                _ => self.step_into(&mut ty, index)?,
            });
        }
        Ok(offset)
    }

    /// The offset of element `index` of `ty`, which becomes the type of that element.
    pub fn step_into(&self, ty: &mut Type<'m>, index: u64) -> Result<u64> {
        match ty.kind() {
            TypeKind::Struct if index < ty.n_elements() && ty.is_sized() => {
                let offset = self.layout.offset_of(*ty, index);
                *ty = ty.element(index);
                Ok(offset)
            }
            TypeKind::Array | TypeKind::Vector => {
                *ty = ty.element(0);
                Ok(index.wrapping_mul(self.layout.size_of(*ty)))
            }
            kind => Err(Unsupported(format!("index into {kind:?}"))),
        }
    }
}

/// Whether a constant is made from the address of a variable, function or label.
fn holds_address(value: Value<'_>, depth: u32) -> bool {
    match value.kind() {
        ValueKind::GlobalVariable | ValueKind::Function | ValueKind::Alias | ValueKind::BlockAddress => true,
        ValueKind::ConstantExpr => {
            depth > MAX_DEPTH || (0..value.n_operands()).any(|number| holds_address(value.operand(number), depth + 1))
        }
        _ => false,
    }
}

/// Whether an expression comes to a number, or to an address in or near the object that it is made from: an analysis recognises that, and nothing else that is made
/// from addresses.
fn is_same_object(expression: Value<'_>, operands: [u128; 2], result: &[u64], depth: u32) -> bool {
    let numbers = 0..expression.n_operands();
    let mut from = numbers.zip(operands).filter(|(number, _)| holds_address(expression.operand(*number), depth));
    match (from.next(), from.next()) {
        (None, _) => true,
        (Some((_, address)), None) => {
            let is_near = address >> 64 == 0 && address::is_near(address as u64, result[0]);
            is_near && result[1..].iter().all(|&high| high == 0)
        }
        (Some(_), Some(_)) => false,
    }
}

/// An address so many bytes further, which must not name another object.
fn moved(from: u64, by: u64) -> Result<u64> {
    let to = from.wrapping_add(by);
    let is_object = address::space(from) != address::GLOBAL_SPACE || address::index(from) > 0;
    if is_object && !address::is_near(from, to) {
        return Err(Unsupported(format!("address {} bytes away from its object", by as i64)));
    }
    Ok(to)
}

fn odd(what: &str) -> Unsupported {
    Unsupported(format!("constant {what} that LLVM does not explain"))
}

fn integer_slots(value: Value<'_>, scalar: Scalar) -> Result<Vec<u64>> {
    let number = value.const_wide_integer().ok_or_else(|| odd("integer"))?;
    Ok(split(number, scalar))
}

fn join(slots: &[u64]) -> u128 {
    slots.iter().rev().fold(0, |value, &slot| value << 64 | u128::from(slot))
}

/// Truncated to the scalar and split into its slots.
fn split(value: u128, scalar: Scalar) -> Vec<u64> {
    let width = scalar.width();
    let value = if width == 128 { value } else { value & ((1 << width) - 1) };
    if scalar.is_wide() { vec![value as u64, (value >> 64) as u64] } else { vec![value as u64] }
}

fn sign_extend(value: u128, width: u8) -> u128 {
    let unused = 128 - u32::from(width);
    (((value << unused) as i128) >> unused) as u128
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_split_and_joined() {
        let wide = split(u128::MAX - 1, Scalar::Int(100));
        assert_eq!(wide, [u64::MAX - 1, (1 << 36) - 1]);
        assert_eq!(join(&wide), (1 << 100) - 2);
        assert_eq!(split(0x1ff, Scalar::Int(8)), [0xff]);
        assert_eq!(sign_extend(0x80, 8) as i128, -128);
    }
}
