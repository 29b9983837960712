//! Terms as circuits: every term becomes a list of bits, once and for all.

mod arithmetic;
mod gates;

pub(crate) use gates::{Bit, Gate, Gates};

use gordian_base::Id;
use gordian_expr::{Binary, ExprId, Pool, Term, Unary};

const UNKNOWN: u32 = u32::MAX;

/// The bits of terms, lowest first, and the circuit that they belong to.
pub(crate) struct Blaster {
    pub gates: Gates,
    bits: Vec<Bit>,
    /// Where a term's bits begin.
    starts: Vec<u32>,
    stack: Vec<ExprId>,
}

impl Blaster {
    pub fn new() -> Self {
        Blaster { gates: Gates::new(), bits: Vec::new(), starts: Vec::new(), stack: Vec::new() }
    }

    /// The bits of a term that was blasted before.
    pub fn known(&self, pool: &Pool, id: ExprId) -> Option<&[Bit]> {
        let start = *self.starts.get(id.index()).filter(|&&start| start != UNKNOWN)? as usize;
        Some(&self.bits[start..start + pool.width(id) as usize])
    }

    /// The one bit of a condition.
    pub fn condition(&mut self, pool: &Pool, id: ExprId) -> Bit {
        assert_eq!(pool.width(id), 1, "a condition is a boolean");
        self.blast(pool, id);
        self.of(pool, id)[0]
    }

    fn of(&self, pool: &Pool, id: ExprId) -> &[Bit] {
        self.known(pool, id).expect("operands are blasted before the terms they stand in")
    }

    fn blast(&mut self, pool: &Pool, id: ExprId) {
        if self.starts.len() < pool.len() {
            self.starts.resize(pool.len(), UNKNOWN);
        }
        if self.starts[id.index()] != UNKNOWN {
            return;
        }
        self.stack.push(id);
        while let Some(&top) = self.stack.last() {
            if self.starts[top.index()] != UNKNOWN || self.push_missing(pool, top) {
                if self.starts[top.index()] == UNKNOWN {
                    let bits = self.build(pool, top);
                    debug_assert_eq!(bits.len(), pool.width(top) as usize, "a term has as many bits as its width");
                    self.starts[top.index()] = u32::try_from(self.bits.len()).expect("fewer than 2^32 bits");
                    self.bits.extend(bits);
                }
                self.stack.pop();
            }
        }
    }

    /// Puts the operands that are not blasted yet on the stack. True if there are none.
    fn push_missing(&mut self, pool: &Pool, id: ExprId) -> bool {
        let before = self.stack.len();
        let term = pool.term(id);
        for operand in term.operands() {
            if self.starts[operand.index()] == UNKNOWN {
                self.stack.push(operand);
            }
        }
        if let Term::Select(array, index) = term {
            let range = pool.facts(index);
            let in_reach = (0u128..).zip(pool.elements(array).iter());
            for (_, &element) in in_reach.filter(|&(at, _)| range.lo <= at && at <= range.hi) {
                if self.starts[element.index()] == UNKNOWN {
                    self.stack.push(element);
                }
            }
        }
        self.stack.len() == before
    }

