//! Allocas, loads, stores, atomics, address arithmetic.

use super::arithmetic::at;
use super::function::FunctionLowering;
use super::types::{Part, Scalar};
use super::{Result, Unsupported};
use crate::ffi::{TypeKind, Value};
use gordian_ir::{Inst, Order, RmwOp, Slot, address};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn alloca(&mut self, instruction: Value<'m>) -> Result<()> {
        let ty = instruction.allocated_type();
        let element_size = self.module.layout.size_of(ty);
        let count = instruction.operand(0);
        let size = match count.const_integer() {
            Some(count) => self.slots.constant(element_size.saturating_mul(count)),
            None => {
                let a = self.operand(count)?;
                let b = self.slots.constant(element_size);
                let dst = self.slots.temporary(1);
                self.emit(Inst::Mul { w: 64, dst, a, b });
                dst
            }
        };
        let align = if instruction.align() == 0 { self.module.layout.align_of(ty) } else { instruction.align() };
        let variable = self.out.allocas.len() as u32;
        let mut described = self.variable(instruction);
        if self.module.is_compiled && !self.out.internal {
            described.unset = crate::first_access::unset(instruction, self.module.layout);
        }
        self.out.allocas.push(described);
        let dst = self.define(instruction);
        if self.renewed.contains(instruction) {
            self.renewed.describe(instruction, variable, size);
        } else {
            self.emit(Inst::Alloca { variable, dst, size, align_log2: align.max(1).ilog2() as u8 });
        }
        Ok(())
    }

    /// The life of a local starts or ends.
    pub fn lifetime(&mut self, local: Value<'m>, starts: bool) -> Result<()> {
        let address = self.operand(local)?;
        let renewed = self.renewed.described(local);
        self.emit(match renewed {
            Some((variable, size)) if starts => {
                Inst::Alloca { variable, dst: address, size, align_log2: local.align().max(1).ilog2() as u8 }
            }
            _ if starts => Inst::LifetimeStart { address },
            _ => Inst::LifetimeEnd { for_good: renewed.is_some(), address },
        });
        Ok(())
    }

    /// `dst = base + offset`.
    pub fn add_offset(&mut self, dst: Slot, base: Slot, offset: u64) {
        if offset != 0 {
            let b = self.slots.constant(offset);
            self.emit(Inst::Add { w: 64, dst, a: base, b });
        } else if dst != base {
            self.emit(Inst::Move { dst, src: base });
        }
    }

    /// The address of a part of a value that stands at `address`.
    fn part_address(&mut self, address: Slot, offset: u64) -> Slot {
        if offset == 0 {
            return address;
        }
        let dst = self.slots.temporary(1);
        self.add_offset(dst, address, offset);
        dst
    }

    pub fn load(&mut self, instruction: Value<'m>) -> Result<()> {
        let shape = self.module.shapes.of(instruction.ty());
        let parts = shape.in_memory()?;
        let address = self.operand(instruction.operand(0))?;
        let dst = self.define(instruction);
        if instruction.is_atomic() {
            let scalar = shape.scalar()?;
            let (size, order) = (atomic_size(scalar)?, order(instruction.ordering()));
            self.emit(Inst::AtomicLoad { size, order, dst, address });
            self.keep_width(scalar, dst);
            return Ok(());
        }
        for part in parts {
            let address = self.part_address(address, part.offset);
            self.load_scalar(part.scalar, at(dst, part), address);
        }
        Ok(())
    }

    pub fn load_scalar(&mut self, scalar: Scalar, dst: Slot, address: Slot) {
        let size = scalar.size();
        if scalar.is_wide() {
            self.emit(Inst::WideLoad { size, dst, address });
        } else {
            self.emit(Inst::Load { size, dst, address });
        }
        self.keep_width(scalar, dst);
    }

    /// Memory holds whole bytes; clears what an odd integer does not use of them.
    fn keep_width(&mut self, scalar: Scalar, dst: Slot) {
        let w = scalar.width();
        if !w.is_multiple_of(8) {
            if scalar.is_wide() {
                let high = Slot(dst.0 + 1);
                self.emit(Inst::Trunc { w: w - 64, dst: high, a: high });
            } else {
                self.emit(Inst::Trunc { w, dst, a: dst });
            }
        }
    }

    pub fn store(&mut self, instruction: Value<'m>) -> Result<()> {
        let (value, pointer) = (instruction.operand(0), instruction.operand(1));
        let shape = self.module.shapes.of(value.ty());
        let parts = shape.in_memory()?;
        let (src, address) = (self.operand(value)?, self.operand(pointer)?);
        if instruction.is_atomic() {
            let (size, order) = (atomic_size(shape.scalar()?)?, order(instruction.ordering()));
            self.emit(Inst::AtomicStore { size, order, address, src });
            return Ok(());
        }
        for part in parts {
            let address = self.part_address(address, part.offset);
            self.store_part(part, src, address);
        }
        Ok(())
    }

    fn store_part(&mut self, part: &Part, src: Slot, address: Slot) {
        let (size, src) = (part.scalar.size(), at(src, part));
        if part.scalar.is_wide() {
            self.emit(Inst::WideStore { size, address, src });
        } else {
            self.emit(Inst::Store { size, address, src });
        }
    }

    pub fn fence(&mut self, instruction: Value<'m>) -> Result<()> {
        self.emit(Inst::Fence { order: order(instruction.ordering()) });
        Ok(())
    }

    pub fn compare_exchange(&mut self, instruction: Value<'m>) -> Result<()> {
        let (pointer, expected, new) = (instruction.operand(0), instruction.operand(1), instruction.operand(2));
        let scalar = self.module.shapes.of(expected.ty()).scalar()?;
        let size = atomic_size(scalar)?;
        let address = self.operand(pointer)?;
        let n_slots = scalar.n_slots();
        let (expected, new) = (self.operand(expected)?, self.operand(new)?);
        let expected_new = self.slots.temporary(2 * n_slots);
        self.move_slots(expected_new, expected, n_slots);
        self.move_slots(Slot(expected_new.0 + n_slots), new, n_slots);
        let (success, failure) = instruction.cmpxchg_orderings();
        let dst = self.define(instruction);
        self.emit(Inst::CmpXchg {
            size,
            order: order(success),
            failure: order(failure),
            weak: instruction.is_weak(),
            dst,
            address,
            expected_new,
        });
        Ok(())
    }

    pub fn atomic_rmw(&mut self, instruction: Value<'m>) -> Result<()> {
        let op = rmw_op(instruction.rmw_operation())?;
        let scalar = self.module.shapes.of(instruction.ty()).scalar()?;
        let size = atomic_size(scalar)?;
        let (address, src) = (self.operand(instruction.operand(0))?, self.operand(instruction.operand(1))?);
        let dst = self.define(instruction);
        self.emit(Inst::AtomicRmw { op, size, order: order(instruction.ordering()), dst, address, src });
        Ok(())
    }

    pub fn gep(&mut self, instruction: Value<'m>) -> Result<()> {
        if instruction.ty().kind() == TypeKind::Vector {
            return self.vector_gep(instruction);
        }
        let (offset, steps) = self.gep_steps(instruction)?;
        let base_value = instruction.operand(0);
        if offset == 0 && steps.is_empty() {
            return self.alias(instruction, base_value, 0);
        }
        let mut base = self.operand(base_value)?;
        let mut indices = Vec::new();
        for (value, scale) in steps {
            indices.push((self.index_slot(value, 0)?, scale));
        }
        let dst = self.define(instruction);
        for (index, scale) in indices {
            self.index(dst, base, index, scale);
            base = dst;
        }
        if is_far(instruction, offset) {
            let index = self.slots.constant(offset);
            self.emit(Inst::Index { scale: 1, dst, base, index });
        } else if offset != 0 || base != dst {
            self.add_offset(dst, base, offset);
        }
        Ok(())
    }

    /// Each lane on its own; operands that are no vectors are the same for all lanes.
    fn vector_gep(&mut self, instruction: Value<'m>) -> Result<()> {
        let lanes = self.module.shapes.of(instruction.ty()).check()?.len() as u32;
        let (offset, steps) = self.gep_steps(instruction)?;
        let base_value = instruction.operand(0);
        let first = self.operand(base_value)?;
        let base_step = u32::from(base_value.ty().kind() == TypeKind::Vector);
        let dst = self.define(instruction);
        for lane in 0..lanes {
            let dst = Slot(dst.0 + lane);
            self.add_offset(dst, Slot(first.0 + lane * base_step), offset);
            for &(value, scale) in &steps {
                let lane = if value.ty().kind() == TypeKind::Vector { lane } else { 0 };
                let index = self.index_slot(value, lane)?;
                self.index(dst, dst, index, scale);
            }
        }
        Ok(())
    }

    /// The constant part of a GEP's offset, and the indices that vary with the sizes of what they step over.
    fn gep_steps(&mut self, instruction: Value<'m>) -> Result<(u64, Vec<(Value<'m>, u64)>)> {
        let mut ty = instruction.gep_source_type();
        let mut offset = 0u64;
        let mut steps = Vec::new();
        for number in 1..instruction.n_operands() {
            let operand = instruction.operand(number);
            let known = operand.const_integer().map(|index| sign_extend(index, operand.ty().width()));
            match known {
                Some(index) if number == 1 => {
                    offset = offset.wrapping_add(index.wrapping_mul(self.module.layout.size_of(ty)));
                }
                Some(index) => offset = offset.wrapping_add(self.module.step_into(&mut ty, index)?),
                None if number == 1 => steps.push((operand, self.module.layout.size_of(ty))),
                // Only constants index structs; a vector of the same constant does so too.
                None if ty.kind() == TypeKind::Struct => {
                    let index = operand.const_element(0).and_then(Value::const_integer);
                    let index = index.ok_or_else(|| Unsupported("variable index into a struct".into()))?;
                    offset = offset.wrapping_add(self.module.step_into(&mut ty, index)?);
                }
                None => {
                    self.module.step_into(&mut ty, 0)?;
                    steps.push((operand, self.module.layout.size_of(ty)));
                }
            }
        }
        Ok((offset, steps))
    }

    /// A slot with the index sign-extended to 64 bits.
    fn index_slot(&mut self, value: Value<'m>, lane: u32) -> Result<Slot> {
        let shape = self.module.shapes.of(value.ty());
        let part = *shape.check()?.get(lane as usize).ok_or_else(|| Unsupported("index of an odd type".into()))?;
        let slot = at(self.operand(value)?, &part);
        let from = part.scalar.width();
        if from >= 64 {
            return Ok(slot);
        }
        let dst = self.slots.temporary(1);
        self.emit(Inst::SExt { from, to: 64, dst, a: slot });
        Ok(dst)
    }

    fn index(&mut self, dst: Slot, base: Slot, index: Slot, scale: u64) {
        match i32::try_from(scale) {
            Ok(scale) => self.emit(Inst::Index { scale, dst, base, index }),
            Err(_) => {
                let b = self.slots.constant(scale);
                let product = self.slots.temporary(1);
                self.emit(Inst::Mul { w: 64, dst: product, a: index, b });
                self.emit(Inst::Index { scale: 1, dst, base, index: product });
            }
        }
    }

    /// Takes the next argument from the area where `VaStart` says that all of them are (clang itself
    /// writes this out; the instruction comes from other compilers).
    pub fn va_arg(&mut self, instruction: Value<'m>) -> Result<()> {
        const OVERFLOW_AREA: u64 = 8;
        let scalar = self.module.shapes.of(instruction.ty()).scalar()?;
        let list = self.operand(instruction.operand(0))?;
        let place = self.part_address(list, OVERFLOW_AREA);
        let next = self.slots.temporary(1);
        self.emit(Inst::Load { size: 8, dst: next, address: place });
        if scalar.is_wide() {
            self.add_offset(next, next, 15);
            let b = self.slots.constant(!15);
            self.emit(Inst::And { dst: next, a: next, b });
        }
        let dst = self.define(instruction);
        self.load_scalar(scalar, dst, next);
        self.add_offset(next, next, u64::from(scalar.n_slots()) * 8);
        self.emit(Inst::Store { size: 8, address: place, src: next });
        Ok(())
    }
}

