//! Conditions and semaphores.
//!
//! 1. *Conditions*: T sleeps from the position at which it releases its mutex up to the first signal of T' behind it, and goes on at that
//!    position. T' that sleeps goes on with a signal of T alone: no step of T passes the event with which T' is woken, and a signal of T at
//!    the position at which T' sleeps moves the position behind it.
//! 2. *Semaphores*: none counts below zero at any position that a step of T passes. What T' has added to it is kept with each event of T'.

use super::locks::Given;
use super::state::{Copy, Phase};
use super::walk::Walk;
use crate::Error;
use crate::emit::pure::Registers;

/// As large as the program's own.
const CONDITION_SIZE: u64 = 48;
const SEMAPHORE_SIZE: u64 = 32;

/// What T' does with a condition or a semaphore: its address, and the event. `uh` says whether it has happened.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    at: u64,
    event: u32,
}

/// Events of T' that have to do with waiting.
#[derive(Default)]
pub struct Waits {
    signals: Vec<Waiting>,
    /// T' is woken.
    woken: Vec<Waiting>,
    /// T' waits for or posts a semaphore; `ub` says how much it has added to it by then.
    counts: Vec<Waiting>,
}

impl Walk<'_> {
    /// Which condition or semaphore it is.
    fn waited_for(&mut self, pc: usize, pointer: Given, size: u64) -> Result<u64, Error> {
        self.access(pc, pointer.clone(), size, false, |_, _, _, _| Ok(()))?;
        let what = "which condition or semaphore a thread uses is not known";
        pointer.1.known().ok_or_else(|| self.unsupported(pc, what.to_owned()))
    }

    /// An event of T' that has happened.
    fn happened(&mut self) -> u32 {
        let event = self.next_event();
        self.variable(format!("uh_{event}"), "unsigned char");
        self.say(&format!("uh_{event} = 1;"));
        event
    }

    pub fn wait_for(&mut self, pc: usize, condition: Given, mutex: Given) -> Result<(), Error> {
        let at = self.waited_for(pc, condition, CONDITION_SIZE)?;
        if !self.locks_are_events(pc)? {
            let stop = self.stop();
            self.say(&stop);
            return Ok(());
        }
        if self.mutex_type(pc, &mutex)? != 0 {
            let what = "a thread waits for a condition with a mutex of another than the default type".to_owned();
            return Err(self.unsupported(pc, what));
        }
        let steps = self.n_steps;
        self.release(pc, mutex.clone(), true)?;
        match self.copy {
            Copy::T => {
                // Where T' has nothing to do with the mutex, releasing it was no step.
                if self.n_steps == steps {
                    self.step();
                }
                self.wake_t(at);
            }
            Copy::U => {
                let event = self.happened();
                self.waits.woken.push(Waiting { at, event });
            }
        }
        self.acquire(pc, mutex, false, true)?;
        Ok(())
    }

    /// T goes on with the first signal of T' from here on.
    fn wake_t(&mut self, at: u64) {
        let signals: Vec<u32> =
            self.waits.signals.iter().filter(|signal| signal.at == at).map(|signal| signal.event).collect();
        if signals.is_empty() {
            let stop = self.stop();
            self.say(&stop);
            return;
        }
        let slept = self.temporary("gs_pos");
        self.step();
        let woken: Vec<String> = signals.iter().map(|q| format!("(uh_{q} & (gs_pos == {q}))")).collect();
        self.say(&format!("gs_suppose(({slept} < gs_pos) & ({}));", woken.join(" | ")));
        for q in signals {
            self.say(&format!("gs_suppose(!(uh_{q} & ({slept} < {q}) & ({q} < gs_pos)));"));
        }
    }

    pub fn signal(&mut self, pc: usize, condition: Given) -> Result<(), Error> {
        let at = self.waited_for(pc, condition, CONDITION_SIZE)?;
        self.changes += 1;
        if !self.locks_are_events(pc)? {
            return Ok(());
        }
        if self.copy == Copy::U {
            let event = self.happened();
            self.waits.signals.push(Waiting { at, event });
            return Ok(());
        }
        let sleepers: Vec<u32> =
            self.waits.woken.iter().filter(|woken| woken.at == at).map(|woken| woken.event).collect();
        if sleepers.is_empty() {
            return Ok(());
        }
        self.step();
        for event in sleepers {
            self.say(&format!("if (uh_{event} & (gs_pos == {})) {{", event - 1));
            self.say(&format!("gs_suppose(gs_cap >= {event}); gs_was = gs_pos; gs_pos = {event};"));
            self.check_position_but(Some(event));
            self.say("}");
        }
        Ok(())
    }

    pub fn semaphore(&mut self, pc: usize, semaphore: Given, value: &str) -> Result<(), Error> {
        let at = self.waited_for(pc, semaphore, SEMAPHORE_SIZE)?;
        if self.state.phase != Phase::Init {
            return Err(self.unsupported(pc, "a semaphore is initialised while threads run".to_owned()));
        }
        let mine = self.variable(format!("sv_{at:x}"), "int");
        self.say(&format!("{mine} = (int)({value});"));
        Ok(())
    }

    /// T or T' adds to a semaphore, or takes from it.
    pub fn count(&mut self, pc: usize, semaphore: Given, by: i32) -> Result<(), Error> {
        let at = self.waited_for(pc, semaphore, SEMAPHORE_SIZE)?;
        let is_event = self.locks_are_events(pc)?;
        self.changes += u64::from(self.copy == Copy::T || by > 0);
        let mine = self.variable(format!("sv_{at:x}"), "int");
        match self.copy {
            Copy::U if is_event => {
                let event = self.happened();
                let sum = self.variable(format!("sb_{at:x}"), "int");
                let kept = self.variable(format!("ub_{event}"), "int");
                self.say(&format!("{kept} = ({sum} += {by});"));
                self.waits.counts.push(Waiting { at, event });
            }
            _ if !is_event => {
                let stop = self.stop();
                self.say(&format!("{mine} += {by}; if ({mine} < 0) {{ {stop} }}"));
            }
            _ => {
                self.step();
                let theirs = self.temporary("0");
                for Waiting { event, .. } in
                    self.waits.counts.iter().copied().filter(|count| count.at == at).collect::<Vec<_>>()
                {
                    self.say(&format!(
                        "if (uh_{event} & ({event} <= gs_pos)) {theirs} = (uint64_t)(int64_t)ub_{event};"
                    ));
                }
                self.say(&format!("{mine} += {by}; gs_suppose({mine} + (int64_t){theirs} >= 0);"));
            }
        }
        Ok(())
    }

    /// What no step of T passes: T' that sleeps, unless T wakes it now, and semaphores below zero.
    pub fn check_waits(&mut self, wakes: Option<u32>) {
        for Waiting { event, .. } in self.waits.woken.clone() {
            if wakes != Some(event) {
                self.say(&format!("gs_suppose(!(uh_{event} & (gs_was < {event}) & ({event} <= gs_pos)));"));
            }
        }
        for Waiting { at, event } in self.waits.counts.clone() {
            self.say(&format!(
                "gs_suppose(!(uh_{event} & (gs_was < {event}) & ({event} <= gs_pos)) | (sv_{at:x} + ub_{event} >= 0));"
            ));
        }
    }
}
