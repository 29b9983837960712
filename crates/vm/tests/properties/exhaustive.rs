//! Depth-first search by going back makes the same executions, in the same order, as running every schedule
//! from the beginning.

use crate::programs::{Subject, all, settings};
use crate::walk::start;
use gordian_base::{FxHasher, Rng};
use gordian_trace::{Choice, Test, ThreadOrigin};
use gordian_vm::{End, Machine, Mark};
use std::hash::{Hash, Hasher};

/// Executions compared; of larger searches the first so many.
const EXECUTIONS: usize = 400;

/// What came of one execution, told without the state of the machine.
#[derive(Clone, Debug, PartialEq)]
struct Outcome {
    schedule: Vec<Choice>,
    end: Option<End>,
    findings: Vec<String>,
    /// Hash of the events and of what was printed.
    events: u64,
}

fn outcome(machine: &Machine<'_>) -> Outcome {
    let mut hasher = FxHasher::default();
    for event in machine.events() {
        format!("{event:?}").hash(&mut hasher);
    }
    (machine.stdout(), machine.stderr()).hash(&mut hasher);
    Outcome {
        schedule: machine.schedule().to_vec(),
        end: machine.end().cloned(),
        findings: machine.findings().iter().map(|raw| raw.finding.message.clone()).collect(),
        events: hasher.finish(),
    }
}

#[test]
fn going_back_finds_the_same_executions_as_starting_again() {
    for (nth, subject) in all().enumerate() {
        let mut rng = Rng::stream(2000, nth as u64);
        let test = subject.test(settings(&mut rng));
        let (backed, threads) = by_going_back(subject, &test);
        let again = by_starting_again(subject, &Test { threads, ..test });
        assert_eq!(backed.len(), again.len(), "{}", subject.name);
        for (backed, again) in backed.iter().zip(&again) {
            assert_eq!(backed, again, "{}", subject.name);
        }
    }
}

/// A choice point: the way back to it, and the choice taken.
struct Point {
    mark: Mark,
    taken: usize,
}

fn by_going_back(subject: &Subject, test: &Test) -> (Vec<Outcome>, Vec<ThreadOrigin>) {
    let mut machine = start(subject.program, test);
    let mut path: Vec<Point> = Vec::new();
    let mut found = Vec::new();
    loop {
        while machine.end().is_none() {
            path.push(Point { mark: machine.mark(), taken: 0 });
            machine.step(machine.choices()[0]);
        }
        found.push(outcome(&machine));
        if found.len() == EXECUTIONS {
            return (found, machine.thread_origins());
        }
        loop {
            let Some(point) = path.last_mut() else { return (found, machine.thread_origins()) };
            machine.undo_to(point.mark);
            point.taken += 1;
            if let Some(&choice) = machine.choices().get(point.taken) {
                machine.step(choice);
                break;
            }
            path.pop();
        }
    }
}

/// Counts through the schedules as through numbers with a digit for each step.
fn by_starting_again(subject: &Subject, test: &Test) -> Vec<Outcome> {
    let mut found = Vec::new();
    // For each step the choice taken, and of how many.
    let mut digits: Vec<(usize, usize)> = Vec::new();
    loop {
        let mut machine = start(subject.program, test);
        for step in 0.. {
            if machine.end().is_some() {
                break;
            }
            if step == digits.len() {
                digits.push((0, machine.choices().len()));
            }
            assert_eq!(digits[step].1, machine.choices().len(), "{}: the same prefix led elsewhere", subject.name);
            machine.step(machine.choices()[digits[step].0]);
        }
        found.push(outcome(&machine));
        while digits.pop_if(|(taken, of)| *taken + 1 == *of).is_some() {}
        let Some((taken, _)) = digits.last_mut() else { return found };
        *taken += 1;
        if found.len() == EXECUTIONS {
            return found;
        }
    }
}
