//! C programs at random, in the manner of csmith: integers of all widths, floats, arrays, structs with bit-fields, unions, pointers, calls, loops and
//! what the library prints of them. Most of what they do is defined; what is not, a sanitizer tells.

use gordian_base::Rng;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Ty {
    Int { bits: u32, signed: bool },
    Bool,
    Float,
    Double,
}

use Ty::*;

impl Ty {
    fn random(rng: &mut Rng) -> Ty {
        match rng.below(16) {
            0 => Bool,
            1 => Float,
            2 => Double,
            3 => Int { bits: 128, signed: rng.below(2) == 0 },
            n => Int { bits: [8, 16, 32, 32, 64][n % 5], signed: rng.below(2) == 0 },
        }
    }

    fn integer(rng: &mut Rng) -> Ty {
        loop {
            match Ty::random(rng) {
                Float | Double => {}
                ty => return ty,
            }
        }
    }

    fn name(self) -> &'static str {
        match self {
            Bool => "_Bool",
            Float => "float",
            Double => "double",
            Int { bits: 8, signed: true } => "signed char",
            Int { bits: 8, .. } => "unsigned char",
            Int { bits: 16, signed: true } => "short",
            Int { bits: 16, .. } => "unsigned short",
            Int { bits: 32, signed: true } => "int",
            Int { bits: 32, .. } => "unsigned",
            Int { bits: 64, signed: true } => "long",
            Int { bits: 64, .. } => "unsigned long",
            Int { signed: true, .. } => "__int128",
            Int { .. } => "unsigned __int128",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Float | Double)
    }

    /// The unsigned type of at least the width of `int` in which its arithmetic wraps.
    fn wrapping(self) -> &'static str {
        match self {
            Int { bits: 128, .. } => "unsigned __int128",
            Int { bits: 64, .. } => "unsigned long",
            _ => "unsigned",
        }
    }

    fn bits(self) -> u32 {
        match self {
            Int { bits, .. } => bits.max(32),
            _ => 32,
        }
    }
}

/// Something that can be read and assigned to.
#[derive(Clone)]
struct Variable {
    text: String,
    ty: Ty,
    /// Has an address, so no bit-field.
    plain: bool,
}

struct Generator<'r> {
    rng: &'r mut Rng,
    out: String,
    indent: usize,
    globals: Vec<Variable>,
    locals: Vec<Variable>,
    /// Name, type and length.
    arrays: Vec<(String, Ty, usize)>,
    /// Functions that can be called: name, result, parameters.
    functions: Vec<(String, Ty, Vec<Ty>)>,
    n_names: usize,
    /// Statements that may still come.
    fuel: u32,
    in_loop: bool,
}

/// A file with so many cases, each a function that prints what it came to. `main` takes a string that says which of them to run: one character
/// for each, `1` for yes.
pub fn source(rng: &mut Rng, n_cases: usize) -> String {
    let mut text = PRELUDE.to_owned();
    for nth in 0..n_cases {
        text.push_str(&case(rng, nth));
    }
    text.push_str("int main(int argc, char **argv) {\n    const char *which = argc > 1 ? argv[1] : \"\";\n");
    for nth in 0..n_cases {
        text.push_str(&format!(
            "    if (strlen(which) <= {nth} || which[{nth}] == '1') {{ begin({nth}); case_{nth}(); finish({nth}); }}\n"
        ));
    }
    text.push_str("    return 0;\n}\n");
    text
}

const PRELUDE: &str = r#"#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static unsigned long sum;
static void mix(unsigned long value) { sum = (sum ^ value) * 0x100000001b3ul + (sum >> 29); }
static void mix_wide(unsigned __int128 value) { mix((unsigned long)value); mix((unsigned long)(value >> 64)); }
static void mix_float(double value) { unsigned long bits; if (value != value) value = 0; memcpy(&bits, &value, 8); mix(bits); }
static void mix_text(const char *text) { while (*text) mix((unsigned char)*text++); }
static unsigned long total(int n, ...) {
    va_list list;
    unsigned long all = 0;
    va_start(list, n);
    for (int i = 0; i < n; i++) all = all * 31 + (i % 2 ? va_arg(list, unsigned long) : va_arg(list, unsigned));
    va_end(list);
    return all;
}
static void begin(int nth) { sum = 14695981039346656037ul; fprintf(stderr, "case %d\n", nth); fflush(stderr); }
static void finish(int nth) { printf("case %d: %016lx\n", nth, sum); }
"#;

fn case(rng: &mut Rng, nth: usize) -> String {
    let mut generator = Generator {
        rng,
        out: String::new(),
        indent: 0,
        globals: Vec::new(),
        locals: Vec::new(),
        arrays: Vec::new(),
        functions: Vec::new(),
        n_names: 0,
        fuel: 0,
        in_loop: false,
    };
    generator.case(nth);
    generator.out
}

