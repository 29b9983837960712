//! What an execution did, as the program could tell: how it ended, what failed, and what each thread did and saw in its order.
//!
//! Executions of one Mazurkiewicz trace have the same form, whatever relation between steps defines the traces, as long as that
//! relation is right. So a sound reduction executes every form, and forms are computed from events alone, without asking what
//! depends on what. They are compared in full; no hash stands for them.

use gordian_base::ThreadId;
use gordian_engine::End;
use gordian_trace::{CodePoint, Event, FindingKind, OpKind};
use std::collections::BTreeSet;

/// What a finding is known by: its kind and its places.
pub type Key = (FindingKind, Vec<(String, u32, u32)>);

/// What a thread did and saw: kind, place in the code, location and size, the value read or written or the result, and what was
/// there before.
pub type Seen = (u8, CodePoint, (u64, u32), u64, u64);

/// The form of an execution that came to an end of its own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Form {
    pub end: String,
    /// By number of the thread.
    pub threads: Vec<Vec<Seen>>,
    /// What only a machine tells that makes every step.
    pub rest: Option<Rest>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rest {
    /// What failed, data races aside: whether one shows depends on which accesses are still remembered.
    pub findings: BTreeSet<Key>,
    /// Of memory and of where threads stand.
    pub state: u64,
    /// In any order: which thread prints first is no behaviour that is searched for.
    pub printed: Vec<String>,
}

impl Form {
    /// None if the execution was given up or a failure cut it short: how far the others had come by then does not matter.
    pub fn of(end: Option<&End>, is_stuck: bool, events: &[Event], rest: Option<Rest>) -> Option<Form> {
        let end = match end? {
            End::Exit(status) => format!("exit {status}"),
            End::Failed if is_stuck => "stuck".to_owned(),
            End::Failed | End::Dropped | End::Bound(_) | End::Unsupported(_) => return None,
        };
        let n_threads = events.iter().map(|event| event.thread.0 + 1).max().unwrap_or(0);
        let of_thread =
            |thread: ThreadId| events.iter().filter(move |event| event.thread == thread).map(seen).collect();
        Some(Form { end, threads: (0..n_threads).map(ThreadId).map(of_thread).collect(), rest })
    }

    /// Whether all threads but the one that ended the process, which is main here, came to their ends.
    #[allow(dead_code, reason = "not all tests that share this file ask")]
    pub fn is_of_ended_threads(&self) -> bool {
        let created = self.threads.iter().flatten().filter(|seen| seen.0 == OpKind::Create as u8).count();
        let ended = self.threads.iter().skip(1).flatten().filter(|seen| seen.0 == OpKind::Exit as u8).count();
        created == ended
    }

    pub fn without_rest(&self) -> Form {
        Form { rest: None, ..self.clone() }
    }
}

/// Counts of semaphores and readers, who was woken and the like stand in events for the strategies' sake; the thread does not get to see
/// them. What an operation returned to it shows in what it does then and in its result.
fn seen(event: &Event) -> Seen {
    use OpKind::{Create, Exit, Join, Random, SemGet};
    let is_seen = event.kind.is_access() || matches!(event.kind, Create | Exit | Join | Random | SemGet);
    let (value, other) = if is_seen { (event.value, event.other) } else { (0, 0) };
    (event.kind as u8, event.at, (event.address, event.size), value, other)
}
