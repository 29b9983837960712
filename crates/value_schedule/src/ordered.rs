//! The ordered pairs of an execution: which operation came before which, where that mattered.

use gordian_engine::{EngineError, Evidence, Stepping, Subject};
use gordian_trace::{Event, OpKind, Step, Test};

/// A list that is longer helps nobody.
const MOST_LISTED: usize = 12;

/// The pairs of operations of two threads on the same bytes or the same lock that came right after each other in the execution of a test, in
/// words: what came first, an arrow (`→def` if the second took the first one's value, `→acq` if it took its lock), what came then.
pub fn ordered_pairs<S: Subject>(subject: &S, test: &Test) -> Result<Vec<String>, EngineError> {
    let mut machine = subject.start(test, false)?;
    let mut of_step: Vec<usize> = Vec::new();
    for (step, &choice) in test.schedule.0.iter().enumerate() {
        if !machine.choices().contains(&choice) {
            break;
        }
        machine.step(choice);
        of_step.resize(machine.events().len(), step);
    }
    let (events, steps) = (machine.events(), machine.describe());
    let mut pairs: Vec<String> = Vec::new();
    for (nth, second) in events.iter().enumerate().filter(|(_, event)| !event.alone) {
        let earlier = events[..nth].iter().enumerate().rev().filter(|(_, event)| !event.alone);
        let found = earlier.filter_map(|(first, event)| Some((first, arrow(event, second)?))).next();
        let Some((first, arrow)) = found.filter(|(first, _)| events[*first].thread != second.thread) else { continue };
        let (Some(first), Some(second)) = (words(&steps, of_step[first]), words(&steps, of_step[nth])) else {
            continue;
        };
        let pair = format!("{first} {arrow} {second}");
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    let n_more = pairs.len().saturating_sub(MOST_LISTED);
    pairs.truncate(MOST_LISTED);
    if n_more > 0 {
        pairs.push(format!("and {n_more} more ordered pairs"));
    }
    Ok(pairs)
}

/// How the first comes before the second, if their order matters.
fn arrow(first: &Event, second: &Event) -> Option<&'static str> {
    let (a, b) = (first.kind, second.kind);
    let end = |event: &Event| event.address.saturating_add(u64::from(event.size.max(1)));
    let takes = |kind| matches!(kind, OpKind::Lock | OpKind::TryLock | OpKind::ReadLock | OpKind::TryReadLock);
    let lock = |event: &Event| if event.kind == OpKind::Woken { event.other } else { event.address };
    if a.is_access() && b.is_access() {
        let meet = first.address < end(second) && second.address < end(first);
        return match (a.reads_only(), b.reads_only()) {
            (true, true) => None,
            (false, true) => meet.then_some("→def"),
            _ => meet.then_some("→"),
        };
    }
    let holds = |kind| takes(kind) || kind == OpKind::Woken;
    if holds(a) && holds(b) {
        return (lock(first) == lock(second)).then_some("→acq");
    }
    let signals = |kind| matches!(kind, OpKind::Signal | OpKind::Broadcast);
    let is_wait = a == OpKind::Wait && signals(b) || signals(a) && b == OpKind::Wait;
    (is_wait && first.address == second.address).then_some("→")
}

fn words(steps: &[Step], index: usize) -> Option<String> {
    let step = steps.iter().find(|step| step.index == index)?;
    Some(format!("{} {} at line {}", step.thread, step.place.what, step.place.line))
}
