//! Inclusion-based points-to analysis (Andersen 1994) with places in objects, by difference propagation (Pearce, Kelly and
//! Hankin 2004) and with cycles collapsed from time to time. The call graph grows on the way: a call through a pointer is
//! linked when a function reaches the pointer.
//!
//! Two rules keep it sound although nothing is known of types. A store adds to the cell of its own place; a load takes from
//! every cell whose bytes it may overlap. And an object with too many places has one, anywhere.

use crate::cfg::for_each_component;
use crate::objects::{Extent, InstanceId, LocId, ObjectId, ObjectKind, Objects, Offset, TO_THE_END};
use crate::sets::Set;
use gordian_base::{FxHashMap, FxHashSet};
use std::collections::VecDeque;

/// A set of pointers that is being computed.
pub type Node = u32;

/// What happens with every pointer that reaches a node.
#[derive(Clone, Copy, Debug)]
pub enum Rule {
    Shift {
        dst: Node,
        by: i64,
    },
    Stride {
        dst: Node,
        scale: u32,
    },
    Blur {
        dst: Node,
    },
    Load {
        dst: Node,
        size: Extent,
    },
    Store {
        src: Node,
        size: Extent,
    },
    /// Stores anywhere in the object.
    StoreAnywhere {
        src: Node,
    },
    /// The node is where bytes are copied from, to that place.
    CopyTo {
        to: LocId,
        len: Extent,
    },
    /// The node is where bytes are copied to, from the beginning of that object.
    CopyFrom {
        from: ObjectId,
        len: Extent,
    },
    /// The node is what a call goes to.
    Call {
        instance: InstanceId,
        pc: u32,
        role: Role,
    },
}

/// Why a function is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// By a call instruction.
    Call,
    /// By an external function, without arguments, before that returns.
    Inside,
    /// As a new thread, with that argument.
    Thread {
        argument: Option<Node>,
        handle: Option<Node>,
    },
    AtExit,
    AtThreadEnd,
}

#[derive(Debug, Default)]
struct Contents {
    cells: Vec<(Offset, Extent, Node)>,
    loads: Vec<(Offset, Extent, Node)>,
    copies: Vec<(Offset, Extent, LocId)>,
}

/// A call through a pointer that has found a function, for the owner of the call graph.
#[derive(Clone, Copy, Debug)]
pub struct Found {
    pub instance: InstanceId,
    pub pc: u32,
    pub role: Role,
    pub code: u32,
}

/// The graph of nodes and the sets at them.
#[derive(Debug)]
pub struct Solver {
    pub objects: Objects,
    points_to: Vec<Set>,
    fresh: Vec<Set>,
    successors: Vec<Vec<Node>>,
    rules: Vec<Vec<Rule>>,
    /// Nodes of a cycle have one set, at the one that this leads to.
    same: Vec<Node>,
    edges: FxHashSet<(Node, Node)>,
    queue: VecDeque<Node>,
    contents: Vec<Contents>,
    cell_of: FxHashMap<(ObjectId, Offset), usize>,
    seen_loads: FxHashSet<(ObjectId, Offset, Extent, Node)>,
    seen_copies: FxHashSet<(ObjectId, Offset, Extent, LocId)>,
    pub found: Vec<Found>,
    /// Objects that have been met since somebody asked.
    pub met: Vec<ObjectId>,
    /// What was done so far, and what may be.
    pub work: u64,
    pub budget: u64,
    work_at_collapse: u64,
    /// Work for each node and edge until the next collapse: more as soon as one was of little use.
    patience: u64,
}

/// The budget is used up.
#[derive(Clone, Copy, Debug)]
pub struct Exceeded;

impl Solver {
    pub fn new(objects: Objects, budget: u64) -> Self {
        Solver {
            objects,
            points_to: Vec::new(),
            fresh: Vec::new(),
            successors: Vec::new(),
            rules: Vec::new(),
            same: Vec::new(),
            edges: FxHashSet::default(),
            queue: VecDeque::new(),
            contents: Vec::new(),
            cell_of: FxHashMap::default(),
            seen_loads: FxHashSet::default(),
            seen_copies: FxHashSet::default(),
            found: Vec::new(),
            met: Vec::new(),
            work: 0,
            budget,
            work_at_collapse: 0,
            patience: 2,
        }
    }

