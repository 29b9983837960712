//! The instructions. `w` is a width in bits (1 to 64, for the `Wide` ones 65 to 128), `size` one in bytes.

use crate::{GlobalId, Slot};
use gordian_base::define_id;

define_id! {
    /// A jump table of a function.
    SwitchId, "switch"
}

/// An index into `Function::code`.
pub type Target = u32;

#[rustfmt::skip] // One line for each instruction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Inst {
    Move { dst: Slot, src: Slot },

    Add { w: u8, dst: Slot, a: Slot, b: Slot },
    Sub { w: u8, dst: Slot, a: Slot, b: Slot },
    Mul { w: u8, dst: Slot, a: Slot, b: Slot },
    And { dst: Slot, a: Slot, b: Slot },
    Or { dst: Slot, a: Slot, b: Slot },
    Xor { dst: Slot, a: Slot, b: Slot },
    Shl { w: u8, dst: Slot, a: Slot, b: Slot },
    LShr { w: u8, dst: Slot, a: Slot, b: Slot },
    AShr { w: u8, dst: Slot, a: Slot, b: Slot },
    /// Fails if a shift by that of a value of `w` bits is undefined.
    CheckShift { w: u8, by: Slot },
    /// Says so if a value decides something and bits of it were never set: those that are set in `unset`.
    CheckSet { decides: Decides, unset: Slot },
    /// Division by zero and `INT_MIN / -1` are findings.
    Div { op: DivOp, w: u8, dst: Slot, a: Slot, b: Slot },
    /// Signed arithmetic whose overflow is a finding; made only when the user asks for the check.
    Checked { op: CheckedOp, w: u8, dst: Slot, a: Slot, b: Slot },
    MinMax { op: MinMaxOp, w: u8, dst: Slot, a: Slot, b: Slot },
    /// `dst` gets the wrapped result, `dst + 1` whether it overflowed.
    Overflowing { op: CheckedOp, signed: bool, w: u8, dst: Slot, a: Slot, b: Slot },
    Saturating { op: CheckedOp, signed: bool, w: u8, dst: Slot, a: Slot, b: Slot },
    Bits { op: BitsOp, w: u8, dst: Slot, a: Slot },
    /// `fshl`/`fshr`: the concatenation `a:b` shifted by `c` modulo `w`; `a`, `b`, `c` are consecutive
    /// from `abc`.
    FunnelShift { left: bool, w: u8, dst: Slot, abc: Slot },

    CmpEq { dst: Slot, a: Slot, b: Slot },
    CmpNe { dst: Slot, a: Slot, b: Slot },
    CmpUlt { dst: Slot, a: Slot, b: Slot },
    CmpUle { dst: Slot, a: Slot, b: Slot },
    CmpSlt { w: u8, dst: Slot, a: Slot, b: Slot },
    CmpSle { w: u8, dst: Slot, a: Slot, b: Slot },
    Select { dst: Slot, cond: Slot, a: Slot, b: Slot },

    /// Keeps the low `w` bits.
    Trunc { w: u8, dst: Slot, a: Slot },
    SExt { from: u8, to: u8, dst: Slot, a: Slot },

    /// Arithmetic on integers of 65 to 128 bits.
    WideBin { op: WideOp, w: u8, dst: Slot, a: Slot, b: Slot },
    WideCmp { pred: Pred, w: u8, dst: Slot, a: Slot, b: Slot },
    WideBits { op: BitsOp, w: u8, dst: Slot, a: Slot },
    WideOverflowing { op: CheckedOp, signed: bool, w: u8, dst: Slot, a: Slot, b: Slot },
    /// From `from` bits (one slot up to 64, else two) to `to` bits (65 to 128).
    WideSExt { from: u8, to: u8, dst: Slot, a: Slot },

    FBin { op: FBinOp, ty: Float, dst: Slot, a: Slot, b: Slot },
    FUn { op: FUnOp, ty: Float, dst: Slot, a: Slot },
    /// `a * b + c` rounded once; `a`, `b`, `c` are consecutive from `abc`.
    Fma { ty: Float, dst: Slot, abc: Slot },
    FCmp { pred: FPred, ty: Float, dst: Slot, a: Slot, b: Slot },
    FClass { ty: Float, mask: u16, dst: Slot, a: Slot },
    /// Out of range it `saturates`, or gives what compilers for x86-64 give (the C program's behaviour is undefined there).
    FloatToInt { signed: bool, saturates: bool, ty: Float, w: u8, dst: Slot, a: Slot },
    IntToFloat { signed: bool, ty: Float, w: u8, dst: Slot, a: Slot },
    /// To `ty` from the other one.
    FCast { ty: Float, dst: Slot, a: Slot },

    /// `size` is 1 to 8.
    Load { size: u8, dst: Slot, address: Slot },
    Store { size: u8, address: Slot, src: Slot },
    /// `size` is 9 to 16, the value in two slots.
    WideLoad { size: u8, dst: Slot, address: Slot },
    WideStore { size: u8, address: Slot, src: Slot },
    AtomicLoad { size: u8, order: Order, dst: Slot, address: Slot },
    AtomicStore { size: u8, order: Order, address: Slot, src: Slot },
    AtomicRmw { op: RmwOp, size: u8, order: Order, dst: Slot, address: Slot, src: Slot },
    /// `dst` gets the old value, the slot after it whether the exchange happened. The expected value
    /// and the new one are consecutive from `expected_new`. Sizes above 8 take two slots each.
    CmpXchg { size: u8, order: Order, failure: Order, weak: bool, dst: Slot, address: Slot, expected_new: Slot },
    Fence { order: Order },

    /// `dst = base + index * scale`, all of 64 bits.
    Index { scale: i32, dst: Slot, base: Slot, index: Slot },
    /// `variable` is an index into `Function::allocas`. In the middle of a function it stands where an array of variable length is declared, or
    /// where a block is entered that has a variable which pointers may outlive: each entry makes another object.
    Alloca { variable: u32, dst: Slot, size: Slot, align_log2: u8 },
    LifetimeStart { address: Slot },
    /// With `for_good` no `LifetimeStart` brings the object back: the next entry of its block makes another one.
    LifetimeEnd { for_good: bool, address: Slot },
    StackSave { dst: Slot },
    StackRestore { src: Slot },
    /// Regions that overlap are a finding unless `overlap`.
    MemCopy { overlap: bool, dst: Slot, src: Slot, len: Slot },
    MemSet { dst: Slot, value: Slot, len: Slot },
    ThreadLocal { global: GlobalId, dst: Slot },
    VaStart { list: Slot },
    VaCopy { dst: Slot, src: Slot },

    /// An index into `Function::calls`.
    Call { site: u32 },
    /// Returns `Function::n_returns` slots from `src` on.
    Return { src: Slot },
    Jump { target: Target },
    /// `negated` where the source has the condition the other way round: there it is true if control goes to
    /// `otherwise`. It matters to reports only.
    Branch { negated: bool, cond: Slot, then: Target, otherwise: Target },
    /// A comparison that only its branch needs. `w` matters to signed predicates.
    BranchCmp { pred: Pred, w: u8, negated: bool, a: Slot, b: Slot, then: Target, otherwise: Target },
    Switch { value: Slot, table: SwitchId },
    /// To a label of this function whose address is taken.
    JumpIndirect { address: Slot },
    /// A loop is entered: its counter starts at zero (see `count_loops`).
    LoopEnter { counter: Slot },
    /// A loop goes back to its head. Whoever does so more often than allowed goes no further.
    LoopBack { counter: Slot },
    /// `__builtin_trap` and what the compiler puts where control cannot go.
    Trap,
    Unreachable,
    /// What C leaves undefined was done: an index into `Function::undefined`, and the operands that it
    /// names (else any slots).
    Undefined { site: u32, a: Slot, b: Slot },
    /// An index into `Function::unsupported`.
    Unsupported { reason: u32 },
}

