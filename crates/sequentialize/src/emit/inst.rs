//! What each instruction becomes.

use super::function::FunctionWriter;
use super::pure::{Registers, comparison, write_pure};
use crate::Error;
use gordian_ir::{Inst, RmwOp, Slot, address};

impl FunctionWriter<'_, '_> {
    /// A dispatch: one arm for each instruction.
    pub fn write_inst(&mut self, pc: usize, inst: Inst) -> Result<(), Error> {
        use Inst::*;
        if write_pure(self, pc, inst)? {
            return Ok(());
        }
        match inst {
            Load { size, dst, address } | WideLoad { size, dst, address } | AtomicLoad { size, dst, address, .. } => {
                self.load(pc, size, dst, address)
            }
            Store { size, address, src }
            | WideStore { size, address, src }
            | AtomicStore { size, address, src, .. } => self.store(pc, size, address, src),
            AtomicRmw { op, size, dst, address, src, .. } if size <= 8 => {
                return self.read_modify_write(pc, op, size, dst, address, src);
            }
            CmpXchg { size, dst, address, expected_new, .. } if size <= 8 => {
                self.compare_exchange(pc, size, dst, address, expected_new);
            }
            Alloca { dst, size, align_log2, .. } => {
                let text = format!("gs_alloca({}, {}, {}u)", self.who(), self.value(size), 1u64 << align_log2);
                self.set(dst, &text);
            }
            LifetimeStart { address } => self.scope(address, true),
            LifetimeEnd { address, .. } => self.scope(address, false),
            StackSave { dst } => self.set(dst, &format!("gs_n_objects[1 + 2 * gs_thread[{}]]", self.who())),
            StackRestore { src } => {
                let text = format!("gs_leave({}, (uint32_t){});", self.who(), self.value(src));
                self.say(&text);
            }
            MemCopy { overlap, dst, src, len } => {
                let (site, shared, who) = (self.site(pc), self.shared(pc), self.who());
                let (dst, src, len) = (self.value(dst), self.value(src), self.value(len));
                self.say(&format!("gs_move({who}, {shared}, {}, {dst}, {src}, {len}, {site});", u8::from(overlap)));
                self.check_stopped();
            }
            MemSet { dst, value, len } => {
                let (site, shared, who) = (self.site(pc), self.shared(pc), self.who());
                let (dst, value, len) = (self.value(dst), self.value(value), self.value(len));
                self.say(&format!("gs_fill({who}, {shared}, {dst}, {value}, {len}, {site});"));
                self.check_stopped();
            }
            ThreadLocal { global, dst } => self.set(dst, &format!("gs_thread_local({}, {})", self.who(), global.0)),
            Call { site } => return self.call(pc, site),
            Return { src } => self.give_back(pc, src),
            Jump { target } => {
                let jump = self.jump(pc, target);
                self.say(&jump);
            }
            Branch { cond, then, otherwise, .. } => {
                let cond = self.value(cond);
                self.branch(pc, &cond, then, otherwise);
            }
            BranchCmp { pred, w, a, b, then, otherwise, .. } => {
                let cond = comparison(pred, w, &self.value(a), &self.value(b));
                self.branch(pc, &cond, then, otherwise);
            }
            Switch { value, table } => self.switch(pc, value, table),
            JumpIndirect { address } => self.jump_indirect(pc, address),
            LoopEnter { counter } => self.set(counter, "0"),
            LoopBack { counter } => self.loop_back(counter),
            Trap | Unreachable => self.fail(pc, "GS_ABORTED"),
            Undefined { .. } => self.fail(pc, "GS_UNDEFINED"),
            Unsupported { reason } => {
                return Err(self.unsupported(pc, self.function.unsupported[reason as usize].clone()));
            }
            WideBin { .. } | WideCmp { .. } | WideBits { .. } | WideOverflowing { .. } | WideSExt { .. } => {
                return Err(self.unsupported(pc, "this computes with integers of more than 64 bits".to_owned()));
            }
            VaStart { .. } | VaCopy { .. } => {
                return Err(self.unsupported(pc, "this takes a varying number of arguments".to_owned()));
            }
            _ => {
                return Err(self.unsupported(pc, "this is an instruction that has no counterpart in C".to_owned()));
            }
        }
        Ok(())
    }

    fn scope(&mut self, address: Slot, begins: bool) {
        let text = format!("gs_scope({}, {}, {});", self.who(), u8::from(begins), self.value(address));
        self.say(&text);
    }

    fn fail(&mut self, pc: usize, what: &str) {
        let (who, site) = (self.who(), self.site(pc));
        self.say(&format!("gs_fail({who}, {what}, {site});"));
        self.say("return 0;");
    }