/// Whether the constant offset of a GEP may lead from a pointer near one object to the middle of another, so that the machine has to look
/// at it. Fields of a struct do not: with less than the bias a pointer comes to where no object is.
fn is_far(gep: Value<'_>, offset: u64) -> bool {
    let is_step = gep.operand(1).const_integer().is_some_and(|index| index != 0);
    offset != 0 && (is_step || offset.wrapping_add(address::BIAS) > 2 * address::BIAS)
}

fn sign_extend(value: u64, width: u32) -> u64 {
    let unused = 64 - width.clamp(1, 64);
    (((value << unused) as i64) >> unused) as u64
}

fn atomic_size(scalar: Scalar) -> Result<u8> {
    let size = scalar.size();
    if size.is_power_of_two() { Ok(size) } else { Err(Unsupported(format!("atomic access of {size} bytes"))) }
}

/// LLVM's numbers; its `unordered` is weaker than C's `relaxed`.
pub fn order(number: u32) -> Order {
    match number {
        4 => Order::Acquire,
        5 => Order::Release,
        6 => Order::AcqRel,
        7 => Order::SeqCst,
        _ => Order::Relaxed,
    }
}

fn rmw_op(number: u32) -> Result<RmwOp> {
    use RmwOp::*;
    const OPS: [RmwOp; 19] = [
        Xchg, Add, Sub, And, Nand, Or, Xor, Max, Min, Umax, Umin, FAdd, FSub, FMax, FMin, UincWrap, UdecWrap, UsubCond,
        UsubSat,
    ];
    OPS.get(number as usize).copied().ok_or_else(|| Unsupported("atomic operation of an unknown kind".into()))
}
