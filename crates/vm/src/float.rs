//! Floating-point arithmetic on the bits that registers hold.

use crate::arith::{wide_mask, wide_sext};
use gordian_ir::{FBinOp, FPred, FUnOp, Float};

/// The operations of one width. Both widths have the same methods, and the same libm behind them.
macro_rules! operations {
    ($binary:ident, $unary:ident, $float:ident) => {
        fn $binary(op: FBinOp, a: $float, b: $float, exponent: i32) -> $float {
            let either_nan = a.is_nan() || b.is_nan();
            match op {
                FBinOp::Add => a + b,
                FBinOp::Sub => a - b,
                FBinOp::Mul => a * b,
                FBinOp::Div => a / b,
                FBinOp::Rem => a % b,
                FBinOp::Pow => a.powf(b),
                FBinOp::Powi => a.powi(exponent),
                FBinOp::Min => a.min(b),
                FBinOp::Max => a.max(b),
                FBinOp::Minimum | FBinOp::Maximum if either_nan => $float::NAN,
                FBinOp::Minimum => a.min(b),
                FBinOp::Maximum => a.max(b),
                FBinOp::CopySign => a.copysign(b),
                FBinOp::Atan2 => a.atan2(b),
                FBinOp::Ldexp => ldexp(f64::from(a), exponent) as $float,
            }
        }

        fn $unary(op: FUnOp, x: $float) -> $float {
            match op {
                FUnOp::Neg => -x,
                FUnOp::Abs => x.abs(),
                FUnOp::Sqrt => x.sqrt(),
                FUnOp::Floor => x.floor(),
                FUnOp::Ceil => x.ceil(),
                FUnOp::Trunc => x.trunc(),
                FUnOp::Rint => x.round_ties_even(),
                FUnOp::Round => x.round(),
                FUnOp::Sin => x.sin(),
                FUnOp::Cos => x.cos(),
                FUnOp::Tan => x.tan(),
                FUnOp::Asin => x.asin(),
                FUnOp::Acos => x.acos(),
                FUnOp::Atan => x.atan(),
                FUnOp::Sinh => x.sinh(),
                FUnOp::Cosh => x.cosh(),
                FUnOp::Tanh => x.tanh(),
                FUnOp::Exp => x.exp(),
                FUnOp::Exp2 => x.exp2(),
                FUnOp::Exp10 => 10f64.powf(f64::from(x)) as $float,
                FUnOp::Log => x.ln(),
                FUnOp::Log2 => x.log2(),
                FUnOp::Log10 => x.log10(),
            }
        }
    };
}

operations!(binary64, unary64, f64);
operations!(binary32, unary32, f32);

pub fn binary(op: FBinOp, ty: Float, a: u64, b: u64) -> u64 {
    let exponent = b as u32 as i32;
    match ty {
        Float::F64 => binary64(op, f64::from_bits(a), f64::from_bits(b), exponent).to_bits(),
        Float::F32 => u64::from(binary32(op, f32::from_bits(a as u32), f32::from_bits(b as u32), exponent).to_bits()),
    }
}

pub fn unary(op: FUnOp, ty: Float, a: u64) -> u64 {
    match ty {
        Float::F64 => unary64(op, f64::from_bits(a)).to_bits(),
        Float::F32 => u64::from(unary32(op, f32::from_bits(a as u32)).to_bits()),
    }
}

/// `x * 2^exponent` in steps, so that a huge exponent does not overflow early.
fn ldexp(x: f64, exponent: i32) -> f64 {
    let mut left = exponent.clamp(-4000, 4000);
    let mut value = x;
    while left.abs() > 1000 {
        let step = 1000 * left.signum();
        value *= 2f64.powi(step);
        left -= step;
    }
    value * 2f64.powi(left)
}

pub fn to_f64(ty: Float, a: u64) -> f64 {
    match ty {
        Float::F64 => f64::from_bits(a),
        Float::F32 => f64::from(f32::from_bits(a as u32)),
    }
}

pub fn from_f64(ty: Float, x: f64) -> u64 {
    match ty {
        Float::F64 => x.to_bits(),
        Float::F32 => u64::from((x as f32).to_bits()),
    }
}

