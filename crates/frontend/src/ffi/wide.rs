//! Splits integers of more than 128 bits into words of 64.
//!
//! clang reads and writes a run of bit-fields as one integer. In a packed structure the run can have more bits than any number that gordian
//! knows. What clang does with such a run is little: it loads, masks, shifts by constants, extends, truncates and stores. Each of these is
//! a few operations on words, the lowest first; bits of the last word beyond the integer's width are zero. A function that does anything
//! else with such an integer is left as it is.

use super::module::Module;
use super::take_message;
use super::types::{Type, TypeKind};
use super::value::{Opcode, Value, ValueKind};
use gordian_base::{FxHashMap, FxHashSet};
use llvm_sys::core::*;
use llvm_sys::prelude::*;

const WORD: u32 = 64;

/// Integers of more bits than this and at most [`MOST_BITS`] are split.
const NATIVE_BITS: u32 = 128;
const MOST_BITS: u32 = 1 << 14;

impl Module<'_> {
    pub fn split_wide_integers(&mut self) {
        // SAFETY: the builder belongs to the context of the module and is freed here.
        unsafe {
            let context = LLVMGetModuleContext(self.raw());
            let builder = LLVMCreateBuilderInContext(context);
            let word = LLVMInt64TypeInContext(context);
            for function in self.functions().filter(|function| !function.is_declaration()) {
                let wide = wide_instructions(function);
                if !wide.is_empty() && can_split(&wide) {
                    Splitter { builder, word, context, words: FxHashMap::default() }.split(&wide);
                }
            }
            LLVMDisposeBuilder(builder);
        }
    }
}

fn width(ty: Type<'_>) -> Option<u32> {
    (ty.kind() == TypeKind::Integer).then(|| ty.width())
}

fn is_wide(value: Value<'_>) -> bool {
    width(value.ty()).is_some_and(|width| width > NATIVE_BITS)
}

fn operands<'m>(instruction: Value<'m>) -> impl Iterator<Item = Value<'m>> {
    (0..instruction.n_operands()).map(move |index| instruction.operand(index))
}

