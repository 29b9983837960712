//! Pipes: how much they hold, who must wait, and writes that wait halfway.

use super::descriptors::{Description, Target};
use super::errno::*;
use super::{Bytes, Files, State};
use gordian_base::ThreadId;
use std::sync::Arc;

/// Writes of at most as many bytes are made whole or not at all.
pub const PIPE_BUF: usize = 4096;
/// What a pipe of Linux holds unless somebody asks for another size. Bytes are counted, not the pages that Linux keeps them in.
const CAPACITY: usize = 1 << 16;

/// What a write to a pipe without readers does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrokenPipe {
    /// `SIGPIPE` kills the process.
    #[default]
    Kills,
    /// The program ignores the signal: the write fails.
    Fails,
    /// The program has a handler for the signal or blocks signals, which is not modelled.
    Unknown,
}

impl State {
    /// Whether an open end of the pipe is of the kind that `is_end` tells.
    fn has_end(&self, pipe: u32, is_end: fn(&Description) -> bool) -> bool {
        let of_pipe = |open: &&Description| matches!(open.target, Target::Pipe(n, _) if n == pipe);
        self.descriptions.iter().filter(of_pipe).any(|open| open.n_users > 0 && is_end(open))
    }

    fn free_in(&self, pipe: u32) -> usize {
        CAPACITY.saturating_sub(self.pipes[pipe as usize].len())
    }
}

impl Files {
    /// Whether a read of at least one byte must wait: the pipe is empty and somebody could still write to it.
    pub fn read_waits(&self, fd: i32) -> bool {
        self.description(fd).is_ok_and(|open| open.readable && !open.nonblocking && self.is_empty_pipe(open.target))
    }

    /// Whether a write must wait that goes on once `needs` bytes have room.
    pub fn write_waits(&self, fd: i32, needs: usize) -> bool {
        let Ok(open) = self.description(fd) else { return false };
        match open.target {
            Target::Pipe(pipe, _) if open.writable && !open.nonblocking => {
                needs > self.state.free_in(pipe) && self.state.has_end(pipe, |open| open.readable)
            }
            _ => false,
        }
    }

    /// Whether it is a pipe from which nothing can be read yet.
    pub(super) fn is_empty_pipe(&self, target: Target) -> bool {
        match target {
            Target::Pipe(pipe, _) => {
                self.state.pipes[pipe as usize].is_empty() && self.state.has_end(pipe, |open| open.writable)
            }
            _ => false,
        }
    }

    pub(super) fn read_pipe(&mut self, pipe: u32, len: u64) -> Bytes {
        let data = Arc::make_mut(&mut self.state_mut().pipes[pipe as usize]);
        let n = data.len().min(len as usize);
        data.drain(..n).collect::<Vec<u8>>().into()
    }

    /// Gives how many bytes the pipe took. Fewer than all mean that a write that can wait has to; one that has `begun` is no longer made whole.
    pub(super) fn write_pipe(
        &mut self,
        pipe: u32,
        bytes: &[u8],
        nonblocking: bool,
        begun: bool,
    ) -> Result<usize, Errno> {
        if bytes.is_empty() {
            return Ok(0);
        }
        if !self.state.has_end(pipe, |open| open.readable) {
            return Err(EPIPE);
        }
        let free = self.state.free_in(pipe);
        let n = match bytes.len() {
            n if n <= free => n,
            n if n <= PIPE_BUF && !begun => 0,
            _ => free,
        };
        if n == 0 && nonblocking {
            return Err(EAGAIN);
        }
        if n > 0 {
            Arc::make_mut(&mut self.state_mut().pipes[pipe as usize]).extend_from_slice(&bytes[..n]);
        }
        Ok(n)
    }

    /// How many bytes the thread's write has put into a pipe that it waits for halfway.
    pub fn moved(&self, thread: ThreadId) -> Option<usize> {
        self.state.moved.get(&thread.0).copied()
    }

    pub fn set_moved(&mut self, thread: ThreadId, n: usize) {
        self.state_mut().moved.insert(thread.0, n);
    }

    pub fn forget_moved(&mut self, thread: ThreadId) {
        if self.state.moved.contains_key(&thread.0) {
            self.state_mut().moved.remove(&thread.0);
        }
    }

    pub fn broken_pipe(&self) -> BrokenPipe {
        self.state.broken_pipe
    }

    pub fn set_broken_pipe(&mut self, effect: BrokenPipe) {
        self.state_mut().broken_pipe = effect;
    }
}
