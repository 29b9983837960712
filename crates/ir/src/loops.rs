//! Counts how often loops go back, for a bound on their iterations. Done only when such a bound is asked for: a program
//! without one holds no instruction for it.
//!
//! A depth-first search from the beginning of a function finds the edges that go back to an instruction on the way there:
//! those of its loops, each ending at the loop's head. Every head gets a counter of its own, which
//! [`Inst::LoopBack`] on those edges raises and [`Inst::LoopEnter`] on all other edges to the head sets to zero.
//!
//! No loop escapes, not even one that `goto` enters in several places: of the instructions that are executed again and again,
//! the one that the search found first is reached from the others by edges that go back only, so its counter grows.

use crate::{Function, Inst, Loc, Program, Slot, Target};
use gordian_base::FxHashMap;

/// Counts the loops of the program's own functions; gordian's libc is no part of what the user bounds.
pub fn count_loops(program: &mut Program) {
    for function in program.functions.iter_mut().filter(|function| !function.internal) {
        let back = back_edges(function);
        if !back.is_empty() {
            Rewriter::new(function, back).rewrite(function);
        }
    }
}

pub(crate) fn successors(function: &Function, pc: Target) -> Vec<Target> {
    let mut inst = function.code[pc as usize];
    let mut found = Vec::new();
    match inst {
        Inst::Switch { table, .. } => {
            let table = &function.switches[table];
            found.push(table.default);
            found.extend(table.cases.iter().map(|case| case.1));
        }
        Inst::JumpIndirect { .. } => found.extend(&function.labels),
        _ => inst.for_each_target_mut(|target| found.push(*target)),
    }
    if !inst.is_terminator() {
        found.push(pc + 1);
    }
    found
}

#[derive(Clone, Copy, PartialEq)]
enum Seen {
    No,
    OnTheWay,
    Done,
}

/// Edges to an instruction on the way from the beginning, in no particular order, each once.
fn back_edges(function: &Function) -> Vec<(Target, Target)> {
    let mut seen = vec![Seen::No; function.code.len()];
    let mut back = Vec::new();
    let mut way = vec![(0, successors(function, 0))];
    seen[0] = Seen::OnTheWay;
    while let Some((pc, left)) = way.last_mut() {
        let Some(next) = left.pop() else {
            seen[*pc as usize] = Seen::Done;
            way.pop();
            continue;
        };
        match seen[next as usize] {
            Seen::No => {
                seen[next as usize] = Seen::OnTheWay;
                way.push((next, successors(function, next)));
            }
            Seen::OnTheWay if !back.contains(&(*pc, next)) => back.push((*pc, next)),
            Seen::OnTheWay | Seen::Done => {}
        }
    }
    back
}

/// Lays a function's code out anew with the counting instructions in between.
struct Rewriter {
    back: Vec<(Target, Target)>,
    /// Heads of loops with their counters.
    counters: FxHashMap<Target, Slot>,
    code: Vec<Inst>,
    locs: Vec<Loc>,
    /// Where each old instruction stands now, and where to go to come to it from outside of its loop.
    now: Vec<Target>,
    entry: Vec<Target>,
    /// Where each edge that goes back leads now, and the jump to the head that follows there.
    detours: FxHashMap<(Target, Target), Target>,
    jumps: Vec<(usize, Target)>,
}

impl Rewriter {
    fn new(function: &Function, back: Vec<(Target, Target)>) -> Self {
        let mut heads: Vec<Target> = back.iter().map(|edge| edge.1).collect();
        heads.sort_unstable();
        heads.dedup();
        let counters = heads.into_iter().zip(function.n_registers..).map(|(head, slot)| (head, Slot(slot))).collect();
        Rewriter {
            back,
            counters,
            code: Vec::new(),
            locs: Vec::new(),
            now: Vec::new(),
            entry: Vec::new(),
            detours: FxHashMap::default(),
            jumps: Vec::new(),
        }
    }

