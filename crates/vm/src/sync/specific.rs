//! Thread-specific data.

use super::{EAGAIN, EINVAL, THRD_ERROR};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::setup::process;
use gordian_base::{Id, ThreadId};

/// Rounds that destructors get to clear what other destructors set, as in glibc.
const ROUNDS: u8 = 4;
/// In the table of destructors: the key was deleted.
const DELETED: u64 = u64::MAX;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_key_create" | "tss_create" => Model::plain(create),
        "pthread_key_delete" | "tss_delete" => Model::plain(|call| {
            let key = call.arg(0) as u32;
            if u64::from(key) >= call.machine.get_process(process::N_KEYS) {
                return call.result_int(EINVAL);
            }
            call.machine.set_process(process::KEY_DESTRUCTORS + 8 * u64::from(key), DELETED);
            call.result_int(0)
        }),
        "pthread_getspecific" | "tss_get" => Model::plain(|call| {
            let key = u64::from(call.arg(0) as u32);
            if key >= process::MAX_KEYS {
                return call.result(0);
            }
            let values = call.machine.specific_address(call.thread);
            let value = call.machine.memory.load(values + 8 * key, 8);
            call.result(value)
        }),
        "pthread_setspecific" | "tss_set" => Model::plain(|call| {
            let (key, value) = (u64::from(call.arg(0) as u32), call.arg(1));
            if key >= call.machine.get_process(process::N_KEYS) {
                let status = call.status(EINVAL, THRD_ERROR);
                return call.result_int(status);
            }
            let values = call.machine.specific_address(call.thread);
            call.machine.memory.store(values + 8 * key, 8, value);
            call.result_int(0)
        }),
        _ => return None,
    })
}

fn create(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, destructor) = (call.arg(0), call.arg(1));
    let key = call.machine.get_process(process::N_KEYS);
    if key >= process::MAX_KEYS {
        let status = call.status(EAGAIN, THRD_ERROR);
        return call.result_int(status);
    }
    call.machine.set_process(process::N_KEYS, key + 1);
    call.machine.set_process(process::KEY_DESTRUCTORS + 8 * key, destructor);
    call.write_word(target, 4, key)?;
    call.result_int(0)
}

impl Machine<'_> {
    /// The next destructor that the ending thread must run, with the value to give it.
    pub(crate) fn next_destructor(&mut self, thread: ThreadId) -> Option<(u64, u64)> {
        let n_keys = self.get_process(process::N_KEYS);
        if n_keys == 0 {
            return None;
        }
        let values = self.specific_address(thread);
        let (mut round, mut key) = self.threads[thread.index()].core.ending.expect("the thread is ending");
        loop {
            while u64::from(key) < n_keys {
                let value = self.memory.load(values + 8 * u64::from(key), 8);
                let destructor = self.get_process(process::KEY_DESTRUCTORS + 8 * u64::from(key));
                key += 1;
                if value != 0 && destructor != 0 && destructor != DELETED {
                    self.memory.store(values + 8 * u64::from(key - 1), 8, 0);
                    self.threads[thread.index()].core.ending = Some((round, key));
                    return Some((destructor, value));
                }
            }
            let left = (0..n_keys).any(|key| {
                let destructor = self.get_process(process::KEY_DESTRUCTORS + 8 * key);
                self.memory.load(values + 8 * key, 8) != 0 && destructor != 0 && destructor != DELETED
            });
            round += 1;
            key = 0;
            if !left || round >= ROUNDS {
                return None;
            }
        }
    }
}
