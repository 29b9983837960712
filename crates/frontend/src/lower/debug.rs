//! Files, places, names and types, as the debug information tells them.

use crate::ffi::{Metadata, MetadataKind, Value};
use gordian_base::{FxHashMap, IndexVec};
use gordian_ir::{FileId, Loc, Member, ScalarForm, Type, TypeId, Variable};
use std::path::Path;

// DWARF's numbers of the tags that matter.
const TAG_ARRAY: u16 = 0x01;
const TAG_CLASS: u16 = 0x02;
const TAG_ENUMERATION: u16 = 0x04;
const TAG_MEMBER: u16 = 0x0d;
const TAG_POINTER: u16 = 0x0f;
const TAG_REFERENCE: u16 = 0x10;
const TAG_STRUCT: u16 = 0x13;
const TAG_TYPEDEF: u16 = 0x16;
const TAG_UNION: u16 = 0x17;
const TAG_CONST: u16 = 0x26;
const TAG_VOLATILE: u16 = 0x35;
const TAG_RESTRICT: u16 = 0x37;
const TAG_ATOMIC: u16 = 0x47;

/// Where build.rs says that libc's sources were compiled.
const LIBC_DIRECTORY: &str = "gordian-libc";

/// Operand numbers of debug nodes (`llvm/IR/DebugInfoMetadata.h`).
mod operand {
    pub const VARIABLE_NAME: usize = 1;
    pub const VARIABLE_FILE: usize = 2;
    pub const VARIABLE_TYPE: usize = 3;
    pub const SUBPROGRAM_NAME: usize = 2;
    pub const BASE_TYPE: usize = 5;
    pub const ELEMENTS: usize = 6;
    pub const SUBRANGE_COUNT: usize = 0;
}

#[derive(Default)]
pub struct DebugInfo<'m> {
    pub files: IndexVec<FileId, String>,
    pub types: IndexVec<TypeId, Type>,
    scope_files: FxHashMap<Metadata<'m>, FileId>,
    file_ids: FxHashMap<String, FileId>,
    type_ids: FxHashMap<Metadata<'m>, TypeId>,
}

/// What is known of a named thing.
pub struct Described {
    name: Option<String>,
    pub loc: Loc,
    pub ty: Option<TypeId>,
}

impl Described {
    const NOTHING: Described = Described { name: None, loc: Loc::NONE, ty: None };

    /// The linker calls the second `static` of a name `name.1`; if the source does not, neither do we.
    pub fn name(&self, linked: String) -> String {
        match (&self.name, linked.rsplit_once('.')) {
            (Some(name), Some((start, number)))
                if start.ends_with(name.as_str()) && number.bytes().all(|byte| byte.is_ascii_digit()) =>
            {
                start.to_owned()
            }
            _ => linked,
        }
    }
}

impl<'m> DebugInfo<'m> {
    pub fn loc(&mut self, instruction: Value<'m>) -> Loc {
        match instruction.debug_location() {
            Some(location) if location.line > 0 => match self.file_of_scope(location.scope) {
                Some(file) => Loc { file, line: location.line, column: location.column },
                None => Loc::NONE,
            },
            _ => Loc::NONE,
        }
    }

    pub fn function(&mut self, function: Value<'m>) -> Described {
        let Some(subprogram) = function.subprogram() else { return Described::NOTHING };
        let name = subprogram.operand(operand::SUBPROGRAM_NAME).and_then(Metadata::string);
        let file = self.file_of_scope(subprogram);
        let loc = file.map_or(Loc::NONE, |file| Loc { file, line: subprogram.subprogram_line(), column: 0 });
        Described { name, loc, ty: None }
    }

    pub fn global(&mut self, global: Value<'m>) -> Described {
        let Some(variable) = global.global_debug_info() else { return Described::NOTHING };
        let operands = variable.operands();
        let operand = |index: usize| operands.get(index).copied().flatten();
        let file = operand(operand::VARIABLE_FILE).and_then(|file| self.file_of_scope(file));
        Described {
            name: operand(operand::VARIABLE_NAME).and_then(Metadata::string),
            loc: file.map_or(Loc::NONE, |file| Loc { file, line: variable.variable_line(), column: 0 }),
            ty: operand(operand::VARIABLE_TYPE).map(|ty| self.type_of(ty)),
        }
    }

    /// A local that lives in `size` bytes; after sroa that may be a piece of it, whose type is not told.
    pub fn local(&mut self, variable: Metadata<'m>, size: Option<u64>) -> Variable {
        if variable.kind() != MetadataKind::LocalVariable {
            return Variable::default();
        }
        let name = variable.operand(operand::VARIABLE_NAME).and_then(Metadata::string);
        let node = variable.operand(operand::VARIABLE_TYPE);
        let ty = node.map(|ty| self.type_of(ty)).filter(|&ty| size.is_none_or(|size| self.size_of(ty) == size));
        Variable { name, ty, ..Variable::default() }
    }

    fn size_of(&self, ty: TypeId) -> u64 {
        match &self.types[ty] {
            Type::Scalar { size, .. } | Type::Struct { size, .. } => *size,
            // Corrupt debug information may say anything.
            Type::Array { count, stride, .. } => count.saturating_mul(*stride),
            Type::Opaque => 0,
        }
    }