pub fn fma(ty: Float, a: u64, b: u64, c: u64) -> u64 {
    match ty {
        Float::F64 => f64::from_bits(a).mul_add(f64::from_bits(b), f64::from_bits(c)).to_bits(),
        Float::F32 => {
            let of = |x: u64| f32::from_bits(x as u32);
            u64::from(of(a).mul_add(of(b), of(c)).to_bits())
        }
    }
}

pub fn compare(pred: FPred, ty: Float, a: u64, b: u64) -> bool {
    let bit = match to_f64(ty, a).partial_cmp(&to_f64(ty, b)) {
        Some(std::cmp::Ordering::Equal) => FPred::EQUAL,
        Some(std::cmp::Ordering::Greater) => FPred::GREATER,
        Some(std::cmp::Ordering::Less) => FPred::LESS,
        None => FPred::UNORDERED,
    };
    pred.0 & bit != 0
}

/// LLVM's `is.fpclass`: bits 0 to 9 are signalling NaN, quiet NaN, -inf, -normal, -subnormal, -0, +0,
/// +subnormal, +normal, +inf.
pub fn class(ty: Float, mask: u16, a: u64) -> bool {
    use std::num::FpCategory::*;
    let (category, negative, quiet) = match ty {
        Float::F64 => (f64::from_bits(a).classify(), a >> 63 != 0, a >> 51 & 1 != 0),
        Float::F32 => (f32::from_bits(a as u32).classify(), a >> 31 & 1 != 0, a >> 22 & 1 != 0),
    };
    let bit = match (category, negative) {
        (Nan, _) if quiet => 1,
        (Nan, _) => 0,
        (Infinite, true) => 2,
        (Normal, true) => 3,
        (Subnormal, true) => 4,
        (Zero, true) => 5,
        (Zero, false) => 6,
        (Subnormal, false) => 7,
        (Normal, false) => 8,
        (Infinite, false) => 9,
    };
    mask >> bit & 1 != 0
}

/// Rust's saturating casts; within the range they are C's.
/// As compilers for x86-64 convert: there is one instruction, to signed integers of 32 or 64 bits, which gives the
/// least integer where the number does not fit. Smaller integers are the low bits of 32, and unsigned ones of 32 bits
/// those of 64.
pub fn to_int(signed: bool, ty: Float, w: u8, a: u64) -> u128 {
    let x = to_f64(ty, a);
    let to_32 = |x: f64| if x > -2_147_483_649.0 && x < 2_147_483_648.0 { x as i32 } else { i32::MIN };
    let to_64 = |x: f64| if (-TWO_TO_63..TWO_TO_63).contains(&x) { x as i64 } else { i64::MIN };
    let bits = match (signed, w) {
        (_, 65..) => return to_int_saturating(signed, ty, w, a),
        (true, ..=32) | (false, ..32) => to_32(x) as u64,
        (true, _) | (false, 32) => to_64(x) as u64,
        // The upper half of the numbers is brought into range first, and chosen by the sign of the lower.
        (false, _) => {
            let low = to_64(x);
            (low | to_64(x - TWO_TO_63) & (low >> 63)) as u64
        }
    };
    u128::from(bits) & wide_mask(w)
}

const TWO_TO_63: f64 = 9_223_372_036_854_775_808.0;

pub fn to_int_saturating(signed: bool, ty: Float, w: u8, a: u64) -> u128 {
    let x = to_f64(ty, a);
    if signed {
        let limit = wide_mask(w) >> 1;
        let value = (x as i128).clamp(-(limit as i128) - 1, limit as i128);
        value as u128 & wide_mask(w)
    } else {
        (x as u128).min(wide_mask(w))
    }
}

pub fn from_int(signed: bool, ty: Float, w: u8, a: u128) -> u64 {
    match (ty, signed) {
        (Float::F64, true) => (wide_sext(w, a) as f64).to_bits(),
        (Float::F64, false) => (a as f64).to_bits(),
        (Float::F32, true) => u64::from((wide_sext(w, a) as f32).to_bits()),
        (Float::F32, false) => u64::from((a as f32).to_bits()),
    }
}
