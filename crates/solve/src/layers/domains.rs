//! Symbols with few values between them: all of these are tried.
//!
//! The values of a symbol are those of its width, or those between bounds that conditions of the query put on the symbol itself, if these
//! are fewer. If all symbols of a query together have at most two to the power of [`MOST_BITS`] combinations, each is tried, [`LANES`] at a
//! time. What a condition says about a block of combinations is kept: the next query along the same path has most of its conditions in common
//! with this one.
//!
//! Lemma 1 (Sat). A combination is given out only if every condition of the query was evaluated to true under it.
//! Lemma 2 (Unsat). The combinations contain every model of the query. For a symbol without bounds they contain all its values. For one with
//! bounds they contain every value that the two conditions which bound it allow, and those two belong to the core.
//! Lemma 3 (core). Every block that was rejected was rejected by conditions that belong to the core, so these alone reject every block.

use crate::model::Model;
use crate::query::{Answer, Core, Query, Reason, Solver};
use crate::statistics::{Clock, Meter, Statistics};
use gordian_base::FxHashMap;
use gordian_expr::{Binary, Columns, ExprId, LANES, Pool, Symbol, Term, mask, sign_extend};
use std::sync::Arc;

/// Symbols with more combinations of values than two to this power are left to others.
const MOST_BITS: u32 = 16;

/// Terms with more parts are left to others: evaluating them for all values would take longer than solving.
const MOST_PARTS: usize = 4096;

/// Evaluations, of one part of a condition for one combination each, that a query may take at most.
const MOST_WORK: u64 = 1 << 24;

/// Masks that are kept at a time.
const MOST_MASKS: usize = 1 << 18;

/// A bit for each combination of a block.
type Mask = [u64; LANES / 64];

/// Decides by trying all values where these are few.
pub struct Domains<S> {
    inner: S,
    meter: Meter,
    layouts: FxHashMap<Arc<[Place]>, u32>,
    /// By condition, layout, and those bits of the block's number that the condition depends on.
    masks: FxHashMap<(ExprId, u32, u32), Mask>,
    /// None for conditions that are too large.
    flattened: FxHashMap<ExprId, Option<Columns>>,
    values: Vec<u128>,
    evaluations: u64,
}

/// Where the value of a symbol stands in the number of a combination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Place {
    symbol: Symbol,
    /// The value of zero; others follow, modulo two to the symbol's width.
    first: u128,
    low: u32,
    bits: u32,
    width: u32,
}

impl Place {
    fn value(&self, combination: u32) -> u128 {
        let nth = combination >> self.low & ((1 << self.bits) - 1);
        self.first.wrapping_add(nth.into()) & mask(self.width)
    }

    /// The bits of a combination that its value stands in.
    fn bits(&self) -> u32 {
        ((1 << self.bits) - 1) << self.low
    }
}

/// Values of a symbol, and the conditions that exclude the others.
#[derive(Clone, Copy)]
struct Range {
    lo: i128,
    hi: i128,
    by: [Option<ExprId>; 2],
}

impl Range {
    fn narrow(&mut self, by: ExprId, lo: Option<i128>, hi: Option<i128>) {
        if let Some(lo) = lo.filter(|&lo| lo > self.lo) {
            (self.lo, self.by[0]) = (lo, Some(by));
        }
        if let Some(hi) = hi.filter(|&hi| hi < self.hi) {
            (self.hi, self.by[1]) = (hi, Some(by));
        }
    }

    /// How many bits tell its values apart.
    fn bits(&self) -> u32 {
        let n = self.hi.wrapping_sub(self.lo) as u128;
        if self.hi < self.lo { 0 } else { 128 - n.leading_zeros() }
    }
}

/// Both orders of a symbol's values.
struct Bounds {
    unsigned: Range,
    signed: Range,
}

/// Combinations to be tried, and the conditions that exclude all others.
struct Space {
    places: Arc<[Place]>,
    by: Vec<ExprId>,
}

impl<S: Solver> Domains<S> {
    pub fn new(inner: S, clock: Option<Clock>) -> Self {
        Domains {
            inner,
            meter: Meter::new("domains", clock),
            layouts: FxHashMap::default(),
            masks: FxHashMap::default(),
            flattened: FxHashMap::default(),
            values: Vec::new(),
            evaluations: 0,
        }
    }

