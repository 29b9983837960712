//! Contexts and modules: reading, checking, linking, passes.

use super::types::DataLayout;
use super::value::{Value, ValueKind};
use super::{c_string, raw, take_message, text};
use llvm_sys::analysis::{LLVMVerifierFailureAction, LLVMVerifyModule};
use llvm_sys::bit_reader::LLVMGetBitcodeModuleInContext2;
use llvm_sys::bit_writer::LLVMWriteBitcodeToMemoryBuffer;
use llvm_sys::core::*;
use llvm_sys::debuginfo::LLVMStripModuleDebugInfo;
use llvm_sys::error::{LLVMDisposeErrorMessage, LLVMGetErrorMessage};
use llvm_sys::ir_reader::LLVMParseIRInContext2;
use llvm_sys::linker::LLVMLinkModules2;
use llvm_sys::prelude::*;
use llvm_sys::target::LLVMGetModuleDataLayout;
use llvm_sys::transforms::pass_builder::*;
use llvm_sys::{LLVMDiagnosticSeverity, LLVMLinkage};
use std::cell::RefCell;
use std::ffi::{CStr, c_void};
use std::marker::PhantomData;
use std::ptr;

/// Owns everything LLVM allocates for one program, and collects what LLVM complains about.
pub struct Context {
    raw: LLVMContextRef,
    /// Boxed: LLVM keeps its address.
    messages: Box<RefCell<Vec<String>>>,
}

extern "C" fn collect(info: LLVMDiagnosticInfoRef, messages: *mut c_void) {
    // SAFETY: LLVM passes a live diagnostic and the pointer given in `Context::new`, which lives as
    // long as the context; a context is used by one thread only (it is neither Send nor Sync).
    unsafe {
        if LLVMGetDiagInfoSeverity(info) == LLVMDiagnosticSeverity::LLVMDSError {
            let messages = &*messages.cast::<RefCell<Vec<String>>>();
            messages.borrow_mut().push(take_message(LLVMGetDiagInfoDescription(info)));
        }
    }
}

impl Context {
    pub fn new() -> Context {
        let messages = Box::new(RefCell::new(Vec::new()));
        // SAFETY: a fresh context; the handler's argument outlives it (see `Drop`).
        let raw = unsafe {
            let raw = LLVMContextCreate();
            let argument = ptr::from_ref::<RefCell<Vec<String>>>(&messages).cast_mut().cast();
            LLVMContextSetDiagnosticHandler(raw, Some(collect), argument);
            raw
        };
        Context { raw, messages }
    }

    /// What LLVM complained about since the last call.
    pub fn take_messages(&self) -> String {
        self.messages.borrow_mut().drain(..).collect::<Vec<_>>().join("\n")
    }

    /// The target of bitcode or assembly that a child has found readable.
    pub fn target_of(&self, bytes: &[u8]) -> Option<String> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            let line = text.lines().find_map(|line| line.trim_start().strip_prefix("target triple"));
            return Some(line.and_then(|line| line.split('"').nth(1)).unwrap_or_default().to_owned());
        }
        let name = c"input";
        // SAFETY: LLVM copies the bytes, and takes over the buffer when it succeeds.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr());
            let mut module = ptr::null_mut();
            if LLVMGetBitcodeModuleInContext2(self.raw, buffer, &mut module) != 0 {
                LLVMDisposeMemoryBuffer(buffer);
                return None;
            }
            Some(Module::new(module).target())
        }
    }

    /// Bitcode or assembly. LLVM may abort the process on corrupt bitcode: only for what clang has written.
    pub fn parse(&self, bytes: &[u8], name: &str) -> Result<Module<'_>, String> {
        let name = c_string(name);
        // SAFETY: LLVM copies the bytes (and adds the zero byte that its text parser wants), and does
        // not take over the buffer.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRangeCopy(bytes.as_ptr().cast(), bytes.len(), name.as_ptr());
            let (mut module, mut message) = (ptr::null_mut(), ptr::null_mut());
            let failed = LLVMParseIRInContext2(self.raw, buffer, &mut module, &mut message) != 0;
            LLVMDisposeMemoryBuffer(buffer);
            let message = take_message(message);
            if failed { Err(self.or_messages(message)) } else { Ok(Module::new(module)) }
        }
    }

    /// Bitcode of which LLVM reads function bodies only when the linker wants them.
    pub fn parse_lazily(&self, bytes: &'static [u8], name: &str) -> Result<Module<'_>, String> {
        let name = c_string(name);
        // SAFETY: the bytes are static, so that the lazy reader may keep them; it takes over the buffer
        // when it succeeds.
        unsafe {
            let buffer = LLVMCreateMemoryBufferWithMemoryRange(bytes.as_ptr().cast(), bytes.len(), name.as_ptr(), 0);
            let mut module = ptr::null_mut();
            if LLVMGetBitcodeModuleInContext2(self.raw, buffer, &mut module) != 0 {
                LLVMDisposeMemoryBuffer(buffer);
                return Err(self.take_messages());
            }
            Ok(Module::new(module))
        }
    }

    fn or_messages(&self, message: String) -> String {
        let collected = self.take_messages();
        if message.is_empty() { collected } else { message }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left.
        unsafe { LLVMContextDispose(self.raw) }
    }
}

