//! Decides which locals sroa may move into registers.
//!
//! sroa takes every access to a local for a defined one: it drops what lies outside the local or
//! happens outside its life, and an error of the program goes with it. So a local stays in memory unless
//! all its accesses are shown to be inside.
//!
//! Lemma 1: sroa does not touch a local whose address is an argument of a call that it does not know.
//! Lemma 2: a local that is not among [`kept`] is used by nothing but accesses within its size and its
//! life, address arithmetic that leads to those, and comparisons of addresses. So the values that sroa
//! hands on are those that memory would have held.
//! Lemma 3: a stored address could be loaded and used anywhere, so such a local is kept. Once the
//! variable that holds the address is in a register itself the accesses are visible, hence the rounds
//! of [`Module::promote_locals`].
//!
//! [`Module::promote_locals`]: crate::ffi::Module::promote_locals

use crate::ffi::{Block, DataLayout, Opcode, TypeKind, Value};
use crate::renewed::is_marker;
use gordian_base::{FxHashMap, FxHashSet};

/// The locals of a function that have to stay in memory.
pub fn kept<'m>(function: Value<'m>, layout: DataLayout<'m>) -> Vec<Value<'m>> {
    let allocas: Vec<Value<'m>> = function
        .blocks()
        .flat_map(|block| block.instructions())
        .filter(|instruction| instruction.opcode() == Opcode::Alloca)
        .collect();
    if allocas.is_empty() {
        return allocas;
    }
    let lives = Lives::of(function, &allocas);
    allocas.into_iter().filter(|&alloca| !is_inside(alloca, layout, &lives)).collect()
}

/// The locals of a function but for the place of its result, in which a function that returns none leaves nothing. That is
/// an error only where the result is used.
pub fn all_but_results<'m>(function: Value<'m>, _: DataLayout<'m>) -> Vec<Value<'m>> {
    let instructions = || function.blocks().flat_map(|block| block.instructions());
    let declared: FxHashSet<Value<'m>> =
        instructions().flat_map(|instruction| instruction.declared_variables()).map(|(place, _)| place).collect();
    let is_result = |alloca: Value<'m>| {
        alloca.allocated_type().is_scalar()
            && !declared.contains(&alloca)
            && alloca.users().all(|user| match user.opcode() {
                Opcode::Load => user.users().all(|user| user.opcode() == Opcode::Ret),
                Opcode::Store => user.operand(0) != alloca,
                _ => false,
            })
    };
    let allocas = instructions().filter(|instruction| instruction.opcode() == Opcode::Alloca);
    allocas.filter(|&alloca| !is_result(alloca)).collect()
}

/// Whether all uses of a local are known, and all accesses are within its size and its life.
fn is_inside<'m>(alloca: Value<'m>, layout: DataLayout<'m>, lives: &Lives<'m>) -> bool {
    // sroa leaves locals of a size that varies alone.
    if alloca.operand(0).const_integer() != Some(1) {
        return true;
    }
    let size = layout.size_of(alloca.allocated_type());
    let mut offsets = FxHashMap::default();
    offsets.insert(alloca, 0i64);
    let mut open = vec![alloca];
    while let Some(pointer) = open.pop() {
        let offset = offsets[&pointer];
        for user in pointer.users() {
            // A phi may bring a pointer from an earlier life.
            if user.opcode() == Opcode::Phi && lives.is_repeated(alloca) {
                return false;
            }
            let derived = match usage(pointer, user, layout) {
                Usage::Harmless => continue,
                Usage::Access(len) => {
                    let within = u64::try_from(offset).is_ok_and(|start| start <= size && len <= size - start);
                    if len > 0 && !(within && lives.is_alive(alloca, user)) {
                        return false;
                    }
                    continue;
                }
                Usage::Derived(step) => offset.wrapping_add(step),
                Usage::Unknown => return false,
            };
            match offsets.insert(user, derived) {
                None => open.push(user),
                // A pointer that walks, or that points to different places.
                Some(known) if known != derived => return false,
                Some(_) => {}
            }
        }
    }
    true
}

