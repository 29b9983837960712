//! The inputs of an execution in words: `x = -3`, `buf = "GET\0"`, `T1's 2nd input = 77`.

use gordian_trace::InputValue;
use std::fmt::Write;

/// More than these are counted, not told.
const MOST_TOLD: usize = 40;
/// Zeros at the end of many bytes beyond this are counted.
const MOST_ZEROS: usize = 8;

/// One phrase for each; bytes that belong together are one.
pub fn inputs(inputs: &[InputValue]) -> Vec<String> {
    let mut told = Vec::new();
    let mut rest = inputs;
    while let Some((first, others)) = rest.split_first() {
        let n = array_length(rest);
        if n > 0 {
            told.push(array(&rest[..n]));
            rest = &rest[n..];
        } else {
            told.push(format!("{} = {}", name(first), value(first)));
            rest = others;
        }
    }
    let more = told.len().saturating_sub(MOST_TOLD);
    if more > 0 {
        told.truncate(MOST_TOLD);
        told.push(format!("and {more} more"));
    }
    told
}

/// The name without the place in brackets, and the place.
fn place_in_array(input: &InputValue) -> Option<(&str, usize)> {
    let (array, place) = input.name.strip_suffix(']')?.rsplit_once('[')?;
    Some((array, place.parse().ok()?))
}

/// How many inputs from the first one on are the bytes of one array; 0 if it is none.
fn array_length(inputs: &[InputValue]) -> usize {
    let Some((array, 0)) = inputs.first().and_then(place_in_array) else { return 0 };
    let thread = inputs[0].thread;
    let belongs = |(place, input): &(usize, &InputValue)| {
        input.bits == 8 && input.thread == thread && place_in_array(input) == Some((array, *place))
    };
    inputs.iter().enumerate().take_while(belongs).count()
}

fn array(bytes: &[InputValue]) -> String {
    let name = place_in_array(&bytes[0]).map_or("", |(name, _)| name);
    let values: Vec<u8> = bytes.iter().map(|byte| byte.value as u8).collect();
    let used = values.iter().rposition(|&value| value != 0).map_or(0, |last| last + 1);
    let is_string = bytes[0].function.is_empty() && (name.starts_with("argument ") || name.starts_with('$'));
    // A string ends with its first zero, and those behind it are nobody's business.
    if is_string {
        return format!("{name} = {}", quoted(&values[..used]));
    }
    let zeros = values.len() - used;
    if zeros > MOST_ZEROS {
        return format!("{name} = {} and {zeros} bytes 0", quoted(&values[..used]));
    }
    format!("{name} = {}", quoted(&values))
}

/// As C writes it.
fn quoted(bytes: &[u8]) -> String {
    let mut text = String::from("\"");
    for (nth, &byte) in bytes.iter().enumerate() {
        let digit_follows = bytes.get(nth + 1).is_some_and(u8::is_ascii_hexdigit);
        match byte {
            b'"' | b'\\' => text.extend(['\\', char::from(byte)]),
            b'\n' => text.push_str("\\n"),
            b'\t' => text.push_str("\\t"),
            b'\r' => text.push_str("\\r"),
            0 if !digit_follows => text.push_str("\\0"),
            b' '..=b'~' => text.push(char::from(byte)),
            // Three octal digits end by themselves; hexadecimal ones go on as far as they can.
            _ => {
                let _ = write!(text, "\\{byte:03o}");
            }
        }
    }
    text.push('"');
    text
}

fn name(input: &InputValue) -> String {
    if !input.name.is_empty() {
        return input.name.clone();
    }
    let thread = if input.thread == 0 { "main".to_owned() } else { format!("T{}", input.thread) };
    let function = if input.function.is_empty() { String::new() } else { format!(" ({})", input.function) };
    format!("{thread}'s {} input{function}", ordinal(input.nth + 1))
}

