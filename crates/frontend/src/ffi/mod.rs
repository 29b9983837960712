//! The only place that talks to LLVM: a thin safe layer over the C API.
//!
//! What makes it safe: every handle carries the lifetime of the module (or context) that owns the
//! object behind it, modules change only through `&mut`, and every accessor that LLVM restricts to
//! some kind of value checks the kind first.

mod instruction;
mod metadata;
mod module;
mod names;
mod promote;
mod raw;
mod types;
mod value;
mod wide;

pub use metadata::{Metadata, MetadataKind};
pub use module::{Context, Module};
pub use types::{DataLayout, Type, TypeKind};
pub use value::{Block, Opcode, Value, ValueKind};

use std::ffi::{CStr, CString, c_char};

/// Copies a string of `len` bytes that LLVM owns.
///
/// # Safety
/// `text` points to `len` readable bytes, or is null.
unsafe fn text(text: *const c_char, len: usize) -> String {
    if text.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for the range.
    let bytes = unsafe { std::slice::from_raw_parts(text.cast::<u8>(), len) };
    String::from_utf8_lossy(bytes).into_owned()
}

/// Takes over a message that LLVM allocated.
///
/// # Safety
/// `message` is null or comes from LLVM, zero-terminated, to be freed by `LLVMDisposeMessage`.
unsafe fn take_message(message: *mut c_char) -> String {
    if message.is_null() {
        return String::new();
    }
    // SAFETY: the caller vouches for it; it is not used after it is freed.
    unsafe {
        let copy = CStr::from_ptr(message).to_string_lossy().into_owned();
        llvm_sys::core::LLVMDisposeMessage(message);
        copy
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("no zero byte is left")
}
