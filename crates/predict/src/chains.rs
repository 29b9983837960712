//! Ways from one access of a region to another by other threads, in causal order.
//!
//! A step of a way leads from an event of one thread to one of another: conflicting accesses, creation, join, or a signal to the end of a wait. Lemma: ways
//! whose threads are all different are enough. Of a thread that a way comes to twice everything between is left out, since program order leads from the
//! first time to the second; and if it comes back to the region's own thread on the way, then what it did until then is a way itself.

use crate::atomicity::{Pattern, Wake};
use crate::line::Line;
use crate::patterns::{Accesses, MOST_PATTERNS};
use crate::regions::Region;
use crate::run::{Op, Run};
use gordian_base::FxHashMap;

/// Steps of the search for ways, for one region.
const MOST_TRIED: usize = 200_000;

/// Ways to violate a region that [`crate::patterns`] does not have: through two and more other threads, or not by accesses alone. And
/// whether there are more.
pub fn chains(
    run: &Run,
    line: &Line,
    region: &Region,
    accesses: &Accesses,
    steps: &CausalSteps,
) -> (Vec<Pattern>, bool) {
    let mut search = Chains { run, line, accesses, steps, found: Vec::new(), n_tried: 0 };
    for instance in &region.instances {
        for (nth, &first) in instance.accesses.iter().enumerate() {
            for (later, &last) in instance.accesses.iter().enumerate().skip(nth + 1) {
                if run.instant(first) != run.instant(last) {
                    search.between((first, instance.accesses[nth + 1]), (instance.accesses[later - 1], last));
                }
            }
        }
    }
    let is_cut = search.is_cut();
    (search.found, is_cut)
}

/// Steps from one thread to another that are no conflicts.
pub struct CausalSteps {
    /// By thread: its events from which a step may lead to another thread.
    of_thread: Vec<Vec<u32>>,
    /// By event: the first of a thread that it creates, or where its thread, which ends with it, is joined.
    fixed: FxHashMap<u32, Vec<u32>>,
    /// By condition variable: waits that a signal ended, and their ends.
    waits: FxHashMap<u64, Vec<(u32, u32)>>,
}

impl CausalSteps {
    pub fn new(run: &Run) -> Self {
        let n = run.n_threads as usize;
        let (mut first, mut last): (Vec<Option<u32>>, Vec<Option<u32>>) = (vec![None; n], vec![None; n]);
        for (number, event) in (0u32..).zip(&run.events) {
            first[event.thread as usize].get_or_insert(number);
            last[event.thread as usize] = Some(number);
        }
        let of = |events: &[Option<u32>], thread: u32| events.get(thread as usize).copied().flatten();
        let mut fixed: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
        let mut waits: FxHashMap<u64, Vec<(u32, u32)>> = FxHashMap::default();
        let mut waiting: FxHashMap<u32, u32> = FxHashMap::default();
        for (number, event) in (0u32..).zip(&run.events) {
            match event.op {
                Op::Fork(child) => fixed.entry(number).or_default().extend(of(&first, child)),
                Op::Join(child) => {
                    of(&last, child).into_iter().for_each(|end| fixed.entry(end).or_default().push(number))
                }
                Op::Wait { .. } => {
                    waiting.insert(event.thread, number);
                }
                Op::GiveUp { .. } => {
                    waiting.remove(&event.thread);
                }
                Op::Woken { cond, .. } => {
                    let wait = waiting.remove(&event.thread);
                    waits.entry(cond).or_default().extend(wait.map(|wait| (wait, number)));
                }
                _ => {}
            }
        }
        let mut of_thread = vec![Vec::new(); n];
        for (number, event) in (0u32..).zip(&run.events) {
            let tells = matches!(event.op, Op::Signal(_) | Op::Broadcast(_));
            if event.op.access().is_some() || tells || fixed.contains_key(&number) {
                of_thread[event.thread as usize].push(number);
            }
        }
        CausalSteps { of_thread, fixed, waits }
    }

    /// Those events of a thread, from this one on, from which steps may lead to others.
    fn of(&self, thread: u32, from: u32) -> impl Iterator<Item = u32> + '_ {
        let all = &self.of_thread[thread as usize];
        all[all.partition_point(|&event| event < from)..].iter().copied()
    }
}

