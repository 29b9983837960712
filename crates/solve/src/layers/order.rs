//! Comparisons of unknown numbers with each other and with constants: what sorting, searching and bounds checks ask.
//!
//! `a < b`, `a <= b`, `a = b`, `a != b` and bounds are difference constraints, whatever `a` and `b` are. They are settled by raising every term from its
//! lower bound as far as others demand (Bellman and Ford's algorithm). A term above its upper bound, or a circle of terms each of which
//! must be above the last, is a contradiction, and the edges that led there are the core. Otherwise the least values are a proposal for a model. It is
//! given out only if it holds for the whole query, so conditions that are none of these may stand beside them.

use super::reuse::{complete, satisfies};
use crate::model::Model;
use crate::query::{Answer, Core, Query, Solver};
use crate::statistics::{Clock, Meter, Statistics};
use gordian_base::FxHashMap;
use gordian_expr::{Binary, Evaluator, ExprId, Pool, Term, Unary, mask};

/// Longer queries are passed on.
const MOST_CONDITIONS: usize = 500;

/// Wider terms are none of its business, so that values have room to grow.
const MOST_BITS: u32 = 64;

/// More pieces than a number has.
const MOST_PIECES: usize = 8;

/// Answers by order alone where that is enough.
pub struct Order<S> {
    inner: S,
    meter: Meter,
    evaluator: Evaluator,
    graph: Graph,
    contradictions: u64,
}

impl<S: Solver> Order<S> {
    pub fn new(inner: S, clock: Option<Clock>) -> Self {
        Order {
            inner,
            meter: Meter::new("order", clock),
            evaluator: Evaluator::new(),
            graph: Graph::default(),
            contradictions: 0,
        }
    }

    fn settle(&mut self, pool: &Pool, query: &Query<'_>) -> Option<Answer> {
        if query.constraints.len() + query.assumptions.len() > MOST_CONDITIONS {
            return None;
        }
        self.graph.build(pool, query);
        match self.graph.solve() {
            Ok(()) => {}
            Err(Conflict { core, sure: true }) => {
                self.contradictions += 1;
                return Some(Answer::Unsat(Core::new(core)));
            }
            Err(Conflict { sure: false, .. }) => return None,
        }
        let proposal = self.graph.model(pool)?;
        let holds = satisfies(&mut self.evaluator, pool, query, &proposal);
        holds.then(|| Answer::Sat(complete(&proposal, pool, query)))
    }
}

impl<S: Solver> Solver for Order<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let start = self.meter.start();
        if let Some(answer) = self.settle(pool, query) {
            self.meter.stop(start, true);
            return answer;
        }
        let answer = self.inner.check(pool, query);
        self.meter.stop(start, false);
        answer
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics().below(self.meter.entry(vec![("contradictions", self.contradictions)]))
    }

    fn set_clock(&mut self, clock: Clock) {
        self.meter.set_clock(clock);
        self.inner.set_clock(clock);
    }
}

/// A term, with the numbers that it can be and who says so. Nobody need say what follows from the term itself.
struct Node {
    term: ExprId,
    lo: i128,
    hi: i128,
    lo_by: Option<ExprId>,
    hi_by: Option<ExprId>,
}

/// `to` is at least `from` and `step` more.
#[derive(Clone, Copy)]
struct Edge {
    from: u32,
    to: u32,
    step: i128,
    by: ExprId,
    /// Two terms are to differ, and this is one of the two ways.
    chosen: bool,
}

/// Conditions that exclude each other; not surely, if that hangs on what was chosen.
struct Conflict {
    core: Vec<ExprId>,
    sure: bool,
}

#[derive(Default)]
struct Graph {
    /// Numbers are signed.
    signed: bool,
    nodes: Vec<Node>,
    node_of: FxHashMap<ExprId, u32>,
    edges: Vec<Edge>,
    /// Those that have to differ.
    differ: Vec<(u32, u32, ExprId)>,
    /// By node: its least value as far as is known, and the edge that demands it.
    values: Vec<i128>,
    reasons: Vec<Option<u32>>,
}

