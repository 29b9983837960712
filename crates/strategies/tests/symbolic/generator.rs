//! Small C programs with inputs of few bits out of a seed: what threads do with their inputs, with what others made of
//! theirs, and how both decide where to go on. Every thread counts the ways that it takes at branches in a variable `p` of its
//! own, which no input reaches otherwise, and the program prints them.

use gordian_base::Rng;
use std::fmt::Write;

const HEAD: &str = r#"#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
unsigned char __VERIFIER_nondet_uchar(void);
unsigned short __VERIFIER_nondet_ushort(void);
unsigned __VERIFIER_nondet_uint(void);
void __VERIFIER_assume(int);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int gordian_range(int, int, const char *);
struct pair { int left; short right; signed char rest[6]; };
static int x, y;
static atomic_int a;
static int s[4] = {1, 2, 3, 4};
static const int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
static struct pair shared;
static char text[8];
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int twice(int v) { return v * 2 + 1; }
static int first(int v, long *p) { *p = *p * 3 + 1; return v - 1; }
static int second(int v, long *p) { *p = *p * 3 + 2; return v ^ 5; }
static int (*const functions[2])(int, long *) = {first, second};
static int sum(int n, long *p) {
    if (n <= 0) { *p = *p * 3 + 1; return 1; }
    *p = *p * 3 + 2;
    return n + sum(n - 1, p);
}
static int __VERIFIER_atomic_count(int v, int w, long *p) {
    if (v > x) { *p = *p * 3 + 1; y += w; return x; }
    *p = *p * 3 + 2;
    x++;
    return y;
}
static int count(int v, int w, long *p) { return __VERIFIER_atomic_count(v, w, p); }
static struct pair make(int left, int right) {
    struct pair made = {left, (short)right, {1, 2, 3, (signed char)left}};
    return made;
}
"#;

/// What every thread has to work with.
const LOCALS: &str = "unsigned r = 1; unsigned char c = 3; short h = -1; long l = 7; int t[4] = {1, 0, 2, 3}; struct pair q = {1, 2, {3}}; char w[8] = \"ab\";\n    \
    (void)r; (void)c; (void)h; (void)l; (void)t; (void)q; (void)w;";

/// A statement of a thread.
#[derive(Clone, Debug)]
pub enum Node {
    Line(String),
    /// What stands before, between and behind.
    Block(String, Vec<Node>, String),
}

#[derive(Clone, Debug)]
pub struct Case {
    /// Main, and the threads that it creates.
    pub bodies: Vec<Vec<Node>>,
    /// By body: the bits of each of its inputs.
    pub inputs: Vec<Vec<u32>>,
    pub overflow: bool,
}

impl Case {
    /// Whether there are ways that the program does not count: inputs choose a place in shared memory, or how far a
    /// function of the library goes, or main ends before it prints.
    pub fn has_other_ways(&self) -> bool {
        mention(&self.bodies, &[" s[", ";s[", "strlen", "while"])
            || mention(&self.bodies[..1], &["pthread_exit", "assume"])
    }

    /// Whether a thread waits for what others write.
    pub fn waits(&self) -> bool {
        mention(&self.bodies, &["while (a"])
    }
}

/// Whether a statement has one of these in it.
fn mention(bodies: &[Vec<Node>], words: &[&str]) -> bool {
    fn any(nodes: &[Node], words: &[&str]) -> bool {
        nodes.iter().any(|node| match node {
            Node::Line(text) => words.iter().any(|word| format!(";{text}").contains(word)),
            Node::Block(_, inner, _) => any(inner, words),
        })
    }
    bodies.iter().any(|body| any(body, words))
}

