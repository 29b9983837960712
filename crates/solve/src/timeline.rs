//! Order: can instants be put into a line so that each demand is met?
//!
//! A demand is a choice of pairs, one of which must be in this order: a write comes before the one that is read or after the
//! reader, one of two critical sections comes first. Which pair is for a SAT solver to say; a literal stands for the order of two instants.
//! An answer whose pairs go in a circle is refused by a clause for each short circle, and the solver is asked again. What is before what
//! for certain is no literal: it decides many pairs before anybody asks.

use crate::query::Budget;
use crate::sat::{Batsat, Literal, SatAnswer, SatCore};
use gordian_base::{FxHashMap, ShortestPaths};
use smallvec::SmallVec;

/// Names a demand, or several that come and go together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Demand(pub u32);

pub struct Timeline {
    /// By instant: the chain that it belongs to. A line keeps to a chain while it can.
    chains: Vec<u32>,
    /// By instant: those that come later for certain, as it was said.
    edges: Vec<SmallVec<[u32; 4]>>,
    /// The same with what follows, as bits, so many words for each instant.
    later: Vec<u64>,
    words: usize,
    /// Nothing was said since `later` was worked out.
    is_closed: bool,
    sat: Batsat,
    /// The literal that the first comes before the second, which has the greater number.
    pairs: FxHashMap<(u32, u32), Literal>,
    in_order: Vec<(u32, u32)>,
    /// In the order in which they were made.
    demands: Vec<(Demand, Literal)>,
    literals: FxHashMap<Demand, Literal>,
    /// What is certain goes in a circle.
    is_hopeless: bool,
}

/// Circles that are refused at once.
const MOST_CIRCLES: usize = 64;

impl Timeline {
    /// Of so many instants as there are chains given.
    pub fn new(chains: Vec<u32>) -> Self {
        let n = chains.len();
        Timeline {
            edges: vec![SmallVec::new(); n],
            later: Vec::new(),
            words: n.div_ceil(64),
            is_closed: false,
            chains,
            sat: Batsat::new(),
            pairs: FxHashMap::default(),
            in_order: Vec::new(),
            demands: Vec::new(),
            literals: FxHashMap::default(),
            is_hopeless: false,
        }
    }

    /// `a` comes before `b` in any case.
    pub fn certainly(&mut self, a: u32, b: u32) {
        if !self.edges[a as usize].contains(&b) {
            self.edges[a as usize].push(b);
            self.is_closed = false;
        }
    }

    /// Works out what follows from what is certain.
    fn close(&mut self) {
        if std::mem::replace(&mut self.is_closed, true) {
            return;
        }
        let Ok(line) = self.line(&Pairs::new(self.chains.len(), &[])) else {
            self.is_hopeless = true;
            return;
        };
        let words = self.words;
        self.later = vec![0; self.chains.len() * words];
        let mut later = vec![0; words];
        for &a in line.iter().rev() {
            later.fill(0);
            for &b in &self.edges[a as usize] {
                later[b as usize / 64] |= 1 << (b % 64);
                let further = &self.later[b as usize * words..][..words];
                later.iter_mut().zip(further).for_each(|(later, further)| *later |= further);
            }
            self.later[a as usize * words..][..words].copy_from_slice(&later);
        }
    }

    /// Whether `a` comes before `b` in any case.
    fn is_certain(&self, a: u32, b: u32) -> bool {
        self.later[a as usize * self.words + b as usize / 64] >> (b % 64) & 1 != 0
    }

    /// One of these pairs must be in this order, if `demand` is to be met. Best said when all that is certain has been said.
    pub fn demand(&mut self, demand: Demand, one_of: &[(u32, u32)]) {
        self.close();
        if self.is_hopeless || one_of.iter().any(|&(a, b)| self.is_certain(a, b)) {
            return;
        }
        let assumed = self.literal_of(demand);
        let mut clause = vec![!assumed];
        for &(a, b) in one_of {
            if a != b && !self.is_certain(b, a) {
                clause.push(self.pair(a, b));
            }
        }
        self.sat.add_clause(&clause);
    }