/// What an instruction does with a pointer.
enum Usage {
    Harmless,
    /// Reads or writes so many bytes there.
    Access(u64),
    /// Its result points so many bytes further.
    Derived(i64),
    Unknown,
}

fn usage<'m>(pointer: Value<'m>, user: Value<'m>, layout: DataLayout<'m>) -> Usage {
    match user.opcode() {
        Opcode::Load => Usage::Access(layout.store_size_of(user.ty())),
        Opcode::Store if user.operand(0) != pointer => Usage::Access(layout.store_size_of(user.operand(0).ty())),
        Opcode::GetElementPtr if user.ty().kind() == TypeKind::Pointer => {
            user.gep_constant_offset(layout).map_or(Usage::Unknown, Usage::Derived)
        }
        Opcode::BitCast | Opcode::AddrSpaceCast | Opcode::Phi | Opcode::Select | Opcode::Freeze => Usage::Derived(0),
        Opcode::ICmp => Usage::Harmless,
        Opcode::Call => call_usage(user),
        _ => Usage::Unknown,
    }
}

fn call_usage(call: Value<'_>) -> Usage {
    let called = call.called();
    if !called.is_intrinsic() {
        return Usage::Unknown;
    }
    let name = called.name();
    let is = |prefix: &str| name.strip_prefix("llvm.").is_some_and(|name| name.starts_with(prefix));
    if is("lifetime.") {
        Usage::Harmless
    } else if is("memcpy.") || is("memmove.") || is("memset.") {
        call.operand(2).const_integer().map_or(Usage::Unknown, Usage::Access)
    } else {
        Usage::Unknown
    }
}

/// Where in a function each of its locals is alive on every path, by its lifetime markers.
pub struct Lives<'m> {
    /// Which bit stands for a local; one without markers always lives.
    bits: FxHashMap<Value<'m>, usize>,
    blocks: FxHashMap<Block<'m>, usize>,
    /// The markers of each block in order.
    markers: Vec<Vec<Marker<'m>>>,
    /// The locals that are alive where a block begins.
    alive: Vec<Bits>,
    /// The locals whose life can start more than once.
    repeated: FxHashSet<Value<'m>>,
}

struct Marker<'m> {
    at: Value<'m>,
    bit: usize,
    starts: bool,
}

type Bits = Box<[u64]>;

impl<'m> Lives<'m> {
    pub fn of(function: Value<'m>, allocas: &[Value<'m>]) -> Lives<'m> {
        let mut lives = Lives {
            bits: FxHashMap::default(),
            blocks: FxHashMap::default(),
            markers: Vec::new(),
            alive: Vec::new(),
            repeated: FxHashSet::default(),
        };
        for (block, index) in function.blocks().zip(0..) {
            lives.blocks.insert(block, index);
            lives.markers.push(Vec::new());
        }
        let cyclic = cyclic_blocks(function);
        for &alloca in allocas {
            lives.find_markers(alloca, &cyclic);
        }
        for (block, markers) in function.blocks().zip(&mut lives.markers) {
            if markers.len() > 1 {
                let order: FxHashMap<Value<'_>, usize> = block.instructions().zip(0..).collect();
                markers.sort_by_key(|marker| order[&marker.at]);
            }
        }
        lives.spread(function);
        lives
    }

    fn find_markers(&mut self, alloca: Value<'m>, cyclic: &FxHashSet<Block<'m>>) {
        for user in alloca.users().filter(|user| is_marker(*user)) {
            let next = self.bits.len();
            let bit = *self.bits.entry(alloca).or_insert(next);
            let starts = user.called().name().starts_with("llvm.lifetime.start");
            if starts && cyclic.contains(&user.parent()) {
                self.repeated.insert(alloca);
            }
            self.markers[self.blocks[&user.parent()]].push(Marker { at: user, bit, starts });
        }
    }

    /// Whether the local may begin to live again in the same call.
    pub fn is_repeated(&self, alloca: Value<'m>) -> bool {
        self.repeated.contains(&alloca)
    }

    /// The greatest solution of: alive where a block begins is what is alive at the end of all blocks before it.
    fn spread(&mut self, function: Value<'m>) {
        let n_words = self.bits.len().div_ceil(64);
        let blocks: Vec<Block<'m>> = function.blocks().collect();
        self.alive = vec![vec![u64::MAX; n_words].into(); blocks.len()];
        let mut reached = vec![false; blocks.len()];
        let mut open = Vec::new();
        if !blocks.is_empty() {
            self.alive[0] = vec![0; n_words].into();
            reached[0] = true;
            open.push(0);
        }
        while let Some(index) = open.pop() {
            let mut alive = self.alive[index].clone();
            for marker in &self.markers[index] {
                set(&mut alive, marker.bit, marker.starts);
            }
            for successor in blocks[index].terminator().successors() {
                let next = self.blocks[&successor];
                let mut changed = !std::mem::replace(&mut reached[next], true);
                for (old, new) in self.alive[next].iter_mut().zip(&alive) {
                    changed |= *old & !new != 0;
                    *old &= new;
                }
                if changed {
                    open.push(next);
                }
            }
        }
    }

    /// Whether a local lives on all paths to an instruction.
    pub fn is_alive(&self, alloca: Value<'m>, at: Value<'m>) -> bool {
        let Some(&bit) = self.bits.get(&alloca) else { return true };
        let block = at.parent();
        let index = self.blocks[&block];
        let mut alive = self.alive[index][bit / 64] >> (bit % 64) & 1 != 0;
        let mut markers = self.markers[index].iter().filter(|marker| marker.bit == bit).peekable();
        if markers.peek().is_none() {
            return alive;
        }
        for instruction in block.instructions().take_while(|&instruction| instruction != at) {
            if let Some(marker) = markers.next_if(|marker| marker.at == instruction) {
                alive = marker.starts;
            }
        }
        alive
    }
}

