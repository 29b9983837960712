//! Values: constants, globals, functions, blocks, instructions.

use super::types::{Type, TypeKind};
use super::{raw, take_message};
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use std::ffi::c_uint;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Value<'m> {
    raw: LLVMValueRef,
    _module: PhantomData<&'m ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Block<'m> {
    raw: LLVMBasicBlockRef,
    _module: PhantomData<&'m ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    Argument,
    Block,
    Function,
    Alias,
    IFunc,
    GlobalVariable,
    BlockAddress,
    ConstantExpr,
    /// Array, struct or vector of constants.
    ConstantAggregate,
    /// Array or vector of plain numbers.
    ConstantData,
    Undef,
    Zero,
    Integer,
    Float,
    Null,
    InlineAsm,
    Instruction,
    Other,
}

macro_rules! opcodes {
    ($($name:ident = $number:literal),* $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Opcode { $($name,)* Other }

        impl Opcode {
            fn from_number(number: u32) -> Opcode {
                match number { $($number => Opcode::$name,)* _ => Opcode::Other }
            }
        }
    };
}

opcodes! {
    Ret = 1, Br = 2, Switch = 3, IndirectBr = 4, Invoke = 5, Unreachable = 7, CallBr = 67, FNeg = 66,
    Add = 8, FAdd = 9, Sub = 10, FSub = 11, Mul = 12, FMul = 13, UDiv = 14, SDiv = 15, FDiv = 16,
    URem = 17, SRem = 18, FRem = 19, Shl = 20, LShr = 21, AShr = 22, And = 23, Or = 24, Xor = 25,
    Alloca = 26, Load = 27, Store = 28, GetElementPtr = 29, Trunc = 30, ZExt = 31, SExt = 32,
    FPToUI = 33, FPToSI = 34, UIToFP = 35, SIToFP = 36, FPTrunc = 37, FPExt = 38, PtrToInt = 39,
    PtrToAddr = 69, IntToPtr = 40, BitCast = 41, AddrSpaceCast = 60, ICmp = 42, FCmp = 43, Phi = 44,
    Call = 45, Select = 46, VAArg = 49, ExtractElement = 50, InsertElement = 51, ShuffleVector = 52,
    ExtractValue = 53, InsertValue = 54, Freeze = 68, Fence = 55, CmpXchg = 56, AtomicRmw = 57,
    Resume = 58, LandingPad = 59,
}

impl<'m> Value<'m> {
    pub(super) fn from_raw(raw: LLVMValueRef) -> Option<Self> {
        (!raw.is_null()).then_some(Value { raw, _module: PhantomData })
    }

    pub(super) fn raw(self) -> LLVMValueRef {
        self.raw
    }

    pub(super) fn existing(raw: LLVMValueRef) -> Self {
        Value::from_raw(raw).expect("LLVM gave no value where there must be one")
    }

    pub fn kind(self) -> ValueKind {
        // SAFETY: any value may be asked.
        match unsafe { raw::LLVMGetValueKind(self.raw) } {
            0 => ValueKind::Argument,
            1 => ValueKind::Block,
            5 => ValueKind::Function,
            6 => ValueKind::Alias,
            7 => ValueKind::IFunc,
            8 => ValueKind::GlobalVariable,
            9 => ValueKind::BlockAddress,
            10 => ValueKind::ConstantExpr,
            11..=13 => ValueKind::ConstantAggregate,
            14 | 25 => ValueKind::Undef,
            15 => ValueKind::Zero,
            16 | 17 => ValueKind::ConstantData,
            18 => ValueKind::Integer,
            19 => ValueKind::Float,
            20 => ValueKind::Null,
            23 => ValueKind::InlineAsm,
            24 => ValueKind::Instruction,
            _ => ValueKind::Other,
        }
    }

    pub fn is_poison(self) -> bool {
        // SAFETY: any value may be asked.
        unsafe { raw::LLVMGetValueKind(self.raw) == 25 }
    }

    pub fn is_instruction(self) -> bool {
        self.kind() == ValueKind::Instruction
    }

    pub fn is_function(self) -> bool {
        self.kind() == ValueKind::Function
    }

    pub fn is_global_variable(self) -> bool {
        self.kind() == ValueKind::GlobalVariable
    }

    pub fn is_global(self) -> bool {
        matches!(self.kind(), ValueKind::Function | ValueKind::GlobalVariable | ValueKind::Alias | ValueKind::IFunc)
    }

    pub(super) fn expect_instruction(self) {
        assert!(self.is_instruction(), "{:?} where an instruction belongs", self.kind());
    }

