//! Orders between symmetric threads, which are dependences like others.

/// What orders a step with one of the same group.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tie {
    /// The name by which others of the group may wait for it.
    pub name: Option<u64>,
    /// The name of the step that it had to wait for, and which that is.
    pub after: Option<(u64, u32)>,
}

impl Tie {
    pub fn is_some(&self) -> bool {
        self.name.is_some() || self.after.is_some()
    }
}
