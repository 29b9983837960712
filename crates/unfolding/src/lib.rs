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

mod deadlocks;
mod events;
mod explore;
mod extensions;
mod realize;
mod run;

pub use events::Arcs;
pub use explore::{Options, check, check_watching};

/// The strategies as users know them, each with a line of help.
pub const STRATEGIES: [(&str, &str, Arcs); 2] = [
    (
        "unfold",
        "every event of the unfolding in some execution: often exponentially fewer than traces",
        Arcs::Replicated,
    ),
    ("contextual", "the same with read arcs: a write does not know of the reads before it", Arcs::Contextual),
];

/// The arcs of the strategy with this name.
pub fn by_name(name: &str) -> Option<Arcs> {
    STRATEGIES.iter().find(|strategy| strategy.0 == name).map(|strategy| strategy.2)
}

fn by_arcs(arcs: Arcs) -> &'static str {
    let of = STRATEGIES.iter().find(|strategy| strategy.2 == arcs);
    of.expect("there is one for each kind of arcs").0
}
