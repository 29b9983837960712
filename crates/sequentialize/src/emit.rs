//! Writes the sequential program.

mod function;
mod inst;
pub mod pure;

use crate::names::{comment, function_names, literal};
use crate::plan::Plan;
use crate::reach::{Reached, reach};
use crate::{Error, Line, Options, Role, Runtime, Target};
use function::FunctionWriter;
use gordian_analysis::Point;
use gordian_base::{FxHashMap, Id};
use gordian_ir::{FuncId, Loc, Program};
pub use inst::modification;
use std::fmt::Write;

/// In the order in which they stand in the program, what decides about orders of events between the two lists.
const RUNTIME: [&str; 5] = [
    include_str!("../runtime/base.c"),
    include_str!("../runtime/testers.c"),
    include_str!("../runtime/numbers.c"),
    include_str!("../runtime/memory.c"),
    include_str!("../runtime/log.c"),
];
const OPERATIONS: [&str; 3] =
    [include_str!("../runtime/operations.c"), include_str!("../runtime/locks.c"), include_str!("../runtime/threads.c")];

/// Orders of two logs, and of more.
const TWO_LOGS: [&str; 3] =
    [include_str!("../runtime/grid.c"), include_str!("../runtime/reads.c"), include_str!("../runtime/guesses.c")];
const SEVERAL_LOGS: [&str; 2] = [include_str!("../runtime/order.c"), include_str!("../runtime/choices.c")];

/// The smallest arena, and how much larger than the globals it is.
const LEAST_ARENA: u64 = 1 << 18;

/// An instruction that a report may name.
#[derive(Clone, Copy, Debug)]
struct Site {
    point: Point,
    loc: Loc,
}

/// Whose code is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Who {
    T,
    U,
}

impl Who {
    fn prefix(self) -> &'static str {
        match self {
            Who::T => "T",
            Who::U => "U",
        }
    }

    fn constant(self) -> &'static str {
        match self {
            Who::T => "GS_T",
            Who::U => "GS_U",
        }
    }
}

struct Emitter<'a> {
    program: &'a Program,
    plan: &'a Plan,
    options: &'a Options,
    reached: Reached,
    names: FxHashMap<FuncId, String>,
    /// Numbered from 1 on.
    sites: Vec<Site>,
    numbers: FxHashMap<Point, u32>,
    /// Threads may end within a function.
    ends_within: bool,
}

/// The sequential program of `program`, as C.
pub fn sequentialize(program: &Program, plan: &Plan, options: &Options) -> Result<String, Error> {
    if options.k2 > 0 && options.role.n_created > 2 {
        return Err(Error::ManyThreadsReadFromT(options.role.n_created));
    }
    if options.runtime == Runtime::Lazy {
        return crate::lazy::sequentialize(program, plan, options);
    }
    let main = program.main.ok_or(Error::NoMain)?;
    refuse_destructors(program)?;
    let reached = reach(program, main);
    let names = function_names(program, &reached.functions);
    let ends_within = program.externals.iter().any(|external| external.name == "pthread_exit");
    let (sites, numbers) = (Vec::new(), FxHashMap::default());
    let mut emitter = Emitter { program, plan, options, reached, names, sites, numbers, ends_within };
    let mut code = String::new();
    // Main's own functions are those of the copy that it works on.
    for who in [Who::T, Who::U] {
        emitter.prototypes(&mut code, who);
    }
    for who in [Who::T, Who::U] {
        emitter.pointer_calls(&mut code, who);
        for id in emitter.reached.functions.clone() {
            FunctionWriter::new(&mut emitter, id, who).write(&mut code)?;
        }
    }
    emitter.assemble(&code, main)
}

/// Destructors run while the process ends, which is no part of what is written.
pub fn refuse_destructors(program: &Program) -> Result<(), Error> {
    let Some(&destructor) = program.destructors.first() else { return Ok(()) };
    let place = format!("`{}`", program.functions[destructor].name);
    Err(Error::Unsupported { place, what: "the program has a destructor".to_owned() })
}

