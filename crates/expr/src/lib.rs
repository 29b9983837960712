//! Bit-vector terms: hash-consed, simplified as they are built, evaluated under models, printed.
//!
//! A [`Pool`] owns all terms; an [`ExprId`] names one. Building a term gives its normal form, so that equal ids mean equal
//! terms, and many terms that are equal for other reasons get the same id as well: bytes that were written to memory and
//! read back are the very word that was written. Widths go from 1 to 128 bits. Booleans are vectors of width 1.
//!
//! Every operation is total, so that a term has a value under every model: division by zero gives all ones (remainder: the
//! dividend) as in SMT-LIB, shifting by the width or more gives zero or copies of the sign, reading outside of an array gives
//! zero. Whoever executes a program checks for these cases by constraints of their own.
//!
//! No function here recurses deeper than a constant bound, whatever the depth of the term.
//!
//! # Normal forms
//!
//! **Terms** (`expr`) are hash-consed vectors of 1 to 128 bits; conditions have one bit. Building a term gives its normal form (`expr/src/build`, whose
//! head lists what holds of every term): sums are sorted monomials, whatever merely moves bits is concatenation and extraction, comparisons with
//! constants are strict and narrow. The rule that keeps memory simple: bytes cut from a word and put together are that word again, so a change that
//! pushes `extract` into an operation needs one that finds the operation again. Every term carries facts (known bits, an interval) that decide
//! comparisons, and its set of symbols. Division by zero, shifts beyond the width and reads outside of an array have values; whoever executes checks for
//! them.

mod build;
mod columns;
mod eval;
mod facts;
mod ops;
mod pool;
mod print;
mod saved;
mod smtlib;
mod substitute;
mod symbols;
mod term;

pub use columns::{Columns, LANES};
pub use eval::{Evaluator, Session, Valuation};
pub use facts::Facts;
pub use ops::{apply_binary, apply_unary, mask, sign_extend};
pub use pool::Pool;
pub use print::Display;
pub use saved::{LoadError, Saved, SavedTerm};
pub use smtlib::script;
pub use substitute::Substitution;
pub use symbols::SymbolSet;
pub use term::{ArrayId, Binary, ConstId, ExprId, MAX_WIDTH, Symbol, Term, Unary};
