//! Every state, depth first: explicit-state model checking as of SPIN (Holzmann 1997) and Java PathFinder (Visser and others, ASE 2000), without any
//! reduction. It stands beside `value-schedule` as the baseline of Huang's thesis (2009).
//!
//! **Guarantee:** every state that schedules lead to is reached; when it is done and no bound was hit, every failure was found that is a matter of
//! the state alone. A thread can be preempted before every operation on an object that several threads can reach.
//!
//! **Deviations** States are compared in full. Their parts (objects, threads) are stored once and named by a number, as SPIN's COLLAPSE mode does
//! (Holzmann 1997, "State Compression in SPIN"). Where the machine leaves rounds of waiting loops out, states in which a thread is in one are not stored.
//!
//! **Misses** data races: a state has no clocks, so which accesses were ordered is forgotten where two ways meet. The command line switches
//! their detection off. Memory grows with the number of states.

use crate::exhaustive::Exhaustive;
use gordian_base::{FxHashMap, FxHashSet};
use gordian_engine::{Capabilities, Ended, Next, Point, Strategy};
use gordian_trace::Exploration;

pub const NAME: &str = "explicit";

#[derive(Default)]
pub struct Explicit {
    schedules: Exhaustive,
    /// Choice points of the present execution.
    n_points: usize,
    /// Each part of a state has a number.
    parts: FxHashMap<Box<[u8]>, u32>,
    states: FxHashSet<Box<[u32]>>,
}

impl Explicit {
    /// How many states are stored.
    pub fn n_states(&self) -> usize {
        self.states.len()
    }

    /// Whether the state was reached before.
    fn is_known(&mut self, point: &Point<'_>) -> bool {
        let (parts, mut state) = (&mut self.parts, Vec::new());
        let is_told = point.tell_state(&mut |part| {
            let next = u32::try_from(parts.len()).expect("fewer than 2^32 parts");
            let number = match parts.get(part) {
                Some(&number) => number,
                None => *parts.entry(part.into()).or_insert(next),
            };
            state.push(number);
        });
        is_told && !self.states.insert(state.into())
    }
}

impl Strategy for Explicit {
    fn exploration(&self) -> Exploration {
        let guarantee =
            "reaches every state that schedules within the bounds lead to; says nothing of data races".to_owned();
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == self.n_points {
            if self.is_known(point) {
                return None;
            }
            self.n_points += 1;
        }
        self.schedules.choose(point)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let next = self.schedules.next(ended);
        if let Next::Backtrack(depth) = next {
            self.n_points = depth + 1;
        }
        next
    }

    fn notes(&self) -> Vec<String> {
        vec![format!("{} states were stored", self.states.len())]
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities { compares_states: true, reduces: true, ..self.schedules.capabilities() }
    }

    fn done(&self) -> Option<f64> {
        self.schedules.done()
    }
}