    pub fn new_nodes(&mut self, n: u32) -> Node {
        let first = self.same.len();
        let len = first + n as usize;
        self.points_to.resize_with(len, Set::default);
        self.fresh.resize_with(len, Set::default);
        self.successors.resize_with(len, Vec::new);
        self.rules.resize_with(len, Vec::new);
        self.same.extend(first as u32..len as u32);
        first as u32
    }

    fn root(&mut self, mut node: Node) -> Node {
        while self.same[node as usize] != node {
            self.same[node as usize] = self.same[self.same[node as usize] as usize];
            node = self.same[node as usize];
        }
        node
    }

    /// The node that stands for all of a cycle.
    pub fn representative(&self, mut node: Node) -> Node {
        while self.same[node as usize] != node {
            node = self.same[node as usize];
        }
        node
    }

    pub fn points_to(&self, node: Node) -> &Set {
        &self.points_to[self.representative(node) as usize]
    }

    pub fn object(&mut self, kind: ObjectKind) -> ObjectId {
        let n = self.objects.len();
        let object = self.objects.intern(kind);
        if self.objects.len() > n {
            self.contents.push(Contents::default());
            self.met.push(object);
        }
        object
    }

    pub fn loc(&mut self, kind: ObjectKind, offset: Offset) -> LocId {
        let object = self.object(kind);
        self.objects.loc(object, offset)
    }

    pub fn add_pointer(&mut self, node: Node, loc: LocId) {
        let node = self.root(node) as usize;
        if self.points_to[node].insert(loc.0) {
            if self.fresh[node].is_empty() {
                self.queue.push_back(node as u32);
            }
            self.fresh[node].insert(loc.0);
        }
    }

    fn add_pointers(&mut self, node: Node, locs: &Set) {
        // A set takes as long as it has blocks, however few of its members are new.
        self.work += locs.n_blocks() as u64 / 4;
        let at = self.root(node) as usize;
        let was_empty = self.fresh[at].is_empty();
        let (points_to, fresh) = (&mut self.points_to[at], &mut self.fresh[at]);
        if points_to.union_noting(locs, fresh) && was_empty {
            self.queue.push_back(at as u32);
        }
    }

    pub fn add_edge(&mut self, from: Node, to: Node) {
        // Attempts count too: there may be many more of them than edges.
        self.work += 1;
        let (from, to) = (self.root(from), self.root(to));
        if from == to || !self.edges.insert((from, to)) {
            return;
        }
        self.successors[from as usize].push(to);
        let locs = std::mem::take(&mut self.points_to[from as usize]);
        self.add_pointers(to, &locs);
        self.points_to[from as usize] = locs;
    }

    pub fn add_rule(&mut self, node: Node, rule: Rule) {
        let node = self.root(node);
        self.rules[node as usize].push(rule);
        let locs = self.points_to[node as usize].clone();
        self.apply(rule, &locs);
    }

    fn apply(&mut self, rule: Rule, locs: &Set) {
        for loc in locs.iter() {
            self.work += 1;
            if self.work > self.budget {
                // The result is thrown away.
                return;
            }
            let (object, offset) = self.objects.at(LocId(loc));
            match rule {
                Rule::Shift { dst, by } => self.add_moved(dst, object, offset.plus(by)),
                Rule::Stride { dst, scale } => self.add_moved(dst, object, offset.strided(scale)),
                Rule::Blur { dst } => self.add_moved(dst, object, Offset::ANY),
                Rule::Load { dst, size } => self.load(object, offset, size, dst),
                Rule::Store { src, size } => self.store(object, offset, size, src),
                Rule::StoreAnywhere { src } => self.store(object, Offset::ANY, TO_THE_END, src),
                Rule::CopyTo { to, len } => self.copy(object, offset, len, to),
                Rule::CopyFrom { from, len } => self.copy(from, Offset::exact(0), len, LocId(loc)),
                Rule::Call { instance, pc, role } => {
                    if let ObjectKind::Code(code) = self.objects.kind(object) {
                        self.found.push(Found { instance, pc, role, code });
                    }
                }
            }
        }
    }

