//! Memory errors: every way to access memory, to objects of every storage class, in every wrong way.

use crate::case::{Case, Expected, Section};
use gordian_trace::FindingKind;

/// How an object comes about. `@n` is the number of the case, `@BODY` what is done with the object.
struct Storage {
    name: &'static str,
    size: u32,
    /// An expression for its address.
    pointer: &'static str,
    code: &'static str,
    /// The object is gone where the body begins, and `q` points to where it was.
    ended: Option<&'static str>,
}

const STORAGES: &[Storage] = &[
    Storage {
        name: "global",
        size: 24,
        pointer: "g@n",
        code: "static char g@n[24];\nstatic void case@n(void) { @BODY }\n",
        ended: None,
    },
    Storage {
        name: "heap",
        size: 24,
        pointer: "p",
        code: "static void case@n(void) { char *p = malloc(24); @BODY }\n",
        ended: Some("static void case@n(void) { char *q = malloc(24); free(q); @BODY }\n"),
    },
    Storage {
        name: "stack",
        size: 24,
        pointer: "a",
        code: "static void case@n(void) { char a[24]; @BODY }\n",
        ended: Some("static void case@n(void) { char *q; { char a[24]; memset(a, 'x', 24); q = a; } @BODY }\n"),
    },
    Storage {
        name: "block",
        size: 24,
        pointer: "a",
        code: "static void case@n(void) { for (int i = 0; i < 2; i++) { char a[24]; if (i == 1) { @BODY } } }\n",
        ended: Some(
            "static void case@n(void) { char *q = 0; for (int i = 0; i < 2; i++) { char a[24]; memset(a, 'x', 24); \
             if (i == 1) { @BODY } q = a; } }\n",
        ),
    },
    Storage {
        name: "thread-local",
        size: 24,
        pointer: "t@n",
        code: "static _Thread_local char t@n[24];\nstatic void case@n(void) { @BODY }\n",
        ended: Some(
            "static _Thread_local char t@n[24];\nstatic void *thread@n(void *u) { return t@n; }\n\
             static void case@n(void) { pthread_t t; void *r; pthread_create(&t, 0, thread@n, 0); \
             pthread_join(t, &r); char *q = r; @BODY }\n",
        ),
    },
    Storage {
        name: "argument",
        size: 8,
        pointer: "((char *)&x)",
        code: "static void f@n(long x) { @BODY }\nstatic void case@n(void) { f@n(0); }\n",
        ended: Some(
            "static char *f@n(long x) { char *volatile p = (char *)&x; return p; }\n\
             static void case@n(void) { char *q = f@n(0); @BODY }\n",
        ),
    },
    Storage {
        name: "struct in registers",
        size: 16,
        pointer: "s.bytes",
        code: "struct s@n { char bytes[16]; };\nstatic void f@n(struct s@n s) { @BODY }\n\
               static void case@n(void) { struct s@n s; memset(&s, 'x', sizeof s); f@n(s); }\n",
        ended: Some(
            "struct s@n { char bytes[16]; };\n\
             static char *f@n(struct s@n s) { char *volatile p = s.bytes; return p; }\n\
             static void case@n(void) { struct s@n s = {\"\"}; char *q = f@n(s); @BODY }\n",
        ),
    },
    Storage {
        name: "struct in memory",
        size: 40,
        pointer: "s.bytes",
        code: "struct s@n { char bytes[40]; };\nstatic void f@n(struct s@n s) { @BODY }\n\
               static void case@n(void) { struct s@n s; memset(&s, 'x', sizeof s); f@n(s); }\n",
        ended: Some(
            "struct s@n { char bytes[40]; };\n\
             static char *f@n(struct s@n s) { char *volatile p = s.bytes; return p; }\n\
             static void case@n(void) { struct s@n s = {\"\"}; char *q = f@n(s); @BODY }\n",
        ),
    },
];

/// An access to all of an object and `@K` bytes more. `@P` points to the object, `@N` is its size; `@END` ends a string
/// there in time, unless it is to go too far.
struct Access {
    name: &'static str,
    code: &'static str,
    writes: bool,
}

const fn reads(name: &'static str, code: &'static str) -> Access {
    Access { name, code, writes: false }
}

const fn writes(name: &'static str, code: &'static str) -> Access {
    Access { name, code, writes: true }
}

