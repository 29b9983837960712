//! The program's files, as it sees them: an overlay over the disk, and what is open.
//!
//! A file is read from disk when it is first opened. Changes stay in here, so that every execution sees
//! the same files and going back is possible. Only a plain run (`passthrough`) writes them to disk, and not before
//! it is over: what it found is confirmed by a second run, which must see the disk as the first one did.

mod bytes;
mod contents;
mod descriptors;
pub mod errno;
mod pipes;
mod real;
mod streams;
mod tree;

pub use bytes::{Byte, Bytes};
pub use descriptors::{Description, MAX_DESCRIPTORS, Opening, Target, WRITABLE, Whence};
pub use pipes::{BrokenPipe, PIPE_BUF};
pub use streams::{Buffering, Directory, Lent, Stream};
pub use tree::{Found, NodeId};

use crate::access::Access;
use crate::fault::Fault;
use crate::journal::Undo;
use crate::machine::{End, Machine};
use crate::thread::{Core, Park};
use contents::Contents;
use errno::Errno;
use gordian_base::{Id, ThreadId};
use gordian_expr::ExprId;
use gordian_trace::OpKind;
use real::{Change, Real};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use tree::{Last, Resolved, Tree};

/// What events call things that are no files with a name. Files have the top bit set.
pub mod key {
    /// The directory tree and the table of descriptors: who uses it depends on all file operations.
    pub const TREE: u64 = 0;
    pub const STDIN: u64 = 1;
    pub const ENVIRONMENT: u64 = 2;
    /// A descriptor that is not open: who uses it looks at the table of descriptors and nothing else.
    pub const CLOSED: u64 = u64::MAX;

    /// A descriptor that is open and has nothing behind it that others could see: output, `/dev/null`.
    pub fn of_descriptor(fd: i32) -> u64 {
        gordian_trace::OpKind::DESCRIPTORS + u64::from(fd as u32)
    }
}

/// The file system as the program sees it, with its open files. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Files {
    state: Arc<State>,
    real: Option<Arc<Mutex<Real>>>,
    /// The program may close descriptors or make them stand for something else.
    pub descriptors_change: bool,
    /// Whether standard input is the real one.
    real_stdin: bool,
    /// The step in which it was last saved, so that it is saved once.
    saved_in: u64,
}

#[derive(Clone, Debug)]
pub struct State {
    tree: Tree,
    stdin: Arc<Vec<u8>>,
    /// What the first bytes of standard input stand for.
    stdin_terms: Arc<Vec<ExprId>>,
    /// Of unnamed pipes: what was written and not yet read.
    pipes: Vec<Arc<Vec<u8>>>,
    /// Of threads whose write to a pipe waits halfway: how much they have written.
    moved: BTreeMap<u32, usize>,
    broken_pipe: BrokenPipe,
    descriptions: Vec<Description>,
    descriptors: Vec<Option<u32>>,
    /// Descriptors with the flag `FD_CLOEXEC`.
    close_on_exec: BTreeSet<i32>,
    streams: BTreeMap<u64, Stream>,
    directories: BTreeMap<u64, Directory>,
    /// Permissions that new files do not get.
    umask: u32,
}

impl Files {
    pub fn new(stdin: Vec<u8>, passthrough: bool) -> Self {
        let standard = [Target::Stdin, Target::Stdout, Target::Stderr];
        let descriptions = standard.map(|target| Description {
            target,
            offset: 0,
            readable: target == Target::Stdin,
            writable: target != Target::Stdin,
            append: false,
            nonblocking: false,
            n_users: 1,
        });
        let real_stdin = passthrough && stdin.is_empty();
        let state = State {
            tree: Tree::new(),
            stdin: Arc::new(stdin),
            stdin_terms: Arc::default(),
            pipes: Vec::new(),
            moved: BTreeMap::new(),
            broken_pipe: BrokenPipe::default(),
            descriptions: descriptions.into(),
            descriptors: vec![Some(0), Some(1), Some(2)],
            close_on_exec: BTreeSet::new(),
            streams: BTreeMap::new(),
            directories: BTreeMap::new(),
            umask: 0o022,
        };
        let real = passthrough.then(|| Arc::new(Mutex::new(Real::new())));
        Files { state: Arc::new(state), real, descriptors_change: false, real_stdin, saved_in: 0 }
    }

