//! Conversions between floats and integers of more than 64 bits, and functions that take floats apart:
//! our instructions have none of these, but they come down to shifts.

use super::arithmetic::float;
use super::function::FunctionLowering;
use super::types::Scalar;
use super::{Result, Unsupported};
use crate::ffi::Value;
use gordian_ir::{BitsOp, FBinOp, FUnOp, Float, Inst, Pred, Slot, WideOp};

/// Bits of a mantissa and of an exponent as they stand in memory.
fn format(ty: Float) -> (u32, u32) {
    match ty {
        Float::F32 => (23, 8),
        Float::F64 => (52, 11),
    }
}

/// Masks of `llvm.is.fpclass`.
mod class {
    pub const INFINITE: u16 = 0x204;
    pub const SUBNORMAL: u16 = 0x90;
    pub const ZERO_INFINITE_NAN: u16 = 0x267;
}

impl<'m> FunctionLowering<'_, 'm> {
    fn constant(&mut self, value: u64) -> Slot {
        self.slots.constant(value)
    }

    /// Emits an instruction with one result, in a temporary.
    fn compute(&mut self, build: impl FnOnce(Slot) -> Inst) -> Slot {
        let dst = self.slots.temporary(1);
        self.emit(build(dst));
        dst
    }

    fn compute_wide(&mut self, build: impl FnOnce(Slot) -> Inst) -> Slot {
        let dst = self.slots.temporary(2);
        self.emit(build(dst));
        dst
    }

    fn widen(&mut self, low: Slot) -> Slot {
        let (dst, zero) = (self.slots.temporary(2), self.constant(0));
        self.emit(Inst::Move { dst, src: low });
        self.emit(Inst::Move { dst: Slot(dst.0 + 1), src: zero });
        dst
    }

    fn select_wide(&mut self, dst: Slot, cond: Slot, a: Slot, b: Slot) {
        for half in 0..2 {
            let at = |slot: Slot| Slot(slot.0 + half);
            self.emit(Inst::Select { dst: at(dst), cond, a: at(a), b: at(b) });
        }
    }

    /// Out of range is undefined in C, and some number here.
    pub fn float_to_wide(&mut self, ty: Float, signed: bool, w: u8, dst: Slot, a: Slot) {
        let (mantissa_bits, exponent_bits) = format(ty);
        let bias = (1u64 << (exponent_bits - 1)) - 1;
        let (shift, mask) = (self.constant(u64::from(mantissa_bits)), self.constant((1 << exponent_bits) - 1));
        let raised = self.compute(|dst| Inst::LShr { w: 64, dst, a, b: shift });
        let biased = self.compute(|dst| Inst::And { dst, a: raised, b: mask });
        let bias = self.constant(bias);
        let exponent = self.compute(|dst| Inst::Sub { w: 64, dst, a: biased, b: bias });
        let (low, one) = (self.constant((1 << mantissa_bits) - 1), self.constant(1 << mantissa_bits));
        let fraction = self.compute(|dst| Inst::And { dst, a, b: low });
        let mantissa = self.compute(|dst| Inst::Or { dst, a: fraction, b: one });

        // Amounts of shifts stay in range even where the other direction is taken.
        let (seven_bits, six_bits) = (self.constant(127), self.constant(63));
        let by = self.compute(|dst| Inst::Sub { w: 64, dst, a: exponent, b: shift });
        let left_by = self.compute(|dst| Inst::And { dst, a: by, b: seven_bits });
        let left_by = self.widen(left_by);
        let wide = self.widen(mantissa);
        let left = self.compute_wide(|dst| Inst::WideBin { op: WideOp::Shl, w: 128, dst, a: wide, b: left_by });
        let back = self.compute(|dst| Inst::Sub { w: 64, dst, a: shift, b: exponent });
        let right_by = self.compute(|dst| Inst::And { dst, a: back, b: six_bits });
        let right = self.compute(|dst| Inst::LShr { w: 64, dst, a: mantissa, b: right_by });
        let right = self.widen(right);

        let zero = self.constant(0);
        let wide_zero = self.widen(zero);
        let is_small = self.compute(|dst| Inst::CmpSlt { w: 64, dst, a: exponent, b: shift });
        let is_fraction = self.compute(|dst| Inst::CmpSlt { w: 64, dst, a: exponent, b: zero });
        let magnitude = self.slots.temporary(2);
        self.select_wide(magnitude, is_small, right, left);
        self.select_wide(magnitude, is_fraction, wide_zero, magnitude);
        let sign_place = self.constant(u64::from(mantissa_bits + exponent_bits));
        let negative = self.compute(|dst| Inst::LShr { w: 64, dst, a, b: sign_place });
        let below = match signed {
            true => self.compute_wide(|dst| Inst::WideBin { op: WideOp::Sub, w: 128, dst, a: wide_zero, b: magnitude }),
            false => wide_zero,
        };
        self.select_wide(dst, negative, below, magnitude);
        if w < 128 {
            let high = Slot(dst.0 + 1);
            self.emit(Inst::Trunc { w: w - 64, dst: high, a: high });
        }
    }

    /// The upper 64 bits from the first one on, with a last bit that tells whether anything was cut off,
    /// round as the whole number does.
    pub fn wide_to_float(&mut self, ty: Float, signed: bool, w: u8, dst: Slot, a: Slot) {
        let zero = self.constant(0);
        let wide_zero = self.widen(zero);
        let (mut magnitude, mut negative) = (a, zero);
        if signed {
            let wide = self.compute_wide(|dst| Inst::WideSExt { from: w, to: 128, dst, a });
            negative = self.compute(|dst| Inst::WideCmp { pred: Pred::Slt, w: 128, dst, a: wide, b: wide_zero });
            let negated =
                self.compute_wide(|dst| Inst::WideBin { op: WideOp::Sub, w: 128, dst, a: wide_zero, b: wide });
            magnitude = self.slots.temporary(2);
            self.select_wide(magnitude, negative, negated, wide);
        }
        let high = Slot(magnitude.0 + 1);
        let leading = self.compute(|dst| Inst::Bits { op: BitsOp::LeadingZeros, w: 64, dst, a: high });
        let all = self.constant(64);
        // 0 where the upper half is empty: then nothing is cut off.
        let cut = self.compute(|dst| Inst::Sub { w: 64, dst, a: all, b: leading });
        let wide_cut = self.widen(cut);
        let top = self.compute_wide(|dst| Inst::WideBin { op: WideOp::LShr, w: 128, dst, a: magnitude, b: wide_cut });
        let back = self.compute_wide(|dst| Inst::WideBin { op: WideOp::Shl, w: 128, dst, a: top, b: wide_cut });
        let lost = self.compute(|dst| Inst::WideCmp { pred: Pred::Ne, w: 128, dst, a: back, b: magnitude });
        let sticky = self.compute(|dst| Inst::Or { dst, a: top, b: lost });
        let rounded = self.compute(|dst| Inst::IntToFloat { signed: false, ty, w: 64, dst, a: sticky });
        let scaled = self.compute(|dst| Inst::FBin { op: FBinOp::Ldexp, ty, dst, a: rounded, b: cut });
        let minus = self.compute(|dst| Inst::FUn { op: FUnOp::Neg, ty, dst, a: scaled });
        self.emit(Inst::Select { dst, cond: negative, a: minus, b: scaled });
    }

    /// `llvm.modf`: what stands behind the point, and what stands before it.
    pub fn split_at_point(&mut self, call: Value<'m>) -> Result<()> {
        let ty = float(self.module.shapes.of(call.operand(0).ty()).scalar()?)?;
        let a = self.operand(call.operand(0))?;
        let dst = self.define(call);
        let zero = self.constant(0);
        let whole = Slot(dst.0 + 1);
        self.emit(Inst::FUn { op: FUnOp::Trunc, ty, dst: whole, a });
        let rest = self.compute(|dst| Inst::FBin { op: FBinOp::Sub, ty, dst, a, b: whole });
        // Infinity minus infinity is no number, but nothing stands behind its point.
        let infinite = self.compute(|dst| Inst::FClass { ty, mask: class::INFINITE, dst, a });
        let rest = self.compute(|dst| Inst::Select { dst, cond: infinite, a: zero, b: rest });
        self.emit(Inst::FBin { op: FBinOp::CopySign, ty, dst, a: rest, b: a });
        Ok(())
    }

    /// `llvm.frexp`: a number from a half to one, and the power of two that goes with it.
    pub fn split_exponent(&mut self, call: Value<'m>) -> Result<()> {
        let ty = float(self.module.shapes.of(call.operand(0).ty()).scalar()?)?;
        let result = self.module.shapes.of(call.ty());
        let [_, exponent_part] = result.check()? else { return Err(Unsupported("frexp of vectors".into())) };
        let Scalar::Int(w @ 1..=64) = exponent_part.scalar else { return Err(Unsupported("frexp".into())) };
        let a = self.operand(call.operand(0))?;
        let dst = self.define(call);
        let (mantissa_bits, exponent_bits) = format(ty);
        let bias = (1u64 << (exponent_bits - 1)) - 2;
        let field = ((1u64 << exponent_bits) - 1) << mantissa_bits;

        // Subnormal numbers are first brought into the normal range.
        let lift = mantissa_bits + 2;
        let power = self.constant(match ty {
            Float::F32 => u64::from((lift as f32).exp2().to_bits()),
            Float::F64 => f64::from(lift).exp2().to_bits(),
        });
        let is_subnormal = self.compute(|dst| Inst::FClass { ty, mask: class::SUBNORMAL, dst, a });
        let lifted = self.compute(|dst| Inst::FBin { op: FBinOp::Mul, ty, dst, a, b: power });
        let normal = self.compute(|dst| Inst::Select { dst, cond: is_subnormal, a: lifted, b: a });
        let (zero, lift) = (self.constant(0), self.constant(u64::from(lift)));
        let lift = self.compute(|dst| Inst::Select { dst, cond: is_subnormal, a: lift, b: zero });

        let (field_slot, shift) = (self.constant(field), self.constant(u64::from(mantissa_bits)));
        let exponent = self.compute(|dst| Inst::And { dst, a: normal, b: field_slot });
        let exponent = self.compute(|dst| Inst::LShr { w: 64, dst, a: exponent, b: shift });
        let bias_slot = self.constant(bias);
        let exponent = self.compute(|dst| Inst::Sub { w: 64, dst, a: exponent, b: bias_slot });
        let exponent = self.compute(|dst| Inst::Sub { w: 64, dst, a: exponent, b: lift });
        let exponent = self.compute(|dst| Inst::Trunc { w, dst, a: exponent });
        let (others, half) = (self.constant(!field), self.constant(bias << mantissa_bits));
        let fraction = self.compute(|dst| Inst::And { dst, a: normal, b: others });
        let fraction = self.compute(|dst| Inst::Or { dst, a: fraction, b: half });

        let special = self.compute(|dst| Inst::FClass { ty, mask: class::ZERO_INFINITE_NAN, dst, a });
        self.emit(Inst::Select { dst, cond: special, a, b: fraction });
        self.emit(Inst::Select { dst: Slot(dst.0 + 1), cond: special, a: zero, b: exponent });
        Ok(())
    }
}