/// A step to an event, by a signal or otherwise.
type Step = (u32, Option<Wake>);

/// A way that is not yet back: where it entered, where it is, and how it came there.
#[derive(Clone)]
struct Way {
    enters: u32,
    at: u32,
    links: Vec<(u32, u32)>,
    wakes: Vec<Wake>,
    /// It entered by a conflict.
    by_conflict: bool,
}

struct Chains<'a> {
    run: &'a Run,
    line: &'a Line,
    accesses: &'a Accesses,
    steps: &'a CausalSteps,
    found: Vec<Pattern>,
    n_tried: usize,
}

impl Chains<'_> {
    fn is_cut(&self) -> bool {
        self.n_tried >= MOST_TRIED || self.found.len() >= MOST_PATTERNS
    }

    fn thread(&self, event: u32) -> u32 {
        self.run.events[event as usize].thread
    }

    /// Steps from an event to other threads that no certain order forbids.
    fn after(&self, from: u32) -> Vec<Step> {
        let mut steps: Vec<Step> =
            self.accesses.in_conflict_with(self.run, from).into_iter().map(|to| (to, None)).collect();
        steps.extend(self.steps.fixed.get(&from).into_iter().flatten().map(|&to| (to, None)));
        if let Op::Signal(cond) | Op::Broadcast(cond) = self.run.events[from as usize].op {
            let waits = self.steps.waits.get(&cond).into_iter().flatten();
            let wakes = waits.map(|&(wait, woken)| Wake { wait, signal: from, woken });
            steps.extend(wakes.filter(|wake| self.can_be(wake.wait, from)).map(|wake| (wake.woken, Some(wake))));
        }
        steps.retain(|&(to, _)| self.thread(to) != self.thread(from) && self.can_be(from, to));
        steps
    }

    fn can_be(&self, before: u32, after: u32) -> bool {
        let (before, after) = (self.run.instant(before), self.run.instant(after));
        before != after && !self.line.is_certain(after, before)
    }

    /// Ways from the first of two accesses, or from what its thread does before the next one, to the last, or to what its thread does since the one before.
    fn between(&mut self, (first, next): (u32, u32), (previous, last): (u32, u32)) {
        let (run, steps, mine) = (self.run, self.steps, self.thread(first));
        let is_access = |event: u32| run.events[event as usize].op.access().is_some();
        let exits = steps.of(mine, first + 1).take_while(|&event| event < next).filter(|&event| !is_access(event));
        let mut ways = Vec::new();
        for from in std::iter::once(first).chain(exits) {
            for (to, wake) in self.after(from) {
                let wakes = wake.into_iter().collect();
                ways.push(Way { enters: to, at: to, links: Vec::new(), wakes, by_conflict: from == first });
            }
        }
        let returns = |to: u32| {
            let is_own = run.events[to as usize].thread == mine;
            to == last || is_own && (previous..last).contains(&to) && !is_access(to)
        };
        while let Some(way) = ways.pop() {
            for from in steps.of(self.thread(way.at), way.at) {
                for (to, wake) in self.after(from) {
                    self.n_tried += 1;
                    if self.is_cut() {
                        return;
                    }
                    if returns(to) {
                        self.found.extend(self.pattern(&way, (first, last), from, (to, wake)));
                    }
                    let thread = self.thread(to);
                    let is_new = thread != mine
                        && thread != self.thread(way.enters)
                        && way.links.iter().all(|&(_, on)| self.thread(on) != thread);
                    if is_new {
                        let mut way = Way { at: to, ..way.clone() };
                        way.links.push((from, to));
                        way.wakes.extend(wake);
                        ways.push(way);
                    }
                }
            }
        }
    }

    /// The pattern of a way that comes back, if locks allow it and if it is not one of two accesses of one thread.
    fn pattern(&self, way: &Way, region: (u32, u32), leaves: u32, (to, wake): Step) -> Option<Pattern> {
        let is_plain = way.by_conflict && way.links.is_empty() && to == region.1;
        if is_plain || self.accesses.is_locked_out(self.run, region, (way.at, leaves)) {
            return None;
        }
        let wakes = way.wakes.iter().copied().chain(wake).collect();
        let (first, last) = region;
        Some(Pattern { first, enters: way.enters, links: way.links.clone(), leaves, last, wakes })
    }
}