    fn literal_of(&mut self, demand: Demand) -> Literal {
        let (demands, sat) = (&mut self.demands, &mut self.sat);
        *self.literals.entry(demand).or_insert_with(|| {
            let literal = sat.new_variable();
            demands.push((demand, literal));
            literal
        })
    }

    fn pair(&mut self, a: u32, b: u32) -> Literal {
        let (pairs, in_order, sat) = (&mut self.pairs, &mut self.in_order, &mut self.sat);
        let literal = *pairs.entry((a.min(b), a.max(b))).or_insert_with(|| {
            in_order.push((a.min(b), a.max(b)));
            sat.new_variable()
        });
        literal.negated_if(a > b)
    }

    /// All instants in a line that meets every demand; or demands that cannot be met together, none if it is hopeless without any.
    /// `None` if the budget was used up.
    pub fn solve(&mut self, budget: &Budget) -> Option<Result<Vec<u32>, Vec<Demand>>> {
        self.solve_some(|_| true, budget)
    }

    /// As [`Timeline::solve`], for these demands alone.
    pub fn solve_some(
        &mut self,
        is_asked: impl Fn(Demand) -> bool,
        budget: &Budget,
    ) -> Option<Result<Vec<u32>, Vec<Demand>>> {
        self.close();
        if self.is_hopeless {
            return Some(Err(Vec::new()));
        }
        let asked = self.demands.iter().filter(|(demand, _)| is_asked(*demand));
        let assumptions: Vec<Literal> = asked.map(|(_, literal)| *literal).collect();
        let before = self.sat.n_conflicts();
        loop {
            let used = self.sat.n_conflicts() - before;
            let left = Budget { conflicts: budget.conflicts.map(|most| most.saturating_sub(used)), ..budget.clone() };
            if left.is_stopped() {
                return None;
            }
            match self.sat.solve(&assumptions, &left) {
                SatAnswer::Unknown => return None,
                SatAnswer::Unsat => {
                    let core = self.sat.core();
                    let to_blame = self.demands.iter().filter(|(_, literal)| core.contains(literal));
                    return Some(Err(to_blame.map(|(demand, _)| *demand).collect()));
                }
                SatAnswer::Sat => {}
            }
            let chosen: Vec<(u32, u32)> = self.in_order.iter().map(|&(a, b)| self.chosen(a, b)).collect();
            let after = Pairs::new(self.chains.len(), &chosen);
            match self.line(&after) {
                Ok(line) => return Some(Ok(line)),
                Err(stuck) => self.refuse_circles(&chosen, &after, &stuck),
            }
        }
    }

    fn chosen(&self, a: u32, b: u32) -> (u32, u32) {
        if self.sat.value(self.pairs[&(a, b)]) { (a, b) } else { (b, a) }
    }

    /// A line in the chosen order that stays with a chain while it can. If there is a circle: by instant, how many it waits for in vain.
    fn line(&self, after: &Pairs) -> Result<Vec<u32>, Vec<u32>> {
        let n = self.chains.len();
        let mut waits_for = vec![0; n];
        self.edges.iter().flatten().chain(&after.seconds).for_each(|&b| waits_for[b as usize] += 1);
        let mut ready: Vec<u32> = (0..n as u32).filter(|&instant| waits_for[instant as usize] == 0).collect();
        let mut line: Vec<u32> = Vec::with_capacity(n);
        while !ready.is_empty() {
            let chain = line.last().map(|&last| self.chains[last as usize]);
            let next = ready.iter().position(|&instant| Some(self.chains[instant as usize]) == chain);
            let next = next.unwrap_or_else(|| {
                let least = ready.iter().enumerate().min_by_key(|&(_, instant)| instant);
                least.expect("somebody is ready").0
            });
            let next = ready.swap_remove(next);
            line.push(next);
            for &b in self.edges[next as usize].iter().chain(after.of(next)) {
                waits_for[b as usize] -= 1;
                if waits_for[b as usize] == 0 {
                    ready.push(b);
                }
            }
        }
        if line.len() == n { Ok(line) } else { Err(waits_for) }
    }

