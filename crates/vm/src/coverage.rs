//! Which ways the branches of the program went, over all executions of a machine.

use gordian_base::{FxHashMap, Id};
use gordian_ir::{FuncId, Function, Inst, Loc, Program, Slot, Target};
use gordian_trace::BranchPlace;

/// One way of one branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Way {
    function: FuncId,
    pc: u32,
    target: Target,
}

/// Gordian's own libc is left out.
#[derive(Debug, Default)]
pub struct Coverage {
    ways: Vec<Way>,
    /// By function and instruction: the first of its ways; none for what is no branch.
    first: Vec<Vec<u32>>,
    covered: Vec<bool>,
    /// Covered since somebody asked.
    new: Vec<u32>,
}

const NONE: u32 = u32::MAX;

/// Who wants to hear of branches: [`Coverage`], or nobody. Nobody takes no room and no time.
pub trait NoteBranch {
    /// A branch went to `target`.
    fn note(&mut self, function: FuncId, pc: usize, target: Target);
}

impl NoteBranch for &mut Coverage {
    fn note(&mut self, function: FuncId, pc: usize, target: Target) {
        Coverage::note(self, function, pc, target);
    }
}

impl NoteBranch for () {
    #[inline]
    fn note(&mut self, _: FuncId, _: usize, _: Target) {}
}

impl Coverage {
    pub fn new(program: &Program) -> Coverage {
        let mut coverage = Coverage::default();
        for (id, function) in program.functions.enumerate() {
            let mut first = vec![NONE; if function.internal { 0 } else { function.code.len() }];
            let mut known: FxHashMap<(Loc, Vec<Target>, Option<Slot>), u32> = FxHashMap::default();
            for (pc, place) in first.iter_mut().enumerate() {
                let mut targets = targets(program, id, pc);
                targets.dedup();
                if targets.len() < 2 || is_check(function, &targets) {
                    continue;
                }
                // The front end copies a branch to where control would jump to it; the copies are the same branch.
                let next = coverage.ways.len() as u32;
                *place =
                    *known.entry((function.locs[pc], targets.clone(), decides(&function.code[pc]))).or_insert(next);
                if *place == next {
                    let pc = pc as u32;
                    coverage.ways.extend(targets.into_iter().map(|target| Way { function: id, pc, target }));
                }
            }
            coverage.first.push(first);
        }
        coverage.covered = vec![false; coverage.ways.len()];
        coverage
    }

    fn note(&mut self, function: FuncId, pc: usize, target: Target) {
        let Some(&first) = self.first[function.index()].get(pc) else { return };
        if first == NONE {
            return;
        }
        let ways = self.ways[first as usize..].iter();
        let pc = self.ways[first as usize].pc;
        let mut nth = ways.take_while(|way| way.pc == pc && way.function == function);
        let Some(nth) = nth.position(|way| way.target == target) else { return };
        let way = first + nth as u32;
        if !std::mem::replace(&mut self.covered[way as usize], true) {
            self.new.push(way);
        }
    }

    /// What was covered for the first time since this was last asked, by number.
    pub fn take_new(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.new)
    }

    /// Every way of every branch, by number.
    pub fn places(&self, program: &Program) -> Vec<BranchPlace> {
        self.ways.iter().map(|way| place(program, way)).collect()
    }
}

/// Whether a branch is none of the source's but a check that the compiler added.
fn is_check(function: &Function, targets: &[Target]) -> bool {
    targets.iter().any(|&target| {
        let mut ahead = function.code[target as usize..].iter();
        ahead.find(|inst| inst.is_terminator()).is_some_and(|inst| matches!(inst, Inst::Undefined { .. }))
    })
}

/// The slot that tells branches apart that stand at one place and lead to the same places.
fn decides(inst: &Inst) -> Option<Slot> {
    match *inst {
        Inst::Branch { cond, .. } => Some(cond),
        Inst::BranchCmp { a, .. } => Some(a),
        Inst::Switch { value, .. } => Some(value),
        _ => None,
    }
}

fn targets(program: &Program, function: FuncId, pc: usize) -> Vec<Target> {
    let function = &program.functions[function];
    match function.code[pc] {
        Inst::Branch { then, otherwise, .. } | Inst::BranchCmp { then, otherwise, .. } => vec![then, otherwise],
        Inst::Switch { table, .. } => {
            let table = &function.switches[table];
            let mut targets: Vec<Target> = table.cases.iter().map(|case| case.1).chain([table.default]).collect();
            targets.sort_unstable();
            targets.dedup();
            targets
        }
        _ => Vec::new(),
    }
}

fn place(program: &Program, way: &Way) -> BranchPlace {
    let function = &program.functions[way.function];
    let loc = function.locs[way.pc as usize];
    let loc = if loc.line > 0 { loc } else { function.loc };
    let outcome = match function.code[way.pc as usize] {
        Inst::Branch { negated, then, .. } | Inst::BranchCmp { negated, then, .. } => {
            ((way.target == then) != negated).to_string()
        }
        Inst::Switch { table, .. } => {
            let table = &function.switches[table];
            let cases = table.cases.iter().filter(|case| case.1 == way.target);
            let mut names: Vec<String> = cases.map(|case| format!("case {}", case.0 as i64)).collect();
            if table.default == way.target {
                names.push("default".to_owned());
            }
            names.join(", ")
        }
        _ => unreachable!("only branches have ways"),
    };
    let file = program.files.get(loc.file).cloned().unwrap_or_default();
    BranchPlace { file, line: loc.line, column: loc.column, function: function.name.clone(), outcome }
}
