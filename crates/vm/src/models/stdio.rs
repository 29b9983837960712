//! What all stream functions share: finding the stream, who can see the operation, bytes in and out.

use super::Call;
use super::args::shared_in_list;
use crate::fault::Fault;
use crate::files::errno::{EBADF, Errno};
use crate::files::{Byte, Bytes, Stream, Target, key};
use crate::machine::Machine;
use gordian_trace::{OpKind, Wants};

pub const EOF: i32 = -1;
/// `Wants::size` of a read that waits while its pipe is empty; the descriptor stands above it.
pub const WAITS: u32 = 1;

/// What is wanted of an open file: itself, or else the memory that the arguments point to.
pub fn wants_descriptor(call: &mut Call<'_, '_>, fd: i32, reads: bool) -> Result<Option<Wants>, Fault> {
    if !call.machine.many() {
        // Nobody else could fill the pipe: waiting would be for ever.
        let stuck = reads && call.machine.files.must_wait(fd);
        return Ok(stuck
            .then(|| call.wants(OpKind::File, call.machine.files.key_of(fd).unwrap_or(0), WAITS | (fd as u32) << 1)));
    }
    match call.machine.files.key_of(fd) {
        Some(key) => {
            let size = if reads { WAITS | (fd as u32) << 1 } else { 0 };
            Ok(Some(call.wants(OpKind::File, key, size)))
        }
        None => shared_in_list(call),
    }
}

fn wants_stream(call: &mut Call<'_, '_>, place: u64, reads: bool) -> Result<Option<Wants>, Fault> {
    let stream = call.machine.files.stream(place).map(|stream| (stream.fd, stream.pushed_back.is_empty()));
    match stream {
        Some((fd, fresh)) => wants_descriptor(call, fd, reads && fresh),
        None => Ok(None),
    }
}

pub fn wants_stream_0(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.arg(0);
    wants_stream(call, place, false)
}

pub fn wants_stream_last(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.arg(call.n_args().saturating_sub(1));
    wants_stream(call, place, false)
}

pub fn wants_input_0(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.arg(0);
    wants_stream(call, place, true)
}

pub fn wants_input_last(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.arg(call.n_args().saturating_sub(1));
    wants_stream(call, place, true)
}

pub fn wants_stdin(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.machine.stream_address(0);
    wants_stream(call, place, true)
}

/// For output that goes to stdout, with a `va_list` or without.
pub fn wants_stdout(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.machine.stream_address(1);
    wants_stream(call, place, false)
}

/// For operations on names.
pub fn wants_tree(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.many().then(|| call.wants(OpKind::File, key::TREE, 0)))
}

pub fn wants_environment(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.many().then(|| call.wants(OpKind::File, key::ENVIRONMENT, 0)))
}

impl Call<'_, '_> {
    /// Does something with the file `key`, which is locked meanwhile as a stream is natively.
    pub fn on_file<T>(
        &mut self,
        key: Option<u64>,
        act: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(key) = key.filter(|_| self.machine.many()) else { return act(self) };
        self.machine.acquire(self.thread, key);
        self.event(OpKind::File, key, 0, 0, 0);
        let result = act(self)?;
        self.machine.release(self.thread, key);
        Ok(result)
    }

    /// Does something with a stream of the program's.
    pub fn on_stream<T>(
        &mut self,
        place: u64,
        act: impl FnOnce(&mut Self, u64) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let fd = self.stream(place)?.fd;
        let key = self.machine.files.key_of(fd);
        self.on_file(key, |call| act(call, place))
    }

    /// The stream that a `FILE *` points to. What is none is the program's fault.
    pub fn stream(&mut self, place: u64) -> Result<&Stream, Fault> {
        if self.machine.files.stream(place).is_some() {
            return Ok(self.machine.files.stream(place).expect("it was there"));
        }
        self.machine.memory.check(place, 1, false)?;
        Err(Fault::Wild { address: place })
    }

    pub fn stream_mut(&mut self, place: u64) -> &mut Stream {
        self.machine.files_mut().stream_mut(place).expect("the stream was looked up before")
    }

