//! Data races of an execution, computed from its log by a transitive closure over all pairs of events, against those that the machine's vector
//! clocks found. It knows programs without heap objects and with sequentially consistent atomics only, which is what the generators that it is
//! used with make.
//!
//! For one execution: what the machine reports is a race, and it reports one where there is one. Over all schedules: every place that is part of a
//! race is part of one that is reported.

use crate::brute::{Obstacle, brute_force_watching};
use crate::compare::{Comparison, template};
use crate::generator::Case;
use gordian_ir::Program;
use gordian_trace::{Event, FindingKind, OpKind, RaceMode};
use gordian_vm::Machine;
use std::collections::BTreeSet;

/// Cases with more schedules are left out.
const SCHEDULES: u64 = 1_000;

/// Two places in the source, the lesser one first.
type Pair = Vec<(String, u32, u32)>;

pub fn compare_races(program: &Program, case: &Case, nth: usize) -> Comparison {
    let mut test = template(case, nth);
    test.machine.races = RaceMode::Report;
    let (mut expected, mut reported) = (BTreeSet::<Pair>::new(), BTreeSet::<Pair>::new());
    let mut wrong = None;
    let all = brute_force_watching(program, &test, SCHEDULES, |machine| {
        let (racing, found) = (racing(machine), found(machine));
        if let Some(pair) = found.difference(&racing).next() {
            wrong.get_or_insert(format!("races: {pair:?} is reported and ordered"));
        }
        if found.is_empty() != racing.is_empty() {
            wrong.get_or_insert(format!("races: {racing:?}, and none is reported"));
        }
        expected.extend(racing);
        reported.extend(found);
    });
    if let Some(what) = wrong {
        return Comparison::Different(what);
    }
    match all.obstacle {
        Some(obstacle) if obstacle != Obstacle::NoChoice => return Comparison::LeftOut(obstacle.name()),
        _ => {}
    }
    // An access reports the oldest race that it is part of, so of two places that both race with others no pair may be reported.
    let known: BTreeSet<_> = reported.iter().flatten().collect();
    match expected.iter().flatten().find(|place| !known.contains(place)) {
        Some(place) => Comparison::Different(format!("races: no schedule reports one of {place:?}, of {expected:?}")),
        None => Comparison::Equal,
    }
}

/// The races that the machine has found.
fn found(machine: &Machine<'_>) -> BTreeSet<Pair> {
    let races = machine.findings().iter().filter(|raw| raw.finding.kind == FindingKind::DataRace);
    races.map(|raw| raw.finding.key().1).collect()
}

/// All pairs of accesses of the log that conflict and are not ordered.
fn racing(machine: &Machine<'_>) -> BTreeSet<Pair> {
    let events = machine.events();
    let before = happens_before(events);
    let mut races = BTreeSet::new();
    for later in 0..events.len() {
        for earlier in 0..later {
            if conflict(&events[earlier], &events[later]) && !before[later][earlier] {
                let place = |event: &Event| {
                    let place = machine.place(event.thread, event.at, String::new());
                    (place.file, place.line, place.column)
                };
                let mut pair = vec![place(&events[earlier]), place(&events[later])];
                pair.sort();
                pair.dedup();
                races.insert(pair);
            }
        }
    }
    races
}

fn conflict(a: &Event, b: &Event) -> bool {
    let overlap = a.address < b.address + u64::from(b.size) && b.address < a.address + u64::from(a.size);
    let is_atomic = |event: &Event| !matches!(event.kind, OpKind::Read | OpKind::Write);
    a.thread != b.thread
        && a.kind.is_access()
        && b.kind.is_access()
        && overlap
        && (writes(a) || writes(b))
        && !(is_atomic(a) && is_atomic(b))
}

/// An exchange that leaves the value as it was writes it all the same; one that fails does not.
fn writes(event: &Event) -> bool {
    matches!(event.kind, OpKind::Write | OpKind::AtomicWrite | OpKind::Rmw | OpKind::RmwSame | OpKind::CasOk)
}

/// By event: which of the events before it happen before it.
fn happens_before(events: &[Event]) -> Vec<Vec<bool>> {
    let mut before: Vec<Vec<bool>> = Vec::new();
    for later in 0..events.len() {
        let mut known = vec![false; later];
        for earlier in 0..later {
            if orders(events, earlier, later) {
                known[earlier] = true;
                for (nth, is_before) in before[earlier].iter().enumerate() {
                    known[nth] |= is_before;
                }
            }
        }
        before.push(known);
    }
    before
}

/// Whether an event is ordered before another directly: by its thread, by creation and join, by a synchronisation object, or because an atomic
/// access reads what the other wrote.
fn orders(events: &[Event], earlier: usize, later: usize) -> bool {
    use OpKind::{BarrierArrive, BarrierLeave, Create, Exit, Join, OnceDone, OnceEnter, SemPost, SemTryWait, SemWait};
    let (a, b) = (&events[earlier], &events[later]);
    match (a.kind, b.kind) {
        _ if a.thread == b.thread => true,
        (Create, _) if a.address == u64::from(b.thread.0) => true,
        (Exit, Join) => b.address == u64::from(a.thread.0),
        (SemPost, SemWait | SemTryWait) | (BarrierArrive, BarrierLeave | BarrierArrive) | (OnceDone, OnceEnter) => {
            a.address == b.address
        }
        (OpKind::Unlock | OpKind::Wait, _) => hands_over_lock(events, earlier, later),
        _ => reads_from(events, earlier, later),
    }
}

/// Whether a lock is given up and later taken. Readers are ordered with writers, not with each other.
fn hands_over_lock(events: &[Event], earlier: usize, later: usize) -> bool {
    use OpKind::{Lock, ReadLock, TryLock, TryReadLock, Wait, Woken};
    let (a, b) = (&events[earlier], &events[later]);
    let given = if a.kind == Wait { a.other } else { a.address };
    let taken = match b.kind {
        Lock | TryLock | ReadLock | TryReadLock => b.address,
        Woken => b.other,
        _ => return false,
    };
    let own = events[..earlier].iter().rev().filter(|event| event.thread == a.thread && event.address == given);
    let mut own = own.filter(|event| matches!(event.kind, Lock | TryLock | ReadLock | TryReadLock));
    let gave_as_reader = own.next().is_some_and(|event| matches!(event.kind, ReadLock | TryReadLock));
    given == taken && !(gave_as_reader && matches!(b.kind, ReadLock | TryReadLock))
}

/// Whether an atomic access reads what another atomic access wrote.
fn reads_from(events: &[Event], earlier: usize, later: usize) -> bool {
    let (a, b) = (&events[earlier], &events[later]);
    let is_atomic = |event: &Event| event.kind.is_access() && !matches!(event.kind, OpKind::Read | OpKind::Write);
    if !is_atomic(a) || !is_atomic(b) || !writes(a) || !b.kind.reads_memory() || a.address != b.address {
        return false;
    }
    let mut between = events[earlier + 1..later].iter();
    !between.any(|event| is_atomic(event) && writes(event) && event.address == b.address)
}
