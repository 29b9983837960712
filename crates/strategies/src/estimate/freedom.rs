//! The weight of an execution: of how many choices at each of its points it would still be the same trace.

use super::focus::{Threads, bit};
use crate::happens_before::conflict::races;
use crate::happens_before::partial_order::PartialOrder;
use gordian_base::{Id, Rng, ThreadId};
use gordian_engine::Point;
use gordian_trace::{Choice, Event, Wants};
use smallvec::SmallVec;

/// How often a choice is made without regard to the focus. The focus rests on what was seen so far; what it would keep
/// from happening must happen all the same, or it would never be counted.
const ASTRAY: f64 = 0.05;

/// What could be chosen at a point, and what each thread was about to do there.
#[derive(Clone)]
pub struct Offer {
    pub choices: SmallVec<[Choice; 8]>,
    wants: SmallVec<[(ThreadId, Wants); 4]>,
    pub n_events: usize,
    /// Whose choices are preferred.
    focus: Threads,
    /// How many choices they have.
    n_focused: u32,
}

impl Offer {
    pub fn new(point: &Point<'_>, focus: Threads) -> Offer {
        let mut wants: SmallVec<[(ThreadId, Wants); 4]> = SmallVec::new();
        for offered in point.choices {
            if wants.last().is_none_or(|(thread, _)| *thread != offered.thread) {
                wants.extend(point.wants(offered.thread).map(|wants| (offered.thread, wants)));
            }
        }
        let n_focused = point.choices.iter().filter(|choice| focus & bit(choice.thread) != 0).count() as u32;
        Offer { choices: point.choices.into(), wants, n_events: point.events.len(), focus, n_focused }
    }

    /// The chance that one of so many choices is made, of which so many are in the focus.
    fn chance(&self, n_free: u32, n_focused: u32) -> f64 {
        let all = f64::from(n_free) / self.choices.len() as f64;
        match self.n_focused {
            0 => all,
            of => ASTRAY * all + (1.0 - ASTRAY) * f64::from(n_focused) / f64::from(of),
        }
    }

    /// A choice at random.
    pub fn draw(&self, rng: &mut Rng) -> Choice {
        let n_focused = self.n_focused as usize;
        if n_focused == 0 || n_focused == self.choices.len() || rng.unit() < ASTRAY {
            return self.choices[rng.below(self.choices.len())];
        }
        let nth = rng.below(n_focused);
        let mut focused = self.choices.iter().filter(|choice| self.focus & bit(choice.thread) != 0);
        *focused.nth(nth).expect("there are as many")
    }

    fn wants(&self, thread: ThreadId) -> Option<Wants> {
        self.wants.iter().find(|(wanting, _)| *wanting == thread).map(|(_, wants)| *wants)
    }
}

/// A step of the present execution.
struct Step {
    choice: Choice,
    offer: Offer,
    /// How many threads could have made their next step of this execution here, the one that did among them. Those that
    /// have not made it yet are taken for free while nothing has come in their way.
    n_free: u32,
    /// Those of them that are in the focus.
    n_focused: u32,
    /// What to put back when the step is taken back: whose first free point moved from where.
    moved: SmallVec<[(ThreadId, u32); 4]>,
    log_weight: f64,
}

impl Step {
    fn chance(&self) -> f64 {
        self.offer.chance(self.n_free, self.n_focused)
    }

    fn add(&mut self, thread: ThreadId, by: i32) {
        let added = |number: u32| number.checked_add_signed(by).expect("only what was free is bound");
        self.n_free = added(self.n_free);
        if self.offer.focus & bit(thread) != 0 {
            self.n_focused = added(self.n_focused);
        }
    }
}

/// The present execution with the number of free choices at each of its points. Its weight is the product, over all
/// points, of 1 / the chance to make a free choice.
#[derive(Default)]
pub struct Freedom {
    steps: Vec<Step>,
    pub order: PartialOrder,
    /// By thread: the positions of its steps.
    positions: Vec<Vec<u32>>,
    /// By thread: the first point from which on its next step could have been made all along.
    free_from: Vec<u32>,
    log_weight: f64,
    /// What the step being added changes of the weight: one logarithm is quicker than many.
    change: f64,
}

impl Freedom {
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// The logarithm of the weight, as far as it can be told before the end.
    pub fn log_weight(&self) -> f64 {
        self.log_weight
    }

