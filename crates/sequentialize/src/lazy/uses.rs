//! Locks, conditions and semaphores in memory that is freed.
//!
//! They are no accesses, so T takes nothing with them; but T' does not come to one in memory that another thread has freed, and T comes before the end of the memory.

use super::locks::Given;
use super::state::{Copy, Phase};
use super::value::Value;
use super::walk::{Walk, constant};
use crate::emit::pure::Registers;

/// T' uses a lock, a condition or a semaphore in an event.
#[derive(Clone, Debug)]
pub struct SyncUse {
    event: u32,
    thread: u32,
    at: Given,
}

impl Walk<'_> {
    /// An event of T' that has happened.
    pub fn happens_now(&mut self, event: u32) {
        let flag = self.variable(format!("uh_{event}"), "unsigned char");
        self.say(&format!("{flag} = 1;"));
    }

    /// A lock, a condition or a semaphore is used, by T' in this event.
    pub fn use_sync(&mut self, at: &Given, event: u32) {
        match (self.copy, self.state.phase) {
            (Copy::U, Phase::RunU) => {
                self.u_syncs.push(SyncUse { event, thread: self.thread, at: at.clone() });
            }
            (Copy::T, Phase::RunT | Phase::After) => self.use_before_ends(at),
            _ => {}
        }
    }

    fn use_before_ends(&mut self, at: &Given) {
        let ends: Vec<(usize, u32)> = (self.u_writes.iter())
            .flat_map(|(&object, writes)| writes.iter().map(move |write| (object, write)))
            .filter(|(_, write)| write.frees)
            .map(|(object, write)| (object, write.event))
            .collect();
        for (object, event) in ends {
            let Some(is_there) = self.is_within(at, object) else { continue };
            let time = self.time(event);
            self.say(&format!("gs_suppose(!(uw_{event} & {is_there} & ({time} <= gs_pos)));"));
        }
    }

    /// Events of T' that use something in an object, by a thread other than this, each with its condition.
    pub fn syncs_within(&self, object: usize, but: Option<u32>) -> Vec<(u32, String)> {
        let uses = self.u_syncs.iter().filter(|used| Some(used.thread) != but);
        uses.filter_map(|used| {
            let is_there = self.is_within(&used.at, object)?;
            Some((used.event, format!("uh_{} & {is_there}", used.event)))
        })
        .collect()
    }

    /// The condition that something is in an object; none if it cannot be.
    fn is_within(&self, (text, value): &Given, object: usize) -> Option<String> {
        let is_there = match value {
            Value::OneOf(values) => values.iter().any(|&value| self.objects.at(value) == Some(object)),
            Value::Within(objects, _) => objects.contains(&object),
            Value::Any => true,
        };
        let start = self.objects.list[object].start;
        match (is_there, value.known()) {
            (false, _) => None,
            (true, Some(_)) => Some("1".to_owned()),
            (true, None) => Some(format!("({text} >> 30 == {})", constant(start >> 30))),
        }
    }
}
