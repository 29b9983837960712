//! What the simplifier promises: terms that are equal for these reasons have one id.

use gordian_expr::{Evaluator, ExprId, Pool, Symbol};

struct Words {
    pool: Pool,
    x: ExprId,
    y: ExprId,
    z: ExprId,
}

/// Three words of 32 bits.
fn words() -> Words {
    let mut pool = Pool::new();
    let [x, y, z] = ["x", "y", "z"].map(|name| pool.fresh(name, 32));
    Words { pool, x, y, z }
}

fn is_true(pool: &Pool, id: ExprId) -> bool {
    pool.as_constant(id) == Some(1)
}

fn is_false(pool: &Pool, id: ExprId) -> bool {
    pool.as_constant(id) == Some(0)
}

#[test]
fn sums_cancel() {
    let Words { mut pool, x, y, .. } = words();
    let sum = pool.add(x, y);
    assert_eq!(pool.sub(sum, y), x);
    assert_eq!(pool.add(y, x), sum);
    let zero = pool.sub(x, x);
    assert_eq!(pool.as_constant(zero), Some(0));
    let (three, four) = (pool.constant(3, 32), pool.constant(4, 32));
    let (triple, quadruple) = (pool.mul(x, three), pool.mul(four, x));
    assert_eq!(pool.sub(quadruple, triple), x);
    let two = pool.constant(2, 32);
    assert_eq!(pool.shl(x, two), quadruple);
    let negated = pool.neg(x);
    assert_eq!(pool.neg(negated), x);
    let complement = pool.not(x);
    let ones = pool.add(complement, x);
    assert_eq!(pool.as_constant(ones), Some(0xffff_ffff));
}

#[test]
fn products_are_equal_however_they_are_written() {
    let Words { mut pool, x, y, z } = words();
    let (xy, yx) = (pool.mul(x, y), pool.mul(y, x));
    assert_eq!(xy, yx);
    let (left, yz) = (pool.mul(xy, z), pool.mul(y, z));
    assert_eq!(pool.mul(x, yz), left);
    // x * (y + z) == x * y + x * z
    let sum = pool.add(y, z);
    let (factored, xz) = (pool.mul(x, sum), pool.mul(x, z));
    let expanded = pool.add(xy, xz);
    let equal = pool.eq(factored, expanded);
    assert!(is_true(&pool, equal));
    // (x + y)^2 == x^2 + 2xy + y^2
    let base = pool.add(x, y);
    let (square, xx, yy) = (pool.mul(base, base), pool.mul(x, x), pool.mul(y, y));
    let twice = pool.add(xy, xy);
    let expanded = pool.add(xx, twice);
    let expanded = pool.add(expanded, yy);
    let equal = pool.eq(square, expanded);
    assert!(is_true(&pool, equal));
    let one = pool.constant(1, 32);
    let more = pool.add(expanded, one);
    let equal = pool.eq(square, more);
    assert!(is_false(&pool, equal));
}

#[test]
fn words_come_back_from_their_bytes() {
    let Words { mut pool, x, y, .. } = words();
    let [condition, byte] = [("c", 1), ("b", 8)].map(|(name, width)| pool.fresh(name, width));
    let seven = pool.constant(7, 32);
    let mut all = vec![x, pool.add(x, y), pool.mul(x, y), pool.xor(x, y), pool.not(x), pool.shl(x, seven)];
    all.extend([pool.ashr(x, seven), pool.udiv(x, y), pool.ite(condition, x, y), pool.zext(byte, 32)]);
    all.extend([pool.sext(byte, 32), pool.zext(condition, 32), pool.urem(x, seven), pool.neg(x), pool.shl(x, y)]);
    let (wide, one) = (pool.zext(byte, 32), pool.constant(1, 32));
    all.extend([pool.add(wide, one), pool.sub(wide, one), pool.or(x, one), pool.and(x, seven), pool.sub(x, wide)]);
    for word in all {
        let bytes = [0, 8, 16, 24].map(|low| pool.extract(word, low, 8));
        let upward = bytes[1..].iter().fold(bytes[0], |low, &byte| pool.concat(byte, low));
        let downward = bytes[..3].iter().rev().fold(bytes[3], |high, &byte| pool.concat(high, byte));
        let (low, high) = (pool.concat(bytes[1], bytes[0]), pool.concat(bytes[3], bytes[2]));
        let halves = pool.concat(high, low);
        assert_eq!([upward, downward, halves], [word; 3], "{}", pool.display(word));
    }
}

