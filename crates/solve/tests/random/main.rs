//! Random questions: answers are compared with brute force over all assignments, or with evaluation where there are too many.
//! Set `GORDIAN_TEST_SEED` for other questions than the usual ones.

mod terms;

use gordian_base::Rng;
use gordian_expr::{Evaluator, ExprId, Pool, Symbol};
use gordian_solve::layers::{Cache, Domains, Fold, Independence, ModelReuse, Order};
use gordian_solve::{Answer, BitBlaster, Budget, Extreme, Model, Query, Solver, maximum, minimum, standard, values};
use terms::{condition, term};

fn rng(purpose: u64) -> Rng {
    let seed = std::env::var("GORDIAN_TEST_SEED").map_or(1, |seed| seed.parse().expect("the seed is a number"));
    Rng::stream(seed, purpose)
}

/// A pool with some symbols.
fn pool(widths: &[u32]) -> (Pool, Vec<ExprId>) {
    let mut pool = Pool::new();
    let symbols = widths.iter().enumerate().map(|(index, &width)| pool.fresh(format!("x{index}"), width)).collect();
    (pool, symbols)
}

/// All models of a pool whose symbols have few bits.
fn assignments(pool: &Pool) -> Vec<Vec<u128>> {
    let mut all = vec![Vec::new()];
    for symbol in (0..pool.n_symbols() as u32).map(Symbol) {
        let width = pool.symbol_width(symbol);
        all = all
            .into_iter()
            .flat_map(|prefix| (0..1u128 << width).map(move |value| [prefix.as_slice(), &[value]].concat()))
            .collect();
    }
    all
}

fn possible(pool: &Pool, all: &[Vec<u128>], conditions: &[ExprId], evaluator: &mut Evaluator) -> bool {
    all.iter().any(|assignment| {
        let mut session = evaluator.session(pool, assignment.as_slice());
        conditions.iter().all(|&id| session.holds(id))
    })
}

/// The layers one by one, each around bits alone, and all of them.
fn solvers() -> Vec<(&'static str, Box<dyn Solver>)> {
    vec![
        ("bits", Box::new(BitBlaster::new())),
        ("fold", Box::new(Fold::new(BitBlaster::new(), None))),
        ("independence", Box::new(Independence::new(BitBlaster::new(), None))),
        ("models", Box::new(ModelReuse::new(BitBlaster::new(), None))),
        ("order", Box::new(Order::new(BitBlaster::new(), None))),
        ("domains", Box::new(Domains::new(BitBlaster::new(), None))),
        ("cache", Box::new(Cache::new(BitBlaster::new(), None))),
        ("all", Box::new(standard(None))),
    ]
}

#[test]
fn answers_of_all_layers_agree_with_brute_force() {
    let mut rng = rng(1);
    let mut evaluator = Evaluator::new();
    let (mut n_sat, mut n_unsat) = (0, 0);
    for round in 0..60 {
        let widths: &[u32] = [&[4, 4, 1][..], &[3, 3, 3], &[8], &[2, 5, 2]][round % 4];
        let (mut pool, symbols) = pool(widths);
        let all = assignments(&pool);
        let mut solvers = solvers();
        let mut path: Vec<ExprId> = Vec::new();
        let hint: Model =
            (0..widths.len()).map(|index| (Symbol(index as u32), all[rng.below(all.len())][index])).collect();
        for _ in 0..14 {
            let asked = [condition(&mut pool, &mut rng, &symbols, 3)];
            let conditions = [path.as_slice(), &asked].concat();
            let expected = possible(&pool, &all, &conditions, &mut evaluator);
            *(if expected { &mut n_sat } else { &mut n_unsat }) += 1;
            for (name, solver) in &mut solvers {
                let mut query = Query::new(&path).assuming(&asked);
                if rng.below(2) == 0 {
                    query = query.with_hint(&hint);
                }
                match solver.check(&pool, &query) {
                    Answer::Sat(model) => {
                        assert!(expected, "{name} found a model where there is none");
                        let mut session = evaluator.session(&pool, &model);
                        assert!(conditions.iter().all(|&id| session.holds(id)), "{name} gave a wrong model");
                    }
                    Answer::Unsat(core) => {
                        assert!(!expected, "{name} found no model where there is one");
                        assert!(core.ids().iter().all(|id| conditions.contains(id)), "{name} blames what was not said");
                        let still = possible(&pool, &all, core.ids(), &mut evaluator);
                        assert!(!still, "the core of {name} is possible");
                    }
                    Answer::Unknown(reason) => panic!("{name} gave up without a limit: {reason:?}"),
                }
            }
            // The path stays possible most of the time, as that of a program does.
            if expected || rng.below(8) == 0 {
                path.push(asked[0]);
            } else {
                let other = pool.not(asked[0]);
                path.push(other);
            }
        }
    }
    assert!(n_sat > 100 && n_unsat > 100, "{n_sat} possible and {n_unsat} impossible questions are too lopsided");
}