    fn settle(&mut self, pool: &Pool, query: &Query<'_>) -> Option<Answer> {
        let Space { places, by } = space(pool, query)?;
        let n_bits: u32 = places.iter().map(|place| place.bits).sum();
        let lane_bits = LANES.ilog2().min(n_bits);
        let (n_lanes, n_blocks) = (1usize << lane_bits, 1u32 << (n_bits - lane_bits));
        // New conditions are the likeliest to fail.
        let conditions: Vec<ExprId> = query.assumptions.iter().chain(query.constraints.iter().rev()).copied().collect();
        let outer = self.outer_bits(pool, &places, &conditions, lane_bits)?;
        let layout = self.layout(&places);
        let mut is_blamed = vec![false; conditions.len()];
        for block in 0..n_blocks {
            let mut left = full(n_lanes);
            for (nth, (&condition, &outer)) in conditions.iter().zip(&outer).enumerate() {
                let mask = self.mask(condition, layout, &places, (block & outer, lane_bits));
                let reduced = std::array::from_fn(|word| left[word] & mask[word]);
                is_blamed[nth] |= reduced != left;
                left = reduced;
                if left == [0; LANES / 64] {
                    break;
                }
            }
            if let Some(lane) = first_of(&left) {
                let combination = block << lane_bits | lane;
                let model: Model = places.iter().map(|place| (place.symbol, place.value(combination))).collect();
                return Some(Answer::Sat(model));
            }
            if query.budget.is_stopped() {
                return Some(Answer::Unknown(Reason::Stopped));
            }
        }
        let blamed = conditions.iter().zip(is_blamed).filter(|(_, is_blamed)| *is_blamed).map(|(&id, _)| id);
        Some(Answer::Unsat(Core::new(blamed.chain(by).collect())))
    }

    /// For each condition the bits of a block's number that it depends on. None if trying all values would be too much work.
    fn outer_bits(&mut self, pool: &Pool, places: &[Place], conditions: &[ExprId], lane_bits: u32) -> Option<Vec<u32>> {
        let mut work = 0;
        let mut outer = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            let flattened =
                self.flattened.entry(condition).or_insert_with(|| Columns::new(pool, condition, MOST_PARTS));
            let n_parts = flattened.as_ref()?.len() as u64;
            let of_condition = pool.symbols(condition);
            let own = places.iter().filter(|place| of_condition.contains(place.symbol));
            let bits = own.fold(0, |bits, place| bits | place.bits());
            work += n_parts << bits.count_ones().max(lane_bits);
            outer.push(bits >> lane_bits);
        }
        (work <= MOST_WORK).then_some(outer)
    }

    fn layout(&mut self, places: &Arc<[Place]>) -> u32 {
        if self.masks.len() > MOST_MASKS {
            self.masks.clear();
            self.layouts.clear();
            self.flattened.retain(|_, columns| columns.is_none());
        }
        let next = self.layouts.len() as u32;
        *self.layouts.entry(Arc::clone(places)).or_insert(next)
    }

    /// For which combinations of a block a condition holds. The block's number has only the bits that matter to the condition.
    fn mask(&mut self, condition: ExprId, layout: u32, places: &[Place], (block, lane_bits): (u32, u32)) -> Mask {
        if let Some(mask) = self.masks.get(&(condition, layout, block)) {
            return *mask;
        }
        let columns = self.flattened.get(&condition).and_then(Option::as_ref).expect("it was flattened before");
        let n_lanes = 1 << lane_bits;
        self.evaluations += (columns.len() * n_lanes) as u64;
        let value_of = |symbol: Symbol, lane: usize| {
            let place = places.iter().find(|place| place.symbol == symbol).expect("every symbol has its place");
            place.value(block << lane_bits | lane as u32)
        };
        let mut mask = [0; LANES / 64];
        for (lane, &holds) in columns.evaluate(&mut self.values, n_lanes, value_of).iter().enumerate() {
            mask[lane / 64] |= (holds as u64) << (lane % 64);
        }
        self.masks.insert((condition, layout, block), mask);
        mask
    }
}

fn full(n_lanes: usize) -> Mask {
    std::array::from_fn(|word| match n_lanes.saturating_sub(64 * word) {
        0 => 0,
        n if n >= 64 => u64::MAX,
        n => (1 << n) - 1,
    })
}

fn first_of(mask: &Mask) -> Option<u32> {
    let (word, bits) = (0..).zip(mask).find(|(_, bits)| **bits != 0)?;
    Some(64 * word + bits.trailing_zeros())
}

