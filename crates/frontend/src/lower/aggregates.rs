//! Structs, arrays and vectors in registers.

use super::arithmetic::at;
use super::function::FunctionLowering;
use super::{Result, Unsupported};
use crate::ffi::{Type, TypeKind, Value};
use gordian_ir::{Inst, Slot};

impl<'m> FunctionLowering<'_, 'm> {
    /// The first slot that a path of indices names, counted from the aggregate's first.
    pub fn slot_at_path(&mut self, mut ty: Type<'m>, path: &[u64]) -> Result<u32> {
        self.module.shapes.of(ty).check()?;
        let mut slot = 0;
        for &index in path {
            match ty.kind() {
                TypeKind::Struct => {
                    for before in 0..index {
                        slot += self.module.shapes.of(ty.element(before)).n_slots;
                    }
                    ty = ty.element(index);
                }
                TypeKind::Array | TypeKind::Vector => {
                    ty = ty.element(0);
                    slot += index as u32 * self.module.shapes.of(ty).n_slots;
                }
                kind => return Err(Unsupported(format!("index into {kind:?}"))),
            }
        }
        Ok(slot)
    }

    pub fn extract_value(&mut self, instruction: Value<'m>) -> Result<()> {
        let aggregate = instruction.operand(0);
        let skip = self.slot_at_path(aggregate.ty(), &instruction.indices())?;
        self.alias(instruction, aggregate, skip)
    }

    pub fn insert_value(&mut self, instruction: Value<'m>) -> Result<()> {
        let skip = self.slot_at_path(instruction.ty(), &instruction.indices())?;
        self.insert(instruction, instruction.operand(0), instruction.operand(1), skip)
    }

    /// A copy of `whole` with `part` at `skip`.
    fn insert(&mut self, instruction: Value<'m>, whole: Value<'m>, part: Value<'m>, skip: u32) -> Result<()> {
        let n_slots = self.module.shapes.of(whole.ty()).n_slots;
        let n_part = self.module.shapes.of(part.ty()).n_slots;
        let (a, b) = (self.operand(whole)?, self.operand(part)?);
        let dst = self.define(instruction);
        for index in 0..n_slots {
            let src = match index.checked_sub(skip) {
                Some(offset) if offset < n_part => Slot(b.0 + offset),
                _ => Slot(a.0 + index),
            };
            self.emit(Inst::Move { dst: Slot(dst.0 + index), src });
        }
        Ok(())
    }

    pub fn extract_element(&mut self, instruction: Value<'m>) -> Result<()> {
        let (vector, index) = (instruction.operand(0), instruction.operand(1));
        let shape = self.module.shapes.of(vector.ty());
        let parts = shape.check()?;
        if let Some(lane) = index.const_integer() {
            // Out of range is poison.
            let Some(part) = parts.get(lane as usize) else {
                return Err(Unsupported("vector lane out of range".into()));
            };
            return self.alias(instruction, vector, part.slot);
        }
        let (a, lane) = (self.operand(vector)?, self.operand(index)?);
        let dst = self.define(instruction);
        let n_slots = parts.first().map_or(0, |part| part.scalar.n_slots());
        self.move_slots(dst, a, n_slots);
        let is_lane = self.slots.temporary(1);
        for (number, part) in parts.iter().enumerate().skip(1) {
            let b = self.slots.constant(number as u64);
            self.emit(Inst::CmpEq { dst: is_lane, a: lane, b });
            for half in 0..n_slots {
                let (dst, a) = (Slot(dst.0 + half), Slot(a.0 + part.slot + half));
                self.emit(Inst::Select { dst, cond: is_lane, a, b: dst });
            }
        }
        Ok(())
    }

    pub fn insert_element(&mut self, instruction: Value<'m>) -> Result<()> {
        let (vector, element, index) = (instruction.operand(0), instruction.operand(1), instruction.operand(2));
        let shape = self.module.shapes.of(vector.ty());
        let parts = shape.check()?;
        if let Some(lane) = index.const_integer() {
            let Some(part) = parts.get(lane as usize) else {
                return Err(Unsupported("vector lane out of range".into()));
            };
            return self.insert(instruction, vector, element, part.slot);
        }
        let (a, b, lane) = (self.operand(vector)?, self.operand(element)?, self.operand(index)?);
        let dst = self.define(instruction);
        let is_lane = self.slots.temporary(1);
        for (number, part) in parts.iter().enumerate() {
            let key = self.slots.constant(number as u64);
            self.emit(Inst::CmpEq { dst: is_lane, a: lane, b: key });
            for half in 0..part.scalar.n_slots() {
                let place = |first: Slot| Slot(first.0 + part.slot + half);
                self.emit(Inst::Select { dst: place(dst), cond: is_lane, a: Slot(b.0 + half), b: place(a) });
            }
        }
        Ok(())
    }

    pub fn shuffle(&mut self, instruction: Value<'m>) -> Result<()> {
        let (first, second) = (instruction.operand(0), instruction.operand(1));
        let (source, target) = (self.module.shapes.of(first.ty()), self.module.shapes.of(instruction.ty()));
        let (source, target) = (source.check()?, target.check()?);
        let (a, b) = (self.operand(first)?, self.operand(second)?);
        let dst = self.define(instruction);
        for (pick, part) in instruction.shuffle_mask().into_iter().zip(target) {
            let n_slots = part.scalar.n_slots();
            match pick.map(|pick| pick as usize) {
                Some(lane) if lane < source.len() => self.move_slots(at(dst, part), at(a, &source[lane]), n_slots),
                Some(lane) if lane < 2 * source.len() => {
                    self.move_slots(at(dst, part), at(b, &source[lane - source.len()]), n_slots);
                }
                _ => {
                    let src = self.slots.constant(0);
                    for half in 0..n_slots {
                        self.emit(Inst::Move { dst: Slot(dst.0 + part.slot + half), src });
                    }
                }
            }
        }
        Ok(())
    }
}
