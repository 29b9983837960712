//! Which slots and targets an instruction names; one list for renumbering, verification and analyses.

use crate::{CallSite, Callee, Inst, Slot, Target};

/// What an instruction does with a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Read,
    Write,
}

/// Slots of a value of `size` bytes.
fn slots_of_size(size: u8) -> u32 {
    if size > 8 { 2 } else { 1 }
}

fn slots_of_width(w: u8) -> u32 {
    if w > 64 { 2 } else { 1 }
}

impl Inst {
    /// Calls `visit` with the first slot of every operand, how many slots it takes, and its role. Those
    /// of a call stand in its [`CallSite`]; of a return only the first slot is given.
    #[rustfmt::skip]
    pub fn for_each_operand_mut(&mut self, mut visit: impl FnMut(&mut Slot, u32, Role)) {
        use Inst::*;
        use Role::{Read, Write};
        match self {
            Move { dst, src } => { visit(src, 1, Read); visit(dst, 1, Write) }
            Add { dst, a, b, .. } | Sub { dst, a, b, .. } | Mul { dst, a, b, .. } | And { dst, a, b } | Or { dst, a, b }
            | Xor { dst, a, b } | Shl { dst, a, b, .. } | LShr { dst, a, b, .. } | AShr { dst, a, b, .. }
            | Div { dst, a, b, .. } | Checked { dst, a, b, .. } | MinMax { dst, a, b, .. } | Saturating { dst, a, b, .. }
            | CmpEq { dst, a, b } | CmpNe { dst, a, b } | CmpUlt { dst, a, b } | CmpUle { dst, a, b }
            | CmpSlt { dst, a, b, .. } | CmpSle { dst, a, b, .. } | FBin { dst, a, b, .. } | FCmp { dst, a, b, .. } => {
                visit(a, 1, Read); visit(b, 1, Read); visit(dst, 1, Write)
            }
            Overflowing { dst, a, b, .. } => { visit(a, 1, Read); visit(b, 1, Read); visit(dst, 2, Write) }
            Bits { dst, a, .. } | Trunc { dst, a, .. } | SExt { dst, a, .. } | FUn { dst, a, .. } | FClass { dst, a, .. }
            | FCast { dst, a, .. } => { visit(a, 1, Read); visit(dst, 1, Write) }
            FloatToInt { w, dst, a, .. } => { visit(a, 1, Read); visit(dst, slots_of_width(*w), Write) }
            IntToFloat { w, dst, a, .. } => { visit(a, slots_of_width(*w), Read); visit(dst, 1, Write) }
            FunnelShift { dst, abc, .. } | Fma { dst, abc, .. } => { visit(abc, 3, Read); visit(dst, 1, Write) }
            Select { dst, cond, a, b } => { visit(cond, 1, Read); visit(a, 1, Read); visit(b, 1, Read); visit(dst, 1, Write) }
            WideBin { dst, a, b, .. } => { visit(a, 2, Read); visit(b, 2, Read); visit(dst, 2, Write) }
            WideCmp { dst, a, b, .. } => { visit(a, 2, Read); visit(b, 2, Read); visit(dst, 1, Write) }
            WideBits { dst, a, .. } => { visit(a, 2, Read); visit(dst, 2, Write) }
            WideOverflowing { dst, a, b, .. } => { visit(a, 2, Read); visit(b, 2, Read); visit(dst, 3, Write) }
            WideSExt { from, dst, a, .. } => { visit(a, slots_of_width(*from), Read); visit(dst, 2, Write) }
            Load { dst, address, .. } => { visit(address, 1, Read); visit(dst, 1, Write) }
            WideLoad { dst, address, .. } => { visit(address, 1, Read); visit(dst, 2, Write) }
            Store { address, src, .. } => { visit(address, 1, Read); visit(src, 1, Read) }
            WideStore { address, src, .. } => { visit(address, 1, Read); visit(src, 2, Read) }
            AtomicLoad { size, dst, address, .. } => { visit(address, 1, Read); visit(dst, slots_of_size(*size), Write) }
            AtomicStore { size, address, src, .. } => { visit(address, 1, Read); visit(src, slots_of_size(*size), Read) }
            AtomicRmw { size, dst, address, src, .. } => {
                visit(address, 1, Read); visit(src, slots_of_size(*size), Read); visit(dst, slots_of_size(*size), Write)
            }
            CmpXchg { size, dst, address, expected_new, .. } => {
                visit(address, 1, Read);
                visit(expected_new, 2 * slots_of_size(*size), Read);
                visit(dst, slots_of_size(*size) + 1, Write)
            }
            Index { dst, base, index, .. } => { visit(base, 1, Read); visit(index, 1, Read); visit(dst, 1, Write) }
            Alloca { dst, size, .. } => { visit(size, 1, Read); visit(dst, 1, Write) }
            LifetimeStart { address } | LifetimeEnd { address, .. } | JumpIndirect { address } => visit(address, 1, Read),
            // Never read as far as liveness is concerned: how often a loop went back is no part of the program's state.
            LoopEnter { counter } | LoopBack { counter } => visit(counter, 1, Write),
            StackSave { dst } | ThreadLocal { dst, .. } => visit(dst, 1, Write),
            StackRestore { src } => visit(src, 1, Read),
            MemCopy { dst, src, len, .. } => { visit(dst, 1, Read); visit(src, 1, Read); visit(len, 1, Read) }
            MemSet { dst, value, len } => { visit(dst, 1, Read); visit(value, 1, Read); visit(len, 1, Read) }
            VaStart { list } => visit(list, 1, Read),
            VaCopy { dst, src } => { visit(dst, 1, Read); visit(src, 1, Read) }
            Return { src } => visit(src, 0, Read),
            Branch { cond, .. } => visit(cond, 1, Read),
            BranchCmp { a, b, .. } => { visit(a, 1, Read); visit(b, 1, Read) }
            Switch { value, .. } => visit(value, 1, Read),
            CheckSet { unset, .. } => visit(unset, 1, Read),
            CheckShift { w, by } => visit(by, slots_of_width(*w), Read),
            Undefined { a, b, .. } => { visit(a, 1, Read); visit(b, 1, Read) }
            Fence { .. } | Call { .. } | Jump { .. } | Trap | Unreachable | Unsupported { .. } => {}
        }
    }