/// Too many bits to try all values of, unless bounds leave few.
#[test]
fn bounded_symbols_agree_with_brute_force() {
    let mut rng = rng(7);
    let mut evaluator = Evaluator::new();
    let (mut n_sat, mut n_unsat, mut n_answered) = (0, 0, 0);
    for _ in 0..12 {
        let (mut pool, symbols) = pool(&[6, 6, 6]);
        let mut path: Vec<ExprId> = Vec::new();
        for &symbol in &symbols[..1 + rng.below(3)] {
            let (lo, hi) = (terms::number(&mut rng, 6), terms::number(&mut rng, 6));
            let (lo, hi) = (pool.constant(lo, 6), pool.constant(hi, 6));
            let signed = rng.below(2) == 0;
            let between = if signed {
                [pool.slt(lo, symbol), pool.sle(symbol, hi)]
            } else {
                [pool.ule(lo, symbol), pool.ult(symbol, hi)]
            };
            path.extend(between);
        }
        let all = assignments(&pool);
        let holds = |pool: &Pool, conditions: &[ExprId], assignment: &Vec<u128>, evaluator: &mut Evaluator| {
            let mut session = evaluator.session(pool, assignment.as_slice());
            conditions.iter().all(|&id| session.holds(id))
        };
        let left: Vec<_> =
            all.into_iter().filter(|assignment| holds(&pool, &path, assignment, &mut evaluator)).collect();
        let mut solver = Domains::new(BitBlaster::new(), None);
        for _ in 0..5 {
            let asked = [condition(&mut pool, &mut rng, &symbols, 3)];
            let expected = possible(&pool, &left, &asked, &mut evaluator);
            match solver.check(&pool, &Query::new(&path).assuming(&asked)) {
                Answer::Sat(model) => {
                    n_sat += 1;
                    assert!(expected);
                    let mut session = evaluator.session(&pool, &model);
                    assert!(path.iter().chain(&asked).all(|&id| session.holds(id)));
                }
                Answer::Unsat(core) => {
                    n_unsat += 1;
                    assert!(!expected);
                    assert!(core.ids().iter().all(|id| path.contains(id) || asked.contains(id)));
                    assert!(BitBlaster::new().check(&pool, &Query::new(core.ids())).is_unsat(), "the core is possible");
                }
                Answer::Unknown(reason) => panic!("gave up without a limit: {reason:?}"),
            }
        }
        n_answered += solver.statistics().layer("domains").expect("it is there").answered;
    }
    assert!(n_sat > 5 && n_unsat > 5, "{n_sat} possible and {n_unsat} impossible questions are too lopsided");
    assert!(n_answered > 20, "only {n_answered} questions were answered by trying all values");
}

/// One of the comparisons that order alone decides, or its negation.
fn comparison(pool: &mut Pool, rng: &mut Rng, terms: &[ExprId]) -> ExprId {
    let a = terms[rng.below(terms.len())];
    let b = match rng.below(4) {
        0 => pool.constant(terms::number(rng, pool.width(a)), pool.width(a)),
        _ => terms[rng.below(terms.len())],
    };
    let id = match rng.below(6) {
        0 => pool.ult(a, b),
        1 => pool.slt(b, a),
        2 | 3 => pool.slt(a, b),
        4 => pool.ule(b, a),
        _ => pool.eq(a, b),
    };
    if rng.below(2) == 0 { id } else { pool.not(id) }
}

