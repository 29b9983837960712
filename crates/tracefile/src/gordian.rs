//! gordian's own format, `run.trace`.
//!
//! The file begins with [`MAGIC`] and the version, then a header in JSON with its length and checksum; blocks follow (see [`crate::block`]).
//! Names come before the events that use them, so a file that was cut off is whole up to its last whole block.

use crate::block::{BlockError, BlockKind, Cursor, FULL, put_number, put_text, read_block, write_block};
use crate::event::{Event, NO_PLACE, Origin, Trace, TracePlace};
use crate::kind::Kind;
use crate::wellformed::WellFormed;
use crate::{Position, TraceError};
use gordian_base::FxHashMap;
use gordian_trace::{Choice, Schedule, Test};
use serde::{Deserialize, Serialize};
use std::io::Write;

pub const MAGIC: &[u8] = b"GORDIANTRACE\n\x1a\0\0";

/// Grows when a file of an older version would be read wrongly.
pub const VERSION: u32 = 1;

/// What is known before the run begins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The test that is run, without its schedule; none if another recorder wrote the trace.
    #[serde(default)]
    pub test: Option<Test>,
}

/// How a recorded run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct End {
    /// A sentence for people: `exit 0`, or why it did not end by itself.
    pub how: String,
    /// Keys of the findings that the run itself showed: kind and message.
    #[serde(default)]
    pub findings: Vec<String>,
    /// Who created each thread, as [`Test::threads`] has it.
    #[serde(default)]
    pub threads: Vec<gordian_trace::ThreadOrigin>,
    /// Inputs that the run asked for.
    #[serde(default)]
    pub inputs: Vec<gordian_trace::InputValue>,
    /// What the run read of its standard input.
    #[serde(default)]
    pub stdin: Option<String>,
}

const THREAD: u8 = 1;
const PLACE: u8 = 2;
const LOCK: u8 = 3;
const VARIABLE: u8 = 4;

const HAS_VALUE: u8 = 1;
const HAS_OTHER: u8 = 2;

/// Writes a trace event by event.
pub struct Writer<W: Write> {
    to: W,
    names: Vec<u8>,
    events: Vec<u8>,
    choices: Vec<Choice>,
    places: FxHashMap<TracePlace, u32>,
    n_threads: u32,
}

