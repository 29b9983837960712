//! Attributes of mutexes, read-write locks, condition variables, barriers and threads.
//!
//! They live in the bytes that the program declared for them, and the table says where: whoever sets one reads and writes its word as glibc does, so that
//! attributes which another thread frees or sets at the same time are noticed. Only few of them mean something here.

use super::{EINVAL, ENOTSUP};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::models::{Call, Model};
use std::ops::RangeInclusive;

/// In the word of a mutex's attributes.
const MUTEX_KIND: u64 = 3;
const MUTEX_ROBUST: u64 = 16;
/// What a mutex takes over of them.
const MUTEX_FLAGS: u64 = MUTEX_KIND | MUTEX_ROBUST;
const RWLOCK_ATTRIBUTES: u64 = 8;
const DETACH_STATE: u64 = 0;
const POLICY: u64 = 4;
const SCOPE: u64 = 12;
/// The size of the stack, 0 for the usual one.
const STACK_SIZE: u64 = 16;
const PRIORITY: u64 = 32;
const THREAD_ATTRIBUTES: u64 = 56;
const DEFAULT_STACK: u64 = 8 << 20;
/// PTHREAD_STACK_MIN
const LEAST_STACK: u64 = 16384;

/// Where an attribute stands: the word and its size, and which bits of it.
struct Field {
    word: u64,
    size: u8,
    shift: u32,
    mask: u64,
    allowed: RangeInclusive<u64>,
}

const fn field(word: u64, shift: u32, mask: u64, allowed: RangeInclusive<u64>) -> Field {
    Field { word, size: 4, shift, mask, allowed }
}

/// What the function sets to its second argument.
fn set_by(name: &str) -> Option<Field> {
    Some(match name {
        "pthread_mutexattr_settype" | "pthread_mutexattr_setkind_np" => field(0, 0, MUTEX_KIND, 0..=MUTEX_KIND),
        "pthread_mutexattr_setrobust" | "pthread_mutexattr_setrobust_np" => field(0, 4, 1, 0..=1),
        "pthread_mutexattr_setpshared" => field(0, 8, 1, 0..=1),
        "pthread_mutexattr_setprotocol" => field(0, 12, 3, 0..=2),
        "pthread_mutexattr_setprioceiling" => field(0, 16, 0xff, 1..=99),
        "pthread_rwlockattr_setkind_np" => field(0, 0, u32::MAX as u64, 0..=2),
        "pthread_rwlockattr_setpshared" => field(4, 0, u32::MAX as u64, 0..=1),
        "pthread_condattr_setpshared" => field(0, 0, 1, 0..=1),
        // CLOCK_REALTIME and CLOCK_MONOTONIC, which go alike.
        "pthread_condattr_setclock" => field(0, 1, 1, 0..=1),
        "pthread_barrierattr_setpshared" => field(0, 0, u32::MAX as u64, 0..=1),
        "pthread_attr_setdetachstate" => field(DETACH_STATE, 0, u32::MAX as u64, 0..=1),
        "pthread_attr_setschedpolicy" => field(POLICY, 0, u32::MAX as u64, 0..=2),
        "pthread_attr_setinheritsched" => field(8, 0, u32::MAX as u64, 0..=1),
        "pthread_attr_setscope" => field(SCOPE, 0, u32::MAX as u64, 0..=0),
        "pthread_attr_setstacksize" => {
            Field { word: STACK_SIZE, size: 8, shift: 0, mask: u64::MAX, allowed: LEAST_STACK..=u64::MAX }
        }
        "pthread_attr_setguardsize" => Field { word: 24, size: 8, shift: 0, mask: u64::MAX, allowed: 0..=u64::MAX },
        _ => return None,
    })
}

/// The bytes of the attributes that the function makes, or makes unusable: here they become those of new ones.
fn made_by(name: &str) -> Option<u64> {
    Some(match name {
        "pthread_mutexattr_init" | "pthread_mutexattr_destroy" => 4,
        "pthread_condattr_init" | "pthread_condattr_destroy" => 4,
        "pthread_barrierattr_init" | "pthread_barrierattr_destroy" => 4,
        "pthread_rwlockattr_init" | "pthread_rwlockattr_destroy" => RWLOCK_ATTRIBUTES,
        "pthread_attr_init" | "pthread_attr_destroy" => THREAD_ATTRIBUTES,
        _ => return None,
    })
}

