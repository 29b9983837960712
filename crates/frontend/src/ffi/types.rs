//! Types and their layout in memory.

use super::raw;
use llvm_sys::core::*;
use llvm_sys::prelude::*;
use llvm_sys::target::*;
use std::ffi::c_uint;
use std::marker::PhantomData;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Type<'m> {
    raw: LLVMTypeRef,
    _module: PhantomData<&'m ()>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TypeKind {
    Void,
    Float,
    Double,
    Integer,
    Function,
    Struct,
    Array,
    Pointer,
    Vector,
    /// Labels, metadata, tokens: no data.
    Abstract,
    /// The name of a type that gordian does not run.
    Other(&'static str),
}

impl<'m> Type<'m> {
    pub(super) fn new(raw: LLVMTypeRef) -> Self {
        assert!(!raw.is_null(), "LLVM gave no type");
        Type { raw, _module: PhantomData }
    }

    pub fn kind(self) -> TypeKind {
        // SAFETY: types live as long as their context.
        match unsafe { raw::LLVMGetTypeKind(self.raw) } {
            0 => TypeKind::Void,
            1 => TypeKind::Other("half"),
            2 => TypeKind::Float,
            3 => TypeKind::Double,
            4 => TypeKind::Other("long double of 80 bits (compile with -mlong-double-64)"),
            5 => TypeKind::Other("float of 128 bits"),
            6 => TypeKind::Other("ppc_fp128"),
            7 | 14 | 16 => TypeKind::Abstract,
            8 => TypeKind::Integer,
            9 => TypeKind::Function,
            10 => TypeKind::Struct,
            11 => TypeKind::Array,
            12 => TypeKind::Pointer,
            13 => TypeKind::Vector,
            17 => TypeKind::Other("scalable vector"),
            18 => TypeKind::Other("bfloat"),
            _ => TypeKind::Other("type of this target"),
        }
    }

    fn expect(self, kinds: &[TypeKind]) {
        assert!(kinds.contains(&self.kind()), "{:?} where one of {kinds:?} belongs", self.kind());
    }

    /// Whether a value of it is one number or pointer.
    pub fn is_scalar(self) -> bool {
        matches!(self.kind(), TypeKind::Integer | TypeKind::Float | TypeKind::Double | TypeKind::Pointer)
    }

    pub(super) fn raw(self) -> LLVMTypeRef {
        self.raw
    }

    pub fn is_sized(self) -> bool {
        // SAFETY: any type may be asked.
        unsafe { LLVMTypeIsSized(self.raw) != 0 }
    }

    /// Of an integer, in bits.
    pub fn width(self) -> u32 {
        self.expect(&[TypeKind::Integer]);
        // SAFETY: the kind is checked.
        unsafe { LLVMGetIntTypeWidth(self.raw) }
    }

    /// Of a struct, array or vector.
    pub fn n_elements(self) -> u64 {
        self.expect(&[TypeKind::Struct, TypeKind::Array, TypeKind::Vector]);
        // SAFETY: the kind is checked.
        unsafe {
            match self.kind() {
                TypeKind::Struct => u64::from(LLVMCountStructElementTypes(self.raw)),
                TypeKind::Array => LLVMGetArrayLength2(self.raw),
                _ => u64::from(LLVMGetVectorSize(self.raw)),
            }
        }
    }

    pub fn element(self, index: u64) -> Type<'m> {
        self.expect(&[TypeKind::Struct, TypeKind::Array, TypeKind::Vector]);
        // SAFETY: the kind is checked, and for structs the index.
        Type::new(unsafe {
            if self.kind() == TypeKind::Struct {
                assert!(index < self.n_elements(), "a struct has no element {index}");
                LLVMStructGetTypeAtIndex(self.raw, index as c_uint)
            } else {
                LLVMGetElementType(self.raw)
            }
        })
    }

    pub fn return_type(self) -> Type<'m> {
        self.expect(&[TypeKind::Function]);
        // SAFETY: the kind is checked.
        Type::new(unsafe { LLVMGetReturnType(self.raw) })
    }

    pub fn params(self) -> Vec<Type<'m>> {
        self.expect(&[TypeKind::Function]);
        // SAFETY: the kind is checked, and LLVM fills as many places as it counts.
        unsafe {
            let mut params = vec![std::ptr::null_mut(); LLVMCountParamTypes(self.raw) as usize];
            LLVMGetParamTypes(self.raw, params.as_mut_ptr());
            params.into_iter().map(Type::new).collect()
        }
    }

    pub fn is_variadic(self) -> bool {
        self.expect(&[TypeKind::Function]);
        // SAFETY: the kind is checked.
        unsafe { LLVMIsFunctionVarArg(self.raw) != 0 }
    }

    /// Bytes of a float's format; none of types that are no floats.
    pub(super) fn float_size(self) -> Option<u32> {
        // SAFETY: types live as long as their context.
        match unsafe { raw::LLVMGetTypeKind(self.raw) } {
            1 | 18 => Some(2),
            2 => Some(4),
            3 => Some(8),
            4 => Some(10),
            5 | 6 => Some(16),
            _ => None,
        }
    }

    /// The integer type of this width in the same context.
    pub(super) fn integer_raw(self, width: u32) -> LLVMTypeRef {
        // SAFETY: the context is that of a live type.
        unsafe { LLVMIntTypeInContext(LLVMGetTypeContext(self.raw), width) }
    }
}

#[derive(Clone, Copy)]
pub struct DataLayout<'m> {
    raw: LLVMTargetDataRef,
    _module: PhantomData<&'m ()>,
}

impl<'m> DataLayout<'m> {
    pub(super) fn new(raw: LLVMTargetDataRef) -> Self {
        DataLayout { raw, _module: PhantomData }
    }

    pub fn is_64_bit_little_endian(self) -> bool {
        // SAFETY: the layout is live.
        unsafe {
            LLVMPointerSize(self.raw) == 8
                && LLVMByteOrder(self.raw) as u32 == LLVMByteOrdering::LLVMLittleEndian as u32
        }
    }

    /// The distance of two neighbours in an array; 0 of a type without a size.
    pub fn size_of(self, ty: Type<'m>) -> u64 {
        // SAFETY: LLVM knows the size of sized types.
        if ty.is_sized() { unsafe { LLVMABISizeOfType(self.raw, ty.raw) } } else { 0 }
    }

    /// What a load or a store of this type touches.
    pub fn store_size_of(self, ty: Type<'m>) -> u64 {
        // SAFETY: sizes exist for types that are sized.
        if ty.is_sized() { unsafe { LLVMStoreSizeOfType(self.raw, ty.raw) } } else { 0 }
    }

    pub fn align_of(self, ty: Type<'m>) -> u32 {
        // SAFETY: LLVM knows the alignment of sized types.
        if ty.is_sized() { unsafe { LLVMABIAlignmentOfType(self.raw, ty.raw) } } else { 1 }
    }

    /// Where a field of a struct starts.
    pub fn offset_of(self, ty: Type<'m>, index: u64) -> u64 {
        assert!(
            ty.kind() == TypeKind::Struct && ty.is_sized() && index < ty.n_elements(),
            "only fields of a struct have an offset"
        );
        // SAFETY: the kind and the index are checked.
        unsafe { LLVMOffsetOfElement(self.raw, ty.raw, index as c_uint) }
    }
}
