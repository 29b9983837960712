//! What the static analysis tells the search: the partners of each operation, and whether a thread may still come to one.

use crate::focus::{Focus, FocusError};
use crate::rank::Kind;
use crate::threads::{Creators, creators, point};
use gordian_analysis::{AbstractThread, AccessKind, Analysis, Filters, Point, Reachable};
use gordian_base::FxHashMap;
use gordian_trace::{CodePoint, OpKind, Wants};
use std::cell::RefCell;
use std::rc::Rc;

/// An order of a pair: the partner before the trigger.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    pub kind: Kind,
    /// What the trigger is.
    trigger: AccessKind,
    /// By number of the access.
    pub partner: usize,
    pub thread: AbstractThread,
    pub must: bool,
    pub in_focus: bool,
    /// By number of the pair.
    pub pair: u32,
}

pub struct Guide<'a, 'p> {
    analysis: &'a Analysis<'p>,
    by_trigger: FxHashMap<(AbstractThread, Point), Vec<Order>>,
    /// The instructions of the user's program that each access of a pair stands for.
    points: FxHashMap<usize, Vec<Point>>,
    pub(crate) creators: Creators,
    reachable: RefCell<FxHashMap<(AbstractThread, Point), Rc<Reachable>>>,
    pub(crate) n_pairs: usize,
    pub(crate) has_focus: bool,
}

impl<'a, 'p> Guide<'a, 'p> {
    /// For the pairs of a program; those with an access in the focus come before all others.
    pub fn new(analysis: &'a Analysis<'p>, filters: Filters, focus: Option<&Focus>) -> Result<Self, FocusError> {
        let pairs = analysis.pairs(filters);
        let mut guide = Guide {
            analysis,
            by_trigger: FxHashMap::default(),
            points: FxHashMap::default(),
            creators: creators(analysis),
            reachable: RefCell::default(),
            n_pairs: pairs.pairs.len(),
            has_focus: focus.is_some(),
        };
        let mut is_met = false;
        for (number, pair) in pairs.pairs.iter().enumerate() {
            let in_focus = focus.is_some_and(|focus| pair.sides.iter().any(|side| focus.is_met_by(analysis, *side)));
            is_met |= in_focus;
            for (trigger, partner) in [(pair.sides[0], pair.sides[1]), (pair.sides[1], pair.sides[0])] {
                let order = Order {
                    kind: pair.kind.into(),
                    trigger: analysis.accesses()[trigger.access].kind,
                    partner: partner.access,
                    thread: partner.thread,
                    must: pair.must,
                    in_focus,
                    pair: number as u32,
                };
                for at in guide.points_of(trigger.access) {
                    guide.by_trigger.entry((trigger.thread, at)).or_default().push(order);
                }
                guide.points_of(partner.access);
                if trigger == partner {
                    break;
                }
            }
        }
        match focus {
            Some(focus) if !is_met => Err(focus.nothing_there(analysis, &pairs)),
            _ => Ok(guide),
        }
    }

    fn points_of(&mut self, access: usize) -> Vec<Point> {
        let analysis = self.analysis;
        self.points.entry(access).or_insert_with(|| analysis.points(access)).clone()
    }

    /// The orders that an operation of a thread is the trigger of.
    pub(crate) fn orders(&self, threads: &[AbstractThread], wants: &Wants) -> Vec<Order> {
        let of = |thread: &AbstractThread| self.by_trigger.get(&(*thread, point(wants.at))).into_iter().flatten();
        threads.iter().flat_map(of).filter(|order| is(order.trigger, wants.kind)).copied().collect()
    }

    /// Whether the operation is the partner of an order.
    pub(crate) fn is_partner(&self, order: &Order, wants: &Wants) -> bool {
        is(self.analysis.accesses()[order.partner].kind, wants.kind)
            && self.points.get(&order.partner).is_some_and(|points| points.contains(&point(wants.at)))
    }

    /// Whether the partner signals.
    pub(crate) fn signals(&self, order: &Order) -> bool {
        self.analysis.accesses()[order.partner].kind == AccessKind::Signal
    }

    /// Whether the partner is a waiter that nobody has woken yet: it competes for its lock from then on only.
    pub(crate) fn is_too_early(&self, order: &Order, wants: &Wants) -> bool {
        self.analysis.accesses()[order.partner].kind == AccessKind::Reacquire && wants.kind != OpKind::Woken
    }

    /// Whether a thread that stands there may still make the access.
    pub(crate) fn may_reach(&self, thread: AbstractThread, at: CodePoint, access: usize) -> bool {
        let mut reachable = self.reachable.borrow_mut();
        let find = || Rc::new(self.analysis.reachable(thread, point(at)));
        reachable.entry((thread, point(at))).or_insert_with(find).has(access)
    }
}

/// Whether an operation of the machine is of a static kind.
fn is(kind: AccessKind, op: OpKind) -> bool {
    use OpKind::*;
    match kind {
        AccessKind::Read => op == Read,
        AccessKind::Write => op == Write,
        AccessKind::AtomicRead => op == AtomicRead,
        AccessKind::AtomicWrite => op == AtomicWrite,
        AccessKind::AtomicUpdate => matches!(op, Rmw | RmwSame | CasOk | CasFail),
        AccessKind::Free => op == Free,
        AccessKind::Set => matches!(
            op,
            MutexInit | MutexDestroy | CondInit | CondDestroy | SemInit | SemDestroy | BarrierInit | BarrierDestroy
        ),
        AccessKind::Lock { exclusive: true, .. } => matches!(op, Lock | TryLock),
        AccessKind::Lock { exclusive: false, .. } => matches!(op, ReadLock | TryReadLock),
        AccessKind::Unlock => op == Unlock,
        AccessKind::Wait { .. } => op == Wait,
        AccessKind::Reacquire => op == Woken,
        AccessKind::Signal => matches!(op, Signal | Broadcast),
        AccessKind::SemWait { .. } => matches!(op, SemWait | SemTryWait),
        AccessKind::SemPost => op == SemPost,
        AccessKind::SemGet => op == SemGet,
        AccessKind::Barrier => op == BarrierArrive,
        AccessKind::Once => op == OnceEnter,
        AccessKind::Section => op == AtomicBegin,
        AccessKind::Library => matches!(op, File | Random),
    }
}

/// Whether two operations are about the same bytes or the same object.
pub(crate) fn meet(a: &Wants, b: &Wants) -> bool {
    let end = |wants: &Wants| wants.address.saturating_add(u64::from(wants.size.max(1)));
    a.address < end(b) && b.address < end(a)
}
