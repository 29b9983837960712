//! One round of a waiting loop, tried on a copy of the thread: would it leave the loop, or come back in the same state?

use super::{JUMPS_OF_A_ROUND, MOST_FRAMES, MOST_REGISTERS, NAPS};
use crate::arith;
use crate::interp::{self, Leave};
use crate::local_state::Loops;
use crate::machine::Machine;
use crate::memory::Mode;
use crate::sync::{EBUSY, THRD_BUSY};
use crate::thread::Thread;
use gordian_base::{Id, ThreadId};
use gordian_ir::{Callee, Inst, Slot, address};

/// What a round came to that begins with a look.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Round {
    /// The thread stands where it stood, and nothing has changed.
    Again,
    /// It has left the loop, or done something.
    Leaves,
}

impl Machine<'_> {
    /// Tries the round that begins where the thread stands, with this value in place of what is looked at.
    pub(crate) fn round(&mut self, thread: ThreadId, inst: Inst, value: u64) -> Round {
        let me = &self.threads[thread.index()];
        if me.registers.len() > MOST_REGISTERS || me.frames.len() > MOST_FRAMES {
            return Round::Leaves;
        }
        let mut trial = self.waiting.awaits.trial.take().unwrap_or_else(|| Box::new(Thread::copy_of(me)));
        trial.copy_from(me);
        let was_on = std::mem::replace(&mut self.memory.journal.on, true);
        let (n_changes, changes) = (self.memory.journal.log.len(), self.memory.changes);
        let mut scopes = Vec::new();
        let round = if self.look(&mut trial, inst, value) {
            self.go_round(thread, &mut trial, &mut scopes)
        } else {
            Round::Leaves
        };
        let is_same =
            round == Round::Again && self.is_same_state(thread, &trial) && self.has_no_net_effect(n_changes, &scopes);
        while self.memory.journal.log.len() > n_changes {
            let undo = self.memory.journal.log.pop().expect("the log is longer");
            self.undo(undo);
        }
        self.memory.changes = changes;
        self.memory.journal.on = was_on;
        self.waiting.awaits.trial = Some(trial);
        if is_same { Round::Again } else { Round::Leaves }
    }

    /// Makes the access on the copy; no if it writes another value.
    fn look(&self, trial: &mut Thread, inst: Inst, value: u64) -> bool {
        let base = trial.top().base as usize;
        let mask = |size: u8| u64::MAX >> (64 - 8 * u32::from(size));
        let get = |trial: &Thread, slot: Slot| trial.registers[base + slot.index()];
        match inst {
            Inst::Load { dst, .. } | Inst::AtomicLoad { dst, .. } => trial.registers[base + dst.index()] = value,
            Inst::AtomicRmw { op, size, dst, src, .. } => {
                let operand = u128::from(get(trial, src) & mask(size));
                if arith::rmw(op, 8 * size, u128::from(value), operand) != u128::from(value) {
                    return false;
                }
                trial.registers[base + dst.index()] = value;
            }
            Inst::CmpXchg { size, dst, expected_new, .. } => {
                if get(trial, expected_new) & mask(size) == value {
                    return false;
                }
                trial.registers[base + dst.index()] = value;
                trial.registers[base + dst.index() + 1] = 0;
            }
            // A try-lock that fails.
            Inst::Call { site } => {
                let program = self.program;
                let site = &program.functions[trial.top().function].calls[site as usize];
                let Callee::External(external) = site.callee else { return false };
                let is_c11 = program.externals[external].name == "mtx_trylock";
                if site.n_returns > 0 {
                    let busy = if is_c11 { THRD_BUSY } else { EBUSY };
                    trial.registers[base + site.dst.index()] = u64::from(busy as u32);
                }
            }
            _ => return false,
        }
        trial.top_mut().pc += 1;
        true
    }

    /// Runs the copy up to its next visible operation.
    fn go_round(&mut self, thread: ThreadId, trial: &mut Thread, scopes: &mut Vec<u64>) -> Round {
        let (program, space) = (self.program, address::stack_space(thread));
        let mut fuel = JUMPS_OF_A_ROUND;
        loop {
            let Machine { memory, atomic_functions, .. } = self;
            let leave = interp::dispatch::<false, _>(program, atomic_functions, trial, memory, space, &mut fuel, ());
            let goes_on = match leave {
                Leave::Slow(inst) => {
                    if trial.frames == self.threads[thread.index()].frames {
                        return Round::Again;
                    }
                    self.go_past(thread, trial, inst, scopes)
                }
                Leave::Call(site) => {
                    if trial.frames == self.threads[thread.index()].frames {
                        return Round::Again;
                    }
                    self.pass_call(trial, site)
                }
                Leave::Return(_) | Leave::Fault(_) | Leave::Exhausted | Leave::Stepped | Leave::Parked => false,
            };
            if !goes_on {
                return Round::Leaves;
            }
            trial.top_mut().pc += 1;
        }
    }

    /// An instruction outside the dispatch loop: whether the round goes on behind it.
    fn go_past(&mut self, thread: ThreadId, trial: &mut Thread, inst: Inst, scopes: &mut Vec<u64>) -> bool {
        let base = trial.top().base as usize;
        let own = |machine: &Self, slot: Slot, size: u8, writes: bool| {
            let address = trial.registers[base + slot.index()];
            let object = machine.memory.check(address, u64::from(size), writes).ok()?;
            let is_mine = (address::space(address) ^ address::stack_space(thread)) <= 1;
            let is_private = object.mode == Mode::Private && is_mine || object.mode == Mode::Constant && !writes;
            (is_private && !machine.memory.has_terms(address, u64::from(size))).then_some(address)
        };
        match inst {
            Inst::Fence { .. } => true,
            Inst::Load { size, dst, address } => {
                let Some(address) = own(self, address, size, false) else { return false };
                trial.registers[base + dst.index()] = self.memory.load(address, size);
                true
            }
            Inst::Store { size, address, src } => {
                let Some(address) = own(self, address, size, true) else { return false };
                self.memory.store(address, size, trial.registers[base + src.index()]);
                true
            }
            Inst::ThreadLocal { global, dst } => {
                let place = self.thread_local_address(thread, global);
                trial.registers[base + dst.index()] = place;
                true
            }
            Inst::LifetimeStart { address } => self.enter_scope(trial.registers[base + address.index()], scopes),
            Inst::LifetimeEnd { for_good: false, address } => {
                self.leave_scope(trial.registers[base + address.index()], scopes)
            }
            // A round that is not made is not counted.
            Inst::LoopBack { .. } => true,
            Inst::LoopEnter { counter } => {
                trial.registers[base + counter.index()] = 0;
                true
            }
            _ => false,
        }
    }

    fn enter_scope(&mut self, place: u64, scopes: &mut Vec<u64>) -> bool {
        match self.memory.object(place).map(|object| object.mode) {
            Some(Mode::OutOfScope) => {
                scopes.push(place);
                self.memory.set_mode(place, Mode::Private);
                true
            }
            Some(Mode::Private) => true,
            _ => false,
        }
    }

    /// A variable whose scope was entered in this round leaves it again; what was written to it is lost.
    fn leave_scope(&mut self, place: u64, scopes: &[u64]) -> bool {
        let is_private = self.memory.object(place).is_some_and(|object| object.mode == Mode::Private);
        if !is_private || !scopes.contains(&place) {
            return false;
        }
        self.memory.set_mode(place, Mode::OutOfScope);
        true
    }

    /// A call of an external function: whether the round goes on behind it.
    fn pass_call(&self, trial: &mut Thread, site: u32) -> bool {
        let top = *trial.top();
        let site = &self.program.functions[top.function].calls[site as usize];
        let Callee::External(external) = site.callee else { return false };
        if !self.waiting.awaits.quiet[external.index()] {
            return false;
        }
        let argument =
            |nth: usize| site.args.get(nth).map_or(0, |slot| trial.registers[top.base as usize + slot.index()]);
        if NAPS.contains(&self.program.externals[external].name.as_str()) {
            let request = argument(0);
            let is_readable = self.memory.check(request, 16, false).is_ok_and(|object| object.mode <= Mode::Private);
            if !is_readable || argument(1) != 0 {
                return false;
            }
            let [seconds, nanoseconds] = [0, 8].map(|offset| self.memory.load(request + offset, 8));
            if crate::models::duration_of(seconds, nanoseconds).is_none() {
                return false;
            }
        }
        if site.n_returns > 0 {
            trial.registers[top.base as usize + site.dst.index()] = 0;
        }
        true
    }

    /// Whether the copy stands where the thread does with the same in all registers that may still be read.
    fn is_same_state(&mut self, thread: ThreadId, trial: &Thread) -> bool {
        let me = &self.threads[thread.index()];
        let (loops, program) = (&mut self.waiting.loops, self.program);
        me.frames.iter().enumerate().all(|(index, frame)| {
            let of = loops[frame.function.index()].get_or_insert_with(|| Loops::of(&program.functions[frame.function]));
            let pc = (frame.pc as usize).saturating_sub(usize::from(index + 1 < me.frames.len()));
            let base = frame.base as usize;
            of.liveness().live(pc).all(|register| me.registers[base + register] == trial.registers[base + register])
        })
    }

    /// Whether memory is as it was when the journal had so many entries, but for variables that are out of scope again.
    fn has_no_net_effect(&self, n_changes: usize, scopes: &[u64]) -> bool {
        use crate::journal::Undo;
        let objects = || scopes.iter().filter_map(|&place| self.memory.object(place));
        let are_left = objects().all(|object| object.mode == Mode::OutOfScope);
        let is_lost = |at: u64| {
            objects().any(|object| (object.at() as u64..object.at() as u64 + u64::from(object.size)).contains(&at))
        };
        let log = &self.memory.journal.log[n_changes..];
        are_left
            && log.iter().enumerate().all(|(nth, undo)| match *undo {
                Undo::Word { at, old } => {
                    let is_first =
                        !log[..nth].iter().any(|other| matches!(*other, Undo::Word { at: known, .. } if known == at));
                    is_lost(at) || !is_first || self.memory.load_at(at as usize, 8) == old
                }
                Undo::Mode { address, .. } => scopes.contains(&address),
                _ => false,
            })
    }
}
