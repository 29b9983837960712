//! The statements of generated programs, by feature. ` @ ` parts a statement into what stands before and behind others. A thread
//! has `long r`, `int q` and `void *arg`, the thread that was created before it.

use crate::features::Feature;

/// Stands behind the declarations of all generated programs.
pub const HEAD: &str = r#"#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <gordian.h>
#include <setjmp.h>
#include <stdarg.h>
extern char **environ;
struct objects {
    pthread_mutex_t m; pthread_rwlock_t rw; pthread_cond_t c; sem_t s; pthread_spinlock_t spin; pthread_barrier_t barrier; pthread_once_t once;
    atomic_int value; int plain;
};
static void init_objects(struct objects *o) {
    memset(o, 0, sizeof *o);
    pthread_mutex_init(&o->m, 0); pthread_rwlock_init(&o->rw, 0); pthread_cond_init(&o->c, 0); sem_init(&o->s, 0, 1);
    pthread_spin_init(&o->spin, 0); pthread_barrier_init(&o->barrier, 0, 2);
}
static struct objects *h;
static _Atomic(struct objects *) hp;
static void make_objects(void) { h = malloc(sizeof *h); init_objects(h); }
static void grow_objects(void) { struct objects *o = realloc(h, sizeof *h + 32); if (o) h = o; }
static pthread_mutex_t robust, check;
static void init_mutex(pthread_mutex_t *mutex, int type, int is_robust) {
    pthread_mutexattr_t attr; pthread_mutexattr_init(&attr); pthread_mutexattr_settype(&attr, type);
    if (is_robust) pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(mutex, &attr); pthread_mutexattr_destroy(&attr);
}
static pthread_key_t key, other_key;
static void at_end(void *value) { a += (int)(long)value; }
static void at_end_plain(void *value) { x += (int)(long)value; }
static void at_end_lock(void *value) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); (void)value; }
static void handler_plain(void) { x++; }
static void handler_atomic(void) { a++; }
static void handler_asserts(void) { assert(a != 2); }
static void handler_reads(void) { if (x == 2) abort(); }
static void handler_locks(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
static void handler_frees(void) { free(h); h = 0; }
static void handler_nests(void) { a = 3; atexit(handler_plain); }
static void cleanup(void *value) { a = (int)(long)value; }
static void cleanup_unlock(void *mutex) { pthread_mutex_unlock(mutex); }
static void prepare_atomic(void) { a++; }
static void prepare_locked(void) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); }
static pthread_once_t another = PTHREAD_ONCE_INIT;
static int fds[2], fd;
static pthread_t crowd[130];
static void *idle(void *argument) { return argument; }
static struct { char before; union { long whole; int half[2]; short quarter[4]; char byte[8]; _Atomic int part; _Atomic short small; }; } w;
static struct { char name[4]; atomic_int count; } named = {"ab", 0};
static char *text, copy[8];
static void make_text(void) { text = malloc(4); strcpy(text, "ab"); }
static void print_list(char *target, const char *form, ...) { va_list list; va_start(list, form); vsprintf(target, form, list); va_end(list); }
static char *lent;
static FILE *out;
static _Atomic(atomic_int *) ap;
static _Thread_local atomic_int own;
static void jump(jmp_buf buffer) { atomic_int v = 1; ap = &v; if (a) longjmp(buffer, 1); b = 1; }
static int catches(void) { jmp_buf buffer; if (setjmp(buffer)) return 1; jump(buffer); return 2; }
static void lets_know(void) { atomic_int v = 1; ap = &v; if (a) return; b = 1; }
static void ends(void) { atomic_int v = 1; ap = &v; if (a) pthread_exit(0); b = 1; }
static void varies(int n) { for (int i = 0; i < 2; i++) { atomic_int v[n]; v[0] = i; ap = v; if (a) continue; b = 1; } }
static void prepare_or_end(void) { if (a) pthread_exit(0); b = 1; }
static void cleanup_known(void *known) { b = *(atomic_int *)known; }
"#;

