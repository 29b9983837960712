//! The control flow graph of a function: basic blocks, their successors, and which of them lie on a cycle.

use gordian_externals::Effect;
use gordian_ir::{Callee, Function, Inst, Program};
use std::ops::Range;

/// The basic blocks of a function. Block 0 is the entry.
#[derive(Debug, Default)]
pub struct Cfg {
    pub blocks: Vec<Block>,
    block_of: Vec<u32>,
}

#[derive(Debug, Default)]
pub struct Block {
    pub code: Range<u32>,
    pub successors: Vec<u32>,
    /// The instructions that are calls.
    pub calls: Vec<u32>,
    /// May be executed more than once in one call of the function.
    pub on_cycle: bool,
}

impl Cfg {
    pub fn of(program: &Program, function: &Function) -> Cfg {
        let n = function.code.len();
        let ends = |pc: usize| function.code[pc].is_terminator() || never_returns(program, function, pc);
        let mut leads = vec![false; n + 1];
        leads[0] = true;
        for pc in 0..n {
            for target in targets(function, pc) {
                leads[target as usize] = true;
            }
            if ends(pc) || function.code[pc].is_terminator() {
                leads[pc + 1] = true;
            }
        }
        let starts: Vec<u32> = (0..n).filter(|&pc| leads[pc]).map(|pc| pc as u32).collect();
        let mut block_of = vec![0; n];
        let mut blocks = Vec::with_capacity(starts.len());
        for (nth, &start) in starts.iter().enumerate() {
            let end = starts.get(nth + 1).copied().unwrap_or(n as u32);
            block_of[start as usize..end as usize].fill(nth as u32);
            let is_call = |pc: &u32| matches!(function.code[*pc as usize], Inst::Call { .. });
            blocks.push(Block { code: start..end, calls: (start..end).filter(is_call).collect(), ..Block::default() });
        }
        for block in &mut blocks {
            let last = block.code.end as usize - 1;
            let mut successors: Vec<u32> = targets(function, last).map(|target| block_of[target as usize]).collect();
            if !ends(last) && last + 1 < n {
                successors.push(block_of[last + 1]);
            }
            successors.sort_unstable();
            successors.dedup();
            block.successors = successors;
        }
        let edges: Vec<Vec<u32>> = blocks.iter().map(|block| block.successors.clone()).collect();
        for component in components(&edges) {
            let is_cycle = component.len() > 1 || edges[component[0] as usize].contains(&component[0]);
            component.iter().for_each(|&block| blocks[block as usize].on_cycle = is_cycle);
        }
        Cfg { blocks, block_of }
    }

    pub fn block_of(&self, pc: u32) -> u32 {
        self.block_of[pc as usize]
    }

    pub fn is_on_cycle(&self, pc: u32) -> bool {
        self.blocks[self.block_of(pc) as usize].on_cycle
    }
}

fn targets(function: &Function, pc: usize) -> impl Iterator<Item = u32> {
    let mut found = Vec::new();
    match function.code[pc] {
        Inst::Switch { table, .. } => {
            let table = &function.switches[table];
            found.push(table.default);
            found.extend(table.cases.iter().map(|case| case.1));
        }
        Inst::JumpIndirect { .. } => found.extend(&function.labels),
        mut inst => inst.for_each_target_mut(|target| found.push(*target)),
    }
    found.into_iter()
}

/// Whether the instruction calls an external function that does not come back.
fn never_returns(program: &Program, function: &Function, pc: usize) -> bool {
    let Inst::Call { site } = function.code[pc] else { return false };
    let Callee::External(external) = function.calls[site as usize].callee else { return false };
    let effects = gordian_externals::effects_of(&program.externals[external].name);
    effects.is_some_and(|effects| effects.contains(&Effect::NeverReturns))
}

/// The strongly connected components of a graph, each after those that it leads to.
pub fn components(edges: &[Vec<u32>]) -> Vec<Vec<u32>> {
    let mut found = Vec::new();
    for_each_component(edges, |component| found.push(component.to_vec()));
    found
}

/// Calls `visit` with each of them. Most have one member, so none is copied.
pub fn for_each_component(edges: &[Vec<u32>], mut visit: impl FnMut(&[u32])) {
    const NEW: u32 = u32::MAX;
    let n = edges.len();
    let (mut number, mut low, mut on_stack) = (vec![NEW; n], vec![0; n], vec![false; n]);
    let (mut stack, mut count) = (Vec::new(), 0);
    // Each node on the way with the number of its next edge.
    let mut way: Vec<(u32, usize)> = Vec::new();
    for root in 0..n as u32 {
        if number[root as usize] != NEW {
            continue;
        }
        way.push((root, 0));
        while let Some((node, next)) = way.pop() {
            let at = node as usize;
            if next == 0 {
                number[at] = count;
                low[at] = count;
                count += 1;
                stack.push(node);
                on_stack[at] = true;
            }
            if let Some(&to) = edges[at].get(next) {
                way.push((node, next + 1));
                if number[to as usize] == NEW {
                    way.push((to, 0));
                } else if on_stack[to as usize] {
                    low[at] = low[at].min(number[to as usize]);
                }
                continue;
            }
            if let Some(&(before, _)) = way.last() {
                low[before as usize] = low[before as usize].min(low[at]);
            }
            if low[at] == number[at] {
                let begin = stack.iter().rposition(|&other| other == node).expect("the node is on the stack");
                let component: &[u32] = &stack[begin..];
                component.iter().for_each(|&member| on_stack[member as usize] = false);
                visit(component);
                stack.truncate(begin);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_come_after_what_they_lead_to() {
        let edges = vec![vec![1], vec![2], vec![1, 3], vec![], vec![4, 0]];
        let mut found = components(&edges);
        found.iter_mut().for_each(|component| component.sort_unstable());
        assert_eq!(found, vec![vec![3], vec![1, 2], vec![0], vec![4]]);
    }
}
