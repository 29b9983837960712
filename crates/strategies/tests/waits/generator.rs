//! Small programs in which threads wait in loops of all kinds.

use gordian_base::Rng;
use std::fmt::Write;

const VARIABLES: [&str; 3] = ["x", "y", "z"];

/// A program of two or three threads. What they see adds up to the exit status.
pub fn program(rng: &mut Rng) -> String {
    let n_threads = 2 + rng.below(2);
    let mut text = String::from(PRELUDE);
    // What a thread reads first of all is its own number, as far as main leaves that alone.
    let reads_first = rng.below(3) == 0;
    let first = if reads_first { "*(int *)arg" } else { "0" };
    for thread in 0..n_threads {
        let _ = write!(text, "static void *t{thread}(void *arg)\n{{\n    int r = {first}, e = 0, i = 0;\n");
        for _ in 0..1 + rng.below(if n_threads > 2 { 2 } else { 3 }) {
            let _ = writeln!(text, "    {}", statement(rng));
        }
        text.push_str("    (void)e, (void)i;\n    return (void *)(long)r;\n}\n\n");
    }
    text.push_str(
        "int main(void)\n{\n    pthread_t t[3];\n    void *p;\n    int status = 0, r = 0, e = 0, i = 0, ids[3];\n    pthread_spin_init(&q, 0);\n    h = calloc(1, sizeof *h);\n",
    );
    for thread in 0..n_threads {
        let _ = writeln!(
            text,
            "    ids[{thread}] = {thread};\n    pthread_create(&t[{thread}], 0, t{thread}, &ids[{thread}]);"
        );
    }
    if n_threads == 2 && rng.below(3) == 0 {
        let _ = writeln!(text, "    {}", statement(rng));
    }
    // Now and then main does not wait, or only for some.
    let n_joined = if rng.below(4) == 0 { rng.below(n_threads) } else { n_threads };
    for thread in 0..n_joined {
        let _ = writeln!(
            text,
            "    pthread_join(t[{thread}], &p);\n    status = status * 5 + (int)(long)p;\n    ids[{thread}] = 7;"
        );
    }
    if n_joined < n_threads && rng.below(2) == 0 {
        let _ = writeln!(text, "    {}", statement(rng));
    }
    text.push_str("    (void)p, (void)e, (void)i;\n    return (status * 3 + r) & 0x7f;\n}\n");
    text
}

const PRELUDE: &str = "#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>

void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);

static atomic_int x, y, z;
static _Thread_local int seen;
static sem_t s;
static atomic_int *h;
static pthread_spinlock_t q;
static pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;

static int is(atomic_int *at, int value)
{
    return atomic_load(at) == value;
}

static int swap(atomic_int *at, int from, int to)
{
    int expected = from;
    return atomic_compare_exchange_strong(at, &expected, to);
}

static int looks(atomic_int *at, int value, int *found)
{
    *found = atomic_load(at);
    return *found != value;
}

";

fn statement(rng: &mut Rng) -> String {
    let (v, w) = (VARIABLES[rng.below(3)], VARIABLES[rng.below(3)]);
    let (a, b) = (rng.below(2), 1 + rng.below(2));
    if rng.below(3) == 0 {
        return harder_statement(rng, v, w, a, b);
    }
    match rng.below(22) {
        0..=2 => format!("atomic_store(&{v}, {b});"),
        3 => format!("atomic_store(&{v}, 0);"),
        4 => format!("atomic_fetch_add(&{v}, 1);"),
        5 => format!("while (atomic_load(&{v}) != {b}) {{}}"),
        6 => format!("while (atomic_load(&{v}) < {b}) sched_yield();"),
        7 => format!("while (!is(&{v}, {b})) sched_yield();"),
        8 => format!("while (atomic_exchange(&{v}, 1)) {{}}"),
        9 => format!(
            "while (atomic_exchange(&{v}, 1)) sched_yield(); r = r * 2 + atomic_load(&{w}); atomic_store(&{v}, 0);"
        ),
        10 => format!("e = {a}; while (!atomic_compare_exchange_strong(&{v}, &e, {b})) e = {a};"),
        11 => format!("while (!swap(&{v}, {a}, {b})) {{}}"),
        12 => format!(
            "e = atomic_load(&{v}); while (!atomic_compare_exchange_strong(&{v}, &e, e + 1)) {{}} r = r * 2 + e;"
        ),
        13 => format!("while (!(atomic_load(&{v}) == {b} && atomic_load(&{w}) == {a})) {{}}"),
        14 => format!("do {{ while (atomic_load(&{v})) {{}} }} while (atomic_exchange(&{v}, 1));"),
        15 => format!("for (i = 0; i < 2 && atomic_load(&{v}) != {b}; i++) {{}} r = r * 2 + i;"),
        16 => format!(
            "while (pthread_mutex_trylock(&m)) sched_yield(); r = r * 2 + atomic_load(&{v}); pthread_mutex_unlock(&m);"
        ),
        17 => format!("pthread_mutex_lock(&m); atomic_store(&{v}, {b}); pthread_mutex_unlock(&m);"),
        18 => format!("r = r * 3 + atomic_load(&{v});"),
        19 => format!("assert(!(atomic_load(&{v}) == {b} && atomic_load(&{w}) == {b}));"),
        20 => format!("while ((e = atomic_load(&{v})) == 0) {{}} r = r * 2 + e;"),
        _ => format!("do e = atomic_fetch_or(&{v}, {b}); while (e & {b}); r = r + e;"),
    }
}

