//! The rows. Names that do the same stand in one row, separated by spaces.

use crate::Effect::{self, *};
use crate::Mode::{Exclusive, Shared as Reading};
use crate::Patience::{GivesUp, Waits};
use crate::Pointer::{Into, KeptForThread, Library, New, NewCopy, OfThread, Received};
use crate::Shared::{Buffers, Constants, Environment, Files, Random, Time, TimeText};
use crate::Sync::{self, *};
use std::collections::BTreeMap;
use std::sync::LazyLock;

type Row = (&'static str, &'static [Effect]);

const MUTEX: u8 = 40;
const SPIN: u8 = 4;
const RWLOCK: u8 = 56;
const CONDITION: u8 = 48;
const SEMAPHORE: u8 = 32;
const BARRIER: u8 = 32;

const fn lock(size: u8, mode: crate::Mode, patience: crate::Patience) -> Effect {
    Synchronises(Sync::Lock { lock: 0, size, mode, patience })
}

const fn unlock(size: u8) -> Effect {
    Synchronises(Sync::Unlock { lock: 0, size })
}

const fn sets(size: u8) -> Effect {
    Synchronises(Sets { object: 0, size })
}

#[rustfmt::skip] // One line for each row.
const SYNCHRONISATION: &[Row] = &[
    ("pthread_mutex_init", &[sets(MUTEX), Reads(1)]),
    ("mtx_init pthread_mutex_destroy mtx_destroy", &[sets(MUTEX)]),
    ("pthread_mutex_lock mtx_lock __pthread_mutex_lock", &[lock(MUTEX, Exclusive, Waits)]),
    ("pthread_mutex_timedlock mtx_timedlock", &[lock(MUTEX, Exclusive, GivesUp), Reads(1)]),
    ("pthread_mutex_clocklock", &[lock(MUTEX, Exclusive, GivesUp), Reads(2)]),
    ("pthread_mutex_trylock mtx_trylock __pthread_mutex_trylock", &[lock(MUTEX, Exclusive, GivesUp)]),
    ("pthread_mutex_unlock mtx_unlock __pthread_mutex_unlock", &[unlock(MUTEX)]),
    ("pthread_mutex_consistent", &[]),
    ("pthread_spin_init pthread_spin_destroy", &[sets(SPIN)]),
    ("pthread_spin_lock", &[lock(SPIN, Exclusive, Waits)]),
    ("pthread_spin_trylock", &[lock(SPIN, Exclusive, GivesUp)]),
    ("pthread_spin_unlock", &[unlock(SPIN)]),
    ("pthread_mutexattr_init pthread_mutexattr_destroy", &[Writes(0)]),
    ("pthread_mutexattr_settype pthread_mutexattr_setkind_np", &[Reads(0), Writes(0)]),
    ("pthread_mutexattr_setrobust pthread_mutexattr_setrobust_np", &[Reads(0), Writes(0)]),
    ("pthread_mutexattr_gettype", &[Reads(0), Writes(1)]),
    ("pthread_mutexattr_setpshared pthread_mutexattr_setprotocol pthread_mutexattr_setprioceiling", &[Reads(0), Writes(0)]),
    ("pthread_rwlock_init", &[sets(RWLOCK), Reads(1)]),
    ("pthread_rwlock_destroy", &[sets(RWLOCK)]),
    ("pthread_rwlock_rdlock", &[lock(RWLOCK, Reading, Waits)]),
    ("pthread_rwlock_timedrdlock", &[lock(RWLOCK, Reading, GivesUp), Reads(1)]),
    ("pthread_rwlock_clockrdlock", &[lock(RWLOCK, Reading, GivesUp), Reads(2)]),
    ("pthread_rwlock_tryrdlock", &[lock(RWLOCK, Reading, GivesUp)]),
    ("pthread_rwlock_wrlock", &[lock(RWLOCK, Exclusive, Waits)]),
    ("pthread_rwlock_timedwrlock", &[lock(RWLOCK, Exclusive, GivesUp), Reads(1)]),
    ("pthread_rwlock_clockwrlock", &[lock(RWLOCK, Exclusive, GivesUp), Reads(2)]),
    ("pthread_rwlock_trywrlock", &[lock(RWLOCK, Exclusive, GivesUp)]),
    ("pthread_rwlock_unlock", &[unlock(RWLOCK)]),
    ("pthread_rwlockattr_init pthread_rwlockattr_destroy", &[Writes(0)]),
    ("pthread_rwlockattr_setkind_np pthread_rwlockattr_setpshared", &[Reads(0), Writes(0)]),
    ("pthread_cond_init", &[sets(CONDITION), Reads(1)]),
    ("cnd_init pthread_cond_destroy cnd_destroy", &[sets(CONDITION)]),
    ("pthread_cond_wait cnd_wait", &[Synchronises(Wait { condition: 0, lock: 1, patience: Waits })]),
    ("pthread_cond_timedwait cnd_timedwait", &[Synchronises(Wait { condition: 0, lock: 1, patience: GivesUp }), Reads(2)]),
    ("pthread_cond_clockwait", &[Synchronises(Wait { condition: 0, lock: 1, patience: GivesUp }), Reads(3)]),
    ("pthread_cond_signal cnd_signal", &[Synchronises(Signal { condition: 0, all: false })]),
    ("pthread_cond_broadcast cnd_broadcast", &[Synchronises(Signal { condition: 0, all: true })]),
    ("pthread_condattr_init pthread_condattr_destroy", &[Writes(0)]),
    ("pthread_condattr_setclock pthread_condattr_setpshared", &[Reads(0), Writes(0)]),
    ("sem_init sem_destroy", &[sets(SEMAPHORE)]),
    ("sem_wait", &[Synchronises(SemWait { semaphore: 0, patience: Waits })]),
    ("sem_trywait", &[Synchronises(SemWait { semaphore: 0, patience: GivesUp })]),
    ("sem_timedwait", &[Synchronises(SemWait { semaphore: 0, patience: GivesUp }), Reads(1)]),
    ("sem_clockwait", &[Synchronises(SemWait { semaphore: 0, patience: GivesUp }), Reads(2)]),
    ("sem_post", &[Synchronises(SemPost { semaphore: 0 })]),
    ("sem_getvalue", &[Synchronises(SemGet { semaphore: 0 }), Writes(1)]),
    ("pthread_barrier_init", &[sets(BARRIER), Reads(1)]),
    ("pthread_barrier_destroy", &[sets(BARRIER)]),
    ("pthread_barrier_wait", &[Synchronises(Sync::Barrier { barrier: 0 })]),
    ("pthread_barrierattr_init pthread_barrierattr_destroy", &[Writes(0)]),
    ("pthread_barrierattr_setpshared", &[Reads(0), Writes(0)]),
    ("pthread_once call_once", &[Synchronises(Once { control: 0, function: 1 })]),
    ("pthread_key_create tss_create", &[Writes(0), CallsAtThreadEnd(1)]),
    ("pthread_key_delete tss_delete", &[]),
    ("pthread_getspecific tss_get", &[Returns(KeptForThread)]),
    ("pthread_setspecific tss_set", &[KeepsForThread(1)]),
    ("__VERIFIER_atomic_begin", &[Synchronises(AtomicBegin)]),
    ("__VERIFIER_atomic_end", &[Synchronises(AtomicEnd)]),
];

