//! Switches for what `dpor` leaves out because the result is the same without it. Tests compare searches with each of them off, and
//! benchmarks say what each is worth.

use super::Dpor;
use gordian_engine::Point;

/// What is left out. With nothing left out `dpor` is the published algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortcuts {
    /// Planned sequences keep only what wakes steps in the sleep set and what the second step of the race needs: see `trimming.rs`.
    pub trimmed_plans: bool,
    /// States in which all of the sleep set is sure to be woken have no wake-up tree: see `outlook.rs`.
    pub open_states: bool,
    /// What came of a race in the execution before is remembered: see `race_cache.rs`.
    pub race_cache: bool,
    /// Where nothing is planned and the sleep set is empty, the machine goes on without asking.
    pub fast_forward: bool,
}

impl Shortcuts {
    pub const ALL: Shortcuts =
        Shortcuts { trimmed_plans: true, open_states: true, race_cache: true, fast_forward: true };

    pub const NONE: Shortcuts =
        Shortcuts { trimmed_plans: false, open_states: false, race_cache: false, fast_forward: false };

    /// Each of them off alone, by name, and all.
    pub const OFF: [(&str, Shortcuts); 5] = [
        ("trimmed plans", Shortcuts { trimmed_plans: false, open_states: false, ..Shortcuts::ALL }),
        ("open states", Shortcuts { open_states: false, ..Shortcuts::ALL }),
        ("race cache", Shortcuts { race_cache: false, ..Shortcuts::ALL }),
        ("fast forward", Shortcuts { fast_forward: false, ..Shortcuts::ALL }),
        ("all shortcuts", Shortcuts::NONE),
    ];
}

impl Default for Shortcuts {
    fn default() -> Self {
        Shortcuts::ALL
    }
}

impl Dpor {
    /// For comparisons.
    pub fn with_shortcuts(self, shortcuts: Shortcuts) -> Dpor {
        Dpor { shortcuts, ..self }
    }

    /// Whether no more is planned than has to be. Symmetric threads may be held back from what they are about to do, and one that is cancelled does
    /// something else, so nobody is sure to be woken; a split holds nobody back who was free to go on.
    #[inline]
    pub(super) fn may_trim(&self) -> bool {
        self.shortcuts.trimmed_plans && self.symmetry.is_none() && !self.history.visibility.cancellation
    }

    /// Whether states may go without a wake-up tree: that is the same argument taken to its end.
    #[inline]
    pub(super) fn may_leave_open(&self) -> bool {
        self.shortcuts.open_states && self.may_trim()
    }

    /// Whether all threads are equally good from here on: nothing is planned, and nothing is in the sleep set.
    #[inline]
    pub(super) fn may_fast_forward(&self, point: &Point<'_>) -> bool {
        let is_asleep = self.sleep_set.len() > self.nodes[self.nodes.len() - 1].sleep as usize;
        self.shortcuts.fast_forward
            && point.free != 0
            && !is_asleep
            && self.shuffle.is_none()
            && self.symmetry.is_none()
    }
}
