//! `gordian ir`: the lowered program as text, for people who want to know what is really run.

use crate::args::IrArgs;
use crate::load::{self, Lowering};
use crate::output::print;
use gordian_ir::{CallSite, Callee, FuncId, Function, Global, Inst, Loc, Program};
use gordian_trace::exit_code;
use std::fmt::Write;

pub fn ir(args: &IrArgs) -> anyhow::Result<u8> {
    let lowering = Lowering { overflow: args.overflow, ..Lowering::default() };
    let program = load::program(&args.program.files, &args.program.files, &args.program.cflags, lowering)?;
    print(&listing(&program, args.all))?;
    Ok(exit_code::SAFE)
}

fn listing(program: &Program, all: bool) -> String {
    let mut out = format!("program {}\n", load::identity(program));
    for (id, global) in program.globals.enumerate().filter(|(_, global)| all || !global.internal) {
        let _ = writeln!(out, "\nglobal {id} {}", describe(global));
    }
    for (id, external) in program.externals.enumerate() {
        let _ = writeln!(out, "external {id} {}", external.name);
    }
    for (id, function) in program.functions.enumerate().filter(|(_, function)| all || !function.internal) {
        write_function(&mut out, program, id, function);
    }
    out
}

fn describe(global: &Global) -> String {
    let mut text = format!("{}: {} bytes, aligned to {}", global.name, global.size, global.align);
    for (is, what) in
        [(global.constant, "constant"), (global.thread_local, "thread-local"), (global.external, "external")]
    {
        if is {
            let _ = write!(text, ", {what}");
        }
    }
    text
}

fn write_function(out: &mut String, program: &Program, id: FuncId, function: &Function) {
    let variadic = if function.variadic { ", variadic" } else { "" };
    let _ = writeln!(
        out,
        "\nfunction {id} {} ({} parameter slots{variadic}, {} result slots) at {}",
        function.name,
        function.n_params,
        function.n_returns,
        place(program, function.loc)
    );
    for (nth, value) in function.consts.iter().enumerate() {
        let _ = writeln!(out, "        %{} = {value:#x}", function.n_registers as usize + nth);
    }
    let mut last = Loc::NONE;
    for (nth, inst) in function.code.iter().enumerate() {
        let loc = function.locs.get(nth).copied().unwrap_or(Loc::NONE);
        let comment =
            if loc == last || loc == Loc::NONE { String::new() } else { format!("; {}", place(program, loc)) };
        last = loc;
        let _ = writeln!(
            out,
            "{}",
            format!("  {nth:>4}  {:<60} {comment}", instruction(program, function, inst)).trim_end()
        );
    }
}

fn instruction(program: &Program, function: &Function, inst: &Inst) -> String {
    match inst {
        Inst::Call { site } => match function.calls.get(*site as usize) {
            Some(call) => self::call(program, call),
            None => format!("{inst:?}"),
        },
        Inst::Unsupported { reason } => {
            format!("Unsupported: {}", function.unsupported.get(*reason as usize).map_or("?", String::as_str))
        }
        Inst::Switch { value, table } => match function.switches.get(*table) {
            Some(table) => format!("Switch {value} {:?} default {}", table.cases, table.default),
            None => format!("{inst:?}"),
        },
        other => format!("{other:?}"),
    }
}

fn call(program: &Program, call: &CallSite) -> String {
    let callee = match call.callee {
        Callee::Function(id) => program.functions.get(id).map_or("?".to_owned(), |callee| callee.name.clone()),
        Callee::External(id) => program.externals.get(id).map_or("?".to_owned(), |callee| callee.name.clone()),
        Callee::Indirect(slot) => format!("*{slot}"),
    };
    let fixed = call.args.iter().map(ToString::to_string);
    let variadic = call.variadic.iter().map(|argument| format!("...{}", argument.slot));
    let arguments: Vec<String> = fixed.chain(variadic).collect();
    let result = if call.n_returns > 0 { format!("{} = ", call.dst) } else { String::new() };
    format!("Call {result}{callee}({})", arguments.join(", "))
}

fn place(program: &Program, loc: Loc) -> String {
    match program.files.get(loc.file) {
        Some(file) if loc.line > 0 => format!("{file}:{}:{}", loc.line, loc.column),
        _ => "no place".to_owned(),
    }
}
