//! Small programs: two or three threads that branch, lock, wait and signal.

use gordian_base::Rng;
use std::fmt::Write as _;

const HEAD: &str = "\
#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>
int x, y, z = 1, flag;
int a[2];
int *p = &z;
atomic_int c;
sem_t s;
pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
pthread_barrier_t bar;
pthread_once_t once = PTHREAD_ONCE_INIT;
static void begin(void) { x++; }
";

/// What a program may contain.
#[derive(Clone, Copy)]
struct Menu {
    branches: bool,
    conditions: bool,
    semaphores: bool,
    barriers: bool,
    others: bool,
    /// Attempts, waits that time out, compare-and-swap, and decisions on what was read long before.
    attempts: bool,
    /// Nested critical sections more often than anything else.
    locks: bool,
    /// Of conditions and semaphores: this thread waits rather than signals.
    waits: bool,
}

struct Body<'a> {
    rng: &'a mut Rng,
    menu: Menu,
    held: Vec<usize>,
    text: String,
    depth: usize,
}

impl Body<'_> {
    fn line(&mut self, text: &str) {
        for _ in 0..=self.depth {
            self.text.push_str("    ");
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    fn variable(&mut self) -> &'static str {
        ["x", "y", "z"][self.rng.below(3)]
    }

    fn plain(&mut self) {
        let (variable, other, k) = (self.variable(), self.variable(), self.rng.below(3));
        let text = match self.rng.below(12) {
            0..=3 => format!("{variable} = {other} + {k};"),
            4..=6 => format!("{variable} = {k};"),
            7 => "atomic_fetch_add(&c, 1);".to_owned(),
            8 if self.menu.others => format!("a[{variable} & 1] = {k};"),
            9 if self.menu.others => format!("{variable} = 6 / (z + 1);"),
            10 if self.menu.others => ["p = 0;", "*p = 2;", "p = &y;"][self.rng.below(3)].to_owned(),
            _ => format!("{variable}++;"),
        };
        self.line(&text);
    }

    fn branch(&mut self) {
        let (variable, k) = (self.variable(), self.rng.below(3));
        if self.rng.below(3) == 0 {
            self.line(&format!("assert({variable} != {});", 2 + k));
            return;
        }
        let comparison = ["==", ">", "!="][self.rng.below(3)];
        self.line(&format!("if ({variable} {comparison} {k}) {{"));
        self.depth += 1;
        self.plain();
        self.depth -= 1;
        if self.rng.below(2) == 0 {
            self.line("} else {");
            self.depth += 1;
            self.plain();
            self.depth -= 1;
        }
        self.line("}");
    }

    fn either(&mut self, condition: &str) {
        self.line(&format!("if ({condition}) {{"));
        self.outcome();
        self.line("} else {");
        self.outcome();
        self.line("}");
    }

    fn outcome(&mut self) {
        if self.rng.below(3) == 0 { self.line("assert(0);") } else { self.plain() }
    }

    fn attempt(&mut self) {
        let (variable, other, k) = (self.variable(), self.variable(), self.rng.below(3));
        let is_free = self.held.is_empty();
        match self.rng.below(9) {
            0 => {
                self.line(&format!("{{ int r = {variable}; {other} = {k}; if (r == {k}) {{"));
                self.outcome();
                self.line("} }");
            }
            1 => self.line(&format!("{{ int r = {variable}; {other} = {k}; assert(r != {k}); }}")),
            2 => self.either(&format!("atomic_fetch_add(&c, 1) == {k}")),
            3 => {
                self.line(&format!("{{ int e = {};", k & 1));
                self.either("atomic_compare_exchange_strong(&c, &e, e + 1)");
                self.line("}");
            }
            4 if is_free => {
                self.line("if (pthread_mutex_trylock(&m[1]) == 0) {");
                self.outcome();
                self.line("pthread_mutex_unlock(&m[1]); } else {");
                self.outcome();
                self.line("}");
            }
            5 => self.either("sem_trywait(&s) == 0"),
            6 if is_free => {
                let read = self.rng.below(2) == 0;
                let call = ["pthread_rwlock_trywrlock", "pthread_rwlock_tryrdlock"][usize::from(read)];
                self.line(&format!("if ({call}(&rw) == 0) {{"));
                self.outcome();
                self.line("pthread_rwlock_unlock(&rw); } else {");
                self.outcome();
                self.line("}");
            }
            7 if is_free => {
                self.line("pthread_mutex_lock(&m[0]);");
                self.line("{ struct timespec until = {1, 0};");
                self.either("pthread_cond_timedwait(&cond, &m[0], &until) == 0");
                self.line("}");
                self.line("pthread_mutex_unlock(&m[0]);");
            }
            8 => self.line("pthread_once(&once, begin);"),
            _ => self.plain(),
        }
    }

    fn section(&mut self, budget: usize) {
        let lock = self.rng.below(2);
        let lock = if self.held.contains(&lock) { 1 - lock } else { lock };
        if self.menu.others && self.rng.below(4) == 0 {
            self.line(&format!("if (pthread_mutex_trylock(&m[{lock}]) == 0) {{"));
            self.plain();
            self.line(&format!("pthread_mutex_unlock(&m[{lock}]); }}"));
            return;
        }
        self.line(&format!("pthread_mutex_lock(&m[{lock}]);"));
        self.held.push(lock);
        self.statements(budget);
        self.held.pop();
        self.line(&format!("pthread_mutex_unlock(&m[{lock}]);"));
    }

    fn condition(&mut self) {
        let dice = self.rng.below(2) + if self.menu.waits { 0 } else { 2 };
        match dice {
            0 => {
                self.line("pthread_mutex_lock(&m[0]);");
                self.line("if (!flag) pthread_cond_wait(&cond, &m[0]);");
                self.line("pthread_mutex_unlock(&m[0]);");
            }
            1 => {
                self.line("pthread_mutex_lock(&m[0]);");
                self.line("pthread_cond_wait(&cond, &m[0]);");
                self.plain();
                self.line("pthread_mutex_unlock(&m[0]);");
            }
            2 => {
                self.line("pthread_mutex_lock(&m[0]);");
                self.line("flag = 1;");
                self.line("pthread_cond_signal(&cond);");
                self.line("pthread_mutex_unlock(&m[0]);");
            }
            _ => {
                let which = self.rng.below(2);
                self.line(["pthread_cond_signal(&cond);", "pthread_cond_broadcast(&cond);"][which]);
            }
        }
    }

    fn statements(&mut self, budget: usize) {
        for _ in 0..budget {
            match self.rng.below(12) {
                _ if self.menu.locks && self.held.len() < 2 && self.rng.below(3) > 0 => {
                    let inner = usize::from(!self.held.is_empty() || self.rng.below(2) == 0);
                    self.section(inner + 1 - usize::from(self.held.len() == 1));
                }
                8 | 9 if self.menu.attempts => self.attempt(),
                10 | 11 if self.menu.conditions && self.held.is_empty() => self.condition(),
                0..=2 if self.menu.branches => self.branch(),
                3 | 4 if self.held.len() < 2 => self.section(1),
                5 if self.menu.conditions && self.held.is_empty() => self.condition(),
                6 if self.menu.semaphores && self.held.is_empty() => {
                    self.line(if self.menu.waits { "sem_wait(&s);" } else { "sem_post(&s);" });
                }
                7 if self.menu.others && self.held.is_empty() => {
                    let read = self.rng.below(2) == 0;
                    self.line(["pthread_rwlock_wrlock(&rw);", "pthread_rwlock_rdlock(&rw);"][usize::from(read)]);
                    self.plain();
                    self.line("pthread_rwlock_unlock(&rw);");
                }
                _ => self.plain(),
            }
        }
    }
}

