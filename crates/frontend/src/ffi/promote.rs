//! Runs sroa for some locals of a module only, and keeps apart what was never set.

use super::module::{Module, run};
use super::types::DataLayout;
use super::value::{Opcode, Value};
use gordian_base::FxHashMap;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::transforms::pass_builder::{LLVMRunPasses, LLVMRunPassesOnFunction};
use std::ptr;

/// Tells the locals of a function that sroa must leave alone.
pub type Kept = for<'m> fn(Value<'m>, DataLayout<'m>) -> Vec<Value<'m>>;

/// Pointers to pointers to locals: each level takes a round. What is left after these stays in memory.
const MOST_ROUNDS: usize = 8;

/// The name of functions whose result is a value that was never set; a number may follow.
const UNSET: &str = "gordian.unset";

/// What is added to a module and taken out again.
struct Helpers {
    module: LLVMModuleRef,
    builder: LLVMBuilderRef,
    /// A function that takes a pointer and does something unknown with it, and its type.
    keeper: (LLVMValueRef, LLVMTypeRef),
    /// By type: a function that gives a value that was never set.
    unset: FxHashMap<LLVMTypeRef, (LLVMValueRef, LLVMTypeRef)>,
    calls: Vec<LLVMValueRef>,
    values: Vec<LLVMValueRef>,
}

impl Module<'_> {
    /// Runs sroa on all functions, but for the locals that `kept` names of a function. Where that makes
    /// `kept` let go of locals that it named before, it runs again on that function.
    pub fn promote_locals(&mut self, kept: Kept) -> Result<(), String> {
        let mut helpers = Helpers::new(self.raw());
        let functions: Vec<Value<'_>> = self.functions().filter(|function| !function.is_declaration()).collect();
        let layout = self.data_layout();
        let mut before = Vec::new();
        for &function in &functions {
            let allocas = kept(function, layout);
            helpers.prepare(function, &allocas, &[]);
            before.push(allocas);
        }
        let mut result = run("function(sroa)", |passes, options| {
            // SAFETY: no target machine is needed.
            unsafe { LLVMRunPasses(self.raw(), passes, ptr::null_mut(), options) }
        });
        helpers.erase_calls();
        for (function, before) in functions.into_iter().zip(before) {
            result = result.and_then(|()| promote_again(&mut helpers, function, before, layout, kept));
        }
        helpers.clean_up();
        result
    }
}

fn promote_again<'m>(
    helpers: &mut Helpers,
    function: Value<'m>,
    mut before: Vec<Value<'m>>,
    layout: DataLayout<'m>,
    kept: Kept,
) -> Result<(), String> {
    for _ in 0..MOST_ROUNDS {
        if before.is_empty() {
            break;
        }
        let now = kept(function, layout);
        let free: Vec<Value<'m>> = before.iter().filter(|alloca| !now.contains(alloca)).copied().collect();
        if free.is_empty() {
            break;
        }
        helpers.prepare(function, &now, &free);
        let result = run("sroa", |passes, options| {
            // SAFETY: the function is live and has a body; no target machine is needed.
            unsafe { LLVMRunPassesOnFunction(function.raw(), passes, ptr::null_mut(), options) }
        });
        helpers.erase_calls();
        result?;
        before = now;
    }
    Ok(())
}

impl Helpers {
    fn new(module: LLVMModuleRef) -> Helpers {
        // SAFETY: the types and the declaration belong to this module, and are used with it alone.
        unsafe {
            let context = LLVMGetModuleContext(module);
            let mut pointer = LLVMPointerTypeInContext(context, 0);
            let ty = LLVMFunctionType(LLVMVoidTypeInContext(context), &mut pointer, 1, 0);
            let keeper = (LLVMAddFunction(module, c"gordian.keep".as_ptr(), ty), ty);
            let builder = LLVMCreateBuilderInContext(context);
            let (unset, calls, values) = (FxHashMap::default(), Vec::new(), Vec::new());
            Helpers { module, builder, keeper, unset, calls, values }
        }
    }

