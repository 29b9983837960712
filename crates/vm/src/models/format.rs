//! The formats of `printf`, as glibc has them.

use super::Call;
use super::args::Args;
use super::conversion::{Conversion, Length, Parser, Spec, Use, Which};
use super::floats;
use crate::fault::Fault;
use crate::files::errno::{EILSEQ, EOVERFLOW};
use gordian_ir::address;

/// No program under test prints more at once, and one that asks for it must not fill our memory.
const MOST_OUTPUT: usize = 1 << 26;

/// Why a format could not be written out; the function then gives -1.
pub enum Stopped {
    Errno(i32),
    Fault(Fault),
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped::Fault(fault)
    }
}

struct Formatter<'f> {
    parser: Parser<'f>,
    args: Args,
    /// The next argument that is taken in turn, and how many were looked at.
    next: usize,
    used: usize,
    out: Vec<u8>,
}

/// Writes the arguments out, and leaves a `va_list` behind the last one.
pub fn format(call: &mut Call<'_, '_>, format: &[u8], args: Args) -> Result<Vec<u8>, Stopped> {
    let mut formatter = Formatter { parser: Parser { format, at: 0 }, args, next: 0, used: 0, out: Vec::new() };
    formatter.run(call)?;
    if formatter.out.len() > i32::MAX as usize {
        return Err(Stopped::Errno(EOVERFLOW));
    }
    args.advance(call, formatter.used)?;
    Ok(formatter.out)
}

