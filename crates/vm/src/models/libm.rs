//! The system's own mathematics library, so that results agree with a native build to the last bit.

/// Declares functions of libm, and for each a safe one of the same name.
macro_rules! libm {
    ($($name:ident($($argument:ident: $ty:ty),*) -> $result:ty;)*) => {
        mod raw {
            #[link(name = "m")]
            unsafe extern "C" {
                $(pub fn $name($($argument: $ty),*) -> $result;)*
            }
        }
        $(pub fn $name($($argument: $ty),*) -> $result {
            // SAFETY: the signature is that of libm, and the function takes and gives plain numbers only.
            unsafe { raw::$name($($argument),*) }
        })*
    };
}
pub(super) use libm;

unsafe extern "C" {
    fn __errno_location() -> *mut i32;
}

/// The result of a function of libm, and the error number that it set; 0 for none.
pub fn with_errno<T>(function: impl FnOnce() -> T) -> (T, i32) {
    // SAFETY: libc gives each thread a place for its error number that is valid as long as the thread is.
    let errno = unsafe { &mut *__errno_location() };
    *errno = 0;
    let result = function();
    (result, *errno)
}
