//! The formats of `scanf`, step by step as glibc goes: what it has read when a conversion fails is part
//! of its behaviour.

use super::args::Args;
use super::conversion::Use;
use super::scan_numbers::{self, Number};
use super::{Call, stdio::EOF};
use crate::fault::Fault;
use crate::files::{Byte, Bytes};
use crate::memory::Kind;

pub enum Source {
    Text(Bytes),
    /// A stream, by its address.
    Stream(u64),
}

/// Why scanning ends before the format does.
pub enum Stopped {
    /// The input does not fit.
    Mismatch,
    /// The input is at its end.
    Input,
    Fault(Fault),
}

impl From<Fault> for Stopped {
    fn from(fault: Fault) -> Self {
        Stopped::Fault(fault)
    }
}

/// One conversion, read from the format.
#[derive(Default)]
pub struct Conversion {
    position: Option<usize>,
    suppressed: bool,
    pub width: Option<usize>,
    /// Bytes of the integer it stores, for floating-point numbers 8 where it is not 4.
    pub size: u8,
    allocates: bool,
    letter: u8,
}

pub struct Scanner<'f> {
    source: Source,
    at: usize,
    n_read: usize,
    format: &'f [u8],
    format_at: usize,
    args: Args,
    next_arg: usize,
    n_args: usize,
    n_done: i32,
    skip_space: bool,
    binary_prefix: bool,
}

/// Gives what `scanf` returns.
pub fn scan(call: &mut Call<'_, '_>, source: Source, format: &[u8], args: Args) -> Result<i32, Fault> {
    let mut scanner = Scanner {
        source,
        at: 0,
        n_read: 0,
        format,
        format_at: 0,
        args,
        next_arg: 0,
        n_args: 0,
        n_done: 0,
        skip_space: false,
        binary_prefix: call.name().starts_with("__isoc23_"),
    };
    // A call that allocates cannot be made again.
    call.notes().once |= format.contains(&b'm');
    let result = scanner.run(call);
    match result {
        Err(Stopped::Fault(Fault::Waits(_))) if format.contains(&b'm') => {
            return Err(Fault::Unsupported(format!("`{}` that allocates, and waits for a pipe halfway", call.name())));
        }
        // If it is made again, it begins with the first argument.
        Err(Stopped::Fault(fault)) => return Err(fault),
        _ => args.advance(call, scanner.n_args)?,
    }
    match result {
        Err(Stopped::Input) if scanner.n_done == 0 => Ok(EOF),
        _ => Ok(scanner.n_done),
    }
}

pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

