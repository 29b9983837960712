//! Names of files: an overlay over the disk. What the program creates, changes and removes stands here;
//! all else is read from disk when first asked for.

use super::bytes::Bytes;
use super::contents::Contents;
use super::errno::*;
use gordian_expr::ExprId;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file, whether it still has a name or not. Its number depends on the interleaving, so it stays in here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, Debug)]
pub struct Node {
    /// The same in every execution: what events call the file.
    pub key: u64,
    pub contents: Contents,
    /// By offset: what bytes stand for that inputs decide.
    pub terms: Arc<BTreeMap<u64, ExprId>>,
    pub mode: u32,
    /// Changed since it was last written to disk, if it ever is.
    pub dirty: bool,
}

impl Node {
    /// At most `len` bytes from `at` on; fewer at the end.
    pub fn read(&self, at: u64, len: u64) -> Bytes {
        let values = self.contents.read(at, len);
        let terms = self.terms.range(at..at + values.len() as u64);
        let terms = terms.map(|(&place, &term)| ((place - at) as usize, term)).collect();
        Bytes::with_terms(values, terms)
    }

    /// False if the file would be too large.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
        let written = self.contents.write(at, bytes);
        let range = at..at.saturating_add(bytes.len() as u64);
        if written && self.terms.range(range.clone()).next().is_some() {
            Arc::make_mut(&mut self.terms).retain(|at, _| !range.contains(at));
        }
        written
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    File(NodeId),
    Directory,
    Removed,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    Nothing,
    File(NodeId),
    Directory,
    /// A device, a socket or a named pipe.
    Special,
}

/// What the last component of a path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    Name,
    Dot,
    DotDot,
}

/// A path as the program gave it, made absolute, without `.` and `..`.
#[derive(Clone, Debug)]
pub struct Resolved {
    pub path: PathBuf,
    pub last: Last,
    /// It ends with a slash: only a directory can be meant.
    pub has_slash: bool,
}

#[derive(Clone, Debug)]
pub struct Tree {
    nodes: Vec<Arc<Node>>,
    names: BTreeMap<PathBuf, Entry>,
    pub cwd: PathBuf,
}

/// Stable over machines and versions. The top bit keeps it apart from the few fixed keys.
fn key_of(path: &Path) -> u64 {
    let bytes = path.as_os_str().as_bytes();
    let hash = bytes
        .iter()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash | 1 << 63
}

impl Tree {
    pub fn new() -> Self {
        let cwd = std::env::current_dir().unwrap_or_else(|_| "/".into());
        Tree { nodes: Vec::new(), names: BTreeMap::new(), cwd }
    }

    /// Goes from name to name as Linux does: what stands before `.` and `..` must be a directory. For what stands before other names, [`Tree::find`] sees to that.
    /// Links on disk are not followed here.
    pub fn resolve(&mut self, path: &[u8]) -> Result<Resolved, Errno> {
        if path.is_empty() {
            return Err(ENOENT);
        }
        let mut current = if path[0] == b'/' { PathBuf::from("/") } else { self.cwd.clone() };
        let (mut is_directory, mut last) = (true, Last::Dot);
        for name in path.split(|&byte| byte == b'/').filter(|name| !name.is_empty()) {
            last = match name {
                b"." => Last::Dot,
                b".." => Last::DotDot,
                _ => Last::Name,
            };
            if last == Last::Name {
                current.push(OsStr::from_bytes(name));
                is_directory = false;
                continue;
            }
            if !is_directory {
                self.check_directory(&current)?;
                is_directory = true;
            }
            if last == Last::DotDot {
                current.pop();
            }
        }
        Ok(Resolved { path: current, last, has_slash: path.ends_with(b"/") })
    }

    pub fn node(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }

    pub fn node_mut(&mut self, node: NodeId) -> &mut Node {
        Arc::make_mut(&mut self.nodes[node.0 as usize])
    }

    pub fn add_node(&mut self, key: u64, contents: Contents, mode: u32, dirty: bool) -> NodeId {
        self.nodes.push(Arc::new(Node { key, contents, terms: Arc::default(), mode, dirty }));
        NodeId(self.nodes.len() as u32 - 1)
    }

