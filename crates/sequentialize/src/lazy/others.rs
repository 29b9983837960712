//! More than two threads: T' is all threads but T, and their events have times.
//!
//! With one other thread the number of an event says where it is in the order. With several, each event has a *time* that is guessed: it grows within
//! a thread, no two threads have the same (its lowest bits say whose it is), and an event that does not happen has the time `GS_NEVER`, as have all that come after it. T's position is a time, too.
//! So the rules for T are the same, with times in the place of numbers, and more rules are about the others alone:
//!
//! 1. *A read* of one of them from its own write: nobody else writes there between both.
//! 2. *A use* of what another one has freed does not happen; locks, conditions and semaphores are used, too (`uses`).
//! 3. *Locks*: of two blocks one ends before the other begins, unless both read.
//! 4. *Atomic sections*: no event of another one has a time within.
//! 5. *Joins*: the last event of the thread that is waited for comes before. A second join does not happen.
//! 6. *Conditions and semaphores*: see `waits`.

use super::access::{Offset, Overlap, UAccess, happens, overlap, shifted};
use super::state::{Copy, Phase};
use super::walk::Walk;
use crate::Error;
use crate::emit::pure::Registers;

/// Times end with the number of the thread in so many bits; 0 is T.
pub const THREAD_BITS: u32 = 3;

/// The largest number of events of all others: times have 16 bits, and the largest is for what does not happen.
const MOST_EVENTS: u32 = (1 << (16 - THREAD_BITS)) - 2;

/// An event of one of the other threads.
#[derive(Clone, Copy, Debug)]
pub struct UEvent {
    pub event: u32,
    pub thread: u32,
    /// It is woken by a signal, and has the time of that.
    pub is_woken: bool,
}