/// One program for all cases, chosen by its argument: compiling takes longer than anything else.
pub fn source(seed: u64, cases: u64) -> String {
    let mut text = HEAD.to_owned();
    let mut mains = String::new();
    for case in 0..cases {
        let mut rng = Rng::new(seed.wrapping_mul(999_979).wrapping_add(case));
        let n_threads = 2 + usize::from(rng.below(4) == 0);
        let menu = Menu {
            branches: rng.below(4) > 0,
            conditions: rng.below(3) == 0,
            semaphores: rng.below(3) == 0,
            barriers: rng.below(4) == 0,
            others: rng.below(2) == 0,
            attempts: rng.below(3) == 0,
            locks: rng.below(3) == 0,
            waits: false,
        };
        for thread in 0..n_threads {
            let _ = writeln!(text, "static void *t{case}_{thread}(void *arg) {{");
            let budget = if n_threads == 2 { 2 + rng.below(2) } else { 1 + rng.below(2) };
            let waits = thread == 0 || thread == 1 && n_threads == 3 && rng.below(2) == 0;
            let menu = Menu { waits, ..menu };
            let mut body = Body { rng: &mut rng, menu, held: Vec::new(), text: String::new(), depth: 0 };
            if menu.barriers {
                body.statements(1);
                body.line("pthread_barrier_wait(&bar);");
                body.statements(1);
            } else {
                body.statements(budget);
            }
            text.push_str(&body.text);
            text.push_str("    return arg;\n}\n");
        }
        let _ = writeln!(mains, "    case {case}: {{");
        let _ = writeln!(
            mains,
            "        pthread_t t[{n_threads}];\n        sem_init(&s, 0, {});\n        pthread_barrier_init(&bar, 0, {n_threads});",
            rng.below(2)
        );
        for thread in 0..n_threads {
            let _ = writeln!(mains, "        pthread_create(&t[{thread}], 0, t{case}_{thread}, 0);");
        }
        let joins = rng.below(5) > 0;
        for thread in (0..n_threads).filter(|_| joins) {
            let _ = writeln!(mains, "        pthread_join(t[{thread}], 0);");
        }
        let _ = writeln!(mains, "        assert(x + 2 * y != {});\n        break;\n    }}", rng.below(9));
    }
    let _ = writeln!(
        text,
        "int main(int argc, char **argv) {{\n    switch (atoi(argv[1])) {{\n{mains}    }}\n    return 0;\n}}"
    );
    text
}

/// The threads and the main part of a case, with the numbers of their lines.
pub fn excerpt(text: &str, case: u64) -> String {
    let lines: Vec<(usize, &str)> = (1..).zip(text.lines()).collect();
    let numbered = |lines: &[(usize, &str)]| lines.iter().map(|(n, line)| format!("{n} {line}\n")).collect::<String>();
    let is_first = |(_, line): &(usize, &str)| line.starts_with(&format!("static void *t{case}_"));
    let is_next = |(_, line): &(usize, &str)| {
        line.starts_with(&format!("static void *t{}_", case + 1)) || line.starts_with("int main")
    };
    let from = lines.iter().position(is_first).unwrap_or(0);
    let to = lines.iter().position(is_next).unwrap_or(lines.len());
    let main = lines.iter().position(|(_, line)| line.trim() == format!("case {case}: {{")).unwrap_or(0);
    let end = lines[main..].iter().position(|(_, line)| line.trim() == "break;").unwrap_or(0);
    numbered(&lines[from..to]) + &numbered(&lines[main..main + end])
}
