//! Files by number: `open`, `read`, `write` and the like.

use super::stdio::*;
use super::waits::{Needs, reading, wants_descriptor};
use super::{Call, Model};
use crate::fault::Fault;
use crate::files::errno::*;
use crate::files::{MAX_DESCRIPTORS, Opening, Whence, key};
use crate::interp::Flow;
use gordian_trace::Wants;

const O_CREAT: u32 = 0o100;
const O_EXCL: u32 = 0o200;
const O_TRUNC: u32 = 0o1000;
const O_APPEND: u32 = 0o2000;
const O_NONBLOCK: u32 = 0o4000;
const O_DIRECTORY: u32 = 0o200_000;
const O_CLOEXEC: u32 = 0o2_000_000;
pub const AT_FDCWD: i32 = -100;
/// What one call moves at most.
const MAX_COUNT: u64 = 0x7fff_f000;
/// Buffers of `readv` and `writev`.
const IOV_MAX: i32 = 1024;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "open" | "open64" | "__open_2" | "__open64_2" => Model::visible(
            |call| {
                let (path, flags, mode) = (call.arg(0), call.arg(1), call.variadic(0).unwrap_or(0));
                open(call, path, flags as u32, mode as u32)
            },
            wants_tree,
        )
        .cancels(),
        "openat" | "openat64" => Model::visible(
            |call| {
                let (path, flags, mode) = (call.arg(1), call.arg(2), call.variadic(0).unwrap_or(0));
                check_at(call)?;
                open(call, path, flags as u32, mode as u32)
            },
            wants_tree,
        )
        .cancels(),
        "creat" | "creat64" => Model::visible(
            |call| {
                let (path, mode) = (call.arg(0), call.arg(1));
                open(call, path, O_CREAT | O_TRUNC | 1, mode as u32)
            },
            wants_tree,
        )
        .cancels(),
        "read" | "__read_chk" => Model::visible(read, |call| {
            let needs = if call.arg(2) > 0 { Needs::Data } else { Needs::Nothing };
            wants_fd(call, needs)
        })
        .cancels(),
        "write" => Model::visible(write, |call| wants_fd(call, Needs::of_write(call.arg(2)))).cancels(),
        "pread" | "pread64" => Model::visible(pread, |call| wants_fd(call, Needs::Nothing)).cancels(),
        "pwrite" | "pwrite64" => Model::visible(pwrite, |call| wants_fd(call, Needs::Nothing)).cancels(),
        "readv" => Model::visible(readv, wants_vector).cancels(),
        "writev" => Model::visible(writev, wants_vector).cancels(),
        "lseek" | "lseek64" => Model::visible(lseek, |call| wants_fd(call, Needs::Nothing)),
        "ftruncate" | "ftruncate64" => Model::visible(ftruncate, |call| wants_fd(call, Needs::Nothing)),
        "fsync" | "fdatasync" => Model::visible(
            |call| {
                let known = call.machine.files.description(call.int(0)).map(|_| 0);
                on_descriptor(call, |_, _| Ok(known))
            },
            |call| wants_fd(call, Needs::Nothing),
        )
        .cancels(),
        "close" => Model::visible(
            |call| {
                let fd = call.int(0);
                let closed = call.on_descriptor_table(fd, |call| Ok(call.machine.files_mut().close(fd)))?;
                int_outcome(call, closed.map(|()| 0))
            },
            wants_tree,
        )
        .cancels(),
        "dup" => Model::visible(
            |call| {
                let fd = call.int(0);
                on_tree(call, |call| call.machine.files_mut().duplicate(fd, 0).map(i64::from))
            },
            wants_tree,
        ),
        "dup2" | "dup3" => Model::visible(duplicate_to, wants_tree),
        "pipe" | "pipe2" => Model::visible(pipe, wants_tree),
        "fcntl" | "fcntl64" => Model::visible(fcntl, wants_tree),
        "isatty" => Model::visible(
            |call| {
                let fd = call.int(0);
                let key = call.machine.files.key_of(fd);
                let known = call.on_file(key, |call| Ok(call.machine.files.description(fd).is_ok()))?;
                call.error(if known { ENOTTY } else { EBADF }, 0)
            },
            |call| wants_fd(call, Needs::Nothing),
        ),
        _ => return None,
    })
}

