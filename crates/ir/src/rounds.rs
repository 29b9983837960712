//! Which instructions a thread may come back to without having done anything that others see.

use crate::loops::successors;
use crate::{Callee, CheckedOp, ExternId, FuncId, Function, Inst, Liveness, Program, Slot, Target};
use gordian_base::Id;

/// Whether some path leads from the instruction back to it without a second atomic access, a store to a global variable, a call of an
/// external function that is not `quiet`, or a step of a counter. An over-approximation: without such a path no round of a loop around the
/// instruction leaves everything as it was.
pub fn may_come_round(
    program: &Program,
    id: FuncId,
    liveness: &Liveness,
    pc: Target,
    quiet: &dyn Fn(ExternId) -> bool,
) -> bool {
    let function = &program.functions[id];
    let mut seen = vec![false; function.code.len()];
    let mut work = successors(function, pc);
    while let Some(next) = work.pop() {
        if next == pc {
            return true;
        }
        if std::mem::replace(&mut seen[next as usize], true) || is_effect(program, function, liveness, pc, next, quiet)
        {
            continue;
        }
        work.extend(successors(function, next));
    }
    false
}

/// Whether the instruction at `pc` keeps a round that begins at `start` from being one without effect.
fn is_effect(
    program: &Program,
    function: &Function,
    liveness: &Liveness,
    start: Target,
    pc: Target,
    quiet: &dyn Fn(ExternId) -> bool,
) -> bool {
    let is_constant = |slot: Slot| slot.0 >= function.n_registers;
    match function.code[pc as usize] {
        Inst::AtomicLoad { .. }
        | Inst::AtomicStore { .. }
        | Inst::AtomicRmw { .. }
        | Inst::CmpXchg { .. }
        | Inst::Alloca { .. }
        | Inst::StackRestore { .. }
        | Inst::MemCopy { .. }
        | Inst::MemSet { .. }
        | Inst::WideStore { .. }
        | Inst::VaStart { .. }
        | Inst::VaCopy { .. } => true,
        Inst::Store { address, .. } => is_constant(address),
        Inst::Call { site } => match function.calls[site as usize].callee {
            Callee::Function(callee) => program.functions[callee].variadic,
            Callee::External(external) => !quiet(external),
            Callee::Indirect(_) => true,
        },
        Inst::Move { dst, src } => {
            is_live(function, liveness, start, dst) && is_step_of(function, pc, src, dst)
                || hands_on(function, start, dst, src)
        }
        Inst::Add { dst, a, b, .. } | Inst::Sub { dst, a, b, .. } if dst == a => {
            is_live(function, liveness, start, dst) && is_constant(b) && constant(function, b) != 0
        }
        Inst::Index { dst, base, index, .. } if dst == base => {
            is_live(function, liveness, start, dst) && is_constant(index) && constant(function, index) != 0
        }
        _ => false,
    }
}

/// Whether a move puts what a compare-and-swap at `start` has found in place of what it expects. An exchange that fails has found something else, so it
/// expects something else the next time.
fn hands_on(function: &Function, start: Target, dst: Slot, src: Slot) -> bool {
    let Inst::CmpXchg { dst: found, expected_new, .. } = function.code[start as usize] else { return false };
    let is_moved = |inst: &&Inst| matches!(inst, Inst::Move { dst, .. } if *dst == expected_new);
    let before = function.code[..start as usize].iter().rev().take_while(|inst| matches!(inst, Inst::Move { .. }));
    let expected = match before.clone().find(is_moved) {
        Some(&Inst::Move { src, .. }) => src,
        _ => expected_new,
    };
    let is_only_set_to_it = || {
        let mut sources = function.code.iter().filter_map(|inst| match *inst {
            Inst::Move { dst, src: from } if dst == src => Some(from == found || from == expected),
            _ => None,
        });
        sources.next() == Some(true) && sources.all(|is_one| is_one)
    };
    dst == expected && (src == found || is_only_set_to_it())
}

fn is_live(function: &Function, liveness: &Liveness, pc: Target, slot: Slot) -> bool {
    slot.0 < function.n_registers && liveness.is_live(pc as usize, slot.index())
}

fn constant(function: &Function, slot: Slot) -> u64 {
    function.consts[(slot.0 - function.n_registers) as usize]
}

/// Whether what stands in `slot` before `pc` is `counter` plus or minus a constant other than zero, by the instructions right before.
fn is_step_of(function: &Function, pc: Target, slot: Slot, counter: Slot) -> bool {
    let mut slot = slot;
    for pc in (0..pc as usize).rev() {
        let mut inst = function.code[pc];
        match inst {
            Inst::Add { dst, a, b, .. } | Inst::Sub { dst, a, b, .. } if dst == slot => {
                return a == counter && b.0 >= function.n_registers && constant(function, b) != 0;
            }
            Inst::Index { dst, base: a, index: b, .. } if dst == slot => {
                return a == counter && b.0 >= function.n_registers && constant(function, b) != 0;
            }
            Inst::Checked { op: CheckedOp::Add | CheckedOp::Sub, dst, a, b, .. } if dst == slot => {
                return a == counter && b.0 >= function.n_registers && constant(function, b) != 0;
            }
            Inst::Move { dst, src } if dst == slot => slot = src,
            Inst::Move { dst, .. } if dst != counter => {}
            _ => {
                let mut writes = false;
                inst.for_each_operand_mut(|written, n, role| {
                    let range = written.0..written.0 + n;
                    writes |= role == crate::Role::Write && (range.contains(&slot.0) || range.contains(&counter.0));
                });
                if writes || inst.is_terminator() || matches!(inst, Inst::Call { .. }) {
                    return false;
                }
            }
        }
    }
    false
}
