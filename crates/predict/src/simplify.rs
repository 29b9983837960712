//! Stage II: what of a run has to be ordered at all, and where context switches are needed.
//!
//! A *context switch* is an ordered pair: a transition, and one of another thread that comes next in a line. Each step leaves fewer:
//!
//! 1. *Local variables*: bytes and locks that one thread alone uses. Transitions that touch nothing else are local.
//! 2. *Merging*: a local transition belongs to the one before it in its thread.
//! 3. *Locks and must-happen-before*: a switch is impossible if the second transition needs a lock that the first thread holds, or if one of them
//!    certainly comes at another time.
//! 4. *Mutually atomic transactions* (Ganai and Kundu, SPIN 2009). Two sequences of two threads with one conflicting pair, at their ends, need a switch
//!    only there. Here they come from a normal form: of all equivalent lines take the first in the order of words whose letters
//!    are compared by thread.
//!
//! Lemma (adequate). Let threads be numbered, and let a line be the least of its class. Then (a) a switch from a thread to one with a smaller number
//! goes from a transition b to a transition a that depends on b: otherwise a could be moved before b, and the line would be less. (b) A switch from a to a
//! thread with a greater number needs that the next transition a' of the first thread depends on something that comes before it: otherwise a' could be
//! moved to right behind a. (c) A thread that goes on at b had stopped before: by (a) because the one before b depends on something of a smaller
//! thread, by (b) because b depends on something of another thread, or b is its first. So switches that satisfy (a), (b) and (c) leave one line of each class.
//!
//! Lemma (minimal, two threads). A line of two threads all of whose switches to the smaller thread satisfy (a) is the least of its class: a factor that
//! contradicts it ends in a pair as in (a). So each class has exactly one line, and a switch that some least line uses cannot be spared. [`Switches::exact`]
//! keeps those alone.
//!
//! An *independent transaction* is a sequence of a thread's transitions with no switch inside. Every class has a line in which it is in one piece, so a region within one
//! is proved.

use crate::run::{Held, Op, Run, Span};
use gordian_base::{FxHashMap, FxHashSet};
use gordian_trace::SimplificationSummary;

/// Which steps are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Steps {
    pub local_variables: bool,
    pub merging: bool,
    pub locks: bool,
    pub transactions: bool,
}

impl Default for Steps {
    fn default() -> Self {
        Steps { local_variables: true, merging: true, locks: true, transactions: true }
    }
}

/// Something that threads share: dependence is about one of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Thing {
    Word(u64),
    Object(u64),
    Thread(u32),
    Files,
}

/// A thing that an event touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Touch {
    thing: Thing,
    /// Which bytes of a word.
    bytes: u8,
    /// It commutes with its like: reads, and shared locks.
    reads: bool,
}

impl Touch {
    fn depends_on(self, other: Touch) -> bool {
        self.thing == other.thing && self.bytes & other.bytes != 0 && !(self.reads && other.reads)
    }
}

