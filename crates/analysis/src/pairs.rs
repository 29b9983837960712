//! Pairs of accesses whose order matters (Huang 2009, chapter 4, rules 1 to 4).
//!
//! A pair stays unless a filter proves that its accesses never touch the same bytes (*alias*), that the bytes belong to one
//! thread (*escape*: for good, or until their object is published), that the accesses never are about to happen at the same time (*mhp*, which takes in common locks), or
//! that they are under the lock of the object that they access (*disjoint*).

mod search;

use crate::accesses::{Access, AccessKind, Bytes};
use crate::callgraph::CallGraph;
use crate::facts::Facts;
use crate::flow::{Flow, Held, Here, Lock};
use crate::objects::AbstractThread;
use crate::parallel::Parallel;

/// The kinds of pairs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PairKind {
    /// Two accesses to the same bytes, one of which writes.
    ReadWrite,
    /// A wait and a signal.
    WaitNotify,
    /// A waiter that was woken, and a thread that takes the lock.
    WaitMonitor,
    /// Two that take the same lock.
    MonitorMonitor,
}

impl PairKind {
    pub const ALL: [PairKind; 4] =
        [PairKind::ReadWrite, PairKind::MonitorMonitor, PairKind::WaitMonitor, PairKind::WaitNotify];

    pub fn short(self) -> &'static str {
        match self {
            PairKind::ReadWrite => "RW",
            PairKind::WaitNotify => "WN",
            PairKind::WaitMonitor => "WM",
            PairKind::MonitorMonitor => "MM",
        }
    }
}

/// The kind of pair that two operations on the same bytes are; none if they commute, or if one can only happen after the
/// other. Each kind of dependence between operations has its line here.
pub fn kind_of(a: AccessKind, b: AccessKind) -> Option<PairKind> {
    use AccessKind::*;
    use PairKind::{MonitorMonitor, ReadWrite, WaitMonitor, WaitNotify};
    let (a, b) = if a <= b { (a, b) } else { (b, a) };
    match (a, b) {
        (Section, Section) => Some(MonitorMonitor),
        (Section, _) | (_, Section) => None,
        (Library, Library) => Some(ReadWrite),
        // A call that uses a stream takes its lock.
        (Lock { .. }, Library) => Some(MonitorMonitor),
        // Reads of what a function of the library has handed out, and the end of it: `fclose` ends the lock of its stream, which others may give up.
        (_, Library) if a.is_memory() => Some(ReadWrite),
        (Library, _) | (_, Library) => None,
        // Two that leave the bytes as they are.
        (Read | AtomicRead, Read | AtomicRead) => None,
        (a, b) if a.is_memory() || b.is_memory() || a == Set || b == Set => Some(ReadWrite),
        (Lock { exclusive: false, .. }, Lock { exclusive: false, .. }) => None,
        (Lock { .. }, Lock { .. }) => Some(MonitorMonitor),
        // Whether a try succeeds depends on whether the lock was released before.
        (Lock { gives_up: true, .. }, Unlock) => Some(MonitorMonitor),
        (Lock { .. }, Reacquire) => Some(WaitMonitor),
        // Who waits releases the lock when it begins to, and who gives up takes it.
        (Lock { gives_up: false, .. }, Unlock) | (Unlock, Unlock | Reacquire) => None,
        // The order of those who were woken is a matter of the execution.
        (Reacquire, Reacquire) => None,
        (Wait { .. }, Signal) => Some(WaitNotify),
        (Wait { .. }, Wait { .. }) | (Signal, Signal) => None,
        (SemWait { .. }, SemWait { .. }) => Some(MonitorMonitor),
        (SemWait { gives_up: true }, SemPost) => Some(MonitorMonitor),
        // The order of two posts matters only where there is no room for both.
        (SemWait { gives_up: false }, SemPost) | (SemPost, SemPost) | (SemGet, SemGet) => None,
        (SemWait { .. } | SemPost, SemGet) => Some(MonitorMonitor),
        (Barrier, Barrier) | (Once, Once) => Some(MonitorMonitor),
        // An object that is used as two things.
        _ => Some(ReadWrite),
    }
}

/// The filters, in the order in which they are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Filter {
    Alias,
    Escape,
    Mhp,
    Disjoint,
}

