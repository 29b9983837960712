//! What follows from an execution: plans for others.

use super::explored::{Configuration, EventId, Goal, Key, Sight};
use super::looks::{END, Look, arrange, looks};
use super::{DporObserving, is_cut_short};
use crate::happens_before::transition::Coverage;
use crate::happens_before::{Race, Second};
use gordian_base::ThreadId;
use gordian_engine::{End, Ended};
use gordian_trace::{Bound, Choice};
use std::hash::{DefaultHasher, Hash, Hasher};

/// A step to be made.
#[derive(Clone, Copy, Debug)]
pub struct Planned {
    pub thread: ThreadId,
    pub variant: Option<u32>,
    pub feeds: bool,
}

/// A sequence to explore from a state.
pub struct Plan {
    pub steps: Vec<Planned>,
    pub goal: Goal,
}

impl DporObserving {
    /// Plans what follows from the execution. Whether a thread could have overtaken a step shows in some orders of a trace only, so
    /// traces that come again are looked at again.
    pub(super) fn analyse(&mut self, ended: &Ended<'_>) {
        if self.history.len() == 0 {
            return;
        }
        self.looks = looks(&self.history);
        self.find_events();
        let all = self.configuration(|_| true);
        let left = self.sights_of(END);
        self.explored.add(&self.events, all, left);
        self.reverse_races(ended);
        self.plan_variants();
        self.plan_other_wakings();
        for of in 0..self.looks.len() {
            self.plan_other_looks(of);
        }
        if is_cut_short(ended, &self.history) {
            self.plan_before_the_end();
        }
        if let Some(End::Bound(Bound::Steps | Bound::Instructions)) = ended.end {
            self.plan_for_starved();
        }
    }

    fn find_events(&mut self) {
        self.events.clear();
        let mut by_thread: Vec<Vec<EventId>> = Vec::new();
        for index in 0..self.history.len() {
            let step = &self.history.steps[index];
            let Choice { thread, variant } = step.choice;
            let mut past = Configuration::default();
            for (other, &time) in self.history.clocks.get(step.clock).iter().enumerate() {
                // Its own clock counts itself.
                let time = if other == thread.0 as usize { time - 1 } else { time };
                if let Some(last) = (time as usize).checked_sub(1) {
                    past.set(ThreadId(other as u32), by_thread[other][last]);
                }
            }
            let sights = self.sights_of(index as u32);
            let event = self.explored.event(Key { thread, variant, past, sights });
            if by_thread.len() <= thread.0 as usize {
                by_thread.resize(thread.0 as usize + 1, Vec::new());
            }
            by_thread[thread.0 as usize].push(event);
            self.events.push(event);
        }
    }

    fn sights_of(&self, reader: u32) -> Vec<Sight> {
        let looks = self.looks.iter().filter(|look| look.reader == reader);
        looks.flat_map(|look| self.sights(look, look.seen())).collect()
    }

    /// What is seen where a look is at this write.
    fn sights(&self, look: &Look, write: u32) -> impl Iterator<Item = Sight> {
        let write = self.events[write as usize];
        look.places.iter().map(move |&(word, bytes)| Sight { word, bytes, write })
    }

    /// The beginning of the execution's trace that is these steps.
    fn configuration(&self, has: impl Fn(u32) -> bool) -> Configuration {
        let mut configuration = Configuration::default();
        for (index, &event) in self.events.iter().enumerate() {
            if has(index as u32) {
                configuration.set(self.history.steps[index].choice.thread, event);
            }
        }
        configuration
    }

    fn planned(&self, step: u32) -> Planned {
        let Choice { thread, variant } = self.history.steps[step as usize].choice;
        Planned { thread, variant: Some(variant), feeds: false }
    }

    /// A step that is to see something else. If it could go several ways whatever it sees, it goes the same; each of them comes
    /// with each sight then.
    fn planned_to_look(&self, step: u32) -> Planned {
        let label = &self.history.steps[step as usize].label;
        let keeps_variant =
            label.coverage == Coverage::Containing && self.history.footprints.keeps_variants(label.footprint);
        let planned = self.planned(step);
        Planned { variant: planned.variant.filter(|_| keeps_variant), ..planned }
    }

    fn plan(&mut self, depth: usize, plan: Plan) {
        let mut hash = [0; 2];
        for (nth, hash) in hash.iter_mut().enumerate() {
            let mut hasher = DefaultHasher::new();
            (nth, &plan.goal).hash(&mut hasher);
            *hash = hasher.finish();
        }
        if self.planned.insert(hash) {
            self.nodes[depth].todo.push(plan);
        }
    }

    /// Plans a step in the place of `first` and all that happens after it, behind all else.
    fn plan_without(&mut self, first: u32, last: Planned) {
        self.plan_with(first, last, |_| true);
    }

    /// As [`DporObserving::plan_without`], and of the steps behind `first` those that `has` tells.
    fn plan_with(&mut self, first: u32, last: Planned, has: impl Fn(u32) -> bool) {
        let stays = |step: u32| step < first || !self.history.comes_after(first, step) && has(step);
        let after = self.configuration(stays);
        let behind = first + 1..self.history.len() as u32;
        let mut steps: Vec<Planned> = behind.filter(|&step| stays(step)).map(|step| self.planned(step)).collect();
        steps.push(last);
        let goal = Goal::Step { after, thread: last.thread, variant: last.variant, sights: Vec::new() };
        self.plan(first as usize, Plan { steps, goal });
    }

