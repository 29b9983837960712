//! Thread-specific data.

use super::{EAGAIN, EINVAL, THRD_ERROR};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::models::{Call, Model};
use crate::setup::process;
use crate::thread::Ending;
use gordian_base::{Id, ThreadId};
use gordian_trace::{Hidden, OpKind, Wants};

/// Rounds that destructors get to clear what other destructors set, as in glibc.
const ROUNDS: u8 = 4;
/// In the table of destructors: the key was deleted, and had one.
const DELETED: u64 = u64::MAX;
/// The same for a key without a destructor.
const DELETED_PLAIN: u64 = u64::MAX - 1;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "pthread_key_create" | "tss_create" => Model::visible(create, |call| wants(call, Hidden::Keys)),
        "pthread_key_delete" | "tss_delete" => Model::visible(delete, |call| {
            let key = call.arg(0) as u32;
            wants(call, Hidden::Key(key))
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
        "pthread_setspecific" | "tss_set" => Model::visible(set, |call| {
            let what = Hidden::Key(call.arg(0) as u32).address();
            Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::Look, what, 0)))
        }),
        _ => return None,
    })
}

fn set(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (key, value) = (u64::from(call.arg(0) as u32), call.arg(1));
    if call.machine.accesses_are_visible() {
        call.machine.look_at_hidden(call.thread, Hidden::Key(key as u32));
    }
    if !call.machine.has_key(key) {
        let status = call.status(EINVAL, THRD_ERROR);
        return call.result_int(status);
    }
    let values = call.machine.specific_address(call.thread);
    call.machine.memory.store(values + 8 * key, 8, value);
    call.result_int(0)
}

fn wants(call: &mut Call<'_, '_>, what: Hidden) -> Result<Option<Wants>, Fault> {
    Ok(call.machine.accesses_are_visible().then(|| call.wants(OpKind::Change, what.address(), 0)))
}

fn delete(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let key = call.arg(0) as u32;
    if call.machine.accesses_are_visible() {
        call.machine.change_hidden(call.thread, Hidden::Key(key));
    }
    if !call.machine.has_key(u64::from(key)) {
        return call.result_int(EINVAL);
    }
    let destructor = process::KEY_DESTRUCTORS + 8 * u64::from(key);
    let mark = if call.machine.get_process(destructor) == 0 { DELETED_PLAIN } else { DELETED };
    call.machine.set_process(destructor, mark);
    call.result_int(0)
}

fn create(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, destructor) = (call.arg(0), call.arg(1));
    let key = call.machine.get_process(process::N_KEYS);
    if call.machine.accesses_are_visible() {
        call.machine.change_hidden(call.thread, Hidden::Keys);
        call.machine.change_hidden(call.thread, Hidden::Key(key as u32));
    }
    if key >= process::MAX_KEYS {
        if !(0..key).all(|key| call.machine.has_key(key)) {
            // glibc would use a deleted one again. A key that means something else later would have to be told apart from what it was.
            let why =
                format!("more than {} keys of thread-specific data, of which some were deleted", process::MAX_KEYS);
            return Err(Fault::Unsupported(why));
        }
        let status = call.status(EAGAIN, THRD_ERROR);
        return call.result_int(status);
    }
    call.machine.set_process(process::N_KEYS, key + 1);
    call.machine.set_process(process::KEY_DESTRUCTORS + 8 * key, destructor);
    call.write_word(target, 4, key)?;
    call.result_int(0)
}

impl Machine<'_> {
    fn has_key(&self, key: u64) -> bool {
        let is_deleted = || matches!(self.get_process(process::KEY_DESTRUCTORS + 8 * key), DELETED | DELETED_PLAIN);
        key < self.get_process(process::N_KEYS) && !is_deleted()
    }

    /// The keys for which the thread has a value and that have, or had, a destructor.
    fn keys_to_destroy(&self, thread: ThreadId) -> impl Iterator<Item = u32> {
        let values = self.specific_values(thread);
        let n_keys = if values.is_some() { self.get_process(process::N_KEYS) } else { 0 };
        let is_set = move |key: &u64| values.is_some_and(|values| self.memory.load(values + 8 * key, 8) != 0);
        let keys = (0..n_keys).filter(is_set);
        let has_destructor =
            |key: &u64| !matches!(self.get_process(process::KEY_DESTRUCTORS + 8 * key), 0 | DELETED_PLAIN);
        keys.filter(has_destructor).map(|key| key as u32)
    }

    /// Whether the end of the thread calls a destructor, unless another thread deletes its key before. Whether that has happened already must not
    /// matter: the answer decides where the thread stops, which nobody sees as a look at the key.
    pub(crate) fn may_run_destructors(&self, thread: ThreadId) -> bool {
        self.keys_to_destroy(thread).next().is_some()
    }

    /// The next destructor that the ending thread must run, with the value to give it.
    pub(crate) fn next_destructor(&mut self, thread: ThreadId) -> Option<(u64, u64)> {
        let values = self.specific_values(thread)?;
        let n_keys = self.get_process(process::N_KEYS);
        if self.accesses_are_visible() {
            let keys: Vec<u32> = self.keys_to_destroy(thread).collect();
            for key in keys {
                self.look_at_hidden(thread, Hidden::Key(key));
            }
        }
        let ending = self.threads[thread.index()].core.ending.expect("the thread is ending");
        let (mut round, mut key) = (ending.round(), ending.key());
        loop {
            while u64::from(key) < n_keys {
                let value = self.memory.load(values + 8 * u64::from(key), 8);
                let destructor = self.get_process(process::KEY_DESTRUCTORS + 8 * u64::from(key));
                key += 1;
                if value != 0 && !matches!(destructor, 0 | DELETED | DELETED_PLAIN) {
                    self.memory.store(values + 8 * u64::from(key - 1), 8, 0);
                    self.threads[thread.index()].core.ending = Some(Ending::new(round, key));
                    return Some((destructor, value));
                }
            }
            let left = (0..n_keys).any(|key| {
                let destructor = self.get_process(process::KEY_DESTRUCTORS + 8 * key);
                self.memory.load(values + 8 * key, 8) != 0 && !matches!(destructor, 0 | DELETED | DELETED_PLAIN)
            });
            round += 1;
            key = 0;
            if !left || round >= ROUNDS {
                return None;
            }
        }
    }
}
