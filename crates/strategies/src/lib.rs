//! One folder for each strategy. The head of its docs names the paper, the guarantee, where we deviate and what
//! it misses. A strategy knows choice points and executions, never the machine.
//!
//! To add one: make its folder, implement [`Strategy`], add a line to [`STRATEGIES`], and let the tests in
//! `tests/` compare it with brute force.
//!
//! # How strategies work
//!
//! `choose` is asked at every point with a choice (or at every step, if the strategy says so), `next` after every execution: restart, go back to a choice
//! point, or done. `dpor` is optimal partial order reduction with wake-up trees; `exhaustive` has no reduction; `classes` is `exhaustive` that also sorts
//! executions into Mazurkiewicz traces and is what `dpor` is compared with; `bounded` is `exhaustive` that gives up where the same partial order of steps
//! was reached before after the same thread with no more preemptions; `random`, `pct` and `pos` sample.
//!
//! **Atomic sections and races.** For the race detector sections are ordered by the bytes and objects that they touch, which is how steps depend on each
//! other: if one lock ordered them all, whether a race shows would depend on the order of independent steps (`vm/src/order.rs`).
//!
//! **Inputs alone first.** Before a search with inputs, `engine/src/inputs_first.rs` goes through the first 1,000 paths of one schedule. What it finds
//! comes first; nothing is concluded from what it does not find.
//!
//! **Value schedules** (crate `value_schedule`, after Huang 2009) are a `Strategy` in two phases. `guide.rs` turns static pairs into orders, partner
//! before trigger; `search.rs` runs the default execution, keeps its backtracking points and their pairs by rank, and hands over to `dpor` with
//! `Next::Anew`, so that soundness rests on `dpor` alone; `directed.rs` makes one partner happen: seek, release, complete. The default execution and the
//! directed ones are not counted as explored.
//!
//! **Static facts** (`analysis/src/invisible.rs`, `vm/src/invisible.rs`): loads and stores that are in no pair, or read what is only written before the first
//! thread is created, and operations on mutexes that one thread alone uses, are in the table `Program::invisible`. With `Machine::facts` they are parts of the step before them. Steps that read what others write
//! under a lock are not memoised. Saved tests have all steps (`cli/src/facts.rs`), and debug builds assert each fact when it is used.

pub mod bounded;
pub mod classes;
pub mod dpor;
pub mod dpor_classic;
pub mod estimate;
pub mod exhaustive;
mod explain;
pub mod explicit;
pub mod happens_before;
pub mod observers;
pub mod pct;
pub mod pos;
pub mod random;

pub use bounded::Bounded;
pub use classes::{Classes, Classifier};
pub use dpor::{Dpor, DporTeam, Order, Shortcuts};
pub use dpor_classic::DporClassic;
pub use exhaustive::Exhaustive;
pub use explicit::Explicit;
pub use observers::DporObserving;
pub use pct::Pct;
pub use pos::Pos;
pub use random::Random;

use gordian_engine::Strategy;

/// What strategies can be told. Each takes what it knows of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Of every random choice.
    pub seed: u64,
    /// Depth of the bugs that `pct` aims at.
    pub depth: u32,
    /// For `dpor`: explores symmetric threads in one order only.
    pub symmetry: Symmetry,
    /// For `dpor`: does not order writes that nobody reads.
    pub observers: Observers,
}

/// Which writes are not ordered if nobody reads them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Observers {
    /// None: all are ordered.
    #[default]
    Unused,
    /// Atomic ones. The order of others decides which accesses are found to race.
    Atomic,
    All,
}

/// Whether threads that a program cannot tell apart are explored in one order only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Symmetry {
    #[default]
    Unused,
    Used,
    /// It was asked for, but the program can tell its threads apart: how, in a clause.
    Refused(String),
}

impl Default for Parameters {
    fn default() -> Self {
        Parameters { seed: 0, depth: pct::DEFAULT_DEPTH, symmetry: Symmetry::Unused, observers: Observers::Unused }
    }
}

/// A strategy as users know it.
pub struct Entry {
    pub name: &'static str,
    /// One line, lower case, no full stop.
    pub help: &'static str,
    /// Whether it samples, and so never ends by itself.
    pub samples: bool,
    make: fn(&Parameters) -> Box<dyn Strategy>,
}

pub const STRATEGIES: &[Entry] = &[
    Entry {
        name: dpor::NAME,
        help: "every order of dependent operations, each once: exhaustive with optimal partial order reduction",
        samples: false,
        make: |parameters| {
            if parameters.observers != Observers::Unused {
                return Box::new(DporObserving::new(parameters.observers));
            }
            Box::new(match &parameters.symmetry {
                Symmetry::Unused => Dpor::default(),
                Symmetry::Used => Dpor::default().with_symmetry(None),
                Symmetry::Refused(why) => Dpor::default().with_symmetry(Some(why.clone())),
            })
        },
    },
    Entry {
        name: dpor_classic::NAME,
        help: "partial order reduction of 2005 with sleep sets: as dpor, with redundant executions, for comparison",
        samples: false,
        make: |_| Box::new(DporClassic::default()),
    },
    Entry {
        name: bounded::NAME,
        help: "every state that schedules lead to, each once: for searches with few preemptions",
        samples: false,
        make: |_| Box::new(Bounded::default()),
    },
    Entry {
        name: exhaustive::NAME,
        help: "every schedule, depth first, without reduction",
        samples: false,
        make: |_| Box::new(Exhaustive::default()),
    },
    Entry {
        name: explicit::NAME,
        help: "every state, compared in full, depth first: says nothing of data races, for comparison",
        samples: false,
        make: |_| Box::new(Explicit::default()),
    },
    Entry {
        name: classes::NAME,
        help: "as exhaustive, and counts the traces that dpor must reach: for checking reductions",
        samples: false,
        make: |_| Box::new(Classes::default()),
    },
    Entry {
        name: random::NAME,
        help: "random walks: every choice equally likely",
        samples: true,
        make: |parameters| Box::new(Random::new(parameters.seed)),
    },
    Entry {
        name: pct::NAME,
        help: "random thread priorities with few changes: finds bugs of small depth with a guaranteed probability",
        samples: true,
        make: |parameters| Box::new(Pct::new(parameters.seed, parameters.depth)),
    },
    Entry {
        name: pos::NAME,
        help: "random priorities of operations, redrawn at races: samples partial orders evenly",
        samples: true,
        make: |parameters| Box::new(Pos::new(parameters.seed)),
    },
];

/// None if there is no strategy of that name; [`STRATEGIES`] lists them.
pub fn by_name(name: &str, parameters: &Parameters) -> Option<Box<dyn Strategy>> {
    STRATEGIES.iter().find(|entry| entry.name == name).map(|entry| (entry.make)(parameters))
}
