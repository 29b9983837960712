//! Unfoldings: executions until every *event* was in one, instead of one for each Mazurkiewicz trace.
//!
//! After LCT: Kähkönen, Saarikivi and Heljanko, *Using unfoldings in automated testing of multithreaded programs* (ASE 2012), and Kähkönen and
//! Heljanko, *Testing multithreaded programs with contextual unfoldings and dynamic symbolic execution* (ACSD 2014).
//!
//! An event is a step together with its causal past. Two threads that never touch the same location have the same events whatever the other
//! does, so their orders need not be combined: 2N threads over N variables have 2^N traces and are covered by two executions. [`Arcs`] says whether a
//! write knows of the reads before it (`unfold`: every thread has its own copy of a place) or not (`contextual`: read arcs).
//!
//! **Guarantee:** every thread was seen in each of its local states, so every failure of a thread was found. What threads are blocked in together is
//! asked of the finished unfolding ([`deadlocks`]).
//!
//! **Deviations.** No net is built, threads may be created at any time, and one execution makes several extensions if their histories are compatible.
//! What main does after its last joins is left out if it looks at nothing that others have touched (see `Extensions::end`).
//!
//! **Misses.** Cancellation is refused.
//!
//! # How it works
//!
//! **Unfoldings** (crate `unfolding`, after LCT, Kähkönen, Saarikivi and Heljanko 2012 and 2014) plan configurations, not steps, so they are no
//! `Strategy` either. An event is a step with its causal past, under the dependence that `strategies/src/steps.rs` offers; each is kept once
//! (`events.rs`), `configurations.rs` compares sets of them, `linearize.rs` orders them, and `cycles.rs` tells whether there is an order. `run.rs` follows the machine and finds the event of each step, `extensions.rs` looks for histories in which a step was not seen yet,
//! `realize.rs` makes such a history happen, `deadlocks.rs` asks the finished unfolding for configurations in which nobody can go on, unless `holds.rs` shows that there are none, and `questions.rs`
//! whether threads can be at places together. Strategies over a model keep
//! transitions between places (`places.rs`, `model.rs`), which `learn.rs` reads off executions and `tester.rs` extends by tests; `naive.rs` searches its
//! markings, `stateful.rs` unfolds it in the order of `order.rs`. The head of each file has its argument.

mod configurations;
mod cycles;
mod deadlocks;
mod events;
mod explore;
mod extensions;
mod holds;
mod learn;
mod linearize;
mod lists;
mod model;
mod naive;
pub mod order;
mod partners;
mod places;
mod questions;
mod realize;
mod run;
mod stateful;
mod tester;
mod uses;
mod walks;
mod workers;

pub use explore::{Options, check, check_asking, check_watching};
pub use questions::{Answers, Questions, Reached, Shape};
pub use uses::Arcs;
pub use workers::Jobs;

/// What is explored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every event of the program's unfolding.
    Events(Arcs),
    /// The unfolding of a model of the program, cut off at markings seen before.
    Prefix,
    /// The markings of a model of the program.
    Markings,
}

impl Default for Kind {
    fn default() -> Kind {
        Kind::Events(Arcs::default())
    }
}

impl Kind {
    /// Whether it takes equal markings for equal states, though clocks of threads may differ in them that data races are told by.
    pub fn is_stateful(self) -> bool {
        matches!(self, Kind::Prefix | Kind::Markings)
    }
}

/// The strategies as users know them, each with a line of help.
pub const STRATEGIES: [(&str, &str, Kind); 4] = [
    (
        "unfold",
        "every event of the unfolding in some execution: often exponentially fewer than traces",
        Kind::Events(Arcs::Replicated),
    ),
    (
        "contextual",
        "the same with read arcs: a write does not know of the reads before it",
        Kind::Events(Arcs::Contextual),
    ),
    ("stateful", "an unfolding that is cut off where threads and variables are as they were before", Kind::Prefix),
    ("stateful-naive", "depth-first, cut off where threads and variables are as they were before", Kind::Markings),
];

/// What the strategy with this name explores.
pub fn by_name(name: &str) -> Option<Kind> {
    STRATEGIES.iter().find(|strategy| strategy.0 == name).map(|strategy| strategy.2)
}

fn name_of(kind: Kind) -> &'static str {
    let of = STRATEGIES.iter().find(|strategy| strategy.2 == kind);
    of.expect("there is one for each kind").0
}
