//! The workers of a search: what they share, who is idle, and how the search is divided.

use super::super::split::{Edge, Split, Survey};
use super::branch::PartId;
use super::parts::{Batch, Order};
use super::tree::Tree;
use super::worker::Worker;
use crate::happens_before::footprint::Footprints;
use crate::happens_before::transition::Transition;
use gordian_engine::{Division, Results, Strategy, Team};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// A search that workers have in common: the whole, or a part of one that was split.
pub struct Shared {
    tree: Mutex<Tree>,
    pub split: Split,
    changed: Condvar,
    /// Workers that wait for something to do.
    n_idle: AtomicUsize,
    refreshes: AtomicU64,
    /// How often parts were found not to matter any more.
    cuts: AtomicU64,
    is_left: AtomicBool,
    /// Gives back what is left after so many executions even if nobody is idle.
    sharing: Option<u32>,
    order: Mutex<Order>,
    has_order: bool,
}

impl Shared {
    fn new(tree: Tree, split: Split, sharing: Option<u32>, order: Order) -> Arc<Self> {
        Arc::new(Shared {
            tree: Mutex::new(tree),
            split,
            changed: Condvar::new(),
            n_idle: AtomicUsize::new(0),
            refreshes: AtomicU64::new(0),
            cuts: AtomicU64::new(0),
            is_left: AtomicBool::new(false),
            sharing,
            has_order: !matches!(order, Order::Depth),
            order: Mutex::new(order),
        })
    }

    /// A part of a search that was split, from its beginning.
    fn of_split(split: Split) -> Arc<Self> {
        Shared::new(Tree::new(), split, None, Order::Depth)
    }

    fn lock(&self) -> MutexGuard<'_, Tree> {
        lock(&self.tree)
    }

    pub fn with<R>(&self, change: impl FnOnce(&mut Tree) -> R) -> R {
        let result = change(&mut self.lock());
        self.changed.notify_all();
        result
    }

    /// Parts of the search, at most so many; waits until there is one. None at the end of the search.
    pub fn take(&self, most: usize, import: &mut dyn FnMut(&Transition, &Footprints) -> Transition) -> Option<Batch> {
        let mut tree = self.lock();
        loop {
            if tree.has_ended() || self.is_left() {
                return None;
            }
            let batch = tree.take(most, &mut lock(&self.order), import);
            if batch.is_some() {
                return batch;
            }
            self.n_idle.fetch_add(1, Ordering::Relaxed);
            tree = self.changed.wait(tree).expect("no worker has panicked while it changed the search");
            self.n_idle.fetch_sub(1, Ordering::Relaxed);
        }
    }

    pub fn has_idle_worker(&self) -> bool {
        self.n_idle.load(Ordering::Relaxed) > 0
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
        // Whoever is about to wait has seen it before, or waits by now.
        let _tree = lock_in_any_case(&self.tree);
        self.is_left.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }
}

/// What a search consists of: one, unless it was split.
pub struct Searches {
    parts: Mutex<Parts>,
    has_failed: AtomicBool,
    /// Those that were explored to their end, and their executions.
    n_ended: AtomicU64,
    executions: AtomicU64,
    /// How the search could be divided, or could be otherwise.
    survey: Arc<Mutex<Option<Survey>>>,
}

struct Parts {
    all: Vec<Arc<Shared>>,
    n_begun: usize,
    /// The last so many may be split further, by these pairs.
    n_divisible: usize,
    pairs: Vec<Edge>,
    /// The executions of the smallest and of the largest that was explored to its end.
    sizes: Option<[u32; 2]>,
    /// No more are begun.
    is_left: bool,
}

impl Parts {
    fn begin_next(&mut self) -> Option<Arc<Shared>> {
        let n_left = self.all.len() - self.n_begun;
        if 0 < n_left && n_left <= self.n_divisible && self.are_uneven() {
            let divided = self.all[self.n_begun].split.further(&self.pairs).into_iter().map(Shared::of_split);
            self.all.splice(self.n_begun..=self.n_begun, divided);
            self.n_divisible = n_left - 1;
        }
        let next = self.all.get(self.n_begun)?;
        self.n_begun += 1;
        Some(Arc::clone(next))
    }

    fn are_uneven(&self) -> bool {
        self.sizes.is_none_or(|[least, most]| least < most - most / 5)
    }
}

impl Searches {
    fn parts(&self) -> MutexGuard<'_, Parts> {
        lock(&self.parts)
    }

    fn all(&self) -> Vec<Arc<Shared>> {
        self.parts().all.clone()
    }

    /// One that nobody has begun; else one that is not at its end. None if there is none.
    pub fn next(&self) -> Option<Arc<Shared>> {
        let mut parts = self.parts();
        if parts.is_left {
            return None;
        }
        let is_open = |search: &&Arc<Shared>| !search.is_left() && !search.lock().has_ended();
        parts.begin_next().or_else(|| parts.all.iter().find(is_open).cloned())
    }

    /// One of them was explored, by so many executions of whoever tells.
    pub fn ended(&self, executions: u32) {
        self.n_ended.fetch_add(1, Ordering::Relaxed);
        self.executions.fetch_add(u64::from(executions), Ordering::Relaxed);
        let mut parts = self.parts();
        let [least, most] = parts.sizes.unwrap_or([executions; 2]);
        parts.sizes = Some([least.min(executions), most.max(executions)]);
    }

    /// These pairs are not what they seemed, so parts are not split further by them.
    pub fn strike_further(&self, broken: &[Edge]) {
        self.parts().pairs.retain(|pair| !broken.contains(pair));
    }

    /// Executions that are usual for one of them.
    pub fn usual_executions(&self) -> u32 {
        let n_ended = self.n_ended.load(Ordering::Relaxed).max(1);
        (self.executions.load(Ordering::Relaxed) / n_ended).try_into().unwrap_or(u32::MAX)
    }

    pub fn first(&self) -> Arc<Shared> {
        Arc::clone(&self.parts().all[0])
    }

    /// Whether to go on with finding out how it could be divided.
    pub fn survey(&self, look: impl FnOnce(&mut Survey) -> bool) -> bool {
        lock(&self.survey).as_mut().is_some_and(look)
    }

    pub fn leave(&self) {
        let mut parts = lock_in_any_case(&self.parts);
        parts.is_left = true;
        parts.all.iter().for_each(|search| search.leave());
    }

    /// It was not split by what it was to be: see [`Survey::strike`].
    pub fn fail(&self, broken: &[Edge]) {
        self.survey(|survey| {
            survey.strike(broken);
            false
        });
        self.has_failed.store(true, Ordering::Relaxed);
        self.leave();
    }
}

