//! What the operations mean, on numbers.

use crate::term::{Binary, Unary};

/// All ones at `width`.
#[inline]
pub const fn mask(width: u32) -> u128 {
    if width >= 128 { u128::MAX } else { (1 << width) - 1 }
}

/// `value` of `width` bits as a signed number.
#[inline]
pub const fn sign_extend(value: u128, width: u32) -> i128 {
    let unused = 128 - width;
    ((value << unused) as i128) >> unused
}

/// The value of an operation on a vector of `width` bits.
#[inline]
pub fn apply_unary(op: Unary, width: u32, a: u128) -> u128 {
    match op {
        Unary::Not => !a & mask(width),
        // Counts fit: a width is always less than two to its power.
        Unary::Ctpop => u128::from(a.count_ones()),
        Unary::Ctlz => u128::from(a.leading_zeros() - (128 - width)),
        Unary::Cttz => u128::from(a.trailing_zeros().min(width)),
    }
}

/// The value of an operation on two vectors of `width` bits. The low part of a concatenation has `low_width` bits.
#[inline]
pub fn apply_binary(op: Binary, width: u32, low_width: u32, a: u128, b: u128) -> u128 {
    let signed = |value| sign_extend(value, width);
    let result = match op {
        Binary::Add => a.wrapping_add(b),
        Binary::Mul => a.wrapping_mul(b),
        Binary::Udiv => a.checked_div(b).unwrap_or(u128::MAX),
        Binary::Urem => a.checked_rem(b).unwrap_or(a),
        Binary::Sdiv if b == 0 => {
            if signed(a) < 0 {
                1
            } else {
                u128::MAX
            }
        }
        Binary::Sdiv => signed(a).wrapping_div(signed(b)) as u128,
        Binary::Srem if b == 0 => a,
        Binary::Srem => signed(a).wrapping_rem(signed(b)) as u128,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => {
            if b >= u128::from(width) {
                0
            } else {
                a << b
            }
        }
        Binary::Lshr => {
            if b >= u128::from(width) {
                0
            } else {
                a >> b
            }
        }
        Binary::Ashr => (signed(a) >> b.min(u128::from(width - 1))) as u128,
        Binary::Concat => return (a << low_width) | b,
        Binary::Eq => return u128::from(a == b),
        Binary::Ult => return u128::from(a < b),
        Binary::Ule => return u128::from(a <= b),
        Binary::Slt => return u128::from(signed(a) < signed(b)),
        Binary::Sle => return u128::from(signed(a) <= signed(b)),
        Binary::UmulOverflow => return u128::from(a.checked_mul(b).is_none_or(|product| product > mask(width))),
        Binary::SmulOverflow => {
            let product = signed(a).checked_mul(signed(b));
            return u128::from(product.is_none_or(|product| sign_extend(product as u128, width) != product));
        }
    };
    result & mask(width)
}
