//! Brief plans: how much of a sequence has to be planned.
//!
//! To reverse a race is to plan all that does not happen after its first step, then the second. There may be very many such sequences, which
//! differ in what is of no importance for the race, and all of them would wait in the wake-up tree of one state. But whoever begins a
//! sequence covers it, as source sets do. The rest of it is there for those who are asleep: an execution in which one of them is never
//! woken is in vain. So of a sequence only so much is planned that everybody who is asleep is *sure to be woken*:
//! - a step that is planned depends on the one that is asleep, or
//! - another thread is about to make a step that does, which nothing can keep it from, and which is not asleep itself, or
//!   planned to be woken. However the execution goes on, that step or another that depends on the sleeper will be made.
//!
//! What is asleep then stays so beyond the plan. A sequence from a state there that does not depend on it is *not* covered by
//! it, as it would be if all plans were whole: executions in which the sleeper is woken only later are nobody else's.
//!
//! So trees stay small, of many short branches: a write and N readers need N branches from the first state, not 2^N.

use super::dependence::Dependents;
use super::footprint::{Footprints, Label, thread_bit};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

type Labels = SmallVec<[Label; 16]>;

/// What is known of a state that a sequence is planned from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Surroundings {
    /// Steps that are asleep there, the one that was made from there included.
    pub asleep: Labels,
    pub wakers: Wakers,
}

impl Surroundings {
    pub fn labels(&self) -> impl Iterator<Item = &Label> {
        self.asleep.iter().chain(&self.wakers.0)
    }

    pub fn labels_mut(&mut self) -> impl Iterator<Item = &mut Label> {
        self.asleep.iter_mut().chain(&mut self.wakers.0)
    }
}

/// Steps that threads are about to make, one of each at the most: no other can keep them from it, and they touch the same at any
/// time.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Wakers(pub Labels);

impl Wakers {
    /// Those that depend on a step of another thread.
    fn of<'a>(&'a self, footprints: &'a Footprints, asleep: &'a Label) -> impl Iterator<Item = &'a Label> {
        let dependents = Dependents::of(footprints, asleep);
        self.0.iter().filter(move |waker| waker.thread != asleep.thread && dependents.have(waker))
    }

    /// Those who are asleep and not sure to be woken by threads other than these, who have moved on.
    fn unsure(&self, footprints: &Footprints, mut asleep: Labels, moved: u64) -> Labels {
        loop {
            let threads = asleep.iter().fold(moved, |threads, label| threads | thread_bit(label.thread));
            let is_sure = |waker: &Label| threads & thread_bit(waker.thread) == 0;
            let n_asleep = asleep.len();
            asleep.retain(|label| !self.of(footprints, label).any(is_sure));
            if asleep.is_empty() || asleep.len() == n_asleep {
                return asleep;
            }
        }
    }

    /// Whether one of them may wake a step that is asleep.
    pub fn may_wake(&self, footprints: &Footprints, asleep: &Label) -> bool {
        self.of(footprints, asleep).next().is_some()
    }
}

impl Surroundings {
    /// A step to go on with if all who are asleep are sure to be woken, however the execution goes on: one that wakes one of them and is not asleep itself. To explore what begins
    /// with it, and then what begins otherwise, needs no plans.
    pub fn next(&self, footprints: &Footprints) -> Option<Label> {
        let is_certain = self.asleep.iter().all(|label| is_certain(footprints, label) && !label.is_apart);
        if !is_certain || !self.wakers.unsure(footprints, self.asleep.clone(), 0).is_empty() {
            return None;
        }
        let threads = self.asleep.iter().fold(0, |threads, label| threads | thread_bit(label.thread));
        let is_awake = |waker: &&Label| threads & thread_bit(waker.thread) == 0;
        let wakers = self.asleep.iter().flat_map(|label| self.wakers.of(footprints, label)).filter(is_awake);
        wakers.min_by_key(|waker| waker.thread).copied()
    }
}

/// What waits to be explored beside a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Waits {
    #[default]
    Nothing,
    /// Steps, with all that they lead to.
    Steps,
    /// Sequences, too, or steps of which it is not certain what they touch.
    Sequences,
}

impl Waits {
    /// Of branches, each of which is one step or not.
    pub fn of(mut are_steps: impl Iterator<Item = bool>) -> Waits {
        match are_steps.next() {
            None => Waits::Nothing,
            Some(is_step) if is_step && are_steps.all(|is_step| is_step) => Waits::Steps,
            Some(_) => Waits::Sequences,
        }
    }
}

/// Whether it is known what a step touches.
pub fn is_certain(footprints: &Footprints, label: &Label) -> bool {
    !footprints.is_uncertain(label.footprint)
        && label.footprint != Footprints::UNKNOWN
        && label.footprint != Footprints::UNTRIED
}

