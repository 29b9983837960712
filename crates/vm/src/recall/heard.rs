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
pub struct Heard {
    pub is_wanted: bool,
    /// The words that were read or written one by one, by address, with what stood there before the first time.
    pub(super) words: Vec<(u64, u64)>,
    /// Others were looked at as well.
    pub is_all: Cell<bool>,
    /// What threads told and learnt.
    pub(super) orders: Vec<Given>,
}

impl Machine<'_> {
    /// Listens to the next step.
    pub(super) fn listen(&mut self) {
        self.heard.is_wanted = true;
        self.heard.words.clear();
        self.heard.orders.clear();
        self.heard.is_all.set(false);
    }

    pub(super) fn stop_listening(&mut self) {
        self.heard.is_wanted = false;
        if self.memory.listens {
            self.update_quiet();
        }
    }

    /// Notes whether a thread that is left alone in the next step looks at anything that others have touched.
    pub fn watch_ending(&mut self) {
        self.listen();
    }

    /// Whether the thread that was left alone in the last step may have looked at something that others have touched. Only
    /// after [`Machine::watch_ending`].
    pub fn has_looked_alone(&self) -> bool {
        self.heard.is_all.get() || !self.heard.words.is_empty()
    }

    /// Whether the running thread is alone, and what it looks at is noted.
    pub(crate) fn is_ending_heard(&self) -> bool {
        self.memory.listens || self.heard.is_wanted && !self.has_company()
    }

    /// A model of the function with this name is about to run. Joins and exits look at nothing but whether threads have ended; others may
    /// look at what is shared and is no memory.
    pub(crate) fn hear_call(&self, name: &str) {
        const BLIND: [&str; 4] = ["pthread_join", "thrd_join", "pthread_exit", "exit"];
        if self.is_ending_heard() && !BLIND.contains(&name) {
            self.heard.is_all.set(true);
        }
    }

    /// An access to a shared object by a thread that is alone is about to be made.
    pub(crate) fn hear(&mut self, access: Access) {
        for (word, _) in words(access.address, access.size) {
            if !self.heard.words.iter().any(|heard| heard.0 == word) {
                let value = self.memory.load(word, 8);
                self.heard.words.push((word, value));
            }
        }
        if self.heard.words.len() > MOST_WORDS {
            self.heard.is_all.set(true);
            self.update_quiet();
        }
    }

    /// The thread is about to tell or learn something.
    #[inline]
    pub(crate) fn hear_order(&mut self, thread: ThreadId, order: OrderStep) {
        if self.heard.is_wanted {
            self.heard.orders.push(Given { thread, n_events: self.events.len(), order });
        }
    }
}