/// With every feature.
pub const PLAIN: &[&str] = &[
    "x = 1;",
    "x++;",
    "r = r * 3 + x;",
    "a = 1;",
    "a = 2;",
    "r = r * 3 + a;",
    "r += atomic_fetch_add(&a, 1);",
    "b = (int)r;",
    "r = r * 2 + b;",
    "if (a) x = 2;",
    "if (!a) b = 1;",
    "assert(a != 2 || b == 0);",
    "pthread_mutex_lock(&m); @ pthread_mutex_unlock(&m);",
    "if (pthread_mutex_trylock(&m) == 0) { @ pthread_mutex_unlock(&m); } else r--;",
    "sem_wait(&s); @ sem_post(&s);",
];

/// Of a thread that makes hundreds of steps.
pub const LOOPS: &[&str] = &[
    "for (int i = 0; i < 150; i++) flag = i;",
    "for (int i = 0; i < 120; i++) r += atomic_fetch_add(&b, 1) & 1;",
    "for (int i = 0; i < 100; i++) { r += b; flag = i; }",
    "for (int i = 0; i < 60; i++) { pthread_mutex_lock(&n); flag++; pthread_mutex_unlock(&n); }",
    "for (int i = 0; i < 200 && !a; i++) flag = i;",
    "for (int i = 0; i < 80; i++) { flag = i; if (i == 40) a = 1; }",
];

pub fn of(feature: Feature) -> &'static [&'static str] {
    match feature {
        Feature::HeapObjects => HEAP_OBJECTS,
        Feature::StackObjects => STACK_OBJECTS,
        Feature::Overwriting => OVERWRITING,
        Feature::Assumptions => ASSUMPTIONS,
        Feature::BlockedSections => BLOCKED_SECTIONS,
        Feature::Exits => EXITS,
        Feature::Keys => KEYS,
        Feature::Cancellation => CANCELLATION,
        Feature::Once => ONCE,
        Feature::MutexKinds => MUTEX_KINDS,
        Feature::Detaching => DETACHING,
        Feature::Descriptors => DESCRIPTORS,
        Feature::Widths => WIDTHS,
        Feature::Environment => ENVIRONMENT,
        Feature::Clock => CLOCK,
        Feature::Conditions => CONDITIONS,
        Feature::ManyThreads => MANY_THREADS,
        Feature::FullSemaphores => FULL_SEMAPHORES,
        Feature::CheckingMutexes => CHECKING_MUTEXES,
        Feature::LibraryCalls => LIBRARY_CALLS,
        Feature::Strings => STRINGS,
        Feature::Leaving => LEAVING,
        Feature::ReadLocks => READ_LOCKS,
        Feature::StreamBuffers => STREAM_BUFFERS,
        Feature::NestedCreation | Feature::LongLoops => &[],
    }
}

const HEAP_OBJECTS: &[&str] = &[
    "pthread_mutex_lock(&h->m); @ pthread_mutex_unlock(&h->m);",
    "if (pthread_mutex_trylock(&h->m) == 0) { @ pthread_mutex_unlock(&h->m); }",
    "pthread_mutex_lock(&h->m); a = 1; pthread_mutex_unlock(&h->m);",
    "r += pthread_mutex_timedlock(&h->m, &soon);",
    "pthread_rwlock_rdlock(&h->rw); @ pthread_rwlock_unlock(&h->rw);",
    "pthread_rwlock_wrlock(&h->rw); a = 1; pthread_rwlock_unlock(&h->rw);",
    "if (pthread_rwlock_trywrlock(&h->rw) == 0) { @ pthread_rwlock_unlock(&h->rw); }",
    "sem_wait(&h->s);",
    "a = 1; sem_post(&h->s);",
    "sem_post(&h->s); a = 1;",
    "sem_getvalue(&h->s, &q); r += q;",
    "r += sem_trywait(&h->s);",
    "pthread_spin_lock(&h->spin); @ pthread_spin_unlock(&h->spin);",
    "pthread_cond_signal(&h->c);",
    "pthread_cond_broadcast(&h->c);",
    "pthread_mutex_lock(&m); r += pthread_cond_timedwait(&h->c, &m, &soon); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&h->m); pthread_cond_wait(&h->c, &h->m); pthread_mutex_unlock(&h->m);",
    "pthread_barrier_wait(&h->barrier);",
    "pthread_once(&h->once, prepare);",
    "h->plain = 1;",
    "r += h->value;",
    "h->value = 2;",
    "free(h);",
    "if (a) free(h);",
    "if (a) { free(h); h = 0; }",
    "grow_objects();",
    "if (a) grow_objects();",
    "memset(h, 0, sizeof *h);",
    "memset(&h->m, 0, sizeof h->m);",
    "h->m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;",
    "r += *(volatile int *)&h->s;",
    "*(volatile int *)&h->s = 1;",
    "pthread_mutex_destroy(&h->m);",
    "sem_init(&h->s, 0, 0);",
    "sem_destroy(&h->s);",
    "pthread_barrier_destroy(&h->barrier);",
    "pthread_cond_destroy(&h->c);",
    "pthread_mutex_init(&h->m, 0);",
];

