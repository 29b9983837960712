//! Tours: executions at random, split where they weigh much.

use super::focus::{Memory, Threads};
use super::freedom::{Freedom, Offer};
use super::population::{Levels, LogSum};
use gordian_base::Rng;
use gordian_engine::{Capabilities, End, Ended, Next, Point, Strategy};
use gordian_trace::{Choice, Event, Exploration};
use smallvec::SmallVec;

/// Tours that only look, before the others: without a focus, for what threads do to each other. How long they take decides how
/// many others follow. They do not count, so that the number of those that do depends on none of them.
const PILOT_TOURS: u32 = 32;
/// Later one of so many tours only looks: a focus that rests on too little keeps itself from seeing more.
const SCOUT_EVERY: u32 = 8;
/// Fewer give no interval worth the name.
const LEAST_TOURS: u32 = 16;
const MOST_TOURS: u32 = 20_000;
/// An execution this many times as heavy as usual is split.
const UNUSUAL: f64 = 2.0;
const MOST_COPIES: usize = 4;
/// Executions of one tour, beyond which none is split any more.
const MOST_PARTS: u32 = 256;

/// What a tour weighs: the logarithm of the sum over its executions.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tour {
    /// Of executions that came to an end of their own.
    pub complete: LogSum,
    /// Of executions that a bound cut off.
    pub cut_off: LogSum,
}

impl Tour {
    /// The logarithm of its whole weight.
    pub fn all(&self) -> f64 {
        let mut all = self.complete;
        all.add(self.cut_off.log());
        all.log()
    }
}

/// A point from which the tour goes on in further ways.
struct Split {
    depth: usize,
    others: SmallVec<[Choice; MOST_COPIES]>,
    log_share: f64,
}

/// An execution that its last step cut short. The steps that nothing depends on might each have come last in an
/// execution of the same trace, or not: then the execution would have ended without them. That is found out by trying.
struct Trial {
    schedule: Vec<Choice>,
    class: u64,
    end: End,
    /// The weight if every order of the trace is possible.
    log_weight: f64,
    /// The weight if the last step must come last.
    log_weight_as_is: f64,
    /// Positions still to be tried, the latest last: what comes before a position stays as it was until then.
    candidates: Vec<usize>,
    n_candidates: u32,
    /// The one being tried; what comes before it is as it was.
    tried: usize,
    /// How many of them can come last, beside the one that did.
    n_lasts: u32,
}

impl Trial {
    /// What the execution counts: if any step can come last, no order is special; else those that are possible share
    /// the trace evenly.
    fn settle(&self) -> f64 {
        if self.n_lasts == self.n_candidates {
            self.log_weight
        } else {
            self.log_weight_as_is - f64::from(1 + self.n_lasts).ln()
        }
    }
}

pub struct Sampler {
    rng: Rng,
    budget: u64,
    freedom: Freedom,
    memory: Memory,
    /// What the next step is chosen from.
    offer: Option<Offer>,
    /// Choices to be made before others, the next one last.
    forced: Vec<Choice>,
    splits: Vec<Split>,
    trial: Option<Trial>,
    /// An execution of this or an earlier tour ended although a thread had something left to do.
    cuts: bool,
    /// The present tour only looks.
    scouts: bool,
    /// Whether choices are made with a focus in this tour: a point that it comes back to must look the same.
    focuses: bool,
    levels: Levels,
    /// What splitting has made of the weight of the present execution.
    log_share: f64,
    tour: Tour,
    parts: u32,
    n_tours: u32,
    /// Known when the pilot tours are over.
    wanted: Option<u32>,
    n_steps: u64,
    n_sampled: u64,
    tours: Vec<Tour>,
}

impl Sampler {
    /// Makes tours of about `budget` steps in all.
    pub fn new(seed: u64, budget: u64) -> Self {
        Sampler {
            rng: Rng::stream(seed, 0x65_73_74),
            budget,
            freedom: Freedom::default(),
            memory: Memory::default(),
            offer: None,
            forced: Vec::new(),
            splits: Vec::new(),
            trial: None,
            cuts: false,
            scouts: true,
            focuses: false,
            levels: Levels::default(),
            log_share: 0.0,
            tour: Tour::default(),
            parts: 1,
            n_tours: 0,
            wanted: None,
            n_steps: 0,
            n_sampled: 0,
            tours: Vec::new(),
        }
    }