    fn rewrite(mut self, function: &mut Function) {
        make_room(function, self.counters.len() as u32);
        for pc in 0..function.code.len() as Target {
            self.place(function, pc);
        }
        self.place_labels(function);
        for &(at, head) in &self.jumps {
            self.code[at] = Inst::Jump { target: self.now[head as usize] };
        }
        for pc in 0..self.now.len() {
            self.redirect(function, pc as Target);
        }
        function.code = self.code;
        function.locs = self.locs;
    }

    fn emit(&mut self, inst: Inst, loc: Loc) {
        self.code.push(inst);
        self.locs.push(loc);
    }

    /// A detour that counts, then goes to the head.
    fn emit_detour(&mut self, head: Target, loc: Loc) -> Target {
        let at = self.code.len() as Target;
        self.emit(Inst::LoopBack { counter: self.counters[&head] }, loc);
        self.jumps.push((self.code.len(), head));
        self.emit(Inst::Jump { target: head }, loc);
        at
    }

    fn place(&mut self, function: &Function, pc: Target) {
        let inst = function.code[pc as usize];
        let loc = function.locs[pc as usize];
        let entry = self.code.len() as Target;
        if let Some(&counter) = self.counters.get(&pc) {
            self.emit(Inst::LoopEnter { counter }, loc);
        }
        self.entry.push(entry);
        self.now.push(self.code.len() as Target);
        self.emit(inst, loc);
        // Whoever goes on without a jump meets the detour here; of jumps it is made a target below.
        let mut heads: Vec<Target> = self.back.iter().filter(|edge| edge.0 == pc).map(|edge| edge.1).collect();
        heads.sort_unstable();
        for head in heads.into_iter().filter(|_| !matches!(inst, Inst::JumpIndirect { .. })) {
            let at = self.emit_detour(head, loc);
            self.detours.insert((pc, head), at);
        }
    }

    /// A label does not know who jumps to it: it counts if any of those jumps goes back.
    fn place_labels(&mut self, function: &mut Function) {
        let indirect = |pc: Target| matches!(function.code[pc as usize], Inst::JumpIndirect { .. });
        let counted = |label: Target| self.back.iter().any(|&(from, to)| to == label && indirect(from));
        let counted: Vec<bool> = function.labels.iter().map(|&label| counted(label)).collect();
        for (label, counted) in function.labels.iter_mut().zip(counted) {
            let old = *label;
            *label =
                if counted { self.emit_detour(old, function.locs[old as usize]) } else { self.entry[old as usize] };
        }
    }

    fn redirect(&mut self, function: &mut Function, pc: Target) {
        let (entry, detours) = (&self.entry, &self.detours);
        let new = |old: Target| detours.get(&(pc, old)).copied().unwrap_or(entry[old as usize]);
        let inst = &mut self.code[self.now[pc as usize] as usize];
        inst.for_each_target_mut(|target| *target = new(*target));
        if let Inst::Switch { table, .. } = *inst {
            let table = &mut function.switches[table];
            table.default = new(table.default);
            table.cases.iter_mut().for_each(|case| case.1 = new(case.1));
        }
    }
}

