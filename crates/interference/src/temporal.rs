//! Temporal consistency: in which order the nodes of a scenario can come.

use crate::facts::OwnSources;
use crate::forest::{Forest, Kind, NodeId, Operation, Place};
use crate::realize::BUDGET;
use crate::scenario::{Candidate, Repair, Scenario, round};
use gordian_base::{FxHashMap, ThreadId};
use gordian_solve::{Demand, Timeline};

/// Who comes to a barrier for the `nth` time.
pub fn arrivals(forest: &Forest, scenario: &Scenario, barrier: u64, nth: u32) -> Vec<NodeId> {
    let arrives = |node: &&NodeId| matches!(forest[**node].kind, Kind::BarrierArrive(at) | Kind::BarrierFill(at) if at == barrier);
    let of = |nodes: &[NodeId]| nodes.iter().filter(arrives).nth(nth as usize - 1).copied();
    scenario.paths.iter().filter_map(|path| of(&path.nodes)).collect()
}

/// From a lock's acquisition to its release.
#[derive(Clone, Copy)]
struct Block {
    lock: u64,
    shared: bool,
    thread: ThreadId,
    acquired: NodeId,
    released: Option<NodeId>,
}

/// The temporal consistency constraints of a scenario.
pub struct Order<'a> {
    forest: &'a Forest,
    candidate: &'a Candidate,
    scenario: &'a Scenario,
    timeline: Timeline,
    /// By instant: the thread, and the depth that it has come to then.
    instants: Vec<(ThreadId, u32)>,
    instant_of: FxHashMap<NodeId, u32>,
    /// By demand.
    blamed: Vec<SmallRepairs>,
    demands: FxHashMap<SmallRepairs, Demand>,
}

/// Who comes to which depth, one after the other.
pub type Turns = Vec<(ThreadId, u32)>;

type SmallRepairs = smallvec::SmallVec<[Repair; 2]>;

impl<'a> Order<'a> {
    pub fn new(forest: &'a Forest, candidate: &'a Candidate, scenario: &'a Scenario, own: &OwnSources<'_>) -> Self {
        let mut instants: Vec<(ThreadId, u32)> = Vec::new();
        let mut instant_of = FxHashMap::default();
        for path in &scenario.paths {
            let mut publishes = None;
            let visible: Vec<NodeId> = path.nodes.iter().copied().filter(|&node| forest[node].is_visible()).collect();
            for (nth, &node) in visible.iter().enumerate() {
                let is_publication = |node: NodeId| matches!(forest[node].kind, Kind::Publish { .. });
                // What publishes an object does so in the same instant.
                let does = visible[nth..].iter().copied().find(|&node| !is_publication(node)).unwrap_or(node);
                let is_joined = forest[does].joined || publishes == Some(does);
                if !is_joined || nth == 0 {
                    instants.push((path.thread, 0));
                }
                publishes = Some(does);
                let instant = instants.len() - 1;
                instants[instant].1 = forest[node].depth;
                instant_of.insert(node, instant as u32);
            }
        }
        let timeline = Timeline::new(instants.iter().map(|(thread, _)| thread.0).collect());
        let mut order = Order {
            forest,
            candidate,
            scenario,
            timeline,
            instants,
            instant_of,
            blamed: Vec::new(),
            demands: FxHashMap::default(),
        };
        order.say_what_is_certain(own);
        order.say_reads(own);
        order.say_locks();
        order
    }

    fn certainly(&mut self, a: NodeId, b: NodeId) {
        if let (Some(&a), Some(&b)) = (self.instant_of.get(&a), self.instant_of.get(&b)) {
            self.timeline.certainly(a, b);
        }
    }

    fn demand(&mut self, to_blame: &[Repair], one_of: &[(u32, u32)]) {
        let to_blame: SmallRepairs = to_blame.iter().copied().collect();
        let next = Demand(self.blamed.len() as u32);
        let demand = *self.demands.entry(to_blame.clone()).or_insert(next);
        if demand == next {
            self.blamed.push(to_blame);
        }
        self.timeline.demand(demand, one_of);
    }

