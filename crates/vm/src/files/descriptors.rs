//! Open files by number.

use super::bytes::Bytes;
use super::errno::*;
use super::tree::{Last, Resolved};
use super::{Files, Found, NodeId, State, key};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

pub const MAX_DESCRIPTORS: usize = 1024;
/// Permissions as `access` asks for them.
const READABLE: u32 = 4;
pub const WRITABLE: u32 = 2;

/// What an open file reads from and writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Stdin,
    Stdout,
    Stderr,
    File(NodeId),
    /// Index of the pipe, and the address that is its name in events.
    Pipe(u32, u64),
    /// `/dev/null`
    Null,
    /// `/dev/zero`
    Zero,
    /// `/dev/urandom`: the machine's seed decides.
    Random,
    Directory,
}

/// An open file description of POSIX: what duplicated descriptors share.
#[derive(Clone, Copy, Debug)]
pub struct Description {
    pub target: Target,
    pub offset: u64,
    pub readable: bool,
    pub writable: bool,
    pub append: bool,
    /// Reads of an empty pipe and writes to a full one fail instead of waiting.
    pub nonblocking: bool,
    /// Descriptors that refer to it.
    pub n_users: u32,
}

/// How to open a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Opening {
    pub read: bool,
    pub write: bool,
    pub append: bool,
    pub create: bool,
    pub exclusive: bool,
    pub truncate: bool,
    pub directory: bool,
    pub close_on_exec: bool,
    /// Permissions of a new file.
    pub mode: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    Set,
    Current,
    End,
}

impl Whence {
    pub fn from_int(whence: i32) -> Option<Self> {
        match whence {
            0 => Some(Whence::Set),
            1 => Some(Whence::Current),
            2 => Some(Whence::End),
            _ => None,
        }
    }
}

impl State {
    fn number_of(&self, fd: i32) -> Result<usize, Errno> {
        let known = usize::try_from(fd).ok().and_then(|fd| self.descriptors.get(fd).copied().flatten());
        known.map(|number| number as usize).ok_or(EBADF)
    }

    /// Gives a description the lowest free number from `least` on.
    fn attach(&mut self, number: u32, least: usize) -> Result<i32, Errno> {
        let free = (least..self.descriptors.len()).find(|&fd| self.descriptors[fd].is_none());
        let fd = free.unwrap_or(self.descriptors.len().max(least));
        if fd >= MAX_DESCRIPTORS {
            return Err(EMFILE);
        }
        if self.descriptors.len() <= fd {
            self.descriptors.resize(fd + 1, None);
        }
        self.descriptors[fd] = Some(number);
        self.descriptions[number as usize].n_users += 1;
        Ok(fd as i32)
    }

    fn describe(&mut self, target: Target, readable: bool, writable: bool, append: bool) -> u32 {
        let new = Description { target, offset: 0, readable, writable, append, nonblocking: false, n_users: 0 };
        match self.descriptions.iter().position(|description| description.n_users == 0) {
            Some(free) => {
                self.descriptions[free] = new;
                free as u32
            }
            None => {
                self.descriptions.push(new);
                self.descriptions.len() as u32 - 1
            }
        }
    }
}

impl Files {
    pub fn description(&self, fd: i32) -> Result<&Description, Errno> {
        Ok(&self.state.descriptions[self.state.number_of(fd)?])
    }

    fn description_mut(&mut self, fd: i32) -> Result<&mut Description, Errno> {
        let number = self.state.number_of(fd)?;
        Ok(&mut self.state_mut().descriptions[number])
    }

    /// The descriptors that stand for something else than in an earlier state, which had this table, or are open in one of both only.
    pub fn changed_since(&self, before: &[Option<u32>]) -> Vec<i32> {
        let now = &self.state.descriptors;
        let at = |table: &[Option<u32>], fd: usize| table.get(fd).copied().flatten();
        let is_changed = |fd: &usize| at(before, *fd) != at(now, *fd);
        (0..before.len().max(now.len())).filter(is_changed).map(|fd| fd as i32).collect()
    }

    /// Which description each descriptor stands for.
    pub fn table(&self) -> &[Option<u32>] {
        &self.state.descriptors
    }