    /// Lets the addresses of the locals in `kept` escape, and gives others a value that was never set where they begin to
    /// live: all others, or those in `only` if there are any. sroa would give them `undef`, and take a choice between that
    /// and something else for the latter.
    fn prepare<'m>(&mut self, function: Value<'m>, kept: &[Value<'m>], only: &[Value<'m>]) {
        let instructions = function.blocks().flat_map(|block| block.instructions());
        let allocas: Vec<Value<'m>> = instructions.filter(|it| it.opcode() == Opcode::Alloca).collect();
        for alloca in allocas {
            if kept.contains(&alloca) {
                self.keep(alloca);
            } else if (only.is_empty() || only.contains(&alloca)) && !function.is_libc() {
                self.unset(alloca);
            }
        }
    }

    fn keep(&mut self, alloca: Value<'_>) {
        let (keeper, ty) = self.keeper;
        // SAFETY: an alloca is no terminator, so something follows it; the function takes a pointer.
        unsafe {
            LLVMPositionBuilderBefore(self.builder, LLVMGetNextInstruction(alloca.raw()));
            let mut argument = alloca.raw();
            self.calls.push(LLVMBuildCall2(self.builder, ty, keeper, &mut argument, 1, c"".as_ptr()));
        }
    }

    fn unset(&mut self, alloca: Value<'_>) {
        let ty = alloca.allocated_type();
        if !ty.is_scalar() || alloca.operand(0).const_integer() != Some(1) {
            return;
        }
        let is_start = |user: &Value<'_>| {
            user.opcode() == Opcode::Call
                && user.called().is_intrinsic()
                && user.called().name().starts_with("llvm.lifetime.start")
        };
        let starts: Vec<Value<'_>> = alloca.users().filter(is_start).collect();
        let places = if starts.is_empty() { vec![alloca] } else { starts };
        for place in places {
            // SAFETY: neither an alloca nor a call is a terminator, so something follows it; the alloca is of the type of
            // the value.
            unsafe {
                let (function, function_type) = self.unset_function(ty.raw());
                LLVMPositionBuilderBefore(self.builder, LLVMGetNextInstruction(place.raw()));
                let value = LLVMBuildCall2(self.builder, function_type, function, ptr::null_mut(), 0, c"".as_ptr());
                LLVMBuildStore(self.builder, value, alloca.raw());
                self.values.push(value);
            }
        }
    }

    /// # Safety
    /// The type belongs to the context of the module.
    unsafe fn unset_function(&mut self, ty: LLVMTypeRef) -> (LLVMValueRef, LLVMTypeRef) {
        let module = self.module;
        *self.unset.entry(ty).or_insert_with(|| {
            // SAFETY: the caller vouches for the type; LLVM makes the name unique.
            unsafe {
                let function_type = LLVMFunctionType(ty, ptr::null_mut(), 0, 0);
                (LLVMAddFunction(module, c"gordian.unset".as_ptr(), function_type), function_type)
            }
        })
    }

    fn erase_calls(&mut self) {
        for call in self.calls.drain(..) {
            // SAFETY: sroa does not remove a call that may do anything, and nobody uses what it returns.
            unsafe { LLVMInstructionEraseFromParent(call) };
        }
    }

    /// Takes out what sroa had no use for: the locals that it left in memory must be as they were.
    fn clean_up(self) {
        for call in self.values {
            let value = Value::existing(call);
            let stores: Vec<Value<'_>> = value
                .users()
                .filter(|user| user.opcode() == Opcode::Store && user.operand(0) == value)
                .filter(|store| store.operand(1).opcode() == Opcode::Alloca)
                .collect();
            // SAFETY: a call that may do anything is still there; nobody uses a store, and the call only if nobody uses it.
            unsafe {
                for store in stores {
                    LLVMInstructionEraseFromParent(store.raw());
                }
                if value.users().next().is_none() {
                    LLVMInstructionEraseFromParent(call);
                }
            }
        }
        // SAFETY: the calls of the keeper are gone; the builder is ours.
        unsafe {
            LLVMDeleteFunction(self.keeper.0);
            LLVMDisposeBuilder(self.builder);
        }
    }
}

impl Value<'_> {
    /// Whether this is a call that stands for a value that was never set.
    pub fn is_unset(self) -> bool {
        self.opcode() == Opcode::Call && self.called().is_unset_function()
    }

    pub fn is_unset_function(self) -> bool {
        self.is_function() && self.name().starts_with(UNSET)
    }
}
