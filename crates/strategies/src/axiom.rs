//! Spike: what `dpor` says of two steps, for a test of whether steps that are called independent commute.

use crate::dpor::{History, Label};
use gordian_trace::{Choice, Event, Wants};

#[derive(Default)]
pub struct Axiom {
    history: History,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Made(Label);

impl Axiom {
    pub fn len(&self) -> usize {
        self.history.len()
    }

    pub fn arrive(&mut self, choices: &[Choice], n_events: usize) {
        self.history.arrive(choices, n_events);
    }

    /// `fails`: it ended the execution with a failure.
    pub fn push(&mut self, choice: Choice, events: &[Event], wants: Option<Wants>, fails: bool) -> Made {
        self.history.fails = fails;
        self.history.push(choice, events, wants);
        self.history.fails = false;
        self.history.races.clear();
        Made(self.history.steps.last().expect("it was pushed").label)
    }

    pub fn truncate(&mut self, len: usize) {
        self.history.truncate(len);
    }

    /// Whether the steps are called dependent, as sleep sets and wake-up trees ask.
    pub fn depends(&self, a: Made, b: Made) -> bool {
        self.history.footprints.depends(&a.0, &b.0)
    }

    /// Whether the step is ordered after the first by its clock, as races are found.
    pub fn is_ordered(&self, first: usize, second: usize) -> bool {
        self.history.comes_after(first as u32, second as u32)
    }

    pub fn same_footprint(&self, a: Made, b: Made) -> bool {
        a.0.footprint == b.0.footprint
    }

    pub fn footprint(&self, made: Made) -> String {
        let f = self.history.footprints.get(made.0.footprint);
        let accesses: Vec<String> = f
            .accesses
            .iter()
            .map(|a| format!("{:?}:{:#x}/{:02x} {:?}", a.location.class, a.location.address, a.bytes, a.mode))
            .collect();
        format!(
            "{} eff{:?} joins{:?}{}{}",
            accesses.join(", "),
            f.effects,
            f.joins,
            if f.ends_process { " ENDS" } else { "" },
            if f.unknown { " UNKNOWN" } else { "" }
        )
    }
}