const STACK_OBJECTS: &[&str] = &[
    "{ struct objects o; init_objects(&o); hp = &o; @ hp = 0; }",
    "{ struct objects o; init_objects(&o); hp = &o; @ }",
    "{ struct objects o; init_objects(&o); hp = &o; pthread_mutex_lock(&o.m); @ pthread_mutex_unlock(&o.m); }",
    "{ struct objects o; init_objects(&o); hp = &o; sem_wait(&o.s); @ sem_wait(&o.s); }",
    "{ struct objects *o = hp; if (o) { pthread_mutex_lock(&o->m); pthread_mutex_unlock(&o->m); } }",
    "{ struct objects *o = hp; if (o) sem_post(&o->s); }",
    "{ struct objects *o = hp; if (o) r += sem_trywait(&o->s); }",
    "{ struct objects *o = hp; if (o) pthread_cond_signal(&o->c); }",
    "{ struct objects *o = hp; if (o) { pthread_rwlock_rdlock(&o->rw); pthread_rwlock_unlock(&o->rw); } }",
    "{ struct objects *o = hp; if (o) { pthread_spin_lock(&o->spin); pthread_spin_unlock(&o->spin); } }",
    "{ struct objects *o = hp; if (o) pthread_once(&o->once, prepare); }",
    "{ struct objects *o = hp; if (o) o->plain = 1; }",
    "{ struct objects *o = hp; if (o) r += o->value; }",
];

const OVERWRITING: &[&str] = &[
    "sem_init(&s, 0, 0);",
    "sem_init(&s, 0, 1);",
    "sem_wait(&s);",
    "m = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;",
    "memset(&m, 0, sizeof m);",
    "r += *(volatile int *)&m;",
    "*(volatile int *)&m = 0;",
    "memcpy(&n, &m, sizeof m);",
    "memset(&s, 0, sizeof s);",
    "r += *(volatile int *)&s;",
    "memset(&rw, 0, sizeof rw);",
    "rw = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;",
    "c = (pthread_cond_t)PTHREAD_COND_INITIALIZER;",
    "once = PTHREAD_ONCE_INIT;",
    "spin = 0;",
    "pthread_mutex_lock(&m); @ pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&n); @ pthread_mutex_unlock(&n);",
    "r += pthread_mutex_trylock(&m);",
    "pthread_rwlock_rdlock(&rw); @ pthread_rwlock_unlock(&rw);",
    "pthread_spin_lock(&spin); @ pthread_spin_unlock(&spin);",
    "sem_post(&s);",
    "r += sem_trywait(&s);",
    "pthread_cond_signal(&c);",
    "pthread_mutex_lock(&m); r += pthread_cond_timedwait(&c, &m, &soon); pthread_mutex_unlock(&m);",
    "pthread_once(&once, prepare);",
];

const ASSUMPTIONS: &[&str] = &[
    "gordian_assume(a == 0);",
    "gordian_assume(a != 0);",
    "gordian_assume(x != 1);",
    "gordian_assume(0);",
    "pthread_mutex_lock(&m); gordian_assume(x == 0); @ pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); assert(x == 0); pthread_mutex_unlock(&m);",
    "q = a; gordian_assume(q < 2); r += q;",
    "for (int i = 0; i < 2; i++) { gordian_assume(a < 2); a++; }",
    "__VERIFIER_atomic_begin(); b++; gordian_assume(a == 0); b++; __VERIFIER_atomic_end();",
    "pthread_mutex_lock(&m);",
    "sem_wait(&zero);",
    "sem_post(&zero); gordian_assume(a);",
];