impl Emitter<'_> {
    fn site(&mut self, point: Point) -> u32 {
        let loc = self.program.functions[point.function].locs[point.pc as usize];
        let next = self.sites.len() as u32 + 1;
        let number = *self.numbers.entry(point).or_insert(next);
        if number == next {
            self.sites.push(Site { point, loc });
        }
        number
    }

    /// Where an instruction comes from, in words.
    fn place(&self, point: Point) -> String {
        let function = &self.program.functions[point.function];
        let loc = function.locs[point.pc as usize];
        match loc.line {
            0 => format!("`{}`", function.name),
            line => format!("{}:{line}", self.program.files[loc.file]),
        }
    }

    fn signature(&self, id: FuncId, who: Who) -> String {
        let function = &self.program.functions[id];
        let parameters: Vec<String> = (0..function.n_params).map(|n| format!("uint64_t r{n}")).collect();
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        format!("static uint64_t {}_{}({parameters})", who.prefix(), self.names[&id])
    }

    fn prototypes(&self, out: &mut String, who: Who) {
        for &id in &self.reached.functions {
            let _ = writeln!(out, "GS_UNUSED {};", self.signature(id, who));
        }
    }

    /// Calls through pointers, by the number of parameters and results.
    fn pointer_calls(&self, out: &mut String, who: Who) {
        let shape = |id: FuncId| {
            let function = &self.program.functions[id];
            (function.n_params, function.n_returns)
        };
        let mut shapes: Vec<(u32, u32)> = self.reached.by_pointer.iter().map(|&id| shape(id)).collect();
        shapes.push((1, 1));
        for &id in &self.reached.functions {
            let function = &self.program.functions[id];
            let indirect = function.calls.iter().filter(|site| matches!(site.callee, gordian_ir::Callee::Indirect(_)));
            shapes.extend(indirect.map(|site| (site.args.len() as u32, site.n_returns)));
        }
        shapes.sort_unstable();
        shapes.dedup();
        for (n_params, n_returns) in shapes {
            let parameters: String = (0..n_params).map(|n| format!("uint64_t r{n}, ")).collect();
            let _ = writeln!(
                out,
                "GS_UNUSED static uint64_t gs_{}_call_{n_params}_{n_returns}(uint64_t function, {parameters}uint32_t site)\n{{",
                who.prefix()
            );
            out.push_str("    switch (function) {\n");
            for &id in self.reached.by_pointer.iter().filter(|&&id| shape(id) == (n_params, n_returns)) {
                let args: Vec<String> = (0..n_params).map(|n| format!("r{n}")).collect();
                let address = gordian_ir::address::of_function(id.index() as u32);
                let (prefix, name) = (who.prefix(), &self.names[&id]);
                let _ = writeln!(out, "    case UINT64_C({address:#x}): return {prefix}_{name}({});", args.join(", "));
            }
            let unused: String = (0..n_params).map(|n| format!(" (void)r{n};")).collect();
            let code_space = gordian_ir::address::of_function(0) >> 53;
            let n_code = self.program.functions.len() + self.program.externals.len();
            let _ = writeln!(
                out,
                "    default:{unused}\n        if (function >> 53 == {code_space} && (function >> 30 & 0x7fffff) < {n_code})\n            \
                 gs_refuse(\"a pointer calls a function of the library, or one with other parameters, which is not supported\", site);\n        \
                 gs_fail({}, GS_POINTER, site);\n        return 0;\n    }}\n}}",
                who.constant()
            );
        }
        let prefix = who.prefix();
        let _ = writeln!(
            out,
            "static uint64_t gs_call_{prefix}(uint64_t function, uint64_t argument) {{ return gs_{prefix}_call_1_1(function, argument, 0); }}"
        );
    }

    fn assemble(&self, code: &str, main: FuncId) -> Result<String, Error> {
        let mut out = self.head();
        let orders: &[&str] = if self.options.role.n_created > 2 { &SEVERAL_LOGS } else { &TWO_LOGS };
        RUNTIME.iter().chain(orders).chain(&OPERATIONS).for_each(|part| out.push_str(part));
        self.globals(&mut out);
        out.push_str(code);
        self.write_sites(&mut out)?;
        self.write_failures(&mut out);
        self.write_main(&mut out, main);
        Ok(out)
    }

    fn head(&self) -> String {
        let Role { number, name, n_created } = &self.options.role;
        let others = if *n_created > 2 { "other threads" } else { "the other thread" };
        let main_is = if *n_created == 1 && *number == 1 { "GS_U" } else { "GS_T" };
        let total: u64 = self.program.globals.iter().map(|global| global.size + u64::from(global.align)).sum();
        let arena = (4 * total).next_multiple_of(4096).max(LEAST_ARENA);
        let objects = (2 * self.program.globals.len() + 16).max(2048);
        let unroll = self.options.unroll.map_or(String::new(), |n| format!("#define GS_UNROLL {n}\n"));
        let k_is = match self.options.target {
            Target::Gordian { .. } => {
                "static int gs_k, gs_k2, gs_number;\n#define GS_K gs_k\n#define GS_K2 gs_k2\n#define GS_NUMBER gs_number\n"
                    .to_owned()
            }
            Target::Plain | Target::Klee | Target::Svcomp | Target::Cbmc => format!(
                "#define GS_K {}\n#define GS_K2 {}\n#define GS_NUMBER {number}\n",
                self.options.k, self.options.k2
            ),
        };
        let (back, back_inputs) = said_of_k2(self.options.k2);
        let spelling = match self.options.target {
            Target::Plain => "",
            Target::Klee => "#define GS_FOR_KLEE\n",
            Target::Svcomp | Target::Cbmc => "#define GS_FOR_SVCOMP\n#define GS_QUIET\n",
            Target::Gordian { print: false } => "#define GS_FOR_GORDIAN\n#define GS_QUIET\n",
            Target::Gordian { print: true } => "#define GS_FOR_GORDIAN\n",
        };
        format!(
            "/* Written by gordian sequentialize: T is thread {number} ({}), and takes values of k = {k} writes of {others}{back}.\n \
             * Inputs are those of the program and, from 1 on, the numbers rds of reads of T and wrts of writes of T'{back_inputs}. */\n\
             #include <stdint.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n\
             {k_is}#define GS_MOST_K {k}\n#define GS_MOST_K2 {k2}\n#define GS_THREADS {n_created}\n#define GS_MAIN {main_is}\n\
             #define GS_PROGRAM \"{identity:016x}\"\n#define GS_ARENA {arena}u\n#define GS_OBJECTS {objects}u\n{unroll}{spelling}\n",
            comment(name),
            k = self.options.k,
            k2 = self.options.k2,
            identity = self.program.identity,
        )
    }

    fn globals(&self, out: &mut String) {
        out.push_str("\n/* ---- the program's globals ---- */\n");
        for (id, global) in self.program.globals.enumerate().filter(|(_, global)| !global.init.is_empty()) {
            let bytes: Vec<String> = global.init.iter().map(u8::to_string).collect();
            let _ = writeln!(out, "static const unsigned char gs_init_{}[] = {{{}}};", id.0, bytes.join(","));
        }
        out.push_str(
            "static const struct { uint32_t size, align; const unsigned char *bytes; uint32_t n_bytes; int constant; } gs_globals[] = {\n",
        );
        for (id, global) in self.program.globals.enumerate() {
            let bytes = if global.init.is_empty() { "NULL".to_owned() } else { format!("gs_init_{}", id.0) };
            let _ = writeln!(
                out,
                "    {{{}, {}, {bytes}, {}, {}}}, /* {} */",
                global.size,
                global.align.max(1),
                global.init.len(),
                u8::from(global.constant),
                comment(&global.name)
            );
        }
        out.push_str("    {0, 1, NULL, 0, 0}\n};\n");
        out.push_str(include_str!("../runtime/globals.c"));
    }

    /// Whether an access at this place may be non-local or taken.
    fn is_among(&self, lines: &[Line], loc: Loc) -> bool {
        lines.is_empty() || lines.iter().any(|line| self.is_at(line, loc))
    }

    fn is_at(&self, line: &Line, loc: Loc) -> bool {
        let file = &self.program.files[loc.file];
        loc.line == line.line && (*file == line.file || file.ends_with(&format!("/{}", line.file)))
    }

    fn write_sites(&self, out: &mut String) -> Result<(), Error> {
        for line in self.options.reads.iter().chain(&self.options.writes) {
            if !self.sites.iter().any(|site| site.loc.line > 0 && self.is_at(line, site.loc)) {
                return Err(Error::NoSuchLine(format!("{}:{}", line.file, line.line)));
            }
        }
        out.push_str("\n/* ---- places ---- */\n#line 1 \"gordian-sequentialize\"\nstatic const struct gs_site gs_sites[] = {\n    {0, 0, \"?\", 0, 1, 1, 0},\n");
        for site in &self.sites {
            let file = self.program.files.get(site.loc.file).map_or("?", String::as_str);
            let reads = u8::from(self.is_among(&self.options.reads, site.loc));
            let writes = u8::from(self.is_among(&self.options.writes, site.loc));
            let may_take = u8::from(self.plan.reads_of_others.contains(&site.point));
            let Point { function, pc } = site.point;
            let (file, line) = (literal(file), site.loc.line);
            let _ = writeln!(out, "    {{{}, {pc}, {file}, {line}, {reads}, {writes}, {may_take}}},", function.0);
        }
        out.push_str("};\n");
        Ok(())
    }

    /// Each failure ends the program at the place of its cause, in a column of its own, so that testers tell them apart.
    fn write_failures(&self, out: &mut String) {
        out.push_str("static void gs_fail_at(uint32_t site, int what)\n{\n    switch (site) {\n");
        for (nth, site) in self.sites.iter().enumerate() {
            if site.loc.line > 0 {
                let file = self.program.files.get(site.loc.file).map_or("?", String::as_str);
                let _ = writeln!(out, "#line {} {}", site.loc.line, literal(file));
            }
            let indent = " ".repeat(site.loc.column.min(100) as usize);
            let _ = write!(out, "{indent}case {}: ", nth + 1);
            for (what, name) in FAILURES {
                let _ = write!(out, "if (what == {what}) GS_CRASH(\"{name}\"); ");
                if matches!(self.options.target, Target::Gordian { .. }) {
                    let _ = write!(out, "if (what == {what} + GS_OVERTAKEN) GS_CRASH(\"{name}\"); ");
                }
            }
            out.push_str("break;\n");
        }
        out.push_str("    default: GS_CRASH(\"failure\");\n    }\n}\n");
    }

    fn write_main(&self, out: &mut String, main: FuncId) {
        let function = &self.program.functions[main];
        let who = if self.options.role.n_created == 1 && self.options.role.number == 1 { Who::U } else { Who::T };
        let (prefix, constant) = (who.prefix(), who.constant());
        out.push_str("\n#line 1 \"gordian-sequentialize\"\nint main(int argc, char **argv)\n{\n    gs_begin(argc, argv);\n    gs_make_globals();\n");
        for constructor in &self.program.constructors {
            let _ = writeln!(out, "    {prefix}_{}();", self.names[constructor]);
        }
        let args: Vec<String> =
            std::iter::once("program").chain(self.options.arguments.iter().map(String::as_str)).map(literal).collect();
        let mut values = Vec::new();
        if function.n_params > 0 {
            let _ = writeln!(out, "    static const char *const arguments[] = {{{}}};", args.join(", "));
            values.push(args.len().to_string());
            values.extend((1..function.n_params).map(|nth| match nth {
                1 => format!("gs_make_arguments({constant}, arguments, {})", args.len()),
                _ => "0".to_owned(),
            }));
        }
        let _ = writeln!(out, "    {prefix}_{}({});", self.names[&main], values.join(", "));
        let _ = writeln!(out, "    gs_exit({constant});\n    return 0;\n}}");
    }
}