fn wants_fd(call: &mut Call<'_, '_>, needs: Needs) -> Result<Option<Wants>, Fault> {
    let fd = call.int(0);
    wants_descriptor(call, fd, needs)
}

/// Gives a result of 64 bits, or -1 with `errno`. An `int` function's caller looks at the lower half.
pub fn outcome(call: &mut Call<'_, '_>, outcome: Result<i64, Errno>) -> Result<Flow, Fault> {
    match outcome {
        Ok(value) => call.result(value as u64),
        Err(errno) => call.error(errno, u64::MAX),
    }
}

/// The same for functions that give an `int`.
pub fn int_outcome(call: &mut Call<'_, '_>, outcome: Result<i64, Errno>) -> Result<Flow, Fault> {
    match outcome {
        Ok(value) => call.result_int(value as i32),
        Err(errno) => call.error(errno, u64::from(u32::MAX)),
    }
}

/// An operation on names or on the table of descriptors that gives an `int`.
pub fn on_tree(
    call: &mut Call<'_, '_>,
    act: impl FnOnce(&mut Call<'_, '_>) -> Result<i64, Errno>,
) -> Result<Flow, Fault> {
    let done = call.on_file(Some(key::TREE), |call| Ok(act(call)))?;
    int_outcome(call, done)
}

/// An operation on the open file that the first argument names.
fn on_descriptor(
    call: &mut Call<'_, '_>,
    act: impl FnOnce(&mut Call<'_, '_>, i32) -> Result<Result<i64, Errno>, Fault>,
) -> Result<Flow, Fault> {
    let fd = call.int(0);
    let key = call.machine.files.key_of(fd);
    let done = call.on_file(key, |call| act(call, fd))?;
    outcome(call, done)
}

/// Paths relative to an open directory are not modelled.
pub fn check_at(call: &mut Call<'_, '_>) -> Result<(), Fault> {
    if call.int(0) == AT_FDCWD {
        return Ok(());
    }
    Err(Fault::Unsupported(format!("`{}` relative to an open directory", call.name())))
}

fn open(call: &mut Call<'_, '_>, path: u64, flags: u32, mode: u32) -> Result<Flow, Fault> {
    let path = call.string(path)?;
    let how = Opening {
        read: flags & 3 != 1,
        write: flags & 3 != 0,
        append: flags & O_APPEND != 0,
        create: flags & O_CREAT != 0,
        exclusive: flags & O_EXCL != 0,
        truncate: flags & O_TRUNC != 0,
        directory: flags & O_DIRECTORY != 0,
        close_on_exec: flags & O_CLOEXEC != 0,
        mode,
    };
    on_tree(call, |call| call.machine.files_mut().open(&path, how).map(i64::from))
}

fn read(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, len) = (call.arg(1), call.arg(2).min(MAX_COUNT));
    on_descriptor(call, |call, fd| {
        Ok(match call.get_descriptor(fd, call.cut_to_target(fd, target, len)) {
            Ok(bytes) => {
                call.write_bytes(target, &bytes)?;
                Ok(bytes.len() as i64)
            }
            Err(errno) => Err(errno),
        })
    })
}

fn write(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (source, len) = (call.arg(1), call.arg(2).min(MAX_COUNT));
    on_descriptor(call, |call, fd| {
        let bytes = call.read(source, len)?;
        call.put_waiting(fd, &bytes)
    })
}

fn pread(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, len, offset) = (call.arg(1), call.arg(2).min(MAX_COUNT), call.arg(3));
    on_descriptor(call, |call, fd| {
        if offset > i64::MAX as u64 {
            return Ok(Err(EINVAL));
        }
        Ok(match call.machine.files_mut().read_at(fd, offset, len) {
            Ok(bytes) => {
                let bytes = call.renewed(bytes);
                call.write_bytes(target, &bytes)?;
                Ok(bytes.len() as i64)
            }
            Err(errno) => Err(errno),
        })
    })
}