impl Walk<'_> {
    /// Whether there is more than one other thread.
    pub fn has_several(&self) -> bool {
        self.options.role.n_created > 2
    }

    /// Where an event of T' is in the order.
    pub fn time(&self, event: u32) -> String {
        if self.has_several() { format!("ut_{event}") } else { event.to_string() }
    }

    /// The number of the current thread among all but T.
    fn nth_other(&self) -> u32 {
        self.thread - u32::from(self.thread > self.options.role.number)
    }

    pub fn next_event(&mut self) -> u32 {
        let nth = self.nth_other_if_several();
        self.new_event(false, &format!("gs_time({nth})"))
    }

    /// T' is woken.
    pub fn next_woken(&mut self) -> u32 {
        self.new_event(true, "gs_time_of_another()")
    }

    fn nth_other_if_several(&self) -> u32 {
        if self.has_several() { self.nth_other() } else { 0 }
    }

    fn new_event(&mut self, is_woken: bool, time: &str) -> u32 {
        self.n_events += 1;
        let event = self.n_events;
        self.u_events.push(UEvent { event, thread: self.thread, is_woken });
        if self.has_several() {
            let name = self.variable(format!("ut_{event}"), "unsigned short");
            self.say(&format!("{name} = {time};"));
        }
        event
    }

    /// T does something after which T' must not come to an event, if the condition holds and that is still to come.
    pub fn stop_u_before(&mut self, event: u32, condition: &str) {
        match self.has_several() {
            true => {
                self.say(&format!("gs_suppose(!({condition} & (gs_pos < ut_{event}) & (ut_{event} != GS_NEVER)));"))
            }
            false => self
                .say(&format!("if ({condition} & (gs_pos < {event}) & (gs_cap >= {event})) gs_cap = {};", event - 1)),
        }
    }

    /// A thread of T' is about to run, with what main has left.
    pub fn begin_other(&mut self) {
        let freed: Vec<usize> = self.freed[0].union(&self.freed[1]).copied().collect();
        for object in freed {
            let is = if self.freed[0].contains(&object) { format!("f0_{object}") } else { "0".to_owned() };
            let name = self.variable(format!("f1_{object}"), "unsigned char");
            self.say(&format!("{name} = {is};"));
            self.freed[1].insert(object);
        }
        if !self.has_several() {
            return;
        }
        self.say("gs_last = 0; gs_u_depth = 0; gs_u_atomic = 0;");
        for object in self.info.sources.iter().copied().filter(|&object| object < self.info.at_fork).collect::<Vec<_>>()
        {
            self.say(&format!("gs_clear(lu_{object});"));
        }
    }

    /// A thread of T' has come to its end, or has stopped.
    pub fn end_other(&mut self, number: u32) {
        if self.has_several() {
            let last = self.variable(format!("gs_last_{number}"), "unsigned short");
            self.say(&format!("{last} = gs_last;"));
        }
    }

    /// All of T' has run: rules that are not about T.
    pub fn close_others(&mut self, pc: usize) -> Result<(), Error> {
        if !self.has_several() {
            self.say(&format!("gs_cap = gs_n_events = {};", self.n_events));
            return Ok(());
        }
        if self.n_events > MOST_EVENTS {
            return Err(self.unsupported(pc, format!("the other threads make more than {MOST_EVENTS} events")));
        }
        self.say("gs_cap = GS_TIMES - 1;");
        self.keep_reads_of_others();
        self.keep_frees_of_others();
        self.keep_locks_of_others();
        self.keep_sections_of_others();
        self.keep_joins_of_others();
        self.close_waits();
        Ok(())
    }

    fn keep_reads_of_others(&mut self) {
        for (object, reads) in self.u_reads.clone() {
            let granule = self.granule(object);
            let writes: Vec<UAccess> =
                self.u_writes.get(&object).into_iter().flatten().filter(|write| !write.frees).cloned().collect();
            for read in &reads {
                let (flag, event) = (read.flag, read.event);
                for write in writes.iter().filter(|write| write.thread != read.thread) {
                    let by = write.event;
                    for nth in 0..read.size / granule {
                        let Some(writes) = happens(write, &shifted(&read.offset, nth * granule), granule) else {
                            continue;
                        };
                        self.say(&format!(
                            "gs_suppose(!({flag}_{event} & {writes} & (us_{event}_{nth} < ut_{by}) & (ut_{by} < ut_{event}) & (ut_{event} != GS_NEVER)));"
                        ));
                    }
                }
            }
        }
    }

    fn keep_frees_of_others(&mut self) {
        for (object, writes) in self.u_writes.clone() {
            let uses: Vec<UAccess> = self.u_reads.get(&object).into_iter().flatten().chain(&writes).cloned().collect();
            for end in writes.iter().filter(|write| write.frees) {
                for used in uses.iter().filter(|used| used.thread != end.thread) {
                    let (ends, flag, event) = (end.event, used.flag, used.event);
                    self.say(&format!(
                        "gs_suppose(!(uw_{ends} & {flag}_{event} & (ut_{ends} < ut_{event}) & (ut_{event} != GS_NEVER)));"
                    ));
                }
                let ends = end.event;
                for (event, happens) in self.syncs_within(object, Some(end.thread)) {
                    self.say(&format!(
                        "gs_suppose(!(uw_{ends} & {happens} & (ut_{ends} < ut_{event}) & (ut_{event} != GS_NEVER)));"
                    ));
                }
            }
        }
    }

    fn keep_locks_of_others(&mut self) {
        let all = self.acquisitions[Copy::U as usize].clone();
        for (nth, mine) in all.iter().enumerate() {
            for other in all[..nth].iter().filter(|other| other.thread != mine.thread) {
                let Some(same) = other.meets(mine) else { continue };
                let ((a, m), (b, n)) = ((mine.event, mine.number), (other.event, other.number));
                self.say(&format!(
                    "gs_suppose((!(uh_{a} & uh_{b} & {same} & (ut_{a} != GS_NEVER) & (ut_{b} != GS_NEVER))) | (uu_{m} < ut_{b}) | (uu_{n} < ut_{a}));"
                ));
            }
        }
    }

    fn keep_sections_of_others(&mut self) {
        for UEvent { event: section, thread, .. } in self.u_sections.clone() {
            for other in self.u_events.clone().iter().filter(|other| other.thread != thread && !other.is_woken) {
                let event = other.event;
                self.say(&format!(
                    "gs_suppose(!(uh_{section} & (ut_{section} < ut_{event}) & (ut_{event} < ue_{section})));"
                ));
            }
        }
    }

    fn keep_joins_of_others(&mut self) {
        for (UEvent { event, .. }, number) in self.u_joins.clone() {
            if number == self.options.role.number {
                continue;
            }
            let ended = self.variable(format!("gs_ended_{number}"), "unsigned char");
            self.say(&format!(
                "gs_suppose((!uh_{event}) | (ut_{event} == GS_NEVER) | ({ended} & (gs_last_{number} < ut_{event})));"
            ));
        }
        // Whoever waits for the same thread a second time fails.
        let joins = self.u_joins.clone();
        for (nth, (UEvent { event: a, .. }, number)) in joins.iter().enumerate() {
            for (UEvent { event: b, .. }, other) in &joins[..nth] {
                if number == other {
                    self.say(&format!("gs_suppose(!(uh_{a} & uh_{b} & (ut_{a} != GS_NEVER) & (ut_{b} != GS_NEVER)));"));
                }
            }
        }
    }

    /// T' waits for T: it goes on once T has ended.
    pub fn check_joins(&mut self) {
        if self.state.phase != Phase::RunT {
            return;
        }
        let number = self.options.role.number;
        for (UEvent { event, .. }, _) in self.u_joins.clone().into_iter().filter(|(_, joined)| *joined == number) {
            let time = self.time(event);
            self.say(&format!("gs_suppose(!(uh_{event} & ({time} <= gs_pos)));"));
        }
    }

    pub fn shares_with_main(&self, pc: usize) -> Error {
        let what = match self.has_several() {
            true => "main uses what the threads share while they run",
            false => "main uses what the threads share while both of them run, which makes three threads",
        };
        self.unsupported(pc, what.to_owned())
    }

    /// main reads while threads run. It is no event if none of them writes that; otherwise it is refused.
    pub fn main_reads(&mut self, pc: usize, object: usize, offset: &Offset, size: u64) -> Result<(), Error> {
        if !self.plan.shared.contains(&self.point(pc)) {
            return Ok(());
        }
        let of_u = self.u_writes.get(&object).into_iter().flatten().map(|write| (&write.offset, write.size));
        let of_t = self.t_writes.get(&object).into_iter().flatten().map(|(offset, size)| (offset, *size));
        if of_u.chain(of_t).any(|(at, of)| !matches!(overlap(at, of, offset, size), Overlap::Never)) {
            return Err(self.shares_with_main(pc));
        }
        self.kept.entry(object).or_default().push((offset.clone(), size));
        Ok(())
    }

    /// A thread writes: main must not have read that before.
    pub fn keep_main(&mut self, pc: usize, object: usize, offset: &Offset, size: u64) -> Result<(), Error> {
        if self.state.phase == Phase::After {
            return Ok(());
        }
        let mut kept = self.kept.get(&object).into_iter().flatten();
        if kept.any(|(at, of)| !matches!(overlap(at, *of, offset, size), Overlap::Never)) {
            return Err(self.shares_with_main(pc));
        }
        if self.copy == Copy::T {
            self.t_writes.entry(object).or_default().push((offset.clone(), size));
        }
        Ok(())
    }
}