    fn state_mut(&mut self) -> &mut State {
        Arc::make_mut(&mut self.state)
    }

    fn with_real(&self, act: impl FnOnce(&mut Real)) {
        if let Some(real) = &self.real {
            act(&mut real.lock().expect("one thread uses the real streams"));
        }
    }

    pub fn passes_through(&self) -> bool {
        self.real.is_some()
    }

    /// Output of the program; in a search it goes nowhere but to the machine's record.
    pub fn show(&self, to_stderr: bool, bytes: &[u8]) {
        self.with_real(|real| if to_stderr { real.err(bytes) } else { real.out(bytes) });
    }

    pub fn flush_real(&self) {
        self.with_real(Real::flush);
    }

    /// All that standard input has given so far, and what a test gives that was not read yet.
    pub fn stdin(&self) -> &[u8] {
        &self.state.stdin
    }

    /// Standard input becomes these bytes, which stand for these terms in a search.
    pub fn set_stdin(&mut self, values: Vec<u8>, terms: Vec<ExprId>) {
        let state = self.state_mut();
        state.stdin = Arc::new(values);
        state.stdin_terms = Arc::new(terms);
    }

    /// A file of these bytes, in place of what the disk has.
    pub fn set_file(&mut self, path: &[u8], values: &[u8], terms: &[ExprId]) -> Result<(), Errno> {
        let path = self.absolute(path)?;
        let state = self.state_mut();
        match state.tree.find(&path)? {
            Found::Directory => return Err(errno::EISDIR),
            Found::Special => return Err(errno::EPERM),
            Found::File(_) | Found::Nothing => {}
        }
        let node = state.tree.create(&path, 0o644)?;
        let node = state.tree.node_mut(node);
        node.contents = Contents::from_bytes(values);
        node.terms = Arc::new((0..).zip(terms.iter().copied()).collect());
        Ok(())
    }

    /// All that the program's future depends on.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Puts back an earlier state of this step.
    pub fn restore(&mut self, earlier: Files) {
        self.state = earlier.state;
    }

    pub fn cwd(&self) -> &Path {
        &self.state.tree.cwd
    }

    pub fn change_directory(&mut self, path: &[u8]) -> Result<(), Errno> {
        let path = self.resolve(path)?.path;
        self.state_mut().tree.check_directory(&path)?;
        self.state_mut().tree.cwd = path;
        Ok(())
    }

    fn resolve(&mut self, path: &[u8]) -> Result<Resolved, Errno> {
        self.state_mut().tree.resolve(path)
    }

    pub fn absolute(&mut self, path: &[u8]) -> Result<PathBuf, Errno> {
        Ok(self.resolve(path)?.path)
    }

    /// Without reading the file in, which listing a directory must not.
    pub fn is_directory(&self, path: &Path) -> bool {
        self.state.tree.is_directory(path)
    }

    pub fn find(&mut self, path: &[u8]) -> Result<Found, Errno> {
        let resolved = self.resolve(path)?;
        self.find_resolved(&resolved)
    }

    /// What ends with a slash is a directory, or nothing.
    fn find_resolved(&mut self, Resolved { path, has_slash, .. }: &Resolved) -> Result<Found, Errno> {
        match self.state_mut().tree.find(path)? {
            Found::File(_) | Found::Special if *has_slash => Err(errno::ENOTDIR),
            found => Ok(found),
        }
    }

    pub fn unlink(&mut self, path: &[u8]) -> Result<(), Errno> {
        let resolved = self.resolve(path)?;
        self.find_resolved(&resolved)?;
        self.state_mut().tree.unlink(&resolved.path)?;
        self.with_real(|real| real.change(Change::Unlink(resolved.path)));
        Ok(())
    }

