//! Conditions and semaphores.
//!
//! 1. *Conditions*: T sleeps from the position at which it releases its mutex up to the first signal of T' behind it, and goes on at that
//!    position. T' that sleeps goes on with a signal of T alone: no step of T passes the event with which T' is woken, and a signal of T at
//!    the position at which T' sleeps moves the position behind it.
//! 2. *Semaphores*: none counts below zero at any position that a step of T passes. What T' has added to it is kept with each event of T'.
//!
//! With several other threads, whoever is woken is so at the time of the signal. A signal wakes one of those who sleep then, if somebody does,
//! and a broadcast all of them. Whether a signal of T' wakes T is guessed, and only the step with which T wakes passes it then.

use super::locks::Given;
use super::others::UEvent;
use super::state::{Copy, Phase};
use super::value::Value;
use super::walk::{Walk, constant};
use crate::Error;
use crate::emit::pure::Registers;

/// As large as the program's own.
const CONDITION_SIZE: u64 = 48;
const SEMAPHORE_SIZE: u64 = 32;

/// What T' does with a condition or a semaphore: its address, and the event. `uh` says whether it has happened.
#[derive(Clone, Copy, Debug)]
struct Waiting {
    at: u64,
    event: u32,
    thread: u32,
}

#[derive(Clone, Copy, Debug)]
struct Signal {
    is: Waiting,
    to_all: bool,
}

/// T' sleeps since the event `since`, in which it releases its mutex.
#[derive(Clone, Copy, Debug)]
struct Woken {
    is: Waiting,
    since: u32,
}

/// T' waits for a semaphore or posts it; `ub` says how much T' has added to it by then.
#[derive(Clone, Copy, Debug)]
struct Count {
    is: Waiting,
    by: i32,
}

/// What a step of T passes although others must not.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum But {
    Nothing,
    /// The signal of T' at its new position, which wakes T.
    Woken,
    /// T wakes T' in this event.
    Wakes(u32),
    /// T wakes all who are woken at its new position.
    WakesNow,
}

/// Events of T' that have to do with waiting.
#[derive(Default)]
pub struct Waits {
    signals: Vec<Signal>,
    woken: Vec<Woken>,
    counts: Vec<Count>,
}

