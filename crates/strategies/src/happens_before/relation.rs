//! The dependence relation by itself, for tests that hold it against the machine.

use super::location::Class;
use super::{History, Transition};
use gordian_trace::{Choice, Event, Wants};

/// An execution, and what the relation says of its steps.
#[derive(Default)]
pub struct Relation {
    history: History,
}

/// A step that was made, as wake-up trees and sleep sets know it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Made(Transition);

impl Relation {
    /// How many steps the execution has.
    pub fn len(&self) -> usize {
        self.history.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The execution has reached a state with these choices.
    pub fn push_state(&mut self, choices: &[Choice], n_events: usize) {
        self.history.push_state(choices, n_events);
    }

    /// Adds the step that made the choice; `fails` if it ended the execution with a failure.
    pub fn push(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>, fails: bool) -> Made {
        self.history.fails = fails;
        self.history.push(choice, events, wants);
        self.history.fails = false;
        self.history.races.clear();
        Made(self.history.steps.last().expect("it was pushed").label)
    }

    /// Takes steps back until so many are left.
    pub fn truncate(&mut self, len: usize) {
        self.history.truncate(len);
    }

    /// Whether the steps depend on each other, as sleep sets and wake-up trees ask.
    pub fn depends(&self, a: Made, b: Made) -> bool {
        self.history.footprints.depends(&a.0, &b.0)
    }

    /// Whether the second step happens after the first, as races are found.
    pub fn is_ordered(&self, first: usize, second: usize) -> bool {
        self.history.comes_after(first as u32, second as u32)
    }

    /// Whether both touch the same in the same way, apart from memory of which it is known that one thread alone uses it.
    pub fn is_alike(&self, a: Made, b: Made, is_used_by_one: impl Fn(u64) -> bool) -> bool {
        if a.0.footprint == b.0.footprint {
            return true;
        }
        let shared = |made: Made| {
            let mut footprint = self.history.footprints.get(made.0.footprint).clone();
            footprint
                .accesses
                .retain(|access| access.location.class != Class::Memory || !is_used_by_one(access.location.address));
            footprint
        };
        shared(a) == shared(b)
    }

    /// What a step touches, in words.
    pub fn describe(&self, made: Made) -> String {
        format!("{:?}", self.history.footprints.get(made.0.footprint))
    }
}
