//! Blocks and loops of a function, and the order in which its unrolled blocks are written.

use gordian_analysis::components;
use gordian_base::FxHashMap;
use gordian_ir::{Function, Inst};
use std::collections::BTreeSet;
use std::ops::Range;

/// A block in an iteration of each loop around it. Blocks in the order of their keys lead forwards only.
pub type Key = Vec<u32>;

pub struct Flow {
    pub blocks: Vec<Block>,
    pub loops: Vec<Loop>,
    block_of: FxHashMap<u32, usize>,
}

pub struct Block {
    pub code: Range<u32>,
    /// The position in a reverse postorder.
    position: u32,
    /// The loops around it, outermost first.
    pub loops: Vec<usize>,
}

/// A strongly connected part of the graph, or of what is left of an outer loop without its edges back.
pub struct Loop {
    /// Of its first block.
    position: u32,
    /// Every way round it takes one of these edges, which begin the next iteration.
    back: BTreeSet<(usize, usize)>,
    /// All ways into it lead to its first block.
    pub has_one_entry: bool,
}

/// A block, and in which iteration of each loop around it.
#[derive(Clone, Debug)]
pub struct Node {
    pub block: usize,
    pub iterations: Vec<u32>,
}

impl Flow {
    pub fn of(function: &Function) -> Flow {
        let n = function.code.len() as u32;
        let mut starts: Vec<u32> = vec![0];
        for pc in 0..n {
            starts.extend(targets(function, pc));
            if function.code[pc as usize].is_terminator() && pc + 1 < n {
                starts.push(pc + 1);
            }
        }
        starts.sort_unstable();
        starts.dedup();
        let block_of: FxHashMap<u32, usize> = starts.iter().enumerate().map(|(nth, &start)| (start, nth)).collect();
        let ends = starts.iter().skip(1).copied().chain([n]);
        let blocks = starts.iter().zip(ends).map(|(&start, end)| Block {
            code: start..end,
            position: u32::MAX,
            loops: Vec::new(),
        });
        let mut flow = Flow { blocks: blocks.collect(), loops: Vec::new(), block_of };
        let edges: Vec<Vec<usize>> = (0..flow.blocks.len()).map(|block| flow.successors(function, block)).collect();
        for (nth, &block) in postorder(&edges).iter().rev().enumerate() {
            flow.blocks[block].position = nth as u32;
        }
        flow.find_loops(edges);
        flow
    }

    fn successors(&self, function: &Function, block: usize) -> Vec<usize> {
        let last = self.blocks[block].code.end - 1;
        let mut to: Vec<usize> = targets(function, last).iter().map(|target| self.block_of[target]).collect();
        if !function.code[last as usize].is_terminator() && block + 1 < self.blocks.len() {
            to.push(block + 1);
        }
        to
    }

    pub fn block_at(&self, pc: u32) -> usize {
        self.block_of[&pc]
    }

    /// Loops are what is strongly connected, and loops within them what still is without the edges back of the outer one. The
    /// numbering of the whole graph is one of each part, so a part leads to parts that begin at later positions only.
    fn find_loops(&mut self, edges: Vec<Vec<usize>>) {
        let all: Vec<(usize, usize)> = (0..edges.len())
            .filter(|&from| self.blocks[from].position != u32::MAX)
            .flat_map(|from| edges[from].iter().map(move |&to| (from, to)))
            .collect();
        let mut parts = vec![edges];
        while let Some(edges) = parts.pop() {
            for part in components(&as_numbers(&edges)) {
                let inside: BTreeSet<usize> = part.into_iter().map(|block| block as usize).collect();
                let is_in = |block: &usize| inside.contains(block);
                let within = |from: usize| edges[from].iter().copied().filter(is_in).map(move |to| (from, to));
                let own: BTreeSet<(usize, usize)> = inside.iter().copied().flat_map(within).collect();
                if own.is_empty() || inside.iter().any(|&block| self.blocks[block].position == u32::MAX) {
                    continue;
                }
                let head = *inside.iter().min_by_key(|&&block| self.blocks[block].position).expect("it is not empty");
                let entries: BTreeSet<usize> = all
                    .iter()
                    .filter(|(from, to)| is_in(to) && !is_in(from))
                    .map(|edge| edge.1)
                    .chain([head])
                    .collect();
                let leads_back = |&&(from, to): &&(usize, usize)| {
                    entries.contains(&to) && self.blocks[from].position >= self.blocks[to].position
                };
                let back: BTreeSet<(usize, usize)> = own.iter().filter(leads_back).copied().collect();
                let mut rest = vec![Vec::new(); edges.len()];
                own.iter().filter(|edge| !back.contains(edge)).for_each(|&(from, to)| rest[from].push(to));
                parts.push(rest);
                let number = self.loops.len();
                let position = self.blocks[head].position;
                self.loops.push(Loop { position, back, has_one_entry: entries.len() == 1 });
                inside.iter().for_each(|&block| self.blocks[block].loops.push(number));
            }
        }
    }

    pub fn entry(&self) -> Node {
        Node { block: 0, iterations: vec![0; self.blocks[0].loops.len()] }
    }

    /// Where an edge leads, and the level of the loop whose next iteration it begins.
    pub fn along(&self, from: &Node, to: usize) -> (Node, Option<usize>) {
        let (here, there) = (&self.blocks[from.block].loops, &self.blocks[to].loops);
        let common = here.iter().zip(there).take_while(|(a, b)| a == b).count();
        let back = (0..common).find(|&level| self.loops[there[level]].back.contains(&(from.block, to)));
        let iteration = |level: usize| match back {
            Some(back) if level == back => from.iterations[level] + 1,
            Some(back) if level > back => 0,
            _ if level < common => from.iterations[level],
            _ => 0,
        };
        (Node { block: to, iterations: (0..there.len()).map(iteration).collect() }, back)
    }

    pub fn key(&self, node: &Node) -> Key {
        let block = &self.blocks[node.block];
        let loops = block.loops.iter().zip(&node.iterations);
        loops.flat_map(|(&of, &iteration)| [self.loops[of].position, iteration]).chain([block.position]).collect()
    }
}

pub fn targets(function: &Function, pc: u32) -> Vec<u32> {
    let mut found = Vec::new();
    match function.code[pc as usize] {
        Inst::Switch { table, .. } => {
            let table = &function.switches[table];
            found.push(table.default);
            found.extend(table.cases.iter().map(|case| case.1));
        }
        Inst::JumpIndirect { .. } => found.extend(&function.labels),
        mut inst => inst.for_each_target_mut(|target| found.push(*target)),
    }
    found
}

/// The blocks that the first one leads to, in postorder.
fn postorder(edges: &[Vec<usize>]) -> Vec<usize> {
    let (mut postorder, mut seen) = (Vec::new(), vec![false; edges.len()]);
    let mut path = vec![(0, 0)];
    seen[0] = true;
    while let Some((block, next)) = path.pop() {
        let Some(&to) = edges[block].get(next) else {
            postorder.push(block);
            continue;
        };
        path.push((block, next + 1));
        if !seen[to] {
            seen[to] = true;
            path.push((to, 0));
        }
    }
    postorder
}

fn as_numbers(edges: &[Vec<usize>]) -> Vec<Vec<u32>> {
    edges.iter().map(|to| to.iter().map(|&block| block as u32).collect()).collect()
}
