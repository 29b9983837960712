//! Each layer answers what it is there for.

use gordian_expr::{ExprId, Pool, Symbol};
use gordian_solve::layers::{Cache, Fold, Independence, ModelReuse, Order};
use gordian_solve::{Answer, BitBlaster, Budget, Interrupt, Model, Query, Reason, Solver, standard};

fn bytes(n: usize) -> (Pool, Vec<ExprId>) {
    let mut pool = Pool::new();
    let symbols = (0..n).map(|index| pool.fresh(format!("in{index}"), 8)).collect();
    (pool, symbols)
}

/// `symbol < bound`
fn below(pool: &mut Pool, symbol: ExprId, bound: u128) -> ExprId {
    let bound = pool.constant(bound, pool.width(symbol));
    pool.ult(symbol, bound)
}

fn reached_backend(solver: &impl Solver) -> u64 {
    solver.statistics().layer("bits").expect("there is a backend").queries
}

#[test]
fn contradictions_of_one_term_never_reach_the_backend() {
    let (mut pool, symbols) = bytes(2);
    let x = symbols[0];
    let (yes, no) = (pool.bool(true), pool.bool(false));
    let ten = below(&mut pool, x, 10);
    let beyond = below(&mut pool, x, 20);
    let beyond = pool.not(beyond);
    let not_ten = pool.not(ten);
    let five = pool.constant(5, 8);
    let five = pool.eq(x, five);
    let not_five = pool.not(five);
    let mut solver = standard(None);
    assert!(solver.check(&pool, &Query::new(&[yes, yes])).is_sat());
    for contradiction in
        [vec![ten, no], vec![ten, beyond], vec![ten, not_ten], vec![beyond, five], vec![five, not_five]]
    {
        let Answer::Unsat(core) = solver.check(&pool, &Query::new(&contradiction)) else { panic!("it is impossible") };
        assert!(core.ids().len() <= 2 && core.ids().iter().all(|id| contradiction.contains(id)));
    }
    assert_eq!(reached_backend(&solver), 0);
}

#[test]
fn only_what_has_to_do_with_the_question_is_asked() {
    let (mut pool, symbols) = bytes(100);
    let hint: Model = (0..100).map(|index| (Symbol(index), 7)).collect();
    let path: Vec<ExprId> = symbols.iter().map(|&symbol| below(&mut pool, symbol, 100)).collect();
    let sum = pool.add(symbols[3], symbols[4]);
    let other = [below(&mut pool, sum, 2)];
    let mut solver = Independence::new(BitBlaster::new(), None);
    let Answer::Sat(model) = solver.check(&pool, &Query::new(&path).assuming(&other).with_hint(&hint)) else {
        panic!("it is possible")
    };
    for (symbol, value) in model.iter() {
        assert!(value == 7 || [Symbol(3), Symbol(4)].contains(&symbol), "{symbol} was changed for no reason");
    }
    assert_eq!(model.iter().count(), 100);
    assert_eq!(reached_backend(&solver), 1);
}

#[test]
fn answers_are_remembered() {
    let (mut pool, symbols) = bytes(3);
    let (sum, difference) = (pool.add(symbols[0], symbols[1]), pool.sub(symbols[1], symbols[2]));
    let (a, b, c) = (below(&mut pool, sum, 9), below(&mut pool, difference, 9), below(&mut pool, sum, 5));
    let not_a = pool.not(a);
    let mut solver = Cache::new(BitBlaster::new(), None);
    assert!(solver.check(&pool, &Query::new(&[c, not_a])).is_unsat());
    assert!(solver.check(&pool, &Query::new(&[c, b, a])).is_sat());
    assert_eq!(reached_backend(&solver), 2);
    assert!(solver.check(&pool, &Query::new(&[a, c]).assuming(&[b])).is_sat(), "the same in another order");
    assert!(solver.check(&pool, &Query::new(&[b]).assuming(&[a])).is_sat(), "a part of what is possible");
    let Answer::Unsat(core) = solver.check(&pool, &Query::new(&[b, c]).assuming(&[not_a])) else {
        panic!("more than what is impossible")
    };
    assert_eq!(core.ids().len(), 2);
    assert_eq!(reached_backend(&solver), 2);
}

