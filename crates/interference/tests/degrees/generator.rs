//! Small multithreaded C programs out of a seed, whose threads decide on what others wrote.

use gordian_base::Rng;
use std::fmt::Write;

const HEAD: &str = r#"
#include <assert.h>
#include <gordian.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
static int x, y, z, array[2], flag;
static atomic_int a, b;
static int *box = &x;
struct cell { int value; };
static struct cell *_Atomic cell;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t s;
static int in;
static struct cell *heap, *kept;
"#;

/// A C file with so many cases; the program's first argument says which one runs.
pub fn source(seed: u64, cases: usize) -> String {
    let mut out = HEAD.to_owned();
    let mut calls = String::new();
    for number in 0..cases {
        let mut writer = Writer { rng: Rng::stream(seed, number as u64), out: String::new(), depth: 1 };
        out += &writer.case(number);
        let _ = writeln!(calls, "    case {number}: run_{number}(); break;");
    }
    let _ = write!(
        out,
        "int main(int argc, char **argv)\n{{\n    if (argc < 2) return 1;\n    switch (atoi(argv[1])) {{\n{calls}    }}\n    return 0;\n}}\n"
    );
    out
}

struct Writer {
    rng: Rng,
    out: String,
    depth: usize,
}

const VARIABLES: &[&str] = &["x", "y", "z", "a", "b"];

impl Writer {
    fn case(&mut self, number: usize) -> String {
        let n_threads = 2 + usize::from(self.rng.below(4) == 0);
        let has_barrier = self.rng.below(8) == 0;
        for thread in 0..n_threads {
            let _ = writeln!(self.out, "static void *thread_{number}_{thread}(void *arg)\n{{\n    int r = 0;");
            let length = 1 + self.rng.below(if n_threads > 2 { 2 } else { 3 });
            let at = self.rng.below(length + 1);
            for statement in 0..=length {
                if has_barrier && statement == at {
                    self.line("pthread_barrier_wait(&barrier);");
                }
                if statement < length {
                    self.statement();
                }
            }
            let result = if self.rng.below(4) == 0 { "(void *)(long)r" } else { "arg" };
            let _ = writeln!(self.out, "    return {result};\n}}");
        }
        let _ = writeln!(
            self.out,
            "static void run_{number}(void)\n{{\n    int r = 0;\n    void *p = 0;\n    pthread_t t[3];\n    (void)p;"
        );
        if self.rng.below(2) == 0 {
            self.line("in = gordian_range(0, 3, \"in\");");
            if self.rng.below(3) == 0 {
                let k = self.constant();
                self.line(&format!("{{ int *chosen[4] = {{&x, &y, &r, &array[1]}}; *chosen[in] = {k}; }}"));
                let condition = self.condition();
                self.line(&format!("if ({condition}) z = 1;"));
            }
        }
        if has_barrier {
            self.line(&format!("pthread_barrier_init(&barrier, 0, {n_threads});"));
        }
        self.line("sem_init(&s, 0, 0);");
        self.line("heap = malloc(sizeof *heap), kept = malloc(sizeof *kept);");
        self.line("heap->value = 0, kept->value = 1;");
        for thread in 0..n_threads {
            self.line(&format!("pthread_create(&t[{thread}], 0, thread_{number}_{thread}, 0);"));
            if self.rng.below(6) == 0 {
                self.simple();
            }
        }
        if self.rng.below(4) > 0 {
            for thread in 0..n_threads {
                if self.rng.below(4) == 0 {
                    self.line(&format!("pthread_join(t[{thread}], &p);"));
                    let k = self.constant();
                    self.line(&format!("if ((long)p == {k}) y = y + 1;"));
                } else {
                    self.line(&format!("pthread_join(t[{thread}], 0);"));
                }
            }
            for _ in 0..self.rng.below(3) {
                self.statement();
            }
        }
        let _ = writeln!(self.out, "    (void)r;\n}}");
        std::mem::take(&mut self.out)
    }

    fn line(&mut self, text: &str) {
        let _ = writeln!(self.out, "{}{text}", "    ".repeat(self.depth));
    }

    fn one_of(&mut self, lines: &[&str]) {
        let line = lines[self.rng.below(lines.len())];
        self.line(line);
    }

