//! One execution: what running the program plainly does, or along a given schedule.

use crate::collect::same_key;
use crate::default_schedule::default_choice;
use crate::replay::follow;
use crate::report::{Confirmation, Found, confirm};
use crate::{End, EngineError, Evidence, Executor, Modes, Stepping, Subject};
use gordian_base::Rng;
use gordian_trace::{Choice, Schedule, Test};

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
    run_along(subject, template, passthrough, Course::Default, |_| {})
}

/// Which schedule a single run takes.
#[derive(Clone, Copy, Debug)]
pub enum Course<'a> {
    Default,
    /// Every thread that can go on is equally likely, by this seed.
    Random(u64),
    /// These choices, as a test has them, and then the default schedule.
    Following(&'a [Choice]),
}

/// Runs `subject` once along a course. `watch` sees the machine after its start and after every step.
pub fn run_along<'s, S: Subject>(
    subject: &'s S,
    template: &Test,
    passthrough: bool,
    course: Course<'_>,
    mut watch: impl FnMut(&S::Executor<'s>),
) -> Result<RunOutcome, EngineError> {
    let mut machine = subject.start(template, passthrough)?;
    watch(&machine);
    if let Course::Following(choices) = course {
        for choice in choices {
            if let Some(divergence) = follow(&mut machine, std::slice::from_ref(choice)) {
                let step = machine.schedule().len();
                return Err(EngineError::Diverged(crate::Divergence { step, ..divergence }));
            }
            watch(&machine);
        }
    }
    let mut rng = match course {
        Course::Random(seed) => Some(Rng::new(seed)),
        Course::Default | Course::Following(_) => None,
    };
    while machine.end().is_none() {
        let choice = rng.as_mut().map_or_else(|| default_choice(&machine), |rng| random_choice(&machine, rng));
        machine.step(choice);
        watch(&machine);
    }
    conclude(subject, template, machine)
}

/// A thread first, then one of its variants.
fn random_choice<E: Executor>(machine: &E, rng: &mut Rng) -> Choice {
    let by_thread: Vec<&[Choice]> = machine.choices().chunk_by(|a, b| a.thread == b.thread).collect();
    let variants = by_thread[rng.below(by_thread.len())];
    variants[rng.below(variants.len())]
}

fn conclude<'s, S: Subject>(
    subject: &'s S,
    template: &Test,
    mut machine: S::Executor<'s>,
) -> Result<RunOutcome, EngineError> {
    let threads = machine.thread_origins();
    let stdin = std::str::from_utf8(machine.stdin());
    let unfaithful = if stdin.is_err() { " (its input is not UTF-8 text, which a test cannot keep)" } else { "" };
    let stdin = stdin.map_or_else(|_| template.stdin.clone(), ToOwned::to_owned);
    let schedule = Schedule(machine.schedule().to_vec());
    let test = Test { stdin, schedule, threads, finding: None, ..template.clone() };
    let (mut findings, mut unconfirmed) = (Vec::new(), Vec::new());
    for raw in machine.findings() {
        // A race in a loop shows in every turn; to replay each would take the square of the steps.
        if findings.iter().any(|found: &Found| same_key(&found.finding, &raw.finding)) {
            continue;
        }
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
