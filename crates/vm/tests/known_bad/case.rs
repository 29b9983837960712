//! Cases and sections of the suite.

use gordian_trace::FindingKind;

/// What must come of a case, wherever it is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Kind(FindingKind),
    /// Nothing is wrong, and nothing may be found.
    Nothing,
    /// It is wrong, and nobody looks for it.
    Unseen,
}

/// A function `case@n` that does one wrong thing, and where in the table it stands.
#[derive(Clone, Debug)]
pub struct Case {
    pub row: String,
    pub column: String,
    pub code: String,
    pub expected: Expected,
    /// The same without the error; it is not in the table.
    pub is_good: bool,
}

pub struct Section {
    pub title: &'static str,
    pub text: &'static str,
    pub cases: Vec<Case>,
}