    /// The step that made `choice`, with all events of the execution.
    pub fn push(&mut self, choice: Choice, offer: Offer, events: &[Event]) {
        let wants = offer.wants(choice.thread);
        self.order.push_state(&offer.choices, offer.n_events);
        self.order.push(choice, events, wants);
        let events = &events[offer.n_events..];
        let position = self.steps.len() as u32;
        let numbers = offer.choices.iter().map(|choice| choice.thread.index() + 1).max().unwrap_or(0);
        if self.free_from.len() < numbers {
            self.free_from.resize(numbers, position);
            self.positions.resize(numbers, Vec::new());
        }
        let log_weight = self.log_weight;
        let n_focused = u32::from(offer.focus & bit(choice.thread) != 0);
        self.change = 1.0 / offer.chance(1, n_focused);
        self.steps.push(Step { choice, offer, n_free: 1, n_focused, moved: SmallVec::new(), log_weight });
        let first = self.first_free(position);
        self.move_start(choice.thread, position, first);
        for thread in (0..self.free_from.len()).map(ThreadId::from_index) {
            if thread != choice.thread {
                self.expect(thread, position, events);
            }
        }
        self.positions[choice.thread.index()].push(position);
        self.log_weight += self.change.ln();
        // From here on the entry speaks of its next step.
        self.free_from[choice.thread.index()] = position + 1;
    }

    /// The first point from which on the newest step could have been made without any change: after all that happens
    /// before it.
    fn first_free(&self, position: u32) -> u32 {
        let own = self.steps[position as usize].choice.thread.index();
        let clock = self.order.clock(position as usize);
        let latest = |(thread, &time): (usize, &u32)| {
            let time = if thread == own { time - 1 } else { time };
            (time > 0).then(|| self.positions[thread][time as usize - 1] + 1)
        };
        clock.iter().enumerate().filter_map(latest).max().unwrap_or(0)
    }

    /// Whether the next step of `thread`, which was not made here, could have been: a guess until it is made.
    fn expect(&mut self, thread: ThreadId, position: u32, events: &[Event]) {
        let offer = &self.steps[position as usize].offer;
        let possible = offer.choices.iter().any(|choice| choice.thread == thread);
        let free =
            possible && offer.wants(thread).is_some_and(|wants| !events.iter().any(|event| races(event, &wants)));
        if free {
            self.add(position, thread, 1);
        } else {
            self.move_start(thread, position, position + 1);
        }
    }

    /// The step of `thread` is free from `to` on, up to the position before the newest.
    fn move_start(&mut self, thread: ThreadId, newest: u32, to: u32) {
        let from = self.free_from[thread.index()];
        self.steps[newest as usize].moved.push((thread, from));
        for position in from..to.min(newest) {
            self.add(position, thread, -1);
        }
        for position in to..from.min(newest) {
            self.add(position, thread, 1);
        }
        self.free_from[thread.index()] = to;
    }

    fn add(&mut self, position: u32, thread: ThreadId, by: i32) {
        let step = &mut self.steps[position as usize];
        let before = step.chance();
        step.add(thread, by);
        self.change *= before / step.chance();
    }

    /// Takes the newest steps back until `len` are left.
    pub fn truncate(&mut self, len: usize) {
        while self.steps.len() > len {
            self.pop();
        }
        self.order.truncate(len);
    }

    fn pop(&mut self) {
        let newest = self.steps.len() as u32 - 1;
        let moved = std::mem::take(&mut self.steps[newest as usize].moved);
        self.positions[self.steps[newest as usize].choice.thread.index()].pop();
        for &(thread, before) in moved.iter().rev() {
            if thread == self.steps[newest as usize].choice.thread {
                self.free_from[thread.index()] = self.first_free(newest);
            }
            self.move_start(thread, newest, before);
        }
        let step = self.steps.pop().expect("there is a newest step");
        self.log_weight = step.log_weight;
    }

    /// The logarithm of the weight at the end of the execution: steps that were never made were not free. If the last step
    /// cut the execution short, it could have been nowhere else.
    pub fn final_log_weight(&self, cut_short: bool) -> f64 {
        let len = self.steps.len() as u32;
        let mut free: Vec<(u32, u32)> = self.steps.iter().map(|step| (step.n_free, step.n_focused)).collect();
        let mut bind = |thread: ThreadId, range: std::ops::Range<u32>| {
            for position in range {
                let (n_free, n_focused) = &mut free[position as usize];
                *n_free -= 1;
                *n_focused -= u32::from(self.steps[position as usize].offer.focus & bit(thread) != 0);
            }
        };
        for (thread, &from) in self.free_from.iter().enumerate() {
            bind(ThreadId::from_index(thread), from..len);
        }
        if cut_short && len > 0 {
            bind(self.steps[len as usize - 1].choice.thread, self.first_free(len - 1)..len - 1);
        }
        let steps = self.steps.iter().zip(free);
        steps.map(|(step, (n_free, n_focused))| -step.offer.chance(n_free, n_focused).ln()).sum()
    }

    /// How many steps a thread has made.
    pub fn time(&self, thread: ThreadId) -> u32 {
        self.positions.get(thread.index()).map_or(0, |positions| positions.len() as u32)
    }
}
