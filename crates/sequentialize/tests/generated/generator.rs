//! Small programs with two or three threads, shared numbers, locks, and in every third a condition or a semaphore. Every statement stands on a line of its own.
//!
//! The machine does not log what a thread does alone. For brute force, `ORACLE` adds a thread that waits for a lock until
//! the end, so that nobody ever is.

use gordian_base::Rng;
use std::fmt::Write;

struct Generator {
    rng: Rng,
    n_threads: usize,
    text: String,
    /// Statements left for the thread.
    left: usize,
    has_asserted: bool,
    /// Locals that the thread has read something into: what assertions are about.
    assigned: Vec<&'static str>,
    /// Threads wait for each other by a condition, or by a semaphore.
    waits: Option<Waits>,
    /// What else than numbers the threads share.
    shares: Shares,
    /// The last thread waits for the one before it.
    joins: bool,
}

#[derive(Clone, Copy, PartialEq)]
enum Shares {
    Numbers,
    /// A pair that is written and read as a whole and in halves.
    Pair,
    /// Memory that one of them frees, unless it has happened.
    Heap {
        is_freed: bool,
    },
}

#[derive(Clone, Copy, PartialEq)]
enum Waits {
    Condition,
    Semaphore,
}

const SHARED: [&str; 3] = ["x", "y", "z"];
const LOCALS: [&str; 3] = ["a", "b", "c"];

const THREADS: [&str; 3] = ["first", "second", "third"];

pub fn program(seed: u64, n_threads: usize) -> String {
    let mut rng = Rng::new(seed);
    let waits = match rng.below(6) {
        0 => Some(Waits::Condition),
        1 => Some(Waits::Semaphore),
        _ => None,
    };
    let shares = match rng.below(4) {
        0 => Shares::Pair,
        1 => Shares::Heap { is_freed: false },
        _ => Shares::Numbers,
    };
    let joins = rng.below(8) == 0;
    let mut generator = Generator {
        rng,
        n_threads,
        text: String::new(),
        left: 0,
        has_asserted: false,
        assigned: Vec::new(),
        waits,
        shares,
        joins,
    };
    generator.text.push_str(
        "#include <assert.h>\n#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n\
         extern void __VERIFIER_atomic_begin(void);\nextern void __VERIFIER_atomic_end(void);\n\
         #include <stdlib.h>\nstatic int x, y;\nstatic atomic_int z;\n\
         static union { long both; int half[2]; } u;\nstatic int *p;\nstatic pthread_t t[3];\n\
         static pthread_mutex_t l = PTHREAD_MUTEX_INITIALIZER, m = PTHREAD_MUTEX_INITIALIZER;\n\
         static pthread_cond_t c1 = PTHREAD_COND_INITIALIZER;\nstatic sem_t s1;\n\
         #ifdef ORACLE\nstatic pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;\n\
         static void *wait(void *arg) { pthread_mutex_lock(&held); return arg; }\n#endif\n",
    );
    for name in &THREADS[..n_threads] {
        generator.thread(name);
    }
    generator.text.push_str("int main(void)\n{\n    int a = 0, b = 0, c = 0;\n    (void)a, (void)b, (void)c;\n");
    if generator.rng.below(2) == 0 {
        generator.text.push_str("    x = 1;\n");
    }
    let begins_with = generator.rng.below(2);
    let _ = writeln!(generator.text, "    (void)c1;\n    sem_init(&s1, 0, {begins_with});");
    generator.text.push_str("    (void)u;\n    p = malloc(sizeof *p);\n    *p = 0;\n");
    generator.text.push_str("#ifdef ORACLE\n    pthread_mutex_lock(&held);\n#endif\n");
    for (nth, name) in THREADS[..n_threads].iter().enumerate() {
        let _ = writeln!(generator.text, "    pthread_create(&t[{nth}], 0, {name}, 0);");
    }
    generator.text.push_str("#ifdef ORACLE\n    pthread_t w;\n    pthread_create(&w, 0, wait, 0);\n#endif\n");
    for nth in (0..n_threads).filter(|&nth| !(joins && nth == n_threads - 2)) {
        let _ = writeln!(generator.text, "    pthread_join(t[{nth}], 0);");
    }
    if !joins && generator.rng.below(3) == 0 {
        let (local, shared) = (generator.pick(&LOCALS), generator.pick(&SHARED));
        let _ = writeln!(generator.text, "    {local} = {shared};");
        generator.assigned = vec![local];
        generator.assertion(1);
    }
    generator.text.push_str("    return 0;\n}\n");
    generator.text
}

