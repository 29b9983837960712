//! Which branches a search went through.

use crate::InputValue;
use serde::{Deserialize, Serialize};

/// One way that a branch can go.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct BranchPlace {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
    /// `true`, `false` or the cases of a `switch`.
    pub outcome: String,
}

/// An execution that was the first to go some ways.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FirstCovered {
    /// Its number among the executions of the search, from 1 on; those that were given up count.
    pub execution: u64,
    pub inputs: Vec<InputValue>,
    /// Whose steps it made, as a test has it.
    pub schedule: String,
    pub branches: Vec<BranchPlace>,
}

/// What a search covered of the program's branches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Ways of all branches, and those that were gone.
    pub branches: usize,
    pub covered: usize,
    /// By whom, in the order of the search.
    pub first: Vec<FirstCovered>,
    /// Those that never were.
    pub missed: Vec<BranchPlace>,
    /// Nothing can go there: the search came to its end and hit no bound.
    pub unreachable: bool,
}