pub struct Module<'c> {
    raw: LLVMModuleRef,
    _context: PhantomData<&'c Context>,
}

/// Marks what comes from gordian's libc; sections survive linking and mean nothing to us otherwise.
const LIBC_SECTION: &CStr = c".gordian.libc";

impl<'c> Module<'c> {
    fn new(raw: LLVMModuleRef) -> Self {
        Module { raw, _context: PhantomData }
    }

    pub(super) fn raw(&self) -> LLVMModuleRef {
        self.raw
    }

    pub fn verify(&self) -> Result<(), String> {
        let mut message = ptr::null_mut();
        // SAFETY: the module is live; the message becomes ours.
        let (broken, message) = unsafe {
            let action = LLVMVerifierFailureAction::LLVMReturnStatusAction;
            (LLVMVerifyModule(self.raw, action, &mut message) != 0, take_message(message))
        };
        if broken { Err(message) } else { Ok(()) }
    }

    pub fn target(&self) -> String {
        // SAFETY: the string belongs to the module and is copied at once.
        unsafe { CStr::from_ptr(LLVMGetTarget(self.raw)) }.to_string_lossy().into_owned()
    }

    pub fn data_layout(&self) -> DataLayout<'_> {
        // SAFETY: the layout belongs to the module, whose lifetime the result carries.
        DataLayout::new(unsafe { LLVMGetModuleDataLayout(self.raw) })
    }

    /// Moves everything of `source` here.
    pub fn link(&mut self, source: Module<'c>) -> Result<(), ()> {
        let raw = source.raw;
        std::mem::forget(source);
        // SAFETY: both modules belong to the context `'c`; the linker takes over the source.
        if unsafe { LLVMLinkModules2(self.raw, raw) } == 0 { Ok(()) } else { Err(()) }
    }

    pub fn run_passes(&mut self, passes: &str) -> Result<(), String> {
        run(passes, |passes, options| {
            // SAFETY: no target machine is needed.
            unsafe { LLVMRunPasses(self.raw, passes, ptr::null_mut(), options) }
        })
    }

    /// The bitcode of this module without debug information and names of files: what it does, and
    /// nothing of where it was compiled.
    pub fn anonymous_bitcode(&self) -> Vec<u8> {
        // SAFETY: the clone and the buffer are ours and freed here; the bytes are copied before.
        unsafe {
            let clone = Module::new(LLVMCloneModule(self.raw));
            LLVMStripModuleDebugInfo(clone.raw);
            clone.drop_names();
            LLVMSetModuleIdentifier(clone.raw, c"program".as_ptr(), 7);
            LLVMSetSourceFileName(clone.raw, c"program".as_ptr(), 7);
            let buffer = LLVMWriteBitcodeToMemoryBuffer(clone.raw);
            let start = LLVMGetBufferStart(buffer).cast::<u8>();
            let bytes = std::slice::from_raw_parts(start, LLVMGetBufferSize(buffer)).to_vec();
            LLVMDisposeMemoryBuffer(buffer);
            bytes
        }
    }

    /// Whether arithmetic on constants was undefined and became poison. Aggregates are built up from poison,
    /// which means nothing.
    pub fn has_folded_arithmetic(&self) -> bool {
        use super::value::Opcode::{InsertElement, InsertValue, ShuffleVector};
        let builds_up =
            |instruction: &Value<'_>| matches!(instruction.opcode(), InsertValue | InsertElement | ShuffleVector);
        let is_poison = |value: Value<'_>| {
            value.is_poison() || (0..8).map_while(|index| value.const_element(index)).any(Value::is_poison)
        };
        self.functions()
            .flat_map(|function| function.blocks())
            .flat_map(|block| block.instructions())
            .filter(|instruction| !builds_up(instruction))
            .any(|instruction| (0..instruction.n_operands()).any(|index| is_poison(instruction.operand(index))))
    }

    pub fn functions(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: the module is live and borrowed for as long as the iterator.
        self.values(unsafe { LLVMGetFirstFunction(self.raw) }, LLVMGetNextFunction)
    }

    pub fn globals(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as for `functions`.
        self.values(unsafe { LLVMGetFirstGlobal(self.raw) }, LLVMGetNextGlobal)
    }

    pub fn aliases(&self) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: as for `functions`.
        self.values(unsafe { LLVMGetFirstGlobalAlias(self.raw) }, LLVMGetNextGlobalAlias)
    }

    fn values(
        &self,
        first: LLVMValueRef,
        next: unsafe extern "C" fn(LLVMValueRef) -> LLVMValueRef,
    ) -> impl Iterator<Item = Value<'_>> {
        // SAFETY: `next` walks the list that `first` belongs to.
        std::iter::successors(Value::from_raw(first), move |value| Value::from_raw(unsafe { next(value.raw()) }))
    }

    pub fn function(&self, name: &str) -> Option<Value<'_>> {
        let name = c_string(name);
        // SAFETY: the module is live; null means that there is none.
        Value::from_raw(unsafe { LLVMGetNamedFunction(self.raw, name.as_ptr()) })
    }

    /// The initialiser of a global that LLVM gives a meaning, such as `llvm.global_ctors`.
    pub fn special_global(&self, name: &str) -> Option<Value<'_>> {
        let name = c_string(name);
        // SAFETY: the module is live; null means that there is none.
        Value::from_raw(unsafe { LLVMGetNamedGlobal(self.raw, name.as_ptr()) }).and_then(Value::initializer)
    }

    /// Functions compiled with -O0 ask the passes to leave them alone; we do not.
    pub fn forget_optnone(&mut self) {
        for function in self.functions() {
            // SAFETY: the function is live; removing an attribute that is not there does nothing.
            unsafe {
                for name in [c"optnone", c"noinline"] {
                    let kind = LLVMGetEnumAttributeKindForName(name.as_ptr(), name.to_bytes().len());
                    LLVMRemoveEnumAttributeAtIndex(function.raw(), llvm_sys::LLVMAttributeFunctionIndex, kind);
                }
            }
        }
    }

    /// Makes every definition here yield to one of the same name in another module, to be linked only
    /// when someone refers to it, and marks it as libc's.
    pub fn become_library(&mut self) {
        for value in self.functions().chain(self.globals()) {
            if value.is_declaration() || value.name().starts_with("llvm.") {
                continue;
            }
            // SAFETY: `value` is a global object of this module.
            unsafe {
                LLVMSetSection(value.raw(), LIBC_SECTION.as_ptr());
                let local = [LLVMLinkage::LLVMInternalLinkage as u32, LLVMLinkage::LLVMPrivateLinkage as u32];
                if !local.contains(&raw::LLVMGetLinkage(value.raw())) {
                    LLVMSetLinkage(value.raw(), LLVMLinkage::LLVMLinkOnceODRLinkage);
                }
            }
        }
    }
}

