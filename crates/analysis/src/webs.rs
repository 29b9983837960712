//! Webs: the values that a function keeps in its slots. Slots are reused, so what is said of a slot mixes values that
//! have nothing to do with each other. A web is a set of definitions of one slot that share uses.

use crate::cfg::Cfg;
use gordian_externals::Effect;
use gordian_ir::{Callee, Function, Inst, Program, Role, VarArgKind};

/// A web of a function.
pub type Web = u32;

/// The webs of one function.
#[derive(Debug, Default)]
pub struct Webs {
    pub n: u32,
    /// For each instruction the slots that it reads and writes with their webs.
    reads: Vec<Vec<(u32, Web)>>,
    writes: Vec<Vec<(u32, Web)>>,
    /// The webs of the parameters.
    pub parameters: Vec<Web>,
    /// How often each web is defined; parameters count.
    pub n_definitions: Vec<u32>,
    /// The function calls `setjmp` or its like: whatever it did it may do again.
    pub returns_twice: bool,
}

impl Webs {
    pub fn of(program: &Program, function: &Function, cfg: &Cfg) -> Webs {
        Builder::new(program, function).build(cfg)
    }

    pub fn read(&self, pc: u32, slot: u32) -> Web {
        find(&self.reads[pc as usize], slot)
    }

    pub fn written(&self, pc: u32, slot: u32) -> Web {
        find(&self.writes[pc as usize], slot)
    }

    /// The webs that the instruction defines.
    pub fn defined_at(&self, pc: u32) -> impl Iterator<Item = Web> {
        self.writes[pc as usize].iter().map(|(_, web)| *web)
    }
}

fn find(list: &[(u32, Web)], slot: u32) -> Web {
    list.iter().find(|(of, _)| *of == slot).map(|(_, web)| *web).expect("an operand of the instruction")
}

/// Calls `visit` with every slot that the instruction reads or writes.
pub fn for_each_slot(function: &Function, pc: usize, mut visit: impl FnMut(u32, Role)) {
    let mut many = |first: u32, n: u32, role| (first..first + n).for_each(|slot| visit(slot, role));
    match function.code[pc] {
        Inst::Call { site } => {
            let call = &function.calls[site as usize];
            if let Callee::Indirect(slot) = call.callee {
                many(slot.0, 1, Role::Read);
            }
            call.args.iter().for_each(|slot| many(slot.0, 1, Role::Read));
            for argument in &call.variadic {
                many(argument.slot.0, if argument.kind == VarArgKind::Wide { 2 } else { 1 }, Role::Read);
            }
            many(call.dst.0, call.n_returns, Role::Write);
        }
        Inst::Return { src } => many(src.0, function.n_returns, Role::Read),
        mut inst => inst.for_each_operand_mut(|slot, n, role| many(slot.0, n, role)),
    }
}

struct Builder<'p> {
    function: &'p Function,
    n_registers: usize,
    /// Definition `slot` is what the slot holds on entry; the others are numbered behind those.
    definitions: Vec<(u32, u32)>,
    /// For each definition another one of the same web.
    same: Vec<u32>,
    /// After `setjmp` returns a second time the slots hold what was written later.
    is_whole: bool,
}

impl<'p> Builder<'p> {
    fn new(program: &Program, function: &'p Function) -> Self {
        let mut definitions = Vec::new();
        let n_registers = function.n_registers as usize;
        for pc in 0..function.code.len() {
            for_each_slot(function, pc, |slot, role| {
                if role == Role::Write && (slot as usize) < n_registers {
                    definitions.push((pc as u32, slot));
                }
            });
        }
        let returns_twice = |callee: Callee| match callee {
            Callee::External(external) => gordian_externals::effects_of(&program.externals[external].name)
                .is_some_and(|effects| effects.contains(&Effect::ReturnsTwice)),
            _ => false,
        };
        let is_whole = function.calls.iter().any(|call| returns_twice(call.callee));
        let same = (0..(n_registers + definitions.len()) as u32).collect();
        Builder { function, n_registers, definitions, same, is_whole }
    }

    fn root(&mut self, mut of: u32) -> u32 {
        while self.same[of as usize] != of {
            self.same[of as usize] = self.same[self.same[of as usize] as usize];
            of = self.same[of as usize];
        }
        of
    }

    fn unite(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        self.same[a.max(b) as usize] = a.min(b);
    }

    fn build(mut self, cfg: &Cfg) -> Webs {
        let mut of_slot: Vec<Vec<u32>> = (0..self.n_registers as u32).map(|slot| vec![slot]).collect();
        for nth in 0..self.definitions.len() {
            of_slot[self.definitions[nth].1 as usize].push((self.n_registers + nth) as u32);
        }
        let n_params = self.function.n_params;
        let is_split = |slot: usize, of: &[u32]| of.len() > 2 || (slot < n_params as usize && of.len() > 1);
        let mut n_split = 0;
        // Bits of definitions of slots that have several.
        let mut bits = vec![u32::MAX; self.n_registers + self.definitions.len()];
        for (slot, of) in of_slot.iter().enumerate() {
            if self.is_whole || !is_split(slot, of) {
                of.iter().skip(1).for_each(|&definition| self.unite(of[0], definition));
                continue;
            }
            for &definition in of {
                bits[definition as usize] = n_split;
                n_split += 1;
            }
        }
        let seen = if n_split > 0 { self.split(cfg, &of_slot, &bits, n_split as usize) } else { Vec::new() };
        self.number(&seen)
    }

