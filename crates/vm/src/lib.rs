//! A deterministic machine for one multithreaded program: memory, threads, synchronisation, libc.
//!
//! The machine never learns which strategy runs it. It offers the choices that the program leaves open,
//! makes the one it is told to make, and can go back to any earlier state.

mod access;
mod arith;
mod describe;
mod fault;
mod files;
mod fingerprint;
mod frames;
mod interp;
mod journal;
mod machine;
mod memory;
mod models;
mod names;
mod races;
mod sched;
mod setup;
mod slow;
mod spin;
mod sync;
mod thread;

pub use machine::{End, Machine, Mark, RawFinding, SetupError};
pub use sched::variant;