    pub fn find(&mut self, path: &Path) -> Result<Found, Errno> {
        if let Some(entry) = self.names.get(path) {
            return Ok(match entry {
                Entry::File(node) => Found::File(*node),
                Entry::Directory => Found::Directory,
                Entry::Removed => Found::Nothing,
            });
        }
        if path.ancestors().skip(1).any(|above| matches!(self.names.get(above), Some(Entry::File(_)))) {
            return Err(ENOTDIR);
        }
        if self.hidden_by_overlay(path) {
            return Ok(Found::Nothing);
        }
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            Err(error) if error.raw_os_error() == Some(ENOENT) => return Ok(Found::Nothing),
            Err(error) => return Err(error.raw_os_error().unwrap_or(EIO)),
        };
        if metadata.is_dir() {
            return Ok(Found::Directory);
        }
        if !metadata.is_file() {
            return Ok(Found::Special);
        }
        // Another name may have brought the file in already.
        let real = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        if let Some(&entry @ Entry::File(node)) = self.names.get(&real) {
            self.names.insert(path.to_owned(), entry);
            return Ok(Found::File(node));
        }
        let bytes = std::fs::read(path).map_err(|error| error.raw_os_error().unwrap_or(EIO))?;
        let mode = std::os::unix::fs::MetadataExt::mode(&metadata) & 0o7777;
        let node = self.add_node(key_of(&real), Contents::from_bytes(&bytes), mode, false);
        self.names.insert(real, Entry::File(node));
        self.names.insert(path.to_owned(), Entry::File(node));
        Ok(Found::File(node))
    }

    pub fn is_directory(&self, path: &Path) -> bool {
        match self.names.get(path) {
            Some(entry) => *entry == Entry::Directory,
            None => !self.hidden_by_overlay(path) && path.is_dir(),
        }
    }

    /// Whether a directory above it was removed or made by the program, so that the disk has no say.
    fn hidden_by_overlay(&self, path: &Path) -> bool {
        path.ancestors().skip(1).any(|above| self.names.contains_key(above))
    }

    /// An error unless the directory that would hold `path` exists.
    fn check_parent(&mut self, path: &Path) -> Result<(), Errno> {
        self.check_directory(path.parent().ok_or(EEXIST)?)
    }

    pub fn check_directory(&mut self, path: &Path) -> Result<(), Errno> {
        match self.find(path)? {
            Found::Directory => Ok(()),
            Found::Nothing => Err(ENOENT),
            Found::File(_) | Found::Special => Err(ENOTDIR),
        }
    }

    pub fn create(&mut self, path: &Path, mode: u32) -> Result<NodeId, Errno> {
        self.check_parent(path)?;
        let node = self.add_node(key_of(path), Contents::default(), mode, true);
        self.names.insert(path.to_owned(), Entry::File(node));
        Ok(node)
    }

    pub fn make_directory(&mut self, path: &Path) -> Result<(), Errno> {
        if self.find(path)? != Found::Nothing {
            return Err(EEXIST);
        }
        self.check_parent(path)?;
        self.names.insert(path.to_owned(), Entry::Directory);
        Ok(())
    }

    pub fn unlink(&mut self, path: &Path) -> Result<(), Errno> {
        match self.find(path)? {
            Found::Nothing => Err(ENOENT),
            Found::Directory => Err(EISDIR),
            Found::File(_) | Found::Special => {
                self.names.insert(path.to_owned(), Entry::Removed);
                Ok(())
            }
        }
    }

    pub fn remove_directory(&mut self, path: &Path) -> Result<(), Errno> {
        match self.find(path)? {
            Found::Nothing => return Err(ENOENT),
            Found::File(_) | Found::Special => return Err(ENOTDIR),
            Found::Directory => {}
        }
        if !self.list(path)?.is_empty() {
            return Err(ENOTEMPTY);
        }
        self.names.insert(path.to_owned(), Entry::Removed);
        Ok(())
    }

    pub fn rename(&mut self, from: &Path, to: &Path) -> Result<(), Errno> {
        let source = self.find(from)?;
        let target = self.find(to)?;
        self.check_parent(to)?;
        match (source, target) {
            (Found::Nothing, _) => Err(ENOENT),
            (Found::Special, _) | (_, Found::Special) => Err(EPERM),
            (Found::File(_), Found::Directory) => Err(EISDIR),
            (Found::Directory, Found::File(_)) => Err(ENOTDIR),
            _ if from == to => Ok(()),
            (Found::File(node), _) => {
                self.names.insert(from.to_owned(), Entry::Removed);
                self.names.insert(to.to_owned(), Entry::File(node));
                self.node_mut(node).dirty = true;
                Ok(())
            }
            (Found::Directory, _) if to.starts_with(from) => Err(EINVAL),
            (Found::Directory, _) => self.rename_directory(from, to, target),
        }
    }

    fn rename_directory(&mut self, from: &Path, to: &Path, target: Found) -> Result<(), Errno> {
        if target == Found::Directory && !self.list(to)?.is_empty() {
            return Err(ENOTEMPTY);
        }
        self.names.insert(to.to_owned(), Entry::Directory);
        for name in self.list(from)? {
            let (old, new) = (from.join(OsStr::from_bytes(&name)), to.join(OsStr::from_bytes(&name)));
            self.rename(&old, &new)?;
        }
        self.names.insert(from.to_owned(), Entry::Removed);
        Ok(())
    }

    /// The names in a directory, in order: the disk's order would differ from machine to machine.
    pub fn list(&self, path: &Path) -> Result<Vec<Vec<u8>>, Errno> {
        let mut names: BTreeMap<Vec<u8>, ()> = BTreeMap::new();
        let made_here = self.names.contains_key(path) || self.hidden_by_overlay(path);
        if !made_here {
            let entries = std::fs::read_dir(path).map_err(|error| error.raw_os_error().unwrap_or(EIO))?;
            names.extend(entries.flatten().map(|entry| (entry.file_name().as_bytes().to_vec(), ())));
        }
        for (known, entry) in &self.names {
            if known.parent() == Some(path)
                && let Some(name) = known.file_name()
            {
                match entry {
                    Entry::Removed => names.remove(name.as_bytes()),
                    Entry::File(_) | Entry::Directory => names.insert(name.as_bytes().to_vec(), ()),
                };
            }
        }
        Ok(names.into_keys().collect())
    }

    /// What to call the file with this key.
    pub fn name_of(&self, key: u64) -> Option<&Path> {
        let named = |entry: &Entry| matches!(entry, Entry::File(node) if self.node(*node).key == key);
        self.names.iter().find(|(_, entry)| named(entry)).map(|(path, _)| path.as_path())
    }

    /// Every file with a name, by name.
    pub fn named_files(&self) -> impl Iterator<Item = (&Path, NodeId)> {
        self.names.iter().filter_map(|(path, entry)| match entry {
            Entry::File(node) => Some((path.as_path(), *node)),
            Entry::Directory | Entry::Removed => None,
        })
    }
}