#[test]
fn orders_of_numbers_agree_with_brute_force() {
    let mut rng = rng(6);
    let mut evaluator = Evaluator::new();
    let (mut n_sat, mut n_unsat, mut n_answered, mut n_core) = (0, 0, 0, 0);
    for round in 0..80 {
        // Numbers that are symbols, and such that are put together from two.
        let widths: &[u32] = [&[3, 3, 3, 3][..], &[2, 1, 2, 1, 3, 3], &[4, 4, 4], &[2, 2, 2, 2, 2, 2]][round % 4];
        let (mut pool, symbols) = pool(widths);
        let whole = widths.iter().max().expect("there are symbols");
        let mut numbers: Vec<ExprId> = symbols.iter().copied().filter(|&id| pool.width(id) == *whole).collect();
        if round % 4 == 1 {
            numbers.extend([(0, 1), (2, 3)].map(|(high, low)| pool.concat(symbols[high], symbols[low])));
        }
        if round % 8 == 7 {
            numbers = numbers.into_iter().map(|id| pool.sext(id, 5)).collect();
        }
        let all = assignments(&pool);
        let mut solver = Order::new(BitBlaster::new(), None);
        let mut path: Vec<ExprId> = Vec::new();
        for _ in 0..14 {
            let asked = [comparison(&mut pool, &mut rng, &numbers)];
            let conditions = [path.as_slice(), &asked].concat();
            let expected = possible(&pool, &all, &conditions, &mut evaluator);
            match solver.check(&pool, &Query::new(&path).assuming(&asked)) {
                Answer::Sat(model) => {
                    n_sat += 1;
                    assert!(expected);
                    let mut session = evaluator.session(&pool, &model);
                    assert!(conditions.iter().all(|&id| session.holds(id)));
                }
                Answer::Unsat(core) => {
                    n_unsat += 1;
                    n_core += core.ids().len();
                    assert!(!expected);
                    assert!(core.ids().iter().all(|id| conditions.contains(id)));
                    assert!(!possible(&pool, &all, core.ids(), &mut evaluator), "the core is possible");
                }
                Answer::Unknown(reason) => panic!("gave up without a limit: {reason:?}"),
            }
            let taken = if expected { asked[0] } else { pool.not(asked[0]) };
            path.push(taken);
        }
        n_answered += solver.statistics().layer("order").expect("it is there").answered;
    }
    assert!(n_sat > 200 && n_unsat > 200, "{n_sat} possible and {n_unsat} impossible questions are too lopsided");
    assert!(n_answered > 500, "only {n_answered} of {} questions were answered by order", n_sat + n_unsat);
    assert!(n_core < 4 * n_unsat, "cores have {n_core} conditions for {n_unsat} contradictions");
}

#[test]
fn every_operation_has_the_circuit_of_its_value() {
    // A term equals its value once all symbols are fixed, and differs from every other value.
    let mut rng = rng(2);
    let mut evaluator = Evaluator::new();
    for round in 0..60 {
        let widths: &[u32] = [&[32, 32, 8][..], &[64, 16, 64], &[16, 8, 5], &[128, 7, 33]][round % 4];
        let (mut pool, symbols) = pool(widths);
        let mut solver = BitBlaster::new();
        let model: Model = widths
            .iter()
            .enumerate()
            .map(|(index, &width)| (Symbol(index as u32), terms::number(&mut rng, width)))
            .collect();
        let fixed: Vec<ExprId> = model
            .iter()
            .map(|(symbol, value)| {
                let value = pool.constant(value, pool.symbol_width(symbol));
                pool.eq(pool.symbol_term(symbol), value)
            })
            .collect();
        for _ in 0..6 {
            let width = widths[rng.below(widths.len())];
            let id = term(&mut pool, &mut rng, &symbols, width, 3);
            let value = pool.constant(evaluator.value(&pool, id, &model), width);
            let same = [pool.eq(id, value)];
            let other = [pool.ne(id, value)];
            assert!(solver.check(&pool, &Query::new(&fixed).assuming(&same)).is_sat(), "{}", pool.display(id));
            assert!(solver.check(&pool, &Query::new(&fixed).assuming(&other)).is_unsat(), "{}", pool.display(id));
        }
    }
}