impl Filter {
    pub const ALL: [Filter; 4] = [Filter::Alias, Filter::Escape, Filter::Mhp, Filter::Disjoint];

    pub fn name(self) -> &'static str {
        match self {
            Filter::Alias => "alias",
            Filter::Escape => "escape",
            Filter::Mhp => "mhp",
            Filter::Disjoint => "disjoint",
        }
    }
}

/// Which filters are asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filters {
    pub alias: bool,
    pub escape: bool,
    /// A part of `escape`: accesses before the object is published.
    pub(crate) ownership: bool,
    pub mhp: bool,
    pub disjoint: bool,
}

impl Default for Filters {
    fn default() -> Self {
        Filters { alias: true, escape: true, ownership: true, mhp: true, disjoint: true }
    }
}

impl Filters {
    pub fn without(mut self, filter: Filter) -> Self {
        self.switch(filter, false);
        self
    }

    /// That filter and no other.
    pub fn only(filter: Filter) -> Self {
        let mut filters = Filters { alias: false, escape: false, ownership: false, mhp: false, disjoint: false };
        filters.switch(filter, true);
        filters
    }

    fn switch(&mut self, filter: Filter, on: bool) {
        match filter {
            Filter::Alias => self.alias = on,
            Filter::Escape => (self.escape, self.ownership) = (on, on),
            Filter::Mhp => self.mhp = on,
            Filter::Disjoint => self.disjoint = on,
        }
    }
}

/// An access in a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Side {
    pub access: usize,
    pub thread: AbstractThread,
}

/// A pair that no filter removes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub kind: PairKind,
    pub sides: [Side; 2],
    /// Bytes that both may touch, as the first side sees them; none of atomic sections.
    pub bytes: Option<Bytes>,
    /// Both surely touch the same bytes.
    pub must: bool,
}

/// How many pairs each filter removed, out of how many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Pairs of operations of two threads that would make a pair if they touched the same bytes.
    pub candidates: u64,
    /// By each filter of [`Filter::ALL`].
    pub removed: [u64; 4],
}

/// The pairs of a program.
#[derive(Debug, Default)]
pub struct Pairs {
    pub pairs: Vec<Pair>,
    pub counts: Counts,
    /// How many there are of each kind of [`PairKind::ALL`], listed or not.
    pub n_kept: [u64; 4],
    /// There are more than are listed, or than could be looked at.
    pub is_cut: bool,
}

/// Everything that filters look at.
pub struct Context<'a, 'p> {
    pub graph: &'a CallGraph<'p>,
    pub facts: &'a Facts,
    pub parallel: &'a Parallel,
    pub accesses: &'a [Access],
    /// Whether each access is to an object that nobody else knows yet.
    pub owned: &'a [bool],
    pub here: &'a [Option<Here>],
    /// Where each access stands to locks that it is under.
    pub shifts: &'a [Vec<Shift>],
}

/// A lock that is held at a fixed distance from the accessed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shift {
    by: i64,
    exclusive: bool,
}

/// The locks of each access, relative to its address.
pub fn shifts(
    graph: &CallGraph<'_>,
    flow: &mut Flow<'_, '_>,
    accesses: &[Access],
    here: &[Option<Here>],
) -> Vec<Vec<Shift>> {
    let of = |(access, here): (&Access, &Option<Here>)| {
        let (Some(here), Some(address)) = (here, access.address) else { return Vec::new() };
        if here.held.is_empty() || !access.kind.is_memory() {
            return Vec::new();
        }
        let path = flow.path(access.instance, access.pc, address);
        let relative = |held: &Held| {
            let by = match (held.lock, &access.bytes[..]) {
                (Lock::Symbolic(lock), _) if lock.root == path.root => lock.offset.wrapping_sub(path.offset),
                (Lock::Exact(loc), [bytes]) if bytes.offset.is_exact() => {
                    let (object, offset) = graph.solver.objects.at(loc);
                    (object == bytes.object).then(|| offset.base.wrapping_sub(bytes.offset.base))?
                }
                _ => return None,
            };
            Some(Shift { by, exclusive: held.exclusive })
        };
        here.held.iter().filter_map(relative).collect()
    };
    accesses.iter().zip(here).map(of).collect()
}
