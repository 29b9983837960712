//! Con2colic testing: executions by the flow of data between threads.
//!
//! Executions in which the same reads take the same other threads' writes go the same way under the same inputs. So instead of schedules
//! this search enumerates *interference scenarios* by their degree, the number of reads that take what another thread wrote: first each
//! thread alone, then one such read, then two. For every way that a thread was not seen to go yet it looks for the scenario of the least
//! degree that leads there ([`explore`]), asks two solvers for inputs and an order of steps that realize it ([`realize`]), makes that
//! execution ([`execute`]) and puts what the threads did into the [`forest`].
//!
//! After Farzan, Holzer, Razavi and Veith, *Con2colic Testing* (2013), with two changes. Reads in the forest have no sources, so a thread's path is
//! there once and not once for each combination of writes that led to it. And candidates begin without interferences and get only those
//! that a core asks for, one after the other; cores are kept, so that what one candidate showed is not asked again for another.

mod degree;
mod execute;
mod explore;
mod facts;
mod forest;
mod lanes;
mod order;
mod realize;
mod scenario;
mod temporal;
mod words;

pub use explore::{Options, check};
pub use words::n_interferences;

/// As users know it.
pub const NAME: &str = "interference";
pub const HELP: &str = "every branch, by the fewest reads of other threads' values that lead to it: con2colic testing";
