//! What all stream functions share: finding the stream, who can see the operation, bytes in and out.

use super::Call;
use super::inputs::is_output;
use super::system::MESSAGES;
use super::waits::wants_stream;
use crate::fault::Fault;
use crate::files::errno::{EBADF, EPIPE, Errno};
use crate::files::{BrokenPipe, Byte, Bytes, Lent, PIPE_BUF, Stream, Target, key};
use crate::memory::Object;
use crate::symbolic::AnnotationKind;
use gordian_ir::address;
use gordian_trace::{OpKind, Wants};

pub const EOF: i32 = -1;
/// How much of a line is read from a device such as /dev/zero.
const LONGEST_OF_DEVICE: usize = 1 << 20;

pub fn wants_stream_0(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.arg(0);
    wants_stream(call, place, false)
}

pub fn wants_stream_last(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    wants_last(call, false)
}

pub fn wants_input_0(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.arg(0);
    wants_stream(call, place, true)
}

/// For calls on the stream that is their last argument, which wait for data if they read.
pub fn wants_last(call: &mut Call<'_, '_>, reads: bool) -> Result<Option<Wants>, Fault> {
    let place = call.arg(call.n_args().saturating_sub(1));
    wants_stream(call, place, reads)
}

pub fn wants_input_last(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    wants_last(call, true)
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

/// For messages that go to stderr.
pub fn wants_stderr(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.machine.stream_address(2);
    wants_stream(call, place, false)
}

/// For operations on names.
pub fn wants_tree(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::File, key::TREE, 0)))
}

pub fn wants_environment(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::File, key::ENVIRONMENT, 0)))
}

/// Whether a function on streams looks at what others have left in one: its flags, and what was pushed back.
pub fn looks_at_flags(name: &str) -> bool {
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    let is_other = matches!(
        name.trim_end_matches("_unlocked"),
        "fflush" | "fileno" | "setbuf" | "setbuffer" | "setlinebuf" | "setvbuf"
    );
    !is_other
        && !MESSAGES.contains(&name)
        && !is_output(name.trim_end_matches("_unlocked").trim_start_matches("__").trim_end_matches("_chk"))
}

impl Call<'_, '_> {
    /// Does something with the file `key`, which is locked meanwhile as a stream is natively.
    pub fn on_file<T>(
        &mut self,
        key: Option<u64>,
        act: impl FnOnce(&mut Self) -> Result<T, Fault>,
    ) -> Result<T, Fault> {
        let Some(key) = key.filter(|_| self.machine.accesses_are_visible()) else { return act(self) };
        let event = self.machine.log.events.len();
        self.event(OpKind::File, key, 0, 0, 0);
        if key >= OpKind::DESCRIPTORS {
            return act(self);
        }
        // What a descriptor stands for may be another file at another time.
        self.machine.log.events[event].varies = self.machine.uses.changes_descriptors;
        self.machine.acquire(self.thread, key);
        let result = if key == key::TREE { self.on_table(event, act) } else { act(self) };
        // A call that waits halfway has done part of what it does.
        if matches!(result, Ok(_) | Err(Fault::Waits(_))) {
            self.machine.release(self.thread, key);
        }
        result
    }

    /// Does something to the table of descriptors, which the event of this number tells: it names those that come to stand for something else.
    fn on_table<T>(&mut self, event: usize, act: impl FnOnce(&mut Self) -> Result<T, Fault>) -> Result<T, Fault> {
        let before = self.machine.files.table().to_vec();
        let result = act(self);
        for (nth, fd) in self.machine.files.changed_since(&before).into_iter().enumerate() {
            let value = fd as u64 + 1;
            match nth {
                0 => self.machine.log.events[event].value = value,
                _ => self.event(OpKind::File, key::TREE, 0, value, 0),
            }
        }
        result
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
        let before = self.flags_of(place);
        let result = self.on_file(key, |call| act(call, place));
        // Calls on one stream come in any order where nothing is behind its descriptor, but not those that look at its flags or change them.
        let is_shared = key.is_none_or(|key| key >= OpKind::DESCRIPTORS) && self.machine.accesses_are_visible();
        let looks = looks_at_flags(self.name()) || self.machine.uses.lends_buffers;
        if is_shared && (looks || self.flags_of(place) != before) {
            self.event(OpKind::File, place, 0, 0, 0);
        }
        if !matches!(result, Err(Fault::Waits(_))) {
            self.end_use(place);
        }
        result
    }

