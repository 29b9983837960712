//! Statements.

use super::{Generator, Ty, Ty::*, Variable};

impl Generator<'_> {
    pub(super) fn block(&mut self, n: usize, depth: usize) {
        let n_locals = self.locals.len();
        for _ in 0..n {
            if self.fuel == 0 {
                break;
            }
            self.fuel -= 1;
            self.statement(depth);
        }
        self.locals.truncate(n_locals);
    }

    fn nested(&mut self, depth: usize) {
        self.indent += 1;
        let n = 1 + self.below(3);
        self.block(n, depth - 1);
        self.indent -= 1;
    }

    fn statement(&mut self, depth: usize) {
        match self.below(if depth > 0 { 16 } else { 9 }) {
            0..=3 => self.assignment(),
            4 => {
                let (ty, name) = (Ty::random(self.rng), self.name("v"));
                let value = self.expression(ty, 3);
                self.line(&format!("{} {name} = {value};", ty.name()));
                self.locals.push(Variable { text: name, ty, plain: true });
            }
            5 => self.mixing(),
            6 => self.library(),
            7 => self.array_copy(),
            8 => match self.in_loop && self.one_in(2) {
                true => {
                    let condition = self.condition(2);
                    let what = if self.one_in(2) { "break" } else { "continue" };
                    self.line(&format!("if ({condition}) {what};"));
                }
                false => self.assignment(),
            },
            9..=11 => {
                let condition = self.condition(3);
                self.line(&format!("if ({condition}) {{"));
                self.nested(depth);
                if self.one_in(2) {
                    self.line("} else {");
                    self.nested(depth);
                }
                self.line("}");
            }
            12 | 13 => {
                let (name, n) = (self.name("i"), 1 + self.below(6));
                let step = 1 + self.below(2);
                self.line(&format!("for (int {name} = 0; {name} < {n}; {name} += {step}) {{"));
                self.locals.push(Variable {
                    text: format!("({name} + 0)"),
                    ty: Int { bits: 32, signed: true },
                    plain: false,
                });
                let before = std::mem::replace(&mut self.in_loop, true);
                // The counter is read, not written.
                let counter = self.locals.pop();
                self.nested(depth);
                self.indent += 1;
                if let Some(counter) = counter {
                    self.line(&format!("mix((unsigned long){});", counter.text));
                }
                self.indent -= 1;
                self.in_loop = before;
                self.line("}");
            }
            14 => self.switch(depth),
            _ => {
                let (name, n) = (self.name("w"), 1 + self.below(5));
                let condition = self.condition(2);
                self.line(&format!("int {name} = 0;"));
                self.line(&format!("do {{ {name}++;"));
                let before = std::mem::replace(&mut self.in_loop, true);
                self.nested(depth);
                self.in_loop = before;
                self.line(&format!("}} while ({name} < {n} && ({condition}));"));
            }
        }
    }

    fn switch(&mut self, depth: usize) {
        let value = self.expression(Int { bits: 32, signed: false }, 3);
        self.line(&format!("switch (({value}) % 6u) {{"));
        let before = std::mem::replace(&mut self.in_loop, false);
        for case in 0..1 + self.below(4) {
            self.line(&format!("case {case}: {{"));
            self.nested(depth);
            let ends = if self.one_in(3) { "" } else { " break;" };
            self.line(&format!("}}{ends}"));
        }
        if self.one_in(2) {
            self.line("default: {");
            self.nested(depth);
            self.line("}");
        }
        self.in_loop = before;
        self.line("}");
    }

    fn target(&mut self) -> Variable {
        let n = self.globals.len() + self.locals.len() + self.arrays.len();
        let at = self.below(n);
        if at < self.globals.len() {
            return self.globals[at].clone();
        }
        let at = at - self.globals.len();
        if at < self.locals.len() {
            return self.locals[at].clone();
        }
        self.element(at - self.locals.len())
    }

    fn element(&mut self, nth: usize) -> Variable {
        let (name, ty, len) = self.arrays[nth].clone();
        let index = match self.one_in(3) {
            true => self.below(len).to_string(),
            false => format!("(unsigned)({}) % {len}u", self.expression(Int { bits: 32, signed: false }, 1)),
        };
        Variable { text: format!("{name}[{index}]"), ty, plain: true }
    }

    fn assignment(&mut self) {
        let Variable { text, ty, .. } = self.target();
        match self.below(8) {
            0 if !ty.is_float() && ty != Bool => {
                let sign = if self.one_in(2) { "++" } else { "--" };
                self.line(&format!("{text}{sign};"));
            }
            1 | 2 if !ty.is_float() => {
                let op = ["&", "|", "^", "+", "-", "*"][self.below(6)];
                let value = self.expression(ty, 2);
                let value = if self.one_in(3) { value } else { format!("({})({value} & 15)", ty.wrapping()) };
                self.line(&format!("{text} {op}= {value};"));
            }
            _ => {
                let value = self.expression(ty, 4);
                self.line(&format!("{text} = {value};"));
            }
        }
    }

    fn mixing(&mut self) {
        let ty = Ty::random(self.rng);
        let value = self.expression(ty, 4);
        match ty {
            Float | Double => self.line(&format!("mix_float({value});")),
            _ => self.line(&format!("mix_wide((unsigned __int128)({value}));")),
        }
    }

    /// What the library makes of values.
    fn library(&mut self) {
        let name = self.name("t");
        let small = |generator: &mut Self| generator.expression(Int { bits: 32, signed: true }, 2);
        let long = |generator: &mut Self| generator.expression(Int { bits: 64, signed: true }, 2);
        match self.below(6) {
            0 => {
                let flags = ["", "-", "0", "+", " ", "#", "+0", "-#"][self.below(8)];
                let width = if self.one_in(2) { String::new() } else { self.below(14).to_string() };
                let precision = if self.one_in(2) { String::new() } else { format!(".{}", self.below(9)) };
                let kind = ["d", "u", "x", "X", "o", "i"][self.below(6)];
                let flags = if flags.contains('#') && matches!(kind, "d" | "u" | "i") { "" } else { flags };
                let flags = if flags.contains(['+', ' ']) && !matches!(kind, "d" | "i") { "" } else { flags };
                let (length, value) = match self.one_in(2) {
                    true => ("", small(self)),
                    false => ("l", long(self)),
                };
                let cast = match (kind, length) {
                    ("d" | "i", "") => "int",
                    ("d" | "i", _) => "long",
                    (_, "") => "unsigned",
                    _ => "unsigned long",
                };
                self.line(&format!("char {name}[64];"));
                self.line(&format!(
                    "snprintf({name}, sizeof {name}, \"%{flags}{width}{precision}{length}{kind}\", ({cast})({value}));"
                ));
                self.line(&format!("mix_text({name});"));
            }
            1 => {
                let kind = ["f", "e", "g", "a", "G"][self.below(5)];
                let precision = if self.one_in(3) { String::new() } else { format!(".{}", self.below(12)) };
                let value = self.expression(Double, 3);
                self.line(&format!("char {name}[512];"));
                self.line(&format!("snprintf({name}, sizeof {name}, \"%{precision}{kind}\", {value});"));
                // The sign of what is no number is not specified.
                self.line(&format!("if (!strstr({name}, \"nan\") && !strstr({name}, \"NAN\")) mix_text({name});"));
            }
            2 => {
                let value = long(self);
                self.line(&format!("char {name}[64];"));
                self.line(&format!("snprintf({name}, sizeof {name}, \"%ld\", (long)({value}));"));
                let base = [0, 8, 10, 16, 36][self.below(5)];
                self.line(&format!("mix(strtoul({name}, NULL, {base}));"));
                self.line(&format!(
                    "mix(strlen({name}) + (unsigned long)(strcmp({name}, \"1\") > 0) + (strchr({name}, '7') != NULL));"
                ));
            }
            3 => {
                let (a, b) = (small(self), long(self));
                self.line(&format!("mix(total(3, (unsigned)({a}), (unsigned long)({b}), 7u));"));
            }
            4 => {
                let nth = self.below(self.arrays.len());
                let (array, ty, len) = self.arrays[nth].clone();
                self.line(&format!("{} *{name} = malloc(sizeof {array});", ty.name()));
                self.line(&format!("memcpy({name}, {array}, sizeof {array});"));
                let mix = if ty.is_float() { "mix_float" } else { "mix_wide" };
                self.line(&format!("for (int k = 0; k < {len}; k++) {mix}({name}[k]);"));
                self.line(&format!("free({name});"));
            }
            _ => {
                let value = long(self);
                let which = ["popcountl", "clzl", "ctzl", "parityl", "ffsl", "bswap64"][self.below(6)];
                let argument =
                    if which == "ffsl" { format!("(long)({value})") } else { format!("(unsigned long)({value}) | 1") };
                self.line(&format!("mix((unsigned long)__builtin_{which}({argument}));"));
            }
        }
    }

    fn array_copy(&mut self) {
        let nth = self.below(self.arrays.len());
        let (array, _, len) = self.arrays[nth].clone();
        let (from, n) = (self.below(len), 1 + self.below(len));
        let (to, n) = (self.below(len), n.min(len - from));
        let n = n.min(len - to);
        self.line(&format!("memmove(&{array}[{to}], &{array}[{from}], {n} * sizeof {array}[0]);"));
    }

    pub(super) fn print_all(&mut self) {
        for Variable { text, ty, .. } in self.globals.clone().into_iter().chain(self.locals.clone()) {
            let mix = if ty.is_float() { "mix_float" } else { "mix_wide" };
            self.line(&format!("{mix}({text});"));
        }
        for (name, ty, len) in self.arrays.clone() {
            let mix = if ty.is_float() { "mix_float" } else { "mix_wide" };
            self.line(&format!("for (int k = 0; k < {len}; k++) {mix}({name}[k]);"));
        }
    }
}