    pub fn for_each_slot_mut(&mut self, mut visit: impl FnMut(&mut Slot)) {
        self.for_each_operand_mut(|slot, _, _| visit(slot));
    }

    /// Those of a switch stand in its table.
    pub fn for_each_target_mut(&mut self, mut visit: impl FnMut(&mut Target)) {
        match self {
            Inst::Jump { target } => visit(target),
            Inst::Branch { then, otherwise, .. } | Inst::BranchCmp { then, otherwise, .. } => {
                visit(then);
                visit(otherwise);
            }
            _ => {}
        }
    }

    /// Whether control never goes on to the next instruction.
    pub fn is_terminator(&self) -> bool {
        use Inst::*;
        matches!(
            self,
            Return { .. }
                | Jump { .. }
                | Branch { .. }
                | BranchCmp { .. }
                | Switch { .. }
                | JumpIndirect { .. }
                | Trap
                | Unreachable
                | Undefined { .. }
                | Unsupported { .. }
        )
    }
}

impl CallSite {
    pub fn for_each_slot_mut(&mut self, mut visit: impl FnMut(&mut Slot)) {
        if let Callee::Indirect(slot) = &mut self.callee {
            visit(slot);
        }
        self.args.iter_mut().for_each(&mut visit);
        self.variadic.iter_mut().for_each(|argument| visit(&mut argument.slot));
        visit(&mut self.dst);
    }
}
