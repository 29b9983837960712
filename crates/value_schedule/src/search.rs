//! The search: pairs out of order, then all orders.

use crate::NAME;
use crate::directed::{Candidate, Directed, Outcome, Step, Surroundings, Target, default_choice};
use crate::guide::Guide;
use crate::rank::{Kind, Rank, cost};
use crate::threads::Threads;
use gordian_base::{FxHashMap, FxHashSet, FxHasher, Id, ThreadId};
use gordian_engine::{Capabilities, Ended, FastForward, Next, Point, Strategy};
use gordian_strategies::{Classifier, Dpor};
use gordian_trace::{Choice, CodePoint, Exploration, OpKind, Wants};
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

/// Executions out of order, those of a focus aside. What this many of them do not show is left to the ordinary search.
pub const MOST_DIRECTED: u64 = 1_000;
/// The same for executions in which a pair was reversed before.
const MOST_FURTHER: u64 = 200;
/// Pairs of points that are kept at most; the last in rank are left out.
const MOST_KEPT: usize = 20_000;

/// Which techniques are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    pub accessibility: bool,
    pub refinement: bool,
    pub priorities: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { accessibility: true, refinement: true, priorities: true }
    }
}

/// What the search did, for its report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Backtracking points.
    pub points: u64,
    /// Executions out of order.
    pub tried: u64,
    pub fulfilled: u64,
    pub inaccessible: u64,
    pub blocked: u64,
    /// Pairs that turned out to be about different bytes.
    pub refuted: u64,
    /// Steps of the executions out of order, which the summary of a search that went on to the ordinary search does not count.
    pub forgotten_steps: u64,
}

/// A pair by number, the thread of the trigger, and that of the partner.
type Refuted = (u32, ThreadId, ThreadId);

/// A hash of the steps before the acquisition, the pair, the thread of the partner, and the address of the trigger.
type Moved = (u64, u32, ThreadId, u64);

/// What points and partners have in common that are alike: the instruction of the trigger, the pair and the partner.
type Alike = (CodePoint, Option<(u32, usize)>);

pub struct ValueSchedule<'a, 'p> {
    guide: Guide<'a, 'p>,
    options: Options,
    threads: Threads,
    /// Left to be tried, by rank.
    left: BTreeMap<Rank, Candidate>,
    n_found: u64,
    /// Executions so far in which a pair was reversed before.
    n_further: u64,
    n_steps: u64,
    /// The execution under way, if it is out of order.
    directed: Option<Directed>,
    /// Points of the execution under way, whose schedule is not known yet.
    found: Vec<Candidate>,
    /// Where threads of the present execution have taken locks that they did not hold, with the step of each.
    acquisitions: Vec<(usize, ThreadId, u64)>,
    /// Pairs that were moved to an acquisition.
    moved: FxHashSet<Moved>,
    /// Traces that were executed out of order.
    classifier: Classifier,
    classes: FxHashSet<u64>,
    /// The address at each instruction of each thread; none if there were several.
    addresses: FxHashMap<(ThreadId, CodePoint), Option<u64>>,
    /// Pairs that are about different bytes in two threads.
    refuted: FxHashSet<Refuted>,
    counts: Counts,
    /// All that is left is the ordinary search.
    is_ordinary: bool,
    ordinary: Dpor,
}

