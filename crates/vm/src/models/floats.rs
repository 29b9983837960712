//! Floating-point numbers to text and back, exactly.

use super::conversion::Spec;

/// A number without its sign as `letter` of `printf` writes it.
pub fn format(value: f64, letter: u8, spec: &Spec) -> String {
    let upper = letter.is_ascii_uppercase();
    let text = if value.is_nan() {
        "nan".to_owned()
    } else if value.is_infinite() {
        "inf".to_owned()
    } else {
        let precision = spec.precision;
        match letter.to_ascii_lowercase() {
            b'f' => with_point(fixed(value, precision.unwrap_or(6)), spec),
            b'e' => scientific(value, precision.unwrap_or(6), spec),
            b'g' => general(value, precision.unwrap_or(6).max(1), spec),
            _ => hexadecimal(value, precision, spec),
        }
    };
    if upper { text.to_uppercase() } else { text }
}

/// Digits that no `double` needs more than.
const EXACT: usize = 800;

/// `#` asks for a point even if nothing follows.
fn with_point(mut text: String, spec: &Spec) -> String {
    if spec.alternate && !text.contains('.') {
        text.push('.');
    }
    text
}

/// From there on all digits of a `double` are zeros. Rust writes no more than 65,535 of them.
const MOST_DIGITS: usize = 1100;

/// A value rounded to `precision` digits after the point.
fn fixed(value: f64, precision: usize) -> String {
    let exact = precision.min(MOST_DIGITS);
    format!("{value:.exact$}") + &"0".repeat(precision - exact)
}

/// Digits and exponent of a value rounded to `precision` digits after the first.
fn decimal(value: f64, precision: usize) -> (String, i32) {
    let exact = precision.min(MOST_DIGITS);
    let text = format!("{value:.exact$e}");
    let (digits, exponent) = text.split_once('e').expect("Rust writes an exponent");
    (digits.to_owned() + &"0".repeat(precision - exact), exponent.parse().expect("Rust writes a number"))
}

fn exponent_text(exponent: i32) -> String {
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("e{sign}{:02}", exponent.abs())
}

fn scientific(value: f64, precision: usize, spec: &Spec) -> String {
    let (digits, exponent) = decimal(value, precision);
    with_point(digits, spec) + &exponent_text(exponent)
}

fn general(value: f64, precision: usize, spec: &Spec) -> String {
    // Zeros at the end are dropped without `#`.
    let precision = if spec.alternate { precision } else { precision.min(MOST_DIGITS) };
    let (digits, exponent) = decimal(value, precision - 1);
    let plain = exponent >= -4 && exponent < precision as i32;
    let mut text = if plain { fixed(value, (precision as i64 - 1 - i64::from(exponent)) as usize) } else { digits };
    if spec.alternate && exponent == precision as i32 && decimal(value, EXACT).1 < exponent {
        // glibc chose the plain form, which rounding made too long, and then drops the zeros that it should keep.
        text = "1.".to_owned();
    } else if spec.alternate {
        text = with_point(text, spec);
    } else if text.contains('.') {
        text.truncate(text.trim_end_matches('0').trim_end_matches('.').len());
    }
    if plain { text } else { text + &exponent_text(exponent) }
}

fn hexadecimal(value: f64, precision: Option<usize>, spec: &Spec) -> String {
    let bits = value.to_bits();
    let field = (bits >> 52) as i32 & 0x7ff;
    let mut mantissa = bits & ((1 << 52) - 1);
    let mut leading = u64::from(field > 0);
    let exponent = match (field, mantissa) {
        (0, 0) => 0,
        (0, _) => -1022,
        _ => field - 1023,
    };
    let mut digits = match precision {
        Some(precision) if precision < 13 => {
            let dropped = 52 - 4 * precision as u32;
            let whole = leading << 52 | mantissa;
            let mut kept = whole >> dropped;
            let rest = whole & ((1 << dropped) - 1);
            let half = 1 << (dropped - 1);
            if rest > half || rest == half && kept & 1 == 1 {
                kept += 1;
            }
            leading = kept >> (4 * precision);
            mantissa = kept & ((1 << (4 * precision)) - 1);
            if precision == 0 { String::new() } else { format!("{mantissa:0precision$x}") }
        }
        _ => format!("{mantissa:013x}"),
    };
    match precision {
        None => digits.truncate(digits.trim_end_matches('0').len()),
        Some(precision) => digits.extend(std::iter::repeat_n('0', precision.saturating_sub(13))),
    }
    let point = if digits.is_empty() && !spec.alternate { "" } else { "." };
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("0x{leading}{point}{digits}p{sign}{}", exponent.abs())
}