const BLOCKED_SECTIONS: &[&str] = &[
    "__VERIFIER_atomic_begin(); b++; gordian_assume(a == 0); b++; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); gordian_assume(a == 0); x++; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); gordian_assume(a == b); a = 1; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); gordian_assume(b != 1); r += a; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); a++; gordian_assume(x == 0); __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); r += b; gordian_assume(a != 2); b = 2; __VERIFIER_atomic_end();",
    "__VERIFIER_atomic_begin(); q = a; if (q) gordian_assume(b); b++; __VERIFIER_atomic_end();",
    "a = 1;",
    "b = 1;",
    "r = r * 3 + a;",
    "r = r * 3 + b;",
    "q = a; if (q == 0) b = 1;",
];

const EXITS: &[&str] = &[
    "exit(0);",
    "if (a) exit(1);",
    "if (x == 1) _exit(2);",
    "exit(a);",
    "atexit(handler_plain);",
    "atexit(handler_atomic);",
    "atexit(handler_asserts);",
    "pthread_exit((void *)3);",
    "abort();",
    "assert(0);",
    "if (h) pthread_mutex_lock(&h->m);",
    "if (a == 1) abort();",
    "printf(\"out \");",
];

const KEYS: &[&str] = &[
    "pthread_setspecific(key, (void *)1L);",
    "pthread_setspecific(key, (void *)2L);",
    "r += (long)pthread_getspecific(key);",
    "if (a) pthread_setspecific(key, (void *)1L);",
    "pthread_key_create(&other_key, at_end);",
    "pthread_key_create(&other_key, 0);",
    "pthread_setspecific(other_key, (void *)1L);",
    "pthread_key_delete(key);",
    "if (a) pthread_key_delete(key);",
    "r += pthread_setspecific(key, &x) != 0;",
    "{ pthread_key_t k; r += pthread_key_create(&k, at_end); r += k; }",
    "{ pthread_key_t k; pthread_key_create(&k, at_end_plain); pthread_setspecific(k, (void *)1L); }",
    "pthread_exit((void *)5);",
];

const CANCELLATION: &[&str] = &[
    "r += pthread_cancel((pthread_t)arg);",
    "pthread_cancel((pthread_t)arg);",
    "if (a) pthread_cancel((pthread_t)arg);",
    "pthread_testcancel();",
    "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &q); @ pthread_setcancelstate(q, 0);",
    "pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, 0);",
    "pthread_cleanup_push(cleanup, (void *)2L); @ pthread_cleanup_pop(1);",
    "pthread_cleanup_push(cleanup, (void *)2L); pthread_testcancel(); @ pthread_cleanup_pop(0);",
    "pthread_mutex_lock(&m); pthread_cleanup_push(cleanup_unlock, &m); pthread_testcancel(); x++; @ pthread_cleanup_pop(1);",
    "pthread_mutex_lock(&m); pthread_cleanup_push(cleanup_unlock, &m); pthread_cond_wait(&c, &m); @ pthread_cleanup_pop(1);",
    "pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &soon); pthread_mutex_unlock(&m);",
    "sem_wait(&zero);",
    "sem_post(&zero);",
    "sem_wait(&s);",
    "sem_getvalue(&s, &q); r += q;",
    "pthread_cancel(pthread_self());",
    "printf(\"here \");",
    "r += write(1, \"k \", 2);",
    "usleep(1);",
    "{ void *result; r += pthread_join((pthread_t)arg, &result); }",
    "pthread_exit((void *)4);",
];

const ONCE: &[&str] = &[
    "pthread_once(&once, prepare);",
    "pthread_once(&once, prepare_atomic);",
    "pthread_once(&once, prepare_locked);",
    "pthread_once(&another, prepare_atomic);",
    "pthread_once(&another, prepare_locked);",
    "r += y;",
    "if (a) pthread_once(&once, prepare);",
    "pthread_once(&once, abort);",
];

const MUTEX_KINDS: &[&str] = &[
    "r += pthread_mutex_lock(&robust);",
    "q = pthread_mutex_lock(&robust); if (q == EOWNERDEAD) { pthread_mutex_consistent(&robust); a = 1; } @ if (q != ENOTRECOVERABLE) pthread_mutex_unlock(&robust);",
    "r += pthread_mutex_trylock(&robust);",
    "r += pthread_mutex_timedlock(&robust, &soon);",
    "r += pthread_mutex_unlock(&robust);",
    "r += pthread_mutex_consistent(&robust);",
    "r += pthread_mutex_lock(&check);",
    "r += pthread_mutex_trylock(&check);",
    "r += pthread_mutex_unlock(&check);",
    "pthread_mutex_lock(&check); @ pthread_mutex_unlock(&check);",
    "pthread_mutex_lock(&rec); @ pthread_mutex_unlock(&rec);",
    "r += pthread_mutex_lock(&rec);",
    "r += pthread_mutex_trylock(&rec);",
    "if (a) pthread_exit(0);",
];

