//! Bit-vector constraints: can they hold together, and under which values?
//!
//! At the bottom [`BitBlaster`] turns terms into circuits, circuits into clauses and asks a SAT solver ([`SatCore`]; [`Batsat`] is the one we
//! have). Around it stand layers ([`layers`]) that are solvers themselves and answer what they can: [`standard`] is the usual chain.
//! [`values`](values()), [`minimum`] and [`maximum`] ask for the values of one term.
//!
//! Same questions, same answers: work is bounded by counting ([`Budget`]), and no clock is read. Every model was evaluated against all
//! constraints of its query before it is given out; one that fails is a bug here and panics.

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
pub use query::{Answer, Budget, Core, Query, Reason, Solver};
pub use sat::{Batsat, Literal, SatAnswer, SatCore};
pub use statistics::{Clock, LayerStatistics, Statistics};
pub use timeline::{Demand, Timeline};
pub use values::{Extreme, Values, Witness, maximum, minimum, values};
