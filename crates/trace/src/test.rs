//! The one currency: a test is a program, its arguments and inputs, and a log of choices.
//! Same test, same execution, bit for bit, on any machine.

use crate::{Finding, Schedule, ScheduleError};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::path::{Path, PathBuf};

/// Grows when a file of an older version would be read wrongly.
pub const FORMAT_VERSION: u32 = 1;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Test {
    /// The format's version.
    pub gordian: u32,
    pub program: ProgramSource,
    #[serde(default)]
    pub arguments: Vec<String>,
    #[serde(default)]
    pub environment: Vec<(String, String)>,
    #[serde(default)]
    pub stdin: String,
    /// What the program is given whose bytes are inputs: the first ones of the main thread, in this order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sources: Vec<InputSource>,
    #[serde(default)]
    pub machine: Machine,
    /// Values of `__VERIFIER_nondet_*` and the like that differ from what the seed gives.
    #[serde(default)]
    pub inputs: Vec<InputValue>,
    /// Who created each thread but main, in order of their numbers. Left out where main created all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<ThreadOrigin>,
    #[serde(with = "as_text")]
    pub schedule: Schedule,
    /// What the test shows, without its trace.
    #[serde(default)]
    pub finding: Option<Finding>,
}

/// Where the program came from, and how to tell that it has changed since.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProgramSource {
    pub files: Vec<PathBuf>,
    #[serde(default)]
    pub cflags: Vec<String>,
    /// Hash of the linked module, in hexadecimal.
    pub identity: String,
}

/// The settings that an execution depends on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Machine {
    pub seed: u64,
    pub max_steps: u64,
    /// How often a thread may go back in a loop that it entered; the program must have been loaded to count that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unroll: Option<u32>,
    pub races: RaceMode,
    pub spurious_wakeups: bool,
    pub weak_cas_fails: bool,
    pub uninitialised: bool,
    pub leaks: bool,
    pub overflow: bool,
    /// The program was compiled with the compiler's checks for undefined behaviour.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub undefined: bool,
    /// Inputs are symbols, and all that they lead to is explored. Never in a saved test, whose inputs are fixed.
    #[serde(skip)]
    pub symbolic: bool,
    /// Branches are noted (see [`crate::Coverage`]).
    #[serde(skip)]
    pub coverage: bool,
    /// What the compiler was told that the files of the program are called, which `__FILE__` shows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub file_names: Vec<std::path::PathBuf>,
    /// Threads also park where nobody else can see what they do next: before accesses to private memory, calls that others
    /// cannot see, and returns. Nothing may depend on that but the number of schedules. For tests.
    #[serde(skip)]
    pub parks_everywhere: bool,
    /// A read, exchange, compare-and-swap or try-lock that decides whether a waiting loop goes round is possible only where it lets its thread leave
    /// the loop. Off in tests that were saved before there were awaits.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub awaits: bool,
    /// A round of a loop that takes back what it did, while nobody else could see it, is not gone through again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub net_effect: bool,
    /// What a thread reads before its first visible operation is no step if nobody else writes it meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub private_reads: bool,
    /// `exit` and the return of `main` wait until no other thread can step, where nobody could see the difference.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub delayed_exits: bool,
    /// A thread that fails in code of its own, behind an operation that others can see, does so in a step of its own: others may go on meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub separate_failures: bool,
    /// How often a thread may come back to the same place of a loop with the same in its registers; then it stops there for good. With 0 it may come
    /// back for ever, and the machine objects once it has done so too often.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rounds: Option<u32>,
    /// Whatever stands in the registers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub counts_all_rounds: bool,
    /// A thread that only repeats itself is not blocked for that. Such executions need not end: for tests that compare states.
    #[serde(skip)]
    pub repeats: bool,
    /// Accesses of which it was proved that they need no scheduling point are none. Schedules depend on it, so it is never on in a saved test.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub facts: bool,
    /// External functions that may be called natively.
    pub native: Vec<String>,
}

impl Default for Machine {
    fn default() -> Self {
        Machine {
            seed: 0,
            max_steps: 100_000,
            unroll: None,
            races: RaceMode::Report,
            spurious_wakeups: false,
            weak_cas_fails: false,
            uninitialised: false,
            leaks: false,
            overflow: false,
            undefined: false,
            facts: false,
            symbolic: false,
            coverage: false,
            file_names: Vec::new(),
            parks_everywhere: false,
            awaits: false,
            net_effect: false,
            private_reads: false,
            repeats: false,
            delayed_exits: false,
            separate_failures: false,
            rounds: None,
            counts_all_rounds: false,
            native: Vec::new(),
        }
    }
}

/// Why a search must be made again with other settings: something that was left out makes a difference in this program, or it has no end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Objection {
    /// See [`Machine::awaits`].
    Awaits,
    /// See [`Machine::net_effect`].
    NetEffect,
    /// See [`Machine::private_reads`].
    PrivateReads,
    /// See [`Machine::delayed_exits`].
    DelayedExits,
    /// A thread goes round a loop again and again, see [`Machine::rounds`].
    Rounds,
    /// The same, and something in it counts.
    CountedRounds,
}

