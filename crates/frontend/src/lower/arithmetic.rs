//! Arithmetic, comparisons and selections, element by element for vectors.

use super::function::FunctionLowering;
use super::types::{Part, Scalar};
use super::{Result, Unsupported};
use crate::ffi::{Opcode, TypeKind, Value};
use gordian_ir::{CheckedOp, DivOp, FBinOp, FPred, FUnOp, Float, Inst, Pred, Slot, WideOp};

/// The slot of a part of a value.
pub fn at(first: Slot, part: &Part) -> Slot {
    Slot(first.0 + part.slot)
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Destination and operands of an instruction whose operands are of the type of its result.
    fn operands_like_result(&mut self, instruction: Value<'m>) -> Result<(Slot, Slot, Slot)> {
        let (a, b) = (self.operand(instruction.operand(0))?, self.operand(instruction.operand(1))?);
        Ok((self.define(instruction), a, b))
    }

    pub fn binary(&mut self, instruction: Value<'m>) -> Result<()> {
        let shape = self.module.shapes.of(instruction.ty());
        let parts = shape.check()?;
        let checked = self.module.options.check_overflow && instruction.has_nsw();
        let shifts = matches!(instruction.opcode(), Opcode::Shl | Opcode::LShr | Opcode::AShr);
        let by = instruction.operand(1).const_integer();
        let may_shift_too_far = |w: u8| shifts && by.is_none_or(|by| by >= u64::from(w));
        let (dst, a, b) = self.operands_like_result(instruction)?;
        for part in parts {
            let (dst, a, b) = (at(dst, part), at(a, part), at(b, part));
            let w = part.scalar.width();
            if self.module.check_shifts && may_shift_too_far(w) {
                self.emit(Inst::CheckShift { w, by: b });
            }
            let inst = if part.scalar.is_wide() {
                Inst::WideBin { op: wide_op(instruction.opcode())?, w, dst, a, b }
            } else {
                match checked_op(instruction.opcode()) {
                    Some(op) if checked => Inst::Checked { op, w, dst, a, b },
                    _ => narrow(instruction.opcode(), w, dst, a, b)?,
                }
            };
            self.emit(inst);
        }
        Ok(())
    }

    pub fn float_binary(&mut self, instruction: Value<'m>) -> Result<()> {
        let op = match instruction.opcode() {
            Opcode::FAdd => FBinOp::Add,
            Opcode::FSub => FBinOp::Sub,
            Opcode::FMul => FBinOp::Mul,
            Opcode::FDiv => FBinOp::Div,
            _ => FBinOp::Rem,
        };
        let shape = self.module.shapes.of(instruction.ty());
        let parts = shape.check()?;
        let (dst, a, b) = self.operands_like_result(instruction)?;
        for part in parts {
            let ty = float(part.scalar)?;
            self.emit(Inst::FBin { op, ty, dst: at(dst, part), a: at(a, part), b: at(b, part) });
        }
        Ok(())
    }

    pub fn float_negate(&mut self, instruction: Value<'m>) -> Result<()> {
        self.float_unary(instruction, instruction.operand(0), FUnOp::Neg)
    }

    pub fn float_unary(&mut self, instruction: Value<'m>, operand: Value<'m>, op: FUnOp) -> Result<()> {
        let shape = self.module.shapes.of(instruction.ty());
        let parts = shape.check()?;
        let a = self.operand(operand)?;
        let dst = self.define(instruction);
        for part in parts {
            self.emit(Inst::FUn { op, ty: float(part.scalar)?, dst: at(dst, part), a: at(a, part) });
        }
        Ok(())
    }

    pub fn int_compare(&mut self, instruction: Value<'m>) -> Result<()> {
        let (pred, swapped) = int_predicate(instruction.int_predicate())?;
        let shape = self.module.shapes.of(instruction.operand(0).ty());
        let parts = shape.check()?;
        let (dst, mut a, mut b) = self.operands_like_result(instruction)?;
        if swapped {
            std::mem::swap(&mut a, &mut b);
        }
        for (lane, part) in parts.iter().enumerate() {
            let dst = Slot(dst.0 + lane as u32);
            self.emit(compare(pred, part.scalar, dst, at(a, part), at(b, part)));
        }
        Ok(())
    }

    pub fn float_compare(&mut self, instruction: Value<'m>) -> Result<()> {
        // LLVM numbers its predicates by the same bits.
        let pred = FPred(instruction.float_predicate() as u8 & 15);
        let shape = self.module.shapes.of(instruction.operand(0).ty());
        let parts = shape.check()?;
        let (dst, a, b) = self.operands_like_result(instruction)?;
        for (lane, part) in parts.iter().enumerate() {
            let dst = Slot(dst.0 + lane as u32);
            self.emit(Inst::FCmp { pred, ty: float(part.scalar)?, dst, a: at(a, part), b: at(b, part) });
        }
        Ok(())
    }

    pub fn select(&mut self, instruction: Value<'m>) -> Result<()> {
        let condition = instruction.operand(0);
        let by_lane = condition.ty().kind() == TypeKind::Vector;
        let shape = self.module.shapes.of(instruction.ty());
        let parts = shape.check()?;
        let cond = self.operand(condition)?;
        let (a, b) = (self.operand(instruction.operand(1))?, self.operand(instruction.operand(2))?);
        let dst = self.define(instruction);
        for (lane, part) in parts.iter().enumerate() {
            let cond = Slot(cond.0 + if by_lane { lane as u32 } else { 0 });
            for half in 0..part.scalar.n_slots() {
                let place = |first: Slot| Slot(first.0 + part.slot + half);
                self.emit(Inst::Select { dst: place(dst), cond, a: place(a), b: place(b) });
            }
        }
        Ok(())
    }
}