const ACCESSES: &[Access] = &[
    reads("plain read", "sink += @P[@N - 1 + @K];"),
    writes("plain write", "@P[@N - 1 + @K] = 'y';"),
    reads("read at the start", "sink += @P[-@K];"),
    writes("write at the start", "@P[-@K] = 'y';"),
    reads("read, half of it outside", "sink += *(int *)(@P + @N - 4 + 2 * @K);"),
    writes("write, half of it outside", "*(int *)(@P + @N - 4 + 2 * @K) = 1;"),
    reads("struct copied from", "struct pair c = *(struct pair *)(@P + @N - 8 + 4 * @K); sink += c.a;"),
    writes("struct copied to", "struct pair c = {1, 2}; *(struct pair *)(@P + @N - 8 + 4 * @K) = c;"),
    reads("`memcpy` from", "memcpy(other, @P, @N + @K);"),
    writes("`memcpy` to", "memcpy(@P, xs, @N + @K);"),
    reads("`memmove` from", "memmove(other, @P, @N + @K);"),
    writes("`memmove` to", "memmove(@P, xs, @N + @K);"),
    writes("`memset`", "memset(@P, 0, @N + @K);"),
    reads("`memcmp`", "sink += memcmp(@P, xs, @N + @K);"),
    reads("`memchr`", "sink += memchr(@P, 'z', @N + @K) != 0;"),
    reads("`strlen`", "@END sink += strlen(@P);"),
    reads("`strcmp`", "@END sink += strcmp(@P, xs);"),
    reads("`strchr`", "@END sink += strchr(@P, 'z') != 0;"),
    reads("`strcpy` from", "@END strcpy(other, @P);"),
    writes("`strcpy` to", "strcpy(@P, xs + 63 - (@N - 1 + @K));"),
    writes("`strncpy` to", "strncpy(@P, \"ab\", @N + @K);"),
    writes("`strcat` to", "@P[0] = 0; strcat(@P, xs + 63 - (@N - 1 + @K));"),
    reads("`strdup` from", "@END sink += strdup(@P) != 0;"),
    writes("`sprintf` to", "sprintf(@P, \"%s\", xs + 63 - (@N - 1 + @K));"),
    writes("`snprintf` to", "snprintf(@P, @N + @K, \"%s\", xs);"),
    reads("`printf` with `%s`", "@END printf(\"%s\", @P);"),
    writes("`printf` with `%n`", "printf(\"%n\", (int *)(@P + @N - 4 + 2 * @K));"),
    writes("`sscanf` with `%s`", "sscanf(xs + 63 - (@N - 1 + @K), \"%s\", @P);"),
    reads("`puts`", "@END puts(@P);"),
    writes("`fgets`", "fgets(@P, @N + @K, stdin);"),
    writes("`fread`", "fread(@P, 1, @N + @K, stdin);"),
    reads("`fwrite`", "fwrite(@P, 1, @N + @K, stdout);"),
    writes("`read`", "read(0, @P, @N + @K);"),
    reads("`write`", "write(1, @P, @N + @K);"),
    reads("atomic load", "sink += __atomic_load_n((int *)(@P + @N - 4 + 4 * @K), __ATOMIC_SEQ_CST);"),
    writes("atomic store", "__atomic_store_n((int *)(@P + @N - 4 + 4 * @K), 1, __ATOMIC_SEQ_CST);"),
    writes("atomic add", "__atomic_fetch_add((int *)(@P + @N - 4 + 4 * @K), 1, __ATOMIC_SEQ_CST);"),
    writes(
        "atomic exchange",
        "int e = 0; __atomic_compare_exchange_n((int *)(@P + @N - 4 + 4 * @K), &e, 1, 0, __ATOMIC_SEQ_CST, \
         __ATOMIC_SEQ_CST);",
    ),
    reads("through varargs", "sink += through(1, @P + @N - 1 + @K);"),
    writes("`qsort`", "qsort(@P, @N + @K, 1, compare);"),
];

fn body(access: &Access, pointer: &str, size: u32, extra: u32) -> String {
    let end = if extra == 0 { "@P[@N - 1] = 0;" } else { "" };
    let code = access.code.replace("@END", end);
    code.replace("@P", pointer).replace("@N", &size.to_string()).replace("@K", &extra.to_string())
}

fn case(row: &str, column: &str, code: String, expected: Expected) -> Case {
    Case { row: row.to_owned(), column: column.to_owned(), code, expected, is_good: false }
}

fn filled(storage: &Storage, access: &Access, extra: u32) -> String {
    let fill = format!("memset({}, 'x', {}); ", storage.pointer, storage.size);
    storage.code.replace("@BODY", &(fill + &body(access, storage.pointer, storage.size, extra)))
}

/// One byte or more outside the object, and beside each such case one that stays inside.
pub fn out_of_bounds() -> Section {
    let mut cases = Vec::new();
    for access in ACCESSES {
        for storage in STORAGES {
            let bad = filled(storage, access, 1);
            cases.push(case(access.name, storage.name, bad, Expected::Kind(FindingKind::OutOfBounds)));
            let good = case(access.name, storage.name, filled(storage, access, 0), Expected::Nothing);
            cases.push(Case { is_good: true, ..good });
        }
    }
    Section { title: "Outside an object", text: OUTSIDE, cases }
}

const OUTSIDE: &str = "One byte or more before the start or behind the end of an object. A part of an object is no object of \
                       its own: for rows of an array see below.";