/// A search by [`super::Dpor`] for any number of workers: between them they make the executions that one would make, and
/// come to the same results.
pub struct DporTeam {
    searches: Arc<Searches>,
}

impl Default for DporTeam {
    fn default() -> Self {
        let whole = Shared::new(Tree::new(), Split::default(), None, Order::Depth);
        DporTeam::of(vec![whole], Some(Survey::default()))
    }
}

/// Whoever panicked while it had the lock may have left anything behind: nobody goes on from there.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().expect("no worker has panicked while it changed the search")
}

/// The same for those who end the search, and for what it had come to.
fn lock_in_any_case<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl DporTeam {
    /// Every worker shares what is left of its part after each so many executions: it must make no difference, which is
    /// seen best if that happens often.
    pub fn sharing_every(executions: u32) -> Self {
        DporTeam::whole(Tree::new(), Some(executions), Order::Depth)
    }

    /// Goes on with a search that was saved; none if the text is not what [`Team::save`] writes.
    pub fn resume(saved: &str) -> Option<Self> {
        if let Some(tree) = Tree::read(saved) {
            return Some(DporTeam::whole(tree, None, Order::Depth));
        }
        let saved: Vec<(Split, String)> = serde_json::from_str(saved).ok()?;
        let search = |(split, tree): (Split, String)| Some(Shared::new(Tree::read(&tree)?, split, None, Order::Depth));
        let all = saved.into_iter().map(search).collect::<Option<Vec<_>>>()?;
        (!all.is_empty()).then(|| DporTeam::of(all, None))
    }

    /// Explores in another order than depth first. It comes to the same end, so this is for searches that do not: for one
    /// worker.
    pub fn in_order(order: Order) -> Self {
        if matches!(order, Order::Depth) { DporTeam::default() } else { DporTeam::whole(Tree::new(), None, order) }
    }

    fn whole(tree: Tree, sharing: Option<u32>, order: Order) -> Self {
        DporTeam::of(vec![Shared::new(tree, Split::default(), sharing, order)], None)
    }

    fn of(all: Vec<Arc<Shared>>, survey: Option<Survey>) -> Self {
        DporTeam::surveyed(
            Parts { all, n_begun: 0, n_divisible: 0, pairs: Vec::new(), sizes: None, is_left: false },
            Arc::new(Mutex::new(survey)),
        )
    }

    fn surveyed(parts: Parts, survey: Arc<Mutex<Option<Survey>>>) -> Self {
        let searches = Searches {
            parts: Mutex::new(parts),
            has_failed: AtomicBool::new(false),
            n_ended: AtomicU64::new(0),
            executions: AtomicU64::new(0),
            survey,
        };
        DporTeam { searches: Arc::new(searches) }
    }
}

impl Team for DporTeam {
    fn worker(&self) -> Box<dyn Strategy + Send> {
        Box::new(Worker::new(Arc::clone(&self.searches)))
    }

    fn scout(&self) -> Box<dyn Strategy + Send> {
        Box::new(Worker::scout(Arc::clone(&self.searches)))
    }

    fn results(&self) -> Results {
        let all = lock_in_any_case(&self.searches.parts).all.clone();
        let mut all = all.into_iter().map(|search| lock_in_any_case(&search.tree).results());
        let mut results = all.next().unwrap_or_default();
        all.for_each(|later| results.append(later));
        results
    }

    fn save(&self) -> String {
        let all = self.searches.all();
        if let [search] = &all[..] {
            return search.lock().save();
        }
        let saved = all.iter().map(|search| (&search.split, search.lock().save()));
        serde_json::to_string(&saved.collect::<Vec<_>>()).expect("nothing in it cannot be written")
    }

    fn refresh(&self) {
        for search in self.searches.all() {
            search.refreshes.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn division(&self) -> Division {
        lock(&self.searches.survey).as_ref().map_or(Division::Shared, Survey::division)
    }

    fn split(&self, n_workers: usize) -> Option<Box<dyn Team>> {
        let (splits, pairs) = lock(&self.searches.survey).as_ref()?.split(n_workers)?;
        let all: Vec<Arc<Shared>> = splits.into_iter().map(Shared::of_split).collect();
        let parts = Parts { n_begun: 0, n_divisible: all.len() / 4, all, pairs, sizes: None, is_left: false };
        Some(Box::new(DporTeam::surveyed(parts, Arc::clone(&self.searches.survey))))
    }

    fn has_failed(&self) -> bool {
        self.searches.has_failed.load(Ordering::Relaxed)
    }
}
