//! A program as text, for those who debug gordian.

use crate::{Callee, Function, Inst, Program};
use std::fmt::Write;

impl Program {
    /// Everything but the initial bytes of globals; `internal` functions and globals only on request.
    pub fn dump(&self, internal: bool) -> String {
        let mut out = String::new();
        // Writing to a string never fails.
        let _ = self.write_dump(&mut out, internal);
        out
    }

    fn write_dump(&self, out: &mut String, internal: bool) -> std::fmt::Result {
        writeln!(out, "program {:016x}", self.identity)?;
        for (id, global) in self.globals.enumerate().filter(|(_, global)| internal || !global.internal) {
            let kind = match (global.external, global.constant, global.thread_local) {
                (true, ..) => "external",
                (_, true, _) => "constant",
                (_, _, true) => "thread-local",
                _ => "global",
            };
            writeln!(out, "{kind} {id} {}: {} bytes, align {}", global.name, global.size, global.align)?;
        }
        for (id, external) in self.externals.enumerate() {
            writeln!(out, "external {id} {}", external.name)?;
        }
        for (id, function) in self.functions.enumerate().filter(|(_, function)| internal || !function.internal) {
            writeln!(
                out,
                "\n{id} {}: {} parameters, {} results, {} registers{}",
                function.name,
                function.n_params,
                function.n_returns,
                function.n_registers,
                if function.variadic { ", variadic" } else { "" }
            )?;
            self.write_function(out, function)?;
        }
        Ok(())
    }

    fn write_function(&self, out: &mut String, function: &Function) -> std::fmt::Result {
        for (index, value) in function.consts.iter().enumerate() {
            writeln!(out, "    %{} = {value:#x}", function.n_registers as usize + index)?;
        }
        for (position, inst) in function.code.iter().enumerate() {
            let loc = function.locs[position];
            write!(out, "{position:5}  ")?;
            match *inst {
                Inst::Call { site } => self.write_call(out, function, site as usize)?,
                Inst::Switch { value, table } => {
                    let table = &function.switches[table];
                    write!(out, "Switch {{ value: {value}, cases: {:?}, default: {} }}", table.cases, table.default)?;
                }
                Inst::Undefined { site, .. } => write!(out, "Undefined {:?}", function.undefined[site as usize])?,
                Inst::Unsupported { reason } => write!(out, "Unsupported {:?}", function.unsupported[reason as usize])?,
                Inst::Alloca { variable, .. } => {
                    write!(out, "{inst:?} {}", function.allocas[variable as usize].name.as_deref().unwrap_or(""))?;
                }
                inst => write!(out, "{inst:?}")?,
            }
            if loc.line > 0 {
                write!(out, "  ; {}:{}", loc.line, loc.column)?;
            }
            out.push('\n');
        }
        Ok(())
    }

    fn write_call(&self, out: &mut String, function: &Function, site: usize) -> std::fmt::Result {
        let site = &function.calls[site];
        match site.callee {
            Callee::Function(id) => write!(out, "Call {}", self.functions[id].name)?,
            Callee::External(id) => write!(out, "Call external {}", self.externals[id].name)?,
            Callee::Indirect(slot) => write!(out, "Call *{slot}")?,
        }
        write!(out, " {:?}", site.args)?;
        if !site.byval.is_empty() {
            write!(out, " by value {:?}", site.byval)?;
        }
        if !site.variadic.is_empty() {
            write!(out, " variadic {:?}", site.variadic)?;
        }
        if site.n_returns > 0 {
            write!(out, " -> {} ({})", site.dst, site.n_returns)?;
        }
        Ok(())
    }
}