/// Accesses to objects whose life has ended: freed, left by their block or function, or of a thread that is no more.
pub fn after_life() -> Section {
    let mut cases = Vec::new();
    for access in ACCESSES.iter().filter(|access| !access.name.contains("outside")) {
        for storage in STORAGES {
            let Some(ended) = storage.ended else { continue };
            let code = ended.replace("@BODY", &body(access, "q", storage.size, 0));
            cases.push(case(access.name, storage.name, code, Expected::Kind(FindingKind::UseAfterFree)));
        }
    }
    Section { title: "After the life of an object", text: AFTER, cases }
}

const AFTER: &str = "Memory that was freed, a variable whose block has ended (*block*: and was entered again), a thread-local variable \
                     of a thread that has ended, an argument of a function that has returned.";

/// Pointers that never pointed to an object that may be accessed like that.
pub fn no_object() -> Section {
    let mut cases = Vec::new();
    for access in ACCESSES {
        for (column, pointer, kind) in [
            ("null", "((char *)zero)", FindingKind::NullDereference),
            ("wild", "((char *)0x123456789abc)", FindingKind::OutOfBounds),
        ] {
            let code = format!("static void case@n(void) {{ {} }}\n", body(access, pointer, 24, 0));
            cases.push(case(access.name, column, code, Expected::Kind(kind)));
        }
        for (column, pointer) in [("string literal", "\"xxxxxxxxxxxxxxxxxxxxxxx\""), ("constant", "((char *)constant)")]
        {
            if access.writes {
                let code = format!("static void case@n(void) {{ {} }}\n", body(access, pointer, 24, 0));
                cases.push(case(access.name, column, code, Expected::Kind(FindingKind::OutOfBounds)));
            }
        }
    }
    Section { title: "No object, or one that is read-only", text: "", cases }
}

/// What must not be freed, freed.
pub fn frees() -> Section {
    let mut cases = Vec::new();
    for storage in STORAGES {
        let pointer = storage.pointer;
        for (row, call) in [("`free`", format!("free({pointer});")), ("`realloc`", format!("realloc({pointer}, 1);"))] {
            if storage.name != "heap" {
                let code = storage.code.replace("@BODY", &call);
                cases.push(case(row, storage.name, code, Expected::Kind(FindingKind::BadFree)));
            }
        }
        let call = format!("free({pointer} + 8);");
        let code = storage.code.replace("@BODY", &call);
        cases.push(case("`free` of the middle", storage.name, code, Expected::Kind(FindingKind::BadFree)));
        let call = format!("memcpy({pointer}, {pointer} + 1, {} - 1);", storage.size);
        let code = storage.code.replace("@BODY", &format!("memset({pointer}, 'x', {}); {call}", storage.size));
        cases.push(case(
            "`memcpy` to overlapping places",
            storage.name,
            code,
            Expected::Kind(FindingKind::OutOfBounds),
        ));
    }
    for (row, call) in [("`free`", "free(q);"), ("`realloc`", "realloc(q, 1);")] {
        let code = format!("static void case@n(void) {{ char *q = malloc(24); free(q); {call} }}\n");
        cases.push(case(row, "heap", code, Expected::Kind(FindingKind::DoubleFree)));
    }
    Section {
        title: "Misuse of whole objects",
        text: "For the heap, `free` and `realloc` are of what was freed.",
        cases,
    }
}

/// Values that were never set.
pub fn uninitialised() -> Section {
    let accesses = [
        ("decides a branch", "if (@P[3]) sink++;"),
        ("is an index", "sink += xs[@P[3] & 7];"),
        ("read only", "char c = @P[3]; (void)c;"),
        ("`strlen`", "sink += strlen(@P);"),
        ("`memcmp`", "sink += memcmp(@P, xs, 4);"),
        ("`printf` with `%d`", "printf(\"%d\", @P[3]);"),
        ("`printf` with `%s`", "printf(\"%s\", @P);"),
        ("`write`", "write(1, @P, 8);"),
        ("atomic load", "sink += __atomic_load_n((int *)@P, __ATOMIC_SEQ_CST);"),
        ("through varargs", "sink += through(1, @P);"),
        ("part of a struct", "struct pair c; memcpy(&c, @P, 8); if (c.b) sink++;"),
    ];
    let mut cases = Vec::new();
    for (row, code) in accesses {
        for storage in STORAGES.iter().filter(|storage| ["heap", "stack", "block"].contains(&storage.name)) {
            let code = storage.code.replace("@BODY", &code.replace("@P", storage.pointer));
            cases.push(case(row, storage.name, code, Expected::Kind(FindingKind::Uninitialised)));
        }
        if row == "decides a branch" || row == "is an index" || row == "`printf` with `%d`" {
            let code = code.replace("@P[3]", "x");
            let code = format!("static void case@n(void) {{ int x; {code} }}\n");
            cases.push(case(row, "variable", code, Expected::Kind(FindingKind::Uninitialised)));
        }
    }
    Section { title: "Values that were never set", text: UNSET, cases }
}

const UNSET: &str =
    "Copying such a value is no error, using it is. (A variable whose address nobody takes is in a register.)";