/// A C file with these cases; the program's first argument says which one runs.
pub fn source(cases: &[Case]) -> String {
    let mut out = HEAD.to_owned();
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        let _ = writeln!(out, "// overflow: {}", case.overflow);
        for (index, body) in case.bodies.iter().enumerate().skip(1) {
            let _ = writeln!(out, "static void *thread{index}_{number}(void *arg) {{\n    long p = 1; {LOCALS}");
            write_inputs(&mut out, &case.inputs[index]);
            write_nodes(&mut out, body, 1, number);
            let _ = writeln!(out, "    return (void *)p;\n}}");
        }
        let _ = writeln!(
            out,
            "static void run_{number}(void) {{\n    long p = 1; pthread_t threads[4]; void *ways[4] = {{0}}, *arg = 0; (void)threads; (void)arg;\n    {LOCALS}"
        );
        write_inputs(&mut out, &case.inputs[0]);
        write_nodes(&mut out, &case.bodies[0], 1, number);
        let _ =
            writeln!(out, "    printf(\"%ld %ld %ld %ld\\n\", p, (long)ways[1], (long)ways[2], (long)ways[3]);\n}}");
        let _ = writeln!(calls, "    case {number}: run_{number}(); break;");
    }
    let _ = write!(
        out,
        "int main(int argc, char **argv) {{\n    switch (argc > 1 ? atoi(argv[1]) : 0) {{\n{calls}    }}\n    return 0;\n}}\n"
    );
    out
}

fn write_inputs(out: &mut String, inputs: &[u32]) {
    for (nth, bits) in inputs.iter().enumerate() {
        let mask = (1 << bits) - 1;
        let _ = match nth % 3 {
            0 => writeln!(out, "    int i{nth} = __VERIFIER_nondet_uchar() & {mask};"),
            1 => writeln!(out, "    int i{nth} = gordian_range(0, {mask}, \"i\");"),
            _ => writeln!(out, "    int i{nth} = __VERIFIER_nondet_uint() & {mask};"),
        };
        let _ = writeln!(out, "    (void)i{nth};");
    }
}

fn write_nodes(out: &mut String, nodes: &[Node], depth: usize, number: usize) {
    let indent = "    ".repeat(depth);
    for node in nodes {
        match node {
            Node::Line(text) => {
                let _ = writeln!(out, "{indent}{}", text.replace("CASE", &number.to_string()));
            }
            Node::Block(before, inner, after) => {
                let _ = writeln!(out, "{indent}{}", before.replace("CASE", &number.to_string()));
                write_nodes(out, inner, depth + 1, number);
                let _ = writeln!(out, "{indent}{after}");
            }
        }
    }
}

const KINDS: usize = 46;

impl Case {
    pub fn random(rng: &mut Rng) -> Case {
        let n_threads = [0, 0, 1, 1, 2, 2, 2, 3][rng.below(8)];
        let n_kinds = 3 + rng.below(4);
        let kinds = (0..n_kinds).map(|_| rng.below(KINDS)).collect();
        let mut left = if n_threads == 0 { 8 } else { 6 };
        let mut inputs = Vec::new();
        for _ in 0..=n_threads {
            let mut own = Vec::new();
            while own.len() < 2 && left > 0 && rng.below(3) > 0 {
                let bits = (1 + rng.below(if n_threads < 2 { 4 } else { 2 }) as u32).min(left);
                left -= bits;
                own.push(bits);
            }
            inputs.push(own);
        }
        if inputs.iter().all(Vec::is_empty) {
            inputs[0].push(2);
        }
        let mut writer = Writer { rng, kinds, budget: 0, n_inputs: 0, may_wait: true, in_section: false };
        let mut bodies = vec![Vec::new()];
        for own in &inputs[1..=n_threads] {
            writer.budget = match n_threads {
                1 => 2 + writer.rng.below(4),
                2 => 1 + writer.rng.below(3),
                _ => 1 + writer.rng.below(2),
            };
            writer.n_inputs = own.len();
            let body = writer.nodes(0);
            bodies.push(body);
        }
        bodies[0] = writer.main(n_threads, inputs[0].len());
        Case { bodies, inputs, overflow: rng.below(5) == 0 }
    }
}

struct Writer<'a> {
    rng: &'a mut Rng,
    kinds: Vec<usize>,
    /// Statements left to write.
    budget: usize,
    /// Of the thread under way.
    n_inputs: usize,
    /// The thread under way may wait in a loop. Who is alone would wait until its instructions are used up.
    may_wait: bool,
    /// Nobody else steps before what is written now has ended, so that waiting would be for ever. Nor are locks taken there:
    /// sections that take two of them are known to be explored incompletely.
    in_section: bool,
}

