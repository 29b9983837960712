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
//!
//! # How it works
//!
//! **Interferences** (crate `interference`, after con2colic testing, Farzan, Holzer, Razavi and Veith 2013) choose no schedules step by step, so they are
//! no `Strategy`: the search makes its executions itself and hands them to `engine::Gathering`, which keeps budgets, findings and the verdict.
//! - *Machine*: with `Machine::with_fresh_reads` (`vm/src/symbolic/fresh.rs`) every read that others could decide is a symbol, and so are inputs. The
//!   machine goes the way of the values at hand, makes exactly the steps of one with fixed inputs, and records reads, writes and the conditions of all
//!   ways it could have gone. Where a thread is left alone it stops at accesses all the same; such steps are left out of tests.
//! - *Witnesses* (crate `witness`): what threads did (`record.rs`), in which orders prefixes of them can come (`order`), values for decisions
//!   (`values.rs`), and the execution of a plan (`follow.rs`). What is to blame where there is none is a type of the caller's.
//! - *Forest* (`forest.rs`): a tree for each thread, which branches only where a decision went another way. Reads have no source there, so what a thread
//!   does is in it once, whoever wrote what it read. Ways not gone dangle; so does what a thread was about to do.
//! - *Candidates* (`scenario.rs`): a dangling node (the sink), sources for some reads, and what else threads must do: end for a join, signal, release a
//!   lock, post, come to a barrier. They begin without sources. `realize.rs` asks for values (data constraints), `temporal.rs` for an order (a
//!   `witness::Order` over a `Timeline` of `solve`); a model and a line make a plan, and `execute.rs` follows it and lets the sink's thread go on alone
//!   until it would take a write that nobody planned.
//! - *Unrealizable* candidates get only what a core blames: a read that took its own value gets another thread's write. Of several blamed reads the first
//!   is tried, then the second with the first fixed, and so on, so no set of sources comes twice. What is needed and not there is waited for
//!   (`explore.rs`: `waiting`, `offers`). Cores are kept as facts that cannot hold together; whether sources can come in any order is asked before values
//!   are.
//! - *Handing down*: what leads behind a sink begins like something that leads to it, so sinks inherit the realizable candidates of the sink before,
//!   never the others.
//! - *Several at once* (`lanes.rs`): of the candidates of one degree a sixteenth is checked together, on all cores, and then taken in one after the
//!   other. Terms are made before, by one thread (`facts.rs`), so that their names never depend on who was first; solvers belong to a fixed number of
//!   lanes, and threads take lanes. So neither report nor tests depend on the number of workers.
//! - *Degrees*: candidates come in the order of their sources, so what is found with k interferences takes k. `degree.rs` says which reads count. Those
//!   of what others put into an object before they published it are known only when a candidate is spread out; one that turns out to have more than its
//!   degree says is queued again.
//! - *Other failures* (`sinks.rs`, `explore/goals.rs`): races, uses after free and deadlocks are sinks as well, with candidates of their own: two
//!   accesses as the last events, a free before a use, a chain of threads that wait for each other. All other orders keep lives: nobody uses what was freed
//!   or destroyed (`witness/src/order/lives.rs`), so a failure that another order does not have never stands before a sink. A sink that comes too late in every order
//!   is shown as the failure that it is. Lemmas say when no such candidate left means that
//!   there is no such failure; only then is maximal coverage `safe`.
//! - Deviations from the paper: no interference edges in the forest, candidates grow from none rather than with the history of a write, threads run to
//!   the next visible operation (one that would end the execution there is made to go another way), and a lock is released only where that helps.

mod degree;
mod execute;
mod explore;
mod facts;
mod forest;
mod lanes;
mod realize;
mod scenario;
mod sinks;
mod temporal;
mod words;

pub use explore::{Options, check};

/// As users know it.
pub const NAME: &str = "interference";
pub const HELP: &str = "every branch, by the fewest reads of other threads' values that lead to it: con2colic testing";
