//! The system's own mathematics library, so that results agree with a native build to the last bit.
//!
//! Its functions are looked up at run time: Rust's own runtime has some of the same names (`cbrt`, `sqrt`,
//! `fmod`), with other last bits and without error numbers, and the linker would take those.

use super::native_ffi;

/// Makes functions that call those of libm of the same names.
macro_rules! libm {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        $(pub fn $name($($argument: $ty),*) -> $result {
            static FOUND: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
            let found = *FOUND.get_or_init(|| $crate::models::libm::address(stringify!($name)));
            // SAFETY: this is the address of the function in libm, whose signature is the one above.
            let function = unsafe { std::mem::transmute::<usize, extern "C" fn($($ty),*) -> $result>(found) };
            function($($argument),*)
        })*
    };
}
pub(super) use libm;

libm! {
    remquo(x: f64, y: f64, quotient: &mut i32) -> f64;
    remquof(x: f32, y: f32, quotient: &mut i32) -> f32;
}

/// Where a function of libm is.
pub fn address(name: &str) -> usize {
    let symbol = native_ffi::find_in_libm(name);
    symbol.unwrap_or_else(|| panic!("libm.so.6 has no `{name}`")).address()
}

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

/// The result of a function of libm, and the error number that it set; 0 for none.
pub fn with_errno<T>(function: impl FnOnce() -> T) -> (T, i32) {
    // SAFETY: libc gives each thread a place for its error number that is valid as long as the thread is.
    unsafe { *__errno_location() = 0 };
    let result = function();
    // SAFETY: as above.
    (result, unsafe { *__errno_location() })
}