    pub fn make_directory(&mut self, path: &[u8]) -> Result<(), Errno> {
        let path = self.absolute(path)?;
        self.state_mut().tree.make_directory(&path)?;
        self.with_real(|real| real.change(Change::MakeDirectory(path)));
        Ok(())
    }

    pub fn remove_directory(&mut self, path: &[u8]) -> Result<(), Errno> {
        let Resolved { path, last, .. } = self.resolve(path)?;
        match last {
            Last::Name => {}
            Last::Dot | Last::DotDot if path.parent().is_none() => return Err(errno::EBUSY),
            Last::Dot => return Err(errno::EINVAL),
            Last::DotDot => return Err(errno::ENOTEMPTY),
        }
        self.state_mut().tree.remove_directory(&path)?;
        self.with_real(|real| real.change(Change::RemoveDirectory(path)));
        Ok(())
    }

    pub fn rename(&mut self, from: &[u8], to: &[u8]) -> Result<(), Errno> {
        let (from, to) = (self.resolve(from)?, self.resolve(to)?);
        if from.last != Last::Name || to.last != Last::Name {
            return Err(errno::EBUSY);
        }
        let source = self.find_resolved(&from)?;
        if to.has_slash && matches!(source, Found::File(_) | Found::Special) {
            return Err(errno::ENOTDIR);
        }
        let (from, to) = (from.path, to.path);
        self.state_mut().tree.rename(&from, &to)?;
        self.with_real(|real| real.change(Change::Rename(from, to)));
        Ok(())
    }

    /// The names in the directory of this absolute path.
    pub fn list(&self, path: &Path) -> Result<Vec<Vec<u8>>, Errno> {
        self.state.tree.list(path)
    }

    /// Whether the program may use a file in this way: the bits of `access`. The program owns its files; what the disk says of those that are not its own shows when
    /// they are opened for writing.
    pub fn check_permission(&self, node: NodeId, wanted: u32) -> Result<(), Errno> {
        if self.state.tree.node(node).mode >> 6 & wanted == wanted { Ok(()) } else { Err(errno::EACCES) }
    }

    /// Size, permissions and key of a file.
    pub fn facts(&self, node: NodeId) -> (u64, u32, u64) {
        let node = self.state.tree.node(node);
        (node.contents.len(), node.mode, node.key)
    }

    pub fn set_mode(&mut self, node: NodeId, mode: u32) {
        self.state_mut().tree.node_mut(node).mode = mode;
    }

    pub fn resize(&mut self, node: NodeId, len: u64) -> Result<(), Errno> {
        if len > contents::MAX_LEN {
            return Err(errno::EFBIG);
        }
        let node = self.state_mut().tree.node_mut(node);
        node.contents.resize(len);
        if node.terms.range(len..).next().is_some() {
            Arc::make_mut(&mut node.terms).retain(|&at, _| at < len);
        }
        node.dirty = true;
        Ok(())
    }

    /// Changed files of a plain run as they are now, to be written to disk when it is over.
    fn save_changed(&mut self) {
        if self.real.is_none() {
            return;
        }
        let changed: Vec<_> = {
            let tree = &self.state.tree;
            let named = tree.named_files().filter(|(_, node)| tree.node(*node).dirty);
            named.map(|(path, node)| (path.to_owned(), node)).collect()
        };
        for (path, node) in changed {
            let bytes = self.state.tree.node(node).contents.read(0, u64::MAX);
            self.with_real(|real| real.change(Change::Save(path, bytes)));
            self.state_mut().tree.node_mut(node).dirty = false;
        }
    }

    fn new_file(&mut self, key: u64) -> NodeId {
        self.state_mut().tree.add_node(key, Contents::default(), 0o600, false)
    }
}

/// Bytes that a program may print in a search: they are kept, and gordian must not die of a program that prints for ever.
const MOST_OUTPUT: usize = 256 << 20;

