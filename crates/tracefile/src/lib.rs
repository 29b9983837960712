//! Traces of runs on disk: gordian's own `run.trace`, RAPID's text and RapidBin.
//!
//! A trace is one run of a program: its events in order, with their places in the source. gordian's own format ([`gordian`]) is written while
//! the program runs and holds the test that was run, so that whoever reads it can run the same again. The other two formats hold accesses,
//! locks, forks and joins without values. `docs/trace-format.md` describes all three.

mod atoms;
mod block;
mod event;
mod gordian;
mod kind;
mod rapidbin;
mod stdtext;
mod wellformed;

pub use event::{Event, NO_PLACE, Origin, Trace, TracePlace};
pub use gordian::{End, Header, VERSION, Writer};
pub use kind::Kind;

use std::fmt;
use std::path::{Path, PathBuf};

/// A format of traces.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Gordian,
    Std,
    RapidBin,
}

impl Format {
    /// The format that a file's first bytes look like.
    pub fn detect(bytes: &[u8]) -> Format {
        if bytes.starts_with(gordian::MAGIC) {
            return Format::Gordian;
        }
        // RapidBin begins with numbers of 16 and more bits, whose first bytes are zero.
        let head = &bytes[..bytes.len().min(64)];
        let is_text = head.iter().all(|&byte| byte >= b' ' || matches!(byte, b'\n' | b'\r' | b'\t'));
        if is_text && !head.is_empty() { Format::Std } else { Format::RapidBin }
    }
}

/// Where in a file something is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    Offset(u64),
    Line(u64),
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Position::Offset(offset) => write!(f, "offset {offset}"),
            Position::Line(line) => write!(f, "line {line}"),
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum TraceError {
    #[error("cannot read {path}: {source}", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write the trace: {0}")]
    Write(#[from] std::io::Error),
    #[error("{position}: {what}")]
    Bad { position: Position, what: String },
    #[error("the trace has format version {found}, and this gordian reads up to {VERSION}; use a newer gordian")]
    Version { found: u32 },
    #[error("{0} cannot be written in this format")]
    CannotSay(String),
}

impl TraceError {
    fn at(position: Position, what: impl Into<String>) -> TraceError {
        TraceError::Bad { position, what: what.into() }
    }
}

/// Reads a trace from a file.
pub fn open(path: &Path, format: Option<Format>) -> Result<Trace, TraceError> {
    let bytes = std::fs::read(path).map_err(|source| TraceError::Read { path: path.into(), source })?;
    read(&bytes, format)
}

/// Reads a trace; without a format, one that its first bytes look like.
pub fn read(bytes: &[u8], format: Option<Format>) -> Result<Trace, TraceError> {
    match format.unwrap_or_else(|| Format::detect(bytes)) {
        Format::Gordian => gordian::read(bytes),
        Format::Std => stdtext::read(bytes),
        Format::RapidBin => rapidbin::read(bytes),
    }
}

/// Writes a trace. Gives notes on what the format could not say and was left out.
pub fn write(trace: &Trace, format: Format, to: &mut dyn std::io::Write) -> Result<Vec<String>, TraceError> {
    match format {
        Format::Gordian => gordian::write(trace, to).map(|()| Vec::new()),
        Format::Std => stdtext::write(trace, to),
        Format::RapidBin => rapidbin::write(trace, to),
    }
}
