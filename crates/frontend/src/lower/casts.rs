//! Conversions.

use super::arithmetic::{at, float};
use super::function::FunctionLowering;
use super::types::{Scalar, Shape};
use super::{Result, Unsupported};
use crate::ffi::{Opcode, Value};
use gordian_ir::{Inst, Slot};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn int_cast(&mut self, instruction: Value<'m>) -> Result<()> {
        let source = instruction.operand(0);
        let (from, to) = (self.module.shapes.of(source.ty()), self.module.shapes.of(instruction.ty()));
        let (from, to) = (from.check()?, to.check()?);
        let opcode = instruction.opcode();
        if let ([from], [to]) = (from, to) {
            // Zero-extended already.
            let unchanged = match opcode {
                Opcode::ZExt => from.scalar.n_slots() == to.scalar.n_slots(),
                Opcode::Trunc => from.scalar.is_wide() && to.scalar.width() == 64,
                _ => false,
            };
            if unchanged {
                return self.alias(instruction, source, 0);
            }
        }
        let a = self.operand(source)?;
        let dst = self.define(instruction);
        for (from, to) in from.iter().zip(to) {
            self.resize(opcode, from.scalar, to.scalar, at(dst, to), at(a, from));
        }
        Ok(())
    }

    fn resize(&mut self, opcode: Opcode, from: Scalar, to: Scalar, dst: Slot, a: Slot) {
        let high = |slot: Slot| Slot(slot.0 + 1);
        match opcode {
            Opcode::Trunc if to.is_wide() => {
                self.emit(Inst::Move { dst, src: a });
                self.emit(Inst::Trunc { w: to.width() - 64, dst: high(dst), a: high(a) });
            }
            Opcode::Trunc if to.width() == 64 => self.emit(Inst::Move { dst, src: a }),
            Opcode::Trunc => self.emit(Inst::Trunc { w: to.width(), dst, a }),
            Opcode::SExt if to.is_wide() => {
                self.emit(Inst::WideSExt { from: from.width(), to: to.width(), dst, a });
            }
            Opcode::SExt => self.emit(Inst::SExt { from: from.width(), to: to.width(), dst, a }),
            _ => {
                self.emit(Inst::Move { dst, src: a });
                if to.is_wide() {
                    let src = if from.is_wide() { high(a) } else { self.slots.constant(0) };
                    self.emit(Inst::Move { dst: high(dst), src });
                }
            }
        }
    }

    pub fn float_cast(&mut self, instruction: Value<'m>) -> Result<()> {
        use Opcode::*;
        let source = instruction.operand(0);
        let (from, to) = (self.module.shapes.of(source.ty()), self.module.shapes.of(instruction.ty()));
        let (from, to) = (from.check()?, to.check()?);
        let a = self.operand(source)?;
        let dst = self.define(instruction);
        for (from, to) in from.iter().zip(to) {
            let (dst, a) = (at(dst, to), at(a, from));
            let signed = matches!(instruction.opcode(), FPToSI | SIToFP);
            if to.scalar.is_wide() {
                self.float_to_wide(float(from.scalar)?, signed, to.scalar.width(), dst, a);
                continue;
            }
            if from.scalar.is_wide() {
                self.wide_to_float(float(to.scalar)?, signed, from.scalar.width(), dst, a);
                continue;
            }
            let inst = match instruction.opcode() {
                FPToUI | FPToSI => {
                    let (ty, w) = (float(from.scalar)?, to.scalar.width());
                    Inst::FloatToInt { signed, saturates: false, ty, w, dst, a }
                }
                UIToFP | SIToFP => Inst::IntToFloat { signed, ty: float(to.scalar)?, w: from.scalar.width(), dst, a },
                _ => Inst::FCast { ty: float(to.scalar)?, dst, a },
            };
            self.emit(inst);
        }
        Ok(())
    }

    /// Pointers are integers of 64 bits to us.
    pub fn pointer_cast(&mut self, instruction: Value<'m>) -> Result<()> {
        let source = instruction.operand(0);
        let (from, to) = (self.module.shapes.of(source.ty()), self.module.shapes.of(instruction.ty()));
        let (from, to) = (from.check()?, to.check()?);
        if from.iter().zip(to).all(|(from, to)| from.scalar.width() == 64 && to.scalar.width() == 64) {
            return self.alias(instruction, source, 0);
        }
        let a = self.operand(source)?;
        let dst = self.define(instruction);
        for (from, to) in from.iter().zip(to) {
            let opcode = if to.scalar.width() < from.scalar.width() { Opcode::Trunc } else { Opcode::ZExt };
            self.resize(opcode, from.scalar, to.scalar, at(dst, to), at(a, from));
        }
        Ok(())
    }

    pub fn bit_cast(&mut self, instruction: Value<'m>) -> Result<()> {
        let source = instruction.operand(0);
        let (from, to) = (self.module.shapes.of(source.ty()), self.module.shapes.of(instruction.ty()));
        from.check()?;
        to.check()?;
        let (from, to) = (pieces(&from), pieces(&to));
        if from == to {
            return self.alias(instruction, source, 0);
        }
        if from.iter().sum::<u32>() != to.iter().sum::<u32>() {
            return Err(Unsupported("bitcast between different sizes".into()));
        }
        let a = self.operand(source)?;
        let dst = self.define(instruction);
        self.repack(&from, a, &to, dst);
        Ok(())
    }

    /// Writes the bits of slots that hold `from` bits each into slots that hold `to` bits each.
    pub fn repack(&mut self, from: &[u32], a: Slot, to: &[u32], dst: Slot) {
        let mut to_start = 0;
        for (to_index, &to_bits) in to.iter().enumerate() {
            let dst = Slot(dst.0 + to_index as u32);
            let mut filled = false;
            let mut from_start = 0;
            for (from_index, &from_bits) in from.iter().enumerate() {
                if from_start < to_start + to_bits && to_start < from_start + from_bits {
                    let part = self.piece(Slot(a.0 + from_index as u32), from_start, from_bits, to_start, to_bits);
                    if filled {
                        self.emit(Inst::Or { dst, a: dst, b: part });
                    } else {
                        self.emit(Inst::Move { dst, src: part });
                        filled = true;
                    }
                }
                from_start += from_bits;
            }
            to_start += to_bits;
        }
    }

    /// The bits of a slot that fall into another, at their place there.
    fn piece(&mut self, src: Slot, from_start: u32, from_bits: u32, to_start: u32, to_bits: u32) -> Slot {
        let dst = self.slots.temporary(1);
        let mut current = src;
        if to_start > from_start {
            let b = self.slots.constant(u64::from(to_start - from_start));
            self.emit(Inst::LShr { w: 64, dst, a: current, b });
            current = dst;
        }
        let kept = (from_start + from_bits).min(to_start + to_bits) - from_start.max(to_start);
        if kept < 64 {
            self.emit(Inst::Trunc { w: kept as u8, dst, a: current });
            current = dst;
        }
        if from_start > to_start {
            let b = self.slots.constant(u64::from(from_start - to_start));
            self.emit(Inst::Shl { w: 64, dst, a: current, b });
            current = dst;
        }
        current
    }
}

/// How many bits each slot of a value holds.
pub fn pieces(shape: &Shape) -> Vec<u32> {
    let mut pieces = Vec::with_capacity(shape.n_slots as usize);
    for part in &shape.parts {
        let width = u32::from(part.scalar.width());
        pieces.push(width.min(64));
        if part.scalar.is_wide() {
            pieces.push(width - 64);
        }
    }
    pieces
}
