//! Values of one term under many valuations at once.

use crate::ops::{apply_binary, apply_unary, mask, sign_extend};
use crate::pool::Pool;
use crate::term::{Binary, ExprId, Symbol, Term, Unary};
use gordian_base::FxHashMap;

/// Valuations that are evaluated together: the columns of a term's operands then stay in the processor's cache.
pub const LANES: usize = 256;

/// A term flattened for evaluation, operands before what uses them.
pub struct Columns {
    nodes: Vec<Node>,
}

/// Operands are positions in [`Columns::nodes`].
enum Node {
    Const(u128),
    Symbol(Symbol, u128),
    Unary(Unary, u32, usize),
    Binary { op: Binary, width: u32, low_width: u32, a: usize, b: usize },
    Zext(usize),
    Sext { a: usize, from: u32, to: u32 },
    Extract { of: usize, low: u32, mask: u128 },
    Ite(usize, usize, usize),
    Select(Vec<usize>, usize),
}

impl Columns {
    /// Flattens a term; none if it has more than `most` different parts.
    pub fn new(pool: &Pool, id: ExprId, most: usize) -> Option<Columns> {
        let parts = parts(pool, id, most)?;
        let mut position = FxHashMap::default();
        let mut nodes = Vec::with_capacity(parts.len());
        for part in parts {
            let at = |id: ExprId| position[&id];
            let node = match pool.term(part) {
                Term::Const(_) => Node::Const(pool.facts(part).lo),
                Term::Symbol(symbol) => Node::Symbol(symbol, mask(pool.width(part))),
                Term::Unary(op, a) => Node::Unary(op, pool.width(a), at(a)),
                Term::Binary(op, a, b) => {
                    Node::Binary { op, width: pool.width(a), low_width: pool.width(b), a: at(a), b: at(b) }
                }
                Term::Zext(a, _) => Node::Zext(at(a)),
                Term::Sext(a, to) => Node::Sext { a: at(a), from: pool.width(a), to: to.into() },
                Term::Extract { of, low, width } => {
                    Node::Extract { of: at(of), low: low.into(), mask: mask(width.into()) }
                }
                Term::Ite(condition, then, otherwise) => Node::Ite(at(condition), at(then), at(otherwise)),
                Term::Select(array, index) => {
                    Node::Select(pool.elements(array).iter().map(|&element| at(element)).collect(), at(index))
                }
            };
            position.insert(part, nodes.len());
            nodes.push(node);
        }
        Some(Columns { nodes })
    }

    /// The number of different parts of the term.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The values of the term in the first `n` lanes, of which `value_of` says what each symbol stands for. What was in `values` is
    /// overwritten.
    pub fn evaluate<'v>(
        &self,
        values: &'v mut Vec<u128>,
        n: usize,
        value_of: impl Fn(Symbol, usize) -> u128,
    ) -> &'v [u128] {
        assert!(n <= LANES, "{n} lanes are too many");
        if values.len() < self.nodes.len() * LANES {
            values.resize(self.nodes.len() * LANES, 0);
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let (before, rest) = values.split_at_mut(at * LANES);
            let column = |at: usize| &before[at * LANES..at * LANES + n];
            let out = &mut rest[..n];
            match node {
                Node::Const(value) => out.fill(*value),
                Node::Symbol(symbol, mask) => {
                    out.iter_mut().enumerate().for_each(|(lane, out)| *out = value_of(*symbol, lane) & mask);
                }
                Node::Unary(op, width, a) => {
                    out.iter_mut().zip(column(*a)).for_each(|(out, &a)| *out = apply_unary(*op, *width, a));
                }
                Node::Binary { op, width, low_width, a, b } => {
                    let operands = column(*a).iter().zip(column(*b));
                    for (out, (&a, &b)) in out.iter_mut().zip(operands) {
                        *out = apply_binary(*op, *width, *low_width, a, b);
                    }
                }
                Node::Zext(a) => out.copy_from_slice(column(*a)),
                Node::Sext { a, from, to } => {
                    for (out, &a) in out.iter_mut().zip(column(*a)) {
                        *out = sign_extend(a, *from) as u128 & mask(*to);
                    }
                }
                Node::Extract { of, low, mask } => {
                    out.iter_mut().zip(column(*of)).for_each(|(out, &of)| *out = of >> low & mask);
                }
                Node::Ite(condition, then, otherwise) => {
                    let arms = column(*then).iter().zip(column(*otherwise));
                    for (out, (&condition, (&then, &otherwise))) in
                        out.iter_mut().zip(column(*condition).iter().zip(arms))
                    {
                        *out = if condition == 1 { then } else { otherwise };
                    }
                }
                Node::Select(elements, index) => {
                    for (lane, (out, &index)) in out.iter_mut().zip(column(*index)).enumerate() {
                        let element = usize::try_from(index).ok().and_then(|index| elements.get(index));
                        *out = element.map_or(0, |&element| before[element * LANES + lane]);
                    }
                }
            }
        }
        let root = (self.nodes.len() - 1) * LANES;
        &values[root..root + n]
    }
}

/// All different parts of a term, operands first: ids only grow, so their order is that of their making.
fn parts(pool: &Pool, id: ExprId, most: usize) -> Option<Vec<ExprId>> {
    let mut seen = gordian_base::FxHashSet::default();
    let mut stack = vec![id];
    while let Some(id) = stack.pop() {
        if !seen.insert(id) {
            continue;
        }
        if seen.len() > most {
            return None;
        }
        match pool.term(id) {
            Term::Const(_) | Term::Symbol(_) => {}
            Term::Unary(_, a) | Term::Zext(a, _) | Term::Sext(a, _) | Term::Extract { of: a, .. } => stack.push(a),
            Term::Binary(_, a, b) => stack.extend([a, b]),
            Term::Ite(a, b, c) => stack.extend([a, b, c]),
            Term::Select(array, index) => {
                stack.push(index);
                stack.extend(pool.elements(array).iter());
            }
        }
    }
    let mut parts: Vec<ExprId> = seen.into_iter().collect();
    parts.sort_unstable();
    Some(parts)
}
