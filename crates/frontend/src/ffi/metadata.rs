//! Debug information. Nodes are read by operand number where the C API has no accessor; every operand
//! may be absent, and every accessor checks the kind of its node.

use super::value::Value;
use super::{raw, text};
use llvm_sys::core::*;
use llvm_sys::debuginfo::*;
use llvm_sys::prelude::*;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Metadata<'m> {
    raw: LLVMMetadataRef,
    context: LLVMContextRef,
    _module: PhantomData<&'m ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MetadataKind {
    String,
    Constant,
    Tuple,
    Location,
    GlobalVariableExpression,
    Subrange,
    BasicType,
    DerivedType,
    CompositeType,
    File,
    Subprogram,
    /// Lexical blocks, compile units and the like, which have a file.
    Scope,
    GlobalVariable,
    LocalVariable,
    Other,
}

pub struct DebugLocation<'m> {
    pub line: u32,
    pub column: u32,
    pub scope: Metadata<'m>,
}

impl<'m> Metadata<'m> {
    fn from_raw(raw: LLVMMetadataRef, context: LLVMContextRef) -> Option<Self> {
        (!raw.is_null()).then_some(Metadata { raw, context, _module: PhantomData })
    }

    pub fn kind(self) -> MetadataKind {
        // SAFETY: metadata live as long as their context.
        match unsafe { raw::LLVMGetMetadataKind(self.raw) } {
            0 => MetadataKind::String,
            1 => MetadataKind::Constant,
            4 => MetadataKind::Tuple,
            5 => MetadataKind::Location,
            7 => MetadataKind::GlobalVariableExpression,
            9 => MetadataKind::Subrange,
            11 => MetadataKind::BasicType,
            12 => MetadataKind::DerivedType,
            13 => MetadataKind::CompositeType,
            15 => MetadataKind::File,
            17 => MetadataKind::Subprogram,
            16 | 18 | 19 => MetadataKind::Scope,
            24 => MetadataKind::GlobalVariable,
            25 => MetadataKind::LocalVariable,
            _ => MetadataKind::Other,
        }
    }

    fn is_type(self) -> bool {
        matches!(self.kind(), MetadataKind::BasicType | MetadataKind::DerivedType | MetadataKind::CompositeType)
    }

    fn is_node(self) -> bool {
        !matches!(self.kind(), MetadataKind::String | MetadataKind::Constant | MetadataKind::Other)
    }

    fn as_value(self) -> LLVMValueRef {
        // SAFETY: both belong to the same context.
        unsafe { LLVMMetadataAsValue(self.context, self.raw) }
    }

    /// The operands of a node, absent ones as `None`.
    pub fn operands(self) -> Vec<Option<Metadata<'m>>> {
        if !self.is_node() {
            return Vec::new();
        }
        let value = self.as_value();
        // SAFETY: `value` wraps a node, and LLVM fills as many places as it counts.
        unsafe {
            let mut operands = vec![std::ptr::null_mut(); LLVMGetMDNodeNumOperands(value) as usize];
            LLVMGetMDNodeOperands(value, operands.as_mut_ptr());
            let metadata = |operand: LLVMValueRef| {
                if operand.is_null() { None } else { Metadata::from_raw(LLVMValueAsMetadata(operand), self.context) }
            };
            operands.into_iter().map(metadata).collect()
        }
    }

    pub fn operand(self, index: usize) -> Option<Metadata<'m>> {
        self.operands().get(index).copied().flatten()
    }

    pub fn string(self) -> Option<String> {
        if self.kind() != MetadataKind::String {
            return None;
        }
        let mut len = 0;
        // SAFETY: the kind is checked; the string is copied at once.
        unsafe {
            let string = LLVMGetMDString(self.as_value(), &mut len);
            (!string.is_null()).then(|| text(string, len as usize))
        }
    }

    /// The integer behind a constant operand.
    pub fn integer(self) -> Option<u64> {
        if self.kind() != MetadataKind::Constant {
            return None;
        }
        // SAFETY: a constant as metadata has the constant as its one operand.
        let value = unsafe {
            let mut operand = std::ptr::null_mut();
            LLVMGetMDNodeOperands(self.as_value(), &mut operand);
            Value::from_raw(operand)?
        };
        value.const_integer()
    }

    pub fn tag(self) -> u16 {
        // SAFETY: types have a tag; the kind is checked.
        if self.is_type() { unsafe { LLVMGetDINodeTag(self.raw) } } else { 0 }
    }

    pub fn type_name(self) -> Option<String> {
        if !self.is_type() {
            return None;
        }
        let mut len = 0;
        // SAFETY: the kind is checked; the string is copied at once.
        let name = unsafe {
            let name = LLVMDITypeGetName(self.raw, &mut len);
            text(name, len)
        };
        (!name.is_empty()).then_some(name)
    }

    pub fn type_size(self) -> u64 {
        // SAFETY: the kind is checked.
        if self.is_type() { unsafe { LLVMDITypeGetSizeInBits(self.raw) / 8 } } else { 0 }
    }

    pub fn member_offset(self) -> u64 {
        // SAFETY: the kind is checked.
        if self.is_type() { unsafe { LLVMDITypeGetOffsetInBits(self.raw) / 8 } } else { 0 }
    }

    pub fn subprogram_line(self) -> u32 {
        // SAFETY: the kind is checked.
        if self.kind() == MetadataKind::Subprogram { unsafe { LLVMDISubprogramGetLine(self.raw) } } else { 0 }
    }

    pub fn variable_line(self) -> u32 {
        let is_variable = matches!(self.kind(), MetadataKind::GlobalVariable | MetadataKind::LocalVariable);
        // SAFETY: the kind is checked.
        if is_variable { unsafe { LLVMDIVariableGetLine(self.raw) } } else { 0 }
    }

    /// The file of a scope.
    pub fn file(self) -> Option<Metadata<'m>> {
        if !matches!(self.kind(), MetadataKind::Subprogram | MetadataKind::Scope | MetadataKind::File) {
            return None;
        }
        // SAFETY: these kinds are scopes.
        Metadata::from_raw(unsafe { LLVMDIScopeGetFile(self.raw) }, self.context)
    }

    /// Directory and name of a file.
    pub fn path(self) -> Option<(String, String)> {
        if self.kind() != MetadataKind::File {
            return None;
        }
        let (mut directory_len, mut name_len) = (0, 0);
        // SAFETY: the kind is checked; the strings are copied at once.
        unsafe {
            let directory = LLVMDIFileGetDirectory(self.raw, &mut directory_len);
            let name = LLVMDIFileGetFilename(self.raw, &mut name_len);
            Some((text(directory, directory_len as usize), text(name, name_len as usize)))
        }
    }
}