    fn say_what_is_certain(&mut self, own: &OwnSources<'_>) {
        for instant in 1..self.instants.len() {
            if self.instants[instant].0 == self.instants[instant - 1].0 {
                self.timeline.certainly(instant as u32 - 1, instant as u32);
            }
        }
        let (forest, scenario) = (self.forest, self.scenario);
        for path in &scenario.paths {
            let Kind::Begin(Some(maker)) = forest[path.nodes[0]].kind else { continue };
            if let Some(&first) = path.nodes.iter().find(|&&node| forest[node].is_visible()) {
                self.certainly(maker, first);
            }
        }
        for &(read, write) in &self.candidate.sources {
            self.certainly(write, read);
        }
        for node in scenario.nodes() {
            for source in own.get(&node).into_iter().flat_map(|own| &own.bytes).filter_map(|&(source, _)| source) {
                if forest[source].thread != forest[node].thread {
                    self.certainly(source, node);
                }
            }
            match forest[node].kind {
                Kind::Join(thread) | Kind::Pending(Operation::Join(thread)) => {
                    let end = scenario.path(thread).and_then(|path| path.nodes.last());
                    end.into_iter().for_each(|&end| self.certainly(end, node));
                }
                Kind::Exit => {
                    let others = scenario.paths.iter().filter(|path| path.thread != forest[node].thread);
                    for path in others {
                        if let Some(&last) = path.nodes.iter().rev().find(|&&node| forest[node].is_visible()) {
                            self.certainly(last, node);
                        }
                    }
                }
                Kind::Woken { .. } | Kind::Pending(Operation::Woken { .. }) => {
                    let signal = self.candidate.giver(node).expect("nothing is missing");
                    self.certainly(signal, node);
                    let mut before = std::iter::successors(forest[node].parent, |&node| forest[node].parent);
                    if let Some(wait) = before.find(|&node| matches!(forest[node].kind, Kind::Wait { .. })) {
                        self.certainly(wait, signal);
                    }
                }
                Kind::BarrierFill(barrier)
                | Kind::BarrierLeave(barrier)
                | Kind::Pending(Operation::BarrierLeave(barrier)) => {
                    for arrival in arrivals(forest, scenario, barrier, round(forest, node, barrier)) {
                        if forest[arrival].thread != forest[node].thread {
                            self.certainly(arrival, node);
                        }
                    }
                }
                _ => {}
            }
        }
    }

    /// Whether `a` comes before `b`: known if they are of one thread.
    fn before(&self, a: NodeId, b: NodeId) -> Result<bool, (u32, u32)> {
        if self.forest[a].thread == self.forest[b].thread {
            return Ok(self.forest[a].depth < self.forest[b].depth);
        }
        Err((self.instant_of[&a], self.instant_of[&b]))
    }

    /// One of two pairs is in this order.
    fn either(&mut self, to_blame: &[Repair], pairs: &[(NodeId, NodeId)]) {
        let mut one_of = Vec::new();
        for &(a, b) in pairs {
            match self.before(a, b) {
                Ok(true) => return,
                Ok(false) => {}
                Err(pair) => one_of.push(pair),
            }
        }
        self.demand(to_blame, &one_of);
    }

    /// Between a read and its source nobody writes.
    fn say_reads(&mut self, own: &OwnSources<'_>) {
        let forest = self.forest;
        let writes: Vec<(NodeId, Place)> =
            self.scenario.nodes().filter_map(|node| Some((node, forest[node].write()?))).collect();
        for read in self.scenario.nodes() {
            let Some(place) = forest[read].read() else { continue };
            let (thread, depth) = (forest[read].thread, forest[read].depth);
            let to_blame: &[Repair] = if self.candidate.is_open(read) { &[Repair::Source(read)] } else { &[] };
            for &(write, at) in writes.iter().filter(|(_, at)| at.overlaps(place)) {
                // Its own later writes are none of its business.
                if forest[write].thread == thread && forest[write].depth > depth {
                    continue;
                }
                let mut sources: Vec<Option<NodeId>> = match own.get(&read) {
                    // Only the bytes that it would change.
                    Some(own) => {
                        let touched = (place.address..).zip(&own.bytes);
                        let touched = touched.filter(|&(address, _)| at.covers(Place { address, size: 1 }));
                        touched.map(|(_, &(source, _))| source).collect()
                    }
                    None => vec![self.candidate.source(read)],
                };
                sources.sort_unstable();
                sources.dedup();
                for source in sources {
                    match source {
                        Some(source) if source == write => {}
                        Some(source) => self.either(to_blame, &[(write, source), (read, write)]),
                        None => self.either(to_blame, &[(read, write)]),
                    }
                }
            }
        }
    }

    fn blocks(&self) -> Vec<Block> {
        let mut blocks: Vec<Block> = Vec::new();
        for path in &self.scenario.paths {
            let first = blocks.len();
            for &node in &path.nodes {
                let (lock, shared) = match self.forest[node].kind {
                    Kind::Lock { lock, shared } | Kind::Pending(Operation::Lock { lock, shared }) => (lock, shared),
                    Kind::Woken { mutex, .. } | Kind::Pending(Operation::Woken { mutex, .. }) => (mutex, false),
                    Kind::Unlock(lock) | Kind::Wait { mutex: lock, .. } => {
                        let open = blocks[first..].iter_mut().rfind(|block| block.lock == lock);
                        if let Some(block) = open.filter(|block| block.released.is_none()) {
                            block.released = Some(node);
                        }
                        continue;
                    }
                    _ => continue,
                };
                blocks.push(Block { lock, shared, thread: path.thread, acquired: node, released: None });
            }
        }
        blocks
    }

