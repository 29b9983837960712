//! A trace in memory.

use crate::kind::Kind;
use gordian_trace::{Choice, Test};

/// [`Event::place`] of an event whose place is not known.
pub const NO_PLACE: u32 = u32::MAX;

/// One event of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    pub thread: u32,
    pub kind: Kind,
    /// Bytes accessed; 0 for operations that are not accesses.
    pub size: u32,
    /// The location, lock or the like; for operations on threads the other thread's number. In foreign traces locks and variables
    /// are numbered from 0 on, each for themselves.
    pub address: u64,
    /// Its place among [`Trace::places`], or [`NO_PLACE`].
    pub place: u32,
    /// As [`gordian_trace::Event`] has them.
    pub value: Option<u64>,
    pub other: Option<u64>,
}

/// A place in the source. Foreign traces have a line alone, or a text as `file`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TracePlace {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

/// Who recorded a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// gordian's machine: addresses overlap byte by byte, and the test that was run is known.
    Machine,
    /// Another recorder: variables and locks are names, and reads have no values.
    Foreign,
}

/// A run of a program, event by event.
#[derive(Clone, Debug, PartialEq)]
pub struct Trace {
    pub origin: Origin,
    /// By number.
    pub threads: Vec<String>,
    pub places: Vec<TracePlace>,
    /// By number, of foreign traces: names of locks and of variables.
    pub locks: Vec<String>,
    pub variables: Vec<String>,
    pub events: Vec<Event>,
    /// The test that was run, with the choices that were made.
    pub test: Option<Test>,
    /// How the run ended, if the trace says so.
    pub end: Option<crate::gordian::End>,
    /// What a user should know: the trace was cut off, a lock excludes nothing.
    pub notes: Vec<String>,
    /// Locks that two threads held at the same time: they exclude nobody.
    pub broken_locks: Vec<u64>,
}

impl Trace {
    pub(crate) fn foreign() -> Trace {
        Trace {
            origin: Origin::Foreign,
            threads: Vec::new(),
            places: Vec::new(),
            locks: Vec::new(),
            variables: Vec::new(),
            events: Vec::new(),
            test: None,
            end: None,
            notes: Vec::new(),
            broken_locks: Vec::new(),
        }
    }

    /// The place of an event; an empty one if it is not known.
    pub fn place(&self, event: &Event) -> TracePlace {
        self.places.get(event.place as usize).cloned().unwrap_or_default()
    }

    /// What a lock is called.
    pub fn lock_name(&self, lock: u64) -> String {
        match usize::try_from(lock).ok().and_then(|lock| self.locks.get(lock)) {
            Some(name) => name.clone(),
            None if self.origin == Origin::Foreign => format!("L{lock}"),
            None => format!("{lock:#x}"),
        }
    }

    /// What a variable is called.
    pub fn variable_name(&self, variable: u64) -> String {
        match usize::try_from(variable).ok().and_then(|variable| self.variables.get(variable)) {
            Some(name) => name.clone(),
            None if self.origin == Origin::Foreign => format!("V{variable}"),
            None => format!("{variable:#x}"),
        }
    }

    /// What a thread is called.
    pub fn thread_name(&self, thread: u32) -> String {
        self.threads.get(thread as usize).cloned().unwrap_or_else(|| format!("T{thread}"))
    }

    pub(crate) fn add_choices(&mut self, choices: &[Choice]) {
        if let Some(test) = &mut self.test {
            test.schedule.0.extend_from_slice(choices);
        }
    }
}
