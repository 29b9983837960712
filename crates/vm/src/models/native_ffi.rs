//! Calls of functions that gordian knows nothing about, in the libraries of its own process.

use std::ffi::{CString, c_char, c_int, c_void};

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

const RTLD_LAZY: c_int = 1;

/// Arguments by register: that is all the ABI passes in registers.
pub type Integers = [u64; 6];
pub type Floats = [f64; 8];

/// Every function of the ABI can be called as a variadic one: the caller only says besides how many vector
/// registers it uses.
type Function = unsafe extern "C" fn(u64, ...) -> u64;
type FloatFunction = unsafe extern "C" fn(u64, ...) -> f64;

/// A function in a loaded library.
#[derive(Clone, Copy)]
pub struct Symbol(*mut c_void);

/// The function of that name, in what is loaded or in the C library.
pub fn find(name: &str) -> Option<Symbol> {
    let name = CString::new(name).ok()?;
    // SAFETY: a null library means all that are loaded, and the name ends in zero.
    let mut found = unsafe { dlsym(std::ptr::null_mut(), name.as_ptr()) };
    for library in [c"libc.so.6", c"libm.so.6"] {
        if found.is_null() {
            // SAFETY: the names end in zero; a library that cannot be opened gives null, which stands for all.
            found = unsafe { dlsym(dlopen(library.as_ptr(), RTLD_LAZY), name.as_ptr()) };
        }
    }
    (!found.is_null()).then_some(Symbol(found))
}

/// Calls a function that gives an integer or a pointer.
///
/// # Safety
/// The function must be what the caller takes it for: the pointers among its arguments must be such that it
/// can use them. The user vouches for that with `--native`.
pub unsafe fn call(symbol: Symbol, i: Integers, f: Floats) -> u64 {
    // SAFETY: the symbol is a function, and registers that it has no parameter for do not matter to it.
    unsafe {
        let function = std::mem::transmute::<*mut c_void, Function>(symbol.0);
        function(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7])
    }
}

/// Calls a function that gives a `double`, or a `float` in the lower half of the bits.
///
/// # Safety
/// As for [`call`].
pub unsafe fn call_float(symbol: Symbol, i: Integers, f: Floats) -> f64 {
    // SAFETY: as in `call`.
    unsafe {
        let function = std::mem::transmute::<*mut c_void, FloatFunction>(symbol.0);
        function(i[0], i[1], i[2], i[3], i[4], i[5], f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7])
    }
}
