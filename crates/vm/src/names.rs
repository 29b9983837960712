//! What people call things: variables, fields, heap objects, threads, places.

use crate::machine::Machine;
use crate::memory::Kind;
use gordian_base::{Id, ThreadId};
use gordian_ir::{FuncId, ScalarForm, Type, TypeId, address};
use gordian_trace::{CodePoint, NO_CODE, Place, ThreadName};

impl Machine<'_> {
    /// What people call a thread.
    pub fn thread_name(&self, thread: ThreadId) -> ThreadName {
        let start = self.threads.get(thread.index()).map(|thread| thread.start);
        let function = start.map_or_else(|| "?".to_owned(), |start| self.program.functions[start].name.clone());
        ThreadName { number: thread.0, function }
    }

    /// A code point of a thread as a place in the source.
    pub fn place(&self, thread: ThreadId, at: CodePoint, what: String) -> Place {
        let thread = self.thread_name(thread);
        if at == NO_CODE {
            return Place { file: String::new(), line: 0, column: 0, function: String::new(), thread, what };
        }
        let function = &self.program.functions[FuncId(at.function)];
        let loc = function.locs.get(at.pc as usize).copied().filter(|loc| loc.line > 0).unwrap_or(function.loc);
        let file = self.program.files.get(loc.file).cloned().unwrap_or_default();
        Place { file, line: loc.line, column: loc.column, function: function.name.clone(), thread, what }
    }

    /// `file:line` of a code point.
    pub(crate) fn line_of(&self, at: CodePoint) -> String {
        let place = self.place(ThreadId::MAIN, at, String::new());
        if place.line == 0 { "an unknown place".to_owned() } else { format!("{}:{}", place.file, place.line) }
    }

    /// That a thread reads what another wrote, in words.
    pub fn interference_text(
        &self,
        (reader, read): (ThreadId, CodePoint),
        (writer, write): (ThreadId, CodePoint),
        address: u64,
    ) -> String {
        let [read, write] = [(reader, read), (writer, write)].map(|(thread, at)| self.place(thread, at, String::new()));
        let (who, by) = (self.thread_name(reader), self.thread_name(writer));
        let name = self.name_of(address);
        format!("{who} reads {name} at line {} from {by}'s write at line {}", read.line, write.line)
    }

    /// The variable, field or heap object at an address.
    pub fn name_of(&self, place: u64) -> String {
        if place == 0 {
            return "the null pointer".to_owned();
        }
        let offset = address::offset(place);
        let Some((base, ty)) = self.base_name(place) else { return format!("address {place:#x}") };
        let path = match ty {
            Some(ty) => self.path(ty, offset),
            None if offset == 0 => String::new(),
            None => format!("+{}", offset as i64),
        };
        format!("{base}{path}")
    }

    /// The variable or heap object as a whole.
    pub(crate) fn object_name(&self, place: u64) -> String {
        self.base_name(place).map_or_else(|| format!("address {place:#x}"), |(name, _)| name)
    }

    fn base_name(&self, place: u64) -> Option<(String, Option<TypeId>)> {
        Some(match self.memory.object(place)?.kind {
            Kind::Global => self.global_name(place),
            Kind::Stack => self.local_name(place),
            Kind::Heap => (self.heap_name(place), None),
            Kind::Hidden => ("memory of the C library".to_owned(), None),
        })
    }

    /// By its thread's count and the line that allocated it: `heap#2@list.c:14`.
    fn heap_name(&self, place: u64) -> String {
        let line = self.line_of(self.memory.origin(place).allocated);
        let line = line.rsplit('/').next().unwrap_or(&line);
        format!("heap#{}@{line}", address::index(place) - self.roster.n_thread_locals - 1)
    }

    fn global_name(&self, place: u64) -> (String, Option<TypeId>) {
        let global = match address::global_of(place) {
            Some(global) => self.program.globals.get(global),
            None => {
                let index = address::index(place) as usize;
                if index == self.roster.n_thread_locals as usize && address::owner(address::space(place)).is_some() {
                    return ("errno".to_owned(), None);
                }
                self.program.globals.iter().filter(|global| global.thread_local).nth(index)
            }
        };
        match global {
            Some(global) => (global.name.clone(), global.ty),
            None => ("an argument string".to_owned(), None),
        }
    }

    fn local_name(&self, place: u64) -> (String, Option<TypeId>) {
        let origin = self.memory.origin(place);
        if origin.allocated == NO_CODE {
            return ("a local variable".to_owned(), None);
        }
        let function = &self.program.functions[FuncId(origin.allocated.function)];
        let variable = function.allocas.get(origin.variable as usize);
        match variable.and_then(|variable| variable.name.clone()) {
            Some(name) => (name, variable.and_then(|variable| variable.ty)),
            None => (format!("a local variable of {}", function.name), None),
        }
    }

    /// The way from a variable of type `ty` to the scalar at `offset`: `[3].next`.
    fn path(&self, ty: TypeId, offset: u64) -> String {
        let mut path = String::new();
        let (mut ty, mut offset) = (ty, offset);
        loop {
            match self.program.types.get(ty) {
                Some(Type::Array { element, count, stride }) if *stride > 0 && offset / stride < *count => {
                    path.push_str(&format!("[{}]", offset / stride));
                    offset %= stride;
                    ty = *element;
                }
                Some(Type::Struct { members, .. }) => {
                    let member = members.iter().rev().find(|member| member.offset <= offset);
                    // What is inside a mutex and its like is nobody's business.
                    let shown = member.filter(|member| path.len() < 200 && !member.name.starts_with("__"));
                    let Some(member) = shown else { break };
                    path.push_str(&format!(".{}", member.name));
                    offset -= member.offset;
                    ty = member.ty;
                }
                _ => break,
            }
        }
        if offset != 0 {
            path.push_str(&format!(" + {}", offset as i64));
        }
        path
    }

    /// The scalar type at an address, if the debug information tells.
    fn scalar_at(&self, place: u64) -> Option<(ScalarForm, u64)> {
        let (_, ty) = match self.memory.object(place)?.kind {
            Kind::Global => self.global_name(place),
            Kind::Stack => self.local_name(place),
            _ => return None,
        };
        let (mut ty, mut offset) = (ty?, address::offset(place));
        loop {
            match self.program.types.get(ty)? {
                Type::Array { element, stride, .. } if *stride > 0 => {
                    offset %= stride;
                    ty = *element;
                }
                Type::Struct { members, .. } => {
                    let member = members.iter().rev().find(|member| member.offset <= offset)?;
                    offset -= member.offset;
                    ty = member.ty;
                }
                Type::Scalar { size, form, .. } => return (offset == 0).then_some((*form, *size)),
                _ => return None,
            }
        }
    }

    /// Whether the debug information says that these bytes are one number or pointer.
    pub(crate) fn is_scalar(&self, place: u64, size: u64) -> bool {
        self.scalar_at(place).is_some_and(|(_, of)| of == size)
    }

    /// Whether the debug information says that an array begins there.
    pub(crate) fn is_array(&self, place: u64) -> bool {
        let ty = self.base_name(place).and_then(|(_, ty)| ty).filter(|_| address::offset(place) == 0);
        ty.is_some_and(|ty| matches!(self.program.types.get(ty), Some(Type::Array { .. })))
    }

    /// A value as the type at its address shows it: numbers signed or not, pointers by what they point to.
    pub(crate) fn value_text(&self, place: u64, size: u32, value: u64) -> String {
        let bits = 8 * size.clamp(1, 8) as u8;
        match self.scalar_at(place) {
            Some((ScalarForm::Float, 8)) => format!("{:?}", f64::from_bits(value)),
            Some((ScalarForm::Float, _)) => format!("{:?}", f32::from_bits(value as u32)),
            Some((ScalarForm::Unsigned, _)) => value.to_string(),
            Some((ScalarForm::Bool, _)) => (value != 0).to_string(),
            Some((ScalarForm::Char, _)) if (32..127).contains(&value) => format!("'{}'", value as u8 as char),
            Some((ScalarForm::Pointer, _)) => self.pointer_text(value),
            None if size == 8
                && address::owner(address::space(value)).is_some()
                && self.memory.object(value).is_some() =>
            {
                self.pointer_text(value)
            }
            _ => crate::arith::sext(bits, value).to_string(),
        }
    }

    fn pointer_text(&self, value: u64) -> String {
        if value == 0 {
            return "NULL".to_owned();
        }
        if let Some(code) = address::function_of(value) {
            return match self.program.callee(code) {
                Some(gordian_ir::Callee::Function(function)) => self.program.functions[function].name.clone(),
                Some(gordian_ir::Callee::External(external)) => self.program.externals[external].name.clone(),
                _ => format!("{value:#x}"),
            };
        }
        match self.memory.object(value) {
            Some(_) => format!("&{}", self.name_of(value)),
            None => format!("{value:#x}"),
        }
    }
}
