//! Small multithreaded C programs out of a seed. They are allowed to be wrong: deadlocks, races, double frees
//! and the like must be restored and replayed as faithfully as anything else.

use gordian_base::Rng;
use std::fmt::Write;

const HEAD: &str = r#"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
int __VERIFIER_nondet_int(void);
static int x, y, flag;
static struct triple { int a, b; long c; } left, right;
static atomic_int a, b;
static _Atomic(int *) box;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_t threads[4];
static sem_t s;
static _Thread_local int mine;
static void prepare(void) { y += 5; }
static int twice(int depth) { return depth <= 0 ? x : 1 + twice(depth - 1); }
"#;

/// A C file with `n_cases` cases; the program's first argument says which one runs.
pub fn source(seed: u64, n_cases: usize) -> String {
    let mut out = HEAD.to_owned();
    let mut calls = String::new();
    for case in 0..n_cases {
        let mut writer = Writer { rng: Rng::stream(seed, case as u64), out: String::new(), case, may_create: false };
        let n_threads = writer.case();
        out.push_str(&writer.out);
        let _ = writeln!(calls, "    case {case}: run_{case}(); break; // {n_threads} threads");
    }
    let _ = write!(
        out,
        "int main(int argc, char **argv) {{\n    sem_init(&s, 0, 1);\n    switch (argc > 1 ? atoi(argv[1]) : 0) {{\n{calls}    }}\n    \
         printf(\"%d %d %d %d\\n\", x, y, a, b);\n    return 0;\n}}\n"
    );
    out
}

struct Writer {
    rng: Rng,
    out: String,
    case: usize,
    /// The body under way may create a thread.
    may_create: bool,
}

impl Writer {
    /// The functions of one case; gives the number of its threads besides main and children.
    fn case(&mut self) -> usize {
        let case = self.case;
        let n_threads = 2 + usize::from(self.rng.below(3) == 0);
        self.body(&format!("static void *child_{case}(void *arg)"), 2, false);
        for thread in 0..n_threads {
            let may_create = self.rng.below(3) == 0;
            let n_ops = 2 + self.rng.below(3);
            self.body(&format!("static void *thread_{case}_{thread}(void *arg)"), n_ops, may_create);
        }
        let _ = writeln!(self.out, "static void run_{case}(void) {{\n    int r = 0, q = 0; (void)q;");
        for thread in 0..n_threads {
            let _ = writeln!(self.out, "    pthread_create(&threads[{thread}], 0, thread_{case}_{thread}, &y);");
        }
        self.may_create = false;
        let n_ops = self.rng.below(2);
        self.operations(n_ops, 1);
        for thread in 0..n_threads {
            let _ = writeln!(self.out, "    pthread_join(threads[{thread}], 0);");
        }
        let _ = writeln!(self.out, "    x += r;\n}}");
        n_threads
    }

    fn body(&mut self, head: &str, n_ops: usize, may_create: bool) {
        self.may_create = may_create;
        let _ = writeln!(self.out, "{head} {{\n    int r = 0, q = 0; (void)q;");
        self.operations(n_ops, 1);
        let _ = writeln!(self.out, "    mine = r;\n    return (void *)(long)mine;\n}}");
    }

    fn operations(&mut self, n: usize, depth: usize) {
        for _ in 0..n {
            self.operation(depth);
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(depth));
    }

