//! The race cache. Most races of an execution were there in the one before as well, and the step that covered one
//! then has to be compared with those steps alone that are new.
//!
//! **Lemma.** The sleep set of a state and the leaves that wait there only grow while the step made from it stays. So what covered a race then is still there,
//! and whether it covers the sequence as it is now depends on the new steps that joined it alone: nothing is guessed.

use super::planning::Covering;
use super::wakeup::Initial;
use super::{Dpor, Race, Second};
use crate::explain::explain;
use crate::happens_before::history::{NONE, Step};
use crate::happens_before::transition::Transition;
use gordian_base::Id;

#[derive(Default)]
pub struct RaceCache {
    /// So many steps are those of the execution that was last analysed.
    n_old: usize,
    /// By race of that execution.
    races: Vec<Outcome>,
    /// By thread: up to which of its times all new steps know.
    known: Vec<u32>,
}

/// What came of a race.
#[derive(Clone, Copy)]
enum Outcome {
    /// Whatever it was, it may be otherwise with other steps.
    Unknown,
    /// Covered by a step that is independent of the sequence, or is its last step; see [`Covering`].
    CoveredBy { label: Transition, is_firm: bool },
    /// Covered by a step that stands for the one of this index: what comes after does not matter.
    CoveredByStepInPlan { step: usize },
    /// Planned, or covered by several steps; what was planned stands among the first so many steps.
    Inserted { end: usize },
}

impl RaceCache {
    /// Steps beyond so many were taken back.
    pub fn keep(&mut self, n_steps: usize) {
        self.n_old = self.n_old.min(n_steps);
    }
}

impl Dpor {
    /// Plans the executions in which the two steps of a race come in the other order, for all races between steps.
    pub(super) fn settle_races(&mut self) {
        let is_old =
            |race: &Race| matches!(race.second, Second::Step(second) if (second as usize) < self.race_cache.n_old);
        let n_old = self.history.races.partition_point(is_old);
        self.race_cache.races.truncate(n_old);
        self.race_cache.races.resize(self.history.races.len(), Outcome::Unknown);
        if n_old > 0 {
            self.find_what_new_steps_know();
        }
        // Many steps in a row may race with the same one, on which all that follows depends.
        let mut followed_by_dependent = None;
        for nth in 0..self.history.races.len() {
            let race = self.history.races[nth];
            if self.shortcuts.race_cache && self.is_settled(race.first, self.race_cache.races[nth]) {
                continue;
            }
            if self.is_open(race.first as usize) {
                continue;
            }
            let Second::Step(second) = race.second else { unreachable!("those of blocked threads were reversed") };
            let before = followed_by_dependent.filter(|(first, _)| self.shortcuts.race_cache && *first == race.first);
            let before = before.map(|(_, outcome)| outcome);
            self.reverses_failure = self.history.cut_short_at.is_some_and(|end| end <= second as usize);
            if !self.reverses_failure
                && let Some(Outcome::CoveredBy { label, is_firm: true }) = before
                && self.is_settled_by(label, race, second)
            {
                self.race_cache.races[nth] = Outcome::CoveredBy { label, is_firm: true };
                continue;
            }
            let outcome = self.settle(race, second, before.is_some());
            self.race_cache.races[nth] = outcome;
            // Where it overtakes readers, what follows them was left out, and need not depend on the first step.
            if before.is_some() || self.sequence.len() == 1 && !race.overtakes_readers {
                followed_by_dependent = Some((race.first, outcome));
            }
        }
        self.reverses_failure = false;
        self.race_cache.n_old = self.history.len();
    }

    /// Whether nothing has to be planned for a race with `first` of which that came before.
    #[inline]
    fn is_settled(&self, first: u32, outcome: Outcome) -> bool {
        match outcome {
            Outcome::Unknown => false,
            Outcome::CoveredBy { label, .. } => {
                self.is_known(first)
                    || self.new_unordered(first).all(|step| !self.history.footprints.depends(&label, &step.label))
            }
            Outcome::CoveredByStepInPlan { step } => step < self.race_cache.n_old,
            Outcome::Inserted { end } => {
                end <= self.race_cache.n_old && (self.is_known(first) || self.new_unordered(first).next().is_none())
            }
        }
    }

    /// Whether an old step happens before all that are new.
    #[inline]
    fn is_known(&self, old: u32) -> bool {
        let step = &self.history.steps[old as usize];
        self.race_cache.known.get(step.choice.thread.index()).is_some_and(|&known| known >= step.time)
    }

    /// Whoever makes several new steps knows the least with the first of them.
    fn find_what_new_steps_know(&mut self) {
        let (history, RaceCache { n_old, known, .. }) = (&self.history, &mut self.race_cache);
        known.clear();
        for (nth, step) in history.steps[*n_old..].iter().enumerate() {
            let clock = history.clocks.times(step.clock);
            let is_first_of_thread = step.before.last == NONE || (step.before.last as usize) < *n_old;
            if nth == 0 {
                known.extend_from_slice(clock);
            } else if is_first_of_thread {
                known.iter_mut().zip(clock).for_each(|(known, time)| *known = (*known).min(*time));
            }
        }
    }

    /// The new steps that do not happen after `first`.
    #[inline]
    fn new_unordered(&self, first: u32) -> impl Iterator<Item = &Step> {
        self.history.unordered(first, self.race_cache.n_old).map(|(_, step)| step)
    }

    /// Whether the step that covered another race with the same first step, on which all that follows depends, covers this one.
    #[inline]
    fn is_settled_by(&self, by: Transition, race: Race, second: u32) -> bool {
        !race.overtakes_readers
            && by.covers_independent()
            && self.history.is_same_if_reversed(second)
            && !self.history.footprints.depends(&by, &self.history.steps[second as usize].label)
    }

    /// `is_alone` if all that follows depends on the first step of the race.
    #[inline(never)]
    fn settle(&mut self, race: Race, second: u32, is_alone: bool) -> Outcome {
        let is_same = self.history.is_same_if_reversed(second);
        let label = self.history.second_if_reversed(race, second);
        explain!(
            "race of step {} ({}) and step {second}, which comes first as {}",
            race.first,
            crate::explain::Steps(&self.history.footprints, &[self.history.steps[race.first as usize].label]),
            crate::explain::Steps(&self.history.footprints, &[label])
        );
        let end = if is_alone {
            self.sequence.clear();
            self.sequence.push(label);
            0
        } else {
            self.history.without(race, label, &mut self.sequence)
        };
        let covering = self.plan(race.first as usize);
        match covering {
            _ if race.overtakes_readers => Outcome::Unknown,
            Some(Covering { initial: Initial::At(position), .. }) if position + 1 < self.sequence.len() => {
                let mut planned = self.history.unordered(race.first, race.first as usize + 1);
                let (step, _) = planned.nth(position).expect("all but the last were made");
                Outcome::CoveredByStepInPlan { step }
            }
            Some(Covering { label, is_firm, .. }) if is_same => Outcome::CoveredBy { label, is_firm },
            None if is_same => Outcome::Inserted { end },
            _ => Outcome::Unknown,
        }
    }
}