#[rustfmt::skip]
const THREADS: &[Row] = &[
    ("pthread_create", &[Writes(0), Reads(1), Synchronises(Create { handle: 0, function: 2, argument: 3 })]),
    ("thrd_create", &[Writes(0), Synchronises(Create { handle: 0, function: 1, argument: 2 })]),
    ("pthread_join thrd_join", &[Writes(1), Synchronises(Join { handle: 0, result: 1 })]),
    ("pthread_detach thrd_detach", &[Synchronises(Detach { handle: 0 })]),
    ("pthread_exit thrd_exit", &[Synchronises(EndThread { result: 0 }), NeverReturns]),
    ("pthread_cancel", &[Synchronises(Cancel { handle: 0 })]),
    ("pthread_self thrd_current pthread_equal thrd_equal pthread_testcancel", &[]),
    ("sched_yield pthread_yield thrd_yield", &[]),
    ("pthread_setcancelstate pthread_setcanceltype", &[Writes(1)]),
    ("__pthread_register_cancel", &[Writes(0), KeepsForThread(0)]),
    ("__pthread_unregister_cancel", &[Reads(0)]),
    ("__pthread_unwind_next", &[NeverReturns]),
    ("pthread_attr_init pthread_attr_destroy", &[Writes(0)]),
    ("pthread_attr_setdetachstate pthread_attr_setstacksize pthread_attr_setguardsize", &[Reads(0), Writes(0)]),
    ("pthread_attr_setscope pthread_attr_setschedpolicy pthread_attr_setinheritsched", &[Reads(0), Writes(0)]),
    ("pthread_attr_setschedparam", &[Reads(0), Writes(0), Reads(1)]),
    ("pthread_attr_getdetachstate", &[Reads(0), Writes(1)]),
    ("pthread_attr_getstacksize", &[Reads(0), Writes(1)]),
    ("pthread_setname_np", &[Reads(1)]),
    ("pthread_setschedparam", &[Reads(2)]),
    ("pthread_setconcurrency pthread_atfork", &[]),
];