fn pwrite(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (source, len, offset) = (call.arg(1), call.arg(2).min(MAX_COUNT), call.arg(3));
    on_descriptor(call, |call, fd| {
        if offset > i64::MAX as u64 {
            return Ok(Err(EINVAL));
        }
        let bytes = call.read(source, len)?;
        Ok(call.machine.files_mut().write_at(fd, offset, &bytes).map(|()| bytes.len() as i64))
    })
}

/// The buffers of `readv` and `writev`: address and length of each.
fn vector(call: &mut Call<'_, '_>) -> Result<Result<Vec<(u64, u64)>, Errno>, Fault> {
    let (list, n) = (call.arg(1), call.int(2));
    if !(0..=IOV_MAX).contains(&n) {
        return Ok(Err(EINVAL));
    }
    let part = |call: &mut Call<'_, '_>, at| Ok((call.read_word(at, 8)?, call.read_word(at + 8, 8)?));
    let buffers: Vec<_> = (0..n as u64).map(|n| part(call, list + 16 * n)).collect::<Result<_, Fault>>()?;
    // No length may be negative, nor their sum. Linux looks at the lengths one by one, and cuts off what is too much for one call.
    let fits = |len: &u64| *len <= i64::MAX as u64;
    if !buffers.iter().all(|(_, len)| fits(len)) {
        return Ok(Err(EINVAL));
    }
    let mut room = MAX_COUNT;
    let cut = |(address, len): (u64, u64)| {
        let len = len.min(room);
        room -= len;
        (address, len)
    };
    Ok(Ok(buffers.into_iter().map(cut).collect()))
}

/// What is wanted of the open file, or else of the buffers that a list names.
fn wants_vector(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let wanted = wants_fd(call, Needs::Nothing)?;
    let (list, n) = (call.arg(1), call.int(2).clamp(0, IOV_MAX) as u64);
    if wanted.is_some()
        || !call.machine.accesses_are_visible()
        || call.machine.memory.check(list, 16 * n, false).is_err()
    {
        return Ok(wanted);
    }
    let mut buffers = (0..n).map(|nth| call.machine.memory.load(list + 16 * nth, 8));
    Ok(buffers.find_map(|buffer| call.wants_shared(buffer)))
}

fn readv(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let buffers = vector(call)?;
    on_descriptor(call, |call, fd| {
        let readable = call.machine.files.description(fd).map(|open| open.readable);
        let buffers = match (readable, buffers) {
            (Ok(false), _) => return Ok(Err(EBADF)),
            (Err(errno), _) | (_, Err(errno)) => return Ok(Err(errno)),
            (_, Ok(buffers)) => buffers,
        };
        let total: u64 = buffers.iter().map(|(_, len)| len).sum();
        if total > 0 && call.machine.files.read_waits(fd) {
            return Err(Fault::Waits(reading(call, fd)));
        }
        // Nothing behind the first buffer that overflows is written.
        let mut asked = 0;
        for &(target, len) in &buffers {
            let fitting = call.cut_to_target(fd, target, len);
            asked += fitting;
            if fitting < len {
                break;
            }
        }
        let bytes = match call.get_descriptor(fd, asked) {
            Ok(bytes) => bytes,
            Err(errno) => return Ok(Err(errno)),
        };
        let mut at = 0;
        for (target, len) in buffers {
            let now = bytes.part(at, len as usize);
            call.write_bytes(target, &now)?;
            at += now.len();
        }
        Ok(Ok(bytes.len() as i64))
    })
}

fn writev(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let buffers = vector(call)?;
    on_descriptor(call, |call, fd| {
        let writable = call.machine.files.description(fd).map(|open| open.writable);
        let buffers = match (writable, buffers) {
            (Ok(false), _) => return Ok(Err(EBADF)),
            (Err(errno), _) | (_, Err(errno)) => return Ok(Err(errno)),
            (_, Ok(buffers)) => buffers,
        };
        let mut bytes = Vec::new();
        for (source, len) in buffers {
            bytes.extend(call.read(source, len)?);
        }
        call.put_waiting(fd, &bytes)
    })
}

fn lseek(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (distance, whence) = (call.arg(1) as i64, Whence::from_int(call.int(2)));
    on_descriptor(call, |call, fd| {
        let Some(whence) = whence else { return Ok(Err(EINVAL)) };
        Ok(call.machine.files_mut().seek(fd, distance, whence).map(|to| to as i64))
    })
}

