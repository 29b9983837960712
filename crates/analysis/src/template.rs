//! What the instructions of a function do with pointers, in terms of webs. Made once for each function and used for every
//! context that the function is called in.
//!
//! Nothing says which numbers are pointers, so every operation that could give a pointer is here. One that moves a pointer
//! by an amount that is not known gives any place of the same object ([`Op::Blur`]); so does one that takes a pointer apart.

use crate::cfg::{Cfg, components};
use crate::webs::{Web, Webs};
use gordian_base::Id;
use gordian_ir::{Function, GlobalId, Inst, Program, RmwOp, Slot};

/// An operand: a web, or a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Val {
    Web(Web),
    Const(u64),
}

#[derive(Clone, Copy, Debug)]
pub enum Op {
    Copy {
        dst: Web,
        src: Val,
    },
    Shift {
        dst: Web,
        src: Val,
        by: i64,
    },
    Stride {
        dst: Web,
        src: Val,
        scale: u32,
    },
    Blur {
        dst: Web,
        src: Val,
    },
    /// An index that is no constant. It may be what leads to the object: see `callgraph/displaced.rs`.
    Displace {
        dst: Web,
        base: Val,
        index: Val,
    },
    Load {
        dst: Web,
        address: Val,
        size: u32,
    },
    Store {
        address: Val,
        src: Val,
        size: u32,
    },
    MemCopy {
        to: Val,
        from: Val,
        len: Option<u64>,
    },
    Alloca {
        dst: Web,
        variable: u32,
    },
    ThreadLocal {
        dst: Web,
        global: GlobalId,
    },
    VaStart {
        list: Val,
    },
    Call {
        site: u32,
    },
}

/// A function as the analysis sees it.
#[derive(Debug, Default)]
pub struct Template {
    pub cfg: Cfg,
    pub webs: Webs,
    /// Webs of the function and further ones for values in between.
    pub n_webs: u32,
    pub ops: Vec<(u32, Op)>,
    /// The values of each `Return`.
    pub returns: Vec<Vec<Val>>,
    /// Where each web is defined, if that is in one place.
    pub definition: Vec<Option<u32>>,
}

impl Template {
    pub fn of(program: &Program, function: &Function) -> Template {
        let cfg = Cfg::of(program, function);
        let webs = Webs::of(program, function, &cfg);
        let mut definition = vec![None; webs.n as usize];
        for pc in 0..function.code.len() as u32 {
            for web in webs.defined_at(pc).filter(|web| webs.n_definitions[*web as usize] == 1) {
                definition[web as usize] = Some(pc);
            }
        }
        let n_webs = webs.n;
        let mut template = Template { cfg, webs, n_webs, definition, ..Template::default() };
        for pc in 0..function.code.len() as u32 {
            Lowering { function, template: &mut template, pc }.lower();
        }
        template.stride_cycles();
        template
    }

    /// The operand of the instruction in that slot.
    pub fn val(&self, function: &Function, pc: u32, slot: Slot) -> Val {
        match (slot.index()).checked_sub(function.n_registers as usize) {
            Some(constant) => Val::Const(function.consts[constant]),
            None => Val::Web(self.webs.read(pc, slot.0)),
        }
    }

    /// A pointer that moves by a constant in a loop is at every multiple of it. Without this each round would give one more
    /// place.
    fn stride_cycles(&mut self) {
        let mut edges: Vec<Vec<u32>> = vec![Vec::new(); self.n_webs as usize];
        let moves = |op: &Op| match *op {
            Op::Copy { dst, src: Val::Web(src) } => Some((src, dst, 0)),
            Op::Shift { dst, src: Val::Web(src), by } => Some((src, dst, by)),
            Op::Stride { dst, src: Val::Web(src), scale } => Some((src, dst, i64::from(scale))),
            _ => None,
        };
        self.ops.iter().filter_map(|(_, op)| moves(op)).for_each(|(src, dst, _)| edges[src as usize].push(dst));
        let mut component = vec![0; self.n_webs as usize];
        for (nth, members) in components(&edges).iter().enumerate() {
            members.iter().for_each(|&web| component[web as usize] = nth);
        }
        for (_, op) in &mut self.ops {
            if let Some((src, dst, by)) = moves(op)
                && by != 0
                && component[src as usize] == component[dst as usize]
            {
                *op = match u32::try_from(by.unsigned_abs()) {
                    Ok(scale) => Op::Stride { dst, src: Val::Web(src), scale },
                    Err(_) => Op::Blur { dst, src: Val::Web(src) },
                };
            }
        }
    }
}

struct Lowering<'a> {
    function: &'a Function,
    template: &'a mut Template,
    pc: u32,
}