#[rustfmt::skip]
const MEMORY: &[Row] = &[
    ("malloc valloc calloc aligned_alloc memalign", &[Returns(New)]),
    ("posix_memalign", &[Stores { to: 0, what: New }]),
    ("realloc reallocarray", &[Frees(0), Returns(NewCopy(0))]),
    ("free cfree", &[Frees(0)]),
    ("malloc_usable_size __gordian_check_bounds", &[]),
    ("memcpy memmove __memcpy_chk __memmove_chk", &[Copies { to: 0, from: 1 }, Returns(Into(0))]),
    ("memset __memset_chk", &[Writes(0), Returns(Into(0))]),
    ("explicit_bzero", &[Writes(0)]),
];

#[rustfmt::skip]
const PROCESS: &[Row] = &[
    ("exit", &[Touches(Buffers), Synchronises(EndProcess), NeverReturns]),
    ("_exit _Exit quick_exit", &[Synchronises(EndProcess), NeverReturns]),
    ("atexit", &[CallsAtExit(0)]),
    ("abort __stack_chk_fail reach_error __VERIFIER_error", &[NeverReturns]),
    ("__assert_fail __assert __assert_perror_fail", &[NeverReturns]),
    ("raise", &[Touches(Files)]),
    ("__VERIFIER_assert", &[]),
    ("__errno_location", &[Returns(OfThread)]),
    ("setjmp _setjmp __sigsetjmp sigsetjmp __sigsetjmp_cancel", &[Writes(0), ReturnsTwice]),
    ("longjmp _longjmp siglongjmp __longjmp_chk", &[Reads(0), NeverReturns]),
    ("sleep usleep", &[]),
    ("nanosleep thrd_sleep", &[Reads(0), Writes(1)]),
    ("clock_nanosleep", &[Reads(2), Writes(3)]),
    ("getpid getppid gettid getuid geteuid getgid getegid sysconf get_nprocs get_nprocs_conf getpagesize sched_getcpu", &[]),
    ("sigaction", &[Reads(1), Writes(2), Touches(Files)]),
    ("signal", &[Touches(Files)]),
    ("sigprocmask pthread_sigmask", &[Reads(1), Writes(2)]),
    ("getrlimit", &[Writes(1)]),
    ("alarm tzset", &[]),
    ("setrlimit", &[Reads(1)]),
    ("getenv secure_getenv __secure_getenv", &[Reads(0), Touches(Environment), Returns(Library(Environment))]),
    ("setenv", &[Reads(0), Reads(1), Touches(Environment)]),
    ("putenv", &[Reads(0), Keeps(0, Environment), Touches(Environment)]),
    ("unsetenv", &[Reads(0), Touches(Environment)]),
    ("clearenv", &[Touches(Environment)]),
    ("gethostname", &[Writes(0)]),
    ("uname", &[Writes(0)]),
    ("prctl", &[Reads(1)]),
    ("sched_setaffinity pthread_setaffinity_np", &[Reads(2)]),
    ("sched_getaffinity pthread_getaffinity_np", &[Writes(2)]),
    ("getrusage", &[Writes(1)]),
    ("getloadavg backtrace backtrace_symbols getlogin ttyname setlogmask system backtrace_symbols_fd", &[]),
    ("openlog closelog", &[]),
    ("syslog", &[Reads(1), ReadsRest]),
    ("__syslog_chk", &[Reads(2), ReadsRest]),
    ("vsyslog", &[Reads(1), ReadsList(2)]),
    ("warn warnx", &[Reads(0), ReadsRest, Touches(Files)]),
    ("vwarn vwarnx", &[Reads(0), ReadsList(1), Touches(Files)]),
    ("err errx", &[Reads(1), ReadsRest, Touches(Files), Synchronises(EndProcess), NeverReturns]),
    ("verr verrx", &[Reads(1), ReadsList(2), Touches(Files), Synchronises(EndProcess), NeverReturns]),
    ("error", &[Reads(2), ReadsRest, Touches(Files), Synchronises(EndProcess)]),
];

