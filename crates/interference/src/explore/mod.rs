//! The search: candidates by degree, what they lead to, and what unrealizable ones may be given.

mod executions;
mod goals;

use crate::facts::{Cores, Facts};
use crate::forest::{Forest, NodeId};
use crate::lanes::Lanes;
use crate::realize::{BUDGET, Check, Known};
use crate::scenario::{Candidate, Goal, Key, Repair, Scenario, round};
use crate::sinks::Sinks;
use crate::temporal::Manner;
use crate::words;
use gordian_base::{FxHashMap, FxHashSet, ThreadId};
use gordian_engine::{EngineError, Gathering, Observer, Outcome, Settings};
use gordian_ir::Program;
use gordian_solve::Budget;
use gordian_trace::{
    Bound, CodePoint, DegreeSummary, Exploration, InterferenceEnd, InterferenceSummary, Machine as MachineSettings,
    RaceMode, Stop, Test,
};
use gordian_vm::Terms;
use gordian_witness::{EventKind, PendingOperation};
use std::collections::BTreeMap;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub struct Options {
    /// Candidates with more are not looked at.
    pub max_interferences: Option<u32>,
    /// Unrealizable candidates are given only what the core of their constraints asks for.
    pub core_guidance: bool,
    /// No candidate is looked at twice.
    pub duplication_freedom: bool,
    /// What leads to code that was not reached comes first.
    pub priorities: bool,
    /// Go on to higher degrees although a failure was found and every branch was taken in both directions.
    pub beyond_full_coverage: bool,
    /// So many threads check candidates. What they find does not depend on it.
    pub jobs: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            max_interferences: None,
            core_guidance: true,
            duplication_freedom: true,
            priorities: true,
            beyond_full_coverage: false,
            jobs: 1,
        }
    }
}

/// Values that one place in the program may pick, before the rest is given up.
const MOST_VALUES: usize = 256;

/// Of so many candidates that wait, one is checked before any is taken in: what they show may change which is the next.
const TOGETHER: usize = 16;
const MOST_TOGETHER: usize = 1024;

/// Where a candidate stands in the queue: its degree, then whether it promises something new, then its age.
type Rank = (u32, bool, u64);

struct Search<'a> {
    program: &'a Program,
    template: Test,
    options: Options,
    gathering: Gathering<'a>,
    /// [`BUDGET`], until the time of the search is up or the user wants to stop.
    budget: Budget,
    terms: Option<Terms>,
    lanes: Lanes,
    facts: Facts,
    cores: Cores,
    forest: Forest,
    queue: BTreeMap<Rank, Candidate>,
    n_queued: u64,
    /// Candidates that were found unrealizable and may be given something yet.
    unrealizable: Vec<Candidate>,
    /// By what they may be given.
    waiting: FxHashMap<Key, Vec<(usize, Repair)>>,
    /// Reached nodes that may serve.
    offers: FxHashMap<Key, Vec<NodeId>>,
    known: FxHashSet<Candidate>,
    /// By sinks that were reached: the sinks next behind them.
    behind: FxHashMap<NodeId, Vec<NodeId>>,
    /// By sinks that were reached: realizable candidates. Whatever leads further begins like one of them: what is unrealizable for a
    /// sink is so for all that lies behind it.
    handed_down: FxHashMap<NodeId, Vec<Candidate>>,
    /// Branches that were gone, by place and way; other places that were reached.
    covered: FxHashSet<(CodePoint, u32)>,
    /// Ways of branches that were gone, and all that there are once a machine told.
    n_covered: usize,
    n_branches: Option<usize>,
    sinks: Sinks,
    /// Failures that no branch leads to and that were shown.
    shown: FxHashSet<goals::Looks>,
    /// Sinks that were shown to fail because they came too late.
    failed: FxHashSet<NodeId>,
    degrees: Vec<DegreeSummary>,
    losses: Vec<String>,
    /// There were candidates with more interferences than allowed.
    cut: bool,
    /// Threads wait in loops for others.
    has_waiting_loops: bool,
}

