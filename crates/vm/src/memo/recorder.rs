//! What is noted of a step while it is made, so that it can be remembered.
//!
//! Accesses to shared objects are nothing to see when nobody else is left, and nobody looks at them. What the last
//! thread does to the end depends on the words that it reads, so when an ending is learnt they are noted.

use super::orders::{Given, OrderStep};
use crate::access::Access;
use crate::machine::Machine;
use gordian_base::ThreadId;
use gordian_trace::words;
use std::cell::Cell;

/// Words that are told apart; with more, an ending depends on everything.
const MOST_WORDS: usize = 64;

#[derive(Debug, Default)]
pub struct StepRecorder {
    pub is_wanted: bool,
    /// The words that were read or written one by one, by address, with what stood there before the first time.
    pub(super) words: Vec<(u64, u64)>,
    /// Others were looked at as well.
    pub is_all: Cell<bool>,
    /// The step has read or written something that others write, besides its operation (see `invisible.rs`).
    pub is_spoiled: bool,
    /// What threads released and acquired.
    pub(super) orders: Vec<Given>,
}

impl Machine<'_> {
    /// Listens to the next step.
    pub(super) fn listen(&mut self) {
        self.back.recorder.is_wanted = true;
        self.back.recorder.words.clear();
        self.back.recorder.orders.clear();
        self.back.recorder.is_all.set(false);
        self.back.recorder.is_spoiled = false;
    }

    pub(super) fn stop_listening(&mut self) {
        self.back.recorder.is_wanted = false;
        if self.memory.listens {
            self.update_visibility();
        }
    }

    /// Notes whether a thread that is left alone in the next step looks at anything that others have touched.
    pub fn watch_ending(&mut self) {
        self.listen();
    }

    /// Whether the thread that was left alone in the last step may have looked at something that others have touched. Only
    /// after [`Machine::watch_ending`].
    pub fn has_looked_alone(&self) -> bool {
        self.back.recorder.is_all.get() || !self.back.recorder.words.is_empty()
    }

    /// Whether the running thread is alone, and what it looks at is noted.
    pub(crate) fn is_ending_heard(&self) -> bool {
        self.memory.listens || self.back.recorder.is_wanted && !self.has_other_threads()
    }

    /// A model of the function with this name is about to run. Joins and exits look at nothing but whether threads have ended; others may
    /// look at what is shared and is no memory.
    pub(crate) fn hear_call(&self, name: &str) {
        const BLIND: [&str; 4] = ["pthread_join", "thrd_join", "pthread_exit", "exit"];
        if self.is_ending_heard() && !BLIND.contains(&name) {
            self.back.recorder.is_all.set(true);
        }
    }

    /// An access to a shared object by a thread that is alone is about to be made.
    pub(crate) fn hear(&mut self, access: Access) {
        for (word, _) in words(access.address, access.size) {
            if !self.back.recorder.words.iter().any(|heard| heard.0 == word) {
                let value = self.memory.load(word, 8);
                self.back.recorder.words.push((word, value));
            }
        }
        if self.back.recorder.words.len() > MOST_WORDS {
            self.back.recorder.is_all.set(true);
            self.update_visibility();
        }
    }

    /// The thread is about to tell or learn something.
    #[inline]
    pub(crate) fn hear_order(&mut self, thread: ThreadId, order: OrderStep) {
        if self.back.recorder.is_wanted {
            self.back.recorder.orders.push(Given { thread, n_events: self.log.events.len(), order });
        }
    }
}
