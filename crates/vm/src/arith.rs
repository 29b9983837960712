//! Integer arithmetic that is not worth a place in the dispatch loop: wide integers, overflow, bit tricks.

use crate::fault::Fault;
use crate::float;
use gordian_ir::{BitsOp, CheckedOp, DivOp, Float, MinMaxOp, Pred, RmwOp, WideOp};

#[inline]
pub fn mask(w: u8) -> u64 {
    u64::MAX >> (64 - u32::from(w))
}

/// The value of the `w`-bit integer `a`, sign-extended to 64 bits.
#[inline]
pub fn sext(w: u8, a: u64) -> i64 {
    let shift = 64 - u32::from(w);
    ((a << shift) as i64) >> shift
}

pub fn wide_mask(w: u8) -> u128 {
    u128::MAX >> (128 - u32::from(w))
}

pub fn wide_sext(w: u8, a: u128) -> i128 {
    let shift = 128 - u32::from(w);
    ((a << shift) as i128) >> shift
}

pub fn divide(op: DivOp, w: u8, a: u64, b: u64) -> Result<u64, Fault> {
    if b == 0 {
        return Err(Fault::DivisionByZero);
    }
    let (sa, sb) = (sext(w, a), sext(w, b));
    let result = match op {
        DivOp::Udiv => a / b,
        DivOp::Urem => a % b,
        DivOp::Sdiv | DivOp::Srem if sb == -1 && sa == i64::MIN >> (64 - u32::from(w)) => {
            return Err(Fault::Overflow(format!("{sa} divided by -1 does not fit in {w} bits")));
        }
        DivOp::Sdiv => (sa / sb) as u64,
        DivOp::Srem => (sa % sb) as u64,
    };
    Ok(result & mask(w))
}

/// The exact result, the result wrapped to `w` bits, and whether they differ.
pub fn overflowing(op: CheckedOp, signed: bool, w: u8, a: u64, b: u64) -> (i128, u64, bool) {
    let value = |x: u64| if signed { i128::from(sext(w, x)) } else { i128::from(x) };
    let (x, y) = (value(a), value(b));
    let exact = match op {
        CheckedOp::Add => x + y,
        CheckedOp::Sub => x - y,
        // Two 64-bit factors can leave 127 bits when both are unsigned; the result then is surely too large.
        CheckedOp::Mul => x.checked_mul(y).unwrap_or(i128::MAX),
        CheckedOp::Shl => {
            if b >= u64::from(w) {
                return (i128::MAX, 0, true);
            }
            x << b
        }
    };
    let wrapped = match op {
        CheckedOp::Mul => a.wrapping_mul(b) & mask(w),
        _ => exact as u64 & mask(w),
    };
    (exact, wrapped, value(wrapped) != exact)
}

pub fn checked(op: CheckedOp, w: u8, a: u64, b: u64) -> Result<u64, Fault> {
    let (_, wrapped, overflow) = overflowing(op, true, w, a, b);
    if !overflow {
        return Ok(wrapped);
    }
    let sign = match op {
        CheckedOp::Add => "+",
        CheckedOp::Sub => "-",
        CheckedOp::Mul => "*",
        CheckedOp::Shl => "<<",
    };
    let (x, y) = (sext(w, a), sext(w, b));
    Err(Fault::Overflow(format!("signed overflow: {x} {sign} {y} does not fit in {w} bits")))
}

pub fn saturating(op: CheckedOp, signed: bool, w: u8, a: u64, b: u64) -> u64 {
    let (exact, wrapped, overflow) = overflowing(op, signed, w, a, b);
    if !overflow {
        return wrapped;
    }
    let negative = match op {
        CheckedOp::Shl | CheckedOp::Mul if signed => sext(w, a) < 0,
        _ => exact < 0,
    };
    match (signed, negative) {
        (true, true) => 1 << (w - 1),
        (true, false) => mask(w - 1),
        (false, true) => 0,
        (false, false) => mask(w),
    }
}

pub fn min_max(op: MinMaxOp, w: u8, a: u64, b: u64) -> u64 {
    let first = match op {
        MinMaxOp::Smax => sext(w, a) >= sext(w, b),
        MinMaxOp::Smin => sext(w, a) <= sext(w, b),
        MinMaxOp::Umax => a >= b,
        MinMaxOp::Umin => a <= b,
    };
    if first { a } else { b }
}

