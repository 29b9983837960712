//! Jumps, and what phis need on the way.

use super::function::FunctionLowering;
use super::{Result, Unsupported};
use crate::ffi::{Block, Opcode, TypeKind, Value};
use gordian_ir::{Inst, Pred, Slot, SwitchTable};

/// A move of one slot, as part of a parallel copy.
type Copy = (Slot, Slot);

impl<'m> FunctionLowering<'_, 'm> {
    pub fn ret(&mut self, instruction: Value<'m>) -> Result<()> {
        let src = match instruction.n_operands() {
            0 => Slot(0),
            _ => {
                let value = instruction.operand(0);
                self.module.shapes.of(value.ty()).check()?;
                self.operand(value)?
            }
        };
        let src = self.unset_returned(instruction, src);
        self.emit(Inst::Return { src });
        Ok(())
    }

    pub fn branch(&mut self, instruction: Value<'m>) -> Result<()> {
        let from = instruction.parent();
        let successors = instruction.successors();
        if self.check(instruction)? {
            return Ok(());
        }
        let Some(condition) = instruction.condition() else {
            return self.go_to(from, successors[0]);
        };
        let negated = self.place_branch(instruction, condition);
        let cond = self.operand(condition)?;
        self.two_way(from, &successors, |then, otherwise| Inst::Branch { negated, cond, then, otherwise })
    }

    /// Whether the branch that follows is the only one that needs this comparison.
    pub fn is_fusible(&self, compare: Value<'m>, branch: Value<'m>) -> bool {
        compare.opcode() == Opcode::ICmp
            && !compare.is_nosanitize()
            && branch.opcode() == Opcode::Br
            && branch.condition() == Some(compare)
            && compare.users().count() == 1
            && match compare.operand(0).ty().kind() {
                TypeKind::Integer => compare.operand(0).ty().width() <= 64,
                TypeKind::Pointer => true,
                _ => false,
            }
    }

    pub fn lower_compare_and_branch(&mut self, compare: Value<'m>, branch: Value<'m>) -> Result<()> {
        let (pred, swapped) = super::arithmetic::int_predicate(compare.int_predicate())?;
        let w = self.module.shapes.of(compare.operand(0).ty()).scalar()?.width();
        let (mut a, mut b) = (self.operand(compare.operand(0))?, self.operand(compare.operand(1))?);
        if swapped {
            std::mem::swap(&mut a, &mut b);
        }
        let negated = self.place_branch(branch, compare);
        let build = |then, otherwise| Inst::BranchCmp { pred, w, negated, a, b, then, otherwise };
        self.two_way(branch.parent(), &branch.successors(), build)
    }

    /// Sets the place of a branch in the source, and says whether the condition there is the negation of the one at
    /// hand. The branches of `a && b` stand at the same place; they are told apart by the places of their conditions,
    /// which are never negated.
    fn place_branch(&mut self, branch: Value<'m>, condition: Value<'m>) -> bool {
        if self.shared_places.contains(&self.loc) && condition.is_instruction() {
            let loc = self.module.debug.loc(condition);
            if loc.line > 0 && loc.file == self.loc.file {
                self.loc = loc;
                return false;
            }
        }
        branch.is_negated()
    }

    fn two_way(
        &mut self,
        from: Block<'m>,
        successors: &[Block<'m>],
        build: impl FnOnce(u32, u32) -> Inst,
    ) -> Result<()> {
        let mut stubs = Vec::new();
        let then = self.edge(from, successors[0], &mut stubs)?;
        let otherwise = self.edge(from, successors[1], &mut stubs)?;
        self.emit(build(then, otherwise));
        self.emit_stubs(stubs);
        Ok(())
    }

    pub fn switch(&mut self, instruction: Value<'m>) -> Result<()> {
        let value = instruction.operand(0);
        if self.module.shapes.of(value.ty()).scalar()?.is_wide() {
            return self.wide_switch(instruction);
        }
        let slot = self.operand(value)?;
        let from = instruction.parent();
        let mut stubs = Vec::new();
        let mut table = SwitchTable { cases: Vec::new(), default: 0 };
        for (number, successor) in instruction.successors().into_iter().enumerate() {
            let target = self.edge(from, successor, &mut stubs)?;
            if number == 0 {
                table.default = target;
            } else {
                let key = instruction.switch_key(number as u32).const_integer();
                table.cases.push((key.ok_or_else(|| Unsupported("switch with an odd key".into()))?, target));
            }
        }
        table.cases.sort_unstable_by_key(|(key, _)| *key);
        let table = self.out.switches.push(table);
        self.emit(Inst::Switch { value: slot, table });
        self.emit_stubs(stubs);
        Ok(())
    }

    /// Compares with one key after the other: tables have keys of 64 bits.
    fn wide_switch(&mut self, instruction: Value<'m>) -> Result<()> {
        let value = instruction.operand(0);
        let w = self.module.shapes.of(value.ty()).scalar()?.width();
        let (a, from) = (self.operand(value)?, instruction.parent());
        let successors = instruction.successors();
        let cond = self.slots.temporary(1);
        let mut stubs = Vec::new();
        for (number, successor) in successors.iter().enumerate().skip(1) {
            let b = self.operand(instruction.switch_key(number as u32))?;
            let then = self.edge(from, *successor, &mut stubs)?;
            let otherwise = self.new_mark();
            self.emit(Inst::WideCmp { pred: Pred::Eq, w, dst: cond, a, b });
            self.emit(Inst::Branch { negated: false, cond, then, otherwise });
            self.set_mark(otherwise);
        }
        let target = self.edge(from, successors[0], &mut stubs)?;
        self.emit(Inst::Jump { target });
        self.emit_stubs(stubs);
        Ok(())
    }

    /// Where a jump to a label lands depends on the label alone, so the values for its phis wait in
    /// slots of their own until they are moved in place at the landing. (Writing the phis before the
    /// jump would overwrite those of labels that are not jumped to.)
    pub fn indirect_branch(&mut self, instruction: Value<'m>) -> Result<()> {
        let address = self.operand(instruction.operand(0))?;
        let from = instruction.parent();
        let mut copies = Vec::new();
        let mut seen = Vec::new();
        for successor in instruction.successors() {
            if seen.contains(&successor) {
                continue;
            }
            seen.push(successor);
            for phi in phis(successor) {
                let n_slots = self.module.shapes.of(phi.ty()).n_slots;
                let waiting = match self.landing_slots.get(&phi) {
                    Some(slot) => *slot,
                    None => {
                        let slot = self.slots.permanent(n_slots);
                        self.landing_slots.insert(phi, slot);
                        slot
                    }
                };
                self.phi_copies(phi, waiting, from, &mut copies)?;
            }
            if !self.landings.contains_key(&successor) {
                let mark = self.new_mark();
                self.landings.insert(successor, mark);
            }
        }
        self.parallel_copy(copies);
        self.emit(Inst::JumpIndirect { address });
        Ok(())
    }

    /// The code at which jumps to labels land.
    pub fn lower_landings(&mut self, function: Value<'m>) {
        let labels: Vec<_> = function.blocks().filter(|block| self.module.labels.contains_key(block)).collect();
        self.loc = gordian_ir::Loc::NONE;
        for block in labels {
            let mark = match (self.landings.get(&block), self.block_marks.get(&block)) {
                (Some(&landing), Some(&target)) => {
                    let mut copies = Vec::new();
                    for phi in phis(block) {
                        let n_slots = self.module.shapes.of(phi.ty()).n_slots;
                        if let Some(&waiting) = self.landing_slots.get(&phi) {
                            let dst = self.define(phi);
                            copies.extend((0..n_slots).map(|index| (Slot(dst.0 + index), Slot(waiting.0 + index))));
                        }
                    }
                    if copies.is_empty() {
                        self.marks[landing as usize] = self.marks[target as usize];
                    } else {
                        self.set_mark(landing);
                        self.parallel_copy(copies);
                        self.emit(Inst::Jump { target });
                    }
                    landing
                }
                (None, Some(&target)) => target,
                // Nothing jumps to a label in code that is never reached.
                _ => {
                    let mark = self.new_mark();
                    self.set_mark(mark);
                    self.emit(Inst::Unreachable);
                    mark
                }
            };
            self.out.labels.push(mark);
        }
    }

    /// Ends a block that has one successor.
    pub fn go_to(&mut self, from: Block<'m>, to: Block<'m>) -> Result<()> {
        let copies = self.edge_copies(from, to)?;
        self.parallel_copy(copies);
        let target = self.block_marks[&to];
        if self.next_block != Some(target) {
            self.emit(Inst::Jump { target });
        }
        Ok(())
    }

    /// The mark to jump to for an edge: the block itself, or a stub that moves values first.
    fn edge(&mut self, from: Block<'m>, to: Block<'m>, stubs: &mut Vec<(u32, Vec<Copy>, u32)>) -> Result<u32> {
        let target = self.block_marks[&to];
        let copies = self.edge_copies(from, to)?;
        if copies.is_empty() {
            return Ok(target);
        }
        // A switch may have many edges to the same block; they carry the same values.
        if let Some((stub, ..)) = stubs.iter().find(|(_, _, known)| *known == target) {
            return Ok(*stub);
        }
        let stub = self.new_mark();
        stubs.push((stub, copies, target));
        Ok(stub)
    }

    fn emit_stubs(&mut self, stubs: Vec<(u32, Vec<Copy>, u32)>) {
        let last = stubs.len().saturating_sub(1);
        for (index, (stub, copies, target)) in stubs.into_iter().enumerate() {
            self.set_mark(stub);
            self.parallel_copy(copies);
            if index < last || self.next_block != Some(target) {
                self.emit(Inst::Jump { target });
            }
        }
    }

    fn edge_copies(&mut self, from: Block<'m>, to: Block<'m>) -> Result<Vec<Copy>> {
        let mut copies = Vec::new();
        for phi in phis(to) {
            let dst = self.define(phi);
            self.phi_copies(phi, dst, from, &mut copies)?;
            if let Some((value, _)) = phi.incoming().into_iter().find(|(_, block)| *block == from) {
                self.unset_copies(phi, value, &mut copies);
            }
        }
        Ok(copies)
    }

    /// What moves the value of `phi` for an edge from `from` into `dst`.
    fn phi_copies(&mut self, phi: Value<'m>, dst: Slot, from: Block<'m>, copies: &mut Vec<Copy>) -> Result<()> {
        let n_slots = self.module.shapes.of(phi.ty()).n_slots;
        let incoming = phi.incoming().into_iter().find(|(_, block)| *block == from);
        let (value, _) = incoming.ok_or_else(|| Unsupported("phi without a value for an edge".into()))?;
        // Undefined: whatever stands there will do.
        if value.kind() == crate::ffi::ValueKind::Undef {
            return Ok(());
        }
        let src = self.operand(value)?;
        copies.extend(
            (0..n_slots).map(|index| (Slot(dst.0 + index), Slot(src.0 + index))).filter(|(dst, src)| dst != src),
        );
        Ok(())
    }

    /// Moves as if all sources were read before anything is written: a move waits until nobody reads
    /// its destination any more, and what then still waits is a cycle, broken by one temporary.
    fn parallel_copy(&mut self, mut copies: Vec<Copy>) {
        while !copies.is_empty() {
            let ready = (0..copies.len()).find(|&index| {
                let (dst, _) = copies[index];
                copies.iter().enumerate().all(|(other, (_, src))| other == index || *src != dst)
            });
            match ready {
                Some(index) => {
                    // Order matters to nothing but must be the same in every run.
                    let (dst, src) = copies.remove(index);
                    self.emit(Inst::Move { dst, src });
                }
                None => {
                    let (_, src) = copies[0];
                    let temporary = self.slots.temporary(1);
                    self.emit(Inst::Move { dst: temporary, src });
                    for copy in &mut copies {
                        if copy.1 == src {
                            copy.1 = temporary;
                        }
                    }
                }
            }
        }
    }
}

pub fn phis<'m>(block: Block<'m>) -> impl Iterator<Item = Value<'m>> {
    block.instructions().take_while(|instruction| instruction.opcode() == Opcode::Phi)
}
