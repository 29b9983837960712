//! Output: `printf` and its family, `puts`, `fwrite` and the like.

use super::args::{Args, shared_in_list};
use super::format::{Stopped, format};
use super::stdio::*;
use super::waits::{Needs, wants_descriptor};
use super::{Call, Model};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::memory::Kind;
use gordian_trace::Wants;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "printf" | "__printf_chk" => Model::visible(|call| to_stdout(call, false), wants_stdout),
        "vprintf" | "__vprintf_chk" => Model::visible(|call| to_stdout(call, true), wants_stdout),
        "fprintf" | "__fprintf_chk" => Model::visible(|call| to_stream(call, false), wants_stream_0),
        "vfprintf" | "__vfprintf_chk" => Model::visible(|call| to_stream(call, true), wants_stream_0),
        "dprintf" | "__dprintf_chk" => Model::visible(|call| to_descriptor(call, false), wants_fd_0),
        "vdprintf" | "__vdprintf_chk" => Model::visible(|call| to_descriptor(call, true), wants_fd_0),
        "sprintf" | "__sprintf_chk" => Model::touching(|call| to_string(call, false, false)),
        "vsprintf" | "__vsprintf_chk" => Model::visible(|call| to_string(call, true, false), shared_in_list),
        "snprintf" | "__snprintf_chk" => Model::touching(|call| to_string(call, false, true)),
        "vsnprintf" | "__vsnprintf_chk" => Model::visible(|call| to_string(call, true, true), shared_in_list),
        "asprintf" | "__asprintf_chk" => Model::touching(|call| to_new_string(call, false)),
        "vasprintf" | "__vasprintf_chk" => Model::visible(|call| to_new_string(call, true), shared_in_list),
        "puts" => Model::visible(puts, wants_stdout),
        "fputs" | "fputs_unlocked" => Model::visible(
            |call| {
                let text = call.arg(0);
                let text = call.string(text)?;
                let stream = call.arg(1);
                let done = call.on_stream(stream, |call, stream| call.put(stream, &text))?;
                call.result_int(if done { 1 } else { EOF })
            },
            wants_stream_last,
        ),
        "putchar" | "putchar_unlocked" => Model::visible(
            |call| {
                let stream = call.machine.stream_address(1);
                put_character(call, stream)
            },
            wants_stdout,
        ),
        "putc" | "fputc" | "_IO_putc" | "putc_unlocked" | "fputc_unlocked" => Model::visible(
            |call| {
                let stream = call.arg(1);
                put_character(call, stream)
            },
            wants_stream_last,
        ),
        "fwrite" | "fwrite_unlocked" => Model::visible(fwrite, wants_stream_last),
        _ => return None,
    })
}

fn wants_fd_0(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let fd = call.int(0);
    wants_descriptor(call, fd, Needs::Nothing)
}

/// Writes the format of this call out: its last fixed argument, or the one before a `va_list`. `None` if
/// that failed, with `errno` set.
pub fn formatted(call: &mut Call<'_, '_>, list: bool) -> Result<Option<Vec<u8>>, Fault> {
    let last = call.n_args().saturating_sub(1);
    let (at, args) = if list { (last.saturating_sub(1), Args::List(call.arg(last))) } else { (last, Args::Direct) };
    let text = call.arg(at);
    let text = call.format_text(text)?;
    match format(call, &text, args) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(Stopped::Fault(fault)) => Err(fault),
        Err(Stopped::Errno(errno)) => {
            call.set_errno(errno);
            Ok(None)
        }
    }
}

fn put_formatted(call: &mut Call<'_, '_>, stream: u64, list: bool) -> Result<Flow, Fault> {
    let written = call.on_stream(stream, |call, stream| {
        let Some(bytes) = formatted(call, list)? else { return Ok(None) };
        Ok(call.put(stream, &bytes)?.then_some(bytes.len()))
    })?;
    call.result_int(written.map_or(-1, |n| n as i32))
}

fn to_stdout(call: &mut Call<'_, '_>, list: bool) -> Result<Flow, Fault> {
    let stream = call.machine.stream_address(1);
    put_formatted(call, stream, list)
}

fn to_stream(call: &mut Call<'_, '_>, list: bool) -> Result<Flow, Fault> {
    let stream = call.arg(0);
    put_formatted(call, stream, list)
}

fn to_descriptor(call: &mut Call<'_, '_>, list: bool) -> Result<Flow, Fault> {
    let fd = call.int(0);
    let key = call.machine.files.key_of(fd);
    let written = call.on_file(key, |call| {
        let Some(bytes) = formatted(call, list)? else { return Ok(None) };
        match call.put_waiting(fd, &bytes)? {
            Ok(n) => Ok(Some(n as usize)),
            Err(errno) => {
                call.set_errno(errno);
                Ok(None)
            }
        }
    })?;
    call.result_int(written.map_or(-1, |n| n as i32))
}

fn to_string(call: &mut Call<'_, '_>, list: bool, limited: bool) -> Result<Flow, Fault> {
    let (target, limit) = (call.arg(0), if limited { call.arg(1) as usize } else { usize::MAX });
    let Some(mut bytes) = formatted(call, list)? else { return call.result_int(-1) };
    let len = bytes.len();
    if limit > 0 {
        bytes.truncate(limit - 1);
        bytes.push(0);
        call.write(target, &bytes)?;
    }
    call.result_int(len as i32)
}

fn to_new_string(call: &mut Call<'_, '_>, list: bool) -> Result<Flow, Fault> {
    let target = call.arg(0);
    let Some(mut bytes) = formatted(call, list)? else { return call.result_int(-1) };
    bytes.push(0);
    let place = call.machine.new_heap(call.thread, bytes.len() as u64, Kind::Heap)?;
    call.write(place, &bytes)?;
    call.write_word(target, 8, place)?;
    call.result_int(bytes.len() as i32 - 1)
}

fn puts(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let text = call.arg(0);
    let mut text = call.string(text)?;
    text.push(b'\n');
    let stream = call.machine.stream_address(1);
    let done = call.on_stream(stream, |call, stream| call.put(stream, &text))?;
    call.result_int(if done { text.len() as i32 } else { EOF })
}

fn put_character(call: &mut Call<'_, '_>, stream: u64) -> Result<Flow, Fault> {
    let character = call.arg(0) as u8;
    let done = call.on_stream(stream, |call, stream| call.put(stream, &[character]))?;
    call.result_int(if done { i32::from(character) } else { EOF })
}

fn fwrite(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (source, size, n, stream) = (call.arg(0), call.arg(1), call.arg(2), call.arg(3));
    let total = size.checked_mul(n).ok_or(Fault::OutOfBounds { address: source, size: u64::MAX })?;
    let done = call.on_stream(stream, |call, stream| {
        if total == 0 {
            return Ok(false);
        }
        let bytes = call.read(source, total)?;
        call.put(stream, &bytes)
    })?;
    call.result(if done && total > 0 { n } else { 0 })
}