/// Loops that come close to being awaits, and what others do meanwhile.
fn harder_statement(rng: &mut Rng, v: &str, w: &str, a: usize, b: usize) -> String {
    match rng.below(35) {
        28..=34 => statement_on_what_ends(rng, v, b),
        22..=25 => polling_statement(rng),
        26 => "for (;;) sched_yield();".to_owned(),
        27 => format!(
            "if (pthread_mutex_trylock(&m)) r = r * 2 + 1; else {{ atomic_store(&{v}, {b}); pthread_mutex_unlock(&m); }}"
        ),
        0 => format!(
            "__VERIFIER_atomic_begin(); atomic_store(&{v}, {a}); atomic_store(&{v}, {b}); atomic_store(&{v}, 0); __VERIFIER_atomic_end();"
        ),
        1 => format!(
            "__VERIFIER_atomic_begin(); atomic_store(&{v}, {b}); r = r * 2 + atomic_load(&{w}); atomic_store(&{w}, {a}); __VERIFIER_atomic_end();"
        ),
        2 => format!("while (looks(&{v}, {b}, &e)) {{}} r = r * 2 + e;"),
        3 => format!("while (looks(&{v}, {b}, &i)) e = i; r = r * 3 + e;"),
        4 => format!(
            "for (;;) {{ if (atomic_load(&{v}) == {b}) break; if (atomic_load(&{w})) {{ r = r * 2 + 1; break; }} }}"
        ),
        5 => format!(
            "do e = atomic_load(&{v}); while (e == 0 || !atomic_compare_exchange_strong(&{v}, &e, e - 1)); r = r * 2 + e;"
        ),
        6 => format!("while (atomic_load(&{v}) != {b}) seen = 1; r = r * 2 + seen;"),
        7 => format!(
            "{{ int last[2] = {{0}}; while ((last[1] = atomic_load(&{v})) != {b}) last[0] = last[1]; r = r * 3 + last[0]; }}"
        ),
        8 => format!("while (atomic_load(&{v}) != {b}) i = !i; r = r * 2 + i;"),
        9 => "exit(7);".to_owned(),
        10 => format!("if (atomic_load(&{v}) == {b}) exit(9);"),
        11 => format!("while (sem_trywait(&s)) sched_yield(); r = r * 2 + atomic_load(&{v});"),
        12 => format!("atomic_store(&{v}, {b}); sem_post(&s);"),
        13 => format!("while (pthread_rwlock_trywrlock(&l)) {{}} atomic_store(&{v}, {b}); pthread_rwlock_unlock(&l);"),
        14 => format!(
            "while (pthread_rwlock_tryrdlock(&l)) {{}} r = r * 2 + atomic_load(&{v}); pthread_rwlock_unlock(&l);"
        ),
        15 => format!("while (atomic_load(&{v}) == {a}) {{}} while (atomic_load(&{w}) == {a}) {{}}"),
        16 => format!("while (atomic_fetch_and(&{v}, {b}) != {b}) {{}} r = r * 2 + atomic_load(&{w});"),
        17 => format!(
            "while (pthread_mutex_trylock(&m) || atomic_load(&{v}) == {a}) sched_yield(); pthread_mutex_unlock(&m);"
        ),
        18 => format!("pthread_mutex_lock(&m); while (atomic_load(&{v}) != {b}) {{}} pthread_mutex_unlock(&m);"),
        19 => format!("while ((e = atomic_load(&{v})) != {b} && e != i) i = e; r = r * 3 + i;"),
        20 => "if (pthread_mutex_trylock(&m) == 0) { r = r * 2 + 1; pthread_mutex_unlock(&m); }".to_owned(),
        _ => format!("while (atomic_load(&{v}) + atomic_load(&{w}) != {b}) sched_yield();"),
    }
}

/// Loops that wait for something in an object which may end meanwhile.
fn statement_on_what_ends(rng: &mut Rng, v: &str, b: usize) -> String {
    match rng.below(8) {
        0 | 1 => format!("{{ atomic_int *g = h; while (atomic_load(g) != {b}) {{}} }} r = r * 2 + atomic_load(&{v});"),
        2 => format!("{{ atomic_int *g = h; while (atomic_exchange(g, 0) == 0) {{}} }} r = r * 2 + atomic_load(&{v});"),
        3 => format!("atomic_store(h, {b});"),
        4 => format!("atomic_store(h, {b}); free((void *)h);"),
        5 => format!("while (pthread_spin_trylock(&q)) {{}} r = r * 2 + atomic_load(&{v}); pthread_spin_unlock(&q);"),
        6 => format!("pthread_spin_lock(&q); atomic_store(&{v}, {b}); pthread_spin_unlock(&q);"),
        _ => "pthread_spin_lock(&q); pthread_spin_unlock(&q); pthread_spin_destroy(&q);".to_owned(),
    }
}

/// Loops whose rounds have effects: they have no end of their own.
pub fn polling_statement(rng: &mut Rng) -> String {
    let (v, w, b) = (VARIABLES[rng.below(3)], VARIABLES[rng.below(3)], 1 + rng.below(2));
    match rng.below(5) {
        3 => format!("while (atomic_fetch_add(&{w}, 1) != {b}) atomic_fetch_sub(&{w}, 1);"),
        4 => format!(
            "do {{ while (atomic_exchange(&{w}, 1)) {{}} e = atomic_load(&{v}); atomic_store(&{w}, 0); }} while (e != {b});"
        ),
        0 => format!(
            "do {{ pthread_mutex_lock(&m); e = atomic_load(&{v}); pthread_mutex_unlock(&m); }} while (e != {b});"
        ),
        1 => {
            format!("for (;;) {{ atomic_store(&{w}, 1); if (atomic_load(&{v}) == {b}) break; atomic_store(&{w}, 0); }}")
        }
        _ => format!("while (atomic_load(&{v}) != {b}) atomic_exchange(&{w}, {b});"),
    }
}
