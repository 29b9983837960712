//! Streams as such: opening, closing, positions and flags.

use super::stdio::*;
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::errno::*;
use crate::files::{Buffering, Description, Lent, Opening, Stream, Target, Whence, key};
use crate::interp::Flow;
use crate::symbolic::AnnotationKind;
use gordian_trace::OpKind;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "fopen" | "fopen64" => Model::visible(fopen, wants_tree),
        "fdopen" => Model::visible(fdopen, wants_tree),
        "freopen" | "freopen64" => Model::visible(freopen, wants_tree),
        "tmpfile" | "tmpfile64" => Model::visible(tmpfile, wants_tree),
        "fclose" => Model::visible(fclose, wants_tree),
        "fflush" | "fflush_unlocked" => Model::visible(fflush, wants_stream_0),
        "fseek" | "fseeko" | "fseeko64" => Model::visible(
            |call| {
                let (stream, distance, whence) = (call.arg(0), call.arg(1) as i64, call.int(2));
                let Some(whence) = Whence::from_int(whence) else { return call.error(EINVAL, minus_one()) };
                seek(call, stream, distance, whence)
            },
            wants_stream_0,
        ),
        "rewind" => Model::visible(rewind, wants_stream_0),
        "ftell" | "ftello" | "ftello64" => Model::visible(ftell, wants_stream_0),
        "fgetpos" | "fgetpos64" => Model::visible(fgetpos, wants_stream_0),
        "fsetpos" | "fsetpos64" => Model::visible(
            |call| {
                let (stream, place) = (call.arg(0), call.arg(1));
                let position = call.read_word(place, 8)?;
                seek(call, stream, position as i64, Whence::Set)
            },
            wants_stream_0,
        ),
        "feof" | "feof_unlocked" => Model::visible(
            |call| {
                let stream = call.arg(0);
                let eof = call.on_stream(stream, |call, stream| Ok(call.stream(stream)?.eof))?;
                // The bits that glibc has.
                call.result_int(if eof { 1 } else { 0 })
            },
            wants_stream_0,
        ),
        "ferror" | "ferror_unlocked" => Model::visible(
            |call| {
                let stream = call.arg(0);
                let error = call.on_stream(stream, |call, stream| Ok(call.stream(stream)?.error))?;
                call.result_int(i32::from(error))
            },
            wants_stream_0,
        ),
        "clearerr" | "clearerr_unlocked" => Model::visible(
            |call| {
                let stream = call.arg(0);
                call.on_stream(stream, |call, stream| {
                    let stream = call.stream_mut(stream);
                    (stream.eof, stream.error) = (false, false);
                    Ok(Flow::Next)
                })
            },
            wants_stream_0,
        ),
        "fileno" | "fileno_unlocked" => Model::visible(
            |call| {
                let stream = call.arg(0);
                let fd = call.on_stream(stream, |call, stream| Ok(call.stream(stream)?.fd))?;
                call.result_int(fd)
            },
            wants_stream_0,
        ),
        "setbuf" => Model::visible(|call| set_buffer(call, BUFSIZ), wants_stream_0),
        "setbuffer" => Model::visible(|call| set_buffer(call, call.arg(2) as usize), wants_stream_0),
        "setlinebuf" => Model::visible(
            |call| {
                let stream = call.arg(0);
                call.on_stream(stream, |call, stream| {
                    let stream = call.stream_mut(stream);
                    let size = stream.lent.map_or(Buffering::SIZE, |lent| lent.len as usize);
                    stream.buffering = Buffering::Line(size);
                    Ok(Flow::Next)
                })
            },
            wants_stream_0,
        ),
        "setvbuf" => Model::visible(setvbuf, wants_stream_0),
        _ => return None,
    })
}

/// What `setbuf` takes the size of its buffer to be.
const BUFSIZ: usize = 8192;

fn set_buffer(call: &mut Call<'_, '_>, size: usize) -> Result<Flow, Fault> {
    let (stream, buffer) = (call.arg(0), call.arg(1));
    call.on_stream(stream, |call, stream| {
        let buffer = lent(buffer, size);
        let buffering = if buffer.is_some() { Buffering::Full(size) } else { Buffering::Unbuffered };
        replace_buffer(call, stream, buffer, buffering)?;
        Ok(Flow::Next)
    })
}