/// What `strtod` makes of text that starts like a number; `None` if it has no digit.
pub fn parse(text: &str) -> Option<f64> {
    parse_with(text, |decimal| decimal.parse().ok(), DOUBLE)
}

/// What `strtof` makes of it: rounded once, not by way of a `double`.
pub fn parse_single(text: &str) -> Option<f32> {
    // Rounded to the digits of a `float`, so the conversions are exact.
    let value = parse_with(text, |decimal| decimal.parse::<f32>().ok().map(f64::from), SINGLE)?;
    Some(value as f32)
}

/// Digits of the significand, and the exponent of the smallest normal number.
type Form = (i64, i64);
const DOUBLE: Form = (53, -1021);
const SINGLE: Form = (24, -125);

fn parse_with(text: &str, decimal: impl Fn(&str) -> Option<f64>, form: Form) -> Option<f64> {
    let (negative, body) = match text.as_bytes().first() {
        Some(b'-') => (true, &text[1..]),
        Some(b'+') => (false, &text[1..]),
        _ => (false, text),
    };
    let lower = body.to_ascii_lowercase();
    let value = if lower.starts_with("inf") {
        f64::INFINITY
    } else if lower.starts_with("nan") {
        f64::NAN
    } else if let Some(hex) = lower.strip_prefix("0x") {
        parse_hexadecimal(without_empty_exponent(hex, 'p'), form)
    } else {
        decimal(without_empty_exponent(&lower, 'e'))?
    };
    Some(if negative { -value } else { value })
}

/// An exponent without digits is none.
fn without_empty_exponent(text: &str, letter: char) -> &str {
    match text.split_once(letter) {
        Some((digits, exponent)) if !exponent.ends_with(|c: char| c.is_ascii_digit()) => digits,
        _ => text,
    }
}

/// Rounds to nearest, ties to even, wherever the digits end.
fn parse_hexadecimal(text: &str, (precision, least): Form) -> f64 {
    let (digits, exponent) = text.split_once('p').unwrap_or((text, "0"));
    let far = if exponent.starts_with('-') { -1_000_000 } else { 1_000_000 };
    let mut exponent: i64 = exponent.parse().map_or(far, |exponent: i64| exponent.clamp(-1_000_000, 1_000_000));
    let (mut mantissa, mut sticky, mut after_point) = (0u64, false, false);
    for byte in digits.bytes() {
        let Some(digit) = (byte as char).to_digit(16) else {
            after_point = true;
            continue;
        };
        if mantissa >> 58 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            exponent -= if after_point { 4 } else { 0 };
        } else {
            sticky |= digit != 0;
            exponent += if after_point { 0 } else { 4 };
        }
    }
    if mantissa == 0 {
        return 0.0;
    }
    // The number is `m * 2^top` with 0.5 <= m < 1; how many digits fit depends on how small it is.
    let n_bits = 64 - i64::from(mantissa.leading_zeros());
    let top = n_bits + exponent;
    let kept = if top < least { precision - (least - top) } else { precision };
    if kept < 0 {
        return 0.0;
    }
    let dropped = n_bits - kept;
    if dropped > 0 {
        let (rest, half) = (u128::from(mantissa) & ((1 << dropped) - 1), 1u128 << (dropped - 1));
        let mut whole = u128::from(mantissa) >> dropped;
        if rest > half || rest == half && (sticky || whole & 1 == 1) {
            whole += 1;
        }
        mantissa = whole as u64;
        exponent += dropped;
    }
    scale(mantissa as f64, exponent)
}

