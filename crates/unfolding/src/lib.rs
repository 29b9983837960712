//! Unfoldings: tests until every event was in one, instead of one test for each trace.
mod deadlocks;
mod events;
mod explore;
mod extensions;
mod run;

pub use events::Arcs;
pub use explore::{Options, check, check_watching};

/// The strategies as users know them, each with a line of help.
pub const STRATEGIES: [(&str, &str, Arcs); 2] = [
    ("unfold", "every event of the unfolding in some execution: often exponentially fewer than traces", Arcs::Replicated),
    ("contextual", "the same with read arcs: a write does not know of the reads before it", Arcs::Contextual),
];

/// The arcs of the strategy with this name.
pub fn by_name(name: &str) -> Option<Arcs> {
    STRATEGIES.iter().find(|strategy| strategy.0 == name).map(|strategy| strategy.2)
}