    /// Functions and thread handles are no memory: nobody moves within them.
    fn add_moved(&mut self, dst: Node, object: ObjectId, offset: Offset) {
        let offset = if self.is_memory(object) { offset } else { Offset::exact(0) };
        let loc = self.objects.loc(object, offset);
        self.add_pointer(dst, loc);
    }

    pub fn is_memory(&self, object: ObjectId) -> bool {
        !matches!(self.objects.kind(object), ObjectKind::Code(_) | ObjectKind::Handle(_))
    }

    fn load(&mut self, object: ObjectId, offset: Offset, size: Extent, dst: Node) {
        // Merged nodes see some places twice.
        if !self.seen_loads.insert((object, offset, size, dst)) {
            return;
        }
        let contents = &mut self.contents[object.0 as usize];
        contents.loads.push((offset, size, dst));
        self.work += contents.cells.len() as u64 / 4;
        let overlapping = |cell: &&(Offset, Extent, Node)| cell.0.overlaps(cell.1, offset, size);
        let cells: Vec<Node> = contents.cells.iter().filter(overlapping).map(|cell| cell.2).collect();
        cells.into_iter().for_each(|cell| self.add_edge(cell, dst));
    }

    fn store(&mut self, object: ObjectId, offset: Offset, size: Extent, src: Node) {
        if self.is_memory(object) {
            let cell = self.cell(object, offset, size);
            self.add_edge(src, cell);
        }
    }

    /// The node of what is stored at a place. Loads and copies that may overlap it take from it.
    pub fn cell(&mut self, object: ObjectId, offset: Offset, size: Extent) -> Node {
        // The object may have too many places already.
        let loc = self.objects.loc(object, offset);
        let (_, offset) = self.objects.at(loc);
        let size = if offset == Offset::ANY { TO_THE_END } else { size };
        let at = match self.cell_of.get(&(object, offset)) {
            Some(&at) if self.contents[object.0 as usize].cells[at].1 >= size => {
                return self.contents[object.0 as usize].cells[at].2;
            }
            Some(&at) => {
                self.contents[object.0 as usize].cells[at].1 = size;
                at
            }
            None => {
                let node = self.new_nodes(1);
                let cells = &mut self.contents[object.0 as usize].cells;
                cells.push((offset, size, node));
                self.cell_of.insert((object, offset), cells.len() - 1);
                cells.len() - 1
            }
        };
        let node = self.contents[object.0 as usize].cells[at].2;
        let contents = &self.contents[object.0 as usize];
        self.work += (contents.loads.len() + contents.copies.len()) as u64 / 4;
        let loads = contents.loads.iter().filter(|load| load.0.overlaps(load.1, offset, size));
        let loads: Vec<Node> = loads.map(|load| load.2).collect();
        let copies = contents.copies.iter().filter(|copy| copy.0.overlaps(copy.1, offset, size));
        let copies: Vec<(Offset, LocId)> = copies.map(|copy| (copy.0, copy.2)).collect();
        loads.into_iter().for_each(|dst| self.add_edge(node, dst));
        copies.into_iter().for_each(|(from, to)| self.copy_cell((offset, size, node), from, to));
        node
    }

    fn copy(&mut self, object: ObjectId, offset: Offset, len: Extent, target: LocId) {
        if !self.is_memory(object) || !self.is_memory(self.objects.at(target).0) {
            return;
        }
        if !self.seen_copies.insert((object, offset, len, target)) {
            return;
        }
        let contents = &mut self.contents[object.0 as usize];
        self.work += contents.cells.len() as u64 / 4;
        contents.copies.push((offset, len, target));
        let overlapping = |cell: &&(Offset, Extent, Node)| cell.0.overlaps(cell.1, offset, len);
        let cells: Vec<(Offset, Extent, Node)> = contents.cells.iter().filter(overlapping).copied().collect();
        cells.into_iter().for_each(|cell| self.copy_cell(cell, offset, target));
    }

