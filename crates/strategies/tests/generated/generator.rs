//! Small multithreaded C programs out of a seed, small enough for brute force. They are allowed to be wrong: what
//! deadlocks, races or fails must do so under every strategy.

use crate::features::Feature;
use crate::statements;
use gordian_base::Rng;
use std::fmt::Write;

const HEAD: &str = r#"#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
static int x, y, flag;
static union { long whole; int half[2]; char byte[8]; } u;
static atomic_int a, b;
static _Atomic(int *) box;
static int *plain_box;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t rec = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_barrier_t barrier;
static pthread_spinlock_t spin;
static pthread_t threads[4];
static sem_t s, zero;
static const struct timespec soon = {1, 0};
static void prepare(void) { y += 5; }
"#;

/// A statement of a thread.
#[derive(Clone, Debug)]
pub enum Node {
    Line(String),
    /// What stands before, between and behind.
    Block(String, Vec<Node>, String),
}

#[derive(Clone, Debug)]
pub struct Case {
    /// Main, a thread that others may create, and the threads that main creates.
    pub bodies: Vec<Vec<Node>>,
    pub weak_cas_fails: bool,
    pub spurious_wakeups: bool,
    /// Data races are reported.
    pub races: bool,
    /// What it was made with, if that is counted.
    pub features: Vec<Feature>,
}