impl Generator<'_> {
    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    fn name(&mut self, what: &str) -> String {
        self.n_names += 1;
        format!("{what}{}", self.n_names)
    }

    fn line(&mut self, text: &str) {
        self.out.push_str(&"    ".repeat(self.indent));
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn case(&mut self, nth: usize) {
        let tag = format!("c{nth}_");
        for _ in 0..2 + self.below(4) {
            let ty = Ty::random(self.rng);
            let name = self.name(&format!("{tag}g"));
            let value = self.constant(ty);
            let volatile = if self.one_in(6) { "volatile " } else { "" };
            self.line(&format!("static {volatile}{} {name} = {value};", ty.name()));
            self.globals.push(Variable { text: name, ty, plain: volatile.is_empty() });
        }
        for _ in 0..1 + self.below(2) {
            let (ty, len) = (Ty::random(self.rng), 1 + self.below(7));
            let name = self.name(&format!("{tag}a"));
            let values: Vec<String> = (0..1 + self.below(len)).map(|_| self.constant(ty)).collect();
            self.line(&format!("static {} {name}[{len}] = {{{}}};", ty.name(), values.join(", ")));
            self.arrays.push((name, ty, len));
        }
        self.structs(&tag);
        for _ in 0..self.below(3) {
            self.function(&tag);
        }
        self.line(&format!("static void case_{nth}(void) {{"));
        self.indent += 1;
        self.fuel = 14;
        let n_locals = self.locals.len();
        self.pointers();
        let n = 3 + self.below(6);
        self.block(n, 3);
        self.print_all();
        self.locals.truncate(n_locals);
        self.indent -= 1;
        self.line("}");
    }

    fn structs(&mut self, tag: &str) {
        let kind = if self.one_in(5) { "union" } else { "struct" };
        let packed = if self.one_in(4) { " __attribute__((packed))" } else { "" };
        let (name, object) = (self.name(&format!("{tag}s")), self.name(&format!("{tag}o")));
        let mut fields = String::new();
        let mut known = Vec::new();
        for nth in 0..1 + self.below(4) {
            let ty = Ty::integer(self.rng);
            let bits = match ty {
                Int { bits, .. } if bits <= 64 && self.one_in(3) => Some(1 + self.below(bits as usize)),
                _ => None,
            };
            let width = bits.map_or(String::new(), |bits| format!(" : {bits}"));
            fields.push_str(&format!(" {} f{nth}{width};", ty.name()));
            let plain = bits.is_none() && packed.is_empty();
            known.push(Variable { text: format!("{object}.f{nth}"), ty, plain });
        }
        self.line(&format!("{kind} {name} {{{fields} }}{packed};"));
        self.line(&format!("static {kind} {name} {object}, {object}_copy;"));
        let copy = known.iter().map(|field| field.text.replacen(&object, &format!("{object}_copy"), 1));
        let copies: Vec<String> = copy.collect();
        let mixes: Vec<String> = copies
            .iter()
            .map(|field| format!("mix_wide((unsigned __int128)v.{});", &field[field.rfind('.').unwrap_or(0) + 1..]))
            .collect();
        // By value, as an argument and as a result.
        self.line(&format!(
            "static {kind} {name} {name}_pass({kind} {name} v) {{ {} {object}_copy = v; return v; }}",
            mixes.join(" ")
        ));
        self.functions.push((format!("{name}_turn"), Int { bits: 32, signed: false }, Vec::new()));
        self.line(&format!(
            "static unsigned {name}_turn(void) {{ {object} = {name}_pass({object}); return sizeof({kind} {name}); }}"
        ));
        self.globals.extend(known);
    }

    fn function(&mut self, tag: &str) {
        let (name, result) = (self.name(&format!("{tag}f")), Ty::random(self.rng));
        let parameters: Vec<Ty> = (0..self.below(4)).map(|_| Ty::random(self.rng)).collect();
        let n_locals = self.locals.len();
        let list: Vec<String> = parameters
            .iter()
            .map(|&ty| {
                let name = self.name("p");
                self.locals.push(Variable { text: name.clone(), ty, plain: true });
                format!("{} {name}", ty.name())
            })
            .collect();
        let list = if list.is_empty() { "void".to_owned() } else { list.join(", ") };
        self.line(&format!("static {} {name}({list}) {{", result.name()));
        self.indent += 1;
        self.fuel = 5;
        let n = 1 + self.below(3);
        self.block(n, 1);
        let value = self.expression(result, 3);
        self.line(&format!("return {value};"));
        self.indent -= 1;
        self.line("}");
        self.locals.truncate(n_locals);
        self.functions.push((name, result, parameters));
    }

    fn pointers(&mut self) {
        for _ in 0..self.below(3) {
            let plain: Vec<Variable> = self.globals.iter().filter(|variable| variable.plain).cloned().collect();
            if plain.is_empty() {
                return;
            }
            let target = plain[self.below(plain.len())].clone();
            let name = self.name("q");
            self.line(&format!("{} *{name} = &{};", target.ty.name(), target.text));
            self.locals.push(Variable { text: format!("(*{name})"), ty: target.ty, plain: false });
        }
    }

    fn block(&mut self, n: usize, depth: usize) {
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
                self.line(&format!("mix(strtoul({name}, NULL, {}));", [0, 8, 10, 16, 36][self.below(5)]));
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

    fn print_all(&mut self) {
        for Variable { text, ty, .. } in self.globals.clone().into_iter().chain(self.locals.clone()) {
            let mix = if ty.is_float() { "mix_float" } else { "mix_wide" };
            self.line(&format!("{mix}({text});"));
        }
        for (name, ty, len) in self.arrays.clone() {
            let mix = if ty.is_float() { "mix_float" } else { "mix_wide" };
            self.line(&format!("for (int k = 0; k < {len}; k++) {mix}({name}[k]);"));
        }
    }

    fn constant(&mut self, ty: Ty) -> String {
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

    fn condition(&mut self, depth: usize) -> String {
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
        let (name, ty, parameters) = self.functions[self.below(self.functions.len())].clone();
        let arguments: Vec<String> = parameters.iter().map(|&ty| self.expression(ty, 1)).collect();
        Some((format!("{name}({})", arguments.join(", ")), ty))
    }

    /// An expression of this type.
    fn expression(&mut self, ty: Ty, depth: usize) -> String {
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
                let Variable { text, ty, .. } = self.locals[self.below(self.locals.len())].clone();
                (text, ty)
            }
            _ => {
                let Variable { text, ty, plain } = self.globals[self.below(self.globals.len())].clone();
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
