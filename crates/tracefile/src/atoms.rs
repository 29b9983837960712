//! A machine's trace in the words of formats that know variables, locks, forks and joins alone.
//!
//! Accesses of the machine overlap byte by byte. Formats with named variables get one variable for each stretch of bytes that every access
//! touches whole or not at all, and an access to several stretches becomes several events.

use crate::event::{Event, Origin, Trace};
use crate::kind::Kind;
use gordian_base::FxHashMap;
use gordian_trace::OpKind;
use std::collections::BTreeSet;

/// An event that every format knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    Acquire(u32),
    Release(u32),
    Read(u32),
    Write(u32),
    Fork(u32),
    Join(u32),
    Begin,
    End,
    Request(u32),
}

/// A trace that every format can say.
pub struct PlainTrace {
    /// Thread, event and place.
    pub events: Vec<(u32, Plain, u32)>,
    pub locks: Vec<String>,
    pub variables: Vec<String>,
    pub notes: Vec<String>,
}

/// Numbers in order of first sight.
#[derive(Default)]
struct Numbers {
    known: FxHashMap<u64, u32>,
    names: Vec<String>,
}

impl Numbers {
    fn of(&mut self, key: u64, name: impl FnOnce() -> String) -> u32 {
        let next = self.names.len() as u32;
        let number = *self.known.entry(key).or_insert(next);
        if number == next {
            self.names.push(name());
        }
        number
    }
}

pub fn plain(trace: &Trace) -> PlainTrace {
    if trace.origin == Origin::Foreign {
        return foreign(trace);
    }
    let mut bounds: BTreeSet<u64> = BTreeSet::new();
    for event in trace.events.iter().filter(|event| is_access(event)) {
        bounds.extend([event.address, event.address + u64::from(event.size)]);
    }
    let (mut locks, mut variables) = (Numbers::default(), Numbers::default());
    let mut events = Vec::new();
    let mut n_left_out = 0u64;
    for event in &trace.events {
        let Event { thread, place, address, .. } = *event;
        let Kind::Op(kind) = event.kind else { continue };
        let mut lock = |address: u64| locks.of(address, || format!("L{address:x}"));
        let mut push = |plain: Plain| events.push((thread, plain, place));
        match kind {
            OpKind::Lock | OpKind::TryLock => push(Plain::Acquire(lock(address))),
            OpKind::Unlock => push(Plain::Release(lock(address))),
            OpKind::Wait => push(Plain::Release(lock(event.other.unwrap_or(address)))),
            OpKind::Woken => push(Plain::Acquire(lock(event.other.unwrap_or(address)))),
            OpKind::Create => push(Plain::Fork(address as u32)),
            OpKind::Join => push(Plain::Join(address as u32)),
            _ if is_access(event) => {
                for &at in bounds.range(address..address + u64::from(event.size)) {
                    let variable = variables.of(at, || format!("V{at:x}"));
                    if kind.reads_memory() {
                        push(Plain::Read(variable));
                    }
                    if !kind.reads_only() {
                        push(Plain::Write(variable));
                    }
                }
            }
            OpKind::Exit | OpKind::ProcessExit | OpKind::Yield | OpKind::Sleep | OpKind::Branch => {}
            _ => n_left_out += 1,
        }
    }
    let mut notes = Vec::new();
    if n_left_out > 0 {
        notes.push(format!("{n_left_out} operations that the format does not know were left out"));
    }
    PlainTrace { events, locks: locks.names, variables: variables.names, notes }
}

fn is_access(event: &Event) -> bool {
    matches!(event.kind, Kind::Op(kind) if kind.is_access()) && event.size > 0
}

/// Such a trace is plain already, but for operations that another recorder may have written.
fn foreign(trace: &Trace) -> PlainTrace {
    let mut events = Vec::with_capacity(trace.events.len());
    let mut n_left_out = 0u64;
    for event in &trace.events {
        let operand = event.address as u32;
        let plain = match event.kind {
            Kind::Request => Plain::Request(operand),
            Kind::Op(OpKind::Read) => Plain::Read(operand),
            Kind::Op(OpKind::Write) => Plain::Write(operand),
            Kind::Op(OpKind::Lock) => Plain::Acquire(operand),
            Kind::Op(OpKind::Unlock) => Plain::Release(operand),
            Kind::Op(OpKind::Create) => Plain::Fork(operand),
            Kind::Op(OpKind::Join) => Plain::Join(operand),
            Kind::Op(OpKind::AtomicBegin) => Plain::Begin,
            Kind::Op(OpKind::AtomicEnd) => Plain::End,
            Kind::Op(_) => {
                n_left_out += 1;
                continue;
            }
        };
        events.push((event.thread, plain, event.place));
    }
    let mut notes = Vec::new();
    if n_left_out > 0 {
        notes.push(format!("{n_left_out} operations that the format does not know were left out"));
    }
    PlainTrace { events, locks: trace.locks.clone(), variables: trace.variables.clone(), notes }
}

/// The event of a foreign trace.
pub fn event(thread: u32, plain: Plain, place: u32) -> Event {
    let (kind, address) = match plain {
        Plain::Acquire(lock) => (Kind::Op(OpKind::Lock), lock),
        Plain::Release(lock) => (Kind::Op(OpKind::Unlock), lock),
        Plain::Read(variable) => (Kind::Op(OpKind::Read), variable),
        Plain::Write(variable) => (Kind::Op(OpKind::Write), variable),
        Plain::Fork(other) => (Kind::Op(OpKind::Create), other),
        Plain::Join(other) => (Kind::Op(OpKind::Join), other),
        Plain::Begin => (Kind::Op(OpKind::AtomicBegin), 0),
        Plain::End => (Kind::Op(OpKind::AtomicEnd), 0),
        Plain::Request(lock) => (Kind::Request, lock),
    };
    let size = u32::from(matches!(plain, Plain::Read(_) | Plain::Write(_)));
    Event { thread, kind, size, address: u64::from(address), place, value: None, other: None }
}
