//! How a value is flattened into scalars, each in one slot or two (see `gordian_ir`).

use super::Unsupported;
use crate::ffi::{DataLayout, Type, TypeKind};
use gordian_base::FxHashMap;
use gordian_ir::Float;
use std::rc::Rc;

/// A value of more parts than this is not kept in registers.
const MAX_PARTS: usize = 4096;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scalar {
    /// 1 to 128 bits.
    Int(u8),
    Pointer,
    Float(Float),
}

impl Scalar {
    pub fn width(self) -> u8 {
        match self {
            Scalar::Int(width) => width,
            Scalar::Pointer | Scalar::Float(Float::F64) => 64,
            Scalar::Float(Float::F32) => 32,
        }
    }

    pub fn n_slots(self) -> u32 {
        if self.width() > 64 { 2 } else { 1 }
    }

    /// Bytes in memory.
    pub fn size(self) -> u8 {
        self.width().div_ceil(8)
    }

    pub fn is_wide(self) -> bool {
        self.width() > 64
    }
}

/// One scalar of a flattened value.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    pub scalar: Scalar,
    /// The first of its slots, counted from the value's first.
    pub slot: u32,
    /// Bytes from the start of the value in memory.
    pub offset: u64,
}

#[derive(Debug, Default)]
pub struct Shape {
    pub parts: Vec<Part>,
    pub n_slots: u32,
    /// Why such a value cannot be run; it has a slot all the same, so that its users have something to name.
    pub problem: Option<String>,
    /// Vectors of bits and odd integers are packed in memory, unlike everything else.
    pub packed_in_memory: bool,
}

impl Shape {
    pub fn check(&self) -> Result<&[Part], Unsupported> {
        match &self.problem {
            Some(problem) => Err(Unsupported(problem.clone())),
            None => Ok(&self.parts),
        }
    }

    /// The parts, to be read from memory or written to it.
    pub fn in_memory(&self) -> Result<&[Part], Unsupported> {
        if self.packed_in_memory {
            return Err(Unsupported("vector of bits in memory".into()));
        }
        self.check()
    }

    /// The only part, of types that have one.
    pub fn scalar(&self) -> Result<Scalar, Unsupported> {
        match self.check()? {
            [part] => Ok(part.scalar),
            parts => Err(Unsupported(format!("value of {} parts where one is expected", parts.len()))),
        }
    }

    fn add(&mut self, scalar: Scalar, offset: u64) {
        self.parts.push(Part { scalar, slot: self.n_slots, offset });
        self.n_slots += scalar.n_slots();
    }

    fn fail(&mut self, problem: String) {
        self.problem.get_or_insert(problem);
    }
}

pub struct Shapes<'m> {
    layout: DataLayout<'m>,
    cache: FxHashMap<Type<'m>, Rc<Shape>>,
}

impl<'m> Shapes<'m> {
    pub fn new(layout: DataLayout<'m>) -> Self {
        Shapes { layout, cache: FxHashMap::default() }
    }

    pub fn of(&mut self, ty: Type<'m>) -> Rc<Shape> {
        if let Some(shape) = self.cache.get(&ty) {
            return shape.clone();
        }
        let mut shape = Shape::default();
        self.flatten(ty, 0, &mut shape);
        if shape.problem.is_some() {
            shape.parts.clear();
            shape.n_slots = 1;
        }
        let shape = Rc::new(shape);
        self.cache.insert(ty, shape.clone());
        shape
    }

    fn flatten(&self, ty: Type<'m>, offset: u64, shape: &mut Shape) {
        if shape.problem.is_some() {
            return;
        }
        match ty.kind() {
            TypeKind::Void | TypeKind::Abstract => {}
            TypeKind::Integer => match ty.width() {
                width @ 1..=128 => shape.add(Scalar::Int(width as u8), offset),
                width => shape.fail(format!("integer of {width} bits")),
            },
            TypeKind::Pointer => shape.add(Scalar::Pointer, offset),
            TypeKind::Float => shape.add(Scalar::Float(Float::F32), offset),
            TypeKind::Double => shape.add(Scalar::Float(Float::F64), offset),
            TypeKind::Struct if !ty.is_sized() => shape.fail("struct without a body".into()),
            TypeKind::Struct => {
                for index in 0..ty.n_elements() {
                    self.flatten(ty.element(index), offset.wrapping_add(self.layout.offset_of(ty, index)), shape);
                }
            }
            TypeKind::Array | TypeKind::Vector => self.flatten_elements(ty, offset, shape),
            TypeKind::Function => shape.fail("function as a value".into()),
            TypeKind::Other(name) => shape.fail(name.into()),
        }
    }

    fn flatten_elements(&self, ty: Type<'m>, offset: u64, shape: &mut Shape) {
        let (count, element) = (ty.n_elements(), ty.element(0));
        if count.saturating_add(shape.parts.len() as u64) > MAX_PARTS as u64 {
            return shape.fail(format!("value of {count} parts in registers"));
        }
        let size = self.layout.size_of(element);
        if ty.kind() == TypeKind::Vector
            && element.kind() == TypeKind::Integer
            && u64::from(element.width()) != size.wrapping_mul(8)
        {
            shape.packed_in_memory = true;
        }
        for index in 0..count {
            self.flatten(element, offset.wrapping_add(index.wrapping_mul(size)), shape);
            if shape.parts.len() > MAX_PARTS {
                return shape.fail(format!("value of more than {MAX_PARTS} parts in registers"));
            }
        }
    }
}
