//! Operations on open files that may have to wait: what a thread that stands before one says of it, and when it can go on.
//!
//! A thread that comes to stand before an operation looks at nothing that others change. So what it wants names the descriptor or the stream, and how much it
//! needs; which file that is, and whether it has to wait, depends on when the step is made. Where that is not known before the call is made (how
//! long a line is, how much a format prints), the call begins, keeps what it has done, and waits halfway ([`Fault::Waits`]).

use super::Call;
use super::args::shared_in_list;
use super::stdio::looks_at_flags;
use crate::fault::Fault;
use crate::files::{PIPE_BUF, key};
use crate::machine::Machine;
use gordian_base::ThreadId;
use gordian_trace::{OpKind, Wants};

/// In `Wants::size` of an operation on an open file: it waits while its pipe is empty.
const READS: u32 = 1;
/// In `Wants::size`: it waits until its pipe has room for as many bytes as stand behind this bit.
const WRITES: u32 = 2;
const ROOM: u32 = 2;
/// In `Wants::size`: where the number of the descriptor stands, which is never 0.
const DESCRIPTOR: u32 = 15;
/// In `Wants::size`: the operation is on the stream at `Wants::address`. Which descriptor that has, if it is still open, depends on when the step is made.
const STREAM: u32 = 1 << 31;

/// Larger numbers are never open, and `Wants::size` has no room for them.
const MOST_DESCRIPTORS: i32 = 1 << 15;
const _: () =
    assert!(crate::files::MAX_DESCRIPTORS <= MOST_DESCRIPTORS as usize && PIPE_BUF < 1 << (DESCRIPTOR - ROOM));

/// What an operation on an open file may have to wait for.
#[derive(Clone, Copy)]
pub enum Needs {
    Nothing,
    Data,
    /// Room for that many bytes.
    Room(usize),
}

impl Needs {
    /// Of a write of `len` bytes: a short one is made whole.
    pub fn of_write(len: u64) -> Self {
        match len {
            0 => Needs::Nothing,
            len if len <= PIPE_BUF as u64 => Needs::Room(len as usize),
            _ => Needs::Room(1),
        }
    }
}

/// `Wants::size` of an operation on a descriptor, never 0.
fn encode(fd: i32, needs: Needs) -> u32 {
    let needs = match needs {
        Needs::Nothing => 0,
        Needs::Data => READS,
        Needs::Room(n) => WRITES | (n as u32) << ROOM,
    };
    (fd as u32 + 1) << DESCRIPTOR | needs
}

/// The descriptor that such a size names.
fn decode_descriptor(size: u32) -> i32 {
    (size >> DESCRIPTOR) as i32 - 1
}

fn decode_room(size: u32) -> usize {
    ((size & ((1 << DESCRIPTOR) - 1)) >> ROOM) as usize
}

/// What is wanted of an open file: itself, or else the memory that the arguments point to.
pub fn wants_descriptor(call: &mut Call<'_, '_>, fd: i32, needs: Needs) -> Result<Option<Wants>, Fault> {
    let is_possible = (0..MOST_DESCRIPTORS).contains(&fd);
    if !call.machine.accesses_are_visible() {
        if !is_possible {
            return Ok(None);
        }
        // Nobody else could fill or empty the pipe: waiting would be for ever.
        let wants = call.wants(OpKind::File, key::TREE, encode(fd, needs));
        return Ok(call.machine.file_would_block(call.thread, wants).then_some(wants));
    }
    match call.machine.files.key_of(fd) {
        Some(_) if !is_possible => Ok(Some(call.wants(OpKind::File, key::CLOSED, 0))),
        Some(_) => Ok(Some(call.wants(OpKind::File, key::TREE, encode(fd, needs)))),
        None => shared_in_list(call),
    }
}

pub fn wants_stream(call: &mut Call<'_, '_>, place: u64, reads: bool) -> Result<Option<Wants>, Fault> {
    let wants = call.wants(OpKind::File, place, STREAM | if reads { READS } else { 0 });
    if !call.machine.accesses_are_visible() {
        // Nobody else could fill the pipe: waiting would be for ever.
        return Ok(call.machine.file_would_block(call.thread, wants).then_some(wants));
    }
    let files = &call.machine.files;
    match files.stream(place) {
        Some(stream) if files.key_of(stream.fd).is_none() && !looks_at_flags(call.name()) => shared_in_list(call),
        // The use of a closed stream fails; before it was closed it would not have.
        _ => Ok(Some(wants)),
    }
}

/// What a call wants that goes on when its pipe has data.
pub fn reading(call: &Call<'_, '_>, fd: i32) -> Wants {
    call.wants(OpKind::File, key::TREE, encode(fd, Needs::Data))
}

/// What a call wants that goes on when its pipe has room.
pub fn writing(call: &Call<'_, '_>, fd: i32, room: usize) -> Wants {
    call.wants(OpKind::File, key::TREE, encode(fd, Needs::Room(room)))
}

/// What a call wants that waits halfway for the pipe of its stream.
pub fn halfway_on_stream(call: &Call<'_, '_>, place: u64) -> Wants {
    call.wants(OpKind::File, place, STREAM)
}

impl Machine<'_> {
    /// Whether what a thread wants of a file must wait. `wants` is as the thread has it, not [`Machine::resolved`].
    pub(crate) fn file_would_block(&self, thread: ThreadId, wants: Wants) -> bool {
        if wants.size & STREAM != 0 {
            return self.stream_would_block(thread, wants);
        }
        let fd = decode_descriptor(wants.size);
        match wants.size & (READS | WRITES) {
            READS => self.files.read_waits(fd),
            WRITES => self.files.write_waits(fd, decode_room(wants.size)),
            _ => false,
        }
    }

    fn stream_would_block(&self, thread: ThreadId, wants: Wants) -> bool {
        let Some(stream) = self.files.stream(wants.address) else { return false };
        match stream.busy {
            Some(other) if other != thread => true,
            Some(_) if stream.due > 0 => self.files.write_waits(stream.fd, stream.due.min(PIPE_BUF)),
            Some(_) => self.files.read_waits(stream.fd),
            None => {
                let needs_more = stream.readable && !stream.eof && stream.pushed_back.is_empty();
                wants.size & READS != 0 && needs_more && self.files.read_waits(stream.fd)
            }
        }
    }

    /// Whether the thread's call has begun, and waits for a pipe before it goes on.
    pub(crate) fn waits_halfway(&self, thread: ThreadId) -> bool {
        self.files.moved(thread).is_some()
    }

    /// What the thread waits for, in words.
    pub(crate) fn awaited_of_file(&self, wants: Wants) -> String {
        let name = self.file_name(self.resolved(wants).address);
        let is_due = |place| self.files.stream(place).is_some_and(|stream| stream.due > 0);
        let writes = if wants.size & STREAM != 0 { is_due(wants.address) } else { wants.size & WRITES != 0 };
        if writes { format!("waits for room in {name}, which is full") } else { format!("waits for data in {name}") }
    }

    /// A pending operation with the file that its descriptor or stream stands for now, as others see it: how it names that is no size in memory.
    #[inline]
    pub(crate) fn resolved(&self, wants: Wants) -> Wants {
        if wants.kind != OpKind::File || wants.size == 0 {
            return wants;
        }
        let key = match wants.size & STREAM != 0 {
            true => self.files.stream(wants.address).and_then(|stream| self.files.key_of(stream.fd)),
            false => self.files.key_of(decode_descriptor(wants.size)),
        };
        Wants { address: key.unwrap_or(key::CLOSED), size: 0, ..wants }
    }
}
