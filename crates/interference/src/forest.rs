//! The interference forest: what each thread was seen to do, as a tree of its decisions.
//!
//! A path from the root of a tree is what a thread did in some execution. Reads are symbols, so the path depends on nothing but how the
//! thread's own decisions went: whoever wrote what it read, it does the same after the same decisions. Interferences are therefore no part of
//! the forest: a [`crate::scenario::Candidate`] puts paths of several trees together and says which read takes which write.
//!
//! Where a decision could have gone another way, that way is a *dangling* node until an execution goes there. So is whatever a
//! thread would have done next when an execution was left.

use gordian_base::{FxHashMap, ThreadId};
use gordian_expr::ExprId;
use gordian_trace::CodePoint;
use smallvec::SmallVec;
use std::sync::Arc;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

/// Bytes from an address on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    pub address: u64,
    pub size: u32,
}

impl Place {
    fn end(self) -> u64 {
        self.address + u64::from(self.size)
    }

    pub fn overlaps(self, other: Place) -> bool {
        self.address < other.end() && other.address < self.end()
    }

    pub fn covers(self, other: Place) -> bool {
        self.address <= other.address && other.end() <= self.end()
    }

    /// The aligned words that it touches.
    pub fn words(self) -> impl Iterator<Item = u64> {
        self.address >> 3..self.end().div_ceil(8)
    }
}

/// What a thread does at a node. Two nodes below the same one differ in how a decision went.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// The root: the thread begins, made by this node; none made main.
    Begin(Option<NodeId>),
    Read {
        place: Place,
        /// A term of the place's width.
        symbol: ExprId,
    },
    Write {
        place: Place,
        term: ExprId,
    },
    /// An object of the thread's own becomes known to others, as it is.
    Publish {
        place: Place,
        bytes: Arc<[ExprId]>,
    },
    /// A condition holds, one of several.
    Decide {
        condition: ExprId,
        way: u32,
    },
    Pick {
        term: ExprId,
        value: u128,
    },
    /// Dangling: the term has another value than those that it was seen to have here.
    PickOther {
        term: ExprId,
        not: Arc<[u128]>,
    },
    Assume(ExprId),
    Create(ThreadId),
    Join(ThreadId),
    End,
    Lock {
        lock: u64,
        shared: bool,
    },
    Unlock(u64),
    /// An attempt to lock failed: somebody else held it.
    LockFails {
        lock: u64,
        shared: bool,
    },
    /// Releases the mutex and waits.
    Wait {
        cond: u64,
        mutex: u64,
    },
    Woken {
        cond: u64,
        mutex: u64,
    },
    Signal(u64),
    Broadcast(u64),
    SemInit {
        semaphore: u64,
        value: u64,
    },
    SemWait(u64),
    SemPost(u64),
    BarrierInit {
        barrier: u64,
        count: u64,
    },
    /// Arrives at a barrier, not as the last one, and waits.
    BarrierArrive(u64),
    /// Arrives as the last one and lets the others go on.
    BarrierFill(u64),
    BarrierLeave(u64),
    /// The process ends, and all threads with it.
    Exit,
    Free(Place),
    /// A lock or the like is made or destroyed, or a thread detached: nobody else may be about to use it.
    Claim(u64),
    /// Dangling: the thread's next operation, which was not made.
    Pending(Operation),
}

/// What is known of an operation before it is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Read(Place),
    Lock {
        lock: u64,
        shared: bool,
    },
    Join(ThreadId),
    Woken {
        cond: u64,
        mutex: u64,
    },
    SemWait(u64),
    BarrierLeave(u64),
    /// One that depends on nobody.
    Free,
}

#[derive(Clone, Debug)]
pub struct Node {
    pub thread: ThreadId,
    pub parent: Option<NodeId>,
    pub root: NodeId,
    /// Nodes before it in its thread; of a root 0.
    pub depth: u32,
    pub kind: Kind,
    pub at: CodePoint,
    /// It happens at the same instant as the thread's last access before it.
    pub joined: bool,
    /// Of accesses: it cannot be part of a race with another such.
    pub atomic: bool,
    /// It was found as a way that could be gone, before an execution came here.
    pub dangled: bool,
    /// The last node before it that dangled until it was reached, or that stood for what was reached.
    pub sink_before: Option<NodeId>,
    /// An execution came here.
    pub reached: bool,
    /// Of reads: what stood there before anybody's recorded write.
    pub initial: Option<ExprId>,
    pub children: SmallVec<[NodeId; 2]>,
}