fn setvbuf(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (stream, buffer, mode, size) = (call.arg(0), call.arg(1), call.int(2), call.arg(3) as usize);
    if !(FULLY_BUFFERED..=UNBUFFERED).contains(&mode) {
        return call.result_int(-1);
    }
    call.on_stream(stream, |call, stream| {
        // As in glibc, a buffer without a size is none, and then nothing is buffered.
        let mode = if buffer != 0 && size == 0 { UNBUFFERED } else { mode };
        let buffer = lent(buffer, size).filter(|_| mode != UNBUFFERED);
        // Without a new one the stream keeps the buffer that it has.
        let size = buffer.or(call.stream(stream)?.lent).map_or(Buffering::SIZE, |lent| lent.len as usize);
        let buffering = match mode {
            UNBUFFERED => Buffering::Unbuffered,
            LINE_BUFFERED => Buffering::Line(size),
            _ => Buffering::Full(size),
        };
        if buffer.is_some() || mode == UNBUFFERED {
            replace_buffer(call, stream, buffer, buffering)
        } else {
            call.stream_mut(stream).buffering = buffering;
            Ok(())
        }
    })?;
    call.result_int(0)
}

/// The buffer that the program gives a stream, if it gives one.
fn lent(address: u64, size: usize) -> Option<Lent> {
    (address != 0 && size != 0).then_some(Lent { address, len: size as u64, n_held: 0 })
}

/// Gives a stream another buffer. What is in the old one is written before.
fn replace_buffer(
    call: &mut Call<'_, '_>,
    stream: u64,
    buffer: Option<Lent>,
    buffering: Buffering,
) -> Result<(), Fault> {
    call.flush(stream)?;
    if let Some(lent) = buffer {
        // Whoever uses the stream from now on uses it.
        call.machine.publish(call.thread, lent.address);
        if call.machine.accesses_are_visible() {
            call.event(OpKind::File, stream, 0, 0, 0);
        }
    }
    let stream = call.stream_mut(stream);
    (stream.lent, stream.buffering) = (buffer, buffering);
    Ok(())
}

/// Modes of `setvbuf`.
const FULLY_BUFFERED: i32 = 0;
const LINE_BUFFERED: i32 = 1;
const UNBUFFERED: i32 = 2;

fn minus_one() -> u64 {
    u64::from(u32::MAX)
}

/// What the mode of `fopen` asks for.
fn opening(mode: &[u8]) -> Option<Opening> {
    let (letter, rest) = mode.split_first()?;
    let rest = rest.split(|&byte| byte == b',').next().unwrap_or_default();
    let both = rest.contains(&b'+');
    let close_on_exec = rest.contains(&b'e');
    let exclusive = rest.contains(&b'x');
    let new = Opening { create: true, exclusive, close_on_exec, mode: 0o666, ..Opening::default() };
    Some(match letter {
        b'r' => Opening { read: true, write: both, close_on_exec, ..Opening::default() },
        b'w' => Opening { read: both, write: true, truncate: true, ..new },
        b'a' => Opening { read: both, write: true, append: true, ..new },
        _ => return None,
    })
}

fn add_stream(call: &mut Call<'_, '_>, fd: i32, how: Opening) -> Result<u64, Fault> {
    let place = call.machine.new_stream(call.thread)?;
    put_stream(call, place, fd, how);
    Ok(place)
}

fn put_stream(call: &mut Call<'_, '_>, place: u64, fd: i32, how: Opening) {
    if how.append && !how.read {
        // A pipe has no end to go to.
        let _ = call.machine.files_mut().seek(fd, 0, Whence::End);
    }
    let stream = Stream { fd, readable: how.read, writable: how.write, ..Stream::default() };
    call.machine.files_mut().add_stream(place, stream);
}

