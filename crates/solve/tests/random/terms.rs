//! Random terms.

use gordian_base::Rng;
use gordian_expr::{Binary, ExprId, Pool, Unary, mask};

const BINARY: [Binary; 12] = [
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
];

const PREDICATES: [Binary; 7] =
    [Binary::Eq, Binary::Ult, Binary::Ule, Binary::Slt, Binary::Sle, Binary::UmulOverflow, Binary::SmulOverflow];

/// A number at random, often one at an edge.
pub fn number(rng: &mut Rng, width: u32) -> u128 {
    let all = mask(width);
    let value = match rng.below(6) {
        0 => rng.below(4) as u128,
        1 => all - rng.below(2) as u128,
        2 => 1 << rng.below(width as usize),
        3 => rng.below(64) as u128,
        _ => u128::from(rng.next_u64()) << 64 | u128::from(rng.next_u64()),
    };
    value & all
}

pub fn condition(pool: &mut Pool, rng: &mut Rng, symbols: &[ExprId], depth: u32) -> ExprId {
    let width = pool.width(symbols[rng.below(symbols.len())]);
    let (a, b) = (term(pool, rng, symbols, width, depth - 1), term(pool, rng, symbols, width, depth - 1));
    let id = match rng.below(10) {
        0 => {
            let (x, y) = (condition(pool, rng, symbols, 1), condition(pool, rng, symbols, 1));
            pool.or(x, y)
        }
        1 => pool.sadd_overflow(a, b),
        2 => pool.ssub_overflow(a, b),
        _ => pool.binary(PREDICATES[rng.below(PREDICATES.len())], a, b),
    };
    if rng.below(2) == 0 { id } else { pool.not(id) }
}

pub fn term(pool: &mut Pool, rng: &mut Rng, symbols: &[ExprId], width: u32, depth: u32) -> ExprId {
    if depth == 0 || rng.below(8) == 0 {
        if rng.below(4) == 0 {
            let value = number(rng, width);
            return pool.constant(value, width);
        }
        let symbol = symbols[rng.below(symbols.len())];
        return resized(pool, rng, symbol, width);
    }
    let (a, b) = (term(pool, rng, symbols, width, depth - 1), term(pool, rng, symbols, width, depth - 1));
    match rng.below(12) {
        0 => pool.unary([Unary::Not, Unary::Ctpop, Unary::Ctlz, Unary::Cttz][rng.below(4)], a),
        1 => {
            let condition = condition(pool, rng, symbols, 1);
            pool.ite(condition, a, b)
        }
        2 => {
            let n = 2 + rng.below(7);
            let elements: Vec<ExprId> = (0..n)
                .map(|_| {
                    let value = number(rng, width);
                    if rng.below(3) == 0 { term(pool, rng, symbols, width, 0) } else { pool.constant(value, width) }
                })
                .collect();
            let index = term(pool, rng, symbols, 4, 1);
            pool.select(&elements, index)
        }
        3 => pool.sub(a, b),
        4 => pool.rotate_left(a, b),
        _ => pool.binary(BINARY[rng.below(BINARY.len())], a, b),
    }
}

fn resized(pool: &mut Pool, rng: &mut Rng, id: ExprId, width: u32) -> ExprId {
    let from = pool.width(id);
    if from > width {
        let low = rng.below((from - width) as usize + 1) as u32;
        pool.extract(id, low, width)
    } else if rng.below(2) == 0 {
        pool.zext(id, width)
    } else {
        pool.sext(id, width)
    }
}