    fn copy_cell(&mut self, (offset, size, node): (Offset, Extent, Node), from: Offset, target: LocId) {
        let (object, to) = self.objects.at(target);
        let exact = offset.is_exact() && from.is_exact() && to.is_exact();
        let there = if exact { to.plus(offset.base - from.base) } else { Offset::ANY };
        let cell = self.cell(object, there, size);
        self.add_edge(node, cell);
    }

    /// Propagates until nothing is new or a function was found that somebody must link.
    pub fn run(&mut self) -> Result<(), Exceeded> {
        while self.found.is_empty() && self.met.is_empty() {
            if self.work > self.budget {
                return Err(Exceeded);
            }
            let Some(node) = self.queue.pop_front() else { break };
            let node = self.root(node);
            let fresh = std::mem::take(&mut self.fresh[node as usize]);
            if fresh.is_empty() {
                continue;
            }
            self.work += 1;
            // Rules and edges that are added meanwhile have seen all that is here.
            for nth in 0..self.rules[node as usize].len() {
                let rule = self.rules[node as usize][nth];
                self.apply(rule, &fresh);
            }
            for nth in 0..self.successors[node as usize].len() {
                let to = self.successors[node as usize][nth];
                self.work += 1;
                self.add_pointers(to, &fresh);
            }
            let size = (self.same.len() + self.edges.len()) as u64;
            if self.work - self.work_at_collapse > self.patience * size + 100_000 {
                self.collapse_cycles();
            }
        }
        Ok(())
    }

    /// All nodes of a cycle have the same set: makes one node of them.
    fn collapse_cycles(&mut self) {
        self.work_at_collapse = self.work;
        for from in 0..self.same.len() as u32 {
            // Nodes that were merged into others have no successors.
            let mut to = std::mem::take(&mut self.successors[from as usize]);
            to.iter_mut().for_each(|node| *node = self.root(*node));
            to.sort_unstable();
            to.dedup();
            to.retain(|&node| node != from);
            self.successors[from as usize] = to;
        }
        let mut cycles: Vec<Vec<Node>> = Vec::new();
        for_each_component(&self.successors, |component| {
            if component.len() > 1 {
                cycles.push(component.to_vec());
            }
        });
        let n_merged: usize = cycles.iter().map(|cycle| cycle.len() - 1).sum();
        if n_merged < self.same.len() / 100 {
            self.patience *= 2;
        }
        for cycle in cycles {
            let root = *cycle.iter().min().expect("a component has members");
            for &node in cycle.iter().filter(|node| **node != root) {
                self.merge(root, node);
            }
        }
    }

    fn merge(&mut self, root: Node, node: Node) {
        let (from, to) = (node as usize, root as usize);
        self.same[from] = root;
        let theirs = std::mem::take(&mut self.points_to[from]);
        let mine = self.points_to[to].clone();
        let pending = std::mem::take(&mut self.fresh[from]);
        let rules = std::mem::take(&mut self.rules[from]);
        let successors = std::mem::take(&mut self.successors[from]);
        // What only one of them has seen is new to the rules of the other.
        let mut news = Set::default();
        let mut all = mine.clone();
        all.union_noting(&theirs, &mut news);
        let mut only_mine = mine;
        only_mine.subtract(&theirs);
        news.union(&only_mine);
        news.union(&pending);
        self.points_to[to] = all;
        self.rules[to].extend(rules);
        for successor in successors {
            if self.root(successor) != root && self.edges.insert((root, successor)) {
                self.successors[to].push(successor);
            }
        }
        if !news.is_empty() {
            self.fresh[to].union(&news);
            self.queue.push_back(root);
        }
    }

    /// All that stands in the object.
    pub fn contents_of(&self, object: ObjectId) -> impl Iterator<Item = &Set> {
        self.contents[object.0 as usize].cells.iter().map(|cell| self.points_to(cell.2))
    }
}