    /// Unites the definitions that reach a common use, and says for each read one of them.
    fn split(&mut self, cfg: &Cfg, of_slot: &[Vec<u32>], bits: &[u32], n: usize) -> Vec<Vec<(u32, u32)>> {
        let words = n.div_ceil(64);
        let mut slot_masks: Vec<Vec<u32>> = vec![Vec::new(); self.n_registers];
        for (slot, of) in of_slot.iter().enumerate() {
            slot_masks[slot] = of.iter().map(|&d| bits[d as usize]).filter(|&bit| bit != u32::MAX).collect();
        }
        let mut definition_of_bit = vec![0; n];
        for (definition, &bit) in bits.iter().enumerate().filter(|(_, bit)| **bit != u32::MAX) {
            definition_of_bit[bit as usize] = definition as u32;
        }
        let mut at_pc: Vec<Vec<u32>> = vec![Vec::new(); self.function.code.len()];
        for (nth, &(pc, _)) in self.definitions.iter().enumerate() {
            at_pc[pc as usize].push((self.n_registers + nth) as u32);
        }
        let define = |state: &mut [u64], slot: u32, definition: u32| {
            if bits[definition as usize] == u32::MAX {
                return;
            }
            for &bit in &slot_masks[slot as usize] {
                state[bit as usize / 64] &= !(1 << (bit % 64));
            }
            let bit = bits[definition as usize];
            state[bit as usize / 64] |= 1 << (bit % 64);
        };
        let mut inputs = vec![vec![0u64; words]; cfg.blocks.len()];
        for slot in 0..self.n_registers as u32 {
            define(&mut inputs[0], slot, slot);
        }
        let mut queue: std::collections::VecDeque<u32> = (0..cfg.blocks.len() as u32).collect();
        let mut queued = vec![true; cfg.blocks.len()];
        while let Some(block) = queue.pop_front() {
            queued[block as usize] = false;
            let mut state = inputs[block as usize].clone();
            for pc in cfg.blocks[block as usize].code.clone() {
                for &definition in &at_pc[pc as usize] {
                    define(&mut state, self.definitions[definition as usize - self.n_registers].1, definition);
                }
            }
            for &next in &cfg.blocks[block as usize].successors {
                let input = &mut inputs[next as usize];
                let mut changed = false;
                for (word, new) in input.iter_mut().zip(&state) {
                    changed |= new & !*word != 0;
                    *word |= new;
                }
                if changed && !queued[next as usize] {
                    queued[next as usize] = true;
                    queue.push_back(next);
                }
            }
        }
        let mut seen: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.function.code.len()];
        for (block, mut state) in cfg.blocks.iter().zip(inputs) {
            for pc in block.code.clone() {
                let mut groups = Vec::new();
                for_each_slot(self.function, pc as usize, |slot, role| {
                    if role == Role::Read && (slot as usize) < self.n_registers && !slot_masks[slot as usize].is_empty()
                    {
                        let reaches = |bit: &&u32| state[**bit as usize / 64] >> (**bit % 64) & 1 != 0;
                        let reaching = slot_masks[slot as usize].iter().filter(reaches);
                        groups.push((slot, reaching.map(|&bit| definition_of_bit[bit as usize]).collect::<Vec<u32>>()));
                    }
                });
                for (slot, group) in groups {
                    group.iter().skip(1).for_each(|&other| self.unite(group[0], other));
                    seen[pc as usize].push((slot, group.first().copied().unwrap_or(slot)));
                }
                for &definition in &at_pc[pc as usize] {
                    define(&mut state, self.definitions[definition as usize - self.n_registers].1, definition);
                }
            }
        }
        seen
    }

    /// Gives every web a number. `seen` has a definition for each read of a slot that was split.
    fn number(mut self, seen: &[Vec<(u32, u32)>]) -> Webs {
        let mut webs = Webs { returns_twice: self.is_whole, ..Webs::default() };
        let mut numbers = vec![u32::MAX; self.same.len()];
        let mut web_of = |builder: &mut Self, webs: &mut Webs, definition: u32| {
            let root = builder.root(definition) as usize;
            if numbers[root] == u32::MAX {
                numbers[root] = webs.n;
                webs.n += 1;
                webs.n_definitions.push(0);
            }
            numbers[root]
        };
        for slot in 0..self.function.n_params {
            let web = web_of(&mut self, &mut webs, slot);
            webs.n_definitions[web as usize] += 1;
            webs.parameters.push(web);
        }
        let mut next = self.n_registers as u32;
        for pc in 0..self.function.code.len() {
            let (mut reads, mut writes) = (Vec::new(), Vec::new());
            for_each_slot(self.function, pc, |slot, role| {
                if slot as usize >= self.n_registers {
                    return;
                }
                match role {
                    Role::Read => {
                        let split = seen.get(pc).and_then(|seen| seen.iter().find(|(of, _)| *of == slot));
                        reads.push((slot, split.map_or(slot, |(_, definition)| *definition)));
                    }
                    Role::Write => {
                        writes.push((slot, next));
                        next += 1;
                    }
                }
            });
            let reads = reads.into_iter().map(|(slot, of)| (slot, web_of(&mut self, &mut webs, of))).collect();
            let writes: Vec<(u32, Web)> =
                writes.into_iter().map(|(slot, of)| (slot, web_of(&mut self, &mut webs, of))).collect();
            writes.iter().for_each(|(_, web)| webs.n_definitions[*web as usize] += 1);
            webs.reads.push(reads);
            webs.writes.push(writes);
        }
        webs
    }
}
