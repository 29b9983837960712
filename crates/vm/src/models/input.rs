//! Input: `getchar`, `fgets`, `getline`, `fread`, `ungetc`, and the calls of `scanf`.

use super::args::{Args, shared_in_list};
use super::scan::{Source, scan};
use super::stdio::*;
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::Byte;
use crate::files::errno::EINVAL;
use crate::interp::Flow;
use crate::memory::Kind;

/// What glibc allocates for a line at first.
const LINE: u64 = 120;

pub fn lookup(name: &str) -> Option<Model> {
    let plain = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    if let Some(model) = lookup_scanf(plain) {
        return Some(model);
    }
    Some(match name {
        "getchar" | "getchar_unlocked" => Model::visible(
            |call| {
                let stream = call.machine.stream_address(0);
                get_character(call, stream)
            },
            wants_stdin,
        ),
        "getc" | "fgetc" | "_IO_getc" | "getc_unlocked" | "fgetc_unlocked" => Model::visible(
            |call| {
                let stream = call.arg(0);
                get_character(call, stream)
            },
            wants_input_0,
        ),
        "ungetc" => Model::visible(unget, wants_stream_last),
        "fgets" | "fgets_unlocked" => Model::visible(fgets, |call| wants_last(call, call.int(1) > 1)),
        "gets" => Model::visible(gets, wants_stdin),
        "fread" | "fread_unlocked" => {
            Model::visible(fread, |call| wants_last(call, call.arg(1) > 0 && call.arg(2) > 0))
        }
        "getline" => Model::visible(|call| get_line(call, b'\n'), wants_input_last),
        "getdelim" | "__getdelim" => Model::visible(|call| get_line(call, call.arg(2) as u8), wants_input_last),
        _ => return None,
    })
}

fn lookup_scanf(name: &str) -> Option<Model> {
    Some(match name {
        "scanf" => Model::visible(|call| scan_stdin(call, false), wants_stdin),
        "vscanf" => Model::visible(|call| scan_stdin(call, true), wants_stdin),
        "fscanf" => Model::visible(|call| scan_stream(call, false), wants_input_0),
        "vfscanf" => Model::visible(|call| scan_stream(call, true), wants_input_0),
        "sscanf" => Model::touching(|call| scan_text(call, false)),
        "vsscanf" => Model::visible(|call| scan_text(call, true), shared_in_list),
        _ => return None,
    })
}

fn scan_from(call: &mut Call<'_, '_>, source: Source, list: bool) -> Result<i32, Fault> {
    let last = call.n_args().saturating_sub(1);
    let (at, args) = if list { (last.saturating_sub(1), Args::List(call.arg(last))) } else { (last, Args::Direct) };
    let format = call.arg(at);
    let format = call.string(format)?;
    scan(call, source, &format, args)
}

fn scan_stdin(call: &mut Call<'_, '_>, list: bool) -> Result<Flow, Fault> {
    let stream = call.machine.stream_address(0);
    let n = call.on_stream(stream, |call, stream| scan_from(call, Source::Stream(stream), list))?;
    call.result_int(n)
}

fn scan_stream(call: &mut Call<'_, '_>, list: bool) -> Result<Flow, Fault> {
    let stream = call.arg(0);
    let n = call.on_stream(stream, |call, stream| scan_from(call, Source::Stream(stream), list))?;
    call.result_int(n)
}

fn scan_text(call: &mut Call<'_, '_>, list: bool) -> Result<Flow, Fault> {
    let text = call.arg(0);
    let text = call.string_with_terms(text)?;
    let n = scan_from(call, Source::Text(text), list)?;
    call.result_int(n)
}

fn get_character(call: &mut Call<'_, '_>, stream: u64) -> Result<Flow, Fault> {
    let byte = call.on_stream(stream, |call, stream| call.get(stream))?;
    let Some(byte) = byte else { return call.result_int(EOF) };
    let term = byte.term.map(|term| call.machine.symbolic.pool.zext(term, 64));
    call.result_with(byte.value.into(), term)
}

