//! External functions that a sequentialized program knows, and what calls of them become in the eager runtime.

use External::*;
use gordian_ir::{CallSite, Program, Slot, address};

/// What an external function does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum External {
    Create,
    Join,
    ExitThread,
    SelfId,
    EqualIds,
    /// Nothing that threads can see; the result is 0.
    Nothing,
    /// `shared` locks for reading; mutexes have types.
    Acquire {
        shared: bool,
        mutex: bool,
    },
    Release {
        mutex: bool,
    },
    MutexInit,
    AttributesInit,
    AttributesSetType,
    Section {
        begins: bool,
    },
    ConditionWait,
    ConditionSignal {
        to_all: bool,
    },
    SemaphoreInit,
    SemaphoreWait,
    SemaphorePost,
    Malloc,
    Calloc,
    Realloc,
    Free,
    /// The name is an argument, or there is none.
    Input {
        bits: u32,
        named: bool,
    },
    /// From the first argument to the second, which may be excluded.
    Range {
        excluded: bool,
    },
    Symbolic,
    /// `wide`: the condition has 64 bits.
    Assume {
        wide: bool,
    },
    Fail,
    Assert,
    Abort,
    Exit,
    /// Of a condition or a lock that has no type.
    Initialise,
    Destroy,
    Print,
}

/// What the function of this name does; none if a sequentialized program cannot do it.
pub fn known(name: &str) -> Option<External> {
    if let Some(bits) = name.strip_prefix("__VERIFIER_nondet_").and_then(bits_of) {
        return Some(Input { bits, named: false });
    }
    if let Some(bits) = name.strip_prefix("gordian_").and_then(bits_of) {
        return Some(Input { bits, named: true });
    }
    threads(name).or_else(|| locks(name)).or_else(|| others(name))
}

fn threads(name: &str) -> Option<External> {
    Some(match name {
        "pthread_create" => Create,
        "pthread_join" => Join,
        "pthread_exit" => ExitThread,
        "pthread_self" => SelfId,
        "pthread_equal" => EqualIds,
        "sched_yield"
        | "pthread_yield"
        | "usleep"
        | "sleep"
        | "nanosleep"
        | "pthread_attr_init"
        | "pthread_attr_destroy"
        | "pthread_attr_setstacksize"
        | "pthread_setname_np" => Nothing,
        _ => return None,
    })
}

fn locks(name: &str) -> Option<External> {
    Some(match name {
        "pthread_mutex_lock" | "mtx_lock" => Acquire { shared: false, mutex: true },
        "pthread_mutex_unlock" | "mtx_unlock" => Release { mutex: true },
        "pthread_mutex_init" => MutexInit,
        "pthread_spin_lock" | "pthread_rwlock_wrlock" => Acquire { shared: false, mutex: false },
        "pthread_rwlock_rdlock" => Acquire { shared: true, mutex: false },
        "pthread_spin_unlock" | "pthread_rwlock_unlock" => Release { mutex: false },
        "pthread_mutexattr_init" => AttributesInit,
        "pthread_mutexattr_settype" => AttributesSetType,
        "pthread_mutexattr_destroy" => Nothing,
        "pthread_rwlock_init" | "pthread_spin_init" | "pthread_cond_init" | "cnd_init" => Initialise,
        "pthread_mutex_destroy"
        | "mtx_destroy"
        | "pthread_rwlock_destroy"
        | "pthread_spin_destroy"
        | "pthread_cond_destroy"
        | "cnd_destroy"
        | "sem_destroy" => Destroy,
        "pthread_cond_wait" | "cnd_wait" => ConditionWait,
        "pthread_cond_signal" | "cnd_signal" => ConditionSignal { to_all: false },
        "pthread_cond_broadcast" | "cnd_broadcast" => ConditionSignal { to_all: true },
        "sem_init" => SemaphoreInit,
        "sem_wait" => SemaphoreWait,
        "sem_post" => SemaphorePost,
        "__VERIFIER_atomic_begin" => Section { begins: true },
        "__VERIFIER_atomic_end" => Section { begins: false },
        _ => return None,
    })
}

