//! A deterministic machine for one multithreaded program: memory, threads, synchronisation, libc.
//!
//! The machine never learns which strategy runs it. It offers the choices that the program leaves open,
//! makes the one it is told to make, and can go back to any earlier state.

mod access;
mod arith;
mod census;
mod choices;
mod coverage;
mod describe;
mod endless;
mod fault;
mod files;
mod fingerprint;
mod float;
mod frames;
mod going_back;
mod interp;
mod journal;
mod machine;
mod memory;
mod models;
mod names;
mod order;
mod plain;
mod races;
mod recall;
mod sched;
mod setup;
mod slow;
mod sources;
mod spin;
mod symbolic;
mod sync;
mod thread;
mod undefined;
mod unroll;

pub use going_back::Mark;
pub use machine::{End, Machine, RawFinding, SetupError};
pub use models::is_about_inputs;
pub use recall::Guide;
pub use sched::variant;
pub use symbolic::{Action, Does, Terms};