#[test]
fn words_are_made_of_bytes_by_shifts_and_sums() {
    let Words { mut pool, x, .. } = words();
    let mut sum = pool.constant(0, 32);
    let mut disjunction = sum;
    for low in [0, 8, 16, 24] {
        let byte = pool.extract(x, low, 8);
        let word = pool.zext(byte, 32);
        let shift = pool.constant(low.into(), 32);
        let shifted = pool.shl(word, shift);
        sum = pool.add(shifted, sum);
        disjunction = pool.or(disjunction, shifted);
    }
    assert_eq!([sum, disjunction], [x; 2]);
    let swapped = pool.bswap(x);
    assert_eq!(pool.bswap(swapped), x);
}

#[test]
fn comparisons_become_narrow_and_strict() {
    let Words { mut pool, x, .. } = words();
    let byte = pool.fresh("b", 8);
    let [unsigned, signed] = [pool.zext(byte, 32), pool.sext(byte, 32)];
    let (digit, nine) = (pool.constant(48, 32), pool.constant(57, 32));
    let lower = pool.sle(digit, signed);
    assert_eq!(pool.display(lower).to_string(), "47 <s b");
    let offset = pool.sub(unsigned, digit);
    let upper = pool.ule(unsigned, nine);
    assert_eq!(pool.display(upper).to_string(), "b <u 58");
    let (eq, value) = (pool.eq(offset, digit), pool.constant(96, 8));
    assert_eq!(eq, pool.eq(byte, value));
    let big = pool.constant(300, 32);
    let out_of_range = pool.ult(unsigned, big);
    assert!(is_true(&pool, out_of_range));
    let (three, ten, seven) = (pool.constant(3, 32), pool.constant(10, 32), pool.constant(7, 32));
    let sum = pool.add(x, three);
    let equal = pool.eq(sum, ten);
    assert_eq!(equal, pool.eq(x, seven));
    let (less, not_less) = (pool.ult(sum, ten), pool.ule(ten, sum));
    assert_eq!(pool.not(less), not_less);
    assert_eq!(pool.display(less).to_string(), "x + 3 <u 10");
}

#[test]
fn choices_are_conditions() {
    let Words { mut pool, x, y, .. } = words();
    let condition = pool.ult(x, y);
    let (one, zero) = (pool.constant(1, 32), pool.constant(0, 32));
    let as_int = pool.ite(condition, one, zero);
    assert_eq!(pool.is_true(as_int), condition);
    let none = pool.eq(as_int, zero);
    assert_eq!(none, pool.not(condition));
    let (yes, no) = (pool.bool(true), pool.bool(false));
    assert_eq!(pool.ite(condition, yes, no), condition);
    assert_eq!(pool.ite(condition, x, x), x);
    let both = pool.and(condition, none);
    assert!(is_false(&pool, both));
}

#[test]
fn arrays_are_read_where_the_index_can_be() {
    let Words { mut pool, x, .. } = words();
    let table: Vec<ExprId> = (0..4096).map(|value: u128| pool.constant(value % 10 + 48, 8)).collect();
    let ten = pool.constant(10, 32);
    let index = pool.urem(x, ten);
    let digit = pool.select(&table, index);
    let facts = pool.facts(digit);
    assert_eq!((facts.lo, facts.hi), (48, 57));
    let constant = pool.constant(4095, 32);
    assert_eq!(pool.select(&table, constant), table[4095]);
    let outside = pool.constant(4096, 32);
    let outside = pool.select(&table, outside);
    assert_eq!(pool.as_constant(outside), Some(0));
}

