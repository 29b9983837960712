//! Where values live while a function is lowered.
//!
//! A value that only its own block uses gives its slots back after the last use; everything else
//! keeps its slots for the whole function. Slots are given back only after the using instruction is
//! lowered altogether, so the result of an instruction never shares a slot with its operands, and an
//! instruction may be expanded into several steps without care.
//!
//! Casts that change nothing make no code: their result is an *alias*, a second name for the slots of
//! the operand. This is right even for phis: at any use of the alias its latest instance was made from
//! the latest instance of the operand (were there a way from the operand to the use that avoids the
//! cast, the cast would not dominate the use), and moves on edges read all sources before they write.

use super::constants::Constant;
use super::{Result, Unsupported};
use crate::ffi::{Opcode, Value, ValueKind};
use crate::lower::function::FunctionLowering;
use gordian_base::FxHashMap;
use gordian_ir::{Inst, Slot};

/// Constants follow the registers, whose number is known at the end only; until then their slots
/// count from here.
pub const FIRST_CONST: u32 = 1 << 31;

#[derive(Clone, Copy)]
struct Binding<'m> {
    slot: Slot,
    /// The value whose slots these are: the value itself, or what it is an alias of.
    root: Value<'m>,
}

/// A value that gives its slots back.
#[derive(Clone, Copy)]
struct Counted {
    uses: u32,
    slot: Slot,
    n_slots: u32,
}

#[derive(Default)]
pub struct Slots<'m> {
    bindings: FxHashMap<Value<'m>, Binding<'m>>,
    counted: FxHashMap<Value<'m>, Counted>,
    /// Free runs of slots, by length.
    free: FxHashMap<u32, Vec<Slot>>,
    /// Temporaries of the instruction at hand.
    temporaries: Vec<(Slot, u32)>,
    pub n_registers: u32,
    pub consts: Vec<u64>,
    const_slots: FxHashMap<u64, Slot>,
    const_runs: FxHashMap<Vec<u64>, Slot>,
    const_values: FxHashMap<Value<'m>, Slot>,
}

impl<'m> Slots<'m> {
    fn fresh(&mut self, n_slots: u32) -> Slot {
        let slot = Slot(self.n_registers);
        self.n_registers += n_slots;
        slot
    }

    fn allocate(&mut self, n_slots: u32) -> Slot {
        match self.free.get_mut(&n_slots).and_then(Vec::pop) {
            Some(slot) => slot,
            None => self.fresh(n_slots),
        }
    }

    /// Slots that the instruction at hand may write and read.
    pub fn temporary(&mut self, n_slots: u32) -> Slot {
        let slot = self.allocate(n_slots);
        self.temporaries.push((slot, n_slots));
        slot
    }

    /// Slots that live as long as the function.
    pub fn permanent(&mut self, n_slots: u32) -> Slot {
        self.fresh(n_slots)
    }

    pub fn constant(&mut self, value: u64) -> Slot {
        if let Some(slot) = self.const_slots.get(&value) {
            return *slot;
        }
        let slot = Slot(FIRST_CONST + self.consts.len() as u32);
        self.consts.push(value);
        self.const_slots.insert(value, slot);
        slot
    }

    pub fn constants(&mut self, values: &[u64]) -> Slot {
        match values {
            [] => Slot(0),
            [value] => self.constant(*value),
            _ => {
                if let Some(slot) = self.const_runs.get(values) {
                    return *slot;
                }
                let slot = Slot(FIRST_CONST + self.consts.len() as u32);
                self.consts.extend(values);
                self.const_runs.insert(values.to_vec(), slot);
                slot
            }
        }
    }

    /// A parameter: its slots are given.
    pub fn bind_parameter(&mut self, value: Value<'m>, n_slots: u32) {
        let slot = self.fresh(n_slots);
        self.bindings.insert(value, Binding { slot, root: value });
    }

    /// A value that is computed right into a slot that something else owns.
    pub fn bind_to(&mut self, value: Value<'m>, slot: Slot) {
        self.bindings.insert(value, Binding { slot, root: value });
    }

    fn binding(&self, value: Value<'m>) -> Option<Binding<'m>> {
        self.bindings.get(&value).copied()
    }
}

/// How often a value is used if only its own block uses it.
fn local_uses(value: Value<'_>) -> Option<u32> {
    if !value.is_instruction() || value.opcode() == Opcode::Phi {
        return None;
    }
    let block = value.parent();
    let mut uses = 0;
    for user in value.users() {
        // A phi reads at the end of another block.
        if !user.is_instruction() || user.opcode() == Opcode::Phi || user.parent() != block {
            return None;
        }
        uses += 1;
    }
    Some(uses)
}

impl<'m> FunctionLowering<'_, 'm> {
    /// The first slot of a value: of a constant, of something computed before, or of something that a
    /// later block computes.
    pub fn operand(&mut self, value: Value<'m>) -> Result<Slot> {
        if let Some(binding) = self.slots.binding(value) {
            return Ok(binding.slot);
        }
        match value.kind() {
            ValueKind::Instruction => Ok(self.define(value)),
            ValueKind::Argument | ValueKind::Block | ValueKind::InlineAsm | ValueKind::Other => {
                Err(Unsupported(format!("operand of kind {:?}", value.kind())))
            }
            _ => self.constant_operand(value),
        }
    }

