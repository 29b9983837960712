//! Random terms and the tables of their values.

use crate::naive;
use gordian_base::Rng;
use gordian_expr::{Binary, Evaluator, ExprId, Pool, Symbol, Unary};

pub struct Setup {
    /// The symbols' widths.
    pub symbols: Vec<u32>,
    /// The widths that terms are brought to.
    pub widths: Vec<u32>,
    pub n_terms: usize,
    /// How many assignments at random; all of them if none.
    pub n_samples: Option<usize>,
    /// Only whole bytes are cut out and put together, as memory does it.
    pub bytes: bool,
}

/// Values by symbol.
pub type Assignment = dyn Fn(Symbol) -> u128;

pub struct Terms {
    pub pool: Pool,
    pub ids: Vec<ExprId>,
    pub assignments: Vec<Box<Assignment>>,
    /// For each term its value under each assignment.
    pub tables: Vec<Vec<u128>>,
}

const BINARY: [Binary; 20] = [
    Binary::Add,
    Binary::Mul,
    Binary::Udiv,
    Binary::Sdiv,
    Binary::Urem,
    Binary::Srem,
    Binary::And,
    Binary::Or,
    Binary::Xor,
    Binary::Shl,
    Binary::Lshr,
    Binary::Ashr,
    Binary::Concat,
    Binary::Eq,
    Binary::Ult,
    Binary::Ule,
    Binary::Slt,
    Binary::Sle,
    Binary::UmulOverflow,
    Binary::SmulOverflow,
];

type Derived = (fn(&mut Pool, ExprId, ExprId) -> ExprId, fn(u128, u128, u32) -> u128);

/// Operations that are not nodes of their own.
const DERIVED: [Derived; 12] = [
    (Pool::sub, naive::sub),
    (Pool::ne, |a, b, _| (a != b).into()),
    (Pool::umin, |a, b, _| a.min(b)),
    (Pool::umax, |a, b, _| a.max(b)),
    (Pool::smin, |a, b, w| if naive::slt(a, b, w) { a } else { b }),
    (Pool::smax, |a, b, w| if naive::slt(a, b, w) { b } else { a }),
    (Pool::uadd_overflow, |a, b, w| (naive::add(a, b, w) < a).into()),
    (Pool::usub_overflow, |a, b, _| (a < b).into()),
    (Pool::sadd_overflow, |a, b, w| {
        let (x, y, sum) = (naive::negative(a, w), naive::negative(b, w), naive::negative(naive::add(a, b, w), w));
        (x == y && sum != x).into()
    }),
    (Pool::ssub_overflow, |a, b, w| {
        let (x, y, sum) = (naive::negative(a, w), naive::negative(b, w), naive::negative(naive::sub(a, b, w), w));
        (x != y && sum != x).into()
    }),
    (Pool::rotate_left, naive::rotate_left),
    (Pool::rotate_right, |a, b, w| naive::rotate_left(a, u128::from(w) - b % u128::from(w), w)),
];

impl Terms {
    pub fn random(rng: &mut Rng, setup: &Setup) -> Terms {
        let mut terms = Terms::symbols(rng, setup);
        while terms.ids.len() < setup.n_terms {
            terms.grow(rng, setup);
        }
        terms
    }

    fn symbols(rng: &mut Rng, setup: &Setup) -> Terms {
        let mut pool = Pool::new();
        let all: u32 = setup.symbols.iter().sum();
        let words: Vec<Vec<u128>> = match setup.n_samples {
            None => (0..1u128 << all)
                .map(|number| {
                    let mut rest = number;
                    setup.symbols.iter().map(|&width| take(&mut rest, width)).collect()
                })
                .collect(),
            Some(n) => (0..n).map(|_| setup.symbols.iter().map(|&width| interesting(rng, width)).collect()).collect(),
        };
        let mut ids = Vec::new();
        let mut tables = Vec::new();
        for (index, &width) in setup.symbols.iter().enumerate() {
            ids.push(pool.fresh(format!("x{index}"), width));
            tables.push(words.iter().map(|word| word[index]).collect());
        }
        let assignments = words
            .into_iter()
            .map(|word| Box::new(move |symbol: Symbol| word[symbol.0 as usize]) as Box<Assignment>)
            .collect();
        Terms { pool, ids, assignments, tables }
    }