impl Graph {
    fn build(&mut self, pool: &Pool, query: &Query<'_>) {
        self.nodes.clear();
        self.node_of.clear();
        self.edges.clear();
        self.differ.clear();
        // Where both orders occur, one of them is followed and the other is looked at when the model is.
        self.signed = query.all().any(|id| matches!(pool.term(id), Term::Binary(Binary::Slt | Binary::Sle, ..)));
        for id in query.all() {
            self.learn(pool, id);
        }
        for id in query.all() {
            self.learn_of_pieces(pool, id);
        }
        self.values.clear();
        self.values.extend(self.nodes.iter().map(|node| node.lo));
        self.reasons.clear();
        self.reasons.resize(self.nodes.len(), None);
    }

    fn learn(&mut self, pool: &Pool, id: ExprId) {
        match pool.term(id) {
            Term::Binary(op @ (Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle), a, b)
                if self.signed == matches!(op, Binary::Slt | Binary::Sle) && pool.width(a) <= MOST_BITS =>
            {
                self.less(pool, id, a, b, i128::from(matches!(op, Binary::Ult | Binary::Slt)));
            }
            Term::Binary(Binary::Eq, a, b) if pool.width(a) <= MOST_BITS => {
                self.less(pool, id, a, b, 0);
                self.less(pool, id, b, a, 0);
            }
            Term::Extract { of, low, width: 1 } if is_sign(pool, of, low) => {
                let (node, half) = (self.node(pool, of), 1 << low);
                if self.signed { self.lower(node, -1, id) } else { self.raise(node, half, id) }
            }
            Term::Unary(Unary::Not, inner) => match pool.term(inner) {
                Term::Binary(Binary::Eq, a, b) if pool.width(a) <= MOST_BITS => {
                    let (a, b) = (self.node(pool, a), self.node(pool, b));
                    self.differ.push((a, b, id));
                }
                Term::Extract { of, low, width: 1 } if is_sign(pool, of, low) => {
                    let (node, half) = (self.node(pool, of), 1 << low);
                    if self.signed { self.raise(node, 0, id) } else { self.lower(node, half - 1, id) }
                }
                _ => {}
            },
            _ => {}
        }
    }

    /// Numbers that are put together, such as words of bytes, are equal if all of their pieces are, and that is how it is said.
    fn learn_of_pieces(&mut self, pool: &Pool, id: ExprId) {
        let (all, negated) = match pool.term(id) {
            Term::Unary(Unary::Not, all) => (all, true),
            _ => (id, false),
        };
        if !matches!(pool.term(all), Term::Binary(Binary::And, ..)) {
            return;
        }
        let Some((a, b)) = self.equal_pieces(pool, all).and_then(|pairs| self.made_of(pool, &pairs)) else { return };
        if negated {
            self.differ.push((a, b, id));
        } else {
            for (from, to) in [(a, b), (b, a)] {
                self.edges.push(Edge { from, to, step: 0, by: id, chosen: false });
            }
        }
    }

    /// A conjunction of equations.
    fn equal_pieces(&self, pool: &Pool, all: ExprId) -> Option<Vec<(ExprId, ExprId)>> {
        let (mut open, mut pairs) = (vec![all], Vec::new());
        while let Some(id) = open.pop() {
            match pool.term(id) {
                Term::Binary(Binary::And, a, b) if open.len() < MOST_PIECES => open.extend([a, b]),
                Term::Binary(Binary::Eq, a, b) if pairs.len() < MOST_PIECES => pairs.push((a, b)),
                _ => return None,
            }
        }
        Some(pairs)
    }

    /// Two nodes whose pieces these are.
    fn made_of(&self, pool: &Pool, pairs: &[(ExprId, ExprId)]) -> Option<(u32, u32)> {
        let with_last = |piece: ExprId| {
            let is_last = |node: &Node| pieces(pool, node.term).last() == Some(piece);
            self.nodes.iter().position(is_last)
        };
        let pieces_of = |node: usize| pieces(pool, self.nodes[node].term);
        let are_made_of = |&(a, b): &(usize, usize)| {
            let mut both = pieces_of(a).zip(pieces_of(b));
            pieces_of(a).count() == pairs.len()
                && pieces_of(b).count() == pairs.len()
                && both.all(|(x, y)| pairs.contains(&(x, y)) || pairs.contains(&(y, x)))
        };
        let nodes = pairs.iter().filter_map(|&(x, y)| with_last(x).zip(with_last(y))).find(are_made_of);
        nodes.map(|(a, b)| (a as u32, b as u32))
    }