/// Executes `program` by interference scenarios of growing degree until there is no candidate left or the budget is used up.
pub fn check(
    program: &Program,
    template: &Test,
    options: Options,
    settings: &Settings,
    observer: &mut dyn Observer,
) -> Result<Outcome, EngineError> {
    let machine = MachineSettings { symbolic: true, coverage: true, ..template.machine.clone() };
    let gathering = Gathering::start(settings, observer);
    let mut search = Search {
        program,
        template: Test { machine, ..template.clone() },
        options,
        budget: Budget { stop: Some(gathering.interrupt()), ..BUDGET.clone() },
        gathering,
        terms: Some(Terms::default()),
        lanes: Lanes::new(options.jobs),
        facts: Facts::default(),
        cores: Cores::default(),
        forest: Forest::default(),
        queue: BTreeMap::new(),
        n_queued: 0,
        unrealizable: Vec::new(),
        waiting: FxHashMap::default(),
        offers: FxHashMap::default(),
        known: FxHashSet::default(),
        behind: FxHashMap::default(),
        handed_down: FxHashMap::default(),
        covered: FxHashSet::default(),
        n_covered: 0,
        n_branches: None,
        sinks: Sinks::new(program, template.machine.races != RaceMode::Ignore),
        shown: FxHashSet::default(),
        failed: FxHashSet::default(),
        degrees: Vec::new(),
        losses: Vec::new(),
        cut: false,
        has_waiting_loops: false,
    };
    let stop = search.run()?;
    search.conclude(stop)
}

impl<'a> Search<'a> {
    fn run(&mut self) -> Result<Stop, EngineError> {
        let main = self.forest.root(ThreadId::MAIN, None);
        self.forest.wait_at(main, PendingOperation::Free(None), gordian_trace::NO_CODE);
        self.take_news();
        while let Some((degree, candidates)) = self.next() {
            if self.is_done_before(degree) {
                return Ok(Stop::Covered);
            }
            let before = self.gathering.elapsed();
            let checks = match self.check(&candidates) {
                Ok(checks) => checks,
                Err(stop) => return Ok(stop),
            };
            for (candidate, check) in candidates.into_iter().zip(checks) {
                if let Some(stop) = self.gathering.must_stop_now() {
                    return Ok(stop);
                }
                self.take_check(candidate, check)?;
            }
            let after = self.gathering.elapsed();
            self.degree(degree).time += after - before;
        }
        // What was left when the search had to stop is not in the queue.
        Ok(self.gathering.must_stop_now().unwrap_or(Stop::Exhausted))
    }

    /// The first candidates, all of the same degree.
    fn next(&mut self) -> Option<(u32, Vec<Candidate>)> {
        let most = (self.queue.len() / TOGETHER).clamp(1, MOST_TOGETHER);
        let (degree, ..) = *self.queue.first_key_value()?.0;
        let mut candidates = Vec::new();
        while candidates.len() < most
            && let Some(first) = self.queue.first_entry().filter(|first| first.key().0 == degree)
        {
            candidates.push(first.remove());
        }
        Some((degree, candidates))
    }

    fn take_check(&mut self, candidate: Candidate, check: Check) -> Result<(), EngineError> {
        if self.has_shown(&candidate) {
            return Ok(());
        }
        if let Check::OfDegree(degree) = check {
            self.queue(Candidate { degree, ..candidate });
            return Ok(());
        }
        let row = self.degree(candidate.degree);
        row.candidates += 1;
        match check {
            Check::Realizable { plan, .. } if candidate.goal != Goal::Reach => {
                row.realizable += 1;
                self.show(&candidate, &plan)?;
            }
            Check::Realizable { plan, source } => {
                row.realizable += 1;
                if !self.forest[candidate.sink].reached {
                    self.realize(&candidate, &plan, source, Manner::Well)?;
                }
                self.hand_down(candidate);
                self.take_news();
            }
            Check::Fails { plan, source, repairs } => {
                if !self.forest[candidate.sink].reached && self.failed.insert(candidate.sink) {
                    self.realize(&candidate, &plan, source, Manner::Anyhow)?;
                }
                self.give(candidate, &repairs);
                self.take_news();
            }
            Check::Unrealizable(repairs) => self.give(candidate, &repairs),
            Check::Unknown => self.lose("the solver gave up on some scenarios"),
            Check::OfDegree(_) => unreachable!("it was queued again"),
        }
        Ok(())
    }

    /// The candidate leads to its sink, and may lead to what lies behind.
    fn hand_down(&mut self, candidate: Candidate) {
        if !self.forest[candidate.sink].reached {
            return;
        }
        let behind = self.behind.get(&candidate.sink).cloned().unwrap_or_default();
        for sink in behind {
            self.queue(candidate.with_sink(&self.forest, sink));
        }
        self.handed_down.entry(candidate.sink).or_default().push(candidate);
    }

    fn degree(&mut self, degree: u32) -> &mut DegreeSummary {
        if self.degrees.len() <= degree as usize {
            self.degrees.resize_with(degree as usize + 1, DegreeSummary::default);
        }
        &mut self.degrees[degree as usize]
    }

    fn lose(&mut self, what: &str) {
        if !self.losses.iter().any(|known| known == what) {
            self.losses.push(what.to_owned());
        }
    }

