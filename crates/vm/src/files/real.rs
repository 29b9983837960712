//! The real streams and the real disk, for a plain run. Nothing in here may fail loudly: a reader that
//! went away is no reason for the program under test to behave otherwise.

use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;

/// Output held back at most.
const BUFFER: usize = 1 << 16;

/// Something that the program did to the disk.
#[derive(Debug)]
pub enum Change {
    Save(PathBuf, Vec<u8>),
    Unlink(PathBuf),
    MakeDirectory(PathBuf),
    RemoveDirectory(PathBuf),
    Rename(PathBuf, PathBuf),
}

#[derive(Debug)]
pub struct Real {
    pending: Vec<u8>,
    by_line: bool,
    /// Not yet made, in order.
    changes: Vec<Change>,
}

impl Real {
    pub fn new() -> Self {
        Real { pending: Vec::new(), by_line: std::io::stdout().is_terminal(), changes: Vec::new() }
    }

    pub fn out(&mut self, bytes: &[u8]) {
        self.pending.extend_from_slice(bytes);
        if self.pending.len() >= BUFFER || self.by_line && bytes.contains(&b'\n') {
            self.flush();
        }
    }

    pub fn err(&mut self, bytes: &[u8]) {
        self.flush();
        let _ = std::io::stderr().write_all(bytes);
    }

    pub fn flush(&mut self) {
        let mut stdout = std::io::stdout().lock();
        let _ = stdout.write_all(&self.pending).and_then(|()| stdout.flush());
        self.pending.clear();
    }

    /// Waits for input; empty at its end.
    pub fn read_stdin(&mut self) -> Vec<u8> {
        self.flush();
        let mut buffer = vec![0; BUFFER];
        let n = std::io::stdin().lock().read(&mut buffer).unwrap_or(0);
        buffer.truncate(n);
        buffer
    }

    pub fn change(&mut self, change: Change) {
        if let Change::Save(path, _) = &change {
            // A file that is saved again and again need be written once.
            let recent = self.changes.iter().rposition(|earlier| !matches!(earlier, Change::Save(..)));
            let recent = recent.map_or(0, |last| last + 1);
            let same = |earlier: &Change| matches!(earlier, Change::Save(other, _) if other == path);
            if let Some(index) = self.changes[recent..].iter().position(same) {
                self.changes.remove(recent + index);
            }
        }
        self.changes.push(change);
    }

    /// Makes the changes. What was never written to disk is not there to remove or rename, which is no error.
    pub fn commit(&mut self) {
        self.flush();
        for change in std::mem::take(&mut self.changes) {
            match change {
                Change::Save(path, bytes) => {
                    if let Err(error) = std::fs::write(&path, bytes) {
                        self.err(format!("gordian: cannot write {}: {error}\n", path.display()).as_bytes());
                    }
                }
                Change::Unlink(path) => drop(std::fs::remove_file(path)),
                Change::MakeDirectory(path) => drop(std::fs::create_dir(path)),
                Change::RemoveDirectory(path) => drop(std::fs::remove_dir(path)),
                Change::Rename(from, to) => drop(std::fs::rename(from, to)),
            }
        }
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        self.flush();
    }
}