/// `value * 2^exponent` in steps that stay exact.
fn scale(mut value: f64, mut exponent: i64) -> f64 {
    while exponent > 1000 && value.is_finite() {
        value *= 2f64.powi(1000);
        exponent -= 1000;
    }
    while exponent < -1000 && value != 0.0 {
        value *= 2f64.powi(-1000);
        exponent += 1000;
    }
    value * 2f64.powi(exponent.clamp(-1000, 1000) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(value: f64, letter: u8, precision: Option<usize>) -> String {
        format(value, letter, &Spec { precision, ..Spec::default() })
    }

    #[test]
    fn as_glibc_writes_them() {
        assert_eq!(shown(0.5, b'f', Some(0)), "0");
        assert_eq!(shown(1.5, b'f', Some(0)), "2");
        assert_eq!(shown(1e15, b'g', None), "1e+15");
        assert_eq!(shown(0.0001, b'g', None), "0.0001");
        assert_eq!(shown(999999.5, b'g', None), "1e+06");
        assert_eq!(shown(0.0, b'e', None), "0.000000e+00");
        assert_eq!(shown(0.0, b'g', None), "0");
        assert_eq!(shown(1.0, b'a', None), "0x1p+0");
        assert_eq!(shown(0.1, b'a', None), "0x1.999999999999ap-4");
        assert_eq!(shown(5e-324, b'a', None), "0x0.0000000000001p-1022");
        assert_eq!(shown(1.96875, b'a', Some(1)), "0x2.0p+0");
        assert_eq!(shown(f64::INFINITY, b'F', None), "INF");
    }

    unsafe extern "C" {
        fn snprintf(target: *mut u8, len: usize, format: *const std::ffi::c_char, ...) -> i32;
    }

    /// What the C library of this machine writes.
    fn native(value: f64, letter: u8, precision: Option<usize>, alternate: bool) -> String {
        let precision = precision.map_or(String::new(), |precision| format!(".{precision}"));
        let mark = if alternate { "#" } else { "" };
        let format = std::ffi::CString::new(format!("%{mark}{precision}{}", letter as char)).expect("no zero inside");
        let mut buffer = vec![0u8; 2000];
        // SAFETY: the buffer is as long as said, and the format asks for one `double`.
        let len = unsafe { snprintf(buffer.as_mut_ptr(), buffer.len(), format.as_ptr(), value) };
        String::from_utf8_lossy(&buffer[..len as usize]).into_owned()
    }

    #[test]
    fn random_numbers_look_as_natively() {
        let mut rng = gordian_base::Rng::new(1);
        for n in 0..60_000 {
            let bits = rng.next_u64() >> 1;
            let value = match n % 6 {
                0 => f64::from_bits(bits),
                1 => rng.below(1_000_000_000) as f64 / 1000.0,
                2 => 10f64.powi(rng.below(40) as i32 - 20),
                3 => 10f64.powi(rng.below(20) as i32 - 10) * (1.0 - 10f64.powi(-(rng.below(12) as i32))),
                4 => f64::from_bits(bits >> (11 + rng.below(52))),
                _ => rng.below(4000) as f64 / 8.0,
            };
            if value.is_nan() {
                continue;
            }
            let letter = b"fegaFEGA"[rng.below(8)];
            let precision = [None, Some(rng.below(20)), Some(rng.below(4))][rng.below(3)];
            let alternate = rng.below(4) == 0;
            let ours = format(value, letter, &Spec { precision, alternate, ..Spec::default() });
            let theirs = native(value, letter, precision, alternate);
            assert_eq!(ours, theirs, "{value:e} as %{} with {precision:?}, alternate {alternate}", letter as char);
        }
    }

    #[test]
    fn hexadecimal_numbers_come_back() {
        for value in [0.1, 1.0, 5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 3.5e-310] {
            assert_eq!(parse(&shown(value, b'a', None)), Some(value));
        }
        assert_eq!(parse("-0x1.8p1"), Some(-3.0));
        assert_eq!(parse("0x1.00000000000008p0"), Some(1.0));
        assert_eq!(parse("0x1.000000000000080000000000001p0"), Some(1.0 + f64::EPSILON));
        assert_eq!(parse("0x1p5000"), Some(f64::INFINITY));
        assert_eq!(parse("0x1p-5000"), Some(0.0));
    }
}