    /// What becomes of each candidate; or why the search must stop.
    fn check(&mut self, candidates: &[Candidate]) -> Result<Vec<Check>, Stop> {
        let all: Vec<&Candidate> = candidates.iter().collect();
        let mut checked = self.check_said(&all)?;
        let is_unsaid = |n: &usize| checked[*n].is_none();
        let unsaid: Vec<usize> = (0..candidates.len()).filter(is_unsaid).collect();
        let pool = &mut self.terms.as_mut().expect("no machine has them").pool;
        for &n in &unsaid {
            let scenario = Scenario::of(&self.forest, all[n]).expect("there is something to say of it");
            self.facts.say(&self.forest, pool, all[n], &scenario, &self.budget);
        }
        if let Some(stop) = self.gathering.must_stop_now() {
            return Err(stop);
        }
        let rest: Vec<&Candidate> = unsaid.iter().map(|&n| all[n]).collect();
        for (n, check) in unsaid.into_iter().zip(self.check_said(&rest)?) {
            checked[n] = check;
        }
        self.lanes.tell(&mut self.cores);
        Ok(checked.into_iter().map(|check| check.expect("all was said")).collect())
    }

    /// None for those that say what was not put into terms yet.
    fn check_said(&mut self, candidates: &[&Candidate]) -> Result<Vec<Option<Check>>, Stop> {
        let known = Known {
            forest: &self.forest,
            pool: &self.terms.as_ref().expect("no machine has them").pool,
            facts: &self.facts,
            cores: &self.cores,
            guided: self.options.core_guidance,
            budget: &self.budget,
        };
        let mut stop = None;
        let gathering = &mut self.gathering;
        let must_stop = &mut || {
            stop = gathering.must_stop_now();
            stop.is_some()
        };
        let checked = self.lanes.check(known, candidates, must_stop);
        checked.ok_or_else(|| stop.expect("it was said to stop"))
    }

    /// New ways to go become candidates, and new nodes are offered to the candidates that wait for them. Once the search is to stop, nothing
    /// more is: it ends before anybody asks for the next candidate.
    fn take_news(&mut self) {
        let (dangling, reached) = self.forest.take_news();
        for &node in &reached {
            let Some(way) = way(&self.forest, node) else { continue };
            self.covered.insert(way);
        }
        for node in dangling {
            if let EventKind::PickOther { not, .. } = &self.forest[node].event.kind
                && not.len() >= MOST_VALUES
            {
                self.lose("an address, a size or the like took only some of very many values");
                continue;
            }
            if self.budget.is_stopped() {
                return;
            }
            self.look_for(node);
        }
        for candidate in self.sinks.look_for(&self.forest, &reached, &self.budget) {
            self.queue(candidate);
        }
        for node in reached {
            if self.budget.is_stopped() {
                return;
            }
            for key in keys(&self.forest, node) {
                self.offers.entry(key).or_default().push(node);
                for (candidate, repair) in self.waiting.get(&key).cloned().unwrap_or_default() {
                    self.try_repair(candidate, repair, node);
                }
            }
        }
    }

    /// Candidates for a sink that was found: those that lead to the last one on the way.
    fn look_for(&mut self, sink: NodeId) {
        let Some(last) = self.forest[sink].sink_before else { return self.queue(Candidate::of(sink)) };
        self.behind.entry(last).or_default().push(sink);
        for candidate in self.handed_down.get(&last).cloned().unwrap_or_default() {
            self.queue(candidate.with_sink(&self.forest, sink));
        }
    }

    fn queue(&mut self, candidate: Candidate) {
        if self.options.max_interferences.is_some_and(|most| candidate.degree > most) {
            self.cut = true;
            return;
        }
        if self.options.duplication_freedom && !self.known.insert(candidate.clone()) {
            return;
        }
        let is_old = || {
            candidate.goal != Goal::Reach
                || way(&self.forest, candidate.sink).is_some_and(|way| self.covered.contains(&way))
        };
        let rank = (candidate.degree, self.options.priorities && is_old(), self.n_queued);
        self.n_queued += 1;
        self.queue.insert(rank, candidate);
    }

    /// The candidate is tried again with each of these that there is, and whenever there is a new one.
    fn give(&mut self, candidate: Candidate, repairs: &[Repair]) {
        if repairs.is_empty() {
            return;
        }
        let mut candidate = candidate;
        for &repair in repairs {
            let number = self.unrealizable.len();
            self.unrealizable.push(candidate.clone());
            for key in repair.keys(&self.forest) {
                self.waiting.entry(key).or_default().push((number, repair));
                for node in self.offers.get(&key).cloned().unwrap_or_default() {
                    self.try_repair(number, repair, node);
                }
            }
            // Those in which this read takes another's write have been looked at, whatever the other reads do.
            if let Repair::Source(read) = repair
                && self.options.core_guidance
            {
                candidate.keep_own(read);
            }
        }
    }

