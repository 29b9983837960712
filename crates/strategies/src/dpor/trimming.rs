//! Trimmed plans: how much of a sequence has to be planned.
//!
//! To reverse a race is to plan `notdep(e, E)`, all that does not happen after its first step, then the second step. There may be very many such sequences,
//! which differ in what is of no importance for the race, and all of them would wait in the wake-up tree of one state. But, as with source sets, every
//! sequence is covered by the step that it begins with. The rest of it is there for the sleep set alone: an execution in which a step of the sleep set is never
//! woken is redundant. So of a sequence only so much is planned that everything in the sleep set is sure to be woken.
//!
//! **Definition (sure to be woken).** A step `q` of the sleep set is sure to be woken by a plan if
//! 1. a step of the plan depends on `q`, or
//! 2. another thread is about to make an *inevitable* step that depends on `q`, and that step is not in the sleep set, or is sure to be woken itself by
//!    steps other than `q`. ([`InevitableSteps::remove_guaranteed_wakeups`] takes the steps out for which this holds until no more do.)
//!
//! **Lemma 1 (sure).** However an execution goes on that follows such a plan, it makes a step that depends on `q`. For an inevitable step is made, or
//! another thread takes the same lock or unit before; that one depends on `q` as well, unless `q` shares the lock, which is left out (`shares_lock`). What a
//! thread is about to do is known from what it does later in the execution, or is still about to do at its end. So it depends on the state alone, and several
//! workers come to the same. An execution that ends before (by a failure, an exit, a bound, a false assumption) does not make it; there every other thread is
//! given the chance in place of the step that ended it (`plan_before_the_end`), as if that one stood still. Only a simple step ([`Step::about_to`]) is inevitable: one that may fail for want of a lock, wait for others, or do several things
//! at once may do something else at another time.
//!
//! **Lemma 2 (reduction).** Before that, whatever neither the second step of the race needs nor wakes anything is taken out of the sequence
//! ([`Place::reduce`]). Otherwise sequences that differ in such steps alone would part in the tree, and a chain of N orders that have nothing to do with the
//! race would leave 2^N of them. A branch that covers what is left may depend on what was taken out; then those two race behind it, and what is planned for
//! that contains both, since it has to wake the step that was explored before. With a step that goes one way of several among those taken out this does not
//! hold: such sequences stay whole. For example, let main read `a` and then branch on an input, while one thread makes `b = 1` and another `a = 1; b = 2`. To
//! reverse the writes of `b` is to plan the read, the decision, `a = 1` and `b = 2`. The last needs the read, which stands before `a = 1`, but not the decision.
//! But inputs decide right behind the read, so a plan without the decision cannot be made; and it would stand for both ways of the decision, so that the
//! sequence that goes the other way is left to it. Who gives such a plan up has to go on in all variants (`give_up`).
//!
//! **Lemma 3 (covering).** A step that stays in the sleep set beyond the end of a plan covers only sequences that contain it. A sequence that is independent
//! of it is *not* covered by it, as it would be if all plans were whole: executions in which it is woken only later are nobody else's. See `Dpor::is_firm`.
//!
//! **Lemma 4 (open states).** No plans at all are needed from a state where everything in the sleep set is sure to be woken with nothing planned, the
//! step that was explored from there included. What begins with that step was explored; what does not is a search of its own, in which that step is in
//! the sleep set, and which can begin with any other. It needs to know nothing of what was seen before, so those who explore
//! parts of a search have nothing to tell each other about such a state but the step it goes on with.
//!
//! **Theorem (nothing is lost).** Wherever a plan has ended, everything in the sleep set is sure to be woken. Let `e` be the step that is made from such a
//! state. If all is sure to be woken with `e` in the sleep set, too, the state is open (Lemma 4), and the next step takes the place of `e`. Otherwise
//! what is not was to be woken by `e`, so behind `e` all of the sleep set is sure again. An execution that begins neither with `e` nor with a step of the sleep
//! set has a first step `t` that depends on `e`; what comes before `t` could as well have come behind `e`, and however that goes on, nothing sleeps
//! forever (Lemma 1): such an execution is explored behind `e`, `e` and `t` race there, and what is planned for that begins like the execution.
//!
//! So trees stay small: a write and N readers need N branches from the first state, not 2^N. The idea to do without a memory of plans is
//! that of Abdulla, Atig, Das, Jonsson and Sagonas, "Parsimonious Optimal Dynamic Partial Order Reduction", CAV 2024; the means
//! are others. The preconditions are code: [`Place::is_certain`], and `may_trim` in `shortcuts.rs`.