fn others(name: &str) -> Option<External> {
    Some(match name {
        "malloc" | "valloc" => Malloc,
        "calloc" => Calloc,
        "realloc" => Realloc,
        "free" => Free,
        "gordian_range" => Range { excluded: false },
        "klee_range" => Range { excluded: true },
        "klee_int" => Input { bits: 32, named: true },
        "gordian_symbolic" | "klee_make_symbolic" => Symbolic,
        "__VERIFIER_assume" | "assume_abort_if_not" | "gordian_assume" => Assume { wide: false },
        "klee_assume" => Assume { wide: true },
        "__assert_fail" | "reach_error" | "__VERIFIER_error" => Fail,
        "__VERIFIER_assert" => Assert,
        "abort" => Abort,
        "exit" | "_exit" | "_Exit" => Exit,
        // What a program prints is nothing that its threads see.
        "printf" | "puts" | "putchar" | "fprintf" | "fputs" | "fputc" | "putc" | "perror" | "fflush" | "write" => Print,
        "__gordian_check_bounds" => Nothing,
        _ => return None,
    })
}

fn bits_of(ty: &str) -> Option<u32> {
    Some(match ty {
        "bool" | "_Bool" => 1,
        "char" | "schar" | "uchar" | "u8" | "s8" | "int8_t" | "uint8_t" => 8,
        "short" | "ushort" | "u16" | "s16" | "int16_t" | "uint16_t" => 16,
        "int" | "uint" | "u32" | "s32" | "unsigned" | "unsigned_int" | "int32_t" | "uint32_t" => 32,
        "long" | "ulong" | "longlong" | "ulonglong" | "unsigned_long" | "u64" | "s64" | "int64_t" | "uint64_t"
        | "size_t" | "size" => 64,
        _ => return None,
    })
}

/// A call as C.
pub enum Emitted {
    /// An expression whose value is the result.
    Value(String),
    /// A statement; the result is 0.
    Statement(String),
    /// A statement after which the thread's code returns.
    End(String),
}

use Emitted::{End, Statement, Value};

/// The call of `name` by `who`, at a numbered place; none if it cannot be said.
pub fn call(name: &str, who: &str, args: &[String], site: u32) -> Option<Emitted> {
    let arg = |n: usize| args.get(n).cloned().unwrap_or_else(|| "0".to_owned());
    let (a, b, c) = (arg(0), arg(1), arg(2));
    Some(match known(name)? {
        Create => Value(format!("gs_create({who}, {a}, {c}, {}, {site})", arg(3))),
        Join => Value(format!("gs_join({who}, {a}, {b}, {site})")),
        ExitThread => End(format!("gs_exit_thread({who}, {a})")),
        SelfId => Value(format!("(uint64_t)gs_thread[{who}]")),
        EqualIds => Value(format!("gs_eq({a}, {b})")),
        Nothing => Value("0".to_owned()),
        Acquire { shared, mutex } => {
            Value(format!("gs_acquire({who}, {a}, {}, {}, {site})", 1 + u8::from(shared), u8::from(mutex)))
        }
        Release { mutex } => Value(format!("gs_release({who}, {a}, {}, {site})", u8::from(mutex))),
        MutexInit => Value(format!("gs_mutex_init({who}, {a}, {b}, {site})")),
        AttributesInit => Statement(format!("gs_store({who}, 0, {a}, 4, 0, {site})")),
        AttributesSetType => Statement(format!("gs_store({who}, 0, {a}, 4, {b}, {site})")),
        Section { begins } => Statement(format!("gs_section({who}, {}, {site})", u8::from(begins))),
        ConditionWait => Statement(format!("gs_wait_for({who}, {a}, {b}, {site})")),
        ConditionSignal { to_all } => Statement(format!("gs_signal({who}, {}, {a}, {site})", u8::from(to_all))),
        SemaphoreInit => Statement(format!("gs_semaphore({who}, {a}, {c}, {site})")),
        SemaphoreWait => Statement(format!("gs_count({who}, {a}, -1, {site})")),
        SemaphorePost => Statement(format!("gs_count({who}, {a}, 1, {site})")),
        Malloc => Value(format!("gs_malloc({who}, {a})")),
        Calloc => Value(format!("gs_malloc({who}, {a} * {b})")),
        Realloc => Value(format!("gs_realloc({who}, {a}, {b}, {site})")),
        Free => Statement(format!("gs_free({who}, {a}, {site})")),
        Input { bits, named } => {
            let name_at = if named { &a } else { "0" };
            Value(format!("gs_input({who}, {bits}, {name_at}, \"{name}\", {site})"))
        }
        Range { excluded } => {
            let most = if excluded { format!("{b} - 1") } else { b };
            Value(format!("gs_range({who}, {a}, {most}, {c}, \"{name}\", {site})"))
        }
        Symbolic => Statement(format!("gs_symbolic({who}, {a}, {b}, {c}, \"{name}\", {site})")),
        Assume { wide: false } => Statement(format!("gs_assume({who}, (uint32_t){a} != 0)")),
        Assume { wide: true } => Statement(format!("gs_assume({who}, {a} != 0)")),
        Fail => Statement(format!("gs_fail({who}, GS_ASSERTION, {site})")),
        Assert => Statement(format!("if ((uint32_t){a} == 0) gs_fail({who}, GS_ASSERTION, {site})")),
        Abort => Statement(format!("gs_fail({who}, GS_ABORTED, {site})")),
        Exit => End(format!("gs_exit({who})")),
        Initialise => Statement(format!("gs_initialise({a})")),
        Destroy => Statement(format!("gs_destroy({who}, {a}, {site})")),
        Print => Value("0".to_owned()),
    })
}