    /// Adds a clause for the shortest circle through each of some chosen pairs.
    fn refuse_circles(&mut self, chosen: &[(u32, u32)], after: &Pairs, stuck: &[u32]) {
        let is_stuck = |instant: u32| stuck[instant as usize] > 0;
        let mut paths = ShortestPaths::new(self.chains.len());
        let mut n_refused = 0;
        for &(a, b) in chosen.iter().filter(|&&(a, b)| is_stuck(a) && is_stuck(b)) {
            let following = |at: u32| self.edges[at as usize].iter().chain(after.of(at)).copied();
            let Some(way) = paths.find(b, a, following) else { continue };
            let mut clause = vec![!self.pair(a, b)];
            for step in way.windows(2) {
                // What is certain is nobody's choice.
                if !self.edges[step[0] as usize].contains(&step[1]) {
                    clause.push(!self.pair(step[0], step[1]));
                }
            }
            self.sat.add_clause(&clause);
            n_refused += 1;
            if n_refused == MOST_CIRCLES {
                return;
            }
        }
    }
}

/// Pairs of instants, by their first.
struct Pairs {
    /// Where those of an instant begin, and behind the last one where they end.
    starts: Vec<u32>,
    seconds: Vec<u32>,
}

impl Pairs {
    fn new(n: usize, pairs: &[(u32, u32)]) -> Self {
        let mut starts = vec![0; n + 1];
        pairs.iter().for_each(|&(a, _)| starts[a as usize] += 1);
        let mut sum = 0;
        for start in &mut starts {
            sum += *start;
            *start = sum;
        }
        let mut seconds = vec![0; pairs.len()];
        for &(a, b) in pairs.iter().rev() {
            starts[a as usize] -= 1;
            seconds[starts[a as usize] as usize] = b;
        }
        Pairs { starts, seconds }
    }

