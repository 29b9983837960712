//! `malloc` and its family, and the copies that are also instructions.

use super::{Call, Model};
use crate::access::Access;
use crate::fault::Fault;
use crate::interp::Flow;
use crate::machine::Machine;
use crate::memory::{Kind, Mode, NULL_PAGE, Object};
use gordian_base::ThreadId;
use gordian_ir::address;
use gordian_trace::{OpKind, Wants};

const EINVAL: i32 = 22;
const ENOMEM: i32 = 12;

pub fn lookup(name: &str) -> Option<Model> {
    Some(match name {
        "malloc" | "valloc" => Model::plain(|call| {
            let size = call.arg(0);
            allocate(call, size)
        }),
        "calloc" => Model::plain(|call| match call.arg(0).checked_mul(call.arg(1)) {
            Some(size) => {
                let flow = allocate(call, size)?;
                let place = call.slot_value(call.site.dst);
                if place != 0 {
                    call.machine.memory.set_written(place, size, true);
                    call.machine.note_private_write(call.thread, Access::bulk(OpKind::Write, place, size));
                }
                Ok(flow)
            }
            None => call.error(ENOMEM, 0),
        }),
        "aligned_alloc" | "memalign" => Model::plain(|call| {
            let size = call.arg(1);
            allocate(call, size)
        }),
        "posix_memalign" => Model::touching(posix_memalign),
        "realloc" => Model::visible(realloc, wants_free),
        "reallocarray" => Model::visible(
            |call| match call.arg(1).checked_mul(call.arg(2)) {
                Some(size) => reallocate(call, size),
                None => call.error(ENOMEM, 0),
            },
            wants_free,
        ),
        "free" | "cfree" => Model::visible(free, wants_free),
        "__gordian_check_bounds" => Model::plain(check_bounds),
        "malloc_usable_size" => Model::touching(|call| {
            let place = call.arg(0);
            if place == 0 {
                return call.result(0);
            }
            let object = call.machine.memory.check(place, 0, false)?;
            if call.machine.accesses_are_visible() && object.is_shared() {
                let why = "`malloc_usable_size` of memory that another thread may free meanwhile";
                return Err(Fault::Unsupported(why.to_owned()));
            }
            call.result(object.size.into())
        }),
        "memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk" => Model::touching(|call| {
            let (dst, src, len) = (call.arg(0), call.arg(1), call.arg(2));
            copy(call, dst, src, len)?;
            call.result(dst)
        }),
        "memset" | "__memset_chk" => Model::touching(|call| {
            let (dst, value, len) = (call.arg(0), call.arg(1) as u8, call.arg(2));
            call.write(dst, &vec![value; checked_len(call, dst, len)?])?;
            call.result(dst)
        }),
        "explicit_bzero" => Model::touching(|call| {
            let (dst, len) = (call.arg(0), call.arg(1));
            call.write(dst, &vec![0; checked_len(call, dst, len)?])?;
            Ok(Flow::Next)
        }),
        _ => return None,
    })
}

fn copy(call: &mut Call<'_, '_>, dst: u64, src: u64, len: u64) -> Result<(), Fault> {
    let bytes = call.read_bytes(src, len)?;
    call.write_bytes(dst, &bytes)
}

fn checked_len(call: &Call<'_, '_>, dst: u64, len: u64) -> Result<usize, Fault> {
    if len > 0 {
        call.machine.memory.check(dst, len, true)?;
    }
    Ok(len as usize)
}

fn allocate(call: &mut Call<'_, '_>, size: u64) -> Result<Flow, Fault> {
    if size > address::MAX_OBJECT_SIZE {
        return refuse(call, size);
    }
    let place = call.machine.new_heap(call.thread, size, Kind::Heap)?;
    call.result(place)
}

/// Objects have a greatest size here that natively they do not: whoever reads the report should know that more was asked for.
fn refuse(call: &mut Call<'_, '_>, size: u64) -> Result<Flow, Fault> {
    note_refusal(call, size);
    call.error(ENOMEM, 0)
}

fn note_refusal(call: &mut Call<'_, '_>, size: u64) {
    let place = call.machine.place(call.thread, call.machine.user_point(call.thread), String::new());
    let (file, line, most) = (place.file, place.line, address::MAX_OBJECT_SIZE);
    call.machine.note(format!(
        "`{}` of {size} bytes at {file}:{line} was refused: objects have at most {most} bytes here",
        call.name()
    ));
}