    fn branch(&mut self, pc: usize, cond: &str, then: u32, otherwise: u32) {
        let (then, otherwise) = (self.jump(pc, then), self.jump(pc, otherwise));
        self.say(&format!("if ({cond}) {then} else {otherwise}"));
    }

    fn switch(&mut self, pc: usize, value: Slot, table: gordian_ir::SwitchId) {
        let table = self.function.switches[table].clone();
        let value = self.value(value);
        self.say(&format!("switch ({value}) {{"));
        for (key, target) in table.cases {
            let jump = self.jump(pc, target);
            self.say(&format!("case UINT64_C({key:#x}): {jump}"));
        }
        let jump = self.jump(pc, table.default);
        self.say(&format!("default: {jump}"));
        self.say("}");
    }

    fn jump_indirect(&mut self, pc: usize, to: Slot) {
        let to = self.value(to);
        let id = self.id();
        self.say(&format!("switch ({to}) {{"));
        for (label, &target) in (0u32..).zip(&self.function.labels) {
            let jump = self.jump(pc, target);
            self.say(&format!("case UINT64_C({:#x}): {jump}", address::of_label(id, label)));
        }
        self.say("default: break;");
        self.say("}");
        self.fail(pc, "GS_POINTER");
    }

    fn loop_back(&mut self, counter: Slot) {
        let who = self.who();
        let counter = counter.0;
        self.say(&format!(
            "#ifdef GS_UNROLL\n    if (++r{counter} > GS_UNROLL) gs_stop_at_bound({who}, \"a loop goes round more often than `--unroll` allows\");\n#endif"
        ));
        self.check_stopped();
    }

    fn load(&mut self, pc: usize, size: u8, dst: Slot, from: Slot) {
        let (site, shared, who) = (self.site(pc), self.shared(pc), self.who());
        let from = self.value(from);
        if size <= 8 {
            self.set(dst, &format!("gs_load({who}, {shared}, {from}, {size}, {site})"));
        } else {
            self.say("{ uint64_t high;");
            self.set(dst, &format!("gs_load_wide({who}, {shared}, {from}, {size}, &high, {site})"));
            self.set(Slot(dst.0 + 1), "high; }");
        }
        self.check_stopped();
    }

    fn store(&mut self, pc: usize, size: u8, to: Slot, src: Slot) {
        let (site, shared, who) = (self.site(pc), self.shared(pc), self.who());
        let (to, value) = (self.value(to), self.value(src));
        if size <= 8 {
            self.say(&format!("gs_store({who}, {shared}, {to}, {size}, {value}, {site});"));
        } else {
            let high = self.value(Slot(src.0 + 1));
            self.say(&format!("gs_store_wide({who}, {shared}, {to}, {size}, {value}, {high}, {site});"));
        }
        self.check_stopped();
    }

    fn read_modify_write(
        &mut self,
        pc: usize,
        op: RmwOp,
        size: u8,
        dst: Slot,
        at: Slot,
        src: Slot,
    ) -> Result<(), Error> {
        let Some(op) = modification(op) else {
            return Err(self.unsupported(pc, "this is an atomic operation that has no counterpart in C".to_owned()));
        };
        let (site, shared, who) = (self.site(pc), self.shared(pc), self.who());
        let (at, src) = (self.value(at), self.value(src));
        self.set(dst, &format!("gs_rmw({who}, {shared}, {op}, {at}, {size}, {src}, {site})"));
        self.check_stopped();
        Ok(())
    }

    fn compare_exchange(&mut self, pc: usize, size: u8, dst: Slot, at: Slot, expected: Slot) {
        let (site, shared, who) = (self.site(pc), self.shared(pc), self.who());
        let (at, old, new) = (self.value(at), self.value(expected), self.value(Slot(expected.0 + 1)));
        self.say(&format!("{{ uint64_t expected = {old};"));
        self.set(dst, &format!("gs_cas({who}, {shared}, {at}, {size}, expected, {new}, {site})"));
        self.set(Slot(dst.0 + 1), &format!("gs_eq(r{}, expected); }}", dst.0));
        self.check_stopped();
    }
}

/// As `gs_modified` of the runtime numbers them.
pub fn modification(op: RmwOp) -> Option<u8> {
    Some(match op {
        RmwOp::Xchg => 0,
        RmwOp::Add => 1,
        RmwOp::Sub => 2,
        RmwOp::And => 3,
        RmwOp::Nand => 4,
        RmwOp::Or => 5,
        RmwOp::Xor => 6,
        RmwOp::Max => 7,
        RmwOp::Min => 8,
        RmwOp::Umax => 9,
        RmwOp::Umin => 10,
        _ => return None,
    })
}