    /// Every term has its table's values, and its facts are true of them.
    pub fn check(&self) {
        let mut evaluator = Evaluator::new();
        for (sample, assignment) in self.assignments.iter().enumerate() {
            let mut session = evaluator.session(&self.pool, assignment);
            for (&id, table) in self.ids.iter().zip(&self.tables) {
                let expected = table[sample];
                assert_eq!(session.value(id), expected, "{} under assignment {sample}", self.pool.display(id));
                let facts = self.pool.facts(id);
                let in_range = facts.lo <= expected && expected <= facts.hi;
                let has_bits = facts.ones & !expected == 0 && facts.zeros & expected == 0;
                assert!(in_range && has_bits, "{} is {expected} against {facts:?}", self.pool.display(id));
            }
        }
    }

    fn push(&mut self, id: ExprId, table: Vec<u128>) {
        self.ids.push(id);
        self.tables.push(table);
    }

    fn pick(&self, rng: &mut Rng) -> usize {
        // Young terms are used more often, so that terms become deep.
        let n = self.ids.len();
        if rng.below(2) == 0 { rng.below(n) } else { n - 1 - rng.below(n.min(8)) }
    }

    /// A term of the width: one that is there, cut or extended, or a constant.
    fn pick_of_width(&mut self, rng: &mut Rng, width: u32, setup: &Setup) -> (ExprId, Vec<u128>) {
        if rng.below(5) == 0 {
            let value = interesting(rng, width);
            return (self.pool.constant(value, width), vec![value; self.assignments.len()]);
        }
        let index = self.pick(rng);
        let (id, table) = (self.ids[index], self.tables[index].clone());
        let from = self.pool.width(id);
        if from >= width {
            let low = if rng.below(2) == 0 { 0 } else { rng.below((from - width) as usize + 1) as u32 };
            let low = if setup.bytes && width > 1 { low / 8 * 8 } else { low };
            let table = table.iter().map(|value| value >> low & naive::ones(width)).collect();
            (self.pool.extract(id, low, width), table)
        } else if rng.below(2) == 0 {
            (self.pool.zext(id, width), table)
        } else {
            let table = table.iter().map(|&value| naive::sext(value, from, width)).collect();
            (self.pool.sext(id, width), table)
        }
    }

    fn grow(&mut self, rng: &mut Rng, setup: &Setup) {
        let width = setup.widths[rng.below(setup.widths.len())];
        match rng.below(12) {
            0 => self.grow_unary(rng, width, setup),
            1 => {
                let (condition, when) = self.pick_of_width(rng, 1, setup);
                let ((a, x), (b, y)) = (self.pick_of_width(rng, width, setup), self.pick_of_width(rng, width, setup));
                let id = self.pool.ite(condition, a, b);
                let table =
                    (0..when.len()).map(|sample| if when[sample] == 1 { x[sample] } else { y[sample] }).collect();
                self.push(id, table);
            }
            2 => self.grow_select(rng, width, setup),
            3 | 4 => {
                let (build, apply) = DERIVED[rng.below(DERIVED.len())];
                let ((a, x), (b, y)) = (self.pick_of_width(rng, width, setup), self.pick_of_width(rng, width, setup));
                let id = build(&mut self.pool, a, b);
                self.push(id, x.iter().zip(&y).map(|(&x, &y)| apply(x, y, width)).collect());
            }
            5 => {
                let (id, table) = self.pick_of_width(rng, width, setup);
                self.push(id, table);
            }
            _ => self.grow_binary(rng, width, setup),
        }
    }

