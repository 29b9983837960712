//! A failure of the program under test: a value, never an error of gordian's.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FindingKind {
    Assertion,
    Abort,
    Deadlock,
    LostSignal,
    Livelock,
    DataRace,
    LockMisuse,
    OutOfBounds,
    UseAfterFree,
    /// A stream is used after it was closed.
    UseAfterClose,
    DoubleFree,
    BadFree,
    NullDereference,
    Uninitialised,
    DivisionByZero,
    Overflow,
    BadShift,
    UndefinedBehaviour,
    Leak,
    /// Another thread comes between steps that are meant to be one.
    Atomicity,
}

impl FindingKind {
    pub const ALL: [FindingKind; 20] = [
        FindingKind::Assertion,
        FindingKind::Abort,
        FindingKind::Deadlock,
        FindingKind::LostSignal,
        FindingKind::Livelock,
        FindingKind::DataRace,
        FindingKind::LockMisuse,
        FindingKind::OutOfBounds,
        FindingKind::UseAfterFree,
        FindingKind::UseAfterClose,
        FindingKind::DoubleFree,
        FindingKind::BadFree,
        FindingKind::NullDereference,
        FindingKind::Uninitialised,
        FindingKind::DivisionByZero,
        FindingKind::Overflow,
        FindingKind::BadShift,
        FindingKind::UndefinedBehaviour,
        FindingKind::Leak,
        FindingKind::Atomicity,
    ];

    /// The name in reports, files and directives.
    pub fn name(self) -> &'static str {
        match self {
            FindingKind::Assertion => "assertion",
            FindingKind::Abort => "abort",
            FindingKind::Deadlock => "deadlock",
            FindingKind::LostSignal => "lost-signal",
            FindingKind::Livelock => "livelock",
            FindingKind::DataRace => "data-race",
            FindingKind::LockMisuse => "lock-misuse",
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::UseAfterFree => "use-after-free",
            FindingKind::UseAfterClose => "use-after-close",
            FindingKind::DoubleFree => "double-free",
            FindingKind::BadFree => "bad-free",
            FindingKind::NullDereference => "null-dereference",
            FindingKind::Uninitialised => "uninitialised",
            FindingKind::DivisionByZero => "division-by-zero",
            FindingKind::Overflow => "overflow",
            FindingKind::BadShift => "bad-shift",
            FindingKind::UndefinedBehaviour => "undefined-behaviour",
            FindingKind::Leak => "leak",
            FindingKind::Atomicity => "atomicity",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A thread as people know it: its number and the function it started in.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ThreadName {
    pub number: u32,
    pub function: String,
}

impl fmt::Display for ThreadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "T{} {}", self.number, self.function)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Place {
    pub file: String,
    /// 0 where the compiler gave no place.
    pub line: u32,
    pub column: u32,
    pub function: String,
    pub thread: ThreadName,
    /// What happened here, for example "writes counter = 2".
    pub what: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    pub kind: FindingKind,
    /// One sentence, lower case, no full stop.
    pub message: String,
    /// The first is where it happened; then every other place involved.
    pub places: Vec<Place>,
    /// Further lines for people: who holds what, what is missing.
    pub notes: Vec<String>,
}

impl Finding {
    /// Findings with the same key are one finding, however many schedules reach it. Values and thread
    /// numbers differ between schedules, so only kind and source positions count; the order of the
    /// places does not.
    pub fn key(&self) -> (FindingKind, Vec<(String, u32, u32)>) {
        let mut places: Vec<_> =
            self.places.iter().map(|place| (place.file.clone(), place.line, place.column)).collect();
        places.sort();
        places.dedup();
        (self.kind, places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_written_as_it_is_named() {
        for kind in FindingKind::ALL {
            assert_eq!(serde_json::to_string(&kind).unwrap(), format!("\"{}\"", kind.name()));
        }
    }
}
