//! The realizability check: is there an execution with the flow of data of a scenario?
//!
//! *Data constraints* say that every decision goes as it does and every read takes the value of its source; a model of them gives the
//! inputs. *Temporal consistency constraints* say who comes before whom: program order, creation and join, a source and its read with no
//! other write between, critical sections one after the other. A line that satisfies them gives the schedule. Both can be said apart because
//! the scenario fixes who reads from whom.
//!
//! What cannot hold is blamed on as few reads and locks as the solvers' cores leave: only giving those something else can help.

use crate::facts::{Cores, Fact, Facts, Said};
use crate::forest::{Forest, NodeId};
use crate::scenario::{Candidate, Goal, Repair, Scenario, round};
use crate::temporal::{Manner, Temporal};
use gordian_expr::{ExprId, Pool};
use gordian_solve::{Budget, Model};
use gordian_witness::{EventKind, EventRef, PendingOperation, Plan, Prefix, Unsatisfied, Values, Wake, arrivals};

pub enum Check {
    Realizable {
        plan: Plan,
        /// If the sink is a read that takes another thread's write or publication: that.
        source: Option<NodeId>,
    },
    /// Not as it is: the sink comes too late for what it uses. The plan leads to this failure, and these may help as for [`Check::Unrealizable`].
    Fails { plan: Plan, source: Option<NodeId>, repairs: Vec<Repair> },
    /// It has more interferences than its degree says: so many.
    OfDegree(u32),
    /// As it is. These may help; if there are none, nothing does.
    Unrealizable(Vec<Repair>),
    /// The solver gave up.
    Unknown,
}

/// Queries that take more than this are given up.
pub static BUDGET: Budget = Budget { conflicts: Some(50_000), decisions: None, stop: None };

/// Scenarios with more are given up: threads that do so much go round in a loop.
const MOST_NODES: usize = 20_000;

/// What all candidates are checked by.
#[derive(Clone, Copy)]
pub struct Known<'a> {
    pub forest: &'a Forest,
    pub pool: &'a Pool,
    pub facts: &'a Facts,
    pub cores: &'a Cores,
    /// Blame only what the cores say.
    pub guided: bool,
    /// What a query for values or for an order may take: as [`BUDGET`], until the time of the search is up.
    pub budget: &'a Budget,
}

/// Questions that were put.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub data: u64,
    pub order: u64,
    /// Candidates that were refused because of what another showed.
    pub known: u64,
}

/// Checks candidates, one after the other. Its answers depend on what it was asked before and on nothing else.
pub struct Checker {
    values: Values,
    /// What it found out since somebody took it over.
    pub cores: Cores,
    pub counts: Counts,
}

impl Checker {
    pub fn new() -> Self {
        Checker { values: Values::default(), cores: Cores::default(), counts: Counts::default() }
    }

    /// None if not all that the candidate says was put into terms.
    pub fn check(&mut self, known: Known<'_>, candidate: &Candidate) -> Option<Check> {
        let Some(scenario) = Scenario::of(known.forest, candidate) else {
            return Some(Check::Unrealizable(Vec::new()));
        };
        if scenario.nodes().count() > MOST_NODES {
            return Some(Check::Unknown);
        }
        let prefixes = scenario.prefixes(known.forest);
        let on = Checking { known, candidate, scenario: &scenario, prefixes: &prefixes };
        if let Some(repairs) = on.missing() {
            return Some(Check::Unrealizable(repairs));
        }
        let said = known.facts.of(known.forest, candidate, &scenario)?;
        let degree = candidate.n_counted(known.forest) + said.n_published;
        if degree > candidate.degree {
            return Some(Check::OfDegree(degree));
        }
        Some(self.check_said(on, &said))
    }

    fn check_said(&mut self, on: Checking<'_>, said: &Said<'_>) -> Check {
        let repairs = match self.check_manner(on, said, Manner::Well) {
            Check::Unrealizable(repairs) if on.may_fail() => repairs,
            check => return check,
        };
        match self.check_manner(on, said, Manner::Anyhow) {
            Check::Realizable { plan, source } => Check::Fails { plan, source, repairs },
            _ => Check::Unrealizable(repairs),
        }
    }