/// A C file with these cases; the program's first argument says which one runs.
pub fn source(cases: &[Case]) -> String {
    let mut out = HEAD.to_owned();
    if cases.iter().any(|case| !case.features.is_empty()) {
        out.push_str(statements::HEAD);
    }
    let mut calls = String::new();
    for (number, case) in cases.iter().enumerate() {
        let _ = writeln!(
            out,
            "// weak_cas_fails: {}, spurious_wakeups: {}, races: {}",
            case.weak_cas_fails, case.spurious_wakeups, case.races
        );
        for (index, body) in case.bodies.iter().enumerate().skip(1) {
            let name = if index == 1 { "child".to_owned() } else { format!("thread{}", index - 2) };
            let _ = writeln!(out, "static void *{name}_{number}(void *arg) {{\n    long r = 0; int q = 0; (void)q;");
            write_nodes(&mut out, body, 1, number);
            let _ = writeln!(out, "    return (void *)r;\n}}");
        }
        let _ = writeln!(
            out,
            "static void run_{number}(void) {{\n    long r = 0; int q = 0; void *p = 0, *arg = 0; pthread_t t[4]; (void)q; (void)arg; (void)p; (void)t;"
        );
        write_nodes(&mut out, &case.bodies[0], 1, number);
        let _ = writeln!(out, "}}");
        let _ = writeln!(calls, "    case {number}: run_{number}(); break;");
    }
    let _ = write!(
        out,
        "int main(int argc, char **argv) {{\n    sem_init(&s, 0, 1);\n    sem_init(&zero, 0, 0);\n    pthread_spin_init(&spin, 0);\n    \
         pthread_barrier_init(&barrier, 0, 2);\n    \
         switch (argc > 1 ? atoi(argv[1]) : 0) {{\n{calls}    }}\n    return 0;\n}}\n"
    );
    out
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

/// Main creates the first so many threads.
fn creations(n_threads: usize) -> Vec<Node> {
    (0..n_threads).map(|nth| Node::Line(format!("pthread_create(&t[{nth}], 0, thread{nth}_CASE, 0);"))).collect()
}

/// The kinds of statements.
const KINDS: usize = 47;
/// The kind that may cancel a thread.
const CANCELS: usize = 45;

impl Case {
    pub fn random(rng: &mut Rng) -> Case {
        let n_threads = [1, 2, 2, 2, 2, 3][rng.below(6)];
        // Few kinds in each case, so that they meet.
        let n_kinds = 2 + rng.below(4);
        let kinds = (0..n_kinds).map(|_| rng.below(KINDS)).collect();
        let mut writer = Writer { rng, kinds, budget: 0, may_create: false, may_wait: true };
        let mut bodies = vec![Vec::new(), Vec::new()];
        writer.budget = 2;
        bodies[1] = writer.nodes(0);
        for _ in 0..n_threads {
            writer.budget = match n_threads {
                1 => 4 + writer.rng.below(3),
                2 => 2 + writer.rng.below(3),
                _ => 1 + writer.rng.below(2),
            };
            writer.may_create = n_threads < 3 && writer.rng.below(4) == 0;
            let body = writer.nodes(0);
            bodies.push(body);
        }
        bodies[0] = writer.main(n_threads);
        let mut one_in = |of: usize| rng.below(of) == 0;
        Case { bodies, weak_cas_fails: one_in(3), spurious_wakeups: one_in(4), races: one_in(2), features: Vec::new() }
    }
}

impl Case {
    /// Several threads that main cannot tell apart, perhaps one of another kind, and main itself.
    pub fn symmetric(rng: &mut Rng) -> Case {
        let n_alike = [2, 2, 2, 3, 3, 4][rng.below(6)];
        let n_others = if n_alike < 4 { rng.below(2) } else { 0 };
        let n_kinds = 2 + rng.below(3);
        // Where threads may be cancelled, joins are steps and tell threads apart, in all programs of the file.
        let kinds = (0..n_kinds).map(|_| rng.below(KINDS)).map(|kind| if kind == CANCELS { 0 } else { kind }).collect();
        let mut writer = Writer { rng, kinds, budget: 0, may_create: false, may_wait: true };
        let mut bodies = vec![Vec::new(), Vec::new()];
        for _ in 0..=n_others {
            writer.budget = match n_alike + n_others {
                2 => 2 + writer.rng.below(3),
                3 => 1 + writer.rng.below(3),
                _ => 1 + writer.rng.below(2),
            };
            let body = writer.nodes(0);
            bodies.push(body);
        }
        bodies[0] = writer.symmetric_main(n_alike, n_others);
        let mut one_in = |of: usize| rng.below(of) == 0;
        Case { bodies, weak_cas_fails: one_in(6), spurious_wakeups: one_in(8), races: one_in(2), features: Vec::new() }
    }
}

impl Case {
    /// Three threads and main, of few kinds of statements: what has been read decides whether a lock is taken or something is
    /// written, so that which orders there are depends on other orders.
    pub fn deciding(rng: &mut Rng) -> Case {
        let mut body = |n_statements: usize| -> Vec<Node> {
            let mut statement = || {
                let acts = ["pthread_mutex_lock(&m); pthread_mutex_unlock(&m);", "a = 1;", "b = 1;", "a = 2;"];
                let act = acts[rng.below(8).saturating_sub(4)];
                match rng.below(6) {
                    0 => format!("q = {};", ["a", "b"][rng.below(4) / 3]),
                    1 => format!("if (q) {{ {act} }}"),
                    2 | 3 => format!("if ({}{}) {{ {act} }}", ["", "!"][rng.below(2)], ["a", "b"][rng.below(4) / 3]),
                    _ => act.to_owned(),
                }
            };
            (0..n_statements).map(|_| Node::Line(statement())).collect()
        };
        let mut bodies = vec![Vec::new(), Vec::new()];
        bodies.extend([body(1), body(1), body(2)]);
        bodies[0] = creations(3);
        bodies[0].extend(body(1));
        bodies[0].push(Node::Line("for (int i = 0; i < 3; i++) pthread_join(t[i], 0);".to_owned()));
        bodies[2..].rotate_right(rng.below(3));
        Case { bodies, weak_cas_fails: false, spurious_wakeups: false, races: false, features: Vec::new() }
    }
}

impl Case {
    /// Two to four threads that mostly write to few variables, of several sizes, and sometimes read.
    pub fn writing(rng: &mut Rng) -> Case {
        let n_threads = [2, 3, 3, 4][rng.below(4)];
        // In some cases writes of several sizes overlap.
        let kinds: &[usize] =
            [&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13][..], &[6, 6, 6, 6, 7, 5, 14]][rng.below(2)];
        let mut body = |n_statements: usize| -> Vec<Node> {
            let mut statement = || {
                let k = 1 + rng.below(3);
                match kinds[rng.below(kinds.len())] {
                    0..=3 => format!("a = {k};"),
                    4 => format!("b = {k};"),
                    5 => format!("x = {k};"),
                    6 => ["u.whole = 257;", "u.half[0] = 7;", "u.byte[1] = 9;", "u.byte[0] = 5;"][rng.below(4)]
                        .to_owned(),
                    7 => ["r = r * 3 + u.whole;", "r = r * 3 + u.byte[1];"][rng.below(2)].to_owned(),
                    8 | 9 => "r = r * 3 + a;".to_owned(),
                    10 => format!("if (a == {k}) b = {k};"),
                    11 => format!("q = {k}; r = r * 2 + atomic_compare_exchange_strong(&a, &q, 4); r += q;"),
                    12 => ["r += atomic_fetch_add(&a, 1);", "while (!a) sched_yield();"][rng.below(2)].to_owned(),
                    14 => format!("u.half[{}] = x;", k % 2),
                    _ => format!("pthread_mutex_lock(&m); a = {k}; pthread_mutex_unlock(&m);"),
                }
            };
            (0..n_statements).map(|_| Node::Line(statement())).collect()
        };
        let mut bodies = vec![Vec::new(), Vec::new()];
        for _ in 0..n_threads {
            let budget = if n_threads == 2 { 4 } else { 5 - n_threads };
            bodies.push(body(budget));
        }
        bodies[0] = creations(n_threads);
        bodies[0].extend(body(usize::from(n_threads < 4)));
        bodies[0].push(Node::Line(format!("for (int i = 0; i < {n_threads}; i++) pthread_join(t[i], &p);")));
        bodies[0].push(Node::Line("assert(a != 3 || b != 1);".to_owned()));
        Case { bodies, weak_cas_fails: false, spurious_wakeups: false, races: rng.below(3) == 0, features: Vec::new() }
    }
}

