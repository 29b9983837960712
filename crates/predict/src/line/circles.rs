//! Refuses choices whose pairs go in a circle.

use super::{Atom, END, Line};
use gordian_base::{FxHashMap, FxHashSet};
use gordian_solve::{Literal, SatCore};

/// Circles that are refused at once.
const MOST_CIRCLES: usize = 32;

impl Line {
    /// Whether an instant is needed and still waits for others.
    fn is_stuck(&self, at: u32) -> bool {
        self.waits_for[at as usize] > 1
    }

    /// Refuses circles of those that are stuck, by clauses.
    pub(super) fn refuse_circles(&mut self, needed: &[u32]) {
        let end = self.certain.len() as u32;
        let mut stuck: Vec<u32> = needed.iter().copied().filter(|&at| self.is_stuck(at)).collect();
        stuck.sort_unstable();
        // A circle lies within one component, so from any step within one the way back is found.
        let component = self.components(&stuck);
        let steps = Steps::new(self, &stuck, &component);
        let mut circles: Vec<Vec<(u32, u32)>> = Vec::new();
        let mut refused: FxHashSet<(u32, u32)> = FxHashSet::default();
        for a in stuck {
            for &b in &self.chosen.after[a as usize] {
                let is_within = component[b as usize] == component[a as usize];
                if is_within && circles.len() < MOST_CIRCLES && !refused.contains(&(a, b)) {
                    let circle = steps.circle(self, component[a as usize], (a, b));
                    refused.extend(circle.iter().flatten());
                    circles.extend(circle);
                }
            }
        }
        assert!(!circles.is_empty(), "whoever is stuck waits for a circle");
        for circle in circles {
            self.work += circle.len() as u64;
            let name = |at: u32| if at == end { END } else { at };
            let mut literal = |(first, second): (u32, u32)| match self.before(name(first), name(second)).not() {
                Atom::Open(literal) => literal,
                _ => unreachable!("what was chosen was open"),
            };
            let clause: Vec<Literal> = circle.into_iter().map(&mut literal).collect();
            self.sat.add_clause(&clause);
        }
    }

    /// Whether `b` is `a`, or certainly comes after it. END stands behind the last instant.
    fn reaches(&self, a: u32, b: u32) -> bool {
        let end = self.certain.len() as u32;
        a == b || a != end && b != end && self.is_certain(a, b)
    }

    /// By instant: the number of its strongly connected component, of those that are stuck (Tarjan's algorithm); the others are in none.
    fn components(&self, stuck: &[u32]) -> Vec<u32> {
        let n = self.waits_for.len();
        let mut component = vec![u32::MAX; n];
        let (mut index, mut low) = (vec![u32::MAX; n], vec![0u32; n]);
        let (mut n_visited, mut n_components) = (0u32, 0u32);
        let mut open: Vec<u32> = Vec::new();
        for &root in stuck {
            if index[root as usize] != u32::MAX {
                continue;
            }
            let mut calls: Vec<(u32, usize)> = vec![(root, 0)];
            while let Some(&mut (at, ref mut nth)) = calls.last_mut() {
                if *nth == 0 {
                    (index[at as usize], low[at as usize]) = (n_visited, n_visited);
                    n_visited += 1;
                    open.push(at);
                }
                let certain = self.edges.get(at as usize).map_or(0, |edges| edges.len());
                let next = match certain.checked_sub(*nth + 1) {
                    Some(_) => Some(self.edges[at as usize][*nth]),
                    None => self.chosen.after[at as usize].get(*nth - certain).copied(),
                };
                *nth += 1;
                match next {
                    Some(next) if !self.is_stuck(next) => {}
                    Some(next) if index[next as usize] == u32::MAX => calls.push((next, 0)),
                    Some(next) if component[next as usize] == u32::MAX => {
                        low[at as usize] = low[at as usize].min(index[next as usize]);
                    }
                    Some(_) => {}
                    None => {
                        calls.pop();
                        if let Some(&(before, _)) = calls.last() {
                            low[before as usize] = low[before as usize].min(low[at as usize]);
                        }
                        if low[at as usize] == index[at as usize] {
                            while let Some(of) = open.pop() {
                                component[of as usize] = n_components;
                                if of == at {
                                    break;
                                }
                            }
                            n_components += 1;
                        }
                    }
                }
            }
        }
        component
    }
}

/// Chosen steps within components, by which circles go. What is certain between two of them need not be walked through.
struct Steps {
    /// In the order of component, chain and source.
    steps: Vec<(u32, u32)>,
    /// By component: from where to where the steps of each chain go.
    chains: FxHashMap<u32, Vec<(usize, usize)>>,
}

impl Steps {
    /// The steps of all components of these instants, which are in order.
    fn new(line: &Line, stuck: &[u32], component: &[u32]) -> Self {
        let end = line.certain.len() as u32;
        let chain = |at: u32| if at == end { u32::MAX } else { line.certain.chain(at) };
        let mut keyed: Vec<(u32, u32, u32, u32)> = Vec::new();
        for &a in stuck {
            let own = component[a as usize];
            let within = line.chosen.after[a as usize].iter().filter(|&&b| component[b as usize] == own);
            keyed.extend(within.map(|&b| (own, chain(a), a, b)));
        }
        keyed.sort_unstable();
        let mut chains: FxHashMap<u32, Vec<(usize, usize)>> = FxHashMap::default();
        let mut from = 0;
        for group in keyed.chunk_by(|a, b| (a.0, a.1) == (b.0, b.1)) {
            chains.entry(group[0].0).or_default().push((from, from + group.len()));
            from += group.len();
        }
        Steps { steps: keyed.into_iter().map(|(_, _, a, b)| (a, b)).collect(), chains }
    }

    /// A circle with this step and as few others as possible.
    ///
    /// What certainly comes after an instant is the rest of each chain, so of the steps of a chain those that were reached are its last ones.
    fn circle(&self, line: &Line, component: u32, (a, b): (u32, u32)) -> Option<Vec<(u32, u32)>> {
        let mut left = self.chains.get(&component)?.clone();
        // Steps that were reached, each with the one that led there.
        let mut reached: Vec<(usize, usize)> = Vec::new();
        let mut nth = 0;
        let mut at = b;
        let mut came_by = usize::MAX;
        loop {
            if line.reaches(at, a) {
                let mut circle = vec![(a, b)];
                while let Some(&(step, before)) = reached.get(came_by) {
                    circle.push(self.steps[step]);
                    came_by = before;
                }
                return Some(circle);
            }
            for (from, to) in &mut left {
                while *to > *from && line.reaches(at, self.steps[*to - 1].0) {
                    *to -= 1;
                    reached.push((*to, came_by));
                }
            }
            let &(step, _) = reached.get(nth)?;
            (at, came_by) = (self.steps[step].1, nth);
            nth += 1;
        }
    }
}