/// What an event touches.
fn touched(op: Op) -> Vec<Touch> {
    let words = |span: Span, reads: bool| -> Vec<Touch> {
        let words = gordian_trace::words(span.address, u64::from(span.size));
        words.map(|(word, bytes)| Touch { thing: Thing::Word(word), bytes, reads }).collect()
    };
    let things: Vec<(Thing, bool)> = match op {
        Op::Read(span) => return words(span, true),
        Op::Write(span) | Op::Publish(span) | Op::Free(span) => return words(span, false),
        Op::Acquire { lock, shared } | Op::AcquireFails { lock, shared } => vec![(Thing::Object(lock), shared)],
        Op::Release { lock } => vec![(Thing::Object(lock), false)],
        Op::Wait { cond, mutex } | Op::Woken { cond, mutex } => {
            vec![(Thing::Object(cond), false), (Thing::Object(mutex), false)]
        }
        Op::GiveUp { cond: object } | Op::Signal(object) | Op::Broadcast(object) => {
            vec![(Thing::Object(object), false)]
        }
        Op::SemInit { semaphore: object, .. } | Op::SemWait(object) | Op::SemPost(object) | Op::SemFails(object) => {
            vec![(Thing::Object(object), false)]
        }
        Op::BarrierArrive { barrier: object, .. } | Op::BarrierLeave(object) => vec![(Thing::Object(object), false)],
        Op::Init(object) | Op::Destroy(object) | Op::Pinned(object) => vec![(Thing::Object(object), false)],
        Op::OnceEnter(object) | Op::OnceDone(object) | Op::OnceFound(object) => vec![(Thing::Object(object), false)],
        Op::UseFile { .. } | Op::UseFiles | Op::Close(_) => vec![(Thing::Files, false)],
        Op::Fork(child) | Op::Join(child) => vec![(Thing::Thread(child), false)],
        Op::ProcessExit => vec![(Thing::Files, false)],
        Op::End | Op::Decide(_) | Op::Nothing => Vec::new(),
    };
    things.into_iter().map(|(thing, reads)| Touch { thing, bytes: u8::MAX, reads }).collect()
}

/// Things that more than one thread uses.
fn shared_things(run: &Run) -> FxHashSet<Thing> {
    let mut owner: FxHashMap<Thing, u32> = FxHashMap::default();
    let mut shared: FxHashSet<Thing> = FxHashSet::default();
    for event in &run.events {
        for Touch { thing, .. } in touched(event.op) {
            if *owner.entry(thing).or_insert(event.thread) != event.thread {
                shared.insert(thing);
            }
        }
    }
    shared
}

/// By event: whether nobody else has to do with it. Creation, join and ends are never local.
pub fn local_events(run: &Run) -> Vec<bool> {
    let shared = shared_things(run);
    // Waits and attempts that fail are steps of a kind of their own; what is freed or becomes known concerns others.
    let is_special = |op: Op| {
        use Op::*;
        matches!(
            op,
            Fork(_) | Join(_) | End | ProcessExit | Free(_) | Publish(_) | Wait { .. } | Woken { .. } | GiveUp { .. }
        ) || matches!(op, SemFails(_) | AcquireFails { .. } | BarrierArrive { .. } | BarrierLeave(_))
    };
    let is_local = |op: Op| !is_special(op) && touched(op).iter().all(|touch| !shared.contains(&touch.thing));
    run.events.iter().map(|event| is_local(event.op)).collect()
}

/// A sequence of a thread's events that nobody comes between.
#[derive(Clone, Debug)]
struct Transition {
    thread: u32,
    /// By number of event.
    events: Vec<u32>,
    things: Vec<Touch>,
    /// Locks that are held after it, as a set of [`Held`], and before its last event.
    held_after: u32,
    held_in: Vec<u32>,
    /// Locks that it takes.
    takes: Vec<(u64, bool)>,
}

/// Transitions that use locks alike, by the number of that use, each with its touch.
type AlikeLocked = (u32, Vec<(u32, Touch)>);
/// How a transition uses locks: held after it, held within it, and taken by it.
type LockUse<'a> = (u32, &'a [u32], &'a [(u64, bool)]);

/// The model of a run in terms of transitions and switches.
pub struct Switches {
    transitions: Vec<Transition>,
    of_thread: Vec<Vec<u32>>,
    held: Held,
    /// By thing: the transitions that touch it, those that use locks alike together.
    touching: FxHashMap<Thing, Vec<AlikeLocked>>,
    /// By transition: the number of how it uses locks, and by such number one transition.
    locking: Vec<u32>,
    examples: Vec<u32>,
    /// By transition and thread: how many of the thread's certainly come before, itself included.
    clocks: Vec<u32>,
    nth: Vec<u32>,
    /// By transition: whether its thread may be left behind it, and whether it may be begun with.
    stops: Vec<bool>,
    starts: Vec<bool>,
    steps: Steps,
    pub summary: Vec<SimplificationSummary>,
}

