//! The compiler's checks for undefined behaviour: a branch to a handler that does not return.
//!
//! Clang folds arithmetic on constants before anybody sees it, and what is undefined becomes a value
//! like any other. With its checks compiled in, the folded condition of the check stays behind.

use super::Result;
use super::arithmetic::narrow;
use super::function::FunctionLowering;
use super::types::Scalar;
use crate::ffi::{Block, Opcode, TypeKind, Value};
use gordian_ir::{CheckedOp, DescribedType, Inst, Slot, UndefinedKind, UndefinedSite};

const HANDLER: &str = "__ubsan_handle_";

/// What becomes of the branch of a check.
enum Outcome {
    /// It holds, or the machine checks the same.
    Passes,
    Fails,
    Open,
}

impl<'m> FunctionLowering<'_, 'm> {
    /// Lowers a branch that is a check; says whether it was one.
    pub fn check(&mut self, branch: Value<'m>) -> Result<bool> {
        let successors = branch.successors();
        let Some((condition, kind)) = branch.condition().zip(successors.get(1).and_then(|&block| handled(block)))
        else {
            return Ok(false);
        };
        let target = match self.outcome(condition, kind) {
            Outcome::Passes => successors[0],
            Outcome::Fails => successors[1],
            Outcome::Open => return Ok(false),
        };
        self.go_to(branch.parent(), target)?;
        Ok(true)
    }

    fn outcome(&self, condition: Value<'m>, kind: UndefinedKind) -> Outcome {
        let options = &self.module.options;
        let is_overflow = matches!(kind, UndefinedKind::Overflow(_));
        match condition.const_integer() {
            Some(0) if !is_overflow || options.check_overflow => Outcome::Fails,
            Some(_) => Outcome::Passes,
            None if is_overflow && !options.check_overflow => Outcome::Passes,
            // Checked where it is computed (see `checked_overflow`).
            None if is_overflow && is_narrow(condition) => Outcome::Passes,
            // Instructions of the machine check for these themselves.
            None if kind == UndefinedKind::Division => Outcome::Passes,
            None if kind == UndefinedKind::Shift && !options.check_undefined => Outcome::Passes,
            None if options.check_undefined || is_overflow => Outcome::Open,
            // Compiled in to find what was folded; all others only where somebody asked for them.
            None if kind == UndefinedKind::FloatCast && self.module.is_compiled => Outcome::Passes,
            None => Outcome::Open,
        }
    }

    /// The arithmetic of a check for overflow, without the check or with the machine's own.
    pub fn checked_overflow(&mut self, call: Value<'m>, op: CheckedOp, scalar: Scalar) -> Result<bool> {
        let opcode = match op {
            CheckedOp::Add => Opcode::Add,
            CheckedOp::Sub => Opcode::Sub,
            CheckedOp::Mul => Opcode::Mul,
            CheckedOp::Shl => return Ok(false),
        };
        if scalar.is_wide() || !call.is_nosanitize() {
            return Ok(false);
        }
        let (a, b) = (self.operand(call.operand(0))?, self.operand(call.operand(1))?);
        let (w, dst) = (scalar.width(), self.define(call));
        self.emit(match self.module.options.check_overflow {
            true => Inst::Checked { op, w, dst, a, b },
            false => narrow(opcode, w, dst, a, b)?,
        });
        let src = self.slots.constant(0);
        self.emit(Inst::Move { dst: Slot(dst.0 + 1), src });
        Ok(true)
    }

    /// A call of a handler; says whether it was one.
    pub fn handler(&mut self, call: Value<'m>, called: Value<'m>) -> Result<bool> {
        if !called.is_function() || !called.is_declaration() {
            return Ok(false);
        }
        let name = called.name();
        let Some(kind) = name.strip_prefix(HANDLER).and_then(kind_of) else { return Ok(false) };
        let arguments = call.arguments();
        let site = self.out.undefined.len() as u32;
        let types = arguments.first().map(|data| described_types(*data)).unwrap_or_default();
        let kind = match (kind, arguments.first()) {
            (UndefinedKind::Misaligned(_), Some(data)) => UndefinedKind::Misaligned(alignment(*data)),
            (kind, _) => kind,
        };
        self.out.undefined.push(UndefinedSite { kind, types });
        let mut operands = [self.slots.constant(0); 2];
        for (slot, argument) in operands.iter_mut().zip(arguments.iter().skip(1)) {
            self.module.shapes.of(argument.ty()).check()?;
            *slot = self.operand(*argument)?;
        }
        self.emit(Inst::Undefined { site, a: operands[0], b: operands[1] });
        Ok(true)
    }
}