impl Node {
    pub fn read(&self) -> Option<Place> {
        match self.kind {
            Kind::Read { place, .. } | Kind::Pending(Operation::Read(place)) => Some(place),
            _ => None,
        }
    }

    /// What was written, if it is a write that others can take for an interference.
    pub fn write(&self) -> Option<Place> {
        match self.kind {
            Kind::Write { place, .. } => Some(place),
            _ => None,
        }
    }

    /// Whether anybody could tell that it happened.
    pub fn is_visible(&self) -> bool {
        !matches!(
            self.kind,
            Kind::Begin(_) | Kind::Decide { .. } | Kind::Pick { .. } | Kind::PickOther { .. } | Kind::Assume(_)
        )
    }
}

#[derive(Default)]
pub struct Forest {
    nodes: Vec<Node>,
    /// By the node that made the thread.
    roots: FxHashMap<(ThreadId, Option<NodeId>), NodeId>,
    /// Dangling nodes, and nodes that were reached for the first time, since somebody asked.
    new_dangling: Vec<NodeId>,
    new_reached: Vec<NodeId>,
}

impl std::ops::Index<NodeId> for Forest {
    type Output = Node;
    fn index(&self, node: NodeId) -> &Node {
        &self.nodes[node.0 as usize]
    }
}

/// What a thread did, before it has a place in the forest.
#[derive(Clone, Debug)]
pub struct Seen {
    pub kind: Kind,
    pub at: CodePoint,
    pub joined: bool,
    pub atomic: bool,
    pub initial: Option<ExprId>,
    /// The other ways that the same decision can go.
    pub others: SmallVec<[Kind; 2]>,
}

/// A thread did something that its earlier self would not have done after the same decisions.
#[derive(Debug)]
pub struct Surprise;