#[test]
fn wide_questions_get_models_and_no_contradictions() {
    // Whatever holds under an assignment at random is possible; the solver must not say otherwise.
    let mut rng = rng(3);
    let mut evaluator = Evaluator::new();
    let budget = Budget::conflicts(100);
    for _ in 0..6 {
        let (mut pool, symbols) = pool(&[32, 32, 24, 8, 8, 16]);
        let mut solvers = solvers();
        let model: Model = (0..symbols.len() as u32)
            .map(|index| (Symbol(index), terms::number(&mut rng, pool.symbol_width(Symbol(index)))))
            .collect();
        let mut path = Vec::new();
        for _ in 0..12 {
            let id = condition(&mut pool, &mut rng, &symbols, 2);
            let taken = if evaluator.value(&pool, id, &model) == 1 { id } else { pool.not(id) };
            let other = [pool.not(taken)];
            let answers: Vec<Answer> = solvers
                .iter_mut()
                .map(|(_, solver)| solver.check(&pool, &Query::new(&path).assuming(&other).within(&budget)))
                .collect();
            let sat = answers.iter().any(Answer::is_sat);
            assert!(!(sat && answers.iter().any(Answer::is_unsat)), "layers contradict each other: {answers:?}");
            path.push(taken);
            for (name, solver) in &mut solvers {
                let answer = solver.check(&pool, &Query::new(&path).within(&budget));
                assert!(!answer.is_unsat(), "{name} denies what holds under {model:?}");
            }
        }
    }
}

#[test]
fn extremes_and_values_agree_with_brute_force() {
    let mut rng = rng(4);
    let mut evaluator = Evaluator::new();
    for _ in 0..40 {
        let (mut pool, symbols) = pool(&[4, 4]);
        let all = assignments(&pool);
        let constraints: Vec<ExprId> = (0..2).map(|_| condition(&mut pool, &mut rng, &symbols, 2)).collect();
        let id = term(&mut pool, &mut rng, &symbols, 8, 3);
        let mut expected: Vec<u128> = Vec::new();
        for assignment in &all {
            let mut session = evaluator.session(&pool, assignment.as_slice());
            if constraints.iter().all(|&id| session.holds(id)) {
                expected.push(session.value(id));
            }
        }
        expected.sort_unstable();
        expected.dedup();
        let mut solver = standard(None);
        let query = Query::new(&constraints);
        for (extreme, expected) in [
            (minimum(&mut solver, &mut pool, &query, id), expected.first()),
            (maximum(&mut solver, &mut pool, &query, id), expected.last()),
        ] {
            match extreme {
                Extreme::Found(witness) => {
                    assert_eq!(Some(&witness.value), expected);
                    assert_eq!(evaluator.value(&pool, id, &witness.model), witness.value);
                }
                Extreme::Infeasible => assert_eq!(expected, None),
                Extreme::Unknown(..) => panic!("gave up without a limit"),
            }
        }
        let few = values(&mut solver, &mut pool, &query, id, 3);
        assert_eq!(few.found.len(), expected.len().min(3));
        assert_eq!(few.complete, expected.len() <= 3);
        let all = values(&mut solver, &mut pool, &query, id, 300);
        let mut found: Vec<u128> = all.found.iter().map(|witness| witness.value).collect();
        found.sort_unstable();
        assert_eq!((found, all.complete), (expected, true));
    }
}

#[test]
fn same_questions_get_the_same_answers() {
    let ask = || {
        let mut rng = rng(5);
        let (mut pool, symbols) = pool(&[32, 32, 16]);
        let mut solver = standard(None);
        let mut path = Vec::new();
        let mut answers = Vec::new();
        for _ in 0..30 {
            let id = condition(&mut pool, &mut rng, &symbols, 2);
            let asked = [id];
            let answer = solver.check(&pool, &Query::new(&path).assuming(&asked).within(&Budget::conflicts(200)));
            if answer.is_sat() {
                path.push(id);
            }
            answers.push(answer);
        }
        (answers, solver.statistics())
    };
    assert_eq!(ask(), ask());
}
