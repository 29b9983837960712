//! Which pair is tried first.

use gordian_analysis::PairKind;

/// The kinds of pairs, the most suspicious first (formula 6.1 of the thesis).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    ReadWrite,
    WaitNotify,
    WaitMonitor,
    /// Which of two waiters goes on first. Known at run time only.
    WaitWait,
    MonitorMonitor,
}

impl From<PairKind> for Kind {
    fn from(kind: PairKind) -> Self {
        match kind {
            PairKind::ReadWrite => Kind::ReadWrite,
            PairKind::WaitNotify => Kind::WaitNotify,
            PairKind::WaitMonitor => Kind::WaitMonitor,
            PairKind::MonitorMonitor => Kind::MonitorMonitor,
        }
    }
}

/// The order in which pairs of points are tried: the least first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    pub is_out_of_focus: bool,
    /// Pairs that were reversed on the way to the point.
    pub n_reversed: u32,
    pub kind: Kind,
    pub is_may: bool,
    /// Points are taken up in the reverse order of their creation.
    pub before: std::cmp::Reverse<usize>,
    /// Among those of one point.
    pub nth: u64,
}
