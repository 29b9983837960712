//! Following a schedule to the letter.

use crate::collect::same_key;
use crate::default_schedule::default_choice;
use crate::{End, EngineError, Evidence, Executor, Inputs, Stepping, Subject};
use gordian_trace::{Choice, Finding, InputValue, Step, Test};
use std::fmt;

/// What replaying a test came to.
#[derive(Clone, Debug)]
pub struct Replay {
    /// Where the execution could not follow the schedule; it stops there. The program or gordian has changed since.
    pub divergence: Option<Divergence>,
    /// None if it diverged.
    pub end: Option<End>,
    pub findings: Vec<Finding>,
    /// Whether the finding that the test claims showed; true if it claims none.
    pub as_claimed: bool,
    /// If the test's finding showed within its schedule, the steps up to there; otherwise the whole execution.
    pub trace: Vec<Step>,
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub notes: Vec<String>,
    pub inputs: Vec<InputValue>,
}

/// The step at which an execution could not follow its schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// Position in the schedule.
    pub step: usize,
    pub wanted: Choice,
    /// Empty if the execution had ended.
    pub possible: Vec<Choice>,
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |choice: &Choice| match choice.variant {
            0 => choice.thread.to_string(),
            variant => format!("{} in variant {variant}", choice.thread),
        };
        let wanted = text(&self.wanted);
        if self.possible.is_empty() {
            return write!(f, "step {} is to be made by {wanted}, but the execution had ended", self.step);
        }
        let possible: Vec<_> = self.possible.iter().map(text).collect();
        write!(f, "step {} is to be made by {wanted}, but only {} can go on", self.step, possible.join(", "))
    }
}

/// Follows the test's schedule exactly, then the default schedule until the execution ends.
pub fn replay<S: Subject>(subject: &S, test: &Test) -> Result<Replay, EngineError> {
    let mut machine = subject.start(test, false)?;
    let divergence = follow(&mut machine, &test.schedule.0);
    let claim = test.finding.as_ref();
    let shown_early = claim.is_some_and(|claim| shown(&machine, claim));
    let early_trace = shown_early.then(|| machine.describe());
    if divergence.is_none() {
        finish(&mut machine);
    }
    Ok(Replay {
        divergence,
        end: machine.end().cloned(),
        findings: machine.findings().iter().map(|raw| raw.finding.clone()).collect(),
        as_claimed: claim.is_none_or(|claim| shown(&machine, claim)),
        trace: early_trace.unwrap_or_else(|| machine.describe()),
        stdout: machine.stdout().to_vec(),
        stderr: machine.stderr().to_vec(),
        notes: machine.notes().to_vec(),
        inputs: machine.inputs(),
    })
}

/// Makes exactly these choices, as far as they are possible.
pub(crate) fn follow<E: Executor>(machine: &mut E, schedule: &[Choice]) -> Option<Divergence> {
    for (step, &wanted) in schedule.iter().enumerate() {
        if !machine.choices().contains(&wanted) {
            return Some(Divergence { step, wanted, possible: machine.choices().to_vec() });
        }
        machine.step(wanted);
    }
    None
}

/// Runs to the end by the default schedule.
pub fn finish<E: Executor>(machine: &mut E) {
    while machine.end().is_none() {
        machine.step(default_choice(machine));
    }
}

/// Whether a finding with the key of `finding` has shown.
pub(crate) fn shown<E: Executor>(machine: &E, finding: &Finding) -> bool {
    machine.findings().iter().any(|raw| same_key(&raw.finding, finding))
}
