//! Every behaviour with few preemptions, each state once: Musuvathi and Qadeer, "Partial-Order Reduction for
//! Context-Bounded State Exploration", 2007 (happens-before caching), for the preemption bound of "Iterative Context Bounding
//! for Systematic Testing of Multithreaded Programs", PLDI 2007.
//!
//! **Guarantee:** every state that some schedule within the bound leads to is reached, so every failure within the bound is
//! found; when it is done and no bound was hit, every behaviour of the program was executed.
//!
//! What leads to a state is a partial order of steps. Schedules of the same one lead to the same state, and what the
//! bound allows from there depends on nothing but who made the last step and how many preemptions were used. So an execution that comes to
//! a known state, after the same thread and with no fewer preemptions, is given up there. If the bound cuts nothing off on the
//! ways that are left, there is nothing beyond it. `dpor` does not go with such a bound: the
//! one schedule of a trace that it executes may need more preemptions than another.
//!
//! **Deviations** The state is known by a hash of 128 bits of its partial order.
//!
//! **Misses** nothing. Memory grows with the number of states.

use crate::exhaustive::Exhaustive;
use crate::happens_before::partial_order::PartialOrder;
use gordian_base::{FxHashMap, ThreadId};
use gordian_engine::{Capabilities, Ended, Next, Point, Strategy};
use gordian_trace::{Choice, Event, Exploration, OpKind, Wants};

pub const NAME: &str = "bounded";

/// A state, and what the bound allows there besides the number of preemptions.
type Key = (u128, Option<(ThreadId, OpKind)>);

/// A step on the way of the present execution.
struct Step {
    /// What it was about to do.
    wants: Option<Wants>,
    /// Of the partial order of the steps before.
    class: u128,
}

#[derive(Default)]
pub struct Bounded {
    schedules: Exhaustive,
    order: PartialOrder,
    steps: Vec<Step>,
    /// The fewest preemptions with which a state was reached.
    known: FxHashMap<Key, u32>,
}

impl Bounded {
    /// Takes in the step that was made since it was last asked, and gives the partial order of all.
    fn record_steps(&mut self, schedule: &[Choice], events: &[Event]) -> u128 {
        let made = self.order.len();
        let Some(last) = self.steps.last() else { return 0 };
        if made == schedule.len() {
            return last.class;
        }
        self.order.push(schedule[made], events, last.wants);
        last.class.wrapping_add(hash(schedule[made], self.order.clock(made)))
    }

    /// Whether the state was reached before with no more preemptions.
    fn is_known(&mut self, class: u128, point: &Point<'_>) -> bool {
        let key = (class, point.last_operation());
        match self.known.get_mut(&key) {
            Some(fewest) if *fewest <= point.preemptions => true,
            Some(fewest) => {
                *fewest = point.preemptions;
                false
            }
            None => {
                self.known.insert(key, point.preemptions);
                false
            }
        }
    }
}

/// Of a step: who makes it, in which way, and how many steps of each thread come before it or are it. Two schedules are of one
/// partial order exactly if they have the same of these, so a sum of such hashes tells.
fn hash(choice: Choice, clock: &[u32]) -> u128 {
    let len = clock.iter().rposition(|&time| time > 0).map_or(0, |last| last + 1);
    let words = [choice.thread.0, choice.variant].into_iter().chain(clock[..len].iter().copied());
    let half = |seed: u64| words.clone().fold(seed, |hash, word| mix(hash ^ u64::from(word)));
    u128::from(half(0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(half(0xc2b2_ae3d_27d4_eb4f))
}

/// The finalizer of splitmix64 (Steele, Lea and Flood, OOPSLA 2014): every bit of the result depends on every bit.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ value >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ value >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ value >> 31
}

impl Strategy for Bounded {
    fn exploration(&self) -> Exploration {
        let guarantee = "reaches every state that schedules within the bounds lead to".to_owned();
        Exploration { strategy: NAME.to_owned(), guarantee }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if point.depth == self.steps.len() {
            let class = self.record_steps(point.schedule, point.events);
            if self.is_known(class, point) {
                return None;
            }
            self.order.push_state(point.choices, point.events.len());
            self.steps.push(Step { wants: None, class });
        }
        let chosen = self.schedules.choose(point)?;
        self.steps[point.depth].wants = point.wants(point.choices[chosen].thread);
        Some(chosen)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        let next = self.schedules.next(ended);
        if let Next::Backtrack(depth) = next {
            self.steps.truncate(depth + 1);
            self.order.truncate(depth);
        }
        next
    }

    fn capabilities(&self) -> Capabilities {
        Capabilities::REDUCTION
    }

    fn done(&self) -> Option<f64> {
        self.schedules.done()
    }
}