impl Machine<'_> {
    /// For changing: saves the files first if the machine may have to go back.
    pub(crate) fn files_mut(&mut self) -> &mut Files {
        let serial = self.back.serial;
        if self.memory.journal.on && self.files.saved_in != serial {
            self.memory.journal.files.push(self.files.clone());
            self.memory.journal.log.push(Undo::Files);
            self.files.saved_in = serial;
        }
        &mut self.files
    }

    /// Whether other threads could read what the thread, which ends the process, writes to pipes because streams hold it.
    pub(crate) fn flush_would_show(&self, thread: ThreadId) -> bool {
        let is_for_pipe = |place: u64| {
            let description = self.files.stream(place).and_then(|stream| self.files.description(stream.fd).ok());
            description.is_some_and(|open| matches!(open.target, Target::Pipe(..)))
        };
        let runs =
            |(other, core): (usize, &Core)| other != thread.index() && !matches!(core.park, Park::Unborn | Park::Ended);
        self.files.unwritten_streams().into_iter().any(is_for_pipe)
            && self.threads.iter().map(|thread| &thread.core).enumerate().any(runs)
    }

    /// The process ends in an orderly way: what streams hold for files is written. Nobody is left to read what they hold for pipes.
    pub(crate) fn flush_streams(&mut self) {
        if !self.files.passes_through() {
            return;
        }
        for place in self.files.unwritten_streams() {
            let stream = self.files_mut().stream_mut(place).expect("it was listed");
            let (fd, bytes) = (stream.fd, std::mem::take(&mut stream.written));
            if matches!(self.files.node_of(fd), Ok(Some(_))) {
                // Nobody is told that it failed.
                let _ = self.files_mut().write(fd, &bytes, false);
            }
        }
    }

    /// A stream uses the buffer that the program gave it: a write, of which nobody knows the bytes. The stream is locked meanwhile.
    pub(crate) fn use_lent_buffer(&mut self, thread: ThreadId, stream: u64, lent: Lent) -> Result<(), Fault> {
        let Lent { address, len, .. } = lent;
        let object = self.memory.check(address, len, true)?;
        let access = Access::bulk(OpKind::Write, address, len);
        self.note_private_write(thread, access);
        if self.is_visible(thread, address, object)? {
            self.acquire(thread, stream);
            let value = self.memory.load(address, len.min(8) as u8);
            self.note_access(thread, access, value, value)?;
            self.release(thread, stream);
        }
        Ok(())
    }

    /// The process is over.
    pub(crate) fn close_all_files(&mut self) {
        if self.files.passes_through() {
            self.files_mut().save_changed();
            self.files.flush_real();
        }
    }

    /// Writes to disk what a plain run changed. Does nothing elsewhere.
    pub fn commit_files(&mut self) {
        self.files.with_real(Real::commit);
    }

    /// What the program has been given on standard input.
    pub fn stdin(&self) -> &[u8] {
        self.files.stdin()
    }

    /// Adds to the program's output. A plain run keeps none of it.
    pub(crate) fn print(&mut self, to_stderr: bool, bytes: &[u8]) {
        if self.files.passes_through() {
            self.files.show(to_stderr, bytes);
            return;
        }
        let record = if to_stderr { &mut self.log.stderr } else { &mut self.log.stdout };
        if record.len() + bytes.len() > MOST_OUTPUT {
            self.finish(End::Unsupported(format!("more than {MOST_OUTPUT} bytes of output")));
            return;
        }
        record.extend_from_slice(bytes);
    }

    /// What people call the file that an event of kind `OpKind::File` is about.
    pub(crate) fn file_name(&self, key: u64) -> String {
        match key {
            key::TREE => "the directory".to_owned(),
            key::STDIN => "stdin".to_owned(),
            key::ENVIRONMENT => "the environment".to_owned(),
            key::CLOSED => "a closed descriptor".to_owned(),
            key if key >= OpKind::DESCRIPTORS => format!("descriptor {}", key - OpKind::DESCRIPTORS),
            _ => match self.files.state.tree.name_of(key) {
                Some(path) => {
                    let shown = path.strip_prefix(self.files.cwd()).unwrap_or(path);
                    format!("file {}", shown.display())
                }
                None => "a pipe or a file without a name".to_owned(),
            },
        }
    }
}