    /// What a stream remembers of calls on it.
    fn flags_of(&self, place: u64) -> Option<(bool, bool, usize)> {
        self.machine.files.stream(place).map(|stream| (stream.eof, stream.error, stream.pushed_back.len()))
    }

    /// The call on the stream is over.
    fn end_use(&mut self, place: u64) {
        let is_in_use = |stream: &Stream| stream.busy.is_some() || !stream.taken.is_empty();
        if self.machine.files.stream(place).is_some_and(is_in_use) {
            let stream = self.stream_mut(place);
            stream.busy = None;
            stream.taken.clear();
        }
    }

    /// The call on the stream must wait for its pipe, and goes on where it is now.
    fn wait_halfway<T>(&mut self, place: u64) -> Result<T, Fault> {
        self.stream_mut(place).busy = Some(self.thread);
        Err(Fault::Waits(super::waits::halfway_on_stream(self, place)))
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
        self.write_to_buffer(place, bytes)?;
        let target = self.machine.files.description(fd).map(|open| open.target);
        if !matches!(target, Ok(Target::File(_) | Target::Pipe(..))) {
            return match self.put_descriptor(fd, bytes, false)? {
                Ok(_) => Ok(true),
                Err(errno) => {
                    self.fail_stream(place, errno);
                    Ok(false)
                }
            };
        }
        self.fix_printed();
        // Who has waited halfway has put the bytes into the buffer before.
        let me = self.thread;
        if self.stream(place)?.busy != Some(me) {
            self.stream_mut(place).append(bytes);
        }
        self.drain(place)
    }

    /// Writes all that is in the stream's buffer; false if that failed.
    pub fn flush(&mut self, place: u64) -> Result<bool, Fault> {
        let stream = self.stream(place)?;
        let n = stream.written.len();
        self.flush_buffer(place)?;
        if n == 0 {
            return Ok(true);
        }
        self.stream_mut(place).due = n;
        self.drain(place)
    }

    /// Output goes through the buffer that the program gave the stream, if it did.
    fn write_to_buffer(&mut self, place: u64, bytes: &[u8]) -> Result<(), Fault> {
        let stream = self.stream(place)?;
        let (buffering, Some(lent)) = (stream.buffering, stream.lent) else { return Ok(()) };
        if bytes.is_empty() {
            return Ok(());
        }
        self.machine.use_lent_buffer(self.thread, place, lent)?;
        let n_held = lent.n_held + bytes.len() - buffering.due(lent.n_held, bytes);
        self.stream_mut(place).lent = Some(Lent { n_held, ..lent });
        Ok(())
    }

    /// What the buffer that the program gave the stream holds is written. Who flushes a stream has locked it, so it knows what others have done with the buffer
    /// even if that holds nothing.
    fn flush_buffer(&mut self, place: u64) -> Result<(), Fault> {
        let Some(lent) = self.stream(place)?.lent else { return Ok(()) };
        if lent.n_held > 0 {
            self.machine.use_lent_buffer(self.thread, place, lent)?;
            self.stream_mut(place).lent = Some(Lent { n_held: 0, ..lent });
        } else if self.machine.accesses_are_visible() {
            self.machine.acquire(self.thread, place);
            self.machine.release(self.thread, place);
        }
        Ok(())
    }

    /// Input goes through the buffer that the program gave the stream, if it did.
    fn read_through_buffer(&mut self, place: u64) -> Result<(), Fault> {
        match self.stream(place)?.lent {
            Some(lent) => self.machine.use_lent_buffer(self.thread, place, lent),
            None => Ok(()),
        }
    }

