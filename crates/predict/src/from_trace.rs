//! A foreign trace as a run: reads take their write of the run, locks are re-entrant.

use crate::follow::Follower;
use crate::run::{Op, Run, Span};
use gordian_base::{FxHashMap, FxHashSet, ThreadId};
use gordian_trace::{Event, NO_CODE, OpKind};
use gordian_tracefile::{Kind, Trace};

/// The model of a trace without values.
pub fn run_of(trace: &Trace) -> Run {
    let broken: FxHashSet<u64> = trace.broken_locks.iter().copied().collect();
    let mut run = Run::default();
    run.variables = variables(trace);
    let mut follower = Follower::default();
    let mut last_instant = Vec::new();
    let mut last_write: FxHashMap<u64, u32> = FxHashMap::default();
    let mut sources = Vec::with_capacity(trace.events.len());
    let kept = uninitialised_semaphores(trace);
    follower.pinned.extend(kept.iter().copied());
    for (number, event) in (0u32..).zip(&trace.events) {
        let span = Span { address: event.address, size: event.size.max(1) };
        let variable = run.variable(span.address);
        let mut source = None;
        let mut atomic = false;
        let op = match event.kind {
            Kind::Op(kind) if kind.is_access() => {
                atomic = !matches!(kind, OpKind::Read | OpKind::Write);
                if kind.reads_memory() {
                    source = last_write.get(&variable).copied();
                }
                if kind.reads_only() {
                    Op::Read(span)
                } else {
                    last_write.insert(variable, number);
                    Op::Write(span)
                }
            }
            Kind::Op(OpKind::Lock | OpKind::Unlock) if broken.contains(&event.address) => Op::Nothing,
            Kind::Op(_) if kept.contains(&event.address) => Op::Pinned(event.address),
            Kind::Op(kind) => {
                let thread = ThreadId(event.thread);
                follower.entry(thread);
                let (address, size, value, other) =
                    (event.address, event.size, event.value.unwrap_or(0), event.other.unwrap_or(0));
                let known = Event {
                    thread,
                    kind,
                    alone: false,
                    unsure: false,
                    varies: false,
                    size,
                    at: NO_CODE,
                    address,
                    value,
                    other,
                };
                // A thread that fills a barrier leaves it by an event of its own here.
                follower.op(known).unwrap_or(Op::Nothing)
            }
            Kind::Request => Op::Nothing,
        };
        sources.push(source);
        if let Kind::Op(OpKind::TryLock | OpKind::TryReadLock | OpKind::SemTryWait) = event.kind {
            run.can_fail.insert(number);
        }
        run.push(event.thread, event.place, atomic, op, true, &mut last_instant);
    }
    run.sources = Some(sources);
    run.complete(&follower.pinned);
    run
}

/// Semaphores whose first value is not known: they keep the order of the run.
fn uninitialised_semaphores(trace: &Trace) -> FxHashSet<u64> {
    let mut known: FxHashSet<u64> = FxHashSet::default();
    let mut unknown: FxHashSet<u64> = FxHashSet::default();
    for event in &trace.events {
        match event.kind {
            Kind::Op(OpKind::SemInit) => {
                known.insert(event.address);
            }
            Kind::Op(OpKind::SemWait | OpKind::SemPost | OpKind::SemTryWait | OpKind::SemTryWaitFail)
                if !known.contains(&event.address) =>
            {
                unknown.insert(event.address);
            }
            _ => {}
        }
    }
    unknown
}

/// By address, where accesses of different extent overlap: the first byte of all that overlap with each other. Such bytes are written as one.
fn variables(trace: &Trace) -> FxHashMap<u64, u64> {
    let is_access = |kind: Kind| matches!(kind, Kind::Op(kind) if kind.is_access());
    let accesses = trace.events.iter().filter(|event| is_access(event.kind));
    let mut spans: Vec<(u64, u64)> =
        accesses.map(|event| (event.address, event.address.saturating_add(u64::from(event.size.max(1))))).collect();
    spans.sort_unstable();
    spans.dedup();
    let mut variables = FxHashMap::default();
    let (mut first, mut end) = (0, 0);
    for (from, to) in spans {
        if from >= end {
            (first, end) = (from, to);
        }
        end = end.max(to);
        if first != from {
            variables.insert(from, first);
        }
    }
    variables
}