/// Those that take or give a wide integer, in the order in which they stand.
fn wide_instructions(function: Value<'_>) -> Vec<Value<'_>> {
    let instructions = function.blocks().flat_map(|block| block.instructions());
    instructions.filter(|&instruction| is_wide(instruction) || operands(instruction).any(is_wide)).collect()
}

/// Whether every one of these is known here, and stands behind those that it takes its operands from.
fn can_split(wide: &[Value<'_>]) -> bool {
    let mut seen: FxHashSet<LLVMValueRef> = FxHashSet::default();
    wide.iter().all(|&instruction| {
        let is_known = |operand: Value<'_>| {
            !is_wide(operand) || operand.kind() == ValueKind::Integer || seen.contains(&operand.raw())
        };
        let fits = |value: Value<'_>| width(value.ty()).is_some_and(|width| width <= MOST_BITS);
        let is_of_bytes = |value: Value<'_>| width(value.ty()).is_some_and(|width| width % 8 == 0);
        let op = instruction.opcode();
        let can = match op {
            Opcode::And | Opcode::Or | Opcode::Xor => fits(instruction),
            Opcode::Shl | Opcode::LShr | Opcode::AShr => {
                fits(instruction) && shift_amount(instruction).is_some_and(|by| Some(by) < width(instruction.ty()))
            }
            Opcode::Trunc => fits(instruction.operand(0)),
            Opcode::ZExt | Opcode::SExt => {
                fits(instruction) && !is_wide(instruction.operand(0)) && {
                    width(instruction.operand(0).ty()).is_some_and(|width| width <= WORD)
                }
            }
            Opcode::Load => fits(instruction) && is_of_bytes(instruction) && !instruction.is_atomic(),
            Opcode::Store => {
                let stored = instruction.operand(0);
                fits(stored) && is_of_bytes(stored) && !instruction.is_atomic()
            }
            _ => false,
        };
        let can = can && operands(instruction).all(is_known);
        seen.insert(instruction.raw());
        can
    })
}

/// By how many bits an instruction shifts, if that is a constant.
fn shift_amount(shift: Value<'_>) -> Option<u32> {
    let by = shift.operand(1);
    if by.kind() != ValueKind::Integer {
        return None;
    }
    // SAFETY: any value may be printed; the text becomes ours. The C API has no other way to a number of more than 64 bits.
    let text = unsafe { take_message(LLVMPrintValueToString(by.raw())) };
    text.rsplit(' ').next()?.parse().ok()
}

/// The last word of an integer, and how many of its bits belong to it.
fn last_word(width: u32) -> (usize, u32) {
    let n = width.div_ceil(WORD);
    (n as usize - 1, width - (n - 1) * WORD)
}

struct Splitter {
    builder: LLVMBuilderRef,
    word: LLVMTypeRef,
    context: LLVMContextRef,
    /// Of wide instructions.
    words: FxHashMap<LLVMValueRef, Vec<LLVMValueRef>>,
}

/// An operation of two words.
type Binary = unsafe extern "C" fn(LLVMBuilderRef, LLVMValueRef, LLVMValueRef, *const std::ffi::c_char) -> LLVMValueRef;

impl Splitter {
    /// # Safety
    /// The instructions are live, in order, and [`can_split`].
    unsafe fn split(mut self, wide: &[Value<'_>]) {
        // SAFETY: new instructions stand before those that they replace, whose operands they use. Replaced ones are erased last ones first, when
        // nobody uses them any more.
        unsafe {
            for &instruction in wide {
                LLVMPositionBuilderBefore(self.builder, instruction.raw());
                self.replace(instruction);
            }
            for &instruction in wide.iter().rev() {
                LLVMInstructionEraseFromParent(instruction.raw());
            }
        }
    }

    unsafe fn replace(&mut self, instruction: Value<'_>) {
        let operand = |index| instruction.operand(index);
        // SAFETY: as in `split`; types of operands are those that the instruction's kind has.
        unsafe {
            let words = match instruction.opcode() {
                Opcode::And => self.each(LLVMBuildAnd, operand(0), operand(1)),
                Opcode::Or => self.each(LLVMBuildOr, operand(0), operand(1)),
                Opcode::Xor => self.each(LLVMBuildXor, operand(0), operand(1)),
                Opcode::Shl => self.shift_left(operand(0), shift_amount(instruction).expect("it was looked at")),
                Opcode::LShr => {
                    let words = self.words_of(operand(0));
                    let fill = self.number(0);
                    self.shift_right(&words, fill, shift_amount(instruction).expect("it was looked at"))
                }
                Opcode::AShr => self.shift_signed(operand(0), shift_amount(instruction).expect("it was looked at")),
                Opcode::ZExt => {
                    let low = LLVMBuildZExt(self.builder, operand(0).raw(), self.word, c"".as_ptr());
                    let fill = self.number(0);
                    self.extend(low, fill, instruction)
                }
                Opcode::SExt => {
                    let low = LLVMBuildSExt(self.builder, operand(0).raw(), self.word, c"".as_ptr());
                    let fill = self.op(LLVMBuildAShr, low, u64::from(WORD) - 1);
                    self.extend(low, fill, instruction)
                }
                Opcode::Load => self.load(instruction),
                Opcode::Store => return self.store(instruction),
                Opcode::Trunc => match self.truncate(instruction) {
                    Some(words) => words,
                    None => return,
                },
                _ => unreachable!("it was looked at"),
            };
            self.words.insert(instruction.raw(), words);
        }
    }

    unsafe fn number(&self, value: u64) -> LLVMValueRef {
        // SAFETY: the type is an integer.
        unsafe { LLVMConstInt(self.word, value, 0) }
    }

    unsafe fn op(&self, op: Binary, word: LLVMValueRef, by: u64) -> LLVMValueRef {
        // SAFETY: both are words.
        unsafe { op(self.builder, word, self.number(by), c"".as_ptr()) }
    }

    /// A constant is taken apart by operations that the builder folds.
    unsafe fn words_of(&self, value: Value<'_>) -> Vec<LLVMValueRef> {
        if let Some(words) = self.words.get(&value.raw()) {
            return words.clone();
        }
        let bits = width(value.ty()).expect("it is an integer");
        // SAFETY: it is a constant integer, and shifted by less than its width.
        let word = |nth: u32| unsafe {
            let by = LLVMConstInt(value.ty().raw(), u64::from(nth * WORD), 0);
            let shifted = LLVMBuildLShr(self.builder, value.raw(), by, c"".as_ptr());
            LLVMBuildTrunc(self.builder, shifted, self.word, c"".as_ptr())
        };
        (0..bits.div_ceil(WORD)).map(word).collect()
    }

    unsafe fn each(&self, op: Binary, a: Value<'_>, b: Value<'_>) -> Vec<LLVMValueRef> {
        // SAFETY: both have as many words.
        unsafe {
            let (a, b) = (self.words_of(a), self.words_of(b));
            a.into_iter().zip(b).map(|(a, b)| op(self.builder, a, b, c"".as_ptr())).collect()
        }
    }

    /// Bits beyond the width become zero.
    unsafe fn trim(&self, words: &mut [LLVMValueRef], width: u32) {
        let (last, bits) = last_word(width);
        if bits < WORD {
            // SAFETY: it is a word.
            words[last] = unsafe { self.op(LLVMBuildAnd, words[last], (1 << bits) - 1) };
        }
    }

    unsafe fn extend(&self, low: LLVMValueRef, fill: LLVMValueRef, to: Value<'_>) -> Vec<LLVMValueRef> {
        let bits = width(to.ty()).expect("it is an integer");
        let mut words = vec![fill; bits.div_ceil(WORD) as usize];
        words[0] = low;
        // SAFETY: all are words.
        unsafe { self.trim(&mut words, bits) };
        words
    }

    unsafe fn shift_left(&self, value: Value<'_>, by: u32) -> Vec<LLVMValueRef> {
        let bits = width(value.ty()).expect("it is an integer");
        let (whole, part) = ((by / WORD) as usize, u64::from(by % WORD));
        // SAFETY: all are words, and shifted by less than their width.
        unsafe {
            let from = self.words_of(value);
            let zero = self.number(0);
            let at = |nth: usize, back: usize| nth.checked_sub(whole + back).map_or(zero, |nth| from[nth]);
            let word = |nth: usize| match part {
                0 => at(nth, 0),
                _ => {
                    let high = self.op(LLVMBuildShl, at(nth, 0), part);
                    let low = self.op(LLVMBuildLShr, at(nth, 1), u64::from(WORD) - part);
                    LLVMBuildOr(self.builder, high, low, c"".as_ptr())
                }
            };
            let mut words: Vec<LLVMValueRef> = (0..from.len()).map(word).collect();
            self.trim(&mut words, bits);
            words
        }
    }

    unsafe fn shift_right(&self, from: &[LLVMValueRef], fill: LLVMValueRef, by: u32) -> Vec<LLVMValueRef> {
        let (whole, part) = ((by / WORD) as usize, u64::from(by % WORD));
        let at = |nth: usize| from.get(nth + whole).copied().unwrap_or(fill);
        // SAFETY: all are words, and shifted by less than their width.
        let word = |nth: usize| unsafe {
            match part {
                0 => at(nth),
                _ => {
                    let low = self.op(LLVMBuildLShr, at(nth), part);
                    let high = self.op(LLVMBuildShl, at(nth + 1), u64::from(WORD) - part);
                    LLVMBuildOr(self.builder, high, low, c"".as_ptr())
                }
            }
        };
        (0..from.len()).map(word).collect()
    }

    unsafe fn shift_signed(&self, value: Value<'_>, by: u32) -> Vec<LLVMValueRef> {
        let width = width(value.ty()).expect("it is an integer");
        let (last, bits) = last_word(width);
        // SAFETY: all are words, and shifted by less than their width.
        unsafe {
            let mut from = self.words_of(value);
            if bits < WORD {
                let high = self.op(LLVMBuildShl, from[last], u64::from(WORD - bits));
                from[last] = self.op(LLVMBuildAShr, high, u64::from(WORD - bits));
            }
            let fill = self.op(LLVMBuildAShr, from[last], u64::from(WORD) - 1);
            let mut words = self.shift_right(&from, fill, by);
            self.trim(&mut words, width);
            words
        }
    }

    /// The words of a wide result. A narrow one takes the place of the instruction.
    unsafe fn truncate(&self, instruction: Value<'_>) -> Option<Vec<LLVMValueRef>> {
        let bits = width(instruction.ty()).expect("it is an integer");
        // SAFETY: the operand is wide; a narrow result has the type of the instruction.
        unsafe {
            let mut words = self.words_of(instruction.operand(0));
            if is_wide(instruction) {
                words.truncate(bits.div_ceil(WORD) as usize);
                self.trim(&mut words, bits);
                return Some(words);
            }
            let mut value = words[0];
            if bits > WORD {
                let double = LLVMIntTypeInContext(self.context, NATIVE_BITS);
                let low = LLVMBuildZExt(self.builder, words[0], double, c"".as_ptr());
                let high = LLVMBuildZExt(self.builder, words[1], double, c"".as_ptr());
                let by = LLVMConstInt(double, u64::from(WORD), 0);
                let high = LLVMBuildShl(self.builder, high, by, c"".as_ptr());
                value = LLVMBuildOr(self.builder, high, low, c"".as_ptr());
            }
            let value = LLVMBuildTrunc(self.builder, value, instruction.ty().raw(), c"".as_ptr());
            LLVMReplaceAllUsesWith(instruction.raw(), value);
        }
        None
    }

    /// By word: its place, the type in memory, and its alignment.
    unsafe fn places(&self, access: Value<'_>, address: Value<'_>, bits: u32) -> Vec<(LLVMValueRef, LLVMTypeRef, u32)> {
        let (last, bits_of_last) = last_word(bits);
        let align = access.align().max(1);
        // SAFETY: the address is a pointer, and all bytes up to the integer's width are accessed through it.
        let place = |nth: usize| unsafe {
            let bytes = 8 * nth as u64;
            let byte = LLVMInt8TypeInContext(self.context);
            let mut offset = self.number(bytes);
            let place = match nth {
                0 => address.raw(),
                _ => LLVMBuildGEP2(self.builder, byte, address.raw(), &mut offset, 1, c"".as_ptr()),
            };
            let ty = if nth == last { LLVMIntTypeInContext(self.context, bits_of_last) } else { self.word };
            (place, ty, if nth == 0 { align } else { align.min(8) })
        };
        (0..=last).map(place).collect()
    }

    unsafe fn load(&self, load: Value<'_>) -> Vec<LLVMValueRef> {
        let bits = width(load.ty()).expect("it is an integer");
        // SAFETY: it is a load; the parts are loaded as it is.
        unsafe {
            let is_volatile = LLVMGetVolatile(load.raw());
            let part = |(place, ty, align)| {
                let part = LLVMBuildLoad2(self.builder, ty, place, c"".as_ptr());
                LLVMSetVolatile(part, is_volatile);
                LLVMSetAlignment(part, align);
                if ty == self.word { part } else { LLVMBuildZExt(self.builder, part, self.word, c"".as_ptr()) }
            };
            self.places(load, load.operand(0), bits).into_iter().map(part).collect()
        }
    }

    unsafe fn store(&self, store: Value<'_>) {
        let stored = store.operand(0);
        let bits = width(stored.ty()).expect("it is an integer");
        // SAFETY: it is a store; the parts are stored as it is.
        unsafe {
            let is_volatile = LLVMGetVolatile(store.raw());
            let words = self.words_of(stored);
            for (word, (place, ty, align)) in words.into_iter().zip(self.places(store, store.operand(1), bits)) {
                let part = if ty == self.word { word } else { LLVMBuildTrunc(self.builder, word, ty, c"".as_ptr()) };
                let part = LLVMBuildStore(self.builder, part, place);
                LLVMSetVolatile(part, is_volatile);
                LLVMSetAlignment(part, align);
            }
        }
    }
}
