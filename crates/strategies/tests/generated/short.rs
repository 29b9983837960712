//! Three or four threads of a short statement or two, all about the same object. In many cases executions end early or threads are cancelled, so that much
//! depends on what threads were about to do, and whether they would have done just that at another time.

use crate::features::Feature;
use crate::generator::{Case, Node};
use crate::statements;
use gordian_base::Rng;

/// Who is about to take a unit may be cancelled instead.
const CANCELLED_WAITS: &[&str] = &[
    "sem_wait(&s);",
    "sem_wait(&s);",
    "sem_getvalue(&s, &q); r += q;",
    "pthread_cancel((pthread_t)arg);",
    "pthread_cancel((pthread_t)arg);",
    "if (!a) sem_post(&s);",
    "sem_post(&s);",
    "r += sem_trywait(&s);",
    "r += sem_timedwait(&s, &soon);",
    "a = 1;",
];

/// A failure, or a false assumption in an atomic section, ends the execution before others have done what they would.
const FAILURES: &[&str] = &[
    "assert(a != 2);",
    "assert(a == 0);",
    "assert(b == 0);",
    "pthread_mutex_lock(&m); assert(a != 2); pthread_mutex_unlock(&m);",
    "__VERIFIER_atomic_begin(); gordian_assume(a == 0); b++; __VERIFIER_atomic_end();",
    "{ int k = 5; atomic_compare_exchange_strong(&a, &k, 6); assert(k); }",
    "{ int k = 5; atomic_compare_exchange_strong(&a, &k, 6); assert(k); }",
    "b = 1; __VERIFIER_atomic_begin(); if (!named.count) a = 2; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); if (!named.count) a = 1; __VERIFIER_atomic_end();",
    "if (b) { named.count = 1; q = a; assert(q); }",
    "named.count = 1; q = a; assert(q);",
    "a = 2;",
    "a = 1;",
    "b = 1;",
    "if (!b) a = 2;",
    "q = a; r += q;",
    "pthread_mutex_lock(&m);",
    "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);",
    "r += pthread_mutex_trylock(&m);",
    "r += pthread_mutex_timedlock(&m, &soon);",
    "sem_wait(&s);",
    "sem_post(&s);",
    "sem_init(&s, 0, 0);",
];

const THEMES: &[Feature] = &[
    Feature::Assumptions,
    Feature::Cancellation,
    Feature::FullSemaphores,
    Feature::CheckingMutexes,
    Feature::LibraryCalls,
];

impl Case {
    pub fn short(rng: &mut Rng) -> Case {
        let theme = THEMES[rng.below(THEMES.len())];
        let statements = match theme {
            Feature::Assumptions => FAILURES,
            Feature::Cancellation => CANCELLED_WAITS,
            theme => statements::of(theme),
        };
        let line = |text: &str| Node::Line(text.to_owned());
        let pick = |rng: &mut Rng| line(statements[rng.below(statements.len())]);
        let n_threads = 3 + rng.below(2);
        let setups = statements::setup(theme);
        let mut bodies = vec![Vec::new(), Vec::new()];
        bodies[0].extend((!setups.is_empty()).then(|| line(setups[rng.below(setups.len())])));
        for nth in 0..n_threads {
            let known = if nth == 0 { "pthread_self()".to_owned() } else { format!("t[{}]", rng.below(nth)) };
            bodies[0].push(line(&format!("pthread_create(&t[{nth}], 0, thread{nth}_CASE, (void *){known});")));
            let n_statements = 1 + usize::from(rng.below(4) == 0);
            bodies.push((0..n_statements).map(|_| pick(rng)).collect());
        }
        bodies[0].push(line("arg = (void *)t[0];"));
        bodies[0].push(pick(rng));
        match rng.below(3) {
            0 => bodies[0].push(line("pthread_exit(0);")),
            1 => bodies[0].push(line(&format!("for (int i = 0; i < {n_threads}; i++) pthread_join(t[i], 0);"))),
            _ => {}
        }
        Case { bodies, weak_cas_fails: false, spurious_wakeups: false, races: false, features: vec![theme] }
    }
}