pub fn lookup(name: &str) -> Option<Model> {
    if set_by(name).is_some() {
        return Some(Model::touching(set));
    }
    if made_by(name).is_some() {
        return Some(Model::touching(make));
    }
    Some(match name {
        "pthread_mutexattr_gettype" => Model::touching(|call| {
            let (attributes, kind) = (call.arg(0), call.arg(1));
            let value = call.read_word(attributes, 4)? & MUTEX_KIND;
            call.write_word(kind, 4, value)?;
            call.result_int(0)
        }),
        "pthread_attr_getdetachstate" => Model::touching(|call| {
            let (attributes, target) = (call.arg(0), call.arg(1));
            let state = call.read_word(attributes + DETACH_STATE, 4)?;
            call.write_word(target, 4, state)?;
            call.result_int(0)
        }),
        "pthread_attr_getstacksize" => Model::touching(|call| {
            let (attributes, target) = (call.arg(0), call.arg(1));
            let size = match call.read_word(attributes + STACK_SIZE, 8)? {
                0 => DEFAULT_STACK,
                size => size,
            };
            call.write_word(target, 8, size)?;
            call.result_int(0)
        }),
        "pthread_attr_setschedparam" => Model::touching(set_priority),
        _ => return None,
    })
}

fn make(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let attributes = call.arg(0);
    let size = made_by(call.name()).expect("it was looked up by this name");
    call.write(attributes, &vec![0; size as usize])?;
    call.result_int(0)
}

fn set(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let attributes = call.arg(0);
    let Field { word, size, shift, mask, allowed } = set_by(call.name()).expect("it was looked up by this name");
    let value = if size == 4 { u64::from(call.arg(1) as u32) } else { call.arg(1) };
    if !allowed.contains(&value) {
        // PTHREAD_SCOPE_PROCESS is no mistake, only nothing that Linux has.
        return call.result_int(if word == SCOPE && value == 1 { ENOTSUP } else { EINVAL });
    }
    let others = call.read_word(attributes + word, size)? & !(mask << shift);
    call.write_word(attributes + word, size, others | value << shift)?;
    call.result_int(0)
}

/// A priority that the policy does not have is refused.
fn set_priority(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (attributes, parameters) = (call.arg(0), call.arg(1));
    let priority = call.read_word(parameters, 4)?;
    let allowed = if call.read_word(attributes + POLICY, 4)? == 0 { 0..=0 } else { 1..=99 };
    if !allowed.contains(&priority) {
        return call.result_int(EINVAL);
    }
    call.write_word(attributes + PRIORITY, 4, priority)?;
    call.result_int(0)
}

impl Call<'_, '_> {
    /// What a mutex with these attributes is; a plain one without any.
    pub(super) fn mutex_flags(&mut self, attributes: u64) -> Result<u32, Fault> {
        let word = if attributes == 0 { 0 } else { self.read_word(attributes, 4)? };
        Ok((word & MUTEX_FLAGS) as u32)
    }

    /// Whom a read-write lock with these attributes prefers.
    pub(super) fn rwlock_kind(&mut self, attributes: u64) -> Result<u32, Fault> {
        let word = if attributes == 0 { 0 } else { self.read_word(attributes, RWLOCK_ATTRIBUTES as u8)? };
        Ok(word as u32)
    }

    /// Looks at the attributes of a condition variable or a barrier, which mean nothing here.
    pub(super) fn look_at_attributes(&mut self, attributes: u64) -> Result<(), Fault> {
        if attributes != 0 {
            self.read_word(attributes, 4)?;
        }
        Ok(())
    }

    /// Whether a thread with these attributes is detached from the beginning.
    pub(super) fn is_detached_by(&mut self, attributes: u64) -> Result<bool, Fault> {
        Ok(attributes != 0 && self.read_word(attributes + DETACH_STATE, 4)? != 0)
    }
}
