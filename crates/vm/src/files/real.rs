//! The real streams and the real disk, for a plain run. Nothing in here may fail loudly: a reader that
//! went away is no reason for the program under test to behave otherwise.

use std::io::{IsTerminal, Read, Write};
use std::path::Path;

/// Output held back at most.
const BUFFER: usize = 1 << 16;

#[derive(Debug)]
pub struct Real {
    pending: Vec<u8>,
    by_line: bool,
}

impl Real {
    pub fn new() -> Self {
        Real { pending: Vec::new(), by_line: std::io::stdout().is_terminal() }
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

    pub fn save(&mut self, path: &Path, bytes: &[u8]) {
        if let Err(error) = std::fs::write(path, bytes) {
            self.err(format!("gordian: cannot write {}: {error}\n", path.display()).as_bytes());
        }
    }
}

impl Drop for Real {
    fn drop(&mut self) {
        self.flush();
    }
}
