//! Which branches a search went through.

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

/// What a search covered of the program's branches.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Coverage {
    /// Ways of all branches, and those that were gone.
    pub branches: usize,
    pub covered: usize,
    /// Those that never were.
    pub missed: Vec<BranchPlace>,
    /// Nothing can go there: the search came to its end and hit no bound.
    pub unreachable: bool,
}