/// What the head of a program says of reads of T', and of inputs for them.
pub fn said_of_k2(k2: u32) -> (String, &'static str) {
    match k2 {
        0 => (String::new(), ""),
        _ => (
            format!(", which takes {k2} of T"),
            ", rds2 of reads of T' and wrts2 of writes of T, and values vals2 of these",
        ),
    }
}

/// What a failure is called, by its name in the runtime.
pub fn failure_name(what: &str) -> &'static str {
    FAILURES.iter().find(|failure| failure.0 == what).map_or("failure", |failure| failure.1)
}

/// As `enum gs_failure` of the runtime has them.
const FAILURES: [(&str, &str); 13] = [
    ("GS_ASSERTION", "assertion"),
    ("GS_NULL", "null pointer"),
    ("GS_POINTER", "invalid pointer"),
    ("GS_BOUNDS", "out of bounds"),
    ("GS_FREED", "use after free"),
    ("GS_READ_ONLY", "write to read-only memory"),
    ("GS_DIVISION", "division"),
    ("GS_OVERFLOW", "overflow"),
    ("GS_SHIFT", "shift"),
    ("GS_BAD_FREE", "bad free"),
    ("GS_MISUSE", "lock misuse"),
    ("GS_ABORTED", "abort"),
    ("GS_UNDEFINED", "undefined behaviour"),
];
