//! The invariants of a [`Program`], executable.

use crate::{Callee, FuncId, Function, Inst, Program, VarArgKind};
use gordian_base::{Id, IndexVec};

/// The first invariant that is broken, in words.
pub fn verify(program: &Program) -> Result<(), String> {
    for (id, function) in program.functions.enumerate() {
        verify_function(program, function).map_err(|problem| format!("{id} ({}): {problem}", function.name))?;
    }
    for (id, global) in program.globals.enumerate() {
        if global.init.len() as u64 > global.size {
            return Err(format!("{id} ({}): {} initial bytes for {}", global.name, global.init.len(), global.size));
        }
    }
    let exists = |id: &FuncId| id.index() < program.functions.len();
    if !program.constructors.iter().chain(&program.destructors).chain(&program.main).all(exists) {
        return Err("main, a constructor or a destructor is no function".into());
    }
    Ok(())
}

fn verify_function(program: &Program, function: &Function) -> Result<(), String> {
    let check = |holds: bool, what: &str| if holds { Ok(()) } else { Err(what.to_owned()) };
    check(function.n_params <= function.n_registers, "more parameters than registers")?;
    check(function.n_loops <= function.n_registers, "more loops than registers")?;
    check(function.code.len() == function.locs.len(), "places and code differ in length")?;
    check(function.code.last().is_some_and(Inst::is_terminator), "control runs off the end of the code")?;
    let n_code = function.code.len();
    let target_exists = |target: u32| (target as usize) < n_code;
    for (position, &inst) in function.code.iter().enumerate() {
        let at = |problem: String| format!("instruction {position} ({inst:?}): {problem}");
        verify_operands(function, inst).map_err(at)?;
        verify_references(program, function, inst).map_err(at)?;
    }
    for table in function.switches.iter() {
        check(target_exists(table.default), "a switch's default is out of range")?;
        check(table.cases.iter().all(|(_, target)| target_exists(*target)), "a switch's case is out of range")?;
        check(table.cases.is_sorted_by(|a, b| a.0 < b.0), "a switch's keys are not sorted")?;
    }
    check(function.labels.iter().all(|label| target_exists(*label)), "a label is out of range")?;
    verify_calls(program, function)
}

fn verify_operands(function: &Function, mut inst: Inst) -> Result<(), String> {
    let frame = function.frame_size() as u64;
    let is_return = matches!(inst, Inst::Return { .. });
    let mut problem = None;
    inst.for_each_operand_mut(|slot, n_slots, role| {
        let n_slots = if is_return { function.n_returns } else { n_slots };
        let end = u64::from(slot.0) + u64::from(n_slots);
        if n_slots > 0 && end > frame {
            problem = Some(format!("{slot} and its {n_slots} slots leave the frame of {frame}"));
        }
        if role == crate::Role::Write && end > u64::from(function.n_registers) {
            problem = Some(format!("{slot} is a constant and written to"));
        }
    });
    inst.for_each_target_mut(|target| {
        if *target as usize >= function.code.len() {
            problem = Some(format!("target {target} is out of range"));
        }
    });
    problem.map_or(Ok(()), Err)
}

fn verify_references(program: &Program, function: &Function, inst: Inst) -> Result<(), String> {
    let exists = match inst {
        Inst::Call { site } => (site as usize) < function.calls.len(),
        Inst::Switch { table, .. } => table.index() < function.switches.len(),
        Inst::Alloca { variable, .. } => (variable as usize) < function.allocas.len(),
        Inst::Undefined { site, .. } => (site as usize) < function.undefined.len(),
        Inst::Unsupported { reason } => (reason as usize) < function.unsupported.len(),
        Inst::ThreadLocal { global, .. } => program.globals.get(global).is_some_and(|global| global.thread_local),
        _ => true,
    };
    if exists { Ok(()) } else { Err("what it refers to does not exist".into()) }
}

fn verify_calls(program: &Program, function: &Function) -> Result<(), String> {
    let frame = function.frame_size() as u32;
    for (number, site) in function.calls.iter().enumerate() {
        let fail = |problem: &str| Err(format!("call {number}: {problem}"));
        if site.args.iter().any(|slot| slot.0 >= frame) {
            return fail("an argument leaves the frame");
        }
        let n_slots = |kind| if kind == VarArgKind::Wide { 2 } else { 1 };
        if site.variadic.iter().any(|argument| argument.slot.0 + n_slots(argument.kind) > frame) {
            return fail("a variadic argument leaves the frame");
        }
        if site.byval.iter().any(|byval| byval.arg as usize >= site.args.len()) {
            return fail("an argument by value does not exist");
        }
        if site.n_returns > 0 && site.dst.0 + site.n_returns > function.n_registers {
            return fail("the result leaves the registers");
        }
        match site.callee {
            Callee::Function(callee) => match known(&program.functions, callee) {
                Some(callee) if callee.n_params as usize != site.args.len() => {
                    return fail("wrong number of arguments");
                }
                Some(callee) if callee.n_returns != site.n_returns => return fail("wrong number of results"),
                Some(_) => {}
                None => return fail("the callee does not exist"),
            },
            Callee::External(callee) if callee.index() >= program.externals.len() => {
                return fail("the callee does not exist");
            }
            Callee::Indirect(slot) if slot.0 >= frame => return fail("the callee leaves the frame"),
            _ => {}
        }
    }
    Ok(())
}

fn known(functions: &IndexVec<FuncId, Function>, id: FuncId) -> Option<&Function> {
    functions.get(id)
}
