//! Streams and directories: what the program holds a `FILE *` or a `DIR *` of.

use super::{Byte, Files, key};
use gordian_base::ThreadId;
use gordian_trace::OpKind;
use std::path::PathBuf;
use std::sync::Arc;

/// When what was written to a stream gets into its file, with the size of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffering {
    /// When the buffer is full.
    Full(usize),
    /// At the end of each line, too.
    Line(usize),
    Unbuffered,
}

impl Buffering {
    /// What glibc allocates for files and pipes.
    pub const SIZE: usize = 4096;
    /// Below that, glibc does not write in blocks.
    const SMALL: usize = 128;

    /// How many of the bytes in the buffer are due to be written once `new` has come after `n_before` others. As glibc does it, the buffer is filled and written
    /// first; of what is left, whole blocks are written, too, or all of it if the buffer is small.
    pub fn due(self, n_before: usize, new: &[u8]) -> usize {
        let total = n_before + new.len();
        let full = |size: usize| match total {
            total if total <= size => 0,
            total if size < Buffering::SMALL => total,
            total => total - (total - size) % size,
        };
        match self {
            Buffering::Full(size) => full(size),
            Buffering::Line(size) => {
                let line = new.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| n_before + at + 1);
                line.max(full(size))
            }
            Buffering::Unbuffered => total,
        }
    }

    /// How many bytes a stream asks a pipe for that wants `len`.
    pub fn ahead(self, len: u64) -> u64 {
        match self {
            Buffering::Full(size) | Buffering::Line(size) => {
                let size = size as u64;
                if len < size { size } else { len - len % size }
            }
            Buffering::Unbuffered => len,
        }
    }
}

impl Default for Buffering {
    fn default() -> Self {
        Buffering::Full(Buffering::SIZE)
    }
}

/// Memory of the program's that a stream has as its buffer. The bytes themselves stay as they are: C says nothing of what is in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lent {
    pub address: u64,
    pub len: u64,
    /// How many bytes of output it holds. Output of the process counts as well, which natively is buffered, too.
    pub n_held: usize,
}

/// A `FILE`. What is written to files and pipes is buffered, output of the process is not. From pipes it is read ahead, from files it is not.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    pub fd: i32,
    pub readable: bool,
    pub writable: bool,
    pub eof: bool,
    pub error: bool,
    /// By `ungetc` or read ahead, the next one last.
    pub pushed_back: Vec<Byte>,
    /// What the call that is being made has read of a pipe: it is put back if the call must wait for more.
    pub taken: Vec<Byte>,
    pub buffering: Buffering,
    pub lent: Option<Lent>,
    /// Written to the stream, not yet to its file.
    pub written: Vec<u8>,
    /// How many of these bytes must be written now.
    pub due: usize,
    /// The thread whose call on this stream waits for its pipe halfway. Where threads lock streams, it holds the lock meanwhile.
    pub busy: Option<ThreadId>,
}

impl Stream {
    /// Bytes are written to the stream.
    pub fn append(&mut self, bytes: &[u8]) {
        self.due = self.due.max(self.buffering.due(self.written.len(), bytes));
        self.written.extend_from_slice(bytes);
    }

    /// A call takes back what it has read so far, since it must wait for more.
    pub fn untake(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        self.pushed_back.extend(taken.into_iter().rev());
    }
}

/// A `DIR`: its entries' names and whether each is a directory, and the next one to tell.
#[derive(Clone, Debug)]
pub struct Directory {
    pub path: Arc<PathBuf>,
    pub entries: Arc<Vec<(Vec<u8>, bool)>>,
    pub next: usize,
}

impl Files {
    pub fn stream(&self, place: u64) -> Option<&Stream> {
        self.state.streams.get(&place)
    }

    pub fn stream_mut(&mut self, place: u64) -> Option<&mut Stream> {
        self.state_mut().streams.get_mut(&place)
    }

    /// Addresses of streams on which a call of the thread waits for a pipe halfway, in order.
    pub fn streams_in_use_by(&self, thread: ThreadId) -> Vec<u64> {
        let used = self.state.streams.iter().filter(|(_, stream)| stream.busy == Some(thread));
        used.map(|(&place, _)| place).collect()
    }

    /// Addresses of all streams, in order.
    pub fn all_streams(&self) -> Vec<u64> {
        self.state.streams.keys().copied().collect()
    }

    /// Addresses of streams that hold what was not written yet, in order.
    pub fn unwritten_streams(&self) -> Vec<u64> {
        let unwritten = self.state.streams.iter().filter(|(_, stream)| !stream.written.is_empty());
        unwritten.map(|(&place, _)| place).collect()
    }

    /// The buffers that the program gave to streams.
    pub fn lent_buffers(&self) -> impl Iterator<Item = Lent> {
        self.state.streams.values().filter_map(|stream| stream.lent)
    }

    /// Buffers of the program's that hold output, each with its stream, in the order of these.
    pub fn buffers_with_output(&self) -> Vec<(u64, Lent)> {
        let lent = self.state.streams.iter().filter_map(|(&place, stream)| Some((place, stream.lent?)));
        lent.filter(|(_, lent)| lent.n_held > 0).collect()
    }

    /// Addresses of streams that may hold what is yet to be written, in order.
    pub fn streams_of_files(&self) -> Vec<u64> {
        // Output to what is closed is lost, which `fflush` tells; and its number may come to stand for a file.
        let may_hold = |key: u64| key < OpKind::DESCRIPTORS || key == key::CLOSED;
        let has_file = |stream: &Stream| self.key_of(stream.fd).is_some_and(may_hold);
        let is_written = |stream: &Stream| stream.writable && has_file(stream);
        self.state.streams.iter().filter(|(_, stream)| is_written(stream)).map(|(&place, _)| place).collect()
    }

    pub fn add_stream(&mut self, place: u64, stream: Stream) {
        self.state_mut().streams.insert(place, stream);
    }

    pub fn remove_stream(&mut self, place: u64) {
        self.state_mut().streams.remove(&place);
    }

    pub fn directory(&self, place: u64) -> Option<&Directory> {
        self.state.directories.get(&place)
    }

    pub fn add_directory(&mut self, place: u64, directory: Directory) {
        self.state_mut().directories.insert(place, directory);
    }

    pub fn directory_mut(&mut self, place: u64) -> Option<&mut Directory> {
        self.state_mut().directories.get_mut(&place)
    }

    pub fn remove_directory_stream(&mut self, place: u64) -> bool {
        self.state_mut().directories.remove(&place).is_some()
    }
}