    /// What events call the open file; `None` for output that no other thread can see, where descriptors stay what they are: those that are open from the
    /// beginning, if none is closed.
    pub fn key_of(&self, fd: i32) -> Option<u64> {
        let Ok(description) = self.description(fd) else { return Some(key::CLOSED) };
        match description.target {
            Target::Stdout | Target::Stderr | Target::Null | Target::Zero => {
                (self.descriptors_change || fd > 2).then(|| key::of_descriptor(fd))
            }
            Target::Stdin => Some(key::STDIN),
            Target::File(node) => Some(self.state.tree.node(node).key),
            Target::Pipe(_, name) => Some(name),
            Target::Random | Target::Directory => Some(key::TREE),
        }
    }

    /// Whether so many more descriptors can be opened.
    fn has_room_for(&self, n: usize) -> bool {
        let used = self.state.descriptors.iter().flatten().count();
        used + n <= MAX_DESCRIPTORS
    }

    pub fn open(&mut self, path: &[u8], how: Opening) -> Result<i32, Errno> {
        // Before anything is looked up, truncated or created.
        if !path.is_empty() && !self.has_room_for(1) {
            return Err(EMFILE);
        }
        let resolved = self.resolve(path)?;
        let device = match resolved.path.as_os_str().as_bytes() {
            b"/dev/stdin" | b"/dev/fd/0" => return self.duplicate(0, 0),
            b"/dev/stdout" | b"/dev/fd/1" => return self.duplicate(1, 0),
            b"/dev/stderr" | b"/dev/fd/2" => return self.duplicate(2, 0),
            b"/dev/null" => Some(Target::Null),
            b"/dev/zero" => Some(Target::Zero),
            b"/dev/random" | b"/dev/urandom" => Some(Target::Random),
            _ => None,
        };
        let target = match device {
            Some(_) if how.create && how.exclusive => return Err(EEXIST),
            Some(_) if how.directory || resolved.has_slash => return Err(ENOTDIR),
            Some(device) => device,
            None => self.open_in_tree(resolved, how)?,
        };
        let state = self.state_mut();
        let number = state.describe(target, how.read, how.write, how.append);
        let fd = state.attach(number, 0)?;
        self.set_close_on_exec(fd, how.close_on_exec);
        Ok(fd)
    }

    fn open_in_tree(&mut self, resolved: Resolved, how: Opening) -> Result<Target, Errno> {
        if how.create && resolved.has_slash && resolved.last == Last::Name {
            // Only files can be created, whatever is there.
            let parent = resolved.path.parent().ok_or(EISDIR)?;
            self.state_mut().tree.check_directory(parent)?;
            return Err(EISDIR);
        }
        let found = self.find_resolved(&resolved)?;
        let path = resolved.path;
        let umask = self.state.umask;
        match found {
            Found::Nothing if how.create => Ok(Target::File(self.state_mut().tree.create(&path, how.mode & !umask)?)),
            Found::Nothing => Err(ENOENT),
            _ if how.create && how.exclusive => Err(EEXIST),
            Found::Directory if how.write || how.create => Err(EISDIR),
            Found::Directory => Ok(Target::Directory),
            Found::Special => Err(ENXIO),
            Found::File(_) if how.directory => Err(ENOTDIR),
            Found::File(node) => {
                self.check_permission(
                    node,
                    if how.read { READABLE } else { 0 } | if how.write { WRITABLE } else { 0 },
                )?;
                if how.write {
                    self.check_writable(&path, node)?;
                }
                if how.truncate && how.write {
                    self.resize(node, 0)?;
                }
                Ok(Target::File(node))
            }
        }
    }

    /// The disk knows who may write to its files. Opening one without truncating it changes nothing.
    fn check_writable(&self, path: &Path, node: NodeId) -> Result<(), Errno> {
        if self.state.tree.node(node).dirty {
            return Ok(());
        }
        match std::fs::OpenOptions::new().write(true).open(path) {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => Err(EACCES),
            _ => Ok(()),
        }
    }