    fn file_of_scope(&mut self, scope: Metadata<'m>) -> Option<FileId> {
        if let Some(file) = self.scope_files.get(&scope) {
            return Some(*file);
        }
        let (directory, name) = scope.file()?.path()?;
        let path = user_path(&directory, name);
        let file = match self.file_ids.get(&path) {
            Some(file) => *file,
            None => {
                let file = self.files.push(path.clone());
                self.file_ids.insert(path, file);
                file
            }
        };
        self.scope_files.insert(scope, file);
        Some(file)
    }

    pub fn type_of(&mut self, node: Metadata<'m>) -> TypeId {
        if let Some(ty) = self.type_ids.get(&node) {
            return *ty;
        }
        // Entered before its parts, so that a type that contains itself (corrupt input) ends.
        let id = self.types.push(Type::Opaque);
        self.type_ids.insert(node, id);
        let ty = self.describe(node);
        if let Type::Struct { .. } | Type::Array { .. } | Type::Scalar { .. } = ty {
            self.types[id] = ty;
        }
        id
    }

    fn describe(&mut self, node: Metadata<'m>) -> Type {
        let base = |node: Metadata<'m>| node.operand(operand::BASE_TYPE);
        match (node.kind(), node.tag()) {
            (MetadataKind::BasicType, _) => {
                let name = node.type_name().unwrap_or_default();
                Type::Scalar { form: form_of(&name), size: node.type_size(), name }
            }
            (MetadataKind::DerivedType, TAG_POINTER | TAG_REFERENCE) => {
                let name = base(node).and_then(Metadata::type_name).unwrap_or_else(|| "void".into());
                Type::Scalar { name: format!("{name} *"), size: 8, form: ScalarForm::Pointer }
            }
            (MetadataKind::DerivedType, TAG_TYPEDEF | TAG_CONST | TAG_VOLATILE | TAG_RESTRICT | TAG_ATOMIC) => {
                let Some(base) = base(node) else { return Type::Opaque };
                let base = self.type_of(base);
                match self.types[base].clone() {
                    // An anonymous struct goes by the name of its typedef.
                    Type::Struct { name, size, members } if name.is_empty() => {
                        Type::Struct { name: node.type_name().unwrap_or_default(), size, members }
                    }
                    ty => ty,
                }
            }
            (MetadataKind::CompositeType, TAG_STRUCT | TAG_UNION | TAG_CLASS) => self.describe_struct(node),
            (MetadataKind::CompositeType, TAG_ARRAY) => self.describe_array(node),
            (MetadataKind::CompositeType, TAG_ENUMERATION) => {
                let form = base(node).and_then(Metadata::type_name).map_or(ScalarForm::Unsigned, |name| form_of(&name));
                let name = node.type_name().map(|name| format!("enum {name}")).unwrap_or_else(|| "enum".into());
                Type::Scalar { name, size: node.type_size(), form }
            }
            _ => Type::Opaque,
        }
    }

    fn describe_struct(&mut self, node: Metadata<'m>) -> Type {
        let elements = node.operand(operand::ELEMENTS).map(Metadata::operands).unwrap_or_default();
        let mut members = Vec::new();
        for member in elements.into_iter().flatten().filter(|member| member.tag() == TAG_MEMBER) {
            let Some(ty) = member.operand(operand::BASE_TYPE) else { continue };
            let ty = self.type_of(ty);
            members.push(Member { name: member.type_name().unwrap_or_default(), offset: member.member_offset(), ty });
        }
        Type::Struct { name: node.type_name().unwrap_or_default(), size: node.type_size(), members }
    }

    /// Arrays of arrays stand in one node with several ranges; the last one is innermost.
    fn describe_array(&mut self, node: Metadata<'m>) -> Type {
        let Some(element) = node.operand(operand::BASE_TYPE) else { return Type::Opaque };
        let mut element = self.type_of(element);
        let ranges = node.operand(operand::ELEMENTS).map(Metadata::operands).unwrap_or_default();
        let mut counts: Vec<u64> = ranges
            .into_iter()
            .flatten()
            .filter(|range| range.kind() == MetadataKind::Subrange)
            .map(|range| range.operand(operand::SUBRANGE_COUNT).and_then(Metadata::integer).unwrap_or(0))
            // `int a[]` has the count -1.
            .map(|count| if count > i64::MAX as u64 { 0 } else { count })
            .collect();
        let outermost = if counts.is_empty() { 0 } else { counts.remove(0) };
        for count in counts.into_iter().rev() {
            let stride = self.size_of(element);
            element = self.types.push(Type::Array { element, count, stride });
        }
        Type::Array { element, count: outermost, stride: self.size_of(element) }
    }
}

/// The C API does not give the encoding, but C's names of its basic types do.
fn form_of(name: &str) -> ScalarForm {
    match name {
        "_Bool" | "bool" => ScalarForm::Bool,
        "char" | "signed char" | "unsigned char" | "char8_t" => ScalarForm::Char,
        _ if name.contains("unsigned") || name.starts_with("char") || name.starts_with("wchar") => ScalarForm::Unsigned,
        _ if name.contains("float") || name.contains("double") => ScalarForm::Float,
        _ if name.starts_with('u') => ScalarForm::Unsigned,
        _ => ScalarForm::Signed,
    }
}

/// The path as the user would type it: clang splits absolute paths at what they share with its
/// working directory.
fn user_path(directory: &str, name: String) -> String {
    let relative = Path::new(&name).is_relative();
    if directory == LIBC_DIRECTORY || relative && !directory.is_empty() && !Path::new(&name).exists() {
        return Path::new(directory).join(name).to_string_lossy().into_owned();
    }
    name
}