pub fn bits(op: BitsOp, w: u8, a: u64) -> u64 {
    let unused = 64 - u32::from(w);
    match op {
        BitsOp::PopCount => u64::from(a.count_ones()),
        BitsOp::LeadingZeros => u64::from(a.leading_zeros() - unused),
        BitsOp::TrailingZeros => u64::from(a.trailing_zeros().min(u32::from(w))),
        BitsOp::ByteSwap => a.swap_bytes() >> unused,
        BitsOp::BitReverse => a.reverse_bits() >> unused,
        BitsOp::Abs => sext(w, a).unsigned_abs() & mask(w),
    }
}

pub fn wide_bits(op: BitsOp, w: u8, a: u128) -> u128 {
    let unused = 128 - u32::from(w);
    match op {
        BitsOp::PopCount => u128::from(a.count_ones()),
        BitsOp::LeadingZeros => u128::from(a.leading_zeros() - unused),
        BitsOp::TrailingZeros => u128::from(a.trailing_zeros().min(u32::from(w))),
        BitsOp::ByteSwap => a.swap_bytes() >> unused,
        BitsOp::BitReverse => a.reverse_bits() >> unused,
        BitsOp::Abs => wide_sext(w, a).unsigned_abs() & wide_mask(w),
    }
}

pub fn funnel_shift(left: bool, w: u8, a: u64, b: u64, by: u64) -> u64 {
    let by = (by % u64::from(w)) as u32;
    let joined = (u128::from(a) << w) | u128::from(b);
    let result = if left { joined >> (u32::from(w) - by) } else { joined >> by };
    result as u64 & mask(w)
}

#[inline]
pub fn compare(pred: Pred, w: u8, a: u64, b: u64) -> bool {
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Slt => sext(w, a) < sext(w, b),
        Pred::Sle => sext(w, a) <= sext(w, b),
    }
}

pub fn wide_compare(pred: Pred, w: u8, a: u128, b: u128) -> bool {
    match pred {
        Pred::Eq => a == b,
        Pred::Ne => a != b,
        Pred::Ult => a < b,
        Pred::Ule => a <= b,
        Pred::Slt => wide_sext(w, a) < wide_sext(w, b),
        Pred::Sle => wide_sext(w, a) <= wide_sext(w, b),
    }
}

pub fn wide(op: WideOp, w: u8, a: u128, b: u128) -> Result<u128, Fault> {
    let divides = matches!(op, WideOp::Udiv | WideOp::Sdiv | WideOp::Urem | WideOp::Srem);
    if divides && b == 0 {
        return Err(Fault::DivisionByZero);
    }
    let (sa, sb) = (wide_sext(w, a), wide_sext(w, b));
    if matches!(op, WideOp::Sdiv | WideOp::Srem) && sb == -1 && sa == i128::MIN >> (128 - u32::from(w)) {
        return Err(Fault::Overflow(format!("{sa} divided by -1 does not fit in {w} bits")));
    }
    let by = (b as u32).min(127);
    let too_far = b >= u128::from(w);
    let result = match op {
        WideOp::Add => a.wrapping_add(b),
        WideOp::Sub => a.wrapping_sub(b),
        WideOp::Mul => a.wrapping_mul(b),
        WideOp::Udiv => a / b,
        WideOp::Urem => a % b,
        WideOp::Sdiv => sa.wrapping_div(sb) as u128,
        WideOp::Srem => sa.wrapping_rem(sb) as u128,
        WideOp::And => a & b,
        WideOp::Or => a | b,
        WideOp::Xor => a ^ b,
        WideOp::Shl if too_far => 0,
        WideOp::Shl => a << by,
        WideOp::LShr if too_far => 0,
        WideOp::LShr => a >> by,
        WideOp::AShr if too_far => (sa >> 127) as u128,
        WideOp::AShr => (sa >> by) as u128,
        WideOp::Smax => sa.max(sb) as u128,
        WideOp::Smin => sa.min(sb) as u128,
        WideOp::Umax => a.max(b),
        WideOp::Umin => a.min(b),
    };
    Ok(result & wide_mask(w))
}

