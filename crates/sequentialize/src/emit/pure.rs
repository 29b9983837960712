//! Instructions that concern nothing but registers, as C.

use crate::Error;
use gordian_ir::{BitsOp, CheckedOp, DivOp, FBinOp, FPred, FUnOp, Float, Inst, MinMaxOp, Pred, Slot};

/// Where the code of a function goes.
pub trait Registers {
    fn value(&self, slot: Slot) -> String;
    fn set(&mut self, dst: Slot, value: &str);
    fn say(&mut self, text: &str);
    /// The thread fails there if the condition holds.
    fn fail_if(&mut self, pc: usize, condition: &str, what: &str);
    fn unsupported(&self, pc: usize, what: String) -> Error;
}

/// Writes the instruction if it is of this kind.
pub fn write_pure(to: &mut impl Registers, pc: usize, inst: Inst) -> Result<bool, Error> {
    Pure(to).write(pc, inst)
}

/// A comparison as an expression.
pub fn comparison(pred: Pred, w: u8, a: &str, b: &str) -> String {
    match pred {
        Pred::Eq => format!("gs_eq({a}, {b})"),
        Pred::Ne => format!("gs_ne({a}, {b})"),
        Pred::Ult => format!("gs_ult({a}, {b})"),
        Pred::Ule => format!("gs_ule({a}, {b})"),
        Pred::Slt => format!("gs_slt({a}, {b}, {w})"),
        Pred::Sle => format!("gs_sle({a}, {b}, {w})"),
    }
}

struct Pure<'w, W>(&'w mut W);