impl Writer<'_> {
    fn main(&mut self, n_threads: usize, n_inputs: usize) -> Vec<Node> {
        (self.n_inputs, self.may_wait) = (n_inputs, false);
        self.budget = if n_threads == 0 { 5 + self.rng.below(6) } else { self.rng.below(3) };
        let mut nodes = self.nodes(0);
        for thread in 1..=n_threads {
            let argument = if self.rng.below(2) == 0 { "0".to_owned() } else { self.expression(1) };
            nodes.push(Node::Line(format!(
                "pthread_create(&threads[{thread}], 0, thread{thread}_CASE, (void *)(long)({argument}));"
            )));
        }
        self.budget = if n_threads == 1 { 2 } else { self.rng.below(2) };
        nodes.extend(self.nodes(0));
        for thread in 1..=n_threads {
            nodes.push(Node::Line(format!("pthread_join(threads[{thread}], &ways[{thread}]);")));
        }
        if n_threads > 0 {
            self.budget = self.rng.below(3);
            nodes.extend(self.nodes(0));
        }
        nodes
    }

    fn nodes(&mut self, depth: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        while self.budget > 0 {
            self.budget -= 1;
            nodes.push(self.node(depth));
            if depth > 0 && self.rng.below(2) == 0 {
                break;
            }
        }
        nodes
    }

    fn block(&mut self, depth: usize, before: impl Into<String>, after: impl Into<String>) -> Node {
        let inner = if depth < 3 { self.nodes(depth + 1) } else { Vec::new() };
        Node::Block(before.into(), inner, after.into())
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.rng.below(of.len())]
    }

    fn leaf(&mut self) -> String {
        match self.rng.below(8) {
            0..=3 if self.n_inputs > 0 => format!("i{}", self.rng.below(self.n_inputs)),
            4 => self.rng.below(6).to_string(),
            5 => self.pick(&["c", "h", "(int)l", "q.left", "q.right", "t[1]"]).to_owned(),
            _ => "(int)r".to_owned(),
        }
    }

    fn expression(&mut self, depth: usize) -> String {
        if depth == 0 {
            return self.leaf();
        }
        let (left, k) = (self.expression(depth - 1), self.rng.below(7) + 1);
        let right = if self.rng.below(2) == 0 { self.leaf() } else { self.expression(depth - 1) };
        match self.rng.below(26) {
            0..=2 => left,
            3 => format!("({left} + {right})"),
            4 => format!("({left} - {right})"),
            5 => format!("({left} * {right})"),
            6 => format!("({left} & {right})"),
            7 => format!("({left} | {right})"),
            8 => format!("({left} ^ {right})"),
            9 => format!("({left} << ({right} & 3))"),
            10 => format!("(int)((unsigned){left} >> ({right} & 7))"),
            11 => format!("({left} >> ({right} & 3))"),
            12 => format!("({left} == {right})"),
            13 => format!("({left} < {right})"),
            14 => format!("((unsigned){left} < (unsigned){right})"),
            15 => format!("(signed char)({left})"),
            16 => format!("(unsigned short)({left} - {k})"),
            17 => format!("(-({left}))"),
            18 => format!("(!({left}))"),
            19 => format!("({left} / {k})"),
            20 => format!("({left} % {k})"),
            21 => format!("(int)((unsigned){left} % {k}u)"),
            22 => format!("twice({left})"),
            23 => format!("(int)(((__int128){left} * {right} * 1000000007) >> {k})"),
            24 => format!("__builtin_popcount({left})"),
            _ => format!("({left} & {k})"),
        }
    }

    fn condition(&mut self) -> String {
        let (left, right) = (self.expression(2), self.leaf());
        let how = self.pick(&["==", "<", "!=", ">", "<="]);
        let right = if self.rng.below(2) == 0 { self.rng.below(5).to_string() } else { right };
        format!("{left} {how} {right}")
    }

    fn node(&mut self, depth: usize) -> Node {
        let kind = self.kinds[self.rng.below(self.kinds.len())];
        let plain = self.pick(&["x", "x", "y"]);
        let (e, f) = (self.expression(2), self.expression(1));
        let k = self.rng.below(5);
        let line = |text: String| Node::Line(text);
        match kind {
            0 => line(format!("r = {e};")),
            1 => {
                let local = self.pick(&["c", "h", "l", "q.left", "q.rest[1]", "t[2]"]);
                line(format!("{local} = {e};"))
            }
            2 | 3 => line(format!("{plain} = {e};")),
            4 | 5 => line(format!("r = r * 3 + {plain};")),
            6 => line(format!("{plain} += {f};")),
            7 => line(format!("r += atomic_fetch_add(&a, {f});")),
            8 => line(format!("a = {e};")),
            9 => line(format!("r ^= a + {f};")),
            10..=14 => {
                let test = if self.rng.below(3) == 0 { format!("{plain} > {k}") } else { self.condition() };
                self.block(depth, format!("if ({test}) {{ p = p * 3 + 1;"), "} else p = p * 3 + 2;")
            }
            15 => self.block(
                depth,
                format!("switch ({e} & 3) {{ case 0: p = p * 5 + 1; r++; break; case 2: p = p * 5 + 2; r = {f}; break; default: p = p * 5 + 3;"),
                "}",
            ),
            16 => line(format!("t[{e} & 3] = {f};")),
            17 => line(format!("r += t[{e} & 3];")),
            18 => line(format!("r += primes[{e} & 7];")),
            19 => line(format!("r += t[{e} & 7];")),
            20 => line(format!("s[{e} & 3] = {f};")),
            21 => line(format!("r += s[{e} & 1];")),
            22 => {
                let text = self.pick(&["shared = q;", "q = shared;", "{ struct pair z = q; q.right = z.left; shared.rest[2] = z.rest[1]; }"]);
                line(text.to_owned())
            }
            23 => line(format!("q = make({e}, {f});")),
            24 => {
                let text = self.pick(&["memcpy(&l, &q, sizeof l);", "memcpy(&q.rest, &r, 4);", "memcpy(t, &q, sizeof q);", "memset(&q, (int)r, 3);"]);
                line(text.to_owned())
            }
            25 | 26 if !self.in_section => self.block(depth, "pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
            27 => {
                let test = if self.rng.below(2) == 0 { format!("{plain} != {k}") } else { self.condition() };
                line(format!("assert({test});"))
            }
            28 => line(format!("r = {f} / ({e} & 3);")),
            29 => self.block(depth, format!("for (int k = 0; k < ({e} & 3); k++) {{ p = p * 3 + 1; r += k;"), "} p = p * 3 + 2;"),
            30 => line(format!("r += sum({e} & 3, &p);")),
            31 => line(format!("r = functions[{e} & 1]({f}, &p);")),
            32 => {
                let text = self.pick(&[
                    "l = (long)arg; r += l & 7;",
                    "l = r * 77L; r += (int)(l >> 3);",
                    "{ unsigned char *o = malloc((r & 1) + 1); p = p * 3 + (r & 1 ? 1 : 2); o[0] = c; r = o[0]; free(o); }",
                    "{ int *both[2] = {&t[0], &t[3]}; *both[r & 1] = c; r += *both[c & 1]; }",
                    "{ int d = 0; int *both[2] = {&d, &t[3]}; p = p * 3 + (r & 1 ? 1 : 2); *both[r & 1] = c; r += d; }",
                    "w[r & 3] = (char)c; l += strlen(w) > 2;",
                ]);
                line(text.to_owned())
            }
            33 if self.may_wait && !self.in_section => line(format!("while (a == {k});")),
            34 => line(format!("while ((l & 7) > 0 && {f} == {k}) l--;")),
            35 | 36 if !self.in_section => {
                self.in_section = true;
                let section = self.block(depth, "__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();");
                self.in_section = false;
                section
            }
            37 => line(format!("r += count({e}, {f}, &p);")),
            38..=40 => {
                let new = self.expression(1);
                line(format!("{{ int o = {e}; if (atomic_compare_exchange_strong(&a, &o, {new})) p = p * 3 + 1; else p = p * 3 + 2; r += o; }}"))
            }
            41 => line(format!("{{ atomic_int b = {e}; int o = {f}; if (atomic_compare_exchange_strong(&b, &o, 1)) p = p * 3 + 1; else p = p * 3 + 2; r += b; }}")),
            42 | 43 => {
                let test = self.condition();
                line(format!("if ({test}) {{ p = p * 3 + 1; pthread_exit((void *)p); }} p = p * 3 + 2;"))
            }
            _ => line(format!("__VERIFIER_assume({} != {k});", self.expression(1))),
        }
    }
}