pub fn float(scalar: Scalar) -> Result<Float> {
    match scalar {
        Scalar::Float(ty) => Ok(ty),
        _ => Err(Unsupported("float arithmetic on integers".into())),
    }
}

/// Our predicate, and whether the operands change places.
pub fn int_predicate(number: u32) -> Result<(Pred, bool)> {
    Ok(match number {
        32 => (Pred::Eq, false),
        33 => (Pred::Ne, false),
        34 => (Pred::Ult, true),
        35 => (Pred::Ule, true),
        36 => (Pred::Ult, false),
        37 => (Pred::Ule, false),
        38 => (Pred::Slt, true),
        39 => (Pred::Sle, true),
        40 => (Pred::Slt, false),
        41 => (Pred::Sle, false),
        _ => return Err(Unsupported("comparison of an unknown kind".into())),
    })
}

pub fn compare(pred: Pred, scalar: Scalar, dst: Slot, a: Slot, b: Slot) -> Inst {
    let w = scalar.width();
    if scalar.is_wide() {
        return Inst::WideCmp { pred, w, dst, a, b };
    }
    match pred {
        Pred::Eq => Inst::CmpEq { dst, a, b },
        Pred::Ne => Inst::CmpNe { dst, a, b },
        Pred::Ult => Inst::CmpUlt { dst, a, b },
        Pred::Ule => Inst::CmpUle { dst, a, b },
        Pred::Slt => Inst::CmpSlt { w, dst, a, b },
        Pred::Sle => Inst::CmpSle { w, dst, a, b },
    }
}

fn checked_op(opcode: Opcode) -> Option<CheckedOp> {
    match opcode {
        Opcode::Add => Some(CheckedOp::Add),
        Opcode::Sub => Some(CheckedOp::Sub),
        Opcode::Mul => Some(CheckedOp::Mul),
        Opcode::Shl => Some(CheckedOp::Shl),
        _ => None,
    }
}

pub fn narrow(opcode: Opcode, w: u8, dst: Slot, a: Slot, b: Slot) -> Result<Inst> {
    let div = |op| Inst::Div { op, w, dst, a, b };
    Ok(match opcode {
        Opcode::Add => Inst::Add { w, dst, a, b },
        Opcode::Sub => Inst::Sub { w, dst, a, b },
        Opcode::Mul => Inst::Mul { w, dst, a, b },
        Opcode::And => Inst::And { dst, a, b },
        Opcode::Or => Inst::Or { dst, a, b },
        Opcode::Xor => Inst::Xor { dst, a, b },
        Opcode::Shl => Inst::Shl { w, dst, a, b },
        Opcode::LShr => Inst::LShr { w, dst, a, b },
        Opcode::AShr => Inst::AShr { w, dst, a, b },
        Opcode::UDiv => div(DivOp::Udiv),
        Opcode::SDiv => div(DivOp::Sdiv),
        Opcode::URem => div(DivOp::Urem),
        Opcode::SRem => div(DivOp::Srem),
        other => return Err(Unsupported(format!("{other:?} on integers"))),
    })
}

pub fn wide_op(opcode: Opcode) -> Result<WideOp> {
    Ok(match opcode {
        Opcode::Add => WideOp::Add,
        Opcode::Sub => WideOp::Sub,
        Opcode::Mul => WideOp::Mul,
        Opcode::And => WideOp::And,
        Opcode::Or => WideOp::Or,
        Opcode::Xor => WideOp::Xor,
        Opcode::Shl => WideOp::Shl,
        Opcode::LShr => WideOp::LShr,
        Opcode::AShr => WideOp::AShr,
        Opcode::UDiv => WideOp::Udiv,
        Opcode::SDiv => WideOp::Sdiv,
        Opcode::URem => WideOp::Urem,
        Opcode::SRem => WideOp::Srem,
        other => return Err(Unsupported(format!("{other:?} on integers of more than 64 bits"))),
    })
}
