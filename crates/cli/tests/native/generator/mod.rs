//! C programs at random, in the manner of csmith: integers of all widths, floats, arrays, structs with bit-fields, unions, pointers, calls, loops and
//! what the library prints of them. Most of what they do is defined; what is not, a sanitizer tells.

mod expressions;
mod statements;

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
}

fn pick<T: Clone>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len())].clone()
}