    fn check_manner(&mut self, on: Checking<'_>, said: &Said<'_>, manner: Manner) -> Check {
        let mut order =
            Temporal::new(on.known.forest, on.candidate, on.scenario, on.prefixes, &said.own, manner, on.known.budget);
        // Values may ask for one more source after the other; whether they can come in any order is known before.
        if on.known.guided && on.candidate.sources.len() > 1 {
            self.counts.order += 1;
            match order.is_hopeless() {
                None => return Check::Unknown,
                Some(true) => return Check::Unrealizable(Vec::new()),
                Some(false) => {}
            }
        }
        let inputs = match self.data(on, &said.facts) {
            Ok(inputs) => inputs,
            Err(None) => return Check::Unknown,
            Err(Some(repairs)) => return Check::Unrealizable(repairs),
        };
        self.counts.order += 1;
        match order.solve() {
            None => Check::Unknown,
            Some(Ok(turns)) => {
                let sink = on.candidate.sink;
                let published = said.own.get(&sink).filter(|own| own.interferes);
                let published = published.and_then(|own| own.bytes.iter().find_map(|&(source, _)| source));
                let source = on.candidate.source(sink).or(published);
                Check::Realizable { plan: Plan { inputs, turns, wakes: on.wakes() }, source }
            }
            Some(Err(_)) if !on.known.guided => Check::Unrealizable(on.everything()),
            Some(Err(repairs)) => Check::Unrealizable(repairs),
        }
    }

    /// Inputs for which all decisions go as they do; or what is to blame, nothing if the solver gave up.
    fn data(&mut self, on: Checking<'_>, facts: &[(ExprId, Fact)]) -> Result<Model, Option<Vec<Repair>>> {
        let mut sorted: Vec<Fact> = facts.iter().map(|&(_, fact)| fact).collect();
        sorted.sort_unstable();
        if let Some(core) = on.known.cores.within(&sorted).or_else(|| self.cores.within(&sorted)) {
            self.counts.known += 1;
            return Err(Some(on.blame(core)));
        }
        let repairs = match self.ask(on.known, facts) {
            Ok(model) => return Ok(model),
            Err(Unsatisfied::Unknown) => return Err(None),
            Err(Unsatisfied::Core(core)) => on.blame(&core),
        };
        if repairs.is_empty() || !on.known.guided {
            return Err(Some(repairs));
        }
        // If it is hopeless whatever those reads take, they need not be tried.
        let is_fixed = |fact: Fact| !matches!(fact, Fact::Own(read, _) if on.candidate.is_open(read));
        let fixed: Vec<(ExprId, Fact)> = facts.iter().copied().filter(|&(_, fact)| is_fixed(fact)).collect();
        match self.ask(on.known, &fixed) {
            Err(Unsatisfied::Core(_)) => Err(Some(Vec::new())),
            Ok(_) | Err(Unsatisfied::Unknown) => Err(Some(repairs)),
        }
    }

    /// Values for which all facts hold. A core is kept.
    fn ask(&mut self, known: Known<'_>, facts: &[(ExprId, Fact)]) -> Result<Model, Unsatisfied<Fact>> {
        self.counts.data += 1;
        let found = self.values.find(known.pool, facts, |fact| matches!(fact, Fact::Own(..)), known.budget);
        if let Err(Unsatisfied::Core(core)) = &found {
            self.cores.add(core.clone());
        }
        found
    }
}

/// A candidate, spread out, and what is known.
#[derive(Clone, Copy)]
struct Checking<'a> {
    known: Known<'a>,
    candidate: &'a Candidate,
    scenario: &'a Scenario,
    prefixes: &'a [Prefix<'a>],
}

