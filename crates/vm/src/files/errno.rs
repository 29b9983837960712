//! The error numbers of Linux that file operations give.

pub type Errno = i32;

pub const EPERM: Errno = 1;
pub const ENOENT: Errno = 2;
pub const EIO: Errno = 5;
pub const ENXIO: Errno = 6;
pub const EBADF: Errno = 9;
pub const EAGAIN: Errno = 11;
pub const ENOMEM: Errno = 12;
pub const EACCES: Errno = 13;
pub const EBUSY: Errno = 16;
pub const EEXIST: Errno = 17;
pub const ENOTDIR: Errno = 20;
pub const EISDIR: Errno = 21;
pub const EINVAL: Errno = 22;
pub const EMFILE: Errno = 24;
pub const ENOTTY: Errno = 25;
pub const EFBIG: Errno = 27;
pub const ESPIPE: Errno = 29;
pub const EPIPE: Errno = 32;
pub const ERANGE: Errno = 34;
pub const ENOTEMPTY: Errno = 39;
pub const EILSEQ: Errno = 84;
pub const EOVERFLOW: Errno = 75;
