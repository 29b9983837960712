//! What depends on what: the one relation that all reductions share.
//!
//! From the bottom up:
//! - [`operation`] decodes an event once into a typed operation; adding a kind of operation does not compile until it says what it does.
//! - [`location`] is what can be touched, and when two accesses conflict. [`footprint`] is what a step touches and what it makes possible, and a [`transition`]
//!   is whose step it is with that. Two steps are *dependent* if their footprints conflict.
//!   [`dependence`] and [`overlaps`] answer that quickly for many steps.
//! - [`touch`] derives the footprint of a step from its events, or of a step that a thread is about to make.
//! - [`history`] is the happens-before order of the present execution as vector clocks, and its *races*: pairs of dependent steps that could have come in the
//!   other order. [`joins`], [`states`], [`plain`] and [`about_to`] are parts of it; [`reversal`] says what of a race still holds when it is reversed.
//! - [`partial_order`], [`relation`] and [`steps`] are views for those who need less: the trace of an execution as a value, the relation alone, the
//!   touches of single steps. [`conflict`] is a coarse test on what threads are about to do, for sampling.
//!
//! **Axiom.** Independent steps commute: made in both orders on the machine they lead to the same state, findings and choices, and neither enables or
//! disables the other. `tests/commute` checks that on the machine itself.

pub(crate) mod about_to;
pub mod conflict;
pub(crate) mod dependence;
pub(crate) mod footprint;
pub(crate) mod history;
mod joins;
pub(crate) mod location;
pub(crate) mod operation;
mod overlaps;
pub(crate) mod partial_order;
mod plain;
pub mod relation;
mod reversal;
pub(crate) mod states;
pub mod steps;
pub(crate) mod tie;
pub(crate) mod touch;
pub(crate) mod transition;

pub use footprint::Effect;
pub(crate) use footprint::Footprints;
pub(crate) use history::{History, Race, Second, Step};
pub(crate) use location::{Access, Class};
pub use location::{Location, Mode};
pub(crate) use touch::{AccessEffect, Touch, Touches};
pub(crate) use transition::Transition;
