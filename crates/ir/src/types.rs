//! What the debug information says of types, as far as naming a place in memory needs it.

use crate::TypeId;

#[rustfmt::skip] // One line for each kind.
#[derive(Clone, Debug, PartialEq)]
pub enum Type {
    Scalar { name: String, size: u64, form: ScalarForm },
    Array { element: TypeId, count: u64, stride: u64 },
    Struct { name: String, size: u64, members: Vec<Member> },
    /// `void`, functions, and what the debug information leaves open.
    Opaque,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScalarForm {
    Signed,
    Unsigned,
    Float,
    Pointer,
    Bool,
    Char,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Member {
    pub name: String,
    pub offset: u64,
    pub ty: TypeId,
}