    fn build(&mut self, pool: &Pool, id: ExprId) -> Vec<Bit> {
        let width = pool.width(id) as usize;
        match pool.term(id) {
            Term::Const(_) => (0..width).map(|bit| Bit::constant(pool.facts(id).lo >> bit & 1 == 1)).collect(),
            Term::Symbol(_) => (0..width).map(|_| self.gates.input()).collect(),
            Term::Unary(op, a) => {
                let a = self.of(pool, a).to_vec();
                match op {
                    Unary::Not => a.into_iter().map(|bit| !bit).collect(),
                    Unary::Ctpop => self.gates.count_ones(&a),
                    Unary::Ctlz => self.gates.count_zeros(&a, false),
                    Unary::Cttz => self.gates.count_zeros(&a, true),
                }
            }
            Term::Binary(Binary::Add, a, b) => self.sum(pool, a, b),
            Term::Binary(op, a, b) => {
                let (a, b) = (self.of(pool, a).to_vec(), self.of(pool, b).to_vec());
                self.binary(op, &a, &b)
            }
            Term::Zext(a, _) => {
                let mut bits = self.of(pool, a).to_vec();
                bits.resize(width, Bit::FALSE);
                bits
            }
            Term::Sext(a, _) => {
                let mut bits = self.of(pool, a).to_vec();
                bits.resize(width, bits[bits.len() - 1]);
                bits
            }
            Term::Extract { of, low, .. } => self.of(pool, of)[low as usize..low as usize + width].to_vec(),
            Term::Ite(condition, then, otherwise) => {
                let condition = self.of(pool, condition)[0];
                let (then, otherwise) = (self.of(pool, then).to_vec(), self.of(pool, otherwise).to_vec());
                self.gates.choose(condition, &then, &otherwise)
            }
            Term::Select(array, index) => {
                let range = pool.facts(index);
                let elements: Vec<Vec<Bit>> = (0u128..)
                    .zip(pool.elements(array).iter())
                    .map(|(at, &element)| {
                        // What is out of reach may be anything.
                        let in_reach = range.lo <= at && at <= range.hi;
                        if in_reach { self.of(pool, element).to_vec() } else { vec![Bit::FALSE; width] }
                    })
                    .collect();
                let index = self.of(pool, index).to_vec();
                self.gates.select(elements, &index, width)
            }
        }
    }

    /// Terms have no subtraction; adding a product with -1 is one.
    fn sum(&mut self, pool: &Pool, a: ExprId, b: ExprId) -> Vec<Bit> {
        for (minuend, product) in [(a, b), (b, a)] {
            if let Term::Binary(Binary::Mul, subtrahend, factor) = pool.term(product)
                && pool.as_constant(factor) == Some(gordian_expr::mask(pool.width(factor)))
            {
                let (minuend, subtrahend) = (self.of(pool, minuend).to_vec(), self.of(pool, subtrahend).to_vec());
                return self.gates.subtract(&minuend, &subtrahend);
            }
        }
        let (a, b) = (self.of(pool, a).to_vec(), self.of(pool, b).to_vec());
        self.gates.add(&a, &b, Bit::FALSE)
    }

    fn binary(&mut self, op: Binary, a: &[Bit], b: &[Bit]) -> Vec<Bit> {
        let gates = &mut self.gates;
        let pairs = || a.iter().zip(b).map(|(&x, &y)| (x, y));
        match op {
            Binary::Add => gates.add(a, b, Bit::FALSE),
            Binary::Mul => gates.multiply(a, b),
            Binary::Udiv => gates.divide(a, b).0,
            Binary::Urem => gates.divide(a, b).1,
            Binary::Sdiv => gates.divide_signed(a, b).0,
            Binary::Srem => gates.divide_signed(a, b).1,
            Binary::And => pairs().map(|(x, y)| gates.and(x, y)).collect(),
            Binary::Or => pairs().map(|(x, y)| gates.or(x, y)).collect(),
            Binary::Xor => pairs().map(|(x, y)| gates.xor(x, y)).collect(),
            Binary::Shl => {
                let reversed: Vec<Bit> = a.iter().rev().copied().collect();
                let mut shifted = gates.shift_right(&reversed, b, Bit::FALSE);
                shifted.reverse();
                shifted
            }
            Binary::Lshr => gates.shift_right(a, b, Bit::FALSE),
            Binary::Ashr => gates.shift_right(a, b, a[a.len() - 1]),
            Binary::Concat => b.iter().chain(a).copied().collect(),
            Binary::Eq => vec![gates.equal(a, b)],
            Binary::Ult => vec![gates.less(a, b)],
            Binary::Ule => vec![!gates.less(b, a)],
            Binary::Slt => vec![gates.less_signed(a, b)],
            Binary::Sle => vec![!gates.less_signed(b, a)],
            Binary::UmulOverflow => vec![gates.multiply_overflows(a, b)],
            Binary::SmulOverflow => vec![gates.multiply_overflows_signed(a, b)],
        }
    }
}
