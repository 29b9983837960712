//! The compact instruction set that the machine runs: flat code, register slots, no phis, every
//! constant and every address worked out beforehand. Pure data; the front end makes it from LLVM
//! bitcode and the machine reads it, and neither knows the other.
//!
//! A value of the source program is flattened into *scalars*, each in a 64-bit [`Slot`]:
//! - integers of up to 64 bits and pointers: one slot, zero-extended (bits above the width are zero);
//! - integers of 65 to 128 bits: two consecutive slots, low half first, zero-extended;
//! - `float` and `double`: one slot that holds the bits;
//! - vectors and first-class aggregates: their scalars one after the other.
//!
//! A frame holds, in this order: the parameters, the other registers, the constants
//! (`Function::consts`, copied in on entry). So every operand is a slot and no operand needs a test.
//! An instruction reads all its operands before it writes: `i = i + 1` is one `Add` on one slot.

pub mod address;
mod decides;
mod dump;
mod inst;
mod liveness;
mod loops;
mod program;
mod rounds;
mod types;
mod verify;
mod visit;

pub use decides::may_decide;
pub use inst::*;
pub use liveness::Liveness;
pub use loops::count_loops;
pub use program::*;
pub use rounds::may_come_round;
pub use types::*;
pub use verify::verify;
pub use visit::Role;

use gordian_base::define_id;

define_id! {
    /// A function with a body.
    FuncId, "f"
}
define_id! {
    /// A global variable, thread-local ones included.
    GlobalId, "g"
}
define_id! {
    /// A function that the program calls but does not define.
    ExternId, "x"
}
define_id! {
    /// A source file of the program.
    FileId, "file"
}
define_id! {
    /// A register or constant of a frame.
    Slot, "%"
}
define_id! {
    /// A type as the debug information tells it.
    TypeId, "type"
}