    fn reverse_races(&mut self, ended: &Ended<'_>) {
        let mut races = Vec::new();
        for &race in &self.history.races {
            let Second::Step(second) = race.second else { unreachable!("those of blocked threads are taken") };
            races.push((race, self.history.steps[second as usize].label));
        }
        // Whoever is blocked at the end takes part with what it waits to do.
        let n_races = self.history.races.len();
        for (thread, _) in ended.waiting() {
            let label = self.history.find_races_of_blocked(thread, ended);
            races.extend(self.history.races.drain(n_races..).map(|race| (race, label)));
        }
        for (race, label) in races {
            let Race { first, second, thread, overtakes_readers } = race;
            // The variants of a step may depend on different steps.
            let variant = match second {
                Second::Step(step) => Some(self.history.steps[step as usize].choice.variant),
                Second::Blocked | Second::Watching => None,
            };
            let last = Planned { thread, variant, feeds: false };
            if second == Second::Watching {
                let seen: Vec<bool> =
                    (0..self.history.len() as u32).map(|step| self.history.has_seen(thread, step)).collect();
                self.plan_with(first, last, |step| seen[step as usize]);
            }
            if overtakes_readers {
                let readers = self.history.all_readers_since(race, label);
                let overtaken = |step| readers.iter().any(|&reader| self.history.comes_after(reader, step));
                let stays: Vec<bool> = (0..self.history.len() as u32).map(|step| !overtaken(step)).collect();
                self.plan_with(first, last, |step| stays[step as usize]);
            } else {
                self.plan_without(first, last);
            }
        }
    }

    /// Steps that could go several ways go each of them.
    fn plan_variants(&mut self) {
        for step in 0..self.history.len() {
            if self.history.steps[step].label.coverage != Coverage::Containing {
                continue;
            }
            let made = self.history.steps[step].choice;
            for choice in self.history.choices(step) {
                if choice.thread == made.thread && choice != made {
                    self.plan_choice(step, choice);
                }
            }
        }
    }

    fn plan_choice(&mut self, step: usize, choice: Choice) {
        let Choice { thread, variant } = choice;
        self.plan_without(step as u32, Planned { thread, variant: Some(variant), feeds: false });
    }

    /// A step woke a thread that could also have stopped waiting by itself, which no race will show.
    fn plan_other_wakings(&mut self) {
        for step in 0..self.history.len() {
            let footprint = self.history.footprints.get(self.history.steps[step].label.footprint);
            let released: Vec<ThreadId> = footprint.released().collect();
            for choice in self.history.choices(step) {
                if released.contains(&choice.thread) {
                    self.plan_choice(step, choice);
                }
            }
        }
    }

    /// Whoever sees one of several writes that are not ordered is to see each of them.
    fn plan_other_looks(&mut self, of: usize) {
        let Look { reader, writes, .. } = self.looks[of].clone();
        for &write in &writes[..writes.len() - 1] {
            for arrangement in arrange(&self.history, &self.looks, of, write) {
                let mut sights: Vec<Sight> = self.sights(&self.looks[of], write).collect();
                for &other in &arrangement.stays {
                    sights.extend(self.sights(&self.looks[other], self.looks[other].seen()));
                }
                let mut has = vec![false; self.history.len()];
                arrangement.steps.iter().for_each(|&step| has[step as usize] = true);
                let after = self.configuration(|step| has[step as usize]);
                let shared = (0..).zip(&arrangement.steps).take_while(|(index, step)| index == *step).count();
                let mut steps: Vec<Planned> =
                    arrangement.steps[shared..].iter().map(|&step| self.planned(step)).collect();
                let goal = if reader == END {
                    Goal::End { events: after, sights }
                } else {
                    let last = self.planned_to_look(reader);
                    steps.push(last);
                    Goal::Step { after, thread: last.thread, variant: last.variant, sights }
                };
                self.plan(shared, Plan { steps, goal });
            }
        }
    }

    /// An execution that a step cut short: whoever could have stepped before it must be given the chance.
    fn plan_before_the_end(&mut self) {
        let last = self.history.len() - 1;
        let ender = self.history.steps[last].choice.thread;
        for choice in self.history.choices(last) {
            if choice.thread != ender {
                self.plan_choice(last, choice);
            }
        }
    }

    /// An execution that was cut off, perhaps because a thread waits for another that never came to go on: each of those is
    /// given the chance, as soon as it could go on, once on every way.
    fn plan_for_starved(&mut self) {
        let last = self.history.len() - 1;
        for choice in self.history.choices(last) {
            let steps = &self.history.steps;
            let is_fed = (0..=last).any(|step| self.nodes[step].feeds && steps[step].choice.thread == choice.thread);
            let starves = |step: &usize| {
                steps[*step].choice.thread != choice.thread && self.history.choices(*step).contains(&choice)
            };
            if is_fed {
                continue;
            }
            if let Some(step) = (0..=last).rev().take_while(starves).last() {
                let Choice { thread, variant } = choice;
                self.plan_with(step as u32, Planned { thread, variant: Some(variant), feeds: true }, |_| false);
            }
        }
    }
}
