//! Bit-vector constraints: can they hold together, and under which values?
//!
//! At the bottom [`BitBlaster`] turns terms into circuits, circuits into clauses and asks a SAT solver ([`SatCore`]; [`Batsat`] is the one we
//! have). Around it stand layers ([`layers`]) that are solvers themselves and answer what they can: [`standard`] is the usual chain.
//! [`values`](values()), [`minimum`] and [`maximum`] ask for the values of one term.
//!
//! Same questions, same answers: work is bounded by counting ([`Budget`]), and no clock is read. Every model was evaluated against all
//! constraints of its query before it is given out; one that fails is a bug here and panics.
//!
//! # The chain of solvers
//!
//! **Solving** (`solve`) is a chain of solvers behind one trait: `Fold` (constants, contradictory bounds of one term), `Independence` (constraints that
//! share no symbols are separate questions), `Cache` (the same set, more than an impossible one, less than a possible one), `Order` (comparisons of
//! numbers with each other, as sorting makes them, without a look at their bits), `ModelReuse` (the hint and recent models are tried), `Domains` (all
//! values are tried where symbols have few, by their width or by bounds, 256 at a time) and at the end `BitBlaster`. That one turns terms into a circuit
//! of and, xor, majority and mux gates (`blast`), each kept once and forever, gives the SAT solver the clauses of those gates that a query needs, and
//! states constraints as assumptions, so that whatever was learnt stays true. There is one SAT solver for each class of query sizes, and one that has
//! grown beyond its queries is left for a fresh one, since it would have to find values for all that was ever asked. Layers answer the same with and
//! without each other: `solve/tests` compares all of them with brute force. Who answers depends on what was asked before, so reports count questions,
//! which is the same for any number of workers unless executions are begun redundant, and layers only with `--solver-summary`, for one worker.

mod backend;
mod blast;
mod clauses;
pub mod layers;
mod model;
mod query;
mod sat;
mod statistics;
mod timeline;
mod values;

pub use backend::BitBlaster;
pub use layers::{Standard, standard};
pub use model::Model;
pub use query::{Answer, Budget, Core, Interrupt, Query, Reason, Solver, Supervision};
pub use sat::{Batsat, Literal, SatAnswer, SatCore};
pub use statistics::{Clock, LayerStatistics, Statistics};
pub use timeline::{Demand, Timeline};
pub use values::{Extreme, Values, Witness, maximum, minimum, values};