impl Forest {
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Makers and parents come first.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..self.nodes.len() as u32).map(NodeId)
    }

    pub fn root(&mut self, thread: ThreadId, made_by: Option<NodeId>) -> NodeId {
        if let Some(&root) = self.roots.get(&(thread, made_by)) {
            return root;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            thread,
            parent: None,
            root: id,
            depth: 0,
            kind: Kind::Begin(made_by),
            at: gordian_trace::NO_CODE,
            joined: false,
            atomic: false,
            dangled: false,
            sink_before: None,
            reached: true,
            initial: None,
            children: SmallVec::new(),
        });
        self.roots.insert((thread, made_by), id);
        id
    }

    fn add_dangling(&mut self, parent: NodeId, kind: Kind, at: CodePoint, joined: bool) {
        let node = self.add(parent, kind, at, joined);
        self.nodes[node.0 as usize].dangled = true;
        self.new_dangling.push(node);
    }

    fn add(&mut self, parent: NodeId, kind: Kind, at: CodePoint, joined: bool) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let &Node { thread, root, depth, .. } = &self[parent];
        let sink_before = self.last_sink(parent);
        self.nodes.push(Node {
            thread,
            parent: Some(parent),
            root,
            depth: depth + 1,
            kind,
            at,
            joined,
            atomic: false,
            dangled: false,
            sink_before,
            reached: false,
            initial: None,
            children: SmallVec::new(),
        });
        self.nodes[parent.0 as usize].children.push(id);
        id
    }

    /// Those that came up or were reached since this was last asked.
    pub fn take_news(&mut self) -> (Vec<NodeId>, Vec<NodeId>) {
        let dangling = std::mem::take(&mut self.new_dangling);
        let dangling = dangling.into_iter().filter(|&node| !self[node].reached).collect();
        (dangling, std::mem::take(&mut self.new_reached))
    }

    /// The thread did this at the end of a path. Other ways of the same decision dangle.
    pub fn go(&mut self, from: NodeId, seen: &Seen) -> Result<NodeId, Surprise> {
        let children = self[from].children.clone();
        let known = children.iter().copied().find(|&child| self[child].kind == seen.kind);
        let node = match known {
            Some(node) => node,
            None => self.branch_off(from, seen, &children)?,
        };
        let entry = &mut self.nodes[node.0 as usize];
        if !std::mem::replace(&mut entry.reached, true) {
            self.new_reached.push(node);
        }
        entry.initial = entry.initial.or(seen.initial);
        entry.atomic = seen.atomic;
        for child in children {
            let child = &mut self.nodes[child.0 as usize];
            child.reached |= matches!(child.kind, Kind::Pending(_));
        }
        Ok(node)
    }

    fn branch_off(&mut self, from: NodeId, seen: &Seen, children: &[NodeId]) -> Result<NodeId, Surprise> {
        let is_another_way = |known: &Kind| match (known, &seen.kind) {
            (Kind::Pending(_), _) => true,
            (Kind::Pick { term: a, .. } | Kind::PickOther { term: a, .. }, Kind::Pick { term: b, .. }) => a == b,
            (known, _) => seen.others.contains(known),
        };
        if !children.iter().all(|&child| is_another_way(&self[child].kind)) {
            return Err(Surprise);
        }
        let node = self.add(from, seen.kind.clone(), seen.at, seen.joined);
        for other in &seen.others {
            if !children.iter().any(|&child| self[child].kind == *other) {
                self.add_dangling(from, other.clone(), seen.at, seen.joined);
            }
        }
        if let Kind::Pick { term, .. } = seen.kind {
            self.pick_another(from, term, seen);
        }
        Ok(node)
    }

    /// Values that the term was not seen to have dangle, as one node.
    fn pick_another(&mut self, from: NodeId, term: ExprId, seen: &Seen) {
        let mut not = Vec::new();
        for child in self[from].children.clone() {
            match self[child].kind {
                Kind::Pick { value, .. } => not.push(value),
                Kind::PickOther { .. } => self.nodes[child.0 as usize].reached = true,
                _ => {}
            }
        }
        self.add_dangling(from, Kind::PickOther { term, not: not.into() }, seen.at, seen.joined);
    }

    /// What the thread would do next, unless that is known.
    pub fn wait_at(&mut self, from: NodeId, operation: Operation, at: CodePoint) {
        match *self[from].children {
            [] => {}
            // Some operations leave no trace, and what comes behind them waits at the same node.
            [only] if self[only].kind == Kind::Pending(Operation::Free) && operation != Operation::Free => {
                self.nodes[only.0 as usize].reached = true;
            }
            _ => return,
        }
        self.add_dangling(from, Kind::Pending(operation), at, false);
    }

    /// The last node up to and with this one that dangled before it was reached, or that stood for what was reached.
    fn last_sink(&self, node: NodeId) -> Option<NodeId> {
        if self[node].dangled { Some(node) } else { self.stand_in(node).or(self[node].sink_before) }
    }

    /// The dangling node that stood for this one until it was reached.
    fn stand_in(&self, node: NodeId) -> Option<NodeId> {
        let siblings = &self[self[node].parent?].children;
        let stood_for = |&&sibling: &&NodeId| match (&self[sibling].kind, &self[node].kind) {
            (Kind::Pending(_), _) => true,
            (Kind::PickOther { not, .. }, Kind::Pick { value, .. }) => self[sibling].reached && !not.contains(value),
            _ => false,
        };
        siblings.iter().rfind(stood_for).copied()
    }

    /// From the root to the node, both included.
    pub fn path(&self, node: NodeId) -> Vec<NodeId> {
        let mut path: Vec<NodeId> = std::iter::successors(Some(node), |&node| self[node].parent).collect();
        path.reverse();
        path
    }

    /// Whether `a` is `b` or comes before it in its thread.
    pub fn is_on_the_way(&self, a: NodeId, b: NodeId) -> bool {
        let (from, depth) = (&self[b], self[a].depth);
        if from.root != self[a].root || depth > from.depth {
            return false;
        }
        let mut at = b;
        while self[at].depth > depth {
            at = self[at].parent.expect("only roots have none");
        }
        at == a
    }
}