    fn constant_operand(&mut self, value: Value<'m>) -> Result<Slot> {
        if let Some(slot) = self.slots.const_values.get(&value) {
            return Ok(*slot);
        }
        let constant = self.module.constant(value)?;
        self.module.note_folded(self.loc, &self.out.name);
        match constant {
            Constant::Slots(values) => {
                let slot = self.slots.constants(&values);
                self.slots.const_values.insert(value, slot);
                Ok(slot)
            }
            Constant::ThreadLocal(global, offset) => {
                let dst = self.slots.temporary(1);
                self.emit(Inst::ThreadLocal { global, dst });
                self.add_offset(dst, dst, offset);
                Ok(dst)
            }
        }
    }

    /// The slots that the result of an instruction goes to.
    pub fn define(&mut self, value: Value<'m>) -> Slot {
        if let Some(binding) = self.slots.binding(value) {
            return binding.slot;
        }
        let n_slots = self.module.shapes.of(value.ty()).n_slots;
        let slot = match local_uses(value) {
            Some(uses) if n_slots > 0 => {
                let slot = self.slots.allocate(n_slots);
                self.slots.counted.insert(value, Counted { uses, slot, n_slots });
                slot
            }
            _ => self.slots.fresh(n_slots),
        };
        self.slots.bindings.insert(value, Binding { slot, root: value });
        slot
    }

    /// Makes `value` another name for the slots of `operand`, from the one `skip` after its first on.
    pub fn alias(&mut self, value: Value<'m>, operand: Value<'m>, skip: u32) -> Result<()> {
        let source = Slot(self.operand(operand)?.0 + skip);
        if let Some(binding) = self.slots.binding(value) {
            // Some block before this one in the text already uses the value's own slots.
            let n_slots = self.module.shapes.of(value.ty()).n_slots;
            self.move_slots(binding.slot, source, n_slots);
            return Ok(());
        }
        let Some(binding) = self.slots.binding(operand) else {
            if source.0 >= FIRST_CONST {
                self.slots.bindings.insert(value, Binding { slot: source, root: value });
            } else {
                // A thread-local address, computed for this instruction only.
                let n_slots = self.module.shapes.of(value.ty()).n_slots;
                let dst = self.define(value);
                self.move_slots(dst, source, n_slots);
            }
            return Ok(());
        };
        let root = binding.root;
        if let Some(counted) = self.slots.counted.get_mut(&root) {
            match local_uses(value) {
                Some(uses) if value.parent() == root.parent() => counted.uses += uses,
                _ => {
                    self.slots.counted.remove(&root);
                }
            }
        }
        self.slots.bindings.insert(value, Binding { slot: source, root });
        Ok(())
    }

    /// Gives an instruction a constant as its result.
    pub fn bind_constant(&mut self, value: Value<'m>, constant: u64) {
        let source = self.slots.constant(constant);
        if let Some(binding) = self.slots.binding(value) {
            self.emit(Inst::Move { dst: binding.slot, src: source });
        } else {
            self.slots.bindings.insert(value, Binding { slot: source, root: value });
        }
    }

    /// After an instruction is lowered: its operands have one use less, its temporaries are free.
    pub fn release(&mut self, instruction: Value<'m>) {
        for index in 0..instruction.n_operands() {
            let operand = instruction.operand(index);
            let Some(binding) = self.slots.binding(operand) else { continue };
            let Some(counted) = self.slots.counted.get_mut(&binding.root) else { continue };
            counted.uses -= 1;
            if counted.uses == 0 {
                self.give_back(binding.root);
            }
        }
        if self.slots.counted.get(&instruction).is_some_and(|counted| counted.uses == 0) {
            self.give_back(instruction);
        }
        while let Some((slot, n_slots)) = self.slots.temporaries.pop() {
            self.slots.free.entry(n_slots).or_default().push(slot);
        }
    }

    fn give_back(&mut self, root: Value<'m>) {
        if let Some(counted) = self.slots.counted.remove(&root) {
            self.slots.free.entry(counted.n_slots).or_default().push(counted.slot);
        }
    }

    pub fn move_slots(&mut self, dst: Slot, src: Slot, n_slots: u32) {
        if dst != src {
            for index in 0..n_slots {
                self.emit(Inst::Move { dst: Slot(dst.0 + index), src: Slot(src.0 + index) });
            }
        }
    }
}
