//! Prediction: from one run to the schedules that break it.
//!
//! A *reordering* of a run is a prefix of each thread's events, put into one line that the program could have made with the same decisions. A
//! race, a deadlock or a violated region in a reordering is one that another schedule shows. After Ganai, Arora, Wang, Gupta and
//! Balakrishnan, *BEST: A Symbolic Testing Tool for Predicting Multi-threaded Program Failures* (ASE 2011).
//!
//! - [`run`] is the model: what threads did, in instants that nobody comes between.
//! - [`chain_clocks`] knows what certainly comes before what.
//! - [`line`] orders instants; [`reorder`] plays lines through and says what they violate; [`values`] does so for values.
//! - [`patterns`] and [`chains`] are ways to violate a region; [`wakes`] finds out whom signals wake there.
//! - [`closure`] and [`sync_preserving`] find most races and deadlocks without the solver.
//! - [`foreign`] predicts from traces without values.
//!
//! # How it works
//!
//! **Prediction** (crate `predict`, after BEST, Ganai and others 2011) makes no search of executions either: it looks at one.
//! - *Model* (`observe.rs`, `run.rs`): the recorded test is run once more with symbols for reads. What a thread does in one step, up to where others
//!   could come first, is an instant.
//! - *Order* (`line.rs`): instants and a special one, END; what comes before END is the reordering. Pairs of instants are SAT variables, made when a
//!   clause mentions them; what is certain is a clock for each instant. Circles are refused when they come up.
//! - *Lazy constraints* (`reorder.rs`, `rules.rs`, `values.rs`): a line is played through, and what it violates becomes a clause that holds of all reorderings. A
//!   decision that goes another way is explained by a core of the data solver: reads, one of which must take another write. Clauses stay for the next
//!   question.
//! - *Questions* (`own.rs`, `stuck.rs`, `atomicity.rs`, `chains.rs`): each target is a few literals that are assumed. Answers are made on a machine (`replay.rs`) and
//!   handed to `engine::Gathering`.
//! - *Traces without values* (`foreign.rs`): sync-preserving closures (`closure.rs`) decide most candidates; the solver gets the rest.

mod atomicity;
mod candidates;
mod causal;
mod chain_clocks;
mod chains;
mod checks;
mod closure;
mod decisions;
mod follow;
pub mod foreign;
mod from_trace;
mod line;
mod observe;
mod orders;
mod outcomes;
mod own;
mod patterns;
mod played;
mod regions;
mod reorder;
mod replay;
mod rules;
mod run;
mod simplify;
mod stuck;
mod sync_preserving;
mod values;
mod violations;
mod wakes;

pub use foreign::{
    By, ForeignOptions, Predicted, Prediction, RaceQuery, context_switches, predict_foreign, race_queries,
};
pub use own::{NAME, Options, PredictedOutcome, predict, predict_and_keep, shows_violation};
pub use regions::DeclaredRegion;
pub use simplify::{LeftSwitches, Steps};
