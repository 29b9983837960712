//! The operations once more, bit by bit or on big numbers, so that a mistake is not made twice.

pub fn to_bits(value: u128, width: u32) -> Vec<bool> {
    (0..width).map(|bit| value >> bit & 1 == 1).collect()
}

pub fn from_bits(bits: &[bool]) -> u128 {
    bits.iter().rev().fold(0, |value, &bit| value << 1 | u128::from(bit))
}

fn full_add(a: &[bool], b: &[bool], mut carry: bool) -> Vec<bool> {
    let mut sum = Vec::new();
    for (&x, &y) in a.iter().zip(b) {
        sum.push(x ^ y ^ carry);
        carry = (x && y) || (carry && (x || y));
    }
    sum
}

fn negate(a: &[bool]) -> Vec<bool> {
    let flipped: Vec<bool> = a.iter().map(|bit| !bit).collect();
    full_add(&flipped, &vec![false; a.len()], true)
}

pub fn add(a: u128, b: u128, width: u32) -> u128 {
    from_bits(&full_add(&to_bits(a, width), &to_bits(b, width), false))
}

pub fn sub(a: u128, b: u128, width: u32) -> u128 {
    add(a, from_bits(&negate(&to_bits(b, width))), width)
}

/// The product at full length, twice the width.
fn long_product(a: &[bool], b: &[bool]) -> Vec<bool> {
    let n = a.len() + b.len();
    let mut sum = vec![false; n];
    for (shift, &bit) in b.iter().enumerate() {
        if bit {
            let mut row = vec![false; n];
            row[shift..shift + a.len()].copy_from_slice(a);
            sum = full_add(&sum, &row, false);
        }
    }
    sum
}

pub fn mul(a: u128, b: u128, width: u32) -> u128 {
    from_bits(&long_product(&to_bits(a, width), &to_bits(b, width))[..width as usize])
}

pub fn umul_overflow(a: u128, b: u128, width: u32) -> bool {
    long_product(&to_bits(a, width), &to_bits(b, width))[width as usize..].contains(&true)
}

pub fn smul_overflow(a: u128, b: u128, width: u32) -> bool {
    let (negative, a, b) = (negative(a, width) != negative(b, width), magnitude(a, width), magnitude(b, width));
    let product = long_product(&to_bits(a, width), &to_bits(b, width));
    let top = width as usize - 1;
    let fits_positive = !product[top..].contains(&true);
    // The magnitude of the least number.
    let is_least = product[top] && !product[..top].contains(&true) && !product[top + 1..].contains(&true);
    !(fits_positive || negative && is_least)
}

pub fn negative(a: u128, width: u32) -> bool {
    a >> (width - 1) & 1 == 1
}

fn magnitude(a: u128, width: u32) -> u128 {
    if negative(a, width) { sub(0, a, width) } else { a }
}

/// Long division.
fn divide(a: u128, b: u128, width: u32) -> (u128, u128) {
    let (mut quotient, mut remainder) = (0u128, 0u128);
    for bit in (0..width).rev() {
        let carry = remainder >> 127 == 1;
        remainder = remainder << 1 | (a >> bit & 1);
        quotient <<= 1;
        if carry || remainder >= b {
            remainder = remainder.wrapping_sub(b);
            quotient |= 1;
        }
    }
    (quotient & ones(width), remainder)
}

pub fn ones(width: u32) -> u128 {
    from_bits(&vec![true; width as usize])
}

pub fn udiv(a: u128, b: u128, width: u32) -> u128 {
    if b == 0 { ones(width) } else { divide(a, b, width).0 }
}

pub fn urem(a: u128, b: u128, width: u32) -> u128 {
    if b == 0 { a } else { divide(a, b, width).1 }
}

/// As SMT-LIB defines it, by `bvudiv` and `bvneg`.
pub fn sdiv(a: u128, b: u128, width: u32) -> u128 {
    let quotient = udiv(magnitude(a, width), magnitude(b, width), width);
    if negative(a, width) == negative(b, width) { quotient } else { sub(0, quotient, width) }
}

pub fn srem(a: u128, b: u128, width: u32) -> u128 {
    let remainder = urem(magnitude(a, width), magnitude(b, width), width);
    if negative(a, width) { sub(0, remainder, width) } else { remainder }
}

/// Shifts by one place as often as asked for.
pub fn shift(a: u128, amount: u128, width: u32, left: bool, fill: bool) -> u128 {
    let mut bits = to_bits(a, width);
    for _ in 0..amount.min(u128::from(width)) {
        if left {
            bits.insert(0, fill);
            bits.pop();
        } else {
            bits.push(fill);
            bits.remove(0);
        }
    }
    from_bits(&bits)
}

pub fn rotate_left(a: u128, amount: u128, width: u32) -> u128 {
    let mut bits = to_bits(a, width);
    bits.rotate_right((amount % u128::from(width)) as usize);
    from_bits(&bits)
}

pub fn slt(a: u128, b: u128, width: u32) -> bool {
    match (negative(a, width), negative(b, width)) {
        (true, false) => true,
        (false, true) => false,
        _ => a < b,
    }
}

pub fn sext(a: u128, from: u32, to: u32) -> u128 {
    let mut bits = to_bits(a, from);
    bits.resize(to as usize, negative(a, from));
    from_bits(&bits)
}
