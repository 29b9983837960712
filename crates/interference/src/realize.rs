//! The realizability check: is there an execution with the flow of data of a scenario?
//!
//! *Data constraints* say that every decision goes as it does and every read takes the value of its source; a model of them gives the
//! inputs. *Temporal consistency constraints* say who comes before whom: program order, creation and join, a source and its read with no
//! other write between, critical sections one after the other. A line that satisfies them gives the schedule. Both can be said apart because
//! the scenario fixes who reads from whom.
//!
//! What cannot hold is blamed on as few reads and locks as the solvers' cores leave: only giving those something else can help.

use crate::forest::{Forest, Kind, NodeId, Operation, Place};
use crate::scenario::{Candidate, Repair, Scenario, round};
use crate::temporal::{Order, Turns, arrivals};
use gordian_base::{FxHashMap, ThreadId};
use gordian_expr::{ExprId, Pool};
use gordian_solve::{Answer, Budget, Model, Query, Solver, Standard};
use std::rc::Rc;

/// How to make an execution of a scenario.
pub struct Plan {
    pub inputs: Model,
    pub turns: Turns,
    /// Signals and whom they are to wake: thread and depth, and the thread woken.
    pub wakes: Vec<(ThreadId, u32, ThreadId)>,
}

pub enum Check {
    Realizable(Plan),
    /// As it is. These may help; if there are none, nothing does.
    Unrealizable(Vec<Repair>),
    /// The solver gave up.
    Unknown,
}

/// Queries that take more than this are given up.
pub static BUDGET: Budget = Budget { conflicts: Some(50_000), decisions: None, stop: None };

/// Scenarios with more are given up: threads that do so much go round in a loop.
const MOST_NODES: usize = 20_000;

/// Something that data constraints say, as it is the same in other scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Fact {
    /// What the decisions at a node say.
    Decision(NodeId),
    /// A read takes what this node of its own thread or its makers wrote, or what was there.
    Own(NodeId, Option<NodeId>),
    Foreign(NodeId, NodeId),
}

/// What was found out, for all candidates.
#[derive(Default)]
pub struct Knowledge {
    /// Facts that cannot hold together.
    impossible: Vec<Vec<Fact>>,
    /// By fact: the impossible sets that it comes last in.
    by_last: FxHashMap<Fact, Vec<usize>>,
    pub n_data: u64,
    pub n_order: u64,
    /// What reads get if no object is published in between.
    own: OwnSources,
    /// What it means that a thread decided so, or that a read takes that write.
    said: FxHashMap<Fact, ExprId>,
    /// Candidates that were refused because of what another showed.
    pub n_known: u64,
}

pub struct Checker<'a> {
    pub forest: &'a Forest,
    pub pool: &'a mut Pool,
    pub solver: &'a mut Standard,
    pub knowledge: &'a mut Knowledge,
    /// Blame only what the cores say.
    pub guided: bool,
}

/// Where a byte comes from, and its term; nowhere is the beginning.
pub type ByteSource = (Option<NodeId>, ExprId);

/// What a read gets that takes nobody else's write.
pub struct Own {
    /// Byte by byte.
    pub bytes: Vec<ByteSource>,
    /// That it does get it; none for a read that was not made.
    says: Option<ExprId>,
}

pub type OwnSources = FxHashMap<NodeId, Rc<Own>>;

