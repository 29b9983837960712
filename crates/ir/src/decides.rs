//! Whether what a load gives decides anything, or is only carried along.

use crate::loops::successors;
use crate::{Callee, Function, Inst, Role, Slot, Target, WideOp};
use gordian_base::FxHashSet;

/// Places that are looked at; a value that goes further is taken to decide something.
const MOST_PLACES: usize = 20_000;

/// Whether the value that the instruction at `pc` gives may decide a branch, an address or a division, is computed with, or leaves the function. A value
/// that is only stored, perhaps as a part of another (as when a bit-field is set), decides nothing here.
pub fn may_decide(function: &Function, pc: Target) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = Vec::new();
    let spread = |work: &mut Vec<(Target, u32)>, at: Target, slots: &[u32]| {
        for next in successors(function, at) {
            work.extend(slots.iter().map(|&slot| (next, slot)));
        }
    };
    spread(&mut work, pc, &operands(function.code[pc as usize], Role::Write));
    while let Some((at, slot)) = work.pop() {
        if !seen.insert((at, slot)) {
            continue;
        }
        if seen.len() > MOST_PLACES || decides(function, at, slot) {
            return true;
        }
        let inst = function.code[at as usize];
        let written = match inst {
            Inst::Call { site } => results(function, site as usize),
            _ => operands(inst, Role::Write),
        };
        if operands(inst, Role::Read).contains(&slot) {
            spread(&mut work, at, &written);
        }
        if !written.contains(&slot) {
            spread(&mut work, at, &[slot]);
        }
    }
    false
}

/// Whether the instruction does more with what stands in the slot than moving its bits, or storing it.
fn decides(function: &Function, at: Target, slot: u32) -> bool {
    let is = |other: Slot| other.0 == slot;
    let inst = function.code[at as usize];
    match inst {
        Inst::Store { address, .. } | Inst::WideStore { address, .. } | Inst::AtomicStore { address, .. } => {
            is(address)
        }
        Inst::Load { address, .. } | Inst::WideLoad { address, .. } | Inst::AtomicLoad { address, .. } => is(address),
        Inst::AtomicRmw { address, .. } => is(address),
        Inst::MemSet { dst, len, .. } => is(dst) || is(len),
        Inst::CheckSet { .. } => false,
        Inst::Return { src } => (src.0..src.0 + function.n_returns).contains(&slot),
        Inst::Call { site } => {
            let site = &function.calls[site as usize];
            let is_passed = site.args.iter().any(|&arg| is(arg)) || site.variadic.iter().any(|arg| is(arg.slot));
            is_passed || matches!(site.callee, Callee::Indirect(callee) if is(callee))
        }
        Inst::Select { cond, .. } => is(cond),
        Inst::Move { .. } | Inst::Trunc { .. } | Inst::SExt { .. } | Inst::WideSExt { .. } => false,
        Inst::And { .. } | Inst::Or { .. } | Inst::Xor { .. } => false,
        Inst::Shl { b, .. } | Inst::LShr { b, .. } | Inst::AShr { b, .. } => is(b),
        Inst::WideBin { op: WideOp::And | WideOp::Or | WideOp::Xor, .. } => false,
        Inst::WideBin { op: WideOp::Shl | WideOp::LShr | WideOp::AShr, b, .. } => is(b) || is(Slot(b.0 + 1)),
        _ => reads(inst, slot),
    }
}

fn reads(inst: Inst, slot: u32) -> bool {
    operands(inst, Role::Read).contains(&slot)
}

fn operands(mut inst: Inst, wanted: Role) -> Vec<u32> {
    let mut slots = Vec::new();
    inst.for_each_operand_mut(|slot, n, role| {
        if role == wanted {
            slots.extend(slot.0..slot.0 + n);
        }
    });
    slots
}

fn results(function: &Function, site: usize) -> Vec<u32> {
    let site = &function.calls[site];
    (site.dst.0..site.dst.0 + site.n_returns).collect()
}