const DETACHING: &[&str] = &[
    "r += pthread_detach((pthread_t)arg);",
    "r += pthread_detach(pthread_self());",
    "r += pthread_join((pthread_t)arg, 0);",
    "{ void *result = 0; if (pthread_join((pthread_t)arg, &result) == 0) r += (long)result; }",
    "if (a) r += pthread_detach((pthread_t)arg);",
    "if (a) r += pthread_join((pthread_t)arg, 0);",
    "pthread_exit((void *)1);",
    "{ pthread_t t; pthread_create(&t, 0, idle, 0); r += pthread_detach(t); }",
];

const DESCRIPTORS: &[&str] = &[
    "r += write(fds[1], \"k\", 1);",
    "{ char k = 0; r += read(fds[0], &k, 1); r += k; }",
    "r += close(fds[1]);",
    "r += close(fds[0]);",
    "fd = open(\"/tmp/gordian-generated\", O_CREAT | O_RDWR | O_TRUNC, 0600);",
    "q = open(\"/tmp/gordian-generated\", O_CREAT | O_RDWR, 0600); r += q;",
    "r += write(fd, \"xy\", 2);",
    "r += close(fd);",
    "{ char k = 0; lseek(fd, 0, SEEK_SET); r += read(fd, &k, 1) + k; }",
    "r += write(q, \"z\", 1);",
    "r += lseek(fd, 0, SEEK_CUR);",
    "r += dup(fds[1]);",
    "if (write(fds[1], \"k\", 1) < 0) pthread_exit(0);",
    "r += write(7, \"x\", 1);",
    "r += dup2(fds[1], 7);",
    "r += dup2(fds[0], fds[1]);",
    "q = dup(fds[1]); r += write(q, \"k\", 1);",
];

const WIDTHS: &[&str] = &[
    "w.whole = 0x0102030405060708;",
    "r = r * 3 + w.whole;",
    "w.half[0] = 7;",
    "w.half[1]++;",
    "r += w.half[1];",
    "w.quarter[1] = 9;",
    "r += w.quarter[2];",
    "w.byte[3] = 5;",
    "r += w.byte[0];",
    "r += atomic_fetch_add(&w.part, 257);",
    "r += w.part;",
    "w.small = 3;",
    "{ int odd; memcpy(&odd, &w.byte[2], 4); r += odd; }",
    "memset(&w.byte[1], (int)r, 3);",
    "memcpy(&w.byte[4], &w.byte[1], 3);",
    "q = 7; r += atomic_compare_exchange_strong(&w.part, &q, 8); r += q;",
];

const MANY_THREADS: &[&str] = &["r = r * 3 + a;", "r = r * 3 + a;", "a = 1;", "a = 2;", "if (!a) b = 1;"];

const ENVIRONMENT: &[&str] = &[
    "setenv(\"K\", \"1\", 1);",
    "setenv(\"K\", \"22\", 1);",
    "setenv(\"K\", \"3\", 0);",
    "unsetenv(\"K\");",
    "{ char *k = getenv(\"K\"); r += k ? *k : 0; }",
    "r += environ[0] != 0;",
    "{ char **e = environ; while (e && *e) { r += **e; e++; } }",
];

const CLOCK: &[&str] = &[
    "r += time(0);",
    "{ struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); r += now.tv_sec; }",
    "usleep(1000);",
    "sleep(1);",
];

const CONDITIONS: &[&str] = &[
    "pthread_mutex_lock(&m); while (!flag) pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); if (!flag) pthread_cond_wait(&c, &m); x++; pthread_mutex_unlock(&m);",
    "x = 1; pthread_cond_signal(&c);",
    "x = 1; pthread_cond_broadcast(&c);",
    "pthread_mutex_lock(&m); flag = 1; pthread_mutex_unlock(&m); pthread_cond_signal(&c);",
    "pthread_mutex_lock(&m); flag = 1; pthread_cond_broadcast(&c); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); r += x; pthread_mutex_unlock(&m);",
];

