//! Interference scenarios: paths of several threads, and which read takes which other thread's write.

use crate::forest::{Forest, NodeId};
use gordian_base::ThreadId;
use gordian_witness::{EventKind, EventRef, PendingOperation, Prefix};

/// What is to happen at the sink of a candidate.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Goal {
    /// The sink dangles and is to be reached.
    Reach,
    /// The sink and this node are the last events, in any order.
    Race(NodeId),
    /// The sink comes after this node of another thread.
    After(NodeId),
    /// The sink comes while the lock is held that another thread takes at this node.
    Within(NodeId),
    /// The threads of the sink and of these nodes, in order, go no further.
    Deadlock(Vec<NodeId>),
}

impl Goal {
    /// Nodes of other threads that it needs.
    pub fn nodes(&self) -> &[NodeId] {
        match self {
            Goal::Reach => &[],
            Goal::Race(node) | Goal::After(node) | Goal::Within(node) => std::slice::from_ref(node),
            Goal::Deadlock(nodes) => nodes,
        }
    }

    /// Whether those nodes must be the last ones of their threads.
    fn is_final(&self) -> bool {
        matches!(self, Goal::Race(_) | Goal::Deadlock(_))
    }
}

/// A scenario that ends with a sink and may or may not be realizable.
///
/// It has whatever its sink and the nodes that others take something from come after; all reads that are not among its sources take what
/// their own thread wrote, or what it found when it began.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Candidate {
    pub sink: NodeId,
    pub goal: Goal,
    /// Reads and the writes of other threads that they take, in order.
    pub sources: Vec<(NodeId, NodeId)>,
    /// Nodes that wait for something and what they wait for: a signal, or whoever holds a lock. In order.
    pub given: Vec<(NodeId, NodeId)>,
    /// Reads that are to take nobody else's write: candidates in which they do are others'. In order.
    pub own: Vec<NodeId>,
    /// Nodes that other threads come to besides, so that locks are released and the like. In order.
    pub further: Vec<NodeId>,
    /// Interferences: sources that count, and as many reads of what others published as are known.
    pub degree: u32,
}

impl Candidate {
    pub fn of(sink: NodeId) -> Self {
        Self::with_goal(sink, Goal::Reach)
    }

    pub fn with_goal(sink: NodeId, goal: Goal) -> Self {
        let (sources, given) = (Vec::new(), Vec::new());
        Candidate { sink, goal, sources, own: Vec::new(), given, further: Vec::new(), degree: 0 }
    }

    /// As it is for a sink further on, behind the present one.
    pub fn with_sink(&self, forest: &Forest, sink: NodeId) -> Candidate {
        // What was pending is now what it has become.
        let depth = forest[self.sink].depth;
        let pairs = || self.sources.iter().chain(&self.given).map(|&(node, _)| node);
        let became = if pairs().chain(self.own.iter().copied()).any(|node| node == self.sink) {
            let mut way = std::iter::successors(Some(sink), |&node| forest[node].parent);
            way.find(|&node| forest[node].depth == depth).unwrap_or(sink)
        } else {
            sink
        };
        let moved = |pairs: &[(NodeId, NodeId)]| {
            let moved = |&(node, of): &(NodeId, NodeId)| (if node == self.sink { became } else { node }, of);
            let mut pairs: Vec<_> = pairs.iter().map(moved).collect();
            pairs.sort_unstable();
            pairs
        };
        let (sources, given) = (moved(&self.sources), moved(&self.given));
        let mut own: Vec<NodeId> = self.own.iter().map(|&read| if read == self.sink { became } else { read }).collect();
        own.sort_unstable();
        let mut next =
            Candidate { sink, goal: Goal::Reach, sources, own, given, further: self.further.clone(), degree: 0 };
        next.degree = next.n_counted(forest);
        next
    }

    /// With another node that its thread is to come to; none if it has it.
    pub fn with_further(&self, node: NodeId) -> Option<Candidate> {
        let at = self.further.binary_search(&node).err()?;
        let mut next = self.clone();
        next.further.insert(at, node);
        Some(next)
    }

    /// Sources that are interferences.
    pub fn n_counted(&self, forest: &Forest) -> u32 {
        let counts = |&&(read, _): &&(NodeId, NodeId)| forest[read].event.read().is_some_and(crate::degree::counts);
        self.sources.iter().filter(counts).count() as u32
    }

    pub fn source(&self, read: NodeId) -> Option<NodeId> {
        let at = self.sources.binary_search_by_key(&read, |&(read, _)| read).ok()?;
        Some(self.sources[at].1)
    }