    /// Writes what is due of the stream's buffer, in pieces of which each is written whole.
    fn drain(&mut self, place: u64) -> Result<bool, Fault> {
        loop {
            let stream = self.stream(place)?;
            let fd = stream.fd;
            let piece = stream.written[..stream.due.min(PIPE_BUF)].to_vec();
            if piece.is_empty() {
                return Ok(true);
            }
            match self.put_descriptor(fd, &piece, false)? {
                Ok(0) => return self.wait_halfway(place),
                Ok(n) => {
                    let stream = self.stream_mut(place);
                    stream.written.drain(..n);
                    stream.due -= n;
                }
                Err(errno) => {
                    // What could not be written is lost.
                    let stream = self.stream_mut(place);
                    stream.written.clear();
                    stream.due = 0;
                    self.fail_stream(place, errno);
                    return Ok(false);
                }
            }
        }
    }

    /// Writes to an open file and gives how many bytes it took: all, unless it is a pipe. `begun` says that the write has waited halfway.
    pub fn put_descriptor(&mut self, fd: i32, bytes: &[u8], begun: bool) -> Result<Result<usize, Errno>, Fault> {
        let description = match self.machine.files.description(fd) {
            Ok(description) => *description,
            Err(errno) => return Ok(Err(errno)),
        };
        match description.target {
            _ if !description.writable => return Ok(Err(EBADF)),
            Target::Stdout => self.machine.print(false, bytes),
            Target::Stderr => self.machine.print(true, bytes),
            Target::Null => {}
            _ => {
                self.fix_printed();
                let done = self.machine.files_mut().write(fd, bytes, begun);
                return if done == Err(EPIPE) { self.break_pipe() } else { Ok(done) };
            }
        }
        Ok(Ok(bytes.len()))
    }

    /// A write to a pipe that has no readers left.
    fn break_pipe<T>(&mut self) -> Result<Result<T, Errno>, Fault> {
        match self.machine.effect_of_broken_pipe(self.thread) {
            BrokenPipe::Fails => Ok(Err(EPIPE)),
            BrokenPipe::Kills => {
                Err(Fault::Abort("the process is killed by SIGPIPE: the pipe has no readers left".to_owned()))
            }
            BrokenPipe::Unknown => {
                Err(Fault::Unsupported("SIGPIPE, for which the program has a handler or which it may block".to_owned()))
            }
        }
    }

    /// A write that waits while its pipe is full, and goes on where it was. Gives what the call returns.
    pub fn put_waiting(&mut self, fd: i32, bytes: &[u8]) -> Result<Result<i64, Errno>, Fault> {
        let moved = self.machine.files.moved(self.thread);
        let before = moved.unwrap_or(0).min(bytes.len());
        let done = self.put_descriptor(fd, &bytes[before..], before > 0)?;
        let nonblocking = self.machine.files.description(fd).is_ok_and(|open| open.nonblocking);
        let total = match done {
            // What was written before the error is what the call tells of.
            Err(errno) if before == 0 => Err(errno),
            Err(_) => Ok(before),
            Ok(n) if before + n == bytes.len() || nonblocking => Ok(before + n),
            // It was given the chance to go on because it is cancelled.
            Ok(0) if before > 0 => Ok(before),
            Ok(n) => {
                self.machine.files_mut().set_moved(self.thread, before + n);
                let rest = bytes.len() - before - n;
                let needs = if before + n == 0 && rest <= PIPE_BUF { rest } else { 1 };
                return Err(Fault::Waits(super::waits::writing(self, fd, needs)));
            }
        };
        if moved.is_some() {
            self.machine.files_mut().forget_moved(self.thread);
        }
        Ok(total.map(|n| n as i64))
    }

    pub fn get_descriptor(&mut self, fd: i32, len: u64) -> Result<Bytes, Errno> {
        if self.machine.files.description(fd)?.target == Target::Random {
            return Ok(super::random::seeded_bytes(self, len).into());
        }
        let bytes = self.machine.files_mut().read(fd, len)?;
        Ok(self.renewed(bytes))
    }

