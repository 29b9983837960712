//! One function: its blocks, and which instruction is lowered where.

use super::slots::{FIRST_CONST, Slots};
use super::{Lowering, Unsupported};
use crate::ffi::{Block, Opcode, Value};
use crate::renewed::Renewed;
use gordian_base::{FxHashMap, FxHashSet, IndexVec};
use gordian_ir::{Function, Inst, Loc, Slot, Variable};

pub struct FunctionLowering<'a, 'm> {
    pub module: &'a mut Lowering<'m>,
    pub out: Function,
    pub slots: Slots<'m>,
    /// Of the instruction at hand.
    pub loc: Loc,
    /// Until the end jumps go to *marks*; this tells where each mark stands in the code.
    pub marks: Vec<Option<u32>>,
    pub block_marks: FxHashMap<Block<'m>, u32>,
    /// The mark of the block after the one at hand, to which control falls through.
    pub next_block: Option<u32>,
    /// For labels that are jumped to: the mark of the code that moves their phis' values in place.
    pub landings: FxHashMap<Block<'m>, u32>,
    /// Where an indirect jump puts the value for a phi of its destination.
    pub landing_slots: FxHashMap<Value<'m>, Slot>,
    /// For values that may not be set: the slots that say which of their bits are not.
    pub unset: FxHashMap<Value<'m>, Slot>,
    /// Locals that begin where their block is entered.
    pub renewed: Renewed<'m>,
    /// Places at which several branches stand.
    pub shared_places: FxHashSet<Loc>,
    /// Names of the locals that live in memory.
    variables: FxHashMap<Value<'m>, Variable>,
}

pub fn lower<'m>(module: &mut Lowering<'m>, function: Value<'m>) -> Function {
    let described = module.debug.function(function);
    let ty = function.value_type();
    let n_slots = module.shapes.of(ty.return_type()).n_slots;
    let n_returns = if module.has_unset_result(function) { 2 * n_slots } else { n_slots };
    let out = Function {
        name: described.name(function.name()),
        loc: described.loc,
        internal: function.is_libc(),
        n_params: 0,
        n_returns,
        variadic: ty.is_variadic(),
        n_registers: 0,
        consts: Vec::new(),
        code: Vec::new(),
        locs: Vec::new(),
        calls: Vec::new(),
        switches: IndexVec::new(),
        allocas: Vec::new(),
        labels: Vec::new(),
        n_loops: 0,
        undefined: Vec::new(),
        unsupported: Vec::new(),
    };
    // Optimised code may compute pointers to a local before its life starts.
    let is_renewed = module.is_compiled && !function.is_libc();
    let renewed = if is_renewed { Renewed::of(function) } else { Renewed::default() };
    let mut lowering = FunctionLowering {
        module,
        out,
        slots: Slots::default(),
        loc: Loc::NONE,
        marks: Vec::new(),
        block_marks: FxHashMap::default(),
        next_block: None,
        landings: FxHashMap::default(),
        landing_slots: FxHashMap::default(),
        unset: FxHashMap::default(),
        renewed,
        shared_places: FxHashSet::default(),
        variables: FxHashMap::default(),
    };
    lowering.run(function);
    lowering.out
}