impl Machine {
    /// The settings for the next attempt.
    #[must_use]
    pub fn after(&self, objection: Objection) -> Machine {
        let mut machine = self.clone();
        match objection {
            Objection::Awaits => machine.awaits = false,
            Objection::NetEffect => machine.net_effect = false,
            Objection::PrivateReads => machine.private_reads = false,
            Objection::DelayedExits => machine.delayed_exits = false,
            Objection::Rounds => machine.rounds = Some(1),
            Objection::CountedRounds => (machine.rounds, machine.counts_all_rounds) = (Some(1), true),
        }
        machine
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RaceMode {
    /// Collect distinct pairs of places and go on.
    Report,
    Ignore,
    /// A race ends the execution.
    Stop,
}

/// The `nth` input that thread `thread` asked for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputValue {
    pub thread: u32,
    pub nth: u32,
    pub value: u64,
    /// What the program calls it; empty where it does not say.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its width; 0 where that is not known.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub bits: u8,
    /// The function that it was asked of, which tells its type; empty for a byte of an [`InputSource`].
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub function: String,
}

/// Bytes from outside that are inputs without the program's asking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum InputSource {
    /// The `nth` argument, from 1 on, which stands empty in [`Test::arguments`]: so many bytes, and a zero.
    Argument { nth: u32, len: u32 },
    /// All of standard input.
    Stdin { len: u32 },
    /// A file of this name, as seen from the working directory.
    File { name: String, len: u32 },
    /// A variable of the environment: so many bytes, and a zero.
    Variable { name: String, len: u32 },
}

impl InputSource {
    pub fn len(&self) -> u32 {
        match self {
            InputSource::Argument { len, .. }
            | InputSource::Stdin { len }
            | InputSource::File { len, .. }
            | InputSource::Variable { len, .. } => *len,
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// What people call it; its inputs are this, and their number in brackets.
impl fmt::Display for InputSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            InputSource::Argument { nth, .. } => write!(f, "argument {nth}"),
            InputSource::Stdin { .. } => f.write_str("stdin"),
            InputSource::File { name, .. } => write!(f, "file {name}"),
            InputSource::Variable { name, .. } => write!(f, "${name}"),
        }
    }
}

fn is_zero(bits: &u8) -> bool {
    *bits == 0
}

/// A thread's stable name: the `nth` that thread `creator` created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ThreadOrigin {
    pub creator: u32,
    pub nth: u32,
}

#[derive(Debug, thiserror::Error)]
pub enum TestError {
    #[error("cannot read {path}: {source}", path = path.display())]
    Read { path: PathBuf, source: std::io::Error },
    #[error("cannot write {path}: {source}", path = path.display())]
    Write { path: PathBuf, source: std::io::Error },
    #[error("{path} is not a gordian test: {source}", path = path.display())]
    Format { path: PathBuf, source: serde_json::Error },
    #[error("{path} has format version {found}, and this gordian reads up to {FORMAT_VERSION}; use a newer gordian", path = path.display())]
    Version { path: PathBuf, found: u64 },
}

impl Test {
    pub fn read(path: &Path) -> Result<Test, TestError> {
        // Who reads from a pipe may wait for ever.
        let is_file = std::fs::metadata(path).map(|metadata| metadata.is_file());
        let not_a_file = || std::io::Error::new(std::io::ErrorKind::InvalidInput, "it is no regular file");
        let text = is_file.and_then(|is_file| if is_file { std::fs::read_to_string(path) } else { Err(not_a_file()) });
        let text = text.map_err(|source| TestError::Read { path: path.into(), source })?;
        let format = |source| TestError::Format { path: path.into(), source };
        let value: serde_json::Value = serde_json::from_str(&text).map_err(format)?;
        if let Some(found) = value.get("gordian").and_then(serde_json::Value::as_u64)
            && found > u64::from(FORMAT_VERSION)
        {
            return Err(TestError::Version { path: path.into(), found });
        }
        serde_json::from_value(value).map_err(format)
    }

    /// Writes to a temporary name first, so that a file of that name is always whole.
    pub fn write(&self, path: &Path) -> Result<(), TestError> {
        let error = |source| TestError::Write { path: path.into(), source };
        let mut text = serde_json::to_string_pretty(self).map_err(|source| error(source.into()))?;
        text.push('\n');
        let mut unfinished = path.as_os_str().to_owned();
        unfinished.push(".part");
        let written = std::fs::write(&unfinished, text).and_then(|()| std::fs::rename(&unfinished, path));
        if written.is_err() {
            // What stands there is of no use to anybody.
            let _ = std::fs::remove_file(&unfinished);
        }
        written.map_err(error)
    }
}

mod as_text {
    use super::{Schedule, ScheduleError};
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(schedule: &Schedule, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(schedule)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(|error: ScheduleError| D::Error::custom(error))
    }
}
