//! Lets a value be computed right into the slot of the phi that takes it, so that loops need no moves
//! for their variables (`i = i + 1`).
//!
//! A value `v` of block `B` goes into the slot of phi `p` when `p` is its only user, `B` goes nowhere but
//! to the block of `p`, and nothing in `B` reads `p` after `v` is computed: neither an instruction, nor
//! another phi on the way out, nor a user of an alias of `p` (see `slots`). Beyond `B` the old value of `p`
//! is dead, since entering its block gives `p` a new one. `v` itself may read `p`: only instructions that
//! become a single one of ours are taken, and those read before they write.

use super::control::phis;
use super::function::FunctionLowering;
use super::types::Scalar;
use crate::ffi::{Block, Opcode, TypeKind, Value};
use gordian_base::FxHashMap;

/// Aliases of aliases are followed this far; beyond that the move stays.
const MAX_ALIASES: u32 = 8;

type Positions<'m> = FxHashMap<Value<'m>, usize>;

impl<'m> FunctionLowering<'_, 'm> {
    pub fn coalesce(&mut self, block: Block<'m>) {
        let terminator = block.terminator();
        let successors = terminator.successors();
        let [successor] = successors.as_slice() else { return };
        if terminator.opcode() != Opcode::Br {
            return;
        }
        let mut positions: Option<Positions<'m>> = None;
        for phi in phis(*successor) {
            let incoming = phi.incoming().into_iter().find(|(_, from)| *from == block);
            let Some((value, _)) = incoming else { continue };
            if !value.is_instruction() || value.parent() != block || value.users().count() != 1 {
                continue;
            }
            if !self.is_single_instruction(value) {
                continue;
            }
            let positions = positions
                .get_or_insert_with(|| block.instructions().enumerate().map(|(index, value)| (value, index)).collect());
            if !is_read_after(phi, positions[&value], block, positions, 0) {
                let slot = self.define(phi);
                self.slots.bind_to(value, slot);
            }
        }
    }

    /// Whether a value is computed by one of our instructions into one slot.
    fn is_single_instruction(&mut self, value: Value<'m>) -> bool {
        use Opcode::*;
        let shape = self.module.shapes.of(value.ty());
        let Ok(scalar) = shape.scalar() else { return false };
        if scalar.is_wide() {
            return false;
        }
        match value.opcode() {
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | And | Or | Xor => true,
            FAdd | FSub | FMul | FDiv | FRem | FNeg | FPTrunc | FPExt | SExt => true,
            Select => value.operand(0).ty().kind() != TypeKind::Vector,
            Load => !value.is_atomic() && (scalar == Scalar::Pointer || scalar.width().is_multiple_of(8)),
            GetElementPtr => value.n_operands() == 2,
            Call => !value.called().is_intrinsic() && value.called().inline_asm().is_none(),
            _ => false,
        }
    }
}

/// Whether something in `block` reads `value`, or an alias of it, after `position`.
fn is_read_after<'m>(
    value: Value<'m>,
    position: usize,
    block: Block<'m>,
    positions: &Positions<'m>,
    depth: u32,
) -> bool {
    if depth > MAX_ALIASES {
        return true;
    }
    value.users().any(|user| {
        if !user.is_instruction() {
            return true;
        }
        if user.opcode() == Opcode::Phi {
            return user.incoming().contains(&(value, block));
        }
        let later = positions.get(&user).is_some_and(|&at| at > position);
        later || may_be_alias(user) && is_read_after(user, position, block, positions, depth + 1)
    })
}

/// Instructions that may make no code.
fn may_be_alias(instruction: Value<'_>) -> bool {
    use Opcode::*;
    match instruction.opcode() {
        Trunc | ZExt | PtrToInt | PtrToAddr | IntToPtr | BitCast | AddrSpaceCast | Freeze => true,
        ExtractValue | ExtractElement | GetElementPtr => true,
        Call => instruction.called().is_intrinsic(),
        _ => false,
    }
}