const FULL_SEMAPHORES: &[&str] = &[
    "r += sem_post(&s);",
    "r += sem_post(&s);",
    "if (sem_post(&s)) a = 2;",
    "sem_wait(&s);",
    "r += sem_trywait(&s);",
    "sem_getvalue(&s, &q); r += q & 3;",
    "if (!a) sem_post(&s);",
    "a = 1;",
    "assert(a != 2);",
];

const CHECKING_MUTEXES: &[&str] = &[
    "q = a; r += pthread_mutex_unlock(&check) + q;",
    "r += pthread_mutex_unlock(&check);",
    "pthread_mutex_lock(&check); a = 1; pthread_mutex_unlock(&check);",
    "r += pthread_mutex_lock(&check); r += pthread_mutex_lock(&check);",
    "r += pthread_mutex_trylock(&check);",
    "r += pthread_mutex_timedlock(&check, &soon);",
    "if (!a) r += pthread_mutex_unlock(&check);",
    "a = 2;",
    "assert(a != 2);",
];

const LIBRARY_CALLS: &[&str] = &[
    "{ char k = 0; r += sscanf(named.name, \"%c\", &k) + k; }",
    "r += strlen(named.name);",
    "memset(named.name, 0, 2);",
    "named.name[1] = 'c';",
    "named.name[0] = 0;",
    "r += named.count;",
    "assert(named.count == 0);",
    "if (!a) named.count = 1;",
    "if (!a) named.count = 1; else abort();",
    "r += atomic_fetch_add(&named.count, 1);",
    "a = 1;",
];

const STREAM_BUFFERS: &[&str] = &[
    "puts(\"k\");",
    "fputs(\"ab\", out);",
    "fflush(out);",
    "fflush(stdout);",
    "fflush(0);",
    "r += ferror(out);",
    "r += ferror(stdout);",
    "r += fgetc(stdout);",
    "clearerr(stdout);",
    "r += setvbuf(out, lent, _IOFBF, 8);",
    "r += setvbuf(stdout, lent, _IOLBF, 8);",
    "r += setvbuf(stdout, lent, _IOFBF, 8);",
    "setbuf(out, 0);",
    "setbuf(stdout, 0);",
    "free(lent);",
    "lent[0] = 1;",
    "if (!a) free(lent);",
    "r += fclose(out);",
];

const STRINGS: &[&str] = &[
    "sprintf(copy, \"%s\", text);",
    "{ char k[8]; sprintf(k, \"%s\", text); r += k[0]; }",
    "print_list(copy, \"%s\", text);",
    "{ char k[8]; print_list(k, \"%s\", text); r += k[1]; }",
    "{ char k = 0; r += sscanf(text, \"%c\", &k) + k; }",
    "memcpy(copy, text, 4);",
    "memcpy(text, copy, 4);",
    "snprintf(text, 4, \"%d\", (int)a);",
    "puts(text);",
    "r += strlen(text);",
    "text[2] = 'y';",
    "text[3] = 'z';",
    "memset(text, 'x', 4);",
    "text[0] = 0;",
    "free(text);",
    "if (a) free(text);",
    "{ char *k = realloc(text, 8); if (k) text = k; }",
    "text = copy;",
    "r += copy[0];",
    "assert(copy[0] == 0);",
    "a = 1;",
];

const LEAVING: &[&str] = &[
    "r += catches();",
    "lets_know();",
    "ends();",
    "varies(1);",
    "ap = &own; if (a) pthread_exit(0); b = 2;",
    "{ atomic_int v = 1; ap = &v; pthread_cleanup_push(cleanup_known, &v); if (a) pthread_exit(0); b = 2; pthread_cleanup_pop(1); }",
    "{ atomic_int v = 1; ap = &v; if (!a) b = 2; }",
    "{ atomic_int *k = ap; if (k) *k = 2; }",
    "{ atomic_int *k = ap; if (k) r += *k; }",
    "{ atomic_int *k = ap; if (k) { char t[8]; r += sprintf(t, \"%.4s\", (char *)k); } }",
    "ap = 0;",
    "pthread_once(&once, prepare_or_end);",
    "pthread_once(&once, prepare_atomic);",
    "a = 1;",
    "r = r * 3 + b;",
    "assert(b != 2);",
];