/// The combinations of a query's symbols, if they are few enough: all values if possible, so that what is known of a condition stays
/// true along a path, else those between bounds.
fn space(pool: &Pool, query: &Query<'_>) -> Option<Space> {
    let mut symbols: Vec<Symbol> = Vec::new();
    for id in query.all() {
        let of_condition = pool.symbols(id);
        if of_condition.len() > MOST_BITS as usize {
            return None;
        }
        symbols.extend(of_condition.iter());
        symbols.sort_unstable();
        symbols.dedup();
        if symbols.len() > 4 * MOST_BITS as usize {
            return None;
        }
    }
    let width_of = |symbol: Symbol| pool.width(pool.symbol_term(symbol));
    let whole = |&symbol: &Symbol| (symbol, 0, width_of(symbol));
    if symbols.iter().map(|&symbol| width_of(symbol)).sum::<u32>() <= MOST_BITS {
        return Some(Space { places: lay_out(pool, symbols.iter().map(whole)), by: Vec::new() });
    }
    let bounds = bounds(pool, query);
    let mut by = Vec::new();
    let ranges: Vec<(Symbol, u128, u32)> = symbols
        .iter()
        .map(|symbol| {
            let Some(Bounds { unsigned, signed }) = bounds.get(symbol) else { return whole(symbol) };
            let range = if signed.bits() < unsigned.bits() { signed } else { unsigned };
            by.extend(range.by.into_iter().flatten());
            (*symbol, range.lo as u128 & mask(width_of(*symbol)), range.bits())
        })
        .collect();
    let n_bits = ranges.iter().try_fold(0u32, |sum, (.., bits)| sum.checked_add(*bits))?;
    (n_bits <= MOST_BITS).then(|| Space { places: lay_out(pool, ranges.into_iter()), by })
}

/// The first symbol gets the highest bits.
fn lay_out(pool: &Pool, ranges: impl DoubleEndedIterator<Item = (Symbol, u128, u32)>) -> Arc<[Place]> {
    let mut low = 0;
    let mut places: Vec<Place> = ranges
        .rev()
        .map(|(symbol, first, bits)| {
            let place = Place { symbol, first, low, bits, width: pool.width(pool.symbol_term(symbol)) };
            low += bits;
            place
        })
        .collect();
    places.reverse();
    places.into()
}

/// What single conditions say about single symbols.
fn bounds(pool: &Pool, query: &Query<'_>) -> FxHashMap<Symbol, Bounds> {
    let mut all: FxHashMap<Symbol, Bounds> = FxHashMap::default();
    for id in query.all() {
        let Term::Binary(op @ (Binary::Eq | Binary::Ult | Binary::Ule | Binary::Slt | Binary::Sle), a, b) =
            pool.term(id)
        else {
            continue;
        };
        let (symbol, value, is_left) = match (pool.term(a), pool.term(b)) {
            (Term::Symbol(symbol), Term::Const(_)) => (symbol, pool.facts(b).lo, true),
            (Term::Const(_), Term::Symbol(symbol)) => (symbol, pool.facts(a).lo, false),
            _ => continue,
        };
        let width = pool.width(a);
        // Twice the value and more fits into what is computed with here.
        if width > 64 {
            continue;
        }
        let (most, least_signed) = (mask(width) as i128, -(1i128 << (width - 1)));
        let bounds = all.entry(symbol).or_insert_with(|| Bounds {
            unsigned: Range { lo: 0, hi: most, by: [None; 2] },
            signed: Range { lo: least_signed, hi: -least_signed - 1, by: [None; 2] },
        });
        let is_signed = matches!(op, Binary::Slt | Binary::Sle);
        let value = if is_signed { sign_extend(value, width) } else { value as i128 };
        let step = i128::from(matches!(op, Binary::Ult | Binary::Slt));
        let range = if is_signed { &mut bounds.signed } else { &mut bounds.unsigned };
        match (op, is_left) {
            (Binary::Eq, _) => range.narrow(id, Some(value), Some(value)),
            (_, true) => range.narrow(id, None, Some(value - step)),
            (_, false) => range.narrow(id, Some(value + step), None),
        }
    }
    all
}

impl<S: Solver> Solver for Domains<S> {
    fn check(&mut self, pool: &Pool, query: &Query<'_>) -> Answer {
        let start = self.meter.start();
        if let Some(answer) = self.settle(pool, query) {
            self.meter.stop(start, !matches!(answer, Answer::Unknown(_)));
            return answer;
        }
        let answer = self.inner.check(pool, query);
        self.meter.stop(start, false);
        answer
    }

    fn statistics(&self) -> Statistics {
        self.inner.statistics().below(self.meter.entry(vec![("evaluations", self.evaluations)]))
    }

    fn set_clock(&mut self, clock: Clock) {
        self.meter.set_clock(clock);
        self.inner.set_clock(clock);
    }
}