use crate::happens_before::about_to::InevitableSteps;
use crate::happens_before::dependence::{Dependents, Set};
use crate::happens_before::footprint::{FootprintId, Footprints};
use crate::happens_before::history::Step;
use crate::happens_before::transition::{Coverage, Transition};
use gordian_base::ThreadSet;
use serde::{Deserialize, Serialize};

/// What is known of a state that something is planned from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SleepContext {
    /// The sleep set, and the step that was made from there.
    pub asleep: Vec<Transition>,
    pub inevitable: InevitableSteps,
}

impl SleepContext {
    pub fn labels(&self) -> impl Iterator<Item = &Transition> {
        self.asleep.iter().chain(&self.inevitable.steps)
    }

    pub fn labels_mut(&mut self) -> impl Iterator<Item = &mut Transition> {
        self.asleep.iter_mut().chain(&mut self.inevitable.steps)
    }

    pub fn set_asleep(&mut self, asleep: &[Transition], made: Transition) {
        self.asleep.clear();
        self.asleep.extend_from_slice(asleep);
        self.asleep.push(made);
    }

    /// A step to go on with if no plans are needed. It is the same whatever was seen after the state.
    pub fn next(&self, footprints: &Footprints, unsure: &mut Vec<Transition>) -> Option<Transition> {
        if !self.asleep.iter().all(|label| is_certain(footprints, label) && label.coverage == Coverage::Independent) {
            return None;
        }
        unsure.clone_from(&self.asleep);
        self.inevitable.remove_guaranteed_wakeups(footprints, unsure, &ThreadSet::default());
        if !unsure.is_empty() {
            return None;
        }
        let threads = threads_of(&self.asleep);
        let wakes = |waker: &&Transition| {
            let dependents = Dependents::of(footprints, waker);
            !threads.contains(waker.thread) && self.asleep.iter().any(|label| dependents.have(label))
        };
        self.inevitable.steps.iter().filter(wakes).min_by_key(|waker| waker.thread).copied()
    }
}

impl InevitableSteps {
    /// A thread that could go on makes this step first.
    #[inline]
    pub fn add(&mut self, step: &Step) {
        if step.about_to != FootprintId::NONE {
            self.steps.push(Transition::simple(step.choice.thread, step.about_to));
        }
    }

    /// Those that depend on a step of another thread and, if they could be kept from coming after all, only by one that depends on it as
    /// well: who waits to take a lock or a unit is kept from it by anybody who takes it before. A step that shares a lock would stay in the sleep set where
    /// others do so and keep out who wants it alone, so nothing is sure to wake it.
    fn of<'a>(&'a self, footprints: &'a Footprints, asleep: &'a Transition) -> impl Iterator<Item = &'a Transition> {
        let (dependents, shares) = (Dependents::of(footprints, asleep), footprints.shares_lock(asleep.footprint));
        self.steps.iter().filter(move |waker| !shares && waker.thread != asleep.thread && dependents.have(waker))
    }

    /// Whether one of them may wake a step of the sleep set.
    pub fn may_wake(&self, footprints: &Footprints, asleep: &Transition) -> bool {
        !self.are_all || self.of(footprints, asleep).next().is_some()
    }

    /// Leaves the steps that are not sure to be woken by threads other than these, who have moved on.
    fn remove_guaranteed_wakeups(&self, footprints: &Footprints, asleep: &mut Vec<Transition>, moved: &ThreadSet) {
        let mut n_before = usize::MAX;
        while !asleep.is_empty() && asleep.len() < n_before {
            n_before = asleep.len();
            let mut threads = moved.clone();
            threads.extend(asleep.iter().map(|label| label.thread));
            let is_sure = |waker: &Transition| !threads.contains(waker.thread);
            let sure = set_of(footprints, self.steps.iter().filter(|waker| is_sure(waker)));
            asleep.retain(|label| match footprints.early().conflicts(label.footprint).zip(sure.as_ref()) {
                Some((conflicts, sure)) => footprints.shares_lock(label.footprint) || !conflicts.meets(sure),
                None => !self.of(footprints, label).any(is_sure),
            });
        }
    }
}