    fn grow_unary(&mut self, rng: &mut Rng, width: u32, setup: &Setup) {
        let op = [Unary::Not, Unary::Ctpop, Unary::Ctlz, Unary::Cttz][rng.below(4)];
        let (a, table) = self.pick_of_width(rng, width, setup);
        let apply = |value: u128| {
            let bits = naive::to_bits(value, width);
            match op {
                Unary::Not => naive::from_bits(&bits.iter().map(|bit| !bit).collect::<Vec<_>>()),
                Unary::Ctpop => bits.iter().filter(|&&bit| bit).count() as u128,
                Unary::Ctlz => bits.iter().rev().take_while(|&&bit| !bit).count() as u128,
                Unary::Cttz => bits.iter().take_while(|&&bit| !bit).count() as u128,
            }
        };
        let id = self.pool.unary(op, a);
        self.push(id, table.into_iter().map(apply).collect());
    }

    fn grow_select(&mut self, rng: &mut Rng, width: u32, setup: &Setup) {
        let n = 1 + rng.below(9);
        let elements: Vec<_> = (0..n).map(|_| self.pick_of_width(rng, width, setup)).collect();
        let (index, positions) = self.pick_of_width(rng, 3, setup);
        let ids: Vec<ExprId> = elements.iter().map(|element| element.0).collect();
        let id = self.pool.select(&ids, index);
        let at = |sample: usize| elements.get(positions[sample] as usize).map_or(0, |element| element.1[sample]);
        self.push(id, (0..positions.len()).map(at).collect());
        let ((value, written), mut stored) = (self.pick_of_width(rng, width, setup), ids);
        self.pool.store(&mut stored, index, value);
        let place = rng.below(n);
        let at = |sample: usize| {
            if positions[sample] == place as u128 { written[sample] } else { elements[place].1[sample] }
        };
        self.push(stored[place], (0..positions.len()).map(at).collect());
    }

    fn grow_binary(&mut self, rng: &mut Rng, width: u32, setup: &Setup) {
        let op = BINARY[rng.below(BINARY.len())];
        let (a, x) = self.pick_of_width(rng, width, setup);
        if op == Binary::Concat {
            let low_width = if setup.bytes { 8 } else { 1 + rng.below(8) as u32 };
            if width + low_width <= 128 && (width.is_multiple_of(8) || !setup.bytes) {
                let (b, y) = self.pick_of_width(rng, low_width, setup);
                let id = self.pool.concat(a, b);
                self.push(id, x.iter().zip(&y).map(|(&x, &y)| x << low_width | y).collect());
            }
            return;
        }
        let (b, y) = self.pick_of_width(rng, width, setup);
        let id = self.pool.binary(op, a, b);
        self.push(id, x.iter().zip(&y).map(|(&x, &y)| apply(op, x, y, width)).collect());
    }
}

fn apply(op: Binary, a: u128, b: u128, w: u32) -> u128 {
    match op {
        Binary::Add => naive::add(a, b, w),
        Binary::Mul => naive::mul(a, b, w),
        Binary::Udiv => naive::udiv(a, b, w),
        Binary::Sdiv => naive::sdiv(a, b, w),
        Binary::Urem => naive::urem(a, b, w),
        Binary::Srem => naive::srem(a, b, w),
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Shl => naive::shift(a, b, w, true, false),
        Binary::Lshr => naive::shift(a, b, w, false, false),
        Binary::Ashr => naive::shift(a, b, w, false, naive::negative(a, w)),
        Binary::Concat => unreachable!("it has operands of two widths"),
        Binary::Eq => (a == b).into(),
        Binary::Ult => (a < b).into(),
        Binary::Ule => (a <= b).into(),
        Binary::Slt => naive::slt(a, b, w).into(),
        Binary::Sle => (!naive::slt(b, a, w)).into(),
        Binary::UmulOverflow => naive::umul_overflow(a, b, w).into(),
        Binary::SmulOverflow => naive::smul_overflow(a, b, w).into(),
    }
}

fn take(rest: &mut u128, width: u32) -> u128 {
    let value = *rest & naive::ones(width);
    *rest >>= width;
    value
}

/// A number at random, often one at an edge.
fn interesting(rng: &mut Rng, width: u32) -> u128 {
    let all = naive::ones(width);
    let value = match rng.below(8) {
        0 => 0,
        1 => 1,
        2 => all,
        3 => all >> 1,
        4 => (all >> 1) + 1,
        5 => 1 << rng.below(width as usize),
        6 => rng.below(16) as u128,
        _ => u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()),
    };
    value & all
}
