//! Prediction: from one run to the schedules that break it.
//!
//! A *reordering* of a run is a prefix of each thread's events, put into one line that the program could have made with the same decisions. A
//! race, a deadlock or a violated region in a reordering is one that another schedule shows. After Ganai, Arora, Wang, Gupta and
//! Balakrishnan, *BEST: A Symbolic Testing Tool for Predicting Multi-threaded Program Failures* (ASE 2011).
//!
//! - [`run`] is the model: what threads did, in instants that nobody comes between.
//! - [`line`] orders instants; [`reorder`] plays lines through and says what they violate; [`values`] does so for values.
//! - [`closure`] and [`sync_preserving`] find most races and deadlocks without the solver.
//! - [`foreign`] predicts from traces without values.

mod atomicity;
mod candidates;
mod closure;
pub mod foreign;
mod from_trace;
mod line;
mod observe;
mod own;
mod regions;
mod reorder;
mod replay;
mod run;
mod stuck;
mod sync_preserving;
mod values;

pub use foreign::{By, ForeignOptions, Predicted, Prediction, predict_foreign};
pub use own::{NAME, Options, predict, shows_violation};
pub use regions::DeclaredRegion;