    /// A file that has no name.
    pub fn open_temporary(&mut self, key: u64) -> Result<i32, Errno> {
        let node = self.new_file(key);
        let state = self.state_mut();
        let number = state.describe(Target::File(node), true, true, false);
        state.attach(number, 0)
    }

    /// The reading end and the writing end of a new pipe.
    pub fn pipe(&mut self, name: u64) -> Result<(i32, i32), Errno> {
        if !self.has_room_for(2) {
            return Err(EMFILE);
        }
        let state = self.state_mut();
        state.pipes.push(Arc::default());
        let target = Target::Pipe(state.pipes.len() as u32 - 1, name);
        let number = state.describe(target, true, false, false);
        let reading = state.attach(number, 0)?;
        let number = state.describe(target, false, true, false);
        Ok((reading, state.attach(number, 0)?))
    }

    pub fn close(&mut self, fd: i32) -> Result<(), Errno> {
        let number = self.state.number_of(fd)?;
        let state = self.state_mut();
        state.descriptors[fd as usize] = None;
        state.close_on_exec.remove(&fd);
        state.descriptions[number].n_users -= 1;
        let Description { target, n_users, .. } = state.descriptions[number];
        if n_users == 0 && matches!(target, Target::File(_)) {
            self.save_changed();
        }
        Ok(())
    }

    pub fn duplicate(&mut self, fd: i32, least: usize) -> Result<i32, Errno> {
        let number = self.state.number_of(fd)? as u32;
        self.state_mut().attach(number, least)
    }

    pub fn duplicate_to(&mut self, fd: i32, to: i32) -> Result<i32, Errno> {
        let number = self.state.number_of(fd)? as u32;
        let slot = usize::try_from(to).ok().filter(|&to| to < MAX_DESCRIPTORS).ok_or(EBADF)?;
        if fd == to {
            return Ok(to);
        }
        if self.state.number_of(to).is_ok() {
            self.close(to)?;
        }
        let state = self.state_mut();
        if state.descriptors.len() <= slot {
            state.descriptors.resize(slot + 1, None);
        }
        state.descriptors[slot] = Some(number);
        state.descriptions[number as usize].n_users += 1;
        Ok(to)
    }

    pub fn closes_on_exec(&self, fd: i32) -> bool {
        self.state.close_on_exec.contains(&fd)
    }

    pub fn set_close_on_exec(&mut self, fd: i32, closes: bool) {
        if closes {
            self.state_mut().close_on_exec.insert(fd);
        } else if self.closes_on_exec(fd) {
            self.state_mut().close_on_exec.remove(&fd);
        }
    }

    /// Sets the flags of an open file that `fcntl` can change.
    pub fn set_flags(&mut self, fd: i32, append: bool, nonblocking: bool) -> Result<(), Errno> {
        let open = self.description_mut(fd)?;
        (open.append, open.nonblocking) = (append, nonblocking);
        Ok(())
    }

    /// Sets which permissions new files do not get, and gives the old ones.
    pub fn set_umask(&mut self, mask: u32) -> u32 {
        std::mem::replace(&mut self.state_mut().umask, mask)
    }

    /// Reads at most `len` bytes where the file stands; nothing at the end. Random devices are the caller's business.
    pub fn read(&mut self, fd: i32, len: u64) -> Result<Bytes, Errno> {
        let Description { target, offset, readable, nonblocking, .. } = *self.description(fd)?;
        if !readable {
            return Err(EBADF);
        }
        if nonblocking && len > 0 && self.is_empty_pipe(target) {
            return Err(EAGAIN);
        }
        let bytes = match target {
            Target::Stdin => self.read_stdin(offset, len),
            Target::File(node) => self.state.tree.node(node).read(offset, len),
            Target::Pipe(pipe, _) => self.read_pipe(pipe, len),
            Target::Zero => vec![0; len as usize].into(),
            Target::Directory => return Err(EISDIR),
            Target::Null | Target::Stdout | Target::Stderr | Target::Random => Bytes::default(),
        };
        // Who reads zeros stays where he is, and changes nothing that others see.
        if !matches!(target, Target::Zero | Target::Pipe(..)) && !bytes.is_empty() {
            self.description_mut(fd)?.offset += bytes.len() as u64;
        }
        Ok(bytes)
    }

