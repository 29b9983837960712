//! Undefined behaviour that is not about memory.

use crate::case::{Case, Expected, Section};
use gordian_trace::FindingKind::{
    self, Abort, BadShift, DataRace, DivisionByZero, Leak, Livelock, NullDereference, OutOfBounds, Overflow,
    UndefinedBehaviour, Uninitialised,
};

fn cases(rows: &[(&str, Option<FindingKind>, &str)]) -> Vec<Case> {
    let mut cases = Vec::new();
    for (row, kind, code) in rows {
        let code = if code.contains("case@n") {
            (*code).to_owned()
        } else {
            format!("static void case@n(void) {{ {code} }}\n")
        };
        let expected = kind.map_or(Expected::Unseen, Expected::Kind);
        cases.push(Case { row: (*row).to_owned(), column: "found".to_owned(), code, expected, is_good: false });
    }
    cases
}

#[rustfmt::skip] // One line for each case.
const ARITHMETIC: &[(&str, Option<FindingKind>, &str)] = &[
    ("division by zero", Some(DivisionByZero), "sink += one / zero;"),
    ("remainder by zero", Some(DivisionByZero), "sink += one % zero;"),
    ("division by zero of 64 bits", Some(DivisionByZero), "sink += (long)one / (long)zero;"),
    ("division by zero of 128 bits", Some(DivisionByZero), "sink += (__int128)one / (__int128)zero;"),
    ("division by zero, unsigned", Some(DivisionByZero), "sink += (unsigned)one / (unsigned)zero;"),
    ("`INT_MIN / -1`", Some(Overflow), "sink += (INT_MIN + zero) / -one;"),
    ("`INT_MIN % -1`", Some(Overflow), "sink += (INT_MIN + zero) % -one;"),
    ("shift by the width", Some(BadShift), "sink += one << (32 * one);"),
    ("shift by a negative number", Some(BadShift), "sink += one << -one;"),
    ("shift right by more than the width", Some(BadShift), "sink += one >> (40 * one);"),
    ("shift of 128 bits by 128", Some(BadShift), "sink += (int)((__int128)one << (128 * one));"),
    ("left shift of a negative number", Some(UndefinedBehaviour), "sink += -one << 1;"),
    ("left shift into the sign bit and beyond", Some(UndefinedBehaviour), "sink += (one + 1) << 31;"),
    ("signed overflow of `+`", Some(Overflow), "sink += INT_MAX * one + one;"),
    ("signed overflow of `-`", Some(Overflow), "sink += INT_MIN + zero - one;"),
    ("signed overflow of `*`", Some(Overflow), "sink += INT_MAX * one * 2;"),
    ("signed overflow of unary `-`", Some(Overflow), "int least = INT_MIN + zero; sink += -least;"),
    ("signed overflow of `++`", Some(Overflow), "int most = INT_MAX - zero; most++; sink += most;"),
    ("signed overflow of 64 bits", Some(Overflow), "sink += (int)(LONG_MAX * one + one);"),
    ("signed overflow of 128 bits", Some(Overflow), "__int128 most = ((__int128)LONG_MAX << 64) + ~0ul; sink += (int)(most + one);"),
    ("`double` that does not fit in `int`", Some(UndefinedBehaviour), "sink += (int)(1e10 * one);"),
    ("`double` that does not fit in `unsigned char`", Some(UndefinedBehaviour), "sink += (unsigned char)(300.0 * one);"),
    ("NaN converted to `int`", Some(UndefinedBehaviour), "double z = zero; sink += (int)(z / z);"),
    ("`__builtin_clz(0)`", Some(UndefinedBehaviour), "sink += __builtin_clz(zero);"),
    ("`__builtin_ctzl(0)`", Some(UndefinedBehaviour), "sink += __builtin_ctzl(zero);"),
];

#[rustfmt::skip]
const FOLDED: &[(&str, Option<FindingKind>, &str)] = &[
    ("`94 / 0`", Some(DivisionByZero), "sink += 94 / 0;"),
    ("`94 % 0`, its value not used", Some(DivisionByZero), "94 % 0;"),
    ("`94 / z`, `z` a constant 0", Some(DivisionByZero), "const int z = 0; sink += 94 / z;"),
    ("`1 << 32`", Some(BadShift), "sink += 1 << 32;"),
    ("`1 >> -1`", Some(BadShift), "sink += 1 >> -1;"),
    ("`INT_MIN / -1`", Some(Overflow), "sink += INT_MIN / -1;"),
    ("`(int)1e10`", Some(UndefinedBehaviour), "sink += (int)1e10;"),
    ("`INT_MAX + 1`", Some(Overflow), "sink += INT_MAX + 1;"),
    ("`a[4]` of `int a[4]`", Some(OutOfBounds), "int a[4] = {0}; sink += a[4];"),
    ("`*(int *)0`", Some(NullDereference), "sink += *(int *)0;"),
];