const READ_LOCKS: &[&str] = &[
    "r += pthread_rwlock_rdlock(&rw);",
    "pthread_rwlock_rdlock(&rw); @ pthread_rwlock_unlock(&rw);",
    "pthread_rwlock_rdlock(&rw); pthread_rwlock_rdlock(&rw); @ pthread_rwlock_unlock(&rw);",
    "pthread_rwlock_wrlock(&rw); @ pthread_rwlock_unlock(&rw);",
    "r += pthread_rwlock_wrlock(&rw);",
    "if (pthread_rwlock_tryrdlock(&rw) == 0) { @ pthread_rwlock_unlock(&rw); } else b = 1;",
    "if (pthread_rwlock_trywrlock(&rw) == 0) { @ pthread_rwlock_unlock(&rw); } else b = 2;",
    "r += pthread_rwlock_timedrdlock(&rw, &soon);",
    "r += pthread_rwlock_timedwrlock(&rw, &soon);",
    "if (a) pthread_rwlock_rdlock(&rw);",
    "pthread_rwlock_unlock(&rw);",
    "r = r * 3 + b;",
    "a = 1;",
];

/// Stands at the beginning of main: one of these.
pub fn setup(feature: Feature) -> &'static [&'static str] {
    match feature {
        Feature::HeapObjects => &["make_objects();"],
        Feature::Exits => &[
            "atexit(handler_plain);",
            "atexit(handler_atomic);",
            "atexit(handler_asserts);",
            "atexit(handler_reads);",
            "atexit(handler_locks);",
            "atexit(handler_nests);",
            "make_objects(); atexit(handler_frees);",
            "atexit(handler_asserts); atexit(handler_atomic);",
            "",
        ],
        Feature::Keys => &[
            "pthread_key_create(&key, at_end);",
            "pthread_key_create(&key, at_end_plain);",
            "pthread_key_create(&key, at_end_lock);",
            "pthread_key_create(&key, at_end); pthread_key_create(&other_key, at_end_plain);",
            "pthread_key_create(&key, 0);",
        ],
        Feature::MutexKinds => &[
            "init_mutex(&robust, PTHREAD_MUTEX_NORMAL, 1); init_mutex(&check, PTHREAD_MUTEX_ERRORCHECK, 0);",
            "init_mutex(&robust, PTHREAD_MUTEX_ERRORCHECK, 1); init_mutex(&check, PTHREAD_MUTEX_ERRORCHECK, 0);",
            "init_mutex(&robust, PTHREAD_MUTEX_RECURSIVE, 1); init_mutex(&check, PTHREAD_MUTEX_ERRORCHECK, 1);",
        ],
        Feature::Descriptors => &["r += pipe(fds);"],
        Feature::Strings => &["make_text();"],
        Feature::StreamBuffers => &[
            "lent = calloc(1, 8); out = fopen(\"/tmp/gordian-generated\", \"w\"); setvbuf(out, lent, _IOFBF, 8);",
            "lent = calloc(1, 8); out = fopen(\"/dev/null\", \"w\"); setvbuf(out, lent, _IOFBF, 8);",
            "lent = calloc(1, 8); out = stderr; setvbuf(stdout, lent, _IOFBF, 8);",
        ],
        Feature::FullSemaphores => {
            &["sem_init(&s, 0, 0x7fffffff);", "sem_init(&s, 0, 0x7ffffffe);", "sem_init(&s, 0, 0x7ffffffd);"]
        }
        Feature::CheckingMutexes => {
            &["init_mutex(&check, PTHREAD_MUTEX_ERRORCHECK, 0);", "init_mutex(&check, PTHREAD_MUTEX_RECURSIVE, 0);"]
        }
        _ => &[],
    }
}

/// May stand at the end of main, when it has joined what it joins.
pub fn finish(feature: Feature) -> &'static [&'static str] {
    match feature {
        Feature::HeapObjects => &["free(h);", "pthread_mutex_lock(&h->m); free(h);", "r += h->plain;"],
        Feature::Exits => &["exit(3);", "pthread_exit(0);", "return;"],
        Feature::Keys => &["pthread_key_delete(key);", "pthread_exit(0);"],
        Feature::Widths => &["r += w.whole;"],
        Feature::Descriptors => &["close(fds[0]); close(fds[1]);"],
        Feature::Environment => &["r += getenv(\"K\") != 0;"],
        _ => &[],
    }
}