    fn of(&self, instant: u32) -> &[u32] {
        let instant = instant as usize;
        &self.seconds[self.starts[instant] as usize..self.starts[instant + 1] as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Interrupt;
    use gordian_base::Rng;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    fn solve(timeline: &mut Timeline) -> Result<Vec<u32>, Vec<Demand>> {
        timeline.solve(&Budget::UNLIMITED).expect("there is no limit")
    }

    #[test]
    fn critical_sections_exclude_each_other() {
        // Two sections of two threads, and the second must begin before the first has ended.
        let mut timeline = Timeline::new(vec![0, 0, 1, 1]);
        timeline.certainly(0, 1);
        timeline.certainly(2, 3);
        timeline.demand(Demand(7), &[(1, 2), (3, 0)]);
        assert!(solve(&mut timeline).is_ok());
        timeline.demand(Demand(8), &[(2, 1)]);
        timeline.demand(Demand(9), &[(0, 3)]);
        assert_eq!(solve(&mut timeline), Err(vec![Demand(7), Demand(8), Demand(9)]));
    }

    #[test]
    fn what_goes_in_a_circle_for_certain_is_hopeless() {
        let mut timeline = Timeline::new(vec![0, 1, 2]);
        timeline.certainly(0, 1);
        timeline.certainly(1, 2);
        timeline.certainly(2, 0);
        assert_eq!(solve(&mut timeline), Err(Vec::new()));
    }

    /// Raised when it was asked so often.
    fn raised_after(most: usize) -> Budget {
        let asked = AtomicUsize::new(0);
        let stop = Interrupt::new(move || asked.fetch_add(1, Ordering::Relaxed) >= most);
        Budget { stop: Some(stop), ..Budget::UNLIMITED }
    }

    #[test]
    fn an_interrupt_ends_a_question_that_takes_many_answers() {
        // Each of many threads comes before the next or after the one behind it: most first answers go in circles.
        let timeline = || {
            let mut timeline = Timeline::new((0..60).collect());
            for n in 0..60 {
                for further in 1..10 {
                    timeline.demand(Demand(n), &[(n, (n + further) % 60), ((n + 2 * further) % 60, n)]);
                }
            }
            timeline
        };
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let counting = Interrupt::new(move || count.fetch_add(1, Ordering::Relaxed) == usize::MAX);
        let answer = timeline().solve(&Budget { stop: Some(counting), ..Budget::UNLIMITED });
        let n_asked = asked.load(Ordering::Relaxed);
        assert!(answer.is_some() && n_asked > 4, "{n_asked}");
        for most in 0..n_asked {
            assert_eq!(timeline().solve(&raised_after(most)), None, "after {most} of {n_asked}");
        }
        assert_eq!(timeline().solve(&raised_after(n_asked)), answer);
    }

    #[test]
    fn conflicts_are_counted_over_all_answers_of_a_question() {
        let timeline = || {
            let mut timeline = Timeline::new((0..40).collect());
            for n in 0..40 {
                for further in 1..12 {
                    let one_of = [(n, (n + further) % 40), ((n + 2 * further) % 40, n), ((n + 7) % 40, (n + 3) % 40)];
                    timeline.demand(Demand(n), &one_of);
                }
            }
            timeline
        };
        let mut unlimited = timeline();
        let answer = unlimited.solve(&Budget::UNLIMITED);
        let needed = unlimited.sat.n_conflicts();
        assert!(answer.is_some() && needed > 20, "{needed}");
        assert_eq!(timeline().solve(&Budget::conflicts(needed / 2)), None);
        assert_eq!(timeline().solve(&Budget::conflicts(needed)), answer);
    }

    fn permutations(n: u32) -> Vec<Vec<u32>> {
        if n == 0 {
            return vec![Vec::new()];
        }
        let mut all = Vec::new();
        for shorter in permutations(n - 1) {
            for at in 0..=shorter.len() {
                let mut longer = shorter.clone();
                longer.insert(at, n - 1);
                all.push(longer);
            }
        }
        all
    }

    fn meets(line: &[u32], certain: &[(u32, u32)], demands: &[Vec<(u32, u32)>]) -> bool {
        let place = |instant: u32| line.iter().position(|&at| at == instant);
        let holds = |&(a, b): &(u32, u32)| place(a) < place(b);
        certain.iter().all(holds) && demands.iter().all(|one_of| one_of.iter().any(holds))
    }

    #[test]
    fn answers_are_those_of_all_lines() {
        let mut rng = Rng::new(3);
        let lines = permutations(6);
        let (mut n_yes, mut n_no) = (0, 0);
        for _ in 0..2000 {
            let mut pair = || (rng.below(6) as u32, rng.below(6) as u32);
            let certain: Vec<(u32, u32)> = (0..3).map(|_| pair()).filter(|(a, b)| a < b).collect();
            let demands: Vec<Vec<(u32, u32)>> = (0..8).map(|_| vec![pair(), pair()]).collect();
            let mut timeline = Timeline::new(vec![0, 0, 1, 1, 2, 2]);
            certain.iter().for_each(|&(a, b)| timeline.certainly(a, b));
            for (n, one_of) in demands.iter().enumerate() {
                timeline.demand(Demand(n as u32), one_of);
            }
            match solve(&mut timeline) {
                Ok(line) => {
                    n_yes += 1;
                    assert!(meets(&line, &certain, &demands), "{line:?} {certain:?} {demands:?}");
                }
                Err(core) => {
                    n_no += 1;
                    let core: Vec<_> = core.iter().map(|demand| demands[demand.0 as usize].clone()).collect();
                    assert!(!lines.iter().any(|line| meets(line, &certain, &core)), "{certain:?} {core:?}");
                }
            }
        }
        assert!(n_yes > 100 && n_no > 100, "{n_yes} {n_no}");
    }
}