fn ftruncate(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let len = call.arg(1);
    on_descriptor(call, |call, fd| {
        let writable = call.machine.files.description(fd).map(|open| open.writable);
        Ok(match (writable, call.machine.files.node_of(fd)) {
            (Err(errno), _) | (_, Err(errno)) => Err(errno),
            (Ok(true), Ok(Some(node))) if len <= i64::MAX as u64 => {
                call.machine.files_mut().resize(node, len).map(|()| 0)
            }
            _ => Err(EINVAL),
        })
    })
}

fn duplicate_to(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (fd, to) = (call.int(0), call.int(1));
    let flags = (call.name() == "dup3").then(|| call.arg(2) as u32);
    if flags.is_some_and(|flags| fd == to || flags & !O_CLOEXEC != 0) {
        return int_outcome(call, Err(EINVAL));
    }
    let made = call.on_descriptor_table(to, |call| {
        let made = call.machine.files_mut().duplicate_to(fd, to);
        if made.is_ok() && fd != to {
            call.machine.files_mut().set_close_on_exec(to, flags.is_some_and(|flags| flags & O_CLOEXEC != 0));
        }
        Ok(made)
    })?;
    int_outcome(call, made.map(i64::from))
}

fn pipe(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let target = call.arg(0);
    let made = call.on_file(Some(key::TREE), |call| {
        // The address of an object of its own is a name that does not depend on the interleaving.
        let name = call.machine.new_hidden(call.thread, 8)?;
        let made = call.machine.files_mut().pipe(name);
        let flags = if call.name() == "pipe2" { call.arg(1) as u32 } else { 0 };
        if let Ok((reading, writing)) = made {
            for fd in [reading, writing] {
                let files = call.machine.files_mut();
                files.set_flags(fd, false, flags & O_NONBLOCK != 0).expect("it was opened just now");
                files.set_close_on_exec(fd, flags & O_CLOEXEC != 0);
            }
        }
        Ok(made)
    })?;
    match made {
        Ok((reading, writing)) => {
            call.write_word(target, 4, reading as u64)?;
            call.write_word(target + 4, 4, writing as u64)?;
            call.result_int(0)
        }
        Err(errno) => int_outcome(call, Err(errno)),
    }
}

fn fcntl(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (fd, command, argument) = (call.int(0), call.int(1), call.variadic(0).unwrap_or(0));
    let open = match call.machine.files.description(fd) {
        Ok(open) => *open,
        Err(errno) => return int_outcome(call, Err(errno)),
    };
    match command {
        // F_DUPFD, F_DUPFD_CLOEXEC
        0 | 1030 => {
            let least = argument as u32 as usize;
            if least >= MAX_DESCRIPTORS {
                return int_outcome(call, Err(EINVAL));
            }
            on_tree(call, |call| {
                let new = call.machine.files_mut().duplicate(fd, least)?;
                call.machine.files_mut().set_close_on_exec(new, command == 1030);
                Ok(i64::from(new))
            })
        }
        // F_GETFD
        1 => call.result_int(i32::from(call.machine.files.closes_on_exec(fd))),
        // F_SETFD
        2 => on_tree(call, |call| {
            call.machine.files_mut().set_close_on_exec(fd, argument & 1 != 0);
            Ok(0)
        }),
        // F_GETFL
        3 => {
            let access = match (open.readable, open.writable) {
                (true, true) => 2,
                (false, true) => 1,
                _ => 0,
            };
            let flag = |is_set: bool, flag: u32| if is_set { flag as i32 } else { 0 };
            call.result_int(access | flag(open.append, O_APPEND) | flag(open.nonblocking, O_NONBLOCK))
        }
        // F_SETFL
        4 => {
            let flags = argument as u32;
            let (append, nonblocking) = (flags & O_APPEND != 0, flags & O_NONBLOCK != 0);
            on_tree(call, |call| call.machine.files_mut().set_flags(fd, append, nonblocking).map(|()| 0))
        }
        // Locks, which nobody else could hold.
        6 | 7 => call.result_int(0),
        _ => Err(Fault::Unsupported(format!("`fcntl` with command {command}"))),
    }
}