    /// Whether the read may take another thread's write.
    pub fn is_open(&self, read: NodeId) -> bool {
        self.source(read).is_none() && self.own.binary_search(&read).is_err()
    }

    /// The same with a read that is to take nobody else's write.
    pub fn keep_own(&mut self, read: NodeId) {
        if let Err(at) = self.own.binary_search(&read) {
            self.own.insert(at, read);
        }
    }

    pub fn giver(&self, of: NodeId) -> Option<NodeId> {
        let at = self.given.binary_search_by_key(&of, |&(of, _)| of).ok()?;
        Some(self.given[at].1)
    }

    /// The last node of each thread; none if a thread would have to go two ways.
    pub fn threads(&self, forest: &Forest) -> Option<Vec<NodeId>> {
        let mut ends: Vec<NodeId> = Vec::new();
        for end in self.ends() {
            let mut end = Some(end);
            while let Some(node) = end {
                end = include(forest, &mut ends, node)?;
            }
        }
        // Nothing that its own thread does later leads to the sink.
        let are_last = !self.goal.is_final() || self.goal.nodes().iter().all(|node| ends.contains(node));
        (are_last && ends.contains(&self.sink)).then_some(ends)
    }

    /// All nodes that it must have.
    fn ends(&self) -> impl Iterator<Item = NodeId> {
        let sources = self.sources.iter().map(|&(_, write)| write);
        let given = self.given.iter().map(|&(_, giver)| giver);
        [self.sink]
            .into_iter()
            .chain(self.goal.nodes().iter().copied())
            .chain(sources)
            .chain(given)
            .chain(self.further.iter().copied())
    }
}

/// What a thread does in a scenario.
pub struct Path {
    pub thread: ThreadId,
    /// From the root on: the depth of a node is its place here.
    pub nodes: Vec<NodeId>,
}

/// A candidate, spread out.
pub struct Scenario {
    /// By number of thread, in order.
    pub paths: Vec<Path>,
}

impl Scenario {
    /// None if no execution can have all of its nodes, because a thread would have to go two ways.
    pub fn of(forest: &Forest, candidate: &Candidate) -> Option<Scenario> {
        let mut ends = candidate.threads(forest)?;
        ends.sort_unstable_by_key(|&end| forest[end].thread);
        let path = |end: NodeId| Path { thread: forest[end].thread, nodes: forest.path(end) };
        let scenario = Scenario { paths: ends.into_iter().map(path).collect() };
        let has = |read: NodeId| scenario.has(forest, read);
        let reads = candidate.sources.iter().map(|&(read, _)| read);
        reads.chain(candidate.given.iter().map(|&(of, _)| of)).all(has).then_some(scenario)
    }

    pub fn path(&self, thread: ThreadId) -> Option<&Path> {
        let at = self.paths.binary_search_by_key(&thread, |path| path.thread).ok()?;
        Some(&self.paths[at])
    }

    /// The node of an event of [`Scenario::prefixes`].
    pub fn node(&self, event: EventRef) -> NodeId {
        self.path(event.thread).expect("the scenario has its thread").nodes[event.index as usize]
    }

    pub fn has(&self, forest: &Forest, node: NodeId) -> bool {
        let depth = forest[node].depth as usize;
        self.path(forest[node].thread).is_some_and(|path| path.nodes.get(depth) == Some(&node))
    }

    /// As events of threads.
    pub fn prefixes<'a>(&self, forest: &'a Forest) -> Vec<Prefix<'a>> {
        let prefix = |path: &Path| Prefix {
            thread: path.thread,
            created_by: forest[path.nodes[0]].created_by.map(|node| forest.event_ref(node)),
            events: path.nodes.iter().map(|&node| &forest[node].event).collect(),
        };
        self.paths.iter().map(prefix).collect()
    }

    pub fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.paths.iter().flat_map(|path| path.nodes.iter().copied())
    }
}

/// Makes the thread come to `node`. Gives the node that makes the thread, which is to be included, too; none at all if the thread
/// goes another way.
#[expect(clippy::option_option, reason = "whether it fits, and what follows")]
fn include(forest: &Forest, ends: &mut Vec<NodeId>, node: NodeId) -> Option<Option<NodeId>> {
    let thread = forest[node].thread;
    match ends.iter_mut().find(|end| forest[**end].thread == thread) {
        Some(end) if forest.is_on_the_way(node, *end) => return Some(None),
        Some(end) if forest.is_on_the_way(*end, node) => {
            *end = node;
            return Some(None);
        }
        Some(_) => return None,
        None => ends.push(node),
    }
    Some(forest[forest[node].root].created_by)
}