    /// How much of `len` bytes a call asks a file for that stores them at `target`. Devices give whatever one asks for: one byte too many shows that it does
    /// not fit.
    pub fn cut_to_target(&self, fd: i32, target: u64, len: u64) -> u64 {
        let open = self.machine.files.description(fd);
        if !open.is_ok_and(|open| matches!(open.target, Target::Zero | Target::Random)) {
            return len;
        }
        let room = |object: Object| u64::from(object.size).saturating_sub(address::offset(target));
        let room = self.machine.memory.check(target, 1, true).map_or(0, room);
        len.min(room + 1)
    }

    /// The next byte of a stream; `None` at its end or on an error.
    pub fn get(&mut self, place: u64) -> Result<Option<Byte>, Fault> {
        Ok(self.get_many(place, 1)?.get(0))
    }

    /// The next `len` bytes of a stream, fewer before its end or an error.
    pub fn get_many(&mut self, place: u64, len: u64) -> Result<Bytes, Fault> {
        self.flush(place)?;
        let stream = self.stream(place)?;
        let (fd, readable, eof, buffering) = (stream.fd, stream.readable, stream.eof, stream.buffering);
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
        self.read_through_buffer(place)?;
        let is_pipe = self.machine.files.description(fd).is_ok_and(|open| matches!(open.target, Target::Pipe(..)));
        // The end is sticky, as in glibc since 2.28.
        while (bytes.len() as u64) < len && !eof {
            let missing = len - bytes.len() as u64;
            if is_pipe && self.machine.files.read_waits(fd) {
                self.take(place, &bytes);
                self.stream_mut(place).untake();
                return self.wait_halfway(place);
            }
            match self.get_descriptor(fd, if is_pipe { buffering.ahead(missing) } else { missing }) {
                Ok(more) if more.is_empty() => {
                    self.stream_mut(place).eof = true;
                    break;
                }
                Ok(more) => {
                    let wanted = (more.len() as u64).min(missing) as usize;
                    bytes.extend(&more.part(0, wanted));
                    let surplus = (wanted..more.len()).rev().filter_map(|n| more.get(n));
                    self.stream_mut(place).pushed_back.extend(surplus);
                }
                Err(errno) => {
                    self.fail_stream(place, errno);
                    break;
                }
            }
        }
        if is_pipe {
            self.take(place, &bytes);
        }
        Ok(bytes)
    }

    /// The call has read these bytes of a pipe.
    fn take(&mut self, place: u64, bytes: &Bytes) {
        self.stream_mut(place).taken.extend((0..bytes.len()).filter_map(|n| bytes.get(n)));
    }

    /// A call that has read so many bytes of a stream goes on until it finds what may never come.
    pub fn check_for_end(&mut self, place: u64, n_bytes: usize) -> Result<(), Fault> {
        if n_bytes != LONGEST_OF_DEVICE {
            return Ok(());
        }
        let fd = self.stream(place)?.fd;
        let open = self.machine.files.description(fd);
        if open.is_ok_and(|open| matches!(open.target, Target::Zero | Target::Random)) {
            let name = self.name();
            return Err(Fault::Unsupported(format!("`{name}` of a device, which does not come to an end")));
        }
        Ok(())
    }

    /// Bytes up to a delimiter, it included, at most `max`; and whether the delimiter was met.
    pub fn get_until(&mut self, place: u64, delimiter: u8, max: usize) -> Result<(Bytes, bool), Fault> {
        let mut bytes = Bytes::default();
        while bytes.len() < max {
            if max == usize::MAX {
                self.check_for_end(place, bytes.len())?;
            }
            let Some(byte) = self.get(place)? else { break };
            bytes.push(byte);
            if self.is(byte, |byte| byte == delimiter)? {
                return Ok((bytes, true));
            }
        }
        Ok((bytes, false))
    }
}