impl Case {
    /// Three or four threads that mostly read few variables which others write: a write races with many reads at once.
    pub fn reading(rng: &mut Rng) -> Case {
        let n_threads = 3 + rng.below(2);
        let is_mixed = rng.below(3) == 0;
        let mut body = |n_statements: usize| -> Vec<Node> {
            let mut statement = || {
                let (k, other) = (1 + rng.below(2), ["a", "b", "b", "x"][rng.below(4)]);
                match rng.below(if is_mixed { 14 } else { 10 }) {
                    0..=3 => "r = r * 3 + a;".to_owned(),
                    4 => format!("r = r * 3 + {other};"),
                    5 | 6 => format!("a = {k};"),
                    7 => format!("{other} = {k};"),
                    8 => format!("if (a == {k}) {other} = {k};"),
                    9 => format!("if (!{other}) a = {k};"),
                    10 => ["u.byte[1] = 9;", "u.byte[0] = 5;", "u.whole = 3;"][rng.below(3)].to_owned(),
                    11 => ["r += u.byte[1];", "r += u.byte[0];", "r += u.whole;"][rng.below(3)].to_owned(),
                    12 => format!("q = {k}; r = r * 2 + atomic_compare_exchange_strong(&a, &q, 4); r += q;"),
                    _ => format!("pthread_mutex_lock(&m); {other} = {k}; pthread_mutex_unlock(&m);"),
                }
            };
            (0..n_statements).map(|_| Node::Line(statement())).collect()
        };
        let mut bodies = vec![Vec::new(), Vec::new()];
        for nth in 0..n_threads {
            bodies.push(body(1 + usize::from(nth < 6 - n_threads)));
        }
        bodies[0] = creations(n_threads);
        bodies[0].extend(body(usize::from(n_threads < 4)));
        bodies[0].push(Node::Line(format!("for (int i = 0; i < {n_threads}; i++) pthread_join(t[i], &p);")));
        bodies[2..].rotate_right(rng.below(n_threads));
        Case { bodies, weak_cas_fails: false, spurious_wakeups: false, races: rng.below(3) == 0, features: Vec::new() }
    }
}

