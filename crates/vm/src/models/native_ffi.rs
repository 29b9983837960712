//! Calls of functions that gordian knows nothing about, in the libraries of its own process.

use std::ffi::{CStr, CString, c_char, c_int, c_void};

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

impl Symbol {
    pub fn address(self) -> usize {
        self.0 as usize
    }
}

/// The function of that name, in what is loaded or in the C library.
pub fn find(name: &str) -> Option<Symbol> {
    let libraries = [None, Some(c"libc.so.6"), Some(c"libm.so.6")];
    libraries.into_iter().find_map(|library| find_in(library, name))
}

pub fn find_in_libm(name: &str) -> Option<Symbol> {
    find_in(Some(c"libm.so.6"), name)
}

/// In all that is loaded where no library is named.
fn find_in(library: Option<&CStr>, name: &str) -> Option<Symbol> {
    let name = CString::new(name).ok()?;
    let handle = match library {
        None => std::ptr::null_mut(),
        Some(library) => {
            // SAFETY: the name ends in zero; opening a library of the system runs nothing of ours.
            let handle = unsafe { dlopen(library.as_ptr(), RTLD_LAZY) };
            if handle.is_null() {
                return None;
            }
            handle
        }
    };
    // SAFETY: the handle is null, which means all that is loaded, or that of an open library; the name ends in zero.
    let found = unsafe { dlsym(handle, name.as_ptr()) };
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
