//! Streams and directories: what the program holds a `FILE *` or a `DIR *` of.

use super::{Byte, Files};
use std::sync::Arc;

/// A `FILE`. Nothing is buffered: what is written is in the file at once, and nothing is read ahead.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    pub fd: i32,
    pub readable: bool,
    pub writable: bool,
    pub eof: bool,
    pub error: bool,
    /// By `ungetc`, the next one last.
    pub pushed_back: Vec<Byte>,
}

/// A `DIR`: its entries' names and whether each is a directory, and the next one to tell.
#[derive(Clone, Debug)]
pub struct Directory {
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
