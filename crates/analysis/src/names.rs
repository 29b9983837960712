//! What people call objects, places in them, and points of the program.

use crate::callgraph::{CallGraph, Point};
use crate::objects::{InstanceId, ObjectId, ObjectKind, Offset};
use gordian_base::Id;
use gordian_ir::{Loc, Program, Type, TypeId};

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: u32,
    pub column: u32,
    pub function: String,
}

/// Where an instruction comes from.
pub fn place(program: &Program, point: Point) -> Place {
    let function = &program.functions[point.function];
    let loc = function.locs.get(point.pc as usize).copied().filter(|loc| loc.line > 0).unwrap_or(function.loc);
    place_at(program, loc, &function.name)
}

/// The place of that name and position.
pub fn place_at(program: &Program, loc: Loc, function: &str) -> Place {
    let Loc { file, line, column } = loc;
    let file = program.files.get(file).cloned().unwrap_or_default();
    Place { file, line, column, function: function.to_owned() }
}

/// The variable, field or heap object: `table[*].next`.
pub fn name(graph: &CallGraph<'_>, object: ObjectId, offset: Offset) -> String {
    let program = graph.program;
    let function_of = |instance: InstanceId| graph.instances[instance.index()].function;
    let (base, ty) = match graph.solver.objects.kind(object) {
        ObjectKind::Global(global) | ObjectKind::ThreadLocal(global, _) => {
            let global = &program.globals[global];
            (global.name.clone(), global.ty)
        }
        ObjectKind::Local { instance, variable, .. } => {
            let function = &program.functions[function_of(instance)];
            let variable = function.allocas.get(variable as usize);
            match variable.and_then(|variable| variable.name.clone()) {
                Some(name) => (name, variable.and_then(|variable| variable.ty)),
                None => (format!("a local variable of {}", function.name), None),
            }
        }
        ObjectKind::Heap { instance, pc } => {
            let place = place(program, Point { function: function_of(instance), pc });
            let file = place.file.rsplit('/').next().unwrap_or_default();
            (format!("heap@{file}:{}", place.line), None)
        }
        ObjectKind::ByValue { instance, .. } | ObjectKind::Variadic { instance } => {
            (format!("an argument of {}", program.functions[function_of(instance)].name), None)
        }
        ObjectKind::Library(shared) => return shared.name().to_owned(),
        ObjectKind::OfThread(_) => return "what the C library keeps for a thread".to_owned(),
        ObjectKind::Arguments => return "the arguments of the program".to_owned(),
        ObjectKind::Results => return "results of threads".to_owned(),
        ObjectKind::Memory => return "memory".to_owned(),
        ObjectKind::Code(_) | ObjectKind::Handle(_) | ObjectKind::Buffer(_) => return "no memory".to_owned(),
    };
    let path = match ty {
        Some(ty) => path(program, ty, offset),
        None => match offset {
            Offset { base: 0, stride: 0 } => String::new(),
            Offset { base, stride: 0 } => format!("+{base}"),
            _ => "[*]".to_owned(),
        },
    };
    format!("{base}{path}")
}

fn path(program: &Program, ty: TypeId, offset: Offset) -> String {
    let mut path = String::new();
    let (mut ty, mut base, mut stride) = (ty, offset.base, i64::from(offset.stride));
    loop {
        match program.types.get(ty) {
            Some(Type::Array { element, count, stride: step }) if *step > 0 => {
                let step = *step as i64;
                if stride == 0 {
                    if base < 0 || base / step >= *count as i64 {
                        break;
                    }
                    path.push_str(&format!("[{}]", base / step));
                } else {
                    path.push_str("[*]");
                    // Whole elements are behind us; what is left is a step within one.
                    stride = if stride % step == 0 { 0 } else { stride };
                    if stride != 0 {
                        break;
                    }
                }
                base = base.rem_euclid(step);
                ty = *element;
            }
            Some(Type::Struct { members, .. }) if stride == 0 => {
                let member = members.iter().rev().find(|member| (member.offset as i64) <= base);
                let shown = member.filter(|member| path.len() < 200 && !member.name.starts_with("__"));
                let Some(member) = shown else { break };
                path.push_str(&format!(".{}", member.name));
                base -= member.offset as i64;
                ty = member.ty;
            }
            _ => break,
        }
    }
    if stride != 0 && !path.ends_with("[*]") {
        path.push_str("[*]");
    }
    path
}