fn fopen(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (path, mode) = (call.arg(0), call.arg(1));
    let (path, mode) = (call.string(path)?, call.string(mode)?);
    let Some(how) = opening(&mode) else { return call.error(EINVAL, 0) };
    let place = call.on_file(Some(key::TREE), |call| match call.machine.files_mut().open(&path, how) {
        Ok(fd) => Ok(Ok(add_stream(call, fd, how)?)),
        Err(errno) => Ok(Err(errno)),
    })?;
    match place {
        Ok(place) => call.result(place),
        Err(errno) => call.error(errno, 0),
    }
}

fn fdopen(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (fd, mode) = (call.int(0), call.arg(1));
    let mode = call.string(mode)?;
    let Some(how) = opening(&mode) else { return call.error(EINVAL, 0) };
    let place = call.on_file(Some(key::TREE), |call| {
        let open = match call.machine.files.description(fd) {
            Err(errno) => return Ok(Err(errno)),
            Ok(open) if how.read && !open.readable || how.write && !open.writable => return Ok(Err(EINVAL)),
            Ok(open) => *open,
        };
        if how.append && !open.append {
            call.machine.files_mut().set_flags(fd, true, open.nonblocking).expect("it is open");
        }
        Ok(Ok(add_stream(call, fd, how)?))
    })?;
    match place {
        Ok(place) => call.result(place),
        Err(errno) => call.error(errno, 0),
    }
}

fn freopen(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (path, mode, stream) = (call.arg(0), call.arg(1), call.arg(2));
    let mode = call.string(mode)?;
    let fd = call.stream(stream)?.fd;
    if path == 0 {
        return Err(Fault::Unsupported("`freopen` without a path".to_owned()));
    }
    let path = call.string(path)?;
    let Some(how) = opening(&mode) else { return call.error(EINVAL, 0) };
    check_unused(call, stream)?;
    let opened = call.on_descriptor_table(fd, |call| {
        call.flush(stream)?;
        let files = call.machine.files_mut();
        // The stream keeps its number, though a smaller one may be free.
        let opened = match files.open(&path, how) {
            Ok(new) if fd >= 0 && new != fd => {
                let moved = files.duplicate_to(new, fd);
                files.set_close_on_exec(fd, how.close_on_exec);
                let _ = files.close(new);
                moved
            }
            opened => opened,
        };
        if opened.is_err() {
            // One that was closed already is no matter.
            let _ = files.close(fd);
        }
        // Its buffering is that of a new stream, as in glibc.
        put_stream(call, stream, opened.unwrap_or(-1), how);
        Ok(opened)
    })?;
    match opened {
        Ok(_) => call.result(stream),
        Err(errno) => call.error(errno, 0),
    }
}

fn tmpfile(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let how = Opening { read: true, write: true, ..Opening::default() };
    let place = call.on_file(Some(key::TREE), |call| {
        let place = call.machine.new_stream(call.thread)?;
        let opened = call.machine.files_mut().open_temporary(place);
        if let Ok(fd) = opened {
            put_stream(call, place, fd, how);
        }
        Ok(opened.map(|_| place))
    })?;
    match place {
        Ok(place) => call.result(place),
        Err(errno) => call.error(errno, 0),
    }
}

/// Natively the end of a stream waits until its other users have let go of its lock.
fn check_unused(call: &mut Call<'_, '_>, place: u64) -> Result<(), Fault> {
    let busy = call.stream(place)?.busy;
    if busy.is_none_or(|thread| thread == call.thread) {
        return Ok(());
    }
    let name = call.name();
    Err(Fault::Unsupported(format!("`{name}` of a stream on which another thread waits for a pipe")))
}

fn fclose(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    let fd = call.stream(place)?.fd;
    check_unused(call, place)?;
    let file = call.machine.files.key_of(fd);
    call.machine.annotate(call.thread, AnnotationKind::Closes(place));
    let closed = call.on_descriptor_table(fd, |call| {
        let flushed = call.flush(place)?;
        if let Some(file) = file.filter(|&file| call.machine.accesses_are_visible() && file < OpKind::DESCRIPTORS) {
            call.machine.acquire(call.thread, file);
            call.machine.release(call.thread, file);
        }
        let closed = call.machine.files_mut().close(fd);
        if call.machine.stream_number(place).is_some() {
            // `stdin` and its like stay, but lead nowhere.
            let stream = call.stream_mut(place);
            (stream.fd, stream.busy) = (-1, None);
        } else {
            call.end_stream_lock(place);
            let at = call.machine.user_point(call.thread);
            call.machine.end_life(call.thread, place, at);
            call.machine.files_mut().remove_stream(place);
        }
        Ok(closed.map(|()| flushed))
    })?;
    match closed {
        Ok(true) => call.result_int(0),
        // The reason is in `errno` since then.
        Ok(false) => call.result(minus_one()),
        Err(errno) => call.error(errno, minus_one()),
    }
}