    pub fn ty(self) -> Type<'m> {
        // SAFETY: every value has a type.
        Type::new(unsafe { LLVMTypeOf(self.raw) })
    }

    /// Of an instruction or a constant expression.
    pub fn opcode(self) -> Opcode {
        match self.kind() {
            // SAFETY: the kind is checked.
            ValueKind::Instruction => Opcode::from_number(unsafe { raw::LLVMGetInstructionOpcode(self.raw) }),
            // SAFETY: the kind is checked.
            ValueKind::ConstantExpr => Opcode::from_number(unsafe { raw::LLVMGetConstOpcode(self.raw) }),
            _ => Opcode::Other,
        }
    }

    fn is_user(self) -> bool {
        !matches!(self.kind(), ValueKind::Argument | ValueKind::Block | ValueKind::InlineAsm | ValueKind::Other)
    }

    pub fn n_operands(self) -> u32 {
        // SAFETY: users have operands; the others are excluded.
        if self.is_user() { unsafe { LLVMGetNumOperands(self.raw) as u32 } } else { 0 }
    }

    pub fn operand(self, index: u32) -> Value<'m> {
        assert!(index < self.n_operands(), "a value has no operand {index}");
        // SAFETY: the index is checked.
        Value::existing(unsafe { LLVMGetOperand(self.raw, index) })
    }

    /// The instructions and constants that have this value as an operand, one for each operand.
    pub fn users(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the uses form a list, which nobody changes while the module is borrowed.
        let first = unsafe { LLVMGetFirstUse(self.raw) };
        let uses = std::iter::successors((!first.is_null()).then_some(first), |usage| {
            // SAFETY: as above.
            let next = unsafe { LLVMGetNextUse(*usage) };
            (!next.is_null()).then_some(next)
        });
        // SAFETY: every use has a user.
        uses.map(|usage| Value::existing(unsafe { LLVMGetUser(usage) }))
    }

    pub fn parent(self) -> Block<'m> {
        self.expect_instruction();
        // SAFETY: it is an instruction in a block.
        Block::new(unsafe { LLVMGetInstructionParent(self.raw) })
    }

    // Constants.

    /// An integer of up to 64 bits, zero-extended.
    pub fn const_integer(self) -> Option<u64> {
        if self.kind() != ValueKind::Integer || self.ty().kind() != TypeKind::Integer || self.ty().width() > 64 {
            return None;
        }
        // SAFETY: it is a constant integer of at most 64 bits.
        Some(unsafe { LLVMConstIntGetZExtValue(self.raw) })
    }

    /// An integer of up to 128 bits; the C API gives wide ones as text only.
    pub fn const_wide_integer(self) -> Option<u128> {
        if let Some(value) = self.const_integer() {
            return Some(u128::from(value));
        }
        if self.kind() != ValueKind::Integer || self.ty().kind() != TypeKind::Integer || self.ty().width() > 128 {
            return None;
        }
        let width = self.ty().width();
        // SAFETY: constants print without their users; the text becomes ours.
        let printed = unsafe { take_message(LLVMPrintValueToString(self.raw)) };
        let number: i128 = match printed.split_whitespace().nth(1)?.parse() {
            Ok(number) => number,
            // Not below 2^127, hence not printed as negative.
            Err(_) => printed.split_whitespace().nth(1)?.parse::<u128>().ok()? as i128,
        };
        let mask = if width == 128 { u128::MAX } else { (1 << width) - 1 };
        Some(number as u128 & mask)
    }

    /// The bits of a `float` or `double` constant.
    pub fn const_float_bits(self) -> Option<u64> {
        let width = match self.ty().kind() {
            TypeKind::Float => 32,
            TypeKind::Double => 64,
            _ => return None,
        };
        if self.kind() != ValueKind::Float {
            return None;
        }
        // SAFETY: a float constant and an integer type of the same size; LLVM folds the cast. (Through
        // `double` a signalling NaN would change.)
        Value::existing(unsafe { LLVMConstBitCast(self.raw, self.ty().integer_raw(width)) }).const_integer()
    }

    /// A float constant of any format, as it stands in memory.
    pub fn const_float_bytes(self) -> Option<Vec<u8>> {
        let size = self.ty().float_size()?;
        if self.kind() != ValueKind::Float {
            return None;
        }
        // SAFETY: as for `const_float_bits`.
        let bits = Value::existing(unsafe { LLVMConstBitCast(self.raw, self.ty().integer_raw(size * 8)) });
        Some(bits.const_wide_integer()?.to_le_bytes()[..size as usize].to_vec())
    }

    /// Element of a constant aggregate, of zero and of undef too.
    pub fn const_element(self, index: u64) -> Option<Value<'m>> {
        if !matches!(
            self.kind(),
            ValueKind::ConstantAggregate | ValueKind::ConstantData | ValueKind::Zero | ValueKind::Undef
        ) {
            return None;
        }
        // SAFETY: it is a constant; LLVM checks the index.
        Value::from_raw(unsafe { LLVMGetAggregateElement(self.raw, index as c_uint) })
    }

    /// The elements of an array or vector of numbers, as they stand in memory.
    pub fn const_data(self) -> Option<Vec<u8>> {
        if self.kind() != ValueKind::ConstantData {
            return None;
        }
        let mut len = 0;
        // SAFETY: the kind is checked; the bytes are copied at once.
        unsafe {
            let data = raw::LLVMGetRawDataValues(self.raw, &mut len);
            Some(std::slice::from_raw_parts(data.cast::<u8>(), len).to_vec())
        }
    }

    /// Function and block of a `&&label`.
    pub fn block_address(self) -> Option<(Value<'m>, Block<'m>)> {
        if self.kind() != ValueKind::BlockAddress {
            return None;
        }
        // SAFETY: the kind is checked.
        unsafe {
            let function = Value::from_raw(LLVMGetBlockAddressFunction(self.raw))?;
            Some((function, Block::new(LLVMGetBlockAddressBasicBlock(self.raw))))
        }
    }

    pub fn aliasee(self) -> Option<Value<'m>> {
        // SAFETY: the kind is checked.
        if self.kind() == ValueKind::Alias { Value::from_raw(unsafe { LLVMAliasGetAliasee(self.raw) }) } else { None }
    }

    // Globals and functions.

    pub fn is_declaration(self) -> bool {
        // SAFETY: the kind is checked.
        self.is_global() && unsafe { LLVMIsDeclaration(self.raw) != 0 }
    }

    /// The type behind a global's address.
    pub fn value_type(self) -> Type<'m> {
        assert!(self.is_global(), "{:?} where a global belongs", self.kind());
        // SAFETY: the kind is checked.
        Type::new(unsafe { LLVMGlobalGetValueType(self.raw) })
    }

    pub fn initializer(self) -> Option<Value<'m>> {
        // SAFETY: the kind is checked.
        if self.is_global_variable() { Value::from_raw(unsafe { LLVMGetInitializer(self.raw) }) } else { None }
    }

    pub fn is_constant_global(self) -> bool {
        // SAFETY: the kind is checked.
        self.is_global_variable() && unsafe { LLVMIsGlobalConstant(self.raw) != 0 }
    }

    pub fn is_thread_local(self) -> bool {
        // SAFETY: the kind is checked.
        self.is_global_variable() && unsafe { LLVMIsThreadLocal(self.raw) != 0 }
    }

    /// Of a global variable, alloca, load, store and the like; 0 where it is left open.
    pub fn align(self) -> u32 {
        use Opcode::*;
        let has_one = self.is_global_variable()
            || self.is_instruction() && matches!(self.opcode(), Alloca | Load | Store | AtomicRmw | CmpXchg);
        // SAFETY: the kind is checked.
        if has_one { unsafe { LLVMGetAlignment(self.raw) } } else { 0 }
    }

    pub fn is_intrinsic(self) -> bool {
        // SAFETY: the kind is checked.
        self.is_function() && unsafe { LLVMGetIntrinsicID(self.raw) != 0 }
    }

    pub fn params(self) -> Vec<Value<'m>> {
        assert!(self.is_function(), "only functions have parameters");
        // SAFETY: it is a function, and the indices are below its count.
        unsafe { (0..LLVMCountParams(self.raw)).map(|index| Value::existing(LLVMGetParam(self.raw, index))).collect() }
    }

    pub fn blocks(self) -> impl Iterator<Item = Block<'m>> {
        assert!(self.is_function(), "only functions have blocks");
        // SAFETY: it is a function; its blocks form a list.
        let first = unsafe { LLVMGetFirstBasicBlock(self.raw) };
        std::iter::successors((!first.is_null()).then(|| Block::new(first)), |block| {
            // SAFETY: as above.
            let next = unsafe { LLVMGetNextBasicBlock(block.raw) };
            (!next.is_null()).then(|| Block::new(next))
        })
    }
}

impl<'m> Block<'m> {
    pub(super) fn new(raw: LLVMBasicBlockRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no block where there must be one");
        Block { raw, _module: PhantomData }
    }

    pub fn as_value(self) -> Value<'m> {
        // SAFETY: a block is a value.
        Value::existing(unsafe { LLVMBasicBlockAsValue(self.raw) })
    }

    pub fn instructions(self) -> impl Iterator<Item = Value<'m>> {
        // SAFETY: the instructions of a block form a list.
        let first = unsafe { LLVMGetFirstInstruction(self.raw) };
        std::iter::successors(Value::from_raw(first), |instruction| {
            // SAFETY: as above.
            Value::from_raw(unsafe { LLVMGetNextInstruction(instruction.raw) })
        })
    }

    pub fn function(self) -> Value<'m> {
        // SAFETY: the blocks that we see belong to a function.
        Value::existing(unsafe { LLVMGetBasicBlockParent(self.raw) })
    }

    /// The last instruction; verified blocks have one.
    pub fn terminator(self) -> Value<'m> {
        // SAFETY: the module is verified, so every block ends in a terminator.
        Value::existing(unsafe { LLVMGetBasicBlockTerminator(self.raw) })
    }
}