/// What the handler in a block is called for, if the block does nothing else.
fn handled(block: Block<'_>) -> Option<UndefinedKind> {
    let call = block.instructions().find(|instruction| instruction.opcode() == Opcode::Call)?;
    let called = call.called();
    if !called.is_function() || block.terminator().opcode() != Opcode::Unreachable {
        return None;
    }
    called.name().strip_prefix(HANDLER).and_then(kind_of)
}

/// Whether a condition is that of arithmetic on at most 64 bits: `xor(extractvalue(arithmetic, 1), true)`.
fn is_narrow(condition: Value<'_>) -> bool {
    if condition.opcode() != Opcode::Xor || condition.operand(0).opcode() != Opcode::ExtractValue {
        return false;
    }
    let arithmetic = condition.operand(0).operand(0);
    arithmetic.opcode() == Opcode::Call
        && arithmetic.is_nosanitize()
        && arithmetic.operand(0).ty().kind() == TypeKind::Integer
        && arithmetic.operand(0).ty().width() <= 64
}

fn kind_of(handler: &str) -> Option<UndefinedKind> {
    Some(match handler.strip_suffix("_abort").unwrap_or(handler) {
        "divrem_overflow" => UndefinedKind::Division,
        "shift_out_of_bounds" => UndefinedKind::Shift,
        "add_overflow" => UndefinedKind::Overflow('+'),
        "sub_overflow" => UndefinedKind::Overflow('-'),
        "mul_overflow" => UndefinedKind::Overflow('*'),
        "negate_overflow" => UndefinedKind::Overflow('~'),
        "float_cast_overflow" => UndefinedKind::FloatCast,
        "invalid_builtin" => UndefinedKind::ZeroBits,
        "type_mismatch_v1" => UndefinedKind::Misaligned(1),
        "out_of_bounds" => UndefinedKind::Index,
        "load_invalid_value" => UndefinedKind::InvalidValue,
        "vla_bound_not_positive" => UndefinedKind::VlaBound,
        "nonnull_arg" | "nonnull_return_v1" => UndefinedKind::NullArgument,
        "builtin_unreachable" => UndefinedKind::Unreachable,
        _ => UndefinedKind::Other,
    })
}

/// The fields of what a handler is given to describe its site; the first is the place.
fn fields<'m>(data: Value<'m>) -> Vec<Value<'m>> {
    let Some(data) = data.initializer().filter(|data| data.ty().kind() == TypeKind::Struct) else { return Vec::new() };
    (1..data.ty().n_elements()).filter_map(|index| data.const_element(index)).collect()
}

fn described_types(data: Value<'_>) -> Vec<DescribedType> {
    fields(data).into_iter().filter_map(described_type).collect()
}

/// Clang's description: whether it is an integer (0) or a float (1), its width, its name in quotes.
fn described_type(pointer: Value<'_>) -> Option<DescribedType> {
    let descriptor = pointer.initializer().filter(|descriptor| descriptor.ty().kind() == TypeKind::Struct)?;
    let kind = descriptor.const_element(0)?.const_integer()?;
    let info = descriptor.const_element(1)?.const_integer()?;
    let name = descriptor.const_element(2)?.const_data()?;
    let name = String::from_utf8_lossy(&name).trim_end_matches('\0').trim_matches('\'').to_owned();
    Some(match kind {
        0 => DescribedType { name, width: 1 << (info >> 1).min(16), signed: info & 1 != 0 },
        1 => DescribedType { name, width: info as u32, signed: true },
        _ => DescribedType { name, width: 0, signed: false },
    })
}

fn alignment(data: Value<'_>) -> u64 {
    let log2 = fields(data).get(1).and_then(|field| field.const_integer()).unwrap_or(0);
    1 << log2.min(63)
}