/// Runs passes by name; an error becomes a message.
pub(super) fn run(
    passes: &str,
    run: impl FnOnce(*const std::ffi::c_char, LLVMPassBuilderOptionsRef) -> llvm_sys::error::LLVMErrorRef,
) -> Result<(), String> {
    let passes = c_string(passes);
    // SAFETY: the options are ours and freed here; so is an error.
    unsafe {
        let options = LLVMCreatePassBuilderOptions();
        let error = run(passes.as_ptr(), options);
        LLVMDisposePassBuilderOptions(options);
        if error.is_null() {
            return Ok(());
        }
        let message = LLVMGetErrorMessage(error);
        let copy = CStr::from_ptr(message).to_string_lossy().into_owned();
        LLVMDisposeErrorMessage(message);
        Err(copy)
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: values borrow the module, so none is left.
        unsafe { LLVMDisposeModule(self.raw) }
    }
}

impl<'m> Value<'m> {
    /// Whether [`Module::become_library`] marked it.
    pub fn is_libc(self) -> bool {
        if !matches!(self.kind(), ValueKind::Function | ValueKind::GlobalVariable) {
            return false;
        }
        // SAFETY: it is a global object; its section's name is zero-terminated, or null.
        unsafe {
            let section = LLVMGetSection(self.raw());
            !section.is_null() && CStr::from_ptr(section) == LIBC_SECTION
        }
    }

    pub fn is_extern_weak(self) -> bool {
        // SAFETY: the kind is checked.
        self.is_global() && unsafe { raw::LLVMGetLinkage(self.raw()) } == LLVMLinkage::LLVMExternalWeakLinkage as u32
    }

    pub fn name(self) -> String {
        let mut len = 0;
        // SAFETY: LLVM owns the string, which is copied at once.
        unsafe {
            let name = LLVMGetValueName2(self.raw(), &mut len);
            text(name, len)
        }
    }
}
