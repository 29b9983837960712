//! Functions of the library that are no events: what destroys locks, and what prints.

use super::state::Phase;
use super::walk::Walk;
use crate::Error;
use crate::emit::pure::Registers;
use crate::externals::{External, all_arguments, known, printed_text};
use gordian_base::Id;
use gordian_ir::{CallSite, Liveness};

impl Walk<'_> {
    /// Only where no other thread is left: it is no event. What is used afterwards may be what was destroyed.
    pub fn destroy(&mut self, pc: usize) -> Result<(), Error> {
        let is_alone = self.thread == 0 && (1..=self.state.created.len()).all(|number| self.state.joined[number]);
        if self.state.phase != Phase::Init && !is_alone {
            let what = "a lock, a condition or a semaphore is destroyed while threads run".to_owned();
            return Err(self.unsupported(pc, what));
        }
        self.has_destroyed = true;
        Ok(())
    }

    /// Refuses what may be destroyed.
    pub fn check_destroyed(&self, pc: usize) -> Result<(), Error> {
        match self.has_destroyed {
            true => {
                Err(self
                    .unsupported(pc, "a lock, a condition or a semaphore is used after one was destroyed".to_owned()))
            }
            false => Ok(()),
        }
    }

    /// What is printed is constant, so that reading it is no event, and the result, which is not computed, is not used.
    pub fn check_printed(&self, pc: usize, call: &CallSite, name: &str) -> Result<(), Error> {
        if known(name) != Some(External::Print) {
            return Ok(());
        }
        if call.n_returns > 0 && Liveness::of(self.function()).live(pc + 1).any(|register| register == call.dst.index())
        {
            return Err(self.unsupported(pc, format!("the program uses the result of `{name}`")));
        }
        let values: Vec<Option<u64>> = all_arguments(call).iter().map(|&slot| self.known(slot).known()).collect();
        match printed_text(self.program, name, &values) {
            Ok(texts) if texts.is_empty() => Ok(()),
            Ok(_) => Err(self.unsupported(pc, "the program prints text that is no constant".to_owned())),
            Err(what) => Err(self.unsupported(pc, what)),
        }
    }
}