fn fflush(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    let done = if place == 0 {
        let mut done = true;
        let is_held = |place| {
            !call.machine.mutex_is_free(place) && !call.machine.holds_mutex(call.thread, place).unwrap_or(false)
        };
        let is_seen = call.machine.accesses_are_visible();
        if call.machine.locks_streams && (is_seen || call.machine.files.all_streams().into_iter().any(is_held)) {
            let why = "`fflush(NULL)`, which takes the locks of all streams one after the other, in a program that locks streams itself";
            return Err(Fault::Unsupported(why.to_owned()));
        }
        // Those that hold nothing are looked at, too: others may be about to write to them.
        for place in call.machine.files.streams_of_files() {
            done &= call.on_stream(place, |call, place| call.flush(place))?;
        }
        done
    } else {
        call.on_stream(place, |call, place| call.flush(place))?
    };
    call.machine.files.flush_real();
    call.result_int(if done { 0 } else { EOF })
}

fn seek(call: &mut Call<'_, '_>, place: u64, distance: i64, whence: Whence) -> Result<Flow, Fault> {
    let done = call.on_stream(place, |call, place| {
        call.flush(place)?;
        let stream = call.stream(place)?;
        let (fd, ahead) = (stream.fd, stream.pushed_back.len() as i64);
        let distance = if whence == Whence::Current { distance.wrapping_sub(ahead) } else { distance };
        let done = call.machine.files_mut().seek(fd, distance, whence);
        if done.is_ok() {
            let stream = call.stream_mut(place);
            stream.eof = false;
            stream.pushed_back.clear();
        }
        Ok(done)
    })?;
    match done {
        Ok(_) => call.result_int(0),
        Err(errno) => call.error(errno, minus_one()),
    }
}

fn rewind(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    call.on_stream(place, |call, place| {
        call.flush(place)?;
        let fd = call.stream(place)?.fd;
        if let Err(errno) = call.machine.files_mut().seek(fd, 0, Whence::Set) {
            call.set_errno(errno);
        }
        let stream = call.stream_mut(place);
        (stream.eof, stream.error) = (false, false);
        stream.pushed_back.clear();
        Ok(Flow::Next)
    })
}

/// Where the stream stands.
fn tell(call: &mut Call<'_, '_>, place: u64) -> Result<Result<u64, Errno>, Fault> {
    call.on_stream(place, |call, place| {
        let stream = call.stream(place)?;
        let (fd, ahead, behind) = (stream.fd, stream.pushed_back.len() as u64, stream.written.len() as u64);
        Ok(match call.machine.files.description(fd) {
            Ok(open) if matches!(open.target, Target::Stdin | Target::Stdout | Target::Stderr | Target::Pipe(..)) => {
                Err(ESPIPE)
            }
            // What is yet to be written goes to the end.
            Ok(&Description { target: Target::File(node), append: true, .. }) if behind > 0 => {
                Ok(call.machine.files.facts(node).0 + behind)
            }
            Ok(open) => Ok(open.offset.saturating_sub(ahead) + behind),
            Err(errno) => Err(errno),
        })
    })
}

fn ftell(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    match tell(call, place)? {
        Ok(position) => call.result(position),
        Err(errno) => call.error(errno, u64::MAX),
    }
}

fn fgetpos(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (place, target) = (call.arg(0), call.arg(1));
    match tell(call, place)? {
        Ok(position) => {
            call.write_word(target, 8, position)?;
            call.write(target + 8, &[0; 8])?;
            call.result_int(0)
        }
        Err(errno) => call.error(errno, minus_one()),
    }
}
