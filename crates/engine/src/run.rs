//! One execution by the default schedule: what running the program plainly does.

use crate::replay::finish;
use crate::report::{Confirmation, Found, confirm};
use crate::{End, EngineError, Executor, Subject};
use gordian_trace::{Schedule, Test};

#[derive(Clone, Debug)]
pub struct RunOutcome {
    pub end: End,
    /// Confirmed by replay, in the order in which they showed.
    pub findings: Vec<Found>,
    /// A sentence for each finding that did not show again on replay: gordian's fault, never a bug.
    pub unconfirmed: Vec<String>,
    /// The template with the schedule that was run and the input that was read.
    pub test: Test,
    /// Empty if it went out as it happened, like `stderr`.
    pub stdout: Vec<u8>,
    pub stderr: Vec<u8>,
    pub notes: Vec<String>,
    pub steps: u64,
}

/// Runs `subject` once: a thread runs until it blocks or yields, then the next one. With `passthrough` its output
/// goes out as it happens, and its files are written to disk at the end. The template's schedule is not looked at.
pub fn run<S: Subject>(subject: &S, template: &Test, passthrough: bool) -> Result<RunOutcome, EngineError> {
    let mut machine = subject.start(template, passthrough)?;
    finish(&mut machine);
    let threads = machine.thread_origins();
    let stdin = std::str::from_utf8(machine.stdin());
    let unfaithful = if stdin.is_err() { " (its input is not UTF-8 text, which a test cannot keep)" } else { "" };
    let stdin = stdin.map_or_else(|_| template.stdin.clone(), ToOwned::to_owned);
    let schedule = Schedule(machine.schedule().to_vec());
    let test = Test { stdin, schedule, threads, finding: None, ..template.clone() };
    let (mut findings, mut unconfirmed) = (Vec::new(), Vec::new());
    for raw in machine.findings() {
        let schedule = Schedule(machine.schedule()[..raw.steps].to_vec());
        let claim = Test { schedule, finding: Some(raw.finding.clone()), ..test.clone() };
        match confirm(subject, claim, &raw.finding)? {
            Confirmation::Confirmed(found) => findings.push(*found),
            Confirmation::Unconfirmed(sentence) => unconfirmed.push(sentence + unfaithful),
        }
    }
    machine.commit_files();
    Ok(RunOutcome {
        end: machine.end().expect("the execution was finished").clone(),
        findings,
        unconfirmed,
        stdout: machine.stdout().to_vec(),
        stderr: machine.stderr().to_vec(),
        notes: machine.notes().to_vec(),
        steps: test.schedule.0.len() as u64,
        test,
    })
}