#[test]
fn models_are_tried_again() {
    let (mut pool, symbols) = bytes(2);
    let sum = pool.add(symbols[0], symbols[1]);
    let (narrow, wide) = (below(&mut pool, sum, 5), below(&mut pool, sum, 9));
    let mut solver = ModelReuse::new(BitBlaster::new(), None);
    assert!(solver.check(&pool, &Query::new(&[narrow])).is_sat());
    assert!(solver.check(&pool, &Query::new(&[wide])).is_sat());
    let hint: Model = [(Symbol(0), 200), (Symbol(1), 10)].into_iter().collect();
    let not_wide = pool.not(wide);
    let Answer::Sat(model) = solver.check(&pool, &Query::new(&[not_wide]).with_hint(&hint)) else {
        panic!("it is possible")
    };
    assert_eq!(model, hint);
    assert_eq!(reached_backend(&solver), 1);
}

/// What sorting asks: never a matter of bits.
#[test]
fn orders_of_numbers_never_reach_the_backend() {
    let mut pool = Pool::new();
    let numbers: Vec<ExprId> = (0..6).map(|index| pool.fresh(format!("x{index}"), 32)).collect();
    let mut solver = Order::new(BitBlaster::new(), None);
    let mut path: Vec<ExprId> = numbers.windows(2).map(|pair| pool.slt(pair[0], pair[1])).collect();
    let back = [pool.slt(numbers[5], numbers[1])];
    let Answer::Unsat(core) = solver.check(&pool, &Query::new(&path).assuming(&back)) else { panic!("it is a circle") };
    assert_eq!(core.ids().len(), 5, "the first number has nothing to do with it");
    path.extend([pool.sle(numbers[2], numbers[1])]);
    assert!(solver.check(&pool, &Query::new(&path)).is_unsat());
    path.pop();
    // All between two bounds: five fit, six do not.
    let bounds = |pool: &mut Pool, lo: u128, hi: u128| {
        let (lo, hi) = (pool.constant(lo, 32), pool.constant(hi, 32));
        [pool.slt(lo, numbers[0]), pool.slt(numbers[5], hi)]
    };
    let (wide, narrow) = (bounds(&mut pool, 10, 17), bounds(&mut pool, 10, 16));
    assert!(solver.check(&pool, &Query::new(&path).assuming(&wide)).is_sat());
    let Answer::Unsat(core) = solver.check(&pool, &Query::new(&path).assuming(&narrow)) else { panic!("no room") };
    assert_eq!(core.ids().len(), 7);
    // Words of bytes are equal if their bytes are.
    let words: Vec<ExprId> = (0..3)
        .map(|word| {
            let bytes: Vec<ExprId> = (0..4).map(|byte| pool.fresh(format!("b{word}{byte}"), 8)).collect();
            bytes.into_iter().reduce(|high, low| pool.concat(high, low)).expect("there are four")
        })
        .collect();
    let (first, second) = (pool.slt(words[0], words[1]), pool.sle(words[1], words[2]));
    let (equal, differ) = (pool.eq(words[1], words[2]), pool.ne(words[1], words[2]));
    let ends = pool.eq(words[0], words[2]);
    assert!(solver.check(&pool, &Query::new(&[first, second, equal])).is_sat());
    assert!(solver.check(&pool, &Query::new(&[first, second, differ])).is_sat());
    assert!(solver.check(&pool, &Query::new(&[first, second, ends])).is_unsat());
    // Neither less nor more, and not equal either.
    let (less, more, differ) =
        (pool.sle(numbers[0], numbers[1]), pool.sle(numbers[1], numbers[0]), pool.ne(numbers[0], numbers[1]));
    assert!(solver.check(&pool, &Query::new(&[less, differ])).is_sat());
    assert!(solver.check(&pool, &Query::new(&[less, differ, more])).is_unsat());
    assert_eq!(reached_backend(&solver), 0);
}

#[test]
fn cores_leave_out_what_does_not_matter() {
    let (mut pool, symbols) = bytes(20);
    let mut path: Vec<ExprId> = symbols.iter().map(|&symbol| below(&mut pool, symbol, 100)).collect();
    let product = pool.mul(symbols[0], symbols[1]);
    let one = pool.constant(1, 8);
    let odd = pool.and(product, one);
    path.push(pool.is_true(odd));
    let even = pool.bit(symbols[0], 0);
    let even = [pool.not(even)];
    let mut solver = BitBlaster::new();
    let Answer::Unsat(core) = solver.check(&pool, &Query::new(&path).assuming(&even)) else {
        panic!("an even factor has an even product")
    };
    assert_eq!(core.ids().len(), 2, "{core:?}");
}