impl<'a, 'p> ValueSchedule<'a, 'p> {
    pub fn new(guide: Guide<'a, 'p>, options: Options) -> Self {
        let is_ordinary = !options.priorities && !guide.has_focus || guide.n_pairs == 0;
        ValueSchedule {
            guide,
            options,
            threads: Threads::default(),
            left: BTreeMap::new(),
            n_found: 0,
            n_further: 0,
            n_steps: 0,
            directed: None,
            found: Vec::new(),
            acquisitions: Vec::new(),
            moved: FxHashSet::default(),
            classifier: Classifier::default(),
            classes: FxHashSet::default(),
            addresses: FxHashMap::default(),
            refuted: FxHashSet::default(),
            counts: Counts::default(),
            is_ordinary,
            ordinary: Dpor::default(),
        }
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    fn choose_out_of_order(&mut self, point: &Point<'_>) -> Option<usize> {
        self.threads.update(&self.guide.creators, point.events);
        let around = Surroundings { guide: &self.guide, options: self.options, threads: &self.threads };
        let step = match &mut self.directed {
            None => Step::Choose(default_choice(point)),
            Some(directed) => directed.step(point, &around),
        };
        let Step::Choose(index) = step else { return None };
        let choice = point.choices[index];
        if self.directed.as_ref().is_none_or(Directed::is_completing) {
            self.find_orders(point, choice);
        }
        if let Some(wants) = point.wants(choice.thread) {
            self.record(point.depth, choice.thread, &wants);
        }
        self.classifier.chosen(point, choice);
        Some(index)
    }

    /// The thread makes this operation now.
    fn record(&mut self, depth: usize, thread: ThreadId, wants: &Wants) {
        use OpKind::{Lock, ReadLock, TryLock, TryReadLock, Woken};
        if self.options.refinement {
            let known = self.addresses.entry((thread, wants.at)).or_insert(Some(wants.address));
            *known = known.filter(|known| *known == wants.address);
        }
        let acquires = matches!(wants.kind, Lock | TryLock | ReadLock | TryReadLock | Woken);
        let is_first = self.acquisitions.last().is_none_or(|(last, ..)| *last < depth);
        if acquires && is_first && !self.threads.holds(thread, wants.address) {
            self.acquisitions.push((depth, thread, wants.address));
        }
    }

    /// Makes a backtracking point of the state if the step is a side of a pair whose other side may still come.
    fn find_orders(&mut self, point: &Point<'_>, choice: Choice) {
        let Some(wants) = point.wants(choice.thread) else { return };
        let kinds = self.threads.kinds.get(choice.thread.index()).cloned().unwrap_or_default();
        for order in self.guide.orders(&kinds, &wants) {
            if !self.options.priorities && !order.in_focus {
                continue;
            }
            for thread in (0..self.threads.kinds.len() as u32).map(ThreadId).filter(|thread| *thread != choice.thread) {
                let Some(other) = point.wants(thread).filter(|_| self.threads.is(thread, order.thread)) else {
                    continue;
                };
                if self.refuted.contains(&(order.pair, choice.thread, thread))
                    || self.guide.is_too_early(&order, &other)
                {
                    continue;
                }
                if self.options.accessibility && !self.guide.may_reach(order.thread, other.at, order.partner) {
                    continue;
                }
                self.add(point, choice, wants, Target::Partner { order, thread });
            }
        }
        if self.options.priorities {
            self.find_wakings(point, choice, wants);
        }
    }

    /// Who is woken by a signal, and who of those that were woken goes on first, is known at run time only.
    fn find_wakings(&mut self, point: &Point<'_>, choice: Choice, wants: Wants) {
        if wants.kind == OpKind::Signal {
            for other in point.choices.iter().filter(|other| other.thread == choice.thread && **other != choice) {
                self.add(point, choice, wants, Target::Variant { variant: other.variant });
            }
        }
        if wants.kind == OpKind::Woken {
            for thread in point.choices.iter().map(|choice| choice.thread).filter(|thread| *thread != choice.thread) {
                let is_rival = |other: &Wants| other.kind == OpKind::Woken && other.address == wants.address;
                if point.wants(thread).as_ref().is_some_and(is_rival) {
                    self.add(point, choice, wants, Target::Woken { thread });
                }
            }
        }
    }

    fn add(&mut self, point: &Point<'_>, choice: Choice, wants: Wants, target: Target) {
        let (kind, is_may, is_out_of_focus) = match &target {
            Target::Partner { order, .. } => (order.kind, !order.must, !order.in_focus),
            Target::Woken { .. } | Target::Variant { .. } => (Kind::WaitWait, true, true),
        };
        let n_reversed = self.directed.as_ref().map_or(0, |directed| directed.candidate.rank.n_reversed + 1);
        self.n_found += 1;
        let before = Reverse(point.depth);
        let rank = Rank { is_out_of_focus, cost: n_reversed, kind, is_may, n_reversed, before, nth: self.n_found };
        let (run, trigger) = (Rc::from([]), choice.thread);
        self.found.push(Candidate { rank, run, depth: point.depth, trigger, wants, target, skip: 0 });
    }

    /// The execution has ended: its points can be gone back to.
    fn keep_found(&mut self, ended: &Ended<'_>) {
        let run: Rc<[Choice]> = ended.schedule.into();
        let mut found = std::mem::take(&mut self.found);
        put_off_repetitions(&mut found);
        self.counts.points += found.chunk_by(|a, b| a.depth == b.depth).count() as u64;
        for candidate in found {
            self.left.insert(candidate.rank, Candidate { run: Rc::clone(&run), ..candidate });
        }
        while self.left.len() > MOST_KEPT {
            self.left.pop_last();
        }
    }

    /// What the execution that just ended says of its pair.
    fn conclude(&mut self, n_steps: usize) {
        self.counts.tried += 1;
        self.n_steps += n_steps as u64;
        let Some(directed) = self.directed.take() else { return };
        match directed.outcome {
            Some(Outcome::Fulfilled) => self.counts.fulfilled += 1,
            Some(Outcome::Inaccessible) => self.counts.inaccessible += 1,
            Some(Outcome::Blocked) | None => self.counts.blocked += 1,
        }
        if let Some(other) = directed.differs.filter(|_| directed.outcome == Some(Outcome::Inaccessible)) {
            self.refute(&directed.candidate, other);
        }
        if let Some(lock) = directed.own_lock {
            self.move_to_acquisition(&directed.candidate, lock);
        }
        // Of what the user asked for every instance is tried.
        if directed.outcome == Some(Outcome::Fulfilled)
            && let Target::Partner { order, .. } = directed.candidate.target
            && order.in_focus
        {
            let mut again = directed.candidate.clone();
            again.skip += 1;
            self.n_found += 1;
            again.rank.nth = self.n_found;
            self.left.insert(again.rank, again);
        }
    }

    /// The trigger's thread holds what the partner needs, so the partner comes first only if it does before the lock was taken: the enclosing monitor entry is the point
    /// that yields (5.3.4 of the thesis, on waits and signals).
    fn move_to_acquisition(&mut self, candidate: &Candidate, lock: u64) {
        let Target::Partner { order, thread } = candidate.target else { return };
        let is_it = |&&(depth, of, taken): &&(usize, ThreadId, u64)| {
            depth < candidate.depth && of == candidate.trigger && taken == lock
        };
        let Some(&(depth, ..)) = self.acquisitions.iter().rev().find(is_it) else { return };
        let mut before = FxHasher::default();
        candidate.run[..depth].hash(&mut before);
        if self.moved.insert((before.finish(), order.pair, thread, candidate.wants.address)) {
            self.left.insert(candidate.rank, Candidate { depth, ..candidate.clone() });
        }
    }

    /// The partner came, but at another address. If each side was at one address only so far, the pair is not tried again for these threads.
    fn refute(&mut self, candidate: &Candidate, other: CodePoint) {
        self.counts.refuted += 1;
        let Target::Partner { order, thread } = candidate.target else { return };
        let is_fixed = |thread, at| self.addresses.get(&(thread, at)).is_some_and(Option::is_some);
        if is_fixed(candidate.trigger, candidate.wants.at) && is_fixed(thread, other) {
            let refuted = (order.pair, candidate.trigger, thread);
            self.refuted.insert(refuted);
            self.left.retain(|_, left| match left.target {
                Target::Partner { order, thread } => (order.pair, left.trigger, thread) != refuted,
                Target::Woken { .. } | Target::Variant { .. } => true,
            });
        }
    }

    fn next_out_of_order(&mut self, ended: &Ended<'_>) -> Next {
        // An execution of a trace that was made before has no points of its own.
        let is_new = ended.end.is_some() && self.classes.insert(self.classifier.class(ended));
        if is_new {
            self.keep_found(ended);
        }
        self.found.clear();
        self.conclude(ended.schedule.len());
        let mut next = self.left.pop_first();
        // Others may be left that no pair was reversed before.
        while next.as_ref().is_some_and(|(rank, _)| self.is_used_up(rank)) {
            next = self.left.pop_first();
        }
        let Some((rank, candidate)) = next else {
            self.begin_ordinary();
            return Next::Anew;
        };
        self.n_further += u64::from(rank.n_reversed > 0);
        let same = candidate.run[..candidate.depth].iter().zip(ended.schedule).take_while(|(a, b)| a == b).count();
        self.classifier.back(same);
        let n_kept = self.acquisitions.partition_point(|(depth, ..)| *depth < same);
        self.acquisitions.truncate(n_kept);
        self.threads.forget();
        self.directed = Some(Directed::new(candidate));
        Next::Backtrack(same)
    }

    fn is_used_up(&self, rank: &Rank) -> bool {
        let is_further = rank.n_reversed > 0 && self.n_further >= MOST_FURTHER;
        rank.is_out_of_focus && (is_further || self.counts.tried > MOST_DIRECTED)
    }

    fn begin_ordinary(&mut self) {
        self.counts.forgotten_steps = self.n_steps;
        self.is_ordinary = true;
        self.left.clear();
        self.classes.clear();
        self.moved.clear();
    }
}

/// Ranks points of one pair in an execution, and partners of a point that are alike.
fn put_off_repetitions(found: &mut [Candidate]) {
    let alike = |candidate: &Candidate| -> Alike {
        let pair = match candidate.target {
            Target::Partner { order, .. } => Some((order.pair, order.partner)),
            Target::Woken { .. } | Target::Variant { .. } => None,
        };
        (candidate.wants.at, pair)
    };
    let mut points: FxHashMap<Alike, u32> = FxHashMap::default();
    let mut places = vec![(0, 0); found.len()];
    let mut end = found.len();
    for of_point in found.chunk_by(|a, b| a.depth == b.depth).rev() {
        let mut threads: FxHashMap<Alike, u32> = FxHashMap::default();
        end -= of_point.len();
        for (candidate, place) in of_point.iter().zip(&mut places[end..]) {
            let before = threads.entry(alike(candidate)).or_insert(0);
            *place = (points.get(&alike(candidate)).copied().unwrap_or(0), *before);
            *before += 1;
        }
        threads.into_keys().for_each(|alike| *points.entry(alike).or_insert(0) += 1);
    }
    for (candidate, (nth, before)) in found.iter_mut().zip(places) {
        let Rank { kind, n_reversed, .. } = candidate.rank;
        candidate.rank.cost = cost(kind, n_reversed, (nth, points[&alike(candidate)]), before);
    }
}

impl Strategy for ValueSchedule<'_, '_> {
    fn exploration(&self) -> Exploration {
        let guarantee = "executes every order of dependent steps within the bounds, each once".to_owned();
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if self.is_ordinary { self.ordinary.choose(point) } else { self.choose_out_of_order(point) }
    }

    fn fast_forward(&mut self) -> Option<FastForward<'_>> {
        if self.is_ordinary { self.ordinary.fast_forward() } else { None }
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        if !self.is_ordinary {
            return self.next_out_of_order(ended);
        }
        let next = self.ordinary.next(ended);
        self.counts.points += u64::from(matches!(next, Next::Backtrack(_)));
        next
    }

    fn notes(&self) -> Vec<String> {
        let Counts { points, tried, fulfilled, inaccessible, blocked, refuted, .. } = self.counts;
        let mut notes = vec![format!("backtracking points: {points}; static pairs: {}", self.guide.n_pairs)];
        // The first is the default execution.
        if let Some(tried) = tried.checked_sub(1) {
            notes.push(format!(
                "orders of pairs that were tried before the ordinary search: {tried} ({fulfilled} fulfilled, {inaccessible} \
                 inaccessible, of these {refuted} at other addresses, {blocked} blocked)"
            ));
        }
        notes
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::REDUCTION
    }

    fn done(&self) -> Option<f64> {
        if self.is_ordinary { self.ordinary.done() } else { None }
    }
}
