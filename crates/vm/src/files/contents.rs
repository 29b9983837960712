//! The bytes of a file, in pieces that copies share, so that keeping an earlier state costs what changed.

use std::sync::{Arc, LazyLock};

const CHUNK: usize = 4096;
/// No program under test needs more, and one that seeks far and writes must not fill our memory.
pub const MAX_LEN: u64 = 1 << 30;

#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// All of `CHUNK` bytes; those past `len` are zero.
    chunks: Vec<Arc<Vec<u8>>>,
    len: u64,
}

impl Contents {
    pub fn from_bytes(bytes: &[u8]) -> Self {
        let chunks = bytes.chunks(CHUNK).map(|chunk| {
            let mut chunk = chunk.to_vec();
            chunk.resize(CHUNK, 0);
            Arc::new(chunk)
        });
        Contents { chunks: chunks.collect(), len: bytes.len() as u64 }
    }

    pub fn len(&self) -> u64 {
        self.len
    }

    #[cfg(test)]
    fn byte(&self, at: u64) -> Option<u8> {
        (at < self.len).then(|| self.chunks[at as usize / CHUNK][at as usize % CHUNK])
    }

    /// At most `len` bytes from `at` on; fewer at the end.
    pub fn read(&self, at: u64, len: u64) -> Vec<u8> {
        let end = at.saturating_add(len).min(self.len);
        let mut bytes = Vec::new();
        let mut at = at;
        while at < end {
            let from = at as usize % CHUNK;
            let n = (CHUNK - from).min((end - at) as usize);
            bytes.extend_from_slice(&self.chunks[at as usize / CHUNK][from..from + n]);
            at += n as u64;
        }
        bytes
    }

    /// Writes at `at`; a gap before it becomes zeros. False if the file would be too large.
    pub fn write(&mut self, at: u64, bytes: &[u8]) -> bool {
        let end = at.saturating_add(bytes.len() as u64);
        if end > MAX_LEN {
            return false;
        }
        if end > self.len {
            self.resize(end);
        }
        let (mut at, mut rest) = (at as usize, bytes);
        while !rest.is_empty() {
            let from = at % CHUNK;
            let n = (CHUNK - from).min(rest.len());
            Arc::make_mut(&mut self.chunks[at / CHUNK])[from..from + n].copy_from_slice(&rest[..n]);
            at += n;
            rest = &rest[n..];
        }
        true
    }

    pub fn resize(&mut self, len: u64) {
        let n_chunks = (len as usize).div_ceil(CHUNK);
        // All holes of all files are one chunk, until something is written there.
        static HOLE: LazyLock<Arc<Vec<u8>>> = LazyLock::new(|| Arc::new(vec![0; CHUNK]));
        self.chunks.resize(n_chunks, HOLE.clone());
        let used = len as usize % CHUNK;
        if len < self.len && used > 0 {
            Arc::make_mut(&mut self.chunks[n_chunks - 1])[used..].fill(0);
        }
        self.len = len;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_across_chunks_and_gaps() {
        let mut contents = Contents::from_bytes(&[1; 5000]);
        assert!(contents.write(4090, &[2; 12]));
        assert!(contents.write(9000, b"end"));
        let bytes = contents.read(0, u64::MAX);
        assert_eq!(bytes.len(), 9003);
        assert_eq!((bytes[4089], bytes[4090], bytes[4101], bytes[4102]), (1, 2, 2, 1));
        assert_eq!((bytes[5000], &bytes[9000..]), (0, &b"end"[..]));
        assert_eq!((contents.byte(9002), contents.byte(9003)), (Some(b'd'), None));
    }

    #[test]
    fn what_was_cut_off_is_zero_when_it_comes_back() {
        let mut contents = Contents::from_bytes(b"abcdef");
        let before = contents.clone();
        contents.resize(2);
        contents.resize(4);
        assert_eq!(contents.read(0, 10), b"ab\0\0");
        assert_eq!(before.read(0, 10), b"abcdef");
    }

    #[test]
    fn too_much_is_refused() {
        let mut contents = Contents::default();
        assert!(!contents.write(MAX_LEN, b"x"));
        assert_eq!(contents.len(), 0);
    }
}