impl Scanner<'_> {
    pub fn accepts_binary(&self) -> bool {
        self.binary_prefix
    }

    pub fn read(&mut self, call: &mut Call<'_, '_>) -> Result<Option<Byte>, Fault> {
        let byte = match &self.source {
            Source::Text(text) => text.get(self.at),
            Source::Stream(stream) => {
                let stream = *stream;
                call.get(stream)?
            }
        };
        if byte.is_some() {
            self.at += 1;
            self.n_read += 1;
        }
        Ok(byte)
    }

    /// As [`Scanner::read`], for those who know nothing of terms.
    pub fn read_plain(&mut self, call: &mut Call<'_, '_>) -> Result<Option<u8>, Fault> {
        let byte = self.read(call)?;
        Ok(byte.map(|byte| call.plain(byte)))
    }

    /// Puts back what was just read; the end of the input cannot be put back.
    pub fn unread(&mut self, call: &mut Call<'_, '_>, byte: Option<Byte>) {
        let Some(byte) = byte else { return };
        self.at -= 1;
        self.n_read -= 1;
        if let Source::Stream(stream) = self.source {
            let stream = call.stream_mut(stream);
            stream.taken.pop();
            stream.pushed_back.push(byte);
        }
    }

    fn skip_white(&mut self, call: &mut Call<'_, '_>) -> Result<(), Fault> {
        loop {
            let byte = self.read(call)?;
            if !call.is_some(byte, is_space)? {
                self.unread(call, byte);
                return Ok(());
            }
        }
    }

    fn run(&mut self, call: &mut Call<'_, '_>) -> Result<(), Stopped> {
        while let Some(&letter) = self.format.get(self.format_at) {
            self.format_at += 1;
            if is_space(letter) {
                self.skip_space = true;
            } else if letter == b'%' {
                self.conversion(call)?;
            } else {
                self.literal(call, letter)?;
            }
        }
        if std::mem::take(&mut self.skip_space) {
            self.skip_white(call)?;
        }
        Ok(())
    }

    fn literal(&mut self, call: &mut Call<'_, '_>, letter: u8) -> Result<(), Stopped> {
        if std::mem::take(&mut self.skip_space) {
            self.skip_white(call)?;
        }
        let byte = self.read(call)?.ok_or(Stopped::Input)?;
        if !call.is(byte, |byte| byte == letter)? {
            self.unread(call, Some(byte));
            return Err(Stopped::Mismatch);
        }
        Ok(())
    }

    fn peek_format(&self) -> u8 {
        self.format.get(self.format_at).copied().unwrap_or(0)
    }

    fn digits(&mut self) -> Option<usize> {
        let start = self.format_at;
        let mut value = 0usize;
        while self.peek_format().is_ascii_digit() {
            value = value.saturating_mul(10).saturating_add(usize::from(self.peek_format() - b'0'));
            self.format_at += 1;
        }
        (self.format_at > start).then_some(value)
    }

    fn parse_conversion(&mut self) -> Conversion {
        let mut conversion = Conversion { size: 4, ..Conversion::default() };
        let start = self.format_at;
        match self.digits() {
            Some(n) if n > 0 && self.peek_format() == b'$' => {
                self.format_at += 1;
                conversion.position = Some(n - 1);
            }
            _ => self.format_at = start,
        }
        while matches!(self.peek_format(), b'*' | b'\'' | b'I') {
            conversion.suppressed |= self.peek_format() == b'*';
            self.format_at += 1;
        }
        conversion.width = self.digits().filter(|&width| width > 0);
        loop {
            match self.peek_format() {
                b'h' => conversion.size = if conversion.size == 2 { 1 } else { 2 },
                b'l' | b'q' | b'L' | b'j' | b'z' | b'Z' | b't' => conversion.size = 8,
                b'm' => conversion.allocates = true,
                _ => break,
            }
            self.format_at += 1;
        }
        conversion.letter = self.peek_format();
        self.format_at += 1;
        conversion
    }

    fn argument(&mut self, call: &mut Call<'_, '_>, conversion: &Conversion) -> Result<u64, Fault> {
        let n = conversion.position.unwrap_or_else(|| {
            self.next_arg += 1;
            self.next_arg - 1
        });
        self.n_args = self.n_args.max(n + 1);
        self.args.word(call, n, Use::Pointer)
    }

    fn store_word(&mut self, call: &mut Call<'_, '_>, conversion: &Conversion, value: Number) -> Result<(), Fault> {
        if !conversion.suppressed {
            let place = self.argument(call, conversion)?;
            call.write_word(place, conversion.size, value.0)?;
            call.machine.store_term(place, u64::from(conversion.size), value.1);
            self.n_done += 1;
        }
        Ok(())
    }

    fn conversion(&mut self, call: &mut Call<'_, '_>) -> Result<(), Stopped> {
        let mut conversion = self.parse_conversion();
        let keeps_space = matches!(conversion.letter, b'[' | b'c' | b'C' | b'n');
        if std::mem::take(&mut self.skip_space) || !keeps_space {
            self.skip_white(call)?;
        }
        let base = match conversion.letter {
            b'%' => {
                let byte = self.read(call)?.ok_or(Stopped::Input)?;
                if !call.is(byte, |byte| byte == b'%')? {
                    self.unread(call, Some(byte));
                    return Err(Stopped::Mismatch);
                }
                return Ok(());
            }
            b'n' => {
                if !conversion.suppressed {
                    let place = self.argument(call, &conversion)?;
                    call.write_word(place, conversion.size, self.n_read as u64)?;
                }
                return Ok(());
            }
            b'c' | b'C' => return self.characters(call, &conversion),
            b's' | b'S' => return self.word(call, &conversion),
            b'[' => return self.set(call, &conversion),
            b'e' | b'E' | b'f' | b'F' | b'g' | b'G' | b'a' | b'A' => {
                let value = scan_numbers::float(self, call, &conversion)?;
                return Ok(self.store_word(call, &conversion, (value, None))?);
            }
            b'd' | b'u' => 10,
            b'i' => 0,
            b'o' => 8,
            b'x' | b'X' => 16,
            b'b' => 2,
            b'p' => {
                conversion.size = 8;
                16
            }
            _ => return Err(Stopped::Mismatch),
        };
        let signed = matches!(conversion.letter, b'd' | b'i');
        let pointer = conversion.letter == b'p';
        let value = scan_numbers::integer(self, call, &conversion, base, signed, pointer)?;
        Ok(self.store_word(call, &conversion, value)?)
    }

    fn characters(&mut self, call: &mut Call<'_, '_>, conversion: &Conversion) -> Result<(), Stopped> {
        let first = self.read(call)?.ok_or(Stopped::Input)?;
        let mut bytes = Bytes::default();
        bytes.push(first);
        while bytes.len() < conversion.width.unwrap_or(1)
            && let Some(byte) = self.read(call)?
        {
            bytes.push(byte);
        }
        Ok(self.store_text(call, conversion, bytes, false)?)
    }

    fn word(&mut self, call: &mut Call<'_, '_>, conversion: &Conversion) -> Result<(), Stopped> {
        let bytes = self.matching(call, conversion, |byte| !is_space(byte))?;
        Ok(self.store_text(call, conversion, bytes, true)?)
    }

    fn set(&mut self, call: &mut Call<'_, '_>, conversion: &Conversion) -> Result<(), Stopped> {
        let (members, negated) = self.parse_set();
        let bytes = self.matching(call, conversion, |byte| members[usize::from(byte)] != negated)?;
        if bytes.is_empty() {
            return Err(Stopped::Mismatch);
        }
        Ok(self.store_text(call, conversion, bytes, true)?)
    }

    /// What stands between the brackets.
    fn parse_set(&mut self) -> ([bool; 256], bool) {
        let mut members = [false; 256];
        let negated = self.peek_format() == b'^';
        self.format_at += usize::from(negated);
        let start = self.format_at;
        while self.format_at < self.format.len() {
            let letter = self.peek_format();
            if letter == b']' && self.format_at > start {
                break;
            }
            let until = self.format.get(self.format_at + 2).copied().filter(|&until| until != b']' && until >= letter);
            match until {
                Some(until) if self.format[self.format_at + 1] == b'-' => {
                    members[usize::from(letter)..=usize::from(until)].fill(true);
                    self.format_at += 3;
                }
                _ => {
                    members[usize::from(letter)] = true;
                    self.format_at += 1;
                }
            }
        }
        self.format_at += 1;
        (members, negated)
    }

    /// The longest run of bytes that fit; an error at the end of the input.
    fn matching(
        &mut self,
        call: &mut Call<'_, '_>,
        conversion: &Conversion,
        fits: impl Fn(u8) -> bool,
    ) -> Result<Bytes, Stopped> {
        let mut bytes = Bytes::default();
        let mut byte = self.read(call)?;
        if byte.is_none() {
            return Err(Stopped::Input);
        }
        while let Some(next) = byte
            && call.is(next, &fits)?
        {
            bytes.push(next);
            if let Source::Stream(stream) = self.source {
                call.check_for_end(stream, bytes.len())?;
            }
            if conversion.width == Some(bytes.len()) {
                return Ok(bytes);
            }
            byte = self.read(call)?;
        }
        self.unread(call, byte);
        Ok(bytes)
    }

    fn store_text(
        &mut self,
        call: &mut Call<'_, '_>,
        conversion: &Conversion,
        mut bytes: Bytes,
        ends: bool,
    ) -> Result<(), Fault> {
        if conversion.suppressed {
            return Ok(());
        }
        if ends {
            bytes.push(0);
        }
        if conversion.size == 8 || matches!(conversion.letter, b'S' | b'C') {
            bytes = wide(&bytes);
        }
        let mut place = self.argument(call, conversion)?;
        if conversion.allocates {
            let text = call.machine.new_heap(call.thread, bytes.len() as u64, Kind::Heap)?;
            call.write_word(place, 8, text)?;
            place = text;
        }
        call.write_bytes(place, &bytes)?;
        self.n_done += 1;
        Ok(())
    }
}

/// Characters of four bytes each.
fn wide(bytes: &Bytes) -> Bytes {
    let mut wide = Bytes::default();
    for byte in (0..bytes.len()).filter_map(|at| bytes.get(at)) {
        wide.push(byte);
        (0..3).for_each(|_| wide.push(0));
    }
    wide
}
