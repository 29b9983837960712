//! Numbers in the input of `scanf`: which characters glibc takes for one, in its order of looking.

use super::Call;
use super::floats;
use super::scan::{Conversion, Scanner, Stopped};
use crate::fault::Fault;
use crate::files::Byte;
use crate::files::errno::ERANGE;
use gordian_expr::ExprId;

/// How many more characters may belong to the number.
struct Room(Option<usize>);

impl Room {
    fn is_full(&self) -> bool {
        self.0 == Some(0)
    }

    fn take(&mut self) {
        self.0 = self.0.map(|left| left.saturating_sub(1));
    }
}

/// The bits to store, and what they stand for.
pub fn integer(
    scanner: &mut Scanner<'_>,
    call: &mut Call<'_, '_>,
    conversion: &Conversion,
    mut base: u32,
    signed: bool,
    pointer: bool,
) -> Result<Number, Stopped> {
    let mut room = Room(conversion.width);
    let (mut digits, mut any) = (Vec::new(), false);
    let mut byte = scanner.read(call)?;
    let first = byte.ok_or(Stopped::Input)?;
    let negative = call.is(first, |byte| byte == b'-')?;
    let has_sign = negative || call.is(first, |byte| byte == b'+')?;
    if has_sign {
        room.take();
        byte = scanner.read(call)?;
    }
    // In other bases a zero is a digit like any other.
    if matches!(base, 0 | 2 | 16) && !room.is_full() && call.is_some(byte, |byte| byte == b'0')? {
        room.take();
        any = true;
        byte = scanner.read(call)?;
        let prefix = byte.filter(|_| !room.is_full());
        let named = if call.is_some(prefix, |byte| byte.eq_ignore_ascii_case(&b'x'))? {
            Some(16)
        } else if (base == 2 || scanner.accepts_binary())
            && call.is_some(prefix, |byte| byte.eq_ignore_ascii_case(&b'b'))?
        {
            Some(2)
        } else {
            None
        };
        match named {
            Some(named) if base == 0 || base == named => {
                base = named;
                room.take();
                byte = scanner.read(call)?;
            }
            None if base == 0 => base = 8,
            _ => {}
        }
    }
    if base == 0 {
        base = 10;
    }
    while let Some(digit) = byte.filter(|_| !room.is_full())
        && call.is(digit, |byte| char::from(byte).is_digit(base))?
    {
        digits.push(digit);
        any = true;
        room.take();
        byte = scanner.read(call)?;
    }
    if !any {
        let opens = pointer && !has_sign && conversion.width.is_none_or(|width| width >= 5);
        if opens && call.is_some(byte, |byte| byte == b'(')? {
            return null_pointer(scanner, call);
        }
        scanner.unread(call, byte);
        return Err(Stopped::Mismatch);
    }
    scanner.unread(call, byte);
    Ok(number(call, &digits, base, negative, signed)?)
}

/// A value and its term, of 64 bits.
pub type Number = (u64, Option<ExprId>);

/// Digits as a number. So many that it may be too large are taken as they are.
fn number(call: &mut Call<'_, '_>, digits: &[Byte], base: u32, negative: bool, signed: bool) -> Result<Number, Fault> {
    let fits = u64::from(base).checked_pow(digits.len() as u32).is_some_and(|limit| limit <= i64::MAX as u64);
    if fits && digits.iter().any(|digit| digit.term.is_some()) {
        let term = sum(call, digits, base)?;
        let pool = &mut call.machine.symbolic.pool;
        let zero = pool.constant(0, 64);
        let term = if negative { pool.sub(zero, term) } else { term };
        return Ok((call.machine.value_of(term), Some(term)));
    }
    let digits: String = digits.iter().map(|&digit| char::from(call.plain(digit))).collect();
    Ok((value(call, &digits, base, negative, signed), None))
}

fn sum(call: &mut Call<'_, '_>, digits: &[Byte], base: u32) -> Result<ExprId, Fault> {
    let mut sum = call.machine.symbolic.pool.constant(0, 64);
    for &digit in digits {
        let is_letter = base > 10 && !call.is(digit, |byte| byte.is_ascii_digit())?;
        let pool = &mut call.machine.symbolic.pool;
        let term = digit.term.unwrap_or_else(|| pool.constant(u128::from(digit.value), 8));
        // Letters of both cases differ in one bit.
        let (lower, zero) = if is_letter { (0x20, b'a' - 10) } else { (0, b'0') };
        let (lower, zero) = (pool.constant(lower, 8), pool.constant(u128::from(zero), 8));
        let letter = pool.or(term, lower);
        let value = pool.sub(letter, zero);
        let value = pool.zext(value, 64);
        let base = pool.constant(u128::from(base), 64);
        let shifted = pool.mul(sum, base);
        sum = pool.add(shifted, value);
    }
    Ok(sum)
}

/// `(nil)`, of which the parenthesis was read.
fn null_pointer(scanner: &mut Scanner<'_>, call: &mut Call<'_, '_>) -> Result<Number, Stopped> {
    for expected in *b"nil)" {
        let byte = scanner.read(call)?;
        if !call.is_some(byte, |byte| byte.eq_ignore_ascii_case(&expected))? {
            scanner.unread(call, byte);
            return Err(Stopped::Mismatch);
        }
    }
    Ok((0, None))
}