    fn read_stdin(&mut self, offset: u64, len: u64) -> Bytes {
        // Input that was given is all there is.
        if len > 0 && self.real_stdin && offset as usize >= self.state.stdin.len() {
            let mut more = Vec::new();
            self.with_real(|real| more = real.read_stdin());
            if !more.is_empty() {
                Arc::make_mut(&mut self.state_mut().stdin).extend(more);
            }
        }
        let from = (offset as usize).min(self.state.stdin.len());
        let rest = &self.state.stdin[from..];
        let values = rest[..rest.len().min(len as usize)].to_vec();
        let terms = self.state.stdin_terms.iter().skip(from).take(values.len());
        let terms = terms.copied().enumerate().collect();
        Bytes::with_terms(values, terms)
    }

    /// Reads elsewhere than where the file stands.
    pub fn read_at(&mut self, fd: i32, offset: u64, len: u64) -> Result<Bytes, Errno> {
        let Description { target, readable, .. } = *self.description(fd)?;
        match target {
            _ if !readable => Err(EBADF),
            Target::File(node) => Ok(self.state.tree.node(node).read(offset, len)),
            _ => Err(ESPIPE),
        }
    }

    /// Writes where the file stands, or at its end if it was opened so, and gives how many bytes it took: all, unless it is a pipe. Output to the terminal is
    /// the caller's business. `begun` says that it goes on with a write that waited halfway.
    pub fn write(&mut self, fd: i32, bytes: &[u8], begun: bool) -> Result<usize, Errno> {
        let Description { target, offset, writable, append, nonblocking, .. } = *self.description(fd)?;
        if !writable {
            return Err(EBADF);
        }
        match target {
            Target::File(node) => {
                let at = if append { self.state.tree.node(node).contents.len() } else { offset };
                self.write_node(node, at, bytes)?;
                self.description_mut(fd)?.offset = at + bytes.len() as u64;
            }
            Target::Pipe(pipe, _) => return self.write_pipe(pipe, bytes, nonblocking, begun),
            _ => {}
        }
        Ok(bytes.len())
    }

    pub fn write_at(&mut self, fd: i32, offset: u64, bytes: &[u8]) -> Result<(), Errno> {
        let Description { target, writable, append, .. } = *self.description(fd)?;
        match target {
            _ if !writable => Err(EBADF),
            // On Linux a file that was opened for appending grows, wherever the write is to be.
            Target::File(node) => {
                let at = if append { self.state.tree.node(node).contents.len() } else { offset };
                self.write_node(node, at, bytes)
            }
            _ => Err(ESPIPE),
        }
    }

    fn write_node(&mut self, node: NodeId, at: u64, bytes: &[u8]) -> Result<(), Errno> {
        let node = self.state_mut().tree.node_mut(node);
        node.dirty = true;
        if node.write(at, bytes) { Ok(()) } else { Err(EFBIG) }
    }

    pub fn seek(&mut self, fd: i32, distance: i64, whence: Whence) -> Result<u64, Errno> {
        let Description { target, offset, .. } = *self.description(fd)?;
        let len = match target {
            Target::File(node) => self.state.tree.node(node).contents.len(),
            // Linux stays at the beginning of these, wherever one wants to go.
            Target::Null | Target::Zero | Target::Random => return Ok(0),
            Target::Directory => 0,
            // Of a terminal or a pipe.
            Target::Stdin | Target::Stdout | Target::Stderr | Target::Pipe(..) => return Err(ESPIPE),
        };
        let base = match whence {
            Whence::Set => 0,
            Whence::Current => offset,
            Whence::End => len,
        };
        let to = base.checked_add_signed(distance).filter(|&to| to <= i64::MAX as u64).ok_or(EINVAL)?;
        self.description_mut(fd)?.offset = to;
        Ok(to)
    }

    pub fn node_of(&self, fd: i32) -> Result<Option<NodeId>, Errno> {
        match self.description(fd)?.target {
            Target::File(node) => Ok(Some(node)),
            _ => Ok(None),
        }
    }
}
