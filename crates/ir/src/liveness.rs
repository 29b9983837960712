//! Which registers may still be read after a point: the others hold what no longer matters.

use crate::{Callee, Function, Inst, Role, VarArgKind};
use gordian_base::Id;

/// For each instruction the registers whose present value may be read at or after it.
#[derive(Clone, Debug)]
pub struct Liveness {
    words: usize,
    bits: Vec<u64>,
}

impl Liveness {
    /// Whether the register may be read at or after `pc`.
    pub fn is_live(&self, pc: usize, register: usize) -> bool {
        self.bits[pc * self.words + register / 64] >> (register % 64) & 1 != 0
    }

    /// The registers that may be read at or after `pc`, in order.
    pub fn live(&self, pc: usize) -> impl Iterator<Item = usize> {
        let words = &self.bits[pc * self.words..(pc + 1) * self.words];
        words.iter().enumerate().flat_map(|(nth, &word)| {
            let rest = |bits: u64| Some(bits & bits.wrapping_sub(1)).filter(|&bits| bits != 0);
            let bits = std::iter::successors(Some(word).filter(|&bits| bits != 0), move |&bits| rest(bits));
            bits.map(move |bits| 64 * nth + bits.trailing_zeros() as usize)
        })
    }

    pub fn of(function: &Function) -> Liveness {
        let n_registers = function.n_registers as usize;
        let words = n_registers.div_ceil(64).max(1);
        let mut liveness = Liveness { words, bits: vec![0; words * function.code.len()] };
        let mut live = vec![0u64; words];
        let mut changed = true;
        while changed {
            changed = false;
            for pc in (0..function.code.len()).rev() {
                live.fill(0);
                liveness.add_successors(function, pc, &mut live);
                transfer(function, pc, n_registers, &mut live);
                let known = &mut liveness.bits[pc * words..(pc + 1) * words];
                if known != live {
                    known.copy_from_slice(&live);
                    changed = true;
                }
            }
        }
        liveness
    }

    fn add_successors(&self, function: &Function, pc: usize, live: &mut [u64]) {
        let mut add = |target: usize| {
            if let Some(bits) = self.bits.get(target * self.words..(target + 1) * self.words) {
                live.iter_mut().zip(bits).for_each(|(word, bits)| *word |= bits);
            }
        };
        let mut inst = function.code[pc];
        match inst {
            Inst::Switch { table, .. } => {
                let table = &function.switches[table];
                add(table.default as usize);
                table.cases.iter().for_each(|case| add(case.1 as usize));
            }
            Inst::JumpIndirect { .. } => function.labels.iter().for_each(|&label| add(label as usize)),
            _ => inst.for_each_target_mut(|target| add(*target as usize)),
        }
        if !inst.is_terminator() {
            add(pc + 1);
        }
    }
}

/// From what is live behind the instruction to what is live before it.
fn transfer(function: &Function, pc: usize, n_registers: usize, live: &mut [u64]) {
    let mut set = |first: usize, n: usize, value: bool| {
        for register in (first..first + n).filter(|&register| register < n_registers) {
            let bit = 1 << (register % 64);
            if value { live[register / 64] |= bit } else { live[register / 64] &= !bit }
        }
    };
    let mut inst = function.code[pc];
    match inst {
        Inst::Return { src } => set(src.index(), function.n_returns as usize, true),
        Inst::Call { site } => {
            let site = &function.calls[site as usize];
            set(site.dst.index(), site.n_returns as usize, false);
            if let Callee::Indirect(slot) = site.callee {
                set(slot.index(), 1, true);
            }
            site.args.iter().for_each(|slot| set(slot.index(), 1, true));
            for argument in &site.variadic {
                set(argument.slot.index(), if argument.kind == VarArgKind::Wide { 2 } else { 1 }, true);
            }
        }
        _ => {
            let mut reads = Vec::with_capacity(4);
            inst.for_each_operand_mut(|slot, n, role| match role {
                Role::Write => set(slot.index(), n as usize, false),
                Role::Read => reads.push((slot.index(), n as usize)),
            });
            reads.into_iter().for_each(|(first, n)| set(first, n, true));
        }
    }
}
