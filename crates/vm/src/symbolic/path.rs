//! What the inputs satisfy, in the order in which it came about.

use gordian_base::{Id, ThreadId};
use gordian_expr::{ExprId, Pool};

/// Who made a condition part of the path, and when.
#[derive(Clone, Copy, Debug)]
pub struct CameAbout {
    pub thread: ThreadId,
    /// As clocks of happens-before have it.
    pub time: u32,
    /// No two have the same, whatever is taken back.
    stamp: u64,
}

#[derive(Default)]
pub struct Path {
    conditions: Vec<ExprId>,
    came_about: Vec<CameAbout>,
    /// Counts conditions, also those that were taken back.
    n_stamps: u64,
    /// By term: how often it is among the conditions.
    n_times: Vec<u32>,
    /// By symbol: the conditions that speak of it.
    about: Vec<Vec<u32>>,
    /// Which conditions and symbols were met, while related ones are looked for.
    met: (Vec<bool>, Vec<bool>),
}

impl Path {
    pub fn len(&self) -> usize {
        self.conditions.len()
    }

    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    pub fn conditions(&self) -> &[ExprId] {
        &self.conditions
    }

    pub fn came_about(&self) -> &[CameAbout] {
        &self.came_about
    }

    pub fn push(&mut self, pool: &Pool, condition: ExprId, thread: ThreadId, time: u32) {
        self.n_stamps += 1;
        let number = self.conditions.len() as u32;
        for symbol in pool.symbols(condition).iter() {
            if self.about.len() <= symbol.index() {
                self.about.resize_with(symbol.index() + 1, Vec::new);
            }
            self.about[symbol.index()].push(number);
        }
        if self.n_times.len() <= condition.index() {
            self.n_times.resize(pool.len(), 0);
        }
        self.n_times[condition.index()] += 1;
        self.conditions.push(condition);
        self.came_about.push(CameAbout { thread, time, stamp: self.n_stamps });
    }

    pub fn truncate(&mut self, pool: &Pool, len: usize) {
        for condition in self.conditions.drain(len..).rev() {
            self.n_times[condition.index()] -= 1;
            for symbol in pool.symbols(condition).iter() {
                self.about[symbol.index()].pop();
            }
        }
        self.came_about.truncate(len);
    }

    /// Whether this very condition is part of the path.
    pub fn contains(&self, condition: ExprId) -> bool {
        self.n_times.get(condition.index()).is_some_and(|&n| n > 0)
    }

    /// Names the path as it is now.
    pub fn stamp(&self) -> u64 {
        self.came_about.last().map_or(0, |by| by.stamp)
    }

    /// Whether the path that had this stamp is its beginning.
    pub fn goes_on_from(&self, stamp: u64) -> bool {
        stamp == 0 || self.came_about.binary_search_by_key(&stamp, |by| by.stamp).is_ok()
    }

    /// The conditions that speak of the term's symbols, or of those that these speak of, and so on; in their order.
    pub fn related_to(&mut self, pool: &Pool, term: ExprId) -> Vec<ExprId> {
        let (met_conditions, met_symbols) = &mut self.met;
        met_conditions.resize(self.conditions.len().max(met_conditions.len()), false);
        met_symbols.resize(self.about.len().max(met_symbols.len()), false);
        let mut found: Vec<u32> = Vec::new();
        let mut symbols: Vec<usize> = Vec::new();
        let mut next = 0;
        let mut of = term;
        loop {
            for symbol in pool.symbols(of).iter().map(Id::index) {
                if symbol >= self.about.len() || std::mem::replace(&mut met_symbols[symbol], true) {
                    continue;
                }
                symbols.push(symbol);
                for &condition in &self.about[symbol] {
                    if !std::mem::replace(&mut met_conditions[condition as usize], true) {
                        found.push(condition);
                    }
                }
            }
            let Some(&condition) = found.get(next) else { break };
            of = self.conditions[condition as usize];
            next += 1;
        }
        symbols.into_iter().for_each(|symbol| met_symbols[symbol] = false);
        found.iter().for_each(|&condition| met_conditions[condition as usize] = false);
        found.sort_unstable();
        found.into_iter().map(|condition| self.conditions[condition as usize]).collect()
    }
}