/// As `strtol` and `strtoul` have it: what is too large becomes the largest.
fn value(call: &mut Call<'_, '_>, digits: &str, base: u32, negative: bool, signed: bool) -> u64 {
    let mut magnitude = 0u128;
    for digit in digits.chars().filter_map(|digit| digit.to_digit(base)) {
        magnitude = (magnitude * u128::from(base) + u128::from(digit)).min(1 << 100);
    }
    let limit = match (signed, negative) {
        (true, true) => 1 << 63,
        (true, false) => (1 << 63) - 1,
        (false, _) => u128::from(u64::MAX),
    };
    if magnitude > limit {
        call.set_errno(ERANGE);
        return if signed && negative { 1 << 63 } else { limit as u64 };
    }
    let magnitude = magnitude as u64;
    if negative { magnitude.wrapping_neg() } else { magnitude }
}

/// The bits to store, of a `float` or a `double`.
pub fn float(scanner: &mut Scanner<'_>, call: &mut Call<'_, '_>, conversion: &Conversion) -> Result<u64, Stopped> {
    let text = float_text(scanner, call, Room(conversion.width))?;
    let single = conversion.size == 4;
    let (bits, infinite) = if single {
        let value = floats::parse_single(&text).ok_or(Stopped::Mismatch)?;
        (u64::from(value.to_bits()), value.is_infinite())
    } else {
        let value = floats::parse(&text).ok_or(Stopped::Mismatch)?;
        (value.to_bits(), value.is_infinite())
    };
    if infinite && !text.to_ascii_lowercase().contains("inf") {
        call.set_errno(ERANGE);
    }
    Ok(bits)
}

/// The next character if there is room for it.
fn next(scanner: &mut Scanner<'_>, call: &mut Call<'_, '_>, room: &mut Room) -> Result<Option<u8>, Fault> {
    if room.is_full() {
        return Ok(None);
    }
    room.take();
    scanner.read_plain(call)
}

fn float_text(scanner: &mut Scanner<'_>, call: &mut Call<'_, '_>, mut room: Room) -> Result<String, Stopped> {
    let mut text = String::new();
    let mut byte = scanner.read_plain(call)?;
    room.take();
    let first = byte.ok_or(Stopped::Input)?;
    if matches!(first, b'-' | b'+') {
        text.push(first as char);
        byte = next(scanner, call, &mut room)?;
        if byte.is_none() {
            return Err(Stopped::Mismatch);
        }
    }
    match byte.map(|byte| byte.to_ascii_lowercase()) {
        Some(b'n') => return named(scanner, call, &mut room, text + "n", b"an"),
        Some(b'i') => {
            let text = named(scanner, call, &mut room, text + "i", b"nf")?;
            let more = next(scanner, call, &mut room)?;
            if more.is_some_and(|more| more.eq_ignore_ascii_case(&b'i')) {
                return named(scanner, call, &mut room, text + "i", b"nity");
            }
            scanner.unread(call, more.map(Byte::from));
            return Ok(text);
        }
        _ => {}
    }
    digits(scanner, call, room, text, byte)
}

/// The rest of `nan` or `infinity`.
fn named(
    scanner: &mut Scanner<'_>,
    call: &mut Call<'_, '_>,
    room: &mut Room,
    mut text: String,
    rest: &[u8],
) -> Result<String, Stopped> {
    for &expected in rest {
        let byte = next(scanner, call, room)?;
        if !byte.is_some_and(|byte| byte.eq_ignore_ascii_case(&expected)) {
            scanner.unread(call, byte.map(Byte::from));
            return Err(Stopped::Mismatch);
        }
        text.push(expected as char);
    }
    Ok(text)
}

fn digits(
    scanner: &mut Scanner<'_>,
    call: &mut Call<'_, '_>,
    mut room: Room,
    mut text: String,
    mut byte: Option<u8>,
) -> Result<String, Stopped> {
    let signs = text.len();
    let (mut got_digit, mut got_dot, mut got_exponent, mut hexadecimal) = (false, false, false, false);
    if byte == Some(b'0') {
        text.push('0');
        got_digit = true;
        byte = next(scanner, call, &mut room)?;
        if !room.is_full() && byte.is_some_and(|byte| byte.eq_ignore_ascii_case(&b'x')) {
            text.push('x');
            (hexadecimal, got_digit) = (true, false);
            byte = next(scanner, call, &mut room)?;
        }
    }
    let exponent_letter = if hexadecimal { 'p' } else { 'e' };
    while let Some(character) = byte.map(char::from) {
        let lower = character.to_ascii_lowercase();
        if character.is_ascii_digit() || hexadecimal && !got_exponent && character.is_ascii_hexdigit() {
            text.push(character);
            got_digit = true;
        } else if got_exponent && text.ends_with(exponent_letter) && matches!(character, '-' | '+') {
            text.push(character);
        } else if got_digit && !got_exponent && lower == exponent_letter {
            text.push(exponent_letter);
            (got_exponent, got_dot) = (true, true);
        } else if !got_dot && character == '.' {
            text.push('.');
            got_dot = true;
        } else {
            scanner.unread(call, byte.map(Byte::from));
            break;
        }
        byte = next(scanner, call, &mut room)?;
    }
    if text.len() == signs || hexadecimal && text.len() == signs + 2 {
        return Err(Stopped::Mismatch);
    }
    Ok(text)
}