    fn try_repair(&mut self, number: usize, repair: Repair, node: NodeId) {
        if let Repair::Source(read) = repair
            && let (Some(from), Some(to)) = (self.forest[read].event.read(), self.forest[node].event.write())
            && from.overlaps(to)
            && !to.covers(from)
            && self.forest[node].thread != self.forest[read].thread
        {
            self.lose("reads that take bytes of several threads' writes");
        }
        let next = repair.with(&self.forest, &self.unrealizable[number], node);
        if let Some(next) = next.filter(|next| next.threads(&self.forest).is_some()) {
            self.queue(next);
        }
    }

    fn conclude(self, stop: Stop) -> Result<Outcome, EngineError> {
        let Search { program, template, options, mut gathering, lanes, forest, sinks, failed, degrees, losses, .. } =
            self;
        let (cut, has_waiting_loops) = (self.cut, self.has_waiting_loops);
        let counts = lanes.counts();
        gathering.add_queries(counts.data + counts.order);
        if !losses.is_empty() {
            gathering.hit(Bound::Values);
        }
        for loss in losses {
            gathering.note(loss);
        }
        if cut {
            gathering.hit(Bound::Interferences);
        }
        let is_exhausted = stop == Stop::Exhausted;
        if is_exhausted && (has_waiting_loops || !sinks.are_settled(&forest, &failed)) {
            gathering.hit(Bound::Branches);
        }
        let guarantee = match (is_exhausted, cut) {
            (false, _) => String::new(),
            (true, false) => {
                "every branch direction that a thread can take was taken, whatever other threads wrote".to_owned()
            }
            (true, true) => {
                "every branch direction that a thread can take with so many interferences was taken".to_owned()
            }
        };
        let is_covered = stop == Stop::Covered;
        let exploration = Exploration { strategy: crate::NAME.to_owned(), guarantee };
        let mut outcome = gathering.conclude(program, &template, stop, exploration)?;
        let coverage = outcome.summary.coverage.as_ref();
        let (branches, covered) = coverage.map_or((0, 0), |coverage| (coverage.branches, coverage.covered));
        let end = match (is_exhausted, cut) {
            (false, _) if is_covered => InterferenceEnd::FullCoverage,
            (false, _) => InterferenceEnd::Stopped,
            (true, true) => InterferenceEnd::Interferences,
            (true, false) if covered == branches => InterferenceEnd::FullCoverage,
            (true, false) => InterferenceEnd::MaximalCoverage,
        };
        outcome.summary.bounds.interferences = options.max_interferences;
        outcome.summary.interference = Some(InterferenceSummary {
            degrees,
            branches,
            nodes: forest.len(),
            data_queries: counts.data,
            order_queries: counts.order,
            known: counts.known,
            end,
        });
        for found in &mut outcome.findings {
            words::add_interferences(program, found)?;
        }
        Ok(outcome)
    }
}

/// The place of a node in the program, and which way it goes there.
fn way(forest: &Forest, node: NodeId) -> Option<(CodePoint, u32)> {
    match forest[node].event.kind {
        EventKind::Decide { way, .. } => Some((forest[node].event.at, way)),
        EventKind::Begin | EventKind::Assume(_) => None,
        _ => Some((forest[node].event.at, u32::MAX)),
    }
}

/// What a node that was reached may serve for.
fn keys(forest: &Forest, node: NodeId) -> Vec<Key> {
    match forest[node].event.kind {
        EventKind::Write { place, .. } => place.words().map(Key::Word).collect(),
        EventKind::Publish { place, .. } if forest[node].event.again => place.words().map(Key::Word).collect(),
        EventKind::Unlock(lock) | EventKind::Wait { mutex: lock, .. } => {
            let takes = |&node: &NodeId| match forest[node].event.kind {
                EventKind::Lock { lock: taken, .. } | EventKind::Woken { mutex: taken, .. } => taken == lock,
                _ => false,
            };
            let mut before = std::iter::successors(forest[node].parent, |&node| forest[node].parent);
            before.find(takes).map(Key::Release).into_iter().collect()
        }
        EventKind::End => vec![Key::End(forest[node].thread)],
        EventKind::Signal(cond) | EventKind::Broadcast(cond) => vec![Key::Signal(cond)],
        EventKind::Lock { lock, .. } => vec![Key::Lock(lock)],
        EventKind::SemPost(semaphore) => vec![Key::Post(semaphore)],
        EventKind::BarrierArrive(barrier) | EventKind::BarrierFill(barrier) => {
            vec![Key::Arrival(barrier, round(forest, node, barrier))]
        }
        _ => Vec::new(),
    }
}