    /// Critical sections of the same lock come one after the other.
    fn say_locks(&mut self) {
        let blocks = self.blocks();
        for (n, a) in blocks.iter().enumerate() {
            for b in &blocks[n + 1..] {
                if a.lock != b.lock || a.thread == b.thread || a.shared && b.shared {
                    continue;
                }
                let mut to_blame = SmallRepairs::new();
                let mut pairs = Vec::new();
                for (first, second) in [(a, b), (b, a)] {
                    match first.released {
                        Some(released) => pairs.push((released, second.acquired)),
                        None => to_blame.push(Repair::Release(first.acquired)),
                    }
                }
                self.either(&to_blame, &pairs);
            }
        }
        for &(node, holder) in &self.candidate.given {
            if let Kind::LockFails { .. } = self.forest[node].kind {
                self.certainly(holder, node);
                let block = blocks.iter().find(|block| block.acquired == holder);
                if let Some(released) = block.and_then(|block| block.released) {
                    self.certainly(node, released);
                }
            }
        }
    }

    /// Whether there is no order whatever the reads take that have no source yet. None if the solver gave up.
    pub fn is_hopeless(&mut self) -> Option<bool> {
        let is_fixed = |demand: Demand| self.blamed[demand.0 as usize].is_empty();
        Some(self.timeline.solve_some(is_fixed, &BUDGET)?.is_err())
    }

    /// Whose turn it is, one after the other, until the sink is reached; or what is to blame.
    pub fn solve(&mut self) -> Option<Result<Turns, Vec<Repair>>> {
        let line = loop {
            match self.timeline.solve(&BUDGET)? {
                Ok(line) => {
                    if !self.refuse_overdrawn(&line) {
                        break line;
                    }
                }
                Err(core) => {
                    let mut repairs: Vec<Repair> =
                        core.iter().flat_map(|demand| self.blamed[demand.0 as usize].iter().copied()).collect();
                    repairs.sort_unstable();
                    repairs.dedup();
                    return Some(Err(repairs));
                }
            }
        };
        let sink = self.candidate.sink;
        let path = self.scenario.path(self.forest[sink].thread).expect("it has a sink");
        let last = path.nodes.iter().rev().find(|&&node| self.forest[node].is_visible());
        let Some(last) = last.map(|node| self.instant_of[node]) else {
            // Its thread need not have made a step: it must have been made.
            return Some(Ok(line.into_iter().map(|instant| self.instants[instant as usize]).collect()));
        };
        let end = line.iter().position(|&instant| instant == last).expect("all instants are in the line");
        // A pending sink is made when everything before it has been.
        let end = if matches!(self.forest[sink].kind, Kind::Pending(_)) { end } else { end + 1 };
        Some(Ok(line[..end].iter().map(|&instant| self.instants[instant as usize]).collect()))
    }

    /// A semaphore is taken only when it is there to be taken. Refuses the first place of a line where it is not.
    fn refuse_overdrawn(&mut self, line: &[u32]) -> bool {
        let mut at: Vec<(u32, NodeId)> = Vec::new();
        let mut values: FxHashMap<u64, i64> = FxHashMap::default();
        for node in self.scenario.nodes() {
            match self.forest[node].kind {
                Kind::SemInit { semaphore, value } => {
                    values.insert(semaphore, value as i64);
                }
                Kind::SemWait(_) | Kind::SemPost(_) | Kind::Pending(Operation::SemWait(_)) => {
                    at.push((self.instant_of[&node], node));
                }
                _ => {}
            }
        }
        let place: FxHashMap<u32, usize> = line.iter().enumerate().map(|(place, &instant)| (instant, place)).collect();
        at.sort_by_key(|(instant, _)| place[instant]);
        for n in 0..at.len() {
            let (instant, node) = at[n];
            let (semaphore, change) = match self.forest[node].kind {
                Kind::SemPost(semaphore) => (semaphore, 1),
                Kind::SemWait(semaphore) | Kind::Pending(Operation::SemWait(semaphore)) => (semaphore, -1),
                _ => unreachable!("only these were kept"),
            };
            let value = values.entry(semaphore).or_default();
            *value += change;
            if *value >= 0 {
                continue;
            }
            let mut one_of = Vec::new();
            for &(other, of) in &at[..n] {
                if self.forest[of].kind == Kind::SemWait(semaphore) {
                    one_of.push((instant, other));
                }
            }
            for &(other, of) in &at[n + 1..] {
                if self.forest[of].kind == Kind::SemPost(semaphore) {
                    one_of.push((other, instant));
                }
            }
            self.demand(&[Repair::Post(semaphore)], &one_of);
            return true;
        }
        false
    }
}
