//! Puts instants into a line, or shows that none satisfies what was said of it.
//!
//! The line holds all instants of a run and the special instant [`END`]: what comes before it is the prefix that a reordering makes. A SAT
//! solver chooses the order of pairs, one variable for each pair that a clause mentions; a choice whose pairs go in a circle is refused by a
//! clause, and the solver is asked again. Three things keep this small:
//! - What is certain (program order, creation, join) is no variable: a clock for each instant counts, chain by chain, what certainly
//!   precedes it.
//! - Variables are named so that the value that the solver tries first is the order of the run, and "not in the prefix" for [`END`]. It does so in every
//!   question: a solver that remembers what variables were would put into the prefix what a question before this one needed there.
//! - Only what leads to [`END`] is put into the line, so circles among the rest do not matter: no constraint speaks of their order.

mod circles;

use crate::chain_clocks::ChainClocks;
use gordian_base::FxHashMap;
use gordian_solve::{Batsat, Budget, Literal, SatAnswer, SatCore};
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The instant at which a reordering ends.
pub const END: u32 = u32::MAX;

/// A proposition about a line, or one that is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atom {
    True,
    False,
    Open(Literal),
}

impl Atom {
    pub fn not(self) -> Atom {
        match self {
            Atom::True => Atom::False,
            Atom::False => Atom::True,
            Atom::Open(literal) => Atom::Open(!literal),
        }
    }
}

/// Choices with circles that are refused for one question, before it is given up; and instants that may be looked at for that.
const MOST_REFUSALS: usize = 20_000;
const MOST_LOOKS: usize = 40_000_000;

/// Conflicts after which the work of the SAT solver is counted.
const SOME_CONFLICTS: u64 = 500;

/// Orders instants. Constraints are only ever added, so what is learnt for one question helps the next.
pub struct Line {
    /// Which instants certainly come before which.
    certain: ChainClocks,
    /// By instant: those that certainly come later, next ones only; and those that come right before.
    edges: Vec<SmallVec<[u32; 2]>>,
    edges_back: Vec<SmallVec<[u32; 2]>>,
    sat: Batsat,
    /// By pair in the order of the run: the literal that they are reversed. [`END`] comes first in all of its pairs.
    pairs: FxHashMap<(u32, u32), Literal>,
    in_order: Vec<(u32, u32, Literal)>,
    /// By chain: the instants of pairs with [`END`], each with the literal that it comes before it.
    within: Vec<BTreeMap<u32, Literal>>,
    between: FxHashMap<(u32, u32, u32), Literal>,
    /// By event of a decision: the literal that it must go as in the run.
    kept: FxHashMap<u32, Literal>,
    /// Decisions with an effect behind them in the same instant, by event, and the literal that each may go another way.
    exempt: Vec<(u32, Literal)>,
    chosen: Chosen,
    /// By instant, with END behind the last: how many of those that are needed before it are not in the prefix yet; one more than that, and 0 of what is not needed.
    waits_for: Vec<u32>,
    /// Work so far: literals that the SAT solver assigned, and pairs and instants that were looked at.
    pub work: u64,
    /// Questions are given up once there was more.
    pub most_work: u64,
}

/// The order of pairs that the SAT solver chose. It is used again and again, and emptied where it was filled.
#[derive(Default)]
struct Chosen {
    /// By instant, with END behind the last: those that come later, and those that come earlier.
    after: Vec<SmallVec<[u32; 2]>>,
    before: Vec<SmallVec<[u32; 2]>>,
    filled: Vec<u32>,
}

impl Chosen {
    fn new(n: usize) -> Self {
        Chosen { after: vec![SmallVec::new(); n], before: vec![SmallVec::new(); n], filled: Vec::new() }
    }

    fn clear(&mut self) {
        for at in self.filled.drain(..) {
            self.after[at as usize].clear();
            self.before[at as usize].clear();
        }
    }

    fn add(&mut self, first: u32, second: u32) {
        self.after[first as usize].push(second);
        self.before[second as usize].push(first);
        self.filled.extend([first, second]);
    }
}

