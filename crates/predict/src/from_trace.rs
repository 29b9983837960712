//! A foreign trace as a run: reads take their write of the run, locks are re-entrant.

use crate::run::{Op, Run, Span};
use gordian_base::{FxHashMap, FxHashSet};
use gordian_trace::OpKind;
use gordian_tracefile::{Kind, Trace};

/// The model of a trace without values.
pub fn run_of(trace: &Trace) -> Run {
    let broken: FxHashSet<u64> = trace.broken_locks.iter().copied().collect();
    let mut run = Run::default();
    let mut last_instant = Vec::new();
    let mut depths: FxHashMap<(u32, u64), u32> = FxHashMap::default();
    let mut last_write: FxHashMap<u64, u32> = FxHashMap::default();
    let mut sources = Vec::with_capacity(trace.events.len());
    for (number, event) in (0u32..).zip(&trace.events) {
        let span = Span { address: event.address, size: event.size.max(1) };
        let lock = event.address;
        let mut source = None;
        let op = match event.kind {
            Kind::Op(OpKind::Read) => {
                source = last_write.get(&lock).copied();
                Op::Read(span)
            }
            Kind::Op(OpKind::Write) => {
                last_write.insert(event.address, number);
                Op::Write(span)
            }
            Kind::Op(OpKind::Lock) if !broken.contains(&lock) => {
                let depth = depths.entry((event.thread, lock)).or_default();
                *depth += 1;
                if *depth == 1 { Op::Acquire { lock, shared: false } } else { Op::Nothing }
            }
            Kind::Op(OpKind::Unlock) if !broken.contains(&lock) => {
                let depth = depths.entry((event.thread, lock)).or_default();
                *depth = depth.saturating_sub(1);
                if *depth == 0 { Op::Release { lock } } else { Op::Nothing }
            }
            Kind::Op(OpKind::Create) => Op::Fork(event.address as u32),
            Kind::Op(OpKind::Join) => Op::Join(event.address as u32),
            Kind::Op(_) | Kind::Request => Op::Nothing,
        };
        sources.push(source);
        run.push(event.thread, event.place, false, op, true, &mut last_instant);
    }
    run.sources = Some(sources);
    run.complete();
    run
}