/// The arguments of a call, the variadic ones among them.
pub fn all_arguments(call: &CallSite) -> Vec<Slot> {
    call.args.iter().copied().chain(call.variadic.iter().map(|argument| argument.slot)).collect()
}

/// The arguments of a function that prints which are text to be read, given the values of those that are known; or why that cannot be said.
pub fn printed_text(program: &Program, name: &str, args: &[Option<u64>]) -> Result<Vec<usize>, String> {
    let format_at = match name {
        "printf" => 0,
        "fprintf" => 1,
        "puts" | "fputs" | "perror" => return Ok(unknown_text(program, args, [0])),
        "write" if unknown_text(program, args, [1]).is_empty() => return Ok(Vec::new()),
        "write" => return Err("the program writes what is no constant".to_owned()),
        _ => return Ok(Vec::new()),
    };
    let Some(format) = args.get(format_at).copied().flatten().and_then(|value| constant_text(program, value)) else {
        return Err(format!("the format of `{name}` is no constant"));
    };
    let (mut texts, mut next, mut rest) = (Vec::new(), format_at + 1, format);
    while let Some(at) = rest.iter().position(|&c| c == b'%') {
        rest = &rest[at + 1..];
        let length = rest.iter().take_while(|c| !c.is_ascii_alphabetic() && **c != b'%').count();
        let (flags, after) = rest.split_at(length);
        let length = after.iter().take_while(|c| b"hlLqjzt".contains(c)).count();
        let (&conversion, after) = after[length..].split_first().unwrap_or((&b'%', &[]));
        rest = after;
        next += flags.iter().filter(|&&c| c == b'*').count();
        match conversion {
            b'%' => continue,
            b'n' => return Err(format!("`{name}` stores a number")),
            b's' if flags.contains(&b'.') => return Err(format!("`{name}` prints a part of a text")),
            b's' => texts.push(next),
            _ => {}
        }
        next += 1;
    }
    Ok(unknown_text(program, args, texts))
}

/// Those that are no constants of the program.
fn unknown_text(program: &Program, args: &[Option<u64>], of: impl IntoIterator<Item = usize>) -> Vec<usize> {
    let is_known = |nth: usize| args.get(nth).copied().flatten().is_some_and(|at| constant_text(program, at).is_some());
    of.into_iter().filter(|&nth| !is_known(nth)).collect()
}

/// The text at an address in a constant.
fn constant_text(program: &Program, at: u64) -> Option<&[u8]> {
    let global = program.globals.get(address::global_of(at)?).filter(|global| global.constant)?;
    let bytes = global.init.get(address::offset(at) as usize..).unwrap_or(&[]);
    // Zeros at the end are left out.
    let end = bytes.iter().position(|&byte| byte == 0).unwrap_or(bytes.len());
    (address::offset(at) + (end as u64) < global.size).then_some(&bytes[..end])
}
