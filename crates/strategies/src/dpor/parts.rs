//! The parts of a search that workers take.

use super::footprint::Label;
use super::tree::{Kind, PartId, ROOT, Tree};
use gordian_base::Rng;

/// Which part of a search comes next.
#[derive(Clone, Debug, Default)]
pub enum Order {
    /// As a single worker goes: to the end, then back to the last choice.
    #[default]
    Depth,
    /// Near the begin first.
    Breadth,
    /// Where inputs decide in a way that they did nowhere before; else near the begin.
    Coverage,
    /// Down from the begin, each way with the same chance.
    Random(Rng),
}

impl Order {
    pub fn random(seed: u64) -> Order {
        Order::Random(Rng::stream(seed, 0))
    }
}

/// A part of the search, and the way to it.
pub struct Part {
    pub id: PartId,
    /// The way to the state of this depth is the same as that to the part before it.
    pub shared: usize,
    /// From that state on.
    pub way: Vec<OnTheWay>,
    /// Which of the steps that are explored before from that state leads to the part before, and is made by then.
    pub own: Option<usize>,
    /// So many of the steps on the way were made before.
    pub known: usize,
}

/// A state on the way to a part.
pub struct OnTheWay {
    /// The step that leads on.
    pub step: Label,
    /// Those that are explored before.
    pub explored: Vec<Label>,
    pub beside: Vec<Beside>,
}

/// What waits beside a step.
pub struct Beside {
    pub label: Label,
    /// Everything behind it is to be explored.
    pub is_leaf: bool,
}

impl Tree {
    /// Parts to explore one after the other, at most so many: the one that promises most, near the root, and those that
    /// follow it.
    pub fn take(&mut self, most: usize, order: &mut Order) -> Vec<Part> {
        let mut parts = Vec::new();
        let first = match order {
            Order::Depth | Order::Breadth => self.shallowest(),
            Order::Coverage => self.undecided().or_else(|| self.shallowest()),
            Order::Random(rng) => self.any(ROOT, rng),
        };
        let mut found = first.map(|id| (id, ROOT));
        while let Some((id, fork)) = found {
            self.set_taken(id, true);
            let before = parts.last().map(|part: &Part| part.id);
            parts.push(self.part(id, fork, before));
            found = if parts.len() < most { self.following(id) } else { None };
        }
        parts
    }

    /// These will not be explored by who took them.
    pub fn give_back(&mut self, parts: impl Iterator<Item = PartId>) {
        for id in parts {
            if self.at(id).has_ended {
                self.free.push(id);
            }
            self.set_taken(id, false);
        }
    }

    /// The first part in the order of the search that decides as nobody did.
    fn undecided(&self) -> Option<PartId> {
        let mut next = vec![ROOT];
        while let Some(id) = next.pop() {
            let branch = self.at(id);
            if branch.is_taken || branch.n_free == 0 {
                continue;
            }
            if branch.decides.is_some_and(|decision| !self.decided.contains(&decision)) && branch.kind == Kind::Leaf {
                return Some(id);
            }
            let behind: Vec<PartId> = self.open(branch.children.iter().copied()).collect();
            next.extend(behind.into_iter().rev());
        }
        None
    }

    fn any(&self, id: PartId, rng: &mut Rng) -> Option<PartId> {
        let branch = self.at(id);
        if branch.is_taken || branch.n_free == 0 {
            return None;
        }
        if branch.kind == Kind::Leaf {
            return Some(id);
        }
        let mut behind: Vec<PartId> = self.open(branch.children.iter().copied()).collect();
        while !behind.is_empty() {
            let nth = rng.below(behind.len());
            if let Some(found) = self.any(behind.swap_remove(nth), rng) {
                return Some(found);
            }
        }
        None
    }

    fn shallowest(&self) -> Option<PartId> {
        let mut level = vec![ROOT];
        while !level.is_empty() {
            let mut next = Vec::new();
            for id in level {
                let branch = self.at(id);
                if branch.is_taken || branch.n_free == 0 {
                    continue;
                }
                if branch.kind == Kind::Leaf {
                    return Some(id);
                }
                next.extend(self.open(branch.children.iter().copied()));
            }
            level = next;
        }
        None
    }

    /// Those of the branches beside each other that can be explored: what comes after one whose step was not made yet
    /// depends on how that turns out.
    fn open(&self, branches: impl Iterator<Item = PartId>) -> impl Iterator<Item = PartId> {
        let mut is_settled = true;
        branches.take_while(move |&id| std::mem::replace(&mut is_settled, self.is_settled(id)))
    }

    /// The next part in the order of the search that can be explored once the step to `last` was made, and the state
    /// at which the ways to them part.
    fn following(&self, last: PartId) -> Option<(PartId, PartId)> {
        let mut from = last;
        // Steps that were not made yet are made on the way to `last`.
        while from != ROOT && (self.at(from).made.is_none() || self.is_settled(from)) {
            let parent = self.at(from).parent;
            let beside = self.at(parent).children.iter().copied().skip_while(|&child| child != from).skip(1);
            if let Some(found) = self.open(beside).find_map(|id| self.first_leaf(id)) {
                return Some((found, parent));
            }
            from = parent;
        }
        None
    }

    fn first_leaf(&self, id: PartId) -> Option<PartId> {
        let branch = self.at(id);
        if branch.is_taken || branch.n_free == 0 {
            return None;
        }
        if branch.kind == Kind::Leaf {
            return Some(id);
        }
        self.open(branch.children.iter().copied()).find_map(|child| self.first_leaf(child))
    }

    /// The part with the way to it from `fork`, where it leaves the way to the one before.
    fn part(&self, id: PartId, fork: PartId, before: Option<PartId>) -> Part {
        let shared = self.at(fork).depth;
        let mut part = Part { id, shared, way: Vec::new(), own: None, known: 0 };
        let mut next = id;
        while next != ROOT {
            let branch = self.at(next);
            part.known += usize::from(branch.made.is_some());
            if branch.depth > shared {
                part.way.push(self.on_the_way(next));
            }
            next = branch.parent;
        }
        if let Some(mut own) = before {
            while self.at(own).parent != fork {
                own = self.at(own).parent;
            }
            let forked = self.at(fork);
            let position = forked.children.iter().position(|&child| child == own);
            part.own = position.map(|position| forked.explored.len() + position);
        }
        part.way.reverse();
        part
    }

    /// The state before `id`.
    fn on_the_way(&self, id: PartId) -> OnTheWay {
        let branch = self.at(id);
        let parent = self.at(branch.parent);
        let position = parent.children.iter().position(|&child| child == id).expect("a child of its parent");
        let before = parent.children.range(..position).map(|&child| self.at(child).begun());
        let beside = parent.children.range(position + 1..).map(|&child| {
            let branch = self.at(child);
            Beside { label: branch.begun(), is_leaf: branch.kind != Kind::Inner }
        });
        OnTheWay {
            step: Label { footprint: branch.planned.footprint, ..branch.begun() },
            explored: parent.explored.iter().copied().chain(before).collect(),
            beside: beside.collect(),
        }
    }
}
