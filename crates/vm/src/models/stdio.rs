//! What all stream functions share: finding the stream, who can see the operation, bytes in and out.

use super::Call;
use super::args::shared_in_list;
use crate::fault::Fault;
use crate::files::errno::{EBADF, Errno};
use crate::files::{Byte, Bytes, Stream, Target, key};
use crate::machine::Machine;
use crate::symbolic::AnnotationKind;
use gordian_trace::{OpKind, Wants};

pub const EOF: i32 = -1;
/// In `Wants::size` of an operation on an open file: it waits while its pipe is empty.
const WAITS: u32 = 1;
/// In `Wants::size`: the operation is on the stream at `Wants::address`. Which descriptor that has, if it is still open, depends on when the step is made,
/// so a thread that comes to stand here looks at nothing that others change.
const STREAM: u32 = 1 << 31;

/// Larger numbers are never open, and `Wants::size` has no room for them.
const MOST_DESCRIPTORS: i32 = 1 << 29;

/// `Wants::size` of an operation on a descriptor, never 0. It names the number: which file that is depends on when the step is made, and
/// [`Machine::resolved`] looks it up.
fn encode_descriptor(fd: i32, reads: bool) -> u32 {
    (fd as u32).wrapping_add(1) << 1 | if reads { WAITS } else { 0 }
}

/// The descriptor that such a size names.
fn decode_descriptor(size: u32) -> i32 {
    (size >> 1) as i32 - 1
}

/// What is wanted of an open file: itself, or else the memory that the arguments point to.
pub fn wants_descriptor(call: &mut Call<'_, '_>, fd: i32, reads: bool) -> Result<Option<Wants>, Fault> {
    if !call.machine.accesses_are_visible() {
        // Nobody else could fill the pipe: waiting would be for ever.
        let stuck = reads && call.machine.files.must_wait(fd);
        return Ok(stuck.then(|| call.wants(OpKind::File, key::TREE, encode_descriptor(fd, true))));
    }
    match call.machine.files.key_of(fd) {
        Some(_) if !(0..MOST_DESCRIPTORS).contains(&fd) => Ok(Some(call.wants(OpKind::File, key::CLOSED, 0))),
        Some(_) => Ok(Some(call.wants(OpKind::File, key::TREE, encode_descriptor(fd, reads)))),
        None => shared_in_list(call),
    }
}

fn wants_stream(call: &mut Call<'_, '_>, place: u64, reads: bool) -> Result<Option<Wants>, Fault> {
    let wants = call.wants(OpKind::File, place, STREAM | if reads { WAITS } else { 0 });
    if !call.machine.accesses_are_visible() {
        // Nobody else could fill the pipe: waiting would be for ever.
        return Ok(call.machine.file_would_block(wants).then_some(wants));
    }
    let files = &call.machine.files;
    match files.stream(place) {
        Some(stream) if files.key_of(stream.fd).is_none() => shared_in_list(call),
        // The use of a closed stream fails; before it was closed it would not have.
        _ => Ok(Some(wants)),
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
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::File, key::TREE, 0)))
}

pub fn wants_environment(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::File, key::ENVIRONMENT, 0)))
}

impl Call<'_, '_> {
    /// Does something with the file `key`, which is locked meanwhile as a stream is natively.
    pub fn on_file<T>(
        &mut self,
        key: Option<u64>,
        act: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(key) = key.filter(|_| self.machine.accesses_are_visible()) else { return act(self) };
        self.event(OpKind::File, key, 0, 0, 0);
        if key >= OpKind::DESCRIPTORS {
            return act(self);
        }
        self.machine.acquire(self.thread, key);
        let result = act(self)?;
        self.machine.release(self.thread, key);
        Ok(result)
    }

    /// Closes a descriptor or makes it stand for another file: who uses it sees that.
    pub fn on_descriptor_table<T>(
        &mut self,
        fd: i32,
        act: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let n_events = self.machine.log.events.len();
        let result = self.on_file(Some(key::TREE), act)?;
        let mut new = self.machine.log.events[n_events..].iter_mut();
        if let Some(event) = new.find(|event| event.kind == OpKind::File && event.address == key::TREE) {
            event.value = u64::try_from(fd).map_or(0, |fd| fd + 1);
        }
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
        self.machine.annotate(self.thread, AnnotationKind::Uses(place));
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
    /// Whether what a thread wants of a file must wait. `wants` is as the thread has it, not [`Machine::resolved`].
    pub(crate) fn file_would_block(&self, wants: Wants) -> bool {
        if wants.size & WAITS == 0 {
            return false;
        }
        match wants.size & STREAM != 0 {
            true => {
                let stream = self.files.stream(wants.address);
                stream.is_some_and(|stream| stream.pushed_back.is_empty() && self.files.must_wait(stream.fd))
            }
            false => self.files.must_wait(decode_descriptor(wants.size)),
        }
    }

    /// A pending operation with the file that its descriptor or stream stands for now.
    #[inline]
    pub(crate) fn resolved(&self, wants: Wants) -> Wants {
        if wants.kind != OpKind::File || wants.size == 0 {
            return wants;
        }
        let key = match wants.size & STREAM != 0 {
            true => self.files.stream(wants.address).and_then(|stream| self.files.key_of(stream.fd)),
            false => self.files.key_of(decode_descriptor(wants.size)),
        };
        Wants { address: key.unwrap_or(key::CLOSED), ..wants }
    }
}