    /// `a + step <= b`
    fn less(&mut self, pool: &Pool, by: ExprId, a: ExprId, b: ExprId, step: i128) {
        match (self.constant(pool, a), self.constant(pool, b)) {
            (Some(a), _) => {
                let node = self.node(pool, b);
                self.raise(node, a + step, by);
            }
            (_, Some(b)) => {
                let node = self.node(pool, a);
                self.lower(node, b - step, by);
            }
            (None, None) => {
                let (from, to) = (self.node(pool, a), self.node(pool, b));
                self.edges.push(Edge { from, to, step, by, chosen: false });
            }
        }
    }

    fn raise(&mut self, node: u32, lo: i128, by: ExprId) {
        let node = &mut self.nodes[node as usize];
        if lo > node.lo {
            (node.lo, node.lo_by) = (lo, Some(by));
        }
    }

    fn lower(&mut self, node: u32, hi: i128, by: ExprId) {
        let node = &mut self.nodes[node as usize];
        if hi < node.hi {
            (node.hi, node.hi_by) = (hi, Some(by));
        }
    }

    fn constant(&self, pool: &Pool, term: ExprId) -> Option<i128> {
        pool.as_constant(term).map(|bits| self.number(bits, pool.width(term)))
    }

    fn number(&self, bits: u128, width: u32) -> i128 {
        let is_negative = self.signed && bits >> (width - 1) & 1 == 1;
        bits as i128 - if is_negative { 1 << width } else { 0 }
    }

    fn node(&mut self, pool: &Pool, term: ExprId) -> u32 {
        if let Some(&known) = self.node_of.get(&term) {
            return known;
        }
        let (facts, width) = (pool.facts(term), pool.width(term));
        let half = 1 << (width - 1);
        let (lo, hi) = if self.signed && facts.lo < half && facts.hi >= half {
            (-(half as i128), half as i128 - 1)
        } else {
            (self.number(facts.lo, width), self.number(facts.hi, width))
        };
        let node = self.nodes.len() as u32;
        self.nodes.push(Node { term, lo, hi, lo_by: None, hi_by: None });
        self.node_of.insert(term, node);
        node
    }

    /// Finds values for all nodes.
    fn solve(&mut self) -> Result<(), Conflict> {
        for node in 0..self.nodes.len() as u32 {
            self.within_bounds(node)?;
        }
        self.propagate()?;
        while let Some((a, b, by)) = self.take_equal() {
            // Values are least ones, so a constant stays where it is and the other goes up.
            let (a, b) = if self.nodes[b as usize].lo == self.nodes[b as usize].hi { (b, a) } else { (a, b) };
            let before = (self.values.clone(), self.reasons.clone());
            let Err(first) = self.choose(a, b, by) else { continue };
            self.edges.pop();
            (self.values, self.reasons) = before;
            if let Err(mut second) = self.choose(b, a, by) {
                second.core.extend(first.core);
                second.sure &= first.sure;
                return Err(second);
            }
        }
        Ok(())
    }

    /// Two nodes that have to differ and do not.
    fn take_equal(&mut self) -> Option<(u32, u32, ExprId)> {
        let equal = |&(a, b, _): &(u32, u32, ExprId)| self.values[a as usize] == self.values[b as usize];
        let found = self.differ.iter().position(equal)?;
        Some(self.differ.swap_remove(found))
    }

    /// Lets one be less than the other.
    fn choose(&mut self, less: u32, more: u32, by: ExprId) -> Result<(), Conflict> {
        self.edges.push(Edge { from: less, to: more, step: 1, by, chosen: true });
        self.propagate()
    }

