//! The C locale, which is the only one, and its multibyte characters, which are ASCII.

use super::statics::Static;
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::errno::EILSEQ;
use crate::interp::Flow;
use crate::memory::Mode;

const LCONV_SIZE: u64 = 96;
const CODESET: i32 = 14;
const RADIX: i32 = 0x10000;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "setlocale" => Model::touching(|call| {
            let wanted = call.arg(1);
            let known = wanted == 0 || matches!(&call.string(wanted)?[..], b"" | b"C" | b"POSIX");
            let name = call.machine.static_text(Static::C, "C");
            call.result(if known { name } else { 0 })
        }),
        "localeconv" => Model::plain(localeconv),
        "nl_langinfo" => Model::plain(|call| {
            let text = match call.int(0) {
                CODESET => call.machine.static_text(Static::Ascii, "ANSI_X3.4-1968"),
                RADIX => call.machine.static_text(Static::Point, "."),
                _ => call.machine.static_text(Static::Empty, ""),
            };
            call.result(text)
        }),
        "__ctype_get_mb_cur_max" => Model::plain(|call| call.result(1)),
        "mblen" | "mbrlen" => Model::touching(|call| {
            let (source, len) = (call.arg(0), call.arg(1));
            multibyte(call, 0, source, len)
        }),
        "mbtowc" | "mbrtowc" => Model::touching(|call| {
            let (target, source, len) = (call.arg(0), call.arg(1), call.arg(2));
            multibyte(call, target, source, len)
        }),
        "wctomb" | "wcrtomb" => Model::touching(|call| {
            let (target, character) = (call.arg(0), call.arg(1) as u32);
            if target == 0 {
                return call.result(u64::from(call.name() == "wcrtomb"));
            }
            match u8::try_from(character).ok().filter(u8::is_ascii) {
                Some(byte) => {
                    call.write(target, &[byte])?;
                    call.result(1)
                }
                None => call.error(EILSEQ, u64::MAX),
            }
        }),
        "mbstowcs" => Model::touching(mbstowcs),
        "wcstombs" => Model::touching(wcstombs),
        "mbsinit" => Model::plain(|call| call.result_int(1)),
        "btowc" => Model::plain(|call| {
            let byte = call.int(0);
            call.result_int(if (0..128).contains(&byte) { byte } else { -1 })
        }),
        "wctob" => Model::plain(|call| {
            let character = call.int(0);
            call.result_int(if (0..128).contains(&character) { character } else { -1 })
        }),
        _ => return None,
    })
}

fn localeconv(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.machine.static_object(Static::Lconv, LCONV_SIZE, Mode::Constant);
    let point = call.machine.static_text(Static::Point, ".");
    let empty = call.machine.static_text(Static::Empty, "");
    let mut bytes: Vec<u8> = point.to_le_bytes().to_vec();
    for _ in 1..10 {
        bytes.extend(empty.to_le_bytes());
    }
    // Numbers that the C locale leaves open.
    bytes.resize(80 + 14, 127);
    call.machine.memory.store_bytes(place, &bytes);
    call.result(place)
}

/// One character to its wide form, as an `int` or `size_t`: -1 is the same in both.
fn multibyte(call: &mut Call<'_, '_>, target: u64, source: u64, len: u64) -> Result<Flow, Fault> {
    if source == 0 {
        return call.result(0);
    }
    if len == 0 {
        // The restartable functions say that more is needed.
        return call.result(if call.name().starts_with("mbr") { u64::MAX - 1 } else { u64::MAX });
    }
    let byte = call.read(source, 1)?[0];
    if !byte.is_ascii() {
        return call.error(EILSEQ, u64::MAX);
    }
    if target != 0 {
        call.write_word(target, 4, u64::from(byte))?;
    }
    call.result(u64::from(byte != 0))
}

fn mbstowcs(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, source, len) = (call.arg(0), call.arg(1), call.arg(2));
    let mut text = call.string(source)?;
    if !text.is_ascii() {
        return call.error(EILSEQ, u64::MAX);
    }
    let n = text.len() as u64;
    if target == 0 {
        return call.result(n);
    }
    text.push(0);
    text.truncate(len as usize);
    let wide: Vec<u8> = text.iter().flat_map(|&byte| u32::from(byte).to_le_bytes()).collect();
    call.write(target, &wide)?;
    call.result(n.min(len))
}

fn wcstombs(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, source, len) = (call.arg(0), call.arg(1), call.arg(2));
    let mut text = Vec::new();
    loop {
        if target != 0 && text.len() as u64 >= len {
            break;
        }
        let character = call.read_word(source + 4 * text.len() as u64, 4)? as u32;
        match u8::try_from(character).ok().filter(u8::is_ascii) {
            None => return call.error(EILSEQ, u64::MAX),
            Some(byte) => text.push(byte),
        }
        if character == 0 {
            break;
        }
    }
    let n = text.iter().position(|&byte| byte == 0).unwrap_or(text.len());
    if target != 0 {
        call.write(target, &text)?;
    }
    call.result(n as u64)
}
