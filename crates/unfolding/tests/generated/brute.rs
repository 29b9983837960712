//! Every schedule by plain recursion, and what each thread can see: the oracle. It knows nothing of dependence.

use gordian_engine::Executor;
use gordian_ir::Program;
use gordian_trace::{Bound, Choice, Event, Finding, FindingKind, OpKind, Test};
use gordian_vm::{End, Machine};
use std::collections::BTreeSet;

/// What a finding is known by: its kind and its places.
pub type Key = (FindingKind, Vec<(String, u32, u32)>);

/// One operation as its thread sees it.
pub type Seen = (String, u64, u64);

/// What executions showed.
#[derive(Default)]
pub struct Shown {
    /// For each thread, by its number: what it did and saw, up to any point.
    pub paths: BTreeSet<(u32, Vec<Seen>)>,
    pub findings: BTreeSet<Key>,
    pub executions: u64,
    pub is_bounded: bool,
}

impl Shown {
    pub fn take(&mut self, machine: &Machine<'_>) {
        self.executions += 1;
        self.is_bounded |=
            !matches!(machine.end(), Some(End::Exit(_) | End::Failed)) || machine.left_a_loop_unfinished();
        self.findings.extend(Executor::findings(machine).iter().map(|raw| key(&raw.finding)));
        for thread in 0..machine.thread_numbers() as u32 {
            let own = |event: &&Event| event.thread.0 == thread && !event.alone;
            let mut path = Vec::new();
            for event in machine.events().iter().filter(own) {
                let Some(seen) = seen(event) else { continue };
                path.push(seen);
                self.paths.insert((thread, path.clone()));
            }
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
        kind if kind.is_access() => Some((format!("{kind:?}"), address, value)),
        kind => Some((format!("{kind:?}"), address, 0)),
    }
}

/// Makes every execution; none if there are more than `most`, or if a bound was hit.
pub fn all(program: &Program, test: &Test, most: u64) -> Option<Shown> {
    let mut machine = Machine::new(program, test).expect("the program starts");
    let mut shown = Shown::default();
    // What is still to be tried at each step.
    let mut stack: Vec<(gordian_vm::Mark, Vec<Choice>)> = Vec::new();
    loop {
        while machine.end().is_none() {
            let mut choices = machine.choices().to_vec();
            choices.reverse();
            let next = choices.pop().expect("there is a choice");
            stack.push((machine.mark(), choices));
            machine.step(next);
        }
        shown.take(&machine);
        if shown.executions > most || matches!(machine.end(), Some(End::Bound(Bound::Steps) | End::Unsupported(_))) {
            return None;
        }
        loop {
            let (mark, choices) = stack.last_mut().or(None)?;
            machine.undo_to(*mark);
            if let Some(next) = choices.pop() {
                machine.step(next);
                break;
            }
            stack.pop();
            if stack.is_empty() {
                return (!shown.is_bounded).then_some(shown);
            }
        }
    }
}