#[rustfmt::skip]
const INPUTS: &[Row] = &[
    ("gordian_symbolic klee_make_symbolic", &[Writes(0), Reads(2)]),
    ("klee_int", &[Reads(0)]),
    ("gordian_range klee_range", &[Reads(2)]),
    ("gordian_atomic_begin gordian_atomic_end", &[]),
    ("gordian_assume klee_assume __VERIFIER_assume assume_abort_if_not", &[]),
    ("__CrestChar __CrestUChar __CrestShort __CrestUShort __CrestInt __CrestUInt", &[Writes(0)]),
];

#[rustfmt::skip]
const STREAMS: &[Row] = &[
    ("printf __printf_chk", &[Reads(0), Reads(1), ReadsRest, Touches(Files)]),
    ("vprintf __vprintf_chk", &[Reads(0), ReadsList(1), ReadsList(2), Touches(Files)]),
    ("fprintf __fprintf_chk dprintf __dprintf_chk", &[Reads(1), Reads(2), ReadsRest, Touches(Files)]),
    ("vfprintf __vfprintf_chk vdprintf __vdprintf_chk", &[Reads(1), Reads(2), ReadsList(2), ReadsList(3), Touches(Files)]),
    ("sprintf snprintf __sprintf_chk __snprintf_chk", &[Writes(0), Reads(1), Reads(2), Reads(3), Reads(4), ReadsRest]),
    ("vsprintf vsnprintf __vsprintf_chk __vsnprintf_chk",
        &[Writes(0), Reads(1), Reads(2), Reads(3), Reads(4), ReadsList(2), ReadsList(3), ReadsList(4), ReadsList(5)]),
    ("asprintf __asprintf_chk", &[Stores { to: 0, what: New }, Reads(1), Reads(2), ReadsRest]),
    ("vasprintf __vasprintf_chk", &[Stores { to: 0, what: New }, Reads(1), Reads(2), ReadsList(2), ReadsList(3)]),
    ("puts", &[Sends(0, Files), Touches(Files)]),
    ("fputs fputs_unlocked", &[Sends(0, Files), Touches(Files)]),
    ("putchar putchar_unlocked putc fputc _IO_putc putc_unlocked fputc_unlocked", &[SendsValue(0, Files), Touches(Files)]),
    ("fwrite fwrite_unlocked", &[Sends(0, Files), Touches(Files)]),
    ("getchar getchar_unlocked getc fgetc _IO_getc getc_unlocked fgetc_unlocked", &[Touches(Files), Returns(Received(Files))]),
    ("ungetc", &[SendsValue(0, Files), Touches(Files), Returns(Into(0))]),
    ("fgets fgets_unlocked gets", &[Receives(0, Files), Touches(Files), Returns(Into(0))]),
    ("fread fread_unlocked", &[Receives(0, Files), Touches(Files)]),
    ("getline getdelim __getdelim", &[Reads(0), WritesList(0), Stores { to: 0, what: New }, Writes(0), Writes(1), Touches(Files)]),
    ("scanf", &[Reads(0), WritesRest, Touches(Files)]),
    ("vscanf", &[Reads(0), WritesList(1), Touches(Files)]),
    ("fscanf", &[Reads(1), WritesRest, Touches(Files)]),
    ("vfscanf", &[Reads(1), WritesList(2), Touches(Files)]),
    ("sscanf", &[Reads(0), Reads(1), WritesRest]),
    ("vsscanf", &[Reads(0), Reads(1), WritesList(2)]),
    ("fopen fopen64", &[Reads(0), Reads(1), Touches(Files), Returns(Library(Files))]),
    ("fdopen", &[Reads(1), Touches(Files), Returns(Library(Files))]),
    ("freopen freopen64", &[Reads(0), Reads(1), Touches(Files), Returns(Library(Files)), Returns(Into(2))]),
    ("tmpfile tmpfile64", &[Touches(Files), Returns(Library(Files))]),
    ("fclose", &[Frees(0), Touches(Files)]),
    ("fflush fflush_unlocked fseek fseeko fseeko64 rewind ftell ftello ftello64", &[Touches(Files)]),
    ("fgetpos fgetpos64", &[Writes(1), Touches(Files)]),
    ("fsetpos fsetpos64", &[Reads(1), Touches(Files)]),
    ("feof feof_unlocked ferror ferror_unlocked clearerr clearerr_unlocked", &[Touches(Files)]),
    ("fileno fileno_unlocked setlinebuf", &[]),
    ("setbuf setbuffer setvbuf", &[Keeps(1, Buffers), Touches(Files)]),
    ("flockfile", &[lock(MUTEX, Exclusive, Waits)]),
    ("ftrylockfile", &[lock(MUTEX, Exclusive, GivesUp)]),
    ("funlockfile", &[unlock(MUTEX)]),
];