fn unget(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (character, stream) = (call.int(0), call.arg(1));
    let term = call.site.args.first().and_then(|&slot| call.machine.term(call.thread, slot));
    let is_end = match term {
        Some(term) => {
            let pool = &mut call.machine.symbolic.pool;
            let (value, end) = (pool.trunc(term, 32), pool.constant(u128::from(EOF as u32), 32));
            let is_end = pool.eq(value, end);
            call.decide(is_end)?
        }
        None => character == EOF,
    };
    if is_end {
        call.on_stream(stream, |_, _| Ok(()))?;
        return call.result_int(EOF);
    }
    let pool = &mut call.machine.symbolic.pool;
    let byte = Byte { value: character as u8, term: term.map(|term| pool.trunc(term, 8)) };
    let term = byte.term.map(|term| pool.zext(term, 64));
    call.on_stream(stream, |call, stream| {
        let stream = call.stream_mut(stream);
        stream.pushed_back.push(byte);
        stream.eof = false;
        Ok(())
    })?;
    call.result_with(byte.value.into(), term)
}

fn fgets(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, size, stream) = (call.arg(0), call.int(1), call.arg(2));
    if size <= 0 {
        return call.result(0);
    }
    let done = call.on_stream(stream, |call, stream| {
        let error = std::mem::take(&mut call.stream_mut(stream).error);
        let fd = call.stream(stream)?.fd;
        let most = call.cut_to_target(fd, target, size as u64 - 1);
        let (mut bytes, _) = call.get_until(stream, b'\n', most as usize)?;
        let failed = call.stream(stream)?.error;
        call.stream_mut(stream).error |= error;
        if failed || bytes.is_empty() && size > 1 {
            return Ok(false);
        }
        bytes.push(0);
        call.write_bytes(target, &bytes)?;
        Ok(true)
    })?;
    call.result(if done { target } else { 0 })
}

fn gets(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let target = call.arg(0);
    let stream = call.machine.stream_address(0);
    let done = call.on_stream(stream, |call, stream| {
        let (mut bytes, ended) = call.get_until(stream, b'\n', usize::MAX)?;
        if bytes.is_empty() {
            return Ok(false);
        }
        if ended {
            bytes.pop();
        }
        bytes.push(0);
        call.write_bytes(target, &bytes)?;
        Ok(true)
    })?;
    call.result(if done { target } else { 0 })
}

fn fread(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, size, n, stream) = (call.arg(0), call.arg(1), call.arg(2), call.arg(3));
    let total = size.checked_mul(n).ok_or(Fault::OutOfBounds { address: target, size: u64::MAX })?;
    if total == 0 {
        return call.result(0);
    }
    let read = call.on_stream(stream, |call, stream| {
        let fd = call.stream(stream)?.fd;
        let bytes = call.get_many(stream, call.cut_to_target(fd, target, total))?;
        call.write_bytes(target, &bytes)?;
        Ok(bytes.len() as u64)
    })?;
    call.result(read / size)
}

fn get_line(call: &mut Call<'_, '_>, delimiter: u8) -> Result<Flow, Fault> {
    let (line, capacity) = (call.arg(0), call.arg(1));
    if line == 0 || capacity == 0 {
        return call.error(EINVAL, u64::MAX);
    }
    let stream = call.arg(call.n_args() - 1);
    let len = call.on_stream(stream, |call, stream| {
        let mut buffer = call.read_word(line, 8)?;
        let mut size = if buffer == 0 { 0 } else { call.read_word(capacity, 8)? };
        let (mut bytes, _) = call.get_until(stream, delimiter, usize::MAX)?;
        let needed = bytes.len() as u64 + 1;
        // glibc takes a size of 0 for no buffer, whatever stands there, and leaves that alone.
        if size == 0 {
            buffer = 0;
        }
        let new_size = match size {
            0 => LINE.max(needed),
            size if needed > size => needed.max(2 * size),
            size => size,
        };
        if new_size != size {
            let new = call.machine.new_heap(call.thread, new_size, Kind::Heap)?;
            if buffer != 0 {
                super::memory::release(call, buffer)?;
            }
            (buffer, size) = (new, new_size);
            call.write_word(line, 8, buffer)?;
            call.write_word(capacity, 8, size)?;
        }
        if bytes.is_empty() {
            return Ok(None);
        }
        let len = bytes.len() as u64;
        bytes.push(0);
        call.write_bytes(buffer, &bytes)?;
        Ok(Some(len))
    })?;
    call.result(len.unwrap_or(u64::MAX))
}
