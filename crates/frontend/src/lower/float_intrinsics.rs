//! LLVM's intrinsic functions on floats.

use super::arithmetic::{at, float};
use super::function::FunctionLowering;
use super::{Result, Unsupported};
use crate::ffi::Value;
use gordian_ir::{FBinOp, FUnOp, Inst, Slot};

impl<'m> FunctionLowering<'_, 'm> {
    pub fn float_intrinsic(&mut self, call: Value<'m>, base: &str) -> Result<bool> {
        if let Some(op) = unary(base) {
            self.float_unary(call, call.operand(0), op)?;
            return Ok(true);
        }
        if let Some(op) = binary(base) {
            return self.by_lane(call, 2, |scalar, dst, args| {
                Ok(Inst::FBin { op, ty: float(scalar)?, dst, a: args[0], b: args[1] })
            });
        }
        match base {
            // The exponent is one integer, also for vectors.
            "powi" | "ldexp" => self.with_exponent(call, if base == "powi" { FBinOp::Powi } else { FBinOp::Ldexp })?,
            "fma" => self.fused(call)?,
            "fmuladd" => self.multiply_add(call)?,
            "is.fpclass" => self.classify(call)?,
            "lrint" | "llrint" => self.rounded_to_int(call, FUnOp::Rint)?,
            "lround" | "llround" => self.rounded_to_int(call, FUnOp::Round)?,
            "fptosi.sat" => self.saturated_to_int(call, true)?,
            "fptoui.sat" => self.saturated_to_int(call, false)?,
            "modf" => self.split_at_point(call)?,
            "frexp" => self.split_exponent(call)?,
            "sincos" => self.two_results(call, FUnOp::Sin, FUnOp::Cos)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn with_exponent(&mut self, call: Value<'m>, op: FBinOp) -> Result<()> {
        let shape = self.module.shapes.of(call.ty());
        let exponents = self.module.shapes.of(call.operand(1).ty());
        let (parts, exponents) = (shape.check()?, exponents.check()?);
        if exponents.first().is_none_or(|part| part.scalar.width() != 32) {
            return Err(Unsupported("exponent that is no int".into()));
        }
        let (a, b) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
        let dst = self.define(call);
        for (lane, part) in parts.iter().enumerate() {
            let b = Slot(b.0 + if exponents.len() == parts.len() { lane as u32 } else { 0 });
            self.emit(Inst::FBin { op, ty: float(part.scalar)?, dst: at(dst, part), a: at(a, part), b });
        }
        Ok(())
    }

    fn three_operands(&mut self, call: Value<'m>) -> Result<[Slot; 3]> {
        Ok([self.operand(call.operand(0))?, self.operand(call.operand(1))?, self.operand(call.operand(2))?])
    }

    fn fused(&mut self, call: Value<'m>) -> Result<()> {
        let shape = self.module.shapes.of(call.ty());
        let parts = shape.check()?;
        let args = self.three_operands(call)?;
        let dst = self.define(call);
        let abc = self.slots.temporary(3);
        for part in parts {
            self.gather(abc, args.map(|first| at(first, part)));
            self.emit(Inst::Fma { ty: float(part.scalar)?, dst: at(dst, part), abc });
        }
        Ok(())
    }

    /// x86_64 without further flags has no fused instruction, so the product is rounded too.
    fn multiply_add(&mut self, call: Value<'m>) -> Result<()> {
        let shape = self.module.shapes.of(call.ty());
        let parts = shape.check()?;
        let [a, b, c] = self.three_operands(call)?;
        let dst = self.define(call);
        for part in parts {
            let (ty, dst) = (float(part.scalar)?, at(dst, part));
            self.emit(Inst::FBin { op: FBinOp::Mul, ty, dst, a: at(a, part), b: at(b, part) });
            self.emit(Inst::FBin { op: FBinOp::Add, ty, dst, a: dst, b: at(c, part) });
        }
        Ok(())
    }

    fn classify(&mut self, call: Value<'m>) -> Result<()> {
        let shape = self.module.shapes.of(call.operand(0).ty());
        let parts = shape.check()?;
        let mask = call.operand(1).const_integer().ok_or_else(|| Unsupported("float class that varies".into()))? as u16;
        let a = self.operand(call.operand(0))?;
        let dst = self.define(call);
        for (lane, part) in parts.iter().enumerate() {
            self.emit(Inst::FClass { ty: float(part.scalar)?, mask, dst: Slot(dst.0 + lane as u32), a: at(a, part) });
        }
        Ok(())
    }

    fn rounded_to_int(&mut self, call: Value<'m>, op: FUnOp) -> Result<()> {
        let shape = self.module.shapes.of(call.operand(0).ty());
        let ty = float(shape.scalar()?)?;
        let w = self.module.shapes.of(call.ty()).scalar()?.width();
        let a = self.operand(call.operand(0))?;
        let (rounded, dst) = (self.slots.temporary(1), self.define(call));
        self.emit(Inst::FUn { op, ty, dst: rounded, a });
        self.emit(Inst::FloatToInt { signed: true, saturates: false, ty, w, dst, a: rounded });
        Ok(())
    }

    fn saturated_to_int(&mut self, call: Value<'m>, signed: bool) -> Result<()> {
        let (from, to) = (self.module.shapes.of(call.operand(0).ty()), self.module.shapes.of(call.ty()));
        let (from, to) = (from.check()?, to.check()?);
        if to.iter().any(|part| part.scalar.is_wide()) {
            return Err(Unsupported("conversion of a float to more than 64 bits".into()));
        }
        let a = self.operand(call.operand(0))?;
        let dst = self.define(call);
        for (from, to) in from.iter().zip(to) {
            let w = to.scalar.width();
            let (ty, dst, a) = (float(from.scalar)?, at(dst, to), at(a, from));
            self.emit(Inst::FloatToInt { signed, saturates: true, ty, w, dst, a });
        }
        Ok(())
    }

    fn two_results(&mut self, call: Value<'m>, first: FUnOp, second: FUnOp) -> Result<()> {
        let ty = float(self.module.shapes.of(call.operand(0).ty()).scalar()?)?;
        let a = self.operand(call.operand(0))?;
        let dst = self.define(call);
        self.emit(Inst::FUn { op: first, ty, dst, a });
        self.emit(Inst::FUn { op: second, ty, dst: Slot(dst.0 + 1), a });
        Ok(())
    }
}

fn unary(base: &str) -> Option<FUnOp> {
    Some(match base {
        "fabs" => FUnOp::Abs,
        "sqrt" => FUnOp::Sqrt,
        "floor" => FUnOp::Floor,
        "ceil" => FUnOp::Ceil,
        "trunc" => FUnOp::Trunc,
        "rint" | "nearbyint" | "roundeven" => FUnOp::Rint,
        "round" => FUnOp::Round,
        "sin" => FUnOp::Sin,
        "cos" => FUnOp::Cos,
        "tan" => FUnOp::Tan,
        "asin" => FUnOp::Asin,
        "acos" => FUnOp::Acos,
        "atan" => FUnOp::Atan,
        "sinh" => FUnOp::Sinh,
        "cosh" => FUnOp::Cosh,
        "tanh" => FUnOp::Tanh,
        "exp" => FUnOp::Exp,
        "exp2" => FUnOp::Exp2,
        "exp10" => FUnOp::Exp10,
        "log" => FUnOp::Log,
        "log2" => FUnOp::Log2,
        "log10" => FUnOp::Log10,
        _ => return None,
    })
}

fn binary(base: &str) -> Option<FBinOp> {
    Some(match base {
        "pow" => FBinOp::Pow,
        "copysign" => FBinOp::CopySign,
        "minnum" | "minimumnum" => FBinOp::Min,
        "maxnum" | "maximumnum" => FBinOp::Max,
        "minimum" => FBinOp::Minimum,
        "maximum" => FBinOp::Maximum,
        "atan2" => FBinOp::Atan2,
        _ => return None,
    })
}