impl Walk<'_> {
    /// Which condition or semaphore it is.
    fn waited_for(&mut self, pc: usize, pointer: Given, size: u64) -> Result<u64, Error> {
        self.access(pc, pointer.clone(), size, false, |_, _, _, _| Ok(()))?;
        let what = "which condition or semaphore a thread uses is not known";
        pointer.1.known().ok_or_else(|| self.unsupported(pc, what.to_owned()))
    }

    /// An event of T' that has happened.
    fn happened(&mut self, at: u64) -> Waiting {
        let event = self.next_event();
        self.has_happened(at, event)
    }

    fn has_happened(&mut self, at: u64, event: u32) -> Waiting {
        self.happens_now(event);
        Waiting { at, event, thread: self.thread }
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
                self.use_sync(&known(at), 0);
                self.wake_t(at);
            }
            Copy::U => {
                let since = self.n_events;
                self.use_sync(&known(at), since);
                let event = self.next_woken();
                let is = self.has_happened(at, event);
                self.waits.woken.push(Woken { is, since });
            }
        }
        self.acquire(pc, mutex, false, true)?;
        Ok(())
    }

    /// T goes on with the first signal of T' from here on.
    fn wake_t(&mut self, at: u64) {
        let signals: Vec<Signal> = self.waits.signals.iter().filter(|signal| signal.is.at == at).copied().collect();
        if signals.is_empty() {
            let stop = self.stop();
            self.say(&stop);
            return;
        }
        let slept = self.temporary("gs_pos");
        self.step_but(But::Woken);
        let woken: Vec<String> = signals
            .iter()
            .map(|Signal { is: Waiting { event, .. }, to_all }| {
                let wakes_t = if self.has_several() && !to_all { format!("uk_{event}") } else { format!("uh_{event}") };
                format!("({wakes_t} & (gs_pos == {}))", self.time(*event))
            })
            .collect();
        self.say(&format!("gs_suppose(({slept} < gs_pos) & ({}));", woken.join(" | ")));
        for Signal { is: Waiting { event, .. }, to_all } in signals {
            let time = self.time(event);
            // One that wakes somebody else goes by.
            let goes_by = if self.has_several() && !to_all { format!(" | ur_{event}") } else { String::new() };
            self.say(&format!("gs_suppose((!(uh_{event} & ({slept} < {time}) & ({time} < gs_pos))){goes_by});"));
        }
    }

    pub fn signal(&mut self, pc: usize, condition: Given, to_all: bool) -> Result<(), Error> {
        let at = self.waited_for(pc, condition, CONDITION_SIZE)?;
        self.changes += 1;
        if !self.locks_are_events(pc)? {
            return Ok(());
        }
        if self.copy == Copy::U {
            let is = self.happened(at);
            self.use_sync(&known(at), is.event);
            if self.has_several() && !to_all {
                let wakes_t = self.variable(format!("uk_{}", is.event), "unsigned char");
                self.say(&format!("{wakes_t} = (unsigned char)(gs_any_u16() & 1);"));
            }
            self.waits.signals.push(Signal { is, to_all });
            return Ok(());
        }
        let sleepers: Vec<Woken> = self.waits.woken.iter().filter(|woken| woken.is.at == at).copied().collect();
        if sleepers.is_empty() {
            self.use_sync(&known(at), 0);
            return Ok(());
        }
        self.step();
        self.use_sync(&known(at), 0);
        if self.has_several() {
            self.wake_some(&sleepers, to_all);
            return Ok(());
        }
        for Woken { is: Waiting { event, .. }, .. } in sleepers {
            self.say(&format!("if (uh_{event} & (gs_pos == {})) {{", event - 1));
            self.say(&format!("gs_suppose(gs_cap >= {event}); gs_was = gs_pos; gs_pos = {event};"));
            self.check_position_but(But::Wakes(event));
            self.say("}");
        }
        Ok(())
    }

    /// T wakes one of those who sleep, or all. Nothing comes between the signal and their waking.
    fn wake_some(&mut self, sleepers: &[Woken], to_all: bool) {
        let asleep: Vec<String> = sleepers
            .iter()
            .map(|Woken { is: Waiting { event, .. }, since }| {
                format!("(uh_{event} & (ut_{since} <= gs_pos) & (gs_pos < ut_{event}))")
            })
            .collect();
        let n_asleep = self.temporary(&sum(&asleep));
        self.say(&format!("if ({n_asleep}) {{"));
        let time = self.temporary("gs_time_of_t()");
        let woken: Vec<String> = sleepers
            .iter()
            .zip(&asleep)
            .map(|(Woken { is: Waiting { event, .. }, .. }, asleep)| format!("({asleep} & (ut_{event} == {time}))"))
            .collect();
        let n_woken = if to_all { n_asleep.as_str() } else { "1" };
        self.say(&format!("gs_suppose((uint64_t){} == {n_woken});", sum(&woken)));
        for UEvent { event, .. } in self.u_events.clone() {
            self.say(&format!("gs_suppose(!((gs_pos < ut_{event}) & (ut_{event} < {time})));"));
        }
        self.say(&format!("gs_was = gs_pos; gs_pos = (unsigned short){time};"));
        self.check_position_but(But::WakesNow);
        self.say("}");
    }

    /// All of T' has run: whom its signals wake, and what it has added to semaphores.
    pub fn close_waits(&mut self) {
        for Signal { is: Waiting { at, event, thread }, to_all } in self.waits.signals.clone() {
            let sleepers: Vec<Woken> = self
                .waits
                .woken
                .iter()
                .filter(|woken| woken.is.at == at && woken.is.thread != thread)
                .copied()
                .collect();
            let woken: Vec<String> = sleepers
                .iter()
                .map(|Woken { is: Waiting { event: w, .. }, .. }| format!("(uh_{w} & (ut_{w} == ut_{event}))"))
                .collect();
            let asleep: Vec<String> = sleepers
                .iter()
                .map(|Woken { is: Waiting { event: w, .. }, since }| {
                    format!("(uh_{w} & (ut_{since} < ut_{event}) & (ut_{event} <= ut_{w}))")
                })
                .collect();
            let (n_woken, n_asleep) = (sum(&woken), sum(&asleep));
            let holds = if to_all {
                format!("({n_woken} == {n_asleep})")
            } else {
                let goes_by = self.variable(format!("ur_{event}"), "unsigned char");
                self.say(&format!("{goes_by} = {n_woken} != 0;"));
                format!("({n_woken} + uk_{event} == (({n_asleep} + uk_{event}) != 0))")
            };
            self.say(&format!("gs_suppose((!uh_{event}) | (ut_{event} == GS_NEVER) | {holds});"));
        }
        for Woken { is: Waiting { at, event, thread }, .. } in self.waits.woken.clone() {
            let by: Vec<String> = (self.waits.signals.iter())
                .filter(|signal| signal.is.at == at && signal.is.thread != thread)
                .map(|signal| format!(" | (uh_{s} & (ut_{s} == ut_{event}))", s = signal.is.event))
                .collect();
            self.say(&format!(
                "gs_suppose((!uh_{event}) | (ut_{event} == GS_NEVER) | gs_is_by_t(ut_{event}){});",
                by.concat()
            ));
        }
        for Count { is: Waiting { at, event, .. }, .. } in self.waits.counts.clone() {
            let theirs = self.counted_by(at, &self.time(event));
            self.say(&format!("ub_{event} = {theirs};"));
        }
    }

    /// What T' has added to a semaphore up to some time.
    fn counted_by(&self, at: u64, time: &str) -> String {
        let counts = self.waits.counts.iter().filter(|count| count.is.at == at);
        let terms: Vec<String> = counts
            .map(|Count { is: Waiting { event, .. }, by }| {
                let is_earlier = match self.time(*event) {
                    own if own == time => String::new(),
                    other => format!(" & ({other} <= {time})"),
                };
                format!("(uh_{event}{is_earlier} ? {by} : 0)")
            })
            .collect();
        sum(&terms)
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
                let is = self.happened(at);
                self.use_sync(&known(at), is.event);
                let sum = self.variable(format!("sb_{at:x}"), "int");
                let kept = self.variable(format!("ub_{}", is.event), "int");
                self.say(&format!("{kept} = ({sum} += {by});"));
                self.waits.counts.push(Count { is, by });
            }
            _ if !is_event => {
                let stop = self.stop();
                self.say(&format!("{mine} += {by}; if ({mine} < 0) {{ {stop} }}"));
            }
            _ => {
                self.step();
                self.use_sync(&known(at), 0);
                let theirs = self.counted_by(at, "gs_pos");
                self.say(&format!("{mine} += {by}; gs_suppose({mine} + {theirs} >= 0);"));
            }
        }
        Ok(())
    }

    /// What no step of T passes: T' that sleeps, unless T wakes it now, signals that wake T, unless they do it now, and semaphores below zero.
    pub fn check_waits(&mut self, but: But) {
        for Woken { is: Waiting { event, .. }, .. } in self.waits.woken.clone() {
            let passes = self.passes(event);
            match (self.has_several(), but) {
                (false, But::Wakes(woken)) if woken == event => {}
                (false, _) => self.say(&format!("gs_suppose(!{passes});")),
                (true, But::WakesNow) => {
                    self.say(&format!("gs_suppose(!({passes} & gs_is_by_t(ut_{event}) & (ut_{event} != gs_pos)));"))
                }
                (true, _) => self.say(&format!("gs_suppose(!({passes} & gs_is_by_t(ut_{event})));")),
            }
        }
        for Signal { is: Waiting { event, .. }, to_all } in self.waits.signals.clone() {
            if self.has_several() && !to_all {
                let passes = self.passes(event);
                let unless = if but == But::Woken { format!(" & (ut_{event} != gs_pos)") } else { String::new() };
                self.say(&format!("gs_suppose(!({passes} & uk_{event}{unless}));"));
            }
        }
        for Count { is: Waiting { at, event, .. }, .. } in self.waits.counts.clone() {
            let passes = self.passes(event);
            self.say(&format!("gs_suppose(!{passes} | (sv_{at:x} + ub_{event} >= 0));"));
        }
    }

    /// The condition that T has just passed an event of T'.
    fn passes(&self, event: u32) -> String {
        let time = self.time(event);
        format!("(uh_{event} & (gs_was < {time}) & ({time} <= gs_pos))")
    }
}

fn sum(terms: &[String]) -> String {
    if terms.is_empty() { "0".to_owned() } else { format!("({})", terms.join(" + ")) }
}

/// An address that is known.
fn known(at: u64) -> Given {
    (constant(at), Value::constant(at))
}