/// What the steps touch, if they depend on others by that alone and all of it is in the set.
fn set_of<'a>(footprints: &Footprints, steps: impl Iterator<Item = &'a Transition>) -> Option<Set> {
    let mut set = Set::default();
    for step in steps {
        footprints.early().conflicts(step.footprint)?;
        set.add(step.footprint);
    }
    Some(set)
}

fn threads_of<'a>(labels: impl IntoIterator<Item = &'a Transition>) -> ThreadSet {
    labels.into_iter().map(|label| label.thread).collect()
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
pub fn is_certain(footprints: &Footprints, label: &Transition) -> bool {
    !footprints.is_uncertain(label.footprint)
        && label.footprint != Footprints::UNKNOWN
        && label.footprint != Footprints::UNTRIED
}

/// The place in a wake-up tree where a sequence, or what is left of it, is planned.
#[derive(Default)]
pub struct Place {
    /// The sleep set of the state that it is planned from, and what joins it on the way, each with the number of steps of the
    /// way before that.
    asleep: Vec<(Transition, usize)>,
    /// Steps from that state on that it has in common with what was planned before.
    way: Vec<Transition>,
    unsure: Vec<Transition>,
    /// By step of the sequence.
    is_kept: Vec<bool>,
    is_past: Vec<bool>,
}

impl Place {
    pub fn at(sleep_context: &SleepContext) -> Place {
        let mut place = Place::default();
        place.begin(sleep_context);
        place
    }

    pub fn begin(&mut self, sleep_context: &SleepContext) {
        self.way.clear();
        self.asleep.clear();
        self.asleep.extend(sleep_context.asleep.iter().map(|&label| (label, 0)));
    }

    /// From where the way has come to, this step is explored before.
    pub fn pass(&mut self, label: Transition) {
        self.asleep.push((label, self.way.len()));
    }

    /// The way goes on with a step.
    pub fn go_on(&mut self, label: Transition) {
        self.way.push(label);
    }

    /// Moves what matters of a sequence to its beginning, in its order, and gives its length: what its last step needs, and what wakes
    /// steps that are not sure to be woken. None if it would be redundant: the sleep set covers it.
    pub fn reduce(
        &mut self,
        footprints: &Footprints,
        inevitable: &InevitableSteps,
        sequence: &mut [Transition],
    ) -> Option<usize> {
        if !self.is_certain(footprints, sequence)
            || sequence.iter().any(|label| label.coverage != Coverage::Independent)
        {
            return Some(sequence.len());
        }
        self.is_kept.clear();
        self.is_kept.resize(sequence.len(), false);
        mark_past(footprints, sequence, sequence.len() - 1, &mut self.is_kept);
        self.keep_what_wakes(footprints, inevitable, sequence)
    }

    /// Moves what has to be planned of a sequence to its beginning, in its order, and gives its length. None if it would be
    /// redundant: the sleep set covers it.
    pub fn truncate_plan(
        &mut self,
        footprints: &Footprints,
        inevitable: &InevitableSteps,
        sequence: &mut [Transition],
    ) -> Option<usize> {
        if !self.is_certain(footprints, sequence) {
            return Some(sequence.len());
        }
        let way = &self.way;
        self.asleep.retain(|(label, from)| {
            let dependents = Dependents::of(footprints, label);
            !way[*from..].iter().any(|step| dependents.have(step))
        });
        self.is_kept.clear();
        self.is_kept.resize(sequence.len(), false);
        self.keep_first_step(footprints, sequence);
        self.keep_what_wakes(footprints, inevitable, sequence)
    }

    /// Whether it is known what everything touches, and no step of the sleep set is one variant of several.
    fn is_certain(&self, footprints: &Footprints, sequence: &[Transition]) -> bool {
        let is_certain = |label: &Transition| is_certain(footprints, label);
        sequence.iter().chain(&self.way).all(is_certain)
            && self.asleep.iter().all(|(label, _)| is_certain(label) && label.coverage == Coverage::Independent)
    }

    /// Keeps more until all of the sleep set is woken or sure to be, and moves what is kept to the beginning.
    fn keep_what_wakes(
        &mut self,
        footprints: &Footprints,
        inevitable: &InevitableSteps,
        sequence: &mut [Transition],
    ) -> Option<usize> {
        while !self.are_woken(footprints, inevitable, sequence)? {}
        let mut n_kept = 0;
        for position in 0..sequence.len() {
            if self.is_kept[position] {
                sequence[n_kept] = sequence[position];
                n_kept += 1;
            }
        }
        Some(n_kept)
    }

    /// Keeps the first step towards the last one.
    fn keep_first_step(&mut self, footprints: &Footprints, sequence: &[Transition]) {
        self.is_past.clear();
        self.is_past.resize(sequence.len(), false);
        let first = mark_past(footprints, sequence, sequence.len() - 1, &mut self.is_past);
        self.is_kept[first] = true;
    }

    /// Whether all of the sleep set is sure to be woken by what is kept; keeps more otherwise. None if some cannot be.
    fn are_woken(
        &mut self,
        footprints: &Footprints,
        inevitable: &InevitableSteps,
        sequence: &[Transition],
    ) -> Option<bool> {
        let Place { asleep, way, unsure, is_kept, .. } = self;
        let kept = || sequence.iter().zip(&*is_kept).filter(|(_, is_kept)| **is_kept).map(|(label, _)| label);
        let sleeps_on = |label: &Transition| {
            let dependents = Dependents::of(footprints, label);
            !kept().any(|step| dependents.have(step))
        };
        unsure.clear();
        unsure.extend(asleep.iter().map(|(label, _)| *label).filter(sleeps_on));
        inevitable.remove_guaranteed_wakeups(footprints, unsure, &threads_of(way.iter().chain(kept())));
        let mut keeps_more = false;
        for label in unsure.iter() {
            if let Some(position) = Dependents::of(footprints, label).first_of(sequence) {
                mark_past(footprints, sequence, position, is_kept);
                keeps_more = true;
            }
        }
        if !keeps_more && !inevitable.are_all {
            // It may be sure all the same.
            is_kept.fill(true);
            return Some(true);
        }
        (unsure.is_empty() || keeps_more).then_some(unsure.is_empty())
    }
}

/// Marks a step of a sequence, and those that must come before what is marked up to it. Gives the first of these.
fn mark_past(footprints: &Footprints, sequence: &[Transition], position: usize, marks: &mut [bool]) -> usize {
    marks[position] = true;
    let mut marked = Marked::of(footprints, &sequence[position]);
    let mut first = position;
    for earlier in (0..position).rev() {
        let label = &sequence[earlier];
        if !marks[earlier] {
            let comes_before = marked.may_need(footprints, label).unwrap_or_else(|| {
                let dependents = Dependents::of(footprints, label);
                (earlier + 1..=position).any(|later| marks[later] && dependents.have(&sequence[later]))
            });
            if !comes_before {
                continue;
            }
            marks[earlier] = true;
        }
        marked.add(footprints, label);
        first = earlier;
    }
    first
}

/// Steps that are marked, as sets.
struct Marked {
    threads: ThreadSet,
    /// What they touch, if they depend on others by that alone and all of it is in the set.
    touched: Option<Set>,
}

impl Marked {
    fn of(footprints: &Footprints, label: &Transition) -> Marked {
        let mut marked = Marked { threads: ThreadSet::default(), touched: Some(Set::default()) };
        marked.add(footprints, label);
        marked
    }

    fn add(&mut self, footprints: &Footprints, label: &Transition) {
        self.threads.insert(label.thread);
        let is_plain = footprints.early().conflicts(label.footprint).is_some();
        self.touched = self.touched.filter(|_| is_plain);
        if let Some(touched) = &mut self.touched {
            touched.add(label.footprint);
        }
    }

    /// Whether one of them depends on a step, if that can be told.
    fn may_need(&self, footprints: &Footprints, label: &Transition) -> Option<bool> {
        let conflicts = footprints.early().conflicts(label.footprint)?;
        let touched = self.touched.as_ref()?;
        Some(self.threads.contains(label.thread) || conflicts.meets(touched))
    }
}