/// Makes the counters registers, which moves the constants behind them.
fn make_room(function: &mut Function, n_loops: u32) {
    let n_registers = function.n_registers;
    let shift = |slot: &mut Slot| slot.0 += if slot.0 >= n_registers { n_loops } else { 0 };
    function.code.iter_mut().for_each(|inst| inst.for_each_slot_mut(shift));
    function.calls.iter_mut().for_each(|site| site.for_each_slot_mut(shift));
    function.n_registers += n_loops;
    function.n_loops = n_loops;
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{FileId, SwitchId, SwitchTable};
    use gordian_base::IndexVec;

    const COND: Slot = Slot(0);
    /// Behind one register stands one constant.
    const CONST: Slot = Slot(1);

    fn function(code: Vec<Inst>) -> Function {
        Function {
            name: "f".into(),
            loc: Loc::NONE,
            internal: false,
            n_params: 0,
            n_returns: 0,
            variadic: false,
            n_registers: 1,
            n_loops: 0,
            consts: vec![7],
            locs: (0..code.len() as u32).map(|line| Loc { file: FileId(0), line, column: 0 }).collect(),
            code,
            calls: Vec::new(),
            switches: IndexVec::new(),
            allocas: Vec::new(),
            labels: Vec::new(),
            undefined: Vec::new(),
            unsupported: Vec::new(),
        }
    }

    fn counted(function: Function) -> Function {
        let mut program = Program::default();
        let id = program.functions.push(function);
        count_loops(&mut program);
        crate::verify(&program).expect("what was counted is still valid");
        program.functions[id].clone()
    }

    fn branch(then: Target, otherwise: Target) -> Inst {
        Inst::Branch { negated: false, cond: COND, then, otherwise }
    }

    #[test]
    fn straight_code_stays_as_it_is() {
        let code = vec![branch(2, 1), Inst::Jump { target: 2 }, Inst::Return { src: Slot(0) }];
        let after = counted(function(code.clone()));
        assert_eq!((after.code, after.n_loops, after.n_registers), (code, 0, 1));
    }

    #[test]
    fn the_way_in_sets_to_zero_and_the_way_back_counts() {
        let step = Inst::Move { dst: COND, src: CONST };
        let after =
            counted(function(vec![branch(1, 3), step, Inst::Jump { target: 0 }, Inst::Return { src: Slot(0) }]));
        let counter = Slot(1);
        let expected = [
            Inst::LoopEnter { counter },
            branch(2, 6),
            Inst::Move { dst: COND, src: Slot(2) },
            Inst::Jump { target: 4 },
            Inst::LoopBack { counter },
            Inst::Jump { target: 1 },
            Inst::Return { src: Slot(0) },
        ];
        assert_eq!(after.code, expected);
        assert_eq!((after.n_loops, after.n_registers), (1, 2));
        assert_eq!(after.locs.iter().map(|loc| loc.line).collect::<Vec<_>>(), [0, 0, 1, 2, 2, 2, 3]);
    }

    /// Follows random branches and gives the length of the longest stretch in which no counter grew.
    fn longest_without_counting(function: &Function, mut random: impl FnMut(usize) -> usize) -> usize {
        let (mut pc, mut since, mut longest) = (0, 0, 0);
        for _ in 0..10_000 {
            if let Inst::LoopBack { .. } = function.code[pc as usize] {
                since = 0;
            }
            since += 1;
            longest = longest.max(since);
            let next = successors(function, pc);
            pc = if next.is_empty() { 0 } else { next[random(next.len())] };
        }
        longest
    }

    #[test]
    fn no_cycle_is_without_a_counter() {
        let mut rng = gordian_base::Rng::new(1);
        for _ in 0..200 {
            // Every graph of ten branches, irreducible ones included.
            let code: Vec<Inst> = (0..10).map(|_| branch(rng.below(10) as Target, rng.below(10) as Target)).collect();
            let after = counted(function(code));
            assert!(longest_without_counting(&after, |n| rng.below(n)) <= after.code.len());
        }
    }

    #[test]
    fn switches_and_labels_count_too() {
        let mut by_switch =
            function(vec![Inst::Switch { value: COND, table: SwitchId(0) }, Inst::Return { src: COND }]);
        by_switch.switches.push(SwitchTable { cases: vec![(1, 0), (2, 1)], default: 0 });
        let after = counted(by_switch);
        let table = &after.switches[SwitchId(0)];
        assert_eq!((table.default, &table.cases[..]), (2, &[(1, 2), (2, 4)][..]));
        assert!(matches!(after.code[2], Inst::LoopBack { .. }));

        let mut by_label = function(vec![Inst::JumpIndirect { address: COND }, Inst::Return { src: COND }]);
        by_label.labels = vec![0, 1];
        let after = counted(by_label);
        assert!(matches!(after.code[after.labels[0] as usize], Inst::LoopBack { .. }));
        assert!(matches!(after.code[after.labels[1] as usize], Inst::Return { .. }));
    }
}