impl Generator {
    fn pick<'s>(&mut self, of: &[&'s str]) -> &'s str {
        of[self.rng.below(of.len())]
    }

    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "    ".repeat(depth));
    }

    fn thread(&mut self, name: &str) {
        let _ = writeln!(
            self.text,
            "static void *{name}(void *arg)\n{{\n    int a = 0, b = 0, c = 0;\n    (void)a, (void)b, (void)c;"
        );
        // All schedules of three threads are many.
        self.left = if self.n_threads > 2 { 1 + self.rng.below(3) } else { 3 + self.rng.below(4) };
        self.has_asserted = false;
        self.assigned.clear();
        let mut waits_for = (self.joins && name == THREADS[self.n_threads - 1]).then_some(self.n_threads - 2);
        while self.left > 0 {
            if let Some(nth) = waits_for.take_if(|_| self.rng.below(2) == 0) {
                self.line(1, &format!("pthread_join(t[{nth}], 0);"));
            }
            self.statement(1, [true, true]);
        }
        if let Some(nth) = waits_for {
            self.line(1, &format!("pthread_join(t[{nth}], 0);"));
        }
        for _ in 0..if self.has_asserted || self.n_threads > 2 { 1 } else { 2 } {
            self.assertion(1);
        }
        self.text.push_str("    return arg;\n}\n");
    }

    /// How many values other than 0 are written. Three threads do little, and fail more often with fewer.
    fn n_values(&self) -> usize {
        if self.n_threads > 2 { 2 } else { 3 }
    }

    /// A local that has been read into, if there is one.
    fn read_local(&mut self) -> &'static str {
        match self.assigned.len() {
            0 => self.pick(&LOCALS),
            n => self.assigned[self.rng.below(n)],
        }
    }

    fn assertion(&mut self, depth: usize) {
        self.has_asserted = true;
        let (p, q) = (self.read_local(), self.read_local());
        let n_values = self.n_values();
        let (v, w) = (self.rng.below(n_values + 1), self.rng.below(n_values + 1));
        let text = match self.rng.below(4) {
            0 => format!("assert({p} != {});", 1 + v),
            1 => format!("assert({p} <= {q});"),
            _ => format!("assert(!({p} == {v} && {q} == {w}));"),
        };
        let text = if text.contains("== 0 && ") && text.ends_with("== 0));") {
            format!("assert({p} < {});", 1 + v)
        } else {
            text
        };
        self.line(depth, &text);
    }

    /// `free` says which locks the thread does not hold.
    fn statement(&mut self, depth: usize, free: [bool; 2]) {
        self.left = self.left.saturating_sub(1);
        let (shared, local, other) = (self.pick(&SHARED), self.pick(&LOCALS), self.pick(&LOCALS));
        let n_values = self.n_values();
        let value = 1 + self.rng.below(n_values);
        if self.rng.below(6) == 0
            && let Some(waits) = self.waits
        {
            return self.wait_or_wake(depth, free, waits);
        }
        if self.shares != Shares::Numbers && self.rng.below(3) == 0 {
            return self.pair_or_heap(depth, local, value);
        }
        let kind = self.rng.below(20);
        if let 5..=9 | 11..=13 = kind {
            self.assigned.push(local);
        }
        match kind {
            0..=4 => self.line(depth, &format!("{shared} = {value};")),
            5..=9 => self.line(depth, &format!("{local} = {shared};")),
            10 => self.line(depth, &format!("{shared} = {local} + 1;")),
            11 => self.line(depth, &format!("{local} = {shared} + {shared};")),
            12 => self.line(depth, &format!("{local} = atomic_fetch_add(&z, {value});")),
            13 => self.line(
                depth,
                &format!("{local} = {}; atomic_compare_exchange_strong(&z, &{local}, {value});", value - 1),
            ),
            14 => {
                self.line(depth, &format!("if ({local} == {value}) {{"));
                self.statement(depth + 1, free);
                self.line(depth, "}");
            }
            15 | 16 if free != [false, false] => self.section(depth, free),
            17 if depth == 1 => {
                self.line(depth, "__VERIFIER_atomic_begin();");
                self.line(depth, &format!("{local} = {shared};"));
                self.line(depth, &format!("{shared} = {other} + {value};"));
                self.line(depth, "__VERIFIER_atomic_end();");
            }
            18 if depth == 1 && self.rng.below(3) == 0 => self.line(depth, &format!("while ({shared} == 0) ;")),
            _ => self.assertion(depth),
        }
    }

    fn pair_or_heap(&mut self, depth: usize, local: &'static str, value: usize) {
        let (kind, half) = (self.rng.below(6), self.rng.below(2));
        let text = match self.shares {
            Shares::Pair => match kind {
                0 => format!("u.both = {value} | {}L << 32;", value + 1),
                1 => format!("u.half[{half}] = {value};"),
                2 => format!("{local} = (int)(u.both & 3) + (int)(u.both >> 32);"),
                _ => format!("{local} = u.half[{half}];"),
            },
            Shares::Heap { is_freed: false } if kind == 0 && depth == 1 => {
                self.shares = Shares::Heap { is_freed: true };
                "free(p);".to_owned()
            }
            _ if kind < 3 => format!("*p = {value};"),
            _ => format!("{local} = *p;"),
        };
        if text.starts_with(local) {
            self.assigned.push(local);
        }
        self.line(depth, &text);
    }

    /// A thread waits with the lock `l`, or wakes the other one.
    fn wait_or_wake(&mut self, depth: usize, free: [bool; 2], waits: Waits) {
        match (waits, self.rng.below(2)) {
            (Waits::Condition, 0) if free[0] => {
                self.line(depth, "pthread_mutex_lock(&l);");
                self.line(depth, "pthread_cond_wait(&c1, &l);");
                self.line(depth, "pthread_mutex_unlock(&l);");
            }
            (Waits::Condition, _) if self.n_threads > 2 && self.rng.below(3) == 0 => {
                self.line(depth, "pthread_cond_broadcast(&c1);");
            }
            (Waits::Condition, _) => self.line(depth, "pthread_cond_signal(&c1);"),
            (Waits::Semaphore, 0) => self.line(depth, "sem_wait(&s1);"),
            (Waits::Semaphore, _) => self.line(depth, "sem_post(&s1);"),
        }
    }

    fn section(&mut self, depth: usize, mut free: [bool; 2]) {
        let lock = if free[0] && (!free[1] || self.rng.below(2) == 0) { 0 } else { 1 };
        let name = ["l", "m"][lock];
        free[lock] = false;
        self.line(depth, &format!("pthread_mutex_lock(&{name});"));
        for _ in 0..1 + self.rng.below(3) {
            self.statement(depth + 1, free);
        }
        self.line(depth, &format!("pthread_mutex_unlock(&{name});"));
    }
}
