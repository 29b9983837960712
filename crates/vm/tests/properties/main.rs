//! What must hold of the machine whatever the program and the schedule: going back gives the state that was
//! there, the same choices give the same execution, and names do not depend on the interleaving.
//!
//! Every test is seeded and so the same in every run. `programs` says what they run on.

mod exhaustive;
mod generator;
mod memory;
mod names;
mod programs;
mod replay;
mod snapshots;
mod view;
mod walk;