impl Formatter<'_> {
    fn run(&mut self, call: &mut Call<'_, '_>) -> Result<(), Stopped> {
        while let Some(&byte) = self.parser.format.get(self.parser.at) {
            self.parser.at += 1;
            if byte == b'%' {
                self.conversion(call)?;
            } else {
                self.out.push(byte);
            }
        }
        Ok(())
    }

    fn argument(&mut self, call: &mut Call<'_, '_>, which: Which, of: Use) -> Result<u64, Fault> {
        let n = match which {
            Which::Nth(n) => n,
            Which::Next => {
                self.next += 1;
                self.next - 1
            }
        };
        self.used = self.used.max(n + 1);
        self.args.word(call, n, of)
    }

    fn star(&mut self, call: &mut Call<'_, '_>, which: Which) -> Result<i64, Fault> {
        Ok(i64::from(self.argument(call, which, Use::Number)? as u32 as i32))
    }

    fn conversion(&mut self, call: &mut Call<'_, '_>) -> Result<(), Stopped> {
        let start = self.parser.at - 1;
        let Conversion { which, mut spec, width, precision, length, letter } = self.parser.conversion();
        if let Some(width) = width {
            let width = self.star(call, width)?;
            spec.left |= width < 0;
            spec.width = width.unsigned_abs() as usize;
        }
        if let Some(precision) = precision {
            spec.precision = usize::try_from(self.star(call, precision)?).ok();
        }
        if letter == 0 {
            // An unfinished conversion at the end.
            return Err(Stopped::Errno(22));
        }
        self.check_length(letter, &spec)?;
        match letter {
            b'%' => self.out.push(b'%'),
            b'd' | b'i' => {
                let value = self.argument(call, which, Use::Printed)?;
                let value = match length {
                    Length::Char => i64::from(value as i8),
                    Length::Short => i64::from(value as i16),
                    Length::Int => i64::from(value as i32),
                    Length::Long => value as i64,
                };
                let sign = sign_of(value < 0, &spec);
                self.integer(value.unsigned_abs().to_string(), sign, spec);
            }
            b'u' | b'o' | b'x' | b'X' | b'b' | b'B' => {
                let value = self.argument(call, which, Use::Printed)?;
                let value = match length {
                    Length::Char => u64::from(value as u8),
                    Length::Short => u64::from(value as u16),
                    Length::Int => u64::from(value as u32),
                    Length::Long => value,
                };
                self.unsigned(letter, value, spec);
            }
            b'p' => {
                let value = self.argument(call, which, Use::Printed)?;
                if value == 0 {
                    self.pad(b"(nil)", &spec);
                } else {
                    spec.alternate = true;
                    let sign = sign_of(false, &spec);
                    self.integer(format!("{value:x}"), &format!("{sign}0x"), spec);
                }
            }
            b'c' if length != Length::Long => {
                let value = self.argument(call, which, Use::Printed)? as u8;
                self.pad(&[value], &spec);
            }
            b'c' | b'C' => {
                let value = self.argument(call, which, Use::Number)? as u32;
                let byte = narrow(value)?;
                self.pad(&[byte], &spec);
            }
            b's' if length != Length::Long => {
                let place = self.argument(call, which, Use::Pointer)?;
                let bytes = string(call, place, spec.precision)?;
                self.pad(&bytes, &spec);
            }
            b's' | b'S' => {
                let place = self.argument(call, which, Use::Pointer)?;
                let bytes = wide_string(call, place, spec.precision)?;
                self.pad(&bytes, &spec);
            }
            b'n' => {
                let place = self.argument(call, which, Use::Pointer)?;
                let size = match length {
                    Length::Char => 1,
                    Length::Short => 2,
                    Length::Int => 4,
                    Length::Long => 8,
                };
                // The program gets to know how much all before it takes.
                call.fix_printed();
                call.write_word(place, size, self.out.len() as u64)?;
            }
            b'm' => {
                let errno = call.errno();
                let text = super::system::error_text(errno);
                let bytes = &text.as_bytes()[..spec.precision.unwrap_or(usize::MAX).min(text.len())];
                self.pad(bytes, &spec);
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let value = f64::from_bits(self.argument(call, which, Use::Printed)?);
                let sign = sign_of(value.is_sign_negative(), &spec);
                let body = floats::format(value.abs(), letter, &spec);
                let prefix = if letter.eq_ignore_ascii_case(&b'a') && value.is_finite() { &body[..2] } else { "" };
                spec.zero &= value.is_finite();
                let digits = &body[prefix.len()..];
                self.number(&format!("{sign}{prefix}"), digits, &spec);
            }
            // What glibc does not know it copies, so that it can be seen.
            _ => {
                let unknown = &self.parser.format[start..self.parser.at];
                self.out.extend_from_slice(unknown);
            }
        }
        Ok(())
    }

    /// Looks whether what a conversion asks for can be written out, before it is. More than an `int` counts is refused as by glibc.
    fn check_length(&self, letter: u8, spec: &Spec) -> Result<(), Stopped> {
        let precision = spec.precision.unwrap_or(0);
        let digits = match letter {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'b' | b'B' | b'p' => precision,
            // The digit before the point, and the point.
            b'f' | b'F' | b'e' | b'E' | b'a' | b'A' => precision.saturating_add(2),
            b'g' | b'G' if spec.alternate => precision,
            _ => 0,
        };
        let most = i32::MAX as usize;
        let len = self.out.len().saturating_add(spec.width.max(digits));
        if spec.width > most || precision > most || len > most {
            return Err(Stopped::Errno(EOVERFLOW));
        }
        if len > MOST_OUTPUT {
            return Err(Stopped::Fault(Fault::Unsupported(format!(
                "output of more than {MOST_OUTPUT} bytes by one call"
            ))));
        }
        Ok(())
    }

    fn unsigned(&mut self, letter: u8, value: u64, mut spec: Spec) {
        let (mut digits, prefix) = match letter {
            b'o' => (format!("{value:o}"), ""),
            b'x' => (format!("{value:x}"), "0x"),
            b'X' => (format!("{value:X}"), "0X"),
            b'b' => (format!("{value:b}"), "0b"),
            b'B' => (format!("{value:b}"), "0B"),
            _ => (value.to_string(), ""),
        };
        if letter == b'o' && spec.alternate {
            if value == 0 {
                spec.precision = spec.precision.map(|precision| precision.max(1));
            } else if spec.precision.is_none_or(|precision| precision <= digits.len()) {
                digits.insert(0, '0');
            }
        }
        let prefix = if spec.alternate && value != 0 { prefix } else { "" };
        self.integer(digits, prefix, spec);
    }

    fn integer(&mut self, mut digits: String, prefix: &str, mut spec: Spec) {
        if let Some(precision) = spec.precision {
            // A precision overrides the flag for zeros.
            spec.zero = false;
            if precision == 0 && digits == "0" {
                digits.clear();
            }
            let missing = precision.saturating_sub(digits.len());
            digits.insert_str(0, &"0".repeat(missing));
        }
        self.number(prefix, &digits, &spec);
    }

    fn number(&mut self, prefix: &str, digits: &str, spec: &Spec) {
        let len = prefix.len() + digits.len();
        let fill = spec.width.saturating_sub(len);
        if spec.zero && !spec.left {
            self.out.extend_from_slice(prefix.as_bytes());
            self.fill(fill, b'0');
            self.out.extend_from_slice(digits.as_bytes());
        } else {
            self.pad(format!("{prefix}{digits}").as_bytes(), spec);
        }
    }

    fn pad(&mut self, bytes: &[u8], spec: &Spec) {
        let fill = spec.width.saturating_sub(bytes.len());
        if !spec.left {
            self.fill(fill, b' ');
        }
        self.out.extend_from_slice(bytes);
        if spec.left {
            self.fill(fill, b' ');
        }
    }

    fn fill(&mut self, n: usize, byte: u8) {
        self.out.resize(self.out.len() + n, byte);
    }
}

