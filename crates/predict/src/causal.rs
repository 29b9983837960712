//! Causal order of an execution: program order, conflicting accesses, creation, join, and from a signal to whom it wakes. Locks are no part of it.

use crate::run::{Op, Run, Span};
use gordian_base::FxHashMap;
use gordian_trace::{Event, OpKind};

/// What one event of an execution means for causal order.
#[derive(Clone, Copy, Debug)]
pub enum Causal {
    Access {
        span: Span,
        writes: bool,
    },
    Create(u32),
    Join(u32),
    /// Wakes this thread.
    Wakes(u32),
    Other,
}

/// Accesses by aligned word.
type ByWord = FxHashMap<u64, Vec<(u32, Span, bool)>>;

fn words(span: Span) -> std::ops::Range<u64> {
    span.address >> 3..span.end().div_ceil(8)
}

/// Whether something of another thread comes causally after the first of these events, which are in their order, and before another of the same thread.
pub fn is_interrupted(mut events: impl Iterator<Item = (u32, Causal)>) -> bool {
    let Some((mine, first)) = events.next() else { return false };
    let mut after = After { mine, threads: vec![mine], accesses: ByWord::default(), woken: Vec::new() };
    after.add(mine, first);
    events.any(|(thread, what)| after.take(thread, what))
}

/// What comes causally after an event.
struct After {
    mine: u32,
    /// Threads that have an event after it.
    threads: Vec<u32>,
    accesses: ByWord,
    /// Threads that were created or woken by such an event.
    woken: Vec<u32>,
}

impl After {
    fn add(&mut self, thread: u32, what: Causal) {
        if !self.threads.contains(&thread) {
            self.threads.push(thread);
        }
        match what {
            Causal::Access { span, writes } => {
                for word in words(span) {
                    self.accesses.entry(word).or_default().push((thread, span, writes));
                }
            }
            Causal::Create(other) | Causal::Wakes(other) => self.woken.push(other),
            Causal::Join(_) | Causal::Other => {}
        }
    }

    /// Whether it comes directly after one of another thread.
    fn follows(&self, thread: u32, what: Causal) -> bool {
        match what {
            Causal::Access { span, writes } => words(span)
                .filter_map(|word| self.accesses.get(&word))
                .flatten()
                .any(|&(other, at, also)| other != thread && (writes || also) && at.overlaps(span)),
            Causal::Join(other) => other != thread && self.threads.contains(&other),
            _ => false,
        }
    }

    /// Whether the next event is one of the first thread after one of another.
    fn take(&mut self, thread: u32, what: Causal) -> bool {
        let is_woken = self.woken.contains(&thread);
        let follows = self.follows(thread, what) || is_woken;
        if thread == self.mine && follows {
            return true;
        }
        if follows || self.threads.contains(&thread) {
            self.add(thread, what);
        }
        false
    }
}

/// The events of the machine.
pub fn of_machine(event: &Event) -> (u32, Causal) {
    let what = match event.kind {
        kind if kind.is_access() => {
            Causal::Access { span: Span { address: event.address, size: event.size }, writes: !kind.reads_only() }
        }
        OpKind::Create => Causal::Create(event.address as u32),
        OpKind::Join => Causal::Join(event.address as u32),
        OpKind::Wake => Causal::Wakes(event.address as u32),
        _ => Causal::Other,
    };
    (event.thread.0, what)
}

/// Whether the run itself has something between two events of a thread.
pub fn run_interrupts(run: &Run, first: u32, last: u32) -> bool {
    let events = (first..=last).flat_map(|number| {
        let event = &run.events[number as usize];
        let what = match event.op {
            Op::Read(span) => Causal::Access { span, writes: false },
            Op::Write(span) => Causal::Access { span, writes: true },
            Op::Fork(child) => Causal::Create(child),
            Op::Join(child) => Causal::Join(child),
            _ => Causal::Other,
        };
        let wakes = run.wakes.range((number, 0)..=(number, u32::MAX)).map(|&(_, woken)| Causal::Wakes(woken));
        std::iter::once(what).chain(wakes).map(|what| (event.thread, what))
    });
    is_interrupted(events)
}
