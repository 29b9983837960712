//! What data constraints say, fact by fact. Candidates share facts: they have most of their nodes in common.

use crate::forest::{Forest, NodeId};
use crate::scenario::{Candidate, Scenario};
use gordian_base::FxHashMap;
use gordian_expr::{ExprId, Pool};
use gordian_solve::Budget;
use gordian_witness::{EventKind, Place};
use smallvec::SmallVec;

/// Something that data constraints say, as it is the same in other scenarios.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fact {
    /// What the decisions at a node say.
    Decision(NodeId),
    /// A read takes what its own thread or its makers wrote, or what was there.
    Own(NodeId, OwnId),
    Foreign(NodeId, NodeId),
}

/// Facts that cannot hold together.
pub type Cores = gordian_witness::Cores<Fact>;

/// Where a byte comes from, and its term; nowhere is the beginning.
pub type ByteSource = (Option<NodeId>, ExprId);

/// What a read gets that takes nobody else's write.
pub struct Own {
    /// Byte by byte.
    pub bytes: Vec<ByteSource>,
    /// That it does get it; none for a read that was not made.
    says: Option<ExprId>,
    /// The first of these bytes that anybody wrote is one that another thread put into an object before it published it.
    pub interferes: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct OwnId(u32);

/// By read.
pub type OwnSources<'a> = FxHashMap<NodeId, &'a Own>;

/// What a scenario says about values.
pub struct Said<'a> {
    pub own: OwnSources<'a>,
    pub facts: Vec<(ExprId, Fact)>,
    /// Reads that take what another thread published, and that are interferences.
    pub n_published: u32,
}

/// What a read gets if nobody else published an object.
#[derive(Clone, Copy)]
struct Alone {
    own: OwnId,
    /// All bytes come from writes of its own thread or its makers, whatever was published.
    is_whole: bool,
}

/// What has been put into terms.
#[derive(Default)]
pub struct Facts {
    owns: Vec<Own>,
    alone: FxHashMap<NodeId, Alone>,
    /// By read and the publications that give it something.
    published: FxHashMap<(NodeId, Publications), OwnId>,
    /// What it means that a thread decided so, or that a read takes that write.
    meanings: FxHashMap<Fact, ExprId>,
}

type Publications = SmallVec<[NodeId; 2]>;

/// What there is to say of a node.
enum About {
    Own(Place),
    Fact(Fact),
}

fn about(forest: &Forest, candidate: &Candidate, node: NodeId) -> Option<About> {
    let kind = &forest[node].event.kind;
    match kind {
        EventKind::Decide { .. } | EventKind::Assume(_) | EventKind::Pick { .. } | EventKind::PickOther { .. } => {
            return Some(About::Fact(Fact::Decision(node)));
        }
        _ => {}
    }
    let place = forest[node].event.read()?;
    match candidate.source(node) {
        None => Some(About::Own(place)),
        Some(write) if matches!(kind, EventKind::Read { .. }) => Some(About::Fact(Fact::Foreign(node, write))),
        Some(_) => None,
    }
}

fn publications(forest: &Forest, scenario: &Scenario) -> Vec<(NodeId, Place)> {
    let publication = |node: NodeId| match forest[node].event.kind {
        EventKind::Publish { place, .. } if !forest[node].event.again => Some((node, place)),
        _ => None,
    };
    scenario.nodes().filter_map(publication).collect()
}

/// Those that `place` may get bytes from.
fn of_use(publications: &[(NodeId, Place)], place: Place) -> Publications {
    publications.iter().filter(|(_, of)| of.overlaps(place)).map(|&(node, _)| node).collect()
}

impl Facts {
    /// What the scenario says; none if some of it was not put into terms yet.
    pub fn of(&self, forest: &Forest, candidate: &Candidate, scenario: &Scenario) -> Option<Said<'_>> {
        let publications = publications(forest, scenario);
        let mut said = Said { own: FxHashMap::default(), facts: Vec::new(), n_published: 0 };
        for node in scenario.nodes() {
            match about(forest, candidate, node) {
                None => {}
                Some(About::Fact(fact)) => said.facts.push((*self.meanings.get(&fact)?, fact)),
                Some(About::Own(place)) => {
                    let id = self.own(&publications, node, place)?;
                    let own = &self.owns[id.0 as usize];
                    said.own.insert(node, own);
                    said.n_published += u32::from(own.interferes);
                    said.facts.extend(own.says.map(|says| (says, Fact::Own(node, id))));
                }
            }
        }
        Some(said)
    }

    fn own(&self, publications: &[(NodeId, Place)], read: NodeId, place: Place) -> Option<OwnId> {
        let alone = self.alone.get(&read)?;
        if alone.is_whole {
            return Some(alone.own);
        }
        let publications = of_use(publications, place);
        if publications.is_empty() { Some(alone.own) } else { self.published.get(&(read, publications)).copied() }
    }

    /// Puts all that the scenario says into terms, unless the budget's interrupt is raised on the way.
    pub fn say(
        &mut self,
        forest: &Forest,
        pool: &mut Pool,
        candidate: &Candidate,
        scenario: &Scenario,
        budget: &Budget,
    ) {
        let publications = publications(forest, scenario);
        for node in scenario.nodes() {
            if budget.is_stopped() {
                return;
            }
            match about(forest, candidate, node) {
                None => {}
                Some(About::Fact(fact)) => {
                    self.meanings.entry(fact).or_insert_with(|| meaning(forest, pool, fact));
                }
                Some(About::Own(place)) => self.say_own(forest, pool, of_use(&publications, place), node, place),
            }
        }
    }

    fn say_own(&mut self, forest: &Forest, pool: &mut Pool, publications: Publications, read: NodeId, place: Place) {
        let next = |facts: &Facts| OwnId(facts.owns.len() as u32);
        let alone = match self.alone.get(&read) {
            Some(&alone) => alone,
            None => {
                let found = look_for_own(forest, pool, read, place);
                let alone = Alone { own: next(self), is_whole: found.iter().all(Option::is_some) };
                self.owns.push(finish(forest, pool, read, found));
                self.alone.insert(read, alone);
                alone
            }
        };
        if alone.is_whole || publications.is_empty() {
            return;
        }
        let key = (read, publications);
        if self.published.contains_key(&key) {
            return;
        }
        let mut found = look_for_own(forest, pool, read, place);
        let is_own: Vec<bool> = found.iter().map(Option::is_some).collect();
        // Who published the object comes before everybody else who knows it.
        key.1.iter().for_each(|&node| take_bytes(forest, pool, node, place, &mut found));
        self.published.insert(key, next(self));
        let first = found.iter().zip(is_own).find(|(found, _)| found.is_some());
        let interferes = first.is_some_and(|(found, is_own)| {
            let of_another =
                |&(source, _): &ByteSource| source.is_some_and(|at| forest[at].thread != forest[read].thread);
            !is_own && found.as_ref().is_some_and(of_another)
        });
        self.owns.push(Own { interferes, ..finish(forest, pool, read, found) });
    }
}

