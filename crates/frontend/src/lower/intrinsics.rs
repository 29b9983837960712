//! LLVM's intrinsic functions, by name. Those on floats stand in `float_intrinsics`.

use super::arithmetic::{at, compare, narrow};
use super::constants::Constant;
use super::function::FunctionLowering;
use super::types::Scalar;
use super::{Result, Unsupported};
use crate::ffi::{Opcode, Value};
use gordian_ir::{BitsOp, CallSite, Callee, CheckedOp, External, Inst, MinMaxOp, Order, PassedAs, Pred, Slot, WideOp};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn intrinsic(&mut self, call: Value<'m>, name: &str) -> Result<()> {
        let base = base_name(name);
        let done = self.hint(call, base)?
            || self.memory_intrinsic(call, base)?
            || self.stack_intrinsic(call, base)?
            || self.integer_intrinsic(call, base)?
            || self.float_intrinsic(call, base)?
            || self.vector_reduction(call, base)?;
        if done { Ok(()) } else { Err(Unsupported(format!("intrinsic {name}"))) }
    }

    fn argument(&mut self, call: Value<'m>, number: u32) -> Result<Slot> {
        self.operand(call.operand(number))
    }

    /// What tells the optimizer something and does nothing, and what has the same answer always.
    fn hint(&mut self, call: Value<'m>, base: &str) -> Result<bool> {
        match base {
            "assume"
            | "prefetch"
            | "donothing"
            | "sideeffect"
            | "pseudoprobe"
            | "var.annotation"
            | "invariant.end"
            | "experimental.noalias.scope.decl"
            | "fake.use"
            | "clear_cache"
            | "va_end"
            | "x86.sse2.pause"
            | "dbg.declare"
            | "dbg.value"
            | "dbg.label"
            | "dbg.assign"
            | "codeview.annotation" => {}
            "expect"
            | "expect.with.probability"
            | "launder.invariant.group"
            | "strip.invariant.group"
            | "annotation"
            | "ptr.annotation"
            | "ssa.copy"
            | "arithmetic.fence"
            | "canonicalize" => self.alias(call, call.operand(0), 0)?,
            "is.constant"
            | "returnaddress"
            | "frameaddress"
            | "addressofreturnaddress"
            | "sponentry"
            | "invariant.start" => self.bind_constant(call, 0),
            "get.rounding" | "allow.runtime.check" | "allow.ubsan.check" => self.bind_constant(call, 1),
            "objectsize" => {
                let scalar = self.module.shapes.of(call.ty()).scalar()?;
                let unknown = if call.operand(1).const_integer() == Some(1) { 0 } else { u64::MAX };
                self.bind_constant(call, unknown >> (64 - scalar.width().min(64)));
            }
            "trap" | "debugtrap" | "ubsantrap" => self.emit(Inst::Trap),
            "x86.sse2.mfence" => self.emit(Inst::Fence { order: Order::SeqCst }),
            "x86.sse2.lfence" => self.emit(Inst::Fence { order: Order::Acquire }),
            "x86.sse.sfence" => self.emit(Inst::Fence { order: Order::Release }),
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn memory_intrinsic(&mut self, call: Value<'m>, base: &str) -> Result<bool> {
        match base {
            "memcpy" | "memcpy.inline" | "memmove" => {
                let (dst, src) = (self.argument(call, 0)?, self.argument(call, 1)?);
                let len = self.argument(call, 2)?;
                self.emit(Inst::MemCopy { overlap: base == "memmove", dst, src, len });
            }
            "memset" | "memset.inline" => {
                let (dst, value) = (self.argument(call, 0)?, self.argument(call, 1)?);
                let len = self.argument(call, 2)?;
                self.emit(Inst::MemSet { dst, value, len });
            }
            // Before LLVM 22 the size came first.
            "lifetime.start" | "lifetime.end" => {
                let place = call.operand(call.arguments().len() as u32 - 1);
                if place.is_instruction() {
                    self.lifetime(place, base == "lifetime.start")?;
                }
            }
            "threadlocal.address" => match self.module.constant(call.operand(0))? {
                Constant::ThreadLocal(global, offset) => {
                    let dst = self.define(call);
                    self.emit(Inst::ThreadLocal { global, dst });
                    self.add_offset(dst, dst, offset);
                }
                Constant::Slots(_) => self.alias(call, call.operand(0), 0)?,
            },
            "ptrmask" => {
                let (a, b) = (self.argument(call, 0)?, self.argument(call, 1)?);
                let dst = self.define(call);
                self.emit(Inst::And { dst, a, b });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn stack_intrinsic(&mut self, call: Value<'m>, base: &str) -> Result<bool> {
        match base {
            "stacksave" => {
                let dst = self.define(call);
                self.emit(Inst::StackSave { dst });
            }
            "stackrestore" => {
                let src = self.argument(call, 0)?;
                self.emit(Inst::StackRestore { src });
            }
            "eh.sjlj.setjmp" => self.jump_model(call, "_setjmp", &[])?,
            "eh.sjlj.longjmp" => self.jump_model(call, "longjmp", &[1])?,
            "va_start" => {
                let list = self.argument(call, 0)?;
                self.emit(Inst::VaStart { list });
            }
            "va_copy" => {
                let (dst, src) = (self.argument(call, 0)?, self.argument(call, 1)?);
                self.emit(Inst::VaCopy { dst, src });
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// `__builtin_setjmp` and `__builtin_longjmp` by libc's functions, which use no more of the buffer than these have.
    fn jump_model(&mut self, call: Value<'m>, name: &str, more: &[u64]) -> Result<()> {
        let mut args = vec![self.argument(call, 0)?];
        args.extend(more.iter().map(|value| self.slots.constant(*value)));
        let known = self.module.program.externals.enumerate().find(|(_, external)| external.name == name);
        let external = match known.map(|(id, _)| id) {
            Some(id) => id,
            None => self.module.program.externals.push(External { name: name.to_owned() }),
        };
        let n_returns = self.module.shapes.of(call.ty()).n_slots;
        let dst = if n_returns == 0 { Slot(0) } else { self.define(call) };
        let site = self.out.calls.len() as u32;
        self.out.calls.push(CallSite {
            callee: Callee::External(external),
            passed_as: vec![PassedAs::Integer; args.len()].into(),
            args: args.into(),
            byval: Box::default(),
            variadic: Box::default(),
            dst,
            n_returns,
            returned_as: PassedAs::Integer,
        });
        self.emit(Inst::Call { site });
        Ok(())
    }

    fn integer_intrinsic(&mut self, call: Value<'m>, base: &str) -> Result<bool> {
        if let Some((op, signed)) = base.strip_suffix(".with.overflow").and_then(signed_op) {
            return self.overflowing(call, op, signed).map(|()| true);
        }
        if let Some((op, signed)) = base.strip_suffix(".sat").and_then(signed_op) {
            return self.by_lane(call, 2, |scalar, dst, args| match scalar.is_wide() {
                true => Err(Unsupported("saturating arithmetic on more than 64 bits".into())),
                false => Ok(Inst::Saturating { op, signed, w: scalar.width(), dst, a: args[0], b: args[1] }),
            });
        }
        let bits = match base {
            "ctpop" => Some(BitsOp::PopCount),
            "ctlz" => Some(BitsOp::LeadingZeros),
            "cttz" => Some(BitsOp::TrailingZeros),
            "bswap" => Some(BitsOp::ByteSwap),
            "bitreverse" => Some(BitsOp::BitReverse),
            "abs" => Some(BitsOp::Abs),
            _ => None,
        };
        if let Some(op) = bits {
            return self.by_lane(call, 1, |scalar, dst, args| {
                let (w, a) = (scalar.width(), args[0]);
                Ok(if scalar.is_wide() { Inst::WideBits { op, w, dst, a } } else { Inst::Bits { op, w, dst, a } })
            });
        }
        if let Some((op, wide)) = min_max(base) {
            return self.by_lane(call, 2, |scalar, dst, args| {
                let (w, a, b) = (scalar.width(), args[0], args[1]);
                Ok(match scalar.is_wide() {
                    true => Inst::WideBin { op: wide, w, dst, a, b },
                    false => Inst::MinMax { op, w, dst, a, b },
                })
            });
        }
        match base {
            "fshl" | "fshr" => self.funnel_shift(call, base == "fshl").map(|()| true),
            "scmp" | "ucmp" => self.three_way(call, base == "scmp").map(|()| true),
            _ => Ok(false),
        }
    }

    /// One instruction for each lane of the result, from the same lane of the first `n_args` arguments.
    pub fn by_lane(
        &mut self,
        call: Value<'m>,
        n_args: u32,
        build: impl Fn(Scalar, Slot, &[Slot]) -> Result<Inst>,
    ) -> Result<bool> {
        let shape = self.module.shapes.of(call.ty());
        let parts = shape.check()?;
        let args = (0..n_args).map(|number| self.argument(call, number)).collect::<Result<Vec<_>>>()?;
        let dst = self.define(call);
        for part in parts {
            let args: Vec<Slot> = args.iter().map(|first| at(*first, part)).collect();
            let inst = build(part.scalar, at(dst, part), &args)?;
            self.emit(inst);
        }
        Ok(true)
    }

    fn overflowing(&mut self, call: Value<'m>, op: CheckedOp, signed: bool) -> Result<()> {
        let scalar = self.module.shapes.of(call.operand(0).ty()).scalar()?;
        if signed && self.checked_overflow(call, op, scalar)? {
            return Ok(());
        }
        let (a, b) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let (w, dst) = (scalar.width(), self.define(call));
        self.emit(match scalar.is_wide() {
            true => Inst::WideOverflowing { op, signed, w, dst, a, b },
            false => Inst::Overflowing { op, signed, w, dst, a, b },
        });
        Ok(())
    }

    fn funnel_shift(&mut self, call: Value<'m>, left: bool) -> Result<()> {
        let shape = self.module.shapes.of(call.ty());
        let parts = shape.check()?;
        let args = [self.argument(call, 0)?, self.argument(call, 1)?, self.argument(call, 2)?];
        let dst = self.define(call);
        let abc = self.slots.temporary(3);
        for part in parts {
            if part.scalar.is_wide() {
                return Err(Unsupported("rotation of more than 64 bits".into()));
            }
            self.gather(abc, args.map(|first| at(first, part)));
            self.emit(Inst::FunnelShift { left, w: part.scalar.width(), dst: at(dst, part), abc });
        }
        Ok(())
    }

    /// Three operands into consecutive slots.
    pub fn gather(&mut self, abc: Slot, sources: [Slot; 3]) {
        for (index, src) in sources.into_iter().enumerate() {
            self.emit(Inst::Move { dst: Slot(abc.0 + index as u32), src });
        }
    }

    /// -1, 0 or 1.
    fn three_way(&mut self, call: Value<'m>, signed: bool) -> Result<()> {
        let pred = if signed { Pred::Slt } else { Pred::Ult };
        let result = self.module.shapes.of(call.ty());
        let shape = self.module.shapes.of(call.operand(0).ty());
        let (results, parts) = (result.check()?, shape.check()?);
        let (a, b) = (self.argument(call, 0)?, self.argument(call, 1)?);
        let dst = self.define(call);
        let (less, greater) = (self.slots.temporary(1), self.slots.temporary(1));
        for (result, part) in results.iter().zip(parts) {
            self.emit(compare(pred, part.scalar, less, at(a, part), at(b, part)));
            self.emit(compare(pred, part.scalar, greater, at(b, part), at(a, part)));
            self.emit(Inst::Sub { w: result.scalar.width(), dst: at(dst, result), a: greater, b: less });
        }
        Ok(())
    }

    fn vector_reduction(&mut self, call: Value<'m>, base: &str) -> Result<bool> {
        let Some(operation) = base.strip_prefix("vector.reduce.") else { return Ok(false) };
        let shape = self.module.shapes.of(call.operand(0).ty());
        let opcode = match operation {
            "add" => Some(Opcode::Add),
            "mul" => Some(Opcode::Mul),
            "and" => Some(Opcode::And),
            "or" => Some(Opcode::Or),
            "xor" => Some(Opcode::Xor),
            _ => None,
        };
        let ordered = min_max(operation);
        if opcode.is_none() && ordered.is_none() {
            return Ok(false);
        }
        let parts = shape.check()?;
        if parts.iter().any(|part| part.scalar.is_wide()) {
            return Ok(false);
        }
        let a = self.argument(call, 0)?;
        let dst = self.define(call);
        self.emit(Inst::Move { dst, src: a });
        for part in &parts[1..] {
            let (w, b) = (part.scalar.width(), at(a, part));
            let inst = match (opcode, ordered) {
                (Some(opcode), _) => narrow(opcode, w, dst, dst, b)?,
                (None, Some((op, _))) => Inst::MinMax { op, w, dst, a: dst, b },
                (None, None) => return Ok(false),
            };
            self.emit(inst);
        }
        Ok(true)
    }
}

fn signed_op(name: &str) -> Option<(CheckedOp, bool)> {
    let (sign, op) = name.split_at_checked(1)?;
    let op = match op {
        "add" => CheckedOp::Add,
        "sub" => CheckedOp::Sub,
        "mul" => CheckedOp::Mul,
        "shl" => CheckedOp::Shl,
        _ => return None,
    };
    match sign {
        "s" => Some((op, true)),
        "u" => Some((op, false)),
        _ => None,
    }
}

fn min_max(name: &str) -> Option<(MinMaxOp, WideOp)> {
    Some(match name {
        "smax" => (MinMaxOp::Smax, WideOp::Smax),
        "smin" => (MinMaxOp::Smin, WideOp::Smin),
        "umax" => (MinMaxOp::Umax, WideOp::Umax),
        "umin" => (MinMaxOp::Umin, WideOp::Umin),
        _ => return None,
    })
}

/// Without `llvm.` and without the types at the end: `memcpy` of `llvm.memcpy.p0.p0.i64`.
fn base_name(name: &str) -> &str {
    let mut base = name.strip_prefix("llvm.").unwrap_or(name);
    while let Some((start, end)) = base.rsplit_once('.') {
        if !is_type(end) {
            break;
        }
        base = start;
    }
    base
}

fn is_type(part: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    match part.split_at_checked(1) {
        Some(("p" | "i" | "f", rest)) => digits(rest),
        Some(("v", rest)) => rest.find(|c: char| !c.is_ascii_digit()).is_some_and(|at| at > 0 && is_type(&rest[at..])),
        _ => part == "bf16" || part.starts_with("sl_") || part.starts_with("s_"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_types() {
        assert_eq!(base_name("llvm.memcpy.p0.p0.i64"), "memcpy");
        assert_eq!(base_name("llvm.sadd.with.overflow.v4i32"), "sadd.with.overflow");
        assert_eq!(base_name("llvm.vector.reduce.add.v4i32"), "vector.reduce.add");
        assert_eq!(base_name("llvm.trap"), "trap");
        assert_eq!(base_name("llvm.fptosi.sat.i32.f64"), "fptosi.sat");
    }
}
