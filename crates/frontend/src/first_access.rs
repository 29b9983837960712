//! Which locals may be read before they are set.
//!
//! Most are set right where their life starts. The others are looked after by the machine: it notes which of their bytes were
//! set until all are, so that a read through a pointer is seen that comes too early.

use crate::ffi::{DataLayout, Opcode, Type, TypeKind, Value};
use crate::renewed::is_marker;

/// Elements of an array that are looked at one by one for padding. Of longer arrays the padding counts as something that is to be set.
const MOST_ELEMENTS: u64 = 64;

/// All of a local whose size is known at run time only.
const WHOLE: (u32, u32) = (0, u32::MAX);

/// The bytes of a local, from and up to, that may be read before they are set; none if its first access sets all of it, or if it is too large to exist. The range
/// may go beyond the end of arrays of variable length.
pub fn unset<'m>(alloca: Value<'m>, layout: DataLayout<'m>) -> Vec<(u32, u32)> {
    let ty = alloca.allocated_type();
    let size = layout.size_of(ty);
    if size == 0 || size > gordian_ir::address::MAX_OBJECT_SIZE {
        return Vec::new();
    }
    if alloca.operand(0).const_integer() != Some(1) {
        return vec![WHOLE];
    }
    let starts: Vec<Value<'m>> = alloca.users().filter(|&user| is_marker(user) && is_start(user)).collect();
    let starts = if starts.is_empty() { vec![alloca] } else { starts };
    if starts.into_iter().all(|start| is_set_after(alloca, start, size, layout)) {
        return Vec::new();
    }
    let mut ranges = Vec::new();
    find_data(ty, 0, layout, &mut ranges);
    ranges
}

fn is_start(marker: Value<'_>) -> bool {
    marker.called().name().starts_with("llvm.lifetime.start")
}

/// Whether the first use of a local after the start of its life sets all of it, in the same block.
fn is_set_after<'m>(alloca: Value<'m>, start: Value<'m>, size: u64, layout: DataLayout<'m>) -> bool {
    let instructions = start.parent().instructions().skip_while(|&it| it != start).skip(1);
    let uses = |it: &Value<'m>| (0..it.n_operands()).any(|index| it.operand(index) == alloca) && !is_marker(*it);
    let Some(first) = instructions.into_iter().find(uses) else { return false };
    match first.opcode() {
        Opcode::Store => first.operand(1) == alloca && layout.store_size_of(first.operand(0).ty()) >= size,
        Opcode::Call if first.called().is_intrinsic() => {
            let name = first.called().name();
            // What is copied from somewhere else may not be set itself.
            let is_fill = name.starts_with("llvm.memset.")
                || name.starts_with("llvm.memcpy.") && first.operand(1).is_global_variable();
            is_fill && first.operand(0) == alloca && first.operand(2).const_integer().is_some_and(|len| len >= size)
        }
        _ => false,
    }
}

/// Where a type has data, without its padding, in order.
fn find_data<'m>(ty: Type<'m>, at: u64, layout: DataLayout<'m>, ranges: &mut Vec<(u32, u32)>) {
    match ty.kind() {
        TypeKind::Struct => {
            for index in 0..ty.n_elements() {
                find_data(ty.element(index), at + layout.offset_of(ty, index), layout, ranges);
            }
        }
        TypeKind::Array if ty.n_elements() <= MOST_ELEMENTS && ty.element(0).kind() == TypeKind::Struct => {
            let size = layout.size_of(ty.element(0));
            for index in 0..ty.n_elements() {
                find_data(ty.element(0), at + index * size, layout, ranges);
            }
        }
        TypeKind::Array => add(ranges, at, layout.size_of(ty)),
        _ => add(ranges, at, layout.store_size_of(ty)),
    }
}

fn add(ranges: &mut Vec<(u32, u32)>, at: u64, len: u64) {
    let (from, to) = (at as u32, (at + len) as u32);
    match ranges.last_mut() {
        Some(last) if last.1 == from => last.1 = to,
        _ if len > 0 => ranges.push((from, to)),
        _ => {}
    }
}