    /// Independent but for the guess of what is usual: the expectation of each is the number of traces.
    pub fn tours(&self) -> &[Tour] {
        &self.tours
    }

    /// Executions of these tours.
    pub fn n_sampled(&self) -> u64 {
        self.n_sampled
    }

    fn record_steps(&mut self, schedule: &[Choice], events: &[Event]) {
        if let Some(offer) = self.offer.take() {
            let made = self.freedom.len();
            let n_events = offer.n_events;
            self.freedom.push(schedule[made], offer, events);
            self.memory.see(&events[n_events..], |thread| self.freedom.time(thread));
            self.n_steps += 1;
        }
    }

    /// Whoever is blocked at the end would have touched what it waits for.
    fn look_at_blocked(&mut self, ended: &Ended<'_>) {
        for (thread, wants) in ended.waiting() {
            self.memory.see_wanted(thread, &wants, self.freedom.time(thread) + 1);
        }
    }

    /// How many ways to go on from here: 1 as a rule.
    fn copies(&mut self, depth: usize) -> usize {
        if self.scouts {
            return 1;
        }
        let log_weight = self.freedom.log_weight() + self.log_share;
        self.levels.add(depth, log_weight);
        let ratio = (log_weight - self.levels.log_mean(depth, self.tours.len() as u32 + 1)).exp();
        if ratio > UNUSUAL && self.parts < MOST_PARTS {
            let copies = (ratio as usize).min(MOST_COPIES);
            self.log_share -= (copies as f64).ln();
            self.parts += copies as u32 - 1;
            copies
        } else {
            1
        }
    }

    /// The next choice, with those that are kept for later where the execution is split.
    fn draw(&mut self, depth: usize, offer: &Offer) -> Choice {
        if offer.choices.len() == 1 {
            return offer.choices[0];
        }
        let copies = self.copies(depth);
        let choice = offer.draw(&mut self.rng);
        if copies > 1 {
            let others = (1..copies).map(|_| offer.draw(&mut self.rng)).collect();
            self.splits.push(Split { depth, others, log_share: self.log_share });
        }
        choice
    }

    fn offer(&self, point: &Point<'_>) -> Offer {
        let focus = if self.focuses && point.choices.len() > 1 {
            self.memory.focus(point, |thread| self.freedom.time(thread))
        } else {
            Threads::MAX
        };
        Offer::new(point, focus)
    }

    /// Goes on with the tour where it was split last.
    fn resume(&mut self, depth: usize) -> Option<Choice> {
        let split = self.splits.last_mut().filter(|split| split.depth == depth)?;
        self.log_share = split.log_share;
        let choice = split.others.pop();
        if split.others.is_empty() {
            self.splits.pop();
        }
        choice
    }

    /// Takes the end of an execution into account, or begins to find out what it counts.
    fn end(&mut self, ended: &Ended<'_>) {
        let Some(end) = ended.end else { return };
        self.cuts |= cuts(ended);
        let cut_short = match end {
            End::Exit(_) | End::Bound(_) => false,
            End::Failed => !ended.stuck,
            End::Dropped | End::Unsupported(_) => return,
        };
        let log_weight = self.freedom.final_log_weight(false) + self.log_share;
        let counted = match end {
            End::Bound(_) => &mut self.tour.cut_off,
            _ => &mut self.tour.complete,
        };
        if !cut_short || self.scouts {
            counted.add(log_weight);
            self.n_sampled += u64::from(!self.scouts);
            return;
        }
        let mut candidates = self.freedom.order.maximal();
        candidates.retain(|&position| position + 1 < ended.schedule.len());
        candidates.sort_unstable();
        self.trial = Some(Trial {
            schedule: ended.schedule.to_vec(),
            class: self.freedom.order.class(),
            end: end.clone(),
            log_weight,
            log_weight_as_is: self.freedom.final_log_weight(true) + self.log_share,
            n_candidates: candidates.len() as u32,
            candidates,
            tried: ended.schedule.len(),
            n_lasts: 0,
        });
    }