impl Lowering<'_> {
    fn val(&self, slot: Slot) -> Val {
        self.template.val(self.function, self.pc, slot)
    }

    fn dst(&self, slot: Slot) -> Web {
        self.template.webs.written(self.pc, slot.0)
    }

    fn push(&mut self, op: Op) {
        self.template.ops.push((self.pc, op));
    }

    /// A constant operand.
    fn number(&self, slot: Slot) -> Option<u64> {
        match self.val(slot) {
            Val::Const(value) => Some(value),
            Val::Web(_) => None,
        }
    }

    fn blur(&mut self, dst: Slot, sources: &[Slot]) {
        let dst = self.dst(dst);
        for &src in sources {
            let src = self.val(src);
            self.push(Op::Blur { dst, src });
        }
    }

    fn add(&mut self, w: u8, dst: Slot, a: Slot, b: Slot, sign: i64) {
        let moved = |by: u64| (by as i64).wrapping_mul(sign);
        let to = self.dst(dst);
        // A constant may be the address of a global, and the other operand the offset.
        match (self.number(a), self.number(b)) {
            (_, Some(by)) if w == 64 && !looks_like_address(by) => {
                let src = self.val(a);
                self.push(Op::Shift { dst: to, src, by: moved(by) });
            }
            (Some(by), None) if w == 64 && sign == 1 && !looks_like_address(by) => {
                let src = self.val(b);
                self.push(Op::Shift { dst: to, src, by: by as i64 });
            }
            _ => self.blur(dst, &[a, b]),
        }
    }

    fn load(&mut self, size: u8, dst: Slot, address: Slot) {
        let address = self.val(address);
        let n = if size > 8 { 2 } else { 1 };
        for nth in 0..n {
            let dst = self.dst(Slot(dst.0 + nth));
            self.push(Op::Load { dst, address, size: u32::from(size) });
        }
    }

    fn store(&mut self, size: u8, address: Slot, src: Slot) {
        let address = self.val(address);
        let n = if size > 8 { 2 } else { 1 };
        for nth in 0..n {
            let src = self.val(Slot(src.0 + nth));
            self.push(Op::Store { address, src, size: u32::from(size) });
        }
    }

    fn lower(&mut self) {
        use Inst::*;
        match self.function.code[self.pc as usize] {
            Move { dst, src } => {
                let (dst, src) = (self.dst(dst), self.val(src));
                self.push(Op::Copy { dst, src });
            }
            Select { dst, a, b, .. } => {
                let (dst, a, b) = (self.dst(dst), self.val(a), self.val(b));
                self.push(Op::Copy { dst, src: a });
                self.push(Op::Copy { dst, src: b });
            }
            Add { w, dst, a, b } => self.add(w, dst, a, b, 1),
            Sub { w, dst, a, b } => self.add(w, dst, a, b, -1),
            Mul { dst, a, b, .. } | And { dst, a, b } | Or { dst, a, b } | Xor { dst, a, b } => self.blur(dst, &[a, b]),
            Shl { dst, a, b, .. } | LShr { dst, a, b, .. } | AShr { dst, a, b, .. } => self.blur(dst, &[a, b]),
            Div { dst, a, b, .. } | Checked { dst, a, b, .. } | MinMax { dst, a, b, .. } => self.blur(dst, &[a, b]),
            Saturating { dst, a, b, .. } | Overflowing { dst, a, b, .. } => self.blur(dst, &[a, b]),
            Bits { dst, a, .. } | Trunc { dst, a, .. } | SExt { dst, a, .. } => self.blur(dst, &[a]),
            FunnelShift { dst, abc, .. } => self.blur(dst, &[abc, Slot(abc.0 + 1)]),
            // A float holds the bits of an address, or its value: most addresses are exact as `long double`.
            FBin { dst, a, b, .. } => self.blur(dst, &[a, b]),
            FUn { dst, a, .. } | FCast { dst, a, .. } => self.blur(dst, &[a]),
            Fma { dst, abc, .. } => self.blur(dst, &[abc, Slot(abc.0 + 1), Slot(abc.0 + 2)]),
            FloatToInt { w, dst, a, .. } => {
                (0..words(w)).for_each(|nth| self.blur(Slot(dst.0 + nth), &[a]));
            }
            IntToFloat { w, dst, a, .. } => {
                (0..words(w)).for_each(|nth| self.blur(dst, &[Slot(a.0 + nth)]));
            }
            WideBin { dst, a, b, .. } | WideOverflowing { dst, a, b, .. } => {
                let from = [a, Slot(a.0 + 1), b, Slot(b.0 + 1)];
                self.blur(dst, &from);
                self.blur(Slot(dst.0 + 1), &from);
            }
            WideBits { dst, a, .. } => {
                self.blur(dst, &[a, Slot(a.0 + 1)]);
                self.blur(Slot(dst.0 + 1), &[a, Slot(a.0 + 1)]);
            }
            WideSExt { from, dst, a, .. } => {
                self.blur(dst, &[a]);
                self.blur(Slot(dst.0 + 1), &[a]);
                if from > 64 {
                    self.blur(Slot(dst.0 + 1), &[Slot(a.0 + 1)]);
                }
            }
            Index { scale, dst, base, index } => self.index(scale, dst, base, index),
            Load { size, dst, address } | WideLoad { size, dst, address } => self.load(size, dst, address),
            AtomicLoad { size, dst, address, .. } => self.load(size, dst, address),
            Store { size, address, src } | WideStore { size, address, src } => self.store(size, address, src),
            AtomicStore { size, address, src, .. } => self.store(size, address, src),
            AtomicRmw { op, size, dst, address, src, .. } => {
                self.load(size, dst, address);
                self.store(size, address, src);
                if op != RmwOp::Xchg {
                    self.store_blurred(size, address, [self.val(src), Val::Web(self.dst(dst))]);
                }
            }
            CmpXchg { size, dst, address, expected_new, .. } => {
                self.load(size, dst, address);
                self.store(size, address, Slot(expected_new.0 + if size > 8 { 2 } else { 1 }));
            }
            MemCopy { dst, src, len, .. } => {
                let (to, from, len) = (self.val(dst), self.val(src), self.number(len));
                self.push(Op::MemCopy { to, from, len });
            }
            VaCopy { dst, src } => {
                let (to, from) = (self.val(dst), self.val(src));
                self.push(Op::MemCopy { to, from, len: None });
            }
            Alloca { variable, dst, .. } => {
                let dst = self.dst(dst);
                self.push(Op::Alloca { dst, variable });
            }
            ThreadLocal { global, dst } => {
                let dst = self.dst(dst);
                self.push(Op::ThreadLocal { dst, global });
            }
            VaStart { list } => {
                let list = self.val(list);
                self.push(Op::VaStart { list });
            }
            Call { site } => self.push(Op::Call { site }),
            Return { src } => {
                let values = (0..self.function.n_returns).map(|nth| self.val(Slot(src.0 + nth))).collect();
                self.template.returns.push(values);
            }
            // No pointers come from these.
            CheckShift { .. }
            | CheckSet { .. }
            | Undefined { .. }
            | CmpEq { .. }
            | CmpNe { .. }
            | CmpUlt { .. }
            | CmpUle { .. }
            | CmpSlt { .. }
            | CmpSle { .. }
            | WideCmp { .. }
            | FCmp { .. }
            | FClass { .. }
            | Fence { .. }
            | LifetimeStart { .. }
            | LifetimeEnd { .. }
            | StackSave { .. }
            | StackRestore { .. }
            | MemSet { .. }
            | Jump { .. }
            | Branch { .. }
            | BranchCmp { .. }
            | Switch { .. }
            | JumpIndirect { .. }
            | LoopEnter { .. }
            | LoopBack { .. }
            | Trap
            | Unreachable
            | Unsupported { .. } => {}
        }
    }

    fn index(&mut self, scale: i32, dst: Slot, base: Slot, index: Slot) {
        let (to, src) = (self.dst(dst), self.val(base));
        match self.number(index) {
            Some(by) if !looks_like_address(by) => {
                let by = (by as i64).wrapping_mul(i64::from(scale));
                self.push(Op::Shift { dst: to, src, by });
            }
            _ => {
                let index = self.val(index);
                self.push(Op::Stride { dst: to, src, scale: scale.unsigned_abs() });
                self.push(Op::Displace { dst: to, base: src, index });
            }
        }
    }

    fn store_blurred(&mut self, size: u8, address: Slot, sources: [Val; 2]) {
        let between = self.template.n_webs;
        self.template.n_webs += 1;
        for src in sources {
            self.push(Op::Blur { dst: between, src });
        }
        let address = self.val(address);
        self.push(Op::Store { address, src: Val::Web(between), size: u32::from(size) });
    }
}

/// Slots of a number of that many bits.
fn words(w: u8) -> u32 {
    if w > 64 { 2 } else { 1 }
}

/// Whether a constant is where a global or a function could be.
pub fn looks_like_address(value: u64) -> bool {
    use gordian_ir::address;
    let space = address::space(value);
    (space == address::GLOBAL_SPACE && address::index(value) > 0) || space == address::CODE_SPACE
}
