//! One search by several workers, with the same report for any number of them.
//!
//! The search is a [`tree`] of wake-up branches. A worker ([`worker`]) explores one [part](parts) after the other, each behind a [`prefix`] that leads to it, with a
//! [`snapshot`] of what is planned around it. What it learns about states of the prefix is applied in the order in which one worker would
//! have learnt it ([`delivery`]). [`team`] decides how the search is divided, [`saved`] writes it to disk.
//!
//! # Sharing and splitting
//!
//! **Several workers divide a `dpor` search** in one of two ways, and a scout, the first of them while it is alone, finds out which (`Team::scout`,
//! `Division`): it shares its search after a few executions as if there were others, and counts what it would have to tell them about states on the way
//! to its part. In most programs that is next to nothing, and the search is shared. In others (last zero, the indexer) every execution plans something
//! near the beginning; workers would have more to tell each other than to do, so the search is split, or left to one if it cannot be. Searches that are
//! shared go on where the scout was; those that are split begin anew.
//!
//! **Splitting** (`dpor/split.rs`) is by pairs of steps that every execution has and that depend on each other in every execution. In one half the first
//! of a pair waits for the second, in the other the second for the first, which is a dependence like any other, so each half is a search of its own with
//! its own tree, and whoever explores it speaks to nobody. The scout's executions tell which pairs to take (`Survey`). Every pair has its price, so there
//! are few parts; if they prove uneven, the last of them are split further before they are begun, so that nobody waits for long. Every execution is
//! checked to have both steps of all pairs, dependent: a trace for which that does not hold would show in some half, so if it always does, the halves
//! make up the whole. If it does not, or if anything is found, what the halves came to is dropped, and the search is split otherwise, shared or left to
//! one. A worker without a part of its own shares another, once that one has proved larger than usual.
//!
//! **A `dpor` search is shared and saved** as a tree of the wake-up branches on the ways to parts that are explored or still are to be
//! (`dpor/parallel/tree.rs`). What an execution says about states on the way to its part is kept as notes until all parts before it have ended, so that
//! whoever explores what and when, the same executions are made and the results put together in the same order; `strategies/tests/team.rs` checks that to
//! the byte, and `tests/generated` on generated programs. Only what is begun redundant may differ. Parts are often as small as one execution, so workers
//! take many that follow each other at once (`dpor/parallel/parts.rs`), with a copy of what is planned about them (`dpor/parallel/snapshot.rs`), go from
//! one to the next as if they backtracked, and keep to themselves what the copy shows to be planned already. A branch of the tree is a sequence of steps,
//! since most plans are long and few begin alike. A `Worker` (`dpor/parallel/worker.rs`) is a `Dpor` with a way to its part; `engine/src/team.rs` runs
//! several, each with a machine of its own. The tree is what `--resume` reads again (`cli/src/checkpoint.rs`). Machines number threads that threads
//! create in the order of sight, so workers begin with the scout's numbers; a search in which another such thread turns up later is left to one.

pub mod branch;
pub mod delivery;
mod export;
mod insert;
pub mod parts;
pub mod prefix;
pub mod saved;
pub mod snapshot;
pub mod team;
pub mod tree;
pub mod worker;