/// What an unrealizable candidate may be given so that it becomes realizable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Repair {
    /// Another thread's write for this read.
    Source(NodeId),
    /// The release of the lock that was taken here.
    Release(NodeId),
    /// The end of a thread, for a join.
    End(ThreadId),
    /// A signal for this node, which waits for one.
    Signal(NodeId),
    /// Somebody who holds the lock that this node fails to take.
    Holder(NodeId),
    /// Somebody who posts the semaphore.
    Post(u64),
    /// Somebody else who arrives at a barrier, in this round.
    Arrival(u64, u32),
}

/// Where nodes that may serve for a repair are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Key {
    /// Writes to an aligned word.
    Word(u64),
    Release(NodeId),
    End(ThreadId),
    Signal(u64),
    Lock(u64),
    Post(u64),
    Arrival(u64, u32),
}

impl Repair {
    pub fn keys(self, forest: &Forest) -> Vec<Key> {
        match self {
            Repair::Source(read) => {
                forest[read].event.read().map_or(Vec::new(), |place| place.words().map(Key::Word).collect())
            }
            Repair::Release(lock) => vec![Key::Release(lock)],
            Repair::End(thread) => vec![Key::End(thread)],
            Repair::Signal(node) => match forest[node].event.kind {
                EventKind::Woken { cond, .. } | EventKind::Pending(PendingOperation::Woken { cond, .. }) => {
                    vec![Key::Signal(cond)]
                }
                _ => Vec::new(),
            },
            Repair::Holder(node) => match forest[node].event.kind {
                EventKind::LockFails { lock, .. } => vec![Key::Lock(lock)],
                _ => Vec::new(),
            },
            Repair::Post(semaphore) => vec![Key::Post(semaphore)],
            Repair::Arrival(barrier, round) => vec![Key::Arrival(barrier, round)],
        }
    }

    /// The candidate with `node`, if that is of use to it.
    pub fn with(self, forest: &Forest, candidate: &Candidate, node: NodeId) -> Option<Candidate> {
        let mut next = candidate.clone();
        match self {
            Repair::Source(read) => {
                let (from, to) = (forest[read].event.read()?, forest[node].event.write()?);
                if forest[node].thread == forest[read].thread || !to.covers(from) {
                    return None;
                }
                match next.sources.binary_search_by_key(&read, |&(read, _)| read) {
                    Ok(_) => return None,
                    Err(at) => next.sources.insert(at, (read, node)),
                }
                next.degree = next.n_counted(forest);
            }
            Repair::Signal(waits) => {
                let is_taken = |&(_, giver): &(NodeId, NodeId)| giver == node;
                let is_signal = matches!(forest[node].event.kind, EventKind::Signal(_));
                if forest[node].thread == forest[waits].thread || is_signal && next.given.iter().any(is_taken) {
                    return None;
                }
                give(&mut next, waits, node)?;
            }
            Repair::Holder(fails) => {
                let (EventKind::LockFails { shared: a, .. }, EventKind::Lock { shared: b, .. }) =
                    (&forest[fails].event.kind, &forest[node].event.kind)
                else {
                    return None;
                };
                if forest[node].thread == forest[fails].thread || *a && *b {
                    return None;
                }
                give(&mut next, fails, node)?;
            }
            Repair::Release(_) | Repair::End(_) | Repair::Post(_) | Repair::Arrival(..) => {
                return candidate.with_further(node);
            }
        }
        Some(next)
    }
}

fn give(candidate: &mut Candidate, of: NodeId, giver: NodeId) -> Option<()> {
    match candidate.given.binary_search_by_key(&of, |&(of, _)| of) {
        Ok(_) => None,
        Err(at) => {
            candidate.given.insert(at, (of, giver));
            Some(())
        }
    }
}

/// How often the thread has come to this barrier up to and with this node.
pub fn round(forest: &Forest, node: NodeId, barrier: u64) -> u32 {
    let arrives =
        |kind: &EventKind| matches!(*kind, EventKind::BarrierArrive(at) | EventKind::BarrierFill(at) if at == barrier);
    let path = std::iter::successors(Some(node), |&node| forest[node].parent);
    path.filter(|&node| arrives(&forest[node].event.kind)).count() as u32
}