#[test]
fn budgets_end_a_search() {
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.fresh(name, 32));
    // Two primes times each other, without carry: hard enough.
    let (wide_x, wide_y) = (pool.zext(x, 64), pool.zext(y, 64));
    let product = pool.mul(wide_x, wide_y);
    let target = pool.constant(4_294_967_291 * 4_294_967_279, 64);
    let two = pool.constant(2, 32);
    let order = pool.ult(x, y);
    let path = [pool.eq(product, target), pool.ult(two, x), order];
    let mut solver = Fold::new(BitBlaster::new(), None);
    let budget = Budget::conflicts(50);
    assert_eq!(solver.check(&pool, &Query::new(&path).within(&budget)), Answer::Unknown(Reason::Budget));
    let raised = Budget { stop: Some(Interrupt::new(|| true)), ..Budget::UNLIMITED };
    assert_eq!(solver.check(&pool, &Query::new(&path).within(&raised)), Answer::Unknown(Reason::Stopped));
    let budget = Budget { decisions: Some(3), ..Budget::UNLIMITED };
    assert_eq!(solver.check(&pool, &Query::new(&path).within(&budget)), Answer::Unknown(Reason::Budget));
    assert!(solver.check(&pool, &Query::new(&path[2..])).is_sat(), "the solver is still good for other questions");
}

/// What a circuit of 64-bit division would take a solver seconds for.
#[test]
fn few_values_are_tried_one_by_one() {
    let (mut pool, symbols) = bytes(2);
    let [x, y] = [symbols[0], symbols[1]].map(|id| pool.zext(id, 64));
    let factor = pool.constant(0x9e37_79b9_7f4a_7c15, 64);
    let (product, other) = (pool.mul(x, factor), pool.mul(y, factor));
    let sum = pool.add(product, other);
    let one = pool.constant(1, 64);
    let divisor = pool.or(sum, one);
    let dividend = pool.constant(0xdead_beef_cafe_babe, 64);
    let rest = pool.urem(dividend, divisor);
    let most = pool.constant(1 << 20, 64);
    let small = [pool.ult(rest, most)];
    let mut solver = standard(None);
    let expected = (0..=255u64).flat_map(|x| (0..=255u64).map(move |y| (x, y))).find(|&(x, y)| {
        let sum = x.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(y.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        0xdead_beef_cafe_babe % (sum | 1) < 1 << 20
    });
    match (solver.check(&pool, &Query::new(&[]).assuming(&small)), expected) {
        (Answer::Sat(model), Some((x, y))) => {
            assert_eq!(model.get(Symbol(0)), Some(x.into()));
            assert_eq!(model.get(Symbol(1)), Some(y.into()));
        }
        (Answer::Unsat(_), None) => {}
        (answer, expected) => panic!("{answer:?} where {expected:?} was expected"),
    }
    assert_eq!(reached_backend(&solver), 0);
}

#[test]
fn tables_of_thousands_of_bytes_are_read_and_written() {
    let mut pool = Pool::new();
    let index = pool.fresh("index", 32);
    let value = pool.fresh("value", 8);
    let mut table: Vec<ExprId> = (0..4096u128).map(|at| pool.constant(at * 37 % 251, 8)).collect();
    let limit = pool.constant(4096, 32);
    let path = [pool.ult(index, limit)];
    let mut solver = standard(None);
    let element = pool.select(&table, index);
    let wanted = pool.constant(200, 8);
    let found = [pool.eq(element, wanted)];
    let Answer::Sat(model) = solver.check(&pool, &Query::new(&path).assuming(&found)) else { panic!("it is there") };
    let at = model.get(Symbol(0)).expect("the index is in the query");
    assert_eq!(at * 37 % 251, 200);
    let missing = pool.constant(255, 8);
    let missing = [pool.eq(element, missing)];
    assert!(solver.check(&pool, &Query::new(&path).assuming(&missing)).is_unsat());
    pool.store(&mut table, index, value);
    let again = pool.select(&table, index);
    let other = [pool.ne(again, value)];
    assert!(solver.check(&pool, &Query::new(&path).assuming(&other)).is_unsat());
}

#[test]
fn deep_terms_need_no_stack() {
    let mut pool = Pool::new();
    let [x, y] = ["x", "y"].map(|name| pool.fresh(name, 4));
    let mut deep = x;
    for _ in 0..30_000 {
        let sum = pool.xor(deep, y);
        let shifted = pool.lshr(deep, sum);
        let odd = pool.bit(y, 0);
        deep = pool.ite(odd, shifted, deep);
    }
    let zero = pool.constant(0, 4);
    let path = [pool.ne(deep, zero)];
    assert!(BitBlaster::new().check(&pool, &Query::new(&path)).is_sat());
}