    /// `before`, some operations, `after`.
    fn around(&mut self, depth: usize, before: &str, after: &str) {
        self.line(depth, before);
        if depth < 3 {
            let n = 1 + self.rng.below(2);
            self.operations(n, depth + 1);
        } else {
            self.line(depth + 1, "x++;");
        }
        self.line(depth, after);
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.rng.below(of.len())]
    }

    fn operation(&mut self, depth: usize) {
        let k = self.rng.below(5);
        let plain = self.pick(&["x", "y", "left.a", "right.b"]);
        let atomic = self.pick(&["a", "b"]);
        let mutex = self.pick(&["m", "n"]);
        match self.rng.below(24) {
            0 => self.line(depth, &format!("r = {plain};")),
            1 => self.line(depth, &format!("{plain} = r + {k};")),
            2 => self.line(depth, &format!("r += {atomic};")),
            3 => self.line(depth, &format!("{atomic} = r ^ {k};")),
            4 => self.line(depth, &format!("r = atomic_fetch_add(&{atomic}, {k});")),
            5 => self.line(depth, &format!("q = {k}; atomic_compare_exchange_strong(&{atomic}, &q, r + 1);")),
            6 => self.line(depth, &format!("q = {atomic}; while (!atomic_compare_exchange_weak(&{atomic}, &q, q + 1)) r++;")),
            7 | 8 => self.around(depth, &format!("pthread_mutex_lock(&{mutex});"), &format!("pthread_mutex_unlock(&{mutex});")),
            9 => self.around(depth, &format!("if (pthread_mutex_trylock(&{mutex}) == 0) {{"), &format!("pthread_mutex_unlock(&{mutex}); }} else r--;")),
            10 => {
                let test = self.pick(&["if", "while"]);
                self.line(depth, &format!("pthread_mutex_lock(&m); {test} (!flag) pthread_cond_wait(&c, &m); r += flag; pthread_mutex_unlock(&m);"));
            }
            11 => {
                let wake = self.pick(&["signal", "broadcast"]);
                self.line(depth, &format!("pthread_mutex_lock(&m); flag = {}; pthread_cond_{wake}(&c); pthread_mutex_unlock(&m);", 1 + k));
            }
            12 => self.line(depth, "{ struct timespec t = {1, 0}; pthread_mutex_lock(&m); r = pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m); }"),
            13 => self.around(depth, "sem_wait(&s);", "sem_post(&s);"),
            14 => self.around(depth, "if (sem_trywait(&s) == 0) {", "sem_post(&s); }"),
            15 => self.line(depth, &format!("{{ int *p = malloc(8), *o = malloc(8); *p = r + {k} + 1; *o = 9; {atomic}++; free(o); p = atomic_exchange(&box, p); if (p) {{ r += *p; free(p); }} }}")),
            16 => self.line(
                depth,
                // Objects come and go between visible operations, and hold what an object in their place must not see.
                &format!("{{ int *o = malloc(8); o[0] = {k} + 1; {atomic}++; int *p = malloc(8); p[0] = 7; {atomic}++; free(o); r += p[0]; free(p); }}"),
            ),
            17 => self.around(depth, &format!("if ({plain} & 1) {{"), "}"),
            18 => self.around(depth, "for (int i = 0; i < 2; i++) {", "}"),
            19 => self.around(depth, "__VERIFIER_atomic_begin();", "__VERIFIER_atomic_end();"),
            20 => {
                let how = self.pick(&["rd", "wr"]);
                self.around(depth, &format!("pthread_rwlock_{how}lock(&rw);"), "pthread_rwlock_unlock(&rw);");
            }
            21 => self.bulk(depth),
            22 => self.other(depth),
            _ if self.may_create => {
                self.may_create = false;
                let case = self.case;
                self.around(depth, &format!("{{ pthread_t t; pthread_create(&t, 0, child_{case}, arg);"), "pthread_join(t, 0); }");
            }
            _ => self.line(depth, "r = twice(2);"),
        }
    }

    fn bulk(&mut self, depth: usize) {
        let text =
            self.pick(&["left = right;", "memset(&right, r, sizeof right);", "memcpy(&right, &left, sizeof left);"]);
        self.line(depth, text);
    }

    fn other(&mut self, depth: usize) {
        let text = self.pick(&[
            "printf(\"%d\\n\", r);",
            "pthread_once(&once, prepare);",
            "r = __VERIFIER_nondet_int() & 3;",
            "r = rand() & 3;",
            "pthread_cancel(threads[1]);",
            "if (y > 1) pthread_exit(0);",
            "sched_yield();",
            "mine += r; r = mine;",
        ]);
        self.line(depth, text);
    }
}