pub fn wide_overflowing(op: CheckedOp, signed: bool, w: u8, a: u128, b: u128) -> (u128, bool) {
    let mask = wide_mask(w);
    if signed {
        let (x, y) = (wide_sext(w, a), wide_sext(w, b));
        let (result, overflow) = match op {
            CheckedOp::Add => x.overflowing_add(y),
            CheckedOp::Sub => x.overflowing_sub(y),
            CheckedOp::Mul => x.overflowing_mul(y),
            CheckedOp::Shl => (x << (y & 127), false),
        };
        let wrapped = result as u128 & mask;
        (wrapped, overflow || wide_sext(w, wrapped) != result)
    } else {
        let (result, overflow) = match op {
            CheckedOp::Add => a.overflowing_add(b),
            CheckedOp::Sub => a.overflowing_sub(b),
            CheckedOp::Mul => a.overflowing_mul(b),
            CheckedOp::Shl => (a << (b & 127), false),
        };
        (result & mask, overflow || result & mask != result)
    }
}

/// What an atomic read-modify-write of `w` bits writes.
pub fn rmw(op: RmwOp, w: u8, old: u128, operand: u128) -> u128 {
    let float = |f: fn(f64, f64) -> f64| {
        let ty = if w == 32 { Float::F32 } else { Float::F64 };
        u128::from(float::from_f64(ty, f(float::to_f64(ty, old as u64), float::to_f64(ty, operand as u64))))
    };
    let signed = |x: u128| wide_sext(w, x);
    let result = match op {
        RmwOp::Xchg => operand,
        RmwOp::Add => old.wrapping_add(operand),
        RmwOp::Sub => old.wrapping_sub(operand),
        RmwOp::And => old & operand,
        RmwOp::Nand => !(old & operand),
        RmwOp::Or => old | operand,
        RmwOp::Xor => old ^ operand,
        RmwOp::Max => {
            if signed(old) >= signed(operand) {
                old
            } else {
                operand
            }
        }
        RmwOp::Min => {
            if signed(old) <= signed(operand) {
                old
            } else {
                operand
            }
        }
        RmwOp::Umax => old.max(operand),
        RmwOp::Umin => old.min(operand),
        RmwOp::FAdd => float(|a, b| a + b),
        RmwOp::FSub => float(|a, b| a - b),
        RmwOp::FMax => float(f64::max),
        RmwOp::FMin => float(f64::min),
        RmwOp::UincWrap => {
            if old >= operand {
                0
            } else {
                old + 1
            }
        }
        RmwOp::UdecWrap => {
            if old == 0 || old > operand {
                operand
            } else {
                old - 1
            }
        }
        RmwOp::UsubCond => {
            if old >= operand {
                old - operand
            } else {
                old
            }
        }
        RmwOp::UsubSat => old.saturating_sub(operand),
    };
    result & wide_mask(w)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_overflow_is_told_by_width() {
        assert!(checked(CheckedOp::Add, 32, 0x7fff_ffff, 1).is_err());
        assert_eq!(checked(CheckedOp::Add, 33, 0x7fff_ffff, 1).unwrap(), 0x8000_0000);
        assert!(checked(CheckedOp::Mul, 64, 1 << 62, 2).is_err());
        assert_eq!(overflowing(CheckedOp::Mul, false, 64, u64::MAX, u64::MAX), (i128::MAX, 1, true));
    }

    #[test]
    fn saturation_goes_to_the_nearer_end() {
        assert_eq!(saturating(CheckedOp::Sub, true, 8, 0x80, 1), 0x80);
        assert_eq!(saturating(CheckedOp::Add, true, 8, 0x7f, 1), 0x7f);
        assert_eq!(saturating(CheckedOp::Sub, false, 8, 3, 5), 0);
        assert_eq!(saturating(CheckedOp::Add, false, 8, 250, 10), 255);
    }

    #[test]
    fn division_of_the_least_number_by_minus_one_is_no_panic() {
        assert!(divide(DivOp::Sdiv, 64, 1 << 63, u64::MAX).is_err());
        assert!(divide(DivOp::Srem, 8, 0x80, 0xff).is_err());
        assert_eq!(divide(DivOp::Sdiv, 8, 0xf9, 2).unwrap(), 0xfd);
    }

    #[test]
    fn funnel_shifts_rotate() {
        assert_eq!(funnel_shift(true, 8, 0x81, 0x81, 1), 0x03);
        assert_eq!(funnel_shift(false, 32, 1, 1, 1), 0x8000_0000);
        assert_eq!(funnel_shift(true, 64, 5, 9, 64), 5);
    }
}