#[test]
fn deep_terms_need_no_stack() {
    let Words { mut pool, x, y, .. } = words();
    let mut deep = x;
    for step in 0..100_000u128 {
        let constant = pool.constant(step * 7 + 3, 32);
        deep = match step % 4 {
            0 => pool.add(deep, y),
            1 => pool.xor(deep, constant),
            2 => pool.udiv(deep, constant),
            _ => {
                let condition = pool.ult(deep, y);
                pool.ite(condition, deep, x)
            }
        };
    }
    let mut sum = y;
    for _ in 0..100_000 {
        let product = pool.mul(sum, x);
        sum = pool.add(product, y);
    }
    let both = pool.eq(deep, sum);
    let mut evaluator = Evaluator::new();
    let value = evaluator.value(&pool, both, &|symbol: Symbol| u128::from(symbol.0) + 5);
    assert!(value <= 1);
    assert!(pool.display(both).to_string().len() < 20_000);
    let mut substitution = gordian_expr::Substitution::new();
    let five = pool.constant(5, 32);
    substitution.replace(&pool, x, five);
    substitution.replace(&pool, y, five);
    let value = substitution.apply(&mut pool, both);
    assert!(pool.as_constant(value).is_some());
    assert!(gordian_expr::script(&pool, &[both]).ends_with("(check-sat)\n"));
}

#[test]
fn symbols_of_a_term_are_known() {
    let Words { mut pool, x, y, z } = words();
    let many: Vec<ExprId> = (0..200).map(|index| pool.fresh(format!("i{index}"), 8)).collect();
    let sum = pool.add(x, z);
    assert_eq!(pool.symbols(sum).iter().collect::<Vec<_>>(), [Symbol(0), Symbol(2)]);
    assert!(!pool.symbols(sum).contains(Symbol(1)) && !pool.symbols(sum).intersects(pool.symbols(y)));
    let last = pool.zext(many[199], 32);
    let both = pool.mul(sum, last);
    assert_eq!(pool.symbols(both).iter().collect::<Vec<_>>(), [Symbol(0), Symbol(2), Symbol(202)]);
    assert!(pool.symbols(both).intersects(pool.symbols(last)) && pool.symbols(both).contains(Symbol(202)));
    assert_eq!(pool.symbols(both).len(), 3);
}

#[test]
fn broken_files_are_refused() {
    use gordian_expr::{Binary, LoadError, Saved, SavedTerm};
    let load = |terms: Vec<SavedTerm>, roots: Vec<u32>| {
        let mut pool = Pool::new();
        Saved { terms, roots }.load(&mut pool, |pool, name, width| pool.fresh_symbol(name, width))
    };
    let symbol = |width| SavedTerm::Symbol("x".into(), width);
    assert_eq!(load(vec![symbol(0)], vec![]), Err(LoadError::Width(0)));
    assert_eq!(load(vec![symbol(8)], vec![1]), Err(LoadError::Root(1)));
    assert_eq!(load(vec![SavedTerm::Zext(0, 9)], vec![]), Err(LoadError::Order(0)));
    assert_eq!(load(vec![SavedTerm::Const("g".into(), 8)], vec![]), Err(LoadError::Constant(0)));
    let mismatch = vec![symbol(8), symbol(9), SavedTerm::Binary(Binary::Add, 0, 1)];
    assert_eq!(load(mismatch, vec![]), Err(LoadError::Width(2)));
    assert_eq!(load(vec![symbol(8), SavedTerm::Extract(0, 4, u32::MAX)], vec![]), Err(LoadError::Width(1)));
    assert_eq!(load(vec![symbol(8), SavedTerm::Select(vec![], 0)], vec![]), Err(LoadError::Width(1)));
}

/// Sums of more addends than are flattened may have a factor, and be compared like any others.
#[test]
fn long_sums_with_a_factor_are_compared() {
    let mut pool = Pool::new();
    let symbols: Vec<ExprId> = (0..20).map(|n| pool.fresh(format!("x{n}"), 32)).collect();
    for n in 2..20 {
        let mut sum = symbols[0];
        for &symbol in &symbols[1..n] {
            sum = pool.add(sum, symbol);
        }
        let three = pool.constant(3, 32);
        let tripled = pool.mul(sum, three);
        let other = pool.add(symbols[19], tripled);
        for (a, b) in [(tripled, symbols[19]), (other, symbols[18]), (other, tripled)] {
            let equal = pool.eq(a, b);
            let mut evaluator = Evaluator::new();
            for seed in 0..20u128 {
                let value = |symbol: Symbol| u128::from(symbol.0) * seed * 0x0101_2377 + seed % 3;
                let [a, b, equal] = [a, b, equal].map(|id| evaluator.value(&pool, id, &value));
                assert_eq!(equal == 1, a == b);
            }
        }
    }
}
