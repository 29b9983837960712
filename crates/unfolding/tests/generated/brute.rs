//! Every schedule by plain recursion, and what each thread can see: the oracle. It knows nothing of dependence.

use gordian_base::FxHashMap;
use gordian_engine::Evidence;
use gordian_ir::Program;
use gordian_trace::{Choice, Event, Finding, FindingKind, OpKind, Test};
use gordian_vm::{End, Machine};
use std::collections::BTreeSet;

/// What a finding is known by: its kind and its places.
pub type Key = (FindingKind, Vec<(String, u32, u32)>);

/// One operation as its thread sees it.
pub type Seen = (OpKind, u64, u64);

/// A thread, or the number of a path, and the operation that follows.
type Step = (Result<u32, u32>, Seen);

/// Numbers what threads did and saw, up to any point, so that long paths are compared by their numbers.
#[derive(Default)]
pub struct Paths {
    numbers: FxHashMap<Step, u32>,
    steps: Vec<Step>,
}

impl Paths {
    fn number(&mut self, step: Step) -> u32 {
        let next = self.steps.len() as u32;
        let number = *self.numbers.entry(step).or_insert(next);
        if number == next {
            self.steps.push(step);
        }
        number
    }

    /// The thread and its operations.
    pub fn path(&self, number: u32) -> (u32, Vec<Seen>) {
        let (mut path, mut last) = (Vec::new(), Err(number));
        while let Err(number) = last {
            let (before, seen) = self.steps[number as usize];
            path.push(seen);
            last = before;
        }
        path.reverse();
        (last.unwrap_or_default(), path)
    }
}

/// What executions showed.
#[derive(Default)]
pub struct Shown {
    /// For each thread: the numbers of what it did and saw, up to any point.
    pub paths: BTreeSet<u32>,
    pub findings: BTreeSet<Key>,
    pub executions: u64,
    pub is_bounded: bool,
}

impl Shown {
    pub fn take(&mut self, machine: &Machine<'_>, paths: &mut Paths) {
        self.executions += 1;
        self.is_bounded |=
            !matches!(machine.end(), Some(End::Exit(_) | End::Failed)) || machine.left_a_loop_unfinished();
        self.findings.extend(Evidence::findings(machine).iter().map(|raw| key(&raw.finding)));
        let mut lasts: Vec<Result<u32, u32>> = (0..machine.thread_numbers() as u32).map(Ok).collect();
        for event in machine.events().iter().filter(|event| !event.alone) {
            let Some(seen) = seen(event) else { continue };
            let last = &mut lasts[event.thread.0 as usize];
            let number = paths.number((*last, seen));
            *last = Err(number);
            self.paths.insert(number);
        }
    }
}

/// Which of the places came first does not count.
pub fn key(finding: &Finding) -> Key {
    let places = finding.places.iter().map(|place| (place.file.clone(), place.line, place.column));
    let mut places: Vec<(String, u32, u32)> = places.collect();
    places.sort();
    (finding.kind, places)
}

/// What of an operation its own thread sees. How often a lock is held or how many units there are is not told to whoever takes them.
fn seen(event: &Event) -> Option<Seen> {
    let &Event { kind, address, value, .. } = event;
    match kind {
        OpKind::Watch | OpKind::Wake | OpKind::Branch | OpKind::Join | OpKind::BarrierLeave => None,
        kind if kind.is_access() => Some((kind, address, value)),
        kind => Some((kind, address, 0)),
    }
}

/// How much is executed of a program before it is left out.
#[derive(Clone, Copy)]
pub struct Limit {
    pub schedules: u64,
    /// Steps of all schedules together, those of a common beginning once.
    pub steps: u64,
}

/// Makes every execution; none if that takes more than the limit, or if a bound was hit.
pub fn all(program: &Program, test: &Test, limit: Limit, paths: &mut Paths) -> Option<Shown> {
    let mut machine = Machine::new(program, test).expect("the program starts");
    let (mut shown, mut steps) = (Shown::default(), 0);
    // What is still to be tried at each step.
    let mut stack: Vec<(gordian_vm::Mark, Vec<Choice>)> = Vec::new();
    loop {
        while machine.end().is_none() {
            let mut choices = machine.choices().to_vec();
            choices.reverse();
            let next = choices.pop().expect("there is a choice");
            stack.push((machine.mark(), choices));
            machine.step(next);
            steps += 1;
        }
        shown.take(&machine, paths);
        if shown.executions > limit.schedules || steps > limit.steps || shown.is_bounded {
            return None;
        }
        loop {
            let Some((mark, choices)) = stack.last_mut() else { return Some(shown) };
            machine.undo_to(*mark);
            if let Some(next) = choices.pop() {
                machine.step(next);
                steps += 1;
                break;
            }
            stack.pop();
        }
    }
}