/// Transitions by pairs of which everything is looked at exactly.
const MOST_EXACT: usize = 3_000;

impl Switches {
    /// Simplifies a run, as far as `steps` say.
    pub fn new(run: &Run, steps: Steps) -> Self {
        let is_local = if steps.local_variables { local_events(run) } else { vec![false; run.events.len()] };
        let mut summary = Vec::new();
        let mut note = |step: &str, is_off: bool, transitions: u64, switches: u64| {
            summary.push(SimplificationSummary { step: step.to_owned(), is_off, transitions, switches });
        };
        let count = |counts: &[u64]| {
            let all: u64 = counts.iter().sum();
            (all, all * all - counts.iter().map(|count| count * count).sum::<u64>())
        };
        let mut counts = vec![0u64; run.n_threads as usize];
        run.events.iter().for_each(|event| counts[event.thread as usize] += 1);
        let (all, switches) = count(&counts);
        note("as recorded", false, all, switches);
        let mut shared = vec![0u64; run.n_threads as usize];
        run.events.iter().zip(&is_local).filter(|(_, local)| !**local).for_each(|(event, _)| {
            shared[event.thread as usize] += 1;
        });
        note("local variables", !steps.local_variables, all, count(&shared).1);
        let mut model = Self::build(run, steps, &is_local);
        let merged: Vec<u64> = model.of_thread.iter().map(|of| of.len() as u64).collect();
        let (n_merged, n_switches) = count(&merged);
        note("merging", !steps.merging, n_merged, n_switches);
        let n_possible = model.n_possible();
        note("locks and must-happen-before", !steps.locks, n_merged, n_possible);
        model.find_ends();
        let n_left = if steps.transactions { model.n_needed() } else { n_possible };
        note("mutually atomic transactions", !steps.transactions, n_merged, n_left);
        model.summary = summary;
        model
    }

    fn build(run: &Run, steps: Steps, is_local: &[bool]) -> Self {
        let held = run.held();
        let mut transitions: Vec<Transition> = Vec::new();
        let mut of_thread: Vec<Vec<u32>> = vec![Vec::new(); run.n_threads as usize];
        let mut open: Vec<Option<(u32, u32)>> = vec![None; run.n_threads as usize];
        let mut number_of = vec![0u32; run.events.len()];
        for (number, event) in (0u32..).zip(&run.events) {
            let thread = event.thread as usize;
            // Events of one instant belong together anyway; local ones belong to what is before them.
            let joins = open[thread]
                .filter(|&(_, instant)| steps.merging && (instant == event.instant || is_local[number as usize]));
            let at = joins.map_or(transitions.len() as u32, |(at, _)| at);
            if joins.is_none() {
                of_thread[thread].push(at);
                transitions.push(Transition {
                    thread: event.thread,
                    events: Vec::new(),
                    things: Vec::new(),
                    held_after: 0,
                    held_in: Vec::new(),
                    takes: Vec::new(),
                });
            }
            open[thread] = Some((at, event.instant));
            number_of[number as usize] = at;
            let transition = &mut transitions[at as usize];
            transition.events.push(number);
            transition.held_in.push(held.set_of(number));
            if !is_local[number as usize] {
                transition.things.extend(touched(event.op));
            }
            match event.op {
                Op::Acquire { lock, shared } => transition.takes.push((lock, shared)),
                Op::Woken { mutex, .. } => transition.takes.push((mutex, false)),
                _ => {}
            }
        }
        let mut model = Switches {
            nth: vec![0; transitions.len()],
            clocks: Vec::new(),
            stops: vec![true; transitions.len()],
            starts: vec![true; transitions.len()],
            transitions,
            of_thread,
            held,
            touching: FxHashMap::default(),
            locking: Vec::new(),
            examples: Vec::new(),
            steps,
            summary: Vec::new(),
        };
        model.complete(run, &number_of);
        model
    }