    /// Raises nodes until all edges hold.
    fn propagate(&mut self) -> Result<(), Conflict> {
        let mut raised = None;
        for _ in 0..=self.nodes.len() {
            raised = None;
            for index in 0..self.edges.len() {
                let edge = self.edges[index];
                let value = self.values[edge.from as usize] + edge.step;
                if value > self.values[edge.to as usize] {
                    self.values[edge.to as usize] = value;
                    self.reasons[edge.to as usize] = Some(index as u32);
                    self.within_bounds(edge.to)?;
                    raised = Some(edge.to);
                }
            }
            if raised.is_none() {
                return Ok(());
            }
        }
        // Only a circle goes on for so long.
        Err(self.circle(raised.expect("something was raised in the last round")))
    }

    fn within_bounds(&self, node: u32) -> Result<(), Conflict> {
        let Node { hi, hi_by, .. } = self.nodes[node as usize];
        if self.values[node as usize] <= hi {
            return Ok(());
        }
        let mut edges = Vec::new();
        let mut at = node;
        while let Some(reason) = self.reasons[at as usize] {
            if edges.len() > self.nodes.len() {
                return Err(self.circle(node));
            }
            edges.push(reason);
            at = self.edges[reason as usize].from;
        }
        Err(self.conflict(&edges, [self.nodes[at as usize].lo_by, hi_by].into_iter().flatten().collect()))
    }

    /// The edges of a circle that the reasons of a node lead to.
    fn circle(&self, node: u32) -> Conflict {
        let before = |node: u32| self.reasons[node as usize].map(|reason| self.edges[reason as usize].from);
        let mut at = node;
        for _ in 0..self.nodes.len() {
            match before(at) {
                Some(from) => at = from,
                // No circle: nothing is claimed.
                None => return Conflict { core: Vec::new(), sure: false },
            }
        }
        let (first, mut edges) = (at, Vec::new());
        while let Some(reason) = self.reasons[at as usize] {
            edges.push(reason);
            at = self.edges[reason as usize].from;
            if at == first {
                break;
            }
        }
        self.conflict(&edges, Vec::new())
    }

    /// What was chosen last is looked at from both sides; what was chosen before is not.
    fn conflict(&self, edges: &[u32], mut core: Vec<ExprId>) -> Conflict {
        core.extend(edges.iter().map(|&edge| self.edges[edge as usize].by));
        let is_given = |edge: usize| !self.edges[edge].chosen || edge + 1 == self.edges.len();
        Conflict { core, sure: edges.iter().all(|&edge| is_given(edge as usize)) }
    }

    /// Values of symbols under which the nodes have theirs, if nodes are such that these can be told.
    fn model(&self, pool: &Pool) -> Option<Model> {
        let mut model = Model::new();
        let mut open: Vec<(ExprId, u128)> = Vec::new();
        for (node, &value) in self.nodes.iter().zip(&self.values) {
            open.push((node.term, value as u128));
            while let Some((term, value)) = open.pop() {
                let value = value & mask(pool.width(term));
                match pool.term(term) {
                    Term::Const(_) => {}
                    Term::Symbol(symbol) => {
                        if model.get(symbol).is_some_and(|known| known != value) {
                            return None;
                        }
                        model.set(symbol, value);
                    }
                    Term::Zext(of, _) | Term::Sext(of, _) => open.push((of, value)),
                    Term::Unary(Unary::Not, of) => open.push((of, !value)),
                    Term::Binary(Binary::Concat, high, low) => {
                        open.push((low, value));
                        open.push((high, value >> pool.width(low)));
                    }
                    Term::Binary(Binary::Add, of, by) if pool.as_constant(by).is_some() => {
                        open.push((of, value.wrapping_sub(pool.facts(by).lo)));
                    }
                    _ => return None,
                }
            }
        }
        Some(model)
    }
}

/// What a term is put together from, the highest piece first.
fn pieces(pool: &Pool, term: ExprId) -> impl Iterator<Item = ExprId> {
    let mut rest = Some(term);
    // Concatenations lean to the right.
    std::iter::from_fn(move || match pool.term(rest?) {
        Term::Binary(Binary::Concat, high, low) => {
            rest = Some(low);
            Some(high)
        }
        _ => rest.take(),
    })
}

fn is_sign(pool: &Pool, of: ExprId, low: u8) -> bool {
    let width = pool.width(of);
    u32::from(low) + 1 == width && width <= MOST_BITS
}
