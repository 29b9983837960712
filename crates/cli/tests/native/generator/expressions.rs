//! Expressions.

use super::{Generator, Ty, Ty::*, Variable, pick};

impl Generator<'_> {
    pub(super) fn constant(&mut self, ty: Ty) -> String {
        let value = match self.below(5) {
            0 => [0i64, 1, -1, 2, 7][self.below(5)],
            1 => 1i64 << self.below(63),
            2 => (1i64 << self.below(62)) - 1,
            3 => -(1i64 << self.below(62)),
            _ => self.rng.next_u64() as i64 >> self.below(64),
        };
        match ty {
            Float | Double => format!("({})({}.{})", ty.name(), value >> 40, self.below(1000)),
            _ => format!("({})({value}L)", ty.name()),
        }
    }

    pub(super) fn condition(&mut self, depth: usize) -> String {
        let ty = Ty::random(self.rng);
        let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        let op = ["<", "<=", "==", "!=", ">", ">="][self.below(6)];
        match self.below(6) {
            0 => format!("({a} {op} {b} && {a} != {b})"),
            1 => format!("(!({a} {op} {b}) || {b})"),
            2 => format!("({a} ? {b} {op} {a} : {b} != 0)"),
            _ => format!("({a} {op} {b})"),
        }
    }

    /// A call stands alone in its expression, so that its effects come in one order.
    fn call(&mut self) -> Option<(String, Ty)> {
        if self.functions.is_empty() {
            return None;
        }
        let (name, ty, parameters) = pick(self.rng, &self.functions);
        let arguments: Vec<String> = parameters.iter().map(|&ty| self.expression(ty, 1)).collect();
        Some((format!("{name}({})", arguments.join(", ")), ty))
    }

    /// An expression of this type.
    pub(super) fn expression(&mut self, ty: Ty, depth: usize) -> String {
        if depth >= 3
            && self.one_in(6)
            && let Some((text, from)) = self.call()
        {
            return self.converted(&text, from, ty);
        }
        let (text, from) = self.any(depth, ty);
        self.converted(&text, from, ty)
    }

    fn converted(&mut self, text: &str, from: Ty, to: Ty) -> String {
        if from.is_float() && !to.is_float() && to != Bool {
            // Only what fits is defined.
            let small = if to == (Int { bits: 8, signed: true }) { "100" } else { "120" };
            let name = to.name();
            return format!("(({text}) > 0 && ({text}) < {small} ? ({name})({text}) : ({name})3)");
        }
        if from == to && self.one_in(2) { format!("({text})") } else { format!("(({})({text}))", to.name()) }
    }

    fn any(&mut self, depth: usize, wanted: Ty) -> (String, Ty) {
        if depth == 0 || self.one_in(5) {
            return self.leaf(wanted);
        }
        let ty = if self.one_in(3) { Ty::random(self.rng) } else { wanted };
        if ty.is_float() {
            let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
            let op = ["+", "-", "*", "/"][self.below(4)];
            return (format!("{a} {op} {b}"), ty);
        }
        match self.below(12) {
            0..=3 => self.wrapped(ty, depth),
            4 => {
                // Half of these overflow now and then, which the sanitizer tells.
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                let op = ["+", "-", "*"][self.below(3)];
                (format!("({a} >> 9) {op} ({b} >> 9)"), promoted(ty))
            }
            5 => {
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                let op = if self.one_in(2) { "/" } else { "%" };
                (format!("{a} {op} ({b} | 1)"), promoted(ty))
            }
            6 => {
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                let bits = ty.bits();
                match self.one_in(2) {
                    true => (format!("({}){a} << ({b} & {})", ty.wrapping(), bits - 1), wrapping_ty(ty)),
                    false => (format!("{a} >> ({b} & {})", bits - 1), promoted(ty)),
                }
            }
            7 | 8 => {
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                let op = ["&", "|", "^"][self.below(3)];
                (format!("{a} {op} {b}"), promoted(ty))
            }
            9 => (self.condition(depth), Int { bits: 32, signed: true }),
            10 => {
                let condition = self.condition(depth);
                let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
                (format!("{condition} ? {a} : {b}"), ty)
            }
            _ => {
                let a = self.expression(ty, depth - 1);
                match self.below(3) {
                    0 => (format!("~{a}"), promoted(ty)),
                    1 => (format!("!{a}"), Int { bits: 32, signed: true }),
                    _ => (format!("-({}){a}", ty.wrapping()), wrapping_ty(ty)),
                }
            }
        }
    }

    fn wrapped(&mut self, ty: Ty, depth: usize) -> (String, Ty) {
        let (a, b) = (self.expression(ty, depth - 1), self.expression(ty, depth - 1));
        let (op, wide) = (["+", "-", "*"][self.below(3)], ty.wrapping());
        (format!("({wide}){a} {op} ({wide}){b}"), wrapping_ty(ty))
    }

    fn leaf(&mut self, wanted: Ty) -> (String, Ty) {
        match self.below(4) {
            0 => (self.constant(wanted), wanted),
            1 if !self.arrays.is_empty() => {
                let nth = self.below(self.arrays.len());
                let (name, ty, len) = self.arrays[nth].clone();
                (format!("{name}[{}]", self.below(len)), ty)
            }
            2 if !self.locals.is_empty() => {
                let Variable { text, ty, .. } = pick(self.rng, &self.locals);
                (text, ty)
            }
            _ => {
                let Variable { text, ty, plain } = pick(self.rng, &self.globals);
                // Compilers differ in the type of a bit-field that is wider than an `int`.
                (if plain { text } else { format!("(({}){text})", ty.name()) }, ty)
            }
        }
    }
}

fn promoted(ty: Ty) -> Ty {
    match ty {
        Int { bits: 8 | 16, .. } | Bool => Int { bits: 32, signed: true },
        ty => ty,
    }
}

fn wrapping_ty(ty: Ty) -> Ty {
    match ty {
        Int { bits, .. } => Int { bits: bits.max(32), signed: false },
        _ => Int { bits: 32, signed: false },
    }
}