impl<W: Registers> Pure<'_, W> {
    /// A dispatch: one arm for each instruction.
    fn write(&mut self, pc: usize, inst: Inst) -> Result<bool, Error> {
        use Inst::*;
        match inst {
            Move { dst, src } => {
                let value = self.0.value(src);
                self.0.set(dst, &value)
            }
            Add { w, dst, a, b } => self.arithmetic(w, dst, a, '+', b),
            Sub { w, dst, a, b } => self.arithmetic(w, dst, a, '-', b),
            Mul { w, dst, a, b } => self.arithmetic(w, dst, a, '*', b),
            And { dst, a, b } => self.binary(dst, a, '&', b),
            Or { dst, a, b } => self.binary(dst, a, '|', b),
            Xor { dst, a, b } => self.binary(dst, a, '^', b),
            Shl { w, dst, a, b } => self.function3("gs_shl", w, dst, a, b),
            LShr { w, dst, a, b } => self.function3("gs_lshr", w, dst, a, b),
            AShr { w, dst, a, b } => self.function3("gs_ashr", w, dst, a, b),
            CheckShift { w, by } => self.check_shift(pc, w, by),
            // What was never set has a value here, as it does on a processor.
            CheckSet { .. } | Fence { .. } => {}
            Div { op, w, dst, a, b } => self.divide(pc, op, w, dst, a, b),
            Checked { op, w, dst, a, b } => self.checked(pc, op, w, dst, a, b),
            Overflowing { op, signed, w, dst, a, b } => self.overflowing(op, signed, w, dst, a, b),
            MinMax { op, w, dst, a, b } => self.min_max(op, w, dst, a, b),
            Bits { op, w, dst, a } => self.bits(op, w, dst, a),
            CmpEq { dst, a, b } => self.compare(Pred::Eq, 64, dst, a, b),
            CmpNe { dst, a, b } => self.compare(Pred::Ne, 64, dst, a, b),
            CmpUlt { dst, a, b } => self.compare(Pred::Ult, 64, dst, a, b),
            CmpUle { dst, a, b } => self.compare(Pred::Ule, 64, dst, a, b),
            CmpSlt { w, dst, a, b } => self.compare(Pred::Slt, w, dst, a, b),
            CmpSle { w, dst, a, b } => self.compare(Pred::Sle, w, dst, a, b),
            Select { dst, cond, a, b } => {
                let text = format!("{} ? {} : {}", self.0.value(cond), self.0.value(a), self.0.value(b));
                self.0.set(dst, &text);
            }
            Trunc { w, dst, a } => self.0.set(dst, &format!("{} & gs_mask({w})", self.0.value(a))),
            SExt { from, to, dst, a } => {
                self.0.set(dst, &format!("(uint64_t)gs_signed({}, {from}) & gs_mask({to})", self.0.value(a)));
            }
            FBin { op, ty, dst, a, b } => self.float_binary(pc, op, ty, dst, a, b)?,
            FUn { op, ty, dst, a } => self.float_unary(pc, op, ty, dst, a)?,
            FCmp { pred: FPred(pred), ty, dst, a, b } => {
                let (a, b) = (self.float(ty, a), self.float(ty, b));
                self.0.set(dst, &format!("gs_fcmp({pred}, {a}, {b})"));
            }
            FloatToInt { signed, ty, w, dst, a, .. } if w <= 64 => {
                let a = self.float(ty, a);
                self.0.set(dst, &format!("gs_float_to_int({}, {a}, {w})", u8::from(signed)));
            }
            IntToFloat { signed, ty, w, dst, a } if w <= 64 => {
                let a = self.0.value(a);
                let number = if signed { format!("gs_signed({a}, {w})") } else { a };
                self.0.set(dst, &of_float(ty, &format!("({}){number}", name(ty))));
            }
            FCast { ty, dst, a } => {
                let from = if ty == Float::F32 { Float::F64 } else { Float::F32 };
                let text = of_float(ty, &format!("({}){}", name(ty), self.float(from, a)));
                self.0.set(dst, &text);
            }
            Index { scale, dst, base, index } => {
                let text = format!("{} + {} * (uint64_t)INT64_C({scale})", self.0.value(base), self.0.value(index));
                self.0.set(dst, &text);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn binary(&mut self, dst: Slot, a: Slot, op: char, b: Slot) {
        self.0.set(dst, &format!("{} {op} {}", self.0.value(a), self.0.value(b)));
    }

    fn arithmetic(&mut self, w: u8, dst: Slot, a: Slot, op: char, b: Slot) {
        let (a, b) = (self.0.value(a), self.0.value(b));
        let text = if w == 64 { format!("{a} {op} {b}") } else { format!("({a} {op} {b}) & gs_mask({w})") };
        self.0.set(dst, &text);
    }

    fn function3(&mut self, function: &str, w: u8, dst: Slot, a: Slot, b: Slot) {
        self.0.set(dst, &format!("{function}({}, {}, {w})", self.0.value(a), self.0.value(b)));
    }

    fn check_shift(&mut self, pc: usize, w: u8, by: Slot) {
        let by = self.0.value(by);
        self.0.fail_if(pc, &format!("gs_ule({w}, {by})"), "GS_SHIFT");
    }

    fn divide(&mut self, pc: usize, op: DivOp, w: u8, dst: Slot, a: Slot, b: Slot) {
        let (is_signed, rest) = match op {
            DivOp::Udiv => (0, 0),
            DivOp::Sdiv => (1, 0),
            DivOp::Urem => (0, 1),
            DivOp::Srem => (1, 1),
        };
        let (a, b) = (self.0.value(a), self.0.value(b));
        self.0.fail_if(pc, &format!("gs_divides_badly({is_signed}, {a}, {b}, {w})"), "GS_DIVISION");
        self.0.set(dst, &format!("gs_div({is_signed}, {rest}, {a}, {b}, {w})"));
    }

    fn checked(&mut self, pc: usize, op: CheckedOp, w: u8, dst: Slot, a: Slot, b: Slot) {
        let (a, b, op) = (self.0.value(a), self.0.value(b), number(op));
        self.0.fail_if(pc, &format!("gs_overflows({op}, 1, {a}, {b}, {w})"), "GS_OVERFLOW");
        self.0.set(dst, &format!("gs_wrapped({op}, 1, {a}, {b}, {w})"));
    }

    fn overflowing(&mut self, op: CheckedOp, signed: bool, w: u8, dst: Slot, a: Slot, b: Slot) {
        let (a, b, op, signed) = (self.0.value(a), self.0.value(b), number(op), u8::from(signed));
        // The result may stand in the place of an operand.
        self.0.say(&format!("{{ int over = gs_overflows({op}, {signed}, {a}, {b}, {w});"));
        self.0.set(dst, &format!("gs_wrapped({op}, {signed}, {a}, {b}, {w})"));
        self.0.set(Slot(dst.0 + 1), "(uint64_t)over; }");
    }

    fn min_max(&mut self, op: MinMaxOp, w: u8, dst: Slot, a: Slot, b: Slot) {
        let (x, y) = (self.0.value(a), self.0.value(b));
        let text = match op {
            MinMaxOp::Smax => format!("gs_slt({x}, {y}, {w}) ? {y} : {x}"),
            MinMaxOp::Smin => format!("gs_slt({x}, {y}, {w}) ? {x} : {y}"),
            MinMaxOp::Umax => format!("gs_ult({x}, {y}) ? {y} : {x}"),
            MinMaxOp::Umin => format!("gs_ult({x}, {y}) ? {x} : {y}"),
        };
        self.0.set(dst, &text);
    }

    fn bits(&mut self, op: BitsOp, w: u8, dst: Slot, a: Slot) {
        let op = match op {
            BitsOp::PopCount => 0,
            BitsOp::LeadingZeros => 1,
            BitsOp::TrailingZeros => 2,
            BitsOp::ByteSwap => 3,
            BitsOp::BitReverse => 4,
            BitsOp::Abs => 5,
        };
        self.0.set(dst, &format!("gs_bits({op}, {}, {w})", self.0.value(a)));
    }

    fn compare(&mut self, pred: Pred, w: u8, dst: Slot, a: Slot, b: Slot) {
        let text = comparison(pred, w, &self.0.value(a), &self.0.value(b));
        self.0.set(dst, &text);
    }

    fn float(&self, ty: Float, slot: Slot) -> String {
        match ty {
            Float::F32 => format!("gs_float({})", self.0.value(slot)),
            Float::F64 => format!("gs_double({})", self.0.value(slot)),
        }
    }

    fn float_binary(&mut self, pc: usize, op: FBinOp, ty: Float, dst: Slot, a: Slot, b: Slot) -> Result<(), Error> {
        let op = match op {
            FBinOp::Add => '+',
            FBinOp::Sub => '-',
            FBinOp::Mul => '*',
            FBinOp::Div => '/',
            _ => {
                return Err(self
                    .0
                    .unsupported(pc, "this is a floating-point function of the mathematical library".to_owned()));
            }
        };
        let text = of_float(ty, &format!("{} {op} {}", self.float(ty, a), self.float(ty, b)));
        self.0.set(dst, &text);
        Ok(())
    }

    fn float_unary(&mut self, pc: usize, op: FUnOp, ty: Float, dst: Slot, a: Slot) -> Result<(), Error> {
        // The sign is a bit, of zeros and of what is no number too.
        let sign = match ty {
            Float::F32 => "UINT64_C(0x80000000)",
            Float::F64 => "UINT64_C(0x8000000000000000)",
        };
        let a = self.0.value(a);
        let text = match op {
            FUnOp::Neg => format!("{a} ^ {sign}"),
            FUnOp::Abs => format!("{a} & ~{sign}"),
            _ => {
                return Err(self
                    .0
                    .unsupported(pc, "this is a floating-point function of the mathematical library".to_owned()));
            }
        };
        self.0.set(dst, &text);
        Ok(())
    }
}

fn number(op: CheckedOp) -> u8 {
    match op {
        CheckedOp::Add => 0,
        CheckedOp::Sub => 1,
        CheckedOp::Mul => 2,
        CheckedOp::Shl => 3,
    }
}

fn name(ty: Float) -> &'static str {
    match ty {
        Float::F32 => "float",
        Float::F64 => "double",
    }
}

fn of_float(ty: Float, text: &str) -> String {
    format!("gs_of_{}({text})", name(ty))
}
