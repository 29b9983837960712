//! Those who share a search.

use super::footprint::{Footprints, Label};
use super::parts::{Batch, Order};
use super::tree::{PartId, Tree};
use super::worker::Worker;
use gordian_engine::{Results, Strategy, Team};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// What the workers have in common.
pub struct Shared {
    tree: Mutex<Tree>,
    changed: Condvar,
    /// Workers that wait for something to do.
    n_hungry: AtomicUsize,
    refreshes: AtomicU64,
    /// How often parts were found not to matter any more.
    cuts: AtomicU64,
    is_left: AtomicBool,
    /// Gives back what is left after so many executions even if nobody is hungry.
    sharing: Option<u32>,
    order: Mutex<Order>,
    has_order: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Tree> {
        self.tree.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn with<R>(&self, change: impl FnOnce(&mut Tree) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Parts of the search, at most so many; waits until there is one. None at the end of the search.
    pub fn take(&self, most: usize, import: &mut dyn FnMut(&Label, &Footprints) -> Label) -> Option<Batch> {
        let mut tree = self.lock();
        loop {
            if tree.has_ended() || self.is_left() {
                return None;
            }
            let batch = tree.take(most, &mut self.order.lock().unwrap_or_else(PoisonError::into_inner), import);
            if batch.is_some() {
                return batch;
            }
            self.n_hungry.fetch_add(1, Ordering::Relaxed);
            tree = self.changed.wait(tree).unwrap_or_else(PoisonError::into_inner);
            self.n_hungry.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub fn is_somebody_hungry(&self) -> bool {
        self.n_hungry.load(Ordering::Relaxed) > 0
    }

    /// Counts how often everybody was asked to share what he knows.
    pub fn refreshes(&self) -> u64 {
        self.refreshes.load(Ordering::Relaxed)
    }

    pub fn cuts(&self) -> u64 {
        self.cuts.load(Ordering::Relaxed)
    }

    /// What comes after some part does not matter any more.
    pub fn cut(&self) {
        self.cuts.fetch_add(1, Ordering::Relaxed);
    }

    pub fn is_left(&self) -> bool {
        self.is_left.load(Ordering::Relaxed)
    }

    pub fn is_wanted(&self, part: PartId) -> bool {
        self.lock().is_wanted(part)
    }

    /// Whether the next execution is to be chosen anew each time.
    pub fn has_order(&self) -> bool {
        self.has_order
    }

    pub fn sharing(&self) -> Option<u32> {
        self.sharing
    }

    pub fn leave(&self) {
        self.is_left.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// A search by [`super::Dpor`] for any number of workers: between them they make the executions that one would make, and
/// come to the same results.
pub struct DporTeam {
    shared: Arc<Shared>,
}

impl Default for DporTeam {
    fn default() -> Self {
        DporTeam::new(Tree::new(), None, Order::Depth)
    }
}

impl DporTeam {
    /// Every worker shares what is left of its part after each so many executions: it must make no difference, which is
    /// seen best if that happens often.
    pub fn sharing_every(executions: u32) -> Self {
        DporTeam::new(Tree::new(), Some(executions), Order::Depth)
    }

    /// Goes on with a search that was saved; none if the text is not what [`Team::save`] writes.
    pub fn resume(saved: &str) -> Option<Self> {
        Some(DporTeam::new(Tree::read(saved)?, None, Order::Depth))
    }

    /// Explores in another order than depth first. It comes to the same end, so this is for searches that do not: for one
    /// worker.
    pub fn in_order(order: Order) -> Self {
        DporTeam::new(Tree::new(), None, order)
    }

    fn new(tree: Tree, sharing: Option<u32>, order: Order) -> Self {
        let shared = Shared {
            tree: Mutex::new(tree),
            changed: Condvar::new(),
            n_hungry: AtomicUsize::new(0),
            refreshes: AtomicU64::new(0),
            cuts: AtomicU64::new(0),
            is_left: AtomicBool::new(false),
            sharing,
            has_order: !matches!(order, Order::Depth),
            order: Mutex::new(order),
        };
        DporTeam { shared: Arc::new(shared) }
    }
}

impl Team for DporTeam {
    fn worker(&self) -> Box<dyn Strategy + Send> {
        Box::new(Worker::new(Arc::clone(&self.shared)))
    }

    fn results(&self) -> Results {
        self.shared.lock().results()
    }

    fn save(&self) -> String {
        self.shared.lock().save()
    }

    fn refresh(&self) {
        self.shared.refreshes.fetch_add(1, Ordering::Relaxed);
    }
}