/// Why there is no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    Impossible,
    /// The budget was used up.
    GivenUp,
}

impl Line {
    /// Instants in the order of the run, each with its chain, and pairs that are certain in addition to the order of each chain.
    /// Every certain pair must be in the order of the run.
    pub fn new(chain_of: &[u32], certain: &[(u32, u32)]) -> Self {
        let n = chain_of.len();
        let n_chains = chain_of.iter().max().map_or(0, |&last| last as usize + 1);
        let mut last: Vec<Option<u32>> = vec![None; n_chains];
        let mut edges: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); n];
        for (instant, &chain) in (0u32..).zip(chain_of) {
            if let Some(before) = last[chain as usize].replace(instant) {
                edges[before as usize].push(instant);
            }
        }
        for &(a, b) in certain {
            assert!(a < b, "what is certain is in the order of the run");
            if !edges[a as usize].contains(&b) {
                edges[a as usize].push(b);
            }
        }
        let mut edges_back: Vec<SmallVec<[u32; 2]>> = vec![SmallVec::new(); n];
        let mut clocks = ChainClocks::new(n_chains);
        for (instant, &chain) in (0u32..).zip(chain_of) {
            clocks.push(chain, edges_back[instant as usize].iter().copied());
            edges[instant as usize].iter().for_each(|&later| edges_back[later as usize].push(instant));
        }
        Line {
            certain: clocks,
            edges,
            edges_back,
            sat: Batsat::false_first(),
            pairs: FxHashMap::default(),
            in_order: Vec::new(),
            within: vec![BTreeMap::new(); n_chains],
            between: FxHashMap::default(),
            kept: FxHashMap::default(),
            exempt: Vec::new(),
            chosen: Chosen::new(n + 1),
            waits_for: vec![0; n + 1],
            work: 0,
            most_work: u64::MAX,
        }
    }

    /// How many pairs of instants were mentioned.
    pub fn n_pairs(&self) -> usize {
        self.in_order.len()
    }

    /// Forgets all that was said, and with it every atom.
    pub fn forget(&mut self) {
        self.sat = self.sat.fresh();
        self.pairs.clear();
        self.in_order.clear();
        self.within.iter_mut().for_each(BTreeMap::clear);
        self.between.clear();
        self.kept.clear();
        self.exempt.clear();
    }

    /// Whether `a` certainly comes before `b`.
    pub fn is_certain(&self, a: u32, b: u32) -> bool {
        a != END && b != END && a != b && self.certain.is_before(a, b)
    }

    /// `a` comes before `b`.
    pub fn before(&mut self, a: u32, b: u32) -> Atom {
        if a == b || self.is_certain(b, a) {
            return Atom::False;
        }
        if self.is_certain(a, b) {
            return Atom::True;
        }
        // END stands first in all of its pairs: it would come before everything.
        let is_in_order = a == END || b != END && a < b;
        let pair = if is_in_order { (a, b) } else { (b, a) };
        if let Some(reversed) = self.pairs.get(&pair) {
            return Atom::Open(reversed.negated_if(is_in_order));
        }
        let reversed = self.sat.new_variable();
        self.pairs.insert(pair, reversed);
        self.in_order.push((pair.0, pair.1, reversed));
        if pair.0 == END {
            self.order_ends(pair.1, reversed);
        }
        Atom::Open(reversed.negated_if(is_in_order))
    }

    /// What comes before END in a chain is a prefix of it. To say so at once spares many circles.
    fn order_ends(&mut self, instant: u32, within: Literal) {
        let chain = &mut self.within[self.certain.chain(instant) as usize];
        if let Some((_, &earlier)) = chain.range(..instant).next_back() {
            self.sat.add_clause(&[!within, earlier]);
        }
        if let Some((_, &later)) = chain.range(instant..).next() {
            self.sat.add_clause(&[!later, within]);
        }
        chain.insert(instant, within);
    }

    /// `a` belongs to the prefix.
    pub fn within(&mut self, a: u32) -> Atom {
        self.before(a, END)
    }

    /// `a`, `b` and `c` come in this order. Says so only one way: an atom that is true makes them, and it may be false where they do.
    pub fn in_row(&mut self, a: u32, b: u32, c: u32) -> Atom {
        let (first, second) = (self.before(a, b), self.before(b, c));
        match (first, second) {
            (Atom::False, _) | (_, Atom::False) => Atom::False,
            (Atom::True, other) | (other, Atom::True) => other,
            (Atom::Open(first), Atom::Open(second)) => {
                if let Some(&known) = self.between.get(&(a, b, c)) {
                    return Atom::Open(known);
                }
                let both = self.all(&[Atom::Open(first), Atom::Open(second)]);
                if let Atom::Open(literal) = both {
                    self.between.insert((a, b, c), literal);
                }
                both
            }
        }
    }

    /// An atom that makes all of these hold; it may be false where they do.
    pub fn all(&mut self, atoms: &[Atom]) -> Atom {
        if atoms.contains(&Atom::False) {
            return Atom::False;
        }
        let literals: SmallVec<[Literal; 4]> = atoms
            .iter()
            .filter_map(|atom| if let Atom::Open(literal) = atom { Some(*literal) } else { None })
            .collect();
        match literals[..] {
            [] => Atom::True,
            [only] => Atom::Open(only),
            _ => {
                let all = self.sat.new_variable();
                literals.iter().for_each(|&literal| self.sat.add_clause(&[!all, literal]));
                Atom::Open(all)
            }
        }
    }

    /// One of these holds in every line.
    pub fn add(&mut self, one_of: &[Atom]) {
        if one_of.contains(&Atom::True) {
            return;
        }
        let open = one_of.iter().filter_map(|atom| if let Atom::Open(literal) = atom { Some(*literal) } else { None });
        let clause: SmallVec<[Literal; 8]> = open.collect();
        self.sat.add_clause(&clause);
    }

    /// One of these holds in every line in which `when` does.
    pub fn add_when(&mut self, when: Atom, one_of: &[Atom]) {
        let clause: SmallVec<[Atom; 8]> = [when.not()].into_iter().chain(one_of.iter().copied()).collect();
        self.add(&clause);
    }

    /// An atom that nothing was said of yet.
    pub fn fresh(&mut self) -> Atom {
        Atom::Open(self.sat.new_variable())
    }

    /// The atom that makes a decision, by its event, go as in the run. It holds wherever `unless` does not.
    pub fn keeps(&mut self, decision: u32, unless: Atom) -> Atom {
        if let Some(&known) = self.kept.get(&decision) {
            return Atom::Open(known);
        }
        let keeps = self.sat.new_variable();
        self.kept.insert(decision, keeps);
        self.add(&[unless, Atom::Open(keeps)]);
        Atom::Open(keeps)
    }

    /// As [`Line::keeps`], for a decision that a query has to name before it may go another way.
    pub fn keeps_unless_named(&mut self, decision: u32, left_out: Atom) -> Atom {
        if let Some(&known) = self.kept.get(&decision) {
            return Atom::Open(known);
        }
        let (keeps, exempt) = (self.sat.new_variable(), self.sat.new_variable());
        self.kept.insert(decision, keeps);
        self.exempt.push((decision, exempt));
        self.add(&[left_out, Atom::Open(keeps), Atom::Open(exempt)]);
        Atom::Open(keeps)
    }

    /// Whether the line that was found last makes a decision go as in the run.
    pub fn is_kept(&self, decision: u32) -> bool {
        self.kept.get(&decision).is_some_and(|&keeps| self.sat.value(keeps))
    }

    /// The prefix of a line in which all of these hold: instants up to [`END`]. The decision that goes another way is named by its event.
    pub fn solve(&mut self, assumed: &[Atom], deviates: Option<u32>, budget: &Budget) -> Result<Vec<u32>, NoLine> {
        let exempt = self.exempt.iter().filter(|(decision, _)| Some(*decision) != deviates);
        let mut assumptions: Vec<Literal> = exempt.map(|&(_, exempt)| !exempt).collect();
        for atom in assumed {
            match atom {
                Atom::True => {}
                Atom::False => return Err(NoLine::Impossible),
                Atom::Open(literal) => assumptions.push(*literal),
            }
        }
        for _ in 0..MOST_REFUSALS.min(MOST_LOOKS / self.certain.len().max(1) + 1) {
            if budget.is_stopped() || self.work > self.most_work {
                return Err(NoLine::GivenUp);
            }
            match self.choose(&assumptions, budget) {
                SatAnswer::Sat => {}
                SatAnswer::Unsat => return Err(NoLine::Impossible),
                SatAnswer::Unknown => return Err(NoLine::GivenUp),
            }
            self.take_choice();
            let needed = self.find_needed();
            self.work += needed.len() as u64;
            let prefix = self.prefix(&needed);
            if prefix.is_none() {
                self.work += self.certain.len() as u64;
                self.refuse_circles(&needed);
            }
            needed.iter().for_each(|&at| self.waits_for[at as usize] = 0);
            if let Some(prefix) = prefix {
                return Ok(prefix);
            }
        }
        Err(NoLine::GivenUp)
    }

    /// Lets the SAT solver choose the order of pairs. It is asked for a few conflicts at a time, since what they cost is known only afterwards.
    fn choose(&mut self, assumptions: &[Literal], budget: &Budget) -> SatAnswer {
        let mut left = budget.conflicts.unwrap_or(u64::MAX);
        loop {
            let some = Budget { conflicts: Some(left.min(SOME_CONFLICTS)), ..budget.clone() };
            let before = self.sat.n_propagations();
            let answer = self.sat.solve(assumptions, &some);
            self.work += self.sat.n_propagations() - before + self.in_order.len() as u64;
            left = left.saturating_sub(SOME_CONFLICTS);
            if answer != SatAnswer::Unknown || left == 0 || budget.is_stopped() || self.work > self.most_work {
                return answer;
            }
        }
    }

    /// The order of pairs that the SAT solver chose.
    fn take_choice(&mut self) {
        let end = self.certain.len() as u32;
        let index = |instant: u32| if instant == END { end } else { instant };
        self.chosen.clear();
        for &(a, b, reversed) in &self.in_order {
            let is_reversed = self.sat.value(reversed);
            let (first, second) = if is_reversed { (b, a) } else { (a, b) };
            self.chosen.add(index(first), index(second));
        }
    }

    /// What END comes after, itself included; counts what each of these waits for.
    fn find_needed(&mut self) -> Vec<u32> {
        let end = self.certain.len() as u32;
        let mut needed = vec![end];
        self.waits_for[end as usize] = 1;
        let mut next = 0;
        while let Some(&at) = needed.get(next) {
            let certain = self.edges_back.get(at as usize).into_iter().flatten();
            for &earlier in certain.chain(&self.chosen.before[at as usize]) {
                self.waits_for[at as usize] += 1;
                if self.waits_for[earlier as usize] == 0 {
                    self.waits_for[earlier as usize] = 1;
                    needed.push(earlier);
                }
            }
            next += 1;
        }
        needed
    }

    /// What comes before END, in the order of the run where nothing else was chosen; none if it goes in a circle. What stays in `waits_for` is who waits then.
    fn prefix(&mut self, needed: &[u32]) -> Option<Vec<u32>> {
        let end = self.certain.len() as u32;
        let ready = needed.iter().filter(|&&at| self.waits_for[at as usize] == 1);
        let mut ready: BinaryHeap<Reverse<u32>> = ready.copied().map(Reverse).collect();
        let mut prefix = Vec::with_capacity(needed.len());
        while let Some(Reverse(next)) = ready.pop() {
            if next == end {
                return Some(prefix);
            }
            prefix.push(next);
            let certain = self.edges.get(next as usize).into_iter().flatten();
            for &later in certain.chain(&self.chosen.after[next as usize]) {
                let waits_for = &mut self.waits_for[later as usize];
                if *waits_for > 0 {
                    *waits_for -= 1;
                    if *waits_for == 1 {
                        ready.push(Reverse(later));
                    }
                }
            }
        }
        None
    }
}
