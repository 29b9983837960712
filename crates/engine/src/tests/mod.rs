//! The engine on toy programs. What needs a real strategy stands in `strategies/tests`.

mod fast_forward;
mod replaying;
mod shrinking;
mod verdicts;

use crate::toy::{Op, Toy, template};
use crate::{Capabilities, Ended, Executor, Next, Outcome, Point, Settings, Silent, Strategy, Subject, check};
use gordian_trace::{Choice, Exploration, Finding, Schedule, Test};

/// All schedules, the last choice first: so that the first finding rarely has the best schedule.
#[derive(Default)]
struct Backwards {
    /// For each choice point how many choices are left.
    left: Vec<usize>,
}

impl Strategy for Backwards {
    fn exploration(&self) -> Exploration {
        Exploration { strategy: "backwards".to_owned(), guarantee: String::new() }
    }
    fn choose(&mut self, point: &Point<'_>) -> Option<usize> {
        if self.left.len() == point.depth {
            self.left.push(point.choices.len());
        }
        Some(self.left[point.depth] - 1)
    }
    fn next(&mut self, _ended: &Ended<'_>) -> Next {
        while let Some(left) = self.left.last_mut() {
            *left -= 1;
            if *left > 0 {
                return Next::Backtrack(self.left.len() - 1);
            }
            self.left.pop();
        }
        Next::Done
    }
    fn capabilities(&self) -> Capabilities {
        Capabilities { exhaustive: true, backtracks: true, ..Capabilities::default() }
    }
}

/// The first choice, always, without end.
struct First;

impl Strategy for First {
    fn exploration(&self) -> Exploration {
        Exploration::default()
    }
    fn choose(&mut self, _point: &Point<'_>) -> Option<usize> {
        Some(0)
    }
    fn next(&mut self, _ended: &Ended<'_>) -> Next {
        Next::Restart
    }
}

fn search(toy: &Toy, settings: &Settings) -> Outcome {
    check(toy, &template(), &mut Backwards::default(), settings, &mut Silent).unwrap()
}

/// Two increments of one cell that are not atomic, and a check that neither was lost.
fn lost_update() -> Toy {
    let increment: &[Op] = &[Op::Read(0), Op::Store(0, 1)];
    Toy::new(&[&[Op::Create(1), Op::Create(2), Op::Join(1), Op::Join(2), Op::FailIf(0, 1)], increment, increment])
}

/// Two locks, taken in both orders.
fn crossed_locks() -> Toy {
    let thread =
        |first, second| [Op::Read(0), Op::Lock(first), Op::Lock(second), Op::Unlock(second), Op::Unlock(first)];
    Toy::new(&[&thread(0, 1), &thread(1, 0)])
}

fn test_with(schedule: &str, finding: Option<Finding>) -> Test {
    Test { schedule: schedule.parse().unwrap(), finding, ..template() }
}

/// A test for every finding of every schedule, by plain recursion.
fn all_failing(toy: &Toy) -> Vec<Test> {
    fn enumerate<E: Executor>(machine: &mut E, tests: &mut Vec<Test>) {
        if machine.end().is_some() {
            for raw in machine.findings() {
                let schedule: Vec<Choice> = machine.schedule()[..raw.steps].to_vec();
                let finding = Some(raw.finding.clone());
                tests.push(Test { schedule: Schedule(schedule), finding, ..template() });
            }
        }
        for choice in machine.choices().to_vec() {
            let mark = machine.mark();
            machine.step(choice);
            enumerate(machine, tests);
            machine.undo_to(mark);
        }
    }
    let mut tests = Vec::new();
    enumerate(&mut toy.start(&template(), false).unwrap(), &mut tests);
    tests
}