impl<W: Write> Writer<W> {
    pub fn new(mut to: W, header: &Header) -> Result<Self, TraceError> {
        let text = serde_json::to_vec(header).map_err(std::io::Error::from)?;
        to.write_all(MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        to.write_all(&(text.len() as u32).to_le_bytes())?;
        to.write_all(&crc32fast::hash(&text).to_le_bytes())?;
        to.write_all(&text)?;
        let (names, events, choices) = (Vec::new(), Vec::new(), Vec::new());
        Ok(Writer { to, names, events, choices, places: FxHashMap::default(), n_threads: 0 })
    }

    /// Names the thread with the next number.
    pub fn thread(&mut self, name: &str) {
        self.names.push(THREAD);
        put_text(&mut self.names, name);
        self.n_threads += 1;
    }

    /// How many threads have a name.
    pub fn n_threads(&self) -> u32 {
        self.n_threads
    }

    /// Names the lock with the next number.
    pub fn lock(&mut self, name: &str) {
        self.names.push(LOCK);
        put_text(&mut self.names, name);
    }

    /// Names the variable with the next number.
    pub fn variable(&mut self, name: &str) {
        self.names.push(VARIABLE);
        put_text(&mut self.names, name);
    }

    /// The number of a place.
    pub fn place(&mut self, place: &TracePlace) -> u32 {
        if let Some(&known) = self.places.get(place) {
            return known;
        }
        let number = self.places.len() as u32;
        self.places.insert(place.clone(), number);
        self.names.push(PLACE);
        put_text(&mut self.names, &place.file);
        put_number(&mut self.names, u64::from(place.line));
        put_number(&mut self.names, u64::from(place.column));
        put_text(&mut self.names, &place.function);
        number
    }

    pub fn event(&mut self, event: &Event) -> Result<(), TraceError> {
        let to = &mut self.events;
        to.push(event.kind.number());
        let has = |value: Option<u64>, bit: u8| if value.is_some() { bit } else { 0 };
        to.push(has(event.value, HAS_VALUE) | has(event.other, HAS_OTHER));
        put_number(to, u64::from(event.thread));
        put_number(to, event.address);
        put_number(to, u64::from(event.size));
        put_number(to, u64::from(event.place.wrapping_add(1)));
        event.value.into_iter().chain(event.other).for_each(|value| put_number(to, value));
        if self.events.len() >= FULL {
            self.flush()?;
        }
        Ok(())
    }

    /// Choices that were made since the last.
    pub fn choices(&mut self, choices: &[Choice]) {
        self.choices.extend_from_slice(choices);
    }

    /// Writes out what there is, so that a reader has it even if the run is never finished.
    pub fn flush(&mut self) -> Result<(), TraceError> {
        for (kind, content) in [(BlockKind::Names, &mut self.names), (BlockKind::Events, &mut self.events)] {
            if !content.is_empty() {
                write_block(&mut self.to, kind, content)?;
                content.clear();
            }
        }
        if !self.choices.is_empty() {
            let text = Schedule(std::mem::take(&mut self.choices)).to_string();
            write_block(&mut self.to, BlockKind::Schedule, text.as_bytes())?;
        }
        self.to.flush()?;
        Ok(())
    }

    /// Writes the last block, and gives back what was written to.
    pub fn finish(mut self, end: Option<&End>) -> Result<W, TraceError> {
        self.flush()?;
        let text = serde_json::to_vec(&end).map_err(std::io::Error::from)?;
        write_block(&mut self.to, BlockKind::End, &text)?;
        self.to.flush()?;
        Ok(self.to)
    }
}

/// Writes a whole trace.
pub fn write(trace: &Trace, to: &mut dyn Write) -> Result<(), TraceError> {
    let test = trace.test.clone().map(|test| Test { schedule: Schedule::default(), ..test });
    let mut writer = Writer::new(to, &Header { test })?;
    trace.threads.iter().for_each(|name| writer.thread(name));
    trace.locks.iter().for_each(|name| writer.lock(name));
    trace.variables.iter().for_each(|name| writer.variable(name));
    let places: Vec<u32> = trace.places.iter().map(|place| writer.place(place)).collect();
    for event in &trace.events {
        let place = places.get(event.place as usize).copied().unwrap_or(NO_PLACE);
        writer.event(&Event { place, ..*event })?;
    }
    if let Some(test) = &trace.test {
        writer.choices(&test.schedule.0);
    }
    writer.finish(trace.end.as_ref())?;
    Ok(())
}

/// Reads a whole trace; one that was cut off up to its last whole block.
pub fn read(bytes: &[u8]) -> Result<Trace, TraceError> {
    let cut_off = || TraceError::at(Position::Offset(bytes.len() as u64), "the trace ends within its header");
    let number = |at: usize| {
        let four = bytes.get(at..at + 4).ok_or_else(cut_off)?;
        Ok::<u32, TraceError>(u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
    };
    if !bytes.starts_with(MAGIC) {
        return Err(TraceError::at(Position::Offset(0), "this is no trace of gordian's"));
    }
    let found = number(MAGIC.len())?;
    if found != VERSION {
        return Err(TraceError::Version { found });
    }
    let (len, sum) = (number(MAGIC.len() + 4)? as usize, number(MAGIC.len() + 8)?);
    let begin = MAGIC.len() + 12;
    let text = bytes.get(begin..begin.saturating_add(len)).ok_or_else(cut_off)?;
    let position = Position::Offset(begin as u64);
    if crc32fast::hash(text) != sum {
        return Err(TraceError::at(position, "the checksum of the header is wrong"));
    }
    let header: Header = serde_json::from_slice(text)
        .map_err(|error| TraceError::at(position, format!("the header is broken: {error}")))?;
    let origin = if header.test.is_some() { Origin::Machine } else { Origin::Foreign };
    let trace = Trace { origin, test: header.test, ..Trace::foreign() };
    let mut reading = Reading { well_formed: WellFormed::new(origin), trace, has_end: false };
    reading.blocks(bytes, begin + len)?;
    Ok(reading.finish())
}

struct Reading {
    trace: Trace,
    well_formed: WellFormed,
    has_end: bool,
}

impl Reading {
    fn blocks(&mut self, bytes: &[u8], mut at: usize) -> Result<(), TraceError> {
        while at < bytes.len() && !self.has_end {
            let position = Position::Offset(at as u64);
            match read_block(&bytes[at..]) {
                Ok((kind, content, len)) => {
                    self.block(kind, &content, position)?;
                    at += len;
                }
                Err(BlockError::CutOff) => break,
                Err(BlockError::Broken(what)) => return Err(TraceError::at(position, what)),
            }
        }
        if self.has_end && at < bytes.len() {
            return Err(TraceError::at(Position::Offset(at as u64), "something follows the end of the trace"));
        }
        Ok(())
    }

    fn block(&mut self, kind: BlockKind, content: &[u8], position: Position) -> Result<(), TraceError> {
        let broken = |what: &str| TraceError::at(position, what);
        match kind {
            BlockKind::Names => self.names(content).ok_or_else(|| broken("a block of names is broken")),
            BlockKind::Events => self.events(content, position),
            BlockKind::Schedule => {
                let text = std::str::from_utf8(content).map_err(|_| broken("a block of the schedule is no text"))?;
                let schedule: Schedule = text.parse().map_err(|error| broken(&format!("{error}")))?;
                self.trace.add_choices(&schedule.0);
                Ok(())
            }
            BlockKind::End => {
                self.has_end = true;
                let end = serde_json::from_slice(content);
                self.trace.end = end.map_err(|error| broken(&format!("the last block is broken: {error}")))?;
                Ok(())
            }
        }
    }

    fn names(&mut self, content: &[u8]) -> Option<()> {
        let mut cursor = Cursor::new(content);
        while !cursor.is_at_end() {
            match cursor.byte()? {
                THREAD => self.trace.threads.push(cursor.text()?.to_owned()),
                LOCK => self.trace.locks.push(cursor.text()?.to_owned()),
                VARIABLE => self.trace.variables.push(cursor.text()?.to_owned()),
                PLACE => {
                    let (file, line, column) = (cursor.text()?.to_owned(), cursor.small()?, cursor.small()?);
                    let function = cursor.text()?.to_owned();
                    self.trace.places.push(TracePlace { file, line, column, function });
                }
                _ => return None,
            }
        }
        Some(())
    }

    fn events(&mut self, content: &[u8], position: Position) -> Result<(), TraceError> {
        let mut cursor = Cursor::new(content);
        while !cursor.is_at_end() {
            let nth = self.trace.events.len() + 1;
            let bad = |what: String| TraceError::at(position, format!("event {nth}, in the block there: {what}"));
            let event = event(&mut cursor).map_err(&bad)?;
            if event.place != NO_PLACE && event.place as usize >= self.trace.places.len() {
                return Err(bad(format!("there is no place {}", event.place)));
            }
            if event.thread as usize >= self.trace.threads.len() {
                return Err(bad(format!("there is no thread {}", event.thread)));
            }
            self.well_formed.admit(&event).map_err(bad)?;
            self.trace.events.push(event);
        }
        Ok(())
    }

    fn finish(mut self) -> Trace {
        if !self.has_end {
            let n = self.trace.events.len();
            self.trace.notes.push(format!("the trace was cut off: {n} events up to its last whole block are used"));
        }
        self.well_formed.conclude(&mut self.trace);
        if let (Some(test), Some(end)) = (&mut self.trace.test, &self.trace.end) {
            test.threads.clone_from(&end.threads);
            test.inputs.clone_from(&end.inputs);
            if let Some(stdin) = &end.stdin {
                test.stdin.clone_from(stdin);
            }
        }
        self.trace
    }
}

fn event(cursor: &mut Cursor<'_>) -> Result<Event, String> {
    let cut = || "it is cut off".to_owned();
    let number = cursor.byte().ok_or_else(cut)?;
    let kind = Kind::of_number(number).ok_or_else(|| format!("operation {number} is not known"))?;
    let flags = cursor.byte().ok_or_else(cut)?;
    if flags & !(HAS_VALUE | HAS_OTHER) != 0 {
        return Err(format!("flags {flags:#x} are not known"));
    }
    let thread = cursor.small().ok_or_else(cut)?;
    let address = cursor.number().ok_or_else(cut)?;
    let size = cursor.small().ok_or_else(cut)?;
    let place = cursor.small().ok_or_else(cut)?.wrapping_sub(1);
    let mut optional = |bit: u8| if flags & bit != 0 { cursor.number().map(Some) } else { Some(None) };
    let value = optional(HAS_VALUE).ok_or_else(cut)?;
    let other = optional(HAS_OTHER).ok_or_else(cut)?;
    Ok(Event { thread, kind, size, address, place, value, other })
}