impl Case {
    /// Two threads and main that wait for a condition, mostly for some time only, and signal it.
    pub fn waiting(rng: &mut Rng) -> Case {
        let mut body = |n_statements: usize| -> Vec<Node> {
            let mut statement = || {
                let wait = ["pthread_cond_timedwait(&c, &m, &soon)", "pthread_cond_wait(&c, &m)"][rng.below(5) / 4];
                let signal = ["pthread_cond_signal(&c);", "pthread_cond_broadcast(&c);"][rng.below(2)];
                let look = ["", "r += flag;", "a = 1;"][rng.below(3)];
                match rng.below(9) {
                    0..=2 => format!("pthread_mutex_lock(&m); r += {wait}; {look} pthread_mutex_unlock(&m);"),
                    3 => format!("pthread_mutex_lock(&m); if (!flag) r += {wait}; pthread_mutex_unlock(&m);"),
                    4 | 5 => format!("pthread_mutex_lock(&m); flag = 1; {signal} pthread_mutex_unlock(&m);"),
                    6 => format!("{look} {signal}"),
                    7 => format!("pthread_mutex_lock(&m); {look} pthread_mutex_unlock(&m);"),
                    _ => "r = r * 2 + a;".to_owned(),
                }
            };
            (0..n_statements).map(|_| Node::Line(statement())).collect()
        };
        let mut bodies = vec![Vec::new(), Vec::new()];
        bodies.extend([body(1), body(1)]);
        bodies[0] = creations(2);
        bodies[0].extend(body(1));
        bodies[0].push(Node::Line("for (int i = 0; i < 2; i++) pthread_join(t[i], &p);".to_owned()));
        Case {
            bodies,
            weak_cas_fails: false,
            spurious_wakeups: rng.below(2) == 0,
            races: rng.below(3) == 0,
            features: Vec::new(),
        }
    }
}

impl Case {
    /// Three threads and main that take and try for locks of all kinds and units of semaphores, few kinds in each case, and look at a variable.
    pub fn locking(rng: &mut Rng) -> Case {
        const TAKES: [(&str, &str); 10] = [
            ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
            ("if (pthread_mutex_trylock(&m) == 0) {", "pthread_mutex_unlock(&m); } else r--;"),
            ("if (pthread_mutex_timedlock(&m, &soon) == 0) {", "pthread_mutex_unlock(&m); } else r--;"),
            ("pthread_rwlock_rdlock(&rw);", "pthread_rwlock_unlock(&rw);"),
            ("pthread_rwlock_wrlock(&rw);", "pthread_rwlock_unlock(&rw);"),
            ("if (pthread_rwlock_tryrdlock(&rw) == 0) {", "pthread_rwlock_unlock(&rw); } else r--;"),
            ("if (pthread_rwlock_timedwrlock(&rw, &soon) == 0) {", "pthread_rwlock_unlock(&rw); } else r--;"),
            ("sem_wait(&s);", "sem_post(&s);"),
            ("if (sem_trywait(&s) == 0) {", "sem_post(&s); } else r--;"),
            ("if (sem_timedwait(&zero, &soon) == 0) {", "}"),
        ];
        let kinds: Vec<(&str, &str)> = (0..2 + rng.below(2)).map(|_| TAKES[rng.below(TAKES.len())]).collect();
        let mut body = |n_statements: usize| -> Vec<Node> {
            let mut statement = || {
                let (take, give) = kinds[rng.below(kinds.len())];
                let look = ["", "", "r = r * 2 + a;", "a = 1;"][rng.below(4)];
                match rng.below(8) {
                    0..=4 => format!("{take} {look} {give}"),
                    5 => format!("if (!a) {{ {take} {give} }}"),
                    6 => ["a = 1;", "r = r * 2 + a;"][rng.below(2)].to_owned(),
                    _ => ["sem_post(&zero);", "sem_post(&s);", "a = 2;"][rng.below(3)].to_owned(),
                }
            };
            (0..n_statements).map(|_| Node::Line(statement())).collect()
        };
        let mut bodies = vec![Vec::new(), Vec::new()];
        bodies.extend([body(1), body(2), body(1)]);
        bodies[0] = creations(3);
        bodies[0].extend(body(1));
        let joined = 3 - rng.below(8) / 7;
        bodies[0].push(Node::Line(format!("for (int i = 0; i < {joined}; i++) pthread_join(t[i], &p);")));
        bodies[2..].rotate_right(rng.below(3));
        Case { bodies, weak_cas_fails: false, spurious_wakeups: false, races: rng.below(3) == 0, features: Vec::new() }
    }
}

