//! RapidBin: a head with counts, then eight bytes for each event.

use crate::atoms::{Plain, event, plain};
use crate::event::{NO_PLACE, Origin, Trace, TracePlace};
use crate::wellformed::WellFormed;
use crate::{Position, TraceError};
use gordian_base::FxHashMap;
use std::io::Write;

/// Threads, locks, variables, events: 2, 4, 4 and 8 bytes, the highest first.
const HEAD: usize = 18;

const THREAD_BITS: u32 = 10;
const OPERAND_BITS: u32 = 34;
const PLACE_BITS: u32 = 15;

pub fn read(bytes: &[u8]) -> Result<Trace, TraceError> {
    let Some((head, events)) = bytes.split_at_checked(HEAD) else {
        return Err(TraceError::at(Position::Offset(bytes.len() as u64), "the trace ends within its head"));
    };
    let n_events = u64::from_be_bytes(head[10..18].try_into().expect("eight bytes"));
    let mut trace = Trace::foreign();
    let mut well_formed = WellFormed::new(Origin::Foreign);
    let mut places: FxHashMap<u32, u32> = FxHashMap::default();
    let mut n_threads = 0;
    let mut words = events.chunks_exact(8);
    for (nth, word) in words.by_ref().enumerate() {
        let position = Position::Offset((HEAD + 8 * nth) as u64);
        if nth as u64 == n_events {
            return Err(TraceError::at(position, format!("the head says {n_events} events, and there are more")));
        }
        let word = u64::from_be_bytes(word.try_into().expect("eight bytes"));
        let (thread, plain, line) = decode(word).map_err(|what| TraceError::at(position, what))?;
        n_threads = n_threads.max(thread + 1);
        if let Plain::Fork(other) | Plain::Join(other) = plain {
            n_threads = n_threads.max(other + 1);
        }
        let next = places.len() as u32;
        let place = *places.entry(line).or_insert(next);
        if place == next {
            trace.places.push(TracePlace { line, ..TracePlace::default() });
        }
        let event = event(thread, plain, place);
        well_formed.admit(&event).map_err(|what| TraceError::at(position, what))?;
        trace.events.push(event);
    }
    if !words.remainder().is_empty() || (trace.events.len() as u64) < n_events {
        let n = trace.events.len();
        trace.notes.push(format!("the trace was cut off: its head says {n_events} events, and {n} are there"));
    }
    trace.threads = (0..n_threads).map(|thread| format!("T{thread}")).collect();
    well_formed.conclude(&mut trace);
    Ok(trace)
}

fn decode(word: u64) -> Result<(u32, Plain, u32), String> {
    let bits = |from: u32, count: u32| word >> from & ((1 << count) - 1);
    let thread = bits(0, THREAD_BITS) as u32;
    let operation = bits(THREAD_BITS, 4);
    let operand = bits(14, OPERAND_BITS);
    let line = bits(48, PLACE_BITS) as u32;
    let Ok(operand) = u32::try_from(operand) else { return Err(format!("the operand {operand} is too large")) };
    let plain = match operation {
        0 => Plain::Acquire(operand),
        1 => Plain::Release(operand),
        2 => Plain::Read(operand),
        3 => Plain::Write(operand),
        4 | 5 if u64::from(operand) >= 1 << THREAD_BITS => return Err(format!("there is no thread {operand}")),
        4 => Plain::Fork(operand),
        5 => Plain::Join(operand),
        6 => Plain::Begin,
        7 => Plain::End,
        8 => Plain::Request(operand),
        _ => return Err(format!("operation {operation} is not known")),
    };
    Ok((thread, plain, line))
}

pub fn write(trace: &Trace, to: &mut dyn Write) -> Result<Vec<String>, TraceError> {
    let mut said = plain(trace);
    let mut to = std::io::BufWriter::new(to);
    let n_threads = trace.threads.len();
    if n_threads > 1 << THREAD_BITS {
        return Err(TraceError::CannotSay(format!("a trace with {n_threads} threads")));
    }
    to.write_all(&(n_threads as u16).to_be_bytes())?;
    let (mut n_locks, mut n_variables) = (0u32, 0u32);
    for (_, event, _) in &said.events {
        match *event {
            Plain::Acquire(lock) | Plain::Release(lock) | Plain::Request(lock) => {
                n_locks = n_locks.max(lock.saturating_add(1))
            }
            Plain::Read(variable) | Plain::Write(variable) => n_variables = n_variables.max(variable.saturating_add(1)),
            Plain::Fork(_) | Plain::Join(_) | Plain::Begin | Plain::End => {}
        }
    }
    to.write_all(&n_locks.to_be_bytes())?;
    to.write_all(&n_variables.to_be_bytes())?;
    to.write_all(&(said.events.len() as u64).to_be_bytes())?;
    let mut has_long_lines = false;
    for &(thread, event, place) in &said.events {
        let (operation, operand) = match event {
            Plain::Acquire(lock) => (0, lock),
            Plain::Release(lock) => (1, lock),
            Plain::Read(variable) => (2, variable),
            Plain::Write(variable) => (3, variable),
            Plain::Fork(other) => (4, other),
            Plain::Join(other) => (5, other),
            Plain::Begin => (6, 0),
            Plain::End => (7, 0),
            Plain::Request(lock) => (8, lock),
        };
        let line = if place == NO_PLACE { 0 } else { trace.places[place as usize].line };
        has_long_lines |= line >= 1 << PLACE_BITS;
        let line = u64::from(line) & ((1 << PLACE_BITS) - 1);
        let word = u64::from(thread) | operation << THREAD_BITS | u64::from(operand) << 14 | line << 48;
        to.write_all(&word.to_be_bytes())?;
    }
    to.flush()?;
    if has_long_lines {
        said.notes.push("line numbers beyond 32767 lost their high bits".to_owned());
    }
    if trace.places.iter().any(|place| !place.file.is_empty()) {
        said.notes.push("names of files were left out".to_owned());
    }
    Ok(said.notes)
}