/// What the thread itself or its makers wrote before, byte by byte.
fn look_for_own(forest: &Forest, pool: &mut Pool, read: NodeId, place: Place) -> Vec<Option<ByteSource>> {
    let mut found: Vec<Option<ByteSource>> = vec![None; place.size as usize];
    let mut at = forest[read].parent;
    while let Some(node) = at {
        take_bytes(forest, pool, node, place, &mut found);
        if found.iter().all(Option::is_some) {
            break;
        }
        at = forest[node].parent.or(forest[node].created_by);
    }
    found
}

/// Takes those bytes of `place` from a node that are not found yet.
fn take_bytes(forest: &Forest, pool: &mut Pool, node: NodeId, place: Place, found: &mut [Option<ByteSource>]) {
    let kind = &forest[node].event.kind;
    let (EventKind::Write { place: from, .. } | EventKind::Publish { place: from, .. }) = kind else { return };
    if !from.overlaps(place) {
        return;
    }
    for (n, found) in found.iter_mut().enumerate() {
        let address = place.address + n as u64;
        if found.is_none() && from.covers(Place { address, size: 1 }) {
            let n = (address - from.address) as u32;
            let byte = match kind {
                EventKind::Publish { bytes, .. } => bytes[n as usize],
                EventKind::Write { term, .. } => pool.extract(*term, 8 * n, 8),
                _ => unreachable!("nothing else has bytes"),
            };
            *found = Some((Some(node), byte));
        }
    }
}

/// Whatever nobody wrote is what was there in the beginning.
fn finish(forest: &Forest, pool: &mut Pool, read: NodeId, found: Vec<Option<ByteSource>>) -> Own {
    let initial = forest[read].event.initial;
    let bytes = (0..).zip(found).map(|(n, found)| {
        found.unwrap_or_else(|| {
            let byte = match initial {
                Some(initial) => pool.extract(initial, 8 * n, 8),
                // Nobody asks for the value of a read that was not made.
                None => pool.constant(0, 8),
            };
            (None, byte)
        })
    });
    let bytes: Vec<ByteSource> = bytes.collect();
    let says = match forest[read].event.kind {
        EventKind::Read { symbol, .. } => {
            let value = bytes.iter().map(|&(_, byte)| byte).reduce(|low, high| pool.concat(high, low));
            Some(pool.eq(symbol, value.expect("a read has a size")))
        }
        _ => None,
    };
    Own { bytes, says, interferes: false }
}

fn meaning(forest: &Forest, pool: &mut Pool, fact: Fact) -> ExprId {
    let node = match fact {
        Fact::Decision(node) | Fact::Own(node, _) | Fact::Foreign(node, _) => node,
    };
    match (&forest[node].event.kind, fact) {
        (EventKind::Decide { condition, .. } | EventKind::Assume(condition), _) => *condition,
        (&EventKind::Pick { term, value }, _) => {
            let value = pool.constant(value, pool.width(term));
            pool.eq(term, value)
        }
        (EventKind::PickOther { term, not }, _) => {
            let mut all = pool.bool(true);
            for &value in not.iter() {
                let value = pool.constant(value, pool.width(*term));
                let differs = pool.ne(*term, value);
                all = pool.and(all, differs);
            }
            all
        }
        (&EventKind::Read { place, symbol }, Fact::Foreign(_, write)) => {
            let value = match &forest[write].event.kind {
                EventKind::Write { place: from, term } => {
                    let offset = 8 * (place.address - from.address) as u32;
                    pool.extract(*term, offset, 8 * place.size)
                }
                EventKind::Publish { place: from, bytes } => {
                    let first = (place.address - from.address) as usize;
                    let bytes = bytes[first..first + place.size as usize].iter().copied();
                    bytes.reduce(|low, high| pool.concat(high, low)).expect("a read has a size")
                }
                _ => unreachable!("only writes are sources"),
            };
            pool.eq(symbol, value)
        }
        _ => unreachable!("nothing else is a fact"),
    }
}
