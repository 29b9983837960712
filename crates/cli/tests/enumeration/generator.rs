//! C programs with one or two inputs of eight bits and one or two threads, each in two forms: for gordian, and for a native compiler that runs it
//! for all inputs and all interleavings.
//!
//! Both forms stand in one file and share what threads compute; what differs are macros. `B(line, condition)` notes which way a branch went, and
//! `CHECK` and `DIV` where an execution fails. A thread is a list of elements: a guard, an operation on a shared variable, and what follows it that
//! nobody else can see, which is a step of its own, since it may end the execution. Natively the state of all threads is a struct that is
//! copied before each choice.

use gordian_base::Rng;
use std::fmt::Write;

/// What the native harness needs to know of a case.
pub struct Case {
    pub n_inputs: u32,
    pub first_line: u32,
    pub last_line: u32,
}

pub struct File {
    pub text: String,
    pub cases: Vec<Case>,
}

const HEAD: &str = r#"#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef NATIVE
#include <setjmp.h>
static jmp_buf failed;
static unsigned char covered[1 << 16][2], *fails[1 << 16];
static unsigned now;
static int note(int line, int way) { covered[line][way] = 1; return way; }
static void fail(int line) {
    if (!fails[line]) fails[line] = calloc(1, 1 << 13);
    fails[line][now / 8] |= 1 << now % 8;
    longjmp(failed, 1);
}
#define B(line, condition) note(line, (condition) != 0)
#define CHECK(line, condition) do { if (!(condition)) fail(line); } while (0)
#define DIV(line, a, op, b) ({ typeof(b) b_ = (b); if (!b_) fail(line); (a) op b_; })
#define SHARED
#define LOAD(v) s->v
#define STORE(v, e) (void)(s->v = (e))
#define ADD(v, e) ({ unsigned char old_ = s->v; s->v = old_ + (e); old_; })
#define CAS(v, a, b) ({ int same_ = s->v == (unsigned char)(a); if (same_) s->v = (b); same_; })
#else
#include <gordian.h>
#include <pthread.h>
#include <stdatomic.h>
#define B(line, condition) (condition)
#define CHECK(line, condition) assert(condition)
#define DIV(line, a, op, b) ((a) op (b))
#define LOAD(v) atomic_load(&v)
#define STORE(v, e) atomic_store(&v, (e))
#define ADD(v, e) atomic_fetch_add(&v, (e))
#define CAS(v, a, b) ({ unsigned char old_ = (a); atomic_compare_exchange_strong(&v, &old_, (b)); })
static _Atomic unsigned char u, w;
#endif
static unsigned char x, y;
typedef unsigned __int128 wide;
"#;

struct Writer<'r> {
    rng: &'r mut Rng,
    text: String,
    line: u32,
    indent: usize,
    n_inputs: u32,
    /// Prefix of the thread's registers.
    locals: &'static str,
}

/// So many cases.
pub fn file(rng: &mut Rng, n_cases: usize) -> File {
    let mut writer = Writer { rng, text: HEAD.to_owned(), line: 0, indent: 0, n_inputs: 1, locals: "l->" };
    writer.line = 1 + HEAD.lines().count() as u32;
    let mut cases = Vec::new();
    for nth in 0..n_cases {
        let first_line = writer.line;
        let threads = writer.rng.below(2) == 0;
        writer.n_inputs = if threads { 1 } else { 1 + writer.rng.below(2) as u32 };
        if threads {
            writer.threads(nth)
        } else {
            writer.sequential(nth)
        }
        cases.push(Case { n_inputs: writer.n_inputs, first_line, last_line: writer.line });
    }
    writer.main(&cases);
    File { text: writer.text, cases }
}

