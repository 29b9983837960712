//! One folder for each strategy. The head of its docs names the paper, the guarantee, where we deviate and what
//! it misses. A strategy knows choice points and executions, never the machine.
//!
//! To add one: make its folder, implement [`Strategy`], add a line to [`STRATEGIES`], and let the tests in
//! `tests/` compare it with brute force.

pub mod bounded;
pub mod classes;
pub mod conflict;
pub mod dpor;
pub mod dpor_classic;
pub mod estimate;
pub mod exhaustive;
pub mod observers;
mod partial_order;
pub mod pct;
pub mod pos;
pub mod random;
pub mod steps;

pub use bounded::Bounded;
pub use classes::{Classes, Classifier};
pub use dpor::{Dpor, DporTeam, Order};
pub use dpor_classic::DporClassic;
pub use exhaustive::Exhaustive;
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
        help: "partial order reduction of 2005 with sleep sets: as dpor, with executions in vain, for comparison",
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
