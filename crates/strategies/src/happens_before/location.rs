//! Locations, and accesses to them: when two accesses conflict.

use serde::{Deserialize, Serialize};

/// How a step touches a location. Reads commute with reads, shared uses (read locks and their releases, posts) with
/// shared uses, and blind writes with blind writes; nothing else commutes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Mode {
    Read,
    Share,
    Write,
    /// A write that does not look: see the strategy `observers`.
    Blind,
}

impl Mode {
    #[inline]
    pub fn conflicts(self, other: Mode) -> bool {
        self != other || self == Mode::Write
    }
}

/// The classes of locations; the address tells which of its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[repr(u8)]
pub enum Class {
    /// Aligned words of memory, those of synchronisation objects included.
    Memory,
    /// See [`gordian_trace::Hidden`].
    Hidden,
    File,
    Random,
    /// A step that another of the same group has to wait for: see `symmetry.rs`.
    Tie,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Location {
    pub address: u64,
    pub class: Class,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Access {
    pub location: Location,
    /// Of the word at the location.
    pub bytes: u8,
    pub mode: Mode,
    /// How many words it touches, the one at the location included. Synchronisation objects have several, which are used together.
    #[serde(default = "one", skip_serializing_if = "is_one")]
    pub words: u8,
}

fn one() -> u8 {
    1
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde wants it like that")]
fn is_one(words: &u8) -> bool {
    *words == 1
}

impl Access {
    /// To some bytes of one word.
    #[inline]
    pub fn new(location: Location, bytes: u8, mode: Mode) -> Access {
        Access { location, bytes, mode, words: 1 }
    }

    #[inline]
    pub fn conflicts(&self, other: &Access) -> bool {
        self.mode.conflicts(other.mode) && self.overlaps(other)
    }

    /// Whether both name the same bytes.
    #[inline]
    pub fn is_same_place(&self, other: &Access) -> bool {
        self.location == other.location && (self.bytes, self.words) == (other.bytes, other.words)
    }

    /// Whether both touch the same bytes.
    #[inline]
    pub fn overlaps(&self, other: &Access) -> bool {
        self.bytes & other.bytes != 0 && self.location == other.location
            || (self.words | other.words) > 1 && self.overlaps_behind(other)
    }

    /// Whether they meet in a word behind the first of one of them.
    #[cold]
    fn overlaps_behind(&self, other: &Access) -> bool {
        let end = |access: &Access| access.location.address.saturating_add(8 * u64::from(access.words));
        let (a, b) = (self.location.address, other.location.address);
        let meet = if a == b { self.words > 1 && other.words > 1 } else { a < end(other) && b < end(self) };
        meet && self.location.class == other.location.class
    }

    /// The words that it touches, each as an access of its own.
    pub fn each_word(self) -> impl Iterator<Item = Access> {
        let Location { address, class } = self.location;
        (0..u64::from(self.words)).map(move |nth| {
            let location = Location { address: address + 8 * nth, class };
            Access { location, bytes: if nth == 0 { self.bytes } else { u8::MAX }, mode: self.mode, words: 1 }
        })
    }
}
