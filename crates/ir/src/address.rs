//! How a pointer of the program under test is made up: which object, and where in it.
//!
//! ```text
//!  63        53 52             30 29            0
//! +------------+-----------------+---------------+
//! |   space    |      index      | offset + BIAS |
//! +------------+-----------------+---------------+
//! ```
//! The space tells who allocated the object (nobody: a global; or a thread, on its stack or heap), the
//! index is that allocator's count. Neither depends on the interleaving, so an object has the same
//! name in every execution. Offsets are biased so that a pointer a little before its object still
//! names that object. The null pointer is 0; index 0 of space 0 is kept empty, so that what is near
//! null is recognized.

use crate::{FuncId, GlobalId};
use gordian_base::{Id, ThreadId};

pub const OFFSET_BITS: u32 = 30;
pub const INDEX_BITS: u32 = 23;
pub const SPACE_BITS: u32 = 11;
pub const BIAS: u64 = 1 << 20;
/// The largest object that an address can reach all of.
pub const MAX_OBJECT_SIZE: u64 = (1 << OFFSET_BITS) - 2 * BIAS;
pub const MAX_INDEX: u32 = (1 << INDEX_BITS) - 1;
/// Two spaces for each thread after the four common ones.
pub const MAX_THREADS: usize = (1 << SPACE_BITS) / 2 - 2;

pub const GLOBAL_SPACE: u32 = 0;
pub const CODE_SPACE: u32 = 1;
/// Labels whose address is taken (`&&label`): index is the function, offset the label.
pub const LABEL_SPACE: u32 = 2;
/// No object is here: for clock keys, names of native pointers, unknown pointer inputs.
pub const NO_SPACE: u32 = 3;
const FIRST_THREAD_SPACE: u32 = 4;

#[inline]
pub const fn space(address: u64) -> u32 {
    (address >> (OFFSET_BITS + INDEX_BITS)) as u32
}

#[inline]
pub const fn index(address: u64) -> u32 {
    (address >> OFFSET_BITS) as u32 & MAX_INDEX
}

/// The offset within the object; "negative" ones come out as huge numbers.
#[inline]
pub const fn offset(address: u64) -> u64 {
    (address & ((1 << OFFSET_BITS) - 1)).wrapping_sub(BIAS)
}

#[inline]
pub const fn make(space: u32, index: u32, offset: u64) -> u64 {
    ((space as u64) << (OFFSET_BITS + INDEX_BITS)) | ((index as u64) << OFFSET_BITS) | offset.wrapping_add(BIAS)
}

/// The address of the first byte of the object that `address` points into or near.
#[inline]
pub const fn object_start(address: u64) -> u64 {
    make(space(address), index(address), 0)
}

/// Whether a pointer that was moved from one address to another still names the same object.
#[inline]
pub const fn is_near(from: u64, to: u64) -> bool {
    (from ^ to) >> OFFSET_BITS == 0
}

#[inline]
pub const fn stack_space(thread: ThreadId) -> u32 {
    FIRST_THREAD_SPACE + 2 * thread.0
}

#[inline]
pub const fn heap_space(thread: ThreadId) -> u32 {
    FIRST_THREAD_SPACE + 2 * thread.0 + 1
}

/// The thread that allocated objects of this space, if a thread did.
pub const fn owner(space: u32) -> Option<ThreadId> {
    if space < FIRST_THREAD_SPACE { None } else { Some(ThreadId((space - FIRST_THREAD_SPACE) / 2)) }
}

pub const fn is_stack_space(space: u32) -> bool {
    space >= FIRST_THREAD_SPACE && space.is_multiple_of(2)
}

pub fn of_global(global: GlobalId) -> u64 {
    make(GLOBAL_SPACE, global.0 + 1, 0)
}

pub fn global_of(address: u64) -> Option<GlobalId> {
    (space(address) == GLOBAL_SPACE && index(address) > 0).then(|| GlobalId(index(address) - 1))
}

/// What a function pointer points to. Functions without a body come after those with one, so that
/// `&printf` is an address as good as any.
pub fn of_function(code_index: u32) -> u64 {
    make(CODE_SPACE, code_index, 0)
}

/// The code index behind a function pointer: `f.index()` of a function, or the number of functions
/// plus the index of an external one.
pub fn function_of(address: u64) -> Option<u32> {
    (space(address) == CODE_SPACE && offset(address) == 0).then(|| index(address))
}

pub fn of_label(function: FuncId, label: u32) -> u64 {
    make(LABEL_SPACE, function.index() as u32, u64::from(label))
}

pub fn label_of(address: u64) -> Option<(FuncId, u32)> {
    (space(address) == LABEL_SPACE).then(|| (FuncId(index(address)), offset(address) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_come_back() {
        let address = make(17, 12345, 678);
        assert_eq!((space(address), index(address), offset(address)), (17, 12345, 678));
    }

    #[test]
    fn a_pointer_before_its_object_still_names_it() {
        let address = make(5, 9, 0).wrapping_sub(4);
        assert_eq!((space(address), index(address)), (5, 9));
        assert_eq!(offset(address), 4u64.wrapping_neg());
    }

    #[test]
    fn a_pointer_that_is_moved_too_far_names_another_object() {
        let address = make(5, 9, 0);
        assert!(is_near(address, address.wrapping_sub(BIAS)) && is_near(address, address + MAX_OBJECT_SIZE));
        assert!(!is_near(address, address.wrapping_sub(BIAS + 1)) && !is_near(address, address + (1 << OFFSET_BITS)));
    }

    #[test]
    fn null_and_its_fields_are_index_zero_of_the_globals() {
        for address in [0, 8, 4096] {
            assert_eq!((space(address), index(address)), (GLOBAL_SPACE, 0));
        }
        assert_eq!(index(of_global(GlobalId(0))), 1);
    }

    #[test]
    fn the_last_thread_has_its_spaces() {
        let last = ThreadId(MAX_THREADS as u32 - 1);
        assert!(heap_space(last) < 1 << SPACE_BITS);
        assert_eq!(owner(heap_space(last)), Some(last));
        assert_eq!(owner(stack_space(last)), Some(last));
    }
}