impl<'m> Value<'m> {
    fn context(self) -> LLVMContextRef {
        // SAFETY: every value has a type, every type a context.
        unsafe { LLVMGetTypeContext(LLVMTypeOf(self.raw())) }
    }

    /// Where an instruction comes from.
    pub fn debug_location(self) -> Option<DebugLocation<'m>> {
        self.expect_instruction();
        // SAFETY: it is an instruction; its location, if any, is a DILocation.
        unsafe {
            let location = LLVMInstructionGetDebugLoc(self.raw());
            if location.is_null() {
                return None;
            }
            let scope = Metadata::from_raw(LLVMDILocationGetScope(location), self.context())?;
            Some(DebugLocation {
                line: LLVMDILocationGetLine(location),
                column: LLVMDILocationGetColumn(location),
                scope,
            })
        }
    }

    pub fn subprogram(self) -> Option<Metadata<'m>> {
        if !self.is_function() {
            return None;
        }
        // SAFETY: it is a function.
        Metadata::from_raw(unsafe { LLVMGetSubprogram(self.raw()) }, self.context())
    }

    /// The variables that debug records before this instruction declare: where each one lives, and its node.
    pub fn declared_variables(self) -> Vec<(Value<'m>, Metadata<'m>)> {
        self.expect_instruction();
        const DECLARE: u32 = 1;
        let mut found = Vec::new();
        // SAFETY: it is an instruction; the records form a list; the value is asked of declare records
        // only, which have one location.
        unsafe {
            let mut record = LLVMGetFirstDbgRecord(self.raw());
            while !record.is_null() {
                if raw::LLVMDbgRecordGetKind(record) == DECLARE {
                    let place = Value::from_raw(LLVMDbgVariableRecordGetValue(record, 0));
                    let variable = Metadata::from_raw(LLVMDbgVariableRecordGetVariable(record), self.context());
                    found.extend(place.zip(variable));
                }
                record = LLVMGetNextDbgRecord(record);
            }
        }
        found
    }

    /// The node of a global variable.
    pub fn global_debug_info(self) -> Option<Metadata<'m>> {
        if !self.is_global_variable() {
            return None;
        }
        let mut count = 0;
        // SAFETY: it is a global variable; the array is freed after the last read.
        let entries = unsafe {
            let entries = LLVMGlobalCopyAllMetadata(self.raw(), &mut count);
            let list: Vec<_> = (0..count)
                .filter_map(|index| {
                    let raw = LLVMValueMetadataEntriesGetMetadata(entries, index as u32);
                    Metadata::from_raw(raw, self.context())
                })
                .collect();
            LLVMDisposeValueMetadataEntries(entries);
            list
        };
        let expression = entries.into_iter().find(|entry| entry.kind() == MetadataKind::GlobalVariableExpression)?;
        expression.operand(0).filter(|variable| variable.kind() == MetadataKind::GlobalVariable)
    }
}