    fn fail_stream(&mut self, place: u64, errno: Errno) {
        self.stream_mut(place).error = true;
        self.set_errno(errno);
    }

    /// Writes to a stream; false if that failed.
    pub fn put(&mut self, place: u64, bytes: &[u8]) -> Result<bool, Fault> {
        let stream = self.stream(place)?;
        let (fd, writable, stale) = (stream.fd, stream.writable, !stream.pushed_back.is_empty());
        if !writable {
            self.fail_stream(place, EBADF);
            return Ok(false);
        }
        if stale {
            self.stream_mut(place).pushed_back.clear();
        }
        match self.put_descriptor(fd, bytes) {
            Ok(()) => Ok(true),
            Err(errno) => {
                self.fail_stream(place, errno);
                Ok(false)
            }
        }
    }

    pub fn put_descriptor(&mut self, fd: i32, bytes: &[u8]) -> Result<(), Errno> {
        let description = self.machine.files.description(fd)?;
        match description.target {
            _ if !description.writable => Err(EBADF),
            Target::Stdout => {
                self.machine.print(false, bytes);
                Ok(())
            }
            Target::Stderr => {
                self.machine.print(true, bytes);
                Ok(())
            }
            Target::Null => Ok(()),
            _ => {
                self.fix_printed();
                self.machine.files_mut().write(fd, bytes)
            }
        }
    }

    pub fn get_descriptor(&mut self, fd: i32, len: u64) -> Result<Bytes, Errno> {
        if self.machine.files.description(fd)?.target == Target::Random {
            return Ok(super::random::seeded_bytes(self, len).into());
        }
        let bytes = self.machine.files_mut().read(fd, len)?;
        Ok(self.renewed(bytes))
    }

    /// The next byte of a stream; `None` at its end or on an error.
    pub fn get(&mut self, place: u64) -> Result<Option<Byte>, Fault> {
        Ok(self.get_many(place, 1)?.get(0))
    }

    /// The next `len` bytes of a stream, fewer before its end or an error.
    pub fn get_many(&mut self, place: u64, len: u64) -> Result<Bytes, Fault> {
        let stream = self.stream(place)?;
        let (fd, readable, eof) = (stream.fd, stream.readable, stream.eof);
        let mut bytes = Bytes::default();
        if !stream.pushed_back.is_empty() {
            let stream = self.stream_mut(place);
            while (bytes.len() as u64) < len
                && let Some(byte) = stream.pushed_back.pop()
            {
                bytes.push(byte);
            }
            bytes = self.renewed(bytes);
        }
        if !readable {
            self.fail_stream(place, EBADF);
            return Ok(bytes);
        }
        // The end is sticky, as in glibc since 2.28.
        while (bytes.len() as u64) < len && !eof {
            match self.get_descriptor(fd, len - bytes.len() as u64) {
                Ok(more) if more.is_empty() => {
                    self.stream_mut(place).eof = true;
                    break;
                }
                Ok(more) => bytes.extend(&more),
                Err(errno) => {
                    self.fail_stream(place, errno);
                    break;
                }
            }
        }
        Ok(bytes)
    }

    /// Bytes up to a delimiter, it included, at most `max`; and whether the delimiter was met.
    pub fn get_until(&mut self, place: u64, delimiter: u8, max: usize) -> Result<(Bytes, bool), Fault> {
        let mut bytes = Bytes::default();
        while bytes.len() < max {
            let Some(byte) = self.get(place)? else { break };
            bytes.push(byte);
            if self.is(byte, |byte| byte == delimiter)? {
                return Ok((bytes, true));
            }
        }
        Ok((bytes, false))
    }
}

impl Machine<'_> {
    /// Whether what a thread wants of a file must wait, by the size of its wish (see [`WAITS`]).
    pub(crate) fn file_would_block(&self, size: u32) -> bool {
        size & WAITS != 0 && self.files.must_wait((size >> 1) as i32)
    }
}