/// What a value decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Decides {
    Branch,
    Address,
    Division,
    /// Nothing yet, but it is the result of a function and is used, which is wrong by itself.
    Result,
    /// It is an argument of a function that gordian does not look into.
    Call,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DivOp {
    Udiv,
    Sdiv,
    Urem,
    Srem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckedOp {
    Add,
    Sub,
    Mul,
    Shl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MinMaxOp {
    Smax,
    Smin,
    Umax,
    Umin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BitsOp {
    PopCount,
    /// Of zero: the width.
    LeadingZeros,
    TrailingZeros,
    ByteSwap,
    BitReverse,
    Abs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideOp {
    Add,
    Sub,
    Mul,
    Udiv,
    Sdiv,
    Urem,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    LShr,
    AShr,
    Smax,
    Smin,
    Umax,
    Umin,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pred {
    Eq,
    Ne,
    Ult,
    Ule,
    Slt,
    Sle,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Float {
    F32,
    F64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FBinOp {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Pow,
    /// The exponent is an integer of 32 bits.
    Powi,
    /// `minnum`, `maxnum`: a NaN loses.
    Min,
    Max,
    /// `minimum`, `maximum`: a NaN wins.
    Minimum,
    Maximum,
    CopySign,
    Atan2,
    /// The exponent is an integer of 32 bits.
    Ldexp,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FUnOp {
    Neg,
    Abs,
    Sqrt,
    Floor,
    Ceil,
    Trunc,
    /// Ties to even.
    Rint,
    /// Ties away from zero.
    Round,
    Sin,
    Cos,
    Tan,
    Asin,
    Acos,
    Atan,
    Sinh,
    Cosh,
    Tanh,
    Exp,
    Exp2,
    Exp10,
    Log,
    Log2,
    Log10,
}

/// The bits say for which outcomes of the comparison the answer is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FPred(pub u8);

impl FPred {
    pub const EQUAL: u8 = 1;
    pub const GREATER: u8 = 2;
    pub const LESS: u8 = 4;
    pub const UNORDERED: u8 = 8;
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RmwOp {
    Xchg,
    Add,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    Max,
    Min,
    Umax,
    Umin,
    FAdd,
    FSub,
    FMax,
    FMin,
    UincWrap,
    UdecWrap,
    UsubCond,
    UsubSat,
}

/// Memory orders as C11 has them; `consume` counts as `Acquire`, and LLVM's weaker ones as `Relaxed`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Order {
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }

    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_takes_twenty_bytes() {
        assert_eq!(std::mem::size_of::<Inst>(), 20);
    }
}
