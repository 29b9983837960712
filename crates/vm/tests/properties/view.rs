//! Everything that a machine shows, to compare two of them.

use gordian_base::ThreadId;
use gordian_trace::{Choice, Event, Finding, InputValue, Step, Wants};
use gordian_vm::{End, Machine};

#[derive(Clone, Debug, PartialEq)]
pub struct View {
    pub end: Option<End>,
    pub schedule: Vec<Choice>,
    pub choices: Vec<Choice>,
    pub wants: Vec<Option<Wants>>,
    pub events: Vec<Event>,
    pub findings: Vec<(Finding, usize)>,
    pub notes: Vec<String>,
    pub inputs: Vec<InputValue>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub steps: Vec<Step>,
    pub fingerprint: u64,
}

impl View {
    pub fn of(machine: &Machine<'_>) -> View {
        // Threads that only an abandoned execution knew want nothing; a fresh machine has never heard of them.
        let mut wants: Vec<_> = (0..64).map(|thread| machine.wants(ThreadId(thread))).collect();
        while wants.last() == Some(&None) {
            wants.pop();
        }
        View {
            end: machine.end().cloned(),
            schedule: machine.schedule().to_vec(),
            choices: machine.choices().to_vec(),
            wants,
            events: machine.events().to_vec(),
            findings: machine.findings().iter().map(|raw| (raw.finding.clone(), raw.steps)).collect(),
            notes: machine.notes().to_vec(),
            inputs: machine.inputs(),
            stdout: machine.stdout().to_vec(),
            stderr: machine.stderr().to_vec(),
            steps: machine.describe(),
            fingerprint: machine.fingerprint(),
        }
    }

    /// Fails with the first part that differs.
    #[track_caller]
    pub fn assert_same(&self, other: &View, context: &str) {
        macro_rules! same {
            ($($field:ident),*) => {
                $(assert!(
                    self.$field == other.$field,
                    "{context}: {} differ after {:?}:\n  {:?}\n  {:?}",
                    stringify!($field), gordian_trace::Schedule(self.schedule.clone()).to_string(), self.$field, other.$field
                );)*
            };
        }
        same!(schedule, end, choices, wants, events, findings, notes, inputs, stdout, stderr, steps, fingerprint);
    }
}
