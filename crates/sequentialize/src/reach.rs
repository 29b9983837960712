//! Which functions a sequentialized program needs.

use gordian_base::{FxHashSet, Id};
use gordian_ir::{Callee, FuncId, Global, GlobalId, Inst, Program, address};

/// The functions that may run, in the order of their numbers, and those that a pointer may call.
pub struct Reached {
    pub functions: Vec<FuncId>,
    pub by_pointer: Vec<FuncId>,
}

/// From main on: whatever is called, and whatever looks like a pointer to a function in code or in a global that code refers to.
pub fn reach(program: &Program, main: FuncId) -> Reached {
    let mut reached = FxHashSet::default();
    let mut by_pointer = FxHashSet::default();
    let mut globals = FxHashSet::default();
    let mut queue: Vec<FuncId> = program.constructors.iter().copied().chain([main]).collect();
    while let Some(id) = queue.pop() {
        if !reached.insert(id) {
            continue;
        }
        let function = &program.functions[id];
        let mut values = function.consts.clone();
        for inst in &function.code {
            match *inst {
                Inst::Call { site } => match function.calls[site as usize].callee {
                    Callee::Function(callee) => queue.push(callee),
                    Callee::External(_) | Callee::Indirect(_) => {}
                },
                Inst::ThreadLocal { global, .. } => values.push(address::of_global(global)),
                _ => {}
            }
        }
        while let Some(value) = values.pop() {
            if let Some(code) = address::function_of(value)
                && (code as usize) < program.functions.len()
            {
                by_pointer.insert(FuncId(code));
                queue.push(FuncId(code));
            }
            let global = address::global_of(value).filter(|global| global.index() < program.globals.len());
            if let Some(global) = global.filter(|&global| globals.insert(global)) {
                values.extend(words(&program.globals[global]));
            }
        }
    }
    let sorted = |set: FxHashSet<FuncId>| {
        let mut list: Vec<FuncId> = set.into_iter().collect();
        list.sort_unstable();
        list
    };
    Reached { functions: sorted(reached), by_pointer: sorted(by_pointer) }
}

/// Everything in a global that may be a pointer.
fn words(global: &Global) -> impl Iterator<Item = u64> + '_ {
    // Zeros at the end are left out.
    global.init.chunks(8).map(|chunk| {
        let mut word = [0; 8];
        word[..chunk.len()].copy_from_slice(chunk);
        u64::from_le_bytes(word)
    })
}

/// Names what an address points to, for comments.
pub fn name_of(program: &Program, value: u64) -> Option<&str> {
    if let Some(code) = address::function_of(value) {
        return program.functions.get(FuncId(code)).map(|function| function.name.as_str());
    }
    let global: GlobalId = address::global_of(value).filter(|_| address::offset(value) == 0)?;
    program.globals.get(global).map(|global| global.name.as_str())
}