impl Writer<'_> {
    fn put(&mut self, text: &str) {
        assert!(!text.contains('\n'), "a line is a line");
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(self.indent));
        self.line += 1;
    }

    fn below(&mut self, n: usize) -> usize {
        self.rng.below(n)
    }

    fn register(&mut self) -> String {
        let nth = self.below(3);
        format!("{}r{nth}", self.locals)
    }

    fn sequential(&mut self, nth: usize) {
        self.put(&format!("struct L{nth} {{ unsigned r0, r1, r2; unsigned char t[8]; }};"));
        self.put(&format!("static void run_{nth}(void) {{"));
        self.indent += 1;
        self.put(&format!("struct L{nth} locals = {{1, 2, 3, {{0, 7, 1, 200, 5}}}}, *l = &locals;"));
        for _ in 0..3 + self.below(4) {
            self.statement(2);
        }
        self.check();
        self.indent -= 1;
        self.put("}");
    }

    /// A statement that nobody else can see.
    fn statement(&mut self, depth: usize) {
        let line = self.line;
        match self.below(if depth > 0 { 10 } else { 6 }) {
            0..=2 => {
                let (target, value) = (self.register(), self.expression(3));
                self.put(&format!("{target} = {value};"));
            }
            3 => {
                let (locals, index, value) = (self.locals, self.expression(1), self.expression(2));
                self.put(&format!("{locals}t[({index}) & 7] = {value};"));
            }
            4 => {
                let (target, a, b) = (self.register(), self.expression(2), self.divisor());
                let op = if self.below(2) == 0 { "/" } else { "%" };
                self.put(&format!("{target} = (unsigned)DIV({line}, {a}, {op}, {b});"));
            }
            5 => self.check(),
            6..=8 => {
                let condition = self.condition();
                self.put(&format!("if (B({line}, {condition})) {{"));
                self.nested(depth);
                if self.below(2) == 0 {
                    self.put("} else {");
                    self.nested(depth);
                }
                self.put("}");
            }
            _ => {
                let (bound, counter) = (self.register(), format!("i{line}"));
                self.put(&format!(
                    "for (unsigned {counter} = 0; B({line}, {counter} < ({bound} & 3)); {counter}++) {{"
                ));
                self.nested(depth);
                self.put("}");
            }
        }
    }

    fn nested(&mut self, depth: usize) {
        self.indent += 1;
        for _ in 0..1 + self.below(2) {
            self.statement(depth - 1);
        }
        self.indent -= 1;
    }

    fn check(&mut self) {
        let line = self.line;
        let (value, not) = (self.expression(2), self.below(256));
        match self.below(3) {
            0 => self.put(&format!("CHECK({line}, (unsigned char)({value}) != {not});")),
            1 => self.put(&format!("CHECK({line}, ({value}) != {not}u);")),
            _ => {
                let condition = self.condition();
                self.put(&format!("CHECK({line}, (unsigned char)({value}) != {not} || {condition});"));
            }
        }
    }

    fn divisor(&mut self) -> String {
        let value = self.expression(1);
        match self.below(4) {
            0 => format!("(unsigned char)({value})"),
            1 => format!("(({value}) & {})", 1 + self.below(15)),
            2 => format!("((wide)({value}) * 0x123456789abcdeful & ((wide)63 << {}))", self.below(90)),
            _ => format!("(unsigned short)(({value}) - {})", self.below(300)),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.expression(2), self.expression(1));
        let op = ["<", "<=", "==", "!=", ">", ">="][self.below(6)];
        match self.below(5) {
            0 => format!("(unsigned char)({a}) {op} {}", self.below(256)),
            1 => format!("(signed char)({a}) {op} (signed char)({b})"),
            2 => format!("(({a}) & {}) {op} {}", 1 + self.below(255), self.below(32)),
            3 => format!("(wide)({a}) << {} {op} (wide)({b}) * 0xfedcba987654321ul", self.below(70)),
            _ => format!("({a}) {op} ({b})"),
        }
    }

    /// An expression of type `unsigned`.
    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 || self.below(4) == 0 {
            return match self.below(4) {
                0 => format!("{}u", [0, 1, 2, 7, 15, 128, 255, 256, 65535, 1 << 31][self.below(10)]),
                1 if self.n_inputs == 2 => "(unsigned)y".to_owned(),
                1 | 2 => "(unsigned)x".to_owned(),
                _ => self.register(),
            };
        }
        let (a, b) = (self.expression(depth - 1), self.expression(depth - 1));
        match self.below(12) {
            0 | 1 => format!("({a} + {b})"),
            2 => format!("({a} - {b})"),
            3 => format!("({a} * {b})"),
            4 => format!("({a} & {b})"),
            5 => format!("({a} | {b})"),
            6 => format!("({a} ^ {b})"),
            7 => format!("({a} << ({b} & 31))"),
            8 => format!("({a} >> ({b} & 31))"),
            9 => format!("(unsigned){}t[{a} & 7]", self.locals),
            10 => format!("(unsigned)((unsigned long){a} * 0x9e3779b97f4a7c15ul % ({b} | 1))"),
            _ => format!("(unsigned)(signed char)({a})"),
        }
    }

    fn threads(&mut self, nth: usize) {
        self.put(&format!("struct L{nth} {{ unsigned r0, r1, r2; unsigned char t[8]; int at; }};"));
        self.put("#ifdef NATIVE");
        self.put(&format!("struct S{nth} {{ unsigned char u, w; struct L{nth} l[2]; }};"));
        self.put("#else");
        self.put(&format!(
            "static struct L{nth} locals_{nth}[2] = {{{{1, 2, 3, {{4, 5}}}}, {{3, 2, 1, {{9, 8, 7}}}}}};"
        ));
        self.put("#endif");
        let lengths = [1 + self.below(3), 1 + self.below(3)];
        for (thread, &length) in lengths.iter().enumerate() {
            self.thread(nth, thread, length);
        }
        // What main sees when both have ended.
        self.put("#ifdef NATIVE");
        self.put(&format!("#define PARAMETERS struct S{nth} *s, struct L{nth} *l"));
        self.put("#else");
        self.put(&format!("#define PARAMETERS struct L{nth} *l"));
        self.put("#endif");
        self.put(&format!("static void after_{nth}(PARAMETERS) {{"));
        self.indent += 1;
        self.put("l->r0 += LOAD(u); l->r1 ^= LOAD(w);");
        self.statement(1);
        self.check();
        self.indent -= 1;
        self.put("}");
        self.put("#undef PARAMETERS");
        self.run(nth, lengths);
    }

    /// A thread in one piece for gordian, with its operations on shared variables, and in steps natively: both are made of the same elements.
    fn thread(&mut self, nth: usize, thread: usize, length: usize) {
        self.put("#ifdef NATIVE");
        self.put(&format!("#define PARAMETERS struct S{nth} *s, struct L{nth} *l"));
        self.put("#else");
        self.put(&format!("#define PARAMETERS struct L{nth} *l"));
        self.put("#endif");
        for element in 0..length {
            self.put(&format!("static int guard_{nth}_{thread}_{element}(PARAMETERS) {{"));
            self.indent += 1;
            if self.below(3) == 0 {
                let (line, condition) = (self.line, self.condition());
                self.put(&format!("if (B({line}, {condition})) return 0;"));
            }
            self.put("return 1;");
            self.indent -= 1;
            self.put("}");
            self.put(&format!("static void op_{nth}_{thread}_{element}(PARAMETERS) {{"));
            self.indent += 1;
            let variable = if self.below(3) == 0 { "w" } else { "u" };
            let (target, value, other) = (self.register(), self.expression(2), self.expression(1));
            match self.below(4) {
                0 => self.put(&format!("{target} = LOAD({variable});")),
                1 => self.put(&format!("STORE({variable}, (unsigned char)({value}));")),
                2 => self.put(&format!("{target} = ADD({variable}, (unsigned char)({value}));")),
                _ => self
                    .put(&format!("{target} = CAS({variable}, (unsigned char)({other}), (unsigned char)({value}));")),
            }
            self.indent -= 1;
            self.put("}");
            self.put(&format!("static void rest_{nth}_{thread}_{element}(PARAMETERS) {{"));
            self.indent += 1;
            for _ in 0..self.below(3) {
                self.statement(1);
            }
            self.indent -= 1;
            self.put("}");
        }
        self.put("#undef PARAMETERS");
    }

    fn run(&mut self, nth: usize, lengths: [usize; 2]) {
        self.put("#ifdef NATIVE");
        // Goes to the thread's next operation, past those whose guard keeps it from them.
        self.put(&format!("static void go_{nth}(struct S{nth} *s, int thread) {{"));
        for (thread, &length) in lengths.iter().enumerate() {
            for element in 0..length {
                self.put(&format!(
                    "    if (thread == {thread} && s->l[{thread}].at == {} && !guard_{nth}_{thread}_{element}(s, &s->l[{thread}])) s->l[{thread}].at += 2;",
                    2 * element
                ));
            }
        }
        self.put("}");
        self.put(&format!("static void step_{nth}(struct S{nth} *s, int thread) {{"));
        self.put("    switch (thread * 16 + s->l[thread].at) {");
        for (thread, &length) in lengths.iter().enumerate() {
            for element in 0..length {
                let at = thread * 16 + 2 * element;
                self.put(&format!("    case {at}: op_{nth}_{thread}_{element}(s, &s->l[{thread}]); break;"));
                self.put(&format!("    case {}: rest_{nth}_{thread}_{element}(s, &s->l[{thread}]); break;", at + 1));
            }
        }
        self.put("    }");
        self.put(&format!("    s->l[thread].at++; go_{nth}(s, thread);"));
        self.put("}");
        self.put(&format!("static void explore_{nth}(struct S{nth} *s) {{"));
        self.put("    jmp_buf outer; int ended = 1;");
        self.put("    memcpy(&outer, &failed, sizeof outer);");
        self.put("    for (int thread = 0; thread < 2; thread++) {");
        let ends = lengths.map(|length| 2 * length);
        self.put(&format!("        if (s->l[thread].at >= (thread ? {} : {})) continue;", ends[1], ends[0]));
        self.put("        ended = 0;");
        self.put(&format!("        struct S{nth} next = *s;"));
        self.put(&format!("        if (!setjmp(failed)) {{ step_{nth}(&next, thread); explore_{nth}(&next); }}"));
        self.put("    }");
        self.put(&format!("    if (ended && !setjmp(failed)) after_{nth}(s, &s->l[0]);"));
        self.put("    memcpy(&failed, &outer, sizeof outer);");
        self.put("}");
        self.put(&format!("static void run_{nth}(void) {{"));
        self.put(&format!("    struct S{nth} s = {{0, 0, {{{{1, 2, 3, {{4, 5}}}}, {{3, 2, 1, {{9, 8, 7}}}}}}}};"));
        // Threads run to their first operation when they are made, one after the other.
        self.put(&format!("    go_{nth}(&s, 0); go_{nth}(&s, 1); explore_{nth}(&s);"));
        self.put("}");
        self.put("#else");
        for (thread, &length) in lengths.iter().enumerate() {
            self.put(&format!("static void *thread_{nth}_{thread}(void *unused) {{"));
            // Of its own, so that what it computes is no matter of schedules.
            self.put(&format!("    struct L{nth} own = locals_{nth}[{thread}], *l = &own;"));
            for element in 0..length {
                self.put(&format!(
                    "    if (guard_{nth}_{thread}_{element}(l)) {{ op_{nth}_{thread}_{element}(l); rest_{nth}_{thread}_{element}(l); }}"
                ));
            }
            self.put(&format!("    locals_{nth}[{thread}] = own;"));
            self.put("    return NULL;");
            self.put("}");
        }
        self.put(&format!("static void run_{nth}(void) {{"));
        self.put("    pthread_t a, b;");
        self.put(&format!("    pthread_create(&a, NULL, thread_{nth}_0, NULL);"));
        self.put(&format!("    pthread_create(&b, NULL, thread_{nth}_1, NULL);"));
        self.put("    pthread_join(a, NULL); pthread_join(b, NULL);");
        self.put(&format!("    after_{nth}(&locals_{nth}[0]);"));
        self.put("}");
        self.put("#endif");
    }

    fn main(&mut self, cases: &[Case]) {
        self.put("#ifdef NATIVE");
        self.put("int main(void) {");
        for (nth, case) in cases.iter().enumerate() {
            let n = 1 << (8 * case.n_inputs);
            self.put(&format!(
                "    for (now = 0; now < {n}; now++) {{ x = now; y = now >> 8; if (!setjmp(failed)) run_{nth}(); }}"
            ));
        }
        self.put("    for (int line = 0; line < 1 << 16; line++) {");
        self.put("        if (covered[line][0]) printf(\"%d false\\n\", line);");
        self.put("        if (covered[line][1]) printf(\"%d true\\n\", line);");
        self.put("        if (!fails[line]) continue;");
        self.put("        printf(\"%d fails \", line);");
        self.put("        for (int i = 0; i < 1 << 13; i++) printf(\"%02x\", fails[line][i]);");
        self.put("        putchar('\\n');");
        self.put("    }");
        self.put("    return 0;");
        self.put("}");
        self.put("#else");
        self.put("int main(int argc, char **argv) {");
        self.put("    if (argc < 2) return 1;");
        self.put("    switch (atoi(argv[1])) {");
        for (nth, case) in cases.iter().enumerate() {
            let second = if case.n_inputs == 2 { " y = gordian_uchar(\"y\");" } else { "" };
            self.put(&format!("    case {nth}: x = gordian_uchar(\"x\");{second} run_{nth}(); break;"));
        }
        self.put("    }");
        self.put("    return 0;");
        self.put("}");
        self.put("#endif");
    }
}