fn sign_of(negative: bool, spec: &Spec) -> &'static str {
    match (negative, spec.plus, spec.space) {
        (true, ..) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        _ => "",
    }
}

fn string(call: &mut Call<'_, '_>, place: u64, precision: Option<usize>) -> Result<Vec<u8>, Fault> {
    if place == 0 {
        // glibc prints nothing rather than part of it.
        let fits = precision.is_none_or(|precision| precision >= 6);
        return Ok(if fits { b"(null)".to_vec() } else { Vec::new() });
    }
    match precision {
        Some(precision) => call.string_within(place, precision as u64),
        None => call.string(place),
    }
}

/// The C locale has no characters beyond ASCII.
fn narrow(character: u32) -> Result<u8, Stopped> {
    u8::try_from(character).ok().filter(u8::is_ascii).ok_or(Stopped::Errno(EILSEQ))
}

fn wide_string(call: &mut Call<'_, '_>, place: u64, precision: Option<usize>) -> Result<Vec<u8>, Stopped> {
    if place == 0 {
        return Ok(string(call, 0, precision)?);
    }
    let mut bytes = Vec::new();
    while precision.is_none_or(|precision| bytes.len() < precision) {
        match call.read_plain(place.wrapping_add(4 * bytes.len() as u64), 4)? as u32 {
            0 => break,
            character => bytes.push(narrow(character)?),
        }
    }
    Ok(bytes)
}

impl Call<'_, '_> {
    /// At most `max` bytes of a string that needs no end if it is that long.
    pub fn string_within(&mut self, place: u64, max: u64) -> Result<Vec<u8>, Fault> {
        if max == 0 {
            return Ok(Vec::new());
        }
        let object = self.machine.memory.check(place, 1, false)?;
        let rest = u64::from(object.size) - address::offset(place);
        let len = rest.min(max);
        let has_open_end = rest < max && !self.has_sure_end(place, len);
        if self.machine.memory.has_terms(place, len) && (has_open_end || self.is_seen_by_others(place)?) {
            self.decide_end(place, len)?;
        }
        match self.machine.memory.view(place, len).iter().position(|&byte| byte == 0) {
            Some(_) => self.string(place),
            None => self.read(place, max),
        }
    }
}