#[rustfmt::skip]
const FILES: &[Row] = &[
    ("open open64 __open_2 __open64_2 creat creat64", &[Reads(0), Touches(Files)]),
    ("openat openat64", &[Reads(1), Touches(Files)]),
    ("read __read_chk pread pread64", &[Receives(1, Files), Touches(Files)]),
    ("write pwrite pwrite64", &[Sends(1, Files), Touches(Files)]),
    // The buffers of a vector are found through it.
    ("readv", &[Reads(1), ReceivesList(1, Files), Touches(Files)]),
    ("writev", &[Reads(1), SendsList(1, Files), Touches(Files)]),
    ("fcntl fcntl64", &[Reads(2), Writes(2), Touches(Files)]),
    ("lseek lseek64 ftruncate ftruncate64 fsync fdatasync close dup dup2 dup3", &[Touches(Files)]),
    ("pipe pipe2", &[Writes(0), Touches(Files)]),
    ("isatty", &[Touches(Files)]),
    ("unlink rmdir mkdir chdir remove truncate truncate64 access euidaccess eaccess chmod", &[Reads(0), Touches(Files)]),
    ("rename", &[Reads(0), Reads(1), Touches(Files)]),
    ("umask", &[]),
    ("stat lstat stat64 lstat64", &[Reads(0), Writes(1), Touches(Files)]),
    ("__xstat __lxstat __xstat64 __lxstat64", &[Reads(1), Writes(2), Touches(Files)]),
    ("fstatat fstatat64 newfstatat", &[Reads(1), Writes(2), Touches(Files)]),
    ("fstat fstat64", &[Writes(1), Touches(Files)]),
    ("__fxstat __fxstat64", &[Writes(2), Touches(Files)]),
    ("getcwd", &[Writes(0), Touches(Files), Returns(New), Returns(Into(0))]),
    ("get_current_dir_name", &[Touches(Files), Returns(New)]),
    ("realpath canonicalize_file_name", &[Reads(0), Writes(1), Touches(Files), Returns(New), Returns(Into(1))]),
    ("readlink", &[Reads(0), Writes(1), Touches(Files)]),
    ("mkstemp mkstemp64 mkostemp", &[Reads(0), Writes(0), Touches(Files)]),
    ("mkdtemp", &[Reads(0), Writes(0), Touches(Files), Returns(Into(0))]),
    ("opendir", &[Reads(0), Touches(Files), Returns(New)]),
    ("readdir readdir64", &[Reads(0), Writes(0), Touches(Files), Returns(Into(0))]),
    ("closedir", &[Frees(0), Touches(Files)]),
    ("rewinddir", &[Reads(0), Writes(0), Touches(Files)]),
];

#[rustfmt::skip]
const REST: &[Row] = &[
    ("time", &[Writes(0)]),
    ("clock difftime", &[]),
    ("times", &[Writes(0)]),
    ("gettimeofday", &[Writes(0), Writes(1)]),
    ("clock_gettime clock_getres", &[Writes(1)]),
    ("timespec_get", &[Writes(0)]),
    ("gmtime localtime", &[Reads(0), Touches(Time), Returns(Library(Time))]),
    ("gmtime_r localtime_r", &[Reads(0), Writes(1), Returns(Into(1))]),
    ("mktime timegm timelocal", &[Reads(0), Writes(0)]),
    ("asctime", &[Reads(0), Touches(TimeText), Returns(Library(TimeText))]),
    ("ctime", &[Reads(0), Touches(TimeText), Returns(Library(TimeText))]),
    ("asctime_r ctime_r", &[Reads(0), Writes(1), Returns(Into(1))]),
    ("strftime strftime_l", &[Writes(0), Reads(2), ReadsList(3)]),
    ("rand random srand srandom drand48 lrand48 mrand48 srand48", &[Touches(Random)]),
    ("erand48 nrand48 jrand48", &[Reads(0), Writes(0)]),
    ("getrandom getentropy", &[Writes(0)]),
    ("arc4random arc4random_uniform", &[]),
    ("setlocale", &[Reads(1), Returns(Library(Constants))]),
    ("localeconv nl_langinfo", &[Returns(Library(Constants))]),
    ("__ctype_get_mb_cur_max mbsinit btowc wctob", &[]),
    ("mblen mbrlen", &[Reads(0)]),
    ("mbtowc mbrtowc", &[Writes(0), Reads(1)]),
    ("wctomb wcrtomb", &[Writes(0)]),
    ("mbstowcs wcstombs", &[Writes(0), Reads(1)]),
];