    /// The next candidate for the last step of the execution on trial; when all are tried it counts.
    fn go_on_with_trial(&mut self) -> Option<Next> {
        let trial = self.trial.as_mut()?;
        if let Some(position) = trial.candidates.pop() {
            trial.tried = position;
            let mut schedule = trial.schedule.clone();
            let last = schedule.remove(position);
            schedule.push(last);
            self.forced = schedule.split_off(position);
            self.forced.reverse();
            self.freedom.truncate(position);
            return Some(Next::Backtrack(position));
        }
        let trial = self.trial.take().expect("it was there");
        self.tour.complete.add(trial.settle());
        self.n_sampled += u64::from(!self.scouts);
        let split = self.splits.last()?;
        if split.depth <= trial.tried {
            return None;
        }
        // The way to where the tour was split leads over what the trial changed.
        self.forced = trial.schedule[trial.tried..split.depth].to_vec();
        self.forced.reverse();
        self.freedom.truncate(trial.tried);
        Some(Next::Backtrack(trial.tried))
    }

    fn finish_tour(&mut self) {
        let tour = std::mem::take(&mut self.tour);
        self.n_tours += 1;
        if !self.scouts {
            self.tours.push(tour);
        }
        // Where executions are very long, a few must do.
        let piloted = self.n_tours == PILOT_TOURS || self.n_tours >= 4 && self.n_steps >= self.budget / 2;
        if self.wanted.is_none() && piloted {
            let affordable = self.budget * u64::from(self.n_tours) / self.n_steps.max(1);
            self.wanted = Some(affordable.clamp(LEAST_TOURS.into(), MOST_TOURS.into()) as u32);
        }
        self.scouts = self.wanted.is_none() || self.n_tours.is_multiple_of(SCOUT_EVERY);
        self.log_share = 0.0;
        self.parts = 1;
        self.memory.learn();
        self.focuses = !self.scouts && !self.cuts;
        self.freedom.truncate(0);
    }
}

/// Whether the execution ended although a thread had something left to do: then how far each thread came matters, whether
/// or not they touch the same things.
fn cuts(ended: &Ended<'_>) -> bool {
    !ended.stuck && ended.waiting().next().is_some()
}

impl Strategy for Sampler {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: "estimate".to_owned(), guarantee: String::new() }
    }

    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        self.record_steps(point.schedule, point.events);
        let offer = self.offer(point);
        let choice = match self.forced.pop() {
            Some(choice) => choice,
            // A trial that goes on beyond its schedule has failed.
            None if self.trial.is_some() => return None,
            None => match self.resume(point.depth) {
                Some(choice) => choice,
                None => self.draw(point.depth, &offer),
            },
        };
        let index = point.choices.iter().position(|offered| *offered == choice)?;
        self.offer = Some(offer);
        Some(index)
    }

    fn next(&mut self, ended: &Ended<'_>) -> Next {
        self.record_steps(ended.schedule, ended.events);
        self.look_at_blocked(ended);
        match &mut self.trial {
            Some(trial) => {
                let same = self.forced.is_empty()
                    && ended.end == Some(&trial.end)
                    && !ended.stuck
                    && self.freedom.order.class() == trial.class;
                trial.n_lasts += u32::from(same);
                self.forced.clear();
            }
            None => self.end(ended),
        }
        if let Some(next) = self.go_on_with_trial() {
            return next;
        }
        if let Some(split) = self.splits.last() {
            self.freedom.truncate(split.depth);
            return Next::Backtrack(split.depth);
        }
        self.finish_tour();
        if self.wanted.is_some_and(|wanted| self.tours.len() >= wanted as usize) { Next::Done } else { Next::Restart }
    }

    /// What ends it is its budget, not the engine's.
    fn capabilities(&self) -> Capabilities {
        Capabilities { exhaustive: true, backtracks: true, sees_every_step: true, ..Capabilities::default() }
    }
}
