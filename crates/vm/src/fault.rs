//! What can be wrong with an access, before it is put into words.

use gordian_expr::ExprId;
use gordian_ir::Decides;
use gordian_trace::Wants;

/// The program did what it must not. Becomes a finding of the running thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Null {
        address: u64,
    },
    /// No object is or was there.
    Wild {
        address: u64,
    },
    OutOfBounds {
        address: u64,
        size: u64,
    },
    Freed {
        address: u64,
    },
    OutOfScope {
        address: u64,
    },
    ReadOnly {
        address: u64,
    },
    Uninitialised {
        address: u64,
        size: u64,
    },
    /// A value in a register that was never set.
    Unset(Decides),
    DivisionByZero,
    Overflow(String),
    /// A value of `w` bits was shifted by as many or more.
    Shift {
        by: u128,
        w: u8,
    },
    /// An index that leaves the array it is written for, though perhaps not the object.
    Index(String),
    /// What C leaves undefined, and no other fault names.
    Undefined(String),
    DoubleFree {
        address: u64,
    },
    BadFree {
        address: u64,
        why: &'static str,
    },
    Overlap {
        dst: u64,
        src: u64,
        len: u64,
    },
    LockMisuse(String),
    Assertion(String),
    Abort(String),
    /// Not the program's fault: whether this condition holds must be decided first (see `Machine::decide`).
    Undecided(ExprId),
    /// Not the program's fault: the call has begun, and waits for this before it goes on.
    Waits(Wants),
    /// Not the program's fault: it looks at what an input of pointer type points to.
    NothingKnown,
    /// Not the program's fault: gordian cannot run this.
    Unsupported(String),
}
