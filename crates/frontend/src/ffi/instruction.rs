//! What instructions tell of themselves.

use super::types::{DataLayout, Type, TypeKind};
use super::value::{Block, Opcode, Value, ValueKind};
use super::{raw, text};
use llvm_sys::core::*;
use std::ffi::c_uint;

impl<'m> Value<'m> {
    fn expect(self, opcodes: &[Opcode]) {
        assert!(opcodes.contains(&self.opcode()), "{:?} where one of {opcodes:?} belongs", self.opcode());
    }

    pub fn has_nsw(self) -> bool {
        use Opcode::*;
        // SAFETY: the opcode is checked.
        self.is_instruction()
            && matches!(self.opcode(), Add | Sub | Mul | Shl)
            && unsafe { LLVMGetNSW(self.raw()) != 0 }
    }

    /// Whether clang added the instruction to check something.
    pub fn is_nosanitize(self) -> bool {
        let name = c"nosanitize";
        // SAFETY: only instructions are asked for their metadata.
        self.is_instruction()
            && unsafe {
                let context = LLVMGetTypeContext(LLVMTypeOf(self.raw()));
                let kind = LLVMGetMDKindIDInContext(context, name.as_ptr(), name.to_bytes().len() as c_uint);
                !LLVMGetMetadata(self.raw(), kind).is_null()
            }
    }

    pub fn int_predicate(self) -> u32 {
        self.expect(&[Opcode::ICmp]);
        // SAFETY: the opcode is checked.
        unsafe { raw::LLVMGetICmpPredicate(self.raw()) }
    }

    pub fn float_predicate(self) -> u32 {
        self.expect(&[Opcode::FCmp]);
        // SAFETY: the opcode is checked.
        unsafe { raw::LLVMGetFCmpPredicate(self.raw()) }
    }