#[rustfmt::skip]
const REST: &[(&str, Option<FindingKind>, &str)] = &[
    ("index beyond a row of an array", Some(OutOfBounds), "int m[2][3] = {{0}}; sink += m[0][3 * one];"),
    ("index beyond an array in a struct", Some(OutOfBounds), "struct { int a[2], b; } s = {{0}, 0}; sink += s.a[2 * one];"),
    ("misaligned access", Some(UndefinedBehaviour), "static char bytes[16]; int *p = (int *)(bytes + one); sink += *p;"),
    ("`_Bool` that is neither 0 nor 1", Some(UndefinedBehaviour), "unsigned char seven = 7; _Bool b; memcpy(&b, &seven, 1); sink += b;"),
    ("variable-length array of no elements", Some(UndefinedBehaviour), "int a[zero - one]; sink += sizeof a;"),
    ("null argument that an attribute forbids", Some(UndefinedBehaviour), "__attribute__((nonnull)) static int f@n(char *p) { return p == 0; }\nstatic void case@n(void) { sink += f@n((char *)zero); }\n"),
    ("`__builtin_unreachable` reached", Some(Abort), "if (one) __builtin_unreachable();"),
    ("missing return value that is used", Some(Uninitialised), "static int f@n(int x) { if (x) return 1; }\nstatic void case@n(void) { if (f@n(zero)) sink++; }\n"),
    ("call through a null pointer", Some(NullDereference), "void (*f)(void) = (void (*)(void))zero; f();"),
    ("call through a pointer to data", Some(OutOfBounds), "void (*f)(void) = (void (*)(void))&sink; f();"),
    ("call with too few arguments", Some(UndefinedBehaviour), "static int f@n(int a, int b) { return a + b; }\nstatic void case@n(void) { int (*f)() = (int (*)())f@n; sink += ((int (*)(int))f)(1); }\n"),
    ("`va_arg` beyond the last argument", Some(OutOfBounds), "sink += through(2, \"x\");"),
    ("`va_arg` of another type", None, "sink += sum(1, 5.0);"),
    ("`printf` with too few arguments", Some(Abort), "printf(\"%d %d\\n\", 1);"),
    ("`printf` with an argument of another type", None, "printf(\"%d\\n\", 5.0);"),
    ("memory that is never freed", Some(Leak), "sink += *(char *)memset(malloc(8), 1, 8);"),
    ("data race", Some(DataRace), "static int shared@n;\nstatic void *w@n(void *u) { shared@n++; return u; }\nstatic void case@n(void) { pthread_t t; pthread_create(&t, 0, w@n, 0); shared@n++; pthread_join(t, 0); }\n"),
    ("endless loop that does nothing", Some(Livelock), "while (nonzero) ;"),
    ("arithmetic beyond an array, no access", Some(OutOfBounds), "char *p = other + 99 * one; sink += p != 0;"),
    ("arithmetic on a pointer beyond its object, no access", None, "char *p = other; p += 99 * one; sink += p != 0;"),
    ("comparison of pointers to different objects", None, "int a, b; sink += &a < &b;"),
    ("access through a pointer of another type", None, "float f = one; sink += *(int *)&f;"),
    ("two changes of a variable, unsequenced", None, "int i = one; i = i++ + i++; sink += i;"),
    ("a `const` variable changed through a pointer", None, "const int c = 1; *(int *)&c = 2; sink += c;"),
];

pub fn sections() -> Vec<Section> {
    vec![
        Section { title: "Arithmetic", text: "", cases: cases(ARITHMETIC) },
        Section { title: "What compilers fold", text: FOLDED_TEXT, cases: cases(FOLDED) },
        Section { title: "The rest", text: "", cases: cases(REST) },
    ]
}

const FOLDED_TEXT: &str = "Operations on constants, which a compiler carries out itself. They are found where an execution comes to them, \
                           and only there.";
