//! Which way round conditions stand in the source. Clang turns the condition of `if (!a)` around and swaps where
//! the branch leads; only the names that it gives to blocks still tell.

use super::module::Module;
use super::value::{Block, Opcode, Value};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::c_uint;

/// Where control goes from the left of `&&` if it is true, from the left of `||` if it is false, and from other
/// conditions if they are true.
const AND: &[&str] = &["land.lhs.true", "land.rhs"];
const OR: &[&str] = &["lor.lhs.false", "lor.rhs"];
const TRUE: &[&str] = &["if.then", "cond.true", "for.body", "while.body", "do.body"];

fn kind(context: LLVMContextRef) -> c_uint {
    let name = c"gordian.negated";
    // SAFETY: the context is live; the name is copied.
    unsafe { LLVMGetMDKindIDInContext(context, name.as_ptr(), name.to_bytes().len() as c_uint) }
}

impl Module<'_> {
    /// Marks the branches of a module that clang has just compiled, with the names of its blocks.
    pub fn mark_negated_branches(&mut self) {
        // SAFETY: the module is live, and metadata changes nothing that a borrowed value could see.
        unsafe {
            let context = LLVMGetModuleContext(self.raw());
            let kind = kind(context);
            let node = LLVMMDNodeInContext2(context, std::ptr::null_mut(), 0);
            for branch in self.functions().flat_map(|function| function.blocks()).map(Block::terminator) {
                if branch.opcode() == Opcode::Br && branch.condition().is_some() && is_turned_around(branch) {
                    LLVMSetMetadata(branch.raw(), kind, LLVMMetadataAsValue(context, node));
                }
            }
        }
    }

    /// Forgets the names of locals and blocks, and what [`Module::mark_negated_branches`] has noted.
    pub(super) fn drop_names(&self) {
        let forget = |value: Value<'_>| {
            // SAFETY: the value is live; an empty name is none.
            unsafe { LLVMSetValueName2(value.raw(), c"".as_ptr(), 0) };
        };
        for function in self.functions() {
            function.params().into_iter().for_each(forget);
            for block in function.blocks() {
                forget(block.as_value());
                for instruction in block.instructions() {
                    forget(instruction);
                }
                let last = block.terminator();
                // SAFETY: the instruction is live; no metadata of this kind is left.
                unsafe {
                    let context = LLVMGetTypeContext(LLVMTypeOf(last.raw()));
                    LLVMSetMetadata(last.raw(), kind(context), std::ptr::null_mut());
                }
            }
        }
    }
}

impl Value<'_> {
    /// Whether the condition in the source is the negation of the branch's.
    pub fn is_negated(self) -> bool {
        // SAFETY: only instructions are asked for their metadata.
        self.is_instruction()
            && unsafe {
                let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
                !LLVMGetMetadata(self.raw(), kind(context)).is_null()
            }
    }
}

fn is_turned_around(branch: Value<'_>) -> bool {
    let names: Vec<String> = branch.successors().into_iter().map(|block| block.as_value().name()).collect();
    let leads = |successor: usize, to: &[&str]| {
        let name = names[successor].trim_end_matches(|c: char| c.is_ascii_digit());
        to.contains(&name)
    };
    let (then, otherwise) = (0, 1);
    if leads(then, AND) || leads(otherwise, AND) {
        !leads(then, AND)
    } else if leads(then, OR) || leads(otherwise, OR) {
        !leads(otherwise, OR)
    } else {
        leads(otherwise, TRUE) && !leads(then, TRUE)
    }
}
