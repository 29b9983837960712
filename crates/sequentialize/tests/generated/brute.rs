//! Every schedule, and from how many writes of the other thread the failing one reads.

use gordian_base::ThreadId;
use gordian_ir::Program;
use gordian_trace::{Choice, Event, FindingKind, OpKind, Test};
use gordian_vm::{End, Machine};
use std::collections::{BTreeMap, BTreeSet};

/// Lines of assertions that fail, by k, k' and T.
pub type Failures = BTreeMap<(u32, u32, u32), BTreeSet<u32>>;

/// None if there are more executions than this, or something cannot be compared.
pub fn brute_force(program: &Program, test: &Test, n_threads: u32, most: usize) -> Option<Failures> {
    let mut failures = Failures::new();
    let mut stack: Vec<(Vec<Choice>, usize)> = Vec::new();
    for _ in 0..most {
        one(program, test, n_threads, &mut stack, &mut failures)?;
        while stack.last().is_some_and(|(choices, nth)| nth + 1 == choices.len()) {
            stack.pop();
        }
        let Some((_, nth)) = stack.last_mut() else { return Some(failures) };
        *nth += 1;
    }
    None
}

/// One execution, as the stack says and by first choices from there on.
fn one(
    program: &Program,
    test: &Test,
    n_threads: u32,
    stack: &mut Vec<(Vec<Choice>, usize)>,
    failures: &mut Failures,
) -> Option<()> {
    let mut machine = Machine::new(program, test).ok()?;
    let mut step = 0;
    while machine.end().is_none() {
        if stack.len() == step {
            stack.push((machine.choices().to_vec(), 0));
        }
        let (choices, nth) = &stack[step];
        machine.step(choices[*nth]);
        step += 1;
    }
    match machine.end() {
        Some(End::Bound(_) | End::Unsupported(_)) => return None,
        Some(End::Failed) => {}
        _ => return Some(()),
    }
    let finding = &machine.findings().last()?.finding;
    let is_freed = matches!(finding.kind, FindingKind::UseAfterFree | FindingKind::DoubleFree);
    if finding.kind != FindingKind::Assertion && !is_freed {
        return Some(());
    }
    let place = &finding.places[0];
    for t in 1..=n_threads {
        let is_t = |thread: u32| thread == t || thread == 0;
        if is_t(place.thread.number)
            && let Some((k, k2)) = sources(machine.events(), t, n_threads, is_freed)
        {
            failures.entry((k, k2, t)).or_default().insert(place.line);
        }
    }
    Some(())
}

fn reads(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Read | AtomicRead | Rmw | RmwSame | CasOk | CasFail)
}

fn writes(kind: OpKind) -> bool {
    use OpKind::*;
    matches!(kind, Write | AtomicWrite | Rmw | RmwSame | CasOk)
}

/// From how many writes of other threads T reads, main being T once it has joined it, and from how many of T the other one; none if there are
/// more than two and one of the others reads from any but itself, or if main fails before. What frees is a write, and whoever `is_freed` takes it; each program frees once.
fn sources(events: &[Event], t: u32, n_threads: u32, is_freed: bool) -> Option<(u32, u32)> {
    let (mut created, mut joined) = (0, false);
    // By byte: who wrote it last, and in which event.
    let mut last: BTreeMap<u64, (ThreadId, usize)> = BTreeMap::new();
    let (mut taken, mut taken_by_other) = (BTreeSet::new(), BTreeSet::new());
    for (nth, event) in events.iter().enumerate() {
        let Event { thread, kind, address, size, .. } = *event;
        match kind {
            OpKind::Create => created += 1,
            OpKind::Join => joined |= address == u64::from(t),
            _ => {}
        }
        if thread == ThreadId::MAIN && !joined {
            continue;
        }
        let thread = if thread == ThreadId::MAIN { ThreadId(t) } else { thread };
        let by_t = thread == ThreadId(t);
        if kind == OpKind::Free && event.value == 0 && is_freed && !by_t {
            taken.insert(nth);
        }
        for byte in address..address + u64::from(size) {
            match last.get(&byte) {
                Some(&(writer, write)) if reads(kind) && writer != thread => {
                    if !by_t && n_threads > 2 {
                        return None;
                    }
                    if by_t { &mut taken } else { &mut taken_by_other }.insert(write);
                }
                _ => {}
            }
            if writes(kind) {
                last.insert(byte, (thread, nth));
            }
        }
    }
    (created == n_threads + 1).then_some((taken.len() as u32, taken_by_other.len() as u32))
}
