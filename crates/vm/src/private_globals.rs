//! Global variables of `main` alone: no other code uses them. Other threads could reach them and never do, so where `main` alone runs its code, writing to
//! them is no scheduling point of its own.
//!
//! A variable is one of these if its address stands in no other function and in no initial value, and `main` does nothing with it but access
//! memory there, compare it, and have the handle or the result of a thread written to it.

use gordian_base::Id;
use gordian_ir::{CallSite, Callee, Function, GlobalId, Inst, Program, Role, Slot, address};
use smallvec::SmallVec;

/// By global variable: it is one of these.
pub struct PrivateGlobals(Box<[bool]>);

impl PrivateGlobals {
    pub fn of(program: &Program) -> PrivateGlobals {
        let mut own = vec![true; program.globals.len()];
        let Some(main) = program.main else { return PrivateGlobals(vec![false; own.len()].into()) };
        let of_others = program.functions.enumerate().filter(|&(id, _)| id != main);
        let constants = of_others.flat_map(|(_, function)| function.consts.iter().copied());
        let initial = program.globals.iter().flat_map(|global| words(&global.init));
        constants.chain(initial).filter_map(address::global_of).for_each(|global| forget(&mut own, global));
        // Who calls it, or can, may be another thread.
        let is_main = |value: u64| {
            address::function_of(value).and_then(|code| program.callee(code)) == Some(Callee::Function(main))
        };
        let all = || program.functions.iter();
        let is_called = all().flat_map(|function| &function.calls).any(|call| call.callee == Callee::Function(main));
        let is_known = all().flat_map(|function| &function.consts).any(|&value| is_main(value));
        let is_known = is_known || program.globals.iter().flat_map(|global| words(&global.init)).any(is_main);
        if is_called || is_known {
            own.fill(false);
        } else {
            Pointers::of(&program.functions[main]).escaping(program, |global| forget(&mut own, global));
        }
        PrivateGlobals(own.into())
    }

    /// Whether the address is in one.
    pub fn has(&self, address: u64) -> bool {
        address::global_of(address).is_some_and(|global| self.0.get(global.index()) == Some(&true))
    }
}

fn forget(own: &mut [bool], global: GlobalId) {
    if let Some(own) = own.get_mut(global.index()) {
        *own = false;
    }
}

fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.windows(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
}

/// The variables of which each slot of a function may hold an address, whenever it is used.
struct Pointers<'p> {
    function: &'p Function,
    slots: Vec<SmallVec<[GlobalId; 1]>>,
}

impl<'p> Pointers<'p> {
    fn of(function: &'p Function) -> Self {
        let registers = std::iter::repeat_n(SmallVec::new(), function.n_registers as usize);
        let constants = function.consts.iter().map(|&value| address::global_of(value).into_iter().collect());
        let mut pointers = Pointers { function, slots: registers.chain(constants).collect() };
        loop {
            let mut is_done = true;
            for inst in &function.code {
                let (dst, from) = match *inst {
                    Inst::Move { dst, src } => (dst, [src, src]),
                    Inst::Index { dst, base, index, .. } => (dst, [base, index]),
                    Inst::Select { dst, a, b, .. } => (dst, [a, b]),
                    _ => continue,
                };
                let held = from.map(|slot| pointers.slots[slot.index()].clone());
                for global in held.into_iter().flatten() {
                    let known = &mut pointers.slots[dst.index()];
                    if !known.contains(&global) {
                        known.push(global);
                        is_done = false;
                    }
                }
            }
            if is_done {
                return pointers;
            }
        }
    }

    /// Tells of the variables whose addresses are used otherwise than for accesses.
    fn escaping(&self, program: &Program, mut tell: impl FnMut(GlobalId)) {
        let mut escape = |slot: Slot| self.slots[slot.index()].iter().for_each(|&global| tell(global));
        for inst in &self.function.code {
            match *inst {
                Inst::Move { .. } | Inst::Index { .. } | Inst::Select { .. } | Inst::Load { .. } => {}
                Inst::CmpEq { .. } | Inst::CmpNe { .. } | Inst::CmpUlt { .. } | Inst::CmpUle { .. } => {}
                Inst::CmpSlt { .. } | Inst::CmpSle { .. } | Inst::BranchCmp { .. } | Inst::MemSet { .. } => {}
                Inst::Store { src, .. } => escape(src),
                Inst::Call { site } => {
                    let site = &self.function.calls[site as usize];
                    if let Callee::Indirect(callee) = site.callee {
                        escape(callee);
                    }
                    let is_harmless = |nth: usize| is_written_by_call(program, site, nth);
                    let fixed = site.args.iter().enumerate().filter(|&(nth, _)| !is_harmless(nth));
                    fixed.for_each(|(_, &slot)| escape(slot));
                    site.variadic.iter().for_each(|arg| escape(arg.slot));
                }
                mut inst => inst.for_each_operand_mut(|slot, n, role| {
                    if role == Role::Read {
                        (slot.0..slot.0 + n.max(1)).for_each(|slot| escape(Slot(slot)));
                    }
                }),
            }
        }
    }
}

/// Whether the call does nothing with its argument of this number but write a handle or a result there.
fn is_written_by_call(program: &Program, site: &CallSite, nth: usize) -> bool {
    let Callee::External(external) = site.callee else { return false };
    match program.externals[external].name.as_str() {
        "pthread_create" | "thrd_create" => nth == 0,
        "pthread_join" | "thrd_join" => nth == 1,
        _ => false,
    }
}
