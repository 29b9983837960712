//! Findings, traces and verdicts into what people and other programs read. Knows the words of
//! `trace` alone: never the machine, the instructions or LLVM. Makes text and leaves printing to its caller.

mod elide;
mod estimate;
mod inputs;
mod json;
mod pairs;
mod place;
mod progress;
mod source;
mod style;
mod summary;
mod table;
mod terminal;
mod text;

pub use estimate::{Estimated, estimate, estimate_document, no_estimate_document, search_time};
pub use inputs::inputs;
pub use json::{SCHEMA_VERSION, document};
pub use pairs::{FilterCount, LockStep, PairItem, PairSide, PairsReport, pairs_document, pairs_report};
pub use progress::{Progress, progress_line};
pub use source::Sources;
pub use style::Style;
pub use summary::summary;
pub use terminal::{finding, report};

use gordian_trace::{Finding, InputValue, Step, Summary};
use std::path::Path;

/// A finding with what belongs to it.
#[derive(Clone, Copy, Debug)]
pub struct Reported<'a> {
    pub finding: &'a Finding,
    /// Where its test was saved.
    pub test: Option<&'a Path>,
    /// The execution that shows it; empty where there is none.
    pub trace: &'a [Step],
    /// The inputs that the execution asked for.
    pub inputs: &'a [InputValue],
}

#[derive(Clone, Debug)]
pub struct Report<'a> {
    pub summary: &'a Summary,
    pub findings: Vec<Reported<'a>>,
}

/// How much of a trace is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    None,
    /// Long stretches of one thread that have no part in the finding are left out.
    #[default]
    Short,
    Full,
}
