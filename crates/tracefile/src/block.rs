//! Blocks: compressed, checksummed pieces of a trace, and the numbers in them.

use std::io::{self, Write};

/// Blocks are written when they have so many bytes.
pub const FULL: usize = 1 << 16;

/// No block claims to be larger, compressed or not: a broken length must not fill the memory.
pub const LARGEST: usize = 1 << 26;

/// Bytes before a block's content: kind, raw length, stored length, checksum.
pub const HEAD: usize = 1 + 4 + 4 + 4;

/// What is in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Threads, places, locks and variables that the following events refer to.
    Names,
    Events,
    /// Choices of the schedule, in the text of a test.
    Schedule,
    /// The last block: how the run ended.
    End,
}

impl BlockKind {
    fn number(self) -> u8 {
        match self {
            BlockKind::Names => 1,
            BlockKind::Events => 2,
            BlockKind::Schedule => 3,
            BlockKind::End => 4,
        }
    }

    fn of_number(number: u8) -> Option<BlockKind> {
        match number {
            1 => Some(BlockKind::Names),
            2 => Some(BlockKind::Events),
            3 => Some(BlockKind::Schedule),
            4 => Some(BlockKind::End),
            _ => None,
        }
    }
}

/// The checksum covers everything of a block but itself.
fn checksum(head: &[u8], stored: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(head);
    hasher.update(stored);
    hasher.finalize()
}

pub fn write_block(to: &mut dyn Write, kind: BlockKind, content: &[u8]) -> io::Result<()> {
    let stored = lz4_flex::block::compress(content);
    let mut head = vec![kind.number()];
    head.extend_from_slice(&(content.len() as u32).to_le_bytes());
    head.extend_from_slice(&(stored.len() as u32).to_le_bytes());
    let sum = checksum(&head, &stored);
    to.write_all(&head)?;
    to.write_all(&sum.to_le_bytes())?;
    to.write_all(&stored)
}

/// Why a block cannot be read.
pub enum BlockError {
    /// The file ends within it.
    CutOff,
    Broken(String),
}

/// The block at the beginning of `bytes`: its kind, its content, and how many bytes it takes.
pub fn read_block(bytes: &[u8]) -> Result<(BlockKind, Vec<u8>, usize), BlockError> {
    let broken = |what: &str| BlockError::Broken(what.to_owned());
    let Some((head, rest)) = bytes.split_at_checked(HEAD) else { return Err(BlockError::CutOff) };
    let number = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (raw, stored, sum) = (number(1) as usize, number(5) as usize, number(9));
    if raw > LARGEST || stored > LARGEST {
        return Err(broken("a block claims to be larger than any block is"));
    }
    let Some(content) = rest.get(..stored) else { return Err(BlockError::CutOff) };
    if checksum(&head[..9], content) != sum {
        return Err(broken("the checksum of a block is wrong"));
    }
    let kind = BlockKind::of_number(head[0]).ok_or_else(|| broken("a block is of no known kind"))?;
    let content = lz4_flex::block::decompress(content, raw).map_err(|_| broken("a block cannot be decompressed"))?;
    if content.len() != raw {
        return Err(broken("a block has another length than it says"));
    }
    Ok((kind, content, HEAD + stored))
}

/// Appends a number, seven bits to a byte, the lowest first.
pub fn put_number(to: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

pub fn put_text(to: &mut Vec<u8>, text: &str) {
    put_number(to, text.len() as u64);
    to.extend_from_slice(text.as_bytes());
}

/// Reads the content of a block.
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Cursor<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Cursor { bytes, at: 0 }
    }

    pub fn is_at_end(&self) -> bool {
        self.at == self.bytes.len()
    }

    pub fn byte(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if shift == 63 && bits > 1 {
                return None;
            }
            number |= bits << shift;
            if byte < 0x80 {
                return Some(number);
            }
        }
        None
    }

    pub fn small(&mut self) -> Option<u32> {
        u32::try_from(self.number()?).ok()
    }

    pub fn text(&mut self) -> Option<&'a str> {
        let len = usize::try_from(self.number()?).ok()?;
        let text = self.bytes.get(self.at..self.at.checked_add(len)?)?;
        self.at += len;
        std::str::from_utf8(text).ok()
    }
}
