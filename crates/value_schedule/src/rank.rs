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
    /// See [`cost`].
    pub cost: u32,
    pub kind: Kind,
    pub is_may: bool,
    /// Pairs that were reversed on the way to the point.
    pub n_reversed: u32,
    /// Points are taken up in the reverse order of their creation.
    pub before: std::cmp::Reverse<usize>,
    /// Among those of one point.
    pub nth: u64,
}

/// How far a pair of a point is put off.
///
/// A loop makes a point of each of its rounds, and threads of one place are partners that are alike. If all of these came before what differs more, the executions out of
/// order would be used up by repetitions of one pair. So they cost more and more, the last round nothing, the first and the middle one as much as a reversed pair before, and so on by
/// halves: the executions are spread over rounds, threads and reversals, as in limited discrepancy search (Harvey and Ginsberg, IJCAI 1995). Pairs of other kinds than reads and
/// writes, which synchronise more often than they fail, are one such step behind.
///
/// `nth` of `n` points of the pair is counted from the last one.
pub fn cost(kind: Kind, n_reversed: u32, (nth, n): (u32, u32), threads_before: u32) -> u32 {
    u32::from(kind != Kind::ReadWrite) + n_reversed + halvings(nth, n) + (threads_before + 1).ilog2()
}

fn halvings(nth: u32, n: u32) -> u32 {
    if nth == 0 {
        return 0;
    }
    let (mut first, mut last, mut times) = (0, n - 1, 1);
    loop {
        let middle = (first + last) / 2;
        if nth == middle || nth == last {
            return times;
        }
        (first, last) = if nth < middle { (first, middle) } else { (middle, last) };
        times += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_cost_their_logarithm() {
        let of = |n_reversed, point, threads| cost(Kind::ReadWrite, n_reversed, point, threads);
        let costs: Vec<u32> = (0..9).map(|nth| of(0, (nth, 9), 0)).collect();
        assert_eq!(costs, [0, 3, 2, 3, 1, 3, 2, 3, 1]);
        assert_eq!([of(1, (0, 1), 0), of(0, (1, 2), 0), of(0, (0, 1), 3), of(2, (1, 3), 1)], [1, 1, 2, 4]);
        assert_eq!(cost(Kind::WaitNotify, 0, (0, 1), 0), 1);
    }
}
