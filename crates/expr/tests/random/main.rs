//! Random terms: what the pool builds has the values of the operations that were asked for.
//!
//! A term stands beside the table of its values under a number of assignments, which is computed from the tables of its operands
//! by the functions in `naive`. Set `GORDIAN_TEST_SEED` for other terms than the usual ones.

mod naive;
mod terms;

use gordian_base::Rng;
use gordian_expr::{Evaluator, ExprId, Pool, Saved, Substitution, Symbol, Valuation};
use terms::{Setup, Terms};

fn rng(purpose: u64) -> Rng {
    let seed = std::env::var("GORDIAN_TEST_SEED").map_or(1, |seed| seed.parse().expect("the seed is a number"));
    Rng::stream(seed, purpose)
}

#[test]
fn narrow_terms_have_the_values_of_their_operations_under_all_assignments() {
    let mut rng = rng(1);
    for round in 0..600 {
        let width = 1 + round % 8;
        let setup = Setup {
            symbols: vec![width.min(4), 3, 1],
            widths: vec![1, 2, 3, 4, 5, 8],
            n_terms: 60,
            n_samples: None,
            bytes: false,
        };
        Terms::random(&mut rng, &setup).check();
    }
}

#[test]
fn wide_terms_have_the_values_of_their_operations_under_sampled_assignments() {
    let mut rng = rng(2);
    for _ in 0..300 {
        let setup = Setup {
            symbols: vec![32, 8, 64, 8, 16, 128],
            widths: vec![1, 8, 16, 32, 33, 64, 128],
            n_terms: 120,
            n_samples: Some(24),
            bytes: false,
        };
        Terms::random(&mut rng, &setup).check();
    }
}

/// The term from its bytes, which are put together in any order.
fn from_bytes(pool: &mut Pool, id: ExprId, rng: &mut Rng) -> ExprId {
    let mut bytes: Vec<_> = (0..pool.width(id) / 8).map(|byte| pool.extract(id, byte * 8, 8)).collect();
    while bytes.len() > 1 {
        let at = rng.below(bytes.len() - 1);
        bytes[at] = pool.concat(bytes[at + 1], bytes[at]);
        bytes.remove(at + 1);
    }
    bytes[0]
}

/// Not all: where bits of both neighbours are known, as at the seam of a rotated choice of constants, it is not settled to which side
/// those bits belong.
#[test]
fn nearly_all_terms_taken_apart_and_put_together_are_the_same() {
    let mut rng = rng(3);
    let (mut n_same, mut n_other) = (0, 0);
    for _ in 0..300 {
        let setup = Setup {
            symbols: vec![32, 8, 8, 16, 64],
            widths: vec![1, 8, 16, 32, 64],
            n_terms: 80,
            n_samples: Some(2),
            bytes: true,
        };
        let mut terms = Terms::random(&mut rng, &setup);
        for index in 0..terms.ids.len() {
            let id = terms.ids[index];
            if terms.pool.width(id).is_multiple_of(8) {
                let same = from_bytes(&mut terms.pool, id, &mut rng) == id;
                *(if same { &mut n_same } else { &mut n_other }) += 1;
            }
        }
    }
    assert!(n_other * 500 < n_same, "{n_other} of {} terms were not found again", n_same + n_other);
}

#[test]
fn substituting_values_for_symbols_is_evaluating() {
    let mut rng = rng(4);
    for _ in 0..60 {
        let setup = Setup {
            symbols: vec![8, 16, 4],
            widths: vec![1, 4, 8, 16, 32],
            n_terms: 60,
            n_samples: Some(1),
            bytes: false,
        };
        let mut terms = Terms::random(&mut rng, &setup);
        let mut substitution = Substitution::new();
        for symbol in (0..terms.pool.n_symbols() as u32).map(Symbol) {
            let term = terms.pool.symbol_term(symbol);
            let value = terms.assignments[0].value_of(symbol);
            let value = terms.pool.constant(value, terms.pool.symbol_width(symbol));
            substitution.replace(&terms.pool, term, value);
        }
        for index in 0..terms.ids.len() {
            let value = substitution.apply(&mut terms.pool, terms.ids[index]);
            assert_eq!(terms.pool.as_constant(value), Some(terms.tables[index][0]));
        }
    }
}

#[test]
fn saved_terms_are_the_same_when_loaded() {
    let mut rng = rng(5);
    for _ in 0..60 {
        let setup = Setup {
            symbols: vec![8, 16, 4],
            widths: vec![1, 4, 8, 16, 128],
            n_terms: 60,
            n_samples: Some(8),
            bytes: false,
        };
        let terms = Terms::random(&mut rng, &setup);
        let text = serde_json::to_string(&Saved::new(&terms.pool, &terms.ids)).expect("terms can be written");
        let saved: Saved = serde_json::from_str(&text).expect("what was written can be read");
        let mut pool = Pool::new();
        let mut symbols: Vec<Symbol> = Vec::new();
        let loaded = saved
            .load(&mut pool, |pool, name, width| {
                let symbol = pool.fresh_symbol(name, width);
                let original =
                    (0..terms.pool.n_symbols() as u32).map(Symbol).find(|&s| terms.pool.symbol_name(s) == name);
                symbols.push(original.expect("a name that was saved"));
                symbol
            })
            .expect("what was saved can be loaded");
        let mut evaluator = Evaluator::new();
        for (sample, assignment) in terms.assignments.iter().enumerate() {
            let valuation = |symbol: Symbol| assignment.value_of(symbols[symbol.0 as usize]);
            for (index, &id) in loaded.iter().enumerate() {
                assert_eq!(evaluator.value(&pool, id, &valuation), terms.tables[index][sample]);
            }
        }
    }
}
