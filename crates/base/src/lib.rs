//! What every other crate stands on: typed ids, vectors indexed by them, shortest paths, and seeded random numbers.

mod clocks;
mod index;
mod paths;
mod rng;
mod threads;

pub use clocks::{ClockId, Clocks};
pub use index::{Id, IndexVec};
pub use paths::ShortestPaths;
pub use rng::Rng;
pub use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet, FxHasher};
pub use threads::ThreadSet;

define_id! {
    /// A thread of the program under test. Main is thread 0; the others are numbered by creation
    /// within their creator (see the machine), never by who ran first.
    ThreadId, "T"
}

impl ThreadId {
    pub const MAIN: ThreadId = ThreadId(0);
}

impl serde::Serialize for ThreadId {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

impl<'de> serde::Deserialize<'de> for ThreadId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        u32::deserialize(deserializer).map(ThreadId)
    }
}