fn ordinal(number: u32) -> String {
    let ending = match (number % 10, number % 100) {
        (1, n) if n != 11 => "st",
        (2, n) if n != 12 => "nd",
        (3, n) if n != 13 => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

fn value(input: &InputValue) -> String {
    let InputValue { value, bits, .. } = *input;
    if bits == 8 && (b' '..=b'~').contains(&(value as u8)) {
        return format!("{value} '{}'", char::from(value as u8));
    }
    if bits <= 1 || is_unsigned(&input.function) {
        return value.to_string();
    }
    let unused = 64 - u32::from(bits).min(64);
    (((value << unused) as i64) >> unused).to_string()
}

/// By the end of its name: `gordian_uint`, `__VERIFIER_nondet_ulong`, `__CrestUShort`.
fn is_unsigned(function: &str) -> bool {
    let ty = function.rsplit_once('_').map_or(function, |(_, ty)| ty);
    let ty = ty.strip_prefix("Crest").unwrap_or(ty).to_ascii_lowercase();
    let numbers = ["uchar", "ushort", "uint", "ulong", "ulonglong", "u8", "u16", "u32", "u64", "unsigned"];
    numbers.contains(&ty.as_str())
        || matches!(function, "gordian_size" | "__VERIFIER_nondet_size_t" | "__VERIFIER_nondet_unsigned_int")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(name: &str, function: &str, bits: u8, value: u64) -> InputValue {
        InputValue { thread: 1, nth: 1, value, name: name.into(), bits, function: function.into() }
    }

    fn bytes(name: &str, function: &str, values: &[u8]) -> Vec<InputValue> {
        let byte = |(n, &value): (usize, &u8)| input(&format!("{name}[{n}]"), function, 8, value.into());
        values.iter().enumerate().map(byte).collect()
    }

    #[test]
    fn numbers_have_their_type() {
        let minus_three = u64::from(u32::MAX) - 2;
        assert_eq!(inputs(&[input("x", "gordian_int", 32, minus_three)]), ["x = -3"]);
        assert_eq!(inputs(&[input("x", "gordian_uint", 32, minus_three)]), ["x = 4294967293"]);
        assert_eq!(inputs(&[input("x", "__CrestUShort", 16, 65535)]), ["x = 65535"]);
        assert_eq!(inputs(&[input("x", "__CrestShort", 16, 65535)]), ["x = -1"]);
        assert_eq!(inputs(&[input("c", "gordian_char", 8, 71)]), ["c = 71 'G'"]);
        assert_eq!(inputs(&[input("b", "gordian_bool", 1, 1)]), ["b = 1"]);
        assert_eq!(inputs(&[input("l", "klee_make_symbolic", 64, u64::MAX)]), ["l = -1"]);
    }

    #[test]
    fn who_has_no_name_is_told_by_thread_and_count() {
        let told = inputs(&[input("", "__VERIFIER_nondet_int", 32, 77)]);
        assert_eq!(told, ["T1's 2nd input (__VERIFIER_nondet_int) = 77"]);
        assert_eq!(
            [1, 2, 3, 4, 11, 12, 13, 21, 111].map(ordinal).join(" "),
            "1st 2nd 3rd 4th 11th 12th 13th 21st 111th"
        );
    }

    #[test]
    fn bytes_belong_together() {
        let mut several = bytes("buf", "gordian_symbolic", b"GET\0\0");
        several.extend(bytes("buf", "gordian_symbolic", b"\"\\\x01\n\x007"));
        several.extend(bytes("argument 1", "", b"ok\0\0"));
        several.extend(bytes("stdin", "", b"7\n\0\0\0\0\0\0\0\0\0"));
        let expected = [
            r#"buf = "GET\0\0""#,
            r#"buf = "\"\\\001\n\0007""#,
            r#"argument 1 = "ok""#,
            r#"stdin = "7\n" and 9 bytes 0"#,
        ];
        assert_eq!(inputs(&several), expected);
    }

    #[test]
    fn a_lone_element_is_a_number() {
        assert_eq!(inputs(&[input("a[3]", "gordian_char", 8, 5)]), ["a[3] = 5"]);
    }

    #[test]
    fn many_are_counted() {
        let many = vec![input("x", "gordian_int", 32, 0); 50];
        assert_eq!(inputs(&many).last().unwrap(), "and 10 more");
    }
}
