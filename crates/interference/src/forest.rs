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
use gordian_witness::{Event, EventKind, EventRef, PendingOperation, Recorded};
use smallvec::SmallVec;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(pub u32);

#[derive(Clone, Debug)]
pub struct Node {
    pub thread: ThreadId,
    pub parent: Option<NodeId>,
    pub root: NodeId,
    /// Nodes before it in its thread; of a root 0.
    pub depth: u32,
    pub event: Event,
    /// Of roots: the node that created the thread; none created main.
    pub created_by: Option<NodeId>,
    /// It was found as a way that could be gone, before an execution came here.
    pub dangled: bool,
    /// The last node before it that dangled until it was reached, or that stood for what was reached.
    pub sink_before: Option<NodeId>,
    /// An execution came here.
    pub reached: bool,
    pub children: SmallVec<[NodeId; 2]>,
}

#[derive(Default)]
pub struct Forest {
    nodes: Vec<Node>,
    /// By the node that created the thread.
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

    pub fn root(&mut self, thread: ThreadId, created_by: Option<NodeId>) -> NodeId {
        if let Some(&root) = self.roots.get(&(thread, created_by)) {
            return root;
        }
        let id = NodeId(self.nodes.len() as u32);
        self.nodes.push(Node {
            thread,
            parent: None,
            root: id,
            depth: 0,
            event: Event::new(EventKind::Begin, gordian_trace::NO_CODE),
            created_by,
            dangled: false,
            sink_before: None,
            reached: true,
            children: SmallVec::new(),
        });
        self.roots.insert((thread, created_by), id);
        id
    }

    fn add_dangling(&mut self, parent: NodeId, kind: EventKind, at: CodePoint, joined: bool) {
        let node = self.add(parent, kind, at, joined);
        self.nodes[node.0 as usize].dangled = true;
        self.new_dangling.push(node);
    }

    fn add(&mut self, parent: NodeId, kind: EventKind, at: CodePoint, joined: bool) -> NodeId {
        let id = NodeId(self.nodes.len() as u32);
        let &Node { thread, root, depth, .. } = &self[parent];
        let sink_before = self.last_sink(parent);
        self.nodes.push(Node {
            thread,
            parent: Some(parent),
            root,
            depth: depth + 1,
            event: Event { joined, ..Event::new(kind, at) },
            created_by: None,
            dangled: false,
            sink_before,
            reached: false,
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
    pub fn go(&mut self, from: NodeId, seen: &Recorded) -> Result<NodeId, Surprise> {
        let children = self[from].children.clone();
        let known = children.iter().copied().find(|&child| self[child].event.kind == seen.event.kind);
        let node = match known {
            Some(node) => node,
            None => self.branch_off(from, seen, &children)?,
        };
        let entry = &mut self.nodes[node.0 as usize];
        if !std::mem::replace(&mut entry.reached, true) {
            self.new_reached.push(node);
        }
        entry.event.initial = entry.event.initial.or(seen.event.initial);
        entry.event.atomic = seen.event.atomic;
        entry.event.again = seen.event.again;
        for child in children {
            let child = &mut self.nodes[child.0 as usize];
            child.reached |= matches!(child.event.kind, EventKind::Pending(_));
        }
        Ok(node)
    }

    fn branch_off(&mut self, from: NodeId, seen: &Recorded, children: &[NodeId]) -> Result<NodeId, Surprise> {
        let is_another_way = |known: &EventKind| match (known, &seen.event.kind) {
            (EventKind::Pending(_), _) => true,
            (
                EventKind::Pick { term: a, .. } | EventKind::PickOther { term: a, .. },
                EventKind::Pick { term: b, .. },
            ) => a == b,
            (known, _) => seen.others.contains(known),
        };
        if !children.iter().all(|&child| is_another_way(&self[child].event.kind)) {
            return Err(Surprise);
        }
        let node = self.add(from, seen.event.kind.clone(), seen.event.at, seen.event.joined);
        for other in &seen.others {
            if !children.iter().any(|&child| self[child].event.kind == *other) {
                self.add_dangling(from, other.clone(), seen.event.at, seen.event.joined);
            }
        }
        if let EventKind::Pick { term, .. } = seen.event.kind {
            self.pick_another(from, term, seen);
        }
        Ok(node)
    }

    /// Values that the term was not seen to have dangle, as one node.
    fn pick_another(&mut self, from: NodeId, term: ExprId, seen: &Recorded) {
        let mut not = Vec::new();
        for child in self[from].children.clone() {
            match self[child].event.kind {
                EventKind::Pick { value, .. } => not.push(value),
                EventKind::PickOther { .. } => self.nodes[child.0 as usize].reached = true,
                _ => {}
            }
        }
        self.add_dangling(from, EventKind::PickOther { term, not: not.into() }, seen.event.at, seen.event.joined);
    }

    /// What the thread would do next, unless that is known.
    pub fn wait_at(&mut self, from: NodeId, operation: PendingOperation, at: CodePoint) {
        match *self[from].children {
            [] => {}
            // Some operations leave no trace, and what comes behind them waits at the same node.
            [only]
                if matches!(self[only].event.kind, EventKind::Pending(PendingOperation::Free(_)))
                    && self[only].event.kind != EventKind::Pending(operation) =>
            {
                self.nodes[only.0 as usize].reached = true;
            }
            _ => return,
        }
        self.add_dangling(from, EventKind::Pending(operation), at, false);
    }

    /// The last node up to and with this one that dangled before it was reached, or that stood for what was reached.
    fn last_sink(&self, node: NodeId) -> Option<NodeId> {
        if self[node].dangled { Some(node) } else { self.stand_in(node).or(self[node].sink_before) }
    }

    /// The dangling node that stood for this one until it was reached.
    fn stand_in(&self, node: NodeId) -> Option<NodeId> {
        let siblings = &self[self[node].parent?].children;
        let stood_for = |&&sibling: &&NodeId| match (&self[sibling].event.kind, &self[node].event.kind) {
            (EventKind::Pending(_), _) => true,
            (EventKind::PickOther { not, .. }, EventKind::Pick { value, .. }) => {
                self[sibling].reached && !not.contains(value)
            }
            _ => false,
        };
        siblings.iter().rfind(stood_for).copied()
    }

    /// The node as an event of a scenario that has it.
    pub fn event_ref(&self, node: NodeId) -> EventRef {
        EventRef { thread: self[node].thread, index: self[node].depth }
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