    pub fn allocated_type(self) -> Type<'m> {
        self.expect(&[Opcode::Alloca]);
        // SAFETY: the opcode is checked.
        Type::new(unsafe { LLVMGetAllocatedType(self.raw()) })
    }

    /// The offset in bytes of a GEP whose indices are all constants.
    pub fn gep_constant_offset(self, layout: DataLayout<'m>) -> Option<i64> {
        let mut ty = self.gep_source_type();
        let mut offset = 0i64;
        for number in 1..self.n_operands() {
            let operand = self.operand(number);
            let unused = 64 - operand.ty().kind().eq(&TypeKind::Integer).then(|| operand.ty().width().clamp(1, 64))?;
            let index = ((operand.const_integer()? << unused) as i64) >> unused;
            let step = match (number, ty.kind()) {
                (1, _) => index.wrapping_mul(layout.size_of(ty) as i64),
                (_, TypeKind::Struct) => {
                    let field = u64::try_from(index).ok().filter(|&field| field < ty.n_elements() && ty.is_sized())?;
                    let step = layout.offset_of(ty, field);
                    ty = ty.element(field);
                    step as i64
                }
                (_, TypeKind::Array | TypeKind::Vector) => {
                    ty = ty.element(0);
                    index.wrapping_mul(layout.size_of(ty) as i64)
                }
                _ => return None,
            };
            offset = offset.wrapping_add(step);
        }
        Some(offset)
    }

    pub fn gep_source_type(self) -> Type<'m> {
        self.expect(&[Opcode::GetElementPtr]);
        // SAFETY: the opcode is checked.
        Type::new(unsafe { LLVMGetGEPSourceElementType(self.raw()) })
    }

    /// The path of `extractvalue` and `insertvalue`.
    pub fn indices(self) -> Vec<u64> {
        self.expect(&[Opcode::ExtractValue, Opcode::InsertValue]);
        // SAFETY: the opcode is checked; LLVM owns as many indices as it counts.
        unsafe {
            let count = LLVMGetNumIndices(self.raw()) as usize;
            if count == 0 {
                return Vec::new();
            }
            std::slice::from_raw_parts(LLVMGetIndices(self.raw()), count)
                .iter()
                .map(|&index| u64::from(index))
                .collect()
        }
    }

    /// The lanes that `shufflevector` picks; `None` where it does not matter.
    pub fn shuffle_mask(self) -> Vec<Option<u32>> {
        assert!(self.is_instruction(), "only instructions shuffle");
        self.expect(&[Opcode::ShuffleVector]);
        // SAFETY: the opcode is checked, and the indices are below the count.
        unsafe {
            (0..LLVMGetNumMaskElements(self.raw()))
                .map(|lane| u32::try_from(LLVMGetMaskValue(self.raw(), lane)).ok())
                .collect()
        }
    }

    /// Whether a load or store is atomic; other instructions tell by their opcode.
    pub fn is_atomic(self) -> bool {
        self.expect(&[Opcode::Load, Opcode::Store]);
        // SAFETY: the opcode is checked.
        unsafe { LLVMIsAtomic(self.raw()) != 0 }
    }

    pub fn ordering(self) -> u32 {
        self.expect(&[Opcode::Load, Opcode::Store, Opcode::Fence, Opcode::AtomicRmw]);
        // SAFETY: the opcode is checked.
        unsafe { raw::LLVMGetOrdering(self.raw()) }
    }

    /// The orderings of success and failure.
    pub fn cmpxchg_orderings(self) -> (u32, u32) {
        self.expect(&[Opcode::CmpXchg]);
        // SAFETY: the opcode is checked.
        unsafe { (raw::LLVMGetCmpXchgSuccessOrdering(self.raw()), raw::LLVMGetCmpXchgFailureOrdering(self.raw())) }
    }

    pub fn is_weak(self) -> bool {
        self.expect(&[Opcode::CmpXchg]);
        // SAFETY: the opcode is checked.
        unsafe { LLVMGetWeak(self.raw()) != 0 }
    }

    pub fn rmw_operation(self) -> u32 {
        self.expect(&[Opcode::AtomicRmw]);
        // SAFETY: the opcode is checked.
        unsafe { raw::LLVMGetAtomicRMWBinOp(self.raw()) }
    }

    pub fn incoming(self) -> Vec<(Value<'m>, Block<'m>)> {
        self.expect(&[Opcode::Phi]);
        // SAFETY: the opcode is checked, and the indices are below the count.
        unsafe {
            (0..LLVMCountIncoming(self.raw()))
                .map(|index| {
                    let value = Value::existing(LLVMGetIncomingValue(self.raw(), index));
                    (value, Block::new(LLVMGetIncomingBlock(self.raw(), index)))
                })
                .collect()
        }
    }

    pub fn successors(self) -> Vec<Block<'m>> {
        self.expect_instruction();
        // SAFETY: instructions that are no terminators are excluded; the indices are below the count.
        unsafe {
            if LLVMIsATerminatorInst(self.raw()).is_null() {
                return Vec::new();
            }
            (0..LLVMGetNumSuccessors(self.raw())).map(|index| Block::new(LLVMGetSuccessor(self.raw(), index))).collect()
        }
    }

    /// The condition of a branch that has one.
    pub fn condition(self) -> Option<Value<'m>> {
        self.expect(&[Opcode::Br]);
        // SAFETY: the opcode is checked, and so is that there is a condition.
        unsafe { if LLVMIsConditional(self.raw()) != 0 { Value::from_raw(LLVMGetCondition(self.raw())) } else { None } }
    }

    /// The key of a switch's successor; number 0 is the default.
    pub fn switch_key(self, successor: u32) -> Value<'m> {
        self.expect(&[Opcode::Switch]);
        // SAFETY: the opcode and the index are checked.
        unsafe {
            assert!(successor > 0 && successor < LLVMGetNumSuccessors(self.raw()), "a switch has no case {successor}");
            Value::existing(LLVMGetSwitchCaseValue(self.raw(), successor))
        }
    }

    // Calls.

    fn expect_call(self) {
        self.expect(&[Opcode::Call, Opcode::Invoke, Opcode::CallBr]);
    }

    pub fn called(self) -> Value<'m> {
        self.expect_call();
        // SAFETY: the opcode is checked.
        Value::existing(unsafe { LLVMGetCalledValue(self.raw()) })
    }

    pub fn called_type(self) -> Type<'m> {
        self.expect_call();
        // SAFETY: the opcode is checked.
        Type::new(unsafe { LLVMGetCalledFunctionType(self.raw()) })
    }

    pub fn arguments(self) -> Vec<Value<'m>> {
        self.expect_call();
        // SAFETY: the opcode is checked; arguments are the first operands.
        let count = unsafe { LLVMGetNumArgOperands(self.raw()) };
        (0..count).map(|index| self.operand(index)).collect()
    }

    /// The type that an argument points to if it is passed by value in memory, and its alignment
    /// (0 if left open).
    pub fn byval(self, argument: u32) -> Option<(Type<'m>, u32)> {
        self.expect_call();
        // SAFETY: the opcode is checked; attributes of parameters count from 1. `byval` is a type
        // attribute, `align` an integer one.
        unsafe {
            let byval = LLVMGetCallSiteEnumAttribute(self.raw(), argument + 1, attribute_kind(c"byval"));
            if byval.is_null() {
                return None;
            }
            let align = LLVMGetCallSiteEnumAttribute(self.raw(), argument + 1, attribute_kind(c"align"));
            let align = if align.is_null() { 0 } else { LLVMGetEnumAttributeValue(align) as u32 };
            Some((Type::new(LLVMGetTypeAttributeValue(byval)), align))
        }
    }

    /// Text and constraints of inline assembly.
    pub fn inline_asm(self) -> Option<(String, String)> {
        if self.kind() != ValueKind::InlineAsm {
            return None;
        }
        let (mut text_len, mut constraints_len) = (0, 0);
        // SAFETY: the kind is checked; the strings are copied at once.
        unsafe {
            let assembly = LLVMGetInlineAsmAsmString(self.raw(), &mut text_len);
            let constraints = LLVMGetInlineAsmConstraintString(self.raw(), &mut constraints_len);
            Some((text(assembly, text_len), text(constraints, constraints_len)))
        }
    }
}

fn attribute_kind(name: &std::ffi::CStr) -> c_uint {
    // SAFETY: a string and its length.
    unsafe { LLVMGetEnumAttributeKindForName(name.as_ptr(), name.to_bytes().len()) }
}