struct Writer<'a> {
    rng: &'a mut Rng,
    kinds: Vec<usize>,
    /// Statements left to write.
    budget: usize,
    /// The body under way may create a thread.
    may_create: bool,
    /// It may wait in a loop. Who is alone would wait until its instructions are used up.
    may_wait: bool,
}

impl Writer<'_> {
    fn main(&mut self, n_threads: usize) -> Vec<Node> {
        self.may_create = false;
        let mut nodes = Vec::new();
        let array = self.pick(&["t", "threads"]);
        for thread in 0..n_threads {
            nodes.push(Node::Line(format!("pthread_create(&{array}[{thread}], 0, thread{thread}_CASE, 0);")));
            if self.rng.below(8) == 0 {
                self.budget = 1;
                nodes.extend(self.nodes(0));
            }
        }
        self.budget = if n_threads == 1 { 3 } else { self.rng.below(2) };
        nodes.extend(self.nodes(0));
        let forgets = self.rng.below(10) == 0;
        self.may_wait = false;
        for thread in 0..n_threads {
            if forgets && self.rng.below(2) == 0 {
                continue;
            }
            nodes.push(Node::Line(format!("pthread_join({array}[{thread}], &p); r = r * 3 + (long)p;")));
            if self.rng.below(8) == 0 {
                self.budget = 1;
                nodes.extend(self.nodes(0));
            }
        }
        if !forgets {
            nodes.push(Node::Line("printf(\"%ld %d %d %d %d %ld\\n\", r, x, y, a, b, u.whole);".to_owned()));
        }
        nodes
    }

    fn symmetric_main(&mut self, n_alike: usize, n_others: usize) -> Vec<Node> {
        let mut nodes = Vec::new();
        let others_first = self.rng.below(2) * n_others;
        for thread in 0..n_alike + n_others {
            let other = if others_first == 1 { thread == 0 } else { thread >= n_alike };
            nodes.push(Node::Line(format!("pthread_create(&t[{thread}], 0, thread{}_CASE, 0);", usize::from(other))));
        }
        self.budget = self.rng.below(8) / 5;
        nodes.extend(self.nodes(0));
        self.may_wait = false;
        // In one place, so that a deadlock has the same places whichever thread main waits for.
        let looks = if self.rng.below(6) == 0 { "&p); r = r * 3 + (long)p;" } else { "0);" };
        let stops = if self.rng.below(8) == 0 { "if (i == 0) x++;" } else { "" };
        let joined = n_alike + n_others - usize::from(self.rng.below(12) == 0);
        nodes.push(Node::Line(format!("for (int i = 0; i < {joined}; i++) {{ pthread_join(t[i], {looks} {stops} }}")));
        nodes.push(Node::Line("printf(\"%ld %d %d %d %d %ld\\n\", r, x, y, a, b, u.whole);".to_owned()));
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
        let inner = if depth < 3 && self.rng.below(5) > 0 { self.nodes(depth + 1) } else { Vec::new() };
        Node::Block(before.into(), inner, after.into())
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.rng.below(of.len())]
    }

    fn node(&mut self, depth: usize) -> Node {
        let k = self.rng.below(4);
        let plain = self.pick(&["x", "x", "x", "y", "u.half[0]", "u.byte[1]"]);
        let atomic = self.pick(&["a", "a", "b"]);
        let mutex = self.pick(&["m", "m", "n"]);
        let kind = self.kinds[self.rng.below(self.kinds.len())];
        let line = |text: String| Node::Line(text);
        match kind {
            0 | 1 => line(format!("r = r * 3 + {plain};")),
            2 | 3 => line(format!("{plain} = r + {k};")),
            4 => line(format!("{plain}++;")),
            5 | 6 => line(format!("r = r * 3 + {atomic};")),
            7 => line(format!("{atomic} = (int)r ^ {k};")),
            8 => line(format!("r += atomic_fetch_add(&{atomic}, {k});")),
            9 => line(format!("r = r * 3 + atomic_fetch_or(&{atomic}, {k});")),
            10 => line(format!("r += atomic_exchange(&{atomic}, {k});")),
            11 | 12 => {
                line(format!("q = {}; r = r * 2 + atomic_compare_exchange_strong(&{atomic}, &q, {k}); r += q;", k % 2))
            }
            13 => line(format!("q = {}; r = r * 2 + atomic_compare_exchange_weak(&{atomic}, &q, {k}); r += q;", k % 2)),
            14 => line(format!("q = {atomic}; while (!atomic_compare_exchange_weak(&{atomic}, &q, q + 1)) r++;")),
            15 | 16 => {
                self.block(depth, format!("pthread_mutex_lock(&{mutex});"), format!("pthread_mutex_unlock(&{mutex});"))
            }
            17 | 18 => self.block(
                depth,
                format!("if (pthread_mutex_trylock(&{mutex}) == 0) {{"),
                format!("pthread_mutex_unlock(&{mutex}); }} else r--;"),
            ),
            19 | 20 => {
                let test = self.pick(&["if (!flag)", "while (!flag)", "", "while (!x)"]);
                let wait = self.pick(&[
                    "pthread_cond_wait(&c, &m)",
                    "pthread_cond_wait(&c, &m)",
                    "r += pthread_cond_timedwait(&c, &m, &soon)",
                ]);
                line(format!("pthread_mutex_lock(&m); {test} {wait}; r += flag; pthread_mutex_unlock(&m);"))
            }
            21 => {
                let wake = self.pick(&["signal", "broadcast"]);
                line(format!(
                    "pthread_mutex_lock(&m); flag = {}; pthread_cond_{wake}(&c); pthread_mutex_unlock(&m);",
                    k + 1
                ))
            }
            22 => {
                let wake = self.pick(&["signal", "broadcast"]);
                line(format!("pthread_cond_{wake}(&c);"))
            }
            23 => {
                let sem = self.pick(&["s", "s", "zero"]);
                self.block(depth, format!("sem_wait(&{sem});"), format!("sem_post(&{sem});"))
            }
            24 => self.block(depth, "if (sem_trywait(&s) == 0) {", "sem_post(&s); } else r--;"),
            25 => {
                let text = self.pick(&[
                    "sem_wait(&s);",
                    "sem_wait(&zero);",
                    "r += sem_trywait(&zero);",
                    "r += sem_timedwait(&zero, &soon);",
                ]);
                line(text.to_owned())
            }
            26 => {
                let text = self.pick(&["sem_post(&s);", "sem_post(&zero);", "sem_getvalue(&s, &q); r = r * 3 + q;"]);
                line(text.to_owned())
            }
            27 | 28 => {
                let how = self.pick(&["rd", "rd", "wr"]);
                self.block(depth, format!("pthread_rwlock_{how}lock(&rw);"), "pthread_rwlock_unlock(&rw);")
            }
            29 => {
                let how = self.pick(&[
                    "tryrdlock(&rw)",
                    "trywrlock(&rw)",
                    "timedrdlock(&rw, &soon)",
                    "timedwrlock(&rw, &soon)",
                ]);
                self.block(
                    depth,
                    format!("if (pthread_rwlock_{how} == 0) {{"),
                    "pthread_rwlock_unlock(&rw); } else r--;",
                )
            }
            30 => line("r += pthread_barrier_wait(&barrier) != 0;".to_owned()),
            31 => line("pthread_once(&once, prepare);".to_owned()),
            32 | 33 if self.may_create => {
                self.may_create = false;
                let after = self.pick(&[
                    "pthread_join(t, &p); r += (long)p; }",
                    "pthread_join(t, 0); }",
                    "}",
                    "pthread_detach(t); }",
                ]);
                self.block(depth, "{ pthread_t t; void *p; (void)p; pthread_create(&t, 0, child_CASE, arg);", after)
            }
            32..=34 => {
                let test = self.pick(&["x & 1", "a > 1", "!y", "r & 1", "x == a"]);
                let otherwise = self.pick(&["}", "} else r += x;", "} else a = 3;"]);
                self.block(depth, format!("if ({test}) {{"), otherwise)
            }
            35 if self.may_wait => {
                let text = self.pick(&[
                    "while (!a);",
                    "while (!a) sched_yield();",
                    "while (!x) sched_yield();",
                    "while (a < 2 && !b);",
                    "while (pthread_mutex_trylock(&m)) sched_yield(); pthread_mutex_unlock(&m);",
                    "while (sem_trywait(&s)) sched_yield(); sem_post(&s);",
                    "while (atomic_exchange(&b, 1)); r += x; b = 0;",
                    "q = 0; while (!atomic_compare_exchange_strong(&b, &q, 1)) q = 0; x++; b = 0;",
                    "do { q = a; } while (q != a); r += q;",
                    "for (int i = 0; i < 2 && !a; i++) sched_yield();",
                ]);
                line(text.to_owned())
            }
            36 => self.block(depth, "__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();"),
            37 => {
                let text = self.pick(&[
                    "{ int *o = malloc(4); *o = (int)r + 1; o = atomic_exchange(&box, o); if (o) { r += *o; free(o); } }",
                    "{ int *o = box; if (o) r += *o; }",
                    "{ int *o = box; if (o) { free(o); box = 0; } }",
                    "{ int *o = malloc(4); *o = (int)r + 1; plain_box = o; }",
                    "{ int *o = plain_box; if (o) { plain_box = 0; free(o); } }",
                ]);
                line(text.to_owned())
            }
            38 => line(format!("printf(\"%ld \", r + {k});")),
            39 => {
                let text = self.pick(&[
                    "assert(x != 2);",
                    "assert(a < 2);",
                    "if (a == 1) exit(3);",
                    "if (x == 1) pthread_exit((void *)7);",
                    "if (y == 2) abort();",
                ]);
                line(text.to_owned())
            }
            40 => line(format!("r += pthread_mutex_timedlock(&{mutex}, &soon);")),
            41 => self.block(depth, "pthread_mutex_lock(&rec);", "pthread_mutex_unlock(&rec);"),
            42 => self.block(depth, "pthread_spin_lock(&spin);", "pthread_spin_unlock(&spin);"),
            43 => {
                let text = self.pick(&[
                    "u.whole = r + 257;",
                    "r = r * 3 + u.whole;",
                    "u.byte[1]++;",
                    "r += u.byte[2];",
                    "memset(&u, (int)r, sizeof u);",
                    "u.half[1] = x;",
                ]);
                line(text.to_owned())
            }
            44 => {
                let text = self.pick(&[
                    "sched_yield();",
                    "usleep(1);",
                    "r += rand() & 3;",
                    "atomic_thread_fence(memory_order_seq_cst);",
                    "pthread_testcancel();",
                ]);
                line(text.to_owned())
            }
            CANCELS => {
                let text = self.pick(&[
                    "pthread_mutex_unlock(&n);",
                    "pthread_mutex_lock(&n);",
                    "pthread_cancel(pthread_self());",
                ]);
                line(text.to_owned())
            }
            _ => self.block(depth, "for (int i = 0; i < 2; i++) {", "}"),
        }
    }
}