/// About floating-point numbers: a function for `long double` has an `l` behind.
#[rustfmt::skip]
const FLOATS: &[Row] = &[
    ("frexp frexpf modf modff", &[Writes(1)]),
    ("sincos sincosf", &[Writes(1), Writes(2)]),
    ("remquo remquof", &[Writes(2)]),
    ("lgamma_r lgammaf_r", &[Writes(1)]),
    ("nan nanf", &[Reads(0)]),
    ("significand isnan __isnan isnanf __isnanf isinf __isinf isinff __isinff finite __finite finitef __finitef", &[]),
    ("__signbit __signbitf __fpclassify __fpclassifyf fegetround fesetround feclearexcept", &[]),
    ("__udivti3 __umodti3 __divti3 __modti3 __multi3", &[]),
    ("cabs cabsf carg cargf", &[]),
];

/// Functions of numbers alone. Those for `float` and `long double` have an `f` or an `l` behind.
const MATH: &str = "acos asin atan ceil cos cosh exp fabs floor log log10 sin sinh sqrt tan tanh acosh asinh atanh cbrt erf \
    erfc exp2 exp10 expm1 log1p log2 logb nearbyint rint round roundeven trunc tgamma lgamma j0 j1 y0 y1 atan2 fmod pow \
    hypot remainder copysign nextafter fmax fmin fdim fma ldexp scalbln jn yn ilogb lround lrint llround llrint scalbn drem \
    nexttoward pow10 gamma";

const TABLES: [&[Row]; 9] = [SYNCHRONISATION, THREADS, MEMORY, PROCESS, INPUTS, STREAMS, FILES, REST, FLOATS];

/// All names with their rows: analyses ask again and again.
static ROWS: LazyLock<BTreeMap<&'static str, &'static [Effect]>> = LazyLock::new(|| {
    let rows = TABLES.iter().flat_map(|table| table.iter());
    rows.flat_map(|(names, effects)| names.split(' ').map(|name| (name, *effects))).collect()
});

pub fn exact(name: &str) -> Option<&'static [Effect]> {
    ROWS.get(name).copied()
}

fn within(table: &[Row], name: &str) -> Option<&'static [Effect]> {
    table.iter().find(|(names, _)| names.split(' ').any(|of| of == name)).map(|(_, effects)| *effects)
}

/// Names that are made from others, or from the name of a type.
pub fn by_rule(name: &str) -> Option<&'static [Effect]> {
    let long_double = name.strip_suffix('l');
    if let Some(effects) = [Some(name), long_double].into_iter().flatten().find_map(about_numbers) {
        return Some(effects);
    }
    if let Some(scanf) = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")) {
        return exact(scanf).filter(|_| scanf.ends_with("scanf"));
    }
    if name.starts_with("__VERIFIER_nondet_") {
        return Some(&[]);
    }
    // Their argument is the name of the input.
    let types = ["bool", "char", "schar", "uchar", "short", "ushort", "int", "uint", "long", "ulong", "size"];
    name.strip_prefix("gordian_").filter(|ty| types.contains(ty)).map(|_| &[Reads(0)][..])
}

fn about_numbers(name: &str) -> Option<&'static [Effect]> {
    let is_math = |name: &str| MATH.split_ascii_whitespace().any(|of| of == name);
    if is_math(name) || name.strip_suffix('f').is_some_and(is_math) {
        return Some(&[]);
    }
    within(FLOATS, name)
}

pub fn names() -> impl Iterator<Item = &'static str> {
    let rows = TABLES.iter().flat_map(|table| table.iter());
    rows.flat_map(|(names, _)| names.split(' ')).chain(MATH.split_ascii_whitespace())
}
