//! Declarations that differ from those of `llvm-sys`: functions that return a C enum give the number
//! itself here (a number that the Rust enum lacks would be undefined behaviour), and
//! `LLVMGetRawDataValues` is mistyped there.

use llvm_sys::prelude::*;
use std::ffi::{c_char, c_uint};

unsafe extern "C" {
    pub fn LLVMGetInstructionOpcode(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetConstOpcode(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetTypeKind(ty: LLVMTypeRef) -> c_uint;
    pub fn LLVMGetValueKind(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetOrdering(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetCmpXchgSuccessOrdering(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetCmpXchgFailureOrdering(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetAtomicRMWBinOp(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetICmpPredicate(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetFCmpPredicate(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetLinkage(value: LLVMValueRef) -> c_uint;
    pub fn LLVMGetMetadataKind(metadata: LLVMMetadataRef) -> c_uint;
    pub fn LLVMDbgRecordGetKind(record: LLVMDbgRecordRef) -> c_uint;
    pub fn LLVMGetRawDataValues(value: LLVMValueRef, size: *mut usize) -> *const c_char;
}
