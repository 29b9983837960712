//! The verification functions that programs of the software verification competition use.

use super::{Call, Model};
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::End;
use gordian_base::{Id, Rng};
use gordian_trace::{InputValue, OpKind};

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "reach_error" | "__VERIFIER_error" => {
            Model::plain(|call| Err(Fault::Assertion(format!("`{}` was called", call.name()))))
        }
        "__VERIFIER_assert" => Model::plain(|call| match call.int(0) {
            0 => Err(Fault::Assertion("`__VERIFIER_assert` of something false".to_owned())),
            _ => Ok(Flow::Next),
        }),
        "__VERIFIER_assume" | "assume_abort_if_not" => Model::plain(|call| {
            if call.int(0) != 0 {
                return Ok(Flow::Next);
            }
            call.machine.finish(End::Dropped);
            Ok(Flow::Stop)
        }),
        "__VERIFIER_atomic_begin" => Model::visible(
            |call| {
                if call.machine.threads[call.thread.index()].core.atomic == 0 && call.machine.many() {
                    call.machine.enter_atomic(call.thread);
                }
                call.machine.threads[call.thread.index()].core.atomic += 1;
                Ok(Flow::Next)
            },
            |call| Ok(call.machine.many().then(|| call.wants(OpKind::AtomicBegin, 0, 0))),
        ),
        "__VERIFIER_atomic_end" => Model::plain(|call| {
            if call.machine.threads[call.thread.index()].core.atomic == 0 {
                return Err(Fault::LockMisuse("`__VERIFIER_atomic_end` without `__VERIFIER_atomic_begin`".to_owned()));
            }
            call.machine.leave_atomic(call.thread);
            Ok(Flow::Next)
        }),
        _ => return nondet(name.strip_prefix("__VERIFIER_nondet_")?),
    })
}

/// By the name of the type: its width in bits.
fn nondet(ty: &str) -> Option<Model> {
    Some(match ty {
        "bool" | "_Bool" => Model::plain(|call| input(call, 1)),
        "char" | "schar" | "uchar" | "u8" => Model::plain(|call| input(call, 8)),
        "short" | "ushort" | "u16" => Model::plain(|call| input(call, 16)),
        "int" | "uint" | "u32" | "unsigned" | "unsigned_int" => Model::plain(|call| input(call, 32)),
        "long" | "ulong" | "longlong" | "ulonglong" | "size_t" | "u64" | "loff_t" => {
            Model::plain(|call| input(call, 64))
        }
        "pointer" => Model::plain(|call| call.result(0)),
        "float" => Model::plain(|call| {
            let value = draw(call) as u32 as i32 as f32 / 65536.0;
            call.result(u64::from(value.to_bits()))
        }),
        "double" => Model::plain(|call| {
            let value = f64::from(draw(call) as u32 as i32) / 65536.0;
            call.result(value.to_bits())
        }),
        _ => return None,
    })
}

fn input(call: &mut Call<'_, '_>, bits: u8) -> Result<Flow, Fault> {
    let value = draw(call) & crate::arith::mask(bits);
    call.result(value)
}

/// The thread's next input: named by thread and count, so that the interleaving does not matter.
fn draw(call: &mut Call<'_, '_>) -> u64 {
    let machine = &mut *call.machine;
    let core = &mut machine.threads[call.thread.index()].core;
    let nth = core.n_inputs;
    core.n_inputs += 1;
    let thread = call.thread.0;
    let value = machine
        .fixed_inputs
        .get(&(thread, nth))
        .copied()
        .unwrap_or_else(|| Rng::stream(machine.settings.seed, u64::from(thread) << 32 | u64::from(nth)).next_u64());
    machine.inputs.push(InputValue { thread, nth, value });
    value
}
