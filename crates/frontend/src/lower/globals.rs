//! Global variables, their initial bytes, constructors and destructors.

use super::{Lowering, Result, Unsupported};
use crate::FrontendError;
use crate::ffi::{Module, Type, TypeKind, Value, ValueKind};
use gordian_ir::{FuncId, Global, address};

impl<'m> Lowering<'m> {
    pub fn number_globals(&mut self, module: &'m Module<'_>) -> Result<(), FrontendError> {
        for value in module.globals() {
            let name = value.name();
            // What LLVM gives a meaning of its own is no variable of the program.
            if name.starts_with("llvm.") {
                continue;
            }
            let ty = value.value_type();
            let size = self.layout.size_of(ty);
            if size > address::MAX_OBJECT_SIZE {
                return Err(FrontendError::TooLarge { name, size, limit: address::MAX_OBJECT_SIZE });
            }
            let described = self.debug.global(value);
            let global = Global {
                name: described.name(name),
                size,
                align: if value.align() == 0 { self.layout.align_of(ty) } else { value.align() },
                init: Vec::new(),
                constant: value.is_constant_global(),
                thread_local: value.is_thread_local(),
                // A weak one that nobody defines has no address.
                external: value.is_declaration() && !value.is_extern_weak(),
                internal: value.is_libc(),
                loc: described.loc,
                ty: described.ty,
            };
            let id = self.program.globals.push(global);
            self.globals.insert(value, id);
        }
        Ok(())
    }

    pub fn initialize_globals(&mut self, module: &'m Module<'_>) -> Result<(), FrontendError> {
        for value in module.globals() {
            let Some(&id) = self.globals.get(&value) else { continue };
            let Some(initializer) = value.initializer() else { continue };
            let mut bytes = Vec::new();
            self.write_bytes(initializer, 0, &mut bytes).map_err(|Unsupported(reason)| FrontendError::Initializer {
                name: self.program.globals[id].name.clone(),
                reason,
            })?;
            let Global { loc, ref name, .. } = self.program.globals[id];
            self.note_folded(loc, &name.clone());
            while bytes.last() == Some(&0) {
                bytes.pop();
            }
            self.program.globals[id].init = bytes;
        }
        Ok(())
    }

    /// Writes a constant as it stands in memory, from `offset` on; zeros are left out at the end.
    fn write_bytes(&mut self, value: Value<'m>, offset: u64, bytes: &mut Vec<u8>) -> Result<()> {
        match value.kind() {
            ValueKind::Zero | ValueKind::Undef | ValueKind::Null => Ok(()),
            ValueKind::ConstantData => {
                let data = value.const_data().ok_or_else(|| Unsupported("constant data".into()))?;
                put(bytes, offset, &data);
                Ok(())
            }
            ValueKind::ConstantAggregate => {
                let ty = value.ty();
                for index in 0..ty.n_elements() {
                    let element = value.const_element(index).ok_or_else(|| Unsupported("odd aggregate".into()))?;
                    let start = offset + self.element_offset(ty, index);
                    self.write_bytes(element, start, bytes)?;
                }
                Ok(())
            }
            // Floats that we do not compute with have their bytes all the same.
            ValueKind::Float if matches!(value.ty().kind(), TypeKind::Other(_)) => {
                let data = value.const_float_bytes().ok_or_else(|| Unsupported("odd float".into()))?;
                put(bytes, offset, &data);
                Ok(())
            }
            _ => {
                let shape = self.shapes.of(value.ty());
                let slots = self.constant_slots(value)?;
                for part in shape.in_memory()? {
                    let first = part.slot as usize;
                    let mut raw: Vec<u8> = slots[first..first + part.scalar.n_slots() as usize]
                        .iter()
                        .flat_map(|slot| slot.to_le_bytes())
                        .collect();
                    raw.truncate(usize::from(part.scalar.size()));
                    put(bytes, offset + part.offset, &raw);
                }
                Ok(())
            }
        }
    }

    fn element_offset(&self, ty: Type<'m>, index: u64) -> u64 {
        match ty.kind() {
            TypeKind::Struct => self.layout.offset_of(ty, index),
            _ => index.wrapping_mul(self.layout.size_of(ty.element(index))),
        }
    }

    /// Constructors run in rising order of priority, destructors the other way round.
    pub fn find_constructors(&mut self, module: &'m Module<'_>) {
        self.program.constructors = self.prioritized(module, "llvm.global_ctors");
        self.program.destructors = self.prioritized(module, "llvm.global_dtors");
        self.program.destructors.reverse();
    }

    fn prioritized(&mut self, module: &'m Module<'_>, name: &str) -> Vec<FuncId> {
        let Some(list) = module.special_global(name) else { return Vec::new() };
        if list.ty().kind() != TypeKind::Array {
            return Vec::new();
        }
        let mut found = Vec::new();
        for index in 0..list.ty().n_elements() {
            let Some(entry) = list.const_element(index) else { break };
            let priority = entry.const_element(0).and_then(Value::const_integer).unwrap_or(u64::MAX);
            let function = entry.const_element(1).and_then(|function| self.resolve_function(function));
            found.extend(function.and_then(|function| self.function_id(function)).map(|id| (priority, id)));
        }
        found.sort_by_key(|(priority, _)| *priority);
        found.into_iter().map(|(_, id)| id).collect()
    }

    /// The function behind aliases.
    pub fn resolve_function(&self, mut value: Value<'m>) -> Option<Value<'m>> {
        for _ in 0..64 {
            match value.kind() {
                ValueKind::Function => return Some(value),
                ValueKind::Alias => value = value.aliasee()?,
                _ => return None,
            }
        }
        None
    }
}

fn put(bytes: &mut Vec<u8>, offset: u64, data: &[u8]) {
    // Sizes are bounded by `address::MAX_OBJECT_SIZE`.
    let offset = offset as usize;
    if data.iter().all(|&byte| byte == 0) {
        return;
    }
    if bytes.len() < offset + data.len() {
        bytes.resize(offset + data.len(), 0);
    }
    bytes[offset..offset + data.len()].copy_from_slice(data);
}