impl<'m> FunctionLowering<'_, 'm> {
    fn run(&mut self, function: Value<'m>) {
        for param in function.params() {
            let shape = self.module.shapes.of(param.ty());
            self.slots.bind_parameter(param, shape.n_slots);
        }
        self.bind_unset_params(function);
        self.out.n_params = self.slots.n_registers;
        let blocks = reachable_blocks(function);
        for &block in &blocks {
            let mark = self.new_mark();
            self.block_marks.insert(block, mark);
            self.find_variables(block);
        }
        self.find_shared_places(&blocks);
        for &block in &blocks {
            self.coalesce(block);
        }
        for (index, &block) in blocks.iter().enumerate() {
            self.set_mark(self.block_marks[&block]);
            self.next_block = blocks.get(index + 1).map(|next| self.block_marks[next]);
            self.lower_block(block);
        }
        self.lower_landings(function);
        self.finish();
    }

    fn find_variables(&mut self, block: Block<'m>) {
        for instruction in block.instructions() {
            for (place, node) in instruction.declared_variables() {
                let size = match place.is_instruction() && place.opcode() == Opcode::Alloca {
                    true => Some(self.module.layout.size_of(place.allocated_type())),
                    false => None,
                };
                let variable = self.module.debug.local(node, size);
                self.variables.entry(place).or_insert(variable);
            }
        }
    }

    fn find_shared_places(&mut self, blocks: &[Block<'m>]) {
        let mut seen = FxHashSet::default();
        for block in blocks {
            let last = block.terminator();
            if last.opcode() == Opcode::Br && last.condition().is_some() {
                let loc = self.module.debug.loc(last);
                if !seen.insert(loc) {
                    self.shared_places.insert(loc);
                }
            }
        }
    }

    pub fn variable(&mut self, alloca: Value<'m>) -> Variable {
        self.variables.remove(&alloca).unwrap_or_default()
    }

    fn lower_block(&mut self, block: Block<'m>) {
        let mut instructions = block.instructions().peekable();
        while let Some(instruction) = instructions.next() {
            self.loc = self.module.debug.loc(instruction);
            if let Some(&branch) = instructions.peek()
                && self.is_fusible(instruction, branch)
            {
                let noted = self.note_unset(instruction);
                self.loc = self.module.debug.loc(branch);
                let noted = noted.and_then(|()| self.note_unset(branch));
                if let Err(reason) = noted.and_then(|()| self.lower_compare_and_branch(instruction, branch)) {
                    self.unsupported(reason);
                    self.emit(Inst::Unreachable);
                }
                self.release(instruction);
                self.release(branch);
                return;
            }
            let noted = self.note_unset(instruction);
            let result = noted.and_then(|()| self.lower_instruction(instruction));
            self.finish_instruction(instruction, result);
        }
    }

    fn finish_instruction(&mut self, instruction: Value<'m>, result: Result<(), Unsupported>) {
        if let Err(reason) = result {
            self.unsupported(reason);
            // Its users need slots to name; nothing gets there.
            self.define(instruction);
            self.end_after_unsupported(instruction);
        }
        self.release(instruction);
    }

    /// Control never passes an unsupported terminator.
    fn end_after_unsupported(&mut self, instruction: Value<'m>) {
        use Opcode::*;
        if !instruction.successors().is_empty() || matches!(instruction.opcode(), Ret | Unreachable | Resume | Other) {
            self.emit(Inst::Unreachable);
        }
    }

    fn lower_instruction(&mut self, instruction: Value<'m>) -> Result<(), Unsupported> {
        use Opcode::*;
        match instruction.opcode() {
            Add | Sub | Mul | UDiv | SDiv | URem | SRem | Shl | LShr | AShr | And | Or | Xor => {
                self.binary(instruction)
            }
            FAdd | FSub | FMul | FDiv | FRem => self.float_binary(instruction),
            FNeg => self.float_negate(instruction),
            ICmp => self.int_compare(instruction),
            FCmp => self.float_compare(instruction),
            Select => self.select(instruction),
            Trunc | ZExt | SExt => self.int_cast(instruction),
            FPToUI | FPToSI | UIToFP | SIToFP | FPTrunc | FPExt => self.float_cast(instruction),
            PtrToInt | PtrToAddr | IntToPtr => self.pointer_cast(instruction),
            BitCast => self.bit_cast(instruction),
            AddrSpaceCast | Freeze => self.alias(instruction, instruction.operand(0), 0),
            ExtractValue => self.extract_value(instruction),
            InsertValue => self.insert_value(instruction),
            ExtractElement => self.extract_element(instruction),
            InsertElement => self.insert_element(instruction),
            ShuffleVector => self.shuffle(instruction),
            Alloca => self.alloca(instruction),
            Load => self.load(instruction),
            Store => self.store(instruction),
            GetElementPtr => self.gep(instruction),
            Fence => self.fence(instruction),
            CmpXchg => self.compare_exchange(instruction),
            AtomicRmw => self.atomic_rmw(instruction),
            VAArg => self.va_arg(instruction),
            Call => self.call(instruction),
            Invoke => self.invoke(instruction),
            Phi => {
                self.define(instruction);
                Ok(())
            }
            Ret => self.ret(instruction),
            Br => self.branch(instruction),
            Switch => self.switch(instruction),
            IndirectBr => self.indirect_branch(instruction),
            Unreachable => {
                self.emit(Inst::Unreachable);
                Ok(())
            }
            CallBr => Err(super::Unsupported("assembly with jumps (asm goto)".into())),
            Resume | LandingPad => Err(super::Unsupported("exception handling".into())),
            Other => Err(super::Unsupported("instruction that gordian does not know".into())),
        }
    }

    pub fn emit(&mut self, inst: Inst) {
        self.out.code.push(inst);
        self.out.locs.push(self.loc);
    }

    pub fn unsupported(&mut self, Unsupported(reason): Unsupported) {
        let known = self.out.unsupported.iter().position(|known| *known == reason);
        let index = known.unwrap_or_else(|| {
            self.out.unsupported.push(reason);
            self.out.unsupported.len() - 1
        });
        self.emit(Inst::Unsupported { reason: index as u32 });
    }

    pub fn new_mark(&mut self) -> u32 {
        self.marks.push(None);
        self.marks.len() as u32 - 1
    }

    pub fn set_mark(&mut self, mark: u32) {
        self.marks[mark as usize] = Some(self.out.code.len() as u32);
    }

    /// Puts the constants behind the registers and the marks' places into the jumps.
    fn finish(&mut self) {
        let n_registers = self.slots.n_registers;
        let final_slot = |slot: &mut Slot| {
            if slot.0 >= FIRST_CONST {
                slot.0 = slot.0 - FIRST_CONST + n_registers;
            }
        };
        let place = |mark: u32| self.marks[mark as usize].expect("every mark that is jumped to is set");
        for inst in &mut self.out.code {
            inst.for_each_slot_mut(final_slot);
            inst.for_each_target_mut(|target| *target = place(*target));
        }
        for site in &mut self.out.calls {
            site.for_each_slot_mut(final_slot);
        }
        for table in self.out.switches.iter_mut() {
            table.default = place(table.default);
            for (_, target) in &mut table.cases {
                *target = place(*target);
            }
        }
        for label in &mut self.out.labels {
            *label = place(*label);
        }
        // Where loops are counted they must be as the user wrote them, the condition in one place.
        if !self.module.options.count_loops {
            thread_jumps(&mut self.out);
        }
        self.out.n_registers = n_registers;
        self.out.consts = std::mem::take(&mut self.slots.consts);
    }
}

/// In the order of the text, entry first.
fn reachable_blocks(function: Value<'_>) -> Vec<Block<'_>> {
    let Some(entry) = function.blocks().next() else { return Vec::new() };
    let mut seen = FxHashSet::default();
    seen.insert(entry);
    let mut open = vec![entry];
    while let Some(block) = open.pop() {
        for successor in block.terminator().successors() {
            if seen.insert(successor) {
                open.push(successor);
            }
        }
    }
    function.blocks().filter(|block| seen.contains(block)).collect()
}

/// A jump to a branch becomes that branch: a loop saves one instruction each time around.
fn thread_jumps(function: &mut Function) {
    for pc in 0..function.code.len() {
        let Inst::Jump { target } = function.code[pc] else { continue };
        let behind = function.code[target as usize];
        if matches!(behind, Inst::Branch { .. } | Inst::BranchCmp { .. } | Inst::Return { .. }) {
            function.code[pc] = behind;
            function.locs[pc] = function.locs[target as usize];
        }
    }
}