impl Checker<'_> {
    pub fn check(&mut self, candidate: &Candidate) -> Check {
        let Some(scenario) = Scenario::of(self.forest, candidate) else { return Check::Unrealizable(Vec::new()) };
        if scenario.nodes().count() > MOST_NODES {
            return Check::Unknown;
        }
        if let Some(repairs) = self.missing(candidate, &scenario) {
            return Check::Unrealizable(repairs);
        }
        let own = self.own_sources(candidate, &scenario);
        let mut order = Order::new(self.forest, candidate, &scenario, &own);
        // Values may ask for one more source after the other; whether they can come in any order is known before.
        if self.guided && candidate.sources.len() > 1 {
            self.knowledge.n_order += 1;
            match order.is_hopeless() {
                None => return Check::Unknown,
                Some(true) => return Check::Unrealizable(Vec::new()),
                Some(false) => {}
            }
        }
        let inputs = match self.data(candidate, &scenario, &own) {
            Ok(inputs) => inputs,
            Err(None) => return Check::Unknown,
            Err(Some(repairs)) => return Check::Unrealizable(repairs),
        };
        self.knowledge.n_order += 1;
        match order.solve() {
            None => Check::Unknown,
            Some(Ok(turns)) => Check::Realizable(Plan { inputs, turns, wakes: self.wakes(candidate) }),
            Some(Err(_)) if !self.guided => Check::Unrealizable(self.everything(candidate, &scenario)),
            Some(Err(repairs)) => Check::Unrealizable(repairs),
        }
    }

    fn wakes(&self, candidate: &Candidate) -> Vec<(ThreadId, u32, ThreadId)> {
        let signals = candidate.given.iter().filter(|(_, giver)| matches!(self.forest[*giver].kind, Kind::Signal(_)));
        let wake = |&(woken, signal): &(NodeId, NodeId)| {
            let signal = &self.forest[signal];
            (signal.thread, signal.depth, self.forest[woken].thread)
        };
        signals.map(wake).collect()
    }

    /// All that could be tried if nobody knew what is to blame.
    fn everything(&self, candidate: &Candidate, scenario: &Scenario) -> Vec<Repair> {
        let mut repairs = Vec::new();
        let mut semaphores: Vec<u64> = Vec::new();
        for node in scenario.nodes() {
            match self.forest[node].kind {
                Kind::Read { .. } | Kind::Pending(Operation::Read(_)) if candidate.is_open(node) => {
                    repairs.push(Repair::Source(node));
                }
                Kind::Lock { .. } | Kind::Woken { .. } => repairs.push(Repair::Release(node)),
                Kind::SemWait(at) | Kind::Pending(Operation::SemWait(at)) if !semaphores.contains(&at) => {
                    semaphores.push(at);
                    repairs.push(Repair::Post(at));
                }
                _ => {}
            }
        }
        repairs
    }

    /// What the scenario cannot do without, if it does not have it.
    fn missing(&self, candidate: &Candidate, scenario: &Scenario) -> Option<Vec<Repair>> {
        let forest = self.forest;
        for node in scenario.nodes() {
            match forest[node].kind {
                Kind::Join(thread) | Kind::Pending(Operation::Join(thread)) => {
                    let end = scenario.path(thread).and_then(|path| path.nodes.last());
                    if end.is_none_or(|&end| forest[end].kind != Kind::End) {
                        return Some(vec![Repair::End(thread)]);
                    }
                }
                Kind::Woken { .. } | Kind::Pending(Operation::Woken { .. }) if candidate.giver(node).is_none() => {
                    return Some(vec![Repair::Signal(node)]);
                }
                Kind::LockFails { .. } if candidate.giver(node).is_none() => return Some(vec![Repair::Holder(node)]),
                Kind::BarrierFill(barrier)
                | Kind::BarrierLeave(barrier)
                | Kind::Pending(Operation::BarrierLeave(barrier)) => {
                    let round = round(forest, node, barrier);
                    let arrivals = arrivals(forest, scenario, barrier, round);
                    let count = self.count(scenario, barrier)?;
                    if (arrivals.len() as u64) < count {
                        return Some(vec![Repair::Arrival(barrier, round)]);
                    }
                    let fills = |&node: &NodeId| forest[node].kind == Kind::BarrierFill(barrier);
                    if arrivals.len() as u64 > count || arrivals.iter().filter(|node| fills(node)).count() != 1 {
                        return Some(Vec::new());
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// How many a barrier waits for.
    fn count(&self, scenario: &Scenario, barrier: u64) -> Option<u64> {
        scenario.nodes().find_map(|node| match self.forest[node].kind {
            Kind::BarrierInit { barrier: at, count } if at == barrier => Some(count),
            _ => None,
        })
    }

    /// Where each read that takes nobody else's write gets its bytes from.
    fn own_sources(&mut self, candidate: &Candidate, scenario: &Scenario) -> OwnSources {
        let publication = |node: NodeId| match self.forest[node].kind {
            Kind::Publish { place, .. } => Some((node, place)),
            _ => None,
        };
        let publications: Vec<(NodeId, Place)> = scenario.nodes().filter_map(publication).collect();
        let mut own = FxHashMap::default();
        for node in scenario.nodes() {
            let Some(place) = self.forest[node].read() else { continue };
            if candidate.source(node).is_none() {
                own.insert(node, self.own_source(&publications, node, place));
            }
        }
        own
    }

    fn own_source(&mut self, publications: &[(NodeId, Place)], read: NodeId, place: Place) -> Rc<Own> {
        let published = publications.iter().any(|(_, of)| of.overlaps(place));
        if let Some(known) = self.knowledge.own.get(&read).filter(|_| !published) {
            return Rc::clone(known);
        }
        let own = Rc::new(self.look_for_own(publications, read, place));
        if !published {
            self.knowledge.own.insert(read, Rc::clone(&own));
        }
        own
    }

    fn look_for_own(&mut self, publications: &[(NodeId, Place)], read: NodeId, place: Place) -> Own {
        let mut found: Vec<Option<ByteSource>> = vec![None; place.size as usize];
        let mut at = self.forest[read].parent;
        while let Some(node) = at {
            self.take_bytes(node, place, &mut found);
            if found.iter().all(Option::is_some) {
                break;
            }
            at = match self.forest[node].kind {
                Kind::Begin(made_by) => made_by,
                _ => self.forest[node].parent,
            };
        }
        if found.iter().any(Option::is_none) {
            // Who published the object comes before everybody else who knows it.
            publications.iter().for_each(|&(node, _)| self.take_bytes(node, place, &mut found));
        }
        let initial = self.forest[read].initial;
        let bytes = (0..).zip(found).map(|(n, found)| {
            found.unwrap_or_else(|| {
                let byte = match initial {
                    Some(initial) => self.pool.extract(initial, 8 * n, 8),
                    // Nobody asks for the value of a read that was not made.
                    None => self.pool.constant(0, 8),
                };
                (None, byte)
            })
        });
        let bytes: Vec<ByteSource> = bytes.collect();
        let says = match self.forest[read].kind {
            Kind::Read { symbol, .. } => {
                let value = bytes.iter().map(|&(_, byte)| byte).reduce(|low, high| self.pool.concat(high, low));
                Some(self.pool.eq(symbol, value.expect("a read has a size")))
            }
            _ => None,
        };
        Own { bytes, says }
    }

    /// Takes those bytes of `place` from a node that are not found yet.
    fn take_bytes(&mut self, node: NodeId, place: Place, found: &mut [Option<ByteSource>]) {
        let kind = &self.forest[node].kind;
        let (Kind::Write { place: from, .. } | Kind::Publish { place: from, .. }) = kind else { return };
        if !from.overlaps(place) {
            return;
        }
        for (n, found) in found.iter_mut().enumerate() {
            let address = place.address + n as u64;
            if found.is_none() && from.covers(Place { address, size: 1 }) {
                let n = (address - from.address) as u32;
                let byte = match kind {
                    Kind::Publish { bytes, .. } => bytes[n as usize],
                    Kind::Write { term, .. } => self.pool.extract(*term, 8 * n, 8),
                    _ => unreachable!("nothing else has bytes"),
                };
                *found = Some((Some(node), byte));
            }
        }
    }

    /// Inputs for which all decisions go as they do; or what is to blame, nothing if the solver gave up.
    fn data(
        &mut self,
        candidate: &Candidate,
        scenario: &Scenario,
        own: &OwnSources,
    ) -> Result<Model, Option<Vec<Repair>>> {
        let mut facts: Vec<(ExprId, Fact)> = Vec::new();
        for node in scenario.nodes() {
            self.facts_of(candidate, node, own, &mut facts);
        }
        if let Some(core) = self.known_core(&facts) {
            self.knowledge.n_known += 1;
            return Err(Some(self.blame(candidate, scenario, &core)));
        }
        match self.ask(&facts) {
            Ok(model) => Ok(model),
            Err(None) => Err(None),
            Err(Some(core)) => {
                let repairs = self.blame(candidate, scenario, &core);
                if repairs.is_empty() || !self.guided {
                    return Err(Some(repairs));
                }
                // If it is hopeless whatever those reads take, they need not be tried.
                let is_fixed = |fact: Fact| !matches!(fact, Fact::Own(read, _) if candidate.is_open(read));
                facts.retain(|&(_, fact)| is_fixed(fact));
                match self.ask(&facts) {
                    Err(Some(_)) => Err(Some(Vec::new())),
                    Ok(_) | Err(None) => Err(Some(repairs)),
                }
            }
        }
    }

    /// Values for which all facts hold; or some of them that cannot hold together, nothing if the solver gave up.
    fn ask(&mut self, facts: &[(ExprId, Fact)]) -> Result<Model, Option<Vec<Fact>>> {
        let constraints: Vec<ExprId> = facts.iter().map(|&(term, _)| term).collect();
        self.knowledge.n_data += 1;
        match self.solver.check(self.pool, &Query::new(&constraints).within(&BUDGET)) {
            Answer::Sat(model) => Ok(model),
            Answer::Unknown(_) => Err(None),
            Answer::Unsat(core) => {
                let is_blamed = |term: ExprId| core.ids().binary_search(&term).is_ok();
                let mut blamed: Vec<(ExprId, Fact)> =
                    facts.iter().copied().filter(|&(term, _)| is_blamed(term)).collect();
                // Of several that say the same, one that nothing can be done about is as good as all.
                blamed.sort_by_key(|&(term, fact)| (term, matches!(fact, Fact::Own(..)), fact));
                blamed.dedup_by_key(|&mut (term, _)| term);
                let mut core: Vec<Fact> = blamed.into_iter().map(|(_, fact)| fact).collect();
                core.sort_unstable();
                self.remember(core.clone());
                Err(Some(core))
            }
        }
    }

    fn facts_of(&mut self, candidate: &Candidate, node: NodeId, own: &OwnSources, facts: &mut Vec<(ExprId, Fact)>) {
        let fact = match &self.forest[node].kind {
            Kind::Decide { .. } | Kind::Assume(_) | Kind::Pick { .. } | Kind::PickOther { .. } => Fact::Decision(node),
            Kind::Read { .. } => match (candidate.source(node), own.get(&node)) {
                (Some(write), _) => Fact::Foreign(node, write),
                (None, Some(own)) => {
                    facts.extend(own.says.map(|says| (says, Fact::Own(node, own.bytes[0].0))));
                    return;
                }
                (None, None) => return,
            },
            _ => return,
        };
        let says = match self.knowledge.said.get(&fact) {
            Some(&says) => says,
            None => {
                let says = self.meaning(fact);
                self.knowledge.said.insert(fact, says);
                says
            }
        };
        facts.push((says, fact));
    }

    fn meaning(&mut self, fact: Fact) -> ExprId {
        let pool = &mut *self.pool;
        let node = match fact {
            Fact::Decision(node) | Fact::Own(node, _) | Fact::Foreign(node, _) => node,
        };
        match (&self.forest[node].kind, fact) {
            (Kind::Decide { condition, .. } | Kind::Assume(condition), _) => *condition,
            (&Kind::Pick { term, value }, _) => {
                let value = pool.constant(value, pool.width(term));
                pool.eq(term, value)
            }
            (Kind::PickOther { term, not }, _) => {
                let mut all = pool.bool(true);
                for &value in not.iter() {
                    let value = pool.constant(value, pool.width(*term));
                    let differs = pool.ne(*term, value);
                    all = pool.and(all, differs);
                }
                all
            }
            (&Kind::Read { place, symbol }, Fact::Foreign(_, write)) => {
                let Kind::Write { place: from, term } = self.forest[write].kind else {
                    unreachable!("only writes are sources")
                };
                let offset = 8 * (place.address - from.address) as u32;
                let value = pool.extract(term, offset, 8 * place.size);
                pool.eq(symbol, value)
            }
            _ => unreachable!("nothing else is a fact"),
        }
    }

    /// Facts among these that were seen not to hold together.
    fn known_core(&self, facts: &[(ExprId, Fact)]) -> Option<Vec<Fact>> {
        let mut sorted: Vec<Fact> = facts.iter().map(|&(_, fact)| fact).collect();
        sorted.sort_unstable();
        let holds = |fact: &Fact| sorted.binary_search(fact).is_ok();
        let candidates = sorted.iter().filter_map(|last| self.knowledge.by_last.get(last)).flatten();
        let mut impossible = candidates.map(|&core| &self.knowledge.impossible[core]);
        impossible.find(|core| core.iter().all(holds)).cloned()
    }

    fn remember(&mut self, core: Vec<Fact>) {
        let Some(&last) = core.last() else { return };
        let knowledge = &mut *self.knowledge;
        knowledge.by_last.entry(last).or_default().push(knowledge.impossible.len());
        knowledge.impossible.push(core);
    }

    fn blame(&self, candidate: &Candidate, scenario: &Scenario, core: &[Fact]) -> Vec<Repair> {
        if !self.guided {
            return self.everything(candidate, scenario);
        }
        let own = core.iter().filter_map(|fact| match *fact {
            Fact::Own(read, _) if candidate.is_open(read) => Some(Repair::Source(read)),
            Fact::Own(..) | Fact::Decision(_) | Fact::Foreign(..) => None,
        });
        own.collect()
    }
}