/// Only sizes are looked at, which never change: whether the object was freed by now is seen by who reads it. What inputs decide is left to the reads, too.
fn check_bounds(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (start, len) = (call.arg(0), call.arg(1));
    let has_terms = call.site.args.iter().any(|&slot| call.machine.term(call.thread, slot).is_some());
    if len > 0
        && start >= NULL_PAGE
        && !has_terms
        && let Some(object) = call.machine.memory.object(start)
        && address::offset(start).checked_add(len).is_none_or(|end| end > u64::from(object.size))
    {
        return Err(Fault::OutOfBounds { address: start, size: len });
    }
    Ok(Flow::Next)
}

fn posix_memalign(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let (target, align, size) = (call.arg(0), call.arg(1), call.arg(2));
    if !align.is_power_of_two() || align < 8 {
        return call.result_int(EINVAL);
    }
    if size > address::MAX_OBJECT_SIZE {
        note_refusal(call, size);
        return call.result_int(ENOMEM);
    }
    let place = call.machine.new_heap(call.thread, size, Kind::Heap)?;
    call.write_word(target, 8, place)?;
    call.result_int(0)
}

/// Freeing is visible if others can reach the object, or could before it was freed.
fn wants_free(call: &mut Call<'_, '_>) -> Result<Option<Wants>, Fault> {
    let place = call.arg(0);
    let known = |object: &&Object| object.mode == Mode::Shared || object.mode == Mode::Freed && object.published != 0;
    let shared = call.machine.memory.object(place).filter(known).map(|object| object.size);
    Ok(shared.filter(|_| call.machine.accesses_are_visible()).map(|size| call.wants(OpKind::Free, place, size)))
}

fn free(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let place = call.arg(0);
    release(call, place)?;
    Ok(Flow::Next)
}

pub(super) fn release(call: &mut Call<'_, '_>, place: u64) -> Result<(), Fault> {
    free_object(call.machine, call.thread, place)
}

/// What `free` does.
pub fn free_object(machine: &mut Machine<'_>, thread: ThreadId, place: u64) -> Result<(), Fault> {
    if place == 0 {
        return Ok(());
    }
    let object = freeable(machine, place)?;
    if machine.is_visible(thread, place, object)? {
        machine.note_free(thread, place, u64::from(object.size));
    }
    let at = machine.user_point(thread);
    machine.end_life(thread, place, at);
    Ok(())
}

/// The object at `place`, if it may be freed.
fn freeable(machine: &Machine<'_>, place: u64) -> Result<Object, Fault> {
    let object = match machine.memory.object(place) {
        Some(object) if object.mode != Mode::Absent => *object,
        _ => return Err(Fault::BadFree { address: place, why: "it points to no object" }),
    };
    if object.kind != Kind::Heap {
        return Err(Fault::BadFree { address: place, why: "it was not allocated on the heap" });
    }
    if object.mode == Mode::Freed {
        return Err(Fault::DoubleFree { address: place });
    }
    if address::offset(place) != 0 {
        return Err(Fault::BadFree { address: place, why: "it points inside the object, not to its start" });
    }
    Ok(object)
}

fn realloc(call: &mut Call<'_, '_>) -> Result<Flow, Fault> {
    let size = call.arg(1);
    reallocate(call, size)
}

fn reallocate(call: &mut Call<'_, '_>, size: u64) -> Result<Flow, Fault> {
    let old = call.arg(0);
    if old == 0 {
        return allocate(call, size);
    }
    if size == 0 {
        release(call, old)?;
        return call.result(0);
    }
    if size > address::MAX_OBJECT_SIZE {
        return refuse(call, size);
    }
    let kept = u64::from(freeable(call.machine, old)?.size).min(size);
    let new = call.machine.new_heap(call.thread, size, Kind::Heap)?;
    call.machine.record_copied(call.thread, old, kept);
    call.machine.memory.copy(new, old, kept);
    call.machine.note_private_write(call.thread, Access::bulk(OpKind::Write, new, kept));
    release(call, old)?;
    call.result(new)
}