fn set(bits: &mut Bits, bit: usize, value: bool) {
    let mask = 1 << (bit % 64);
    if value {
        bits[bit / 64] |= mask;
    } else {
        bits[bit / 64] &= !mask;
    }
}

/// The blocks that control can come back to: those in a strongly connected component with an edge in it, by Tarjan's algorithm on a stack of our own.
fn cyclic_blocks(function: Value<'_>) -> FxHashSet<Block<'_>> {
    let blocks: Vec<Block<'_>> = function.blocks().collect();
    let numbers: FxHashMap<Block<'_>, usize> = blocks.iter().copied().zip(0..).collect();
    let successors: Vec<Vec<usize>> =
        blocks.iter().map(|block| block.terminator().successors().iter().map(|next| numbers[next]).collect()).collect();
    let mut cyclic = FxHashSet::default();
    const UNSEEN: usize = usize::MAX;
    // When a block was first seen, and the earliest block on the stack that it leads to.
    let (mut order, mut low) = (vec![UNSEEN; blocks.len()], vec![UNSEEN; blocks.len()]);
    let mut on_stack = vec![false; blocks.len()];
    let (mut stack, mut n_seen) = (Vec::new(), 0);
    for root in 0..blocks.len() {
        let mut work = if order[root] == UNSEEN { vec![(root, 0)] } else { Vec::new() };
        while let Some((block, next)) = work.pop() {
            if next == 0 {
                (order[block], low[block]) = (n_seen, n_seen);
                n_seen += 1;
                stack.push(block);
                on_stack[block] = true;
            } else {
                let child = successors[block][next - 1];
                if on_stack[child] {
                    low[block] = low[block].min(low[child]);
                }
            }
            if let Some(&child) = successors[block].get(next) {
                work.push((block, next + 1));
                if order[child] == UNSEEN {
                    work.push((child, 0));
                }
                continue;
            }
            if low[block] == order[block] {
                let start = stack
                    .iter()
                    .rposition(|&other| other == block)
                    .expect("a block is on the stack until its component is known");
                let component = stack.split_off(start);
                let is_cyclic = component.len() > 1 || successors[block].contains(&block);
                for member in component {
                    on_stack[member] = false;
                    if is_cyclic {
                        cyclic.insert(blocks[member]);
                    }
                }
            }
        }
    }
    cyclic
}
