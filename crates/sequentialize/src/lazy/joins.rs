//! Running all threads, and waiting for their ends.

use super::others::UEvent;
use super::state::{Copy, Phase, State};
use super::threads::{Given, zero};
use super::value::Value;
use super::walk::Walk;
use crate::Error;
use crate::emit::pure::Registers;
use gordian_ir::FuncId;

impl Walk<'_> {
    /// A thread of T' runs to its end, or to where it stops.
    pub fn run_u(&mut self, pc: usize, number: u32) -> Result<(), Error> {
        self.copy_memory(Copy::T);
        self.begin_other();
        let (function, argument) = self.start(pc, number)?;
        let before = self.state.clone();
        let label = self.label();
        (self.copy, self.thread, self.state.phase, self.u_end) = (Copy::U, number, Phase::RunU, Some(label));
        self.run_thread(function, argument, pc)?;
        self.state = before;
        (self.copy, self.thread) = (Copy::T, 0);
        self.place_label(label);
        self.u_end = None;
        self.end_other(number);
        Ok(())
    }

    /// The code of a thread. Whether it can end, with its state then.
    pub fn run_thread(&mut self, function: FuncId, argument: (String, Value), pc: usize) -> Result<bool, Error> {
        let label = self.label();
        let outer = std::mem::replace(&mut self.thread_end, (label, None));
        let registers = self.state.registers.clone();
        let results = self.run(function, &[argument], pc)?;
        if let Some(results) = &results {
            self.keep_result(results.first().unwrap_or(&("0".to_owned(), Value::constant(0))));
            self.end_thread(pc)?;
        }
        self.place_label(label);
        let (_, end) = std::mem::replace(&mut self.thread_end, outer);
        let ends = end.is_some();
        if let Some(end) = end {
            self.state = State { registers, ..end };
            if self.copy == Copy::U {
                let ended = self.ended(self.thread);
                self.say(&format!("{ended} = 1;"));
            }
        }
        Ok(ends)
    }

    /// The variable that says whether a thread of T' has come to its end.
    pub fn ended(&mut self, number: u32) -> String {
        self.variable(format!("gs_ended_{number}"), "unsigned char")
    }

    /// All threads exist, and main waits for one of them or ends. False if T never ends.
    pub fn run_all(&mut self, pc: usize) -> Result<bool, Error> {
        let role = &self.options.role;
        let t = role.number;
        for other in (1..=role.n_created).filter(|&other| other != t) {
            self.run_u(pc, other)?;
        }
        self.close_others(pc)?;
        let (function, argument) = self.start(pc, t)?;
        (self.thread, self.state.phase) = (t, Phase::RunT);
        let ends = self.run_thread(function, argument, pc)?;
        (self.thread, self.state.phase, self.state.has_run) = (0, Phase::Forked, true);
        Ok(ends)
    }

    /// T, or main that continues it, waits for a thread of T'.
    fn join_u(&mut self, number: u32) {
        let ended = self.ended(number);
        if self.has_several() {
            let last = format!("gs_last_{number}");
            self.say(&format!("gs_suppose({ended} & ({last} != GS_NEVER)); gs_was = gs_pos;"));
            self.say(&format!("if (gs_pos < {last}) gs_pos = {last};"));
        } else {
            self.say(&format!("gs_suppose({ended} & (gs_cap == gs_n_events)); gs_was = gs_pos; gs_pos = gs_n_events;"));
        }
        self.say("gs_suppose(!gs_atomic | (gs_pos == gs_was));");
        // Whoever waits for it a second time fails.
        for (UEvent { event, .. }, _) in self.u_joins.clone().into_iter().filter(|(_, joined)| *joined == number) {
            self.say(&format!("gs_suppose((!uh_{event}) | (ut_{event} == GS_NEVER));"));
        }
        self.check_position();
    }

    pub fn join(&mut self, pc: usize, handle: &Value, result: (String, Value)) -> Result<Given, Error> {
        let Some(handle) = handle.known() else {
            return Err(self.unsupported(pc, "which thread is joined is not known".to_owned()));
        };
        let (number, n_created) = (handle as usize, self.options.role.n_created);
        if self.thread != 0 && (handle == 0 || n_created == 1) {
            let what = "a thread waits for main or before all threads are created".to_owned();
            return Err(self.unsupported(pc, what));
        }
        // Whether another thread has waited for it before T' does shows nowhere.
        let is_known = handle > 0 && handle <= self.state.created.len() as u64 && number as u32 != self.thread;
        if !is_known || (!self.is_u() && self.state.joined[number]) {
            self.fail(pc, "GS_MISUSE");
            return Ok(None);
        }
        let takes_result = result.1 != Value::constant(0);
        let goes_on = match self.thread {
            0 => self.join_by_main(pc, number as u32)?,
            _ => self.join_by_thread(pc, number as u32, takes_result)?,
        };
        if !goes_on {
            return Ok(None);
        }
        if takes_result {
            let name = self.variable(format!("gs_result_{number}"), "uint64_t");
            self.store(pc, 8, result, (name, Value::Any))?;
        }
        Ok(zero())
    }

    fn join_by_thread(&mut self, pc: usize, number: u32, takes_result: bool) -> Result<bool, Error> {
        if !self.is_u() {
            self.state.joined[number as usize] = true;
            self.note_event(self.n_steps);
            self.join_u(number);
            return Ok(true);
        }
        // What runs later in this program has no result yet.
        if takes_result && (number == self.options.role.number || number > self.thread) {
            let what = "a thread takes the result of another one that it waits for, which is supported in T only";
            return Err(self.unsupported(pc, what.to_owned()));
        }
        let event = self.next_event();
        self.happens_now(event);
        self.u_joins.push((UEvent { event, thread: self.thread, is_woken: false }, number));
        Ok(true)
    }

    /// main waits for a thread. Once it has waited for T, it continues it. Whether it goes on.
    fn join_by_main(&mut self, pc: usize, number: u32) -> Result<bool, Error> {
        self.state.joined[number as usize] = true;
        let (n_created, t) = (self.options.role.n_created, self.options.role.number);
        match (n_created, t) {
            (1, 0) => self.join_u(1),
            (1, _) => {
                // main is T', which goes no further here.
                let stop = self.stop();
                self.say(&stop);
                return Ok(false);
            }
            _ => {
                if (self.state.created.len() as u32) < n_created {
                    let nth = if n_created > 2 { "last" } else { "second" };
                    let what = format!("main waits for a thread before it creates the {nth} one");
                    return Err(self.unsupported(pc, what));
                }
                if !self.state.has_run && !self.run_all(pc)? {
                    return Ok(false);
                }
                if number == t {
                    self.state.phase = Phase::After;
                    self.note_event(self.n_steps);
                    for other in (1..=n_created).filter(|&other| other != t) {
                        if self.state.joined[other as usize] {
                            self.join_u(other);
                        }
                    }
                } else if self.state.phase == Phase::After {
                    self.join_u(number);
                }
            }
        }
        Ok(true)
    }
}