/// Where a sequence, or what is left of it, is planned.
pub struct Spot<'a> {
    wakers: &'a Wakers,
    /// Steps that are asleep at the state that it is planned from or come to be on the way, each with the number of steps of the
    /// way before that.
    asleep: SmallVec<[(Label, usize); 16]>,
    /// Steps from that state on that it has in common with what was planned before.
    way: Labels,
}

impl<'a> Spot<'a> {
    pub fn new(surroundings: &'a Surroundings) -> Self {
        let asleep = surroundings.asleep.iter().map(|&label| (label, 0)).collect();
        Spot { wakers: &surroundings.wakers, asleep, way: Labels::new() }
    }

    /// From where the way has come to, this step is explored before.
    pub fn pass(&mut self, label: Label) {
        self.asleep.push((label, self.way.len()));
    }

    /// The way goes on with a step.
    pub fn go_on(&mut self, label: Label) {
        self.way.push(label);
    }

    /// Moves what has to be planned of a sequence to its beginning, in its order, and gives its length. None if it would be in vain: what is asleep
    /// covers it.
    pub fn abridge(mut self, footprints: &Footprints, sequence: &mut [Label]) -> Option<usize> {
        if !self.is_certain(footprints, sequence) {
            return Some(sequence.len());
        }
        let way = &self.way;
        self.asleep.retain(|(label, from)| {
            let dependents = Dependents::of(footprints, label);
            !way[*from..].iter().any(|step| dependents.have(step))
        });
        let mut kept = Kept::of(footprints, sequence, &self.way);
        kept.add_first_of_last();
        while !self.are_woken(&mut kept)? {}
        Some(kept.move_up(sequence))
    }

    /// Whether it is known of all steps what they touch, and what they lead to says all.
    fn is_certain(&self, footprints: &Footprints, sequence: &[Label]) -> bool {
        sequence.iter().chain(&self.way).all(|label| is_certain(footprints, label))
            && self.asleep.iter().all(|(label, _)| is_certain(footprints, label) && !label.is_apart)
    }

    /// Whether all who are asleep are sure to be woken by what is kept; keeps more otherwise. None if some cannot be.
    fn are_woken(&self, kept: &mut Kept<'_>) -> Option<bool> {
        let asleep = self.asleep.iter().map(|(label, _)| label).filter(|label| !kept.wakes(label)).copied().collect();
        let unsure = self.wakers.unsure(kept.footprints, asleep, kept.threads);
        let mut keeps_more = false;
        for label in &unsure {
            keeps_more |= kept.add_waker(label);
        }
        (unsure.is_empty() || keeps_more).then_some(unsure.is_empty())
    }
}

/// The steps of a sequence that are planned: with each all that must come before it.
struct Kept<'a> {
    footprints: &'a Footprints,
    sequence: SmallVec<[Label; 64]>,
    is_kept: SmallVec<[bool; 64]>,
    /// Of the steps that are kept and of those on the way to them.
    threads: u64,
}

impl<'a> Kept<'a> {
    fn of(footprints: &'a Footprints, sequence: &[Label], way: &[Label]) -> Self {
        let threads = way.iter().fold(0, |threads, label| threads | thread_bit(label.thread));
        let is_kept = SmallVec::from_elem(false, sequence.len());
        Kept { footprints, sequence: SmallVec::from_slice(sequence), is_kept, threads }
    }

    fn steps(&self) -> impl DoubleEndedIterator<Item = &Label> {
        self.sequence.iter().zip(&self.is_kept).filter(|(_, is_kept)| **is_kept).map(|(label, _)| label)
    }

    /// Whether a step that is kept depends on this one.
    fn wakes(&self, label: &Label) -> bool {
        let dependents = Dependents::of(self.footprints, label);
        self.steps().any(|step| dependents.have(step))
    }

    /// The positions that must come before this one, from the last to the first, itself included.
    fn past(&self, position: usize) -> SmallVec<[usize; 64]> {
        let mut past = SmallVec::from_slice(&[position]);
        for earlier in (0..position).rev() {
            let dependents = Dependents::of(self.footprints, &self.sequence[earlier]);
            if past.iter().any(|&later| dependents.have(&self.sequence[later])) {
                past.push(earlier);
            }
        }
        past
    }

    /// Keeps the first step towards the last one.
    fn add_first_of_last(&mut self) {
        let past = self.past(self.sequence.len() - 1);
        self.add(past[past.len() - 1]);
    }

    /// Keeps the first step that wakes this one, and what must come before that. Whether there is one.
    fn add_waker(&mut self, asleep: &Label) -> bool {
        let Some(position) = Dependents::of(self.footprints, asleep).first_of(&self.sequence) else { return false };
        self.past(position).into_iter().for_each(|position| self.add(position));
        true
    }

    fn add(&mut self, position: usize) {
        self.is_kept[position] = true;
        self.threads |= thread_bit(self.sequence[position].thread);
    }

    fn move_up(&self, sequence: &mut [Label]) -> usize {
        sequence.iter_mut().zip(self.steps()).map(|(place, step)| *place = *step).count()
    }
}