    fn complete(&mut self, run: &Run, number_of: &[u32]) {
        for of in &self.of_thread {
            for (nth, &at) in of.iter().enumerate() {
                self.nth[at as usize] = nth as u32 + 1;
                let next = of.get(nth + 1).and_then(|&next| self.transitions[next as usize].held_in.first().copied());
                let own = &mut self.transitions[at as usize];
                own.held_after = next.unwrap_or_else(|| self.held.at_end(own.thread));
                own.held_in.sort_unstable();
                own.held_in.dedup();
            }
        }
        let mut numbers: FxHashMap<LockUse<'_>, u32> = FxHashMap::default();
        for (at, transition) in (0u32..).zip(&self.transitions) {
            let key = (transition.held_after, &transition.held_in[..], &transition.takes[..]);
            let next = self.examples.len() as u32;
            let locking = *numbers.entry(key).or_insert(next);
            if locking == next {
                self.examples.push(at);
            }
            self.locking.push(locking);
            for &touch in &transition.things {
                let groups = self.touching.entry(touch.thing).or_default();
                let group = groups.iter().position(|(of, _)| *of == locking);
                let group = group.unwrap_or_else(|| {
                    groups.push((locking, Vec::new()));
                    groups.len() - 1
                });
                if groups[group].1.last() != Some(&(at, touch)) {
                    groups[group].1.push((at, touch));
                }
            }
        }
        // Clocks over what is certain, by the first event of each instant.
        let n = run.n_threads as usize;
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); self.transitions.len()];
        for &(a, b) in &run.certain {
            let last = number_of[run.instants[a as usize].events.1 as usize - 1];
            let first = number_of[run.instants[b as usize].events.0 as usize];
            if last != first {
                edges[first as usize].push(last);
            }
        }
        self.clocks = vec![0; self.transitions.len() * n];
        let mut before: Vec<Option<u32>> = vec![None; n];
        for (at, edges) in edges.iter().enumerate() {
            let thread = self.transitions[at].thread as usize;
            let (known, here) = self.clocks.split_at_mut(at * n);
            for from in before[thread].into_iter().chain(edges.iter().copied()).filter(|&from| (from as usize) < at) {
                let from = &known[from as usize * n..][..n];
                here[..n].iter_mut().zip(from).for_each(|(to, &from)| *to = (*to).max(from));
            }
            here[thread] = self.nth[at];
            before[thread] = Some(at as u32);
        }
    }

    fn n_threads(&self) -> usize {
        self.of_thread.len()
    }

    /// Whether `a` certainly comes before `b`, or is it.
    fn is_certain(&self, a: u32, b: u32) -> bool {
        let thread = self.transitions[a as usize].thread as usize;
        self.clocks[b as usize * self.n_threads() + thread] >= self.nth[a as usize]
    }

    fn next(&self, at: u32) -> Option<u32> {
        let of = &self.of_thread[self.transitions[at as usize].thread as usize];
        of.get(self.nth[at as usize] as usize).copied()
    }

    fn previous(&self, at: u32) -> Option<u32> {
        let of = &self.of_thread[self.transitions[at as usize].thread as usize];
        (self.nth[at as usize] as usize).checked_sub(2).map(|nth| of[nth])
    }

    /// Whether `b` cannot be made while another thread holds this set of locks.
    fn is_excluded(&self, held: u32, b: u32) -> bool {
        let b = &self.transitions[b as usize];
        b.held_in.iter().any(|&set| self.held.exclude(held, set)) || self.held.takes_any(held, &b.takes)
    }

    /// Whether `b` can come right after `a`.
    fn is_possible(&self, a: u32, b: u32) -> bool {
        if !self.steps.locks {
            return true;
        }
        // The thread of `a` stands behind it: `b` does not come before `a`, nor after what follows `a`.
        let is_late = self.next(a).is_some_and(|next| self.is_certain(next, b));
        !self.is_certain(b, a) && !is_late && !self.is_excluded(self.transitions[a as usize].held_after, b)
    }

    /// Whether the order of two transitions matters.
    fn depend(&self, a: u32, b: u32) -> bool {
        let (first, second) = (&self.transitions[a as usize], &self.transitions[b as usize]);
        first.things.iter().any(|touch| second.things.iter().any(|other| touch.depends_on(*other)))
            || self.is_certain(a, b)
            || self.is_certain(b, a)
    }

    /// Transitions of other threads whose order with this one matters, and which can come while its thread holds these locks.
    fn partners(&self, a: u32, held: Option<u32>) -> impl Iterator<Item = u32> + '_ {
        let mine = &self.transitions[a as usize];
        let can = move |locking: u32| held.is_none_or(|held| !self.is_excluded(held, self.examples[locking as usize]));
        let touching = mine.things.iter().flat_map(move |&touch| {
            let groups = self.touching.get(&touch.thing).into_iter().flatten();
            let others = groups.filter(move |(locking, _)| can(*locking)).flat_map(|(_, others)| others);
            others.filter(move |&&(_, other)| touch.depends_on(other)).map(|&(other, _)| other)
        });
        touching.filter(move |&other| self.transitions[other as usize].thread != mine.thread)
    }

    /// Whether something of another thread that `next` depends on can come while its thread stands before it.
    fn waits_for_others(&self, next: u32) -> bool {
        let Some(before) = self.previous(next) else { return true };
        let held = self.steps.locks.then_some(self.transitions[before as usize].held_after);
        let can_come = |other: u32| held.is_none() || !self.is_certain(next, other) && !self.is_certain(other, before);
        let mine = self.transitions[next as usize].thread as usize;
        // Something of another thread certainly comes before `next` and not before what is before it.
        let n = self.n_threads();
        let (here, there) = (&self.clocks[next as usize * n..][..n], &self.clocks[before as usize * n..][..n]);
        let is_joined = (0..n).any(|thread| thread != mine && here[thread] > there[thread]);
        is_joined || self.partners(next, held).any(can_come)
    }

    /// Finds where threads may be left and begun with: (b) and (c).
    fn find_ends(&mut self) {
        let n = self.transitions.len() as u32;
        let waits: Vec<bool> = (0..n).map(|at| self.waits_for_others(at)).collect();
        for at in 0..n {
            self.stops[at as usize] = self.next(at).is_none_or(|next| waits[next as usize]);
            let gives_way = |before: u32| {
                let thread = self.transitions[before as usize].thread;
                let is_smaller = |&other: &u32| self.transitions[other as usize].thread < thread;
                self.partners(before, self.steps.locks.then_some(self.transitions[before as usize].held_after))
                    .filter(is_smaller)
                    .any(|other| self.is_possible(before, other))
                    || self.creates_smaller(before)
            };
            self.starts[at as usize] = waits[at as usize] || self.previous(at).is_none_or(gives_way);
        }
    }

    /// Whether something of a smaller thread certainly comes after this and depends on nothing else of the thread.
    fn creates_smaller(&self, at: u32) -> bool {
        let thread = self.transitions[at as usize].thread as usize;
        (0..thread).any(|smaller| {
            let of = &self.of_thread[smaller];
            let first = of.partition_point(|&other| !self.is_certain(at, other));
            of.get(first).is_some_and(|&other| self.is_possible(at, other))
        })
    }

    /// Whether a line may go from `a` to `b`.
    fn is_needed(&self, a: u32, b: u32) -> bool {
        let is_down = self.transitions[b as usize].thread < self.transitions[a as usize].thread;
        self.is_possible(a, b)
            && if !self.steps.transactions {
                true
            } else if is_down {
                self.depend(a, b)
            } else {
                self.stops[a as usize] && self.starts[b as usize]
            }
    }

    fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let n = self.transitions.len() as u32;
        (0..n)
            .flat_map(move |a| (0..n).map(move |b| (a, b)))
            .filter(|&(a, b)| self.transitions[a as usize].thread != self.transitions[b as usize].thread)
    }

    fn n_possible(&self) -> u64 {
        if self.transitions.len() > MOST_EXACT {
            return self.count_possible(|_| true, |_| true);
        }
        self.pairs().filter(|&(a, b)| self.is_possible(a, b)).count() as u64
    }

    fn n_needed(&self) -> u64 {
        if self.transitions.len() > MOST_EXACT {
            // Counted from above: of pairs that go up half, and locks alone rule out pairs that go down.
            let up = self.count_possible(|a| self.stops[a as usize], |b| self.starts[b as usize]);
            return up / 2 + self.count_down();
        }
        self.needed().len() as u64
    }

    /// Dependent pairs that locks allow, from a thread to one with a smaller number.
    fn count_down(&self) -> u64 {
        let n = self.n_threads();
        let by_thread = |group: &[(u32, Touch)], reads: bool| {
            let mut counts = vec![0u64; n];
            for (at, _) in group.iter().filter(|(_, touch)| touch.reads == reads) {
                counts[self.transitions[*at as usize].thread as usize] += 1;
            }
            counts
        };
        let mut count = 0;
        for groups in self.touching.values() {
            let counted: Vec<(u32, [Vec<u64>; 2])> = groups
                .iter()
                .map(|(locking, group)| (*locking, [true, false].map(|reads| by_thread(group, reads))))
                .collect();
            for (from, a) in &counted {
                let held = self.transitions[self.examples[*from as usize] as usize].held_after;
                for (to, b) in &counted {
                    if self.steps.locks && self.is_excluded(held, self.examples[*to as usize]) {
                        continue;
                    }
                    // Reads and reads commute.
                    for (x, y) in [(&a[0], &b[1]), (&a[1], &b[0]), (&a[1], &b[1])] {
                        let mut smaller = 0;
                        for thread in 0..n {
                            count += x[thread] * smaller;
                            smaller += y[thread];
                        }
                    }
                }
            }
        }
        count
    }

    /// Pairs that creation and join allow, counted thread by thread; locks are not looked at.
    fn count_possible(&self, from: impl Fn(u32) -> bool, to: impl Fn(u32) -> bool) -> u64 {
        let n = self.n_threads();
        let prefix: Vec<Vec<u64>> = (self.of_thread.iter())
            .map(|of| {
                let mut sums = vec![0];
                for &at in of {
                    sums.push(sums[sums.len() - 1] + u64::from(to(at)));
                }
                sums
            })
            .collect();
        let mut count = 0;
        for a in (0..self.transitions.len() as u32).filter(|&a| from(a)) {
            let mine = self.transitions[a as usize].thread as usize;
            let after = self.next(a);
            for thread in (0..n).filter(|&thread| thread != mine) {
                let of = &self.of_thread[thread];
                let known = self.clocks[a as usize * n + thread] as usize;
                let until = after.map_or(of.len(), |next| of.partition_point(|&b| !self.is_certain(next, b)));
                count += prefix[thread][until.max(known)] - prefix[thread][known];
            }
        }
        count
    }

    /// The switches that are left. Of two threads, those that some line of the normal form uses; of more, those that the lemma allows.
    fn needed(&self) -> Vec<(u32, u32)> {
        let all = self.pairs().filter(|&(a, b)| self.is_needed(a, b));
        let threads: Vec<usize> = (0..self.n_threads()).filter(|&thread| !self.of_thread[thread].is_empty()).collect();
        match threads[..] {
            [first, second] if self.steps.transactions => self.exact(first, second, &all.collect()),
            _ => all.collect(),
        }
    }

    /// Of two threads: the switches that complete lines use. Nodes are how far both are and who was last; only those count from which the end can be reached.
    fn exact(&self, first: usize, second: usize, allowed: &FxHashSet<(u32, u32)>) -> Vec<(u32, u32)> {
        let (one, two) = (&self.of_thread[first], &self.of_thread[second]);
        let (rows, columns) = (one.len() + 1, two.len() + 1);
        let node = |p: usize, q: usize, last: usize| (p * columns + q) * 2 + last;
        // From a node with so many made: whether the next of a thread can be made.
        let step = |p: usize, q: usize, last: usize, side: usize| -> Option<(usize, Option<(u32, u32)>)> {
            let (next, other) = if side == 0 {
                (one.get(p), q.checked_sub(1).map(|q| two[q]))
            } else {
                (two.get(q), p.checked_sub(1).map(|p| one[p]))
            };
            let &next = next?;
            let n = self.n_threads();
            let needs = self.clocks[next as usize * n + if side == 0 { second } else { first }] as usize;
            let made = if side == 0 { q } else { p };
            let is_free =
                other.is_none_or(|other| !self.is_excluded(self.transitions[other as usize].held_after, next));
            if needs > made || !is_free {
                return None;
            }
            let to = if side == 0 { node(p + 1, q, 0) } else { node(p, q + 1, 1) };
            if last == side || p + q == 0 {
                return Some((to, None));
            }
            // Who was last has made something.
            let from = other?;
            allowed.contains(&(from, next)).then_some((to, Some((from, next))))
        };
        let mut is_reached = vec![false; rows * columns * 2];
        is_reached[node(0, 0, 0)] = true;
        let mut reaches_end = vec![false; rows * columns * 2];
        for last in 0..2 {
            reaches_end[node(rows - 1, columns - 1, last)] = true;
        }
        let nodes =
            || (0..rows).flat_map(|p| (0..columns).map(move |q| (p, q))).flat_map(|(p, q)| [(p, q, 0), (p, q, 1)]);
        for (p, q, last) in nodes() {
            if is_reached[node(p, q, last)] {
                (0..2).filter_map(|side| step(p, q, last, side)).for_each(|(to, _)| is_reached[to] = true);
            }
        }
        for (p, q, last) in nodes().collect::<Vec<_>>().into_iter().rev() {
            let on = (0..2).filter_map(|side| step(p, q, last, side)).any(|(to, _)| reaches_end[to]);
            reaches_end[node(p, q, last)] |= on;
        }
        let mut used: Vec<(u32, u32)> = Vec::new();
        for (p, q, last) in nodes().filter(|&(p, q, last)| is_reached[node(p, q, last)]) {
            let steps = (0..2).filter_map(|side| step(p, q, last, side)).filter(|(to, _)| reaches_end[*to]);
            used.extend(steps.filter_map(|(_, switch)| switch));
        }
        used.sort_unstable();
        used.dedup();
        used
    }

    /// The switches that are left, as pairs of events: the last of a transition, and the first of another.
    pub fn switches(&self) -> Vec<(u32, u32)> {
        let event = |(a, b): (u32, u32)| {
            let (a, b) = (&self.transitions[a as usize].events, &self.transitions[b as usize].events);
            (a[a.len() - 1], b[0])
        };
        self.needed().into_iter().map(event).collect()
    }

    /// By event: the independent transaction that it belongs to.
    pub fn transactions(&self) -> Vec<u32> {
        let n = self.transitions.iter().map(|transition| transition.events.len()).sum();
        let mut of = vec![0; n];
        let mut number = 0;
        for transitions in &self.of_thread {
            for &at in transitions {
                // A thread is left behind the one before, or begun with here.
                let is_begun = self.previous(at).is_none_or(|before| self.is_boundary(before, at));
                number += u32::from(is_begun);
                for &event in &self.transitions[at as usize].events {
                    of[event as usize] = number;
                }
            }
        }
        of
    }

    fn is_boundary(&self, before: u32, at: u32) -> bool {
        !self.steps.transactions || !self.steps.locks || self.stops[before as usize] || self.starts[at as usize]
    }
}