    fn variable(&mut self) -> &'static str {
        VARIABLES[self.rng.below(VARIABLES.len())]
    }

    fn constant(&mut self) -> usize {
        self.rng.below(3)
    }

    fn simple(&mut self) {
        let (v, w, k) = (self.variable(), self.variable(), self.constant());
        let text = match self.rng.below(9) {
            0 | 1 => format!("{v} = {k};"),
            2 => format!("{v} = {w} + {k};"),
            3 => format!("r = {v};"),
            4 => format!("{v} = r + {k};"),
            5 => format!("r = {v} + {w};"),
            6 => format!("{v} = in;"),
            7 => format!("atomic_fetch_add(&a, {k});"),
            _ => format!("array[{v} & 1] = {k};"),
        };
        self.line(&text);
    }

    fn condition(&mut self) -> String {
        let (v, w, k) = (self.variable(), self.variable(), self.constant());
        match self.rng.below(8) {
            0 | 1 => format!("{v} == {k}"),
            2 => format!("{v} != {w}"),
            3 => format!("r < {k}"),
            4 => format!("{v} + in == {k}"),
            5 => format!("array[{v} & 1] == {k}"),
            6 => format!("{v} > {k} && {w} == {k}"),
            _ => format!("atomic_fetch_add(&b, 1) == {k}"),
        }
    }

    fn block(&mut self, head: &str) {
        self.line(head);
        self.line("{");
        self.depth += 1;
        let n = 1 + self.rng.below(2);
        for _ in 0..n {
            if self.depth < 3 { self.statement() } else { self.simple() }
        }
        self.depth -= 1;
        self.line("}");
    }

    fn within(&mut self, begin: &str, end: &str) {
        self.line(begin);
        for _ in 0..1 + self.rng.below(2) {
            if self.depth < 3 && self.rng.below(3) == 0 {
                self.depth += 1;
                let condition = self.condition();
                self.block(&format!("if ({condition})"));
                self.depth -= 1;
            } else {
                self.simple();
            }
        }
        self.line(end);
    }

    fn statement(&mut self) {
        match self.rng.below(25) {
            0..=5 => self.simple(),
            6..=9 => {
                let condition = self.condition();
                self.block(&format!("if ({condition})"));
            }
            10 => {
                let condition = self.condition();
                self.line(&format!("assert(!({condition}));"));
            }
            11 | 12 => self.within("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);"),
            13 => self.within("pthread_mutex_lock(&n);", "pthread_mutex_unlock(&n);"),
            14 => {
                self.line("if (pthread_mutex_trylock(&m) == 0)");
                self.within("{", "pthread_mutex_unlock(&m); }");
                self.line("else y = y + 2;");
            }
            15 => {
                let (lock, v, k) = (["rd", "wr"][self.rng.below(2)], self.variable(), self.constant());
                self.line(&format!(
                    "pthread_rwlock_{lock}lock(&rw); if (x == {k}) {v} = {k}; pthread_rwlock_unlock(&rw);"
                ));
            }
            16 => {
                let (expected, new) = (self.constant(), self.constant());
                self.line(&format!("{{ int e = {expected}; if (atomic_compare_exchange_strong(&a, &e, {new})) r = 1; else if (e == 2) r = 2; }}"));
            }
            17 => self.one_of(&["box = &y;", "box = &z;", "r = *box;", "*box = 2;"]),
            18 => {
                let (k, j) = (self.constant(), self.constant());
                match self.rng.below(2) {
                    0 => self
                        .line(&format!("{{ struct cell *new = malloc(sizeof *new); new->value = {k}; cell = new; }}")),
                    _ => self.line(&format!(
                        "{{ struct cell *got = cell; if (got && got->value == {k}) got->value = {j}; }}"
                    )),
                }
            }
            22 => {
                let inner = self.rng.below(2);
                let (first, second) = [("m", "n"), ("n", "m")][inner];
                self.line(&format!("pthread_mutex_lock(&{first});"));
                self.within(&format!("pthread_mutex_lock(&{second});"), &format!("pthread_mutex_unlock(&{second});"));
                self.line(&format!("pthread_mutex_unlock(&{first});"));
            }
            23 => self.one_of(&[
                "{ struct cell *got = cell; if (got) { cell = 0; free(got); } }",
                "pthread_mutex_lock(&m); if (heap) { free(heap); heap = 0; } pthread_mutex_unlock(&m);",
                "pthread_mutex_lock(&m); free(kept); pthread_mutex_unlock(&m);",
            ]),
            24 => self.one_of(&[
                "pthread_mutex_lock(&m); if (heap) heap->value = 1; pthread_mutex_unlock(&m);",
                "pthread_mutex_lock(&m); r = kept->value; pthread_mutex_unlock(&m);",
                "kept->value = r;",
            ]),
            19 => self.one_of(&["sem_post(&s);", "sem_post(&s);", "sem_wait(&s);"]),
            20 => self.one_of(&[
                "pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
                "pthread_mutex_lock(&m); flag = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m);",
                "pthread_mutex_lock(&m); flag = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);",
            ]),
            _ => {
                let v = self.variable();
                let k = 1 + self.constant();
                self.line(&format!("while ({v} == 0) {{ if (b == {k}) break; }}"));
            }
        }
    }
}