impl Checking<'_> {
    /// Whether the sink is an operation before which something ends, and that may need it.
    fn may_fail(self) -> bool {
        let Checking { known: Known { forest, .. }, candidate, scenario, .. } = self;
        let ends = |node: NodeId| {
            matches!(
                forest[node].event.kind,
                EventKind::Free(_) | EventKind::Destroy(_) | EventKind::Pending(PendingOperation::Destroy(_))
            )
        };
        candidate.goal == Goal::Reach
            && matches!(forest[candidate.sink].event.kind, EventKind::Pending(_))
            && scenario.nodes().any(ends)
    }

    fn wakes(self) -> Vec<Wake> {
        let Checking { known: Known { forest, .. }, candidate, .. } = self;
        let signals =
            candidate.given.iter().filter(|(_, giver)| matches!(forest[*giver].event.kind, EventKind::Signal(_)));
        let wake = |&(woken, signal): &(NodeId, NodeId)| Wake {
            signal: forest.event_ref(signal),
            woken: forest[woken].thread,
        };
        signals.map(wake).collect()
    }

    /// All that could be tried if nobody knew what is to blame.
    fn everything(self) -> Vec<Repair> {
        let Checking { known: Known { forest, .. }, candidate, scenario, .. } = self;
        let mut repairs = Vec::new();
        let mut semaphores: Vec<u64> = Vec::new();
        for node in scenario.nodes() {
            match forest[node].event.kind {
                EventKind::Read { .. } | EventKind::Pending(PendingOperation::Read(_)) if candidate.is_open(node) => {
                    repairs.push(Repair::Source(node));
                }
                EventKind::Lock { .. } | EventKind::Woken { .. } => repairs.push(Repair::Release(node)),
                EventKind::SemWait(at) | EventKind::Pending(PendingOperation::SemWait(at))
                    if !semaphores.contains(&at) =>
                {
                    semaphores.push(at);
                    repairs.push(Repair::Post(at));
                }
                _ => {}
            }
        }
        repairs
    }

    /// What the scenario cannot do without, if it does not have it.
    fn missing(self) -> Option<Vec<Repair>> {
        let Checking { known: Known { forest, .. }, candidate, scenario, .. } = self;
        for node in scenario.nodes() {
            match forest[node].event.kind {
                EventKind::Join(thread) | EventKind::Pending(PendingOperation::Join(thread)) => {
                    let end = scenario.path(thread).and_then(|path| path.nodes.last());
                    if end.is_none_or(|&end| forest[end].event.kind != EventKind::End) {
                        return Some(vec![Repair::End(thread)]);
                    }
                }
                EventKind::Woken { .. } | EventKind::Pending(PendingOperation::Woken { .. })
                    if candidate.giver(node).is_none() =>
                {
                    return Some(vec![Repair::Signal(node)]);
                }
                EventKind::LockFails { .. } if candidate.giver(node).is_none() => {
                    return Some(vec![Repair::Holder(node)]);
                }
                EventKind::BarrierFill(barrier)
                | EventKind::BarrierLeave(barrier)
                | EventKind::Pending(PendingOperation::BarrierLeave(barrier)) => {
                    let round = round(forest, node, barrier);
                    let arrivals = arrivals(self.prefixes, barrier, round);
                    let count = self.count(barrier)?;
                    if (arrivals.len() as u64) < count {
                        return Some(vec![Repair::Arrival(barrier, round)]);
                    }
                    let fills =
                        |&at: &EventRef| forest[scenario.node(at)].event.kind == EventKind::BarrierFill(barrier);
                    if arrivals.len() as u64 > count || arrivals.iter().filter(|at| fills(at)).count() != 1 {
                        return Some(Vec::new());
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// How many a barrier waits for.
    fn count(self, barrier: u64) -> Option<u64> {
        self.scenario.nodes().find_map(|node| match self.known.forest[node].event.kind {
            EventKind::BarrierInit { barrier: at, count } if at == barrier => Some(count),
            _ => None,
        })
    }

    fn blame(self, core: &[Fact]) -> Vec<Repair> {
        if !self.known.guided {
            return self.everything();
        }
        let own = core.iter().filter_map(|fact| match *fact {
            Fact::Own(read, _) if self.candidate.is_open(read) => Some(Repair::Source(read)),
            Fact::Own(..) | Fact::Decision(_) | Fact::Foreign(..) => None,
        });
        own.collect()
    }
}
